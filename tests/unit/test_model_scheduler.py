"""The scheduler's traces, and what holds whatever happens. No tensors."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from ridealong.cloud.model.scheduler import (
    Admit,
    Again,
    Close,
    Cost,
    Free,
    How,
    Late,
    Milliseconds,
    Open,
    Ran,
    Refuse,
    Run,
    Scheduler,
    SchedulerError,
    SchedulerSettings,
    SessionId,
    Slot,
    Step,
    Tick,
    Unit,
)

pytestmark = pytest.mark.unit
SETTINGS = SchedulerSettings(slots=3)
A, B, C = SessionId("a"), SessionId("b"), SessionId("c")


def at(ms: float) -> Milliseconds:
    return Milliseconds(ms)


def opened(*names: SessionId, settings: SchedulerSettings = SETTINGS) -> Scheduler:
    made = Scheduler(settings)
    for name in names:
        assert isinstance(made.on(Open(name, at(0)))[0], Admit)
    return made


def sessions_of(effects: list[object]) -> list[str]:
    return [step.session for effect in effects if isinstance(effect, Run) for step in effect.steps]


def test_units_of_all_run_at_once() -> None:
    made = opened(A, B)
    assert made.on(Unit(A, 0, 1, at(1000))) == []
    assert made.next_look() == 1020
    effects = made.on(Unit(B, 0, 0, at(1005)))
    assert effects == [Run((Step(A, Slot(0), 0, How.WHOLE), Step(B, Slot(1), 0, How.WHOLE)))]
    assert made.on(Ran(at(1200))) == []


def test_nobody_waits_longer_than_gathering() -> None:
    made = opened(A, B)
    assert made.on(Unit(A, 0, 1, at(1000))) == []
    assert made.on(Tick(at(1019))) == []
    assert sessions_of(made.on(Tick(at(1020)))) == ["a"]


def test_what_comes_while_a_batch_runs_waits_for_it() -> None:
    made = opened(A, B)
    made.on(Unit(A, 0, 1, at(1000)))
    made.on(Tick(at(1020)))
    assert made.on(Unit(B, 0, 1, at(1030))) == []
    assert sessions_of(made.on(Ran(at(1150)))) == ["b"]


def test_a_late_unit_is_told() -> None:
    made = opened(A)
    made.on(Unit(A, 0, 0, at(1000)))
    assert made.on(Ran(at(2100))) == [Late(A, 0, 200.0, How.WHOLE)]
    assert made.late_units == 1


def test_pictures_go_first_and_in_turns() -> None:
    """Each picture costs 400 ms; two don't fit into 900 ms with the rest: one session's goes, then the other's."""
    made = opened(A, B)
    left_out = []
    for second in range(60):
        pictures = (second % 2, second // 2 % 2) if second < 50 else (1, 1)
        made.on(Unit(A, second, pictures[0], at(second * 4000)))
        run = made.on(Unit(B, second, pictures[1], at(second * 4000)))[0]
        assert isinstance(run, Run)
        gone = [step.session for step in run.steps if step.how is How.NO_VISION]
        shown = sum(n for n, step in zip(pictures, run.steps, strict=True) if step.how is How.WHOLE)
        told = made.on(Ran(at(second * 4000 + 200 + 400 * shown)))
        assert gone == [effect.session for effect in told if isinstance(effect, Late) and effect.how is How.NO_VISION]
        if second >= 50:
            left_out.append(gone)
    assert all(len(names) == 1 for names in left_out)
    assert {name for names in left_out for name in names} == {"a", "b"}


def test_a_full_device_lets_nobody_in_and_then_does_again() -> None:
    made = opened(A)
    for second in range(20):
        made.on(Unit(A, second, 1, at(second * 1000)))
        made.on(Ran(at(second * 1000 + 950)))
    assert made.no_vision
    assert made.on(Open(B, at(20_000))) == [Refuse(B, "load")]
    for second in range(20, 140):
        made.on(Unit(A, second, 1, at(second * 1000)))
        made.on(Ran(at(second * 1000 + 100)))
    assert not made.no_vision
    assert isinstance(made.on(Open(B, at(140_000)))[0], Admit)


def test_a_place_is_taken_over_however_full_the_device_is() -> None:
    made = opened(A, B, C)
    for second in range(20):
        for name in (A, B, C):
            made.on(Unit(name, second, 1, at(second * 1000)))
        made.on(Ran(at(second * 1000 + 950)))
    assert made.no_vision
    new = SessionId("a again")
    assert made.on(Again(new, A, at(20_000))) == [Admit(new, Slot(0))]
    with pytest.raises(SchedulerError, match="no session a"):
        made.on(Unit(A, 20, 0, at(20_000)))
    made.on(Unit(new, 0, 0, at(20_001)))
    made.on(Unit(B, 20, 0, at(20_001)))
    assert sessions_of(made.on(Unit(C, 20, 0, at(20_001)))) == ["b", "c", "a again"]


def test_a_place_is_taken_over_while_its_batch_runs() -> None:
    """What waits is not run, and a place that is closed then is freed after the batch, as any."""
    made = opened(A, settings=replace(SETTINGS, slots=1))
    made.on(Unit(A, 0, 0, at(0)))
    made.on(Unit(A, 1, 0, at(1)))
    assert made.on(Open(B, at(2))) == [Refuse(B, "slots")]
    assert made.on(Again(B, A, at(2))) == [Admit(B, Slot(0))]
    assert made.on(Unit(B, 0, 0, at(3))) == []
    assert made.on(Ran(at(20))) == [Run((Step(B, Slot(0), 0, How.WHOLE),))]
    assert made.on(Again(C, B, at(21))) == [Admit(C, Slot(0))]
    assert made.on(Close(C, at(22))) == [] and made.on(Ran(at(23))) == [Free(Slot(0))]


def test_no_slot_left() -> None:
    made = opened(A, B, C)
    assert made.on(Open(SessionId("d"), at(1))) == [Refuse(SessionId("d"), "slots")]


def test_a_session_far_behind_only_listens_until_it_has_caught_up() -> None:
    made = opened(A, settings=replace(SETTINGS, behind=2))
    made.on(Unit(A, 0, 1, at(0)))
    for index in range(1, 6):
        assert made.on(Unit(A, index, 1, at(index * 1000))) == []
    ways = []
    now = 6000.0
    effects = made.on(Ran(at(now)))
    while runs := [effect for effect in effects if isinstance(effect, Run)]:
        ways.append(runs[0].steps[0].how)
        now += 50
        effects = made.on(Ran(at(now)))
    assert ways[:3] == [How.LISTEN] * 3
    assert How.LISTEN not in ways[3:]


def test_a_slot_in_use_is_freed_after_its_batch() -> None:
    made = opened(A)
    made.on(Unit(A, 0, 0, at(0)))
    assert made.on(Close(A, at(10))) == []
    assert made.on(Ran(at(20))) == [Free(Slot(0))]


@pytest.mark.parametrize(
    "event",
    [
        Open(A, at(5)),
        Again(A, A, at(5)),
        Again(C, B, at(5)),
        Close(B, at(5)),
        Unit(B, 0, 0, at(5)),
        Unit(A, 7, 0, at(5)),
        Unit(A, 2, -1, at(5)),
        Ran(at(5)),
    ],
)
def test_events_that_cannot_be_change_nothing(event: Open | Again | Close | Unit | Ran) -> None:
    made = opened(A)
    made.on(Unit(A, 1, 0, at(1)))
    made.on(Ran(at(2)))
    with pytest.raises(SchedulerError):
        made.on(event)
    assert sessions_of(made.on(Unit(A, 2, 0, at(6)))) == ["a"]


@pytest.mark.parametrize("wrong", [{"slots": 0}, {"full": 1.2}, {"relaxed": 0.9}, {"gather_ms": 900.0}, {"behind": 0}])
def test_settings_that_cannot_be(wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError):
        replace(SETTINGS, **wrong)  # type: ignore[arg-type]


def test_cost_is_learned() -> None:
    cost = Cost()
    for number in range(300):
        sessions, pictures = 1 + number % 4, number // 4 % 3
        cost.learn(sessions, pictures, 50 + 10 * sessions + 100 * pictures)
    assert abs(cost.of(3, 1) - 180) < 1
    for _ in range(2000):  # always the same batch: what was learned of others holds, and nothing grows without end
        cost.learn(2, 1, 170)
    assert abs(cost.of(2, 1) - 170) < 1 and cost.of(4, 0) < 1000


class AnyOrder(RuleBasedStateMachine):
    """Whatever happens in whatever order: each unit of an open session runs exactly once and in order, in a slot of its own."""

    @initialize()
    def begin(self) -> None:
        self.made = Scheduler(SchedulerSettings(slots=2, behind=2))
        self.now = 0.0
        self.slots: dict[str, int] = {}
        self.sent: dict[str, int] = {}
        self.ran: dict[str, list[int]] = {}
        self.batch: tuple[Step, ...] = ()
        self.names = 0

    def feed(self, event: Open | Close | Unit | Ran | Tick) -> None:
        for effect in self.made.on(event):
            match effect:
                case Admit():
                    assert effect.slot not in self.slots.values() and effect.slot not in {step.slot for step in self.batch}
                    self.slots[effect.session] = effect.slot
                    self.sent[effect.session] = 0
                    self.ran[effect.session] = []
                case Run():
                    assert not self.batch and effect.steps
                    assert len({step.slot for step in effect.steps}) == len(effect.steps)
                    self.batch = effect.steps
                    for step in effect.steps:
                        assert self.slots[step.session] == step.slot
                        self.ran[step.session].append(step.index)
                case Free():
                    assert effect.slot not in self.slots.values() and effect.slot not in {step.slot for step in self.batch}
                case Refuse():
                    assert effect.why in ("slots", "load")
                case Late():
                    assert effect.late_ms >= 0

    @rule(wait=st.floats(0, 3000))
    def tick(self, wait: float) -> None:
        self.now += wait
        self.feed(Tick(at(self.now)))

    @rule()
    def open(self) -> None:
        self.names += 1
        self.feed(Open(SessionId(str(self.names)), at(self.now)))

    @rule(pick=st.integers(0, 9))
    def close(self, pick: int) -> None:
        if self.slots:
            name = sorted(self.slots)[pick % len(self.slots)]
            del self.slots[name]
            self.feed(Close(SessionId(name), at(self.now)))

    @rule(pick=st.integers(0, 9))
    def again(self, pick: int) -> None:
        if self.slots:
            old = sorted(self.slots)[pick % len(self.slots)]
            self.names += 1
            name = str(self.names)
            slot = self.slots[name] = self.slots.pop(old)
            self.sent[name], self.ran[name] = 0, []
            assert self.made.on(Again(SessionId(name), SessionId(old), at(self.now))) == [Admit(SessionId(name), Slot(slot))]

    @rule(pick=st.integers(0, 9), frames=st.integers(0, 2))
    def unit(self, pick: int, frames: int) -> None:
        if self.slots:
            name = sorted(self.slots)[pick % len(self.slots)]
            self.sent[name] += 1
            self.feed(Unit(SessionId(name), self.sent[name] - 1, frames, at(self.now)))

    @rule(took=st.floats(0, 2000))
    def finish(self, took: float) -> None:
        if self.batch:
            self.now += took
            self.batch = ()
            self.feed(Ran(at(self.now)))

    @invariant()
    def in_order_and_none_lost(self) -> None:
        for name, indexes in getattr(self, "ran", {}).items():
            assert indexes == list(range(len(indexes)))
            assert len(indexes) <= self.sent[name]
        if hasattr(self, "made"):
            waiting = any(self.sent[name] > len(self.ran[name]) for name in self.slots)
            assert not waiting or self.batch or self.made.next_look() is not None
            assert 0 <= self.made.load <= 1


TestAnyOrder = AnyOrder.TestCase
