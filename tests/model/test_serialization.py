"""The order of items: the reference's session, and that what was laid out is read back, whatever was said."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import pytest
import tiny_tokenizer
from golden import case
from hypothesis import given, settings
from hypothesis import strategies as st

from ridealong.cloud.model.serialization import (
    AudioRows,
    Ids,
    ImageRows,
    Item,
    Message,
    Picture,
    Serializer,
    SliceRows,
    Sound,
    cleaned,
    deciding_row,
    rows_of,
)
from ridealong.cloud.model.tokens import DELEGATION_NAMES, PROTOCOL_NAMES, DelegationIds, ProtocolIds, Tokens, check_tokens
from ridealong.cloud.model.transcript import TranscriptError, read

pytestmark = pytest.mark.model


@cache
def _tokens(venus: bool = False) -> Tokens:
    more = tiny_tokenizer.VENUS if venus else ()
    return check_tokens(tiny_tokenizer.make(more), tiny_tokenizer.tokenizer_config(more), 151_752, "made")


def _tiny_id(real: int) -> int:
    """The map of the reference's tiny model (case token_ids)."""
    if real == 128_244:
        return 511
    return 384 + real - 151_643 if real >= 151_643 else real % 384


def _tiny() -> Serializer:
    tokens = _tokens()
    ids = ProtocolIds(**{field: _tiny_id(getattr(tokens.ids, field)) for field in PROTOCOL_NAMES})
    return Serializer(ids, None, lambda text: tuple(map(_tiny_id, tokens.encode(text))), tokens.reserved)


def _calls(items: list[Item], start: int) -> list[Any]:
    """Each item as the reference tells of a call: where it begins, and its ids or the name and count of its rows."""
    out: list[Any] = []
    names = {ImageRows: "image", AudioRows: "audio", SliceRows: "slice"}
    for item in items:
        out.append((start, list(item.ids) if isinstance(item, Ids) else (names[type(item)], item.rows)))
        start += rows_of([item])
    return out


def test_a_session_as_the_reference_feeds_it() -> None:
    golden, layout = case("duplex_sequence").facts, _tiny()
    system = layout.system("Streaming Omni Conversation.", voice_rows=12)
    session: list[tuple[str, list[Item]]] = [("system", system)]
    for unit in golden["units"]:
        items = layout.unit([Picture()] if unit["has_image"] else [], audio_rows=10)
        schema = [item.ids[0] if isinstance(item, Ids) else item.rows for item in items]
        assert schema == [part if isinstance(part, int) else part[1] for part in unit["prefill_schema"]]
        *drawn, terminator, _ = unit["ids"]
        items += [*map(layout.drawn, drawn), layout.close(terminator)]
        session.append((f"unit{unit['unit']}", items))
    start = 0
    for (name, items), part in zip(session, golden["sequence"], strict=True):
        assert name == part["part"]
        want: list[Any] = []
        for entry in part["items"]:
            placeholder = (entry.get("placeholder", "").removeprefix("reference_"), entry.get("count"))
            if entry["call_start"] is None:
                want[-1][1].append(entry["tiny_id"])
            else:
                want.append((entry["call_start"], [entry["tiny_id"]] if "tiny_id" in entry else placeholder))
        assert _calls(items, start) == want
        start += rows_of(items)
        if name != "system":
            assert start == golden["units"][int(name[4:])]["cache_len"]
    prompt, units = read([item for _, items in session for item in items], layout)
    assert prompt.rows == 22 and prompt.voice_rows == 12
    assert [(*unit.drawn, unit.terminator, layout.ids.unit_close) for unit in units] == [
        tuple(unit["ids"]) for unit in golden["units"]
    ]


def test_prefix_suffix_and_marker_are_the_published_ids() -> None:
    encodings, layout = case("token_ids").facts["encodings"], Serializer.of(_tokens())
    first, last = layout.system()
    assert isinstance(first, Ids) and isinstance(last, Ids)
    assert list(first.ids) == encodings["<|im_start|>system\nStreaming Omni Conversation.\n<|audio_start|>"]
    assert list(last.ids) == encodings["<|audio_end|><|im_end|>"]
    longer = layout.system("Streaming Duplex Conversation! You are a helpful assistant.")[0]
    assert isinstance(longer, Ids) and list(longer.ids) in encodings.values()
    assert list(layout.marker()) == encodings["\n\nprevious: "]
    more = layout.system(instructions=" You are a helpful assistant.<unit>")[0]
    assert isinstance(more, Ids) and more.ids[:6] == first.ids[:6] and len(more.ids) > len(first.ids)
    assert layout.ids.unit_open not in more.ids


def test_units_with_slices_text_and_answers() -> None:
    layout, ids = Serializer.of(_tokens(venus=True)), _tokens(venus=True).ids
    items = layout.unit([Picture((1, 2)), Picture()], 10, " a")
    assert [item for item in items if not isinstance(item, Ids)] == [
        ImageRows(0), SliceRows(0, 0), SliceRows(0, 1), ImageRows(1), AudioRows(0, 10)
    ]  # fmt: skip
    assert items[-1] == Ids((264,)) and rows_of(items) == 1 + 4 * 66 + 10 + 1
    assert deciding_row(items) == rows_of(items) - 1
    assert deciding_row(items, reference_parity=True) == rows_of(items) - 2
    assert deciding_row(layout.unit(text=" a a"), reference_parity=True) == 2
    answer = layout.result("<backend> a</backend></unit> assistant", audio_rows=10)
    assert answer == [Ids((ids.unit_open,)), AudioRows(0, 10), Ids((151_750, *layout.text("a assistant"), 151_751))]
    assert rows_of(layout.unit([Picture()], 10)) + 2 == 79  # spec 3.3: a listening second with sight
    with pytest.raises(ValueError, match="must have words"):
        layout.result(" <unit> ")
    with pytest.raises(ValueError, match="no tokens for a backend"):
        Serializer.of(_tokens()).result("a")
    with pytest.raises(ValueError, match="a picture, a sound or a text"):
        layout.unit(text="<unit>")


def test_a_chat() -> None:
    layout, encodings = Serializer.of(_tokens()), case("token_ids").facts["encodings"]
    items = layout.chat(
        [
            Message("system", ("Streaming",)),
            Message("user", (Picture((2, 1)), Sound(7), " a")),
            Message("assistant", (" You<|im_end|>",)),
            Message("user", (Picture(),)),
        ],
        spoken=True,
    )
    assert [item for item in items if not isinstance(item, Ids)] == [
        ImageRows(0), SliceRows(0, 0), SliceRows(0, 1), AudioRows(0, 7), ImageRows(1)
    ]  # fmt: skip
    text = "".join(
        _tokens()._tokenizer.decode(item.ids, skip_special_tokens=False) if isinstance(item, Ids) else "*" for item in items
    )
    assert text == (
        "<|im_start|>system\nStreaming<|im_end|>\n<|im_start|>user\n<image_id>0</image_id><image>*</image><slice>*</slice>\n"
        "<slice>*</slice>\n<|audio_start|>*<|audio_end|>\n a<|im_end|>\n<|im_start|>assistant\n You<|im_end|>\n<|im_start|>user\n"
        "<image_id>1</image_id><image>*</image><|im_end|>\n<|im_start|>assistant\n<think>\n\n</think>\n\n<|tts_bos|>"
    )
    assert isinstance(items[-1], Ids)
    tail = encodings["<|im_end|>\n<|im_start|>assistant\n"] + encodings["<think>\n\n</think>\n\n<|tts_bos|>"]
    assert list(items[-1].ids[1:]) == tail
    for wrong in ([], [Message("assistant", ("a",))], [Message("tool", ("a",)), Message("user", ())]):
        with pytest.raises(ValueError):
            layout.chat(wrong)


NAMES = [*PROTOCOL_NAMES.values(), *DELEGATION_NAMES.values()]


def _plain(text: str) -> tuple[int, ...]:
    """One id for a name, and one for any other character."""
    numbers = {name: getattr(PLAIN.ids, field) for field, name in PROTOCOL_NAMES.items()}
    pieces = re.split("(" + "|".join(map(re.escape, numbers)) + ")", text)
    return tuple(token for piece in pieces for token in ([numbers[piece]] if piece in numbers else [100 + ord(c) for c in piece]))


PLAIN = Serializer(ProtocolIds(*range(1, len(PROTOCOL_NAMES) + 1)), DelegationIds(51, 52, 53, 54), _plain, NAMES)
TEXTS = st.lists(
    st.one_of(st.sampled_from([*NAMES, "<un", "it>", "</", "<|", "im_", "end|>"]), st.text(max_size=3)), max_size=9
).map("".join)


@given(TEXTS)
@settings(deadline=None)
def test_no_name_survives(text: str) -> None:
    clean = cleaned(text, NAMES)
    assert not any(name in clean for name in NAMES)
    assert cleaned(clean, NAMES) == clean


def test_halves_of_a_name_don_t_join() -> None:
    assert cleaned("<un<un<unit>it>it>a<|im_<|listen|>end|>b<", NAMES) == "ab<"
    assert cleaned("\u212b <b>", NAMES) == "\u00c5 <b>"  # composed first, as the tokenizer will


@st.composite
def _unit(draw: st.DrawFn) -> tuple[list[Item], dict[str, Any]]:
    grids = draw(st.lists(st.sampled_from([None, (1, 2), (3, 1)]), max_size=2))
    audio, text, answers = draw(st.integers(0, 12)), draw(TEXTS), draw(st.booleans())
    drawn = draw(st.lists(st.sampled_from([PLAIN.ids.speak, PLAIN.ids.turn_eos, 51, 52, 300, 301]), max_size=5))
    terminator = draw(st.sampled_from([PLAIN.ids.listen, PLAIN.ids.chunk_eos]))
    pictures = [Picture(grid) for grid in grids]
    answers = answers and bool(cleaned(text, NAMES).strip())
    if not (pictures or audio or cleaned(text, NAMES)):
        audio = 1
    items = PLAIN.result(text, pictures, audio) if answers else PLAIN.unit(pictures, audio, text)
    want = {
        "slices": tuple(picture.slices for picture in pictures),
        "audio_rows": audio,
        "text": () if answers else PLAIN.text(text),
        "answer": PLAIN.text(cleaned(text, NAMES).strip()) if answers else (),
        "drawn": tuple(drawn),
        "terminator": terminator,
    }
    return [*items, *map(PLAIN.drawn, drawn), PLAIN.close(terminator)], want


@given(st.integers(0, 30), st.lists(_unit(), max_size=5), st.booleans())
@settings(max_examples=100, deadline=None)
def test_what_was_laid_out_is_read_back(voice: int, units: list[tuple[list[Item], dict[str, Any]]], cut: bool) -> None:
    items = PLAIN.system(voice_rows=voice) + [item for unit, _ in units for item in unit]
    if cut and units:  # the last unit is still open
        items.pop()
        units[-1][1]["terminator"] = None
    prompt, seen = read(items, PLAIN)
    assert (prompt.voice_rows, prompt.rows) == (voice, rows_of(PLAIN.system(voice_rows=voice)))
    assert [{name: getattr(unit, name) for name in want} for unit, (_, want) in zip(seen, units, strict=True)] == [
        w for _, w in units
    ]


@pytest.mark.parametrize(
    "items",
    [
        [],
        [Ids((PLAIN.ids.unit_open,))],
        [*PLAIN.system(), Ids((PLAIN.ids.unit_open,)), Ids((9,), drawn=True)],
        [*PLAIN.system(), Ids((PLAIN.ids.unit_open,)), Ids((PLAIN.ids.image_open,)), AudioRows(0, 3)],
        [*PLAIN.system(), *PLAIN.unit([Picture((1, 1))])[:5], AudioRows(0, 1)],
        [*PLAIN.system(), *PLAIN.unit(audio_rows=1), *PLAIN.unit(audio_rows=1)],
        [*PLAIN.system(), *PLAIN.unit(audio_rows=1), Ids((PLAIN.ids.unit_close, 3), drawn=True)],
        [*PLAIN.system(), *PLAIN.result("a")[:1], Ids((53, 300))],
    ],
)
def test_an_order_that_no_session_has(items: list[Item]) -> None:
    with pytest.raises(TranscriptError, match="has no place there"):
        read(items, PLAIN)
