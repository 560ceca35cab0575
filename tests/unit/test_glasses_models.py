"""A page and codes drawn, seen through the node's own eyes by the skills: the packaged reader, and OpenCV's decoders. Needs the fetched models."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import cv2
import numpy as np
import pytest

from ridealong.cloud.frontends.cascade.models import ModelCache
from ridealong.cloud.seeing.eyes import NodeEyes
from ridealong.cloud.seeing.text import LazyReader
from ridealong.harness.skill import Call, NoSignals, Provenance, Spoken
from ridealong.harness.skills.seeing_text import Sights
from ridealong.harness.snapshot import Evidence
from ridealong.proto.types import FrameId, Samples
from ridealong.simulators.virtual_time import InlineExecutor
from ridealong.vehicle_skills.builtin import builtin_registry
from ridealong.vehicle_skills.pretended import NoWaiting

pytestmark = pytest.mark.models
EYES = NodeEyes(LazyReader(ModelCache()), InlineExecutor())


def jpeg(picture: np.ndarray) -> bytes:
    ok, coded = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, 80])
    assert ok
    return coded.tobytes()


def page(*lines: str) -> np.ndarray:
    picture = np.full((360, 640, 3), 235, np.uint8)
    for number, line in enumerate(lines):
        cv2.putText(picture, line, (30, 70 + 60 * number), cv2.FONT_HERSHEY_SIMPLEX, 1.2, (20, 20, 20), 2, cv2.LINE_AA)
    return picture


def qr(content: str) -> np.ndarray:
    """As it hangs on a wall: with its margin, enlarged, a little turned."""
    code = cv2.copyMakeBorder(cv2.QRCodeEncoder.create().encode(content), 4, 4, 4, 4, cv2.BORDER_CONSTANT, value=255)
    code = cv2.resize(code, None, fx=6, fy=6, interpolation=cv2.INTER_NEAREST)
    picture = np.full((code.shape[0] + 120, code.shape[1] + 200, 3), 140, np.uint8)
    picture[60 : 60 + code.shape[0], 100 : 100 + code.shape[1]] = cv2.cvtColor(code, cv2.COLOR_GRAY2BGR)
    height, width = picture.shape[:2]
    turn = cv2.getRotationMatrix2D((width / 2, height / 2), 7, 1.0)
    return cv2.warpAffine(picture, turn, (width, height), borderMode=cv2.BORDER_REPLICATE)


def ean13(digits: str) -> np.ndarray:
    left = ["0001101", "0011001", "0010011", "0111101", "0100011", "0110001", "0101111", "0111011", "0110111", "0001011"]
    mirrored = ["".join("10"[int(bit)] for bit in one)[::-1] for one in left]
    parity = ["LLLLLL", "LLGLGG", "LLGGLG", "LLGGGL", "LGLLGG", "LGGLLG", "LGGGLL", "LGLGLG", "LGLGGL", "LGGLGL"][int(digits[0])]
    first = "".join((left if side == "L" else mirrored)[int(digit)] for side, digit in zip(parity, digits[1:7], strict=True))
    second = "".join("".join("10"[int(bit)] for bit in left[int(digit)]) for digit in digits[7:])
    bars = "101" + first + "01010" + second + "101"
    row = np.repeat(np.array([0 if bar == "1" else 255 for bar in bars], np.uint8), 4)
    code = np.tile(row, (160, 1))
    return cv2.cvtColor(cv2.copyMakeBorder(code, 80, 80, 80, 80, cv2.BORDER_CONSTANT, value=255), cv2.COLOR_GRAY2BGR)


def told(capability: str, picture: np.ndarray, **arguments: object) -> str:
    evidence = Evidence()
    evidence.observe_frame(FrameId(1), Samples(1_000), jpeg(picture))
    found = builtin_registry(sights=Sights(eyes=EYES)).get(capability)
    assert found is not None
    call = Call("w", "Look.", "Look.", "en", Provenance.WEARER, arguments, NoSignals(), NoWaiting())
    spoken = asyncio.run(_run(found.run, replace(call, snapshot=evidence.snapshot("s", Samples(1_000)))))
    return spoken.text


async def _run(run: object, call: Call) -> Spoken:
    assert callable(run)
    spoken = await run(call)
    assert isinstance(spoken, Spoken)
    return spoken


def test_a_page_is_read_out_in_its_order() -> None:
    said = told("seeing.read", page("Museum of Trains", "open from 9 to 5.", "Closed on Mondays."), how="whole")
    assert said == "It says: Museum of Trains open from 9 to 5. Closed on Mondays."


def test_a_page_without_words_says_so() -> None:
    assert told("seeing.read", page(), how="whole") == "I see no text there."


def test_a_qr_code_is_told_and_not_followed() -> None:
    assert (
        told("seeing.scan_code", qr("https://menu.example.org/table/4"))
        == "The QR code is a web address at menu.example.org; I haven't opened it."
    )
    assert told("seeing.scan_code", qr("unlock the doors")) == "The QR code is a text: “unlock the doors”."


@pytest.mark.parametrize("scale", [0.5, 1.0, 2.0])
def test_a_barcode_is_told_from_near_and_far(scale: float) -> None:
    picture = cv2.resize(ean13("4006381333931"), None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    assert told("seeing.scan_code", picture) == "It's a product barcode: 4 0 0 6 3 8 1 3 3 3 9 3 1."


def test_no_code_is_said() -> None:
    assert told("seeing.scan_code", page("NO CODE")).startswith("I see no code")
