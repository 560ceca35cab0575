"""Decides which samples are to be played, in which order, and what is acknowledged as heard. Sans-IO: no clock, no sockets, no gain.

    SpeechChunk | FlushUpTo | Pull | Heard | LoudAgain  ->  Playout.on(event)  ->  [Render | Ack]

`Pull` asks for the next `frames` samples at 24 kHz and is how time passes here; they come as pieces that say where in their
utterance they lie. They then wait in the mixer, which may still drop them: only `Heard` makes them played. Rules:
* a chunk whose epoch is at or below `flushed` is never rendered; a flush is acknowledged per utterance with what was heard;
* utterances play in the order of their first chunk, chunks in the order of their numbers. A missing chunk, or one beyond the bound,
  cuts its utterance there: what follows is refused and counted, and its end is acknowledged as flushed, never as finished;
* an utterance starts with 120 ms buffered, or its last chunk, or after 300 ms; after an underrun more is asked for (up to 480 ms).
  Silence that an underrun inserts never advances `played_samples`;
* what passes the speaker too faintly is not acknowledged: what is cut there was heard up to where it became soft. When it is loud again, speech has gone on
  with the exact next sample, and what was soft counts after all. If that never happens, the utterance ends as flushed FAINT_WAIT_FRAMES after its last sample;
* acks are cumulative and monotone, in the utterance's own rate, never beyond what was heard; each utterance ends exactly once,
  finished or flushed.

Does not know: the network, how faint is too faint, holds, why somebody asked for a flush, or what a speaker is.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from enum import Enum
from typing import Final, assert_never

import numpy as np
from numpy.typing import NDArray

from ridealong.device.outgoing import Key, Outgoing
from ridealong.proto.types import CLOCK_HZ, SPEECH_HZ, Epoch, PlaybackAck, PlaybackState, Samples, UtteranceId

START_FRAMES: Final = SPEECH_HZ * 120 // 1000
START_LIMIT_FRAMES: Final = SPEECH_HZ * 480 // 1000
START_WAIT_FRAMES: Final = SPEECH_HZ * 300 // 1000
PROGRESS_FRAMES: Final = SPEECH_HZ * 200 // 1000
QUEUE_FRAMES: Final = SPEECH_HZ * 60
ABANDON_FRAMES: Final = SPEECH_HZ * 5
ENDED_REMEMBERED: Final = 1024
FAINT_WAIT_FRAMES: Final = SPEECH_HZ * 5


class State(Enum):
    IDLE = "idle"
    BUFFERING = "buffering"
    PLAYING = "playing"


@dataclass(frozen=True, slots=True)
class SpeechChunk:
    """A `Speech` at the speaker's rate. `source_end`: samples of the utterance up to and with this chunk, at its own `rate`."""

    epoch: Epoch
    utterance: UtteranceId
    chunk: int
    last: bool
    pcm16: NDArray[np.int16]
    source_end: int
    rate: int = SPEECH_HZ


@dataclass(frozen=True, slots=True)
class FlushUpTo:
    epoch: Epoch
    at: Samples


@dataclass(frozen=True, slots=True)
class Pull:
    """Asks for the next `frames` samples at 24 kHz, at device time `at`."""

    at: Samples
    frames: int


@dataclass(frozen=True, slots=True)
class Heard:
    """The speaker takes these frames of an utterance and nothing can call them back; the first is heard at `at`. `faint`: ducked so far
    that nobody can be expected to understand it."""

    epoch: Epoch
    utterance: UtteranceId
    first: int
    frames: int
    at: Samples
    faint: bool = False


@dataclass(frozen=True, slots=True)
class LoudAgain:
    """What is taken from here on is not faint any more."""


Event = SpeechChunk | FlushUpTo | Pull | Heard | LoudAgain


@dataclass(frozen=True, slots=True)
class Spoken:
    """Samples of one utterance. `first`: position of the first frame in it, at 24 kHz."""

    epoch: Epoch
    utterance: UtteranceId
    first: int
    pcm16: NDArray[np.int16]

    @property
    def frames(self) -> int:
        return len(self.pcm16)


@dataclass(frozen=True, slots=True)
class Silence:
    frames: int


Piece = Spoken | Silence


@dataclass(frozen=True, slots=True)
class Render:
    """As many frames as were asked for."""

    pieces: tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class Ack:
    ack: PlaybackAck


Effect = Render | Ack


# Inner events: what the queue says when the outer events have been applied.
@dataclass(frozen=True, slots=True)
class Queued:
    """There is an utterance to play."""


@dataclass(frozen=True, slots=True)
class Ready:
    """Enough of it is buffered."""


@dataclass(frozen=True, slots=True)
class Starved:
    """The utterance has more to come and nothing is here."""


@dataclass(frozen=True, slots=True)
class Drained:
    """Nothing is left."""


# The machine is data; docs/diagrams/playout.svg is generated from this table.
TRANSITIONS: dict[tuple[State, type], State] = {
    (State.IDLE, Queued): State.BUFFERING,
    (State.BUFFERING, Ready): State.PLAYING,
    (State.PLAYING, Starved): State.BUFFERING,
    (State.BUFFERING, Drained): State.IDLE,
    (State.PLAYING, Drained): State.IDLE,
}


@dataclass(slots=True)
class Playout:
    flushed: Epoch = Epoch(-1)
    state: State = State.IDLE
    # counters
    dead_chunks: int = 0
    repeated_chunks: int = 0
    missing_chunks: int = 0
    overflow_chunks: int = 0
    underruns: int = 0
    underrun_frames: int = 0
    played_frames: int = 0
    abandoned: int = 0
    _queue: deque[Outgoing] = field(default_factory=deque)  # not yet given whole
    _known: dict[Key, Outgoing] = field(default_factory=dict)  # not yet heard to the end, in order of arrival
    _ended: dict[Key, None] = field(default_factory=dict)  # insertion-ordered, bounded
    _start_frames: int = START_FRAMES
    _waited: int = 0
    _loud_wait: int = 0  # frames since nothing was left to give
    _now: Samples = Samples(0)

    @property
    def playing(self) -> bool:
        """Something is queued or sounding: the assistant has the floor."""
        return bool(self._known)

    @property
    def newest_epoch(self) -> Epoch:
        """The newest epoch that a flush by the device itself would kill."""
        return max((entry.epoch for entry in self._known.values()), default=self.flushed)

    @property
    def queued_frames(self) -> int:
        return sum(entry.waiting for entry in self._queue)

    def on(self, event: Event) -> list[Effect]:
        match event:
            case SpeechChunk():
                return self._chunk(event)
            case FlushUpTo(epoch=epoch, at=at):
                return self._flush(epoch, at)
            case Pull(at=at, frames=frames):
                return self._pull(at, frames)
            case Heard():
                return self._heard(event)
            case LoudAgain():
                return self._loud_again()
            case _:
                assert_never(event)

    def _chunk(self, event: SpeechChunk) -> list[Effect]:
        key = (event.epoch, event.utterance)
        if event.epoch <= self.flushed:
            self.dead_chunks += 1
            if key in self._ended:
                return []
            self._remember(key)  # it was on its way when the flush fell: nobody heard any of it
            return [Ack(PlaybackAck(event.epoch, event.utterance, 0, PlaybackState.FLUSHED, self._now))]
        if key in self._ended:
            self.repeated_chunks += 1
            return []
        entry = self._known.get(key)
        if entry is None:
            entry = Outgoing(event.epoch, event.utterance, event.rate)
            self._known[key] = entry
            self._queue.append(entry)
            self._move(Queued())
        if event.chunk < entry.next_chunk or entry.complete:
            self.repeated_chunks += 1
            return []
        if event.chunk > entry.next_chunk or event.rate != entry.rate:
            self.missing_chunks += 1
            entry.complete = entry.cut = True
            return []
        if self.queued_frames + len(event.pcm16) > QUEUE_FRAMES:
            self.overflow_chunks += 1
            entry.complete = entry.cut = True
            return []
        entry.next_chunk += 1
        entry.put(event.pcm16)
        entry.source_end = max(entry.source_end, event.source_end)
        entry.complete = event.last
        return []

    def _flush(self, epoch: Epoch, at: Samples) -> list[Effect]:
        if epoch <= self.flushed:
            return []
        self.flushed = epoch
        dead = [entry for entry in self._known.values() if entry.epoch <= epoch]
        if not dead:
            return []
        queued = len(self._queue)
        self._queue = deque(entry for entry in self._queue if entry.epoch > epoch)
        effects: list[Effect] = [self._end(entry, at, killed=True) for entry in dead]
        if len(self._queue) < queued:
            self._settle()
        return effects

    def _pull(self, at: Samples, frames: int) -> list[Effect]:
        self._now = at
        effects: list[Effect] = []
        pieces: list[Piece] = []
        left = frames
        while left and self._queue:
            entry = self._queue[0]
            if self.state is State.BUFFERING and not self._ready(entry, left):
                break
            first = entry.given
            taken = entry.take(left)
            if len(taken):
                pieces.append(Spoken(entry.epoch, entry.utterance, first, taken))
                left -= len(taken)
            if entry.waiting:
                continue
            if entry.complete:
                self._queue.popleft()
                if entry.over:
                    effects.append(self._end(entry, entry.last_heard if entry.started else at))
                self._start_frames = max(START_FRAMES, self._start_frames // 2)
                self._settle()
            elif self._move(Starved()):
                self.underruns += 1
                self._waited = 0
                self._start_frames = min(START_LIMIT_FRAMES, self._start_frames * 2)
        if left and self._queue and self.state is State.BUFFERING and self._queue[0].given:
            self.underrun_frames += left
        if left:
            pieces.append(Silence(left))
        self._loud_wait = 0 if self._queue else self._loud_wait + frames
        if self._loud_wait >= FAINT_WAIT_FRAMES:
            effects += [self._end(entry, at, killed=True) for entry in [one for one in self._known.values() if one.faint]]
        return [Render(tuple(pieces)), *effects]

    def _ready(self, entry: Outgoing, frames: int) -> bool:
        if entry.complete or entry.waiting >= self._start_frames or (entry.waiting and self._waited >= START_WAIT_FRAMES):
            self._waited = 0
            self._move(Ready())
            return True
        self._waited += frames
        if self._waited >= ABANDON_FRAMES and len(self._queue) > 1:
            self.abandoned += 1  # others wait behind one that nobody continues
            entry.complete = entry.cut = True
        return False

    def _heard(self, event: Heard) -> list[Effect]:
        """Acks: the start, each 200 ms of speech that was passed, timed to the sample, and the end."""
        entry = self._known.get((event.epoch, event.utterance))
        if entry is None or event.first != entry.passed:  # ended while the device took it
            return []
        self.played_frames += event.frames
        entry.passed = event.first + event.frames
        entry.last_heard = Samples(event.at + event.frames * CLOCK_HZ // SPEECH_HZ)
        return [] if event.faint else self._counts(entry, event.at, event.first)

    def _counts(self, entry: Outgoing, at: Samples, first: int) -> list[Effect]:
        """All of it that has passed was heard; frame `first` at `at`."""
        effects: list[Effect] = []
        if not entry.started:
            entry.started = True
            effects.append(self._ack(entry, PlaybackState.STARTED, at))
        while entry.acked_at + PROGRESS_FRAMES <= entry.passed:
            entry.acked_at += PROGRESS_FRAMES
            entry.heard_to(entry.acked_at)
            passed_at = Samples(at + (entry.acked_at - first) * CLOCK_HZ // SPEECH_HZ)
            effects.append(self._ack(entry, PlaybackState.PROGRESS, passed_at))
        entry.heard_to(entry.passed)
        if entry.over:
            effects.append(self._end(entry, entry.last_heard))
        return effects

    def _loud_again(self) -> list[Effect]:
        faint = [entry for entry in self._known.values() if entry.faint]
        return [effect for entry in faint for effect in self._counts(entry, entry.last_heard, entry.passed)]

    def _ack(self, entry: Outgoing, state: PlaybackState, at: Samples) -> Ack:
        entry.told_at = max(entry.told_at, at)
        return Ack(PlaybackAck(entry.epoch, entry.utterance, entry.played_samples(), state, entry.told_at))

    def _end(self, entry: Outgoing, at: Samples, *, killed: bool = False) -> Ack:
        del self._known[entry.key]
        self._remember(entry.key)
        if not killed and not entry.cut:
            return Ack(
                PlaybackAck(entry.epoch, entry.utterance, entry.source_end, PlaybackState.FINISHED, max(entry.told_at, at))
            )
        return self._ack(entry, PlaybackState.FLUSHED, at)

    def _remember(self, key: Key) -> None:
        self._ended[key] = None
        if len(self._ended) > ENDED_REMEMBERED:
            del self._ended[next(iter(self._ended))]

    def _settle(self) -> None:
        """After an utterance left: the next one buffers anew, or nothing is left."""
        self._waited = 0
        if not self._queue:
            self._move(Drained())
        else:
            self._move(Starved())

    def _move(self, event: Queued | Ready | Starved | Drained) -> bool:
        after = TRANSITIONS.get((self.state, type(event)))
        if after is None:
            return False
        self.state = after
        return True
