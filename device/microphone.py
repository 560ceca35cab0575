"""Where the user's sound comes from: 16 kHz mono blocks with the time of capture. Real, file and simulated.

`read()` returns the next Block; a Block with `lost` says that the source gives nothing (never silence in its place); None says that it
ended for good. The first block after lost samples carries `discontinuity`. Resampling is stateful and is reset only when the
device or its rate changes. A lost device is opened again, and only that one: another is never used in its place.

Does not know: units, echo, or speech.
"""

from __future__ import annotations

import asyncio
import logging
import wave
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Protocol

import numpy as np
import soxr
from numpy.typing import NDArray

from ridealong.device.sound import Agreed, Backend, agree, end, load_backend
from ridealong.errors import UserError
from ridealong.proto.types import CLOCK_HZ

log = logging.getLogger("ridealong.device.microphone")

BLOCK_MS: Final = 10
BLOCK_SAMPLES: Final = CLOCK_HZ * BLOCK_MS // 1000
SOURCE_BUFFER_S: Final = 2.0
"""How late a block may be fetched before it is lost, as with a sound card's buffer."""
LOST_AFTER_S: Final = 1.0
FIRST_WITHIN_S: Final = 3.0
"""Some sound systems need seconds to start."""
REOPEN_EVERY_S: Final = 1.0
CADENCE_S: Final = 2.0
WAITING_BLOCKS: Final = 256
INPUT_LATENCY_S: Final = 0.04


@dataclass(frozen=True, slots=True)
class Block:
    """`pcm16`: int16 samples at 16 kHz, mono; empty when lost. `captured_s`: loop time of its last sample."""

    pcm16: NDArray[np.int16]
    captured_s: float
    lost: bool = False
    rate_changed: bool = False
    discontinuity: bool = False


class Microphone(Protocol):
    @property
    def name(self) -> str: ...

    async def open(self) -> None:
        """Raises UserError."""

    async def read(self) -> Block | None: ...

    async def close(self) -> None: ...


_NOTHING: Final = np.zeros(0, np.int16)


class _Pace:
    """Block k is captured at `origin + (k + 1) * 10 ms`; a reader that comes later than the buffer allows has lost blocks."""

    def __init__(self) -> None:
        self.origin_s = asyncio.get_running_loop().time()
        self.slot = 0
        self.lost_blocks = 0

    async def next(self) -> tuple[float, int]:
        """(capture time, blocks lost before this one)."""
        loop = asyncio.get_running_loop()
        due_s = self.origin_s + (self.slot + 1) * BLOCK_MS / 1000
        late_s, lost = loop.time() - due_s, 0
        if late_s < 0:
            await asyncio.sleep(due_s - loop.time())
        elif late_s > SOURCE_BUFFER_S:
            lost = int(late_s * 1000 / BLOCK_MS)
            self.lost_blocks += lost
            self.slot += lost
            due_s = self.origin_s + (self.slot + 1) * BLOCK_MS / 1000
        self.slot += 1
        return due_s, lost


class SimulatedMicrophone:
    """Samples from `source(start, samples)`, asked for when that time has passed; None: lost."""

    name = "simulated"

    def __init__(self, source: Callable[[int, int], NDArray[np.int16] | None]) -> None:
        self._source = source
        self._pace: _Pace | None = None
        self._broken = False

    async def open(self) -> None:
        self._pace = _Pace()

    async def read(self) -> Block | None:
        assert self._pace is not None, "open() first"
        captured_s, lost = await self._pace.next()
        pcm16 = self._source((self._pace.slot - 1) * BLOCK_SAMPLES, BLOCK_SAMPLES)
        self._broken |= lost > 0
        if pcm16 is None:
            self._broken = True
            return Block(_NOTHING, captured_s, lost=True)
        broken, self._broken = self._broken, False
        return Block(np.asarray(pcm16, np.int16), captured_s, discontinuity=broken)

    async def close(self) -> None:
        self._pace = None


class FileMicrophone:
    """A WAV file of any rate, in real time; of several channels the first (left: the user). Ends with the file unless `repeat`."""

    def __init__(self, path: Path, repeat: bool = False) -> None:
        self._path, self._repeat = path, repeat
        self._wave: wave.Wave_read | None = None
        self._pace: _Pace | None = None
        self._to_16k: To16k | None = None
        self._ready = _NOTHING
        self._ended = False

    @property
    def name(self) -> str:
        return f"file {self._path.name}"

    async def open(self) -> None:
        await self.close()
        self._ready, self._ended = _NOTHING, False
        try:
            self._wave = wave.open(str(self._path), "rb")  # noqa: SIM115 (kept open while it plays)
        except FileNotFoundError:
            raise UserError(f"there is no WAV file {self._path}; set microphone.path to one that exists.") from None
        except (wave.Error, EOFError, OSError) as error:
            raise UserError(
                f"{self._path} is not a WAV file that can be read ({error or 'it is cut short'}); convert it, for example with "
                "`ffmpeg -i IN -c:a pcm_s16le OUT.wav`."
            ) from None
        if self._wave.getsampwidth() not in (1, 2, 3, 4) or not self._wave.getnframes():
            await self.close()
            raise UserError(f"{self._path} holds no samples; set microphone.path to a WAV file with sound in it.")
        self._to_16k = To16k(self._wave.getframerate(), 1)
        self._pace = _Pace()

    async def read(self) -> Block | None:
        assert self._pace is not None, "open() first"
        if self._ended and not len(self._ready):
            return None
        captured_s, lost = await self._pace.next()
        for _ in range(lost):
            self._take()
        pcm16 = self._take()
        return Block(pcm16, captured_s, discontinuity=lost > 0) if len(pcm16) else None

    def _take(self) -> NDArray[np.int16]:
        assert self._wave is not None and self._to_16k is not None
        while len(self._ready) < BLOCK_SAMPLES and not self._ended:
            raw = self._wave.readframes(max(1, self._wave.getframerate() // 50))
            if not raw and self._repeat:
                self._wave.rewind()
                continue
            self._ended = not raw
            samples = _pcm16(raw, self._wave.getsampwidth(), self._wave.getnchannels())
            self._ready = np.concatenate([self._ready, self._to_16k.convert(samples, last=self._ended)])
        block, self._ready = self._ready[:BLOCK_SAMPLES], self._ready[BLOCK_SAMPLES:]
        return block

    async def close(self) -> None:
        if self._wave is not None:
            self._wave.close()
            self._wave = None


class To16k:
    """Stateful: rate and channels in, 16 kHz mono out, whatever the chunks are. Several channels are averaged."""

    def __init__(self, rate: int, channels: int) -> None:
        self.rate, self.channels = rate, channels
        self._stream = None if rate == CLOCK_HZ else soxr.ResampleStream(rate, CLOCK_HZ, 1, dtype="int16", quality="MQ")

    def convert(self, pcm16: NDArray[np.int16], last: bool = False) -> NDArray[np.int16]:
        """`pcm16`: [frames] or [frames, channels]."""
        if pcm16.ndim == 2:
            pcm16 = pcm16[:, 0] if pcm16.shape[1] == 1 else np.rint(pcm16.mean(axis=1)).astype(np.int16)
        if self._stream is None:
            return pcm16
        return np.asarray(self._stream.resample_chunk(pcm16, last=last), np.int16)


def _pcm16(raw: bytes, width: int, channels: int) -> NDArray[np.int16]:
    """The first channel of WAV frames as 16-bit samples."""
    if width == 1:
        wide = (np.frombuffer(raw, np.uint8).astype(np.int16) - 128) << 8
    elif width == 2:
        wide = np.frombuffer(raw, "<i2").astype(np.int16)
    elif width == 3:
        triples = np.frombuffer(raw, np.uint8).reshape(-1, 3)
        wide = (triples[:, 1].astype(np.uint16) | (triples[:, 2].astype(np.uint16) << 8)).view(np.int16)
    else:
        wide = (np.frombuffer(raw, "<i4") >> 16).astype(np.int16)
    return np.ascontiguousarray(wide.reshape(-1, channels)[:, 0])


class SoundDeviceMicrophone:
    """A real microphone at its own rate and channels. PortAudio calls back on its thread; the loop takes blocks from a bounded queue.

    Lost is judged by the callbacks' cadence, not by errors: none for 1 s, or half or twice as many samples as agreed (a headset that
    changed its profile). Then the same device is opened again, every second.
    """

    def __init__(self, device: str | None = None, backend: Backend | None = None) -> None:
        self._wanted, self._backend = device, backend
        self._agreed: Agreed | None = None
        self._stream: Any = None
        self._to_16k: To16k | None = None
        self._waiting: deque[tuple[NDArray[np.int16], float, bool]] = deque()
        self._arrived = asyncio.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._broken = self._lost = self._rate_changed = self._suspect = False
        self._heard = False  # since it was opened
        self._since_s, self._frames = 0.0, 0
        self.dropped_blocks = 0
        self.overflows = 0
        self.reopened = 0

    @property
    def name(self) -> str:
        return self._agreed.name if self._agreed else self._wanted or "default microphone"

    async def open(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._stop()
        self._lost = False
        if self._backend is None:
            self._backend = load_backend()
        agreed = agree(self._backend, "input", self._wanted)
        try:
            self._start(agreed)
        except self._backend.PortAudioError as error:
            raise UserError(
                f"the microphone {agreed.name!r} cannot be opened ({error}); close the program that holds it."
            ) from None
        self._wanted = agreed.name  # from here on this one, never another

    def _start(self, agreed: Agreed) -> None:
        assert self._backend is not None
        changed = self._agreed is not None and (agreed.rate, agreed.channels) != (self._agreed.rate, self._agreed.channels)
        stream = self._backend.InputStream(
            device=agreed.index,
            samplerate=agreed.rate,
            channels=agreed.channels,
            dtype="int16",
            blocksize=agreed.rate * BLOCK_MS // 1000,
            latency=INPUT_LATENCY_S,
            callback=self._callback,
        )
        try:
            stream.start()
        except BaseException:
            end(stream)
            raise
        self._stream, self._agreed, self._to_16k = stream, agreed, To16k(agreed.rate, agreed.channels)
        self._rate_changed |= changed
        self._heard = False
        self._since_s, self._frames = self._now_s(), 0
        log.info("microphone %s at %d Hz, %d channels", agreed.name, agreed.rate, agreed.channels)

    def _now_s(self) -> float:
        assert self._loop is not None
        return self._loop.time()

    def _callback(self, samples: NDArray[np.int16], _frames: int, _time: object, status: object) -> None:
        """On PortAudio's thread: copy and leave."""
        assert self._loop is not None
        if len(self._waiting) >= WAITING_BLOCKS:
            self.dropped_blocks += 1
            self._suspect = True
            return
        overflow = bool(getattr(status, "input_overflow", False)) or self._suspect
        self._suspect = False
        self._waiting.append((samples.copy(), self._loop.time(), overflow))
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._arrived.set)

    async def read(self) -> Block | None:
        while True:
            if self._lost:
                await self._reopen()
            while not self._waiting:
                self._arrived.clear()
                try:
                    async with asyncio.timeout(LOST_AFTER_S if self._heard else max(FIRST_WITHIN_S, LOST_AFTER_S)):
                        await self._arrived.wait()
                except TimeoutError:
                    return self._lose("no callback")
            samples, captured_s, overflow = self._waiting.popleft()
            self._heard = True
            if self._cadence_is_off(len(samples), captured_s):
                self._rate_changed = True
                return self._lose("its rate changed")
            assert self._to_16k is not None
            pcm16 = self._to_16k.convert(samples)
            self.overflows += overflow
            self._broken |= overflow
            if len(pcm16):
                block = Block(pcm16, captured_s, rate_changed=self._rate_changed, discontinuity=self._broken)
                self._rate_changed = self._broken = False
                return block

    def _cadence_is_off(self, frames: int, captured_s: float) -> bool:
        assert self._agreed is not None
        self._frames += frames
        passed_s = captured_s - self._since_s
        if passed_s < CADENCE_S:
            return False
        measured = self._frames / passed_s
        self._since_s, self._frames = captured_s, 0
        return not 0.6 < measured / self._agreed.rate < 1.6

    def _lose(self, why: str) -> Block:
        log.warning("microphone lost: %s", why)
        self._lost = self._broken = True
        self._stop()
        return Block(_NOTHING, self._now_s(), lost=True)

    async def _reopen(self) -> None:
        assert self._backend is not None
        while self._lost:
            await asyncio.sleep(REOPEN_EVERY_S)
            try:
                agreed = agree(self._backend, "input", self._wanted)
                if agreed.name == self._wanted:
                    self._start(agreed)
                    self._lost = False
                    self.reopened += 1
            except (UserError, self._backend.PortAudioError):
                continue

    def _stop(self) -> None:
        stream, self._stream = self._stream, None
        self._waiting.clear()
        if stream is not None:
            end(stream)

    async def close(self) -> None:
        self._stop()
