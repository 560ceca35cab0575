"""Nothing of a sentence is dropped without a word: what else it asks for, beside what its decision has caught.

    one part is unclear            the clear ones are done, and it is asked about
    "cancel that and open …"       the work is cancelled, too
    "… and lock the doors"         there is no skill for it, which is said
    "… and is the boot open?"      it is answered, or it is said that it can't be
    "tell me when … and then …"    what comes then can't wait for it, which is said

Only adds to a decision that does or asks something: never makes one of words that ask for nothing. Does not know what words mean: it asks
the router and the tagger for each part.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from ridealong.harness.asked_parts import letters, questions
from ridealong.harness.calling_off import tells
from ridealong.harness.deferred import Later, refusal
from ridealong.harness.doing import Doing
from ridealong.harness.dropped import dropped, is_order
from ridealong.harness.framing import asks_for_a_fact, commands, frame, pieces
from ridealong.harness.known_words import known_words
from ridealong.harness.router import IMPERATIVE_EN, Also, AskBack, Calls, ChitChat, Decision, Nothing, Router, about
from ridealong.harness.sentences import sentence
from ridealong.harness.sequence import in_order
from ridealong.harness.skill import TALK, WORK, Context, Match
from ridealong.harness.slots.number import find_numbers
from ridealong.harness.slots.text import language, plain
from ridealong.harness.tagged import Stretch, Tags
from ridealong.harness.tagged_reading import LIKELY, Tagged
from ridealong.harness.unknown_acts import unknown_act
from ridealong.harness.wishes import wish
from ridealong.harness.work_words import calls_off

CANCEL: Final = "work.cancel"
SURE: Final = 0.65
PLAIN: Final = 0.85
NO_SKILL: Final = "unsupported"
SAID: Final = 0.3
"""From here on the tagger's "no skill for this" counts beside the grammar's."""
ALONE: Final = 0.8
"""From here on it counts alone."""
WATCHES: Final = "watch."
ENDS_A_WATCH: Final = frozenset({"watch.stop", "watch.wrong"})


class Parts:
    """`read(text, locale, context)`: what the tagger makes of the whole. `alone`: what becomes of one part, if nothing else were said."""

    def __init__(
        self,
        router: Router,
        tags: Tags,
        read: Callable[[str, str, Context], Tagged],
        alone: Callable[[str, str, Context], Decision],
    ) -> None:
        self._router, self._tags, self._read, self._alone = router, tags, read, alone

    def all_of(self, decision: Decision, text: str, locale: str, context: Context) -> Decision:
        cut = _cut(text, locale)
        if len(cut) < 2:
            return self._told_of_the_rest(decision, text, locale, context)
        if not isinstance(decision, Calls | AskBack):
            return self._cancels_only(decision, cut, locale, context)
        if isinstance(decision, AskBack) and decision.match is None:
            return self._apart(text, locale, context) or decision if decision.reason == "ambiguous" else decision
        also: tuple[Also, ...]
        if isinstance(decision, AskBack):
            matches, asks = self._clear(decision, cut, text, locale, context)
            also = (Also(text, asks),)
        else:
            matches, also = decision.matches, (*decision.also, *self._lacking(decision.matches, text, locale, context))
        matches, put_off = self._waits(matches, cut, text, locale)
        before, asked = self._cancelled(matches, cut, locale, context)
        matches = joined(before, matches)
        also = (*also, *asked, *put_off)
        if not matches:
            return decision
        answers, unanswered = self._asked(matches, text, locale, context)
        also = (*also, *self._without_skill(cut, text, locale, context, matches), *unanswered)
        done = Calls((*matches, *answers), also, isinstance(decision, Calls) and decision.agreed)
        return self._told_of_the_rest(done, text, locale, context)

    def _told_of_the_rest(self, decision: Decision, text: str, locale: str, context: Context) -> Decision:
        """Parts that nothing came of, and of which nothing else is said."""
        if not isinstance(decision, Calls) or any(map(self._on_work, decision.matches)) or frame(text, locale).question:
            return decision
        said = "".join(letters(one.words) for one in decision.also)
        rest = dropped(
            decision.matches, text, locale,
            lambda words: self._router.decide(words, locale, context, context.provenance), self._heaviest,
        )  # fmt: skip
        told = tuple(one for one in rest if letters(one.words) not in said)
        return replace(decision, also=(*decision.also, *told)) if told else decision

    def _heaviest(self, words: str) -> str:
        """A label that hardly counts is none of a skill's."""
        if not words.strip() or not self._tags(words):
            return ""
        heaviest = max(self._tags(words), key=lambda stretch: len(stretch.text))
        asks = heaviest.asks >= PLAIN
        unknown = asks and (heaviest.share < LIKELY or unknown_act(words, language(words, ""), known_words(), heaviest.share))
        return NO_SKILL if unknown else heaviest.label

    def _asked(
        self, matches: Sequence[Match], text: str, locale: str, context: Context
    ) -> tuple[tuple[Match, ...], tuple[Also, ...]]:
        """Questions beside an order: answered, too, or it is said that they can't be. What is asked and corrected at once ("the speed, no, …") stands alone."""
        if all(map(self._reads, matches)) or any(map(self._on_work, matches)) or self._read(text, locale, context).taken_back:
            return (), ()
        found: list[Match] = []
        unanswered: list[Also] = []
        for piece in questions(text, locale):
            match self._alone(piece, locale, replace(context, before=(*matches, *found))):
                case Calls(matches=(one,)) if self._reads(one):
                    answered = any(other.capability == one.capability for other in (*matches, *found))
                    found += [] if answered else [one]
                case ChitChat(kind="general") | Nothing(reason="question") as none:
                    if isinstance(none, Nothing) and not asks_for_a_fact(piece, locale):
                        continue  # "…, do you hear me?"
                    unanswered.append(Also(piece, ChitChat("general")))
                case _:
                    continue
        return tuple(found), tuple(unanswered)

    def _reads(self, match: Match) -> bool:
        skill = self._router.registry.get(match.capability)
        return skill is not None and skill.read_only and skill.group not in (TALK, WORK)

    def _cancels_only(self, decision: Decision, cut: Sequence[str], locale: str, context: Context) -> Decision:
        """ "Stop the timer and start a new one": what is to be started was not understood."""
        if decision != ChitChat(NO_SKILL):
            return decision
        matches, asked = self._cancelled((), [piece for piece in cut if not calls_off(piece, locale)], locale, context)
        return Calls(matches, (*asked, Also("", AskBack(sentence("more", locale))))) if matches else decision

    def _clear(
        self, asks: AskBack, cut: Sequence[str], text: str, locale: str, context: Context
    ) -> tuple[tuple[Match, ...], AskBack]:
        """What else was asked for, and needs no question; and the question."""
        unclear = asks.match
        tagged = self._read(text, locale, context)
        if unclear is None or tagged.hint or tagged.taken_back or tagged.refused:
            return (), asks
        sure = tagged.share >= SURE
        if sure and tagged.calls and tagged.asks is not None and tagged.asks.capability != unclear.capability:
            return tagged.calls, AskBack(tagged.asks.question, tagged.asks)  # the whole mistook one part's number for another's
        found = without(tagged.calls, lambda one: one.capability != unclear.capability) if sure else ()
        return found or self._plainly(cut, unclear, locale, context), asks

    def _apart(self, text: str, locale: str, context: Context) -> Calls | None:
        """Two things that are asked for in two parts, where the whole was taken for one or the other."""
        tagged = self._read(text, locale, context)
        if tagged.share < SURE or not tagged.calls or tagged.hint or tagged.taken_back or tagged.refused:
            return None
        return Calls(tagged.calls, self._lacking(tagged.calls, text, locale, context))

    def _lacking(self, matches: Sequence[Match], text: str, locale: str, context: Context) -> tuple[Also, ...]:
        """What else is asked for, and lacks something."""
        tagged = self._read(text, locale, context)
        asks = tagged.asks
        plainly = tagged.share >= SURE and not (tagged.hint or tagged.taken_back or tagged.refused)
        if asks is None and not (tagged.hint or tagged.taken_back or tagged.refused):
            return self._lost(matches, text, locale, context)
        if asks is None or not plainly or any(one.capability == asks.capability for one in matches):
            return ()
        return (Also(text, AskBack(asks.question, asks)),)

    def _lost(self, matches: Sequence[Match], text: str, locale: str, context: Context) -> tuple[Also, ...]:
        """ "Temperature 22, fan 3": what is asked about a part with a number of its own, as if it were said alone."""
        for piece in _cut(text, locale):
            if not find_numbers(piece, locale) or frame(piece, locale).question:
                continue
            stretches = self._tags(piece)
            label = stretches[0].label.partition("/")[0] if len(stretches) == 1 and stretches[0].share >= SURE else ""
            if not label or any(one.capability == label for one in matches):
                continue
            match alone := self._alone(piece, locale, replace(context, before=tuple(matches))):
                case AskBack(match=Match(capability=capability)) if capability == label:
                    return (Also(piece, alone),)
                case _:
                    continue
        return ()

    def _plainly(self, cut: Sequence[str], unclear: Match, locale: str, context: Context) -> tuple[Match, ...]:
        """Parts that the grammar understands by themselves, of something else or for somebody else."""
        found: list[Match] = []
        for piece in cut:
            if not commands(piece, locale):
                continue
            match self._router.decide(piece, locale, context, context.provenance):
                case Calls(matches=(one,)) if one.score >= PLAIN and not one.after:
                    other = one.capability != unclear.capability or (about(unclear) and about(one) != about(unclear))
                    found += [one] if other and not self._on_work(one) else []
                case _:
                    continue
        return tuple(found)

    def _cancelled(
        self, matches: Sequence[Match], cut: Sequence[str], locale: str, context: Context
    ) -> tuple[tuple[Match, ...], tuple[Also, ...]]:
        """Work that a part of the sentence cancels."""
        if any(map(self._on_work, matches)) or (skill := self._router.registry.get(CANCEL)) is None:
            return (), ()
        found: list[Match] = []
        asked: list[Also] = []
        for piece in cut:
            if calls_off(piece, locale):
                match = skill.recognise(piece, locale, context)
                found += [match] if match is not None and not match.missing else []
                continue
            match decision := self._router.decide(piece, locale, context, context.provenance):
                case Calls(matches=(one,)) if one.capability == CANCEL:
                    found.append(one)
                case AskBack(match=Match(capability=capability)) if capability == CANCEL:
                    asked.append(Also(piece, decision))
                case _:
                    continue
        return tuple(found), tuple(asked)

    def _on_work(self, match: Match) -> bool:
        skill = self._router.registry.get(match.capability)
        return skill is not None and skill.group == WORK

    def _waits(
        self, matches: tuple[Match, ...], cut: Sequence[str], text: str, locale: str
    ) -> tuple[tuple[Match, ...], tuple[Also, ...]]:
        """What is to come when something else has come about is not done now."""
        begun = next((n for n, one in enumerate(matches) if one.capability.startswith(WATCHES)), None)
        if begun is None or matches[begun].capability in ENDS_A_WATCH or begun + 1 == len(matches):
            return matches, ()
        at = next((n for n, piece in enumerate(cut) if wish(piece, locale) is not None), len(cut))
        if not any(in_order(cut, text, locale)[at + 1 :]):
            return matches, ()
        return matches[: begun + 1], (Also(text, AskBack(refusal(Later("", language(text, locale))), reason="later")),)

    def _without_skill(
        self, cut: Sequence[str], text: str, locale: str, context: Context, matches: Sequence[Match]
    ) -> list[Also]:
        """Requests for what nothing here can do; none for what is done, whatever the tagger takes it for."""
        stretches = self._tags(text)
        found = []
        for n, piece in enumerate(cut):
            if any(letters(piece) in letters(other) for other in cut[n + 1 :]):
                continue  # begun, and said again: 曼联，曼联比分多少
            share = _no_skill(stretches, piece, locale)
            if share < SAID:
                continue
            decision = self._router.decide(piece, locale, context, context.provenance)
            if isinstance(decision, Calls) and {one.capability for one in decision.matches} & {one.capability for one in matches}:
                continue
            one = is_order(piece, locale) if language(piece, locale) == "zh" else len(piece.split()) == 1
            asked = (commands(piece, locale) or one) and not frame(piece, locale).question
            if (share >= ALONE and asked) or decision == ChitChat(NO_SKILL):
                found.append(Also(piece, ChitChat(NO_SKILL)))
        return found


def _no_skill(stretches: Sequence[Stretch], piece: str, locale: str) -> float:
    """How sure the tagger is that just this piece asks for something that no skill does."""
    bare = letters(piece)
    return max(
        (one.share for one in stretches if one.label == NO_SKILL and bare and bare in letters(plain(one.text, locale))),
        default=0.0,
    )


def joined(first: Sequence[Match], second: Sequence[Match], waits: Callable[[Match], bool] | None = None) -> tuple[Match, ...]:
    """One after the other; `waits`: of the first, what all of the second is to wait for."""
    shift = len(first)
    behind = tuple(n for n, match in enumerate(first) if waits is not None and waits(match))
    moved = (
        replace(one, after=tuple(n + shift for n in one.after), behind=(*behind, *(n + shift for n in one.behind)))
        for one in second
    )
    return (*first, *moved)


def without(matches: Sequence[Match], kept: Callable[[Match], bool]) -> tuple[Match, ...]:
    """Those kept, by their new places; what needs one that is not is left out, too."""
    places: dict[int, int] = {}
    made: list[Match] = []
    for n, one in enumerate(matches):
        if kept(one) and all(need in places for need in one.after):
            places[n] = len(made)
            behind = tuple(places[other] for other in one.behind if other in places)
            made.append(replace(one, after=tuple(places[need] for need in one.after), behind=behind))
    return tuple(made)


_QUESTION_ZH = re.compile(
    r"什么|[哪谁]|(?:星期|礼拜|周|第)几|几[点月号岁度路楼]|多[少久远大长高]|怎么|怎样|为何|是不是|有没有|能不能|[吗呢]$"
)
_TURN_EN = re.compile(r"\b(?:i|me|my|mine|you|your|yours|am)\b")


def cannot(words: str, locale: str) -> str:
    """That there is no skill for this part of a sentence."""
    bare = re.sub(r"[,.]", "", frame(words, locale).core).strip()
    if locale.startswith("zh"):
        bare = re.sub(r"^(?:然后|并且?|再|也|顺便|还有)+", "", bare)
        if frame(words, locale).question or _QUESTION_ZH.search(bare):
            return "这个问题我还回答不了。"
        return f"{bare}，这个我还做不到。" if 2 <= len(bare) <= 14 and is_order(bare, "zh") else "其余的我还做不到。"
    bare = re.sub(r"^(?:(?:and|then|also|plus) )+", "", bare)
    plainly = (
        (IMPERATIVE_EN.search(bare) is not None or is_order(bare, "en"))
        and _TURN_EN.search(bare) is None
        and len(bare.split()) <= 8
    )
    return f"I can't {bare} yet." if plainly else "I can't do the rest of that yet."


def _cut(text: str, locale: str) -> list[str]:
    """At conjunctions and stops, but in no number: "two hundred and sixty"."""
    found: list[str] = []
    for joiner, piece in pieces(text, locale):
        together = f"{found[-1]} {joiner} {piece}" if found else ""
        if found and len(find_numbers(together, locale)) < sum(len(find_numbers(one, locale)) for one in (found[-1], piece)):
            found[-1] = together
        else:
            found.append(piece)
    return found


def cancelled_and(work: Sequence[Doing], words: str, rest: Decision) -> Calls:
    """This work is cancelled; what stands behind (`words`, and what comes of them) is done, asked back, or only says why."""
    cancel = (Match(CANCEL, 1.0, {"items": " ".join(one.id for one in work)}, {"items": "context:work"}),)
    match rest:
        case Calls():
            return replace(rest, matches=joined(cancel, rest.matches, lambda one: True))
        case AskBack() | ChitChat() if not (isinstance(rest, ChitChat) and tells(words)):
            return Calls(cancel, (Also(words, rest),))
        case _:
            return Calls(cancel)
