"""Whose voice it was, and whose yes counts."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from ridealong.cloud.turn.who import speaker
from ridealong.harness.skill import Provenance
from tests.unit.harness_scene import Scene, play
from tests.unit.test_addressed import BASE

pytestmark = pytest.mark.unit

DRIVER, PASSENGER, UNKNOWN, WEARER, TYPED = (
    Provenance.DRIVER, Provenance.PASSENGER, Provenance.UNKNOWN, Provenance.WEARER, Provenance.TYPED,
)  # fmt: skip
QUESTION = "Shall I open the boot?"


@pytest.mark.parametrize(
    ("changes", "who"),
    [
        ({}, DRIVER),  # nobody is known yet
        ({"usual_level_db": None}, DRIVER),
        ({"usual_level_db": None, "level_db": -36.0}, UNKNOWN),
        ({"usual_level_db": None, "level_db": -36.0, "wake": True}, DRIVER),
        ({"level_db": -36.0}, DRIVER),  # somebody has been heard, but too little to know the voice
        ({"similarity": 0.8, "same_language": 0.8}, DRIVER),
        ({"similarity": 0.4, "same_language": 0.4}, UNKNOWN),
        ({"similarity": 0.4, "same_language": None}, DRIVER),
        ({"similarity": 0.4, "same_language": 0.4, "level_db": -36.0}, UNKNOWN),
        ({"similarity": 0.4, "level_db": -36.0, "same_language": None}, UNKNOWN),
        ({"similarity": 0.4, "same_language": 0.4, "wake": True}, PASSENGER),
        ({"similarity": 0.4, "same_language": 0.4, "wake": True, "level_db": -34.2}, UNKNOWN),  # a television that knows our name
        ({"similarity": 0.4, "same_language": 0.4, "voiced_ms": 300}, DRIVER),  # too short to tell
        ({"similarity": 0.62, "same_language": 0.62}, DRIVER),
        ({"similarity": 0.62, "same_language": 0.62, "ms_since_question": 2_000}, UNKNOWN),
        ({"similarity": 0.4, "same_language": 0.4, "ms_since_question": 2_000, "voiced_ms": 300}, UNKNOWN),
        ({"similarity": 0.62, "same_language": 0.62, "ms_since_talk": 1_000}, UNKNOWN),
        ({"similarity": 0.62, "same_language": 0.62, "overlap": True, "assistant_text": QUESTION}, UNKNOWN),
        ({"similarity": 0.55, "same_language": 0.55, "overlap": True, "assistant_text": "The tyres are fine."}, DRIVER),
    ],
)
def test_whose_voice_it_was(changes: dict[str, object], who: Provenance) -> None:
    heard = replace(BASE, **changes)  # type: ignore[arg-type]
    assert speaker(DRIVER, heard) is who
    assert speaker(PASSENGER, heard) is PASSENGER and speaker(UNKNOWN, heard) is UNKNOWN


def test_glasses_have_no_passengers() -> None:
    assert speaker(WEARER, replace(BASE, similarity=0.4, same_language=0.4, wake=True)) is UNKNOWN


@pytest.mark.parametrize(
    ("asked", "answers", "explicit"),
    [
        (DRIVER, DRIVER, True),
        (DRIVER, TYPED, True),
        (DRIVER, PASSENGER, False),
        (PASSENGER, PASSENGER, True),
        (PASSENGER, DRIVER, True),
        (UNKNOWN, UNKNOWN, False),
        (DRIVER, UNKNOWN, False),
    ],
)
def test_whose_yes_counts(tmp_path: Path, asked: Provenance, answers: Provenance, explicit: bool) -> None:
    async def script(s: Scene) -> None:
        s.ask("look: ask Really?", provenance=asked)
        await asyncio.sleep(0.1)
        assert s.boundary() == ["s-w1: Really?"]
        s.played("s-w1", "finished", "Really?")
        await asyncio.sleep(1)
        s.ask("yes", provenance=answers)
        await asyncio.sleep(0.1)
        assert s.boundary() == [f"s-w2: {'explicit' if explicit else 'none'}"]

    play(Scene(tmp_path), script)
