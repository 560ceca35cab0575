"""The whole system on the tiny checkpoint: device, link, node, model, harness and back. What the model draws is written down, for its words mean nothing."""

from __future__ import annotations

import asyncio
import io
import logging
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from tests.unit.test_cascade_frontend import Loud, Opinion
from venus_scene import Scene, patiently, scene, until

from ridealong.cloud.frontends.cascade.frontend import Models
from ridealong.cloud.frontends.cascade.segment import Text
from ridealong.cloud.frontends.scripted import ToneVoice
from ridealong.harness.observing import FellShort
from ridealong.proto import types as t

pytestmark = pytest.mark.model
TEMPERATURE = "Vehicle.Cabin.HVAC.Station.Row1.Driver.Temperature"


@pytest.fixture(autouse=True)
def _patient(monkeypatch: pytest.MonkeyPatch) -> None:
    patiently(monkeypatch)


def ride(folder: Path, story: Callable[[Scene], Awaitable[None]], **more: Any) -> None:
    async def run() -> None:
        async with asyncio.timeout(170), scene(folder, **more) as there:
            await story(there)

    asyncio.run(run())


def fell_short(there: Scene) -> list[str]:
    return [one.what for one in there.told if isinstance(one, FellShort)]


def jpeg() -> bytes:
    file = io.BytesIO()
    Image.new("RGB", (64, 48), (200, 40, 40)).save(file, "JPEG")
    return file.getvalue()


class Recogniser:
    """Embedded models that hear `words` whenever it is loud."""

    words = ""

    def assemble(self, settings: Any, router: Any) -> tuple[Models, Opinion]:
        models = Models(Loud, lambda audio: 0.9, lambda audio, locale: Text(self.words, "en", 0.9, 0.0), ToneVoice())
        return models, Opinion(router)


def test_typed_words_become_a_request_an_act_and_a_spoken_answer(tmp_path: Path) -> None:
    async def story(there: Scene) -> None:
        device, draws = await there.device(), there.draws
        await device.seconds(2)
        draws.write(0, draws.ask("set the temperature to 22.5"))
        await device.types("22 and a half degrees please")
        await until(lambda: any("completed" in one for one in device.work()))
        await device.seconds(1)
        while "climate.set_temperature completed/delivering" not in device.work():
            await device.seconds(1)
        draws.write(0, draws.say("It is set.", over=False), draws.say(" Good.", over=True))
        await device.seconds(3)
        assert device.car.plant.values[TEMPERATURE] == 22.5
        ((text, work),) = device.said()
        assert text == "It is set. Good." and work
        assert device.work()[-1] == "climate.set_temperature completed/delivered"
        speech = device.of(t.Speech)
        assert sum(len(one.pcm16) // 2 for one in speech) >= 48_000 and any(any(one.pcm16) for one in speech)
        assert [word.word for one in speech for word in one.words] == ["It", "is", "set.", "Good."]
        assert not any("temperature" in one.text for one in speech)
        await device.end()

    ride(tmp_path, story)


def test_without_ears_a_voice_is_nobodys_and_the_car_does_nothing(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async def story(there: Scene) -> None:
        device, draws = await there.device(), there.draws
        draws.write(0, *draws.listen(1), draws.ask("set the temperature to 22.5"))
        await device.seconds(4, loud=True, hint=True)
        await device.seconds(3)
        assert not device.of(t.Actuate) and device.work()
        await device.end()

    with caplog.at_level(logging.DEBUG):
        ride(tmp_path, story)
    assert "temperature to" not in caplog.text


def test_with_ears_the_users_words_and_who_they_are_go_with_the_request(tmp_path: Path) -> None:
    hears = Recogniser()

    async def story(there: Scene) -> None:
        device, draws = await there.device(), there.draws
        draws.write(0, *draws.listen(2), draws.ask("set the temperature to 23"))
        hears.words = "Set the temperature to twenty-three."
        await device.seconds(1, loud=True)
        await device.seconds(1)
        await until(lambda: any(body.final for body in device.of(t.Caption)))
        await device.seconds(1)
        await until(lambda: any("climate.set_temperature completed" in one for one in device.work()))
        assert device.car.plant.values[TEMPERATURE] == 23.0
        assert [act.provenance for act in device.of(t.Actuate)] == ["driver"]
        (caption,) = [body for body in device.of(t.Caption) if body.final]
        assert caption.text == hears.words
        await device.end()

    ride(tmp_path, story, ears=True, assemble=hears.assemble)


def test_an_interruption_ends_the_turn_on_both_sides(tmp_path: Path) -> None:
    async def story(there: Scene) -> None:
        device, draws = await there.device(), there.draws
        device.plays = False  # it is still playing
        draws.write(0, draws.say("One two three", over=False), draws.say(" four five six", over=False))
        await device.seconds(1)
        assert there.host.engine.turn_open(0)
        await device.seconds(1, hint=True)
        await until(lambda: bool(device.of(t.Flush)))
        assert [body.text for body in device.of(t.Notice) if body.code == "verdict"] == ["interruption"]
        draws.scripts[0].clear()
        await device.seconds(1)
        assert not there.host.engine.turn_open(0)
        sent = len(device.of(t.Speech))
        draws.write(0, draws.say("Yes?"))
        await device.seconds(1)
        (last, *_) = device.of(t.Speech)[sent:]
        assert (last.epoch, last.utterance, last.text) == (2, 2, "Yes?")
        await device.end()

    ride(tmp_path, story)


def test_the_button_ends_the_models_turn(tmp_path: Path) -> None:
    async def story(there: Scene) -> None:
        device, draws = await there.device(), there.draws
        draws.write(0, draws.say("One two three", over=False))
        await device.seconds(1)
        device.link.send(t.Input(device.now(), t.InputKind.BUTTON))
        await device.settled()
        await device.seconds(1)
        assert not there.host.engine.turn_open(0) and device.of(t.Flush)
        await device.end()

    ride(tmp_path, story)


def test_a_bad_picture_is_left_out_and_the_session_lives(tmp_path: Path) -> None:
    async def story(there: Scene) -> None:
        device, draws = await there.device(), there.draws
        await device.seconds(1, picture=b"\xff\xd8 this is no JPEG")
        while not fell_short(there):  # pictures travel behind sound: one that comes behind its second is looked at with the next
            await device.seconds(1)
        assert fell_short(there) == ["bad_picture"]
        rows = int(there.host.engine.thinking.cache.ends[0])
        await device.seconds(2, picture=jpeg())
        assert int(there.host.engine.thinking.cache.ends[0]) > rows + 2 * 13
        draws.write(0, draws.say("Red."))
        await device.seconds(1)
        assert device.said() == [("Red.", "")] and fell_short(there) == ["bad_picture"]
        await device.end()

    ride(tmp_path, story)


def test_a_muted_microphone_does_not_stop_the_clock(tmp_path: Path) -> None:
    async def story(there: Scene) -> None:
        device, draws = await there.device(), there.draws
        draws.write(0, *draws.listen(2), draws.say("Still here."))
        await device.seconds(3, mic=t.MicrophoneState.MUTED)
        assert device.said() == [("Still here.", "")] and device.front_end._second.silent == 3
        await device.end()

    ride(tmp_path, story)


def test_two_sessions_at_once_have_turns_of_their_own(tmp_path: Path) -> None:
    async def story(there: Scene) -> None:
        one, two = await there.device("one"), await there.device("two")
        there.draws.write(0, there.draws.say("To one."))
        there.draws.write(1, *there.draws.listen(1), there.draws.say("To two."))
        await asyncio.gather(one.seconds(3), two.seconds(3))
        assert (one.said(), two.said()) == ([("To one.", "")], [("To two.", "")])
        await asyncio.gather(one.end(), two.end())

    ride(tmp_path, story)


def test_a_full_node_says_so_and_has_room_again(tmp_path: Path) -> None:
    async def story(there: Scene) -> None:
        one = await there.device("one")
        two = await there.device("two")
        error = two.errors[0]
        assert (error.code, error.fatal, error.retry_after_ms > 0) == ("busy", True, True)
        assert error.text.startswith("Every place on this node's GPU is taken")
        assert len(there.node.directory) == 1 and there.node.directory.refused >= 1
        await two.end()
        await one.seconds(1)
        await one.end()
        await until(one.over)
        three = await there.device("three")
        there.draws.write(0, there.draws.say("Hello."))
        await three.seconds(1)
        assert three.said() == [("Hello.", "")]
        await three.end()

    ride(tmp_path, story, slots=1)


def test_a_device_that_comes_back_has_its_session_and_the_models_memory(tmp_path: Path) -> None:
    async def story(there: Scene) -> None:
        device = await there.device()
        await device.seconds(2)
        rows = int(there.host.engine.thinking.cache.ends[0])
        assert device.channel is not None
        await device.channel.close()
        there.draws.write(0, there.draws.say("Welcome back."))
        await device.seconds(1, settle=False)
        await until(lambda: device.link.counters.reconnects == 1)
        await device.settled()
        await until(lambda: device.said() == [("Welcome back.", "")])
        assert len(there.node.directory) == 1 and int(there.host.engine.thinking.cache.ends[0]) > rows
        await device.end()

    ride(tmp_path, story)


@pytest.mark.parametrize("slots", [1, 2])
def test_a_lost_session_begins_anew_on_a_node_that_lets_nobody_in(tmp_path: Path, slots: int) -> None:
    async def story(there: Scene) -> None:
        device, other = await there.device("one"), await there.device("two")
        assert bool(other.errors) == (slots == 1)
        await device.seconds(2)
        there.host.runner._scheduler.no_vision = True
        there.host.runner._scheduler._settle_load = lambda *_: None  # type: ignore[method-assign]
        there.draws.write(0, [-1])
        await device.seconds(3, settle=False)
        await device.settled()
        await until(lambda: fell_short(there).count("lost") == 1)
        there.draws.scripts.clear()
        there.draws.write(0, there.draws.say("Here I am."))
        await device.seconds(1)
        assert ("Here I am.", "") in device.said() and not device.errors and not device.front_end._dead
        await asyncio.gather(device.end(), other.end())

    ride(tmp_path, story, slots=slots)


@pytest.mark.parametrize("ears", [False, True])
def test_a_dead_engine_apologises_and_ends_the_session(tmp_path: Path, ears: bool, caplog: pytest.LogCaptureFixture) -> None:
    async def story(there: Scene) -> None:
        device = await there.device()
        await device.seconds(1)

        def broken(*_: object) -> object:
            raise RuntimeError("CUDA error: what somebody said")

        there.host.engine.think = broken  # type: ignore[assignment, method-assign]
        await device.seconds(3, settle=False)
        for _ in range(100):
            if device.errors:
                break
            await device.seconds(1, settle=False)
            await asyncio.sleep(0.02)
        error = device.errors[0]
        assert (error.code, error.fatal) == ("model_failed", True) and "something is wrong with me" in error.text
        assert any("something is wrong" in text for text, _ in device.said()) == ears
        await until(lambda: not len(there.node.directory))
        assert fell_short(there).count("broken") >= 3
        other = await there.device("other")
        assert other.errors[0].code == "busy" and "has failed" in other.errors[0].text
        await asyncio.gather(device.end(), other.end())

    ride(tmp_path, story, ears=ears, assemble=Recogniser().assemble)
    assert "has failed" in caplog.text and "what somebody said" not in caplog.text


def test_it_says_that_a_tiny_checkpoints_words_mean_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    async def story(there: Scene) -> None:
        assert there.host.engine.settings.slots == 2

    ride(tmp_path, story)
    assert "means nothing" in capsys.readouterr().err
