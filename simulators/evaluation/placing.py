"""The room of a scenario: its sounds are mixed into the microphone as their cues fall due, over the bed and the assistant's echo.

A sound cued by the reply begins `at` samples after the first sample of speech that the speaker played. Does not know who decides what
is played, or what the sounds mean.
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
    """One ride's. `reply_at`: where the first sample of the reply was heard, once it was."""

    def __init__(self, scenario: Scenario) -> None:
        super().__init__(np.zeros(0, np.int16), scenario.echo, seed=scenario.seed)
        self._scenario = scenario
        self.reply_at: Samples | None = None

    def speaker_sink(self, at: Samples, pcm24k: bytes) -> None:
        if self.reply_at is None:
            loud = np.flatnonzero(np.abs(np.frombuffer(pcm24k, "<i2").astype(np.int32)) >= FIRST_SAMPLE)
            if len(loud):
                self.reply_at = Samples(at + int(loud[0]) * CLOCK_HZ // SPEECH_HZ)
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
        return None if self.reply_at is None else Samples(self.reply_at + sound.at)

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
                    )
                )  # fmt: skip
        return tuple(sorted(found, key=lambda placed: placed.onset))

    @property
    def last_end(self) -> Samples | None:
        """Where the last sound ends; None while a cue has not come."""
        ends = [Samples(0)]
        for sound in self._scenario.sounds:
            first = self.position(sound)
            if first is None:
                return None
            ends.append(Samples(first + len(sound.pcm16)))
        return max(ends)
