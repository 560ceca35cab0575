"""Another value of the cabin's own, said alone just after: corrections over two turns, in both languages, without a tagger."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest

from ridealong.harness.chosen import chosen, complains
from ridealong.harness.router import Calls, Decision, Router
from ridealong.harness.skill import Context, Outcome, Provenance, Recent
from ridealong.harness.tagged import untagged
from ridealong.harness.tagged_router import TaggedRouter
from ridealong.vehicle_skills.builtin import builtin_registry
from ridealong.vehicle_skills.commands import RecordingPort, car_at

pytestmark = pytest.mark.unit

REGISTRY = builtin_registry()
ROUTER = TaggedRouter(Router(REGISTRY), untagged)


def call(capability: str, **arguments: object) -> Recent:
    return Recent(capability, arguments, Outcome.COMPLETED, 4_000)


def decide(words: str, *recent: Recent, now: datetime | None = None) -> Decision:
    read = RecordingPort(car_at(0), Provenance.DRIVER).read
    context = Context(recent=recent, provenance=Provenance.DRIVER, read=read, local=now)
    return ROUTER.decide(words, "zh" if any(ord(char) > 0x3000 for char in words) else "en", context, Provenance.DRIVER)


def made(decision: Decision) -> list[tuple[str, dict[str, Any]]]:
    return [(one.capability, dict(one.arguments)) for one in decision.matches] if isinstance(decision, Calls) else []


HEAT = call("seats.set_heating", level=100, zone="row1.passenger")
COOL = call("seats.set_heating", level=-100, zone="row1.driver")
GLOW = call("lights.ambient", color="green")
ROOF = call("sunroof.set", to="open")
WIPERS = call("wipers.set", mode="slow")
SOURCE = call("media.source", source="fm")
LOUD = call("media.set_volume", level=20)
STOP = call("navigation.add_stop", place="the post office")
STOP_ZH = call("navigation.add_stop", place="邮局")
SOON = call("reminder.set", text="call Joe", in_s=600)
EVENING = call("reminder.set", text="feed the cat", at="19:00")
LOOKUP = call("phone.lookup", contact="Julia")
SEAT = call("seats.move", direction="forward", zone="row1.driver")


@pytest.mark.parametrize(
    ("words", "recent", "level"),
    [
        ("one notch is enough", HEAT, 33), ("too hot, level one", HEAT, 33), ("just low", HEAT, 33), ("medium will do", HEAT, 66),
        ("actually two bars", HEAT, 66), ("full", COOL, -100), ("on low", COOL, -33),
        ("太烫了，一档就行", HEAT, 33), ("二档够了", HEAT, 66), ("还是低档吧", HEAT, 33), ("三档太热，换二档", HEAT, 66), ("最高", HEAT, 100),
    ],
)  # fmt: skip
def test_a_level_of_the_seats_heating(words: str, recent: Recent, level: int) -> None:
    assert made(decide(words, recent)) == [("seats.set_heating", {"level": level, "zone": recent.arguments["zone"]})]


@pytest.mark.parametrize(
    ("words", "recent", "capability", "arguments"),
    [
        ("hmm, blue looks better", GLOW, "lights.ambient", {"color": "blue"}),
        ("a warm white instead", GLOW, "lights.ambient", {"color": "warm_white"}),
        ("no, full brightness", GLOW, "lights.ambient", {"level": 100}),
        ("violet", GLOW, "lights.ambient", {"color": "purple"}),
        ("粉色好看", GLOW, "lights.ambient", {"color": "pink"}),
        ("嗯……还是橙色吧", GLOW, "lights.ambient", {"color": "orange"}),
        ("only tilt it", ROOF, "sunroof.set", {"to": "tilted"}),
        ("too windy, just tilt it", ROOF, "sunroof.set", {"to": "tilted"}),
        ("close it again", ROOF, "sunroof.set", {"to": "closed"}),
        ("风太大，翘起来就行", ROOF, "sunroof.set", {"to": "tilted"}),
        ("不，只翘着", ROOF, "sunroof.set", {"to": "tilted"}),
        ("let the sensor do it", WIPERS, "wipers.set", {"mode": "auto"}),
        ("automatic please", WIPERS, "wipers.set", {"mode": "auto"}),
        ("make that fast", WIPERS, "wipers.set", {"mode": "fast"}),
        ("no, intermittent", WIPERS, "wipers.set", {"mode": "interval"}),
        ("让它自己来", WIPERS, "wipers.set", {"mode": "auto"}),
        ("算了，自动吧", WIPERS, "wipers.set", {"mode": "auto"}),
        ("快档", WIPERS, "wipers.set", {"mode": "fast"}),
        ("no, from my phone", SOURCE, "media.source", {"source": "bluetooth"}),
        ("actually DAB", SOURCE, "media.source", {"source": "dab"}),
        ("还是蓝牙吧", SOURCE, "media.source", {"source": "bluetooth"}),
        ("用U盘", SOURCE, "media.source", {"source": "usb"}),
        ("no, fifteen percent", LOUD, "media.set_volume", {"level": 15}),
        ("三十", LOUD, "media.set_volume", {"level": 30}),
        ("the bank, not the post office", STOP, "navigation.add_stop", {"place": "bank"}),
        ("no, the pharmacy", STOP, "navigation.add_stop", {"place": "pharmacy"}),
        ("是银行，不是邮局", STOP_ZH, "navigation.add_stop", {"place": "银行"}),
        ("no, only two centimetres", SEAT, "seats.move", {"direction": "forward", "zone": "row1.driver", "amount": 20.0}),
        ("五公分就够", SEAT, "seats.move", {"direction": "forward", "zone": "row1.driver", "amount": 50.0}),
    ],
)  # fmt: skip
def test_a_value_said_alone(words: str, recent: Recent, capability: str, arguments: dict[str, object]) -> None:
    assert made(decide(words, recent)) == [(capability, arguments)]


@pytest.mark.parametrize(
    ("words", "in_s"),
    [
        ("sorry I meant twenty", 1200), ("make that half an hour", 1800), ("ten minutes is not enough, half an hour", 1800), ("fifteen", 900),
        ("十分钟不够，半小时吧", 1800), ("改成二十分钟", 1200), ("一个小时吧", 3600),
    ],
)  # fmt: skip
def test_a_reminder_after_another_while(words: str, in_s: int) -> None:
    assert made(decide(words, SOON)) == [("reminder.set", {"text": "call Joe", "in_s": in_s})]


@pytest.mark.parametrize(
    ("words", "at"),
    [("make that eight", "20:00"), ("no, at half past eight", "20:30"), ("改到八点", "20:00"), ("no, at eight in the morning", "08:00"), ("sorry, at 6 am", "06:00")],
)  # fmt: skip
def test_another_hour_keeps_the_half_of_the_day(words: str, at: str) -> None:
    assert made(decide(words, EVENING)) == [("reminder.set", {"text": "feed the cat", "at": at})]


def test_of_two_hours_one_that_has_been_is_not_meant() -> None:
    morning = call("reminder.set", text="feed the cat", at="11:00", day="today")
    decision = made(decide("make that nine", morning, now=datetime(2026, 3, 2, 10, 30)))
    assert decision == [("reminder.set", {"text": "feed the cat", "at": "21:00", "day": "today"})]


@pytest.mark.parametrize(
    "words", ["fine, ring her", "okay, give her a call", "call that number", "dial it", "那就打给她", "给他打个电话", "拨过去吧"]
)
def test_whoever_was_looked_up_is_called(words: str) -> None:
    assert made(decide(words, LOOKUP)) == [("phone.call", {"contact": "Julia"})]
    assert ("phone.call", {"contact": "Julia"}) not in made(decide(words, WIPERS))


@pytest.mark.parametrize(
    ("words", "recent"),
    [
        ("it's so slow today", WIPERS), ("the blue one is my car", GLOW), ("she likes blue", GLOW), ("is it automatic?", WIPERS), ("ten minutes is not enough", SOON),
        ("low is too low", HEAT), ("今天好慢", WIPERS), ("蓝色是什么意思", GLOW), ("一档太低", HEAT), ("自动驾驶怎么样", WIPERS),
    ],
)  # fmt: skip
def test_what_only_speaks_of_a_value_changes_nothing(words: str, recent: Recent) -> None:
    assert made(decide(words, recent)) == []


def test_nothing_is_changed_long_after_or_of_something_else() -> None:
    long_ago = WIPERS._replace(asked_ms_ago=120_000)
    for recent in (long_ago, call("climate.set_fan", speed=20)):
        assert chosen("fast", "en", Context(recent=(recent,)), REGISTRY.get) is None


def test_complaints_are_no_requests() -> None:
    assert all(complains(words, "en") for words in ("too hot", "that's far too windy", "ten minutes is not enough"))
    assert all(complains(words, "zh") for words in ("太烫了", "风太大", "十分钟不够"))
    assert not any(complains(words, "en") for words in ("open the window", "two is enough", "set it to ten"))
