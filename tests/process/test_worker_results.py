"""Results of skills in real workers: what makes one worth saying, what it found, and a newer one in its place; what does not fit harms its own item."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from tests.unit.harness_scene import FakeCar, Scene

from ridealong.harness.harness import Harness
from ridealong.harness.journal import Journal
from ridealong.harness.registry import Registry
from ridealong.harness.router import Router
from ridealong.harness.runner import LoopClock
from ridealong.harness.sentences import sentence
from ridealong.harness.snapshot import Evidence
from ridealong.harness.work import Execution
from ridealong.harness.worker.hosted import Package
from ridealong.harness.worker.pool import Pool

pytestmark = [pytest.mark.process, pytest.mark.skipif(sys.platform != "linux", reason="workers need Linux")]

SPEED = "Vehicle.Speed"
LOTS = """
import os
from ridealong.harness.patterns import patterns
from ridealong.harness.skill import Call, Holds, Outcome, Precondition, Spoken, Still, skill

NOTHING = {"type": "object", "properties": {}, "additionalProperties": False}
SPEED = "Vehicle.Speed"

@skill("lots.find", description="finds a parking space", group="status", recognise=patterns("lots.find", en=("find [a] parking [space]",)),
       arguments_schema=NOTHING, examples={"en": ("find parking",)}, gives=("place",))
async def find(call: Call) -> Spoken:
    return Spoken("There is room at the lake.", gives={"place": "lake"})

@skill("lots.book", description="books a parking space", group="status",
       recognise=patterns("lots.book", en=("book {place:found}",), required=("place",), questions={"en": "Which one?"},
                          found={"place": ("lots.find", "lots.bad", "lots.odd")}),
       arguments_schema={"type": "object", "properties": {"place": {"type": "string", "enum": ["lake", "hill"]}}, "required": ["place"], "additionalProperties": False},
       examples={"en": ("book it",)})
async def book(call: Call) -> Spoken:
    return Spoken(f"A place at the {call.arguments['place']} is yours.")

@skill("lots.odd", description="finds what cannot be booked", group="status", recognise=patterns("lots.odd", en=("find a garage",)),
       arguments_schema=NOTHING, examples={"en": ("find a garage",)}, gives=("place",))
async def odd(call: Call) -> Spoken:
    return Spoken("There is a garage.", gives={"place": "moon"})

@skill("lots.pace", description="says how fast it is", group="status", recognise=patterns("lots.pace", en=("what is the pace",)),
       arguments_schema=NOTHING, examples={"en": ("what is the pace",)}, reads=(SPEED,), renewable=True)
async def pace(call: Call) -> Spoken:
    value = call.signals.read(SPEED).value
    return Spoken(f"It is {value:g}.", holds=Holds(still=(Still(SPEED, value, 0.0, read=True),)))

@skill("lots.exit", description="names the exit", group="status", recognise=patterns("lots.exit", en=("which exit", "what exit is ours")),
       arguments_schema=NOTHING, examples={"en": ("which exit",)}, reads=(SPEED,))
async def exit_(call: Call) -> Spoken:
    return Spoken("Take the next one.", holds=Holds(conditions=(Precondition(SPEED, at_most=60.0),)))

@skill("lots.bad", description="says what is no result", group="status", recognise=patterns("lots.bad", en=("show {what:text}",)),
       arguments_schema={"type": "object", "properties": {"what": {"type": "string"}}, "additionalProperties": False}, examples={"en": ("show it",)},
       reads=(SPEED,), gives=("place",))
async def bad(call: Call) -> Spoken:
    still = Still(SPEED, 1.0)
    match call.arguments["what"]:
        case "a stranger":
            return Spoken("Here.", gives={"secret": "lake"})
        case "a nest":
            return Spoken("Here.", gives={"place": {"a": ["lake"]}})
        case "a novel":
            return Spoken("Here.", gives={"place": "x" * 5000})
        case "a library":
            return Spoken("Here.", gives={"place": "x" * 5_000_000})
        case "itself":
            return Spoken("Here.", gives={"place": call})
        case "infinity":
            return Spoken("Here.", holds=Holds(still=(Still(SPEED, float("nan")),)))
        case "elsewhere":
            return Spoken("Here.", holds=Holds(still=(Still("Vehicle.CurrentLocation.Latitude", 1.0),)))
        case "a crowd":
            return Spoken("Here.", holds=Holds(still=(still,) * 3000))
        case "bare words":
            return Spoken("Here.", holds="always")
        case "eternity":
            return Spoken("Here.", holds=Holds(for_ms=10**15))
    return Spoken("Well.")
"""


class Ride(Scene):
    """Words through the real router to skills in real workers, in real time."""

    def __init__(self, folder: Path) -> None:
        self.events, self.loaded = [], False
        self.folder, self.car, self.evidence, self.registry = folder, FakeCar(), Evidence(), Registry()
        self.journal = Journal(folder / "journal.sqlite")
        self.harness = Harness(
            "s", self.registry, Router(self.registry), self.journal, self.car, LoopClock(), self.evidence, self.events.append, self.now
        )  # fmt: skip

    async def over(self, words: str) -> list[tuple[Execution, str]]:
        """Of what the words led to."""
        before = set(self.harness.items)
        self.ask(words)
        async with asyncio.timeout(30):
            while not (new := self.harness.items.keys() - before) or not all(self.harness.items[id].execution.over for id in new):  # noqa: ASYNC110
                await asyncio.sleep(0.01)
        return [(self.harness.items[id].execution, self.harness.items[id].reply) for id in sorted(new)]

    async def heard(self) -> str:
        """The next thing that is said."""
        async with asyncio.timeout(30):
            while not (lines := self.boundary()):  # noqa: ASYNC110
                await asyncio.sleep(0.01)
        work_id, _, text = lines[0].partition(": ")
        self.played(work_id, "started")
        self.played(work_id, "finished", text)
        return text


def ride(folder: Path, script: Callable[[Ride], Awaitable[None]]) -> None:
    (folder / "lots.py").write_text(LOTS)

    async def play() -> None:
        one, pool = Ride(folder), Pool(Package("lots", folder, memory_mb=256), first_pause_ms=0)
        try:
            assert one.registry.offer("lots", await pool.open()) == []
            async with asyncio.TaskGroup() as group:
                group.create_task(one.harness.run())
                try:
                    await script(one)
                finally:
                    await one.harness.close()
        finally:
            await pool.close()
            one.journal.close()

    asyncio.run(play())


def test_what_a_skill_finds_another_takes_in_one_sentence_and_in_the_next(tmp_path: Path) -> None:
    async def script(one: Ride) -> None:
        assert [reply for _, reply in await one.over("find parking and book it")] == [
            "There is room at the lake.",
            "A place at the lake is yours.",
        ]
        await one.over("find a parking space")
        assert await one.over("book that one") == [(Execution.COMPLETED, "A place at the lake is yours.")]

    ride(tmp_path, script)


def test_what_does_not_fit_the_other_s_contract_is_not_taken(tmp_path: Path) -> None:
    async def script(one: Ride) -> None:
        (_, found), (state, _) = await one.over("find a garage and book it")
        assert found == "There is a garage." and state is not Execution.COMPLETED

    ride(tmp_path, script)


def test_an_answer_that_is_not_so_any_more_is_found_anew(tmp_path: Path) -> None:
    async def script(one: Ride) -> None:
        one.car.values = {SPEED: 50.0}
        assert await one.over("what is the pace") == [(Execution.COMPLETED, "It is 50.")]
        one.car.values = {SPEED: 80.0}
        assert await one.heard() == "It is 80." and len(one.harness.items) == 2

    ride(tmp_path, script)


def test_what_holds_no_more_is_not_said(tmp_path: Path) -> None:
    async def script(one: Ride) -> None:
        one.car.values = {SPEED: 50.0}
        await one.over("which exit")
        assert await one.heard() == "Take the next one."
        await one.over("what exit is ours")
        one.car.values = {SPEED: 90.0}
        async with asyncio.timeout(30):
            while [item.delivery.value for item in one.harness.items.values()] != ["delivered", "withdrawn"]:
                assert one.boundary() == []
                await asyncio.sleep(0.01)

    ride(tmp_path, script)


def test_a_result_that_is_none_fails_alone_and_nothing_of_it_is_used(tmp_path: Path) -> None:
    async def script(one: Ride) -> None:
        for what in (
            "a stranger", "a nest", "a novel", "a library", "itself", "infinity", "elsewhere", "a crowd", "bare words", "eternity",
        ):  # fmt: skip
            assert await one.over(f"show {what}") == [(Execution.FAILED, sentence("failed", "en"))], what
        assert await one.over("show a well") == [(Execution.COMPLETED, "Well.")]

    ride(tmp_path, script)
