"""The words of the music: its loudness, its sources, what is played. Tables, and how much of a change is said. Pure.

Does not know what is asked for (plan.py, meant.py), or what the car plays.
"""

from __future__ import annotations

import re
from typing import Final

from ridealong.harness.slots.number import find_numbers
from ridealong.harness.slots.percent import find_percent

SET, CHANGE, MUTE, TRANSPORT, SOURCE = (
    "media.set_volume",
    "media.change_volume",
    "media.mute",
    "media.transport",
    "media.source",
)
PLAYING, VOLUME = "status.playing", "status.volume"
STEP: Final = 10
LOUDEST, QUIETEST, AUDIBLE, MIDDLE = 100, 0, 5, 50
"""Percent. AUDIBLE: "as low as it goes without being off"."""

LOUDNESS_EN: Final = r"(?:volume|sound|audio|loudness)"
MUSIC_EN: Final = r"(?:music|radio|stereo|media|speakers?|songs?|tunes?|tracks?|podcasts?|audio ?books?|playback|playlists?|album|hi ?fi|player)"
THING_EN: Final = rf"(?:{LOUDNESS_EN}|{MUSIC_EN})"
LOUDNESS_ZH: Final = r"(?:音量|声音|声量|音亮|大小声|声儿)"
MUSIC_ZH: Final = r"(?:音乐|歌曲?|收音机|广播|电台|音响|喇叭|媒体|播客|有声书|播放器|曲子)"
THING_ZH: Final = rf"(?:{LOUDNESS_ZH}|{MUSIC_ZH})"
OTHERS_EN: Final = re.compile(
    r"\b(?:your voice|your (?:own )?volume|you (?:talk|speak)|speak|talk|navigation|sat ?nav|nav|voice guidance|directions?|phone (?:volume|call)|(?:of|on) (?:my|the|his|her) (?:phone|mobile|tablet|laptop|ipad)|ringer|ringtone|call|alarm|timer|"
    r"reminders?|windows?|temperature|heat\w*|fan|air ?con\w*|ac|lights?|brightness|seats?|mirrors?|engine|blinds?|sunroof|screen|display|horn|chimes?|wipers?|suspension|microphone|mic|speed|your (?:music|radio|stereo|sound|song)|in your)\b"
)
"""Whose loudness, or whose up and down, is another thing's."""
OTHERS_ZH: Final = re.compile(
    r"你那|你(?:家|车上|说话|的声音|的音量|声音)|导航|铃声|来电|通话|提醒|闹钟|提示音|车?窗|空调|温度|风量|风速|风扇|灯|亮度|座椅|屏幕|喇叭按|天窗|雨刷|麦克风|闹铃|电视|手机铃"
)

UP_EN: Final = r"up|louder|higher|raise|increase|boost|crank|pump|bump|more"
DOWN_EN: Final = r"down|quieter|softer|lower|reduce|decrease|drop|less|softly"
NEAR_EN: Final = re.compile(
    r"\b(?:lowest|quietest|softest|minimum) (?:it|that|you)? ?(?:goes|gets|can go|can be)? ?(?:without|but not|and not)\b|\bbarely audible\b"
)
MOST_EN: Final = re.compile(
    r"\b(?:max(?:imum)?(?: volume)?|full(?: (?:blast|volume|whack|power))?|all the way up|as (?:loud|high) as (?:it|that) (?:goes|gets|will go|can (?:go|get))|as loud as possible|"
    r"loudest|everything the speakers have got|to the max|top volume)\b"
)
LEAST_EN: Final = re.compile(
    r"\b(?:min(?:imum)?(?: volume)?|all the way down|as (?:low|quiet|soft) as (?:it|that) (?:goes|gets|will go|can (?:go|get))|(?:lowest|quietest)(?: volume| it goes| setting)?)\b"
)
MIDDLE_EN: Final = re.compile(r"\b(?:medium|mid(?:dle|way)?|half ?way|halfway|half)\b")
MOST_ZH: Final = re.compile(r"最大|最高|最响|到顶|拉满|开满|满格|max|能多大声就多大声")
LEAST_ZH: Final = re.compile(r"最小|最低|最轻|min(?!ute)")
MIDDLE_ZH: Final = re.compile(r"中等|适中|中间|一半")
_LOT: Final = re.compile(
    r"\b(?:a lot|lots|much|way|loads|heaps|a good bit|massively|right)\b(?! now)|很多|好多|不少|大幅|使劲|猛"
)
_NOTCH: Final = re.compile(r"\b(?:notch(?:es)?|levels?|steps?|clicks?|bars?)\b|[格档挡级]")
_OUT_OF_TEN: Final = re.compile(r"\bout of (?:ten|10)\b")

SOURCES_EN: Final = (
    ("bluetooth", r"blue ?tooth|(?:my |the |an? )?(?:phone|mobile|android|i ?phone|handset|smartphone)|car ?play|android auto"),
    ("usb", r"usb(?: (?:stick|drive|key))?|(?:thumb|pen|flash|memory) (?:drive|stick)|memory stick|stick"),
    ("dab", r"dab(?: plus)?|digital(?: radio)?"),
    ("internet", r"(?:inter)?net radio|web radio|online radio|streaming radio|internet|online"),
    ("cd", r"cds?(?: player)?|compact dis[ck]|dis[ck]"),
    ("aux", r"aux(?:iliary)?(?: (?:cable|input|in|port))?|line in"),
    ("am", r"am(?: radio| band)?|a m|medium wave"),
    ("fm", r"fm(?: radio| band)?|f m(?: band)?|tuner|radio"),
)  # fmt: skip
SOURCES_ZH: Final = (
    ("bluetooth", r"蓝[牙芽]|我?(?:的)?(?:苹果|安卓)?手机|carplay|bluetooth"),
    ("usb", r"usb|[u优]盘"),
    ("dab", r"dab|数字(?:广播|电台|收音机|音频广播)"),
    ("internet", r"(?:网络|互联网|在线)(?:收音机|电台|广播)|网络"),
    ("cd", r"cd机?|光盘|碟片?"),
    ("aux", r"aux|外接|线路?输入"),
    ("am", r"am|调幅|中波"),
    ("fm", r"fm|调频|收音机|广播|电台"),
)  # fmt: skip
"""A more telling name comes before one that it contains: "internet radio" is no radio of the car's."""
NO_SOURCE: Final = re.compile(
    r"\b(?:satellite|sirius(?: ?xm)?|xm|tv|television|dvd|spotify|cassette|tape|vinyl)\b|卫星|电视|磁带"
)
"""What the car's list of sources, as far as we know it, does not have, or has no name for."""


def source_named(form: str, zh: bool) -> tuple[str, str] | None:
    """(source, its words). Where two are named, the one that is wanted: behind "to", and not behind "from", "not", "instead of"."""
    found: list[tuple[int, int, str, str]] = []
    taken: list[tuple[int, int]] = []
    for name, pattern in SOURCES_ZH if zh else SOURCES_EN:
        for m in re.finditer(rf"(?<![a-z])(?:{pattern})(?![a-z])" if zh else rf"\b(?:{pattern})\b", form):
            if not any(begin < m.end() and m.start() < end for begin, end in taken):
                taken.append(m.span())
                found.append((*m.span(), name, m.group()))
    wanted = [one for one in sorted(found) if not _left(form, one[0], one[1], zh)]
    if not wanted and len({one[2] for one in found}) == 1 and re.search(r"\bfrom\b|从", form):  # "play from the USB stick"
        wanted = found
    names = {one[2] for one in wanted}
    if len(names) > 1 and "fm" in names:  # "FM on the radio", "the AM radio": the band says more
        wanted = [one for one in wanted if one[3] not in ("radio", "收音机", "广播", "电台")] or wanted
    return (wanted[-1][2], wanted[-1][3]) if wanted else None


def _left(form: str, begin: int, end: int, zh: bool) -> bool:
    """It is the one to leave."""
    before, behind = form[:begin], form[end:]
    if zh:
        return re.search(r"(?:从|不要|不听|别|不是|关掉?)$", before) is not None
    left = r"(?:from|not|instead of|rather than|no more|back from)(?: the)? $"
    return re.search(left, before) is not None or re.match(r" is crackling|(?:'s)? crackling", behind) is not None


def level_said(form: str, zh: bool) -> tuple[int, str] | None:
    """(percent, words): said as a share, as a bare number, as an end, or as the middle."""
    locale = "zh" if zh else "en"
    if NEAR_EN.search(form):
        return AUDIBLE, form
    percent = find_percent(form, locale)
    if percent is not None and not percent.vague:
        return round(percent.value), percent.words
    numbers = [one for one in find_numbers(form, locale) if not one.ordinal and 0 <= one.value <= 100]
    if numbers and (ten := _OUT_OF_TEN.search(form)) is not None and numbers[0].value <= 10:
        return round(10 * numbers[0].value), form[numbers[0].span[0] : ten.end()]
    ends = re.search(r"最[大小高低轻响]", form) if zh else None
    if re.search(r"\b(?:above|below|over|under)\b", form):
        return None
    if numbers and ends is None and numbers[-1].value == int(numbers[-1].value):
        return int(numbers[-1].value), numbers[-1].words
    for value, pattern in (
        (LOUDEST, MOST_ZH if zh else MOST_EN),
        (QUIETEST, LEAST_ZH if zh else LEAST_EN),
        (MIDDLE, MIDDLE_ZH if zh else MIDDLE_EN),
    ):
        if (m := pattern.search(form)) is not None:
            return value, m.group()
    return None


def beyond(form: str, zh: bool) -> bool:
    """A volume is said that there is none of: 150 percent, minus five."""
    numbers = [one.value for one in find_numbers(form, "zh" if zh else "en") if not one.ordinal]
    return bool(numbers) and not any(0 <= value <= 100 for value in numbers)


def step_said(form: str, zh: bool) -> int:
    """How much louder or softer, in percent points: as said, in notches of ours, or a step."""
    numbers = [one for one in find_numbers(form, "zh" if zh else "en") if not one.ordinal and 0 < one.value <= 100]
    if numbers:
        last = numbers[-1]
        if _NOTCH.match(form[last.span[1] :].strip()) and last.value <= 10:
            return round(STEP * last.value)
        return round(last.value)
    if zh and (few := re.search(r"([两二三四五])[格档挡级]", form)) is not None:
        return STEP * {"两": 2, "二": 2, "三": 3, "四": 4, "五": 5}[few[1]]
    return 2 * STEP if _LOT.search(form) else STEP
