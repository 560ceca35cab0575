"""A setting that is to be like another place's: "the passenger's temperature same as mine", 副驾跟我一样, "two degrees warmer than my side". Pure.

No skill copies a setting or measures by one: the value is asked for, the place is known. Never an extreme, never another thing.
Does not know the values, or how the answer is read.
"""

from __future__ import annotations

import re
from typing import Final

from ridealong.harness.doubt import Doubt
from ridealong.harness.skill import Match
from ridealong.harness.slots.text import language, plain

_SIDE_EN: Final = r"(?:mine|me|my (?:side|own|one|seat|window|temperature|temp|wife|husband|zone)|(?:the |my )?(?:front )?(?:driver|passenger|co ?driver)s?\b|his|hers|theirs|(?:the )?other (?:side|one))"
_LIKE_EN: Final = re.compile(
    rf"\b(?P<like>(?:(?:the |exactly )*same (?:\w+ )?(?:as|like|with)|identical to|equal to|like|to match|match(?:ing)?|as (?:warm|cool|cold|hot|high|low|open) as|"
    rf"(?:warmer|cooler|colder|hotter|higher|lower|more|less|further)(?: (?:open|down|up))? than) (?:what )?(?:is |on |for |at |to )?{_SIDE_EN})"
)
_SIDE_ZH: Final = r"(?:我|副驾|主驾|驾驶|司机|乘客|左边|右边|另一边|那边|这边)"
_LIKE_ZH: Final = re.compile(
    rf"(?P<like>(?:跟|和|同|与|像|照着?|按)(?:着)?{_SIDE_ZH}[^,.]{{0,6}}?(?:一样|一致|相同|同样|一个样|差不多|那样|的(?:来|温度调|设置调))|比{_SIDE_ZH}[^,.]{{0,6}}?(?:高|低|热|冷|暖|凉|大|小|多|少))"
)
_CAR_EN: Final = re.compile(
    r"\b(?:set|make|put|turn|adjust|have|keep|get|bring|want|temperature|temp|window|side|degrees|warmer|cooler)\b"
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
    found = (_LIKE_ZH if zh else _LIKE_EN).search(form)
    if found is None or (_OTHER_ZH if zh else _OTHER_EN).search(form) or (match is None and not zh and not _CAR_EN.search(form)):
        return None
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
    if re.search(r"\bwindows?\b|窗|玻璃", form):
        question = (
            f"{'副驾' if passenger else '主驾'}车窗要开到百分之多少？"
            if zh
            else f"How many percent should the {'passenger' if passenger else 'driver'}'s window be open?"
        )
        return Doubt(
            question, Match("windows.set_position", 0.9, {"zone": zone}, {"zone": ground}, ("position",), question)
        )
    question = (
        f"{'副驾' if passenger else '主驾'}要调到多少度？"
        if zh
        else f"What temperature would you like on the {'passenger' if passenger else 'driver'}'s side?"
    )
    return Doubt(question, Match("climate.set_temperature", 0.9, {"zone": zone}, {"zone": ground}, ("target",), question))


def _place(form: str) -> tuple[str, str]:
    for zone, pattern in _PLACES:
        if (found := re.search(pattern, form)) is not None:
            return zone, found.group()
    return "", ""
