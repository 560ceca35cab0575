"""Any interleaving of requests, pauses, boundaries, acknowledgments, cancels and car answers keeps the promises.

Nothing is done or said twice, DELIVERED only follows a finished acknowledgment of something admitted, no claim to have acted
unless all of the execution is confirmed, and the journal says what the harness says.
"""

import asyncio

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ridealong.harness.claims import claims_in
from ridealong.harness.harness import WorkChanged
from ridealong.harness.journal import Journal
from ridealong.harness.sentences import SENTENCES
from ridealong.harness.skill import Outcome, Provenance
from ridealong.harness.work import Delivery, Execution
from ridealong.proto.types import ActuationState
from tests.unit.harness_scene import TEMPERATURE, Scene, play

pytestmark = pytest.mark.unit

OURS = {said for both in SENTENCES.values() for said in both}
"""Of the harness's own: "I stopped that" is true of what was cancelled."""
REQUESTS = st.sampled_from(
    [
        "look: say Done.",
        "look: say The sun is out. I've opened the window.",
        "look: wait 2500 | say Done.",
        f"act: write {TEMPERATURE}=21 | say Done.",
        f"act: wait 300 | write {TEMPERATURE}=21 | write {TEMPERATURE}=22 | say Done.",
        f"revise act: write {TEMPERATURE}=20 | say Done.",
        "look+act: say Done.",
        "act: raise",
        "act: refuse Not while moving.",
        "act: ask Really?",
        "short: wait 9000 | say Done.",
        "yes+look: say Done.",
        "stop",
        "which?",
        "crash",
    ]
)
STEPS = st.one_of(
    st.tuples(st.just("ask"), REQUESTS, st.sampled_from([Provenance.DRIVER, Provenance.UNKNOWN, Provenance.OVERHEARD])),
    st.tuples(st.just("wait"), st.sampled_from([1, 120, 900, 4_000]), st.none()),
    st.tuples(st.just("boundary"), st.booleans(), st.sampled_from([0.0, 900.0, 2_500.0])),
    st.tuples(st.sampled_from(["started", "finished", "flushed", "cancel"]), st.integers(0, 6), st.none()),
)
ANSWERS = st.lists(st.sampled_from(list(ActuationState)), max_size=8)


@settings(max_examples=60, deadline=None)
@given(steps=st.lists(STEPS, max_size=30), answers=ANSWERS)
def test_the_promises_hold(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, object, object]], answers: list[ActuationState]
) -> None:
    folder = tmp_path_factory.mktemp("harness")
    scene = Scene(folder)
    scene.car.answers = list(answers)
    admitted: list[str] = []
    finished: set[str] = set()

    async def script(s: Scene) -> None:
        for word, first, second in steps:
            ids = list(s.harness.items)
            match word:
                case "ask":
                    assert isinstance(first, str) and isinstance(second, Provenance)
                    s.ask(first, provenance=second)
                case "wait":
                    assert isinstance(first, int)
                    await asyncio.sleep(first / 1000)
                case "boundary":
                    assert isinstance(first, bool) and isinstance(second, float)
                    said = s.boundary(free=first, quiet_ms=second)
                    assert len(said) <= (1 if first else 0)
                    admitted.extend(reply.partition(":")[0] for reply in said)
                case "cancel":
                    assert isinstance(first, int)
                    if ids:
                        s.harness.cancel(ids[first % len(ids)])
                case _:
                    assert isinstance(first, int)
                    if ids:
                        work_id = ids[first % len(ids)]
                        finished.update({work_id} if word == "finished" else ())
                        s.played(work_id, word, "Done." if word == "finished" else "Do")
        await asyncio.sleep(5)
        for _ in range(3):  # a quiet moment: some of what waits is told
            for reply in s.boundary():
                work_id = reply.partition(":")[0]
                admitted.append(work_id)
                finished.add(work_id)
                s.played(work_id, "finished", "Done.")

    play(scene, script)

    changes = [event.item for event in scene.events if isinstance(event, WorkChanged)]
    for work_id in {item.id for item in changes}:
        history = [item for item in changes if item.id == work_id]
        assert [item.revision for item in history] == list(range(len(history)))
        assert sum(item.execution is Execution.RUNNING and item.revision == 1 for item in history) <= 1
        assert admitted.count(work_id) <= 2 and max(item.attempts for item in history) <= 3
        final = history[-1]
        assert final.over
        if final.delivery is Delivery.DELIVERED:
            assert work_id in finished and work_id in admitted
        if claims_in(final.reply) and final.reply not in OURS:
            intents = reader(folder).intents(work_id)
            assert final.execution is Execution.COMPLETED and final.outcome is Outcome.COMPLETED
            assert intents and all(intent.state == "confirmed" for intent in intents), (final, intents)
    keys = [key for key, _ in scene.car.sent]
    assert len(keys) == len(set(keys)), "one key, one actuation"
    journal = reader(folder)
    assert {item.id: item for item in journal.items()} == {item.id: item for item in changes}
    assert set(keys) <= {intent.key for item in journal.items() for intent in journal.intents(item.id)}


def reader(folder) -> Journal:  # type: ignore[no-untyped-def]
    return Journal(folder / "journal.sqlite", read_only=True)
