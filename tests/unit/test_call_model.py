"""`eval tools --router model`: a case's own functions are sent as they are; the suite goes the product's way; faults are named."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import pytest

from ridealong.cloud.config import LanguageModel, load_config
from ridealong.cloud.main import agent_of
from ridealong.errors import UserError
from ridealong.simulators.evaluation.calls.cases import Case, read_cases
from ridealong.simulators.evaluation.calls.main import TOOLS
from ridealong.simulators.evaluation.calls.matching import Made
from ridealong.simulators.evaluation.calls.model import ModelRouting, json_schema
from ridealong.vehicle_skills.builtin import builtin_registry
from tests.unit.fake_model import FakeModel, calls, fake_model, says, status

pytestmark = pytest.mark.unit
FACTORIAL = {
    "id": "simple_1",
    "question": [[{"role": "user", "content": "What is the factorial of 5?"}]],
    "function": [{"name": "math.factorial", "description": "Calculate it.", "parameters": {"type": "dict", "properties": {"number": {"type": "integer"}, "of": {"type": "tuple", "items": {"type": "float"}}}, "required": ["number"]}}],
    "ground_truth": [{"math.factorial": {"number": [5]}}],
}  # fmt: skip
WORDS = "Ridealong, let some fresh air in on the passenger side, thirty percent"


def routing(model: FakeModel) -> ModelRouting:
    return ModelRouting(builtin_registry(), LanguageModel(model.url, "m", ""))


def case(words: str, *earlier: str) -> Case:
    return Case("a", (*earlier, words), ((),))


def run(*words: str) -> int:
    parser = argparse.ArgumentParser()
    TOOLS.configure(parser)
    return TOOLS.run(parser.parse_args(list(words)))


def config(tmp_path: Path, text: str) -> str:
    path = tmp_path / "node.yaml"
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_a_cases_own_functions(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "cases.json"
    file.write_text(json.dumps(FACTORIAL), encoding="utf-8")
    with fake_model(calls(("math_factorial", {"number": 5}))) as model:
        node = config(tmp_path, f"language_model: {{base_url: '{model.url}', model: m, api_key_env: ''}}")
        assert run("--router", "model", "--config", node, "--cases", str(file)) == 0
    sent = model.asked[0]
    assert sent["messages"] == [{"role": "user", "content": "What is the factorial of 5?"}]
    (tool,) = sent["tools"]
    assert tool["function"]["name"] == "math_factorial" and tool["function"]["description"] == "Calculate it."
    assert tool["function"]["parameters"]["type"] == "object"
    assert tool["function"]["parameters"]["properties"]["of"] == {"type": "array", "items": {"type": "number"}}
    assert "pass@1): 1.000" in capsys.readouterr().out


def test_what_comes_back_is_scored_and_not_judged(tmp_path: Path) -> None:
    (one,) = read_cases(_file(tmp_path, FACTORIAL))
    with fake_model(calls(("math_factorial", {"number": 7}), ("other", "{rubbish"))) as model:
        assert routing(model).calls(one) == [Made("math.factorial", {"number": 7}), Made("other", {})]
    with fake_model(says("It is 120.")) as model:
        assert routing(model).calls(one) == []


def test_the_suite_goes_the_products_way() -> None:
    with fake_model(calls(("windows_set_position", {"position": 30, "zone": "row1.passenger"}))) as model:
        asking = routing(model)
        assert [one.name for one in asking.calls(case("Set the temperature to 20 degrees."))] == ["climate.set_temperature"]
        assert asking.calls(case("Anna, did you pack your swimming things?")) == []
        assert model.asked == []
        assert asking.calls(case(WORDS)) == [Made("windows.set_position", {"position": 30, "zone": "row1.passenger"})]


def test_an_ungrounded_call_is_none_and_readers_count() -> None:
    script = [
        calls(("windows_set_position", {"position": 70, "zone": "row1.passenger"})),
        calls(("status_outside_temperature", {})),
        calls(("status_outside_temperature", {})),
        says("Take a coat."),
    ]
    with fake_model(*script) as model:
        asking = routing(model)
        assert asking.calls(case(WORDS)) == []
        assert asking.calls(case("What is the weather like for a walk, do we need a coat?")) == [
            Made("status.outside_temperature", {})
        ]


@pytest.mark.parametrize("code", [401, 404])
def test_a_model_that_is_of_no_use_ends_the_run(code: int) -> None:
    with fake_model(status(code)) as model, pytest.raises(UserError, match="language_model in --config"):
        routing(model).calls(case(WORDS))


def test_single_faults_are_counted() -> None:
    with fake_model(*[status(500)] * 3) as model:
        asking = routing(model)
        asking.calls(case(WORDS))
        assert asking.faults == {"unavailable": 1}


def test_without_a_model_it_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="--config"):
        run("--router", "model")
    with pytest.raises(UserError, match=r"language_model\.base_url"):
        run("--router", "model", "--config", config(tmp_path, "server: {max_sessions: 2}"))
    with pytest.raises(UserError, match="--router model"):
        run("--config", config(tmp_path, "{}"))
    with pytest.raises(UserError, match="--router model"):
        run("--cases", str(_file(tmp_path, FACTORIAL)))


def test_schemas_of_other_languages() -> None:
    odd = {
        "type": "HashMap",
        "properties": {"a": {"type": "String", "optional": True}, "b": {"type": "ArrayList"}, "c": {"type": "any"}},
    }
    assert json_schema(odd) == {
        "type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "array", "items": {}}, "c": {"type": "string"}},
    }  # fmt: skip


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ("{base_url: 'http://x', model: m, request_ms: 1}", "request_ms"),
        ("{base_url: 'http://x'}", "both base_url and model"),
    ],
)
def test_settings_that_cannot_be(tmp_path: Path, settings: str, told: str) -> None:
    with pytest.raises(UserError, match=told):
        load_config(Path(config(tmp_path, f"language_model: {settings}")), {}, {})


def test_no_agent_without_an_endpoint_or_tools() -> None:
    registry: Any = builtin_registry()
    assert agent_of(LanguageModel(), registry, None) is None
    assert agent_of(LanguageModel("http://x", "m", tools=False), registry, None) is None
    agent = agent_of(LanguageModel("http://x", "m", images=True, answer_within_ms=9_000), registry, None)
    assert agent is not None and agent.images and agent.within_ms == 9_000


def _file(tmp_path: Path, row: dict[str, Any]) -> Path:
    path = tmp_path / "cases.jsonl"
    path.write_text(json.dumps(row), encoding="utf-8")
    return path
