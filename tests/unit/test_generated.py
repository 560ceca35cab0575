"""What is generated and committed is up to date; imports stay light."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.unit

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("tool", ["generate", "diagrams", "safety_matrix"])
def test_up_to_date(tool: str) -> None:
    done = subprocess.run([sys.executable, f"tools/{tool}.py", "--check"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_link_and_the_trip_import_neither_grpc_nor_mcap() -> None:
    code = "import sys, ridealong.device.link, ridealong.proto.trip; print([m for m in ('grpc', 'mcap', 'numpy') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
