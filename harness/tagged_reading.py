"""What a tagger makes of a whole sentence: calls, complete and grounded, from the stretches that ask for something; and what else it says.

The skills work out the arguments from their stretch's words. A question never acts in the car.
Does not know what the grammar makes of the words, or which of the two is believed (tagged_router.py).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from ridealong.harness.asked_parts import orders, within_a_question
from ridealong.harness.follow_about import only_takes_back
from ridealong.harness.follow_said import Said
from ridealong.harness.follow_words import follow_up
from ridealong.harness.following import REFERS_WITHIN_MS
from ridealong.harness.framing import asks_for_a_fact, asks_the_way, commands, frame
from ridealong.harness.framing_questions import asks_about, asks_for
from ridealong.harness.meant import FRAGMENT, Meant, chosen_alone
from ridealong.harness.no_wish import enough, then_a_number, then_a_place
from ridealong.harness.registry import Registry
from ridealong.harness.results import match_problems
from ridealong.harness.router import about, open_question
from ridealong.harness.sequence import Part, arranged, comes_after
from ridealong.harness.skill import Context, Match, Outcome, Recent, Skill
from ridealong.harness.slots.number import find_numbers
from ridealong.harness.slots.text import language, plain
from ridealong.harness.tagged import Stretch, Tags

LIKELY: Final = 0.35
"""From here on a stretch counts where the grammar has found nothing."""
BESIDE: Final = 0.6
"""From here on a question beside an act is one: "close the windows and make it quick"."""
SUPERSEDED: Final = "superseded"
REFUSED: Final = frozenset({"negated", SUPERSEDED})
MISTAKE: Final = "watch.wrong"
"""What is wrong is the alert, or else the request before: "wrong, the back one"."""
REPEATS: Final = "talk.repeat"
_STOPS: Final = " ,，.。;；、"
_SHARE: Final = re.compile(r"\b(?:half|quarter|third)\b|半|成")
_AGAIN: Final = re.compile(r"\b(?:on|off|open|close|shut|up|down)\b.*\bagain\b|重新[开关打]")
WATCHES: Final = "watch."
NAVIGATION: Final = "navigation"
WARMED: Final = "seats."
NOWHERE: Final = frozenset({"climate.set_fan", "climate.switch", "lights.cabin", "lights.ambient"})
"""There is one for all places, so that "and off in the front" is no other thing's."""


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


class TaggedReading:
    """`holds_up(match)`: what comes "then" waits for its end."""

    def __init__(self, registry: Registry, tags: Tags, holds_up: Callable[[Match], bool]) -> None:
        self._registry, self._tags, self._holds_up = registry, tags, holds_up

    def __call__(self, text: str, locale: str, context: Context) -> Tagged:
        found: list[Part] = []  # calls and questions, in order
        shares: list[float] = []
        only_told: list[bool] = []
        whole, refused, nothing = max(1, len(text.strip())), False, ("", 0.0, 0.0)
        taken_back, lost, asking, tagged = 0.0, False, 0.0, 0
        last = (0, 0)  # where the last stretch that asks for something stands
        for stretch in apart(self._tags(text), locale):
            if found and then_a_place(stretch.text, locale) and self._has_places(found[-1].match, stretch):
                stretch = replace(stretch, label=FRAGMENT, share=max(stretch.share, stretch.asks))
            if found and stretch.label == REPEATS and _AGAIN.search(stretch.text.casefold()):
                continue  # "off and on again" repeats nothing that was said
            asking, tagged = asking + stretch.asks * len(stretch.text), tagged + len(stretch.text)
            refused = refused or stretch.label in REFUSED
            taken_back = max(taken_back, stretch.share if stretch.label == SUPERSEDED else 0.0)
            matches = self._calls(stretch, text, locale, _behind(context, [part.match for part in found]))
            if matches is None:
                nothing = max(nothing, (stretch.label, stretch.share, len(stretch.text) / whole), key=lambda one: one[2])
                continue
            if found and matches and self._again(matches[0], found[-1].match, stretch.text, locale):
                continue  # 调低音量和亮度: the tagger hears the thing before once more
            lost = lost or (not matches and stretch.share >= LIKELY)
            told = stretch.label != FRAGMENT and not (commands(stretch.text, locale) or then_a_number(stretch.text, locale))
            told = told and not self._names_it(stretch, locale, context)
            if found and _goes_on(stretch.text, locale):
                told = told and only_told[-1]
            begin, end = stretch.span
            then = bool(found) and comes_after(text[slice(*last)], text[last[1] : begin], stretch.text, locale)
            found += [Part(match, then and not n) for n, match in enumerate(matches)]
            shares += [stretch.share] * len(matches)
            only_told += [told and self.acts(match) for match in matches]
            last = (begin, end)
        hint = bool(found) and all(only_told)
        # what is only told beside a command is the reason for it: "Fan off, it's making a racket"
        acting = any(self.acts(part.match) for part in found)
        unsure = [acting and not self.acts(part.match) and share < BESIDE for part, share in zip(found, shares, strict=True)]
        kept = [(hint or not told) and not doubtful for told, doubtful in zip(only_told, unsure, strict=True)]
        kept = [keep and not _said_anew(n, found) for n, keep in enumerate(kept)]
        calls = arranged(
            [replace(part, kept=keep and not part.match.missing) for part, keep in zip(found, kept, strict=True)],
            self._holds_up,
        )
        asks = next((part.match for part, keep in zip(found, kept, strict=True) if keep and part.match.missing), None)
        share = min((one for one, keep in zip(shares, kept, strict=True) if keep), default=0.0)
        return Tagged(calls, asks, share, *nothing, asking / max(1, tagged), refused, taken_back, lost, hint)

    def _calls(self, stretch: Stretch, text: str, locale: str, context: Context) -> Sequence[Match] | None:
        """What a stretch asks for; None where it asks for nothing."""
        if stretch.label == FRAGMENT and chosen_alone(stretch.text, locale) and open_question(context) is None:
            return None  # "the second one" answers a question, and none was asked
        capability, _, variant = stretch.label.partition("/")
        refers = _referred(context)
        if stretch.label == FRAGMENT or (stretch.label == MISTAKE and refers and not refers.startswith(WATCHES)):
            capability, variant = refers, FRAGMENT
        if (goes_on := self._goes_on(stretch, text, locale, context)) is not None:
            capability, variant, context = goes_on.before[-1].capability, FRAGMENT, goes_on
        skill = self._registry.get(capability)
        if skill is None or stretch.share < LIKELY / 2 or (variant == FRAGMENT and _names_nothing(stretch.text, locale)):
            return None
        if not self._may(skill, stretch, text, locale, context):
            return []
        if skill.understand is not None:
            words = stretch.text.strip(_STOPS)
            found = skill.understand(Meant(variant, words, locale, context, stretch.share, text[: stretch.span[0]]))
        elif variant == FRAGMENT:
            found = ()
        else:
            found = (Match(capability, stretch.share),)
        found = tuple(self.using(skill, match, stretch.text, locale, context) for match in found)
        return [match for match in found if match.missing or self.holds(match, text, locale)]

    def _again(self, match: Match, before: Match, words: str, locale: str) -> bool:
        """Nothing but one more thing of the verb before, which would be the same thing the other way round, or its value told."""
        if not _goes_on(words, locale) or match.missing or about(match) != about(before):
            return False
        one, other = match.arguments.get("delta"), before.arguments.get("delta")
        if match.capability != before.capability or not isinstance(one, int | float) or not isinstance(other, int | float):
            return False
        return one * other < 0

    def _has_places(self, match: Match, stretch: Stretch) -> bool:
        """ "My seat heating off and hers up": what names a place and how much, and no thing, is of the one before it that has places, and of no other thing."""
        return (
            ((match.capability.startswith(WARMED) and "zone" in match.arguments) or match.capability in NOWHERE)
            and self.acts(match)
            and stretch.label.partition(".")[0] != match.capability.partition(".")[0]
        )

    def _names_it(self, stretch: Stretch, locale: str, context: Context) -> bool:
        """The grammar of the skill, or of one beside it, makes a request of these words alone, and nobody tells anything in them: "volume twenty", 天窗翘一下."""
        group, dot, _ = stretch.label.partition("/")[0].partition(".")
        if not dot or tells(stretch.text, locale):
            return False
        sure = BESIDE if stretch.label.endswith("/value") else SURELY
        if stretch.share >= sure and (find_numbers(stretch.text, locale) or _SHARE.search(stretch.text)):
            return True  # "fan at fifty" is no reason for anything
        found = (skill.recognise(stretch.text, locale, context) for skill in self._registry if skill.name.startswith(f"{group}."))
        return any(match is not None and match.score >= SURELY for match in found)

    def _goes_on(self, stretch: Stretch, text: str, locale: str, context: Context) -> Context | None:
        """ "Window to 50 and then to 20": a number alone is another one of what is named before it. The context in which it is read."""
        if not stretch.span[0] or not then_a_number(stretch.text, locale):
            return None
        if context.before:
            return context
        ahead = text[: stretch.span[0]].strip(" ,，.。")
        begun = self(ahead, locale, context).calls  # what the whole sentence takes for corrected, too
        return _behind(context, begun) if begun and self.acts(begun[-1]) else None

    def using(self, skill: Skill, match: Match, words: str, locale: str, context: Context) -> Match:
        """What is asked instead, where the words hold a quantity that the call does not use."""
        if skill.unused is None or match.missing:
            return match
        return skill.unused(match, words, locale, context) or match

    def _may(self, skill: Skill, stretch: Stretch, text: str, locale: str, context: Context) -> bool:
        """A question never acts in the car. "How do I get to …" asks for the way, and is how a way is asked for."""
        places = skill.group == NAVIGATION  # "what time will we get to …": its words may be a stretch of their own
        answered = any(match.capability.startswith(f"{NAVIGATION}.") for match in context.before)  # "how far is …, take me there"
        leads = _LEADS_EN.match(stretch.text.casefold()) is not None  # "take me to the office and tell me how far it is"
        asked = orders(text, locale) if places and not answered and not leads else stretch.text
        asks = frame(stretch.text, locale).question or asks_for_a_fact(asked, locale)
        if skill.read_only:
            return True
        if asks_about(text, locale, stretch.span) or (skill.actuates and within_a_question(stretch.text, text, locale)):
            return False
        return not asks or (places and asks_the_way(stretch.text, locale)) or asks_for(stretch.text, locale)

    def holds(self, match: Match, text: str, locale: str) -> bool:
        skill = self._registry.get(match.capability)
        return skill is not None and not match_problems(skill, match, text, locale)

    def acts(self, match: Match) -> bool:
        skill = self._registry.get(match.capability)
        return skill is not None and not skill.read_only


def apart(stretches: Sequence[Stretch], locale: str) -> Iterator[Stretch]:
    """A place and how much, before a pause, is a stretch of its own: 右边开到最高，打开车窗."""
    for n, stretch in enumerate(stretches):
        pause = re.search(r"[,，]", stretch.text)
        if n and pause is not None and then_a_place(stretch.text[: pause.start()], locale):
            begin, end = stretch.span
            at = pause.end()
            yield replace(stretch, text=stretch.text[: pause.start()], span=(begin, begin + at))
            if stretch.text[at:].strip():
                yield replace(stretch, text=stretch.text[at:], span=(begin + at, end))
        else:
            yield stretch


def _said_anew(n: int, found: Sequence[Part]) -> bool:
    """Only as it was before, where the same thing is given a value of its own behind it: "hers as well, no, make hers 23"."""
    one = found[n].match
    as_before = any(ground.startswith("context:") for name, ground in one.grounds.items() if name != "zone")
    return as_before and any(
        other.match.capability == one.capability and not other.match.missing and about(other.match) == about(one)
        for other in found[n + 1 :]
    )


SURELY: Final = 0.8
"""The grammar's score from which on it has used nearly all the words."""
_TELLS: Final = re.compile(
    r"\b(?:is|am|are|was|were|has|have|it|i|we|he|she|they|you|feels?|too|so|very|not|no|my \w+ (?:hurts?|aches?))\b|[你他她它太很]|有点|好[热冷闷吵暗亮大响]|我(?!这)|怎么|了$"
)


def tells(text: str, locale: str) -> bool:
    """Something in these words is said to be so: "it's stuffy", 太闷了."""
    return _TELLS.search(plain(text, locale)) is not None


_LEADS_EN = re.compile(r"(?:please |and |then )*(?:take|drive|navigate|bring|guide|route) ")
_GOES_ON_EN = re.compile(
    r"(?:and|plus|as well as|along with|with|also)(?: also)?(?: (?:the|my|both|all))?(?: (?!it\b|i\b|we\b|is\b|that\b)\w+){1,3}"
)
_GOES_ON_ZH = re.compile(r"(?:和|跟|及|以及|还有|与|连同)[^是太很有了得我你它]{1,8}")


def _goes_on(text: str, locale: str) -> bool:
    """Nothing but one more thing of the verb before it: "and the fan"."""
    form = plain(text, locale)
    return (_GOES_ON_ZH if language(text, locale) == "zh" else _GOES_ON_EN).fullmatch(form) is not None


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


def _names_nothing(words: str, locale: str) -> bool:
    """ "Sorry, no", "undo that", "the other way round": these are about what was asked for before, and no value, place or name of it."""
    return only_takes_back(words, locale) or enough(words, locale) or isinstance(follow_up(words, locale), Said)
