"""Puts the tests' own shared modules on the path."""

from __future__ import annotations

import sys
from pathlib import Path

for folder in ("unit", "process"):
    sys.path.insert(0, str(Path(__file__).parent / folder))
