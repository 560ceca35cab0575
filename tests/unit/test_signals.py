"""Our signal table against the published VSS 6.0 tree, where it lies beside the repository."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ridealong.vehicle_skills.signals import GATE_PATHS, SIGNALS, DataType, Kind, Signal, fault, group_paths, typed

pytestmark = pytest.mark.unit

TREE = next(
    (
        found
        for parent in Path(__file__).resolve().parents
        if (found := parent / "shared/data/use_here_only/vss/vss_release_6.0.json").is_file()
    ),
    None,
)


def leaves(node: dict[str, Any], path: str) -> dict[str, dict[str, Any]]:
    if "children" not in node:
        return {path: node}
    found: dict[str, dict[str, Any]] = {}
    for name, child in node["children"].items():
        found |= leaves(child, f"{path}.{name}")
    return found


@pytest.mark.skipif(TREE is None, reason="the published VSS tree is not beside this checkout")
def test_table_agrees_with_vss_6() -> None:
    assert TREE is not None
    published = leaves(json.loads(TREE.read_text())["Vehicle"], "Vehicle")
    for path, signal in SIGNALS.items():
        leaf = published[path]
        assert leaf["datatype"] == signal.type.value, path
        assert leaf["type"] == signal.kind.value, path
        assert leaf.get("unit", "") == signal.unit, path
        assert tuple(leaf.get("allowed", ())) == signal.allowed, path
        if leaf.get("min") is not None:
            assert signal.low is not None and signal.low >= leaf["min"], path
        if leaf.get("max") is not None:
            assert signal.high is not None and signal.high <= leaf["max"], path


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
