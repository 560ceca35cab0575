"""Navigation: "take me there", 导航过去: to a place that was spoken of, or that an earlier call of the same sentence is to find. Pure.

Does not know which place that is where it is still to be found: the call says whose result it takes (harness/results.py).
"""

from __future__ import annotations

import re
from typing import Final

from ridealong.harness.reading import Reading
from ridealong.harness.skill import Context, Match
from ridealong.vehicle_skills.car import recent_argument

SET: Final = "navigation.set_destination"
FINDS: Final = ("navigation.charging_search", "navigation.where_is")
"""Skills that give a place."""
PLACE: Final = "place"
WITHIN_MS: Final = 60_000
_GO_EN = r"(?:navigate|drive|go|head|route|guide|take|bring|lead|get|direct|send)(?: (?:me|us))?(?: (?:over|straight|right|on))*"
_IT_EN = r"(?:it|that|this|that one|this one|that place|the one)"
_THERE_EN: Final = re.compile(
    rf"{_GO_EN} (?:there|over there|to {_IT_EN}|to there)|(?:set|make|use|put|add) {_IT_EN}(?: in)?(?: as| to be)?(?: (?:the|our|my|a))*(?: new)? destination|"
    rf"(?:set|plot|plan|start|get|give|show)(?: (?:me|us))?(?: (?:the|a))?(?: (?:route|course|navigation|directions|way|destination)) (?:there|to (?:there|{_IT_EN}))|"
    rf"(?:let us|i want to|we want to|i would like to) (?:go|drive|head) (?:there|to {_IT_EN})|(?:go|let us go|off we go) there"
)
_ONWARD_EN: Final = re.compile(rf"{_GO_EN}|(?:start|begin) (?:the )?(?:navigation|navigating|route)|navigate|directions")
"""Where the place is found in the same sentence, "find a charger and navigate" says enough."""
_LEAD_ZH = r"(?:就|再|并|并且|直接|马上|然后|之后|接着|请|你|帮我|给我|麻烦)*"
_THAT_ZH = r"(?:那里|那儿|那边|那个地方|那家|那个|那|它|这里|这家|这个)"
_THERE_ZH: Final = re.compile(
    rf"{_LEAD_ZH}(?:导航?|开车?|带(?:我|我们|咱们?)|送(?:我|我们|咱们?))(?:过去|到{_THAT_ZH}|去{_THAT_ZH}|往{_THAT_ZH})|{_LEAD_ZH}去{_THAT_ZH}|"
    rf"{_LEAD_ZH}(?:把{_THAT_ZH})?(?:设|设置|定|设定)(?:为|成|到)?(?:我们的)?目的地|{_LEAD_ZH}(?:把)?目的地(?:设|设置|定|改)(?:为|成|到)?{_THAT_ZH}|{_LEAD_ZH}往{_THAT_ZH}开"
)
_ONWARD_ZH: Final = re.compile(
    rf"{_LEAD_ZH}(?:(?:带|送)(?:我|我们|咱们?)(?:去|到)?|导航(?:去|到)?|(?:开始|启动)导航|导(?:去|一下)|开(?:去|过去)|过去|去(?:吧)?)"
)
_TAIL_ZH: Final = re.compile(r"(?:吧|好吗|可以吗|行吗|谢谢|呗|啊|呀)+$")
PRONOUNS: Final = frozenset(
    {"there", "over there", "that place", "it", "that", "that one", "this one", "them", "那里", "那儿", "那边", "它", "过去"}
)
"""What is never the name of a place."""


def leads_there(form: str, zh: bool, *, found_here: bool = False) -> bool:
    """`found_here`: something in the same sentence is to find the place."""
    form = _TAIL_ZH.sub("", form) if zh else form
    ways = (_THERE_ZH, _ONWARD_ZH) if zh else (_THERE_EN, _ONWARD_EN)
    return any(way.fullmatch(form) is not None for way in (ways if found_here else ways[:1]))


def recognise_there(reading: Reading, context: Context, score: float) -> Match | None:
    """None where these are other words, or nobody knows what place is meant."""
    at = next((n for n in reversed(range(len(context.before))) if context.before[n].capability in (*FINDS, SET)), None)
    if not leads_there(reading.core, reading.zh, found_here=at is not None):
        return None
    return to_what_was_found(context, score) or to_what_was_named(context, score)


def to_what_was_found(context: Context, score: float) -> Match | None:
    """The place that the last such call of this sentence is to find, or is itself on the way to."""
    at = next((n for n in reversed(range(len(context.before))) if context.before[n].capability in (*FINDS, SET)), None)
    if at is None or context.before[at].missing:
        return None
    before = context.before[at]
    if before.capability == SET:  # the same once more
        return Match(
            SET,
            score,
            before.arguments,
            dict.fromkeys(before.arguments, "context:sentence") or before.grounds,
            after=before.after,
        )
    return Match(SET, score, {}, {PLACE: f"result:{PLACE}"}, after=(at,))


def to_what_was_named(context: Context, score: float) -> Match | None:
    """The place that the last call found, or was about."""
    last = context.recent[0] if context.recent else None
    if last is None:
        return None
    found = last.gave.get(PLACE) if last.capability in FINDS and last.asked_ms_ago <= WITHIN_MS else None
    place = found or recent_argument(context, "navigation.", PLACE, WITHIN_MS)
    return Match(SET, score, {PLACE: place}, {PLACE: "context:recent"}) if isinstance(place, str) else None


_FIND_EN: Final = re.compile(
    r"(?:find|look for|search for|locate|show|get|pick)(?: (?:me|us))? (?:a|an|the|some|any) (?P<name>.+?)(?: (?:nearby|near here|near me|around here|close by))?(?: (?:and then|then|and))?"
)
_FIND_ZH: Final = re.compile(
    rf"{_LEAD_ZH}(?:找|搜|搜索|查|查找)(?:一下|一个|一家|个|家|下)?(?P<name>(?:附近|最近|这附近)?的?.+?)(?:然后|再|并且?|之后|接着|就)?"
)
LONGEST_WORDS: Final = 24


def find_and_go(reading: Reading) -> str:
    """ "Find a petrol station and take me there": the place as it was named, "" where these are other words."""
    words, joiner = (list(reading.core), "") if reading.zh else (reading.core.split(), " ")
    for cut in range(2, min(len(words), LONGEST_WORDS)):
        if leads_there(joiner.join(words[cut:]), reading.zh, found_here=True):
            found = (_FIND_ZH if reading.zh else _FIND_EN).fullmatch(joiner.join(words[:cut]))
            return found["name"] if found is not None else ""
    return ""
