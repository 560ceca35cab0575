"""Loud events in the microphone: a jump far above what was there, and its shape: a bang, or a noise that lasts. Pure.

    16 kHz PCM -> level per 10 ms -> jump over the floor and over the recent loudest -> shape within 0.6 s (bang) or 1.2 s (lasting)

Everything is relative to the noise around: the floor follows the quiet moments, the ceiling the loud ones. Speech is kept out by its
shape: it rises slower, its level goes up and down with the syllables, and it has a pitch. While our own speaker is active, and shortly
after, nothing counts. Does not know what made the sound: a siren, a horn and a dog are not told apart.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from ridealong.harness.conditions import Noise, SoundShape
from ridealong.proto.types import CLOCK_HZ, Samples

Floats = npt.NDArray[np.float64]

HOP = 160
JUMP_DB = 24.0
"""Above the floor."""
OVER_CEILING_DB = 8.0
"""Above the loudest of the last seconds …"""
OVER_TALK_DB = 14.0
"""… and so much where something was going on just before: a hard consonant amid a sentence is no slam."""
BUSY_DB = 12.0
BUSY_HOPS = 50
BUSY_SHARE = 0.2
LEAST_DBFS = -32.0
SURE_DB = 12.0
"""So much more than JUMP_DB makes it certain."""
FLOOR_UP_DB = 0.03
CEILING_DOWN_DB = 0.02
"""A hop's worth: 3 dB and 2 dB a second."""
WARM_UP_HOPS = 300
AFTER_US_HOPS = 40
BANG_HOPS = 60
LASTING_HOPS = 120
ATTACK_HOPS = 3
BANG_DECAY_DB = 12.0
BANG_DECAY_HOPS = 25
PITCHED = 0.68
PITCHED_OVERTONES = 0.4
"""Without the lowest tones, which the thump of a door has too."""
STEADY_DB = 3.5
SILENT_DBFS = -96.0


@dataclass(slots=True)
class LoudSounds:
    """Feed the parts of one microphone, in order. A gap, or a microphone that was off, starts it anew."""

    floor_db: float = -50.0
    ceiling_db: float = -50.0
    _next: Samples = Samples(-1)
    _hops: int = 0
    _mute: int = 0
    _armed: bool = True
    _busy: deque[bool] = field(default_factory=lambda: deque(maxlen=BUSY_HOPS))
    _rest: Floats = field(default_factory=lambda: np.zeros(0))
    _since: list[tuple[Floats, float]] = field(default_factory=list)  # from the onset on: samples and level of each hop
    _onset: Samples = Samples(0)
    _before: tuple[float, float] = (0.0, 0.0)  # floor and ceiling at the onset

    def on_part(self, start: Samples, pcm16: bytes, speaker_active: bool) -> list[Noise]:
        """The events that have become clear. `pcm16` empty: the microphone is not live."""
        if not pcm16:
            self._reset()
            return []
        if start != self._next:
            self._reset()
        samples = np.frombuffer(pcm16, dtype="<i2").astype(np.float64) / 32768
        self._next = Samples(start + len(samples))
        waiting = np.concatenate([self._rest, samples])
        at = start - len(self._rest)
        whole = len(waiting) // HOP * HOP
        self._rest = waiting[whole:]
        if speaker_active:
            self._mute = AFTER_US_HOPS + whole // HOP
        found: list[Noise] = []
        for offset in range(0, whole, HOP):
            found += self._hop(Samples(at + offset), waiting[offset : offset + HOP])
        return found

    def _reset(self) -> None:
        self._hops, self._since, self._rest = 0, [], np.zeros(0)
        self._busy.clear()

    def _hop(self, at: Samples, samples: Floats) -> list[Noise]:
        level = _dbfs(samples)
        if self._mute:
            self._mute -= 1
            self._since, self._armed = [], False  # what is loud when we fall silent began before
            return []
        if self._since:
            self._since.append((samples, level))
            return self._judge()
        over_db = OVER_TALK_DB if sum(self._busy) > BUSY_SHARE * BUSY_HOPS else OVER_CEILING_DB
        loud = level >= max(self.floor_db + JUMP_DB, self.ceiling_db + over_db, LEAST_DBFS)
        if loud and self._armed and self._hops >= WARM_UP_HOPS:
            self._since, self._onset, self._before = [(samples, level)], at, (self.floor_db, self.ceiling_db)
            return []
        self._armed = self._armed or not loud
        self._follow(level)
        return []

    def _follow(self, level: float) -> None:
        self._hops += 1
        level = max(level, SILENT_DBFS)
        self._busy.append(level > self.floor_db + BUSY_DB)
        if self._hops == 1:
            self.floor_db = self.ceiling_db = level
        up = 0.3 if self._hops < WARM_UP_HOPS else FLOOR_UP_DB
        self.floor_db = level if level < self.floor_db else min(level, self.floor_db + up)
        self.ceiling_db = max(level, self.ceiling_db - CEILING_DOWN_DB)

    def _judge(self) -> list[Noise]:
        levels = [level for _, level in self._since]
        shape: SoundShape | None = None
        if len(levels) == BANG_HOPS:
            shape = SoundShape.BANG if self._is_bang(levels) else None
            quiet_again = levels[-1] < self._before[0] + JUMP_DB - 12 and levels[-2] < self._before[0] + JUMP_DB - 12
            if shape is None and not quiet_again:
                return []
        elif len(levels) < LASTING_HOPS:
            return []
        else:
            shape = SoundShape.LASTING if self._lasts(levels) else None
        found = self._noise(shape, levels) if shape is not None else []
        self._since = []
        for level in levels:
            self._follow(level)
        return found

    def _noise(self, shape: SoundShape, levels: list[float]) -> list[Noise]:
        peak = max(levels[:ATTACK_HOPS]) if shape is SoundShape.BANG else float(np.median(levels))
        over = min(peak - self._before[0] - JUMP_DB, peak - self._before[1] - OVER_CEILING_DB + SURE_DB / 2)
        return [Noise(self._onset, shape, round(float(min(1.0, max(0.5, 0.5 + over / (2 * SURE_DB)))), 3))]

    def _is_bang(self, levels: list[float]) -> bool:
        peak_at = int(np.argmax(levels))
        if peak_at > ATTACK_HOPS:
            return False
        tail = levels[peak_at : peak_at + BANG_DECAY_HOPS]
        fallen = levels[peak_at] - min(tail) >= BANG_DECAY_DB
        stays = np.median(levels[peak_at + BANG_DECAY_HOPS :]) <= levels[peak_at] - BANG_DECAY_DB
        return bool(fallen and stays) and not self._voiced(peak_at)

    def _voiced(self, peak_at: int) -> bool:
        """A pitch at the peak or just after it: a syllable that begins with a hard consonant."""
        for first in (peak_at, peak_at + 5):
            sound = np.concatenate([samples for samples, _ in self._since[first : first + 10]])
            if pitch_strength(np.diff(sound)) >= PITCHED_OVERTONES or pitch_strength(sound) >= PITCHED:
                return True
        return False

    def _lasts(self, levels: list[float]) -> bool:
        held = [level >= self._before[0] + JUMP_DB - 6 for level in levels]
        late = np.array(levels[20:])
        smooth = np.convolve(late, np.ones(5) / 5, mode="valid")
        return bool(np.mean(held) >= 0.95 and np.std(smooth) <= STEADY_DB)


def _dbfs(samples: Floats) -> float:
    return float(10 * np.log10(np.mean(samples * samples) + 1e-12))


def pitch_strength(samples: Floats) -> float:
    """Highest normalised autocorrelation at the lags of a voice (80–400 Hz): about 0 for noise, near 1 for a vowel."""
    centred = samples - samples.mean()
    low, high = CLOCK_HZ // 400, CLOCK_HZ // 80
    if len(centred) <= high + HOP:
        return 0.0
    best = 0.0
    for lag in range(low, high, 2):
        ahead, behind = centred[lag:], centred[:-lag]
        energy = float(np.sqrt(np.dot(ahead, ahead) * np.dot(behind, behind)))
        best = max(best, float(np.dot(ahead, behind)) / energy if energy else 0.0)
    return best
