"""A second queue of work on the device: what the speaking half sends runs beside what the thinking half sends, not behind it.

    thinking half:   hidden states ready ─► mark()
    speaking half:   with entered(marks, hidden states): ...      waits for the marks on the device, not here

Two queues share no order but the marks. What one of them made and the other reads is handed over with a mark, and kept from the allocator until
it was read. A CPU has no queues: there all of it does nothing. Never run on a GPU so far (docs/guides/gpu.md).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Protocol

import torch
from torch import Tensor

from ridealong.cloud.model.streams import voice_stream

Mark = Any
"""A point in a queue: all that had been sent to it when the mark was made. None where there are no queues."""
Queue = Any


class Queues(Protocol):
    """What this needs of a device. Each thread has a queue that it sends to."""

    def queue(self) -> Queue:
        """The one beside."""

    def inside(self, queue: Queue) -> AbstractContextManager[Any]:
        """This thread sends to `queue`."""

    def mark(self) -> Mark:
        """Of what this thread has sent to its queue."""

    def wait(self, queue: Queue, mark: Mark) -> None:
        """What is sent to `queue` from now on runs after `mark`."""

    def keep(self, tensor: Tensor, queue: Queue) -> None:
        """The tensor's memory isn't given away before what was sent to `queue` has run, though nobody here holds it any more."""


class CudaQueues:
    """Streams and events of CUDA."""

    def __init__(self, device: torch.device) -> None:
        self._device = device

    def queue(self) -> torch.cuda.Stream:
        return voice_stream(self._device)

    def inside(self, queue: torch.cuda.Stream) -> AbstractContextManager[Any]:
        return torch.cuda.stream(queue)

    def mark(self) -> torch.cuda.Event:
        event = torch.cuda.Event()
        event.record(torch.cuda.current_stream(self._device))
        return event

    def wait(self, queue: torch.cuda.Stream, mark: torch.cuda.Event) -> None:
        queue.wait_event(mark)

    def keep(self, tensor: Tensor, queue: torch.cuda.Stream) -> None:
        tensor.record_stream(queue)


def queues_of(device: torch.device) -> Queues | None:
    return CudaQueues(device) if device.type == "cuda" else None


class Aside:
    """One queue beside those that threads have by themselves. queues: None where the device has none."""

    def __init__(self, queues: Queues | None) -> None:
        self._queues = queues
        self._queue = None if queues is None else queues.queue()

    def mark(self) -> Mark:
        """Made by the thread that has sent what is to be handed over."""
        return None if self._queues is None else self._queues.mark()

    @contextmanager
    def entered(self, marks: Iterable[Mark] = (), tensors: Iterable[Tensor] = ()) -> Iterator[None]:
        """What this thread sends inside runs in the queue beside, after `marks`. tensors: what was made elsewhere and is read inside."""
        if self._queues is None:
            yield
            return
        with self._queues.inside(self._queue):
            for mark in {id(mark): mark for mark in marks}.values():
                self._queues.wait(self._queue, mark)
            for tensor in tensors:
                self._queues.keep(tensor, self._queue)
            yield
