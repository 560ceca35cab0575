"""Tables, as text for a terminal and as Markdown. Pure; does not know what stands in them."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Table:
    """The first column is aligned to the left, the others to the right."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""


def as_text(tables: Sequence[Table]) -> str:
    blocks = []
    for table in tables:
        widths = [max(map(_width, column)) for column in zip(table.columns, *table.rows, strict=True)]
        lines = [table.title]
        lines += [
            "  "
            + "  ".join(_padded(cell, width, number > 0) for number, (cell, width) in enumerate(zip(row, widths, strict=True)))
            for row in (table.columns, *table.rows)
        ]
        blocks.append("\n".join(line.rstrip() for line in [*lines, *([f"  {table.note}"] if table.note else [])]))
    return "\n\n".join(blocks) + "\n"


def as_markdown(tables: Sequence[Table], level: int = 2) -> str:
    blocks = []
    for table in tables:
        head = f"{'#' * level} {table.title}\n\n| {' | '.join(map(_cell, table.columns))} |\n|---|{'---:|' * (len(table.columns) - 1)}"
        body = "\n".join(f"| {' | '.join(map(_cell, row))} |" for row in table.rows)
        blocks.append("\n".join([head, body]) + (f"\n\n{table.note}" if table.note else ""))
    return "\n\n".join(blocks) + "\n"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _width(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)


def _padded(text: str, width: int, right: bool) -> str:
    space = " " * (width - _width(text))
    return space + text if right else text + space
