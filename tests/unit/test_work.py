"""The lifecycle of a work item: the tables are the machine, and nothing else moves it."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ridealong.harness import work
from ridealong.harness.skill import Outcome, Provenance
from ridealong.harness.work import Delivery, Execution, PaperState, WorkItem, projection, step
from ridealong.proto.types import Precondition, Samples, SignalReading

pytestmark = pytest.mark.unit

AT = Samples(32_000)


def item(**changes: object) -> WorkItem:
    fresh = WorkItem(
        id="s-w1", session="s", request="warmer", words="make it warmer", locale="en", provenance=Provenance.DRIVER,
        capability="climate.set_temperature", arguments={"target": 22.5}, snapshot="s-s1", idempotency_key="k", intent_at=Samples(16_000),
    )  # fmt: skip
    return fresh._replace(**changes)  # type: ignore[arg-type]


EVENTS: list[work.WorkEvent] = [
    work.Start(AT), work.Complete(AT, "done"), work.Complete(AT, "which?", Outcome.ASKS), work.Fail(AT, "no"),
    work.Fail(AT, "no", Outcome.REFUSED, "moving"), work.LoseTrack(AT, "unsure"), work.Cancel(AT, "stopped"),
    work.CancelAcknowledged(AT, "stopped"), work.Supersede(AT, "s-w2"), work.Offer(AT), work.Admit(AT), work.Played(AT, "done"),
    work.Return(AT, "do"), work.Expire(AT), work.Withdraw(AT, "stop"),
]  # fmt: skip


def trace(*events: work.WorkEvent) -> WorkItem:
    current = item()
    for event in events:
        current = step(current, event)
    return current


def test_the_straight_way_through_keeps_four_times() -> None:
    done = trace(
        work.Start(Samples(17_000)), work.Complete(Samples(20_000), "22.5 degrees."), work.Offer(Samples(20_001)),
        work.Admit(Samples(21_000)), work.Played(Samples(40_000), "22.5 degrees."),
    )  # fmt: skip
    assert (done.intent_at, done.done_at, done.inserted_at, done.played_at) == (16_000, 20_000, 21_000, 40_000)
    assert (done.execution, done.delivery, done.attempts, done.revision) == (Execution.COMPLETED, Delivery.DELIVERED, 1, 5)
    assert done.over


def test_every_pair_outside_the_tables_raises_and_changes_nothing() -> None:
    for execution in Execution:
        for delivery in Delivery:
            before = item(execution=execution, delivery=delivery, reply="text")
            for event in EVENTS:
                legal = (execution, type(event)) in work.EXECUTION_TRANSITIONS or (
                    delivery,
                    type(event),
                ) in work.DELIVERY_TRANSITIONS
                if legal and not (isinstance(event, work.Offer) and not execution.over):
                    after = step(before, event)
                    assert after.revision == before.revision + 1
                else:
                    with pytest.raises(work.IllegalTransition):
                        step(before, event)
                    assert before == item(execution=execution, delivery=delivery, reply="text")


def test_there_is_nothing_to_offer_before_the_end_or_without_words() -> None:
    with pytest.raises(work.IllegalTransition):
        trace(work.Start(AT), work.Offer(AT))
    with pytest.raises(work.IllegalTransition):
        trace(work.Start(AT), work.Complete(AT, ""), work.Offer(AT))


@pytest.mark.parametrize("outcome", [Outcome.FAILED, Outcome.REFUSED, Outcome.UNKNOWN])
def test_a_failure_cannot_be_called_complete(outcome: Outcome) -> None:
    with pytest.raises(work.IllegalTransition):
        trace(work.Start(AT), work.Complete(AT, "done", outcome))


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(EVENTS), max_size=14))
def test_any_order_of_events_keeps_the_invariants(events: list[work.WorkEvent]) -> None:
    current = item()
    finished_once = False
    for event in events:
        try:
            after = step(current, event)
        except work.IllegalTransition:
            continue
        assert not (finished_once and after.execution is not current.execution), "an execution ends once"
        finished_once = after.execution.over
        if after.reply:
            assert after.execution.over or after.execution is Execution.CANCELLING
        if after.delivery is Delivery.DELIVERED:
            assert isinstance(event, work.Played) or current.delivery is Delivery.DELIVERED
            assert after.inserted_at is not None and after.played_at is not None
        if after.reply == "done":
            assert after.execution is Execution.COMPLETED
        current = after


def test_the_five_states_of_the_paper() -> None:
    assert projection(item()) is PaperState.QUEUED
    assert projection(item(execution=Execution.CANCELLING)) is PaperState.RUNNING
    assert projection(item(execution=Execution.FAILED, delivery=Delivery.PENDING)) is PaperState.COMPLETED
    assert projection(item(execution=Execution.COMPLETED, delivery=Delivery.DELIVERING)) is PaperState.DELIVERING
    assert projection(item(execution=Execution.COMPLETED, delivery=Delivery.DELIVERED)) is PaperState.DELIVERED


@pytest.mark.parametrize(
    ("reading", "broken"),
    [(10.0, ""), (60.0, ""), (61.0, "changed:Vehicle.Speed"), (None, "unknown:Vehicle.Speed"), ("fast", "changed:Vehicle.Speed")],
)
def test_validity_is_broken_by_change_and_by_ignorance(reading: float | str | None, broken: str) -> None:
    validity = work.Validity(0, (Precondition("Vehicle.Speed", at_most=60.0),))
    assert work.broken_condition(validity, 0, lambda path: SignalReading(path, reading)) == broken
    assert work.broken_condition(validity, 1, lambda path: SignalReading(path, reading)) == "revised"
