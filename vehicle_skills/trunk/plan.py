"""The boot: words -> open or close, and the yes that belongs to our own question. Pure.

`confirmed` is never said in the request itself: it is bound to the question that we asked about this very action, for 15 s.
Does not know the policy.
"""

from __future__ import annotations

import re
from typing import Final

from ridealong.harness.changes import Another, Arguments, Changes, Reads, to_open
from ridealong.harness.interjections import agrees
from ridealong.harness.meant import FRAGMENT, Meant
from ridealong.harness.reading import Reading
from ridealong.harness.skill import ANSWER_WITHIN_MS, Context, Match, Outcome
from ridealong.harness.slots.text import plain
from ridealong.proto.types import Precondition, SignalWrite
from ridealong.vehicle_skills.car import flag
from ridealong.vehicle_skills.signals import SPEED, TRUNK_OPEN

OPEN, CLOSE = "trunk.open", "trunk.close"
STANDING = (Precondition(SPEED, equals=0.0),)
"""What a yes to the boot was given for, judged in the car as it acts: beside its policy, whatever a car's policy may come to allow."""

_THING_EN = r"boot|trunk|tailgate|tail gate|liftgate|hatch|hatchback|boot lid|trunk lid|luggage compartment"
_THING_ZH = r"后备[箱厢]|尾门|行李[箱厢]|后尾箱|后车厢|后备"


def recognise(text: str, locale: str, context: Context, opening: bool) -> Match | None:
    capability = OPEN if opening else CLOSE
    if awaits_confirmation(context, capability) and agrees(text, locale, capability):
        return Match(capability, 0.97, {"confirmed": True}, {"confirmed": "context:answer"})
    reading = Reading(text, locale)
    if reading.has(
        r"靴|boot up|boot camp|boots on" if reading.zh else r"reboot|boot up|boots|boot camp|computer|laptop|fee|sale"
    ):
        return None
    thing = reading.take(_THING_ZH if reading.zh else _THING_EN)
    if thing is None:
        return None
    if reading.zh:
        verb = reading.take(r"打开|开启|弹开|开" if opening else r"关闭|关上|关好|合上|关")
        if verb is None:
            return None
        return Match(capability, reading.score(0.95), {"confirmed": False}, {"confirmed": "default:not confirmed"})
    words = r"open|pop|unlatch|release|lift|raise|unlock" if opening else r"close|shut|lower|slam"
    first = re.match(rf"(?:{words})\b", reading.core)
    get = re.match(
        r"(?:get|have|need|put)\b.*\b(?:open|up)$" if opening else r"(?:get|have|need|put)\b.*\b(?:closed|shut|down)$",
        reading.core,
    )
    fragment = re.fullmatch(rf"(?:the )?(?:{_THING_EN}) (?:{'open|up' if opening else 'closed?|shut|down'})", reading.core)
    reading.take(rf"{words}|up|get|open|closed|shut|down|lid|need|have|put|rear")
    if first is None and get is None and fragment is None:
        return None
    return Match(capability, reading.score(0.95 if first else 0.8), {"confirmed": False}, {"confirmed": "default:not confirmed"})


def recognise_open(text: str, locale: str, context: Context) -> Match | None:
    return recognise(text, locale, context, True)


def recognise_close(text: str, locale: str, context: Context) -> Match | None:
    return recognise(text, locale, context, False)


_OPENS: Final = re.compile(
    r"\b(?:open\w*|pop\w*|release|unlatch|unlock|lift|raise|up|load\w*|unload\w*|luggage|bags?|suitcases?|shopping|groceries|stuff|put|get|fetch|grab|throw|chuck|need)\b|"
    r"开|弹|掀|抬|升|行李|箱子|东西|拿|放|装|取|搬"
)
"""What opens it, or why it is to be opened."""


def understand_open(meant: Meant) -> tuple[Match, ...]:
    if not _OPENS.search(plain(f"{meant.ahead} {meant.text}", meant.locale)):
        return ()  # "run through the doors and the boot for me"
    return _understood(meant, OPEN)


def understand_close(meant: Meant) -> tuple[Match, ...]:
    return _understood(meant, CLOSE)


def _understood(meant: Meant, capability: str) -> tuple[Match, ...]:
    if meant.variant == FRAGMENT:
        return ()
    return (meant.match(capability, {"confirmed": False}, {"confirmed": "default:not confirmed"}),)


def awaits_confirmation(context: Context, capability: str) -> bool:
    if not context.recent:
        return False
    last = context.recent[0]
    return last.capability == capability and last.outcome is Outcome.ASKS and last.asked_ms_ago <= ANSWER_WITHIN_MS


def changes(opening: bool) -> Changes:
    """What later words may change of a call: only which way."""

    def call(open_it: bool) -> Another:
        return (OPEN if open_it else CLOSE), {"confirmed": False}

    def before(arguments: Arguments, read: Reads) -> tuple[Another, ...]:
        was_open = flag(read, TRUNK_OPEN)
        return (call(not opening if was_open is None else was_open),)

    return Changes(
        state=lambda arguments, on: call(on),
        turned=lambda arguments: call(not opening),
        undone=before,
        frames=lambda arguments, zh: to_open(opening, zh),
    )


def writes(opening: bool) -> tuple[SignalWrite, ...]:
    return (SignalWrite(TRUNK_OPEN, opening),)
