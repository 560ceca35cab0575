"""The calls that were found, and the whole sentence: what it excludes, what it names beside them, and whether it is taken back at its end. Pure.

A call is found in some words of a sentence. The skill it belongs to sees the others here (`Skill.whole`). Does not know which skills there are.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from ridealong.harness.skill import Context, Match, Skill
from ridealong.harness.slots.text import language, marked

_BACK_EN: Final = re.compile(
    r"^(?P<asked>.*\w.*?)\s*(?:"
    r"(?:[,.] |(?<= ))(?:(?:oh|no|actually|wait|um|uh|hmm|well|sorry|ah|ok|okay|on second thoughts?) (?:[,.] )?)*"
    r"(?:never ?mind(?: (?:that|it|about it|about that))?|no (?:[,.] )?wait|wait (?:[,.] )?no)|"
    r"[,.] (?:(?:oh|no|actually|wait|um|uh|hmm|well|sorry|ah|ok|okay|on second thoughts?) (?:[,.] )?)*"
    r"(?:forget (?:it|that|about it|i said that)|scratch that|scrap that|cancel that|(?:i am )?(?:just|only) (?:kidding|joking|messing|teasing)|(?:i am )?(?:kidding|joking)|just a joke|do not(?: bother)?|on second thoughts? (?:[,.] )?no|changed my mind|i (?:have )?changed my mind)"
    r")(?: [,.]?|please|thanks|thank you|then|sorry)*$"
)
_BACK_ZH: Final = re.compile(
    r"^(?P<asked>.*\w.*?)\s*[,.]\s*(?:哎呀?|唉|呃|嗯|啊|哦|还是|那|不|等等|等一下|[,.]|\s)*"
    r"(?:算了|别了|(?:我)?(?:就|只)?(?:是)?(?:开(?:个|你)?玩笑|逗你|说着玩|闹着玩)(?:的|玩的?|呢)*|当我没说|作罢|还是别[关开调动]?了?|别[关开调动]了|不[关开调]了|(?P<needless>不用了?|不要了|不必了))(?:吧|啊|呀|谢谢|[,.]|\s)*$"
)
_ENDS_ZH: Final = re.compile(r"[关停]|取消|结束")
_LEAD: Final = re.compile(
    r"(?:oh|no|actually|wait|um|uh|hmm|well|sorry|ah|ok|okay|and|but|hey|then|哎呀?|唉|呃|嗯|啊|哦|那|不|[,.]|\s)*"
)
_TOLD_EN: Final = re.compile(r"\b(?:to|not|says?|said|you|and) $")


def taken_back(text: str, locale: str) -> bool:
    """What is asked for is withdrawn in the same breath: "close the windows, never mind", 打开车窗，算了. What stands behind is no withdrawal ("no
    wait, the other one"), and "turn it off, it's not needed" (不用了) is none either."""
    form = marked(text, locale)
    zh = language(text, locale) == "zh"
    found = (_BACK_ZH if zh else _BACK_EN).match(form)
    if found is None or _LEAD.fullmatch(found["asked"]) is not None:
        return False
    if zh:
        return not (found["needless"] and _ENDS_ZH.search(found["asked"]))
    return _TOLD_EN.search(f"{found['asked']} ") is None


def as_a_whole(
    matches: Sequence[Match], get: Callable[[str], Skill | None], text: str, locale: str, context: Context
) -> tuple[Match, ...]:
    """The calls as their skills have them, seen from the whole sentence. What others wait for, or need, stays ahead of them."""
    calls = tuple(matches)
    for capability in dict.fromkeys(match.capability for match in matches):
        skill = get(capability)
        if skill is None or skill.whole is None:
            continue
        own = [place for place, call in enumerate(calls) if call.capability == capability]
        meant = tuple(skill.whole([calls[place] for place in own], text, locale, context))
        if meant != tuple(calls[place] for place in own):
            calls = _replaced(calls, own, meant)
    return calls


def _replaced(calls: Sequence[Match], own: Sequence[int], meant: Sequence[Match]) -> tuple[Match, ...]:
    """The calls at the places `own` give way to those that are meant, at the first of the places. `behind` of what is new counts among the new."""
    if len(meant) == len(own):
        placed = dict(zip(own, meant, strict=True))
        return tuple(
            replace(placed[place], after=call.after, behind=call.behind) if place in placed else call
            for place, call in enumerate(calls)
        )
    first, places, size = own[0], dict[int, tuple[int, ...]](), 0
    for place in range(len(calls)):
        if place == first:
            places |= dict.fromkeys(own, tuple(range(size, size + len(meant))))
            size += len(meant)
        elif place not in own:
            places[place] = (size,)
            size += 1

    def moved(old: Sequence[int]) -> set[int]:
        return {new for place in old for new in places[place]}

    made: list[Match] = []
    for place, call in enumerate(calls):
        if place == first:
            waits = moved([other for at in own for other in calls[at].behind if other not in own])
            made += [replace(one, behind=tuple(sorted(waits | {len(made) + at for at in one.behind}))) for one in meant]
        elif place not in own:
            made.append(replace(call, after=tuple(sorted(moved(call.after))), behind=tuple(sorted(moved(call.behind)))))
    return tuple(made)
