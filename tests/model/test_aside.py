"""The speaking half's queue: what is handed over is marked first, waited for next, and used last. With a stand-in for CUDA's streams."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest
import torch
from test_engine import SETTINGS, SPEECH, Scripted, alone, loaded, same, unit
from torch import Tensor

from ridealong.cloud.model import streams
from ridealong.cloud.model.aside import Aside, CudaQueues, queues_of
from ridealong.cloud.model.engine import Engine, EngineSettings
from ridealong.cloud.model.graphs import Captured
from ridealong.cloud.model.runner import Runner
from ridealong.cloud.model.scheduler import SchedulerSettings

pytestmark = pytest.mark.model


@dataclass
class Written:
    """Queues that only note what is asked of them, in order, and where this thread sends to."""

    log: list[str] = field(default_factory=list)
    kept: list[Tensor] = field(default_factory=list)
    depth: int = 0
    marks: int = 0

    def queue(self) -> str:
        return "aside"

    @contextmanager
    def inside(self, queue: str) -> Iterator[None]:
        self.depth += 1
        self.log.append("enter")
        try:
            yield
        finally:
            self.log.append("leave")
            self.depth -= 1

    def mark(self) -> str:
        self.marks += 1
        self.log.append(f"mark {self.marks}" + (" inside" if self.depth else ""))
        return str(self.marks)

    def wait(self, queue: str, mark: str) -> None:
        assert queue == "aside"
        self.log.append(f"wait {mark}")

    def keep(self, tensor: Tensor, queue: str) -> None:
        assert queue == "aside"
        self.log.append("keep")
        self.kept.append(tensor)


def noted(made: object, name: str, queues: Written, depth: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Writes when the method is called; it must send to the right queue."""
    plain: Callable[..., Any] = getattr(made, name)

    def call(*args: Any, **named: Any) -> Any:
        assert queues.depth == depth, f"{name} sends to the wrong queue"
        queues.log.append(name)
        out = plain(*args, **named)
        queues.log.append(f"{name} ends")
        return out

    monkeypatch.setattr(made, name, call)


def engine_with(queues: Written) -> Engine:
    return Engine(loaded(), EngineSettings(slots=2, window=512, speech=SPEECH), queues)


def test_marked_then_waited_for_then_used(monkeypatch: pytest.MonkeyPatch) -> None:
    queues = Written()
    made = engine_with(queues)
    assert queues.log == ["mark 1", "enter", "wait 1", "leave"]  # the weights
    for slot in (0, 1):
        made.open(slot, SETTINGS)
    ids, word = made.tokens.ids, made.tokens.encode("a")[0]
    Scripted(made, {slot: [ids.speak, word, ids.chunk_eos] for slot in (0, 1)})
    noted(made.thinking, "think", queues, 0, monkeypatch)
    noted(made.speaking, "speak", queues, 1, monkeypatch)
    queues.log.clear()
    thoughts = made.think({slot: unit(1, 0) for slot in (0, 1)})
    assert queues.log == ["think", "think ends", "mark 2"]
    queues.log.clear()
    made.speak(thoughts)
    assert queues.log == ["enter", "wait 2", "keep", "keep", "speak", "speak ends", "leave"]
    assert all(any(one.hidden is kept for kept in queues.kept) and len(one.hidden) for one in thoughts.values())


def test_the_voice_s_memory_is_touched_in_its_own_queue_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """When sessions open and close, too; and the other half's never."""
    queues = Written()
    made = engine_with(queues)
    for name in ("open", "close", "speak", "mute"):
        noted(made.speaking, name, queues, 1, monkeypatch)
    for name in ("open", "close", "think"):
        noted(made.thinking, name, queues, 0, monkeypatch)
    vocoder = made._vocoder
    assert vocoder is not None
    noted(vocoder, "begin", queues, 1, monkeypatch)
    noted(type(made._ear), "clips", queues, 0, monkeypatch)
    speak_all = vocoder.speak_all

    def noise(*args: Any) -> Any:
        return [(sound * torch.nan, after) for sound, after in speak_all(*args)]

    monkeypatch.setattr(vocoder, "speak_all", noise)
    made.open(0, SETTINGS)
    ids, word = made.tokens.ids, made.tokens.encode("a")[0]
    Scripted(made, {0: [ids.speak, word, ids.chunk_eos]})
    made.run({0: unit(1, 0)})
    made.close(0)
    called = [name for name in queues.log if name in ("open", "close", "begin", "clips", "think", "speak", "mute")]
    assert called == ["clips", "begin", "open", "close", "open", "close", "think", "speak", "mute", "close", "close", "close"]


def test_an_engine_with_queues_says_the_same() -> None:
    for got, want in zip(alone(5, 3, made=engine_with(Written())), alone(5, 3), strict=True):
        same(got, want)


def test_each_batch_waits_for_its_own_mark() -> None:
    """Through the threads: the mark of a unit is made before it is waited for, and no other is waited for."""

    class PerThread(Written):
        @contextmanager
        def inside(self, queue: str) -> Iterator[None]:
            yield

    queues = PerThread()
    made = engine_with(queues)
    runner = Runner(made, SchedulerSettings(deadline_ms=60_000, gather_ms=0))
    session = runner.open(SETTINGS)
    futures = [session.submit(unit(1, second)) for second in range(4)]
    for future in futures:
        future.result(60)
    runner.stop()
    order = [line for line in queues.log if line.startswith(("mark", "wait"))]
    assert [line for line in order if line.startswith("wait")] == [f"wait {number}" for number in range(1, 6)]
    for number in range(1, 6):
        assert order.index(f"mark {number}") < order.index(f"wait {number}")


def test_a_cpu_has_no_queues() -> None:
    assert queues_of(torch.device("cpu")) is None
    aside = Aside(None)
    assert aside.mark() is None
    with aside.entered([None], [torch.zeros(1)]):
        pass
    assert isinstance(queues_of(torch.device("cuda", 1)), CudaQueues)


# -- what is asked of torch.cuda, with a stand-in for it -----------------------------------------------------------------


class Stream:
    """Of torch.cuda's."""

    def __init__(self, log: list[str], name: str, number: int = 0) -> None:
        self.log, self.name, self.cuda_stream = log, name, number

    def wait_stream(self, other: Stream) -> None:
        self.log.append(f"{self.name} waits for {other.name}")

    def wait_event(self, event: Event) -> None:
        self.log.append(f"{self.name} waits for event")


class Event:
    log: list[str]

    def record(self, stream: Stream) -> None:
        self.log.append(f"event in {stream.name}")


@pytest.fixture
def cuda(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """-> what was asked, in order."""
    log: list[str] = []
    now = [Stream(log, "own")]
    turns = itertools.cycle((7, 8, 9))  # as torch does, out of few
    monkeypatch.setattr(streams, "_MADE", {})

    @contextmanager
    def within(stream: Stream) -> Iterator[None]:
        now.append(stream)
        yield
        now.pop()

    @contextmanager
    def graph(_: object, *, stream: Stream, capture_error_mode: str) -> Iterator[None]:
        log.append(f"capture {capture_error_mode}")
        with within(stream):
            yield
        log.append("captured")

    class Replayed:
        def replay(self) -> None:
            log.append(f"replay in {now[-1].name}")

    @contextmanager
    def device(_: object) -> Iterator[None]:
        yield

    Event.log = log
    stand_in = {"Stream": lambda *_: Stream(log, "side", next(turns)), "Event": Event, "stream": within, "graph": graph, "device": device,
                "current_stream": lambda *_: now[-1], "current_device": lambda: 0, "CUDAGraph": Replayed}  # fmt: skip
    for name, value in stand_in.items():
        monkeypatch.setattr(torch.cuda, name, value)
    return log


def test_streams_and_events_of_cuda(cuda: list[str]) -> None:
    class Handed:
        def record_stream(self, stream: Stream) -> None:
            cuda.append(f"kept for {stream.name}")

    aside = Aside(CudaQueues(torch.device("cuda")))
    mark = aside.mark()
    with aside.entered([mark, mark], [Handed()]):  # type: ignore[list-item]
        aside.mark()
    assert cuda == ["event in own", "side waits for event", "kept for side", "event in side"]


def test_a_graph_is_captured_beside_and_replayed_where_it_is_called(cuda: list[str]) -> None:
    total = torch.zeros(1)

    def step(by: Tensor) -> tuple[Tensor, ...]:
        cuda.append(f"step in {torch.cuda.current_stream().name}")  # type: ignore[attr-defined]
        total.add_(by)
        return (total,)

    voice = CudaQueues(torch.device("cuda"))
    queue: AbstractContextManager[Any] = voice.inside(replace_name(voice.queue(), "voice"))
    with queue:
        captured = Captured(step, (torch.ones(1),), (total,), graph=True)
        assert cuda == [
            "side waits for voice", "step in side", "step in side", "voice waits for side", "capture thread_local", "step in side", "captured",
        ]  # fmt: skip
        assert total.item() == 0, "what trial runs changed is put back"
        captured(torch.ones(1))
    assert cuda[-1] == "replay in voice"


def test_no_graph_is_captured_in_the_voices_stream(cuda: list[str]) -> None:
    """Nor do the halves, which run beside one another, share the stream of their captures."""
    used: list[int] = []

    def step(by: Tensor) -> tuple[Tensor, ...]:
        used.append(torch.cuda.current_stream().cuda_stream)
        return (by,)

    def captures() -> set[int]:
        used.clear()
        for _ in range(7):
            Captured(step, (torch.ones(1),), (), graph=True)
        return set(used)

    device = torch.device("cuda", 0)
    own = captures()
    queues = CudaQueues(device)
    with queues.inside(queues.queue()):
        voice = torch.cuda.current_stream().cuda_stream
        beside = captures()
    assert captures() == own
    assert (len(own), len(beside), len({0, voice} | own | beside)) == (1, 1, 4)
    assert CudaQueues(torch.device("cuda")).queue() is queues.queue()
    assert CudaQueues(torch.device("cuda", 1)).queue() is not queues.queue()


def test_a_device_without_streams_enough_says_so(cuda: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "Stream", lambda *_: Stream(cuda, "side", 0))
    with pytest.raises(RuntimeError, match="cuda:0 has no stream beside 1"):
        streams.capture_stream(torch.device("cuda", 0))


def replace_name(stream: Any, name: str) -> Any:
    stream.name = name
    return stream
