"""What a skill is: a typed async function with a contract. Public and stable; integrators import from here.

Does not know which skills exist (registry.py), how one is chosen (router.py), what a car is, or how speech is made.

A skill says what it did only through `Spoken`; the sentence is rendered from committed values, never from what was asked.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple, TypedDict, Unpack

from ridealong.harness.changes import Changes
from ridealong.harness.doing import WORK, Doing, NoWork, Work
from ridealong.harness.doubt import Doubts
from ridealong.harness.holds import ALWAYS, Holds, Near, Still
from ridealong.harness.permission import SPEAKERS, Confirmation, Motion, Provenance, Risk, Verdict
from ridealong.harness.ports import Clock, Effects, LastSaid, NoEffects, NoSignals, NoTalk, SignalPort, Talk
from ridealong.proto.types import ActuationResult, Precondition, SignalReading, SignalValue, SignalWrite

if TYPE_CHECKING:
    from datetime import datetime

    from ridealong.harness.meant import Understand
    from ridealong.harness.remembering import Memory
    from ridealong.harness.reminders import Reminders
    from ridealong.harness.watches import Watches  # which names Provenance

ANSWER_WITHIN_MS: Final = 15_000
"""How long a question of ours waits for its answer."""
TALK = "talk"
"""The group of skills that steer the conversation itself: what they say is no new subject for "make it twenty"."""
KEEPING = "memory"
"""The group of skills that keep and tell what the user has said, in the node. What they tell is quoted."""
QUOTING = "reading_out"
"""The group of skills that say what stands written before the camera: somebody else's words, quoted."""
OURS = frozenset({TALK, WORK, "timers", "watching", "speech", KEEPING, QUOTING})
"""Groups whose work is the session's own, or for which the router lifts guards: what they say of themselves needs no port. Not for code from outside."""


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


class ContractError(ValueError):
    """One sentence: which skill's contract can't be taken, and why."""


class Transient(Exception):
    """Raised by a skill: something that may be gone in a moment was in the way, and nothing was changed. A skill that is declared `idempotent`
    is run again, a few times within its time limit, and not before `retry_after_ms`; any other has failed."""

    def __init__(self, retry_after_ms: float | None = None) -> None:
        super().__init__("transient")
        self.retry_after_ms = retry_after_ms


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
    reminders: Reminders | None = None
    """Those of the device; None where none are kept."""
    talk: Talk = field(default_factory=NoTalk)
    effects: Effects = field(default_factory=NoEffects)
    agreed_to: Mapping[str, object] | None = None
    """The arguments of our own question about this capability, where these words say yes to it."""
    instead_of: Mapping[str, object] | None = None
    """The arguments of the earlier call of this capability that these words change: "make it thirty"."""
    work: Work = field(default_factory=NoWork)
    memory: Memory | None = None
    """What the session's device is asked to remember; None where nothing can be kept."""
    recent: Sequence[Recent] = ()
    """The calls before this one, newest first: with what the car showed when each was asked for."""


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
    local: datetime | None = None
    """The time of day where the user is, where that is known: what "at seven" is measured by."""
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


def same_call(one: Match | Recent, other: Match | Recent) -> bool:
    """The same act with the same arguments, wherever they came from."""
    return (one.capability, one.arguments) == (other.capability, other.arguments)


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
    """The least that must have been said before it acts; the policy may ask for more."""
    rehearsable: bool = False
    """All that `run` does goes through `call.signals` and `call.clock`: it may be run against a pretended car to know what it would say."""
    usual_ms: int = 0
    """How long the result usually takes. Work that takes more than a moment is acknowledged at once."""
    begins: Callable[[Mapping[str, object], str], str] | None = None
    """(arguments, locale) -> what is said when slow work has begun; must be true then. None: "One moment."."""
    named: Callable[[Mapping[str, object], str], str] | None = None
    """(arguments, locale) -> what one such work is called, to finish "I've cancelled …". None: by the request's own words."""
    lasts_ms: Callable[[Mapping[str, object]], int | None] | None = None
    """arguments -> how long standing work lasts: a timer. None: until it is done. A result of None: as long as it sleeps on `call.clock`."""
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
    risk: Risk = Risk.ACCESS
    """What a mistake could do. Of a skill that acts; what only reads has none."""
    motion: Motion = Motion.PARKED
    """The most at which it may act. The policy's own table may allow less, never more."""
    by: frozenset[Provenance] = SPEAKERS
    """Who may ask for what it does. Of no effect on what only reads."""
    doing: Mapping[str, str] = field(default_factory=dict)
    """locale -> what it does, to finish "I can't …" and "Shall I …?": the words of a refusal."""

    @property
    def read_only(self) -> bool:
        return not self.actuates


def skill(
    name: str,
    *,
    description: str,
    group: str,
    examples: Mapping[str, tuple[str, ...]],
    recognise: Recognise | None = None,
    says: Mapping[str, tuple[str, ...]] | None = None,
    asks: Mapping[str, Mapping[str, str]] | None = None,
    arguments_schema: Mapping[str, object] | None = None,
    **contract: Unpack[Optional],
) -> Callable[[Callable[..., Awaitable[Spoken]]], Skill]:
    """Declare a skill from a typed function; the rest of the contract is `Skill`'s.

        @skill("scent.set", description="Set the scent diffuser.", group="accessory", risk=Risk.COMFORT, motion=Motion.ANY,
               says={"en": ("set the scent to {level}",), "zh": ("香氛调到{level}",)}, examples=…, actuates=("Vehicle.Cabin.Scent.Level",))
        async def set_scent(call: Call, level: Percent) -> Spoken: …

    Parameters after `call` are the arguments (types: harness/arguments.py): from them come the schema, and the kind of each slot in `says`. `asks[name]` is the
    question for one that nobody said. What acts is refused in words where the policy would refuse it, and asks first where it must be confirmed. Without `says`, give `recognise`; with `arguments_schema` the function takes `call` alone, and looks into `call.arguments`.
    Raises ContractError, one sentence, where the function or a sentence can't be read.
    """
    from ridealong.harness.arguments import asking_first, declared  # which names Call and Skill

    def declare(run: Callable[..., Awaitable[Spoken]]) -> Skill:
        for given, value in contract.items():
            if (kind := _OF_ONE_KIND.get(given)) is not None and not isinstance(value, kind):
                choices = ", ".join(f"{kind.__name__}.{one.name}" for one in kind)
                raise ContractError(f"{name}: its {given} is one of {choices}, not {value!r}.")
        found = declared(
            name, run, recognise, says, asks or {}, arguments_schema, contract.get("confirmation") is Confirmation.EXPLICIT
        )
        made = Skill(
            name=name, description=description, run=found.run, recognise=found.recognise, group=group, arguments_schema=found.schema,
            examples=examples, **contract,
        )  # fmt: skip
        return made if arguments_schema is not None or made.read_only else replace(made, run=asking_first(made))

    return declare


_OF_ONE_KIND: Final[Mapping[str, type[Enum]]] = {"risk": Risk, "motion": Motion, "confirmation": Confirmation}


class Optional(TypedDict, total=False):
    """What a contract may leave out: the fields of `Skill` that have a default."""

    actuates: tuple[str, ...]
    reads: tuple[str, ...]
    timeout_ms: int
    confirmation: Confirmation
    rehearsable: bool
    usual_ms: int
    begins: Callable[[Mapping[str, object], str], str] | None
    named: Callable[[Mapping[str, object], str], str] | None
    lasts_ms: Callable[[Mapping[str, object]], int | None] | None
    understand: Understand | None
    unused: Unused | None
    gives: tuple[str, ...]
    idempotent: bool
    changes: Changes | None
    doubts: Doubts | None
    whole: Whole | None
    renewable: bool
    risk: Risk
    motion: Motion
    by: frozenset[Provenance]
    doing: Mapping[str, str]


__all__ = [
    "ANSWER_WITHIN_MS", "ActuationResult", "Call", "Clock", "Confirmation", "Context", "ContractError", "Doing", "Effects", "Holds", "LastSaid", "Match", "Motion", "Near", "NoEffects", "NoSignals",
    "NoTalk", "NoWork", "OURS", "Outcome", "Precondition", "Provenance", "Recent", "Recognise", "Risk", "SPEAKERS", "SignalPort", "SignalReading", "SignalValue", "SignalWrite", "Skill", "Spoken",
    "Still", "TALK", "Talk", "Transient", "Verdict", "WORK", "Work", "skill",
]  # fmt: skip
