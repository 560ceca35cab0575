"""What the light does to a still scene is no change: exposure, white balance, lamps on the mains, and all at once. What is truly new is seen all the same."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from ridealong.device.frame_gate import SIDE, FrameGate
from ridealong.device.lighting import evened, light_between
from ridealong.proto.types import GateNote, GateReason
from tests.unit.test_frame_gate import smooth

pytestmark = pytest.mark.unit

Picture = NDArray[np.uint8]
NOISE = 2.0
"""Of a sensor, in values of 255."""
FRAMES_PER_S = 10
ROWS_PER_PERIOD = 170
"""A rolling shutter that takes 30 ms for the picture, under a lamp that flickers at 100 Hz."""
CHANGES = {GateReason.NEW_SCENE, GateReason.CHANGED, GateReason.LOCAL_CHANGE, GateReason.WIDE_CHANGE}


def scene(seed: int) -> NDArray[np.float64]:
    return smooth(seed) * 0.6


def seen(light: NDArray[np.float64], number: int) -> Picture:
    """As a sensor gives it: with noise, clipped, in whole numbers."""
    noise = np.random.default_rng([5, number]).normal(0, NOISE, light.shape)
    return np.clip(np.rint(light + noise), 0, 255).astype(np.uint8)


def balance(warmth: float) -> NDArray[np.float64]:
    """White balance: warmer is more red and less blue."""
    return np.array([1 + warmth, 1.0, 1 - warmth])


def bands(phase: float, depth: float = 0.15) -> NDArray[np.float64]:
    return (1 + depth * np.sin(2 * np.pi * np.arange(SIDE) / ROWS_PER_PERIOD + phase))[:, None, None]


def sign(picture: NDArray[np.float64]) -> NDArray[np.float64]:
    """Something that was not there: a red sign, 6 % of the picture."""
    with_sign = picture.copy()
    with_sign[200:328, 200:328] = (245, 5, 5)
    return with_sign


def judged(frames: Sequence[Picture]) -> list[GateNote]:
    gate = FrameGate()
    return [gate.judge(frame, 640, 360) for frame in frames]


STILL = scene(1)
UP_AND_DOWN = [*np.linspace(1.0, 1.6, FRAMES_PER_S // 2), *np.linspace(1.6, 1.0, FRAMES_PER_S // 2)]
LIGHTS: dict[str, list[NDArray[np.float64]]] = {
    "exposure 1.0, 1.6, 1.0 within a second": [STILL * gain for gain in UP_AND_DOWN],
    "exposure that swings at night": [STILL * (1.25 if number % 2 else 0.8) for number in range(12)],
    "white balance": [STILL * balance(warmth) for warmth in (0.0, 0.08, 0.16, 0.2, 0.12, 0.0, -0.1, -0.2)],
    "100 Hz bands": [STILL * bands(1.3 * number) for number in range(12)],
    "all of it": [
        STILL * (1 + 0.25 * np.sin(number)) * balance(0.1 * np.cos(number)) * bands(2.1 * number, 0.1) for number in range(12)
    ],
}


@pytest.mark.parametrize("frames", LIGHTS.values(), ids=LIGHTS)
def test_what_the_light_does_is_kept_no_oftener_than_a_still_scene(frames: list[NDArray[np.float64]]) -> None:
    notes = judged([seen(light, number) for number, light in enumerate(frames)])
    still = judged([seen(STILL, number) for number in range(len(frames))])
    assert [note.reason for note in notes] == [note.reason for note in still]
    assert not any(note.reason in CHANGES for note in notes)


@pytest.mark.parametrize("frames", LIGHTS.values(), ids=LIGHTS)
def test_a_true_object_is_kept_in_every_light(frames: list[NDArray[np.float64]]) -> None:
    """It is there before the light, so that it is lit as all else is."""
    start = seen(STILL, 99)
    for number, light in enumerate(frames):
        lit = light / STILL.clip(min=1e-6)
        first, second = judged([start, seen(sign(STILL) * lit, number)])
        assert first.reason is GateReason.FIRST and second.reason in CHANGES, (number, second)


def test_a_tunnel_is_seen_once_at_each_end() -> None:
    lit = [1.0, 1.0, 0.15, 0.15, 0.15, 1.0, 1.0]
    reasons = [note.reason for note in judged([seen(STILL * gain, number) for number, gain in enumerate(lit)])]
    kept = [number for number, reason in enumerate(reasons) if reason in CHANGES]
    assert kept == [2, 5]


def test_highlights_that_are_clipped_are_no_change() -> None:
    bright = smooth(1).astype(float)
    notes = judged([seen(bright * gain, number) for number, gain in enumerate((1.0, 1.3, 1.6, 1.3, 1.0))])
    assert not any(note.reason in CHANGES for note in notes)


@pytest.mark.parametrize("other", [scene(9), 255 - smooth(1).astype(float), np.roll(STILL, (0, 30), axis=(0, 1))])
def test_another_scene_is_another_scene(other: NDArray[np.float64]) -> None:
    for gain in (0.7, 1.0, 1.4):
        assert judged([seen(STILL, 0), seen(other * gain, 1)])[1].reason in CHANGES


def test_an_unlit_picture_tells_nothing_and_neither_does_the_same_one() -> None:
    black, white = np.zeros((SIDE, SIDE, 3), np.uint8), np.full((SIDE, SIDE, 3), 255, np.uint8)
    for pair in ((black, seen(STILL, 0)), (seen(STILL, 0), white), (black, black), (seen(STILL, 0), seen(STILL, 1))):
        assert evened(*pair) is None


@settings(max_examples=15)
@given(st.floats(0.55, 1.8), st.floats(-0.1, 0.1), st.floats(0.0, 0.15), st.floats(0, 6.3))
def test_the_light_is_told_from_what_is_seen(gain: float, warmth: float, depth: float, phase: float) -> None:
    light = gain * balance(warmth) * bands(phase, depth)
    found = light_between(seen(STILL * light, 1), seen(STILL, 0))
    truth = np.broadcast_to(light[:, 0, :], (SIDE, 3))
    if found is not None:
        assert np.median(np.abs(found / truth - 1)) < 0.03
    else:  # the same, as near as it matters, or too different to be light alone
        assert np.abs(np.log(truth)).max() < 0.06 or np.abs(np.log(truth)).max() > np.log(1.7)
