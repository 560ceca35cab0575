"""Two cars with their device agents, one node with one journal, and a link between them that may be down; any of the two ends may crash.

A crash of the node drops its harnesses and opens new ones on the same journal; the cars, their gateways and ledgers go on. A crash of a
gateway opens a new one on the same ledger. The skills lie: they say "Done" whatever the car answered. Everything that a car was really told, that
a non-idempotent skill did, and that was said is counted here, by the session whose words it was for.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from ridealong.cloud.vehicle import Car
from ridealong.device.vehicle.gateway import Gateway
from ridealong.harness.group_commit import GroupCommit
from ridealong.harness.harness import Harness, HarnessEvent, WorkChanged
from ridealong.harness.journal import Journal
from ridealong.harness.reconciling import RECONCILE
from ridealong.harness.runner import LoopClock
from ridealong.harness.skill import Call, Confirmation, Context, Outcome, Provenance, Skill, Spoken
from ridealong.harness.snapshot import Evidence, Snapshot
from ridealong.harness.work import WorkItem
from ridealong.proto.types import (
    Actuate,
    ActuationResult,
    ActuationState,
    DownlinkBody,
    FrameId,
    Samples,
    SignalValue,
    SignalWrite,
    UplinkBody,
    UtteranceId,
    VehicleState,
    samples_from_ms,
)
from ridealong.simulators.car.car import SimCar
from ridealong.simulators.virtual_time import InlineExecutor, run_virtual
from ridealong.vehicle_skills.signals import SPEED, set_temperature, window_position
from tests.unit.crash_words import Words

SECRETS = {"a": "alpha", "b": "bravo"}
TEMPERATURE = set_temperature("Row1", "Driver")
WINDOW = window_position("Row1", "DriverSide")


def lying_skill(name: str, run: Callable[[Call], Awaitable[Spoken]], actuates: tuple[str, ...] = ()) -> Skill:
    return Skill(name, name, run, lambda text, locale, context: None, name, {}, {}, actuates=actuates, timeout_ms=8_000)


@dataclass
class Utterance:
    session: str
    words: str
    end: Samples


@dataclass
class Device:
    """A car and the gateway beside it; `sent` is what left for the car, by key."""

    name: str
    ledger: Path
    car: SimCar = field(default_factory=SimCar)
    gateway: Gateway | None = None
    up: bool = True
    waiting_down: list[Actuate] = field(default_factory=list)
    waiting_up: list[UplinkBody] = field(default_factory=list)
    issued: dict[str, Actuate] = field(default_factory=dict)
    done: list[tuple[tuple[SignalWrite, ...], float]] = field(default_factory=list)
    task: asyncio.Task[None] | None = None
    blind_since_s: float | None = None
    fast_since_s: float | None = None


class World:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.devices = {name: Device(name, folder / f"{name}.ledger") for name in SECRETS}
        self.utterances: list[Utterance] = []
        self.notes: list[tuple[str, str]] = []  # (session, key) of every note that was really sent
        self.said: list[tuple[str, str, str]] = []  # session, work id, words
        self.found: list[tuple[str, str]] = []  # session, words about what the car told late
        self.put: list[tuple[Samples, str]] = []  # when a question of ours began to be said
        self.faults: list[str] = []
        self.snapshots: dict[str, list[Snapshot]] = {name: [] for name in SECRETS}
        self.contexts: dict[str, list[Context]] = {name: [] for name in SECRETS}
        self.items: dict[str, dict[str, WorkItem]] = {name: {} for name in SECRETS}
        self.logged: list[str] = []
        self.jumped = Samples(0)
        self.crashes = 0
        self.node: Node | None = None

    def now(self) -> Samples:
        return Samples(samples_from_ms(asyncio.get_running_loop().time() * 1000) + self.jumped)

    # --- the devices --------------------------------------------------------------------------------------------------

    def start_gateway(self, device: Device, tasks: asyncio.TaskGroup) -> None:
        device.gateway = Gateway(device.car.broker, lambda body: self.uplink(device, body), self.now, device.ledger)
        device.task = tasks.create_task(device.gateway.run())

    async def crash_gateway(self, device: Device, tasks: asyncio.TaskGroup) -> None:
        assert device.task is not None
        device.task.cancel()
        with suppress(asyncio.CancelledError):
            await device.task
        self.start_gateway(device, tasks)

    def downlink(self, device: Device, body: DownlinkBody) -> None:
        if isinstance(body, Actuate):
            device.issued[body.key] = body
            if device.up and device.gateway is not None:
                device.gateway.on_actuate(body)
            else:
                device.waiting_down.append(body)

    def uplink(self, device: Device, body: UplinkBody) -> None:
        if not device.up:
            device.waiting_up.append(body)
        elif self.node is not None:
            self.node.take(device.name, body)

    def link(self, device: Device, up: bool) -> None:
        """What was not acknowledged goes out again when the link is back, the last messages twice."""
        was, device.up = device.up, up
        if up and not was and device.gateway is not None:
            down, device.waiting_down = device.waiting_down, []
            sent, device.waiting_up = device.waiting_up, []
            for actuate in [*down, *down[-1:]]:
                device.gateway.on_actuate(actuate)
            for body in sent:
                self.uplink(device, body)

    def told(self, device: Device, path: str, value: SignalValue, command: Callable[[str, SignalValue], None]) -> None:
        """The car's provider was handed this: the last place where I5 can be checked."""
        loop_s = asyncio.get_running_loop().time()
        device.done.append(((SignalWrite(path, value),), loop_s))
        issued = [one for one in device.issued.values() if SignalWrite(path, value) in one.writes]
        ages = [(self.now() - one.requested_at) / 16 for one in issued]
        if not ages or min(ages) > 2_000:
            self.faults.append(f"I5: {path} written {min(ages, default=-1):.0f} ms after it was asked for")
        if path == WINDOW and device.fast_since_s is not None and loop_s - device.fast_since_s > 0.9:
            self.faults.append("I5: a window moved at 110 km/h")
        if path == WINDOW and device.blind_since_s is not None and loop_s - device.blind_since_s > 0.9:
            self.faults.append("I5: a window moved while nobody knew the speed")
        command(path, value)

    def drive(self, device: Device, speed_kmh: float) -> None:
        device.car.set(SPEED, speed_kmh)
        fast = speed_kmh > 60
        device.fast_since_s = (device.fast_since_s or asyncio.get_running_loop().time()) if fast else None

    def blind(self, device: Device, blind: bool) -> None:
        """The databroker goes on answering, with values that nobody refreshes any more."""
        if blind == (device.blind_since_s is not None):
            return
        device.blind_since_s = asyncio.get_running_loop().time() if blind else None
        if blind:
            device.car._publish = lambda: None  # type: ignore[method-assign]
        else:
            del device.car._publish

    # --- the node -----------------------------------------------------------------------------------------------------

    async def crash_node(self) -> None:
        assert self.node is not None
        await self.node.die()
        self.crashes += 1
        self.node = Node(self, await_tasks=self.node.tasks)

    def utter(self, session: str, request: str) -> None:
        talk = request in ("yes", "no", "stop")
        words = request if talk else " + ".join(f"{piece} {SECRETS[session]}" for piece in request.split(" + "))
        self.utterances.append(Utterance(session, words, self.now()))
        self.hear(self.utterances[-1])

    def hear(self, utterance: Utterance) -> None:
        """For the first time, or once more: replayed by a resume, or by a stream that is read again."""
        assert self.node is not None
        session = self.node.sessions[utterance.session]
        if session.evidence.utterance_end(utterance.words, utterance.end) is None:
            session.evidence.observe_line("driver", utterance.words, Samples(max(0, utterance.end - 8_000)), utterance.end)
        text = f"<delegate>{utterance.words}</delegate>"
        session.harness.feed(text, utterance.end, utterance.words, "en", Provenance.DRIVER, True)

    def boundary(self, session: str, free: bool, quiet_ms: float) -> list[str]:
        assert self.node is not None
        harness = self.node.sessions[session].harness
        admitted = []
        for reply in harness.boundary(self.now(), free, quiet_ms):
            if harness.items[reply.work_id].capability == RECONCILE:
                self.found.append((session, reply.text))
            else:
                self.said.append((session, reply.work_id, reply.text))
            if reply.text.startswith("Send"):
                self.put.append((self.now(), session))
            admitted.append(reply.work_id)
            item = harness.items[reply.work_id]
            if "Done" in reply.text and item.outcome is not Outcome.COMPLETED:
                self.faults.append(f"I4: said {reply.text!r} of an item that is {item.execution.value}")
        return admitted


class Session:
    def __init__(
        self, world: World, name: str, journal: Journal, commits: GroupCommit, tasks: asyncio.TaskGroup, alive: Callable[[], bool]
    ) -> None:
        self.name, self.world, self.router, self.evidence = name, world, Words(), Evidence()
        device = world.devices[name]

        def send(body: DownlinkBody) -> None:
            if alive():
                world.downlink(device, body)

        def emit(event: HarnessEvent) -> None:
            if alive() and isinstance(event, WorkChanged):
                world.items[name][event.item.id] = event.item

        self.car = Car(name, send, world.now, world.now)
        self.car.present = True
        self.router.contexts = world.contexts[name]
        self.harness = Harness(
            name, _Skills(world, name), self.router, journal, self.car, LoopClock(), self.evidence, emit, world.now, commits=commits,
            device=f"car of {name}",
        )  # fmt: skip
        self.car.late = self.harness.reconcile
        self.task = tasks.create_task(self.harness.run())


class Node:
    """One life of the node's process."""

    def __init__(self, world: World, await_tasks: asyncio.TaskGroup) -> None:
        self.world, self.tasks, self.alive = world, await_tasks, True
        self.journal = Journal(world.folder / "journal.sqlite")
        commits = GroupCommit(self.journal, InlineExecutor())
        self.sessions = {name: Session(world, name, self.journal, commits, await_tasks, lambda: self.alive) for name in SECRETS}

    def take(self, name: str, body: UplinkBody) -> None:
        session = self.sessions[name]
        match body:
            case VehicleState():
                session.car.on_state(body)
                session.evidence.observe_signals(body.at, body.signals)
            case ActuationResult():
                session.car.on_result(body)

    async def die(self) -> None:
        """As kill -9: from this instant nothing is written and nothing is sent."""
        self.alive = False
        self.journal.close()
        for session in self.sessions.values():
            session.task.cancel()
        for session in self.sessions.values():
            with suppress(asyncio.CancelledError, BaseExceptionGroup):
                await session.task

    async def close(self) -> None:
        for session in self.sessions.values():
            await session.harness.close()
            await session.task
        self.journal.close()


class _Skills:
    """What the session's registry has. Every skill that acts says "Done" whatever came of it."""

    def __init__(self, world: World, session: str) -> None:
        async def write(call: Call, path: str, group: str, confirmation: Confirmation) -> Spoken:
            if isinstance(call.snapshot, Snapshot):
                world.snapshots[session].append(call.snapshot)
            await call.signals.actuate(
                [
                    SignalWrite(
                        path, float(str(call.arguments["n"])) if path == TEMPERATURE else int(float(str(call.arguments["n"])))
                    )
                ],
                group=group,
                confirmation=confirmation,
                confirm_within_ms=3_000,
            )
            return Spoken(f"Done: {call.arguments['n']} {call.arguments['who']}.")

        async def temperature(call: Call) -> Spoken:
            return await write(call, TEMPERATURE, "climate", Confirmation.NONE)

        async def window(call: Call) -> Spoken:
            return await write(call, WINDOW, "windows", Confirmation.SAID_BACK)

        async def both(call: Call) -> Spoken:
            await write(call, TEMPERATURE, "climate", Confirmation.NONE)
            return await write(call, WINDOW, "windows", Confirmation.SAID_BACK)

        async def boast(call: Call) -> Spoken:
            return Spoken(f"Done: I've opened the window for {call.arguments['who']}.")

        async def slowly(call: Call) -> Spoken:
            await call.clock.sleep_ms(1_500)
            return await write(call, TEMPERATURE, "climate", Confirmation.NONE)

        async def note(call: Call) -> Spoken:
            if call.confirmation is not Confirmation.EXPLICIT:
                return Spoken(f"Send {call.arguments['n']} {call.arguments['who']}?", Outcome.ASKS, "confirm")

            async def do(key: str) -> ActuationResult:
                await asyncio.sleep(0.3)
                world.notes.append((session, key))
                put = [at for at, name in world.put if name == session]
                if not any(
                    u.words == "yes" and u.session == session and u.end >= min(put, default=1 << 60) for u in world.utterances
                ):
                    world.faults.append("a note was sent and nobody said yes to a question that was put")
                return ActuationResult(key, ActuationState.CONFIRMED)

            await call.effects.perform("note:send", str(call.arguments["who"]), do)
            return Spoken(f"Done: sent {call.arguments['who']}.")

        async def look(call: Call) -> Spoken:
            await call.clock.sleep_ms(700)
            return Spoken(f"It is fine, {call.arguments['who']}.")

        known = [
            replace(lying_skill("temperature", temperature, (TEMPERATURE,)), group="climate"),
            replace(lying_skill("window", window, (WINDOW,)), group="windows"),
            replace(lying_skill("slowly", slowly, (TEMPERATURE,)), group="climate"),
            replace(lying_skill("both", both, (TEMPERATURE, WINDOW)), group="climate"),
            lying_skill("boast", boast),
            lying_skill("note", note, ("note:send",)),
            lying_skill("look", look),
        ]
        self.known = {one.name: one for one in known}

    def get(self, name: str) -> Skill | None:
        return self.known.get(name)


class _Listener(logging.Handler):
    def __init__(self, world: World) -> None:
        super().__init__(logging.DEBUG)
        self.world = world

    def emit(self, record: logging.LogRecord) -> None:
        self.world.logged.append(record.getMessage())


def live(world: World, script: Callable[[World, asyncio.TaskGroup], Awaitable[None]]) -> None:
    """The script on virtual time; at the end the node is closed in order."""

    async def main() -> None:
        async with asyncio.TaskGroup() as tasks:
            for device in world.devices.values():
                provider = device.car.broker._forward
                device.car.broker._forward = lambda path, value, device=device, provider=provider: world.told(
                    device, path, value, provider
                )
                device.task = tasks.create_task(device.car.run())
                cars.append(device.task)
                world.start_gateway(device, tasks)
            world.node = Node(world, tasks)
            await asyncio.sleep(1.5)
            for name, session in world.node.sessions.items():
                session.evidence.observe_frame(FrameId(1), world.now(), SECRETS[name].encode())
                session.evidence.observe_played(UtteranceId(1), SECRETS[name], world.now())
            await script(world, tasks)
            await world.node.close()
            for device in world.devices.values():
                assert device.task is not None
                device.task.cancel()
            for task in cars:
                task.cancel()

    cars: list[asyncio.Task[None]] = []
    listener, root = _Listener(world), logging.getLogger("ridealong")
    before = root.level
    root.addHandler(listener)
    root.setLevel(logging.DEBUG)
    try:
        run_virtual(main())
    finally:
        root.removeHandler(listener)
        root.setLevel(before)
