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
from ridealong.simulators.scenarios.plan import LEAD_MS, TAIL_MS, Plan, Source
from ridealong.simulators.scenarios.realise import Realised
from ridealong.simulators.scenarios.scenario import Cue, Intent, Kind, Scenario, Sound


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
                line.intent, line.source is Source.RECORDING, tuple((Samples(a), Samples(b)) for a, b in one.pauses),
            )
        )  # fmt: skip
    ends = [sound.at + len(sound.pcm16) + (ms(LEAD_MS) if sound.cue is Cue.REPLY else 0) for sound in sounds]
    length = max([ms(plan.length_ms), *(end + ms(TAIL_MS) for end in ends)])
    return Scenario(
        plan.id, plan.split, plan.locale, plan.seed, plan.setting, plan.snr_db, plan.bed.name, pcm16(bed), plan.echo, tuple(sounds),
        plan.reply, Samples(length), plan.device_kind, plan.tags,
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

    `assistant_from`, `assistant_to`: where it speaks (equal: never)."""

    id: str
    user: NDArray[np.int16]
    microphone: NDArray[np.int16]
    assistant: NDArray[np.int16]
    assistant_from: Samples
    assistant_to: Samples
    labels: tuple[Label, ...]


def recorded(scenario: Scenario, said: NDArray[np.int16], *, response_gap_ms: int = 600, yields_after_ms: int = 500) -> Record:
    """The scenario offline. `said`: the assistant's speech at 16 kHz: over which the overlaps happen, or the answer to the request.

    It begins `LEAD_MS` into the record, or `response_gap_ms` after the end of a request; where the target is to stop or yield, it ends
    `yields_after_ms` after the onset of the words."""
    asked = [sound for sound in scenario.sounds if sound.cue is Cue.CLOCK and sound.kind is Kind.REQUEST]
    begins = Samples(max(sound.at + sound.end for sound in asked) + ms(response_gap_ms)) if asked else ms(LEAD_MS)
    starts = [sound.at + (begins if sound.cue is Cue.REPLY else 0) for sound in scenario.sounds]
    labels = tuple(_label(sound, start) for sound, start in zip(scenario.sounds, starts, strict=True))
    ends = begins + len(said)
    for label in labels:
        if label.target in ("stop", "yield"):
            ends = min(ends, label.onset + ms(yields_after_ms))
    ends = max(ends, begins)
    spoken = _faded(said[: ends - begins])
    length = max(
        [scenario.length, ends + ms(TAIL_MS), *(start + len(s.pcm16) for s, start in zip(scenario.sounds, starts, strict=True))]
    )
    user = np.zeros(length, dtype=np.float64)
    if len(scenario.bed):
        user += scenario.bed[np.arange(length) % len(scenario.bed)]
    for sound, start in zip(scenario.sounds, starts, strict=True):
        user[start : start + len(sound.pcm16)] += sound.pcm16
    assistant = np.zeros(length, dtype=np.int16)
    assistant[begins:ends] = spoken
    echo = np.zeros(length)
    if scenario.echo is not None and len(spoken):
        heard = np.convolve(spoken.astype(np.float64), scenario.echo.taps())[: length - begins]
        echo[begins : begins + len(heard)] = heard
    return Record(scenario.id, _whole(user), _whole(user + echo), assistant, begins, Samples(ends), labels)


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
