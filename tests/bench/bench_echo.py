"""Echo: how much is taken out, what is left of the user, how soon the user is noticed and how often somebody is imagined.

    python tests/bench/bench_echo.py [--limit SECONDS] [--minutes M] [--seed N] [--methods a,b] [--json FILE]

Per room and method: `erle_db` (single talk without noise, second half), `settled_s` (until 15 dB), STOI and SI-SDR of the user in
double talk (shifted by the method's own delay), the user's onset to the first block said to be near-end speech, and such blocks where
nobody speaks. Then for ours `--minutes` of the loud car and of the loud hall, in car noise. WebRTC's canceller is compared where it is
installed:  pip install pywebrtc-audio livekit
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from arguments import at_least, new_file
from echo_methods import Method, available
from echo_scenes import ROOMS, Floats, Pcm16, Scene, active_level, assistant, car_noise, db, played, si_sdr, stoi, talking

from ridealong.device.config import SoundConfig
from ridealong.proto.types import CLOCK_HZ

BLOCK_MS = 20
EPISODE = 25  # blocks without near-end speech between two false alarms
WITHIN_S = 1.0
USER_DBFS = -28.0
QUIET_NOISE_DBFS, CAR_NOISE_DBFS = -58.0, -45.0
LONGEST_SHIFT = CLOCK_HZ // 25
SETTLED_DB = 15.0
GOAL_DUCK_MS = 120.0
OURS = "ours"


@dataclass(frozen=True, slots=True)
class Heard:
    echo: Floats
    out: Floats
    near: list[bool]
    block_ms: list[float]


def listen(method: Method, scene: Scene) -> Heard:
    echoes, outs, near, times = [], [], [], []
    for start, rendered, microphone, echo in scene.blocks():
        began = time.process_time()
        out, somebody = method.block(start, rendered, microphone)
        times.append(1000 * (time.process_time() - began))
        echoes.append(echo.astype(np.float64))
        outs.append(out.astype(np.float64))
        near.append(somebody)
    return Heard(np.concatenate(echoes), np.concatenate(outs), near, times)


def settled_s(heard: Heard) -> float:
    """End of the first half second of sound with 15 dB less echo."""
    window, step = CLOCK_HZ // 2, CLOCK_HZ // 10
    for at in range(0, len(heard.echo) - window, step):
        part = slice(at, at + window)
        if db(heard.echo[part]) > 20 and db(heard.echo[part]) - db(heard.out[part]) >= SETTLED_DB:
            return (at + window) / CLOCK_HZ
    return float("nan")


def aligned(reference: Floats, out: Floats) -> Floats:
    """`out` earlier by the delay that the method itself adds (at most 40 ms)."""
    size = 2 * len(out)
    product = np.fft.irfft(np.fft.rfft(out, size) * np.fft.rfft(reference, size).conj(), size)
    shift = int(np.argmax(product[:LONGEST_SHIFT]))
    return np.concatenate([out[shift:], np.zeros(shift)])


def user_left(scene: Scene, heard: Heard) -> tuple[float, float]:
    """(STOI, SI-SDR) over what the user says."""
    out = aligned(scene.near[: len(heard.out)], heard.out)
    intelligible, clean = [], []
    for at in scene.onsets:
        part = slice(at, at + 2 * CLOCK_HZ)
        reference = scene.near[part][: len(out[part])]
        if len(reference) == 2 * CLOCK_HZ and active_level(reference) > 0:
            intelligible.append(stoi(reference, out[part]))
            clean.append(si_sdr(reference, out[part]))
    return float(np.nanmean(intelligible)), float(np.mean(clean))


def noticed_ms(scene: Scene, heard: Heard) -> list[float]:
    """From each onset to the end of the first block in which somebody speaks; infinite when none is within a second."""
    block, found = CLOCK_HZ * BLOCK_MS // 1000, []
    for at in scene.onsets:
        first = at // block
        after = [k for k in range(first, min(len(heard.near), first + round(WITHIN_S * 1000 / BLOCK_MS))) if heard.near[k]]
        found.append(((after[0] + 1) * block - at) * 1000 / CLOCK_HZ if after else float("inf"))
    return found


def imagined(near: list[bool]) -> int:
    """Stretches of near-end speech where nobody speaks."""
    return sum(1 for k, here in enumerate(near) if here and not any(near[max(0, k - EPISODE) : k]))


def percentile(values: list[float], share: float) -> float:
    """The value that this share does not exceed."""
    return sorted(values)[min(len(values) - 1, int(share * len(values)))] if values else float("nan")


def figure(name: str, value: float, unit: str, n: int, goal: float | None = None) -> dict[str, Any]:
    return {
        "name": name,
        "value": value if np.isfinite(value) else None,
        "unit": unit,
        "n": n,
        "low": None,
        "high": None,
        "goal": goal,
    }


def rooms(voice: Pcm16, seconds: int, seed: int, wanted: list[str]) -> list[dict[str, Any]]:
    methods = {name: make for name, make in available().items() if not wanted or any(one in name for one in wanted)}
    noise = car_noise(seconds, QUIET_NOISE_DBFS, seed)
    near, onsets = talking(seconds, 2.0, USER_DBFS, seed, 5.0)
    figures, everything = [], {name: [] for name in methods}
    print(
        f"{'room':<12}{'method':<24}{'ERLE dB':>8}{'15 dB s':>8}{'STOI':>7}{'SI-SDR':>8}{'noticed p50/p95 ms':>20}{'imagined/min':>14}{'ms/10 ms':>10}"
    )
    for room, path in ROOMS.items():
        far = played(voice, seconds, seed * 7.0)
        for name, make in methods.items():
            single = listen(make(), Scene(far, np.zeros_like(near), path))
            quiet = listen(make(), Scene(far, np.zeros_like(near), path, noise))
            scene = Scene(far, near, path, noise, onsets)
            double = listen(make(), scene)
            half = slice(len(single.echo) // 2, None)
            erle, settled = db(single.echo[half]) - db(single.out[half]), settled_s(single)
            intelligible, clean = user_left(scene, double)
            late = noticed_ms(scene, double)
            false = imagined(quiet.near) * 60 / seconds
            everything[name] += late
            cost = statistics.median(double.block_ms) / 2
            p50, p95 = percentile(late, 0.5), percentile(late, 0.95)
            print(
                f"{room:<12}{name:<24}{erle:8.1f}{settled:8.1f}{intelligible:7.3f}{clean:8.1f}{p50:12.0f} /{p95:5.0f}{false:14.1f}{cost:10.2f}",
                flush=True,
            )
            key = f"{name}.{room}".replace(", ", "_").replace(" ", "_")
            figures += [
                figure(f"erle_db.{key}", erle, "dB", seconds, 20.0 if name == OURS else None),
                figure(f"settled_s.{key}", settled, "s", 1),
                figure(f"stoi.{key}", intelligible, "share", len(onsets)),
                figure(f"si_sdr_db.{key}", clean, "dB", len(onsets)),
                figure(f"imagined_per_min.{key}", false, "1/min", seconds),
            ]
    for name, late in everything.items():
        goal = GOAL_DUCK_MS if name == OURS else None
        figures += [
            figure(f"noticed_{word}_ms.{name}", percentile(late, share), "ms", len(late), goal)
            for word, share in (("p50", 0.5), ("p95", 0.95))
        ]
    return figures


def long_runs(voice: Pcm16, minutes: float, seed: int) -> list[dict[str, Any]]:
    """The assistant alone, loud, in car noise; and with a user over it."""
    make, figures, times = available()[OURS], [], []
    seconds = minutes * 60
    for room in ("car, loud", "hall, loud"):
        for dbfs in (QUIET_NOISE_DBFS, CAR_NOISE_DBFS):
            far = played(voice, seconds, seed * 3.0)
            noise = car_noise(seconds, dbfs, seed)
            alone = listen(make(), Scene(far, np.zeros(round(seconds * CLOCK_HZ)), ROOMS[room], noise))
            near, onsets = talking(seconds, 3.0, USER_DBFS, seed)
            scene = Scene(far, near, ROOMS[room], noise, onsets)
            late = noticed_ms(scene, listen(make(), scene))
            times += alone.block_ms
            key = f"{room.replace(', ', '_')}.noise_{dbfs:.0f}"
            figures += [
                figure(f"imagined_per_min.{key}", imagined(alone.near) / minutes, "1/min", round(seconds), 0.0),
                figure(f"noticed_p50_ms.{key}", percentile(late, 0.5), "ms", len(late)),
                figure(f"noticed_p95_ms.{key}", percentile(late, 0.95), "ms", len(late), GOAL_DUCK_MS),
            ]
    return [
        *figures,
        figure("echo_ms_p50", statistics.median(times), "ms", len(times), 1.0),
        figure("echo_ms_p99", percentile(times, 0.99), "ms", len(times)),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--limit", type=at_least(16), default=40, help="seconds of sound in each room, at least 16")
    parser.add_argument("--minutes", type=float, default=10.0, help="length of each long run; 0: none")
    parser.add_argument("--seed", type=at_least(0), default=3)
    parser.add_argument("--methods", default="", help="parts of their names, with commas")
    parser.add_argument("--json", type=new_file)
    options = parser.parse_args()
    voice, whose = assistant()
    print(
        f"assistant: {whose} at -22 dBFS; users: recorded people at {USER_DBFS:.0f} dBFS; near-end margin {SoundConfig().near_end_margin_db:g} dB"
    )
    figures = rooms(voice, max(16, options.limit), options.seed, [one for one in options.methods.split(",") if one])
    if options.minutes:
        figures += long_runs(voice, options.minutes, options.seed)
    for one in figures:
        goal = f"goal {one['goal']}" if one["goal"] is not None else ""
        value = "     none" if one["value"] is None else f"{one['value']:9.3f}"
        print(f"{one['name']:<48} {value} {one['unit']:<6} n={one['n']:<6} {goal}")
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
