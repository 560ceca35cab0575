"""Stage 3: everything on one clock, with labels that sit on the samples; as a `Scenario` for a ride, or as a record for training.

A line's `onset_ms` is when its *words* begin; the sound around them is placed so that they do. Does not know: voices, rooms, or what
the system does with a scenario.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ridealong.proto.types import CLOCK_HZ, Samples
from ridealong.simulators.scenarios.acoustics import Floats, pcm16
from ridealong.simulators.scenarios.plan import Plan, Source
from ridealong.simulators.scenarios.realise import Realised
from ridealong.simulators.scenarios.scenario import Cue, Intent, Kind, Scenario, Sound

LEAD_MS = 1_500
"""Before the first reply of a record that begins with no request."""
TAIL_MS = 1_500


def aligned(plan: Plan, realised: Sequence[Realised], bed: Floats) -> Scenario:
    """Raises ValueError where a sound holds nothing."""
    sounds: list[Sound] = []
    for one in realised:
        if one.end <= one.onset:
            raise ValueError(f"{plan.id}: a sound of {one.line.who} holds nothing")
        line = one.line
        at = ms(line.onset_ms) - one.onset
        if line.after_ms is not None and sounds:
            at = sounds[-1].at + sounds[-1].end + ms(line.after_ms) - one.onset
        sounds.append(
            Sound(
                line.kind, pcm16(one.samples), line.cue, Samples(at), Samples(one.onset), Samples(one.end), line.text, line.locale, line.who,
                line.intent, line.source is Source.RECORDING, tuple((Samples(a), Samples(b)) for a, b in one.pauses), line.turn,
            )
        )  # fmt: skip
    length = max([ms(plan.lasts_ms), *(sound.at + len(sound.pcm16) for sound in sounds if sound.cue is Cue.CLOCK)])
    return Scenario(
        plan.id, plan.split, plan.locale, plan.seed, plan.setting, plan.snr_db, plan.bed.name, pcm16(bed), plan.echo, tuple(sounds),
        plan.replies, Samples(length), plan.device_kind, plan.tags,
    )  # fmt: skip


def ms(milliseconds: int) -> Samples:
    return Samples(milliseconds * CLOCK_HZ // 1000)


TARGETS: dict[tuple[Kind, Intent | None], str] = {
    (Kind.BACKCHANNEL, None): "continue",
    (Kind.OTHER_DIRECTED, None): "continue",
    (Kind.BACKGROUND, None): "continue",
    (Kind.NOISE, None): "continue",
    (Kind.REQUEST, None): "respond",
    (Kind.INTERRUPTION, Intent.STOP): "stop",
    (Kind.INTERRUPTION, Intent.CORRECT): "yield",
    (Kind.INTERRUPTION, Intent.REDIRECT): "yield",
    (Kind.INTERRUPTION, Intent.FOLLOW_UP): "yield",
}
"""What a good assistant does."""
FALLS_SILENT = ("stop", "yield")
FADE_MS = 20


@dataclass(frozen=True, slots=True)
class Label:
    """On the record's clock. `who`: user, other or nobody."""

    kind: Kind
    onset: Samples
    end: Samples
    who: str
    target: str
    text: str
    intent: Intent | None = None
    pauses: tuple[tuple[Samples, Samples], ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Record:
    """Tracks of one length, mono 16 kHz: what the microphone hears without and with the echo, and what the assistant says.

    `spoken`: where the assistant speaks, one stretch for each piece that was given."""

    id: str
    user: NDArray[np.int16]
    microphone: NDArray[np.int16]
    assistant: NDArray[np.int16]
    spoken: tuple[tuple[Samples, Samples], ...]
    labels: tuple[Label, ...]


def recorded(
    scenario: Scenario,
    replies: Sequence[NDArray[np.int16]],
    answer: NDArray[np.int16] | None = None,
    *,
    response_gap_ms: int = 600,
    between_ms: int = 1_500,
    yields_after_ms: int = 500,
) -> Record:
    """The scenario offline, all at 16 kHz. `replies`: the sound of the scenario's replies; `answer`: to the request on its clock.

    The answer begins `response_gap_ms` after the request's end; each reply `between_ms` after all before it is over. Where the target is
    to stop or to yield, a reply ends `yields_after_ms` after the onset of the words. ValueError for another number of replies."""
    if len(replies) != len(scenario.replies):
        raise ValueError(f"{scenario.id} has {len(scenario.replies)} replies, not {len(replies)}")
    placed = [(sound, int(sound.at)) for sound in scenario.sounds if sound.cue is Cue.CLOCK]
    stretches: list[tuple[int, NDArray[np.int16]]] = []
    asked = [at + sound.end for sound, at in placed if sound.kind is Kind.REQUEST]
    if answer is not None and asked:
        stretches.append((max(asked) + ms(response_gap_ms), answer))
    for turn, said in enumerate(replies):
        over = [0, *(at + len(sound.pcm16) for sound, at in placed), *(at + len(pcm) for at, pcm in stretches)]
        begins = max(ms(LEAD_MS), max(over) + ms(between_ms))
        here = [(sound, begins + sound.at) for sound in scenario.sounds if sound.cue is not Cue.CLOCK and sound.turn == turn]
        cuts = [
            at + sound.onset + ms(yields_after_ms) - begins
            for sound, at in here
            if TARGETS[sound.kind, sound.intent] in FALLS_SILENT
        ]
        stretches.append((begins, _faded(said[: max(0, min([len(said), *cuts]))])))
        placed += here
    ends = [scenario.length, *(at + len(sound.pcm16) for sound, at in placed), *(at + len(pcm) for at, pcm in stretches)]
    length = max(ends) + ms(TAIL_MS)
    user = np.zeros(length, dtype=np.float64)
    if len(scenario.bed):
        user += scenario.bed[np.arange(length) % len(scenario.bed)]
    for sound, at in placed:
        user[at : at + len(sound.pcm16)] += sound.pcm16
    assistant, echo = np.zeros(length, dtype=np.int16), np.zeros(length)
    for at, pcm in stretches:
        assistant[at : at + len(pcm)] = pcm
        if scenario.echo is not None and len(pcm):
            heard = np.convolve(pcm.astype(np.float64), scenario.echo.taps())[: length - at]
            echo[at : at + len(heard)] += heard
    spoken = tuple((Samples(at), Samples(at + len(pcm))) for at, pcm in stretches)
    labels = tuple(sorted((_label(sound, at) for sound, at in placed), key=lambda label: label.onset))
    return Record(scenario.id, _whole(user), _whole(user + echo), assistant, spoken, labels)


def _label(sound: Sound, start: int) -> Label:
    who = {Kind.BACKGROUND: "other", Kind.NOISE: "nobody"}.get(sound.kind, "user")
    pauses = tuple((Samples(start + a), Samples(start + b)) for a, b in sound.pauses)
    target = TARGETS[sound.kind, sound.intent]
    return Label(
        sound.kind, Samples(start + sound.onset), Samples(start + sound.end), who, target, sound.text, sound.intent, pauses
    )


def _faded(samples: NDArray[np.int16]) -> NDArray[np.int16]:
    count = min(ms(FADE_MS), len(samples))
    faded = samples.astype(np.float64)
    faded[len(faded) - count :] *= np.linspace(1, 0, count)
    return _whole(faded)


def _whole(samples: NDArray[np.float64]) -> NDArray[np.int16]:
    return np.asarray(np.clip(np.rint(samples), -32768, 32767), dtype=np.int16)
