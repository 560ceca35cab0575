"""Effects outside the car: begun only with a yes, a declaration and a durable intent; what is not answered is not known."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from ridealong.harness.port import GuardedPort
from ridealong.harness.runner import Job
from ridealong.harness.skill import Confirmation, Outcome, Provenance, Skill, Spoken
from ridealong.proto.types import ActuationResult, ActuationState, SignalWrite
from tests.unit.harness_scene import FakeCar, obey

pytestmark = pytest.mark.unit


class Scene:
    def __init__(
        self, *, provenance: Provenance = Provenance.DRIVER, confirmed: Confirmation = Confirmation.EXPLICIT, durable: bool = True
    ) -> None:
        self.log: list[str] = []

        async def intend(work_id: str, key: str, writes: Sequence[SignalWrite]) -> bool:
            self.log.append(f"intent {key} {writes[0].path}={writes[0].value}")
            return durable

        skill = Skill("list.add", "Adds.", obey, lambda text, locale, context: None, "mcp", {}, {}, actuates=("mcp:list.add",))
        self.job = Job("w", skill)
        self.port = GuardedPort(
            FakeCar(), self.job, provenance, confirmed, intend, lambda key, result: self.log.append(f"result {key} {result.state.value}")
        )  # fmt: skip

    async def do(self, key: str) -> ActuationResult:
        self.log.append(f"done {key}")
        return ActuationResult(key, ActuationState.CONFIRMED)

    def perform(self, what: str = "mcp:list.add") -> ActuationResult:
        return asyncio.run(self.port.perform(what, "milk", self.do))


def test_the_intent_is_written_before_and_the_result_after() -> None:
    scene = Scene()
    assert scene.perform().state is ActuationState.CONFIRMED
    assert scene.log == ["intent w.0 mcp:list.add=milk", "done w.0", "result w.0 confirmed"]
    assert scene.port.contradiction is None


@pytest.mark.parametrize(
    ("scene", "what", "reason"),
    [
        (Scene(confirmed=Confirmation.NONE), "mcp:list.add", "needs_confirmation"),
        (Scene(confirmed=Confirmation.SAID_BACK), "mcp:list.add", "needs_confirmation"),
        (Scene(provenance=Provenance.UNKNOWN), "mcp:list.add", "not_addressed"),
        (Scene(provenance=Provenance.OVERHEARD), "mcp:list.add", "not_addressed"),
        (Scene(), "mcp:list.remove", "undeclared"),
        (Scene(durable=False), "mcp:list.add", "journal"),
    ],
)
def test_nothing_is_done_without_all_of_it(scene: Scene, what: str, reason: str) -> None:
    result = scene.perform(what)
    assert (result.state, result.reason) == (ActuationState.REFUSED, reason)
    assert not any(line.startswith("done") for line in scene.log)
    assert scene.port.contradiction is Outcome.REFUSED and not scene.port.uncertain


def test_work_that_is_being_stopped_begins_nothing() -> None:
    scene = Scene()
    scene.job.stopping = True
    assert scene.perform().reason == "cancelled" and scene.log == []


def test_what_was_cut_off_is_not_known() -> None:
    scene = Scene()

    async def hang(key: str) -> ActuationResult:
        await asyncio.sleep(1_000)
        raise AssertionError

    async def run() -> Spoken:
        task = asyncio.create_task(scene.port.perform("mcp:list.add", "milk", hang))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        return Spoken("")

    asyncio.run(run())
    assert scene.port.uncertain and scene.port.contradiction is Outcome.UNKNOWN and scene.log == ["intent w.0 mcp:list.add=milk"]
