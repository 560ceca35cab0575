"""A follow-up with a remark beside it: "Sorry, Bristol. I always muddle those two", 老师通知提前放学，改五点半. Pure.

Where nothing came of a sentence behind something that was asked for, one end of it is looked at by itself. It counts where it only has a meaning after what
was asked for (alone it asks for nothing, or for something else), where it is about the same kind of thing, and where the rest asks for nothing, binds
nothing ("if", "don't") and quotes nobody. Does not know skills.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Final

from ridealong.harness.deferred import deferred
from ridealong.harness.follow_about import takes_back
from ridealong.harness.follow_words import follow_up
from ridealong.harness.following import REFERS_WITHIN_MS
from ridealong.harness.framing import commands, frame
from ridealong.harness.router import Calls, ChitChat, Decision, Nothing, open_question
from ridealong.harness.skill import Context
from ridealong.harness.slots.number import find_numbers
from ridealong.harness.slots.text import language, plain

_PAUSE: Final = re.compile(r"(?:[,;!?，。；！？…]+|[.](?!\d))\s*|\s+[-–—]+\s+")
_MOST_CLAUSES: Final = 5
_LONGEST: Final = 160
_MOST_WORDS: Final = 8
_MOST_HAN: Final = 12
_BINDS_EN: Final = re.compile(
    r"(?:(?:please|and|but|so|just|no|oh|okay|well|you|maybe|actually) )*(?:do not|never|leave|keep|stop|wait|except|unless|not|only|if|when|whenever|until|till|once|as soon as|after|before|in \w+ (?:minutes?|hours?))\b|.*\b(?:unless|except|or|everyone|everybody|guys|kids|lads|folks|you (?:lot|two|all)|(?:was|were|is|are|all|be) like)\b|"
    r".*\b(?:said|says|say|told (?:me|him|her|us|them)|tell (?:him|her|them|us)|asks?|asked|goes|shouted|like|that|to|and)$"
)
_BINDS_ZH: Final = re.compile(
    r"(?:你|请|先|就|也|都|可|那|还是)*(?:别|不要|不用|甭|不许|不准)|.*(?:除非|或者|除了|[他她谁妈爸]们?.{0,3}说)|.*(?:说|讲|道|问|喊|回|叫|让|告诉.{0,3})(?:道|了|过|的是)?$"
)
_NOTHING: Final = (
    Nothing("not_a_request"), Nothing("question"), Nothing("negated"), ChitChat("unsupported"), ChitChat("general"),
)  # fmt: skip


def beside_a_remark(
    decision: Decision, text: str, locale: str, context: Context, decide: Callable[[str, Context], Decision]
) -> Decision:
    """`decide`: of words alone, with what was asked before."""
    last = context.recent[0] if context.recent else None
    if decision not in _NOTHING or last is None or last.asked_ms_ago > REFERS_WITHIN_MS or open_question(context) is not None:
        return decision
    if len(text) > _LONGEST or frame(text, locale).to_other:
        return decision
    without = replace(context, recent=())
    for kept, rest in _ends(text):
        if (
            not _may_follow(kept, rest, locale)
            or any(_binds(one, locale) for one in rest)
            or not all(_is_nothing(decide(one, without)) for one in rest)
        ):
            continue
        found = decide(kept, context)
        if (
            not isinstance(found, Calls)
            or found.also
            or not all(_of_kind(one.capability, last.capability) for one in found.matches)
        ):
            continue
        again = all(one.capability == last.capability for one in found.matches)
        if again or not _same(found, decide(kept, without)):
            return found
    return decision


def _may_follow(kept: str, rest: tuple[str, ...], locale: str) -> bool:
    """Short, and in the form of something that changes what was asked for."""
    form = plain(kept, locale)
    if len(form) > _MOST_HAN if language(kept, locale) == "zh" else len(form.split()) > _MOST_WORDS:
        return False
    if re.search(r"不[开关放吹走]了?$", form) or any(find_numbers(one, locale) for one in rest) and find_numbers(form, locale):
        return False
    return follow_up(kept, locale) is not None or commands(kept, locale) or any(takes_back(one, locale) for one in (kept, *rest))


def _ends(text: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Each end of the sentence, longest first, with the clauses that are left."""
    pauses = [one for one in _PAUSE.finditer(text) if text[: one.start()].strip() and text[one.end() :].strip()]
    if not pauses or len(pauses) >= _MOST_CLAUSES:
        return
    bounds = [0, *(one.end() for one in pauses), len(text)]
    clauses = [text[begin:end].strip() for begin, end in zip(bounds, bounds[1:], strict=False)]
    for count in range(len(clauses) - 1, 0, -1):
        yield text[bounds[len(clauses) - count] :].strip(), tuple(clauses[: len(clauses) - count])
        yield text[: bounds[count]].strip(" ,，;；"), tuple(clauses[count:])


def _binds(clause: str, locale: str) -> bool:
    """What it says holds back, or is put into somebody's mouth."""
    form = plain(clause, locale)
    if language(clause, locale) != "zh":
        return _BINDS_EN.match(form) is not None
    return deferred(clause, locale) is not None or _BINDS_ZH.match(form) is not None


def _is_nothing(decision: Decision) -> bool:
    return isinstance(decision, Nothing | ChitChat)


def _same(one: Calls, other: Decision) -> bool:
    return isinstance(other, Calls) and [(made.capability, made.arguments) for made in one.matches] == [
        (made.capability, made.arguments) for made in other.matches
    ]


def _of_kind(one: str, other: str) -> bool:
    return one.partition(".")[0] == other.partition(".")[0]
