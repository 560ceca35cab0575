"""The ways in which every backend is down: skills that fail, hang or are gone, a car without a databroker, dead tools, no language model.

Each gives what a session is made of. Skills that steer the conversation itself (saying its last words again, its own work) are no
backends and stay as they are. Nothing here answers anything; where a car answers, it is the product's own port with nobody behind it.
Does not know what is asked or said.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from ridealong.cloud.vehicle import Car
from ridealong.harness.agent.agent import Agent
from ridealong.harness.agent.endpoint import Endpoint
from ridealong.harness.agent.grounding import Cabin
from ridealong.harness.dispatch import Converse, Talked
from ridealong.harness.mcp.answers import Answer, Lost, NotSent, Rejected
from ridealong.harness.mcp.config import McpServer
from ridealong.harness.mcp.contracts import Described, listing
from ridealong.harness.mcp.servers import describe
from ridealong.harness.port import CarPort
from ridealong.harness.registry import Registry
from ridealong.harness.skill import TALK, WORK, Call, Confirmation, Motion, Outcome, Provenance, Skill, Spoken, Verdict
from ridealong.proto.types import ActuationResult, ActuationState, Samples, SignalReading, SignalValue, SignalWrite, VehicleState
from ridealong.simulators.evaluation.delegation.utterances import Utterance
from ridealong.simulators.virtual_time import InlineExecutor
from ridealong.vehicle_skills import signals as vss
from ridealong.vehicle_skills.builtin import builtin_registry
from ridealong.vehicle_skills.car import drive_side, temperature_unit
from ridealong.vehicle_skills.pretended import car_at

ERRORS: Final = (ConnectionRefusedError, TimeoutError, RuntimeError, OSError, KeyError)
UNREACHABLE: Final = "http://127.0.0.1:9/v1"
"""The discard port: nobody listens."""
CAR_GROUPS: Final = frozenset({"climate", "windows", "trunk", "navigation", "status"})
SEARCHES: Final = frozenset({"navigation.charging_search", "navigation.where_is"})
"""They ask the bundled stand-in of a search service, which is down too."""
ANSWERS: Final[tuple[Answer, ...]] = (Lost(), NotSent("unreachable"), NotSent("busy"), Rejected())


@dataclass(frozen=True, slots=True)
class Backends:
    """What one session has. `known`: what its router chooses from; `runs`: what its harness finds."""

    known: Registry
    runs: Registry
    car: CarPort
    agent: Agent | None = None
    converse: Converse | None = None


Fault = Callable[[Utterance, Callable[[], Samples]], Backends]
"""(what will be asked, device time) -> the backends of that session, all of them down."""


def _is_backend(skill: Skill) -> bool:
    return skill.group not in (TALK, WORK)


def _with(run: Callable[[Skill, Call], Any], skills: Iterable[Skill] | None = None) -> Registry:
    """The built-in skills, every backend run by `run` instead."""

    def instead(skill: Skill) -> Skill:
        async def runs(call: Call) -> Any:
            return await run(skill, call)

        return replace(skill, run=runs) if _is_backend(skill) else skill

    return Registry(instead(skill) for skill in (builtin_registry() if skills is None else skills))


async def _raise(skill: Skill, call: Call) -> Spoken:
    raise ERRORS[len(skill.name) % len(ERRORS)]("the backend's own words: it is 21 degrees")


async def _hang(skill: Skill, call: Call) -> Spoken:
    await call.clock.sleep_ms(1e12)
    return Spoken("late")


async def _rubbish(skill: Skill, call: Call) -> Any:
    return {"speech": "it is 21 degrees"} if len(skill.name) % 2 else Spoken("")


async def _refuse(skill: Skill, call: Call) -> Spoken:
    return Spoken("", Outcome.REFUSED, "disabled")


class NoCar:
    """A session's car that nobody is behind."""

    def __init__(self, now: Callable[[], Samples]) -> None:
        self._car = Car("probe", lambda body: None, now, now)

    def read(self, path: str) -> SignalReading | None:
        return self._car.read(path)

    def check(self, group: str, confirmation: Confirmation, provenance: Provenance, tier: Motion) -> Verdict:
        return self._car.check(group, confirmation, provenance, tier)

    async def actuate(self, key: str, provenance: Provenance, writes: Sequence[SignalWrite], **how: Any) -> ActuationResult:
        return await self._car.actuate(key, provenance, writes, **how)

    def device_now(self) -> Samples:
        return self._car.device_now()

    def can_halt(self, writes: Sequence[SignalWrite]) -> bool:
        return self._car.can_halt(writes)

    async def halt(self, key: str, of: str, provenance: Provenance, requested_at: Samples) -> ActuationResult:
        return await self._car.halt(key, of, provenance, requested_at)


class SilentCar(NoCar):
    """It says that it is parked, and nothing else; what it is asked to do, it never answers."""

    def __init__(self, now: Callable[[], Samples]) -> None:
        super().__init__(now)
        self._car.on_state(VehicleState(now(), tuple(SignalReading(path, value) for path, value in _parked().items())))


class ContraryCar(SilentCar):
    """It answers that it did something else, that it did not, or too late."""

    STATES = (ActuationState.CONTRADICTED, ActuationState.REFUSED, ActuationState.TIMED_OUT)

    async def actuate(self, key: str, provenance: Provenance, writes: Sequence[SignalWrite], **how: Any) -> ActuationResult:
        await asyncio.sleep(0.3)
        return ActuationResult(key, self.STATES[len(writes[0].path) % 3], "broker_down")


class WorkingCar(NoCar):
    """It does what it is told: for counting acts that a question led to."""

    def __init__(self, now: Callable[[], Samples]) -> None:
        super().__init__(now)
        self._car.on_state(VehicleState(now(), tuple(SignalReading(path, value) for path, value in car_at(0.0).items())))

    async def actuate(self, key: str, provenance: Provenance, writes: Sequence[SignalWrite], **how: Any) -> ActuationResult:
        await asyncio.sleep(0.3)
        return ActuationResult(key, ActuationState.CONFIRMED, observed=tuple(SignalReading(w.path, w.value) for w in writes))


def _parked() -> dict[str, SignalValue]:
    """What the motion policy needs to let things through."""
    parked = car_at(0.0)
    return {path: parked[path] for path in (vss.SPEED, vss.SELECTED_GEAR, vss.PARKING_BRAKE, vss.IGNITION, vss.DRIVER_POSITION)}


def _car_skills(readers: bool) -> Registry:
    """Skills of the car as they are; others fail. `readers`: also those that only read it."""
    down = _with(_raise)

    def real(skill: Skill) -> bool:
        return skill.group in CAR_GROUPS and skill.name not in SEARCHES and (readers or not skill.read_only)

    return Registry(skill if real(skill) else down.get(skill.name) or skill for skill in builtin_registry())


def raises(asked: Utterance, now: Callable[[], Samples]) -> Backends:
    down = _with(_raise)
    return Backends(down, down, NoCar(now))


def hangs(asked: Utterance, now: Callable[[], Samples]) -> Backends:
    down = _with(_hang)
    return Backends(down, down, SilentCar(now))


def rubbish(asked: Utterance, now: Callable[[], Samples]) -> Backends:
    down = _with(_rubbish)
    return Backends(down, down, NoCar(now))


def refuses(asked: Utterance, now: Callable[[], Samples]) -> Backends:
    down = _with(_refuse)
    return Backends(down, down, SilentCar(now))


def disabled(asked: Utterance, now: Callable[[], Samples]) -> Backends:
    left = Registry(skill for skill in builtin_registry() if not _is_backend(skill))
    return Backends(left, left, SilentCar(now))


def gone(asked: Utterance, now: Callable[[], Samples]) -> Backends:
    """Chosen, and gone when it should run."""
    return Backends(builtin_registry(), Registry(), SilentCar(now))


def no_databroker(asked: Utterance, now: Callable[[], Samples]) -> Backends:
    real = _car_skills(readers=True)
    return Backends(real, real, NoCar(now))


def silent_car(asked: Utterance, now: Callable[[], Samples]) -> Backends:
    real = _car_skills(readers=False)
    return Backends(real, real, SilentCar(now))


def contrary_car(asked: Utterance, now: Callable[[], Samples]) -> Backends:
    real = _car_skills(readers=False)
    return Backends(real, real, ContraryCar(now))


def dead_tools(asked: Utterance, now: Callable[[], Samples]) -> Backends:
    """Tools of a server that died know these very words; a question's only read, the others act."""

    async def ask(tool: str, arguments: object, key: str) -> Answer:
        return ANSWERS[len(asked.text) % len(ANSWERS)]

    tool = "look" if asked.asks else "act"
    server = McpServer("house", "x", read_only=("look",) if asked.asks else (), examples={tool: (asked.text,)})
    nothing = {"type": "object", "properties": {}, "required": []}
    tools = describe(server, listing(server.name, [Described(tool, "Do it.", nothing)]), ask).skills
    down = Registry([*tools, *_with(_raise)])
    return Backends(down, down, NoCar(now))


def no_model(asked: Utterance, now: Callable[[], Samples]) -> Backends:
    down = _with(_raise)
    agent = Agent(lambda: down, Endpoint(UNREACHABLE, "none"), InlineExecutor(), cabin=Cabin(temperature_unit, drive_side))
    return Backends(down, down, NoCar(now), agent=agent)


def no_talker(asked: Utterance, now: Callable[[], Samples]) -> Backends:
    async def converse(text: str, locale: str, before: Talked) -> str:
        raise ConnectionResetError("the endpoint's own words: it is 21 degrees")

    down = _with(_raise)
    return Backends(down, down, NoCar(now), converse=converse)


def working(asked: Utterance, now: Callable[[], Samples]) -> Backends:
    """No fault: everything does as it is told."""
    return Backends(builtin_registry(), builtin_registry(), WorkingCar(now))


FAULTS: Final[dict[str, Fault]] = {
    "skills raise": raises, "skills hang": hangs, "skills return rubbish": rubbish, "skills refuse": refuses,
    "skills are disabled": disabled, "skills are gone": gone, "no databroker": no_databroker, "the car is silent": silent_car,
    "the car does otherwise": contrary_car, "the tools' server is dead": dead_tools, "no language model": no_model,
    "chat endpoint down": no_talker,
}  # fmt: skip
