"""What a config.json says, and what is said of one that doesn't fit."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from golden import TINY, tiny_config

from ridealong.cloud.model.config import parse_config, read_config
from ridealong.errors import UserError

pytestmark = pytest.mark.model


def _values() -> dict[str, Any]:
    values: dict[str, Any] = json.loads((TINY / "config.json").read_text(encoding="utf-8"))
    return values


def test_the_tiny_checkpoint() -> None:
    config = tiny_config()
    assert (config.language.hidden, config.language.kv_heads, config.language.rope_theta) == (256, 2, 1e6)
    assert config.vision is not None and config.vision.positions_side == 70 and config.vision.drop_last_layer
    assert config.resampler is not None and config.resampler.heads == 2
    assert config.talker.end_code == 65


def test_theta_of_transformers_5() -> None:
    values = _values()
    del values["rope_theta"]
    values["rope_parameters"] = {"rope_type": "default", "rope_theta": 500_000.0}
    assert parse_config(values, "c").language.rope_theta == 500_000.0


def test_theta_is_never_guessed() -> None:
    values = _values()
    del values["rope_theta"]
    with pytest.raises(UserError, match="rope_theta: a number above 0 is needed, there is nothing"):
        parse_config(values, "c")


def test_all_that_does_not_fit_is_said_at_once() -> None:
    values = _values() | {"hidden_size": "big", "num_key_value_heads": 3, "model_type": "llava"}
    del values["audio_config"]
    with pytest.raises(UserError) as error:
        parse_config(values, "some/config.json")
    for part in ("some/config.json", "hidden_size", "multiple of num_key_value_heads", "model_type", "audio_config: an object"):
        assert part in str(error.value)


def test_a_checkpoint_that_only_hears() -> None:
    config = parse_config(_values() | {"init_vision": False}, "c")
    assert config.vision is None and config.resampler is None


@pytest.mark.parametrize("content", ["", "[]", "{", "\x00"])
def test_rubbish_files(tmp_path: Path, content: str) -> None:
    (tmp_path / "config.json").write_text(content, encoding="utf-8")
    with pytest.raises(UserError, match="Fetch the checkpoint again"):
        read_config(tmp_path)


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="holds no config.json"):
        read_config(tmp_path)
