"""A temperature with its unit, and whether it can be a target for the cabin.

"22.5 degrees", "seventy-two Fahrenheit", "twenty-two and a half", 二十二度半, 二十二度五, 华氏七十二度, 零下五度.
A target without a spoken unit is in the car's display unit. What is implausible in that unit is asked about, never converted by
guess: "set 72" in a Celsius car asks. Conversion happens once; a converted value is rounded to the step of the car's own unit.

Does not know: what the temperature is for, or what the cabin has now.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Final, Literal

from ridealong.harness.slots.number import ZH_DIGITS, digits, find_numbers
from ridealong.harness.slots.text import language, plain

Unit = Literal["C", "F"]
COOLEST_C: Final = 14.0
WARMEST_C: Final = 30.0


@dataclass(frozen=True, slots=True)
class Temperature:
    """`unit` None: none was said. `degrees_said`: the words name degrees, so it is no other kind of number."""

    value: float
    unit: Unit | None
    degrees_said: bool
    words: str
    span: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Target:
    """A plausible cabin target, in Celsius as VSS has it."""

    celsius: float
    words: str


@dataclass(frozen=True, slots=True)
class Doubt:
    """Not a target that can be set without asking: `question` is for the user. `proposal` is what a yes would mean, in Celsius."""

    question: str
    words: str
    proposal: float | None = None


def celsius_from_fahrenheit(fahrenheit: float) -> float:
    return (fahrenheit - 32) * 5 / 9


def fahrenheit_from_celsius(celsius: float) -> float:
    return celsius * 9 / 5 + 32


def find_temperatures(text: str, locale: str) -> tuple[Temperature, ...]:
    """Numbers that are or may be temperatures: not ordinals, and not followed by another unit (percent, minutes, …)."""
    form = plain(text, locale)
    found: list[Temperature] = []
    for number in find_numbers(form, locale):
        if number.ordinal or (found and number.span[0] < found[-1].span[1]):
            continue  # the 五 of 二十二度五 belongs to what is already read
        read = _zh if language(form, locale) == "zh" else _en
        temperature = read(form, number.value, number.span)
        if temperature is not None:
            found.append(temperature)
    return tuple(found)


_EN_UNIT = re.compile(r" degrees?( (?:celsius|centigrade|c)\b| (?:fahrenheit|f)\b)?| (celsius|centigrade|c|fahrenheit|f)\b")
_EN_OTHER = re.compile(
    r" (?:percent|per cent|minutes?|mins?|seconds?|secs?|hours?|kilomet\w+|km|miles?|mph|kph|meters?|metres?|am|pm|o clock|"
    r"times?|people|windows?|doors?|cars?|days?|weeks?|years?|dollars?|euros?|pounds?|of|thousand|million|stations?|stops?)\b"
)


def _en(form: str, value: float, span: tuple[int, int]) -> Temperature | None:
    start, end = span
    rest = form[end:]
    if _EN_OTHER.match(rest):
        return None
    unit: Unit | None = None
    said = _EN_UNIT.match(rest)
    if said is not None:
        name = (said.group(1) or said.group(2) or "").strip()
        unit = "F" if name.startswith("f") else "C" if name else None
        end += said.end()
        half = re.match(r" and a half\b", form[end:])
        if half is not None and value == int(value):  # "twenty-two degrees and a half"
            value, end = value + 0.5, end + half.end()
    return Temperature(value, unit, said is not None, form[start:end], (start, end))


def _zh(form: str, value: float, span: tuple[int, int]) -> Temperature | None:
    start, end = span
    unit: Unit | None = None
    before = re.search(r"(摄氏|华氏)$", form[:start])
    if before is not None:
        unit, start = ("F" if before.group() == "华氏" else "C"), before.start()
    rest = form[end:]
    said = re.match(r"(摄氏|华氏)?[度°]", rest)
    if said is None:
        if rest.startswith("半") and value == int(value) and start == span[0]:  # 二十二半
            return Temperature(value + 0.5, unit, False, form[start : end + 1], (start, end + 1))
        if re.match(r"[%个档挡级格分秒时点成米块元次遍层号]|小时|钟头|公里|千米|英里", rest):
            return None
        return Temperature(value, unit, False, form[start:end], (start, end))
    if said.group(1):
        unit = "F" if said.group(1) == "华氏" else "C"
    end += said.end()
    tail = re.match(r"半|([一二三四五六七八九]|\d)(?![\d零一二三四五六七八九十百个分秒小半下点])", form[end:])
    if tail is not None and value == int(value):
        if tail.group() == "半":
            value += 0.5 if value >= 0 else -0.5
        else:
            tenth = (ZH_DIGITS.get(tail.group()) if not tail.group().isdigit() else int(tail.group())) or 0
            value += tenth / 10 if value >= 0 else -tenth / 10
        end += tail.end()
    return Temperature(value, unit, True, form[start:end], (start, end))


def as_target(temperature: Temperature, car_unit: Unit, locale: str) -> Target | Doubt:
    """A target within COOLEST_C..WARMEST_C, or the question to ask."""
    unit = temperature.unit or car_unit
    celsius = temperature.value if unit == "C" else celsius_from_fahrenheit(temperature.value)
    if COOLEST_C - 0.3 <= celsius <= WARMEST_C + 0.3:
        celsius = min(max(celsius, COOLEST_C), WARMEST_C)
        if unit == car_unit:
            return Target(round(celsius, 1), temperature.words)
        if car_unit == "C":
            return Target(round(celsius * 2) / 2, temperature.words)
        return Target(round(celsius_from_fahrenheit(round(fahrenheit_from_celsius(celsius))), 1), temperature.words)
    other: Unit = "F" if unit == "C" else "C"
    as_other = temperature.value if other == "C" else celsius_from_fahrenheit(temperature.value)
    value = digits(temperature.value)
    zh = locale.startswith("zh")
    if temperature.unit is None and COOLEST_C <= as_other <= WARMEST_C:
        name = {"C": "摄氏", "F": "华氏"}[other] if zh else {"C": "Celsius", "F": "Fahrenheit"}[other]
        proposal = as_target(replace(temperature, unit=other), car_unit, locale)
        return Doubt(
            f"您是说{name}{value}度吗？" if zh else f"Do you mean {value} degrees {name}?",
            temperature.words,
            proposal.celsius if isinstance(proposal, Target) else None,
        )
    low, high = (
        (COOLEST_C, WARMEST_C)
        if car_unit == "C"
        else (round(fahrenheit_from_celsius(COOLEST_C)), round(fahrenheit_from_celsius(WARMEST_C)))
    )
    if zh:
        return Doubt(f"我只能设到{digits(low)}到{digits(high)}度之间，您要多少度？", temperature.words)
    return Doubt(f"I can set {digits(low)} to {digits(high)} degrees. Which would you like?", temperature.words)
