"""A sentence without the sounds made while thinking: "navigate to, uh, the airport", 导航到，嗯，机场. Pure.

A pause is no part of a name, a place or a text. What a sentence begins with stays: 嗯 can be a yes there, and "hmm" a doubt. So does what stands alone.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

_GAP: Final = r"[\s,，、.…—–-]"
_SOUND_EN: Final = re.compile(
    rf"(?P<before>[\w'’%°]+)(?P<gap>{_GAP}+)(?:(?:[Uu]+[hm]+m*|[Ee]rm*|[Hh]m+|[Aa]hm+)(?![\w'’])(?!-| (?:oh|huh|uh)\b){_GAP}*)+(?=\w)"
)
_SOUND_ZH: Final = re.compile(
    r"(?P<before>[\u4e00-\u9fff\d%])(?P<gap>[\s，,、…]*)(?:(?:[嗯呃唔]+|(?<=[\s，,、…])(?:额+|那个)(?=[，,、…]))[\s，,、…]*)+(?=[\u4e00-\u9fff\d])"
)
_BEHIND_NO_ZH: Final = re.compile(
    r"(?P<no>(?<![好要])(?:千万|先|可|暂时|请)*(?:不要|不用|不必|不许|别(?!的|人|处|墅))(?:去|再|给我|把)?)(?:[\s，,、…]*(?:呃+|嗯+|额|那个|啊|哦|就是|这个(?=[\s，,、…]))[\s，,、…]*)+(?=[打开关调升降把摇])"
    r"|(?P<of>(?<![好要])(?:千万|先|可|暂时|请)*(?:不要|不用|不必|不许|别)(?:把|将|给))(?:[\s，,、…]*(?:呃+|嗯+|额|那个|啊|哦|就是)[\s，,、…]+)+"
    r"|(?<=千万不要)[\s，,、…]+|(?<=千万别)[\s，,、…]+"
)
"""A hesitation between "don't" and what is not to be done: 千万不要，呃，打开天窗; 别把，嗯，空调设成十六度."""
_WITHIN_ZH: Final = re.compile(r"(?P<verb>[是能会要有])(?:那个|[嗯呃额啊]+)+(?=[不没](?P=verb))")
"""是那个不是: a question taken apart."""
_JOINED_EN: Final = re.compile(
    r"to|the|a|an|my|your|his|her|our|their|this|that|these|those|at|for|of|in|on|by|from|with|into|than|and|or|then|please|about|between|is|are|be|it's|set|navigate|call|ring|play|open|close|turn|put|make|find|read|take|remind|text|tell|drive|go|get|show"
)
"""Behind these nothing has come to an end: no comma stays."""
_JOINED_ZH: Final = frozenset("到去把给在的和跟是成为请要别将往向从找放开关调打")


_OWNER_EN: Final = (
    r"(?:my|your|his|her|our|their|(?:the )?(?:driver|passenger)(?:['’]?s)?|(?:the )?(?:left|right|front|rear|back))"
)
_AGAIN_EN: Final = re.compile(
    rf"\b{_OWNER_EN} (?P<thing>[a-z]+){_GAP}+(?:(?:uh+|um+|erm?|ah+|oh){_GAP}+)+(?P<again>{_OWNER_EN} (?P=thing))\b",
    re.IGNORECASE,
)
_OWNER_ZH: Final = r"(?:我|你|您|他|她|主驾驶?|副驾驶?|司机|左边?|右边?|前排?|后排?)的?"
_AGAIN_ZH: Final = re.compile(
    rf"{_OWNER_ZH}(?P<thing>座椅|座位|车窗|窗户?|车门|这边|那边)[\s，,、…]*(?:[呃嗯额唔哦啊]+[\s，,、…]*)+(?P<again>{_OWNER_ZH}(?P=thing))"
)
"""The same thing once more, of another: who hesitates between the two means the second. "My seat, uh, his seat"."""


@lru_cache(maxsize=512)
def without_hesitations(text: str) -> str:
    """The same words; where a pause parted two clauses, a comma stays."""
    text = _AGAIN_ZH.sub(r"\g<again>", _AGAIN_EN.sub(r"\g<again>", text))
    text = _BEHIND_NO_ZH.sub(lambda found: found["no"] or found["of"] or "", text)
    return _WITHIN_ZH.sub(r"\g<verb>", _SOUND_ZH.sub(_rest_zh, _SOUND_EN.sub(_rest_en, text)))


def _rest_en(found: re.Match[str]) -> str:
    parted = found["gap"].strip() or found[0].rstrip()[-1] in ",.…"
    return found["before"] + (", " if parted and not _JOINED_EN.fullmatch(found["before"].casefold()) else " ")


def _rest_zh(found: re.Match[str]) -> str:
    parted = found["gap"] or found[0][-1] in "，,、… "
    return found["before"] + ("，" if parted and found["before"] not in _JOINED_ZH else "")
