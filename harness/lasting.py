"""Is something asked for only for a while: "open it until we stop", "空调关十分钟"? Pure.

`lasting(text, locale)` finds the words that say how long, in the plain form (slots/text.py): what would have to be undone later, which nobody would do.
A while without an end ("for a bit", 一会儿, "for now") is the speaker's to end; the rest of the ride has nothing after it; timers, watches and what
is to be told last by themselves; and "until it's half open" says how far, and not how long.

As `deferred`, it looks at the words alone, and does not know whether they ask for an act.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from ridealong.harness.deferred import from_these
from ridealong.harness.slots.text import language, plain

SWITCHED: Final = re.compile(r"\b(?:turn|switch|open|close|shut|on|off)\b|[开关]")
"""Something is switched, and no timer set."""


@dataclass(frozen=True, slots=True)
class Lasting:
    """`words`: what says how long."""

    words: str
    locale: str

    def covers(self, ground: str) -> bool:
        """An argument comes from these very words: "a timer for ten minutes"."""
        return from_these(self.words, ground, self.locale)


_TOLD_EN: Final = re.compile(
    r"\b(?:tell|warn|alert|notify|remind|wake|ask|call) (?:me|us)\b|\blet (?:me|us) know\b|\b(?:timers?|alarms?|countdown|stopwatch|reminders?)\b|"
    r"\b(?:watch|look|listen|wait|keep an (?:eye|ear))(?: out)? (?:for|until|till)\b|\bhow (?:long|many|much|far)\b"
)
_NUMBER_EN: Final = (
    r"(?:an|one|two|three|four|five|six|seven|eight|nine|ten|twelve|fifteen|twenty|thirty|forty|forty five|half an|a quarter of an|"
    r"a few|a couple of|another|the next|the first|\d+)"
)
_FOR_EN: Final = re.compile(
    rf"\b(?:for|during) (?:(?:about|around|exactly|just|only|at least) )?(?:the next )?{_NUMBER_EN}(?: \w+| and a half)? (?:second|minute|min|hour|mile|kilomet(?:er|re)|km)s?\b"
)
_UNTIL_EN: Final = re.compile(
    r"\b(?:(?:until|till|til) (?!then\b|further notice|(?:i|we) (?:say|tell|ask|want|change|decide)\b|told)\w+.*|(?:as long as|while) (?!(?:you|we|i) are at it\b|you can\b|possible\b)"
    r"(?:i|we|you|he|she|it|they|there|this|that|the|my|our|his|her|their|driving|moving|waiting|parked|parking|stopped|standing|stuck)\b.*)"
)
_AMOUNT_EN: Final = re.compile(
    r"\d|\b(?:half|halfway|quarters?|thirds?|percent|per cent|crack|gap|open|closed?|shut|top|bottom|all the way|end|stops moving|"
    r"(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|(?:thir|four|fif|six|seven|eigh|nine)teen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety) ?"
    r"(?:degrees?|percent|\w+ degrees?)?$)"
)
_TOLD_ZH: Final = re.compile(r"(?:告诉|提醒|通知|警告|喊|叫)|(?:跟|和)(?:我|我们)说|闹钟|计时|定时|倒计时|多久|多长时间|多少")
_SPAN_ZH: Final = r"(?:\d+|[一二两三四五六七八九十几半百]+)个?半?(?:分钟|小时|钟头|秒钟?|刻钟)"
_THING_ZH: Final = (
    r"(?:一下|所有|全部|我的?|前面?|后面?|前排|后排|主驾驶?|副驾驶?|左边|右边|的|侧|边)*"
    r"(?:车?窗户?|车?玻璃|天窗|空调|暖气|冷气|暖风|冷风|风扇|除雾|除霜|内循环|外循环|座椅加热|加热|通风|灯)"
)
_FOR_ZH: Final = re.compile(
    rf"(?:(?<!一)开|关|吹|通风|透气|透透气|打开|关掉|关上|关闭|加热|制冷|制热|外循环|内循环|热|凉)(?:上|个|它|一下|着|了)?(?:{_THING_ZH})?(?:大概|差不多|先|个|上|着)?(?P<when>{_SPAN_ZH})(?!之?后|以后|之?前|以前|了)|"
    rf"(?P<when2>{_SPAN_ZH})(?:之?内|的)?(?:不要|别)?(?:的)?(?=(?:车?窗|空调|暖气|座椅|风))"
)
_UNTIL_ZH: Final = re.compile(
    r"直到(?!我(?:说|叫|让|喊)|另行).{1,12}|.{1,12}(?:为止|期间)|(?:一直)?(?:开|关|吹|热)(?P<when>(?:着|到)(?:我们|咱们?|车)?(?:停|到(?:家|达|了|公司|目的地)|下车|下高速|进隧道|出隧道|出了|过了|回家).{0,6})|"
    r"一直.{1,6}?(?P<when2>到(?:我们|咱们?)?(?:停|家|到|达|公司|目的地|下|出|进).{0,6})"
)
_NOT: Final = re.compile(r"\bnot\b|\bnever\b|别|不要|不用")
"""What is not to be need not be undone."""
_AMOUNT_ZH: Final = re.compile(
    r"[\d一二三四五六七八九十两百]+ ?(?:度|%|成|档|分之|厘米)|百分之|一半|[全最](?:开|关|大|小|高|低)|半开|只剩|留(?:条|道)?缝|顶|底"
)

REFUSALS: Final = {
    "en": "I can't do that only for a while. Ask me again without the time.",
    "zh": "这个我不能只做一段时间，请不带时间再跟我说一次。",
}


_A_BIT_EN: Final = re.compile(
    r"\bfor (?:just |only )?(?:a |an |the )?(?:bit|while|little while|little bit|moment|minute|second|sec|few moments|short while|short time)\b|"
    r"(?<=\w )just a (?:moment|minute|second|sec|while)$|\b(?:briefly|temporarily)\b"
)
_A_BIT_ZH: Final = re.compile(r"(?<![等过])一小?会儿?(?![再就后见])|(?<![等过一小])会儿(?![再就后见])|一阵子?|片刻|暂时|临时")


def for_a_bit(text: str, locale: str) -> bool:
    """A while without an end: it is done, and whoever hears that must know that nobody undoes it."""
    zh = language(text, locale) == "zh"
    return (_A_BIT_ZH if zh else _A_BIT_EN).search(plain(text, locale)) is not None


def until_told(done: str, text: str, locale: str) -> str:
    """The sentence of what was done, with how long it stays so where only "a bit" was asked for."""
    if not for_a_bit(text, locale):
        return done
    return f"{done}会一直这样，直到您再告诉我。" if locale.startswith("zh") else f"{done} It stays like that until you tell me."


@lru_cache(maxsize=256)
def lasting(text: str, locale: str) -> Lasting | None:
    """The words that say for how long; None where what is asked for may stay."""
    spoken, form = language(text, locale), plain(text, locale)
    if spoken == "zh":
        return _lasting(form, "zh", _TOLD_ZH, (_UNTIL_ZH, _FOR_ZH), _AMOUNT_ZH)
    return _lasting(form, "en", _TOLD_EN, (_UNTIL_EN, _FOR_EN), _AMOUNT_EN)


def no_undoing(asked: Lasting) -> str:
    """What is said instead of doing it."""
    return REFUSALS[asked.locale]


def _lasting(
    form: str, locale: str, told: re.Pattern[str], ways: tuple[re.Pattern[str], ...], amount: re.Pattern[str]
) -> Lasting | None:
    if told.search(form):
        return None
    until, span = ways
    found = until.search(form)
    if found is None or amount.search(found.group()):
        found = span.search(form)
    if found is None or _NOT.search(form[: found.start()]):
        return None
    when = next((words for words in found.groupdict().values() if words), found.group())
    return Lasting(when, locale)
