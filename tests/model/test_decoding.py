"""Rules of a unit: the reference's traces, and what is done otherwise on purpose."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from golden import case
from hypothesis import given, settings
from hypothesis import strategies as st

from ridealong.cloud.model.decoding import DEMO, HUB, PRESETS, VENUS, Close, Decoding, Draw, Effect, Feed, UnitRules, replace
from ridealong.cloud.model.tokens import PROTOCOL_NAMES, DelegationIds, ProtocolIds

pytestmark = pytest.mark.model
DELEGATION = DelegationIds(501, 502, 503, 504)


def _ids() -> ProtocolIds:
    real: Mapping[str, int] = case("token_ids").facts["real"]
    return ProtocolIds(**{field: 384 + real[name] - 151_643 for field, name in PROTOCOL_NAMES.items()})


IDS = _ids()
TEXTS: Mapping[str, str] = case("duplex_unit_rules").facts["token_text"]


def _text(ids: Sequence[int]) -> str:
    return "".join(TEXTS.get(str(token), "") for token in ids)


def _rules(preset: Decoding = HUB, **changes: Any) -> UnitRules:
    return UnitRules(IDS, DELEGATION, replace(preset, **changes), _text)


def _run(rules: UnitRules, script: Sequence[int], force_listen: bool = False) -> tuple[list[list[int]], list[int]]:
    """Plays a unit. Returns the ids of each call to the language model, and those that were to be spoken."""
    drawn, calls, spoken = iter(script), [], []
    todo: list[Effect] = rules.begin(force_listen)
    while todo:
        match todo.pop(0):
            case Feed(token, is_spoken):
                calls.append([token])
                spoken += [token] * is_spoken
            case Draw():
                assert not todo
                todo = rules.drew(next(drawn))
            case Close(terminator):
                assert not todo
                calls.append([terminator, IDS.unit_close])
    return calls, spoken


@pytest.mark.parametrize("trace", case("duplex_unit_rules").facts["traces"], ids=lambda trace: trace["name"][:40])
def test_as_the_reference(trace: Mapping[str, Any]) -> None:
    rules = None
    for unit in trace["units"]:
        # The preset of the reference's run, without its three listening units.
        cap = unit["args"].get("max_new_speak_tokens_per_chunk", 20)
        rules = rules or _rules(DEMO, force_listen_units=0, reference_parity=True, cap=cap)
        calls, spoken = _run(rules, unit["script_argmax"], unit["args"].get("force_listen_override", False))
        outcome = rules.outcome()
        assert calls == unit["fed"] and [token for call in calls for token in call] == unit["total_ids"]
        assert list(outcome.talker) == spoken == unit["talker_tokens"]
        assert list(outcome.words) == unit["generated_tokens"] and len(outcome.words) == unit["n_tokens"]
        assert _text(outcome.words) == unit["text"]
        assert (outcome.is_listen, outcome.end_of_turn) == (unit["is_listen"], unit["end_of_turn"])
        assert outcome.terminator == unit["pending_terminator"]
        assert rules.turn_open != unit["current_turn_ended"]


def test_presets() -> None:
    assert (HUB.cap, HUB.temperature, HUB.top_k, HUB.top_p, HUB.penalty, HUB.penalty_window) == (20, 0.7, 20, 0.8, 1.05, 512)
    assert (DEMO.max_chars, DEMO.length_penalty, DEMO.force_listen_units) == (28, 1.1, 3)
    assert (VENUS.cap, VENUS.max_chars, VENUS.length_penalty, VENUS.force_listen_units) == (50, None, 1.0, 0)
    assert not any(preset.reference_parity for preset in PRESETS.values())
    for wrong in ({"temperature": 0.0}, {"cap": 0}, {"max_chars": 0}, {"top_k": -1}, {"listen_scale": float("inf")}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            Decoding(**wrong)  # type: ignore[arg-type]


def test_a_unit_that_goes_on_without_speak_loses_no_word() -> None:
    rules = _rules()
    assert _run(rules, [IDS.speak, 256, IDS.chunk_eos])[1] == [256]
    assert _run(rules, [258, 259, IDS.chunk_eos])[1] == [258, 259]
    assert _run(rules, [IDS.listen, 261, IDS.speak, 263, IDS.chunk_eos])[1] == [261, 263]  # no control id is spoken
    assert _text(rules.outcome().words) == "eron"


def test_what_was_said_before_a_late_listen_is_said() -> None:
    script = [IDS.speak, 256, IDS.turn_eos, IDS.listen]
    rules = _rules()
    assert _run(rules, script)[0][-1] == [IDS.listen, IDS.unit_close]
    assert not rules.outcome().is_listen and rules.outcome().end_of_turn
    parity = _rules(reference_parity=True)
    _run(parity, script)
    assert parity.outcome().is_listen  # and the reference drops the word


def test_the_first_units_of_the_demo_listen() -> None:
    rules = _rules(DEMO)
    assert [_run(rules, [IDS.speak, 256, IDS.chunk_eos])[0][0] for _ in range(4)] == [[IDS.listen, IDS.unit_close]] * 3 + [
        [IDS.speak]
    ]


def test_a_request_is_private_and_may_span_units() -> None:
    rules, limit = _rules(max_chars=8), [257] * 5  # 20 characters that nobody hears
    assert _run(rules, [IDS.speak, 256, 501, *limit, IDS.chunk_eos])[1] == [256]
    assert rules.outcome().delegate_opened and not rules.outcome().delegates and rules.delegating
    assert _run(rules, [IDS.speak, 258, 502, 264, IDS.chunk_eos])[1] == [264]
    assert rules.outcome().delegates == ((*limit, 258),) and not rules.outcome().delegate_opened
    assert _run(rules, [IDS.speak, 501, 258, IDS.turn_eos, IDS.chunk_eos])[1] == [IDS.turn_eos]
    assert rules.outcome().delegates == ((258,),) and rules.outcome().end_of_turn and not rules.turn_open


@pytest.mark.parametrize("body", [[501, 258, 501, 259, 502], [501, 258, 503, 259, 502], [501, 502], [502], [503, 504]])
def test_what_is_no_request(body: list[int]) -> None:
    rules = _rules()
    assert _run(rules, [IDS.speak, *body, 264, IDS.turn_eos, IDS.chunk_eos])[1] == [264, IDS.turn_eos]
    assert rules.outcome().delegates == () and not rules.delegating


def test_an_interruption_drops_an_unfinished_request() -> None:
    rules = _rules()
    _run(rules, [IDS.speak, 501, 258, IDS.chunk_eos])
    assert _run(rules, [], force_listen=True)[0] == [[IDS.turn_eos], [IDS.listen, IDS.unit_close]]
    assert rules.outcome().interrupted and not rules.delegating and not rules.outcome().delegates


def test_steps_out_of_order() -> None:
    rules = _rules()
    with pytest.raises(RuntimeError, match="no draw was asked for"):
        rules.drew(256)
    rules.begin()
    for wrong in (rules.begin, rules.outcome):
        with pytest.raises(RuntimeError, match="closed"):
            wrong()


TOKENS = st.sampled_from([IDS.speak, IDS.listen, IDS.turn_eos, IDS.chunk_eos, IDS.tts_bos, *range(501, 505), 256, 258, 264, 279])


@given(
    st.lists(st.tuples(st.lists(TOKENS, max_size=12), st.booleans()), max_size=6),
    st.builds(Decoding, cap=st.integers(1, 9), max_chars=st.sampled_from([None, 5, 28]), reference_parity=st.booleans()),
)
@settings(deadline=None)
def test_every_unit_ends_within_its_bounds(units: list[tuple[list[int], bool]], preset: Decoding) -> None:
    rules = UnitRules(IDS, DELEGATION, preset, _text)
    private = {501, 502, 503, 504}
    for script, force in units:
        was_open = rules.turn_open
        calls, spoken = _run(rules, [*script, *[256] * 12], force)
        outcome = rules.outcome()
        fed = [token for call in calls[:-1] for token in call]
        assert len(fed) < max(preset.cap, 2) and not set(fed) & {IDS.listen, IDS.chunk_eos}
        assert list(outcome.talker) == spoken and not set(spoken) & private
        assert not (force and (spoken or rules.turn_open))
        assert not was_open or outcome.terminator != IDS.listen or IDS.turn_eos in fed
        if preset.max_chars is not None:
            assert len(_text(outcome.words)) < preset.max_chars
