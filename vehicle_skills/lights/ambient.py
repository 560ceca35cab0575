"""The ambient light: words -> on, brightness, colour, and what is written for it on both sides together. Pure.

Brightness 0 is the light switched off: the car has no such brightness. Does not know the policy.
"""

from __future__ import annotations

import re
from typing import Final

from ridealong.harness.meant import FRAGMENT, Meant, said_numbers
from ridealong.harness.reading import Reading
from ridealong.harness.skill import Context, Match
from ridealong.harness.slots.number import ZH_NUMERAL, chinese_value, find_numbers
from ridealong.harness.slots.percent import find_percent, unread_percent
from ridealong.harness.slots.text import language
from ridealong.vehicle_skills.car import is_recent
from ridealong.vehicle_skills.claim import Span, tells
from ridealong.vehicle_skills.lights.colours import COLOURS, find_colour

AMBIENT: Final = "lights.ambient"
STEP: Final = 20
LEAST: Final = 1

_THING_EN: Final = r"(?:ambient|ambience|mood|accent|atmosphere|atmospheric|glow|strip|disco|decorative|contour)(?: (?:lights?|lighting|lamps?|strips?|glow|led|leds|brightness|colou?r))*|light strips?|(?:glow|led|neon) strips?|door glow|footwell (?:glow|lights?|lighting)"
_THING_ZH: Final = r"(?:氛围|分围|气氛|情调|环境|内饰氛围)灯?|灯带|灯条|彩灯|ambientlight|moodlight"
_OTHER_EN: Final = r"temperature|noise|music|sound|good mood|bad mood|in the mood|swing|feeling|head ?lights?|traffic|strip (?:club|mall|search|of)|air strip|what mood|restaurant|crowd|screens?|display"
_OTHER_ZH: Final = r"屏|大灯|音乐|温度|节日气氛|现场|破坏|气氛(?:不|很|真|好|尴尬|紧张)"
_OUTSIDE: Final = re.compile(
    r"\b(?:head ?(?:lights?|lamps?)|(?:rear|back|front|tail|brake|fog|parking) ?(?:lights?|lamps?)|beams?)\b|车灯|大灯|头灯|尾灯|前灯|后灯|雾灯|近光|远光"
)
"""Lamps that are no skill's."""
_UP_EN: Final = r"brighter|brighten(?: up)?|up|more(?: intense| glow)?|increase|raise|stronger"
_DOWN_EN: Final = (
    r"dimmer|dim(?:med)?|darker|darken|down|less(?: bright| intense)?|lower|reduce|decrease|softer|soften|too bright|weaker"
)
_UP_ZH: Final = r"亮(?:一?点|一?些|一度)|再亮|更亮|调亮|调高|提亮|往上|加亮|(?:有点|太)暗|强一?点|高一?点"
_DOWN_ZH: Final = r"暗(?:一?点|一?些)|再暗|更暗|调暗|调低|太亮|柔和|弱一?点|别那么亮|别太亮|降(?:一降|低|一?点)|低一?点|往下"
_MOST_EN: Final = r"full(?: brightness)?|max(?:imum)?(?: brightness)?|brightest|as bright as (?:possible|it goes|they go)|all the way up|highest"
_LEAST_EN: Final = r"min(?:imum)?(?: brightness)?|lowest|dimmest|darkest|as dim as (?:possible|it goes|they go)|faintest"
_MOST_ZH: Final = r"最大|最亮|拉满|最高"
_LEAST_ZH: Final = r"最小|最暗|最低"
_ON_EN: Final = r"on|start|enable|activate|set the mood|want|have|put|some"
_OFF_EN: Final = r"off|out|kill|disable|deactivate|no|no more|lose|get rid of|without|stop"
_ON_ZH: Final = r"打开|开启|点上|点亮|亮起来|开|来点|on"
_OFF_ZH: Final = r"关|灭|熄|不要|收了|off"
_TAKEN_EN: Final = (
    r"turn|switch|change|brightness|bright|colou?r|percent|lights?|lighting|lamps?|strips?|glow|level|touch|notch|tad|slightly|those|pretty|doors?|dash|footwell|them|go|get|fancy|half|"
    r"please|bring|take|use|love|nice|shade|give|want|need|blow|tone|ice|sky|dark|deep|bright|light|something|let"
)
_TAKEN_ZH: Final = r"打开|开启|亮度|颜色|调|换|改|变|设|成|为|弄|用|转|做|色|的|亮|暗|关|掉|灭|闭|起来|圈|条|车门|里|麻烦|所有|都|全部?|百分之|%|那|种|淡|浅|深|天|冰|海|大|喜庆|光|高|低|稍微|些|来点?|一半|五成|要|我|想"
_STARTS_EN: Final = re.compile(
    r"(?:turn|switch|put|set|make|change|bring|take|dim|brighten|darken|soften|lower|raise|increase|reduce|decrease|kill|disable|enable|activate|deactivate|give|want|need|have|get|go|no|lose|use|let|shut|start|stop|paint|light|more|"
    r"less|full|some|red|blue|green|purple|pink|orange|yellow|white|cyan|warm|violet|teal|turquoise|love|like)\b"
)

QUESTION: Final = {
    "en": "What shall I change about the ambient light: on, off, its brightness or its colour?",
    "zh": "氛围灯要怎么调：开、关、亮度还是颜色？",
}
RANGE: Final = {
    "en": "The ambient light goes from 0 to 100 percent. How bright shall it be?",
    "zh": "氛围灯亮度是0到100%。要调到多少？",
}


def recognise(text: str, locale: str, context: Context) -> Match | None:
    reading = Reading(text, locale)
    if tells(reading) or reading.has(_OTHER_ZH if reading.zh else _OTHER_EN):
        return None
    thing = reading.take(_THING_ZH if reading.zh else _THING_EN)
    if thing is None and not _goes_on(reading, context):
        return None
    if not reading.zh and not _commands(reading.core, thing is None):
        return None
    if (question := out_of_range(reading.core, reading.locale)) is not None:
        return Match(AMBIENT, 0.9, missing=("level",), question=question)
    found = _wanted(reading.core, reading.zh, reading.locale)
    if found is None:
        if not reading.has(r"亮度|[档级]" if reading.zh else "level|brightness"):
            return None
        return Match(AMBIENT, 0.9, missing=("level",), question=_asks("level", reading.zh))
    arguments, grounds = found
    for pattern in (
        (_UP_ZH, _DOWN_ZH, _MOST_ZH, _LEAST_ZH, _TAKEN_ZH)
        if reading.zh
        else (_UP_EN, _DOWN_EN, _MOST_EN, _LEAST_EN, _ON_EN, _OFF_EN, _TAKEN_EN)
    ):
        reading.take(pattern)
    for words in grounds.values():
        reading.take(re.escape(words))
    for colour in COLOURS.values():
        reading.take(colour.words_zh if reading.zh else colour.words_en)
    for number in find_numbers(reading.core, reading.locale):
        reading.slot(Span(number.span))
    score = reading.score(0.93)
    return Match(AMBIENT, score, arguments, grounds)


def out_of_range(form: str, locale: str) -> str | None:
    """The question where a share was said that can't be."""
    if locale == "zh":
        shares = [chinese_value(said) if said[0] not in "0123456789" else float(said) for said in _SHARE_ZH.findall(form)]
    else:
        shares = [one.value for one in find_numbers(form, locale) if re.match(r" ?(?:percent|per cent)", form[one.span[1] :])]
    impossible = any(share is not None and not 0 <= share <= 100 for share in shares)
    return RANGE["zh" if locale == "zh" else "en"] if impossible or unread_percent(form, locale) else None


_SHARE_ZH: Final = re.compile(rf"(?<=百分之)(?:\d+|{ZH_NUMERAL})|(?<!\d)\d+(?=%)")
_GOES_ON_EN: Final = r"(?:(?:make|turn|change|set|switch|have) (?:it|them|that)(?: to| into)?|go|now|and|try)? ?(?:a |the )?(?:nice |dark |light |sky |deep )?{colour}(?: instead| one)?"
_GOES_ON_ZH: Final = r"(?:把它|那就|那)?(?:换|改|变|调|弄|设|用|要|来)?(?:成|为|到|个)?{colour}色?(?:的)?"


_STEP_ALONE_EN: Final = r"(?:make (?:it|them) |turn (?:it|them) )?(?:a (?:bit|little|touch|tad) |even |much )?(?:brighter|dimmer|darker|softer)(?: still)?"
_STEP_ALONE_ZH: Final = r"(?:调|再|更|还要)?(?:亮|暗)(?:一?点|一?些)儿?"


def _goes_on(reading: Reading, context: Context) -> bool:
    """ "Make it blue", just after the ambient light was asked for."""
    found = find_colour(reading.core, reading.zh)
    if not is_recent(context, AMBIENT):
        return False
    if found is None:
        return re.fullmatch(_STEP_ALONE_ZH if reading.zh else _STEP_ALONE_EN, reading.core) is not None
    pattern = (_GOES_ON_ZH if reading.zh else _GOES_ON_EN).format(colour=re.escape(found[1]))
    return re.fullmatch(pattern, reading.core) is not None


def _commands(core: str, goes_on: bool) -> bool:
    if goes_on or _STARTS_EN.match(core) is not None:
        return True
    return (
        re.match(
            rf"(?:the |my |those |our )?(?:{_THING_EN})(?: (?:is|are) (?:a bit |a little |way |far |much )?too (?:bright|dim|dark)| (?:to|at|in|on|off|out|up|down|brighter|dimmer|darker|softer|full|red|blue|green|purple|pink|orange|yellow|white|cyan|"
            r"warm|a (?:bit|little|touch|tad)|half|max\w*|min\w*|please|into)\b|(?: (?:\w+ )?percent| \d)|(?: (?:ten|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)\b)|$)",
            core,
        )
        is not None
    )


def _wanted(form: str, zh: bool, locale: str) -> tuple[dict[str, object], dict[str, str]] | None:
    """(arguments, grounds): a colour and a brightness may come together; None where nothing is said."""
    arguments: dict[str, object] = {}
    grounds: dict[str, str] = {}
    if (colour := find_colour(form, zh)) is not None:
        arguments["color"], grounds["color"] = colour
    if (level := _level(form, zh, locale)) is not None:
        arguments["level"], grounds["level"] = level
    elif (step := _stepped(form, zh)) is not None and not (colour is not None and step[1] in ("up", "soften")):
        arguments["delta"], grounds["delta"] = step
    if arguments:
        return arguments, grounds
    off = re.search(_OFF_ZH if zh else rf"\b(?:{_OFF_EN})\b", form)
    if off is not None:
        return {"on": False}, {"on": off.group()}
    on = re.search(_ON_ZH if zh else rf"\b(?:{_ON_EN})\b", form)
    bare = on or re.fullmatch(_THING_ZH if zh else rf"(?:the |my |some )*(?:{_THING_EN})", form)
    return ({"on": True}, {"on": bare.group()}) if bare is not None else None


def _level(form: str, zh: bool, locale: str) -> tuple[int, str] | None:
    """(percent, the words that say so); a step of so many percent is none."""
    if (most := re.search(_MOST_ZH if zh else rf"\b(?:{_MOST_EN})\b", form)) is not None:
        return 100, most.group()
    if (least := re.search(_LEAST_ZH if zh else rf"\b(?:{_LEAST_EN})\b", form)) is not None:
        return LEAST, least.group()
    if by_a_share(form, locale) is not None:
        return None
    share = find_percent(form, locale)
    if share is not None and not share.vague:
        return round(share.value), share.words
    for number in find_numbers(form, locale):
        placed = re.search(r"(?:\b(?:to|at|brightness|ambien\w+|lights?|lighting)|到|成|为|亮度|灯) ?$", form[: number.span[0]])
        if (
            placed is not None
            and not number.ordinal
            and 5 <= number.value <= 100
            and not re.search(r"\blevel $", form[: number.span[0]])
        ):
            return round(number.value), number.words
    return None


def end_named(words: str, zh: bool) -> int | None:
    """Percent, where these words are the most or the least and nothing else."""
    if re.fullmatch(_MOST_ZH if zh else _MOST_EN, words) is not None:
        return 100
    return LEAST if re.fullmatch(_LEAST_ZH if zh else _LEAST_EN, words) is not None else None


def by_a_share(form: str, locale: str) -> tuple[int, str] | None:
    """ "By twenty percent", 降低20%: how far a step goes."""
    share = find_percent(form, locale)
    if share is None or share.vague or not share.value:
        return None
    before = form[: share.span[0]]
    step = re.search(r"\bby (?:about )?$|(?:提高|增加|降低|减少|调[高低亮暗]|[加减降升])了?$|[亮暗高低]$", before)
    return (round(share.value), share.words) if step is not None else None


def _stepped(form: str, zh: bool) -> tuple[int, str] | None:
    """(percent points, the words that say so)."""
    down = re.search(_DOWN_ZH if zh else rf"\b(?:{_DOWN_EN})\b", form)
    up = re.search(_UP_ZH if zh else rf"\b(?:{_UP_EN})\b", form)
    said = down or up
    if said is None:
        return None
    size = by_a_share(form, "zh" if zh else "en")
    return (size[0] if size is not None else STEP) * (-1 if down is not None else 1), said.group()


def understand(meant: Meant) -> tuple[Match, ...]:
    locale = language(meant.text, meant.locale)
    form, zh = meant.form, meant.zh
    if _OUTSIDE.search(form) and re.search(_THING_ZH if zh else rf"\b(?:{_THING_EN})\b", form) is None:
        return ()
    if meant.variant in ("on", "off"):
        return (meant.match(AMBIENT, {"on": meant.variant == "on"}, {"on": form}),)
    if (question := out_of_range(form, locale)) is not None:
        return (Match(AMBIENT, meant.share, missing=("level",), question=question),)
    found = _wanted(form, zh, locale)
    if meant.variant == FRAGMENT:
        return (meant.match(AMBIENT, *found),) if found is not None and "on" not in found[0] else ()
    if meant.variant == "level" and (found is None or not {"level", "delta"} & set(found[0])):
        numbers = [one for one in said_numbers(meant) if 5 <= one.value <= 100]
        found = ({"level": round(numbers[-1].value)}, {"level": numbers[-1].words}) if numbers else None
    if meant.variant == "color" and (found is None or "color" not in found[0]):
        found = None
    if found is None:
        return (
            Match(
                AMBIENT,
                meant.share,
                missing=("level" if meant.variant == "level" else "color",),
                question=_asks(meant.variant, zh),
            ),
        )
    return (meant.match(AMBIENT, *found),)


def _asks(variant: str, zh: bool) -> str:
    if variant == "level":
        return "氛围灯亮度要调到百分之多少？" if zh else "How bright shall the ambient light be, in percent?"
    names = [one.chinese if zh else one.english for one in COLOURS.values()]
    listed = "、".join(names) if zh else ", ".join(names[:-1]) + " or " + names[-1]
    return f"氛围灯要什么颜色？可以是{listed}。" if zh else f"Which colour shall the ambient light have: {listed}?"
