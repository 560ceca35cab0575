"""Music: what is understood, what the car is told, and what is said of it; beside requests for other things."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from ridealong.harness.meant import Meant
from ridealong.harness.router import AskBack, Calls, Router
from ridealong.harness.skill import Call, Context, Outcome, Provenance, Recent, Spoken
from ridealong.harness.slots.text import has_chinese
from ridealong.harness.tagged import untagged
from ridealong.harness.tagged_router import TaggedRouter
from ridealong.proto.types import SignalReading, SignalValue, SignalWrite
from ridealong.vehicle_skills.builtin import builtin_registry
from ridealong.vehicle_skills.cabin_signals import MEDIA_ARTIST, MEDIA_SOURCE, MEDIA_TRACK  # noqa: F401 - named by car()
from ridealong.vehicle_skills.media import meant
from ridealong.vehicle_skills.pretended import NoWaiting, RecordingPort, car_at
from ridealong.vehicle_skills.signals import MEDIA_ACTION, MEDIA_VOLUME, fan_speed, set_temperature

pytestmark = pytest.mark.unit

REGISTRY = builtin_registry()
ROUTER = TaggedRouter(Router(REGISTRY), untagged)


def car(**changed: SignalValue) -> RecordingPort:
    values: dict[str, SignalValue] = {MEDIA_VOLUME: 30, MEDIA_ACTION: "PLAY", MEDIA_SOURCE: "FM"}
    return RecordingPort(car_at(100) | values | {globals()[name]: value for name, value in changed.items()}, Provenance.DRIVER)


def said(text: str, port: RecordingPort, *recent: Recent) -> list[Spoken]:
    locale = "zh" if has_chinese(text) else "en"
    decision = ROUTER.decide(text, locale, Context(recent, Provenance.DRIVER, port.read), Provenance.DRIVER)
    assert isinstance(decision, Calls), decision
    spoken = []
    for match in decision.matches:
        skill = REGISTRY.get(match.capability)
        assert skill is not None
        call = Call("w", text, text, locale, Provenance.DRIVER, match.arguments, port, NoWaiting(), recent=recent)
        spoken.append(asyncio.run(skill.run(call)))
    return spoken


def asked(capability: str, port: RecordingPort, **arguments: object) -> Recent:
    before = {path: SignalReading(path, value) for path, value in port.values.items()}
    return Recent(capability, arguments, Outcome.COMPLETED, 5_000, before=before)


@pytest.mark.parametrize(
    ("text", "path", "value", "sentence"),
    [
        ("set the volume to forty percent", MEDIA_VOLUME, 40, "The volume is at 40 percent."),
        ("turn the music up to 60", MEDIA_VOLUME, 60, "The volume is at 60 percent."),
        ("turn the radio down", MEDIA_VOLUME, 20, "The volume is at 20 percent."),
        ("Louder, please.", MEDIA_VOLUME, 40, "The volume is at 40 percent."),
        ("turn it down", MEDIA_VOLUME, 20, "The volume is at 20 percent."),
        ("turn the sound down by five", MEDIA_VOLUME, 25, "The volume is at 25 percent."),
        ("mute the music", MEDIA_VOLUME, 0, "The sound is off."),
        ("stop the music", MEDIA_ACTION, "STOP", "I've stopped the music."),
        ("stop playing", MEDIA_ACTION, "STOP", "I've stopped the music."),
        ("next station", MEDIA_ACTION, "SKIP_FORWARD", "On to the next station."),
        ("previous song please", MEDIA_ACTION, "SKIP_BACKWARD", "Back to the previous station."),
        ("switch to bluetooth", MEDIA_SOURCE, "BLUETOOTH", "Switched to Bluetooth."),
        ("play from the USB stick", MEDIA_SOURCE, "USB", "Switched to USB."),
        ("音量调到百分之四十", MEDIA_VOLUME, 40, "音量已调到40%。"),
        ("大声一点", MEDIA_VOLUME, 40, "音量已调到40%。"),
        ("把音乐停了", MEDIA_ACTION, "STOP", "音乐停了。"),
        ("切换到蓝牙", MEDIA_SOURCE, "BLUETOOTH", "已切换到蓝牙。"),
    ],
)  # fmt: skip
def test_the_car_is_told_and_what_it_shows_is_said(text: str, path: str, value: SignalValue, sentence: str) -> None:
    port = car()
    assert [one.text for one in said(text, port)] == [sentence]
    assert port.sent == [(SignalWrite(path, value),)]


@pytest.mark.parametrize(
    ("text", "was", "sent", "sentence"),
    [
        ("turn on the radio", "FM", [SignalWrite(MEDIA_ACTION, "PLAY")], "Playing from FM radio."),
        ("打开收音机", "FM", [SignalWrite(MEDIA_ACTION, "PLAY")], "开始播放调频广播。"),
        ("turn on the radio", "USB", [SignalWrite(MEDIA_SOURCE, "FM"), SignalWrite(MEDIA_ACTION, "PLAY")], "Switched to FM radio."),
    ],
)  # fmt: skip
def test_a_source_that_is_silent_is_played(text: str, was: str, sent: list[SignalWrite], sentence: str) -> None:
    port = car(MEDIA_ACTION="STOP", MEDIA_SOURCE=was)
    assert [one.text for one in said(text, port)] == [sentence]
    assert [write for batch in port.sent for write in batch] == sent


def test_a_source_that_plays_already_is_left_alone() -> None:
    port = car(MEDIA_ACTION="PLAY", MEDIA_SOURCE="FM")
    assert [one.text for one in said("turn on the radio", port)] == ["It's already on FM radio."] and port.sent == []


@pytest.mark.parametrize("text", ["louder", "turn it down", "大声一点"])
def test_without_a_name_and_with_nothing_playing_it_is_said_that_nothing_plays(text: str) -> None:
    port = car(MEDIA_ACTION="STOP")
    (spoken,) = said(text, port)
    assert spoken.outcome is Outcome.REFUSED and spoken.reason == "nothing_playing" and port.sent == []


def test_the_volume_by_its_name_can_be_changed_while_nothing_plays() -> None:
    port = car(MEDIA_ACTION="STOP")
    said("turn the volume down", port)
    assert port.sent == [(SignalWrite(MEDIA_VOLUME, 20),)]


@pytest.mark.parametrize(
    ("capability", "arguments", "path", "value"),
    [
        ("climate.set_temperature", {"target": 20.0, "zone": "row1.driver"}, set_temperature("Row1", "Driver"), 18.5),
        ("climate.set_fan", {"speed": 40}, fan_speed("Row1", "Driver"), 20),
        ("media.set_volume", {"level": 30}, MEDIA_VOLUME, 20),
        ("media.transport", {"action": "play"}, MEDIA_VOLUME, 20),
        ("media.source", {"source": "fm"}, MEDIA_VOLUME, 20),
    ],
)
def test_down_is_what_was_spoken_of_last(capability: str, arguments: dict[str, object], path: str, value: float) -> None:
    port = car()
    said("turn it down", port, asked(capability, port, **arguments))
    assert port.sent == [(SignalWrite(path, value),)]


def test_louder_is_never_the_temperature() -> None:
    port = car()
    said("a bit louder", port, asked("climate.set_temperature", port, target=20.0, zone="row1.driver"))
    assert port.sent == [(SignalWrite(MEDIA_VOLUME, 40),)]


def test_quieter_after_the_fan_is_the_fan() -> None:
    port = car()
    said("quieter", port, asked("climate.set_fan", port, speed=40))
    assert port.sent == [(SignalWrite(fan_speed("Row1", "Driver"), 20),)]


def test_stop_alone_is_not_the_music() -> None:
    port = car()
    for text in ("stop", "停"):
        decision = ROUTER.decide(text, "en", Context((), Provenance.DRIVER, port.read), Provenance.DRIVER)
        assert not isinstance(decision, Calls)


def test_unmuting_puts_back_what_the_car_showed() -> None:
    muted, now = car(), car(MEDIA_VOLUME=0)
    assert [one.text for one in said("unmute", now, asked("media.mute", muted, on=True))] == ["The sound is back, at 30 percent."]
    assert now.sent == [(SignalWrite(MEDIA_VOLUME, 30),)]


def test_unmuting_without_knowing_how_loud_it_was_says_so() -> None:
    (spoken,) = said("unmute", car(MEDIA_VOLUME=0))
    assert spoken.text == "The volume is at 20 percent; I don't know how loud it was before."


def test_undoing_puts_the_volume_back() -> None:
    before, now = car(), car(MEDIA_VOLUME=80)
    said("back to what it was", now, asked("media.set_volume", before, level=80))
    assert now.sent == [(SignalWrite(MEDIA_VOLUME, 30),)]


def test_no_another_source_is_taken_instead() -> None:
    port = car(MEDIA_SOURCE="USB")
    said("no, I meant bluetooth", port, asked("media.source", port, source="usb"))
    assert port.sent == [(SignalWrite(MEDIA_SOURCE, "BLUETOOTH"),)]


@pytest.mark.parametrize(
    "text",
    [
        "put on Radio 4", "turn on bluetooth", "what's the name of this street", "turn the heating up", "the next one", "raise the suspension, this track's rough",
        "mum, can you turn your music down", "the kids had the volume at forty", "speak up", "这是什么", "下一个", "把导航的声音调小一点", "起床闹铃音量调大点",
    ],
)  # fmt: skip
def test_what_is_not_the_music(text: str) -> None:
    port = car(MEDIA_ACTION="STOP")
    locale = "zh" if has_chinese(text) else "en"
    decision = ROUTER.decide(text, locale, Context((), Provenance.DRIVER, port.read), Provenance.DRIVER)
    calls = decision.matches if isinstance(decision, Calls) else ()
    assert not [one.capability for one in calls if one.capability.startswith(("media.", "status.playing", "status.volume"))]


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({}, "FM radio; the car doesn't show a title."),
        ({"MEDIA_ACTION": "STOP"}, "Nothing is playing."),
        ({"MEDIA_SOURCE": "USB", "MEDIA_TRACK": "Blue Hour", "MEDIA_ARTIST": "The Larks"}, "This is Blue Hour by The Larks, from USB."),
        ({"MEDIA_SOURCE": "UNKNOWN"}, "The car doesn't show what is playing."),
    ],
)  # fmt: skip
def test_what_is_playing_is_what_the_car_shows(changed: dict[str, str], sentence: str) -> None:
    assert [one.text for one in said("what's playing?", car(**changed))] == [sentence]


@pytest.mark.parametrize("text", ["set the volume to 150 percent", "set the volume to minus five", "音量调到两百"])
def test_a_volume_that_there_is_none_of_is_asked_about(text: str) -> None:
    port = car()
    locale = "zh" if has_chinese(text) else "en"
    decision = ROUTER.decide(text, locale, Context((), Provenance.DRIVER, port.read), Provenance.DRIVER)
    assert isinstance(decision, AskBack) and ("0 to 100" in decision.question or "百分之百" in decision.question)


def test_a_second_skip_which_the_car_cannot_show_is_only_asked_for() -> None:
    assert [one.text for one in said("next song", car(MEDIA_ACTION="SKIP_FORWARD"))] == ["I've asked for the next station."]


def test_the_ends_are_said() -> None:
    assert [one.text for one in said("louder", car(MEDIA_VOLUME=100))] == ["It's as loud as it goes."]
    assert [one.text for one in said("mute", car(MEDIA_VOLUME=0))] == ["The sound is already off."]
    assert [one.text for one in said("how loud is the music?", car(MEDIA_VOLUME=0))] == ["The sound is off."]


# --- where the tagger has found what is asked for ---------------------------------------------------------------------


def understood(label: str, text: str, context: Context | None = None) -> list[dict[str, object]]:
    capability, _, variant = label.partition("/")
    skill = REGISTRY.get(capability)
    assert skill is not None and skill.understand is not None
    locale = "zh" if has_chinese(text) else "en"
    found = skill.understand(Meant(variant, text, locale, context or Context(provenance=Provenance.DRIVER), 0.9))
    return [dict(match.arguments) for match in found]


@pytest.mark.parametrize(
    ("label", "text", "arguments"),
    [
        ("media.set_volume", "the speakers want to be at sixty", {"level": 60}),
        ("media.set_volume", "seven out of ten for the music", {"level": 70}),
        ("media.set_volume", "as loud as it goes please", {"level": 100}),
        ("media.set_volume", "the lowest it goes without being off", {"level": 5}),
        ("media.set_volume", "声音开到最低那一档", {"level": 0}),
        ("media.change_volume/down", "it's blaring, turn that down", {"delta": -10}),
        ("media.change_volume/up", "音量往上提两格", {"delta": 20}),
        ("media.change_volume/up", "turn it up to eighty percent", {"level": 80}),
        ("media.mute/on", "moot the music please", {"on": True}),
        ("media.transport/previous", "oh I loved that, go back to it", {"action": "previous"}),
        ("media.source", "could you switch from aux back to the tuner", {"source": "fm"}),
        ("media.source", "the music off my iPhone", {"source": "bluetooth"}),
        ("media.source", "不要广播了换蓝牙", {"source": "bluetooth"}),
        ("media.source", "I want AM, not FM", {"source": "am"}),
        ("media.source", "go on to satellite radio", {}),
    ],
)
def test_arguments_are_in_the_words(label: str, text: str, arguments: dict[str, object]) -> None:
    assert understood(label, text) == [arguments]


def test_the_voice_of_the_assistant_is_not_the_music() -> None:
    assert understood("media.change_volume/up", "你说话大声一点") == []
    assert understood("media.change_volume/up", "speak up, the music I mean, make the music louder") == [{"delta": 10}]


def test_a_level_that_nobody_said_is_asked_for() -> None:
    port = car()
    (asks,) = meant.set_volume(Meant("", "set the volume", "en", replace(Context(), read=port.read), 0.9))
    assert asks.missing == ("level",) and asks.question
