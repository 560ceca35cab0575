"""Noise under and between the speech: a car on the road, and what cracks, knocks and hoots. Made from seeds, in two families.

Road noise is the sum of three parts: engine (harmonics of its firing rate), tyres (a steep low spectrum with a hump near 1 kHz, the
"horn" of the tyre's contact patch), wind (a slope of its own that grows with the sixth power of speed, tyres with the third). The
families differ in every parameter's range, so that what was tuned on one car is reported on another.

Arrays are float32 at 16 kHz. A bed is a loop without a seam. Does not know: speech, or at which level it will be heard.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from ridealong.proto.types import CLOCK_HZ
from ridealong.simulators.scenarios.acoustics import Floats, gain, rms
from ridealong.simulators.scenarios.scenario import Split

BED_S = 12
Wave = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Family:
    """A car, with what is in it. Pairs are ranges to draw from."""

    slope_db: tuple[float, float]  # of tyre noise, per octave above 60 Hz
    hump_hz: tuple[float, float]
    hump_db: tuple[float, float]
    wind_slope_db: tuple[float, float]
    firing_hz: tuple[float, float]  # at 50 km/h
    click_hz: tuple[float, float]
    horn_hz: tuple[float, float]
    knock_hz: tuple[float, float]
    wiper_s: tuple[float, float]


FAMILIES = {
    Split.TUNE: Family(
        (-11.0, -9.5), (650, 850), (2, 5), (-8.0, -7.0), (34, 46), (1_900, 2_400), (330, 370), (55, 75), (1.25, 1.5)
    ),
    Split.REPORT: Family(
        (-9.4, -8.0), (900, 1_250), (3, 7), (-6.9, -6.0), (50, 70), (2_700, 3_500), (400, 460), (85, 120), (0.85, 1.1)
    ),
}


class Event(Enum):
    INDICATOR = "indicator"
    DOOR = "door"
    COUGH = "cough"
    HORN = "horn"
    WIPERS = "wipers"
    RAIN = "rain"


def _hertz(count: int) -> Wave:
    return np.asarray(np.arange(count // 2 + 1) * (CLOCK_HZ / count), dtype=np.float64)


def _slope(hertz: Wave, db_per_octave: float, knee_hz: float) -> Wave:
    octaves = np.log2(np.maximum(hertz, knee_hz) / knee_hz)
    return np.asarray(10 ** (db_per_octave * octaves / 20), dtype=np.float64)


def _shaped(random: Generator, shape: Wave, count: int) -> Wave:
    spectrum = np.fft.rfft(random.standard_normal(count)) * shape
    return np.asarray(np.fft.irfft(spectrum, count), dtype=np.float64)


def road(split: Split, speed_kmh: float, seed: int, rain: bool = False, seconds: int = BED_S) -> Floats:
    """A loop of car noise at this speed, RMS 0.1, above 80 Hz as a car's microphone hears it."""
    family, random = FAMILIES[split], np.random.default_rng([seed, 11])
    count = seconds * CLOCK_HZ
    hertz = _hertz(count)
    microphone = hertz**4 / (hertz**4 + 80.0**4)
    hump = 1 + (gain(random.uniform(*family.hump_db)) - 1) * np.exp(
        -(np.log2(np.maximum(hertz, 1) / random.uniform(*family.hump_hz)) ** 2) * 4
    )
    tyres = _shaped(random, microphone * _slope(hertz, random.uniform(*family.slope_db), 60) * hump, count)
    wind = _shaped(random, microphone * _slope(hertz, random.uniform(*family.wind_slope_db), 120), count)
    parts = _unit(tyres) * (speed_kmh / 50) ** 1.5 + _unit(wind) * 0.35 * (speed_kmh / 50) ** 3
    parts = parts * _swell(random, count) + _engine(random, family, speed_kmh, count) * 0.35
    if rain:
        parts = parts + _unit(_drops(random, family, count)) * 0.6 * rms(np.asarray(parts, dtype=np.float32))
    return np.asarray(_unit(parts) * 0.1, dtype=np.float32)


def _summed(parts: Iterable[Wave]) -> Wave:
    return np.asarray(np.sum(list(parts), axis=0), dtype=np.float64)


def _unit(samples: Wave) -> Wave:
    return np.asarray(samples / max(1e-12, float(np.sqrt(np.mean(samples**2)))), dtype=np.float64)


def _swell(random: Generator, count: int) -> Wave:
    """The road's surface changes slowly: within 2 dB, the same at both ends of the loop."""
    turns = np.arange(count) / count * 2 * np.pi
    waves = _summed(np.sin(turns * cycles + random.uniform(0, 2 * np.pi)) for cycles in (1, 2, 5))
    return np.asarray(10 ** (0.7 * waves / 20), dtype=np.float64)


def _engine(random: Generator, family: Family, speed_kmh: float, count: int) -> Wave:
    turns_in_loop = round(random.uniform(*family.firing_hz) * (0.6 + 0.4 * speed_kmh / 50) * count / CLOCK_HZ)
    phase = np.arange(count) / count * 2 * np.pi * turns_in_loop
    return _unit(_summed(0.6**n * np.sin(phase * n + random.uniform(0, 2 * np.pi)) for n in range(1, 9)))


def _drops(random: Generator, family: Family, count: int) -> Wave:
    """Rain on sheet metal: many short knocks over a hiss."""
    ring_hz = 0.7 * random.uniform(*family.click_hz)
    hertz = _hertz(count)
    hits = np.zeros(count)
    hits[random.integers(0, count, count // 250)] = random.exponential(1.0, count // 250)
    knock = np.exp(-np.arange(200) / 25) * np.sin(2 * np.pi * ring_hz / CLOCK_HZ * np.arange(200))
    ring = np.fft.irfft(np.fft.rfft(hits) * np.fft.rfft(knock, count), count)
    return _unit(ring) + 0.5 * _unit(_shaped(random, _slope(hertz, -2, 400), count))


def event(kind: Event, split: Split, seed: int) -> Floats:
    """One such noise, peak 0.5; 0.1 to 4 s long."""
    random = np.random.default_rng([seed, 13, list(Event).index(kind)])
    made = _EVENTS[kind](random, FAMILIES[split])
    return np.asarray(made / max(1e-12, float(np.abs(made).max())) * 0.5, dtype=np.float32)


def _decay(count: int, ms: float) -> Wave:
    return np.asarray(np.exp(-np.arange(count) / (ms * CLOCK_HZ / 1000)), dtype=np.float64)


def _band(random: Generator, count: int, low_hz: float, high_hz: float) -> Wave:
    hertz = _hertz(count)
    shape = (hertz**4 / (hertz**4 + low_hz**4)) / (1 + (hertz / high_hz) ** 4)
    return _unit(_shaped(random, shape, count))


def _indicator(random: Generator, family: Family) -> Wave:
    """Tick, tock: two different clicks in turn, about 1.5 of each pair a second."""
    hz, period = random.uniform(*family.click_hz), random.uniform(0.32, 0.42)
    made = np.zeros(round(CLOCK_HZ * period * random.integers(4, 9)) + 800)
    for number, at in enumerate(np.arange(0, len(made) - 800, period * CLOCK_HZ)):
        click = _band(random, 640, 0.6 * hz, 1.4 * hz) * _decay(640, 4.0) * (1.0 if number % 2 == 0 else 0.6)
        made[int(at) : int(at) + 640] += click
    return made


def _door(random: Generator, family: Family) -> Wave:
    """A thud, then the lock."""
    count = round(CLOCK_HZ * random.uniform(0.25, 0.45))
    hz = random.uniform(*family.knock_hz)
    thud = np.sin(2 * np.pi * hz * np.arange(count) / CLOCK_HZ) * _decay(count, 60) + 0.5 * _band(
        random, count, 60, 700
    ) * _decay(count, 35)
    lock = round(CLOCK_HZ * random.uniform(0.04, 0.09))
    thud[lock:] += 0.35 * _band(random, count - lock, 900, 3_500) * _decay(count - lock, 12)
    return np.asarray(thud, dtype=np.float64)


def _cough(random: Generator, family: Family) -> Wave:
    """One to three bursts: a sharp onset of broad noise through a throat's resonances, then a voiced remainder."""
    pieces = []
    throat_hz = random.uniform(0.9, 1.1) * (550 if family.knock_hz[0] < 80 else 720)
    for _ in range(random.integers(1, 4)):
        count = round(CLOCK_HZ * random.uniform(0.16, 0.3))
        burst = _band(random, count, 250, 3_000) * _decay(count, 45) + 0.7 * _band(
            random, count, 0.7 * throat_hz, 1.4 * throat_hz
        ) * _decay(count, 70)
        rise = min(count, CLOCK_HZ // 150)
        burst[:rise] *= np.linspace(0, 1, rise)
        pieces += [burst * random.uniform(0.6, 1.0), np.zeros(round(CLOCK_HZ * random.uniform(0.08, 0.25)))]
    return np.concatenate(pieces)


def _horn(random: Generator, family: Family) -> Wave:
    """Two tones a third apart, with many harmonics, from outside."""
    count = round(CLOCK_HZ * random.uniform(0.25, 1.1))
    t, hz = np.arange(count) / CLOCK_HZ, random.uniform(*family.horn_hz)
    made = _summed(np.sin(2 * np.pi * base * n * t) / n for base in (hz, hz * 1.26) for n in range(1, 9))
    edge = min(count // 3, CLOCK_HZ // 40)
    made[:edge] *= np.linspace(0, 1, edge)
    made[-edge:] *= np.linspace(1, 0, edge)
    return np.asarray(made, dtype=np.float64)


def _wipers(random: Generator, family: Family) -> Wave:
    """There and back, with a knock where the blade turns."""
    period = round(CLOCK_HZ * random.uniform(*family.wiper_s))
    made = np.zeros(period * 3)
    for at in range(0, len(made), period):
        sweep = _band(random, period // 2, 300, 1_500) * np.sin(np.linspace(0, np.pi, period // 2)) * 0.3
        made[at : at + period // 2] += sweep
        knock = _band(random, 1_200, 80, 600) * _decay(1_200, 20)
        made[at + period // 2 : at + period // 2 + 1_200] += knock
    return made


def _rain(random: Generator, family: Family) -> Wave:
    """A gust of it."""
    count = round(CLOCK_HZ * random.uniform(1.5, 3.5))
    return _drops(random, family, count) * np.sin(np.linspace(0.05, np.pi - 0.05, count))


_EVENTS: dict[Event, Callable[[Generator, Family], Wave]] = {
    Event.INDICATOR: _indicator,
    Event.DOOR: _door,
    Event.COUGH: _cough,
    Event.HORN: _horn,
    Event.WIPERS: _wipers,
    Event.RAIN: _rain,
}
