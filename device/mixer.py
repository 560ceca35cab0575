"""The last stage before the sound device: what is queued here can still be made quieter, held, or dropped. Sans-IO, at 24 kHz.

    Queue | Duck | Unduck | Hold | Release | FlushUpTo | Take  ->  Mixer.on(event)  ->  [Mixed]

`Take` is the sound device asking for its next frames: after it nothing can be taken back, and only what it took was heard. Rules:
* a hold stops before the next sample; a release goes on with exactly that one. Nothing is lost or doubled. A hold ends by itself
  after 5 s, whatever becomes of whoever asked for it;
* a flush turns what it kills into silence in its place, so that what is queued behind keeps its time;
* what is at FAINT_DB or below is marked as faint: under road noise nobody understands it;
* gain changes ramp over 5 ms, at once where nothing sounds. Where speech stops, its last value decays over 5 ms (no sample of the
  speech is in that); where it goes on within an utterance it fades in over 5 ms: nothing clicks;
* a queue that ran dry is filled up with `cushion_frames` of silence before what comes next, so that the way through it is always as long;
  what the two clocks drift apart is made up in silence only;
* the result does not depend on how the frames are sliced.

Does not know: when a frame is heard, utterances as a whole, acks, or sound devices. One caller at a time.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import Final, assert_never

import numpy as np
from numpy.typing import NDArray

from ridealong.device.playout import Piece, Silence, Spoken
from ridealong.proto.types import SPEECH_HZ, Epoch, UtteranceId

RAMP_FRAMES: Final = SPEECH_HZ * 5 // 1000
DECAY_FRAMES: Final = SPEECH_HZ * 5 // 1000
HOLD_FRAMES: Final = SPEECH_HZ * 5
SLACK_FRAMES: Final = SPEECH_HZ * 40 // 1000
FULL_FRAMES: Final = SPEECH_HZ * 100 // 1000
FAINT_DB: Final = -12.0


@dataclass(frozen=True, slots=True)
class Queue:
    """Behind what is already there."""

    pieces: tuple[Piece, ...]


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
class FlushUpTo:
    epoch: Epoch


@dataclass(frozen=True, slots=True)
class Take:
    frames: int


Change = Duck | Unduck | Hold | Release | FlushUpTo
Event = Queue | Change | Take


@dataclass(frozen=True, slots=True)
class Span:
    """Frames of an utterance that lie at `offset` in the mixed block."""

    epoch: Epoch
    utterance: UtteranceId
    first: int
    frames: int
    offset: int
    faint: bool = False


@dataclass(frozen=True, slots=True)
class Mixed:
    """int16 at 24 kHz, gain applied. `gain`: linear, at the end of the block."""

    pcm16: NDArray[np.int16]
    spans: tuple[Span, ...]
    gain: float

    @property
    def active(self) -> bool:
        """Holds speech."""
        return bool(self.spans)


_FAINT: Final = 10 ** (FAINT_DB / 20) + 1e-9


@dataclass(slots=True)
class Mixer:
    cushion_frames: int = 0
    held: bool = False
    flushed: Epoch = Epoch(-1)
    # counters
    dry: int = 0
    silence_adjustments: int = 0
    holds_expired: int = 0
    _queue: deque[Piece] = field(default_factory=deque)
    _waiting: int = 0
    _held_frames: int = 0
    _gain: float = 1.0
    _target: float = 1.0
    _step: float = 0.0
    _sounding: bool = False  # the last frame was speech
    _last: float = 0.0  # its value
    _decay_from: float = 0.0
    _decay_left: int = 0
    _fade_left: int = 0
    _was_empty: bool = True

    @property
    def waiting_frames(self) -> int:
        return self._waiting

    @property
    def full(self) -> bool:
        """Nothing more is to be queued: it is held, or the device has not taken what is here."""
        return self.held or self._waiting > self.cushion_frames + FULL_FRAMES

    def on(self, event: Event) -> list[Mixed]:
        match event:
            case Queue(pieces=pieces):
                self._put(pieces)
            case Duck(gain_db=gain_db):
                self._ramp_to(min(1.0, 10 ** (gain_db / 20)))
            case Unduck():
                self._ramp_to(1.0)
            case Hold():
                self.held = True
                self._held_frames = 0
            case Release():
                self.held = False
            case FlushUpTo(epoch=epoch):
                self.flushed = max(self.flushed, epoch)
                self._queue = deque(self._alive(piece) for piece in self._queue)
            case Take(frames=frames):
                return [self._take(frames)]
            case _:
                assert_never(event)
        return []

    def _alive(self, piece: Piece) -> Piece:
        dead = isinstance(piece, Spoken) and piece.epoch <= self.flushed
        return Silence(piece.frames) if dead else piece

    def _put(self, pieces: tuple[Piece, ...]) -> None:
        if not self._waiting and self.cushion_frames:
            self._queue.append(Silence(self.cushion_frames))
            self._waiting += self.cushion_frames
        copies = 1
        if all(isinstance(piece, Silence) for piece in pieces):
            over = self._waiting - self.cushion_frames
            copies = 0 if over > SLACK_FRAMES else 2 if over < -SLACK_FRAMES else 1
            self.silence_adjustments += copies != 1
        for piece in pieces * copies:
            self._queue.append(self._alive(piece))
            self._waiting += piece.frames
        self._was_empty = False

    def _take(self, frames: int) -> Mixed:
        sound = np.zeros(frames, np.float64)
        spans: list[Span] = []
        at = 0
        while at < frames:
            piece = self._next(frames - at)
            span = slice(at, at + piece.frames)
            if isinstance(piece, Spoken):
                spans.append(Span(piece.epoch, piece.utterance, piece.first, piece.frames, at, self._target <= _FAINT))
                sound[span] = self._speech(piece)
            else:
                sound[span] = self._silence(piece.frames)
            at += piece.frames
        return Mixed(np.clip(np.rint(sound), -32768, 32767).astype(np.int16), tuple(spans), self._gain)

    def _next(self, frames: int) -> Piece:
        """The next 1 to `frames` frames; silence while it is held or dry."""
        if self.held:
            left = HOLD_FRAMES - self._held_frames
            if left > 0:
                self._held_frames += min(frames, left)
                return Silence(min(frames, left))
            self.held = False
            self.holds_expired += 1
        if not self._queue:
            self.dry += not self._was_empty
            self._was_empty = True
            return Silence(frames)
        piece = self._queue.popleft()
        if piece.frames > frames:
            self._queue.appendleft(_rest(piece, frames))
            piece = _first(piece, frames)
        self._waiting -= piece.frames
        return piece

    def _speech(self, piece: Spoken) -> NDArray[np.float64]:
        frames = piece.frames
        sound = piece.pcm16.astype(np.float64)
        if not self._sounding:
            self._gain = self._target
            self._fade_left = DECAY_FRAMES if piece.first else 0
            self._sounding = True
        if self._fade_left:
            length = min(self._fade_left, frames)
            done = DECAY_FRAMES - self._fade_left
            sound[:length] *= np.arange(done + 1, done + length + 1) / DECAY_FRAMES
            self._fade_left -= length
        sound = self._shaped(sound)
        if frames:
            self._last = float(sound[-1])
        return self._decayed(sound)

    def _silence(self, frames: int) -> NDArray[np.float64]:
        self._stop_sounding()
        self._gain = self._target
        return self._decayed(np.zeros(frames, np.float64))

    def _stop_sounding(self) -> None:
        if self._sounding:
            self._sounding = False
            self._decay_from, self._decay_left, self._last = self._last, DECAY_FRAMES, 0.0

    def _decayed(self, sound: NDArray[np.float64]) -> NDArray[np.float64]:
        length = min(self._decay_left, len(sound))
        if length:
            self._decay_left -= length
            left = np.arange(self._decay_left + length - 1, self._decay_left - 1, -1)
            sound[:length] += self._decay_from * left / DECAY_FRAMES
        return sound

    def _shaped(self, sound: NDArray[np.float64]) -> NDArray[np.float64]:
        if self._gain != self._target and len(sound):
            ramp = self._gain + self._step * np.arange(1, len(sound) + 1)
            ramp = np.minimum(ramp, self._target) if self._step > 0 else np.maximum(ramp, self._target)
            self._gain = float(ramp[-1])
            return np.asarray(sound * ramp)
        return np.asarray(sound * self._gain)

    def _ramp_to(self, target: float) -> None:
        self._target = target
        self._step = (target - self._gain) / RAMP_FRAMES


def _first(piece: Piece, frames: int) -> Piece:
    if isinstance(piece, Silence):
        return Silence(frames)
    return Spoken(piece.epoch, piece.utterance, piece.first, piece.pcm16[:frames])


def _rest(piece: Piece, frames: int) -> Piece:
    if isinstance(piece, Silence):
        return Silence(piece.frames - frames)
    return Spoken(piece.epoch, piece.utterance, piece.first + frames, piece.pcm16[frames:])
