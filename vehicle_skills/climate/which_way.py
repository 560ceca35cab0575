"""Warmer or cooler, where the words leave no doubt: "a little less cold", "my side's too hot", 别那么热. Pure.

A grammar sees "a little less", a tagger the whole sentence; either may take one for the other. Only where one way is named, and of one change.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from ridealong.harness.skill import Match
from ridealong.harness.slots.text import language, plain

CHANGE: Final = "climate.change_temperature"
_COLD_EN: Final = r"(?:cold|chilly|cool|nippy|freezing|icy|frosty)"
_HOT_EN: Final = r"(?:hot|warm|toasty|boiling|stifling|roasting)"
_FEELS_EN: Final = r"\b(?:too|less|not (?:so|as|quite so|quite as|that)|(?:a bit|a little|way|far|much) too) {}\b(?! ?(?:enough|tap|water|drink))"
_FEELS_ZH: Final = r"(?:太|别(?:那么|这么)?|不要(?:那么|这么)|没?不?(?:那么|这么)){}(?!情|闹|点|一点|门|心|水)"
_WARMER: Final = (re.compile(_FEELS_EN.format(_COLD_EN)), re.compile(_FEELS_ZH.format("[冷凉冻]")))
_COOLER: Final = (re.compile(_FEELS_EN.format(_HOT_EN)), re.compile(_FEELS_ZH.format("[热烫]")))
_DENIED: Final = re.compile(r"\bnot too\b|\bnever too\b|\bis not\b|\bif\b|不是太|不太")


def as_felt(calls: Sequence[Match], text: str, locale: str) -> Sequence[Match]:
    """The calls, the one change of temperature the way it must be."""
    form, zh = plain(text, locale), language(text, locale) == "zh"
    changes = [call for call in calls if call.capability == CHANGE]
    warmer, cooler = (patterns[zh].search(form) is not None for patterns in (_WARMER, _COOLER))
    if len(changes) != 1 or warmer is cooler or _DENIED.search(form) is not None:
        return calls
    delta = changes[0].arguments.get("delta")
    if not isinstance(delta, int | float) or delta == 0 or (delta > 0) is warmer:
        return calls
    turned = replace(changes[0], arguments={**changes[0].arguments, "delta": -delta})
    return [turned if call is changes[0] else call for call in calls]
