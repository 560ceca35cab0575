"""What may be captured: a source has consent, or nothing is taken from it. Sans-IO.

    Granted | Withdrawn  ->  Consents.on(event)  ->  the news for the cloud, or nothing new

What the cloud is told is a change, and once, at the beginning, what nobody has agreed to; over a new link it is told again (`state`), since its session may be new.
Consent is for one device of a kind, by its name: where another one answers in its place (the phone's microphone, when the glasses are switched
off), nobody has agreed to that, and it is not captured. A source that was never spoken of is not captured.
Does not know devices, mute (the unit builder's), or who agreed.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import assert_never

from ridealong.proto import types as t
from ridealong.proto.types import Consent, Samples


class Source(Enum):
    MICROPHONE = t.MICROPHONE
    CAMERA = t.CAMERA


@dataclass(frozen=True, slots=True)
class Granted:
    source: Source
    name: str
    at: Samples


@dataclass(frozen=True, slots=True)
class Withdrawn:
    source: Source
    at: Samples


Event = Granted | Withdrawn


@dataclass(slots=True)
class Consents:
    """`refused`: how often something stood ready that nobody had agreed to."""

    refused: int = 0
    _granted: dict[Source, str] = field(default_factory=dict)
    _told: set[Source] = field(default_factory=set)

    def on(self, event: Event) -> list[Consent]:
        match event:
            case Granted(source=source, name=name, at=at):
                if self._granted.get(source) == name:
                    return []
                self._granted[source] = name
                self._told.add(source)
                return [Consent(at, source.value, True)]
            case Withdrawn(source=source, at=at):
                if self._granted.pop(source, None) is None and source in self._told:
                    return []
                self._told.add(source)
                return [Consent(at, source.value, False)]
            case _:
                assert_never(event)

    def state(self, at: Samples) -> list[Consent]:
        """All that the cloud was told, as it is now."""
        return [Consent(at, source.value, source in self._granted) for source in Source if source in self._told]

    def given(self, source: Source) -> str | None:
        """The device of this kind that has consent."""
        return self._granted.get(source)

    def may(self, source: Source, name: str) -> bool:
        """This very device may be captured now."""
        allowed = self._granted.get(source) == name
        self.refused += not allowed
        return allowed
