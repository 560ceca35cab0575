"""How long scenarios take to make, first with the clips as they are on disk, then again with all of them there.

    python tests/bench/bench_scenarios.py [--limit RIDES] [--seed N] [--split tune|report] [--json FILE]

The first pass also fills the cache that an evaluation uses (about 0.4 s of two idle cores for a second of speech that is not there yet).
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import time
from typing import Any

from arguments import at_least, new_file

from ridealong.simulators.scenarios.generate import Studio
from ridealong.simulators.scenarios.scenario import Split
from ridealong.simulators.scenarios.speech import Kokoro

CELLS = 8


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--limit", type=at_least(1), default=16, help="rides")
    parser.add_argument("--seed", type=at_least(0), default=1)
    parser.add_argument("--split", choices=[split.value for split in Split], default=Split.REPORT.value)
    parser.add_argument("--json", type=new_file)
    options = parser.parse_args()
    figures: list[dict[str, Any]] = []
    for name in ("first", "warm"):
        speech = Kokoro()
        studio = Studio.of(Split(options.split), speech)
        plans = studio.plans(options.seed, options.limit)[: options.limit]
        began, began_cpu, sounds = time.perf_counter(), time.process_time(), 0
        for plan in plans:
            sounds += len(studio.scenario(plan).sounds)
        wall_s, cpu_s = time.perf_counter() - began, time.process_time() - began_cpu
        print(
            f"{name:5} {len(plans)} rides, {sounds} sounds: {wall_s:7.1f} s ({cpu_s:.1f} s of processor), {speech.made} clips made, {speech.found} found"
        )
        for figure, value in (("wall_s_per_100", wall_s), ("cpu_s_per_100", cpu_s)):
            value = 100 * value / max(1, len(plans))
            figures.append(
                {
                    "name": f"{name}_{figure}",
                    "value": round(value, 2),
                    "unit": "s",
                    "n": len(plans),
                    "low": None,
                    "high": None,
                    "goal": None,
                }
            )
    if options.json:
        commit = subprocess.run(
            ["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False
        ).stdout.strip()
        machine = f"{platform.machine()}, {os.cpu_count()} cores"
        found = {"command": "bench_scenarios", "seed": options.seed, "machine": machine, "commit": commit, "figures": figures}
        options.json.write_text(json.dumps(found, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
