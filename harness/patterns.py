"""Recognition as data: sentences with slots, which a skill gives instead of code that reads words.

    recognise=patterns("scent.set",
        en=("set the (scent|fragrance) to {level:percent}", "make it smell [a bit] stronger"), zh=("香氛调到{level:percent}",),
        questions={"en": "How strong?", "zh": "调到多少？"})

`(a|b)` is one of these, `[a]` may be left out, `{name:kind}` is an argument; kinds: number, percent, duration (seconds), choice (words out of `choices`), text (to
the end), found ("it", "there", 那里: what one of the skills that `found` lists for this argument gave under its name, asked for before or earlier in the same sentence). A sentence may stand among other words: each content word that it leaves unexplained lowers the score (reading.py).
An argument that `required` names and nobody said becomes the question, and the bare answer completes it.

Since it is data, a skill from outside can be recognised without running any of its code in the node. Matching costs at most words × pattern × slot length; there is no regular
expression of a stranger's. Does not know schemas: whether a value is allowed is the registry's judgement.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from ridealong.harness.interjections import answer
from ridealong.harness.reading import Reading
from ridealong.harness.skill import ANSWER_WITHIN_MS, Context, Match, Outcome
from ridealong.harness.slots.duration import find_duration
from ridealong.harness.slots.number import parse_number
from ridealong.harness.slots.percent import any_percent, find_percent
from ridealong.harness.slots.text import has_chinese, plain

KINDS: Final = ("number", "percent", "duration", "choice", "text", "found")
BASE: Final = 0.9
MAX_PATTERNS: Final = 64
MAX_PATTERN_CHARS: Final = 200
MAX_WAYS: Final = 64
"""Sentences that one pattern may stand for."""
MAX_SLOTS: Final = 4
MAX_FOUND: Final = 16
MAX_SLOT_WORDS: Final = 12
FOUND_WITHIN_MS: Final = 60_000
"""For how long "it" may be what the last request found."""
_FOUND: Final = {
    "en": frozenset({"it", "that", "this", "that one", "this one", "the one", "there", "over there", "that place"}),
    "zh": frozenset(["它", "那", "这", "那里", "那儿", "那边", "这里", "那个", "这个", "那家", "这家", "那个地方"]),
}
MAX_WORDS: Final = 60
"""Longer utterances are no request to a skill of this kind."""

_PIECE = re.compile(r"\(([^()\[\]]+)\)|\[([^()\[\]]+)\]|([^()\[\]|]+)")
_PART = re.compile(r"\{([a-z][a-z0-9_]*):([a-z]+)\}|([^{}]+)")
_TOKEN = re.compile(r"[\u3400-\u9fff\u3007]|[^\s\u3400-\u9fff\u3007]+")


class PatternError(ValueError):
    """One sentence: which pattern is wrong, and how."""


@dataclass(frozen=True, slots=True)
class _Slot:
    name: str
    kind: str


_POINTS: Final = object()
"""In the place of a value that words point at."""
_Way = tuple[str | _Slot, ...]


@dataclass(frozen=True, slots=True)
class _Stretch:
    span: tuple[int, int]


@dataclass(frozen=True)
class Patterns:
    """A `Recognise` that is data. Make one with `patterns`, or from `as_data` with `from_data`."""

    capability: str
    sentences: Mapping[str, tuple[str, ...]]  # "en" | "zh"
    required: tuple[str, ...] = ()
    questions: Mapping[str, str] = field(default_factory=dict)
    choices: Mapping[str, Mapping[str, str | bool]] = field(default_factory=dict)
    """argument -> words -> value"""
    defaults: Mapping[str, bool | int | float | str] = field(default_factory=dict)
    found: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """argument -> the skills whose result it may be"""
    confirms: bool = False
    """A yes to our own question about it is a request for it, with the arguments of the question."""

    def __post_init__(self) -> None:
        if len([one for some in self.sentences.values() for one in some]) > MAX_PATTERNS:
            raise PatternError(f"{self.capability} has more than {MAX_PATTERNS} patterns; leave some out.")
        if set(self.sentences) - {"en", "zh"}:
            raise PatternError(f"{self.capability} has patterns in a language other than en and zh.")
        assert self._ways is not None and self._kinds is not None  # a wrong pattern is found now

    @cached_property
    def _ways(self) -> Mapping[str, tuple[_Way, ...]]:
        return {
            locale: tuple(way for one in some for way in _expand(one, locale, self.choices, self.found))
            for locale, some in self.sentences.items()
        }

    @cached_property
    def literals(self) -> tuple[str, ...]:
        """The words of all sentences as they stand in them, without slots, each stretch once."""
        runs: dict[str, None] = {}
        for locale, ways in self._ways.items():
            for way in ways:
                for slot, run in itertools.groupby(way, lambda part: isinstance(part, _Slot)):
                    if not slot:
                        runs[("" if locale == "zh" else " ").join(str(part) for part in run)] = None
        return tuple(runs)

    @cached_property
    def _kinds(self) -> Mapping[str, str]:
        """argument -> kind, whichever pattern names it."""
        return {part.name: part.kind for ways in self._ways.values() for way in ways for part in way if isinstance(part, _Slot)}

    @cached_property
    def _choices(self) -> Mapping[str, Mapping[str, str | bool]]:
        """With the words in their plain form."""
        return {
            name: {plain(words, "zh" if has_chinese(words) else "en"): value for words, value in some.items()}
            for name, some in self.choices.items()
        }

    def __call__(self, text: str, locale: str, context: Context) -> Match | None:
        reading = Reading(text, locale)
        tokens = list(_TOKEN.finditer(reading.core))
        if not tokens or len(tokens) > MAX_WORDS:
            return None
        best: Match | None = self._answer(reading.core, reading.locale, tokens, context)
        for way in self._ways.get(reading.locale, ()):
            for start in range(len(tokens)):
                found = self._matched(way, tokens, start, reading.core, reading.locale)
                if found is None:
                    continue
                end, arguments, grounds = found
                whole = Reading(text, locale)
                whole.slot(_Stretch((tokens[start].start(), tokens[end - 1].end())))
                match = self._match(whole.score(BASE), arguments, grounds, reading.locale, context)
                if match is None:
                    continue
                if best is None or match.score > best.score:
                    best = match
        return best

    def _match(
        self, score: float, arguments: dict[str, object], grounds: dict[str, str], locale: str, context: Context
    ) -> Match | None:
        """None where these words point at something that nothing has found."""
        after: tuple[int, ...] = ()
        for name in [name for name, value in arguments.items() if value is _POINTS]:
            del arguments[name], grounds[name]
            at, value = self._found(name, context)
            if at is not None:
                grounds[name], after = f"result:{name}", (at,)
            elif value is not None:
                arguments[name], grounds[name] = value, "context:recent"
            elif name not in self.required:
                return None
        for name, value in self.defaults.items():
            if name not in arguments:
                arguments, grounds = arguments | {name: value}, grounds | {name: f"default:{value}"}
        missing = tuple(name for name in self.required if name not in arguments and name not in grounds)
        return Match(
            self.capability, score, arguments, grounds, missing, self.questions.get(locale, "") if missing else "", after
        )

    def _found(self, name: str, context: Context) -> tuple[int | None, object]:
        """(which earlier call of this sentence is to find it, or what the last request found)."""
        sources = self.found.get(name, ())
        for at in reversed(range(len(context.before))):
            if context.before[at].capability in sources and not context.before[at].missing:
                return at, None
        last = context.recent[0] if context.recent else None
        near = last is not None and last.capability in sources and last.asked_ms_ago <= FOUND_WITHIN_MS
        return None, last.gave.get(name) if near and last is not None else None

    def _answer(self, core: str, locale: str, tokens: list[re.Match[str]], context: Context) -> Match | None:
        """A value and nothing else: the answer to our own question."""
        asked = context.recent[0] if context.recent else None
        if asked is None or asked.capability != self.capability or asked.outcome is not Outcome.ASKS:
            return None
        if asked.asked_ms_ago > ANSWER_WITHIN_MS:
            return None
        if self.confirms and all(name in asked.arguments for name in self.required) and answer(core, locale) is True:
            return self._match(1.0, dict(asked.arguments), dict.fromkeys(asked.arguments, "context:asked"), locale, context)
        wanted = [name for name in (*self.required, *self.defaults) if name not in asked.arguments and name in self._kinds]
        if not wanted:
            return None
        found = self._matched((_Slot(wanted[0], self._kinds[wanted[0]]),), tokens, 0, core, locale)
        if found is None or found[0] != len(tokens):
            return None
        _, arguments, grounds = found
        earlier = {name: value for name, value in asked.arguments.items() if name not in arguments}
        grounds = grounds | dict.fromkeys(earlier, "context:asked")
        return self._match(BASE, earlier | arguments, grounds, locale, context)

    def _matched(
        self, way: _Way, tokens: list[re.Match[str]], start: int, core: str, locale: str
    ) -> tuple[int, dict[str, object], dict[str, str]] | None:
        """(token after the last, arguments, grounds) of the way at this token."""
        dead: set[tuple[int, int]] = set()

        def follow(part: int, at: int) -> tuple[int, dict[str, object], dict[str, str]] | None:
            if part == len(way):
                return at, {}, {}
            if (part, at) in dead or at >= len(tokens):
                return None
            wanted = way[part]
            if isinstance(wanted, str):
                if tokens[at].group() == wanted and (rest := follow(part + 1, at + 1)) is not None:
                    return rest
            else:
                for end in self._ends(wanted, at, len(tokens)):
                    words = core[tokens[at].start() : tokens[end - 1].end()]
                    value = self._value(wanted, words, locale)
                    if value is not None and (rest := follow(part + 1, end)) is not None:
                        return rest[0], rest[1] | {wanted.name: value}, rest[2] | {wanted.name: words}
            dead.add((part, at))
            return None

        return follow(0, start)

    def _ends(self, slot: _Slot, at: int, count: int) -> Iterator[int]:
        """Where a slot's words may end, longest first."""
        if slot.kind == "text":
            yield count
        else:
            yield from range(min(count, at + MAX_SLOT_WORDS), at, -1)

    def _value(self, slot: _Slot, words: str, locale: str) -> object | None:
        """None where these words, as a whole, are no such value."""
        match slot.kind:
            case "choice":
                return self._choices.get(slot.name, {}).get(words)
            case "text":
                return words
            case "found":
                return _POINTS if words in _FOUND[locale] else None
            case "number":
                number = parse_number(words, locale)
                return _tidy(number.value) if number is not None and not number.ordinal and number.words == words else None
            case "percent":
                percent = find_percent(words, locale)
                if percent is not None and percent.words == words:
                    return None if percent.vague and percent.value < 50 else _tidy(percent.value)  # "a bit" says how much more
                if (beyond := any_percent(words, locale)) is not None:
                    return _tidy(beyond)
                number = parse_number(words, locale)
                return _tidy(number.value) if number is not None and number.words == words else None
            case _:
                duration = find_duration(words, locale)
                return round(duration.duration_s) if duration is not None and duration.words == words else None

    def as_data(self) -> dict[str, object]:
        """JSON that `from_data` makes the same of."""
        return {
            "capability": self.capability,
            "sentences": {locale: list(some) for locale, some in self.sentences.items()},
            "required": list(self.required),
            "questions": dict(self.questions),
            "choices": {name: dict(some) for name, some in self.choices.items()},
            "defaults": dict(self.defaults),
            "found": {name: list(skills) for name, skills in self.found.items()},
            "confirms": self.confirms,
        }

    @staticmethod
    def from_data(data: object) -> Patterns:
        """Raises PatternError for anything that `as_data` does not give."""
        if not isinstance(data, dict):
            raise PatternError("the patterns are no object.")
        capability, required = data.get("capability"), data.get("required", [])
        sentences, choices, defaults = data.get("sentences"), data.get("choices", {}), data.get("defaults", {})
        found = data.get("found", {})
        fits = (
            isinstance(capability, str)
            and isinstance(sentences, dict)
            and all(_texts(some) for some in sentences.values())
            and _texts(required)
            and isinstance(choices, dict)
            and all(_words(some, bool) for some in choices.values())
            and isinstance(defaults, dict)
            and all(isinstance(value, bool | int | float | str) for value in defaults.values())
            and _words(data.get("questions", {}))
            and isinstance(found, dict)
            and all(_texts(some) and len(some) <= MAX_FOUND for some in found.values())
            and isinstance(data.get("confirms", False), bool)
        )
        if not fits:
            raise PatternError("the patterns hold something other than texts.")
        assert isinstance(capability, str) and isinstance(sentences, dict)
        return Patterns(
            capability, {locale: tuple(some) for locale, some in sentences.items()}, tuple(required),
            dict(data.get("questions", {})), choices, defaults, {name: tuple(some) for name, some in found.items()}, data.get("confirms", False),
        )  # fmt: skip


def patterns(
    capability: str,
    *,
    en: tuple[str, ...] = (),
    zh: tuple[str, ...] = (),
    required: tuple[str, ...] = (),
    questions: Mapping[str, str] | None = None,
    choices: Mapping[str, Mapping[str, str | bool]] | None = None,
    defaults: Mapping[str, bool | int | float | str] | None = None,
    found: Mapping[str, tuple[str, ...]] | None = None,
    confirms: bool = False,
) -> Patterns:
    """Raises PatternError where a sentence can't be read as a pattern."""
    return Patterns(
        capability, {"en": en, "zh": zh}, required, questions or {}, choices or {}, defaults or {}, found or {}, confirms
    )


def _expand(
    pattern: str, locale: str, choices: Mapping[str, Mapping[str, str | bool]], sources: Mapping[str, object]
) -> Iterator[_Way]:
    """Every sentence that a pattern stands for."""
    if len(pattern) > MAX_PATTERN_CHARS:
        raise PatternError(f"a pattern of {len(pattern)} characters is too long; {MAX_PATTERN_CHARS} are allowed.")
    pieces = list(_PIECE.finditer(pattern))
    _whole(pattern, pieces)
    parts: list[list[_Way]] = []
    for piece in pieces:
        one_of, left_out, words = piece.groups()
        ways = [_sequence(some, pattern, locale, choices) for some in (one_of or left_out or words).split("|")]
        parts.append([(), *ways] if left_out is not None else ways)
    if math.prod(map(len, parts)) > MAX_WAYS:
        raise PatternError(f"the pattern {pattern!r} stands for more than {MAX_WAYS} sentences; split it.")
    for found in itertools.product(*parts):
        way = tuple(itertools.chain.from_iterable(found))
        slots = [part for part in way if isinstance(part, _Slot)]
        if len(slots) == len(way):
            raise PatternError(f"the pattern {pattern!r} can be a bare slot, which would claim every sentence; give it a word.")
        if len(slots) > MAX_SLOTS:
            raise PatternError(f"the pattern {pattern!r} has more than {MAX_SLOTS} slots; leave some out.")
        if sum(slot.kind == "found" for slot in slots) > 1:
            raise PatternError(f"the pattern {pattern!r} has more than one slot of kind found; leave one.")
        if unknown := next((slot.name for slot in slots if slot.kind == "found" and not sources.get(slot.name)), None):
            raise PatternError(f"the pattern {pattern!r} takes {unknown!r} from a result, for which `found` names no skill.")
        if any(isinstance(part, _Slot) and part.kind == "text" for part in way[:-1]):
            raise PatternError(f"the pattern {pattern!r} has something behind a text, which goes to the end.")
        yield way


def _sequence(some: str, pattern: str, locale: str, choices: Mapping[str, Mapping[str, str | bool]]) -> _Way:
    """Words and slots, without alternatives."""
    pieces = list(_PART.finditer(some))
    if "".join(piece.group() for piece in pieces) != some:
        _whole(pattern, [])
    way: list[str | _Slot] = []
    for piece in pieces:
        name, kind, words = piece.groups()
        if name is None:
            way += _literal(words, locale)
            continue
        if kind not in KINDS:
            raise PatternError(f"the pattern {pattern!r} has a slot of kind {kind!r}; the kinds are {', '.join(KINDS)}.")
        if kind == "choice" and not choices.get(name):
            raise PatternError(f"the pattern {pattern!r} has the choice {name!r}, for which `choices` has no words.")
        way.append(_Slot(name, kind))
    return tuple(way)


def _whole(pattern: str, pieces: list[re.Match[str]]) -> None:
    if not pieces or "".join(piece.group() for piece in pieces) != pattern:
        raise PatternError(f"the pattern {pattern!r} can't be read: check its (), [] and {{name:kind}}.")


def _literal(words: str, locale: str) -> tuple[str, ...]:
    return tuple(token.group() for token in _TOKEN.finditer(plain(words, locale)))


def _tidy(value: float) -> int | float:
    return int(value) if value == int(value) else value


def _texts(value: object) -> bool:
    return isinstance(value, list | tuple) and all(isinstance(one, str) for one in value)


def _words(value: object, *also: type) -> bool:
    return isinstance(value, dict) and all(isinstance(key, str) and isinstance(one, (str, *also)) for key, one in value.items())
