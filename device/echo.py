"""Takes the assistant's own voice out of the microphone, and says whether somebody speaks over it.

    rendered(at, pcm24k)  then  clean(start, pcm16) -> Cleaned(pcm16, residual_db, bypassed, evidence_db, lasting)

The reference is what the speaker really rendered, at the device time at which it is heard. A linear filter (`echo_filter`) takes out
what it explains, and only that, so that speech of people here is left whole. What remains is judged (`echo_residual`): echo that is
left, noise, or somebody. While nobody speaks here it is turned down to the noise. A delay that the filter's tail does not cover and a
loudspeaker clock that drifts (`echo_delay`) are taken off the reference. Nothing rendered for a second: samples pass untouched.

`evidence_db` is what `near_end` weighs: the excess over echo and noise, added up over 10 ms blocks less what chance brings; a click
does not reach the margin. `lasting`: the last block's excess lasts to its end, which a click's does not. `residual_db`: how much echo may
be left.

Does not know: words, ducking, or devices. One caller at a time.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ridealong.device.echo_delay import LATEST, LISTENED, NEEDED_REFERENCE, DelayFinder, DriftFinder
from ridealong.device.echo_filter import BLOCK, PARTITIONS, Floats, LinearFilter
from ridealong.device.echo_reference import ACTIVE_LEVEL, Reference
from ridealong.device.echo_residual import Residual
from ridealong.device.voice_activity import SILENCE_DB
from ridealong.proto.types import CLOCK_HZ, Samples

FULL: Final = np.float32(32768.0)
PASS_AFTER: Final = CLOCK_HZ
CERTAIN_DB: Final = 99.0
LOOK_AFTER: Final = CLOCK_HZ // 5  # how long ago the stretch ends in which the delay is looked for: the reference may run ahead
LOOK_BLOCKS: Final = 25
FOUND_LOOK_BLOCKS: Final = 100
DRIFT_BLOCKS: Final = 50
READY_BLOCKS: Final = 150  # of sound, at the very first: an echo of unknown delay is not a user
LEAD: Final = BLOCK  # of the direct path within the filter, when it is moved
LEAST_LEAD: Final = 16
MOST_LEAD: Final = CLOCK_HZ * 12 // 100
EXPLAINED: Final = 0.1  # error by microphone power: a filter that does this well is not moved
LEARNT: Final = 0.3  # enough to see the phase turn
BEYOND: Final = 4.0  # of the microphone's power: what the filter makes of noise while it knows no path
WORTH_DECAY: Final = 0.98  # half a second


@dataclass(frozen=True, slots=True)
class Cleaned:
    pcm16: NDArray[np.int16]
    residual_db: float
    bypassed: bool
    evidence_db: float = CERTAIN_DB
    lasting: bool = False


class EchoCanceller:
    def __init__(self, delay_ms: float = 0.0) -> None:
        """`delay_ms`: known delay of the sound system, where the reference does not account for it; it is found, too."""
        self._lag = delay_ms * CLOCK_HZ / 1000  # of the reference
        self.reference = Reference()
        self.filter = LinearFilter()
        self.residual = Residual()
        self._delay, self._drift = DelayFinder(), DriftFinder()
        self._position: int | None = None
        self.resets = 0
        self.delay_moves = 0
        self.reset()
        self.resets = 0

    @property
    def restarts(self) -> int:
        """How often the path was found to be another."""
        return self.filter.restarts

    @property
    def delay_ms(self) -> float:
        """What is taken off the reference now."""
        return self._lag * 1000 / CLOCK_HZ

    @property
    def drift_ppm(self) -> float:
        return self._drift.rate * 1e6

    def reset(self) -> None:
        """The microphone or its rate changed: what was learnt is of another path."""
        self.filter.clear()
        self.residual.clear()
        self._delay.clear()
        self._drift.clear()
        self._heard = np.zeros(LISTENED + LOOK_AFTER, np.float32)  # the microphone, newest last
        self._known = 0  # of it
        self._blocks = 0
        self._ready = False  # to tell an echo from a user
        self._delay_due = LOOK_BLOCKS
        self._before = self._after = 0.0  # microphone and error power while the speaker sounds, smoothed
        self._gain = 1.0
        self.resets += 1

    def rendered(self, at: Samples, pcm24k: NDArray[np.int16]) -> None:
        moved = self.reference.add(at, pcm24k)
        if moved:
            self.filter.shift(moved)
            self._drift.clear()

    def clean(self, start: Samples, pcm16: NDArray[np.int16]) -> Cleaned:
        """Same length, no delay: whole 10 ms blocks are cleaned; a shorter rest (other block lengths only) is cleaned by the filter as is."""
        if self._position != start:  # a gap: the spectra of the past no longer fit
            self.filter.recall(self._history(start))
            self._known = 0
        self._position = start + len(pcm16)
        sound = pcm16.astype(np.float32) / FULL
        if start - self._lag - self.reference.last_active > PASS_AFTER:
            self.filter.forget_far()
            self._known, self._gain = 0, 1.0
            for at in range(0, len(sound) - BLOCK + 1, BLOCK):
                self.residual.idle(sound[at : at + BLOCK])
            return Cleaned(pcm16, SILENCE_DB, True)
        out, left, evidence, lasting = np.empty(len(sound), np.float32), 0.0, 0.0, False
        for at in range(0, len(sound), BLOCK):
            piece = sound[at : at + BLOCK]
            error = self._block(start + at, piece)
            if len(piece) == BLOCK:
                judged = self.residual.block(error, self.filter.echo, self.filter.explained, self.filter.coherence)
                ramp = np.full(BLOCK, judged.gain, np.float32)
                ramp[: BLOCK // 4] = np.linspace(self._gain, judged.gain, BLOCK // 4, endpoint=False)
                self._gain = judged.gain
                left, evidence, lasting = max(left, judged.left), max(evidence, judged.evidence_db), judged.lasting
                error = error * ramp
            out[at : at + len(piece)] = error
        cleaned = np.clip(np.rint(out * FULL), -32768, 32767).astype(np.int16)
        if not self._ready:
            evidence = 0.0
        return Cleaned(cleaned, max(SILENCE_DB, 10 * math.log10(left + 1e-12)), False, evidence, lasting)

    def _block(self, start: int, microphone: Floats) -> Floats:
        far = self.reference.get(start - self._lag, BLOCK) / FULL
        restarts = self.filter.restarts
        error = self.filter.block(far, microphone)
        echo = self.filter.echo[: len(microphone)]
        if float(echo @ echo) > BEYOND * float(microphone @ microphone):  # more echo than there is sound: there is none of it
            error = microphone.copy()
        if self.filter.restarts != restarts:
            self.residual.retract()
            self._drift.clear()
        if len(microphone) == BLOCK:
            self._heard[:-BLOCK] = self._heard[BLOCK:].copy()
            self._heard[-BLOCK:] = microphone
            self._known += BLOCK
            if float(far @ far) > BLOCK * (ACTIVE_LEVEL / float(FULL)) ** 2:
                self._follow(start + BLOCK, microphone, error)
            self._lag += self._drift.rate * BLOCK
        return error

    def _follow(self, end: int, microphone: Floats, error: Floats) -> None:
        """Delay and drift, while the speaker sounds."""
        self._blocks += 1
        self._before = WORTH_DECAY * self._before + float(microphone @ microphone)
        self._after = WORTH_DECAY * self._after + float(error @ error)
        self._ready |= self._blocks > READY_BLOCKS or (self._blocks > LOOK_BLOCKS and self._after < 0.5 * self._before)
        if self._blocks % DRIFT_BLOCKS == 0 and self._after < LEARNT * self._before:
            self._drift.look(self.filter.filters, DRIFT_BLOCKS * BLOCK)
        if self._blocks < self._delay_due or self._known < len(self._heard):
            return
        first = end - LOOK_AFTER - LISTENED
        delay = self._delay.look(self._heard[:LISTENED], self.reference.get(first - LATEST, NEEDED_REFERENCE) / FULL)
        self._delay_due = self._blocks + (LOOK_BLOCKS if delay is None else FOUND_LOOK_BLOCKS)
        self._ready |= delay is not None
        explains = self._after < EXPLAINED * self._before
        if delay is not None and not explains and not LEAST_LEAD <= delay - self._lag <= MOST_LEAD:
            self._move(delay - LEAD, end)

    def _move(self, lag: float, end: int) -> None:
        self.filter.shift(round(self._lag - lag))
        self._lag = lag
        self.filter.recall(self._history(end))
        self._drift.clear()
        self.residual.retract()
        self.delay_moves += 1

    def _history(self, end: int) -> Floats:
        """What the filter would remember at this position."""
        samples = (PARTITIONS + 1) * BLOCK
        return self.reference.get(end - self._lag - samples, samples) / FULL


def near_end(now: bool, cleaned: Cleaned, margin_db: float = 6.0) -> bool:
    """Somebody speaks here: it sounds like speech and is more than echo and noise."""
    return now and cleaned.evidence_db > margin_db
