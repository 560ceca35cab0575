"""What the slot parsers read is what was written: places in the car, times of day, changes, ordinals and destinations, in both languages."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ridealong.harness.slots.number import find_numbers, number_words
from ridealong.harness.slots.place import find_place
from ridealong.harness.slots.relative import find_relative
from ridealong.harness.slots.text import has_chinese
from ridealong.harness.slots.time import find_time
from ridealong.harness.slots.zone import ZONES, zone_name
from ridealong.harness.slots.zones import find_zones
from ridealong.vehicle_skills.navigation.gazetteer import PLACES, find

pytestmark = pytest.mark.unit
LOCALES = st.sampled_from(["en", "zh"])


@given(st.sampled_from(ZONES), LOCALES, st.sampled_from([None, "LEFT", "RIGHT"]), st.sampled_from(["LEFT", "RIGHT"]))
def test_the_name_of_a_place_in_the_car_is_read_as_that_place(zone: str, locale: str, named_by: str | None, drive: str) -> None:
    thing = "窗" if locale == "zh" else "window"
    found = find_zones(zone_name(zone, thing, locale, named_by and drive), locale, drive)
    assert found is not None and found.names == (zone,) and found.certain


@given(st.integers(0, 23), st.integers(0, 59), LOCALES)
def test_a_time_of_day_is_read_as_it_was_written(hour: int, minute: int, locale: str) -> None:
    if locale == "zh":
        part = "晚上" if hour >= 18 else "下午" if hour > 12 else "上午"
        words = f"{part}{number_words(hour - 12 if hour > 12 else hour, 'zh')}点"
        words += f"{number_words(minute, 'zh')}分" if minute else "整"
    else:
        spoken = number_words(hour % 12 or 12, "en")
        minutes = "" if not minute else f" {number_words(minute, 'en')}" if minute >= 10 else None
        if minutes is None:
            return  # "seven oh five" is not how the parser's words are written
        words = f"at {spoken}{minutes} {'pm' if hour >= 12 else 'am'}"
    found = find_time(words, locale)
    assert found is not None and (found.hour, found.minute, found.certain) == (hour, minute, True), words


@given(st.integers(1, 20), st.sampled_from([1, -1]), LOCALES)
def test_a_change_is_read_with_its_direction_and_amount(halves: int, direction: int, locale: str) -> None:
    amount = halves / 2
    if locale == "zh":
        words = f"温度调{'高' if direction > 0 else '低'}{number_words(amount, 'zh')}度"
    else:
        words = f"make it {number_words(amount, 'en')} degrees {'warmer' if direction > 0 else 'cooler'}"
    found = find_relative(words, locale)
    assert found is not None and (found.direction, found.amount) == (direction, amount), words


ORDINALS = ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"]


@given(st.integers(1, 10), LOCALES)
def test_an_ordinal_is_read_as_one(number: int, locale: str) -> None:
    words = f"第{number_words(number, 'zh')}个" if locale == "zh" else f"the {ORDINALS[number - 1]} one"
    assert [(one.value, one.ordinal) for one in find_numbers(words, locale) if one.ordinal] == [(number, True)], words


NAMES = sorted({name for place in PLACES for name in place.names})


@given(st.sampled_from(NAMES))
def test_a_destination_is_read_by_its_name(name: str) -> None:
    zh = has_chinese(name)
    for words in ("导航到{}", "带我去{}") if zh else ("navigate to {}", "take me to {}"):
        found = find_place(words.format(name), "zh" if zh else "en")
        assert found is not None and find(found.name) == find(name) is not None, words.format(name)
