"""The gate against a slow direct reading of the formula, and its decisions in order."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from ridealong.device.frame_gate import SIDE, FrameGate, decide, measure
from ridealong.proto.types import GateReason

pytestmark = pytest.mark.unit

R = 48


def slow_block(current: NDArray[np.uint8], reference: NDArray[np.uint8], top: int, left: int) -> tuple[int, int, float]:
    """(dx, dy, r) by the text of E1, one block, whole-number costs (J times 979,200)."""
    height, width = current.shape[:2]
    here = current[top : top + 16, left : left + 16].astype(int)

    def key(dx: int, dy: int) -> tuple[int, int, int, int] | None:
        y, x = top + dy, left + dx
        if abs(dx) > R or abs(dy) > R or y < 0 or x < 0 or y > height - 16 or x > width - 16:
            return None
        sad = int(np.abs(here - reference[y : y + 16, x : x + 16].astype(int)).sum())
        return 5 * sad + 102 * (abs(dx) + abs(dy)), abs(dx) + abs(dy), dy, dx

    def around(dx: int, dy: int, steps: list[tuple[int, int]]) -> tuple[int, int]:
        keys = [found for step in steps if (found := key(dx + step[0], dy + step[1])) is not None]
        best = min(keys)
        return best[3], best[2]

    dx = dy = 0
    start = key(0, 0)
    assert start is not None
    if start[0]:
        hexagon = [(0, 0), (2, 0), (-2, 0), (1, 2), (1, -2), (-1, 2), (-1, -2)]
        for _ in range(2 * R + 4):
            to = around(dx, dy, hexagon)
            if to == (dx, dy):
                break
            dx, dy = to
        dx, dy = around(dx, dy, [(x, y) for x in (-1, 0, 1) for y in (-1, 0, 1)])
    best = key(dx, dy)
    assert best is not None
    return dx, dy, (best[0] - 102 * best[1]) / 5 / (255 * 3 * 256)


@settings(max_examples=12, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(-9, 9), st.integers(-9, 9), st.integers(0, 40), st.sampled_from([1, 4, 16]))
def test_equals_the_direct_reading(seed: int, shift_x: int, shift_y: int, noise: int, grain: int) -> None:
    random = np.random.default_rng(seed)
    coarse = random.integers(0, 256, (96 // grain + 2, 96 // grain + 2, 3)).astype(np.uint8)
    big = np.kron(coarse, np.ones((grain, grain, 1), np.uint8))
    reference = np.ascontiguousarray(big[:80, :80])
    current = np.roll(reference, (shift_y, shift_x), axis=(0, 1)).astype(int)
    current[16:32] += random.integers(-noise, noise + 1, (16, 80, 3))
    frame = np.clip(current, 0, 255).astype(np.uint8)
    found = measure(frame, reference)
    expected = [slow_block(frame, reference, top, left) for top in range(0, 80, 16) for left in range(0, 80, 16)]
    assert list(found.dx) == [entry[0] for entry in expected]
    assert list(found.dy) == [entry[1] for entry in expected]
    assert np.allclose(found.residual, [entry[2] for entry in expected], atol=1e-12)
    assert np.allclose(found.motion, [(abs(entry[0]) + abs(entry[1])) / (2 * R) for entry in expected])


def smooth(seed: int) -> NDArray[np.uint8]:
    """A picture with structure at several scales, as the camera gives."""
    random = np.random.default_rng(seed)
    picture = np.zeros((SIDE, SIDE, 3))
    for grain in (8, 32, 128):
        coarse = random.uniform(0, 255, (SIDE // grain, SIDE // grain, 3))
        picture += np.kron(coarse, np.ones((grain, grain, 1))) / 3
    return picture.astype(np.uint8)


def speckled(frame: NDArray[np.uint8], by: int) -> NDArray[np.uint8]:
    """A chequer of so much, brighter and darker from pixel to pixel: no motion and no light explains it."""
    chequer = np.where(np.indices((SIDE, SIDE)).sum(axis=0) % 2, by, -by)[..., None]
    return np.clip(frame.astype(int) + chequer, 0, 255).astype(np.uint8)


def test_a_still_scene_is_dropped_four_times_then_kept() -> None:
    gate, frame = FrameGate(), smooth(1)
    reasons = [gate.judge(frame, 640, 360).reason for _ in range(11)]
    similar, limit = GateReason.SIMILAR, GateReason.DROP_LIMIT
    assert reasons == [GateReason.FIRST, *[similar] * 4, limit, *[similar] * 4, limit]
    assert (gate.kept, gate.dropped) == (3, 8)


def test_scene_change_resize_and_small_motion() -> None:
    gate, frame = FrameGate(), smooth(1)
    gate.judge(frame, 640, 360)
    still = gate.judge(np.roll(frame, 2, axis=1), 640, 360)
    assert still.reason is GateReason.SIMILAR and 0 < still.cost < 0.04
    cut = gate.judge(255 - frame, 640, 360)
    assert cut.keep and cut.reason in (GateReason.NEW_SCENE, GateReason.CHANGED) and cut.cost > 0.04
    assert gate.judge(255 - frame, 1280, 720).reason is GateReason.RESIZED


def test_a_slow_drift_adds_up_because_the_reference_is_the_last_kept_frame() -> None:
    """Each step alone is far below every threshold; against the last kept frame it is not (before the drop limit)."""
    gate, frame = FrameGate(), smooth(2)
    gate.judge(frame, 640, 360)
    reasons = [gate.judge(speckled(frame, 3 * k), 640, 360).reason for k in (1, 2, 3)]
    assert reasons[0] is GateReason.SIMILAR and GateReason.WIDE_CHANGE in reasons + [GateReason.CHANGED]
    assert any(reason is not GateReason.SIMILAR for reason in reasons)


@pytest.mark.parametrize(
    ("figures", "reason"),
    [
        ((0.11, 0.9, 0.9, 40, 9), GateReason.NEW_SCENE),
        ((0.10, 0.9, 0.9, 32, 9), GateReason.REFRESH),
        ((0.05, 0.9, 0.9, 31, 9), GateReason.CHANGED),
        ((0.04, 0.31, 0.9, 0, 9), GateReason.LOCAL_CHANGE),
        ((0.04, 0.30, 0.31, 0, 9), GateReason.WIDE_CHANGE),
        ((0.04, 0.30, 0.30, 0, 4), GateReason.DROP_LIMIT),
        ((0.04, 0.30, 0.30, 0, 3), GateReason.SIMILAR),
    ],
)
def test_first_match_wins(figures: tuple[float, float, float, int, int], reason: GateReason) -> None:
    assert decide(*figures) is reason


def test_illegal_frames_raise_and_change_nothing() -> None:
    gate = FrameGate()
    with pytest.raises(ValueError, match="512"):
        gate.judge(np.zeros((10, 10, 3), np.uint8), 10, 10)
    assert gate.kept == 0


def test_each_rule_through_the_gate_itself() -> None:
    base = np.asarray(smooth(3) // 2 + 20, np.uint8)  # room for brightness on both sides
    hole = base.copy()
    for row in range(0, 256, 64):
        for column in range(0, 256, 64):
            hole[row : row + 16, column : column + 16] = 255  # 16 of 1,024 blocks, far from each other
    random = np.random.default_rng(4)
    other = random.integers(0, 2, (SIDE, SIDE, 3)).astype(np.uint8) * 255
    cases = {
        GateReason.NEW_SCENE: other,
        GateReason.CHANGED: speckled(base, 12),
        GateReason.LOCAL_CHANGE: hole,
        GateReason.WIDE_CHANGE: speckled(base, 9),
        GateReason.SIMILAR: speckled(base, 5),
    }
    for reason, frame in cases.items():
        gate = FrameGate()
        gate.judge(base, 640, 360)
        note = gate.judge(frame, 640, 360)
        assert (note.reason, note.keep) == (reason, reason is not GateReason.SIMILAR), note
    flat = FrameGate()
    flat.judge(base, 640, 360)
    note = flat.judge(speckled(base, 5), 640, 360)
    assert note.cost == pytest.approx(5 / 255) == note.residual_q99 and note.changed_share == 0.0


def test_steps_that_are_nothing_add_up_against_the_frame_that_was_kept() -> None:
    base = np.asarray(smooth(3) // 2 + 20, np.uint8)
    gate = FrameGate()
    notes = [gate.judge(speckled(base, 3 * k), 640, 360) for k in range(4)]
    assert [note.keep for note in notes] == [True, False, False, True] and notes[3].reason is GateReason.WIDE_CHANGE
    assert [round(note.cost * 255) for note in notes] == [0, 3, 6, 9]  # against the first, not the one before


def test_a_camera_that_reuses_its_buffer_is_not_compared_with_itself() -> None:
    gate, frame = FrameGate(), smooth(1)
    gate.judge(frame, 640, 360)
    frame[:] = 255 - frame
    assert gate.judge(frame, 640, 360).cost > 0.04
    gate.judge(frame[:, ::-1], 640, 360)  # a view is as good


def test_a_size_that_changes_and_comes_back_is_kept_each_time_and_clears_the_drops() -> None:
    gate, frame = FrameGate(), smooth(1)
    sizes = [640, 640, 640, 1280, 1280, 1280, 1280, 1280, 1280]
    reasons = [gate.judge(frame, width, 360).reason for width in sizes]
    assert reasons == [
        GateReason.FIRST, *[GateReason.SIMILAR] * 2, GateReason.RESIZED, *[GateReason.SIMILAR] * 4, GateReason.DROP_LIMIT,
    ]  # fmt: skip
