"""By so much, with a verb: "add five minutes to the timer", "knock two degrees off", "give me ten more percent", 给计时器加五分钟, 缩短十分钟. Closed
patterns over the whole sentence, its numbers as "#". Pure.

Does not know what it is by so much of: following.py finds that by the unit, skills/work.py among the timers that run.
"""

from __future__ import annotations

import re
from typing import Final

from ridealong.harness.follow_said import Sense

_TIMER_EN: Final = r"(?:the|my|this|that|our) (?:\w+ ){0,3}?(?:timer|alarm|countdown|reminder|clock)"
_THE_EN: Final = rf"(?:it|that|this|the (?:time|total|length|one)|{_TIMER_EN})"
_MORE: Final = r"(?:another|an extra|an additional|a further|extra)"
_BY_EN: Final = (
    (Sense.MORE, rf"(?:add|put|stick|chuck|tack|whack|bung)(?: on)?(?: {_MORE})? #(?: (?:more|extra|on))*(?: (?:to|on|onto) {_THE_EN})?"),
    (Sense.MORE, rf"(?:give (?:it|me|us|{_TIMER_EN})|(?:i|we) (?:need|could do with|could use))(?: {_MORE} #| # (?:more|longer|extra))(?: on {_THE_EN})?"),
    (Sense.MORE, rf"(?:extend|lengthen|prolong|increase) {_THE_EN}(?: by)?(?: {_MORE})? #(?: more)?"),
    (Sense.MORE, rf"(?:make|let|keep|have|leave) {_THE_EN}(?: (?:run|go|going|last|running|on))?(?: for)?(?: {_MORE})? # (?:longer|more)"),
    (Sense.MORE, rf"(?:{_TIMER_EN} )(?:needs )?(?:{_MORE} #|# (?:longer|more))"),
    (Sense.MORE, rf"(?:push|put|move) (?:{_THE_EN} back|back {_THE_EN})(?: by)? #"),
    (Sense.LESS, rf"(?:take|knock|shave|cut|drop|subtract|deduct|lop|trim|remove|lose|strip) #(?: (?:off|away|from|out of|off of))*(?: {_THE_EN})?"),
    (Sense.LESS, rf"(?:shorten|reduce|cut|decrease|trim) {_THE_EN}(?: down)?(?: by)? #"),
    (Sense.LESS, rf"(?:make|have|keep) {_THE_EN} # (?:shorter|less)"),
    (Sense.LESS, rf"# (?:off|less on|less for) {_THE_EN}"),
    (Sense.MORE, rf"(?:# (?:more|extra|longer) (?:on|for|to)|(?:{_MORE}) # (?:on|for)) {_THE_EN}"),
)  # fmt: skip
_TIMER_ZH: Final = r"(?:(?:那|这)个|我的)?(?:计时器?|倒计时|闹钟|定时器?|提醒)(?:的?时间|的?时长)?"
_THE_ZH: Final = rf"(?:给|把|将|让|帮我?|请)*(?:{_TIMER_ZH}|它|时间)?(?:给我|帮我|再|往后|往前|就)*"
_BY_ZH: Final = (
    (Sense.MORE, rf"{_THE_ZH}(?:延长|加长|延后|推迟|增加|多加|加|多给|多|续|延|(?<=再)给)(?:上|个|了|我|它)?#(?:吧)?"),
    (Sense.LESS, rf"{_THE_ZH}(?:缩短|减少|减掉|减去|减短|提前|扣掉|去掉|少掉|减|少|扣)(?:上|个|了)?#(?:吧)?"),
)  # fmt: skip
_ONLY_TIME_EN: Final = re.compile(r"\b(?:timer|alarm|countdown|reminder|clock|longer|shorter|lengthen|prolong|extend|shorten)\b")
_ONLY_TIME_ZH: Final = re.compile(r"计时|闹钟|定时|提醒|时间|延|缩短|推迟|提前|长|短")
_COUNTED_EN: Final = re.compile(
    r"\b(more|extra|less|fewer) (?=(?:seconds?|secs?|minutes?|mins?|hours?|hrs?|degrees?|percent|notch(?:es)?|steps?)\b)"
)


def in_order(core: str) -> str:
    """ "Five more minutes" as "five minutes more", "another minute" as "a minute more"."""
    core = re.sub(r"\banother (second|minute|hour)\b", r"a \1 more", core)
    core = re.sub(r"\ba couple(?: of)?(?= (?:more |extra )?(?:seconds|minutes|hours)\b)", "two", core)
    found = _COUNTED_EN.search(core)
    if found is None or not core[: found.start()].strip():
        return core
    begin, end = found.span()
    unit = re.match(r"\w+", core[end:])
    assert unit is not None
    return f"{core[:begin]}{unit.group()} {found.group(1)}{core[end + unit.end() :]}"


def by_so_much(masked: str, zh: bool) -> tuple[Sense, str] | None:
    """Which way, and what alone it fits (follow_said.Step.of)."""
    patterns, only_time = (_BY_ZH, _ONLY_TIME_ZH) if zh else (_BY_EN, _ONLY_TIME_EN)
    for sense, pattern in patterns:
        if re.fullmatch(pattern, masked.strip()):
            return sense, "time" if only_time.search(masked) else ""
    return None


def names_a_timer(text: str) -> bool:
    return re.search(r"\b(?:timer|alarm|countdown|reminder)\b|计时|闹钟|定时器|提醒", text) is not None
