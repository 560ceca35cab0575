"""What recognisers of the cabin's skills share: the places that words name, and a yes to our own question. Pure.

Does not know any skill's words.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Final

from ridealong.harness.interjections import answer
from ridealong.harness.reading import Reading
from ridealong.harness.skill import Context, Match
from ridealong.harness.slots.zones import find_zones, place_spans
from ridealong.vehicle_skills.car import asks, drive_side, speaker, which_side

Placed = tuple[tuple[str, str], ...]
"""(zone, ground) of each."""
AGREED: Final = 0.97


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of the plain form that a recogniser has understood."""

    span: tuple[int, int]


def agreed(capability: str, text: str, locale: str, context: Context, required: tuple[str, ...]) -> Match | None:
    """A yes to our own question about this capability, which lacked nothing."""
    if not asks(context, capability) or answer(text, locale) is not True:
        return None
    arguments = context.recent[0].arguments
    if any(name not in arguments for name in required):
        return None
    return Match(capability, AGREED, dict(arguments), dict.fromkeys(arguments, "context:answer"))


def placed(
    text: str, locale: str, context: Context, default: str, *, row1_only: bool = False, whole_side: bool = False
) -> Placed | None:
    """The zones that the words name, else the default; None where left or right was said and the drive side is unknown. Empty where they name only
    places that there are not: the rear, of what the rear has none of."""
    zones = find_zones(text, locale, drive_side(context.read), speaker(context), row1_only, whole_side)
    if zones is not None:
        return tuple((name, zones.words) for name in zones.names) if zones.certain else None
    anywhere = find_zones(text, locale, drive_side(context.read), speaker(context)) if row1_only else None
    return () if anywhere is not None and anywhere.names else ((default, f"default:{default}"),)


_TELLS_EN: Final = re.compile(
    r"\b(?:(?:i|we|he|she|they|it|that|who|somebody|someone) (?:have |has |had |already |just |never |always |only )*(?:locked|unlocked|opened|closed|turned|switched|put|went|did|was|were|moved|heated|left|liked?|loved?|hated?)|"
    r"remind|remember|went|were|used to|already|they say|apparently)\b"
)
_TELLS_ZH: Final = re.compile(
    r"已经|刚才|刚刚|我刚|本来|听说|听讲|据说|有一次|老喜欢|总喜欢|今早|今天早上|上次|当时|以前|记得|提醒|保持|让[它他她]|(?:开|关|亮)着吧|唔好|唔使|咗未|未$|灯(?:就|都)?是.{1,4}的|自己(?:锁|开|关|动)|忘了?(?:锁|关|开)|会被|名字|小品|管.{1,4}叫|有些车|上个|上礼拜|上星期|上周|昨天|以后|原来|久了|^你(?:去|自己)"
)
"""It is told how something is or was, or asked in words that are no question elsewhere; or it is to stay so."""


def tells(reading: Reading) -> bool:
    """The words tell, and ask for nothing."""
    return (_TELLS_ZH if reading.zh else _TELLS_EN).search(reading.frame.text) is not None


def take_places(reading: Reading) -> None:
    """The words that name places are understood."""
    for span in place_spans(reading.core, reading.locale):
        reading.slot(Span(span))


def in_places(match: Match, where: Placed | None, locale: str, nowhere: str = "") -> tuple[Match, ...]:
    """The call in each of the places; else the question for it (`nowhere`: where there are none)."""
    if not where:
        question = which_side(locale) if where is None else nowhere
        return (replace(match, missing=(*match.missing, "zone"), question=question),)
    return tuple(
        replace(match, arguments={**match.arguments, "zone": zone}, grounds={**match.grounds, "zone": ground})
        for zone, ground in where
    )


def only(found: tuple[Match, ...]) -> Match | None:
    """Of a recogniser, which makes one call of one request: several places are the tagger's, or several requests."""
    return found[0] if len(found) == 1 else None
