"""QR codes and product barcodes in a picture, by OpenCV: kind and content, each once.

What a code says is somebody else's text; it is only read here. Does not know what it means, or who asked. Codes of other kinds (Data Matrix, Aztec, PDF417) are not found.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ridealong.harness.skills.eyes import Code

MAX_CODES: Final = 8
MAX_CONTENT_CHARS: Final = 4_000
LEAST_SIDE_PX: Final = 640
"""A smaller picture is looked at once more, enlarged."""
LEAST_VIEW_PX: Final = 100
Picture = npt.NDArray[np.uint8]  # [height, width, 3], BGR


def codes_in(jpeg: bytes) -> tuple[Code, ...]:
    """Nothing where the picture can't be decoded, or OpenCV is not there."""
    try:
        import cv2
    except ImportError:
        return ()
    picture = cv2.imdecode(np.frombuffer(jpeg, dtype=np.uint8), cv2.IMREAD_COLOR)
    if picture is None:
        return ()
    found = _found(picture)
    if not found and max(picture.shape[:2]) < LEAST_SIDE_PX:
        found = _found(cv2.resize(picture, None, fx=2, fy=2, interpolation=cv2.INTER_CUBIC))
    return tuple(found)[:MAX_CODES]


def _found(picture: Any) -> list[Code]:
    import cv2

    found: dict[Code, None] = {}
    try:
        _, contents, _, _ = cv2.QRCodeDetector().detectAndDecodeMulti(picture)
        found |= dict.fromkeys(Code("qr", one[:MAX_CONTENT_CHARS]) for one in contents or () if one)
    except (cv2.error, UnicodeDecodeError):
        pass
    try:
        detector = cv2.barcode.BarcodeDetector()
        for view in _views(picture):
            _, contents, kinds, _ = detector.detectAndDecodeWithType(view)
            if one := _barcodes(contents or (), kinds or ()):
                found |= dict.fromkeys(one)
                break
    except (cv2.error, UnicodeDecodeError):
        pass
    return list(found)


def _views(picture: Any) -> Iterator[Any]:
    """The picture as it is, softened, and smaller: OpenCV's detector misses bars that are wide and sharp, as of a code held close."""
    import cv2

    for scale in (1.0, 0.5, 0.25):
        if scale * min(picture.shape[:2]) < LEAST_VIEW_PX:
            return
        view = picture if scale == 1.0 else cv2.resize(picture, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
        yield view
        yield cv2.GaussianBlur(view, (5, 5), 0)


def _barcodes(contents: Sequence[str], kinds: Sequence[str]) -> list[Code]:
    return [Code(kind or "barcode", one) for one, kind in zip(contents, kinds, strict=True) if one]
