"""From a folder to a model: what is loaded, what is left, and a sentence for every checkpoint that is broken."""

from __future__ import annotations

import json
import os
import struct
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from checkpoints import SHARDS, copied, edit_json, edit_shard, tiny_folder
from golden import TINY, tiny_config, tiny_weights
from safetensors.torch import load_file, save_file

from ridealong.cloud.model.config import parse_config
from ridealong.cloud.model.inspection import RELEASED, examine, shown
from ridealong.cloud.model.loader import INDEX, Checkpoint, Entry, fill, open_checkpoint
from ridealong.cloud.model.model import UNUSED, believed, judged, load_model, made
from ridealong.cloud.model.tiny_config import TINY as TINY_SIZE
from ridealong.cloud.model.tiny_config import Stack, config_values
from ridealong.cloud.model.tiny_words import numbered
from ridealong.errors import UserError

pytestmark = pytest.mark.model


def test_what_a_loaded_model_is() -> None:
    model = load_model(tiny_folder(), "cpu", torch.float32)
    assert {parameter.dtype for parameter in model.module.parameters()} == {torch.float32}
    assert not any(parameter.requires_grad for parameter in model.module.parameters()) and not model.module.training
    assert not any(value.is_meta for value in (*model.module.parameters(), *model.module.buffers()))
    assert set(model.skipped) == {"tts.model.embed_tokens", "tts.projector_spk"}
    assert model.remarks == () and model.tokens.delegation is not None
    assert model.config.vision is not None and model.config.vision.layers == 2
    assert model.size == 2 * sum(parameter.numel() for parameter in model.module.parameters())
    assert model.gb_per_s > 0 and model.module.tts.head_code[0]._folded is not None
    kept = load_model(tiny_folder())
    assert {parameter.dtype for parameter in kept.module.parameters()} == {torch.bfloat16}
    assert torch.equal(kept.module.llm.lm_head.weight.float(), model.module.llm.lm_head.weight)


def test_the_reference_weights_fit_the_whole_model() -> None:
    checkpoint = open_checkpoint(TINY)
    config, remarks = believed(tiny_config(), checkpoint)
    module = made(config)
    assert judged(module, checkpoint)[0] == () and remarks == ()
    fill(module, checkpoint, "", device="cpu")
    assert torch.equal(module.apm.conv1.weight, tiny_weights("apm.")["conv1.weight"])


def released_config(layers: int = 27) -> dict[str, object]:
    """config.json of the released size (model.md 1)."""
    values = config_values(TINY_SIZE, 151_748, numbered())
    values |= {"hidden_size": 4096, "num_hidden_layers": 36, "intermediate_size": 12_288, "num_attention_heads": 32}
    values |= {"num_key_value_heads": 8, "head_dim": 128, "max_position_embeddings": 40_960, "query_num": 64}
    values |= {"drop_vision_last_layer": False}
    vision = Stack(1152, layers, 4304, 16)
    values["vision_config"] |= {"hidden_size": vision.hidden, "num_hidden_layers": layers, "intermediate_size": vision.ffn}
    values["vision_config"] |= {"num_attention_heads": vision.heads, "image_size": 980}
    values["audio_config"] |= {"d_model": 1024, "encoder_layers": 24, "encoder_ffn_dim": 4096, "encoder_attention_heads": 16}
    values["audio_config"] |= {"max_source_positions": 1500}
    values["tts_config"] |= {"llm_dim": 4096, "hidden_size": 768, "intermediate_size": 3072, "num_hidden_layers": 20}
    values["tts_config"] |= {"num_attention_heads": 12, "num_key_value_heads": 12, "num_audio_tokens": 6562}
    values["tts_config"] |= {"num_text_tokens": 152_064, "audio_bos_token_id": 151_687, "text_eos_token_id": 151_692}
    return values


def released_entries() -> dict[str, Entry]:
    entries = {
        key: Entry("model-00001-of-00001.safetensors", "BF16", tuple(value.shape))
        for key, value in made(parse_config(released_config(), "c")).state_dict().items()
    }
    unused = {"tts.model.embed_tokens.weight": (32_000, 768)}
    for key, shape in (("linear1", (768, 4096)), ("linear2", (768, 768))):
        unused |= {f"tts.projector_spk.{key}.weight": shape, f"tts.projector_spk.{key}.bias": (768,)}
    return entries | {key: Entry("model-00001-of-00001.safetensors", "BF16", shape) for key, shape in unused.items()}


def test_the_released_size_counts_what_is_published(tmp_path: Path) -> None:
    """Headers of 18.7 GB whose tensors are a hole in the file: nothing but headers may be read."""
    entries = released_entries()
    sums = Checkpoint(tmp_path, entries).sums()
    assert {part: counts[:2] for part, counts in sums.items()} == RELEASED
    assert sum(counts[1] for counts in sums.values()) == 9_371_787_666
    header, at = {}, 0
    for key, entry in entries.items():
        header[key] = {"dtype": entry.dtype, "shape": entry.shape, "data_offsets": [at, at + entry.size]}
        at += entry.size
    text = json.dumps(header).encode()
    file = tmp_path / "model-00001-of-00001.safetensors"
    file.write_bytes(struct.pack("<Q", len(text)) + text)
    os.truncate(file, 8 + len(text) + at)
    (tmp_path / INDEX).write_text(json.dumps({"weight_map": dict.fromkeys(entries, file.name)}), encoding="utf-8")
    (tmp_path / "config.json").write_text(json.dumps(released_config(layers=26)), encoding="utf-8")
    report = examine(tmp_path)
    assert [part.verdict for part in report.parts] == ["as released"] * 6
    assert report.remarks[0] == "config.json tells of 26 layers of vision, the files hold 27: 27 are used."
    assert "account" in report.facts
    assert len(report.problems) == 1 and "tokenizer_config.json" in report.problems[0]  # there is none here
    assert "9,371,787,666" in shown(report) and "18.74 GB" in shown(report)


def test_the_files_are_believed() -> None:
    config = tiny_config()
    checkpoint = open_checkpoint(TINY)
    fewer = {key: entry for key, entry in checkpoint.entries.items() if not key.startswith("llm.model.layers.1.")}
    found, remarks = believed(config, Checkpoint(TINY, fewer))
    assert found.language.layers == 1 and "language model, the files hold 1" in remarks[0]
    deaf = {key: entry for key, entry in checkpoint.entries.items() if not key.startswith(("vpm.", "resampler."))}
    found, remarks = believed(config, Checkpoint(TINY, deaf))
    assert found.vision is None and found.resampler is None and "only hears" in remarks[0]
    none = {key: entry for key, entry in checkpoint.entries.items() if not key.startswith("llm.")}
    assert believed(config, Checkpoint(TINY, none))[0].language.layers == 2, "nothing to believe: the account will tell"


def test_an_audio_checkpoint_may_bring_eyes_that_nobody_uses(tmp_path: Path) -> None:
    folder = copied(tmp_path)
    edit_json(folder / "config.json", lambda values: values.update(init_vision=False))
    model = load_model(folder)
    assert model.module.vpm is None
    assert set(model.skipped) == {*(prefix.rstrip(".") for prefix in UNUSED), "vpm", "resampler"}


def test_without_assets_it_writes_codes_only(tmp_path: Path) -> None:
    folder = copied(tmp_path)
    (folder / "assets" / "token2wav" / "token2wav.json").unlink()
    model = load_model(folder)
    assert model.speech is None and "can write speech codes" in model.remarks[0]


Break = Callable[[Path], object]
HEAD = "llm.lm_head.weight"
BROKEN: dict[str, tuple[Break, str]] = {
    "missing shard": (lambda f: (f / SHARDS[1]).unlink(), "model-00002-of-00003.safetensors is missing"),
    "shard cut short": (lambda f: os.truncate(f / SHARDS[0], 100_000), "it was cut short"),
    "missing tensor": (lambda f: edit_shard(f, SHARDS[1], lambda t: t.pop(HEAD)), f"missing  {HEAD}"),
    "wrong shape": (lambda f: edit_shard(f, SHARDS[2], lambda t: t.update({k: t[k][:-1].clone() for k in list(t)[:1]})), "shape"),
    "extra key": (lambda f: edit_shard(f, SHARDS[2], lambda t: t.update({"tts.more.weight": torch.zeros(3)})), "unexpected  tts.more.weight"),
    "whole numbers": (lambda f: edit_shard(f, SHARDS[2], lambda t: t.update({"tts.model.norm.weight": torch.zeros(32, dtype=torch.int64)})), "dtype"),
    "wrong vocab": (lambda f: edit_json(f / "config.json", lambda v: v.update(vocab_size=620)), "llm.model.embed_tokens.weight"),
    "bad config": (lambda f: edit_json(f / "config.json", lambda v: v.update(hidden_size="big")), "hidden_size: a whole number"),
    "no config": (lambda f: (f / "config.json").unlink(), "holds no config.json"),
    "odd units": (lambda f: edit_json(f / "config.json", lambda v: v.update(audio_chunk_length=0.33)), "no whole number of rows"),
    "talker's heads": (lambda f: edit_json(f / "config.json", lambda v: v["tts_config"].update(num_attention_heads=3, num_key_value_heads=3)), "tts_config.hidden_size"),
    "no tokenizer": (lambda f: (f / "tokenizer.json").unlink(), "holds neither tokenizer.json"),
    "tokenizer of another": (lambda f: edit_json(f / "tokenizer.json", lambda v: v["added_tokens"].pop(40)), "The tokenizer of"),
    "flow of another": (lambda f: edit_json(f / "assets/token2wav/token2wav.json", lambda v: v["flow"].update(vocab_size=60)), "doesn't fit token2wav.json"),
    "voice of another": (lambda f: (f / "assets/voice.safetensors").write_bytes(b"voice"), "can't be read as a voice"),
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_checkpoint_is_a_sentence(tmp_path: Path, name: str) -> None:
    folder = copied(tmp_path)
    change, words = BROKEN[name]
    change(folder)
    with pytest.raises(UserError) as error:
        load_model(folder)
    assert words in str(error.value)
    report = examine(folder)
    assert not report.sound and any(words in problem for problem in report.problems)
    assert "WRONG" in shown(report) and "not sound" in shown(report)


def test_a_tokenizer_beyond_the_talkers_rows(tmp_path: Path) -> None:
    folder = copied(tmp_path)
    edit_json(folder / "config.json", lambda v: v["tts_config"].update(num_text_tokens=620))
    key = "tts.emb_text.weight"
    shard = SHARDS[-1] if key in load_file(folder / SHARDS[-1]) else SHARDS[-2]
    edit_shard(folder, shard, lambda t: t.update({key: t[key][:620].clone()}))
    with pytest.raises(UserError, match="goes up to 620, and the talker's text table has 620 rows"):
        load_model(folder)


def test_a_flow_that_knows_fewer_codes_than_the_talker(tmp_path: Path) -> None:
    folder = copied(tmp_path)
    place = folder / "assets" / "token2wav"
    edit_json(place / "token2wav.json", lambda v: v["flow"].update(vocab_size=64))
    tensors = load_file(place / "token2wav.safetensors")
    save_file(
        tensors | {"flow.input_embedding.weight": tensors["flow.input_embedding.weight"][:64].clone()},
        place / "token2wav.safetensors",
    )
    with pytest.raises(UserError, match="writes 65 codes, the flow in .* knows 64"):
        load_model(folder)


def test_one_look_tells_all(tmp_path: Path) -> None:
    folder = copied(tmp_path)
    (folder / "tokenizer.json").unlink()
    edit_shard(folder, SHARDS[2], lambda t: t.update({"more": torch.zeros(3)}))
    report = examine(folder, sums=True)
    assert len(report.problems) == 3  # the account, the tokenizer, the manifest
    assert "speech" in report.facts


@pytest.mark.parametrize(
    ("device", "words"), [(f"cuda:{torch.cuda.device_count()}", "no cuda"), ("abacus", "There is no device")]
)
def test_no_such_device(device: str, words: str) -> None:
    with pytest.raises(UserError, match=words):
        load_model(tiny_folder(), device)
