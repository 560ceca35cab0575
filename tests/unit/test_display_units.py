"""Speeds and tyre pressures are spoken, and understood, in the unit that the car's display has."""

from __future__ import annotations

import pytest

from ridealong.harness.skill import Context, Provenance, SignalReading
from ridealong.harness.slots import render
from ridealong.proto.types import SignalValue
from ridealong.simulators.car.plant import initial_values
from ridealong.vehicle_skills.builtin import builtin_registry
from ridealong.vehicle_skills.cabin_signals import PRESSURE_UNIT, SPEED_UNIT
from ridealong.vehicle_skills.car import Read, pressure_unit, speed_unit
from ridealong.vehicle_skills.signals import DISTANCE_UNIT, SPEED, tyre_pressure
from ridealong.vehicle_skills.status import plan
from ridealong.vehicle_skills.trying import try_words
from ridealong.vehicle_skills.watching.limits import kilopascals, said_again
from ridealong.vehicle_skills.watching.sentences import worded
from ridealong.vehicle_skills.watching.topics import BY_NAME

pytestmark = pytest.mark.unit

MPH, KMH = {SPEED_UNIT: "MILES_PER_HOUR"}, {SPEED_UNIT: "KILOMETERS_PER_HOUR"}
WHEELS = {tyre_pressure(axle, side): 230 for axle in ("Row1", "Row2") for side in ("Left", "Right")}


def reading(values: dict[str, SignalValue]) -> Read:
    return lambda path: SignalReading(path, values[path]) if path in values else None


@pytest.mark.parametrize(
    ("shown", "says"),
    [
        ({}, "We're doing 80 kilometres per hour."),
        (MPH, "We're doing 50 miles per hour."),
        (MPH | {DISTANCE_UNIT: "KILOMETERS"}, "We're doing 50 miles per hour."),
        (KMH | {DISTANCE_UNIT: "MILES"}, "We're doing 80 kilometres per hour."),
        ({DISTANCE_UNIT: "MILES"}, "We're doing 50 miles per hour."),  # a tree without a unit of speed
        ({SPEED_UNIT: "METERS_PER_SECOND"}, "We're doing 80 kilometres per hour."),
    ],
)
def test_the_speed(shown: dict[str, SignalValue], says: str) -> None:
    assert plan.speed(reading({SPEED: 80.0, **shown}), "en", "") == says


@pytest.mark.parametrize(
    ("unit", "english", "chinese"),
    [
        (None, "The tyres are at 2.3 bar.", "胎压2.3巴。"),
        ("BAR", "The tyres are at 2.3 bar.", "胎压2.3巴。"),
        ("KPA", "The tyres are at 230 kilopascals.", "胎压230千帕。"),
        ("PSI", "The tyres are at 33 psi.", "胎压33磅。"),
        ("ATM", "The tyres are at 2.3 bar.", "胎压2.3巴。"),
    ],
)
def test_the_tyres(unit: str | None, english: str, chinese: str) -> None:
    read = reading({**WHEELS, **({PRESSURE_UNIT: unit} if unit else {})})
    assert (plan.tyres(read, "en", ""), plan.tyres(read, "zh", "")) == (english, chinese)


def test_low_and_uneven_tyres() -> None:
    one = tyre_pressure("Row1", "Left")
    low = reading({**WHEELS, one: 170, PRESSURE_UNIT: "PSI"})
    assert plan.tyres(low, "en", "") == "Tyre pressure is low: front left 25 psi."
    assert plan.tyres(low, "zh", "") == "胎压偏低：左前25磅。"
    uneven = reading({**WHEELS, one: 250, PRESSURE_UNIT: "KPA"})
    assert plan.tyres(uneven, "en", "") == "The tyres are at 230 to 250 kilopascals."


def test_a_whole_answer_and_what_it_may_read() -> None:
    tried = try_words("how are the tyre pressures?", (), car={**WHEELS, PRESSURE_UNIT: "PSI"})
    assert tried.said == "The tyres are at 33 psi."
    tried = try_words("how fast are we going?", (), car=dict(MPH), speed_kmh=100)
    assert tried.said == "We're doing 62 miles per hour."


def test_what_is_waited_for_is_in_it_too() -> None:
    read = reading({PRESSURE_UNIT: "PSI", **MPH})
    assert worded(BY_NAME["tyres"], 200, "en", read) == "29 psi"
    assert worded(BY_NAME["speed"], 112.7, "en", read) == "70 miles per hour"
    assert said_again(BY_NAME["speed"], 70, "", read) == 112.7
    assert said_again(BY_NAME["tyres"], 30, "", read) == 206.8


@pytest.mark.parametrize(
    ("value", "unit", "shown", "kpa"),
    [
        (2.2, "", "BAR", 220), (220, "", "BAR", 220), (32, "", "BAR", 220.6), (32, "", "PSI", 220.6), (60, "", "PSI", 413.7), (60, "", "KPA", 60),
        (2.2, "", "PSI", 220), (220, "", "PSI", 220), (32, "PSI", "KPA", 220.6), (2.2, "BAR", "PSI", 220), (60, "KPA", "PSI", 60),
    ],
)  # fmt: skip
def test_a_pressure_without_a_unit_is_one_that_a_tyre_can_have(value: float, unit: str, shown: str, kpa: float) -> None:
    assert kilopascals(value, unit, reading({PRESSURE_UNIT: shown})) == kpa


@pytest.mark.parametrize("text", ["tell me when a tyre is below 30 psi", "胎压低于30磅的时候告诉我"])
def test_a_unit_that_is_said_counts(text: str) -> None:
    locale = "en" if text.isascii() else "zh"
    one = builtin_registry().get("watch.signal")
    assert one is not None
    read = reading({PRESSURE_UNIT: "KPA"})
    match = one.recognise(text, locale, Context(read=read, provenance=Provenance.DRIVER))
    assert match is not None and match.arguments["limit"] == 206.8


def test_the_simulated_car_shows_them() -> None:
    read = reading(dict(initial_values()))
    assert (speed_unit(read), pressure_unit(read)) == ("KILOMETERS_PER_HOUR", "BAR")
    assert render.pressure(220, "en", pressure_unit(read)) == "2.2 bar"
