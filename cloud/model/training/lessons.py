"""Records as lessons: rows for the language model, what is to be said after which row, and what that counts.

    Lessons.prepare -> those that fit and those that are dropped, with the reason
    lesson(n)       -> ids, media in their places, targets, weights         [one sample]
    batch([...])    -> the same, padded at the end, weights made shares     [a batch]

Source: venus.md G5: a sample's loss is divided by its own weight, then the mean is taken. Knows no optimiser and no files' format.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import torch
from torch import Tensor

from ridealong.cloud.model.tokens import Tokens
from ridealong.cloud.model.training.layout import Media, Part, Piece, lay_out
from ridealong.cloud.model.training.records import Duplex, Record
from ridealong.cloud.model.training.senses import Senses, Undecodable
from ridealong.errors import UserError


@dataclass(frozen=True, slots=True)
class Weights:
    """Of one id's loss within its sample. The published ones are unknown (venus.md G5, K)."""

    control: float = 1.0
    words: float = 1.0
    delegate: float = 1.0

    def of(self, part: Part) -> float:
        match part:
            case Part.GIVEN:
                return 0.0
            case Part.CONTROL:
                return self.control
            case Part.WORDS:
                return self.words
            case Part.DELEGATE:
                return self.delegate


@dataclass(frozen=True, slots=True)
class Lesson:
    """One sample. Where `places` says so, a row is media's and not that of the id (which is 0)."""

    id: str
    ids: Tensor  # [rows] int64
    places: Tensor  # [media rows] int64, ascending
    media: Tensor  # [media rows, hidden]
    says: Tensor  # [targets] int64: the row whose state is asked
    targets: Tensor  # [targets] int64: the id that must follow it
    weights: Tensor  # [targets] float32, above 0


@dataclass(frozen=True, slots=True)
class Batch:
    """Lessons padded to the longest, on one device. `shares`: each target's part in the batch's loss; they sum to 1."""

    ids: Tensor  # [batch, rows]
    media_at: tuple[Tensor, Tensor]  # item and row of each media row: 2 x [media rows]
    media: Tensor  # [media rows, hidden]
    says: tuple[Tensor, Tensor]  # 2 x [targets]
    targets: Tensor  # [targets]
    shares: Tensor  # [targets] float32


@dataclass(frozen=True, slots=True)
class Dropped:
    id: str
    why: str


@dataclass(frozen=True, slots=True)
class LaidOut:
    """A record in tokens. `rows`: of the language model's cache. `duplex`: a session; otherwise a chat."""

    id: str
    duplex: bool
    pieces: tuple[Piece, ...]
    rows: int

    @property
    def media(self) -> list[Media]:
        return [piece.media for piece in self.pieces if piece.media is not None]


@dataclass(slots=True)
class Lessons:
    """Those records of a set that can be taught. `dropped`: those that can't, as the recipe has it."""

    records: list[LaidOut]
    senses: Senses
    weights: Weights
    dropped: list[Dropped] = field(default_factory=list)

    @classmethod
    def prepare(
        cls, records: Sequence[Record], tokens: Tokens, senses: Senses, max_rows: int, weights: Weights | None = None
    ) -> Lessons:
        """Lays every record out and counts its rows; encodes nothing yet. Raises `UserError` for a bad record, or where none is left."""
        lessons = cls([], senses, weights or Weights())
        for record in records:
            pieces = lay_out(record, tokens)
            try:
                rows = sum(senses.rows_of(piece.media) if piece.media else len(piece.ids) for piece in pieces)
            except Undecodable as error:
                lessons.dropped.append(Dropped(record.id, str(error)))
                continue
            if rows > max_rows:
                lessons.dropped.append(Dropped(record.id, f"it has {rows} rows, there is room for {max_rows}"))
            else:
                lessons.records.append(LaidOut(record.id, isinstance(record, Duplex), tuple(pieces), rows))
        if not lessons.records:
            shown = "; ".join(f"{one.id}: {one.why}" for one in lessons.dropped[:3])
            raise UserError(f"No record is left to train on: {shown}.")
        return lessons

    def __len__(self) -> int:
        return len(self.records)

    def lesson(self, number: int) -> Lesson:
        record = self.records[number]
        media = iter(self.senses.rows(record.id, record.media))
        ids: list[int] = []
        worth: list[float] = []
        places: list[int] = []
        rows: list[Tensor] = []
        for piece in record.pieces:
            if piece.media is None:
                ids += piece.ids
                worth += map(self.weights.of, piece.parts)
            else:
                rows.append(next(media))
                places += range(len(ids), len(ids) + len(rows[-1]))
                ids += [0] * len(rows[-1])
                worth += [0.0] * len(rows[-1])
        learnt = [row for row, weight in enumerate(worth) if weight > 0]
        return Lesson(
            record.id,
            torch.tensor(ids),
            torch.tensor(places, dtype=torch.long),
            torch.cat(rows) if rows else torch.empty(0),
            torch.tensor(learnt) - 1,  # a row's state tells what follows it
            torch.tensor([ids[row] for row in learnt]),
            torch.tensor([worth[row] for row in learnt]),
        )


def batch(lessons: Sequence[Lesson], of: int, device: torch.device | str = "cpu") -> Batch:
    """of: samples of the whole step, of which these may be a part: shares of a step's parts sum to 1 together."""
    longest = max(len(lesson.ids) for lesson in lessons)
    ids = torch.zeros(len(lessons), longest, dtype=torch.long)
    for number, lesson in enumerate(lessons):
        ids[number, : len(lesson.ids)] = lesson.ids
    media = [lesson.media for lesson in lessons if len(lesson.places)]

    def item(counts: Sequence[int]) -> Tensor:
        return torch.repeat_interleave(torch.arange(len(counts)), torch.tensor(counts)).to(device)

    return Batch(
        ids.to(device),
        (item([len(lesson.places) for lesson in lessons]), torch.cat([lesson.places for lesson in lessons]).to(device)),
        torch.cat(media).to(device) if media else torch.empty(0, device=device),
        (item([len(lesson.says) for lesson in lessons]), torch.cat([lesson.says for lesson in lessons]).to(device)),
        torch.cat([lesson.targets for lesson in lessons]).to(device),
        torch.cat([lesson.weights / lesson.weights.sum() / of for lesson in lessons]).to(device),
    )


def order(count: int, size: int, seed: int, steps: int) -> Iterator[tuple[int, ...]]:
    """The samples of each step: every epoch all of them in a new order, formats mixed. A function of its arguments alone."""
    waiting: list[int] = []
    epoch = 0
    for _ in range(steps):
        while len(waiting) < size:
            fresh = list(range(count))
            random.Random(f"{seed} {epoch}").shuffle(fresh)
            waiting, epoch = waiting + fresh, epoch + 1
        yield tuple(waiting[:size])
        waiting = waiting[size:]
