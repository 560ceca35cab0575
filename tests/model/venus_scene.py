"""A whole node with the tiny checkpoint, and devices of a few lines over an in-memory link: what the model draws is written down.

The device's clock runs as fast as the node can follow, so a ride of many seconds takes one or two.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from checkpoints import tiny_folder
from torch import Tensor

from ridealong.cloud.config import CloudConfig, FrontEnd, FrontEndKind, HarnessSettings, Venus
from ridealong.cloud.directory import serve_channel
from ridealong.cloud.frontends.venus.frontend import VenusFrontEnd
from ridealong.cloud.main import Node, build_node
from ridealong.cloud.model import hosting
from ridealong.cloud.model.engine import Engine
from ridealong.cloud.model.hosting import ModelHost
from ridealong.cloud.model.scheduler import SchedulerSettings
from ridealong.cloud.telemetry.telemetry import Telemetry
from ridealong.device.link import Link, LinkState, LinkUnavailable
from ridealong.device.vehicle.gateway import Gateway
from ridealong.harness.observing import Observation
from ridealong.proto import types as t
from ridealong.proto.channel import Channel, memory_pair
from ridealong.proto.convert import downlink_from_bytes
from ridealong.simulators.car.car import SimCar

PATIENT = SchedulerSettings(deadline_ms=60_000, gather_ms=5, full=1.0, relaxed=0.99)


class Draws:
    """In the sampler's place: a slot's next unit draws what is written for it, up to its last id; where nothing is written, it listens."""

    def __init__(self, engine: Engine) -> None:
        self.ids, self.names, self._tokens = engine.tokens.ids, engine.tokens.needed_delegation(), engine.tokens
        self.scripts: dict[int, list[int]] = {}
        engine.thinking._draw = self.draw  # type: ignore[method-assign]

    def draw(self, logits: Tensor, chance: Tensor, draws: Tensor) -> Tensor:
        out = torch.full((len(logits),), self.ids.listen)
        for slot in range(len(logits)):
            if draws[slot] and self.scripts.get(slot):
                out[slot] = self.scripts[slot].pop(0)
        return out

    def write(self, slot: int, *units: Sequence[int]) -> None:
        self.scripts.setdefault(slot, []).extend(one for unit in units for one in unit)

    def listen(self, count: int) -> list[list[int]]:
        return [[self.ids.listen]] * count

    def say(self, text: str, *, over: bool = True) -> list[int]:
        end = [self.ids.turn_eos] if over else []
        return [self.ids.speak, *self._tokens.encode(text), *end, self.ids.chunk_eos]

    def ask(self, text: str) -> list[int]:
        request = [self.names.delegate_open, *self._tokens.encode(text), self.names.delegate_close]
        return [self.ids.speak, *request, self.ids.turn_eos, self.ids.chunk_eos]


@dataclass
class Device:
    """Plays everything at once and says so. `played`: samples that came, by utterance."""

    node: Node
    name: str
    kind: str = "glasses"
    got: list[t.DownlinkBody] = field(default_factory=list)
    at: int = 0
    plays: bool = True
    flushed: int = 0
    states: list[LinkState] = field(default_factory=list)
    channel: Channel | None = None
    played: dict[int, int] = field(default_factory=dict)
    errors: list[t.Error] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._tasks: list[asyncio.Task[Any]] = []
        hello = t.Hello(self.kind, self.name)
        self.link = Link(self.dial, hello, self.take, self.states.append, random.Random(0), clock=self.now)
        self.car = SimCar()
        self.gateway = Gateway(self.car.broker, self.link.send, self.now)

    async def dial(self) -> Channel:
        if self.node.directory.draining:
            raise LinkUnavailable("nobody is there")
        channel, theirs = memory_pair()
        self._tasks.append(asyncio.create_task(serve_channel(theirs, self.node.directory)))
        return self.noted(channel)

    def noted(self, channel: Channel) -> Channel:
        """Errors that come over it are kept."""
        receive, self.channel = channel.receive, channel

        async def noting() -> bytes:
            message = await receive()
            if isinstance(body := downlink_from_bytes(message).body, t.Error):
                self.errors.append(body)
            return message

        channel.receive = noting  # type: ignore[method-assign]
        return channel

    def now(self) -> t.Samples:
        return t.Samples(self.at)

    def take(self, body: t.DownlinkBody) -> None:
        self.got.append(body)
        match body:
            case t.Speech() if self.plays and body.epoch > self.flushed:
                self.played[body.utterance] = body.offset + len(body.pcm16) // 2
                state = t.PlaybackState.FINISHED if body.last else t.PlaybackState.PROGRESS
                self.link.send(t.PlaybackAck(body.epoch, body.utterance, self.played[body.utterance], state, self.now()))
            case t.Flush(epoch=epoch):
                self.flushed = epoch
            case t.Actuate():
                self.gateway.on_actuate(body)

    _actor: Any = None

    async def start(self) -> None:
        known = set(self.node.actors)
        self._tasks += [asyncio.create_task(one) for one in (self.link.run(), self.car.run(), self.gateway.run())]
        await until(lambda: bool(set(self.node.actors) - known) or bool(self.errors))
        self._actor = next((self.node.actors[name] for name in set(self.node.actors) - known), None)

    @property
    def front_end(self) -> VenusFrontEnd:
        front_end = self._actor._front_end
        assert isinstance(front_end, VenusFrontEnd)
        return front_end

    def over(self) -> bool:
        """Its session has ended, and its place is free."""
        return bool(self._actor._task.done())

    async def settled(self) -> None:
        """All that was sent is worked on, and the model has answered."""
        await until(lambda: self.link.idle and self._actor._inbox._queue.empty() and not self.front_end._sent)
        await asyncio.sleep(0.02)

    async def seconds(
        self,
        count: int = 1,
        *,
        loud: bool = False,
        hint: bool = False,
        mic: t.MicrophoneState = t.MicrophoneState.LIVE,
        picture: bytes = b"",
        settle: bool = True,
    ) -> None:
        for _ in range(count):
            unit = self.at // 16_000
            if picture:
                gate = t.GateNote(True, t.GateReason.FIRST)
                self.link.send(t.FrameFragment(t.FrameId(unit), 0, 1, picture, t.UnitIndex(unit), self.now(), 8, 8, gate))
            for part in range(5):
                pcm = np.full(3_200, 9_000 if loud else 0, "<i2").tobytes() if mic is t.MicrophoneState.LIVE else b""
                start = t.Samples(self.at)
                self.at += 3_200
                self.link.send(
                    t.UnitPart(t.UnitIndex(unit), part, part == 4, start, 3_200, pcm, microphone=mic, speech_hint=hint)
                )
            if settle:
                await self.settled()

    async def types(self, text: str) -> None:
        self.link.send(t.TextInput(self.now(), text))
        await self.settled()

    async def end(self) -> None:
        await self.link.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def of(self, kind: type[Any]) -> list[Any]:
        return [body for body in self.got if isinstance(body, kind)]

    def said(self) -> list[tuple[str, str]]:
        """Text and work of each utterance."""
        out: dict[int, tuple[str, str]] = {}
        for body in self.of(t.Speech):
            text, work = out.get(body.utterance, ("", ""))
            out[body.utterance] = (f"{text} {body.text}".strip(), work or body.work_id)
        return list(out.values())

    def work(self) -> list[str]:
        return [f"{b.capability} {b.execution}/{b.delivery}" for b in self.of(t.WorkUpdate)]


async def until(what: Callable[[], bool], seconds: float = 90.0) -> None:
    async with asyncio.timeout(seconds):
        while not what():  # noqa: ASYNC110
            await asyncio.sleep(0.005)


@dataclass
class Scene:
    node: Node
    draws: Draws
    told: list[Observation]

    async def device(self, name: str = "d1", kind: str = "car") -> Device:
        device = Device(self.node, name, kind)
        await device.start()
        return device

    @property
    def host(self) -> ModelHost:
        assert isinstance(self.node.model, ModelHost)
        return self.node.model


@asynccontextmanager
async def scene(folder: Path, *, slots: int = 2, ears: bool = False, assemble: Any = None, **more: Any) -> Any:
    """A node; its model listens until something else is written into `draws`."""
    config = CloudConfig(
        frontend=FrontEnd(FrontEndKind.VENUS, model=tiny_folder(), ears=ears),
        venus=Venus(device="cpu", dtype="float32", slots=slots, window=512, **more),
        harness=HarnessSettings(folder / "journal.sqlite"),
    )
    told: list[Observation] = []
    telemetry = Telemetry()
    telemetry.sinks.append(told.append)
    with ThreadPoolExecutor(4) as executor, ThreadPoolExecutor(2) as models_executor:
        node = build_node(config, executor=executor, models_executor=models_executor, assemble=assemble, telemetry=telemetry)
        assert isinstance(node.model, ModelHost)
        try:
            yield Scene(node, Draws(node.model.engine), told)
        finally:
            await node.close()


def patiently(patch: Any) -> None:
    """A machine with seven others' tests on it is late, and that is not what is tested."""
    made = hosting.ModelSettings
    patch.setattr(hosting, "ModelSettings", lambda *given, **named: replace(made(*given, **named), scheduler=PATIENT))
