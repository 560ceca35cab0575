"""Values of typed arguments in words, for our own questions: "30 percent", "pine", 打开. Pure.

    spoken_value(30, {"type": "integer", "description": "percent"}, {}, "en")      # "30 percent"

From the schema (its `description` is the unit) and the words that people call a value by (arguments.py). Does not know skills, or why something is asked.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from ridealong.harness.slots import render
from ridealong.harness.slots.duration import duration_words
from ridealong.harness.slots.number import digits
from ridealong.harness.slots.text import has_chinese


def spoken_number(value: float, unit: str, locale: str) -> str:
    """`unit`: percent, degrees Celsius, seconds, or anything else, which is left unsaid."""
    assert math.isfinite(value)
    match unit:
        case "percent":
            return render.percent(value, locale)
        case "degrees Celsius":
            return render.temperature(value, locale)
        case "seconds":
            return duration_words(value, locale)
        case _:
            return digits(value).replace("-", "负" if locale == "zh" else "minus ")


def spoken_value(value: object, entry: Mapping[str, object], words: Mapping[str, str | bool], locale: str) -> str:
    """`entry`: of the schema. `words`: spoken -> value, of a choice; the first in this language counts."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return spoken_number(value, str(entry.get("description", "")), locale)
    called = [said for said, meant in words.items() if meant == value and type(meant) is type(value)]
    fitting = [said for said in called if has_chinese(said) == (locale == "zh")]
    if found := [*fitting, *called]:
        return found[0]
    if isinstance(value, bool):
        return ("开" if value else "关") if locale == "zh" else "on" if value else "off"
    return str(value).replace("_", " ") if "enum" in entry else str(value)


def spoken_values(
    arguments: Mapping[str, object],
    schema: Mapping[str, object],
    words: Mapping[str, Mapping[str, str | bool]],
    locale: str,
) -> str:
    """All of them, as a list: "30 percent, pine"; "" where there are none."""
    properties = schema.get("properties", {})
    assert isinstance(properties, Mapping)
    said = [
        spoken_value(value, properties[name], words.get(name, {}), locale)
        for name, value in arguments.items()
        if name in properties
    ]
    return ("，" if locale == "zh" else ", ").join(said)
