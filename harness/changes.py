"""What of a call later words may change: "make it thirty", "the other way round", "back to what it was". A part of a skill's contract.

A skill says which of its arguments is an amount and in what it is measured, which places it has, and what its opposite and its undoing are.
Does not know the words (follow_words.py), or which call they are about (following.py).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ridealong.proto.types import SignalReading

if TYPE_CHECKING:
    from ridealong.harness.skill import Context

Arguments = Mapping[str, object]
Reads = Callable[[str], SignalReading | None]
Another = tuple[str, Arguments]
"""A capability with all of its arguments."""


def as_said(*units: str) -> Callable[[float, str, Arguments, Reads], float | None]:
    """The value in the argument's own unit, which is one of these or none that was said."""
    return lambda value, unit, arguments, read: value if unit in ("", *units) else None


def to_open(open_it: bool, zh: bool) -> tuple[str, ...]:
    """`Changes.frames` of what opens and closes."""
    return (("打开{}" if open_it else "关上{}") if zh else ("open the {}" if open_it else "close the {}"),)


def to_switch(on: bool, zh: bool) -> tuple[str, ...]:
    """`Changes.frames` of what is on or off."""
    return (("打开{}" if on else "关掉{}") if zh else ("turn on the {}" if on else "turn off the {}"),)


@dataclass(frozen=True, slots=True)
class Amount:
    """`value`: a number with its unit (follow_said.UNITS) as the argument has it, None where it can't be one. `size`: likewise for a step,
    whose number may be None ("a bit", "a lot": the manner). `of`: the words of a step that fit. `stepped`: the capability and argument
    that take steps, else the argument itself is moved. `is_step`: the argument is itself a step."""

    argument: str
    least: float
    most: float
    of: frozenset[str]
    value: Callable[[float, str, Arguments, Reads], float | None]
    size: Callable[[float | None, str, str, Arguments, Reads], float | None]
    whole: bool = True
    proportional: bool = True
    stepped: Another | None = None
    is_step: bool = False
    implied: bool = False
    """The call has no such argument: steps alone are taken, by `stepped`. "Turn it down" after "play some music"."""
    up_is_less: bool = False
    """A window that goes up is less open."""


@dataclass(frozen=True, slots=True)
class Changes:
    """`places`: the zones that the argument "zone" may be; `placed`: which of them words name, from where it was before. `state`: the call for on or open (True), off or closed. `turned`: for the other
    way round. `undone`: the calls that put it back, with what the car showed before. `other`: "the other one", "the back one" where
    it is no zone: from the words."""

    amount: Amount | None = None
    places: frozenset[str] = field(default_factory=frozenset)
    placed: Callable[[str, str, str, Context], tuple[str, ...]] | None = None
    """(words, locale, zone before, context); () where they name none, or one that there is not."""
    state: Callable[[Arguments, bool], Another | None] | None = None
    turned: Callable[[Arguments], Another | None] | None = None
    stepped: Callable[[Arguments, bool], Another | None] | None = None
    """(arguments, up): the call one step further, of what has steps and no amount: "a notch lower"."""
    undone: Callable[[Arguments, Reads], tuple[Another, ...]] | None = None
    ended: Callable[[Arguments], Another] | None = None
    """(arguments): what ends it, once it is done: "cancel that", of a destination (ended.py). None: it is nothing that goes on."""
    other: Callable[[Arguments, str, Reads], Another | None] | None = None
    chosen: Callable[[Arguments, str, bool], Another | None] | None = None
    """(arguments, words, Chinese): the call with another of its values, where the whole of the words names one: "automatic" (chosen.py)."""
    frames: Callable[[Arguments, bool], tuple[str, ...]] | None = None
    """(arguments, Chinese): how the like is asked of another thing, "open the {}" (anew.py)."""
