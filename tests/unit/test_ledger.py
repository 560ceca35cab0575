"""The actuation ledger: at most once whatever is repeated, lost or restarted; confirmed only by a sensor."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ridealong.device.vehicle.ledger import (
    OUTCOME_UNKNOWN,
    Ask,
    Effect,
    Forward,
    Judged,
    Ledger,
    Observed,
    Replied,
    Report,
    Requested,
    Tick,
    Write,
)
from ridealong.device.vehicle.ledger_file import LedgerFile, decode, encode
from ridealong.errors import UserError
from ridealong.harness.skill import Verdict
from ridealong.proto.types import Actuate, ActuationResult, ActuationState, Samples, SignalReading, SignalWrite
from ridealong.vehicle_skills import signals as vss

pytestmark = pytest.mark.unit

SETPOINT = vss.set_temperature("Row1", "Driver")
WINDOW = vss.window_position("Row1", "DriverSide")
YES = Verdict(True)


def actuate(key: str = "k", path: str = SETPOINT, value: float | int = 22.5, **changes: object) -> Actuate:
    return replace(Actuate(key, (SignalWrite(path, value),), "climate", "driver"), **changes)  # type: ignore[arg-type]


def clock(at_ms: float) -> Samples:
    return Samples(round(at_ms * 16))


def states(effects: list[Effect]) -> list[tuple[ActuationState, str]]:
    return [(effect.result.state, effect.result.reason) for effect in effects if isinstance(effect, Report)]


def begin(ledger: Ledger, wish: Actuate, at_ms: float = 0.0, before: object = None) -> list[Effect]:
    """Request, judge and forward; the databroker has answered."""
    effects = ledger.on(Requested(wish, at_ms, clock(at_ms)))
    watched = {wish.writes[0].path: before}
    effects += ledger.on(Judged(wish.key, YES, watched, at_ms, clock(at_ms)))  # type: ignore[arg-type]
    return effects + ledger.on(Replied(wish.key, "", at_ms, clock(at_ms)))


def test_accepted_forwarded_confirmed_by_the_sensor() -> None:
    ledger = Ledger()
    effects = begin(ledger, actuate(), before=21.0)
    assert [type(effect) for effect in effects] == [Write, Report, Ask, Forward, Report]
    assert states(effects) == [(ActuationState.ACCEPTED, ""), (ActuationState.FORWARDED, "")]
    assert ledger.on(Observed(SETPOINT, 21.5, 100, clock(100))) == []
    effects = ledger.on(Observed(SETPOINT, 22.5, 200, clock(200)))
    assert states(effects) == [(ActuationState.CONFIRMED, "")]
    assert effects[0].row.observed == (SignalReading(SETPOINT, 22.5, 0),)  # type: ignore[union-attr]
    assert ledger.open == {}


def test_the_databrokers_yes_confirms_nothing() -> None:
    ledger = Ledger()
    begin(ledger, actuate(), before=21.0)
    assert states(ledger.on(Tick(4_999, clock(4_999)))) == []
    effects = ledger.on(Tick(5_000, clock(5_000)))
    assert states(effects) == [(ActuationState.TIMED_OUT, "no_change")]
    assert effects[0].row.observed[0].value == 21.0  # type: ignore[union-attr]


def test_a_window_that_only_passes_is_not_confirmed() -> None:
    ledger = Ledger()
    begin(ledger, actuate(path=WINDOW, value=50), before=0)
    for at_ms, position in ((100, 49), (200, 52), (300, 58), (400, 64)):
        assert states(ledger.on(Observed(WINDOW, position, at_ms, clock(at_ms)))) == []
    assert states(ledger.on(Observed(WINDOW, 51, 500, clock(500)))) == []
    assert states(ledger.on(Tick(800, clock(800)))) == [(ActuationState.CONFIRMED, "")]


def test_contradicted_when_it_stopped_somewhere_else() -> None:
    ledger = Ledger()
    begin(ledger, actuate(path=WINDOW, value=100), before=0)
    ledger.on(Observed(WINDOW, 30, 1_000, clock(1_000)))
    assert states(ledger.on(Tick(5_000, clock(5_000)))) == [(ActuationState.CONTRADICTED, "stopped_short")]


def test_still_moving_at_the_deadline_is_a_time_out() -> None:
    ledger = Ledger()
    begin(ledger, actuate(path=WINDOW, value=100), before=0)
    ledger.on(Observed(WINDOW, 70, 4_800, clock(4_800)))
    assert states(ledger.on(Tick(5_000, clock(5_000)))) == [(ActuationState.TIMED_OUT, "still_moving")]


def test_a_repeated_key_returns_the_stored_result() -> None:
    ledger = Ledger()
    begin(ledger, actuate(), before=21.0)
    assert states(ledger.on(Requested(actuate(), 50, clock(50)))) == [(ActuationState.FORWARDED, "")]
    ledger.on(Observed(SETPOINT, 22.5, 100, clock(100)))
    assert ledger.on(Requested(actuate(value=30.0), 60_000, clock(60_000))) == [Report(ledger.closed["k"])]
    assert ledger.repeated == 2


def test_judged_or_answered_twice_changes_nothing() -> None:
    ledger = Ledger()
    begin(ledger, actuate(), before=21.0)
    assert ledger.on(Judged("k", YES, {}, 10, clock(10))) == []
    assert ledger.on(Replied("k", "no_provider", 10, clock(10))) == []
    assert ledger.on(Judged("other", YES, {}, 10, clock(10))) == []


@pytest.mark.parametrize(
    ("waited_ms", "ttl_ms", "forwarded"), [(0, 1, True), (1_999, 2_000, True), (2_001, 60_000, False), (600, 500, False)]
)
def test_time_to_live_is_at_most_two_seconds(waited_ms: int, ttl_ms: int, forwarded: bool) -> None:
    ledger = Ledger()
    ledger.on(Requested(actuate(ttl_ms=ttl_ms, requested_at=clock(100)), 100, clock(100)))
    effects = ledger.on(Judged("k", YES, {}, 100 + waited_ms, clock(100 + waited_ms)))
    assert any(isinstance(effect, Forward) for effect in effects) is forwarded
    if not forwarded:
        assert states(effects) == [(ActuationState.REFUSED, "expired")]


@pytest.mark.parametrize(
    ("changes", "now_ms", "reason"),
    [
        ({}, 20_000, "expired"),
        ({"requested_at": Samples(16 * 60_000)}, 0, "expired"),  # of another clock
        ({"writes": ()}, 0, "bad_request"),
        ({"ttl_ms": 0}, 0, "bad_request"),
        ({"key": ""}, 0, "bad_request"),
        ({"key": "x" * 201}, 0, "bad_request"),
    ],
)
def test_refused_at_the_door(changes: dict[str, object], now_ms: float, reason: str) -> None:
    effects = Ledger().on(Requested(actuate(**changes), now_ms, clock(now_ms)))  # type: ignore[arg-type]
    assert states(effects) == [(ActuationState.REFUSED, reason)]


@pytest.mark.parametrize(
    ("under_way_ms", "ttl_ms", "taken"), [(1_900, 2_000, True), (2_100, 2_000, False), (2_100, 60_000, False), (600, 500, False)]
)
def test_what_was_long_under_way_is_not_done(under_way_ms: int, ttl_ms: int, taken: bool) -> None:
    """Whether the link was down meanwhile or only stood still."""
    ledger, wish, now_ms = Ledger(), actuate(ttl_ms=ttl_ms, requested_at=clock(900)), 900 + under_way_ms
    expected = (ActuationState.ACCEPTED, "") if taken else (ActuationState.REFUSED, "expired")
    assert states(ledger.on(Requested(wish, now_ms, clock(now_ms)))) == [expected]


def test_the_way_and_the_wait_in_the_car_count_together() -> None:
    ledger = Ledger()
    ledger.on(Requested(actuate(requested_at=clock(0)), 1_500, clock(1_500)))
    effects = ledger.on(Judged("k", YES, {}, 2_100, clock(2_100)))
    assert states(effects) == [(ActuationState.REFUSED, "expired")]


def test_open_requests_are_bounded() -> None:
    ledger = Ledger(max_open=2)
    for key in "ab":
        ledger.on(Requested(actuate(key), 0, clock(0)))
    assert states(ledger.on(Requested(actuate("c"), 0, clock(0)))) == [(ActuationState.REFUSED, "busy")]


def test_closed_results_are_bounded_and_counted() -> None:
    ledger = Ledger(max_closed=2)
    for number in range(4):
        ledger.on(Requested(actuate(f"k{number}", ttl_ms=0), 0, clock(0)))
    assert list(ledger.closed) == ["k2", "k3"] and ledger.forgotten == 2


def test_a_broken_connection_leaves_it_to_the_sensor() -> None:
    for seen, outcome in ((22.5, (ActuationState.CONFIRMED, "")), (None, (ActuationState.TIMED_OUT, OUTCOME_UNKNOWN))):
        ledger = Ledger()
        ledger.on(Requested(actuate(), 0, clock(0)))
        ledger.on(Judged("k", YES, {SETPOINT: 21.0}, 0, clock(0)))
        assert ledger.on(Replied("k", OUTCOME_UNKNOWN, 10, clock(10))) == []
        effects = ledger.on(Observed(SETPOINT, seen, 20, clock(20))) if seen else ledger.on(Tick(6_000, clock(6_000)))
        assert states(effects) == [outcome]


def test_an_open_key_of_an_earlier_life_is_closed_and_never_forwarded() -> None:
    ledger = Ledger()
    effects = ledger.restore([ActuationResult("k", ActuationState.ACCEPTED)])
    assert states(effects) == [(ActuationState.TIMED_OUT, OUTCOME_UNKNOWN)]
    assert states(ledger.on(Requested(actuate(), 0, clock(0)))) == [(ActuationState.TIMED_OUT, OUTCOME_UNKNOWN)]


steps = st.lists(
    st.one_of(
        st.tuples(st.just("request"), st.sampled_from("abc")),
        st.tuples(st.just("judge"), st.sampled_from("abc")),
        st.tuples(st.just("reply"), st.sampled_from("abc")),
        st.tuples(st.just("observe"), st.sampled_from("abc")),
        st.tuples(st.just("wait"), st.sampled_from("abc")),
        st.tuples(st.just("restart"), st.sampled_from("abc")),
    ),
    max_size=40,
)


@settings(max_examples=200, deadline=None)
@given(steps=steps, torn=st.booleans(), refusal=st.sampled_from(["", "no_provider", OUTCOME_UNKNOWN]))
def test_never_applied_twice_whatever_is_repeated_or_restarted(steps: list[tuple[str, str]], torn: bool, refusal: str) -> None:
    ledger, disk, now_ms = Ledger(), [], 0.0
    applied: list[str] = []
    final: dict[str, ActuationResult] = {}

    def perform(effects: list[Effect]) -> None:
        for effect in effects:
            if isinstance(effect, Write):
                disk.append(encode(effect.row))
            elif isinstance(effect, Forward):
                assert any(decode(row).key == effect.key for row in disk), "forwarded before it was durable"
                applied.append(effect.key)
            elif isinstance(effect, Report) and effect.result.state.final:
                assert final.setdefault(effect.result.key, effect.result).state is effect.result.state
                if effect.result.state is ActuationState.CONFIRMED:
                    assert effect.result.observed[0].value == 22.5

    for what, key in steps:
        now_ms += 10
        now = clock(now_ms)
        if what == "request":
            perform(ledger.on(Requested(actuate(key), now_ms, now)))
        elif what == "judge":
            perform(ledger.on(Judged(key, YES, {SETPOINT: 21.0}, now_ms, now)))
        elif what == "reply":
            perform(ledger.on(Replied(key, refusal, now_ms, now)))
        elif what == "observe":
            perform(ledger.on(Observed(SETPOINT, 22.5, now_ms, now)))
        elif what == "wait":
            now_ms += 900
            perform(ledger.on(Tick(now_ms, clock(now_ms))))
        else:
            ledger = Ledger()
            perform(ledger.restore([decode(row) for row in disk]))
    assert len(applied) == len(set(applied))


# --- the file -------------------------------------------------------------------------------------------------------

ROW = ActuationResult(
    "schlüssel", ActuationState.CONFIRMED, "", (SignalReading(SETPOINT, 22.5, 3), SignalReading(WINDOW, None, 0)), Samples(9)
)


def test_file_survives_a_torn_last_line(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "ledger.jsonl"
    file = LedgerFile(path)
    file.append(ROW)
    file.append(replace(ROW, key="second"))
    file.close()
    with path.open("ab") as out:
        out.write(encode(ROW)[:20])
    file = LedgerFile(path)
    assert file.rows == [ROW, replace(ROW, key="second")]
    file.append(replace(ROW, key="third"))
    file.close()
    assert [decode(line).key for line in path.read_bytes().splitlines()] == ["schlüssel", "second", "third"]


def test_file_is_for_one_agent_and_says_what_is_wrong(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    file = LedgerFile(path)
    with pytest.raises(UserError, match="another device agent"):
        LedgerFile(path)
    file.close()
    path.write_text("nonsense\n" + encode(ROW).decode())
    with pytest.raises(UserError, match="line 1"):
        LedgerFile(path)
    with pytest.raises(UserError, match="cannot be opened"):
        LedgerFile(tmp_path)


def test_file_is_compacted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ridealong.device.vehicle.ledger_file.COMPACT_ROWS", 3)
    path = tmp_path / "ledger.jsonl"
    file = LedgerFile(path)
    for number in range(5):
        file.append(replace(ROW, key=str(number)))
    file.close()
    file = LedgerFile(path)
    file.compact(file.rows[-2:])
    file.append(replace(ROW, key="new"))
    with pytest.raises(UserError, match="another device agent"):
        LedgerFile(path)
    file.close()
    assert [row.key for row in LedgerFile(path).rows] == ["3", "4", "new"]
