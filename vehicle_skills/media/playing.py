"""Music: play, stop, next and previous, another source, and what is playing: words -> arguments, by grammar. Pure.

"Stop" alone is not the music's: it silences the assistant. "The next one" is the music's where that was spoken of last, or plays. Does not know the car, or
what becomes of a call (skill.py).
"""

from __future__ import annotations

import re
from typing import Final

from ridealong.harness.reading import Reading
from ridealong.harness.skill import Context, Match
from ridealong.vehicle_skills.car import asks, text
from ridealong.vehicle_skills.media.plan import other_thing, spoken_of
from ridealong.vehicle_skills.media.words import (
    MUSIC_EN,
    MUSIC_ZH,
    NO_SOURCE,
    PLAYING,
    SOURCE,
    THING_EN,
    TRANSPORT,
    VOLUME,
    source_named,
)
from ridealong.vehicle_skills.signals import MEDIA_ACTION

_SPARE_EN: Final = r"to|at|on|a|the|of|set|turn|put|make|change|bring|keep|take|want|give|get|have|only|my|please|again"
_SPARE_ZH: Final = r"把|成|到|为|至|开|弄|放|改|请|给|个|一|下|点|了"


_M_EN: Final = rf"(?:the |this |that |some |my |our )*(?:{MUSIC_EN}|it playing)"
_T_EN: Final = r"(?:song|track|one|tune|station|channel|episode|chapter|podcast|thing|piece)"
_TRANSPORT_EN: Final = (
    ("next", rf"(?:(?:play|go to|skip to|jump to|put on|give me|move on to|on to|over to|flick to) )?(?:the )?(?:next|following) {_T_EN}(?: on the \w+)?|next|skip(?: (?:it|this(?: {_T_EN})?|that(?: {_T_EN})?|the {_T_EN}|ahead|forwards?|a {_T_EN}|ahead a {_T_EN}))?|change (?:the )?(?:song|track)|another (?:song|track|tune)|play something else"),
    ("previous", rf"(?:(?:play|go(?: back)? to|skip back to|return to|back to|put on) )?(?:the )?(?:previous|last|earlier) {_T_EN}(?: again)?|previous|skip back(?: a {_T_EN})?|(?:go )?back (?:a|one) {_T_EN}|(?:restart|replay|play) (?:this|the|that) {_T_EN}(?: again| over| from the (?:start|beginning))?|play (?:that|this|it) again(?: from the (?:start|beginning))?|start this {_T_EN} (?:over|again)"),
    ("pause", rf"(?:stop|pause|halt|end|cut|kill) (?:playing )?{_M_EN}|(?:stop|pause|end) the audio|stop playing(?: {_M_EN})?|stop (?:it|that|this) playing|pause (?:it|that|this)|(?:turn|switch|shut) (?:off {_M_EN}|{_M_EN} off)|(?:music|radio) off|no more music"),
    ("play", r"play|(?:play|start|resume|continue|un ?pause|carry on with|put on|turn on|switch on|start playing|keep playing|continue playing) (?:the |some |a bit of |my |our )*(?:music|songs?|tunes?|playback|podcast|audio ?book|playlist|album|something)(?: (?:again|on))?|(?:turn|switch|put) (?:the |some |my )*(?:music|tunes|songs?|podcast) (?:back )?on(?: again)?|start playing|keep playing|continue playing|resume|un ?pause(?: it)?|hit play|press play|play on|music please|music on"),
)  # fmt: skip
_M_ZH: Final = r"(?:这首|那首|那个|这个)?(?:音乐|歌曲?|收音机|广播|电台|播客|有声书|播放|音响|曲子)"
_TRANSPORT_ZH: Final = (
    ("next", r"(?:跳到|切到?|换到?|放|播放?|来|听|转|给我|帮我|往后切)*(?:下|后)(?:一)?(?:首|曲|个|集|条|章|个?台|个?电台|个?频道|个?节目)(?:歌|音乐)?|切歌|换歌|换一?首(?:歌|别的)?|跳过(?:这首|这段|这个|这一首)?|换个台"),
    ("previous", r"(?:回到|退回|切回|跳到|切到?|换到?|放回?|播放?|来|听|返|往前切)*(?:上|前)(?:一)?(?:首|曲|个|集|条|章|个?台|个?电台|个?频道)(?:歌|音乐)?|重(?:新)?(?:播|放|播放)(?:这|那)?一?首(?:歌)?|再(?:放|听|播)一遍(?:这首)?(?:歌)?|(?:这首|单曲)?(?:歌)?从开?头(?:再)?(?:放|来|播)(?:一遍|这首歌?)?"),
    ("pause", rf"(?:把)?{_M_ZH}(?:先)?(?:停|停了|停掉|停下来?|停一?停|停止|停一下|暂停|暂停一下|关|关了|关掉|关闭)|(?:先)?(?:暂停|停止|停一下|停掉|关掉|关闭|停){_M_ZH}|(?:别|不要)(?:放|播|唱)了?|停播"),
    ("play", r"(?:继续|开始|恢复|接着)?(?:播放|放歌|播歌)(?:吧)?|(?:继续|开始|恢复|接着|帮我|给我|打开|开|播放?|放|来|听)+(?:点|首|一首|些|一?点儿?|刚才的|点儿)?(?:音乐|歌曲?|播放)|(?:把)?音乐(?:打开|继续|走起|放起来)|(?:继续|接着)(?:放|播)"),
)  # fmt: skip


_BARE: Final = re.compile(
    r"(?:the )?(?:next|last|previous|following)(?: one)?|skip(?: (?:it|that|this)(?: one)?)?|previous|[上下]一?[个条]"
)
_HAS_STOPPED_ZH: Final = re.compile(rf"{_M_ZH}(?:停|关)了")


def recognise_transport(words: str, locale: str, context: Context) -> Match | None:
    reading = Reading(words, locale)
    if other_thing(reading) or (reading.zh and _HAS_STOPPED_ZH.fullmatch(reading.frame.text)):
        return None
    bare = _BARE.fullmatch(reading.core) is not None
    if bare and (spoken_of(context) is False or (" one" in reading.core or "个" in reading.core) and not _ours(context)):
        return None
    for action, pattern in _TRANSPORT_ZH if reading.zh else _TRANSPORT_EN:
        for form in (reading.core, reading.frame.text):
            if re.fullmatch(pattern, form) is not None:
                return Match(TRANSPORT, 0.95, {"action": action}, {"action": form})
    return None


def _ours(context: Context) -> bool:
    """The music was spoken of last, or it plays and nothing else was."""
    said = spoken_of(context)
    return said is True or (said is None and text(context.read, MEDIA_ACTION) == "PLAY")


_SWITCH_EN: Final = re.compile(
    r"^(?:switch|change|swap|flip|move|go|turn|put|use|select|play|listen|set|take|stream|get)\b|\b(?:source|input|mode)\b|\b(?:please|instead)$"
)
_SWITCH_ZH: Final = re.compile(
    r"^(?:请)?(?:切|换|改|转|用|打开|听|我?想听|我?要听|放|播|选|接)|[切换改转]|[音来]源|播放源|放$|模式"
)


def recognise_source(words: str, locale: str, context: Context) -> Match | None:
    reading = Reading(words, locale)
    core, zh = reading.core, reading.zh
    if other_thing(reading) and not re.search(r"\bphone\b", core):
        return None
    named = source_named(core, zh)
    if NO_SOURCE.search(core) and (named is None or named[1] == "radio"):
        return None
    if asks(context, SOURCE) and named is not None:
        return Match(SOURCE, 0.95, {"source": named[0]}, {"source": named[1]})
    verb = (_SWITCH_ZH if zh else _SWITCH_EN).search(core)
    kind = re.search(
        r"音源|播放源|来源|收音机|广播|音乐|电台" if zh else r"\b(?:source|input|radio|music|audio|player|tuner|mode)\b", core
    )
    if (
        verb is None
        and named is not None
        and re.fullmatch(rf"(?:the )?{re.escape(named[1])}", core)
        and named[1] not in ("stick", "disc", "disk", "digital", "online", "phone", "am", "手机", "网络")
    ):
        return Match(SOURCE, 0.8, {"source": named[0]}, {"source": named[1]})
    if verb is None or re.fullmatch(
        r"(?:turn|switch) (?:on|off) (?:the )?blue ?tooth|(?:turn|switch) (?:the )?blue ?tooth (?:on|off)|(?:打开|开启|开)蓝牙",
        core,
    ):
        return None  # that it be there at all is another thing
    if re.search(
        r"\b(?:off|down|up|stop|station|channel|call|number|connect|pair|charge|battery)\b|\bradio (?:\d|one|two|three|four|five)|\d\.\d|点[零一二三四五六七八九]|[她他]|关|停|掐|大|小|配对|连接|充电|电话",
        core,
    ):
        return None
    if named is None:
        if kind is not None and re.fullmatch(
            r"(?:switch|change|set)(?: the)?(?: audio| music)? (?:source|input)(?: to .+)?|(?:换|切换?|改)(?:一下|个)?(?:音源|播放源)",
            core,
        ):
            return _which(zh)
        return None
    vague = named[1] in (
        "phone",
        "my phone",
        "the phone",
        "手机",
        "我手机",
        "我的手机",
        "online",
        "disc",
        "disk",
        "stick",
        "digital",
        "internet",
        "网络",
        "am",
    )
    away = re.search(r"\b(?:from|off) (?:my|the) ", core) is not None
    if vague and kind is None and not away and verb.group() not in ("switch", "change", "source", "切", "换", "用"):
        return None
    reading.take(re.escape(named[1]))
    reading.take(
        rf"{MUSIC_ZH}|音源|播放源|来源|切|换|改|转|选|播|听|接|走|模式|波段|从|回|不要|{_SPARE_ZH}|用|想|要|放|打开|我|下"
        if zh
        else rf"{_SPARE_EN}|{THING_EN}|switch|change|swap|flip|move|turn|use|select|play|listen|stream|source|input|mode|instead|from|over|band|player|not|back|can|what|is"
    )
    if len(reading.unexplained()) > (1 if zh else 0):  # a station by its name, somebody's phone
        return None
    return Match(SOURCE, reading.score(0.93), {"source": named[0]}, {"source": named[1]})


def _which(zh: bool) -> Match:
    question = "切到哪个音源？" if zh else "Which source: FM, AM, DAB, Bluetooth, USB, CD, AUX or internet radio?"
    return Match(SOURCE, 0.85, missing=("source",), question=question)


_PLAYING_EN: Final = re.compile(
    r"what (?:is|are we)(?: \w+)? (?:playing|on|listening to)(?: (?:now|right now|at the moment|on the radio(?: at the moment)?))?|what (?:song|track|tune|station|channel|music|podcast|album) is (?:this|that|it|on|playing)(?: \w+)?|"
    r"which (?:song|track|station|channel|radio station|album)(?: \w+)* (?:is|are|am)\b.*|who (?:sings|is singing|is|plays)(?: \w+)? ?(?:this|that)(?: (?:song|track))?|what is (?:this|that|the) (?:song|track|tune|music|station|(?:title|name) of this (?:song|track|tune|station|one))(?: called)?|"
    r"what are we listening to|is (?:the )?(?:music|radio|anything|something) (?:on|playing)|(?:song|track) name"
)
_PLAYING_ZH: Final = re.compile(
    r"(?:现在|正在|刚刚)*(?:在)?(?:放|播放?|听)的?(?:是)?(?:什么|啥|哪首|哪个).*|(?:这|现在这|刚刚这)(?:首歌?|个?(?:歌|曲子|音乐|旋律))(?:叫|是)?(?:什么|啥|哪首|谁唱)的?(?:名字|歌|曲|啦|呀)?|(?:这|现在)是(?:什么|哪首)(?:歌|曲子|音乐)|(?:这|现在)(?:是|听的是)?(?:什么|哪个|哪首)(?:电台|频道|频率|台|歌|节目)|(?:歌名|曲名)(?:是|叫)?(?:什么|啥)?|谁唱的|这首(?:歌)?(?:是)?谁唱的"
)
_VOLUME_EN: Final = re.compile(
    r"(?:what is|where is|tell me|what level is|how high is)(?: the)?(?: current)?(?: music| radio| media)?(?: volume| sound level| music volume| radio volume)(?: (?:level|set|at|on|set to|now|right now|set at))*|how loud is (?:it|the (?:music|radio|volume))(?: set| now)?|what volume (?:is|are)(?: \w+)*|volume level"
)
_VOLUME_ZH: Final = re.compile(
    r"(?:查一下|看看|告诉我)?(?:现在|目前|当前)?(?:的)?(?:音量|声音)(?:现在)?(?:是|有|到|开到|开了|开得|设的是)?(?:多少|多大|几格?|几|多高)(?:了|啦|呢)?|(?:查一下|看看|告诉我)(?:现在|目前|当前)?(?:的)?音量"
)


def recognise_playing(words: str, locale: str, context: Context) -> Match | None:
    return _asked(words, locale, PLAYING, _PLAYING_EN, _PLAYING_ZH)


def recognise_volume(words: str, locale: str, context: Context) -> Match | None:
    return _asked(words, locale, VOLUME, _VOLUME_EN, _VOLUME_ZH)


def _asked(words: str, locale: str, capability: str, english: re.Pattern[str], chinese: re.Pattern[str]) -> Match | None:
    reading = Reading(words, locale)
    if other_thing(reading) or NO_SOURCE.search(reading.core):
        return None
    pattern = chinese if reading.zh else english
    whole = pattern.fullmatch(reading.core) or pattern.fullmatch(reading.frame.text)
    return Match(capability, 0.93) if whole is not None else None
