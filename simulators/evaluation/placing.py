"""The room of a scenario: its sounds are mixed into the microphone as their cues fall due, over the bed and the assistant's echo.

A sound cued by a reply begins `at` samples after the first sample of that reply at the speaker (the first that is heard after
`expect(now)`), or after the reply was asked for.
Does not know who decides what is played, or what the sounds mean.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ridealong.proto.types import CLOCK_HZ, SPEECH_HZ, Samples
from ridealong.simulators.evaluation.facts import Placed
from ridealong.simulators.room import Room
from ridealong.simulators.scenarios.scenario import Cue, Scenario, Sound

FIRST_SAMPLE = 100  # of int16, -50 dBFS: softer than that nobody hears the speech begin


class ScenarioRoom(Room):
    """One ride's. `replies_at`: where the first sample of each reply was heard; `asked_at`: when it was asked for."""

    def __init__(self, scenario: Scenario) -> None:
        super().__init__(np.zeros(0, np.int16), scenario.echo, seed=scenario.seed)
        self._scenario = scenario
        self.replies_at: list[Samples] = []
        self.asked_at: list[Samples] = []
        self._expecting = False

    def expect(self, now: Samples) -> None:
        """The next reply is asked for: what is heard next is it."""
        self.asked_at.append(now)
        self._expecting = True

    def speaker_sink(self, at: Samples, pcm24k: bytes) -> None:
        if self._expecting:
            loud = np.flatnonzero(np.abs(np.frombuffer(pcm24k, "<i2").astype(np.int32)) >= FIRST_SAMPLE)
            if len(loud):
                self.replies_at.append(Samples(at + int(loud[0]) * CLOCK_HZ // SPEECH_HZ))
                self._expecting = False
        super().speaker_sink(at, pcm24k)

    def microphone_source(self, start: Samples, count: int) -> NDArray[np.int16]:
        mixed = super().microphone_source(start, count).astype(np.int32)
        bed = self._scenario.bed
        if len(bed):
            mixed += bed[np.arange(start, start + count) % len(bed)]
        for sound in self._scenario.sounds:
            first = self.position(sound)
            if first is None or first >= start + count or first + len(sound.pcm16) <= start:
                continue
            low, high = max(first, start), min(first + len(sound.pcm16), start + count)
            mixed[low - start : high - start] += sound.pcm16[low - first : high - first]
        return np.clip(mixed, -32768, 32767).astype(np.int16)

    def position(self, sound: Sound) -> Samples | None:
        """Where its first sample is heard; None while its cue has not come."""
        if sound.cue is Cue.CLOCK:
            return sound.at
        cues = self.replies_at if sound.cue is Cue.REPLY else self.asked_at
        return Samples(cues[sound.turn] + sound.at) if sound.turn < len(cues) else None

    def placed(self) -> tuple[Placed, ...]:
        """The labels of what was cued, in order of onset."""
        found = []
        for sound in self._scenario.sounds:
            first = self.position(sound)
            if first is not None:
                found.append(
                    Placed(
                        sound.kind.value, first + sound.onset, first + sound.end, sound.intent.value if sound.intent else "", sound.text,
                        sound.locale, sound.voice, sound.person, tuple((first + start, first + end) for start, end in sound.pauses),
                        None if sound.cue is Cue.CLOCK else sound.turn,
                    )
                )  # fmt: skip
        return tuple(sorted(found, key=lambda placed: placed.onset))
