"""How long each stage of a tick takes. Off, it costs nothing; on, it waits at every border for what its half has sent to the device, so totals
grow a little."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

import torch


class Stages:
    """Sums of milliseconds by stage since `take`."""

    def __init__(self, device: torch.device, on: bool = False) -> None:
        self.on = on
        self._cuda = device.type == "cuda"
        self._device = device
        self._sums: dict[str, float] = {}

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        if not self.on:
            yield
            return
        start = self._now()
        try:
            yield
        finally:
            self._sums[name] = self._sums.get(name, 0.0) + self._now() - start

    def take(self) -> dict[str, float]:
        """The sums, which begin anew."""
        sums, self._sums = self._sums, {}
        return sums

    def _now(self) -> float:
        if self._cuda:
            torch.cuda.current_stream(self._device).synchronize()
        return time.perf_counter() * 1000
