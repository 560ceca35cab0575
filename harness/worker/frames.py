"""Messages between the node and a worker: four bytes of length, then a JSON object. Never pickle: reading a message runs nothing.

Both sides take what arrives for rubbish until it has been read: too long, not JSON, no object, NaN, nested too deeply are `FrameError`.
Does not know what a message means, or where its bytes come from.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from typing import Final

MAX_FRAME_BYTES: Final = 256 * 1024
_LENGTH = struct.Struct(">I")

Message = dict[str, object]


class FrameError(ValueError):
    """The other side does not speak our language. The text holds no content."""


def encode(message: Mapping[str, object]) -> bytes:
    """Raises FrameError for what is no JSON, or longer than MAX_FRAME_BYTES."""
    try:
        body = json.dumps(message, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
    except (TypeError, ValueError, RecursionError, UnicodeEncodeError) as error:
        raise FrameError(f"a message can't be written ({type(error).__name__})") from None
    if len(body) > MAX_FRAME_BYTES:
        raise FrameError(f"a message of {len(body)} bytes is too long")
    return _LENGTH.pack(len(body)) + body


def decode(body: bytes) -> Message:
    """One message's JSON. Raises FrameError."""
    try:
        message = json.loads(body, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise FrameError(f"a message can't be read ({type(error).__name__})") from None
    if not isinstance(message, dict):
        raise FrameError("a message is no object")
    return message


class Decoder:
    """Cuts a stream of bytes into messages."""

    def __init__(self) -> None:
        self._rest = bytearray()

    def feed(self, piece: bytes) -> list[Message]:
        """Raises FrameError; nothing that comes after it can be trusted."""
        self._rest += piece
        messages: list[Message] = []
        while len(self._rest) >= _LENGTH.size:
            (length,) = _LENGTH.unpack_from(self._rest)
            if length > MAX_FRAME_BYTES:
                raise FrameError(f"a message of {length} bytes is too long")
            end = _LENGTH.size + length
            if len(self._rest) < end:
                break
            messages.append(decode(bytes(self._rest[_LENGTH.size : end])))
            del self._rest[:end]
        return messages


def _no_constant(name: str) -> object:
    raise ValueError(name)
