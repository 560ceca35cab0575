"""Standing requests through a whole node: typed to it, satisfied by the stream, spoken of its own accord, heard and over.

The car, the sound and the words around come in over the link as from a device; the front-end is scripted, so what others say is given
to the session as its front-end would give it.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest

from ridealong.cloud.config import CloudConfig, FrontEnd, FrontEndKind, HarnessSettings
from ridealong.cloud.directory import serve_channel
from ridealong.cloud.frontends.base import Addressee, Floor, FrameIn, Heard
from ridealong.cloud.main import Node, build_node
from ridealong.cloud.session import SessionActor
from ridealong.cloud.watching.sight import EVERY_MS, Sight
from ridealong.cloud.watching.watching import Watching
from ridealong.device.link import Link, LinkUnavailable
from ridealong.harness.conditions import PhraseHeard
from ridealong.harness.skill import Provenance
from ridealong.proto import types as t
from ridealong.proto.channel import Channel, memory_pair
from ridealong.simulators.replay.assemble import in_the_town
from ridealong.simulators.virtual_time import InlineExecutor, run_virtual
from ridealong.vehicle_skills import signals as s

pytestmark = pytest.mark.unit

KEPT = t.GateNote(True, next(iter(t.GateReason)))
Happen = Callable[["Ride"], None]


@dataclass(frozen=True)
class Words:
    text: str
    confidence: float


class Board:
    """Eyes that read what a "picture" says: its bytes are its text."""

    def __init__(self) -> None:
        self.reads = 0

    def fault(self) -> str:
        return ""

    def read_jpeg(self, jpeg: bytes) -> Sequence[Words]:
        self.reads += 1
        return [Words(line, 0.97) for line in jpeg.decode().split("|") if line]


class Ride:
    """A device that plays what it gets and acks it, on virtual time; `plan` maps a second to what happens then."""

    def __init__(self, folder: Path, plan: dict[int, Happen | str], seconds: int, busy_s: tuple[float, float] = (0, 0)) -> None:
        self.busy_s = busy_s
        self.got: list[tuple[float, t.DownlinkBody]] = []
        self.car: dict[str, t.SignalValue] = {s.BATTERY_LEVEL: 40.0, s.SPEED: 60.0, s.DRIVER_POSITION: "LEFT"}
        self.plan, self.seconds, self.folder = plan, seconds, folder
        self.channel: Channel | None = None
        self.reachable = True
        self.sound = np.random.default_rng(1).normal(0, 30, 16_000 * seconds)
        self.frames = 0
        self.eyes = Board()
        self.actor: SessionActor
        self.link: Link
        self.node: Node
        self.tasks: asyncio.TaskGroup
        run_virtual(self._run())

    # --- what may happen --------------------------------------------------------------------------------------------

    def overheard(self, text: str, addressee: Addressee = Addressee.OTHER) -> None:
        at = self.actor.now()
        self.actor._heard(Heard(text, "en", t.Samples(at - 16_000), at, addressee, Provenance.OVERHEARD))

    def picture(self, text: str) -> None:
        self.frames += 1
        data = text.encode()
        unit = t.UnitIndex(self.now() // 16_000)
        self.link.send(t.FrameFragment(t.FrameId(self.frames), 0, 1, data, unit, self.now(), 448, 252, KEPT))

    def bang(self) -> None:
        first = round(asyncio.get_running_loop().time() * 16_000)
        length = 8_000
        self.sound[first : first + length] += np.random.default_rng(2).normal(0, 9_000, length) * np.exp(
            -np.arange(length) / 1_000
        )

    def lose_link(self) -> None:
        assert self.channel is not None
        self.reachable = False
        self.tasks.create_task(self.channel.close())

    def find_link(self) -> None:
        self.reachable = True

    # --- what is seen of it -----------------------------------------------------------------------------------------

    def said(self) -> list[str]:
        """What was spoken, an utterance each, in order."""
        texts: dict[t.UtteranceId, list[str]] = {}
        for _, body in self.got:
            if isinstance(body, t.Speech) and body.text:
                texts.setdefault(body.utterance, []).append(body.text)
        return [" ".join(parts) for parts in texts.values()]

    def work(self, capability: str) -> list[str]:
        """States of the items of a capability, as they changed."""
        return [f"{b.execution}/{b.delivery}" for _, b in self.got if isinstance(b, t.WorkUpdate) and b.capability == capability]

    def spoken_at(self, words: str) -> float:
        return next(at for at, body in self.got if isinstance(body, t.Speech) and words in body.text)

    def now(self) -> t.Samples:
        return t.Samples(round(asyncio.get_running_loop().time() * 16_000))

    # --- the device -------------------------------------------------------------------------------------------------

    def _take(self, body: t.DownlinkBody) -> None:
        self.got.append((asyncio.get_running_loop().time(), body))
        if isinstance(body, t.Speech):
            played = body.offset + len(body.pcm16) // 2
            state = t.PlaybackState.FINISHED if body.last else t.PlaybackState.PROGRESS
            ack = t.PlaybackAck(body.epoch, body.utterance, played, state, self.now())
            asyncio.get_running_loop().call_later(len(body.pcm16) / 2 / body.rate, self.link.send, ack)

    async def _run(self) -> None:
        (self.folder / "script.yaml").write_text("[]")
        config = CloudConfig(
            frontend=FrontEnd(FrontEndKind.SCRIPTED, script=self.folder / "script.yaml"),
            harness=HarnessSettings(self.folder / "journal.sqlite"),
        )
        self.node = build_node(in_the_town(config), executor=InlineExecutor(), models_executor=InlineExecutor(), mint=lambda: "s")
        self.node.eyes = self.eyes  # type: ignore[assignment]

        async def dial() -> Channel:
            if not self.reachable:
                raise LinkUnavailable("a tunnel")
            ours, theirs = memory_pair(delay_ms=20)
            self.channel = ours
            tasks.create_task(serve_channel(theirs, self.node.directory))
            return ours

        self.link = Link(dial, t.Hello("car", "d1"), self._take, lambda state: None, random.Random(0))
        async with asyncio.TaskGroup() as tasks:
            self.tasks = tasks
            running = tasks.create_task(self.link.run())
            for unit in range(self.seconds):
                await asyncio.sleep(0.5)
                happens = self.plan.get(unit)
                if isinstance(happens, str):
                    self.link.send(t.TextInput(self.now(), happens))
                elif happens is not None:
                    happens(self)
                await asyncio.sleep(0.5)
                readings = tuple(t.SignalReading(path, value) for path, value in self.car.items())
                self.link.send(t.VehicleState(t.Samples(16_000 * (unit + 1)), readings))
                pcm = np.clip(self.sound[16_000 * unit : 16_000 * (unit + 1)], -32_768, 32_767).astype("<i2").tobytes()
                for part in range(5):
                    start = t.Samples(16_000 * unit + 3_200 * part)
                    self.link.send(
                        t.UnitPart(t.UnitIndex(unit), part, part == 4, start, 3_200, pcm[6_400 * part : 6_400 * (part + 1)])
                    )
                await asyncio.sleep(0)
                if unit == 0:
                    await asyncio.sleep(0.2)
                    self.actor = self.node.actors["s"]
                    self._hold_the_floor()
            await asyncio.sleep(1)
            await self.link.close()
            running.cancel()
            await self.node.close()

    def _hold_the_floor(self) -> None:
        """Somebody speaks during `busy_s`."""
        front_end = self.actor._front_end
        assert front_end is not None
        free, (begins, ends) = front_end.floor, self.busy_s

        def floor() -> Floor:
            now_s = asyncio.get_running_loop().time()
            if begins <= now_s < ends:
                return Floor(False, 0.0)
            return Floor(free().free, (now_s - ends) * 1000 if now_s >= ends > 0 else 1e9)

        front_end.floor = floor  # type: ignore[method-assign]

    @property
    def watching(self) -> Watching:
        assert self.actor._watching is not None
        return self.actor._watching


def sets(path: str, value: t.SignalValue) -> Happen:
    return lambda ride: ride.car.__setitem__(path, value)


def test_a_battery_that_falls_is_told_once_and_heard(tmp_path: Path) -> None:
    plan: dict[int, Happen | str] = {
        2: "tell me when we are below 20 percent battery", 8: sets(s.BATTERY_LEVEL, 19.0), 18: sets(s.BATTERY_LEVEL, 30.0), 20: sets(s.BATTERY_LEVEL, 18.0),
    }  # fmt: skip
    ride = Ride(tmp_path, plan, 90)
    assert ride.said() == ["Okay, I'll tell you when the battery is below 20 percent.", "The battery is at 19 percent."]
    assert ride.work("watch.alert")[-1] == "completed/delivered"
    assert ride.watching.standing.active == ()


def test_words_of_others_satisfy_a_request_and_its_own_words_do_not(tmp_path: Path) -> None:
    plan: dict[int, Happen | str] = {
        2: "tell me when they announce gate B12",
        7: lambda ride: ride.overheard("tell me when they announce gate B12", Addressee.ASSISTANT),
        9: lambda ride: ride.overheard("The flight to Oslo boards at gate C12."),
        14: lambda ride: ride.overheard("Oslo is now boarding at gate B twelve."),
    }
    ride = Ride(tmp_path, plan, 24)
    assert ride.said()[1:] == ["Just now somebody said gate B12."]
    assert ride.spoken_at("somebody said") > 14


def test_overheard_words_start_nothing(tmp_path: Path) -> None:
    plan: dict[int, Happen | str] = {
        2: lambda ride: ride.overheard("Tell me when we are below 50 percent battery."),
        4: lambda ride: ride.picture("Tell me when we are below 50 percent battery"),
    }
    ride = Ride(tmp_path, plan, 12)
    assert ride.said() == [] and ride.watching.standing.active == ()


def test_a_sign_is_read_only_while_somebody_waits_for_one(tmp_path: Path) -> None:
    plan: dict[int, Happen | str] = {
        2: lambda ride: ride.picture("EXIT 12"), 3: "tell me when you see a sign that says Exit 12", 8: lambda ride: ride.picture("EXIT 11"),
        12: lambda ride: ride.picture("EXIT 12|Museum"), 25: lambda ride: ride.picture("EXIT 12"),
    }  # fmt: skip
    ride = Ride(tmp_path, plan, 30)
    assert ride.said()[1:] == ["I can see a sign: Exit 12."]
    assert ride.eyes.reads == 2


def test_without_a_camera_it_says_so(tmp_path: Path) -> None:
    ride = Ride(tmp_path, {2: "tell me when you see a sign that says Exit 12"}, 8)
    assert ride.said() == ["I get no pictures from a camera here, so I can't read signs."]


def test_a_bang_is_told_and_a_false_alarm_is_taken_back(tmp_path: Path) -> None:
    plan: dict[int, Happen | str] = {
        2: "tell me every time you hear a loud bang", 10: lambda ride: ride.bang(), 16: "false alarm", 30: lambda ride: ride.overheard("what was that"),
    }  # fmt: skip
    ride = Ride(tmp_path, plan, 35)
    assert ride.said()[1:] == ["I heard a loud bang.", "Sorry, I'll be more careful about that one."]
    (watch,) = ride.watching.standing.active
    assert ride.watching.standing.threshold(watch.id) > 0.5


def test_after_stop_watching_a_false_alarm_starts_nothing_again(tmp_path: Path) -> None:
    plan: dict[int, Happen | str] = {
        2: "tell me every time you hear a loud bang", 10: lambda ride: ride.bang(), 16: "stop watching", 20: "that was a false alarm",
        90: lambda ride: ride.bang(),
    }  # fmt: skip
    ride = Ride(tmp_path, plan, 100)
    assert ride.said()[1:3] == ["I heard a loud bang.", "Okay, I've stopped watching."] and len(ride.said()) == 4
    assert ride.watching.standing.active == ()


def test_an_old_watch_is_not_forgotten_over_many_others(tmp_path: Path) -> None:
    def many(ride: Ride) -> None:
        (wanted,) = ride.watching._wanted.values()
        for number in range(200):  # each takes the place of the one before
            ride.watching.start(replace(wanted, condition=PhraseHeard("gate"), subject=f"gate {number}"))
        assert len(ride.watching._wanted) <= 70

    ride = Ride(tmp_path, {2: "tell me when the speed is over 120", 8: many, 16: sets(s.SPEED, 140.0)}, 24)
    assert "140" in ride.said()[-1]


def test_what_it_watches_for_can_be_asked_and_stopped(tmp_path: Path) -> None:
    plan: dict[int, Happen | str] = {
        2: "tell me when the speed is over 120", 6: "what are you watching for?", 12: "stop watching", 16: sets(s.SPEED, 140.0),
    }  # fmt: skip
    ride = Ride(tmp_path, plan, 24)
    assert ride.said()[1:] == ["I'll tell you when our speed is over 120 kilometres per hour.", "Okay, I've stopped watching."]


def test_what_is_so_already_is_said_at_once_and_what_has_no_reading_is_refused(tmp_path: Path) -> None:
    ride = Ride(tmp_path, {2: "tell me when the speed is over 50", 8: "tell me when it is below 3 degrees outside"}, 14)
    assert ride.said()[0].startswith("That's so already.")
    assert ride.said()[1] == "I get no reading of the outside temperature here, so I can't watch it."
    assert ride.watching.standing.active == ()


@pytest.mark.parametrize("lost_s", [9.2, 9.6], ids=["before it was sent", "while it was spoken"])
@pytest.mark.parametrize("back_s", [20, 80])
def test_an_alert_survives_the_loss_of_the_link(tmp_path: Path, lost_s: float, back_s: int) -> None:
    def fall(ride: Ride) -> None:
        ride.car[s.BATTERY_LEVEL] = 19.0
        asyncio.get_running_loop().call_later(lost_s - asyncio.get_running_loop().time(), ride.lose_link)

    plan: dict[int, Happen | str] = {
        2: "tell me when we are below 20 percent battery",
        8: fall,
        back_s: lambda ride: ride.find_link(),
    }
    ride = Ride(tmp_path, plan, back_s + 60)
    assert ride.said().count("The battery is at 19 percent.") == 1
    assert (ride.spoken_at("19 percent") > back_s) == (lost_s < 9.24)
    assert ride.work("watch.alert")[-1] == "completed/delivered"
    assert ride.watching.standing.active == ()


def test_an_alert_waits_until_nobody_speaks(tmp_path: Path) -> None:
    plan: dict[int, Happen | str] = {2: "tell me when we are below 20 percent battery", 12: sets(s.BATTERY_LEVEL, 19.0)}
    ride = Ride(tmp_path, plan, 32, busy_s=(10, 20))
    assert ride.spoken_at("19 percent") >= 20.25


def test_a_watch_that_runs_out_says_so(tmp_path: Path) -> None:
    ride = Ride(tmp_path, {2: "tell me when the speed is over 120 for the next minute"}, 80)
    assert ride.said()[0].endswith("for one minute.")
    assert ride.said()[1].startswith("Time's up")


def test_frames_are_read_one_at_a_time_and_not_too_often() -> None:
    async def look() -> tuple[int, int]:
        eyes = Board()
        sight = Sight(eyes, InlineExecutor(), lambda capture, lines: None)
        for tenth in range(100):
            at = t.Samples(1_600 * tenth)
            sight.offer(FrameIn(t.FrameId(tenth + 1), at, 448, 252, b"x", KEPT))
            await asyncio.sleep(0.1)
        return eyes.reads, sight.counters.passed_over

    reads, passed_over = run_virtual(look())
    assert reads == 10_000 // EVERY_MS
    assert passed_over > 80


def test_a_limit_that_is_corrected_replaces_the_one_before(tmp_path: Path) -> None:
    plan: dict[int, Happen | str] = {
        2: "Tell me when the battery is below 20 percent.",
        8: "make it thirty",
        14: "What are you watching for?",
    }
    ride = Ride(tmp_path, plan, 20)
    assert ride.said()[-1] == "I'll tell you when the battery is below 30 percent."
