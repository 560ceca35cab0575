"""The hint: speech-like sound above the noise floor, held over pauses."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from ridealong.device.voice_activity import VoiceActivity, level_db, webrtc_detector

pytestmark = pytest.mark.unit


class Loud:
    """Everything loud is speech."""

    def is_speech(self, buf: bytes, sample_rate: int) -> bool:
        assert len(buf) == 640 and sample_rate == 16_000
        return level_db(np.frombuffer(buf, np.int16)) > -40


def tone(amplitude: int, samples: int = 320) -> NDArray[np.int16]:
    return (amplitude * np.sin(2 * np.pi * 300 * np.arange(samples) / 16_000)).astype(np.int16)


def test_onset_hangover_and_end() -> None:
    voice = VoiceActivity(Loud())
    marks = [voice.on(block) for block in [tone(10)] * 3 + [tone(9_000)] * 4 + [tone(10)] * 20]
    assert [mark.now for mark in marks[:7]] == [False] * 3 + [True] * 4
    assert [k for k, mark in enumerate(marks) if mark.hint] == list(range(4, 21))  # 300 ms past the last speech


def test_blocks_of_any_length_give_whole_frames() -> None:
    voice = VoiceActivity(Loud())
    assert not voice.on(tone(9_000, 200)).now
    assert voice.on(tone(9_000, 200)).now


def test_a_steady_noise_of_any_level_stops_counting() -> None:
    """A pink ramp and a hum: the floor follows, so that noise never holds the hint for ever."""
    voice = VoiceActivity(Loud())
    marks = [voice.on(tone(2_000)) for _ in range(50 * 60)]
    assert marks[10].hint and not marks[-1].hint


def test_the_real_detector_tells_silence_and_a_loud_buzz_apart() -> None:
    voice = VoiceActivity(webrtc_detector())
    assert not any(voice.on(np.zeros(320, np.int16)).now for _ in range(10))
    random = np.random.default_rng(1)
    buzz = sum(6_000 / k * np.sin(2 * np.pi * 140 * k * np.arange(16_000) / 16_000) for k in range(1, 20)) + random.normal(
        0, 30, 16_000
    )
    pcm = np.clip(buzz, -32_000, 32_000).astype(np.int16)
    assert sum(voice.on(pcm[at : at + 320]).now for at in range(0, 16_000, 320)) > 25


def test_levels() -> None:
    assert level_db(np.zeros(10, np.int16)) == -96.0
    assert level_db(np.full(10, 32_767, np.int16)) == pytest.approx(0, abs=0.01)


def test_a_microphone_that_drops_to_the_telephones_band_shifts_no_threshold() -> None:
    """Hiss, wide, then through 8 kHz, then wide: the floor stays, so that the return is no speech. By the whole band it rose by 9 dB."""
    random, taps = np.random.default_rng(4), np.arange(-96, 97)
    noise = np.diff(random.normal(0, 200, 16_000 * 12 + 1))
    narrow = np.convolve(noise, np.sinc(taps * 0.45) * np.hanning(193) * 0.45, "same")
    part = 16_000 * 4
    noise[part : 2 * part] = narrow[part : 2 * part]

    class Always:
        def is_speech(self, buf: bytes, sample_rate: int) -> bool:
            return True

    voice, floors, counted = VoiceActivity(Always(), floor_db=-20.0), [], []
    for at in range(0, len(noise), 320):
        counted.append(voice.on(noise[at : at + 320].astype(np.int16)).hint)
        floors.append(voice.floor_db)
    settled = slice(100, None)
    assert max(floors[settled]) - min(floors[settled]) < 3
    assert not any(all(counted[at : at + 3]) for at in range(100, len(counted) - 3)), "single frames may pass, speech does not"


@pytest.mark.parametrize("level_db_", [-45.0, -30.0, -20.0])
def test_steady_car_noise_is_not_speech_and_speech_above_it_is(level_db_: float) -> None:
    """webrtcvad alone calls half of it speech. A buzz with formants stands for a voice."""
    count = 16_000 * 12
    spectrum = np.fft.rfft(np.random.default_rng(2).standard_normal(count))
    spectrum[1:] /= np.sqrt(np.arange(1, len(spectrum)))
    noise = np.fft.irfft(spectrum, count)
    noise *= 32_768 * 10 ** (level_db_ / 20) / np.sqrt(np.mean(noise**2))
    t = np.arange(16_000) / 16_000
    buzz = sum(np.sin(2 * np.pi * 140 * k * t) / k**0.5 for k in range(1, 25))
    noise[-16_000:] += buzz * np.sqrt(np.mean(noise**2)) * 1.5 / np.sqrt(np.mean(buzz**2))
    voice = VoiceActivity(webrtc_detector())
    marks = [voice.on(np.clip(noise, -32_000, 32_000).astype(np.int16)[at : at + 160]) for at in range(0, count, 160)]
    runs = [all(mark.now for mark in marks[k : k + 3]) for k in range(len(marks) - 3)]
    assert sum(runs[300:1_100]) <= 8  # of eight seconds, after three
    assert any(runs[1_100:1_110]) and sum(mark.now for mark in marks[1_100:]) > 70
