"""The windscreen's wipers: words -> a mode, or one step; modes in words. Pure.

A step goes along off, interval, slow, medium, fast; nothing is a step from automatic. Does not know rain, or the policy.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from ridealong.harness.changes import Another, Arguments, Changes, Reads, to_switch
from ridealong.harness.meant import FRAGMENT, Meant
from ridealong.harness.reading import Reading
from ridealong.harness.skill import Context, Match
from ridealong.harness.slots.text import language, plain
from ridealong.proto.types import SignalWrite
from ridealong.vehicle_skills.cabin_signals import WIPERS
from ridealong.vehicle_skills.car import Read, asks, is_recent, text
from ridealong.vehicle_skills.claim import tells
from ridealong.vehicle_skills.like_names import WIPERS_ZH

SET, CHANGE = "wipers.set", "wipers.change"
MODES: Final = {"off": "OFF", "slow": "SLOW", "medium": "MEDIUM", "fast": "FAST", "interval": "INTERVAL", "auto": "RAIN_SENSOR"}
"""As an argument -> as the signal has it."""
_NAMED: Final = {value: name for name, value in MODES.items()}
LADDER: Final = ("off", "interval", "slow", "medium", "fast")

# --- words ---------------------------------------------------------------------------------------------------------------

_THING_EN: Final = r"(?:windscreen |windshield |front )?wipers?|wipe|wiping|(?:windscreen|windshield) wipe|rain sens(?:or|ing)"
_THING_ZH: Final = rf"{WIPERS_ZH}|wiper"
_OTHER_EN: Final = (
    r"blades? (?:are|need)|replace\w*|buy|new|change the blades|fluid|washer|wash|clean|data|disk|drive|phone|memory|wipe (?:my|your|his|her|the (?:table|floor|seat|dashboard|screen|kitchen|dust|slate|board|counter|mirror))|"
    r"nose|face|tears|wipes|baby|arms?|motor|volume|fan|insurance|garage"
)
_OTHER_ZH: Final = r"换|后视镜|雨刮片|雨刷片|买|坏|玻璃水|喷水|修|胶条|多少钱|什么牌|清洗液"
_REAR: Final = re.compile(r"\b(?:rear|back)\b|后(?:面|车?窗|挡|雨)")
_MODES_EN: Final = (
    ("auto", r"auto(?:matic(?:ally)?|matics?)?|rain sens(?:or|ing)|by (?:itself|themselves)|decide(?: themselves)?|on (?:its|their) own"),
    ("interval", r"interval(?:s)?|intermittent(?:ly)?|now and then|every (?:few|now)|on and off"),
    ("off", r"off|stop|stopped|kill|no more|end|disable|deactivate|cease|park"),
    ("slow", r"slow(?:ly|est)?|low(?:est)?|gentle|gently|(?:level|speed|stage|setting|position) (?:one|1)|minimum|min"),
    ("medium", r"medium|normal|mid|middle|moderate|(?:level|speed|stage|setting|position) (?:two|2)|regular"),
    ("fast", r"fast(?:est)?|full(?: speed)?|high(?:est)?|max(?:imum)?|top speed|flat out|(?:level|speed|stage|setting|position) (?:three|3)|quick"),
    ("medium", r"on|start|run|activate|enable|engage|going|need|give|clear|wipe|use"),
)  # fmt: skip
"""The first that is said counts; "on" without more is medium."""
_MODES_ZH: Final = (
    ("auto", r"自动|感应|auto"),
    ("interval", r"间歇|间隔|断断续续|隔一会儿?"),
    ("off", r"关(?:闭|掉|了|上)?|停(?:下来?|止|了|掉)?|别刮|熄|off"),
    ("slow", r"慢(?:速|档|挡|慢)?|低(?:速|档|挡)|最(?:慢|低|小)|[一1][档挡级]"),
    ("medium", r"中(?:速|档|挡|等)|正常|[二2两][档挡级]"),
    ("fast", r"快(?:速|档|挡)|高(?:速|档|挡)|最(?:快|高|大)|[三3][档挡级]|快(?!点|些|一点|一些)"),
    ("medium", r"打开|开启|启动|开|刮(?:一下|两下|刮)?|动起来|on"),
)
_FASTER_EN: Final = (
    r"faster|quicker|speed up|turn up|up (?:a|one) (?:step|notch|bit|speed)|more speed|increase|step up|bump up|higher"
)
_SLOWER_EN: Final = r"slower|slow down|turn down|down (?:a|one) (?:step|notch|bit)|less (?:speed|fast|frantic)|decrease|reduce|step down|ease off|calm down|lower|not so fast|(?:too|that) fast"
_FASTER_ZH: Final = (
    r"(?:再|更)?快(?:一?点|一?些|啲|一档|一级)|加速|加快|(?:加|升|高)一?[档挡级]|调[快高]|提速|太慢|再快|更快|频率再?高|勤"
)
_SLOWER_ZH: Final = r"(?:再|更)?慢(?:一?点|一?些|啲|一档|一级)|减速|减慢|放慢|(?:减|降|低)一?[档挡级]|调[慢低]|降速|太快|再慢|更慢|频率再?低|别那么快|不用.*那么快"
_TAKEN_EN: Final = (
    r"turn|switch|put|windscreen|windshield|front|screen|glass|speed|slow|fast|off|on|start|stop|mode|step|notch|setting|leave|use|keep|level|little|give|run|get|going|need|"
    r"one|two|three|much|raining|rain|full|to|change|clear|kill|wiping"
)
_TAKEN_ZH: Final = r"前面?|挡风玻璃|玻璃|速度|频率|模式|功能|档|挡|级|打开|开启|启动|开|关闭|关掉|关|停|刮|调|设|成|为|换|改|切|速|慢|快|高|低|下雨|雨|大|小|停下|起来|动|稍微|器|自己|一|了"

REAR_QUESTION: Final = {
    "en": "I can only set the wipers of the windscreen. Shall they be slow, medium or fast?",
    "zh": "我只能控制前雨刮。要慢速、中速还是快速？",
}

_ONCE: Final = re.compile(
    r"(?<!at )(?<!all at )\b(?:once|twice)\b(?! (?:it|we|i|the|there|you|they|that))|\b(?:one|two|three|a (?:single|quick|couple of)) (?:times?|wipes?|sweeps?|swipes?)\b|"
    r"\b(?:a|one|another|the odd) (?:quick |single )?(?:go|swipe|sweep|wipe|swish|flick)\b|刮(?:个)?[一两二三几1-3]?[下次遍](?!雨(?!刮|刷))|刮一刮|(?:来|动|摆|扫|走|甩|擦)(?:个)?[一两二三几1-3][下次遍]|(?:来|动|摆|扫)[下]$"
)
"""A wipe or two, and then no more."""
ONCE_QUESTION: Final = {
    "en": "I can't wipe just once or twice. Shall the wipers be slow, medium or fast?",
    "zh": "我没法只刮一两下。雨刮要开慢速、中速还是快速？",
}


_BEHIND: Final = re.compile(
    r"太慢|有点慢|不够快|跟不上|刮不过来|刮不(?:干净|清)|\btoo slow\b|\bnot (?:\w+ )?(?:fast|quick) enough\b|\b(?:can ?not|not) keep(?:ing)? up\b"
)
"""They are too slow."""


def recognise_set(words: str, locale: str, context: Context) -> Match | None:
    reading = _of_wipers(words, locale, context, SET)
    if reading is None or _step(reading.core, reading.zh) is not None:
        return None
    found = _mode(reading.core, reading.zh)
    if found is None or not (reading.zh or _commands(reading.core)):
        return None
    mode, ground = found
    _take(reading, _MODES_ZH if reading.zh else _MODES_EN)
    return _set(mode, ground, plain(words, locale), reading.locale, reading.score(0.93))


def recognise_change(words: str, locale: str, context: Context) -> Match | None:
    reading = _of_wipers(words, locale, context, CHANGE)
    if reading is None:
        return None
    found = _step(reading.core, reading.zh)
    if found is None:
        return None
    faster, ground = found
    reading.take(_FASTER_ZH if reading.zh else _FASTER_EN)
    reading.take(_SLOWER_ZH if reading.zh else _SLOWER_EN)
    _take(reading, ())
    return Match(CHANGE, reading.score(0.93), {"faster": faster}, {"faster": ground})


def _of_wipers(words: str, locale: str, context: Context, capability: str) -> Reading | None:
    reading = Reading(words, locale)
    if tells(reading) or reading.has(_OTHER_ZH if reading.zh else _OTHER_EN):
        return None
    if reading.take(_THING_ZH if reading.zh else _THING_EN) is not None:
        return reading
    if (asks(context, SET) or asks(context, CHANGE)) and capability == SET and len(reading.core.split()) <= 4:
        return reading
    pattern = (
        r"(?:雨刷|雨刮|还是|有点|太|好)*(?:太慢|有点慢|跟不上|刮不过来)了?|(?:再)?刮?(?:快|慢)(?:一?点|一?些)儿?吧?"
        if reading.zh
        else r"(?:a (?:bit|little) |one step )?(?:faster|slower|quicker)(?: still)?"
    )
    said = reading.frame.text if reading.zh else reading.core  # 快点 is also how people hurry somebody
    alone = re.fullmatch(pattern, said)
    if alone is not None and reading.zh:
        reading.core = said
    return reading if alone is not None and is_recent(context, "wipers.") and capability == CHANGE else None


def _take(reading: Reading, modes: tuple[tuple[str, str], ...]) -> None:
    for _, pattern in modes:
        reading.take(pattern)
    reading.take(_TAKEN_ZH if reading.zh else _TAKEN_EN)


_STARTS_EN: Final = re.compile(
    r"(?:turn|switch|put|set|start|stop|run|use|get|give|kill|end|no more|clear|activate|enable|disable|engage|change|leave|let|keep|make|need|want|shut|knock|have|slow|fast|medium|full|low|high|intermittent|"
    r"automatic|auto|interval|wipe|normal|deactivate)\b"
)
_FRAGMENT_EN: Final = re.compile(
    rf"(?:the |my )?(?:{_THING_EN})(?: speed)?(?: (?:to|in|on|at|into|mode|speed|setting|the|a))* (?:on|off|auto\w*|slow|medium|fast|high|low|interval|intermittent|normal|full(?: speed)?|level \w+|speed \w+|max\w*|stop)(?: (?:mode|speed|setting))*"
)


def _commands(core: str) -> bool:
    return _STARTS_EN.match(core) is not None or _FRAGMENT_EN.fullmatch(core) is not None


def _mode(form: str, zh: bool) -> tuple[str, str] | None:
    for mode, pattern in _MODES_ZH if zh else _MODES_EN:
        found = re.search(pattern if zh else rf"\b(?:{pattern})\b", form)
        if found is not None:
            return mode, found.group()
    return None


def _step(form: str, zh: bool) -> tuple[bool, str] | None:
    """(faster?, the words that say so)."""
    if (behind := _BEHIND.search(form)) is not None:
        return True, behind.group()
    for faster, pattern in (
        (False, _SLOWER_ZH if zh else _SLOWER_EN),
        (True, _FASTER_ZH if zh else _FASTER_EN),
    ):
        if zh:
            found = re.search(pattern, form)
        else:
            # "turn the wipers up": the particle behind the thing
            found = re.search(rf"\b(?:{pattern})\b", form)
        if found is not None:
            return faster, found.group()
    if not zh and (
        apart := re.search(
            r"\b(?:speed|slow|turn|step|bump|ease|calm|bring|put)\b.*\b(?P<way>up|down|off a bit|off a little)\b", form
        )
    ):
        return apart["way"] == "up", apart.group()
    return None


def _set(mode: str, ground: str, form: str, locale: str, score: float) -> Match:
    if _REAR.search(form) and mode != "off":
        return Match(SET, score, missing=("mode",), question=REAR_QUESTION[locale])
    if _ONCE.search(form) and mode not in ("off", "auto"):
        return Match(SET, score, missing=("mode",), question=ONCE_QUESTION[locale])
    return Match(SET, score, {"mode": mode}, {"mode": ground})


_OFF_SAID_EN: Final = (
    r"\b(?:off|stop\w*|kill|no|not|end|disable|deactivate|cease|park|enough|without|out|away|down|dry|done|finish\w*|rest)\b"
)
_OFF_SAID_ZH: Final = r"关|停|别|不|熄|收|歇|够|休息|掉(?=了?$)|晴"


def understand_set(meant: Meant) -> tuple[Match, ...]:
    form, locale = meant.form, language(meant.text, meant.locale)
    found = _mode(form, meant.zh)
    if meant.variant in ("off", FRAGMENT) and (behind := _BEHIND.search(form)) is not None:
        return (meant.match(CHANGE, {"faster": True}, {"faster": behind.group()}),)
    if meant.variant == FRAGMENT:
        return (_set(*found, form, locale, meant.share),) if found is not None else ()
    if meant.variant == "off" and not re.search(_OFF_SAID_ZH if meant.zh else _OFF_SAID_EN, form):
        return ()  # 掉雨点了 tells
    if meant.variant in ("off", "auto"):
        return (_set(meant.variant, form, form, locale, meant.share),)
    speeds = [mode for mode, _ in (found,) if mode in ("slow", "medium", "fast", "interval")] if found is not None else []
    mode, ground = (speeds[0], found[1]) if speeds and found is not None else ("medium", form)
    return (_set(mode, ground, form, locale, meant.share),)


_AIMS: Final = re.compile(r"\b(?:to|on|at) (?:the )?(?:slow|medium|fast|low|high|max\w*)|[慢中快低高](?:速|档|挡)")
"""A speed that is to be, and no step: "wipers to slow"."""


_DRIZZLE: Final = re.compile(r"\b(?:drizzl\w+|light rain|few drops|spitting)\b|毛毛雨|小雨|几滴|雨点")


def understand_change(meant: Meant) -> tuple[Match, ...]:
    if meant.variant == "faster" and _DRIZZLE.search(meant.form) and _step(meant.form, meant.zh) is None:
        return ()  # told, and no reason to hurry
    if meant.variant != FRAGMENT and _ONCE.search(meant.form):
        return (Match(SET, meant.share, missing=("mode",), question=ONCE_QUESTION[language(meant.text, meant.locale)]),)
    if meant.variant == FRAGMENT:
        said = _step(meant.form, meant.zh)
        return (meant.match(CHANGE, {"faster": said[0]}, {"faster": said[1]}),) if said is not None else understand_set(meant)
    if _AIMS.search(meant.form) and _step(meant.form, meant.zh) is None and _mode(meant.form, meant.zh) is not None:
        return understand_set(replace(meant, variant=""))
    return (meant.match(CHANGE, {"faster": meant.variant == "faster"}, {"faster": meant.form}),)


# --- the wipers, and their mode in words ------------------------------------------------------------------------------------


def mode_now(read: Read) -> str | None:
    value = text(read, WIPERS)
    return _NAMED.get(value) if value is not None else None


def stepped(now: str, faster: bool) -> str | None:
    """The next mode; None where there is none that way, or no next one (automatic)."""
    if now not in LADDER:
        return None
    if now == "off":
        return "slow" if faster else None
    place = LADDER.index(now) + (1 if faster else -1)
    return LADDER[place] if 1 <= place < len(LADDER) else None


def writes(mode: str) -> tuple[SignalWrite, ...]:
    return (SignalWrite(WIPERS, MODES[mode]),)


_STATES: Final = {
    "off": ("off", "关着", "关上了"), "slow": ("on slow", "慢速", "已调到慢速"), "medium": ("on medium", "中速", "已调到中速"),
    "fast": ("on fast", "快速", "已调到快速"), "interval": ("on interval", "间歇", "已调到间歇"), "auto": ("on automatic", "自动", "已调到自动"),
}  # fmt: skip


def state(mode: str, locale: str) -> str:
    return _STATES[mode][1] if locale.startswith("zh") else _STATES[mode][0]


def state_of(value: object, locale: str) -> str:
    """Of the signal's value; "" where it is none that we know."""
    mode = _NAMED.get(value) if isinstance(value, str) else None
    return state(mode, locale) if mode is not None else ""


def done_sentence(value: object, locale: str) -> str:
    mode = _NAMED.get(value) if isinstance(value, str) else None
    if mode is None:
        return "雨刮已设好。" if locale.startswith("zh") else "The wipers are set."
    return f"雨刮{_STATES[mode][2]}。" if locale.startswith("zh") else f"The wipers are {_STATES[mode][0]}."


def already_sentence(mode: str, locale: str) -> str:
    if locale.startswith("zh"):
        return f"雨刮已经{'关着' if mode == 'off' else '是' + _STATES[mode][1]}了。"
    return f"The wipers are already {_STATES[mode][0]}."


def doing(mode: str) -> tuple[str, str]:
    if mode == "off":
        return "switch the wipers off", "关雨刮"
    return f"put the wipers {_STATES[mode][0]}", f"把雨刮调到{_STATES[mode][1]}"


# --- what later words may change ----------------------------------------------------------------------------------------------


def _before(arguments: Arguments, before: Reads) -> tuple[Another, ...]:
    was = mode_now(before)
    return ((SET, {"mode": was}),) if was is not None else ()


def _other(arguments: Arguments, words: str, read: Reads) -> Another | None:
    found = _mode(words.casefold(), language(words, "en") == "zh")
    return (SET, {"mode": found[0]}) if found is not None else None


_SENSOR_EN: Final = r"(?:let|leave)(?: it to)? (?:the )?(?:(?:rain )?sensors?|car|them|it)(?: (?:do|handle|decide|take|choose|manage|sort|control|work)\b(?: (?:it|that|them|this|over|out|the wipers|itself|themselves|on its own))*)?|by (?:itself|themselves)|(?:do (?:it|that) )?(?:by|with|on|off|from|using) the (?:rain )?sensors?"
_SENSOR_ZH: Final = r"(?:让|交给|靠|由)?(?:雨量?|自动)?(?:传感器|感应器?|它|雨刮|雨刷|车)(?:自己|自动)?(?:来|调|判断|控制|管|处理|决定|看着办|弄|工作)(?:整)?|自己(?:来|调|判断|看着办)|感应"


def _chosen(arguments: Arguments, words: str, zh: bool) -> Another | None:
    """A mode and nothing else: "automatic", "let the sensor do it", 慢档."""
    if re.fullmatch(_SENSOR_ZH if zh else _SENSOR_EN, words):
        return SET, {"mode": "auto"}
    for mode, pattern in (_MODES_ZH if zh else _MODES_EN)[:-1]:
        alone = (
            rf"(?:开|挂|到)?(?:{pattern})(?:模式|档|挡|的|刮)?"
            if zh
            else rf"(?:on |to |at |in |run )?(?:the )?(?:{pattern})(?: speed| setting| mode| one)?"
        )
        if mode != "off" and re.fullmatch(alone, words):
            return SET, {"mode": mode}
    return None


def _state(arguments: Arguments, on: bool) -> Another:
    return SET, {"mode": "medium" if on else "off"}


def _stepped(arguments: Arguments, up: bool) -> Another | None:
    """ "Up one", 大一点: faster. None of wipers that are off."""
    return (CHANGE, {"faster": up}) if arguments.get("mode") != "off" else None


SETTING: Final = Changes(
    state=_state,
    stepped=_stepped,
    turned=lambda arguments: _state(arguments, arguments["mode"] == "off"),
    undone=_before,
    other=_other,
    chosen=_chosen,
    frames=lambda arguments, zh: to_switch(arguments["mode"] != "off", zh),
)
STEP: Final = Changes(
    state=_state,
    stepped=_stepped,
    turned=lambda arguments: (CHANGE, {"faster": arguments["faster"] is not True}),
    undone=_before,
    other=_other,
    chosen=_chosen,
)
