"""I6: nothing is captured from a source without consent, whatever is muted, agreed to, withdrawn, lost or put in its place."""

from __future__ import annotations

import wave
from pathlib import Path

import numpy as np
import pytest
from device_ride import Ride, run
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from ridealong.device.config import CameraConfig, ConsentConfig, DeviceConfig, RecordingConfig, SoundConfig
from ridealong.device.consent import Consents, Granted, Source, Withdrawn
from ridealong.device.link import LinkState
from ridealong.proto.types import Consent, FrameFragment, FrameTombstone, MicrophoneState, Samples, UnitPart

pytestmark = pytest.mark.unit

MICROPHONE, CAMERA = Source.MICROPHONE, Source.CAMERA
LINK = ((1.0, LinkState.OFFLINE), (2.0, LinkState.OPEN))
SOUND = SoundConfig(echo_cancellation=False)
LOUD = 1_000
LEAST_BETWEEN = 320
"""Two blocks of the microphone: none takes another's place and gives it back within one."""


def room(start: int, samples: int) -> NDArray[np.int16]:
    return np.full(samples, LOUD, np.int16)


class Watched(Ride):
    """A ride that knows who agreed to what when: by its own account, from what was done to the agent."""

    def __init__(self, consent: ConsentConfig, recording: Path | None = None) -> None:
        self.looks: list[Samples] = []
        self.silent = False
        config = DeviceConfig(
            camera=CameraConfig(every_ms=100), sound=SOUND, consent=consent, recording=RecordingConfig(recording)
        )
        super().__init__(self._ear, config, camera=self._eye)
        self.muted, self.name, self.changed = False, "simulated", Samples(-LEAST_BETWEEN)
        self.agreed: dict[Source, str] = {}
        self.agreed |= {MICROPHONE: "simulated"} if consent.microphone else {}
        self.agreed |= {CAMERA: "simulated"} if consent.camera else {}
        self.log: list[tuple[int, bool, bool]] = [(0, *self._allowed())]  # from this sample on: microphone, camera

    def _ear(self, start: int, samples: int) -> NDArray[np.int16] | None:
        return None if self.silent else room(start, samples)

    def _eye(self, at: Samples) -> NDArray[np.uint8]:
        self.looks.append(at)
        return np.full((16, 16, 3), len(self.looks) * 37 % 256, np.uint8)

    def _allowed(self) -> tuple[bool, bool]:
        return (not self.muted and self.agreed.get(MICROPHONE) == self.name, CAMERA in self.agreed)

    def do(self, action: str) -> None:
        agent = self.agent
        match action:
            case "mute" | "unmute":
                self.muted = action == "mute"
                agent.mute() if self.muted else agent.unmute()
            case "allow microphone":
                self.agreed[MICROPHONE] = self.name
                agent.sources.allow(MICROPHONE)
            case "allow camera":
                self.agreed[CAMERA] = "simulated"
                agent.sources.allow(CAMERA)
            case "disallow microphone" | "disallow camera":
                source = Source(action.split()[1])
                self.agreed.pop(source, None)
                agent.sources.disallow(source)
            case "other microphone" | "own microphone":  # the glasses are switched off, and the phone answers
                if agent.now() - self.changed >= LEAST_BETWEEN:
                    self.name, self.changed = "phone" if action.startswith("other") else "simulated", agent.now()
                    agent._microphone.name = self.name  # type: ignore[misc]
            case "lose" | "find":
                self.silent = action == "lose"
        self.log.append((agent.now(), *self._allowed()))

    def allowed(self, which: int, at: int) -> bool:
        """By the last thing that was done before this instant (at the very instant either may hold)."""
        past = [entry for entry in self.log if entry[0] < at] or self.log[:1]
        return past[-1][which] or any(entry[0] == at and entry[which] for entry in self.log)


ACTIONS = st.sampled_from(
    ["mute", "unmute", "allow microphone", "allow camera", "disallow microphone", "disallow camera", "other microphone", "own microphone", "lose", "find"]
)  # fmt: skip


CHANGED_AND_ALLOWED = [(7, "other microphone"), (1, "allow microphone"), (27, "own microphone"), (1, "allow microphone")]
"""The last two within one block, which is read at its end."""


@example(ConsentConfig(False, False), CHANGED_AND_ALLOWED)
@settings(max_examples=25, deadline=None)
@given(
    st.builds(ConsentConfig, st.booleans(), st.booleans()),
    st.lists(st.tuples(st.integers(1, 900), ACTIONS), max_size=12),
)
def test_nothing_is_captured_without_consent(consent: ConsentConfig, steps: list[tuple[int, str]]) -> None:
    ride = Watched(consent)
    script, at_ms = [], 0
    for wait_ms, action in steps:
        at_ms += wait_ms
        script.append((at_ms / 1000, lambda action=action: ride.do(action)))

    async def main() -> None:
        await ride.go(at_ms / 1000 + 1.0, *script)

    run(main())
    parts: list[UnitPart] = ride.sent(UnitPart)
    assert [part.start for part in parts[1:]] == [part.start + part.samples for part in parts[:-1]], "no hole in the clock"
    for part in parts:
        pcm = np.frombuffer(part.pcm16, np.int16)
        first = part.start + part.gap_samples
        heard = np.flatnonzero(pcm) + first
        forbidden = [at for at in (heard[:1].tolist() + heard[-1:].tolist() + heard[::37].tolist()) if not ride.allowed(1, at)]
        assert not forbidden, (part.start, forbidden[:3], ride.log)
        assert part.microphone is MicrophoneState.LIVE or not part.pcm16
    assert all(ride.allowed(2, at) for at in ride.looks), "a camera without consent is not even asked"
    assert all(ride.allowed(2, frame.capture) for frame in [*ride.sent(FrameFragment), *ride.sent(FrameTombstone)])
    told = {source: [body.granted for body in ride.sent(Consent) if body.scope == source.value] for source in Source}
    for course in told.values():
        assert all(a != b or a for a, b in zip(course, course[1:], strict=False))


def test_glasses_off_and_a_second_microphone_is_not_captured() -> None:
    """Field report F: the phone's microphone turned on by itself."""
    ride = Watched(ConsentConfig())

    async def main() -> None:
        await ride.go(5.0, (1.5, lambda: ride.do("other microphone")), (3.5, lambda: ride.do("own microphone")))

    run(main())
    heard = [part for part in ride.sent(UnitPart) if part.pcm16]
    assert heard and not [part for part in heard if 24_320 <= part.start < 55_680]
    assert max(part.start for part in heard) >= 64_000, "its own microphone is heard again"


def test_what_was_never_agreed_to_is_not_captured_and_a_later_yes_opens_it(tmp_path: Path) -> None:
    ride = Watched(ConsentConfig(microphone=False, camera=False), tmp_path / "ride.wav")

    async def main() -> None:
        await ride.go(
            4.0,
            (2.005, lambda: ride.do("allow microphone")),
            (2.505, lambda: ride.do("allow camera")),
        )

    run(main())
    assert min(part.start for part in ride.sent(UnitPart) if part.pcm16) >= 2 * 16_000
    assert ride.looks and min(ride.looks) > 2.5 * 16_000
    told = [(body.scope, body.granted) for body in ride.sent(Consent)]
    assert told == [("microphone", False), ("camera", False), ("microphone", True), ("camera", True)]
    with wave.open(str(tmp_path / "ride.wav")) as recorded:
        left = np.frombuffer(recorded.readframes(recorded.getnframes()), np.int16)[0::2]
    assert left[: round(2.005 * recorded.getframerate())].max(initial=0) == 0 and left.max() > 0


def test_consent_is_for_one_device_and_is_told_once() -> None:
    consents, at = Consents(), Samples(5)
    assert not consents.may(MICROPHONE, "headset")  # never spoken of
    assert consents.on(Granted(MICROPHONE, "headset", at)) == [Consent(at, "microphone", True)]
    assert consents.may(MICROPHONE, "headset") and not consents.may(MICROPHONE, "phone") and not consents.may(CAMERA, "headset")
    assert consents.on(Granted(MICROPHONE, "headset", at)) == []
    assert consents.on(Withdrawn(CAMERA, at)) == [Consent(at, "camera", False)]
    assert consents.on(Withdrawn(CAMERA, at)) == [], "the cloud knows"
    assert consents.on(Withdrawn(MICROPHONE, at)) == [Consent(at, "microphone", False)]
    assert not consents.may(MICROPHONE, "headset") and consents.refused == 4
    assert consents.state(at) == [Consent(at, "microphone", False), Consent(at, "camera", False)]
    consents.on(Granted(CAMERA, "front", at))
    assert consents.state(at) == [Consent(at, "microphone", False), Consent(at, "camera", True)] and Consents().state(at) == []


def test_what_was_agreed_to_is_told_again_over_a_new_link() -> None:
    """The session over there may be a new one."""
    ride = Watched(ConsentConfig(camera=False))

    async def main() -> None:
        await ride.go(3.0, *((at_s, lambda state=state: ride.agent._on_state(state)) for at_s, state in LINK))

    run(main())
    told = [(body.scope, body.granted) for body in ride.sent(Consent)]
    assert told == [("microphone", True), ("camera", False)] * 2


@pytest.mark.parametrize("after", [1, 2])
def test_a_picture_under_way_when_consent_ends_is_dropped(after: int) -> None:
    """Withdrawn while the picture is judged, or while it is encoded."""
    ride = Watched(ConsentConfig())
    answers = iter([True] * after + [False] * 1_000)
    ride.agent.sources.may_look = lambda: next(answers)  # type: ignore[method-assign]

    async def main() -> None:
        await ride.go(2.0)

    run(main())
    assert len(ride.looks) == 1 and ride.sent(FrameFragment) == []
