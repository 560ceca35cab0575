"""Checkpoints made to break the loader: each is told of in one sentence, or loads; nothing else is raised."""

from __future__ import annotations

import json
import random
import struct
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from checkpoints import SHARDS, copied, edit_json, edit_shard
from safetensors.torch import load_file, save_file
from test_engine import SETTINGS, engine, loaded

from ridealong.cloud.model.assets import read_flow_yaml
from ridealong.cloud.model.engine import EngineError
from ridealong.cloud.model.inspection import examine
from ridealong.cloud.model.model import load_model
from ridealong.errors import UserError

pytestmark = pytest.mark.model
DEEP = "[" * 100_000 + "]" * 100_000
SPEECH_JSON = "assets/token2wav/token2wav.json"


@pytest.mark.parametrize(
    "name", ["config.json", "tokenizer_config.json", "tokenizer.json", "model.safetensors.index.json", SPEECH_JSON]
)
def test_json_nested_without_end(name: str, tmp_path: Path) -> None:
    folder = copied(tmp_path)
    (folder / name).write_text(DEEP, encoding="utf-8")
    with pytest.raises(UserError, match="can't be read"):
        load_model(folder)
    assert not examine(folder).sound


def test_a_header_and_a_yaml_nested_without_end(tmp_path: Path) -> None:
    folder = copied(tmp_path)
    (folder / SHARDS[1]).write_bytes(struct.pack("<Q", len(DEEP)) + DEEP.encode())
    with pytest.raises(UserError, match="no safetensors file"):
        load_model(folder)
    (tmp_path / "flow.yaml").write_text("[" * 30_000, encoding="utf-8")
    with pytest.raises(UserError):
        read_flow_yaml(tmp_path / "flow.yaml")


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
@pytest.mark.parametrize("part", ["model", "speech"])
def test_weights_that_are_no_numbers_are_not_loaded(value: float, part: str, tmp_path: Path) -> None:
    folder = copied(tmp_path)

    def spoil(tensors: dict[str, Any]) -> None:
        next(iter(tensors.values())).view(-1)[-1] = value

    if part == "model":
        edit_shard(folder, SHARDS[2], spoil)
    else:
        path = folder / "assets/token2wav/token2wav.safetensors"
        tensors = load_file(path)
        spoil(tensors)
        save_file(tensors, path)
    with pytest.raises(UserError, match="hold NaN or infinity"):
        load_model(folder)


def test_a_voice_longer_than_can_be_heard() -> None:
    voice = loaded().voice
    assert voice is not None
    made = engine()
    for seconds in (9, 31):
        with pytest.raises(EngineError, match="a clip has"):
            made.open(0, SETTINGS, replace(voice, samples=torch.zeros(16_000 * seconds) + 0.1))
    made.open(0, SETTINGS)


@pytest.mark.parametrize("value", [2**31 - 1, 2**63, 10**30])
@pytest.mark.parametrize(
    "name", ["vocab_size", "num_hidden_layers", "tts_config.num_hidden_layers", "audio_config.encoder_layers"]
)
def test_numbers_too_large_are_told_before_anything_is_made(name: str, value: int, tmp_path: Path) -> None:
    folder = copied(tmp_path)
    *parts, last = name.split(".")

    def change(values: dict[str, Any]) -> None:
        for part in parts:
            values = values[part]
        values[last] = value

    edit_json(folder / "config.json", change)
    with pytest.raises(UserError, match="at most|not those that its config"):
        load_model(folder)
    assert not examine(folder).sound


def _spoil_json(path: Path, draw: random.Random) -> None:
    values = json.loads(path.read_text(encoding="utf-8"))
    place: Any = values
    while isinstance(place, dict) and place:
        key = draw.choice(sorted(place)[:60])
        if not (isinstance(place[key], dict) and place[key]) or draw.random() < 0.2:
            place[key] = draw.choice([None, -1, 0, 1, 1.5, 1e400, 10**30, 2**63, "x", [], {}, True, [1], -5.0, float("nan"), 3])
            break
        place = place[key]
    path.write_text(json.dumps(values), encoding="utf-8")


def _spoil_bytes(path: Path, draw: random.Random) -> None:
    data = bytearray(path.read_bytes())
    match draw.randrange(4):
        case 0:
            data[:8] = struct.pack("<Q", draw.choice([0, 1, 2**63, 2**64 - 1, len(data), len(data) - 8]))
        case 1:
            for _ in range(3):
                data[draw.randrange(min(len(data), 2_000))] = draw.randrange(256)
        case 2:
            data = data[: draw.randrange(len(data))]
        case _:
            length = struct.unpack("<Q", data[:8])[0]
            header = json.loads(data[8 : 8 + length])
            entry = header[draw.choice(sorted(key for key in header if key != "__metadata__"))]
            field = draw.choice(["dtype", "shape", "data_offsets"])
            entry[field] = draw.choice([None, "F99", "I8", [], [-1, 2], [2**62, 4], [0, 2**63], [5, 1], {}, [1.5, 2], [True, 1]])
            text = json.dumps(header).encode()
            data = bytearray(struct.pack("<Q", len(text))) + text + data[8 + length :]
    path.write_bytes(bytes(data))


@pytest.mark.parametrize("seed", range(3))
def test_spoilt_files(seed: int, tmp_path: Path) -> None:
    """400 rounds found numbers too large for a tensor (below) and nothing else; these few are kept."""
    draw = random.Random(seed)
    texts = ("config.json", "tokenizer_config.json", "model.safetensors.index.json", SPEECH_JSON, "tokenizer.json")
    tensors = (*SHARDS, "assets/voice.safetensors", "assets/token2wav/token2wav.safetensors")
    for number in range(6):
        folder = copied(tmp_path / str(number))
        if draw.random() < 0.6:
            _spoil_json(folder / draw.choice(texts), draw)
        else:
            _spoil_bytes(folder / draw.choice(tensors), draw)
        examine(folder)
        try:
            load_model(folder)
        except UserError:
            continue
