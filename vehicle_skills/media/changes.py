"""What of a call about the music later words may change: "a bit more", "no, Bluetooth", "back to what it was". Pure.

"Turn it down" after "play some music" is about the volume, though that call has none: its steps go to `media.change_volume`.
Does not know the words.
"""

from __future__ import annotations

import re
from typing import Final

from ridealong.harness.changes import Amount, Another, Arguments, Changes, Reads, as_said
from ridealong.vehicle_skills.cabin_signals import MEDIA_SOURCE
from ridealong.vehicle_skills.car import number, text
from ridealong.vehicle_skills.media.words import CHANGE, MUTE, SET, SOURCE, SOURCES_EN, STEP, TRANSPORT, source_named
from ridealong.vehicle_skills.signals import MEDIA_VOLUME

LOUDER: Final = frozenset({"loudness", "quiet", "size"})


def _step(size: float | None, unit: str, manner: str, arguments: Arguments, read: Reads) -> float | None:
    if unit == "notches":
        return (size or 1.0) * STEP
    if unit not in ("", "percent"):
        return None
    return size if size is not None else STEP * (2 if manner == "lot" else 1)


def _none(value: float, unit: str, arguments: Arguments, read: Reads) -> float | None:
    return None


def _loudness_before(arguments: Arguments, before: Reads) -> tuple[Another, ...]:
    value = number(before, MEDIA_VOLUME)
    return ((SET, {"level": round(value)}),) if value is not None else ()


def _muted(arguments: Arguments, on: bool) -> Another:
    """What is on again is the sound; what is off is whatever was on: the muting, or else the sound."""
    return MUTE, {"on": not on and arguments["on"] is not True}


def _played(arguments: Arguments, on: bool) -> Another | None:
    """ "Off" after "play something"."""
    return (TRANSPORT, {"action": "play" if on else "pause"}) if arguments.get("action") in ("play", "pause") else None


_AGAINST: Final = {"play": "pause", "pause": "play", "next": "previous", "previous": "next"}


def _turned(arguments: Arguments) -> Another:
    return TRANSPORT, {"action": _AGAINST[str(arguments["action"])]}


def _turned_back(arguments: Arguments, before: Reads) -> tuple[Another, ...]:
    return (_turned(arguments),)


def _other_source(arguments: Arguments, words: str, read: Reads) -> Another | None:
    named = source_named(words.casefold(), any("\u3400" < char < "\ua000" for char in words)) if words else None
    return (SOURCE, {"source": named[0]}) if named is not None and named[0] != arguments.get("source") else None


def _source_before(arguments: Arguments, before: Reads) -> tuple[Another, ...]:
    was = (text(before, MEDIA_SOURCE) or "").lower()
    return ((SOURCE, {"source": was}),) if was in dict(SOURCES_EN) else ()


def _chosen_source(arguments: Arguments, words: str, zh: bool) -> Another | None:
    """A source and nothing else: "Bluetooth", "from my phone", 用U盘."""
    named = source_named(words, zh)
    if named is None:
        return None
    said = re.escape(named[1])
    alone = (
        rf"(?:用|放|听|从|连|接|切)?(?:到)?(?:我的)?{said}(?:里|上)?(?:的)?(?:放|来|听)?"
        if zh
        else rf"(?:(?:from|on|via|over|off|to|play|use) )*(?:(?:the|my|a|an) )?{said}(?: instead)?"
    )
    return (SOURCE, {"source": named[0]}) if re.fullmatch(alone, words) else None


_IMPLIED: Final = Amount("level", 0, 100, LOUDER, _none, _step, stepped=(CHANGE, {"delta": 0}), implied=True)

LEVEL: Final = Changes(
    Amount("level", 0, 100, LOUDER, as_said("percent"), _step, stepped=(CHANGE, {"delta": 0})), undone=_loudness_before
)
DELTA: Final = Changes(
    Amount("delta", -100, 100, LOUDER, as_said("percent"), _step, is_step=True),
    undone=_loudness_before,
    turned=lambda arguments: (CHANGE, {"delta": -_whole(arguments)}),
)
MUTED: Final = Changes(
    _IMPLIED, state=_muted, turned=lambda arguments: (MUTE, {"on": arguments["on"] is not True}),
    undone=lambda arguments, before: ((MUTE, {"on": arguments["on"] is not True}),),
)  # fmt: skip
ACTION: Final = Changes(_IMPLIED, state=_played, turned=_turned, undone=_turned_back)
FROM: Final = Changes(_IMPLIED, other=_other_source, undone=_source_before, chosen=_chosen_source)


def _whole(arguments: Arguments) -> int:
    delta = arguments["delta"]
    assert isinstance(delta, int)
    return delta
