"""Sound in, utterances out: voice activity, end of turn, recognition.

    part -> speech probability per 32 ms -> segment -> (turn model, words, silence) -> endpoint -> transcript

Recognition begins speculatively at the first short silence, in an injected executor: its text helps to decide whether the turn has ended
(`endpoint.py`), is a partial transcript meanwhile, and is the final one when nothing was added. While the assistant speaks, partial
transcripts are made as the overlap grows.

Does not know: which sound is near and which behind it (`levels.py`), who is addressed, what the words mean, or what the assistant says.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable
from concurrent.futures import Executor, Future
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from ridealong.cloud.frontends.cascade import endpoint
from ridealong.cloud.frontends.cascade.endpoint import Evidence
from ridealong.cloud.frontends.cascade.levels import Levels, loudness_db
from ridealong.cloud.frontends.cascade.segment import FRAME, Audio, Pause, Segment, Text, Utterance
from ridealong.proto.types import CLOCK_HZ, MicrophoneState, Samples, samples_from_ms

log = logging.getLogger(__name__)


class SpeechProbability(Protocol):
    """Stateful over a stream; one call per FRAME samples."""

    def __call__(self, frame: Audio) -> float: ...

    def reset(self) -> None: ...


class TurnModel(Protocol):
    def __call__(self, audio: Audio) -> float:
        """Probability that the speaker has finished, from the last seconds of audio."""


class Recognise(Protocol):
    def __call__(self, audio: Audio, locale: str) -> Text:
        """Blocking. `locale` "" = decide between English and Chinese."""


@dataclass(frozen=True, slots=True)
class Timing:
    start_probability: float = 0.5
    end_probability: float = 0.35
    start_frames: int = 3
    pre_roll_ms: int = 250
    minimum_speech_ms: int = 160
    speculate_ms: int = 96
    flicker_ms: int = 64  # so little voice after it does not make a speculative recognition worthless
    overlap_wait_ms: int = 320  # over our speech nobody waits longer for more words: the device holds, and goes on after 600 ms
    partial_from_ms: int = 400  # of voice, before the first partial of an overlap
    partial_every_ms: int = 320  # or half of the utterance's length so far: a partial costs as much as it is long
    longest_ms: int = 14_000
    resume_ms: int = 3_000  # words that broke off, and others so soon after, are one utterance
    keep_ms: int = 20_000
    check_ms: int = 4_000  # a sound without a pause is listened to so often: without words it is noise, and holds no turn


@dataclass(slots=True)
class Listener:
    """One per stream; called from the front-end's thread only. `finished(text)` tells whether words alone are a whole request."""

    vad: SpeechProbability
    turn: TurnModel
    recognise: Recognise
    executor: Executor
    wake: Callable[[], None]
    finished: Callable[[str, str], bool]
    locale: str = ""
    timing: Timing = field(default_factory=Timing)
    speaking: Segment | None = None
    position: Samples = Samples(0)
    voice_end: Samples | None = None  # the last voiced frame of a near voice so far
    levels: Levels = field(default_factory=Levels)
    errors: int = 0
    _broken_off: Segment | None = None  # closed although its words showed that more was to come
    pauses: deque[Pause] = field(default_factory=lambda: deque(maxlen=256))  # for evaluation: nothing here reads them
    _buffer: Audio = field(default_factory=lambda: np.zeros(0, np.float32))
    _buffer_start: Samples = Samples(0)
    _vad_position: Samples = Samples(0)
    _above: int = 0
    _waiting: list[Segment] = field(default_factory=list)

    @property
    def unfinished(self) -> bool:
        """A near utterance is open, or one is being recognised: the floor is not free. A murmur that never ends does not keep it."""
        return bool(self._waiting) or (self.speaking is not None and not self.levels.murmur(self.speaking))

    def on_part(
        self, start: Samples, samples: int, pcm16: bytes, microphone: MicrophoneState, assistant_speaking: bool
    ) -> list[Utterance]:
        """Take a part (0 samples: a wake-up) and return what is new: partial and final utterances, in order."""
        if samples:
            if microphone is not MicrophoneState.LIVE or start != self.position:
                self._break(start)
            if microphone is MicrophoneState.LIVE:
                audio = np.frombuffer(pcm16, "<i2").astype(np.float32) / 32768
                self._buffer = np.concatenate([self._buffer, audio])
                self.position = Samples(start + len(audio))
                while self._vad_position + FRAME <= self.position:
                    self._frame(assistant_speaking)
                self._trim()
            else:
                self._break(Samples(start + samples))
        elif self.speaking is not None and self._vad_position > self.speaking.last_voiced:
            self._progress(self.speaking, self._vad_position)  # a text has come in the silence
        return self._collect()

    # -- voice activity -------------------------------------------------------------------------------------------

    def _frame(self, assistant_speaking: bool) -> None:
        frame = self._slice(self._vad_position, Samples(self._vad_position + FRAME))
        probability = self.vad(frame)
        end = self._vad_position = Samples(self._vad_position + FRAME)
        segment = self.speaking
        timing = self.timing
        power = self.levels.on_frame(frame)
        begins = probability >= timing.start_probability
        if segment is not None and self.levels.nearer(segment, begins, power) >= timing.start_frames:
            self._close(segment, Samples(end - timing.start_frames * FRAME))
            segment, self._above = None, timing.start_frames - 1
        if segment is None:
            self._above = self._above + 1 if begins and not self.levels.is_noise(power) else 0
            if self._above >= timing.start_frames:
                first = Samples(end - self._above * FRAME)
                start = Samples(max(self._buffer_start, first - samples_from_ms(timing.pre_roll_ms)))
                heard = self._above * FRAME
                self.speaking = Segment(start, heard, end, assistant_speaking, energy=power * self._above)
                self._resume(self.speaking, first)
                self._near_until(end)
                self._above = 0
            return
        voice = probability >= timing.end_probability
        if voice and not self.levels.background(segment, power, end) and not self.levels.is_noise(power):
            segment.voiced += FRAME
            segment.energy += power
            segment.last_voiced = end
            self._near_until(end)
            self._went_on(segment, end)
        self._progress(segment, end)

    def _resume(self, segment: Segment, first: Samples) -> None:
        """ "Turn on the …" and, after a long hesitation, "… defroster": heard as one."""
        before, self._broken_off = self._broken_off, None
        if before is None or segment.overlap or before.start < self._buffer_start:
            return
        if first - before.last_voiced <= samples_from_ms(self.timing.resume_ms):
            segment.start = before.start
            segment.voiced += before.voiced
            segment.energy += before.energy

    def _went_on(self, segment: Segment, end: Samples) -> None:
        """Voice after a silence: what was begun for its end is worth nothing, unless the voice was only a flicker."""
        segment.added += FRAME
        if segment.job is None or segment.added < samples_from_ms(self.timing.flicker_ms):
            return
        if segment.decision is not None:
            self._note(segment, segment.silence_ms, ended=False)
        segment.job.cancel()
        segment.job = segment.turn = segment.evidence = segment.decision = None
        segment.told = False

    def _note(self, segment: Segment, silence_ms: float, *, ended: bool) -> None:
        if segment.evidence is not None and segment.decision is not None:
            start = Samples(segment.last_voiced)
            self.pauses.append(Pause(start, silence_ms, ended, segment.evidence, segment.decision))

    def _near_until(self, end: Samples) -> None:
        if self.speaking is not None and not self.levels.murmur(self.speaking):
            self.voice_end = end

    def _progress(self, segment: Segment, now: Samples) -> None:
        timing = self.timing
        silence_ms = (now - segment.last_voiced) * 1000 / CLOCK_HZ
        if silence_ms > 0:
            segment.silence_ms = silence_ms
        enough = segment.voiced >= samples_from_ms(timing.minimum_speech_ms)
        if silence_ms >= timing.speculate_ms and segment.job is None and enough:
            segment.added = 0
            segment.job = self._recognise(self._slice(segment.start, now))
            segment.turn = segment.turn_heard = self._turn(self._slice(segment.start, now))
        if silence_ms >= timing.speculate_ms:
            self._weigh(segment)
        too_long = now - segment.start >= samples_from_ms(timing.longest_ms)
        wait_ms = segment.decision.wait_ms if segment.decision is not None else endpoint.UNHEARD_MS
        if segment.overlap:
            wait_ms = min(wait_ms, timing.overlap_wait_ms)
        if too_long or silence_ms >= wait_ms:
            self._note(segment, silence_ms, ended=True)
            self._close(segment, now)
            return
        if segment.partial_at is None:
            due = segment.voiced >= samples_from_ms(timing.partial_from_ms)
        else:
            due = now - segment.partial_at >= max(samples_from_ms(timing.partial_every_ms), (now - segment.start) // 2)
        if segment.overlap and due and segment.partial is None and silence_ms < timing.speculate_ms:
            segment.partial_at = now
            segment.partial = self._recognise(self._slice(segment.start, now))
        checked = segment.checked_at if segment.checked_at is not None else segment.start
        if not segment.overlap and segment.partial is None and now - checked >= samples_from_ms(timing.check_ms):
            segment.checked_at = now
            segment.partial = self._recognise(self._slice(checked, now))

    def _weigh(self, segment: Segment) -> None:
        """Decide anew when something new is known: the turn model's answer, then the words."""
        text = self._text_of(segment)
        known = segment.evidence
        if known is not None and (known.text is None) == (text is None) and known.turn == segment.turn:
            return
        if text is None:
            segment.evidence = Evidence(self.locale, segment.turn)
        else:
            complete = bool(text.text) and self.finished(text.text, text.locale)
            segment.evidence = Evidence(text.locale, segment.turn, text.text, complete)
        segment.decision = endpoint.decide(segment.evidence)

    @staticmethod
    def _text_of(segment: Segment) -> Text | None:
        job = segment.job
        if job is None or not job.done() or job.cancelled() or job.exception() is not None:
            return None
        return job.result()

    def _close(self, segment: Segment, now: Samples) -> None:
        self.speaking = None
        if segment.voiced < samples_from_ms(self.timing.minimum_speech_ms):
            return
        segment.closed, segment.end, segment.endpoint = True, segment.last_voiced, self._vad_position
        segment.audio = self._slice(segment.start, segment.end)
        if segment.job is None:
            segment.job = self._recognise(self._slice(segment.start, now))
        self._waiting.append(segment)
        broken_off = segment.evidence is not None and not segment.overlap and endpoint.going_on(segment.evidence)
        self._broken_off = segment if broken_off else None

    def _break(self, at: Samples) -> None:
        """The microphone was lost, muted or jumped: what was open ends here."""
        if self.speaking is not None:
            self._close(self.speaking, self.position)
        self._buffer = np.zeros(0, np.float32)
        self._buffer_start = self._vad_position = self.position = at
        self._above = 0
        self._broken_off = None
        self.vad.reset()

    # -- recognition ----------------------------------------------------------------------------------------------

    def _recognise(self, audio: Audio) -> Future[Text]:
        job = self.executor.submit(self.recognise, audio, self.locale)
        job.add_done_callback(lambda _: self.wake())
        return job

    def _turn(self, audio: Audio) -> float:
        return self.turn(audio[-8 * CLOCK_HZ :])

    def _collect(self) -> list[Utterance]:
        out: list[Utterance] = []
        segment = self.speaking
        if segment is not None and segment.partial is not None and segment.partial.done():
            job, segment.partial = segment.partial, None
            text = self._result(job)
            if text is not None:
                self.levels.on_text(segment, text)
                out.append(self._utterance(segment, text, self.position, final=False))
        if segment is not None and not segment.told and (heard := self._text_of(segment)) is not None:
            segment.told, segment.checked_at = True, self._vad_position
            out.append(self._utterance(segment, heard, self.position, final=False))
        while self._waiting and self._waiting[0].job is not None and self._waiting[0].job.done():
            segment = self._waiting.pop(0)
            assert segment.job is not None
            text = self._result(segment.job)
            if text is not None:
                self.levels.on_text(segment, text)
                out.append(self._utterance(segment, text, segment.end, final=True))
        return out

    def _result(self, job: Future[Text]) -> Text | None:
        if job.cancelled():
            return None
        error = job.exception()
        if error is not None:
            self.errors += 1
            log.error("an utterance could not be recognised: %s", type(error).__name__)
            return None
        return job.result()

    def _utterance(self, segment: Segment, text: Text, end: Samples, *, final: bool) -> Utterance:
        voiced_ms, turn = segment.voiced * 1000 / CLOCK_HZ, segment.turn_heard
        audio = segment.audio if segment.audio is not None else self._slice(segment.start, end)
        level_db = loudness_db(audio)
        finished = 1.0 if final else segment.decision.probability if segment.decision is not None else 0.0
        return Utterance(
            text, segment.start, end, level_db, segment.overlap, final, voiced_ms, turn, segment.endpoint, finished, audio
        )

    # -- audio ----------------------------------------------------------------------------------------------------

    def _slice(self, start: Samples, end: Samples) -> Audio:
        low = max(0, start - self._buffer_start)
        return self._buffer[low : max(low, end - self._buffer_start)]

    def _trim(self) -> None:
        extra = len(self._buffer) - samples_from_ms(self.timing.keep_ms)
        if extra > CLOCK_HZ:
            self._buffer = self._buffer[extra:]
            self._buffer_start = Samples(self._buffer_start + extra)
