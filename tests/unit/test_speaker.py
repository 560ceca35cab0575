"""Speakers: the real one over a fake sound system, the file, the simulated one."""

from __future__ import annotations

import asyncio
import time
import wave
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from ridealong.device.speaker import FileSpeaker, SimulatedSpeaker, SoundDeviceSpeaker
from ridealong.errors import UserError
from ridealong.proto.types import Samples

pytestmark = pytest.mark.unit


class FakeError(Exception):
    pass


class FakeStream:
    latency = 0.03

    def __init__(self, options: dict[str, Any]) -> None:
        self.options = options

    def start(self) -> None: ...
    def abort(self) -> None: ...
    def close(self) -> None: ...


class FakeBackend:
    PortAudioError = FakeError

    def __init__(self, rate: int) -> None:
        self.rate = rate
        self.streams: list[FakeStream] = []
        self.there = True

    def query_devices(self) -> Sequence[Mapping[str, Any]]:
        entry = {"name": "Car", "max_input_channels": 0, "max_output_channels": 2, "default_samplerate": float(self.rate)}
        return [entry] if self.there else []

    def check_output_settings(self, *, device: int, channels: int, dtype: str, samplerate: float) -> None:
        if round(samplerate) != self.rate:
            raise FakeError("Invalid sample rate")

    check_input_settings = check_output_settings

    def OutputStream(self, **options: Any) -> FakeStream:  # noqa: N802
        self.streams.append(FakeStream(options))
        return self.streams[-1]

    InputStream = OutputStream

    def play(self, frames: int) -> NDArray[np.int16]:
        out = np.ones((frames, self.streams[-1].options["channels"]), np.int16)
        self.streams[-1].options["callback"](out, frames, None, None)
        return out


def test_a_real_speaker_primes_plays_and_counts_underruns() -> None:
    async def scenario() -> None:
        backend = FakeBackend(24_000)
        speaker = SoundDeviceSpeaker(None, backend)
        await speaker.open()
        speaker.write(Samples(0), np.full(480, 7, np.int16))
        assert not backend.play(480).any()  # not primed: 60 ms first
        for _ in range(2):
            speaker.write(Samples(0), np.full(480, 7, np.int16))
        assert np.all(backend.play(480) == 7)
        assert np.all(backend.play(960) == 7) and speaker.underruns == 0
        assert not backend.play(480).any() and speaker.underruns == 1
        assert speaker.latency_ms == pytest.approx(90, abs=10)

    asyncio.run(scenario())


def test_drift_is_made_up_in_silence_and_a_stalled_device_is_full() -> None:
    async def scenario() -> None:
        backend = FakeBackend(24_000)
        speaker = SoundDeviceSpeaker(None, backend)
        await speaker.open()
        for _ in range(20):
            speaker.write(Samples(0), np.zeros(480, np.int16))
        assert speaker.silence_adjustments > 10 and not speaker.full
        written = 0
        while not speaker.full:
            speaker.write(Samples(0), np.full(480, 9, np.int16))
            written += 1
        assert written < 5 and 60 < speaker.latency_ms < 200
        backend.play(960)
        assert not speaker.full

    asyncio.run(scenario())


def test_a_speaker_of_another_rate_gets_resampled_blocks() -> None:
    async def scenario() -> None:
        backend = FakeBackend(48_000)
        speaker = SoundDeviceSpeaker(None, backend)
        await speaker.open()
        for _ in range(20):
            speaker.write(Samples(0), np.full(480, 1_000, np.int16))
        sound = np.concatenate([backend.play(960) for _ in range(6)])
        assert abs(int(sound[4_000, 0]) - 1_000) < 5

    asyncio.run(scenario())


def test_a_speaker_that_stops_calling_back_is_not_alive_and_is_opened_again(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario() -> None:
        backend = FakeBackend(24_000)
        speaker = SoundDeviceSpeaker(None, backend)
        await speaker.open()
        assert speaker.alive
        clock = time.monotonic()
        loop = asyncio.get_running_loop()
        monkeypatch.setattr(loop, "time", lambda: clock + 2.0)
        backend.there = False
        assert not speaker.alive and speaker.reopened == 0
        backend.there = True
        monkeypatch.setattr(loop, "time", lambda: clock + 4.0)
        assert not speaker.alive and speaker.reopened == 1
        assert speaker.alive

    asyncio.run(scenario())


def test_the_file_keeps_time_over_skipped_slots(tmp_path: Path) -> None:
    async def scenario() -> None:
        speaker = FileSpeaker(tmp_path / "out" / "speaker.wav")
        await speaker.open()
        speaker.write(Samples(0), np.full(480, 5, np.int16))
        speaker.write(Samples(960), np.full(480, 6, np.int16))
        await speaker.close()

    asyncio.run(scenario())
    with wave.open(str(tmp_path / "out" / "speaker.wav")) as file:
        pcm = np.frombuffer(file.readframes(10_000), "<i2")
    assert len(pcm) == 1_920 and pcm[479] == 5 and not pcm[480:1_440].any() and pcm[1_440] == 6
    with pytest.raises(UserError, match="cannot be written"):
        asyncio.run(FileSpeaker(tmp_path / "out").open())


def test_the_simulated_speaker_hands_on() -> None:
    got: list[tuple[int, int]] = []
    SimulatedSpeaker(lambda at, block: got.append((at, len(block)))).write(Samples(320), np.zeros(480, np.int16))
    assert got == [(320, 480)]
