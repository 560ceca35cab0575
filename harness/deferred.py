"""Is something asked for later, or on a condition: "open the window when we stop", "等停车了再开窗"? Pure.

`deferred(text, locale)` finds the words that put it off, in the plain form (slots/text.py). What is to be *told* later ("tell me when …",
"remind me in …", timers), a question about a time, a politeness ("when you can", "可以的话") and a limit that doing it now meets ("before it rains")
put nothing off.

It looks at the words alone: it does not know whether they ask for an act, or whether the time is an argument of it ("book a table for
six"). Whoever routes asks only about a match that acts, and leaves alone words that one of its grounds contains.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from ridealong.harness.car_things import ANY_ZH
from ridealong.harness.framing import commands
from ridealong.harness.slots.text import language, marked, plain


def from_these(words: str, ground: str, locale: str) -> bool:
    """The ground of an argument holds the words, and no command beside them."""
    before, found, behind = plain(ground, locale).partition(words)
    return bool(found) and not commands(re.sub(r"\d+", " ", f"{before} {behind}"), locale)


@dataclass(frozen=True, slots=True)
class Later:
    """`words`: what puts it off. `then`: the same as the end of "ask me again …", where it can be said so, else ""."""

    words: str
    locale: str
    then: str = ""

    def covers(self, ground: str) -> bool:
        """An argument comes from these very words, and not from a whole command that they are in: then they say what, and not when."""
        return from_these(self.words, ground, self.locale)


# --- English ---------------------------------------------------------------------------------------------------------

_TELL_EN = re.compile(
    r"\b(?:tell|warn|alert|notify|inform|remind|wake|ask) (?:me|us)\b|\blet (?:me|us) know\b|\bgive (?:me|us) (?:a |an )?(?:shout|heads up|warning|alert|sign)\b|"
    r"\b(?:say|speak|shout)\b.* when\b|\b(?:timer|alarm|countdown|stopwatch|reminder)\b|\b(?:watch|look|listen)(?: out)? for\b"
)
_ASKS_EN = re.compile(
    r"^(?:(?:so|and|well|okay|ok|hey|oh|um|uh) )*(?:what|how|where|which|who|whose|why|is|are|was|were|do(?! not\b)|does|did|has|have|had|should(?! it (?:rain|snow|get|start|begin|turn|become)\b)|shall|"
    r"when (?:is|are|was|were|do|does|did|will|would|can|could|should|has|have))\b"
)
MOMENT_EN: Final = r"(?:a|the) (?:\w+ )?(?:chance|moment|minute|min|second|sec|mo|tick|time)"
_POLITE_EN = re.compile(
    rf"\b(?:when ?ever|when|once|if|as soon as) (?:you (?:can|could|would|(?:get|find|have|have got) {MOMENT_EN}|are (?:ready|free)|like|want|wish|please|do not mind|"
    r"would be so kind|get to it|know)|possible|necessary|convenient|that is (?:okay|ok|all right|alright|possible|fine)|"
    r"it is (?:okay|ok|possible|not too much trouble|all right)|i may|i might|(?:i|we) (?:can|could|may))\b|\bsee if you can\b|\bas soon as possible\b"
)
_SUBJECT_EN = (
    r"(?:i|we|you|he|she|it|they|there|this|that|everybody|everyone|somebody|someone|nobody|anybody|(?:the|my|our|your|his|her|their|a|an|any|some|another|all) "
    r"(?:\w+ ){0,3}?\w+|traffic|mum|mom|dad)"
)
_PAST_EN = re.compile(
    rf"^\w+(?: \w+)? {_SUBJECT_EN} (?:was|were|had|did|used|left|came|went|got|began|started|stopped|said|told|bought|\w+ed)\b"
)
"""What has been is no condition: "as it was before we left"."""
_CLAUSE_EN = re.compile(
    rf"\b(?:(?:as soon as|when ?ever|when|once|the moment|the minute|the next time|next time|by the time|every time|each time|only if|unless|if|in case|provided(?: that)?) {_SUBJECT_EN} \w+.*|"
    r"before (?:i|we) (?:arrive|get (?:there|home|to)|stop|park|reach|pass|turn|exit|leave the|come to|cross)\b.*|before (?:arriving|parking|stopping|getting (?:home|there)|leaving the)\b.*|"
    rf"after {_SUBJECT_EN} (?!exit\b|street\b|road\b|bridge\b)(?:am|are|is|have|has|get|gets|go|goes|leave|leaves|arrive|arrives|stop|stops|park|parks|reach|reaches|pass|passes|turn|turns|"
    r"start|starts|finish|finishes|come|comes|close|closes|closed|open|opens|opened|shut|shuts|switch|switches|switched|set|pull|pulls|enter|enters|exit|exits|cross|crosses|drive|drives|ends?|wake|wakes|fall|falls|do|does|can)\b.*|"
    r"(?:when|once|after|while|as soon as) (?:closing|opening|shutting|turning|switching|setting the|stopping|stopped|parking|parked|arriving|leaving|driving off|getting (?:home|there|off|out)|passing|crossing|entering|exiting|moving|standing|setting off|home|there)\b.*|"
    r"in (?:case|the event) of \w+.*|"
    r"should it (?:rain|snow|get|start|begin|turn|become)\b.*)"
)
_PLACE_EN = re.compile(
    r"(?P<words>\bafter (?:the|this|that) (?:next )?(?:exit|turn(?:ing|off)?|stop|junction|lights?|tunnel|bridge|toll|services|roundabout)\b.*)"
)
_SOUGHT_EN = re.compile(r"\b(?:find|search|look|show|where|nearest|stop at|navigate|drive|head)\b")
"""What is behind the next exit is a place then."""
_NUMBER_EN = r"(?:a|an|one|two|three|four|five|six|seven|eight|nine|ten|twelve|fifteen|twenty|thirty|forty|forty five|half an|a quarter of an|a few|a couple of|another|\d+)"
_HOUR_EN = r"(?:half past |quarter (?:past|to) )?(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|1[0-2]|[1-9])"
_TIME_EN = re.compile(
    rf"\b(?:in|after) {_NUMBER_EN} (?:more )?(?:second|minute|min|hour|moment|bit|while|mile|kilomet(?:er|re)|km)s?\b|\bat (?:(?:half past|quarter (?:past|to)) )?\w+(?: \w+)? (?:o clock|am|pm)\b|"
    r"\bat (?:noon|midnight|half past \w+|quarter (?:past|to) \w+|the next (?:stop|exit|light|lights|traffic light))\b|\b(?:a bit |a little |some time |sometime )?later(?: on| today)?\b|\b(?:tomorrow|tonight|this (?:evening|afternoon))\b"
)
_SWITCHED_AT_EN = re.compile(
    r"\b(?:(?:off|open(?:ed)?|closed?|shut|lock(?:ed)?|unlock(?:ed)?)(?: (?:the |my |all the )?(?:windows?|sunroof|boot|trunk|doors?))?|(?:heat(?:er|ing)|ac|a c|air ?con\w*|defroster) on) "
    rf"(?P<time>at {_HOUR_EN}(?: (?:thirty|fifteen|forty five))?)(?=$| (?:please|thanks|sharp|tonight|tomorrow|today|in the \w+|and|then)\b)"
)
"""An hour of the clock, behind what has no such value."""
_LEADING_EN = re.compile(r"^(?P<clause>\S+ \S+ \S+(?: .+?)??) (?:then |please |could you |can you |would you |just )*(?:open|close|shut|turn|switch|set|put|make|raise|lower|roll|lock|unlock|start|stop|play|navigate|take|drive|dim|mute|call|send|pop|wind|crack)\b.*$")  # fmt: skip

# --- Chinese ---------------------------------------------------------------------------------------------------------

_TELL_ZH = re.compile(
    r"(?:告诉|提醒|通知|警告|喊|叫)(?:一下)?(?:我|我们)|(?:跟|和)(?:我|我们)说|叫醒|说一声|闹钟|计时|定时器|倒计时|提醒"
)
_ASKS_ZH = re.compile(r"什么时候|几点|何时|多久|多少|为什么|怎么(?!办)|是不是|有没有|哪|(?:吗|么)$")
_REQUESTS_ZH = re.compile(r"^(?:.{0,14})(?:能不能|可不可以|能|可以|帮我|请|麻烦)|(?:可以|好|行)(?:吗|么)$")
_POLITE_ZH = re.compile(
    r"(?:如果|要是)?(?:你|您)?(?:可以|方便|有空|不介意|不麻烦|行|愿意|能)的?(?:话|时候)|如果(?:可以|方便|可能)|有空的?时候"
)
_DOES_ZH = r"再|就|请|帮我|把|你|麻烦|给我|打|关|开|调|导航|锁|解锁|播|要|记得|拨|[上下]一|换|切|暂停|继续|静音|音量|温度|风|空调|天窗|车[窗门]|后备箱|座椅|氛围|阅读|车内灯|雨刷|除[霜雾]|加热|通风|升|降|[主副]驾"
_LATER_ZH = re.compile(
    r"(?:等(?:到|会儿?|一会儿?|一下|下)?.{0,14}?(?:的时候|之后|以后|了之?后?|后)?(?:再(?!大|小|高|低|冷|热|快|慢|亮|暗|多|少)|就)|"
    rf"(?:如果|要是|假如|假使|万一|一旦|只要|除非|每次|每当|当).{{1,16}}?(?:的话|的时候|时|之后|以后|就|再|，|(?=停|{_DOES_ZH}))|"
    rf".{{1,14}}?(?:的?时候|之后|以后|的话)(?={_DOES_ZH})|(?<=.)(?:如果|要是|假如|假使|万一|一旦|除非|每当).{{1,16}}$|"
    r"(?:到(?:家|达|了|公司|那里)?|停车|停下|下车|下高速|上高速|进隧道|出隧道|过收费站)[^前]{0,3}(?:之前|以前|前)|"
    r".{1,12}?(?<!迟)(?:到|停|完|好|稳|走|过|出|进|下|上|家|站|了|来)(?:之?后|以后|了之?后?)(?=再|就|请|帮我|把|打开|关|开|调)|"
    r"(?<!导航)(?<!去)(?:到(?:了|家|达|那|地方|站)|停(?:了|好|车|下|稳)|[^，]完|[走过出进上下]了|回(?:家|去|来))[^再就]{0,6}?再(?!大|小|高|低|冷|热|快|慢|亮|暗|多|少|来|往|调)|"
    r"[^一]{0,4}一(?:停|到|下|上|出|进|过|开|有|离|回|熄|发)[^再]{0,8}?就(?!成$|行$|好$|够|可以$|得了|这[么样])|.{1,8}(?<![关开])了(?:就|再(?!大|小|高|低))|"
    r"(?:过)?(?:\d+|[一二三四五六七八九十两几半]+)个?(?:半)?(?:分钟|小时|秒钟?|钟头|公里)(?:之?后|以后)|"
    r"(?:待会儿?|等会儿?|等一会儿?|(?<![开关听说讲放])一会儿(?=再|把|打|关|开|调|帮|导)|过一会儿?|过会儿|稍后|晚点儿?|晚些时候|回头|以后|今晚|今天晚上|明天|明早|下次)(?!见))"
)
_BEHIND_ZH = re.compile(
    r"(?<=[,.]) ?(?:不过|但是?|可)?(?:只)?[要得等]?(?P<words>(?:每次|下次|等|只要(?=天[黑亮冷热]|下[雨雪]|停车|到|太|车停|有人))[^,.?]{1,16}|"
    r"[^,.?]{1,14}(?:的话|的?时候|之?后|以后)|到时候|(?:过|待|等)?一?会儿|稍后|晚点�?)(?:吧|啊|呢|好吗|谢谢)*[ ,.]*$"
)
"""Behind a pause: 关上车窗，下雨的话."""
_TOPIC_ZH = re.compile(rf"^{ANY_ZH}的话")
"""What is spoken of, no condition: 空调的话，打开."""
_NOT_LATER_ZH = re.compile(
    r"^(?:等等|等一下|等下|等一等|稍等|一会儿?(?:冷|热))|了就(?:别|不要|不用).{1,8}了|和.{0,4}(?:的时候|之前|以前)一样|像.{0,6}(?:之前|以前)"
)

_NEXT_EN = re.compile(
    r"(?<=\w) (?:and )?(?:(?:once|when|as soon as) (?:that|this) is (?:done|finished)|after (?:that|this)(?= (?:please |just |could you |can you |would you |you can )*"
    r"(?:open|close|shut|turn|switch|set|put|make|raise|lower|roll|start|play|navigate|take|drive|find|search|tell|bring|give|pop)\b|$))"
)
_NEXT_ZH = re.compile(r"([,.]) ?(?:之后|随后|接着|然后|完了|完事)再?")
"""What joins a request to the one before it puts nothing off: that one is done now (sequence.py)."""

_DONE_ZH: Final = re.compile(r"^[^,.等到再如要当每一]{1,10}(?:好|完|齐|稳)了\s*[,.]\s*")
"""Ahead of a pause it has happened: 东西放好了，关后备箱."""
REFUSALS: Final = {
    "en": ("I can't do that later; ask me again {then}.", "I can't do that later; please ask me again then."),
    "zh": ("这个我还不能等到以后再做，到时候请再跟我说一次。", "这个我还不能等到以后再做，到时候请再跟我说一次。"),
}


@lru_cache(maxsize=256)
def deferred(text: str, locale: str) -> Later | None:
    """The words that put off what is asked for; None where it is asked for now."""
    if language(text, locale) == "zh":
        form = _DONE_ZH.sub("", marked(text, locale))
        return _later_zh(plain(_NEXT_ZH.sub(r"\1", form), locale), _BEHIND_ZH.search(form))
    return _later_en(_NEXT_EN.sub(" ", plain(text, locale)).strip())


def refusal(later: Later) -> str:
    """What is said instead of doing it now."""
    with_words, without = REFUSALS[later.locale]
    return with_words.format(then=later.then) if later.then else without


def _later_en(form: str) -> Later | None:
    if _TELL_EN.search(form) or _ASKS_EN.match(form):
        return None
    form = re.sub(r"\s+", " ", _POLITE_EN.sub(" ", form)).strip()
    found = _CLAUSE_EN.search(form)
    if found is not None and not _PAST_EN.match(found.group()):
        words = found.group()
        leading = _LEADING_EN.match(words) if found.start() <= 12 else None
        words = (leading["clause"] if leading is not None else words).strip()
        words = re.sub(r"(?: (?:please|thanks|thank you|then|okay|ok))+$", "", words)
        return Later(words, "en", _turned(words))
    if (place := _PLACE_EN.search(form)) is not None and _SOUGHT_EN.search(form) is None:
        return Later(place["words"], "en", place["words"])
    if (clock := _SWITCHED_AT_EN.search(form)) is not None:
        return Later(clock["time"], "en", clock["time"])
    time = _TIME_EN.search(form)
    return Later(time.group(), "en", time.group().removeprefix("a bit ")) if time is not None else None


_TURN: Final = {"i": "you", "me": "you", "my": "your", "am": "are", "we": "we", "our": "our", "you": "I", "your": "my", "mine": "yours", "myself": "yourself"}  # fmt: skip


def _turned(words: str) -> str:
    """From the speaker's mouth to ours, where that is safe: a short clause."""
    parts = words.split()
    if not 2 <= len(parts) <= 9:
        return ""
    return " ".join(_TURN.get(part, part) for part in parts)


def _later_zh(form: str, behind: re.Match[str] | None) -> Later | None:
    """`behind`: what stands behind a pause."""
    if _TELL_ZH.search(form) or (_ASKS_ZH.search(form) and not _REQUESTS_ZH.search(form)):
        return None
    form = _POLITE_ZH.sub("", _TOPIC_ZH.sub("", form))
    if _NOT_LATER_ZH.search(form) and not re.search(r"再(?:打|开|关|调|把|导|播|放|锁)", form):
        return None
    if (found := _LATER_ZH.search(form)) is not None:
        return Later(found.group(), "zh")
    words = _POLITE_ZH.sub("", plain(behind["words"], "zh")) if behind is not None else ""
    return Later(words, "zh") if words else None
