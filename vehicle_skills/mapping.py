"""Between our signals (VSS 6.0 names, Celsius, 100 = open, driver and passenger) and those of one model of car. Pure.

    mapping = CarMapping.of(rules, drive="left")
    mapping.theirs("Vehicle.Cabin.Door.Row1.DriverSide.Window.Position")     # the car's path, or None where it has none
    mapping.to_car(path, value), mapping.from_car(path, value)               # values
    mapping.settled(write)                                                   # what the car can show of it: fan 40 % of 7 steps is 43 %

Rules come from a vehicle file (vehicle_file.py): a pattern of our paths, where `*` is one level, to a rule. The last that fits counts. What no rule names is as
in VSS 6.0. Does not know a databroker, or any file.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from ridealong.proto.types import SignalValue, SignalWrite
from ridealong.vehicle_skills.signal import DataType, Signal, typed
from ridealong.vehicle_skills.signals import SIGNALS

SIDE: Final = "{side}"
"""In a car's path: Left or Right, whichever our role is in this car."""
SEAT: Final = "{seat}"
"""In a car's path: Pos1 or Pos2, counted from the left."""
_ROLES: Final = {"Driver": "driver", "DriverSide": "driver", "Passenger": "passenger", "PassengerSide": "passenger"}


class MappingError(ValueError):
    """One sentence: which rule can't be used, and why."""


@dataclass(frozen=True, slots=True)
class Rule:
    """How signals of ours are in this car. `path` "": as ours; its `*` are filled in order with what stood for `*` in our path. `type` None: as ours."""

    path: str = ""
    missing: bool = False
    type: DataType | None = None
    factor: float = 1.0
    """Theirs is ours times this."""
    steps: int = 0
    """Ours is a percentage, theirs a step from 0 to this."""
    inverted: bool = False
    """Ours is a percentage, theirs 100 less it: a window that is open at 0."""
    values: Mapping[SignalValue, SignalValue] = field(default_factory=dict)
    """ours -> theirs, of the values that have another name there."""

    def fault(self) -> str:
        """'' where the parts of the rule go together."""
        numbers = (self.factor != 1.0) + (self.steps > 0) + self.inverted
        if self.missing and (self.path or numbers or self.values):
            return "is missing, so nothing else can be said of it"
        if numbers > 1 or (numbers and self.values):
            return "can have only one of factor, steps, inverted and values"
        if self.steps < 0 or not math.isfinite(self.factor) or self.factor == 0:
            return "needs a factor that is not 0, and steps above 0"
        if len(set(self.values.values())) < len(self.values):
            return "gives one value of theirs to two of ours"
        return ""


AS_OURS: Final = Rule()


@dataclass(frozen=True, slots=True)
class CarMapping:
    """Every signal of ours as it is in one car. Made by `of`, which has looked at the whole of it."""

    drive: str
    _rules: Mapping[str, Rule]
    _theirs: Mapping[str, str]
    _ours: Mapping[str, str]

    @staticmethod
    def of(rules: Mapping[str, Rule], drive: str = "left") -> CarMapping:
        """Raises MappingError where a pattern fits nothing, or two of our signals would be one of the car's."""
        by_path: dict[str, tuple[str, Rule]] = {}
        for pattern, rule in rules.items():
            if problem := rule.fault():
                raise MappingError(f"{pattern} {problem}")
            fits = [path for path in SIGNALS if _stars(pattern, path) is not None]
            if not fits:
                raise MappingError(f"{pattern} is no signal of ours")
            by_path |= dict.fromkeys(fits, (pattern, rule))
        theirs: dict[str, str] = {}
        ours: dict[str, str] = {}
        for path in SIGNALS:
            pattern, rule = by_path.get(path, (path, AS_OURS))
            if rule.missing:
                continue
            there = _their_path(rule, pattern, path, drive)
            if there in ours:
                raise MappingError(f"{path} and {ours[there]} would both be {there}")
            theirs[path], ours[there] = there, path
        return CarMapping(drive, {path: rule for path, (_, rule) in by_path.items()}, theirs, ours)

    @property
    def differs(self) -> bool:
        """This car is not as in VSS 6.0."""
        return bool(self._rules)

    def theirs(self, path: str) -> str | None:
        """The car's path for one of ours; None where this car has none. Paths that are not ours stay as they are."""
        return self._theirs.get(path) if path in SIGNALS else path

    def ours(self, path: str) -> str | None:
        """Our path for one of the car's; None where it is none of ours."""
        return self._ours.get(path)

    def type_of(self, path: str) -> DataType:
        """What the car's signal must be for one of ours."""
        rule = self._rules.get(path, AS_OURS)
        if rule.type is not None:
            return rule.type
        if rule.values:
            return _type_of_values(tuple(rule.values.values()), SIGNALS[path].type)
        return DataType.UINT8 if rule.steps else SIGNALS[path].type

    def to_car(self, path: str, value: SignalValue) -> SignalValue:
        """Raises ValueError for a value that this car has no word for."""
        rule = self._rules.get(path, AS_OURS)
        if rule.values:
            if value in rule.values:
                return rule.values[value]
            if value in rule.values.values():
                raise ValueError(f"{value!r} stands for something else in this car")
            return value
        if isinstance(value, bool | str):
            return value
        if rule.steps:
            return _half_up(value * rule.steps / 100)
        scaled = 100 - value if rule.inverted else value * rule.factor
        return scaled if self.type_of(path) in (DataType.FLOAT, DataType.DOUBLE) else _half_up(scaled)

    def from_car(self, path: str, value: SignalValue) -> SignalValue | None:
        """None for a value that means nothing to us."""
        rule, signal = self._rules.get(path, AS_OURS), SIGNALS[path]
        if rule.values:
            back = {theirs: ours for ours, theirs in rule.values.items()}
            if value in back:
                return back[value]
            return None if value in rule.values else value
        if isinstance(value, bool | str):
            return value
        if rule.steps:
            return _half_up(value * 100 / rule.steps)
        return _ours_typed(signal, 100 - value if rule.inverted else value / rule.factor)

    def coarse(self, path: str) -> float:
        """How far apart the positions are that this car knows of one of ours; 0 where it knows as many as we do."""
        steps = self._rules.get(path, AS_OURS).steps
        return 100 / steps if steps else 0.0

    def settled(self, write: SignalWrite) -> SignalWrite:
        """The nearest that this car can do: what is confirmed, and said. Raises ValueError as `to_car`."""
        if write.path not in self._rules:
            return write
        there = self.from_car(write.path, self.to_car(write.path, write.value))
        return write if there is None else SignalWrite(write.path, there)


def _ours_typed(signal: Signal, value: float) -> SignalValue:
    if signal.type in (DataType.FLOAT, DataType.DOUBLE):
        return typed(signal, round(value, 6))
    return _half_up(value)


def _half_up(value: float) -> int:
    return math.floor(value + 0.5)


def _type_of_values(values: tuple[SignalValue, ...], otherwise: DataType) -> DataType:
    if all(isinstance(value, bool) for value in values):
        return DataType.BOOLEAN
    return DataType.STRING if all(isinstance(value, str) for value in values) else otherwise


def _stars(pattern: str, path: str) -> tuple[str, ...] | None:
    """What stands for each `*`; None where the path does not fit."""
    wanted, levels = pattern.split("."), path.split(".")
    if len(wanted) != len(levels) or any(want not in ("*", level) for want, level in zip(wanted, levels, strict=True)):
        return None
    return tuple(level for want, level in zip(wanted, levels, strict=True) if want == "*")


def _their_path(rule: Rule, pattern: str, path: str, drive: str) -> str:
    if not rule.path:
        return path
    filled, stars = [], list(_stars(pattern, path) or ())
    role = next((_ROLES[level] for level in path.split(".") if level in _ROLES), "")
    left = (role == "driver") is (drive == "left")
    for level in rule.path.split("."):
        if level == "*" and not stars:
            raise MappingError(f"{rule.path} has more * than {pattern}")
        if level in (SIDE, SEAT) and not role:
            raise MappingError(f"{rule.path} has {level}, but {path} is of neither driver nor passenger")
        named = {SIDE: "Left" if left else "Right", SEAT: "Pos1" if left else "Pos2"}
        filled.append(named[level] if level in named else stars.pop(0) if level == "*" else level)
        if level in named:
            stars = [one for one in stars if one not in _ROLES]
    return ".".join(filled)


AS_IN_VSS_6: Final = CarMapping.of({})
"""A car that is as in VSS 6.0."""
