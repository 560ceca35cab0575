"""`ridealong skills serve`: every skill as a tool of an MCP server on standard input and output, with a car behind it.

    ridealong skills serve                                  # a simulated car, parked; reads only
    ridealong skills serve --broker 127.0.0.1:55555 --vehicle car.yaml --as typed

A call goes the way of any request: schema, contract, guards, the journal, the car's own gateway with its policy. Nobody's voice is behind it: by default it may
read and nothing else; `--as typed` lets it act as if somebody had typed it. What needs an explicit yes is refused: no program can give one for a person.
Needs the extra `mcp`. Does not know words, routers, or who connects.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

from ridealong.cloud.config import CloudConfig, load_config
from ridealong.cloud.outside import outside_skills
from ridealong.cloud.vehicle import Car
from ridealong.command import Command
from ridealong.device.vehicle.gateway import Gateway, GatewaySettings
from ridealong.errors import UserError
from ridealong.harness import work
from ridealong.harness.journal import Journal, Recorded
from ridealong.harness.port import GuardedPort
from ridealong.harness.registry import Registry, argument_problems
from ridealong.harness.runner import Job, LoopClock
from ridealong.harness.sentences import sentence
from ridealong.harness.skill import OURS, Call, Confirmation, Outcome, Provenance, Skill
from ridealong.harness.work import WorkEvent, WorkItem
from ridealong.proto.types import (
    Actuate,
    ActuationResult,
    DownlinkBody,
    Samples,
    SignalWrite,
    UplinkBody,
    VehicleState,
    samples_from_ms,
)
from ridealong.scratch import scratch
from ridealong.simulators.car.car import SimCar
from ridealong.vehicle_skills.builtin import builtin_registry
from ridealong.vehicle_skills.mapping import AS_IN_VSS_6
from ridealong.vehicle_skills.vehicle_file import open_broker, read_vehicle

LIVE_WITHIN_S: Final = 5.0
SESSION: Final = "mcp"


@dataclass(frozen=True, slots=True)
class Answer:
    """What a tool says. `failed`: nothing was done, or it is not known what was."""

    text: str
    failed: bool = False


class Desk:
    """Runs a skill for whoever asks by name and arguments. One car, one journal."""

    def __init__(self, registry: Registry, car: Car, journal: Journal, provenance: Provenance, locale: str) -> None:
        self._registry, self._car, self._journal = registry, car, journal
        self._provenance, self._locale = provenance, locale
        self._calls = 0

    @property
    def skills(self) -> Sequence[Skill]:
        """Those that make sense without a conversation."""
        return [skill for skill in self._registry if skill.group not in OURS]

    async def call(self, name: str, arguments: Mapping[str, object]) -> Answer:
        """Never raises for what a caller or a skill does."""
        skill = next((one for one in self.skills if one.name == name), None)
        if skill is None:
            return Answer(f"There is no tool {name[:64]!r}.", failed=True)
        if problems := argument_problems(skill.arguments_schema, arguments):
            return Answer(f"The arguments don't fit: {'; '.join(problems)}.", failed=True)
        item = WorkItem(
            uuid4().hex,
            SESSION,
            name,
            "",
            self._locale,
            self._provenance,
            name,
            dict(arguments),
            "",
            uuid4().hex,
            self._car.now(),
        )
        self._journal.append([Recorded(item)])
        item = self._step(item, work.Start(self._car.now()))
        job = Job(item.id, skill)
        port = GuardedPort(self._car, job, self._provenance, Confirmation.NONE, self._intend, self._resulted)
        call = Call(job.id, name, "", self._locale, self._provenance, arguments, port, LoopClock(), effects=port)
        answer = await self._ran(skill, call, port)
        end = work.Fail if answer.failed else work.Complete
        for event in (end(self._car.now(), answer.text), work.Offer(self._car.now()), work.Admit(self._car.now())):
            item = self._step(item, event)
        self._step(item, work.Played(self._car.now(), answer.text))
        return answer

    async def _ran(self, skill: Skill, call: Call, port: GuardedPort) -> Answer:
        try:
            async with asyncio.timeout(skill.timeout_ms / 1000):
                spoken = await skill.run(call)
        except TimeoutError:
            return Answer(sentence("unknown" if port.uncertain else "timeout", self._locale), failed=True)
        except Exception as error:  # a skill may raise anything; its text is nobody's business
            print(f"ridealong skills: {skill.name} raised {type(error).__name__}", file=sys.stderr)
            return Answer(sentence("unknown" if port.uncertain else "failed", self._locale), failed=True)
        if spoken.outcome is Outcome.COMPLETED and port.contradiction is not None:
            return Answer(sentence("unknown" if port.contradiction is Outcome.UNKNOWN else "failed", self._locale), failed=True)
        return Answer(spoken.text, failed=spoken.outcome is not Outcome.COMPLETED)

    def _step(self, item: WorkItem, event: WorkEvent) -> WorkItem:
        """The client has the answer as it leaves: that is its delivery."""
        after = work.step(item, event)
        self._journal.append([Recorded(after, event, item)])
        return after

    async def _intend(self, work_id: str, key: str, writes: Sequence[SignalWrite]) -> bool:
        try:
            await asyncio.to_thread(self._journal.record_intent, key, work_id, tuple(writes), self._car.now())
        except Exception as error:  # the disk is full, or gone
            print(f"ridealong skills: the journal takes nothing ({type(error).__name__})", file=sys.stderr)
            return False
        return True

    def _resulted(self, key: str, result: ActuationResult) -> None:
        self._journal.record_result(key, result, self._car.now())


async def serve(options: argparse.Namespace, config: CloudConfig) -> None:
    """Until the client goes."""
    from mcp.server.stdio import stdio_server

    from ridealong.simulators.skills_stdio import answered

    loop = asyncio.get_running_loop()

    def now() -> Samples:
        return samples_from_ms(loop.time() * 1000)

    async with AsyncExitStack() as stack:
        folder = stack.enter_context(scratch("ridealong-skills-"))
        journal = Journal(options.journal or folder / "work.sqlite")
        stack.callback(journal.close)
        vehicle = read_vehicle(options.vehicle) if options.vehicle is not None else None
        tasks: list[asyncio.Task[None]] = []
        if options.broker or (vehicle is not None and vehicle.can is not None):
            broker = open_broker(options.broker or "", vehicle)
            stack.push_async_callback(broker.close)
        else:
            simulated = SimCar()
            broker = simulated.broker
            tasks.append(loop.create_task(simulated.run()))

        def up(body: UplinkBody) -> None:
            if isinstance(body, VehicleState):
                car.on_state(body)
            elif isinstance(body, ActuationResult):
                car.on_result(body)

        def down(body: DownlinkBody) -> None:
            assert isinstance(body, Actuate)
            gateway.on_actuate(body)

        wanted = GatewaySettings(mapping=vehicle.mapping if vehicle is not None and not vehicle.can else AS_IN_VSS_6)
        gateway = Gateway(broker, up, now, options.ledger, wanted)
        car = Car("mcp", down, now, now)
        tasks.append(loop.create_task(gateway.run()))
        stack.callback(lambda: [task.cancel() for task in tasks])
        registry = builtin_registry()
        for skill in await stack.enter_async_context(outside_skills(config.packages, [one.name for one in registry])):
            registry.register(skill)
        try:
            async with asyncio.timeout(LIVE_WITHIN_S):
                while not car.present:  # noqa: ASYNC110
                    await asyncio.sleep(0.02)
        except TimeoutError:
            print("ridealong skills: no car answers yet; tools will say so.", file=sys.stderr)
        server = tools_server(Desk(registry, car, journal, Provenance(options.by), options.lang))
        async with stdio_server() as streams, answered(*streams) as (reads, writes):
            await server.run(reads, writes, server.create_initialization_options())


def tools_server(desk: Desk) -> Any:
    """An MCP server, of the official SDK, whose tools are the desk's skills."""
    from mcp import types
    from mcp.server.lowlevel import Server

    from ridealong import __version__

    async def list_tools(context: Any, params: Any) -> Any:
        return types.ListToolsResult(
            tools=[
                types.Tool(
                    name=skill.name,
                    description=skill.description,
                    input_schema=dict(skill.arguments_schema),
                    annotations=types.ToolAnnotations(
                        read_only_hint=skill.read_only,
                        destructive_hint=not skill.read_only,
                        idempotent_hint=skill.idempotent,
                        open_world_hint=False,
                    ),
                )
                for skill in desk.skills
            ]
        )

    async def call_tool(context: Any, params: Any) -> Any:
        answer = await desk.call(params.name, params.arguments or {})
        return types.CallToolResult(content=[types.TextContent(type="text", text=answer.text)], is_error=answer.failed)

    return Server("ridealong", version=__version__, on_list_tools=list_tools, on_call_tool=call_tool)


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--broker", metavar="HOST:PORT", help="the databroker of a car (default: a simulated car)")
    parser.add_argument("--vehicle", type=Path, metavar="FILE", help="the vehicle file of this model of car")
    parser.add_argument("--config", type=Path, help="the node's YAML file, for packages of skills from outside")
    parser.add_argument(
        "--as", dest="by", choices=("unknown", "typed"), default="unknown", help="who is taken to ask (default: may only read)"
    )
    parser.add_argument("--lang", choices=("en", "zh"), default="en", help="the language of the answers")
    parser.add_argument(
        "--journal", type=Path, help="SQLite file that intents and results are kept in (default: for this run only)"
    )
    parser.add_argument("--ledger", type=Path, help="where keys that were applied to the car are kept")


def _run(options: argparse.Namespace) -> int:
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")
    try:
        import mcp.server  # noqa: F401
    except ModuleNotFoundError as error:
        raise UserError(
            f"`ridealong skills serve` needs the package {error.name!r}: install it with  pip install 'ridealong[sim,mcp]'."
        ) from error
    config = load_config(options.config, dict(os.environ), {}).value
    asyncio.run(serve(options, config))
    return 0


SERVE: Final = Command("Serve the skills as tools of an MCP server on standard input and output.", _configure, _run)
