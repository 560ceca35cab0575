"""Says that a request was heard when its result takes a while: once, and never for what is answered quickly. Pure.

    Begun | Over  ->  Patience.on(event);  due(at, free) -> what is to be said now

Work that usually takes long is acknowledged as soon as it has begun, other work only when it is late. Whatever is over, or was
acknowledged for the same words, is not. Does not know skills, speech, or what the work is.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from typing import assert_never

from ridealong.proto.types import Samples, ms_from_samples

SLOW_MS = 1_200
"""Work that usually takes longer is acknowledged at once."""
SETTLED_MS = 60.0
"""Work that is refused, or had nothing to do, is over within this time: it needs no acknowledgment although it is slow at other times."""
LATE_MS = 1_100.0
"""After the words' end (as the cloud sees the time) an acknowledgment is due for any other work."""
PAST_MS = 4_000.0
"""Later it would say nothing new."""
GAP_MS = 5_000.0
"""Between two acknowledgments: somebody who asks for much at once is told once."""
BOUND = 16


@dataclass(frozen=True, slots=True)
class Begun:
    """Work runs, or waits for its turn, that words ending at `words_end` asked for; told again when what is known of it changes."""

    work_id: str
    words_end: Samples
    at: Samples
    usual_ms: int
    text: str
    locale: str


@dataclass(frozen=True, slots=True)
class Over:
    work_id: str


@dataclass(frozen=True, slots=True)
class Acknowledge:
    text: str
    locale: str


@dataclass(slots=True)
class Patience:
    _waiting: OrderedDict[str, Begun] = field(default_factory=OrderedDict)
    _acknowledged: OrderedDict[Samples, None] = field(default_factory=OrderedDict)
    _last: Samples | None = None

    def on(self, event: Begun | Over) -> None:
        match event:
            case Begun(work_id=work_id):
                self._waiting[work_id] = event
                if len(self._waiting) > BOUND:
                    self._waiting.popitem(last=False)
            case Over(work_id=work_id):
                self._waiting.pop(work_id, None)
            case _:
                assert_never(event)

    def due(self, at: Samples, free: bool) -> Acknowledge | None:
        """What to say at device time `at`, if the floor is `free`."""
        for work_id, begun in list(self._waiting.items()):
            waited_ms = ms_from_samples(Samples(at - begun.words_end))
            if begun.words_end in self._acknowledged or waited_ms > PAST_MS or not begun.text:
                del self._waiting[work_id]
            elif free and self._due(begun, at, waited_ms) and not self._just_said(at):
                del self._waiting[work_id]
                self._acknowledged[begun.words_end], self._last = None, at
                if len(self._acknowledged) > BOUND:
                    self._acknowledged.popitem(last=False)
                return Acknowledge(begun.text, begun.locale)
        return None

    def _just_said(self, at: Samples) -> bool:
        return self._last is not None and ms_from_samples(Samples(at - self._last)) < GAP_MS

    @staticmethod
    def _due(begun: Begun, at: Samples, waited_ms: float) -> bool:
        settled = ms_from_samples(Samples(at - begun.at)) >= SETTLED_MS
        return settled and (begun.usual_ms >= SLOW_MS or waited_ms >= LATE_MS)
