"""Another of a skill's own values, said alone just after it was asked for: "only tilt it", "let the sensor do it", "one notch is enough", 自动吧. Pure.

A value is whole words that the skill knows (`Changes.chosen`), with nothing else but what people put before and behind. A number or a place
is following.py's. Does not know which values there are.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final

from ridealong.harness import follow_en as english
from ridealong.harness import follow_zh as chinese
from ridealong.harness.follow_apart import set_apart
from ridealong.harness.follow_made import SHARE
from ridealong.harness.following import REFERS_WITHIN_MS, Found, Skills
from ridealong.harness.skill import Context, Match, Recent, Skill
from ridealong.harness.slots.text import language, plain
from ridealong.harness.slots.zones import place_spans

_LEAD_EN: Final = re.compile(
    r"^(?:(?:only|simply|fine|in that case|better|i think|i would say|why not|can we|let us|have it|for|go|with|put|set|keep|leave|make|switch|change|to|it|them|that|was|is|the)(?= \S)| )+"
)
_TAIL_EN: Final = re.compile(r" (?:only|looks? (?:\w+ )?(?:better|nicer|good)|for (?:me|us|now|today)|will be|it is)$")
_LEAD_ZH: Final = re.compile(r"^(?:只要?|就|换|改|得|把它|让它|用|那还是|干脆|不如|其实|要不)(?=.)")
_TAIL_ZH: Final = re.compile(r"(?<=.)(?:好看|更?舒服|合适|得了|就好|就够|算了|行|好)$")
_COMPLAINT_EN: Final = re.compile(
    r"(?:(?:oh|no|ow|ouch|wow|well|that|it|this) )*(?:(?:that|it|this|there) (?:is|was) )?(?:(?:way|far|a bit|much|a little|still|really) )*(?:too (?:\w+ ?){1,3}|(?:\w+ ){0,4}?(?:is |are |was )?not (?:long |much |big |bright )?enough(?: \w+)?)"
)
_COMPLAINT_ZH: Final = re.compile(r"(?:哎呀?|啊|嗯|这|那|也|还是|有点|.{1,5}?)?(?:太.{1,3}?了?|不(?:太)?够|不行)")

_NOT_BUT_ZH: Final = re.compile(r"^不是.+?而?是(?=..)")
_AROUND_ZH: Final = re.compile(r"^(?:把|给|让)?的?(?:就|也|要|调|设|开)?(?:成|到|为)?")
_AROUND_EN: Final = re.compile(r"^ ?(?:put|set|make|and|but)?(?: the)? ?(?:to|at|on)? |(?: (?:to|at|on|for))+ *$")
_COMPLAINT: Final = re.compile(r"\b(?:too|not) \w+(?: enough)?$|不(?:太)?够$")


def chosen(text: str, locale: str, context: Context, skills: Skills) -> Found:
    """None where these words name no value of what was asked for last."""
    first = context.recent[0] if context.recent else None
    if first is None or first.asked_ms_ago > REFERS_WITHIN_MS:
        return None
    zh = language(text, locale) == "zh"
    forms = tuple(_peeled(plain(text, locale), zh))
    for recent in (one for one in context.recent if one.asked_ms_ago == first.asked_ms_ago):
        skill = skills(recent.capability)
        named = skill.changes.chosen if skill is not None and skill.changes is not None else None
        if named is not None and skill is not None and (there := _there(text, locale, recent, skill, context)) is not None:
            return (there,)
        for form in forms if named is not None else ():
            another = named(recent.arguments, form, zh) if named is not None else None
            if another is None:
                continue
            capability, arguments = another
            new = [name for name, value in arguments.items() if recent.arguments.get(name) != value]
            grounds = {**dict.fromkeys(arguments, "context:recent"), **dict.fromkeys(new, form)}
            return (Match(capability, SHARE, dict(arguments), grounds),)
    return None


def _there(text: str, locale: str, recent: Recent, skill: Skill, context: Context) -> Match | None:
    """Another value, and where: 我的开一档, "hers on high"."""
    changes, zh, form = skill.changes, language(text, locale) == "zh", plain(text, locale)
    spans = place_spans(form, locale)
    if changes is None or changes.chosen is None or changes.placed is None or len(spans) != 1 or "zone" not in recent.arguments:
        return None
    (begin, end), before = spans[0], str(recent.arguments["zone"])
    zones = changes.placed(form[begin:end], locale, before, context)
    rest = _AROUND_ZH.sub("", f"{form[:begin]}{form[end:]}") if zh else _AROUND_EN.sub("", f"{form[:begin]} {form[end:]}").strip()
    for value in _peeled(rest, zh):
        another = changes.chosen(recent.arguments, value, zh)
        if another is not None and len(zones) == 1 and changes.places.issuperset(zones):
            grounds = {**dict.fromkeys(another[1], value), "zone": form[begin:end]}
            return Match(another[0], SHARE, {**another[1], "zone": zones[0]}, grounds)
    return None


def chosen_apart(text: str, locale: str, context: Context, skills: Skills, told: Callable[[str], bool]) -> tuple[Found, str]:
    """The same of a part of these words, with it, where the rest asks for nothing (`told`) or says why."""
    for piece, rest in [(text, tuple[str, ...]()), *set_apart(text, locale)]:
        found = chosen(piece, locale, context, skills)
        if found is not None and all(complains(one, locale) or told(one) for one in rest):
            return found, piece
    return None, ""


def complains(text: str, locale: str) -> bool:
    """ "Too hot", 风太大, 十分钟不够: why it is to be otherwise, and no request."""
    zh = language(text, locale) == "zh"
    return (_COMPLAINT_ZH if zh else _COMPLAINT_EN).fullmatch(plain(text, locale)) is not None


def _peeled(form: str, zh: bool) -> Iterator[str]:
    """The words, and what is left of them as one thing after the other that people put before and behind is taken off."""
    if not form or len(form) > (20 if zh else 60) or _COMPLAINT.search(form):
        return
    form = _NOT_BUT_ZH.sub("", form) if zh else form
    leads, tails = (
        ((chinese.LEAD, _LEAD_ZH), (chinese.TAIL, _TAIL_ZH)) if zh else ((english.LEAD, _LEAD_EN), (english.TAIL, _TAIL_EN))
    )
    yield form
    before = ""
    while form != before:
        before = form
        for pattern in (*tails, *leads):
            if (rest := pattern.sub("", form, count=1).strip()) != form:
                form = rest
                yield form
                break
