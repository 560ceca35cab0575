"""Measures a loaded model on this machine: a unit by stage, first audio, sessions at once, an old session, and all that against `plain`.

    measure(loaded, plan) -> figures

What a session says is written beforehand (random weights would hardly speak): in every unit `speak`, four words and the end of the chunk, a turn
of eight units. Everything else is the engine's own work: the draws are made and then not used. Asserts nothing; knows no goal but the
table's. Source: spec model.md 4, 6; design commands.md for names.
"""

from __future__ import annotations

import gc
import itertools
import logging
import resource
import statistics
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final, NamedTuple, TypeVar

import torch
from PIL import Image

from ridealong.cloud.model.bench_report import Figure
from ridealong.cloud.model.decoding import VENUS, Effect, UnitRules
from ridealong.cloud.model.engine import Engine, EngineSettings
from ridealong.cloud.model.images import Cut, cut
from ridealong.cloud.model.kv_window import Live, Off, Unit
from ridealong.cloud.model.model import LoadedModel
from ridealong.cloud.model.plain import PlainSession
from ridealong.cloud.model.runner import Answer, Refused, Runner
from ridealong.cloud.model.scheduler import How, SchedulerSettings
from ridealong.cloud.model.tiny_config import FULL
from ridealong.cloud.model.tokens import Tokens
from ridealong.cloud.model.unit_io import SessionSettings, UnitInput
from ridealong.cloud.model.voice import VoiceBundle

_T = TypeVar("_T")
DECODING: Final = replace(VENUS, cap=20)
WORDS, TURN_UNITS = 4, 8
STAGES: Final = ("vision", "audio", "prefill", "decode", "talker", "vocoder")
SLACK_MS: Final = 4_000
"""Of the old session's window: it drops at every fifth unit, twice as often as by default."""
FLOORS_MS: Final = {"vision": 1.34, "audio": 0.14, "prefill": 3.16, "decode": 5 * 3.15, "talker": 2.1, "vocoder": 2.3}
"""What an H200 needs at least (spec model.md 4: bandwidth and arithmetic alone), at the released sizes."""


@dataclass(frozen=True, slots=True)
class Plan:
    """`units`: timed ones of each measurement. `most_sessions`: where the ramp ends. `graphs`, `compile`: the engine's settings."""

    units: int = 12
    most_sessions: int = 16
    seed: int = 0
    window: int = 16_384
    graphs: bool = True
    compile: bool = False


class Took(NamedTuple):
    """`clock_ms`: by the clock. `work_ms`: what ratios are made of: on a CPU the processor's time, which other jobs change little."""

    clock_ms: float
    work_ms: float


class Written:
    """In the rules' place: what is drawn is replaced by what is written, before the rules see it."""

    def __init__(self, rules: UnitRules, tokens: Tokens) -> None:
        self._rules, self._tokens = rules, tokens
        self._left: Iterator[int] = iter(())

    def begin(self, force_listen: bool = False) -> list[Effect]:
        self._left = iter(script(self._tokens, self._rules.units))
        return self._rules.begin(force_listen)

    def drew(self, token: int) -> list[Effect]:
        return self._rules.drew(next(self._left))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._rules, name)


class WrittenEngine(Engine):
    def open(self, slot: int, settings: SessionSettings, voice: VoiceBundle | None = None) -> None:
        super().open(slot, settings, voice)
        mind = self._minds[slot]
        mind.rules = Written(mind.rules, self.tokens)  # type: ignore[assignment]


def script(tokens: Tokens, unit: int) -> list[int]:
    """The ids drawn in a session's unit of this number."""
    words = itertools.cycle(tokens.ordinary(tokens.encode("we could stop there for a while")))
    said = [tokens.ids.speak, *itertools.islice(words, unit % 7, unit % 7 + WORDS)]
    if unit % TURN_UNITS == TURN_UNITS - 1:
        said[-1] = tokens.ids.turn_eos
    return [*said, tokens.ids.chunk_eos]


class Material:
    """What goes in: noise at -20 dBFS and pictures of noise, 480 x 640. Made beforehand: cutting is the front-end's time."""

    def __init__(self, loaded: LoadedModel, seed: int) -> None:
        draws = torch.Generator().manual_seed(seed)
        self.sounds = [0.1 * torch.randn(16_000, generator=draws) for _ in range(4)]
        pixels = [torch.randint(0, 255, (480, 640, 3), generator=draws, dtype=torch.uint8) for _ in range(4)]
        sees = loaded.config.vision is not None
        self.pictures: list[Cut] = [cut(Image.fromarray(one.numpy()), loaded.config.image) for one in pixels] if sees else []

    def unit(self, number: int, at_ms: int | None = None) -> UnitInput:
        pictures = (self.pictures[number % 4],) if self.pictures else ()
        return UnitInput(self.sounds[number % 4], pictures, at_ms=1000 * number if at_ms is None else at_ms)


class _Bench:
    def __init__(self, loaded: LoadedModel, plan: Plan) -> None:
        self.loaded, self.plan, self.material = loaded, plan, Material(loaded, plan.seed)
        self.device = loaded.module.llm.lm_head.weight.device
        self.window = min(plan.window, loaded.config.language.max_positions)
        self.settings = SessionSettings(decoding=DECODING, window=Off(), seed=plan.seed)

    def engine(self, slots: int) -> WrittenEngine:
        plan = self.plan
        settings = EngineSettings(slots=slots, window=self.window, graphs=plan.graphs, compile=plan.compile)
        engine = WrittenEngine(self.loaded, settings)
        engine.warm()
        return engine

    def now(self) -> float:
        """Milliseconds, once the device has done all it was given."""
        if self.device.type == "cuda":
            torch.cuda.synchronize(self.device)
        return time.perf_counter() * 1000

    def timed(self, call: Callable[[], _T]) -> tuple[_T, Took]:
        clock, work = self.now(), time.process_time()
        out = call()
        clock_ms, work_ms = self.now() - clock, 1000 * (time.process_time() - work)
        return out, Took(clock_ms, clock_ms if self.device.type == "cuda" else work_ms)

    # -- one session, against plain ---------------------------------------------------------------------------------

    def one_session(self) -> Iterator[Figure]:
        """Ours and plain in turn, unit by unit, so that whatever else runs here slows both."""
        engine, count = self.engine(1), self.plan.units
        engine.open(0, self.settings)
        plain = PlainSession(self.loaded, engine.settings, DECODING, self.plan.seed)
        took: list[tuple[Took, Took]] = []
        stages: list[tuple[Mapping[str, float], Mapping[str, float]]] = []
        for number in range(3 + 2 * count):
            unit, words = self.material.unit(number), script(self.loaded.tokens, number)
            by_stage = number % 2 == 0  # that waits for the device at every border, so the whole is timed at the other units
            engine.stages.on = engine.voice_stages.on = plain.stages.on = by_stage
            out, mine = self.timed(partial(engine.run, {0: unit}))
            _, theirs = self.timed(partial(plain.unit, unit.sound, unit.pictures, words))
            if number >= 3:
                took += [] if by_stage else [(mine, theirs)]
                stages += [(out[0].stages_ms, plain.stages.take())] if by_stage else []
            plain.stages.take()
        mine_ms = [mine.clock_ms for mine, _ in took]
        yield Figure("unit_ms_p50", percentile(mine_ms, 0.5), "ms", count)
        yield Figure("unit_ms_p99", percentile(mine_ms, 0.99), "ms", count)
        yield Figure("plain_unit_ms_p50", percentile([theirs.clock_ms for _, theirs in took], 0.5), "ms", count)
        ratio = _ratio([theirs.work_ms for _, theirs in took], [mine.work_ms for mine, _ in took])
        yield Figure("ratio_to_eager", ratio, "times", count)
        for stage in STAGES:
            ours, plainly = ([pair[side].get(stage, 0.0) for pair in stages] for side in (0, 1))
            middle = statistics.median(ours)
            yield Figure(f"stage.{stage}_ms_p50", middle, "ms", count)
            yield Figure(f"plain.{stage}_ms_p50", statistics.median(plainly), "ms", count)
            yield Figure(f"ratio.{stage}", _ratio(plainly, ours), "times", count)
            if self.device.type == "cuda" and self.loaded.config.language.layers == FULL.language.layers:
                yield Figure(f"floor.{stage}", middle / FLOORS_MS[stage], "times", count)

    def four_sessions(self) -> Iterator[Figure]:
        """Four units in one batch: how much of a unit's time is shared."""
        engine, count = self.engine(4), max(2, self.plan.units // 4)
        for slot in range(4):
            engine.open(slot, replace(self.settings, seed=slot))
        times = []
        for number in range(2 + count):
            units = {slot: self.material.unit(number + slot) for slot in range(4)}
            times.append(self.timed(partial(engine.run, units))[1].clock_ms)
        yield Figure("four_sessions_ms_p50", percentile(times[2:], 0.5), "ms", count)

    # -- through the runner -----------------------------------------------------------------------------------------

    def first_audio(self) -> Iterator[Figure]:
        """A unit's last byte goes in -> its first sample comes out, a session alone, units one after another."""
        runner, times = Runner(self.engine(1), SchedulerSettings(deadline_ms=60_000)), []
        session = runner.open(self.settings)
        for number in range(2 + self.plan.units):
            begun = time.perf_counter()
            answer = session.submit(self.material.unit(number)).result()
            if answer.output.sound is not None and number >= 2:
                times.append(1000 * (time.perf_counter() - begun))
        runner.stop()
        yield Figure("first_audio_ms_p50", percentile(times, 0.5), "ms", len(times), goal="<= 250")
        yield Figure("first_audio_ms_p95", percentile(times, 0.95), "ms", len(times))

    def ramp(self) -> Iterator[Figure]:
        """The most sessions, all speaking, that had every unit answered in time and whole: doubled until one had not, then halved in between."""
        good, bad = 0, self.plan.most_sessions + 1
        trial = 1
        while good + 1 < bad:
            if self._in_time(trial):
                good = trial
            else:
                bad = trial
            trial = min(2 * good, self.plan.most_sessions) if bad > self.plan.most_sessions else (good + bad) // 2
        yield Figure("sessions_no_missed_unit", float(good), "sessions", self.plan.units, goal=">= 16")

    def _in_time(self, sessions: int) -> bool:
        """A unit of each session at the same instant, once a second, by the clock; each with a full window, as in minute 5."""
        try:
            engine = self.engine(sessions)
        except torch.OutOfMemoryError:
            return False
        runner = Runner(engine)
        try:
            ends = [runner.open(replace(self.settings, seed=number)) for number in range(sessions)]
            engine.run({slot: self.material.unit(0) for slot in range(sessions)})
            for slot in range(sessions):
                self._age(engine, slot, 5)
            engine.run({slot: self.material.unit(1, 300_000) for slot in range(sessions)})  # pages are touched: not counted
            start, sent = time.perf_counter(), list[Future[Answer]]()
            for number in range(self.plan.units):
                time.sleep(max(0.0, start + number - time.perf_counter()))
                sent += [end.submit(self.material.unit(number, 301_000 + 1000 * number)) for end in ends]
                if any(one.done() and not _whole(one) for one in sent):
                    return False
            return all(_whole(one) for one in sent)
        except (Refused, torch.OutOfMemoryError):
            return False
        finally:
            runner.stop()
            del engine, runner
            gc.collect()
            if self.device.type == "cuda":
                torch.cuda.empty_cache()

    # -- an old session ---------------------------------------------------------------------------------------------

    def old_session(self) -> Iterator[Figure]:
        """A unit's mean time in minute 5 and in minute 120, drops of the window among them, in turn.

        Nobody waits two hours: the window is filled with rows that were never fed (their number costs time, not what they hold) up to the
        two minutes that it keeps, or as many as fit; the clocks and counters are set to that minute; then units are really run.
        """
        engine, minutes = self.engine(2), (5, 120)
        count = 5 * max(1, self.plan.units // 5)
        times: dict[int, list[Took]] = {minute: [] for minute in minutes}
        rows = 0
        for slot, minute in enumerate(minutes):
            engine.open(slot, self.settings)
            engine.run({slot: self.material.unit(0)})
            self._age(engine, slot, minute)
        for number in range(1 + count):
            for slot, minute in enumerate(minutes):
                unit = self.material.unit(number, 60_000 * minute + 1000 * number)
                out, took = self.timed(partial(engine.run, {slot: unit}))
                rows = self.window - out[slot].headroom_rows
                times[minute] += [took] if number else []
        for minute in minutes:
            yield Figure(f"unit_ms_minute_{minute}", statistics.fmean(one.clock_ms for one in times[minute]), "ms", count)
        ratio = sum(one.work_ms for one in times[120]) / sum(one.work_ms for one in times[5])
        yield Figure("minute_120_to_5", ratio, "times", count, goal="<= 1.05")
        yield Figure("old_session_rows", float(rows), "rows", 1)

    def _age(self, engine: WrittenEngine, slot: int, minute: int) -> None:
        """The session in `slot`, whose first unit has just run, as it would be in that minute."""
        mind, mouth = engine._minds[slot], engine._mouths[slot]
        before, each = mind.history.rows, mind.pending_rows
        room = self.window - before - 2 * (DECODING.cap + each) - (SLACK_MS // 1000 + 2) * each
        keep_s = max(1, min(120, room // each))
        now = 60_000 * minute
        mind.settings = replace(mind.settings, window=Live(1000 * keep_s, SLACK_MS))
        units = tuple(Unit(each, now - 1000 * back) for back in range(keep_s, 0, -1))
        mind.history = replace(mind.history, units=units)
        mind.pending_at_ms = now - 500
        places, cache = engine.thinking.places[slot], engine.thinking.cache
        places.take(mind.history.rows + each - 2 - len(places))
        cache.positions[slot, places.rows()] = torch.arange(places.base, places.end, device=self.device)
        cache.ends[slot] = places.end
        mind.mel.units = 60 * minute
        if mouth.speech is not None:
            mouth.speech = replace(mouth.speech, flow=replace(mouth.speech.flow, made=(60 * minute * 50,)))

    def memory(self) -> Iterator[Figure]:
        yield Figure("weights_mb", self.loaded.size / 1e6, "MB", 1)
        if self.device.type == "cuda":
            yield Figure("memory_mb", torch.cuda.max_memory_allocated(self.device) / 1e6, "MB", 1)
        else:
            yield Figure("memory_mb", resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000, "MB", 1)


def _whole(future: Future[Answer]) -> bool:
    answer = future.result()
    return not answer.late_ms and answer.how is How.WHOLE


def _ratio(slow: Sequence[float], fast: Sequence[float]) -> float | None:
    """The middle one of the ratios of neighbours, which whatever else runs here slows alike. None where nothing was done."""
    return statistics.median(a / b for a, b in zip(slow, fast, strict=True)) if all(fast) else None


def percentile(values: Sequence[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, round(share * (len(ordered) - 1)))]


def measure(loaded: LoadedModel, plan: Plan, tell: Callable[[str], None] = lambda _: None) -> list[Figure]:
    """All figures. tell: gets a line as each part begins. memory_mb: the most that this process has ever had."""
    log, bench = logging.getLogger("ridealong.model"), _Bench(loaded, plan)
    level = log.level
    log.setLevel(logging.ERROR)  # the ramp is meant to be late
    figures: list[Figure] = []
    try:
        for part in (bench.one_session, bench.four_sessions, bench.first_audio, bench.old_session, bench.ramp, bench.memory):
            tell(part.__name__.replace("_", " "))
            figures += part()
    finally:
        log.setLevel(level)
    return figures
