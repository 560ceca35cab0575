"""The stereo recording: left what the microphone gave, right what the speaker rendered, 24 kHz, on the device clock.

Streamed to disk second by second; after each the header is right, so that a killed program leaves a file that opens. A side that
stays away (a lost microphone, a dead speaker) is silent in the recording once the other is 2 s ahead; that is a fact about the
recording only, nothing heard is made of it.

Does not know: who spoke, or what was acknowledged.
"""

from __future__ import annotations

import struct
from pathlib import Path
from typing import BinaryIO, Final

import numpy as np
import soxr
from numpy.typing import NDArray

from ridealong.errors import UserError
from ridealong.proto.types import CLOCK_HZ, SPEECH_HZ, Samples

LAG_FRAMES: Final = 2 * SPEECH_HZ
HEADER_BYTES: Final = 44
MAX_BYTES: Final = 2**32 - 2**20


class _Side:
    """One channel at 24 kHz: contiguous from `begin`."""

    def __init__(self) -> None:
        self.begin = 0
        self.pieces: list[NDArray[np.int16]] = []
        self.end = 0

    def add(self, at: int, pcm16: NDArray[np.int16]) -> None:
        if at > self.end:
            self.pieces.append(np.zeros(at - self.end, np.int16))
            self.end = at
        pcm16 = pcm16[min(len(pcm16), self.end - at) :]
        if len(pcm16):
            self.pieces.append(pcm16)
            self.end += len(pcm16)

    def take(self, until: int) -> NDArray[np.int16]:
        joined = np.concatenate(self.pieces) if self.pieces else np.zeros(0, np.int16)
        wanted = until - self.begin
        out = joined[:wanted]
        if len(out) < wanted:
            out = np.concatenate([out, np.zeros(wanted - len(out), np.int16)])
        rest = joined[wanted:]
        self.pieces = [rest] if len(rest) else []
        self.begin, self.end = until, max(until, self.end)
        return out


class Recorder:
    """Raises UserError at once when the file cannot be written. Stops by itself (`full`) at the size that WAV allows."""

    def __init__(self, path: Path) -> None:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file: BinaryIO = path.open("wb")
        except OSError as error:
            raise UserError(
                f"the recording {path} cannot be written ({error.strerror}); set recording.path to another file."
            ) from None
        self.path = path
        self._left, self._right = _Side(), _Side()
        self._up = self._upsampler()
        self._up_at: int | None = None
        self._up_next = 0
        self._bytes = 0
        self.full = False
        self._header()

    @staticmethod
    def _upsampler() -> soxr.ResampleStream:
        return soxr.ResampleStream(CLOCK_HZ, SPEECH_HZ, 1, dtype="int16", quality="MQ")

    def left(self, start: Samples, pcm16: NDArray[np.int16]) -> None:
        """Microphone samples at 16 kHz; a jump in `start` is a gap."""
        if self._up_at is not None and start != self._up_at:
            self._finish_left()
        if self._up_at is None:
            self._up, self._up_next = self._upsampler(), start * SPEECH_HZ // CLOCK_HZ
        self._up_at = start + len(pcm16)
        self._add_left(np.asarray(self._up.resample_chunk(pcm16), np.int16))
        self._write(False)

    def right(self, at: Samples, pcm24k: NDArray[np.int16]) -> None:
        """Rendered samples at 24 kHz; the first is heard at device time `at`."""
        self._right.add(at * SPEECH_HZ // CLOCK_HZ, pcm24k)
        self._write(False)

    def close(self) -> None:
        self._finish_left()
        self._write(True)
        self._file.close()

    def _finish_left(self) -> None:
        if self._up_at is not None:
            self._add_left(np.asarray(self._up.resample_chunk(np.zeros(0, np.int16), last=True), np.int16))
            self._up_at = None

    def _add_left(self, pcm24k: NDArray[np.int16]) -> None:
        self._left.add(self._up_next, pcm24k)
        self._up_next += len(pcm24k)

    def _write(self, everything: bool) -> None:
        """Whole seconds that both sides have, or that one has and the other is too late for."""
        low, high = sorted((self._left.end, self._right.end))
        until = high if everything else max(low, high - LAG_FRAMES) // SPEECH_HZ * SPEECH_HZ
        if until <= self._left.begin or self.full:
            return
        stereo = np.stack([self._left.take(until), self._right.take(until)], axis=1).astype("<i2").tobytes()
        if self._bytes + len(stereo) > MAX_BYTES:
            self.full = True
            return
        self._file.write(stereo)
        self._bytes += len(stereo)
        self._header()

    def _header(self) -> None:
        block = 4
        header = b"RIFF" + struct.pack("<I", 36 + self._bytes) + b"WAVEfmt "
        header += (
            struct.pack("<IHHIIHH", 16, 1, 2, SPEECH_HZ, SPEECH_HZ * block, block, 16) + b"data" + struct.pack("<I", self._bytes)
        )
        assert len(header) == HEADER_BYTES
        self._file.seek(0)
        self._file.write(header)
        self._file.seek(0, 2)
        self._file.flush()
