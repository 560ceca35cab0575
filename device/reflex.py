"""The device's own reaction to the user while the assistant speaks: quieter at once, a pause when they go on. Sans-IO.

    NearEnd | Playing | CloudDuck | CloudUnduck | CloudFlush | Button | Tick  ->  Reflex.on(event)  ->  [Duck | Hold | Release | …]

* Near-end speech while playing: duck within that block. Speech is 30 ms of blocks (20 where the canceller has weighed them)
  within 60 ms, or a single weighed one whose sound lasts to its end, so that a click ducks nothing.
* 600 ms of it within 900 ms: hold. That is longer than "mm-hm" or a cough, and sooner than a verdict, so that people need not talk
  over the assistant. A hold ends by itself when the near end is quiet for 600 ms; speech then goes on quietly, still waiting for a verdict.
* Full level again on the cloud's word, when the playing ends, or when no verdict has come for 1.5 s since the user was last heard
  (4 s in all): no verdict means go on, and nothing ducks for the next 4 s, in which what was too soft is said again: what makes the device duck
  again and again, be it the assistant's own voice, must not keep it from ever being heard. Speech that was passed must pause before it ducks again.
* What was judged noise or background sets a bar (`bar.py`): only what is louder counts as near-end speech for a while.
* The cloud's own duck stays until its unduck or flush, or the playing ends. Only the cloud or the button flushes.

Does not know: what was said, how loud the echo is, or how gain is changed.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from enum import Enum
from typing import Final, assert_never

from ridealong.device.bar import Bar, Fall
from ridealong.proto.types import OverlapKind, Samples, samples_from_ms

ONSET_SAMPLES: Final = samples_from_ms(30)
WEIGHED_ONSET_SAMPLES: Final = samples_from_ms(20)
"""Where the echo canceller has weighed the evidence already: no click gets this far."""
ONSET_WINDOW: Final = samples_from_ms(60)
SUSTAINED_SAMPLES: Final = samples_from_ms(600)
SUSTAINED_WINDOW: Final = samples_from_ms(900)
QUIET_SAMPLES: Final = samples_from_ms(600)
VERDICT_SAMPLES: Final = samples_from_ms(1_500)
LONGEST_SAMPLES: Final = samples_from_ms(4_000)
PAUSE_SAMPLES: Final = samples_from_ms(400)
BAR_FALLS: Final = {
    OverlapKind.NOISE: Fall(samples_from_ms(500), 6.0),
    OverlapKind.BACKGROUND: Fall(samples_from_ms(3_000), 2.0),
}
"""A cough is over; a radio comes back."""


class State(Enum):
    QUIET = "quiet"  # the assistant does not sound
    PLAYING = "playing"
    DUCKED = "ducked"  # by the reflex: waiting for a verdict
    HELD = "held"  # and the user goes on
    CLOUD_DUCKED = "cloud_ducked"
    PASSED = "passed"  # let be; the same speech ducks no more


@dataclass(frozen=True, slots=True)
class NearEnd:
    """One microphone block of `samples` after echo cancellation, that ends at `at`. `lasting`: speech that the canceller has weighed, and
    that lasts to the block's end."""

    at: Samples
    speech: bool
    level_db: float
    samples: int
    lasting: bool = False


@dataclass(frozen=True, slots=True)
class Playing:
    on: bool


@dataclass(frozen=True, slots=True)
class CloudDuck:
    gain_db: float


@dataclass(frozen=True, slots=True)
class CloudUnduck:
    at: Samples
    kind: OverlapKind | None = None


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
class Hold:
    """Stop before the next sample."""


@dataclass(frozen=True, slots=True)
class Release:
    """Go on with that sample."""


@dataclass(frozen=True, slots=True)
class FlushOwn:
    """Silence everything up to the newest epoch that is here."""


Effect = Duck | Unduck | Hold | Release | FlushOwn


# Inner events.
@dataclass(frozen=True, slots=True)
class Heard:
    """Near-end speech."""


@dataclass(frozen=True, slots=True)
class Louder:
    """Near-end speech, above the bar that what is being let be has set."""


@dataclass(frozen=True, slots=True)
class Sustained:
    """They go on."""


@dataclass(frozen=True, slots=True)
class WentQuiet:
    """They stopped, and nobody has said what it was."""


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


Step = Heard | Louder | Sustained | WentQuiet | NoVerdict | Paused | Started | Ended | CloudDuck | CloudUnduck

# The machine is data; docs/diagrams/reflex.md is generated from this table.
TRANSITIONS: dict[tuple[State, type], State] = {
    (State.QUIET, Started): State.PLAYING,
    (State.PLAYING, Heard): State.DUCKED,
    (State.PASSED, Louder): State.DUCKED,
    (State.DUCKED, Sustained): State.HELD,
    (State.HELD, WentQuiet): State.DUCKED,
    (State.PLAYING, CloudDuck): State.CLOUD_DUCKED,
    (State.DUCKED, CloudDuck): State.CLOUD_DUCKED,
    (State.PASSED, CloudDuck): State.CLOUD_DUCKED,
    (State.DUCKED, CloudUnduck): State.PASSED,
    (State.HELD, CloudUnduck): State.PASSED,
    (State.CLOUD_DUCKED, CloudUnduck): State.PASSED,
    (State.DUCKED, NoVerdict): State.PASSED,
    (State.HELD, NoVerdict): State.PASSED,
    (State.PASSED, Paused): State.PLAYING,
    (State.PLAYING, Ended): State.QUIET,
    (State.DUCKED, Ended): State.QUIET,
    (State.HELD, Ended): State.QUIET,
    (State.CLOUD_DUCKED, Ended): State.QUIET,
    (State.PASSED, Ended): State.QUIET,
}
LOUD: Final = frozenset({State.QUIET, State.PLAYING, State.PASSED})


@dataclass(slots=True)
class Reflex:
    gain_db: float = -18.0
    verdict_samples: int = VERDICT_SAMPLES
    onset_samples: int = ONSET_SAMPLES
    state: State = State.QUIET
    bar: Bar = field(default_factory=Bar)
    # counters
    ducks: int = 0
    holds: int = 0
    without_verdict: int = 0
    under_the_bar: int = 0
    _ducked_at: Samples = Samples(0)
    _heard_at: Samples = Samples(-PAUSE_SAMPLES)
    _pass_until: Samples = Samples(0)
    _below_bar: bool = False  # what was last let be lies under the bar
    _speech: deque[tuple[Samples, int]] = field(default_factory=deque)  # (end, samples) of those within the window

    def on(self, event: Event) -> list[Effect]:
        match event:
            case NearEnd():
                return self._near(event)
            case Tick(at=at):
                return self._time(at)
            case Playing(on=on):
                return self._move(Started() if on else Ended())
            case CloudDuck(gain_db=gain_db):
                before = self.state
                effects = self._move(event)
                return [*effects, Duck(gain_db)] if self.state is not before else []
            case CloudUnduck(at=at, kind=kind):
                fall = BAR_FALLS.get(kind) if kind is not None else None
                if fall is not None:
                    self.bar.judged(at, fall)
                self._below_bar = fall is not None
                return self._move(event)
            case CloudFlush():
                return self._move(Ended())
            case Button():
                return [FlushOwn(), *self._move(Ended())]
            case _:
                assert_never(event)

    def _near(self, event: NearEnd) -> list[Effect]:
        if not self.bar.block(event.at, event.samples, event.level_db if event.speech else None):
            if not event.speech:
                return self._time(event.at)
            self.under_the_bar += 1
            if self.state is State.PASSED:
                self._heard_at = event.at  # what is let be goes on: it has not paused
            return self._time(event.at)
        self._speech.append((event.at, event.samples))
        while self._speech[0][0] <= event.at - SUSTAINED_WINDOW:
            self._speech.popleft()
        if not event.lasting and self._spoken(event.at, ONSET_WINDOW) < self.onset_samples:
            return self._time(event.at)
        self._heard_at = event.at
        before = self.state
        effects = self._move(Heard()) or (self._move(Louder()) if self._below_bar else [])
        if before is not State.DUCKED and self.state is State.DUCKED:
            self.ducks += 1
            self._ducked_at = event.at
            self._speech = deque(entry for entry in self._speech if entry[0] > event.at - ONSET_WINDOW)
        return effects or self._go_on(event.at)

    def _go_on(self, at: Samples) -> list[Effect]:
        """Speech while ducked: a hold once there is enough of it; and no state lasts for ever."""
        if self.state is State.DUCKED and self._spoken(at, SUSTAINED_WINDOW) >= SUSTAINED_SAMPLES:
            self.holds += 1
            return self._move(Sustained())
        return self._time(at)

    def _spoken(self, at: Samples, within: Samples) -> int:
        return sum(samples for end, samples in self._speech if end > at - within)

    def _time(self, at: Samples) -> list[Effect]:
        quiet = at - self._heard_at
        if self.state in (State.DUCKED, State.HELD):
            if quiet >= self.verdict_samples or at - self._ducked_at >= LONGEST_SAMPLES:
                self.without_verdict += 1
                self._below_bar = False
                self._pass_until = Samples(at + LONGEST_SAMPLES)
                return self._move(NoVerdict())
            if self.state is State.HELD and quiet >= QUIET_SAMPLES:
                self._speech.clear()
                return self._move(WentQuiet())
        elif self.state is State.PASSED and quiet >= PAUSE_SAMPLES and at >= self._pass_until:
            return self._move(Paused())
        return []

    def _move(self, step: Step) -> list[Effect]:
        """Along the table; the effects follow from the states that are left and entered."""
        before, after = self.state, TRANSITIONS.get((self.state, type(step)))
        if after is None:
            return []
        self.state = after
        effects: list[Effect] = []
        if before is State.HELD:
            effects.append(Release())
        if before in LOUD and after is State.DUCKED:
            effects.append(Duck(self.gain_db))
        if after is State.HELD:
            effects.append(Hold())
        if before not in LOUD and after in LOUD:
            effects.append(Unduck())
        return effects
