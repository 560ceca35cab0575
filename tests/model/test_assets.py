"""Published files: read as values and tensors, refused with a reason, and never run."""

from __future__ import annotations

import json
import os
import pickle
import shutil
from pathlib import Path
from typing import Any

import pytest
import torch
from golden import TINY
from safetensors.torch import load_file
from speech import tiny_causal, tiny_flow, tiny_hift
from torch import Tensor

from ridealong.cloud.model.assets import load_speech, read_flow_yaml, read_tensors
from ridealong.cloud.model.causal_vocoder import CausalVocoder
from ridealong.cloud.model.flow import Flow, FlowConfig
from ridealong.cloud.model.flow_encoder import EncoderConfig
from ridealong.cloud.model.hift import Hift, HiftConfig
from ridealong.errors import UserError

pytestmark = pytest.mark.model

YAML = """
flow: !new:cosyvoice2.flow.flow.CausalMaskedDiffWithXvec
    input_size: 32
    output_size: 20
    spk_embed_dim: 24
    output_type: 'mel'
    vocab_size: 66
    encoder: !new:cosyvoice2.transformer.upsample_encoder_v2.UpsampleConformerEncoderV2
        input_size: 32
        output_size: 32
        input_layer: 'linear'
        pre_lookahead_len: 3
        num_blocks: 2
        num_up_blocks: 1
        up_stride: 2
        up_scale_factor: 2
        attention_heads: 2
        pos_enc_layer_type: 'rel_pos_espnet'
        selfattention_layer_type: 'rel_selfattn'
        key_bias: true
        linear_units: 48
        dropout_rate: 0.1
        normalize_before: true
    decoder: !new:cosyvoice2.flow.flow_matching.CausalConditionalCFM
        inference_cfg_rate: 0.7
        estimator: !new:cosyvoice2.flow.decoder_dit.DiT
            in_channels: 80
            out_channels: 20
            mlp_ratio: 2.0
            depth: 2
            num_heads: 2
            head_dim: 16
            hidden_size: 32
"""


def _tiny(prefix: str) -> dict[str, Tensor]:
    tensors = load_file(TINY / "token2wav.safetensors")
    return {key.removeprefix(prefix): value for key, value in tensors.items() if key.startswith(prefix)}


def _published(folder: Path, *, causal: bool = False) -> Path:
    """The tiny checkpoint in the publisher's layout."""
    (folder / "flow.yaml").write_text(YAML, encoding="utf-8")
    torch.save(_tiny("flow."), folder / "flow.pt")
    original = {f"generator.{key}": value for key, value in _tiny("hift.").items()}
    if causal:
        torch.save(load_file(TINY / "causal_vocoder.safetensors"), folder / "hift.pt")
    torch.save(original, folder / ("hift_original.pt" if causal else "hift.pt"))
    return folder


def _same(got: torch.nn.Module, want: torch.nn.Module) -> None:
    ours, theirs = got.state_dict(), want.state_dict()
    assert ours.keys() == theirs.keys() and all(torch.equal(ours[key], theirs[key]) for key in ours)


def test_the_published_layout(tmp_path: Path) -> None:
    made = load_speech(_published(tmp_path))
    assert made.flow.config == tiny_flow().config
    _same(made.flow, tiny_flow())
    _same(made.wave, tiny_hift())
    assert not any(value.is_meta or value.requires_grad for value in made.flow.parameters())


def test_the_published_sizes() -> None:
    """Made without memory: 114.6 M parameters in the transformer, 41.2 M before it, 20.8 M in the vocoder (spec: model.md 1.7)."""
    encoder = EncoderConfig(hidden=512, layers=6, up_layers=4, heads=8, ffn=2048)
    config = FlowConfig(encoder, codes=6561, mel_bins=80, speaker=192, hidden=512, depth=16, heads=8, head_dim=64, mlp_ratio=4.0)
    with torch.device("meta"):
        flow, wave = Flow(config), Hift(HiftConfig(mel_bins=80, channels=512, harmonics=8, pitch_hidden=512))
    counts = [sum(value.numel() for value in module.parameters()) for module in (flow.decoder, flow, wave)]
    assert counts == [114_555_472, 155_802_352, 20_806_557]


def test_the_layout_of_release_1_0_7(tmp_path: Path) -> None:
    folder = _published(tmp_path, causal=True)
    made = load_speech(folder)
    assert isinstance(made.wave, CausalVocoder)
    _same(made.wave, tiny_causal())
    assert isinstance(load_speech(folder, causal=False).wave, Hift)
    (folder / "hift_original.pt").unlink()
    with pytest.raises(UserError, match="is the causal vocoder, not the original one"):
        load_speech(folder, causal=False)


def test_the_flow_in_another_dtype() -> None:
    made = load_speech(TINY, dtype=torch.bfloat16)
    assert {value.dtype for value in made.flow.parameters()} == {torch.bfloat16}
    assert {value.dtype for value in made.wave.parameters()} == {torch.float32}


class _Bomb:
    """Writes a file when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        return (os.mkdir, (str(self.path),))


@pytest.mark.parametrize("plain", [False, True])
def test_pickled_code_is_refused_and_not_run(tmp_path: Path, plain: bool) -> None:
    folder, sign = _published(tmp_path), tmp_path / "it_ran"
    content = {**_tiny("flow."), "more": _Bomb(sign)}
    if plain:
        (folder / "flow.pt").write_bytes(pickle.dumps(content["more"], protocol=2))
    else:
        torch.save(content, folder / "flow.pt")
    with pytest.raises(UserError, match=r"flow\.pt holds code, or objects that are no tensors\. It was not run"):
        load_speech(folder)
    assert not sign.exists()
    with open(folder / "flow.pt", "rb") as file:  # and it would have run:
        pickle.load(file) if plain else torch.load(file, weights_only=False)
    assert sign.exists()


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("seed: !apply:os.system ['touch it_ran']", "the tag !apply:os.system in line 1"),
        ("more: !new:os.Popen {}", "the tag !new:os.Popen in line 1"),
        ("more: !name:cosyvoice2.flow.decoder_dit.DiT", "the tag !name:"),
        ("more: !!python/object/apply:os.system ['touch it_ran']", "the tag tag:yaml.org,2002:python/object/apply:os.system"),
        ("more: !new:cosyvoice2.flow.decoder_dit.DiT [1]", "without settings"),
        ("a: &a [1]\nb: *a", "an alias in line 2"),
    ],
)
def test_yaml_with_a_constructor_is_refused(tmp_path: Path, line: str, found: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "flow.yaml"
    path.write_text(line + "\n" + YAML, encoding="utf-8")
    with pytest.raises(UserError) as caught:
        read_flow_yaml(path)
    assert found in str(caught.value) and "Nothing was run" in str(caught.value)
    assert not (tmp_path / "it_ran").exists()


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        ("hidden_size: 32", "hidden_size: many", "flow.decoder.estimator.hidden_size: a whole number"),
        ("in_channels: 80", "in_channels: 81", "flow.decoder.estimator.in_channels: only 80"),
        ("'linear'", "'conv'", "flow.encoder.input_layer: only 'linear'"),
        ("up_stride: 2", "up_stride: 4", "flow.encoder.up_stride: only 2"),
        ("attention_heads: 2", "attention_heads: 5", "a multiple of attention_heads"),
        ("    vocab_size: 66\n", "", "flow.vocab_size: a whole number of at least 1 is needed, there is nothing"),
    ],
)
def test_settings_that_cannot_be(tmp_path: Path, before: str, after: str, found: str) -> None:
    path = tmp_path / "flow.yaml"
    path.write_text(YAML.replace(before, after), encoding="utf-8")
    with pytest.raises(UserError) as caught:
        read_flow_yaml(path)
    assert found in str(caught.value)


def test_yaml_that_is_none(tmp_path: Path) -> None:
    path = tmp_path / "flow.yaml"
    for text, found in (("a: [", "can't be read as YAML"), ("- 1", "holds no settings"), ("#" * 70_000, "too long")):
        path.write_text(text, encoding="utf-8")
        with pytest.raises(UserError, match=found):
            read_flow_yaml(path)
    with pytest.raises(UserError, match="is missing"):
        read_flow_yaml(tmp_path / "other.yaml")


def test_shapes_that_differ_are_a_table(tmp_path: Path) -> None:
    folder = _published(tmp_path)
    (folder / "flow.yaml").write_text(YAML.replace("key_bias: true", "key_bias: false").replace("66", "67"), encoding="utf-8")
    with pytest.raises(UserError) as caught:
        load_speech(folder)
    lines = str(caught.value).splitlines()
    assert lines[0].endswith("flow.pt doesn't fit flow.yaml:") and lines[1].split() == [
        "tensor",
        "by",
        "flow.yaml",
        "in",
        "the",
        "file",
    ]
    assert ["encoder.encoders.0.self_attn.linear_k.bias", "nothing", "32"] in [line.split() for line in lines]
    assert ["input_embedding.weight", "67", "x", "32", "66", "x", "32"] in [line.split() for line in lines]
    (folder / "flow.yaml").write_text(YAML.replace("depth: 2", "depth: 3"), encoding="utf-8")
    with pytest.raises(UserError, match="and 12 more"):
        load_speech(folder)


def test_files_that_are_none(tmp_path: Path) -> None:
    folder = _published(tmp_path)
    for content, found in (
        (b"", "can't be read"),
        (b"PK\x03\x04 cut off", "can't be read"),
        (b"\x00" * 100, "It was not run|can't be read"),
    ):
        (folder / "hift.pt").write_bytes(content)
        with pytest.raises(UserError, match=found):
            load_speech(folder)
    torch.save([torch.zeros(1)], folder / "hift.pt")
    with pytest.raises(UserError, match="something else than named tensors"):
        load_speech(folder)
    torch.save({"conv_pre.weight": torch.zeros(1)}, folder / "hift.pt")
    with pytest.raises(UserError, match="no vocoder that is known here"):
        load_speech(folder)
    wrong = _tiny("hift.")
    wrong["f0_predictor.condnet.0.parametrizations.weight.original1"] = torch.ones(12, 20, 5)
    torch.save(wrong, folder / "hift.pt")
    with pytest.raises(UserError, match="neither kind"):
        load_speech(folder)
    (folder / "flow.pt").unlink()
    with pytest.raises(UserError, match=r"flow\.pt is missing"):
        load_speech(folder)
    (tmp_path / "a.safetensors").write_bytes(b"nothing")
    with pytest.raises(UserError, match="as safetensors"):
        read_tensors(tmp_path / "a.safetensors")


def test_a_file_of_an_old_torch(tmp_path: Path) -> None:
    path = tmp_path / "old.pt"
    torch.save({"a": torch.arange(3)}, path, _use_new_zipfile_serialization=False)
    assert read_tensors(path)["a"].tolist() == [0, 1, 2]


def test_constants_that_differ_from_the_code(tmp_path: Path) -> None:
    for name in ("token2wav.json", "token2wav.safetensors"):
        shutil.copy(TINY / name, tmp_path / name)
    values = json.loads((tmp_path / "token2wav.json").read_text(encoding="utf-8"))
    values["hift"]["nsf_sigma"] = 0.5
    (tmp_path / "token2wav.json").write_text(json.dumps(values), encoding="utf-8")
    with pytest.raises(UserError, match=r"hift\.nsf_sigma: only 0\.003"):
        load_speech(tmp_path)
    (tmp_path / "token2wav.json").write_text("[]", encoding="utf-8")
    with pytest.raises(UserError, match="no JSON object"):
        load_speech(tmp_path)
