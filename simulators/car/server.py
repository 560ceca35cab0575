"""Serves the simulated car as kuksa.val.v2 over gRPC, with the error codes of a real databroker.

Converts between the wire and `SimBroker`; decides nothing about the car. Providers from outside may claim actuators that
nobody else claims. A Datapoint's stamp reads as wall time, taken once at the start and continued on the loop's clock.
"""

from __future__ import annotations

import asyncio
import fnmatch
import ssl
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NoReturn

import grpc
import grpc.aio

from ridealong import __version__
from ridealong.errors import UserError
from ridealong.proto.kuksa import val_pb2 as wire
from ridealong.proto.kuksa.val_pb2_grpc import VALServicer, add_VALServicer_to_server
from ridealong.proto.types import SignalWrite
from ridealong.simulators.car.broker import SimBroker, meta_of
from ridealong.simulators.car.car import SimCar
from ridealong.simulators.car.permits import NoPermit, Permit, permit_of
from ridealong.simulators.car.tree import OtherTree
from ridealong.vehicle_skills.broker import KIND_NUMBERS, TYPE_NUMBERS, ReplyKind, Update, from_value, to_value, value_kind
from ridealong.vehicle_skills.signals import DataType, Kind, Signal, fault

MAX_BUFFER: Final = 1_000
MAX_PATH_CHARS: Final = 1_000
_CODES: Final[dict[ReplyKind, grpc.StatusCode]] = {
    ReplyKind.NO_PROVIDER: grpc.StatusCode.UNAVAILABLE,
    ReplyKind.BAD_VALUE: grpc.StatusCode.INVALID_ARGUMENT,
    ReplyKind.UNKNOWN_SIGNAL: grpc.StatusCode.NOT_FOUND,
    ReplyKind.NOT_PERMITTED: grpc.StatusCode.PERMISSION_DENIED,
    ReplyKind.NO_VEHICLE: grpc.StatusCode.UNAVAILABLE,
    ReplyKind.OUTCOME_UNKNOWN: grpc.StatusCode.DATA_LOSS,
}
_Call = Any  # grpc.aio.ServicerContext, untyped here


def to_point(signal: Signal, update: Update) -> wire.Datapoint:
    point = wire.Datapoint()
    if update.stamp_ns:
        point.timestamp.FromNanoseconds(update.stamp_ns)
    if update.value is not None:
        point.value.CopyFrom(to_value(signal.type, update.value))
    return point


def to_metadata(signal: Signal, number: int) -> wire.Metadata:
    meta = meta_of(signal)
    entry = wire.Metadata(
        path=signal.path,
        id=number,
        data_type=TYPE_NUMBERS[signal.type],  # type: ignore[arg-type]
        entry_type=KIND_NUMBERS[signal.kind],  # type: ignore[arg-type]
        comment=meta.comment,
        unit=signal.unit,
    )
    if signal.allowed:
        entry.allowed_values.string_array.values.extend(signal.allowed)
    for bound, value in ((entry.min, signal.low), (entry.max, signal.high)):
        if value is not None:
            whole = signal.type not in (DataType.FLOAT, DataType.DOUBLE)
            bound.CopyFrom(to_value(signal.type, int(value) if whole else float(value)))
    return entry


class CarServicer(VALServicer):  # type: ignore[misc]
    """One car, any number of clients. Ids are positions in the sorted table as it was at the start, then first come."""

    def __init__(self, car: SimCar | OtherTree, secured: bool = False) -> None:
        self.car = car
        self._secured = secured
        self.broker: SimBroker = car.broker
        self._ids: dict[str, int] = {path: number for number, path in enumerate(sorted(self.broker.signals), start=1)}
        self._claims: dict[str, asyncio.Queue[Sequence[SignalWrite]]] = {}

    # --- reading --------------------------------------------------------------------------------------------------

    async def GetValue(self, request: wire.GetValueRequest, context: _Call) -> wire.GetValueResponse:
        return wire.GetValueResponse(data_point=await self._point(request.signal_id, context))

    async def GetValues(self, request: wire.GetValuesRequest, context: _Call) -> wire.GetValuesResponse:
        return wire.GetValuesResponse(data_points=[await self._point(wanted, context) for wanted in request.signal_ids])

    async def Subscribe(self, request: wire.SubscribeRequest, context: _Call) -> AsyncIterator[wire.SubscribeResponse]:
        paths = [(await self._signal(wire.SignalID(path=path), context)).path for path in request.signal_paths]
        async for updates in self._subscribe(paths, request.buffer_size, context):
            entries = {update.path: to_point(self.broker.signals[update.path], update) for update in updates}
            yield wire.SubscribeResponse(entries=entries)

    async def SubscribeById(
        self, request: wire.SubscribeByIdRequest, context: _Call
    ) -> AsyncIterator[wire.SubscribeByIdResponse]:
        paths = [(await self._signal(wire.SignalID(id=number), context)).path for number in request.signal_ids]
        async for updates in self._subscribe(paths, request.buffer_size, context):
            entries = {self._ids[update.path]: to_point(self.broker.signals[update.path], update) for update in updates}
            yield wire.SubscribeByIdResponse(entries=entries)

    async def _subscribe(self, paths: Sequence[str], buffer_size: int, context: _Call) -> AsyncIterator[tuple[Update, ...]]:
        if not paths:
            await _abort(context, grpc.StatusCode.INVALID_ARGUMENT, "name at least one signal")
        if buffer_size > MAX_BUFFER:
            await _abort(context, grpc.StatusCode.INVALID_ARGUMENT, f"buffer_size is at most {MAX_BUFFER}")
        await self._require_present(context)
        permit = await self._permit(context)
        subscription = self.broker.open_subscription(paths, buffer_size)
        try:
            while (updates := await subscription.take()) is not None:
                if permit is not None and permit.over(time.time()):
                    await _abort(context, grpc.StatusCode.UNAUTHENTICATED, "the token has expired")
                yield updates
        finally:
            self.broker.close_subscription(subscription)
        await _abort(context, grpc.StatusCode.UNAVAILABLE, "the simulated databroker is away")

    async def ListMetadata(self, request: wire.ListMetadataRequest, context: _Call) -> wire.ListMetadataResponse:
        await self._require_present(context)
        if len(request.root) > MAX_PATH_CHARS:
            await _abort(context, grpc.StatusCode.INVALID_ARGUMENT, "the root is too long")
        permit = await self._permit(context)
        found = [path for path in sorted(self.broker.signals) if _below(request.root, path)]
        found = [path for path in found if permit is None or permit.allows("read", path)]
        if not found:
            await _abort(context, grpc.StatusCode.NOT_FOUND, f"there is nothing at {request.root!r}")
        return wire.ListMetadataResponse(metadata=[to_metadata(self.broker.signals[path], self._id(path)) for path in found])

    async def GetServerInfo(self, request: wire.GetServerInfoRequest, context: _Call) -> wire.GetServerInfoResponse:
        return wire.GetServerInfoResponse(name="ridealong-simulated-car", version=__version__)

    # --- acting ---------------------------------------------------------------------------------------------------

    async def Actuate(self, request: wire.ActuateRequest, context: _Call) -> wire.ActuateResponse:
        await self._actuate([request], context)
        return wire.ActuateResponse()

    async def BatchActuate(self, request: wire.BatchActuateRequest, context: _Call) -> wire.BatchActuateResponse:
        await self._actuate(request.actuate_requests, context)
        return wire.BatchActuateResponse()

    async def ActuateStream(self, request_iterator: AsyncIterator[wire.ActuateRequest], context: _Call) -> wire.ActuateResponse:
        async for request in request_iterator:
            await self._actuate([request], context)
        return wire.ActuateResponse()

    async def _actuate(self, requests: Sequence[wire.ActuateRequest], context: _Call) -> None:
        """All are checked before the first is forwarded."""
        writes = []
        for request in requests:
            signal = await self._signal(request.signal_id, context, "actuate")
            writes.append(SignalWrite(signal.path, await self._exact(signal, request.value, context)))
        outside = {write.path for write in writes if write.path in self._claims}
        if not outside:
            reply = await self.broker.actuate(writes)
            if reply.kind is not ReplyKind.FORWARDED:
                await _abort(context, _CODES[reply.kind], reply.text)
            return
        for write in writes:
            refusal = self.broker.check(write)
            if refusal is not None:
                await _abort(context, _CODES[refusal.kind], refusal.text)
            if write.path not in outside and self.broker.faults.provider_absent:
                await _abort(context, grpc.StatusCode.UNAVAILABLE, f"no provider claims {write.path}")
        by_provider: dict[int, tuple[asyncio.Queue[Sequence[SignalWrite]], list[SignalWrite]]] = {}
        for write in writes:
            if write.path in self._claims:
                queue = self._claims[write.path]
                by_provider.setdefault(id(queue), (queue, []))[1].append(write)
        for queue, share in by_provider.values():
            try:
                queue.put_nowait(share)
            except asyncio.QueueFull:
                await _abort(context, grpc.StatusCode.DATA_LOSS, "a provider does not keep up")
        own = [write for write in writes if write.path not in outside]
        if own:
            self.broker.hand_over(own)

    async def _exact(self, signal: Signal, value: wire.Value, context: _Call) -> Any:
        """The value, when it came in the one kind that the data type asks for."""
        kind = value.WhichOneof("typed_value")
        if kind != value_kind(signal.type):
            await _abort(
                context,
                grpc.StatusCode.INVALID_ARGUMENT,
                f"{signal.path} is {signal.type.value}: send {value_kind(signal.type)}, not {kind}",
            )
        return from_value(value)

    # --- providing ------------------------------------------------------------------------------------------------

    async def PublishValue(self, request: wire.PublishValueRequest, context: _Call) -> wire.PublishValueResponse:
        signal = await self._signal(request.signal_id, context, "provide")
        value = await self._exact(signal, request.data_point.value, context)
        reason = fault(signal, value)
        if reason:
            await _abort(context, grpc.StatusCode.INVALID_ARGUMENT, f"{signal.path}: {reason}")
        self.car.set(signal.path, value)
        return wire.PublishValueResponse()

    async def OpenProviderStream(
        self, request_iterator: AsyncIterator[wire.OpenProviderStreamRequest], context: _Call
    ) -> AsyncIterator[wire.OpenProviderStreamResponse]:
        """Claims, published values and forwarded batches share the stream; a claim ends with it. A provider that has nothing more to say goes on to listen."""
        batches: asyncio.Queue[Sequence[SignalWrite]] = asyncio.Queue(16)
        answers: asyncio.Queue[wire.OpenProviderStreamResponse | None] = asyncio.Queue(64)

        async def listen() -> None:
            try:
                async for request in request_iterator:
                    answer = await self._provider_request(request, batches, context)
                    if answer is not None:
                        await answers.put(answer)
            except BaseException:
                await answers.put(None)
                raise

        async def forward() -> None:
            while True:
                share = await batches.get()
                requests = [
                    wire.ActuateRequest(
                        signal_id=wire.SignalID(id=self._id(write.path)),
                        value=to_value(self.broker.signals[write.path].type, write.value),
                    )
                    for write in share
                ]
                batch = wire.BatchActuateStreamRequest(actuate_requests=requests)
                await answers.put(wire.OpenProviderStreamResponse(batch_actuate_stream_request=batch))

        try:
            async with asyncio.TaskGroup() as tasks:
                listening, forwarding = tasks.create_task(listen()), tasks.create_task(forward())
                while (answer := await answers.get()) is not None:
                    yield answer
                forwarding.cancel()
                await listening
        finally:
            self._claims = {path: queue for path, queue in self._claims.items() if queue is not batches}

    async def _provider_request(
        self, request: wire.OpenProviderStreamRequest, batches: asyncio.Queue[Sequence[SignalWrite]], context: _Call
    ) -> wire.OpenProviderStreamResponse | None:
        match request.WhichOneof("action"):
            case "provide_actuation_request":
                wanted = [await self._signal(name, context) for name in request.provide_actuation_request.actuator_identifiers]
                for signal in wanted:
                    if signal.kind is not Kind.ACTUATOR:
                        await _abort(context, grpc.StatusCode.INVALID_ARGUMENT, f"{signal.path} is not an actuator")
                    if signal.path in self._claims or not self.broker.faults.provider_absent:
                        await _abort(context, grpc.StatusCode.ALREADY_EXISTS, f"{signal.path} is claimed by another provider")
                self._claims |= {signal.path: batches for signal in wanted}
                return wire.OpenProviderStreamResponse(provide_actuation_response=wire.ProvideActuationResponse())
            case "publish_values_request":
                publish = request.publish_values_request
                status = await self._publish_all(publish.data_points)
                answer = wire.PublishValuesResponse(request_id=publish.request_id, status=status)
                return wire.OpenProviderStreamResponse(publish_values_response=answer) if status else None
            case "provide_signal_request":
                return wire.OpenProviderStreamResponse(provide_signal_response=wire.ProvideSignalResponse())
            case _:
                return None  # answers of the provider: a databroker does not react on them today

    async def _publish_all(self, points: Mapping[int, wire.Datapoint]) -> dict[int, wire.Error]:
        """Publishes what is right; returns the rest with its error."""
        wrong: dict[int, wire.Error] = {}
        by_id = {number: path for path, number in self._ids.items()}
        for number, point in points.items():
            signal = self.broker.signals.get(by_id.get(number, ""))
            value = from_value(point.value)
            if signal is None:
                wrong[number] = wire.Error(code=wire.ERROR_CODE_NOT_FOUND, message="there is no such id")
            elif point.value.WhichOneof("typed_value") != value_kind(signal.type) or value is None or fault(signal, value):
                wrong[number] = wire.Error(code=wire.ERROR_CODE_INVALID_ARGUMENT, message=f"{signal.path} is {signal.type.value}")
            else:
                self.car.set(signal.path, value)
        return wrong

    # --- names ----------------------------------------------------------------------------------------------------

    async def _point(self, name: wire.SignalID, context: _Call) -> wire.Datapoint:
        await self._require_present(context)
        signal = await self._signal(name, context)
        return to_point(signal, self.broker.point(signal.path))

    async def _permit(self, context: _Call) -> Permit | None:
        """What the call's token permits; None where this databroker asks for none."""
        if not self._secured:
            return None
        words = dict(context.invocation_metadata() or ()).get("authorization", "")
        try:
            return permit_of(str(words).removeprefix("Bearer "), time.time())
        except NoPermit as error:
            await _abort(context, grpc.StatusCode.UNAUTHENTICATED, str(error))

    async def _signal(self, name: wire.SignalID, context: _Call, action: str = "read") -> Signal:
        path = name.path
        if name.WhichOneof("signal") == "id":
            path = next((known for known, number in self._ids.items() if number == name.id), "")
        if not path or len(path) > MAX_PATH_CHARS or "*" in path:
            code = grpc.StatusCode.NOT_FOUND if name.WhichOneof("signal") == "id" else grpc.StatusCode.INVALID_ARGUMENT
            await _abort(context, code, "name one signal, by its path or id")
        signal = self.broker.signals.get(path)
        if signal is None:
            await _abort(context, grpc.StatusCode.NOT_FOUND, f"there is no {path}")
        permit = await self._permit(context)
        if permit is not None and not permit.allows(action, path):
            await _abort(context, grpc.StatusCode.PERMISSION_DENIED, f"the token does not permit to {action} {path}")
        self._id(path)
        return signal

    def _id(self, path: str) -> int:
        return self._ids.setdefault(path, len(self._ids) + 1)

    async def _require_present(self, context: _Call) -> None:
        if self.broker.faults.away:
            await _abort(context, grpc.StatusCode.UNAVAILABLE, "the simulated databroker is away")


async def _abort(context: _Call, code: grpc.StatusCode, text: str) -> NoReturn:
    await context.abort(code, text)
    raise AssertionError("abort raises")


def _below(root: str, path: str) -> bool:
    """A branch covers what lies under it; `*` matches one level, `**` any number."""
    if not root or root == path:
        return True
    if "*" not in root:
        return path.startswith(root + ".")
    wanted, levels = root.split("."), path.split(".")
    if "**" in wanted:
        return fnmatch.fnmatchcase(path, root.replace("**", "*"))
    return len(levels) >= len(wanted) and all(
        fnmatch.fnmatchcase(level, part) for level, part in zip(levels, wanted, strict=False)
    )


@dataclass(frozen=True, slots=True)
class Security:
    """`key`, `certificate`: PEM files; None: no TLS. `tokens`: every call must bring a JWT, whose scopes count (permits.py)."""

    key: Path | None = None
    certificate: Path | None = None
    tokens: bool = False


async def start(car: SimCar | OtherTree, address: str, security: Security = Security()) -> tuple[Any, int]:  # noqa: B008 (frozen)
    """Serve the car; returns the running server and its port. Raises UserError when the address or the files cannot be used."""
    host, _, port_words = address.rpartition(":")
    if not host or not port_words.isdecimal() or int(port_words) > 65_535:  # gRPC would wrap 99999 to another port
        raise UserError(f"{address!r} is not an address to listen on: give --address HOST:PORT, such as 127.0.0.1:55555.")
    car.broker.stamp_base_ns = time.time_ns() - round(asyncio.get_running_loop().time() * 1e9)
    grpc.aio.init_grpc_aio()  # for good: the poller thread of gRPC, ended when the last channel is collected as garbage, can hang its collector
    server = grpc.aio.server(options=(("grpc.so_reuseport", 0),))
    add_VALServicer_to_server(CarServicer(car, security.tokens), server)  # type: ignore[no-untyped-call]
    try:
        if security.key is not None and security.certificate is not None:
            port = server.add_secure_port(address, _credentials(security.key, security.certificate))
        else:
            port = server.add_insecure_port(address)
    except RuntimeError:
        port = 0
    if not port:
        raise UserError(
            f"the simulated car cannot listen on {address}: another program uses the port or the host is not this machine; "
            "choose another with --address HOST:PORT."
        )
    await asyncio.sleep(0)  # told to stop meanwhile? A server that is cancelled while it starts can't be stopped any more
    await server.start()
    return server, port


def _credentials(key: Path, certificate: Path) -> Any:
    try:
        pair = key.read_bytes(), certificate.read_bytes()
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(certificate, key)
    except ssl.SSLError as error:
        raise UserError(
            f"{key} and {certificate} are no key and its certificate in PEM: correct --tls-key or --tls-certificate."
        ) from error
    except OSError as error:
        raise UserError(f"{error.filename} cannot be read ({error.strerror}): correct --tls-key or --tls-certificate.") from error
    return grpc.ssl_server_credentials([pair])
