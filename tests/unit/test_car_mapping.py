"""One model of car: names, steps, polarity, sides, older trees. What goes out comes back, and only what the car can do is confirmed."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ridealong.errors import UserError
from ridealong.proto.types import SignalValue, SignalWrite
from ridealong.simulators.car.broker import SimBroker, meta_of
from ridealong.vehicle_skills import signals as vss
from ridealong.vehicle_skills.broker import ReplyKind
from ridealong.vehicle_skills.fitting import compare
from ridealong.vehicle_skills.mapped_broker import MappedBroker
from ridealong.vehicle_skills.mapping import AS_IN_VSS_6, CarMapping, MappingError, Rule
from ridealong.vehicle_skills.signals import SIGNALS, DataType, Signal, fault
from ridealong.vehicle_skills.vehicle_file import VERSIONS, admit_from, preset, read_vehicle

pytestmark = pytest.mark.unit

WINDOW = vss.window_position("Row1", "DriverSide")
FAN = vss.fan_speed("Row1", "Driver")
HEAT = vss.set_temperature("Row1", "Driver")
SEAT = vss.occupancy("Row1", "DriverSide")


def of(drive: str = "left", **rules: Rule) -> CarMapping:
    return CarMapping.of(
        {{"window": WINDOW, "fan": FAN, "heat": HEAT, "seat": SEAT}[name]: rule for name, rule in rules.items()}, drive
    )


def test_a_car_as_in_vss_6_is_left_as_it_is() -> None:
    for path, signal in SIGNALS.items():
        assert AS_IN_VSS_6.theirs(path) == path and AS_IN_VSS_6.type_of(path) is signal.type
    assert AS_IN_VSS_6.settled(SignalWrite(HEAT, 22.5)) == SignalWrite(HEAT, 22.5)


def test_steps_polarity_factor_and_names_of_values() -> None:
    fan = of(fan=Rule(steps=7))
    assert [fan.to_car(FAN, value) for value in (0, 7, 8, 40, 100)] == [0, 0, 1, 3, 7]
    assert fan.settled(SignalWrite(FAN, 40)).value == 43
    window = of(window=Rule(inverted=True))
    assert (window.to_car(WINDOW, 0), window.to_car(WINDOW, 30), window.from_car(WINDOW, 70)) == (100, 70, 30)
    whole = of(heat=Rule(type=DataType.INT8))
    assert (whole.to_car(HEAT, 22.5), whole.settled(SignalWrite(HEAT, 22.5)).value) == (23, 23.0)
    seat = of(seat=Rule(values={"OCCUPIED": True, "EMPTY": False}))
    assert (seat.from_car(SEAT, True), seat.from_car(SEAT, False), seat.type_of(SEAT)) == ("OCCUPIED", "EMPTY", DataType.BOOLEAN)


@given(st.integers(0, 100), st.integers(1, 20))
def test_what_settles_stays(value: int, steps: int) -> None:
    for mapping in (of(fan=Rule(steps=steps)), of(fan=Rule(inverted=True))):
        once = mapping.settled(SignalWrite(FAN, value))
        assert not fault(SIGNALS[FAN], once.value) and mapping.settled(once) == once
        assert abs(float(once.value) - value) <= 50 / steps + 0.5 if mapping.type_of(FAN) else True


@pytest.mark.parametrize(("drive", "left"), [("left", "Driver"), ("right", "Passenger")])
def test_left_and_right_follow_the_driver(drive: str, left: str) -> None:
    mapping = CarMapping.of(preset("3.1"), drive)
    there = mapping.theirs(vss.set_temperature("Row1", left))
    assert there == "Vehicle.Cabin.HVAC.Station.Row1.Left.Temperature"
    side = "DriverSide" if drive == "left" else "PassengerSide"
    assert mapping.theirs(vss.window_position("Row2", side)) == "Vehicle.Cabin.Door.Row2.Left.Window.Position"
    assert mapping.theirs(vss.occupancy("Row1", side)) == "Vehicle.Cabin.Seat.Row1.Pos1.IsOccupied"


@pytest.mark.parametrize(
    ("rules", "sentence"),
    [
        ({"Vehicle.Cabin.Door.*.Window": Rule(inverted=True)}, "is no signal of ours"),
        ({FAN: Rule(steps=7, inverted=True)}, "only one of"),
        ({FAN: Rule(missing=True, steps=7)}, "is missing"),
        ({FAN: Rule(factor=0.0)}, "not 0"),
        ({"Vehicle.Cabin.HVAC.Station.*.*.FanSpeed": Rule(path="Vehicle.Cabin.Fan")}, "would both be"),
        ({vss.SPEED: Rule(path="Vehicle.{side}")}, "of neither"),
        ({vss.SPEED: Rule(path="Vehicle.*.Speed")}, "more \\* than"),
        ({SEAT: Rule(values={"OCCUPIED": True, "EMPTY": True})}, "to two of ours"),
    ],
)
def test_rules_that_make_no_car(rules: dict[str, Rule], sentence: str) -> None:
    with pytest.raises(MappingError, match=sentence):
        CarMapping.of(rules)


@pytest.mark.parametrize("version", VERSIONS)
def test_each_older_tree_maps_every_signal_once(version: str) -> None:
    mapping = CarMapping.of(preset(version))
    theirs = [mapping.theirs(path) for path in SIGNALS if mapping.theirs(path) is not None]
    assert len(set(theirs)) == len(theirs) and len(theirs) > 100


def car(mapping: CarMapping) -> tuple[SimBroker, MappedBroker, list[tuple[str, SignalValue]]]:
    """A databroker that serves the car's own tree."""
    done: list[tuple[str, SignalValue]] = []
    signals = {}
    for path, signal in SIGNALS.items():
        there = mapping.theirs(path)
        if there is not None:
            own = replace(signal, path=there, type=mapping.type_of(path))
            signals[there] = own if own.type is signal.type else replace(own, low=None, high=None, allowed=())
    broker = SimBroker(lambda path, value: done.append((path, value)), signals)
    return broker, MappedBroker(broker, mapping), done


def test_the_broker_speaks_our_words() -> None:
    async def story() -> None:
        mapping = CarMapping.of(
            {**preset("4.0"), FAN: Rule(steps=7), "Vehicle.Cabin.Door.*.*.Window.Position": Rule(inverted=True)}
        )
        broker, mapped, done = car(mapping)
        broker.publish([("Vehicle.Cabin.Seat.Row1.DriverSide.IsOccupied", True), (WINDOW, 100), (HEAT, 21), (FAN, 3)])
        seen = await mapped.read([SEAT, WINDOW, HEAT, FAN, vss.SPEED])
        assert [update.value for update in seen] == ["OCCUPIED", 0, 21.0, 43, None]
        batches = mapped.subscribe([SEAT, FAN])
        first = await anext(batches)
        assert {update.path: update.value for update in first} == {SEAT: "OCCUPIED", FAN: 43}
        await batches.aclose()
        assert (await mapped.actuate([SignalWrite(WINDOW, 30), SignalWrite(HEAT, 22.5)])).kind is ReplyKind.FORWARDED
        assert done == [(WINDOW, 70), (HEAT, 23)]
        metadata = {meta.path: meta for meta in await mapped.list_metadata()}
        assert metadata[HEAT].type is DataType.FLOAT and SEAT in metadata and vss.ambient_light("DriverSide", "Color") in metadata

    asyncio.run(story())


def test_the_report_names_what_is_otherwise_in_this_car() -> None:
    mapping = CarMapping.of(preset("4.0"))
    offered: Sequence[Signal] = [
        replace(SIGNALS[path], path=str(mapping.theirs(path))) for path in SIGNALS if mapping.theirs(path)
    ]
    findings = compare(SIGNALS.values(), list(map(meta_of, offered)), [], mapping)
    troubled = {finding.path: finding.problem for finding in findings if finding.problem}
    assert troubled[HEAT] == "wrong type: float, we need int8"
    assert troubled[SEAT] == "wrong type: string, we need boolean (there: Vehicle.Cabin.Seat.Row1.DriverSide.IsOccupied)"
    assert troubled["Vehicle.Diagnostics.DTCCount"] == "missing, as the vehicle file says"


def test_limits_are_compared_in_the_cars_own_units() -> None:
    media = vss.MEDIA_ACTION
    mapping = CarMapping.of(
        {
            FAN: Rule(steps=7),
            WINDOW: Rule(inverted=True),
            HEAT: Rule(type=DataType.INT8),
            vss.MEDIA_VOLUME: Rule(path="Vehicle.Private.Gain", factor=0.3),
            media: Rule(values={"PLAY": "GO"}),
        }
    )

    def problem(path: str, **changes: Any) -> str:
        there = str(mapping.theirs(path))
        meta = replace(meta_of(replace(SIGNALS[path], path=there, type=mapping.type_of(path))), **changes)
        return compare([SIGNALS[path]], [meta], [], mapping)[0].problem

    assert problem(FAN, low=0, high=7) == problem(FAN, low=None, high=None) == problem(FAN, low=0, high=100) == ""
    assert problem(FAN, low=0, high=5) == "narrower limits: 0 to 5, we send 0 to 7"
    assert problem(WINDOW, low=0, high=100) == ""
    assert problem(HEAT, low=16, high=None) == "narrower limits: 16 to any, we send 14 to 32"
    assert problem(vss.MEDIA_VOLUME, low=0, high=30) == ""
    assert problem(vss.MEDIA_VOLUME, low=0, high=20) == "narrower limits: 0 to 20, we send 0 to 30 (there: Vehicle.Private.Gain)"
    words = tuple("GO" if word == "PLAY" else word for word in SIGNALS[media].allowed)
    assert problem(media, allowed=words) == "" and problem(media, allowed=words[:-1]) == "has no word SKIP_BACKWARD"
    assert problem(vss.FUEL_LEVEL, low=5, high=90) == ""  # only read


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("vss: 7", "must be one of 3.1, 4.0, 5.1, 6.0"),
        ("drive: middle", "left or right"),
        ("maps: {}", "'maps'"),
        ("map: [a]", "must give a rule"),
        ("map: {Vehicle.Speed: {}}", "needs a rule"),
        ("map: {Vehicle.Speed: {step: 3}}", "'step'"),
        ("map: {Vehicle.Speed: {steps: many}}", "can't be 'many'"),
        ("map: {Vehicle.Speed: {type: int9}}", "the types are"),
        ("map: {Vehicle.Sped: {factor: 2}}", "no signal of ours"),
        ("map: {", "is no YAML"),
    ],
)
def test_files_that_can_not_be_used(tmp_path: Path, text: str, sentence: str) -> None:
    file = tmp_path / "car.yaml"
    file.write_text(text)
    with pytest.raises(UserError, match=sentence):
        read_vehicle(file)


def test_a_file(tmp_path: Path) -> None:
    file = tmp_path / "car.yaml"
    file.write_text('vss: "4.0"\ndrive: right\nmap:\n  Vehicle.Cabin.HVAC.Station.*.*.FanSpeed: {steps: 7}\n')
    vehicle = read_vehicle(file)
    assert vehicle.drive == "right" and vehicle.mapping.to_car(FAN, 100) == 7


@pytest.mark.parametrize("read", [read_vehicle, admit_from])
def test_a_section_that_is_none_is_named(tmp_path: Path, read: Any) -> None:
    """By whoever reads the file: also for its added signals alone."""
    (tmp_path / "car.yaml").write_text("sinals: {}\n")
    with pytest.raises(UserError, match="has 'sinals', which is none of can, drive, map, signals, vss"):
        read(tmp_path / "car.yaml")
