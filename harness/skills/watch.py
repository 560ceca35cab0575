"""Standing requests: "tell me when …". Four skills that begin one (signal, words, sound, and what is beyond reach), and three about them.

What can be waited for: signals of the car, words that somebody says, words that can be read, a loud bang or noise. Everything else is
answered plainly. Words that are overheard or seen never begin a watch: they come with a provenance that may not ask. The car's signals
are known through `CarWords`; the watching itself is the session's (`Call.watches`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Final, Protocol

from ridealong.harness.skill import Call, Context, Match, Outcome, Skill, Spoken
from ridealong.harness.slots.duration import duration_words
from ridealong.harness.slots.text import has_chinese, plain
from ridealong.harness.standing import Condition, PhraseHeard, PhraseSeen, SignalIs, SoundHeard, SoundShape, strength
from ridealong.harness.standing import Readings as SignalReadings
from ridealong.harness.watches import Wanted, Watches, subject_of
from ridealong.harness.wishes import Wish, about_watches, wish
from ridealong.proto.types import Samples, SignalReading

GROUP: Final = "watching"
UNDERSTOOD: Final = 0.93
BEYOND: Final = 0.7
MAX_PHRASE_CHARS: Final = 60
ANSWER_WITHIN_MS: Final = 15_000
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
class _Asked:
    """`capability` and its arguments with grounds; `question` where something is missing."""

    capability: str
    arguments: dict[str, object]
    grounds: dict[str, str]
    score: float = UNDERSTOOD
    missing: str = ""
    question: str = ""


def _understood(text: str, locale: str, context: Context, car: CarWords) -> _Asked | None:
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
        return _Asked(
            "watch.beyond", {"kind": "signal", "what": signal.unknown}, {"kind": "default:no signal", "what": "default:no signal"}
        )
    if signal is not None:
        missing = ("limit" if "test" not in signal.arguments else "zone") if signal.question else ""
        return _Asked(
            "watch.signal", {**signal.arguments, **rest}, {**signal.grounds, **grounds}, missing=missing, question=signal.question
        )
    return _sound(clause, zh, rest, grounds) or _beyond(clause, zh)


def _common(wished: Wish) -> tuple[dict[str, object], dict[str, str]]:
    arguments: dict[str, object] = {}
    grounds: dict[str, str] = {}
    if wished.every_time:
        arguments["every_time"], grounds["every_time"] = True, wished.every_words
    if wished.lasts_s is not None:
        arguments["lasts_s"], grounds["lasts_s"] = round(min(wished.lasts_s, MAX_LASTS_S)), wished.lasts_words
    return arguments, grounds


def _words(phrase: str, source: str, text: str, wished: Wish, rest: dict[str, object], grounds: dict[str, str]) -> _Asked | None:
    phrase = phrase.strip(" ,.").removeprefix("the word ").strip()
    if not phrase or (source == "seen" and _NO_SIGN_WORDS.match(phrase)):
        return None
    if source == "seen" and not has_chinese(phrase) and re.fullmatch(r"(?:a|an|the|any|this|that|it|something|\w)", phrase):
        return None
    arguments = {"source": source, **rest}
    grounds = {"source": f"default:{source}", **grounds}
    if _MY_NAME_EN.match(phrase) or _MY_NAME_ZH.match(phrase):
        question = "您叫什么名字？" if wished.locale == "zh" else "What name should I listen for?"
        return _Asked("watch.words", arguments, grounds, missing="phrase", question=question)
    written = _as_written(phrase, text)[:MAX_PHRASE_CHARS]
    return _Asked("watch.words", {**arguments, "phrase": written}, {**grounds, "phrase": phrase[:MAX_PHRASE_CHARS]})


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


def _answers_name(text: str, locale: str, context: Context) -> _Asked | None:
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
    return _Asked("watch.words", arguments, {**{key: f"context:{key}" for key in last.arguments}, "phrase": name})


def _sound(clause: str, zh: bool, rest: dict[str, object], grounds: dict[str, str]) -> _Asked | None:
    if zh:
        if (noun := _SOUND_NOUNS_ZH.search(clause)) is not None:
            return _out_of_reach("sound", noun.group(), noun.group())
        for shape, pattern in _SOUNDS_ZH:
            if (said := re.search(pattern, clause)) is not None:
                return _Asked("watch.sound", {"shape": shape.value, **rest}, {"shape": said.group(), **grounds})
        return None
    framed = _SOUND_FRAME_EN.match(clause)
    name = framed.group("s") if framed is not None else clause
    for shape, pattern in _SOUNDS_EN:
        said = re.fullmatch(rf"(?:{pattern})(?: .{{0,30}})?", name)
        if said is not None and not _SOUND_NOUNS_EN.search(name):
            return _Asked("watch.sound", {"shape": shape.value, **rest}, {"shape": name, **grounds})
    if re.match(r"^(?:you |i |we )?(?:can )?hear\b", clause) or (_SOUND_NOUNS_EN.search(name) and len(name.split()) <= 3):
        return _out_of_reach("sound", name, name)
    return None


def _beyond(clause: str, zh: bool) -> _Asked:
    seen = (_SEE_ZH if zh else _SEE_EN).match(clause)
    if seen is not None:
        what = seen.group("o").strip() or clause
        return _out_of_reach("object", what, what)
    return _out_of_reach("other", clause, clause, score=0.6)


def _out_of_reach(kind: str, what: str, ground: str, score: float = BEYOND) -> _Asked:
    return _Asked(
        "watch.beyond", {"kind": kind, "what": what[:MAX_PHRASE_CHARS]}, {"kind": "default:out of reach", "what": ground}, score
    )


# --- the skills ------------------------------------------------------------------------------------------------------


def _say(call: Call, english: str, chinese: str, outcome: Outcome = Outcome.COMPLETED, reason: str = "") -> Spoken:
    return Spoken(chinese if call.locale.startswith("zh") else english, outcome, reason)


def _begin(call: Call, condition: Condition, subject: str, met: bool = False) -> Spoken:
    watches = call.watches
    if watches is None:
        return _say(call, "I can't watch for anything here.", "这里我没法替您留意。", Outcome.REFUSED, "no_watches")
    lasts_s = call.arguments.get("lasts_s")
    lasts_ms = round(lasts_s * 1000) if isinstance(lasts_s, int | float) else None
    every = call.arguments.get("every_time") is True
    wanted = Wanted(condition, subject, call.request, call.locale, every, lasts_ms, call.provenance)
    return _begun(call, watches.start(wanted, met), wanted)


def _begun(call: Call, refused: str, wanted: Wanted) -> Spoken:
    match refused:
        case "":
            how_long = ""
            if wanted.lasts_ms is not None:
                said = duration_words(wanted.lasts_ms / 1000, call.locale)
                how_long = f"，{said}内有效" if call.locale.startswith("zh") else f", for {said}"
            when = "every time" if wanted.every_time else "when"
            each = "每次" if wanted.every_time else ""
            return _say(
                call,
                f"Okay, I'll tell you {when} {wanted.subject}{how_long}.",
                f"好的，{each}{wanted.subject}的时候我告诉您{how_long}。",
            )
        case "full":
            return _say(
                call, "I'm already watching for eight things. Say stop watching, and ask again.",
                "我已经在留意八件事了。请先说别再留意了，再重新说一遍。", Outcome.REFUSED, "full",
            )  # fmt: skip
        case "no_eyes":
            return _say(
                call,
                "I can't read signs here: the models for it are missing.",
                "这里我读不了牌子：缺少识别文字的模型。",
                Outcome.REFUSED,
                refused,
            )
        case "no_camera":
            return _say(
                call,
                "I get no pictures from a camera here, so I can't read signs.",
                "这里没有摄像头的画面，我看不到牌子。",
                Outcome.REFUSED,
                refused,
            )
        case _:
            return _say(call, "I can't watch for that here.", "这个我在这里没法留意。", Outcome.REFUSED, refused)


def _hears_and_sees(call: Call) -> Condition:
    phrase = str(call.arguments["phrase"])
    return PhraseSeen(phrase) if call.arguments["source"] == "seen" else PhraseHeard(phrase)


async def _watch_words(call: Call) -> Spoken:
    condition = _hears_and_sees(call)
    return _begin(call, condition, subject_of(condition, call.locale))


async def _watch_sound(call: Call) -> Spoken:
    condition = SoundHeard(SoundShape(str(call.arguments["shape"])))
    return _begin(call, condition, subject_of(condition, call.locale))


async def _beyond_reach(call: Call) -> Spoken:
    kind, what = call.arguments["kind"], str(call.arguments["what"])
    match kind:
        case "object":
            return _say(
                call, "I can't recognise things in the picture here, only written words. I can tell you when I read a word on a sign.",
                "这里我认不出画面里的东西，只能认字。看到牌子上写着什么字，我可以告诉您。", Outcome.REFUSED, "beyond_object",
            )  # fmt: skip
        case "sound":
            return _say(
                call, "I can't tell sounds apart here. I can only tell you when there is a loud bang or a loud noise.",
                "这里我分不清是什么声音，只能在有巨响或很大的声音时告诉您。", Outcome.REFUSED, "beyond_sound",
            )  # fmt: skip
        case "signal":
            return _say(
                call,
                f"I have no signal for {what} in this car, so I can't tell.",
                f"这辆车没有{what}的信号，我没法知道。",
                Outcome.REFUSED,
                "no_signal",
            )
        case _:
            return _say(
                call, "I can't tell when that happens. I can watch for words on signs, words that are spoken, a loud bang, and the car's signals.",
                "这个我没法知道。我能留意的是牌子上的字、有人说的话、巨响和车上的信号。", Outcome.REFUSED, "beyond",
            )  # fmt: skip


async def _stop(call: Call) -> Spoken:
    count = call.watches.stop() if call.watches is not None else 0
    if not count:
        return _say(call, "I wasn't watching for anything.", "我没有在留意什么。")
    return _say(call, "Okay, I've stopped watching.", "好的，我不再留意了。")


async def _list(call: Call) -> Spoken:
    kept = call.watches.kept() if call.watches is not None else ()
    zh = call.locale.startswith("zh")
    if not kept:
        return _say(call, "I'm not watching for anything.", "我没有在留意什么。")
    subjects = [one.subject for one in kept]
    if zh:
        return Spoken(f"我会在这些时候告诉您：{'；'.join(subjects)}。")
    joined = subjects[0] if len(subjects) == 1 else f"{', or when '.join(subjects[:-1])}, or when {subjects[-1]}"
    return Spoken(f"I'll tell you when {joined}.")


async def _wrong(call: Call) -> Spoken:
    subject = call.watches.wrong() if call.watches is not None else None
    if subject is None:
        return _say(call, "I haven't told you anything just now.", "我刚才没有提醒您什么。")
    return _say(call, "Sorry, I'll be more careful about that one.", "抱歉，这一条我会更谨慎。")


def watch_skills(car: CarWords) -> tuple[Skill, ...]:
    """The skills, with the car's signals in words."""

    def recognise(capability: str) -> Callable[[str, str, Context], Match | None]:
        def claim(text: str, locale: str, context: Context) -> Match | None:
            asked = _understood(text, locale, context, car)
            if asked is None or asked.capability != capability:
                return None
            missing = (asked.missing,) if asked.missing else ()
            return Match(capability, asked.score, asked.arguments, asked.grounds, missing, asked.question)

        return claim

    async def watch_signal(call: Call) -> Spoken:
        return _watch_signal(call, car)

    once: dict[str, object] = {
        "every_time": {"type": "boolean"},
        "lasts_s": {"type": "integer", "minimum": 1, "maximum": MAX_LASTS_S},
    }
    signal = {
        "topic": {"type": "string", "enum": list(car.topics)}, "test": {"type": "string", "enum": list(car.tests)},
        "limit": {"type": "number"}, "zone": {"type": "string", "enum": list(car.zones)}, **once,
    }  # fmt: skip
    words = {"source": {"type": "string", "enum": ["heard", "seen"]}, "phrase": {"type": "string"}, **once}
    sound = {"shape": {"type": "string", "enum": [shape.value for shape in SoundShape]}, **once}
    beyond = {"kind": {"type": "string", "enum": ["object", "sound", "signal", "other"]}, "what": {"type": "string"}}
    return (
        _skill("watch.signal", "Tell you when a signal of the car reaches a value.", watch_signal, recognise("watch.signal"), signal, ("topic", "test"),
               ("Tell me when we are below 20 percent battery.", "Let me know when the speed is over 120."), ("电量低于百分之二十的时候告诉我。", "车速超过一百二就提醒我。")),
        _skill("watch.words", "Tell you when words are spoken or can be read.", _watch_words, recognise("watch.words"), words, ("source", "phrase"),
               ("Tell me when you see a sign that says Exit 12.", "Tell me when they announce gate B12."), ("看到写着出口的牌子告诉我。", "有人提到登机口十二的时候告诉我。")),
        _skill("watch.sound", "Tell you when there is a loud bang or noise.", _watch_sound, recognise("watch.sound"), sound, ("shape",),
               ("Tell me when you hear a loud bang.",), ("听到巨响的时候告诉我。",)),
        _skill("watch.beyond", "Say that something cannot be watched for here.", _beyond_reach, recognise("watch.beyond"), beyond, ("kind", "what"),
               ("Tell me when you see a dog.", "Tell me when you hear a siren."), ("看到狗的时候告诉我。", "听到警笛的时候告诉我。")),
        _skill("watch.stop", "Stop watching.", _stop, _about("stop", "watch.stop"), {}, (), ("Stop watching.",), ("别再留意了。",)),
        _skill("watch.list", "Say what I am watching for.", _list, _about("list", "watch.list"), {}, (), ("What are you watching for?",), ("你在留意什么？",)),
        _skill("watch.wrong", "Take an alert for a false one.", _wrong, _about("wrong", "watch.wrong"), {}, (), ("False alarm.",), ("误报。",)),
    )  # fmt: skip


def _watch_signal(call: Call, car: CarWords) -> Spoken:
    read, zh = call.signals.read, call.locale.startswith("zh")
    condition = car.condition(call.arguments, read)
    now = strength(condition, SignalReadings(Samples(0), car.look(condition.paths, read)))
    if now is None:
        name = car.name(str(call.arguments["topic"]), call.locale)
        text = f"我没有{name}的读数，没法留意。" if zh else f"I get no reading of {name} here, so I can't watch it."
        return Spoken(text, Outcome.REFUSED, "no_reading")
    every = call.arguments.get("every_time") is True
    if now and not every:
        already = car.evidence(condition, call.locale, read)
        return Spoken(f"现在已经是了：{already}" if zh else f"That's so already. {already}", Outcome.COMPLETED, "already")
    return _begin(call, condition, car.subject(call.arguments, call.locale, read), met=bool(now))


def _about(what: str, capability: str) -> Callable[[str, str, Context], Match | None]:
    return lambda text, locale, context: Match(capability, 0.92) if about_watches(text, locale) == what else None


def _skill(
    name: str, description: str, run: Callable[[Call], object], recognise: Callable[[str, str, Context], Match | None],
    properties: Mapping[str, object], required: tuple[str, ...], english: tuple[str, ...], chinese: tuple[str, ...],
) -> Skill:  # fmt: skip
    schema = {"type": "object", "properties": dict(properties), "required": list(required), "additionalProperties": False}
    return Skill(name, description, run, recognise, GROUP, schema, {"en": english, "zh": chinese}, timeout_ms=5_000)  # type: ignore[arg-type]


__all__ = ["CarWords", "Watches", "watch_skills"]
