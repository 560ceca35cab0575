"""What the assistant has said in a session, and how much of each was heard: for "say that again", "go on" and a model's prompt. Sans-IO.

An entry is an utterance as playback acknowledgments show it (`Saying`, whole each time). Order is that of utterances, never that of
acknowledgments: one that comes late fills in its own entry and moves nothing.
Does not know the link, pacing, or what becomes of the rest by itself (rest.py).
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Final

from ridealong.harness.rest import Why, resumption, unheard
from ridealong.harness.skill import LastSaid
from ridealong.proto.types import Samples, UtteranceId, ms_from_samples

GO_ON_WITHIN_MS: Final = 120_000
BOUND: Final = 64


class State(Enum):
    SPEAKING = "speaking"
    FINISHED = "finished"
    CUT = "cut"


@dataclass(frozen=True, slots=True)
class Saying:
    """One utterance. A cut one is a heard boundary: `heard` is what was played, to the whole word; `rest` what was not.

    `settled`: the device has confirmed it; until then `heard` is what it had acknowledged when the cut was decided.
    `utterance` 0: cut before a sample of it had left."""

    utterance: UtteranceId
    work_id: str
    text: str
    heard: str
    at: Samples  # of its end; while speaking, of its beginning
    state: State = State.SPEAKING
    why: Why | None = None
    settled: bool = False
    closed: bool = False  # its rest is not for "go on" any more

    @property
    def rest(self) -> str:
        return unheard(self.text, self.heard) if self.state is not State.FINISHED else ""

    def boundary(self) -> str:
        """One line for reports."""
        return f"heard: {self.heard} | not heard: {self.rest} | cut by: {self.why.value if self.why else ''}"


@dataclass(frozen=True, slots=True)
class Later:
    """The rest of a text that is said in parts, never said yet. `at`: when its last part was begun."""

    text: str
    locale: str
    at: Samples


@dataclass(slots=True)
class Said:
    """The last BOUND utterances, oldest first. Read from other threads through copies only."""

    entries: deque[Saying] = field(default_factory=lambda: deque(maxlen=BOUND))
    later: Later | None = None

    def note(self, saying: Saying) -> None:
        """A new utterance, or news of a known one."""
        for index, known in enumerate(self.entries):
            if saying.utterance and known.utterance == saying.utterance:
                self.entries[index] = replace(saying, closed=known.closed)
                return
        at = len(self.entries)
        if saying.utterance:  # utterances are numbered in the order in which they are said
            while at and self.entries[at - 1].utterance > saying.utterance:
                at -= 1
        if at == len(self.entries):
            self.entries.append(saying)
        elif len(self.entries) < BOUND:
            self.entries.insert(at, saying)

    def last(self) -> Saying | None:
        """What was said last: the newest of which something was heard, else the newest that is being said."""
        entries = [entry for entry in list(self.entries) if entry.text]
        return next((entry for entry in reversed(entries) if entry.heard), None) or next(
            (entry for entry in reversed(entries) if entry.state is State.SPEAKING), None
        )

    def unfinished(self, now: Samples) -> Saying | None:
        """The newest utterance that was cut, and whose rest may still be asked for."""
        for entry in reversed(list(self.entries)):
            if entry.state is not State.CUT or entry.closed or ms_from_samples(Samples(now - entry.at)) > GO_ON_WITHIN_MS:
                continue
            if resumption(entry.text, entry.heard):
                return entry
        return None

    def kept(self, now: Samples) -> Later | None:
        """What is left of a text that is said in parts, while it may be asked for."""
        newest = max([self.later.at, *(entry.at for entry in list(self.entries)[-1:])]) if self.later is not None else now
        return self.later if ms_from_samples(Samples(now - newest)) <= GO_ON_WITHIN_MS else None

    def view(self, now: Samples) -> LastSaid | None:
        """For routers and skills."""
        unfinished = self.unfinished(now)
        last = self.last() or unfinished
        if last is None:
            return None
        ago_ms = max(0.0, ms_from_samples(Samples(now - last.at)))
        settled = not any(entry.state is State.CUT and not entry.settled for entry in list(self.entries))
        more, speaking = unfinished is not None or self.kept(now) is not None, last.state is State.SPEAKING
        return LastSaid(last.text, last.heard, last.rest, ago_ms, more, settled, speaking)

    def close(self, saying: Saying) -> None:
        """Its rest is spoken, repeated or replaced."""
        for index, known in enumerate(self.entries):
            if known == saying:
                self.entries[index] = replace(known, closed=True)

    def close_work(self, work_ids: frozenset[str]) -> bool:
        """True when a rest was closed by it."""
        found = [entry for entry in self.entries if entry.work_id in work_ids]
        for saying in found:
            self.close(saying)
        return any(entry.state is State.CUT and not entry.closed for entry in found)

    def forget(self) -> None:
        """Never mind: no rest is for "go on" any more."""
        self.later = None
        for saying in list(self.entries):
            self.close(saying)
