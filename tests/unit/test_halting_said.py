""" "Stop" while a window that we were asked to move moves: it stays there, the work is cancelled, and what is said is where it stands."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from ridealong.harness.reconciling import found, in_all
from ridealong.harness.skill import Provenance
from ridealong.harness.work import Delivery, Execution
from ridealong.proto.types import ActuationResult, ActuationState, Halt
from ridealong.vehicle_skills.mapping import CarMapping, Rule
from tests.unit.riding_scene import OTHER, WINDOW, Riding, ride

pytestmark = pytest.mark.unit

STOPPED = {"en": "I've stopped the driver's window at {} percent.", "zh": "我让主驾驶车窗停在了{}%。"}


@pytest.mark.parametrize(
    ("opening", "words", "locale"),
    [
        ("Open my window.", "Stop!", "en"),
        ("Open my window.", "Stop the window.", "en"),
        ("Open my window.", "Stop there.", "en"),
        ("Open my window.", "That's enough.", "en"),
        ("Open my window.", "That's far enough.", "en"),
        ("Open my window.", "Don't open it any further.", "en"),
        ("Open my window.", "Cancel that.", "en"),
        ("Open my window.", "Never mind.", "en"),
        ("打开我的车窗", "停", "zh"),
        ("打开我的车窗", "停下", "zh"),
        ("打开我的车窗", "别开了", "zh"),
        ("打开我的车窗", "够了", "zh"),
        ("打开我的车窗", "停下车窗", "zh"),
        ("打开我的车窗", "取消", "zh"),
    ],
)
@pytest.mark.parametrize("tagged", [False, True])
def test_it_stays_there_and_that_is_said(tmp_path: Path, opening: str, words: str, locale: str, tagged: bool) -> None:
    async def story(s: Riding) -> None:
        opened = s.say(opening, locale)
        await asyncio.sleep(1.6)
        was = s.position()
        s.say(words, locale)
        heard = await s.told()
        assert abs(s.position() - was) <= 3 and 20 < was < 60
        stands = round(s.position())
        assert heard == [STOPPED[locale].format(stands)]
        item = s.harness.items[opened]
        assert (item.execution, item.delivery, item.reason) == (Execution.CANCELLED, Delivery.WITHDRAWN, "halted")
        await asyncio.sleep(12)
        assert round(s.position()) == stands and await s.told(2) == []
        assert [(row.key, row.state, row.reason) for row in s.journal.intents(opened)] == [
            (f"{opened}.0", "contradicted", "halted"),
            (f"{opened}.1", "confirmed", ""),
        ]
        assert [type(order).__name__ for order in s.orders] == ["Actuate", "Halt"]

    ride(Riding(tmp_path, tagged=tagged), story)


async def opens(s: Riding, words: str = "Open my window.", seconds: float = 1.6) -> str:
    opened = s.say(words)
    await asyncio.sleep(seconds)
    return opened


@pytest.mark.parametrize("who", list(Provenance))
def test_whoever_may_speak_to_the_car_halts_it_and_nobody_else(tmp_path: Path, who: Provenance) -> None:
    async def story(s: Riding) -> None:
        opened = await opens(s)
        s.say("Stop the window.", provenance=who)
        heard = await s.told(6)
        if who in (Provenance.DRIVER, Provenance.PASSENGER, Provenance.WEARER, Provenance.TYPED):
            assert s.position() < 60 and heard == [STOPPED["en"].format(round(s.position()))]
        else:
            assert s.position() == 100 and s.harness.items[opened].execution is Execution.COMPLETED
            refused = ["Sorry, I can't take that from you."] if who is Provenance.UNKNOWN else []
            assert heard == [*refused, "The driver's window is now fully open."]
            assert not any(isinstance(order, Halt) for order in s.orders)

    ride(Riding(tmp_path), story)


@pytest.mark.parametrize(("words", "halts"), [("Stop.", True), ("Wait.", True), ("Be quiet.", False), ("Stop talking.", False)])
def test_over_our_own_speech_it_silences_that_too(tmp_path: Path, words: str, halts: bool) -> None:
    async def story(s: Riding) -> None:
        asked = s.say("What's the temperature outside?")
        await asyncio.sleep(0.3)
        assert s.boundary()
        s.played(asked, "started")
        opened = await opens(s)
        s.say(words)
        assert s.harness.items[asked].delivery is Delivery.WITHDRAWN
        heard = await s.told(6)
        assert (s.position() < 60) is halts and (s.harness.items[opened].execution is Execution.CANCELLED) is halts
        assert heard == [STOPPED["en"].format(round(s.position())) if halts else "The driver's window is now fully open."]

    ride(Riding(tmp_path), story)


@pytest.mark.parametrize("after_s", [3.75, 3.95, 4.05, 4.15, 4.25, 4.35])
def test_too_late_it_is_open_already(tmp_path: Path, after_s: float) -> None:
    async def story(s: Riding) -> None:
        opened = await opens(s, seconds=after_s)
        s.say("Stop the window.")
        heard = await s.told(6)
        item = s.harness.items[opened]
        if item.execution is Execution.CANCELLED:
            assert heard == [STOPPED["en"].format(round(s.position()))] and s.position() <= 97
        else:
            assert item.execution is Execution.COMPLETED and s.position() >= 97
            assert heard in (
                ["Too late to stop it. The driver's window is now fully open."],
                ["The driver's window is now fully open."],
            )

    ride(Riding(tmp_path), story)


@pytest.mark.parametrize(
    ("words", "locale", "told"),
    [
        ("Stop!", "en", "That can't be stopped: it's already on its way to the car. I'll tell you what comes of it."),
        ("Cancel that.", "en", "That can't be stopped: it's already on its way to the car. I'll tell you what comes of it."),
        ("停", "zh", "这个已经发给车了，停不下来，结果出来我告诉您。"),
    ],
)
def test_a_boot_can_t_be_halted_and_that_is_said(tmp_path: Path, words: str, locale: str, told: str) -> None:
    async def story(s: Riding) -> None:
        s.say("Open the boot." if locale == "en" else "打开后备箱", locale)
        assert len(await s.told(1)) == 1
        opened = s.say("Yes." if locale == "en" else "是的", locale)
        await asyncio.sleep(0.6)
        s.say(words, locale)
        assert await s.told(6) == [told, "The boot is open." if locale == "en" else "后备箱已打开。"]
        assert s.harness.items[opened].execution is Execution.COMPLETED
        assert not any(isinstance(order, Halt) for order in s.orders)

    ride(Riding(tmp_path), story)


def test_two_that_move_are_both_halted_and_a_third_request_goes_on(tmp_path: Path) -> None:
    async def story(s: Riding) -> None:
        s.drive.set(OTHER, 100)
        await asyncio.sleep(1.2)
        s.say("Set a timer for ten minutes.")
        s.say("Open my window.")
        s.say("Close the passenger window.")
        await asyncio.sleep(1.5)
        s.say("Stop.")
        heard = " ".join(await s.told())
        mine, theirs = round(s.position()), round(s.position(OTHER))
        assert 20 < mine < 60 and 40 < theirs < 80
        assert STOPPED["en"].format(mine) in heard and f"I've stopped the front passenger's window at {theirs} percent." in heard
        assert [item.execution for item in s.harness.items.values() if item.capability == "timer.set"] == [Execution.RUNNING]

    ride(Riding(tmp_path), story)


def test_all_windows_stop_and_where_differs(tmp_path: Path) -> None:
    async def story(s: Riding) -> None:
        s.drive.set(OTHER, 40)
        await asyncio.sleep(1.2)
        await opens(s, "Open all the windows.", 1.0)
        s.say("Stop the windows.")
        heard = await s.told()
        assert heard == ["I've stopped all windows."] and s.position(OTHER) > 50 > s.position(WINDOW)

    ride(Riding(tmp_path), story)


def test_stop_said_again_is_meant_again(tmp_path: Path) -> None:
    """Within the time in which the same words would be one request."""

    async def story(s: Riding) -> None:
        await opens(s, seconds=0.6)
        s.say("Stop.")
        await asyncio.sleep(0.9)
        s.say("Open the driver's window fully.")
        await asyncio.sleep(0.6)
        s.say("Stop.")
        await s.told(6)
        assert s.position() < 60

    ride(Riding(tmp_path), story)


def test_never_mind_means_what_was_asked_for_last(tmp_path: Path) -> None:
    async def story(s: Riding) -> None:
        opened = await opens(s, seconds=0.5)
        timed = s.say("Set a timer for ten minutes.")
        await asyncio.sleep(0.3)
        s.say("Never mind.")
        await s.told(6)
        assert s.position() == 100 and s.harness.items[opened].execution is Execution.COMPLETED
        assert s.harness.items[timed].execution is Execution.CANCELLED

    ride(Riding(tmp_path), story)


def test_a_car_that_goes_on_is_not_said_to_have_stopped(tmp_path: Path) -> None:
    async def story(s: Riding) -> None:
        opened = await opens(s)
        s.drive.broker.faults.lost_actuation = True
        s.say("Stop!")
        heard = await s.told(9)
        assert heard[0] == "I've told it to stop, and the car hasn't confirmed that yet."
        assert heard[1:] == ["The driver's window is now fully open."]
        assert s.harness.items[opened].execution is Execution.COMPLETED

    ride(Riding(tmp_path), story)


@pytest.mark.parametrize("words", ["Stop the music.", "Is that far enough?", "I told him to stop.", "别关空调"])
def test_what_means_something_else_halts_nothing(tmp_path: Path, words: str) -> None:
    async def story(s: Riding) -> None:
        await opens(s)
        s.say(words, "zh" if words[0] == "别" else "en")
        await s.told(6)
        assert s.position() == 100

    ride(Riding(tmp_path, tagged=True), story)


@pytest.mark.parametrize(
    ("words", "locale"), [("That's far enough.", "en"), ("别开了", "zh"), ("Stop the window.", "en"), ("Stop.", "en")]
)
def test_while_nothing_moves_these_words_move_and_say_nothing(tmp_path: Path, words: str, locale: str) -> None:
    async def story(s: Riding) -> None:
        s.say(words, locale)
        await s.told(2)
        assert s.orders == [] and s.position() == 0

    ride(Riding(tmp_path, tagged=True), story)


def test_the_session_s_end_is_not_held_up_by_a_halt(tmp_path: Path) -> None:
    async def story(s: Riding) -> None:
        await opens(s)
        s.down = lambda body: None  # type: ignore[method-assign]
        s.cloud.send = lambda body: None
        s.say("Stop!")
        await asyncio.sleep(0.2)
        before = asyncio.get_running_loop().time()
        await s.harness.close()
        assert asyncio.get_running_loop().time() - before < 1.0

    ride(Riding(tmp_path), story)


def test_a_halt_that_can_t_be_written_down_is_not_sent_and_not_claimed(tmp_path: Path) -> None:
    async def story(s: Riding) -> None:
        await opens(s)

        async def nowhere(intent: object) -> bool:
            return False

        s.harness._writer.intend = nowhere  # type: ignore[method-assign]
        s.say("Stop!")
        heard = await s.told(7)
        assert not any(isinstance(order, Halt) for order in s.orders) and s.position() == 100
        assert heard == ["I've told it to stop, and the car hasn't confirmed that yet.", "The driver's window is now fully open."]

    ride(Riding(tmp_path), story)


@pytest.mark.parametrize(
    ("state", "reason", "said"),
    [
        ("contradicted", "halted", "that was stopped on its way."),
        ("confirmed", "", "that was done."),
        ("contradicted", "stopped_short", "that didn't happen."),
    ],
)
def test_after_a_restart_what_was_halted_is_said_to_have_been(tmp_path: Path, state: str, reason: str, said: str) -> None:
    """Of a halt itself nothing is: the halted order answers."""

    async def story(s: Riding) -> None:
        opened = await opens(s)
        s.say("Stop!")
        await s.told()
        item, (opening, halting) = s.harness.items[opened], s.journal.intents(opened)
        answered = replace(opening, state=state, reason=reason)
        assert said in in_all(item, [answered, halting], s.cloud.read)
        unanswered = replace(halting, state=None, reason="")
        late = ActuationResult(halting.key, ActuationState.CONFIRMED)
        assert found(item, unanswered, late, s.cloud.read, ours=False) == ""
        late = ActuationResult(opening.key, ActuationState(state), reason)
        assert said in found(item, replace(opening, state=None, reason=""), late, s.cloud.read, ours=False)

    ride(Riding(tmp_path), story)


def test_what_the_car_says_can_t_be_halted_is_said_to_be_so(tmp_path: Path) -> None:
    async def story(s: Riding) -> None:
        s.gateway._mapping = CarMapping.of({"Vehicle.Cabin.Door.*.*.Window.Position": Rule(steps=4)})
        await opens(s)
        s.say("Stop!")
        heard = await s.told(7)
        assert heard == [
            "That can't be stopped: it's already on its way to the car. I'll tell you what comes of it.",
            "The driver's window is now fully open.",
        ]

    ride(Riding(tmp_path), story)
