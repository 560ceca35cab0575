"""Compares what happened on a run with what was expected. Pure: `judge(expectations, record) -> outcomes`.

Each check is a function from one expectation and the record to a verdict with its reason in plain words. What cannot be shown
to have happened has failed. Does not know how the record was made.

A reply, an actuation or a work item is *caused* by some words when what asked for it ended between the beginning of those words
and 3 s after their end, as far as the node's own account tells; without an account the time alone decides.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import assert_never

from ridealong.proto.types import SignalValue
from ridealong.simulators.trip.causes import AFTERMATH_S, cause_s, caused_actuations, first_seen_of, inside, replies_to
from ridealong.simulators.trip.expected import (
    Asks,
    Check,
    Continues,
    Expectation,
    Nothing,
    NotSignal,
    Refused,
    ReplyExpected,
    SaidWords,
    SignalExpected,
    SilenceExpected,
    WorkExpected,
)
from ridealong.simulators.trip.record import RunRecord, UtteranceFact
from ridealong.simulators.trip.signal_history import HOLD_S, history_of, settled_from, value_at
from ridealong.simulators.trip.untold import untold
from ridealong.simulators.trip.wording import contains

REASON_WORDS: dict[str, tuple[str, ...]] = {
    "moving": (
        "moving", "driving", "while we drive", "in motion", "on the move", "once we stop", "until we stop", "when we stop", "have stopped", "parked",
        "at this speed", "too fast", "行驶", "开车", "停车", "停稳", "停下", "行车", "车速",
    ),
    "unknown_speed": ("don't know how fast", "can't tell how fast", "speed is unknown", "don't know the speed", "do not know", "车速未知", "不知道车速"),
    "never": ("not allowed", "never", "can't control", "cannot control", "don't control", "不允许", "不能控制", "无法控制"),
    "confirmation": ("sure", "confirm", "确认", "确定"),
    "out_of_range": ("between", "range", "at most", "at least", "之间", "范围", "最高", "最低"),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class OutcomeResult:
    """`status`: passed, failed or later (printed as not yet, not counted)."""

    id: str
    status: str
    why: str


@dataclass(frozen=True, slots=True)
class _Verdict:
    good: bool
    why: str


def judge(expectations: tuple[Expectation, ...], record: RunRecord) -> list[OutcomeResult]:
    """One result per expectation, in order. An expectation passes when all its checks do; what was done for it and never told is said."""
    by_id = {item.id: item for item in expectations}
    results = []
    for item in expectations:
        verdicts = [_check(check, item.said, record, by_id) for check in item.checks]
        failed = [verdict.why for verdict in verdicts if not verdict.good]
        why = "; ".join([*(failed or [verdict.why for verdict in verdicts]), *untold(item.said, record)])
        if item.later:
            results.append(OutcomeResult(item.id, "later", "not yet" if failed else "not counted yet, though it held: " + why))
        elif record.duration_s and item.said.end_s > record.duration_s + 0.5:
            results.append(OutcomeResult(item.id, "failed", f"the run ended at {record.duration_s:.1f} s, before these words"))
        else:
            results.append(OutcomeResult(item.id, "failed" if failed else "passed", why))
    return results


def _check(check: Check, said: SaidWords, record: RunRecord, by_id: dict[str, Expectation]) -> _Verdict:
    match check:
        case SignalExpected():
            return _signal(check, said, record)
        case NotSignal():
            return _not_signal(check, said, record)
        case ReplyExpected():
            return _reply(check, said, record, by_id)
        case Refused():
            return _refused(check, said, record)
        case Asks():
            return _asks(check, said, record)
        case Nothing():
            return _nothing(said, record)
        case SilenceExpected():
            return _silence(check, said, record)
        case Continues():
            return _continues(said, record)
        case WorkExpected():
            return _work(check, said, record)
        case _:
            assert_never(check)


# --- the car ---------------------------------------------------------------------------------------------------------


def same_value(value: SignalValue, wanted: SignalValue, tolerance: float = 0.01) -> bool:
    """Numbers within the tolerance, words without case; true is not 1."""
    if isinstance(value, bool) or isinstance(wanted, bool):
        return isinstance(value, bool) and isinstance(wanted, bool) and value == wanted
    if isinstance(value, int | float) and isinstance(wanted, int | float):
        return abs(value - wanted) <= tolerance + 1e-9
    return isinstance(value, str) and isinstance(wanted, str) and value.casefold() == wanted.casefold()


def _signal(check: SignalExpected, said: SaidWords, record: RunRecord) -> _Verdict:
    history = history_of(record, check.path)
    if not history:
        return _Verdict(False, f"{check.path} was never reported by the car")
    latest_s = said.end_s + check.within_s
    at_start = value_at(history, said.start_s)
    candidates = ([at_start] if at_start else []) + [change for change in history if said.start_s < change.at_s <= latest_s]
    for candidate in candidates:
        if not same_value(candidate.value, check.value, check.tolerance):
            continue
        after = [
            change
            for change in history
            if change.at_s > candidate.at_s and not same_value(change.value, check.value, check.tolerance)
        ]
        from_s = max(candidate.at_s, said.start_s)
        if not after or after[0].at_s - from_s >= HOLD_S or _asked_between(record, check.path, from_s, after[0].at_s):
            if candidate is at_start:
                if after and after[0].at_s <= latest_s:
                    continue
                if not _asked_between(record, check.path, said.start_s, latest_s):
                    return _Verdict(
                        False, f"{_short(check.path)} was {_show(check.value)} already and nothing was asked of the car"
                    )
                return _Verdict(True, f"{_short(check.path)} was {_show(check.value)} already and was asked for again")
            settled = settled_from(candidate, history, after[0].at_s if after else float("inf"))
            return _Verdict(
                True, f"{_short(check.path)} = {_show(settled.value)} after {max(0.0, settled.at_s - said.end_s):.1f} s"
            )
    last = value_at(history, latest_s)
    shown = _show(last.value) if last else "unknown"
    return _Verdict(False, f"{_short(check.path)} was {shown}, not {_show(check.value)}, {check.within_s:g} s after the words")


def _asked_between(record: RunRecord, path: str, start_s: float, end_s: float) -> bool:
    return any(
        start_s <= request.at_s <= end_s + 0.5
        for request in record.actuations
        for written, _ in request.writes
        if written == path
    )


def _not_signal(check: NotSignal, said: SaidWords, record: RunRecord) -> _Verdict:
    history = history_of(record, check.path)
    before = value_at(history, said.start_s)
    previous = before.value if before else None
    for change in history:
        if not said.start_s < change.at_s <= said.end_s + check.within_s:
            continue
        if check.value is None:
            if previous is None or not same_value(change.value, previous):
                return _Verdict(False, f"{_short(check.path)} changed to {_show(change.value)} at {change.at_s:.1f} s")
        elif same_value(change.value, check.value) and (previous is None or not same_value(previous, check.value)):
            return _Verdict(False, f"{_short(check.path)} became {_show(change.value)} at {change.at_s:.1f} s")
        previous = change.value
    return _Verdict(True, f"{_short(check.path)} stayed as it was")


# --- speech ----------------------------------------------------------------------------------------------------------


def _reply(check: ReplyExpected, said: SaidWords, record: RunRecord, by_id: dict[str, Expectation]) -> _Verdict:
    after = by_id.get(check.after)
    candidates = replies_to(said, record, check.within_s, after.said.end_s if after else 0.0)
    if after:  # the window counts from this request, the order from the other one
        candidates = [utterance for utterance in candidates if (utterance.started_s or 0.0) <= said.end_s + check.within_s]
    if not candidates:
        return _Verdict(False, f"no reply began within {check.within_s:g} s" + (f" and after {check.after!r}" if after else ""))
    texts = [utterance.heard if check.heard else utterance.text for utterance in candidates]
    if check.heard and not any(text.strip() for text in texts):
        return _Verdict(False, "a reply was sent, but nothing of it was heard")
    whole = " ".join(texts)
    verb = "heard" if check.heard else "said"
    if check.contains_any and not any(contains(text, wanted) for text in [*texts, whole] for wanted in check.contains_any):
        return _Verdict(False, f"{verb} {_quote(whole)}, with none of {', '.join(map(repr, check.contains_any))}")
    lacking = [wanted for wanted in check.contains_all if not contains(whole, wanted)]
    if lacking:
        return _Verdict(False, f"{verb} {_quote(whole)}, without {', '.join(map(repr, lacking))}")
    told = next((text for text in texts if any(contains(text, wanted) for wanted in check.contains_any)), whole)
    return _Verdict(True, f"{verb} {_quote(told)}")


def _refused(check: Refused, said: SaidWords, record: RunRecord) -> _Verdict:
    requests = caused_actuations(said, record)
    for request in requests:
        if request.applied:
            return _Verdict(
                False, f"the car was changed ({', '.join(_short(path) for path, _ in request.writes)}: {request.state})"
            )
    replies = [utterance for utterance in replies_to(said, record, check.within_s) if utterance.heard.strip()]
    if not replies:
        return _Verdict(False, f"nothing was said about it within {check.within_s:g} s")
    whole = " ".join(utterance.heard for utterance in replies)
    if not check.reason:
        return _Verdict(True, f"no actuation; heard {_quote(whole)}")
    coded = any(request.state == "refused" and request.reason == check.reason for request in requests)
    worded = any(contains(whole, words) for words in REASON_WORDS.get(check.reason, (check.reason.replace("_", " "),)))
    if coded or worded:
        return _Verdict(True, f"no actuation; heard {_quote(whole)}")
    codes = ", ".join(sorted({request.reason for request in requests if request.reason})) or "none"
    return _Verdict(False, f"heard {_quote(whole)}, which does not give the reason {check.reason!r} (codes: {codes})")


def _asks(check: Asks, said: SaidWords, record: RunRecord) -> _Verdict:
    applied = [request for request in caused_actuations(said, record) if request.applied]
    if applied:
        return _Verdict(
            False, f"the car was changed instead of asking ({', '.join(_short(path) for path, _ in applied[0].writes)})"
        )
    for utterance in replies_to(said, record, check.within_s):
        question = "?" in utterance.heard or "？" in utterance.heard
        if question and (not check.contains_any or any(contains(utterance.heard, wanted) for wanted in check.contains_any)):
            return _Verdict(True, f"asked {_quote(utterance.heard)}")
    heard = " ".join(utterance.heard for utterance in replies_to(said, record, check.within_s))
    return _Verdict(
        False, f"no such question was heard within {check.within_s:g} s" + (f", but {_quote(heard)}" if heard.strip() else "")
    )


def _nothing(said: SaidWords, record: RunRecord) -> _Verdict:
    for request in caused_actuations(said, record):
        return _Verdict(
            False,
            f"the car was asked to change {', '.join(_short(path) for path, _ in request.writes)} ({request.state or 'no result'})",
        )
    first_seen = first_seen_of(record)
    for utterance in record.utterances:
        begun_s = utterance.started_s if utterance.started_s is not None else utterance.received_s
        if inside(begun_s, said) and inside(cause_s(utterance, record, first_seen), said):
            return _Verdict(False, f"the assistant answered {_quote(utterance.text)} at {begun_s:.1f} s")
    for work_id, fact in first_seen.items():
        if inside(fact.at_s, said) and _heard_in(said, record):
            return _Verdict(False, f"work was begun for it ({fact.capability or work_id})")
    speaking = _speaking_at(record, said.start_s)
    if speaking is None:
        return _Verdict(True, "no actuation, no reply")
    kept_on = _goes_on(speaking, said, record)
    return _Verdict(kept_on.good, kept_on.why if not kept_on.good else "no actuation, no reply; " + kept_on.why)


def _heard_in(said: SaidWords, record: RunRecord) -> bool:
    """Whether the node took something within these words as said to it."""
    return any(
        caption.who == "user"
        and caption.addressee == "assistant"
        and said.start_s - 0.3 <= (caption.start_s + caption.end_s) / 2 <= said.end_s + 0.3
        for caption in record.captions
    )


def _speaking_at(record: RunRecord, at_s: float) -> UtteranceFact | None:
    """The utterance that was being played at this moment."""
    for utterance in record.utterances:
        if (
            utterance.started_s is not None
            and utterance.started_s <= at_s
            and (utterance.ended_s is None or at_s < utterance.ended_s)
        ):
            return utterance
    return None


def _goes_on(utterance: UtteranceFact, said: SaidWords, record: RunRecord) -> _Verdict:
    if any(inside(flush.at_s, said) and flush.epoch >= utterance.epoch for flush in record.flushes):
        return _Verdict(False, f"the assistant was cut off; heard only {_quote(utterance.heard)}")
    if utterance.state == "flushed" and (utterance.ended_s is None or utterance.ended_s <= said.end_s + AFTERMATH_S):
        return _Verdict(False, f"the assistant was cut off; heard only {_quote(utterance.heard)}")
    if utterance.state == "flushed" or utterance.state == "finished":
        return _Verdict(True, "speech went on")
    if utterance.ended_s is None or utterance.ended_s > said.end_s + 0.5:
        return _Verdict(True, "speech went on")
    return _Verdict(False, "speech stopped and was never finished")


def _silence(check: SilenceExpected, said: SaidWords, record: RunRecord) -> _Verdict:
    playing = [sound for sound in record.sounds if sound.start_s <= said.start_s < sound.end_s]
    speaking = _speaking_at(record, said.start_s)
    if not playing and speaking is None:
        return _Verdict(False, "the speaker was already silent when the words began")
    next_start_s = min((began_s for began_s, epoch in _starts(record) if began_s > said.start_s and (speaking is None or epoch > speaking.epoch)),
                       default=float("inf"))  # fmt: skip
    reply_end_s = _reply_end(speaking, record) if speaking is not None else float("inf")
    old = [sound for sound in record.sounds if sound.end_s > said.start_s and sound.start_s < min(next_start_s, reply_end_s)]
    end_s = max((min(sound.end_s, next_start_s) for sound in old), default=said.start_s)
    took_ms = (end_s - said.start_s) * 1000
    if took_ms > check.within_ms:
        return _Verdict(
            False, f"the speaker was silent only {took_ms:.0f} ms after the words began (at most {check.within_ms:.0f} ms)"
        )
    by_itself = (
        speaking is not None and speaking.state == "finished" and not any(inside(flush.at_s, said) for flush in record.flushes)
    )
    if check.cut and (speaking is None or speaking.state != "flushed"):
        return _Verdict(False, f"silent after {took_ms:.0f} ms, but the reply was not cut off: it had come to its end")
    return _Verdict(True, f"silent after {took_ms:.0f} ms" + (" (the reply had come to its end)" if by_itself else ""))


def _starts(record: RunRecord) -> list[tuple[float, int]]:
    return [(utterance.started_s, utterance.epoch) for utterance in record.utterances if utterance.started_s is not None]


def _reply_end(speaking: UtteranceFact, record: RunRecord) -> float:
    """The end of the reply that this utterance belongs to: utterances of one epoch that follow within a second."""
    end_s = speaking.ended_s if speaking.ended_s is not None else float("inf")
    for utterance in sorted(record.utterances, key=lambda utterance: utterance.started_s or 0.0):
        if (
            utterance.started_s is not None
            and utterance.epoch == speaking.epoch
            and end_s <= utterance.started_s + 0.1 <= end_s + 1.1
        ):
            end_s = utterance.ended_s if utterance.ended_s is not None else float("inf")
    return end_s


def _continues(said: SaidWords, record: RunRecord) -> _Verdict:
    speaking = _speaking_at(record, said.start_s)
    if speaking is None:
        return _Verdict(False, "the assistant was not speaking when the words began, so nothing could go on")
    return _goes_on(speaking, said, record)


def _work(check: WorkExpected, said: SaidWords, record: RunRecord) -> _Verdict:
    first_seen = first_seen_of(record)
    begun = [
        work_id for work_id, fact in first_seen.items()
        if said.start_s <= fact.at_s <= said.end_s + DEFAULT_BEGIN_S and (not check.capability or _capability(record, work_id) == check.capability)
    ]  # fmt: skip
    if not begun:
        return _Verdict(
            False,
            "no work item" + (f" of {check.capability}" if check.capability else "") + f" was begun within {DEFAULT_BEGIN_S:g} s",
        )
    reached: set[str] = set()
    for work_id in begun:
        reached = {
            state.casefold()
            for fact in record.work
            if fact.work_id == work_id and fact.at_s <= said.end_s + check.within_s
            for state in (fact.execution, fact.delivery)
        }
        if set(check.states) <= reached:
            return _Verdict(True, f"reached {', '.join(check.states)}")
    lacking = [state for state in check.states if state not in reached]
    return _Verdict(False, f"never reached {', '.join(lacking)} (reached {', '.join(sorted(reached))})")


DEFAULT_BEGIN_S = 12.0


def _capability(record: RunRecord, work_id: str) -> str:
    return next((fact.capability for fact in reversed(record.work) if fact.work_id == work_id and fact.capability), "")


# --- words for people ------------------------------------------------------------------------------------------------


def _short(path: str) -> str:
    """A VSS path without the beginning that they all share."""
    return path.removeprefix("Vehicle.").removeprefix("Cabin.")


def _show(value: SignalValue) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _quote(text: str) -> str:
    text = " ".join(text.split())
    return f"“{text[:157]}…”" if len(text) > 160 else f"“{text}”"
