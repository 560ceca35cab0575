"""A setting that is to be like another place's: "the passenger's temperature same as mine", "match his side", 我这边跟副驾一样, "two degrees warmer than my side". Pure.

The other place's value is taken where the car has shown it, with the difference that is said; else the value is asked for. Never an extreme, never
another thing. Where only one place is named the other front seat is meant; where the words name nothing of the car ("same as his"), what was set just now.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from ridealong.harness.doubt import Doubt
from ridealong.harness.skill import Context, Match
from ridealong.harness.slots.number import find_numbers
from ridealong.harness.slots.text import language, plain
from ridealong.vehicle_skills.car import is_recent, number, speaker
from ridealong.vehicle_skills.signals import set_temperature, window_position

_WHO_EN: Final = r"(?:my |the |your )?(?:front )?(?:driver|passenger|co ?driver|wife|husband|missus|partner)s?"
_SIDE_EN: Final = (
    rf"(?:mine|me|my (?:side|own|one|seat|window|temperature|temp|zone)|(?:his|her|their)(?: (?:side|own|one|seat|window|temperature|temp|zone|setting))?|hers|theirs|him|them|"
    rf"{_WHO_EN}(?: (?:side|seat|window|temperature|temp|zone|setting|one))?|(?:the )?other (?:side|one|seat))(?: (?:is|has|has got|is (?:at|on|set to)))?(?![\w])"
)
_LIKE_EN: Final = re.compile(
    rf"\b(?P<like>(?:whatever|(?:the |exactly |just )*same (?:temperature |temp |setting |level |position )?(?:as|like)|(?:(?<=me )|(?<=mine )|(?<=it )|(?<=side )|(?<=window )|(?<=one )|(?<=passenger )|(?<=driver ))the same with|"
    rf"identical to|equal to|(?:(?<=side )|(?<=just )|(?<=exactly )|(?<=mine )|(?<=window ))like|to match|match(?:ing)?(?: up)?(?: (?:to|with))?|copy(?:ing)?|(?:in )?sync(?:ed)?(?: up)? (?:to|with)|"
    rf"as (?:warm|cool|cold|hot|high|low|open|far(?: (?:open|down|up))?|wide(?: open)?) as|to(?= (?:mine|hers|his|theirs)$)|where|what|"
    rf"(?:warmer|cooler|colder|hotter|higher|lower|more|less|further)(?: (?:open|down|up))? than) (?:what )?(?:is |on |for |at |to )?{_SIDE_EN})"
)
_SIDE_ZH: Final = r"(?:我|副驾|主驾|驾驶|司机|乘客|左边|右边|另一边|那边|这边|他(?!们)|她(?!们)|老婆|老公|媳妇儿?|旁边)"
_LIKE_ZH: Final = re.compile(
    rf"(?P<like>(?:跟|和|同|与|像|参?照着?|按)(?:着)?{_SIDE_ZH}[^,.]{{0,6}}?(?:一样|一致|相同|同样|同步|一个样|差不多|那样|的(?:来|温度(?:来|给我调|调)|设置(?:来|调))|来(?:就行|吧|$))|比{_SIDE_ZH}[^,.]{{0,6}}?(?:高|低|热|冷|暖|凉|大|小|多|少))"
)
_REST_EN: Final = re.compile(
    r"(?:\s|\b(?:please|set|put|make|have|keep|get|give|turn|bring|adjust|change|i|we|want|would|like|will|can|could|you|just|the|to|at|on|for|and|no|actually|now|then|so|too|it|be|should|let|us|is|in|"
    r"me|my|mine|own|his|her|hers|their|theirs|him|them|side|seat|zone|one|temperature|temp|climate|heat|heating|setting|air|passengers?|drivers?|co|front|wife|husband|windows?|open|close|other|thanks|thank|also|up|down|okay|ok|that|exactly)\b)*"
)
_REST_ZH: Final = re.compile(
    r"(?:请|帮我?|麻烦|把|将|让|给|调|设|弄|成|为|到|得|的|温度|空调|也|就|行|好|了|吧|我|这边|那边|那侧|这侧|副驾|主驾|驾驶|位|座|司机|乘客|窗户?|车|开|关|大|小|要|想|保持|设置|都|再|一下|可以|哈|呗|来|他|她|老婆|老公|,|\.)*"
)
"""Beside the comparison nothing but what is set, and words of asking."""
_CAR_EN: Final = re.compile(
    r"\b(?:temperature|temp|side|seat|zone|climate|heat|heating|windows?|passengers?|drivers?|co ?driver)\b"
)
_CAR_ZH: Final = re.compile(r"副驾|主驾|驾驶|温度|空调|窗|[这那]边|乘客|司机")
_ASKS_EN: Final = re.compile(r"^(?:is|are|was|does|did|do|what|why|who|how|which|he|she|they)\b")
_ASKS_ZH: Final = re.compile(r"[吗么呢]|为什么|怎么|是不是|多少")
_BOTH: Final = re.compile(
    r"\bboth\b.* (?:the |at the )?same\b|\bsame (?:temperature|temp)\b.* (?:both|everyone|all of us)\b|(?:两边|两侧|主副驾|双区|前排)[^,.]{0,6}(?:一样|相同|一致|同样|同步)"
)
_SYNC: Final = re.compile(
    r"(?:please |can you |could you )*(?:sync|synchroni[sz]e|match up|even out)(?: up)? (?:the |both |our |two )*(?:temperatures?|temps?|sides|zones|climates?)(?: (?:to|with) (?:mine|my side|me))?(?: please)?|"
    r"(?:把|请|帮我)*(?:两边|两侧|双区|主副驾|副驾)?(?:的)?(?:温度|空调)?(?:同步|统一)(?:一下|副驾)?(?:的?温度)?(?:吧|一下)?"
)
_OTHER_EN: Final = re.compile(
    r"\b(?:chair|volume|music|radio|fan|screen|light|mirror|seat (?:heat|heating|heater|position)|dad|mum|mother|father)\b"
)
_OTHER_ZH: Final = re.compile(r"座椅|音量|音乐|风量|风扇|灯|后视镜|屏幕|去的|地方")
_REAR: Final = re.compile(r"\b(?:rear|back|behind)\b|后")
_WINDOW: Final = re.compile(r"\bwindows?\b|\bglass\b|窗|玻璃")
_MOVES: Final = re.compile(r"\b(?:open|close|shut|wind|roll|crack|lower|raise)\b|[开关摇降升]")
_ROW: Final = {"row1.driver": ("Row1", "Driver"), "row1.passenger": ("Row1", "Passenger")}
_ACROSS: Final = {"row1.driver": "row1.passenger", "row1.passenger": "row1.driver"}


@dataclass(frozen=True, slots=True)
class _Like:
    """`rest`: what is said beside the comparison."""

    like: str
    rest: str
    form: str
    zh: bool

    def zone(self, mine: str) -> tuple[str, str]:
        """The place that is to be set, and the words that name it: beside the comparison, else across from what it is compared with."""
        of, _ = _place(self.like, mine)
        named, ground = _place(self.rest, mine)
        if named and named != of:
            return named, ground
        zone = _ACROSS[of] if of else mine
        return zone, f"default:{zone}"


def doubt(words: str, locale: str, match: Match | None) -> Doubt | None:
    """`match` None: nothing else was made of the words."""
    zh, form = language(words, locale) == "zh", plain(words, locale)
    if (match is None or match.capability.startswith("climate.")) and (both := _alike(form, match, zh, locale)) is not None:
        return both
    found = (_LIKE_ZH if zh else _LIKE_EN).search(form)
    if found is None or _REAR.search(form) or (_OTHER_ZH if zh else _OTHER_EN).search(form):
        return None
    said = _Like(found["like"], f"{form[: found.start()]} {form[found.end() :]}".strip(), form, zh)
    compares = re.search(r"(?:than |比)", said.like) is not None or re.search(
        r"\bas (?:warm|cool|cold|hot|high|low) as\b", said.like
    )
    if match is None or match.capability.partition(".")[0] not in ("climate", "windows", "status"):
        asks = (_ASKS_ZH.search(form) if zh else _ASKS_EN.match(form)) is not None
        rest = re.sub(r"\d+|度|degrees?|[零一二两三四五六七八九十]", "", said.rest) if compares else said.rest
        if asks or (_REST_ZH if zh else _REST_EN).fullmatch(rest.replace(" ", "") if zh else rest) is None:
            return None
    elif match.capability.startswith("status."):
        return None
    elif _said(match.grounds.get("target", match.grounds.get("position", "")), locale):
        return None  # "… same as mine, twenty-two"
    windows = _WINDOW.search(form) is not None
    if match is not None and match.capability.startswith("windows."):
        windows = windows or _MOVES.search(form) is not None
    of_car = match is not None or (_CAR_ZH if zh else _CAR_EN).search(form) is not None

    def holds(context: Context) -> bool:
        return (
            of_car
            or windows
            or _is_window(said, context)
            or is_recent(context, "climate.set_temp")
            or is_recent(context, "climate.change")
        )

    def settled(context: Context) -> Match | None:
        if compares:
            return None
        mine = f"row1.{speaker(context)}"
        zone, ground = said.zone(mine)
        window = windows or _is_window(said, context)
        row, side = _ROW[_ACROSS[zone]]
        path, name = (window_position(row, f"{side}Side"), "position") if window else (set_temperature(row, side), "target")
        value = number(context.read, path)
        if value is None:
            return None
        exact = round(value) if window else float(value)
        known = _asked(zone, ground, window, zh)
        return Match(known.capability, 0.9, {"zone": zone, name: exact}, {"zone": ground, name: f"signal:{path}"})

    zone, ground = said.zone("row1.driver")
    known = _asked(zone, ground, windows, zh)
    return Doubt(known.question, known, settled, holds, sure=True)


def _is_window(said: _Like, context: Context) -> bool:
    """Because windows were just spoken of."""
    return is_recent(context, "windows.") and re.search(r"\btemp\w*|\bclimate|\bheat|温度|空调", said.form) is None


def _asked(zone: str, ground: str, window: bool, zh: bool) -> Match:
    passenger = zone == "row1.passenger"
    if window:
        question = (
            f"{'副驾' if passenger else '主驾'}车窗要开到百分之多少？"
            if zh
            else f"How many percent should the {'passenger' if passenger else 'driver'}'s window be open?"
        )
        return Match("windows.set_position", 0.9, {"zone": zone}, {"zone": ground}, ("position",), question)
    question = (
        f"{'副驾' if passenger else '主驾'}要调到多少度？"
        if zh
        else f"What temperature would you like on the {'passenger' if passenger else 'driver'}'s side?"
    )
    return Match("climate.set_temperature", 0.9, {"zone": zone}, {"zone": ground}, ("target",), question)


def _alike(form: str, match: Match | None, zh: bool, locale: str) -> Doubt | None:
    """Both sides alike, and not at what: "sync the sides" to the speaker's own."""
    sync = _SYNC.fullmatch(form)
    found = sync or (_BOTH.search(form) if match is not None else None)
    if found is None:
        return None
    if match is not None and (_said(match.grounds.get("target", ""), locale) or match.capability.endswith(("fan", "switch"))):
        return None
    question = "两边要调到多少度？" if zh else "What temperature would you like on both sides?"
    known = Match("climate.set_temperature", 0.9, {"zone": "row1"}, {"zone": found.group()}, ("target",), question)

    def settled(context: Context) -> Match | None:
        zone = f"row1.{speaker(context)}"
        path = set_temperature(*_ROW[zone])
        value = number(context.read, path)
        if sync is None or value is None:
            return None
        across = _ACROSS[zone]
        grounds = {"zone": f"default:{across}", "target": f"signal:{path}"}
        return Match(known.capability, 0.9, {"zone": across, "target": float(value)}, grounds)

    return Doubt(question, known, settled)


def _said(ground: str, locale: str) -> bool:
    """A value in so many words."""
    return ":" not in ground and bool(ground) and (re.search(r"\d", ground) is not None or bool(find_numbers(ground, locale)))


def _place(form: str, mine: str) -> tuple[str, str]:
    """The front place that is named, seen from whoever sits at `mine`."""
    for zone, pattern in (
        ("row1.passenger", r"\b(?:passenger|co ?driver)s?\b|副驾|乘客"),
        ("row1.driver", r"\bdrivers?\b|主驾|驾驶|司机"),
        (
            _ACROSS[mine],
            r"\b(?:wife|husband|missus|partner|his|hers?|him|theirs?|them|other (?:side|one|seat))\b|他|她|老婆|老公|媳妇|旁边|另一边|那边",
        ),
        (mine, r"\b(?:mine|me|my)\b|我|这边"),
    ):
        if (found := re.search(pattern, form)) is not None:
            return zone, found.group()
    return "", ""
