"""How an execution ended, from what the skill said and what the car answered. Pure.

A claim of success that the car does not bear out is turned into what is known, and said plainly: that a part was done, too. Who had nothing
confirmed says nothing of having acted. What was halted on its way for a cancel is cancelled, and says where it stands. Something sent and not answered makes the outcome unknown: it is never assumed, and never tried again.
Does not know how a skill runs, or when its reply is spoken.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final, assert_never

from ridealong.harness import work
from ridealong.harness.claims import NOTHING_DONE, without_claims
from ridealong.harness.doing import HALTED, PARTLY
from ridealong.harness.polish import polish
from ridealong.harness.port import GuardedPort
from ridealong.harness.runner import Ended, Raised, Spoke, Stopped, TimedOut
from ridealong.harness.sentences import sentence
from ridealong.harness.skill import OURS, Holds, Outcome, Spoken, Still, Transient
from ridealong.harness.slots.text import has_chinese
from ridealong.harness.work import Execution, WorkEvent, WorkItem
from ridealong.proto.types import Samples

NOT_CONFIRMED: Final = "not_confirmed"
UNWRITTEN: Final = frozenset({"journal", "not_durable"})
"""Refused by ourselves, here or in the device: the intent could not be put on the disk."""
LEAST_CHANGE: Final = 0.4
LEAST_SHARE: Final = 0.02
"""Of a number: what is less is no change."""


def conclusion(item: WorkItem, how: Ended, port: GuardedPort, at: Samples) -> WorkEvent:
    """How an execution ended, by what the skill said and what the car answered. A claim that the car does not bear out is not said."""
    cancelling = item.execution is Execution.CANCELLING

    def plain(reason: str) -> str:
        return sentence(reason, item.locale)

    def unknown(reason: str) -> WorkEvent:
        return work.LoseTrack(at, plain("unknown"), reason)

    def partly(said: str = "") -> WorkEvent:
        """A part of it was confirmed, and not all."""
        told = plain("partly_unknown" if port.contradiction is Outcome.UNKNOWN else "partly_done")
        return work.LoseTrack(at, f"{said}{'' if has_chinese(told) else ' '}{told}".strip(), PARTLY)

    def acknowledged() -> WorkEvent:
        """Something may have been sent before it stopped: that is not undone."""
        if port.uncertain:
            return work.LoseTrack(at, plain("partly"), PARTLY) if port.done and not port.unanswered else unknown("cancelled")
        return work.CancelAcknowledged(at, plain("cancelled"), item.reason or "asked")

    def not_done(outcome: Outcome, reply: str, reason: str, told: str = "") -> WorkEvent:
        if cancelling:
            return acknowledged()
        return partly(told) if port.done else work.Fail(at, reply, outcome, reason)

    match how:
        case Spoke(spoken=spoken) if cancelling and port.was_halted and spoken.reason == HALTED:
            return partly(polish(spoken.text)) if port.done else work.CancelAcknowledged(at, polish(spoken.text), HALTED)
        case Spoke(spoken=spoken):
            outcome, text, reason = _borne_out(spoken, port, item.locale)
            match outcome:
                case Outcome.COMPLETED:
                    return work.Complete(at, text, outcome, reason, _as_confirmed(spoken.holds, port))
                case Outcome.ASKS:
                    return acknowledged() if cancelling else work.Complete(at, text or plain("asks"), outcome, reason)
                case Outcome.REFUSED:
                    return not_done(outcome, text or plain("journal" if reason in UNWRITTEN else "refused"), reason, text)
                case Outcome.FAILED:
                    return not_done(outcome, text or plain("failed"), reason, text)
                case Outcome.UNKNOWN if port.done and not text:
                    return partly()
                case Outcome.UNKNOWN:
                    return work.LoseTrack(at, text or plain("unknown"), reason)
                case _:
                    assert_never(outcome)
        case Raised(kind=kind):
            told = plain("unavailable" if kind == Transient.__name__ else "failed")
            return unknown(kind) if port.uncertain else not_done(Outcome.FAILED, told, kind)
        case TimedOut(stopped=stopped):
            lost = port.uncertain or (not stopped and bool(port.job.skill.actuates))
            return unknown("timeout") if lost else not_done(Outcome.FAILED, plain("timeout"), "timeout")
        case Stopped(stopped=stopped):
            return acknowledged() if stopped and cancelling else unknown("cancelled")
        case _:
            assert_never(how)


def _borne_out(spoken: Spoken, port: GuardedPort, locale: str) -> tuple[Outcome, str, str]:
    """(outcome, text, reason) of what a skill said, as far as it is known to be so; no text where nothing of it may be said."""
    outcome, text, reason = spoken.outcome, polish(spoken.text), spoken.reason
    truth = port.contradiction
    if outcome is Outcome.COMPLETED and truth is not None:
        return truth, "", port.short.get(truth) or NOT_CONFIRMED
    admits = outcome in (Outcome.REFUSED, Outcome.FAILED, Outcome.UNKNOWN)
    if port.job.skill.group in OURS or (port.done and (admits or truth is None)):
        return outcome, text, reason
    honest = without_claims(text, how_it_is=port.looked)
    if outcome is not Outcome.COMPLETED or honest == text:
        return outcome, honest, reason
    honest = honest or NOTHING_DONE[locale.lower().startswith("zh")]
    return (outcome, honest, reason) if port.job.skill.read_only else (Outcome.FAILED, honest, NOT_CONFIRMED)


def _as_confirmed(holds: Holds, port: GuardedPort) -> Holds:
    """What was said of a change is no news any more when somebody has changed it again: by more than sensors waver. Words a signal takes (a
    switch's) may be of the moment, and say nothing."""
    known = {still.path for still in holds.still}
    changed = tuple(
        Still(path, value, max(LEAST_CHANGE, LEAST_SHARE * abs(value)))
        for path, value in port.confirmed_values.items()
        if path not in known and not isinstance(value, str)
    )
    return replace(holds, still=holds.still + changed) if changed else holds
