"""The model's time on this machine, beside a plain run of the same layers: by stage, first audio, sessions at once, old sessions, memory.

    python tests/bench/bench_model.py [--models tiny,0.1b,9b] [--limit N] [--seed N] [--json FILE] [--quantise int8|fp8] [--compile] [--device D]

Random weights: tiny and 0.1b on a CPU, written to a temporary folder; on a GPU also the released 9B's sizes, made where they run. Names are
bare for the last model, and begin with the model's for the others. On a CPU everything is float32.
"""

from __future__ import annotations

import argparse
import gc
import tempfile
from pathlib import Path

import torch
from arguments import at_least, new_file

from ridealong.cloud.model.bench import Plan, measure
from ridealong.cloud.model.bench_report import Figure, table, to_json
from ridealong.cloud.model.model import LoadedModel, load_model
from ridealong.cloud.model.quantised import KINDS, quantise
from ridealong.cloud.model.random_model import random_model
from ridealong.cloud.model.tiny import write_tiny
from ridealong.cloud.model.tiny_config import SIZES

ALL = ("tiny", "0.1b", "9b")


def models(text: str) -> tuple[str, ...]:
    names = tuple(text.split(","))
    if not set(names) <= set(ALL):
        raise argparse.ArgumentTypeError(f"any of {','.join(ALL)}, not {text}")
    return names


def load(name: str, device: str, seed: int, kind: str | None) -> LoadedModel:
    if name == "9b":
        loaded = random_model(device=device, seed=seed)
        if kind is not None:
            quantise(loaded.module.llm, kind)
        return loaded
    with tempfile.TemporaryDirectory(prefix="ridealong-bench-") as folder:
        write_tiny(Path(folder) / name, SIZES[name], seed)
        return load_model(Path(folder) / name, device, torch.float32 if device == "cpu" else None, quantise=kind)


def main() -> None:
    gpu = torch.cuda.is_available()
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--models", type=models, default=ALL if gpu else ALL[:2])
    parser.add_argument("--limit", type=at_least(2), default=12, help="timed units of each measurement")
    parser.add_argument("--most", type=at_least(1), default=32 if gpu else 16, help="sessions at which the ramp ends")
    parser.add_argument("--seed", type=at_least(0), default=0)
    parser.add_argument("--json", type=new_file)
    parser.add_argument("--device", default="cuda" if gpu else "cpu")
    parser.add_argument("--quantise", choices=KINDS)
    parser.add_argument("--compile", action="store_true", help="the language model's layers through torch.compile")
    options = parser.parse_args()
    if "9b" in options.models and options.device == "cpu":
        raise SystemExit("bench_model: 9b needs a GPU (--device cuda): it would take 38 GB and minutes a unit here")
    shown = torch.cuda.get_device_name() if options.device != "cpu" else f"CPU, {torch.get_num_threads()} threads"
    everything: list[Figure] = []
    for name in options.models:
        loaded = load(name, options.device, options.seed, options.quantise)
        plan = Plan(options.limit, options.most, options.seed, compile=options.compile)
        found = measure(loaded, plan, lambda part, name=name: print(f"  {name}: {part} …", flush=True))  # type: ignore[misc]
        print(f"\n{name}, {shown}\n{table(found)}\n", flush=True)
        last = name == options.models[-1]
        everything += [one if last else Figure(f"{name}.{one.name}", one.value, one.unit, one.n) for one in found]
        del loaded
        gc.collect()
        if options.device != "cpu":
            torch.cuda.empty_cache()
            torch.cuda.reset_peak_memory_stats()
    if options.json:
        options.json.write_text(to_json("bench model", options.seed, shown, everything) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
