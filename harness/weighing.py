"""Whose reading of a sentence is believed: the grammar's, or the tagger's. Pure.

A likelihood decides, and how much it must be depends on what the grammar has found (docs/decisions/0008-requests.md).
Does not know how either reading came about, nor what follows of the decision.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Final

from ridealong.harness.deferred import Later, deferred, refusal
from ridealong.harness.framing import frame, pieces
from ridealong.harness.lasting import lasting, no_undoing
from ridealong.harness.registry import Registry
from ridealong.harness.router import AskBack, Calls, ChitChat, Decision, Nothing
from ridealong.harness.sequence import comes_after
from ridealong.harness.skill import TALK, WORK, Match, same_call
from ridealong.harness.slots.number import find_numbers
from ridealong.harness.slots.text import language, plain
from ridealong.harness.tagged import UNSUPPORTED
from ridealong.harness.tagged_reading import LIKELY, Tagged, tells

ASKING: Final = 0.85
"""From here on words that the grammar makes nothing of ask for something, if only for what no skill does."""
HINTED: Final = 0.6
"""From here on where nothing is asked for in so many words ("it's stuffy"), or something is undone that needs no argument."""
SURE: Final = 0.55
"""From here on the tagger's calls are taken instead of the grammar's other ones."""
FEWER: Final = 0.75
"""From here on the tagger's calls are taken where the grammar has found the same ones, and others beside them."""
PLAINLY: Final = 0.8
"""The grammar's score from here on leaves hardly a word unused."""
WHOLLY: Final = 0.93
"""From here on the grammar has used every word."""
CERTAIN: Final = 0.97
"""The grammar's score from here on: its question is put, whatever the tagger makes of the words."""
RULED_OUT: Final = 0.75
"""From here on the tagger's "nobody asks for anything" is taken instead of the grammar's calls."""
GUARDED: Final = frozenset({"other_addressee", "negated", "reported"})
"""What the grammar rules out by how something is said; only a sure tagger knows better."""
NEVER: Final = 2.0
RASH: Final = frozenset({"watch.wrong", "watch.stop"})
"""Needs no argument, and undoes something."""
SEEING: Final = "seeing."
ASKS_THE_EYES: Final = "seeing.ask"
SEEN: Final = 0.75
"""From here on a question is about what the camera sees, where only the tagger says so: "are you sure that's safe?" is not."""
LATER: Final = "later"
FOR_A_WHILE: Final = "for_a_while"
REASONS: Final = {"told": "reported", "others": "other_addressee", "negated": "negated", LATER: LATER}
"""What the tagger calls words that ask for nothing, as the router names it."""


class Weighing:
    """`capabilities`: those that the tagger has learnt of."""

    def __init__(self, registry: Registry, capabilities: frozenset[str]) -> None:
        self._registry, self._capabilities = registry, capabilities

    def __call__(self, by_words: Decision, tagged: Tagged, text: str, locale: str) -> Decision:
        meant = by_words.matches if isinstance(by_words, Calls) else ()
        if isinstance(by_words, AskBack) and by_words.match is not None:
            meant = (by_words.match,)
        if not self._knows_better(meant):
            return by_words
        if any(
            match.after for match in meant
        ):  # one call finds what the other is about: no two readings of that come together by chance
            return by_words
        if len(meant) > len(tagged.calls) > 0 and tagged.nothing == LATER and deferred(text, locale) is None:
            return by_words  # what it took for later is only what comes next: 再导航回家
        if isinstance(by_words, Calls) and tagged.nothing == LATER and self._only_next(text, locale):
            return by_words
        if isinstance(by_words, Calls) and _one_a_piece(meant, tagged, text, locale):
            return by_words
        if isinstance(by_words, Calls) and _as_sure(by_words.matches, tagged.calls):
            return by_words  # what both say is as sure as the surer one
        if tagged.calls and tagged.asks is None and tagged.share >= self._needed(by_words, tagged, tells(text, locale)):
            return Calls(tagged.calls)
        if isinstance(by_words, Calls):
            if tagged.taken_back >= SURE and tagged.calls and tagged.asks is None:
                return Calls(tagged.calls)
            if tagged.calls or tagged.asks is not None:
                return by_words
            ruled_out = (
                tagged.nothing_share >= RULED_OUT and tagged.nothing_part >= RULED_OUT and not _PERMITS.match(plain(text, locale))
            )
            return self._nothing(tagged, by_words, text, locale) if ruled_out else by_words
        if isinstance(by_words, AskBack):
            return by_words
        if self._registry.get(ASKS_THE_EYES) is not None and _POINTS.fullmatch(plain(text, locale)):
            return Calls((Match(ASKS_THE_EYES, SEEN),))
        if tagged.asks is not None and (tagged.share >= LIKELY or tagged.asking >= ASKING):  # a question back harms nobody
            return AskBack(tagged.asks.question, tagged.asks)
        if tagged.nothing == LATER and tagged.nothing_share >= LIKELY:
            return self._nothing(tagged, by_words, text, locale)
        return ChitChat(kind) if (kind := _beyond(by_words, tagged, text, locale)) else by_words

    def _only_next(self, text: str, locale: str) -> bool:
        """One thing after the other, and nothing of it later or for a while: 关上车窗再打开."""
        joined = [joiner for joiner, _ in pieces(text, locale)[1:]]
        put_off = deferred(text, locale) is not None or lasting(text, locale) is not None
        return not put_off and any(comes_after("", joiner, "", locale) for joiner in joined)

    def _needed(self, by_words: Decision, tagged: Tagged, told: bool) -> float:
        """How sure the tagger must be of its calls: more where the grammar reads the words otherwise. `told`: a part may only be a reason."""
        if isinstance(by_words, Calls) and (tagged.lost or _opposite(tagged.calls, by_words.matches)):
            return NEVER
        if tagged.hint or any(match.capability in RASH for match in tagged.calls):
            return HINTED
        if any(match.capability.startswith(SEEING) for match in tagged.calls) and not isinstance(by_words, Calls):
            return SEEN
        match by_words:
            case Calls(matches=matches) if not told and _fewer(tagged.calls, matches):
                return FEWER
            case Calls(matches=matches) if (
                not told and all(one.score >= WHOLLY for one in matches) and _of_others(tagged.calls, matches)
            ):
                return FEWER
            case Calls(matches=matches):
                return LIKELY if _holds_all(tagged.calls, matches) else SURE
            case AskBack(match=match) if match is not None and match.score >= CERTAIN:
                return NEVER
            case AskBack(match=match) if match is not None and all(call.capability != match.capability for call in tagged.calls):
                return SURE  # it knows what the value is of, and that it can't be had
            case Nothing(reason="negated") if tagged.refused:  # what was negated is another part of the sentence
                return LIKELY
            case Nothing(reason=reason) if reason in GUARDED:
                return SURE
            case _:
                return LIKELY

    def _nothing(self, tagged: Tagged, by_words: Decision, text: str, locale: str) -> Decision:
        if tagged.nothing == LATER:  # the tagger has learnt "until we stop" as such, too
            if (only := lasting(text, locale)) is not None and deferred(text, locale) is None:
                return AskBack(no_undoing(only), reason=FOR_A_WHILE)
            return AskBack(refusal(deferred(text, locale) or Later("", language(text, locale))), reason=LATER)
        if tagged.nothing == UNSUPPORTED:
            return ChitChat(UNSUPPORTED)
        reason = REASONS.get(tagged.nothing)
        return Nothing(reason) if reason is not None else by_words

    def _knows_better(self, matches: Sequence[Match]) -> bool:
        """The tagger has learnt of all these capabilities, and none is an operation on work or on what was said: the grammar knows what
        those are about."""
        return not any(map(self._aside, matches)) and all(match.capability in self._capabilities for match in matches)

    def _aside(self, match: Match) -> bool:
        """An operation on work or on what was said."""
        skill = self._registry.get(match.capability)
        return skill is not None and skill.group in (TALK, WORK)


_POINTS: Final = re.compile(
    r"(?:(?:hey|oh|um|uh|so|and|tell me|do you know|can you tell me) )*what (?:is|are) (?:this|these)(?: (?:here|please|then|thing|things))*|(?:那|诶|哎|你看|看看|请问)*这(?:个|些|里|儿|边)?(?:都)?是(?:个)?(?:什么|啥)(?:东西|玩意儿?)?(?:啊|呀|呢|来着)*"
)
"""Nothing but a question what something is that is there to be seen. Not the grammar's: who is spoken to is no surer for it."""
_PERMITS: Final = re.compile(
    r"(?:(?:and|so|okay|ok|now) )*you (?:may|can) (?:now |please |just )*[a-z]+ |(?:那|好)?(?:你|您)可以[^吗]*$"
)
"""What gives leave asks for it: "you may close the boot"."""


_TAKES_BACK: Final = re.compile(
    r"\b(?:no|not|nope|never|wait|actually|sorry|rather|instead|mean|scratch|oops|hold on|hang on|forget|undo|don't|without)\b|[不别算等错改没]|还是|取消"
)
_TO_ME: Final = re.compile(r"(?:提醒|告诉|叫|帮|给|带|让|跟)我们?")


def _one_a_piece(matches: Sequence[Match], tagged: Tagged, text: str, locale: str) -> bool:
    """The grammar has used nearly all the words of every piece for a call of its own, and the tagger has fewer, or is in doubt."""
    parts = [piece for _, piece in pieces(text, locale) if frame(piece, locale).core]  # our name is no part
    plainly = len(matches) == len(parts) > 1 and all(match.score >= PLAINLY for match in matches)
    otherwise = tagged.hint or _TAKES_BACK.search(plain(text, locale)) or tells(_TO_ME.sub("", plain(text, locale)), locale)
    return plainly and not otherwise and (len(tagged.calls) < len(matches) or tagged.share < FEWER)


def _as_sure(some: Sequence[Match], others: Sequence[Match]) -> bool:
    """The same calls, each at least as sure."""
    return len(some) == len(others) and all(
        same_call(one, other) and one.score >= other.score for one, other in zip(some, others, strict=True)
    )


def _beyond(by_words: Decision, tagged: Tagged, text: str, locale: str) -> str:
    """A request for which there is no skill, as chit-chat of a kind; "" where it is none. A question with numbers in it asks for them."""
    if not isinstance(by_words, Nothing):
        return ""
    if tagged.nothing == "chat" and by_words.reason in ("question", "not_a_request") and find_numbers(text, locale):
        return "general"
    if tagged.asking < ASKING:
        return ""
    return "general" if by_words.reason == "question" else UNSUPPORTED


def _opposite(some: Sequence[Match], others: Sequence[Match]) -> bool:
    """One is the other way round: warmer and cooler, on and off."""
    for one, other in ((one, other) for one in some for other in others if one.capability == other.capability):
        for name, value in one.arguments.items():
            against = other.arguments.get(name)
            if isinstance(value, bool) and isinstance(against, bool) and value != against and len(some) == len(others) == 1:
                return True
            if name == "delta" and isinstance(value, int | float) and isinstance(against, int | float) and value * against < 0:
                return all(sum(made.capability == one.capability for made in calls) == 1 for calls in (some, others))
    return False


def _fewer(calls: Sequence[Match], others: Sequence[Match]) -> bool:
    """All are among the others, which are of more capabilities."""
    some, more = ({one.capability for one in found} for found in (calls, others))
    return bool(some) and some < more and all(any(one.arguments == other.arguments for other in others) for one in calls)


def _of_others(calls: Sequence[Match], others: Sequence[Match]) -> bool:
    """They have no capability in common."""
    return not {one.capability for one in calls} & {one.capability for one in others}


def _holds_all(calls: Sequence[Match], others: Sequence[Match]) -> bool:
    """Of every capability among the others there are at least as many calls."""
    return not Counter(one.capability for one in others) - Counter(one.capability for one in calls)
