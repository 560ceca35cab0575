"""The lights in the cabin: arguments and the car's state -> writes, what is so already, its state in words, and what later words may change. Pure.

First the ambient light, written on both sides together, then the cabin light. Does not know words (ambient.py, cabin.py) or the policy.
"""

from __future__ import annotations

from typing import Final

from ridealong.harness.changes import Amount, Another, Arguments, Changes, Reads, as_said, to_switch
from ridealong.harness.slots import render
from ridealong.harness.slots.text import language
from ridealong.proto.types import SignalValue, SignalWrite
from ridealong.vehicle_skills.car import Read, flag, number, text
from ridealong.vehicle_skills.lights.ambient import AMBIENT, LEAST, STEP, end_named
from ridealong.vehicle_skills.lights.cabin import CABIN
from ridealong.vehicle_skills.lights.colours import COLOURS, colour_named, find_colour, spoken
from ridealong.vehicle_skills.signals import DOME_LIGHT, SIDES, ambient_light

NEAR: Final = 2
"""Percent within which a brightness is the same."""
ON, INTENSITY, COLOUR = (tuple(ambient_light(side, leaf) for side in SIDES) for leaf in ("IsLightOn", "Intensity", "Color"))
PATHS: Final = (*ON, *INTENSITY, *COLOUR)


def level_now(read: Read) -> int | None:
    """Percent, 0 where it is off; None where that is not known."""
    lit = flag(read, ON[0])
    value = number(read, INTENSITY[0])
    return 0 if lit is False else round(value) if value is not None else None


def target_level(arguments: Arguments, read: Read) -> int | None:
    """The brightness that is asked for; None where none is, or where a step is asked for from one that is not known."""
    if isinstance(level := arguments.get("level"), int):
        return level
    delta, now = arguments.get("delta"), level_now(read)
    if not isinstance(delta, int) or now is None:
        return None
    if now == 0 and delta < 0:
        return 0
    return min(max(now + delta, LEAST), 100)


def steps_from_nowhere(arguments: Arguments, read: Read) -> bool:
    """A step, and not known from where."""
    return "delta" in arguments and "level" not in arguments and level_now(read) is None


def wanted(arguments: Arguments, read: Read) -> dict[str, SignalValue]:
    """path -> value, on both sides together."""
    level = target_level(arguments, read)
    if arguments.get("on") is False or level == 0:
        return dict.fromkeys(ON, False)
    values: dict[str, SignalValue] = dict.fromkeys(ON, True)
    if level is not None:
        values |= dict.fromkeys(INTENSITY, level)
    if isinstance(colour := arguments.get("color"), str):
        values |= dict.fromkeys(COLOUR, COLOURS[colour].hex)
    return values


def writes(arguments: Arguments, read: Read) -> tuple[SignalWrite, ...]:
    return tuple(SignalWrite(path, value) for path, value in wanted(arguments, read).items())


def is_so(arguments: Arguments, read: Read) -> bool:
    for path, value in wanted(arguments, read).items():
        reading = read(path)
        now = reading.value if reading is not None else None
        if isinstance(value, bool) or not isinstance(value, int):
            same = now == value or (isinstance(now, str) and isinstance(value, str) and now.upper() == value.upper())
        else:
            same = isinstance(now, int | float) and abs(float(now) - value) <= NEAR
        if not same:
            return False
    return True


def state(read: Read, locale: str, of: frozenset[str]) -> str:
    """ "on", "off", "blue", "at 40 percent", "blue, at 40 percent": what of it the arguments named; "" where that is not known."""
    zh = locale.startswith("zh")
    lit = flag(read, ON[0])
    if lit is None:
        return ""
    if not lit:
        return "关着" if zh else "off"
    parts = []
    if "color" in of and (colour := spoken(text(read, COLOUR[0]), locale)):
        parts.append(colour)
    level = number(read, INTENSITY[0])
    if {"level", "delta"} & of and level is not None:
        share = render.percent(level, locale)
        parts.append(f"亮度{share}" if zh else f"at {share}")
    return ("，" if zh else ", ").join(parts) or ("开着" if zh else "on")


def sentence(read: Read, locale: str, of: frozenset[str], *, already: bool = False) -> str:
    how = state(read, locale, of)
    if locale.startswith("zh"):
        how = {"关着": "关上了", "开着": "打开了"}.get(how, f"现在是{how}" if not already else f"是{how}")
        return f"氛围灯{'已经' if already else ''}{how}。"
    return f"The ambient light is {'already ' if already else 'now '}{how}."


def doing(arguments: Arguments) -> tuple[str, str]:
    if arguments.get("on") is False or arguments.get("level") == 0:
        return "switch the ambient light off", "关氛围灯"
    if "color" in arguments:
        colour = COLOURS[str(arguments["color"])]
        return f"make the ambient light {colour.english}", f"把氛围灯调成{colour.chinese}"
    if {"level", "delta"} & set(arguments):
        return "change the brightness of the ambient light", "调氛围灯亮度"
    return "switch the ambient light on", "开氛围灯"


def asked(arguments: Arguments, read: Read, locale: str) -> str:
    """What was asked for: "the ambient light blue"."""
    written = wanted(arguments, read)
    zh = locale.startswith("zh")
    if not written.get(ON[0]):
        return "关氛围灯" if zh else "the ambient light off"
    parts = []
    if COLOUR[0] in written:
        parts.append(spoken(written[COLOUR[0]], locale))
    if INTENSITY[0] in written:
        share = render.percent(float(written[INTENSITY[0]]), locale)
        parts.append(f"亮度{share}" if zh else f"at {share}")
    how = ("，" if zh else ", ").join(parts) or ("打开" if zh else "on")
    return f"氛围灯{how}" if zh else f"the ambient light {how}"


# --- what later words may change ----------------------------------------------------------------------------------------------


def _step(size: float | None, unit: str, manner: str, arguments: Arguments, read: Reads) -> float | None:
    if unit == "notches":
        return (size or 1.0) * STEP
    if unit not in ("", "percent"):
        return None
    return size if size is not None else STEP * (2 if manner == "lot" else 1)


def _before(arguments: Arguments, before: Reads) -> tuple[Another, ...]:
    """As it was: off, or on with the brightness and the colour that these words changed."""
    lit = flag(before, ON[0])
    if lit is None:
        return ()
    if not lit:
        return ((AMBIENT, {"on": False}),)
    was: dict[str, object] = {}
    if {"level", "delta", "on"} & set(arguments) and (level := number(before, INTENSITY[0])) is not None:
        was["level"] = round(level)
    if "color" in arguments:
        shown = (text(before, COLOUR[0]) or "").upper()
        named = next((name for name, colour in COLOURS.items() if colour.hex == shown), None)
        if named is None:
            return ()
        was["color"] = named
    return ((AMBIENT, was or {"on": True}),)


def _other(arguments: Arguments, words: str, read: Reads) -> Another | None:
    found = find_colour(words.casefold(), language(words, "en") == "zh")
    return (AMBIENT, {"color": found[0]}) if found is not None else None


def _chosen(arguments: Arguments, words: str, zh: bool) -> Another | None:
    """A colour, or an end of the brightness: "orange", "as bright as it goes"."""
    if (colour := colour_named(words, zh)) is not None:
        return AMBIENT, {"color": colour}
    end = end_named(words, zh)
    return (AMBIENT, {"level": end}) if end is not None else None


AMBIENT_CHANGES: Final = Changes(
    Amount("level", 0, 100, frozenset({"size", "brightness"}), as_said("percent"), _step, stepped=(AMBIENT, {"delta": 0})),
    state=lambda arguments, on: (AMBIENT, {"on": on}),
    undone=_before,
    other=_other,
    chosen=_chosen,
    frames=lambda arguments, zh: to_switch(arguments.get("on") is not False, zh),
)

# --- the cabin light ---------------------------------------------------------------------------------------------------------


def cabin_writes(on: bool) -> tuple[SignalWrite, ...]:
    return (SignalWrite(DOME_LIGHT, on),)


def cabin_sentence(on: bool, locale: str, *, already: bool = False) -> str:
    if locale.startswith("zh"):
        return f"车内灯{'已经' if already else '已'}{'打开' if on else '关上'}了。"
    return f"The cabin light is {'already ' if already else ''}{'on' if on else 'off'}."


def _cabin(on: bool) -> Another:
    return CABIN, {"on": on}


def _cabin_before(arguments: Arguments, before: Reads) -> tuple[Another, ...]:
    was = flag(before, DOME_LIGHT)
    return (_cabin(was),) if was is not None else ()


CABIN_CHANGES: Final = Changes(
    state=lambda arguments, on: _cabin(on),
    turned=lambda arguments: _cabin(arguments["on"] is not True),
    undone=_cabin_before,
    frames=lambda arguments, zh: to_switch(arguments["on"] is True, zh),
)
