"""Reminders in sessions: set, told, listed, called off, and what outlives a session and its node."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import datetime
from pathlib import Path

import pytest

from ridealong.cloud.reminding import Reminding
from ridealong.errors import UserError
from ridealong.harness.daytime import SetDaytime
from ridealong.harness.harness import Harness, HarnessEvent, WorkChanged
from ridealong.harness.journal import Journal
from ridealong.harness.reminder_store import ReminderStore, beside
from ridealong.harness.reminders import MAX_PER_DEVICE
from ridealong.harness.router import Router
from ridealong.harness.runner import LoopClock
from ridealong.harness.skill import Provenance
from ridealong.harness.snapshot import Evidence
from ridealong.simulators.virtual_time import run_virtual
from ridealong.vehicle_skills.builtin import builtin_registry
from tests.unit.harness_scene import FakeCar, Scene

pytestmark = pytest.mark.unit
AFTERNOON = datetime(2026, 11, 30, 15, 0)
REGISTRY = builtin_registry()


class Minded(Scene):
    """A session of a device; `at` is the time of day at which it begins."""

    def __init__(self, folder: Path, at: datetime = AFTERNOON, *, session: str = "s", device: str = "d1") -> None:
        self.events, self.loaded, self._at = [], False, at
        self.car, self.evidence, self.journal = FakeCar(), Evidence(), Journal(folder / "journal.sqlite")
        self.store = ReminderStore(beside(self.journal.path))
        self._session, self._device = session, device

    def begin(self) -> None:
        """On the loop, whose clock the time of day goes on with."""
        self.reminding = Reminding(self.store, self._device, SetDaytime(self._at, LoopClock()))

        def changed(event: HarnessEvent) -> None:
            self.events.append(event)
            if isinstance(event, WorkChanged):
                self.reminding.on_work(event.item)

        self.harness = Harness(
            self._session, REGISTRY, Router(REGISTRY), self.journal, self.car, LoopClock(), self.evidence, changed, self.now,
            reminders=self.reminding, device=self._device,
        )  # fmt: skip

    def say(self, words: str, locale: str = "en") -> None:
        self.harness.feed(f"<delegate>{words}</delegate>", self.now(), words, locale, Provenance.DRIVER, True)

    async def hears(self, seconds: float) -> list[str]:
        """All that is said within this time."""
        heard = []
        for _ in range(max(1, round(seconds))):
            await asyncio.sleep(1)
            for reply in self.boundary():
                work_id, _, text = reply.partition(": ")
                self.played(work_id, "started")
                self.played(work_id, "finished", text)
                heard.append(text)
        return heard

    @property
    def texts(self) -> list[str]:
        return [one.text for one in self.reminding.kept()]


def mind(scene: Minded, story: Callable[[Minded], Awaitable[None]]) -> None:
    async def both() -> None:
        scene.begin()
        async with asyncio.TaskGroup() as group:
            group.create_task(scene.harness.run())
            await asyncio.sleep(0)
            try:
                await story(scene)
            finally:
                await scene.harness.close()

    try:
        run_virtual(both())
    finally:
        scene.store.close()
        scene.journal.close()


def test_it_is_told_at_the_next_such_hour_and_then_kept_no_longer(tmp_path: Path) -> None:
    async def story(s: Minded) -> None:
        s.say("Remind me to call my sister at six.")
        await asyncio.sleep(2)
        item = next(iter(s.harness.items.values()))
        assert s.harness.beginning(item.id)[1] == "Okay, I'll remind you at 6 in the evening."
        assert s.texts == ["call my sister"]
        assert await s.hears(3 * 3600 - 30) == []
        assert await s.hears(60) == ["Remember: call your sister."]
        assert s.texts == []

    mind(Minded(tmp_path), story)


def test_chinese(tmp_path: Path) -> None:
    async def story(s: Minded) -> None:
        s.say("半小时后提醒我买牛奶", "zh")
        await asyncio.sleep(1)
        item = next(iter(s.harness.items.values()))
        assert s.harness.beginning(item.id)[1] == "好的，三十分钟后提醒您。"
        assert await s.hears(1900) == ["提醒您：买牛奶。"]

    mind(Minded(tmp_path), story)


def test_what_is_not_due_goes_on_in_the_next_session_of_the_device_and_node(tmp_path: Path) -> None:
    async def set_it(s: Minded) -> None:
        s.say("Remind me to buy milk at six.")
        await asyncio.sleep(5)

    async def later(s: Minded) -> None:
        assert await s.hears(1800) == []
        assert s.texts == ["buy milk"]
        s.say("What are my reminders?")
        assert await s.hears(5) == ["You have one reminder: at 6 in the evening, buy milk."]
        assert await s.hears(1800) == ["Remember: buy milk."]
        assert s.texts == []

    mind(Minded(tmp_path), set_it)
    mind(Minded(tmp_path, datetime(2026, 11, 30, 17, 0), session="other", device="d2"), _nothing)
    mind(Minded(tmp_path, datetime(2026, 11, 30, 17, 0), session="next"), later)
    mind(Minded(tmp_path, datetime(2026, 12, 1, 17, 0), session="last"), _nothing)


async def _nothing(s: Minded) -> None:
    assert await s.hears(7200) == [] and s.texts == []


def test_what_fell_due_meanwhile_is_told_late_and_says_so(tmp_path: Path) -> None:
    async def set_it(s: Minded) -> None:
        s.say("Remind me to buy milk at six.")
        await asyncio.sleep(5)

    async def later(s: Minded) -> None:
        heard = await s.hears(30)
        assert heard == ["This reminder comes late, it was for yesterday at 6 in the evening: buy milk."]
        assert s.texts == []

    mind(Minded(tmp_path), set_it)
    mind(Minded(tmp_path, datetime(2026, 12, 1, 9, 0), session="next"), later)


def test_what_was_due_but_not_heard_is_told_in_the_next_session(tmp_path: Path) -> None:
    async def set_it(s: Minded) -> None:
        s.say("Remind me to buy milk in ten minutes.")
        await asyncio.sleep(700)  # nobody could be told

    async def later(s: Minded) -> None:
        assert [text.rpartition(": ")[2] for text in await s.hears(30)] == ["buy milk."]

    mind(Minded(tmp_path), set_it)
    mind(Minded(tmp_path, datetime(2026, 11, 30, 16, 0), session="next"), later)


@pytest.mark.parametrize(
    "words", ["Cancel the reminder about milk.", "Forget the reminder about the milk.", "Cancel the reminder to buy milk."]
)
def test_what_is_called_off_is_kept_no_longer(tmp_path: Path, words: str) -> None:
    async def story(s: Minded) -> None:
        s.say("Remind me to buy milk at six.")
        await asyncio.sleep(1)
        s.say("Remind me to call the bank at seven.")
        await asyncio.sleep(1)
        s.say("Set a timer for ten minutes.")
        await asyncio.sleep(1)
        s.say(words)
        assert await s.hears(10) == ["Okay, I've cancelled the reminder “buy milk”."]
        assert s.texts == ["call the bank"]
        s.say(words)
        await s.hears(10)
        assert s.texts == ["call the bank"]

    async def later(s: Minded) -> None:
        assert await s.hears(2) == []
        s.say("Cancel the reminder.")
        assert await s.hears(10) == ["Okay, I've cancelled the reminder “call the bank”."]
        assert s.texts == []

    mind(Minded(tmp_path), story)
    mind(Minded(tmp_path, session="next"), later)
    mind(Minded(tmp_path, datetime(2026, 12, 1, 9, 0), session="last"), _nothing)


def test_another_time_replaces_the_one_before(tmp_path: Path) -> None:
    async def story(s: Minded) -> None:
        s.say("Remind me to buy milk at six.")
        await asyncio.sleep(2)
        for words, at in (
            ("No, at eight.", "20:00"),
            ("Change the reminder to half past seven.", "19:30"),
            ("不对，九点", "21:00"),
        ):
            s.say(words)
            await asyncio.sleep(2)
            assert [(one.text, one.arguments["at"]) for one in s.reminding.kept()] == [("buy milk", at)]

    mind(Minded(tmp_path), story)


def test_how_long_is_left_is_known(tmp_path: Path) -> None:
    async def story(s: Minded) -> None:
        s.say("Remind me to buy milk at four.")
        await asyncio.sleep(600)
        s.say("How long is left on the reminder?")
        assert await s.hears(5) == ["About fifty minutes left on the reminder “buy milk”."]

    mind(Minded(tmp_path), story)


def test_a_device_has_so_many(tmp_path: Path) -> None:
    async def story(s: Minded) -> None:
        for number in range(MAX_PER_DEVICE + 1):
            s.say(f"Remind me to water plant {number} in {number + 10} minutes.")
            await asyncio.sleep(1)
        assert len(s.texts) == MAX_PER_DEVICE
        assert "cancel one first" in (await s.hears(5))[0]

    mind(Minded(tmp_path), story)


def test_a_disk_that_takes_nothing_is_admitted(tmp_path: Path) -> None:
    async def story(s: Minded) -> None:
        s.store._db.execute("DROP TABLE reminders")
        s.say("Remind me to buy milk at six.")
        assert await s.hears(5) == ["I couldn't keep that reminder."]
        assert s.texts == []

    mind(Minded(tmp_path), story)


def test_a_file_that_is_no_store_says_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "x.sqlite").write_bytes(b"no database at all, but long enough to be looked at " * 30)
    with pytest.raises(UserError, match="move the file away"):
        ReminderStore(tmp_path / "x.sqlite")
