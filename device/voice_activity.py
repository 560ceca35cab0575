"""A hint whether somebody speaks: webrtcvad over frames of 20 ms, one each 10 ms, with hangover. A hint only: the cloud decides.

Does not know: echo, who speaks, or what follows from the hint.
"""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass, field
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from ridealong.errors import UserError
from ridealong.proto.types import CLOCK_HZ

FRAME_SAMPLES: Final = CLOCK_HZ * 20 // 1000
HOP_SAMPLES: Final = FRAME_SAMPLES // 2
ONSET_FRAMES: Final = 3
HANGOVER_FRAMES: Final = 29
NOISE_MARGIN_DB: Final = 3.0
RISE_DB: Final = 0.1  # a hop that does not sound like speech: 10 dB a second
SLOW_RISE_DB: Final = 0.01  # one that does
FALL_DB: Final = 0.035
QUIET_DB: Final = 6.0  # so far below the floor: it follows at once
EMPHASIS: Final = 0.95
WINDOW_FRAMES: Final = 200
EVERY_FRAMES: Final = 20
DIPS: Final = 0.2
FULL_SCALE: Final = 32768.0
SILENCE_DB: Final = -96.0
SPEECH_BINS: Final = slice(3, 69)  # of 50 Hz
_WINDOW: Final = np.hanning(FRAME_SAMPLES + 1)[:-1]


class Detector(Protocol):
    def is_speech(self, buf: bytes, sample_rate: int) -> bool: ...


def webrtc_detector(aggressiveness: int = 2) -> Detector:
    try:
        import webrtcvad
    except ImportError:
        raise UserError("the package webrtcvad is missing: install it with  pip install 'ridealong[device]'.") from None
    detector: Detector = webrtcvad.Vad(aggressiveness)
    return detector


def level_db(pcm16: NDArray[np.int16] | NDArray[np.float64]) -> float:
    """Mean power in dB of full scale."""
    if not len(pcm16):
        return SILENCE_DB
    power = float(np.mean(pcm16.astype(np.float64) ** 2)) / FULL_SCALE**2
    return max(SILENCE_DB, 10 * math.log10(power)) if power > 0 else SILENCE_DB


def speech_band_db(frame: NDArray[np.int16] | NDArray[np.float64]) -> float:
    """Level of a frame between 150 and 3400 Hz: what a microphone keeps when it drops to the telephone's band, without the road's rumble."""
    spectrum = np.fft.rfft(frame * _WINDOW)[SPEECH_BINS] / FULL_SCALE
    power = 2 * float(np.sum(spectrum.real**2 + spectrum.imag**2)) / (len(frame) * float(np.sum(_WINDOW**2)))
    return max(SILENCE_DB, 10 * math.log10(power)) if power > 0 else SILENCE_DB


@dataclass(frozen=True, slots=True)
class Voice:
    """`now`: this block sounds like speech. `hint`: held over pauses within words. `level_db`: of the block."""

    now: bool
    hint: bool
    level_db: float


@dataclass(slots=True)
class VoiceActivity:
    """Takes blocks of any length; the rest of a frame waits for the next.

    The noise floor is one of pre-emphasised sound in the telephone's band: a car is loud where speech is not, and a microphone whose rate
    changes shifts no threshold. It lies at about the upper quartile of what does not sound like speech, so that steady noise, which the
    detector takes for speech now and then, does not reach over the margin. Speech dips: what a fifth of the last 2 s lay below is no louder
    than the background, whatever the detector says.
    """

    detector: Detector
    floor_db: float = -60.0
    _levels: deque[float] = field(default_factory=lambda: deque(maxlen=WINDOW_FRAMES))
    _frames: int = 0
    _rest: NDArray[np.int16] = field(default_factory=lambda: np.zeros(0, np.int16))
    _run: int = 0
    _hang: int = 0

    def on(self, pcm16: NDArray[np.int16]) -> Voice:
        samples = np.concatenate([self._rest, pcm16]) if len(self._rest) else pcm16
        now = False
        at = 0
        while at + FRAME_SAMPLES <= len(samples):
            now |= self._frame(samples[at : at + FRAME_SAMPLES])
            at += HOP_SAMPLES
        self._rest = samples[at:].copy()
        return Voice(now, self._hang > 0, level_db(pcm16))

    def reset(self) -> None:
        """The source changed: what was waiting belongs to another sound."""
        self._rest = self._rest[:0]
        self._levels.clear()
        self._run = self._hang = 0

    def _frame(self, frame: NDArray[np.int16]) -> bool:
        level = speech_band_db(np.append(0.0, frame[1:] - EMPHASIS * frame[:-1]))
        sounds = self.detector.is_speech(frame.astype("<i2").tobytes(), CLOCK_HZ)
        if level < self.floor_db - QUIET_DB:
            self.floor_db = level + QUIET_DB
        elif level < self.floor_db:
            self.floor_db -= FALL_DB
        else:
            self.floor_db += SLOW_RISE_DB if sounds else RISE_DB
        self._levels.append(level)
        self._frames += 1
        if self._frames % EVERY_FRAMES == 0 and len(self._levels) == WINDOW_FRAMES:
            self.floor_db = max(self.floor_db, sorted(self._levels)[int(DIPS * WINDOW_FRAMES)])
        self.floor_db = max(SILENCE_DB, min(self.floor_db, -20.0))
        speech = sounds and level > self.floor_db + NOISE_MARGIN_DB
        self._run = self._run + 1 if speech else 0
        if self._run >= ONSET_FRAMES:
            self._hang = HANGOVER_FRAMES
        elif self._hang:
            self._hang -= 1
        return speech
