""" "Undo that", "put it back", 撤销, 恢复原样: whatever was asked for before, and however it ended, these begin nothing that has nothing to do with it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import pytest
from car_words import REGISTRY, decide

from ridealong.harness.router import AskBack, Calls, Decision, Nothing
from ridealong.harness.skill import TALK, WORK, Match, Outcome, Recent

pytestmark = pytest.mark.unit

PHRASES = ("undo that", "put it back", "undo it please", "go back to what it was", "撤销", "恢复原样", "调回去")
DONE, NOT_DONE = (Outcome.COMPLETED, Outcome.UNKNOWN), (Outcome.REFUSED, Outcome.FAILED)


def _matches(decision: Decision) -> Sequence[Match]:
    if isinstance(decision, AskBack):
        return [decision.match] if decision.match is not None else []
    return decision.matches if isinstance(decision, Calls) else []


@lru_cache
def _calls(name: str) -> tuple[Match, ...]:
    """What a skill's own examples ask of it, in both languages, each once."""
    skill, known, calls = REGISTRY.get(name), list[dict[str, object]](), list[Match]()
    assert skill is not None
    for example in [example for examples in skill.examples.values() for example in examples]:
        for match in _matches(decide(example)):
            if match.capability == name and dict(match.arguments) not in known:
                known.append(dict(match.arguments))
                calls.append(match)
    return tuple(calls)


NAMES = tuple(skill.name for skill in REGISTRY if skill.group not in (TALK, WORK))  # operations on work need work


def _recent(match: Match, outcome: Outcome, ago_ms: float = 2_000.0, put: bool = True) -> Recent:
    return Recent(match.capability, match.arguments, outcome, ago_ms, put)


def _begins(decision: Decision) -> list[str]:
    """Groups of what it would do; operations on work and on what was said aside."""
    groups = [skill.group for match in _matches(decision) if (skill := REGISTRY.get(match.capability)) is not None]
    return [group for group in groups if group not in (TALK, WORK)]


def _group(match: Match) -> str:
    skill = REGISTRY.get(match.capability)
    assert skill is not None
    return skill.group


@pytest.mark.parametrize("name", NAMES)
def test_only_what_was_done_is_undone(name: str) -> None:
    assert _calls(name), "its examples ask for it"
    for last in _calls(name):
        for phrase in PHRASES:
            _undoes_only_what_was_done(last, phrase)


def _undoes_only_what_was_done(last: Match, phrase: str) -> None:
    for outcome in DONE:
        for ago_ms in (2_000.0, 50_000.0):
            assert set(_begins(decide(phrase, _recent(last, outcome, ago_ms)))) <= {_group(last)}
    for outcome in NOT_DONE:
        assert not _begins(decide(phrase, _recent(last, outcome)))
    for put in (True, False):
        for ago_ms in (2_000.0, 20_000.0):  # a question that still waits for an answer, and one that nobody answered
            assert not _begins(decide(phrase, _recent(last, Outcome.ASKS, ago_ms, put)))


@pytest.mark.parametrize("name", NAMES)
def test_what_was_before_that_is_left_alone(name: str) -> None:
    """Each time the last but one was done, and the last was done, refused or only asked about."""
    last = _calls(name)[-1]
    for earlier in [_calls(other)[-1] for other in NAMES if not other.startswith("status.")]:
        for phrase in ("undo that", "put it back", "撤销", "恢复原样"):
            for outcome in (Outcome.COMPLETED, Outcome.REFUSED, Outcome.ASKS):
                decision = decide(phrase, _recent(last, outcome), _recent(earlier, Outcome.COMPLETED, 10_000.0))
                assert set(_begins(decision)) <= ({_group(last)} if outcome is Outcome.COMPLETED else set())


@pytest.mark.parametrize("phrase", PHRASES)
def test_after_shall_i_open_the_boot_it_is_a_no(phrase: str) -> None:
    (opening, *_) = _calls("trunk.open")
    assert decide(phrase, _recent(opening, Outcome.ASKS)) == Nothing("declined")
    assert [match.capability for match in _matches(decide(phrase, _recent(opening, Outcome.COMPLETED)))] == ["trunk.close"]
    refused = decide(phrase, _recent(opening, Outcome.REFUSED))
    assert isinstance(refused, AskBack) and refused.match is None
