"""Our signal table, and what may stand in a signal. (Against the published trees: test_published_trees.py.)"""

from __future__ import annotations

import pytest

from ridealong.vehicle_skills.signals import GATE_PATHS, SIGNALS, DataType, Kind, Signal, fault, group_paths, typed

pytestmark = pytest.mark.unit


def test_groups_and_gates() -> None:
    assert len(group_paths("windows")) == 4
    assert group_paths("status") == ()
    assert len(GATE_PATHS) == 4
    assert all(not SIGNALS[path].group for path in GATE_PATHS)


@pytest.mark.parametrize(
    ("type_", "value", "reason"),
    [
        (DataType.FLOAT, 1, ""),
        (DataType.FLOAT, True, "bad_type"),
        (DataType.FLOAT, float("inf"), "bad_value"),
        (DataType.UINT8, 256, "bad_value"),
        (DataType.UINT8, 3.0, "bad_type"),
        (DataType.INT8, -128, ""),
        (DataType.BOOLEAN, 1, "bad_type"),
        (DataType.STRING, 1, "bad_type"),
        (DataType.STRING, None, "bad_type"),
    ],
)
def test_fault(type_: DataType, value: object, reason: str) -> None:
    assert fault(Signal("Vehicle.X", type_, Kind.SENSOR), value) == reason


def test_typed() -> None:
    value = typed(Signal("Vehicle.X", DataType.FLOAT, Kind.SENSOR), 22)
    assert value == 22.0 and isinstance(value, float)
