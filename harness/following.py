"""A short sentence about what was asked for just before, made calls: "no, 23", "not hers, mine", "twice as long", 调回去. Pure.

Each kind of change goes to the last call that has such a thing: a number to the last amount for which it is plausible, a place to the last
call if it has places. Of a skill only its contract is known (`Changes`); what the sentence says is follow_words.py's. Where it is certain
that something else is wanted and not what, the answer is a question.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Final

from ridealong.harness.changes import Amount, Changes
from ridealong.harness.follow_about import corrects, refuses
from ridealong.harness.follow_made import as_before, in_its_kind, made_other, with_amount, with_argument
from ridealong.harness.follow_places import BEHIND, OPENS, OTHER, narrowed, rest_of, within
from ridealong.harness.follow_said import At, Place, Said, Scale, Sense, State, Step, Unit, Value
from ridealong.harness.follow_words import follow_up, instead, only
from ridealong.harness.registry import argument_problems
from ridealong.harness.skill import KEEPING, Context, Match, Outcome, Recent, Skill
from ridealong.harness.slots.number import find_numbers
from ridealong.harness.slots.text import language
from ridealong.harness.slots.zone import SEATS
from ridealong.harness.slots.zones import cover
from ridealong.harness.spliced import whole_of

REFERS_WITHIN_MS: Final = 60_000
NOT_DONE: Final = frozenset({Outcome.ASKS, Outcome.REFUSED, Outcome.FAILED})


@dataclass(frozen=True, slots=True)
class Which:
    """Something else is wanted: this is the question for it."""

    question: str


Found = tuple[Match, ...] | Which | None
Skills = Callable[[str], Skill | None]


_SHARE: Final = re.compile(r"\b(?:half|third|quarter)\b|一半|[三四]分之")


def followed(text: str, locale: str, context: Context, skills: Skills, takes_back: bool = False) -> Found:
    """None where these words follow nothing up. `takes_back`: words ahead of them do."""
    if not context.recent or context.recent[0].asked_ms_ago > REFERS_WITHIN_MS:
        return None
    said = follow_up(text, locale)
    if said is None:
        return None
    following = _Following(context, language(text, locale), skills)
    if isinstance(said, Value) and (own := following.in_its_words(said)) is not None:
        return own or None
    match said:
        case Value():
            return following.value(said)
        case Step():
            return following.step(said, takes_back or corrects(text, locale))
        case Scale():
            return following.scale(said)
        case Unit():
            return following.unit(said)
        case Place():
            return following.place(said)
        case At(place=place, what=what):
            return following.at(place, what)
        case State(on=on, words=words):
            return following.state(on, words)
        case Said.UNDO:
            return following.undo(text)
        case Said.TURNED:
            return following.turned()
        case Said.AGAIN:
            return following.again()
        case Said.FIRST:
            return following.at_first()
        case Said.OTHER | Said.NOT_THAT | Said.BEHIND:
            return following.another_one(said)


def named_instead(text: str, locale: str, context: Context, skills: Skills, answers: bool = False) -> Found:
    """ "No, the station": where nothing else can be made of the words, another of what the last call names. `answers`: to our own question."""
    last = context.recent[0] if context.recent else None
    answers = answers or (last is not None and refuses(text, locale, last.arguments))
    said = instead(text, locale, answers) if last is not None and last.asked_ms_ago <= REFERS_WITHIN_MS else None
    if said is None or last is None:
        return None
    skill = skills(last.capability)
    other = skill.changes.other if skill is not None and skill.changes is not None else None
    if skill is None or other is None or (said.adds and not skill.read_only):
        return None
    another = other(last.arguments, whole_of(last.arguments, said, text), context.read)
    return (made_other(last, another, said.words),) if another is not None else None


@dataclass(frozen=True, slots=True)
class _Following:
    context: Context
    locale: str
    skills: Skills

    def _changes(self, recent: Recent) -> Changes | None:
        skill = self.skills(recent.capability)
        return skill.changes if skill is not None else None

    def _amounts(self) -> Iterator[tuple[Recent, Amount, float]]:
        """The calls with an amount, newest first, with what it was."""
        for recent in self.context.recent:
            changes = self._changes(recent) if recent.asked_ms_ago <= REFERS_WITHIN_MS else None
            if changes is None or changes.amount is None:
                continue
            lacking = recent.outcome is Outcome.ASKS or changes.amount.implied
            now = recent.arguments.get(changes.amount.argument, 0 if lacking else None)
            if isinstance(now, int | float) and not isinstance(now, bool):
                yield recent, changes.amount, float(now)

    def _latest(self) -> tuple[Recent, Changes] | None:
        """The last call, if it has all that it needs: a question of ours may lack something."""
        last = self.context.recent[0]
        skill = self.skills(last.capability)
        if skill is None or skill.changes is None or argument_problems(skill.arguments_schema, last.arguments):
            return None
        return last, skill.changes

    def _asks(self, chinese: str, english: str) -> Which:
        return Which(chinese if self.locale == "zh" else english)

    def _together(self) -> tuple[Recent, ...]:
        """The last call with those of the same sentence."""
        first = self.context.recent[0]
        same = [
            one for one in self.context.recent if one.asked_ms_ago == first.asked_ms_ago and one.capability == first.capability
        ]
        return tuple(same)

    # --- how much -------------------------------------------------------------------------------------------------------

    def value(self, said: Value) -> Found:
        amounts = list(self._amounts())
        for recent, amount, now in [one for one in amounts if self._was(said, one)] or amounts:
            wanted = amount.value(said.value, said.unit, recent.arguments, self.context.read)
            if amount.is_step and _SHARE.search(said.words) and not all(other.is_step for _, other, _ in amounts):
                continue  # a share of the whole, and of no step
            if wanted is not None and amount.is_step:  # "three, not two": what is still lacking
                wanted = (wanted if now >= 0 else -wanted) - now
                return with_amount(recent, amount, wanted, said.words) if wanted else None
            if wanted is not None and amount.least <= wanted <= amount.most:
                return with_amount(recent, amount, wanted, said.words)
        return None

    def in_its_words(self, said: Value) -> tuple[Match, ...] | None:
        """A number that stands in what was to be written down, or is a time of day; () where it can't be put there; None: the last call has none."""
        last = self.context.recent[0]
        skill, changes = self.skills(last.capability), self._changes(last)
        texts = {name: value for name, value in last.arguments.items() if isinstance(value, str)}
        if "at" in texts:
            return ()
        for text in texts.values():
            numbers, words = find_numbers(text, self.locale), find_numbers(said.words, self.locale)
            if skill is None or skill.group != KEEPING or not numbers:
                continue
            begin, end = numbers[-1].span
            whole = f"{text[:begin]}{words[0].words if words else said.words}{text[end:]}"
            other = changes.other if changes is not None and len(numbers) == 1 else None
            another = other(last.arguments, whole, self.context.read) if other is not None else None
            return (made_other(last, another, said.words),) if another is not None else ()
        return None

    def _was(self, said: Value, amounts: tuple[Recent, Amount, float]) -> bool:
        """ "Eighteen, not nineteen": that which is at nineteen."""
        recent, amount, now = amounts
        was = amount.value(said.refused, said.unit, recent.arguments, self.context.read) if said.refused is not None else None
        return was is not None and was == abs(now)

    def step(self, said: Step, instead_of_it: bool) -> Found:
        latest = self._latest()
        if latest is not None and latest[1].stepped is not None and not said.of:
            another = latest[1].stepped(latest[0].arguments, said.sense in (Sense.UP, Sense.MORE))
            return (made_other(latest[0], another, said.words),) if another is not None else None
        for recent, amount, now in self._amounts():
            if said.of and said.of not in amount.of:
                continue
            if said.size == 1 and not said.unit and "time" in amount.of:
                continue  # "one more": another one, not another minute
            size = amount.size(said.size, said.unit, said.manner, recent.arguments, self.context.read)
            if size is None:
                continue
            step = size * _direction(said, amount, now)
            if amount.is_step and instead_of_it and said.size is None and said.manner == "plain" and step * now < 0:
                step = -now  # "two degrees cooler", "sorry, warmer"
            if amount.stepped is not None:
                capability, more = amount.stepped
                name = next(iter(more))
                kept = {} if amount.implied else recent.arguments
                zone = {key: value for key, value in kept.items() if key != amount.argument}
                return (with_argument(capability, {**zone, name: in_its_kind(step, amount)}, name, said.words),)
            wanted = step if amount.is_step else min(max(now + step, amount.least), amount.most)
            return with_amount(recent, amount, wanted, said.words) if wanted != now or amount.is_step else None
        return None

    def scale(self, said: Scale) -> Found:
        for recent, amount, now in self._amounts():
            if (said.of and said.of not in amount.of) or not amount.proportional or not now:
                continue
            wanted = now * (said.factor - 1 if amount.is_step else said.factor)
            return with_amount(recent, amount, min(max(wanted, amount.least), amount.most), said.words)
        return None

    def unit(self, said: Unit) -> Found:
        for recent, amount, now in self._amounts():
            was_s = next(unit_s for unit_s in (3600, 60, 1) if now % unit_s == 0 or unit_s == 1)
            wanted = now / was_s * said.unit_s
            if "time" in amount.of and wanted != now and amount.least <= wanted <= amount.most:
                return with_amount(recent, amount, wanted, said.words)
        return None

    def again(self) -> Found:
        amounts = next(self._amounts(), None)
        if amounts is None or amounts[0] is not self.context.recent[0] or not amounts[1].is_step:
            return None
        return (as_before(amounts[0].capability, amounts[0].arguments),)

    def at_first(self) -> Found:
        """The earliest of the calls that the last one took the place of."""
        last = self.context.recent[0]
        same = [one for one in self.context.recent if one.capability == last.capability and one.asked_ms_ago <= REFERS_WITHIN_MS]
        return (as_before(last.capability, same[-1].arguments),) if same[-1].arguments != last.arguments else None

    # --- the other way, or back ------------------------------------------------------------------------------------------

    def state(self, on: bool, words: str) -> Found:
        found = self._latest()
        if found is None or found[1].state is None:
            return None
        another = found[1].state(found[0].arguments, on)
        return (made_other(found[0], another, words),) if another is not None else None

    def turned(self) -> Found:
        together = self._together()
        zones = [one.arguments.get("zone") for one in together]
        if len(together) == 2 and len(set(zones)) == 2 and None not in zones:
            return tuple(
                as_before(one.capability, {**other.arguments, "zone": one.arguments["zone"]})
                for one, other in (together, together[::-1])
            )
        found = self._latest()
        if len(together) > 1 or found is None or found[1].turned is None:
            return None
        another = found[1].turned(found[0].arguments)
        return (as_before(*another),) if another is not None else None

    def undo(self, text: str) -> Found:
        """Of what was done. Of a request of which nothing came there is nothing to be undone: the opposite of it least of all."""
        calls: list[Match] = []
        if self._latest() is None:
            return None
        done = [recent for recent in self._together() if recent.outcome not in NOT_DONE]
        if not done:
            return self._asks("那一步什么都没有改变。您想要怎样？", "That changed nothing. What would you like?")
        for recent in done:
            changes = self._changes(recent)
            if changes is None or changes.undone is None:
                return None
            calls += [as_before(*another) for another in changes.undone(recent.arguments, recent.before.get)]
        way = re.search(r"[开关](?=回)", text)
        if not calls and way is not None:
            return self.state(way.group() == "开", way.group())
        return tuple(calls) or self._asks(
            "我不知道之前是什么样。您想要怎样？", "I don't know how it was before. What would you like?"
        )

    def at(self, place: str, what: Value | Step | Scale | State) -> Found:
        """The last call's change, made where these words say."""
        recent, found = self.context.recent[0], self._latest()
        before = recent.arguments.get("zone")
        if found is None or found[1].placed is None or not isinstance(before, str) or before not in SEATS:
            return None
        zones = narrowed(found[1].placed(place, self.locale, before, self.context), before, place, self.locale)
        if len(zones) != 1 or not found[1].places.issuperset(zones):
            return None
        there = replace(
            self, context=replace(self.context, recent=(recent._replace(arguments={**recent.arguments, "zone": zones[0]}),))
        )
        match what:
            case Value():
                made = there.value(what)
            case Step():
                made = there.step(what, False)
            case Scale():
                made = there.scale(what)
            case State(on=on, words=words):
                made = there.state(on, words)
        return tuple(replace(one, grounds={**one.grounds, "zone": place}) for one in made) if isinstance(made, tuple) else None

    # --- where -----------------------------------------------------------------------------------------------------------

    def place(self, said: Place) -> Found:
        found = self._latest()
        if found is None:
            return None
        recent, changes = found
        if changes.other is not None and changes.placed is None:
            another = changes.other(recent.arguments, said.words, self.context.read)
            return (made_other(recent, another, said.words),) if another is not None else None
        before = recent.arguments.get("zone")
        if changes.placed is None or not isinstance(before, str) or before not in SEATS:
            return None
        zones = changes.placed(said.words, self.locale, before, self.context)
        if said.refused and not (said.kept and narrowed(zones, before, said.words, self.locale) == (before,)):
            zones = tuple(cover({seat for zone in zones for seat in SEATS[zone]} & set(SEATS[before])))
        zones = narrowed(zones, before, said.words, self.locale)
        if not zones or not changes.places.issuperset(zones):
            return None
        beside = any(one.capability == recent.capability for one in self.context.recent[1:])
        if said.refused and not said.kept and zones == (before,) and not beside:  # all of it was the wrong place
            return self._asks("那要哪一个？", "Which one, then?")
        if said.refused:
            back, left = self._undone(recent, changes, zones), rest_of(zones, before)
            if back == () and left:  # it was so before: what is left is meant
                return tuple(
                    with_argument(recent.capability, {**recent.arguments, "zone": zone}, "zone", said.words) for zone in left
                )
            return back or self._turned(recent, changes, zones)
        rest = rest_of(zones, before) if within(zones, before) else ()
        wider = self._undone(recent, changes, rest) if rest and only(said.words, self.locale) else ()
        opens = None if self.locale != "zh" else OPENS.search(said.words)
        if opens is not None and changes.state is not None and (opens.group() == "开") is (recent.arguments.get("position") == 0):
            turned = [changes.state({**recent.arguments, "zone": zone}, opens.group() == "开") for zone in zones]
            return tuple(made_other(recent, another, said.words) for another in turned if another is not None) or None
        return tuple(
            with_argument(recent.capability, {**recent.arguments, "zone": zone}, "zone", said.words) for zone in zones
        ) + (wider or ())

    def _undone(self, recent: Recent, changes: Changes, zones: tuple[str, ...]) -> tuple[Match, ...] | None:
        """None where nobody knows how it was; nothing where it was as it has been asked for."""
        if changes.undone is None:
            return None
        back = [another for zone in zones for another in changes.undone({**recent.arguments, "zone": zone}, recent.before.get)]
        if not back:
            return None
        made = {**recent.arguments, "zone": ""}
        return tuple(
            as_before(*another) for another in back if (recent.capability, made) != (another[0], {**another[1], "zone": ""})
        )

    def _turned(self, recent: Recent, changes: Changes, zones: tuple[str, ...]) -> Found:
        """Where the car has not shown how it was: "not the back ones", of windows that were opened, closes them."""
        if changes.turned is None:
            return None
        back = [changes.turned({**recent.arguments, "zone": zone}) for zone in zones]
        return tuple(as_before(*another) for another in back if another is not None) or None

    def another_one(self, said: Said) -> Found:
        found = self._latest()
        if found is None:
            return None
        recent, changes = found
        ask = self._asks("那要哪一个？", "Which one, then?")
        if changes.other is not None and changes.placed is None:
            another = changes.other(recent.arguments, "", self.context.read) if said is Said.OTHER else None
            return (as_before(*another),) if another is not None else ask
        before = recent.arguments.get("zone")
        if not changes.places or not isinstance(before, str):
            return None
        zone = {Said.OTHER: OTHER, Said.BEHIND: BEHIND}.get(said, {}).get(before)
        if zone is None or zone not in changes.places:
            return ask
        return (as_before(recent.capability, {**recent.arguments, "zone": zone}),)


def _direction(said: Step, amount: Amount, now: float) -> int:
    absolute = said.of == "size" and amount.of & {"loudness", "wind", "opening"}
    asked = 1 if absolute else (1 if now > 0 else -1) if amount.is_step or amount.up_is_less else 1
    match said.sense:
        case Sense.MORE:
            return asked
        case Sense.LESS:
            return -asked
        case Sense.UP:
            return -1 if amount.up_is_less else 1
        case Sense.DOWN:
            return 1 if amount.up_is_less else -1
