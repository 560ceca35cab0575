"""Numbers and places that the climate can't have: what must be asked before anything is set. Pure.

Does not know the policy. A target out of range is asked about where targets are read (slots/temperature.py).
"""

from __future__ import annotations

import re
from typing import Final

from ridealong.harness.doubt import Doubt
from ridealong.harness.framing import frame
from ridealong.harness.skill import Match
from ridealong.harness.slots.number import find_numbers, parse_number
from ridealong.harness.slots.text import language, plain
from ridealong.vehicle_skills import same_as
from ridealong.vehicle_skills.car import NO_SUCH_ROW_EN, NO_SUCH_ROW_ZH, without
from ridealong.vehicle_skills.climate.plan import CHANGE, FAN, SET, SWITCH

LARGEST_STEP: Final = 10
_STEP_EN = re.compile(r"(?: degrees?)? (?:warmer|hotter|cooler|colder|chillier|higher|lower|up|down|more|less)\b")
_BY_EN = re.compile(r"\b(?:by|another) $")
_STEP_ZH = re.compile(
    r"(?:升|降|加|减|高|低|热|冷|凉|暖)(?:高|低|上|下|个|了)*([\d零一二两三四五六七八九十百]+)度|([\d零一二两三四五六七八九十百]+)度(?:热|冷|高|低)"
)
_TO_ZH = re.compile(r"到|至|成|为|是")
_FAN_PERCENT_EN = re.compile(r" ?(?:percent|per cent)\b")
_FAN_PERCENT_ZH = re.compile(
    r"百分之([\d.零一二两三四五六七八九十百千]+)|([\d.]+)%|(?:风量|风速|风)(?:调|开|设)?(?:到|成|为|至)([\d零一二两三四五六七八九十百]+)(?![\d档挡级格度])"
)
FAN_RANGE: Final = (
    "I can set the fan from 0 to 100 percent. How many percent would you like?",
    "风量可以设百分之零到百分之一百。要百分之多少？",
)


_AIR_EN = re.compile(
    r"(?:let|get|need|want|could (?:do with|use)|have)(?: us| me)? (?:some|a bit of|a little|a breath of|more) (?:fresh )?(?:air|breeze)(?: in| in here| into the car)?|air (?:it|this place|the car|us) out"
)
_AIR_ZH = re.compile(
    r"(?:透(?:透|点|个|会儿|一)*口?气|通(?:通|点|会儿|一)*风|换(?:换|点|口|一)*(?:新鲜)?空?气|呼吸点?新鲜空气)(?:儿|吧|呗)?"
)
"""Nothing but the wish itself: more words may say how, to somebody who understands them."""


_EVERYTHING_EN: Final = re.compile(
    r"(?:turn|switch|put) (?:(?:on|off) (?:everything|all of it|it all|all of them|the lot)|(?:everything|all of it|it all|the lot|all of them) (?:on|off))"
)
_EVERYTHING_ZH: Final = re.compile(
    r"把?(?:所有|全部|一切|什么)(?:的)?(?:东西|设备|功能|开关|系统)?(?:都|全|全都|全部)?(?:给我)?(?:打开|开启|关掉|关闭|关上)(?:吧|了)?"
)
"""Everything is no one thing: a switch that only the words "on" and "off" have found is the wrong one."""


def _which_of_all(match: Match | None, form: str, zh: bool) -> Doubt:
    question = (
        "我能开关空调、内循环、前挡除雾和后挡除雾。要哪一个？"
        if zh
        else "I can switch the air conditioning, the recirculation and the two defrosters. Which one do you mean?"
    )
    on = re.search(r"\boff\b|关", form) is None
    return Doubt(question, without(match or Match(SWITCH, 0.9, {"on": on}, {"on": form}), "thing", question))


def doubt(words: str, locale: str, match: Match | None) -> Doubt | None:
    """`match` None: nothing else was made of the words."""
    if (like := same_as.doubt(words, locale, match)) is not None:
        return like
    zh, form = language(words, locale) == "zh", plain(words, locale)
    if (match is None or match.capability == SWITCH) and (_EVERYTHING_ZH if zh else _EVERYTHING_EN).fullmatch(
        frame(words, locale).core
    ):
        return _which_of_all(match, form, zh)
    if match is None:
        return _fresh_air(zh) if (_AIR_ZH if zh else _AIR_EN).fullmatch(frame(words, locale).core) else None
    if match.capability == FAN:
        return _fan(form, match, zh)
    if match.capability not in (SET, CHANGE):
        return None
    if (NO_SUCH_ROW_ZH if zh else NO_SUCH_ROW_EN).search(form):
        question = (
            "只有主驾和副驾能单独设温度。要调哪一边？"
            if zh
            else "Only the driver and the front passenger have a temperature of their own. Whose shall I set?"
        )
        return Doubt(question, without(match, "zone", question))
    if _steps_too_far(form, zh):
        question = (
            "一次最多能调高或调低十度。要调几度？"
            if zh
            else "I can make it up to 10 degrees warmer or cooler at a time. How many degrees?"
        )
        return Doubt(question, without(match, "target" if match.capability == SET else "delta", question))
    return None


def _fresh_air(zh: bool) -> Doubt:
    """It can come in two ways."""
    question = "要打开车窗，还是切到外循环？" if zh else "Shall I open a window, or let fresh air in through the vents?"
    return Doubt(question, Match(SWITCH, 0.9, missing=("thing", "on"), question=question))


def _steps_too_far(form: str, zh: bool) -> bool:
    if zh:
        said = [parse_number(m[1] or m[2], "zh") for m in _STEP_ZH.finditer(form) if not _TO_ZH.search(m.group())]
        return any(number is not None and number.value > LARGEST_STEP for number in said)
    for number in find_numbers(form, "en"):
        stepped = _STEP_EN.match(form[number.span[1] :]) or (_BY_EN.search(form[: number.span[0]]) and not number.ordinal)
        if stepped and number.value > LARGEST_STEP and not re.search(r"\b(?:to|at) $", form[: number.span[0]]):
            return True
    return False


def _fan(form: str, match: Match, zh: bool) -> Doubt | None:
    """A share that there is not, or a question of ours that names no range."""
    if zh:
        said = [n for m in _FAN_PERCENT_ZH.finditer(form) if (n := parse_number(next(g for g in m.groups() if g), "zh"))]
        below = re.search(r"负(?:百分之)?[\d零一二两三四五六七八九十]", form) is not None
    else:
        said = [
            n
            for n in find_numbers(form, "en")
            if not n.ordinal
            and (_FAN_PERCENT_EN.match(form[n.span[1] :]) or re.search(r"\b(?:fan|blower|to|at) $", form[: n.span[0]]))
        ]
        below = any(n.value < 0 for n in find_numbers(form, "en"))
    asks = "speed" in match.missing and (bool(said) or find_numbers(form, "zh" if zh else "en"))
    if not below and not asks and all(0 <= n.value <= 100 for n in said):
        return None
    question = FAN_RANGE[1 if zh else 0]
    return Doubt(question, without(match, "speed", question))
