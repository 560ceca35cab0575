"""What went wrong in the field at the speaker, on a whole agent with a sound device of 100 ms: stops, late audio, coughs, underruns."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from device_ride import Ride, run, speech, talk
from numpy.typing import NDArray

from ridealong.device.config import DeviceConfig, SoundConfig
from ridealong.device.observing import Ducked, Held, Released, Unducked
from ridealong.proto.types import (
    DownlinkBody,
    Epoch,
    Flush,
    OverlapKind,
    PlaybackAck,
    PlaybackState,
    Speech,
    Unduck,
    UtteranceId,
)

pytestmark = pytest.mark.unit

BEGIN_S = 0.99  # the next block of the agent begins 10 ms later
LATENCY_S = 0.1
HEARD_S = BEGIN_S + 0.01 + LATENCY_S  # the first sample
NO_ECHO = DeviceConfig(sound=SoundConfig(echo_cancellation=False))  # there is no room here
REPLY = np.random.default_rng(3).integers(4_000, 9_000, 6 * 24_000).astype(np.int16)


def reply(epoch: int = 0, utterance: int = 1, seconds: float = 6.0) -> list[Speech]:
    """All of it within a moment, faster than it plays. Every sample has a value of its own."""
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
    ride = Ride(talk((BEGIN_S + 2.0, BEGIN_S + 2.2)), NO_ECHO)
    run(ride.go(9.0, (BEGIN_S, give(ride, *reply()))))
    assert len(ride.told(Ducked)) == len(ride.told(Unducked)) == 1 and not pauses(ride)
    check_whole(ride)


def test_a_long_noise_that_is_discarded_goes_on_at_the_exact_sample() -> None:
    """A hold, and the verdict while it lasts."""
    ride = Ride(talk((BEGIN_S + 2.0, BEGIN_S + 2.9)), NO_ECHO)
    verdict = (BEGIN_S + 3.0, give(ride, Unduck(OverlapKind.NOISE)))
    run(ride.go(10.0, (BEGIN_S, give(ride, *reply())), verdict))
    ((held_s, released_s),) = pauses(ride)
    assert held_s == pytest.approx(BEGIN_S + 2.61, abs=0.03) and released_s == pytest.approx(BEGIN_S + 3.0, abs=0.001)
    check_whole(ride)


def test_a_hold_without_a_verdict_ends_600_ms_after_they_fell_silent() -> None:
    ride = Ride(talk((BEGIN_S + 2.0, BEGIN_S + 2.9)), NO_ECHO)
    run(ride.go(10.0, (BEGIN_S, give(ride, *reply()))))
    ((_, released_s),) = pauses(ride)
    assert released_s == pytest.approx(BEGIN_S + 2.9 + 0.6, abs=0.03)
    check_whole(ride)


def test_listening_noises_do_not_stop_it_and_wait_listen_does() -> None:
    """ "mm-hm" at +1 and +3 s with their verdicts, then "wait, listen"."""
    spans = ((2.0, 2.3), (4.0, 4.3), (5.5, 6.3))
    ride = Ride(talk(*spans), NO_ECHO)
    verdicts = [(at_s, give(ride, Unduck(OverlapKind.BACKCHANNEL))) for at_s in (3.1, 5.1)]
    run(ride.go(9.0, (BEGIN_S, give(ride, *reply())), *verdicts, (6.8, give(ride, Flush(Epoch(0))))))
    assert [round(at_s, 1) for at_s, _ in ride.told(Ducked)] == [2.0, 4.0, 5.5]
    ((held_s, released_s),) = pauses(ride)
    assert held_s == pytest.approx(6.11, abs=0.03) and released_s == pytest.approx(6.8, abs=0.001)
    ((_, state, played),) = ends(ride)
    assert state == "flushed" and played == pytest.approx(24_000 * (held_s + 0.03 - HEARD_S), abs=240)


def test_the_button_during_a_hold_is_final() -> None:
    ride = Ride(talk((3.0, 4.0)), NO_ECHO)
    run(ride.go(9.0, (BEGIN_S, give(ride, *reply())), (3.8, ride.agent.press_button)))
    ((held_s, _),) = pauses(ride)
    ((_, state, played),) = ends(ride)
    assert state == "flushed" and not ride.sound[round(24_000 * (held_s + 0.03)) + 240 + 120 :].any()
    assert played == pytest.approx(24_000 * (held_s + 0.03 - HEARD_S), abs=240)


@pytest.mark.parametrize("gaps_s", [(0.7, 1.4, 0.9, 1.6)])
def test_silence_that_an_underrun_inserts_never_counts_as_heard(gaps_s: tuple[float, ...]) -> None:
    ride, whole = Ride(), reply(seconds=4.0)
    at_s, script = BEGIN_S, []
    for second, gap_s in enumerate(gaps_s):
        script.append((at_s, give(ride, *whole[10 * second : 10 * second + 10])))
        at_s += gap_s
    run(ride.go(8.0, *script))
    assert ends(ride) == [(1, "finished", 96_000)] and ride.agent.playout.underruns == 1
    for ack in ride.sent(PlaybackAck):
        rendered = np.isin(ride.sound[: ack.at * 3 // 2], REPLY[:96_000]).sum()
        assert ack.played_samples == pytest.approx(rendered, abs=400)  # but for fades: not a sample more
    assert np.isin(ride.sound, REPLY).sum() >= 96_000 - 240


def test_what_was_heard_never_exceeds_what_was_produced_and_begins_anew_with_each_reply() -> None:
    """3,700 ms produced, a clock that says 3,760; then a second reply."""
    ride = Ride()
    second = [Speech(Epoch(0), UtteranceId(2), 0, True, 24_000, REPLY[:48_000].astype("<i2").tobytes())]
    run(ride.go(9.0, (BEGIN_S, give(ride, *reply(seconds=3.7))), (BEGIN_S + 3.76 + LATENCY_S, give(ride, *second))))
    acks = ride.sent(PlaybackAck)
    assert max(ack.played_samples for ack in acks if ack.utterance == 1) == 88_800
    assert [ack.played_samples for ack in acks if ack.utterance == 2][:2] == [0, 4_800]
    assert ends(ride) == [(1, "finished", 88_800), (2, "finished", 48_000)]
