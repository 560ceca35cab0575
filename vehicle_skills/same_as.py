"""A setting that is to be like another place's: "the passenger's temperature same as mine", 副驾跟我一样, "two degrees warmer than my side". Pure.

The other place's value is taken where the car has shown it, with the difference that is said; else the value is asked for. Never an extreme, never
another thing.
"""

from __future__ import annotations

import re
from typing import Final

from ridealong.harness.doubt import Doubt
from ridealong.harness.skill import Context, Match
from ridealong.harness.slots.number import find_numbers
from ridealong.harness.slots.text import language, plain
from ridealong.vehicle_skills.car import number, speaker
from ridealong.vehicle_skills.signals import set_temperature, window_position

_SIDE_EN: Final = r"(?:mine|me|my (?:side|own|one|seat|window|temperature|temp|wife|husband|zone)|(?:the |my )?(?:front )?(?:driver|passenger|co ?driver)s?\b|his|hers|theirs|(?:the )?other (?:side|one))"
_LIKE_EN: Final = re.compile(
    rf"\b(?P<like>(?:whatever|(?:the |exactly )*same (?:\w+ )?(?:as|like|with)|identical to|equal to|(?:(?<=side )|(?<=just )|(?<=exactly ))like|to match|match(?:ing)?|as (?:warm|cool|cold|hot|high|low|open) as|"
    rf"(?:warmer|cooler|colder|hotter|higher|lower|more|less|further)(?: (?:open|down|up))? than) (?:what )?(?:is |on |for |at |to )?{_SIDE_EN})"
)
_SIDE_ZH: Final = r"(?:我|副驾|主驾|驾驶|司机|乘客|左边|右边|另一边|那边|这边)"
_LIKE_ZH: Final = re.compile(
    rf"(?P<like>(?:跟|和|同|与|像|照着?|按)(?:着)?{_SIDE_ZH}[^,.]{{0,6}}?(?:一样|一致|相同|同样|一个样|差不多|那样|的(?:来|温度调|设置调))|比{_SIDE_ZH}[^,.]{{0,6}}?(?:高|低|热|冷|暖|凉|大|小|多|少))"
)
_CAR_EN: Final = re.compile(
    r"(?:please |can you |could you |and )*(?:set|make|put|turn|adjust|change|keep|have)\b.*\b(?:passengers?|drivers?|side|temperature|temp|windows?)\b.*|"
    r"(?:the |my )?(?:front )?(?:passengers?|drivers?|temperature|temp)\b(?: \w+){0,3} (?:the )?same .*"
)
_CAR_ZH: Final = re.compile(
    r"(?:请|帮我|麻烦|把|将|让)*(?:副驾|主驾|驾驶|乘客|司机|我(?:这|那)边|我的|温度)[^,.]{0,8}?(?:跟|和|同|与|像|照|按|比).+"
)
"""Where nothing else has found that the car is meant."""
_BOTH: Final = re.compile(
    r"\bboth\b.* (?:the |at the )?same\b|\bsame (?:temperature|temp)\b.* (?:both|everyone|all of us)\b|(?:两边|两侧|主副驾|双区|前排)[^,.]{0,6}(?:一样|相同|一致|同样)"
)
_OTHER_EN: Final = re.compile(r"\b(?:seats?|chair|volume|music|radio|fan|screen|light|mirror)\b")
_OTHER_ZH: Final = re.compile(r"座椅|音量|音乐|风量|风扇|灯|后视镜|屏幕|去的|地方")
_PLACES: Final = (
    ("row1.passenger", r"\b(?:passenger|co ?driver|wife|husband|his|hers)s?\b|副驾|乘客|他|她"),
    ("row1.driver", r"\bdrivers?\b|主驾|驾驶|司机"),
)


def doubt(words: str, locale: str, match: Match | None) -> Doubt | None:
    """`match` None: nothing else was made of the words."""
    zh, form = language(words, locale) == "zh", plain(words, locale)
    if match is not None and match.capability.startswith("climate.") and (both := _alike(form, match, zh, locale)) is not None:
        return both
    found = (_LIKE_ZH if zh else _LIKE_EN).search(form)
    if (
        found is None
        or (_OTHER_ZH if zh else _OTHER_EN).search(form)
        or (match is None and not (_CAR_ZH if zh else _CAR_EN).fullmatch(form))
    ):
        return None
    if match is not None and _said(match.grounds.get("target", match.grounds.get("position", "")), locale):
        return None  # "… same as mine, twenty-two"
    if match is not None and match.capability.partition(".")[0] not in ("climate", "windows"):
        return None
    # the place that is to be set is named beside the comparison; "mine" is of the side that it is not compared with
    rest = form[: found.start()] + form[found.end() :]
    zone, ground = _place(rest)
    if not zone:
        other, _ = _place(found["like"])
        zone = "row1.passenger" if other == "row1.driver" and re.search(r"\bmy\b|我", rest) else "row1.driver"
        ground = f"default:{zone}"
    passenger = zone == "row1.passenger"
    other = "row1.driver" if passenger else "row1.passenger"
    window = re.search(r"\bwindows?\b|窗|玻璃", form) is not None
    if window:
        question = (
            f"{'副驾' if passenger else '主驾'}车窗要开到百分之多少？"
            if zh
            else f"How many percent should the {'passenger' if passenger else 'driver'}'s window be open?"
        )
        known = Match("windows.set_position", 0.9, {"zone": zone}, {"zone": ground}, ("position",), question)
    else:
        question = (
            f"{'副驾' if passenger else '主驾'}要调到多少度？"
            if zh
            else f"What temperature would you like on the {'passenger' if passenger else 'driver'}'s side?"
        )
        known = Match("climate.set_temperature", 0.9, {"zone": zone}, {"zone": ground}, ("target",), question)
    if re.search(r"(?:than |比)", found["like"]) or re.search(r"\bas \w+ as\b", found["like"]):
        return Doubt(question, known)
    path, name = (
        (window_position("Row1", f"{_ROW[other][1]}Side"), "position") if window else (set_temperature(*_ROW[other]), "target")
    )

    def settled(context: Context) -> Match | None:
        if zone.removeprefix("row1.") != speaker(context) and ground.startswith("default:"):
            return None
        value = number(context.read, path)
        if value is None:
            return None
        exact = round(value) if window else float(value)
        return Match(known.capability, 0.9, {"zone": zone, name: exact}, {"zone": ground, name: f"signal:{path}"})

    return Doubt(question, known, settled)


_ROW: Final = {"row1.driver": ("Row1", "Driver"), "row1.passenger": ("Row1", "Passenger")}


def _alike(form: str, match: Match, zh: bool, locale: str) -> Doubt | None:
    """Both sides alike, and not at what."""
    found = _BOTH.search(form)
    if found is None or _said(match.grounds.get("target", ""), locale) or match.capability.endswith(("fan", "switch")):
        return None
    question = "两边要调到多少度？" if zh else "What temperature would you like on both sides?"
    return Doubt(
        question, Match("climate.set_temperature", 0.9, {"zone": "row1"}, {"zone": found.group()}, ("target",), question)
    )


def _said(ground: str, locale: str) -> bool:
    """A value in so many words."""
    return ":" not in ground and bool(ground) and (re.search(r"\d", ground) is not None or bool(find_numbers(ground, locale)))


def _place(form: str) -> tuple[str, str]:
    for zone, pattern in _PLACES:
        if (found := re.search(pattern, form)) is not None:
            return zone, found.group()
    return "", ""
