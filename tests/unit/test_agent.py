"""The whole agent over simulated hardware and a fake link, on virtual time."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from device_ride import Ride, run, speech, talk
from numpy.typing import NDArray

from ridealong.device.config import CameraConfig, DeviceConfig, RecordingConfig
from ridealong.device.microphone import SimulatedMicrophone
from ridealong.device.observing import (
    AgentEvent,
    Ducked,
    Flushed,
    GateDecided,
    LinkChanged,
    MicrophoneChanged,
    SpeakerChanged,
    Unducked,
)
from ridealong.errors import UserError
from ridealong.proto.types import (
    Actuate,
    ActuationResult,
    Duck,
    Epoch,
    Flush,
    FrameFragment,
    FrameTombstone,
    Input,
    MicrophoneState,
    PlaybackAck,
    PlaybackState,
    Samples,
    Speech,
    TextInput,
    Unduck,
    UnitPart,
    UplinkBody,
    UtteranceId,
)

pytestmark = pytest.mark.unit


def test_units_flow_and_an_utterance_is_played_and_acknowledged() -> None:
    ride = Ride(talk((1.0, 1.5)))

    async def main() -> None:
        told = (4.0, lambda: clock.append(ride.link.now()))
        await ride.go(6.0, (1.99, lambda: [ride.link.on_message(chunk) for chunk in speech(0, 1, 1.0)] and None), told)

    clock: list[int] = []
    run(main())
    parts: list[UnitPart] = ride.sent(UnitPart)
    assert [part.unit for part in parts if part.last] == list(range(6)) and clock == [64_000]
    assert sum(part.samples for part in parts) == 96_000
    hinted = [part.start for part in parts if part.speech_hint]
    assert hinted and min(hinted) == 16_000 and max(hinted) <= 16_000 * 2
    assert all(part.speaker_active == (32_000 <= part.start < 51_200) for part in parts)
    acks: list[PlaybackAck] = ride.sent(PlaybackAck)
    assert [ack.state.value for ack in acks] == ["started", *["progress"] * 5, "finished"]
    assert acks[0].at == 33_600 and acks[-1].at == 49_600 and acks[-1].played_samples == 24_000
    assert np.all(ride.sound[50_400:74_400] == 5_000) and not ride.sound[:50_400].any()
    assert ride.link.hello.capabilities == ("audio/pcm16",) and ride.link.closed
    assert [item.state for _, item in ride.told(LinkChanged)] == ["open", "closed"]


def test_near_end_speech_ducks_within_a_block_and_no_verdict_goes_on() -> None:
    ride = Ride(talk((3.0, 3.3)))

    async def main() -> None:
        await ride.go(10.0, (1.0, lambda: [ride.link.on_message(chunk) for chunk in speech(0, 1, 6.0)] and None))

    run(main())
    (ducked_s, ducked), *others = ride.told(Ducked)
    assert not others and ducked.by == "reflex" and 3.0 <= ducked_s <= 3.041
    ((unducked_s, _),) = ride.told(Unducked)
    assert 4.7 <= unducked_s <= 4.9
    assert ride.sound[round(24_000 * (ducked_s + 0.04))] == round(5_000 * 10 ** (-18 / 20))
    assert ride.sound[24_000 * 6] == 5_000
    assert ride.sent(PlaybackAck)[-1].state is PlaybackState.FINISHED


def test_a_flush_leaves_no_stale_sample_and_the_next_epoch_is_loud() -> None:
    ride = Ride(talk((2.0, 2.4)))

    def flush() -> None:
        ride.link.on_message(Flush(Epoch(0)))
        for chunk in speech(0, 1, 5.0)[45:]:  # was on its way
            ride.link.on_message(chunk)
        for chunk in speech(1, 2, 0.5, value=-3_000):
            ride.link.on_message(chunk)

    async def main() -> None:
        first = speech(0, 1, 5.0)[:45]
        await ride.go(5.0, (0.99, lambda: [ride.link.on_message(chunk) for chunk in first] and None), (2.5, flush))

    run(main())
    ends = [
        (ack.utterance, ack.state.value, ack.played_samples)
        for ack in ride.sent(PlaybackAck)
        if ack.state.value in ("finished", "flushed")
    ]
    assert ends == [(1, "flushed", 34_320), (2, "finished", 12_000)]  # heard from 1.1 s; what sounds by 2.53 s is gone
    after = ride.sound[60_000 + 720 + 120 :]
    assert not (after > 0).any() and (after == -3_000).sum() > 11_000
    assert [item.by for _, item in ride.told(Flushed)] == ["cloud"]


def test_the_button_silences_at_once_and_tells_the_cloud() -> None:
    ride = Ride()

    async def main() -> None:
        begin = (1.0, lambda: [ride.link.on_message(chunk) for chunk in speech(4, 1, 3.0)] and None)
        await ride.go(4.0, begin, (2.0, ride.agent.press_button))

    run(main())
    assert [body.kind.value for body in ride.sent(Input)] == ["button"]
    assert ride.sent(PlaybackAck)[-1].state is PlaybackState.FLUSHED and ride.sent(PlaybackAck)[-1].epoch == 4
    assert not ride.sound[48_000 + 720 + 120 :].any()


def test_the_clouds_duck_and_unduck() -> None:
    ride = Ride()

    async def main() -> None:
        begin = (1.0, lambda: [ride.link.on_message(chunk) for chunk in speech(0, 1, 3.0)] and None)
        await ride.go(5.0, begin, (2.0, lambda: ride.link.on_message(Duck(-20.0))), (3.0, lambda: ride.link.on_message(Unduck())))

    run(main())
    assert ride.sound[60_000] == 500 and ride.sound[84_000] == 5_000
    assert [item.by for _, item in ride.told(Ducked)] == ["cloud"]


def test_a_lost_microphone_still_gives_a_unit_each_second() -> None:
    ride = Ride(lambda start, samples: None if 48_000 <= start < 128_000 else np.zeros(samples, np.int16))

    async def main() -> None:
        await ride.go(10.0)

    run(main())
    parts: list[UnitPart] = ride.sent(UnitPart)
    assert [part.unit for part in parts if part.last] == list(range(10))
    assert {part.unit for part in parts if part.microphone is MicrophoneState.LOST} == {3, 4, 5, 6, 7}
    assert all(not part.pcm16 for part in parts if part.microphone is not MicrophoneState.LIVE)
    states = [(round(at_s, 1), item.state.value) for at_s, item in ride.told(MicrophoneChanged)]
    assert states == [(3.0, "lost"), (8.0, "live")]


def test_mute_sends_no_sound_and_records_none(tmp_path: Path) -> None:
    ride = Ride(talk((0.0, 9.0)), DeviceConfig(recording=RecordingConfig(tmp_path / "mixed.wav")))

    async def main() -> None:
        await ride.go(4.0, (1.0, ride.agent.mute), (3.0, ride.agent.unmute))

    run(main())
    parts: list[UnitPart] = ride.sent(UnitPart)
    muted = [part for part in parts if part.microphone is MicrophoneState.MUTED]
    assert sum(part.samples for part in muted) == pytest.approx(32_000, abs=320) and not any(
        part.pcm16 or part.speech_hint for part in muted
    )
    assert [body.kind.value for body in ride.sent(Input)] == ["mute", "unmute"]
    recorded = np.frombuffer((tmp_path / "mixed.wav").read_bytes()[44:], "<i2").reshape(-1, 2)
    assert len(recorded) > 90_000 and not recorded[30_000:66_000].any() and recorded[:20_000, 0].any()


def test_the_camera_gates_and_sends_each_second() -> None:
    def road(at: Samples) -> NDArray[np.uint8]:
        scene = np.random.default_rng(at // 48_000).integers(0, 255, (9, 16, 3)).astype(np.uint8)  # cuts every 3 s
        return np.kron(scene, np.ones((30, 30, 1), np.uint8))

    ride = Ride(config=DeviceConfig(camera=CameraConfig(save_bytes=True)), camera=road)

    async def main() -> None:
        await ride.go(6.5)

    run(main())
    decisions = [(item.capture // 16_000, item.gate.keep) for _, item in ride.told(GateDecided)]
    assert decisions == [(k, k in (0, 3, 6)) for k in range(7)]
    assert {body.frame for body in ride.sent(FrameFragment)} == {0, 3, 6}
    assert [body.frame for body in ride.sent(FrameTombstone)] == [1, 2, 4, 5]
    fragment = ride.sent(FrameFragment)[0]
    assert (fragment.width, fragment.height) == (448, 252) and fragment.data[:2] == b"\xff\xd8"


def test_the_agents_own_voice_in_the_microphone_is_not_the_user() -> None:
    """A room that gives back the speaker at -12 dB after 60 ms: one settling moment is allowed, then nothing ducks."""
    ride = Ride()
    random = np.random.default_rng(1)
    voice = np.convolve(random.normal(0, 1, 24_000 * 8), np.hanning(9) / 4, "same")
    voice = (3_000 * voice * (0.6 + 0.4 * np.sin(2 * np.pi * 3 * np.arange(len(voice)) / 24_000))).clip(-30_000, 30_000)
    chunks = [
        Speech(Epoch(0), UtteranceId(1), k, k == 79, 24_000, voice[2_400 * k : 2_400 * (k + 1)].astype("<i2").tobytes())
        for k in range(80)
    ]

    def room(start: int, samples: int) -> NDArray[np.int16]:
        place = (start - 960) * 3 // 2
        heard = np.zeros(samples * 3 // 2)
        known = ride.sound[max(0, place) : max(0, place + len(heard))]
        heard[len(heard) - len(known) :] = known if place < 0 or len(known) == len(heard) else 0
        echo = np.interp(np.arange(samples) * 1.5, np.arange(len(heard)), heard) * 0.25
        return np.asarray(echo + np.random.default_rng(start).normal(0, 5, samples), np.int16)

    ride.agent._microphone = SimulatedMicrophone(room)

    async def main() -> None:
        await ride.go(10.0, (1.0, lambda: [ride.link.on_message(chunk) for chunk in chunks] and None))

    run(main())
    assert [at_s for at_s, _ in ride.told(Ducked) if at_s > 2.0] == []
    hinted = [part for part in ride.sent(UnitPart) if part.speech_hint and part.start > 32_000]
    assert len(hinted) == 0


class FakeGateway:
    def __init__(self) -> None:
        self.asked: list[str] = []

    def on_actuate(self, actuate: Actuate) -> None:
        self.asked.append(actuate.key)

    async def run(self) -> None:
        await asyncio.sleep(1_000)


def test_actuations_reach_the_gateway_and_without_a_car_they_are_refused() -> None:
    actuate = Actuate("k1", (), "climate", "driver")
    gateway = FakeGateway()
    with_car, without = Ride(gateway_factory=lambda send, now: gateway), Ride()
    for ride in (with_car, without):
        action = (0.5, lambda ride=ride: ride.link.on_message(actuate))
        run(ride.go(1.0, action))  # type: ignore[arg-type]
    assert gateway.asked == ["k1"] and with_car.link.hello.capabilities == ("audio/pcm16", "vehicle")
    (result,) = without.sent(ActuationResult)
    assert (result.state.value, result.reason) == ("refused", "no_vehicle")


def test_typed_text_goes_up_and_a_wrong_rate_is_refused_once() -> None:
    ride = Ride()

    def wrong() -> None:
        for number in range(3):
            ride.link.on_message(Speech(Epoch(0), UtteranceId(1), number, number == 2, 0, b"\0\0"))

    run(ride.go(1.0, (0.2, lambda: ride.agent.say_text("open the window")), (0.4, wrong)))
    (text,) = ride.sent(TextInput)
    assert (text.text, text.locale) == ("open the window", "en")
    assert [(ack.state.value, ack.played_samples) for ack in ride.sent(PlaybackAck)] == [("flushed", 0)]
    for mistake in ("", " ", "x" * 5_000, "caf\udce9"):  # the last: a byte that is no UTF-8, as a terminal hands it on
        with pytest.raises(UserError):
            ride.agent.say_text(mistake)


def test_nothing_is_acknowledged_while_the_speaker_is_dead() -> None:
    ride = Ride()

    def die() -> None:
        ride.speaker.alive = False

    def live() -> None:
        ride.speaker.alive = True

    begin = (1.0, lambda: [ride.link.on_message(chunk) for chunk in speech(0, 1, 1.0)] and None)
    run(ride.go(6.0, begin, (1.5, die), (4.0, live)))
    acks = ride.sent(PlaybackAck)
    assert not [ack for ack in acks if 16_000 * 1.55 < ack.at < 16_000 * 4]
    assert acks[-1].state is PlaybackState.FINISHED and acks[-1].at / 16_000 == pytest.approx(4.6, abs=0.05)
    assert [item.alive for _, item in ride.told(SpeakerChanged)] == [False, True]


def test_a_link_that_gives_up_ends_the_agent_with_its_sentence() -> None:
    ride = Ride()
    ride.error = UserError("cannot reach the cloud node")

    async def main() -> None:
        with pytest.raises(UserError, match="cannot reach"):
            await ride.agent.run()

    run(main())


def test_an_observer_that_raises_harms_nobody() -> None:
    ride = Ride()

    def bad(event: AgentEvent) -> None:
        raise ValueError("no")

    ride.agent.observe(bad)
    run(ride.go(3.0))
    assert ride.agent.observer_errors > 0 and len([part for part in ride.sent(UnitPart) if part.last]) == 3


def test_the_same_ride_twice_is_the_same() -> None:
    def ride() -> list[UplinkBody]:
        one = Ride(talk((2.0, 2.4), (5.0, 6.0)))
        run(one.go(7.0, (1.0, lambda: [one.link.on_message(chunk) for chunk in speech(0, 1, 4.0)] and None)))
        return one.link.sent

    assert ride() == ride()


def test_a_source_that_ends_is_lost_until_the_agent_stops_by_itself() -> None:
    ride = Ride(config=DeviceConfig(linger_s=3.0))

    class Short(SimulatedMicrophone):
        async def read(self) -> Any:
            block = await super().read()
            return None if self._pace is not None and self._pace.slot > 200 else block

    ride.agent._microphone = Short(lambda start, samples: np.zeros(samples, np.int16))
    run(ride.agent.run())
    parts: list[UnitPart] = ride.sent(UnitPart)
    assert [part.unit for part in parts if part.last] == list(range(5))
    assert {part.microphone for part in parts if part.unit > 2} == {MicrophoneState.LOST}
    assert ride.link.closed
