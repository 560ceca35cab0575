"""Standing requests: "tell me when …". Four skills that begin one (signal, words, sound, and what is beyond reach), and three about them.

What can be waited for: signals of the car, words that somebody says, words that can be read, a loud bang or noise. Everything else is
answered plainly. Words that are overheard or seen never begin a watch: they come with a provenance that may not ask. The car's signals
are known through `CarWords`; the watching itself is the session's (`Call.watches`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final

from ridealong.harness.changes import Amount, Another, Arguments, Changes, Reads
from ridealong.harness.conditions import Condition, PhraseHeard, PhraseSeen, Readings, SoundHeard, SoundShape, strength
from ridealong.harness.doubt import Doubt, Doubts
from ridealong.harness.meant import FRAGMENT, Meant, Understand
from ridealong.harness.skill import Call, Context, Match, Outcome, Skill, SkillFunction, Spoken
from ridealong.harness.slots.duration import duration_words
from ridealong.harness.slots.text import plain
from ridealong.harness.watch_plainly import plainly
from ridealong.harness.watch_words import MAX_LASTS_S, CarWords, understood
from ridealong.harness.watches import Wanted, Watches, subject_of
from ridealong.harness.wishes import about_watches, wish
from ridealong.proto.types import Samples, SignalReading

GROUP: Final = "watching"
_LASTING: Final = re.compile(
    r"(?:for|over|during|within) the next (?:\w+ ){0,5}(?:seconds?|minutes?|hours?)|(?:往后|接下来|未来|今后)的?.{1,6}(?:分钟|小时|钟头)(?:之?内|里)?"
)
"""How long is watched, ahead of what for."""


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
        case "not_consented":
            return _say(
                call,
                "I can't read signs: nobody has allowed me to use the camera.",
                "我看不了牌子：还没有允许我使用摄像头。",
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


def _hears_and_sees(arguments: Arguments) -> Condition:
    phrase = str(arguments["phrase"])
    return PhraseSeen(phrase) if arguments["source"] == "seen" else PhraseHeard(phrase)


async def _watch_words(call: Call) -> Spoken:
    condition = _hears_and_sees(call.arguments)
    if call.watches is not None and call.instead_of is not None and {"source", "phrase"} <= call.instead_of.keys():
        call.watches.drop(_hears_and_sees(call.instead_of))
    return _begin(call, condition, subject_of(condition, call.locale))


def _given_up(arguments: Arguments, before: Reads) -> tuple[Another, ...]:
    """ "Forget that, I don't need it any more"."""
    return (("watch.stop", {}),)


def _another_phrase(arguments: Arguments, words: str, read: Reads) -> Another | None:
    """ "Sorry, Ludford": other words to wait for."""
    return ("watch.words", {**arguments, "phrase": words}) if words and words != arguments.get("phrase") else None


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
            asked = understood(text, locale, context, car)
            if asked is None or asked.capability != capability:
                return None
            missing = (asked.missing,) if asked.missing else ()
            return Match(capability, asked.score, asked.arguments, asked.grounds, missing, asked.question)

        return claim

    def understand(capability: str) -> Understand:
        def calls(meant: Meant) -> tuple[Match, ...]:
            lasting = meant.ahead if _LASTING.fullmatch(plain(meant.ahead, meant.locale)) else ""
            asked = None if meant.variant == FRAGMENT else plainly(f"{lasting}{meant.text}", meant.locale, meant.context, car)
            if asked is None:
                return ()
            missing = (asked.missing,) if asked.missing else ()
            return (Match(asked.capability, meant.share, asked.arguments, asked.grounds, missing, asked.question),)

        return calls

    def limited(value: float, unit: str, arguments: Arguments, read: Reads) -> float | None:
        return car.limit(arguments, value, unit, read)

    def step(size: float | None, unit: str, manner: str, arguments: Arguments, read: Reads) -> float | None:
        return car.limit(arguments, size, unit, read) if size is not None else None

    def topic(arguments: Arguments, words: str, read: Reads) -> Another | None:
        found = car.named(arguments, words, read)
        return ("watch.signal", found) if found is not None else None

    limits = Changes(Amount("limit", -100, 10_000_000, frozenset(), limited, step, whole=False), other=topic, undone=_given_up)

    def doubt(words: str, locale: str, match: Match | None) -> Doubt | None:
        wished = wish(words, locale) if match is not None and match.capability.startswith("watch.") else None
        found = car.out_of_range(wished.clause, wished.locale, _unread) if wished is not None else None
        if found is None or match is None:
            return None
        known = {
            **found.arguments,
            **{name: match.arguments[name] for name in ("every_time", "lasts_s") if name in match.arguments},
        }
        grounds = dict.fromkeys(known, "context:asked")
        return Doubt(found.question, Match("watch.signal", match.score, known, grounds, ("limit",), found.question))

    async def watch_signal(call: Call) -> Spoken:
        return _watch_signal(call, car)

    once: dict[str, object] = {
        "every_time": {"type": "boolean"},
        "lasts_s": {"type": "integer", "minimum": 1, "maximum": MAX_LASTS_S},
    }
    signal = {
        "topic": {"type": "string", "enum": list(car.topics)}, "test": {"type": "string", "enum": list(car.tests)},
        "limit": {"type": "number", "minimum": -100, "maximum": 10_000_000}, "zone": {"type": "string", "enum": list(car.zones)}, **once,
    }  # fmt: skip
    words = {
        "source": {"type": "string", "enum": ["heard", "seen"]},
        "phrase": {"type": "string", "description": "the words to wait for, as they were said"},
        **once,
    }
    sound = {"shape": {"type": "string", "enum": [shape.value for shape in SoundShape]}, **once}
    beyond = {
        "kind": {"type": "string", "enum": ["object", "sound", "signal", "other"]},
        "what": {"type": "string", "description": "what was asked for, as it was said"},
    }
    return (
        _skill("watch.signal", "Tell you when a signal of the car reaches a value.", watch_signal, recognise("watch.signal"), understand("watch.signal"), signal, ("topic", "test"),
               ("Tell me when we are below 20 percent battery.", "Let me know when the speed is over 120."), ("电量低于百分之二十的时候告诉我。", "车速超过一百二就提醒我。"), limits, doubt),
        _skill("watch.words", "Tell you when words are spoken or can be read.", _watch_words, recognise("watch.words"), understand("watch.words"), words, ("source", "phrase"),
               ("Tell me when you see a sign that says Exit 12.", "Tell me when they announce gate B12."), ("看到写着出口的牌子告诉我。", "有人提到登机口十二的时候告诉我。"), Changes(other=_another_phrase, undone=_given_up)),
        _skill("watch.sound", "Tell you when there is a loud bang or noise.", _watch_sound, recognise("watch.sound"), understand("watch.sound"), sound, ("shape",),
               ("Tell me when you hear a loud bang.",), ("听到巨响的时候告诉我。",), Changes(undone=_given_up)),
        _skill("watch.beyond", "Say that something cannot be watched for here.", _beyond_reach, recognise("watch.beyond"), understand("watch.beyond"), beyond, ("kind", "what"),
               ("Tell me when you see a dog.", "Tell me when you hear a siren."), ("看到狗的时候告诉我。", "听到警笛的时候告诉我。"), doubts=doubt),
        _skill("watch.stop", "Stop watching.", _stop, _about("stop", "watch.stop"), _stops, {}, (), ("Stop watching.",), ("别再留意了。",)),
        _skill("watch.list", "Say what I am watching for.", _list, _about("list", "watch.list"), None, {}, (), ("What are you watching for?",), ("你在留意什么？",)),
        _skill("watch.wrong", "Take an alert for a false one.", _wrong, _about("wrong", "watch.wrong"), None, {}, (), ("False alarm.",), ("误报。",)),
    )  # fmt: skip


def _unread(path: str) -> SignalReading | None:
    """From which side a limit is reached does not matter where it is none."""
    return None


_OTHER_WORK: Final = re.compile(
    r"\b(?:timers?|alarm|navigation|route|music|radio|fan|search|lights?|lamps?)\b|灯|计时|闹钟|导航|音乐|多少|几"
)
"""What can be stopped too, and is no watch."""


def _stops(meant: Meant) -> tuple[Match, ...]:
    if meant.variant == FRAGMENT or _OTHER_WORK.search(meant.form):
        return ()
    return (Match("watch.stop", meant.share),)


def _watch_signal(call: Call, car: CarWords) -> Spoken:
    read, zh = call.signals.read, call.locale.startswith("zh")
    condition = car.condition(call.arguments, read)
    now = strength(condition, Readings(Samples(0), car.look(condition.paths, read)))
    if now is None:
        name = car.name(str(call.arguments["topic"]), call.locale)
        text = f"我没有{name}的读数，没法留意。" if zh else f"I get no reading of {name} here, so I can't watch it."
        return Spoken(text, Outcome.REFUSED, "no_reading")
    if call.watches is not None and call.instead_of is not None and {"topic", "test"} <= call.instead_of.keys():
        call.watches.drop(car.condition(call.instead_of, read))
    every = call.arguments.get("every_time") is True
    if now and not every:
        already = car.evidence(condition, call.locale, read)
        return Spoken(f"现在已经是了：{already}" if zh else f"That's so already. {already}", Outcome.COMPLETED, "already")
    return _begin(call, condition, car.subject(call.arguments, call.locale, read), met=bool(now))


def _about(what: str, capability: str) -> Callable[[str, str, Context], Match | None]:
    return lambda text, locale, context: Match(capability, 0.92) if about_watches(text, locale) == what else None


def _skill(
    name: str, description: str, run: SkillFunction, recognise: Callable[[str, str, Context], Match | None], understand: Understand | None,
    properties: Mapping[str, object], required: tuple[str, ...], english: tuple[str, ...], chinese: tuple[str, ...],
    changes: Changes | None = None, doubts: Doubts | None = None,
) -> Skill:  # fmt: skip
    schema = {"type": "object", "properties": dict(properties), "required": list(required), "additionalProperties": False}
    return Skill(
        name,
        description,
        run,
        recognise,
        GROUP,
        schema,
        {"en": english, "zh": chinese},
        timeout_ms=5_000,
        understand=understand,
        changes=changes,
        doubts=doubts,
    )


__all__ = ["CarWords", "Watches", "watch_skills"]
