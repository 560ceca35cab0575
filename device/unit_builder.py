"""Cuts the microphone's samples into 1-second units, sent as parts of 200 ms, 100 ms around speech. Sans-IO: no clock, no microphone, no link.

    MicBlock | Muted | Unmuted | Lost | Tick  ->  UnitBuilder.on(event)  ->  [EmitPart(UnitPart)]

Unit k covers device samples [16000 k, 16000 (k+1)); each has exactly one `last` part, whatever happens to the microphone. A part has
one microphone state and may begin with a gap: its first `gap_samples` were lost and its `pcm16` holds the rest, so that
`len(pcm16) / 2 == samples - gap_samples` while live. A muted or lost span carries no samples at all, never silence that pretends
to be heard.

While it is quiet (no speech hint, speaker not active, 2 s since either) a second is held back and travels as one part; the first
hint sends what was held at once. While somebody speaks, and for a while after, parts are short: the cloud knows sooner that it ended.

Invariant: parts are contiguous: each starts where the last one ended. Does not know: echo, speech, or who listens.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, assert_never

import numpy as np
from numpy.typing import NDArray

from ridealong.proto.types import CLOCK_HZ, PART_MS, UNIT_MS, MicrophoneState, Samples, UnitIndex, UnitPart, samples_from_ms

UNIT_SAMPLES: Final = samples_from_ms(UNIT_MS)
PART_SAMPLES: Final = samples_from_ms(PART_MS)
VOICE_PART_SAMPLES: Final = samples_from_ms(100)
VOICE_TAIL_SAMPLES: Final = samples_from_ms(800)
"""Parts stay short for so long behind the last hint: the end of a turn is decided here."""
QUIET_AFTER_SAMPLES: Final = 2 * CLOCK_HZ
STALE_SAMPLES: Final = 3 * CLOCK_HZ
"""A live microphone that has given nothing for so long is treated as lost until its next block."""


@dataclass(frozen=True, slots=True)
class MicBlock:
    """`pcm16`: int16 samples at 16 kHz, the first at `start`."""

    start: Samples
    pcm16: NDArray[np.int16]
    speech_hint: bool = False
    speaker_active: bool = False


@dataclass(frozen=True, slots=True)
class Muted:
    at: Samples


@dataclass(frozen=True, slots=True)
class Unmuted:
    at: Samples


@dataclass(frozen=True, slots=True)
class Lost:
    at: Samples


@dataclass(frozen=True, slots=True)
class Tick:
    at: Samples
    speaker_active: bool = False


Event = MicBlock | Muted | Unmuted | Lost | Tick


@dataclass(frozen=True, slots=True)
class EmitPart:
    part: UnitPart


Effect = EmitPart


@dataclass(slots=True)
class _Span:
    """What is held back: one microphone state, contiguous from `start`; a gap only at its beginning."""

    start: int
    microphone: MicrophoneState
    samples: int = 0
    gap: int = 0
    pieces: list[bytes] = field(default_factory=list)
    speech_hint: bool = False
    speaker_active: bool = False


@dataclass(slots=True)
class UnitBuilder:
    position: int = 0
    muted: bool = False
    lost: bool = False
    late_samples: int = 0  # arrived for a place that was already sent; dropped
    gap_samples: int = 0
    _span: _Span | None = None
    _part: int = 0
    _busy_until: int = QUIET_AFTER_SAMPLES
    _voice_until: int = 0

    def on(self, event: Event) -> list[Effect]:
        match event:
            case MicBlock():
                return self._block(event)
            case Muted(at=at):
                effects = self._advance(at)
                self.muted = True
                return effects
            case Unmuted(at=at):
                effects = self._advance(at)
                self.muted = False
                return effects
            case Lost(at=at):
                # What lies before was live: only time since the last sample is lost.
                self.lost = True
                return self._advance(at)
            case Tick(at=at, speaker_active=active):
                return self._tick(at, active)
            case _:
                assert_never(event)

    @property
    def state(self) -> MicrophoneState:
        if self.muted:
            return MicrophoneState.MUTED
        return MicrophoneState.LOST if self.lost else MicrophoneState.LIVE

    def _block(self, event: MicBlock) -> list[Effect]:
        start, pcm16 = event.start, event.pcm16
        if start < self.position:
            late = min(self.position - start, len(pcm16))
            self.late_samples += 0 if self.muted else late
            start, pcm16 = Samples(start + late), pcm16[late:]
            if not len(pcm16):
                self.lost = False
                return []
        if event.speaker_active or (event.speech_hint and not self.muted):
            self._busy_until = start + len(pcm16) + QUIET_AFTER_SAMPLES
        if event.speech_hint and not self.muted:
            self._voice_until = start + len(pcm16) + VOICE_TAIL_SAMPLES
        effects: list[Effect] = []
        if start > self.position:
            effects += self._missing(start)
        self.lost = False
        if self.muted:
            return effects + self._fill(start + len(pcm16), None, False, event.speaker_active)
        return effects + self._fill(start + len(pcm16), pcm16, event.speech_hint, event.speaker_active)

    def _missing(self, until: int) -> list[Effect]:
        """Nothing was captured up to here: as lost (or muted) time when it was known, as a gap when it was not."""
        if self.muted or self.lost:
            return self._fill(until, None, False, False)
        self.gap_samples += until - self.position
        effects = self._close()
        while self.position < until:
            step = min(until, self._part_end()) - self.position
            self._open(MicrophoneState.LIVE)
            assert self._span is not None
            self._span.samples += step
            self._span.gap += step
            self.position += step
            if self.position == self._part_end(step):
                effects += self._close()
        return effects

    def _tick(self, at: int, speaker_active: bool) -> list[Effect]:
        if speaker_active:
            self._busy_until = max(self._busy_until, at + QUIET_AFTER_SAMPLES)
        if not self.muted and not self.lost:
            if at - self.position < STALE_SAMPLES:
                return []
            self.lost = True
        return self._advance(at)

    def _advance(self, at: int) -> list[Effect]:
        """Time passed without samples. A live microphone's samples are still on their way: leave room for them."""
        if at <= self.position or not (self.muted or self.lost):
            return []
        return self._fill(at, None, False, False)

    def _fill(self, until: int, pcm16: NDArray[np.int16] | None, speech_hint: bool, speaker_active: bool) -> list[Effect]:
        """Take the span up to `until`, closing parts at their ends."""
        effects: list[Effect] = []
        begin = self.position
        state = self.state
        if self._span is not None and self._span.microphone is not state:
            effects += self._close()
        if speech_hint and self._span is not None and self._span.samples >= VOICE_PART_SAMPLES:
            effects += self._close()  # what was held in a quiet second goes at once
        while self.position < until:
            end = min(until, self._part_end())
            self._open(state)
            span = self._span
            assert span is not None
            if pcm16 is not None:
                span.pieces.append(pcm16[self.position - begin : end - begin].astype("<i2").tobytes())
            span.samples += end - self.position
            span.speech_hint |= speech_hint
            span.speaker_active |= speaker_active
            boundary = self._part_end()
            self.position = end
            if end == boundary and (end % UNIT_SAMPLES == 0 or not self._quiet()):
                effects += self._close()
        return effects

    def _part_end(self, back: int = 0) -> int:
        """End of the slot in which the position (or what lies `back` before it) falls."""
        at = self.position - back
        slot = VOICE_PART_SAMPLES if at < self._voice_until else PART_SAMPLES
        return (at // slot + 1) * slot

    def _quiet(self) -> bool:
        return self.position >= self._busy_until

    def _open(self, state: MicrophoneState) -> None:
        if self._span is None:
            self._span = _Span(self.position, state)

    def _close(self) -> list[Effect]:
        span, self._span = self._span, None
        if span is None:
            return []
        last = (span.start + span.samples) % UNIT_SAMPLES == 0
        live = span.microphone is MicrophoneState.LIVE
        whole_gap = live and span.gap == span.samples
        part = UnitPart(
            unit=UnitIndex(span.start // UNIT_SAMPLES),
            part=self._part,
            last=last,
            start=Samples(span.start),
            samples=span.samples,
            pcm16=b"".join(span.pieces) if live else b"",
            microphone=MicrophoneState.LOST if whole_gap else span.microphone,
            speech_hint=span.speech_hint,
            speaker_active=span.speaker_active,
            gap_samples=span.gap if live and not whole_gap else 0,
        )
        self._part = 0 if last else self._part + 1
        return [EmitPart(part)]
