"""A quantity that was said and that a call does not use: then the call must not stand, whatever default, step or extreme it found instead. Pure.

    "set it to minus five", "150 percent", 一百度     out of range: the range is said, and asked for another
    "make it two degrees", 温度调到两度               a target, and no step of two
    "to infinity", "to none", 调到空                  no value at all

A number that tells how it is ("it's 35 outside") or counts something else ("the two of us") is not meant for the call.
Does not know how the call was found, or what would be done with it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from ridealong.harness.skill import Context, Match
from ridealong.harness.slots.number import ZH_NUMERAL, chinese_value, find_numbers
from ridealong.harness.slots.temperature import COOLEST_C, WARMEST_C, Doubt, Temperature, as_target, find_temperatures
from ridealong.harness.slots.text import language, plain
from ridealong.vehicle_skills.car import temperature_unit
from ridealong.vehicle_skills.climate.whose_speed import whose_speed

STEP: Final = {
    "en": "I can make it up to 10 degrees warmer or cooler at a time. How many degrees?", "zh": "一次最多能调高或调低十度。要调几度？",
}  # fmt: skip
OPENING: Final = {
    "en": "A window can be open from 0 to 100 percent. How far would you like it?", "zh": "车窗可以开百分之零到百分之一百，要开多少？",
}  # fmt: skip
WIND: Final = {
    "en": "I can set the fan from 0 to 100 percent. How many percent would you like?", "zh": "风量可以设百分之零到百分之一百。要百分之多少？",
}  # fmt: skip

_NO_VALUE_EN: Final = re.compile(
    r"\b(?:to|at|by|of|is|equals) (?:(?:a|an|the|plus|minus|negative|exactly|about|around) )*(?:infinity|infinite|none|null|nan|n a|undefined|nil|unknown|void|false|true|error|pi)\b|\b(?:m|b|tr|z|gaz|baz)illions?\b"
)
_NO_VALUE_ZH: Final = re.compile(
    r"(?:到|至|成|为|是)(?:负|正)?(?:无穷|无限|空(?!调|气)|未知|没有|null|nan|none)|无穷大|[亿兆](?:度|%)"
)
_TOLD_EN: Final = re.compile(
    r"\b(?:is|was|are|were|says|shows|reads|feels like|row|seat|these|those|the|of|us|only)(?: (?:already|only|about|like|currently|at|still|just|nearly|almost))* $"
)
_COUNTED_EN: Final = re.compile(
    r"^ (?:degrees? )?(?:(?:celsius|fahrenheit) )?(?:outside|out there|already|people|persons|of|passengers|kids|adults|windows?|panes?|doors?|seats?|front|back|rear|left|right|sides?|times?|inch\w*|cm|centimet\w+|fingers?|"
    r"thirds?|quarters?|fifths?|tenths?|eighths?|\d?rds?|notch\w*|clicks?|minutes?|mins?|seconds?|hours?|kilomet\w+|km|kph|mph|miles?|met\w+|o clock|am|pm|out of|in the)\b"
)
_TOLD_ZH: Final = re.compile(r"(?:现在|外面|外头|室外|车外|才|都|已经|只有|第|前面|后面|前|后|左|右|我们|他们|她们|孩子)$")
_COUNTED_ZH: Final = re.compile(
    r"^(?:个(?!百分点|度)|扇|人|位|排|口|分钟?|小时|秒|公里|块|点钟|号|岁|次|遍|边|侧|厘米|公分|米|指|格|档|挡|级|下|点(?!\d))"
)


def no_value(text: str, locale: str) -> bool:
    """Something stands where the value would, and is none."""
    form = plain(text, locale)
    return (_NO_VALUE_ZH if language(text, locale) == "zh" else _NO_VALUE_EN).search(form) is not None


def _meant(form: str, zh: bool, span: tuple[int, int]) -> bool:
    """The number at this place is meant for the call."""
    before, behind = form[: span[0]], form[span[1] :]
    told, counted = (_TOLD_ZH, _COUNTED_ZH) if zh else (_TOLD_EN, _COUNTED_EN)
    return told.search(before) is None and counted.match(behind) is None


# --- temperatures ------------------------------------------------------------------------------------------------------

_TO_EN: Final = re.compile(r"\b(?:to|at)(?: (?:about|around|exactly|like|just|a|the|some))* $")
_TO_ZH: Final = re.compile(r"(?:到|至|成|为|在)(?:大概|大约|差不多)?$")
_SETS_EN: Final = re.compile(r"^(?:(?:can|could|would|will) you |please |just )*(?:set|make|put|have|keep|get)\b")
_COMPARES_EN: Final = re.compile(
    r"\b(?:warmer|cooler|colder|hotter|chillier|toastier|higher|lower|less|more|up|down|off|another|back|extra|further|increase|decrease|raise|reduce|by)\b"
)
_STEP_EN: Final = re.compile(r"\bby(?: (?:about|around|like|exactly|another|at least))* $")
_STEPPED_EN: Final = re.compile(r"^(?: (?:celsius|fahrenheit))? (?:warmer|cooler|colder|hotter|higher|lower|less|more)\b")
_STEP_ZH: Final = re.compile(r"(?:升高|提高|降低|增加|减少|加|减)(?:个|了)?$")
_EXTREME_EN: Final = re.compile(
    r"\b(?:max\w*|min\w*|full\w*|lo\w{0,3}|hi\w{0,4}|hot\w*|cold\w*|cool\w*|warm\w*|heat\w*|top|bottom|most|least|all|limit|blast|freez\w*|arctic|polar|antarctic|ic[ey]\w*|boil\w*|toast\w*|roast\w*|tropical|sauna|"
    r"furnace|oven|fridge|go|goes|possible|can|end|extreme\w*)\b"
)
_TO_WHAT_EN: Final = re.compile(
    r"\b(?:temperature|temp|heat|heating|heater|climate|ac|air ?con\w*|thermostat|it|side|mine)\b.* to (?P<what>.+)$"
)


def aims(form: str, locale: str, temperature: Temperature) -> bool:
    """The number says where it is to go, and not by how much."""
    before = form[: temperature.span[0]]
    if temperature.value <= 0:
        return True
    if language(form, locale) == "zh":
        return _TO_ZH.search(before) is not None
    if _TO_EN.search(before) is not None:
        return True
    return _SETS_EN.match(form) is not None and _COMPARES_EN.search(form) is None


def _temperatures(text: str, locale: str) -> list[Temperature]:
    form, zh = plain(text, locale), language(text, locale) == "zh"
    return [one for one in find_temperatures(form, locale) if _meant(form, zh, one.span)]


def _steps(form: str, locale: str, temperature: Temperature) -> bool:
    before, behind = form[: temperature.span[0]], form[temperature.span[1] :]
    if language(form, locale) == "zh":
        return _STEP_ZH.search(before) is not None
    return _STEP_EN.search(before) is not None or _STEPPED_EN.match(behind) is not None


def target_unused(match: Match, text: str, locale: str, context: Context) -> Match | None:
    """Of a call that sets a temperature."""
    target, form, locale = match.arguments.get("target"), plain(text, locale), language(text, locale)
    if not isinstance(target, int | float):
        return None
    said = _temperatures(text, locale)
    if said and _steps(form, locale, said[-1]):
        return _ask_target(match, locale, context)
    if said:
        meant = [as_target(one, temperature_unit(context.read), locale) for one in said]
        if any(not isinstance(one, Doubt) and abs(one.celsius - target) < 0.3 for one in meant):
            return None
        if match.grounds.get("target", "").startswith("context:") and not any(isinstance(one, Doubt) for one in meant):
            return None
        return _ask_target(match, locale, context, next((one for one in reversed(meant) if isinstance(one, Doubt)), None))
    what = _TO_WHAT_EN.search(form) if target in (COOLEST_C, WARMEST_C) else None
    unknown = what is not None and not find_numbers(what["what"], locale) and _EXTREME_EN.search(what["what"]) is None
    return _ask_target(match, locale, context) if unknown or no_value(text, locale) else None


def change_unused(match: Match, text: str, locale: str, context: Context) -> Match | None:
    """Of a call that makes it warmer or cooler."""
    delta, form, locale = match.arguments.get("delta"), plain(text, locale), language(text, locale)
    if not isinstance(delta, int | float):
        return None
    if no_value(text, locale):
        return _ask_change(match, locale)
    said = _temperatures(text, locale)
    aimed = next((one for one in reversed(said) if aims(form, locale, one)), None)
    if aimed is not None:
        meant = as_target(aimed, temperature_unit(context.read), locale)
        return _ask_target(match, locale, context, meant if isinstance(meant, Doubt) else None)
    if not said or any(abs(abs(delta) - size) < 0.02 for one in said for size in (one.value, one.value * 5 / 9)):
        return None
    return _ask_change(match, locale)


def _ask_target(match: Match, locale: str, context: Context, doubt: Doubt | None = None) -> Match:
    arguments = {name: value for name, value in match.arguments.items() if name == "zone"}
    grounds = {name: words for name, words in match.grounds.items() if name == "zone"}
    if doubt is not None and doubt.proposal is not None:
        arguments, grounds = arguments | {"target": doubt.proposal}, grounds | {"target": doubt.words}
    question = doubt.question if doubt is not None else _range(locale, context)
    return Match("climate.set_temperature", match.score, arguments, grounds, ("target",), question)


def _range(locale: str, context: Context) -> str:
    unthinkable = as_target(Temperature(-500.0, None, True, "", (0, 0)), temperature_unit(context.read), locale)
    return unthinkable.question if isinstance(unthinkable, Doubt) else ""


def _ask_change(match: Match, locale: str) -> Match:
    return _ask(match, "delta", STEP[locale])


def _ask(match: Match, name: str, question: str) -> Match:
    arguments = {key: value for key, value in match.arguments.items() if key != name}
    grounds = {key: words for key, words in match.grounds.items() if key != name}
    return replace(match, arguments=arguments, grounds=grounds, missing=(name,), question=question)


# --- shares ------------------------------------------------------------------------------------------------------------

_PERCENT_EN: Final = re.compile(r"^ ?(?:percent|per cent)\b")
_PERCENT_ZH: Final = re.compile(rf"(负|零下)?百分之(负|零下)?(\d+(?:\.\d+)?|{ZH_NUMERAL})|(负|零下)?(\d+(?:\.\d+)?)%")
_PLACED_EN: Final = re.compile(r"\b(?:to|at|by|on|window|windows|fan|blower|speed)(?: (?:about|around|exactly|like|just))* $")
_PLACED_ZH: Final = re.compile(r"(?:到|至|成|为|开|量|速)$")
_GOES_TO_ZH: Final = re.compile(r"[开关升降调摇]到(?!底)")
_OTHER_UNIT_EN: Final = re.compile(r"^ (?:degrees?|celsius|fahrenheit)\b")
_OUT_OF: Final = re.compile(r"\bout of (?:ten|10)\b")


def _shares(text: str, locale: str) -> Iterator[float]:
    """What is said as a share, or stands where one would, whether it can be one or not."""
    form, zh = plain(text, locale), language(text, locale) == "zh"
    if zh:
        for found in _PERCENT_ZH.finditer(form):
            digits = found[3] or found[5]
            value = float(digits) if digits[0].isdigit() else chinese_value(digits)
            if value is not None:
                yield -value if found[1] or found[2] or found[4] else value
        form = _PERCENT_ZH.sub(" ", form)
    for number in find_numbers(form, locale):
        before, behind = form[: number.span[0]], form[number.span[1] :]
        if number.ordinal or not _meant(form, zh, number.span):
            continue
        if zh:
            bare = _PLACED_ZH.search(before) is not None or number.value < 0
            if bare and not re.match(r"度|成|分之|°", behind):
                yield number.value
        elif (
            _PERCENT_EN.match(behind) is not None
            or (_PLACED_EN.search(before) is not None or number.value < 0)
            and _OTHER_UNIT_EN.match(behind) is None
        ):
            yield number.value


def share_of_window_unused(match: Match, text: str, locale: str, context: Context) -> Match | None:
    name = "position" if "position" in match.arguments else "delta"
    shares = list(_shares(text, locale))
    impossible = bool(shares) and not any(0 <= one <= 100 for one in shares)
    goes_to = (
        name == "delta" and bool(shares) and _GOES_TO_ZH.search(plain(text, locale)) is not None
    )  # 再开到百分之二十 is no step
    if name not in match.arguments or not (impossible or goes_to or no_value(text, locale)):
        return None
    return _ask(match, name, OPENING[language(text, locale)])


def share_of_fan_unused(match: Match, text: str, locale: str, context: Context) -> Match | None:
    if "speed" not in match.arguments:
        return None
    if (asks := whose_speed(match, text, locale, context)) is not None:
        return asks
    shares = [] if _OUT_OF.search(plain(text, locale)) else list(_shares(text, locale))
    impossible = bool(shares) and not any(one == 0 or 5 <= one <= 100 or one == match.arguments["speed"] for one in shares)
    if not (impossible or no_value(text, locale)):
        return None
    return _ask(match, "speed", WIND[language(text, locale)])


# --- a question that was asked anyway ----------------------------------------------------------------------------------


def range_of(match: Match, text: str, locale: str) -> str:
    """The question that names the range, for a call that already lacks its value although one was said; "" for any other."""
    form, locale = plain(text, locale), language(text, locale)
    numbers = bool(find_numbers(form, locale))
    if match.capability == "climate.set_temperature" and "target" in match.missing:
        return STEP[locale] if any(_steps(form, locale, one) for one in _temperatures(text, locale)) else ""
    if match.capability == "climate.set_fan" and "speed" in match.missing:
        return WIND[locale] if numbers else ""
    if match.capability in ("windows.set_position", "windows.move") and {"position", "delta"} & set(match.missing):
        return OPENING[locale] if any(not 0 <= one <= 100 for one in _shares(text, locale)) else ""
    return ""
