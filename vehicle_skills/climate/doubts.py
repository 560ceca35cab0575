"""Places that the climate can't have, and wishes that name no one thing: what must be asked before anything is set. Pure.

Does not know the policy, or which numbers can be had (unused.py).
"""

from __future__ import annotations

import re
from typing import Final

from ridealong.harness.doubt import Doubt
from ridealong.harness.framing import frame
from ridealong.harness.skill import Match
from ridealong.harness.slots.text import language, plain
from ridealong.vehicle_skills import same_as, unused
from ridealong.vehicle_skills.car import NO_SUCH_ROW_EN, NO_SUCH_ROW_ZH, without
from ridealong.vehicle_skills.climate.plan import CHANGE, FAN, SET, SWITCH

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


_FAN: Final = re.compile(r"\b(?:fan|blower|air ?flow|ventilation)\b|风扇|风量|鼓风|出风")
_APART: Final = tuple(
    re.compile(one)
    for one in (
        r"\b(?:front|drivers?|left|my side)\b|前|主驾|左",
        r"\b(?:back|rear|passengers?|right|her side|his side)\b|后|副驾|右",
        r"\b(?:up|on|higher|faster|more|max\w*|full|high)\b|[大高快强]|打?开",
        r"\b(?:down|off|lower|slower|less|min\w*|low)\b|[小低慢弱]|关",
    )
)
"""One place and the other, more and less."""


def _one_fan(match: Match, form: str, zh: bool) -> Doubt | None:
    """More of it in one place and less in the other: there is one fan."""
    if match.capability != FAN or _FAN.search(form) is None or not all(one.search(form) for one in _APART):
        return None
    question = (
        "全车只有一个风量。要百分之多少？" if zh else "There is one fan for the whole car. How many percent would you like?"
    )
    return Doubt(question, Match(FAN, match.score, missing=("speed",), question=question))


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
    if (one := _one_fan(match, form, zh)) is not None:
        return one
    if match.capability in (SET, CHANGE) and (NO_SUCH_ROW_ZH if zh else NO_SUCH_ROW_EN).search(form):
        question = (
            "只有主驾和副驾能单独设温度。要调哪一边？"
            if zh
            else "Only the driver and the front passenger have a temperature of their own. Whose shall I set?"
        )
        return Doubt(question, without(match, "zone", question))
    question = unused.range_of(match, words, locale)
    return Doubt(question, without(match, match.missing[0], question)) if question else None


def _fresh_air(zh: bool) -> Doubt:
    """It can come in two ways."""
    question = "要打开车窗，还是切到外循环？" if zh else "Shall I open a window, or let fresh air in through the vents?"
    return Doubt(question, Match(SWITCH, 0.9, missing=("thing", "on"), question=question))
