"""Figures of a bench: one value each, a table for people and one form for files (design commands.md). Knows nothing of the model."""

from __future__ import annotations

import json
import os
import platform
import subprocess
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from ridealong import __version__


@dataclass(frozen=True, slots=True)
class Figure:
    """`value` None: not measured. `low`, `high`: 95 % interval where it is a share."""

    name: str
    value: float | None
    unit: str
    n: int
    low: float | None = None
    high: float | None = None
    goal: str = ""


def table(figures: Sequence[Figure]) -> str:
    width = max(len(figure.name) for figure in figures)
    lines = []
    for figure in figures:
        value = "not measured" if figure.value is None else f"{figure.value:12,.2f}"
        goal = f"  goal {figure.goal}" if figure.goal else ""
        lines.append(f"{figure.name:<{width}} {value} {figure.unit:<8} n={figure.n}{goal}")
    return "\n".join(lines)


def to_json(command: str, seed: int, device: str, figures: Sequence[Figure]) -> str:
    shown = [asdict(figure) for figure in figures]
    return json.dumps(
        {"command": command, "seed": seed, "machine": machine(device), "commit": commit(), "figures": shown}, indent=1
    )


def machine(device: str) -> str:
    """Enough to compare figures by; names nobody."""
    return f"{platform.system()} {platform.machine()}, {os.cpu_count()} CPUs, Python {platform.python_version()}, {device}"


def commit() -> str:
    """The commit of this checkout, or the version of an installed package."""
    try:
        here = Path(__file__).resolve().parent
        found = subprocess.run(["git", "rev-parse", "--short=12", "HEAD"], cwd=here, capture_output=True, text=True, timeout=5)
    except (OSError, subprocess.SubprocessError):
        return __version__
    return found.stdout.strip() if found.returncode == 0 else __version__
