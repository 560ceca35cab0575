"""The model's tests need the extra `model`. Without it they are left out, and the summary says so."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

HAS_TORCH = importlib.util.find_spec("torch") is not None
collect_ignore_glob = [] if HAS_TORCH else ["test_*.py"]
sys.path.insert(0, str(Path(__file__).parent))


def pytest_terminal_summary(terminalreporter: Any) -> None:
    if not HAS_TORCH:
        terminalreporter.write_line("tests/model was left out: torch is not installed (make test-model)")
