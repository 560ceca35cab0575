"""The `can` section of a vehicle file: which signals of ours are in which message of the car's bus, by the names of its DBC file.

    can:
      interface: socketcan          # any of python-can
      channel: can0
      dbc: car.dbc                  # beside this file
      read:
        Vehicle.Speed: {message: Motion, signal: Speed}
        Vehicle.LowVoltageSystemState: {message: Body, signal: Ignition, values: {OFF: "off", ON: "run"}}
      write:
        Vehicle.Cabin.Door.Row1.DriverSide.Window.Position: {message: WindowCommand, signal: FrontLeft}
      idle:
        WindowCommand: {FrontLeft: 127, FrontRight: 127}      # what its other signals say: "leave it as it is"

Scales and offsets are the DBC's. Judges names and kinds. Does not know a bus, or when anything is sent.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from ridealong.errors import UserError
from ridealong.proto.types import SignalValue
from ridealong.vehicle_skills.signals import SIGNALS, Kind

STALE_MS: Final = 1_000
_KEYS: Final = {"interface", "channel", "bitrate", "dbc", "read", "write", "idle", "stale_ms"}


@dataclass(frozen=True, slots=True)
class CanSignal:
    """`values`: ours -> the DBC's number or name, where they differ."""

    message: str
    signal: str
    values: Mapping[SignalValue, str | int | float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CanFile:
    """`stale_ms`: a value that has not come for so long is not known any more."""

    interface: str
    channel: str
    dbc: Path
    reads: Mapping[str, CanSignal]
    writes: Mapping[str, CanSignal] = field(default_factory=dict)
    idle: Mapping[str, Mapping[str, float | str]] = field(default_factory=dict)
    bitrate: int | None = None
    stale_ms: int = STALE_MS


def read_can(data: object, file: Path) -> CanFile:
    """Raises UserError, one sentence."""
    where = f"the vehicle file {file}: can"
    if not isinstance(data, Mapping):
        raise UserError(f"{where} must give interface, channel, dbc and read.")
    if strange := set(data) - _KEYS:
        raise UserError(f"{where} has {sorted(map(str, strange))[0]!r}, which is none of {', '.join(sorted(_KEYS))}.")
    if lacks := [key for key in ("interface", "channel", "dbc", "read") if not data.get(key)]:
        raise UserError(f"{where} needs {lacks[0]}.")
    dbc = (file.parent / str(data["dbc"])).resolve()
    if not dbc.is_file():
        raise UserError(f"{where}: there is no file {dbc}: correct dbc.")
    stale_ms, bitrate = data.get("stale_ms", STALE_MS), data.get("bitrate")
    if not isinstance(stale_ms, int) or not 100 <= stale_ms <= 60_000 or not isinstance(bitrate, int | None):
        raise UserError(f"{where}: stale_ms must lie within 100 and 60000, and bitrate be a whole number.")
    reads, writes = (_signals(data.get(key) or {}, f"{where}.{key}", key == "write") for key in ("read", "write"))
    idle = data.get("idle") or {}
    if not isinstance(idle, Mapping) or not all(isinstance(one, Mapping) for one in idle.values()):
        raise UserError(f"{where}.idle must give values of signals to each message.")
    return CanFile(str(data["interface"]), str(data["channel"]), dbc, reads, writes, idle, bitrate, stale_ms)


def _signals(data: Any, where: str, written: bool) -> dict[str, CanSignal]:
    if not isinstance(data, Mapping):
        raise UserError(f"{where} must give a message and a signal to each of our paths.")
    return {str(path): _signal(str(path), entry, where, written) for path, entry in data.items()}


def _signal(path: str, entry: object, where: str, written: bool) -> CanSignal:
    signal = SIGNALS.get(path)
    if signal is None:
        raise UserError(f"{where}: {path} is no signal of ours.")
    if written and (signal.kind is not Kind.ACTUATOR or not signal.group):
        raise UserError(f"{where}: {path} is never written by us.")
    if not isinstance(entry, Mapping) or set(entry) - {"message", "signal", "values"} or not {"message", "signal"} <= set(entry):
        raise UserError(f"{where}: {path} needs {{message: …, signal: …}}, and may have values.")
    values = entry.get("values", {})
    if not isinstance(values, Mapping) or not all(isinstance(one, str | int | float) for one in values.values()):
        raise UserError(f"{where}: the values of {path} must be texts or numbers.")
    return CanSignal(str(entry["message"]), str(entry["signal"]), values)
