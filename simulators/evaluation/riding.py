"""One scenario through the real system, and what it showed: device agent with echo canceller, reflex and playout; node; simulated car.

On virtual time computing is charged with its measured time, so that latency is there without waiting; `real_time` rides over gRPC. The
models are loaded once a process and shared by its rides; what the voice has once said is kept and charged what it once took.
Does not know labels' meaning, or what is good.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np

from ridealong.cloud.config import CloudConfig, FrontEnd, FrontEndKind
from ridealong.cloud.frontends.cascade.assembly import RouterOpinion, assemble
from ridealong.cloud.frontends.cascade.frontend import Models, Observation
from ridealong.cloud.frontends.cascade.speech_models import SpeechModels, load
from ridealong.cloud.frontends.mouth import Clip, Voice
from ridealong.device.agent import Agent
from ridealong.errors import mistake_in
from ridealong.harness.router import Router
from ridealong.harness.skill import Skill
from ridealong.proto.trip_records import SignalSample
from ridealong.proto.types import CLOCK_HZ, Samples, SignalValue, samples_from_ms
from ridealong.scratch import scratch
from ridealong.simulators.evaluation.conducting import Ask, Conductor, End, Look
from ridealong.simulators.evaluation.facts import Facts
from ridealong.simulators.evaluation.placing import ScenarioRoom
from ridealong.simulators.evaluation.saying import asked, saying
from ridealong.simulators.evaluation.watch import Watch
from ridealong.simulators.network import preset
from ridealong.simulators.replay.assemble import Ride, cloud_config, ride
from ridealong.simulators.replay.observing import Fan
from ridealong.simulators.scenarios.scenario import Cue, Scenario
from ridealong.simulators.trip.expected import Expected
from ridealong.simulators.trip.loading import Trip
from ridealong.simulators.virtual_time import ChargedExecutor, Stopwatch, VirtualTimeLoop
from ridealong.vehicle_skills.signals import IGNITION, SELECTED_GEAR, SPEED

SPEAKER_LATENCY_MS = 100.0
"""Of the simulated sound device, from writing to hearing, as a real one has; what it has taken, the last 20 ms, is beyond recall."""
SPEAKER_LATE_MS = 20.0
LOOK_S = 0.25
LONGEST_S = 900.0
"""A ride that has not ended by itself after so much more than the scenario's length is stopped."""
NETWORK = "rtt60"


class KeptVoice:
    """A voice that says the same words once only; a repetition is charged the time that the first took."""

    def __init__(self, voice: Voice) -> None:
        self._voice = voice
        self._kept: dict[tuple[str, str], tuple[Clip, float]] = {}

    def clauses(self, text: str, locale: str) -> list[str]:
        return self._voice.clauses(text, locale)

    def clip(self, text: str, locale: str) -> Clip:
        kept = self._kept.get((text, locale))
        if kept is not None:
            ChargedExecutor.charge(kept[1])
            return kept[0]
        watch = Stopwatch()
        clip = self._voice.clip(text, locale)
        self._kept[(text, locale)] = (clip, watch.took_s())
        return clip


@dataclass(slots=True)
class System:
    """How every ride of a process is made. `models` None: the front-end needs none. `voice`: what has been said before."""

    cloud: CloudConfig
    models: SpeechModels | None = None
    voice: KeptVoice | None = None
    real_time: bool = False
    timed: bool = True

    @staticmethod
    def load(cloud: CloudConfig, *, real_time: bool = False, timed: bool = True) -> System:
        """Loads the models of the cascade. UserError where one is missing."""
        if cloud.frontend.kind is not FrontEndKind.CASCADE:
            return System(cloud, real_time=real_time, timed=timed)
        models = load(cloud.frontend.models_folder, threads=cloud.frontend.model_threads)
        models.check()
        models.warm()
        return System(cloud, models, real_time=real_time, timed=timed)

    def assemble(self, settings: FrontEnd, router: Router) -> tuple[Models, RouterOpinion]:
        """The loaded models for one ride's node."""
        models, opinion = assemble(settings, router, self.models)
        if self.real_time:
            return models, opinion
        self.voice = self.voice or KeptVoice(models.voice)
        return replace(models, voice=self.voice), opinion


@dataclass(slots=True)
class Riding:
    """One ride: the scenario's room, what watches, when it is over."""

    scenario: Scenario
    suite: str
    watch: Watch = field(default_factory=Watch)
    skills: Sequence[Skill] = ()
    """Instead of the one that says the scenario's replies."""
    judgements: list[dict[str, Any]] = field(default_factory=list)
    room: ScenarioRoom = field(init=False)

    def __post_init__(self) -> None:
        self.room = ScenarioRoom(self.scenario)

    def run(self, system: System) -> Facts:
        """What it showed. A ride that fails is `broken`, with the kind of error; only what the user can mend is raised."""
        loop_factory = None if system.real_time else VirtualTimeLoop
        network = preset(NETWORK)
        about = self._about(system, samples_from_ms(network.delay_ms))
        with scratch("ridealong-eval-") as folder:
            how = Ride(
                cloud_config(system.cloud, folder), not system.real_time, self.scenario.seed, network, None, self.scenario.device_kind,
                charged=system.timed, speaker_latency_ms=SPEAKER_LATENCY_MS, assemble=system.assemble,
                observe=lambda seen: self.judgements.append(_judged(seen)), skills=self._skills(),
            )  # fmt: skip
            try:
                with asyncio.Runner(loop_factory=loop_factory) as runner:
                    duration = runner.run(self._ride(how))
            except Exception as error:
                mistake = mistake_in(error)
                if mistake is not None:
                    raise mistake from None
                return replace(about, broken=_named(error))
        room = self.room
        facts = self.watch.into(
            replace(
                about,
                duration=duration,
                replies_at=tuple(room.replies_at),
                sounds=room.placed(),
                judgements=tuple(self.judgements),
            )
        )
        if len(room.replies_at) < len(self.scenario.replies):
            return replace(facts, broken=f"reply {len(room.replies_at) + 1} was never heard")
        return facts

    def _about(self, system: System, one_way: Samples) -> Facts:
        scenario = self.scenario
        return Facts(
            scenario.id, self.suite, scenario.locale, scenario.snr_db, scenario.noise, tuple(sorted(scenario.tags)), one_way,
            samples_from_ms(SPEAKER_LATE_MS), system.timed, typed=tuple(self._typed()),
        )  # fmt: skip

    def _typed(self) -> list[str]:
        return [asked(self.scenario.locale, number) for number in range(len(self.scenario.replies))]

    def _skills(self) -> tuple[Skill, ...]:
        if self.skills:
            return tuple(self.skills)
        return (saying(dict(zip(self._typed(), self.scenario.replies, strict=True))),) if self.scenario.replies else ()

    async def _ride(self, how: Ride) -> int:
        loop = asyncio.get_running_loop()
        conductor, typed = Conductor(self.scenario), self._typed()
        clock_end = max((sound.at + sound.end for sound in self.scenario.sounds if sound.cue is Cue.CLOCK), default=0)
        ended: list[int] = []

        def began(agent: Agent) -> None:
            agent.observe(self.watch.on)
            loop.call_later(LOOK_S, look, agent)

        def look(agent: Agent) -> None:
            busy = agent.playout.playing or self.watch.open_work
            spoken = any(said.started > clock_end for said in self.watch.said())
            understood_to = Samples(max((caption.end for caption in self.watch.captions), default=0))
            for order in conductor.on(Look(agent.now(), busy, tuple(self.room.replies_at), spoken, understood_to)):
                match order:
                    case Ask(number=number):
                        self.room.expect(agent.now())
                        agent.say_text(typed[number])
                    case End():
                        ended.append(agent.now())
                        agent.stop_soon()
                        return
            loop.call_later(LOOK_S, look, agent)

        await ride(_world(self.scenario), how, Fan([]), began=began, room=self.room)
        return ended[0] if ended else self.watch.spans[-1].end if self.watch.spans else 0


def _world(scenario: Scenario) -> Trip:
    """A car that drives in town. Its length is only the limit of the ride."""
    drives: list[tuple[str, SignalValue]] = [(IGNITION, "ON"), (SELECTED_GEAR, 127), (SPEED, 48.0)]
    signals = [SignalSample(Samples(0), path, value, "script") for path, value in drives]
    silence = np.zeros(scenario.length + round(LONGEST_S * CLOCK_HZ), np.int16)
    return Trip(scenario.id, {}, silence, signals=signals, expected=Expected(locale=scenario.locale))


def _named(error: BaseException) -> str:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return type(error).__name__


def _judged(seen: Observation) -> dict[str, Any]:
    """One judgement of the front-end, for JSON."""
    found: dict[str, Any] = {"start": seen.start, "end": seen.end, "evidence": asdict(seen.evidence)}
    if seen.judgement is not None:
        judged = seen.judgement
        found |= {
            "verdict": judged.verdict.value if judged.verdict else "", "likeliest": judged.likeliest.value, "reason": judged.reason,
            "intent": judged.intent.value if judged.intent else "", "probability": judged.probability,
        }  # fmt: skip
    return found
