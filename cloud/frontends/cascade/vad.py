"""Is somebody speaking? Silero's probabilities per 32 ms frame, and the sans-IO machine that makes segments of them.

    feed Frame(at, probability)  ->  Segmenter.on(frame)  ->  SpeechStarted | StillSilent | SpeechEnded

Positions are samples of the device clock (16 kHz). Does not know: what was said, whether a turn is complete (`turn.py`), or
who makes the sound; loud music with singing is speech to it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

import numpy as np

from ridealong.cloud.frontends.cascade.audio import Floats
from ridealong.proto.types import CLOCK_HZ, Samples, samples_from_ms

START = Samples(0)
FRAME_SAMPLES = 512
CONTEXT_SAMPLES = 64
FRESH_AFTER_QUIET_FRAMES = 156
"""After 5 s of clear non-speech the recurrent state starts anew: long noise otherwise drags it down."""
CLEARLY_QUIET = 0.1


@dataclass(frozen=True, slots=True)
class Frame:
    """`at` is the first of its 512 samples."""

    at: Samples
    probability: float


class VadSession:
    """Silero's network. One per process; it keeps no state of its own, so streams may share it between threads."""

    def __init__(self, path: Path) -> None:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        self._session: Any = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        self._rate = np.array(CLOCK_HZ, dtype=np.int64)

    def step(self, samples: Floats, state: Floats) -> tuple[float, Floats]:
        """`samples` [1, 64 + 512] (the last 64 of the frame before, then the frame), `state` [2, 1, 128]."""
        probability, after = self._session.run(None, {"input": samples, "state": state, "sr": self._rate})
        return float(probability[0, 0]), after

    def stream(self, at: Samples = START) -> VadStream:
        return VadStream(self, at)


class VadStream:
    """The state of one microphone. Feed contiguous audio of any length; `restart` after a gap."""

    def __init__(self, session: VadSession, at: Samples = START) -> None:
        self._session = session
        self.restart(at)

    def restart(self, at: Samples) -> None:
        """Forgets everything; the next sample is `at`."""
        self._at = at
        self._rest = np.zeros(0, dtype=np.float32)
        self._forget()

    def _forget(self) -> None:
        self._state: Floats = np.zeros((2, 1, 128), dtype=np.float32)
        self._context: Floats = np.zeros(CONTEXT_SAMPLES, dtype=np.float32)
        self._quiet_frames = 0

    def feed(self, samples: Floats) -> list[Frame]:
        """The frames that became whole; up to 511 samples wait for the next call."""
        waiting = np.concatenate([self._rest, samples])
        whole = len(waiting) // FRAME_SAMPLES * FRAME_SAMPLES
        self._rest = waiting[whole:]
        return list(self._frames(waiting[:whole]))

    def _frames(self, samples: Floats) -> Iterator[Frame]:
        for start in range(0, len(samples), FRAME_SAMPLES):
            frame = samples[start : start + FRAME_SAMPLES]
            probability, self._state = self._session.step(np.concatenate([self._context, frame])[None], self._state)
            self._context = frame[-CONTEXT_SAMPLES:]
            self._quiet_frames = self._quiet_frames + 1 if probability < CLEARLY_QUIET else 0
            if self._quiet_frames >= FRESH_AFTER_QUIET_FRAMES:
                self._forget()
            yield Frame(self._at, probability)
            self._at = Samples(self._at + FRAME_SAMPLES)


@dataclass(frozen=True, slots=True)
class SegmenterSettings:
    """Hysteresis of `on`/`off`; speech counts after `min_speech_ms` above `on` and ends after `hangover_ms` below `off`."""

    on: float = 0.5
    off: float = 0.35
    min_speech_ms: int = 96
    hangover_ms: int = 480
    pre_roll_ms: int = 256
    post_roll_ms: int = 160
    silence_step_ms: int = 96
    max_speech_ms: int = 20_000


@dataclass(frozen=True, slots=True)
class SpeechStarted:
    """`at`: where speech began, pre-roll included. Known `min_speech_ms` later."""

    at: Samples


@dataclass(frozen=True, slots=True)
class StillSilent:
    """Somebody stopped speaking `silent_ms` ago and may go on: the moment to ask the turn model."""

    silent_ms: int
    start: Samples
    end: Samples


@dataclass(frozen=True, slots=True)
class SpeechEnded:
    """A finished segment, with pre- and post-roll. `cut`: it was ended because it grew too long."""

    start: Samples
    end: Samples
    cut: bool = False


SegmentEvent = SpeechStarted | StillSilent | SpeechEnded


class Hearing(Enum):
    QUIET = "quiet"
    RISING = "rising"
    SPEECH = "speech"
    FALLING = "falling"


class Segmenter:
    """Quiet -> rising (speech, not yet long enough) -> speech -> falling (silence, not yet long enough) -> quiet."""

    def __init__(self, settings: SegmenterSettings | None = None) -> None:
        self.settings = settings if settings is not None else SegmenterSettings()
        self.hearing = Hearing.QUIET
        self._next = Samples(0)
        self._start = Samples(0)
        self._onset = Samples(0)
        self._last_voiced = Samples(0)
        self._floor = Samples(0)
        self._said_silent_ms = 0
        self.short_bursts = 0
        """Bursts that were too short to count (clicks, slams)."""

    @property
    def speaking(self) -> bool:
        return self.hearing in (Hearing.SPEECH, Hearing.FALLING)

    def on(self, frame: Frame) -> list[SegmentEvent]:
        """Frames come in order; a position that jumps back raises ValueError and changes nothing."""
        if frame.at < self._next:
            raise ValueError(f"frame at {frame.at} overlaps one that ended at {self._next}")
        end = self._next = Samples(frame.at + FRAME_SAMPLES)
        voiced = frame.probability >= (self.settings.off if self.speaking else self.settings.on)
        events = self._voiced(frame.at, end) if voiced else self._silent(end)
        return [*events, *self._cut(end)]

    def close(self) -> list[SegmentEvent]:
        """The stream ends here (or has a gap): what was being said is finished."""
        if not self.speaking:
            self.hearing = Hearing.QUIET
            return []
        return self._end(cut=False)

    def _voiced(self, at: Samples, end: Samples) -> list[SegmentEvent]:
        if self.hearing is Hearing.QUIET:
            self._start = max(Samples(at - samples_from_ms(self.settings.pre_roll_ms)), self._floor)
            self._onset = at
            self.hearing = Hearing.RISING
        self._last_voiced = end
        self._said_silent_ms = 0
        if self.hearing is Hearing.FALLING:
            self.hearing = Hearing.SPEECH
        if self.hearing is Hearing.RISING and end - self._onset >= samples_from_ms(self.settings.min_speech_ms):
            self.hearing = Hearing.SPEECH
            return [SpeechStarted(self._start)]
        return []

    def _silent(self, end: Samples) -> list[SegmentEvent]:
        if self.hearing is Hearing.RISING:
            self.hearing = Hearing.QUIET
            self.short_bursts += 1
        if not self.speaking:
            return []
        self.hearing = Hearing.FALLING
        silent_ms = (end - self._last_voiced) * 1000 // CLOCK_HZ
        if silent_ms >= self.settings.hangover_ms:
            return self._end(cut=False)
        if silent_ms >= self._said_silent_ms + self.settings.silence_step_ms:
            self._said_silent_ms = silent_ms
            return [StillSilent(silent_ms, self._start, self._last_voiced)]
        return []

    def _cut(self, end: Samples) -> list[SegmentEvent]:
        if not self.speaking or end - self._start < samples_from_ms(self.settings.max_speech_ms):
            return []
        return self._end(cut=True)

    def _end(self, cut: bool) -> list[SegmentEvent]:
        post_roll = 0 if cut else samples_from_ms(self.settings.post_roll_ms)
        ended = SpeechEnded(self._start, Samples(self._last_voiced + post_roll), cut)
        self.hearing = Hearing.QUIET
        self._floor = ended.end
        self._said_silent_ms = 0
        return [ended]
