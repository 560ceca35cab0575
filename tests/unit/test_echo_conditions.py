"""What the echo canceller meets in the field: unknown delays, clocks that drift, other paths, volumes, rates and loudspeakers.

The assistant is a recorded reader, the user other people; the room is the simulator's. "Heard" is the near-end decision alone, as if
all sounded like speech: the strictest reading.
"""

from __future__ import annotations

import wave
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
import soxr
from numpy.typing import NDArray

from ridealong.device.echo import EchoCanceller, near_end
from ridealong.proto.types import Samples
from ridealong.simulators.room import EchoPath, Room

pytestmark = pytest.mark.unit

Floats = NDArray[np.float64]
Pcm16 = NDArray[np.int16]
SPEECH = Path(__file__).parents[1] / "data" / "speech"
CAR = EchoPath(-12.0, 15.0, 90.0, 12, diffuse=True)
BLOCK, SECOND = 320, 16_000


def read(name: str) -> Floats:
    with wave.open(str(SPEECH / name)) as file:
        return np.frombuffer(file.readframes(file.getnframes()), "<i2").astype(np.float64)


def levelled(sound: Floats, dbfs: float) -> Floats:
    power = np.mean(sound[: len(sound) // BLOCK * BLOCK].reshape(-1, BLOCK) ** 2, axis=1)
    return np.asarray(sound * 32_768 * 10 ** (dbfs / 20) / np.sqrt(power[power > power.max() / 1_000].mean()))


def reader(seconds: float, dbfs: float = -20.0) -> Pcm16:
    """The assistant at 24 kHz, without its long pauses."""
    sound = levelled(np.concatenate([read(f"librivox_0{number}.wav") for number in (870, 890, 920)]), dbfs)
    up = np.asarray(soxr.resample(sound, SECOND, 24_000))
    return np.resize(up, round(24_000 * seconds)).clip(-32_768, 32_767).astype(np.int16)


def user(seconds: float, *starts: float, dbfs: float = -28.0) -> Floats:
    """Three words at each of these times; their first sound is 45 ms after it."""
    words = levelled(read("cards_005.wav")[3_360 - 720 :][: 2 * SECOND], dbfs)
    out = np.zeros(round(SECOND * seconds))
    for start in starts:
        at = round(SECOND * start)
        out[at : at + len(words)] = words[: len(out) - at]
    return out


@dataclass
class Heard:
    canceller: EchoCanceller
    echo: Floats
    out: Floats
    near: NDArray[np.bool_]  # per 20 ms

    def loss_db(self, since: float, until: float, user: Floats | None = None, noise: Floats | None = None) -> float:
        part = slice(round(since * SECOND), round(until * SECOND))
        rest = self.out[part] - (user[part] if user is not None else 0)
        return float(10 * np.log10(np.mean(self.echo[part] ** 2) / np.mean(rest**2)))

    def count(self, since: float, until: float) -> int:
        return int(self.near[round(since * 50) : round(until * 50)].sum())

    def first(self, since: float) -> float:
        """Seconds from `since` to the end of the first block with somebody in it."""
        (at,) = np.nonzero(self.near[round(since * 50) :])
        return float((round(since * 50) + at[0] + 1) / 50 - since) if len(at) else float("inf")


def ride(
    seconds: float,
    path: EchoPath | None = CAR,
    world: Floats | None = None,
    *,
    far: Pcm16 | None = None,
    drift_ppm: float = 0.0,
    changes: Sequence[tuple[int, EchoPath]] = (),
    reference_late_ms: int = 0,
    gain: Callable[[float], float] = lambda t: 1.0,
    microphone: Callable[[float, Pcm16], Pcm16] = lambda t, pcm16: pcm16,
    before: Callable[[EchoCanceller, float], None] = lambda canceller, t: None,
) -> Heard:
    """`reference_late_ms`: so much later than the sound the reference is said to be heard; the speaker is written 200 ms ahead."""
    far = reader(seconds) if far is None else far
    blocks = len(far) // 480
    noise = np.random.default_rng(3).normal(0, 8, blocks * BLOCK)
    world = noise if world is None else world[: blocks * BLOCK] + noise
    room = Room(world.round().clip(-32_768, 32_767).astype(np.int16), path, drift_ppm=drift_ppm, changes=changes)
    canceller, ahead = EchoCanceller(), 10
    echo, out, near = np.zeros(blocks * BLOCK), np.zeros(blocks * BLOCK), np.zeros(blocks, bool)
    for k in range(blocks + ahead):
        if k < blocks:
            played = np.rint(far[k * 480 : (k + 1) * 480] * gain(k / 50)).astype(np.int16)
            room.speaker_sink(Samples(k * BLOCK), played.astype("<i2").tobytes())
            canceller.rendered(Samples(k * BLOCK + 16 * reference_late_ms), played)
        if k >= ahead:
            at = (k - ahead) * BLOCK
            heard = microphone((k - ahead) / 50, room.microphone_source(Samples(at), BLOCK))
            before(canceller, (k - ahead) / 50)
            echo[at : at + BLOCK] = room.echo(at, BLOCK)
            cleaned = canceller.clean(Samples(at), heard)
            out[at : at + BLOCK], near[k - ahead] = cleaned.pcm16, near_end(True, cleaned)
    return Heard(canceller, echo, out, near)


@pytest.mark.parametrize("delay_ms", [0, 150, 320, 500])
def test_an_unknown_delay_of_the_sound_system_is_found(delay_ms: int) -> None:
    """A Bluetooth speaker's delay lies beyond the filter's tail."""
    got = ride(7, EchoPath(-12.0, delay_ms, 90.0, 12, diffuse=True))
    assert got.loss_db(3, 7) >= 18
    assert got.count(0, 7) == 0


def test_a_reference_that_is_said_to_be_heard_too_late_is_moved_forward() -> None:
    got = ride(7, EchoPath(-12.0, 5.0, 90.0, 12, diffuse=True), reference_late_ms=60)
    assert got.loss_db(3, 7) >= 20 and got.canceller.delay_moves == 1


@pytest.mark.parametrize("ppm", [-100.0, 100.0])
def test_a_loudspeaker_clock_that_drifts_is_followed(ppm: float) -> None:
    """Without, the echo loss is 10 dB lower than that of a steady clock."""
    got = ride(12, drift_ppm=ppm)
    assert got.loss_db(6, 12) >= 22
    assert got.canceller.drift_ppm == pytest.approx(-ppm, abs=15) and got.count(0, 12) == 0


def test_a_steady_clock_is_left_alone() -> None:
    got = ride(12)
    assert abs(got.canceller.drift_ppm) < 15


def test_another_device_in_the_middle_is_learnt_and_nobody_is_imagined() -> None:
    """The car's loudspeakers after the phone's: louder, later, another room."""
    got = ride(
        10, EchoPath(-16.0, 5.0, 40.0, 4, diffuse=True), changes=[(5 * SECOND, EchoPath(-10.0, 70.0, 90.0, 9, diffuse=True))]
    )
    assert got.loss_db(3, 5) >= 20 and got.loss_db(7, 10) >= 20
    assert got.count(0, 10) <= 3


@pytest.mark.parametrize("step_db", [-12.0, 9.0])
def test_the_volume_knob_is_not_a_user(step_db: float) -> None:
    """Turned outside of the reference."""
    got = ride(9, changes=[(5 * SECOND, EchoPath(-12.0 + step_db, 15.0, 90.0, 12, diffuse=True))])
    assert got.loss_db(6, 9) >= 20
    assert got.count(0, 9) <= 1


def test_a_duck_changes_nothing_for_the_canceller() -> None:
    """The reference has the gain in it. What still rings of the loud part is not the user either."""
    got = ride(9, EchoPath(-8.0, 15.0, 250.0, 12, diffuse=True), gain=lambda t: 10 ** (-18 / 20) if 4 <= t < 6 else 1.0)
    assert got.count(0, 9) == 0 and got.canceller.restarts == 0
    assert got.loss_db(6.2, 9) >= 20


def test_a_loudspeaker_that_saturates_is_not_a_user() -> None:
    got = ride(12, EchoPath(-6.0, 15.0, 90.0, 13, diffuse=True, clip_dbfs=-10.0))
    assert got.count(0, 12) == 0 and got.loss_db(4, 12) >= 25


def test_a_microphone_that_drops_to_the_telephones_band_and_back() -> None:
    """48 kHz, then 8 kHz, then 48 kHz again in one stream: learnt anew each time, and neither the drop nor the return is a user."""
    words = user(15, 3.5, 8.5, 13.5)
    hiss = np.random.default_rng(5).normal(0, 60, len(words))

    def narrow(t: float, pcm16: Pcm16) -> Pcm16:
        return stream.feed(pcm16) if 5 <= t < 10 else pcm16

    def changed(canceller: EchoCanceller, t: float) -> None:
        if t in (5.0, 10.0):
            canceller.reset()

    stream = Narrow()
    got = ride(15, CAR, words + hiss, microphone=narrow, before=changed)
    assert got.count(0, 3.5) == 0 and got.count(5.6, 8.5) <= 1 and got.count(10.1, 13.5) <= 1
    for start in (3.545, 8.545, 13.545):
        assert got.first(start) <= 0.1


class Narrow:
    """Only what passes through 8 kHz, in blocks; the samples come 6 ms later."""

    def __init__(self) -> None:
        taps = np.arange(-96, 97)
        self._taps = np.sinc(taps * 7_000 / SECOND) * np.hanning(193) * 7_000 / SECOND
        self._history = np.zeros(192)

    def feed(self, pcm16: Pcm16) -> Pcm16:
        sound = np.concatenate([self._history, pcm16])
        self._history = sound[-192:]
        return np.convolve(sound, self._taps, "valid").round().clip(-32_768, 32_767).astype(np.int16)


# --- field reports B -----------------------------------------------------------------------------------------------------


def test_the_agent_does_not_hear_itself() -> None:
    """Half of the render, 120 ms later, in a room, nobody there: not one block."""
    got = ride(20, EchoPath(-6.0, 120.0, 300.0, 21, diffuse=True))
    assert got.count(0, 20) == 0
    assert got.loss_db(4, 20) >= 20


def test_the_user_is_heard_over_an_echo_of_minus_12_db_at_once() -> None:
    words = user(16, 4.0, 7.5, 11.0, 14.0)
    got = ride(16, CAR, words)
    assert got.count(0, 4) == 0
    for start in (4.045, 7.545, 11.045, 14.045):
        assert got.first(start) <= 0.06
    talking = slice(round(4.0 * SECOND), round(6.0 * SECOND))
    distortion = got.out[talking] - words[talking]
    assert 10 * np.log10(np.mean(words[talking] ** 2) / np.mean(distortion**2)) >= 15  # and comes through whole


def test_the_user_who_speaks_before_the_first_sound_is_heard() -> None:
    """400 ms after the request; nothing has been played yet, so nothing can be too loud."""
    quiet = np.zeros(24_000 * 3, np.int16)
    got = ride(3, CAR, user(3, 0.4), far=quiet)
    assert got.first(0.4) <= 0.02 and got.canceller.clean(Samples(3 * SECOND), quiet[:BLOCK]).bypassed


def test_noise_that_swells_and_clicks_are_nobody() -> None:
    """Pink noise from -50 to -20 dBFS within 10 s, and three clicks, under a speaking assistant."""
    seconds = 14
    spectrum = np.fft.rfft(np.random.default_rng(2).normal(0, 1, SECOND * seconds))
    spectrum[1:] /= np.sqrt(np.arange(1, len(spectrum)))
    spectrum[0] = 0
    noise = np.fft.irfft(spectrum, SECOND * seconds)
    t = np.arange(len(noise)) / SECOND
    noise *= 32_768 / noise.std() * 10 ** ((-50 + 3 * np.clip(t - 2, 0, 10)) / 20)
    for at in (3.0, 3.7, 4.5):
        click = slice(round(SECOND * at), round(SECOND * at) + 48)
        noise[click] += 12_000 * np.exp(-np.arange(48) / 12) * np.sign(np.sin(np.arange(48)))
    got = ride(seconds, CAR, noise)
    assert got.count(0, seconds) == 0


def test_an_indicator_in_car_noise_is_nobody_and_the_user_in_it_is() -> None:
    seconds = 12
    rumble = np.cumsum(np.random.default_rng(2).normal(0, 1, SECOND * seconds))
    rumble -= np.convolve(rumble, np.ones(800) / 800, "same")
    noise = rumble / rumble.std() * 32_768 * 10 ** (-42 / 20)
    for at in np.arange(1.0, 8.0, 0.36):
        click = slice(round(SECOND * at), round(SECOND * at) + 160)
        noise[click] += 1_500 * np.exp(-np.arange(160) / 30) * np.sin(np.arange(160) * 0.9)
    words = user(seconds, 9.0, dbfs=-26)
    got = ride(seconds, CAR, noise + words)
    assert got.count(0, 9) == 0 and got.first(9.045) <= 0.1
