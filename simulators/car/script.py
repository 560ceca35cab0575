"""Reads what the simulated car shall do: CSV `time_s,path,value`, or YAML with the same three keys in a list.

Knows the signal table, so that a value gets the signal's own type and a mistake is named with its line. Does not know the
plant.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import yaml

from ridealong.errors import UserError
from ridealong.proto.types import SignalValue
from ridealong.simulators.car import controls
from ridealong.simulators.car.plant import SignalSample
from ridealong.vehicle_skills.signals import SIGNALS, DataType, fault
from ridealong.yaml_file import read_yaml

COLUMNS: Final = ("time_s", "path", "value")
MAX_SAMPLES: Final = 1_000_000
_TRUE, _FALSE = ("true", "yes", "on", "1", "1.0"), ("false", "no", "off", "0", "0.0")


def parse_value(path: str, text: object) -> SignalValue:
    """The value in the signal's own type; for paths outside our table what the text looks like. Raises ValueError."""
    signal = SIGNALS.get(path)
    value: SignalValue
    if signal is None:
        return _guess(text)
    words = str(text).strip()
    match signal.type:
        case DataType.BOOLEAN:
            if words.lower() not in _TRUE + _FALSE:
                raise ValueError(f"{words!r} is not true or false")
            value = words.lower() in _TRUE
        case DataType.STRING:
            value = words
        case DataType.FLOAT | DataType.DOUBLE:
            value = _number(words)
        case _:
            number = _number(words)
            if number != int(number):
                raise ValueError(f"{words!r} is not a whole number")
            value = int(number)
    if fault(signal, value):
        limits = (
            f"one of {', '.join(signal.allowed)}" if signal.allowed else f"{signal.low} to {signal.high} ({signal.type.value})"
        )
        raise ValueError(f"{words!r} is outside {limits}")
    return value


def _number(words: str) -> float:
    try:
        number = float(words)
    except ValueError:
        raise ValueError(f"{words!r} is not a number") from None
    if not math.isfinite(number):
        raise ValueError(f"{words!r} is not a finite number")
    return number


def _guess(value: object) -> SignalValue:
    if isinstance(value, bool | int | float):
        return value
    words = str(value).strip()
    if words.lower() in ("true", "false"):
        return words.lower() == "true"
    for kind in (int, float):
        try:
            return kind(words)
        except ValueError:
            continue
    return words


def read_script(path: Path) -> tuple[SignalSample, ...]:
    """Samples in the order of the file. Raises UserError naming the file and the line."""
    try:
        rows = list(_yaml_rows(path) if path.suffix.lower() in (".yaml", ".yml") else _csv_rows(path))
    except OSError as error:
        raise UserError(f"the car script {path} cannot be read ({error.strerror}): check --script.") from error
    except UnicodeDecodeError as error:
        raise UserError(f"the car script {path} is not text: it must be CSV (time_s,path,value) or YAML.") from error
    return tuple(sample(f"{path}, {where}", time_s, name, value) for where, time_s, name, value in rows)


def sample(where: str, time_s: object, path: object, value: object) -> SignalSample:
    """One checked sample; `where` names it in the UserError."""
    name = str(path or "").strip()
    try:
        at_s = _number(str(time_s).strip())
    except ValueError as error:
        raise UserError(f"{where}: time_s {error}.") from error
    if at_s < 0:
        raise UserError(f"{where}: time_s {at_s} is before the start.")
    if name.startswith(controls.PREFIX):
        wish = _guess(value)
        if problem := controls.fault_of(name, wish):
            raise UserError(f"{where}: {name} {problem}.")
        return SignalSample(at_s, name, wish)
    if not name.startswith("Vehicle.") or any(character.isspace() for character in name):
        raise UserError(f"{where}: {name!r} is not a VSS path such as Vehicle.Speed.")
    if value is None or str(value).strip() == "":
        raise UserError(f"{where}: {name} has no value.")
    try:
        return SignalSample(at_s, name, parse_value(name, value))
    except ValueError as error:
        raise UserError(f"{where}: {name}: {error}.") from error


def _csv_rows(path: Path) -> Iterator[tuple[str, object, object, object]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        reader = csv.reader(file)
        try:
            header = tuple(cell.strip() for cell in next(reader, []))
            if header != COLUMNS:
                raise UserError(f"{path} must begin with the line time_s,path,value; it begins with {','.join(header)[:60]!r}.")
            for row in reader:
                if not row or row[0].lstrip().startswith("#"):
                    continue
                if len(row) != len(COLUMNS):
                    raise UserError(f"{path}, line {reader.line_num}: expected time_s,path,value and found {len(row)} columns.")
                if reader.line_num > MAX_SAMPLES:
                    raise UserError(f"{path} has more than {MAX_SAMPLES} lines: split it.")
                yield f"line {reader.line_num}", row[0], row[1], row[2]
        except csv.Error as error:
            raise UserError(f"{path}, line {reader.line_num}: not CSV ({error}).") from error


def _yaml_rows(path: Path) -> Iterator[tuple[str, object, object, object]]:
    try:
        content = read_yaml(path)
    except yaml.YAMLError as error:
        line = getattr(getattr(error, "problem_mark", None), "line", None)
        raise UserError(f"{path} is not YAML{f' (line {line + 1})' if line is not None else ''}.") from error
    if isinstance(content, dict) and set(content) == {"signals"}:
        content = content["signals"]
    if not isinstance(content, list):
        raise UserError(f"{path} must hold a list of entries with time_s, path and value.")
    for number, entry in enumerate(content, start=1):
        if not isinstance(entry, dict) or set(entry) != set(COLUMNS):
            raise UserError(f"{path}, entry {number}: an entry has exactly the keys time_s, path and value.")
        yield f"entry {number}", entry["time_s"], entry["path"], entry["value"]
