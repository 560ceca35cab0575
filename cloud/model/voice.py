"""The reference voice: what the flow must hear of somebody to speak like them, from a recording or from a file made earlier.

A `VoiceBundle` is all that a session needs, so at run time there is neither ONNX nor a recording. Making one needs the two published ONNX
files (`VoiceReader`). Features: features.py. Doesn't know the flow.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor

from ridealong.cloud.model.features import kaldi_fbank, prompt_mel, resampled, tokenizer_mel
from ridealong.errors import UserError

REFERENCE_RATE = 16_000
MEL_RATE = 24_000
FRAMES_A_CODE = 2
SHORTEST_S, LONGEST_S = 0.5, 30.0
TOKENIZER_FILE, SPEAKER_FILE = "speech_tokenizer_v2_25hz.onnx", "campplus.onnx"
_FORMAT = "ridealong-voice-1"
_PARTS = {"codes": 1, "speaker": 1, "mel": 2, "samples": 1}  # and how many dimensions each has


@dataclass(frozen=True, slots=True)
class VoiceBundle:
    """One voice. `samples` are for the audio encoder: the language model hears the voice, too."""

    codes: Tensor  # [codes] int64, 25 a second
    speaker: Tensor  # [192] float32, an x-vector
    mel: Tensor  # [2 * codes, mel_bins] float32
    samples: Tensor  # [samples] float32, 16 kHz

    def __post_init__(self) -> None:
        """Raises ValueError where parts don't fit together."""
        for name, dimensions in _PARTS.items():
            part = getattr(self, name)
            if part.dim() != dimensions or part.numel() == 0:
                raise ValueError(f"{name}: {dimensions} dimension(s) are needed, there is the shape {tuple(part.shape)}")
            if part.is_floating_point() == (name == "codes"):
                raise ValueError(f"{name}: wrong kind of numbers, {part.dtype}")
            if part.is_floating_point() and not bool(torch.isfinite(part).all()):
                raise ValueError(f"{name}: holds numbers that are not finite")
        if self.mel.shape[0] != FRAMES_A_CODE * self.codes.shape[0]:
            raise ValueError(
                f"mel: {FRAMES_A_CODE} frames a code are needed, there are {self.mel.shape[0]} for {self.codes.shape[0]} codes"
            )
        if int(self.codes.min()) < 0:
            raise ValueError("codes: none is below 0")

    def fits(self, *, codes: int, speaker: int, mel_bins: int) -> None:
        """Raises UserError where the model has fewer codes, or other widths."""
        wrong = []
        if int(self.codes.max()) >= codes:
            wrong.append(f"code {int(self.codes.max())} of {codes}")
        if self.speaker.shape[0] != speaker:
            wrong.append(f"an x-vector of {self.speaker.shape[0]} numbers for {speaker}")
        if self.mel.shape[1] != mel_bins:
            wrong.append(f"{self.mel.shape[1]} mel bins for {mel_bins}")
        if wrong:
            raise UserError(f"This voice was made for another model: {', '.join(wrong)}. Make it again with this model's assets.")

    def save(self, path: Path) -> None:
        """Writes a safetensors file. Raises UserError where it can't."""
        parts = {name: getattr(self, name).contiguous().cpu() for name in _PARTS}
        try:
            save_file(parts, str(path), metadata={"format": _FORMAT})
        except (OSError, SafetensorError) as error:
            raise UserError(f"The voice can't be written to {path}: {error}") from None

    @staticmethod
    def load(path: Path) -> VoiceBundle:
        """Raises UserError with what to do about it."""
        try:
            with safe_open(str(path), framework="pt") as file:
                found = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 - not a mapping
                kind = (file.metadata() or {}).get("format")
        except FileNotFoundError:
            raise UserError(f"There is no voice at {path}.") from None
        except (OSError, SafetensorError) as error:
            raise UserError(f"{path} can't be read as a voice: {error}. Make it again from the recording.") from None
        if kind != _FORMAT or set(found) != set(_PARTS):
            raise UserError(f"{path} is no voice ({_FORMAT}): it holds {', '.join(sorted(found)) or 'nothing'}. Make it again.")
        try:
            return VoiceBundle(**found)
        except ValueError as error:
            raise UserError(f"{path} is no voice: {error}. Make it again from the recording.") from None


class VoiceReader:
    """A recording to a `VoiceBundle`, through the published ONNX files of the speech tokenizer and of the speaker model."""

    def __init__(self, folder: Path) -> None:
        """folder: where the two ONNX files are. Raises UserError where one is missing or none, or onnxruntime isn't installed."""
        self._tokenizer = _session(folder / TOKENIZER_FILE, 2)
        self._speaker = _session(folder / SPEAKER_FILE, 1)

    def read(self, samples: np.ndarray[Any, Any], rate_hz: int) -> VoiceBundle:
        """samples: one channel, -1 ... 1, [samples]. Raises UserError for a recording that is none, too short or too long."""
        if samples.ndim != 1 or not np.isfinite(samples).all():
            raise UserError("A recording of a voice has one channel of finite samples.")
        if not SHORTEST_S <= len(samples) / rate_hz <= LONGEST_S:
            raise UserError(
                f"A recording of a voice takes {SHORTEST_S:g} to {LONGEST_S:g} s, this one {len(samples) / rate_hz:.1f} s. Three to ten are best."
            )
        wave = torch.from_numpy(np.ascontiguousarray(samples, dtype=np.float32))
        reference = resampled(wave, rate_hz, REFERENCE_RATE)
        codes = self._codes(tokenizer_mel(reference))
        bank = kaldi_fbank(reference)
        speaker = self._run(self._speaker, SPEAKER_FILE, [(bank - bank.mean(dim=0))[None].numpy()])
        mel = prompt_mel(resampled(wave, rate_hz, MEL_RATE)[None])[0].T  # [frames, 80]
        frames = FRAMES_A_CODE * codes.shape[0]
        last = mel[-1:].expand(max(0, frames - mel.shape[0]), -1)
        return VoiceBundle(codes, torch.from_numpy(speaker).float().flatten(), torch.cat([mel, last])[:frames].clone(), reference)

    def _codes(self, mel: Tensor) -> Tensor:
        """mel: [128, frames]. Returns [codes]."""
        found = self._run(self._tokenizer, TOKENIZER_FILE, [mel[None].numpy(), np.array([mel.shape[1]], dtype=np.int32)])
        codes = torch.from_numpy(found.astype(np.int64)).flatten()
        if codes.numel() == 0:
            raise UserError("The speech tokenizer finds no speech in this recording. Take another one.")
        return codes

    @staticmethod
    def _run(session: Any, name: str, values: list[np.ndarray[Any, Any]]) -> np.ndarray[Any, Any]:
        names = [given.name for given in session.get_inputs()]
        try:
            return np.asarray(session.run(None, dict(zip(names, values, strict=True)))[0])
        except Exception as error:  # onnxruntime's errors have no common kind
            raise UserError(
                f"{name} doesn't take what the published one takes: {_first_line(error)}. Fetch the assets again."
            ) from None


def _first_line(error: BaseException) -> str:
    return str(error).strip().partition("\n")[0][:200]


def _session(path: Path, inputs: int) -> Any:
    """An ONNX Runtime session on the CPU: a voice is read once, and this must not take the model's place on a GPU."""
    if not path.is_file():
        raise UserError(f"{path} is missing. It is one of the published assets; or use a voice file that was made earlier.")
    try:
        import onnxruntime
    except ImportError:
        raise UserError(
            "Reading a recording needs onnxruntime: pip install onnxruntime; or use a voice file that was made earlier."
        ) from None
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    try:
        session = onnxruntime.InferenceSession(str(path), sess_options=options, providers=["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime's errors have no common kind
        raise UserError(f"{path} can't be read as an ONNX model: {_first_line(error)}. Fetch it again.") from None
    if len(session.get_inputs()) != inputs:
        raise UserError(f"{path} has {len(session.get_inputs())} inputs for {inputs}: is it another model's?")
    return session


def read_wav(path: Path) -> tuple[np.ndarray[Any, Any], int]:
    """A 16-bit WAV file: the mean of its channels as float32 [samples] in -1 ... 1, and its rate in Hz. Raises UserError."""
    import wave

    try:
        with wave.open(str(path), "rb") as file:
            width, channels, rate = file.getsampwidth(), file.getnchannels(), file.getframerate()
            raw = file.readframes(int(rate * (LONGEST_S + 1)))
    except FileNotFoundError:
        raise UserError(f"There is no recording at {path}.") from None
    except (OSError, EOFError, wave.Error) as error:
        raise UserError(f"{path} can't be read as a WAV file: {error}.") from None
    if width != 2:
        raise UserError(f"{path} has samples of {8 * width} bits; 16 are needed.")
    samples = np.frombuffer(raw[: len(raw) // (2 * channels) * 2 * channels], dtype="<i2").reshape(-1, channels)
    return (samples.astype(np.float32) / 32768.0).mean(axis=1), rate
