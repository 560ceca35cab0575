"""What the user asked to be told of, and which of it has come true. Sans-IO.

    Start, Stop, Told, Untold, Wrong, Readings, Speech, Sight, Noise, Tick  ->  Standing.on(event)  ->  Alert, Ended, Muted, Careful

Invariants: no more than `alerts_per_hour` alerts in any hour; a watch that is being told does not fire again; one that fired is over,
unless it was asked for every time; what is evidence (speech, text, sound, a signal) never starts a watch. Each watch has a threshold of
confidence, which rises when the user says that an alert was wrong; when that has happened `false_alarms_per_hour` times in an hour,
only what is nearly certain is told for the rest of it.

Does not know: what satisfies what (conditions.py), how an alert is spoken, cars, cameras, microphones.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Final, assert_never

from ridealong.harness.conditions import (
    Condition,
    Evidence,
    Noise,
    PhraseHeard,
    PhraseSeen,
    Readings,
    Sight,
    SignalIs,
    SoundHeard,
    Speech,
    strength,
)
from ridealong.proto.types import Samples, samples_from_ms

MAX_WATCHES: Final = 8
LASTS_MS: Final = 2 * 3_600_000
"""Unless another time was asked for."""
HOUR_MS: Final = 3_600_000
COOL_DOWN_MS: Final = 60_000
REVIVED_WITHIN_MS: Final = 60_000
"""A watch that is over can still be called wrong for so long; it then goes on."""
RAISE: Final = 0.1
MOST: Final = 0.95
"""No threshold rises beyond this; it is also what counts as nearly certain."""


THRESHOLDS: Final[Mapping[type, float]] = {SignalIs: 0.5, PhraseHeard: 0.65, PhraseSeen: 0.6, SoundHeard: 0.5}
"""Where a watch begins; set by measurement (docs/benchmarks.md)."""


@dataclass(frozen=True, slots=True)
class Watch:
    id: str
    condition: Condition
    since: Samples
    expires_at: Samples
    every_time: bool = False


@dataclass(frozen=True, slots=True)
class Budget:
    alerts_per_hour: int = 6
    false_alarms_per_hour: int = 2


# --- events ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Start:
    """`met`: it is true already, so it counts only when it comes true again."""

    watch: Watch
    met: bool = False


@dataclass(frozen=True, slots=True)
class Stop:
    """One watch, or all of them ("")."""

    at: Samples
    id: str = ""


@dataclass(frozen=True, slots=True)
class Told:
    """The alert was heard."""

    at: Samples
    id: str


@dataclass(frozen=True, slots=True)
class Untold:
    """The alert was not heard: too late, lost with the link. It may be told again while it is true."""

    at: Samples
    id: str


@dataclass(frozen=True, slots=True)
class Wrong:
    """The user says that the alert was a false one."""

    at: Samples
    id: str


@dataclass(frozen=True, slots=True)
class Tick:
    at: Samples


Event = Start | Stop | Told | Untold | Wrong | Evidence | Tick

# --- effects ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Alert:
    """Tell the user. `seen_at`: when the evidence was there."""

    watch: Watch
    seen_at: Samples
    confidence: float


@dataclass(frozen=True, slots=True)
class Ended:
    """`reason`: told, expired, stopped, replaced."""

    watch: Watch
    reason: str


@dataclass(frozen=True, slots=True)
class Muted:
    """The hour's alerts are used up, and there would be one more; said once, until one may be told again."""

    until: Samples


@dataclass(frozen=True, slots=True)
class Careful:
    """The false-alarm budget is used up; said once."""

    until: Samples


@dataclass(frozen=True, slots=True)
class Full:
    """There are MAX_WATCHES: this one was not taken."""

    watch: Watch


Effect = Alert | Ended | Muted | Careful | Full


# --- one watch -------------------------------------------------------------------------------------------------------


class State(Enum):
    ARMED = "armed"
    TELLING = "telling"
    RESTING = "resting"  # told or wrong: waits until the condition has cleared and the cool-down is over
    OVER = "over"


@dataclass(frozen=True, slots=True)
class Satisfied:
    """Inner event: the condition holds, with enough confidence, and the budget allows."""


@dataclass(frozen=True, slots=True)
class ToldOnce:
    """Inner event: heard, and that was all that was asked."""


@dataclass(frozen=True, slots=True)
class Rested:
    """Inner event: cleared, and the cool-down is over."""


@dataclass(frozen=True, slots=True)
class Expired:
    """Inner event."""


# The machine is data; docs/diagrams/standing.md is generated from this table.
TRANSITIONS: Final[Mapping[tuple[State, type], State]] = {
    (State.ARMED, Satisfied): State.TELLING,
    (State.TELLING, ToldOnce): State.OVER,
    (State.TELLING, Told): State.RESTING,
    (State.TELLING, Untold): State.ARMED,
    (State.TELLING, Wrong): State.RESTING,
    (State.RESTING, Wrong): State.RESTING,
    (State.RESTING, Rested): State.ARMED,
    (State.OVER, Wrong): State.RESTING,
    (State.ARMED, Stop): State.OVER,
    (State.TELLING, Stop): State.OVER,
    (State.RESTING, Stop): State.OVER,
    (State.ARMED, Expired): State.OVER,
    (State.RESTING, Expired): State.OVER,
}


@dataclass(slots=True)
class Standing:
    """The watches of one session."""

    budget: Budget = field(default_factory=Budget)
    suppressed: int = 0  # came true and was not told, for want of budget
    _watches: dict[str, _Kept] = field(default_factory=dict)
    _alerts: deque[tuple[Samples, str]] = field(default_factory=lambda: deque(maxlen=64))
    _wrong: deque[Samples] = field(default_factory=lambda: deque(maxlen=64))
    _muted: bool = False
    _careful_until: Samples = Samples(-1)

    def on(self, event: Event) -> list[Effect]:
        match event:
            case Start(watch=watch, met=met):
                return self._start(watch, met)
            case Stop(at=at, id=id):
                return [self._end(kept, event, "stopped", at) for kept in self._going() if id in ("", kept.watch.id)]
            case Told(at=at, id=id):
                return self._told(event) if id in self._watches else []
            case Untold(id=id):
                kept = self._watches.get(id)
                if kept is not None and self._step(kept, event):
                    self._alerts = deque((a for a in self._alerts if a != (kept.fired_at, id)), maxlen=64)
                return []
            case Wrong():
                return self._called_wrong(event)
            case Readings() | Speech() | Sight() | Noise():
                return self._observed(event)
            case Tick(at=at):
                return self._tick(at)
            case _:
                assert_never(event)

    @property
    def active(self) -> tuple[Watch, ...]:
        """What is watched for, oldest first."""
        return tuple(kept.watch for kept in self._going())

    def threshold(self, id: str) -> float:
        """The confidence that this watch asks for, without the hour's caution."""
        return self._watches[id].threshold

    # --- beginning and end ------------------------------------------------------------------------------------------

    def _start(self, watch: Watch, met: bool) -> list[Effect]:
        same = [kept for kept in self._going() if kept.watch.condition == watch.condition]
        effects: list[Effect] = [self._end(kept, Stop(watch.since, kept.watch.id), "replaced", watch.since) for kept in same]
        if len(self._going()) >= MAX_WATCHES:
            return [*effects, Full(watch)]
        kept = _Kept(watch, THRESHOLDS[type(watch.condition)])
        if met:
            kept.state, kept.fired_at, kept.cleared = State.RESTING, watch.since, False
        self._watches[watch.id] = kept
        return effects

    def _told(self, event: Told) -> list[Effect]:
        kept = self._watches[event.id]
        if kept.watch.every_time:
            self._step(kept, event)
            return []
        if kept.state is not State.TELLING:
            return []
        return [self._end(kept, ToldOnce(), "told", event.at)]

    def _end(self, kept: _Kept, event: Stop | ToldOnce | Expired, reason: str, at: Samples) -> Ended:
        kept.over_at, kept.stopped = at, reason in ("stopped", "replaced")
        self._step(kept, event)
        return Ended(kept.watch, reason)

    def _called_wrong(self, event: Wrong) -> list[Effect]:
        kept = self._watches.get(event.id)
        if kept is None or not (kept.stopped or self._step(kept, event)):  # what was stopped stays so; the alarm counts
            return []
        kept.threshold = min(MOST, round(kept.threshold + RAISE, 3))
        kept.fired_at, kept.cleared = event.at, not isinstance(kept.watch.condition, SignalIs)
        self._wrong.append(event.at)
        recent = [at for at in self._wrong if event.at - at < samples_from_ms(HOUR_MS)]
        if len(recent) < self.budget.false_alarms_per_hour or event.at < self._careful_until:
            return []
        self._careful_until = Samples(recent[-self.budget.false_alarms_per_hour] + samples_from_ms(HOUR_MS))
        return [Careful(self._careful_until)]

    def _tick(self, at: Samples) -> list[Effect]:
        effects: list[Effect] = []
        for kept in list(self._watches.values()):
            if kept.state in (State.ARMED, State.RESTING) and at >= kept.watch.expires_at:
                effects.append(self._end(kept, Expired(), "expired", at))
            elif kept.state is State.OVER and at - kept.over_at > samples_from_ms(REVIVED_WITHIN_MS):
                del self._watches[kept.watch.id]
        return effects

    # --- evidence ---------------------------------------------------------------------------------------------------

    def _observed(self, evidence: Evidence) -> list[Effect]:
        effects: list[Effect] = []
        for kept in self._going():
            if evidence.at <= kept.watch.since:
                continue  # what was said or seen before the request does not answer it: its own words least of all
            confidence = strength(kept.watch.condition, evidence, was_met=kept.state is State.RESTING and not kept.cleared)
            if confidence is None:
                continue
            self._rest(kept, evidence.at, confidence)
            effects += self._weigh(kept, evidence, confidence)
        return effects

    def _rest(self, kept: _Kept, at: Samples, confidence: float) -> None:
        """A signal must have cleared; the same sign must be out of sight for the cool-down; another bang is another bang."""
        if kept.state is not State.RESTING:
            return
        resting = at - kept.fired_at < samples_from_ms(COOL_DOWN_MS)
        if isinstance(kept.watch.condition, SignalIs):
            kept.cleared = kept.cleared or confidence == 0.0
        elif isinstance(kept.watch.condition, PhraseSeen) and confidence >= kept.threshold and resting:
            kept.fired_at = at
            return
        if kept.cleared and not resting:
            self._step(kept, Rested())

    def _weigh(self, kept: _Kept, evidence: Evidence, confidence: float) -> list[Effect]:
        needed = max(kept.threshold, MOST) if evidence.at < self._careful_until else kept.threshold
        if kept.state is not State.ARMED or confidence < needed:
            kept.held_since = None
            return []
        if isinstance(kept.watch.condition, SignalIs):
            kept.held_since = evidence.at if kept.held_since is None else kept.held_since
            if evidence.at - kept.held_since < samples_from_ms(kept.watch.condition.hold_ms):
                return []
        return self._fire(kept, evidence.at, confidence)

    def _fire(self, kept: _Kept, at: Samples, confidence: float) -> list[Effect]:
        recent = [fired for fired, _ in self._alerts if at - fired < samples_from_ms(HOUR_MS)]
        if len(recent) >= self.budget.alerts_per_hour:
            self.suppressed += 1
            if self._muted:
                return []
            self._muted = True
            return [Muted(Samples(recent[-self.budget.alerts_per_hour] + samples_from_ms(HOUR_MS)))]
        self._muted = False
        self._step(kept, Satisfied())
        kept.fired_at, kept.held_since, kept.cleared = at, None, not isinstance(kept.watch.condition, SignalIs)
        self._alerts.append((at, kept.watch.id))
        return [Alert(kept.watch, at, confidence)]

    def _going(self) -> list[_Kept]:
        return [kept for kept in self._watches.values() if kept.state is not State.OVER]

    def _step(self, kept: _Kept, event: object) -> bool:
        """Move along the table; False where the event means nothing in this state."""
        after = TRANSITIONS.get((kept.state, type(event)))
        if after is None:
            return False
        kept.state = after
        return True


@dataclass(slots=True)
class _Kept:
    watch: Watch
    threshold: float
    state: State = State.ARMED
    fired_at: Samples = Samples(0)
    over_at: Samples = Samples(0)
    cleared: bool = True
    held_since: Samples | None = None
    stopped: bool = False  # by the user: nothing makes it go on
