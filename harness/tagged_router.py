"""Two opinions of what words ask for, made one: the router's, by its grammar, and a tagger's, which has learnt how people put things.

The tagger finds the stretches that ask for something; the skills work out the arguments from their words, and every argument must be
grounded as always. What the router's guards rule out for good (overheard, seen, a plain "stop") stays ruled out, the answer to our own
question is read by the grammar alone, and a question never acts in the car.
Does not know how the tagger works, how skills run, or the voice that spoke.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Final

from ridealong.harness import alternatives
from ridealong.harness.agreeing import yes_and
from ridealong.harness.all_but import but_for
from ridealong.harness.anew import asked_anew
from ridealong.harness.another_thing import another_thing
from ridealong.harness.answers_of_ours import as_asked
from ridealong.harness.asked_parts import orders
from ridealong.harness.beyond_us import beyond_us
from ridealong.harness.broken_off import in_full
from ridealong.harness.by_steps import by_steps
from ridealong.harness.calling_off import called_off, split, stands
from ridealong.harness.chosen import chosen_apart
from ridealong.harness.corrected import corrected
from ridealong.harness.corrected_within import within
from ridealong.harness.deferred import deferred, refusal
from ridealong.harness.dictated import dictates
from ridealong.harness.doubted import doubted
from ridealong.harness.each_alone import each_alone
from ridealong.harness.each_part import part_by_part
from ridealong.harness.each_place import each_with_its_value
from ridealong.harness.ended import ended
from ridealong.harness.excepted import spared
from ridealong.harness.follow_about import complains, concludes, corrects, in_own_words, says_what
from ridealong.harness.follow_apart import set_apart
from ridealong.harness.follow_said import At, Said, Value
from ridealong.harness.follow_words import follow_up
from ridealong.harness.following import Found, Which, followed, named_instead
from ridealong.harness.framing import asks_for_a_fact, commands, frame, pieces
from ridealong.harness.framing_questions import asks_about, only_wonders
from ridealong.harness.interjections import answer
from ridealong.harness.introduced import only_before
from ridealong.harness.lasting import SWITCHED, lasting, no_undoing
from ridealong.harness.misheard import as_meant
from ridealong.harness.no_wish import either, in_one_language, plainly_joined, wishes
from ridealong.harness.not_now import other_time
from ridealong.harness.one_breath import apart_said
from ridealong.harness.one_verb import each_with_its_verb
from ridealong.harness.only_tells import only_tells
from ridealong.harness.outside_words import OutsideWords
from ridealong.harness.parted import either_way
from ridealong.harness.parts import Parts, cancelled_and, joined
from ridealong.harness.plainly_put import plainly_put
from ridealong.harness.remarks import beside_a_remark
from ridealong.harness.revising import by_so_much
from ridealong.harness.router import Also, AskBack, Calls, ChitChat, Decision, Nothing, Router, open_question
from ridealong.harness.sequence import Part, arranged, comes_after
from ridealong.harness.skill import KEEPING, TALK, WORK, Confirmation, Context, Match, Outcome, Provenance, Recent
from ridealong.harness.slots.text import language, plain
from ridealong.harness.tagged import UNSUPPORTED, Offered, Tags
from ridealong.harness.tagged_reading import LIKELY, TaggedReading
from ridealong.harness.told_of_others import corrected_for_others, told_of_others
from ridealong.harness.weighing import FOR_A_WHILE, LATER, Weighing
from ridealong.harness.whole import as_a_whole, taken_back
from ridealong.harness.work_words import names_work

FINAL: Final = frozenset({"overheard", "seen", "empty", "stop", "backchannel", "declined"})
TIMERS: Final = "timers"
YES: Final = {"en": "yes", "zh": "是的"}


class TaggedRouter:
    """In place of the router. Pure but for the tagger's own memory."""

    def __init__(self, router: Router, tags: Tags) -> None:
        self._router, self._registry, self._tags = router, router.registry, Offered(tags, router.registry.__contains__)
        self._reading = TaggedReading(router.registry, self._tags, router.holds_up)
        self._parts = Parts(router, self._tags, self._reading, self._alone)
        self._weighed = Weighing(router.registry, self._tags.capabilities)
        self._own = OutsideWords(router.registry)

    def addressed(self, text: str, locale: str, context: Context) -> float:
        return self._router.addressed(text, locale, context)

    def decide(self, text: str, locale: str, context: Context, provenance: Provenance = Provenance.UNKNOWN) -> Decision:
        def said(words: str, then: Context) -> Decision:
            return self._said(words, locale, then, provenance)

        return beside_a_remark(either_way(text, lambda words: said(words, context)), text, locale, context, said)

    def _said(self, text: str, locale: str, context: Context, provenance: Provenance) -> Decision:
        text = plainly_put(text, locale)
        again = partial(self._decide, locale=locale, context=context, provenance=provenance)
        found = only_before(self._own(again(text), text, locale, again), text, locale, self._registry.get, again)
        found = in_full(found, text, locale, self._registry.get, again)

        def alone(part: str, before: Match | None) -> Decision:
            behind = (Recent(before.capability, before.arguments, Outcome.COMPLETED, 0.0),) if before is not None else ()
            return again(part, context=replace(context, recent=behind))

        found = by_steps(each_alone(found, text, locale, alone, self._acts_now), text, locale, context, self._registry.get)
        return spared(found, text, locale)

    def _decide(self, text: str, locale: str, context: Context, provenance: Provenance) -> Decision:
        text = corrected(text if provenance is Provenance.TYPED else as_meant(text, locale), locale)
        if open_question(context) is None and told_of_others(text, locale):
            context = replace(context, recent=())
            if corrected_for_others(text, locale):
                return Nothing("reported")
        by_words = self._router.decide(text, locale, context, provenance)
        if (end := ended(by_words, text, locale, context, self._registry.get)) is not None:
            return end
        if isinstance(by_words, Nothing) and by_words.reason in FINAL:
            return by_words
        if (kind := beyond_us(text, locale, bool(context.recent))) and not self._on_work(by_words):
            return ChitChat(kind)
        if (why := only_tells(text, locale)) and not self._on_work(by_words):
            return Nothing(why)
        if (both := self._called_off(text, locale, context, provenance)) is not None:
            return both
        if taken_back(text, locale) and not self._on_work(by_words):
            return Nothing("negated")
        if isinstance(by_words, Calls) and len(by_words.matches) == 1 and dictates(by_words.matches[0], self._registry):
            return by_words
        if open_question(context) is not None:
            if follow_up(text, locale) is Said.UNDO:
                return Nothing("declined")  # what was only asked about is not undone by its opposite; no answer either
            if (agreed := self._agreed(text, locale, context, provenance)) is not None:
                return agreed
            found = None if answer(text, locale) else named_instead(text, locale, context, self._registry.get, answers=True)
            named = self._held(found, text, locale)  # a yes names nothing
            if named is not None or isinstance(by_words, Calls | AskBack):
                decision = named or as_asked(by_words, context, partial(self._router.decide, text, locale))
                return self._put_off(decision, text, locale) or decision
        if (spared := but_for(text, locale, context, self._alone, self._aside)) is not None:
            return spared
        if (anew := within(text, locale, context, lambda words, then: self._decide(words, locale, then, provenance))) is not None:
            return anew
        if (wish := wishes(text, locale)) != text:
            return self.decide(wish, locale, context, provenance) if plain(wish, locale) else Nothing("not_a_request")
        if (put := in_one_language(apart_said(plainly_joined(text), locale))) != text:
            return self.decide(put, locale, context, provenance)
        part = partial(self.decide, locale=locale, context=context, provenance=provenance)
        if (each := each_with_its_value(text, locale, part) or each_with_its_verb(text, locale, part)) is not None:
            return each
        context = replace(context, provenance=provenance)
        other = another_thing(text, locale, context, self._registry.get, self._alone) if self._is_ours(by_words) else None
        if other is not None:
            return other
        if (none := self._of_no_work(by_words, text, locale)) is not None:
            return none
        follows = self._chosen(by_words, text, locale, context) or self._part_by_part(by_words, text, locale, context)
        follows = follows or self._followed(by_words, text, locale, context)
        if follows is None and not self._on_work(by_words) and (by := by_so_much(text, locale)) is not None and by[1]:
            return ChitChat("no_work")  # the timer that is to be longer does not run
        decision = follows or self._whole(self._decided(by_words, text, locale, context), text, locale, context)
        decision = self._unbound(decision) if follows is None and only_wonders(text, locale) else decision
        if (put_off := self._put_off(decision, text, locale)) is not None:
            return put_off
        decision = doubted(decision, text, locale, context, self._registry, self._reading) or decision
        if (one := self._one_of_two(decision, text, locale)) is not None:
            return one
        if only_wonders(text, locale):
            return decision
        whole = self._parts.all_of(decision, text, locale, context)
        return self._put_off(whole, text, locale) or whole

    def _called_off(self, text: str, locale: str, context: Context, provenance: Provenance) -> Decision | None:
        """ "Never mind, open the window", while something is under way: that is cancelled; the rest is done, asked back, or impossible."""
        if not context.doing or open_question(context) is not None or (cut := split(text, locale)) is None:
            return None
        lead, words = cut
        rest = self.decide(words, locale, context, provenance)
        matches = rest.matches if isinstance(rest, Calls) else (rest.match,) if isinstance(rest, AskBack) and rest.match else ()
        meant = called_off(lead, locale, context)
        work = [one for one in meant if not stands(matches, one)]
        if meant and not work and any(map(self._aside, matches)):
            return rest
        if not work or isinstance(rest, Nothing) and rest.reason in FINAL - {"stop"}:
            return None
        return cancelled_and(work, words, rest)

    def _is_ours(self, by_words: Decision) -> bool:
        """Said to us, by the speaker, and not of work under way."""
        return by_words not in (Nothing("other_addressee"), Nothing("reported")) and not self._on_work(by_words)

    def _alone(self, text: str, locale: str, context: Context) -> Decision:
        return self.decide(text, locale, context, context.provenance)

    def _agreed(self, text: str, locale: str, context: Context, provenance: Provenance) -> Decision | None:
        """ "Yes, and …": both. What may only have been a word to begin with agrees to nothing: our question is put again."""
        pending = open_question(context)
        both = yes_and(text, locale, pending.capability) if pending is not None else None
        if pending is None or both is None:
            return None
        skill = self._registry.get(pending.capability)
        alone = self._router.decide(YES[language(text, locale)], locale, context, provenance)
        if skill is None or not isinstance(alone, Calls) or skill.confirmation is not Confirmation.EXPLICIT:
            return None
        if (later := deferred(text, locale)) is not None:
            return AskBack(refusal(later), reason=LATER)
        rest = self.decide(both.rest, locale, replace(context, recent=context.recent[1:]), provenance)
        if isinstance(rest, AskBack) and rest.reason in (LATER, FOR_A_WHILE):
            return rest
        calls, also = (rest.matches, rest.also) if isinstance(rest, Calls) else ((), ())
        if isinstance(rest, AskBack) or rest == ChitChat(UNSUPPORTED):
            also = (Also(both.rest, rest),)
        elif not calls:
            return None
        again = not both.sure or (both.but and not calls)
        confirmed = (Match(pending.capability, 1.0, pending.arguments),) if again else alone.matches
        if both.first:
            return Calls(joined(calls, confirmed, self._router.holds_up), also, agreed=not again)
        then = comes_after("", both.joined, both.rest, locale)
        return Calls(joined(confirmed, calls, self._router.holds_up if then else None), also, agreed=not again)

    def _one_of_two(self, decision: Decision, text: str, locale: str) -> Calls | AskBack | None:
        """ "Open the window or turn on the AC": neither is done. "20 or 21": the one that is meant is asked for."""
        if not isinstance(decision, Calls):
            return None
        if any(map(self._reading.acts, decision.matches)) and (question := either(text, locale)):
            return AskBack(question, reason="which")
        return alternatives.asked(decision, text, locale)

    def _of_no_work(self, by_words: Decision, text: str, locale: str) -> Decision | None:
        """ "Cancel the timer" where the grammar has found no such work: there is none, and that is the answer."""
        asks = isinstance(by_words, AskBack) and by_words.match is not None and self._aside(by_words.match)
        if isinstance(by_words, Calls) or asks or names_work(text, locale) is None:
            return None
        return ChitChat("no_work") if any(skill.group == WORK for skill in self._registry) else None

    def _decided(self, by_words: Decision, text: str, locale: str, context: Context) -> Decision:
        """Of words that say for themselves what they ask for."""
        if isinstance(by_words, Calls) and len(by_words.matches) == 1 and self._asked_about(by_words.matches[0], text, locale):
            by_words = Nothing("question")
        by_words = self._unbound(by_words) if only_wonders(text, locale) else by_words
        decision = self._weighed(by_words, self._reading(text, locale, context), text, locale)
        decision = self._all_used(decision, text, locale, context)
        if isinstance(decision, Calls):
            return decision
        if (named := self._held(named_instead(text, locale, context, self._registry.get), text, locale)) is not None:
            return named
        alone = replace(context, recent=())
        again = asked_anew(
            text, locale, context, self._registry.get,
            lambda words: self._router.decide(words, locale, alone),
            lambda words: self._decided(self._router.decide(words, locale, alone), words, locale, alone),
        )  # fmt: skip
        return again or decision

    def _followed(self, by_words: Decision, text: str, locale: str, context: Context) -> Decision | None:
        """What a short sentence, or its end, changes of what was asked for just before. Work under way is the grammar's."""
        if by_words == Nothing("other_addressee"):
            return None
        said = follow_up(text, locale)
        own_words = corrects(text, locale) or in_own_words(text, locale) or said is not None
        told_only = by_words == Nothing("reported") and not own_words
        own = by_words.matches if isinstance(by_words, Calls) else ()
        if any(map(self._aside, own)):
            return None
        for piece, told in [(text, tuple[str, ...]()), *set_apart(text, locale)]:
            if (
                told_only
                and not corrects(piece, locale)
                and (frame(piece, locale).reported or not concludes(piece, locale, told[0] if told else ""))
            ):
                continue
            back = corrects(text, locale) or any(isinstance(follow_up(other, locale), Said) for other in told)
            found = followed(piece, locale, context, self._registry.get, back)
            last = context.recent[0].capability if context.recent else ""
            if found is None or not all(self._told(one) or complains(one, locale, last) for one in told):
                continue
            fresh = not told and isinstance(said, Value | At) and said.fresh and own and isinstance(found, tuple)
            if fresh and isinstance(found, tuple) and found[0].capability != own[0].capability:
                return None
            if (held := self._held(found, text, locale, piece)) is not None:
                return held
        return None

    def _chosen(self, by_words: Decision, text: str, locale: str, context: Context) -> Decision | None:
        ours = self._is_ours(by_words)
        found, piece = chosen_apart(text, locale, context, self._registry.get, self._told) if ours else (None, "")
        return self._held(found, text, locale, piece)

    def _part_by_part(self, by_words: Decision, text: str, locale: str, context: Context) -> Calls | None:
        if not context.recent or not self._is_ours(by_words):
            return None
        cut = [piece for _, piece in pieces(text, locale)]
        back = corrects(text, locale)

        def changed(piece: str) -> tuple[Match, ...]:
            said = follow_up(piece, locale)
            if isinstance(said, Value | At) and said.fresh:
                return ()
            found = followed(piece, locale, context, self._registry.get, back)
            return found if isinstance(found, tuple) and isinstance(self._held(found, text, locale, piece), Calls) else ()

        def asked(piece: str, before: tuple[Match, ...]) -> tuple[Match, ...]:
            behind = replace(context, before=before)
            own = self._decided(self._router.decide(piece, locale, behind, context.provenance), piece, locale, behind)
            held = self._held(own.matches, text, locale, piece) if isinstance(own, Calls) and commands(piece, locale) else None
            return held.matches if isinstance(held, Calls) and not self._on_work(held) else ()

        if follow_up(text, locale) is not None or len(cut) < 2 or not any(map(changed, cut)):
            return None
        found = part_by_part(cut, changed, asked, self._told)
        return Calls(found) if found else None

    def _told(self, beginning: str) -> bool:
        """Nothing is asked for in these words themselves."""
        return says_what(beginning) or not any(
            self._registry.get(stretch.label.partition("/")[0]) and stretch.share >= LIKELY for stretch in self._tags(beginning)
        )

    def _held(self, found: Found, text: str, locale: str, words: str = "") -> Decision | None:
        """A question never acts, and every argument is grounded, here too. `words`: of the text, those in which it was found."""
        match found:
            case None:
                return None
            case Which(question=question):
                return AskBack(question, reason="which")
            case matches:
                own = words or text
                asks = frame(own, locale).question or asks_about(own, locale) or only_wonders(own, locale)
                held = all(
                    self._reading.holds(match, text, locale) and not (asks and self._reading.acts(match)) for match in matches
                )
                return Calls(matches) if held else None

    def _whole(self, decision: Decision, text: str, locale: str, context: Context) -> Decision:
        """The calls as their skills have them, seen from the whole sentence, or the question for a place that is not clear."""
        if not isinstance(decision, Calls):
            return decision
        calls = as_a_whole(decision.matches, self._registry.get, text, locale, context)
        if (asks := next((call for call in calls if call.missing), None)) is not None:
            return AskBack(asks.question, asks)
        return Calls(calls) if all(self._reading.holds(call, text, locale) for call in calls) else decision

    def _on_work(self, decision: Decision) -> bool:
        """ "Cancel the search, never mind it": what is given up is the work."""
        return isinstance(decision, Calls) and any(map(self._aside, decision.matches))

    def _acts_now(self, match: Match) -> bool:
        return self._group(match) not in (KEEPING, TALK, TIMERS, WORK) and not dictates(match, self._registry)

    def _aside(self, match: Match) -> bool:
        """An operation on work or on what was said."""
        return self._group(match) in (TALK, WORK)

    def _group(self, match: Match) -> str:
        skill = self._registry.get(match.capability)
        return skill.group if skill is not None else ""

    def _put_off(self, decision: Decision, text: str, locale: str) -> AskBack | None:
        """As `not_now` before the act, for whoever only asks what would be done."""
        asked = (decision.match,) if isinstance(decision, AskBack) and decision.match is not None else ()
        for match in decision.matches if isinstance(decision, Calls) else asked:
            skill = self._registry.get(match.capability)
            if skill is not None and (instead := other_time(match, skill, locale, text)) is not None:
                return AskBack(instead.text, reason=instead.reason)
        timers = isinstance(decision, Calls) and all(self._group(one) == TIMERS for one in decision.matches)
        if timers and SWITCHED.search(plain(text, locale)):
            only = lasting(text, locale)  # "seat heating on for five minutes" is no timer
            return AskBack(no_undoing(only), reason=FOR_A_WHILE) if only is not None else None
        return None

    def _all_used(self, decision: Decision, text: str, locale: str, context: Context) -> Decision:
        """Of one call, all the words count: what it does not use may stand where the tagger saw nothing."""
        if not isinstance(decision, Calls) or len(decision.matches) != 1:
            return decision
        one = decision.matches[0]
        skill = self._registry.get(one.capability)
        match = self._reading.using(skill, one, text, locale, context) if skill is not None else one
        return AskBack(match.question, match) if match.missing else decision

    def _unbound(self, decision: Decision) -> Decision:
        """What is left of it where an act is only asked about."""
        match decision:
            case Calls(matches=matches):
                parts = [Part(match, kept=not self._reading.acts(match)) for match in matches]
                return Calls(kept) if (kept := arranged(parts, self._router.holds_up)) else Nothing("question")
            case AskBack(match=match) if match is None or self._reading.acts(match):
                return Nothing("question")
            case ChitChat(kind=kind) if kind == UNSUPPORTED:
                return ChitChat("general")
            case Nothing(reason="not_a_request"):
                return Nothing("question")
        return decision

    def _asked_about(self, match: Match, text: str, locale: str) -> bool:
        """An act in answer to a question for a time or an amount."""
        return self._reading.acts(match) and asks_for_a_fact(orders(text, locale), locale)
