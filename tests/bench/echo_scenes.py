"""What the echo bench plays: rooms, the assistant's voice, the user's, car noise; and how the result is scored.

The assistant is Kokoro (made once and kept beside the models), or recorded readers where the models are missing. The user is
recorded people (tests/data/speech). Nothing here knows how echo is cancelled.
"""

from __future__ import annotations

import wave
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import soxr
from numpy.typing import NDArray

from ridealong.proto.types import CLOCK_HZ, SPEECH_HZ, Samples
from ridealong.simulators.room import EchoPath, Room

Pcm16 = NDArray[np.int16]
Floats = NDArray[np.float64]
SPEECH = Path(__file__).parents[1] / "data" / "speech"
KEPT = Path.home() / ".cache" / "ridealong" / "bench" / "assistant_24k.npy"
BLOCK = CLOCK_HZ // 50
PLAYED = SPEECH_HZ // 50
ACTIVE_DBFS = -22.0  # of the assistant as rendered
LINES = {
    "en": (
        "The driver's side is at twenty-two and a half degrees now.",
        "The car is moving at 62 km/h, so I can't open the boot until you stop.",
        "The nearest charging station is 1.2 km away, on Victoria Road, and two of its four posts are free.",
        "In three hundred metres turn left onto Maple Avenue, then keep to the right.",
        "You have two meetings this afternoon: one with Sarah at half past two, and the dentist at four.",
        "I closed all the windows, but the rear left one stopped halfway. Something may be in its way.",
        "With what is left in the battery you can drive about one hundred and eighty kilometres.",
        "Rain is expected from five o'clock on, so the picnic may be a little wet.",
    ),
    "zh": ("好的，主驾温度已经调到22.5°C。", "现在车速是每小时62公里，不能打开后备箱。", "前方三百米左转，进入中山路。"),
}
VOICES = {"en": ("af_heart", "bm_george"), "zh": ("zf_xiaoxiao", "zm_yunxi")}

ROOMS: dict[str, EchoPath] = {
    "glasses": EchoPath(-22.0, 4.0, 40.0, 11, diffuse=True),
    "car": EchoPath(-12.0, 15.0, 90.0, 12, diffuse=True),
    "car, loud": EchoPath(-6.0, 15.0, 90.0, 13, diffuse=True, clip_dbfs=-10.0),
    "office": EchoPath(-12.0, 40.0, 350.0, 14, diffuse=True),
    "hall, loud": EchoPath(-6.0, 60.0, 500.0, 15, diffuse=True),
    "bluetooth": EchoPath(-12.0, 320.0, 90.0, 16, diffuse=True),
}


@dataclass(frozen=True, slots=True)
class Scene:
    """`far`: 24 kHz as rendered. `near`: what the user says, 16 kHz. `onsets`: where the user begins (16 kHz)."""

    far: Pcm16
    near: Floats
    path: EchoPath
    noise: Floats | None = None
    onsets: tuple[int, ...] = ()
    drift_ppm: float = 0.0
    changes: tuple[tuple[int, EchoPath], ...] = field(default=())

    def blocks(self) -> Iterator[tuple[Samples, Pcm16, Pcm16, NDArray[np.float32]]]:
        """(start, rendered, microphone, echo alone), 20 ms each."""
        world = self.near if self.noise is None else self.near + self.noise
        room = Room(
            np.clip(np.rint(world), -32768, 32767).astype(np.int16), self.path, drift_ppm=self.drift_ppm, changes=self.changes
        )
        for number in range(len(self.near) // BLOCK):
            start, played = Samples(number * BLOCK), self.far[number * PLAYED : (number + 1) * PLAYED]
            room.speaker_sink(start, played.astype("<i2").tobytes())
            echo = room.echo(start, BLOCK)
            mixed = echo + world[start : start + BLOCK]
            yield start, played, np.clip(np.rint(mixed), -32768, 32767).astype(np.int16), echo


def read(name: str) -> Floats:
    with wave.open(str(SPEECH / name)) as file:
        assert file.getframerate() == CLOCK_HZ and file.getnchannels() == 1, name
        return np.frombuffer(file.readframes(file.getnframes()), "<i2").astype(np.float64)


def active_level(sound: Floats) -> float:
    """RMS of the 20 ms blocks that lie within 30 dB of the loudest."""
    power = np.mean(sound[: len(sound) // BLOCK * BLOCK].reshape(-1, BLOCK) ** 2, axis=1)
    return float(np.sqrt(power[power > power.max() * 1e-3].mean()))


def levelled(sound: Floats, dbfs: float) -> Floats:
    return sound * (32768 * 10 ** (dbfs / 20) / active_level(sound))


def assistant() -> tuple[Pcm16, str]:
    """The assistant's lines one after the other at 24 kHz, and whose voice it is."""
    if not KEPT.exists():
        try:
            from ridealong.cloud.frontends.cascade.speech_models import load

            models, pieces = load(), []
            models.check()
            for locale, lines in LINES.items():
                for voice in VOICES[locale]:
                    for line in lines:
                        pieces += [
                            np.asarray(models.synthesiser.synthesise(line, locale, voice).pcm),
                            np.zeros(SPEECH_HZ // 4, np.int16),
                        ]
            KEPT.parent.mkdir(parents=True, exist_ok=True)
            np.save(KEPT, np.concatenate(pieces))
        except Exception as error:
            print(f"the assistant speaks with recorded voices: {error} (`ridealong models fetch` brings its own)")
            recorded = np.concatenate([read(path.name) for path in sorted(SPEECH.glob("librivox_*.wav"))])
            up = soxr.resample(recorded, CLOCK_HZ, SPEECH_HZ)
            return levelled(np.asarray(up), ACTIVE_DBFS).astype(np.int16), "recorded readers"
    return levelled(np.load(KEPT).astype(np.float64), ACTIVE_DBFS).astype(np.int16), "Kokoro"


def played(voice: Pcm16, seconds: float, offset_s: float = 0.0) -> Pcm16:
    """So much of the assistant's voice, round and round."""
    index = (np.arange(round(seconds * SPEECH_HZ)) + round(offset_s * SPEECH_HZ)) % len(voice)
    return voice[index]


def users() -> list[Floats]:
    return [read(path.name) for path in sorted(SPEECH.glob("*.wav"))]


def onset(sound: Floats) -> int:
    """Where the words begin: the first 10 ms within 14 dB of the active level of which the next is one, too (no breath, no click)."""
    step = CLOCK_HZ // 100
    levels = np.sqrt(np.mean(sound[: len(sound) // step * step].reshape(-1, step) ** 2, axis=1))
    loud = levels > active_level(sound) / 5
    return int(np.argmax(loud[:-1] & loud[1:])) * step


def talking(seconds: float, every_s: float, dbfs: float, seed: int, first_s: float = 4.0) -> tuple[Floats, tuple[int, ...]]:
    """The user says something now and then, and where each begins."""
    random, voices = np.random.default_rng(seed), users()
    near, onsets, at = np.zeros(round(seconds * CLOCK_HZ)), [], first_s
    while True:
        words = levelled(voices[random.integers(len(voices))], dbfs)
        words = words[: round(2.5 * CLOCK_HZ)]
        start = round((at + random.uniform(0, 0.5)) * CLOCK_HZ)
        if start + len(words) > len(near):
            return near, tuple(onsets)
        near[start : start + len(words)] += words
        onsets.append(start + onset(words))
        at = max(at + every_s, (start + len(words)) / CLOCK_HZ + 1.5)


def car_noise(seconds: float, dbfs: float, seed: int) -> Floats:
    """Road and engine: noise falling by 9 dB an octave above 60 Hz, its level swaying, and an engine's harmonics."""
    random, count = np.random.default_rng(seed), round(seconds * CLOCK_HZ)
    hertz = np.fft.rfftfreq(count, 1 / CLOCK_HZ)
    spectrum = np.fft.rfft(random.standard_normal(count)) * (hertz > 20) / (1 + (hertz / 60) ** 2) ** 0.75
    t = np.arange(count) / CLOCK_HZ
    road = np.fft.irfft(spectrum, count) * 10 ** (2 * np.sin(2 * np.pi * 0.13 * t + seed) / 20)
    engine = sum(np.sin(2 * np.pi * 42 * order * t + order) / order**1.5 for order in range(1, 12))
    sound = road / road.std() + 0.3 * engine / np.std(engine)
    return np.asarray(sound * (32768 * 10 ** (dbfs / 20) / sound.std()))


# --- scores -------------------------------------------------------------------------------------------------------------


def db(sound: Floats) -> float:
    return float(10 * np.log10(np.mean(np.asarray(sound, np.float64) ** 2) + 1e-9))


def si_sdr(reference: Floats, heard: Floats) -> float:
    """Scale-invariant signal-to-distortion ratio (Le Roux et al. 2019), dB."""
    target = reference * float(heard @ reference) / float(reference @ reference)
    return db(target) - db(heard - target)


def stoi(reference: Floats, heard: Floats) -> float:
    """Short-time objective intelligibility (Taal, Hendriks, Heusdens, Jensen 2011): 10 kHz, 15 third octaves from 150 Hz,
    frames of 25.6 ms by half, segments of 30 frames, clipping at -15 dB, frames 40 dB below the loudest left out."""
    clean, other = (np.asarray(soxr.resample(sound, CLOCK_HZ, 10_000)) for sound in (reference, heard))
    window = np.hanning(258)[1:-1]
    frames = [np.lib.stride_tricks.sliding_window_view(sound, 256)[::128] * window for sound in (clean, other)]
    energy = 20 * np.log10(np.linalg.norm(frames[0], axis=1) + 1e-9)
    kept = energy > energy.max() - 40
    spectra = [np.abs(np.fft.rfft(frame[kept], 512, axis=1)) ** 2 for frame in frames]
    centres = 150 * 2 ** (np.arange(15) / 3)
    hertz = np.fft.rfftfreq(512, 1 / 10_000)
    bands = (hertz >= centres[:, None] / 2 ** (1 / 6)) & (hertz < centres[:, None] * 2 ** (1 / 6))  # [band, bin]
    x, y = (np.sqrt(spectrum @ bands.T) for spectrum in spectra)  # [frame, band]
    if len(x) < 30:
        return float("nan")
    xs = np.lib.stride_tricks.sliding_window_view(x, 30, axis=0)  # [segment, band, frame]
    ys = np.lib.stride_tricks.sliding_window_view(y, 30, axis=0)
    scale = np.linalg.norm(xs, axis=2, keepdims=True) / (np.linalg.norm(ys, axis=2, keepdims=True) + 1e-12)
    limited = np.minimum(ys * scale, xs * (1 + 10 ** (15 / 20)))
    xs = xs - xs.mean(axis=2, keepdims=True)
    limited = limited - limited.mean(axis=2, keepdims=True)
    parts = (xs * limited).sum(axis=2) / (np.linalg.norm(xs, axis=2) * np.linalg.norm(limited, axis=2) + 1e-12)
    return float(parts.mean())
