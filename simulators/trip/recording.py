"""`ridealong trip record`: the device agent as `device run` runs it, and a trip file of what it heard, saw, sent and played.

`TripRecorder` is an observer of the agent: it writes through `proto.trip.TripWriter`, which flushes each second. Works without a node:
the agent's facts are the same while the link is offline. Changes of a signal that the assistant asked for carry the source "car", so that
a replay does not take them for the world's; silence of the speaker is not written. No words are recorded but those that sound.

Does not know how the agent is made (`device.main`), or what a replay does with the trip.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import os
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ridealong.command import Command
from ridealong.device.observing import AgentEvent, LinkChanged, Received, Rendered, Sent, SourceEnded
from ridealong.errors import UserError
from ridealong.proto.trip import TripWriter
from ridealong.proto.trip_records import GpsFix
from ridealong.proto.types import (
    CLOCK_HZ,
    SPEECH_HZ,
    Actuate,
    ActuationResult,
    ActuationState,
    FrameFragment,
    FrameId,
    FrameTombstone,
    GateNote,
    Location,
    PlaybackAck,
    Samples,
    SignalValue,
    UnitPart,
    UplinkBody,
    VehicleState,
    samples_from_ms,
)
from ridealong.simulators.trip.writing import check_place

if TYPE_CHECKING:
    from ridealong.device.agent import Agent
    from ridealong.device.config import DeviceConfig

log = logging.getLogger("ridealong.trip.record")

CLOCK_EVERY: Final = 60 * CLOCK_HZ
OURS: Final = 10 * CLOCK_HZ
"""How long after a request to the car its signals' changes are the assistant's."""


class TripRecorder:
    """An Observer. The file begins with the first event, when the device clock runs. `stop` is called when it cannot be written further."""

    def __init__(
        self, path: Path, meta: dict[str, object], stop: Callable[[], None], wall_ns: Callable[[], int] = time.time_ns
    ) -> None:
        self._path, self._meta, self._stop, self._wall_ns = path, meta, stop, wall_ns
        self._writer: TripWriter | None = None
        self._clock_due = 0
        self._online = False
        self._values: dict[str, SignalValue | None] = {}  # at most the signals that the gateway subscribes to
        self._ours: dict[str, tuple[int, str]] = {}  # path -> since when its changes are the assistant's, by which request
        self._pieces: list[FrameFragment] = []
        self.failed = ""
        self.duration_s = 0.0
        self.frames = self.signals = 0

    def __call__(self, event: AgentEvent) -> None:
        if self.failed:
            return
        try:
            self._write(event, self._writer or self._begin(event.at))
        except (OSError, UserError) as error:
            self.failed = getattr(error, "strerror", None) or str(error)
            log.error("the trip cannot be written further: %s", self.failed)
            self._stop()

    def close(self) -> None:
        if self._writer is not None:
            try:
                self._writer.close()
            except OSError as error:
                self.failed = self.failed or error.strerror or str(error)

    def _begin(self, at: Samples) -> TripWriter:
        origin_ns = self._wall_ns() - at * 1_000_000_000 // CLOCK_HZ
        self._writer = TripWriter(self._path, meta={**self._meta, "start_utc_ns": origin_ns})
        return self._writer

    def _write(self, event: AgentEvent, writer: TripWriter) -> None:
        if event.at >= self._clock_due:
            self._clock_due = event.at + CLOCK_EVERY
            writer.clock(event.at, monotonic_ns=time.monotonic_ns(), wall_ns=self._wall_ns())
        match event.item:
            case Sent(body=body):
                self._sent(body, writer)
            case Rendered(heard_at=heard_at, pcm16=pcm16):
                writer.speaker_heard(heard_at, pcm16, SPEECH_HZ)
            case Received(body=Actuate(key=key, writes=writes)):
                self._ours |= {write.path: (event.at, key) for write in writes}
            case LinkChanged(state=state):
                self._online = state == "open"
            case SourceEnded() if not self._online:
                self._stop()  # nobody is there to answer
            case _:
                pass

    def _sent(self, body: UplinkBody, writer: TripWriter) -> None:
        match body:
            case UnitPart():
                if body.pcm16:
                    writer.mic(Samples(body.start + body.gap_samples), body.pcm16, body.rate)
                self.duration_s = max(self.duration_s, (body.start + body.samples) / CLOCK_HZ)
            case FrameFragment():
                self._fragment(body, writer)
            case FrameTombstone():
                writer.gate(body.capture, _gate(body.frame, body.gate, sent=False, because=body.reason))
            case VehicleState():
                self._state(body, writer)
            case Location():
                fix = GpsFix(body.at, body.latitude, body.longitude, body.accuracy_m, body.speed_kmh, body.heading_deg)
                writer.gps(fix)
            case PlaybackAck():
                writer.ack(body.at, body)
            case ActuationResult(key=refused, state=ActuationState.REFUSED):
                self._ours = {path: ours for path, ours in self._ours.items() if ours[1] != refused}
            case _:
                pass

    def _fragment(self, piece: FrameFragment, writer: TripWriter) -> None:
        """The agent hands a frame's pieces over one after the other."""
        if piece.index == 0:
            self._pieces = []
        self._pieces.append(piece)
        if len(self._pieces) == piece.count:
            writer.camera(piece.capture, b"".join(part.data for part in self._pieces), piece.width, piece.height)
            writer.gate(piece.capture, _gate(piece.frame, piece.gate, sent=True))
            self._pieces = []
            self.frames += 1

    def _state(self, state: VehicleState, writer: TripWriter) -> None:
        """Each value once, when it was observed."""
        for reading in state.signals:
            if reading.path in self._values and self._values[reading.path] == reading.value:
                continue
            self._values[reading.path] = reading.value
            at = Samples(max(0, state.at - samples_from_ms(reading.age_ms)))
            since, _ = self._ours.get(reading.path, (at + 1, ""))
            source = "car" if since <= at < since + OURS else ""
            writer.vss(at, reading.path, reading.value, source)
            self.signals += 1


def _gate(frame: FrameId, gate: GateNote, *, sent: bool, because: str = "") -> dict[str, object]:
    return {
        "frame": frame, "sent": sent, "because": because, "keep": gate.keep, "reason": gate.reason.value, "cost": gate.cost,
        "residual_q99": gate.residual_q99, "changed_share": gate.changed_share,
    }  # fmt: skip


def record(config: DeviceConfig, out: Path, *, force: bool) -> TripRecorder:
    """Until a signal or the end of a file microphone. Raises UserError for what cannot be opened or written."""
    from ridealong.device.main import run_agent

    check_place(out, force=force)
    agents: list[Agent] = []
    identity = config.device
    meta: dict[str, object] = {
        "name": out.stem, "source": "record", "device": identity.kind, "device_id": identity.id, "locale": identity.locale,
    }  # fmt: skip
    recorder = TripRecorder(out, meta, lambda: agents[0].stop_soon())
    offline_too = replace(config, link=replace(config.link, give_up_after_s=0.0))
    try:
        asyncio.run(run_agent(offline_too, [recorder], agents.append))
    finally:
        recorder.close()
    if recorder.failed:
        raise UserError(f"{out} could not be written further ({recorder.failed}): make room, or choose another place with -o.")
    return recorder


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--config", type=Path, metavar="DEVICE.yaml", help="the device's configuration, as for `device run`")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="set one key, over file and environment")
    parser.add_argument("-o", "--out", type=Path, required=True, metavar="TRIP.mcap", help="the trip to write")
    parser.add_argument("--force", action="store_true", help="replace a file that is there already")


def _run(options: argparse.Namespace) -> int:
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")  # a node that is away is ours to say; read when grpc is first imported
    from ridealong.device.config import load_config
    from ridealong.device.main import log_as, parse_settings

    config = load_config(options.config, flags=parse_settings(options.set)).value
    log_as(config)
    print(f"recording into {options.out}; Ctrl-C ends it.", file=sys.stderr)
    done = record(config, options.out, force=options.force)
    size = 0.0
    with suppress(OSError):
        size = options.out.stat().st_size / 1e6
    print(f"{options.out}: {done.duration_s:.1f} s, {done.frames} frames, {done.signals} signal values, {size:.1f} MB")
    return 0


RECORD = Command("Run the device agent (with or without a node) and record a trip.", _configure, _run)
