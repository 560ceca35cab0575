"""The streams of CUDA that this process makes, each another than the rest: one for the voice, and for each stream that replays graphs one to
capture them in.

torch hands streams out of 32 a device in turns, so a new one may be one that somebody has: what the voice sends while a graph is captured in its
stream would be captured, too. Nor may two streams that run beside one another replay what was captured in one: cuBLAS keeps its working memory by
stream, and a graph holds that of its capture. Never run on a GPU so far (docs/guides/gpu.md).
"""

from __future__ import annotations

import threading
from typing import Final

import torch

MOST_TRIES: Final = 64
_LOCK = threading.Lock()
_MADE: dict[int, dict[object, torch.cuda.Stream]] = {}
"""By device, then by what for."""


def voice_stream(device: torch.device) -> torch.cuda.Stream:
    """The device's, made once."""
    return _stream(device, "voice")


def capture_stream(device: torch.device) -> torch.cuda.Stream:
    """For what this thread's stream on the device will replay; made once for that one."""
    return _stream(device, torch.cuda.current_stream(device).cuda_stream)


def _stream(device: torch.device, purpose: object) -> torch.cuda.Stream:
    with _LOCK:
        made = _MADE.setdefault(torch.cuda.current_device() if device.index is None else device.index, {})
        if purpose not in made:
            taken = {one.cuda_stream for one in made.values()} | {torch.cuda.current_stream(device).cuda_stream}
            made[purpose] = _other(device, taken)
        return made[purpose]


def _other(device: torch.device, taken: set[int]) -> torch.cuda.Stream:
    for _ in range(MOST_TRIES):
        stream = torch.cuda.Stream(device)
        if stream.cuda_stream not in taken:
            return stream
    raise RuntimeError(f"{device} has no stream beside {len(taken)} that are in use")
