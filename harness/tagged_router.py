"""Two opinions of what words ask for, made one: the router's, by its grammar, and a tagger's, which has learnt how people put things.

The tagger finds the stretches that ask for something; the skills work out the arguments from their words, and every argument must be
grounded as always. What the router's guards rule out for good (overheard, seen, a plain "stop") stays ruled out, the answer to our own
question is read by the grammar alone, and a question never acts in the car.
Does not know how the tagger works, how skills run, or the voice that spoke.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from ridealong.harness.deferred import Later, deferred, refusal
from ridealong.harness.framing import commands, frame
from ridealong.harness.lasting import lasting, no_undoing
from ridealong.harness.meant import FRAGMENT, Meant
from ridealong.harness.not_now import other_time
from ridealong.harness.results import match_problems
from ridealong.harness.router import AskBack, Calls, ChitChat, Decision, Nothing, Router, open_question
from ridealong.harness.sequence import Part, arranged, comes_after
from ridealong.harness.skill import TALK, WORK, Context, Match, Outcome, Provenance, Recent, Skill
from ridealong.harness.slots.number import find_numbers
from ridealong.harness.slots.text import language, plain
from ridealong.harness.tagged import Stretch, Tags

LIKELY: Final = 0.4
"""From here on a stretch counts where the grammar has found nothing."""
ASKING: Final = 0.75
"""From here on words that the grammar makes nothing of ask for something, if only for what no skill does."""
HINTED: Final = 0.7
"""From here on where nothing is asked for in so many words ("it's stuffy"), or something is undone that needs no argument."""
SURE: Final = 0.65
"""From here on the tagger's calls are taken instead of the grammar's other ones."""
RULED_OUT: Final = 0.75
"""From here on the tagger's "nobody asks for anything" is taken instead of the grammar's calls."""
FINAL: Final = frozenset({"overheard", "seen", "empty", "stop", "backchannel", "declined"})
REFERS_WITHIN_MS: Final = 60_000
GUARDED: Final = frozenset({"other_addressee", "negated", "reported"})
"""What the grammar rules out by how something is said; only a sure tagger knows better."""
SUPERSEDED: Final = "superseded"
REFUSED: Final = frozenset({"negated", SUPERSEDED})
NEVER: Final = 2.0
RASH: Final = frozenset({"watch.wrong", "watch.stop"})
"""Needs no argument, and undoes something."""
MISTAKE: Final = "watch.wrong"
"""What is wrong is the alert, or else the request before: "wrong, the back one"."""
WATCHES: Final = "watch."
NAVIGATION: Final = "navigation"
LATER: Final = "later"
FOR_A_WHILE: Final = "for_a_while"
TIMERS: Final = "timers"
UNSUPPORTED: Final = "unsupported"
"""Requests for which there is no skill."""
REASONS: Final = {"told": "reported", "others": "other_addressee", "negated": "negated", LATER: LATER}
"""What the tagger calls words that ask for nothing, as the router names it."""


@dataclass(frozen=True, slots=True)
class Tagged:
    """`calls`, complete and grounded; `asks`: the first thing that is missing; `share`: of the least sure stretch. `nothing`: the label of the
    heaviest stretch that asks for nothing, with its own share and how much of the sentence it is."""

    calls: tuple[Match, ...] = ()
    asks: Match | None = None
    share: float = 0.0
    nothing: str = ""
    nothing_share: float = 0.0
    nothing_part: float = 0.0
    asking: float = 0.0
    """How likely the sentence asks for something, whatever it is: the mean over its characters."""
    refused: bool = False
    """A stretch of its own is asked not to be done, or taken back."""
    taken_back: float = 0.0
    """Share of a stretch that the speaker takes back at once."""
    lost: bool = False
    """A stretch asks for a skill, and its words don't say enough."""
    hint: bool = False
    """Nothing is asked for in so many words: "it's stuffy in here"."""


class TaggedRouter:
    """In place of the router. Pure but for the tagger's own memory."""

    def __init__(self, router: Router, tags: Tags) -> None:
        self._router, self._registry, self._tags = router, router.registry, tags

    def addressed(self, text: str, locale: str, context: Context) -> float:
        return self._router.addressed(text, locale, context)

    def decide(self, text: str, locale: str, context: Context, provenance: Provenance = Provenance.UNKNOWN) -> Decision:
        by_words = self._router.decide(text, locale, context, provenance)
        if isinstance(by_words, Nothing) and by_words.reason in FINAL:
            return by_words
        if open_question(context) is not None and isinstance(by_words, Calls | AskBack):
            return by_words
        if isinstance(by_words, Calls) and len(by_words.matches) == 1 and self._asked_about(by_words.matches[0], text, locale):
            by_words = Nothing("question")
        tagged = self.tagged(text, locale, replace(context, provenance=provenance))
        decision = self._weighed(by_words, tagged, text, locale)
        return self._put_off(decision, text, locale) or decision

    def _put_off(self, decision: Decision, text: str, locale: str) -> AskBack | None:
        """As `not_now` before the act, for whoever only asks what would be done."""
        for match in decision.matches if isinstance(decision, Calls) else ():
            skill = self._registry.get(match.capability)
            instead = other_time(match, skill, locale, text) if skill is not None else None
            if instead is not None:
                return AskBack(instead.text, reason=instead.reason)
        if isinstance(decision, Calls) and all(map(self._times, decision.matches)) and _SWITCHED.search(plain(text, locale)):
            only = lasting(text, locale)  # "seat heating on for five minutes" is no timer
            return AskBack(no_undoing(only), reason=FOR_A_WHILE) if only is not None else None
        return None

    def _times(self, match: Match) -> bool:
        skill = self._registry.get(match.capability)
        return skill is not None and skill.group == TIMERS

    def _acts(self, match: Match) -> bool:
        skill = self._registry.get(match.capability)
        return skill is not None and not skill.read_only

    def _weighed(self, by_words: Decision, tagged: Tagged, text: str, locale: str) -> Decision:
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
        if tagged.calls and tagged.asks is None and tagged.share >= self._needed(by_words, tagged):
            return Calls(tagged.calls)
        if isinstance(by_words, Calls):
            if tagged.taken_back >= SURE and tagged.calls and tagged.asks is None:
                return Calls(tagged.calls)
            if tagged.calls or tagged.asks is not None:
                return by_words
            ruled_out = tagged.nothing_share >= RULED_OUT and tagged.nothing_part >= RULED_OUT
            return self._nothing(tagged, by_words, text, locale) if ruled_out else by_words
        if isinstance(by_words, AskBack):
            return by_words
        if tagged.asks is not None and tagged.share >= LIKELY:
            return AskBack(tagged.asks.question, tagged.asks)
        if tagged.nothing == LATER and tagged.nothing_share >= LIKELY:
            return self._nothing(tagged, by_words, text, locale)
        return ChitChat(kind) if (kind := _beyond(by_words, tagged, text, locale)) else by_words

    def _needed(self, by_words: Decision, tagged: Tagged) -> float:
        """How sure the tagger must be of its calls: more where the grammar reads the words otherwise."""
        if isinstance(by_words, Calls) and (tagged.lost or _opposite(tagged.calls, by_words.matches)):
            return NEVER
        if tagged.hint or any(match.capability in RASH for match in tagged.calls):
            return HINTED
        match by_words:
            case Calls(matches=matches):
                return LIKELY if _holds_all(tagged.calls, matches) else SURE
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
        skills = [self._registry.get(match.capability) for match in matches]
        aside = any(skill is not None and skill.group in (TALK, WORK) for skill in skills)
        return not aside and all(match.capability in self._tags.capabilities for match in matches)

    # --- the tagger's opinion ---------------------------------------------------------------------------------------

    def tagged(self, text: str, locale: str, context: Context) -> Tagged:
        found: list[Part] = []  # calls and questions, in order
        shares: list[float] = []
        only_told: list[bool] = []
        whole, refused, nothing = max(1, len(text.strip())), False, ("", 0.0, 0.0)
        taken_back, lost, asking, tagged = 0.0, False, 0.0, 0
        last = (0, 0)  # where the last stretch that asks for something stands
        for stretch in self._tags(text):
            asking, tagged = asking + stretch.asks * len(stretch.text), tagged + len(stretch.text)
            refused = refused or stretch.label in REFUSED
            taken_back = max(taken_back, stretch.share if stretch.label == SUPERSEDED else 0.0)
            matches = self._calls(stretch, text, locale, _behind(context, [part.match for part in found]))
            if matches is None:
                nothing = max(nothing, (stretch.label, stretch.share, len(stretch.text) / whole), key=lambda one: one[2])
                continue
            lost = lost or (not matches and stretch.share >= LIKELY)
            told = stretch.label != FRAGMENT and not commands(stretch.text, locale)
            begin, end = stretch.span
            then = bool(found) and comes_after(text[slice(*last)], text[last[1] : begin], stretch.text, locale)
            found += [Part(match, then and not n) for n, match in enumerate(matches)]
            shares += [stretch.share] * len(matches)
            only_told += [told and self._acts(match) for match in matches]
            last = (begin, end)
        hint = bool(found) and all(only_told)
        # what is only told beside a command is the reason for it: "Fan off, it's making a racket"
        kept = [hint or not told for told in only_told]
        calls = arranged(
            [replace(part, kept=keep and not part.match.missing) for part, keep in zip(found, kept, strict=True)],
            self._router.holds_up,
        )
        asks = next((part.match for part, keep in zip(found, kept, strict=True) if keep and part.match.missing), None)
        share = min((one for one, keep in zip(shares, kept, strict=True) if keep), default=0.0)
        return Tagged(calls, asks, share, *nothing, asking / max(1, tagged), refused, taken_back, lost, hint)

    def _calls(self, stretch: Stretch, text: str, locale: str, context: Context) -> Sequence[Match] | None:
        """What a stretch asks for; None where it asks for nothing."""
        capability, _, variant = stretch.label.partition("/")
        refers = _referred(context)
        if stretch.label == FRAGMENT or (stretch.label == MISTAKE and refers and not refers.startswith(WATCHES)):
            capability, variant = refers, FRAGMENT
        skill = self._registry.get(capability)
        if skill is None or stretch.share < LIKELY / 2:
            return None
        if not self._may(skill, stretch, text, locale, context):
            return []
        if skill.understand is not None:
            found = skill.understand(Meant(variant, stretch.text, locale, context, stretch.share, text[: stretch.span[0]]))
        elif variant == FRAGMENT:
            found = ()
        else:
            found = (Match(capability, stretch.share),)
        return [match for match in found if match.missing or self._holds(match, text, locale)]

    def _may(self, skill: Skill, stretch: Stretch, text: str, locale: str, context: Context) -> bool:
        """A question never acts in the car. "How do I get to …" asks for the way, and is how a way is asked for."""
        form = plain(stretch.text, locale)
        places = skill.group == NAVIGATION  # "what time will we get to …": its words may be a stretch of their own
        answered = any(match.capability.startswith(f"{NAVIGATION}.") for match in context.before)  # "how far is …, take me there"
        asked = plain(text, locale) if places and not answered else form
        asks = frame(stretch.text, locale).question or _FOR_A_FACT.search(asked) is not None
        return skill.read_only or not asks or (places and _FOR_THE_WAY.search(form) is not None)

    def _asked_about(self, match: Match, text: str, locale: str) -> bool:
        """An act in answer to a question for a time or an amount, which the grammar took for its place in it."""
        return self._acts(match) and _FOR_A_FACT.search(plain(text, locale)) is not None

    def _holds(self, match: Match, text: str, locale: str) -> bool:
        skill = self._registry.get(match.capability)
        return skill is not None and not match_problems(skill, match, text, locale)


_SWITCHED: Final = re.compile(r"\b(?:turn|switch|open|close|shut|on|off)\b|[开关]")
_FOR_A_FACT: Final = re.compile(
    r"\b(?:what time|how (?:long|far|much|many)|when (?:will|do|does|can|are|is|should))\b|^(?:can|could|will|would|does|do) (?:the|it|my|this|that)\b|什么时候|几点|多久|多远|多长时间|多少(?:钱|公里|分钟|时间)"
)
"""A question, whatever stands before it."""
_FOR_THE_WAY: Final = re.compile(r"\bhow (?:do|can|would|should) (?:i|we) (?:get|go|drive|come|head)\b|怎么(?:去|走|到|开)")


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
                return len(some) == len(others) == 1
    return False


def _holds_all(calls: Sequence[Match], others: Sequence[Match]) -> bool:
    """Of every capability among the others there are at least as many calls."""
    return not Counter(one.capability for one in others) - Counter(one.capability for one in calls)


def _referred(context: Context) -> str:
    """The capability that "and the other one" is about."""
    last = context.recent[0] if context.recent else None
    return last.capability if last is not None and last.asked_ms_ago <= REFERS_WITHIN_MS else ""


def _behind(context: Context, found: Sequence[Match]) -> Context:
    """The context of a stretch behind others of the same sentence."""
    last = next((match for match in reversed(found) if not match.missing), None)
    if last is None:
        return context
    recent = (Recent(last.capability, last.arguments, Outcome.COMPLETED, 0.0), *context.recent)
    return replace(context, recent=recent, before=tuple(found))
