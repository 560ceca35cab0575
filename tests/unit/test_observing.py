"""What the node tells of itself: every transition in the journal is counted once and no other, spans hang together, nobody's words are in either."""

from __future__ import annotations

import asyncio
import sqlite3
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from prometheus_client import generate_latest
from prometheus_client.parser import text_string_to_metric_families

from ridealong.cloud.config import TelemetrySettings
from ridealong.cloud.telemetry.metrics import Metrics
from ridealong.cloud.telemetry.names import MAX_CAPABILITIES, OWN, Names
from ridealong.cloud.telemetry.spans import Spans
from ridealong.cloud.telemetry.telemetry import Telemetry, open_telemetry
from ridealong.errors import UserError
from ridealong.harness.agent.endpoint import Endpoint, Transport
from ridealong.harness.journal import Journal, Recorded
from ridealong.harness.observing import Decided, FellShort, ModelUnit, Observation, TriedAgain, TurnedAway
from ridealong.harness.reasons import REASONS
from ridealong.harness.router import Calls, ChitChat, Decision, Match
from ridealong.harness.runner import LoopClock
from ridealong.harness.skill import Call, Context, Outcome, Provenance, Skill, Spoken
from ridealong.harness.work import Complete, Start, WorkItem, step
from ridealong.proto.types import ActuationState, Samples
from ridealong.simulators.virtual_time import InlineExecutor, run_virtual
from ridealong.vehicle_skills.policy import RESULT_REASONS
from tests.unit.fake_model import fake_model, says, status
from tests.unit.harness_scene import TEMPERATURE, Scene, ScriptedRouter, play

pytestmark = pytest.mark.unit

SECRETS = st.text(alphabet="bcdfghjklmnpqrstvwxz", min_size=7, max_size=12)
"""Words as nobody's code has them: without vowels."""
REQUESTS = st.sampled_from(
    [
        "look: say {}",
        "look: wait 2500 | say {}",
        f"act: write {TEMPERATURE}=21 | say {{}}",
        f"act: wait 300 | write {TEMPERATURE}=21 | write {TEMPERATURE}=22 | say {{}}",
        "revise act: say {}",
        "look+act: say {}",
        "act: raise",
        "blurt: {}",
        "curse: {}",
        "unheard: {}",
        "short: wait 9000 | say {}",
        "general {}",
        "nothing: {}",
        "crash",
    ]
)
STEPS = st.one_of(
    st.tuples(st.just("ask"), REQUESTS, SECRETS),
    st.tuples(st.just("wait"), st.sampled_from([1, 120, 900, 4_000]), st.none()),
    st.tuples(st.just("boundary"), st.booleans(), st.none()),
    st.tuples(st.sampled_from(["started", "finished", "flushed", "cancel"]), st.integers(0, 6), SECRETS),
    st.tuples(st.just("disk"), st.booleans(), st.none()),
)
ANSWERS = st.lists(st.sampled_from(list(ActuationState)), max_size=8)


async def blurt(call: Call) -> Spoken:
    """A skill of somebody else's whose reason is what the user said."""
    word = call.request.partition(": ")[2]
    return Spoken(word, Outcome.REFUSED, word)


async def curse(call: Call) -> Spoken:
    raise type(call.request.partition(": ")[2], (Exception,), {})("words of " + call.request)


class Talker(ScriptedRouter):
    def decide(self, text: str, locale: str, context: Context, provenance: Provenance) -> Decision:
        if text.startswith("general"):
            return ChitChat("general")
        if text.startswith("unheard"):  # a name that the node never registered, as a broken router may give it
            return Calls((Match(text.rpartition(" ")[2], 1.0, {}),))
        return super().decide(text, locale, context, provenance)


class Watched(Scene):
    """A scene with both kinds of telemetry, of which nothing leaves the process, and a disk that can be full."""

    def __init__(self, folder: Path, *, content: bool = False) -> None:
        self.exporter = InMemorySpanExporter()
        provider = TracerProvider(shutdown_on_exit=False)
        provider.add_span_processor(SimpleSpanProcessor(self.exporter))
        names = Names(lambda name: self.skills.get(name) is not None)
        self.metrics = Metrics(names, REASONS | RESULT_REASONS)
        self.spans = Spans(provider.get_tracer("test"), names, content=content, wall_ns=lambda: 1_000_000_000_000)
        telemetry = Telemetry([self.metrics.on, self.spans.on])
        super().__init__(folder, observe=telemetry.observe)
        self.telemetry = telemetry
        self.router.__class__ = Talker
        self.skills.known |= {"blurt": _skill("blurt", blurt), "curse": _skill("curse", curse)}
        self.full = False
        write = self.journal._write

        def may_write(entry: object) -> None:
            if self.full:
                raise sqlite3.OperationalError("database or disk is full")
            write(entry)  # type: ignore[arg-type]

        self.journal._write = may_write  # type: ignore[assignment, method-assign]

    def finished(self) -> tuple[ReadableSpan, ...]:
        return self.exporter.get_finished_spans()


def _skill(name: str, run: Callable[..., object]) -> Skill:
    return Skill(name, name, run, lambda text, locale, context: None, "reading", {}, {})  # type: ignore[arg-type]


async def follow(s: Watched, steps: list[tuple[str, object, object]]) -> None:
    for word, first, second in steps:
        ids = list(s.harness.items)
        match word:
            case "ask":
                s.ask(str(first).format(second))
            case "wait":
                assert isinstance(first, int)
                await asyncio.sleep(first / 1000)
            case "boundary":
                s.boundary(free=bool(first))
            case "disk":
                s.full = bool(first)
            case "cancel":
                assert isinstance(first, int)
                if ids:
                    s.harness.cancel(ids[first % len(ids)])
            case _:
                assert isinstance(first, int)
                if ids:
                    s.played(ids[first % len(ids)], word, str(second))
    s.full = False
    await asyncio.sleep(5)
    for reply in s.boundary():
        s.played(reply.partition(":")[0], "finished", reply)


def counted(metrics: Metrics, name: str, *labels: str) -> Counter[tuple[str, ...]]:
    """What a scrape says, by these labels."""
    found: Counter[tuple[str, ...]] = Counter()
    for family in text_string_to_metric_families(scrape(metrics)):
        for sample in family.samples:
            if sample.name == f"ridealong_{name}" and sample.value:
                found[tuple(sample.labels[label] for label in labels)] += int(sample.value)
    return found


def scrape(metrics: Metrics) -> str:
    return generate_latest(metrics.registry).decode()


def rows(folder: Path, query: str) -> Counter[tuple[str, ...]]:
    db = sqlite3.connect(folder / "journal.sqlite")
    try:
        return Counter({tuple(row[:-1]): row[-1] for row in db.execute(query)})
    finally:
        db.close()


EVENTS = "SELECT machine, before, after, cause, count(*) FROM event GROUP BY machine, before, after, cause"


@settings(max_examples=60, deadline=None)
@given(steps=st.lists(STEPS, max_size=25), answers=ANSWERS)
def test_what_is_counted_is_what_the_journal_says(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, object, object]], answers: list[ActuationState]
) -> None:
    folder = tmp_path_factory.mktemp("observing")
    scene = Watched(folder)
    scene.car.answers = list(answers)
    play(scene, lambda s: follow(s, steps))
    metrics = scene.metrics
    assert scene.telemetry.faults == 0
    assert counted(metrics, "transitions_total", "machine", "before", "after", "cause") == rows(folder, EVENTS)
    assert counted(metrics, "work_items_total", "provenance") == rows(
        folder, "SELECT provenance, count(*) FROM work GROUP BY provenance"
    )
    assert counted(metrics, "outcomes_total", "outcome") == rows(
        folder, "SELECT coalesce(outcome, execution), count(*) FROM work WHERE done_at NOT NULL GROUP BY 1"
    )
    assert counted(metrics, "actuation_intents_total") == rows(folder, "SELECT count(*) FROM intent HAVING count(*) > 0")
    assert counted(metrics, "actuation_results_total", "state") == rows(
        folder, "SELECT state, count(*) FROM intent WHERE state NOT NULL GROUP BY state"
    )
    stages = counted(metrics, "stage_seconds_count", "stage")
    assert stages[("played",)] == stages[("whole",)] == rows(folder, "SELECT count(*) FROM event WHERE cause = 'Played'")[()]
    assert stages[("done",)] == sum(rows(folder, "SELECT count(*) FROM work WHERE done_at NOT NULL").values())

    works = rows(folder, "SELECT id, count(*) FROM work GROUP BY id")
    spans = {span.context.span_id: span for span in scene.finished()}
    names = Counter(span.name for span in spans.values())
    assert names["execution"] == len(works), "each ended, once"
    parents = {span.name: set[str]() for span in spans.values()}
    for span in spans.values():
        parents[span.name].add(spans[span.parent.span_id].name if span.parent is not None else "")
        assert span.parent is None or spans[span.parent.span_id].context.trace_id == span.context.trace_id
    allowed = {"request": {""}, "execution": {"request"}, "delivery": {"execution"}, "actuation": {"execution"}}
    assert all(found <= allowed[name] for name, found in parents.items()), parents
    moves = Counter(event.name for span in spans.values() for event in span.events)
    assert moves == Counter(
        {cause: n for (cause,), n in rows(folder, "SELECT cause, count(*) FROM event GROUP BY cause").items()}
    )

    told = scrape(metrics) + "".join(span.to_json() for span in spans.values())
    secrets = {second for _, _, second in steps if isinstance(second, str)}
    assert not [secret for secret in secrets if secret in told]


def test_a_crash_is_counted_when_the_next_process_sees_it(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal.sqlite")
    queued = WorkItem("s-w1", "s", "r", "w", "en", Provenance.DRIVER, "look", {}, "", "k.0", Samples(0))
    start = Start(Samples(16))
    running = step(queued, start)
    journal.append([Recorded(queued), Recorded(running, start, queued)])
    other = running._replace(id="s-w2", idempotency_key="l.0", revision=0)
    done = Complete(Samples(32), "Hello.")
    journal.append([Recorded(other), Recorded(step(other, done), done, other)])
    journal.close()
    before = rows(tmp_path, EVENTS)
    names, exporter, provider = Names(lambda name: name == "look"), InMemorySpanExporter(), TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    metrics, spans = Metrics(names), Spans(provider.get_tracer("test"), names)
    Journal(tmp_path / "journal.sqlite", wrote=Telemetry([metrics.on, spans.on]).observe).close()
    ended = Counter(span.name for span in exporter.get_finished_spans())
    assert ended == {"request": 2, "execution": 2, "delivery": 1}
    assert counted(metrics, "transitions_total", "machine", "before", "after", "cause") == rows(tmp_path, EVENTS) - before
    assert counted(metrics, "outcomes_total", "capability", "outcome", "reason") == {("look", "unknown", "interrupted"): 1}
    assert not counted(metrics, "stage_seconds_count", "stage"), "nobody knows when it ended"


def test_what_could_not_be_written_is_not_told(tmp_path: Path) -> None:
    told: list[Observation] = []
    journal = Journal(tmp_path / "journal.sqlite", wrote=told.append)
    new = Recorded(WorkItem("s-w1", "s", "r", "w", "en", Provenance.DRIVER, "look", {}, "", "k.0", Samples(0)))
    same_key = Recorded(new.item._replace(id="s-w2"))
    with pytest.raises(sqlite3.IntegrityError):
        journal.append([new, same_key])
    assert told == []
    assert journal.append_each([new, same_key]) == {1} and told == [new]
    journal.close()


def test_the_four_times(tmp_path: Path) -> None:
    async def story(s: Watched) -> None:
        s.ask("look: wait 2000 | say Hello.")
        await asyncio.sleep(3)
        assert s.boundary() == ["s-w1: Hello."]
        await asyncio.sleep(1.5)
        s.played("s-w1", "finished", "Hello.")

    scene = Watched(tmp_path)
    play(scene, story)
    sums = {
        sample.labels["stage"]: sample.value
        for family in text_string_to_metric_families(scrape(scene.metrics))
        for sample in family.samples
        if sample.name == "ridealong_stage_seconds_sum"
    }
    assert sums == pytest.approx({"done": 2.0, "inserted": 1.0, "played": 1.5, "whole": 4.5}, abs=0.01)
    assert counted(scene.metrics, "decisions_total", "decision") == {("calls",): 1}
    by_name = {span.name: span for span in scene.finished()}
    lasted_s = {name: (span.end_time - span.start_time) / 1e9 for name, span in by_name.items()}  # type: ignore[operator]
    assert lasted_s == pytest.approx({"request": 4.5, "execution": 2.0, "delivery": 2.5}, abs=0.01)
    assert [event.name for event in by_name["delivery"].events] == ["Offer", "Admit", "Played"]
    assert by_name["execution"].attributes is not None
    assert by_name["execution"].attributes["ridealong.work_id"] == "s-w1"


def test_refusals_time_outs_and_cancels_are_told_apart(tmp_path: Path) -> None:
    async def story(s: Watched) -> None:
        s.ask("look: refuse Not while moving.")
        s.ask("short: wait 9000 | say Late.")
        s.ask("look: wait 9000 | say Never.")
        await asyncio.sleep(3)
        s.harness.cancel("s-w3")
        s.ask("nothing: stop")
        await asyncio.sleep(1)

    scene = Watched(tmp_path)
    play(scene, story)
    assert counted(scene.metrics, "outcomes_total", "capability", "outcome", "reason") == {
        ("look", "refused", "moving"): 1, ("short", "failed", "timeout"): 1, ("look", "cancelled", "asked"): 1,
    }  # fmt: skip
    assert counted(scene.metrics, "rejections_total", "reason") == {("stop",): 1}
    turned_away = [span.attributes.get("ridealong.turned_away") for span in scene.finished() if span.attributes is not None]
    assert [reason for reason in turned_away if reason] == ["stop"]
    assert counted(scene.metrics, "transitions_total", "cause")[("Cancel",)] == 1


def test_several_calls_of_one_request_are_one_trace(tmp_path: Path) -> None:
    async def story(s: Watched) -> None:
        s.ask(f"look+act: write {TEMPERATURE}=21 | say Done.")
        await asyncio.sleep(2)

    scene = Watched(tmp_path)
    play(scene, story)
    assert len({span.context.trace_id for span in scene.finished()}) == 1
    (request,) = [span for span in scene.finished() if span.name == "request"]
    assert request.attributes is not None
    assert (request.attributes["ridealong.decision"], request.attributes["ridealong.calls"]) == ("calls", 2)


def test_words_are_in_spans_only_where_that_is_asked_for(tmp_path: Path) -> None:
    async def story(s: Watched) -> None:
        s.ask("look: say Marzipan.")
        await asyncio.sleep(0.5)
        s.boundary()
        s.played("s-w1", "finished", "Marzipan.")

    scene = Watched(tmp_path, content=True)
    play(scene, story)
    assert "look: say Marzipan." in "".join(span.to_json() for span in scene.finished())
    assert "Marzipan" not in scrape(scene.metrics)


def test_tries_again_are_counted() -> None:
    told: list[TriedAgain] = []

    def observe(observation: Observation) -> None:
        assert isinstance(observation, TriedAgain)
        told.append(observation)

    async def ask(url: str) -> None:
        transport = Transport(Endpoint(url, "m"), InlineExecutor(), observe)
        await transport.complete({"messages": []}, LoopClock(), 20_000, lambda: 0.0)

    with fake_model(status(429), status(503), says("Hello.")) as model:
        run_virtual(ask(model.url))
    assert told == [TriedAgain("language_model", "busy"), TriedAgain("language_model", "unavailable")]
    names, exporter, provider = Names(), InMemorySpanExporter(), TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    metrics, spans = Metrics(names), Spans(provider.get_tracer("test"), names)
    spans.on(Recorded(WorkItem("s-w1", "s", "r", "w", "en", Provenance.DRIVER, "look", {}, "", "k.0", Samples(0))))
    for observation in told:
        metrics.on(observation)
        spans.on(replace(observation, work_id="s-w1"))
    spans.close()
    assert [event.name for span in exporter.get_finished_spans() for event in span.events] == ["TriedAgain", "TriedAgain"]
    assert counted(metrics, "retries_total", "what", "reason") == {
        ("language_model", "busy"): 1,
        ("language_model", "unavailable"): 1,
    }


def test_labels_stay_few_however_many_tools_there_are() -> None:
    metrics = Metrics(Names(lambda name: True))
    for n in range(3 * MAX_CAPABILITIES):
        item = WorkItem(f"s{n}-w1", f"s{n}", "r", "w", "en", Provenance.DRIVER, f"tool{n}", {}, "", "k.0", Samples(0))
        metrics.on(Recorded(item))
        metrics.on(TurnedAway(f"reason{n}"))
        metrics.on(Decided("failed", f"Error{n}"))
    assert len(counted(metrics, "work_items_total", "capability")) == MAX_CAPABILITIES + 1
    assert counted(metrics, "rejections_total", "reason") == {("other",): 3 * MAX_CAPABILITIES}


def test_what_the_harness_answers_by_itself_has_a_name(tmp_path: Path) -> None:
    async def story(s: Watched) -> None:
        for words in ("crash", "hello", "general"):
            s.ask(words)

    scene = Watched(tmp_path)
    play(scene, story)
    assert {name for (name,) in counted(scene.metrics, "work_items_total", "capability")} <= OWN


def test_a_sink_that_fails_costs_nobody_anything() -> None:
    def broken(observation: Observation) -> None:
        raise ValueError("words")

    told: list[Observation] = []
    telemetry = Telemetry([broken, told.append])
    telemetry.observe(TurnedAway("stop"))
    telemetry.observe(TurnedAway("stop"))
    assert telemetry.faults == 2 and len(told) == 2


def test_without_the_libraries_it_says_how_to_get_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    open_telemetry(TelemetrySettings()).close()
    for settings_ in (TelemetrySettings(metrics_address="127.0.0.1:0"), TelemetrySettings(otlp_endpoint="http://127.0.0.1:1")):
        with pytest.raises(UserError, match=r"pip install .ridealong\[telemetry\]"):
            open_telemetry(settings_)


def test_units_of_the_model_are_measured() -> None:
    metrics = Metrics(Names())
    for unit in (ModelUnit(180.0, 4_000, 0.4), ModelUnit(950.0, 3_900, 0.5)):
        metrics.on(unit)
    metrics.on(FellShort("late"))
    value = metrics.registry.get_sample_value
    assert (value("ridealong_model_unit_seconds_count"), value("ridealong_model_unit_seconds_sum")) == (2, pytest.approx(1.13))
    assert (value("ridealong_model_headroom_rows"), value("ridealong_model_load")) == (3_900, 0.5)
    assert value("ridealong_model_shortfalls_total", {"what": "late"}) == 1
