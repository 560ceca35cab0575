"""A whole node over an in-memory link, with the scripted front-end, the simulated car and a device of a few lines."""

from __future__ import annotations

import asyncio
import base64
import json
import random
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from pathlib import Path
from typing import Any

import pytest

from ridealong.cloud import main
from ridealong.cloud.config import CloudConfig, FrontEnd, FrontEndKind, HarnessSettings, LanguageModel
from ridealong.cloud.directory import serve_channel
from ridealong.cloud.frontends.scripted import ScriptedFrontEnd
from ridealong.cloud.main import Node, build_node
from ridealong.cloud.session import SessionActor
from ridealong.cloud.vehicle import Car
from ridealong.device.link import Link, LinkUnavailable
from ridealong.device.vehicle.gateway import Gateway
from ridealong.harness.journal import Intent, Journal, Recorded
from ridealong.harness.skill import Provenance
from ridealong.harness.work import WorkItem
from ridealong.proto import types as t
from ridealong.proto.channel import Channel, memory_pair
from ridealong.simulators.car.car import SimCar
from ridealong.simulators.replay.assemble import in_the_town
from ridealong.simulators.virtual_time import ChargedExecutor, InlineExecutor, run_virtual
from ridealong.vehicle_skills.signals import SPEED, window_position
from tests.unit.fake_model import calls, fake_model, says

pytestmark = pytest.mark.unit
TEMPERATURE = "Vehicle.Cabin.HVAC.Station.Row1.Driver.Temperature"


class Ear:
    """Plays everything at once, in time: acks started and finished when its samples would be over."""

    def __init__(self) -> None:
        self.got: list[t.DownlinkBody] = []
        self.link: Link | None = None
        self.gateway: Gateway | None = None
        self.played: dict[t.UtteranceId, int] = {}
        self.flushed = 0
        self.silent = False

    def now(self) -> t.Samples:
        return t.Samples(round(asyncio.get_running_loop().time() * t.CLOCK_HZ))

    def take(self, body: t.DownlinkBody) -> None:
        self.got.append(body)
        match body:
            case t.Speech() if not self.silent and body.epoch > self.flushed:
                self.played[body.utterance] = body.offset + len(body.pcm16) // 2
                state = t.PlaybackState.FINISHED if body.last else t.PlaybackState.PROGRESS
                ack = t.PlaybackAck(body.epoch, body.utterance, self.played[body.utterance], state, self.now())
                delay_s = len(body.pcm16) / 2 / body.rate
                asyncio.get_running_loop().call_later(delay_s, self._send, ack)
            case t.Flush(epoch=epoch):
                self.flushed = epoch
            case t.Actuate() if self.gateway is not None:
                self.gateway.on_actuate(body)

    def _send(self, body: t.UplinkBody) -> None:
        assert self.link is not None
        self.link.send(body)

    def work(self) -> list[str]:
        return [f"{b.capability} {b.execution}/{b.delivery}" for b in self.got if isinstance(b, t.WorkUpdate)]

    def said(self) -> str:
        return " ".join(b.text for b in self.got if isinstance(b, t.Speech) and b.text)


def converse(
    folder: Path,
    script: str,
    seconds: int,
    speed_kmh: float = 0.0,
    typed: Sequence[tuple[int, str]] = (),
    kind: str = "car",
    model: LanguageModel | None = None,
    also: Sequence[tuple[int, t.UplinkBody]] = (),
    offline: range = range(0),
    pictures: Sequence[bytes] = (),
    executor: Executor | None = None,
    dead: range = range(0),
    tells: bool = True,
    cut: range = range(0),
    at_each: Callable[[int], None] = lambda unit: None,
) -> tuple[Ear, SimCar]:
    """`seconds` of quiet units, with a picture each, through a node whose front-end follows `script`. `offline`: seconds that the device keeps,
    and sends after. `dead`: seconds without a node; the one that comes after has no sessions. `tells`: the link is
    given the device's clock. `cut`: seconds without a link, the node being well. `at_each`: told each second."""
    ear = Ear()

    async def run() -> SimCar:
        (folder / "script.yaml").write_text(script)
        config = CloudConfig(
            frontend=FrontEnd(FrontEndKind.SCRIPTED, script=folder / "script.yaml"),
            harness=HarnessSettings(folder / "journal.sqlite", audit=folder / "quick.jsonl"),
            language_model=model or LanguageModel(),
        )
        mint = iter(f"s{i}" for i in range(99)).__next__

        def start() -> Node:
            return build_node(
                in_the_town(config), executor=executor or InlineExecutor(), models_executor=InlineExecutor(), mint=mint
            )

        nodes, links = [start()], list[Channel]()

        async def dial() -> Channel:
            if not nodes or round(asyncio.get_running_loop().time()) in cut:
                raise LinkUnavailable("nobody is there")
            ours, theirs = memory_pair(delay_ms=20)
            links.append(ours)
            tasks.create_task(serve_channel(theirs, nodes[-1].directory))
            return ours

        car = SimCar()
        car.set(SPEED, speed_kmh)
        link = Link(
            dial, t.Hello(kind, "d1"), ear.take, lambda state: None, random.Random(0), **({"clock": ear.now} if tells else {})
        )
        ear.link, ear.gateway = link, Gateway(car.broker, link.send, ear.now)
        async with asyncio.TaskGroup() as tasks:
            background = [tasks.create_task(link.run()), tasks.create_task(car.run()), tasks.create_task(ear.gateway.run())]
            kept: list[t.UplinkBody] = []
            for unit in range(seconds):
                await asyncio.sleep(1)
                at_each(unit)
                if unit == cut.start and cut:
                    await links[-1].close()
                if unit == dead.start and dead:
                    await links[-1].close()
                    await nodes.pop().close()
                if unit == dead.stop and dead:
                    nodes.append(start())
                kept += [t.TextInput(ear.now(), text) for at, text in typed if at == unit]
                kept += [body for at, body in also if at == unit]
                for picture in pictures[unit : unit + 1]:
                    gate = t.GateNote(True, t.GateReason.FIRST)
                    captured = t.Samples(16_000 * unit + 8_000)
                    kept.append(t.FrameFragment(t.FrameId(unit), 0, 1, picture, t.UnitIndex(unit), captured, 64, 64, gate))
                kept.append(t.UnitPart(t.UnitIndex(unit), 0, True, t.Samples(16_000 * unit), 16_000, bytes(32_000)))
                while unit not in offline and kept:
                    link.send(kept.pop(0))
            await asyncio.sleep(1)
            await link.close()
            for task in background:
                task.cancel()
            await nodes[-1].close()
        return car

    return ear, run_virtual(run())


def test_a_request_is_done_said_and_delivered(tmp_path: Path) -> None:
    ear, car = converse(tmp_path, "- {unit: 2, delegate: set the temperature to twenty-two and a half}", 12)
    assert car.plant.values[TEMPERATURE] == 22.5
    assert ear.work()[-1] == "climate.set_temperature completed/delivered"
    assert "22.5" in ear.said()
    row = json.loads((tmp_path / "quick.jsonl").read_text().splitlines()[-1])
    assert (row["session"], row["group"], row["by"], row["allowed"]) == ("s0", "climate", "driver", True)


def test_a_refusal_is_spoken_and_nothing_is_done(tmp_path: Path) -> None:
    ear, car = converse(tmp_path, "- {unit: 2, delegate: open the boot}", 12, speed_kmh=40.0)
    assert car.plant.values["Vehicle.Body.Trunk.Rear.IsOpen"] is False
    assert not [b for b in ear.got if isinstance(b, t.Actuate)]
    assert "moving" in ear.said() and ear.work()[-1].endswith("/delivered")
    row = json.loads((tmp_path / "quick.jsonl").read_text().splitlines()[-1])
    assert (row["group"], row["allowed"], row["reason"]) == ("trunk", False, "moving")
    assert row["gate"]["speed"][0] == 40.0 and "boot" not in str(row), "no words of anybody's"


def test_typed_words_take_the_same_path(tmp_path: Path) -> None:
    ear, car = converse(tmp_path, "[]", 14, typed=[(2, "把空调调到二十四度")])
    assert car.plant.values[TEMPERATURE] == 24.0 and "24" in ear.said()


@pytest.mark.parametrize(
    ("words", "said"),
    [("turn the fan up and who won the game?", "language model"), ("turn the fan up and is the AC on?", "air conditioning is")],
)
def test_a_question_beside_an_order_gets_its_own_answer(tmp_path: Path, words: str, said: str) -> None:
    ear, _ = converse(tmp_path, "[]", 24, typed=[(2, words)])
    assert said in ear.said() and "percent" in ear.said() and len([b for b in ear.got if isinstance(b, t.Actuate)]) == 1


@pytest.mark.parametrize("back", [True, False])
def test_what_a_device_that_has_gone_was_being_told_is_not_said_to_be_under_way(tmp_path: Path, back: bool) -> None:
    """It is pending after a while; when the device is back it tells that it was heard, and otherwise it ends with the session."""
    seen: dict[int, str] = {}

    def look(unit: int) -> None:
        if unit in (4, 30, 70):
            journal = Journal(tmp_path / "journal.sqlite", read_only=True)
            seen[unit] = [item.delivery.value for item in journal.items()][0]
            journal.close()

    seconds = 80
    cut = range(3, 72 if back else seconds + 99)
    ear, _ = converse(tmp_path, "[]", seconds, typed=[(2, "set the temperature to twenty-two and a half")], cut=cut, at_each=look)
    assert seen == {4: "delivering", 30: "pending", 70: "pending"}
    item = next(Journal(tmp_path / "journal.sqlite").items())
    assert item.delivery.value == ("delivered" if back else "withdrawn") and item.reason == ("" if back else "session_over")
    assert ear.said().count("22.5") == 1


@pytest.mark.parametrize("stop_s", [3, 4, 5])
def test_after_a_typed_stop_the_next_reply_is_said(tmp_path: Path, stop_s: int) -> None:
    """Also where the voice had more to say than had left."""
    typed = [(2, "find a charger nearby"), (stop_s, "never mind"), (12, "set the temperature to twenty-two and a half")]
    ear, _ = converse(tmp_path, "[]", 26, typed=typed)
    assert "22.5" in ear.said() and ear.work()[-1] == "climate.set_temperature completed/delivered"


def test_all_sessions_of_a_node_share_its_places_to_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With none, nothing is begun, and the user is told to wait."""
    monkeypatch.setattr(main, "RUNNING", 0)
    ear, car = converse(tmp_path, "[]", 8, typed=[(2, "set the temperature to twenty-two and a half")])
    assert car.plant.values[TEMPERATURE] != 22.5 and set(ear.work()) == {"climate.set_temperature queued/none"}


def test_whether_the_driver_is_busy_is_asked_before_anything_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Car] = []
    monkeypatch.setattr(Car, "loaded", lambda car: bool(asked.append(car)))
    ear, _ = converse(tmp_path, "[]", 8, typed=[(2, "set the temperature to twenty-two and a half")])
    assert "22.5" in ear.said() and asked


def test_a_language_model_acts_through_the_car_and_answers(tmp_path: Path) -> None:
    act = calls(("windows_set_position", {"position": 30, "zone": "row1.passenger"}))
    with fake_model(act, says("Paris.")) as model:
        typed = [
            (2, "Ridealong, let some fresh air in on the passenger side, thirty percent"),
            (14, "What is the capital of France?"),
        ]
        ear, car = converse(tmp_path, "[]", 24, typed=typed, model=LanguageModel(model.url, "m", ""))
    assert abs(float(car.plant.values[window_position("Row1", "PassengerSide")]) - 30) <= 3
    assert "30 percent open" in ear.said() and ear.said().endswith("Paris.")
    assert "windows.set_position completed/delivered" in ear.work() and "language_model completed/delivered" in ear.work()
    assert len([b for b in ear.got if isinstance(b, t.Actuate)]) == 1


def test_a_front_end_that_claims_what_it_did_not_do_is_corrected_aloud(tmp_path: Path) -> None:
    script = (
        "- {unit: 1, say: Sure. I have opened the window.}\n- {unit: 8, say: 空调已经关掉了。, locale: zh}\n"
        "- {unit: 14, delegate: set the temperature to twenty}\n- {unit: 20, say: I have set the temperature to 20.}"
    )
    ear, _ = converse(tmp_path, script, 28)
    assert ear.said().count("I have not actually opened the window.") == 1 and ear.said().count("其实空调还没有关掉。") == 1
    assert [line for line in ear.work() if line.startswith("correction") and line.endswith("/delivered")] == [
        "correction completed/delivered"
    ] * 2


@pytest.mark.parametrize("typed", [False, True])
def test_a_node_that_is_behind_with_its_work_makes_no_backlog(
    tmp_path: Path, typed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    on_unit = ScriptedFrontEnd.on_unit

    def slowly(*given: Any) -> Any:
        ChargedExecutor.charge(2.5 if ear_s() < 12 else 0.0)  # each second of sound takes two and a half
        return on_unit(*given)

    def ear_s() -> float:
        return asyncio.get_running_loop().time()

    monkeypatch.setattr(ScriptedFrontEnd, "on_unit", slowly)
    words = "set the temperature to twenty-five"
    script = "[]" if typed else f"- {{unit: 6, delegate: {words}}}"
    ear, car = converse(tmp_path, script, 40, typed=[(6, words)] if typed else (), executor=ChargedExecutor())
    assert car.plant.values[TEMPERATURE] == 25.0 and "offline" not in ear.said()


def test_a_question_about_what_is_seen_goes_with_the_camera_s_picture(tmp_path: Path) -> None:
    pictures = [b"\xff\xd8\xff" + bytes([unit]) * 40 for unit in range(20)]
    script = "- {unit: 4, delegate: what am i looking at}"
    with fake_model(says("It says Exit 12.")) as model:
        settings = LanguageModel(model.url, "m", "", images=True, tools=False)
        ear, _ = converse(tmp_path, script, 12, model=settings, pictures=pictures)
    assert ear.said() == "It says Exit 12." and ear.work()[-1] == "seeing.ask completed/delivered"
    sent = [part["image_url"]["url"] for part in model.messages()[-1]["content"] if part["type"] == "image_url"]
    assert [base64.b64decode(url.partition(",")[2]) for url in sent][-1:] == [pictures[4]]


@pytest.mark.parametrize(("changed", "reason"), [(False, ""), (True, "old_picture")])
def test_a_still_scene_of_which_only_one_picture_was_sent_is_seen_now(tmp_path: Path, changed: bool, reason: str) -> None:
    gate = t.GateNote(changed, t.GateReason.CHANGED if changed else t.GateReason.SIMILAR)
    left_out: list[tuple[int, t.UplinkBody]] = [
        (unit, t.FrameTombstone(t.FrameId(unit), t.UnitIndex(unit), t.Samples(16_000 * (unit + 1)), "byte_saving", gate))
        for unit in range(1, 8)
    ]
    with fake_model(says("It says Exit 12.")) as model:
        settings = LanguageModel(model.url, "m", "", images=True, tools=False)
        script = "- {unit: 6, delegate: what is that building}"
        ear, _ = converse(tmp_path, script, 14, model=settings, pictures=[b"\xff\xd8\xff" + bytes(40)], also=left_out)
        assert len(model.asked) == (not changed)
    assert ear.said() == (
        "It says Exit 12." if not reason else "My last picture is too old to say what is there now. Please ask again."
    )


def test_what_was_overheard_never_acts(tmp_path: Path) -> None:
    ear, car = converse(tmp_path, "- {unit: 2, delegate: set the temperature to twenty-five, by: overheard}", 10)
    assert not [b for b in ear.got if isinstance(b, t.Actuate | t.Speech)]


def test_without_acks_nothing_is_delivered(tmp_path: Path) -> None:
    ear = Ear()
    ear.silent = True
    script = "- {unit: 2, delegate: set the temperature to twenty-one}"
    import unittest.mock

    with unittest.mock.patch(f"{__name__}.Ear", lambda: ear):
        converse(tmp_path, script, 12)
    assert any(line.endswith("completed/delivering") for line in ear.work()) and not any(
        line.endswith("/delivered") for line in ear.work()
    )


def test_an_interruption_flushes_and_what_was_cut_is_offered_again(tmp_path: Path) -> None:
    script = "- {unit: 1, say: one two three four five six seven eight nine ten eleven twelve}\n- {unit: 2, interrupt: true}\n- {unit: 4, say: again}"
    ear, _ = converse(tmp_path, script, 8)
    flush = [i for i, b in enumerate(ear.got) if isinstance(b, t.Flush)]
    assert len(flush) == 1
    later = [b for b in ear.got[flush[0] :] if isinstance(b, t.Speech)]
    assert [b.text for b in later] == ["again"] and later[0].epoch == 2


def test_what_a_newer_request_made_untrue_is_not_said(tmp_path: Path) -> None:
    script = (
        "- {unit: 1, say: one two three four five six seven eight nine ten eleven twelve, delegate: set the temperature to nineteen}\n"
        "- {unit: 2, delegate: set the temperature to twenty}"
    )
    ear, car = converse(tmp_path, script, 12)
    assert car.plant.values[TEMPERATURE] == 20.0
    assert "20" in ear.said() and "19" not in ear.said()
    assert "climate.set_temperature completed/withdrawn" in ear.work()


def test_a_front_end_that_fails_on_every_part_ends_nothing_and_floods_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("the words of somebody")

    monkeypatch.setattr(ScriptedFrontEnd, "on_part", fail)
    ear, _ = converse(tmp_path, "[]", 25)
    told = [b for b in ear.got if isinstance(b, t.Error)]
    assert 2 <= len(told) <= 3 and all("somebody" not in error.text for error in told)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("open the window when we stop", "I can't do that later; ask me again when we stop."),
        ("停车的时候打开窗户", "这个我还不能等到以后再做，到时候请再跟我说一次。"),
    ],
)
def test_what_is_asked_for_later_is_not_done_now(tmp_path: Path, words: str, said: str) -> None:
    ear, _ = converse(tmp_path, f"- {{unit: 2, delegate: {words}}}", 10)
    assert ear.said() == said and not [b for b in ear.got if isinstance(b, t.Actuate)]


def test_what_is_acknowledged_to_the_device_is_in_the_journal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make, told, acknowledged, missing = Node.actor, set[str](), list[str](), list[str]()

    def actor(
        node: Node, hello: t.Hello, session_id: str, send: Callable[[t.DownlinkBody], None], commit: Callable[[t.Seq], None]
    ) -> SessionActor:
        def committed(seq: t.Seq) -> None:
            for work_id in told:
                (acknowledged if node.journal.item(work_id) is not None else missing).append(work_id)
            commit(seq)

        def sent(body: t.DownlinkBody) -> None:
            told.update([body.work_id] if isinstance(body, t.WorkUpdate) else [])
            send(body)

        return make(node, hello, session_id, sent, committed)

    monkeypatch.setattr(Node, "actor", actor)
    converse(tmp_path, "- {unit: 2, delegate: set the temperature to twenty-one}", 8, typed=[(5, "what is the temperature")])
    assert len(set(acknowledged)) == 2 and missing == []


@pytest.mark.parametrize(("device", "state"), [("d1", "confirmed"), ("another", None), ("", None)])
def test_the_car_s_answer_to_a_node_that_died_is_taken_down_by_the_next(tmp_path: Path, device: str, state: str | None) -> None:
    before = Journal(tmp_path / "journal.sqlite")
    item = WorkItem("old-w1", "old", "r", "r", "en", Provenance.DRIVER, "c", {}, "", "k", t.Samples(0), device=device)
    before.append([Recorded(item), Intent("old-w1.0", "old-w1", (t.SignalWrite(TEMPERATURE, 21.0),), t.Samples(0))])
    before.close()
    late = [t.ActuationResult("old-w1.0", t.ActuationState.CONFIRMED), t.ActuationResult("never", t.ActuationState.CONFIRMED)]
    converse(tmp_path, "[]", 4, also=[(1, body) for body in late])
    after = Journal(tmp_path / "journal.sqlite")
    assert [intent.state for intent in after.intents("old-w1")] == [state]
    after.close()


def test_back_to_what_it_was_is_what_the_car_showed_before(tmp_path: Path) -> None:
    typed = [(2, "set the temperature to 26"), (10, "no, 23"), (18, "undo that")]
    ear, car = converse(tmp_path, "[]", 26, typed=typed)
    assert ear.work().count("climate.set_temperature completed/delivered") == 3
    assert float(car.plant.values[TEMPERATURE]) == 26.0


@pytest.mark.parametrize(("acks", "said"), [(False, 1), (True, 0)])
def test_what_a_node_had_done_when_it_was_killed_is_told_by_the_next_unless_it_was_heard(
    tmp_path: Path, acks: bool, said: int
) -> None:
    ear = Ear()
    ear.silent = not acks

    async def run() -> SimCar:
        def start() -> Node:
            config = CloudConfig(frontend=FrontEnd(FrontEndKind.SCRIPTED), harness=HarnessSettings(tmp_path / "journal.sqlite"))
            return build_node(in_the_town(config), executor=InlineExecutor(), models_executor=InlineExecutor())

        async def dial() -> Channel:
            ours, theirs = memory_pair(delay_ms=20)
            links.append(tasks.create_task(serve_channel(theirs, nodes[-1].directory)))
            return ours

        nodes, links, car = [start()], list[asyncio.Task[None]](), SimCar()
        link = Link(dial, t.Hello("car", "d1"), ear.take, lambda state: None, random.Random(0))
        ear.link, ear.gateway = link, Gateway(car.broker, link.send, ear.now)
        async with asyncio.TaskGroup() as tasks:
            background = [tasks.create_task(link.run()), tasks.create_task(car.run()), tasks.create_task(ear.gateway.run())]
            for unit in range(24):
                await asyncio.sleep(1)
                if unit == 3:
                    link.send(t.TextInput(ear.now(), "set the temperature to twenty-five"))
                link.send(t.UnitPart(t.UnitIndex(unit), 0, True, t.Samples(16_000 * unit), 16_000, bytes(32_000)))
                if unit == 10:  # kill -9: nothing reaches the disk any more, no goodbye is said
                    nodes[0].journal.close()
                    links[0].cancel()
                    nodes.append(start())
                    ear.silent = False
            await link.close()
            for task in background:
                task.cancel()
            await nodes[1].close()
        return car

    car = run_virtual(run())
    assert car.plant.values[TEMPERATURE] == 25.0 and len([b for b in ear.got if isinstance(b, t.Actuate)]) == 1
    assert ear.said().count("Before we were cut off you asked, “set the temperature to twenty-five”: that was done.") == said


def test_a_reminder_outlives_the_node_and_is_told_by_the_next_one(tmp_path: Path) -> None:
    ear, _ = converse(tmp_path, "[]", 45, typed=[(1, "remind me in twenty seconds to call my sister")], dead=range(5, 8))
    told = [b.text for b in ear.got if isinstance(b, t.Speech) and "Remember" in b.text]
    assert told == ["Remember: call your sister."]
    assert "reminder.set completed/delivered" in ear.work()
