"""Takes delegate spans out of the front-end's text: `<delegate> … </delegate>`, across any chunking. Sans-IO.

    Delta | Whole, TurnEnd  ->  Capture.on(event)  ->  VisibleText, SpanOpened, Request, Rejected

`Delta` is new text. `Whole` is all of a turn's text so far, from a front-end whose stream may be repeated after a resume, or
whose tail may be withdrawn: what was read before is not read again, what was withdrawn before it led to anything is as if it
had never been, and where something that was shown or asked for is withdrawn, the rest of that turn is withheld.
Invariants: no character between an opening tag and its closing tag is ever visible, whatever the chunks, nesting, truncation,
repetition or withdrawal; where the text is broken, it is withheld and reported; a span that was read once is one request.
Several spans a turn are allowed. The protocol's other reserved tokens are never visible either; inside a span those of the transport are
skipped, the end of the turn closes it, and any other spoils it (spec: venus B2). Does not know what a request means, or what evidence is: `fence` is only handed back with the span.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, assert_never

from ridealong.harness.polish import RESERVED
from ridealong.proto.types import MAX_TEXT_CHARS, Samples

OPEN: Final = "<delegate>"
CLOSE: Final = "</delegate>"
TURN_END: Final = "<|turn_eos|>"
TRANSPORT: Final = frozenset({"<|speak|>", "<|chunk_eos|>", "<unit>", "</unit>"})
MAX_REQUEST_CHARS: Final = MAX_TEXT_CHARS
MAX_SPANS_PER_TURN: Final = 8
MAX_TURN_CHARS: Final = 65_536
"""Of a turn that is sent whole each time."""


@dataclass(frozen=True, slots=True)
class Delta:
    """More text. `fence`: sequence number of the newest evidence at this instant."""

    text: str
    at: Samples
    fence: int = 0


@dataclass(frozen=True, slots=True)
class TurnEnd:
    at: Samples


@dataclass(frozen=True, slots=True)
class Whole:
    """All text so far of the front-end's turn number `turn` (from 1, growing)."""

    turn: int
    text: str
    at: Samples
    fence: int = 0


Event = Delta | Whole | TurnEnd


@dataclass(frozen=True, slots=True)
class VisibleText:
    text: str


@dataclass(frozen=True, slots=True)
class SpanOpened:
    """`at` and `fence` are those of the first character of the opening tag: the instant of the snapshot."""

    at: Samples
    fence: int


@dataclass(frozen=True, slots=True)
class Request:
    text: str
    at: Samples
    fence: int


@dataclass(frozen=True, slots=True)
class Rejected:
    """`reason`: empty, too_long, nested, reserved, too_many, unterminated, broken_tag, withdrawn."""

    reason: str


Effect = VisibleText | SpanOpened | Request | Rejected


_TAG: Final = re.compile("|".join(map(re.escape, RESERVED)), re.IGNORECASE)
_LONGEST: Final = max(map(len, RESERVED))


def unfinished_tag(text: str) -> int:
    """Length of the longest suffix that may still become a tag."""
    begin = text.rfind("<", max(0, len(text) - _LONGEST + 1))  # a tag has one "<", and begins with it
    if begin < 0:
        return 0
    suffix = text[begin:].lower()
    return len(text) - begin if any(tag.startswith(suffix) for tag in RESERVED) else 0


@dataclass(slots=True)
class Capture:
    depth: int = 0
    fault: str = ""  # why the span in progress will be rejected
    spans: int = 0  # in this turn
    rejected: int = 0  # in all
    ignored: int = 0  # texts of turns that are over
    opened: tuple[Samples, int] = (Samples(0), 0)
    _body: str = ""
    _tail: str = ""  # a suffix that may become a tag
    _tail_at: tuple[Samples, int] = (Samples(0), 0)  # instant of the tail's first character
    _turn: int = 0  # the newest that was sent whole
    _turn_over: bool = True
    _seen: str = ""  # of that turn
    _withheld: bool = False  # the rest of that turn
    _shown: str = ""  # the end of what was shown: it must not make a tag with what is shown behind a tag that is left out
    _behind_tag: bool = False
    _place: int = 0  # in that turn's text: of the tail's first character
    _opened_at: int = 0  # in that turn's text: of the span in progress
    _reopened: tuple[int, tuple[Samples, int]] | None = None  # the opening tag that is read again: where, and its instant

    @property
    def inside(self) -> bool:
        """A span, or what may be a tag, is not finished yet."""
        return self.depth > 0 or bool(self._tail)

    def on(self, event: Event) -> list[Effect]:
        match event:
            case Delta(text=text, at=at, fence=fence):
                return self._read(text, (at, fence)) if text else []
            case Whole(turn=turn, text=text, at=at, fence=fence):
                return self._whole(turn, text, (at, fence))
            case TurnEnd():
                return self._finish()
            case _:
                assert_never(event)

    # --- a turn that is sent whole ------------------------------------------------------------------------------------

    def _whole(self, turn: int, text: str, now: tuple[Samples, int]) -> list[Effect]:
        if turn < self._turn or (turn == self._turn and self._turn_over):
            self.ignored += 1
            return []
        effects: list[Effect] = []
        if turn > self._turn:
            effects = self._finish()
            self._turn, self._turn_over = turn, False
        if self._withheld or self._seen.startswith(text):
            return effects  # repeated, or its end withdrawn: it may come again
        if len(text) > MAX_TURN_CHARS:
            return [*effects, *self._withhold("too_long")]
        if not text.startswith(self._seen):
            same = _common(self._seen, text)
            start = self._opened_at if self.depth else self._place
            if same < start or (same == start and unfinished_tag(text[:start])):  # what was shown may now begin a tag
                return [*effects, *self._withhold("withdrawn")]
            self._go_back(start, same)
        before = self._seen
        self._seen = text
        return [*effects, *self._read(text[len(before) :], now)]

    def _withhold(self, reason: str) -> list[Effect]:
        self._withheld = True
        self.depth, self.fault, self._body, self._tail = 0, "", "", ""
        return [self._reject(reason)]

    def _go_back(self, start: int, same: int) -> None:
        """What comes after the first `same` characters was withdrawn, and what comes after `start` has led to nothing yet."""
        keeps_tag = self.depth > 0 and same >= start + len(OPEN)
        self._reopened = (start, self.opened) if keeps_tag else None
        self.spans -= self.depth > 0
        self.depth, self.fault, self._body, self._tail = 0, "", "", ""
        self._place, self._seen = start, self._seen[:start]
        self._behind_tag = self._seen.lower().endswith(RESERVED)

    # --- text ---------------------------------------------------------------------------------------------------------

    def _read(self, text: str, now: tuple[Samples, int]) -> list[Effect]:
        effects: list[Effect] = []
        old = len(self._tail)  # the first `old` characters of `rest` came earlier
        rest = self._tail + text
        while (found := _TAG.search(rest)) is not None:
            place, tag = found.start(), found[0].lower()
            effects += self._plain(rest[:place])
            self._place += place
            effects += self._tag(tag, self._tail_at if place < old else now)
            self._place, self._behind_tag = self._place + len(tag), True
            rest, old = rest[place + len(tag) :], 0
        keep = unfinished_tag(rest)
        effects += self._plain(rest[: len(rest) - keep])
        if keep and len(rest) - keep >= old:  # a tag has one "<", so a tail never begins inside the old one
            self._tail_at = now
        self._tail = rest[len(rest) - keep :]
        self._place += len(rest) - keep
        return _joined(effects)

    def _plain(self, text: str) -> list[Effect]:
        if not text:
            return []
        if self.depth == 0:
            apart = " " if self._behind_tag and unfinished_tag(self._shown) else ""
            self._shown, self._behind_tag = text[-_LONGEST:], False
            return [VisibleText(apart + text)]
        if not self.fault:
            self._body += text
            if len(self._body) > MAX_REQUEST_CHARS:
                self._spoil("too_long")
        return []

    def _tag(self, tag: str, instant: tuple[Samples, int]) -> list[Effect]:
        if tag == OPEN:
            self.depth += 1
            if self.depth > 1:
                self._spoil("nested")
                return []
            again, self._reopened = self._reopened, None
            self.opened, self.spans, self._opened_at = instant, self.spans + 1, self._place
            if self.spans > MAX_SPANS_PER_TURN:
                self._spoil("too_many")
                return []
            if again is not None and again[0] == self._place:
                self.opened = again[1]
                return []
            return [SpanOpened(*instant)]
        if self.depth == 0 or tag in TRANSPORT:
            return []  # a stray one is swallowed
        if tag not in (CLOSE, TURN_END):
            self._spoil("reserved")
            return []
        self.depth = 0 if tag == TURN_END else self.depth - 1
        return self._close() if self.depth == 0 else []

    def _close(self) -> list[Effect]:
        body, fault = self._body.strip(), self.fault
        self._body, self.fault = "", ""
        if not fault and not body:
            fault = "empty"
        return [self._reject(fault)] if fault else [Request(body, *self.opened)]

    def _finish(self) -> list[Effect]:
        effects: list[Effect] = []
        if self.depth:
            effects.append(self._reject("unterminated"))
        elif self._tail == "<":
            effects.append(VisibleText("<"))  # a lone sign is text …
        elif self._tail:
            effects.append(self._reject("broken_tag"))  # … a cut tag is not
        self.depth, self.fault, self.spans = 0, "", 0
        self._body, self._tail = "", ""
        self._turn_over, self._seen, self._withheld, self._place, self._reopened = True, "", False, 0, None
        self._shown, self._behind_tag = "", False
        return effects

    def _spoil(self, fault: str) -> None:
        self.fault = self.fault or fault
        self._body = ""

    def _reject(self, reason: str) -> Rejected:
        self.rejected += 1
        return Rejected(reason)


def _common(one: str, other: str) -> int:
    """How many characters both begin with."""
    return next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def _joined(effects: list[Effect]) -> list[Effect]:
    """Neighbouring visible texts as one."""
    joined: list[Effect] = []
    for effect in effects:
        if isinstance(effect, VisibleText) and joined and isinstance(joined[-1], VisibleText):
            joined[-1] = VisibleText(joined[-1].text + effect.text)
        else:
            joined.append(effect)
    return joined
