"""One item of Full-Duplex-Bench through the real system: its input into the microphone, what was played into output.wav in step with it.

Without a language model the assistant cannot answer general questions. Where the benchmark needs it to be talking when the user
overlaps, a stand-in answers the item's first request with a neutral text of some length; the report says so. Outputs are transcribed with
our own recogniser (the benchmark uses parakeet). Does not know scores.
"""

from __future__ import annotations

import wave
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ridealong.cloud.config import CloudConfig
from ridealong.cloud.frontends.cascade.audio import pcm16_from_floats, resample
from ridealong.harness.router import Router
from ridealong.harness.skill import Call, Context, Match, Skill, Spoken, skill
from ridealong.proto.types import CLOCK_HZ, SPEECH_HZ, Samples
from ridealong.simulators.evaluation.facts import MADE
from ridealong.simulators.evaluation.fdb import Segment, Word, tokens
from ridealong.simulators.evaluation.fdb_data import Item, read_sound
from ridealong.simulators.evaluation.hearing import OwnTranscriber, Transcriber
from ridealong.simulators.evaluation.riding import Riding, System
from ridealong.simulators.evaluation.watch import Watch
from ridealong.simulators.scenarios.scenario import Cue, Kind, Scenario, Sound, Split
from ridealong.vehicle_skills.builtin import builtin_registry

STAND_IN = {
    "en": "That is a good question, and there are several sides to it, so let me go through them one after the other and begin with the one that"
    " most people think of first, since it is also the easiest to explain. For a long time the usual view was that small steps matter more than"
    " large ones, because they are easier to keep up, and many careful studies in different countries have come to the same result."
    " There is another side as well, and it has to do with the place where people live, the season of the year, the company that they keep and"
    " the amount of time that they are willing to spend on it from one week to the next.",
    "zh": "这个问题很好，可以从几个方面来看，我先从大多数人最先想到的那一方面说起，因为它也最容易解释清楚。长期以来，人们普遍认为小的改变比大的改变更重要，因为更容易坚持下去，"
    "很多国家的研究也得出了同样的结论。另外还有一个方面，就是和居住的地方、季节、身边的人，以及每个星期愿意花多少时间都有很大的关系。",
}  # fmt: skip
FIRST_WORDS = 3


@dataclass(frozen=True, slots=True)
class Recorded:
    """One ride's output. `words` and `segments` are the assistant's, `user` the input's."""

    duration: float
    words: tuple[Word, ...]
    segments: tuple[Segment, ...]
    user: tuple[Segment, ...]


@dataclass(frozen=True, slots=True)
class BenchOutcome:
    """`clean`: the ride without the overlap (v1.5). `broken`: why there is nothing to score. `stood_in`: the stand-in answered."""

    id: str
    main: Recorded | None = None
    clean: Recorded | None = None
    stood_in: bool = False
    broken: str = ""


class StandIn:
    """A skill that answers the first request of a ride, whatever it is. `used`: it has."""

    def __init__(self) -> None:
        self.used = False

    def skill(self) -> Skill:
        def recognise(text: str, locale: str, context: Context) -> Match | None:
            return Match(MADE, 0.97) if not self.used and len(tokens(text)) >= FIRST_WORDS else None

        @skill(
            MADE,
            description="Answer a question with a neutral text.",
            group="reading",
            recognise=recognise,
            arguments_schema={"type": "object", "properties": {}, "required": [], "additionalProperties": False},
            examples={"en": ("What do you think about that?",), "zh": ("你怎么看这件事？",)},
        )
        async def answer(call: Call) -> Spoken:
            self.used = True
            return Spoken(STAND_IN["zh" if call.locale.startswith("zh") else "en"])

        return answer


class Bench:
    """What a worker keeps. `folder`: where outputs go."""

    def __init__(self, system: System, transcribe: Transcriber, folder: Path, seed: int) -> None:
        self._system, self._transcribe, self._folder, self._seed = system, transcribe, folder, seed

    def ride(self, item: Item) -> BenchOutcome:
        needs_talk = item.version == "v1.5" or item.kind == "interruption"
        stand_in = StandIn() if needs_talk and not self._system.cloud.language_model.base_url else None
        try:
            main = self._record(item, "input.wav", "output.wav", stand_in)
            stood_in = stand_in is not None and stand_in.used
            clean = None
            if item.version == "v1.5":
                clean = self._record(item, "clean_input.wav", "clean_output.wav", StandIn() if stand_in is not None else None)
        except (OSError, RuntimeError) as error:
            return BenchOutcome(item.id, broken=f"{type(error).__name__} while it was ridden")
        return BenchOutcome(item.id, main, clean, stood_in)

    def _record(self, item: Item, given: str, output: str, stand_in: StandIn | None) -> Recorded:
        heard = read_sound(item.folder / given)
        watch = Watch(keep_sound=True)
        riding = Riding(_scenario(item.id, heard, self._seed), "fdb", watch, (stand_in.skill(),) if stand_in is not None else ())
        facts = riding.run(self._system)
        if facts.broken:
            raise RuntimeError(facts.broken)
        floats = watch.sound(len(heard)).astype(np.float32) / np.float32(32768)
        played = np.zeros(len(heard), np.int16)
        at_16k = pcm16_from_floats(resample(floats, SPEECH_HZ, CLOCK_HZ))[: len(heard)]
        played[: len(at_16k)] = at_16k
        _write(self._folder / item.id / output, played)
        segments, words = self._transcribe(played)
        user, _ = self._segments(heard)
        return Recorded(len(heard) / CLOCK_HZ, tuple(words), tuple(segments), tuple(user))

    def _segments(self, heard: NDArray[np.int16]) -> tuple[list[Segment], list[Word]]:
        if isinstance(self._transcribe, OwnTranscriber):
            return self._transcribe.segments(heard), []
        return self._transcribe(heard)


def _scenario(name: str, heard: NDArray[np.int16], seed: int) -> Scenario:
    """The recording as it is: no room, no echo (the benchmark is made with a headset)."""
    length = Samples(len(heard))
    sound = Sound(Kind.REQUEST, heard, Cue.CLOCK, Samples(0), Samples(0), Samples(0))
    return Scenario(name, Split.REPORT, "en", seed, "benchmark", None, "", np.zeros(0, np.int16), None, (sound,), (), length)


def _write(path: Path, samples: NDArray[np.int16]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with wave.open(str(path), "wb") as file:
        file.setparams((1, 2, CLOCK_HZ, 0, "NONE", ""))
        file.writeframes(samples.astype("<i2").tobytes())


def bench_ride(cloud: CloudConfig, folder: Path, seed: int, real_time: bool, timed: bool) -> Callable[[Item], BenchOutcome]:
    """What rides items in a worker: loads the models."""
    system = System.load(cloud, real_time=real_time, timed=timed)
    if system.models is None:
        return Bench(system, _deaf, folder, seed).ride
    models, _ = system.assemble(cloud.frontend, Router(builtin_registry()))
    return Bench(system, OwnTranscriber(models.vad, models.recognise), folder, seed).ride


def outcome_to_raw(outcome: BenchOutcome) -> dict[str, Any]:
    return asdict(outcome)


def outcome_from_raw(raw: dict[str, Any]) -> BenchOutcome:
    """Raises ValueError for what is no outcome."""
    try:
        made = BenchOutcome(**raw)
        return replace(made, main=_recorded(raw.get("main")), clean=_recorded(raw.get("clean")))
    except (TypeError, KeyError, AttributeError) as error:
        raise ValueError("this is no outcome of an item") from error


def _recorded(raw: dict[str, Any] | None) -> Recorded | None:
    if raw is None:
        return None
    words = tuple(Word(**word) for word in raw["words"])
    return Recorded(
        raw["duration"], words, tuple(Segment(**one) for one in raw["segments"]), tuple(Segment(**one) for one in raw["user"])
    )


def _deaf(pcm16: NDArray[np.int16]) -> tuple[list[Segment], list[Word]]:
    """The front-end brings no recogniser."""
    return [], []
