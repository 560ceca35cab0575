"""What the simulated car is told to do, what it says of itself, and the mapping report."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest
from car_loop import run

from ridealong.errors import UserError
from ridealong.proto.types import SignalValue
from ridealong.simulators.car.broker import meta_of
from ridealong.simulators.car.car import SimCar
from ridealong.simulators.car.plant import SignalSample
from ridealong.simulators.car.script import parse_value, read_script
from ridealong.vehicle_skills import signals as vss
from ridealong.vehicle_skills.broker import Update
from ridealong.vehicle_skills.check import report
from ridealong.vehicle_skills.fitting import compare
from ridealong.vehicle_skills.signals import SIGNALS, DataType

pytestmark = pytest.mark.unit


def test_csv_and_yaml(tmp_path: Path) -> None:
    rows = tmp_path / "a.csv"
    rows.write_text(
        "\ufefftime_s,path,value\n# a comment\n0.0,Vehicle.Speed,30\n2.5,Vehicle.Chassis.ParkingBrake.IsEngaged,false\n\n"
    )
    expected = (SignalSample(0.0, vss.SPEED, 30.0), SignalSample(2.5, vss.PARKING_BRAKE, False))
    assert read_script(rows) == expected
    listed = tmp_path / "a.yaml"
    listed.write_text(
        "signals:\n  - {time_s: 0, path: Vehicle.Speed, value: 30}\n"
        "  - {time_s: 2.5, path: Vehicle.Chassis.ParkingBrake.IsEngaged, value: false}\n"
    )
    assert read_script(listed) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("time,path,value\n", "must begin with"),
        ("", "must begin with"),
        ("time_s,path,value\n1,Vehicle.Speed\n", "line 2"),
        ("time_s,path,value\nx,Vehicle.Speed,1\n", "line 2: time_s 'x' is not a number"),
        ("time_s,path,value\n-1,Vehicle.Speed,1\n", "before the start"),
        ("time_s,path,value\n1,Speed,1\n", "not a VSS path"),
        ("time_s,path,value\n1,Vehicle.Speed,fast\n", "'fast' is not a number"),
        ("time_s,path,value\n1,Vehicle.Speed,nan\n", "not a finite number"),
        ("time_s,path,value\n1,Vehicle.Speed,\n", "has no value"),
        ("time_s,path,value\n1,Vehicle.IsMoving,maybe\n", "not true or false"),
        ("time_s,path,value\n1,Vehicle.LowVoltageSystemState,PARTY\n", "outside one of"),
        ("time_s,path,value\n1,Vehicle.Cabin.Door.Row1.DriverSide.Window.Position,120\n", "outside 0 to 100"),
        ("time_s,path,value\n1,Vehicle.Cabin.Door.Row1.DriverSide.Window.Position,1.5\n", "whole number"),
    ],
)
def test_mistakes_are_named(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "bad.csv"
    path.write_text(text)
    with pytest.raises(UserError, match=message):
        read_script(path)


def test_other_mistakes(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="cannot be read"):
        read_script(tmp_path / "none.csv")
    (tmp_path / "x.csv").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UserError, match="not text"):
        read_script(tmp_path / "x.csv")
    (tmp_path / "x.yaml").write_text("signals: [")
    with pytest.raises(UserError, match="not YAML"):
        read_script(tmp_path / "x.yaml")
    (tmp_path / "y.yaml").write_text("- {time_s: 1, path: Vehicle.Speed}")
    with pytest.raises(UserError, match="entry 1"):
        read_script(tmp_path / "y.yaml")


def test_values_outside_our_table_are_taken_as_they_look() -> None:
    assert [parse_value("Vehicle.Other", text) for text in ("3", "3.5", "true", "abc")] == [3, 3.5, True, "abc"]


def test_samples_get_the_signals_own_types_or_an_error() -> None:
    car = SimCar(
        [SignalSample(0, vss.SELECTED_GEAR, 126.0), SignalSample(0, vss.PARKING_BRAKE, "true"), SignalSample(1, vss.SPEED, 3)]
    )
    assert [(type(sample.value), sample.value) for sample in car.script] == [(int, 126), (bool, True), (float, 3.0)]
    with pytest.raises(UserError, match="at 4 s"):
        SimCar([SignalSample(4, vss.SPEED, "fast")])


def test_the_car_follows_its_script_and_tells_observers() -> None:
    seen: list[tuple[float, str, SignalValue, str]] = []
    window = vss.window_position("Row1", "DriverSide")

    async def main() -> None:
        script = [SignalSample(1.0, vss.SPEED, 50.0), SignalSample(0.5, "Vehicle.Made.Up", 7)]
        car = SimCar(script, changes=lambda *change: seen.append(change))
        async with asyncio.TaskGroup() as tasks:
            driving = tasks.create_task(car.run())
            await asyncio.sleep(2.0)
            car.set(vss.OUTSIDE_TEMPERATURE, 3.0)
            car.plant.command(window, 10)
            await asyncio.sleep(1.0)
            assert (await car.broker.read(["Vehicle.Made.Up"]))[0].value == 7
            driving.cancel()

    run(main())
    by_path = {path: (round(at_s, 1), value, source) for at_s, path, value, source in seen}
    assert by_path[vss.SPEED] == (1.0, 50.0, "script")
    assert by_path["Vehicle.Made.Up"] == (0.5, 7, "script")
    assert by_path[vss.OUTSIDE_TEMPERATURE] == (2.0, 3.0, "set")
    assert by_path[window][1:] == (10, "actuation")
    assert by_path[vss.SELECTED_GEAR] == (1.0, vss.GEAR_DRIVE, "plant")
    assert vss.TRUNK_OPEN not in by_path


def test_mapping_report() -> None:
    offered = [meta_of(signal) for signal in SIGNALS.values()]
    values = [Update(path, None if path == vss.SPEED else 1) for path in SIGNALS]
    assert [finding.path for finding in compare(SIGNALS.values(), offered, values) if finding.problem] == [vss.SPEED]
    window = vss.window_position("Row1", "DriverSide")
    changed = [
        replace(meta, type=DataType.INT8) if meta.path == vss.set_temperature("Row1", "Driver") else replace(meta, comment="")
        for meta in offered
        if meta.path not in (window, vss.DOME_LIGHT)
    ]
    findings = compare(SIGNALS.values(), changed, [])
    troubled = {finding.path: (finding.problem, finding.blocks) for finding in findings if finding.problem}
    assert troubled == {
        window: ("missing", True),
        vss.DOME_LIGHT: ("missing", False),
        vss.set_temperature("Row1", "Driver"): ("wrong type: int8, we need float", True),
    }
    text = report("x:1", findings, [meta for meta in changed if meta.path.endswith("Window.Position")])
    assert (
        f"{len(SIGNALS) - 3} of {len(SIGNALS)} signals" in text
        and "needed, and not as it must be" in text
        and "Check one window by hand" in text
    )
