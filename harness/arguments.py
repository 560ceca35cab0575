"""From a typed function to a contract: its parameters are the arguments, their types the schema and the kinds of slots.

    async def set_scent(call: Call, level: Percent, scent: Literal["pine", "citrus"] = "pine") -> Spoken: …

Types: `Percent`, `Celsius`, `Seconds`, `Text`; a whole or real number with its range (`Annotated[int, Range(1, 7)]`); `bool`; `Literal[…]` or an Enum of texts for
one of a few, whose spoken words are `Annotated[…, Words({"pine": ("pine", "松木")})]` (else the values themselves). A parameter with a default need not be said.
What is wrong with a function is found when it is declared, as one sentence. Does not know registries, routers, or what a value means.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from types import FunctionType
from typing import Annotated, Any, Final, Literal, get_args, get_origin, get_type_hints

from ridealong.harness.patterns import PatternError, Patterns, patterns
from ridealong.harness.permission import ELSEWHERE
from ridealong.harness.skill import Call, Confirmation, ContractError, Recognise, Skill, SkillFunction, Spoken
from ridealong.harness.spoken_values import spoken_values
from ridealong.harness.telling import ask, refused


@dataclass(frozen=True, slots=True)
class Range:
    """The least and the most of a number, both allowed."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Words:
    """value -> how people say it, in any language."""

    of: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class SpokenAs:
    """The kind of slot (harness/patterns.py) and the unit, for a model or a person who reads the schema."""

    kind: str
    unit: str = ""


Percent = Annotated[int, Range(0, 100), SpokenAs("percent", "percent")]
Celsius = Annotated[float, Range(14, 30), SpokenAs("number", "degrees Celsius")]
Seconds = Annotated[int, Range(1, 86_400), SpokenAs("duration", "seconds")]
ON_OFF: Final = Words({"true": ("on", "开", "打开"), "false": ("off", "关", "关掉", "关闭")})
"""Of a bool: what its values are called where it says nothing else."""
Text = Annotated[str, SpokenAs("text", "the user's own words")]

_SLOT: Final = re.compile(r"\{([a-z][a-z0-9_]*)(?::([a-z]+))?\}")
_DOING: Final = {"en": "do that", "zh": "这样做"}
_ASKS: Final = {"en": "How exactly would you like that?", "zh": "具体要怎样？"}


@dataclass(frozen=True, slots=True)
class Declared:
    """What a function says of itself."""

    run: SkillFunction
    recognise: Recognise
    schema: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class _Argument:
    name: str
    entry: Mapping[str, object]
    kind: str
    words: Mapping[str, str | bool]  # spoken -> value, of a choice
    made: Callable[[Any], object]
    required: bool


def declared(
    name: str,
    run: Callable[..., Awaitable[Spoken]],
    recognise: Recognise | None,
    says: Mapping[str, tuple[str, ...]] | None,
    asks: Mapping[str, Mapping[str, str]],
    schema: Mapping[str, object] | None,
    confirms: bool = False,
) -> Declared:
    """Raises ContractError."""
    arguments = _arguments(name, run) if schema is None else ()
    if recognise is None and says is None:
        raise ContractError(f"{name} is recognised by nothing: give it `says`, sentences in en and zh.")
    if recognise is not None and says is not None:
        raise ContractError(f"{name} has both `says` and `recognise`: give it one of them.")
    if recognise is None:
        recognise = _patterns(name, says or {}, arguments, asks, confirms)
    if schema is not None:
        return Declared(run, recognise, schema)
    properties = {one.name: one.entry for one in arguments}
    made = {"type": "object", "properties": properties, "required": [one.name for one in arguments if one.required],
            "additionalProperties": False}  # fmt: skip
    return Declared(_typed(run, arguments), recognise, made)


def _typed(run: Callable[..., Awaitable[Spoken]], arguments: tuple[_Argument, ...]) -> SkillFunction:
    async def typed(call: Call) -> Spoken:
        return await run(
            call, **{one.name: one.made(call.arguments[one.name]) for one in arguments if one.name in call.arguments}
        )

    if isinstance(run, FunctionType):
        typed.__name__, typed.__qualname__, typed.__module__ = run.__name__, run.__qualname__, run.__module__
    return typed


def asking_first(skill: Skill) -> SkillFunction:
    """What acts, behind the policy's quick answer and, where the contract demands one, our own question. The car decides all the same."""
    run = skill.run
    group = skill.group if any(":" not in path for path in skill.actuates) else ELSEWHERE

    async def guarded(call: Call) -> Spoken:
        needed = max(call.confirmation, Confirmation.SAID_BACK, skill.confirmation, key=lambda one: one.rank)
        verdict = call.signals.check(group, needed)
        doing = {locale: skill.doing.get(locale) or words for locale, words in _DOING.items()}
        if not verdict.allowed and verdict.reason != "needs_confirmation":
            return refused(verdict.reason, doing["en"], doing["zh"], call.locale)
        asks = Confirmation.EXPLICIT in (skill.confirmation, verdict.needs)
        if asks and call.confirmation is not Confirmation.EXPLICIT:
            en, zh = _values(skill, call, "en"), _values(skill, call, "zh")
            en, zh = f": {en}" if en else "", f"，{zh}，对吗" if zh else "吗"
            return ask(f"Shall I {doing['en']}{en}?", f"要我{doing['zh']}{zh}？", call.locale, "needs_confirmation")
        return await run(call)

    return guarded


def _values(skill: Skill, call: Call, locale: str) -> str:
    """ "30 percent, pine": nobody agrees to a value that they have not heard."""
    words = skill.recognise.choices if isinstance(skill.recognise, Patterns) else {}
    return spoken_values(call.arguments, skill.arguments_schema, words, locale)


def _arguments(name: str, run: Callable[..., Awaitable[Spoken]]) -> tuple[_Argument, ...]:
    try:
        hints = get_type_hints(run, include_extras=True)
        parameters = list(inspect.signature(run).parameters.values())
    except (NameError, TypeError, ValueError) as error:
        raise ContractError(f"{name}: the types of its function can't be read ({error}).") from error
    if not parameters:
        raise ContractError(f"{name}: its function must take the call first: `async def {name.rpartition('.')[2]}(call: Call)`.")
    if not inspect.iscoroutinefunction(run):
        raise ContractError(f"{name}: its function must be `async def`.")
    found = []
    for parameter in parameters[1:]:
        if parameter.kind not in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
            raise ContractError(f"{name}: an argument can't be *args or **kwargs; name each.")
        if parameter.name not in hints:
            raise ContractError(f"{name}: the argument {parameter.name!r} has no type.")
        found.append(_argument(name, parameter, hints[parameter.name]))
    return tuple(found)


def _argument(skill: str, parameter: inspect.Parameter, hint: object) -> _Argument:
    def wrong(what: str) -> ContractError:
        return ContractError(f"{skill}: the argument {parameter.name!r} {what}.")

    notes: tuple[object, ...] = ()
    if get_origin(hint) is Annotated:
        hint, *rest = get_args(hint)
        notes = tuple(rest)
    spoken = next((one for one in notes if isinstance(one, SpokenAs)), None)
    span = next((one for one in notes if isinstance(one, Range)), None)
    said = next((one for one in notes if isinstance(one, Words)), None)
    entry: dict[str, object] = {}
    values: tuple[str, ...] = ()
    made: Callable[[Any], object] = lambda value: value  # noqa: E731
    if get_origin(hint) is Literal:
        values = get_args(hint)
    elif isinstance(hint, type) and issubclass(hint, Enum):
        values, made = tuple(one.value for one in hint), hint
    if values:
        if not all(isinstance(one, str) for one in values):
            raise wrong("is one of a few values, which must be texts")
        entry, kind = {"type": "string", "enum": list(values)}, "choice"
    elif hint is bool:
        entry, kind, values = {"type": "boolean"}, "choice", ("true", "false")
        said = said or ON_OFF
    elif hint in (int, float):
        if span is None:
            raise wrong("is a number without limits: write Annotated[int, Range(0, 100)], or Percent")
        entry = {"type": "integer" if hint is int else "number", "minimum": span.low, "maximum": span.high}
        kind = spoken.kind if spoken is not None else "number"
        made = _exactly(int) if hint is int else float
    elif hint is str:
        if spoken is None:
            raise wrong("is any text: give it Literal[…] with the values that there are, or Text where any words will do")
        entry, kind = {"type": "string"}, spoken.kind
    else:
        raise wrong(f"is of a type that can't be spoken ({getattr(hint, '__name__', hint)})")
    if spoken is not None and spoken.unit:
        entry["description"] = spoken.unit
    required = parameter.default is inspect.Parameter.empty
    if not required:
        entry["default"] = parameter.default.value if isinstance(parameter.default, Enum) else parameter.default
    words: dict[str, str | bool] = {
        word: value == "true" if hint is bool else value
        for value in values
        for word in (said.of.get(value, ()) if said is not None else (value.replace("_", " "),))
    }
    if said is not None and (strange := set(said.of) - set(values)):
        raise wrong(f"has words for {sorted(strange)}, which it can't be")
    return _Argument(parameter.name, entry, kind, words, made, required)


def _exactly(kind: type[int]) -> Callable[[Any], object]:
    def made(value: Any) -> object:
        return kind(value)

    return made


def _patterns(
    name: str,
    says: Mapping[str, tuple[str, ...]],
    arguments: tuple[_Argument, ...],
    asks: Mapping[str, Mapping[str, str]],
    confirms: bool,
) -> Patterns:
    known = {one.name: one for one in arguments}

    def kinded(sentence: str) -> str:
        def slot(found: re.Match[str]) -> str:
            argument = known.get(found.group(1))
            if argument is None:
                raise ContractError(
                    f"{name}: the sentence {sentence!r} names {{{found.group(1)}}}, which its function does not take."
                )
            return f"{{{found.group(1)}:{found.group(2) or argument.kind}}}"

        return _SLOT.sub(slot, sentence)

    required = tuple(one.name for one in arguments if one.required)
    strange = [one for one in asks if one not in known]
    if strange:
        raise ContractError(f"{name}: `asks` has a question for {strange[0]!r}, which its function does not take.")
    question = asks.get(required[0], _ASKS) if required else {}
    try:
        return patterns(
            name,
            en=tuple(map(kinded, says.get("en", ()))),
            zh=tuple(map(kinded, says.get("zh", ()))),
            required=required,
            questions=question,
            choices={one.name: one.words for one in arguments if one.kind == "choice" and one.words},
            defaults={one.name: one.entry["default"] for one in arguments if "default" in one.entry},  # type: ignore[misc]
            confirms=confirms,
        )
    except PatternError as error:
        raise ContractError(f"{name}: {error}") from error
