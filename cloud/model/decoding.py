"""What becomes of each drawn id: fed or not, spoken or not, and when a unit ends. Sans-IO: no tensors, no clock, no random numbers.

    begin(force_listen) / drew(id)  ->  [Feed(id, ...), Draw() | Close(terminator)]

`UnitRules` lives as long as its session: turns and delegate spans go on from unit to unit. Source: spec model.md 3.4, 3.7; venus.md B2.
Knows ids and a way to read them as text; not how an id is drawn (`sampling`) nor what is done with what is fed.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from ridealong.cloud.model.tokens import DelegationIds, ProtocolIds


@dataclass(frozen=True, slots=True)
class Decoding:
    """How a session draws and when it stops.

    `cap`: ids of a unit, its terminator among them. `max_chars`: a unit's spoken text stays shorter than this. `length_penalty`: below 1
    turns end sooner. `listen_scale`: factor of the odds to listen. `listen_top_k`: listen at once where listening is among the so many
    likeliest. `force_listen_units`: so many units at the start only listen. `top_k` 0: all. `penalty`, `penalty_window`: of ids drawn before.
    `reference_parity`: what the published code does wrong is done wrong again (spec model.md, "surprises" 1, 2, 5 and 3.4 item 8).
    """

    greedy: bool = False
    temperature: float = 0.7
    top_k: int = 20
    top_p: float = 0.8
    penalty: float = 1.05
    penalty_window: int = 512
    length_penalty: float = 1.0
    listen_scale: float = 1.0
    listen_top_k: int = 0
    cap: int = 20
    max_chars: int | None = None
    force_listen_units: int = 0
    reference_parity: bool = False

    def __post_init__(self) -> None:
        for name in ("temperature", "top_p", "penalty", "length_penalty", "listen_scale"):
            if not 0 < getattr(self, name) < float("inf"):
                raise ValueError(f"{name} must be above 0; it is {getattr(self, name)}")
        for name, least in (("top_k", 0), ("penalty_window", 0), ("listen_top_k", 0), ("cap", 1), ("force_listen_units", 0)):
            if getattr(self, name) < least:
                raise ValueError(f"{name} must be at least {least}; it is {getattr(self, name)}")
        if self.max_chars is not None and self.max_chars < 1:
            raise ValueError(f"max_chars must be at least 1, or None; it is {self.max_chars}")


HUB: Final = Decoding()
DEMO: Final = replace(HUB, length_penalty=1.1, max_chars=28, force_listen_units=3)
VENUS: Final = replace(HUB, cap=50)
PRESETS: Final = {"hub": HUB, "demo": DEMO, "venus": VENUS}


MOST_REQUEST_IDS: Final = 12_000
"""Of one delegate span: a harness takes 4,000 characters, and none is more than three ids. What follows isn't kept."""


@dataclass(frozen=True, slots=True)
class Feed:
    """Feed this id to the language model. `spoken`: its state there goes to the talker, with the id."""

    token: int
    spoken: bool


@dataclass(frozen=True, slots=True)
class Draw:
    """Draw the next id from the logits of what was fed last."""


@dataclass(frozen=True, slots=True)
class Close:
    """The unit is over: feed the terminator and the end of the unit, now or with the next unit's beginning."""

    terminator: int


Effect = Feed | Draw | Close


@dataclass(frozen=True, slots=True)
class Outcome:
    """A closed unit. `words`: ids of the text shown and said, turn_eos among them. `talker`: those whose states the talker gets.

    `delegates`: the ids of each delegate span that was closed in this unit. `delegate_opened`: one was opened, so that what was said before
    it is complete and needn't wait for more. `interrupted`: an open turn was cut; the talker and the vocoder begin anew. `refused`: spans
    that ended in this unit and are no request: empty, too long, or with another's marker in them.
    `turn_open`: the turn goes on in the next unit.
    """

    is_listen: bool
    end_of_turn: bool
    words: tuple[int, ...]
    talker: tuple[int, ...]
    delegates: tuple[tuple[int, ...], ...]
    delegate_opened: bool
    interrupted: bool
    terminator: int
    refused: int = 0
    turn_open: bool = False


@dataclass(slots=True)
class _Unit:
    draws: int = 0
    words: list[int] = field(default_factory=list)
    talker: list[int] = field(default_factory=list)
    delegates: list[tuple[int, ...]] = field(default_factory=list)
    delegate_opened: bool = False
    interrupted: bool = False
    refused: int = 0
    last: int | None = None
    terminator: int | None = None


class UnitRules:
    """One session's. Call `begin` when a unit's input is fed, then `drew` for every `Draw`, until it closes; then read `outcome`."""

    def __init__(
        self,
        ids: ProtocolIds,
        delegation: DelegationIds | None,
        settings: Decoding,
        text_of: Callable[[Sequence[int]], str],
    ) -> None:
        """text_of: the text of ids, without special names."""
        self._ids, self._delegation, self._settings, self._text_of = ids, delegation, settings, text_of
        self._stops = {ids.listen, ids.chunk_eos, ids.chunk_tts_eos}
        self._unit = _Unit(terminator=ids.listen)
        self._span: list[int] | None = None
        self._poisoned = False
        self.units = 0
        self.turn_open = False

    @property
    def delegating(self) -> bool:
        """A delegate span is open."""
        return self._span is not None

    def begin(self, force_listen: bool = False) -> list[Effect]:
        """A unit's input has been fed. force_listen: say nothing in it, and break off what is being said."""
        if self._unit.terminator is None:
            raise RuntimeError("the unit before isn't closed")
        self._unit = _Unit()
        self.units += 1
        if not (force_listen or self.units <= self._settings.force_listen_units):
            return self._next()
        return [*([Feed(self._ids.turn_eos, spoken=False)] if self._break_off() else []), self._close(self._ids.listen)]

    def give_up(self) -> list[Effect]:
        """In place of `drew`, where nothing can be drawn: what the unit said is taken back, and an open turn is over."""
        self._unit.words, self._unit.talker = [], []
        self._break_off()
        return [self._close(self._ids.listen)]

    def _break_off(self) -> bool:
        """True where a turn was open."""
        if not self.turn_open:
            return False
        self._unit.refused += self._span is not None  # an unfinished request is no request
        self._span = None
        self.turn_open = False
        self._unit.interrupted = True
        return True

    def copy(self) -> UnitRules:
        """As they are between two units."""
        other = copy.copy(self)
        other._span = None if self._span is None else list(self._span)
        return other

    def drew(self, token: int) -> list[Effect]:
        """The id that was drawn for the last `Draw`."""
        if self._unit.terminator is not None or self._unit.draws >= self._settings.cap - 1:
            raise RuntimeError("no draw was asked for")
        if token == self._ids.listen and self.turn_open:
            token = self._ids.tts_bos
        if token in self._stops:
            return [self._close(token)]
        first = self._unit.draws == 0
        self._unit.draws += 1
        private = self._follow_span(token)
        counts = not (private or self._is_control(token, first))
        if counts and self._too_long(token):
            return [self._close(self._ids.chunk_eos)]
        if counts:
            self._unit.words.append(token)
            self._unit.talker.append(token)
        self._unit.last = token
        self.turn_open = token != self._ids.turn_eos
        return [Feed(token, spoken=counts), *self._next()]

    def outcome(self) -> Outcome:
        """Of the unit that was closed last."""
        unit = self._unit
        if unit.terminator is None:
            raise RuntimeError("the unit isn't closed")
        heard = unit.terminator == self._ids.listen
        if heard and not self._settings.reference_parity:
            heard = not unit.talker  # what was said before a late listen is still said
        return Outcome(
            is_listen=heard,
            end_of_turn=unit.last == self._ids.turn_eos,
            words=tuple(unit.words),
            talker=tuple(unit.talker),
            delegates=tuple(unit.delegates),
            delegate_opened=unit.delegate_opened,
            interrupted=unit.interrupted,
            terminator=unit.terminator,
            refused=unit.refused,
            turn_open=self.turn_open,
        )

    def _next(self) -> list[Effect]:
        return [Draw()] if self._unit.draws < self._settings.cap - 1 else [self._close(self._ids.chunk_eos)]

    def _close(self, terminator: int) -> Close:
        self._unit.terminator = terminator
        return Close(terminator)

    def _is_control(self, token: int, first: bool) -> bool:
        """The reference leaves out the first id whatever it is, and thereby a word where a unit goes on without speak; and no other id."""
        if self._settings.reference_parity:
            return first
        return token in (self._ids.speak, self._ids.tts_bos)

    def _too_long(self, token: int) -> bool:
        most = self._settings.max_chars
        return most is not None and len(self._text_of([*self._unit.words, token])) >= most

    def _follow_span(self, token: int) -> bool:
        """Keeps the delegate span up to date; True for an id that belongs to one, markers included, and must not be heard."""
        names = self._delegation
        if names is None:
            return False
        if token == names.delegate_open:
            if self._span is not None:
                self._poisoned = True  # a request within a request is neither
            else:
                self._span, self._poisoned = [], False
                self._unit.delegate_opened = True
            return True
        if token in (names.delegate_close, self._ids.turn_eos):
            if self._span and not self._poisoned:
                self._unit.delegates.append(tuple(self._span))
            else:
                self._unit.refused += self._span is not None
            self._span = None
            return token == names.delegate_close
        if token in (names.backend_open, names.backend_close):
            self._poisoned = True
            return True  # the model may not answer itself
        if self._span is None:
            return False
        if token not in (self._ids.speak, self._ids.tts_bos):
            self._poisoned |= len(self._span) >= MOST_REQUEST_IDS
            if not self._poisoned:
                self._span.append(token)
        return True
