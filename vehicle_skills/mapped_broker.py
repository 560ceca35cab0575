"""A databroker in whose tree our signals have other names and values: the `Broker` interface in ours, by the mapping of one model of car.

Does not know files, policies or keys. What means nothing to us is not passed on; what the car has no word for is refused before it is sent.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterable, Sequence
from contextlib import aclosing
from dataclasses import replace

from ridealong.proto.types import SignalWrite
from ridealong.vehicle_skills.broker import ActuateReply, Broker, ReplyKind, SignalMeta, Update
from ridealong.vehicle_skills.mapping import CarMapping
from ridealong.vehicle_skills.signals import SIGNALS


class MappedBroker:
    """`broker` speaks the car's own paths."""

    def __init__(self, broker: Broker, mapping: CarMapping) -> None:
        self._broker, self._mapping = broker, mapping

    async def read(self, paths: Sequence[str]) -> tuple[Update, ...]:
        known = [(path, there) for path in paths if (there := self._mapping.theirs(path)) is not None]
        found = await self._broker.read([there for _, there in known]) if known else ()
        values = {path: self._ours(path, update) for (path, _), update in zip(known, found, strict=True)}
        return tuple(values.get(path, Update(path, None)) for path in paths)

    async def subscribe(self, paths: Sequence[str]) -> AsyncGenerator[tuple[Update, ...], None]:
        wanted = {there: path for path in paths if (there := self._mapping.theirs(path)) is not None}
        async with aclosing(self._broker.subscribe(list(wanted))) as batches:
            async for batch in batches:
                yield tuple(self._ours(wanted[update.path], update) for update in batch if update.path in wanted)

    async def actuate(self, writes: Sequence[SignalWrite]) -> ActuateReply:
        sent = []
        for write in writes:
            there = self._mapping.theirs(write.path)
            if there is None:
                return ActuateReply(ReplyKind.UNKNOWN_SIGNAL, f"this car has no {write.path}")
            try:
                sent.append(SignalWrite(there, self._mapping.to_car(write.path, write.value)))
            except ValueError as error:
                return ActuateReply(ReplyKind.BAD_VALUE, f"{write.path}: {error}")
        return await self._broker.actuate(sent)

    async def list_metadata(self) -> tuple[SignalMeta, ...]:
        """Of ours, as we see them: those that the car has, of the type that it must be."""
        return tuple(in_our_words(await self._broker.list_metadata(), self._mapping))

    async def close(self) -> None:
        await self._broker.close()

    def _ours(self, path: str, update: Update) -> Update:
        value = None if update.value is None else self._mapping.from_car(path, update.value)
        return Update(path, value, update.stamp_ns)


def in_our_words(offered: Iterable[SignalMeta], mapping: CarMapping) -> Iterable[SignalMeta]:
    """The car's signals that are ours, under our names. The type is ours where the car's is what the mapping says it must be, and the car's own
    where it is not: a report then names it."""
    for meta in offered:
        path = mapping.ours(meta.path)
        if path is None:
            continue
        as_it_must_be = meta.type is mapping.type_of(path)
        if meta.path == path and as_it_must_be and meta.type is SIGNALS[path].type:
            yield meta
        else:
            yield replace(meta, path=path, type=SIGNALS[path].type if as_it_must_be else meta.type, low=None, high=None)
