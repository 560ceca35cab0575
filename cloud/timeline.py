"""One causal timeline of a session, on the device's audio clock: what was said, heard, seen, asked, answered and done.

`SpokenLedger` holds the assistant's side: what was sent, and how much of it the device confirmed as played. `Timeline` is the
bounded, ordered record from which transcripts and snapshots are made. Sans-IO.

Does not know: the link, front-ends, skills. Invariants: heard <= sent, per utterance monotone; an ack for something never sent
changes nothing (field-reports C).
"""

from __future__ import annotations

import bisect
from collections import OrderedDict
from dataclasses import dataclass, field

from ridealong.proto.types import Epoch, PlaybackAck, PlaybackState, Samples, UtteranceId, WordTime
from ridealong.proto.words import joined


@dataclass(slots=True)
class Spoken:
    """One utterance of the assistant. Lengths in the utterance's own samples."""

    utterance: UtteranceId
    epoch: Epoch
    rate: int
    work_id: str
    sent_samples: int = 0
    played_samples: int = 0
    chunks: int = 0
    complete: bool = False  # its last chunk was sent
    started_at: Samples | None = None
    ended_at: Samples | None = None
    finished: bool = False
    flushed: bool = False
    words: list[WordTime] = field(default_factory=list)

    @property
    def over(self) -> bool:
        return self.finished or self.flushed

    def text(self) -> str:
        return joined(word.word for word in self.words)

    def heard(self) -> str:
        """What was played, to the whole word: a word counts when at least half of it was played."""
        return joined(word.word for word in self.words if (word.start + word.end) / 2 <= self.played_samples)


@dataclass(slots=True)
class SpokenLedger:
    """The last `bound` utterances. `strange_acks` counts acks for what was never sent (the peer's error)."""

    bound: int = 256
    entries: OrderedDict[UtteranceId, Spoken] = field(default_factory=OrderedDict)
    strange_acks: int = 0
    forgotten: int = 0

    def sent(
        self, utterance: UtteranceId, epoch: Epoch, rate: int, samples: int, words: tuple[WordTime, ...], last: bool, work_id: str
    ) -> Spoken:
        entry = self.entries.get(utterance)
        if entry is None:
            entry = self.entries[utterance] = Spoken(utterance, epoch, rate, work_id)
            if len(self.entries) > self.bound:
                self.entries.popitem(last=False)
                self.forgotten += 1
        entry.sent_samples += samples
        entry.words.extend(words)
        entry.chunks += 1
        entry.complete = entry.complete or last
        return entry

    def acked(self, ack: PlaybackAck) -> Spoken | None:
        """Apply a cumulative ack. None, and nothing changed, when it cannot be true or says nothing new."""
        entry = self.entries.get(ack.utterance)
        if entry is None or entry.epoch != ack.epoch or ack.played_samples > entry.sent_samples:
            self.strange_acks += 1
            return None
        if entry.over or ack.played_samples < entry.played_samples:
            return None
        if ack.state is PlaybackState.FINISHED and not (entry.complete and ack.played_samples == entry.sent_samples):
            self.strange_acks += 1
            return None
        entry.played_samples = ack.played_samples
        if entry.started_at is None:
            entry.started_at = ack.at
        entry.finished = ack.state is PlaybackState.FINISHED
        entry.flushed = ack.state is PlaybackState.FLUSHED
        if entry.over:
            entry.ended_at = ack.at
        return entry

    @property
    def speaking(self) -> list[Spoken]:
        """Sent and not yet over, in order."""
        return [entry for entry in self.entries.values() if not entry.over and entry.sent_samples]


@dataclass(frozen=True, slots=True, order=True)
class Entry:
    at: Samples
    order: int
    kind: str  # user | assistant | other | frame | work | reply | signal | control
    text: str = field(compare=False, default="")
    ref: str = field(compare=False, default="")


@dataclass(slots=True)
class Timeline:
    """Ordered by device time, ties by arrival. Bounded: the oldest entries go, counted."""

    bound: int = 4_096
    entries: list[Entry] = field(default_factory=list)
    dropped: int = 0
    _order: int = 0

    def add(self, at: Samples, kind: str, text: str = "", ref: str = "") -> Entry:
        self._order += 1
        entry = Entry(at, self._order, kind, text, ref)
        bisect.insort(self.entries, entry)
        if len(self.entries) > self.bound:
            del self.entries[0]
            self.dropped += 1
        return entry

    def between(self, start: Samples, end: Samples) -> list[Entry]:
        """Entries with start <= at < end."""
        return [entry for entry in self.entries if start <= entry.at < end]
