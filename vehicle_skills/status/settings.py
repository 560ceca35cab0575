"""What the climate is switched to, by the words of the question: "is the AC on?", "what is the fan at?", 内循环开着吗. Pure.

    named(words, locale)             what is asked about, besides the temperature; of a sentence that orders, too, only the parts that ask
    settings(read, locale, words)    how it stands; "" where only the temperature is asked about

Does not know how the question was recognised.
"""

from __future__ import annotations

import re
from typing import Final

from ridealong.harness.asked_parts import questions
from ridealong.harness.slots import render
from ridealong.harness.slots.text import language, plain
from ridealong.vehicle_skills.car import Read, flag, number
from ridealong.vehicle_skills.climate.effects import NAMES
from ridealong.vehicle_skills.climate.plan import SWITCHES
from ridealong.vehicle_skills.signals import fan_speed

FAN: Final = "fan"
READS: Final = (*SWITCHES.values(), fan_speed("Row1", "Driver"))
_THING_EN: Final = r"(?:ac|a c|air ?con(?:ditioning|ditioner)?|recirculation|recirc|(?:front |rear |back )?(?:defroster|defogger|demister)|fan|blower)"
ON_OR_OFF_EN: Final = rf"{_THING_EN}(?: still| now| currently)? (?:is |are )?(?:still |now |currently )?(?:(?:turned|switched) )?(?:on|off|running)|(?:what|how (?:high|fast|strong)) is the (?:fan|blower)(?: speed)?(?: (?:set )?(?:at|to|on))?|(?:fan|blower) speed"
ON_OR_OFF_ZH: Final = r"(?:空调|冷气|内循环|外循环|(?:前|后)?(?:风?挡)?(?:除雾|除霜)|风扇)(?:现在|还|是|都)*(?:开着|关着|开了|关了|开没|关没|有没有[开关]|开没开|关没关|打开了|关闭了|在运行)|风量|风速|风扇"
_ASKED: Final[tuple[tuple[str, re.Pattern[str]], ...]] = (
    ("air_conditioning", re.compile(r"\bac\b|\ba c\b|\bair ?con|空调|冷气")),
    ("recirculation", re.compile(r"\brecirc|内循环|外循环")),
    ("rear_defroster", re.compile(r"\b(?:rear|back) de(?:frost|mist|fog)|后(?:风?挡)?除[雾霜]")),
    ("front_defroster", re.compile(r"(?<!rear )(?<!back )\bde(?:frost|mist|fog)|(?<!后)(?<!后挡)(?<!后风挡)除[雾霜]")),
)
_FAN: Final = re.compile(r"\b(?:fan|blower)\b|风量|风速|风扇")
_STATE: Final = re.compile(
    r"\b(?:on|off|running)\b(?! (?:what|which))|开着|关着|开了|关了|[开关]没|有没有[开关]|打开了|关闭了|运行"
)


def named(words: str, locale: str) -> tuple[str, ...]:
    asking = questions(words, locale)
    form = plain(" ".join(asking) if asking else words, language(words, locale))
    fan = (FAN,) if _FAN.search(form) else ()
    return (*fan, *(thing for thing, pattern in _ASKED if _STATE.search(form) and pattern.search(form)))


def settings(read: Read, locale: str, words: str) -> str:
    zh = locale.startswith("zh")
    said = [_fan(read, locale, zh) if thing == FAN else _switch(read, thing, zh) for thing in named(words, locale)]
    if not said:
        return ""
    if zh:
        return f"{'，'.join(said)}。"
    sentence = " and ".join(said)
    return f"{sentence[0].upper()}{sentence[1:]}."


def _switch(read: Read, thing: str, zh: bool) -> str:
    name, value = NAMES[thing][zh], flag(read, SWITCHES[thing])
    if value is None:
        return f"我没有{name}的读数" if zh else f"I can't tell whether {name} is on"
    return f"{name}{'开' if value else '关'}着" if zh else f"{name} is {'on' if value else 'off'}"


def _fan(read: Read, locale: str, zh: bool) -> str:
    value = number(read, fan_speed("Row1", "Driver"))
    if value is None:
        return "我没有风量的读数" if zh else "I can't tell what the fan is at"
    if not value:
        return "风扇关着" if zh else "the fan is off"
    share = render.percent(value, locale)
    return f"风量是{share}" if zh else f"the fan is at {share}"
