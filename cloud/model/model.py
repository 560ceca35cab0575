"""The parts as one model under the checkpoint's own names, and the way from a folder to it.

    folder -> configuration, headers -> what the files hold is believed -> account -> modules made without memory -> mapped tensors

Every difference between what the model needs and what the files hold is told in one table before a single tensor is read.
Source: spec model.md 1, 2. Knows no session, no step and no download.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import torch
from torch import nn

from ridealong.cloud.model.assets import SpeechAssets, load_speech
from ridealong.cloud.model.audio import AudioEncoder, AudioProjector, Ear
from ridealong.cloud.model.config import ModelConfig, read_config
from ridealong.cloud.model.language import Language
from ridealong.cloud.model.loader import Checkpoint, Finding, account, fill, open_checkpoint, table
from ridealong.cloud.model.quantised import quantise as quantise_layers
from ridealong.cloud.model.resampler import Resampler
from ridealong.cloud.model.talker import Talker
from ridealong.cloud.model.tokens import Tokens, read_tokens
from ridealong.cloud.model.vision import Vision
from ridealong.cloud.model.voice import VoiceBundle
from ridealong.errors import UserError

UNUSED: Final = tuple(f"tts.{prefix}" for prefix in Talker.UNUSED)
"""Parts of a checkpoint that nothing reads: a text table and a projector of the talker's training."""
SIGHT: Final = ("vpm.", "resampler.")
FLOATS: Final = frozenset({"BF16", "F16", "F32"})
LOOKED_THROUGH: Final = 2_000_000_000
"""Bytes of weights that are looked through for NaN on the CPU, too; more would take long there."""
ASSETS: Final = ("assets/token2wav", "token2wav", ".")
"""Where in a folder flow and vocoder may lie; released checkpoints have them in the first."""
VOICES: Final = ("assets/voice.safetensors", "voice.safetensors")


class DuplexModel(nn.Module):
    """The six parts; the keys of its state are the checkpoint's. `vpm` and `resampler` are None in one that only hears.

    Make it under `torch.device("meta")` and fill it from files. Raises `ValueError` for a configuration that makes no whole units.
    """

    def __init__(self, config: ModelConfig, *, reference_parity: bool = False) -> None:
        super().__init__()
        self.llm = Language(config.language)
        self.vpm = Vision(config.vision) if config.vision is not None else None
        self.resampler = Resampler(config.resampler) if config.resampler is not None else None
        self.apm = AudioEncoder(config.audio, reference_parity=reference_parity)
        self.audio_projection_layer = AudioProjector(config.audio, config.language.hidden)
        self.tts = Talker(config.talker)

    @property
    def ear(self) -> Ear:
        return Ear(self.apm, self.audio_projection_layer)


@dataclass(frozen=True, slots=True)
class LoadedModel:
    """A model that is ready. `skipped`: prefix -> bytes in the files that nothing reads. `remarks`: for the operator, a sentence each.

    `size`: bytes of the tensors read. `seconds`: from the first to the last of them.
    """

    config: ModelConfig
    module: DuplexModel
    tokens: Tokens
    speech: SpeechAssets | None
    voice: VoiceBundle | None
    skipped: Mapping[str, int]
    remarks: tuple[str, ...]
    size: int
    seconds: float

    @property
    def gb_per_s(self) -> float:
        return self.size / 1e9 / max(self.seconds, 1e-9)


def believed(config: ModelConfig, checkpoint: Checkpoint) -> tuple[ModelConfig, tuple[str, ...]]:
    """The configuration as the files have it, and what differed: numbers of layers of vision and language, and whether it sees at all.

    Released configurations of one family disagree about the number of vision layers (model.md 1.2); the tensors can't.
    """
    remarks: list[str] = []
    if config.vision is not None and not any(key.startswith(SIGHT) for key in checkpoint.entries):
        remarks.append("config.json says that it sees (init_vision), its files hold no vision: it only hears.")
        config = replace(config, vision=None, resampler=None)
    vision = config.vision
    if vision is not None:
        told, found = vision.layers - vision.drop_last_layer, checkpoint.layers("vpm.encoder.layers.")
        if found not in (0, told):
            remarks.append(f"config.json tells of {told} layers of vision, the files hold {found}: {found} are used.")
        config = replace(config, vision=replace(vision, layers=found or told, drop_last_layer=False))
    told, found = config.language.layers, checkpoint.layers("llm.model.layers.")
    if found not in (0, told):
        remarks.append(f"config.json tells of {told} layers of the language model, the files hold {found}: {found} are used.")
        config = replace(config, language=replace(config.language, layers=found))
    return config, tuple(remarks)


def made(config: ModelConfig, *, reference_parity: bool = False) -> DuplexModel:
    """The modules without memory (on the meta device). Raises `UserError` for a configuration that they can't have."""
    try:
        with torch.device("meta"):
            return DuplexModel(config, reference_parity=reference_parity)
    except ValueError as error:
        raise UserError(f"config.json is no configuration that this model can be: {error}.") from None


def judged(module: DuplexModel, checkpoint: Checkpoint) -> tuple[tuple[Finding, ...], Mapping[str, int]]:
    """What doesn't fit; and the prefixes that nothing reads, each with its bytes."""
    unused = UNUSED if module.vpm is not None else (*UNUSED, *SIGHT)
    expected = {key: tuple(value.shape) for key, value in module.state_dict().items()}
    findings = account(checkpoint, expected, unused=unused, dtypes=FLOATS)
    sizes = {prefix: sum(entry.size for key, entry in checkpoint.entries.items() if key.startswith(prefix)) for prefix in unused}
    return findings, {prefix.rstrip("."): size for prefix, size in sizes.items() if size}


def refusal(folder: Path, findings: tuple[Finding, ...]) -> str:
    """What to say where tensors and configuration disagree."""
    return (
        f"The tensors in {folder} are not those that its config.json tells of:\n{table(findings)}\n"
        "Fetch the checkpoint again; or it is of another model, or of a later version of this one."
    )


def find_assets(folder: Path) -> Path | None:
    """The folder with flow and vocoder, None where the checkpoint brings none."""
    places = [folder / place for place in ASSETS]
    return next((p for p in places if (p / "flow.yaml").is_file() or (p / "token2wav.json").is_file()), None)


def find_voice(folder: Path) -> Path | None:
    """The file of the checkpoint's own voice, None where there is none yet."""
    return next((folder / place for place in VOICES if (folder / place).is_file()), None)


def load_speech_of(
    folder: Path, config: ModelConfig, device: torch.device | str, dtype: torch.dtype = torch.float32
) -> tuple[SpeechAssets | None, VoiceBundle | None, tuple[str, ...]]:
    """Flow and vocoder, and the voice, of a checkpoint's folder, and remarks. dtype: the flow's. Raises `UserError` where they are there and don't fit."""
    place, voice_file = find_assets(folder), find_voice(folder)
    if place is None:
        return None, None, (f"{folder} holds no flow and vocoder ({ASSETS[0]}): it can write speech codes and not sound them.",)
    speech = load_speech(place, device=device, dtype=dtype)
    known = speech.flow.config.codes
    if config.talker.end_code > known:
        raise UserError(
            f"The talker writes {config.talker.end_code} codes, the flow in {place} knows {known}: another model's assets?"
        )
    if voice_file is None:
        return speech, None, ()
    voice = VoiceBundle.load(voice_file)
    voice.fits(codes=known, speaker=speech.flow.config.speaker, mel_bins=speech.flow.config.mel_bins)
    return speech, voice, ()


def load_tokens_of(folder: Path, config: ModelConfig) -> Tokens:
    """The tokenizer, with every id of its own inside both text tables. Raises `UserError`."""
    tokens = read_tokens(folder, config.language.vocab)
    last = max(tokens.added)
    if last >= config.talker.text_rows:
        raise UserError(
            f"The tokenizer of {folder} goes up to {last}, and the talker's text table has {config.talker.text_rows} rows "
            "(tts_config.num_text_tokens): they belong to different checkpoints."
        )
    return tokens


def load_model(
    folder: Path,
    device: torch.device | str = "cpu",
    dtype: torch.dtype | None = None,
    *,
    reference_parity: bool = False,
    quantise: str | None = None,
) -> LoadedModel:
    """The checkpoint in `folder`, ready to run: evaluation only, no gradients, the talker's head folded.

    dtype: None keeps the files'. quantise: int8 or fp8 for the language model's layers (`quantised`). Flow and vocoder always run in
    float32. Raises `UserError` for all that a checkpoint or a machine can lack, before a tensor is read where that can be told; and for
    weights that are no numbers.
    """
    device = device_of(device)
    config = read_config(folder)
    checkpoint = open_checkpoint(folder)
    config, remarks = believed(config, checkpoint)
    module = made(config, reference_parity=reference_parity)
    findings, skipped = judged(module, checkpoint)
    if findings:
        raise UserError(refusal(folder, findings))
    tokens = load_tokens_of(folder, config)
    size = sum(checkpoint.entries[key].size for key in module.state_dict())
    begun = time.perf_counter()
    try:
        fill(module, checkpoint, "", device="cpu" if quantise is not None else device, dtype=dtype)
        if device.type == "cuda":
            torch.cuda.synchronize(device)
        seconds = time.perf_counter() - begun
        module.eval().requires_grad_(False)
        module.tts.fold()
        if quantise is not None:  # wide weights wait in the machine's memory: the device need have room for the narrow ones only
            before, after = quantise_layers(module.llm, quantise, device)
            module.to(device)
            remarks = (*remarks, f"The language model's layers are {quantise}: {after / 1e9:.2f} GB, not {before / 1e9:.2f}.")
        speech, voice, more = load_speech_of(folder, config, device)
        parts = {"": module} | ({"flow.": speech.flow, "wave.": speech.wave} if speech is not None else {})
        if (device.type != "cpu" or size < LOOKED_THROUGH) and (broken := _broken(parts)):
            raise UserError(
                f"The weights in {folder} hold NaN or infinity ({', '.join(broken[:3])}"
                f"{f' and {len(broken) - 3} more' if len(broken) > 3 else ''}): nothing that it says could be one. Fetch the checkpoint again."
            )
    except torch.OutOfMemoryError:
        raise UserError(f"The model in {folder} has {size / 1e9:.1f} GB of weights; {device} has no room for them.") from None
    return LoadedModel(config, module, tokens, speech, voice, skipped, (*remarks, *tokens.remarks, *more), size, seconds)


def _broken(parts: Mapping[str, nn.Module]) -> list[str]:
    """Tensors that hold something else than numbers."""
    return [
        prefix + key
        for prefix, part in parts.items()
        for key, value in part.state_dict().items()
        if value.is_floating_point() and not bool(torch.isfinite(value.float() if value.dtype.itemsize == 1 else value).all())
    ]


def device_of(device: torch.device | str) -> torch.device:
    """The device by that name. Raises `UserError` where there is none here."""
    try:
        found = torch.device(device)
    except RuntimeError:
        found = None
    if found is None or found.type not in ("cpu", "cuda") or (found.type == "cpu" and found.index):
        raise UserError(f"There is no device {str(device)!r}: it is cpu, cuda or cuda:N.")
    device = found
    if device.type == "cuda" and (device.index or 0) >= torch.cuda.device_count():
        raise UserError(f"There is no {device} here: this machine shows {torch.cuda.device_count()} CUDA devices. Use cpu.")
    return device
