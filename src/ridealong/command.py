"""What a subcommand is. `cli.py` finds one by name and imports its module only when it is called."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Command:
    """`configure` adds options to its parser; `run` does the work and returns the exit code."""

    summary: str
    configure: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], int]
