"""What the user sees: the newest frame with the device time of its capture. Real (OpenCV), file (by pts), simulated.

Also the two picture operations that need OpenCV: stretching to the gate's square and JPEG. OpenCV is imported when a real or file camera
is opened or a picture is worked on, never before.

Does not know: units, the gate's decisions, or the link.
"""

from __future__ import annotations

import asyncio
import importlib
import logging
import threading
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from ridealong.errors import UserError
from ridealong.proto.types import CLOCK_HZ, Samples

log = logging.getLogger("ridealong.device.camera")

JPEG_QUALITY: Final = 80
JPEG_LONGEST: Final = 448
STALE_S: Final = 1.0
"""A frame older than this is not shown: what the camera saw then is not what is there now."""
REOPEN_EVERY_S: Final = 2.0


@dataclass(frozen=True, slots=True)
class Frame:
    """`rgb`: uint8 [height, width, 3]."""

    rgb: NDArray[np.uint8]
    capture: Samples


class Camera(Protocol):
    @property
    def name(self) -> str: ...

    async def open(self) -> None:
        """Raises UserError."""

    async def latest(self, now: Samples) -> Frame | None:
        """The newest frame at this device time; None: there is none that is fresh."""

    async def close(self) -> None: ...


class SimulatedCamera:
    """Frames from `source(at)`: uint8 [height, width, 3], RGB, or None."""

    name = "simulated"

    def __init__(self, source: Callable[[Samples], NDArray[np.uint8] | None]) -> None:
        self._source = source

    async def open(self) -> None:
        return None

    async def latest(self, now: Samples) -> Frame | None:
        rgb = self._source(now)
        return None if rgb is None else Frame(rgb, now)

    async def close(self) -> None:
        return None


class FileCamera:
    """A video file on the device clock: the last frame whose presentation time has come. Ends with the file unless `repeat`."""

    def __init__(self, path: Path, repeat: bool = False, pool: Executor | None = None) -> None:
        self._path, self._repeat, self._pool = path, repeat, pool
        self._video: Any = None
        self._bgr: NDArray[np.uint8] | None = None  # shown now
        self._next_s = 0.0  # when the grabbed frame is due, repeats added up
        self._shift_s = 0.0
        self._ends_s: float | None = None

    @property
    def name(self) -> str:
        return f"file {self._path.name}"

    async def open(self) -> None:
        load_opencv()
        if not self._path.is_file():
            raise UserError(f"there is no video file {self._path}; set camera.path to one that exists.")
        self._bgr, self._shift_s, self._ends_s = None, 0.0, None
        if not self._rewind():
            await self.close()
            raise UserError(f"{self._path} is not a video that OpenCV can read; convert it, for example to H.264 in MP4.")

    def _rewind(self) -> bool:
        if self._video is not None:
            self._video.release()
        self._video = load_opencv().VideoCapture(str(self._path))
        return bool(self._video.isOpened() and self._grab())

    def _grab(self) -> bool:
        """Move to the next frame; its time is known, its picture is not yet taken."""
        if not self._video.grab():
            return False
        self._next_s = self._shift_s + self._video.get(load_opencv().CAP_PROP_POS_MSEC) / 1000
        return True

    async def latest(self, now: Samples) -> Frame | None:
        at_s = now / CLOCK_HZ
        await asyncio.get_running_loop().run_in_executor(self._pool, self._advance, at_s)
        if self._bgr is None or (self._ends_s is not None and at_s >= self._ends_s):
            return None
        return Frame(np.ascontiguousarray(self._bgr[:, :, ::-1]), now)

    def _advance(self, at_s: float) -> None:
        """Forward only."""
        while self._ends_s is None and self._next_s <= at_s:
            good, bgr = self._video.retrieve()
            if good:
                self._bgr = bgr
            shown_s = self._next_s
            if not self._grab():
                end_s = shown_s + 1 / max(1.0, self._video.get(load_opencv().CAP_PROP_FPS) or 25.0)
                self._shift_s = end_s
                if not self._repeat or end_s <= shown_s or not self._rewind():
                    self._ends_s = end_s

    async def close(self) -> None:
        if self._video is not None:
            self._video.release()


class OpenCVCamera:
    """A real camera, by number or device path. A thread reads as fast as it delivers and keeps only the newest frame."""

    def __init__(self, device: str = "0", width: int = 0, height: int = 0) -> None:
        self._device, self._size = device, (width, height)
        self._newest: tuple[NDArray[np.uint8], float] | None = None
        self._thread: threading.Thread | None = None
        self._stopping = threading.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self.reopened = 0
        self.stale = 0

    @property
    def name(self) -> str:
        return f"camera {self._device}"

    async def open(self) -> None:
        self._loop = asyncio.get_running_loop()
        await self.close()
        self._newest, self._stopping = None, threading.Event()
        video = self._opened()
        if video is None:
            raise UserError(
                f"the camera {self._device!r} cannot be opened; `ridealong device doctor` lists the cameras, camera.device names one, "
                "and camera.kind: none does without."
            )
        self._thread = threading.Thread(target=self._capture, args=(video, self._stopping), name="camera", daemon=True)
        self._thread.start()

    def _opened(self) -> Any:
        cv2 = load_opencv()
        video = cv2.VideoCapture(int(self._device) if self._device.isdigit() else self._device)
        if not video.isOpened():
            video.release()
            return None
        if all(self._size):
            video.set(cv2.CAP_PROP_FRAME_WIDTH, self._size[0])
            video.set(cv2.CAP_PROP_FRAME_HEIGHT, self._size[1])
        video.set(cv2.CAP_PROP_BUFFERSIZE, 1)
        return video

    def _capture(self, video: Any, stopping: threading.Event) -> None:
        """On its own thread, which alone holds `video`; whatever ends it, the device is given back."""
        assert self._loop is not None
        try:
            while not stopping.is_set():
                good, bgr = video.read() if video is not None else (False, None)
                if good and bgr is not None:
                    self._newest = (bgr, self._loop.time())
                    continue
                if video is not None:
                    log.warning("camera lost")
                    video.release()
                    video = None
                stopping.wait(REOPEN_EVERY_S)
                video = None if stopping.is_set() else self._opened()
                self.reopened += video is not None
        finally:
            if video is not None:
                video.release()

    async def latest(self, now: Samples) -> Frame | None:
        newest = self._newest
        if newest is None:
            return None
        age_s = asyncio.get_running_loop().time() - newest[1]
        if age_s > STALE_S:
            self.stale += 1
            return None
        return Frame(np.ascontiguousarray(newest[0][:, :, ::-1]), Samples(max(0, now - round(age_s * CLOCK_HZ))))

    async def close(self) -> None:
        self._stopping.set()
        thread, self._thread = self._thread, None
        if thread is not None:
            await asyncio.get_running_loop().run_in_executor(None, thread.join, 3.0)


def load_opencv() -> Any:
    try:
        return importlib.import_module("cv2")
    except ImportError:
        raise UserError(
            "a camera is configured and OpenCV is missing: install it with  pip install 'ridealong[camera]', or set camera.kind to none."
        ) from None


def stretch(rgb: NDArray[np.uint8], side: int) -> NDArray[np.uint8]:
    """The whole frame, bicubically, as [side, side, 3]."""
    cv2 = load_opencv()
    return np.asarray(cv2.resize(rgb, (side, side), interpolation=cv2.INTER_CUBIC), np.uint8)


def encode_jpeg(rgb: NDArray[np.uint8], longest: int = JPEG_LONGEST, quality: int = JPEG_QUALITY) -> tuple[bytes, int, int]:
    """(JPEG, width, height); made smaller so that neither side exceeds `longest`, never larger."""
    cv2 = load_opencv()
    height, width = rgb.shape[:2]
    scale = min(1.0, longest / max(height, width))
    if scale < 1.0:
        width, height = max(1, round(width * scale)), max(1, round(height * scale))
        rgb = cv2.resize(rgb, (width, height), interpolation=cv2.INTER_AREA)
    good, encoded = cv2.imencode(".jpg", rgb[:, :, ::-1], [cv2.IMWRITE_JPEG_QUALITY, quality])
    if not good:
        raise ValueError(f"a frame of {width} x {height} could not be encoded")
    return encoded.tobytes(), width, height
