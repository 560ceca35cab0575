"""Frames by device time, never stale ones; JPEG within its bounds; OpenCV only when it is needed."""

from __future__ import annotations

import asyncio
from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from ridealong.device import camera as module
from ridealong.device.camera import FileCamera, Frame, OpenCVCamera, SimulatedCamera, encode_jpeg, stretch
from ridealong.errors import UserError
from ridealong.proto.types import Samples

pytestmark = pytest.mark.unit


@pytest.fixture
def video(tmp_path: Path) -> Path:
    """3 s at 10 frames a second; frame k is a grey of 8 k."""
    path = tmp_path / "road.avi"
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter_fourcc(*"MJPG"), 10, (64, 48))
    for k in range(30):
        writer.write(np.full((48, 64, 3), 8 * k, np.uint8))
    writer.release()
    return path


def grey(frame: Frame | None) -> int | None:
    return None if frame is None else round(float(frame.rgb.mean()) / 8)


def test_a_file_is_seen_by_presentation_time(video: Path) -> None:
    async def look(repeat: bool) -> list[int | None]:
        camera = FileCamera(video, repeat)
        await camera.open()
        seen = [grey(await camera.latest(Samples(round(at_s * 16_000)))) for at_s in (0, 0.05, 0.5, 1.0, 2.55, 3.55, 6.2)]
        await camera.close()
        return seen

    assert asyncio.run(look(False)) == [0, 0, 5, 10, 25, None, None]
    assert asyncio.run(look(True)) == [0, 0, 5, 10, 25, 5, 2]


def test_a_file_that_is_none_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "x.mp4").write_bytes(b"not a video")
    with pytest.raises(UserError, match="no video file"):
        asyncio.run(FileCamera(tmp_path / "none.mp4").open())
    with pytest.raises(UserError, match="not a video"):
        asyncio.run(FileCamera(tmp_path / "x.mp4").open())


def test_the_real_camera_keeps_only_the_newest_and_shows_nothing_stale(video: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A device path may be a file: the thread reads it to its end at once, then the camera counts as lost."""
    monkeypatch.setattr(module, "STALE_S", 60.0)
    monkeypatch.setattr(module, "REOPEN_EVERY_S", 60.0)

    async def look() -> tuple[Frame | None, Frame | None, int]:
        camera = OpenCVCamera(str(video))
        await camera.open()
        newest = None
        while newest is None or grey(newest) != 29:  # the last frame of the file
            await asyncio.sleep(0.05)
            newest = await camera.latest(Samples(160_000))
        monkeypatch.setattr(module, "STALE_S", 0.01)
        await asyncio.sleep(0.02)
        stale = await camera.latest(Samples(166_400))
        await camera.close()
        return newest, stale, camera.stale

    newest, stale, count = asyncio.run(look())
    assert newest is not None and newest.capture <= 160_000
    assert stale is None and count == 1


def test_a_camera_that_is_not_there_is_one_sentence() -> None:
    with pytest.raises(UserError, match="camera.kind: none"):
        asyncio.run(OpenCVCamera("/nowhere/video9").open())


def test_without_opencv_the_remedy_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def gone(name: str) -> object:
        raise ImportError(name)

    monkeypatch.setattr(module.importlib, "import_module", gone)
    with pytest.raises(UserError, match=r"ridealong\[camera\]"):
        asyncio.run(OpenCVCamera("0").open())


def test_pictures_fit_their_bounds() -> None:
    rgb = np.zeros((720, 1_280, 3), np.uint8)
    rgb[:, :, 0] = 250  # red
    jpeg, width, height = encode_jpeg(rgb)
    assert (width, height) == (448, 252) and jpeg[:2] == b"\xff\xd8"
    decoded = cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR)[:, :, ::-1]
    assert decoded.shape == (252, 448, 3) and decoded[100, 100, 0] > 240 and decoded[100, 100, 2] < 15
    assert encode_jpeg(rgb[:100, :100])[1:] == (100, 100)  # never larger
    square = stretch(rgb, 512)
    assert square.shape == (512, 512, 3) and square.dtype == np.uint8


def test_a_simulated_camera_may_have_nothing() -> None:
    def source(at: Samples) -> NDArray[np.uint8] | None:
        return np.zeros((2, 2, 3), np.uint8) if at else None

    camera = SimulatedCamera(source)
    assert asyncio.run(camera.latest(Samples(0))) is None
    found = asyncio.run(camera.latest(Samples(5)))
    assert found is not None and found.capture == 5
