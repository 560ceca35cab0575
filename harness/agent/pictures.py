"""Which of a snapshot's pictures show what is there now, and how a picture is written for a model. Pure.

A picture is of now when it was taken while the words were said, or FRESH_MS before they began at most; or when the device has seen since that
nothing has changed. What is older may show what has passed: a camera that is read too slowly, a link that was away. Does not know questions, or what a picture shows.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from ridealong.harness.skill import Provenance
from ridealong.harness.snapshot import Frame, Snapshot
from ridealong.proto.types import CAMERA, Samples, samples_from_ms

FRESH_MS: Final = 500
TYPING_MS: Final = 1_000
"""Typed words took at least so long; a camera gives a picture a second."""
MAX_PICTURES: Final = 3
MAX_PICTURE_BYTES: Final = 512 * 1024
JPEG: Final = b"\xff\xd8\xff"
Message = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Pictures:
    """`frames`: oldest first. None of them: `reason` says why (not_consented, no_picture, old_picture)."""

    frames: tuple[Frame, ...] = ()
    reason: str = ""


def now_begins(snapshot: Snapshot, words: str, provenance: Provenance) -> Samples:
    """What was taken before this is not of now: FRESH_MS before the words began. Where nobody was heard to say them they have no length,
    unless they were typed."""
    begun = [line.start for line in snapshot.transcript if line.text == words]
    typed_ms = TYPING_MS if provenance is Provenance.TYPED else 0
    first = begun[-1] if begun else snapshot.cutoff - samples_from_ms(typed_ms)
    return Samples(min(snapshot.cutoff, first) - samples_from_ms(FRESH_MS))


def of_now(snapshot: Snapshot | None, words: str, provenance: Provenance) -> Pictures:
    """The newest picture and of the others of now the sharpest. At one quality and size a sharper picture has more bytes."""
    usable = (
        [one for one in snapshot.frames if one.jpeg.startswith(JPEG) and len(one.jpeg) <= MAX_PICTURE_BYTES] if snapshot else []
    )
    if snapshot is not None and CAMERA in snapshot.withheld:
        return Pictures(reason="not_consented")
    if snapshot is None or not usable:
        return Pictures(reason="no_picture")
    begin = now_begins(snapshot, words, provenance)
    fresh = sorted((one for one in usable if one.shows >= begin), key=lambda one: (one.shows, one.capture))
    if not fresh:
        return Pictures(reason="old_picture")
    sharpest = sorted(fresh[:-1], key=lambda one: len(one.jpeg), reverse=True)[: MAX_PICTURES - 1]
    return Pictures(tuple(sorted([*sharpest, fresh[-1]], key=lambda one: (one.shows, one.capture))))


def picture_part(jpeg: bytes, kind: str = "image/jpeg") -> Message:
    """As the chat-completions interface takes a picture."""
    return {"type": "image_url", "image_url": {"url": f"data:{kind};base64,{base64.b64encode(jpeg).decode('ascii')}"}}
