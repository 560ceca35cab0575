"""Decides when a finished result may enter the conversation, and whether it was heard. Sans-IO.

    ReplyReady, Boundary, Playback…, Withdraw, Tick  ->  Delivery.on(event)  ->  Admit, Delivered, Expired, Again, Withdrawn

Invariants: one reply at a time is presented; Delivered follows only a finished acknowledgment; a reply is offered at most
twice; nothing past its deadline is admitted. The rules of quiet and order are those of spec venus D5, with one more: the
direct answer to the last thing said needs no extra quiet.
Does not know speech, skills, or where a playback acknowledgment comes from.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Final, assert_never

from ridealong.proto.types import Samples, ms_from_samples, samples_from_ms

MAX_QUIET_MS: Final = 800.0
MIN_QUIET_MS: Final = 250.0
QUIET_PER_WAITED_MS: Final = 0.05
DIRECT_WITHIN_MS: Final = 10_000.0
DIRECT_SLACK_MS: Final = 300.0
"""A voice that ends this soon after the request was recognised is still the request's own tail."""
FIFO_AFTER_MS: Final = 8_000.0
CHARS_PER_S: Final = 4.0
BACKLOG: Final = 16
AGAIN_QUIET_MS: Final = 2_000.0
"""Before a reply that was cut is offered again: whoever cut it may be about to say why."""
START_WITHIN_MS: Final = 15_000.0
NEWS_WITHIN_MS: Final = 60_000.0
MAX_OFFERS: Final = 2


@dataclass(frozen=True, slots=True)
class Waiting:
    """One reply. `again`: may be offered a second time although some of it was heard. `unasked`: said of our own accord, so it
    always waits for quiet."""

    work_id: str
    text: str
    locale: str
    asked_at: Samples
    ready_at: Samples
    expires_at: Samples
    again: bool = True
    offers: int = 0
    heard: str = ""
    unasked: bool = False


# --- events ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ReplyReady:
    reply: Waiting


@dataclass(frozen=True, slots=True)
class Boundary:
    """The front-end can take a reply now. `quiet_ms`: since anybody, the assistant too, was last heard.
    `invalid`: work ids whose validity no longer holds, judged at this instant."""

    at: Samples
    floor_free: bool
    quiet_ms: float
    invalid: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class PlaybackStarted:
    work_id: str
    at: Samples


@dataclass(frozen=True, slots=True)
class PlaybackFinished:
    work_id: str
    heard: str
    at: Samples


@dataclass(frozen=True, slots=True)
class PlaybackFlushed:
    work_id: str
    heard: str
    at: Samples


@dataclass(frozen=True, slots=True)
class Withdraw:
    work_id: str
    reason: str
    at: Samples


@dataclass(frozen=True, slots=True)
class Tick:
    at: Samples


Event = ReplyReady | Boundary | PlaybackStarted | PlaybackFinished | PlaybackFlushed | Withdraw | Tick


# --- effects ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Admit:
    work_id: str
    text: str
    locale: str
    at: Samples


@dataclass(frozen=True, slots=True)
class Delivered:
    """`late`: it had been given up and was pending again, but was played after all."""

    work_id: str
    heard: str
    at: Samples
    late: bool = False


@dataclass(frozen=True, slots=True)
class Expired:
    work_id: str
    at: Samples


@dataclass(frozen=True, slots=True)
class Again:
    """Was cut or lost; waits for another boundary."""

    work_id: str
    heard: str
    at: Samples


@dataclass(frozen=True, slots=True)
class Withdrawn:
    work_id: str
    reason: str
    heard: str
    at: Samples


Effect = Admit | Delivered | Expired | Again | Withdrawn


def required_quiet_ms(oldest_wait_ms: float) -> float:
    """Quiet needed before an unasked-for word: less, the longer somebody has waited."""
    return max(MIN_QUIET_MS, MAX_QUIET_MS - QUIET_PER_WAITED_MS * oldest_wait_ms)


@dataclass(slots=True)
class Delivery:
    pending: dict[str, Waiting] = field(default_factory=dict)
    presenting: Waiting | None = None
    news_at: Samples = Samples(0)  # last sign of life of the one being presented
    started: bool = False
    answered_until: tuple[Samples, Samples] = (Samples(-1), Samples(-1))  # (asked_at, end of its last answer)
    dropped: int = 0
    ignored: int = 0  # acknowledgments that fit nothing

    def on(self, event: Event) -> list[Effect]:
        match event:
            case ReplyReady(reply=reply):
                return self._ready(reply)
            case Boundary(at=at):
                return [*self._tick(at), *self._boundary(event)]
            case PlaybackStarted(work_id=work_id, at=at):
                if self.presenting is None or self.presenting.work_id != work_id:
                    self.ignored += 1
                    return []
                self.started, self.news_at = True, at
                return []
            case PlaybackFinished(work_id=work_id, heard=heard, at=at):
                return self._finished(work_id, heard, at)
            case PlaybackFlushed(work_id=work_id, heard=heard, at=at):
                if self.presenting is None or self.presenting.work_id != work_id:
                    self.ignored += 1
                    return []
                return self._cut(heard, at, "cut")
            case Withdraw(work_id=work_id, reason=reason, at=at):
                return self._withdraw(work_id, reason, at)
            case Tick(at=at):
                return self._tick(at)
            case _:
                assert_never(event)

    def _ready(self, reply: Waiting) -> list[Effect]:
        if reply.work_id in self.pending or (self.presenting is not None and self.presenting.work_id == reply.work_id):
            self.ignored += 1
            return []
        self.pending[reply.work_id] = reply
        if len(self.pending) <= BACKLOG:
            return []
        self.dropped += 1
        worst = self._in_order(reply.ready_at)[-1]
        del self.pending[worst.work_id]
        return [Withdrawn(worst.work_id, "backlog", worst.heard, reply.ready_at)]

    def _boundary(self, event: Boundary) -> list[Effect]:
        effects: list[Effect] = []
        for work_id in sorted(event.invalid & self.pending.keys()):
            effects += self._withdraw(work_id, "invalid", event.at)
        if not event.floor_free or self.presenting is not None or not self.pending:
            return effects
        ordered = self._in_order(event.at)
        gate_ms = required_quiet_ms(max(ms_from_samples(event.at - reply.ready_at) for reply in ordered))
        for reply in ordered:
            needed_ms = AGAIN_QUIET_MS if reply.offers else gate_ms
            if event.quiet_ms >= needed_ms or self._direct(reply, event):
                del self.pending[reply.work_id]
                self.presenting = replace(reply, offers=reply.offers + 1)
                self.started, self.news_at = False, event.at
                return [*effects, Admit(reply.work_id, reply.text, reply.locale, event.at)]
        return effects

    def _direct(self, reply: Waiting, event: Boundary) -> bool:
        """Asked just now, and nothing was said since (an earlier answer to the same request is not something else)."""
        if reply.offers or reply.unasked or ms_from_samples(event.at - reply.asked_at) >= DIRECT_WITHIN_MS:
            return False
        asked_at, answered = self.answered_until
        settled = max(reply.asked_at, answered) if asked_at == reply.asked_at else reply.asked_at
        last_sound = event.at - samples_from_ms(event.quiet_ms)
        return last_sound <= settled + samples_from_ms(DIRECT_SLACK_MS)

    def _in_order(self, at: Samples) -> list[Waiting]:
        """Who has waited 8 s first, oldest first; then the least slack before the deadline."""

        def rank(reply: Waiting) -> tuple[int, float, str]:
            if ms_from_samples(at - reply.ready_at) >= FIFO_AFTER_MS:
                return (0, float(reply.ready_at), reply.work_id)
            slack_ms = ms_from_samples(reply.expires_at - at) - len(reply.text) / CHARS_PER_S * 1000
            return (1, slack_ms, reply.work_id)

        return sorted(self.pending.values(), key=rank)

    def _finished(self, work_id: str, heard: str, at: Samples) -> list[Effect]:
        if self.presenting is not None and self.presenting.work_id == work_id:
            self.answered_until = (self.presenting.asked_at, at)
            self.presenting = None
            return [Delivered(work_id, heard, at)]
        late = self.pending.get(work_id)
        if late is None or not late.offers:
            self.ignored += 1
            return []
        # Given up as lost, but it was played after all: saying it again would be a repetition.
        del self.pending[work_id]
        return [Delivered(work_id, heard, at, late=True)]

    def _cut(self, heard: str, at: Samples, reason: str) -> list[Effect]:
        assert self.presenting is not None
        reply, self.presenting = replace(self.presenting, heard=heard), None
        if reply.offers >= MAX_OFFERS or (heard and not reply.again):
            return [Withdrawn(reply.work_id, reason, heard, at)]
        self.pending[reply.work_id] = reply
        return [Again(reply.work_id, heard, at), *self._tick(at)]

    def _withdraw(self, work_id: str, reason: str, at: Samples) -> list[Effect]:
        if self.presenting is not None and self.presenting.work_id == work_id:
            reply, self.presenting = self.presenting, None
            return [Withdrawn(work_id, reason, reply.heard, at)]
        waiting = self.pending.pop(work_id, None)
        if waiting is None:
            self.ignored += 1
            return []
        return [Withdrawn(work_id, reason, waiting.heard, at)]

    def _tick(self, at: Samples) -> list[Effect]:
        effects: list[Effect] = []
        if self.presenting is not None:
            silent_ms = ms_from_samples(at - self.news_at)
            if silent_ms > (NEWS_WITHIN_MS if self.started else START_WITHIN_MS):
                return self._cut(self.presenting.heard, at, "not_played")
        for reply in [reply for reply in self.pending.values() if at > reply.expires_at]:
            del self.pending[reply.work_id]
            effects.append(Expired(reply.work_id, at))
        return effects
