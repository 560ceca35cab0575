"""Who spoke, to whom, and whether they cut in: what the model itself doesn't tell. With the embedded listener, or without it.

`Listening` (setting frontend.ears) is the cascade's: voice activity, turn model, recognition and judgement, by composition. `DeviceEars` has only the
device's own voice activity, and knows no word: near voice of TAKES_MS over our speech is an interruption, less is a backchannel; whoever asks for
something is UNKNOWN, and so nothing is done in the car for them (vehicle_skills.policy).

Does not know the model, turns, or what follows from a verdict.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Final, Protocol

from ridealong.cloud.frontends.base import (
    Addressee,
    BackendReply,
    Feedback,
    Floor,
    Heard,
    Output,
    Partial,
    PartIn,
    PartOutcome,
    Played,
    SpeechSlice,
    Verdict,
    VerdictKind,
)
from ridealong.cloud.frontends.mouth import Mouth
from ridealong.harness.skill import Provenance
from ridealong.proto.types import CLOCK_HZ, Samples, UtteranceId, samples_from_ms

TAKES_MS: Final = 800
GAP_MS: Final = 400
"""So long without near voice, and it is over."""
LATE_MS: Final = 2_000
"""What comes later is no answer to what we say now."""
ASKED_WITHIN: Final = Samples(20 * CLOCK_HZ)
"""A request of the model's is about words that ended no longer ago."""

Told = Partial | Verdict | Heard


class Ears(Protocol):
    """One per session, called by its front-end only."""

    verdict_latency_ms: int

    def on_part(self, part: PartIn, saying: str, busy: bool, feedback: list[Feedback]) -> list[Told]:
        """What has become known. `saying`, `busy`: what we say, and whether anything of ours sounds or is about to."""

    def asked(self, at: Samples) -> Heard:
        """Whose words a request at this time is about."""

    def voice_since(self, at: Samples) -> bool:
        """Somebody near has spoken since."""

    @property
    def undecided(self) -> bool:
        """Words are being recognised: whose they are will be known soon."""

    def offers(self) -> list[BackendReply]:
        """Sentences that somebody has to say, once."""

    def floor(self) -> Floor:
        """Without us."""

    def close(self) -> None: ...


def nobody(locale: str, at: Samples) -> Heard:
    """Words that nobody has heard."""
    return Heard("", locale, at, at, Addressee.ASSISTANT, Provenance.UNKNOWN)


@dataclass(slots=True)
class DeviceEars:
    """The device's voice activity alone."""

    locale: str = ""
    verdict_latency_ms: int = 1_500
    _began: Samples | None = None  # a voice over our speech
    _voiced: int = 0
    _ruled: bool = False
    _last: Samples | None = None  # the end of the last near voice
    _now: Samples = Samples(0)

    def on_part(self, part: PartIn, saying: str, busy: bool, feedback: list[Feedback]) -> list[Told]:
        end = self._now = Samples(max(self._now, part.start + part.samples))
        if part.late_ms > LATE_MS or not busy:
            self._began = None
        if part.samples and part.speech_hint and part.late_ms <= LATE_MS:
            self._last = end
            if busy and self._began is None:
                self._began, self._voiced, self._ruled = part.start, 0, False
            self._voiced += part.samples
            if self._began is not None and not self._ruled and self._voiced >= samples_from_ms(TAKES_MS):
                self._ruled = True
                return [Verdict(VerdictKind.INTERRUPTION, self._began, end)]
        elif self._began is not None and (self._last is None or end - self._last >= samples_from_ms(GAP_MS)):
            began, ruled = self._began, self._ruled
            self._began = None
            return [] if ruled else [Verdict(VerdictKind.BACKCHANNEL, began, self._last or end)]
        return []

    def asked(self, at: Samples) -> Heard:
        return nobody(self.locale, at)

    def voice_since(self, at: Samples) -> bool:
        return self._last is not None and self._last > at

    @property
    def undecided(self) -> bool:
        return False

    def offers(self) -> list[BackendReply]:
        return []

    def floor(self) -> Floor:
        since = self._now - self._last if self._last is not None else None
        free = since is None or since >= samples_from_ms(GAP_MS)
        return Floor(free, 1e9 if since is None else since * 1000 / CLOCK_HZ)

    def close(self) -> None: ...


class Mute(Mouth):
    """In place of the cascade's mouth: says nothing, and tells what somebody else is saying. What it is asked to say is kept for them."""

    def __init__(self) -> None:
        self.sounds, self.text = False, ""
        self.asked_to_say: list[tuple[str, str]] = []

    @property
    def busy(self) -> bool:
        return self.sounds

    @property
    def engaged(self) -> bool:
        return self.sounds

    @property
    def emitting(self) -> bool:
        return False

    @property
    def saying(self) -> str:
        return self.text

    def say(self, text: str, locale: str, work_id: str = "", *, filler: bool = False) -> UtteranceId:
        self.asked_to_say.append((text, locale))
        return UtteranceId(0)

    def stop(self, at: Samples) -> list[str]:
        self.sounds, self.text = False, ""
        return []

    def prepare(self, text: str, locale: str) -> None: ...
    def pin(self, text: str, locale: str) -> None: ...
    def played(self, played: Played, at: Samples) -> None: ...

    def slices(self, at: Samples) -> list[SpeechSlice]:
        return []


class Listens(Protocol):
    """The cascade's front-end, as far as it only listens."""

    verdict_latency_ms: int

    def on_part(self, part: PartIn, replies: list[BackendReply], feedback: list[Feedback]) -> list[PartOutcome]: ...
    def floor(self) -> Floor: ...
    def close(self) -> None: ...


@dataclass(slots=True)
class Listening:
    """The embedded listener. `make`: one that speaks with the mouth it is given."""

    make: Callable[[Mute], Listens]
    locale: str = ""
    verdict_latency_ms: int = field(init=False)
    _mouth: Mute = field(init=False)
    _listens: Listens = field(init=False)
    _newest: Heard | None = None  # of words, not of noise

    def __post_init__(self) -> None:
        self._mouth = Mute()
        self._listens = self.make(self._mouth)
        self.verdict_latency_ms = self._listens.verdict_latency_ms

    def on_part(self, part: PartIn, saying: str, busy: bool, feedback: list[Feedback]) -> list[Told]:
        self._mouth.sounds, self._mouth.text = busy, saying
        told: list[Told] = []
        for outcome in self._listens.on_part(part, [], feedback):
            match outcome:
                case Partial() | Verdict():
                    told.append(outcome)
                case Output(heard=heard):
                    told += heard
                    spoken = [one for one in heard if one.addressee is not Addressee.NOBODY and one.text.strip()]
                    self._newest = spoken[-1] if spoken else self._newest
                case _:
                    pass
        return told

    def asked(self, at: Samples) -> Heard:
        """The newest words, ours or not: a request that the model makes of what was said to somebody else is theirs, and nobody may ask for it."""
        newest = self._newest
        if newest is None or at - newest.end > ASKED_WITHIN:
            return nobody(self.locale, at)
        return newest if newest.addressee is Addressee.ASSISTANT else replace(newest, provenance=Provenance.OVERHEARD)

    def voice_since(self, at: Samples) -> bool:
        return self.undecided or (self._newest is not None and self._newest.end > at)

    @property
    def undecided(self) -> bool:
        self._mouth.sounds, before = False, self._mouth.sounds
        free = self._listens.floor().free
        self._mouth.sounds = before
        return not free

    def offers(self) -> list[BackendReply]:
        said, self._mouth.asked_to_say = self._mouth.asked_to_say, []
        return [BackendReply("", text, locale) for text, locale in said]

    def floor(self) -> Floor:
        return Floor(not self.undecided, self._listens.floor().quiet_ms)

    def close(self) -> None:
        self._listens.close()
