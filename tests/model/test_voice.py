"""The reference voice: features against the reference and against theory, ONNX files made by hand, and voices kept in files."""

from __future__ import annotations

import math
import struct
import wave
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from golden import case
from safetensors.torch import save_file
from speech import tiny_voice

from ridealong.cloud.model.features import kaldi_fbank, prompt_mel, resampled, slaney_filters, tokenizer_mel
from ridealong.cloud.model.voice import SPEAKER_FILE, TOKENIZER_FILE, VoiceBundle, VoiceReader, read_wav
from ridealong.errors import UserError

pytestmark = pytest.mark.model


def _tone(hz: float, rate: int, seconds: float) -> torch.Tensor:
    return 0.3 * torch.sin(2 * math.pi * hz * torch.arange(int(rate * seconds)) / rate)


# --- features


def test_the_prompt_mel() -> None:
    golden = case("t2w_prompt_mel")
    golden.near(prompt_mel(golden.tensors["waveform_24k_i16"].float()[None] / 32768), "log_mel")


def test_the_tokenizers_mel() -> None:
    mel = tokenizer_mel(_tone(1000, 16_000, 1.0))
    assert mel.shape == (128, 100) and float(mel.max() - mel.min()) == pytest.approx(2.0)  # 8 decades / 4
    filters = slaney_filters(16_000, 400, 128, 0, 8000)
    assert filters.shape == (128, 201) and int(mel[:, 50].argmax()) == int(filters[:, 25].argmax())  # 1 kHz is bin 25


def test_the_speakers_features() -> None:
    """Against a plain Kaldi computation in float64, loops and all."""
    samples = torch.randn(2000, generator=torch.Generator().manual_seed(0)) * 0.1
    got = kaldi_fbank(samples)
    assert got.shape == (11, 80) and kaldi_fbank(samples[:399]).shape == (0, 80)

    def mel(hz: float) -> float:
        return 1127 * math.log(1 + hz / 700)

    frame = samples.double().numpy()[3 * 160 : 3 * 160 + 400]
    frame = frame - frame.mean()
    frame = np.array([frame[at] - 0.97 * frame[max(0, at - 1)] for at in range(400)])
    frame *= np.array([(0.5 - 0.5 * math.cos(2 * math.pi * at / 399)) ** 0.85 for at in range(400)])
    power = np.abs(np.fft.rfft(frame, 512)) ** 2
    step = (mel(8000) - mel(20)) / 81
    for at in (0, 17, 79):
        left = mel(20) + at * step
        weights = [max(0.0, min((mel(k * 31.25) - left) / step, (left + 2 * step - mel(k * 31.25)) / step)) for k in range(256)]
        assert got[3, at].item() == pytest.approx(math.log(float(np.dot(weights, power[:256]))), abs=1e-3)


@pytest.mark.parametrize(("old", "new"), [(48_000, 16_000), (44_100, 24_000), (16_000, 24_000), (24_000, 24_000)])
def test_resampling_keeps_a_tone_and_drops_what_does_not_fit(old: int, new: int) -> None:
    got = resampled(_tone(440, old, 0.5), old, new)
    assert got.shape[0] == math.ceil(old // 2 * new / old)
    assert float((got - _tone(440, new, 0.5)[: len(got)])[100:-100].abs().max()) < 1e-3
    if new < old:
        assert float(resampled(_tone(0.7 * new, old, 0.5), old, new)[100:-100].abs().max()) < 0.01


# --- ONNX files by hand (onnx.proto3's field numbers)


def _field(number: int, value: int | bytes | str) -> bytes:
    def varint(left: int) -> bytes:
        out = b""
        while left > 127:
            out, left = out + bytes([left & 127 | 128]), left >> 7
        return out + bytes([left])

    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    raw = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(raw)) + raw


def _node(kind: str, inputs: Sequence[str], output: str, ints: dict[str, int | list[int]]) -> bytes:
    made = b"".join(_field(1, name) for name in inputs) + _field(2, output) + _field(4, kind)
    for name, value in ints.items():
        body = _field(3, value) if isinstance(value, int) else b"".join(_field(8, one) for one in value)
        made += _field(5, _field(1, name) + body + _field(20, 2 if isinstance(value, int) else 7))
    return made


def _value(name: str, element: int, shape: Sequence[int | str]) -> bytes:
    dims = b"".join(_field(1, _field(1, size) if isinstance(size, int) else _field(2, size)) for size in shape)
    return _field(1, name) + _field(2, _field(1, _field(1, element) + _field(2, dims)))


def _model(nodes: Sequence[bytes], inputs: Sequence[bytes], output: bytes) -> bytes:
    graph = b"".join(_field(1, node) for node in nodes) + _field(2, "g")
    graph += b"".join(_field(11, given) for given in inputs) + _field(12, output)
    return _field(1, 8) + _field(7, graph) + _field(8, _field(1, "") + _field(2, 13))


FLOAT, INT32, INT64 = 1, 6, 7


def _onnx(folder: Path) -> Path:
    """A tokenizer that names the loudest mel bin of every four frames, a speaker model that averages over time."""
    (folder / TOKENIZER_FILE).write_bytes(
        _model(
            [
                _node("AveragePool", ["feats"], "pooled", {"kernel_shape": [4], "strides": [4]}),
                _node("ArgMax", ["pooled"], "codes", {"axis": 1, "keepdims": 0}),
            ],
            [_value("feats", FLOAT, [1, 128, "T"]), _value("feats_length", INT32, [1])],
            _value("codes", INT64, [1, "C"]),
        )
    )
    (folder / SPEAKER_FILE).write_bytes(
        _model(
            [_node("ReduceMean", ["fbank"], "speaker", {"axes": [1], "keepdims": 0})],
            [_value("fbank", FLOAT, [1, "T", 80])],
            _value("speaker", FLOAT, [1, 80]),
        )
    )
    return folder


def test_a_voice_from_a_recording(tmp_path: Path) -> None:
    pytest.importorskip("onnxruntime")
    voice = VoiceReader(_onnx(tmp_path)).read(_tone(1000, 44_100, 1.0).numpy(), 44_100)
    assert voice.codes.shape == (25,) and voice.mel.shape == (50, 80) and voice.samples.shape == (16_000,)
    loudest = int(slaney_filters(16_000, 400, 128, 0, 8000)[:, 25].argmax())
    assert set(voice.codes[1:-1].tolist()) == {loudest}
    assert voice.speaker.shape == (80,) and float(voice.speaker.abs().max()) < 1e-3  # the mean was taken away
    assert torch.allclose(voice.mel, prompt_mel(resampled(_tone(1000, 44_100, 1.0), 44_100, 24_000)[None])[0].T)
    with pytest.raises(UserError, match=r"80 numbers for 192"):
        voice.fits(codes=6561, speaker=192, mel_bins=80)


def test_recordings_that_are_none(tmp_path: Path) -> None:
    pytest.importorskip("onnxruntime")
    reader = VoiceReader(_onnx(tmp_path))
    with pytest.raises(UserError, match=r"0\.5 to 30 s, this one 0\.1 s"):
        reader.read(np.zeros(1600, dtype=np.float32), 16_000)
    with pytest.raises(UserError, match="one channel"):
        reader.read(np.zeros((2, 16_000), dtype=np.float32), 16_000)
    with pytest.raises(UserError, match="one channel of finite"):
        reader.read(np.full(16_000, np.nan, dtype=np.float32), 16_000)


def test_onnx_files_that_are_none(tmp_path: Path) -> None:
    pytest.importorskip("onnxruntime")
    with pytest.raises(UserError, match=rf"{TOKENIZER_FILE} is missing"):
        VoiceReader(tmp_path)
    _onnx(tmp_path)
    speaker = (tmp_path / SPEAKER_FILE).read_bytes()
    (tmp_path / SPEAKER_FILE).write_bytes(b"no model")
    with pytest.raises(UserError, match="can't be read as an ONNX model"):
        VoiceReader(tmp_path)
    (tmp_path / SPEAKER_FILE).write_bytes(speaker)
    (tmp_path / TOKENIZER_FILE).write_bytes(speaker)
    with pytest.raises(UserError, match="1 inputs for 2"):
        VoiceReader(tmp_path)
    _onnx(tmp_path)
    (tmp_path / SPEAKER_FILE).write_bytes(speaker.replace(_field(1, 80), _field(1, 81)))
    with pytest.raises(UserError, match="doesn't take what the published one takes"):
        VoiceReader(tmp_path).read(np.zeros(16_000, dtype=np.float32), 16_000)


# --- files


def test_a_voice_kept_in_a_file(tmp_path: Path) -> None:
    voice, path = tiny_voice(), tmp_path / "voice.safetensors"
    voice.save(path)
    again = VoiceBundle.load(path)
    assert all(torch.equal(getattr(voice, name), getattr(again, name)) for name in ("codes", "speaker", "mel", "samples"))
    with pytest.raises(UserError, match="can't be written"):
        voice.save(tmp_path / "nowhere" / "voice.safetensors")


def test_files_that_hold_no_voice(tmp_path: Path) -> None:
    path = tmp_path / "voice.safetensors"
    with pytest.raises(UserError, match="There is no voice at"):
        VoiceBundle.load(path)
    path.write_bytes(b"nothing")
    with pytest.raises(UserError, match="can't be read as a voice"):
        VoiceBundle.load(path)
    save_file({"codes": torch.zeros(3)}, str(path))
    with pytest.raises(UserError, match=r"is no voice \(ridealong-voice-1\): it holds codes"):
        VoiceBundle.load(path)
    voice = tiny_voice()
    parts = {"codes": voice.codes, "speaker": voice.speaker, "mel": voice.mel[:-1].contiguous(), "samples": voice.samples}
    save_file(parts, str(path), metadata={"format": "ridealong-voice-1"})
    with pytest.raises(UserError, match="2 frames a code are needed, there are 19 for 10 codes"):
        VoiceBundle.load(path)


def test_parts_that_do_not_fit() -> None:
    voice = tiny_voice()
    for wrong, found in (
        ({"codes": voice.codes.float()}, "codes: wrong kind"),
        ({"codes": voice.codes - 100}, "none is below 0"),
        ({"speaker": voice.speaker * math.nan}, "speaker: holds numbers that are not finite"),
        ({"samples": voice.samples[None]}, "samples: 1 dimension"),
        ({"mel": voice.mel[:0]}, "mel: 2 dimension"),
    ):
        with pytest.raises(ValueError, match=found):
            replace(voice, **wrong)  # type: ignore[arg-type]


def test_a_wav_file(tmp_path: Path) -> None:
    path = tmp_path / "a.wav"
    with wave.open(str(path), "wb") as file:
        file.setnchannels(2)
        file.setsampwidth(2)
        file.setframerate(8000)
        file.writeframes(struct.pack("<4h", 16384, 0, -32768, -32768))
    samples, rate = read_wav(path)
    assert rate == 8000 and samples.tolist() == [0.25, -1.0]
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(1)
        file.setframerate(8000)
        file.writeframes(b"\x80")
    with pytest.raises(UserError, match="8 bits"):
        read_wav(path)
    path.write_bytes(b"RIFF")
    with pytest.raises(UserError, match="as a WAV file"):
        read_wav(path)
    with pytest.raises(UserError, match="no recording"):
        read_wav(tmp_path / "b.wav")
