"""A node talks to nobody that its owner has not named: not even its libraries do."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.process
SCRIPT = """
import ridealong, os, pathlib
import onnxruntime
identity = bytes.fromhex("0a017812017922084964656e74697479")  # the smallest model that there is: y = x, by onnx.proto3's field numbers
graph = b"\\x0a" + bytes([len(identity)]) + identity + b"\\x12\\x01g"
for field, name in ((0x5a, b"x"), (0x62, b"y")):
    value = b"\\x0a\\x01" + name + bytes.fromhex("120a0a08080112040a020801")
    graph += bytes([field, len(value)]) + value
model = bytes.fromhex("0808") + b"\\x3a" + bytes([len(graph)]) + graph + bytes.fromhex("42040a00100d")
onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
home = pathlib.Path(os.environ["HOME"])
print(os.environ["ORT_DISABLE_TELEMETRY"], sorted(str(found.relative_to(home)) for found in home.rglob("*") if found.is_file()))
"""


def run(folder: Path, **environment: str) -> str:
    env = {key: value for key, value in os.environ.items() if key not in ("ORT_DISABLE_TELEMETRY", "XDG_CACHE_HOME")}
    ran = subprocess.run(
        [sys.executable, "-c", SCRIPT], env=env | {"HOME": str(folder)} | environment, capture_output=True, text=True, timeout=120
    )
    assert ran.returncode == 0, ran.stderr[-800:]
    return ran.stdout.strip()


def test_onnxruntime_keeps_no_events_to_send(tmp_path: Path) -> None:
    assert run(tmp_path) == "1 []"
