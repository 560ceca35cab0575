"""Signals that an integrator adds to ours, out of the `signals` of a vehicle file (docs/guides/vehicle.md).

    signals:
      Vehicle.Cabin.Scent.Level: {type: uint8, kind: actuator, unit: percent, low: 0, high: 100, group: accessory}

What only reads needs `type` alone. Pure but for reading the file. Does not know mappings, databrokers, or what a skill does with a signal.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

import yaml

from ridealong.errors import UserError
from ridealong.vehicle_skills.signals import DataType, Kind, Signal, admit

_KEYS: Final = {"type", "kind", "unit", "low", "high", "allowed", "group", "tolerance"}


def read_signals(data: object, where: str) -> tuple[Signal, ...]:
    """The signals of a `signals` section. Raises UserError, one sentence."""
    if not isinstance(data, Mapping):
        raise UserError(f"{where}: `signals` must map VSS paths to what they are.")
    return tuple(_signal(str(path), entry, where) for path, entry in data.items())


def admit_from(file: Path) -> tuple[Signal, ...]:
    """Takes in what a vehicle file adds, for this process. Raises UserError."""
    try:
        data = yaml.safe_load(file.read_text(encoding="utf-8")) or {}
    except OSError as error:
        raise UserError(f"the vehicle file {file} cannot be read ({error.strerror}): correct its path.") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise UserError(f"the vehicle file {file} is no YAML: {str(error).splitlines()[0]}.") from error
    if not isinstance(data, Mapping):
        raise UserError(f"the vehicle file {file} must be a map with `signals`.")
    signals = read_signals(data.get("signals", {}), str(file))
    try:
        admit(signals)
    except ValueError as error:
        raise UserError(f"{file}: {error}.") from error
    return signals


def _signal(path: str, entry: object, where: str) -> Signal:
    def wrong(what: str) -> UserError:
        return UserError(f"{where}: {path} {what}.")

    if not isinstance(entry, Mapping) or "type" not in entry:
        raise wrong("needs at least a type, such as {type: uint8}")
    if strange := set(entry) - _KEYS:
        raise wrong(f"has {sorted(map(str, strange))[0]!r}, which is none of {', '.join(sorted(_KEYS))}")
    try:
        type_ = DataType(entry["type"])
    except ValueError:
        raise wrong(f"has the type {entry['type']!r}; the types are {', '.join(one.value for one in DataType)}") from None
    try:
        kind = Kind(entry.get("kind", "sensor"))
    except ValueError:
        raise wrong(f"has the kind {entry['kind']!r}; the kinds are {', '.join(one.value for one in Kind)}") from None
    allowed, bounds = entry.get("allowed", ()), [entry.get(key) for key in ("low", "high", "tolerance")]
    if not isinstance(allowed, list | tuple) or not all(isinstance(one, str) for one in allowed):
        raise wrong("must have a list of texts in `allowed`")
    if any(isinstance(one, bool) or not isinstance(one, int | float | None) for one in bounds):
        raise wrong("must have numbers in low, high and tolerance")
    number = type_ not in (DataType.BOOLEAN, DataType.STRING)
    group = entry.get("group", "")
    if group and number and None in bounds[:2]:
        raise wrong("may be written, so it needs low and high")
    if group and type_ is DataType.STRING and not allowed:
        raise wrong("may be written, so it needs the texts that are allowed")
    return Signal(
        path, type_, kind, str(entry.get("unit", "")), bounds[0], bounds[1], tuple(allowed), str(group), bounds[2] or 0.0
    )
