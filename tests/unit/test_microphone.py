"""Sound sources: what they agree on, what they say when they can't, and what they do when a device goes away."""

from __future__ import annotations

import asyncio
import threading
import time
import wave
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from ridealong.device import microphone as module
from ridealong.device.microphone import Block, FileMicrophone, Microphone, SimulatedMicrophone, SoundDeviceMicrophone, To16k
from ridealong.device.sound import agree
from ridealong.errors import UserError

pytestmark = pytest.mark.unit


class FakeError(Exception):
    pass


class FakeStream:
    """Calls back from a thread at 5 times real time, while `plugged`."""

    def __init__(self, backend: FakeBackend, options: dict[str, Any]) -> None:
        self.backend, self.options = backend, options
        self.running = False
        self.latency = 0.04

    def start(self) -> None:
        if not self.backend.plugged:
            raise FakeError("Device unavailable")
        self.running = True
        threading.Thread(target=self._run, daemon=True).start()

    def _run(self) -> None:
        frames = self.options["blocksize"]
        while self.running and self.backend.plugged:
            shape = (round(frames * self.backend.delivered_share), self.options["channels"])
            self.options["callback"](np.full(shape, 100, np.int16), shape[0], None, None)
            time.sleep(0.02)

    def abort(self) -> None:
        self.running = False

    def close(self) -> None:
        self.running = False


class FakeBackend:
    """Accepts exactly one rate and channel count, as a `hw:` device does."""

    PortAudioError = FakeError

    def __init__(self, rate: int = 48_000, channels: int = 2, native: int = 44_100) -> None:
        self.rate, self.channels, self.native = rate, channels, native
        self.plugged = True
        self.delivered_share = 1.0
        self.opened: list[dict[str, Any]] = []

    def query_devices(self) -> Sequence[Mapping[str, Any]]:
        def entry(name: str) -> dict[str, Any]:
            return {"name": name, "max_input_channels": 2, "max_output_channels": 2, "default_samplerate": float(self.native)}

        return [entry("Built-in"), entry("USB Speakerphone")] if self.plugged else [entry("Built-in")]

    def _check(self, device: int, channels: int, dtype: str, samplerate: float) -> None:
        if (round(samplerate), channels, dtype) != (self.rate, self.channels, "int16"):
            raise FakeError("Invalid sample rate [PaErrorCode -9997]")

    check_input_settings = check_output_settings = _check

    def InputStream(self, **options: Any) -> FakeStream:  # noqa: N802
        self.opened.append(options)
        return FakeStream(self, options)

    OutputStream = InputStream


def test_a_device_that_takes_only_48_khz_stereo_is_negotiated_and_resampled() -> None:
    backend = FakeBackend()
    agreed = agree(backend, "input", "usb")
    assert (agreed.name, agreed.rate, agreed.channels) == ("USB Speakerphone", 48_000, 2)

    async def listen() -> int:
        microphone = SoundDeviceMicrophone("usb", backend)
        await microphone.open()
        samples = 0
        while samples < 3_200:
            block = await microphone.read()
            assert block is not None and not block.lost and block.pcm16.dtype == np.int16
            samples += len(block.pcm16)
        await microphone.close()
        return samples

    assert asyncio.run(listen()) >= 3_200


def test_a_device_that_takes_nothing_is_named_with_what_was_tried() -> None:
    with pytest.raises(UserError) as caught:
        agree(FakeBackend(rate=96_000), "input", "USB")
    assert "'USB Speakerphone'" in str(caught.value) and "44100 Hz" in str(caught.value) and "-9997" in str(caught.value)


def test_a_microphone_that_is_not_there_is_named_beside_those_that_are() -> None:
    with pytest.raises(UserError, match="no microphone named 'Headset'; this machine has: 'Built-in', 'USB Speakerphone'"):
        agree(FakeBackend(), "input", "Headset")


def test_an_unplugged_microphone_is_lost_and_only_the_same_one_is_opened_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LOST_AFTER_S", 0.15)
    monkeypatch.setattr(module, "REOPEN_EVERY_S", 0.05)
    backend = FakeBackend()

    async def scenario() -> tuple[Block, Block, SoundDeviceMicrophone]:
        microphone = SoundDeviceMicrophone("USB", backend)
        await microphone.open()
        await microphone.read()
        backend.plugged = False
        lost = await microphone.read()
        while lost is not None and not lost.lost:
            lost = await microphone.read()
        task = asyncio.ensure_future(microphone.read())
        await asyncio.sleep(0.2)
        assert not task.done() and len(backend.opened) == 1  # "Built-in" is there and is not used
        backend.plugged, backend.rate = True, 16_000
        back = await task
        await microphone.close()
        assert lost is not None and back is not None
        return lost, back, microphone

    lost, back, microphone = asyncio.run(scenario())
    assert not len(lost.pcm16)
    assert back.discontinuity and back.rate_changed and len(back.pcm16)
    assert microphone.reopened == 1 and backend.opened[-1]["device"] == 1


def test_a_rate_that_drops_within_a_stream_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "CADENCE_S", 0.2)
    monkeypatch.setattr(module, "REOPEN_EVERY_S", 0.01)
    backend = FakeBackend()

    async def scenario() -> list[Block]:
        microphone = SoundDeviceMicrophone("USB", backend)
        await microphone.open()
        backend.delivered_share = 1 / 6  # 48 kHz became 8 kHz
        blocks: list[Block] = []
        while not (blocks and blocks[-1].rate_changed):
            block = await microphone.read()
            assert block is not None
            backend.delivered_share = 1.0 if block.lost else backend.delivered_share
            blocks.append(block)
        await microphone.close()
        return blocks

    blocks = asyncio.run(asyncio.wait_for(scenario(), 10))
    assert any(block.lost for block in blocks)


def test_resampling_by_chunks_equals_the_whole() -> None:
    tone = (12_000 * np.sin(2 * np.pi * 440 * np.arange(44_100) / 44_100)).astype(np.int16)
    whole = To16k(44_100, 1).convert(tone, last=True)
    stream = To16k(44_100, 1)
    chunks = [stream.convert(tone[at : at + 441], last=at + 441 >= len(tone)) for at in range(0, len(tone), 441)]
    joined = np.concatenate(chunks)
    assert len(joined) == len(whole) == 16_000
    assert np.abs(joined.astype(int) - whole.astype(int)).max() <= 3  # soxr dithers to 16 bits


def write_wav(path: Path, rate: int, channels: int, samples: NDArray[np.int16]) -> Path:
    with wave.open(str(path), "wb") as file:
        file.setparams((channels, 2, rate, 0, "NONE", ""))
        file.writeframes(samples.astype("<i2").tobytes())
    return path


async def read_all(microphone: Microphone, most: int = 10_000) -> list[Block]:
    await microphone.open()
    blocks: list[Block] = []
    while len(blocks) < most and (block := await microphone.read()) is not None:
        blocks.append(block)
    await microphone.close()
    return blocks


def test_a_file_plays_its_left_channel_in_real_time_and_ends(tmp_path: Path) -> None:
    stereo = np.stack([np.full(22_050 // 4, 500), np.full(22_050 // 4, -900)], axis=1).astype(np.int16)
    path = write_wav(tmp_path / "user.wav", 22_050, 2, stereo)
    began = time.monotonic()
    blocks = asyncio.run(read_all(FileMicrophone(path)))
    assert time.monotonic() - began > 0.2
    pcm = np.concatenate([block.pcm16 for block in blocks])
    assert len(pcm) == pytest.approx(4_000, abs=2) and pcm[2_000] == pytest.approx(500, abs=2)


@pytest.mark.parametrize(("content", "words"), [(None, "no WAV file"), (b"not sound", "not a WAV file"), (b"", "not a WAV file")])
def test_a_bad_file_is_one_sentence(tmp_path: Path, content: bytes | None, words: str) -> None:
    path = tmp_path / "x.wav"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(UserError, match=words):
        asyncio.run(FileMicrophone(path).open())


def test_a_simulated_microphone_is_asked_in_order_and_says_lost() -> None:
    asked: list[tuple[int, int]] = []

    def source(start: int, samples: int) -> NDArray[np.int16] | None:
        asked.append((start, samples))
        return None if 3 <= start // 160 < 5 else np.full(samples, start // 160, np.int16)

    blocks = asyncio.run(read_all(SimulatedMicrophone(source), 8))
    assert asked == [(k * 160, 160) for k in range(8)]
    assert [block.lost for block in blocks] == [False] * 3 + [True] * 2 + [False] * 3
    assert [block.discontinuity for block in blocks] == [False] * 5 + [True] + [False] * 2


def test_a_stalled_reader_loses_nothing_within_the_buffer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SOURCE_BUFFER_S", 0.2)
    starts: list[int] = []

    def source(start: int, samples: int) -> NDArray[np.int16]:
        starts.append(start // 160)
        return np.zeros(samples, np.int16)

    async def scenario() -> list[Block]:
        microphone = SimulatedMicrophone(source)
        await microphone.open()
        await microphone.read()
        time.sleep(0.1)  # noqa: ASYNC251 (a freeze of the whole loop)
        blocks = [await microphone.read() for _ in range(6)]
        time.sleep(0.5)  # noqa: ASYNC251
        blocks += [await microphone.read() for _ in range(3)]
        return [block for block in blocks if block is not None]

    blocks = asyncio.run(scenario())
    assert starts[:7] == list(range(7))
    assert starts[7] > 40 and [block.discontinuity for block in blocks[6:]] == [True, False, False]
