"""YAML that somebody wrote, read so that every mistake in it is one kind of error: a yaml.YAMLError, with its line where there is one.

PyYAML lets other errors through: ValueError for `2026-13-45`, KeyError for `!!bool perhaps`, RecursionError for a thousand brackets.
Does not know what the values mean, or how the reader words the mistake.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml


class Loader(yaml.SafeLoader):
    """Names the value that can't be made, and its line."""

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        try:
            return super().construct_object(node, deep=deep)  # type: ignore[no-untyped-call]
        except (yaml.YAMLError, RecursionError):
            raise
        except Exception as error:
            problem = f"{str(getattr(node, 'value', ''))[:40]!r} cannot be read ({error or type(error).__name__})"
            raise yaml.constructor.ConstructorError(None, None, problem, node.start_mark) from error


def load_yaml(text: str, loader: type[Loader] = Loader) -> Any:
    """Raises yaml.YAMLError and nothing else."""
    try:
        return yaml.load(text, Loader=loader)
    except RecursionError:
        raise yaml.YAMLError("it is nested too deeply") from None


def read_yaml(file: Path) -> Any:
    """Raises OSError where there is no reading it, and yaml.YAMLError for what is no YAML in UTF-8."""
    try:
        text = file.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise yaml.YAMLError("it is not UTF-8 text") from None
    return load_yaml(text)


def mistake(error: Exception) -> str:
    """What is wrong and where, in one line: "line 3: expected ',' or ']'"."""
    mark, problem = getattr(error, "problem_mark", None), getattr(error, "problem", None)
    what = problem or str(error).splitlines()[0]
    return f"line {mark.line + 1}: {what}" if mark is not None else str(what)
