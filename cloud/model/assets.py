"""The published files of the flow and the vocoder, read without running anything that is in them.

Tensors come from safetensors, or from torch files in which pickled code is refused; flow.yaml is read as plain values, and of its
constructor tags the four that describe the flow are allowed, and run nothing. Which kind of vocoder a file holds is told by its shapes.
What doesn't fit is named in a table. Doesn't run the model.
"""

from __future__ import annotations

import json
import pickle
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
import yaml
from safetensors import SafetensorError
from safetensors.torch import load_file
from torch import Tensor, nn

from ridealong.cloud.model.causal_vocoder import PITCH_RIGHT, CausalVocoder
from ridealong.cloud.model.config import Fields
from ridealong.cloud.model.flow import Flow, FlowConfig
from ridealong.cloud.model.flow_encoder import EncoderConfig
from ridealong.cloud.model.hift import Hift, HiftConfig, fold_weight_norm
from ridealong.errors import UserError

LONGEST_YAML = 64 * 1024  # bytes; the published one has 1.5 KB
ROWS_SHOWN = 12
_COMPONENTS = (
    "cosyvoice2.flow.flow.CausalMaskedDiffWithXvec",
    "cosyvoice2.transformer.upsample_encoder_v2.UpsampleConformerEncoderV2",
    "cosyvoice2.flow.flow_matching.CausalConditionalCFM",
    "cosyvoice2.flow.decoder_dit.DiT",
)
TAGS = tuple(f"!new:{package}{name}" for package in ("", "stepaudio2.") for name in _COMPONENTS)


@dataclass(frozen=True, slots=True)
class SpeechAssets:
    """What turns speech codes into sound."""

    flow: Flow
    wave: Hift | CausalVocoder


def load_speech(
    folder: Path, *, causal: bool | None = None, device: torch.device | str = "cpu", dtype: torch.dtype = torch.float32
) -> SpeechAssets:
    """Flow and vocoder of `folder`: the published layout (flow.yaml, flow.pt, hift.pt) or token2wav.json with safetensors.

    causal: which kind of vocoder; None takes the one that the folder offers first. dtype: the flow's; a wave is always float32.
    Raises UserError, with all that doesn't fit in one message.
    """
    if (folder / "token2wav.json").is_file():
        return _own_layout(folder, bool(causal), device, dtype)
    config = read_flow_yaml(folder / "flow.yaml")
    flow = _filled(Flow, config, read_tensors(folder / "flow.pt"), folder / "flow.pt", "flow.yaml", dtype)
    name = "hift_original.pt" if causal is False and (folder / "hift_original.pt").is_file() else "hift.pt"
    wave = build_wave(read_tensors(folder / name), folder / name)
    if causal is not None and causal != isinstance(wave, CausalVocoder):
        found, wanted = ("original", "causal") if causal else ("causal", "original")
        raise UserError(
            f"{folder / name} is the {found} vocoder, not the {wanted} one: assets of another release of minicpmo-utils?"
        )
    return SpeechAssets(_ready(flow, device), _ready(wave, device))


def _own_layout(folder: Path, causal: bool, device: torch.device | str, dtype: torch.dtype) -> SpeechAssets:
    path = folder / "token2wav.json"
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise UserError(f"{path} can't be read as JSON: {error}. Fetch the checkpoint again.") from None
    if not isinstance(values, dict):
        raise UserError(f"{path} holds no JSON object. Fetch the checkpoint again.")
    file = folder / "token2wav.safetensors"
    tensors = read_tensors(file)
    flow = _filled(Flow, parse_flow(values, str(path)), _under(tensors, "flow."), file, path.name, dtype)
    own = folder / "causal_vocoder.safetensors"
    wave = build_wave(read_tensors(own), own) if causal else build_wave(_under(tensors, "hift."), file)
    _check_wave(values, "causal_hift" if causal else "hift", wave.config, str(path))
    return SpeechAssets(_ready(flow, device), _ready(wave, device))


def _under(tensors: Mapping[str, Tensor], prefix: str) -> dict[str, Tensor]:
    return {key.removeprefix(prefix): value for key, value in tensors.items() if key.startswith(prefix)}


def _ready(module: Any, device: torch.device | str) -> Any:
    return module.to(device).eval().requires_grad_(False)


# --- tensors


def read_tensors(path: Path) -> dict[str, Tensor]:
    """The tensors of a .safetensors file or of a .pt file that holds nothing else. Raises UserError; never runs what a file brings."""
    if not path.is_file():
        raise UserError(f"{path} is missing. Fetch the assets again.")
    if path.suffix == ".safetensors":
        try:
            return dict(load_file(str(path)))
        except (OSError, SafetensorError) as error:
            raise UserError(f"{path} can't be read as safetensors: {error}. Fetch it again.") from None
    found = _unpickled(path)
    if not isinstance(found, Mapping) or not all(
        isinstance(key, str) and isinstance(value, Tensor) for key, value in found.items()
    ):
        raise UserError(f"{path} holds something else than named tensors. Fetch the assets again.")
    return dict(found)


def _unpickled(path: Path) -> object:
    try:
        try:
            return torch.load(path, map_location="cpu", weights_only=True, mmap=True)
        except RuntimeError as error:
            if "mmap" not in str(error):
                raise
            return torch.load(path, map_location="cpu", weights_only=True)  # a file of torch before 1.6 can't be mapped
    except pickle.UnpicklingError:
        raise UserError(
            f"{path} holds code, or objects that are no tensors. It was not run. Fetch the assets from their publisher."
        ) from None
    except (OSError, RuntimeError, EOFError, ValueError, KeyError, AttributeError, IndexError, TypeError) as error:
        raise UserError(
            f"{path} can't be read as a torch file: {str(error).partition(chr(10))[0][:200]}. Fetch it again."
        ) from None


def _filled(kind: Any, config: object, tensors: Mapping[str, Tensor], path: Path, source: str, dtype: torch.dtype) -> Any:
    """A module of `kind` made without memory, its tensors taken from a file. Raises UserError where shapes differ."""
    with torch.device("meta"):
        module: nn.Module = kind(config)
    tensors = fold_weight_norm(tensors)
    wanted = {key: tuple(value.shape) for key, value in module.state_dict().items()}
    held = {key: tuple(value.shape) for key, value in tensors.items()}
    table = _differences(wanted, held, source)
    if table:
        raise UserError(f"{path} doesn't fit {source}:\n{table}")
    module.load_state_dict({key: value.to(dtype) for key, value in tensors.items()}, assign=True)
    return module


def _differences(wanted: Mapping[str, tuple[int, ...]], held: Mapping[str, tuple[int, ...]], source: str) -> str:
    """A table of what differs, empty where nothing does."""

    def shown(shape: tuple[int, ...] | None) -> str:
        return "nothing" if shape is None else " x ".join(map(str, shape)) or "one number"

    rows = [
        (key, shown(wanted.get(key)), shown(held.get(key)))
        for key in sorted({*wanted, *held})
        if wanted.get(key) != held.get(key)
    ]
    if not rows:
        return ""
    head = ("tensor", f"by {source}", "in the file")
    widths = [max(len(row[at]) for row in [head, *rows[:ROWS_SHOWN]]) for at in range(2)]
    lines = [f"  {row[0]:<{widths[0]}}  {row[1]:<{widths[1]}}  {row[2]}" for row in [head, *rows[:ROWS_SHOWN]]]
    if len(rows) > ROWS_SHOWN:
        lines.append(f"  and {len(rows) - ROWS_SHOWN} more")
    return "\n".join(lines)


# --- the flow's configuration


class _PlainYaml(yaml.SafeLoader):
    """Values only. An alias could unfold without end, and the published file has none."""

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            raise yaml.constructor.ConstructorError(None, None, "an alias", self.get_mark())  # type: ignore[no-untyped-call]
        return super().compose_node(parent, index)


def _values(loader: yaml.SafeLoader, node: yaml.Node) -> dict[Any, Any]:
    if not isinstance(node, yaml.MappingNode):
        raise yaml.constructor.ConstructorError(None, None, f"{node.tag} without settings", node.start_mark)
    return loader.construct_mapping(node, deep=True)


def _refused(_: yaml.SafeLoader, node: yaml.Node) -> None:
    raise yaml.constructor.ConstructorError(None, None, f"the tag {node.tag}", node.start_mark)


for _tag in TAGS:
    _PlainYaml.add_constructor(_tag, _values)
_PlainYaml.add_constructor(None, _refused)  # type: ignore[arg-type,unused-ignore]


def read_flow_yaml(path: Path) -> FlowConfig:
    """The flow's configuration. Raises UserError for a file that is none, for any tag but the four, and for settings that don't fit."""
    if not path.is_file():
        raise UserError(f"{path} is missing. Fetch the assets again.")
    if path.stat().st_size > LONGEST_YAML:
        raise UserError(f"{path} is too long for a configuration ({path.stat().st_size} bytes). Fetch the assets again.")
    try:
        values = yaml.load(path.read_text(encoding="utf-8"), Loader=_PlainYaml)  # a safe loader, made safer
    except yaml.constructor.ConstructorError as error:
        line = "" if error.problem_mark is None else f" in line {error.problem_mark.line + 1}"
        raise UserError(
            f"{path} holds {error.problem}{line}, which is not allowed there. Nothing was run. Fetch it from its publisher."
        ) from None
    except (OSError, UnicodeDecodeError, yaml.YAMLError, RecursionError) as error:
        raise UserError(f"{path} can't be read as YAML: {str(error).partition(chr(10))[0]}. Fetch it again.") from None
    if not isinstance(values, dict):
        raise UserError(f"{path} holds no settings. Fetch it again.")
    return parse_flow(values, str(path))


def parse_flow(values: Mapping[Any, Any], name: str) -> FlowConfig:
    """`values`: the object with the key `flow`. `name`: what to call it in an error. Raises UserError with all that doesn't fit."""
    top = Fields(values, "", [])
    flow = top.part("flow")
    encoder, decoder = flow.part("encoder"), flow.part("decoder")
    estimator = decoder.part("estimator")
    hidden, mel_bins = encoder.whole("output_size"), flow.whole("output_size")
    for key, only in (
        ("pos_enc_layer_type", "rel_pos_espnet"),
        ("selfattention_layer_type", "rel_selfattn"),
        ("input_layer", "linear"),
    ):
        encoder.same(key, only, only)
    encoder.same("activation_type", "swish", "swish")
    encoder.same("normalize_before", True, True)
    encoder.same("input_size", hidden, hidden)
    flow.same("input_size", hidden, 512)
    estimator.same("in_channels", 4 * mel_bins, None)
    estimator.same("out_channels", mel_bins, None)
    config = FlowConfig(
        encoder=EncoderConfig(
            hidden=hidden,
            layers=encoder.whole("num_blocks", 6),
            up_layers=encoder.whole("num_up_blocks", 4),
            heads=encoder.whole("attention_heads", 4),
            ffn=encoder.whole("linear_units", 2048),
            look_ahead=encoder.whole("pre_lookahead_len", flow.whole("pre_lookahead_len", 3)),
            stride=encoder.whole("up_stride", flow.whole("up_stride", 2)),
            key_bias=encoder.flag("key_bias", True),
        ),
        codes=flow.whole("vocab_size"),
        mel_bins=mel_bins,
        speaker=flow.whole("spk_embed_dim", 192),
        hidden=estimator.whole("hidden_size", 256),
        depth=estimator.whole("depth", 28),
        heads=estimator.whole("num_heads", 8),
        head_dim=estimator.whole("head_dim", 64),
        mlp_ratio=estimator.number("mlp_ratio", 4.0),
        guidance=decoder.number("inference_cfg_rate", 0.7),
    )
    if hidden % config.encoder.heads or hidden % 2:
        top.problems.append("flow.encoder.output_size: must be even, and a multiple of attention_heads")
    if config.encoder.stride != 2:
        top.problems.append("flow.encoder.up_stride: only 2 is known here")
    if top.problems:
        raise UserError(f"{name} is no configuration that the flow can be:\n  " + "\n  ".join(top.problems))
    return config


# --- the vocoder


def build_wave(tensors: Mapping[str, Tensor], path: Path) -> Hift | CausalVocoder:
    """The vocoder whose tensors these are, of either kind, with its sizes read off their shapes. Raises UserError."""
    folded = fold_weight_norm({key.removeprefix("generator."): value for key, value in tensors.items()})
    try:
        first, pitch = folded["conv_pre.weight"], folded["f0_predictor.condnet.0.weight"]
        causal = pitch.shape[2] == PITCH_RIGHT + 1
        config = HiftConfig(
            mel_bins=int(first.shape[1]),
            channels=int(first.shape[0]),
            harmonics=int(folded["m_source.l_linear.weight"].shape[1]) - 1,
            pitch_hidden=int(pitch.shape[0]),
            look_right=int(first.shape[2]) - 1 if causal else 0,
        )
    except (KeyError, IndexError):
        raise UserError(
            f"{path} is no vocoder that is known here: conv_pre, f0_predictor or m_source is missing. Fetch it again."
        ) from None
    if not causal and pitch.shape[2] != 3:
        raise UserError(
            f"{path} is a vocoder of neither kind: its pitch layers begin with a kernel of {pitch.shape[2]}, 3 or 4 are known."
        )
    kind, name = (CausalVocoder, "the causal vocoder") if causal else (Hift, "the original vocoder")
    wave: Hift | CausalVocoder = _filled(kind, config, folded, path, name, torch.float32)
    return wave


def _check_wave(values: Mapping[str, Any], name: str, config: HiftConfig, path: str) -> None:
    """What shapes don't tell must be what this code does. Raises UserError."""
    top = Fields(values, "", [])
    part = top.part(name)
    part.same("sampling_rate", config.sample_rate, None)
    part.same("upsample_rates", list(config.rates), None)
    for key, value in (("nsf_alpha", config.amplitude), ("nsf_sigma", config.sigma), ("nsf_voiced_threshold", config.voiced_hz)):
        part.same(key, value, value)
    part.same("lrelu_slope", config.slope, config.slope)
    part.same("audio_limit", config.limit, config.limit)
    if top.problems:
        raise UserError(f"{path} is no configuration that the vocoder can be:\n  " + "\n  ".join(top.problems))
