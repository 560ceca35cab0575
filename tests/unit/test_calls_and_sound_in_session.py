"""Through a whole session: a call is placed once after a yes that was put, and unmuting finds how loud it was."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from ridealong.harness.harness import Harness
from ridealong.harness.journal import Journal
from ridealong.harness.router import Router
from ridealong.harness.runner import LoopClock
from ridealong.harness.snapshot import Evidence
from ridealong.harness.tagged import untagged
from ridealong.harness.tagged_router import TaggedRouter
from ridealong.proto.types import ActuationResult, ActuationState, SignalReading
from ridealong.vehicle_skills.builtin import builtin_registry
from ridealong.vehicle_skills.phone.contacts import Contact, ContactList
from ridealong.vehicle_skills.phone.skill import Phone
from ridealong.vehicle_skills.signals import MEDIA_VOLUME
from tests.unit.harness_scene import FakeCar, Scene, play

pytestmark = pytest.mark.unit

PEOPLE = ContactList((Contact("Ben", "", (), {"mobile": "0170 5550104"}), Contact("Anna", "", (), {"home": "089 12345"})))


class Line:
    def __init__(self) -> None:
        self.dialled: list[str] = []

    async def dial(self, number: str, name: str, key: str) -> ActuationResult:
        self.dialled.append(number)
        return ActuationResult(key, ActuationState.CONFIRMED)


class Session(Scene):
    """The real skills and routers, with a phone; a car that obeys."""

    def __init__(self, folder: Path) -> None:
        self.events, self.loaded = [], False
        self.car, self.evidence, self.line = FakeCar(), Evidence(), Line()
        self.journal = Journal(folder / "journal.sqlite")
        registry = builtin_registry(phone=Phone(PEOPLE, self.line))
        router = TaggedRouter(Router(registry), untagged)
        self.harness = Harness(
            "s", registry, router, self.journal, self.car, LoopClock(), self.evidence, self.events.append, self.now
        )  # fmt: skip

    def shows(self, **values: object) -> None:
        for path, value in values.items():
            self.car.values[path] = value
            self.evidence.observe_signals(self.now(), [SignalReading(path, value)])  # type: ignore[arg-type]

    async def talk(self, words: str) -> list[str]:
        """What is said within three seconds of these words."""
        self.ask(words)
        said = []
        for _ in range(60):
            for line in self.boundary():
                work_id, _, text = line.partition(": ")
                said.append(text)
                self.played(work_id, "started")
                self.played(work_id, "finished", text)
            await asyncio.sleep(0.05)
        return said


def session(folder: Path, script: Callable[[Session], Awaitable[None]]) -> Session:
    scene = Session(folder)
    play(scene, script)
    return scene


def test_a_yes_places_the_call_that_was_asked_about_once(tmp_path: Path) -> None:
    async def script(s: Session) -> None:
        assert await s.talk("call Ben") == ["Shall I call Ben, mobile number 0 1 7 0, 5 5 5 0 1 0 4?"]
        assert s.line.dialled == []
        assert await s.talk("yes") == ["Calling Ben, mobile number 0 1 7 0, 5 5 5 0 1 0 4."]
        await s.talk("yes")
        assert s.line.dialled == ["01705550104"]

    session(tmp_path, script)


def test_no_is_no_and_another_name_is_asked_about_anew(tmp_path: Path) -> None:
    async def script(s: Session) -> None:
        await s.talk("call Ben")
        assert await s.talk("no, Anna") == ["Shall I call Anna, home number 0 8 9, 1 2 3 4 5?"]
        await s.talk("no")
        await s.talk("yes")
        assert s.line.dialled == []

    session(tmp_path, script)


def test_unmuting_puts_back_how_loud_the_car_was_when_it_was_muted(tmp_path: Path) -> None:
    async def script(s: Session) -> None:
        s.shows(**{MEDIA_VOLUME: 35})
        await s.talk("mute the music")
        s.shows(**{MEDIA_VOLUME: 0})
        await s.talk("next song")
        await s.talk("unmute")
        assert [write.value for _, writes in s.car.sent for write in writes if write.path == MEDIA_VOLUME] == [0, 35]

    session(tmp_path, script)
