"""What went wrong in the field at the speaker, on a whole agent with a sound device of 100 ms: stops, late audio, coughs, underruns.

Recorded speech on both sides, a room that gives the reply back, the real canceller and detector.
"""

from __future__ import annotations

import wave
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import soxr
from device_ride import Ride, run, speech
from numpy.typing import NDArray

from ridealong.device.observing import Ducked, Held, Released, Unducked
from ridealong.device.voice_activity import VoiceActivity, webrtc_detector
from ridealong.proto.types import (
    DownlinkBody,
    Epoch,
    Flush,
    OverlapKind,
    PlaybackAck,
    PlaybackState,
    Samples,
    Speech,
    Unduck,
    UtteranceId,
)
from ridealong.simulators.room import EchoPath, Room

pytestmark = pytest.mark.unit

BEGIN_S = 0.99  # the next block of the agent begins 10 ms later
LATENCY_S = 0.1
HEARD_S = BEGIN_S + 0.01 + LATENCY_S  # the first sample
SPEECH = Path(__file__).parent.parent / "data" / "speech"


def recorded(name: str) -> NDArray[np.int16]:
    with wave.open(str(SPEECH / f"{name}.wav")) as file:
        return np.frombuffer(file.readframes(file.getnframes()), "<i2")


REPLY = np.asarray(soxr.resample(recorded("librivox_0920")[: 6 * 16_000], 16_000, 24_000), np.int16)
WORDS = recorded("cards_002")


def loudest(seconds: float) -> NDArray[np.int16]:
    """The stretch of somebody else's words that is loudest, at -20 dBFS: what a user says within so much time."""
    length = round(16_000 * seconds)
    power = np.convolve(WORDS.astype(float) ** 2, np.ones(length), "valid")
    piece = WORDS[int(np.argmax(power)) :][:length]
    return (piece * (3_277 / np.sqrt(np.mean(piece.astype(float) ** 2)))).clip(-32_000, 32_000).astype(np.int16)


def slam() -> NDArray[np.int16]:
    """200 ms of a door."""
    noise = np.convolve(np.random.default_rng(1).normal(0, 1, 3_200), np.ones(8) / 8, "same")
    return (20_000 * noise * np.exp(-np.arange(3_200) / 800)).clip(-32_000, 32_000).astype(np.int16)


class RoomRide(Ride):
    """`near`: sounds by the second at which they begin."""

    def __init__(self, near: dict[float, NDArray[np.int16]]) -> None:
        air = np.zeros(16_000 * 12, np.int16)
        for at_s, sound in near.items():
            air[round(16_000 * at_s) :][: len(sound)] = sound
        self.room = Room(air, EchoPath(-16.0, 40.0, 120.0), noise_dbfs=-70.0)
        super().__init__(self._hear)
        self.agent.voice = VoiceActivity(webrtc_detector())

    def _hear(self, start: int, samples: int) -> NDArray[np.int16]:
        self.speaker.play_on(Samples(start + samples))
        return self.room.microphone_source(Samples(start), samples)

    def _sink(self, at: Samples, block: NDArray[np.int16]) -> None:
        super()._sink(at, block)
        self.room.speaker_sink(at, block.astype("<i2").tobytes())


def reply(epoch: int = 0, utterance: int = 1, seconds: float = 6.0) -> list[Speech]:
    """All of it within a moment, faster than it plays."""
    pieces = np.split(REPLY[: round(24_000 * seconds)], round(seconds * 10))
    return [
        Speech(
            Epoch(epoch), UtteranceId(utterance), k, k == len(pieces) - 1, 24_000, piece.astype("<i2").tobytes(), offset=2_400 * k
        )
        for k, piece in enumerate(pieces)
    ]


def give(ride: Ride, *messages: DownlinkBody) -> Callable[[], None]:
    def action() -> None:
        for message in messages:
            ride.link.on_message(message)

    return action


def ends(ride: Ride) -> list[tuple[int, str, int]]:
    over = (PlaybackState.FINISHED, PlaybackState.FLUSHED)
    return [(ack.utterance, ack.state.value, ack.played_samples) for ack in ride.sent(PlaybackAck) if ack.state in over]


def pauses(ride: Ride) -> list[tuple[float, float]]:
    held, released = ([at_s for at_s, _ in ride.told(kind)] for kind in (Held, Released))
    return list(zip(held, released, strict=True))


def without_pauses(ride: Ride) -> NDArray[np.int16]:
    """What was heard of the reply. A pause of the speaker begins and ends with its blocks of 10 ms."""
    sound = ride.sound[round(24_000 * HEARD_S) :]
    for held_s, released_s in reversed(pauses(ride)):
        began, ended = (240 * (int(round(100 * (at_s - HEARD_S), 6)) + 3) for at_s in (held_s, released_s))
        assert not sound[began + 120 : ended].any()
        sound = np.concatenate([sound[:began], sound[ended:]])
    return sound[: len(REPLY)]


def check_whole(ride: Ride) -> None:
    """Every sample in its place: at full level, or at the level of the duck, but for ramps and fades."""
    heard, low = without_pauses(ride).astype(float), 10 ** (-18 / 20)
    full, ducked = np.abs(heard - REPLY) < 1, np.abs(heard - REPLY * low) <= 1
    assert np.mean(full | ducked) > 0.99
    assert full[-24_000:].all() and full[:24_000].all()
    assert ends(ride) == [(1, "finished", len(REPLY))]


def test_yields_but_the_speaker_keeps_talking() -> None:
    """6 s of audio at once, stopped a second later."""
    ride = Ride()
    run(ride.go(9.0, (BEGIN_S, give(ride, *reply())), (BEGIN_S + 1.003, give(ride, Flush(Epoch(0))))))
    ((_, state, played),) = ends(ride)
    last = round(24_000 * HEARD_S) + played
    assert state == "flushed" and last / 24_000 <= BEGIN_S + 1.003 + 0.04  # what the device had taken
    assert not ride.sound[last + 120 :].any()  # 5 ms of decay
    assert np.array_equal(ride.sound[last - played : last], REPLY[:played])


def test_late_audio_of_an_interrupted_reply_never_restarts_it() -> None:
    ride, old = Ride(), reply(epoch=7)
    late = [give(ride, Flush(Epoch(7)), *old[20:23]), give(ride, *speech(8, 2, 0.5, value=-3_000))]
    run(ride.go(6.0, (BEGIN_S, give(ride, *old[:20])), (2.0, late[0]), (2.2, late[1])))
    ((_, state, played), second) = ends(ride)
    assert (state, second) == ("flushed", (2, "finished", 12_000))
    after = ride.sound[round(24_000 * HEARD_S) + played + 120 :]
    assert set(np.unique(after)) <= {0, *range(-3_000, 0)} and (after == -3_000).sum() == 12_000


def test_a_door_slam_does_not_destroy_the_answer() -> None:
    """200 ms at +2 s: quieter for a while, and not a sample is lost."""
    ride = RoomRide({BEGIN_S + 2.0: slam()})
    run(ride.go(9.0, (BEGIN_S, give(ride, *reply()))))
    assert len(ride.told(Ducked)) == len(ride.told(Unducked)) <= 1 and not pauses(ride)
    check_whole(ride)


def test_indicator_clicks_duck_nothing() -> None:
    """5 ms each, three loudnesses, twice a second."""
    random = np.random.default_rng(4)
    clicks = {
        2.5 + 0.47 * k: (random.normal(0, 1, 80) * (1_500, 3_000, 9_000)[k % 3]).clip(-30_000, 30_000).astype(np.int16)
        for k in range(9)
    }
    ride = RoomRide(clicks)
    run(ride.go(9.0, (BEGIN_S, give(ride, *reply()))))
    assert not ride.told(Ducked)


def test_a_long_noise_that_is_discarded_goes_on_at_the_exact_sample() -> None:
    """A hold, and the verdict while it lasts."""
    ride = RoomRide({BEGIN_S + 2.0: loudest(0.9)})
    verdict = (BEGIN_S + 3.0, give(ride, Unduck(OverlapKind.NOISE)))
    run(ride.go(10.0, (BEGIN_S, give(ride, *reply())), verdict))
    ((held_s, released_s),) = pauses(ride)
    assert BEGIN_S + 2.6 <= held_s <= BEGIN_S + 2.8 and released_s == pytest.approx(BEGIN_S + 3.0, abs=0.001)
    check_whole(ride)


def test_a_hold_without_a_verdict_ends_600_ms_after_they_fell_silent() -> None:
    ride = RoomRide({BEGIN_S + 2.0: loudest(0.9)})
    run(ride.go(10.0, (BEGIN_S, give(ride, *reply()))))
    ((_, released_s),) = pauses(ride)
    assert released_s == pytest.approx(BEGIN_S + 2.9 + 0.6, abs=0.1)
    check_whole(ride)


def test_listening_noises_do_not_stop_it_and_wait_listen_does() -> None:
    """ "mm-hm" at +1 and +3 s with their verdicts, then "wait, listen"."""
    ride = RoomRide({2.0: loudest(0.3), 4.0: loudest(0.3), 5.5: loudest(0.9)})
    verdicts = [(at_s, give(ride, Unduck(OverlapKind.BACKCHANNEL))) for at_s in (3.1, 5.1)]
    run(ride.go(9.0, (BEGIN_S, give(ride, *reply())), *verdicts, (6.7, give(ride, Flush(Epoch(0))))))
    assert [at_s for at_s, _ in ride.told(Ducked)] == pytest.approx([2.05, 4.05, 5.55], abs=0.05)
    ((held_s, released_s),) = pauses(ride)
    assert 6.1 <= held_s <= 6.3 and released_s == pytest.approx(6.7, abs=0.001)
    ((_, state, played),) = ends(ride)
    soft_s = ride.told(Ducked)[-1][0]  # what was cut there was heard up to where it became soft
    assert state == "flushed" and played == pytest.approx(24_000 * (soft_s + 0.03 - HEARD_S), abs=240)


def test_the_button_during_a_hold_is_final() -> None:
    ride = RoomRide({3.0: loudest(1.0)})
    run(ride.go(9.0, (BEGIN_S, give(ride, *reply())), (3.8, ride.agent.press_button)))
    ((held_s, _),) = pauses(ride)
    ((_, state, played),) = ends(ride)
    assert state == "flushed" and not ride.sound[round(24_000 * (held_s + 0.03)) + 240 + 120 :].any()
    ((soft_s, _),) = ride.told(Ducked)
    assert played == pytest.approx(24_000 * (soft_s + 0.03 - HEARD_S), abs=240)


@pytest.mark.parametrize("gaps_s", [(0.7, 1.4, 0.9, 1.6)])
def test_silence_that_an_underrun_inserts_never_counts_as_heard(gaps_s: tuple[float, ...]) -> None:
    ride, whole = Ride(), speech(0, 1, 4.0, value=6_000)
    at_s, script = BEGIN_S, []
    for second, gap_s in enumerate(gaps_s):
        script.append((at_s, give(ride, *whole[10 * second : 10 * second + 10])))
        at_s += gap_s
    run(ride.go(8.0, *script))
    assert ends(ride) == [(1, "finished", 96_000)] and ride.agent.playout.underruns == 1
    for ack in ride.sent(PlaybackAck):
        rendered = (ride.sound[: ack.at * 3 // 2] == 6_000).sum()
        assert ack.played_samples == pytest.approx(rendered, abs=400)  # but for fades: not a sample more
    assert (ride.sound == 6_000).sum() >= 96_000 - 240


def test_what_was_heard_never_exceeds_what_was_produced_and_begins_anew_with_each_reply() -> None:
    """3,700 ms produced, a clock that says 3,760; then a second reply."""
    ride = Ride()
    second = [Speech(Epoch(0), UtteranceId(2), 0, True, 24_000, REPLY[:48_000].astype("<i2").tobytes())]
    run(ride.go(9.0, (BEGIN_S, give(ride, *reply(seconds=3.7))), (BEGIN_S + 3.76 + LATENCY_S, give(ride, *second))))
    acks = ride.sent(PlaybackAck)
    assert max(ack.played_samples for ack in acks if ack.utterance == 1) == 88_800
    assert [ack.played_samples for ack in acks if ack.utterance == 2][:2] == [0, 4_800]
    assert ends(ride) == [(1, "finished", 88_800), (2, "finished", 48_000)]
