"""Observations as OpenTelemetry spans: a request, below it each execution, below that its deliveries and what it asked of the car.

    request ─ execution ─┬─ actuation
                         └─ delivery          the machines' transitions are events of these two

Times are the device's sample clock, laid on the wall clock once a session: at its first observation. Words are attributes only where
`content` is set. What is not over is held, bounded. Does not know where spans go, or metrics.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass, field
from threading import Lock
from typing import Final, TypeVar, assert_never

from opentelemetry.context import Context
from opentelemetry.trace import Span, Status, StatusCode, Tracer, set_span_in_context

from ridealong.cloud.telemetry.names import Names
from ridealong.harness.journal import Intent, Recorded, Result
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
from ridealong.harness.work import Execution, WorkEvent, WorkItem
from ridealong.proto.types import CLOCK_HZ, Samples

MAX_HELD: Final = 4_096
"""Requests, and sessions, that are remembered; the oldest goes first, and what is open of it ends then."""
MAX_CONTENT_CHARS: Final = 500
NS_PER_S: Final = 1_000_000_000
FAULTY: Final = frozenset({Execution.FAILED, Execution.UNKNOWN})


@dataclass(slots=True)
class _Work:
    """The spans of one item. `delivery` None: nothing is being delivered."""

    execution: Span
    delivery: Span | None = None
    actuations: dict[str, Span] = field(default_factory=dict)
    over: bool = False


@dataclass(slots=True)
class _Request:
    span: Span
    works: dict[str, _Work] = field(default_factory=dict)
    ended: bool = False


class Spans:
    """`names`, `reasons`: what may be told. `wall_ns`: nanoseconds since 1970. Safe from any thread."""

    def __init__(
        self,
        tracer: Tracer,
        names: Names,
        *,
        content: bool = False,
        reasons: Set[str] = REASONS,
        wall_ns: Callable[[], int] = time.time_ns,
    ) -> None:
        self._tracer, self._names, self._content, self._reasons, self._wall_ns = tracer, names, content, reasons, wall_ns
        self._lock = Lock()
        self._zero_ns: OrderedDict[str, int] = OrderedDict()  # session -> wall clock at its sample 0
        self._requests: OrderedDict[str, _Request] = OrderedDict()
        self._works: dict[str, str] = {}  # work id -> request
        self._decisions: OrderedDict[str, Decided] = OrderedDict()  # of requests of which no item is written yet

    def on(self, observation: Observation) -> None:
        with self._lock:
            match observation:
                case Recorded(item=item, event=None) | Recorded(item=item, before=None):
                    self._begun(item, item.intent_at)
                case Recorded(item=item, event=event, before=before):
                    assert event is not None and before is not None
                    self._moved(item, event, before)
                case Intent(key=key, work_id=work_id, at=at):
                    self._asked_car(key, work_id, at)
                case Result(key=key, state=state, reason=reason, at=at):
                    self._car_answered(key, state.value, bounded(reason, self._reasons), at)
                case Decided(session=session, request=request):
                    _held(self._decisions, f"{session}|{request}", lambda: observation)
                case TurnedAway(reason=reason, session=session, at=at):
                    span = self._tracer.start_span("request", Context(), start_time=self._ns(session, at))
                    span.set_attribute("ridealong.turned_away", bounded(reason, self._reasons))
                    span.end(self._ns(session, at))
                case TriedAgain(what=what, reason=reason, work_id=work_id):
                    if (work := self._work(work_id)) is not None:
                        work.execution.add_event(
                            "TriedAgain", {"what": what, "reason": bounded(reason, self._reasons)}, self._wall_ns()
                        )
                case Unwritten() | Outside() | NotConsented() | StrangeAnswer() | FellShort() | ModelUnit():
                    pass  # counted; it belongs to no item
                case _:
                    assert_never(observation)

    def close(self) -> None:
        """End what is open: the node stops."""
        with self._lock:
            for key in list(self._requests):
                self._forget(key)

    # --- items ------------------------------------------------------------------------------------------------------

    def _begun(self, item: WorkItem, at: Samples) -> _Work:
        key = _request_key(item)
        request = self._requests.get(key)
        if request is None:
            span = self._open(
                "request", item, at, None, {"ridealong.provenance": item.provenance.value, "ridealong.locale": item.locale}
            )
            request = self._requests[key] = _Request(span)
            if (decided := self._decisions.pop(key, None)) is not None:
                code = bounded(decided.reason, self._reasons)
                span.set_attributes(
                    {"ridealong.decision": decided.decision, "ridealong.decision_reason": code, "ridealong.calls": decided.calls}
                )
            if self._content:
                span.set_attributes({"ridealong.words": _cut(item.words), "ridealong.request": _cut(item.request)})
            while len(self._requests) > MAX_HELD:
                self._forget(next(iter(self._requests)))
        told = {"ridealong.capability": self._names.of(item.capability), "ridealong.work_id": item.id}
        work = request.works[item.id] = _Work(self._open("execution", item, at, request.span, told))
        if self._content:
            work.execution.set_attribute("ridealong.arguments", _cut(str(dict(item.arguments))))
        self._works[item.id] = key
        return work

    def _moved(self, item: WorkItem, event: WorkEvent, before: WorkItem) -> None:
        _, _, machine, left, entered, cause, reason, _ = event_to_row(item, event, before)
        work = self._work(item.id) or self._begun(item, event.at)  # an item of the process before this one
        if before.execution.over and work.execution.is_recording():  # it ended where nobody looked
            work.execution.end(self._ns(item.session, event.at))
        told = {"before": str(left), "after": str(entered), "reason": bounded(str(reason), self._reasons)}
        if machine == "execution":
            work.execution.add_event(str(cause), told, self._ns(item.session, event.at))
            if item.execution.over:
                self._executed(work, item, event.at)
        else:
            delivery = work.delivery
            if delivery is None:
                delivery = work.delivery = self._open("delivery", item, event.at, work.execution, {"ridealong.work_id": item.id})
            delivery.add_event(str(cause), told, self._ns(item.session, event.at))
            if item.delivery.over:
                delivery.set_attribute("ridealong.delivery", item.delivery.value)
                delivery.set_attribute("ridealong.attempts", item.attempts)
                if self._content:
                    delivery.set_attributes({"ridealong.reply": _cut(item.reply), "ridealong.heard": _cut(item.heard)})
                delivery.end(self._ns(item.session, event.at))
                work.delivery = None
        work.over = item.over
        self._maybe_over(_request_key(item), item.session, event.at)

    def _executed(self, work: _Work, item: WorkItem, at: Samples) -> None:
        work.execution.set_attribute("ridealong.execution", item.execution.value)
        work.execution.set_attribute("ridealong.reason", bounded(item.reason, self._reasons))
        if item.outcome is not None:
            work.execution.set_attribute("ridealong.outcome", item.outcome.value)
        if item.execution in FAULTY:
            work.execution.set_status(Status(StatusCode.ERROR))
        for actuation in work.actuations.values():
            actuation.end(self._ns(item.session, at))
        work.actuations.clear()
        work.execution.end(self._ns(item.session, at))

    def _maybe_over(self, key: str, session: str, at: Samples) -> None:
        request = self._requests.get(key)
        if request is not None and not request.ended and all(work.over for work in request.works.values()):
            request.ended = True
            request.span.end(self._ns(session, at))

    def _forget(self, key: str) -> None:
        request = self._requests.pop(key)
        for id, work in request.works.items():
            self._works.pop(id, None)
            for span in (*work.actuations.values(), work.delivery, work.execution):
                if span is not None and span.is_recording():
                    span.end()
        if not request.ended:
            request.span.end()

    # --- the car ----------------------------------------------------------------------------------------------------

    def _asked_car(self, key: str, work_id: str, at: Samples) -> None:
        if (work := self._work(work_id)) is not None and work.execution.is_recording():
            ns = self._ns(_session(work_id), at)
            context = set_span_in_context(work.execution, Context())
            work.actuations[key] = self._tracer.start_span("actuation", context, start_time=ns)

    def _car_answered(self, key: str, state: str, reason: str, at: Samples) -> None:
        work_id = key.rpartition(".")[0]
        work = self._work(work_id)
        if work is not None and (span := work.actuations.pop(key, None)) is not None:
            span.set_attributes({"ridealong.state": state, "ridealong.reason": reason})
            span.end(self._ns(_session(work_id), at))

    # --- spans ------------------------------------------------------------------------------------------------------

    def _open(self, name: str, item: WorkItem, at: Samples, parent: Span | None, told: Mapping[str, str | int]) -> Span:
        """An empty context, not the thread's own: what else is traced in this process is not our parent."""
        context = set_span_in_context(parent, Context()) if parent is not None else Context()
        return self._tracer.start_span(name, context, attributes=told, start_time=self._ns(item.session, at))

    def _work(self, work_id: str) -> _Work | None:
        key = self._works.get(work_id)
        return self._requests[key].works[work_id] if key is not None else None

    def _ns(self, session: str, at: Samples) -> int:
        since_ns = at * NS_PER_S // CLOCK_HZ
        zero_ns = _held(self._zero_ns, session, lambda: self._wall_ns() - since_ns)
        return zero_ns + since_ns


Value = TypeVar("Value")


def _held(held: OrderedDict[str, Value], key: str, make: Callable[[], Value]) -> Value:
    """The value of a key, made where there is none; of the others the oldest goes."""
    if key in held:
        held.move_to_end(key)
    else:
        held[key] = make()
        if len(held) > MAX_HELD:
            held.popitem(last=False)
    return held[key]


def _request_key(item: WorkItem) -> str:
    """The same for all items of a request: the idempotency key without its part."""
    return f"{item.session}|{item.idempotency_key.rpartition('.')[0]}"


def _session(work_id: str) -> str:
    return work_id.rpartition("-w")[0]


def _cut(text: str) -> str:
    return text[:MAX_CONTENT_CHARS]
