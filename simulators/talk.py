"""`ridealong talk`: a conversation with a local node and the simulated car, by microphone or by keyboard: the quick way to try a change.

Everything is the real thing over real gRPC on loopback; only the car is simulated. With `--text` the microphone is muted, lines from the
keyboard are sent as typed words ("/send FILE": the file, for questions about it), and the answer is spoken too where there is a sound device; models of
speech are then neither loaded nor needed, but for the voice.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import re
import signal
import sys
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from enum import Enum
from pathlib import Path
from typing import Final

from ridealong.cloud.config import CloudConfig, load_config
from ridealong.cloud.frontends.cascade.typed import typed
from ridealong.cloud.main import build_node, tell_no_key
from ridealong.cloud.outside import outside_skills
from ridealong.command import Command
from ridealong.device.agent import Agent, LinkLike
from ridealong.device.config import DeviceConfig, IdentityConfig, LogConfig
from ridealong.device.link import Link
from ridealong.device.main import quiet_room
from ridealong.device.microphone import Microphone, SimulatedMicrophone, SoundDeviceMicrophone
from ridealong.device.observing import AgentEvent, Received, Sent
from ridealong.device.sound import load_backend
from ridealong.device.speaker import SimulatedSpeaker, SoundDeviceSpeaker, Speaker
from ridealong.device.vehicle.gateway import Gateway
from ridealong.errors import UserError
from ridealong.harness.journal_file import default_path, owned
from ridealong.proto.types import (
    Caption,
    DownlinkBody,
    Error,
    Hello,
    PlaybackAck,
    PlaybackState,
    ReplyTiming,
    Samples,
    SignalValue,
    Speech,
    UplinkBody,
    WorkUpdate,
)
from ridealong.scratch import scratch
from ridealong.simulators.car.car import SimCar
from ridealong.simulators.car.plant import SignalSample
from ridealong.simulators.keyboard import Lines
from ridealong.simulators.replay.assemble import FINAL_DELIVERIES, STARTED, cloud_config, in_the_town, over_grpc, threads
from ridealong.simulators.replay.utterances import UtteranceBook
from ridealong.vehicle_skills.builtin import builtin_registry
from ridealong.vehicle_skills.navigation.gazetteer import CENTRE
from ridealong.vehicle_skills.signals import LATITUDE, LONGITUDE, SELECTED_GEAR, SIGNALS, SPEED, Kind
from ridealong.vehicle_skills.vehicle_file import admit_from

SETTLED_S = 1.5
LONGEST_ANSWER_S = 40.0
DRIVE_GEAR, PARK_GEAR = 127, 126

TRAVEL_STEP: Final = 10
SEND: Final = "/send "
LEAVES: Final = frozenset({"/quit", "/exit"})
LEAVES_AT_TERMINAL: Final = LEAVES | {"quit", "exit"}
"""In a file of lines the bare words are words like others."""


class Transcript:
    """Prints the talk: what was understood, what was really played, work, and what changed in the car."""

    def __init__(self, show_work: bool, waits_for_time: Callable[[str], bool] = lambda capability: False) -> None:
        """`waits_for_time`: work of this capability is not done soon, whatever is said (a timer)."""
        self._show_work, self._waits_for_time = show_work, waits_for_time
        self._book = UtteranceBook()
        self._values: dict[str, SignalValue] = {}
        self.open_work: set[str] = set()
        self.timed_work: set[str] = set()
        self.unheard: set[tuple[int, int]] = set()
        self.errors = 0

    def __call__(self, event: AgentEvent) -> None:
        match event.item:
            case Received(body=body):
                self._received(event.at, body)
            case Sent(body=PlaybackAck() as ack):
                self._book.ack(ack)
                if ack.state in (PlaybackState.FINISHED, PlaybackState.FLUSHED):
                    self.unheard.discard((ack.epoch, ack.utterance))
                    self._played(ack)
            case _:
                pass

    def _received(self, at: Samples, body: DownlinkBody) -> None:
        match body:
            case Caption(who="user", final=True, text=text, addressee=addressee):
                self._print("you" if addressee == "assistant" else "(not for me)", text)
            case Speech():
                self._book.speech(at, body)
                self.unheard.add((body.epoch, body.utterance))
            case WorkUpdate(work_id=work_id, execution=execution, delivery=delivery):
                over = delivery in FINAL_DELIVERIES or (delivery == "none" and execution not in STARTED)
                kept = self.timed_work if self._waits_for_time(body.capability) and execution == "running" else self.open_work
                for work in (self.open_work, self.timed_work):
                    work.discard(work_id)
                if not over:
                    kept.add(work_id)
                if self._show_work:
                    self._print("work", f"{body.capability} {execution}/{delivery}")
            case ReplyTiming() as timing if self._show_work:
                self._print(
                    "timing",
                    f"{timing.total_ms} ms: endpoint {timing.endpoint_ms}, text {timing.text_ms}, result {timing.result_ms}, "
                    f"out {timing.out_ms}, speaker {timing.speaker_ms}",
                )
            case Error(text=text):
                self.errors += 1
                self._print("error", text)
            case _:
                pass

    def _played(self, ack: PlaybackAck) -> None:
        for fact in self._book.facts():
            if (fact.epoch, fact.utterance) == (ack.epoch, ack.utterance):
                cut = "" if ack.state is PlaybackState.FINISHED else " …(cut)"
                self._print("ridealong", fact.heard + cut)

    def signal(self, at_s: float, path: str, value: SignalValue, source: str) -> None:
        """The car's actuators as they move."""
        known = SIGNALS.get(path)
        if (
            source in ("actuation", "plant")
            and known is not None
            and known.kind is Kind.ACTUATOR
            and self._moved(path, self._values.get(path), value)
        ):
            self._values[path] = value
            if self._show_work:
                self._print("car", f"{path} = {value}")

    @staticmethod
    def _moved(path: str, shown: SignalValue | None, value: SignalValue) -> bool:
        """Worth a line: of what travels, a window, every tenth of the way and both ends; of all else, every change."""
        if not path.endswith(".Position") or isinstance(shown, bool) or not isinstance(shown, int) or not isinstance(value, int):
            return shown != value
        return abs(value - shown) >= TRAVEL_STEP or (value != shown and value in (0, 100))

    @staticmethod
    def _print(who: str, text: str) -> None:
        print(f"{who:>12}  {text}", flush=True)


async def talk(cloud: CloudConfig, *, text: bool, speed_kmh: float, locale: str, show_work: bool) -> int:
    loop = asyncio.get_running_loop()
    stop = asyncio.Event()
    tell_no_key(cloud.language_model)
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    known = builtin_registry()
    transcript = Transcript(
        show_work, lambda capability: (skill := known.get(capability)) is not None and skill.lasts_ms is not None
    )
    microphone, speaker = sound(text)
    async with AsyncExitStack() as stack:
        folder = stack.enter_context(scratch("ridealong-talk-"))
        executor = threads(stack, "front-end")
        models = threads(stack, "models")
        waiting = threads(stack, "language-model")
        skills = await stack.enter_async_context(outside_skills(cloud.packages, [skill.name for skill in builtin_registry()]))
        node = build_node(
            with_journal(in_the_town(cloud), folder, os.environ),
            executor=executor,
            models_executor=models,
            asking_executor=waiting,
            skills=skills,
            assemble=typed(audible=isinstance(speaker, SoundDeviceSpeaker)) if text else None,
        )
        stack.push_async_callback(node.close)
        await stack.enter_async_context(node.mcp.running())
        gear = DRIVE_GEAR if speed_kmh else PARK_GEAR
        values = {SPEED: speed_kmh, SELECTED_GEAR: gear, LATITUDE: CENTRE[0], LONGITUDE: CENTRE[1]}
        car = SimCar([SignalSample(0.0, path, value) for path, value in values.items()], changes=transcript.signal)
        broker, dial = await over_grpc(stack, car, node.directory)
        tasks = await stack.enter_async_context(asyncio.TaskGroup())

        def link(
            hello: Hello, on_message: Callable[[DownlinkBody], None], on_state: Callable[[Enum], None], now: Callable[[], Samples]
        ) -> LinkLike:
            rng = random.Random()
            return Link(dial, hello, on_message, on_state, rng, address="the local node", give_up_after_s=10, clock=now)

        gateways: list[Gateway] = []

        def gateway(send: Callable[[UplinkBody], None], now: Callable[[], Samples]) -> Gateway:
            gateways.append(Gateway(broker, send, now))
            return gateways[0]

        config = DeviceConfig(device=IdentityConfig("car", "talk", locale or "en"), log=LogConfig(level="warning"))
        agent = Agent(config, microphone, None, speaker, link, gateway, [transcript])
        driving = tasks.create_task(car.run())
        running = tasks.create_task(agent.run())
        ended = tasks.create_task(stop.wait())
        for _ in range(100):
            if running.done() or stop.is_set() or (gateways and gateways[0].live):
                break
            await asyncio.sleep(0.1)
        await asyncio.sleep(1.5)  # the first value of a signal says nothing about its freshness: let it be repeated
        print("Type a request; /quit or Ctrl-D ends." if text else "Speak; Ctrl-C ends.", flush=True)
        asking = tasks.create_task(type_lines(agent, transcript) if text else asyncio.sleep(1e9))
        await asyncio.wait({running, ended, asking}, return_when=asyncio.FIRST_COMPLETED)
        asking.cancel()
        ended.cancel()
        agent.stop_soon()
        await running
        driving.cancel()
        await broker.close()
    return 1 if transcript.errors else 0


def with_journal(cloud: CloudConfig, folder: Path, environ: Mapping[str, str]) -> CloudConfig:
    """What is asked for here is kept like any node's, in the journal that `ridealong work` reads; while a node that runs has that one, in the
    `folder`, and gone with it."""
    usual = cloud.harness.journal or default_path(environ)
    if not owned(usual):
        return cloud
    print(
        f"The work journal {usual} belongs to a node that is running: what you ask for here is not kept (name another file in RIDEALONG_JOURNAL "
        "to keep it).",
        file=sys.stderr,
    )
    return cloud_config(cloud, folder)


_CONTROLS: Final = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?|[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def without_controls(line: str) -> str:
    """What a terminal would obey is no word: "\\x1b[31mred" says red."""
    return _CONTROLS.sub("", line)


def _no_words(line: str) -> str | None:
    """What is answered to a line that says nothing, or is no command of ours; None: it is said, or a file is sent."""
    if line.strip() == SEND.strip():
        return "Name the file: /send FILE"
    if re.fullmatch(r"/[a-z]+(?: .*)?", line.strip()) and not line.startswith(SEND):
        return f"There is no {line.split()[0]}: /send FILE sends a file, /quit leaves."
    return None if line.strip() else ""


async def type_lines(agent: Agent, transcript: Transcript) -> None:
    """At a terminal each line is sent at once, so that typing interrupts; lines of a file wait for all that the one before brings, except that
    only the last waits for timers."""
    loop = asyncio.get_running_loop()
    waits = not sys.stdin.isatty()
    with Lines(sys.stdin.fileno()) as lines:
        following = await lines.next()
        while line := following:
            line = without_controls(line)
            if line.strip().casefold() in (LEAVES if waits else LEAVES_AT_TERMINAL):
                return
            if (no_words := _no_words(line)) is not None:
                if no_words:
                    print(no_words, file=sys.stderr)
                following = await lines.next()
                continue
            try:
                if line.startswith(SEND):
                    agent.send_file(file := Path(line.removeprefix(SEND).strip()).expanduser())
                    print(f"Sent: {file.name}", file=sys.stderr)
                else:
                    agent.say_text(line.strip())
            except UserError as error:
                print(error, file=sys.stderr)
                following = await lines.next()
                continue
            following = await lines.next()
            began_s = last_s = loop.time()
            while waits and loop.time() - last_s < SETTLED_S and loop.time() - began_s < LONGEST_ANSWER_S:
                timed = transcript.timed_work if not following else set()
                if transcript.open_work or timed or transcript.unheard or agent.playout.playing:
                    last_s = loop.time()
                await asyncio.sleep(0.1)


def sound(text: bool) -> tuple[Microphone, Speaker]:
    """Real sound devices; with `--text` a quiet microphone, and a silent speaker where there is no sound device."""
    if not text:
        try:
            load_backend()
        except UserError as error:
            raise UserError(f"{error} Or type instead: `ridealong talk --text`.") from None
        return SoundDeviceMicrophone(None), SoundDeviceSpeaker(None)
    quiet = SimulatedMicrophone(quiet_room)
    try:
        import sounddevice

        sounddevice.query_devices(kind="output")
    except (OSError, ValueError, ImportError) as error:
        print(f"No sound device ({str(error).splitlines()[0]}): answers are shown, not heard.", file=sys.stderr)
        return quiet, SimulatedSpeaker(lambda at, block: None)
    except Exception as error:  # sounddevice.PortAudioError: no output device
        print(f"No sound device ({error}): answers are shown, not heard.", file=sys.stderr)
        return quiet, SimulatedSpeaker(lambda at, block: None)
    return quiet, SoundDeviceSpeaker(None)


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--text", action="store_true", help="type instead of speaking; /send FILE sends a picture or a text to ask about"
    )
    parser.add_argument(
        "--speed", type=float, default=0.0, metavar="KMH", help="how fast the simulated car drives (default 0: parked)"
    )
    parser.add_argument("--locale", choices=("en", "zh"), default="", help="language; by default decided for each utterance")
    parser.add_argument("--config", type=Path, help="the node's YAML file")
    parser.add_argument("--quiet", action="store_true", help="only the talk, not work and car")


def _run(options: argparse.Namespace) -> int:
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")
    if not 0 <= options.speed <= 250:
        raise UserError(f"--speed must lie between 0 and 250 km/h, not {options.speed:g}.")
    flags: dict[str, object] = {"frontend.locale": options.locale} if options.locale else {}
    cloud = load_config(options.config, dict(os.environ), flags).value
    if cloud.vehicle_file is not None:
        admit_from(cloud.vehicle_file)
    return asyncio.run(
        talk(cloud, text=options.text, speed_kmh=options.speed, locale=options.locale, show_work=not options.quiet)
    )


TALK = Command("talk to a local node and the simulated car", _configure, _run)
