"""A sentence that is corrected at its own end, said as it was meant. Pure.

    "turn the volume to 30 no wait 20", 打开车窗到三十，不对，二十     the number: "turn the volume to 20", 打开车窗到二十
    "move the seat back a bit, I mean forward"                       the way: "move the seat forward a bit"
    "driver's seat heat to 3, I mean the passenger's"                whose: "the passenger seat heat to 3"

Only where nothing but the other value stands behind the correction: a number there is the value of what the sentence names, and of nothing else. What
is to be said, written or remembered for somebody is left as it is. Does not know skills, or what was asked for before (following.py).
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from ridealong.harness.slots.number import Number, find_numbers
from ridealong.harness.slots.text import language, plain
from ridealong.harness.slots.zones import place_spans

_MOST: Final = 3
"""So many corrections in one sentence: "30 no 20 no 25"."""

_OF_COURSE_EN: Final = r"(?:no|nope|nah|sorry|actually|rather|i mean|i meant|correction|scratch that|my mistake|oops|wrong|(?<!\band )make (?:it|that))"
_MARK_EN: Final = re.compile(
    rf"(?P<said>.*\S)[\s,.;…–—-]+(?:(?:uh+|um+|er|oh|ah|wait|hang on|hold on|or)[\s,.…]+)*(?<![\w'’]){_OF_COURSE_EN}"
    rf"(?:[\s,.…]+(?:{_OF_COURSE_EN}|wait|uh+|um+|er|hang on|hold on|to|at|it is|let us say|let['’]?s say))*[\s,.…]+(?P<instead>\S.*)",
    re.IGNORECASE | re.DOTALL,
)
_MARK_ZH: Final = re.compile(
    r"(?P<said>.*\S)[\s，,。、；;…]*(?<!是)(?:哦|啊|呃|额|哎|嗯|等等|等一下|[\s，,。…])*(?:不对|不是(?=[\s，,。…啊哦我])|我?(?:说|搞|弄)错了|(?<![说搞弄])错了|不不|应该是|我(?:是说|说的?是|的意思是)|(?<=[\s，,。…])不(?=[\s，,。…]*[\d一二两三四五六七八九十百]))"
    r"(?:了|啊|呀|哦|呃|嗯|等等|应该是|改成|调到|我(?:是说|要的?是|说的?是)|是|到|[\s，,。…])*(?P<instead>\S.*)",
    re.DOTALL,
)
_MARKS_LEFT: Final = re.compile(rf"(?:[\s,.…]+(?:{_OF_COURSE_EN}|or|wait|hang on|hold on|uh+|um+|er))+[\s,.…]*$", re.IGNORECASE)
"""Of "three, no, make it five" the no."""
_TOLD: Final = re.compile(
    r"\b(?:text|message|tell|send|say|write|email|remember|note|remind|reminder|reply|call|dial|ring)\b|发|告诉|说|记住|记下|提醒|回复|打电话|拨"
)
"""Words for somebody, or digits that are no value."""
_UNIT_EN: Final = r" ?(?:percent|degrees?(?: (?:celsius|fahrenheit))?|celsius|fahrenheit|(?:seconds?|minutes?|hours?|kilomet\w+|km|miles?)|[ap]m)"
_UNIT_ZH: Final = r"(?:%|度|个?小时|分钟?|秒钟?|公里|个?钟头|档|挡|级)"
_POLITE_EN: Final = re.compile(r"(?: (?:please|thanks|thank you))+$")
_POLITE_ZH: Final = re.compile(r"(?:吧|谢谢|啊|呀|好了|就好)+$")
_SETS: Final = re.compile(r"(?:\b(?:to|at|by) |到|成|为)$")
_CLAUSE: Final = re.compile(r"(?<=[,.;])(?=\s)|(?<=[，。；])")
_SHARE_ZH: Final = re.compile(r"百分之([\d零一二两三四五六七八九十百]+)")
_LEVELLED: Final = re.compile(
    r"\b(?:volume|fan|blower|brightness|(?:ambient )?lights?|lighting|windows?|sunroof|blinds?|sunshade|music|screen|display)\b|"
    r"音量|声音|风量|风速|风扇|亮度|氛围灯|车?窗|天窗|遮阳帘|屏幕"
)
"""What a number without a unit can be said of that is no temperature."""
_IN_DEGREES: Final = re.compile(r"\b(?:temperature|degrees?|thermostat|heating)\b|温度|度")
_SO_FAR: Final = re.compile(
    r"(?:\s*(?:\b(?:up|down|on|off|to|at|by|all the way|half(?: ?way)?|fully|full|(?:the )?max(?:imum)?|(?:the )?min(?:imum)?|a (?:bit|little|lot))$|"
    r"(?:一半|最大|最小|最高|最低|到底|全部|一点儿?|一些|到|大|小|高|低)$))+"
)
_WAYS: Final = (
    ("back", "forward"), ("backwards", "forwards"), ("backward", "forward"), ("up", "down"), ("on", "off"), ("left", "right"),
    ("open", "close"), ("raise", "lower"), ("higher", "lower"), ("warmer", "cooler"), ("louder", "quieter"), ("front", "rear"),
    ("往前", "往后"), ("向前", "向后"), ("往上", "往下"), ("调高", "调低"), ("调大", "调小"), ("打开", "关上"), ("打开", "关闭"), ("左", "右"),
)  # fmt: skip
_OPPOSITE: Final = {way: other for pair in _WAYS for way, other in (pair, pair[::-1])}


_NOT_THIS_NAME: Final = re.compile(
    r"\b(?P<name>[A-Z]\w+),? (?:(?:er|uh|um|no|sorry|wait|I mean)[,.]? )*not (?P=name),? (?:but )?(?P<other>[A-Z]\w+)"
)
"""Of names: "ring Dave, er, not Dave, Steve"."""


@lru_cache(maxsize=512)
def corrected(text: str, locale: str) -> str:
    """The text with the last value, or name, in the place of the one that it corrects; else as it was."""
    text = _NOT_THIS_NAME.sub(r"\g<other>", text)
    for _ in range(_MOST):
        if (now := _once(text, locale)) == text:
            break
        text = now
    return text


def _once(text: str, locale: str) -> str:
    zh = language(text, locale) == "zh"
    cut = (_MARK_ZH if zh else _MARK_EN).fullmatch(text.strip())
    if cut is None or _TOLD.search(cut["said"].lower()) is not None or "?" in text or "？" in text:
        return text
    clauses = _CLAUSE.split(_MARKS_LEFT.sub("", cut["said"]).rstrip(" ,.;，。、；…"))
    before, said, instead = "".join(clauses[:-1]), plain(clauses[-1], locale), plain(cut["instead"], locale)
    polite = _POLITE_ZH if zh else _POLITE_EN
    said, instead = polite.sub("", said), polite.sub("", instead)
    if zh:
        said, instead = _SHARE_ZH.sub(r"\1%", said), _SHARE_ZH.sub(r"\1%", instead)
    now = _number(said, instead, zh) or _way(said, instead, zh) or _whose(said, instead, zh)
    if not now:
        return text
    return f"{before}{'' if zh or not before else ' '}{now}"


def _number(said: str, instead: str, zh: bool) -> str:
    locale, unit = ("zh", _UNIT_ZH) if zh else ("en", _UNIT_EN)
    wanted = find_numbers(instead, locale)
    if len(wanted) != 1 or wanted[0].ordinal or wanted[0].span[0] != 0:
        return ""
    if re.fullmatch(f"(?:{unit})?", instead[wanted[0].span[1] :]) is None:
        return ""
    if _of_another_kind(said, instead[wanted[0].span[1] :]):
        return instead  # "the fan to 30, no wait, 20 degrees": with its unit it is of something else
    was = find_numbers(said, locale)
    if not was:
        so_far = _SO_FAR.sub("", said).strip()
        if _LEVELLED.search(said) is None:
            return ""
        return f"{so_far}{'到' if zh else ' to '}{instead}"
    low, high = was[-1].span
    old = re.match(unit, said[high:])
    own = old.group() if old is not None else ""
    rest = said[high + len(own) :]
    if _of_a_time(said, was, zh) or was[-1].ordinal or (rest and _SETS.search(said[:low]) is None):
        return ""
    if not said[:low].strip() and not rest:
        return ""
    return f"{said[:low]}{instead}{'' if len(instead) > wanted[0].span[1] else own}{rest}"


def _of_another_kind(said: str, unit: str) -> bool:
    """Degrees of what has none, or percent of what is only in degrees."""
    if re.search(r"degree|celsius|fahrenheit|度", unit):
        return _LEVELLED.search(said) is not None and _IN_DEGREES.search(said) is None
    return bool(re.search(r"percent|%", unit)) and _IN_DEGREES.search(said) is not None and _LEVELLED.search(said) is None


def _of_a_time(said: str, was: tuple[Number, ...], zh: bool) -> bool:
    """ "7 30", 七点三十: the number is only the end of one value."""
    before = said[: was[-1].span[0]]
    beside = len(was) > 1 and not said[was[-2].span[1] : was[-1].span[0]].strip()
    return beside or before.endswith((":", ".") if not zh else (":", ".", "点", "度", "第"))


def _way(said: str, instead: str, zh: bool) -> str:
    """The one opposite of the word in what was said."""
    instead = instead if zh else re.sub(r"^(?:the|on the|at the|in the) (?=\w+$)", "", instead)
    other = _OPPOSITE.get(instead)
    others = {way for way, opposite in _OPPOSITE.items() if opposite == instead} | ({other} if other is not None else set())
    found = [
        m for way in others for m in re.finditer(re.escape(way) if zh else rf"\b{re.escape(way)}\b(?! seats?\b| window)", said)
    ]
    return f"{said[: found[0].start()]}{instead}{said[found[0].end() :]}" if len(found) == 1 else ""


def _whose(said: str, instead: str, zh: bool) -> str:
    """ "The driver's seat …, I mean the passenger's": the one place for the other. What is named by more than that is no part of it."""
    if zh:
        return ""
    was, wanted = place_spans(said, "en"), place_spans(instead, "en")
    if len(was) != 1 or len(wanted) != 1 or re.fullmatch(r"(?:the |my )?", instead[: wanted[0][0]]) is None:
        return ""
    if re.fullmatch(r"(?: ?'?s)?(?: (?:one|side))?", instead[wanted[0][1] :]) is None or not find_numbers(said, "en"):
        return ""
    old, place = said[slice(*was[0])], instead[slice(*wanted[0])]
    seat = " seat" if old.endswith(" seat") and not place.endswith(" seat") else ""
    return f"{said[: was[0][0]]}{place}{seat}{said[was[0][1] :]}"
