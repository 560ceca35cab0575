"""One case through the real system on virtual time: device agent, link, node with the embedded front-end, simulated car; and what it showed.
Where tokens count, in real time: the gateway asks the databroker over gRPC, with a token that really ends.

Does not know what is allowed (judging.py).
"""

from __future__ import annotations

import asyncio
import time
import zlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ridealong.device.agent import Agent
from ridealong.device.observing import AgentEvent, Received
from ridealong.errors import mistake_in
from ridealong.proto.trip_records import CameraFrame
from ridealong.proto.trip_records import SignalSample as Recorded
from ridealong.proto.types import CLOCK_HZ, Actuate, Samples, SignalValue
from ridealong.scratch import scratch
from ridealong.simulators.car import controls
from ridealong.simulators.car.car import SimCar
from ridealong.simulators.car.permits import token_until
from ridealong.simulators.evaluation.redteam import pictures, voices
from ridealong.simulators.evaluation.redteam.answering import answering
from ridealong.simulators.evaluation.redteam.cases import Case, Plays, Renews, Says, Sets, Step, Types
from ridealong.simulators.evaluation.redteam.scripting import LONGEST_S, Look, Script
from ridealong.simulators.evaluation.riding import System
from ridealong.simulators.evaluation.watch import Watch
from ridealong.simulators.network import NetworkPreset
from ridealong.simulators.replay.assemble import Ride, cloud_config, ride
from ridealong.simulators.replay.observing import Fan
from ridealong.simulators.room import EchoPath, Room
from ridealong.simulators.scenarios.acoustics import Floats
from ridealong.simulators.scenarios.speech import Speech
from ridealong.simulators.trip.expected import CarSetup, Expected
from ridealong.simulators.trip.loading import Trip
from ridealong.simulators.virtual_time import VirtualTimeLoop

LOOK_S: Final = 0.05
SCOPE: Final = "read:Vehicle actuate:Vehicle.Cabin actuate:Vehicle.Body.Trunk.Rear actuate:Vehicle.Body.Windshield.Front.Wiping"
"""Of the device's token, as docs/guides/vehicle.md has it."""
BED_RMS: Final = 12.0
"""Of int16: the noise of a quiet cabin, -69 dBFS."""


@dataclass(frozen=True, slots=True)
class Facts:
    """`asked`: what the cloud asked the device to write; `sent`: what reached the car, the first `before` of it before the case first set
    something there. `heard`: captions, as (addressee, text)."""

    id: str
    asked: tuple[tuple[str, SignalValue], ...] = ()
    sent: tuple[tuple[str, SignalValue], ...] = ()
    said: tuple[str, ...] = ()
    heard: tuple[tuple[str, str], ...] = ()
    broken: str = ""
    before: int = 0


class CaseRoom(Room):
    """Sounds are put into the air as they come."""

    def __init__(self, seed: int) -> None:
        super().__init__(np.zeros(0, np.int16), EchoPath(), seed=seed)
        self.sounds: list[tuple[int, voices.Sound]] = []
        self._bed = np.random.default_rng([seed, 23]).normal(0, BED_RMS, 8 * CLOCK_HZ)

    def microphone_source(self, start: Samples, count: int) -> NDArray[np.int16]:
        mixed = super().microphone_source(start, count).astype(np.float64)
        mixed += self._bed[np.arange(start, start + count) % len(self._bed)]
        for first, pcm in self.sounds:
            low, high = max(first, start), min(first + len(pcm), start + count)
            if low < high:
                mixed[low - start : high - start] += pcm[low - first : high - first]
        return np.asarray(np.clip(np.rint(mixed), -32768, 32767), np.int16)


@dataclass(slots=True)
class Riding:
    case: Case
    speech: Speech
    seed: int
    watch: Watch = field(default_factory=Watch)
    asked: list[tuple[str, SignalValue]] = field(default_factory=list)
    orders: int = 0
    room: CaseRoom = field(init=False)
    spoken: dict[int, Floats] = field(default_factory=dict)
    car: SimCar | None = None
    before: int | None = None
    token_file: Path | None = None

    def __post_init__(self) -> None:
        self.seed = zlib.crc32(f"{self.seed} {self.case.id}".encode())
        self.room = CaseRoom(self.seed)

    def run(self, system: System) -> Facts:
        """A ride that fails is `broken`, with the kind of error; only what the user can mend is raised."""
        for number, step in enumerate(self.case.steps):
            if isinstance(step.what, Says):
                self.spoken[number] = voices.dry(step.what, self.speech)
            elif isinstance(step.what, Plays):
                self.spoken[number] = self.spoken[step.what.step]
        network = NetworkPreset("redteam", delay_ms=self.case.delay_ms, outages_s=self.case.outages_s)
        fast = self.case.token_s is None
        with scratch("ridealong-redteam-") as folder:
            self.token_file = None if fast else folder / "databroker.jwt"
            how = Ride(
                cloud_config(system.cloud, folder), fast, self.seed, network, device_kind=self.case.device, assemble=system.assemble,
                skills=answering(self.case.answers), token_file=self.token_file,
            )  # fmt: skip
            try:
                with asyncio.Runner(loop_factory=VirtualTimeLoop if fast else None) as runner:
                    runner.run(self._ride(how))
            except Exception as error:
                mistake = mistake_in(error)
                if mistake is not None:
                    raise mistake from None
                return Facts(self.case.id, broken=type(error).__name__)
        assert self.car is not None
        sent = self._sent()
        before = len(sent) if self.before is None else self.before
        said = tuple(one.text for one in self.watch.said() if one.text)
        heard = tuple((caption.addressee, caption.text) for caption in self.watch.captions)
        return Facts(self.case.id, tuple(self.asked), sent, said, heard, before=before)

    def _sent(self) -> tuple[tuple[str, SignalValue], ...]:
        assert self.car is not None
        return tuple((write.path, write.value) for batch in self.car.broker.forwarded for write in batch)

    async def _ride(self, how: Ride) -> None:
        loop = asyncio.get_running_loop()
        script = Script(self.case)

        def began(agent: Agent) -> None:
            agent.observe(self.watch.on)
            agent.observe(self._count)
            loop.call_later(LOOK_S, look, agent)

        def look(agent: Agent) -> None:
            spoke_s = max((one.started / CLOCK_HZ for one in self.watch.said()), default=-1.0)
            busy = agent.playout.playing or self.watch.open_work
            for number in script.on(Look(agent.now() / CLOCK_HZ, busy, spoke_s, self.orders)):
                script.lasts(self._do(number, self.case.steps[number], agent))
            if script.over:
                agent.stop_soon()
            else:
                loop.call_later(LOOK_S, look, agent)

        def driven(car: SimCar) -> None:
            self.car = car
            if self.case.token_s is not None:
                self._renew(self.case.token_s)

        await ride(self._trip(), how, Fan([]), began=began, room=self.room, driven=driven)

    def _do(self, number: int, step: Step, agent: Agent) -> float:
        """Begins a step; when it will be over, in seconds."""
        now_s = agent.now() / CLOCK_HZ
        match step.what:
            case Types(text=text):
                agent.say_text(text)
            case Sets(values=values):
                assert self.car is not None
                self.before = len(self._sent()) if self.before is None else self.before
                for sample in values:
                    if sample.path.startswith(controls.PREFIX):
                        controls.apply(sample.path, sample.value, self.car.plant, self.car.broker)
                    else:
                        self.car.set(sample.path, sample.value)
            case Renews(valid_s=valid_s):
                self._renew(valid_s)
            case Says() | Plays() as what:
                dry = self.spoken[number]
                sound = voices.heard(what, dry, self.case.device) if isinstance(what, Says) else voices.replayed(dry)
                first = agent.now() + CLOCK_HZ // 10  # not before what the microphone has given already
                self.room.sounds.append((first, sound))
                return (first + len(sound)) / CLOCK_HZ
        return now_s

    def _renew(self, valid_s: float) -> None:
        assert self.token_file is not None
        self.token_file.write_text(token_until(time.time() + valid_s, SCOPE), encoding="ascii")

    def _count(self, event: AgentEvent) -> None:
        match event.item:
            case Received(body=Actuate(writes=writes)):
                self.asked += [(write.path, write.value) for write in writes]
                self.orders += 1
            case _:
                pass

    def _trip(self) -> Trip:
        signals = [Recorded(Samples(0), sample.path, sample.value, "script") for sample in self.case.car]
        silence = np.zeros(round(LONGEST_S * CLOCK_HZ), np.int16)
        expected = Expected(locale=self.case.locale, car=CarSetup())
        return Trip(self.case.id, {}, silence, frames=self._frames(), signals=signals, expected=expected)

    def _frames(self) -> list[CameraFrame]:
        """Twice a second, as long as anything is shown, and a while longer."""
        if not self.case.shows:
            return []
        until_s = max(shown.at_s + shown.for_s for shown in self.case.shows) + 20.0
        plain = pictures.jpeg(pictures.street(self.seed))
        drawn = {one: pictures.jpeg(pictures.picture(one.seen, one.text, self.seed)) for one in self.case.shows}
        frames = []
        for number in range(round(2 * until_s)):
            shown = next((one for one in self.case.shows if one.at_s <= number / 2 < one.at_s + one.for_s), None)
            picture = plain if shown is None else drawn[shown]
            frames.append(CameraFrame(Samples(number * CLOCK_HZ // 2), picture, pictures.WIDTH, pictures.HEIGHT))
        return frames
