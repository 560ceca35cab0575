"""The sunroof: words -> open, closed or tilted; its position in words. Pure.

Where between open and closed it stands is a sensor's, and nobody's to set: "half open" is asked about. Does not know the policy.
"""

from __future__ import annotations

import re
from typing import Final

from ridealong.harness.changes import Another, Arguments, Changes, Reads, to_open
from ridealong.harness.doubt import Doubt
from ridealong.harness.meant import FRAGMENT, Meant
from ridealong.harness.reading import Reading
from ridealong.harness.skill import Context, Match
from ridealong.harness.slots.percent import find_percent, unread_percent
from ridealong.harness.slots.text import language, plain
from ridealong.proto.types import SignalWrite
from ridealong.vehicle_skills.car import Read, asks, is_recent, number
from ridealong.vehicle_skills.claim import agreed, tells
from ridealong.vehicle_skills.like_names import ROOF_EN, ROOF_ZH
from ridealong.vehicle_skills.signals import SUNROOF_POSITION, SUNROOF_SWITCH

SET: Final = "sunroof.set"
POSITIONS: Final = ("open", "closed", "tilted")
NEAR: Final = 3
"""Percent within which open and tilted count as reached; closed is the closed end and nothing else."""

# --- words ---------------------------------------------------------------------------------------------------------------

_THING_EN: Final = rf"{ROOF_EN}|roof glass|roof|the top"
_THING_ZH: Final = rf"{ROOF_ZH}|(?:车顶|头顶|顶上|头上)的?(?:那个|那)?(?:车?窗户?|玻璃)|sunroof"
_OTHER_EN: Final = (
    r"lights?|lamps?|rack|box|rails?|bars?|convertible|soft top|hard ?top|house|leak\w*|tiles?|garage|blinds?|shade|sun ?shade|curtain|tent|barn|music|volume|speed|windows|"
    r"temperature|seat|bottle|jar|list|page|stop"
)
_OTHER_ZH: Final = r"灯|遮阳帘|帘|行李架|敞篷|漏|屋顶|房顶|阁楼|没天窗|旁边"
_WAYS_EN: Final = (
    ("tilted", r"tilt(?:ed)?|vent(?:ed|ilate)?|tip(?:ped)?(?: up)?|prop(?:ped)?(?: up)?|angled?|lift (?:the (?:back|rear)|up)|raise the (?:back|rear)|(?:back|rear)(?: edge)? (?:of the \w+ )?up|pop up|up a (?:crack|bit)"),
    ("closed", r"close[ds]?|closed|shut|seal(?:ed)?|bring .* (?:back )?over|cover"),
    ("open", r"open(?:ed)?|slide back|roll(?:ed)? back|draw back|pull back|undo|retract|let (?:the )?(?:sun|air|light|sky|stars) in|unseal|pop"),
)  # fmt: skip
_WAYS_ZH: Final = (
    ("tilted", r"翘(?:起来?|着)?|倾斜|斜(?:着|开)?|掀起来?|抬起来?|后(?:部|边|面|缘|沿|端)(?:抬|升|翘)起?|tilt"),
    ("closed", r"关(?:闭|上|掉|好|严|紧|到底|起来)?|合上|闭上|收(?:回去|起来)|close"),
    ("open", r"打开|敞开|开启|拉开|开(?:到底|大|全)?|全开|滑开|open"),
)
_TAKEN_EN: Final = (
    r"open\w*|close\w*|closed|shut|tilt\w*|vent\w*|tip\w*|prop\w*|angle\w*|lift|raise|slide|roll|draw|pull|pop|undo|let|sun|air|fresh|sky|stars|light|bring|turn|"
    r"rear|edge|crack|way|fully|completely|wide|mode|position|keep|need|want|leave|straight|quick|quickly|in|it|glass|seal|retract|switch|change|instead"
)
_TAKEN_ZH: Final = r"打开|敞开|开启|拉开|滑开|全开|开|关闭|关上|关掉|关|闭|合|收|翘|倾斜|斜|掀|抬|起|模式|全|到底|好|严|紧|透透?气|通通?风|新鲜空气|星星|太阳|天|看|吹风|窗|回|就|行|起来|后部|后边|后面|后|部|只"
_BETWEEN_EN: Final = (
    r"\b(?:half(?:way)?|partly|partially|part way|a (?:little|bit|touch|tad|crack|sliver|third|quarter|gap)|little bit|slightly|some of the way|an inch|(?!100\b)\d+ ?(?:percent|cm)|not (?:quite |too )?(?:all the way|fully|completely|wide)|"
    r"(?:ten|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety) percent|two thirds|three quarters)\b"
)
_BETWEEN_ZH: Final = r"一半|半开|开半|条(?:小|细)?缝|道缝|一点|一些|点儿?(?!通)|三分之|百分之(?!百)|(?<!\d)(?!100%)\d+%|[一二三四五六七八九]成|稍微|别全"
QUESTION: Final = {
    "en": "I can't set the sunroof to a place in between. Shall I open it, or tilt it?",
    "zh": "天窗不能停在中间，只能打开、关上或者翘起。要打开还是翘起来？",
}

_NOT_WHOLLY_EN: Final = re.compile(
    r"\b(?:except|all but|but for|apart from|leav(?:e|ing)|save for|with (?:just )?a (?:small |little |tiny )?(?:gap|crack))\b.*\b(?:gap|crack|little|bit|touch|tad|sliver|inch|slit|opening|percent|cm|third|quarter)\b|"
    r"\b(?:half(?:way)?|partly|partially|part way|most of the way|some of the way|two thirds|three quarters|(?:a|one) (?:third|quarter))\b|"
    r"\b(?:almost|nearly|not) (?:all the way|fully|completely|entirely|wholly|closed|shut)\b|\b(?:roof|it) (?:just )?(?:a (?:little|bit|touch|tad)|slightly|some)(?: (?:bit|more))?$"
)
_NOT_WHOLLY_ZH: Final = re.compile(
    r"[留剩].{0,4}(?:缝|点|口)|一半|半关|关半|关(?:上)?(?:小|大)?(?:一?点|一些)(?!冷|凉)|三分之|[一二三四五六七八九]成|别全|不要全"
)
CLOSING_QUESTION: Final = {
    "en": "I can't set the sunroof to a place in between. Shall I close it, or tilt it?",
    "zh": "天窗不能停在中间，只能打开、关上或者翘起。要关上还是翘起来？",
}


def closed_in_part(words: str, locale: str) -> bool:
    """ "Close it except for a gap": not the whole way."""
    form = plain(words, locale)
    if (_NOT_WHOLLY_ZH if language(words, locale) == "zh" else _NOT_WHOLLY_EN).search(form):
        return True
    share = find_percent(form, locale)
    return share is not None and not share.vague and 0 < share.value < 100


_LEAVES_A_GAP: Final = re.compile(
    r"roof,? (?:but|and|just|only) leav(?:e|ing) .*\b(?:gap|crack|bit|little|inch|slit|opening)\b|天窗.*[留剩].{0,4}(?:缝|点|口)"
)


def doubt(words: str, locale: str, match: Match | None) -> Doubt | None:
    """ "Close the sunroof but leave a crack": cut in two, its first half is no wish of its own."""
    if match is None or match.arguments.get("to") != "closed":
        return None
    form = plain(words, locale)
    if _LEAVES_A_GAP.search(form) is None or re.search(r"\bwindows?\b|车窗", form):
        return None
    asks = _asks_for_the_whole(language(words, locale), match.score)
    return Doubt(asks.question, asks)


def between(words: str, locale: str) -> str:
    """The words for a position that can't be set; "" where there are none."""
    form = plain(words, locale)
    zh = language(words, locale) == "zh"
    found = re.search(_BETWEEN_ZH if zh else _BETWEEN_EN, form)
    if found is None:
        share = find_percent(form, locale)
        if share is None and unread_percent(form, locale):
            return "百分之" if zh else "percent"
        return share.words if share is not None and not share.vague and 0 < share.value < 100 else ""
    return found.group()


def recognise(text: str, locale: str, context: Context) -> Match | None:
    if (yes := agreed(SET, text, locale, context, ("to",))) is not None:
        return yes
    reading = Reading(text, locale)
    if (more := _a_bit(reading, context)) is not None:
        return more
    if tells(reading) or reading.has(_OTHER_ZH if reading.zh else _OTHER_EN):
        return None
    thing = reading.take(_THING_ZH if reading.zh else _THING_EN)
    if thing is None and not asks(context, SET) and not _goes_on(reading, context):
        return None
    found = _way(reading.core, reading.zh)
    if found is None or not (reading.zh or _commands(reading.core, thing is None)):
        return None
    way, words = found
    reading.take(r"不对|不是|不" if reading.zh else "no|not|wait|actually|sorry")
    vague = between(reading.core, reading.locale)
    reading.take(_TAKEN_ZH if reading.zh else _TAKEN_EN)
    if vague:
        reading.take(re.escape(vague))
    score = reading.score(0.94 if thing is not None and thing.group() not in ("roof", "the top") else 0.9)
    if way == "closed" and closed_in_part(reading.core, reading.locale):
        return _asks_for_the_whole(reading.locale, max(score, 0.9))
    return _call(way, words, vague, reading.locale, score)


def _goes_on(reading: Reading, context: Context) -> bool:
    """ "Tilt it instead", just after the sunroof was asked for."""
    pattern = (
        r"(?:把它)?(?:翘|斜|掀)(?:起来|着|开)?"
        if reading.zh
        else r"(?:just )?(?:tilt(?:ed)?|vent|tip)(?: it)?(?: up)?(?: a bit)?"
    )
    said = reading.frame.correction or reading.core
    return is_recent(context, SET) and re.fullmatch(pattern, said) is not None


_A_BIT_EN: Final = re.compile(
    r"(?:just )?(?:(?P<close>close|shut)|open) it (?:up )?(?:just )?(?:a (?:bit|little|touch|tad)|slightly|half ?way|part(?:ly| ?way))(?: (?:more|further|less|up))?|(?:just )?a (?:bit|little) (?P<less>less)|not (?:quite )?(?:so|that) (?P<far>far|wide|much)"
)
_A_BIT_ZH: Final = re.compile(
    r"(?:再|就|稍微|把它|那|还是)*(?:(?P<close>关|合|开?(?=小))|打?开)(?:大|小)?(?:一?点儿?|一些|一半)(?:吧|就行)?"
)


def _a_bit(reading: Reading, context: Context) -> Match | None:
    """ "Close it a bit", 关小一点, just after the sunroof was asked for: there is no place in between."""
    found = (_A_BIT_ZH if reading.zh else _A_BIT_EN).fullmatch(reading.frame.correction or reading.core)
    if found is None or not is_recent(context, SET):
        return None
    if any(value is not None for value in found.groupdict().values()):
        return _asks_for_the_whole(reading.locale, 0.97)
    return Match(SET, 0.97, missing=("to",), question=QUESTION["zh" if reading.zh else "en"])


def _way(form: str, zh: bool) -> tuple[str, str] | None:
    """(position, the words that say so)."""
    for way, pattern in _WAYS_ZH if zh else _WAYS_EN:
        found = re.search(pattern if zh else rf"\b(?:{pattern})\b", form)
        if found is not None:
            return way, found.group()
    return None


_STARTS_EN: Final = re.compile(
    r"(?:open|close|shut|tilt|vent|tip|prop|angle|lift|raise|slide|roll|draw|pull|pop|undo|let|bring|turn|seal|retract|put|get|have|keep|crack|want|make|leave|set|just|fully|ventilate|cover|switch|some)\b"
)
_FRAGMENT_EN: Final = re.compile(
    rf"(?:the |my |our |that )?(?:{_THING_EN})(?: (?:to|in|on|into|should be|back|all the way|fully|half|halfway|a|little|bit|wide|up|just))* (?:open(?:ed)?|closed?|shut|tilt(?:ed)?|vent(?:ed)?|tipped|halfway|up)(?: (?:position|mode|fully|a bit|a little|halfway|up|all the way|now))*"
)


def _commands(core: str, answers: bool) -> bool:
    """In the form of a request: "the roof is closed" is none."""
    return answers or _STARTS_EN.match(core) is not None or _FRAGMENT_EN.fullmatch(core) is not None


def _asks_for_the_whole(locale: str, score: float) -> Match:
    return Match(SET, score, missing=("to",), question=CLOSING_QUESTION["zh" if locale == "zh" else "en"])


def _call(way: str, words: str, vague: str, locale: str, score: float) -> Match:
    if vague and way == "open":
        return Match(SET, score, missing=("to",), question=QUESTION["zh" if locale == "zh" else "en"])
    return Match(SET, score, {"to": way}, {"to": words})


_OF_VARIANT: Final = {"open": "open", "close": "closed", "tilt": "tilted"}


_ONLY_NAMED: Final = re.compile(
    r"(?:(?:no|oh|sorry|i (?:meant|mean|said)|not that) )*(?:the |my )?(?:sun ?roof|moon ?roof|roof)|(?:不|我(?:是)?说的?(?:是)?|是)*(?:天窗)"
)
"""Its name says nothing of which way."""


def understand(meant: Meant) -> tuple[Match, ...]:
    form = meant.form
    said = _way(form, meant.zh)
    if meant.variant == FRAGMENT:
        return (_call(*said, "", meant.locale, meant.share),) if said is not None else ()
    way = _OF_VARIANT.get(meant.variant, said[0] if said is not None else "")
    if not way or _ONLY_NAMED.fullmatch(form):
        return ()
    if way == "open" and said is not None and said[0] == "tilted":
        way = "tilted"
    if way == "closed" and closed_in_part(form, meant.locale):
        return (_asks_for_the_whole(language(meant.text, meant.locale), meant.share),)
    return (
        _call(
            way, said[1] if said is not None and said[0] == way else form, between(form, meant.locale), meant.locale, meant.share
        ),
    )


# --- the roof, and its position in words --------------------------------------------------------------------------------------


def position(read: Read) -> float | None:
    """-100 tilted, 0 closed, 100 open."""
    return number(read, SUNROOF_POSITION)


def is_at(to: str, now: float | None) -> bool:
    if now is None:
        return False
    return {"closed": now == 0, "open": now >= 100 - NEAR, "tilted": now <= NEAR - 100}[to]


def switch(to: str, now: float | None) -> str:
    """What the switch is set to: one touch for the whole way, and down again from tilted."""
    if to == "tilted":
        return "TILT_UP"
    if to == "closed":
        return "TILT_DOWN" if now is not None and now < 0 else "ONE_SHOT_CLOSE"
    return "ONE_SHOT_OPEN"


def writes(to: str, read: Read) -> tuple[SignalWrite, ...]:
    return (SignalWrite(SUNROOF_SWITCH, switch(to, position(read))),)


def state(now: float, locale: str) -> str:
    """ "open", "closed", "tilted", "30 percent open"."""
    zh = locale.startswith("zh")
    if is_at("closed", now):
        return "关着" if zh else "closed"
    if is_at("open", now):
        return "全开" if zh else "open"
    if now < 0:
        return "翘着" if zh else "tilted"
    return f"开了{round(now)}%" if zh else f"{round(now)} percent open"


_DONE_ZH: Final = {"open": "打开了", "closed": "关好了", "tilted": "翘起来了"}


def done_sentence(to: str, now: float | None, locale: str) -> str:
    """From the position that the car showed as it confirmed; where it showed none, what it confirmed."""
    zh = locale.startswith("zh")
    if now is None or is_at(to, now):
        return f"天窗{_DONE_ZH[to]}。" if zh else f"The sunroof is now {to}."
    return f"天窗{state(now, locale)}。" if zh else f"The sunroof is now {state(now, locale)}."


def already_sentence(to: str, locale: str) -> str:
    if locale.startswith("zh"):
        return f"天窗已经{_DONE_ZH[to]}。"
    return f"The sunroof is already {to}."


DOING: Final = {
    "open": ("open the sunroof", "打开天窗"),
    "closed": ("close the sunroof", "关上天窗"),
    "tilted": ("tilt the sunroof", "翘起天窗"),
}
ASKED: Final = {
    "open": ("the sunroof open", "打开天窗"),
    "closed": ("the sunroof closed", "关上天窗"),
    "tilted": ("the sunroof tilted", "翘起天窗"),
}


# --- what later words may change ----------------------------------------------------------------------------------------------


def _turned(arguments: Arguments) -> Another:
    return SET, {"to": "open" if arguments["to"] == "closed" else "closed"}


def _before(arguments: Arguments, before: Reads) -> tuple[Another, ...]:
    """Where it stood, if that was no place in between."""
    was = position(before)
    return tuple((SET, {"to": to}) for to in POSITIONS if is_at(to, was))


def _other(arguments: Arguments, words: str, read: Reads) -> Another | None:
    found = _way(words.casefold(), language(words, "en") == "zh")
    return (SET, {"to": found[0]}) if found is not None else None


_ALONE: Final = {
    "tilted": (
        r"(?:tilt|vent|tip|prop|pop)(?: (?:it|the back|the rear))?(?: up)?(?: (?:a (?:bit|little)|open|a crack))?|(?:tilted|vented)(?: position)?|(?:the )?(?:back|rear)(?: edge)? up|lift the (?:back|rear)(?: edge)?",
        r"(?:把)?(?:它|后面|后边|后部|后沿)?(?:翘|斜|掀|抬)(?:起来|起|着|开|一下)?(?:一?点|个?缝)?|倾斜(?:着|模式)?",
    ),
    "closed": (r"(?:close|shut) it(?: (?:again|up|fully|completely|properly))?", r"(?:全)?(?:关|合)(?:上|好|严|掉|起来|回去)"),
    "open": (r"open it (?:fully|completely|wide|all the way)|(?:fully|wide) open|all the way open", r"全(?:部)?(?:打)?开|开到底|开全"),
}  # fmt: skip


def _chosen(arguments: Arguments, words: str, zh: bool) -> Another | None:
    return next(((SET, {"to": to}) for to, alone in _ALONE.items() if re.fullmatch(alone[zh], words)), None)


CHANGES: Final = Changes(
    chosen=_chosen,
    state=lambda arguments, on: (SET, {"to": "open" if on else "closed"}),
    turned=_turned,
    undone=_before,
    other=_other,
    frames=lambda arguments, zh: to_open(arguments["to"] != "closed", zh),
)
