"""Which results of some words were never told, or not to the end, and what overtook them: plain words for the report. Pure.

That is as it should be: what is not so any more when it could be said is withdrawn, and who interrupts does not want the rest. It must only be seen
to have happened. Does not know what was expected, or how a withdrawal was decided.
"""

from __future__ import annotations

from ridealong.simulators.trip.causes import first_seen_of, inside
from ridealong.simulators.trip.expected import SaidWords
from ridealong.simulators.trip.record import ActuationFact, RunRecord


def untold(said: SaidWords, record: RunRecord) -> list[str]:
    """One phrase for each item that was done for these words and then withdrawn."""
    phrases = []
    for work_id, first in first_seen_of(record).items():
        states = [fact for fact in record.work if fact.work_id == work_id]
        withdrawn = states[-1].execution == "completed" and states[-1].delivery == "withdrawn"
        if not inside(first.at_s, said) or not withdrawn:
            continue
        name = next((fact.capability for fact in reversed(states) if fact.capability), work_id)
        heard = " ".join(one.heard for one in record.utterances if one.work_id == work_id and one.heard.strip())
        newer = _newer(work_id, record)
        if newer is not None:
            wanted = ", ".join(f"{path.rsplit('.', 1)[-1]} = {_value(value)}" for path, value in newer.writes)
            phrases.append(
                f"{name}: done, and overtaken ({wanted} at {newer.at_s:.1f} s) before it could be told" + _as_far_as(heard)
            )
        elif heard:
            phrases.append(f"{name}: done, and told{_as_far_as(heard)}; the rest was dropped")
        else:
            phrases.append(f"{name}: done, and never told")
    return phrases


def _newer(work_id: str, record: RunRecord) -> ActuationFact | None:
    """The first request to the car for the same signals after this item's own."""
    own = [request for request in record.actuations if request.key.rpartition(".")[0] == work_id]
    if not own:
        return None
    paths, last_s = {path for request in own for path, _ in request.writes}, max(request.at_s for request in own)
    later = [request for request in record.actuations if request.at_s > last_s and paths & {path for path, _ in request.writes}]
    return min(later, key=lambda request: request.at_s, default=None)


def _as_far_as(heard: str) -> str:
    return f" as far as “{heard}”" if heard else ""


def _value(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
