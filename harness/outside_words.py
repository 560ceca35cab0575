"""Words that only a skill from outside knows: a sentence that holds one is nobody else's. Pure.

    own = OutsideWords(registry)
    own(decision, "make the scent stronger", "en")      # AskBack("How much, in percent?"), in place of the fan

The tagger and the grammar have learnt the built-in skills alone, and take what they don't know for something near it. A word of a skill's own stands in its name
or its sentences, and in none that a built-in skill is asked for with (known_words.txt, written by tools/known_words.py). Where such a word is said, and the decision
is not about that skill, nothing built in acts on it or answers: its own question is asked, or it is said that this can't be done, and the rest of the sentence is done
by itself ("… and open my window"). What stands in an argument ("navigate to
Scent Street") or in a part of the sentence that asks for nothing is left alone. A thing that nobody knows ("turn the diffuser up") is refused likewise, where it is all that is named.
Does not know how a decision came about.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import lru_cache
from typing import Final

from ridealong.harness.framing import commands, frame, pieces
from ridealong.harness.known_words import known_words
from ridealong.harness.patterns import Patterns
from ridealong.harness.registry import Registry
from ridealong.harness.router import Also, AskBack, Calls, ChitChat, Decision, Nothing
from ridealong.harness.skill import KEEPING, QUOTING, TALK, WORK, Match, Skill
from ridealong.harness.slots.text import language, plain
from ridealong.harness.tagged import UNSUPPORTED
from ridealong.harness.unknown_acts import unknown_act

ASIDE: Final = frozenset({TALK, WORK, KEEPING, QUOTING, "timers", "speech"})
"""Groups whose skills are about what was said, or is under way, whatever words are in it."""
ASKED: Final = frozenset({"missing", "doubt", "which", "ungrounded"})
"""Reasons of questions that have taken the words for a request to some skill."""
_LIGHT_ZH: Final = "把将给我帮请一下吧啊呢了的地得那个这上里到成为你您就再都在着有很太点儿些先能可以要想让和调开关设打节掉高低大小增减加升降强弱度百分之几档度是不吗"
"""Characters that no thing is told by."""
_LIGHT_EN: Final = frozenset(
    [
        "the",
        "my",
        "our",
        "this",
        "that",
        "a",
        "bit",
        "little",
        "please",
        "also",
        "too",
        "more",
        "less",
        "up",
        "down",
        "on",
        "off",
        "stronger",
        "weaker",
        "higher",
        "lower",
    ]
)
_OPENS: Final = frozenset(["open", "close", "shut", "lock", "unlock"])
"""Verbs of so many things that the thing must be known."""
_LEAST_LETTERS: Final = 3
_NEAR: Final = 0.72
"""As like a word that is known, an unknown one is only misheard."""
_WAYS_EN: Final = r"(?:up|down|on|off|higher|lower|stronger|weaker|softer|harder|faster|slower|louder|quieter|more|less|a (?:bit|little)|much|way|intense|please)"
_UNKNOWN_EN: Final = re.compile(
    rf"(?:turn|make|put|set|switch|crank|bring)(?: {_WAYS_EN})*(?: (?:the|my|our|that|this))? (?P<thing>[a-z]{{5,}})(?: {_WAYS_EN})*"
)


_POINTS_EN: Final = re.compile(
    rf"(?:now )?(?:turn|make|put|set|switch|crank|bring)(?: {_WAYS_EN})* (?:it|that|this|them)(?: {_WAYS_EN})*(?: now)?"
)


class OutsideWords:
    """Safe from every thread."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry

    def __call__(self, decision: Decision, text: str, locale: str, again: Callable[[str], Decision] | None = None) -> Decision:
        """`again` decides the rest of the sentence, which is done or asked about by itself."""
        if (taken := _taken(decision)) is None:
            return decision
        locale = language(text, locale)
        if (left := self._unknown_acts(decision, taken, text, locale, again)) is not None:
            return left
        mine = [(skill, own_words(skill)) for skill in self._registry if isinstance(skill.recognise, Patterns)]
        said = _words(text, locale)
        if not any(said & words for _, words in mine):
            return self._of_nobody(decision, taken, text, locale)
        own = said & frozenset().union(*(words for _, words in mine))
        asking, rest = _asking(text, locale, own)
        heard = {word for piece in asking for word in _words(piece, locale) if not _dictated(word, taken, locale)}
        named = [skill for skill, words in mine if heard & words]
        if not named or {match.capability for match in taken} & {skill.name for skill in named}:
            return decision
        if taken and all((one := self._registry.get(match.capability)) is None or one.group in ASIDE for match in taken):
            return decision
        if isinstance(decision, Nothing) and not _bare(text, locale, own):
            return decision
        instead = _instead(named, frame(text, locale).question, locale)
        joiner = "，" if locale == "zh" else " and "
        other = again(joiner.join(rest)) if again is not None and any(commands(piece, locale) for piece in rest) else None
        if not isinstance(other, Calls):
            return instead
        return replace(other, also=(*other.also, Also(joiner.join(asking), instead)))

    def _unknown_acts(
        self, decision: Decision, taken: tuple[Match, ...], text: str, locale: str, again: Callable[[str], Decision] | None
    ) -> Decision | None:
        """ "Hoover the carpet", and the rest of the sentence by itself."""
        if not isinstance(decision, Calls | AskBack) or not any(map(self._moves, taken)):
            return None
        parts = [piece for _, piece in pieces(text, locale)] or [text]
        share = min(match.score for match in taken)
        unknown = [
            piece
            for piece in parts
            if unknown_act(piece, locale, known_words(), share) and not self._asked_so(taken, piece, locale)
        ]
        if not unknown:
            return None
        rest = [piece for piece in parts if piece not in unknown]
        joiner = "，" if locale == "zh" else " and "
        other = again(joiner.join(rest)) if again is not None and rest else None
        if not isinstance(other, Calls):
            return ChitChat(UNSUPPORTED) if other is None or not isinstance(other, AskBack) else other
        return replace(other, also=(*other.also, Also(joiner.join(unknown), ChitChat(UNSUPPORTED))))

    def _asked_so(self, taken: tuple[Match, ...], piece: str, locale: str) -> bool:
        """One of the skills that it was taken for gives these very words, or begins an example with their verb: "feed the cat" of a cat feeder."""
        skills = [skill for match in taken if (skill := self._registry.get(match.capability)) is not None]
        said = frame(piece, locale).core
        examples = [frame(text, locale).core for skill in skills for text in skill.examples.get(locale[:2], ())]
        if language(piece, locale) == "zh":
            return any(said in text or text in said for text in examples if text)
        verb = said.partition(" ")[0]
        return said in examples or (verb not in _OPENS and verb in {text.partition(" ")[0] for text in examples})

    def _moves(self, match: Match) -> bool:
        skill = self._registry.get(match.capability)
        return skill is not None and bool(skill.actuates) and skill.group not in ASIDE

    def _of_nobody(self, decision: Decision, taken: tuple[Match, ...], text: str, locale: str) -> Decision:
        """ "Turn the diffuser up", where there is none."""
        thing = unknown_thing(text, locale) if isinstance(decision, Calls | AskBack) else ""
        if not thing or _dictated(thing, taken, locale):
            return decision
        skills = [self._registry.get(match.capability) for match in taken]
        acts = bool(skills) and all(skill is not None and not skill.read_only and skill.group not in ASIDE for skill in skills)
        ours = any(thing in _words(" ".join((skill.name, *skill.examples.get("en", ()))), "en") for skill in self._registry)
        return ChitChat(UNSUPPORTED) if acts and not ours else decision


def _taken(decision: Decision) -> tuple[Match, ...] | None:
    """The requests that a decision has found in the words; None where it can stand, whatever is in them."""
    match decision:
        case Calls(matches=matches, also=()):
            return matches
        case Calls(matches=matches, also=also):
            return (*matches, *(one.decision.match for one in also if isinstance(one.decision, AskBack) and one.decision.match))
        case AskBack(match=asked, reason=reason) if reason in ASKED:
            return () if asked is None else (asked,)
        case ChitChat(kind=kind) if kind == UNSUPPORTED:
            return ()
        case Nothing(reason="not_a_request"):
            return ()
        case _:
            return None


def _instead(named: list[Skill], question: bool, locale: str) -> AskBack | ChitChat:
    """The question of the first that acts and has one."""
    if question:
        return ChitChat("general")
    for skill in named:
        way = skill.recognise
        assert isinstance(way, Patterns)
        asks = way.questions.get(locale, "")
        if not skill.read_only and way.required and asks:
            return AskBack(asks, Match(skill.name, 0.5, missing=way.required, question=asks))
    return ChitChat(UNSUPPORTED)


@lru_cache(maxsize=256)
def _own(name: str, literals: tuple[str, ...]) -> frozenset[str]:
    known, _ = known_words()
    words = {word for word in re.findall(r"[a-z]+", f"{name} {' '.join(literals)}") if len(word) >= _LEAST_LETTERS}
    pairs = {pair for run in literals for pair in _pairs(run)}
    return frozenset(one for one in words | pairs if one not in known and one.removesuffix("s") not in known)


def own_words(skill: Skill) -> frozenset[str]:
    """Words, and pairs of Chinese characters, that this skill knows and no built-in one is asked for with."""
    way = skill.recognise
    return _own(skill.name.replace("_", " ").replace(".", " "), way.literals) if isinstance(way, Patterns) else frozenset()


def unknown_thing(text: str, locale: str) -> str:
    """ "diffuser" of "turn the diffuser up": all that is named, known to none of the texts, and like nothing in them; else ""."""
    found = _UNKNOWN_EN.fullmatch(frame(text, locale).core) if language(text, locale) == "en" else None
    if found is None:
        return ""
    _, words = known_words()
    thing = found["thing"]
    if thing in words or thing.removesuffix("s") in words or difflib.get_close_matches(thing, words, 1, _NEAR):
        return ""
    return thing


def _asking(text: str, locale: str, own: frozenset[str]) -> tuple[list[str], list[str]]:
    """(parts of the sentence that ask for something of these words, and the parts that have none of them): "turn on the AC" is the rest of "… and the scent"."""
    parts = [piece for _, piece in pieces(text, locale)] or [text]
    asking, rest, told = list[str](), list[str](), False
    for piece in parts:
        framing = frame(piece, locale)
        if not _words(piece, locale) & own:
            rest.append(piece)
        elif framing.negated or framing.reported:
            continue
        elif len(parts) == 1 or framing.question or commands(piece, locale) or _bare(piece, locale, own):
            asking.append(piece)
        else:
            told = True
    if told and not asking and any(_points(piece, locale) for piece in rest):
        return parts, []
    return asking, rest


def _points(piece: str, locale: str) -> bool:
    """ "Turn it up", 调大一点: of what was named beside it."""
    if locale == "zh":
        return commands(piece, locale) and not any(_pairs(plain(piece, locale)))
    return _POINTS_EN.fullmatch(frame(piece, locale).core) is not None


def _words(text: str, locale: str) -> frozenset[str]:
    form = plain(text, locale)
    words = set(re.findall(r"[a-z]+", form))
    return frozenset(words | {word.removesuffix("s") for word in words} | set(_pairs(form)))


def _pairs(form: str) -> Iterator[str]:
    for run in re.findall(rf"[^\x00-\x7f{_LIGHT_ZH}]+", form):
        yield from (run[at : at + 2] for at in range(len(run) - 1))


def _dictated(word: str, taken: tuple[Match, ...], locale: str) -> bool:
    """It stands in an argument: a name, a place, a text."""
    values = [plain(value, locale) for match in taken for value in match.arguments.values() if isinstance(value, str)]
    return any(re.search(rf"\b{word}" if word.isascii() else re.escape(word), value) for value in values)


def _bare(text: str, locale: str, own: frozenset[str]) -> bool:
    """The thing, and nothing besides."""
    form = plain(text, locale)
    rest = [*(word for word in re.findall(r"[a-z]+", form) if word not in _LIGHT_EN), *_pairs(form)]
    return bool(rest) and all(word in own for word in rest)
