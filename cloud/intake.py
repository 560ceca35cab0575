"""What the device sends, put together for the front-end: parts on the session's clock, fragments to frames, frames and
typed text to units.

The session's clock is the device's: the end of the last part when it arrived, carried on by the owner's clock (`at_s`, monotonic). Sans-IO.

Does not know: what is in a part or a frame, front-ends, or what comes of a unit.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from dataclasses import dataclass, field

from ridealong.cloud.frontends.base import FrameIn, PartIn, UnitIn
from ridealong.cloud.lateness import Lateness
from ridealong.proto.types import CLOCK_HZ, FrameFragment, FrameId, MicrophoneState, Samples, UnitIndex, UnitPart

OPEN_FRAMES = 8
IN_TOUCH_MS = 2_000
"""What comes later than this comes out of a backlog: the device was not in touch when it was made."""
PARTS_REMEMBERED = 256


@dataclass(slots=True)
class Frames:
    """Fragments to whole frames. At most OPEN_FRAMES in the making; the oldest is given up, counted."""

    open: OrderedDict[FrameId, dict[int, FrameFragment]] = field(default_factory=OrderedDict)
    broken: int = 0

    def on(self, fragment: FrameFragment) -> FrameIn | None:
        parts = self.open.setdefault(fragment.frame, {})
        parts[fragment.index] = fragment
        if len(parts) == fragment.count:
            del self.open[fragment.frame]
            jpeg = b"".join(parts[index].data for index in range(fragment.count))
            return FrameIn(fragment.frame, fragment.capture, fragment.width, fragment.height, jpeg, fragment.gate)
        if len(self.open) > OPEN_FRAMES:
            self.open.popitem(last=False)
            self.broken += 1
        return None


@dataclass(slots=True)
class Intake:
    """One per session. `position_at_s`: when it began.

    Late is what arrived late, not what was worked on late: only the link makes a backlog, never a machine with too much to do."""

    position_at_s: float
    lateness: Lateness = field(default_factory=Lateness)
    position: Samples = Samples(0)
    in_touch: Samples | None = None  # of the device's clock, while its parts came as they were made; None before the first
    unit_index: UnitIndex = UnitIndex(0)
    frames: Frames = field(default_factory=Frames)
    _whole_frames: list[FrameIn] = field(default_factory=list)
    _late: deque[tuple[Samples, float]] = field(default_factory=lambda: deque(maxlen=PARTS_REMEMBERED))

    def now(self, at_s: float) -> Samples:
        """Device time as far as it was worked on: the last part's end, carried on."""
        return Samples(self.position + round((at_s - self.position_at_s) * CLOCK_HZ))

    def device_now(self, at_s: float) -> Samples:
        """The device's own clock, however far this node is behind with its work."""
        known = self.lateness.device_now(at_s)
        return self.now(at_s) if known is None else known

    def part(self, body: UnitPart, at_s: float, arrived_s: float | None = None) -> PartIn:
        """What was lost before it is a jump of the clock, not silence. `arrived_s`: where that was before `at_s`, when it is worked on."""
        arrived_s = at_s if arrived_s is None else arrived_s
        self.position, self.position_at_s = Samples(body.start + body.samples), arrived_s
        self.unit_index = body.unit
        late_ms = self.lateness.made(self.position, arrived_s)
        self._late.append((self.position, late_ms))
        self.in_touch = Samples((self.in_touch or 0) + (body.samples if late_ms <= IN_TOUCH_MS else 0))
        start = Samples(body.start + body.gap_samples)
        return PartIn(
            body.unit, body.part, body.last, start, self.position - start, body.pcm16, body.microphone, body.speech_hint,
            body.speaker_active, late_ms,
        )  # fmt: skip

    def nothing(self) -> PartIn:
        """Between two parts: the front-end may have something to say."""
        return PartIn(self.unit_index, 0, False, self.position, 0, b"", MicrophoneState.LIVE, False, False)

    def fragment(self, body: FrameFragment) -> FrameIn | None:
        """The frame that it makes whole; it goes into the next unit, too."""
        frame = self.frames.on(body)
        if frame is not None:
            self._whole_frames.append(frame)
        return frame

    def forget_frames(self) -> None:
        """The camera may not be used any more."""
        self.frames.open.clear()
        self._whole_frames.clear()

    def unit(self, late_ms: float) -> UnitIn:
        """The unit that the last part has ended."""
        frames, self._whole_frames = tuple(self._whole_frames), []
        began = Samples(max(0, self.position - CLOCK_HZ))
        return UnitIn(self.unit_index, began, self.position - began, frames, (), late_ms)

    def typed(self, text: str, at_s: float) -> UnitIn:
        """Typed words wait for no boundary."""
        return UnitIn(self.unit_index, self.now(at_s), 0, (), (text,))

    def out_of_backlog(self, at: Samples) -> bool:
        """This instant lies in a part that came out of a backlog: what was said then is not acted on."""
        return next((late_ms for end, late_ms in self._late if end >= at), 0.0) > IN_TOUCH_MS

    def typed_long_ago(self, at: Samples, arrived_s: float) -> bool:
        """Something of this device time arrived out of a backlog."""
        return self.lateness.came(at, arrived_s) > IN_TOUCH_MS
