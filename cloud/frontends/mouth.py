"""What is about to be said, and its paced emission: clauses in, speech slices out.

Clauses are synthesised one after the other by an injected executor, so that the first can leave while the second is made; how much
leaves at a boundary is `cloud.pacing`'s decision. An utterance is one result or one sentence of the front-end's own.

`prepare` synthesises what will probably be said next, so that its sound is there if it is.

Does not know: models (a `Voice` makes samples of a clause), epochs, the link, or what was asked.
"""

from __future__ import annotations

import logging
from collections import OrderedDict, deque
from collections.abc import Callable
from concurrent.futures import Executor, Future
from dataclasses import dataclass, field, replace
from typing import Protocol

from ridealong.cloud import pacing
from ridealong.cloud.frontends.base import Played, SpeechSlice
from ridealong.proto.types import CLOCK_HZ, Samples, UtteranceId, WordTime
from ridealong.proto.words import joined

log = logging.getLogger(__name__)
MAX_WAITING = 16
MAX_PREPARED = 4


@dataclass(frozen=True, slots=True)
class Clip:
    """Speech of one clause: int16 mono little-endian at `rate`; word times in its own samples."""

    pcm16: bytes
    rate: int
    words: tuple[WordTime, ...]


class Voice(Protocol):
    def clauses(self, text: str, locale: str) -> list[str]: ...

    def clip(self, text: str, locale: str) -> Clip:
        """Blocking; called in the executor."""


@dataclass(slots=True)
class Plan:
    """One utterance on its way out."""

    utterance: UtteranceId
    work_id: str
    locale: str
    text: str
    clauses: deque[str]
    job: Future[Clip] | None = None
    ready: bytearray = field(default_factory=bytearray)
    words: deque[WordTime] = field(default_factory=deque)  # unsent; times within the utterance
    rate: int = 0
    made: int = 0  # samples synthesised
    sent: int = 0  # samples emitted
    done: bool = False  # its last slice was emitted
    filler: bool = False  # said while something else is waited for

    @property
    def complete(self) -> bool:
        return not self.clauses and self.job is None


class Mouth:
    """One per session; called from the front-end's thread only."""

    def __init__(self, voice: Voice, executor: Executor, wake: Callable[[], None]) -> None:
        self._voice, self._executor, self._wake = voice, executor, wake
        self._plans: deque[Plan] = deque()
        self._next = UtteranceId(1)
        self._pacing = pacing.Pacing()
        self._sent_plans: dict[UtteranceId, Plan] = {}
        self._prepared: OrderedDict[tuple[str, str], Future[Clip]] = OrderedDict()  # (clause, locale)
        self.dropped = 0
        self.failed_clips = 0
        self.prepared_used = self.prepared_unused = 0

    def prepare(self, text: str, locale: str) -> None:
        """Make the first clause's sound ready; nothing is said. At most MAX_PREPARED are kept, the newest."""
        first = next(iter(self._voice.clauses(text, locale)), None)
        if first is None or (first, locale) in self._prepared:
            return
        self._prepared[first, locale] = self._executor.submit(self._voice.clip, first, locale)
        if len(self._prepared) > MAX_PREPARED:
            self._prepared.popitem(last=False)[1].cancel()
            self.prepared_unused += 1

    def say(self, text: str, locale: str, work_id: str = "", *, filler: bool = False) -> UtteranceId:
        """Queue an utterance; beyond MAX_WAITING the newest is refused (counted)."""
        utterance = self._next
        self._next = UtteranceId(utterance + 1)
        if len(self._plans) >= MAX_WAITING:
            self.dropped += 1
            return utterance
        plan = Plan(utterance, work_id, locale, text, deque(self._voice.clauses(text, locale)), filler=filler)
        self._plans.append(plan)
        self._synthesise(plan)
        return utterance

    @property
    def busy(self) -> bool:
        """Something is being said, or will be."""
        return bool(self._plans) or any(not plan.done for plan in self._sent_plans.values()) or bool(self._sent_plans)

    @property
    def engaged(self) -> bool:
        """Busy with more than a filler."""
        return any(not plan.filler for plan in [*self._plans, *self._sent_plans.values()])

    @property
    def emitting(self) -> bool:
        """Text is still to leave."""
        return bool(self._plans)

    @property
    def saying(self) -> str:
        """Text of what is under way or was sent and is not yet played to its end."""
        return " ".join(
            plan.text for plan in [*self._sent_plans.values(), *(p for p in self._plans if p.utterance not in self._sent_plans)]
        )

    def played(self, played: Played, at: Samples) -> None:
        plan = self._sent_plans.get(played.utterance)
        if plan is None:
            return
        if played.finished or played.flushed:
            del self._sent_plans[played.utterance]
        if not played.flushed and plan.rate:
            remaining = (plan.sent - played.played_samples) * CLOCK_HZ // plan.rate
            self._pacing.on(pacing.Acked(at, max(0, remaining)))

    def stop(self, at: Samples) -> list[str]:
        """Drop everything unsaid; returns the work ids that were cut off before a sample of theirs had left."""
        unsent = [plan.work_id for plan in self._plans if plan.work_id and not plan.sent]
        for plan in self._plans:
            if plan.job is not None:
                plan.job.cancel()
        self._plans.clear()
        self._sent_plans.clear()
        self._pacing.on(pacing.Dropped(at))
        return unsent

    def slices(self, at: Samples) -> list[SpeechSlice]:
        """What leaves at device time `at`."""
        out: list[SpeechSlice] = []
        while self._plans:
            plan = self._plans[0]
            self._collect(plan)
            durations = [self._clock(word.end - previous, plan.rate) for previous, word in _pairs(plan.words, plan.sent)]
            count = self._pacing.words_due(pacing.Boundary(at, durations))
            if count:
                out.append(self._cut(plan, count, at))
            if plan.complete and not plan.words and not plan.done:
                if not out or out[-1].utterance != plan.utterance:
                    out.append(SpeechSlice(plan.utterance, True, plan.rate or 24_000, b"", work_id=plan.work_id))
                else:
                    last = out[-1]
                    out[-1] = replace(last, last=True)
                plan.done = True
            if not plan.done:
                break
            self._plans.popleft()
        return out

    def _cut(self, plan: Plan, count: int, at: Samples) -> SpeechSlice:
        words = tuple(plan.words.popleft() for _ in range(count))
        end = plan.made if not plan.words else words[-1].end  # trailing silence goes with the last word that is ready
        samples = end - plan.sent
        pcm = bytes(plan.ready[: 2 * samples])
        del plan.ready[: 2 * samples]
        plan.sent = end
        self._sent_plans[plan.utterance] = plan
        self._pacing.on(pacing.Emitted(at, self._clock(samples, plan.rate)))
        return SpeechSlice(plan.utterance, False, plan.rate, pcm, joined(w.word for w in words), words, plan.work_id, plan.text)

    def _synthesise(self, plan: Plan) -> None:
        if plan.clauses and plan.job is None:
            clause = plan.clauses.popleft()
            prepared = self._prepared.pop((clause, plan.locale), None)
            if prepared is not None and not prepared.cancelled():
                self.prepared_used += 1
                plan.job = prepared
            else:
                plan.job = self._executor.submit(self._voice.clip, clause, plan.locale)
            plan.job.add_done_callback(lambda _: self._wake())

    def _collect(self, plan: Plan) -> None:
        while plan.job is not None and plan.job.done():
            job, plan.job = plan.job, None
            error = job.exception() if not job.cancelled() else None
            if job.cancelled() or error is not None:
                self.failed_clips += 1
                log.error("a clause could not be synthesised: %s", type(error).__name__)
            else:
                clip = job.result()
                plan.rate = clip.rate
                plan.words.extend(WordTime(w.word, w.start + plan.made, w.end + plan.made) for w in clip.words)
                plan.ready += clip.pcm16
                plan.made += len(clip.pcm16) // 2
            self._synthesise(plan)

    @staticmethod
    def _clock(samples: int, rate: int) -> int:
        return samples * CLOCK_HZ // rate if rate else 0


def _pairs(words: deque[WordTime], start: int) -> list[tuple[int, WordTime]]:
    """Each unsent word with the end of the one before it."""
    out, previous = [], start
    for word in words:
        out.append((previous, word))
        previous = word.end
    return out
