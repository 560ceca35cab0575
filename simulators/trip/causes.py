"""What caused what on a run: which replies, actuations and work items belong to some words. Pure.

As far as the node's own account tells; without an account the time alone decides. Does not know what was expected (`judge.py`).
"""

from __future__ import annotations

from ridealong.simulators.trip.expected import SaidWords
from ridealong.simulators.trip.record import ActuationFact, RunRecord, UtteranceFact, WorkFact

AFTERMATH_S = 3.0
"""How long after the words an effect can still be theirs."""
REPLY_EARLY_S = 0.3
"""An annotated end of words may lie this much after the true one."""


def inside(at_s: float, said: SaidWords) -> bool:
    return said.start_s <= at_s <= said.end_s + AFTERMATH_S


def caused_actuations(said: SaidWords, record: RunRecord) -> list[ActuationFact]:
    return [request for request in record.actuations if inside(request.requested_at_s or request.at_s, said)]


def first_seen_of(record: RunRecord) -> dict[str, WorkFact]:
    seen: dict[str, WorkFact] = {}
    for fact in record.work:
        seen.setdefault(fact.work_id, fact)
    return seen


def cause_s(utterance: UtteranceFact, record: RunRecord, first_seen: dict[str, WorkFact]) -> float:
    """When the thing happened that this utterance answers."""
    begun_s = utterance.started_s if utterance.started_s is not None else utterance.received_s
    if utterance.work_id in first_seen:
        return first_seen[utterance.work_id].at_s
    for caption in sorted(record.captions, key=lambda caption: caption.end_s, reverse=True):
        if caption.who == "user" and caption.addressee == "assistant" and caption.end_s <= begun_s <= caption.end_s + 12.0:
            return (caption.start_s + caption.end_s) / 2
    return begun_s


def replies_to(said: SaidWords, record: RunRecord, within_s: float, after_s: float = 0.0) -> list[UtteranceFact]:
    """Utterances that began after these words (or the last third of a second of them) and within the time."""
    earliest_s = max(said.start_s, said.end_s - REPLY_EARLY_S, after_s)
    return [
        utterance
        for utterance in record.utterances
        if utterance.started_s is not None and earliest_s <= utterance.started_s <= max(said.end_s, after_s) + within_s
    ]
