"""A share of the whole, 0..100: "30 percent", "halfway", "a third", "all the way", 百分之三十, 一半, 三分之一, 三成, 一条缝.

Does not know what is being opened, nor which end of an actuator means open (that is the car's mapping).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ridealong.harness.slots.number import ZH_NUMERAL, chinese_value, digits, find_numbers, number_words
from ridealong.harness.slots.text import language, plain


@dataclass(frozen=True, slots=True)
class Percent:
    """`vague`: a manner of speaking ("a bit"), so the value is our reading of it."""

    value: float
    words: str
    span: tuple[int, int]
    vague: bool = False


A_BIT = 20.0
A_CRACK = 10.0

_EN_WORDS: tuple[tuple[str, float, bool], ...] = (
    (r"(?:two|2)[- ]?(?:thirds?|3rds?)(?: of the way)?", 200 / 3, False),
    (r"(?:one |a )?third of the way|(?:a|one|1|another|a further|an extra)[- ](?:third|3rd)", 100 / 3, False),
    (r"(?:three|3)[- ]?(?:quarters?|fourths?)(?: of the way)?", 75, False),
    (r"(?:a|one|1|another|a further|an extra)[- ](?:quarter|fourth)(?: of the way)?|quarter way", 25, False),
    (r"half ?way|(?:a |one |by )?half(?: of the way)?|in the middle|midway", 50, False),
    (r"all the way|completely|fully|entirely|totally|wide|full|to the (?:top|bottom|max|maximum)|the whole way", 100, True),
    (r"(?:just )?(?:a |one )?(?:tiny |little |small )?(?:crack|sliver|inch|touch|smidge|gap|slit)", A_CRACK, True),
    (
        r"(?:just |only )?(?:a )?(?:little|tiny|wee) bit|(?:just |only )?a (?:bit|little)|slightly|partly|partially|some",
        A_BIT,
        True,
    ),
)
_ZH_WORDS: tuple[tuple[str, float, bool], ...] = (
    (r"一半|一半儿|半开|开半|半扇|半截|中间", 50, False),
    (r"完全|全部打开|全打开|全开|到底|最大|彻底", 100, True),
    (r"一条(?:小)?缝|一道缝|条缝|一丝|个缝", A_CRACK, True),
    (r"一点点|一点儿|一点|一些|稍微|点儿", A_BIT, True),
)


def find_percent(text: str, locale: str) -> Percent | None:
    """The share that the text names: an exact one before a vague one."""
    form = plain(text, locale)
    return _zh(form, locale) if language(form, locale) == "zh" else _en(form, locale)


def unread_percent(text: str, locale: str) -> bool:
    """A percentage is spoken of and no number of it can be read ("inf percent", 百分之很多): never a reason for all or nothing."""
    form = plain(text, locale)
    named = re.search(r"\bper ?cent\b|%|百分之(?!百)", form) is not None
    return named and find_percent(form, locale) is None and not find_numbers(form, locale)


def _en(form: str, locale: str) -> Percent | None:
    for number in find_numbers(form, locale):
        said = re.match(r" ?(?:percent|per cent|%)", form[number.span[1] :])
        if said is not None and not number.ordinal:
            return _bounded(number.value, form, (number.span[0], number.span[1] + said.end()))
    for pattern, value, vague in _EN_WORDS:
        m = re.search(rf"\b(?:{pattern})\b(?! past| an? | of an?\b)", form)
        if m is not None and not re.search(r"\band $", form[: m.start()]):
            return Percent(round(value, 2), m.group(), m.span(), vague)
    return None


def _zh(form: str, locale: str) -> Percent | None:
    m = re.search(rf"百分之(?:(\d+(?:\.\d+)?)|({ZH_NUMERAL}))", form)
    if m is not None:
        value = float(m.group(1)) if m.group(1) else chinese_value(m.group(2))
        return None if value is None else _bounded(value, form, m.span())
    m = re.search(r"(\d+(?:\.\d+)?)%", form)
    if m is not None:
        return _bounded(float(m.group(1)), form, m.span())
    m = re.search(r"([二三四五六七八九十])分之([一二两三四五六七八九])", form)
    if m is not None:
        below, above = chinese_value(m.group(1)), chinese_value(m.group(2))
        if below and above and above <= below:
            return Percent(round(100 * above / below, 2), m.group(), m.span())
    m = re.search(r"([一二两三四五六七八九])成", form)
    if m is not None:
        return Percent(10 * (chinese_value(m.group(1)) or 0), m.group(), m.span())
    for pattern, value, vague in _ZH_WORDS:
        m = re.search(pattern, form)
        if m is not None:
            return Percent(value, m.group(), m.span(), vague)
    return None


def _bounded(value: float, form: str, span: tuple[int, int]) -> Percent | None:
    return Percent(value, form[span[0] : span[1]], span) if 0 <= value <= 100 else None


def any_percent(words: str, locale: str) -> float | None:
    """A percentage said in full, whatever its number: 300 of 百分之三百, which no share is. None where these words, as a whole, are none."""
    form = plain(words, locale)
    if (said := re.fullmatch(rf"百分之(?:(\d+(?:\.\d+)?)|({ZH_NUMERAL}))|(\d+(?:\.\d+)?) ?%", form)) is not None:
        return float(said[1] or said[3]) if said[1] or said[3] else chinese_value(said[2])
    if (said := re.fullmatch(r"(.+?) ?(?:percent|per cent|%)", form)) is not None:
        numbers = find_numbers(said[1], locale)
        return numbers[0].value if numbers and numbers[0].words == said[1] and not numbers[0].ordinal else None
    return None


def percent_words(value: float, locale: str) -> str:
    """ "thirty percent" / "百分之三十"."""
    return f"百分之{number_words(value, locale)}" if locale.startswith("zh") else f"{number_words(value, locale)} percent"


def percent_digits(value: float, locale: str) -> str:
    return f"{digits(value)}%" if locale.startswith("zh") else f"{digits(value)} percent"
