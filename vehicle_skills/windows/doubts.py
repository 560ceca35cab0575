"""Words that name no window of this car, or not which: what must be asked before anything moves. Pure.

The car has four side windows. A place that is named and not known is never the driver's. "The back" alone may be the boot. Does not know the
policy, how a place that is known is found (slots/zones.py), or which numbers can be had (unused.py).
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from ridealong.harness.changes import Another, Arguments, Reads
from ridealong.harness.doubt import Doubt
from ridealong.harness.skill import Context, Match
from ridealong.harness.slots.percent import unread_percent
from ridealong.harness.slots.text import language, marked, plain
from ridealong.vehicle_skills import same_as, unused
from ridealong.vehicle_skills.car import NO_SUCH_ROW_EN, NO_SUCH_ROW_ZH, without
from ridealong.vehicle_skills.windows.plan import MOVE, SET

_NUMBERED_EN = re.compile(
    r"\b(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|\d+(?:st|nd|rd|th)) (?:\w+ )?windows?\b|\bwindows? (?:number )?(?:one|two|three|four|five|six|[1-9])\b(?! ?(?:percent|per cent|th|quarters?|thirds?))"
)
_NAMED_EN = re.compile(r"\b(?:the|my|our|that|this|a) (?P<of>\w+) windows?\b|\bwindows? (?:in|of|on|at) the (?P<at>\w+)")
_PLAIN_EN = re.compile(
    r"\w+ing|car|vehicle|electric|power|side|whole|only|one|damn|damned|bloody|darn|stupid|same|other|poor|single|blasted|way|open|closed"
)
_NUMBERED_ZH = re.compile(r"第[一二三四五六七八九十\d]+(?:个|扇|块|号)?(?:车?窗|玻璃)|[一二三四五六\d]号(?:车?窗|玻璃)")
_NAMED_ZH = re.compile(
    r"(?:打开|开启|开|关闭|关上|关掉|关|把|降下|升起|摇下|摇上|给)(?P<of>[\u4e00-\u9fff]{1,4}?)(?:的|那边的|那扇|那个|这扇)?(?:车?窗户?|玻璃)"
)
_PLAIN_ZH = re.compile(r"(?:[着这那个扇块车小大破一点下边我你的都全先给把它帮些再几也]|靠着|身边|侧面|旁边)*")
_BACK_EN = re.compile(
    r"(?:(?:please|can you|could you|will you|would you|hey|okay|and|now|just) )*(?P<verb>open|pop|unlatch|close|shut)(?: up)? (?:the )?(?:back|rear)(?: (?:up|down|open|please|for me|now|thanks|a bit|end|of the car))*"
)
_BACK_ZH = re.compile(
    r"(?:请|帮我|把|麻烦|给我)*(?:(?P<verb>打开|开|关上?|关闭)(?:一下)?(?:车?的?)?后(?:面|边|头)|(?:车?的?)?后(?:面|边|头)(?P<behind>打开|开|关上?|关闭))(?:一下|吧|了)*"
)


def doubt(words: str, locale: str, match: Match | None) -> Doubt | None:
    """`match` None: nothing else was made of the words."""
    zh = language(words, locale) == "zh"
    form = plain(words, locale)
    back = (_BACK_ZH if zh else _BACK_EN).fullmatch(form)
    if back is not None:
        return _boot_or_windows(back, zh)
    if (like := same_as.doubt(words, locale, match)) is not None:
        return like
    if match is None or match.capability not in (SET, MOVE):
        return None
    if not (_PLACED_ZH if zh else _PLACED_EN).search(form) and (some := _some(match, form, zh)) is not None:
        return some
    if (NO_SUCH_ROW_ZH if zh else NO_SUCH_ROW_EN).search(form) or (_NUMBERED_ZH if zh else _NUMBERED_EN).search(form):
        return _which(match, zh)
    if match.grounds.get("zone", "").startswith("default:") and _unknown(form, zh):
        return _which(match, zh)
    if (_EVERYTHING_ZH if zh else _EVERYTHING_EN).search(form):
        question = (
            "我不能把什么都打开或关上。要哪些车窗？"
            if zh
            else "I can't open or close everything at once. Which windows do you mean?"
        )
        return Doubt(question, without(match, "zone", question))
    if zh and _ALL_ALONE_ZH.fullmatch(form):
        question = "要哪些车窗？"
        return Doubt(question, without(match, "zone", question), holds=_not_of_windows)
    not_wholly = (_NOT_WHOLLY_ZH if zh else _NOT_WHOLLY_EN).search(marked(words, locale)) is not None
    if match.capability == SET and match.arguments.get("position") in (0, 100) and (not_wholly or unread_percent(words, locale)):
        question = "要开到多少？" if zh else "How far should it be open?"
        return Doubt(question, without(match, "position", question))
    question = unused.range_of(match, words, locale)
    return Doubt(question, without(match, match.missing[0], question)) if question else None


_EVERYTHING_EN: Final = re.compile(
    r"^(?:please |can you |could you )*(?:open|close|shut) (?:up )?(?:everything|it all|all of it)(?: up)?(?: please)?$"
)
_EVERYTHING_ZH: Final = re.compile(
    r"(?:所有|全部|一切)的?(?:东西|设备|功能|开关)|^(?:请|帮我)?(?:把)?(?:一切|什么)都(?:给我)?(?:打开|开|关)"
)
"""Windows are not all that opens or is switched on."""
_ALL_ALONE_ZH: Final = re.compile(
    r"(?:请|帮我|给我|麻烦|把)*(?:全部?|全都|都|统统|通通)(?:给我)?(?:打开|开|关(?:上|掉|闭|了)?)(?:吧|啊|了)*"
)


def _not_of_windows(context: Context) -> bool:
    """Of what else than windows was spoken before, if of anything."""
    return not any(recent.capability in (SET, MOVE) for recent in context.recent[:2])


def _boot_or_windows(back: re.Match[str], zh: bool) -> Doubt:
    verb = next(said for said in back.groups() if said)
    opens = verb in ("open", "pop", "unlatch") or "开" in verb
    known = Match(
        SET, 0.9, {"position": 100 if opens else 0, "zone": "row2"}, {"position": verb, "zone": "default:row2"}, ("zone",)
    )
    return Doubt("是后备箱，还是后排车窗？" if zh else "Do you mean the boot or the rear windows?", known)


def _unknown(form: str, zh: bool) -> bool:
    for found in (_NAMED_ZH if zh else _NAMED_EN).finditer(form):
        named = next((said for said in found.groups() if said), "")
        if named and (_PLAIN_ZH if zh else _PLAIN_EN).fullmatch(named) is None:
            return True
    return False


def _which(match: Match, zh: bool) -> Doubt:
    question = (
        "我能控制主驾、副驾和后排两侧的车窗。您要哪一扇？"
        if zh
        else "I can move the driver's window, the front passenger's and the two rear ones. Which one do you mean?"
    )
    return Doubt(question, without(match, "zone", question))


_SOME_EN: Final = re.compile(
    r"\b(?:just |only )?(?:one|two|three|some|any|half|a few|a couple|most) of (?:the|my|our|these|those) (?:\w+ )?windows\b|\b(?:half|most of) (?:the|my|our|these|those) windows\b|\bsome (?:of the )?windows\b"
)
_SOME_ZH: Final = re.compile(
    r"(?:其中|随便|任意|任何)的?(?:[一两二三]|几)[扇个块]|(?<!每)一[扇块](?:车?窗|玻璃)|一半(?:数量)?的(?:车?窗|玻璃)|半数(?:的)?(?:车?窗|玻璃)|(?<![前后左右四])(?:有|那)?几扇(?:车?窗|玻璃)"
)
"""So many windows, and not which."""
_PLACED_EN: Final = re.compile(r"\b(?:left|right|drivers?|passengers?|mine)\b")
_PLACED_ZH: Final = re.compile(r"[后前左右驾]")


def _some(match: Match, form: str, zh: bool) -> Doubt | None:
    """The place must be said; "half" is of the windows, and no position."""
    if (_SOME_ZH if zh else _SOME_EN).search(form) is None:
        return None
    if match.capability == SET and not match.missing and re.search(r"半|\bhalf\b|\bmost\b", form):
        closes = re.search(r"关|升|\b(?:close|shut|up|raise)\b", form) is not None
        match = replace(
            match, arguments={**match.arguments, "position": 0 if closes else 100}, grounds={**match.grounds, "position": form}
        )
    return _which(match, zh)


_NOT_WHOLLY_EN: Final = re.compile(r"\bnot (?:quite |too )?(?:all the way|fully|completely|entirely|right (?:up|down))\b")
_NOT_WHOLLY_ZH: Final = re.compile(r"(?:别|不要|不用|不)(?:全(?:开|打开|关|部打开)|完全(?:打开|关)|[开关]到底)")


def at_the_back(arguments: Arguments, words: str, read: Reads) -> Another | None:
    """ "The boot", or "the windows", where only the back was said."""
    position = arguments.get("position")
    if arguments.get("zone") != "row2" or position not in (0, 100):
        return None
    if re.search(r"\b(?:boot|trunk|tailgate|hatch)\b|后备|尾门|行李[箱厢]", words):
        return ("trunk.open" if position else "trunk.close"), {"confirmed": False}
    return (SET, dict(arguments)) if re.search(r"\bwindows?\b|窗|玻璃", words) else None
