"""Corrections that say which call they are about, where in a place, several things at once, in no fixed form, or another number of a name."""

from __future__ import annotations

from typing import Any

import pytest

from ridealong.harness.each_part import part_by_part
from ridealong.harness.follow_about import concludes, in_own_words, says_what
from ridealong.harness.follow_loosely import corrected
from ridealong.harness.router import Calls, Decision, Router
from ridealong.harness.skill import Context, Match, Outcome, Provenance, Recent
from ridealong.harness.tagged import untagged
from ridealong.harness.tagged_router import TaggedRouter
from ridealong.proto.types import SignalReading
from ridealong.vehicle_skills import signals as vss
from ridealong.vehicle_skills.builtin import builtin_registry
from ridealong.vehicle_skills.commands import RecordingPort, car_at
from ridealong.vehicle_skills.navigation.meant import in_the_name

pytestmark = pytest.mark.unit

ROUTER = TaggedRouter(Router(builtin_registry()), untagged)
MINE, HERS = "row1.driver", "row1.passenger"
SET, WINDOWS, FAN_IS = "climate.set_temperature", "windows.set_position", "climate.set_fan"


def call(capability: str, **arguments: object) -> Recent:
    return Recent(capability, arguments, Outcome.COMPLETED, 4_000)


def decide(words: str, *recent: Recent) -> Decision:
    read = RecordingPort(car_at(0), Provenance.DRIVER).read
    context = Context(recent=recent, provenance=Provenance.DRIVER, read=read)
    return ROUTER.decide(words, "zh" if ord(words[0]) > 0x3000 else "en", context, Provenance.DRIVER)


def made(decision: Decision) -> list[tuple[str, dict[str, Any]]]:
    return [(one.capability, dict(one.arguments)) for one in decision.matches] if isinstance(decision, Calls) else []


WARM, FAN, SHUT = call(SET, target=19.0, zone=MINE), call(FAN_IS, speed=40), call(WINDOWS, position=0, zone="all")
BOTH = call(SET, target=22.0, zone="row1")
LEFT, RIGHT = call(WINDOWS, position=100, zone="driver_side"), call(WINDOWS, position=100, zone="passenger_side")
HER_WINDOW, ALL = call(WINDOWS, position=100, zone=HERS), call(WINDOWS, position=100, zone="all")
COOLER = call("climate.change_temperature", delta=-2.0, zone=MINE)
HEAT = call("seats.set_heating", level=66, zone=MINE)
BRIGHT, LOUD = call("lights.ambient", level=80), call("media.set_volume", level=70)
STREET, SIGN = call("navigation.set_destination", place="14 Elm Street"), call("watch.words", source="seen", phrase="Ludlow")

ONE = [
    # the number that is refused says which call is meant
    ("sorry, eighteen not nineteen", (SHUT, WARM), (SET, {"target": 18.0, "zone": MINE})),
    ("change 19 to 21", (FAN, WARM), (SET, {"target": 21.0, "zone": MINE})),
    ("not 40, 30", (WARM, FAN), (FAN_IS, {"speed": 30})),
    ("十九改二十", (SHUT, WARM), (SET, {"target": 20.0, "zone": MINE})),
    ("不要四十，要三十", (WARM, FAN), (FAN_IS, {"speed": 30})),
    # a place within a place, and behind it
    ("the back one", (RIGHT,), (WINDOWS, {"position": 100, "zone": "row2.passenger"})),
    ("只要前面那个", (RIGHT,), (WINDOWS, {"position": 100, "zone": "row1.passenger"})),
    ("the back one", (HER_WINDOW,), (WINDOWS, {"position": 100, "zone": "row2.passenger"})),
    ("the back ones", (HER_WINDOW,), (WINDOWS, {"position": 100, "zone": "row2"})),
    # a change, and where
    ("passenger two up", (BOTH,), ("climate.change_temperature", {"delta": 2.0, "zone": HERS})),
    ("hers 19", (BOTH,), (SET, {"target": 19.0, "zone": HERS})),
    ("keep the back ones open", (SHUT,), (WINDOWS, {"position": 100, "zone": "row2"})),
    ("the back ones stay open", (SHUT,), (WINDOWS, {"position": 100, "zone": "row2"})),
    ("keep mine closed", (ALL,), (WINDOWS, {"position": 0, "zone": MINE})),
    ("后面的开着", (SHUT,), (WINDOWS, {"position": 100, "zone": "row2"})),
    ("turn hers off", (call("seats.set_heating", level=66, zone="row1"),), ("seats.set_heating", {"level": 0, "zone": HERS})),
    # not that step, the other
    ("not cooler, warmer", (COOLER,), ("climate.change_temperature", {"delta": 2.0, "zone": MINE})),
    ("不是降，是升", (COOLER,), ("climate.change_temperature", {"delta": 2.0, "zone": MINE})),
    ("not that hot", (HEAT,), ("seats.change_heating", {"delta": -33, "zone": MINE})),
    ("not that bright", (BRIGHT,), ("lights.ambient", {"delta": -20})),
    ("not that loud", (LOUD,), ("media.change_volume", {"delta": -10})),
    ("not so loud", (FAN,), (FAN_IS, {"speed": 20})),
    # after what was said of it
    ("did I say right? left", (call(WINDOWS, position=100, zone=HERS),), (WINDOWS, {"position": 100, "zone": MINE})),
    ("three zero? no I said thirteen, one three", (FAN,), (FAN_IS, {"speed": 13})),
    ("that was way too hot he says, make it 18", (call(SET, target=25.0, zone=HERS),), (SET, {"target": 18.0, "zone": HERS})),
    ("她说她要吹风，还是开着吧", (call(WINDOWS, position=0, zone=HERS),), (WINDOWS, {"position": 100, "zone": HERS})),
    # in no fixed form
    ("fifty would have been right", (FAN,), (FAN_IS, {"speed": 50})),
    ("my tongue slipped, I was going to say fifty", (FAN,), (FAN_IS, {"speed": 50})),
    ("其实五十更合适", (FAN,), (FAN_IS, {"speed": 50})),
    # names
    ("forty, not fourteen", (STREET,), ("navigation.set_destination", {"place": "40 Elm Street"})),
    ("Hannah. With an H.", (call("navigation.set_destination", place="Anna"),), ("navigation.set_destination", {"place": "Hannah"})),
    ("sorry, Ludford it's called", (SIGN,), ("watch.words", {"source": "seen", "phrase": "Ludford"})),
    ("outside I mean", (call("status.temperature_setting", zone=MINE),), ("status.outside_temperature", {})),
    ("外头，我问外头", (call("status.cabin_temperature"),), ("status.outside_temperature", {})),
]  # fmt: skip


@pytest.mark.parametrize(("words", "recent", "meant"), ONE)
def test_one_thing_is_changed(words: str, recent: tuple[Recent, ...], meant: tuple[str, dict[str, object]]) -> None:
    assert made(decide(words, *recent)) == [meant]


@pytest.mark.parametrize(
    ("words", "recent", "meant"),
    [
        ("no only me, hers 19", BOTH, [(SET, {"target": 22.0, "zone": MINE}), (SET, {"target": 19.0, "zone": HERS})]),
        ("no 30, and close my window", FAN, [(FAN_IS, {"speed": 30}), (WINDOWS, {"position": 0, "zone": MINE})]),
    ],
)
def test_each_part_counts(words: str, recent: Recent, meant: list[tuple[str, dict[str, object]]]) -> None:
    assert made(decide(words, recent)) == meant


@pytest.mark.parametrize(
    ("words", "recent"),
    [
        ("she said, turn it off", call("climate.switch", thing="air_conditioning", on=True)), ("he said 22", WARM), ("I said twelve people are coming", WARM),
        ("我说的是十二个人", WARM), ("she said 22 would be better", WARM), ("that's exactly what I said", FAN), ("no no no don't, my mum's still loading", call("trunk.close", confirmed=False)),
    ],
)  # fmt: skip
def test_what_changes_nothing(words: str, recent: Recent) -> None:
    assert made(decide(words, recent)) == []


def test_what_was_shut_before_is_left_out_of_what_is_said_again() -> None:
    shown = {vss.window_position(f"Row{row}", f"{side}Side"): 0.0 for row in (1, 2) for side in ("Driver", "Passenger")}
    before = {path: SignalReading(path, value) for path, value in shown.items()}
    recent = call(WINDOWS, position=0, zone="driver_side")._replace(before=before)
    assert made(decide("not the back one", recent)) == [(WINDOWS, {"position": 0, "zone": MINE})]


@pytest.mark.parametrize(
    ("words", "last", "name"),
    [
        ("forty", "14 Elm Street", "40 Elm Street"), ("number seventeen", "7 High Street", "17 High Street"), ("四十号", "人民路14号", "人民路四十号"),
        ("the one in Illinois", "Springfield", "Springfield in Illinois"), ("forty", "Elm Street", ""), ("the forty thieves", "14 Elm Street", ""), ("Leeds", "14 Elm Street", ""),
    ],
)  # fmt: skip
def test_another_number_of_a_name(words: str, last: str, name: str) -> None:
    assert in_the_name(words, last) == name


@pytest.mark.parametrize(
    ("masked", "zh", "meant"),
    [
        ("# would have been better", False, True), ("in fact i think # is better", False, True), ("it is #", False, False),
        ("i said # people are coming", False, False), ("其实#更合适", True, True), ("#个人", True, False), ("应该是#才对", True, True), ("不对#个人", True, False),
    ],
)  # fmt: skip
def test_words_that_say_nothing_of_their_own(masked: str, zh: bool, meant: bool) -> None:
    assert corrected(masked, zh) is meant


def test_of_two_parts_about_the_same_the_later_counts() -> None:
    first, later, other = (Match("a", 1.0, {"zone": zone, "n": n}) for zone, n in (("x", 1), ("x", 2), ("y", 3)))
    calls = {"one": (first, other), "two": (later,)}
    found = part_by_part(("one", "two"), lambda piece: calls.get(piece, ()), lambda piece, before: (), lambda piece: True)
    assert found == (other, later)
    assert (
        part_by_part(("one", "unknown"), lambda piece: calls.get(piece, ()), lambda piece, before: (), lambda piece: False) == ()
    )


def test_what_is_said_about_words_and_by_whom() -> None:
    assert says_what("did I say right?") and says_what("that's not what I said") and not says_what("open the window")
    assert in_own_words("I was going to say fifty", "en") and not in_own_words("he said fifty", "en")
    assert concludes("make it 22", "en", "he says it's too hot") and not concludes("turn it off", "en", "she said")
