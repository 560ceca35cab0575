"""The parts of a unit joined to the second that the model hears. Pure.

Each part stands where its clock says. What is missing, late, muted or lost is silence; more than a second is never kept. Does not know frames or words.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

import numpy as np
import numpy.typing as npt

from ridealong.cloud.frontends.base import PartIn, UnitIn
from ridealong.proto.types import CLOCK_HZ, MicrophoneState, Samples

MOST_PARTS: Final = 256


@dataclass(slots=True)
class Second:
    """Of one session. `silent`: units in which nothing was heard; `spare`: parts that did not fit."""

    silent: int = 0
    spare: int = 0
    _parts: list[tuple[Samples, bytes]] = field(default_factory=list)

    def part(self, part: PartIn) -> None:
        if part.microphone is not MicrophoneState.LIVE or not part.pcm16:
            return
        if len(self._parts) == MOST_PARTS:
            self.spare += 1
            return
        self._parts.append((part.start, part.pcm16))

    def unit(self, unit: UnitIn) -> npt.NDArray[np.float32]:
        """[16 000] in -1..1: the second that ends with this unit. What came before it is gone."""
        sound = np.zeros(CLOCK_HZ, np.float32)
        begin = unit.start + unit.samples - CLOCK_HZ
        parts, self._parts = self._parts, []
        for start, pcm16 in parts:
            heard = np.frombuffer(pcm16[: len(pcm16) // 2 * 2], "<i2").astype(np.float32) / 32768
            at = start - begin
            heard = heard[max(0, -at) :]
            at = max(0, at)
            length = min(len(heard), CLOCK_HZ - at)
            if length > 0:
                sound[at : at + length] = heard[:length]
        self.silent += not sound.any()
        return sound
