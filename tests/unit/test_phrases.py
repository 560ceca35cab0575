"""Is a phrase in what was heard or read? The right ones, and the near misses that must not count."""

from __future__ import annotations

import pytest

from ridealong.harness.conditions import PhraseHeard, PhraseSeen
from ridealong.harness.phrases import similarity, tokens
from ridealong.harness.standing import THRESHOLDS

pytestmark = pytest.mark.unit

READ = [
    ("Exit 12", "EXIT 12"), ("Exit 12", "Exit12"), ("Exit 12", "Exit 12 出口 停车场"), ("exit twelve", "Exit 12"), ("Parking", "NO PARKING"),
    ("Parking", "PARKlNG"), ("Central Station", "CENTRALSTATION 500m"), ("Gate B12", "Gate B 12"), ("Gate B10", "GATE BIO"),
    ("出口", "Exit 12 出口"), ("停车场", "停车场 P2"), ("十二号出口", "12号出口"), ("Museum", "Museun"),
]  # fmt: skip
NOT_READ = [
    ("Exit 12", "EXIT 120"), ("Exit 12", "EXIT 112"), ("Exit 12", "EXIT 13"), ("Exit 12", "12"), ("Parking", "PARK"), ("Gate B12", "Gate B13"),
    ("出口", "出租"), ("入口", "出口"), ("P2", "P3"), ("Ann", "PLANNING"), ("12号出口", "2号出口"),
]  # fmt: skip
HEARD = [
    ("gate B12", "The flight to Oslo is now boarding at gate B twelve."), ("gate B12", "gate B12, please"), ("Anna", "Has anybody seen Anna today?"),
    ("Sarah", "I asked Sara about it."), ("platform 3", "The train arrives on platform three."), ("登机口十二", "请到登机口12登机"),
    ("张伟", "张伟你好"), ("张伟", "章伟在吗"), ("lunch", "Shall we have lunch?"),
]  # fmt: skip
NOT_HEARD = [
    ("gate B12", "gate B2"), ("gate B12", "gate C12"), ("Anna", "I like bananas"), ("platform 3", "platform thirteen"), ("Sarah", "the Sahara"),
    ("登机口十二", "请到登机口二十登机"), ("张伟", "张明你好"), ("Ann", "and then"), ("Rob", "the robbery"),
]  # fmt: skip


@pytest.mark.parametrize("phrase, text", READ)
def test_read(phrase: str, text: str) -> None:
    assert similarity(phrase, text, heard=False) >= THRESHOLDS[PhraseSeen]


@pytest.mark.parametrize("phrase, text", NOT_READ)
def test_not_read(phrase: str, text: str) -> None:
    assert similarity(phrase, text, heard=False) < THRESHOLDS[PhraseSeen]


@pytest.mark.parametrize("phrase, text", HEARD)
def test_heard(phrase: str, text: str) -> None:
    assert similarity(phrase, text, heard=True) >= THRESHOLDS[PhraseHeard]


@pytest.mark.parametrize("phrase, text", NOT_HEARD)
def test_not_heard(phrase: str, text: str) -> None:
    assert similarity(phrase, text, heard=True) < THRESHOLDS[PhraseHeard]


def test_numbers_in_words_and_digits_are_the_same_tokens() -> None:
    assert tokens("Gate B twelve") == tokens("gate B12") == ("gate", "b12")
    assert tokens("出口十二") == tokens("出口12")
