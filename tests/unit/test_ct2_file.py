"""CTranslate2's model file: its arrays are found, changed in place, and what is no such file is said to be none."""

from __future__ import annotations

import struct

import numpy as np
import pytest

from ridealong.cloud.frontends.cascade.ct2_file import VERSION, Array, arrays_in, with_changes

pytestmark = pytest.mark.unit
WEIGHT = np.arange(6, dtype="<f2").reshape(2, 3)
BIAS = np.array([1.5, -2.0], "<f4")


def _text(name: str) -> bytes:
    return struct.pack("<H", len(name) + 1) + name.encode() + b"\0"


def _array(name: str, kind: int, values: Array) -> bytes:
    head = _text(name) + struct.pack("<B", values.ndim) + struct.pack(f"<{values.ndim}I", *values.shape)
    return head + struct.pack("<BI", kind, values.nbytes) + values.tobytes()


def model(version: int = VERSION) -> bytes:
    arrays = [_array("encoder/w", 4, WEIGHT), _array("encoder/b", 0, BIAS), _array("encoder/heads", 2, np.array(8, "<i2"))]
    aliases = struct.pack("<I", 1) + _text("decoder/w") + _text("encoder/w")
    return struct.pack("<I", version) + _text("WhisperSpec") + struct.pack("<II", 3, len(arrays)) + b"".join(arrays) + aliases


def test_every_array_is_found_with_its_numbers() -> None:
    data = model()
    found = {name: place.read(data) for name, place in arrays_in(data).items()}
    assert list(found) == ["encoder/w", "encoder/b", "encoder/heads"]
    np.testing.assert_array_equal(found["encoder/w"], WEIGHT)
    np.testing.assert_array_equal(found["encoder/b"], BIAS)
    assert found["encoder/heads"] == 8


def test_only_what_is_named_changes_and_the_file_stays_as_long() -> None:
    data = model()
    changed = with_changes(data, {"encoder/w": np.full((2, 3), 0.5, np.float32)})
    assert len(changed) == len(data)
    places = arrays_in(changed)
    np.testing.assert_array_equal(places["encoder/w"].read(changed), WEIGHT + np.float16(0.5))
    np.testing.assert_array_equal(places["encoder/b"].read(changed), BIAS)
    assert with_changes(data, {}) == data


@pytest.mark.parametrize("shape", [(3, 2), (6,)])
def test_a_change_of_another_shape_or_of_nothing_there_is_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="encoder/w"):
        with_changes(model(), {"encoder/w": np.zeros(shape, np.float32)})
    with pytest.raises(ValueError, match="decoder/nothing"):
        with_changes(model(), {"decoder/nothing": np.zeros((2, 3), np.float32)})


@pytest.mark.parametrize("cut", [0, 3, 20, 60, 90])
def test_a_file_that_breaks_off_or_is_none_is_refused_in_words(cut: int) -> None:
    with pytest.raises(ValueError, match="breaks off"):
        arrays_in(model()[:cut])


def test_another_version_is_refused_in_words() -> None:
    with pytest.raises(ValueError, match="version 5"):
        arrays_in(model(5))
