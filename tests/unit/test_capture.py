"""Delegate spans across any chunking: nothing of a span is ever visible, and chunks change nothing."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ridealong.harness.capture import Capture, Delta, Effect, Rejected, Request, SpanOpened, TurnEnd, VisibleText, Whole
from ridealong.harness.polish import RESERVED, without_reserved
from ridealong.proto.types import Samples

pytestmark = pytest.mark.unit


def run(*chunks: str, end: bool = True) -> list[Effect]:
    capture = Capture()
    effects: list[Effect] = []
    for number, chunk in enumerate(chunks):
        effects += capture.on(Delta(chunk, Samples(number * 100), fence=number))
    return effects + (capture.on(TurnEnd(Samples(10_000))) if end else [])


def visible(effects: list[Effect]) -> str:
    return "".join(effect.text for effect in effects if isinstance(effect, VisibleText))


def told(effects: list[Effect]) -> list[str]:
    return [
        f"ask {effect.text}" if isinstance(effect, Request) else f"no {effect.reason}"
        for effect in effects
        if isinstance(effect, Request | Rejected)
    ]


def test_several_spans_in_a_turn() -> None:
    effects = run("Sure. <delegate>open the window</delegate> And <delegate>set 20</delegate>.")
    assert visible(effects) == "Sure.  And ."
    assert told(effects) == ["ask open the window", "ask set 20"]


def test_the_snapshot_instant_is_the_first_character_of_the_opening_tag() -> None:
    effects = run("ok <del", "ega", "te>do it</dele", "gate>")
    assert [e for e in effects if isinstance(e, SpanOpened)] == [SpanOpened(Samples(0), 0)]
    assert [e for e in effects if isinstance(e, Request)] == [Request("do it", Samples(0), 0)]
    late = run("ok", " <", "delegate>x</delegate>")
    assert [e for e in late if isinstance(e, SpanOpened)] == [SpanOpened(Samples(100), 1)]


def test_a_partial_tag_is_held_back_until_it_is_text() -> None:
    assert visible(run("a <dele", end=False)) == "a "
    assert visible(run("a <dele", "ted> b")) == "a <deleted> b"
    assert visible(run("3 <", end=False)) == "3 "
    assert visible(run("3 <")) == "3 <"


@pytest.mark.parametrize(
    ("text", "shown", "said"),
    [
        ("<delegate>a<delegate>b</delegate>c</delegate>d", "d", ["no nested"]),
        ("x<delegate>never closed", "x", ["no unterminated"]),
        ("x<delegate>", "x", ["no unterminated"]),
        ("x<delegate> \n </delegate>y", "xy", ["no empty"]),
        ("x</delegate>y", "xy", []),
        ("x<deleg", "x", ["no broken_tag"]),
        ("<delegate>" + "a" * 4_000 + "</delegate>", "", ["ask " + "a" * 4_000]),
        ("<delegate>" + "a" * 4_001 + "</delegate>z", "z", ["no too_long"]),
        ("<delegate>a</delegate>" * 9, "", ["ask a"] * 8 + ["no too_many"]),
        ("<delegate>a < b</delegate>", "", ["ask a < b"]),
        ("<delegate>open <|listen|> the window</delegate>b", "b", ["no reserved"]),
        ("<delegate>open<unit> the <|speak|>window</delegate>b", "b", ["ask open the window"]),
        ("a<delegate>open the window<|turn_eos|>b", "ab", ["ask open the window"]),
        ("a<delegate>b<delegate>c<|turn_eos|>d", "ad", ["no nested"]),
        ("a<|turn_eos|>b<BACKEND>c</backend>", "abc", []),
        ("hi </delega</delegate>te> there", "hi </delega te> there", []),
        ("a<|lis", "a", ["no broken_tag"]),
    ],
)
def test_broken_spans_are_withheld_and_reported(text: str, shown: str, said: list[str]) -> None:
    effects = run(text)
    assert (visible(effects), told(effects)) == (shown, said)


def test_a_new_turn_starts_clean() -> None:
    capture = Capture()
    capture.on(Delta("<delegate>half", Samples(0)))
    assert capture.on(TurnEnd(Samples(1))) == [Rejected("unterminated")]
    assert capture.on(Delta("hello", Samples(2))) == [VisibleText("hello")]
    assert capture.rejected == 1


PIECES = st.sampled_from(
    ["<delegate>", "</delegate>", "<", "</", "<dele", "gate>", "go", " ", "3 < 4", "<b>", "车窗", "<|speak|>", "<|turn_eos|>", "<|tu", "<unit>",
     "</Delegate>", "<|LISTEN|>"]
)  # fmt: skip


def reference(text: str) -> str:
    """What is outside every span, by counting whole tags, without its blanks."""
    depth, shown, place = 0, "", 0
    while place < len(text):
        tag = next((one for one in RESERVED if text[place:].lower().startswith(one)), "")
        match tag:
            case "<delegate>":
                depth += 1
            case "</delegate>":
                depth = max(0, depth - 1)
            case "<|turn_eos|>":
                depth = 0
            case "":
                shown += "" if depth else text[place]
        place += len(tag) or 1
    return bare(shown)


def bare(text: str) -> str:
    """A blank stands where two pieces of text would have made a tag."""
    return text.replace(" ", "")


@settings(max_examples=300, deadline=None)
@given(st.lists(PIECES, max_size=12).map("".join), st.data())
@example("<delegate><delegate></delegate>secret</delegate>", None)
def test_chunks_change_nothing_and_nothing_leaks(text: str, data: st.DataObject | None) -> None:
    cuts = (
        [0, len(text)] if data is None else sorted({0, len(text), *data.draw(st.lists(st.integers(0, len(text)), max_size=10))})
    )
    whole = run(text)
    chunked = run(*(text[a:b] for a, b in zip(cuts, cuts[1:], strict=False)))
    letters = run(*text)
    assert visible(chunked) == visible(whole) == visible(letters)
    assert told(chunked) == told(whole) == told(letters)
    assert without_reserved(visible(whole)) == visible(whole)
    shown, outside = bare(visible(whole)), reference(text)
    assert outside.startswith(shown) and len(outside) - len(shown) <= 10  # only a cut tag at the very end may be missing
    assert sum(isinstance(e, SpanOpened) for e in chunked) >= sum(isinstance(e, Request) for e in chunked)


# --- a turn that is sent whole each time: repeated, or with its end withdrawn ------------------------------------------------


def views(*texts: str, turn: int = 1, capture: Capture | None = None) -> list[Effect]:
    capture = capture or Capture()
    return [
        effect
        for number, text in enumerate(texts)
        for effect in capture.on(Whole(turn, text, Samples(number * 100), fence=number))
    ]


ASK = "ok <delegate>open it</delegate> done"


@pytest.mark.parametrize(
    ("texts", "shown", "said"),
    [
        (["ok", ASK, ASK], "ok  done", ["ask open it"]),  # repeated
        ([ASK, "", "ok", ASK, ASK + "."], "ok  done.", ["ask open it"]),  # read again from the beginning after a resume
        ([ASK, "ok <dele", ASK + "."], "ok  done.", ["ask open it"]),  # the end withdrawn, and sent again
        (["ok <dele", "ok ", "ok no."], "ok no.", []),  # held back and withdrawn: it was never there
        (["ok <delegate>open", "ok ", "ok never mind"], "ok never mind", []),  # a span withdrawn before it was closed
        (["ok <delegate>open it", "ok <delegate>open", "ok <delegate>open all</delegate>"], "ok ", ["ask open all"]),
        (["<delegate>a<delegate>", "<delegate>a", "<delegate>ab</delegate>"], "", ["ask ab"]),  # what poisoned it withdrawn
        (
            [ASK, "ok <delegate>open all</delegate>"],
            "ok  done",
            ["ask open it", "no withdrawn"],
        ),  # what was asked for can't be taken back …
        (
            [ASK, "no", ASK, ASK + "<delegate>more</delegate>"],
            "ok  done",
            ["ask open it", "no withdrawn"],
        ),  # … and the rest is withheld
        (["<dele<delegate>a", "<delegate>secret</delegate>"], "<dele", ["no withdrawn"]),  # what was shown now begins a tag
        (["x" * 65_537], "", ["no too_long"]),
    ],
)
def test_a_stream_that_is_repeated_or_withdrawn(texts: list[str], shown: str, said: list[str]) -> None:
    effects = views(*texts)
    assert (visible(effects), told(effects)) == (shown, said)


def test_the_snapshot_of_a_span_whose_end_is_rewritten_stays_that_of_its_opening() -> None:
    effects = views("ok <dele", "ok <delegate>op", "ok <delegate>o", "ok <delegate>other</delegate>")
    assert [e for e in effects if isinstance(e, SpanOpened | Request)] == [
        SpanOpened(Samples(0), 0),
        Request("other", Samples(0), 0),
    ]
    moved = views("a <delegate>x", "a ", "a b <delegate>y</delegate>")
    assert [e.at for e in moved if isinstance(e, SpanOpened | Request)] == [0, 200, 200]


def test_a_turn_that_is_over_is_not_read_again() -> None:
    capture = Capture()
    assert told(views(ASK, capture=capture) + capture.on(TurnEnd(Samples(900)))) == ["ask open it"]
    assert views("", "ok", ASK, ASK + " more", capture=capture) == [] and capture.ignored == 4
    assert told(views("<delegate>next", turn=2, capture=capture)) == []
    assert told(views("<delegate>third</delegate>", turn=3, capture=capture)) == ["no unterminated", "ask third"]
    assert views(ASK, turn=2, capture=capture) == []


@settings(max_examples=300, deadline=None)
@given(st.lists(PIECES, max_size=12).map("".join), st.lists(st.integers(0, 80), max_size=20), st.booleans())
def test_repeating_and_shrinking_change_nothing(text: str, ends: list[int], again: bool) -> None:
    """Any walk over beginnings of a text, forth and back, ends as if the text had been read once."""
    capture = Capture()
    walk = [text[:end] for end in ends] + [text] + ([text[:end] for end in ends] + [text] if again else [])
    effects = views(*walk, capture=capture) + capture.on(TurnEnd(Samples(10_000)))
    assert (visible(effects), told(effects)) == (visible(run(text)), told(run(text)))


@settings(max_examples=400, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 60), st.lists(PIECES, max_size=5).map("".join)), max_size=8))
def test_whatever_is_withdrawn_nothing_leaks_and_nothing_is_asked_that_was_not_there(steps: list[tuple[int, str]]) -> None:
    """Each step withdraws the end of the text and goes on differently."""
    texts = [""]
    for keep, more in steps:
        texts.append(texts[-1][:keep] + more)
    capture = Capture()
    effects = views(*texts[1:], capture=capture) + capture.on(TurnEnd(Samples(10_000)))
    requests = [effect.text for effect in effects if isinstance(effect, Request)]
    assert any(reference(text).startswith(bare(visible(effects))) for text in texts), (
        "what was shown is the outside of one of the texts"
    )
    asked = [told(run(text)) for text in texts]
    assert any(
        [f"ask {r}" for r in requests] == [line for line in lines if line.startswith("ask")][: len(requests)] for lines in asked
    )
