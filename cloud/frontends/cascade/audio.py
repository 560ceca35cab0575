"""Samples in and out of the models: PCM16 bytes to float and back, WAV files, resampling.

Arrays are mono float32 in [-1, 1] unless their name says `pcm16`. Does not know models, sessions or the wire.
"""

from __future__ import annotations

import struct
import wave
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import soxr

from ridealong.errors import UserError

Floats = npt.NDArray[np.float32]
Pcm16 = npt.NDArray[np.int16]
PEAK = 10 ** (-1 / 20)
"""1 dB below full scale."""


def floats_from_pcm16(pcm16: bytes) -> Floats:
    """Little-endian 16-bit PCM as floats. Raises ValueError on half a sample."""
    return np.frombuffer(pcm16, dtype="<i2").astype(np.float32) / np.float32(32768.0)


def pcm16_from_floats(samples: Floats) -> Pcm16:
    """Clipped and rounded to 16 bits."""
    return np.round(np.clip(samples, -1.0, 32767 / 32768) * 32768.0).astype(np.int16)


def true_peak(samples: Floats) -> float:
    """The largest value between samples too (ITU-R BS.1770-4, annex 2: at four times the rate), 1.0 is full scale."""
    finer = soxr.resample(samples, 1, 4, quality="HQ") if len(samples) else samples
    return float(max(np.max(np.abs(samples), initial=0.0), np.max(np.abs(finer), initial=0.0)))


def with_headroom(samples: Floats) -> Floats:
    """Turned down as a whole where its true peak lies above PEAK: what is synthesised too loud keeps its shape instead of being
    clipped. A voice at its level (`levels.json`) stays below."""
    peak = true_peak(samples)
    return samples if peak <= PEAK else samples * np.float32(PEAK / peak)


def resample(samples: Floats, rate_in: int, rate_out: int) -> Floats:
    """A whole recording at another rate. Never for slices of a stream: that is `StreamResampler`."""
    if rate_in == rate_out:
        return samples
    return np.asarray(soxr.resample(samples, rate_in, rate_out, quality="HQ"), dtype=np.float32)


class StreamResampler:
    """Keeps the filter's state between slices, so that slice boundaries are inaudible and no sample is lost."""

    def __init__(self, rate_in: int, rate_out: int) -> None:
        if rate_in <= 0 or rate_out <= 0:
            raise ValueError(f"sample rates must be positive, got {rate_in} and {rate_out}")
        self._stream: Any = soxr.ResampleStream(rate_in, rate_out, 1, dtype="float32", quality="HQ")

    def feed(self, samples: Floats, last: bool = False) -> Floats:
        return np.asarray(self._stream.resample_chunk(samples, last=last), dtype=np.float32)


def read_wav(path: Path) -> tuple[Floats, int]:
    """A WAV file (PCM of 8 to 32 bits or 32/64-bit float, any channel count, mixed to mono) and its rate."""
    try:
        whole = path.read_bytes()
    except OSError as error:
        raise UserError(f"{path} cannot be read ({error.strerror}): check the name.") from error
    if whole[:4] != b"RIFF" or whole[8:12] != b"WAVE":
        raise UserError(f"{path} is not a WAV file: convert it to 16-bit PCM WAV first.")
    chunks: dict[bytes, bytes] = {}
    at = 12
    while at + 8 <= len(whole):
        name, size = struct.unpack_from("<4sI", whole, at)
        chunks.setdefault(name, whole[at + 8 : at + 8 + size])
        at += 8 + size + size % 2
    if len(chunks.get(b"fmt ", b"")) < 16 or not chunks.get(b"data"):
        raise UserError(f"{path} holds no audio: record or convert it again.")
    kind, channels, rate, _, _, bits = struct.unpack_from("<HHIIHH", chunks[b"fmt "])
    if kind == WAVE_EXTENSIBLE and len(chunks[b"fmt "]) >= 26:
        kind = struct.unpack_from("<H", chunks[b"fmt "], 24)[0]
    if channels == 0 or rate == 0 or (kind, bits) not in WAV_SAMPLES:
        raise UserError(f"{path} has an unusual sample format (kind {kind}, {bits} bits): convert it to 16-bit PCM WAV first.")
    frame_bytes = channels * bits // 8
    raw = chunks[b"data"][: len(chunks[b"data"]) // frame_bytes * frame_bytes]
    samples = WAV_SAMPLES[kind, bits](raw)
    mono = samples.reshape(-1, channels).mean(axis=1, dtype=np.float32) if channels > 1 else samples
    return np.asarray(mono, dtype=np.float32), rate


def _three_bytes(raw: bytes) -> Floats:
    padded = np.zeros((len(raw) // 3, 4), dtype=np.uint8)
    padded[:, 1:] = np.frombuffer(raw, dtype=np.uint8).reshape(-1, 3)
    return (padded.reshape(-1).view("<i4") / 2.0**31).astype(np.float32)


WAVE_EXTENSIBLE = 0xFFFE
WAV_SAMPLES: dict[tuple[int, int], Callable[[bytes], Floats]] = {
    (1, 8): lambda raw: (np.frombuffer(raw, dtype=np.uint8).astype(np.float32) - 128) / np.float32(128),
    (1, 16): floats_from_pcm16,
    (1, 24): _three_bytes,
    (1, 32): lambda raw: (np.frombuffer(raw, dtype="<i4") / 2.0**31).astype(np.float32),
    (3, 32): lambda raw: np.frombuffer(raw, dtype="<f4").astype(np.float32),
    (3, 64): lambda raw: np.frombuffer(raw, dtype="<f8").astype(np.float32),
}
"""Sample format and bits -> floats."""


def write_wav(path: Path, pcm16: Pcm16, rate: int) -> None:
    """16-bit mono."""
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes(pcm16.astype("<i2").tobytes())
