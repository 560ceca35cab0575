"""Where the assistant's sound goes: a mixer, and behind it a sound device that takes from it. Real, file, simulated.

    write(at, pieces), change(at, Duck | Unduck | Hold | Release | FlushUpTo)  ->  mixer  ->  device  ->  heard(at) -> [Emitted]

`latency_ms`: from writing to hearing, while nothing is held. `late_ms`: its last part, behind the mixer, where nothing can be taken
back: a change is heard that much later. What `heard` returns was taken by the device, and so was, or in `late_ms` will be, heard.
`alive` is False while the device plays nothing, `full` is True while it takes nothing more: the agent then asks playout for nothing.

Does not know: acks, why something changes, or who listens.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import wave
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Final, Protocol

import numpy as np
import soxr
from numpy.typing import NDArray

from ridealong.device.mixer import Change, Mixed, Mixer, Queue, Take
from ridealong.device.playout import Piece
from ridealong.device.sound import Agreed, Backend, agree, end, load_backend
from ridealong.errors import UserError
from ridealong.proto.types import CLOCK_HZ, SPEECH_HZ, Samples, samples_from_ms

log = logging.getLogger("ridealong.device.speaker")

BLOCK_FRAMES: Final = SPEECH_HZ * 20 // 1000
PERIOD_MS: Final = 10
PERIOD_FRAMES: Final = SPEECH_HZ * PERIOD_MS // 1000
CUSHION_MS: Final = 60
"""Queued ahead of a real device, so that the agent may be late by so much. It can all be taken back."""
SILENT_AFTER_S: Final = 1.0
REOPEN_EVERY_S: Final = 1.0
UNFETCHED_BLOCKS: Final = 500
JUMP_SAMPLES: Final = CLOCK_HZ * 40 // 1000
FOLLOW: Final = 0.02  # how fast the time of hearing follows the callbacks' times: their jitter moves nothing


@dataclass(frozen=True, slots=True)
class Emitted:
    """What the device took. `at`: device time at which its first frame is heard."""

    at: Samples
    mixed: Mixed


class Speaker(Protocol):
    @property
    def name(self) -> str: ...
    @property
    def rate(self) -> int:
        """24,000."""

    @property
    def latency_ms(self) -> float: ...
    @property
    def late_ms(self) -> float: ...
    @property
    def alive(self) -> bool: ...
    @property
    def full(self) -> bool: ...
    async def open(self) -> None:
        """Raises UserError."""

    def write(self, at: Samples, pieces: tuple[Piece, ...]) -> None:
        """Queue these; `at` is now, in device time."""

    def change(self, at: Samples, change: Change) -> None:
        """On all that was not yet taken. `at` is now, in device time."""

    def heard(self, at: Samples) -> list[Emitted]:
        """What was taken since the last call, in order. `at` is now, in device time."""

    async def close(self) -> None: ...


class SimulatedSpeaker:
    """A sound device with a latency of its own: each 10 ms of device time it takes the next 10 ms, to be heard `late_ms` after that,
    and gives them to `sink(at, samples at 24 kHz)`. What is asked of it at the moment of taking comes too late for that block."""

    name = "simulated"
    rate = SPEECH_HZ

    def __init__(
        self, sink: Callable[[Samples, NDArray[np.int16]], None], latency_ms: float = 100.0, late_ms: float = 20.0
    ) -> None:
        if latency_ms < late_ms + PERIOD_MS + 20:
            raise ValueError("latency_ms must leave 30 ms before late_ms: one block of the agent and one of the device")
        self._sink, self.latency_ms, self.late_ms = sink, latency_ms, late_ms
        self.alive = True
        self.mixer = Mixer(round((latency_ms - late_ms - PERIOD_MS) * SPEECH_HZ / 1000))
        self._next: Samples | None = None
        self._emitted: list[Emitted] = []

    @property
    def full(self) -> bool:
        return self.mixer.full

    async def open(self) -> None:
        return None

    def write(self, at: Samples, pieces: tuple[Piece, ...]) -> None:
        self.play_on(at)
        self.mixer.on(Queue(pieces))

    def change(self, at: Samples, change: Change) -> None:
        self.play_on(at)
        self.mixer.on(change)

    def heard(self, at: Samples) -> list[Emitted]:
        self.play_on(at)
        emitted, self._emitted = self._emitted, []
        return emitted

    def play_on(self, at: Samples) -> None:
        """The device goes on to this time by itself, whether or not anybody writes."""
        began = at if self._next is None else self._next
        periods = (at - began) // samples_from_ms(PERIOD_MS) + 1
        if periods <= 0:
            return
        self._next = Samples(began + periods * samples_from_ms(PERIOD_MS))
        if not self.alive:
            return
        (mixed,) = self.mixer.on(Take(periods * PERIOD_FRAMES))
        heard_at = Samples(began + samples_from_ms(self.late_ms))
        self._emitted.append(Emitted(heard_at, mixed))
        self._sink(heard_at, mixed.pcm16)

    async def close(self) -> None:
        return None


class FileSpeaker(SimulatedSpeaker):
    """A mono WAV file of all that was played, silence between included, on the device clock."""

    def __init__(self, path: Path) -> None:
        super().__init__(self._keep)
        self._path = path
        self._wave: wave.Wave_write | None = None
        self._file: BinaryIO
        self._written = 0
        self.name = f"file {path.name}"

    async def open(self) -> None:
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._file = self._path.open("wb")
        except OSError as error:
            raise UserError(f"{self._path} cannot be written ({error.strerror}); set speaker.path to another file.") from None
        self._wave = wave.open(self._file, "wb")  # noqa: SIM115 (kept open while it plays)
        self._wave.setparams((1, 2, SPEECH_HZ, 0, "NONE", ""))

    def _keep(self, at: Samples, block: NDArray[np.int16]) -> None:
        assert self._wave is not None, "open() first"
        missing = at * 3 // 2 - self._written
        if missing > 0:
            self._wave.writeframesraw(bytes(2 * missing))
            self._written += missing
        self._wave.writeframesraw(block.astype("<i2").tobytes())
        self._written += len(block)

    async def close(self) -> None:
        if self._wave is not None:
            self._wave.close()
            self._file.close()
            self._wave = None


class SoundDeviceSpeaker:
    """A real speaker at its own rate. PortAudio's thread takes from the mixer when the device asks; what PortAudio and the sound system
    have taken (`late_ms`, the stream's latency) is gone."""

    rate = SPEECH_HZ

    def __init__(self, device: str | None = None, backend: Backend | None = None, output_latency_ms: float = 40.0) -> None:
        self._wanted, self._backend, self._output_latency_ms = device, backend, output_latency_ms
        self._agreed: Agreed | None = None
        self._stream: Any = None
        self._resampler: soxr.ResampleStream | None = None
        self.mixer = Mixer(CUSHION_MS * SPEECH_HZ // 1000)
        self._ready: NDArray[np.int16] = np.zeros(0, np.int16)  # at the device's rate, taken but not yet given
        self._taken: deque[tuple[float, Mixed]] = deque()  # with the loop time of its first frame
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._called_s = 0.0
        self._tried_s = 0.0
        self._next_at: float | None = None
        self.late_ms = output_latency_ms
        self.underruns = 0
        self.unfetched = 0
        self.full_slots = 0
        self.reopened = 0

    @property
    def name(self) -> str:
        return self._agreed.name if self._agreed else self._wanted or "default speaker"

    @property
    def silence_adjustments(self) -> int:
        return self.mixer.silence_adjustments

    @property
    def latency_ms(self) -> float:
        return CUSHION_MS + self.late_ms

    @property
    def alive(self) -> bool:
        """Calls back. When it does not, it is opened again here, at most once a second; what is queued waits."""
        assert self._loop is not None, "open() first"
        now_s = self._loop.time()
        if self._stream is not None and now_s - self._called_s < SILENT_AFTER_S:
            return True
        if now_s - self._tried_s >= REOPEN_EVERY_S:
            self._tried_s = now_s
            self._reopen()
        return False

    @property
    def full(self) -> bool:
        """Held, or the device has not taken what was written: a stall, or its crystal is slow."""
        full = self.mixer.full
        self.full_slots += full
        return full

    async def open(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._stop()
        if self._backend is None:
            self._backend = load_backend()
        agreed = agree(self._backend, "output", self._wanted)
        try:
            self._start(agreed)
        except self._backend.PortAudioError as error:
            raise UserError(f"the speaker {agreed.name!r} cannot be opened ({error}); close the program that holds it.") from None
        self._wanted = agreed.name

    def _start(self, agreed: Agreed) -> None:
        assert self._backend is not None and self._loop is not None
        self._resampler = None
        if agreed.rate != SPEECH_HZ:
            self._resampler = soxr.ResampleStream(SPEECH_HZ, agreed.rate, 1, dtype="int16", quality="MQ")
        self._ready = self._ready[:0]
        self._next_at = None
        self._agreed = agreed
        self._stream = self._backend.OutputStream(
            device=agreed.index,
            samplerate=agreed.rate,
            channels=agreed.channels,
            dtype="int16",
            blocksize=agreed.rate * PERIOD_MS // 1000,
            latency=self._output_latency_ms / 1000,
            callback=self._callback,
        )
        self._called_s = self._tried_s = self._loop.time()
        try:
            self._stream.start()
        except BaseException:
            self._stop()
            raise
        self.late_ms = 1000 * float(getattr(self._stream, "latency", 0.0) or 0.0) or self._output_latency_ms
        log.info("speaker %s at %d Hz, %d channels, %.0f ms", agreed.name, agreed.rate, agreed.channels, self.late_ms)

    def _reopen(self) -> None:
        assert self._backend is not None
        self._stop()
        try:
            agreed = agree(self._backend, "output", self._wanted)
            if agreed.name == self._wanted:
                self._start(agreed)
                self.reopened += 1
        except (UserError, self._backend.PortAudioError):
            return

    def _callback(self, out: NDArray[np.int16], frames: int, _time: object, _status: object) -> None:
        """On PortAudio's thread: what the device asks for, taken from the mixer in periods."""
        assert self._loop is not None and self._agreed is not None
        self._called_s = self._loop.time()
        waiting_s = len(self._ready) / self._agreed.rate
        with self._lock:
            while len(self._ready) < frames:
                mixed = self._take()
                if mixed is None:  # nobody fetches what was heard: nothing may sound that is not accounted for
                    self.unfetched += 1
                    self._ready = np.concatenate([self._ready, np.zeros(frames, np.int16)])
                    break
                self._taken.append((self._called_s + waiting_s, mixed))
                waiting_s += PERIOD_MS / 1000
                pcm16 = mixed.pcm16
                if self._resampler is not None:
                    pcm16 = np.asarray(self._resampler.resample_chunk(pcm16), np.int16)
                self._ready = np.concatenate([self._ready, pcm16])
            self.underruns = self.mixer.dry
        out[:] = self._ready[:frames, None]
        self._ready = self._ready[frames:]

    def _take(self) -> Mixed | None:
        if len(self._taken) >= UNFETCHED_BLOCKS:
            return None
        (mixed,) = self.mixer.on(Take(PERIOD_FRAMES))
        return mixed

    def write(self, at: Samples, pieces: tuple[Piece, ...]) -> None:
        with self._lock:
            self.mixer.on(Queue(pieces))

    def change(self, at: Samples, change: Change) -> None:
        with self._lock:
            self.mixer.on(change)

    def heard(self, at: Samples) -> list[Emitted]:
        assert self._loop is not None, "open() first"
        with self._lock:
            taken = list(self._taken)
            self._taken.clear()
        now_s = self._loop.time()
        return [Emitted(self._heard_at(at, first_s - now_s), mixed) for first_s, mixed in taken]

    def _heard_at(self, now: Samples, after_s: float) -> Samples:
        """Frames are counted; the callbacks' times only tell where the count drifts to, and how much a stall left out."""
        measured = now + after_s * CLOCK_HZ + self.late_ms * CLOCK_HZ / 1000
        if self._next_at is None or measured - self._next_at > JUMP_SAMPLES:
            self._next_at = measured
        self._next_at += FOLLOW * (measured - self._next_at)
        at = Samples(round(self._next_at))
        self._next_at += PERIOD_FRAMES * CLOCK_HZ / SPEECH_HZ
        return at

    def _stop(self) -> None:
        stream, self._stream = self._stream, None
        if stream is not None:
            end(stream)

    async def close(self) -> None:
        self._stop()
