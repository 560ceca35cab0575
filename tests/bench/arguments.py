"""What the benches' flags may be, for argparse: a mistake is one sentence and exit 2, before anything is loaded."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path


def at_least(least: int) -> Callable[[str], int]:
    def number(text: str) -> int:
        value = int(text)
        if value < least:
            raise argparse.ArgumentTypeError(f"must be at least {least}, not {value}")
        return value

    number.__name__ = "number"  # argparse names it: "invalid number value: 'x'"
    return number


def folder(text: str) -> Path:
    if not Path(text).is_dir():
        raise argparse.ArgumentTypeError(f"there is no folder {text}")
    return Path(text)


def file(text: str) -> Path:
    if not Path(text).is_file():
        raise argparse.ArgumentTypeError(f"there is no file {text}")
    return Path(text)


def new_file(text: str) -> Path:
    """To be written, over what is there."""
    path = Path(text)
    if path.is_dir() or not path.absolute().parent.is_dir():
        raise argparse.ArgumentTypeError(f"{text} cannot be written: give a file in a folder that exists")
    return path
