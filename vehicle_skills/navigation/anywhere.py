"""A place that is only ruled out: "take me anywhere but home", 除了家去哪都行. Where to is asked. Pure.

Does not know the places.
"""

from __future__ import annotations

import re
from typing import Final

from ridealong.harness.doubt import Doubt
from ridealong.harness.skill import Match
from ridealong.harness.slots.text import language, plain
from ridealong.vehicle_skills.navigation.plan import SET

_BUT_EN: Final = re.compile(
    r"\b(?:any ?where|any ?place|some ?where|some ?place|every ?where)(?: else| in the world| (?:that )?(?:you|we|i) (?:like|want|please))* (?:but|except|besides|other than|apart from|rather than|only not|just not|not) |"
    r"\b(?:navigate|drive|take|go|bring|head)\b(?: \w+){0,2}? (?:not to|not) (?:home|work|the \w+)$"
)
_BUT_ZH: Final = re.compile(
    r"(?:去|到|开到|导航到)?(?:哪里?|哪儿|什么地方|随便哪里?|任何地方|随便)(?:都|也)?(?:行|可以|好|成).*(?:别|不要|除了|不去|不回)|除了.+(?:去|到|开|导航)?(?:哪里?|哪儿|什么地方|任何地方|随便)"
)


def doubt(words: str, locale: str, match: Match | None) -> Doubt | None:
    """`match` None: nothing else was made of the words."""
    zh = language(words, locale) == "zh"
    if (_BUT_ZH if zh else _BUT_EN).search(plain(words, locale)) is None:
        return None
    question = "那要去哪里？" if zh else "Where would you like to go, then?"
    return Doubt(question, Match(SET, 0.9, missing=("place",), question=question))
