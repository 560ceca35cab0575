"""Puts the tests' own shared modules on the path; no generated test fails because the machine is busy."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, settings

for folder in ("unit", "process"):
    sys.path.insert(0, str(Path(__file__).parent / folder))

settings.register_profile("any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any machine")


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """What could not be checked on this machine is said, not only counted as skipped."""
    skipped = {
        str(report.longrepr[2]) for report in terminalreporter.stats.get("skipped", ()) if isinstance(report.longrepr, tuple)
    }
    for reason in sorted(one.removeprefix("Skipped: ") for one in skipped if "not checked here:" in one):
        terminalreporter.write_line(reason, yellow=True)
