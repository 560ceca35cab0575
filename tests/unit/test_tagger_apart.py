"""No sentence that the tagger of requests was tuned on is one that figures are reported of."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from ridealong.simulators.evaluation.delegation.utterances import Split, generate
from ridealong.simulators.scenarios.texts import SHIPPED

pytestmark = pytest.mark.unit

ROOT = Path(__file__).parents[2]
TUNED = ROOT / "tools" / "tagger_texts"
SUITE = ROOT / "simulators" / "evaluation" / "calls" / "cases"


def bare(text: str) -> str:
    return re.sub(r"[\W_]+", " ", text.lower()).strip()


def tuned() -> set[str]:
    lines = [line for path in TUNED.glob("*.tsv") for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    return {bare("".join(line.split("\t")[1::2])) for line in lines}


def suite() -> set[str]:
    cases = [json.loads(line) for path in SUITE.glob("*.jsonl") for line in path.read_text(encoding="utf-8").splitlines()]
    return {bare(turn[0]["content"]) for case in cases for turn in case["question"]}


def delegation() -> set[str]:
    return {bare(one.text) for seed in range(1, 6) for one in generate(Split.REPORT, seed)}


def scenarios() -> set[str]:
    def words(content: Any) -> list[str]:
        if isinstance(content, str):
            return [content]
        values = content.values() if isinstance(content, dict) else content if isinstance(content, list) else []
        return [one for value in values for one in words(value)]

    return {
        bare(one)
        for path in (SHIPPED / "report").glob("*.yaml")
        for one in words(yaml.safe_load(path.read_text(encoding="utf-8")))
    }


@pytest.mark.parametrize("reported", [suite, delegation, scenarios])
def test_tuned_and_reported_are_apart(reported: Any) -> None:
    sentences = reported()
    assert len(tuned()) > 10_000 and len(sentences) > 100
    assert not tuned() & sentences
