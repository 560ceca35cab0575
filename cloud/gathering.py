"""What the device sends beside sound and words, gathered for requests to come: pictures, places, readings, files, and what may be captured at all.

An adapter between the session's messages and its evidence. What is watched for in it, and what is kept how long, is decided there.
Does not know sound, front-ends, requests, or who sends.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import assert_never

from ridealong.cloud.frontends.base import FrameIn
from ridealong.cloud.intake import Intake
from ridealong.cloud.timeline import Timeline
from ridealong.harness.snapshot import Evidence
from ridealong.proto.types import CAMERA, Attachment, Consent, FrameFragment, FrameTombstone, Location, VehicleState

Gathered = FrameFragment | FrameTombstone | VehicleState | Location | Consent | Attachment


class Gathering:
    """One per session. `watch` is told what may be watched for, in order. `frames`: whole ones."""

    def __init__(
        self, evidence: Evidence, timeline: Timeline, intake: Intake, watch: Callable[[FrameIn | VehicleState | Consent], None]
    ) -> None:
        self._evidence, self._timeline, self._intake, self._watch = evidence, timeline, intake, watch
        self.frames = 0

    def take(self, body: Gathered) -> None:
        match body:
            case FrameFragment():
                frame = self._intake.fragment(body)
                if frame is not None:
                    self.frames += 1
                    self._evidence.observe_frame(frame.frame, frame.capture, frame.jpeg, frame.gate.keep)
                    self._timeline.add(frame.capture, "frame", ref=str(frame.frame))
                    self._watch(frame)
            case FrameTombstone(frame=frame_id, capture=capture, gate=gate):
                self._evidence.observe_no_frame(frame_id, capture, gate.keep)
                self._timeline.add(capture, "frame", "not sent", str(frame_id))
            case VehicleState(at=at, signals=signals):
                self._evidence.observe_signals(at, signals)
                self._watch(body)
            case Location():
                self._evidence.observe_place(body)
            case Attachment(at=at, name=name, mime=mime, data=data):
                self._evidence.observe_attached(name, mime, at, data)
            case Consent(scope=scope, granted=granted):
                self._evidence.observe_consent(scope, granted)
                if scope == CAMERA and not granted:
                    self._intake.forget_frames()
                self._watch(body)
            case _:
                assert_never(body)
