"""Writes a whole small checkpoint with random weights: the same files, keys and rules as a released one; its words mean nothing.

The same size and seed give the same bytes: each tensor is drawn by its own generator, seeded by its name. A few weights are set so
that it behaves in the way of a duplex model: after sound it listens or begins to speak, it ends a unit after some words, and its talker
doesn't end by itself. For that, rows lean to one side in places of their own, and the heads read those places. Loads nothing.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from safetensors.torch import save_file
from torch import Tensor, nn

from ridealong.cloud.model.assets import parse_flow
from ridealong.cloud.model.config import PROCESSOR, parse_config
from ridealong.cloud.model.flow import Flow
from ridealong.cloud.model.hift import Hift, HiftConfig
from ridealong.cloud.model.loader import INDEX, write_manifest
from ridealong.cloud.model.model import ASSETS, SIGHT, VOICES, DuplexModel
from ridealong.cloud.model.tiny_config import MEL_BINS, NOTE, SPEAKER, Size, config_values, processor_values, speech_values
from ridealong.cloud.model.tiny_words import numbered
from ridealong.cloud.model.tiny_words import write as write_words
from ridealong.cloud.model.voice import FRAMES_A_CODE, REFERENCE_RATE, VoiceBundle
from ridealong.errors import UserError

VOICE_S: Final = 2
CODES_PER_S: Final = 25
LEAN: Final = 2.0
"""Of the talker's rows in their first place, which the end code's weights are against."""
TURN, ALWAYS = 0, 1
"""Places of the language model's rows: up where it is to decide and down after words; up everywhere."""
STRONG: Final = 4.0
DECIDES: Final = ("</image>", "</slice>", "</backend>")
"""After these, as after sound, a unit's first word is drawn."""
HEAD: Final = {"<|listen|>": 1.5, "<|speak|>": 1.5, "<|chunk_eos|>": -0.9, "<|turn_eos|>": -0.75}
"""How much more likely a name gets the more its state says TURN. All other names are never drawn."""
_TABLES: Final = re.compile(
    r"(embed_tokens|embed_positions|position_embedding|input_embedding|emb_text|emb_code\.0)\.weight$|query$"
)
UNUSED_ROWS: Final = 64
"""Of the talker's unused text table (released: 32,000). Nothing reads it; it is there to be skipped."""


def write_tiny(folder: Path, size: Size, seed: int = 0, *, sees: bool = True, venus: bool = True) -> int:
    """Writes the checkpoint to `folder`, which must be empty or not there; returns its bytes.

    sees: False makes an audio checkpoint. venus: False leaves the four tokens of delegation out. Raises `UserError`.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise UserError(f"{folder} is not empty: name a new folder, or empty it yourself.")
        vocab = write_words(folder, venus=venus)
        values = config_values(size, vocab, numbered(venus=venus)) | {"init_vision": sees}
        _write_json(folder / "config.json", values)
        _write_json(folder / PROCESSOR, processor_values(size))
        _write_model(folder, size, values, seed, sees)
        _write_speech(folder, size, seed)
        (folder / "README.md").write_text(f"# A checkpoint for tests\n\n{NOTE}\nSeed {seed}.\n", encoding="utf-8")
        for file in folder.rglob("*.safetensors"):
            file.chmod(0o644)  # the library lets its owner alone read them
        write_manifest(folder)
    except OSError as error:
        raise UserError(f"The checkpoint can't be written to {folder}: {error}.") from None
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def _write_model(folder: Path, size: Size, values: Mapping[str, Any], seed: int, sees: bool) -> None:
    config = parse_config(values, "config.json")
    with torch.device("meta"):
        model = DuplexModel(config)
    shapes = {key: tuple(value.shape) for key, value in model.state_dict().items()}
    if size.spare_layer and config.vision is not None:
        assert f"vpm.encoder.layers.{size.vision.layers}.layer_norm1.weight" not in shapes
    wide, narrow = config.language.hidden, config.talker.hidden
    shapes["tts.model.embed_tokens.weight"] = (UNUSED_ROWS, narrow)
    for key, shape in (("linear1", (narrow, wide)), ("linear2", (narrow, narrow))):
        shapes |= {f"tts.projector_spk.{key}.weight": shape, f"tts.projector_spk.{key}.bias": (narrow,)}
    tensors = {key: _drawn(key, shape, seed) for key, shape in shapes.items() if sees or not key.startswith(SIGHT)}
    lean(tensors)
    take_turns(tensors, numbered())
    stored = {key: value.to(torch.bfloat16) for key, value in tensors.items()}
    _write_shards(folder, stored, size.shards)


def _write_shards(folder: Path, tensors: Mapping[str, Tensor], count: int) -> None:
    """In the order of their keys, about as many bytes in each."""
    total = sum(value.nbytes for value in tensors.values())
    shards: list[dict[str, Tensor]] = [{} for _ in range(count)]
    written = 0
    for key, value in tensors.items():
        shards[min(count - 1, written * count // total)][key] = value
        written += value.nbytes
    where: dict[str, str] = {}
    for number, shard in enumerate(shards, 1):
        name = f"model-{number:05d}-of-{count:05d}.safetensors"
        save_file(shard, str(folder / name), metadata={"format": "pt"})
        where |= dict.fromkeys(shard, name)
    _write_json(folder / INDEX, {"metadata": {"total_size": total}, "weight_map": dict(sorted(where.items()))})


def _write_speech(folder: Path, size: Size, seed: int) -> None:
    """Flow, vocoder and a voice, in the formats that hold nothing but tensors."""
    place = folder / ASSETS[0]
    place.mkdir(parents=True)
    values = speech_values(size)
    with torch.device("meta"):
        parts: dict[str, nn.Module] = {
            "flow": Flow(parse_flow(values, "token2wav.json")),
            "hift": Hift(wave_config(size)),
        }
    tensors = {
        f"{part}.{key}": _drawn(f"{part}.{key}", tuple(value.shape), seed)
        for part, module in parts.items()
        for key, value in module.state_dict().items()
    }
    save_file(tensors, str(place / "token2wav.safetensors"), metadata={"format": "pt"})
    _write_json(place / "token2wav.json", values)
    random_voice(size, seed).save(folder / VOICES[0])


def wave_config(size: Size) -> HiftConfig:
    return HiftConfig(mel_bins=MEL_BINS, channels=size.wave, harmonics=8, pitch_hidden=size.pitch)


def random_voice(size: Size, seed: int) -> VoiceBundle:
    """Two seconds of somebody who is nobody: a hum with overtones, and features drawn at random."""
    codes = VOICE_S * CODES_PER_S
    moments = np.arange(VOICE_S * REFERENCE_RATE) / REFERENCE_RATE
    hum = sum(np.sin(2 * np.pi * 140.0 * tone * moments) / tone for tone in range(1, 6))
    chosen = _generator("voice.codes", seed).integers(0, size.codes - 1, codes)
    return VoiceBundle(
        codes=torch.from_numpy(chosen.astype(np.int64)),
        speaker=torch.from_numpy(_noise("voice.speaker", (SPEAKER,), seed)),
        mel=torch.from_numpy(_noise("voice.mel", (FRAMES_A_CODE * codes, MEL_BINS), seed) - 6.0),
        samples=torch.from_numpy((0.1 * np.asarray(hum)).astype(np.float32)),
    )


def _generator(name: str, seed: int) -> np.random.Generator:
    return np.random.default_rng(int.from_bytes(hashlib.sha256(f"{seed}:{name}".encode()).digest()[:8], "big"))


def _noise(name: str, shape: tuple[int, ...], seed: int) -> np.ndarray[Any, Any]:
    return _generator(name, seed).standard_normal(shape, dtype=np.float32)


def _drawn(name: str, shape: tuple[int, ...], seed: int) -> Tensor:
    middle, width = spread(name, shape)
    return torch.from_numpy((middle + width * _noise(name, shape, seed)).astype(np.float32))


def spread(name: str, shape: tuple[int, ...]) -> tuple[float, float]:
    """Mean and width of a tensor's random numbers, by its name: such that a signal stays alive through every layer."""
    last = name.rpartition(".")[2]
    if _TABLES.search(name):
        return 0.0, 0.5
    if last == "alpha" or (last == "weight" and len(shape) == 1):
        return 1.0, 0.05
    if len(shape) == 1 or last.startswith("pos_bias"):
        return 0.0, 0.02
    gain = 2.0 if name == "llm.lm_head.weight" else 0.5  # the likeliest words should stand out from the others
    return 0.0, gain / math.sqrt(math.prod(shape[1:]))


def lean(tensors: dict[str, Tensor]) -> None:
    """Makes the end code unlikely whatever was said (the head has no bias that could do it)."""
    for key in ("tts.emb_text.weight", "tts.emb_code.0.weight"):
        tensors[key][:, 0] += LEAN
    head = "tts.head_code.0.parametrizations.weight."
    lengths, directions = tensors[f"{head}original0"], tensors[f"{head}original1"]
    lengths.copy_(2.0 + 0.05 * lengths)
    directions[:, 0] = 0.0
    directions[-1] = 0.0
    directions[-1, 0] = -1.0
    lengths[-1] = 3.0


def take_turns(tensors: dict[str, Tensor], names: Mapping[str, int]) -> None:
    """Makes the language model listen, speak and end its units at about the rate of a released one."""
    rows, head = tensors["llm.model.embed_tokens.weight"], tensors["llm.lm_head.weight"]
    bias = tensors["audio_projection_layer.linear2.bias"]
    rows[:, TURN], rows[:, ALWAYS] = -STRONG, STRONG
    for name in DECIDES:
        if names[name] < len(rows):
            rows[names[name], TURN] = STRONG
    bias[TURN], bias[ALWAYS] = STRONG, STRONG
    head[:, TURN], head[:, ALWAYS] = 0.0, 0.0
    head[min(names.values()) :, ALWAYS] = -2.0
    for name in ("<|listen|>", "<|speak|>"):
        head[names[name]] *= 0.4  # what is left tells sounds apart, and leaves both likely
    for name, weight in HEAD.items():
        head[names[name], TURN], head[names[name], ALWAYS] = weight, 0.0


def _write_json(path: Path, values: Mapping[str, Any]) -> None:
    path.write_text(json.dumps(values, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
