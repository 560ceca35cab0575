"""Any order of asking, cancelling, completing, answering, delivering and acknowledging: what a spoken cancel claims is so, and stays so.

"Cancelled" is said only of what stopped with nothing done, and nothing of it is sent or said afterwards; "already done" only of what the
car confirmed; and no write leaves for the car once its work was asked to stop.
"""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ridealong.harness.harness import WorkChanged
from ridealong.harness.journal import Journal
from ridealong.harness.work import Delivery, Execution, WorkItem
from ridealong.proto.types import ActuationState
from tests.unit.busy_scene import Busy
from tests.unit.harness_scene import play

pytestmark = pytest.mark.unit

REQUESTS = [
    "Search for shops.",
    "Search for the cheapest shop.",
    "Raise the antenna.",
    "Raise both antennas.",
    "Set a timer for two seconds.",
]
OPERATIONS = [
    "Cancel the search.", "Cancel the antenna.", "Forget the timer.", "Never mind.", "Cancel that.", "Cancel everything.", "The first one.",
    "Is the search done yet?", "What are you doing?", "Make it the cheapest instead.", "How much time is left?", "Stop.", "Go on.",
]  # fmt: skip
STEPS = st.one_of(
    st.tuples(st.just("ask"), st.sampled_from(REQUESTS), st.floats(0, 900)),
    st.tuples(st.just("say"), st.sampled_from(OPERATIONS), st.just(0)),
    st.tuples(st.just("say"), st.sampled_from(OPERATIONS[:6]), st.just(0)),
    st.tuples(st.just("wait"), st.sampled_from([1, 45, 110, 400, 2_100, 3_100]), st.just(0)),
    st.tuples(st.just("boundary"), st.sampled_from([0.0, 2_500.0]), st.just(0)),
    st.tuples(st.sampled_from(["started", "finished", "flushed", "withdraw"]), st.integers(0, 8), st.just(0)),
)


@settings(max_examples=120, deadline=None)
@given(
    steps=st.lists(STEPS, max_size=24),
    answers=st.lists(st.sampled_from(list(ActuationState)), max_size=6),
    delay_ms=st.sampled_from([1.0, 100.0, 900.0, 2_600.0]),
)
def test_a_cancel_claims_only_what_is_so(
    tmp_path_factory: pytest.TempPathFactory,
    steps: list[tuple[str, object, float]],
    answers: list[ActuationState],
    delay_ms: float,
) -> None:
    folder = tmp_path_factory.mktemp("races")
    scene = Busy(folder)
    scene.car.answers, scene.car.delay_ms = list(answers), delay_ms
    sent_while: list[tuple[str, Execution]] = []

    def look(key: str) -> None:
        sent_while.append((key, scene.harness.items[key.rpartition(".")[0]].execution))

    scene.car.before_sending = look

    async def script(s: Busy) -> None:
        for word, first, second in steps:
            ids = list(s.harness.items)
            match word:
                case "ask":
                    s.before_ms, s.search_ms = second, second * 3
                    s.ask(str(first))
                    await asyncio.sleep(0)
                case "say":
                    s.ask(str(first))
                case "wait":
                    assert isinstance(first, int)
                    await asyncio.sleep(first / 1000)
                case "boundary":
                    assert isinstance(first, float)
                    s.boundary(quiet_ms=first)
                case "withdraw":
                    assert isinstance(first, int)
                    if ids:
                        s.harness.cancel(ids[first % len(ids)])
                case _:
                    assert isinstance(first, int)
                    if ids:
                        s.played(ids[first % len(ids)], word, "The" if word != "finished" else "All of it.")
        await asyncio.sleep(12)
        for _ in range(4):
            for reply in s.boundary():
                s.played(reply.partition(":")[0], "finished", "All of it.")

    play(scene, script)

    assert all(execution is Execution.RUNNING for _, execution in sent_while), "nothing is sent for work that was asked to stop"
    changes = [event.item for event in scene.events if isinstance(event, WorkChanged)]
    final = {item.id: item for item in changes}
    journal = Journal(folder / "journal.sqlite", read_only=True)
    assert {item.id: item for item in journal.items()} == final
    for at, item in enumerate(changes):
        if item.capability == "work.cancel" and item.reply and item.delivery is Delivery.NONE:
            _check(item, changes[at:], final, journal)


def _check(cancel: WorkItem, later: list[WorkItem], final: dict[str, WorkItem], journal: Journal) -> None:
    """The claims of one cancel against what the journal shows, then and ever after."""
    ids = str(cancel.arguments["items"]).split()
    cancelled = [id for id in ids if final[id].execution is Execution.CANCELLED]
    confirmed = {id: [one.state == "confirmed" for one in journal.intents(id)] for id in ids}
    if "I've cancelled" in cancel.reply:
        assert cancelled
        if len(ids) == 1:
            assert final[ids[0]].execution is Execution.CANCELLED and final[ids[0]].delivery is not Delivery.DELIVERED
            assert not any(confirmed[ids[0]])
            told = [item for item in later if item.id == ids[0] and item.delivery in (Delivery.DELIVERING, Delivery.DELIVERED)]
            assert not told, "it is cancelled and told"
    if "already done." in cancel.reply and "part of" not in cancel.reply:
        done = [id for id in ids if final[id].execution is Execution.COMPLETED and final[id].capability.startswith("raise")]
        assert done and all(all(confirmed[id]) and confirmed[id] for id in done)
        for id in done:
            assert final[id].delivery in (Delivery.WITHDRAWN, Delivery.DELIVERED)
            assert not any(item.id == id and item.delivery is Delivery.DELIVERING for item in later), "it would be said twice"
    if "part of that" in cancel.reply:
        assert any(any(states) for states in confirmed.values())
    if len(ids) == 1 and final[ids[0]].execution is Execution.CANCELLED:
        assert "already done" not in cancel.reply
