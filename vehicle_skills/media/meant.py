"""Music: a stretch that asks for it -> calls. Pure.

What is wanted is in the label; how much, and which source, is read from the words. Does not know the car.
"""

from __future__ import annotations

import re
from typing import Final

from ridealong.harness.meant import FRAGMENT, Meant
from ridealong.harness.skill import Match
from ridealong.vehicle_skills.car import recent_argument
from ridealong.vehicle_skills.media.plan import RANGE, spoken_of
from ridealong.vehicle_skills.media.words import (
    CHANGE,
    MUTE,
    NO_SOURCE,
    SET,
    SOURCE,
    THING_EN,
    THING_ZH,
    TRANSPORT,
    beyond,
    level_said,
    source_named,
    step_said,
)

HOW_LOUD: Final = ("How loud, in percent?", "音量调到百分之多少？")
WHICH: Final = ("Which source: FM, AM, DAB, Bluetooth, USB, CD, AUX or internet radio?", "切到哪个音源？")
NOT_THERE: Final = (
    "I have no such source. I know FM, AM, DAB, Bluetooth, USB, CD, AUX and internet radio. Which one?",
    "没有这个音源。有调频、调幅、数字广播、蓝牙、USB、CD、外接和网络电台，要哪一个？",
)
_OWN_VOICE: Final = re.compile(
    r"\b(?:your voice|you(?: are| sound)? (?:too|so) (?:loud|quiet)|speak (?:up|louder|softer)|talk (?:louder|softer))\b(?!.*\b(?:music|radio|volume)\b)|你(?:的声音|说话|小声|大声)"
)
_AIM: Final = re.compile(r"\b(?:to|at) (?=\d|\w)|(?:到|成|为|至)(?=[\d一二两三四五六七八九十百最])")


def set_volume(meant: Meant) -> tuple[Match, ...]:
    said = level_said(meant.form, meant.zh)
    if said is None:
        question = RANGE if beyond(meant.form, meant.zh) else HOW_LOUD
        return () if meant.variant == FRAGMENT else (meant.asks(SET, "level", *question),)
    return (meant.match(SET, {"level": said[0]}, {"level": said[1]}),)


def change_volume(meant: Meant) -> tuple[Match, ...]:
    if _OWN_VOICE.search(meant.form) or (_OTHER_VOICE.search(meant.form) and _MUSIC.search(meant.form) is None):
        return ()
    if meant.variant == FRAGMENT:
        before = recent_argument(meant.context, CHANGE, "delta")
        return (meant.match(CHANGE, {"delta": before}, {"delta": "context:recent"}),) if isinstance(before, int) else ()
    named = re.search(THING_ZH if meant.zh else rf"\b(?:{THING_EN}|louder|hear)\b", meant.form) is not None
    if not named and spoken_of(meant.context) is False and not re.search(r"声|响|吵|\bloud", meant.form):
        return ()  # up and down of what was spoken of last
    if _AIM.search(meant.form) and (said := level_said(meant.form, meant.zh)) is not None and said[1] != meant.form:
        return (meant.match(SET, {"level": said[0]}, {"level": said[1]}),)
    step = step_said(meant.form, meant.zh)
    return (meant.match(CHANGE, {"delta": step if meant.variant == "up" else -step}, {"delta": meant.form}),)


_OTHER_VOICE: Final = re.compile(
    r"\b(?:yourself|your ?self|your voice|nav(?:igation|igator)?|sat ?nav|gps|guidance|directions|mic(?:rophone)?|notifications?|(?:cell |mobile |smart)?phones?|mobile|handset|calls?|caller|ring ?(?:er|tone)s?|alarms?|timers?|reminders?|texts?|messages?|tablet|ipad|laptop|watch|kids?|children|baby|wife|husband|boys?|girls?|dog|him|her|them|yourselves|engine|indicators?|chimes?|beeps?|beeping|warnings?|sensors?|tv|horn|wipers?|windows?)\b|导航|地图|你自己|你的?声音|麦克风|话筒|通知|手机|电话|通话|来电|铃声|闹钟|闹铃|提醒|提示音|短信|微信|消息|平板|电脑|手表|孩子|小孩|老婆|老公|电视|雷达|报警|蜂鸣|转向"
)
"""Whose sound is no music's, where none is named."""
_MUSIC: Final = re.compile(r"\b(?:music|radio|song|everything)\b|音乐|收音机|歌|全部")

_CUT_OFF: Final = re.compile(r"\b(?:the|my|our|your)$")
"""The thing itself stands behind these words, and asks for something else."""


def mute(meant: Meant) -> tuple[Match, ...]:
    if (
        meant.variant == FRAGMENT
        or _CUT_OFF.search(meant.form)
        or (_OTHER_VOICE.search(meant.form) and _MUSIC.search(meant.form) is None)
    ):
        return ()
    return (meant.match(MUTE, {"on": meant.variant == "on"}, {"on": meant.form}),)


_PROGRAMME_ZH: Final = re.compile(r"(?:给|替|帮)(?:他|她|它)")


_AS_IT_WAS: Final = re.compile(r"\b(?:what|how|where|as) it was\b|\bit back\b|原来|原样|调回|改回")
"""Something is to be undone, whatever it was."""


def transport(meant: Meant) -> tuple[Match, ...]:
    if meant.variant == FRAGMENT or _PROGRAMME_ZH.search(meant.form) or _AS_IT_WAS.search(meant.form):
        return ()
    return (meant.match(TRANSPORT, {"action": meant.variant}, {"action": meant.form}),)


def source(meant: Meant) -> tuple[Match, ...]:
    named = source_named(meant.form, meant.zh)
    if named is not None and (named[1] not in ("radio", "stick") or NO_SOURCE.search(meant.form) is None):
        return (meant.match(SOURCE, {"source": named[0]}, {"source": named[1]}),)
    if meant.variant == FRAGMENT:
        return ()
    return (meant.asks(SOURCE, "source", *(NOT_THERE if NO_SOURCE.search(meant.form) else WHICH)),)


def playing(meant: Meant) -> tuple[Match, ...]:
    return () if meant.variant == FRAGMENT else (meant.match("status.playing", {}, {}),)


def volume(meant: Meant) -> tuple[Match, ...]:
    return () if meant.variant == FRAGMENT else (meant.match("status.volume", {}, {}),)
