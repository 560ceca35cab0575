"""Where a sentence pauses: what stands behind a pause or before it, and may follow something up by itself. Pure.

Does not know what the parts say.
"""

from __future__ import annotations

import re
from collections.abc import Iterator


def endings(text: str, locale: str) -> list[tuple[str, int]]:
    """What stands behind each pause, longest first, with where it begins in the text: "that's a lot, one back"."""
    found = []
    for pause in re.finditer(r"[,.;!?，。；！？…]+\s*|(?<=\S)\s*[-–—]+\s+", text):
        if text[pause.end() :].strip():
            found.append((text[pause.end() :], pause.end()))
    return found


def beginnings(text: str, locale: str) -> list[tuple[str, int]]:
    """What stands before each pause, longest first, with where it ends: "no, off, there's a tunnel"."""
    ends = [pause.start() for pause in re.finditer(r"[,.;!?，。；！？…]+\s*(?!\d)|(?<=\S)\s*[-–—]+\s+", text)]
    return [(text[:end], end) for end in reversed(ends) if text[:end].strip() and text[end:].strip(" ,.;!?，。；！？…")]


def set_apart(text: str, locale: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """What may follow something up by itself, longest first, and the rest, which then asks for nothing: "no, 23, it's chilly"."""
    for ending, begins in endings(text, locale):
        yield ending, (text[:begins],)
    for beginning, ends in beginnings(text, locale):
        yield beginning, (text[ends:],)
        for ending, begins in endings(beginning, locale):
            yield ending, (text[:begins], text[ends:])
