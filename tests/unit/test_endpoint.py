"""The end of a turn, from the turn model and the words: orders that must hold whatever the weights."""

from __future__ import annotations

import pytest

from ridealong.cloud.frontends.cascade.endpoint import WAITS, WEIGHTS, Evidence, decide, features

pytestmark = pytest.mark.unit


def wait(text: str | None, turn: float | None = 0.9, locale: str = "en", complete: bool = False) -> float:
    return decide(Evidence(locale, turn, text, complete)).wait_ms


@pytest.mark.parametrize(
    ("finished", "hesitating", "locale"),
    [
        ("Turn on the rear defroster.", "Turn on the", "en"),
        ("Turn on the rear defroster.", "Turn on the, um,", "en"),
        ("Set it to twenty.", "Set it to...", "en"),
        ("What's the speed?", "What's the", "en"),
        ("空调调到二十度。", "空调调到", "zh"),
        ("打开后备箱。", "打开，那个，", "zh"),
        ("把车窗打开。", "把", "zh"),
    ],
)
@pytest.mark.parametrize("turn", [0.3, 0.7, 0.95])
def test_a_finished_command_ends_soon_and_a_hesitation_does_not(finished: str, hesitating: str, locale: str, turn: float) -> None:
    quick, patient = wait(finished, turn, locale, complete=True), wait(hesitating, turn, locale)
    assert quick <= 450 and patient >= 800


def test_surer_is_never_slower() -> None:
    for text in ("Make it warmer.", "make it", "um"):
        waits = [wait(text, turn / 20) for turn in range(21)]
        assert waits == sorted(waits, reverse=True)
    assert [one for _, one in WAITS] == sorted(one for _, one in WAITS) and WAITS[-1][0] == 0.0


def test_the_turn_model_alone_never_ends_a_turn_quickly() -> None:
    assert wait(None, 0.99) >= 900 and wait(None, None) >= 900


def test_an_unsure_turn_model_still_ends_some_time() -> None:
    assert wait("the", 0.0) <= 1_400 and wait("", None) <= 1_400


def test_every_feature_has_a_weight() -> None:
    for evidence in (
        Evidence("en", 0.5, "Well, um,", True),
        Evidence("zh", 0.5, "那个"),
        Evidence("zh"),
        Evidence("", 0.2, "no."),
    ):
        assert set(features(evidence)) <= set(WEIGHTS)
