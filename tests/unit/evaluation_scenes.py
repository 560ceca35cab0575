"""Tiny scenarios of tones for the evaluation's tests, and a node that needs no models."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ridealong.cloud.config import CloudConfig, FrontEnd, FrontEndKind
from ridealong.proto.types import CLOCK_HZ, Samples, samples_from_ms
from ridealong.simulators.evaluation.riding import System
from ridealong.simulators.scenarios.scenario import Cue, Intent, Kind, Scenario, Sound, Split

SILENCE = np.zeros(0, np.int16)
REPLY = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen"


def tone(ms: float, hz: float = 700, peak: int = 6_000) -> np.ndarray:
    t = np.arange(samples_from_ms(ms)) / CLOCK_HZ
    return (peak * np.sin(2 * np.pi * hz * t)).astype(np.int16)


def sound(
    kind: Kind,
    at_ms: float,
    ms: float = 500,
    cue: Cue = Cue.REPLY,
    intent: Intent | None = None,
    lead_ms: float = 0,
    turn: int = 0,
) -> Sound:
    pcm = np.concatenate([np.zeros(samples_from_ms(lead_ms), np.int16), tone(ms)])
    return Sound(
        kind, pcm, cue, samples_from_ms(at_ms), samples_from_ms(lead_ms), Samples(len(pcm)), "words", "en", "voice", intent, turn=turn
    )  # fmt: skip


def scenario(
    *sounds: Sound, replies: tuple[str, ...] = (REPLY,), length_ms: float = 1_000, bed: np.ndarray = SILENCE, id: str = "s"
) -> Scenario:
    return Scenario(
        id, Split.REPORT, "en", 1, "driving alone", None, "", bed, None, tuple(sounds), replies, samples_from_ms(length_ms)
    )  # fmt: skip


def scripted(folder: Path, *lines: str) -> System:
    """The scripted front-end with these lines: it hears nothing, speaks in tones, and gives verdicts by the clock."""
    script = folder / "script.yaml"
    script.write_text("\n".join(f"- {line}" for line in lines) or "- {unit: 999, say: nothing}")
    return System.load(CloudConfig(frontend=FrontEnd(kind=FrontEndKind.SCRIPTED, script=script)), timed=False)
