"""What the cascade front-end hears of a sound: its own listener (voice activity, end of turn, choice of language, recogniser) over one stream.

    Ear(…)(samples, onsets) -> for each turn the utterances that began in it

Parts come as from a device. A recognition's words come `WORDS_AFTER_MS` later on the stream's clock, whatever computing took, so that a result is the
same on every machine. The assistant is silent throughout. Does not know who speaks, whether words are for the assistant (the front-end's judgement
has no say here), or what becomes of them.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, Future
from dataclasses import dataclass
from typing import Any, Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from ridealong.cloud.frontends.cascade.listener import Listener, Recognise, SpeechProbability, TurnModel
from ridealong.proto.types import CLOCK_HZ, MicrophoneState, Samples, samples_from_ms

T = TypeVar("T")
PART_MS: Final = 100
WORDS_AFTER_MS: Final = 300
AT_MOST_MS: Final = 10_000
"""So much silence is added at most for an utterance that is still open at the end."""


@dataclass(frozen=True, slots=True)
class Heard:
    """One utterance, as it would be a request."""

    text: str
    locale: str


class Later(Executor):
    """Runs what is submitted when the stream has gone on for long enough; what is cancelled before then is never run."""

    def __init__(self, after_ms: float = WORDS_AFTER_MS) -> None:
        self._after = samples_from_ms(after_ms)
        self._now = 0
        self._waiting: deque[tuple[int, Future[Any], Callable[[], Any]]] = deque()

    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> Future[T]:
        future: Future[T] = Future()
        self._waiting.append((self._now + self._after, future, lambda: fn(*args, **kwargs)))
        return future

    def advance(self, now: int) -> None:
        """The stream is here."""
        self._now = now
        while self._waiting and self._waiting[0][0] <= now:
            _, future, work = self._waiting.popleft()
            if not future.set_running_or_notify_cancel():
                continue
            try:
                result = work()
            except Exception as error:
                future.set_exception(error)
            else:
                future.set_result(result)


class Ear:
    """`vad` makes a fresh stream. `locale`: the device's, "" where it has none."""

    def __init__(
        self,
        vad: Callable[[], SpeechProbability],
        turn: TurnModel,
        recognise: Recognise,
        whole: Callable[[str, str], bool],
        locale: str = "",
    ) -> None:
        """`whole(text, locale)`: are these words a whole request?"""
        self._vad, self._turn, self._recognise, self._whole, self._locale = vad, turn, recognise, whole, locale

    def __call__(self, samples: NDArray[np.float32], onsets: Sequence[int]) -> tuple[tuple[Heard, ...], ...]:
        later = Later()
        listener = Listener(self._vad(), self._turn, self._recognise, later, lambda: None, self._whole, self._locale)
        pcm, part = np.asarray(np.rint(samples * 32767), dtype="<i2"), PART_MS * CLOCK_HZ // 1000
        found: list[list[Heard]] = [[] for _ in onsets]
        at, last = 0, len(pcm) + samples_from_ms(AT_MOST_MS)
        while at < len(pcm) or (listener.unfinished and at < last):
            piece = pcm[at : at + part] if at < len(pcm) else np.zeros(part, dtype="<i2")
            later.advance(at)
            for utterance in listener.on_part(Samples(at), len(piece), piece.tobytes(), MicrophoneState.LIVE, False):
                if utterance.final and utterance.text.text.strip():
                    found[_turn_at(utterance.end, onsets)].append(Heard(utterance.text.text, utterance.text.locale))
            at += len(piece)
        if listener.errors:
            raise RuntimeError(f"{listener.errors} utterances could not be recognised")
        return tuple(tuple(heard) for heard in found)


def _turn_at(end: int, onsets: Sequence[int]) -> int:
    """The last turn that has begun by then: an utterance that took up an earlier one ends in its own."""
    return max((number for number, onset in enumerate(onsets) if onset < end), default=0)
