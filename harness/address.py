"""The address of evidence: one number for all that a snapshot holds, so that the same evidence has the same name and any other another.

What is heard and seen goes in as the digest of its bytes, the rest as its text, each once, in order.
Does not know where evidence comes from; digests that were made when it arrived are taken as they are.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from typing import Final

DIGEST_BYTES: Final = 16
_AS_TEXT: Final = json.JSONEncoder(ensure_ascii=True, separators=(",", ":"), sort_keys=True, default=str)


def digest(media: bytes | memoryview) -> str:
    """BLAKE2b of the bytes, in 32 hexadecimal digits."""
    return hashlib.blake2b(media, digest_size=DIGEST_BYTES).hexdigest()


def address(span: tuple[int, int], media: Iterable[tuple[str, int, str]], facts: Sequence[object]) -> str:
    """`span`: begin and end in samples. `media`: (kind and number, instant, digest). `facts`: plain values."""
    return digest(_AS_TEXT.encode([span, list(media), facts]).encode())
