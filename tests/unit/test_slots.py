"""Slot values out of words: the field reports' table, and round trips."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ridealong.harness.slots import render
from ridealong.harness.slots.duration import duration_words, find_duration
from ridealong.harness.slots.number import find_numbers, number_words, parse_number
from ridealong.harness.slots.percent import find_percent, percent_words
from ridealong.harness.slots.place import find_place
from ridealong.harness.slots.relative import find_relative
from ridealong.harness.slots.temperature import Doubt, Target, as_target, celsius_from_fahrenheit, find_temperatures
from ridealong.harness.slots.text import plain
from ridealong.harness.slots.time import find_time
from ridealong.harness.slots.zone import find_zone, resolve

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("text", "locale", "values"),
    [
        ("twenty-two and a half", "en", [22.5]),
        ("22.5", "en", [22.5]),
        ("22 and a half", "en", [22.5]),
        ("22½", "en", [22.5]),
        ("to sixty six", "en", [66]),
        ("to 66", "en", [66]),
        ("17,5", "en", [17.5]),
        ("minus five", "en", [-5]),
        ("-5", "en", [-5]),
        ("twenty one point five", "en", [21.5]),
        ("one hundred and twenty", "en", [120]),
        ("two thousand and five", "en", [2005]),
        ("the left one", "en", []),
        ("the second exit", "en", [2]),
        ("twenty twenty", "en", [20, 20]),
        ("1,200", "en", [1200]),
        ("no numbers here, to be fair", "en", []),
        ("二十二点五", "zh", [22.5]),
        ("零下五度", "zh", [-5]),
        ("两度", "zh", [2]),
        ("廿五度", "zh", [25]),
        ("导航到三里屯", "zh", []),
        ("去三里屯", "zh", []),
        ("五道口", "zh", []),
        ("高一点", "zh", []),
        ("打开一半", "zh", []),
        ("等一下", "zh", []),
        ("一百二", "zh", [120]),
        ("一百零二", "zh", [102]),
        ("一千二百个", "zh", [1200]),
        ("２２．５度", "zh", [22.5]),
    ],
)
def test_numbers(text: str, locale: str, values: list[float]) -> None:
    assert [n.value for n in find_numbers(text, locale)] == values


@pytest.mark.parametrize(
    ("text", "locale", "value", "unit"),
    [
        ("22.5°C", "en", 22.5, "C"),
        ("seventy two fahrenheit", "en", 72, "F"),
        ("twenty two degrees and a half", "en", 22.5, None),
        ("二十二度半", "zh", 22.5, None),
        ("22度半", "zh", 22.5, None),
        ("调到二十二度五", "zh", 22.5, None),
        ("22度5", "zh", 22.5, None),
        ("华氏七十二度", "zh", 72, "F"),
        ("22.5℃", "zh", 22.5, None),
        ("零下五度半", "zh", -5.5, None),
        ("调到22", "zh", 22, None),
    ],
)
def test_temperatures(text: str, locale: str, value: float, unit: str | None) -> None:
    (found,) = find_temperatures(text, locale)
    assert (found.value, found.unit) == (value, unit)
    assert plain(text, locale)[found.span[0] : found.span[1]] == found.words


@pytest.mark.parametrize("text", ["thirty percent", "5 minutes", "two windows"])
def test_other_units_are_no_temperature(text: str) -> None:
    assert find_temperatures(text, "en") == ()


def test_a_target_is_never_converted_by_guess() -> None:
    (seventy_two,) = find_temperatures("set 72", "en")
    assert as_target(seventy_two, "F", "en") == Target(22.2, "72")
    doubt = as_target(seventy_two, "C", "en")
    assert isinstance(doubt, Doubt) and "72 degrees Fahrenheit" in doubt.question
    (said,) = find_temperatures("set 72 fahrenheit", "en")
    assert as_target(said, "C", "en") == Target(22.0, "72 fahrenheit")
    (cold,) = find_temperatures("零下五度", "zh")
    assert isinstance(as_target(cold, "C", "zh"), Doubt)
    (mistaken,) = find_temperatures("set 22", "en")
    assert isinstance(as_target(mistaken, "F", "en"), Doubt)


@given(st.integers(58, 86))
@settings(max_examples=30, deadline=None)
def test_every_fahrenheit_step_survives_the_trip_through_celsius(degrees: int) -> None:
    (found,) = find_temperatures(f"{degrees} degrees", "en")
    target = as_target(found, "F", "en")
    assert isinstance(target, Target)
    assert render.temperature(target.celsius, "en", "F") == f"{degrees} degrees"
    assert abs(target.celsius - celsius_from_fahrenheit(degrees)) <= 0.06


@pytest.mark.parametrize(
    ("said", "value"), [("五万零一十", 50_010), ("五万零十", 50_010), ("五万零一十五", 50_015), ("十二", 12)]
)
def test_ten_after_a_gap(said: str, value: int) -> None:
    (found,) = find_numbers(said, "zh")
    assert found.value == value and number_words(50_010, "zh") == "五万零一十"


@given(st.integers(-9_999, 99_999), st.sampled_from([0, 0.25, 0.5, 0.75, 0.1]), st.sampled_from(["en", "zh"]))
@settings(max_examples=300, deadline=None)
def test_number_words_round_trip(whole: int, part: float, locale: str) -> None:
    value = round(whole + part, 2)
    parsed = parse_number(number_words(value, locale), locale)
    assert parsed is not None and parsed.value == pytest.approx(value)


@given(st.integers(28, 60), st.sampled_from(["en", "zh"]), st.sampled_from(["C", "F"]))
@settings(max_examples=120, deadline=None)
def test_rendered_temperatures_parse_back(half_degrees: int, locale: str, unit: str) -> None:
    celsius = half_degrees / 2
    text = render.temperature(celsius, locale, "F" if unit == "F" else "C", named=True)
    (found,) = find_temperatures(text, locale)
    target = as_target(found, "F" if unit == "F" else "C", locale)
    assert isinstance(target, Target)
    assert target.celsius == pytest.approx(celsius, abs=0.01 if unit == "C" else 0.35)


@given(st.integers(0, 100), st.sampled_from(["en", "zh"]))
@settings(max_examples=101, deadline=None)
def test_percent_round_trip(share: int, locale: str) -> None:
    for text in (percent_words(share, locale), render.percent(share, locale)):
        found = find_percent(text, locale)
        assert found is not None and found.value == share


@pytest.mark.parametrize(
    ("text", "locale", "value"),
    [
        ("open it halfway", "en", 50), ("half way please", "en", 50), ("a third", "en", 33.33), ("a quarter of the way", "en", 25),
        ("all the way down", "en", 100), ("just a bit", "en", 20), ("30%", "en", 30), ("thirty per cent", "en", 30),
        ("打开一半", "zh", 50), ("开百分之三十", "zh", 30), ("开三分之一", "zh", 33.33), ("开三成", "zh", 30), ("30%", "zh", 30),
        ("开一条缝", "zh", 10), ("开一点", "zh", 20), ("二十二度半", "zh", None), ("twenty-two and a half", "en", None),
        ("half an hour", "en", None), ("half past six", "en", None), ("150 percent", "en", None),
    ],
)  # fmt: skip
def test_percent(text: str, locale: str, value: float | None) -> None:
    found = find_percent(text, locale)
    assert (found.value if found else None) == value


@pytest.mark.parametrize(
    ("text", "locale", "lhd", "rhd"),
    [
        ("the driver's window", "en", "row1.driver", "row1.driver"),
        ("open the rear left window", "en", "row2.driver", "row2.passenger"),
        ("the back right one", "en", "row2.passenger", "row2.driver"),
        ("the left window", "en", "row1.driver", "row1.passenger"),
        ("I meant the right one", "en", "row1.passenger", "row1.driver"),
        ("not the left one, the right one", "en", "row1.passenger", "row1.driver"),
        ("front passenger window", "en", "row1.passenger", "row1.passenger"),
        ("passenger side rear", "en", "row2.passenger", "row2.passenger"),
        ("all the windows", "en", "all", "all"),
        ("both rear windows", "en", "row2", "row2"),
        ("the front windows", "en", "row1", "row1"),
        ("my window", "en", "row1.driver", "row1.driver"),
        ("close it right now", "en", None, None),
        ("打开副驾驶车窗", "zh", "row1.passenger", "row1.passenger"),
        ("主驾驶的窗户", "zh", "row1.driver", "row1.driver"),
        ("后排左侧车窗", "zh", "row2.driver", "row2.passenger"),
        ("左后车窗", "zh", "row2.driver", "row2.passenger"),
        ("右前窗户", "zh", "row1.passenger", "row1.driver"),
        ("所有车窗", "zh", "all", "all"),
        ("后排车窗", "zh", "row2", "row2"),
        ("我这边的窗户", "zh", "row1.driver", "row1.driver"),
        ("副驾驶后面的车窗", "zh", "row2.passenger", "row2.passenger"),
    ],
)
def test_zones_are_roles(text: str, locale: str, lhd: str | None, rhd: str | None) -> None:
    zone = find_zone(text, locale)
    assert (resolve(zone, "LEFT") if zone else None) == lhd
    assert (resolve(zone, "RIGHT") if zone else None) == rhd


def test_left_without_a_known_drive_side_is_not_guessed() -> None:
    zone = find_zone("the left window", "en")
    assert zone is not None and resolve(zone, None) is None


@pytest.mark.parametrize(
    ("text", "locale", "direction", "amount", "manner"),
    [
        ("make it warmer", "en", 1, None, "plain"), ("a bit cooler please", "en", -1, None, "bit"), ("turn it up by two", "en", 1, 2, "plain"),
        ("two degrees colder", "en", -1, 2, "plain"), ("a lot warmer", "en", 1, None, "lot"), ("高一点", "zh", 1, None, "bit"),
        ("调低两度", "zh", -1, 2, "plain"), ("再热一点", "zh", 1, None, "bit"), ("half a degree warmer", "en", 1, 0.5, "plain"),
    ],
)  # fmt: skip
def test_relative(text: str, locale: str, direction: int, amount: float | None, manner: str) -> None:
    found = find_relative(text, locale)
    assert found is not None and (found.direction, found.amount, found.manner) == (direction, amount, manner)


def test_a_target_is_no_change() -> None:
    assert find_relative("turn it up to 22", "en") is None
    assert find_relative("调高到22度", "zh") is None


@given(st.integers(1, 20_000), st.sampled_from(["en", "zh"]))
@settings(max_examples=150, deadline=None)
def test_duration_round_trip(duration_s: int, locale: str) -> None:
    found = find_duration(duration_words(duration_s, locale), locale)
    assert found is not None and found.duration_s == duration_s


@pytest.mark.parametrize(
    ("text", "locale", "seconds"),
    [("five minutes", "en", 300), ("half an hour", "en", 1800), ("an hour and a half", "en", 5400), ("90 seconds", "en", 90),
     ("a quarter of an hour", "en", 900), ("两分半", "zh", 150), ("一个半小时", "zh", 5400), ("半小时", "zh", 1800), ("五分钟", "zh", 300)],
)  # fmt: skip
def test_durations(text: str, locale: str, seconds: float) -> None:
    found = find_duration(text, locale)
    assert found is not None and found.duration_s == seconds


def test_times() -> None:
    assert (t := find_time("at seven thirty", "en")) and (t.hour, t.minute) == (7, 30)
    assert (t := find_time("half past six in the evening", "en")) and (t.hour, t.minute, t.certain) == (18, 30, True)
    assert (t := find_time("下午三点半", "zh")) and (t.hour, t.minute) == (15, 30)


@pytest.mark.parametrize(
    ("text", "locale", "name"),
    [("Navigate to the nearest charging station.", "en", "nearest charging station"), ("take me home please", "en", "home"),
     ("could you take us to the airport now", "en", "airport"), ("set the destination to city hall", "en", "city hall"),
     ("导航到最近的充电站", "zh", "最近的充电站"), ("带我去机场吧", "zh", "机场"), ("回家吧", "zh", "家"), ("导航到三里屯", "zh", "三里屯")],
)  # fmt: skip
def test_places(text: str, locale: str, name: str) -> None:
    found = find_place(text, locale)
    assert found is not None and found.name == name


@given(st.text(max_size=40), st.sampled_from(["en", "zh"]))
@settings(max_examples=150, deadline=None)
def test_no_text_breaks_a_parser_and_values_are_finite(text: str, locale: str) -> None:
    for number in find_numbers(text, locale):
        assert abs(number.value) < float("inf")
    for find in (find_percent, find_zone, find_relative, find_duration, find_time, find_place, find_temperatures):
        find(text, locale)


def test_nothing_is_rendered_from_nothing() -> None:
    with pytest.raises(ValueError, match="finite"):
        render.temperature(float("nan"), "en")
