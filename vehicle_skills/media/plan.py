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
    MUTE,
    OTHERS_EN,
    OTHERS_ZH,
    SET,
    THING_EN,
    THING_ZH,
    beyond,
    level_said,
    step_said,
)

OURS: Final = ("media.", "status.playing", "status.volume")
REFERS_WITHIN_MS: Final = 60_000
SURE: Final = {False: 0.75, True: 0.7}
"""By Chinese or not: with more unexplained words than that, it is somebody else's music, or a story."""
_SPARE_EN: Final = (
    r"to|at|on|by|a|the|percent|per cent|level|of|point|points|notch(?:es)?|steps?|clicks?|levels?|little|tad|touch|smidge|hair|"
    r"slightly|lot|much|way|somewhat|out|ten|exactly|set|turn|put|make|change|adjust|bring|keep|take|want|give|get|have|only|around|about|my|please|again|again please|yet"
)
_SPARE_ZH: Final = r"把|调|设|成|到|为|至|开|弄|整|较|校|放|改|请|格|档|级|给|个|百分之|再|稍微|一|点|些|儿|往|声|了|左右"


def other_thing(reading: Reading) -> bool:
    """Of something else than the music."""
    return (OTHERS_ZH if reading.zh else OTHERS_EN).search(reading.core) is not None


def spoken_of(context: Context) -> bool | None:
    """Whether "it" is the music, by the same sentence, or by what was asked for before: True where it was spoken of last, False where something else was, None where nothing was."""
    if context.before:
        return context.before[-1].capability.startswith(OURS)
    last = context.recent[0] if context.recent else None
    if last is None or last.asked_ms_ago > REFERS_WITHIN_MS:
        return None
    return last.capability.startswith(OURS)


RANGE: Final = ("The volume goes from 0 to 100 percent. How loud?", "音量是百分之零到百分之百，要调到多少？")
_AT: Final = re.compile(r"\b(?:to|at|on|level)(?: (?:about|around|exactly|level|volume|a|full|only))* ?$|^$")


def recognise_set(text: str, locale: str, context: Context) -> Match | None:
    reading = Reading(text, locale)
    core, zh = reading.core, reading.zh
    said = level_said(core, zh)
    if asks(context, SET) and said is not None and re.fullmatch(r"(?:to |at )?[\w .%]+", core) and len(core) < 24:
        return Match(SET, 0.95, {"level": said[0]}, {"level": said[1]})
    thing = reading.take(THING_ZH if zh else THING_EN)
    if thing is None or other_thing(reading):
        return None
    if re.search(r"\bby\b|^(?:up|down) " if not zh else r"[降升加减]低?高?(?!到|至|成|为)[\d一二两三四五六七八九十百]", core):
        return None  # a step
    loudness = re.search(LOUDNESS_ZH if zh else rf"\b(?:{LOUDNESS_EN})\b", core) is not None
    if said is None and loudness and beyond(core, zh):
        return Match(SET, 0.9, missing=("level",), question=RANGE[zh])
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
    lead = core[: core.rfind(said[1])]
    if not zh and not loudness and said[1][0].isalnum() and "percent" not in said[1] and _AT.search(lead) is None:
        return None  # "Radio 4"
    if aims is None or (
        not loudness
        and re.search(
            r"\b(?:play|stations?|channel|preset|number|frequency|fm|am|chapter|episode|on at|o clock)\b|频道|第|首|兆赫|调频|[点分]",
            core,
        )
    ):
        return None
    reading.take(re.escape(said[1]))
    reading.take(
        _SPARE_ZH
        if zh
        else rf"{_SPARE_EN}|up|down|raise|lower|increase|reduce|drop|crank|blast|half|full|max|maximum|minimum|loud"
    )
    score = reading.score(0.95 if loudness else 0.88)
    return Match(SET, score, {"level": said[0]}, {"level": said[1]}) if score >= SURE[zh] else None


_UP_EN: Final = re.compile(
    rf"\b(?:turn|crank|pump|bump|bring|push|put|whack|nudge)\b.* up\b|\b(?:turn|crank|pump|bump) up\b|\b(?:raise|increase|boost) (?:the |this |my |our )*{THING_EN}\b|\blouder\b|\b(?:volume|sound|music|radio|audio) up\b|"
    r"\bmore (?:volume|sound)\b|\b(?:volume|sound) (?:a bit |a little )?higher\b|\bcan(?:not| not) hear (?:the|this) (?:music|radio|song|podcast)\b"
)
_DOWN_EN: Final = re.compile(
    rf"\b(?:turn|bring|push|put|nudge|tone)\b.* down\b|\b(?:turn|tone) down\b|\b(?:lower|reduce|decrease|drop|ease) (?:the |this |my |our |it the )*{THING_EN}\b|\b(?:quieter|softer)\b|\b(?:volume|sound|music|radio|audio) down\b|"
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
    score = reading.score(0.95)
    return Match(CHANGE, score, {"delta": step if rises else -step}, {"delta": core}) if score >= SURE[zh] else None


def _bare(bare: re.Match[str], core: str, zh: bool, context: Context) -> Match | None:
    """Nothing is named. Where something else was spoken of last, up and down are its; "louder" can only be the music's."""
    said = bare.groupdict()
    points = not zh and said.get("as") is None  # it is only up or down
    ours = spoken_of(context)
    if ours is False and (points or said.get("as") in ("quieter", "softer")):
        return None
    rises = bool(said.get("up")) if zh else said.get("as") == "louder" or (said.get("as") is None and said.get("way") != "down")
    step = step_said(core, zh)
    return Match(CHANGE, 0.93 if ours or not points else 0.6, {"delta": step if rises else -step}, {"delta": core})


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
