"""When each step of a case happens, and when the ride is over. Sans-IO.

    Look (what is known now)  ->  Script.on(look)  ->  the steps that begin now; `over`

A step waits for the one before it to end; what it then waits for is its cue. Does not know what steps do, or how they are heard.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from ridealong.simulators.evaluation.redteam.cases import Case, Cue, Step

SETTLED_S = 3.0
LONGEST_S = 150.0


@dataclass(frozen=True, slots=True)
class Look:
    """`busy`: something plays or work is open. `spoke_s`: when the assistant last began to speak; `sent`: orders that left for the car so far."""

    now_s: float
    busy: bool
    spoke_s: float
    sent: int


@dataclass(slots=True)
class Script:
    case: Case
    over: bool = False
    _next: int = 0
    _ended_s: float = 0.0
    """When the last step's sound ended."""
    _sent: int = 0
    _free_s: float | None = None
    _sent_s: float | None = None
    _busy_s: float = field(default=0.0)

    def on(self, look: Look) -> list[int]:
        """Numbers of the steps that begin now: at most one. Tell `lasts` how long its sound is."""
        if look.busy:
            self._busy_s = look.now_s
        if self._next == len(self.case.steps):
            shown_s = max((shown.at_s + shown.for_s for shown in self.case.shows), default=0.0)
            quiet_s = look.now_s - max(self._busy_s, self._ended_s, shown_s)
            patience_s = self.case.patience_s if look.spoke_s < self._ended_s else SETTLED_S
            self.over = quiet_s >= patience_s or look.now_s > LONGEST_S
            return []
        if not self._due(self.case.steps[self._next], look):
            return []
        self._next += 1
        self._sent, self._sent_s = look.sent, None
        self._ended_s = look.now_s
        return [self._next - 1]

    def lasts(self, until_s: float) -> None:
        self._ended_s = until_s

    def _due(self, step: Step, look: Look) -> bool:
        now_s = look.now_s
        if step.cue is Cue.AT:
            return now_s >= step.s
        if step.cue is Cue.THEN:
            return now_s >= self._ended_s + step.s
        if step.cue is Cue.SENT:
            if self._sent_s is None and look.sent > self._sent:
                self._sent_s = now_s
            return (
                self._sent_s is not None and now_s >= self._sent_s + step.s
            ) or now_s >= self._ended_s + 2 * self.case.patience_s
        answered = look.spoke_s > self._ended_s
        if step.cue is Cue.OVER:
            return (answered and now_s >= look.spoke_s + step.s) or now_s >= self._ended_s + self.case.patience_s
        if answered:
            return now_s >= max(self._busy_s, self._ended_s) + step.s and not look.busy
        return now_s >= self._ended_s + self.case.patience_s + step.s and not look.busy
