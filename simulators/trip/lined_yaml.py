"""YAML with the line of every value, so that a mistake can be named where it is. Does not know what the values mean."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Any

import yaml

from ridealong.errors import UserError
from ridealong.yaml_file import Loader

MAX_NODES = 50_000
MAX_DEPTH = 20
Where = tuple[str | int, ...]


class LinedReader:
    """Plain values from a YAML tree, with the line of each."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.lines: dict[Where, int] = {}
        self._nodes = 0
        self._loader = Loader("")

    def error(self, where: Where, problem: str) -> UserError:
        while where and where not in self.lines:
            where = where[:-1]
        line = self.lines.get(where)
        return UserError(f"{self.name}{f', line {line}' if line else ''}: {problem}")

    def read(self, node: yaml.Node, where: Where = ()) -> Any:
        self._nodes += 1
        self.lines[where] = node.start_mark.line + 1
        if self._nodes > MAX_NODES or len(where) > MAX_DEPTH:
            raise self.error(where, "the file is nested too deeply or too large.")
        if isinstance(node, yaml.MappingNode):
            values: dict[str, Any] = {}
            for key_node, value_node in node.value:
                key = key_node.value if isinstance(key_node, yaml.ScalarNode) else None
                if key is None:
                    raise self.error(where, "a key must be a plain word.")
                self.lines[(*where, key)] = key_node.start_mark.line + 1
                if key in values:
                    raise self.error((*where, key), f"the key {key!r} is given twice.")
                values[key] = self.read(value_node, (*where, key))
                self.lines[(*where, key)] = key_node.start_mark.line + 1
            return values
        if isinstance(node, yaml.SequenceNode):
            return [self.read(item, (*where, index)) for index, item in enumerate(node.value)]
        try:
            return self._loader.construct_object(node)
        except yaml.YAMLError as error:
            raise self.error(where, f"{getattr(error, 'problem', None) or error}.") from error


def nearest(word: str, known: Iterable[str]) -> str:
    """'; did you mean …?' or the list of what is known."""
    names = list(known)
    close = difflib.get_close_matches(word, names, n=1, cutoff=0.6)
    return f"did you mean {close[0]!r}?" if close else f"known: {', '.join(names)}."
