"""Where a front seat is: words -> a direction and how far. Pure.

Millimetres along and up, degrees of the backrest. Does not know the car's state (plan.py) or the policy.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from ridealong.harness.meant import FRAGMENT, Meant
from ridealong.harness.reading import Reading
from ridealong.harness.skill import Context, Match
from ridealong.harness.slots.length import find_length
from ridealong.harness.slots.number import find_numbers
from ridealong.harness.slots.text import language
from ridealong.vehicle_skills.cabin_signals import seat_height
from ridealong.vehicle_skills.car import speaker
from ridealong.vehicle_skills.claim import Span, agreed, in_places, only, placed, take_places, tells
from ridealong.vehicle_skills.seats import heating_words
from ridealong.vehicle_skills.signals import seat

MOVE: Final = "seats.move"
ZONES: Final = ("row1.driver", "row1.passenger")
DIRECTIONS: Final = ("forward", "backward", "up", "down", "recline", "upright")
STEP_MM, STEP_DEGREES = 30, 5
MOST: Final = 400
"""An amount that ends at the end, whichever way."""


@dataclass(frozen=True, slots=True)
class Way:
    """`leaf`: of the seat; `sign`: of a step."""

    leaf: str
    sign: int
    unit: str
    english: str
    chinese: str
    end_en: str
    end_zh: str

    def path(self, role: str) -> str:
        side = f"{role.capitalize()}Side"
        return seat_height(side) if self.leaf == "Height" else seat(side, self.leaf)

    @property
    def step(self) -> int:
        return STEP_DEGREES if self.unit == "degrees" else STEP_MM


WAYS: Final[dict[str, Way]] = {
    "forward": Way("Position", -1, "mm", "forward", "往前移", "all the way forward", "最前面"),
    "backward": Way("Position", 1, "mm", "back", "往后移", "all the way back", "最后面"),
    "up": Way("Height", 1, "mm", "up", "升高", "all the way up", "最高处"),
    "down": Way("Height", -1, "mm", "down", "降低", "all the way down", "最低处"),
    "recline": Way("Backrest.Recline", 1, "degrees", "back", "往后仰", "all the way back", "最平"),
    "upright": Way("Backrest.Recline", -1, "degrees", "upright", "往前立", "all the way upright", "最直"),
}
"""A seat's position is counted from the front, its recline backwards from upright (VSS)."""
OPPOSITE: Final = {
    "forward": "backward",
    "backward": "forward",
    "up": "down",
    "down": "up",
    "recline": "upright",
    "upright": "recline",
}

# --- words ---------------------------------------------------------------------------------------------------------------

_SEAT_EN: Final = r"seats?|chairs?|seat ?backs?|back ?rests?|seat height"
_SEAT_ZH: Final = r"座椅|椅子|座位|驾驶座|椅背|靠背|张凳|座(?=往|向)"
_OTHER_EN: Final = r"heat\w*|warm\w*|cool\w*|ventilat\w*|belts?|massage|book|ticket|cinema|toilet|arm ?chair|child seat|wheel ?chair|bum|temperature|cover|lights?|level|wash|clean|memory|climb|rear seats|back seats|fold"
_OTHER_ZH: Final = r"加热|通风|温度|暖|热|暖|安全带|按摩|儿童座椅|电影|凳子|轮椅|干净|后排座椅|折叠|记忆|凉|票|窗|空调|门|灯"
_WAYS_EN: Final = (
    ("upright", r"upright|straight(?:en)?(?: up)?|straighter|(?:back ?rest|seat ?back) (?:\w+ )?(?:up|forward|forwards)|sit (?:me )?up|more vertical|undo the recline|tilt .*(?:back ?rest|seat ?back) forwards?|vertical"),
    ("recline", r"recline|reclined|lean(?:ed)?(?: (?:the|my|his|her)(?: \w+){1,3})? back|lay .* (?:back|flat)|lie (?:back|down)|(?:back ?rest|seat ?back) (?:\w+ )?(?:further )?(?:back|backwards?|down)|(?:tilt|tip|lower|put|let) .*(?:back ?rest|seat ?back)(?: \w+)?|tilt .* back(?:wards?)?"),
    ("forward", r"forwards?|closer to the (?:wheel|pedals|dash\w*)|nearer|ahead|frontwards?|to the front|in a bit|closer"),
    ("backward", r"back(?:wards?)?|rearwards?|further away|away from the (?:wheel|pedals|dash\w*)|to the rear|more leg ?room"),
    ("up", r"up|higher|raise|lift|taller|upwards?|jack"),
    ("down", r"down|lower|drop|sink|downwards?"),
)  # fmt: skip
_WAYS_ZH: Final = (
    (
        "upright",
        r"立(?:起来|直|起)|竖(?:直|起来|起)|调直|扶正|(?:坐|打|直)直|直起来|靠背.*(?:往前|向前|前)(?:收|调|移|一?点)?|(?:靠背|椅背)(?:升起|再竖|竖)",
    ),
    ("recline", r"(?:靠背|椅背).*(?:往后|向后|后|斜|大|低)|放倒|放平|躺(?:平|下|一会)?|后仰|往后仰|往后倒|仰"),
    ("forward", r"往前|向前|前移|靠前|前挪|前推|朝前"),
    ("backward", r"往后|向后|后移|靠后|后退|退后|后挪|朝后"),
    ("up", r"升高|抬高|调高|往上|向上|升起来|升一?[升点]|抬一?[抬点]|高一?[点些]|再高|升"),
    ("down", r"降低|调低|放低|往下|向下|降下去|降一?[降点]|低一?[点些]|矮一?[点些]|再低|降"),
)
_ENDS: Final = re.compile(
    r"\b(?:all the way|fully|completely|as far as (?:possible|it goes)|right (?:back|forward|up|down)(?! by\b| (?:a|an|\d+|\w+) (?:bit|little|inch|cent|milli))|flat|to the (?:end|stop))\b|到底|到头|最[前后高低]|放平|躺平"
)
_TAKEN_EN: Final = (
    r"seats?|chairs?|move|shove|nudge|budge|slide|push|pull|shift|scoot|bring|take|roll|forwards?|back\w*|rearwards?|up|down|higher|lower|raise|lift|drop|recline\w*|lean|tilt|tip|lay|straighten|upright|passenger|passengers|driver|drivers|"
    r"front|millimet\w+|centimet\w+|cm|mm|inch(?:es)?|degrees?|few|couple|touch|tad|way|further|closer|wheel|adjust|position|height|rest|let|sit|need|want|much|notch|fully|completely"
)
_TAKEN_ZH: Final = r"座椅|椅子|座位|驾驶座|椅背|靠背|往|向|朝|前|后|上|下|升|降|抬|高|低|移|动|挪|推|拉|退|调|放|倒|平|躺|立|起来|直|竖|仰|斜|毫米|厘米|公分|寸|度|主驾驶?|副驾驶?|驾驶|麻烦|一|些|靠|收|整|到底|位置"
_STARTS_EN: Final = re.compile(
    r"(?:move|slide|push|pull|shift|shove|nudge|budge|scoot|scooch|bring|take|roll|put|raise|lift|lower|drop|recline|lean|tilt|tip|lay|straighten|sit|set|adjust|jack|pump|make|let|get|sink|give|need|want|return|turn|undo|prop|slide)\b"
)


def recognise(text: str, locale: str, context: Context) -> Match | None:
    if (yes := agreed(MOVE, text, locale, context, ("direction", "zone"))) is not None:
        return yes
    reading = Reading(text, locale)
    if tells(reading) or reading.has(_OTHER_ZH if reading.zh else _OTHER_EN):
        return None
    if reading.take(_SEAT_ZH if reading.zh else _SEAT_EN) is None:
        return None
    way = _way(reading.core, reading.zh)
    if way is None or heating_words.on_a_level(reading.core, reading.zh) or not (reading.zh or _commands(reading.core)):
        return None
    reading.take(_TAKEN_ZH if reading.zh else _TAKEN_EN)
    if (length := find_length(reading.core, reading.locale)) is not None:
        reading.slot(Span(length.span))
    for figure in find_numbers(reading.core, reading.locale):
        reading.slot(Span(figure.span))
    take_places(reading)
    return only(_calls(way, reading.core, reading.locale, context, reading.score(0.93)))


def _commands(core: str) -> bool:
    fragment = rf"(?:the |my |his |her )?(?:drivers? |passengers? |front passengers? )?(?:{_SEAT_EN})(?: (?:height|position|please|a|an|bit|little|inch|touch|all|the|way|further|forwards?|back\w*|up|down|higher|lower|upright|straight|rearwards?|by|\d+|\w+ (?:millimet\w+|centimet\w+|inches|degrees)))+|(?:higher|lower) seat(?: position)?"
    return _STARTS_EN.match(core) is not None or re.fullmatch(fragment, core) is not None


def _way(form: str, zh: bool) -> tuple[str, str] | None:
    for way, pattern in _WAYS_ZH if zh else _WAYS_EN:
        found = re.search(pattern if zh else rf"\b(?:{pattern})\b", form)
        if found is not None and not (not zh and _is_a_place(way, form, found)):
            return way, found.group()
    return None


def _is_a_place(way: str, form: str, found: re.Match[str]) -> bool:
    """ "Bring my seat up to the front": "up" beside a direction; "back up"."""
    return (
        way == "backward"
        and re.search(r"\bback (?:up|down|upright|forwards?)\b", form) is not None
        and "leg" not in found.group()
    )


def _calls(way: tuple[str, str], form: str, locale: str, context: Context, score: float) -> tuple[Match, ...]:
    direction, words = way
    arguments: dict[str, object] = {"direction": direction}
    grounds = {"direction": words}
    if (amount := how_far(direction, form, locale)) is not None:
        arguments["amount"], grounds["amount"] = amount
    where = placed(form, locale, context, f"row1.{speaker(context)}", row1_only=True)
    if where is not None:  # "back" is the way here, and no place
        where = tuple(
            ("row1.passenger", ground) if zone == "row1" and ground in ("front",) else (zone, ground) for zone, ground in where
        )
        where = tuple(one for one in where if one[0] in ZONES) or (
            (f"row1.{speaker(context)}", f"default:row1.{speaker(context)}"),
        )
    return in_places(Match(MOVE, score, arguments, grounds), where, locale)


def how_far(direction: str, form: str, locale: str) -> tuple[float, str] | None:
    """(millimetres or degrees, the words); None where none is said, or not in a unit of this direction."""
    if WAYS[direction].unit == "mm":
        length = find_length(form, locale)
        if length is not None and 0 < length.mm <= MOST:
            return max(1.0, round(length.mm, 1)), length.words
    else:
        for figure in find_numbers(form, locale):
            if re.match(r" ?(?:degrees?|度)", form[figure.span[1] :]) and 0 < figure.value <= MOST:
                return max(1.0, round(figure.value, 1)), figure.words
    end = _ENDS.search(form)
    return (float(MOST), end.group()) if end is not None else None


def whole(calls: Sequence[Match], text: str, locale: str, context: Context) -> Sequence[Match]:
    """The length that one movement's sentence names beside it: "forward a hand, say ten centimetres"."""
    length = find_length(text, locale)
    if len(calls) != 1 or length is None or calls[0].missing or not 1 <= length.mm <= MOST:
        return calls
    call = calls[0]
    if "amount" in call.arguments or WAYS[str(call.arguments["direction"])].unit != "mm":
        return calls
    amount = {**call.arguments, "amount": round(length.mm, 1)}
    return [replace(call, arguments=amount, grounds={**call.grounds, "amount": length.words})]


def understand(meant: Meant) -> tuple[Match, ...]:
    locale = language(meant.text, meant.locale)
    if meant.variant == FRAGMENT:
        said = _way(meant.form, meant.zh)
        return _calls(said, meant.form, locale, meant.context, meant.share) if said is not None else ()
    if heating_words.on_a_level(meant.form, meant.zh):  # "both seats on high"
        return heating_words.understand(replace(meant, variant="heat"))
    if meant.variant not in WAYS:
        return ()
    return _calls((meant.variant, meant.form), meant.form, locale, meant.context, meant.share)
