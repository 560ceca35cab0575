"""WAV files of every common kind, stateful resampling, and Whisper's spectrogram against values of the reference implementation."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ridealong.cloud.frontends.cascade.audio import (
    PEAK,
    StreamResampler,
    floats_from_pcm16,
    pcm16_from_floats,
    read_wav,
    resample,
    true_peak,
    with_headroom,
    write_wav,
)
from ridealong.cloud.frontends.cascade.mel import log_mel
from ridealong.cloud.frontends.cascade.speak import text_up_to, trimmed
from ridealong.errors import UserError
from ridealong.proto.types import WordTime

pytestmark = pytest.mark.unit

TONE = (0.5 * np.sin(2 * np.pi * 440 * np.arange(4_410) / 44_100)).astype(np.float32)


def wav(kind: int, bits: int, channels: int, raw: bytes, extensible: bool = False) -> bytes:
    layout = struct.pack(
        "<HHIIHH", 0xFFFE if extensible else kind, channels, 44_100, 44_100 * channels * bits // 8, channels * bits // 8, bits
    )
    if extensible:
        layout += struct.pack("<HHIH", 22, bits, 3, kind) + bytes(14)
    chunks = b"".join(
        name + struct.pack("<I", len(body)) + body for name, body in ((b"LIST", b"ab"), (b"fmt ", layout), (b"data", raw))
    )
    return b"RIFF" + struct.pack("<I", 4 + len(chunks)) + b"WAVE" + chunks


def raw_samples(kind: int, bits: int) -> bytes:
    if kind == 3:
        return TONE.astype(f"<f{bits // 8}").tobytes()
    if bits == 8:
        return (TONE * 127 + 128).astype(np.uint8).tobytes()
    if bits == 24:
        return b"".join(int(value).to_bytes(3, "little", signed=True) for value in TONE * (2**23 - 1))
    return (TONE.astype(np.float64) * (2 ** (bits - 1) - 1)).astype(f"<i{bits // 8}").tobytes()


@pytest.mark.parametrize(("kind", "bits"), [(1, 8), (1, 16), (1, 24), (1, 32), (3, 32), (3, 64)])
@pytest.mark.parametrize("extensible", [False, True])
def test_every_common_wav_is_read(tmp_path: Path, kind: int, bits: int, extensible: bool) -> None:
    (tmp_path / "a.wav").write_bytes(wav(kind, bits, 1, raw_samples(kind, bits), extensible))
    samples, rate = read_wav(tmp_path / "a.wav")
    assert rate == 44_100
    np.testing.assert_allclose(samples, TONE, atol=0.02 if bits == 8 else 1e-4)


def test_channels_are_mixed_and_a_cut_file_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    stereo = np.stack([TONE, np.zeros_like(TONE)], axis=1).astype("<f4").tobytes()
    (tmp_path / "a.wav").write_bytes(wav(3, 32, 2, stereo)[:-5])
    samples, _ = read_wav(tmp_path / "a.wav")
    np.testing.assert_allclose(samples, TONE[:-1] / 2, atol=1e-6)


@pytest.mark.parametrize("content", [b"", b"not audio at all", wav(1, 16, 1, b""), wav(7, 8, 1, b"ab"), wav(1, 16, 0, b"ab")])
def test_what_is_no_usable_wav_is_a_sentence(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a.wav").write_bytes(content)
    with pytest.raises(UserError, match=r"a\.wav"):
        read_wav(tmp_path / "a.wav")


def test_pcm16_round_trip_and_clipping(tmp_path: Path) -> None:
    pcm = np.array([-32768, -1, 0, 1, 32767], dtype=np.int16)
    assert (pcm16_from_floats(floats_from_pcm16(pcm.tobytes())) == pcm).all()
    assert pcm16_from_floats(np.array([2.0, -2.0], dtype=np.float32)).tolist() == [32767, -32768]
    write_wav(tmp_path / "a.wav", pcm, 24_000)
    assert (pcm16_from_floats(read_wav(tmp_path / "a.wav")[0]) == pcm).all()


@given(st.floats(0.0, 8.0), st.integers(0, 2**31))
def test_speech_that_is_too_loud_is_turned_down_and_keeps_its_shape(level: float, seed: int) -> None:
    samples = np.random.default_rng(seed).uniform(-level, level, 400).astype(np.float32)
    said = with_headroom(samples)
    assert np.abs(said).max() <= PEAK + 1e-6
    if true_peak(samples) <= PEAK:
        assert said is samples
    else:
        np.testing.assert_allclose(said * true_peak(samples), samples * PEAK, atol=1e-5)
    pcm16 = pcm16_from_floats(said)
    assert not np.any((pcm16 == 32_767) | (pcm16 == -32_768)) and np.all(np.sign(pcm16) * np.sign(said) >= 0)
    assert len(with_headroom(samples[:0])) == 0


def test_slices_resample_as_the_whole_does() -> None:
    whole = resample(np.tile(TONE, 10), 44_100, 16_000)
    stream = StreamResampler(44_100, 16_000)
    pieces = [stream.feed(piece, last=number == 99) for number, piece in enumerate(np.array_split(np.tile(TONE, 10), 100))]
    np.testing.assert_allclose(np.concatenate(pieces), whole, atol=1e-4)
    with pytest.raises(ValueError, match="positive"):
        StreamResampler(0, 16_000)


def test_log_mel_matches_the_reference_implementation() -> None:
    """Values of faster-whisper 1.2.1's extractor for this chirp followed by silence."""
    t = np.arange(16_000) / 16_000
    chirp = (0.4 * np.sin(2 * np.pi * (200 + 1500 * t) * t)).astype(np.float32)
    found = log_mel(np.concatenate([chirp, np.zeros(4_000, dtype=np.float32)]), 125)
    assert found.shape == (80, 125)
    reference = {(0, 0): 1.1174, (5, 10): -0.0564, (20, 40): -0.6015, (40, 60): -0.241, (79, 99): -0.3285, (12, 110): -0.6015}
    for place, value in reference.items():
        assert found[place] == pytest.approx(value, abs=2e-4)


def test_edges_are_trimmed_to_50_ms() -> None:
    quiet = np.zeros(24_000, dtype=np.float32)
    loud = np.full(2_400, 0.5, dtype=np.float32)
    assert len(trimmed(np.concatenate([quiet, loud, quiet]))) == 2_400 + 2 * 1_200
    assert len(trimmed(quiet)) == 0


def test_text_up_to_what_was_played() -> None:
    words = (WordTime("It", 0, 10), WordTime("is", 10, 20), WordTime("22.5 °C,", 20, 60), WordTime("now.", 60, 80))
    assert text_up_to("It is 22.5 °C, now.", words, 59) == "It is"
    assert text_up_to("It is 22.5 °C, now.", words, 60) == "It is 22.5 °C,"
    assert text_up_to("It is 22.5 °C, now.", words, 5) == ""
    zh = (WordTime("温度", 0, 10), WordTime("22度。", 10, 20))
    assert text_up_to("温度22度。", zh, 10) == "温度"
