"""What the clause of a standing request asks for: words to be read or heard, a loud sound, a signal of the car, or something beyond. Pure.

The car's signals are known through `CarWords`. Does not know how anything is watched.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Final, Protocol

from ridealong.harness.conditions import SignalIs, SoundShape
from ridealong.harness.framing import frame
from ridealong.harness.skill import ANSWER_WITHIN_MS, Context, Outcome
from ridealong.harness.slots.text import has_chinese, plain
from ridealong.harness.wishes import Wish, about_watches, wish
from ridealong.proto.types import SignalReading

UNDERSTOOD: Final = 0.93
BEYOND: Final = 0.7
UNSURE: Final = 0.5
"""Below what the router takes: "tell me when it is ready" is more often said to a person, unless we were called by name."""
MAX_PHRASE_CHARS: Final = 60
MAX_LASTS_S: Final = 12 * 3600


class FoundSignal(Protocol):
    @property
    def arguments(self) -> Mapping[str, object]: ...
    @property
    def grounds(self) -> Mapping[str, str]: ...
    @property
    def question(self) -> str: ...
    @property
    def unknown(self) -> str: ...


Read = Callable[[str], SignalReading | None]


class CarWords(Protocol):
    """The car in words: implemented by vehicle_skills.watching."""

    @property
    def topics(self) -> tuple[str, ...]: ...
    @property
    def tests(self) -> tuple[str, ...]: ...
    @property
    def zones(self) -> tuple[str, ...]: ...
    def find(self, clause: str, locale: str, context: Context) -> FoundSignal | None: ...
    def condition(self, arguments: Mapping[str, object], read: Read) -> SignalIs: ...
    def limit(self, arguments: Mapping[str, object], value: float, unit: str, read: Read) -> float | None:
        """A value that is said anew, as the argument `limit` has it; None where it can't be one of this topic."""

    def bare(self, clause: str, locale: str, read: Read) -> str:
        """The clause with the topic that a number alone is about, by its unit ("we pass 100": our speed); "" where it is none, or unclear."""

    def unclear(self, clause: str, locale: str, read: Read) -> FoundSignal | None:
        """A limit of which nobody said what it is of: what is known, with the question."""

    def named(self, arguments: Mapping[str, object], words: str, read: Read) -> Mapping[str, object] | None:
        """The arguments of such a limit with the topic that the words name."""

    def out_of_range(self, clause: str, locale: str, read: Read) -> FoundSignal | None:
        """What is known, with the question that names the range, where a topic is given a limit that it can't have."""

    def look(self, paths: Iterable[str], read: Read) -> dict[str, SignalReading]: ...
    def subject(self, arguments: Mapping[str, object], locale: str, read: Read) -> str: ...
    def evidence(self, condition: SignalIs, locale: str, read: Read) -> str: ...
    def name(self, topic: str, locale: str) -> str: ...


# --- what a clause asks for ------------------------------------------------------------------------------------------

_SIGN = r"(?:signs?|boards?|billboards?|notices?|labels?|placards?|posters?|screens?|displays?)"
_SAYING = r"(?:(?:that|which) )?(?:saying|says|say|reads|read|reading|with|for|to|showing|shows|marked|labell?ed|is)(?: the)?(?: (?:words?|text|name|number))?"
_PERCEIVE = r"(?:you |we |i |they )?(?:can )?(?:see|spot|read|notice|find|pass|drive past|go past|come (?:to|across|by|past)|get to|reach)"
_PLACE = r"(?:exit|gate|platform|junction|room|bay|hall|terminal|track|line|aisle)(?: number)? (?:[a-z] ?)?\w+"
_SEEN_EN: Final = (
    rf"^(?:{_PERCEIVE}|there is|there are)? ?(?:a |an |the |any |some )?(?:\w+ )?{_SIGN} {_SAYING} (?P<p>.+)$",
    rf"^{_PERCEIVE} (?:the |a )?(?:words?|text|name|letters|writing|number) (?P<p>.+?)(?: (?:on (?:a|the|any) {_SIGN}|anywhere|written.*))?$",
    r"^(?:the )?(?:words?|text|name) (?P<p>.+?) (?:appears?|shows? up|comes? up|is (?:visible|written|shown|displayed)).*$",
    rf"^(?:you )?(?:can )?(?:see|spot|read) (?P<p>.+?) (?:written|on (?:a|the|any) (?:{_SIGN}|wall|door|building|bus|train)).*$",
    rf"^{_PERCEIVE} (?:a |an |the |any )(?P<p>.+?) {_SIGN}$",
    rf"^{_PERCEIVE} (?P<p>{_PLACE})$",
)
_NO_SIGN_WORDS = re.compile(
    r"^(?:speed limit|no entry|warning|traffic|yield|give way|road|street|big|green|red|blue|yellow|new|other|next)$"
)
_SOMEBODY = (
    r"(?:somebody|someone|anybody|anyone|they|he|she|people|the (?:announcer|speaker|announcement|radio|teacher|driver|conductor|staff|man|woman)|"
    r"an announcement|it|one|a person|the (?:loud ?speaker|tannoy|pa))"
)
_SAYS = r"(?:says?|saying|mentions?|mentioning|calls?(?: out)?|calling(?: out)?|announces?|announcing|talks? about|talking about|shouts?|names?|speaks? of|reads? out|is talking about|asks? for)"
_HEARD_EN: Final = (
    rf"^(?:you hear |i hear )?(?:that )?{_SOMEBODY} (?:is |are )?{_SAYS}(?: the (?:words?|name|number))? (?P<p>.+)$",
    r"^(?P<p>.+?) (?:is|are|gets) (?:called|announced|mentioned|said|being called)(?: out)?$",
    r"^(?:you )?hear (?:the )?(?:words?|name|phrase|sentence) (?P<p>.+)$",
    rf"^(?:you )?hear (?P<p>my name|{_PLACE}|flight .+|train .+)$",
)
_MY_NAME_EN, _MY_NAME_ZH = re.compile(r"^(?:my|our) (?:own )?names?$"), re.compile(r"^我(?:的|们的)?名字?$")
_LOUD = r"(?:loud|sudden|big|huge|heavy) "
_SOUNDS_EN: Final = (
    (SoundShape.BANG, rf"(?:{_LOUD})*(?:bangs?|crash(?:es)?|thuds?|booms?|explosions?|gun ?shots?|slams?|smash)"),
    (
        SoundShape.LASTING,
        rf"(?:{_LOUD})*(?:noise|sound) that (?:lasts|goes on|does not stop|continues)|(?:long|lasting|continuous|constant) (?:loud )?(?:noise|sound)",
    ),
    (
        SoundShape.ANY,
        rf"(?:{_LOUD})+(?:noises?|sounds?|things?)|something (?:very )?loud|noises?|it (?:gets|becomes|is) (?:very )?(?:loud|noisy)",
    ),
)
_SOUND_FRAME_EN = re.compile(
    r"^(?:(?:you |i |we )?(?:can )?hear|there is|there are|you notice)? ?(?:a |an |any |some |the |that )*(?P<s>.+)$"
)
_SOUND_NOUNS_EN = re.compile(
    r"\b(?:sirens?|horns?|honk\w*|hoot\w*|alarms?|ambulances?|police|fire (?:engine|truck)s?|barks?|barking|baby|cry\w*|scream\w*|glass|door ?bell|knock\w*|music|song|phone|ring\w*|whistle|"
    r"thunder|birds?|laugh\w*|engine|footsteps|rattl\w*|squeak\w*|beep\w*|bell)\b"
)
_SEE_EN = re.compile(
    r"^(?:(?:you|we|i) (?:can )?(?:see|spot|notice|find|pass|drive past|recogni[sz]e)|there is|there are|(?:a|an|somebody|someone) .*(?:appears?|shows? up|comes? (?:in|into|by)|approach\w*)) ?(?P<o>.*)$"
)

_SEEN_ZH: Final = (
    r"^(?:你|我|我们|车)?(?:看到|看见|出现|经过|路过|遇到|有)?(?:了|有|一个|一块|任何|前面|某个)*(?:牌子|路牌|标志|招牌|指示牌|标牌|屏幕|墙)?(?:上|里)?(?:写着|写有|显示|标着|写的是)(?P<p>.+?)(?:这?(?:[两三四五几]个)?字(?:样)?)?(?:的)?(?:牌子|路牌|标志|招牌|指示牌|标牌|字样|字|词|地方)?$",
    r"^(?:你|我|我们|车)?(?:看到|看见|出现|经过|路过|遇到)(?:了|有|一个|一块|任何)*(?P<p>.+?)(?:的)?(?:(?:这|那)?[一两二三四五六几]个字|字样|这个词|的牌子|牌子|路牌|指示牌|标牌)$",
    r"^(?:你|我|我们)?(?:看到|看见)(?:文字|字|词)(?P<p>.+)$",
)
_HEARD_ZH: Final = (
    r"^(?:你|我)?(?:听到|听见)?(?:有人|谁|他们|她们|广播(?:里)?|他|她|老师|大家|别人|车站|喇叭里?)(?:里)?(?:在)?(?:说到?|提到?|念到?|叫到?|喊到?|播报到?|广播到?|报到?|讲到?|谈到?|通知)(?:了)?(?P<p>.+)$",
    r"^(?:你|我)?(?:听到|听见)?(?:广播|播报|念到|叫到|喊到|提到|说到)(?:了)?(?P<p>.+)$",
    r"^(?:你|我)?(?:听到|听见)(?P<p>.+?)(?:这个(?:词|名字)|这[两三四几]个字|的广播)$",
    r"^(?:你|我)?(?:听到|听见)(?P<p>我的?名字|(?:登机口|站台|航班|车次).+)$",
)
_SOUNDS_ZH: Final = (
    (SoundShape.BANG, r"巨响|砰|爆炸|撞击|枪声|碰撞声|一声响|摔门"),
    (SoundShape.LASTING, r"持续的?(?:很响的?|大的?)?(?:声音|噪音)"),
    (SoundShape.ANY, r"很?(?:响|大)的?(?:声音|动静|噪音|响声)|大声响|噪音|响声"),
)
_SOUND_NOUNS_ZH = re.compile(r"警笛|警报|喇叭|鸣笛|救护车|消防车|狗叫|婴儿|哭声|门铃|敲门|音乐|打雷|雷声|玻璃|电话|铃声|尖叫")
_SEE_ZH = re.compile(r"^(?:你|我|我们|车)?(?:看到|看见|出现|经过|路过|遇到|发现)(?P<o>.+)$")


@dataclass(frozen=True, slots=True)
class AskedFor:
    """`capability` and its arguments with grounds; `question` where something is missing."""

    capability: str
    arguments: dict[str, object]
    grounds: dict[str, str]
    score: float = UNDERSTOOD
    missing: str = ""
    question: str = ""


def understood(text: str, locale: str, context: Context, car: CarWords) -> AskedFor | None:
    """What a standing request asks for."""
    if (answered := _answers_name(text, locale, context)) is not None:
        return answered
    wished = wish(text, locale)
    if wished is None:
        return None
    zh, clause = wished.locale == "zh", wished.clause
    rest, grounds = _common(wished)
    # words that are to be heard or seen may themselves speak of the car: "a sign that says speed"
    for source, patterns in (("seen", _SEEN_ZH if zh else _SEEN_EN), ("heard", _HEARD_ZH if zh else _HEARD_EN)):
        for pattern in patterns:
            found = re.match(pattern, clause)
            if found is not None and (asked := _words(found.group("p"), source, text, wished, rest, grounds)) is not None:
                return asked
    signal = car.find(clause, wished.locale, context)
    if signal is not None and signal.unknown:
        return AskedFor(
            "watch.beyond", {"kind": "signal", "what": signal.unknown}, {"kind": "default:no signal", "what": "default:no signal"}
        )
    if signal is not None:
        missing = ("limit" if "test" not in signal.arguments else "zone") if signal.question else ""
        return AskedFor(
            "watch.signal", {**signal.arguments, **rest}, {**signal.grounds, **grounds}, missing=missing, question=signal.question
        )
    return _sound(clause, zh, rest, grounds) or _beyond(clause, zh, frame(text, locale).wake)


def _common(wished: Wish) -> tuple[dict[str, object], dict[str, str]]:
    arguments: dict[str, object] = {}
    grounds: dict[str, str] = {}
    if wished.every_time:
        arguments["every_time"], grounds["every_time"] = True, wished.every_words
    if wished.lasts_s is not None:
        arguments["lasts_s"], grounds["lasts_s"] = round(min(wished.lasts_s, MAX_LASTS_S)), wished.lasts_words
    return arguments, grounds


def _words(
    phrase: str, source: str, text: str, wished: Wish, rest: dict[str, object], grounds: dict[str, str]
) -> AskedFor | None:
    phrase = phrase.strip(" ,.").removeprefix("the word ").strip()
    if not phrase or (source == "seen" and _NO_SIGN_WORDS.match(phrase)):
        return None
    if source == "seen" and not has_chinese(phrase) and re.fullmatch(r"(?:a|an|the|any|this|that|it|something|\w)", phrase):
        return None
    arguments = {"source": source, **rest}
    grounds = {"source": f"default:{source}", **grounds}
    if _MY_NAME_EN.match(phrase) or _MY_NAME_ZH.match(phrase):
        question = "您叫什么名字？" if wished.locale == "zh" else "What name should I listen for?"
        return AskedFor("watch.words", arguments, grounds, missing="phrase", question=question)
    written = _as_written(phrase, text)[:MAX_PHRASE_CHARS]
    return AskedFor("watch.words", {**arguments, "phrase": written}, {**grounds, "phrase": phrase[:MAX_PHRASE_CHARS]})


def _as_written(phrase: str, text: str) -> str:
    """The phrase with the capitals that it had in the words, where it can be found there."""
    if has_chinese(phrase):
        pattern = r"\s*".join(re.escape(c) for c in phrase if not c.isspace())
    else:
        pattern = r"[\W_]*".join(re.escape(word) for word in phrase.split())
    found = re.search(pattern, text, re.IGNORECASE)
    return found.group() if found is not None else phrase


_NAME_IS = re.compile(r"^(?:(?:it is|i am|my name is|call me|the name is|i am called|just|its) )?(?P<n>[a-z]+(?: [a-z]+){0,2})$")
_NAME_IS_ZH = re.compile(r"^(?:我叫|我是|我的名字(?:是|叫)|叫我|叫)?(?P<n>[\u4e00-\u9fffa-z]{1,6}?)(?:吧|啊|呀)?$")


def _answers_name(text: str, locale: str, context: Context) -> AskedFor | None:
    """Our question for the name is open, and this is one."""
    last = context.recent[0] if context.recent else None
    if last is None or last.capability != "watch.words" or last.outcome is not Outcome.ASKS or "phrase" in last.arguments:
        return None
    if last.asked_ms_ago > ANSWER_WITHIN_MS or wish(text, locale) is not None or about_watches(text, locale):
        return None
    form = plain(text, locale)
    found = (_NAME_IS_ZH if has_chinese(form) else _NAME_IS).match(form)
    if found is None:
        return None
    name = found.group("n").strip()
    arguments = {**last.arguments, "phrase": _as_written(name, text)}
    return AskedFor("watch.words", arguments, {**{key: f"context:{key}" for key in last.arguments}, "phrase": name})


def _sound(clause: str, zh: bool, rest: dict[str, object], grounds: dict[str, str]) -> AskedFor | None:
    if zh:
        if (noun := _SOUND_NOUNS_ZH.search(clause)) is not None:
            return _out_of_reach("sound", noun.group(), noun.group())
        for shape, pattern in _SOUNDS_ZH:
            if (said := re.search(pattern, clause)) is not None:
                return AskedFor("watch.sound", {"shape": shape.value, **rest}, {"shape": said.group(), **grounds})
        return None
    framed = _SOUND_FRAME_EN.match(clause)
    name = framed.group("s") if framed is not None else clause
    for shape, pattern in _SOUNDS_EN:
        said = re.fullmatch(rf"(?:{pattern})(?: .{{0,30}})?", name)
        if said is not None and not _SOUND_NOUNS_EN.search(name):
            return AskedFor("watch.sound", {"shape": shape.value, **rest}, {"shape": name, **grounds})
    if re.match(r"^(?:you |i |we )?(?:can )?hear\b", clause) or (_SOUND_NOUNS_EN.search(name) and len(name.split()) <= 3):
        return _out_of_reach("sound", name, name)
    return None


def _beyond(clause: str, zh: bool, named: bool) -> AskedFor:
    seen = (_SEE_ZH if zh else _SEE_EN).match(clause)
    if seen is not None:
        what = seen.group("o").strip() or clause
        return _out_of_reach("object", what, what)
    return _out_of_reach("other", clause, clause, score=BEYOND if named else UNSURE)


def _out_of_reach(kind: str, what: str, ground: str, score: float = BEYOND) -> AskedFor:
    return AskedFor(
        "watch.beyond", {"kind": kind, "what": what[:MAX_PHRASE_CHARS]}, {"kind": "default:out of reach", "what": ground}, score
    )
