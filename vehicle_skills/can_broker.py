"""A car's CAN bus as a databroker: python-can and cantools behind the `Broker` interface, in our own paths. Needs the extra `can`.

A value is what the last message said, while it is not older than `stale_ms`. `actuate` sends one frame a message, with all its writes: forwarded means that the
bus took it; whether the car did anything is for its sensors to show. Does not know policies, keys, or what a message means beyond its DBC file.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import defaultdict
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import can
import cantools
from cantools.database import Database
from cantools.database.errors import Error as DatabaseError

from ridealong.errors import UserError
from ridealong.proto.types import SignalValue, SignalWrite
from ridealong.vehicle_skills.broker import ActuateReply, BrokerAway, ReplyKind, SignalMeta, Update
from ridealong.vehicle_skills.can_file import CanFile, CanSignal
from ridealong.vehicle_skills.signals import SIGNALS, DataType, fault

CHANGES_MS: Final = 50
"""A subscriber is told of changes at most so often: buses repeat everything a hundred times a second."""


@dataclass(frozen=True, slots=True)
class _Seen:
    value: SignalValue
    at_s: float


class CanBroker:
    """One bus. Raises UserError where the DBC file has no such message or signal; `BrokerAway` where the bus can't be opened."""

    def __init__(self, file: CanFile) -> None:
        self._file = file
        self._database = _database(file)
        self._reads: dict[int, list[tuple[str, CanSignal]]] = defaultdict(list)
        for path, signal in file.reads.items():
            self._reads[_message(self._database, path, signal).frame_id].append((path, signal))
        for path, signal in file.writes.items():
            _message(self._database, path, signal)
        self._seen: dict[str, _Seen] = {}
        self._bus: can.BusABC | None = None
        self._notifier: can.Notifier | None = None
        self._failed = ""
        self.rubbish = 0
        """Frames, and values in them, that the DBC or our table has no room for."""

    # --- the Broker interface ---------------------------------------------------------------------------------------

    async def list_metadata(self) -> tuple[SignalMeta, ...]:
        self._open()
        found = sorted(self._file.reads.keys() | self._file.writes.keys())
        return tuple(
            SignalMeta(path, one.type, one.kind, one.unit, "0 = closed, 100 = open by the DBC", one.low, one.high, one.allowed)
            for path in found
            if (one := SIGNALS[path])
        )

    async def read(self, paths: Sequence[str]) -> tuple[Update, ...]:
        self._open()
        return tuple(map(self._update, paths))

    async def subscribe(self, paths: Sequence[str]) -> AsyncGenerator[tuple[Update, ...], None]:
        self._open()
        told: dict[str, SignalValue | None] = {}
        while True:
            updates = tuple(
                update for path in paths if (update := self._update(path)).value != told.get(path) or path not in told
            )
            if updates:
                told |= {update.path: update.value for update in updates}
                yield updates
            await asyncio.sleep(CHANGES_MS / 1000)
            if self._failed:
                raise BrokerAway(f"the bus {self._file.channel} {self._failed}")

    async def actuate(self, writes: Sequence[SignalWrite]) -> ActuateReply:
        try:
            self._open()
        except BrokerAway as error:
            return ActuateReply(ReplyKind.NO_VEHICLE, str(error))
        frames: dict[str, dict[str, Any]] = {}
        for write in writes:
            there = self._file.writes.get(write.path)
            if there is None:
                return ActuateReply(ReplyKind.NO_PROVIDER, f"no message of the bus sets {write.path}")
            wanted = there.values.get(write.value, write.value)
            frames.setdefault(there.message, dict(self._file.idle.get(there.message, {})))[there.signal] = wanted
        encoded = []
        for name, values in frames.items():
            message = self._database.get_message_by_name(name)
            try:
                encoded.append((message, message.encode(values, strict=True)))
            except (DatabaseError, KeyError, ValueError, TypeError) as error:
                return ActuateReply(ReplyKind.BAD_VALUE, f"{name}: {error}")
        assert self._bus is not None
        for number, (message, data) in enumerate(encoded):
            frame = can.Message(arbitration_id=message.frame_id, is_extended_id=message.is_extended_frame, data=data)
            try:
                self._bus.send(frame, timeout=0.2)
            except can.CanError as error:
                kind = ReplyKind.OUTCOME_UNKNOWN if number else ReplyKind.NO_VEHICLE
                return ActuateReply(kind, f"the bus {self._file.channel} did not take it ({type(error).__name__})")
        return ActuateReply(ReplyKind.FORWARDED)

    async def close(self) -> None:
        if self._notifier is not None:
            self._notifier.stop()
        if self._bus is not None:
            self._bus.shutdown()
        self._notifier = self._bus = None

    # --- the bus ----------------------------------------------------------------------------------------------------

    def _open(self) -> None:
        if self._failed and self._bus is not None:
            with contextlib.suppress(can.CanError, OSError):
                if self._notifier is not None:
                    self._notifier.stop(0.2)
                self._bus.shutdown()
            self._notifier = self._bus = None
        if self._bus is not None:
            return
        how: dict[str, Any] = {"bitrate": self._file.bitrate} if self._file.bitrate is not None else {}
        try:
            self._bus = can.Bus(interface=self._file.interface, channel=self._file.channel, **how)
        except (can.CanError, OSError, ValueError, TypeError) as error:  # each interface has its own
            raise BrokerAway(f"the bus {self._file.channel} ({self._file.interface}) can't be opened ({error})") from error
        self._failed = ""
        self._notifier = can.Notifier(self._bus, [_Listener(self)], loop=asyncio.get_running_loop())

    def _arrived(self, frame: can.Message) -> None:
        wanted = self._reads.get(frame.arbitration_id)
        if not wanted or frame.is_error_frame or frame.is_remote_frame:
            return
        try:
            values = self._database.decode_message(frame.arbitration_id, bytes(frame.data), decode_choices=True)
        except (DatabaseError, KeyError, ValueError):
            self.rubbish += 1
            return
        now_s = asyncio.get_running_loop().time()
        assert isinstance(values, dict)
        for path, signal in wanted:
            value = _ours(path, signal, values.get(signal.signal))
            if value is None:
                self.rubbish += 1
            else:
                self._seen[path] = _Seen(value, now_s)

    def _update(self, path: str) -> Update:
        seen, now_s = self._seen.get(path), asyncio.get_running_loop().time()
        if seen is None or (now_s - seen.at_s) * 1000 > self._file.stale_ms:
            return Update(path, None)
        return Update(path, seen.value, round(seen.at_s * 1e9))

    def _broke(self, error: Exception) -> None:
        self._failed = f"broke ({type(error).__name__})"


class _Listener(can.Listener):  # type: ignore[misc]
    def __init__(self, broker: CanBroker) -> None:
        self._broker = broker

    def on_message_received(self, msg: can.Message) -> None:
        self._broker._arrived(msg)

    def on_error(self, exc: Exception) -> None:
        self._broker._broke(exc)

    def stop(self) -> None:
        return None


def _database(file: CanFile) -> Database:
    try:
        database = cantools.database.load_file(file.dbc)
    except (DatabaseError, OSError, UnicodeDecodeError, ValueError) as error:
        raise UserError(f"{file.dbc} is no DBC file that can be read ({str(error).splitlines()[0]}).") from error
    if not isinstance(database, Database):
        raise UserError(f"{file.dbc} describes no CAN messages.")
    for name, values in file.idle.items():
        known = {one.name for one in _named(database, name, "idle").signals}
        if strange := set(values) - known:
            raise UserError(f"can.idle: the message {name} has no signal {sorted(strange)[0]}.")
    return database


def _named(database: Database, name: str, where: str) -> Any:
    try:
        return database.get_message_by_name(name)
    except KeyError:
        raise UserError(f"can.{where}: the DBC file has no message {name}.") from None


def _message(database: Database, path: str, signal: CanSignal) -> Any:
    message = _named(database, signal.message, path)
    if signal.signal not in {one.name for one in message.signals}:
        raise UserError(f"can.{path}: the message {signal.message} has no signal {signal.signal}.")
    return message


def _ours(path: str, signal: CanSignal, value: Any) -> SignalValue | None:
    """What the bus says in our words and type; None where it is none."""
    known = SIGNALS[path]
    named = str(value) if isinstance(value, cantools.database.namedsignalvalue.NamedSignalValue) else value
    for ours, theirs in signal.values.items():
        if named == theirs or (not isinstance(theirs, str) and getattr(value, "value", value) == theirs):
            return ours
    if signal.values:
        return None
    number = getattr(value, "value", value)
    made: SignalValue
    match known.type:
        case DataType.BOOLEAN:
            made = bool(number)
        case DataType.STRING:
            made = str(named)
        case DataType.FLOAT | DataType.DOUBLE:
            made = float(number)
        case _:
            made = round(number)
    return None if fault(known, made) else made
