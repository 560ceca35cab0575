"""Holds what the assistant was heard to claim against what has been confirmed, and asks for a correction where nothing bears it out. Sans-IO.

    heard(text, at)                    notes the claims in it
    due(deeds, now)  ->  corrections   what is to be taken back, aloud

A claim about work that is still under way waits, bounded, for its end. Does not know the journal, items or skills (a `Deed` is what there is to
know of one), who spoke, or when a correction may be said.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Final

from ridealong.harness.claim_words import contradicts, topics
from ridealong.harness.claims import Aspect, Claim, claims_in, correction
from ridealong.harness.quoting import content
from ridealong.harness.slots.text import has_chinese
from ridealong.proto.types import Samples, ms_from_samples

BORNE_OUT_MS: Final = 180_000
"""How long after it was done something may still be claimed."""
WAITS_MS: Final = 20_000
"""So long a claim about work under way waits for the end of it."""
AGAIN_MS: Final = 30_000
"""The same correction is not said twice within this time."""
BOUND: Final = 8
MAX_AT_ONCE: Final = 2


class Known(Enum):
    """What is known of one piece of work."""

    CONFIRMED = "confirmed"  # something was changed, and that was confirmed
    UNDER_WAY = "under_way"
    READ = "read"  # it told how something is, or had nothing to do
    NOT_DONE = "not_done"  # refused, failed, stopped, or nobody knows


@dataclass(frozen=True, slots=True)
class Deed:
    """`text`: everything that says what it was: the request, its arguments, the reply. `at`: of its end, or of its beginning. `numbers`: what it
    was set to, as confirmed."""

    text: str
    known: Known
    at: Samples
    numbers: frozenset[float] = frozenset()


@dataclass(frozen=True, slots=True)
class Correction:
    text: str
    locale: str


@dataclass(slots=True)
class Witness:
    claimed: int = 0
    corrected: int = 0
    _open: deque[tuple[Claim, Samples]] = field(default_factory=lambda: deque(maxlen=BOUND))
    _said: dict[str, Samples] = field(default_factory=dict)

    def heard(self, text: str, at: Samples) -> None:
        """Words of the assistant that somebody heard, and that no confirmed result stands behind."""
        for claim in claims_in(text):
            self.claimed += 1
            self._open.append((claim, at))

    @property
    def waiting(self) -> bool:
        return bool(self._open)

    def due(self, deeds: Sequence[Deed], now: Samples) -> list[Correction]:
        """What is to be taken back now, one correction a language."""
        wrong: dict[str, list[str]] = {}
        for _ in range(len(self._open)):
            claim, at = self._open.popleft()
            match verdict(claim, deeds, at):
                case None if ms_from_samples(Samples(now - at)) < WAITS_MS:
                    self._open.append((claim, at))
                case True:
                    pass
                case _:
                    wrong.setdefault(claim.locale, []).append(correction(claim))
        return [said for locale, texts in wrong.items() if (said := self._once(texts, locale, now)) is not None]

    def _once(self, texts: list[str], locale: str, now: Samples) -> Correction | None:
        self._said = {text: at for text, at in self._said.items() if ms_from_samples(Samples(now - at)) < AGAIN_MS}
        fresh = [text for text in dict.fromkeys(texts) if text not in self._said][:MAX_AT_ONCE]
        self._said |= dict.fromkeys(fresh, now)
        self.corrected += len(fresh)
        return Correction(("" if locale == "zh" else " ").join(fresh), locale) if fresh else None


def verdict(claim: Claim, deeds: Sequence[Deed], at: Samples) -> bool | None:
    """True: borne out. False: not. None: what it is about is still under way."""
    known = {deed.known for deed in deeds if fits(claim, deed) and ms_from_samples(Samples(at - deed.at)) <= BORNE_OUT_MS}
    if Known.CONFIRMED in known:
        return True
    match claim.aspect:
        case Aspect.DOING if known & {Known.UNDER_WAY, Known.NOT_DONE}:  # how that ended is said by its own reply
            return True
        case Aspect.STATE if Known.READ in known:
            return True
        case _:
            return None if Known.UNDER_WAY in known else False


def fits(claim: Claim, deed: Deed) -> bool:
    """The deed may be what is claimed: about the same, not the opposite of it, and not to another number."""
    if contradicts(claim.act, deed.text) or (claim.numbers and deed.numbers and not claim.numbers & deed.numbers):
        return False
    if not claim.thing:
        return True
    if claim.about:
        return bool(claim.about & topics(deed.text))
    if has_chinese(claim.thing) is not has_chinese(deed.text):
        return True  # in another language: that it was something else can't be said
    return bool(content(claim.thing) & content(deed.text))
