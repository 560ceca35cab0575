"""Delegate spans in token ids: only reserved ids are tags, however the list grows, and half a character is waited for."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ridealong.harness.capture import Capture, Effect, Rejected, Request, SpanOpened, TurnEnd, VisibleText
from ridealong.harness.capture_tokens import TokenText
from ridealong.harness.polish import without_reserved
from ridealong.proto.types import Samples

pytestmark = pytest.mark.unit

OPEN, CLOSE, TURN_END, SPEAK, LISTEN, PAD = 300, 301, 302, 303, 304, 310
NAMES = {OPEN: "<delegate>", CLOSE: "</delegate>", TURN_END: "<|turn_eos|>", SPEAK: "<|speak|>", LISTEN: "<|listen|>"}


def decode(ids: Sequence[int]) -> str:
    """Ordinary ids are bytes of UTF-8."""
    return bytes(ids).decode("utf-8", errors="replace")


TEXT = TokenText(NAMES, frozenset({PAD}), decode)


def spelt(text: str) -> list[int]:
    return list(text.encode())


def read(*lists: list[int]) -> list[Effect]:
    capture = Capture()
    effects = [e for number, ids in enumerate(lists) for e in capture.on(TEXT.whole(1, ids, Samples(100 * number), number))]
    return effects + capture.on(TurnEnd(Samples(10_000)))


def shown(effects: list[Effect]) -> str:
    return "".join(effect.text for effect in effects if isinstance(effect, VisibleText))


def told(effects: list[Effect]) -> list[str]:
    return [e.text if isinstance(e, Request) else f"no {e.reason}" for e in effects if isinstance(e, Request | Rejected)]


def test_reserved_ids_are_tags_and_letters_are_none() -> None:
    ids = [*spelt("Sure <delegate>."), OPEN, *spelt("open the </delegate>window"), PAD, SPEAK, CLOSE, *spelt(" Done")]
    effects = read(ids)
    assert (shown(effects), told(effects)) == ("Sure . Done", ["open the window"])


def test_the_end_of_the_turn_closes_a_span_and_another_reserved_token_spoils_it() -> None:
    assert told(read([OPEN, *spelt("open it"), TURN_END])) == ["open it"]
    assert told(read([OPEN, *spelt("open"), LISTEN, *spelt(" it"), CLOSE])) == ["no reserved"]
    assert told(read([OPEN, *spelt("open"), OPEN, *spelt(" it"), CLOSE, CLOSE])) == ["no nested"]


def test_the_snapshot_is_of_the_opening_token() -> None:
    ids = [*spelt("ok"), OPEN, *spelt("开窗"), CLOSE]
    effects = read(ids[:2], ids[:3], ids)
    assert [e for e in effects if isinstance(e, SpanOpened)] == [SpanOpened(Samples(100), 1)]


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(ValueError, match="<oops>"):
        TokenText({1: "<oops>"}, frozenset(), decode)


PIECES = st.sampled_from(
    [[OPEN], [CLOSE], [TURN_END], [SPEAK], [PAD], spelt("车窗"), spelt("go "), spelt("<dele"), spelt("gate>")]
)


@example([spelt("<dele"), spelt("<dele"), spelt("gate>")], [6])
@given(st.lists(PIECES, max_size=10), st.lists(st.integers(0, 60), max_size=12))
def test_however_the_list_grows_and_is_repeated_it_says_the_same(pieces: list[list[int]], ends: list[int]) -> None:
    ids = [one for piece in pieces for one in piece]
    effects, at_once = read(*(ids[:end] for end in sorted(ends)), *(ids[:end] for end in ends[:3]), ids), read(ids)
    assert (shown(effects), told(effects)) == (shown(at_once), told(at_once))
    assert without_reserved(shown(effects)) == shown(effects) and "\N{REPLACEMENT CHARACTER}" not in shown(effects)
