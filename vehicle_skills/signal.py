"""What a signal is: path, data type, unit, limits, and whether a value may stand in it. Pure.

Does not know which signals there are (signals.py), or any value of theirs.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum
from typing import Final

from ridealong.proto.types import SignalValue


class Kind(Enum):
    SENSOR = "sensor"
    ACTUATOR = "actuator"
    ATTRIBUTE = "attribute"


class DataType(Enum):
    """VSS names."""

    BOOLEAN = "boolean"
    STRING = "string"
    INT8 = "int8"
    INT16 = "int16"
    INT32 = "int32"
    INT64 = "int64"
    UINT8 = "uint8"
    UINT16 = "uint16"
    UINT32 = "uint32"
    UINT64 = "uint64"
    FLOAT = "float"
    DOUBLE = "double"


INTEGER_RANGES: Final[dict[DataType, tuple[int, int]]] = {
    DataType.INT8: (-(2**7), 2**7 - 1),
    DataType.INT16: (-(2**15), 2**15 - 1),
    DataType.INT32: (-(2**31), 2**31 - 1),
    DataType.INT64: (-(2**63), 2**63 - 1),
    DataType.UINT8: (0, 2**8 - 1),
    DataType.UINT16: (0, 2**16 - 1),
    DataType.UINT32: (0, 2**32 - 1),
    DataType.UINT64: (0, 2**64 - 1),
}


@dataclass(frozen=True, slots=True)
class Signal:
    """`low`/`high` are ours where VSS has none (a cabin set to 70 °C is a unit error, not a wish), else at most as wide."""

    path: str
    type: DataType
    kind: Kind
    unit: str = ""
    low: float | None = None
    high: float | None = None
    allowed: tuple[str, ...] = ()
    group: str = ""
    tolerance: float = 0.0
    hold_ms: int = 0
    """Something that travels must stay at its target this long: it may only be passing."""
    travels: bool = False
    """An actuator that is on its way for a while and goes where it is told: told to be where it is, it halts."""
    halted_by: SignalValue | None = None
    """A switch of something that travels: this value halts it."""
    gate: bool = False
    """Feeds the motion policy: its age is judged."""
    needed: bool = False
    """Without it the product does not do its job; `car check` fails."""


def fault(signal: Signal, value: object) -> str:
    """'' when `value` may stand in this signal, else `bad_type` or `bad_value`. An int is welcome where a float is due."""
    match signal.type:
        case DataType.BOOLEAN:
            return "" if isinstance(value, bool) else "bad_type"
        case DataType.STRING:
            if not isinstance(value, str):
                return "bad_type"
            return "" if not signal.allowed or value in signal.allowed else "bad_value"
        case DataType.FLOAT | DataType.DOUBLE:
            if isinstance(value, bool) or not isinstance(value, int | float):
                return "bad_type"
            if not math.isfinite(value):
                return "bad_value"
        case _:
            if isinstance(value, bool) or not isinstance(value, int):
                return "bad_type"
            least, most = INTEGER_RANGES[signal.type]
            if not least <= value <= most:
                return "bad_value"
    if signal.low is not None and value < signal.low:
        return "bad_value"
    return "bad_value" if signal.high is not None and value > signal.high else ""


def typed(signal: Signal, value: SignalValue) -> SignalValue:
    """The value as the signal's own Python type (an int in a float signal becomes a float)."""
    return float(value) if signal.type in (DataType.FLOAT, DataType.DOUBLE) and not isinstance(value, str) else value
