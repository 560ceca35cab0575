"""Into how many tiles a chat by turns cuts a picture: as the checkpoint's file for it says, or as is asked for."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from checkpoints import copied, edit_json
from test_chat import image

from ridealong.cli import main
from ridealong.cloud.model.config import PROCESSOR, offline_slices, read_config
from ridealong.cloud.model.images import cut
from ridealong.cloud.model.model import load_model

pytestmark = pytest.mark.model


def rows_of_chat(folder: Path, to: Path, *arguments: str) -> int:
    image(size=(500, 300)).save(to / "large.png")
    asked = ["--text", "hm", "--image", str(to / "large.png"), "--max-tokens", "1", "--json", str(to / "o.json"), *arguments]
    assert main(["model", "chat", str(folder), "--device", "cpu", *asked]) == 0
    return int(json.loads((to / "o.json").read_text(encoding="utf-8"))["rows"])


def test_a_large_picture_has_the_tiles_that_the_processors_file_says(tmp_path: Path) -> None:
    folder = copied(tmp_path)
    config = read_config(folder)
    assert config.image.max_slices == 1 and offline_slices(folder) == 9
    assert len(cut(image(size=(500, 300)), replace(config.image, max_slices=9)).tiles) == 8
    whole = rows_of_chat(folder, tmp_path, "--slices", "1")
    assert rows_of_chat(folder, tmp_path) >= whole + 8 * 6
    assert whole < rows_of_chat(folder, tmp_path, "--slices", "4") < rows_of_chat(folder, tmp_path)
    edit_json(folder / PROCESSOR, lambda values: values.update(max_slice_nums=2))
    assert whole < rows_of_chat(folder, tmp_path) <= whole + 2 * 6 + 2
    edit_json(folder / PROCESSOR, lambda values: values.pop("max_slice_nums"))
    assert rows_of_chat(folder, tmp_path) == whole
    (folder / PROCESSOR).unlink()
    assert rows_of_chat(folder, tmp_path) == whole and offline_slices(folder) is None


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("{", "can't be read as JSON"),
        ("[9]", "holds no JSON object"),
        ('{"max_slice_nums": "9"}', "max_slice_nums: a whole number of at least 1 is needed, there is '9'"),
        ('{"max_slice_nums": 0}', "whole number of at least 1"),
        ('{"max_slice_nums": 2.5}', "whole number of at least 1"),
        ('{"max_slice_nums": true}', "whole number of at least 1"),
        ('{"max_slice_nums": null}', "whole number of at least 1"),
        ('{"max_slice_nums": 65}', "at most 64 is possible"),
    ],
)
def test_a_processors_file_that_cannot_be(text: str, why: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It concerns pictures alone, and `--slices` does without it; a live session never reads it."""
    folder = copied(tmp_path)
    (folder / PROCESSOR).write_text(text, encoding="utf-8")
    image().save(tmp_path / "a.png")
    asked = ["model", "chat", str(folder), "--text", "hm", "--device", "cpu", "--max-tokens", "1"]
    assert main([*asked, "--image", str(tmp_path / "a.png")]) == 2
    told = capsys.readouterr().err
    assert why in told and PROCESSOR in told
    assert main(asked) == main([*asked, "--image", str(tmp_path / "a.png"), "--slices", "3"]) == 0
    assert load_model(folder).config.image.max_slices == 1
