"""The device agent: joins microphone, camera, speaker, link and vehicle gateway to the cores, on one clock.

    microphone -> clock -> echo canceller -> voice activity -> reflex, unit builder -> link
    link -> sounding (playout, speaker) -> echo reference, acks -> link          pictures (camera, gate, uplink buffer) -> link

An adapter: every decision is a core's. Everything runs on one loop; picture work goes to `pool`. Time is the loop's clock; the device
clock starts when the microphone is open. Does not know gRPC, the cloud, or which implementation stands behind an interface.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from enum import Enum
from pathlib import Path
from typing import Any, Final, Protocol

from ridealong.device import playout as out
from ridealong.device import reflex as rx
from ridealong.device import unit_builder as ub
from ridealong.device import uplink_buffer as up
from ridealong.device.camera import Camera
from ridealong.device.clock import Deadlines, SampleClock
from ridealong.device.config import DeviceConfig
from ridealong.device.consent import Source
from ridealong.device.echo import Cleaned, EchoCanceller, near_end
from ridealong.device.files import attachment
from ridealong.device.frame_gate import FrameGate
from ridealong.device.microphone import Block, Microphone
from ridealong.device.observing import (
    AgentEvent,
    Item,
    LinkChanged,
    MicrophoneChanged,
    Observer,
    Received,
    Sent,
    SourceEnded,
)
from ridealong.device.pictures import Pictures
from ridealong.device.recorder import Recorder
from ridealong.device.sounding import Sounding
from ridealong.device.sources import Sources
from ridealong.device.speaker import Speaker
from ridealong.device.telemetry import Telemetry
from ridealong.device.voice_activity import SILENCE_DB, Detector, VoiceActivity, webrtc_detector
from ridealong.errors import UserError, where
from ridealong.proto.types import (
    MAX_TEXT_CHARS,
    Actuate,
    ActuationResult,
    ActuationState,
    DownlinkBody,
    Duck,
    Flush,
    Halt,
    Hello,
    Input,
    InputKind,
    MicrophoneState,
    Samples,
    Speech,
    TextInput,
    Unduck,
    UplinkBody,
    samples_from_ms,
)

log = logging.getLogger("ridealong.device.agent")

SLOT_S: Final = 0.02
NEAR_HOLD: Final = samples_from_ms(300)


class LinkLike(Protocol):
    """`device.link.Link`."""

    def send(self, body: UplinkBody) -> None: ...
    async def run(self) -> None: ...
    async def close(self) -> None: ...


class GatewayLike(Protocol):
    """`device.vehicle.gateway.Gateway`."""

    def on_actuate(self, order: Actuate | Halt) -> None: ...
    async def run(self) -> None: ...


LinkFactory = Callable[[Hello, Callable[[DownlinkBody], None], Callable[[Enum], None], Callable[[], Samples]], LinkLike]
"""(hello, on_message, on_state, device_now) -> the link."""
GatewayFactory = Callable[[Callable[[UplinkBody], None], Callable[[], Samples]], GatewayLike]
"""(send, device_now) -> the gateway."""


class Agent:
    """`run()` until `stop()`, or until a file microphone has ended (plus `linger_s`). Raises UserError for what cannot be opened."""

    def __init__(
        self,
        config: DeviceConfig,
        microphone: Microphone,
        camera: Camera | None,
        speaker: Speaker,
        link_factory: LinkFactory,
        gateway_factory: GatewayFactory | None = None,
        observers: Sequence[Observer] = (),
        *,
        pool: Executor | None = None,
        detector: Detector | None = None,
    ) -> None:
        self._config = config
        self._microphone, self._camera, self._speaker = microphone, camera, speaker
        self._link_factory, self._gateway_factory = link_factory, gateway_factory
        self._observers = list(observers)
        self._pool, self._own_pool = pool, pool is None
        sound = config.sound
        self.clock = SampleClock()
        self.builder = ub.UnitBuilder()
        self.playout = out.Playout()
        onset = rx.WEIGHED_ONSET_SAMPLES if sound.echo_cancellation else rx.ONSET_SAMPLES
        self.reflex = rx.Reflex(sound.duck_db, samples_from_ms(sound.verdict_ms), onset)
        self.gate = FrameGate()
        self.uplink = up.UplinkBuffer(save_bytes=config.camera.save_bytes, bytes_per_min=config.camera.bytes_per_min)
        self.voice = VoiceActivity(detector if detector is not None else webrtc_detector(sound.vad))
        self.echo = EchoCanceller(sound.echo_delay_ms) if sound.echo_cancellation else None
        self.telemetry = Telemetry()
        self.observer_errors = 0
        self.sources = Sources(microphone, camera, self.builder, self.now, self._send, self._build, self.voice.reset)
        self.sounding = Sounding(speaker, self.playout, self.echo, self.now, self._send, self._tell)
        self._recorder: Recorder | None = None
        self._link: LinkLike | None = None
        self._gateway: GatewayLike | None = None
        self._stopping = asyncio.Event()
        self._microphone_state = MicrophoneState.LIVE
        self._was_open = True  # the first outage is worth a line
        self._near_until = Samples(0)

    # --- what owners use ---------------------------------------------------------------------------------------------

    def observe(self, observer: Observer) -> None:
        self._observers.append(observer)

    def now(self) -> Samples:
        """The device clock."""
        return self.clock.now(asyncio.get_running_loop().time())

    @property
    def refused_speech(self) -> int:
        return self.sounding.refused_speech

    def press_button(self) -> None:
        """Silence at once what is sounding, and tell the cloud."""
        self._reflex(rx.Button(), "button")
        self._send(Input(self.now(), InputKind.BUTTON))

    def mute(self) -> None:
        self.sources.mute(True)
        self._send(Input(self.now(), InputKind.MUTE))
        self._microphone_is(self.builder.state)

    def unmute(self) -> None:
        self.sources.mute(False)
        self._send(Input(self.now(), InputKind.UNMUTE))
        self._microphone_is(self.builder.state)

    def say_text(self, text: str) -> None:
        """Typed instead of spoken. Raises UserError when it is empty, too long, or no text."""
        if not text.strip() or len(text) > MAX_TEXT_CHARS:
            raise UserError(f"a typed request has 1 to {MAX_TEXT_CHARS} characters, not {len(text)}; shorten it.")
        if any("\ud800" <= char <= "\udfff" for char in text):  # bytes that are no UTF-8
            raise UserError("a typed request must be text in UTF-8; this one is not; type it again.")
        self._send(TextInput(self.now(), text, self._config.device.locale))

    def send_file(self, path: Path) -> None:
        """A picture or a text, for questions about it. Raises UserError where it can't be sent."""
        self._send(attachment(path, self.now()))

    async def stop(self) -> None:
        """Ask `run` to end; it says goodbye on the link and closes the devices."""
        self.stop_soon()

    def stop_soon(self) -> None:
        self._stopping.set()

    async def run(self) -> None:
        loop = asyncio.get_running_loop()
        if self._pool is None:
            self._pool = ThreadPoolExecutor(1, thread_name_prefix="pictures")
        try:
            if self._config.recording.path is not None:
                self._recorder = self.sounding.recorder = Recorder(self._config.recording.path)
            await self._speaker.open()
            if self._camera is not None:
                await self._camera.open()
            await self._microphone.open()
            self.clock.origin_s = loop.time()
            self._link = self._link_factory(self._hello(), self._on_message, self._on_state, self.now)
            if self._gateway_factory is not None:
                self._gateway = self._gateway_factory(self._send, self.now)
            self._count()
            agreed = self._config.consent
            for source, granted in ((Source.MICROPHONE, agreed.microphone), (Source.CAMERA, agreed.camera)):
                (self.sources.allow if granted else self.sources.disallow)(source)
            self.sources.govern()
            await self._run_tasks(self._link)
        finally:
            await self._close()

    async def _run_tasks(self, link: LinkLike) -> None:
        try:
            async with asyncio.TaskGroup() as tasks:
                jobs: list[Coroutine[Any, Any, None]] = [self._listen(), self._serve_slots()]
                jobs.append(self.telemetry.report(self._config.log.counters_every_s))
                if self._camera is not None:
                    pictures = Pictures(
                        self._camera, self.gate, self.uplink, self._config.camera, self.clock, self._pool, self._send, self._tell,
                        self.sources.may_look,
                    )  # fmt: skip
                    jobs.append(pictures.look())
                if self._gateway is not None:
                    jobs.append(self._gateway.run())
                running = [tasks.create_task(job) for job in jobs]
                tasks.create_task(self._keep_link(link))
                await self._stopping.wait()
                for task in running:
                    task.cancel()
                await link.close()
        except BaseExceptionGroup as group:
            mistakes, rest = group.split(UserError)
            if mistakes is not None and rest is None:
                raise _first(mistakes) from None
            raise

    async def _keep_link(self, link: LinkLike) -> None:
        """A link that ends for good ends the agent."""
        await link.run()
        self._stopping.set()

    async def _close(self) -> None:
        await self._microphone.close()
        await self._speaker.close()
        if self._camera is not None:
            await self._camera.close()
        if self._recorder is not None:
            self._recorder.close()
        if self._own_pool and self._pool is not None:
            self._pool.shutdown(wait=False)

    def _hello(self) -> Hello:
        capabilities = ["audio/pcm16"]
        if self._camera is not None:
            capabilities.append("camera")
        if self._gateway_factory is not None:
            capabilities.append("vehicle")
        identity = self._config.device
        return Hello(identity.kind, identity.id, tuple(capabilities), identity.locale)

    def _count(self) -> None:
        self.telemetry.count(
            clock=self.clock,
            units=self.builder,
            playout=self.playout,
            speech=self.sounding.holes,
            frames=self.uplink.counters,
            echo=self.echo,
            reflex=self.reflex,
            microphone=self._microphone,
            speaker=self._speaker,
            agent=self,
        )

    # --- up: sound -----------------------------------------------------------------------------------------------------

    async def _listen(self) -> None:
        while (block := await self._microphone.read()) is not None:
            if block.lost:
                self._build(ub.Lost(self.clock.now(block.captured_s)))
                self.voice.reset()
            else:
                self.sounding.account(self.now())  # the canceller's reference must reach up to this block's end
                self._hear(block)
            self._microphone_is(self.builder.state)
        self._tell(SourceEnded())
        self._build(ub.Lost(self.now()))  # nothing more is heard; a unit each second goes on
        self._microphone_is(self.builder.state)
        await asyncio.sleep(self._config.linger_s)
        self._stopping.set()

    def _hear(self, block: Block) -> None:
        placed = self.clock.place(len(block.pcm16), block.captured_s, block.discontinuity)
        if block.rate_changed:
            log.warning("the microphone's rate changed")
            self.voice.reset()
            if self.echo is not None:
                self.echo.reset()
        start, end = placed.start, Samples(placed.start + len(block.pcm16))
        active = start < self.sounding.until
        self.sources.govern()
        if self.builder.muted:
            self._build(ub.MicBlock(start, block.pcm16, False, active))
            return
        if self._recorder is not None:
            early = max(0, min(len(block.pcm16), self.sources.open_since - start))
            self._recorder.left(Samples(start + early), block.pcm16[early:])
        cleaned = Cleaned(block.pcm16, SILENCE_DB, True) if self.echo is None else self.echo.clean(start, block.pcm16)
        voice = self.voice.on(cleaned.pcm16)
        near = near_end(voice.now, cleaned, self._config.sound.near_end_margin_db)
        if near:
            self._near_until = Samples(end + NEAR_HOLD)
        self._reflex(rx.NearEnd(end, near, voice.level_db, len(block.pcm16), near and cleaned.lasting), "reflex")
        hint = voice.hint and (not active or end < self._near_until)
        self._build(ub.MicBlock(start, cleaned.pcm16, hint, active))

    def _build(self, event: ub.Event) -> None:
        for effect in self.builder.on(event):
            self._send(effect.part)

    # --- 20 ms slots: speaker, ticks -----------------------------------------------------------------------------------

    async def _serve_slots(self) -> None:
        loop = asyncio.get_running_loop()
        deadlines = Deadlines(self.clock.origin_s, SLOT_S)
        self.telemetry.count(slots=deadlines)
        while True:
            slot = deadlines.after(loop.time())
            await asyncio.sleep(max(0.0, slot.due_s - loop.time()))
            self.telemetry.lag.add(loop.time() - slot.due_s)
            at = self.clock.now(slot.due_s)
            self.sounding.render(at)
            self._reflex(rx.Playing(self.playout.playing), "reflex")
            self._build(ub.Tick(at, at < self.sounding.until))
            self._reflex(rx.Tick(at), "reflex")

    def _reflex(self, event: rx.Event, by: str) -> None:
        for effect in self.reflex.on(event):
            self.sounding.perform(effect, by)

    # --- down ----------------------------------------------------------------------------------------------------------

    def _on_message(self, body: DownlinkBody) -> None:
        self._tell(Received(body))
        match body:
            case Speech():
                self.sounding.speech(body)
            case Flush(epoch=epoch):
                self.sounding.flush(epoch, "cloud")
                self._reflex(rx.CloudFlush(), "cloud")
            case Duck(gain_db=gain_db):
                self._reflex(rx.CloudDuck(gain_db), "cloud")
            case Unduck():
                self._reflex(rx.CloudUnduck(self.now(), body.kind), "cloud")
            case Actuate() | Halt():
                if self._gateway is not None:
                    self._gateway.on_actuate(body)
                else:
                    self._send(ActuationResult(body.key, ActuationState.REFUSED, "no_vehicle", (), self.now()))
            case _:
                pass  # captions, work, notices: for those who watch

    def _on_state(self, state: Enum) -> None:
        if state.value == "connecting" or (state.value == "offline" and not self._was_open):
            log.debug("link %s", state.value)  # one attempt of many
        else:
            log.info("link %s", state.value)
        self._was_open = state.value == "open"
        if self._was_open:
            self.sources.on_link()
        self._tell(LinkChanged(str(state.value)))

    # --- edges -----------------------------------------------------------------------------------------------------------

    def _send(self, body: UplinkBody) -> None:
        assert self._link is not None, "the agent is not running"
        self._link.send(body)
        self._tell(Sent(body))

    def _microphone_is(self, state: MicrophoneState) -> None:
        if state is not self._microphone_state:
            self._microphone_state = state
            log.info("microphone %s", state.value)
            self._tell(MicrophoneChanged(state))

    def _tell(self, item: Item) -> None:
        event = AgentEvent(self.now(), item)
        for observer in self._observers:
            try:
                observer(event)
            except Exception as error:
                self.observer_errors += 1
                log.error("an observer failed: %s", where(error))


def _first(group: BaseExceptionGroup[UserError]) -> UserError:
    for error in group.exceptions:
        return _first(error) if isinstance(error, BaseExceptionGroup) else error
    raise AssertionError("an exception group is never empty")
