"""The arrays of a CTranslate2 model file (model.bin), and the file with some of them changed.

    data = path.read_bytes()
    places = arrays_in(data)                       # name -> Place
    changed = with_changes(data, {name: values})   # the same file, other numbers

Layout (CTranslate2's model_spec.py, binary version 6), little-endian: version u32; name of the specification; its revision u32; the count u32, then of each
array its name, rank u8, extents u32, type u8, bytes u32, bytes; then aliases. A name is its length u16 and so many bytes, the last of which is 0.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

VERSION: Final = 6
TYPES: Final[dict[int, np.dtype[Any]]] = {
    0: np.dtype("<f4"),
    1: np.dtype("i1"),
    2: np.dtype("<i2"),
    3: np.dtype("<i4"),
    4: np.dtype("<f2"),
}
Array = npt.NDArray[Any]


@dataclass(frozen=True, slots=True)
class Place:
    """Where an array's numbers lie in the file."""

    kind: np.dtype[Any]
    shape: tuple[int, ...]
    start: int

    @property
    def count(self) -> int:
        return math.prod(self.shape)

    def read(self, data: bytes) -> Array:
        return np.frombuffer(data, self.kind, self.count, self.start).reshape(self.shape)


def arrays_in(data: bytes) -> dict[str, Place]:
    """By name. Raises ValueError where the file is not such a one, or breaks off."""
    try:
        return _arrays_in(data)
    except (struct.error, UnicodeDecodeError, KeyError) as error:
        raise ValueError(f"this is no CTranslate2 model, or it breaks off ({error})") from error


def _arrays_in(data: bytes) -> dict[str, Place]:
    at = 0

    def number(form: str) -> int:
        nonlocal at
        (found,) = struct.unpack_from(f"<{form}", data, at)
        at += struct.calcsize(form)
        return int(found)

    def name() -> str:
        nonlocal at
        length = number("H")
        at += length
        return data[at - length : at].rstrip(b"\0").decode("ascii")

    if (version := number("I")) != VERSION:
        raise ValueError(f"the model is of CTranslate2's binary version {version}; {VERSION} is read here")
    name(), number("I")
    found = {}
    for _ in range(number("I")):
        title, shape = name(), tuple(number("I") for _ in range(number("B")))
        kind = TYPES[number("B")]
        size = number("I")
        found[title] = Place(kind, shape, at)
        if size != kind.itemsize * found[title].count or at + size > len(data):
            raise ValueError(
                f"the model's {title} takes {size} bytes, where its shape {list(shape)} takes others, or the file breaks off"
            )
        at += size
    return found


def with_changes(data: bytes, changes: Mapping[str, Array]) -> bytes:
    """The file with what is added to those arrays. Raises ValueError where it has no such array, or another shape."""
    places, changed = arrays_in(data), bytearray(data)
    for name, difference in changes.items():
        place = places.get(name)
        if place is None or place.shape != difference.shape:
            raise ValueError(f"the model has no {name} of shape {list(difference.shape)}")
        values = (place.read(data).astype(np.float32) + difference).astype(place.kind)
        changed[place.start : place.start + values.nbytes] = values.tobytes()
    return bytes(changed)
