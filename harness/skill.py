"""What a skill is: a typed async function with a contract. Public and stable; integrators import from here.

Does not know which skills exist (registry.py), how one is chosen (router.py), what a car is, or how speech is made.

A skill says what it did only through `Spoken`; the sentence is rendered from committed values, never from what was asked.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

from ridealong.harness.changes import Changes
from ridealong.harness.doing import WORK, Doing, NoWork, Work
from ridealong.harness.doubt import Doubts
from ridealong.harness.holds import ALWAYS, Holds, Near, Still
from ridealong.proto.types import ActuationResult, Precondition, SignalReading, SignalValue, SignalWrite

if TYPE_CHECKING:
    from ridealong.harness.meant import Understand
    from ridealong.harness.watches import Watches  # which names Provenance

ANSWER_WITHIN_MS: Final = 15_000
"""How long a question of ours waits for its answer."""
TALK = "talk"
"""The group of skills that steer the conversation itself: what they say is no new subject for "make it twenty"."""
OURS = frozenset({TALK, WORK, "timers", "watching", "speech"})
"""Groups whose work is the session's own, or for which the router lifts guards: what they say of themselves needs no port. Not for code from outside."""


class Provenance(Enum):
    """Who asked. Only the first four may lead to an actuation; an unknown voice may ask, and what was overheard or seen is evidence."""

    DRIVER = "driver"
    PASSENGER = "passenger"
    WEARER = "wearer"
    TYPED = "typed"
    UNKNOWN = "unknown"
    OVERHEARD = "overheard"
    SEEN = "seen"


class Confirmation(Enum):
    NONE = "none"
    SAID_BACK = "said_back"
    EXPLICIT = "explicit"


class Outcome(Enum):
    """How the execution ended, as far as is known."""

    COMPLETED = "completed"
    REFUSED = "refused"
    FAILED = "failed"
    UNKNOWN = "unknown"
    ASKS = "asks"  # nothing was done: one short question back


@dataclass(frozen=True, slots=True)
class Spoken:
    """What to say, in the language of the request. `reason` is a stable code (`moving`, `unknown_speed`, …)."""

    text: str
    outcome: Outcome = Outcome.COMPLETED
    reason: str = ""
    holds: Holds = ALWAYS
    gives: Mapping[str, object] = field(default_factory=dict)
    """What was found, by the names that the skill declares: an argument of a later call ("… and take me there")."""


class Transient(Exception):
    """Raised by a skill: something that may be gone in a moment was in the way, and nothing was changed. A skill that is declared `idempotent`
    is run again, a few times within its time limit, and not before `retry_after_ms`; any other has failed."""

    def __init__(self, retry_after_ms: float | None = None) -> None:
        super().__init__("transient")
        self.retry_after_ms = retry_after_ms


@dataclass(frozen=True, slots=True)
class Verdict:
    """A policy's answer. `reason` is a stable code; the skill renders the sentence."""

    allowed: bool
    reason: str = ""
    needs: Confirmation = Confirmation.NONE


class SignalPort(Protocol):
    """The outside world as named signals (VSS paths in a car). The only way for a skill to read or change it."""

    def read(self, path: str) -> SignalReading | None:
        """Last value that the device reported, with its present age, or None when it never did."""

    def check(self, group: str, confirmation: Confirmation) -> Verdict:
        """The cloud's own quick policy answer, for a refusal without a round trip. The device's is final."""

    async def actuate(
        self,
        writes: Sequence[SignalWrite],
        *,
        group: str,
        confirmation: Confirmation = Confirmation.NONE,
        confirm_within_ms: int = 5_000,
        preconditions: Sequence[Precondition] = (),
    ) -> ActuationResult:
        """One batch, applied at most once, confirmed by the sensor value. Never raises for what the car does. `preconditions` are judged in the
        car, on values of the moment at which it would act: what is unknown, old or otherwise means no (`precondition`)."""


class Effects(Protocol):
    """What changes the world elsewhere than in the car: guarded and journalled like an actuation, begun at most once."""

    async def perform(self, what: str, detail: str, do: Callable[[str], Awaitable[ActuationResult]]) -> ActuationResult:
        """`what` is one of the skill's `actuates`, `detail` what the journal keeps of it. `do(key)` is awaited after the intent is on
        the disk, and only with somebody's explicit yes; its result says what is known of the effect."""


class NoEffects:
    """Outside a session: refuses everything."""

    async def perform(self, what: str, detail: str, do: Callable[[str], Awaitable[ActuationResult]]) -> ActuationResult:
        from ridealong.proto.types import ActuationState

        return ActuationResult(key="", state=ActuationState.REFUSED, reason="no_session")


class Clock(Protocol):
    """Session time. In a replay it is virtual: sleep here, never with `asyncio.sleep` of your own."""

    def now_ms(self) -> float: ...

    async def sleep_ms(self, duration_ms: float) -> None: ...


class NoSignals:
    """The port of a session without a car: knows nothing, refuses everything."""

    def read(self, path: str) -> SignalReading | None:
        return None

    def check(self, group: str, confirmation: Confirmation) -> Verdict:
        return Verdict(False, "no_vehicle")

    async def actuate(
        self,
        writes: Sequence[SignalWrite],
        *,
        group: str,
        confirmation: Confirmation = Confirmation.NONE,
        confirm_within_ms: int = 5_000,
        preconditions: Sequence[Precondition] = (),
    ) -> ActuationResult:
        from ridealong.proto.types import ActuationState

        return ActuationResult(key="", state=ActuationState.REFUSED, reason="no_vehicle")


@dataclass(frozen=True, slots=True)
class LastSaid:
    """What the assistant said last. `rest` was cut off and not heard. `more`: something that was cut can still be gone on with.
    `settled`: the device has confirmed how much of everything that was cut was heard. `speaking`: it is being said."""

    text: str
    heard: str
    rest: str
    ended_ms_ago: float
    more: bool = False
    settled: bool = True
    speaking: bool = False


class Talk(Protocol):
    """The conversation as a skill may look at it and steer it."""

    def last(self) -> LastSaid | None: ...

    def repeat(self) -> str:
        """The text that was said last, heard or not; "" when nothing was. Its rest counts as asked for."""

    def go_on(self) -> str | None:
        """Go on with what was cut. "": its rest will be said as the reply that it was. Text: say this. None: nothing is left."""


class NoTalk:
    """The conversation of a call outside a session: nothing was said."""

    def last(self) -> LastSaid | None:
        return None

    def repeat(self) -> str:
        return ""

    def go_on(self) -> str | None:
        return None


@dataclass(frozen=True, slots=True)
class Call:
    """One execution of one skill. `arguments` were validated and grounded; `words` are the user's own."""

    work_id: str
    request: str
    words: str
    locale: str
    provenance: Provenance
    arguments: Mapping[str, object]
    signals: SignalPort
    clock: Clock
    snapshot: object | None = None  # harness.snapshot.Snapshot
    confirmation: Confirmation = Confirmation.NONE
    watches: Watches | None = None
    """The session's standing requests; None where it cannot watch."""
    talk: Talk = field(default_factory=NoTalk)
    effects: Effects = field(default_factory=NoEffects)
    agreed_to: Mapping[str, object] | None = None
    """The arguments of our own question about this capability, where these words say yes to it."""
    instead_of: Mapping[str, object] | None = None
    """The arguments of the earlier call of this capability that these words change: "make it thirty"."""
    work: Work = field(default_factory=NoWork)


NOTHING: Final[Mapping[str, object]] = MappingProxyType({})


class Recent(NamedTuple):
    """An earlier call of this session, newest first in `Context.recent`: what "make it twenty" refers to."""

    capability: str
    arguments: Mapping[str, object]
    outcome: Outcome
    asked_ms_ago: float
    put: bool = True
    """Of a question of ours: saying it to the user has begun."""
    gave: Mapping[str, object] = NOTHING
    """What it found (`Spoken.gives`)."""
    before: Mapping[str, SignalReading] = MappingProxyType({})
    """What the car showed when it was asked for, by path, as far as that is known: what "back to what it was" means."""


@dataclass(frozen=True, slots=True)
class Context:
    """What a router may look at besides the words. No raw media."""

    recent: Sequence[Recent] = ()
    provenance: Provenance = Provenance.UNKNOWN  # who speaks: what "my window" means
    read: Callable[[str], SignalReading | None] = field(default=lambda path: None)
    said: LastSaid | None = None
    doing: Sequence[Doing] = ()
    """The session's work, newest first: what "cancel the search" may mean."""
    before: Sequence[Match] = ()
    """What the words before these ask for in the same sentence: not done yet. "There" may be what one of them finds."""


@dataclass(frozen=True, slots=True)
class Match:
    """A skill's claim on an utterance. Every argument is traceable: `grounds[name]` is the words it came from, or
    "default:…" / "context:…". `missing` arguments lead to one short question (`question`)."""

    capability: str
    score: float  # 0..1
    arguments: Mapping[str, object] = field(default_factory=dict)
    grounds: Mapping[str, str] = field(default_factory=dict)
    missing: tuple[str, ...] = ()
    question: str = ""
    after: tuple[int, ...] = ()
    """Which earlier calls of the same decision (by position) must have been done before this one may begin. Where one was not, neither is this. An
    argument whose ground is "result:NAME" is what the last of them found under that name."""
    behind: tuple[int, ...] = ()
    """Which earlier calls must have ended, whichever way, before this one begins: "close the windows and then …"."""


Recognise = Callable[[str, str, Context], Match | None]
"""(text, locale "en" | "zh", context) -> Match or None. Pure."""

Unused = Callable[[Match, str, str, Context], Match | None]
"""(a call, the words that it was found in, locale, context) -> what to ask instead, or None. Pure."""

Whole = Callable[[Sequence[Match], str, str, Context], Sequence[Match]]
"""(calls of one skill, the whole sentence, locale, context) -> the calls that it asks of this skill, or the same. Pure."""

SkillFunction = Callable[[Call], Awaitable[Spoken]]


@dataclass(frozen=True, slots=True)
class Skill:
    """The contract. `group` is the policy group; `actuates` and `reads` are VSS paths (`*` matches one level); an effect
    outside the car is in `actuates` under a name of its own, with a colon ("mcp:calendar.add")."""

    name: str
    description: str
    run: SkillFunction
    recognise: Recognise
    group: str
    arguments_schema: Mapping[str, object]
    examples: Mapping[str, tuple[str, ...]]  # locale -> sentences
    actuates: tuple[str, ...] = ()
    reads: tuple[str, ...] = ()
    timeout_ms: int = 15_000
    confirmation: Confirmation = Confirmation.NONE
    rehearsable: bool = False
    """All that `run` does goes through `call.signals` and `call.clock`: it may be run against a pretended car to know what it would say."""
    usual_ms: int = 0
    """How long the result usually takes. Work that takes more than a moment is acknowledged at once."""
    begins: Callable[[Mapping[str, object], str], str] | None = None
    """(arguments, locale) -> what is said when slow work has begun; must be true then. None: "One moment."."""
    named: Callable[[Mapping[str, object], str], str] | None = None
    """(arguments, locale) -> what one such work is called, to finish "I've cancelled …". None: by the request's own words."""
    lasts_ms: Callable[[Mapping[str, object]], int] | None = None
    """arguments -> how long standing work lasts: a timer. None: until it is done."""
    understand: Understand | None = None
    """Calls from words of which a tagger has found that they ask for this skill. None: the skill takes no arguments, or is not tagged."""
    unused: Unused | None = None
    """The question to ask instead of a call, where the words hold a quantity that it does not use."""
    gives: tuple[str, ...] = ()
    """What its result may give a later call of the same sentence (`Spoken.gives`)."""
    idempotent: bool = False
    """Reads only, and may be run again after `Transient`. Never so for what acts: an effect is begun once."""
    doubts: Doubts | None = None
    """What must be asked before a call that looks complete."""
    whole: Whole | None = None
    """These calls of this skill as the whole sentence has them: without a place that it excludes, with a second thing that it names."""
    changes: Changes | None = None
    """What of a call later words may change. None: nothing, but for what `understand` makes of a fragment."""
    renewable: bool = False
    """Reads only, and says the present state of what `call.signals` and the arguments alone name: where its answer is not so any more when it could be
    said (`Spoken.holds`), the skill is run again for the same request, and the newer answer is said. Never so for what acts."""

    @property
    def read_only(self) -> bool:
        return not self.actuates


def skill(
    name: str,
    *,
    description: str,
    group: str,
    recognise: Recognise,
    arguments_schema: Mapping[str, object],
    examples: Mapping[str, tuple[str, ...]],
    actuates: tuple[str, ...] = (),
    reads: tuple[str, ...] = (),
    timeout_ms: int = 15_000,
    confirmation: Confirmation = Confirmation.NONE,
    rehearsable: bool = False,
    usual_ms: int = 0,
    begins: Callable[[Mapping[str, object], str], str] | None = None,
    named: Callable[[Mapping[str, object], str], str] | None = None,
    lasts_ms: Callable[[Mapping[str, object]], int] | None = None,
    understand: Understand | None = None,
    unused: Unused | None = None,
    gives: tuple[str, ...] = (),
    idempotent: bool = False,
    changes: Changes | None = None,
    doubts: Doubts | None = None,
    whole: Whole | None = None,
    renewable: bool = False,
) -> Callable[[SkillFunction], Skill]:
    """Declare a skill: `@skill("climate.set_temperature", …) async def set_temperature(call: Call) -> Spoken`."""

    def declare(run: SkillFunction) -> Skill:
        return Skill(
            name=name, description=description, run=run, recognise=recognise, group=group, arguments_schema=arguments_schema,
            examples=examples, actuates=actuates, reads=reads, timeout_ms=timeout_ms, confirmation=confirmation,
            rehearsable=rehearsable, usual_ms=usual_ms, begins=begins, named=named, lasts_ms=lasts_ms,
            understand=understand, unused=unused, gives=gives, idempotent=idempotent, changes=changes, doubts=doubts, whole=whole, renewable=renewable,
        )  # fmt: skip

    return declare


__all__ = [
    "ANSWER_WITHIN_MS", "ActuationResult", "Call", "Clock", "Confirmation", "Context", "Doing", "Effects", "Holds", "LastSaid", "Match", "Near", "NoEffects", "NoSignals", "NoTalk", "NoWork", "OURS", "Outcome", "Precondition",
    "Provenance", "Recent", "Recognise", "SignalPort", "SignalReading", "SignalValue", "SignalWrite", "Skill", "Spoken", "Still", "TALK", "Talk", "Transient", "Verdict", "WORK",
    "Work", "skill",
]  # fmt: skip
