"""Standing requests as a machine: when an alert goes out, how often, and what ends it. Times are seconds of the device's clock."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ridealong.harness.conditions import (
    Compare,
    Noise,
    PhraseHeard,
    PhraseSeen,
    Readings,
    Sight,
    SignalIs,
    SoundHeard,
    SoundShape,
    Speech,
)
from ridealong.harness.standing import (
    MAX_WATCHES,
    TRANSITIONS,
    Alert,
    Budget,
    Careful,
    Effect,
    Ended,
    Event,
    Full,
    Muted,
    Standing,
    Start,
    State,
    Stop,
    Tick,
    Told,
    Untold,
    Watch,
    Wrong,
)
from ridealong.proto.types import Samples, SignalReading

pytestmark = pytest.mark.unit

LOW = SignalIs(("battery",), Compare.BELOW, 20.0, clear_by=2.0)
FAST = SignalIs(("speed",), Compare.ABOVE, 120.0, clear_by=5.0, hold_ms=1_000)
EXIT = PhraseSeen("Exit 12")
GATE = PhraseHeard("gate B12")
BANG = SoundHeard(SoundShape.BANG)
HOUR_S = 3_600


def at(seconds: float) -> Samples:
    return Samples(round(seconds * 16_000))


def watch(condition: object, id: str = "w", since_s: float = 0, lasts_s: float = 7_200, every: bool = False) -> Watch:
    return Watch(id, condition, at(since_s), at(since_s + lasts_s), every)  # type: ignore[arg-type]


def readings(seconds: float, age_ms: int = 0, **values: float | bool) -> Readings:
    return Readings(at(seconds), {path: SignalReading(path, value, age_ms) for path, value in values.items()})


def sight(seconds: float, text: str = "EXIT 12", confidence: float = 0.97) -> Sight:
    return Sight(at(seconds), text, confidence)


def told(effects: list[Effect]) -> list[str]:
    return [type(effect).__name__ for effect in effects]


def run(machine: Standing, *events: Event) -> list[str]:
    """The names of all effects, in order."""
    return [name for event in events for name in told(machine.on(event))]


# --- once, and every time --------------------------------------------------------------------------------------------


def test_a_watch_fires_once_and_is_over_when_it_was_heard() -> None:
    machine = Standing()
    run(machine, Start(watch(LOW)))
    assert run(machine, readings(1, battery=21), readings(2, battery=19)) == ["Alert"]
    assert run(machine, readings(3, battery=18)) == []  # being told
    assert machine.on(Told(at(5), "w")) == [Ended(watch(LOW), "told")]
    assert run(machine, readings(6, battery=17), readings(90, battery=25), readings(200, battery=10)) == []


def test_every_time_waits_until_the_value_went_back_by_its_margin_and_the_cool_down_is_over() -> None:
    machine = Standing()
    run(machine, Start(watch(LOW, every=True)))
    assert run(machine, readings(1, battery=19), Told(at(3), "w")) == ["Alert"]
    wobble = [readings(70 + i, battery=19.5 + (i % 2)) for i in range(20)]  # never back beyond 22
    assert run(machine, *wobble) == []
    assert run(machine, readings(100, battery=23), readings(101, battery=19)) == ["Alert"]


def test_a_second_dip_within_the_cool_down_is_told_once_it_is_over() -> None:
    machine = Standing()
    run(machine, Start(watch(LOW, every=True)), readings(1, battery=19), Told(at(3), "w"))
    assert run(machine, readings(10, battery=30), readings(20, battery=19)) == []
    assert run(machine, readings(62, battery=19)) == ["Alert"]


def test_a_peak_shorter_than_the_hold_time_is_no_peak() -> None:
    machine = Standing()
    run(machine, Start(watch(FAST)))
    assert run(machine, readings(1, speed=125), readings(1.5, speed=119), readings(2, speed=125)) == []
    assert run(machine, readings(3.1, speed=125)) == ["Alert"]


def test_what_is_true_at_the_start_counts_only_when_it_comes_true_again() -> None:
    machine = Standing()
    run(machine, Start(watch(LOW, every=True), met=True))
    assert run(machine, readings(1, battery=15), readings(100, battery=15)) == []
    assert run(machine, readings(200, battery=50), readings(201, battery=19)) == ["Alert"]


def test_the_same_sign_in_view_is_told_once_while_it_stays() -> None:
    machine = Standing()
    run(machine, Start(watch(EXIT, every=True)))
    assert run(machine, sight(1), Told(at(2), "w")) == ["Alert"]
    assert run(machine, *[sight(3 + 2 * i) for i in range(60)]) == []  # two minutes in a jam before it
    assert run(machine, sight(300)) == ["Alert"]


# --- what counts as evidence -----------------------------------------------------------------------------------------


def test_what_was_said_or_seen_before_the_request_does_not_answer_it() -> None:
    machine = Standing()
    run(machine, Start(watch(GATE, since_s=10)))
    assert run(machine, Speech(at(9.9), "tell me when they announce gate B12"), Speech(at(10), "gate B12")) == []
    assert run(machine, Speech(at(30), "The flight leaves from gate B twelve.")) == ["Alert"]


def test_evidence_of_another_kind_says_nothing() -> None:
    machine = Standing()
    run(machine, Start(watch(EXIT)), Start(watch(GATE, "g")), Start(watch(BANG, "b")), Start(watch(LOW, "s")))
    assert run(machine, Speech(at(1), "exit 12"), sight(2, "Gate B12"), readings(3, speed=150), Tick(at(4))) == []
    assert run(machine, Noise(at(5), SoundShape.LASTING, 1.0)) == []


@pytest.mark.parametrize("age_ms, alerts", [(9_000, 1), (11_000, 0)])
def test_an_old_reading_satisfies_nothing(age_ms: int, alerts: int) -> None:
    machine = Standing()
    run(machine, Start(watch(LOW)))
    assert len(run(machine, readings(1, age_ms, battery=10))) == alerts


def test_all_doors_need_all_readings() -> None:
    doors = SignalIs(("a", "b"), Compare.IS, False, all_paths=True)
    machine = Standing()
    run(machine, Start(watch(doors)))
    assert run(machine, readings(1, a=False), readings(2, a=False, b=True)) == []
    assert run(machine, readings(3, a=False, b=False)) == ["Alert"]


def test_an_unsure_reading_of_a_sign_is_not_enough() -> None:
    machine = Standing()
    run(machine, Start(watch(EXIT)))
    assert run(machine, sight(1, confidence=0.5), sight(2, "EXIT 120"), sight(3, "EXIT 1")) == []


@pytest.mark.parametrize("confidence, alerts", [(0.99, 0), (0.65, 1)])
def test_one_letter_off_counts_only_where_the_reader_doubts(confidence: float, alerts: int) -> None:
    machine = Standing()
    run(machine, Start(watch(PhraseSeen("Oak Street"))))
    assert len(run(machine, sight(1, "OCK STREET", confidence))) == alerts


# --- dismissed, lost -------------------------------------------------------------------------------------------------


def test_a_false_alarm_raises_the_threshold_and_the_watch_goes_on() -> None:
    machine = Standing()
    run(machine, Start(watch(EXIT)))
    run(machine, sight(1, confidence=0.65), Told(at(3), "w"))
    before = machine.threshold("w")
    assert run(machine, Wrong(at(6), "w")) == []
    assert machine.threshold("w") > before
    assert run(machine, sight(100, confidence=0.65)) == []
    assert run(machine, sight(101, confidence=0.99)) == ["Alert"]


def test_what_was_not_heard_is_told_again_while_it_is_true() -> None:
    machine = Standing()
    run(machine, Start(watch(LOW)))
    assert run(machine, readings(1, battery=19), Untold(at(61), "w"), readings(62, battery=18)) == ["Alert", "Alert"]


def test_a_watch_that_was_over_a_minute_ago_can_not_be_called_wrong() -> None:
    machine = Standing()
    run(machine, Start(watch(EXIT)), sight(1), Told(at(3), "w"), Tick(at(80)))
    assert run(machine, Wrong(at(81), "w"), sight(200)) == []


# --- the budget ------------------------------------------------------------------------------------------------------


def test_the_hour_has_so_many_alerts_and_the_next_one_is_announced_as_silence_once() -> None:
    machine = Standing(Budget(alerts_per_hour=3))
    for i in range(5):
        run(machine, Start(watch(PhraseHeard(f"word number {i}"), f"w{i}")))
    said = [Speech(at(10 + i), f"there was word number {i}") for i in range(5)]
    assert run(machine, *said) == ["Alert", "Alert", "Alert", "Muted"]
    assert machine.suppressed == 2
    assert run(machine, Speech(at(12 + HOUR_S), "word number 4")) == ["Alert"]


def test_two_false_alarms_in_an_hour_leave_only_what_is_nearly_certain() -> None:
    machine = Standing(Budget(false_alarms_per_hour=2))
    run(machine, Start(watch(BANG, "b", every=True)), Start(watch(EXIT, "e")), Start(watch(LOW, "s")))
    run(machine, Noise(at(1), SoundShape.BANG, 0.6), Wrong(at(3), "b"))
    assert run(machine, Noise(at(70), SoundShape.BANG, 0.7), Wrong(at(72), "b")) == ["Alert", "Careful"]
    assert run(machine, sight(80, confidence=0.9), Noise(at(140), SoundShape.BANG, 0.9)) == []
    assert run(machine, readings(150, battery=10), sight(151, confidence=0.99)) == ["Alert", "Alert"]
    assert run(machine, Noise(at(3_700), SoundShape.BANG, 0.9)) == ["Alert"]


def test_an_alert_that_was_never_heard_costs_nothing() -> None:
    machine = Standing(Budget(alerts_per_hour=1))
    run(machine, Start(watch(LOW)), readings(1, battery=19), Untold(at(61), "w"))
    assert run(machine, readings(62, battery=19)) == ["Alert"]


# --- bounds and ends -------------------------------------------------------------------------------------------------


def test_no_more_watches_than_the_bound_and_the_same_one_replaces_itself() -> None:
    machine = Standing()
    for i in range(MAX_WATCHES):
        run(machine, Start(watch(PhraseHeard(f"name {i}"), f"w{i}")))
    assert isinstance(machine.on(Start(watch(EXIT, "more")))[0], Full)
    assert told(machine.on(Start(watch(PhraseHeard("name 3"), "again")))) == ["Ended"]
    assert len(machine.active) == MAX_WATCHES


def test_a_watch_expires_and_stop_ends_all() -> None:
    machine = Standing()
    run(machine, Start(watch(EXIT, lasts_s=60)), Start(watch(LOW, "s")))
    assert machine.on(Tick(at(59))) == []
    assert machine.on(Tick(at(60))) == [Ended(watch(EXIT, lasts_s=60), "expired")]
    assert run(machine, sight(61)) == []
    assert [effect.reason for effect in machine.on(Stop(at(62))) if isinstance(effect, Ended)] == ["stopped"]
    assert machine.active == ()


def test_the_table_only_leaves_over_by_a_revival() -> None:
    assert {event for (state, event) in TRANSITIONS if state is State.OVER} == {Wrong}


# --- whatever happens ------------------------------------------------------------------------------------------------

_IDS = st.sampled_from(["w0", "w1", "w2"])
_CONDITIONS = {"w0": LOW, "w1": GATE, "w2": BANG}
_STEPS = st.one_of(
    st.tuples(st.just("start"), _IDS, st.booleans()),
    st.tuples(st.sampled_from(["told", "untold", "wrong", "stop"]), _IDS, st.none()),
    st.tuples(st.sampled_from(["low", "high", "gate", "bang", "tick"]), st.none(), st.none()),
)


@given(st.lists(st.tuples(st.integers(1, 900), _STEPS), max_size=60))
def test_alerts_stay_within_the_budget_and_nothing_fires_unasked(
    steps: list[tuple[int, tuple[str, str | None, bool | None]]],
) -> None:
    machine, now_s, alerts = Standing(Budget(alerts_per_hour=3)), 0, []
    asked: set[str] = set()
    lost: list[float] = []
    for wait_s, (what, id, every) in steps:
        now_s += wait_s
        events: dict[str, Event] = {
            "told": Told(at(now_s), id or ""), "untold": Untold(at(now_s), id or ""), "wrong": Wrong(at(now_s), id or ""),
            "stop": Stop(at(now_s), id or "w0"), "low": readings(now_s, battery=5), "high": readings(now_s, battery=90),
            "gate": Speech(at(now_s), "gate B12"), "bang": Noise(at(now_s), SoundShape.BANG, 1.0), "tick": Tick(at(now_s)),
        }  # fmt: skip
        if what == "start":
            assert id is not None
            event: Event = Start(Watch(id, _CONDITIONS[id], at(now_s), at(now_s + 7_200), bool(every)))
            asked.add(id)
        else:
            event = events[what]
        if what == "untold":
            lost.append(now_s)
        for effect in machine.on(event):
            match effect:
                case Alert(watch=fired):
                    assert fired.id in asked and at(now_s) > fired.since
                    alerts.append(now_s)
                case Muted(until=until) | Careful(until=until):
                    assert until >= at(now_s)
                case _:
                    pass
    if not lost:
        for i in range(len(alerts) - 3):
            assert alerts[i + 3] - alerts[i] >= HOUR_S
    assert len(machine.active) <= 3


@pytest.mark.parametrize("every", [False, True])
def test_a_watch_that_was_stopped_stays_stopped_though_its_alarm_is_called_wrong(every: bool) -> None:
    standing = Standing()
    for number in range(2):
        bang, name = 10 + 60 * number, f"w{number}"
        standing.on(Start(watch(BANG, name, since_s=bang - 5, every=every)))
        assert [type(effect) for effect in standing.on(Noise(at(bang), SoundShape.BANG, 0.9))] == [Alert]
        standing.on(Stop(at(bang + 1)))
        effects = standing.on(Wrong(at(bang + 2), name))
        assert [type(effect) for effect in effects] == ([Careful] if number else [])  # it counts all the same
        assert not standing.active and not standing.on(Noise(at(bang + 70), SoundShape.BANG, 1.0))
