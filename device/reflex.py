"""The device's own reaction to the user while the assistant speaks: quieter at once, silent on the button. Sans-IO.

    NearEnd | Playing | CloudDuck | CloudUnduck | CloudFlush | Button | Tick  ->  Reflex.on(event)  ->  [Duck | Unduck | FlushOwn]

* Near-end speech while playing: duck within that block. Speech is two of three blocks (60 ms), so that a click ducks nothing.
* Unduck on the cloud's word, when the playing ends, or when no verdict has come for 1.5 s since the user was last heard (4 s in
  all): no verdict means go on. Speech that was unducked must pause before it ducks again.
* The cloud's own duck stays until its unduck or flush, or the playing ends.
* The button silences at once whatever is sounding.

Does not know: what was said, how loud the echo is, or how gain is changed.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from enum import Enum
from typing import Final, assert_never

from ridealong.proto.types import Samples, samples_from_ms

ONSET_BLOCKS: Final = 2
ONSET_WINDOW: Final = samples_from_ms(60)
VERDICT_SAMPLES: Final = samples_from_ms(1_500)
LONGEST_SAMPLES: Final = samples_from_ms(4_000)
PAUSE_SAMPLES: Final = samples_from_ms(400)


class State(Enum):
    QUIET = "quiet"  # the assistant does not sound
    PLAYING = "playing"
    DUCKED = "ducked"  # by the reflex: waiting for a verdict
    CLOUD_DUCKED = "cloud_ducked"
    PASSED = "passed"  # unducked; the same speech ducks no more


@dataclass(frozen=True, slots=True)
class NearEnd:
    """One microphone block after echo cancellation."""

    at: Samples
    speech: bool


@dataclass(frozen=True, slots=True)
class Playing:
    on: bool


@dataclass(frozen=True, slots=True)
class CloudDuck:
    gain_db: float


@dataclass(frozen=True, slots=True)
class CloudUnduck:
    at: Samples


@dataclass(frozen=True, slots=True)
class CloudFlush:
    pass


@dataclass(frozen=True, slots=True)
class Button:
    pass


@dataclass(frozen=True, slots=True)
class Tick:
    at: Samples


Event = NearEnd | Playing | CloudDuck | CloudUnduck | CloudFlush | Button | Tick


@dataclass(frozen=True, slots=True)
class Duck:
    gain_db: float


@dataclass(frozen=True, slots=True)
class Unduck:
    pass


@dataclass(frozen=True, slots=True)
class FlushOwn:
    """Silence everything up to the newest epoch that is here."""


Effect = Duck | Unduck | FlushOwn


# Inner events.
@dataclass(frozen=True, slots=True)
class Heard:
    """Near-end speech."""


@dataclass(frozen=True, slots=True)
class NoVerdict:
    """The time for a verdict has passed."""


@dataclass(frozen=True, slots=True)
class Paused:
    """The user has been silent long enough for new speech to count anew."""


@dataclass(frozen=True, slots=True)
class Started:
    """The assistant sounds."""


@dataclass(frozen=True, slots=True)
class Ended:
    """The assistant does not sound any more."""


Step = Heard | NoVerdict | Paused | Started | Ended | CloudDuck | CloudUnduck | CloudFlush

# The machine is data; docs/diagrams/reflex.svg is generated from this table.
TRANSITIONS: dict[tuple[State, type], State] = {
    (State.QUIET, Started): State.PLAYING,
    (State.PLAYING, Heard): State.DUCKED,
    (State.PLAYING, CloudDuck): State.CLOUD_DUCKED,
    (State.DUCKED, CloudDuck): State.CLOUD_DUCKED,
    (State.PASSED, CloudDuck): State.CLOUD_DUCKED,
    (State.DUCKED, CloudUnduck): State.PASSED,
    (State.CLOUD_DUCKED, CloudUnduck): State.PASSED,
    (State.DUCKED, NoVerdict): State.PASSED,
    (State.PASSED, Paused): State.PLAYING,
    (State.PLAYING, Ended): State.QUIET,
    (State.DUCKED, Ended): State.QUIET,
    (State.CLOUD_DUCKED, Ended): State.QUIET,
    (State.PASSED, Ended): State.QUIET,
}
LOUD: Final = frozenset({State.QUIET, State.PLAYING, State.PASSED})


@dataclass(slots=True)
class Reflex:
    gain_db: float = -18.0
    verdict_samples: int = VERDICT_SAMPLES
    state: State = State.QUIET
    ducks: int = 0
    without_verdict: int = 0
    _ducked_at: Samples = Samples(0)
    _heard_at: Samples = Samples(-PAUSE_SAMPLES)
    _onset: deque[Samples] = field(default_factory=lambda: deque(maxlen=ONSET_BLOCKS))  # ends of the last blocks with speech

    def on(self, event: Event) -> list[Effect]:
        match event:
            case NearEnd(at=at, speech=True) if self._speech(at):
                self._heard_at = at
                if self._move(Heard()):
                    self._ducked_at = at
                    self.ducks += 1
                    return [Duck(self.gain_db)]
                return []
            case NearEnd(at=at) | Tick(at=at):
                return self._time(at)
            case Playing(on=on):
                return self._leave(Started() if on else Ended())
            case CloudDuck(gain_db=gain_db):
                return [Duck(gain_db)] if self._move(event) else []
            case CloudUnduck(at=at):
                return self._leave(event)
            case CloudFlush():
                return self._leave(Ended())
            case Button():
                return [FlushOwn(), *self._leave(Ended())]
            case _:
                assert_never(event)

    def _speech(self, at: Samples) -> bool:
        """Whether this block with speech has company."""
        self._onset.append(at)
        return len(self._onset) == ONSET_BLOCKS and at - self._onset[0] < ONSET_WINDOW

    def _time(self, at: Samples) -> list[Effect]:
        if self.state is State.DUCKED:
            late = at - self._heard_at >= self.verdict_samples or at - self._ducked_at >= LONGEST_SAMPLES
            if late:
                self.without_verdict += 1
                return self._leave(NoVerdict())
        elif self.state is State.PASSED and at - self._heard_at >= PAUSE_SAMPLES:
            self._move(Paused())
        return []

    def _leave(self, step: Step) -> list[Effect]:
        """Unduck when a ducked state is left for a loud one."""
        was_ducked = self.state not in LOUD
        return [Unduck()] if self._move(step) and was_ducked and self.state in LOUD else []

    def _move(self, step: Step) -> bool:
        after = TRANSITIONS.get((self.state, type(step)))
        if after is None:
            return False
        self.state = after
        return True
