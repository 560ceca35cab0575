"""Drift is followed, gaps are placed, and paced work neither drifts nor bursts."""

from __future__ import annotations

import random

import pytest

from ridealong.device.clock import Deadlines, SampleClock

pytestmark = pytest.mark.unit


def test_steady_capture_has_no_gap_and_no_drift() -> None:
    clock = SampleClock(100.0)
    for k in range(500):
        placed = clock.place(320, 100.0 + (k + 1) * 0.02)
        assert (placed.start, placed.gap) == (k * 320, 0)
    assert clock.now(110.0) == 160_000


@pytest.mark.parametrize("ppm", [-200, 200])
def test_a_crystal_that_is_off_makes_no_gap_in_an_hour(ppm: int) -> None:
    clock, chance = SampleClock(0.0), random.Random(1)
    for k in range(36_000):
        true_s = (k + 1) * 0.1 * (1 + ppm * 1e-6)
        clock.place(1_600, true_s + chance.random() * 0.03)
    assert clock.gaps == 0
    assert abs(clock.now(3_600 * (1 + ppm * 1e-6)) - clock.position) < 800


def test_a_burst_after_a_stall_is_not_a_gap() -> None:
    clock = SampleClock(0.0)
    for k in range(50):
        clock.place(320, (k + 1) * 0.02)
    for _ in range(50):
        assert clock.place(320, 2.0).gap == 0
    assert clock.position == 32_000


def test_lost_samples_become_one_gap() -> None:
    clock = SampleClock(0.0)
    for k in range(50):
        clock.place(320, (k + 1) * 0.02)
    gaps = [clock.place(320, 1.5 + (k + 1) * 0.02).gap for k in range(50)]
    assert sum(gaps) == 8_000 and sum(gap > 0 for gap in gaps) == 1
    assert clock.position == 2.5 * 16_000


def test_a_stated_discontinuity_is_placed_at_once() -> None:
    clock = SampleClock(0.0)
    clock.place(320, 0.02)
    placed = clock.place(320, 5.0, discontinuity=True)
    assert placed.start == 80_000 - 320 and placed.gap == placed.start - 320


def test_lateness_of_1_ms_a_tick_never_accumulates() -> None:
    deadlines, now = Deadlines(0.0, 0.02), 0.0
    for _ in range(3_000):
        slot = deadlines.after(now)
        now = max(now, slot.due_s) + 0.001
    assert deadlines.skipped == 0 and abs(now - 59.981) < 0.002


def test_a_freeze_skips_whole_slots_and_never_bursts() -> None:
    deadlines, now, served = Deadlines(0.0, 0.02), 0.0, []
    for k in range(400):
        slot = deadlines.after(now)
        now = max(now, slot.due_s) + (5.0 if k == 100 else 0.0)
        served.append((slot.index, now))
    assert deadlines.skipped == pytest.approx(249, abs=1)
    burst = [index for index, at in served if 7.0 <= at <= 7.02]
    assert len(burst) <= 3


def test_before_the_first_sample_the_clock_stands_at_nothing_whatever_the_loop_shows() -> None:
    clock = SampleClock()
    assert clock.now(33_932.5) == 0
    clock.origin_s = 33_932.5
    assert clock.now(33_933.5) == 16_000
