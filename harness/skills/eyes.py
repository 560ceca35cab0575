"""What a skill is given to look with: the reader of text and the reader of codes, and the text of what is there now. Interfaces, and how lines become speech.

    Call with a snapshot  ->  read_now(call, eyes)  ->  Now(text, …) or why not

The sharpest picture of now is read, and where it shows nothing the others. Lines that the reader is not sure of are left out and counted. Does not know how reading works, or what is asked of the text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from ridealong.harness.agent.pictures import of_now
from ridealong.harness.polish import without_reserved
from ridealong.harness.skill import Call
from ridealong.harness.slots.text import has_chinese
from ridealong.harness.snapshot import Frame, Snapshot

SURE: Final = 0.8
"""From this confidence on a line is said."""
MAX_TEXT_CHARS: Final = 4_000


class Line(Protocol):
    @property
    def text(self) -> str: ...
    @property
    def confidence(self) -> float: ...


@dataclass(frozen=True, slots=True)
class Code:
    """`kind`: "qr", or a barcode's ("EAN_13", "UPC_A", …)."""

    kind: str
    content: str


class Eyes(Protocol):
    """Of the node, shared by its sessions. Works off the loop."""

    def fault(self) -> str:
        """ "" or why no text can be read."""

    async def lines(self, jpeg: bytes) -> Sequence[Line]:
        """In reading order."""

    async def codes(self, jpeg: bytes) -> Sequence[Code]: ...


@dataclass(frozen=True, slots=True)
class Now:
    """`text`: speakable. `unclear`: lines that are there and could not be made out. `reason`: why there is no text (not_consented, no_picture, old_picture, no_reader,
    no_text, blurred)."""

    text: str = ""
    unclear: int = 0
    reason: str = ""


def pictures(call: Call) -> tuple[tuple[Frame, ...], str]:
    """Of now, sharpest first; or why there is none. At one quality and size a sharper picture has more bytes."""
    snapshot = call.snapshot if isinstance(call.snapshot, Snapshot) else None
    found = of_now(snapshot, call.words or call.request, call.provenance)
    return tuple(sorted(found.frames, key=lambda one: (len(one.jpeg), one.shows), reverse=True)), found.reason


async def read_now(call: Call, eyes: Eyes | None) -> Now:
    """The text that is there now."""
    frames, reason = pictures(call)
    if reason:
        return Now(reason=reason)
    if eyes is None or eyes.fault():
        return Now(reason="no_reader")
    unclear = 0
    for frame in frames:
        lines = [line for line in await eyes.lines(frame.jpeg) if line.text.strip()]
        sure = [line.text for line in lines if line.confidence >= SURE]
        if sure:
            return Now(speakable(sure), len(lines) - len(sure))
        unclear = max(unclear, len(lines))
    return Now(unclear=unclear, reason="blurred" if unclear else "no_text")


def speakable(lines: Sequence[str]) -> str:
    """Lines as sentences: what was wrapped is joined, what stands alone is set apart by a comma."""
    joined = ""
    for line in (_clean(line) for line in lines):
        if not line:
            continue
        if not joined:
            joined = line
        elif _wraps(joined, line):
            joined = (
                joined[:-1] + line if joined.endswith("-") and joined[-2:-1].isalpha() else joined + _space(joined, line) + line
            )
        elif joined[-1] in ".!?:;,。！？：；，、":
            joined += _space(joined, line) + line
        else:
            joined += ("，" if has_chinese(joined[-1]) else ", ") + line
    return joined[:MAX_TEXT_CHARS]


def _clean(line: str) -> str:
    """Without what a voice, or a front-end, would take for something else than words."""
    return re.sub(r"\s+", " ", re.sub(r"[<>|*_#`~“”\"]", " ", without_reserved(line))).strip()


def _wraps(before: str, line: str) -> bool:
    """The line goes on with a sentence that the one before it has begun."""
    if before[-1] in ".!?。！？":
        return False
    return line[0].islower() or (before[-1] == "-" and line[0].isalpha())


def _space(before: str, line: str) -> str:
    return "" if has_chinese(before[-1]) or before[-1] in "。！？：；，、" else " "
