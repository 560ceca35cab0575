"""What a node's settings count on and this machine lacks is told before anybody asks for it, with the remedy."""

from __future__ import annotations

from pathlib import Path

import pytest

from ridealong import cli
from ridealong.cloud.config import CloudConfig, LanguageModel, SkillPackage, load_config
from ridealong.cloud.lacking import lacking, model_lacks, no_key
from ridealong.harness.mcp.config import McpServer

pytestmark = pytest.mark.unit

MODEL = LanguageModel("http://127.0.0.1:1/v1", "m", "KEY_OF_THIS_TEST")


def test_a_key_that_is_not_set() -> None:
    (sentence,) = lacking(CloudConfig(language_model=MODEL), {})
    assert "KEY_OF_THIS_TEST is not set; set it, or" in sentence
    assert lacking(CloudConfig(language_model=MODEL), {"KEY_OF_THIS_TEST": "x"}) == []
    assert no_key(LanguageModel("http://127.0.0.1:1/v1", "m", ""), {}) == ""  # an endpoint without keys
    assert no_key(LanguageModel(), {}) == ""  # no model at all


def test_packages_are_looked_for_and_not_imported(tmp_path: Path) -> None:
    (tmp_path / "parking_of_test").mkdir()
    (tmp_path / "parking_of_test" / "__init__.py").write_text("raise SystemExit")
    (tmp_path / "parking_of_test" / "fees.py").write_text("raise SystemExit")

    def told(*modules: str, path: Path | None = tmp_path) -> list[str]:
        return lacking(CloudConfig(skills=tuple(SkillPackage(module, path) for module in modules)), {})

    assert told("parking_of_test", "parking_of_test.fees", "json") == []
    assert told("parking_of_test.nosuch")[0].startswith(
        "the skills of parking_of_test.nosuch: there is no such module here: install it"
    )
    assert [line.split(":")[0] for line in told("parking_of_test", "nosuch", path=None)] == [
        "the skills of parking_of_test",
        "the skills of nosuch",
    ]


def test_a_servers_program_and_variables() -> None:
    pytest.importorskip("mcp")
    (program,) = lacking(CloudConfig(mcp_servers=(McpServer("a", command="no-such-program-of-test"),)), {})
    assert "can't be found: install it, or correct command." in program
    (variable,) = lacking(
        CloudConfig(mcp_servers=(McpServer("a", url="http://x/", headers_env={"Authorization": "NO_KEY"}),)), {}
    )
    assert "needs the environment variable NO_KEY: set it." in variable


def test_print_config_shows_all_and_does_not_pass(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "node.yaml"
    file.write_text(
        "language_model: {base_url: http://127.0.0.1:1/v1, model: m, api_key_env: KEY_OF_THIS_TEST}\nskills: [{module: nosuch}]\n"
    )
    monkeypatch.delenv("KEY_OF_THIS_TEST", raising=False)
    assert cli.main(["cloud", "serve", "--config", str(file), "--print-config"]) == 1
    shown = capsys.readouterr()
    assert "api_key_env: KEY_OF_THIS_TEST" in shown.out and "module: nosuch" in shown.out
    assert [line.partition(": ")[0] for line in shown.err.splitlines()] == ["ridealong cloud"] * 2
    file.write_text("server: {workers: 2}\n")
    assert cli.main(["cloud", "serve", "--config", str(file), "--print-config"]) == 0
    assert capsys.readouterr().err == "" and load_config(file, {}, {}).value.server.workers == 2


def test_what_the_9b_front_end_misses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def config(folder: Path) -> CloudConfig:
        return load_config(None, {}, {"frontend.kind": "venus", "frontend.model": folder}).value

    monkeypatch.setattr("ridealong.cloud.lacking.find_spec", lambda name: None if name == "torch" else object())
    assert model_lacks(config(tmp_path)) == ["the venus front-end needs the package 'torch': pip install 'ridealong[model]'"]
    monkeypatch.setattr("ridealong.cloud.lacking.find_spec", lambda name: object())
    assert model_lacks(config(tmp_path)) == []
    (told,) = model_lacks(config(tmp_path / "nowhere"))
    assert "there is no folder" in told and "ridealong model fetch" in told
    assert model_lacks(load_config(None, {}, {}).value) == []
