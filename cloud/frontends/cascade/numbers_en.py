"""How English numbers, times, quantities and money are said. Pure text.

`readings(text)` finds what cannot be said as written and gives its words; `speakable(text)` puts them in place. Does not know
pronunciation. Ambiguous forms follow the car: 1/2 is a half, 7:05 a time, 17,5 a decimal, 1,500 a thousand.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

ONES = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen",
    "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)  # fmt: skip
TENS = (
    "zero", "ten", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety",
)  # fmt: skip
SCALES = ((10**12, "trillion"), (10**9, "billion"), (10**6, "million"), (10**3, "thousand"))
ORDINALS = {
    "one": "first", "two": "second", "three": "third", "five": "fifth", "eight": "eighth", "nine": "ninth", "twelve": "twelfth",
}  # fmt: skip
FRACTIONS = {(1, 2): "a half", (1, 3): "a third", (1, 4): "a quarter", (2, 3): "two thirds", (3, 4): "three quarters"}
VULGAR = {"½": (1, 2), "⅓": (1, 3), "¼": (1, 4), "⅔": (2, 3), "¾": (3, 4)}
LARGEST_DIGITS = 15
"""Longer numbers are said digit by digit."""

# unit as written -> (one, many). Matched with case: "m" is a metre, "M25" a road.
UNITS = {
    "°C": ("degree Celsius", "degrees Celsius"),
    "℃": ("degree Celsius", "degrees Celsius"),
    "°F": ("degree Fahrenheit", "degrees Fahrenheit"),
    "℉": ("degree Fahrenheit", "degrees Fahrenheit"),
    "°": ("degree", "degrees"),
    "%": ("percent", "percent"),
    "km/h": ("kilometre per hour", "kilometres per hour"),
    "kph": ("kilometre per hour", "kilometres per hour"),
    "mph": ("mile per hour", "miles per hour"),
    "m/s": ("metre per second", "metres per second"),
    "km": ("kilometre", "kilometres"),
    "cm": ("centimetre", "centimetres"),
    "mm": ("millimetre", "millimetres"),
    "m": ("metre", "metres"),
    "mi": ("mile", "miles"),
    "ft": ("foot", "feet"),
    "kWh": ("kilowatt hour", "kilowatt hours"),
    "kW": ("kilowatt", "kilowatts"),
    "V": ("volt", "volts"),
    "kg": ("kilogram", "kilograms"),
    "g": ("gram", "grams"),
    "l": ("litre", "litres"),
    "L": ("litre", "litres"),
    "bar": ("bar", "bar"),
    "psi": ("P S I", "P S I"),
    "dB": ("decibel", "decibels"),
    "h": ("hour", "hours"),
    "min": ("minute", "minutes"),
    "s": ("second", "seconds"),
    "ms": ("millisecond", "milliseconds"),
}
HALF_WORDS = ("degree", "hour", "minute", "percent", "mile", "kilometre", "kilometer", "metre", "meter")
MONEY = {
    "€": ("euro", "euros", "cent"),
    "$": ("dollar", "dollars", "cent"),
    "£": ("pound", "pounds", "p"),
    "¥": ("yuan", "yuan", "fen"),
}


@dataclass(frozen=True, slots=True)
class Reading:
    """text[start:end] is said as `spoken`."""

    start: int
    end: int
    spoken: str


def cardinal(value: int) -> str:
    """ "one hundred and twenty-two"; negative numbers begin with minus."""
    if value < 0:
        return "minus " + cardinal(-value)
    if value < 20:
        return ONES[value]
    if value < 100:
        return TENS[value // 10] + (f"-{ONES[value % 10]}" if value % 10 else "")
    if value < 1000:
        return f"{ONES[value // 100]} hundred" + (f" and {cardinal(value % 100)}" if value % 100 else "")
    for scale, name in SCALES:
        if value >= scale:
            rest = value % scale
            joint = " and " if 0 < rest < 100 else " "
            return f"{cardinal(value // scale)} {name}" + (joint + cardinal(rest) if rest else "")
    raise AssertionError("unreachable")


def ordinal(value: int) -> str:
    """ "twenty-first"."""
    head, joint, last = re.fullmatch(r"(.*?)([ -]?)([a-z]+)", cardinal(value)).groups()  # type: ignore[union-attr]
    if last in ORDINALS:
        return head + joint + ORDINALS[last]
    return head + joint + (last[:-1] + "ieth" if last.endswith("y") else last + "th")


def digits(text: str) -> str:
    """ "four six nine two"."""
    return " ".join(ONES[int(char)] for char in text if char.isdigit())


def decimal(whole: str, fraction: str, half: bool = False) -> str:
    """whole.fraction: "twenty-two point five", or "twenty-two and a half" when asked for and true."""
    if half and fraction.rstrip("0") == "5":
        return f"{integer(whole)} and a half" if int(whole) else "half a"
    return f"{integer(whole)} point {digits(fraction)}"


def integer(text: str) -> str:
    """Digits as written: leading zeros and very long ones are said one by one."""
    if len(text) > LARGEST_DIGITS or (len(text) > 1 and text[0] == "0"):
        return digits(text)
    return cardinal(int(text))


def clock(hour: int, minute: int) -> str:
    """ "seven forty-five", "seven oh five", "seven o'clock"; 0:30 is "zero thirty"."""
    if minute == 0:
        return f"{cardinal(hour)} o'clock" if 1 <= hour <= 12 else f"{cardinal(hour)} hundred hours"
    return f"{cardinal(hour)} {'oh ' if minute < 10 else ''}{cardinal(minute)}"


def year(value: int) -> str:
    """ "twenty twenty-six", "nineteen oh five", "two thousand and one"."""
    if value % 1000 < 10 or not 1100 <= value < 2100:
        return cardinal(value)
    tail = value % 100
    if tail == 0:
        return f"{cardinal(value // 100)} hundred"
    return f"{cardinal(value // 100)} {'oh ' if tail < 10 else ''}{cardinal(tail)}"


_UNIT = "|".join(re.escape(unit) for unit in sorted(UNITS, key=len, reverse=True))
_WHOLE = r"\d{1,3}(?:,\d{3})+(?!\d)|\d+"
_PATTERN = re.compile(
    rf"""
      (?<![\w:.])(?P<hour>[01]?\d|2[0-3]):(?P<minute>[0-5]\d)(?![\d:])(?:\s?(?P<half_day>[ap])\.?m\b\.?)?
    | (?<!\w)(?P<hour12>1[0-2]|[1-9])\s?(?P<half_day12>[ap])\.?m\b\.?
    | (?P<money>[€$£¥])\s?(?P<coins>{_WHOLE})(?:\.(?P<cents>\d\d)(?!\d))?
    | (?<![\w.])(?P<ordinal>\d+)(?:st|nd|rd|th)\b
    | (?P<vulgar>(?:\d+\s?)?[½⅓¼⅔¾])(?:\s?(?P<vulgar_unit>{_UNIT})(?![A-Za-z]))?
    | (?<![\w.,/])(?P<over>\d{{1,2}})/(?P<under>\d{{1,2}})(?![\w/])
    | (?P<year_cue>(?<=\bin\s)|(?<=\bsince\s)|(?<=\byear\s))(?P<year>1[1-9]\d\d|20\d\d)(?![\d.,%°]|\s?(?:{_UNIT})(?![A-Za-z]))
    | (?:(?P<to>(?<=\d)\s?[-–]\s?(?=\d))|(?P<sign>(?<![\w.])[-−+]))?(?P<whole>{_WHOLE})(?:[.,](?P<fraction>\d+))?
      (?:\s?(?P<unit>{_UNIT})(?![A-Za-z])|(?=\s(?P<word>[a-z]+)))?
    """,
    re.VERBOSE,
)
SYMBOLS = {"&": "and", "+": "plus", "=": "equals", "@": "at", "#": "number"}
_SYMBOL = re.compile(r"(?<=\s)[&+=@#](?=\s|\d)")


def readings(text: str) -> list[Reading]:
    """What must be said otherwise than written, in order and without overlap."""
    found = [Reading(match.start(), match.end(), _read(match)) for match in _PATTERN.finditer(text)]
    taken = [range(reading.start, reading.end) for reading in found]
    for match in _SYMBOL.finditer(text):
        if not any(match.start() in span for span in taken):
            found.append(Reading(match.start(), match.end(), SYMBOLS[match.group()]))
    return sorted(found, key=lambda reading: reading.start)


def speakable(text: str) -> str:
    """The text with every reading in place, set off by spaces where it touches a letter ("M25" -> "M twenty-five")."""
    parts: list[str] = []
    at = 0
    for reading in readings(text):
        parts.append(text[at : reading.start])
        before = "".join(parts)[-1:]
        spaced_before = " " if before.isalnum() or before == "-" else ""
        spaced_after = " " if text[reading.end : reading.end + 1].isalnum() else ""
        parts.append(spaced_before + reading.spoken + spaced_after)
        at = reading.end
    return "".join([*parts, text[at:]])


def _read(match: re.Match[str]) -> str:
    part = match.groupdict()
    if part["hour"]:
        hour, minute = int(part["hour"]), int(part["minute"])
        spoken = clock(hour, minute) if minute or not part["half_day"] else cardinal(hour)
        return _with_half_day(spoken, part["half_day"])
    if part["hour12"]:
        return _with_half_day(cardinal(int(part["hour12"])), part["half_day12"])
    if part["money"]:
        return _money(part["money"], part["coins"].replace(",", ""), part["cents"])
    if part["ordinal"]:
        return ordinal(int(part["ordinal"])) if len(part["ordinal"]) <= LARGEST_DIGITS else digits(part["ordinal"])
    if part["vulgar"]:
        return _vulgar(part["vulgar"], part["vulgar_unit"])
    if part["over"]:
        return _fraction(int(part["over"]), int(part["under"]))
    if part["year"]:
        return year(int(part["year"]))
    return _quantity(part)


def _with_half_day(spoken: str, half_day: str | None) -> str:
    return f"{spoken} {half_day.upper()} M" if half_day else spoken


def _money(symbol: str, coins: str, cents: str | None) -> str:
    one, many, _ = MONEY[symbol]
    spoken = f"{integer(coins)} {one if coins == '1' else many}"
    return spoken + (f" {cardinal(int(cents))}" if cents and int(cents) else "")


def _vulgar(written: str, unit: str | None) -> str:
    fraction = FRACTIONS[VULGAR[written[-1]]]
    whole = written[:-1].strip()
    if not whole and unit:
        return (
            f"{fraction.removeprefix('a ')} a {UNITS[unit][0]}" if fraction == "a half" else f"{fraction} of a {UNITS[unit][0]}"
        )
    spoken = f"{integer(whole)} and {fraction}" if whole else fraction
    return f"{spoken} {UNITS[unit][1]}" if unit else spoken


def _fraction(over: int, under: int) -> str:
    if (over, under) in FRACTIONS:
        return FRACTIONS[over, under]
    if 1 <= over < under <= 20 and under > 2:
        return f"{cardinal(over)} {ordinal(under)}" + ("" if over == 1 else "s")
    return f"{cardinal(over)} of {cardinal(under)}"


def _quantity(part: dict[str, str | None]) -> str:
    whole, fraction, unit, word = (part["whole"] or "").replace(",", ""), part["fraction"], part["unit"], part["word"] or ""
    prefix = "to " if part["to"] else {"-": "minus ", "−": "minus ", "+": "plus "}.get(part["sign"] or "", "")
    one, many = UNITS[unit] if unit else ("", "")
    half = (one or word).startswith(HALF_WORDS)
    said = decimal(whole, fraction, half) if fraction else integer(whole)
    if said == "half a":
        said = f"{said} {one}" if unit else "zero point five"
    elif unit:
        said = f"{said} {one if whole == '1' and not fraction else many}"
    return prefix + said
