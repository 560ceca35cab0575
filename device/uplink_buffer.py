"""Which sampled frames go out, and in which pieces. Sans-IO: no camera, no encoder, no link.

    Judged -> [Encode] or [Send(FrameTombstone)]          Encoded | EncodeFailed -> [Send(FrameFragment), …] or [Send(FrameTombstone)]

Every sampled frame gets the next frame id and exactly one fate. Usually all go out, kept by the gate or not: the gate decides what
is archived, not what the live window shows. In byte-saving mode (the setting, or while the link is poor) only kept frames go; the
others leave a tombstone. A frame that does not fit what is left of the byte budget leaves one too; frames that the gate did not keep may
spend half of it at most, so that they never cost one that it did. The budget is a rolling minute on the device clock.

Does not know: what the gate measures, how full the link's queue is, or what a JPEG holds.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import Final, assert_never

from ridealong.proto.types import (
    CLOCK_HZ,
    FRAGMENT_BYTES,
    MAX_FRAME_BYTES,
    UNIT_MS,
    FrameFragment,
    FrameId,
    FrameTombstone,
    GateNote,
    Samples,
    UnitIndex,
    samples_from_ms,
)

BUDGET_WINDOW: Final = 60 * CLOCK_HZ
ENCODING: Final = 8
UNIT_SAMPLES: Final = samples_from_ms(UNIT_MS)


@dataclass(frozen=True, slots=True)
class Judged:
    """A sampled frame that the gate has looked at."""

    capture: Samples
    gate: GateNote


@dataclass(frozen=True, slots=True)
class Encoded:
    frame: FrameId
    jpeg: bytes
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class EncodeFailed:
    frame: FrameId


@dataclass(frozen=True, slots=True)
class LinkPoor:
    """Bytes are saved while it is, whatever the setting."""

    poor: bool


Event = Judged | Encoded | EncodeFailed | LinkPoor


@dataclass(frozen=True, slots=True)
class Encode:
    """Make a JPEG of this frame and come back with Encoded or EncodeFailed."""

    frame: FrameId


@dataclass(frozen=True, slots=True)
class Send:
    body: FrameFragment | FrameTombstone


Effect = Encode | Send


@dataclass(slots=True)
class FrameCounters:
    kept: int = 0
    sent: int = 0
    archived: int = 0  # kept and sent
    tombstoned: int = 0
    bytes: int = 0


@dataclass(slots=True)
class UplinkBuffer:
    """`bytes_per_min`: 0 is no limit."""

    save_bytes: bool = False
    bytes_per_min: int = 0
    link_poor: bool = False
    counters: FrameCounters = field(default_factory=FrameCounters)
    _next: int = 0
    _encoding: dict[FrameId, Judged] = field(default_factory=dict)
    _spent: deque[tuple[int, int, bool]] = field(default_factory=deque)  # (capture, bytes, kept by the gate) of the last minute

    def on(self, event: Event) -> list[Effect]:
        match event:
            case Judged():
                return self._judged(event)
            case Encoded():
                return self._encoded(event)
            case EncodeFailed(frame=frame):
                judged = self._encoding.pop(frame, None)
                return [self._tombstone(frame, judged, "encode_failed")] if judged else []
            case LinkPoor(poor=poor):
                self.link_poor = poor
                return []
            case _:
                assert_never(event)

    @property
    def newest(self) -> FrameId:
        """Id of the last frame that was judged."""
        return FrameId(self._next - 1)

    def _judged(self, event: Judged) -> list[Effect]:
        frame = FrameId(self._next)
        self._next += 1
        self.counters.kept += event.gate.keep
        if (self.save_bytes or self.link_poor) and not event.gate.keep:
            return [self._tombstone(frame, event, "byte_saving")]
        if len(self._encoding) >= ENCODING:
            return [self._tombstone(frame, event, "encoder_busy")]
        self._encoding[frame] = event
        return [Encode(frame)]

    def _encoded(self, event: Encoded) -> list[Effect]:
        judged = self._encoding.pop(event.frame, None)
        if judged is None:
            return []
        size = len(event.jpeg)
        if not 0 < size <= MAX_FRAME_BYTES:
            return [self._tombstone(event.frame, judged, "too_large" if size else "encode_failed")]
        if not self._affordable(size, judged):
            return [self._tombstone(event.frame, judged, "budget")]
        self._spent.append((judged.capture, size, judged.gate.keep))
        self.counters.sent += 1
        self.counters.archived += judged.gate.keep
        self.counters.bytes += size
        count = -(-size // FRAGMENT_BYTES)
        return [
            Send(
                FrameFragment(
                    event.frame,
                    index,
                    count,
                    event.jpeg[index * FRAGMENT_BYTES : (index + 1) * FRAGMENT_BYTES],
                    UnitIndex(judged.capture // UNIT_SAMPLES),
                    judged.capture,
                    event.width,
                    event.height,
                    judged.gate,
                )
            )
            for index in range(count)
        ]

    def _affordable(self, size: int, judged: Judged) -> bool:
        while self._spent and self._spent[0][0] <= judged.capture - BUDGET_WINDOW:
            self._spent.popleft()
        if not self.bytes_per_min:
            return True
        spent = sum(part for _, part, _ in self._spent)
        loose = sum(part for _, part, keep in self._spent if not keep)
        return spent + size <= self.bytes_per_min and (judged.gate.keep or loose + size <= self.bytes_per_min // 2)

    def _tombstone(self, frame: FrameId, judged: Judged, reason: str) -> Send:
        self.counters.tombstoned += 1
        unit = UnitIndex(judged.capture // UNIT_SAMPLES)
        return Send(FrameTombstone(frame, unit, judged.capture, reason, judged.gate))
