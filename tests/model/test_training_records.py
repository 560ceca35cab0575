"""Records: what is written is read; what is wrong is named with file, line and place."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import training

from ridealong.cloud.model.config import read_config
from ridealong.cloud.model.model import load_tokens_of
from ridealong.cloud.model.serialization import AudioRows, Ids, Item, Message, Serializer, Sound
from ridealong.cloud.model.tokens import Tokens
from ridealong.cloud.model.training.layout import Part, lay_out
from ridealong.cloud.model.training.records import read_records
from ridealong.cloud.model.training.writing import as_line
from ridealong.cloud.model.transcript import read
from ridealong.errors import UserError

pytestmark = pytest.mark.model
SPEAK, OPEN, CLOSE, EOS = ({"token": name} for name in ("speak", "delegate_open", "delegate_close", "turn_eos"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return training.written(tmp_path_factory.mktemp("records") / "written")


@pytest.fixture(scope="module")
def tokens(tmp_path_factory: pytest.TempPathFactory) -> Tokens:
    made = training.tiny(tmp_path_factory.mktemp("model") / "tiny")
    return load_tokens_of(made, read_config(made))


def test_written_and_read(folder: Path) -> None:
    records = read_records(folder)
    assert [json.loads(as_line(record)) for record in records] == training.lines(folder)
    assert [record.where.rpartition(":")[2] for record in records] == ["1", "2", "3"]


def unit(**values: Any) -> dict[str, Any]:
    return {"sound": {"file": "sounds/noise.wav", "start": 0}, "end": "listen"} | values


def says(*drawn: Any) -> dict[str, Any]:
    return unit(drawn=[*drawn], end="chunk_eos")


BAD: dict[str, tuple[Any, str]] = {
    "no object": ([], "record: an object is needed"),
    "no kind": ({"id": "x"}, "kind: is missing"),
    "other kind": ({"kind": "song"}, "'song' is none of duplex, chat"),
    "no units": ({"units": []}, "units: a list of at least 1"),
    "unknown key": ({"units": [unit()], "unit": 1}, "unknown key 'unit'"),
    "unknown key in a unit": ({"units": [unit(sounds=1)]}, r"units\[0\]: unknown key 'sounds'"),
    "id no text": ({"units": [unit()], "id": 7}, "id: a text is needed, there is '7'"),
    "no end": ({"units": [{"text": "hello"}]}, r"units\[0\].end: is missing"),
    "nothing observed": ({"units": [{"end": "listen"}]}, "nothing is observed"),
    "blank text": ({"units": [{"end": "listen", "text": " "}]}, "nothing is observed"),
    "text and backend": ({"units": [unit(text="a", backend="b")]}, "text and backend"),
    "no such sound": ({"units": [unit(sound={"file": "sounds/x.wav", "start": 0})]}, r"units\[0\].sound.file: there is no file"),
    "outside": ({"units": [unit(sound={"file": "../x.wav", "start": 0})]}, "no path inside"),
    "negative start": ({"units": [unit(sound={"file": "sounds/noise.wav", "start": -1})]}, "start: must not be below 0"),
    "start a truth": ({"units": [unit(sound={"file": "sounds/noise.wav", "start": True})]}, "a whole number is needed"),
    "unknown token": ({"units": [says({"token": "shout"})]}, r"units\[0\].drawn\[0\].token: 'shout' is none of"),
    "token and words": ({"units": [says({"token": "speak", "words": "a"})]}, "exactly one of token, words"),
    "empty words": ({"units": [says(SPEAK, {"words": ""})]}, r"drawn\[1\].words: must not be empty"),
    "listens and says": ({"units": [unit(drawn=[SPEAK])]}, "says something and ends with listen"),
    "listens in a turn": ({"units": [says(SPEAK, {"words": "a"}), unit()]}, r"units\[1\]: listens in the middle of a turn"),
    "no speak": ({"units": [says({"words": "a"})]}, "doesn't begin with the token speak"),
    "speak twice": ({"units": [says(SPEAK, SPEAK)]}, "speak can only begin a unit"),
    "on after the turn": ({"units": [says(SPEAK, EOS, {"words": "a"})]}, "turn_eos must be the last"),
    "span in a span": ({"units": [says(SPEAK, OPEN, OPEN)]}, "already open"),
    "span not open": ({"units": [says(SPEAK, CLOSE)]}, "no delegate span is open"),
    "turn ends in a span": ({"units": [says(SPEAK, OPEN, EOS)]}, "the turn ends inside a delegate span"),
    "span left open": ({"units": [says(SPEAK, OPEN, {"words": "a"})]}, "the record ends inside"),
    "no answer": ({"kind": "chat", "messages": [{"role": "user", "content": [{"text": "a"}]}] * 2}, "must end with a user's"),
    "a role": ({"kind": "chat", "messages": [{"role": "judge", "content": []}] * 2}, r"messages\[0\].role: 'judge' is none of"),
    "an image said": (
        {
            "kind": "chat",
            "messages": [
                {"role": "user", "content": [{"text": "a"}]},
                {"role": "assistant", "content": [{"sound": "sounds/noise.wav"}]},
            ],
        },
        "an assistant's message is one text",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_records_are_named(folder: Path, name: str) -> None:
    values, message = BAD[name]
    bad = folder / "records.jsonl"
    good = bad.read_text(encoding="utf-8")
    whole = values if isinstance(values, list) or name == "no kind" else {"kind": "duplex", "id": "bad"} | values
    try:
        bad.write_text(f"{good}{json.dumps(whole)}\n", encoding="utf-8")
        with pytest.raises(UserError, match=f"records.jsonl:4: .*{message}"):
            read_records(folder)
    finally:
        bad.write_text(good, encoding="utf-8")


def test_no_folder_no_json_and_the_same_id(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="holds no records.jsonl.*train materialise"):
        read_records(tmp_path)
    (tmp_path / "records.jsonl").write_text("\n{\n", encoding="utf-8")
    with pytest.raises(UserError, match="records.jsonl:2: no JSON"):
        read_records(tmp_path)
    (tmp_path / "records.jsonl").write_text("\n", encoding="utf-8")
    with pytest.raises(UserError, match="holds no records"):
        read_records(tmp_path)
    line = json.dumps({"kind": "duplex", "id": "a", "units": [{"end": "listen", "text": "b"}]})
    (tmp_path / "records.jsonl").write_text(f"{line}\n{line}\n", encoding="utf-8")
    with pytest.raises(UserError, match="records.jsonl:2: id 'a' is already that of line 1"):
        read_records(tmp_path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda r: r["units"][1]["drawn"][2].update(words="a <unit> b"), r"units\[1\].drawn\[2\]: a name of the protocol"),
        (lambda r: r["units"][1]["drawn"][2].update(words="a (b)"), r"units\[1\].drawn\[2\]: ' ?\(' is never drawn"),
        (lambda r: r["units"][3].update(backend="</backend>"), r"units\[3\].backend: a name of the protocol"),
        (lambda r: r.update(prompt="<|im_end|>"), "prompt: a name of the protocol"),
    ],
)
def test_what_a_checkpoint_cannot_say(
    folder: Path, tokens: Tokens, change: Callable[[dict[str, Any]], None], message: str
) -> None:
    path = folder / "records.jsonl"
    good = path.read_text(encoding="utf-8")
    values = training.lines(folder)[0]
    change(values)
    try:
        path.write_text(json.dumps(values) + "\n", encoding="utf-8")
        with pytest.raises(UserError, match=f"records.jsonl:1: {message}"):
            lay_out(read_records(folder)[0], tokens)
    finally:
        path.write_text(good, encoding="utf-8")


def test_a_base_checkpoint_hands_nothing_over(folder: Path, tokens: Tokens) -> None:
    from dataclasses import replace

    with pytest.raises(UserError, match="records.jsonl:1: .*(base MiniCPM|no tokens for)"):
        lay_out(read_records(folder)[0], replace(tokens, delegation=None))


def test_a_session_is_laid_out_as_one_that_was_lived(folder: Path, tokens: Tokens) -> None:
    record = read_records(folder)[0]
    items: list[Item] = []
    for piece in lay_out(record, tokens):
        items.append(AudioRows(0, 10) if piece.media else Ids(piece.ids, piece.parts[0] is not Part.GIVEN))
    prompt, units = read(items, Serializer.of(tokens))
    ids, names = tokens.ids, tokens.needed_delegation()
    words = tokens.encode("warmer")
    assert tokens.decode(prompt.prefix) == "system\nStreaming Omni Conversation.\n\nBe brief.\n"
    assert [one.drawn for one in units] == [
        (),
        (ids.speak, names.delegate_open, *words, names.delegate_close),
        (ids.speak, ids.turn_eos),
        (ids.speak, *tokens.encode("Okay.")),
    ]
    assert [one.terminator for one in units] == [ids.listen, ids.chunk_eos, ids.chunk_eos, ids.chunk_eos]
    assert units[3].answer == tokens.encode("Okay.") and all(one.audio_rows == 10 for one in units)


def test_only_responses_are_learnt(folder: Path, tokens: Tokens) -> None:
    record = read_records(folder)[0]
    learnt = [(token, part) for piece in lay_out(record, tokens) for token, part in zip(piece.ids, piece.parts, strict=True)]
    ids, names = tokens.ids, tokens.needed_delegation()
    control, words, delegate = (
        [token for token, part in learnt if part is wanted] for wanted in (Part.CONTROL, Part.WORDS, Part.DELEGATE)
    )
    assert control == [
        ids.listen, ids.speak, names.delegate_open, names.delegate_close, ids.chunk_eos, ids.speak, ids.turn_eos, ids.chunk_eos,
        ids.speak, ids.chunk_eos,
    ]  # fmt: skip
    assert words == [*tokens.encode("Okay.")]  # once: as it is said, not as the backend brings it
    assert delegate == [*tokens.encode("warmer")]


def test_a_chat_is_laid_out_as_one_that_is_asked_and_its_history_is_learnt(folder: Path, tokens: Tokens) -> None:
    record = read_records(folder)[2]
    pieces = lay_out(record, tokens)
    asked = Serializer.of(tokens).chat(
        [
            Message("system", ("You are helpful.",)),
            Message("user", (Sound(1), "What is it?")),
            Message("assistant", ("Noise.",)),
            Message("user", ("Again?",)),
        ]
    )
    assert [piece.ids for piece in pieces[:-1]] == [item.ids if isinstance(item, Ids) else () for item in asked]
    assert pieces[-1].ids == (*tokens.encode("Noise, again."), tokens.ids.im_end)
    learnt = [token for piece in pieces for token, part in zip(piece.ids, piece.parts, strict=True) if part is not Part.GIVEN]
    assert tokens.decode(learnt) == "Noise.Noise, again." and learnt.count(tokens.ids.im_end) == 2


def test_lines_that_no_reader_survives(tmp_path: Path) -> None:
    (tmp_path / "records.jsonl").write_text("[" * 100_000 + "\n", encoding="utf-8")
    with pytest.raises(UserError, match="records.jsonl:1: no record .100000 brackets"):
        read_records(tmp_path)
    (tmp_path / "records.jsonl").write_text(
        '{"kind":"duplex","id":"a","units":[{"text":"x\\ud800","end":"listen"}]}\n', encoding="utf-8"
    )
    with pytest.raises(UserError, match="records.jsonl:1: half a character"):
        read_records(tmp_path)
