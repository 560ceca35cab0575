"""What the assistant said and how much of it was heard: speech chunks and playback acks, joined. Pure.

What counts as heard is the product's own rule (`proto/words.py`), so that the report and the conversation never disagree. Does not know why something was said or cut.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from ridealong.proto.types import CLOCK_HZ, PlaybackAck, PlaybackState, Samples, Speech, WordTime
from ridealong.proto.words import first_word, heard_of, heard_share, joined
from ridealong.simulators.trip.record import UtteranceFact

MAX_UTTERANCES = 20_000

Key = tuple[int, int]


@dataclass(slots=True)
class _Piece:
    """A stretch of text and the samples that carry it."""

    text: str
    words: tuple[WordTime, ...]
    start: int
    end: int

    def heard(self, played: int) -> str:
        if played >= self.end:
            return self.text
        if played <= self.start:
            return ""
        if not self.words:
            return heard_share(self.text, (played - self.start) / max(1, self.end - self.start))
        position = 0
        for word in self.words[: heard_of(self.words, played)]:
            found = self.text.find(word.word, position)
            if found >= 0:
                position = found + len(word.word)
        return self.text[:position]


@dataclass(slots=True)
class _Utterance:
    epoch: int
    utterance: int
    received_s: float
    rate: int
    work_id: str
    pieces: list[_Piece] = field(default_factory=list)
    samples: int = 0
    played: int = 0
    started_s: float | None = None
    ended_s: float | None = None
    state: str = ""

    def text(self) -> str:
        return joined([piece.text for piece in self.pieces])

    def heard(self) -> str:
        heard = joined([piece.heard(self.played) for piece in self.pieces])
        if heard or self.played < self.rate:
            return heard
        return next((first for piece in self.pieces if (first := first_word(piece.text))), "")

    def fact(self) -> UtteranceFact:
        return UtteranceFact(
            utterance=self.utterance, epoch=self.epoch, received_s=self.received_s, started_s=self.started_s, ended_s=self.ended_s,
            text=self.text(), heard=self.heard(), state=self.state, samples=self.samples, played_samples=self.played, rate=self.rate,
            work_id=self.work_id,
        )  # fmt: skip


class UtteranceBook:
    """Feed it every Speech and every PlaybackAck of a run."""

    def __init__(self) -> None:
        self._all: dict[Key, _Utterance] = {}
        self.unknown_acks = 0
        self.dropped = 0

    def speech(self, at: Samples, chunk: Speech) -> None:
        key = (chunk.epoch, chunk.utterance)
        entry = self._all.get(key)
        if entry is None:
            if len(self._all) >= MAX_UTTERANCES:
                self.dropped += 1
                return
            entry = self._all[key] = _Utterance(chunk.epoch, chunk.utterance, at / CLOCK_HZ, chunk.rate, chunk.work_id)
        end = chunk.offset + len(chunk.pcm16) // 2
        entry.samples = max(entry.samples, end)
        entry.work_id = entry.work_id or chunk.work_id
        if chunk.text or not entry.pieces:
            entry.pieces.append(_Piece(chunk.text, chunk.words, chunk.offset, end))
        else:  # samples without text of their own carry on the last text
            entry.pieces[-1].end = max(entry.pieces[-1].end, end)
            entry.pieces[-1].words += chunk.words

    def ack(self, ack: PlaybackAck) -> None:
        entry = self._all.get((ack.epoch, ack.utterance))
        if entry is None:
            self.unknown_acks += 1
            return
        at_s = ack.at / CLOCK_HZ
        entry.played = max(entry.played, ack.played_samples)
        if entry.started_s is None and (ack.state is PlaybackState.STARTED or ack.played_samples > 0):
            entry.started_s = at_s
        if ack.state in (PlaybackState.FINISHED, PlaybackState.FLUSHED):
            entry.ended_s = at_s
        elif entry.state in ("finished", "flushed"):
            return
        entry.state = ack.state.value

    def facts(self) -> list[UtteranceFact]:
        """Every utterance, in order of arrival."""
        return [entry.fact() for entry in self._all.values()]

    def fact(self, epoch: int, utterance: int) -> UtteranceFact | None:
        entry = self._all.get((epoch, utterance))
        return entry.fact() if entry else None
