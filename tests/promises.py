"""What the journal promises whatever happens to the node, as a check: what reached the world outside against what a new process finds.

Nothing that was acknowledged is lost, nothing is done twice, what is not known is called unknown, and "done" is said only of what the
car confirmed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from ridealong.harness.journal import Journal
from ridealong.harness.work import Delivery, Execution


@dataclass
class Seen:
    """What reached the world outside the node, over all its lives."""

    actuated: Counter[str] = field(default_factory=Counter)  # key -> times
    values: Counter[tuple[str, float]] = field(default_factory=Counter)  # (session, number of the request) -> times
    answered: dict[str, str] = field(default_factory=dict)  # key -> what the car answered
    accepted: dict[str, tuple[str, int]] = field(default_factory=dict)
    said: dict[str, str] = field(default_factory=dict)
    played: set[str] = field(default_factory=set)
    newest: int = 0

    def take(self, words: Sequence[object]) -> None:
        """What a node tells (tests/process/crash_node.py)."""
        match words:
            case ["actuate", str(key), [[str(_), float(value)]]]:
                self.actuated[key] += 1
                self.values[key.partition("-")[0], value] += 1
            case ["accepted", str(work_id), str(session), int(number)]:
                self.accepted[work_id] = (session, number)
                self.newest = max(self.newest, number)
            case ["said", str(work_id), str(text)]:
                assert work_id not in self.said, "said twice"
                self.said[work_id] = text
            case ["played", str(work_id)]:
                self.played.add(work_id)
            case other:
                raise AssertionError(other)


def check(journal: Journal, seen: Seen, checked: set[str]) -> None:
    """By what is in the journal after recovery. `checked`: items of earlier lives; those of this one are added."""
    items = {item.id: item for item in journal.items()}
    assert seen.accepted.keys() | seen.said.keys() <= items.keys(), "what was acknowledged is lost"
    assert {key.rpartition(".")[0] for key in seen.actuated} <= items.keys(), "what was acted on is lost"
    assert max(seen.actuated.values(), default=1) == max(seen.values.values(), default=1) == 1, "done twice"
    for work_id in items.keys() - checked:
        item, events, intents = items[work_id], journal.events(work_id), journal.intents(work_id)
        assert len(events) == item.revision, "a transition is lost or doubled"
        assert item.over and item.request.split()[1] == item.session
        sent = {key for key in seen.actuated if key.rpartition(".")[0] == work_id}
        assert sent <= {intent.key for intent in intents}, "something was sent whose intent is lost"
        for intent in intents:
            answers = (seen.answered.get(intent.key), None, "timed_out") if intent.key in sent else ("refused", None)
            assert intent.state in answers, "the journal knows an answer that the car never gave"
        if work_id in seen.said:
            assert item.execution.over and item.reply == seen.said[work_id], "it was said before it was recorded"
        if item.reply.startswith("Set to"):
            assert item.execution is Execution.COMPLETED and [i.state for i in intents] == ["confirmed"], (
                "done, and not confirmed"
            )
            assert seen.answered[intents[0].key] == "confirmed"
        if any(intent.state is None for intent in intents):
            assert item.execution is Execution.UNKNOWN, "unknown, and not called so"
        if item.delivery is Delivery.DELIVERED:
            assert item.heard == seen.said[work_id]
    checked |= items.keys()
