"""Several things of the cabin in one sentence, their verbs left out; a seat's level without a word for its warmth; the gist; a quarter to."""

from __future__ import annotations

import pytest

from ridealong.harness.router import Calls
from ridealong.harness.skills.seeing_words import GIST, asked
from ridealong.harness.slots.time import find_times
from tests.unit.car_words import decide

pytestmark = pytest.mark.unit


def names(words: str) -> list[str]:
    decision = decide(words)
    return [match.capability for match in decision.matches] if isinstance(decision, Calls) else []


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("ambient light blue, cabin light off, volume twenty", ["lights.ambient", "lights.cabin", "media.set_volume"]),
        ("reading light on, volume ten", ["lights.cabin", "media.set_volume"]),
        ("mood lights red, seat heating low, sunroof closed", ["lights.ambient", "seats.set_heating", "sunroof.set"]),
        ("wipers to slow and ambient light green", ["wipers.set", "lights.ambient"]),
        ("wipers to fast and air on the windscreen", ["wipers.set", "climate.set_air"]),
        ("volume fifteen, wipers on auto", ["media.set_volume", "wipers.set"]),
        ("both front seats on low and wipers to automatic", ["seats.set_heating", "wipers.set"]),
        ("氛围灯红色，音量二十，阅读灯关", ["lights.ambient", "media.set_volume", "lights.cabin"]),
        ("天窗翘一下，我这边车窗降一半", ["sunroof.set", "windows.set_position"]),
        ("座椅加热二档，氛围灯蓝色", ["seats.set_heating", "lights.ambient"]),
        ("导航退了吧，收音机声音加十", ["navigation.stop", "media.change_volume"]),
        ("锁车门，音量加十", ["locks.lock", "media.change_volume"]),
    ],
)
def test_every_part_is_done(words: str, expected: list[str]) -> None:
    assert names(words) == expected


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("it's too loud, volume ten", ["media.set_volume"]), ("it's dark, cabin light on", ["lights.cabin"]), ("fan off, it's making a racket", ["climate.set_fan"]),
        ("I'm cold, turn the seat heating on", ["seats.set_heating"]), ("打开车窗，太闷了", ["windows.set_position"]), ("好吵，音量十", ["media.set_volume"]), ("太热了，开空调", ["climate.switch"]),
    ],
)  # fmt: skip
def test_a_reason_is_no_part(words: str, expected: list[str]) -> None:
    assert names(words) == expected


@pytest.mark.parametrize(
    ("words", "level", "zone"),
    [
        ("both seats on low", 33, "row1"), ("Put both the front seats on high.", 100, "row1"), ("my seat on medium", 66, "row1.driver"), ("passenger seat on level two", 66, "row1.passenger"),
        ("driver's seat on full", 100, "row1.driver"), ("主驾座椅开到二档", 66, "row1.driver"), ("两个前座都开高档", 100, "row1"), ("副驾座位一档", 33, "row1.passenger"),
    ],
)  # fmt: skip
def test_a_seat_on_a_level_is_warm(words: str, level: int, zone: str) -> None:
    decision = decide(words)
    assert isinstance(decision, Calls)
    assert [(match.capability, dict(match.arguments)) for match in decision.matches] == [
        ("seats.set_heating", {"level": level, "zone": zone})
    ]


@pytest.mark.parametrize(
    "words", ["raise my seat", "seat higher", "move my seat up", "put my seat lower", "座椅升高一点", "把座椅调低"]
)
def test_a_seat_with_a_direction_moves(words: str) -> None:
    assert names(words) == ["seats.move"]


@pytest.mark.parametrize(
    ("words", "locale"),
    [
        ("just the main points of this letter please, not the whole thing", "en"), ("no don't read the whole thing, only the gist", "en"), ("just the gist of this letter", "en"),
        ("don't read all of it, just the main points", "en"), ("no need to read the whole page, give me the summary", "en"), ("only the main points of that notice please", "en"),
        ("别从头念到尾，说个大意就好", "zh"), ("不用全念，讲重点就行", "zh"), ("别念完了，说个大意", "zh"), ("说个大意", "zh"), ("别都读，就说主要内容", "zh"),
    ],
)  # fmt: skip
def test_only_the_gist(words: str, locale: str) -> None:
    sight = asked(words, locale)
    assert sight is not None and sight.how == GIST


@pytest.mark.parametrize(
    ("words", "locale"),
    [("don't give me the gist", "en"), ("what's the gist of the film", "en"), ("the main points of this letter are wrong", "en"), ("don't read the whole thing", "en"), ("不要说大意", "zh"), ("别念了", "zh")],
)  # fmt: skip
def test_no_gist(words: str, locale: str) -> None:
    assert asked(words, locale) is None


@pytest.mark.parametrize(
    ("words", "hour", "minute"),
    [("今晚差一刻九点", 20, 45), ("差五分八点", 7, 55), ("早上差十分钟七点", 6, 50), ("下午三点差一刻", 14, 45), ("晚上十点差五分", 21, 55), ("九点一刻", 9, 15), ("差点忘了九点开会", 9, 0)],
)  # fmt: skip
def test_so_many_minutes_to_the_hour(words: str, hour: int, minute: int) -> None:
    found = find_times(words, "zh")
    assert [(one.hour, one.minute) for one in found] == [(hour, minute)]
