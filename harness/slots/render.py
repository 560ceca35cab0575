"""Speakable text from committed values, in the car's display unit: 22.5 °C -> "22.5 degrees" / "22.5度", or "72 degrees" in an F car.

Does not know what was asked for: it gets what the car reported.
"""

from __future__ import annotations

import math

from ridealong.harness.slots.number import digits
from ridealong.harness.slots.percent import percent_digits
from ridealong.harness.slots.temperature import Unit, fahrenheit_from_celsius

KM_PER_MILE = 1.609344
KPA_PER_PSI = 6.894757


def temperature(celsius: float, locale: str, unit: Unit = "C", *, named: bool = False) -> str:
    """`named` adds Fahrenheit or Celsius. The value must be finite."""
    _finite(celsius)
    value = digits(round(celsius, 1)) if unit == "C" else digits(round(fahrenheit_from_celsius(celsius)))
    if locale.startswith("zh"):
        return f"{'华氏' if unit == 'F' else '摄氏' if named else ''}{value.replace('-', '零下')}度"
    name = {"C": " Celsius", "F": " Fahrenheit"}[unit] if named else ""
    return f"{value.replace('-', 'minus ')} degree{'' if value == '1' else 's'}{name}"


def percent(value: float, locale: str) -> str:
    _finite(value)
    return percent_digits(round(value), locale)


def opening(position: float, locale: str) -> str:
    """How far open, 0..100, as people say it: "closed", "half open", "30 percent open"."""
    _finite(position)
    share = round(position)
    zh = locale.startswith("zh")
    if share <= 0:
        return "关着" if zh else "closed"
    if share >= 100:
        return "全开" if zh else "fully open"
    if share == 50:
        return "开了一半" if zh else "half open"
    return f"开了{share}%" if zh else f"{share} percent open"


def speed(kmh: float, locale: str, unit: str = "KILOMETERS_PER_HOUR") -> str:
    _finite(kmh)
    miles = unit.upper().startswith("MILE")
    value = str(round(kmh / KM_PER_MILE if miles else kmh))
    if locale.startswith("zh"):
        return f"每小时{value}{'英里' if miles else '公里'}"
    return f"{value} {'miles' if miles else 'kilometres'} per hour"


def distance(km: float, locale: str, unit: str = "KILOMETERS") -> str:
    _finite(km)
    miles = unit.upper().startswith("MILE")
    value = km / KM_PER_MILE if miles else km
    text = digits(round(value, 1) if value < 10 else round(value))
    if locale.startswith("zh"):
        return f"{text}{'英里' if miles else '公里'}"
    return f"{text} {'mile' if miles else 'kilometre'}{'' if text == '1' else 's'}"


def pressure_digits(kpa: float, unit: str = "BAR") -> str:
    """Of a tyre, without its unit: 2.3 bar, 33 psi, 230 kPa."""
    _finite(kpa)
    match unit:
        case "PSI":
            return str(round(kpa / KPA_PER_PSI))
        case "KPA":
            return str(round(kpa))
        case _:
            return f"{kpa / 100:.1f}"


def pressure_unit(locale: str, unit: str = "BAR") -> str:
    """As it stands behind the number. 磅 is how tyres are spoken of in Chinese where the display has psi."""
    english, chinese = {"PSI": (" psi", "磅"), "KPA": (" kilopascals", "千帕")}.get(unit, (" bar", "巴"))
    return chinese if locale.startswith("zh") else english


def pressure(kpa: float, locale: str, unit: str = "BAR") -> str:
    return f"{pressure_digits(kpa, unit)}{pressure_unit(locale, unit)}"


def age(age_ms: float, locale: str) -> str:
    """How old a reading is, empty while it is fresh (under five seconds)."""
    seconds = age_ms / 1000
    if seconds < 5:
        return ""
    zh = locale.startswith("zh")
    if seconds < 90:
        return f"（{round(seconds)}秒前的数据）" if zh else f", as of {round(seconds)} seconds ago"
    return f"（{round(seconds / 60)}分钟前的数据）" if zh else f", as of {round(seconds / 60)} minutes ago"


def _finite(value: float) -> None:
    if not math.isfinite(value):
        raise ValueError("a committed value must be finite to be spoken")
