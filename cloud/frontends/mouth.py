"""What is about to be said, and its paced emission: clauses in, speech slices out.

Clauses are synthesised one after the other by an injected executor, so that the first can leave while the second is made, which is begun the
moment the first is there. What has been made must last until the next is there (`synthesis_speed`): a clause whose making would take longer is cut
at its first comma, and where that is not enough, or the machine is slow, speech begins up to START_WAIT later rather than breaking off in the middle.
How much leaves at a boundary is `cloud.pacing`'s decision. An utterance is one result or one sentence of the front-end's own.

`prepare` synthesises what will probably be said next, so that its sound is there if it is.

Does not know: models (a `Voice` makes samples of a clause), epochs, the link, or what was asked.
"""

from __future__ import annotations

import logging
from collections import OrderedDict, deque
from collections.abc import Callable
from concurrent.futures import Executor, Future
from dataclasses import dataclass, field, replace
from threading import RLock
from typing import Final, Protocol

from ridealong.cloud import pacing
from ridealong.cloud.frontends.base import Played, SpeechSlice
from ridealong.cloud.frontends.synthesis_speed import SynthesisSpeed
from ridealong.proto.types import CLOCK_HZ, Samples, UtteranceId, WordTime, samples_from_ms
from ridealong.proto.words import joined

log = logging.getLogger(__name__)
MAX_WAITING = 16
MAX_PREPARED = 4
SPARE_S: Final = 0.3
"""On its way from the synthesiser into the device's buffer, what is next is so much later."""
PIECE_S: Final = 1.5
"""About as long is what a clause can be cut into."""
START_WAIT: Final = samples_from_ms(1_500)


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
class Job:
    """One clause being made, in seconds of the clock. `made_s`: its length, once it is there."""

    clause: str
    future: Future[Clip]
    began_s: float
    made_s: float = 0.0


@dataclass(slots=True)
class Plan:
    """One utterance on its way out. `clauses`, `jobs` and `made_s` also change on the synthesiser's thread."""

    utterance: UtteranceId
    work_id: str
    locale: str
    text: str
    clauses: deque[str]
    jobs: deque[Job] = field(default_factory=deque)  # not yet collected; only the last of them is not yet there
    made_s: float = 0.0  # what is there, collected or not
    began_s: float | None = None  # its first slice left
    ready_at: Samples | None = None  # its first clause was there
    ready: bytearray = field(default_factory=bytearray)
    words: deque[WordTime] = field(default_factory=deque)  # unsent; times within the utterance
    rate: int = 0
    made: int = 0  # samples synthesised
    sent: int = 0  # samples emitted
    done: bool = False  # its last slice was emitted
    filler: bool = False  # said while something else is waited for

    @property
    def complete(self) -> bool:
        return not self.clauses and not self.jobs


class Mouth:
    """One per session; called from the front-end's thread only. `clock` in seconds; one that stands measures nothing."""

    def __init__(
        self,
        voice: Voice,
        executor: Executor,
        wake: Callable[[], None],
        clock: Callable[[], float] = lambda: 0.0,
        speed: SynthesisSpeed | None = None,
    ) -> None:
        self._voice, self._executor, self._wake = voice, executor, wake
        self._clock_s, self._speed = clock, speed or SynthesisSpeed()
        self._lock = RLock()
        self._plans: deque[Plan] = deque()
        self._next = UtteranceId(1)
        self._pacing = pacing.Pacing()
        self._sent_plans: dict[UtteranceId, Plan] = {}
        self._prepared: OrderedDict[tuple[str, str], Future[Clip]] = OrderedDict()  # (clause, locale)
        self._pinned: dict[tuple[str, str], Future[Clip]] = {}
        self.dropped = 0
        self.failed_clips = 0
        self.prepared_used = self.prepared_unused = 0

    def prepare(self, text: str, locale: str) -> None:
        """Make the first clause's sound ready; nothing is said. At most MAX_PREPARED are kept, the newest."""
        first = next(iter(self._voice.clauses(text, locale)), None)
        if first is None or (first, locale) in self._prepared:
            return
        self._prepared[first, locale] = self._executor.submit(self._make, first, locale)
        if len(self._prepared) > MAX_PREPARED:
            self._prepared.popitem(last=False)[1].cancel()
            self.prepared_unused += 1

    def pin(self, text: str, locale: str) -> None:
        """Keep the sound of a short text for the whole session: it never waits behind other synthesis."""
        for clause in self._voice.clauses(text, locale):
            self._pinned[clause, locale] = self._executor.submit(self._voice.clip, clause, locale)

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
        with self._lock:
            for plan in self._plans:
                plan.clauses.clear()
                for job in plan.jobs:
                    job.future.cancel()
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
            if not self._lasts(plan, at):
                break
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
        plan.began_s = self._clock_s() if plan.began_s is None else plan.began_s
        self._sent_plans[plan.utterance] = plan
        self._pacing.on(pacing.Emitted(at, self._clock(samples, plan.rate)))
        return SpeechSlice(plan.utterance, False, plan.rate, pcm, joined(w.word for w in words), words, plan.work_id, plan.text)

    def _lasts(self, plan: Plan, at: Samples) -> bool:
        """What is there sounds until the next is there, as far as can be told; or we have waited for that long enough."""
        with self._lock:
            if plan.began_s is not None or plan.complete or not plan.made:
                return True
            plan.ready_at = at if plan.ready_at is None else plan.ready_at
            rest = [*(job.clause for job in plan.jobs if not job.made_s), *plan.clauses]
            spent_s = self._clock_s() - plan.jobs[-1].began_s if plan.jobs else 0.0
            if not rest or at - plan.ready_at >= START_WAIT:
                return True
            lengths_s = [self._speed.audio_s(clause, plan.locale) for clause in rest]
            all_s, last_s = sum(lengths_s), min(lengths_s[-1], PIECE_S)
            until_next_s = self._speed.ratio * lengths_s[0]
            until_last_s = self._speed.ratio * all_s - (all_s - last_s)  # less what sounds meanwhile
            earlier_s = max(0, self._pacing.scheduled_end - at) / CLOCK_HZ
            return max(until_next_s, until_last_s) - spent_s + SPARE_S <= plan.made_s + earlier_s

    def _synthesise(self, plan: Plan) -> None:
        """The next clause, unless one is being made."""
        with self._lock:
            if not plan.clauses or (plan.jobs and not plan.jobs[-1].future.done()):
                return
            clause = self._next_clause(plan)
            prepared = self._prepared.pop((clause, plan.locale), None)
            pinned = self._pinned.get((clause, plan.locale))
            if pinned is not None and pinned.done() and pinned.exception() is None:
                future = pinned
            elif prepared is not None and not prepared.cancelled():
                self.prepared_used += 1
                future = prepared
            else:
                future = self._executor.submit(self._make, clause, plan.locale)
            job = Job(clause, future, self._clock_s())
            plan.jobs.append(job)
        future.add_done_callback(lambda _: self._made(plan, job))

    def _next_clause(self, plan: Plan) -> str:
        """Cut at its first comma where what is there would not last until it is made."""
        clause = plan.clauses.popleft()
        if plan.made_s:
            left_s = plan.made_s - (self._clock_s() - plan.began_s if plan.began_s is not None else 0.0)
            if self._speed.takes_s(clause, plan.locale) + SPARE_S > left_s:
                clause, *rest = self._voice.clauses(clause, plan.locale) or [clause]
                plan.clauses.extendleft(reversed(rest))
        return clause

    def _make(self, clause: str, locale: str) -> Clip:
        """In the executor."""
        began_s = self._clock_s()
        clip = self._voice.clip(clause, locale)
        self._speed.measured(clause, locale, _length_s(clip), self._clock_s() - began_s)
        return clip

    def _made(self, plan: Plan, job: Job) -> None:
        """On the executor's thread, or at once: the next is begun before anybody has time to look at this one."""
        with self._lock:
            self._count(plan, job)
            self._synthesise(plan)
        self._wake()

    @staticmethod
    def _count(plan: Plan, job: Job) -> None:
        """Whoever comes first: the synthesiser's thread, or who collects."""
        if not job.made_s and not job.future.cancelled() and job.future.exception() is None:
            job.made_s = _length_s(job.future.result())
            plan.made_s += job.made_s

    def _collect(self, plan: Plan) -> None:
        while plan.jobs and plan.jobs[0].future.done():
            with self._lock:
                self._count(plan, plan.jobs[0])
                job = plan.jobs.popleft().future
                self._synthesise(plan)
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


def _length_s(clip: Clip) -> float:
    return len(clip.pcm16) / 2 / clip.rate
