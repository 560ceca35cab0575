"""The cloud node: joins front-end, harness, car and server. The only place in `cloud/` that knows them all.

`build_node` makes a node without a server (a fast replay serves its directory over an in-memory link); SERVE runs one over gRPC until
SIGINT or SIGTERM, then drains.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import os
import signal
import sys
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import yaml

from ridealong import garbage
from ridealong.cloud.audit import Audit
from ridealong.cloud.busy import Busy
from ridealong.cloud.config import CloudConfig, FrontEndKind, LanguageModel, PhoneSettings, load_config
from ridealong.cloud.directory import Directory
from ridealong.cloud.frontends.base import FrontEnd
from ridealong.cloud.frontends.cascade.models import ModelCache
from ridealong.cloud.frontends.scripted import Line, ScriptedFrontEnd, script_from
from ridealong.cloud.glasses import forget_pictures, memory_of, sights_of
from ridealong.cloud.lacking import lacking, no_key
from ridealong.cloud.outside import outside_skills
from ridealong.cloud.reminding import Reminding
from ridealong.cloud.seeing.eyes import NodeEyes
from ridealong.cloud.seeing.text import LazyReader
from ridealong.cloud.session import SessionActor
from ridealong.cloud.telemetry.telemetry import Telemetry, open_telemetry
from ridealong.cloud.vehicle import Car
from ridealong.cloud.watching.watching import Watching
from ridealong.command import Command
from ridealong.errors import UserError
from ridealong.harness.agent.agent import Agent
from ridealong.harness.agent.endpoint import Endpoint, Transport
from ridealong.harness.agent.grounding import Cabin
from ridealong.harness.daytime import Daytime, NodeDaytime
from ridealong.harness.dispatch import Routes
from ridealong.harness.group_commit import GroupCommit
from ridealong.harness.harness import Harness, HarnessEvent, WorkChanged
from ridealong.harness.journal import Journal
from ridealong.harness.journal_file import default_path
from ridealong.harness.mcp.servers import McpServers
from ridealong.harness.memory_file import MemoryFile
from ridealong.harness.observing import Observe, unobserved
from ridealong.harness.openai_compatible import ChatEndpoint
from ridealong.harness.places import Places
from ridealong.harness.registry import Registry
from ridealong.harness.reminder_store import ReminderStore, beside
from ridealong.harness.router import Router
from ridealong.harness.runner import LoopClock
from ridealong.harness.sentences import sentence
from ridealong.harness.skill import Provenance, Skill
from ridealong.harness.tagged import Tags, untagged
from ridealong.harness.tagged_router import TaggedRouter
from ridealong.proto.types import DownlinkBody, Hello, Seq
from ridealong.settings import describe
from ridealong.vehicle_skills.builtin import builtin_registry
from ridealong.vehicle_skills.car import drive_side, temperature_unit
from ridealong.vehicle_skills.navigation.choosing import geocoder_of
from ridealong.vehicle_skills.phone.contacts import NOBODY, read_contacts
from ridealong.vehicle_skills.phone.dialling import dialer_of
from ridealong.vehicle_skills.phone.skill import Phone
from ridealong.vehicle_skills.vehicle_file import admit_from
from ridealong.vehicle_skills.watching.plan import CarSignals
from ridealong.yaml_file import mistake, read_yaml

if TYPE_CHECKING:
    from ridealong.cloud.config import FrontEnd as FrontEndSettings
    from ridealong.cloud.frontends.cascade.assembly import RouterOpinion
    from ridealong.cloud.frontends.cascade.frontend import Models, Observation
    from ridealong.cloud.model.plain_io import Hosted

    Assemble = Callable[[FrontEndSettings, Router], tuple[Models, RouterOpinion]]

log = logging.getLogger("ridealong.cloud")
SPEAKERS = {"car": Provenance.DRIVER, "glasses": Provenance.WEARER}
"""Who is taken to speak into a device's own microphone, until a SpeakerHint says otherwise."""
RUNNING = 64
"""Executions at a time on the node, handed round among its sessions."""
ASKING_THREADS = 8
"""Requests to a language model at a time; each waits for at most its own time limit."""
VENUS_FLAGS = {
    "device": "cpu, cuda or cuda:N", "dtype": "auto, bfloat16, float16 or float32", "slots": "sessions at a time",
    "window": "rows of context a session", "window_mode": "live, basic, context or off", "preset": "hub, demo or venus",
}  # fmt: skip
LOCALES = ("en", "zh")
"""A device's locale that makes one language likelier; either is understood all the same."""


@dataclass(slots=True)
class Node:
    """`executor` runs front-ends, `models_executor` recognition and synthesis, `asking_executor` waits for a language model. `actors` is
    for inspection."""

    config: CloudConfig
    executor: Executor
    models_executor: Executor
    asking_executor: Executor
    journal: Journal
    commits: GroupCommit
    registry: Registry
    router: Routes
    make_front_end: Callable[[SessionActor, Harness], FrontEnd]
    eyes: LazyReader
    memory: MemoryFile | None
    mcp: McpServers
    """Servers of others; they run only within `mcp.running()`, never in a replay."""
    reminders: ReminderStore
    daytime: Daytime
    observer: Observe = unobserved
    model: Hosted | None = None
    """Of the venus front-end."""
    audit: Audit | None = None
    directory: Directory = field(init=False)
    actors: dict[str, SessionActor] = field(default_factory=dict)
    places: Places = field(default_factory=lambda: Places(RUNNING))
    busy: Busy = field(default_factory=Busy)

    def actor(
        self, hello: Hello, session_id: str, send: Callable[[DownlinkBody], None], commit: Callable[[Seq], None]
    ) -> SessionActor:
        """The directory's factory: one session with all its parts."""
        speaker = SPEAKERS.get(hello.device_kind, Provenance.UNKNOWN)
        self.busy.begin()
        locale = hello.locale if hello.locale in LOCALES else ""
        actor = SessionActor(session_id, send, commit, self.executor, speaker, locale, self.busy.between, self.observer)
        car = Car(session_id, send, actor.now, actor.device_now, busy=self.busy.stood_still)
        if (audit := self.audit) is not None:
            car.judged = lambda asked, verdict: audit.verdict(session_id, asked, verdict, actor.device_now())
        reminding = Reminding(self.reminders, hello.device_id, self.daytime)

        def on_harness(event: HarnessEvent) -> None:
            if isinstance(event, WorkChanged):
                reminding.on_work(event.item)
            actor.on_harness(event)

        watching = Watching(
            actor.now, car.read, lambda *said: harness.announce(*said), lambda *which: harness.withdraw(*which), CarSignals(), self.eyes,
            self.models_executor,
        )  # fmt: skip
        endpoint = self.config.language_model
        where = Endpoint(endpoint.base_url, endpoint.model, endpoint.api_key_env, endpoint.request_ms)
        converse = ChatEndpoint(Transport(where, self.asking_executor, self.observer), LoopClock()).answer
        harness = Harness(
            session_id, self.registry, self.router, self.journal, car, LoopClock(), actor.evidence, on_harness, actor.now,
            converse=converse if endpoint.base_url and not endpoint.tools else None, watches=watching, agent=self.agent(), commits=self.commits,
            observe=self.observer, places=self.places, loaded=car.loaded, device=hello.device_id,
            cut_off=self.directory.session_of(hello.resume_token) if hello.resume_token else "",
            busy=self.busy.stood_still, reminders=reminding,
            memory=self.memory.of(hello.device_id) if self.memory is not None else None,
        )  # fmt: skip
        car.late = harness.reconcile
        actor.consents.withdrawn = lambda source: forget_pictures(self.memory, self.models_executor, source, hello.device_id)
        actor.start(self.make_front_end(actor, harness), harness, car, watching)
        self.actors[session_id] = actor
        return actor

    def agent(self) -> Agent | None:
        """The loop between the language model and the skills; None where no model is set, or it only talks."""
        return agent_of(self.config.language_model, self.registry, self.asking_executor, self.observer)

    async def close(self, reason: str = "the node stopped") -> None:
        await self.directory.close(reason)
        if self.model is not None:
            await asyncio.get_running_loop().run_in_executor(None, self.model.stop)
        self.busy.end()
        self.commits.close()
        self.reminders.close()
        self.journal.close()
        if self.memory is not None:
            self.memory.close()


def build_node(
    config: CloudConfig,
    *,
    executor: Executor,
    models_executor: Executor,
    mint: Callable[[], str] | None = None,
    assemble: Assemble | None = None,
    observe: Callable[[Observation], None] | None = None,
    skills: Sequence[Skill] = (),
    asking_executor: Executor | None = None,
    telemetry: Telemetry | None = None,
    daytime: Daytime | None = None,
) -> Node:
    """A node, ready to serve its directory. Loads the embedded models (cascade) unless `assemble` has them, raises UserError where one
    is missing. `mint` makes the names of sessions, which then are their tokens too. `observe`: told every judgement of the cascade. `skills`: registered besides the built-in ones. `asking_executor`: its own threads, so that a language
    model that hangs holds up no voice (default: `models_executor`). `telemetry`: is told of all work, from the journal's opening on. `daytime`: the time of day of its users (default: the node's)."""
    asking, telemetry, daytime = asking_executor or models_executor, telemetry or Telemetry(), daytime or NodeDaytime()
    eyes = LazyReader(ModelCache(config.frontend.models_folder), config.frontend.model_threads)
    look, sights = sights_of(config.language_model, NodeEyes(eyes, models_executor), asking, telemetry.observe)
    registry = builtin_registry(
        look, geocoder_of(config.navigation.geocoder, asking), phone_of(config.phone, asking), sights,
    )  # fmt: skip
    telemetry.names.registered = lambda name: registry.get(name) is not None
    for extra in skills:
        registry.register(extra)
    router = Router(registry)
    tags: Tags = untagged
    model: Hosted | None = None
    match config.frontend.kind:
        case FrontEndKind.CASCADE:
            make, tags = _cascade(config, router, models_executor, assemble, observe)
        case FrontEndKind.VENUS:
            model, make, tags = _venus(config, router, models_executor, assemble, observe, telemetry.observe)
        case FrontEndKind.SCRIPTED:
            make = _scripted(config, models_executor)
    journal = Journal(
        config.harness.journal or default_path(os.environ), keep_items=config.harness.journal_items, wrote=telemetry.observe
    )
    node = Node(
        config,
        executor,
        models_executor,
        asking,
        journal,
        GroupCommit(journal),
        registry,
        TaggedRouter(router, tags),
        make,
        eyes,
        memory_of(config, models_executor, daytime),
        McpServers(config.mcp_servers, registry, os.environ, telemetry.observe),
        ReminderStore(beside(journal.path)),
        daytime,
        telemetry.observe,
        model,
        Audit(config.harness.audit) if config.harness.audit is not None else None,
    )
    if mint is None:
        node.directory = Directory(node.actor, limit=config.server.max_sessions)
    else:
        node.directory = Directory(node.actor, limit=config.server.max_sessions, mint=mint, session_of=str)
    return node


def phone_of(settings: PhoneSettings, executor: Executor | None) -> Phone:
    """Raises UserError where the contacts can't be read."""
    contacts = read_contacts(settings.contacts) if settings.contacts is not None else NOBODY
    return Phone(contacts, dialer_of(settings.dial_url, settings.dial_command, executor))


def agent_of(
    settings: LanguageModel, skills: Iterable[Skill], executor: Executor | None, observe: Observe = unobserved
) -> Agent | None:
    """The agent that the settings describe; None without an endpoint, and where the model only talks."""
    if not settings.base_url or not settings.tools:
        return None
    endpoint = Endpoint(settings.base_url, settings.model, settings.api_key_env, settings.request_ms)
    cabin = Cabin(temperature_unit, drive_side)
    return Agent(lambda: skills, endpoint, executor, settings.answer_within_ms, settings.images, cabin, observe)


def tell_no_key(settings: LanguageModel) -> None:
    """Once, at the start: a missing key is no reason for a car to be without an assistant, but whoever started it should know."""
    if sentence := no_key(settings, os.environ):
        print(f"ridealong cloud: {sentence}", file=sys.stderr, flush=True)


def _scripted(config: CloudConfig, models_executor: Executor) -> Callable[[SessionActor, Harness], FrontEnd]:
    lines = read_script(config.frontend.script) if config.frontend.script else ()
    return lambda actor, harness: ScriptedFrontEnd(lines, models_executor, actor.wake)


def _cascade(
    config: CloudConfig,
    router: Router,
    models_executor: Executor,
    ready: Assemble | None,
    observe: Callable[[Observation], None] | None,
) -> tuple[Callable[[SessionActor, Harness], FrontEnd], Tags]:
    """What makes a session's front-end, and the tagger of requests."""
    from ridealong.cloud.frontends.cascade.assembly import listeners

    models, make = listeners(config.frontend, router, models_executor, ready, observe)
    for locale in ("en", "zh"):  # in the background: an acknowledgment has no time to be synthesised
        models_executor.submit(models.voice.clip, sentence("one_moment", locale), locale)
    return make, models.tagger or untagged


def _venus(
    config: CloudConfig,
    router: Router,
    models_executor: Executor,
    ready: Assemble | None,
    observe: Callable[[Observation], None] | None,
    told: Observe,
) -> tuple[Hosted, Callable[[SessionActor, Harness], FrontEnd], Tags]:
    """The 9B model, what makes a session's front-end of it, and the tagger of requests. Raises UserError."""
    from ridealong.cloud.frontends.cascade.assembly import listeners
    from ridealong.cloud.frontends.venus.assembly import assemble_ears, front_ends, host

    model = host(config, lambda line: print(f"ridealong cloud: {line}", file=sys.stderr, flush=True))
    models, ears = assemble_ears(
        config, models_executor, lambda: listeners(config.frontend, router, models_executor, ready, observe)
    )
    return model, front_ends(model, ears, told), models.tagger or untagged if models else untagged


def read_script(path: Path) -> tuple[Line, ...]:
    try:
        rows = read_yaml(path)
        if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
            raise ValueError("it must be a list of lines such as `- {unit: 2, say: hello}`")
        return script_from(rows)
    except OSError as error:
        raise UserError(f"the script {path} can't be read ({error.strerror}); correct frontend.script.") from error
    except (yaml.YAMLError, ValueError) as error:
        raise UserError(f"the script {path} can't be used, {mistake(error)}; correct that line.") from error


# -- the command ------------------------------------------------------------------------------------------------------


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--config", type=Path, help="YAML file; see docs/guides/cloud.example.yaml")
    parser.add_argument("--frontend", choices=[kind.value for kind in FrontEndKind])
    parser.add_argument("--model", type=Path, help="folder of the 9B model's checkpoint (venus)")
    for name, what in VENUS_FLAGS.items():
        kind = int if name in ("slots", "window") else str
        parser.add_argument(f"--{name.replace('_', '-')}", type=kind, help=f"{what} (venus)")
    parser.add_argument("--ears", action=argparse.BooleanOptionalAction, help="the embedded listener beside the model (venus)")
    parser.add_argument("--address", help="HOST:PORT to listen on; port 0 takes any free one")
    parser.add_argument("--journal", type=Path, help="SQLite file of the work journal")
    parser.add_argument("--script", type=Path, help="lines of the scripted front-end")
    parser.add_argument("--print-config", action="store_true", help="show the settings and where each came from, and stop")


def run(options: argparse.Namespace) -> int:
    flags: dict[str, object] = {
        "frontend.kind": options.frontend, "frontend.model": options.model, "server.address": options.address,
        "harness.journal": options.journal, "frontend.script": options.script, "frontend.ears": options.ears,
        **{f"venus.{name}": getattr(options, name) for name in VENUS_FLAGS},
    }  # fmt: skip
    given = {key: value for key, value in flags.items() if value is not None}
    loaded = load_config(options.config, dict(os.environ), given)
    if options.print_config:
        print(describe(loaded), end="")
        lacks = lacking(loaded.value, os.environ)
        for sentence in lacks:
            print(f"ridealong cloud: {sentence}", file=sys.stderr)
        return 1 if lacks else 0
    logging.basicConfig(level=os.environ.get("RIDEALONG_LOG", "WARNING"), format="%(asctime)s %(name)s %(levelname)s %(message)s")
    if loaded.value.vehicle_file is not None:
        admit_from(loaded.value.vehicle_file)
    asyncio.run(serve(loaded.value))
    return 0


async def serve(config: CloudConfig) -> None:
    from ridealong.cloud.server import NodeServer, must_be_free

    must_be_free(config.server.address)
    loop = asyncio.get_running_loop()
    stop = asyncio.Event()
    tell_no_key(config.language_model)
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    async with AsyncExitStack() as stack:
        executor = stack.enter_context(ThreadPoolExecutor(config.server.workers, "front-end"))
        models_executor = stack.enter_context(ThreadPoolExecutor(2, "models"))
        asking_executor = stack.enter_context(ThreadPoolExecutor(ASKING_THREADS, "language-model"))
        telemetry = open_telemetry(config.telemetry)
        stack.callback(telemetry.close)
        if telemetry.address:
            print(f"ridealong cloud: metrics on {telemetry.address}", flush=True)
        taken = [skill.name for skill in builtin_registry()]
        skills = await stack.enter_async_context(outside_skills(config.packages, taken, telemetry.observe))
        node = build_node(
            config, executor=executor, models_executor=models_executor, asking_executor=asking_executor, skills=skills, telemetry=telemetry
        )  # fmt: skip
        server = NodeServer(node.directory, able=lambda: node.model is None or not node.model.failed)
        try:
            async with node.mcp.running():
                port = await server.start(config.server.address)
                garbage.loaded()
                host = config.server.address.rsplit(":", 1)[0]
                print(f"ridealong cloud: {config.frontend.kind.value} front-end, serving on {host}:{port}", flush=True)
                await stop.wait()
                print("ridealong cloud: draining", flush=True)
                await server.drain(config.server.drain_ms)
        finally:
            await server.stop()
            await node.close()


SERVE = Command("run a cloud node", configure, run)
