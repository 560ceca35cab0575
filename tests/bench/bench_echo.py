"""Time of the echo canceller per 20 ms block on one core, and how much echo it takes out.

    python tests/bench/bench_echo.py [--limit SECONDS] [--seed N] [--json FILE]

A speech-like reference through a synthetic room (80 ms, then 150 ms of decay, -14 dB): `erle_db` after the first three seconds.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import time
from pathlib import Path

import numpy as np

from ridealong.device.echo import EchoCanceller
from ridealong.proto.types import CLOCK_HZ, SPEECH_HZ, Samples
from ridealong.simulators.room import EchoPath, Room

BLOCK = CLOCK_HZ // 50
PLAYED = SPEECH_HZ // 50
SETTLED = 3 * 50  # blocks
GOAL_MS = 1.0


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--limit", type=int, default=20, help="seconds of sound, at least 4")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    blocks = max(4, options.limit) * 50
    random = np.random.default_rng(options.seed)
    t = np.arange(blocks * PLAYED) / SPEECH_HZ
    spectrum = np.fft.rfft(random.normal(0, 1, len(t)))
    hertz = np.fft.rfftfreq(len(t), 1 / SPEECH_HZ)
    spectrum *= (hertz > 80) * (hertz < 7_000) / (1 + (hertz / 500) ** 2) ** 0.6
    sound = np.fft.irfft(spectrum, len(t)) * np.clip(np.sin(2 * np.pi * 3.1 * t) + 0.5, 0.05, None)
    far = (sound / np.abs(sound).max() * 8_000).astype("<i2")
    room = Room(np.zeros(0, np.int16), EchoPath(-14.0, 80.0, 150.0, options.seed), noise_dbfs=-75.0)
    canceller, times, before, after = EchoCanceller(), [], 0.0, 0.0
    for number in range(blocks):
        start, played = Samples(number * BLOCK), far[number * PLAYED : (number + 1) * PLAYED]
        room.speaker_sink(start, played.tobytes())
        heard = room.microphone_source(start, BLOCK)
        began = time.process_time()
        canceller.rendered(start, played)
        cleaned = canceller.clean(start, heard)
        times.append(1000 * (time.process_time() - began))
        if number >= SETTLED:
            before += float(np.sum(heard.astype(float) ** 2))
            after += float(np.sum(cleaned.pcm16.astype(float) ** 2))
    figures = [
        {"name": "echo_ms_p50", "value": statistics.median(times), "unit": "ms", "n": blocks, "low": None, "high": None, "goal": GOAL_MS},
        {"name": "echo_ms_p99", "value": sorted(times)[int(0.99 * blocks)], "unit": "ms", "n": blocks, "low": None, "high": None, "goal": None},
        {"name": "erle_db", "value": 10 * np.log10(before / after), "unit": "dB", "n": blocks - SETTLED, "low": None, "high": None, "goal": 15.0},
    ]  # fmt: skip
    for figure in figures:
        goal = f"goal {figure['goal']}" if figure["goal"] is not None else ""
        print(f"{figure['name']:<14} {figure['value']:9.3f} {figure['unit']:<6} n={figure['n']:<5} {goal}")
    if options.json:
        commit = subprocess.run(
            ["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False
        ).stdout.strip()
        report = {
            "command": "bench_echo",
            "seed": options.seed,
            "machine": f"{platform.machine()}, {os.cpu_count()} cores",
            "commit": commit,
            "figures": figures,
        }
        options.json.write_text(json.dumps(report, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
