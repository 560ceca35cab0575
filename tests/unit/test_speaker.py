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

from ridealong.device.mixer import FlushUpTo, Hold, Release
from ridealong.device.playout import Piece, Silence, Spoken
from ridealong.device.speaker import FileSpeaker, SimulatedSpeaker, SoundDeviceSpeaker
from ridealong.errors import UserError
from ridealong.proto.types import Epoch, Samples, UtteranceId

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


def words(frames: int, value: int = 7, epoch: int = 1, first: int = 0) -> tuple[Piece, ...]:
    return (Spoken(Epoch(epoch), UtteranceId(1), first, np.full(frames, value, np.int16)),)


def test_a_real_speaker_plays_after_its_cushion_and_counts_underruns() -> None:
    async def scenario() -> None:
        backend = FakeBackend(24_000)
        speaker = SoundDeviceSpeaker(None, backend)
        await speaker.open()
        assert speaker.latency_ms == pytest.approx(90) and speaker.late_ms == pytest.approx(30)
        for first in (0, 480, 960):
            speaker.write(Samples(0), words(480, first=first))
        assert not backend.play(1_440).any()  # 60 ms: how late the agent may be
        assert np.all(backend.play(480) == 7) and np.all(backend.play(960) == 7) and speaker.underruns == 0
        backend.play(480)
        assert speaker.underruns == 1
        heard = [(span.first, span.frames) for emitted in speaker.heard(Samples(0)) for span in emitted.mixed.spans]
        assert heard == [(240 * k, 240) for k in range(6)]

    asyncio.run(scenario())


def test_what_is_queued_at_a_real_speaker_can_still_be_dropped_or_held() -> None:
    async def scenario() -> None:
        backend = FakeBackend(24_000)
        speaker = SoundDeviceSpeaker(None, backend)
        await speaker.open()
        for first in (0, 480):
            speaker.write(Samples(0), words(480, first=first))
        backend.play(1_440 + 240)
        speaker.change(Samples(0), Hold())
        assert speaker.full and not backend.play(960)[120:].any()
        speaker.change(Samples(0), Release())
        assert not speaker.full and backend.play(240)[-1, 0] == 7
        speaker.change(Samples(0), FlushUpTo(Epoch(1)))
        assert not backend.play(960)[120:].any()
        heard = [(span.first, span.frames) for emitted in speaker.heard(Samples(0)) for span in emitted.mixed.spans]
        assert heard == [(0, 240), (240, 240)]

    asyncio.run(scenario())


def test_drift_is_made_up_in_silence_and_a_stalled_device_is_full() -> None:
    async def scenario() -> None:
        backend = FakeBackend(24_000)
        speaker = SoundDeviceSpeaker(None, backend)
        await speaker.open()
        for _ in range(20):
            speaker.write(Samples(0), (Silence(480),))
        assert speaker.silence_adjustments > 10 and not speaker.full
        written = 0
        while not speaker.full:
            speaker.write(Samples(0), words(480, first=480 * written))
            written += 1
        assert written < 5
        backend.play(960)
        assert not speaker.full

    asyncio.run(scenario())


def test_when_nobody_fetches_what_was_heard_nothing_sounds() -> None:
    async def scenario() -> None:
        backend = FakeBackend(24_000)
        speaker = SoundDeviceSpeaker(None, backend)
        await speaker.open()
        for _ in range(600):
            backend.play(240)
        speaker.write(Samples(0), words(4_800))
        assert not backend.play(4_800).any() and speaker.unfetched > 0
        speaker.heard(Samples(0))
        backend.play(1_440)
        assert (backend.play(4_800) == 7).any()

    asyncio.run(scenario())


def test_a_speaker_of_another_rate_gets_resampled_blocks() -> None:
    async def scenario() -> None:
        backend = FakeBackend(48_000)
        speaker = SoundDeviceSpeaker(None, backend)
        await speaker.open()
        speaker.write(Samples(0), words(4_800, 1_000))
        sound = np.concatenate([backend.play(480) for _ in range(20)])
        assert abs(int(sound[8_000, 0]) - 1_000) < 5

    asyncio.run(scenario())


def test_times_of_hearing_are_counted_and_follow_jitter_slowly(monkeypatch: pytest.MonkeyPatch) -> None:
    """The reference of the echo canceller must not jump with the callbacks' times."""

    async def scenario() -> None:
        backend = FakeBackend(24_000)
        speaker = SoundDeviceSpeaker(None, backend)
        await speaker.open()
        loop = asyncio.get_running_loop()
        times: list[int] = []
        for k in range(200):
            late_s = 0.004 * (k % 3) + (0.5 if k >= 150 else 0)
            monkeypatch.setattr(loop, "time", lambda k=k, late_s=late_s: 100 + 0.01 * k + late_s)
            backend.play(240)
            times += [emitted.at for emitted in speaker.heard(Samples(round((0.01 * k + late_s) * 16_000)))]
        steps = np.diff(times)
        assert steps.min() >= 155 and np.sort(steps)[-2] <= 165  # 10 ms each,
        assert steps.max() == pytest.approx(8_160, abs=100)  # but for the stall of half a second
        assert times[100] == pytest.approx(100 * 160 + 64 + 480, abs=40)

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
        speaker.write(Samples(0), words(480, 5_000))
        speaker.heard(Samples(3_200))
        speaker.write(Samples(16_000), words(480, 4_000))
        speaker.heard(Samples(19_200))
        await speaker.close()

    asyncio.run(scenario())
    with wave.open(str(tmp_path / "out" / "speaker.wav")) as file:
        pcm = np.frombuffer(file.readframes(100_000), "<i2")
    assert np.array_equal(np.flatnonzero(pcm == 5_000), np.arange(2_400, 2_880))  # 100 ms after it was written
    assert np.array_equal(np.flatnonzero(pcm[10_000:] == 4_000) + 10_000, np.arange(26_400, 26_880))
    with pytest.raises(UserError, match="cannot be written"):
        asyncio.run(FileSpeaker(tmp_path / "out").open())


class Sink:
    def __init__(self, speaker_latency_ms: float = 100.0) -> None:
        self.sound = np.zeros(24_000, np.int16)
        self.speaker = SimulatedSpeaker(self, speaker_latency_ms)

    def __call__(self, at: Samples, block: NDArray[np.int16]) -> None:
        self.sound[at * 3 // 2 : at * 3 // 2 + len(block)] = block


@pytest.mark.parametrize("latency_ms", [50.0, 100.0, 200.0])
def test_the_simulated_speaker_has_a_latency_of_its_own_and_a_late_part_that_is_gone(latency_ms: float) -> None:
    sink = Sink(latency_ms)
    for slot in range(20):
        sink.speaker.write(Samples(320 * slot), words(480, 5_000, first=480 * slot))
        if slot == 12:
            sink.speaker.change(Samples(320 * slot), FlushUpTo(Epoch(1)))
    sink.speaker.heard(Samples(320 * 20))
    begun = round(24 * latency_ms)
    sounding = np.flatnonzero(sink.sound == 5_000)
    assert sounding[0] == begun and np.array_equal(sounding, np.arange(begun, sounding[-1] + 1))
    assert sounding[-1] + 1 == 24 * (12 * 20 + 20 + 10)  # asked at +240 ms; 20 ms and the block just taken are gone


def test_a_simulated_speaker_that_is_dead_plays_nothing_and_goes_on_where_it_was() -> None:
    sink = Sink()
    sink.speaker.write(Samples(0), words(4_800, 5_000))
    sink.speaker.play_on(Samples(2_400))
    sink.speaker.alive = False
    sink.speaker.play_on(Samples(8_000))
    sink.speaker.alive = True
    sink.speaker.play_on(Samples(14_000))
    spans = [span for emitted in sink.speaker.heard(Samples(14_000)) for span in emitted.mixed.spans]
    assert [(span.first, span.frames) for span in spans] == [(0, 1_920), (1_920, 2_880)]
    assert (sink.sound == 5_000).sum() == 4_800
