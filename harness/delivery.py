"""Decides when a finished result may enter the conversation, and whether it was heard. Sans-IO.

    ReplyReady, Boundary, Rendered, Playback…, Interrupted, Withdraw, Tick  ->  Delivery.on(event)  ->  Admit, Renew, Delivered, Expired, Again, Withdrawn

Invariants: one reply at a time is presented; Delivered follows only a finished acknowledgment; a reply is offered at most
twice, the second time without the clauses that were heard (what becomes of a cut reply is rest.FATES' decision); nothing past
its deadline is admitted. What is not so any more is withdrawn; where it can be found anew, that is done when it could be said and not before, a
bounded number of times, and the newer answer takes the older one's place. A reply counts as alive as long as the device renders frames, by the clock of a device that is in
touch: what was sent, and what any other clock says, does not matter. The rules of quiet and order are those of spec venus D5, with two more: the direct answer to
the last thing said needs no extra quiet; while the driver is busy driving, what can wait does, for a bounded time.
Does not know speech, skills, or where a playback acknowledgment comes from.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, assert_never

from ridealong.harness.rest import FATES, Fate, Why, fate, resumption, without_lead
from ridealong.harness.waiting import Waiting as Waiting
from ridealong.proto.types import Samples, ms_from_samples, samples_from_ms
from ridealong.proto.words import joined

MAX_QUIET_MS: Final = 800.0
MIN_QUIET_MS: Final = 250.0
QUIET_PER_WAITED_MS: Final = 0.05
DIRECT_WITHIN_MS: Final = 10_000.0
DIRECT_SLACK_MS: Final = 300.0
"""A voice that ends this soon after the request was recognised is still the request's own tail."""
_DIRECT_SLACK: Final = samples_from_ms(DIRECT_SLACK_MS)
FIFO_AFTER_MS: Final = 8_000.0
CHARS_PER_S: Final = 4.0
BACKLOG: Final = 16
AGAIN_QUIET_MS: Final = 2_000.0
"""Before a reply that was cut is offered again: whoever cut it may be about to say why."""
ANSWER_FIRST_MS: Final = 8_000.0
"""So long a reply that was interrupted waits for the answer to the interruption to be heard first."""
LOAD_WAIT_MS: Final = 10_000.0
"""So long, after it was ready, a reply that is not urgent waits for a moment in which the driver is not busy."""
RENDERED_WITHIN_MS: Final = 15_000.0
"""A reply during which the device renders nothing for so long is given up."""
MAX_OFFERS: Final = 2
MAX_RENEWALS: Final = 3
"""So often an answer is found anew; then it is said as one of a moment ago."""


# --- events ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ReplyReady:
    reply: Waiting


@dataclass(frozen=True, slots=True)
class Boundary:
    """The front-end can take a reply now. `quiet_ms`: since anybody, the assistant too, was last heard.
    `invalid`: work ids of what is not so any more, judged at this instant; `stale`: of what is not, but can be found anew. `in_touch`: how long the device has been in touch
    by its own clock (a link that is down doesn't count); None: always. `loaded`: the driver is busy driving. `held`: must wait for
    something else to be settled."""

    at: Samples
    floor_free: bool
    quiet_ms: float
    invalid: frozenset[str] = frozenset()
    stale: frozenset[str] = frozenset()
    in_touch: Samples | None = None
    loaded: bool = False
    held: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Rendered:
    """The device's speaker went on, with this reply or with anything else ("" or another id). `heard`: of it so far."""

    work_id: str
    at: Samples
    heard: str = ""


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
    why: Why = Why.DEVICE


@dataclass(frozen=True, slots=True)
class Interrupted:
    """Somebody cut the assistant. What is in `under_way` was sent: how much of it was heard is still to come."""

    why: Why
    at: Samples
    under_way: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Withdraw:
    work_id: str
    reason: str
    at: Samples


@dataclass(frozen=True, slots=True)
class Tick:
    at: Samples


@dataclass(frozen=True, slots=True)
class Away:
    """The device has had no link for a while, and may not come back. Again from time to time, while that is so."""

    at: Samples


Event = ReplyReady | Boundary | Rendered | PlaybackFinished | PlaybackFlushed | Interrupted | Withdraw | Tick | Away


# --- effects ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Admit:
    work_id: str
    text: str
    locale: str
    at: Samples


@dataclass(frozen=True, slots=True)
class Renew:
    """It could be said now, but is not so any more: to be withdrawn, and found anew."""

    reply: Waiting
    at: Samples

    @property
    def work_id(self) -> str:
        return self.reply.work_id


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


@dataclass(frozen=True, slots=True)
class GivenUp:
    """Nothing was rendered for too long: what was sent of it should be flushed."""

    work_id: str
    at: Samples


Effect = Admit | Renew | Delivered | Expired | Again | Withdrawn | GivenUp


def required_quiet_ms(oldest_wait_ms: float) -> float:
    """Quiet needed before an unasked-for word: less, the longer somebody has waited."""
    return max(MIN_QUIET_MS, MAX_QUIET_MS - QUIET_PER_WAITED_MS * oldest_wait_ms)


@dataclass(slots=True)
class Delivery:
    pending: dict[str, Waiting] = field(default_factory=dict)
    presenting: Waiting | None = None
    in_touch: Samples = Samples(0)
    away_since: Samples | None = None  # by `in_touch`: nothing is admitted before it goes on
    rendered_at: Samples = Samples(0)  # by `in_touch`: when the speaker last went on, while one is presented
    heard_so_far: str = ""  # of the words of the one being presented
    answer_heard_at: Samples = Samples(-1)
    answered_until: tuple[Samples, Samples] = (Samples(-1), Samples(-1))  # (asked_at, end of its last answer)
    dropped: int = 0
    ignored: int = 0  # acknowledgments that fit nothing

    def on(self, event: Event) -> list[Effect]:
        match event:
            case ReplyReady(reply=reply):
                return self._ready(reply)
            case Boundary(at=at, in_touch=in_touch):
                self.in_touch = at if in_touch is None else in_touch
                if self.away_since is not None and self.in_touch > self.away_since:
                    self.away_since = None
                return [*self._tick(at), *self._boundary(event)]
            case Rendered(work_id=work_id, heard=heard):
                self.rendered_at = self.in_touch
                if self.presenting is not None and self.presenting.work_id == work_id:
                    self.heard_so_far = heard
                return []
            case PlaybackFinished(work_id=work_id, heard=heard, at=at):
                return self._finished(work_id, heard, at)
            case PlaybackFlushed(work_id=work_id, heard=heard, at=at, why=why):
                if self.presenting is None or self.presenting.work_id != work_id:
                    self.ignored += 1
                    return []
                return self._cut(heard, at, why)
            case Interrupted():
                return self._interrupted(event)
            case Withdraw(work_id=work_id, reason=reason, at=at):
                return self._withdraw(work_id, reason, at)
            case Tick(at=at):
                self.in_touch = max(self.in_touch, at)
                return self._tick(at)
            case Away(at=at):
                self.away_since = self.in_touch
                return [*self._lost(at), *self._tick(at)]
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
        if not event.floor_free or self.presenting is not None or not self.pending or self.away_since is not None:
            return effects
        ordered = self._in_order(event.at)
        gate_ms = required_quiet_ms(ms_from_samples(event.at - min([reply.ready_at for reply in ordered])))
        for reply in ordered:
            needed_ms = AGAIN_QUIET_MS if reply.offers else gate_ms
            if (
                event.at > reply.expires_at
                or reply.work_id in event.held
                or self._answer_first(reply, event.at)
                or self._spares_driver(reply, event)
            ):
                continue
            if event.quiet_ms >= needed_ms or self._direct(reply, event):
                del self.pending[reply.work_id]
                stale = reply.work_id in event.stale
                if stale and reply.renewals < MAX_RENEWALS:
                    return [*effects, Renew(reply, event.at)]
                self.presenting = reply._replace(offers=reply.offers + 1, dated=stale)
                self.rendered_at, self.heard_so_far = self.in_touch, ""
                return [*effects, Admit(reply.work_id, self.presenting.words, reply.locale, event.at)]
        return effects

    def _answer_first(self, reply: Waiting, at: Samples) -> bool:
        """Whoever interrupted this reply has not heard an answer yet, and there may still be one."""
        if not reply.waits_for_answer or reply.cut_at is None or self.answer_heard_at >= reply.cut_at:
            return False
        return ms_from_samples(at - reply.cut_at) < ANSWER_FIRST_MS

    def _spares_driver(self, reply: Waiting, event: Boundary) -> bool:
        """The driver is busy, and this can wait: whoever has just asked has an ear for the answer all the same."""
        if not event.loaded or reply.urgent or ms_from_samples(event.at - reply.ready_at) >= LOAD_WAIT_MS:
            return False
        return not self._direct(reply, event)

    def _direct(self, reply: Waiting, event: Boundary) -> bool:
        """Asked just now, and nothing was said since (an earlier answer to the same request is not something else)."""
        if reply.offers or reply.unasked or ms_from_samples(event.at - reply.asked_at) >= DIRECT_WITHIN_MS:
            return False
        asked_at, answered = self.answered_until
        settled = max(reply.asked_at, answered) if asked_at == reply.asked_at else reply.asked_at
        last_sound = event.at - samples_from_ms(event.quiet_ms)
        return last_sound <= settled + _DIRECT_SLACK

    def _in_order(self, at: Samples) -> list[Waiting]:
        """Who has waited 8 s first, oldest first; then the least slack before the deadline."""

        def rank(reply: Waiting) -> tuple[int, float, str]:
            if reply.first:
                return (-1, 0.0, reply.work_id)
            if ms_from_samples(at - reply.ready_at) >= FIFO_AFTER_MS:
                return (0, float(reply.ready_at), reply.work_id)
            slack_ms = ms_from_samples(reply.expires_at - at) - len(reply.text) / CHARS_PER_S * 1000
            return (1, slack_ms, reply.work_id)

        return sorted(self.pending.values(), key=rank)

    def _finished(self, work_id: str, heard: str, at: Samples) -> list[Effect]:
        if self.presenting is not None and self.presenting.work_id == work_id:
            reply, self.presenting = self.presenting, None
            self.answered_until, self.answer_heard_at = (reply.asked_at, at), at
            return [Delivered(work_id, reply.heard_in_all(heard), at)]
        late = self.pending.get(work_id)
        if late is None or not late.offers:
            self.ignored += 1
            return []
        # Given up as lost, but it was played after all: saying it again would be a repetition.
        del self.pending[work_id]
        return [Delivered(work_id, heard, at, late=True)]

    def _cut(self, heard: str, at: Samples, why: Why, given_up: bool = False) -> list[Effect]:
        """The presented reply ended early, `heard` of its words being heard: rest.FATES says what follows."""
        assert self.presenting is not None
        reply, self.presenting = self.presenting, None
        in_all, fresh = reply.heard_in_all(heard), without_lead(heard)
        what, rest = fate(why, reply.text, fresh, reply.important), resumption(reply.text, fresh)
        offers_left = rest and reply.offers < MAX_OFFERS and (reply.again or not in_all)
        if what not in (Fate.AGAIN, Fate.RESUMED) or not offers_left:
            reason = {Fate.DROPPED: "stop", Fate.SUPERSEDED: "corrected"}.get(what, "cut")
            return [Withdrawn(reply.work_id, reason, in_all, at)]
        said = reply.text[: len(reply.text) - len(rest)].strip()
        reply = reply._replace(
            text=rest,
            before=joined([reply.before, said]),
            heard=in_all,
            cut_at=at,
            waits_for_answer=what is Fate.AGAIN,
            given_up_at=at if given_up else None,
        )
        self.pending[reply.work_id] = reply
        return [Again(reply.work_id, in_all, at), *self._tick(at)]

    def _interrupted(self, event: Interrupted) -> list[Effect]:
        """Cuts what was admitted and had not left yet; a user who stops or corrects does not want earlier rests either."""
        effects: list[Effect] = []
        if self.presenting is not None and self.presenting.work_id not in event.under_way:
            effects += self._cut("", event.at, event.why)
        what = FATES[event.why].enough
        if what in (Fate.DROPPED, Fate.SUPERSEDED):
            for reply in [reply for reply in self.pending.values() if reply.cut_at is not None]:
                effects += self._withdraw(reply.work_id, "stop" if what is Fate.DROPPED else "corrected", event.at)
        return effects

    def _withdraw(self, work_id: str, reason: str, at: Samples) -> list[Effect]:
        if self.presenting is not None and self.presenting.work_id == work_id:
            reply, self.presenting = self.presenting, None
            return [Withdrawn(work_id, reason, reply.heard_in_all(self.heard_so_far), at)]
        waiting = self.pending.pop(work_id, None)
        if waiting is None:
            self.ignored += 1
            return []
        return [Withdrawn(work_id, reason, waiting.heard, at)]

    def _lost(self, at: Samples) -> list[Effect]:
        """What is presented is given up: nothing more will be heard of it."""
        if self.presenting is None:
            return []
        return [GivenUp(self.presenting.work_id, at), *self._cut(self.heard_so_far, at, Why.LINK, given_up=True)]

    def _tick(self, at: Samples) -> list[Effect]:
        if self.presenting is not None and ms_from_samples(self.in_touch - self.rendered_at) > RENDERED_WITHIN_MS:
            return self._lost(at)
        effects: list[Effect] = []
        for reply in [reply for reply in self.pending.values() if reply.has_expired(at)]:
            if self.away_since is None or reply.given_up_at is None:  # else the device will tell whether it was heard
                del self.pending[reply.work_id]
                effects.append(Expired(reply.work_id, at))
        return effects
