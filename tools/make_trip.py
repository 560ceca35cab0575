"""Composes the bundled trip from its script: voices by our own speech synthesis, real people, real ambience, signals, expectations.

    python tools/make_trip.py tests/data/trips/first_trip/script.yaml --material FOLDER

Writes trip.mcap and expected.yaml beside the script. FOLDER holds the recordings that the script names (their origin and licence:
docs/licences.md); neural voices need the fetched models. Pictures are not stored: the trip names a fetched video (see
simulators/trip/loading.py). The same script, material and models give the same sound.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import wave
from pathlib import Path
from typing import Any

import numpy as np
import soxr
import yaml
from numpy.typing import NDArray

from ridealong.cloud.frontends.cascade.speech_models import SpeechModels, load
from ridealong.proto.trip import TripWriter
from ridealong.proto.types import CLOCK_HZ, Samples
from ridealong.simulators.car.script import read_script
from ridealong.simulators.trip.expected import parse

Audio = NDArray[np.float32]  # mono 16 kHz, -1..1
ACTIVE_DB = -35.0  # parts this far below the loudest do not count for a clip's level


def read_clip(path: Path) -> Audio:
    """A recording: WAV, raw s16le 16 kHz, or Ogg (decoded by the operating system's own means is not assumed: needs soundfile)."""
    if path.suffix == ".raw":
        return np.fromfile(path, "<i2").astype(np.float32) / 32768
    if path.suffix == ".ogg":
        import soundfile

        samples, rate = soundfile.read(path, dtype="float32", always_2d=True)
        return soxr.resample(samples.mean(axis=1), rate, CLOCK_HZ).astype(np.float32)
    with wave.open(str(path), "rb") as source:
        rate, channels = source.getframerate(), source.getnchannels()
        raw = np.frombuffer(source.readframes(source.getnframes()), "<i2").reshape(-1, channels)[:, 0]
    return soxr.resample(raw.astype(np.float32) / 32768, rate, CLOCK_HZ).astype(np.float32)


def active_db(clip: Audio) -> float:
    """RMS in dBFS of the parts where something is to be heard."""
    blocks = clip[: len(clip) // 320 * 320].reshape(-1, 320)
    power = (blocks**2).mean(axis=1)
    return float(10 * np.log10(power[power > power.max() * 10 ** (ACTIVE_DB / 10)].mean()))


def at_level(clip: Audio, level_db: float) -> Audio:
    return (clip * 10 ** ((level_db - active_db(clip)) / 20)).astype(np.float32)


def sound_of(entry: dict[str, Any], models: SpeechModels, material: Path) -> Audio:
    if "clip" in entry:
        return read_clip(material / str(entry["clip"]))
    made = models.synthesiser.synthesise(
        str(entry["text"]), str(entry.get("locale", "en")), str(entry["voice"]), float(entry.get("speed", 1.0))
    )
    return soxr.resample(made.pcm.astype(np.float32) / 32768, made.rate, CLOCK_HZ).astype(np.float32)


def compose(script: dict[str, Any], material: Path) -> tuple[NDArray[np.int16], list[dict[str, Any]]]:
    """The microphone's sound, and the expectations with their times."""
    models = load()
    total = round(float(script["duration_s"]) * CLOCK_HZ)
    ambience = script["ambience"]
    bed = read_clip(material / str(ambience["clip"]))
    mixed = np.resize(at_level(bed, float(ambience["level_db"])), total).astype(np.float32)
    expect: list[dict[str, Any]] = []
    for entry in script["events"]:
        clip = at_level(sound_of(entry, models, material), float(entry.get("level_db", script["speech_level_db"])))
        start = round(float(entry["at"]) * CLOCK_HZ)
        end = start + len(clip)
        if end > total:
            raise SystemExit(f"the event at {entry['at']} s ends after the trip")
        mixed[start:end] += clip
        if "expect" in entry:
            said = {
                "from": round(start / CLOCK_HZ, 2),
                "to": round(end / CLOCK_HZ, 2),
                "text": entry["text"],
                "by": entry.get("by", "driver"),
            }
            expect.append({"id": entry["id"], "said": said, **entry["expect"]})
        print(f"{start / CLOCK_HZ:7.2f} {end / CLOCK_HZ:7.2f}  {entry.get('by', 'driver'):10} {entry['text']}")
    return np.clip(np.rint(mixed * 32767), -32768, 32767).astype(np.int16), expect


def main() -> int:
    parser = argparse.ArgumentParser(description="compose the bundled trip")
    parser.add_argument("script", type=Path)
    parser.add_argument("--material", type=Path, required=True)
    options = parser.parse_args()
    folder = options.script.parent
    script = yaml.safe_load(options.script.read_text(encoding="utf-8"))
    microphone, expect = compose(script, options.material)
    head = "# Written by tools/make_trip.py from script.yaml; times are seconds on the sound's clock.\n"
    body = {"trip": script["trip"], "locale": script["locale"], "car": script["car"], "expect": expect}
    text = head + yaml.safe_dump(body, sort_keys=False, allow_unicode=True, width=120)
    (folder / "expected.yaml").write_text(text, encoding="utf-8")
    expected = parse(text, "expected.yaml", duration_s=len(microphone) / CLOCK_HZ)
    with tempfile.TemporaryDirectory() as scratch:
        csv = Path(scratch) / "signals.csv"
        csv.write_text("time_s,path,value\n" + "".join(f"{t},{path},{value}\n" for t, path, value in script["signals"]))
        signals = read_script(csv)
    writer = TripWriter(
        folder / "trip.mcap", meta={"name": script["trip"], "camera": script["camera"], "source": "tools/make_trip.py"}
    )
    writer.expected(expected.raw)
    pending = list(signals)
    for start in range(0, len(microphone), CLOCK_HZ):
        while pending and pending[0].at_s * CLOCK_HZ < start + CLOCK_HZ:
            row = pending.pop(0)
            writer.vss(Samples(round(row.at_s * CLOCK_HZ)), row.path, row.value, "trip")
        writer.mic(Samples(start), microphone[start : start + CLOCK_HZ].astype("<i2").tobytes(), CLOCK_HZ)
    writer.close()
    print(f"{folder / 'trip.mcap'}: {(folder / 'trip.mcap').stat().st_size / 2**20:.1f} MiB, {len(expect)} expectations")
    return 0


if __name__ == "__main__":
    sys.exit(main())
