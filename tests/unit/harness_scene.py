"""A session's harness with a scripted router, skills that do what they are told, and a car that answers as it is told.

The words are the script: "wait 2000 | say Done." is a request whose skill sleeps and then speaks.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from ridealong.harness.dispatch import Converse
from ridealong.harness.harness import Harness, HarnessEvent, RequestRejected, WorkChanged
from ridealong.harness.journal import Journal
from ridealong.harness.observing import Observe, unobserved
from ridealong.harness.places import Places
from ridealong.harness.router import AskBack, Calls, ChitChat, Decision, Nothing
from ridealong.harness.runner import LoopClock
from ridealong.harness.skill import (
    Call,
    Confirmation,
    Context,
    Holds,
    Match,
    Motion,
    Outcome,
    Provenance,
    Skill,
    Spoken,
    Still,
    Verdict,
)
from ridealong.harness.snapshot import Evidence
from ridealong.proto.types import (
    ActuationResult,
    ActuationState,
    Precondition,
    Samples,
    SignalReading,
    SignalWrite,
    samples_from_ms,
)
from ridealong.simulators.virtual_time import run_virtual
from ridealong.vehicle_skills.policy import CarState, PolicyRequest, decide

TEMPERATURE = "Vehicle.Cabin.HVAC.Station.Row1.Driver.Temperature"


@dataclass
class FakeCar:
    """Answers each actuation with the next of `answers` after `delay_ms`; keeps what was sent."""

    answers: list[ActuationState] = field(default_factory=list)
    delay_ms: float = 100
    sent: list[tuple[str, tuple[SignalWrite, ...]]] = field(default_factory=list)
    values: dict[str, object] = field(default_factory=dict)
    preconditions: list[tuple[Precondition, ...]] = field(default_factory=list)
    before_sending: Callable[[str], None] = lambda key: None

    def read(self, path: str) -> SignalReading | None:
        return SignalReading(path, self.values[path]) if path in self.values else None  # type: ignore[arg-type]

    def check(self, group: str, confirmation: Confirmation, provenance: Provenance, tier: Motion) -> Verdict:
        return Verdict(True)

    async def actuate(
        self,
        key: str,
        provenance: Provenance,
        writes: Sequence[SignalWrite],
        *,
        group: str,
        confirmation: Confirmation,
        confirm_within_ms: int,
        tier: Motion,
        preconditions: tuple[Precondition, ...] = (),
        requested_at: Samples | None = None,
    ) -> ActuationResult:
        self.before_sending(key)
        self.preconditions.append(preconditions)
        self.sent.append((key, tuple(writes)))
        await asyncio.sleep(self.delay_ms / 1000)
        state = self.answers.pop(0) if self.answers else ActuationState.CONFIRMED
        return ActuationResult(key, state, "moving" if state is ActuationState.REFUSED else "")

    def device_now(self) -> Samples:
        return samples_from_ms(asyncio.get_running_loop().time() * 1000)

    def can_halt(self, writes: Sequence[SignalWrite]) -> bool:
        return False

    async def halt(self, key: str, of: str, provenance: Provenance, requested_at: Samples) -> ActuationResult:
        raise AssertionError("nothing here travels")


class PolicyCar(FakeCar):
    """With the product's policy; what it confirms, it shows."""

    def read(self, path: str) -> SignalReading | None:
        return SignalReading(path, self.values[path], 0) if path in self.values else None  # type: ignore[arg-type]

    def check(self, group: str, confirmation: Confirmation, provenance: Provenance, tier: Motion) -> Verdict:
        return decide(PolicyRequest(group, provenance, CarState.read(self.read), confirmation, tier=tier))

    async def actuate(self, key: str, provenance: Provenance, writes: Sequence[SignalWrite], **how: Any) -> ActuationResult:
        result = await super().actuate(key, provenance, writes, **how)
        if result.state is ActuationState.CONFIRMED:
            self.values.update({write.path: write.value for write in writes})
        return result

    @property
    def paths(self) -> list[str]:
        """Of the first write of each request, in order."""
        return [writes[0].path for _, writes in self.sent]


async def obey(call: Call) -> Spoken:
    """Does what the request says, step by step."""
    for step in call.request.partition(":")[2].split("|"):
        word, _, rest = step.strip().partition(" ")
        match word:
            case "wait":
                await call.clock.sleep_ms(float(rest))
            case "say":
                return Spoken(rest)
            case "hold":
                path, _, value = rest.partition("=")
                return Spoken("So it is.", holds=Holds(still=(Still(path, float(value), 0.5),)))
            case "raise":
                raise RuntimeError("the provider's own words")
            case "read":
                call.signals.read(rest)
            case "refuse":
                return Spoken(rest, Outcome.REFUSED, "moving")
            case "ask":
                return Spoken(rest, Outcome.ASKS, "confirm")
            case "write":
                path, _, value = rest.partition("=")
                confirmation = Confirmation.EXPLICIT if path == "explicit" else Confirmation.NONE
                await call.signals.actuate(
                    [SignalWrite(TEMPERATURE if path == "explicit" else path, float(value))],
                    group="climate",
                    confirmation=confirmation,
                )
            case "" if not rest:
                return Spoken(call.confirmation.value)
            case _:
                raise AssertionError(step)
    return Spoken("")


def skill(name: str, *, actuates: tuple[str, ...] = (), timeout_ms: int = 15_000) -> Skill:
    return Skill(
        name, name, obey, lambda text, locale, context: None, "climate", {}, {}, actuates=actuates, timeout_ms=timeout_ms
    )


class Skills:
    def __init__(self) -> None:
        known = (
            skill("look"),
            skill("act", actuates=("Vehicle.Cabin.HVAC.Station.Row1.*.Temperature",)),
            skill("short", timeout_ms=1_000),
        )
        self.known = {one.name: one for one in known}

    def get(self, name: str) -> Skill | None:
        return self.known.get(name)


class ScriptedRouter:
    """ "act: …" calls the skill act, "look+then act: …" two of which the second needs the first; "revise act: …" takes an argument from the
    context; other first words as below."""

    def __init__(self) -> None:
        self.contexts: list[Context] = []
        self.stops: set[str] = set()

    def decide(self, text: str, locale: str, context: Context, provenance: Provenance) -> Decision:
        self.contexts.append(context)
        if text == "crash":
            raise KeyError("router")
        if text in self.stops:
            return Nothing("stop")
        if text in ("stop", "negated"):
            return Nothing(text)
        if text.startswith("nothing:"):
            return Nothing(text.split()[1])
        if text == "hello":
            return ChitChat("greeting")
        if text.startswith("general"):
            return ChitChat("general")
        if text == "yes":
            return Calls((Match(context.recent[0].capability, 1.0, {}),))
        if text.startswith("which"):
            return AskBack("Which window?", Match("act", 0.9, {}, missing=("zone",)))
        revises = text.startswith("revise ")
        grounds = {"zone": "context:driver"} if revises else {"zone": "driver"}
        names = text.removeprefix("revise ").partition(":")[0].split("+")
        zone = "passenger" if "passenger" in text else "driver"
        after = [tuple(range(n)) if name.startswith("then ") else () for n, name in enumerate(names)]
        names = [name.removeprefix("then ") for name in names]
        return Calls(tuple(Match(name, 1.0, {"zone": zone, "n": n}, grounds, after=after[n]) for n, name in enumerate(names)))


class Scene:
    """`at` seconds are the loop's time and the device's clock alike."""

    def __init__(
        self,
        folder: Path,
        *,
        converse: Converse | None = None,
        session: str = "s",
        observe: Observe = unobserved,
        places: Places | None = None,
        device: str = "d1",
        cut_off: str = "",
        busy: Callable[[float, float], float] = lambda from_s, to_s: 0.0,
    ) -> None:
        self.events: list[HarnessEvent] = []
        self.loaded = False
        self.car, self.router, self.skills, self.evidence = FakeCar(), ScriptedRouter(), Skills(), Evidence()
        self.journal = Journal(folder / "journal.sqlite", wrote=observe)
        self.harness = Harness(
            session, self.skills, self.router, self.journal, self.car, LoopClock(), self.evidence, self.events.append, self.now, converse=converse,
            observe=observe, places=places, loaded=lambda: self.loaded, device=device, cut_off=cut_off, busy=busy,
        )  # fmt: skip

    def now(self) -> Samples:
        return samples_from_ms(asyncio.get_running_loop().time() * 1000)

    def ask(self, request: str, *, provenance: Provenance = Provenance.DRIVER, locale: str = "en") -> str:
        """ "look: say x" asks for the skill look, which then obeys "say x"; "yes" says how it was confirmed."""
        return self.harness.feed(f"<delegate>{request}</delegate>", self.now(), request, locale, provenance, True)

    def boundary(self, *, free: bool = True, quiet_ms: float = 5_000) -> list[str]:
        return [f"{reply.work_id}: {reply.text}" for reply in self.harness.boundary(self.now(), free, quiet_ms)]

    def played(self, work_id: str, state: str, heard: str = "") -> None:
        self.harness.playback(work_id, state, heard, self.now())

    def states(self) -> dict[str, str]:
        return {id[len("s-") :]: f"{item.execution.value}/{item.delivery.value}" for id, item in self.harness.items.items()}

    def rejected(self) -> list[str]:
        return [event.reason for event in self.events if isinstance(event, RequestRejected)]

    def history(self, work_id: str) -> list[str]:
        """The item's states in order, as emitted."""
        return [
            f"{e.item.execution.value}/{e.item.delivery.value}"
            for e in self.events
            if isinstance(e, WorkChanged) and e.item.id == work_id
        ]


SomeScene = TypeVar("SomeScene", bound="Scene")


def play(scene: SomeScene, script: Callable[[SomeScene], Awaitable[None]]) -> None:
    """Run the script beside the harness on virtual time, then end the session and close the journal."""

    async def both() -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(scene.harness.run())
            await asyncio.sleep(0)
            try:
                await script(scene)
            finally:
                await scene.harness.close()

    try:
        run_virtual(both())
    finally:
        scene.journal.close()
