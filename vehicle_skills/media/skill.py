"""Music skills: how loud, mute, play and stop, next and previous, from which source; and what is playing, how loud.

VSS has no leaf for muting: the volume is set to 0, and unmuting puts back the volume that the car showed before. It has no PAUSE either: pause is STOP, and
what is said is that the music has stopped. Does not know how words are understood (plan.py, playing.py, meant.py), or how loud the assistant itself speaks: that is the
device's.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from ridealong.harness.skill import Call, Motion, Outcome, Recent, Risk, Skill, Spoken, skill
from ridealong.harness.slots import render
from ridealong.harness.telling import ask, concluded, refused, say
from ridealong.proto.types import ActuationResult, SignalValue, SignalWrite
from ridealong.vehicle_skills.bare_thing import also_plain
from ridealong.vehicle_skills.cabin_signals import MEDIA_ALBUM, MEDIA_ARTIST, MEDIA_SOURCE, MEDIA_TRACK
from ridealong.vehicle_skills.car import Read, integer, number, observed, text
from ridealong.vehicle_skills.holding import Noted
from ridealong.vehicle_skills.media import changes, meant, plan, playing
from ridealong.vehicle_skills.media.words import CHANGE, MUTE, PLAYING, SET, SOURCE, THING_EN, THING_ZH, TRANSPORT, VOLUME
from ridealong.vehicle_skills.signals import MEDIA_ACTION, MEDIA_VOLUME

GROUP: Final = "media"
CONFIRM_MS: Final = 5_000
AGAIN_PERCENT: Final = 20
"""What unmuting sets where nobody knows how loud it was."""
ACTIONS: Final = {"play": "PLAY", "pause": "STOP", "next": "SKIP_FORWARD", "previous": "SKIP_BACKWARD"}
SOURCES: Final = ("am", "fm", "dab", "cd", "aux", "usb", "bluetooth", "internet")
_NAMES: Final = {
    "AM": ("AM radio", "调幅广播"), "FM": ("FM radio", "调频广播"), "DAB": ("digital radio", "数字广播"), "CD": ("the CD", "CD"), "AUX": ("the AUX input", "外接输入"),
    "USB": ("USB", "USB"), "BLUETOOTH": ("Bluetooth", "蓝牙"), "INTERNET": ("internet radio", "网络电台"), "SIRIUS_XM": ("satellite radio", "卫星广播"), "TV": ("television", "电视"),
    "DVD": ("the DVD", "DVD"), "DISK": ("the disk", "硬盘"),
}  # fmt: skip
_STATIONS: Final = ("AM", "FM", "DAB", "INTERNET", "SIRIUS_XM", "TV")


def plays(read: Read) -> bool | None:
    """Something is played; None where the car does not say. A player that skips plays."""
    action = text(read, MEDIA_ACTION)
    return None if action in (None, "UNKNOWN") else action != "STOP"


def _no_arguments() -> dict[str, object]:
    return {"type": "object", "properties": {}, "required": [], "additionalProperties": False}


def _one(name: str, entry: dict[str, object]) -> dict[str, object]:
    return {"type": "object", "properties": {name: entry}, "required": [name], "additionalProperties": False}


# --- how loud --------------------------------------------------------------------------------------------------------


async def _to_level(call: Call, level: int, *, done: tuple[str, str] | None = None) -> Spoken:
    """`done`: what is said of a confirmed change, with {} for the volume that the car shows."""
    locale, read = call.locale, call.signals.read
    asked = render.percent(level, locale)
    doing = (f"set the volume to {asked}", f"把音量调到{asked}")
    verdict = call.signals.check(GROUP, call.confirmation)
    if not verdict.allowed:
        return refused(verdict.reason, *doing, locale)
    now = number(read, MEDIA_VOLUME)
    if now is not None and round(now) == level:
        return Spoken(say(f"The volume is already at {asked}.", f"音量已经是{asked}了。", locale))
    writes = (SignalWrite(MEDIA_VOLUME, level),)
    result = await call.signals.actuate(writes, group=GROUP, confirmation=call.confirmation, confirm_within_ms=CONFIRM_MS)
    seen = observed(result, MEDIA_VOLUME, read)
    shows = render.percent(seen, locale) if seen is not None else ""
    english, chinese = done or ("The volume is at {}.", "音量已调到{}。")
    told = say(english, chinese, locale).format(shows or asked)
    return concluded(result, done=told, asked=asked, shows=shows, doing_en=doing[0], doing_zh=doing[1], locale=locale)


@skill(
    SET,
    description="Set the volume of the music or radio to a value.",
    group=GROUP,
    recognise=plan.recognise_set,
    doubts=also_plain(),
    understand=meant.set_volume,
    changes=changes.LEVEL,
    arguments_schema=_one("level", {"type": "integer", "minimum": 0, "maximum": 100, "description": "percent"}),
    examples={
        "en": ("Set the volume to forty percent.", "Turn the music up to 60.", "Put the volume on maximum."),
        "zh": ("音量调到百分之四十。", "把声音开到最大。", "音量调到三十。"),
    },
    actuates=(MEDIA_VOLUME,),
    risk=Risk.COMFORT,
    motion=Motion.ANY,
    doing={"en": "set the volume", "zh": "调音量"},
    reads=(MEDIA_VOLUME,),
    rehearsable=True,
)
async def set_volume(call: Call) -> Spoken:
    return await _to_level(call, integer(call.arguments, "level"))


@skill(
    CHANGE,
    description="Make the music or radio louder or softer. Default step 10.",
    group=GROUP,
    recognise=plan.recognise_change,
    doubts=also_plain(),
    understand=meant.change_volume,
    changes=changes.DELTA,
    arguments_schema=_one("delta", {"type": "integer", "minimum": -100, "maximum": 100, "description": "percent points"}),
    examples={
        "en": ("Turn the music up a bit.", "Lower the volume.", "Louder, please."),
        "zh": ("音量大一点。", "把音乐调小一点。", "大声一点。"),
    },
    actuates=(MEDIA_VOLUME,),
    risk=Risk.COMFORT,
    motion=Motion.ANY,
    doing={"en": "change the volume", "zh": "调音量"},
    reads=(MEDIA_VOLUME, MEDIA_ACTION),
    rehearsable=True,
)
async def change_volume(call: Call) -> Spoken:
    locale, read = call.locale, call.signals.read
    if plays(read) is False and not _names_music(call.words or call.request):
        text_ = say(
            "Nothing is playing. How loud I speak is set on the device.", "现在没有在播放。我说话的音量要在设备上调。", locale
        )
        return Spoken(text_, Outcome.REFUSED, "nothing_playing")
    now = number(read, MEDIA_VOLUME)
    if now is None:
        return ask(
            "I don't know how loud it is now. How many percent would you like?",
            "我不知道现在的音量。要调到百分之多少？",
            locale,
            "unknown_setting",
        )
    delta = integer(call.arguments, "delta")
    if (now >= 100 and delta > 0) or (now <= 0 and delta < 0):
        return Spoken(
            say("It's as loud as it goes.", "音量已经最大了。", locale)
            if delta > 0
            else say("The sound is already off.", "已经没有声音了。", locale)
        )
    return await _to_level(call, min(max(round(now) + delta, 0), 100))


def _names_music(words: str) -> bool:
    return re.search(rf"\b(?:{THING_EN})\b|{THING_ZH}", words.casefold()) is not None


@skill(
    MUTE,
    description="Mute, or unmute, the music or radio.",
    group=GROUP,
    recognise=plan.recognise_mute,
    understand=meant.mute,
    changes=changes.MUTED,
    arguments_schema=_one("on", {"type": "boolean", "description": "true: muted"}),
    examples={"en": ("Mute the music.", "Unmute.", "Turn the sound off."), "zh": ("静音。", "取消静音。", "把声音关了。")},
    actuates=(MEDIA_VOLUME,),
    risk=Risk.COMFORT,
    motion=Motion.ANY,
    doing={"en": "mute the sound", "zh": "静音"},
    reads=(MEDIA_VOLUME,),
    rehearsable=True,
)
async def mute(call: Call) -> Spoken:
    now, locale = number(call.signals.read, MEDIA_VOLUME), call.locale
    if call.arguments["on"] is True:
        if now == 0:
            return Spoken(say("The sound is already off.", "已经是静音了。", locale))
        return await _to_level(call, 0, done=("The sound is off.", "已静音。"))
    if now is not None and now > 0:
        at = render.percent(now, locale)
        return Spoken(say(f"The sound is on, at {at}.", f"声音开着，音量{at}。", locale))
    before = _loud_before(call.recent)
    if before is None:
        english, chinese = (
            "The volume is at {}; I don't know how loud it was before.",
            "音量已调到{}，我不知道之前是多少。",
        )
        return await _to_level(call, AGAIN_PERCENT, done=(english, chinese))
    return await _to_level(call, before, done=("The sound is back, at {}.", "声音恢复了，音量{}。"))


def _loud_before(recent: Iterable[Recent]) -> int | None:
    """The volume that the car showed last, as it was above 0."""
    for one in recent:
        value = number(one.before.get, MEDIA_VOLUME)
        if value is not None and value > 0:
            return round(value)
    return None


# --- what is played --------------------------------------------------------------------------------------------------

_TOLD: Final = {
    "play": (("The music is playing.", "音乐开始播放了。"), ("the music to play", "播放音乐"), ("play the music", "播放音乐")),
    "pause": (("I've stopped the music.", "音乐停了。"), ("the music to stop", "停止音乐"), ("stop the music", "停止音乐")),
    "next": (("On to the next {0}.", "已切到下一{1}。"), ("the next {0}", "下一{1}"), ("skip to the next {0}", "切到下一{1}")),
    "previous": (("Back to the previous {0}.", "已回到上一{1}。"), ("the previous {0}", "上一{1}"), ("go back to the previous {0}", "回到上一{1}")),
}  # fmt: skip


@skill(
    TRANSPORT,
    description="Play, pause, next or previous track or station.",
    group=GROUP,
    recognise=playing.recognise_transport,
    understand=meant.transport,
    changes=changes.ACTION,
    arguments_schema=_one("action", {"type": "string", "enum": list(ACTIONS)}),
    examples={
        "en": ("Play some music.", "Stop the music.", "Next song.", "Go back to the previous track."),
        "zh": ("播放音乐。", "把音乐停了。", "下一首。", "回到上一首。"),
    },
    actuates=(MEDIA_ACTION,),
    risk=Risk.COMFORT,
    motion=Motion.ANY,
    doing={"en": "do that with the music", "zh": "控制播放"},
    reads=(MEDIA_ACTION, MEDIA_SOURCE),
    rehearsable=True,
)
async def transport(call: Call) -> Spoken:
    action, locale, read = str(call.arguments["action"]), call.locale, call.signals.read
    what = ("station", "个台") if text(read, MEDIA_SOURCE) in _STATIONS else ("track", "首")
    done, asked, doing = ([part.format(*what) for part in pair] for pair in _TOLD[action])
    verdict = call.signals.check(GROUP, call.confirmation)
    if not verdict.allowed:
        return refused(verdict.reason, doing[0], doing[1], locale)
    now = plays(read)
    if text(read, MEDIA_ACTION) == ACTIONS[action] and action in ("next", "previous"):
        done = [f"I've asked for {asked[0]}.", f"已请求{asked[1]}。"]  # the leaf shows the last skip: it can't show this one
    if action == "play" and now is True:
        return Spoken(say("It's already playing.", "已经在播放了。", locale))
    if action == "pause" and now is False:
        return Spoken(say("Nothing is playing.", "现在没有在播放。", locale))
    result = await call.signals.actuate(
        (SignalWrite(MEDIA_ACTION, ACTIONS[action]),), group=GROUP, confirmation=call.confirmation, confirm_within_ms=CONFIRM_MS
    )
    shown = {True: say("that it plays", "正在播放", locale), False: say("that it has stopped", "已停止", locale), None: ""}
    return concluded(
        result, done=say(done[0], done[1], locale), asked=say(asked[0], asked[1], locale), shows=shown[plays(read)],
        doing_en=doing[0], doing_zh=doing[1], locale=locale,
    )  # fmt: skip


@skill(
    SOURCE,
    description="Switch to another source of music.",
    group=GROUP,
    recognise=playing.recognise_source,
    understand=meant.source,
    changes=changes.FROM,
    arguments_schema=_one("source", {"type": "string", "enum": list(SOURCES)}),
    examples={
        "en": ("Switch to Bluetooth.", "Change the source to FM.", "Play from the USB stick."),
        "zh": ("切换到蓝牙。", "换成FM。", "播放源选USB。"),
    },
    actuates=(MEDIA_SOURCE, MEDIA_ACTION),
    risk=Risk.COMFORT,
    motion=Motion.ANY,
    doing={"en": "switch the source", "zh": "切换音源"},
    reads=(MEDIA_SOURCE, MEDIA_ACTION),
    rehearsable=True,
)
async def switch_source(call: Call) -> Spoken:
    value, locale, read = str(call.arguments["source"]).upper(), call.locale, call.signals.read
    english, chinese = _NAMES[value]
    doing = (f"switch to {english}", f"切换到{chinese}")
    verdict = call.signals.check(GROUP, call.confirmation)
    if not verdict.allowed:
        return refused(verdict.reason, *doing, locale)
    there, still = text(read, MEDIA_SOURCE) == value, plays(read) is False
    if there and not still:
        return Spoken(say(f"It's already on {english}.", f"已经是{chinese}了。", locale))
    writes = (() if there else (SignalWrite(MEDIA_SOURCE, value),)) + ((SignalWrite(MEDIA_ACTION, "PLAY"),) if still else ())
    result = await call.signals.actuate(writes, group=GROUP, confirmation=call.confirmation, confirm_within_ms=CONFIRM_MS)
    seen = _shown_source(result) or value
    done = say(f"Switched to {_named(seen)[0]}.", f"已切换到{_named(seen)[1]}。", locale)
    if there:
        done = say(f"Playing from {english}.", f"开始播放{chinese}。", locale)
    now = text(read, MEDIA_SOURCE)
    shows = say(*_named(now), locale) if now is not None else ""
    return concluded(
        result, done=done, asked=say(english, chinese, locale), shows=shows, doing_en=doing[0], doing_zh=doing[1], locale=locale
    )


def _shown_source(result: ActuationResult) -> str | None:
    value: SignalValue | None = next((seen.value for seen in result.observed if seen.path == MEDIA_SOURCE), None)
    return value if isinstance(value, str) else None


def _named(source: str) -> tuple[str, str]:
    return _NAMES.get(source, (f"the source {source.lower().replace('_', ' ')}", f"音源{source}"))


# --- what is known of it ---------------------------------------------------------------------------------------------


@skill(
    PLAYING,
    description="Say what is playing, and from which source.",
    group="status",
    recognise=playing.recognise_playing,
    understand=meant.playing,
    arguments_schema=_no_arguments(),
    examples={"en": ("What's playing?", "What song is this?"), "zh": ("现在放的是什么歌？", "这首歌叫什么？")},
    reads=(MEDIA_ACTION, MEDIA_SOURCE, MEDIA_TRACK, MEDIA_ARTIST, MEDIA_ALBUM),
    timeout_ms=5_000,
    rehearsable=True,
    renewable=True,
)
async def what_plays(call: Call) -> Spoken:
    verdict = call.signals.check("status", call.confirmation)
    if not verdict.allowed:
        return refused(verdict.reason, "read that", "读取这个信息", call.locale)
    read = Noted(call.signals.read)
    return Spoken(playing_sentence(read, call.locale), holds=read.holds())


def playing_sentence(read: Read, locale: str) -> str:
    """What the car shows of title, artist and source; that nothing is playing, or that it does not say."""
    if plays(read) is False:
        return say("Nothing is playing.", "现在没有在播放。", locale)
    track, artist, album, source = (
        (text(read, path) or "").strip() for path in (MEDIA_TRACK, MEDIA_ARTIST, MEDIA_ALBUM, MEDIA_SOURCE)
    )
    known = source if source not in ("", "UNKNOWN") else ""
    english, chinese = _named(known) if known else ("", "")
    if track:
        by = f" by {artist}" if artist else f" from {album}" if album else ""
        zh_by = f"{artist}的" if artist else ""
        on = f", from {english}" if english else ""
        return say(f"This is {track}{by}{on}.", f"现在放的是{zh_by}{track}{f'，音源是{chinese}' if chinese else ''}。", locale)
    if known:
        return say(
            f"{english[0].upper()}{english[1:]}; the car doesn't show a title.", f"现在是{chinese}，车上没有显示曲名。", locale
        )
    return say("The car doesn't show what is playing.", "车上没有显示在放什么。", locale)


@skill(
    VOLUME,
    description="Say how loud the music is.",
    group="status",
    recognise=playing.recognise_volume,
    understand=meant.volume,
    arguments_schema=_no_arguments(),
    examples={"en": ("What's the volume?", "How loud is the music?"), "zh": ("现在音量多少？", "查一下当前音量。")},
    reads=(MEDIA_VOLUME,),
    timeout_ms=5_000,
    rehearsable=True,
    renewable=True,
)
async def how_loud(call: Call) -> Spoken:
    verdict = call.signals.check("status", call.confirmation)
    if not verdict.allowed:
        return refused(verdict.reason, "read that", "读取这个信息", call.locale)
    read = Noted(call.signals.read)
    value = number(read, MEDIA_VOLUME)
    if value is None:
        return Spoken(say("I have no reading of the volume.", "我没有音量的读数。", call.locale), holds=read.holds())
    at = render.percent(value, call.locale)
    told = (
        say(f"The volume is at {at}.", f"音量是{at}。", call.locale)
        if value > 0
        else say("The sound is off.", "声音关着。", call.locale)
    )
    return Spoken(told, holds=read.holds())


SKILLS: Final[tuple[Skill, ...]] = (set_volume, change_volume, mute, transport, switch_source, what_plays, how_loud)
