"""The shapes of a checkpoint, read from its own config.json; each field that doesn't fit is named, with what would.

Field names of the files are MiniCPM-o 4.5's (spec: model.md section 2). Knows no tensors.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from ridealong.errors import UserError

PROCESSOR: Final = "preprocessor_config.json"
MOST_SLICES: Final = 64
"""Of a picture."""


@dataclass(frozen=True, slots=True)
class LanguageConfig:
    """Qwen3. `heads` query heads share `kv_heads` keys and values; `head_dim` is its own number, not hidden / heads."""

    hidden: int
    layers: int
    ffn: int
    heads: int
    kv_heads: int
    head_dim: int
    vocab: int
    rope_theta: float
    norm_eps: float
    max_positions: int


@dataclass(frozen=True, slots=True)
class VisionConfig:
    """SigLIP NaViT. `positions_side`: the learned position table is this long and wide."""

    hidden: int
    layers: int
    ffn: int
    heads: int
    patch: int
    positions_side: int
    norm_eps: float
    drop_last_layer: bool
    batch: int


@dataclass(frozen=True, slots=True)
class ImageConfig:
    """How an image is cut. `scale`: the side of the square whose area an image is resized to. `max_slices`: in duplex sessions."""

    scale: int
    patch: int
    max_slices: int


@dataclass(frozen=True, slots=True)
class ResamplerConfig:
    """`queries` rows come out of every image or slice. The grid of positions is grown when an image needs it."""

    queries: int
    hidden: int
    heads: int
    vision_hidden: int
    grid_side: int = 70
    norm_eps: float = 1e-6


@dataclass(frozen=True, slots=True)
class AudioConfig:
    """A Whisper encoder. `pool`: so many 50 Hz states make one row for the language model."""

    hidden: int
    layers: int
    ffn: int
    heads: int
    mel_bins: int
    max_positions: int
    pool: int
    unit_s: float
    norm_eps: float = 1e-5


@dataclass(frozen=True, slots=True)
class TalkerConfig:
    """A Llama that writes speech codes. `codes` counts the end code, which is the last."""

    hidden: int
    layers: int
    ffn: int
    heads: int
    max_positions: int
    codes: int
    text_rows: int
    llm_hidden: int
    audio_bos: int
    text_eos: int
    rope_theta: float = 10_000.0
    norm_eps: float = 1e-6

    @property
    def end_code(self) -> int:
        return self.codes - 1


@dataclass(frozen=True, slots=True)
class ModelConfig:
    """One checkpoint. `vision` is None in one that hears and doesn't see."""

    language: LanguageConfig
    vision: VisionConfig | None
    image: ImageConfig
    resampler: ResamplerConfig | None
    audio: AudioConfig
    talker: TalkerConfig
    dtype: str

    @property
    def audio_rows(self) -> int:
        """Rows that a unit of sound becomes."""
        return round(self.audio.unit_s * 50) // self.audio.pool


MOST: Final = 1 << 31
MOST_LAYERS: Final = 1_000
_LAYERS: Final = frozenset({"num_hidden_layers", "encoder_layers", "num_blocks", "num_up_blocks", "depth"})
"""Fields that say how many modules are made: a wrong one must not make a billion of them before it is compared with the files."""


class Fields:
    """A JSON object read field by field. Gathers all that doesn't fit before it complains."""

    def __init__(self, values: Mapping[str, Any], where: str, problems: list[str]) -> None:
        self._values = values
        self._where = where
        self.problems = problems

    def part(self, name: str) -> Fields:
        value = self._values.get(name)
        if not isinstance(value, Mapping):
            self.problems.append(f"{self._where}{name}: an object is needed, there is {_shown(value)}")
            value = {}
        return Fields(value, f"{self._where}{name}.", self.problems)

    def whole(self, name: str, default: int | None = None, *, least: int = 1) -> int:
        value = self._values.get(name, default)
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            self.problems.append(f"{self._where}{name}: a whole number of at least {least} is needed, there is {_shown(value)}")
            return least
        most = MOST_LAYERS if name in _LAYERS else MOST
        if value > most:
            self.problems.append(f"{self._where}{name}: at most {most:,} is possible, there is {_shown(value)}")
            return least
        return value

    def number(self, name: str, default: float | None = None) -> float:
        value = self._values.get(name, default)
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < float("inf"):
            self.problems.append(f"{self._where}{name}: a number above 0 is needed, there is {_shown(value)}")
            return 1.0
        return float(value)

    def flag(self, name: str, default: bool) -> bool:
        value = self._values.get(name, default)
        if not isinstance(value, bool):
            self.problems.append(f"{self._where}{name}: true or false is needed, there is {_shown(value)}")
            return default
        return value

    def same(self, name: str, wanted: object, default: object) -> None:
        """The file must agree with the one thing that this code can do."""
        value = self._values.get(name, default)
        if value != wanted:
            self.problems.append(f"{self._where}{name}: only {wanted!r} is known here, there is {_shown(value)}")

    def theta(self) -> float:
        """RoPE's base: flat in files of transformers 4, in `rope_parameters` in those of 5. Never a default: a wrong base is silent."""
        nested = self._values.get("rope_parameters")
        if "rope_theta" not in self._values and isinstance(nested, Mapping):
            return Fields(nested, f"{self._where}rope_parameters.", self.problems).number("rope_theta")
        return self.number("rope_theta")


def _shown(value: object) -> str:
    text = "nothing" if value is None else repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def read_config(folder: Path) -> ModelConfig:
    """The configuration of the checkpoint in `folder`. Raises `UserError`, with all that doesn't fit in one message."""
    path = folder / "config.json"
    values = _object(path)
    if values is None:
        raise UserError(f"{folder} holds no config.json: is it the folder of a checkpoint?")
    return parse_config(values, str(path))


def offline_slices(folder: Path) -> int | None:
    """Into how many tiles at most a chat by turns cuts a picture, as the processor's file of the checkpoint says; None: it says nothing.
    The duplex model cuts by config.json. Raises `UserError`."""
    path = folder / PROCESSOR
    values = _object(path)
    if values is None or "max_slice_nums" not in values:
        return None
    top = Fields(values, "", [])
    slices = top.whole("max_slice_nums")
    if slices > MOST_SLICES:
        top.problems.append(f"max_slice_nums: at most {MOST_SLICES} is possible, there is {slices}")
    if top.problems:
        raise UserError(
            f"{path} can't be: {top.problems[0]}. Fetch the checkpoint again, or name the number yourself (--slices)."
        )
    return slices


def _object(path: Path) -> dict[str, Any] | None:
    """None: there is no such file."""
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, RecursionError) as error:
        raise UserError(f"{path} can't be read as JSON: {error}. Fetch the checkpoint again.") from None
    if not isinstance(values, dict):
        raise UserError(f"{path} holds no JSON object. Fetch the checkpoint again.")
    return values


def parse_config(values: Mapping[str, Any], name: str) -> ModelConfig:
    """`values`: the object of a config.json. `name`: what to call it in an error. Raises `UserError`."""
    top = Fields(values, "", [])
    top.same("model_type", "minicpmo", None)
    top.same("tie_word_embeddings", False, False)
    top.same("rope_scaling", None, None)
    language = LanguageConfig(
        hidden=top.whole("hidden_size"),
        layers=top.whole("num_hidden_layers"),
        ffn=top.whole("intermediate_size"),
        heads=top.whole("num_attention_heads"),
        kv_heads=top.whole("num_key_value_heads"),
        head_dim=top.whole("head_dim"),
        vocab=top.whole("vocab_size"),
        rope_theta=top.theta(),
        norm_eps=top.number("rms_norm_eps"),
        max_positions=top.whole("max_position_embeddings"),
    )
    if language.heads % language.kv_heads:
        top.problems.append("num_attention_heads: must be a multiple of num_key_value_heads")
    if language.head_dim % 2:
        top.problems.append("head_dim: must be even, or rotation has no pairs")
    sees = top.flag("init_vision", True)
    vision = _vision(top) if sees else None
    resampler = _resampler(top, language.hidden, vision.hidden) if vision is not None else None
    config = ModelConfig(
        language=language,
        vision=vision,
        image=_image(top),
        resampler=resampler,
        audio=_audio(top),
        talker=_talker(top, language.hidden),
        dtype=str(values.get("torch_dtype", values.get("dtype", "bfloat16"))),
    )
    if top.problems:
        raise UserError(f"{name} is no configuration that this model can be:\n  " + "\n  ".join(top.problems))
    return config


def _vision(top: Fields) -> VisionConfig:
    part = top.part("vision_config")
    patch = part.whole("patch_size")
    config = VisionConfig(
        hidden=part.whole("hidden_size"),
        layers=part.whole("num_hidden_layers"),
        ffn=part.whole("intermediate_size"),
        heads=part.whole("num_attention_heads"),
        patch=patch,
        positions_side=part.whole("image_size") // patch,
        norm_eps=part.number("layer_norm_eps", 1e-6),
        drop_last_layer=top.flag("drop_vision_last_layer", False),
        batch=top.whole("vision_batch_size", 16),
    )
    part.same("hidden_act", "gelu_pytorch_tanh", "gelu_pytorch_tanh")
    if config.hidden % config.heads:
        top.problems.append("vision_config.hidden_size: must be a multiple of its num_attention_heads")
    return config


def _image(top: Fields) -> ImageConfig:
    part = top.part("slice_config")
    return ImageConfig(
        scale=part.whole("scale_resolution", 448), patch=part.whole("patch_size", 14), max_slices=part.whole("max_slice_nums", 1)
    )


def _resampler(top: Fields, hidden: int, vision_hidden: int) -> ResamplerConfig:
    if hidden % 128 or hidden % 4:
        top.problems.append("hidden_size: must be a multiple of 128 (the resampler has hidden_size / 128 heads)")
    return ResamplerConfig(
        queries=top.whole("query_num", 64), hidden=hidden, heads=max(1, hidden // 128), vision_hidden=vision_hidden
    )


def _audio(top: Fields) -> AudioConfig:
    part = top.part("audio_config")
    config = AudioConfig(
        hidden=part.whole("d_model"),
        layers=part.whole("encoder_layers"),
        ffn=part.whole("encoder_ffn_dim"),
        heads=part.whole("encoder_attention_heads"),
        mel_bins=part.whole("num_mel_bins", 80),
        max_positions=part.whole("max_source_positions", 1500),
        pool=top.whole("audio_pool_step", 5),
        unit_s=top.number("audio_chunk_length", 1.0),
    )
    if config.ffn != 4 * config.hidden:
        top.problems.append(
            "audio_config.encoder_ffn_dim: must be 4 times d_model (the projector reads encoder_ffn_dim / 4 values)"
        )
    if config.hidden % config.heads:
        top.problems.append("audio_config.d_model: must be a multiple of its encoder_attention_heads")
    return config


def _talker(top: Fields, hidden: int) -> TalkerConfig:
    part = top.part("tts_config")
    part.same("num_vq", 1, 1)
    part.same("normalize_projected_hidden", True, True)
    part.same("condition_type", "hidden_text_merge", "hidden_text_merge")
    config = TalkerConfig(
        hidden=part.whole("hidden_size"),
        layers=part.whole("num_hidden_layers"),
        ffn=part.whole("intermediate_size"),
        heads=part.whole("num_attention_heads"),
        max_positions=part.whole("max_position_embeddings", 4096),
        codes=part.whole("num_audio_tokens", least=2),
        text_rows=part.whole("num_text_tokens"),
        llm_hidden=part.whole("llm_dim", hidden),
        audio_bos=part.whole("audio_bos_token_id", least=0),
        text_eos=part.whole("text_eos_token_id", least=0),
    )
    part.same("num_key_value_heads", config.heads, config.heads)
    if config.llm_hidden != hidden:
        top.problems.append(f"tts_config.llm_dim: must be hidden_size ({hidden}), there is {config.llm_hidden}")
    if config.hidden % config.heads or config.hidden // config.heads % 2:
        top.problems.append("tts_config.hidden_size: must be an even multiple of its num_attention_heads")
    if config.audio_bos >= config.text_rows:
        top.problems.append("tts_config.audio_bos_token_id: must be below num_text_tokens")
    return config
