"""What words say about words: that they take something back, were the speaker's own, were only about what was said or heard, or follow from what
was told. Pure.

Does not know what is said to be different (follow_words.py).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from ridealong.harness import follow_en as english
from ridealong.harness import follow_zh as chinese
from ridealong.harness.slots.text import language, plain


def concludes(text: str, locale: str, told: str) -> bool:
    """What follows from something told: "he says it's hot, make it 22", 她要吹风，还是开着吧. Not what somebody is quoted with: "she said, turn it off"."""
    words = chinese if language(text, locale) == "zh" else english
    return words.SO.match(plain(text, locale)) is not None and words.QUOTES.fullmatch(plain(told, locale)) is None


def in_own_words(text: str, locale: str) -> bool:
    """What the speakers themselves said or meant: no report of somebody else's."""
    form, zh = plain(text, locale), language(text, locale) == "zh"
    return (chinese.OWN if zh else english.OWN).search(form) is not None and (chinese.OTHERS if zh else english.OTHERS).search(
        form
    ) is None


def says_what(text: str) -> bool:
    """About what was said or heard, and no request: "did I say right?", "that's not what I said", 你听成什么了."""
    return english.SPOKEN.match(plain(text, "en")) is not None or chinese.SPOKEN.match(plain(text, "zh")) is not None


def complains(text: str, locale: str, capability: str) -> bool:
    """ "Too hot", 太亮了: of what such a thing as was asked for can be."""
    form = plain(text, locale)
    return any(
        capability.startswith(groups) and said.fullmatch(form) is not None
        for said, groups in (_COMPLAINTS_ZH if language(text, locale) == "zh" else _COMPLAINTS_EN)
    )


_WARMTH: Final = ("climate.", "seats.")
_TOO_EN: Final = r"(?:(?:oh|no|ah|okay|hmm|that|this|it|now|i|am|is|feels?|getting|a (?:bit|little)|way|much|far) )*too {}"
_TOO_ZH: Final = r"(?:哎呀?|啊|嗯|现在|这|有点|有些|感觉)*(?:太|好|有点){}(?:了|啊|呀)*"
_AIRY: Final = ("climate.", "windows.", "sunroof.", "trunk.")
_IT_IS_EN: Final = r"(?:(?:because|since|as|now|oh|man|brr+|wow) )*(?:it is|i am|we are|my \w+ (?:is|are)) (?:(?:getting|so|really|a bit|a little|quite|pretty|rather|still|now|absolutely|starting to get|just) )*{}(?: (?:in here|now|out(?: there)?|outside|back here|today))*"
_IT_IS_ZH: Final = (
    r"(?:因为|现在|外面|外头|车里|里面|这|我|好像)*(?:好|太|真|有点儿?|挺|怪|越来越|快要?|都)*{}(?:了|死了|得很|的|啊|呀)*"
)
_COMPLAINTS_EN: Final = (
    (
        re.compile(_IT_IS_EN.format("(?:cold|hot|freezing|chilly|warm|boiling|stuffy|cool|roasting|nippy|sweating|shivering)")),
        (*_WARMTH, *_AIRY),
    ),
    (
        re.compile(_IT_IS_EN.format("(?:loud|noisy|windy|dusty|smelly|raining|wet|draughty|drafty)")),
        (*_AIRY, "media.", "wipers."),
    ),
    (re.compile(_IT_IS_EN.format("(?:dark|bright|sunny)")), ("lights.", "sunroof.")),
    (re.compile(_TOO_EN.format("(?:hot|warm|cold|cool)")), _WARMTH),
    (re.compile(_TOO_EN.format("(?:loud|quiet|noisy)")), ("media.", "climate.")),
    (re.compile(_TOO_EN.format("(?:bright|dark|dim)")), ("lights.",)),
    (re.compile(_TOO_EN.format("(?:strong|weak|windy|much)")), (*_WARMTH, "windows.", "lights.", "media.")),
)
_COMPLAINTS_ZH: Final = (
    (re.compile(_IT_IS_ZH.format("(?:冷|热|凉|闷|烫|暖和|冻)")), (*_WARMTH, *_AIRY)),
    (re.compile(_IT_IS_ZH.format("(?:吵|风大|灰大|味儿?大|下雨|下雪|有灰)")), (*_AIRY, "media.", "wipers.")),
    (re.compile(_IT_IS_ZH.format("(?:黑|亮|晒|刺眼)")), ("lights.", "sunroof.")),
    (re.compile(_TOO_ZH.format("[热烫冷凉]")), _WARMTH),
    (re.compile(_TOO_ZH.format("(?:大声|吵|响|小声)")), ("media.", "climate.")),
    (re.compile(_TOO_ZH.format("[亮暗刺]眼?")), ("lights.",)),
    (re.compile(_TOO_ZH.format("[强弱大小]")), (*_WARMTH, "windows.", "lights.", "media.")),
)


def corrects(text: str, locale: str) -> bool:
    """Begins with words that take something back."""
    return (chinese.BACK if language(text, locale) == "zh" else english.BACK).match(plain(text, locale)) is not None


def takes_back(text: str, locale: str) -> bool:
    """Words that take something back stand at either end: "no, seven", "seven, I mean"."""
    behind = chinese.BEHIND if language(text, locale) == "zh" else english.BEHIND
    return corrects(text, locale) or behind.search(plain(text, locale)) is not None


def only_takes_back(text: str, locale: str) -> bool:
    """ "Sorry, no", 说错了: and nothing of what is wanted instead."""
    form = plain(text, locale)
    found = (chinese.BACK if language(text, locale) == "zh" else english.BACK).match(form)
    return found is not None and form[found.end() :].strip("了啊吧 ") == ""


_NOT_IT: Final = re.compile(r"\b(?:not|instead of|rather than) (?:to |at )?(.+)$|不是(.+?)$")
ARTICLE: Final = re.compile(r"^(?:the|a|an|my|our) ")


def refuses(text: str, locale: str, arguments: Mapping[str, object]) -> bool:
    """ "The bank, not the post office", of what was asked for at the post office."""
    found = _NOT_IT.search(plain(text, locale))
    was = {ARTICLE.sub("", plain(value, locale)) for value in arguments.values() if isinstance(value, str)}
    return found is not None and ARTICLE.sub("", next(one for one in found.groups() if one)) in was
