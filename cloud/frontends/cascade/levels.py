"""What loudness alone tells: the near voice from a murmur behind it, and words from noise that has none.

Each frame's power is a mean over the last few. A segment's own level, the near voice's usual level (told by who judges utterances) and the
level of the last long sound without words are what it is compared with. That noise level fades once the noise has gone, and is given up
when somebody speaks at it.

Does not know voice activity, when a turn ends, or whose voice it is.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

import numpy as np

from ridealong.cloud.frontends.cascade.segment import FRAME, Audio, Segment, Text
from ridealong.proto.types import CLOCK_HZ, Samples, samples_from_ms

SMOOTHED_FRAMES = 5  # a level is a mean over so many frames (160 ms), so that a stop consonant is no pause
SETTLED_MS = 480  # voiced sound before a segment's level is trusted
BELOW_DB = 11.0
"""This far below the voice that is speaking, a frame is background: other people's talk does not hold the turn."""
ABOVE_DB = 9.0
"""This far above what has been heard, a nearer voice begins: what came before is an utterance of its own."""
TAIL_MS = 320  # a soft last syllable may follow the loud ones by so much
WORDLESS_MS = 1_500  # so long a sound without words tells the level of the noise
NO_WORDS = 0.6  # the recogniser's own probability that nobody spoke
OVER_NOISE_DB = 2.0  # what is not louder than that level by so much is noise, too
NOISE_FADES_DB = 2.0  # a second, while it is quieter than that level by more than NOISE_DIPS_DB
NOISE_DIPS_DB = 6.0


@dataclass(slots=True)
class Levels:
    """One per stream."""

    usual_db: float | None = None  # the near voice's usual level, told by who judges utterances
    noise_db: float | None = None  # the level of the last sound that had no words, while it lasts
    _powers: deque[float] = field(default_factory=lambda: deque(maxlen=SMOOTHED_FRAMES))

    def on_frame(self, frame: Audio) -> float:
        """The next FRAME samples; its power, smoothed."""
        self._powers.append(float(np.mean(frame**2)) + 1e-12)
        power = sum(self._powers) / len(self._powers)
        if self.noise_db is not None and 10 * float(np.log10(power)) < self.noise_db - NOISE_DIPS_DB:
            self.noise_db -= NOISE_FADES_DB * FRAME / CLOCK_HZ
        return power

    def on_text(self, segment: Segment, text: Text) -> None:
        """A long sound turned out to have words, or none."""
        if segment.voiced < samples_from_ms(WORDLESS_MS):
            return
        segment.wordless = not text.text.strip() or text.no_speech > NO_WORDS
        if segment.wordless:
            self.noise_db = 10 * float(np.log10(segment.power + 1e-12))
        elif self.is_noise(segment.power):
            self.noise_db = None  # somebody speaks at that level

    def is_noise(self, power: float) -> bool:
        return self.noise_db is not None and 10 * float(np.log10(power + 1e-12)) < self.noise_db + OVER_NOISE_DB

    def murmur(self, segment: Segment) -> bool:
        """Without words, no louder than noise that had none, or far below the usual level of the near voice, once that is known."""
        if segment.wordless or (_settled(segment) and self.is_noise(segment.power)):
            return True
        return self.usual_db is not None and 10 * float(np.log10(segment.power + 1e-12)) < self.usual_db - BELOW_DB

    @staticmethod
    def background(segment: Segment, power: float, now: Samples) -> bool:
        """So much softer than the voice that is speaking, for so long, that it is somebody, or something, behind it."""
        if not _settled(segment) or power >= segment.power * 10 ** (-BELOW_DB / 10):
            segment.loud_until = now
            return False
        return now - segment.loud_until > samples_from_ms(TAIL_MS)

    @staticmethod
    def nearer(segment: Segment, speech: bool, power: float) -> int:
        """For how many frames on end a much louder voice has been over a murmur that had opened the segment."""
        louder = speech and power > segment.power * 10 ** (ABOVE_DB / 10)
        segment.near = segment.near + 1 if louder and _settled(segment) else 0
        return segment.near


def _settled(segment: Segment) -> bool:
    return segment.voiced >= samples_from_ms(SETTLED_MS)


def loudness_db(audio: Audio) -> float:
    """RMS of the loudest half, in dBFS."""
    if not len(audio):
        return -120.0
    blocks = audio[: len(audio) // FRAME * FRAME].reshape(-1, FRAME) if len(audio) >= FRAME else audio[None]
    power = np.sort((blocks**2).mean(axis=1))
    return float(10 * np.log10(power[len(power) // 2 :].mean() + 1e-12))
