"""The databroker in the car, as the gateway sees it: read, subscribe, forward a batch, list metadata.

`Broker` is the interface; `KuksaBroker` speaks kuksa.val.v2 over gRPC to a real databroker or to the simulated car, which
ships an in-process implementation of the same interface (`simulators/car/broker.py`).

Does not know the policy, keys, confirmation or when to reconnect: a lost databroker raises `BrokerAway` and the gateway
comes back. A reply of `actuate` means forwarded, never done.
"""

from __future__ import annotations

import re
import ssl
from collections.abc import AsyncGenerator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any, Final, Protocol

import grpc
import grpc.aio

from ridealong.errors import UserError
from ridealong.proto.kuksa import val_pb2 as wire
from ridealong.proto.kuksa.val_pb2_grpc import VALStub
from ridealong.proto.types import SignalValue, SignalWrite
from ridealong.vehicle_skills.signals import DataType, Kind

SUBSCRIBE_BUFFER: Final = 64
CALL_S: Final = 2.0
"""Longest wait for one answer: what is safe to ask is answered at once by a databroker on the same machine."""


class BrokerAway(Exception):
    """The databroker cannot be reached, or the connection to it broke. One sentence."""


@dataclass(frozen=True, slots=True)
class Update:
    """`stamp_ns` is the databroker's own clock: compare two of them, never with ours. `value` None: unknown."""

    path: str
    value: SignalValue | None
    stamp_ns: int = 0


@dataclass(frozen=True, slots=True)
class SignalMeta:
    """What the databroker says of a signal."""

    path: str
    type: DataType | None  # None: an array, a timestamp or something newer
    kind: Kind | None
    unit: str = ""
    comment: str = ""
    low: float | None = None
    high: float | None = None
    allowed: tuple[str, ...] = ()


class ReplyKind(Enum):
    FORWARDED = "forwarded"
    NO_PROVIDER = "no_provider"
    BAD_VALUE = "bad_value"
    UNKNOWN_SIGNAL = "unknown_signal"
    NOT_PERMITTED = "not_permitted"
    NO_VEHICLE = "no_vehicle"
    OUTCOME_UNKNOWN = "outcome_unknown"
    """The connection broke while asking: it may have been forwarded. Never asked again; the sensor tells."""


@dataclass(frozen=True, slots=True)
class ActuateReply:
    """`kind.value` is the stable reason code; `text` is the databroker's sentence, for a log."""

    kind: ReplyKind
    text: str = ""


class Broker(Protocol):
    async def read(self, paths: Sequence[str]) -> tuple[Update, ...]:
        """Current values in the order asked. Raises BrokerAway."""

    def subscribe(self, paths: Sequence[str]) -> AsyncGenerator[tuple[Update, ...], None]:
        """First the current values of all, then every update. Ends with BrokerAway."""

    async def actuate(self, writes: Sequence[SignalWrite]) -> ActuateReply:
        """Forward a batch, all or nothing. Never raises for what the databroker or the network does."""

    async def list_metadata(self) -> tuple[SignalMeta, ...]:
        """Every signal below `Vehicle`. Raises BrokerAway."""

    async def close(self) -> None: ...


# --- values on the wire ---------------------------------------------------------------------------------------------

_KINDS: Final[dict[DataType, str]] = {
    DataType.BOOLEAN: "bool",
    DataType.STRING: "string",
    DataType.INT8: "int32",
    DataType.INT16: "int32",
    DataType.INT32: "int32",
    DataType.INT64: "int64",
    DataType.UINT8: "uint32",
    DataType.UINT16: "uint32",
    DataType.UINT32: "uint32",
    DataType.UINT64: "uint64",
    DataType.FLOAT: "float",
    DataType.DOUBLE: "double",
}
TYPE_NUMBERS: Final[dict[DataType, int]] = {kind: wire.DataType.Value(f"DATA_TYPE_{kind.name}") for kind in DataType}
KIND_NUMBERS: Final[dict[Kind, int]] = {kind: wire.EntryType.Value(f"ENTRY_TYPE_{kind.name}") for kind in Kind}
_TYPES = {number: kind for kind, number in TYPE_NUMBERS.items()}
_ENTRY_KINDS = {number: kind for kind, number in KIND_NUMBERS.items()}


def value_kind(type_: DataType) -> str:
    """The name of the one `Value` field that a databroker accepts for this type."""
    return _KINDS[type_]


def to_value(type_: DataType, value: SignalValue) -> wire.Value:
    """The exact kind for the data type. Raises ValueError where Python's value does not fit."""
    kind = _KINDS[type_]
    try:
        if (kind == "bool") is not isinstance(value, bool) or (kind == "string") is not isinstance(value, str):
            raise TypeError(f"{type(value).__name__} in a {type_.value} signal")
        return wire.Value(**{kind: value})  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError(str(error)) from error


def from_value(value: wire.Value) -> SignalValue | None:
    """None for unknown and for arrays, which no signal of ours is."""
    kind = value.WhichOneof("typed_value")
    if kind is None or kind.endswith("_array"):
        return None
    found: SignalValue = getattr(value, kind)
    return float(f"{found:.7g}") if kind == "float" else found  # 22.4 rather than 22.399999618530273


def _update(path: str, point: wire.Datapoint) -> Update:
    return Update(path, from_value(point.value), point.timestamp.ToNanoseconds())


def _number(value: wire.Value) -> float | None:
    found = from_value(value)
    return None if found is None or isinstance(found, str) else float(found)


def to_meta(entry: wire.Metadata) -> SignalMeta:
    return SignalMeta(
        path=entry.path,
        type=_TYPES.get(entry.data_type),
        kind=_ENTRY_KINDS.get(entry.entry_type),
        unit=entry.unit,
        comment=entry.comment,
        low=_number(entry.min),
        high=_number(entry.max),
        allowed=tuple(entry.allowed_values.string_array.values),
    )


def read_file(file: Path, setting: str) -> bytes:
    """Raises UserError."""
    try:
        return file.read_bytes()
    except OSError as error:
        raise UserError(f"{file} cannot be read ({error.strerror}): correct {setting}.") from error


def token_in(file: Path) -> str:
    """The JWT of a file. Raises UserError."""
    token = read_file(file, "vehicle.token_file").decode("latin-1").strip()
    if not token or re.fullmatch(r"[!-~]+", token) is None:
        raise UserError(
            f"{file} holds no token: put the JWT of the databroker there, one line of letters, digits, dots and dashes."
        )
    return token


def certificates_in(file: Path) -> bytes:
    """PEM. Raises UserError."""
    pem = read_file(file, "vehicle.tls_ca")
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(cadata=pem.decode("ascii"))
    except (ValueError, ssl.SSLError) as error:
        raise UserError(f"{file} is no PEM file of certificates: give that of who signed the databroker's.") from error
    return pem


_OTHER_TARGET: Final = re.compile(r"(?:unix|unix-abstract|dns|ipv4|ipv6|vsock|xds):")
"""What else gRPC knows; it checks that itself."""


def _checked(address: str) -> str:
    host, _, port = address.rpartition(":")
    if _OTHER_TARGET.match(address) is not None:
        return address
    if not host or not port.isdecimal() or not 0 < int(port) <= 65_535:  # gRPC would wrap 99999 to another port
        raise UserError(f"{address!r} is not where a databroker can be: give HOST:PORT, such as 127.0.0.1:55555.")
    return address


# --- over gRPC ------------------------------------------------------------------------------------------------------

_REPLIES: Final[dict[grpc.StatusCode, ReplyKind]] = {
    grpc.StatusCode.INVALID_ARGUMENT: ReplyKind.BAD_VALUE,
    grpc.StatusCode.NOT_FOUND: ReplyKind.UNKNOWN_SIGNAL,
    grpc.StatusCode.PERMISSION_DENIED: ReplyKind.NOT_PERMITTED,
    grpc.StatusCode.UNAUTHENTICATED: ReplyKind.NOT_PERMITTED,
}
_CHANNEL_OPTIONS: Final = (
    ("grpc.initial_reconnect_backoff_ms", 250),
    ("grpc.min_reconnect_backoff_ms", 250),
    ("grpc.max_reconnect_backoff_ms", 2_000),
    ("grpc.max_receive_message_length", 16 * 1024 * 1024),  # the whole tree's metadata
    ("grpc.enable_http_proxy", 0),
)


@dataclass(frozen=True, slots=True)
class Access:
    """How a databroker is reached. `token_file`: a JWT, read again at every connection and when it was refused, so that a new one may be put there while the
    program runs; its scope should name branches, never plain `actuate`. `ca`: PEM file of who signed the databroker's certificate; None: no TLS. `name`: the
    name in that certificate, where it is not the address."""

    token_file: Path | None = None
    ca: Path | None = None
    name: str = ""


OPEN: Final = Access()


class KuksaBroker:
    """One channel to one databroker. Raises UserError where the address is none, or a file of its `access` holds nothing that could be used."""

    def __init__(self, address: str, access: Access = OPEN) -> None:
        self.address, self._access = _checked(address), access
        ca = certificates_in(access.ca) if access.ca is not None else None
        self._call_metadata: tuple[tuple[str, str], ...] = ()
        self._present_token()
        grpc.aio.init_grpc_aio()  # for good: the poller thread of gRPC, ended when the last channel is collected as garbage, can hang its collector
        if ca is None:
            self._channel = grpc.aio.insecure_channel(address, options=_CHANNEL_OPTIONS)
        else:
            named = (("grpc.ssl_target_name_override", access.name),) if access.name else ()
            credentials = grpc.ssl_channel_credentials(ca)
            self._channel = grpc.aio.secure_channel(address, credentials, options=(*_CHANNEL_OPTIONS, *named))
        self._stub: Any = VALStub(self._channel)  # type: ignore[no-untyped-call]
        self._types: dict[str, DataType] = {}

    def _present_token(self) -> None:
        if self._access.token_file is not None:
            self._call_metadata = (("authorization", f"Bearer {token_in(self._access.token_file)}"),)

    async def list_metadata(self) -> tuple[SignalMeta, ...]:
        try:
            self._present_token()
        except UserError as error:
            raise BrokerAway(str(error)) from error
        try:
            reply = await self._stub.ListMetadata(
                wire.ListMetadataRequest(root="Vehicle"), timeout=4 * CALL_S, metadata=self._call_metadata
            )
        except grpc.aio.AioRpcError as error:
            raise self._away(error) from error
        found = tuple(map(to_meta, reply.metadata))
        self._types = {meta.path: meta.type for meta in found if meta.type is not None}
        return found

    async def read(self, paths: Sequence[str]) -> tuple[Update, ...]:
        request = wire.GetValuesRequest(signal_ids=[wire.SignalID(path=path) for path in paths])
        try:
            reply = await self._stub.GetValues(request, timeout=CALL_S, metadata=self._call_metadata)
        except grpc.aio.AioRpcError as error:
            raise self._away(error) from error
        return tuple(map(_update, paths, reply.data_points))

    async def subscribe(self, paths: Sequence[str]) -> AsyncGenerator[tuple[Update, ...], None]:
        request = wire.SubscribeRequest(signal_paths=list(paths), buffer_size=SUBSCRIBE_BUFFER)
        stream = self._stub.Subscribe(request, metadata=self._call_metadata)
        try:
            async for reply in stream:
                yield tuple(_update(path, point) for path, point in reply.entries.items())
        except grpc.aio.AioRpcError as error:
            raise self._away(error) from error
        finally:
            stream.cancel()
        raise BrokerAway(f"the databroker at {self.address} ended the subscription")

    async def actuate(self, writes: Sequence[SignalWrite]) -> ActuateReply:
        try:
            if not self._types:
                await self.list_metadata()
        except BrokerAway as error:
            return ActuateReply(ReplyKind.NO_VEHICLE, str(error))
        requests = []
        for write in writes:
            type_ = self._types.get(write.path)
            if type_ is None:
                return ActuateReply(ReplyKind.UNKNOWN_SIGNAL, f"the databroker has no {write.path}")
            try:
                value = to_value(type_, write.value)
            except ValueError as error:
                return ActuateReply(ReplyKind.BAD_VALUE, f"{write.path}: {error}")
            requests.append(wire.ActuateRequest(signal_id=wire.SignalID(path=write.path), value=value))
        reachable = self._channel.get_state() is grpc.ChannelConnectivity.READY
        try:
            if len(requests) == 1:
                await self._stub.Actuate(requests[0], timeout=CALL_S, metadata=self._call_metadata)
            else:
                batch = wire.BatchActuateRequest(actuate_requests=requests)
                await self._stub.BatchActuate(batch, timeout=CALL_S, metadata=self._call_metadata)
        except grpc.aio.AioRpcError as error:
            if error.code() is grpc.StatusCode.UNAUTHENTICATED:
                with suppress(UserError):  # for the next one; this was refused
                    self._present_token()
            return ActuateReply(self._reply_kind(error, reachable), error.details() or error.code().name)
        return ActuateReply(ReplyKind.FORWARDED)

    def _reply_kind(self, error: grpc.aio.AioRpcError, reachable: bool) -> ReplyKind:
        if error.code() is grpc.StatusCode.UNAVAILABLE:
            # The databroker says "no provider" with the same code that gRPC uses for "no connection".
            if self._channel.get_state() is grpc.ChannelConnectivity.READY:
                return ReplyKind.NO_PROVIDER
            return ReplyKind.OUTCOME_UNKNOWN if reachable else ReplyKind.NO_VEHICLE
        return _REPLIES.get(error.code(), ReplyKind.OUTCOME_UNKNOWN)

    async def close(self) -> None:
        await self._channel.close()

    def _away(self, error: grpc.aio.AioRpcError) -> BrokerAway:
        code = error.code()
        if code in (grpc.StatusCode.UNAUTHENTICATED, grpc.StatusCode.PERMISSION_DENIED):
            file = self._access.token_file
            remedy = (
                f"; put a token that permits it into {file}" if file is not None else "; name a token with vehicle.token_file"
            )
            return BrokerAway(f"the databroker at {self.address} does not permit this ({error.details() or code.name}{remedy})")
        if code is grpc.StatusCode.UNIMPLEMENTED:
            return BrokerAway(f"what listens at {self.address} does not speak kuksa.val.v2")
        if code in (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED):
            return BrokerAway(f"the databroker at {self.address} cannot be reached (nothing answers there)")
        return BrokerAway(f"the databroker at {self.address} refused ({code.name}: {error.details()})")
