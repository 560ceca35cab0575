"""The known voice: learnt from use, slow to take a stranger's, never with the user's no."""

from __future__ import annotations

import numpy as np
import pytest

from ridealong.cloud.turn.wearer import KNOWN_MS, Print, Wearer

pytestmark = pytest.mark.unit


def voice(angle: float) -> Print:
    return np.array([np.cos(angle), np.sin(angle)], np.float32)


def test_a_voice_is_known_after_enough_of_it() -> None:
    wearer = Wearer()
    wearer.learn(voice(0.0), KNOWN_MS / 2)
    assert wearer.similarity(voice(0.0)) is None
    wearer.learn(voice(0.1), KNOWN_MS)
    near, far = wearer.similarity(voice(0.05)), wearer.similarity(voice(1.2))
    assert near is not None and far is not None and near > 0.99 > 0.6 > far
    assert wearer.similarity(None) is None


def test_a_strangers_request_does_not_take_it_over() -> None:
    wearer = Wearer()
    wearer.learn(voice(0.0), 3_000)
    for _ in range(3):
        wearer.learn(voice(1.4), 1_000)
    own, other = wearer.similarity(voice(0.0)), wearer.similarity(voice(1.4))
    assert own is not None and other is not None and own > other


def test_the_users_no_learns_and_tells_nothing() -> None:
    wearer = Wearer(enabled=False)
    wearer.learn(voice(0.0), 10_000)
    assert wearer.similarity(voice(0.0)) is None and wearer.heard_ms == 0


def test_forget() -> None:
    wearer = Wearer()
    wearer.learn(voice(0.0), 10_000)
    wearer.forget()
    assert wearer.similarity(voice(0.0)) is None
