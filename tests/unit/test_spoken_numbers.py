"""Numbers as they are said, in both languages, and the text around them untouched."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ridealong.cloud.frontends.cascade import numbers_en, numbers_zh

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("Set to 22.5 degrees.", "Set to twenty-two and a half degrees."),
        ("22.5 °C", "twenty-two and a half degrees Celsius"),
        ("22.5", "twenty-two point five"),
        ("21.7°C", "twenty-one point seven degrees Celsius"),
        ("17,5°C", "seventeen and a half degrees Celsius"),
        ("-5 °C", "minus five degrees Celsius"),
        ("1 °C", "one degree Celsius"),
        ("66", "sixty-six"),
        ("266", "two hundred and sixty-six"),
        ("1,500 m", "one thousand five hundred metres"),
        ("1001", "one thousand and one"),
        ("62 km/h", "sixty-two kilometres per hour"),
        ("0.5 km", "half a kilometre"),
        ("½ km", "half a kilometre"),
        ("2½ hours", "two and a half hours"),
        ("1/2", "a half"),
        ("30%", "thirty percent"),
        ("7:45", "seven forty-five"),
        ("7:05", "seven oh five"),
        ("at 7:00", "at seven o'clock"),
        ("7:00 pm", "seven P M"),
        ("the 21st", "the twenty-first"),
        ("the 12th", "the twelfth"),
        ("M25", "M twenty-five"),
        ("€12.50", "twelve euros fifty"),
        ("in 2026", "in twenty twenty-six"),
        ("2026 m", "two thousand and twenty-six metres"),
        ("10-15 minutes", "ten to fifteen minutes"),
        ("007", "zero zero seven"),
        ("exit 12B", "exit twelve B"),
        ("no numbers here", "no numbers here"),
    ],
)
def test_english(written: str, said: str) -> None:
    assert numbers_en.speakable(written) == said


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("22.5", "二十二点五"),
        ("22.5°C", "二十二度半"),
        ("21.7°C", "二十一点七度"),
        ("2度", "两度"),
        ("2公里", "两公里"),
        ("22度", "二十二度"),
        ("12月", "十二月"),
        ("2月", "二月"),
        ("2026年", "二零二六年"),
        ("30%", "百分之三十"),
        ("2%", "百分之二"),
        ("1/2", "一半"),
        ("3/4", "四分之三"),
        ("14:05", "十四点零五分"),
        ("2:30", "两点半"),
        ("-5度", "负五度"),
        ("105", "一百零五"),
        ("2000", "两千"),
        ("20000", "两万"),
        ("10086", "一万零八十六"),
        ("1000000", "一百万"),
        ("62 km/h", "六十二公里每小时"),
        ("10-15分钟", "十到十五分钟"),
        ("没有数字", "没有数字"),
    ],
)
def test_chinese(written: str, said: str) -> None:
    assert numbers_zh.speakable(written) == said


_VALUES = {word: value for value, word in enumerate(numbers_en.ONES)} | {
    word: 10 * value for value, word in enumerate(numbers_en.TENS) if value > 1
}
_SCALES = {name: scale for scale, name in numbers_en.SCALES}


def value_en(said: str) -> int:
    total = group = 0
    for word in said.replace("-", " ").split():
        if word in _SCALES:
            total, group = total + group * _SCALES[word], 0
        elif word == "hundred":
            group *= 100
        elif word != "and":
            group += _VALUES[word]
    return total + group


def value_zh(said: str) -> int:
    total = section = digit = 0
    for char in said.replace("两", "二"):
        if char in "万亿":
            unit = 10_000 if char == "万" else 10**8
            total, section, digit = (total + section + digit) * unit if char == "亿" else total + (section + digit) * unit, 0, 0
        elif char in "十百千":
            section, digit = section + (digit or 1) * {"十": 10, "百": 100, "千": 1000}[char], 0
        else:
            digit = numbers_zh.DIGITS.index(char)
    return total + section + digit


@settings(max_examples=300, deadline=None)
@given(st.integers(0, 999_999_999_999))
def test_every_whole_number_says_its_value(value: int) -> None:
    assert value_en(numbers_en.cardinal(value)) == value


@settings(max_examples=300, deadline=None)
@given(st.integers(0, 99_999_999))
def test_every_whole_number_says_its_value_in_chinese(value: int) -> None:
    assert value_zh(numbers_zh.cardinal(value)) == value


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet="0123456789.,:/%°C kmh-–½€abc度年月点", max_size=30))
def test_any_text_is_read_in_order_with_no_digit_left(text: str) -> None:
    for module in (numbers_en, numbers_zh):
        readings = module.readings(text)
        assert all(one.end <= two.start for one, two in zip(readings, readings[1:], strict=False))
        assert not any(char.isascii() and char.isdigit() for char in module.speakable(text))
