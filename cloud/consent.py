"""What the device says that it may capture, kept to here too: what comes of a source without consent is neither kept nor used. Sans-IO.

    every message, as it arrives  ->  Consents.admitted(body)  ->  the same, or what is left of it

The device asks first and captures nothing; this is for what was still on its way, and for a device that is wrong. A part loses its sound and counts as muted, a piece of a picture becomes
the note that there is none; each is counted by its source. A source that the device has not spoken of may be used: a device without such a
setting has none.
Does not know who agreed, or what was kept before (snapshot.Evidence, intake.Intake and Watching forget it when consent ends).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from ridealong.proto.types import (
    CAMERA,
    MICROPHONE,
    Consent,
    FrameFragment,
    FrameTombstone,
    MicrophoneState,
    UnitPart,
    UplinkBody,
)


@dataclass(slots=True)
class Consents:
    """One per session. `refused` counts messages by source; `told(source)` is told of each. `withdrawn(source)`: consent to it ends, or was never there."""

    told: Callable[[str], None] = lambda source: None
    withdrawn: Callable[[str], None] = lambda source: None
    refused: Counter[str] = field(default_factory=Counter)
    _withheld: set[str] = field(default_factory=set)

    def admitted(self, body: UplinkBody) -> UplinkBody:
        match body:
            case Consent(scope=scope, granted=granted):
                (self._withheld.discard if granted else self._withheld.add)(scope)
                if not granted:
                    self.withdrawn(scope)
            case UnitPart() if MICROPHONE in self._withheld and body.pcm16:
                self._refuse(MICROPHONE)
                return replace(body, pcm16=b"", gap_samples=0, microphone=MicrophoneState.MUTED, speech_hint=False)
            case FrameFragment() if CAMERA in self._withheld:
                self._refuse(CAMERA)
                return FrameTombstone(body.frame, body.unit, body.capture, "not_consented", body.gate)
            case _:
                pass
        return body

    def _refuse(self, source: str) -> None:
        self.refused[source] += 1
        self.told(source)
