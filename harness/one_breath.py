"""One thing in two places, said in one breath, said as it is meant: each place with its thing. Pure.

    座椅加热左边关右边最高             左边座椅加热关掉，右边座椅加热开到最高
    "seat heating left off right max"   left seat heating off and right seat heating to max
    "my side to 22 and hers up"         my side to 22 and her side warmer

Only where the whole sentence is nothing else. "Up" behind a temperature is warmer, and no window. Does not know skills, or the car.
"""

from __future__ import annotations

import re
from typing import Final

from ridealong.harness.slots.number import find_numbers
from ridealong.harness.slots.text import language, plain

_THING_ZH: Final = r"(?:座椅|座位|坐垫)(?:加热|通风|制冷)|车?窗户?|温度"
_PLACE_ZH: Final = r"(?:左|右)(?:边|侧)?|主驾驶?|副驾驶?|我(?:这边|这|的)?|[她他](?:那边|那|的)?"
_AMOUNT_ZH: Final = r"(?:(?:调|开|设|弄)?(?:到|成|为)?(?:最[大高低小热]|[高中低][档挡]|\d+度)|关[掉上闭]?|打?开)"
_BREATH_ZH: Final = re.compile(
    rf"(?:请|麻烦|帮我|给我|把)*(?P<thing>{_THING_ZH})(?P<p1>{_PLACE_ZH})(?P<a1>{_AMOUNT_ZH})(?:然后|和|再|而)?(?P<p2>{_PLACE_ZH})(?P<a2>{_AMOUNT_ZH})(?:吧|了|谢谢|啊)*"
)
_WARMER_ZH: Final = re.compile(
    rf"(?:请|麻烦|帮我|给我|把)*(?P<p1>{_PLACE_ZH})(?:的?(?:温度|空调))?(?:调|设|开)?(?:到|成|为)?(?P<n>1[6-9]|2\d|3[0-2])度?(?:然后|和|再|而)?(?P<p2>{_PLACE_ZH})(?:再|就|要|给我|调|稍微)*(?P<way>[高低热凉暖冷](?:一?[点些])?)(?:吧|了|谢谢|啊)*"
)
_WHOLE_ZH: Final = {"关": "关掉", "开": "打开"}
_PLACES: Final = {"mine": "my", "hers": "her", "theirs": "their", "my": "my", "her": "her", "his": "his"}
_PLACE_EN: Final = r"(?:on )?(?:the )?(?P<p{n}>left|right|drivers?|passengers?|mine|hers|his|my|her)(?: (?:side|one|seat))?"
_AMOUNT_EN: Final = r"(?:to |at |on )?(?:the )?(?P<a{n}>off|on|max(?:imum)?|full|high|low|medium|min(?:imum)?|open|closed?|shut)"
_BREATH_EN: Final = re.compile(
    rf"(?:(?:please|turn|set|put|switch) )*(?:the )?(?P<thing>seat (?:heating|heaters?|cooling|ventilation|warmers?)|heated seats|windows?) {_PLACE_EN.format(n=1)} {_AMOUNT_EN.format(n=1)} (?:and |but )?{_PLACE_EN.format(n=2)} {_AMOUNT_EN.format(n=2)}(?: please)?"
)
_WARMER_EN: Final = re.compile(
    r"(?P<first>.+?) (?:and|but) (?:(?:turn|put|make|have|then|also) )*(?:the )?(?P<p>hers|his|mine|theirs|her|my|their|passengers?|drivers?)(?: side)? (?P<way>up|down|higher|lower)(?P<bit> (?:a bit|a little|a touch|slightly))?(?: please)?"
)
_NO_TEMPERATURE: Final = re.compile(
    r"\b(?:windows?|fan|blower|volume|music|radio|seats?|lights?|blinds?|sunroof|brightness|timer|minutes?|percent|screen|wipers?)\b"
)


def apart_said(text: str, locale: str) -> str:
    """The text, each part whole; as it was where it is no such sentence."""
    form = plain(text, locale)
    return (_zh(form) if language(text, locale) == "zh" else _en(form)) or text


def _zh(form: str) -> str:
    if (found := _BREATH_ZH.fullmatch(form)) is not None:
        thing, parts = found["thing"], [(found["p1"], found["a1"]), (found["p2"], found["a2"])]
        return "，".join(f"{place}{thing}{_amount_zh(amount)}" for place, amount in parts)
    if (found := _WARMER_ZH.fullmatch(form)) is not None:
        way = found["way"] if len(found["way"]) > 1 else f"{found['way']}一点"
        return f"{found['p1']}温度{found['n']}度，{found['p2']}温度{way}"
    return ""


def _amount_zh(amount: str) -> str:
    bare = re.sub(r"^(?:调|开|设|弄)?(?:到|成|为)?(?=最|[高中低][档挡]|\d)", "", amount)
    return _WHOLE_ZH.get(amount, amount if bare == amount and amount[0] in "关打" else f"开到{bare}")


def _en(form: str) -> str:
    if (found := _BREATH_EN.fullmatch(form)) is not None:
        thing = re.sub(r"heaters?|warmers?|^heated seats$", "heating", found["thing"]).removesuffix("s")
        thing = "seat heating" if thing == "heating" else thing
        parts = [(found[f"p{n}"], found[f"a{n}"]) for n in (1, 2)]
        return " and ".join(f"{_place(place)} {thing} {_amount(amount)}" for place, amount in parts)
    warmer = _WARMER_EN.fullmatch(form)
    if warmer is None or _NO_TEMPERATURE.search(form) is not None:
        return ""
    numbers = find_numbers(warmer["first"], "en")
    if len(numbers) != 1 or not (15 <= numbers[0].value <= 30 or 59 <= numbers[0].value <= 86):
        return ""
    way = "warmer" if warmer["way"] in ("up", "higher") else "cooler"
    return f"{warmer['first']} and {_place(warmer['p'])} side{warmer['bit'] or ''} {way}"


def _place(said: str) -> str:
    return _PLACES.get(said) or (f"the {said.rstrip('s')}'s" if said.startswith(("driver", "passenger")) else f"the {said}")


def _amount(said: str) -> str:
    return said if said in ("off", "on", "open", "closed", "shut") else f"to {said}"
