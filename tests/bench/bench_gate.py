"""Time of the frame gate on one core, and how many frames it keeps.

    python tests/bench/bench_gate.py [--limit N] [--seed N] [--json FILE] [--video FILE]

Without a video: four synthetic stretches of equal length (parked, cruising, turning, cuts), with camera noise. The time is that of the
gate alone; stretching and encoding are the camera's.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from arguments import at_least, file, new_file
from numpy.typing import NDArray

from ridealong.device.camera import load_opencv, stretch
from ridealong.device.frame_gate import SIDE, FrameGate

GOAL_MS = 3.0
MARGIN = 160

Picture = NDArray[np.uint8]  # [height, width, 3]


def scene(seed: int) -> Picture:
    """Structure at several scales, larger than a frame by MARGIN on each side."""
    cv2, random, side = load_opencv(), np.random.default_rng(seed), SIDE + 2 * MARGIN
    total = np.zeros((side, side, 3))
    for grain in (4, 16, 64, 160):
        coarse = random.uniform(0, 255, (side // grain + 1, side // grain + 1, 3))
        total += cv2.resize(coarse, (side, side), interpolation=cv2.INTER_CUBIC) / 4
    return np.asarray(np.clip(2 * (total - 128) + 128, 0, 255), np.uint8)


def synthetic(count: int, seed: int) -> Iterator[Picture]:
    """[512, 512, 3], one a second."""
    cv2, random = load_opencv(), np.random.default_rng(seed)
    each = max(1, count // 4)
    for number in range(count):
        stretch_number, step = min(3, number // each), number % each
        world = scene(seed * 1_000 + (number if stretch_number == 3 else stretch_number))
        if stretch_number == 1:  # towards the middle: everything moves outwards
            inset = 8 * (step % 20)
            part = world[inset : world.shape[0] - inset, inset : world.shape[1] - inset]
            picture = cv2.resize(part, (SIDE, SIDE), interpolation=cv2.INTER_AREA)
        else:
            left = MARGIN + (11 * step % MARGIN if stretch_number == 2 else 0)
            picture = world[MARGIN : MARGIN + SIDE, left : left + SIDE]
        yield np.clip(picture + random.normal(0, 2, (SIDE, SIDE, 3)), 0, 255).astype(np.uint8)


def from_video(path: Path, count: int) -> Iterator[Picture]:
    """One frame a second, stretched."""
    cv2 = load_opencv()
    video = cv2.VideoCapture(str(path))
    every = max(1, round(video.get(cv2.CAP_PROP_FPS) or 25))
    for _ in range(count):
        good, bgr = video.read()
        for _ in range(every - 1):
            video.grab()
        if not good:
            break
        yield stretch(np.ascontiguousarray(bgr[:, :, ::-1]), SIDE)
    video.release()


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--limit", type=at_least(2), default=120, help="at most so many frames")
    parser.add_argument("--seed", type=at_least(0), default=0)
    parser.add_argument("--json", type=new_file)
    parser.add_argument("--video", type=file)
    options = parser.parse_args()
    gate, reasons, times = FrameGate(), Counter[str](), []
    frames = from_video(options.video, options.limit) if options.video else synthetic(options.limit, options.seed)
    for frame in frames:
        began = time.process_time()
        note = gate.judge(frame, 1280, 720)
        times.append(1000 * (time.process_time() - began))
        reasons[note.reason.value] += 1
    times = times[1:]  # the first frame is not compared with anything
    if not times:
        raise SystemExit(f"bench_gate: no two frames in {options.video or 'the synthetic stretches (--limit 2 or more)'}")
    count = len(times)
    p95 = sorted(times)[min(count - 1, round(0.95 * count))]
    keep = gate.kept / (gate.kept + gate.dropped)
    half = 1.96 * (keep * (1 - keep) / (count + 1)) ** 0.5
    figures = [
        {"name": "gate_ms_p50", "value": statistics.median(times), "unit": "ms", "n": count, "low": None, "high": None, "goal": GOAL_MS},
        {"name": "gate_ms_p95", "value": p95, "unit": "ms", "n": count, "low": None, "high": None, "goal": None},
        {
            "name": "keep_rate", "value": keep, "unit": "share", "n": count + 1,
            "low": max(0.0, keep - half), "high": min(1.0, keep + half), "goal": None,
        },
    ]  # fmt: skip
    print(", ".join(f"{reason} {number}" for reason, number in sorted(reasons.items())))
    for figure in figures:
        goal = f"goal {figure['goal']}" if figure["goal"] is not None else ""
        print(f"{figure['name']:<14} {figure['value']:9.3f} {figure['unit']:<6} n={figure['n']:<4} {goal}")
    if options.json:
        commit = subprocess.run(
            ["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False
        ).stdout.strip()
        report = {
            "command": "bench_gate",
            "seed": options.seed,
            "machine": f"{platform.machine()}, {os.cpu_count()} cores",
            "commit": commit,
            "figures": figures,
        }
        options.json.write_text(json.dumps(report, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
