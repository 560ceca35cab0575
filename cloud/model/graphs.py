"""A step of fixed shapes captured once as a CUDA graph and then replayed: a launch of one instead of thousands.

    step(*inputs) -> outputs      Captured(step, inputs) -> the same, inputs copied into place, outputs those of the capture

On a device without graphs the step itself runs, through the same buffers. What a captured step returns is overwritten by its next
call: copy what must last. It is replayed in the queue of whoever calls (`aside`). Never run on a GPU so far: this project has had none with time for it (docs/guides/gpu.md).
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from typing import Any

import torch
from torch import Tensor

from ridealong.cloud.model.streams import capture_stream

Step = Callable[..., tuple[Tensor, ...]]
_CAPTURING = threading.Lock()
"""One thread at a time."""


class Captured:
    """One step at one set of shapes."""

    def __init__(self, step: Step, inputs: tuple[Tensor, ...], restore: tuple[Tensor, ...], *, graph: bool) -> None:
        """restore: tensors that the step changes in place; they are put back after the trial runs that a capture needs."""
        self._step = step
        self._inputs = tuple(tensor.clone() for tensor in inputs)
        self._graph: Any = None
        self._outputs: tuple[Tensor, ...] = ()
        if not graph:
            return
        kept = [tensor.clone() for tensor in restore]
        device = self._inputs[0].device
        with _CAPTURING, torch.cuda.device(device):
            mine, side = torch.cuda.current_stream(), capture_stream(device)
            side.wait_stream(mine)
            with torch.cuda.stream(side):  # libraries make their plans and workspaces outside the capture
                for _ in range(2):
                    self._step(*self._inputs)
            mine.wait_stream(side)
            self._graph = torch.cuda.CUDAGraph()
            # By itself a capture takes one stream that all threads share, and forbids every thread what would break it; here one thread may
            # capture while the other one runs.
            with torch.cuda.graph(self._graph, stream=side, capture_error_mode="thread_local"):
                self._outputs = self._step(*self._inputs)
        for tensor, was in zip(restore, kept, strict=True):
            tensor.copy_(was)

    def __call__(self, *inputs: Tensor) -> tuple[Tensor, ...]:
        for mine, given in zip(self._inputs, inputs, strict=True):
            mine.copy_(given, non_blocking=True)
        if self._graph is None:
            return self._step(*self._inputs)
        self._graph.replay()
        return self._outputs


class Graphs:
    """Captured steps by what they are captured for. Bounded: the one unused for longest goes."""

    def __init__(self, *, graph: bool, limit: int = 32) -> None:
        self._graph = graph
        self._limit = limit
        self._known: dict[Hashable, Captured] = {}

    def run(self, key: Hashable, step: Step, inputs: tuple[Tensor, ...], restore: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
        """`step` on `inputs`. key: everything else that its shapes depend on."""
        key = (key, tuple((tensor.shape, tensor.dtype) for tensor in inputs))
        found = self._known.pop(key, None) or Captured(step, inputs, restore, graph=self._graph)
        self._known[key] = found
        if len(self._known) > self._limit:
            del self._known[next(iter(self._known))]
        return found(*inputs)

    def __len__(self) -> int:
        return len(self._known)
