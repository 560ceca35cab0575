"""Music: words -> arguments, by grammar. Pure.

"Turn it down" and "louder" name nothing: they are the music's where that was spoken of last, or where nothing else was and no other thing is named.
"Stop" alone is not the music's: it silences the assistant. Does not know the car, or what becomes of a call (skill.py).
"""

from __future__ import annotations

import re
from typing import Final

from ridealong.harness.reading import Reading
from ridealong.harness.skill import Context, Match
from ridealong.vehicle_skills.car import asks
from ridealong.vehicle_skills.media.words import (
    CHANGE,
    LOUDNESS_EN,
    LOUDNESS_ZH,
    MUSIC_EN,
    MUSIC_ZH,
    MUTE,
    NO_SOURCE,
    OTHERS_EN,
    OTHERS_ZH,
    SET,
    SOURCE,
    THING_EN,
    THING_ZH,
    TRANSPORT,
    level_said,
    source_named,
    step_said,
)

OURS: Final = ("media.", "status.playing", "status.volume")
REFERS_WITHIN_MS: Final = 60_000
_SPARE_EN: Final = (
    r"to|at|on|by|a|the|percent|per cent|level|of|point|points|notch(?:es)?|steps?|clicks?|levels?|little|tad|touch|smidge|hair|"
    r"slightly|lot|much|way|somewhat|out|ten|exactly|set|turn|put|make|change|adjust|bring|keep|take|want|give|get|have|only|around|about|my|please|again|again please|yet"
)
_SPARE_ZH: Final = r"把|调|设|成|到|为|至|开|弄|整|较|校|放|改|请|格|档|级|给|个|百分之|再|稍微|一|点|些|儿|往|声|了|左右"


def other_thing(reading: Reading) -> bool:
    """Of something else than the music."""
    return (OTHERS_ZH if reading.zh else OTHERS_EN).search(reading.core) is not None


def spoken_of(context: Context) -> bool | None:
    """Whether "it" is the music: True where it was spoken of last, False where something else was, None where nothing was."""
    last = context.recent[0] if context.recent else None
    if last is None or last.asked_ms_ago > REFERS_WITHIN_MS:
        return None
    return last.capability.startswith(OURS)


def recognise_set(text: str, locale: str, context: Context) -> Match | None:
    reading = Reading(text, locale)
    core, zh = reading.core, reading.zh
    said = level_said(core, zh)
    if asks(context, SET) and said is not None and re.fullmatch(r"(?:to |at )?[\w .%]+", core) and len(core) < 24:
        return Match(SET, 0.95, {"level": said[0]}, {"level": said[1]})
    thing = reading.take(THING_ZH if zh else THING_EN)
    if thing is None or other_thing(reading):
        return None
    if re.search(r"\bby\b" if not zh else r"[降升加减]低?高?(?!到|至|成|为)[\d一二两三四五六七八九十百]", core):
        return None  # a step
    loudness = re.search(LOUDNESS_ZH if zh else rf"\b(?:{LOUDNESS_EN})\b", core) is not None
    if said is None:
        bare = (
            r"(?:调|调整|设置?|改)(?:一下)?音量|音量(?:调|设置?)一?下?" if zh else r"(?:set|change|adjust) the (?:volume|sound)"
        )
        if re.fullmatch(bare, core):
            question = "音量调到百分之多少？" if zh else "How loud, in percent?"
            return Match(SET, 0.9, missing=("level",), question=question)
        return None
    aims = re.search(
        r"到|成|为|至|[设调开改]|音量|音亮|声量"
        if zh
        else r"\b(?:to|at|on|set|put|make|give|keep|max\w*|full|min\w*|level|volume)\b",
        core,
    )
    if aims is None or (
        not loudness and re.search(r"\b(?:play|stations?|channel|preset|number|frequency|fm|am)\b|频道|第|首|兆赫|调频", core)
    ):
        return None
    reading.take(re.escape(said[1]))
    reading.take(
        _SPARE_ZH
        if zh
        else rf"{_SPARE_EN}|up|down|raise|lower|increase|reduce|drop|crank|blast|half|full|max|maximum|minimum|loud"
    )
    score = reading.score(0.95 if loudness else 0.88)
    return Match(SET, score, {"level": said[0]}, {"level": said[1]})


_UP_EN: Final = re.compile(
    r"\b(?:turn|crank|pump|bump|bring|push|put|whack|nudge)\b.* up\b|\b(?:turn|crank|pump|bump) up\b|\b(?:raise|increase|boost)\b|\blouder\b|\b(?:volume|sound|music|radio|audio) up\b|"
    r"\bmore (?:volume|sound)\b|\b(?:volume|sound) (?:a bit |a little )?higher\b|\bcan(?:not| not) hear (?:the|this) (?:music|radio|song|podcast)\b"
)
_DOWN_EN: Final = re.compile(
    r"\b(?:turn|bring|push|put|nudge|tone)\b.* down\b|\b(?:turn|tone) down\b|\b(?:lower|reduce|decrease|drop|ease)\b|\b(?:quieter|softer)\b|\b(?:volume|sound|music|radio|audio) down\b|"
    r"\bless (?:volume|sound)\b|\b(?:music|radio|song|volume|sound) is (?:(?:a bit|way|far|much|just) )?too (?:loud|high)\b"
)
_HOW_ZH: Final = r"(?:再|给我|稍微|往上|往下|调|放|开|关|弄|整|压|能|还是|也|得|太|可以|要|有点|闹腾了|声音|音量|声|把)*"
_MUCH_ZH: Final = r"(?:[高大上亮低小轻下]*)(?:一?点点?儿?|一?些|一下|一丢丢|[\d一二两三四五六七八九十百分之%]+[格档级]?|收一?收)?(?:吧|啦|了|吗|就行|就好|行不|好不好|呗|点)*$"
_UP_ZH: Final = re.compile(
    rf"大(?:一?点儿?|些)?声|{THING_ZH}{_HOW_ZH}(?:大|高|响|升|加|提){_MUCH_ZH}|响亮?(?:一点|点|些)|[调放开升加](?:大|高|响)(?:一?点|些)?音量|加音量|升音量|提高音量"
)
_DOWN_ZH: Final = re.compile(
    rf"小(?:一?点儿?|些)?声|{THING_ZH}{_HOW_ZH}(?:小|低|轻|降|减|吵|响了?$){_MUCH_ZH}|[调放开关降减](?:小|低|轻)(?:一?点|些)?音量|减音量|降音量|降低音量"
)
_BARE_EN: Final = re.compile(
    r"(?:(?:just )?(?:a (?:little|tiny )?(?:bit|touch|tad|notch)|a little|much|a lot|slightly|way) )?(?:make (?:it|that) )?(?:a (?:little |tiny )?(?:bit|touch|tad|notch) |a little |much |a lot |slightly |even )*(?P<as>louder|quieter|softer)(?: (?:again|still|than that))?|"
    r"(?:turn|crank|pump|bring|whack|bump) (?:it|that|this) (?:back )?(?:right |way )?(?P<way>up|down)(?: (?:a (?:little |tiny )?(?:bit|touch|tad|notch|lot|little)|slightly|more|again|some|by \w+(?: percent)?))*|crank (?:it|that)"
)
_BARE_ZH: Final = re.compile(
    r"(?:再|稍微|开|放|调|弄|给我|使劲儿?)*(?:(?P<up>大声|响亮?|大(?:一?点儿?|些)声)|(?P<down>小声|小(?:一?点儿?|些)声))(?:一?点点?儿?|些)?(?:就行|了)?"
)


def recognise_change(text: str, locale: str, context: Context) -> Match | None:
    reading = Reading(text, locale)
    core, zh = reading.core, reading.zh
    if other_thing(reading):
        return None
    bare = (_BARE_ZH if zh else _BARE_EN).fullmatch(core)
    if bare is not None:
        return _bare(bare, core, zh, context)
    thing = reading.take(THING_ZH if zh else THING_EN)
    up, down = ((_UP_ZH, _DOWN_ZH) if zh else (_UP_EN, _DOWN_EN)) if thing is not None else (None, None)
    rises, falls = (one is not None and one.search(core) is not None for one in (up, down))
    if rises == falls or re.search(
        r"(?:到|成|为|至)[\d一二三四五六七八九十百最]"
        if zh
        else r"\b(?:to|at) (?:\d|\w+ percent|half|max\w*|full|min\w*|(?:one|two|three|four|five|six|seven|eight|nine|ten|\w+ty|\w+teen)\b)",
        core,
    ):
        return None
    if re.search(r"最[大小高低]" if zh else r"\ball the way\b|\bas (?:loud|low|quiet)\b", core):
        return None
    reading.take(
        r"大|小|高|低|响|轻|升|降|加|减|提|太|吵|压|收|下|上"
        if zh
        else r"turn|up|down|raise|lower|increase|reduce|decrease|drop|louder|quieter|softer|higher|crank|pump|bump|boost|too|loud|bring|push|ease|tone|can|not|hear|points?"
    )
    numbers = re.sub(r"\D", "", core)
    reading.take(_SPARE_ZH if zh else rf"{_SPARE_EN}|more|less|off")
    if numbers and not zh:
        reading.take(r"\d+")
    else:
        reading.take(r"[\d一二两三四五六七八九十百]+|%" if zh else r"(?:one|two|three|five|ten|fifteen|twenty|thirty)")
    step = step_said(core, zh)
    return Match(CHANGE, reading.score(0.95), {"delta": step if rises else -step}, {"delta": core})


def _bare(bare: re.Match[str], core: str, zh: bool, context: Context) -> Match | None:
    """Nothing is named. Where something else was spoken of last, up and down are its; "louder" can only be the music's."""
    said = bare.groupdict()
    points = not zh and said.get("as") is None  # it is only up or down
    ours = spoken_of(context)
    if ours is False and (points or said.get("as") in ("quieter", "softer")):
        return None
    rises = bool(said.get("up")) if zh else said.get("as") == "louder" or (said.get("as") is None and said.get("way") != "down")
    step = step_said(core, zh)
    return Match(CHANGE, 0.93 if ours or not points else 0.72, {"delta": step if rises else -step}, {"delta": core})


_MUTE_EN: Final = re.compile(
    rf"(?:mute|silence)(?: (?:it|that|this|everything|the {THING_EN}|the (?:car|system|thing)))?|(?:hit|press) (?:the )?mute|(?:turn|switch|shut|kill|cut) (?:off )?the (?:sound|audio)(?: off)?|"
    r"(?:sound|audio|volume) off|put (?:it|the (?:music|radio|system)) on (?:mute|silent)"
)
_UNMUTE_EN: Final = re.compile(
    rf"(?:un ?mute|un ?silence)(?: (?:it|that|everything|the {THING_EN}))?|(?:turn|switch|take) (?:the )?mute (?:off|back off)|(?:turn|switch|take) off (?:the )?mute|undo the mute|"
    r"(?:turn|switch|put|bring) (?:the )?(?:sound|audio)(?: back)? on(?: again)?|(?:turn|switch) (?:back )?on the (?:sound|audio)|(?:give me |bring back )?the sound (?:again|back)|(?:bring|get) (?:back )?the sound(?: back)?|(?:sound|audio) (?:back )?on(?: again)?"
)
_MUTE_ZH: Final = re.compile(
    r"(?:快|先|开|打开|开启|把?(?:音乐|声音|媒体|音响|收音机|全部)|全部|给我)*(?:静音|消音|静个音)(?:模式)?(?:吧|一下)?|(?:把)?声音(?:全部?|都)?(?:关|关掉|关了|关闭|关上)(?:吧|了)?|(?:关掉|关闭|关)声音"
)
_UNMUTE_ZH: Final = re.compile(
    r"(?:取消|解除|关闭|关掉|退出|结束)静音(?:模式)?(?:吧|了)?|(?:把)?静音(?:关|关掉|关了|取消|解除|取消掉|去掉)(?:吧|了)?|(?:把)?声音(?:重新)?(?:打开|开开|恢复|开回来|开起来|放出来|回来)(?:吧|了)?|恢复(?:声音|音量)|打开声音"
)


def recognise_mute(text: str, locale: str, context: Context) -> Match | None:
    reading = Reading(text, locale)
    if other_thing(reading):
        return None
    mute, unmute = (_MUTE_ZH, _UNMUTE_ZH) if reading.zh else (_MUTE_EN, _UNMUTE_EN)
    for on, pattern in ((False, unmute), (True, mute)):
        if pattern.fullmatch(reading.core) is not None:
            return Match(MUTE, 0.95, {"on": on}, {"on": reading.core})
    return None


_M_EN: Final = rf"(?:the |this |that |some |my |our )*(?:{MUSIC_EN}|it playing)"
_T_EN: Final = r"(?:song|track|one|tune|station|channel|episode|chapter|podcast|thing|piece)"
_TRANSPORT_EN: Final = (
    ("next", rf"(?:(?:play|go to|skip to|jump to|put on|give me|move on to|on to|over to|flick to) )?(?:the )?(?:next|following) {_T_EN}(?: on the \w+)?|next|skip(?: (?:it|this(?: {_T_EN})?|that(?: {_T_EN})?|the {_T_EN}|ahead|forwards?|a {_T_EN}|ahead a {_T_EN}))?|change (?:the )?(?:song|track|station)|another (?:song|track|tune)|play something else"),
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


def recognise_transport(text: str, locale: str, context: Context) -> Match | None:
    reading = Reading(text, locale)
    if other_thing(reading):
        return None
    for action, pattern in _TRANSPORT_ZH if reading.zh else _TRANSPORT_EN:
        for form in (reading.core, reading.frame.text):
            if re.fullmatch(pattern, form) is not None:
                return Match(TRANSPORT, 0.95, {"action": action}, {"action": form})
    return None


_SWITCH_EN: Final = re.compile(
    r"^(?:switch|change|swap|flip|move|go|turn|put|use|select|play|listen|set|take|stream|get)\b|\b(?:source|input|mode)\b|\b(?:please|instead)$"
)
_SWITCH_ZH: Final = re.compile(
    r"^(?:请)?(?:切|换|改|转|用|打开|听|我?想听|我?要听|放|播|选|接)|[切换改转]|[音来]源|播放源|放$|模式"
)


def recognise_source(text: str, locale: str, context: Context) -> Match | None:
    reading = Reading(text, locale)
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
    if verb is None:
        return None
    if re.search(
        r"\b(?:off|down|up|stop|station|channel|call|number|connect|pair|charge|battery)\b|关|停|掐|大|小|配对|连接|充电|电话",
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
    if vague and kind is None and verb.group() not in ("switch", "change", "source", "切", "换", "用"):
        return None
    reading.take(re.escape(named[1]))
    reading.take(
        rf"{MUSIC_ZH}|音源|播放源|来源|切|换|改|转|选|播|听|接|走|模式|波段|从|回|不要|{_SPARE_ZH}|用|想|要|放|打开|我|下"
        if zh
        else rf"{_SPARE_EN}|{THING_EN}|switch|change|swap|flip|move|turn|use|select|play|listen|stream|source|input|mode|instead|from|over|band|player|not|back|can|what|is"
    )
    return Match(SOURCE, reading.score(0.93), {"source": named[0]}, {"source": named[1]})


def _which(zh: bool) -> Match:
    question = "切到哪个音源？" if zh else "Which source: FM, AM, DAB, Bluetooth, USB, CD, AUX or internet radio?"
    return Match(SOURCE, 0.85, missing=("source",), question=question)


_PLAYING_EN: Final = re.compile(
    r"what (?:is|are we)(?: \w+)? (?:playing|on|listening to)(?: (?:now|right now|at the moment|on the radio(?: at the moment)?))?|what (?:song|track|tune|station|channel|music|podcast|album) is (?:this|that|it|on|playing)(?: \w+)?|"
    r"which (?:song|track|station|channel|radio station|album)(?: \w+)* (?:is|are|am)\b.*|who (?:sings|is singing|is|plays)(?: \w+)? ?(?:this|that)(?: (?:song|track))?|what is (?:this|that|the) (?:song|track|tune|music|station|title of this \w+|name of this \w+)(?: called)?|"
    r"what are we listening to|is (?:the )?(?:music|radio|anything|something) (?:on|playing)|(?:song|track) name"
)
_PLAYING_ZH: Final = re.compile(
    r"(?:现在|正在|刚刚)*(?:在)?(?:放|播放?|听)的?(?:是)?(?:什么|啥|哪首|哪个).*|(?:这|现在这|刚刚这)(?:首|个|是)?(?:歌|曲子|音乐|旋律|是)?(?:叫|是)?(?:什么|啥|哪首|谁唱)的?(?:名字|歌|曲|啦|呀)?|(?:这|现在)(?:是|听的是)?(?:什么|哪个|哪首)(?:电台|频道|频率|台|歌|节目)|(?:歌名|曲名)(?:是|叫)?(?:什么|啥)?|谁唱的|这首(?:歌)?(?:是)?谁唱的"
)
_VOLUME_EN: Final = re.compile(
    r"(?:what is|where is|tell me|what level is|how high is|how loud is)(?: the)?(?: current)?(?: music| radio| media)?(?: volume| sound| music| radio| it)(?: (?:level|set|at|on|set to|now|right now|set at))*|how loud is (?:it|the (?:music|radio|volume))(?: set| now)?|what volume (?:is|are)(?: \w+)*|volume level"
)
_VOLUME_ZH: Final = re.compile(
    r"(?:查一下|看看|告诉我)?(?:现在|目前|当前)?(?:的)?(?:音量|声音)(?:现在)?(?:是|有|到|开到|开了|开得|设的是)?(?:多少|多大|几格?|几|多高)(?:了|啦|呢)?|(?:查一下|看看|告诉我)(?:现在|目前|当前)?(?:的)?音量"
)


def recognise_playing(text: str, locale: str, context: Context) -> Match | None:
    return _asked(text, locale, "status.playing", _PLAYING_EN, _PLAYING_ZH)


def recognise_volume(text: str, locale: str, context: Context) -> Match | None:
    return _asked(text, locale, "status.volume", _VOLUME_EN, _VOLUME_ZH)


def _asked(text: str, locale: str, capability: str, english: re.Pattern[str], chinese: re.Pattern[str]) -> Match | None:
    reading = Reading(text, locale)
    if other_thing(reading) or NO_SOURCE.search(reading.core):
        return None
    pattern = chinese if reading.zh else english
    whole = pattern.fullmatch(reading.core) or pattern.fullmatch(reading.frame.text)
    return Match(capability, 0.93) if whole is not None else None
