"""A case as a microphone in a moving car hears it: every turn said by a synthetic voice from its seat, through the cabin, in the car's noise.

    sound_of(case, delivery, speech) -> Sound

Voice, car, speed and places are drawn from the seed and the case's id: the same each time. The noise is made (a road, in the family that belongs
to the voice), or a recording's. The ratio of speech to noise is active level over RMS, as in `eval duplex`. One voice says all turns of a case,
a passenger's from the passenger's seat. Does not know what is heard, or what should come of it.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from ridealong.errors import UserError
from ridealong.proto.types import CLOCK_HZ
from ridealong.simulators.evaluation.calls.cases import Case
from ridealong.simulators.scenarios.acoustics import Floats, Seat, at_level, gain, rms, through
from ridealong.simulators.scenarios.noises import BED_S, road
from ridealong.simulators.scenarios.realise import finished, words_of
from ridealong.simulators.scenarios.recordings import looped, samples_of
from ridealong.simulators.scenarios.scenario import Split
from ridealong.simulators.scenarios.settings import CARS
from ridealong.simulators.scenarios.speech import Speech
from ridealong.simulators.scenarios.voices import BY_NAME, Voice, grown

SNR_DB: Final = 10.0
SNRS_DB: Final = (-10.0, 60.0)
SPEECH_DB: Final = (-27.5, -24.5)
BEFORE_S, BETWEEN_S, BEHIND_S = 1.5, 4.0, 4.0
"""Noise alone: before the first word, between two turns, and behind the last."""
SEATS: Final = {"driver": Seat.DRIVER, "passenger": Seat.PASSENGER}


@dataclass(frozen=True, slots=True)
class Delivery:
    """How cases are said. `voices`: names; each language is said by its own. `noise`: a recording instead of a made road."""

    voices: tuple[str, ...]
    snr_db: float = SNR_DB
    noise: Path | None = None
    seed: int = 1


@dataclass(frozen=True, slots=True, eq=False)
class Sound:
    """`samples`: 16 kHz, in [-1, 1]; `onsets`: where each turn's words begin."""

    samples: Floats
    onsets: tuple[int, ...]


def voices_named(given: Sequence[str]) -> tuple[str, ...]:
    """Names of voices; "report" and "tune" stand for the grown-ups of that split. Raises UserError for what is neither."""
    found: list[str] = []
    for name in given:
        if name in (split.value for split in Split):
            found += [voice.name for locale in ("en", "zh") for voice in grown(Split(name), locale)]
        elif name in BY_NAME:
            found.append(name)
        else:
            raise UserError(f"--voices knows no {name!r}; there are report, tune, {', '.join(sorted(BY_NAME))}.")
    return tuple(dict.fromkeys(found))


def check_delivery(delivery: Delivery, cases: Sequence[Case]) -> None:
    """Raises UserError where a language of the cases has no voice, the noise can't be read or is silence, or the ratio is out of range."""
    spoken = {BY_NAME[name].locale for name in delivery.voices}
    if lacking := sorted({case.locale for case in cases} - spoken):
        raise UserError(f"--voices names none that speaks {lacking[0]}: add one, or give report or tune.")
    if not SNRS_DB[0] <= delivery.snr_db <= SNRS_DB[1]:
        raise UserError(f"--snr must lie between {SNRS_DB[0]:g} and {SNRS_DB[1]:g} dB.")
    if delivery.noise is not None and rms(samples_of(delivery.noise)) < 1e-6:
        raise UserError(f"{delivery.noise} is silence: give another --noise.")


def sound_of(case: Case, delivery: Delivery, speech: Speech) -> Sound:
    """The same for the same case and delivery."""
    random = np.random.default_rng([delivery.seed, zlib.crc32(case.id.encode())])
    able = [BY_NAME[name] for name in delivery.voices if BY_NAME[name].locale == case.locale]
    voice = able[int(random.integers(len(able)))]
    seat, place, level_db = SEATS[case.situation.speaker], int(random.integers(1 << 30)), float(random.uniform(*SPEECH_DB))
    pieces, onsets, at = [_nothing(BEFORE_S)], [], round(BEFORE_S * CLOCK_HZ)
    for number, text in enumerate(case.turns):
        dry = words_of(speech.say(finished(text), voice))
        wet = at_level(through(dry, seat, place), level_db)
        onsets.append(at)
        pieces += [wet, _nothing(BETWEEN_S if number + 1 < len(case.turns) else BEHIND_S)]
        at += len(wet) + len(pieces[-1])
    said = np.concatenate(pieces)
    noise = _noise(delivery, voice, random, len(said))
    heard = said + noise * np.float32(gain(level_db - delivery.snr_db) / rms(noise))
    return Sound(np.asarray(np.clip(heard, -1.0, 1.0), dtype=np.float32), tuple(onsets))


def _noise(delivery: Delivery, voice: Voice, random: np.random.Generator, count: int) -> Floats:
    if delivery.noise is not None:
        return looped(samples_of(delivery.noise), int(random.integers(1 << 30)), count)
    setting = CARS[int(random.integers(len(CARS)))]
    speed_kmh = setting.speeds_kmh[int(random.integers(len(setting.speeds_kmh)))]
    bed = road(voice.split, speed_kmh, int(random.integers(1 << 30)), setting.rain, BED_S)
    return np.asarray(np.resize(bed, count), dtype=np.float32)


def _nothing(seconds: float) -> Floats:
    return np.zeros(round(seconds * CLOCK_HZ), dtype=np.float32)
