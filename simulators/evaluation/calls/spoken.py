"""Cases through speech: said, heard, and what the router makes of what was heard; in several processes, one recogniser each.

Sound is made and heard in the workers (clips of speech are kept in the user's cache folder, bounded); words are routed here as they come. An
utterance that is cut in two is two requests, as in a session. Does not know scores.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from random import Random

from ridealong.cloud.frontends.cascade.assembly import RouterOpinion, SileroStream, SmartTurn
from ridealong.cloud.frontends.cascade.segment import Audio, Text
from ridealong.cloud.frontends.cascade.speech_models import SpeechModels, load
from ridealong.harness.router import Router
from ridealong.harness.skill import Context
from ridealong.simulators.evaluation.calls.aloud import Delivery, sound_of
from ridealong.simulators.evaluation.calls.cases import Case
from ridealong.simulators.evaluation.calls.hearing import Ear
from ridealong.simulators.evaluation.calls.kept import HeardBefore, Turns
from ridealong.simulators.evaluation.working import Workers
from ridealong.simulators.scenarios.speech import Kokoro
from ridealong.vehicle_skills.builtin import builtin_registry


@dataclass(frozen=True, slots=True)
class Job:
    number: int
    case: Case


def heard_cases(cases: Sequence[Case], delivery: Delivery, jobs: int, before: HeardBefore) -> Iterator[tuple[int, Turns]]:
    """(number of the case, what was heard of its turns), in the order in which they are done. Raises UserError where a model is missing."""
    wanted = []
    for number, case in enumerate(cases):
        if (turns := before.of(case)) is None:
            wanted.append(Job(number, case))
        else:
            yield number, turns
    if not wanted:
        return
    Random(delivery.seed).shuffle(wanted)  # a run that is stopped has heard of every kind
    load().check()
    work: Workers[Job, tuple[int, Turns]] = Workers(partial(_worker, delivery, 2 if jobs == 1 else 1), jobs)
    for number, turns in work.each(wanted):
        before.keep(cases[number], turns)
        yield number, turns


def _worker(delivery: Delivery, threads: int) -> Callable[[Job], tuple[int, Turns]]:
    models = load(threads=threads)
    speech, ear = Kokoro(models), ear_of(models)

    def hear(job: Job) -> tuple[int, Turns]:
        sound = sound_of(job.case, delivery, speech)
        return job.number, ear(sound.samples, sound.onsets)

    return hear


def ear_of(models: SpeechModels) -> Ear:
    """The product's models behind the product's listener."""
    opinion = RouterOpinion(Router(builtin_registry()))

    def recognise(audio: Audio, locale: str) -> Text:
        heard = models.recogniser.transcribe(audio, locale or None)
        return Text(heard.text, heard.locale, heard.confidence, heard.no_speech)

    def whole(text: str, locale: str) -> bool:
        return opinion.complete(text, locale, Context())

    return Ear(lambda: SileroStream(models.vad_session.stream()), SmartTurn(models.turn), recognise, whole)
