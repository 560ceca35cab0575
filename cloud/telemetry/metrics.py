"""Observations as Prometheus counters and histograms, in a registry of its own.

Labels are closed or bounded: states, outcomes, known reason codes, and names of capabilities that the node registered itself. Nothing
that anybody said, and no session, becomes a label. Counts start with the process. Does not know the network or spans.
"""

from __future__ import annotations

from collections.abc import Set
from typing import Final, assert_never

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from ridealong.cloud.telemetry.names import Names
from ridealong.harness.journal import INTERRUPTED, Intent, Recorded, Result
from ridealong.harness.journal_rows import event_to_row
from ridealong.harness.observing import (
    Decided,
    FellShort,
    ModelUnit,
    NotConsented,
    Observation,
    Outside,
    StrangeAnswer,
    TriedAgain,
    TurnedAway,
    Unwritten,
)
from ridealong.harness.reasons import REASONS, bounded
from ridealong.harness.work import Admit, DeliveryEvent, Played, WorkEvent, WorkItem
from ridealong.proto.types import Samples, ms_from_samples

BUCKETS_S: Final = (0.05, 0.1, 0.2, 0.35, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 5.0, 8.0, 15.0, 30.0, 60.0, 300.0)


class Metrics:
    """`names`, `reasons`: what may be a label. Safe from any thread."""

    def __init__(self, names: Names, reasons: Set[str] = REASONS) -> None:
        self.registry = CollectorRegistry()
        self._names, self._reasons = names, reasons

        def counter(name: str, what: str, *labels: str) -> Counter:
            return Counter(f"ridealong_{name}", what, labels, registry=self.registry)

        self._items = counter("work_items", "Work items that were made.", "capability", "provenance")
        self._transitions = counter(
            "transitions",
            "Transitions of the two machines, as in the journal.",
            "machine",
            "before",
            "after",
            "cause",
            "capability",
        )
        self._outcomes = counter("outcomes", "How executions ended.", "capability", "outcome", "reason")
        self._withdrawn = counter("withdrawals", "Replies that were not, or not to the end, said.", "reason")
        self._decisions = counter("decisions", "What the words of requests led to.", "decision", "reason")
        self._calls = counter("decided_calls", "Calls that came of the decisions.")
        self._turned_away = counter("rejections", "Requests of which no work came.", "reason")
        self._tries = counter("retries", "Tries again after a fault that passes.", "what", "reason")
        self._intents = counter("actuation_intents", "Actuations that were journalled before they were sent.")
        self._results = counter("actuation_results", "What became of actuations.", "state", "reason")
        self._unwritten = counter("journal_failures", "Times that the journal could not be written.", "kind")
        self._outside = counter(
            "outside_programs", "Workers and MCP servers that started, or failed and are started again.", "kind", "name", "change"
        )
        self._not_consented = counter(
            "not_consented", "Messages with sound or pictures that the device had said it may not capture; dropped.", "source"
        )
        self._strange = counter("strange_answers", "Answers of a device for what was asked of another one's car; ignored.")
        self._fell_short = counter("model_shortfalls", "Units that the 9B model answered late, in part, or not at all.", "what")
        self._unit_times = Histogram(
            "ridealong_model_unit_seconds",
            "From a unit's hand-over to the 9B model until its answer.",
            buckets=BUCKETS_S,
            registry=self.registry,
        )
        self._headroom = Gauge(
            "ridealong_model_headroom_rows",
            "Rows of context still free in the session that was answered last.",
            registry=self.registry,
        )
        self._load = Gauge("ridealong_model_load", "Share of the time in which the 9B model runs.", registry=self.registry)
        self._times = Histogram(
            "ridealong_stage_seconds",
            "Of a request: until it was done (from the intent), inserted (from done), played (from inserted); whole: intent to played.",
            ("stage", "capability"),
            buckets=BUCKETS_S,
            registry=self.registry,
        )

    def on(self, observation: Observation) -> None:
        match observation:
            case Recorded(item=item, event=event, before=before):
                if event is None or before is None:
                    self._items.labels(self._names.of(item.capability), item.provenance.value).inc()
                else:
                    self._moved(item, event, before)
            case Decided(decision=decision, reason=reason, calls=calls):
                self._decisions.labels(decision, self._code(reason)).inc()
                self._calls.inc(calls)
            case TurnedAway(reason=reason):
                self._turned_away.labels(self._code(reason)).inc()
            case TriedAgain(what=what, reason=reason):
                self._tries.labels(what, self._code(reason)).inc()
            case Intent():
                self._intents.inc()
            case Result(state=state, reason=reason):
                self._results.labels(state.value, self._code(reason)).inc()
            case Unwritten(kind=kind):
                self._unwritten.labels(kind).inc()
            case Outside(kind=kind, name=name, change=change):
                self._outside.labels(kind, name, change.value).inc()
            case NotConsented(source=source):
                self._not_consented.labels(source).inc()
            case StrangeAnswer():
                self._strange.inc()
            case FellShort(what=what):
                self._fell_short.labels(what).inc()
            case ModelUnit(took_ms=took_ms, headroom_rows=headroom_rows, load=load):
                self._unit_times.observe(took_ms / 1000)
                self._headroom.set(headroom_rows)
                self._load.set(load)
            case _:
                assert_never(observation)

    def _moved(self, item: WorkItem, event: WorkEvent, before: WorkItem) -> None:
        _, _, machine, left, entered, cause, reason, _ = event_to_row(item, event, before)
        name = self._names.of(item.capability)
        self._transitions.labels(machine, left, entered, cause, name).inc()
        if item.execution.over and not before.execution.over:
            outcome = item.outcome.value if item.outcome is not None else item.execution.value
            self._outcomes.labels(name, outcome, self._code(item.reason)).inc()
            if item.done_at is not None and item.reason != INTERRUPTED:  # those ended with the process before this one
                self._time("done", name, item.intent_at, item.done_at)
        if isinstance(event, DeliveryEvent) and entered == "withdrawn":
            self._withdrawn.labels(self._code(str(reason))).inc()
        if isinstance(event, Admit) and item.done_at is not None:
            self._time("inserted", name, item.done_at, event.at)
        if isinstance(event, Played) and item.inserted_at is not None:
            self._time("played", name, item.inserted_at, event.at)
            self._time("whole", name, item.intent_at, event.at)

    def _time(self, stage: str, name: str, begin: Samples, end: Samples) -> None:
        self._times.labels(stage, name).observe(max(0.0, ms_from_samples(Samples(end - begin))) / 1000)

    def _code(self, reason: str) -> str:
        return bounded(reason, self._reasons)
