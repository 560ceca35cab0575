"""Where the assistant's sound goes: 20 ms blocks of 24 kHz samples, written by the agent on absolute deadlines. Real, file, simulated.

`write(at, block)` never waits. `latency_ms`: how long after writing a block is heard. `alive` is False while the device plays nothing, `full`
is True while it takes nothing more: the agent then asks playout for nothing, so that nothing is acknowledged that nobody could hear.

Does not know: utterances, acks, or gain.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import wave
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO, Final, Protocol

import numpy as np
import soxr
from numpy.typing import NDArray

from ridealong.device.sound import Agreed, Backend, agree, load_backend
from ridealong.errors import UserError
from ridealong.proto.types import SPEECH_HZ, Samples

log = logging.getLogger("ridealong.device.speaker")

BLOCK_FRAMES: Final = SPEECH_HZ * 20 // 1000
TARGET_MS: Final = 60
SLACK_MS: Final = 40
FULL_MS: Final = 160
LATENCY_SHARE: Final = 0.05  # how fast the stated latency follows the ring
SILENT_AFTER_S: Final = 1.0
REOPEN_EVERY_S: Final = 1.0
OUTPUT_LATENCY_S: Final = 0.06


class Speaker(Protocol):
    @property
    def name(self) -> str: ...
    @property
    def rate(self) -> int:
        """24,000."""

    @property
    def latency_ms(self) -> float: ...
    @property
    def alive(self) -> bool: ...
    @property
    def full(self) -> bool: ...
    async def open(self) -> None:
        """Raises UserError."""

    def write(self, at: Samples, block: NDArray[np.int16]) -> None:
        """`at`: device time at which the first sample is heard."""

    async def close(self) -> None: ...


class SimulatedSpeaker:
    """Gives each block to `sink(at, samples at 24 kHz)`."""

    name = "simulated"
    rate = SPEECH_HZ
    alive = True
    full = False

    def __init__(self, sink: Callable[[Samples, NDArray[np.int16]], None], latency_ms: float = 0.0) -> None:
        self._sink, self.latency_ms = sink, latency_ms

    async def open(self) -> None:
        return None

    def write(self, at: Samples, block: NDArray[np.int16]) -> None:
        self._sink(at, block)

    async def close(self) -> None:
        return None


class FileSpeaker:
    """A mono WAV file of all that was played, silence between included: block by block on the device clock."""

    rate = SPEECH_HZ
    alive = True
    full = False
    latency_ms = 0.0

    def __init__(self, path: Path) -> None:
        self._path = path
        self._wave: wave.Wave_write | None = None
        self._file: BinaryIO
        self._written = 0

    @property
    def name(self) -> str:
        return f"file {self._path.name}"

    async def open(self) -> None:
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._file = self._path.open("wb")
        except OSError as error:
            raise UserError(f"{self._path} cannot be written ({error.strerror}); set speaker.path to another file.") from None
        self._wave = wave.open(self._file, "wb")  # noqa: SIM115 (kept open while it plays)
        self._wave.setparams((1, 2, SPEECH_HZ, 0, "NONE", ""))

    def write(self, at: Samples, block: NDArray[np.int16]) -> None:
        assert self._wave is not None, "open() first"
        skipped = at * 3 // 2 - self._written  # slots that a freeze skipped
        if skipped > 0:
            self._wave.writeframesraw(bytes(2 * skipped))
            self._written += skipped
        self._wave.writeframesraw(block.astype("<i2").tobytes())
        self._written += len(block)

    async def close(self) -> None:
        if self._wave is not None:
            self._wave.close()
            self._file.close()
            self._wave = None


class SoundDeviceSpeaker:
    """A real speaker at its own rate. A ring of about 60 ms lies between the agent's pace and the device's crystal: what these drift
    apart is made up in silence only, by leaving out or doubling a silent block."""

    rate = SPEECH_HZ

    def __init__(self, device: str | None = None, backend: Backend | None = None) -> None:
        self._wanted, self._backend = device, backend
        self._agreed: Agreed | None = None
        self._stream: Any = None
        self._resampler: soxr.ResampleStream | None = None
        self._ring: deque[NDArray[np.int16]] = deque()
        self._waiting = 0  # device frames in the ring
        self._lock = threading.Lock()
        self._primed = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._called_s = 0.0
        self._tried_s = 0.0
        self._output_latency_ms = 0.0
        self._ring_ms = float(TARGET_MS)  # smoothed, so that times of hearing never run backwards
        self.underruns = 0
        self.full_slots = 0
        self.silence_adjustments = 0
        self.reopened = 0

    @property
    def name(self) -> str:
        return self._agreed.name if self._agreed else self._wanted or "default speaker"

    @property
    def latency_ms(self) -> float:
        return self._ring_ms + self._output_latency_ms

    @property
    def alive(self) -> bool:
        """Calls back. When it does not, it is opened again here, at most once a second."""
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
        """The device has not taken what was written: a stall, or its crystal is slow."""
        assert self._agreed is not None, "open() first"
        full = self._waiting * 1000 > FULL_MS * self._agreed.rate
        self.full_slots += full
        return full

    async def open(self) -> None:
        self._loop = asyncio.get_running_loop()
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
        with self._lock:
            self._ring.clear()
            self._waiting, self._primed = 0, False
        self._agreed = agreed
        self._stream = self._backend.OutputStream(
            device=agreed.index,
            samplerate=agreed.rate,
            channels=agreed.channels,
            dtype="int16",
            blocksize=agreed.rate // 50,
            latency=OUTPUT_LATENCY_S,
            callback=self._callback,
        )
        self._called_s = self._tried_s = self._loop.time()
        self._stream.start()
        self._output_latency_ms = 1000 * float(getattr(self._stream, "latency", 0.0) or 0.0)
        log.info("speaker %s at %d Hz, %d channels", agreed.name, agreed.rate, agreed.channels)

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
        """On PortAudio's thread: fill from the ring, zeros where it is empty."""
        assert self._loop is not None and self._agreed is not None
        self._called_s = self._loop.time()
        out.fill(0)
        with self._lock:
            if not self._primed:
                self._primed = self._waiting * 1000 >= TARGET_MS * self._agreed.rate
                if not self._primed:
                    return
            filled = 0
            while filled < frames and self._ring:
                piece = self._ring.popleft()
                if len(piece) > frames - filled:
                    self._ring.appendleft(piece[frames - filled :])
                    piece = piece[: frames - filled]
                out[filled : filled + len(piece)] = piece[:, None]
                filled += len(piece)
                self._waiting -= len(piece)
            if filled < frames:
                self.underruns += 1
                self._primed = False

    def write(self, at: Samples, block: NDArray[np.int16]) -> None:
        assert self._agreed is not None, "open() first"
        silent = not block.any()
        pcm16 = block if self._resampler is None else np.asarray(self._resampler.resample_chunk(block), np.int16)
        with self._lock:
            waiting_ms = self._waiting * 1000 / self._agreed.rate
            copies = 1
            if silent and waiting_ms > TARGET_MS + SLACK_MS:
                copies = 0
            elif silent and self._primed and waiting_ms < TARGET_MS - SLACK_MS:
                copies = 2
            self.silence_adjustments += copies != 1
            self._ring_ms += LATENCY_SHARE * (waiting_ms - self._ring_ms)
            for _ in range(copies if len(pcm16) else 0):
                self._ring.append(pcm16)
                self._waiting += len(pcm16)

    def _stop(self) -> None:
        stream, self._stream = self._stream, None
        if stream is not None:
            try:
                stream.abort()
                stream.close()
            except Exception as error:  # a device that is gone may refuse even this
                log.debug("closing the speaker: %s", type(error).__name__)

    async def close(self) -> None:
        self._stop()
