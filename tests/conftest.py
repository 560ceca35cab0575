"""Puts the tests' own shared modules on the path; no generated test fails because the machine is busy."""

from __future__ import annotations

import sys
from pathlib import Path

from hypothesis import HealthCheck, settings

for folder in ("unit", "process"):
    sys.path.insert(0, str(Path(__file__).parent / folder))

settings.register_profile("any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any machine")
