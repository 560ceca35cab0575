"""Signs drawn and read: English and Chinese, small, tilted; and nothing where nothing stands. Needs the fetched models."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from ridealong.cloud.frontends.cascade.models import ModelCache
from ridealong.cloud.seeing.text import LazyReader, TextReader, boxes, decoded, load_reader
from ridealong.errors import UserError
from ridealong.harness.conditions import PhraseSeen
from ridealong.harness.phrases import similarity
from ridealong.harness.standing import THRESHOLDS

pytestmark = pytest.mark.models

chinese = pytest.mark.skipif(not hasattr(cv2, "FontFace"), reason="this OpenCV draws no Chinese")


def sign(text: str, size: int = 40, width: int = 448, height: int = 252, tilt_deg: float = 0.0) -> np.ndarray:
    """White letters on a green board before a noisy grey scene."""
    picture = np.random.default_rng(3).normal(110, 18, (height, width, 3)).clip(0, 255).astype(np.uint8)
    picture = cv2.GaussianBlur(picture, (5, 5), 0)
    cv2.rectangle(picture, (30, 70), (width - 30, 180), (60, 110, 20), -1)
    if hasattr(cv2, "FontFace"):
        cv2.putText(picture, text, (50, 140), (255, 255, 255), cv2.FontFace("sans"), size, 500)
    else:
        cv2.putText(picture, text, (50, 140), cv2.FONT_HERSHEY_SIMPLEX, size / 30, (255, 255, 255), 2)
    if tilt_deg:
        turn = cv2.getRotationMatrix2D((width / 2, height / 2), tilt_deg, 1.0)
        picture = cv2.warpAffine(picture, turn, (width, height), borderMode=cv2.BORDER_REPLICATE)
    return picture


@pytest.fixture(scope="module")
def reader() -> TextReader:
    return load_reader(ModelCache())


def satisfies(reader: TextReader, picture: np.ndarray, phrase: str) -> bool:
    ok, jpeg = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, 70])
    assert ok
    lines = reader.read_jpeg(jpeg.tobytes())
    return any(line.confidence * similarity(phrase, line.text, heard=False) >= THRESHOLDS[PhraseSeen] for line in lines)


@pytest.mark.parametrize("size, tilt_deg", [(40, 0.0), (22, 0.0), (36, 8.0), (36, -8.0)])
def test_an_english_sign_is_read(reader: TextReader, size: int, tilt_deg: float) -> None:
    assert satisfies(reader, sign("Exit 12", size, tilt_deg=tilt_deg), "Exit 12")


@chinese
@pytest.mark.parametrize("text, phrase", [("停车场 P2", "停车场"), ("Exit 12 出口", "出口"), ("登机口 B12", "登机口B12")])
def test_a_chinese_sign_is_read(reader: TextReader, text: str, phrase: str) -> None:
    assert satisfies(reader, sign(text, 36), phrase)


@pytest.mark.parametrize("text", ["Exit 13", "Exit 120", "Entrance", "Parking"])
def test_another_sign_is_not_taken_for_it(reader: TextReader, text: str) -> None:
    assert not satisfies(reader, sign(text), "Exit 12")


def test_a_picture_without_words_and_a_broken_one_read_as_nothing(reader: TextReader) -> None:
    assert reader.read(np.full((252, 448, 3), 90, np.uint8)) == ()
    assert reader.read_jpeg(b"no jpeg") == ()


def test_a_missing_model_is_named_with_its_remedy(tmp_path) -> None:  # type: ignore[no-untyped-def]
    lazy = LazyReader(ModelCache(tmp_path))
    assert "models fetch" in lazy.fault()
    with pytest.raises(UserError):
        lazy.read_jpeg(b"")


def test_a_box_grows_from_the_kernel_of_its_line() -> None:
    kernel = np.zeros((64, 200), np.float32)
    kernel[28:36, 40:160] = 0.9
    (box,) = boxes(kernel, (1.0, 1.0))
    assert box.corners[0, 0] < 40 and box.corners[0, 1] < 28 and box.corners[2, 0] > 160 and box.corners[2, 1] > 36


def test_repeats_join_and_blanks_divide() -> None:
    alphabet = ("", "a", "b")
    logits = np.zeros((6, 3), np.float32)
    for step, character in enumerate([1, 1, 0, 1, 2, 2]):
        logits[step, character] = 0.9
    assert decoded(logits, alphabet) == ("aab", pytest.approx(0.9))
