"""What the user asks to be kept in mind: where a thing was put, where the car stands; told again when asked, forgotten when told to.

What is kept are the user's words, the place, and, where the camera may be used and shows something now, the picture with the words in it. What is told are the user's words, with how
long ago they were said; nothing is concluded from them. Does not know how it is kept (`Call.memory`), or places by name: a direction and a distance are said.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from difflib import SequenceMatcher
from typing import Final

from ridealong.harness.changes import Another, Arguments, Changes, Reads
from ridealong.harness.interjections import answer
from ridealong.harness.meant import FRAGMENT, Meant, Understand
from ridealong.harness.polish import without_reserved
from ridealong.harness.remembering import Kept, Kind, Spot, found, likeness
from ridealong.harness.skill import (
    ANSWER_WITHIN_MS,
    KEEPING,
    SPEAKERS,
    Call,
    Context,
    Match,
    Outcome,
    Recognise,
    Skill,
    Spoken,
    skill,
)
from ridealong.harness.skills import memory_words
from ridealong.harness.skills.eyes import Eyes, pictures, read_now
from ridealong.harness.skills.memory_said import SENTENCES, ago, from_here, points, yours
from ridealong.harness.snapshot import Snapshot

SCORE: Final = 0.95
"""Above what is only about something seen."""
PLACE_WITHIN_MS: Final = 60_000
"""An older place is not where the words were said."""
MAX_CHARS: Final = 300
ALIKE: Final = 0.5
CORRECTED_WITHIN_S: Final = 90.0
MAX_SEEN_CHARS: Final = 120
WITHIN_MS: Final = 10_000
ALL: Final = "*"
SURE: Final = 0.7
"""So sure a tagger must be where the words themselves don't show what is kept or looked for."""
_ELSEWHERE: Final = re.compile(
    r"\b(?:turn|exit|destination|route|junction|stop|station|nearest|next|to (?:buy|call|get|go|take|do)|me)$|\bnext (?:turn|exit|stop)\b|转弯|路口|出口|高速|目的地|加油站|厕所|服务区|最近的"
)
"""Where a place on the way is: not ours."""


def sentence(reason: str, locale: str) -> str:
    english, chinese = SENTENCES[reason]
    return chinese if locale.startswith("zh") else english


def failed(reason: str, locale: str) -> Spoken:
    return Spoken(sentence(reason, locale), Outcome.FAILED, reason)


def barred(call: Call) -> Spoken | None:
    """Whose voice is not known is told nothing of what others have said, and keeps nothing."""
    reason = "unknown_speaker" if call.provenance not in SPEAKERS else "no_memory" if call.memory is None else ""
    return Spoken(sentence(reason, call.locale), Outcome.REFUSED, reason) if reason else None


def recogniser(capability: str, argument: str = "", asks: tuple[str, str] = ("", "")) -> Recognise:
    """By memory_words. `argument`: what the words that it found are; `asks`: the question where there are none."""

    def recognise(text: str, locale: str, context: Context) -> Match | None:
        last = context.recent[0] if context.recent else None
        pending = last is not None and last.capability == capability and last.outcome is Outcome.ASKS and last.asked_ms_ago <= ANSWER_WITHIN_MS  # fmt: skip
        if pending and last is not None and argument in last.arguments and answer(text, locale) is True:
            return Match(capability, 1.0, dict(last.arguments), dict.fromkeys(last.arguments, "context:asked"))
        wanted = memory_words.asked(text, locale)
        if wanted is None and pending and argument and last is not None and argument not in last.arguments:
            said = text.strip(" .。!！")
            return Match(capability, SCORE, {argument: said}, {argument: said})
        if wanted is None or wanted.capability != capability:
            return None
        return _match(capability, argument, wanted.words, SCORE, asks, locale)

    return recognise


def _match(capability: str, argument: str, words: str, score: float, asks: tuple[str, str], locale: str) -> Match:
    if not argument:
        return Match(capability, score)
    if not words and asks[0]:
        return Match(capability, score, missing=(argument,), question=asks[locale.startswith("zh")])
    ground = "default:" + (words or "the newest") if words in ("", ALL) or capability == memory_words.WHERE else words
    return Match(capability, score, {argument: words}, {argument: ground})


def understanding(capability: str, argument: str, asks: tuple[str, str], bare: Callable[[str, bool], str]) -> Understand:
    """What a stretch that a tagger has found asks to be kept or found: by memory_words, else what `bare` leaves of it."""

    def understand(meant: Meant) -> tuple[Match, ...]:
        if meant.variant == FRAGMENT:
            return ()
        wanted = memory_words.asked(meant.text, meant.locale)
        known = wanted is not None and wanted.capability == capability
        if wanted is not None and not known and wanted.capability == memory_words.FORGET:
            return (
                Match(
                    memory_words.FORGET,
                    meant.share,
                    {"thing": wanted.words},
                    {"thing": wanted.words or f"default:{wanted.words}"},
                ),
            )
        if not known and (meant.share < SURE or _ELSEWHERE.search(meant.form)):
            return ()
        words = wanted.words if known and wanted is not None else bare(meant.text, meant.zh)
        return (_match(capability, argument, words, meant.share, asks, "zh" if meant.zh else "en"),)

    return understand


def other_words(capability: str, argument: str) -> Changes:
    """Other words in the place of those: "soy milk, I mean"."""

    def other(arguments: Arguments, words: str, read: Reads) -> Another | None:
        thing = re.sub(r"^(?:the|my|our|a|an) ", "", words, flags=re.IGNORECASE) if argument == "thing" else words
        return (capability, {argument: thing}) if thing and thing != arguments.get(argument) else None

    return Changes(other=other)


_ASKED: Final = re.compile(
    r"^(?:please\s+)?(?:remember|save|store|log|memori[sz]e|keep in mind)\b(?:\s+that\b)?[\s,:]+|[\s,.]+(?:and\s+|so\s+)?(?:please\s+)?(?:remember|don't forget|keep|save|store|hang on to|hold on to|file)\b[^,]*$",
    re.IGNORECASE,
)
_ASKED_ZH: Final = re.compile(
    r"^(?:请|帮我|你|给我)*(?:记着|记住|记一下|存一下)[，,\s]*|[，,\s]*(?:你|您|请|帮我|给我|替我|先)*(?:记|存)(?:住|着|好|牢|一下|下来|起来|得)?(?:了|吧|哦|喔|啊)*$"
)


def _bare_statement(text: str, zh: bool) -> str:
    said = text.strip(" ,.，。!！?")
    left = (_ASKED_ZH if zh else _ASKED).sub("", said).strip(" ,.，。!！")
    return left or said


_QUESTION_WORDS: Final = re.compile(
    r"\b(?:where(?:abouts|'s|'d|'re)?|what|which|who|how|is|are|was|were|did|do|does|have|has|had|i|we|you|it|me|put|left|leave|parked?|hid(?:den)?|stow(?:ed)?|stick|stuck|stash(?:ed)?|shove[d]?|chuck(?:ed)?|dump(?:ed)?|pop(?:ped)?|plonk(?:ed)?|lay|laid|see|seen|find|lost|can't|know|remember|"
    r"recall|remind|tell|told|said|say|again|please|gone|kept|in|on|at|to|the|my|our|a|that|still|any|idea|help|heck|hang|this|morning|yesterday|last|week|with)\b", re.IGNORECASE
)  # fmt: skip
_QUESTION_WORDS_ZH: Final = re.compile(
    r"(?:我们?|你|您|的|把|给|被|之前|上次|刚才|刚刚|早上|到底|放|停|搁|藏|塞|丢|扔|落|收|存|在|了|哪(?:里|儿|个|边|一?层)?|什么(?:地方|位置)?|几(?:楼|层|号)|来着|呢|啊|呀|吗|记得|还|知道|不|帮|想想|找|说过?|让|是|呀|啦|那|个|去)"
)


def _bare_thing(text: str, zh: bool) -> str:
    left = (_QUESTION_WORDS_ZH if zh else _QUESTION_WORDS).sub("" if zh else " ", text)
    left = "".join(re.findall(r"[\w]+", left)) if zh else " ".join(re.findall(r"[\w'-]+", left))
    if left:
        return left
    return ("车" if zh else "car") if re.search(r"\bpark|[停泊]", text, re.IGNORECASE) else ""


_TEXT: Final = {"type": "object", "properties": {"text": {"type": "string", "description": "in the user's words"}}, "required": ["text"], "additionalProperties": False}  # fmt: skip
_THING: Final = {"type": "object", "properties": {"thing": {"type": "string", "description": "the thing, in the user's words"}}, "required": ["thing"], "additionalProperties": False}  # fmt: skip
_ASKS_WHAT: Final = ("What shall I remember?", "要我记住什么？")
_ASKS_THING: Final = ("What are you looking for?", "您在找什么？")


def kept_text(call: Call) -> str:
    return " ".join(without_reserved(str(call.arguments["text"])).split())[:MAX_CHARS]


def spot_of(call: Call) -> Spot | None:
    place = call.snapshot.place if isinstance(call.snapshot, Snapshot) else None
    return Spot(place.latitude, place.longitude, place.accuracy_m) if place and place.age_ms <= PLACE_WITHIN_MS else None


async def without_corrected(call: Call, kind: Kind, text: str) -> None:
    """Forgets what these words correct, where it was kept: "buy oat milk", "no, soy milk" leaves one note. Another text is none of it."""
    earlier = " ".join(str((call.instead_of or {}).get("text", "")).split())
    if call.memory is None or not earlier or earlier == text or SequenceMatcher(None, earlier, text).ratio() < ALIKE:
        return
    kept = await call.memory.kept(kind)
    await call.memory.forget([one.id for one in kept if one.text == earlier and one.ago_s <= CORRECTED_WITHIN_S][:1])


async def remember(call: Call, eyes: Eyes | None) -> Spoken:
    if (no := barred(call)) is not None or call.memory is None:
        return no or failed("no_memory", call.locale)
    zh, text, spot = call.locale.startswith("zh"), kept_text(call), spot_of(call)
    only_points = points(text)
    frames, _ = pictures(call)
    seen = (await read_now(call, eyes)).text[:MAX_SEEN_CHARS] if only_points and frames else ""
    try:
        await call.memory.keep(Kind.THING, text, spot, seen, frames[0].jpeg if frames else b"")
        await without_corrected(call, Kind.THING, text)
    except OSError:
        return failed("not_kept", call.locale)
    told = f"好的，我记住了：“{text}”。" if zh else f"Okay, I'll remember: “{text}”."
    if only_points and spot is None:
        told += sentence("no_place", call.locale) if zh else " " + sentence("no_place", call.locale)
    if seen:
        told += f"那里写着：“{seen}”。" if zh else f" The words there: “{seen}”."
    return Spoken(told)


@skill(
    "memory.where",
    description="Say where a remembered thing is.",
    group=KEEPING,
    recognise=recogniser(memory_words.WHERE, "thing", _ASKS_THING),
    understand=understanding(memory_words.WHERE, "thing", _ASKS_THING, _bare_thing),
    changes=other_words(memory_words.WHERE, "thing"),
    arguments_schema=_THING,
    examples={
        "en": ("Where did I leave my keys?", "Where did I park?", "Have you seen my glasses?"),
        "zh": ("我的钥匙放哪了？", "我车停哪儿了？", "我把护照放哪里了？"),
    },
    timeout_ms=WITHIN_MS,
)
async def where(call: Call) -> Spoken:
    if (no := barred(call)) is not None or call.memory is None:
        return no or failed("no_memory", call.locale)
    zh, thing = call.locale.startswith("zh"), str(call.arguments["thing"])
    try:
        one = found(await call.memory.kept(Kind.THING), thing)
    except OSError:
        return failed("unreadable", call.locale)
    if one is None:
        return Spoken(
            f"关于“{thing}”，您没有让我记过。" if zh else f"You haven't told me anything about “{thing}”.", reason="nothing"
        )
    return Spoken(_told(one, spot_of(call), zh))


def _told(one: Kept, here: Spot | None, zh: bool) -> str:
    when, only_points = ago(one.ago_s, zh), points(one.text)
    if zh:
        told = f"您{when}让我记住：“{one.text}”。" if only_points else f"您{when}说过：“{one.text}”。"
    elif only_points:
        told = f"You asked me {when} to remember {yours(one.text)}."
    else:
        told = f"You said {when} that {yours(one.text)}."
    place = from_here(one.spot, here, zh)
    if not place and only_points and not one.seen:
        place = "我不知道那是在什么位置。" if zh else "I don't know where that was."
    seen = (f"那里写着：“{one.seen}”。" if zh else f"The words there: “{one.seen}”.") if one.seen else ""
    return ("" if zh else " ").join(part for part in (told, place, seen) if part)


@skill(
    "memory.forget",
    description="Forget what was remembered about a thing, the last note, or everything.",
    group=KEEPING,
    recognise=recogniser(memory_words.FORGET, "thing"),
    arguments_schema=_THING,
    examples={"en": ("Forget where my keys are.", "Delete my last note.", "Forget everything you remember."), "zh": ("忘掉钥匙在哪。", "删掉上一条笔记。", "忘掉你记住的一切。")},
    timeout_ms=WITHIN_MS,
)  # fmt: skip
async def forget(call: Call) -> Spoken:
    if (no := barred(call)) is not None or call.memory is None:
        return no or failed("no_memory", call.locale)
    zh, thing = call.locale.startswith("zh"), str(call.arguments["thing"])
    if thing == ALL and call.agreed_to is None:
        return Spoken(sentence("all", call.locale), Outcome.ASKS, "needs_confirmation")
    try:
        if thing == ALL:
            count = await call.memory.forget_all()
        elif not thing:
            count = await call.memory.forget([one.id for one in (await call.memory.kept(Kind.NOTE))[:1]])
        else:
            kept = [*await call.memory.kept(Kind.THING), *await call.memory.kept(Kind.NOTE)]
            count = await call.memory.forget([one.id for one in kept if likeness(thing, one.text) > 0])
    except OSError:
        return failed("not_forgotten", call.locale)
    if not count:
        return Spoken(sentence("nothing_forgotten", call.locale), reason="nothing")
    if zh:
        return Spoken(f"好的，忘掉了{count}条。")
    return Spoken("Okay, I've forgotten that." if count == 1 else f"Okay, I've forgotten {count} things.")


def memory_skills(eyes: Eyes | None) -> tuple[Skill, ...]:
    """`eyes`: reads the words in the picture that is kept with "remember where I parked"."""

    async def run(call: Call) -> Spoken:
        return await remember(call, eyes)

    return (replace(_remember, run=run), where, forget)


@skill(
    "memory.remember",
    description="Remember something said (where a thing was put, where we parked), with the place and what the camera sees.",
    group=KEEPING,
    recognise=recogniser(memory_words.REMEMBER, "text", _ASKS_WHAT),
    understand=understanding(memory_words.REMEMBER, "text", _ASKS_WHAT, _bare_statement),
    changes=other_words(memory_words.REMEMBER, "text"),
    arguments_schema=_TEXT,
    examples={
        "en": ("Remember that the keys are on the hall table.", "Remember where I parked.", "I put the passport in the top drawer, remember that."),
        "zh": ("记住钥匙放在鞋柜上。", "记住我停车的位置。", "我把护照放在书房抽屉里了，你记着。"),
    },
    timeout_ms=WITHIN_MS,
)  # fmt: skip
async def _remember(call: Call) -> Spoken:
    return await remember(call, None)
