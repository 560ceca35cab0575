"""What a short sentence changes of the calls before it: which call it goes to, and what becomes of it. Without a tagger."""

from typing import Any

import pytest

from ridealong.harness.router import AskBack, Calls, Decision, Router
from ridealong.harness.skill import Context, Outcome, Provenance, Recent
from ridealong.harness.tagged import untagged
from ridealong.harness.tagged_router import TaggedRouter
from ridealong.proto.types import SignalReading, SignalValue
from ridealong.vehicle_skills import signals as vss
from ridealong.vehicle_skills.builtin import builtin_registry
from ridealong.vehicle_skills.pretended import RecordingPort, car_at

pytestmark = pytest.mark.unit

ROUTER = TaggedRouter(Router(builtin_registry()), untagged)
MINE, HERS = "row1.driver", "row1.passenger"


def call(capability: str, ago_ms: float = 4_000, before: dict[str, SignalValue] | None = None, outcome: Outcome = Outcome.COMPLETED, **arguments: object) -> Recent:  # fmt: skip
    shown = {path: SignalReading(path, value) for path, value in (before or {}).items()}
    return Recent(capability, arguments, outcome, ago_ms, before=shown)


def decide(words: str, *recent: Recent, by: Provenance = Provenance.DRIVER) -> Decision:
    context = Context(recent=recent, provenance=by, read=RecordingPort(car_at(0), by).read)
    return ROUTER.decide(words, "zh" if ord(words[0]) > 0x3000 else "en", context, by)


def made(decision: Decision) -> list[tuple[str, dict[str, Any]]]:
    assert isinstance(decision, Calls), decision
    return [(match.capability, dict(match.arguments)) for match in decision.matches]


TEMPERATURE = call("climate.set_temperature", target=22.0, zone=MINE)
WARMER = call("climate.change_temperature", delta=2.0, zone=MINE)
FAN = call("climate.set_fan", speed=40)
AIR = call("climate.switch", thing="air_conditioning", on=True)
DEFROSTER = call("climate.switch", thing="front_defroster", on=True)
WINDOW = call("windows.set_position", position=100, zone=MINE)
REAR = call("windows.set_position", position=100, zone="row2.driver")
TIMER = call("timer.set", duration_s=600)
WATCH = call("watch.signal", topic="battery", test="below", limit=30.0)
RANGE = call("watch.signal", topic="range", test="below", limit=50_000.0)

CASES = [
    ("make it twenty", (WATCH, TEMPERATURE), ("watch.signal", {"topic": "battery", "test": "below", "limit": 20.0})),
    ("make it 80 instead", (RANGE, FAN), ("watch.signal", {"topic": "range", "test": "below", "limit": 80_000.0})),
    ("make it 80 instead", (TEMPERATURE, FAN), ("climate.set_fan", {"speed": 80})),
    ("twenty degrees", (TIMER, TEMPERATURE), ("climate.set_temperature", {"target": 20.0, "zone": MINE})),
    ("ten minutes", (WATCH, call("timer.set", duration_s=300)), ("timer.set", {"duration_s": 600})),
    ("make that twelve", (TIMER,), ("timer.set", {"duration_s": 720})),
    ("make that three", (call("timer.set", duration_s=7200),), ("timer.set", {"duration_s": 10_800})),
    ("set it to 22", (FAN,), ("climate.set_temperature", {"target": 22.0, "zone": MINE})),
    ("three, not two", (WARMER,), ("climate.change_temperature", {"delta": 1.0, "zone": MINE})),
    ("改成三十", (WATCH, TEMPERATURE), ("watch.signal", {"topic": "battery", "test": "below", "limit": 30.0})),
    ("a bit more", (FAN, TEMPERATURE), ("climate.set_fan", {"speed": 60})),
    ("a bit warmer", (FAN, TEMPERATURE), ("climate.change_temperature", {"delta": 1.0, "zone": MINE})),
    ("half as much", (WINDOW,), ("windows.set_position", {"position": 50, "zone": MINE})),
    ("twice as long", (FAN, TIMER), ("timer.set", {"duration_s": 1200})),
    ("ten percent less", (FAN,), ("climate.set_fan", {"speed": 30})),
    ("two minutes less", (TIMER,), ("timer.set", {"duration_s": 480})),
    ("not so far", (WINDOW,), ("windows.move", {"delta": -20, "zone": MINE})),
    ("sorry, cooler I meant", (WARMER,), ("climate.change_temperature", {"delta": -2.0, "zone": MINE})),
    ("I meant the passenger's", (TEMPERATURE,), ("climate.set_temperature", {"target": 22.0, "zone": HERS})),
    ("不对，是副驾", (TEMPERATURE,), ("climate.set_temperature", {"target": 22.0, "zone": HERS})),
    ("no, the right one", (REAR,), ("windows.set_position", {"position": 100, "zone": "row2.passenger"})),
    ("the other one", (REAR,), ("windows.set_position", {"position": 100, "zone": "row2.passenger"})),
    ("the other one", (DEFROSTER,), ("climate.switch", {"thing": "rear_defroster", "on": True})),
    ("no, off", (AIR,), ("climate.switch", {"thing": "air_conditioning", "on": False})),
    ("不是开是关", (WINDOW,), ("windows.set_position", {"position": 0, "zone": MINE})),
    ("wrong way", (WARMER,), ("climate.change_temperature", {"delta": -2.0, "zone": MINE})),
    ("no, close it", (call("trunk.open", confirmed=False, outcome=Outcome.ASKS),), ("trunk.close", {"confirmed": False})),
    ("then close it", (call("status.trunk"),), ("trunk.close", {"confirmed": False})),
    ("no, outside", (call("status.cabin_temperature"),), ("status.outside_temperature", {})),
    ("no, the station", (call("navigation.set_destination", place="airport"),), ("navigation.set_destination", {"place": "station"})),
    ("that's a lot, one back", (WARMER,), ("climate.change_temperature", {"delta": -1.0, "zone": MINE})),
    ("调回去", (WARMER,), ("climate.change_temperature", {"delta": -2.0, "zone": MINE})),
]  # fmt: skip


@pytest.mark.parametrize(
    ("words", "recent", "expected"), CASES, ids=[f"{words} ({recent[0].capability})" for words, recent, _ in CASES]
)
def test_it_goes_to_the_last_call_that_has_such_a_thing(
    words: str, recent: tuple[Recent, ...], expected: tuple[str, dict[str, Any]]
) -> None:
    assert made(decide(words, *recent)) == [expected]


def test_two_of_one_sentence_change_places() -> None:
    hers, mine = call("climate.set_temperature", target=23.0, zone=HERS), call("climate.set_temperature", target=20.0, zone=MINE)
    assert sorted(made(decide("other way round", hers, mine)), key=str) == sorted(
        [
            ("climate.set_temperature", {"target": 20.0, "zone": HERS}),
            ("climate.set_temperature", {"target": 23.0, "zone": MINE}),
        ],
        key=str,
    )


def test_back_to_what_it_was_is_what_the_car_showed() -> None:
    path = vss.set_temperature("Row1", "Driver")
    assert made(decide("back to what it was", call("climate.set_temperature", before={path: 20.5}, target=24.0, zone=MINE))) == [
        ("climate.set_temperature", {"target": 20.5, "zone": MINE})
    ]


def test_where_that_is_not_known_it_is_asked() -> None:
    assert isinstance(decide("back to what it was", TEMPERATURE), AskBack)


def test_only_one_of_several_puts_the_others_back() -> None:
    window = vss.window_position
    before: dict[str, SignalValue] = {window("Row2", "DriverSide"): 0, window("Row2", "PassengerSide"): 10}
    both = call("windows.set_position", before=before, position=100, zone="row2")
    assert made(decide("just the left one", both)) == [
        ("windows.set_position", {"position": 100, "zone": "row2.driver"}),
        ("windows.set_position", {"position": 10, "zone": "row2.passenger"}),
    ]


@pytest.mark.parametrize("words", ["not that one", "不是这个"])
def test_not_that_one_is_asked_about(words: str) -> None:
    assert isinstance(decide(words, WINDOW), AskBack)


@pytest.mark.parametrize("words", ["no, 23", "the other one", "a bit more", "back to what it was"])
def test_after_a_minute_it_follows_nothing(words: str) -> None:
    old = call(
        "climate.set_temperature", ago_ms=61_000, before={vss.set_temperature("Row1", "Driver"): 20.5}, target=22.0, zone=MINE
    )
    decision = decide(words, old)
    grounds = [ground for match in decision.matches for ground in match.grounds.values()] if isinstance(decision, Calls) else []
    assert "context:recent" not in grounds


def test_overheard_words_change_nothing() -> None:
    assert not isinstance(decide("no, 23", TEMPERATURE, by=Provenance.OVERHEARD), Calls)


def test_words_to_somebody_else_change_nothing() -> None:
    assert not isinstance(decide("Mum, close it", WINDOW), Calls)
