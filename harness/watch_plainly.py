"""Standing requests in words that the frame of wishes.py does not know: "beep me when …", "shout if …", …你吱一声.

Used where something else has found that a standing request is meant: the clause that says when is cut out and put into the plain frame.
Does not know what the clause means (watch_words.py).
"""

from __future__ import annotations

import re
from dataclasses import replace

from ridealong.harness.skill import Context
from ridealong.harness.slots.text import language, plain
from ridealong.harness.watch_words import AskedFor, CarWords, understood
from ridealong.harness.wishes import wish

_WHEN_EN = re.compile(
    r"\b(?P<every>every time(?: that)?|each time|whenever|any ?time)\b (?P<a>.+)|\b(?:when|once|as soon as|the (?:moment|second|minute|instant)|in case|if|should|until|for when|that|before) (?P<b>.+)|"
    r"\b(?P<sense>(?:listen|look|watch)(?:ing)?(?: out)?|keep (?:an eye|an ear|a lookout|your eyes|your ears)(?: out| open| peeled)*) (?:for|on) (?P<c>.+)"
)
_TELL_EN = (
    r"(?:(?:and|then|please|just|you|could you|can you|will you|would you|make sure you|be sure to|i want you to|i need you to|give|to) )*"
    r"(?:tell|warn|alert|notify|inform|remind|beep|ping|shout|holler|yell|buzz|wake|say|speak up|let|give|sing out|nudge|poke|call)\b"
    r"(?: (?:me|us|out|it|so|something|a|an|know|heads up|shout|up|nudge|buzz|warning|alert|yell|holler|beep|right away|immediately|please|at once|about it|to))*"
)
_TAIL_EN = re.compile(
    rf"(?:[ ,]+(?:and |then |please |so )*(?:{_TELL_EN}|please|thanks|thank you|ok|okay|will you|would you|could you|can you|for me|mate|love|cheers|right away|straight away))+$"
)
_LEAD_EN = re.compile(rf"^{_TELL_EN} ?")
_TELL_ZH = (
    r"(?:就|请|再|要|记得|马上|立刻|赶紧|立即|帮忙|麻烦|劳烦|劳驾|拜托|你|您|都|得|给|能|可以|务必|一定|及时|也|,)*"
    r"(?:(?:告诉|提醒|通知|叫|喊|警告|知会|告知|招呼)(?:一下|下|一声|醒)?(?:我|我们|咱)?(?:一声|一下|下|知道|醒|句)*|(?:跟|和|给|同|对)(?:我|我们|咱)(?:说|讲|报|吱|提)(?:一?声|一下|下|个信儿?|警)?|"
    r"(?:吱|说|报|响|吭|出|应)(?:一|个)?(?:声|下|警|句)|提个?醒|(?:把)?(?:我)?叫醒(?:我)?|报警|报一?下|提示(?:我|一下)*)(?:吧|啊|呀|哈|哦|呗|行吗|好吗|好不好|谢谢|劳烦|麻烦了|,|\.)*"
)
_END_ZH = re.compile(rf"(?:{_TELL_ZH})$")
_BEGIN_ZH = re.compile(rf"^(?:{_TELL_ZH})")
_IF_ZH = re.compile(
    r"^(?:嗯|那个|对了|,|麻烦|请|劳驾|拜托|你|您|帮我|给我|替我|帮忙|耳朵尖|留(?:意|神|心)|注意|盯(?:着|住)?(?:点|一下)?|看着点?|听着点?|往后|以后|待会儿?|一会儿|如果|要是|假如|一旦|当|等到|等|只要|万一|我要是|的话)+"
)
_EVERY = re.compile(r"每次|每回|每当|每一次|次次|回回|只要|谁")
_MARK_ZH = re.compile(r"(?:的?时候|时|之后|以后|后|的话|了|,|\.|那一刻|就)+$")


def plainly(text: str, locale: str, context: Context, car: CarWords) -> AskedFor | None:
    """What is to be watched for, or None when no clause says it."""
    asked = understood(text, locale, context, car)
    if asked is not None and asked.capability != "watch.beyond" and not asked.missing:
        return asked
    framed = _framed(text, locale, context, car)
    again = understood(framed, locale, context, car) if framed else None
    if (again is None or again.capability == "watch.beyond") and (unclear := _unclear(text, locale, context, car)) is not None:
        return unclear
    if again is None or (asked is not None and again.capability == "watch.beyond"):
        return asked
    form = plain(text, locale)
    grounds = {name: ground if ":" in ground or ground in form else form for name, ground in again.grounds.items()}
    return replace(again, grounds=grounds)  # said in other words than the frame's


_SAME_ZH = (
    (r"(?:我)?(?:要是)?(?:开)?(?:过|破|上)了?(?=[\d一二三四五六七八九十百]+(?:了|码|迈|公里|$))", "车速超过"),
    (r"车速车速", "车速"),
    (r"(?:车速|速度)(?:过|破|上)了?", "车速超过"),
    (r"^超(?:过)?(?=[\d一二三四五六七八九十百]+)", "车速超过"),
    (r"(?:车)?(?:停稳|停好|停住|停下来|停下)了?", "车停下"),
    (r"^电量?(?:掉|降|跌|落)到", "电量降到"),
    (r"^电(?=低|只|剩|不|少)", "电量"),
)
_SAME_EN = (
    (
        r"\b(?:we (?:have |are )?(?:come|came) to (?:a )?(?:standstill|stop|halt)|we (?:have )?(?:stopped|pulled up)|the car (?:has )?stopped)\b",
        "we stop",
    ),
    (r"\ba fifth of the (?:battery|charge)\b", "20 percent battery"),
    (r"\ba quarter of the (?:battery|charge)\b", "25 percent battery"),
    (r"\bhalf (?:of )?the (?:battery|charge)\b", "50 percent battery"),
)


def _unclear(text: str, locale: str, context: Context, car: CarWords) -> AskedFor | None:
    """ "Under 30", and nobody said of what."""
    clause = _clause(text, locale)
    found = car.unclear(clause, language(text, locale), context.read) if clause else None
    if found is None:
        return None
    form = plain(text, locale)
    return AskedFor(
        "watch.signal", dict(found.arguments), dict.fromkeys(found.arguments, form), missing="topic", question=found.question
    )


def _clause(text: str, locale: str) -> str:
    wished = wish(text, locale)
    return wished.clause if wished is not None else ""


def _framed(text: str, locale: str, context: Context, car: CarWords) -> str:
    form = plain(text, locale)
    if language(text, locale) == "zh":
        every = _EVERY.search(form) is not None
        clause = _MARK_ZH.sub("", _END_ZH.sub("", form))
        if clause == form or not clause:
            clause = _BEGIN_ZH.sub("", form)
        clause = _MARK_ZH.sub("", _IF_ZH.sub("", clause))
        clause = re.sub(r"^(?:每次|每回|每当)", "", clause)
        for pattern, words in _SAME_ZH:
            clause = re.sub(pattern, words, clause, count=1)
        clause = car.bare(clause, "zh", context.read) or clause
        return f"{'每次' if every else ''}{clause}的时候告诉我" if clause and clause != form else ""
    found = _WHEN_EN.search(form)
    if found is None:
        return ""
    clause = _TAIL_EN.sub("", found["a"] or found["b"] or found["c"]).strip()
    if found["sense"] is not None:
        clause = re.sub(r"^(?:the|a|any|some) ", "", clause)
        sees = re.match(r"look|watch|keep (?:an eye|a lookout|your eyes)", found["sense"]) is not None
        signs = re.search(r"\bsign|\bwords?\b", clause)
        clause = f"you {'see' if sees else 'hear'} {'a ' if sees and signs and not clause.startswith('word') else ''}{clause}"
    for pattern, words in _SAME_EN:
        clause = re.sub(pattern, words, clause, count=1)
    if not clause:
        return ""
    clause = car.bare(clause, "en", context.read) or clause
    return f"tell me {'every time' if found['every'] else 'when'} {clause}"
