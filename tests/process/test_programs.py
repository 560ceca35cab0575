"""The programs by themselves: they start, stop cleanly, and answer mistakes with one sentence."""

from __future__ import annotations

import importlib.util
import signal
import socket
from pathlib import Path

import pytest
from programs import refused, ridealong, running

pytestmark = pytest.mark.process


def serve(folder: Path, address: str = "127.0.0.1:0") -> list[str]:
    script = folder / "script.yaml"
    script.write_text("- {unit: 1, say: hello}\n")
    return [
        "cloud",
        "serve",
        "--frontend",
        "scripted",
        "--script",
        str(script),
        "--address",
        address,
        "--journal",
        str(folder / "j.sqlite"),
    ]


def test_a_node_starts_drains_and_leaves_nothing(tmp_path: Path) -> None:
    with running(serve(tmp_path), r"serving on 127\.0\.0\.1:(\d+)", tmp_path) as (program, ready):
        with socket.create_connection(("127.0.0.1", int(ready[1])), timeout=5):
            pass
        program.send_signal(signal.SIGTERM)
        assert program.wait(15) == 0
    assert "Traceback" not in (tmp_path / "cloud.log").read_text()


def test_a_port_in_use_is_one_sentence(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        refused(ridealong(*serve(tmp_path, f"127.0.0.1:{taken.getsockname()[1]}")), "cannot listen on", "choose another")


def test_a_typo_in_the_configuration_names_the_key(tmp_path: Path) -> None:
    config = tmp_path / "cloud.yaml"
    config.write_text("server:\n  adress: 127.0.0.1:1\n")
    refused(ridealong("cloud", "serve", "--config", str(config)), "server.adress", "server.address")


def test_a_broken_script_names_the_line(tmp_path: Path) -> None:
    words = serve(tmp_path)
    (tmp_path / "script.yaml").write_text("- {unit: 1, sya: hello}\n")
    refused(ridealong(*words), "sya")


def test_a_missing_model_names_the_command(tmp_path: Path) -> None:
    words = ["cloud", "serve", "--address", "127.0.0.1:0", "--journal", str(tmp_path / "j.sqlite")]
    refused(ridealong(*words, RIDEALONG_MODELS=str(tmp_path / "empty")), "ridealong models fetch")


@pytest.mark.skipif(importlib.util.find_spec("torch") is not None, reason="torch is installed")
def test_the_9b_model_without_torch_names_the_extra(tmp_path: Path) -> None:
    words = ["--journal", str(tmp_path / "j.sqlite"), "--frontend", "venus"]
    refused(ridealong("cloud", "serve", *words, "--model", str(tmp_path)), "pip install 'ridealong[model]'", "--frontend cascade")
    refused(ridealong("cloud", "serve", *words), "frontend.model (--model)")
    refused(ridealong("cloud", "serve", *words, "--model", str(tmp_path), "--preset", "mine"), "hub or demo or venus")


def test_a_corrupt_journal_is_one_sentence(tmp_path: Path) -> None:
    words = serve(tmp_path)
    (tmp_path / "j.sqlite").write_text("this is not a database, and long enough to be read as a header" * 20)
    refused(ridealong(*words), "j.sqlite")


def test_the_car_starts_and_is_checked(tmp_path: Path) -> None:
    with running(["car", "serve", "--address", "127.0.0.1:0"], r"127\.0\.0\.1:(\d+)", tmp_path) as (_, ready):
        result = ridealong("car", "check", "--broker", f"127.0.0.1:{ready[1]}")
        assert result.returncode == 0, result.stdout + result.stderr
        assert "signals as we need them" in result.stdout
    refused(ridealong("car", "check", "--broker", "127.0.0.1:1"), "127.0.0.1:1")


def test_unknown_words_are_answered() -> None:
    refused(ridealong("car", "drive"), "car serve")
    refused(ridealong("fly"), "--help")
    assert "trip replay" in ridealong("--help").stdout
    group = ridealong("trip", "--help")
    assert group.returncode == 0 and "trip import" in group.stdout and "car serve" not in group.stdout
