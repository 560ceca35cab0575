"""A vehicle file: what is particular about one model of car (docs/guides/vehicle.md). One YAML file that integrators own.

    vss: "4.0"            # the tree that its databroker serves: 3.1, 4.0, 5.1 or 6.0 (vehicles/vss_*.yaml says what differs)
    drive: left
    map:                  # how signals of ours are in this car; `*` is one level, the last rule that fits counts (mapping.py)
      Vehicle.Cabin.HVAC.Station.*.*.FanSpeed: {steps: 7}
      Vehicle.Cabin.Door.*.*.Window.Position: {inverted: true}
    can: …                # the car's bus, in place of a databroker (can_file.py)
    signals:              # what an integrator adds to ours
      Vehicle.Cabin.Scent.Level: {type: uint8, kind: actuator, unit: percent, low: 0, high: 100, group: accessory}

Reads files and judges what they say. Does not know databrokers, or what a skill does with a signal.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from importlib import resources
from pathlib import Path
from typing import Any, Final

import yaml

from ridealong.errors import UserError
from ridealong.vehicle_skills.broker import OPEN, Access, Broker
from ridealong.vehicle_skills.can_file import CanFile, read_can
from ridealong.vehicle_skills.mapping import CarMapping, MappingError, Rule
from ridealong.vehicle_skills.signals import DataType, Kind, Signal, admit
from ridealong.yaml_file import load_yaml, mistake, read_yaml

VERSIONS: Final = ("3.1", "4.0", "5.1", "6.0")
_SIGNAL_KEYS: Final = {"type", "kind", "unit", "low", "high", "allowed", "group", "tolerance"}
_SECTIONS: Final = {"vss", "drive", "map", "signals", "can"}
_RULE_KEYS: Final = {field.name for field in fields(Rule)}


@dataclass(frozen=True, slots=True)
class Vehicle:
    """`drive` None: the file does not say where the driver sits."""

    mapping: CarMapping
    drive: str | None = None
    signals: tuple[Signal, ...] = ()
    can: CanFile | None = None
    """The bus, in place of a databroker."""


def read_vehicle(file: Path, drive: str | None = None) -> Vehicle:
    """What the file says; takes in the signals that it adds, for this process. `drive` counts where the file has none. Raises UserError."""
    data, where = _yaml(file), f"the vehicle file {file}"
    version = str(data.get("vss", "6.0"))
    if version not in VERSIONS:
        raise UserError(f"{where}: vss must be one of {', '.join(VERSIONS)}, in quotation marks, not {version!r}.")
    said = data.get("drive")
    if said not in (None, "left", "right"):
        raise UserError(f"{where}: drive must be left or right, not {said!r}.")
    signals = admit_from(file)
    rules = preset(version) | read_rules(data.get("map", {}), where)
    try:
        mapping = CarMapping.of(rules, said or drive or "left")
    except MappingError as error:
        raise UserError(f"{where}: {error}.") from error
    if "can" not in data:
        return Vehicle(mapping, said, signals)
    if "map" in data or "vss" in data:
        raise UserError(f"{where}: with `can` our own names are used, so leave `map` and `vss` out.")
    return Vehicle(mapping, said, signals, read_can(data["can"], file))


def open_broker(address: str, vehicle: Vehicle | None, access: Access = OPEN) -> Broker:
    """What leads into the car, in the car's own words: the databroker at an address, or the bus that the vehicle file names. Raises UserError."""
    if vehicle is None or vehicle.can is None:
        if not address:
            raise UserError("no way leads into the car: give vehicle.databroker, or a vehicle file with `can`.")
        from ridealong.vehicle_skills.broker import KuksaBroker

        return KuksaBroker(address, access)
    if address:
        raise UserError(
            f"both a databroker ({address}) and a bus ({vehicle.can.channel}) lead into the car: leave one of them out."
        )
    try:
        from ridealong.vehicle_skills.can_broker import CanBroker
    except ModuleNotFoundError as error:
        raise UserError(f"a CAN bus needs the package {error.name!r}: install it with  pip install 'ridealong[can]'.") from error
    return CanBroker(vehicle.can)


def preset(version: str) -> dict[str, Rule]:
    """What differs between our tree (6.0) and another."""
    if version == "6.0":
        return {}
    text = resources.files("ridealong.vehicle_skills").joinpath("vehicles", f"vss_{version}.yaml").read_text(encoding="utf-8")
    return read_rules(load_yaml(text)["map"], f"vss_{version}.yaml")


def read_rules(data: object, where: str) -> dict[str, Rule]:
    """The rules of a `map` section. Raises UserError."""
    if not isinstance(data, Mapping):
        raise UserError(f"{where}: `map` must give a rule to each of our paths.")
    return {str(pattern): _rule(str(pattern), entry, where) for pattern, entry in data.items()}


def _rule(pattern: str, entry: object, where: str) -> Rule:
    if not isinstance(entry, Mapping) or not entry:
        raise UserError(f"{where}: {pattern} needs a rule, such as {{steps: 7}}.")
    if strange := set(entry) - _RULE_KEYS:
        raise UserError(
            f"{where}: {pattern} has {sorted(map(str, strange))[0]!r}, which is none of {', '.join(sorted(_RULE_KEYS))}."
        )
    kinds: dict[str, tuple[type, ...]] = {
        "path": (str,), "missing": (bool,), "inverted": (bool,), "steps": (int,), "factor": (int, float), "values": (dict,), "type": (str,),
    }  # fmt: skip
    given: dict[str, Any] = dict(entry)
    for key, value in given.items():
        if not isinstance(value, kinds[key]) or (isinstance(value, bool) and bool not in kinds[key]):
            raise UserError(f"{where}: {key} of {pattern} can't be {value!r}.")
    if "type" in given:
        try:
            given["type"] = DataType(given["type"])
        except ValueError:
            types = ", ".join(one.value for one in DataType)
            raise UserError(f"{where}: {pattern} has the type {given['type']!r}; the types are {types}.") from None
    return Rule(**given)


def _yaml(file: Path) -> Mapping[str, object]:
    try:
        data = read_yaml(file) or {}
    except OSError as error:
        raise UserError(f"the vehicle file {file} cannot be read ({error.strerror}): correct its path.") from error
    except yaml.YAMLError as error:
        raise UserError(f"the vehicle file {file} is no YAML, {mistake(error)}.") from error
    if not isinstance(data, Mapping):
        raise UserError(f"the vehicle file {file} must be a map with vss, drive, map or signals.")
    if strange := set(data) - _SECTIONS:
        raise UserError(
            f"the vehicle file {file} has {sorted(map(str, strange))[0]!r}, which is none of {', '.join(sorted(_SECTIONS))}."
        )
    return data


def read_signals(data: object, where: str) -> tuple[Signal, ...]:
    """The signals of a `signals` section. Raises UserError, one sentence."""
    if not isinstance(data, Mapping):
        raise UserError(f"{where}: `signals` must map VSS paths to what they are.")
    return tuple(_signal(str(path), entry, where) for path, entry in data.items())


def admit_from(file: Path) -> tuple[Signal, ...]:
    """Takes in what a vehicle file adds, for this process. Raises UserError."""
    signals = read_signals(_yaml(file).get("signals", {}), str(file))
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
    if strange := set(entry) - _SIGNAL_KEYS:
        raise wrong(f"has {sorted(map(str, strange))[0]!r}, which is none of {', '.join(sorted(_SIGNAL_KEYS))}")
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
    low, high = bounds[:2]
    if low is not None and high is not None and not low < high:
        raise wrong(f"can take no value: low is {low} and high {high}")
    if low is not None and low < 0 and type_.value.startswith("uint"):
        raise wrong(f"is a {type_.value} and can't be as low as {low}")
    number = type_ not in (DataType.BOOLEAN, DataType.STRING)
    group = entry.get("group", "")
    if group and number and None in bounds[:2]:
        raise wrong("may be written, so it needs low and high")
    if group and type_ is DataType.STRING and not allowed:
        raise wrong("may be written, so it needs the texts that are allowed")
    return Signal(
        path, type_, kind, str(entry.get("unit", "")), bounds[0], bounds[1], tuple(allowed), str(group), bounds[2] or 0.0
    )
