"""The frame of a standing request: "tell me when …", "let me know if …", "…的时候告诉我": what is waited for, how often, how long. Pure.

`wish(text, locale)` finds the clause and takes off lead, politeness, "every time" and "for the next hour". A question about the present
("tell me if the boot is open") or about a time ("tell me when the train leaves") is none. Does not know what the clause means.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from ridealong.harness.slots.duration import find_duration
from ridealong.harness.slots.text import language, plain


@dataclass(frozen=True, slots=True)
class Wish:
    """`clause` is a stretch of the plain form. `lasts_s`: how long it was asked for, with the words (`lasts_words`)."""

    clause: str
    locale: str
    every_time: bool = False
    every_words: str = ""
    lasts_s: float | None = None
    lasts_words: str = ""


_POLITE_EN = (
    r"(?:(?:hey|hi|ok|okay|so|and|well|please|now|also|oh|um+|uh+|ridealong|ride along|jarvis|computer|assistant|just|maybe|kindly|could|can|"
    r"would|will|you|i want you to|i would like you to|i need you to|go ahead and|be so kind and) )*"
)
_TELL_EN = (
    r"(?:(?:tell|warn|alert|notify|inform|remind|ping|nudge|buzz) (?:me|us)|let (?:me|us) know|give (?:me|us) (?:a |an )?(?:shout|heads up|warning|alert|sign)|"
    r"say (?:so|something|when)|speak up|shout)"
)
_WHEN_EN = r"(?:when ?ever|when|once|as soon as|every time(?: that| when)?|each time(?: that| when)?|any ?time(?: that)?|the moment|in case|if)"
_LEAD_EN = re.compile(rf"^{_POLITE_EN}{_TELL_EN}(?: please| right away| immediately)? (?P<when>{_WHEN_EN}) (?P<clause>.+)$")
_TRAIL_EN = re.compile(
    rf"^{_POLITE_EN}(?P<when>{_WHEN_EN}) (?P<clause>.+?) (?:please |then |could you |can you |just )*(?:(?:tell|warn|alert|notify|let|ping|nudge|buzz) (?:me|us)(?: know)?|say (?:so|something)|shout|speak up|give (?:me|us) (?:a )?(?:shout|nudge|heads up))(?: please)?$"
)
_WATCH_EN = re.compile(
    rf"^{_POLITE_EN}(?:(?P<eye>watch(?: out)?|look out|keep (?:an eye|a lookout|an eye out|watch)(?: out)?)|(?P<ear>listen(?: out)?|keep an ear (?:out|open))) "
    r"for (?P<clause>(?:a |an |the |any )?(?:signs?\b|words?\b|text\b|exit \w+|gate \w+|sirens?\b|horns?\b|honk\w*|loud\b|bangs?\b|noises?\b|my name\b).*)$"
)
_NO_WISH_EN = re.compile(
    r"^(?:to|do|does|did|is|are|was|were|will|would|should|can|could|has|have|had|not)\b|\b(?:will|was|were|did|had|would|used to|going to|next (?:train|bus|tram|flight|game|match|stop)|born|invented|founded|ended|happened|died|began)\b"
)
_TO_A_PERSON_EN = re.compile(
    r"^(?:you|he|she|they|mum|mom|dad|your|his|her|their|dinner|lunch|everybody|everyone)\b(?! (?:can |ever |should )?(?:see|hear|spot|read|notice|find|recogni[sz]e|sense|detect)\b)"
    r"(?! (?:say|announce|mention|call|shout)s?\b)"
)
"""What people ask each other: "let me know when you are ready", "tell me when she is back"."""
_BECOMES_EN = re.compile(
    r"\b(?:below|under|over|above|less|more|lower|higher|faster|slower|exceeds?|drops?|falls?|reach(?:es)?|hits?|gets?|goes|comes?|opens|closes|starts?|stops?|"
    r"changes?|arrive|see|hear|says?|mentions?|calls?|announces?|appears?|shows? up|runs? (?:low|out)|there (?:is|are) (?:a |an |any )*(?:loud|sudden|bang|crash|noise|explosion|sign))\b"
)
_EVERY_EN = re.compile(
    r"\b(?:every|each) (?:single )?time\b(?: (?:it|that|this) happens)?|\bwhenever\b|\balways\b|\bany ?time\b|\bwhen ever\b"
)
_LASTS_EN = re.compile(r" ?\b(?:(?:for|in|within|over|during) (?:the )?(?:next )?|the next )$")
_NEXT_HOUR_EN = re.compile(r" (?:(?:for|in|within|over|during) )?(?:the|this) next (half )?(hour|minute)\b")
_TAIL_EN = re.compile(
    r" ?\b(?:please|too|as well|thanks|thank you|okay|ok|will you|would you|could you|for me|right away|immediately|at any point|somewhere|again|"
    r"(?:and|then|and then) (?:please |just )?(?:tell|warn|alert|notify|ping|let|give|shout|say|call|nudge)(?: (?:me|us|know|out|so|something|a|an|shout|nudge|heads up))*)$"
)

_TELL_ZH = (
    r"(?:就|请|再|要|记得|马上|立刻|立即|帮忙|麻烦|你|都)*(?:告诉|提醒|通知|叫|喊|警告)(?:一下)?(?:我|我们)(?:一声|一下|知道)?|"
    r"(?:就|请|再|要|记得|马上|都)*(?:跟|和)(?:我|我们)说(?:一声|一下)?"
)
_POLITE_ZH = r"(?:(?:嘿|嗨|你好|小助手|请|麻烦|帮我|帮忙|给我|你|您|能不能|可不可以|可以|能|那|嗯|注意(?:一下)?|盯着|留意(?:一下)?)[,， ]?)*"
_IF_ZH = r"(?:如果|要是|假如|一旦|当|等到|等|每次|每当|只要)"
_TRAIL_ZH = re.compile(
    rf"^{_POLITE_ZH}(?P<when>{_IF_ZH})?(?P<clause>.+?)(?P<mark>的?时候|时|之后|以后|后|的话|了)?(?:{_TELL_ZH})(?:好吗|可以吗|吧|啊|哦|谢谢)*$"
)
_LEAD_ZH = re.compile(
    rf"^{_POLITE_ZH}(?:告诉|提醒|通知|警告)(?:我|我们)(?P<when>{_IF_ZH}|在)(?P<clause>.+?)(?P<mark>的?时候|时|之后|以后|后|的话|了)?(?:吧|啊|哦|谢谢)*$"
)
_BECOMES_ZH = re.compile(
    r"低于|高于|超过|小于|大于|不到|少于|多于|降到|升到|达到|掉到|剩|充到|充满|满|看到|看见|听到|听见|出现|有人|谁|广播|打开|开了|关上|关了|到了?$|到达|抵达|开始|停|变|下雨"
)
_NO_WISH_ZH = re.compile(r"多少|什么|哪|几(?!乎)|吗|怎么|是不是|有没有(?!人)|为什么")
_TO_A_PERSON_ZH = re.compile(r"^(?:那|等)?(?:你|您|他|她|他们|妈妈?|爸爸?)(?!能?(?:看|听)[到见]|们?(?:说|叫|喊|提|念|广播))")
_EVERY_ZH = re.compile(r"每次|每当|每一次|只要|都要?(?=告诉|提醒|通知|叫)")
_LASTS_ZH = re.compile(r"(?:接下来|往后|未来|今后|之后|在|这)?(?:的)?$")


@lru_cache(maxsize=512)
def wish(text: str, locale: str) -> Wish | None:
    """The standing request that these words are, or None."""
    lang = language(text, locale)
    form = plain(text, lang)
    return _zh(form) if lang == "zh" else _en(form)


_FIRST_EN = re.compile(
    rf"^{_POLITE_EN}(?P<lasts>(?:for|over|during|within) the next (?:\w+ ){{0,5}}(?:seconds?|minutes?|hours?)) (?P<rest>.+)$"
)


def _en(form: str) -> Wish | None:
    if (first := _FIRST_EN.match(form)) is not None:
        form = f"{first['rest']} {first['lasts']}"
    found = _LEAD_EN.match(form) or _TRAIL_EN.match(form)
    if found is None:
        watched = _WATCH_EN.match(form)
        if watched is None:
            return None
        perceived = "you see" if watched.group("eye") else "you hear"
        return _finished(f"{perceived} {watched.group('clause')}", form, "en")
    clause = found.group("clause")
    body = re.sub(
        r"\b(?:sign|signs|word|words|text|says|say|saying|reads|reading|mentions|called?|calls|announces?) .*$", "", clause
    )
    if _NO_WISH_EN.search(body) or _TO_A_PERSON_EN.match(clause):
        return None
    if found.group("when") == "if" and not _BECOMES_EN.search(clause):
        return None
    return _finished(clause, form, "en")


def _finished(clause: str, form: str, locale: str) -> Wish | None:
    zh = locale == "zh"
    every = (_EVERY_ZH if zh else _EVERY_EN).search(form)
    lasts_s, lasts_words = None, ""
    hour = _NEXT_HOUR_EN.search(clause) if not zh else None
    duration = find_duration(clause, locale) if hour is None else None
    if hour is not None:
        length_s = 3600.0 if hour.group(2) == "hour" else 60.0
        lasts_s, lasts_words = (length_s / 2 if hour.group(1) else length_s), hour.group().strip()
        clause = f"{clause[: hour.start()]} {clause[hour.end() :]}"
    if duration is not None:
        lead = (_LASTS_ZH if zh else _LASTS_EN).search(clause[: duration.span[0]])
        after = re.match(r"(?:之?内|里)?", clause[duration.span[1] :]) if zh else None
        if lead is not None and (not zh or lead.group() or (after is not None and after.group())):
            lasts_s, lasts_words = duration.duration_s, duration.words
            tail = clause[duration.span[1] + (after.end() if after is not None else 0) :]
            clause = clause[: lead.start()] + (tail if zh else f" {tail}")
    if not zh:
        clause = _EVERY_EN.sub(" ", clause)
    clause, before = re.sub(r"\s+", "" if zh else " ", clause).strip(" ,."), ""
    clause = re.sub(rf"^{_IF_ZH}", "", clause) if zh else clause
    while clause != before:
        before = clause
        clause = re.sub(r"(?:吧|啊|了|呢|请)$", "", clause) if zh else _TAIL_EN.sub("", clause).strip()
    if not clause:
        return None
    return Wish(clause, locale, every is not None, every.group() if every else "", lasts_s, lasts_words)


def _zh(form: str) -> Wish | None:
    found = _LEAD_ZH.match(form) or _TRAIL_ZH.match(form)
    if found is None or _TO_A_PERSON_ZH.match(form):
        return None
    clause = found.group("clause")
    conditional = found.group("when") or found.group("mark") in ("的时候", "时候", "时", "的话")
    if not conditional and not _BECOMES_ZH.search(clause):
        return None
    spoken = re.sub(r"(?:写着|写|说|提到|念到|叫|广播|牌子).*$", "", clause)
    if _NO_WISH_ZH.search(spoken):
        return None
    return _finished(clause, form, "zh")


# --- ending one, asking about them, calling an alert wrong -----------------------------------------------------------

_STOP_EN = re.compile(
    rf"^{_POLITE_EN}(?:stop|quit|cancel|end|drop|forget|no longer|no more|you can stop|do not)(?: (?:all|the|my|that|this|any|those|your|me|keep|with))* "
    r"(?:watch(?:ing|es)?|listen(?:ing)?|look(?:ing)?|alert(?:s|ing)?(?: me)?|warn(?:ing|ings)?(?: me)?|notif(?:y|ying|ications?)(?: me)?|telling me|standing requests?)"
    r"(?: (?:for|out|about|when|me|that|it|anything|everything|all|now|please|any ?more|any longer|on|the|this|things?|signs?|stuff).*)?$"
)
_LIST_EN = re.compile(
    rf"^{_POLITE_EN}(?:what|which things?|what things?|what all|what else) (?:are|were|am) (?:you|i) (?:still |currently |now )*(?:watching|listening|looking|waiting|keeping an eye out|having you watch)"
    r"(?: (?:out|for|on|now|at the moment|currently|right now|anything))*$|"
    rf"^{_POLITE_EN}(?:are you (?:still )?(?:watching|listening|looking) (?:out )?for (?:anything|something)(?: else)?|(?:list|show(?: me)?|what are) (?:all )?(?:my|the|your) (?:watches|alerts|standing requests)|"
    r"what (?:will|are) you (?:going to )?(?:tell|alert|warn) me (?:about|of)|what did i ask you to (?:watch|look out|listen)(?: for)?)$"
)
_WRONG_EN = re.compile(
    rf"^{_POLITE_EN}(?:no |nope |that is |that was |it is |it was |this was |sorry )*(?:a |just a )?(?:false alarm|wrong alert|not (?:it|true|right|a siren|a horn|a bang|the (?:sign|one|word)|what i (?:meant|wanted|asked for))|wrong sign|mistake)$|"
    rf"^{_POLITE_EN}(?:no )?(?:there is|there was|i see|it says|nobody said|no one said) (?:no|not|that|nothing)(?: (?:such )?(?:sign|siren|bang|noise|horn|that|such thing))?$"
)
_STOP_ZH = re.compile(
    r"^(?:请|好了|那|你|小助手|可以)*(?:别|不用|不要|停止|取消|停|不必)(?:再|继续|所有的?|全部|掉)*(?:盯着?|监听|监视|留意|注意|观察|守着|提醒|看着?|听着?|通知|告诉)(?:我|了|着|它|那个|这个|标志|牌子|提醒|电量|车速|一下)*(?:了|吧)?$"
)
_LIST_ZH = re.compile(
    r"^(?:请问|那|现在)?(?:你)?(?:现在|目前|还)?(?:在|正在|都在)?(?:盯着?|留意|监听|注意|等|关注|守着|监视)(?:着)?(?:些|哪些|一些)?(?:什么|啥|哪些)(?:东西|事)?(?:呢|呀)?$|"
    r"^(?:我)?(?:让你|设了|有)(?:盯着|留意|注意|提醒)?(?:些|哪些)?(?:什么|哪些)(?:提醒|事)?$"
)
_WRONG_ZH = re.compile(
    r"^(?:不对?|哎|嗯|那|这)*(?:是)?(?:误报|报错了|弄错了|看错了|听错了|没有(?:啊|呀)?没有?|不是(?:这个|那个|的)?(?:牌子|警笛|声音|标志)?|虚惊一场|假警报)(?:了|吧|啊)*$"
)


def about_watches(text: str, locale: str) -> str:
    """ "stop", "list" or "wrong" where the words end, list or reject what is watched for; else ""."""
    lang = language(text, locale)
    form = plain(text, lang)
    patterns: Final = {
        "stop": _STOP_ZH if lang == "zh" else _STOP_EN,
        "list": _LIST_ZH if lang == "zh" else _LIST_EN,
        "wrong": _WRONG_ZH if lang == "zh" else _WRONG_EN,
    }
    return next((what for what, pattern in patterns.items() if pattern.match(form)), "")
