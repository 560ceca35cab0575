"""A thing that is named and nothing more, "air conditioning", 座椅加热, and a unit that its value can't have, "the temperature to 30 percent": asked about. Pure.

A tagger must choose a state for a thing without one, and may switch it off. What is wanted of it is asked; the answer completes the request. Several things
in a row are asked about together. What plays music plays it, and a bare "volume" or "temperature" tells it: neither can surprise.
Does not know the state of the car, or what came before.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import Final

from ridealong.harness.doubt import Doubt, Doubts
from ridealong.harness.framing import frame, pieces
from ridealong.harness.skill import Match
from ridealong.harness.slots.number import find_numbers
from ridealong.harness.slots.text import language, plain

ON_OFF, OPEN_SHUT = ("on or off?", "要打开还是关掉？"), ("open or closed?", "要打开还是关上？")
DEGREES, PERCENT = ("how many degrees would you like?", "要多少度？"), ("how many percent would you like?", "要百分之多少？")
ME: Final = "row1.driver"


@dataclass(frozen=True, slots=True)
class Thing:
    """A thing by its names: the capability that it needs ("": an answer alone would not say enough), what is known of that call and what is missing, and how it is asked for."""

    en: str
    zh: str
    name_en: str
    name_zh: str
    capability: str
    missing: str
    asks: tuple[str, str] = ON_OFF
    known: tuple[tuple[str, str], ...] = field(default=())


_MINE: Final = (("zone", ME),)
THINGS: Final = (
    Thing(r"air ?con(?:ditioning|ditioner)?|a ?c|aircon", r"空调|冷气", "The air conditioning", "空调", "climate.switch", "on", ON_OFF, (("thing", "air_conditioning"),)),
    Thing(r"(?:front |windscreen |windshield )?(?:defroster|demister|defrost|demist)", r"前?挡?风?(?:除雾|除霜)", "The front defroster", "前挡除雾", "climate.switch", "on", ON_OFF, (("thing", "front_defroster"),)),
    Thing(r"rear (?:window )?(?:defroster|demister|defrost)", r"后挡?风?(?:窗)?(?:除雾|除霜)", "The rear defroster", "后挡除雾", "climate.switch", "on", ON_OFF, (("thing", "rear_defroster"),)),
    Thing(r"seat (?:heating|heaters?|warmers?|warming)|heated seats?", r"座椅加热|坐垫加热", "Seat heating", "座椅加热", "seats.set_heating", "level", ("at what level, or off?", "要几档，还是关掉？"), _MINE),
    Thing(r"seat (?:cooling|ventilation|coolers?)|(?:ventilated|cooled) seats?", r"座椅(?:通风|制冷)", "Seat cooling", "座椅通风", "", "", ("on or off? Please say it in full.", "要打开还是关掉？请说完整。")),
    Thing(r"heat(?:ing|er)?", r"暖气|暖风|制热", "The heating", "暖气", "climate.set_temperature", "target", DEGREES, _MINE),
    Thing(r"(?:windscreen |windshield )?wipers?", r"雨刮器?|雨刷器?", "The wipers", "雨刮", "wipers.set", "mode", ("off, slow, fast or automatic?", "要关掉、慢速、快速还是自动？")),
    Thing(r"fan|blower", r"风扇|风量|鼓风机", "The fan", "风量", "climate.set_fan", "speed", PERCENT),
    Thing(r"ambient light(?:s|ing)?|mood light(?:s|ing)?", r"氛围灯", "The ambient light", "氛围灯", "lights.ambient", "on"),
    Thing(r"(?:(?:cabin|interior|reading|inside|dome) )?(?:lights?|lamps?|lighting)", r"(?:车内|室内|阅读|顶|车里的?)?灯", "The cabin light", "车内灯", "lights.cabin", "on"),
    Thing(r"windows?", r"车?窗户?|窗子", "The window", "车窗", "windows.set_position", "position", OPEN_SHUT, _MINE),
    Thing(r"sunroof|sun roof", r"天窗", "The sunroof", "天窗", "sunroof.set", "to", ("open, closed or tilted?", "要打开、关上还是翘起？")),
)  # fmt: skip
_OPENING_EN: Final = (
    r"(?:(?:the|my|our|a|and|um|uh|okay|ok|please|hey|plus|also|then) )*(?:(?:left|right|drivers?|passengers?|front) )?"
)
_OPENING_ZH: Final = r"(?:那个?|嗯|呃|请|还有|和|以及|我的|左边的?|右边的?|前面的?)*"
_END_EN: Final = r"(?: (?:please|thanks))*"
_JOINED: Final = re.compile(r"[,，、;；.。!！]|\band\b|和|跟|以及|还有")
_POLITE: Final = re.compile(r"(?:please|thanks|thank you|um|uh|hey|谢谢|请|嗯)?")


def _thing(piece: str, locale: str) -> Thing | None:
    form, zh = plain(piece, locale), language(piece, locale) == "zh"
    for one in THINGS:
        pattern = rf"{_OPENING_ZH}(?:{one.zh})" if zh else rf"{_OPENING_EN}(?:{one.en}){_END_EN}"
        if re.fullmatch(pattern, form):
            return one
    return None


def named_alone(text: str, locale: str) -> tuple[Thing, ...]:
    """The things, where the sentence is nothing but their names; of several one may be unknown, and the first is none of ours without the others."""
    if re.search(r"[?？\d]", text):
        return ()
    pieces = [piece for piece in _JOINED.split(text) if _POLITE.fullmatch(plain(piece, locale)) is None]
    found = [_thing(piece, locale) for piece in pieces]
    known = tuple(one for one in found if one is not None)
    strange = [piece for piece, one in zip(pieces, found, strict=True) if one is None]
    if not strange:
        return known
    noun = r"(?:and )?(?:the|my) [a-z]+" if language(text, locale) == "en" else r"[\u4e00-\u9fff]{2,4}"
    allowed = len(known) >= 2 and len(strange) == 1 and re.fullmatch(noun, plain(strange[0], locale)) is not None
    return known if allowed else ()


def bare_thing(words: str, locale: str, match: Match | None) -> Doubt | None:
    """What is wanted of it; None where more is said. `match` None: nothing was made of the words."""
    zh = language(words, locale) == "zh"
    things = named_alone(words, locale)
    if not things or frame(words, locale).question or (match is not None and match.missing):
        return None
    first = things[0]
    names = [(one.name_zh if zh else one.name_en) for one in things]
    if len(things) > 1:
        subject = "和".join(names) if zh else " and ".join(name[0].lower() + name[1:] for name in names)
        return Doubt(
            f"{subject}，要怎么调？请说完整一点。" if zh else f"What shall I do with {subject}? Please say it in full.", None
        )
    question = f"{first.name_zh}{first.asks[1]}" if zh else f"{first.name_en}: {first.asks[0]}"
    if not first.capability:
        return Doubt(question, None)
    arguments = dict(first.known)
    grounds = {name: f"default:{value}" if name == "zone" else plain(words, locale) for name, value in first.known}
    return Doubt(question, Match(first.capability, 0.9, arguments, grounds, (first.missing,), question))


# --- units ---------------------------------------------------------------------------------------------------------------

_PERCENT: Final = re.compile(
    r"\d+(?:\.\d+)? ?(?:%|percent|per cent)|百分之[\d一二两三四五六七八九十百零]+|[a-z]+ (?:percent|per cent)\b"
)
_DEGREES: Final = re.compile(
    r"\b(?:\d+(?:\.\d+)?|[a-z]+) (?:degrees?|celsius|fahrenheit)\b|(?:\d+(?:\.\d+)?|[一二两三四五六七八九十百零]+)度"
)
_TO_SHARE: Final = re.compile(
    r"(?:(?:please|set|put|turn|make|change|the|my) )*(?:temperature|temp|heating)(?: (?:to|at|up to|down to))? [\w ]{1,16}(?:%|percent|per cent)(?: please)?|(?:请|把|帮我)*(?:温度|暖气)(?:给我)?(?:调|设|开|弄)?(?:到|成|为|至)?(?:百分之[\w]{1,4}|\d+%)(?:吧)?"
)
_WARMTH: Final = re.compile(
    r"\b(?:temperature|temp|climate|ac|a c|air ?con\w*|heater|thermostat|cabin|warmer|cooler|(?<!seat )heating|side|inside)\b|温度|空调|暖气|暖风|车里|车内|座舱"
)
_HAVE_PERCENT: Final = (
    ("media.set_volume", re.compile(r"\b(?:volume|sound)\b|音量"), "level", ("The volume", "音量")),
    ("lights.ambient", re.compile(r"\bambient\b|氛围灯"), "level", ("The ambient light", "氛围灯")),
    ("seats.set_heating", re.compile(r"\b(?:seat heat\w*|heated seats?|seat cool\w*)\b|座椅(?:加热|通风)"), "level", ("The seat", "座椅")),
    ("windows.set_position", re.compile(r"\bwindows?\b|车窗|窗户"), "position", ("The window", "车窗")),
)  # fmt: skip
_TEMPERATURES: Final = ("climate.set_temperature", "climate.change_temperature")


def foreign_unit(words: str, locale: str, match: Match | None) -> Doubt | None:
    """ "The temperature to 30 percent", 音量调到二十度: that number is no such value."""
    zh = language(words, locale) == "zh"
    form = next((piece for _, piece in pieces(words, locale) if _count(piece, zh)), "")  # the part that the number stands in
    if (match is not None and match.missing) or frame(words, locale).question or _count(plain(words, locale), zh) != 1:
        return None
    if match is None and _TO_SHARE.fullmatch(form) is not None:
        match = Match(_TEMPERATURES[0], 0.6, {"zone": ME}, {"zone": f"default:{ME}"})
    if match is None:
        return None
    if match.capability in _TEMPERATURES:
        if _PERCENT.search(form) is not None and _DEGREES.search(form) is None:
            question = "温度只能按度来设。要多少度？" if zh else "A temperature is in degrees. How many would you like?"
            zone = {"zone": match.arguments["zone"]} if "zone" in match.arguments else {}
            grounds = {name: match.grounds[name] for name in zone if name in match.grounds}
            return Doubt(question, Match(_TEMPERATURES[0], match.score, zone, grounds, ("target",), question))
        if _WARMTH.search(form) is not None:
            return None
    if _DEGREES.search(form) is None or _PERCENT.search(form) is not None:
        return None
    for capability, names, missing, (name_en, name_zh) in _HAVE_PERCENT:
        if names.search(form) is None or match.capability not in (capability, *_TEMPERATURES):
            continue
        question = f"{name_zh}没有度数。{PERCENT[1]}" if zh else f"{name_en} has no degrees: {PERCENT[0]}"
        if match.capability == capability:
            kept = {key: value for key, value in match.arguments.items() if key != missing}
            grounds = {key: value for key, value in match.grounds.items() if key != missing}
            return Doubt(question, replace(match, arguments=kept, grounds=grounds, missing=(missing,), question=question))
        zone = {"zone": ME} if capability.startswith(("seats", "windows")) else {}
        known = Match(
            capability, match.score, zone, {name: f"default:{value}" for name, value in zone.items()}, (missing,), question
        )
        return Doubt(question, known)
    return None


def _count(form: str, zh: bool) -> int:
    """How many numbers are said: 百分之三十 is one."""
    if not zh:
        return len(find_numbers(form, "en"))
    return len(_PERCENT.findall(form)) + len(find_numbers(_PERCENT.sub(" ", form), "zh"))


def also_plain(own: Doubts | None = None) -> Doubts:
    """The doubts of a skill of its own, and these before them."""

    def doubt(words: str, locale: str, match: Match | None) -> Doubt | None:
        found = bare_thing(words, locale, match) or foreign_unit(words, locale, match)
        return found or (own(words, locale, match) if own is not None else None)

    return doubt
