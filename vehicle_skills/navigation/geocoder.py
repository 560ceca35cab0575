"""Where a named place is: the interface, what comes back, and which of several is meant. The demonstration town behind it.

    found = await geocoder.search("the airport", "en", near=(48.13, 11.57))
    match choose(found.hits, near): One(place) | Which(places) | None

A geocoder answers in bounded time and never raises: `fault` says why there is nothing. Reading only, it is asked once a request and not again by itself.
Does not know roads: distances are straight lines.
"""

from __future__ import annotations

import math
import unicodedata
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol

from ridealong.harness.whereabouts import distance_km
from ridealong.vehicle_skills.navigation import gazetteer

Position = tuple[float, float]
"""Degrees north and east."""
FAR_KM: Final = 100.0
"""Beyond this a place is said with its country."""
SAME_KM: Final = 0.5
"""Hits nearer to each other than this are one place with two entries."""
ALIKE: Final = 1.5
"""So many times farther off, and a place fits as well as the nearest of its name."""
BIGGER: Final = 5.0
"""Where nobody knows where the car is, the place that is so many times as big as the next of its name is meant."""
REMEMBERED: Final = 256


class Located(Protocol):
    """A place as sentences have it. `key` "home" is said without an article; `country` "" where it is not known, or goes without saying."""

    @property
    def key(self) -> str: ...
    @property
    def english(self) -> str: ...
    @property
    def chinese(self) -> str: ...
    @property
    def latitude(self) -> float: ...
    @property
    def longitude(self) -> float: ...


@dataclass(frozen=True, slots=True)
class Place:
    """`region` tells places of one name apart ("Missouri"). `size`: how big or how well known, 0 where that is not known."""

    english: str
    chinese: str
    latitude: float
    longitude: float
    country_en: str = ""
    country_zh: str = ""
    region: str = ""
    size: float = 0.0
    key: str = ""

    def name(self, locale: str) -> str:
        return self.chinese if locale.startswith("zh") else self.english

    def country(self, locale: str) -> str:
        return self.country_zh if locale.startswith("zh") else self.country_en

    def apart(self, locale: str) -> str:
        """What tells it from others of its name."""
        return self.region or self.country(locale)

    def km_from(self, here: Position) -> float:
        return distance_km(*here, self.latitude, self.longitude)


@dataclass(frozen=True, slots=True)
class Found:
    """`fault`: "", or "timeout", "unreachable", "rubbish", "missing": nothing is known of the place."""

    hits: tuple[Place, ...] = ()
    fault: str = ""


class Geocoder(Protocol):
    @property
    def instant(self) -> bool:
        """Answers at once, and without a word to anybody: it may be asked while words are still being said."""

    async def search(self, name: str, locale: str, near: Position | None) -> Found:
        """Best first. Never raises."""

    def named(self, latitude: float, longitude: float) -> Located | None:
        """The place that is exactly there, as far as it was ever found."""


@dataclass(frozen=True, slots=True)
class One:
    place: Place


@dataclass(frozen=True, slots=True)
class Which:
    """Two or more fit equally well, in the order in which they are told."""

    places: tuple[Place, ...]


def choose(hits: Sequence[Place], near: Position | None) -> One | Which | None:
    """The nearest; the one that is much bigger, where nobody knows where the car is; else the question."""
    apart: list[Place] = []
    for hit in hits:
        if all(hit.km_from((other.latitude, other.longitude)) > SAME_KM for other in apart):
            apart.append(hit)
    if not apart:
        return None
    if len(apart) == 1:
        return One(apart[0])
    if near is None:
        apart.sort(key=lambda place: -place.size)
        return One(apart[0]) if apart[0].size > BIGGER * apart[1].size else Which(tuple(apart[:2]))
    apart.sort(key=lambda place: place.km_from(near))
    first, second = apart[0], apart[1]
    if second.km_from(near) > ALIKE * first.km_from(near) or first.apart("en") == second.apart("en"):
        return One(first)
    if first.size > BIGGER * second.size > 0:
        return One(first)
    return Which((first, second))


def fold(name: str) -> str:
    """Letters and digits alone, without marks and case: how names are compared (NFC and NFD are one)."""
    bare = "".join(char for char in unicodedata.normalize("NFKD", name) if not unicodedata.combining(char)).casefold()
    return " ".join("".join(char if char.isalnum() else " " for char in bare).split())


def sane(latitude: float, longitude: float) -> bool:
    return math.isfinite(latitude) and math.isfinite(longitude) and -90 <= latitude <= 90 and -180 <= longitude <= 180


@dataclass(slots=True)
class Remembered:
    """Names of places that were found, by where they are: what a destination is called that the car shows only as two numbers. Bounded."""

    _by_position: OrderedDict[tuple[int, int], Place] = field(default_factory=OrderedDict)

    def keep(self, places: Sequence[Place]) -> None:
        for place in places:
            at = _cell(place.latitude, place.longitude)
            self._by_position.pop(at, None)
            self._by_position[at] = place
        while len(self._by_position) > REMEMBERED:
            self._by_position.popitem(last=False)

    def named(self, latitude: float, longitude: float) -> Place | None:
        return self._by_position.get(_cell(latitude, longitude))


def _cell(latitude: float, longitude: float) -> tuple[int, int]:
    return round(latitude * 10_000), round(longitude * 10_000)


class DemoTown:
    """The invented town of gazetteer.py: for trying things out, and for tests."""

    instant = True

    async def search(self, name: str, locale: str, near: Position | None) -> Found:
        place = gazetteer.find(name, *(near or ()))
        return Found((_of(place),)) if place is not None else Found()

    def named(self, latitude: float, longitude: float) -> Located | None:
        return gazetteer.at(latitude, longitude)


def _of(place: gazetteer.KnownPlace) -> Place:
    return Place(place.english, place.chinese, place.latitude, place.longitude, key=place.key)


DEMO: Final = DemoTown()
