"""Every path, type, kind, unit, limit and word that we use, against the published VSS trees 4.0, 5.1 and 6.0.

The trees may be used beside this repository (shared/data/use_here_only/vss), not be copied into it. Where they are not at hand the run says so at its end.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from ridealong.vehicle_skills.mapping import CarMapping
from ridealong.vehicle_skills.signal import Signal
from ridealong.vehicle_skills.signals import ODOMETER, SIGNALS
from ridealong.vehicle_skills.vehicle_file import preset

pytestmark = pytest.mark.unit

VERSIONS = ("4.0", "5.1", "6.0")
CONVERTED = {("m", "km"): 0.001}
"""What a number of ours is multiplied by where the tree's unit is another."""

Leaf = dict[str, Any]


def tree(version: str) -> Path | None:
    place = f"shared/data/use_here_only/vss/vss_release_{version}.json"
    return next((found for parent in Path(__file__).resolve().parents if (found := parent / place).is_file()), None)


@cache
def published(version: str) -> dict[str, Leaf]:
    file = tree(version)
    if file is None:
        pytest.skip(f"not checked here: the published VSS tree {version} (shared/data/use_here_only/vss) is not at hand")
    return dict(leaves(json.loads(file.read_text(encoding="utf-8"))["Vehicle"], "Vehicle"))


def leaves(node: Leaf, path: str) -> Iterator[tuple[str, Leaf]]:
    if "children" not in node:
        yield path, node
    for name, child in node.get("children", {}).items():
        yield from leaves(child, f"{path}.{name}")


def used(version: str) -> Iterator[tuple[Signal, Leaf, CarMapping]]:
    """What we use of a tree: our signal, the tree's leaf, and what lies between them."""
    mapping, found = CarMapping.of(preset(version)), published(version)
    for path, signal in SIGNALS.items():
        there = mapping.theirs(path)
        if there is not None:
            assert there in found, f"{version} has no {there}"
            yield signal, found[there], mapping


@pytest.mark.parametrize("version", VERSIONS)
def test_each_path_has_its_type_and_its_kind(version: str) -> None:
    wrong = [
        (signal.path, leaf["datatype"], leaf["type"])
        for signal, leaf, mapping in used(version)
        if (leaf["datatype"], leaf["type"]) != (mapping.type_of(signal.path).value, signal.kind.value)
    ]
    assert wrong == []


@pytest.mark.parametrize("version", VERSIONS)
def test_each_unit_is_ours_or_is_converted(version: str) -> None:
    for signal, leaf, mapping in used(version):
        unit = leaf.get("unit", "")
        if unit.lower() != signal.unit.lower() and not signal_of_words(signal, mapping):
            assert mapping.to_car(signal.path, 1_000.0) == 1_000.0 * CONVERTED[signal.unit, unit], signal.path


@pytest.mark.parametrize("version", VERSIONS)
def test_no_number_that_we_send_is_outside_the_limits_and_none_that_it_shows_outside_ours(version: str) -> None:
    for signal, leaf, mapping in used(version):
        low, high = leaf.get("min"), leaf.get("max")
        if signal.group:
            sent = sorted(float(mapping.to_car(signal.path, bound)) for bound in (signal.low, signal.high) if bound is not None)
            assert low is None or (sent and sent[0] >= low), signal.path
            assert high is None or (sent and sent[-1] <= high), signal.path
        else:
            for bound in (low, high):
                shown = mapping.from_car(signal.path, bound) if bound is not None else None
                if isinstance(shown, int | float):
                    assert signal.low is None or shown >= signal.low, signal.path
                    assert signal.high is None or shown <= signal.high, signal.path


@pytest.mark.parametrize("version", VERSIONS)
def test_each_word_that_we_send_is_the_trees_and_each_that_it_shows_is_ours(version: str) -> None:
    for signal, leaf, mapping in used(version):
        allowed = leaf.get("allowed") or ()
        if signal.group and allowed:
            assert signal.allowed, f"{signal.path}: anything could be sent"
            assert {mapping.to_car(signal.path, word) for word in signal.allowed} <= set(allowed), signal.path
        if signal.allowed:
            assert {mapping.from_car(signal.path, word) for word in allowed} <= set(signal.allowed), signal.path


def test_of_6_0_the_words_are_all_and_no_limit_is_left_out() -> None:
    for signal, leaf, _ in used("6.0"):
        assert tuple(leaf.get("allowed", ())) == signal.allowed, signal.path
        assert leaf.get("min") is None or (signal.low is not None and signal.low >= leaf["min"]), signal.path
        assert leaf.get("max") is None or (signal.high is not None and signal.high <= leaf["max"]), signal.path


def test_a_distance_in_kilometres_is_converted() -> None:
    for version in ("4.0", "5.1"):
        mapping = CarMapping.of(preset(version))
        assert (mapping.to_car(ODOMETER, 18_250_000), mapping.from_car(ODOMETER, 18_250.0)) == (18_250.0, 18_250_000)


def signal_of_words(signal: Signal, mapping: CarMapping) -> bool:
    """It is no number in this car, or none with us: it has no unit there."""
    return signal.type.value in ("string", "boolean") or mapping.type_of(signal.path).value in ("string", "boolean")
