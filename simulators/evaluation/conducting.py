"""Decides, in a ride, when the assistant is made to say its next text and when the ride is over. Sans-IO.

    Look (what is known now)  ->  Conductor.on(look)  ->  [Ask(number) | End]

First the user's own requests are answered; then the texts come one after the other, each when what went before is over and it has been quiet
for a moment. After an interruption there is time for its answer, more while its words are not yet known. A text that is never heard ends the ride.
Does not know: who watches, what a text says, or whether anything was right.
"""

from __future__ import annotations

from dataclasses import dataclass

from ridealong.proto.types import CLOCK_HZ, Samples
from ridealong.simulators.scenarios.scenario import Cue, Kind, Scenario

FIRST_AT = 3 * CLOCK_HZ // 10  # when nobody asks anything first
QUIET = 3 * CLOCK_HZ // 2
UNANSWERED = 8 * CLOCK_HZ
ANSWER_AFTER = 4 * CLOCK_HZ  # an interruption's
HEARD_WITHIN = 25 * CLOCK_HZ
LONGEST_REPLY = 90 * CLOCK_HZ
TAIL = 3 * CLOCK_HZ
AFTER_REQUESTS = 6 * CLOCK_HZ


@dataclass(frozen=True, slots=True)
class Look:
    """`busy`: something plays or work is open. `replies_at`: where each text that was heard began. `spoken`: whether the assistant has
    spoken since the last sound on the clock ended. `understood_to`: the end of the last utterance whose words are known."""

    now: Samples
    busy: bool
    replies_at: tuple[Samples, ...]
    spoken: bool
    understood_to: Samples = Samples(0)


@dataclass(frozen=True, slots=True)
class Ask:
    number: int


@dataclass(frozen=True, slots=True)
class End:
    pass


class Conductor:
    """One ride's; `on` is called several times a second."""

    def __init__(self, scenario: Scenario) -> None:
        self._replies = len(scenario.replies)
        clocked = [sound for sound in scenario.sounds if sound.cue is Cue.CLOCK]
        self._clock_end = max((sound.at + sound.end for sound in clocked), default=0)
        self._length = scenario.length
        self._cued = [sound for sound in scenario.sounds if sound.cue is not Cue.CLOCK]
        self._asked = 0
        self._asked_at = Samples(0)
        self._busy_at = Samples(0)

    def on(self, look: Look) -> list[Ask | End]:
        if look.busy:
            self._busy_at = look.now
        if self._asked > len(look.replies_at):
            return [End()] if look.now - self._asked_at > HEARD_WITHIN else []
        if look.now < self._free_at(look):
            return []
        if self._asked < self._replies:
            self._asked += 1
            self._asked_at = look.now
            return [Ask(self._asked - 1)]
        return [End()]

    def _free_at(self, look: Look) -> int:
        """Not before this may the next text, or the end, come."""
        last = self._asked == self._replies
        if not self._asked:
            return self._first_at(look)
        began = look.replies_at[self._asked - 1]
        free = self._busy_at + (TAIL if last else QUIET)
        for sound in self._cued:
            if sound.turn == self._asked - 1:
                end = (began if sound.cue is Cue.REPLY else self._asked_at) + sound.at + sound.end
                wait = QUIET
                if sound.kind is Kind.INTERRUPTION:
                    wait = ANSWER_AFTER if look.understood_to >= end - QUIET else UNANSWERED
                free = max(free, end + wait)
        return min(free, began + LONGEST_REPLY)

    def _first_at(self, look: Look) -> int:
        if not self._replies:
            return max(self._clock_end + AFTER_REQUESTS, self._length)
        if not self._clock_end:
            return FIRST_AT
        answered = self._busy_at + QUIET if look.spoken else 0
        return max(self._clock_end + QUIET, answered) if look.spoken else self._clock_end + UNANSWERED
