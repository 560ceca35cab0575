"""Camera, microphone and speaker opened and closed 500 times: no handle and no thread is left, also where a device is lost, refuses, or is opened again."""

from __future__ import annotations

import asyncio
import os
import threading
import time
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from ridealong.device import camera as camera_module
from ridealong.device import microphone as microphone_module
from ridealong.device.camera import FileCamera, OpenCVCamera
from ridealong.device.microphone import FileMicrophone, SoundDeviceMicrophone
from ridealong.device.speaker import SoundDeviceSpeaker
from ridealong.errors import UserError
from ridealong.proto.types import Samples
from tests.unit.test_microphone import FakeBackend, FakeError, write_wav

pytestmark = pytest.mark.unit

CYCLES = 500


class Handles:
    """What a driver has lent out: a handle is leaked unless it is given back."""

    def __init__(self) -> None:
        self.open: set[int] = set()
        self.most = self.lent = 0
        self._lock = threading.Lock()

    def lend(self, to: object) -> None:
        with self._lock:
            self.open.add(id(to))
            self.lent += 1
            self.most = max(self.most, len(self.open))

    def back(self, of: object) -> None:
        with self._lock:
            self.open.discard(id(of))


class LeakyStream:
    """Calls back once when it starts. `refuses`: the name of the call that fails, as of a device that is gone."""

    latency = 0.04

    def __init__(self, handles: Handles, options: dict[str, Any], refuses: str) -> None:
        self.handles, self.options, self.refuses = handles, options, refuses
        handles.lend(self)

    def _may(self, call: str) -> None:
        if self.refuses == call:
            raise FakeError("Device unavailable")

    def start(self) -> None:
        self._may("start")
        block = np.zeros((self.options["blocksize"], self.options["channels"]), np.int16)
        self.options["callback"](block, len(block), None, None)

    def abort(self) -> None:
        self._may("abort")

    def close(self) -> None:
        self.handles.back(self)


class LeakyBackend(FakeBackend):
    def __init__(self, refuses: str = "") -> None:
        super().__init__(rate=16_000, channels=1)
        self.handles, self.refuses = Handles(), refuses

    def InputStream(self, **options: Any) -> Any:  # noqa: N802
        return LeakyStream(self.handles, options, self.refuses)

    OutputStream = InputStream


class LeakyVideo:
    """A camera of OpenCV's interface; `frames` of them before it is lost."""

    def __init__(self, handles: Handles, opens: bool, frames: int) -> None:
        self.handles, self.opens, self.left = handles, opens, frames
        handles.lend(self)

    def isOpened(self) -> bool:  # noqa: N802
        return self.opens

    def set(self, _key: int, _value: float) -> None:
        return None

    def read(self) -> tuple[bool, NDArray[np.uint8] | None]:
        self.left -= 1
        time.sleep(0.0002)
        return (True, np.zeros((2, 2, 3), np.uint8)) if self.left >= 0 else (False, None)

    def release(self) -> None:
        self.handles.back(self)


class LeakyOpenCV:
    CAP_PROP_FRAME_WIDTH, CAP_PROP_FRAME_HEIGHT, CAP_PROP_BUFFERSIZE = 3, 4, 38

    def __init__(self, frames: int = 10**9, opens: bool = True) -> None:
        self.handles, self.frames, self.opens = Handles(), frames, opens

    def VideoCapture(self, _device: int | str) -> LeakyVideo:  # noqa: N802
        return LeakyVideo(self.handles, self.opens, self.frames)


def files_open() -> int:
    return len(os.listdir("/proc/self/fd"))


def leaves_nothing(story: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """Neither threads nor files, counted inside the loop after a first cycle has made what is made once (the pool's threads)."""

    async def main() -> None:
        await story()
        threads, files = {one for one in threading.enumerate() if one.name == "camera"}, files_open()
        for _ in range(CYCLES - 1):
            await story()
        assert {one for one in threading.enumerate() if one.name == "camera"} == threads == set()
        assert files_open() <= files

    asyncio.run(main())


@pytest.mark.parametrize("refuses", ["", "abort"])
@pytest.mark.parametrize("again", [False, True], ids=["a new one", "the same one"])
def test_a_microphone_gives_every_handle_back(refuses: str, again: bool) -> None:
    backend = LeakyBackend(refuses)
    one = SoundDeviceMicrophone("USB", backend)

    async def cycle() -> None:
        microphone = one if again else SoundDeviceMicrophone("USB", backend)
        await microphone.open()
        assert len(backend.handles.open) == 1
        block = await microphone.read()
        assert block is not None and not block.lost
        await microphone.close()
        assert not backend.handles.open

    leaves_nothing(cycle)
    assert (backend.handles.lent, backend.handles.most) == (CYCLES, 1)


@pytest.mark.parametrize("make", [SoundDeviceMicrophone, SoundDeviceSpeaker])
def test_a_sound_device_that_does_not_start_keeps_no_handle(make: Callable[..., Any]) -> None:
    backend = LeakyBackend("start")

    async def cycle() -> None:
        with pytest.raises(UserError, match="cannot be opened"):
            await make("USB", backend).open()
        assert not backend.handles.open

    leaves_nothing(cycle)
    assert backend.handles.lent == CYCLES


def test_a_speaker_gives_every_handle_back() -> None:
    backend = LeakyBackend()

    async def cycle() -> None:
        speaker = SoundDeviceSpeaker("USB", backend)
        await speaker.open()
        await speaker.close()
        assert not backend.handles.open

    leaves_nothing(cycle)
    assert (backend.handles.lent, backend.handles.most) == (CYCLES, 1)


def test_a_microphone_that_is_lost_again_and_again_is_held_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """It calls back once and no more; half of the times it is closed while it is lost, and opened again."""
    monkeypatch.setattr(microphone_module, "LOST_AFTER_S", 0.0001)
    monkeypatch.setattr(microphone_module, "REOPEN_EVERY_S", 0.0001)
    backend = LeakyBackend()
    microphone, cycles = SoundDeviceMicrophone("USB", backend), iter(range(CYCLES))

    async def cycle() -> None:
        await microphone.open()
        while True:
            block = await microphone.read()
            assert block is not None and len(backend.handles.open) <= 1
            if block.lost:
                break
        if next(cycles) % 2:
            while (await microphone.read()).lost:  # type: ignore[union-attr]
                pass
        await microphone.close()
        assert not backend.handles.open

    leaves_nothing(cycle)
    assert backend.handles.most == 1 and backend.handles.lent > CYCLES


@pytest.mark.parametrize("again", [False, True], ids=["a new one", "the same one"])
def test_a_camera_gives_every_handle_and_its_thread_back(again: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    opencv = LeakyOpenCV()
    monkeypatch.setattr(camera_module, "load_opencv", lambda: opencv)
    one = OpenCVCamera("0")

    async def cycle() -> None:
        camera = one if again else OpenCVCamera("0")
        await camera.open()
        assert len(opencv.handles.open) == 1
        while await camera.latest(Samples(16_000)) is None:  # noqa: ASYNC110
            await asyncio.sleep(0.0002)
        await camera.close()
        assert not opencv.handles.open

    leaves_nothing(cycle)
    assert (opencv.handles.lent, opencv.handles.most) == (CYCLES, 1)


def test_a_camera_that_is_opened_twice_is_held_once(monkeypatch: pytest.MonkeyPatch) -> None:
    opencv = LeakyOpenCV()
    monkeypatch.setattr(camera_module, "load_opencv", lambda: opencv)

    async def twice() -> None:
        camera = OpenCVCamera("0")
        await camera.open()
        await camera.open()
        assert len(opencv.handles.open) == 1
        await camera.close()
        assert not opencv.handles.open

    asyncio.run(twice())


def test_a_camera_that_is_lost_again_and_again_is_held_once(monkeypatch: pytest.MonkeyPatch) -> None:
    opencv = LeakyOpenCV(frames=1)
    monkeypatch.setattr(camera_module, "load_opencv", lambda: opencv)
    monkeypatch.setattr(camera_module, "REOPEN_EVERY_S", 0.0)

    async def ride() -> int:
        camera = OpenCVCamera("0")
        await camera.open()
        while camera.reopened < CYCLES:  # noqa: ASYNC110
            await asyncio.sleep(0.001)
        await camera.close()
        return camera.reopened

    reopened = asyncio.run(ride())
    assert (opencv.handles.lent, opencv.handles.most) == (reopened + 1, 1) and not opencv.handles.open
    assert not [one for one in threading.enumerate() if one.name == "camera"]


def test_a_camera_that_can_not_be_opened_keeps_no_handle(monkeypatch: pytest.MonkeyPatch) -> None:
    opencv = LeakyOpenCV(opens=False)
    monkeypatch.setattr(camera_module, "load_opencv", lambda: opencv)

    async def cycle() -> None:
        with pytest.raises(UserError, match="cannot be opened"):
            await OpenCVCamera("0").open()
        assert not opencv.handles.open

    leaves_nothing(cycle)


def test_files_are_closed(tmp_path: Path) -> None:
    import cv2

    video = tmp_path / "road.avi"
    writer = cv2.VideoWriter(str(video), cv2.VideoWriter_fourcc(*"MJPG"), 10, (64, 48))
    writer.write(np.zeros((48, 64, 3), np.uint8))
    writer.release()
    (tmp_path / "none.avi").write_bytes(b"no video")
    sound = write_wav(tmp_path / "a.wav", 16_000, 1, np.zeros(3_200, np.int16))
    (tmp_path / "none.wav").write_bytes(b"RIFF")
    camera, microphone = FileCamera(video), FileMicrophone(sound)

    async def cycle() -> None:
        await camera.open()
        assert await camera.latest(Samples(0)) is not None
        await camera.close()
        await microphone.open()
        await microphone.close()
        with pytest.raises(UserError):
            await FileMicrophone(tmp_path / "none.wav").open()

    leaves_nothing(cycle)
