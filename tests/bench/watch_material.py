"""Material for bench_watch.py: noise, planted bangs, drawn signs on scenes, drives. Seeded; from nothing, or from a folder of recordings."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

from ridealong.simulators.trip.loading import load_trip

RATE = 16_000
TRIP = Path(__file__).resolve().parents[1] / "data" / "trips" / "first_trip" / "trip.mcap"
Sound = npt.NDArray[np.float64]
Picture = npt.NDArray[np.uint8]


def pink(rng: np.random.Generator, seconds: float, dbfs: float) -> Sound:
    """Road-like noise: power falls with frequency, level drifts slowly by a few dB."""
    n = round(seconds * RATE)
    spectrum = np.fft.rfft(rng.normal(size=n)) / np.sqrt(np.maximum(1.0, np.arange(n // 2 + 1)))
    noise = np.fft.irfft(spectrum, n)
    drift = np.interp(np.arange(n), np.linspace(0, n, 40), rng.normal(0, 2.5, 40))
    return noise / np.std(noise) * 10 ** ((dbfs + drift) / 20)


def clicks(rng: np.random.Generator, sound: Sound, per_s: float, dbfs: float) -> Sound:
    """Indicator and wipers: short, soft, regular."""
    sound = sound.copy()
    for start in range(0, len(sound) - 800, round(RATE / per_s)):
        sound[start : start + 400] += rng.normal(0, 10 ** (dbfs / 20), 400) * np.exp(-np.arange(400) / 60)
    return sound


def trip_sound() -> Sound:
    """The bundled trip's microphone: neural voices, the radio, card players, city ambience."""
    return load_trip(TRIP).microphone.astype(np.float64) / 32768


def recordings(folder: Path) -> Iterator[tuple[str, Sound]]:
    """Every recording below the folder, at 16 kHz, mono. Chunks shorter than half a second are left out."""
    import soundfile
    import soxr

    for path in sorted(folder.rglob("*")):
        if "rir" in path.name or path.parent.name == "room":
            continue  # an impulse response is a bang
        if path.suffix == ".raw":
            samples, rate = np.fromfile(path, "<i2") / 32768, RATE
        elif path.suffix in (".wav", ".ogg", ".flac"):
            samples, rate = soundfile.read(path)
        else:
            continue
        mono = samples.mean(axis=1) if samples.ndim > 1 else samples
        mono = mono if rate == RATE else soxr.resample(mono, rate, RATE)
        if len(mono) >= RATE / 2:
            yield path.name, mono


def faded(sound: Sound) -> Sound:
    """Comes in over three seconds: where a recording is joined on is no event."""
    sound = sound.copy()
    length = min(len(sound), 3 * RATE)
    sound[:length] *= 10 ** (np.linspace(-60, 0, length) / 20)
    return sound


def levelled(sound: Sound, dbfs: float) -> Sound:
    """At this RMS over its louder half."""
    power = np.sort(sound**2)[len(sound) // 2 :].mean()
    return sound / np.sqrt(max(power, 1e-12)) * 10 ** (dbfs / 20)


def bang(rng: np.random.Generator, dbfs: float) -> Sound:
    """A slam or a crash: noise that decays within 40 to 150 ms, sometimes with a low thump under it."""
    t = np.arange(round(0.6 * RATE)) / RATE
    body = rng.normal(size=len(t)) * np.exp(-t / rng.uniform(0.04, 0.15))
    thump = rng.uniform(0, 2) * np.sin(2 * np.pi * rng.uniform(50, 120) * t) * np.exp(-t / 0.08)
    whole = body + thump
    return whole / np.std(whole[: RATE // 50]) * 10 ** (dbfs / 20)


# --- pictures --------------------------------------------------------------------------------------------------------

BOARDS = ((60, 110, 20), (140, 60, 20), (240, 240, 240), (30, 30, 30), (40, 170, 230))


def scenes(rng: np.random.Generator, folder: Path | None, count: int) -> Iterator[Picture]:
    """Pictures of 448 px: frames of the folder's videos where there are any, else blurred noise with edges."""
    frames: list[Picture] = []
    for path in sorted(folder.rglob("*")) if folder is not None else []:
        if path.suffix in (".mp4", ".avi"):
            video, number = cv2.VideoCapture(str(path)), 0
            while True:
                ok, frame = video.read()
                if not ok:
                    break
                if number % 12 == 0:
                    frames.append(cv2.resize(frame, (448, 252)))
                number += 1
    for number in range(count):
        if frames:
            yield frames[number % len(frames)].copy()
            continue
        picture = cv2.GaussianBlur(rng.integers(40, 200, (252, 448, 3)).astype(np.uint8), (15, 15), 0)
        for _ in range(12):
            x, y = rng.integers(0, 420), rng.integers(0, 230)
            colour = tuple(int(c) for c in rng.integers(0, 255, 3))
            cv2.rectangle(picture, (int(x), int(y)), (int(x + rng.integers(10, 120)), int(y + rng.integers(10, 90))), colour, -1)
        yield picture


def with_sign(rng: np.random.Generator, scene: Picture, text: str, letters_px: int) -> Picture:
    """A board with the text, tilted by up to 10 degrees, blurred, noisy, then compressed as the uplink does."""
    board = BOARDS[int(rng.integers(len(BOARDS)))]
    ink = (255, 255, 255) if sum(board) < 420 else (20, 20, 20)
    face = cv2.FontFace("sans")
    (_, _, width, height) = cv2.getTextSize((1, 1), text, (0, 0), face, letters_px, 500)
    plate = np.full((height + letters_px, width + letters_px, 3), board, np.uint8)
    cv2.putText(plate, text, (letters_px // 2, height + letters_px // 4), ink, face, letters_px, 500)
    rows, columns = scene.shape[:2]
    scale = min(1.0, (columns - 20) / plate.shape[1])
    plate = cv2.resize(plate, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    x, y = int(rng.integers(0, columns - plate.shape[1])), int(rng.integers(0, max(1, rows - plate.shape[0])))
    turn = cv2.getRotationMatrix2D((x + plate.shape[1] / 2, y + plate.shape[0] / 2), float(rng.uniform(-10, 10)), 1.0)
    layer, mask = np.zeros_like(scene), np.zeros((rows, columns), np.uint8)
    layer[y : y + plate.shape[0], x : x + plate.shape[1]], mask[y : y + plate.shape[0], x : x + plate.shape[1]] = plate, 255
    layer, mask = cv2.warpAffine(layer, turn, (columns, rows)), cv2.warpAffine(mask, turn, (columns, rows))
    scene = np.where(mask[..., None] > 127, layer, scene)
    scene = cv2.GaussianBlur(scene, (0, 0), float(rng.uniform(0.3, 1.1)))
    return (scene + rng.normal(0, 6, scene.shape)).clip(0, 255).astype(np.uint8)


def jpeg(picture: Picture) -> bytes:
    ok, data = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, 60])
    assert ok
    return data.tobytes()
