"""Decides every sample that the speaker plays, and what is acknowledged as heard. Sans-IO: no clock, no sockets, no resampling.

    SpeechChunk | FlushUpTo | Duck | Unduck | Hold | Release | Pull  ->  Playout.on(event)  ->  [Render | Ack]

Each `Pull` asks for the next `frames` samples at 24 kHz and is the only way in which time passes. Rules:
* a chunk whose epoch is at or below `flushed` is never rendered; a flush ends the sound with a 5 ms decay of the last sample value
  (no stale speech in it) and is acknowledged per utterance with what was played;
* utterances play in the order of their first chunk, chunks in the order of their numbers. A missing chunk, or one beyond the bound,
  cuts its utterance there: what follows is refused and counted, and its end is acknowledged as flushed, never as finished;
* an utterance starts with 120 ms buffered, or its last chunk, or after 300 ms; after an underrun more is asked for (up to 480 ms).
  Silence that an underrun or a hold inserts never advances `played_samples`;
* acks are cumulative and monotone, in the utterance's own rate, never beyond what arrived; each utterance ends exactly once,
  finished or flushed;
* gain changes ramp over 10 ms.

Does not know: the network, why somebody asked for a flush, or what a speaker is.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from enum import Enum
from typing import Final, assert_never

import numpy as np
from numpy.typing import NDArray

from ridealong.proto.types import CLOCK_HZ, SPEECH_HZ, Epoch, PlaybackAck, PlaybackState, Samples, UtteranceId

START_FRAMES: Final = SPEECH_HZ * 120 // 1000
START_LIMIT_FRAMES: Final = SPEECH_HZ * 480 // 1000
START_WAIT_FRAMES: Final = SPEECH_HZ * 300 // 1000
PROGRESS_FRAMES: Final = SPEECH_HZ * 200 // 1000
RAMP_FRAMES: Final = SPEECH_HZ * 10 // 1000
DECAY_FRAMES: Final = SPEECH_HZ * 5 // 1000
QUEUE_FRAMES: Final = SPEECH_HZ * 60
HOLD_FRAMES: Final = SPEECH_HZ * 2
ABANDON_FRAMES: Final = SPEECH_HZ * 5
ENDED_REMEMBERED: Final = 1024


class State(Enum):
    IDLE = "idle"
    BUFFERING = "buffering"
    PLAYING = "playing"
    HELD = "held"


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
class Duck:
    gain_db: float = -18.0


@dataclass(frozen=True, slots=True)
class Unduck:
    pass


@dataclass(frozen=True, slots=True)
class Hold:
    pass


@dataclass(frozen=True, slots=True)
class Release:
    pass


@dataclass(frozen=True, slots=True)
class Pull:
    """The speaker wants `frames` samples at 24 kHz; the first is heard at `at`."""

    at: Samples
    frames: int


Event = SpeechChunk | FlushUpTo | Duck | Unduck | Hold | Release | Pull


@dataclass(frozen=True, slots=True)
class Render:
    """`pcm16`: little-endian int16 at 24 kHz, gain applied. `gain`: linear, at the end of the block. `active`: holds speech."""

    pcm16: bytes
    gain: float
    active: bool


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
    (State.BUFFERING, Hold): State.HELD,
    (State.PLAYING, Hold): State.HELD,
    (State.HELD, Release): State.BUFFERING,
    (State.BUFFERING, Drained): State.IDLE,
    (State.PLAYING, Drained): State.IDLE,
    (State.HELD, Drained): State.IDLE,
}

Key = tuple[Epoch, UtteranceId]
_DECAY: Final = 1 - np.arange(1, DECAY_FRAMES + 1) / DECAY_FRAMES


@dataclass(slots=True)
class _Utterance:
    epoch: Epoch
    utterance: UtteranceId
    rate: int
    pieces: deque[NDArray[np.int16]] = field(default_factory=deque)
    waiting: int = 0  # frames in pieces
    received: int = 0  # frames, at 24 kHz
    source_end: int = 0
    next_chunk: int = 0
    complete: bool = False
    cut: bool = False  # a chunk is missing: ends as flushed
    played: int = 0  # frames
    acked_at: int = 0
    reported: int = 0
    started: bool = False

    @property
    def key(self) -> Key:
        return self.epoch, self.utterance

    def played_samples(self) -> int:
        """In the utterance's own rate; monotone, never beyond what arrived."""
        exact = self.source_end if self.played == self.received else self.played * self.rate // SPEECH_HZ
        self.reported = max(self.reported, min(self.source_end, exact))
        return self.reported

    def take(self, frames: int) -> NDArray[np.int16]:
        taken: list[NDArray[np.int16]] = []
        while frames and self.pieces:
            piece = self.pieces.popleft()
            if len(piece) > frames:
                self.pieces.appendleft(piece[frames:])
                piece = piece[:frames]
            taken.append(piece)
            frames -= len(piece)
            self.waiting -= len(piece)
        return np.concatenate(taken) if taken else np.zeros(0, np.int16)


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
    _queue: deque[_Utterance] = field(default_factory=deque)
    _known: dict[Key, _Utterance] = field(default_factory=dict)
    _ended: dict[Key, None] = field(default_factory=dict)  # insertion-ordered, bounded
    _start_frames: int = START_FRAMES
    _waited: int = 0
    _held: int = 0
    _gain: float = 1.0
    _target: float = 1.0
    _step: float = 0.0
    _last_value: float = 0.0
    _silent: bool = True
    _broken: bool = False
    _now: Samples = Samples(0)

    @property
    def playing(self) -> bool:
        """Something is queued or sounding: the assistant has the floor."""
        return bool(self._queue)

    @property
    def newest_epoch(self) -> Epoch:
        """The newest epoch that a flush by the device itself would kill."""
        return max((entry.epoch for entry in self._queue), default=self.flushed)

    @property
    def queued_frames(self) -> int:
        return sum(entry.waiting for entry in self._queue)

    def on(self, event: Event) -> list[Effect]:
        match event:
            case SpeechChunk():
                return self._chunk(event)
            case FlushUpTo(epoch=epoch, at=at):
                return self._flush(epoch, at)
            case Duck(gain_db=gain_db):
                self._ramp_to(min(1.0, 10 ** (gain_db / 20)))
                return []
            case Unduck():
                self._ramp_to(1.0)
                return []
            case Hold():
                if self._move(event):
                    self._held = 0
                return []
            case Release():
                if self._move(event):
                    self._waited = START_WAIT_FRAMES  # go on at once with what is here
                return []
            case Pull(at=at, frames=frames):
                return self._pull(at, frames)
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
            entry = _Utterance(event.epoch, event.utterance, event.rate)
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
        if len(event.pcm16):
            entry.pieces.append(event.pcm16)
            entry.waiting += len(event.pcm16)
            entry.received += len(event.pcm16)
        entry.source_end = max(entry.source_end, event.source_end)
        entry.complete = event.last
        return []

    def _flush(self, epoch: Epoch, at: Samples) -> list[Effect]:
        if epoch <= self.flushed:
            return []
        self.flushed = epoch
        dead = [entry for entry in self._queue if entry.epoch <= epoch]
        if not dead:
            return []
        self._queue = deque(entry for entry in self._queue if entry.epoch > epoch)
        self._broken = True
        effects: list[Effect] = [self._end(entry, PlaybackState.FLUSHED, at) for entry in dead]
        self._settle()
        return effects

    def _pull(self, at: Samples, frames: int) -> list[Effect]:
        effects: list[Effect] = []
        speech = np.zeros(frames, np.float64)
        filled = 0
        self._now = at
        resumed = False
        while filled < frames and self._queue:
            entry = self._queue[0]
            if self.state is State.HELD and self._keep_holding(frames - filled):
                break
            if self.state is State.BUFFERING and not self._ready(entry, frames - filled):
                break
            taken = entry.take(frames - filled)
            if len(taken):
                resumed |= not filled and self._silent and entry.started
                if not entry.started:
                    entry.started = True
                    effects.append(self._ack(entry, PlaybackState.STARTED, self._time(at, filled)))
                speech[filled : filled + len(taken)] = taken
                filled += len(taken)
                self.played_frames += len(taken)
                effects += self._progress(entry, len(taken), at, filled)
            if entry.waiting:
                continue
            if entry.complete:
                self._queue.popleft()
                ended = PlaybackState.FLUSHED if entry.cut else PlaybackState.FINISHED
                effects.append(self._end(entry, ended, self._time(at, filled)))
                self._start_frames = max(START_FRAMES, self._start_frames // 2)
                self._settle()
            elif self._move(Starved()):
                self.underruns += 1
                self._waited = 0
                self._start_frames = min(START_LIMIT_FRAMES, self._start_frames * 2)
        if filled < frames and self._queue and self.state is State.BUFFERING and self._queue[0].started:
            self.underrun_frames += frames - filled
        shaped = self._shape(speech, filled, resumed)
        self._silent, self._broken = filled < frames, False
        effects.insert(0, Render(shaped.astype("<i2").tobytes(), self._gain, filled > 0))
        return effects

    def _keep_holding(self, frames: int) -> bool:
        """A hold is bounded: what nobody releases goes on by itself."""
        if self._held >= HOLD_FRAMES:
            self._move(Release())
            self._waited = START_WAIT_FRAMES
            return False
        self._held += frames
        return True

    def _ready(self, entry: _Utterance, frames: int) -> bool:
        if entry.complete or entry.waiting >= self._start_frames or (entry.waiting and self._waited >= START_WAIT_FRAMES):
            self._waited = 0
            self._move(Ready())
            return True
        self._waited += frames
        if self._waited >= ABANDON_FRAMES and len(self._queue) > 1:
            self.abandoned += 1  # others wait behind one that nobody continues
            entry.complete = entry.cut = True
        return False

    def _progress(self, entry: _Utterance, taken: int, at: Samples, filled: int) -> list[Effect]:
        """An ack at each 200 ms of speech that this block passed, timed to the sample."""
        effects: list[Effect] = []
        end = entry.played + taken
        while entry.acked_at + PROGRESS_FRAMES <= end:
            entry.acked_at += PROGRESS_FRAMES
            entry.played = entry.acked_at
            effects.append(self._ack(entry, PlaybackState.PROGRESS, self._time(at, filled - (end - entry.acked_at))))
        entry.played = end
        return effects

    def _ack(self, entry: _Utterance, state: PlaybackState, at: Samples) -> Ack:
        return Ack(PlaybackAck(entry.epoch, entry.utterance, entry.played_samples(), state, at))

    def _end(self, entry: _Utterance, state: PlaybackState, at: Samples) -> Ack:
        del self._known[entry.key]
        self._remember(entry.key)
        if state is PlaybackState.FINISHED:
            return Ack(PlaybackAck(entry.epoch, entry.utterance, entry.source_end, state, at))
        return self._ack(entry, state, at)

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

    def _shape(self, speech: NDArray[np.float64], filled: int, resumed: bool) -> NDArray[np.float64]:
        """Gain ramp; a decay where sound stops, a fade-in where it goes on within an utterance: nothing clicks.

        Speech lies in [0, filled); what follows it, or is left of a sound that was flushed, decays from its last value.
        """
        frames = len(speech)
        if self._gain != self._target:
            ramp = self._gain + self._step * np.arange(1, frames + 1)
            ramp = np.minimum(ramp, self._target) if self._step > 0 else np.maximum(ramp, self._target)
            self._gain = float(ramp[-1])
            speech = speech * ramp
        elif self._gain != 1.0:
            speech = speech * self._gain
        if resumed:
            length = min(DECAY_FRAMES, filled)
            speech[:length] *= np.arange(1, length + 1) / DECAY_FRAMES
        if self._last_value and (self._broken or not filled):
            speech[: min(DECAY_FRAMES, frames)] += self._last_value * _DECAY[: min(DECAY_FRAMES, frames)]
            self._last_value = 0.0
        if filled:
            self._last_value = float(speech[filled - 1])
            if filled < frames:
                length = min(DECAY_FRAMES, frames - filled)
                speech[filled : filled + length] += self._last_value * _DECAY[:length]
                self._last_value = 0.0
        return np.clip(np.rint(speech), -32768, 32767)

    def _ramp_to(self, target: float) -> None:
        self._target = target
        self._step = (target - self._gain) / RAMP_FRAMES

    @staticmethod
    def _time(at: Samples, frame: int) -> Samples:
        return Samples(at + frame * CLOCK_HZ // SPEECH_HZ)

    def _move(self, event: Queued | Ready | Starved | Drained | Hold | Release) -> bool:
        after = TRANSITIONS.get((self.state, type(event)))
        if after is None:
            return False
        self.state = after
        return True
