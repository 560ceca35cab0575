"""Levels, rooms and where the words are: numbers of sound, for scenarios. Arrays are mono float32 at 16 kHz in [-1, 1].

Does not know: who speaks, what is said, or where a sound is placed.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from ridealong.proto.types import CLOCK_HZ

Floats = NDArray[np.float32]
FRAME = CLOCK_HZ // 200
"""5 ms: a label is right to about this."""
QUIETER_DB = 35.0
"""A frame this far below the loudest is not words."""
ABOVE_FLOOR_DB = 8.0
"""... nor one that is so little above the recording's own noise ..."""
SURELY_DB = 18.0
"""... but one this near to the loudest always is."""
ACTIVE_DB = 25.0
"""A frame this far below the loudest does not count towards a level."""
SPECK = 4
"""Frames (20 ms): less than this alone is a click of the synthesis, not a word."""


class Seat(Enum):
    """Where a sound comes from, as the microphone hears it."""

    DRIVER = "driver"
    PASSENGER = "passenger"
    REAR = "rear"
    WEARER = "wearer"
    BYSTANDER = "bystander"
    LOUDSPEAKER = "loudspeaker"  # radio, telephone


@dataclass(frozen=True, slots=True)
class Acoustics:
    """`direct_db`: direct sound over reverberation. `band_hz`: 6 dB below in the bass, 9 dB in the treble."""

    direct_db: float
    decay_ms: float
    band_hz: tuple[float, float]


SEATS = {
    Seat.DRIVER: Acoustics(9.0, 90.0, (60.0, 12_000.0)),
    Seat.PASSENGER: Acoustics(4.0, 100.0, (60.0, 10_000.0)),
    Seat.REAR: Acoustics(-1.0, 110.0, (70.0, 7_000.0)),
    Seat.WEARER: Acoustics(16.0, 250.0, (50.0, 14_000.0)),
    Seat.BYSTANDER: Acoustics(0.0, 350.0, (70.0, 9_000.0)),
    Seat.LOUDSPEAKER: Acoustics(0.0, 120.0, (220.0, 5_000.0)),
}


def decibels(ratio: float) -> float:
    return 20.0 * float(np.log10(max(ratio, 1e-9)))


def gain(db: float) -> float:
    return float(10.0 ** (db / 20.0))


def rms(samples: Floats) -> float:
    return float(np.sqrt(np.mean(samples.astype(np.float64) ** 2))) if len(samples) else 0.0


def frame_levels(samples: Floats, frame: int = FRAME) -> NDArray[np.float64]:
    """RMS of every whole frame."""
    whole = samples[: len(samples) // frame * frame].astype(np.float64).reshape(-1, frame)
    return np.asarray(np.sqrt(np.mean(whole**2, axis=1)))


def active_level_db(samples: Floats) -> float:
    """RMS in dBFS over the frames that are sound, so that pauses do not count; -180 for silence."""
    levels = frame_levels(samples, 2 * FRAME)
    if len(levels) == 0 or levels.max() == 0:
        return -180.0
    active = levels[levels > levels.max() * gain(-ACTIVE_DB)]
    return decibels(float(np.sqrt(np.mean(active**2))))


def at_level(samples: Floats, level_db: float) -> Floats:
    """The same sound with this active level."""
    found = active_level_db(samples)
    return samples if found <= -150 else np.asarray(samples * gain(level_db - found), dtype=np.float32)


def words_within(samples: Floats) -> tuple[int, int]:
    """First and last+1 sample of the sound, by energy; (0, 0) for silence. Specks below 20 ms at the edges are left out."""
    levels = frame_levels(samples)
    if len(levels) == 0 or levels.max() == 0:
        return 0, 0
    floor = float(np.quantile(levels, 0.1)) * gain(ABOVE_FLOOR_DB)
    threshold = min(max(float(levels.max()) * gain(-QUIETER_DB), floor), float(levels.max()) * gain(-SURELY_DB))
    loud = levels > threshold
    edges = np.flatnonzero(np.diff(np.concatenate([[False], loud, [False]]).astype(np.int8)))
    stretches = [(int(a), int(b)) for a, b in zip(edges[::2], edges[1::2], strict=True)]
    kept = [stretch for stretch in stretches if stretch[1] - stretch[0] >= SPECK] or stretches
    first, last = kept[0][0] * FRAME, kept[-1][1] * FRAME
    inside = np.flatnonzero(np.abs(samples[first:last]) > threshold)
    return first + int(inside[0]), first + int(inside[-1]) + 1


def impulse_response(seat: Seat, seed: int) -> Floats:
    """From the mouth to the microphone: the direct sound at sample 0, then a decaying tail; energy 1. Seeded: another place each."""
    here = SEATS[seat]
    random = np.random.default_rng([seed, 7])
    decay_ms = here.decay_ms * random.uniform(0.8, 1.25)
    count = max(2, round(decay_ms * CLOCK_HZ / 1000))
    tail = random.standard_normal(count) * 10 ** (-3.0 * np.arange(count) / count)
    tail[: CLOCK_HZ // 1000] = 0  # nothing in a cabin is nearer than a third of a metre more
    tail *= gain(-here.direct_db + random.uniform(-1.5, 1.5)) / np.sqrt(np.sum(tail**2))
    tail[0] = 1.0
    return np.asarray(tail / np.sqrt(np.sum(tail**2)), dtype=np.float32)


def through(samples: Floats, seat: Seat, seed: int) -> Floats:
    """As the microphone hears it from there, at its old active level; longer by the room's decay. The first sample stays the first."""
    response = impulse_response(seat, seed)
    count = len(samples) + len(response) - 1
    size = 1 << (count + 512).bit_length()
    low, high = SEATS[seat].band_hz
    hertz = np.fft.rfftfreq(size, 1 / CLOCK_HZ)
    band = (1j * hertz / (low + 1j * hertz)) ** 2 / (1 + 1j * hertz / high) ** 3  # causal: nothing is heard before it is said
    spectrum = np.fft.rfft(samples, size) * np.fft.rfft(response, size) * band
    heard = np.fft.irfft(spectrum, size)[:count].astype(np.float32)
    return at_level(heard, active_level_db(samples))


def shifted(samples: Floats, factor: float) -> Floats:
    """Played `factor` times as fast: pitch and formants go up together."""
    import soxr

    if factor == 1.0 or len(samples) == 0:
        return samples
    return np.asarray(soxr.resample(samples, CLOCK_HZ * factor, CLOCK_HZ, quality="HQ"), dtype=np.float32)


def pcm16(samples: Floats) -> NDArray[np.int16]:
    """Clipped softly enough: scenarios keep well below full scale."""
    return np.asarray(np.clip(np.rint(samples * 32768.0), -32768, 32767), dtype=np.int16)
