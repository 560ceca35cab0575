"""Duplex records from scenarios: a request and what comes of it, and a reply with something over it.

    request: listens, hands over in a delegate span, gets the backend's answer, says it again; or answers itself; or says nothing
    ride:    a backend's answer is said again while somebody speaks: goes on, stops, or yields and hands over what was said

Sound is the generator's own record: the user in a room, noise, and the assistant's echo. Knows no files and no tokens' numbers.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ridealong.proto.types import CLOCK_HZ
from ridealong.simulators.evaluation.delegation.utterances import Utterance
from ridealong.simulators.scenarios.acoustics import pcm16
from ridealong.simulators.scenarios.align import Label, Record, recorded
from ridealong.simulators.scenarios.generate import Studio
from ridealong.simulators.scenarios.plan import Plan, Source
from ridealong.simulators.scenarios.scenario import Cue, Intent, Kind, Scenario
from ridealong.simulators.scenarios.voices import BY_NAME, Voice, grown
from ridealong.simulators.training.answers import BACKEND, ITSELF
from ridealong.simulators.training.pacing import Score, acts_on, paced, unit_at

Pcm = NDArray[np.int16]
STYLES: Final = {"en": "af_heart", "zh": "zf_xiaoxiao"}
YIELDS_AFTER_MS: Final = 500
BACKEND_UNITS: Final = (1, 3)
"""A backend's answer comes so many units after the request's turn is over."""
RIDE_BEGINS_UNIT: Final = 1


@dataclass(frozen=True, slots=True, eq=False)
class Session:
    score: Score
    microphone: Pcm


def requested(studio: Studio, plan: Plan, utterance: Utterance, random: Random) -> Session:
    """plan: of a request, whose words are replaced by the utterance's."""
    line = replace(
        plan.lines[0], source=Source.SYNTHESIS, who=_user(studio, plan), text=utterance.text, pauses_ms=(), repair=False
    )
    scenario = studio.scenario(replace(plan, lines=(line,), locale=utterance.locale))
    heard = recorded(scenario, [])
    acts = acts_on(_last(heard.labels).end)
    score = Score(units=acts + 2)
    delegated = BACKEND[utterance.locale].get(utterance.kind)
    answer = delegated or ITSELF[utterance.locale].get(utterance.kind)
    if answer is None:
        return Session(score, _filled(heard.microphone, scenario, score.units))
    speaks = acts
    if delegated is not None:
        speaks = score.delegate(acts, utterance.text) + random.randint(*BACKEND_UNITS)
        score.backend[speaks] = answer
    said = _said(studio, answer, utterance.locale)
    begins = (speaks + 1) * CLOCK_HZ
    score.say(paced(answer, utterance.locale, begins, len(said)))
    gap_ms = (begins - _last(heard.labels).end) * 1000 // CLOCK_HZ
    whole = recorded(scenario, [], said, response_gap_ms=gap_ms)
    return Session(score, _filled(whole.microphone, scenario, score.units))


def _user(studio: Studio, plan: Plan) -> str:
    """A plan's voice; a recorded person can't say other words, so somebody does it for them."""
    who = plan.lines[0].who
    return who if who in BY_NAME else grown(studio.material.split, plan.locale)[plan.seed % 2].name


def ridden(studio: Studio, plan: Plan, turn: int) -> Session:
    """plan: of a ride, of which one reply and what is said over it are kept."""
    over = tuple(replace(line, turn=0) for line in plan.lines if line.cue is not Cue.CLOCK and line.turn == turn)
    reply = plan.replies[turn]
    scenario = studio.scenario(replace(plan, lines=over, replies=(reply,)))
    said = _said(studio, reply, plan.locale)
    begins = (RIDE_BEGINS_UNIT + 1) * CLOCK_HZ
    between_ms = begins * 1000 // CLOCK_HZ
    heard = recorded(scenario, [said], between_ms=between_ms, yields_after_ms=YIELDS_AFTER_MS)
    score = Score(units=unit_at(len(heard.microphone)))
    score.backend[RIDE_BEGINS_UNIT] = reply
    words = paced(reply, plan.locale, begins, len(said))
    taken = [label for label in heard.labels if label.target in ("stop", "yield")]
    if not taken:
        score.say(words)
    else:
        _yield(score, words, heard, taken[0], max(words))
    return Session(score, _filled(heard.microphone, scenario, score.units))


def _yield(score: Score, words: dict[int, str], heard: Record, label: Label, last: int) -> None:
    """The user takes the floor: the turn ends in the unit that has heard enough of it; what is asked instead is handed over."""
    until = unit_at(label.onset + YIELDS_AFTER_MS * CLOCK_HZ // 1000)
    ended = score.say(words, until if until <= last else None)
    if label.intent is not Intent.STOP:
        score.delegate(max(acts_on(label.end), ended + 1), label.text)


def _said(studio: Studio, text: str, locale: str) -> Pcm:
    """In the assistant's own voice."""
    style = ((STYLES[locale], 1.0),)
    return pcm16(studio.speech.say(text, Voice("assistant", studio.material.split, locale, style, style)))


def _last(labels: tuple[Label, ...]) -> Label:
    return max((label for label in labels if label.kind is Kind.REQUEST), key=lambda label: label.end)


def _filled(microphone: Pcm, scenario: Scenario, units: int) -> Pcm:
    """Exactly so many seconds, with the noise going on where it was shorter."""
    missing = units * CLOCK_HZ - len(microphone)
    if missing <= 0:
        return microphone[: units * CLOCK_HZ]
    at = np.arange(len(microphone), units * CLOCK_HZ)
    more = scenario.bed[at % len(scenario.bed)] if len(scenario.bed) else np.zeros(missing, np.int16)
    return np.concatenate([microphone, more.astype(np.int16)])
