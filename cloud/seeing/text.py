"""Words in a picture: where text stands (a differentiable-binarisation map), and what it says (CTC over 18,707 characters).

    picture -> boxes -> upright strips of 48 px -> characters with a confidence, in reading order

PP-OCRv6 (small) on ONNX Runtime, English and Chinese; the character list is inside the recogniser's file. Lines are read left to
right; a strip taller than wide is turned. Does not know: who wants to read, how often, or what a sign means. Text upside down is
not read.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ridealong.cloud.frontends.cascade.models import ModelCache
from ridealong.errors import UserError

Picture = npt.NDArray[np.uint8]  # [height, width, 3], BGR
Map = npt.NDArray[np.float32]

DETECTOR: Final = "text/detect.onnx"
RECOGNISER: Final = "text/recognise.onnx"

SHORT_SIDE_PX: Final = 480
"""The picture is scaled so that its shorter side is about this long, and its longer one at most LONG_SIDE_PX."""
LONG_SIDE_PX: Final = 960
TEXT_PIXEL: Final = 0.3
BOX_SCORE: Final = 0.5
UNCLIP: Final = 1.6
"""The map marks the kernel of a line; the line is so much larger (area x this / perimeter, on each side)."""
LEAST_SIDE_PX: Final = 5
MAX_BOXES: Final = 24
STRIP_PX: Final = 48
LONGEST_STRIP_PX: Final = 960
LEAST_CONFIDENCE: Final = 0.5
GAP_CHARACTER: Final = " "


@dataclass(frozen=True, slots=True)
class Box:
    """A rotated rectangle in the picture: corners from the upper left, clockwise. `score` is the map's mean inside."""

    corners: npt.NDArray[np.float32]  # [4, 2]
    score: float


@dataclass(frozen=True, slots=True)
class TextLine:
    """`confidence`: mean probability of its characters. `x`, `y`: upper left corner, in pixels of the picture."""

    text: str
    confidence: float
    x: int
    y: int


class TextReader:
    """Both networks. `read` blocks for some hundred milliseconds and may be called from any thread."""

    def __init__(self, detector: Path, recogniser: Path, threads: int = 2) -> None:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        options.log_severity_level = 3
        providers = ["CPUExecutionProvider"]
        self._detector: Any = onnxruntime.InferenceSession(str(detector), options, providers=providers)
        self._recogniser: Any = onnxruntime.InferenceSession(str(recogniser), options, providers=providers)
        listed = self._recogniser.get_modelmeta().custom_metadata_map["character"].splitlines()
        self.alphabet: tuple[str, ...] = ("", *listed, GAP_CHARACTER)

    def read_jpeg(self, jpeg: bytes) -> tuple[TextLine, ...]:
        """The lines of a JPEG; nothing where it cannot be decoded."""
        import cv2

        picture = cv2.imdecode(np.frombuffer(jpeg, dtype=np.uint8), cv2.IMREAD_COLOR)
        return () if picture is None else self.read(picture)

    def read(self, picture: Picture) -> tuple[TextLine, ...]:
        """Lines of at least LEAST_CONFIDENCE, top to bottom and left to right."""
        found = []
        for box in self._boxes(picture):
            text, confidence = self._line(strip(picture, box.corners))
            if text and confidence >= LEAST_CONFIDENCE:
                found.append(TextLine(text, confidence, int(box.corners[0, 0]), int(box.corners[0, 1])))
        return tuple(in_reading_order(found))

    def _boxes(self, picture: Picture) -> list[Box]:
        scaled, ratio = for_detector(picture)
        probabilities = self._detector.run(None, {"x": normalised(scaled)[None]})[0][0, 0]
        return boxes(probabilities, ratio)

    def _line(self, image: Picture) -> tuple[str, float]:
        logits = self._recogniser.run(None, {"x": normalised(image)[None]})[0][0]
        return decoded(logits, self.alphabet)


def load_reader(cache: ModelCache, threads: int = 2) -> TextReader:
    """The reader of a models folder. Raises UserError where a file, or OpenCV, is not there."""
    try:
        import cv2  # noqa: F401
    except ImportError as error:
        raise UserError("Reading signs needs OpenCV: install ridealong[cloud] again.") from error
    return TextReader(cache.path(DETECTOR), cache.path(RECOGNISER), threads)


class LazyReader:
    """The reader of a node, loaded when a picture is first read; shared by its sessions."""

    def __init__(self, cache: ModelCache, threads: int = 2) -> None:
        self._cache, self._threads = cache, threads
        self._lock = Lock()
        self._reader: TextReader | None = None

    def fault(self) -> str:
        """ "" or why nothing can be read, without loading anything."""
        if self._reader is not None:
            return ""
        try:
            for name in (DETECTOR, RECOGNISER):
                self._cache.path(name)
        except UserError as error:
            return str(error)
        return "" if find_spec("cv2") is not None else "OpenCV is not installed"

    def read_jpeg(self, jpeg: bytes) -> tuple[TextLine, ...]:
        with self._lock:
            reader = self._reader = self._reader or load_reader(self._cache, self._threads)
        return reader.read_jpeg(jpeg)


# --- where text stands -----------------------------------------------------------------------------------------------


def for_detector(picture: Picture) -> tuple[Picture, tuple[float, float]]:
    """The picture at the detector's size (sides in multiples of 32), and by how much x and y were scaled."""
    import cv2

    height, width = picture.shape[:2]
    scale = min(SHORT_SIDE_PX / min(height, width), LONG_SIDE_PX / max(height, width))
    new_width, new_height = (max(32, round(side * scale / 32) * 32) for side in (width, height))
    return cv2.resize(picture, (new_width, new_height)), (new_width / width, new_height / height)


def normalised(image: Picture) -> Map:
    """[height, width, 3] of 0..255 to [3, height, width] of -1..1."""
    scaled: Map = image.astype(np.float32) / np.float32(127.5) - np.float32(1)
    return scaled.transpose(2, 0, 1)


def boxes(probabilities: Map, ratio: tuple[float, float]) -> list[Box]:
    """Rectangles around the regions of the map [height, width] above TEXT_PIXEL, grown to the whole line, in the picture's pixels."""
    import cv2

    marked = cv2.dilate((probabilities > TEXT_PIXEL).astype(np.uint8), np.ones((2, 2), np.uint8))
    outlines, _ = cv2.findContours(marked, cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)
    found = []
    for outline in sorted(outlines, key=cv2.contourArea, reverse=True)[:MAX_BOXES]:
        centre, (width, height), angle = cv2.minAreaRect(outline)
        if min(width, height) < 3:
            continue
        score = _mean_inside(probabilities, outline)
        if score < BOX_SCORE:
            continue
        grow = 2 * (width * height * UNCLIP / (2 * (width + height)))
        if min(width, height) + grow < LEAST_SIDE_PX:
            continue
        corners = cv2.boxPoints((centre, (width + grow, height + grow), angle)) / np.array(ratio, dtype=np.float32)
        found.append(Box(from_upper_left(corners.astype(np.float32)), score))
    return found


def _mean_inside(probabilities: Map, outline: Any) -> float:
    import cv2

    x, y, width, height = cv2.boundingRect(outline)
    mask = np.zeros((height, width), dtype=np.uint8)
    cv2.fillPoly(mask, [outline - np.array([x, y])], (1,))
    return float(cv2.mean(np.ascontiguousarray(probabilities[y : y + height, x : x + width]), mask)[0])


def from_upper_left(corners: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """Four corners in any order, clockwise from the upper left one."""
    by_x = corners[np.argsort(corners[:, 0], kind="stable")]
    left, right = by_x[:2], by_x[2:]
    left, right = left[np.argsort(left[:, 1])], right[np.argsort(right[:, 1])]
    return np.stack([left[0], right[0], right[1], left[1]])


# --- what it says ----------------------------------------------------------------------------------------------------


def strip(picture: Picture, corners: npt.NDArray[np.float32]) -> Picture:
    """The rectangle made upright, STRIP_PX high. What is much taller than wide is turned a quarter to the left."""
    import cv2

    width = max(1.0, float(np.linalg.norm(corners[1] - corners[0])), float(np.linalg.norm(corners[2] - corners[3])))
    height = max(1.0, float(np.linalg.norm(corners[3] - corners[0])), float(np.linalg.norm(corners[2] - corners[1])))
    if height > 1.5 * width:
        corners, width, height = np.roll(corners, -1, axis=0), height, width
    length = int(min(LONGEST_STRIP_PX, max(STRIP_PX, round(STRIP_PX * width / height))))
    target = np.array([[0, 0], [length, 0], [length, STRIP_PX], [0, STRIP_PX]], dtype=np.float32)
    turn = cv2.getPerspectiveTransform(np.ascontiguousarray(corners, dtype=np.float32), target)
    return cv2.warpPerspective(picture, turn, (length, STRIP_PX), flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE)  # type: ignore[no-any-return]


def decoded(logits: Map, alphabet: tuple[str, ...]) -> tuple[str, float]:
    """Best path of CTC over [steps, characters] (probabilities; character 0 is the blank): text and mean confidence."""
    best = logits.argmax(axis=1)
    kept = [step for step, character in enumerate(best) if character and (step == 0 or best[step - 1] != character)]
    if not kept:
        return "", 0.0
    text = "".join(alphabet[best[step]] for step in kept).strip()
    return text, float(np.mean([logits[step, best[step]] for step in kept]))


def in_reading_order(lines: Iterable[TextLine]) -> list[TextLine]:
    """Rows of about the same height from left to right, rows from top to bottom."""
    rows: list[list[TextLine]] = []
    for line in sorted(lines, key=lambda line: line.y):
        if rows and abs(rows[-1][0].y - line.y) <= 10:
            rows[-1].append(line)
        else:
            rows.append([line])
    return [line for row in rows for line in sorted(row, key=lambda line: line.x)]
