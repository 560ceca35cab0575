"""What caused what on a run: which replies, actuations and work items belong to some words. Pure.

As far as the node's own account tells; without an account the time alone decides. Does not know what was expected (`judge.py`).
"""

from __future__ import annotations

from ridealong.simulators.trip.expected import SaidWords
from ridealong.simulators.trip.record import ActuationFact, CaptionFact, RunRecord, UtteranceFact, WorkFact

AFTERMATH_S = 3.0
"""How long after the words an effect can still be theirs."""
REPLY_EARLY_S = 0.3
"""An annotated end of words may lie this much after the true one."""
ANSWERED_WITHIN_S = 12.0
"""What begins later than this after some words does not answer them, unless a work item ties it to them."""

OF_OWN_ACCORD = frozenset({"watch.alert", "watch.ended", "watch.budget"})
"""Work that no words asked for just then."""


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
    words = words_answered(utterance, record, first_seen)
    return (words.start_s + words.end_s) / 2 if words is not None else begun_s


def words_answered(utterance: UtteranceFact, record: RunRecord, first_seen: dict[str, WorkFact]) -> CaptionFact | None:
    """The user's words that this utterance answers. None: by the node's account it answers none, or nobody can tell."""
    item = first_seen.get(utterance.work_id)
    if item is not None and item.capability in OF_OWN_ACCORD:
        return None
    begun_s = utterance.started_s if utterance.started_s is not None else utterance.received_s
    by_s = item.at_s if item is not None else begun_s
    spoken = [
        caption
        for caption in record.captions
        if caption.who == "user"
        and caption.addressee == "assistant"
        and caption.end_s <= by_s <= caption.end_s + ANSWERED_WITHIN_S
    ]
    return max(spoken, key=lambda caption: caption.end_s, default=None)


def replies_to(said: SaidWords, record: RunRecord, within_s: float, after_s: float = 0.0) -> list[UtteranceFact]:
    """Utterances that began after these words (or the last third of a second of them), within the time, and do not answer
    what was said only after these words."""
    earliest_s = max(said.start_s, said.end_s - REPLY_EARLY_S, after_s)
    first_seen = first_seen_of(record)
    replies = []
    for utterance in record.utterances:
        if utterance.started_s is None or not earliest_s <= utterance.started_s <= max(said.end_s, after_s) + within_s:
            continue
        words = words_answered(utterance, record, first_seen)
        if words is None or words.start_s <= said.end_s:
            replies.append(utterance)
    return replies
