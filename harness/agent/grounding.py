"""Where a value that a model wrote comes from: the user's words through our slot parsers, a declared default, the car, an earlier result.

    ground(argument, sources) -> the ground, as `Match.grounds` has it, or None: then it is asked for, never guessed

A number must be one that the words say (in the car's unit, with the sign that they give it); a place in the car the one that they name,
or the speaker's own where they name none; a free text must be in the words. A quote given by the model counts only for choices that no parser
knows, and only where the words hold it. Pure. Does not know skills' code, or what the model meant.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from typing import Any, Final

from ridealong.harness.framing import frame, segments
from ridealong.harness.phrases import similarity
from ridealong.harness.skill import Provenance, Recent
from ridealong.harness.slots.duration import find_duration
from ridealong.harness.slots.number import find_numbers
from ridealong.harness.slots.onoff import find_on_off
from ridealong.harness.slots.percent import find_percent
from ridealong.harness.slots.relative import find_relative
from ridealong.harness.slots.temperature import Target, Unit, as_target, find_temperatures
from ridealong.harness.slots.text import language, marked, plain
from ridealong.harness.slots.zone import ZONES, find_zone, resolve
from ridealong.proto.types import SignalReading

NEAR: Final = 0.01
IN_WORDS: Final = 0.8
"""How surely a name must occur in the words (phrases.py): other spacing and spelling of numbers, not another name."""
_REFERS: Final = re.compile(
    r"\b(?:same|like|match|equal|both|again|back to|that one|there|previous)\b|一样|同样|相同|照旧|那里|那儿|那个地方|刚才|之前"
)
"""Words that point to what is known already; without them a value of the car's is no ground for an act."""
_CORRECTS_EN: Final = re.compile(
    r"(?<=\S) (?:, )?(?:no|sorry|i mean|or rather|make that|make it|wait|scratch that|correction)(?: ,)? "
)
_CORRECTS_ZH: Final = re.compile(r"(?<=\S)(?: [,.] )?(?:啊|哦|呃)?(?:不对|不是|不不|错了|说错了|我是说)(?: [,.] )?(?:应该是|是)?")
_SWITCHES: Final = frozenset({"on", "off", "open", "enabled", "enable", "active", "power", "state"})
"""In the name of a switch that on and off, open and closed are said of; any other yes or no needs a quote."""
_LIGHT: Final = frozenset(["the", "a", "an", "it", "to", "my", "me", "please", "in", "on", "at", "of", "and", "i", "you", "is"])
Read = Callable[[str], SignalReading | None]
Found = tuple[float, str]
"""(value, the words that say it)"""


@dataclass(frozen=True, slots=True)
class Cabin:
    """What only somebody who knows cars can say: the display unit, and on which side the driver sits."""

    unit: Callable[[Read], Unit] = lambda read: "C"
    drive_side: Callable[[Read], str | None] = lambda read: None


@dataclass(frozen=True, slots=True)
class Argument:
    """One value for one property of a contract. `reads`: the signals that its skill declares; `acts`: it would change something."""

    name: str
    value: object
    entry: Mapping[str, Any]
    quote: str = ""
    reads: Sequence[str] = ()
    acts: bool = False


@dataclass(frozen=True, slots=True)
class Sources:
    """`results`: texts of earlier results that are readings; `heard`: lines of this conversation, theirs and ours as far as heard."""

    words: str
    locale: str
    provenance: Provenance = Provenance.UNKNOWN
    read: Read = lambda path: None
    signals: Sequence[SignalReading] = ()
    recent: Sequence[Recent] = ()
    heard: Sequence[str] = ()
    results: Sequence[str] = ()
    cabin: Cabin = field(default_factory=Cabin)
    pieces: Sequence[str] = ()
    """The words cut where they ask for several things, where each piece may name a place of its own."""

    def ways(self) -> list[Sources]:
        """What one call may be about: a piece of the words, or all of them. Where several pieces name a place and a number each ("21 for me and
        23 for the passenger"), whose number is whose must be said in one piece; what a correction says, it says instead."""
        if corrected := _corrected(self.words, self.locale):
            words = corrected if find_numbers(corrected, self.locale) else self.words
            placed_anew = find_zone(corrected, self.locale) is not None
            return [replace(self, words=words, pieces=(corrected,) if placed_anew else (self.words,))]
        cut = segments(self.words, self.locale)
        pieces = cut[0] if cut else ()
        placed = sum(find_zone(piece, self.locale) is not None for piece in pieces)
        if placed < 2:
            return [self]
        numbered = sum(bool(find_numbers(piece, self.locale)) for piece in pieces)
        each = [replace(self, words=piece) for piece in pieces]
        return each if numbered >= 2 else [*each, replace(self, pieces=pieces)]

    @property
    def speaker(self) -> str:
        return "passenger" if self.provenance is Provenance.PASSENGER else "driver"


def _corrected(words: str, locale: str) -> str:
    """What comes after the last "no, …" of the sentence: at its beginning, or between two values or two places. "" where there is none."""
    at_first = frame(words, locale).correction
    form = marked(words, locale)
    cuts = list((_CORRECTS_ZH if language(form, locale) == "zh" else _CORRECTS_EN).finditer(form))
    if not cuts:
        return at_first or ""
    before, after = form[: cuts[-1].start()], form[cuts[-1].end() :]
    numbers = find_numbers(before, locale) and find_numbers(after, locale)
    places = find_zone(before, locale) is not None and find_zone(after, locale) is not None
    return after if numbers or places else at_first or ""


def ground(argument: Argument, sources: Sources) -> str | None:
    """The ground of a value that fits its contract."""
    value, entry = argument.value, argument.entry
    if "default" in entry and value == entry["default"]:
        return "default:declared"
    if isinstance(value, bool):
        return _switch(value, argument, sources)
    if isinstance(value, int | float):
        return _number(float(value), argument, sources) if math.isfinite(value) else None
    if not isinstance(value, str):
        return None
    choices = entry.get("enum")
    if choices and set(choices) <= set(ZONES):
        return _zone(value, argument, sources)
    return _choice(value, argument, sources) if choices else _name(value, argument, sources)


def missing_zone(entry: Mapping[str, Any], sources: Sources) -> str | None:
    """The speaker's own place, where a contract asks for one and the words name none."""
    choices = entry.get("enum")
    own = f"row1.{sources.speaker}"
    named = find_zone(sources.words, sources.locale) is not None
    return own if choices and set(choices) <= set(ZONES) and own in choices and not named else None


# --- numbers ---------------------------------------------------------------------------------------------------------------


def _number(value: float, argument: Argument, sources: Sources) -> str | None:
    whole = argument.entry.get("type") == "integer"

    def same(said: float) -> bool:
        return abs(said - value) < NEAR or (whole and round(said) == value)

    for said, words in _said(argument, sources):
        if same(said):
            return words
    if any(same(known) for result in sources.results for known, _ in _plain_numbers(result, sources.locale)):
        return "context:result"
    return _known(same, argument, sources)


def _said(argument: Argument, sources: Sources) -> Iterator[Found]:
    """The numbers that the words say for such an argument."""
    text, locale = sources.words, sources.locale
    about = f"{argument.name} {argument.entry.get('description', '')}".lower()
    least = argument.entry.get("minimum")
    changes = isinstance(least, int | float) and least < 0
    unit = sources.cabin.unit(sources.read)
    degrees, percent = re.search(r"celsius|temperature|degrees", about), re.search(r"percent|%|share", about)
    if changes and (degrees or percent):
        yield from _change(text, locale, 5 / 9 if degrees and unit == "F" else 1.0)
    elif degrees:
        targets = [as_target(one, unit, locale) for one in find_temperatures(text, locale)]
        yield from ((target.celsius, target.words) for target in targets if isinstance(target, Target))
    elif percent:
        numbers = list(_plain_numbers(text, locale))
        if (share := find_percent(text, locale)) is not None:
            yield share.value, share.words
        elif numbers:
            yield from numbers
        elif (way := find_on_off(text, locale)) is not None:  # "open it" with no amount
            yield (100.0 if way.on else 0.0), way.words
    elif re.search(r"second|_s\b|duration", about):
        if (length := find_duration(text, locale)) is not None:
            yield length.duration_s, length.words
    else:
        yield from _plain_numbers(text, locale)


def _change(text: str, locale: str, size: float) -> Iterator[Found]:
    """A change against what is now, with its sign; how much must be said."""
    relative, share = find_relative(text, locale), find_percent(text, locale)
    if relative is None:
        return
    if relative.amount is not None:
        yield relative.direction * relative.amount * size, relative.words
    elif share is not None and not share.vague:
        yield relative.direction * share.value, share.words


def _plain_numbers(text: str, locale: str) -> Iterator[Found]:
    for number in find_numbers(text, locale):
        yield number.value, number.words


def _known(same: Callable[[float], bool], argument: Argument, sources: Sources) -> str | None:
    """A value that the conversation or the car has, where the words point to it."""
    if argument.acts and _REFERS.search(plain(sources.words, sources.locale)) is None:
        return None
    for call in sources.recent:
        known = call.arguments.get(argument.name)
        if isinstance(known, int | float) and not isinstance(known, bool) and same(float(known)):
            return "context:recent"
    for reading in sources.signals:
        known = reading.value
        mine = any(fnmatchcase(reading.path, pattern) for pattern in argument.reads)
        if mine and isinstance(known, int | float) and not isinstance(known, bool) and same(float(known)):
            return f"signal:{reading.path}"
    return None


# --- choices and names -----------------------------------------------------------------------------------------------------


def _switch(value: bool, argument: Argument, sources: Sources) -> str | None:
    way = find_on_off(sources.words, sources.locale) if _SWITCHES & set(argument.name.split("_")) else None
    if way is not None:
        return way.words if way.on is value else None
    return _quoted(argument.quote, sources)


def _zone(value: str, argument: Argument, sources: Sources) -> str | None:
    named = [zone for text in sources.pieces or (sources.words,) if (zone := find_zone(text, sources.locale)) is not None]
    own = f"row1.{sources.speaker}"
    if not named:
        again = [call.arguments.get(argument.name) for call in sources.recent[:1]]
        return f"default:{own}" if value == own else "context:recent" if value in again else None
    choices = argument.entry.get("enum", ())
    for said in named:
        meant = resolve(said, sources.cabin.drive_side(sources.read), sources.speaker)
        if meant is not None and meant not in choices:  # "both" where there is one row of two
            meant = {"all": "row1", "driver_side": "row1.driver", "passenger_side": "row1.passenger"}.get(meant, meant)
        if value == meant:
            return said.words
    return None


def _choice(value: str, argument: Argument, sources: Sources) -> str | None:
    form = plain(sources.words, sources.locale)
    words = re.sub(r"[._-]+", " ", value).lower()
    if re.search(rf"\b{re.escape(words)}\b", form):
        return words
    return _quoted(argument.quote, sources)


def _name(value: str, argument: Argument, sources: Sources) -> str | None:
    if _contains(sources.words, value, sources.locale):
        return value
    if similarity(value, sources.words, heard=False) >= IN_WORDS:
        return sources.words
    if any(_contains(result, value, sources.locale) for result in sources.results):
        return "context:result"
    if argument.acts and _REFERS.search(plain(sources.words, sources.locale)) is None:
        return None
    if any(call.arguments.get(argument.name) == value for call in sources.recent):
        return "context:recent"
    return "context:talk" if any(_contains(line, value, sources.locale) for line in sources.heard) else None


def _quoted(quote: str, sources: Sources) -> str | None:
    """The model's quote, where the words hold it and it says something."""
    form = plain(quote, sources.locale) if quote else ""
    empty = all(word in _LIGHT for word in form.split())
    return quote if not empty and _contains(sources.words, quote, sources.locale) else None


def _contains(text: str, part: str, locale: str) -> bool:
    form, wanted = plain(text, locale), plain(part, locale)
    if not wanted:
        return False
    if language(wanted, locale) == "zh":
        return wanted in form
    return re.search(rf"(?<!\w){re.escape(wanted)}(?!\w)", form) is not None
