"""One causal timeline of a session, on the device's audio clock: what was said, heard, seen, asked, answered and done.

`SpokenLedger` holds the assistant's side: what was sent, and how much of it the device confirmed as played. `Timeline` is the
bounded, ordered record from which transcripts and snapshots are made. Sans-IO.

Does not know: the link, front-ends, skills. Invariants (field-reports C): heard = min(acknowledged, sent), per utterance and
monotone; after a second of playback heard text is not empty; an ack for something never sent, or for what is over, changes
nothing and is counted; an ack that comes late fills in its own utterance and moves no other.
"""

from __future__ import annotations

import bisect
from collections import OrderedDict
from dataclasses import dataclass, field

from ridealong.harness.rest import Why
from ridealong.proto.types import Epoch, PlaybackAck, PlaybackState, Samples, UtteranceId, WordTime
from ridealong.proto.words import first_word, heard_of, heard_share, joined


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of an utterance: its words with their times, or text that is spread evenly over its samples."""

    start: int
    end: int
    words: tuple[WordTime, ...]
    text: str

    def said(self) -> str:
        return joined(word.word for word in self.words) if self.words else self.text

    def heard(self, played: int) -> str:
        """To the whole word."""
        if self.words:
            return joined(word.word for word in self.words[: heard_of(self.words, played)])
        return heard_share(self.text, (played - self.start) / max(1, self.end - self.start)).strip()

    def first(self) -> str:
        return self.words[0].word if self.words else first_word(self.text)


@dataclass(slots=True)
class Spoken:
    """One utterance of the assistant. Lengths in the utterance's own samples. `whole`: all its text, sent or not.

    `cut`: somebody decided to end it; what had been played by then becomes known with the device's last ack (`flushed`)."""

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
    pieces: list[Piece] = field(default_factory=list)
    whole: str = ""
    cut: Why | None = None
    cut_at: Samples | None = None

    @property
    def over(self) -> bool:
        return self.finished or self.flushed

    def text(self) -> str:
        return self.whole or joined(piece.said() for piece in self.pieces)

    def heard(self) -> str:
        """What was played, to the whole word; never empty once a second was played, however long the first word is."""
        heard = joined(piece.heard(self.played_samples) for piece in self.pieces if piece.start < self.played_samples)
        if heard or self.played_samples < self.rate:
            return heard
        return next((first for piece in self.pieces if (first := piece.first().strip())), "")


@dataclass(slots=True)
class SpokenLedger:
    """The last `bound` utterances. `strange_acks` counts acks for what was never sent (the peer's error)."""

    bound: int = 256
    entries: OrderedDict[UtteranceId, Spoken] = field(default_factory=OrderedDict)
    strange_acks: int = 0
    clamped_acks: int = 0
    superseded_acks: int = 0
    forgotten: int = 0

    def sent(
        self,
        utterance: UtteranceId,
        epoch: Epoch,
        rate: int,
        samples: int,
        words: tuple[WordTime, ...],
        last: bool,
        work_id: str,
        text: str = "",
        whole: str = "",
    ) -> Spoken:
        entry = self.entries.get(utterance)
        if entry is None:
            entry = self.entries[utterance] = Spoken(utterance, epoch, rate, work_id)
            if len(self.entries) > self.bound:
                self.entries.popitem(last=False)
                self.forgotten += 1
        if words or text or not entry.pieces:
            entry.pieces.append(Piece(entry.sent_samples, entry.sent_samples + samples, words, text))
        else:  # samples without text of their own carry on the last text
            before = entry.pieces[-1]
            entry.pieces[-1] = Piece(before.start, before.end + samples, before.words, before.text)
        entry.whole = entry.whole or whole
        entry.sent_samples += samples
        entry.chunks += 1
        entry.complete = entry.complete or last
        return entry

    def acked(self, ack: PlaybackAck) -> Spoken | None:
        """Apply a cumulative ack. None, and nothing changed, when it cannot be true or says nothing new.

        A device that counts further than was sent counts something else (its transport, an earlier utterance): no more than
        what was sent can have been heard."""
        entry = self.entries.get(ack.utterance)
        if entry is None or entry.epoch != ack.epoch:
            self.strange_acks += 1
            return None
        if entry.over or ack.played_samples < entry.played_samples:
            self.superseded_acks += 1
            return None
        if ack.played_samples > entry.sent_samples:
            self.clamped_acks += 1
        played = min(ack.played_samples, entry.sent_samples)
        if ack.state is PlaybackState.FINISHED and not (entry.complete and played == entry.sent_samples):
            self.strange_acks += 1
            return None
        entry.played_samples = played
        if entry.started_at is None:
            entry.started_at = ack.at
        entry.finished = ack.state is PlaybackState.FINISHED
        entry.flushed = ack.state is PlaybackState.FLUSHED
        if entry.over:
            entry.ended_at = ack.at
        return entry

    def newest_of(self, work_id: str) -> UtteranceId | None:
        """The latest utterance of a reply: an earlier one of the same reply is superseded."""
        return next((entry.utterance for entry in reversed(self.entries.values()) if entry.work_id == work_id), None)

    @property
    def speaking(self) -> list[Spoken]:
        """Sent and not yet over, in order."""
        return [entry for entry in self.entries.values() if not entry.over and entry.sent_samples]


@dataclass(frozen=True, slots=True, order=True)
class Entry:
    at: Samples
    order: int
    kind: str  # user | assistant | cut | other | verdict | frame | work
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
