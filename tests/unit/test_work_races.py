"""Any order of asking, cancelling, completing, answering, delivering and acknowledging: what a spoken cancel claims is so, and stays so.

"Cancelled" is said only of what stopped with nothing done, and nothing of it is sent or said afterwards; "already done" only of what the
car confirmed; and no write leaves for the car once its work was asked to stop.
"""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ridealong.harness.harness import WorkChanged
from ridealong.harness.journal import Journal
from ridealong.harness.work import Delivery, Execution, WorkItem
from ridealong.proto.types import ActuationState
from tests.unit.busy_scene import Busy
from tests.unit.harness_scene import play

pytestmark = pytest.mark.unit

KINDS = {
    "Search for shops.": "Cancel the search.",
    "Search for the cheapest shop.": "Stop searching.",
    "Raise the antenna.": "Cancel the antenna.",
    "Raise both antennas.": "Cancel the antennas.",
    "Set a timer for two seconds.": "Forget the timer.",
}
OTHERS = [
    "Never mind.",
    "Cancel everything.",
    "The first one.",
    "Is the search done yet?",
    "What are you doing?",
    "Make it the cheapest instead.",
    "Stop.",
    "Go on.",
]
STEPS = st.one_of(
    st.just(("cancel", 0)),
    st.tuples(st.just("wait"), st.sampled_from([1, 45, 110, 400, 2_100])),
    st.tuples(st.just("boundary"), st.sampled_from([0, 2_500])),
    st.tuples(st.sampled_from(["started", "finished", "flushed"]), st.integers(0, 1)),
    st.tuples(st.just("say"), st.integers(0, len(OTHERS) - 1)),
    st.tuples(st.just("stop"), st.integers(0, 1)),
)
ROUNDS = st.lists(
    st.tuples(st.sampled_from(list(KINDS)), st.sampled_from([0.0, 60.0, 500.0]), st.lists(STEPS, min_size=1, max_size=6)),
    min_size=1,
    max_size=3,
)


@example(  # called off twice: the first gives up waiting while the second still looks on
    rounds=[("Raise the antenna.", 0.0, [("wait", 400), ("cancel", 0), ("wait", 400), ("say", 0)])], answers=[], delay_ms=2_600.0
)
@settings(max_examples=150, deadline=None)
@given(
    rounds=ROUNDS,
    answers=st.lists(st.sampled_from([ActuationState.CONFIRMED, *ActuationState]), max_size=4),
    delay_ms=st.sampled_from([1.0, 100.0, 900.0, 2_600.0]),
)
def test_a_cancel_claims_only_what_is_so(
    tmp_path_factory: pytest.TempPathFactory,
    rounds: list[tuple[str, float, list[tuple[str, int]]]],
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
        for request, takes_ms, steps in rounds:
            s.before_ms = s.search_ms = takes_ms
            s.ask(request)
            await asyncio.sleep(0)
            asked = list(s.harness.items)[-1:]
            for word, n in steps:
                near = asked[0] if n == 0 else list(s.harness.items)[-1]
                match word:
                    case "cancel":
                        s.ask(KINDS[request])
                    case "say":
                        s.ask(OTHERS[n])
                    case "wait":
                        await asyncio.sleep(n / 1000)
                    case "boundary":
                        s.boundary(quiet_ms=float(n))
                    case "stop":
                        s.harness.cancel(near)
                    case _:
                        s.played(near, word, "All of it." if word == "finished" else "The")
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
        if item.reason.startswith("superseded:"):
            later = [one.delivery for one in changes[at:] if one.id == item.id]
            assert Delivery.DELIVERING not in later and Delivery.DELIVERED not in later, "the older version is told"
        if item.capability == "work.cancel" and "items" in item.arguments and item.reply and item.delivery is Delivery.NONE:
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
