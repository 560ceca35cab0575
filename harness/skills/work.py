"""Operations on work under way: what are you doing, how long is left, cancel it, make it another, what was the result.

Closed patterns (work_words.py) claim words only where the session has work that they fit (choosing.py); what anything else means to a car
or to other people stays as it is. Looking is for everybody; cancelling and revising for whoever may ask. A sentence says what the item
shows after the operation, never what was hoped for (work_sentences.py). Does not know how work runs: it asks through `Call.work`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from ridealong.harness.choosing import Choice, Chosen, NoneFits, Which, choose, fit, is_named, points
from ridealong.harness.doing import JUST_NOW_MS, WORK, Doing, Stage
from ridealong.harness.follow_said import Scale
from ridealong.harness.framing import frame
from ridealong.harness.halting_words import halts
from ridealong.harness.revising import by_so_much
from ridealong.harness.skill import ANSWER_WITHIN_MS, Call, Context, Match, Outcome, Provenance, Skill, Spoken, skill
from ridealong.harness.skills import work_sentences as sentences
from ridealong.harness.work_words import Kind, Operation, cancels_outright, operation

STATUS: Final = "work.status"
LEFT: Final = "work.left"
RESULT: Final = "work.result"
CANCEL: Final = "work.cancel"
REVISE: Final = "work.revise"

SURE: Final = 0.97
"""Something under way was named: nothing else can be meant."""
GUESS: Final = 0.6
"""It fits, but a skill that knows the words better goes first."""
LAST: Final = 0.57
ALL_OF_IT: Final = 0.8
STOPS_WITHIN_MS: Final = 2_000
"""So long a cancel waits for the work to have stopped (or the car to have answered) before it says what is known."""
LOOK_MS: Final = 40
FRESH_MS: Final = 60_000


def _asked(kind: Kind, text: str, locale: str, context: Context) -> Operation | None:
    found = operation(text, locale) if context.doing else None
    return found if found is not None and found.kind is kind else None


def _match(capability: str, score: float, items: Iterable[Doing], change: str = "", adds: bool = False) -> Match:
    arguments: dict[str, object] = {"items": " ".join(one.id for one in items)}
    grounds = {"items": "context:work"}
    if change:
        arguments |= {"change": change, "adds": adds}
        grounds |= {"change": change, "adds": "context:work"}
    return Match(capability, score, arguments, grounds)


def _ask(capability: str, score: float, which: Which, locale: str, change: str = "", adds: bool = False) -> Match:
    """Several fit: one short question about just these."""
    known = _match(capability, score, which.items, change, adds)
    return replace(known, missing=("items",), question=sentences.which(which, locale))


def _answered(capability: str, text: str, locale: str, context: Context) -> Match | None:
    """The answer to our own "do you mean … or …?": one or all of those that it was about, and nothing else."""
    asked = context.recent[0] if context.recent else None
    if (
        asked is None
        or asked.outcome is not Outcome.ASKS
        or asked.capability != capability
        or asked.asked_ms_ago > ANSWER_WITHIN_MS
    ):
        return None
    framing, again = frame(text, locale), operation(text, locale)
    about = framing.core or framing.text
    if again is not None and again.about:  # "cancel the first one" answers, "cancel the search" asks anew
        if again.kind is not Kind.CANCEL or capability != CANCEL or is_named(again.about):
            return None
        about = again.about
    if framing.question or len(about) > 60 or not (is_named(about) or points(about)):
        return None
    ids = str(asked.arguments.get("items", "")).split()
    choice = choose([one for one in context.doing if one.id in ids], about)
    change, adds = str(asked.arguments.get("change", "")), asked.arguments.get("adds") is True
    if isinstance(choice, Which):
        return _ask(capability, SURE, choice, locale, change, adds)
    if not isinstance(choice, Chosen):
        return None
    match = _match(capability, SURE, choice.items, change, adds)
    return Match(capability, SURE, match.arguments, dict.fromkeys(match.arguments, "context:asked"))


# --- looking -----------------------------------------------------------------------------------------------------------


def looks(text: str, locale: str, context: Context) -> Match | None:
    asked = _asked(Kind.STATUS, text, locale, context)
    if asked is None:
        return None
    if asked.vague:
        return _match(STATUS, GUESS, _meant(asked, context)) if _spoken_to(text, locale, context) else None
    for pool, score in ((_open(context), SURE), (context.doing, LAST)):
        match choose(pool, asked.about):
            case Chosen(items=items):
                return _match(STATUS, LAST if any(one.acts for one in items) else score, items)
            case Which(items=several) as which:
                told = several[::-1] if score == SURE else (which.newest,)  # of what is over, the newest
                return _match(STATUS, LAST if any(one.acts for one in several) else score, told)
            case _:
                continue
    return None


def _open(context: Context) -> list[Doing]:
    return [one for one in context.doing if one.stage.under_way or one.stage.unsaid]


def _meant(asked: Operation, context: Context) -> Sequence[Doing]:
    """ "Is it done?": the one that was asked for just now; without any such, and for "what are you doing?", all."""
    choice = choose(_open(context), asked.about) if asked.about not in ("", "you", "things", "they") else None
    return choice.items if isinstance(choice, Chosen) else ()


def _spoken_to(text: str, locale: str, context: Context) -> bool:
    """People ask each other what they are doing: it is for us by name, typed, or while somebody waits for us."""
    if frame(text, locale).wake or context.provenance is Provenance.TYPED:
        return True
    return any(one.left_ms is None or one.asked_ms_ago <= FRESH_MS for one in _open(context))


def counts(text: str, locale: str, context: Context) -> Match | None:
    asked = _asked(Kind.LEFT, text, locale, context)
    if asked is None:
        return None
    timed = [one for one in context.doing if one.left_ms is not None]
    if not is_named(asked.about):
        return _match(LEFT, GUESS, timed) if timed and not asked.about else None
    for pool in (timed, [one for one in context.doing if one.stage.under_way]):
        match choose(pool, asked.about):
            case Chosen(items=items):
                return _match(LEFT, SURE, items)
            case Which():
                return _match(LEFT, SURE, [one for one in pool if fit(one, asked.about) > 0])
            case _:
                continue
    return None


def recalls(text: str, locale: str, context: Context) -> Match | None:
    asked = _asked(Kind.RESULT, text, locale, context)
    choice = choose([one for one in context.doing if one.outcome is not None], asked.about) if asked is not None else None
    match choice:
        case Chosen(items=items):
            return _match(RESULT, 0.9, items)
        case Which(newest=newest):
            return _match(RESULT, 0.9, (newest,))
        case _:
            return None


# --- steering ----------------------------------------------------------------------------------------------------------


def cancels(text: str, locale: str, context: Context) -> Match | None:
    if (answer := _answered(CANCEL, text, locale, context)) is not None:
        return answer
    if (halted := _halted(text, locale, context)) is not None:
        return halted
    asked = _asked(Kind.CANCEL, text, locale, context)
    if asked is None:
        return None
    named = is_named(asked.about)
    pools = (
        ([one for one in context.doing if one.stage.under_way], SURE),
        ([one for one in context.doing if one.stage.unsaid], SURE),
        ([one for one in context.doing if named], LAST),
    )
    for pool, score in pools:
        choice = choose(pool, asked.about)
        if isinstance(choice, NoneFits):
            continue
        if not named and not cancels_outright(text):
            return None
        if not named and not points(asked.about):
            return _pointed(choice)
        if isinstance(choice, Chosen) and _SWITCHES_OFF.search(text) and all(map(_acted, choice.items)):
            return None  # done: "turn off the lights" is a request like the first
        if isinstance(choice, Chosen):
            certain = score if named else ALL_OF_IT
            return _match(CANCEL, LAST if _for_the_car(choice.items, text) else certain, choice.items)
        if score < SURE:
            return _match(CANCEL, score, (choice.newest,))
        return _ask(CANCEL, LAST if _for_the_car(choice.items, text) else score, choice, locale)
    return None


def _halted(text: str, locale: str, context: Context) -> Match | None:
    """ "That's far enough", "stop the window", while one of ours moves. Of several that fit all are meant: a question would come too late."""
    moving = [one for one in context.doing if one.moves]
    asked = halts(text, locale) if moving else None
    if asked is None:
        return None
    match choose(moving, asked.about) if is_named(asked.about) else Chosen(tuple(moving), named=False):
        case Chosen(items=items) | Which(items=items):
            return _match(CANCEL, SURE, items)
        case _:
            return None


def _pointed(choice: Choice) -> Match | None:
    """ "Scrap that": only what was asked for just now."""
    if not isinstance(choice, Chosen) or choice.items[0].asked_ms_ago > JUST_NOW_MS:
        return None
    return _match(CANCEL, GUESS, choice.items)


_SWITCHES_OFF: Final = re.compile(r"\b(?:turn|switch)(?: \w+){0,4}? off\b|关(?:掉|上|了|闭)?", re.IGNORECASE)


def _acted(item: Doing) -> bool:
    """Something in the car was changed, and nothing of it is under way."""
    return item.acts and not item.stage.under_way


def _for_the_car(items: Sequence[Doing], text: str) -> bool:
    """ "Turn off the heating" is a request of its own, also while the heating is being turned on."""
    return any(one.acts and not (one.stage.under_way and cancels_outright(text)) for one in items)


def revises(text: str, locale: str, context: Context) -> Match | None:
    if (answer := _answered(REVISE, text, locale, context)) is not None:
        return answer
    if (longer := _longer(text, locale, context)) is not None:
        return longer
    asked = _asked(Kind.REVISE, text, locale, context)
    if asked is None:
        return None
    pool = [one for one in _open(context) if not one.acts and one.stage is not Stage.STOPPING]
    if asked.vague or not is_named(asked.about):
        # the router keeps those that the change means something to
        return _match(REVISE, LAST if asked.adds else GUESS, pool, asked.change, asked.adds) if pool else None
    match choose(pool, asked.about):
        case Chosen(items=items):
            return _match(REVISE, 0.9, items, asked.change, asked.adds)
        case Which() as which:
            return _ask(REVISE, 0.9, which, locale, asked.change, asked.adds)
        case _:
            return None


def _longer(text: str, locale: str, context: Context) -> Match | None:
    """ "Five more minutes", "take a minute off the timer", of what lasts and is under way."""
    found = by_so_much(text, locale) if context.doing else None
    timed = [one for one in context.doing if one.left_ms is not None and one.stage is not Stage.STOPPING] if found else []
    if found is None or not timed:
        return None
    said, about = found
    if not about and isinstance(said, Scale):  # "double it": only where nothing else was asked for since
        newest = context.recent[0] if context.recent else None
        if newest is None or newest.capability != timed[0].capability or newest.asked_ms_ago > FRESH_MS:
            return None
    change = frame(text, locale).text or text
    match choose(timed, about):
        case Chosen(items=items):
            return _match(REVISE, SURE, items[:1], change)
        case Which() as which:
            return _ask(REVISE, SURE, which, locale, change)
        case _:  # "the ten minute timer" may be the one with ten minutes left
            several = _ask(REVISE, SURE, Which(tuple(timed[::-1])), locale, change)
            return several if len(timed) > 1 else _match(REVISE, SURE, timed, change)


# --- the skills --------------------------------------------------------------------------------------------------------


def _items(call: Call) -> list[Doing]:
    found = [call.work.one(id) for id in str(call.arguments["items"]).split()]
    return [one for one in found if one is not None]


def _schema(**more: Mapping[str, object]) -> dict[str, object]:
    items = {"type": "string", "description": "ids of the work that is meant; empty for all of it"}
    return {"type": "object", "properties": {"items": items, **more}, "required": ["items"], "additionalProperties": False}


@skill(
    STATUS,
    description="Say what is being done, or whether something is done.",
    group=WORK,
    recognise=looks,
    arguments_schema=_schema(),
    examples={
        "en": ("What are you doing?", "Is the search done yet?", "How is the search going?"),
        "zh": ("你在做什么？", "搜索好了吗？", "搜索进行得怎么样了？"),
    },
    timeout_ms=5_000,
)
async def status(call: Call) -> Spoken:
    items = _items(call)
    if items:
        return Spoken(sentences.joined([sentences.state(one, call.locale) for one in items], call.locale))
    watched = [one.subject for one in call.watches.kept()] if call.watches is not None else []
    return Spoken(sentences.overview(call.work.doing(), watched, call.locale))


@skill(
    LEFT,
    description="Say how long is left, of a timer or of other work.",
    group=WORK,
    recognise=counts,
    arguments_schema=_schema(),
    examples={"en": ("How long is left on my timer?", "How much time is left?"), "zh": ("计时器还剩多久？", "还剩多少时间？")},
    timeout_ms=5_000,
)
async def left(call: Call) -> Spoken:
    return Spoken(sentences.joined([sentences.left(one, call.locale) for one in _items(call)[:3]], call.locale))


@skill(
    RESULT,
    description="Say the result of earlier work again.",
    group=WORK,
    recognise=recalls,
    arguments_schema=_schema(),
    examples={"en": ("What was the result of the search?",), "zh": ("搜索的结果是什么？",)},
    timeout_ms=5_000,
)
async def result(call: Call) -> Spoken:
    items = _items(call)
    return Spoken(sentences.result(items[0], call.locale) if items else sentences.nothing(call.locale))


@skill(
    CANCEL,
    description="Cancel work that is under way, or what is still to be said of it.",
    group=WORK,
    recognise=cancels,
    arguments_schema=_schema(),
    examples={
        "en": ("Cancel the charging search.", "Forget the timer.", "Stop searching.", "Cancel everything."),
        "zh": ("取消充电站的搜索。", "把计时器取消。", "别找了。"),
    },
    timeout_ms=15_000,
)
async def cancel(call: Call) -> Spoken:
    """Waits a little for each item to have stopped, so that what is said is how it ended; one that takes longer says so itself."""
    before = _items(call)
    if not before:
        return Spoken(sentences.nothing(call.locale))
    if not all(call.work.cancel(one.id) for one in before):
        return Spoken(sentences.not_yours(call.locale), Outcome.REFUSED, "not_addressed")
    waited_ms = 0
    while any(one.stage.under_way for one in _items(call)) and waited_ms < STOPS_WITHIN_MS:
        await call.clock.sleep_ms(LOOK_MS)
        waited_ms += LOOK_MS
    after = {one.id: one for one in _items(call)}
    for one in after.values():
        if one.stage.under_way:
            call.work.leave(one.id)
    pairs = [(one, after[one.id]) for one in before if one.id in after]
    return Spoken(sentences.cancelled(pairs, call.locale))


@skill(
    REVISE,
    description="Change work that is under way: a newer version replaces it.",
    group=WORK,
    recognise=revises,
    arguments_schema=_schema(
        change={"type": "string", "description": "the change in the user's words"}, adds={"type": "boolean"}
    ),
    examples={
        "en": ("Make it the cheapest instead.", "Change the timer to ten minutes.", "And also the fastest one."),
        "zh": ("换成最便宜的。", "把计时器改成十分钟。", "还要最快的。"),
    },
    timeout_ms=5_000,
)
async def revise(call: Call) -> Spoken:
    for one in _items(call):
        said = call.work.revise(one.id, call.arguments)
        if said is not None:
            return Spoken(said)
    return Spoken(sentences.unchanged(call.locale), Outcome.REFUSED, "not_understood")


SKILLS: tuple[Skill, ...] = (status, left, result, cancel, revise)
