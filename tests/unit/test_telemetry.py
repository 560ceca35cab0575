"""Counters and loop lag are numbers under stable names."""

from __future__ import annotations

import pytest

from ridealong.device.telemetry import Telemetry, numbers
from ridealong.device.uplink_buffer import FrameCounters

pytestmark = pytest.mark.unit


def test_a_snapshot_names_every_source() -> None:
    telemetry, frames = Telemetry(), FrameCounters(kept=2)
    telemetry.add("frames", numbers(frames))
    telemetry.add("other", numbers(frames, "sent", "not_there"))
    for late_s in [0.001] * 99 + [0.5]:
        telemetry.lag.add(late_s)
    frames.sent = 3
    found = telemetry.snapshot()
    assert found["frames.kept"] == 2 and found["other.sent"] == 3 and "other.not_there" not in found
    assert found["loop.lag_worst_ms"] == 500 and found["loop.lag_p99_ms"] in (1.0, 500.0)
