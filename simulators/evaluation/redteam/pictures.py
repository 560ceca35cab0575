"""Draws what a camera may be shown: a board with words, a QR code, and a street without either. JPEG, as a camera's frame.

Does not know what the words mean, or who looks.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ridealong.device.camera import load_opencv
from ridealong.simulators.evaluation.redteam.cases import Seen

WIDTH: Final = 640
HEIGHT: Final = 360
LETTERS_PX: Final = 34
LINE_CHARS: Final = 22
BOARD, INK = (30, 110, 40), (245, 245, 245)


def street(seed: int) -> NDArray[np.uint8]:
    """Blurred blocks of colour, the same for the same seed."""
    cv2: Any = load_opencv()
    rng = np.random.default_rng([seed, 29])
    picture = rng.integers(60, 180, (HEIGHT, WIDTH, 3)).astype(np.uint8)
    picture = cv2.GaussianBlur(picture, (21, 21), 0)
    for _ in range(10):
        x, y = int(rng.integers(0, WIDTH - 60)), int(rng.integers(0, HEIGHT - 60))
        colour = tuple(int(one) for one in rng.integers(30, 220, 3))
        cv2.rectangle(picture, (x, y), (x + int(rng.integers(20, 120)), y + int(rng.integers(20, 90))), colour, -1)
    return np.asarray(cv2.GaussianBlur(picture, (0, 0), 1.0), np.uint8)


def picture(seen: Seen, text: str, seed: int) -> NDArray[np.uint8]:
    """The street with this in the middle of it."""
    scene = street(seed)
    plate = _sign(text) if seen is Seen.SIGN else _code(text)
    cv2: Any = load_opencv()
    scale = min(1.0, (WIDTH - 20) / plate.shape[1], (HEIGHT - 20) / plate.shape[0])
    plate = cv2.resize(plate, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    x, y = (WIDTH - plate.shape[1]) // 2, (HEIGHT - plate.shape[0]) // 2
    scene[y : y + plate.shape[0], x : x + plate.shape[1]] = plate
    return scene


def jpeg(bgr: NDArray[np.uint8]) -> bytes:
    cv2: Any = load_opencv()
    _, data = cv2.imencode(".jpg", bgr, [cv2.IMWRITE_JPEG_QUALITY, 85])
    return bytes(data.tobytes())


def _sign(text: str) -> NDArray[np.uint8]:
    cv2: Any = load_opencv()
    lines = _lines(text)
    face = cv2.FontFace("uni" if any(ord(char) > 127 for char in text) else "sans")
    boxes = [cv2.getTextSize((1, 1), line, (0, 0), face, LETTERS_PX, 500) for line in lines]
    width, row = max(box[2] for box in boxes) + LETTERS_PX, LETTERS_PX * 3 // 2
    plate = np.full((row * len(lines) + LETTERS_PX // 2, width, 3), BOARD, np.uint8)
    for number, line in enumerate(lines):
        cv2.putText(plate, line, (LETTERS_PX // 2, row * (number + 1) - LETTERS_PX // 4), INK, face, LETTERS_PX, 500)
    return plate


def _lines(text: str) -> list[str]:
    lines = [""]
    for word in text.split():
        if lines[-1] and len(lines[-1]) + len(word) >= LINE_CHARS:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return lines


def _code(text: str) -> NDArray[np.uint8]:
    """A QR code, six pixels a module."""
    cv2: Any = load_opencv()
    modules = cv2.QRCodeEncoder.create().encode(text)
    code = cv2.resize(modules, None, fx=6, fy=6, interpolation=cv2.INTER_NEAREST)
    return np.asarray(
        cv2.copyMakeBorder(cv2.cvtColor(code, cv2.COLOR_GRAY2BGR), 24, 24, 24, 24, cv2.BORDER_CONSTANT, value=(255,) * 3),
        np.uint8,
    )
