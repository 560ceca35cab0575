"""Words about somebody else: what he said, did or ordered, what a song goes like. A correction in them is theirs: "he opened the window, no, the sunroof". Pure.

What somebody needs or wants now may still be asked for them: "she wants it at 22". Does not know what was asked for before.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from ridealong.harness.follow_about import concludes
from ridealong.harness.slots.text import language, plain

_WHO_EN: Final = r"(?:he|she|they|dad|mum|mom|somebody|someone|everybody|everyone|people|my (?:\w+ )?(?:wife|husband|boss|friend|mate|mother|father|brother|sister|son|daughter|colleague|neighbour|boy|girl))"
_TOLD_EN: Final = re.compile(
    rf"^(?:(?:and|but|so|well|oh|no|yeah|yes) )*{_WHO_EN} (?:just |then |always |never |once |also |only |really |apparently |had |has |have )*"
    r"(?:said|says|told|asked|asks|shouted|goes|went|came|got|bought|took|thought|thinks|put|left|had|was|were|did|made|gave|saw|heard|ate|drank|paid|sold|drove|set|shut|\w{3,}ed)\b|"
    r"\bin (?:the|that|this|his|her) (?:song|film|movie|book|story|show|play)\b|\bis what (?:he|she|they|my \w+) (?:would |always |usually )?(?:say|says|said)\b|"
    rf"^{_WHO_EN} wants? .*\bbut i (?:do not|am not|would not|will not)\b"
)
_TOLD_ZH: Final = re.compile(
    r"^(?:可是|但是|然后|不过|那)?(?:他|她|他们|她们|我[爸妈哥姐弟妹]|我?老[公婆板]|人家|别人|有人|朋友|同事)们?(?:刚才|刚刚|昨天|今天|总|老|又|就|还)*(?:说|讲|问|喊|点了|买了|去了|来了|开了|关了|打开了|订了|要了|吃了|喝了)|"
    r"^(?:他|她)们?想?要.*我(?:可)?不(?:想|要)|歌里|电影里|书里"
)
_SOMETHING_EN: Final = re.compile(
    r"(?:\d+|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|(?:thir|four|fif|six|seven|eigh|nine)teen|(?:twen|thir|for|fif|six|seven|eigh|nine)ty|hundred) "
    r"(?:people|children|kids|men|women|chairs?|tables?|coffees?|teas?|beers?|cups?|bottles?|tickets?|rooms?|cars?|eggs?|pieces?|pages?|times|years?|pounds?|euros?|dollars?|quid)\b"
)
_SOMETHING_ZH: Final = re.compile(
    r"[\d一二两三四五六七八九十百]+(?:个(?:人|孩子|朋友|同学|客人|苹果|鸡蛋)|位|把椅|张(?:票|桌|纸)|杯|瓶|碗|本书|块钱|元|岁|斤|套|间房)"
)


_QUOTES: Final = re.compile(r"[\"“”「」『』]|\b(?:song|film|movie|book|story|lyrics?)\b|歌|电影|书里")


@lru_cache(maxsize=256)
def told_of_others(text: str, locale: str) -> bool:
    """Such words change nothing of what was asked for before."""
    form, zh = plain(text, locale), language(text, locale) == "zh"
    if not _QUOTES.search(text) and any(concludes(piece, locale, text) for piece in re.split(r"[,，;；]", text)[1:]):
        return False  # "he says it's hot, make it 22"
    return _told(form, zh) or (_SOMETHING_ZH if zh else _SOMETHING_EN).search(form) is not None


def corrected_for_others(text: str, locale: str) -> bool:
    """They correct something, and it is theirs: nothing is asked for."""
    form, zh = plain(text, locale), language(text, locale) == "zh"
    return told_of_others(text, locale) and _told(form, zh) and (_BACK_ZH if zh else _BACK_EN).search(form) is not None


_BACK_EN: Final = re.compile(r"\S (?:no|i mean|sorry|not that)\b")
_BACK_ZH: Final = re.compile(r".(?:不对|不是|不，|，不)")


def _told(form: str, zh: bool) -> bool:
    return (_TOLD_ZH if zh else _TOLD_EN).search(form) is not None
