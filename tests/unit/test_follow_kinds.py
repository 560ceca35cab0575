"""Kinds of follow-ups over the real skills, without a tagger: a reason beside them, what is refused, another thing of the same kind, units, enough."""

from __future__ import annotations

from typing import Any

import pytest

from ridealong.harness.no_wish import enough, plainly_joined, wishes
from ridealong.harness.router import AskBack, Calls, Decision, Router
from ridealong.harness.skill import Context, Outcome, Provenance, Recent
from ridealong.harness.slots.zones import find_zones
from ridealong.harness.tagged import untagged
from ridealong.harness.tagged_router import TaggedRouter
from ridealong.harness.wishes import wish
from ridealong.proto.types import SignalReading
from ridealong.vehicle_skills import signals as vss
from ridealong.vehicle_skills.builtin import builtin_registry
from ridealong.vehicle_skills.commands import RecordingPort, car_at
from ridealong.vehicle_skills.whole import windows

pytestmark = pytest.mark.unit

ROUTER = TaggedRouter(Router(builtin_registry()), untagged)
MINE, HERS = "row1.driver", "row1.passenger"


def call(capability: str, **arguments: object) -> Recent:
    return Recent(capability, arguments, Outcome.COMPLETED, 4_000)


def decide(words: str, *recent: Recent) -> Decision:
    read = RecordingPort(car_at(0), Provenance.DRIVER).read
    context = Context(recent=recent, provenance=Provenance.DRIVER, read=read)
    return ROUTER.decide(words, "zh" if ord(words[0]) > 0x3000 else "en", context, Provenance.DRIVER)


def made(decision: Decision) -> list[tuple[str, dict[str, Any]]]:
    return [(one.capability, dict(one.arguments)) for one in decision.matches] if isinstance(decision, Calls) else []


TEMPERATURE = call("climate.set_temperature", target=22.0, zone=MINE)
FAN = call("climate.set_fan", speed=60)
AIR = call("climate.switch", thing="air_conditioning", on=True)
RECIRCULATION = call("climate.switch", thing="recirculation", on=False)
WINDOW = call("windows.set_position", position=100, zone=MINE)
ALL = call("windows.set_position", position=100, zone="all")
TIMER = call("timer.set", duration_s=300)
TYRES, OUTSIDE, BOOT = call("status.tyres"), call("status.outside_temperature"), call("trunk.open", confirmed=False)
COOLER = call("climate.change_temperature", delta=-2.0, zone=MINE)

CASES = [
    # a reason ahead or behind
    ("no, 24, it's freezing", TEMPERATURE, ("climate.set_temperature", {"target": 24.0, "zone": MINE})),
    ("ugh no, on, there's a tunnel coming", RECIRCULATION, ("climate.switch", {"thing": "recirculation", "on": True})),
    ("that's deafening, 30 will do", FAN, ("climate.set_fan", {"speed": 30})),
    ("thirty, sixty is far too noisy", FAN, ("climate.set_fan", {"speed": 30})),
    ("前面有隧道，还是开着", RECIRCULATION, ("climate.switch", {"thing": "recirculation", "on": True})),
    ("三十吧，太吵了", FAN, ("climate.set_fan", {"speed": 30})),
    ("东西拿完了，合上", BOOT, ("trunk.close", {"confirmed": False})),
    # an echo of the words before, a change of mind, words turned round
    ("which? well the passenger's obviously", WINDOW, ("windows.set_position", {"position": 100, "zone": HERS})),
    ("other way round, warmer I mean", COOLER, ("climate.change_temperature", {"delta": 2.0, "zone": MINE})),
    ("I'd rather go to Luton", call("navigation.set_destination", place="Leeds"), ("navigation.set_destination", {"place": "Luton"})),
    ("说反了，关掉", AIR, ("climate.switch", {"thing": "air_conditioning", "on": False})),
    ("我是问后排的", call("status.windows", zone=MINE), ("status.windows", {"zone": "row2"})),
    # another unit
    ("seconds, not minutes", TIMER, ("timer.set", {"duration_s": 5})), ("hours, I meant hours", call("timer.set", duration_s=180), ("timer.set", {"duration_s": 10_800})),
    ("我说的是小时", call("timer.set", duration_s=120), ("timer.set", {"duration_s": 7200})), ("not minutes, seconds", TIMER, ("timer.set", {"duration_s": 5})),
    # a part of it refused
    ("not the back ones", ALL, ("windows.set_position", {"position": 0, "zone": "row2"})), ("右后不要，宝宝睡那儿", ALL, ("windows.set_position", {"position": 0, "zone": "row2.passenger"})),
    ("后面的别开", ALL, ("windows.set_position", {"position": 0, "zone": "row2"})),
    ("关她的", call("windows.set_position", position=0, zone=MINE), ("windows.set_position", {"position": 0, "zone": HERS})),
    ("leave a gap", call("windows.set_position", position=0, zone=MINE), ("windows.set_position", {"position": 10, "zone": MINE})),
    ("留条缝", call("windows.set_position", position=0, zone=MINE), ("windows.set_position", {"position": 10, "zone": MINE})),
    # another thing of the same kind
    ("I meant the range", TYRES, ("status.range", {})), ("what about the doors", TYRES, ("status.doors", {"zone": "all"})), ("and the windows?", call("status.trunk"), ("status.windows", {"zone": "all"})),
    ("我问的是续航", TYRES, ("status.range", {})), ("那续航呢", OUTSIDE, ("status.range", {})), ("no not the window, the boot", WINDOW, ("trunk.open", {"confirmed": False})),
    ("no, the window I meant", BOOT, ("windows.set_position", {"position": 100, "zone": MINE})), ("不是窗，是后备箱", WINDOW, ("trunk.open", {"confirmed": False})),
    ("front one, sorry", call("climate.switch", thing="rear_defroster", on=True), ("climate.switch", {"thing": "front_defroster", "on": True})),
    ("前挡，说错了", call("climate.switch", thing="rear_defroster", on=True), ("climate.switch", {"thing": "front_defroster", "on": True})),
    ("少开一点", call("windows.set_position", position=50, zone=MINE), ("windows.move", {"delta": -20, "zone": MINE})),
]  # fmt: skip


@pytest.mark.parametrize(("words", "recent", "expected"), CASES, ids=[words for words, _, _ in CASES])
def test_what_becomes_of_the_call_before(words: str, recent: Recent, expected: tuple[str, dict[str, Any]]) -> None:
    assert made(decide(words, recent)) == [expected]


@pytest.mark.parametrize(
    ("words", "recent"),
    [
        ("no the milk", TYRES), ("and the kids?", TYRES), ("and the boot?", WINDOW), ("I meant the other film", AIR), ("they'll be on in a minute, love", AIR),
        ("我说的是昨天那个电影", TYRES), ("那孩子呢", TYRES), ("she said, turn it off", AIR), ("seconds please, it's delicious", FAN),
    ],
)  # fmt: skip
def test_what_is_about_something_else_changes_nothing(words: str, recent: Recent) -> None:
    assert made(decide(words, recent)) == []


def test_the_whole_of_it_refused_is_asked_about_and_then_named() -> None:
    assert isinstance(decide("不是我的", WINDOW), AskBack) and isinstance(decide("not mine", WINDOW), AskBack)
    assert made(decide("副驾的", WINDOW)) == [("windows.set_position", {"position": 100, "zone": HERS})]


def test_what_the_car_showed_before_is_put_back() -> None:
    shown = {vss.window_position("Row2", side): 30 for side in ("DriverSide", "PassengerSide")}
    before = {path: SignalReading(path, value) for path, value in shown.items()}
    opened = Recent("windows.set_position", {"position": 100, "zone": "all"}, Outcome.COMPLETED, 4_000, before=before)
    assert made(decide("not the back ones", opened)) == [("windows.set_position", {"position": 30, "zone": "row2"})]


@pytest.mark.parametrize("words", ["stop, that's enough", "that will do", "okay that's plenty", "停，可以了", "够了"])
def test_enough_is_no_more(words: str) -> None:
    assert enough(words, "zh" if ord(words[0]) > 0x3000 else "en")
    assert (
        not enough("stop the timer", "en") and not enough("可以再开一点", "zh") and not enough("enough heat, turn it down", "en")
    )


@pytest.mark.parametrize(("words", "expected"), [
    ("my side nineteen", [(19.0, MINE)]), ("21 for the passenger", [(21.0, HERS)]), ("twenty for me, twenty three for the wife", [(20.0, MINE), (23.0, HERS)]),
    ("passenger side twenty two and a half", [(22.5, HERS)]), ("副驾二十三度", [(23.0, HERS)]),
])  # fmt: skip
def test_a_place_and_a_temperature_are_enough(words: str, expected: list[tuple[float, str]]) -> None:
    assert made(decide(words)) == [("climate.set_temperature", {"target": value, "zone": zone}) for value, zone in expected]


@pytest.mark.parametrize("words", ["they charge twenty for the passenger", "two for the driver", "is it nineteen on my side", "ninety for me", "row 21 for the passenger"])  # fmt: skip
def test_other_numbers_beside_a_place_are_none(words: str) -> None:
    assert [name for name, _ in made(decide(words)) if name.startswith("climate.")] == []


def test_both_of_two_things_are_done_once() -> None:
    for words in ("turn the AC on and open my window", "close the boot and open my window"):
        assert len(made(decide(words))) == 2 and len({name for name, _ in made(decide(words))}) == 2, words
    opened = made(decide("close the window and open it again"))
    assert [arguments["position"] for _, arguments in opened] == [0, 100]
    assert windows([], "turn the AC on and open my window", "en", Context()) == []


def test_joined_by_more_words() -> None:
    assert plainly_joined("A timer, and while you're at it close the boot") == "A timer and close the boot"
    assert plainly_joined("while you're at it") == "while you're at it"
    assert [n for n, _ in made(decide("Ten minute timer, and while you're at it close the boot."))] == [
        "timer.set",
        "trunk.close",
    ]


@pytest.mark.parametrize("words", ["remember when we drove with the windows down", "do you remember that time you turned the heat up", "还记得上次把窗打开吗", "你猜上次调到多少"])  # fmt: skip
def test_memories_ask_for_nothing(words: str) -> None:
    assert wishes(words, "zh" if ord(words[0]) > 0x3000 else "en") == "" and made(decide(words)) == []


def test_what_is_watched_for_ends_before_the_telling() -> None:
    for words, clause in (
        ("listen out for the word platform please and tell me", "you hear the word platform"),
        ("for the next ten minutes tell me when the boot opens", "the boot opens"),
        ("when the car stops give me a shout", "the car stops"),
        ("when the battery is at 80 percent say something", "the battery is at 80 percent"),
    ):
        found = wish(words, "en")
        assert found is not None and found.clause == clause, words
    first = wish("for the next ten minutes tell me when the boot opens", "en")
    assert first is not None and first.lasts_s == 600


@pytest.mark.parametrize(("words", "test", "limit"), [
    ("let me know when it's two degrees or less outside", "down_to", 2.0), ("tell me when it's 25 or more inside", "up_to", 25.0), ("tell me if the battery is at 20 percent or below", "down_to", 20.0),
])  # fmt: skip
def test_or_less_is_down_to(words: str, test: str, limit: float) -> None:
    (capability, arguments), *_ = made(decide(words))
    assert capability == "watch.signal" and (arguments["test"], arguments["limit"]) == (test, limit)


@pytest.mark.parametrize(("words", "zone"), [("窗户全开", "all"), ("把窗全打开", "all"), ("主驾窗全开", MINE), ("我的窗户全打开", MINE)])  # fmt: skip
def test_all_of_the_windows_or_all_the_way(words: str, zone: str) -> None:
    found = find_zones(words, "zh", "LEFT", "driver")
    assert found is not None and found.names == (zone,)
