"""What the car warns of: "why is that light on?", "is anything wrong with the car?", "is a service due?". Read-only.

A table of conditions on the car's own signals, worst first; an answer names those that hold, three at most. Of a lamp that somebody names it is said whether the car reports that
one. What no signal tells (a lamp's colour or shape, a chime) is not guessed at. Does not know how readings arrive.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

from ridealong.harness.framing import frame
from ridealong.harness.meant import FRAGMENT, Meant
from ridealong.harness.reading import Reading
from ridealong.harness.skill import Call, Context, Match, Skill, Spoken
from ridealong.harness.slots import render
from ridealong.harness.telling import refused
from ridealong.vehicle_skills import cabin_signals as cabin
from ridealong.vehicle_skills.car import Read, flag, number, text
from ridealong.vehicle_skills.holding import Noted
from ridealong.vehicle_skills.signals import DISTANCE_UNIT, ROWS, SIDES, TRUNK_OPEN, door_open, occupancy

GROUP: Final = "status"
NAME: Final = "status.warnings"
MOST: Final = 3
_WHEELS: Final = ("Left", "Right")
_CORNERS: Final = {
    ("Row1", "Left"): ("front left", "左前"),
    ("Row1", "Right"): ("front right", "右前"),
    ("Row2", "Left"): ("rear left", "左后"),
    ("Row2", "Right"): ("rear right", "右后"),
}


@dataclass(frozen=True, slots=True)
class Warned:
    """`about`: words that name it ("|" between), English and Chinese. `found`: what is wrong, in both languages, or None. `known`: a signal of it has a value."""

    name: tuple[str, str]
    about: tuple[str, str]
    reads: tuple[str, ...]
    found: Callable[[Read], tuple[str, str] | None]


def _flagged(path: str, english: str, chinese: str) -> Callable[[Read], tuple[str, str] | None]:
    return lambda read: (english, chinese) if flag(read, path) is True else None


def _tyres(read: Read) -> tuple[str, str] | None:
    low = [_CORNERS[axle, wheel] for axle in ROWS for wheel in _WHEELS if flag(read, cabin.tyre_low(axle, wheel)) is True]
    if not low:
        return None
    english = " and ".join(one for one, _ in low)
    return (
        f"The {english} tyre{'s are' if len(low) > 1 else ' is'} low on pressure.",
        f"{'、'.join(one for _, one in low)}轮胎压过低。",
    )


def _brake_fluid(read: Read) -> tuple[str, str] | None:
    low = any(flag(read, cabin.brake_fluid_low(axle, wheel)) is True for axle in ROWS for wheel in _WHEELS)
    return (
        ("The brake fluid is low: stop when it's safe and have it checked.", "制动液不足，请在安全的地方停车检查。")
        if low
        else None
    )


def _oil(read: Read) -> tuple[str, str] | None:
    level = text(read, cabin.OIL_LEVEL)
    if level == "CRITICALLY_LOW":
        return "The engine oil is critically low: stop when it's safe.", "机油严重不足，请在安全的地方停车。"
    return {
        "LOW": ("The engine oil is low.", "机油偏少。"),
        "HIGH": ("There is too much engine oil.", "机油偏多。"),
        "CRITICALLY_HIGH": ("There is far too much engine oil.", "机油过多。"),
    }.get(level or "")


def _belts(read: Read) -> tuple[str, str] | None:
    loose = any(
        text(read, occupancy(row, side)) == "OCCUPIED" and flag(read, cabin.belted(row, side)) is False
        for row in ROWS
        for side in SIDES
    )
    return ("Somebody isn't wearing a seat belt.", "有人没系安全带。") if loose else None


def _openings(read: Read) -> tuple[str, str] | None:
    open_ones = [name for path, name in _OPENINGS if flag(read, path) is True]
    if not open_ones:
        return None
    english = " and ".join(one for one, _ in open_ones)
    return (
        f"{english[0].upper()}{english[1:]} {'are' if len(open_ones) > 1 else 'is'} open.",
        f"{'、'.join(one for _, one in open_ones)}开着。",
    )


_OPENINGS: Final = (
    *((door_open(row, side), ("a door", "车门")) for row in ROWS for side in SIDES),
    (cabin.BONNET_OPEN, ("the bonnet", "引擎盖")),
    (TRUNK_OPEN, ("the boot", "后备箱")),
)


def _service(read: Read) -> tuple[str, str] | None:
    return ("A service is due.", "该保养了。") if flag(read, cabin.SERVICE_DUE) is True else None


def _faults(read: Read) -> tuple[str, str] | None:
    count = number(read, cabin.FAULT_CODES)
    if not count:
        return None
    return (
        f"The car has stored {count:g} fault code{'s' if count != 1 else ''}: a garage can read what they say.",
        f"车辆存有{count:g}个故障码，维修店可以读出内容。",
    )


WARNINGS: Final = (
    Warned(("brake fluid", "制动液"), (r"brakes?|braking", r"刹车|制动"), tuple(cabin.brake_fluid_low(a, w) for a in ROWS for w in _WHEELS), _brake_fluid),
    Warned(("oil", "机油"), (r"oil", r"机油|油壶|茶壶"), (cabin.OIL_LEVEL,), _oil),
    Warned(("tyre pressure", "胎压"), (r"tyres?|tires?|horseshoe", r"胎|气压"), tuple(cabin.tyre_low(a, w) for a in ROWS for w in _WHEELS), _tyres),
    Warned(("seat belts", "安全带"), (r"(?:seat ?)?belts?", r"安全带|系带子"), tuple(p(r, s) for p in (cabin.belted, occupancy) for r in ROWS for s in SIDES), _belts),
    Warned(("headlight", "大灯"), (r"headlights?|bulbs?|beam", r"大灯|灯泡|近光"), (cabin.LOW_BEAM_DEFECT,), _flagged(cabin.LOW_BEAM_DEFECT, "A headlight is broken.", "大灯坏了。")),
    Warned(("brake light", "刹车灯"), (r"brake lights?", r"刹车灯"), (cabin.BRAKE_LIGHT_DEFECT,), _flagged(cabin.BRAKE_LIGHT_DEFECT, "A brake light is broken.", "刹车灯坏了。")),
    Warned(("doors", "车门"), (r"doors?|bonnet|hood|boot|trunk", r"门|引擎盖|后备箱"), tuple(path for path, _ in _OPENINGS), _openings),
    Warned(("fuel", "燃油"), (r"fuel|petrol|diesel|tank", r"燃油|汽油|油箱|油量"), (cabin.FUEL_LOW,), _flagged(cabin.FUEL_LOW, "The fuel is low.", "燃油不足。")),
    Warned(("washer fluid", "玻璃水"), (r"washer|wiper fluid|screen ?wash", r"玻璃水|洗涤"), (cabin.WASHER_LOW,), _flagged(cabin.WASHER_LOW, "The washer fluid is low.", "玻璃水不足。")),
    Warned(("service", "保养"), (r"servic\w+|garage|maintenance|inspection|mot", r"保养|维修|修|服务|年检"), (cabin.SERVICE_DUE, cabin.SERVICE_DISTANCE), _service),
    Warned(("engine", "发动机"), (r"engine|motor|fault codes?|codes?", r"发动机|引擎|故障码|check engine"), (cabin.FAULT_CODES,), _faults),
)  # fmt: skip
"""Worst first."""

_UNTOLD: Final = (r"abs|airbags?|battery|coolant|temperature|steering|esp|esc|traction|triangle|exclamation|snowflake|turtle|chime|beep\w*", r"ABS|气囊|电瓶|蓄电池|水温|冷却|转向|稳定|三角|感叹号|雪花|乌龟|滴滴|叮咚|响")  # fmt: skip
"""Lamps and sounds of which none of our signals tells."""


def answer(read: Read, locale: str, words: str) -> str:
    """`words`: what was asked, for the lamp that it may name."""
    zh = locale.startswith("zh")
    named = [one for one in WARNINGS if _names(one.about, words, zh)]
    if not any(_known(read, one.reads) for one in WARNINGS):
        return "我没有车辆警告的读数。" if zh else "I have no reading of what the car warns of."
    found = [said for one in named or WARNINGS if (said := one.found(read)) is not None]
    if found:
        more = len(found) - MOST
        rest = [] if more <= 0 else [f"还有{more}条警告。" if zh else f"There {'is' if more == 1 else 'are'} {more} more."]
        told = [chinese if zh else english for english, chinese in found[:MOST]]
        return ("" if zh else " ").join([*told, *rest])
    if not named and _names(_UNTOLD, words, zh):
        return (
            "这盏灯的情况车辆没有告诉我，请查阅手册。"
            if zh
            else "The car doesn't tell me about that one. Please look it up in the handbook."
        )
    if len(named) == 1:
        return _fine(read, named[0], zh)
    return "车辆没有报告任何警告。" if zh else "The car reports no warnings."


def _fine(read: Read, one: Warned, zh: bool) -> str:
    english, chinese = one.name
    if not _known(read, one.reads):
        return f"我没有{chinese}的读数。" if zh else f"I have no reading of the {english}."
    left = number(read, cabin.SERVICE_DISTANCE) if cabin.SERVICE_DISTANCE in one.reads else None
    if left is not None and left > 0:
        said = render.distance(left, "zh" if zh else "en", text(read, DISTANCE_UNIT) or "KILOMETERS")
        return f"离下次保养还有{said}。" if zh else f"No service is due: the next is in {said}."
    return f"车辆没有报告{chinese}的警告。" if zh else f"The car reports no warning about the {english}."


def _known(read: Read, paths: Iterable[str]) -> bool:
    return any((reading := read(path)) is not None and reading.value is not None for path in paths)


def _names(about: tuple[str, str], words: str, zh: bool) -> bool:
    return re.search(about[1] if zh else rf"\b(?:{about[0]})\b", words, re.IGNORECASE) is not None


# --- words -------------------------------------------------------------------------------------------------------------------

_WARNS_EN: Final = r"warnings?|alerts?|fault(?: codes?| messages?)?|faults|error messages?|malfunctions?|problems?|wrong|trouble|service|servicing|diagnos\w+|health report|dash(?:board)? (?:light|lamp|symbol)s?"
_LAMP_EN: Final = r"(?:(?:warning|engine|oil|brake|tyre|tire|battery|abs|orange|yellow|amber|red|check) )+(?:lights?|lamps?|symbols?|icons?)|(?:that|this|the|a) (?:light|lamp|symbol|icon)|beeping|chime"
_WARNS_ZH: Final = r"警告|报警|警报|故障|毛病|问题|异常|不对劲|保养|车况|warning"
_LAMP_ZH: Final = r"(?:黄|红|橙|故障|发动机|机油|胎压|刹车|电瓶|ABS|感叹号|警告|水温|气囊|安全带)(?:色的?)?(?:那个)?灯|(?:这|那)个?(?:小)?(?:灯|图标|符号|标志)|滴滴响"
_ABOUT_CAR_EN: Final = r"car|vehicle|it|service|warnings?|alerts?|faults?|engine|dash\w*|light|lamp|symbol|icon|tyres?|tires?|brakes?|oil|beeping|chime|error messages?|health report"
_OTHER_EN: Final = r"traffic|weather|storm|street|phone|house|kitchen|school|homework|child|kid|flight|train|tell me when|let me know (?:when|if)|shout|radio|restaurant|room service|table|hotel|mobile|internet|church|military"
_OTHER_ZH: Final = r"你(?!帮|看|给|能)|您(?!帮|看|给|能)|他|她|天气|红绿|台风|路灯|手机|作业|孩子|学校|家里|酒店|客服|告诉我(?:一声)?的时候|的时候|就告诉|就提醒|一.{0,6}就"
_ASK_EN: Final = r"why|what|which|how|is|are|do|does|have|has|any|anything|something|there|tell|me|show|list|check|explain|run|through|for|on|mean|come|came|showing|light|lamp|the|this|that|with|car|about|okay|ok|due|need|next|when|now|just|all|active|got|we|my|up|wrong|right|should|know|dashboard|dash"
_ASK_ZH: Final = r"为什么|为啥|什么|意思|怎么|回事|有没有|有|没有|吗|呢|么|亮|了|着|是|这|那|个|灯|车|仪表盘?|上|检查|看看|一下|帮我|告诉|现在|该|还|多久|什么时候|下次|多少|公里|的|严重|提示|信息|啥|盏"


def recognise(words: str, locale: str, context: Context) -> Match | None:
    reading, framing = Reading(words, locale), frame(words, locale)
    zh = reading.zh
    asked = (
        framing.question
        or re.search(
            r"检查|看看|为什么|怎么" if zh else r"^(?:check|tell me|show|list|explain|run me through|any)\b", framing.core
        )
        is not None
    )
    if not asked or re.search(_OTHER_ZH if zh else rf"\b(?:{_OTHER_EN})\b", framing.text):
        return None
    lamp, warns = reading.take(_LAMP_ZH if zh else _LAMP_EN), reading.take(_WARNS_ZH if zh else _WARNS_EN)
    if lamp is None and warns is None:
        return None
    if not zh and lamp is None and not reading.has(_ABOUT_CAR_EN):
        return None
    why = r"为什么|为啥|意思|怎么回事|是什么|什么灯|亮|严重" if zh else r"why|mean|what|for|explain|come|came|safe|telling"
    if lamp is not None and warns is None and not reading.has(why):
        return None
    for one in WARNINGS:
        reading.take(one.about[1] if zh else one.about[0])
    reading.take(_UNTOLD[1] if zh else _UNTOLD[0])
    reading.take(_ASK_ZH if zh else _ASK_EN)
    return Match(NAME, reading.score(0.93))


def understand(meant: Meant) -> tuple[Match, ...]:
    return () if meant.variant == FRAGMENT else (meant.match(NAME, {}, {}),)


async def _run(call: Call) -> Spoken:
    verdict = call.signals.check(GROUP, call.confirmation)
    if not verdict.allowed:
        return refused(verdict.reason, "read that", "读取这个信息", call.locale)
    read = Noted(call.signals.read)
    return Spoken(answer(read, call.locale, call.words or call.request), holds=read.holds())


SKILL: Final = Skill(
    name=NAME, description="Say what the car warns of, and why a warning light is on.", run=_run, recognise=recognise, group=GROUP,
    arguments_schema={"type": "object", "properties": {}, "required": [], "additionalProperties": False},
    examples={
        "en": ("Why is that warning light on?", "Is anything wrong with the car?", "Is a service due?"),
        "zh": ("那个故障灯为什么亮了？", "车有没有问题？", "该保养了吗？"),
    },
    reads=tuple(path for one in WARNINGS for path in one.reads), timeout_ms=5_000, rehearsable=True, understand=understand, renewable=True,
)  # fmt: skip
