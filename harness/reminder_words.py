"""The words of a reminder: "remind me to call the bank at six", "don't let me forget the milk tonight", 明天早上八点提醒我开会. Pure.

`read(text, locale)` takes the asking and the when out of a sentence; what is left is what to be reminded of, in the user's own words. Words
that ask for more than reminders ("tell me", "ping me", 叫我) count only with a when. `lists` knows the questions about what there is.
Does not know what the time is, or what becomes of it (reminder.py).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from ridealong.harness.framing import frame
from ridealong.harness.meant import as_written
from ridealong.harness.slots.moment import Beyond, Moment, find_moment
from ridealong.harness.slots.text import language, plain
from ridealong.harness.wishes import wish

TIMED_S: Final = 4 * 3600
"""Timers are no longer."""


@dataclass(frozen=True, slots=True)
class Reminding:
    """`what`: as it was written, "" where nothing is named. `ground`: the same in the plain form. `moment`: None where nothing says when."""

    what: str
    ground: str
    moment: Moment | None
    form: str
    zh: bool

    @property
    def timer(self) -> bool:
        """A span that a timer has, and nothing to be reminded of."""
        moment = self.moment
        return not self.what and moment is not None and moment.beyond is None and 0 < (moment.in_s or 0) <= TIMED_S

    def words(self) -> str:
        """Those of the when."""
        if self.moment is None:
            return ""
        return self.form[self.moment.spans[0][0] : self.moment.spans[-1][1]].strip()


@lru_cache(maxsize=256)
def read(text: str, locale: str) -> Reminding | None:
    """None where no reminder is asked for."""
    zh, form = language(text, locale) == "zh", plain(text, locale)
    strong = (_STRONG_ZH if zh else _STRONG_EN).search(form)
    weak = None if strong is not None else (_WEAK_ZH if zh else _WEAK_EN).search(form)
    clock = (_CLOCK_ZH if zh else _CLOCK_EN).search(form) if strong is None else None
    asking = strong or clock or weak
    if asking is None or (_NOT_ZH if zh else _NOT_EN).search(form) or (zh and strong is not None and _TOLD_ZH.search(form)):
        return None
    if zh and asking.start() > 0 and _NOT_BEFORE_ZH.search(form[: asking.start()]):
        return None
    moment = find_moment(form, "zh" if zh else "en")
    if clock is not None and not _rings(clock, moment):
        return None
    if asking is weak and (moment is None or not moment.known):
        return None
    spans = list(moment.spans) if moment is not None else []
    pieces, at = list[str](), 0
    for begin, end in sorted([*spans, asking.span()]):
        pieces.append(form[at:begin])
        at = max(at, end)
    pieces.append(form[at:])
    kept = [tidied for piece in pieces if (tidied := _tidied_zh(piece) if zh else _tidied_en(piece))]
    ground = kept[0] if len(kept) == 1 else form if kept else ""
    if clock is not None and clock["wake"] and not kept:
        return Reminding("起床" if zh else "wake up", clock.group(), moment, form, zh)
    if asking is weak and not ground:
        return None
    if _is_watch(text, locale, moment, bool(ground)):
        return None
    return Reminding(_written(kept, text, zh), ground, moment, form, zh)


def _rings(clock: re.Match[str], moment: Moment | None) -> bool:
    """An alarm for a time of day is a reminder, of what is asked; one for a span is a timer. Somebody is woken after a span, too."""
    return moment is not None and (moment.known if clock["wake"] else moment.time is not None)


def _is_watch(text: str, locale: str, moment: Moment | None, named: bool) -> bool:
    """ "Remind me when the battery is low": what is waited for, and nothing to be reminded of then."""
    if wish(text, locale) is None or (moment is not None and moment.known):
        return False
    return not (named and moment is not None and moment.beyond is Beyond.EVENT)


def _written(pieces: list[str], text: str, zh: bool) -> str:
    """With capitals, where the words stand so in the text."""
    if zh:
        return "".join(pieces)
    return " ".join(
        re.sub(r"[\s,.;:!?]+", lambda m: m.group() if m.group() in (":",) else " ", as_written(one, text)) for one in pieces
    )


# --- English -----------------------------------------------------------------------------------------------------------

_STRONG_EN = re.compile(
    r"\b(?:remind|remined|reminds) (?:me|us)(?: (?:again|please|once more))?\b|\b(?:do not|never) let (?:me|us) forget\b|"
    r"\b(?:make sure|see to it|ensure) (?:that )?(?:i|we) (?:remember|do not forget|do)\b|"
    r"\b(?:i|we) (?:(?:also )?(?:need|want|would like|could do with)(?: to (?:be|get))?(?: a)?) remind(?:ing|ed|er)\b|"
    r"\b(?:(?:set|make|create|add|put|schedule|give me|give us|get me|get|have|save|new|another|need|want)(?: (?:me|us|up|in|on|myself))? )+(?:an?(?:other)? |the |one more |my |new |quick )*reminders?(?: in)?\b|"
    r"\bput something in my reminders\b|^(?:(?:please|hey|um+|uh+|okay) )*(?:a )?reminder\b"
)
_WEAK_EN = re.compile(
    r"\b(?:tell|alert|ping|poke|nudge|prompt|mind|text|buzz|shout at) (?:me|us)\b|\bgive (?:me|us) an? (?:nudge|shout|poke|ping|heads up|buzz)\b|\bwake my memory\b"
)
_CLOCK_EN = re.compile(
    r"\b(?:(?:set|make|create|add|put|schedule|give me|get me|i need|i want|i would like|another|new|the|an?|my|me|wake ?up|morning) )+alarms?(?: clock)?(?: for me)?\b|^(?:alarm|alarm clock)(?= (?:for|at)\b)|"
    r"(?P<wake>\b(?:wake|get) (?:me|us) up\b|\bwake (?:me|us)\b|\bwake up call\b)"
)
_NOT_EN = re.compile(
    r"\b(?:cancel|delete|remove|clear|drop|forget|stop|scrap|turn off|switch off|discard|snooze) (?:\w+ ){0,4}?(?:reminders?|alarms?)\b|\bdo not wake\b|\b(?:do not|stop) remind\w*\b|\b(?:no need|not need|without) (?:to )?(?:remind|a reminder)\w*\b|"
    r"^(?:(?:and|so|but|well|okay|hey) )*(?:did|have|has|was|were|had|what|which|when|who|how|is there|are there|do i|any|list|show|read|go through) (?:\w+ ){0,6}?(?:remind\w*)\b|\b(?:reminds|remind) (?:me|us) of\b(?! (?:the|my|our|it) )|"
    r"\bremind me (?:where|who|what|which|how|why)\b|\b(?:he|she|they|it|that|this|who|you|we|i) (?:always |just |really |already )?remind(?:s|ed)\b"
)
_PIECE_LEAD_EN = re.compile(
    r"^(?:(?:please(?: (?:love|dear|darling|honey|mate|pal|pet|babe|sweetheart)(?=$))?|but|do|plus|could you|can you|would you|will you|hey|um+|uh+|so|and|then|oh|also|okay|ok|well|ridealong|jarvis|(?:can|could|may|might) (?:i|we)(?= |$)|i want you to|i need you to|i would like you to|"
    r"to|about|of|that|for|it is time to|it is|again|called|saying|i have got to|i have to|i need to|i must|i am bound to forget|we have to|we need to|i might forget|i should)(?: |$))+|^(?:to|about|of|that|for|and|so|in|on|at|it|please|called|i|um|uh|hey|can you|could you|would you|will you|i|we|then|okay|also|no|not|sorry|wait|well|now)$"
)
_PIECE_TAIL_EN = re.compile(
    r"(?: (?:please(?: (?:love|dear|darling|honey|mate|pal|pet|babe|sweetheart))?|thanks|thank you|okay|ok|will you|would you|could you|can you|for me|and|so|to|then|but|that|i|no|sorry|wait|i mean))+$"
)


def _tidied_en(piece: str) -> str:
    piece = piece.strip()
    for _ in range(3):
        piece = _PIECE_TAIL_EN.sub("", _PIECE_LEAD_EN.sub("", piece)).strip()
    return piece


# --- Chinese -----------------------------------------------------------------------------------------------------------

_STRONG_ZH = re.compile(
    r"(?:请|麻烦你?|帮我|帮忙|到时候?|记得|再|也|要|给我|你|您)*(?:提醒|remind)(?:一下|一声)?(?:我们?|咱们?)(?:一下|一声)?|"
    r"(?:请|麻烦你?|帮我|给我|你|您|再)*(?:设置?|设定|加|添加|定|记|建|新建|来|创建)(?:一?下|一?[个条])?(?:新的)?(?:闹钟)?(?:提醒|reminder)(?:事项)?|别让我忘了?|到时候?别忘了?(?:叫|告诉)我"
)
_WEAK_ZH = re.compile(
    r"(?:请|麻烦你?|帮我|记得|到时候?)*(?:叫|喊|提)(?:一下|一声)?我(?:一下|一声)?|(?:请|记得|到时候?)*(?:告诉|通知)我"
)
_CLOCK_ZH = re.compile(
    r"(?:请|麻烦你?|帮我|给我|再)*(?:设置?|设定|定|订|上|调|来|加|添加|建|弄|开)(?:一?下|一?个)?.{0,14}?(?:闹钟|闹铃)|(?:闹钟|闹铃)(?:帮我|给我)?(?:设置?|定|调|上)(?:在|到|成|为)?|"
    r"(?P<wake>(?:把|请|麻烦你?|帮我|记得)*(?:叫醒我|(?:叫|喊)我(?:起床|起来|醒)|把我(?:叫|喊)醒))"
)
_NOT_ZH = re.compile(
    r"(?:取消|删掉?|删除|去掉|不用|不要|别|不必|无需|清除|停止|关掉|忘掉).{0,8}?(?:提醒|闹钟|闹铃)|提醒.{0,12}(?:取消|删掉|删了|去掉)|提醒过|提醒了我|提醒.{0,4}(?:有哪些|列表|清单)|(?:什么|哪些|有没有|多少|几个|几条).{0,4}提醒|提醒.{0,4}(?:什么|啥|干嘛|吗$)"
)
_TOLD_ZH = re.compile(r"^(?:他|她|他们|她们|妈妈?|爸爸?|老婆|老公|谁)(?:会|又|总|老|刚|就)*提醒")
_NOT_BEFORE_ZH = re.compile(r"(?:他|她|他们|谁|没|没有|忘了|昨天)$")
_PIECE_LEAD_ZH = re.compile(
    r"^(?:请|麻烦|帮我|嗯|呃|那个|然后|另外|还有|顺便|并且?|记得|要|到时候?|别忘了?|的|再|就|我要|我得|说|不对|不是|不)+"
)
_PIECE_TAIL_ZH = re.compile(r"(?:别忘了?|好吗|可以吗|行吗|谢谢|吧|啊|啦|哦|呀|呢|请|就|再|帮我|麻烦|记得|不对|不是|我|一声)+$")


def _tidied_zh(piece: str) -> str:
    return _PIECE_TAIL_ZH.sub("", _PIECE_LEAD_ZH.sub("", piece))


# --- what there is -----------------------------------------------------------------------------------------------------

_LIST_EN = re.compile(
    r"\b(?:what|which|how many|any|list|show|read|tell|go through|are there|is there|have i|do i|when is|pending|all|check)\b.*\breminders?\b|^(?:my |the )?(?:pending )?reminders?(?: please)?$|"
    r"\bwhat (?:did|do|have|was|am|should|are)\b.*\b(?:remind(?:ed|ing)?|supposed to remember)\b|\bwhat you are (?:going to|meant to) remind\b|\banything to be reminded\b|\breminder list\b"
)
_NO_LIST_EN = re.compile(r"\b(?:set|make|create|add|cancel|delete|remove|clear|forget|schedule) (?:me )?(?:an?|the|my|all|another|that)\b.*remind|\bremind me (?:to|at|in|about|when)\b|\bwhat (?:is|was) a reminder\b")  # fmt: skip
_LIST_ZH = re.compile(
    r"(?:什么|哪些|有没有|有冇|多少|几个|几条|啥|看看|看一下|查|念|读|列|所有|list|是不是设|咩).{0,8}?(?:提醒|reminder)|(?:提醒|reminder).{0,6}(?:什么|哪些|啥|干嘛|列表|清单|吗|有哪)|叫你.{0,4}提醒.{0,6}(?:什么|啥)"
)
_NO_LIST_ZH = re.compile(r"(?:取消|删|设(?:置|定)?一?个(?!提醒)|清除)")


def lists(text: str, locale: str) -> bool:
    """It is asked what there is to be reminded of."""
    framing = frame(text, locale)
    form = framing.text
    if framing.locale == "zh":
        return _LIST_ZH.search(form) is not None and _NO_LIST_ZH.search(form) is None
    return _LIST_EN.search(form) is not None and _NO_LIST_EN.search(form) is None
