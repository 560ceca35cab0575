"""Two places, one after the other: "take me to the pharmacy and then home", 先去加油站再去机场. Pure.

Said as what they are: the second is where to, the first a stop on the way ("navigate home via the pharmacy", 去机场，路上去一下加油站). Only where the sentence is
nothing else, and both are places by their form: 先去接孩子，再去公司 names one. Does not know the places, or skills.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from ridealong.harness.slots.text import language

_GO_EN: Final = r"(?:take (?:me|us)|go|drive(?: (?:me|us))?|navigate|head|bring (?:me|us)|get (?:me|us)|guide (?:me|us)|let['’]?s go|let us go|(?:i|we) (?:need|want|have) to go|directions)"
_NAME_EN: Final = r"(?:(?!(?:to|then|and|first|via|by|if|when|before|after|that|who|which|stop|turn|open|close|set|call|remind|pick|drop|get|buy|find)\b)[\w'’.-]+)(?: (?!(?:then|first|via|if|when|before|after|that|who|which|stop|turn|open|close|set|call|remind|pick|drop|get|buy|find|is|are)\b)[\w'’.-]+){0,4}?"
_TO_EN: Final = r"(?:to (?=\S)|(?=home\b))"
_TWO_EN: Final = re.compile(
    rf"(?:please )?(?:first,? )?{_GO_EN} (?:first )?{_TO_EN}(?P<first>{_NAME_EN})(?: first)?,? (?:and )?(?:then|after that|afterwards)(?: on)?(?: {_GO_EN})? (?:on )?(?:{_TO_EN}|(?=the ))(?P<then>{_NAME_EN})(?:,? (?:please|thanks|thank you))*[.!]?",
    re.IGNORECASE,
)
_HOME_EN: Final = re.compile(rf"\b{_GO_EN} home (?:via|by way of)\b", re.IGNORECASE)
_NAME_ZH: Final = r"(?:一下|一趟|趟)?(?![接取买送吃喝拿办看找坐停等加](?!油站|气站|拿大))[^，,。去到回再然]{1,12}?"
_TWO_ZH: Final = re.compile(
    rf"(?:请|帮我|带我|导航|我们?|咱们?|想|要)*先(?:去|到|回|导航到?|绕到?|拐到?)(?P<first>{_NAME_ZH})[，, ]*(?:然后|之后|接着)?(?:再|然后|接着)(?:去|到|回|导航[去到]?|送我[去到回])(?P<then>{_NAME_ZH})(?:吧|啊|呀|谢谢)*[。！]?"
)
_TRIP_ZH: Final = re.compile(r"^(?:一下|一趟|趟)")


@lru_cache(maxsize=256)
def by_way_of(text: str, locale: str) -> str:
    zh = language(text, locale) == "zh"
    found = (_TWO_ZH if zh else _TWO_EN).fullmatch(text.strip())
    if found is None:
        return text if zh else _HOME_EN.sub(r"navigate home via", text)
    if zh:
        first, then = (_TRIP_ZH.sub("", found[name]) for name in ("first", "then"))
        return f"去{then}，路上去一下{first}" if first != then else text
    then = found["then"]
    return f"navigate {'' if then.lower().startswith('home') else 'to '}{then} via {found['first']}"
