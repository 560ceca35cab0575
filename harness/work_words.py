"""Words about work: cancel it, how far is it, how long is left, make it another, and also …. Closed patterns over the whole sentence. Pure.

`operation(text, locale)` gives what is asked for and the words that name the work (`about`, "" where they point at none). Whether there is
such work, and which one, is choosing.py's; that a car or a person could be meant instead is for the skills (skills/work.py). "Stop" and "never mind" as a whole are the
router's own; `calls_off` says which of them also mean what was asked for last.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from typing import Final

from ridealong.harness.framing import frame
from ridealong.harness.framing_en import WAKE as WAKE_EN
from ridealong.harness.framing_zh import WAKE as WAKE_ZH
from ridealong.harness.interjections import is_never_mind
from ridealong.harness.slots.text import plain


class Kind(Enum):
    CANCEL = "cancel"
    STATUS = "status"
    LEFT = "left"
    RESULT = "result"
    REVISE = "revise"


@dataclass(frozen=True, slots=True)
class Operation:
    """`change`: what a revision asks for. `adds`: beside what was asked, not instead of it. `vague`: names nothing, so that
    people may as well say it to each other."""

    kind: Kind
    about: str = ""
    change: str = ""
    adds: bool = False
    vague: bool = False


_LEAD_EN = (
    r"(?:(?:please|okay|ok|oh|um+|uh+|well|so|no|hey|now|then|actually|sorry|wait|hang on|hold on|you know what|and|but|just|can you|could you|would you|will you|"
    r"you can|you may|i want you to|i would like you to|i need you to|let us|go ahead and|on second thought|on second thoughts) )*"
)
_END_EN = r"(?: (?:please|thanks|thank you|then|now|right now|for now|again|after all|any ?more|any longer|for me|at the moment|actually|okay|ok))*"
_ONE_EN = (
    r"(?:the|my|that|this|your|our|all|both|every|those|these)\b[\w ]*?|everything|it all|all of (?:it|them|that)|both of them"
)
_SEARCHING_EN = r"(?:searching|looking|checking|working|timing|counting(?: down)?|hunting|comparing)"
_PART = r"(?P<about>{})"

_EN: Final[tuple[tuple[Kind, re.Pattern[str]], ...]] = tuple(
    (kind, re.compile(f"{_LEAD_EN}(?:{pattern}){_END_EN}"))
    for kind, pattern in (
        (Kind.CANCEL, r"(?:cancel|abort|call off|scrap|drop|forget(?: about)?|stop|end|kill|turn off|switch off|discard|delete|remove|clear|quit|never ?mind(?: about)?|no need for|"
                      r"do not (?:bother|worry)(?: with| about)|i (?:do not|no longer) (?:need|want)) " + _PART.format(_ONE_EN)),
        (Kind.CANCEL, r"(?:stop|quit|no need to keep|do not keep|do not bother|you can stop|no need to go on) " + _PART.format(_SEARCHING_EN + r"(?: (?:for|on|up|after|at) [\w ]+?)?")),
        (Kind.CANCEL, r"(?:do not|no need to) " + _PART.format(r"(?:search|look|check)(?: (?:for|up) [\w ]+?)?") + r" (?:any ?more|any longer|after all|now)"),
        (Kind.LEFT, r"(?:how (?:long|much time|much longer|many minutes)(?: (?:is|are|do i have|have i got|does|have we got|do we have|will|has))?(?: there)?(?: still)? ?(?:left|remaining|to go)?(?: (?:on|for|in|of|with|until|till|before))? "
                    + _PART.format(r"(?:the|my|that|this|our) [\w ]+?") + r"(?: (?:have|has|take|takes|need|left|remaining|to go|is up|is over|is done|goes off|rings|ends|runs out|run|still|got))*)"),
        (Kind.LEFT, r"how (?:long|much time|much longer|many minutes) (?:is |are |do i have |have i got )?(?:there )?(?:still )?(?:left|remaining|to go)"),
        (Kind.LEFT, r"when (?:is|does|will|are) " + _PART.format(r"(?:the|my|that) [\w ]+?") + r" (?:up|over|done|finished?|ready|be (?:up|over|done|ready|finished)|go off|ring|end|run out)"),
        (Kind.STATUS, r"what (?:are|were) you (?:still |currently |now |actually |busy )*(?:doing|working on|up to|busy with|searching for|looking for|waiting for)"),
        (Kind.STATUS, r"are you (?:still )?(?:busy|done|finished|ready|working(?: on (?:it|that|something|anything))?|searching|looking|on it)(?: yet| already)?"),
        (Kind.STATUS, r"(?:what|which|how many|(?:do i have|have i got|are there)(?: any)?|list(?: all)?|show(?: me)?(?: all)?|what are)(?: (?:my|the|your|of my))* " + _PART.format("timers?|countdowns?|alarms?") + r"(?: (?:do i have|have i (?:got|set)|are (?:there|running|set|on|active|going)|running|set|now|left|going|please))*"),
        (Kind.STATUS, r"what is (?:going on|running|in progress|pending|still (?:open|running|going|to come))|is (?:anything|something) (?:still )?(?:running|going on|in progress)|(?:list|what are) (?:all )?(?:my|your|the) (?:timers|tasks|jobs|requests)"),
        (Kind.STATUS, r"(?:is|are|has|have|was|did) " + _PART.format(r"(?:the|my|that|this|our|your|both|all)\b[\w ]*?|it|that|they") + r"(?: still| already| been)* (?:done|finished|finish|ready|complete|completed|over|running|going|in progress|through|under way|back|set|active|work|worked|come back|on)(?: yet| already| now)?"),
        (Kind.STATUS, r"how (?:is|are) " + _PART.format(r"(?:the|my|that|our|your) [\w ]+?|it|that|things") + r" (?:going|coming along|coming on|getting on|doing|progressing)"),
        (Kind.STATUS, r"how far along (?:is|are) " + _PART.format(r"(?:the|my|that|our) (?:[\w ]+)|you|it") + r"|how far (?:have you|has it) got"),
        (Kind.STATUS, r"(?:have|did|do) you (?:already |still )?" + _PART.format(r"(?:found|find|finish(?:ed)?|look(?:ed)?(?: up| for)?|search(?:ed)?(?: for)?|check(?:ed)?|cancel(?:led)?|have)(?: (?:anything|something|one|it|that|(?:the|my|a|any) [\w ]+?))?") + r"(?: yet| already| so far)+"),
        (Kind.STATUS, r"(?:what (?:is|about) |is there )?(?:the status|any (?:news|progress|result|results|luck|update)|an update)(?: (?:of|on|with|about|for|from) " + _PART.format(r"(?:the|my|that|our) [\w ]+?|it|that") + r")?(?: yet| already| so far)?"),
        (Kind.STATUS, r"what (?:about|happened to|became of|has become of) " + _PART.format(r"(?:the|my|that) [\w ]+?")),
        (Kind.RESULT, r"(?:(?:tell|give) me |what (?:was|is|were) |say |repeat |read (?:me )?)" + _PART.format(r"(?:the|that) (?:result|results|outcome|answer)s? (?:of|from|for|to) (?:the|my|that) [\w ]+?|the [\w ]+? results?") + r"(?: once more| one more time)?"),
    )
)  # fmt: skip
_MORE_EN = re.compile(r"\b(?:and|then|but|so|because)\b(?! (?:the|my|that)\b)")
_VAGUE_EN = re.compile(r"(?:it|that|they|things|you|)")
_REVISE_EN: Final = (
    re.compile(_LEAD_EN + r"(?:make|change|switch|turn) (?P<about>it|that|this|(?:the|my) [\w ]+?)(?:(?: to| into)|(?= the\b| a\b| an\b|(?<=it)|(?<=that)|(?<=this))) (?P<change>[\w .]+?)(?: (?:instead|rather))?" + _END_EN),
    re.compile(_LEAD_EN + r"(?:(?:i (?:would )?(?:want|like|prefer|need|rather have|meant|mean)|(?:look|search|check) for|find(?: me)?|get(?: me)?|take|give me|try|better|rather|use) )?(?P<change>[\w .]+?) (?:instead|rather)" + _END_EN),
)  # fmt: skip
_ADDS_EN: Final = re.compile(
    r"(?:(?:oh|okay|ok|wait|please|um|uh) )*(?:and also|and|also|plus)(?: (?:please|it should(?: also)? (?:have|be)|with|make sure it has|i want))* (?P<change>[\w .]+?)(?: (?:too|as well|please))*"
)

_NO_ADDITION_EN = re.compile(
    r"(?:do|does|did|is|are|was|were|will|would|can|could|should|shall|has|have|had|how|what|where|when|who|which|why|then|now)\b|(?:\S+ ){6}"
)
"""A question, or too long to be a word more to what was asked."""

_LEAD_ZH = (
    r"(?:请|麻烦|你|您|帮我|帮忙|给我|那|就|嗯|呃|哦|好了?|算了|等等|等一下|不好意思|可以|能不能|现在|先|还是|小助手|不|对了)*"
)
_END_ZH = r"(?:了|吧|啊|呀|呢|掉|一下|谢谢|好吗|可以吗|行吗)*"
_ZH: Final[tuple[tuple[Kind, re.Pattern[str]], ...]] = tuple(
    (kind, re.compile(f"{_LEAD_ZH}(?:{pattern}){_END_ZH}"))
    for kind, pattern in (
        (Kind.CANCEL, r"(?:取消|停止|停掉|终止|结束|关掉|关闭|删掉|去掉|放弃|不要|不用管|别管|忘了|忘掉|停)(?P<about>[^吗么什谁哪几]{1,16}?)"),
        (Kind.CANCEL, r"(?:把)?(?P<about>[^吗么什谁哪几]{1,16}?)(?:都|全|全部|就|给我)?(?:取消|停止|停|关|删|去|终止|结束|不要|不用)(?:掉|了)*"),
        (Kind.CANCEL, r"(?:别|不要|不用|不必|停止|先别|不需要)(?:再|继续|帮我|给我)*(?P<about>(?:找|搜索|搜|查找|查询|查|计时|倒计时|比较)[^吗么什谁哪几]{0,12}?)"),
        (Kind.LEFT, r"(?P<about>[^什谁哪]{0,12}?)(?:还|大概|大约)*(?:剩下?|有|要|需要|得)(?:多少时间|多久|多长时间|几分钟|多少分钟|多少秒|几秒)(?:时间)?(?:才)?(?:到|响|结束|好|完)?"),
        (Kind.LEFT, r"(?P<about>[^什谁哪]{1,12}?)(?:什么时候|何时|几点)(?:才)?(?:到|响|结束|好|完成?|到时间)"),
        (Kind.STATUS, r"(?:我|现在|都|还|一共)*(?:有|设了|定了|开着)(?:没有|着)?(?:哪些|什么|几个|多少个?)?(?P<about>计时器|闹钟|定时器?|倒计时)(?:吗|么|在走)?"),
        (Kind.STATUS, r"(?:现在|目前|还|正|都)*在?(?:干|做|忙|处理|查|找|搜)(?:些)?(?:什么|啥|嘛|哪些(?:事)?)"),
        (Kind.STATUS, r"(?:还|正)*在?(?P<about>忙|找|搜索|搜|查|处理|计时)(?:着)?(?:吗|么|没有)"),
        (Kind.STATUS, r"(?P<about>[^你您他她吃什谁]{0,12}?)(?:已经|都)?(?:完成|完|好|结束|有结果|弄好|做好|有消息|有进展|取消)了?(?:吗|没有?|么)"),
        (Kind.STATUS, r"(?P<about>[^你您他她什谁]{0,10}?(?:找|查|搜|搜索))(?:到|着)(?:什么|充电站|结果|东西)?了?(?:吗|没有?|么)"),
        (Kind.STATUS, r"(?P<about>[^你您他她什谁]{1,12}?)(?:现在)?(?:进行得|进行|进展得?|办得|弄得|做得|找得|查得|搜得|搜索得)(?:怎么样|怎样|如何|到哪(?:一步|里|儿)?)"),
        (Kind.STATUS, r"(?:有|有没有)(?:什么)?(?:进展|结果|消息)(?:吗|没有?|么)?|(?:事情|任务)?(?:进行|进展|办|弄|做)得?(?:怎么样|怎样|如何)"),
        (Kind.RESULT, r"(?:再)?(?:说|讲|告诉我|念|重复)(?:一下|一遍|一次)?(?P<about>[^什谁]{1,12}?(?:结果|答案))|(?P<about2>[^什谁]{1,12}?(?:结果|答案))(?:是)?(?:什么|怎么样|如何)(?:来着)?"),
    )
)  # fmt: skip
_REVISE_ZH: Final = re.compile(
    _LEAD_ZH + r"(?:把)?(?P<about>[^换改]{0,10}?)(?:换成|改成|改为|改到|换到|换|改)(?P<change>[^吗么什谁哪]{1,14}?)" + _END_ZH
)
_REVISE_ELSE_ZH: Final = re.compile(
    r"(?:不|算了|不对|嗯|那|等等)*(?:还是|我要|要|想要|找|来)(?P<change>最[^吗么什谁哪]{1,8}?)(?:的)?" + _END_ZH
)
_ADDS_ZH: Final = re.compile(
    r"(?:嗯|对了|那|再)*(?:还要|另外|顺便|再加上?|并且|也要|同时)(?:要|得|最好)?(?P<change>[^吗么什谁哪]{1,14}?)" + _END_ZH
)
_CANCELS_EN: Final = re.compile(
    r"(?:(?:hey|no|okay|ok|please|just|oh|wait|actually|then) )*cancel(?: (?:that|it|this))?(?: (?:please|now|thanks|then))*"
)
_CANCELS_ZH: Final = re.compile(r"(?:不要了?|那|还是|就|都|请|帮我)*取消(?:吧|了|掉|它|这个)*")


_OUTRIGHT: Final = re.compile(
    r"\b(?:cancel|abort|call off|scrap|forget|never ?mind|do not)\b|don't|取消|放弃|终止|别|不用|不要|忘", re.IGNORECASE
)


def cancels_outright(text: str) -> bool:
    """ "cancel", "forget", 取消: never a command to the car, as "stop", "turn off" and 关 may be."""
    return _OUTRIGHT.search(text) is not None


_TIMED_OR_SOUGHT: Final = re.compile(
    r"\b(?:timers?|alarms?|countdowns?|reminders?|search(?:es|ing)?|timing|counting)\b|计时|闹钟|倒计时|提醒|搜索|查找"
)
"""What only work can be."""


def names_work(text: str, locale: str) -> Kind | None:
    """What is asked of work that is named by what nothing else is: also where there is none."""
    asked = operation(text, locale)
    if asked is None or asked.kind not in (Kind.CANCEL, Kind.LEFT, Kind.STATUS) or not _TIMED_OR_SOUGHT.search(asked.about):
        return None
    return asked.kind


@lru_cache(maxsize=256)
def operation(text: str, locale: str) -> Operation | None:
    """What these words ask about work, or None."""
    framing = frame(text, locale)
    if not framing.text:
        return None
    form = (WAKE_ZH if framing.locale == "zh" else WAKE_EN).sub("", framing.text).strip()
    return _zh(form) if framing.locale == "zh" else _en(form)


def calls_off(text: str, locale: str) -> bool:
    """ "never mind", "cancel that", 算了, 取消: a stop that also means what was asked for last."""
    framing = frame(text, locale)
    form = (WAKE_ZH if framing.locale == "zh" else WAKE_EN).sub("", plain(text, framing.locale)).strip()
    return is_never_mind(form, locale) or (_CANCELS_ZH if framing.locale == "zh" else _CANCELS_EN).fullmatch(form) is not None


def _en(form: str) -> Operation | None:
    for kind, pattern in _EN:
        if (found := pattern.fullmatch(form)) is not None:
            about = (found.groupdict().get("about") or "").strip()
            if _MORE_EN.search(about):
                return None  # another request is in it: understood with that or not at all
            return Operation(kind, about, vague=_VAGUE_EN.fullmatch(about) is not None)
    for pattern in _REVISE_EN:
        if (found := pattern.fullmatch(form)) is not None:
            about = (found.groupdict().get("about") or "").strip()
            return Operation(Kind.REVISE, about, found.group("change").strip(), vague=_VAGUE_EN.fullmatch(about) is not None)
    found = _ADDS_EN.fullmatch(form)
    if found is not None and _NO_ADDITION_EN.match(found.group("change")) is None:
        return Operation(Kind.REVISE, "", found.group("change").strip(), adds=True, vague=True)
    return None


def _zh(form: str) -> Operation | None:
    for kind, pattern in _ZH:
        if (found := pattern.fullmatch(form)) is not None:
            about = found.groupdict().get("about") or found.groupdict().get("about2") or ""
            if kind is Kind.LEFT and not about and form.endswith("到"):
                continue  # how long until we arrive
            return Operation(kind, about, vague=not about)
    if (found := _REVISE_ZH.fullmatch(form) or _REVISE_ELSE_ZH.fullmatch(form)) is not None:
        about = found.groupdict().get("about") or ""
        return Operation(Kind.REVISE, about, found.group("change"), vague=not about)
    if (found := _ADDS_ZH.fullmatch(form)) is not None:
        return Operation(Kind.REVISE, "", found.group("change"), adds=True, vague=True)
    return None
