"""Ids by name: the published numbers, the published encodings, and what is said of a tokenizer that doesn't fit."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import pytest
import tiny_tokenizer
from golden import case
from tokenizers import Tokenizer, models

from ridealong.cloud.model.tokens import DELEGATION_NAMES, PROTOCOL_NAMES, Tokens, check_tokens, read_tokens
from ridealong.errors import UserError

pytestmark = pytest.mark.model
ROWS = 151_752


@cache
def _base() -> Tokens:
    return check_tokens(tiny_tokenizer.make(), tiny_tokenizer.tokenizer_config(), ROWS, "base")


def test_the_published_ids() -> None:
    facts = case("token_ids").facts
    tokens = _base()
    for field, name in PROTOCOL_NAMES.items():
        assert getattr(tokens.ids, field) == facts["real"][name]
    assert set(facts["real"]) - {"<unk>"} <= set(tokens.reserved)
    assert tokens.added == frozenset(facts["real"].values())
    for text, ids in facts["encodings"].items():
        assert list(tokens.encode(text)) == ids, text
    assert tokens.decode([151_706, 8_948, 220, 151_717, 85_225]) == "system  Omni"
    assert tokens.ordinary([151_706, 8_948, 151_717]) == (8_948,)


def test_a_base_checkpoint_says_that_it_can_t_delegate() -> None:
    tokens = _base()
    assert tokens.delegation is None and "ridealong model chat" in tokens.remarks[0]
    assert len(tokens.encode("<delegate>")) > 1  # it would split the name, silently
    with pytest.raises(UserError, match="Use a Realtime-Venus checkpoint"):
        tokens.needed_delegation()


def test_from_either_kind_of_files(tmp_path: Path) -> None:
    pair, whole = tmp_path / "pair", tmp_path / "whole"
    pair.mkdir()
    whole.mkdir()
    tiny_tokenizer.write_pair(pair, tiny_tokenizer.VENUS)
    tiny_tokenizer.make(tiny_tokenizer.VENUS).save(str(whole / "tokenizer.json"))
    (whole / "tokenizer_config.json").write_text(json.dumps(tiny_tokenizer.tokenizer_config(tiny_tokenizer.VENUS)))
    first, second = read_tokens(pair, ROWS), read_tokens(whole, ROWS)
    assert (first.ids, first.delegation, first.banned, first.added) == (
        second.ids, second.delegation, second.banned, second.added
    )  # fmt: skip
    assert first.needed_delegation().backend_close == 151_751
    assert not first.remarks
    for text in [*case("token_ids").facts["encodings"], "<backend> a</backend>\n"]:
        assert first.encode(text) == second.encode(text)
    with pytest.raises(UserError, match="it has 151752 tokens, and the model only 151748 rows"):
        check_tokens(second._tokenizer, {}, 151_748, "small")


def _small(names: list[str]) -> Tokenizer:
    made = Tokenizer(models.BPE(vocab={"<unk>": 0, "a": 1, "b": 2, "(": 3}, merges=[]))
    made.add_tokens(names)
    return made


ALL = [*PROTOCOL_NAMES.values(), *DELEGATION_NAMES.values()]


def test_all_that_is_wrong_is_said_at_once() -> None:
    settings = {"unk_token": {"content": "<unk>"}, "bad_token_ids": [3, 4], "added_tokens_decoder": {"9": "<|im_start|>"}}
    with pytest.raises(UserError) as failed:
        check_tokens(_small(ALL[:-1]), settings, 20, "small")
    text = str(failed.value)
    assert "it has 27 tokens, and the model only 20 rows" in text
    assert "it lacks </backend>: all or none are needed" in text
    assert "<|im_start|> is 4 in it, and 9 in its tokenizer_config.json" in text
    assert "bad_token_ids forbids <|im_start|>" in text
    assert "<|tts_pad|> is 23, and the model has 20 rows" in text


def test_a_missing_name() -> None:
    with pytest.raises(UserError, match=r"<\|listen\|> is unknown to it"):
        check_tokens(_small([name for name in ALL if name != "<|listen|>"]), {"bad_token_ids": []}, 99, "small")


def test_a_name_that_a_text_splits() -> None:
    made = Tokenizer(models.BPE(vocab={"<unk>": 0, "<unit>": 1, "<": 2, "u": 3, "n": 4, "i": 5, "t": 6, ">": 7}, merges=[]))
    made.add_tokens([name for name in ALL if name != "<unit>"])
    with pytest.raises(UserError, match=r"<unit> is 1, but in a text it is split into \[2, 3, 4, 5, 6, 7\]"):
        check_tokens(made, {"bad_token_ids": []}, 99, "small")


def test_one_id_for_two_names() -> None:
    class Twin:
        def __getattr__(self, name: str) -> object:
            return getattr(real, name)

        def token_to_id(self, text: str) -> int | None:
            return real.token_to_id(text.replace("listen", "speak"))

        def encode(self, text: str, *, add_special_tokens: bool) -> object:
            return real.encode(text.replace("listen", "speak"), add_special_tokens=add_special_tokens)

    real = _small(ALL)
    with pytest.raises(UserError, match=r"<\|speak\|> and <\|listen\|> are both 17"):
        check_tokens(Twin(), {}, 99, "twin")


def test_no_list_of_banned_ids_is_remarked() -> None:
    assert "no bad_token_ids" in check_tokens(_small(ALL), {}, 99, "small").remarks[0]
    for wrong in ("3", [3, "4"], [99]):
        with pytest.raises(UserError, match="bad_token_ids: a list of ids below 28"):
            check_tokens(_small(ALL), {"bad_token_ids": wrong}, 99, "small")


def test_files_that_can_t_be_read(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"holds no tokenizer_config.json"):
        read_tokens(tmp_path, 99)
    (tmp_path / "tokenizer_config.json").write_text("{}")
    with pytest.raises(UserError, match="holds neither tokenizer.json nor vocab.json"):
        read_tokens(tmp_path, 99)
    (tmp_path / "tokenizer.json").write_text("{")
    with pytest.raises(UserError, match="can't be read"):
        read_tokens(tmp_path, 99)
