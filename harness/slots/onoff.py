"""On or off, open or closed: which way the words point, in English and Chinese.

Does not know what is to be switched. Words that point both ways, and words that are negated, point nowhere.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ridealong.harness.slots.text import language, plain


@dataclass(frozen=True, slots=True)
class OnOff:
    on: bool
    words: str
    span: tuple[int, int]


_EN_ON = r"(?:turn(?:ed|ing)?|switch(?:ed|ing)?|put(?:ting)?|get)\b(?: \w+){0,4} on\b|\bon\b(?! (?:my|the|your|our|a|this|that)\b)|activate\w*|enable\w*|start\w*|open\w*|unlock\w*|engage\w*"
_EN_OFF = r"(?:turn(?:ed|ing)?|switch(?:ed|ing)?|put(?:ting)?|get)\b(?: \w+){0,4} off\b|\boff\b|deactivate\w*|disable\w*|stop\w*|clos(?:e|ed|ing)\b|shut\w*|lock\w*|disengage\w*"
_ZH_ON = r"打开|开启|启动|开一下|启用|开(?!车|会|始|心|玩|到)"
_ZH_OFF = r"关闭|关掉|关上|停用|停止|关(?!于|心|系)"


def find_on_off(text: str, locale: str) -> OnOff | None:
    """The way that the text points, with its words."""
    form = plain(text, locale)
    zh = language(form, locale) == "zh"
    if re.search(r"不要|别|不用|没" if zh else r"\b(?:not|never|without)\b", form):
        return None
    ways = [
        OnOff(on, m.group(), m.span())
        for on, pattern in ((True, _ZH_ON if zh else _EN_ON), (False, _ZH_OFF if zh else _EN_OFF))
        if (m := re.search(pattern if zh else rf"\b(?:{pattern})", form)) is not None
    ]
    return ways[0] if len(ways) == 1 else None
