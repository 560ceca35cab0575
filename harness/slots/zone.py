"""Which place in the car: {row, side}, with the sides as roles.

"driver's", "front passenger", "rear left", "back right", "my", "all", 副驾驶, 后排左侧, 左后, 全部. Left and right become roles only
with the drive side of this car (`Vehicle.Cabin.DriverPosition`): the same words open another window in a right-hand-drive car.

Does not know VSS paths, nor how many rows the car has.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum

from ridealong.harness.slots.text import language, plain


class Side(Enum):
    LEFT = "left"
    RIGHT = "right"
    DRIVER = "driver"
    PASSENGER = "passenger"
    BOTH = "both"
    SPEAKER = "speaker"
    UNSAID = "unsaid"


@dataclass(frozen=True, slots=True)
class Zone:
    """`row` 0: every row; -1: not said. `side` as spoken."""

    row: int
    side: Side
    words: str
    span: tuple[int, int]


ZONES = ("row1.driver", "row1.passenger", "row2.driver", "row2.passenger", "row1", "row2", "driver_side", "passenger_side", "all")
"""Resolved zones, as arguments name them."""

SEATS: dict[str, tuple[tuple[int, str], ...]] = {
    "row1.driver": ((1, "driver"),),
    "row1.passenger": ((1, "passenger"),),
    "row2.driver": ((2, "driver"),),
    "row2.passenger": ((2, "passenger"),),
    "row1": ((1, "driver"), (1, "passenger")),
    "row2": ((2, "driver"), (2, "passenger")),
    "driver_side": ((1, "driver"), (2, "driver")),
    "passenger_side": ((1, "passenger"), (2, "passenger")),
    "all": ((1, "driver"), (1, "passenger"), (2, "driver"), (2, "passenger")),
}
"""Zone -> its (row, role) places."""

_SIDE = r"(?: (?:hand )?side)?"
_EN: tuple[tuple[str, int, Side], ...] = (
    (r"(?:all|both|every(?:one|body)?|each) (?:of )?(?:the )?(?:our )?(?:front)(?: seats| row)?", 1, Side.BOTH),
    (r"(?:all|both|each) (?:of )?(?:the )?(?:our )?(?:rear|back)(?: seats| row)?", 2, Side.BOTH),
    (r"(?:all|each) (?:of )?(?:the )?(?:our )?(?:four )?windows|all four|every(?: single)? window|everywhere|every(?:one|body)|all zones|the whole car|the windows", 0, Side.BOTH),
    (rf"(?:front|fore) (?:on the )?left{_SIDE}|left{_SIDE} (?:in (?:the )?)?front", 1, Side.LEFT),
    (rf"(?:front|fore) (?:on the )?right{_SIDE}|right{_SIDE} (?:in (?:the )?)?front", 1, Side.RIGHT),
    (rf"(?:rear|back) (?:seat )?(?:on the )?left{_SIDE}|left{_SIDE} (?:in (?:the )?|at the )?(?:rear|back)|left behind", 2, Side.LEFT),
    (rf"(?:rear|back) (?:seat )?(?:on the )?right{_SIDE}|right{_SIDE} (?:in (?:the )?|at the )?(?:rear|back)", 2, Side.RIGHT),
    (rf"(?:rear|back) (?:on the )?driver(?:s)?{_SIDE}|driver(?:s)?{_SIDE} (?:rear|back)|behind (?:the driver|me)", 2, Side.DRIVER),
    (rf"(?:rear|back) (?:on the )?passenger(?:s)?{_SIDE}|passenger(?:s)?{_SIDE} (?:rear|back)|behind the passenger", 2, Side.PASSENGER),
    (r"(?:both|the two) (?:sides|zones|of us)|both", 1, Side.BOTH),
    (rf"driver(?:s)?{_SIDE}(?: seat)?", 1, Side.DRIVER),
    (rf"(?:front )?(?:co ?driver|passenger)(?:s)?{_SIDE}(?: seat)?|shotgun", 1, Side.PASSENGER),
    (rf"left{_SIDE} windows|windows on the left", 0, Side.LEFT),
    (rf"right{_SIDE} windows|windows on the right", 0, Side.RIGHT),
    (rf"left{_SIDE}(?: one)?", 1, Side.LEFT),
    (rf"(?<!all )right{_SIDE}(?: one)?(?! now| away)", 1, Side.RIGHT),
    (r"(?:the |in )?front(?: seats| row| windows?| ones?)?", 1, Side.BOTH),
    (r"(?:the |in (?:the )?)?(?:rear|back)(?: seats?| row| windows?| ones?)(?!screen)|(?:in|for|at) the (?:rear|back)|rear", 2, Side.BOTH),
    (r"my (?:own |side )?|on my side|for me\b|mine|our side", -1, Side.SPEAKER),
)  # fmt: skip
_ZH: tuple[tuple[str, int, Side], ...] = (
    (r"(?:所有|全部|全车|四个|每个|四扇|每扇)(?:的)?(?=车窗|窗|玻璃|$)|整车|全车|四个窗", 0, Side.BOTH),
    (r"后排?(?:座)?的?驾驶(?:员|座|位)?侧|驾驶(?:员|座|位)?侧后|主驾(?:驶)?后|司机后面|(?:主驾|驾驶座|驾驶员)后(?:面|排|方)", 2, Side.DRIVER),
    (r"副驾(?:驶)?(?:座|位)?(?:后面|后排|后方|后)|后排副驾(?:驶)?侧", 2, Side.PASSENGER),
    (r"左后(?:侧|方|边|面|排)?|后排?(?:座)?的?左(?:侧|边|面|方)?|后面左(?:侧|边)|左(?:侧|边)的?后(?:排|面)", 2, Side.LEFT),
    (r"右后(?:侧|方|边|面|排)?|后排?(?:座)?的?右(?:侧|边|面|方)?|后面右(?:侧|边)|右(?:侧|边)的?后(?:排|面)", 2, Side.RIGHT),
    (r"左前(?:侧|方|边|面|排)?|前排?(?:座)?的?左(?:侧|边|面|方)?|左(?:侧|边)的?前(?:排|面)", 1, Side.LEFT),
    (r"右前(?:侧|方|边|面|排)?|前排?(?:座)?的?右(?:侧|边|面|方)?|右(?:侧|边)的?前(?:排|面)", 1, Side.RIGHT),
    (r"副驾(?:驶)?(?:员|座|位|侧|这边|那边)*|副座|乘客(?:侧|座|位)", 1, Side.PASSENGER),
    (r"主驾(?:驶)?(?:员|座|位|侧|这边|那边)*|驾驶(?:员|座|位|侧)+|司机(?:侧|座|位|这边|那边)?|主驾", 1, Side.DRIVER),
    (r"两侧|两边|双侧|前排(?:的|两)?", 1, Side.BOTH),
    (r"后排(?:的)?|后座(?:的)?|后面(?:的)?(?=车窗|窗|玻璃)", 2, Side.BOTH),
    (r"左(?:侧|边|面|手边|车?窗)", 1, Side.LEFT),
    (r"右(?:侧|边|面|手边|车?窗)", 1, Side.RIGHT),
    (r"(?:车窗|窗户|玻璃|窗子)(?:都|全部|全)|大家|所有人|全部|所有", 0, Side.BOTH),  # behind a named window it is an amount: 全部打开
    (r"我(?:这边|这侧|的)(?!意思|是)|我旁边", -1, Side.SPEAKER),
)  # fmt: skip


def find_zone(text: str, locale: str) -> Zone | None:
    """The most specific place that the text names. In "not the left one, the right one" it is the last."""
    form = plain(text, locale)
    table = _ZH if language(form, locale) == "zh" else _EN
    form_read = re.sub(r"\bnot (?:the )?\w+(?: \w+)? (?:one|window)\b", lambda m: "_" * len(m.group()), form)
    form_read = re.sub(r"不是[左右][侧边]?[前后]?(?:的|那个)?", lambda m: "＿" * len(m.group()), form_read)
    for pattern, row, side in table:
        m = re.search(rf"\b(?:{pattern})" if table is _EN else pattern, form_read)
        if m is not None and (table is _ZH or not re.match(r"\w", form_read[m.end() :]) or m.group().endswith(" ")):
            words = m.group().strip()
            return Zone(row, side, words, (m.start(), m.start() + len(words)))
    return None


_ANOTHER = re.compile(
    r"\b(?:his|hers?|their|him|wife|missus|husband|girlfriend|boyfriend|partner|other|mate|mum|mom|dad)\b|[她他]|老[公婆]|媳妇|爱人|对象"
)
"""Somebody else in front: of a passenger, the driver."""


def resolve(zone: Zone, drive_side: str | None, speaker: str = "driver") -> str | None:
    """The zone as ZONES names it, or None when left or right was said and the drive side is unknown.

    `drive_side` is "LEFT" or "RIGHT" as VSS has it; `speaker` "driver" or "passenger" for "my"."""
    side = zone.side
    if side in (Side.LEFT, Side.RIGHT):
        if drive_side not in ("LEFT", "RIGHT"):
            return None
        side = Side.DRIVER if side.value == drive_side.lower() else Side.PASSENGER
    if side is Side.SPEAKER:
        return f"{speaker}_side" if zone.row == 0 else f"row1.{speaker}"
    if side is Side.PASSENGER and speaker == "passenger" and zone.row == 1 and _ANOTHER.search(zone.words):
        return "row1.driver"
    if side is Side.BOTH or side is Side.UNSAID:
        return "all" if zone.row <= 0 else f"row{zone.row}"
    return f"{side.value}_side" if zone.row == 0 else f"row{max(zone.row, 1)}.{side.value}"


_NAMES_EN = {
    "row1.driver": "the driver's {}", "row1.passenger": "the front passenger's {}", "row2.driver": "the rear driver-side {}",
    "row2.passenger": "the rear passenger-side {}", "row1": "the front {}s", "row2": "the rear {}s", "driver_side": "the driver-side {}s",
    "passenger_side": "the passenger-side {}s", "all": "all {}s",
}  # fmt: skip
_NAMES_ZH = {
    "row1.driver": "主驾驶{}", "row1.passenger": "副驾驶{}", "row2.driver": "后排主驾侧{}", "row2.passenger": "后排副驾侧{}",
    "row1": "前排{}", "row2": "后排{}", "driver_side": "主驾一侧的{}", "passenger_side": "副驾一侧的{}", "all": "全部{}",
}  # fmt: skip


def zone_name(zone: str, thing: str, locale: str, drive_side: str | None = None) -> str:
    """ "the rear left window" where the drive side is known, else by role."""
    zh = locale.startswith("zh")
    places = SEATS[zone]
    if len(places) == 1 and places[0][0] == 2 and drive_side in ("LEFT", "RIGHT"):
        left = (places[0][1] == "driver") == (drive_side == "LEFT")
        return f"{'左' if left else '右'}后{thing}" if zh else f"the rear {'left' if left else 'right'} {thing}"
    return (_NAMES_ZH if zh else _NAMES_EN)[zone].format(thing)


def is_plural(zone: str) -> bool:
    return len(SEATS[zone]) > 1
