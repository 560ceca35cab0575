"""The file of an audit of verdicts: one JSON line each, newest last. And what every such row has: what was known of the car, and the answer.

At MAX_BYTES the file becomes `.1` and a new one begins, so that two are kept. A row that can't be written is counted and told once: an audit that fails
stops nobody. Does not know who asks or for what: device/vehicle/audit.py and cloud/audit.py do. Holds no words of anybody's.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import datetime
from pathlib import Path
from typing import Final

from ridealong.durable import make_folder
from ridealong.errors import UserError
from ridealong.harness.skill import Verdict
from ridealong.proto.types import Samples
from ridealong.vehicle_skills.policy import CarState

log = logging.getLogger("ridealong.audit")

MAX_BYTES: Final = 4 * 1024 * 1024


def when(at: Samples, wall: datetime) -> dict[str, object]:
    """The device's clock, and the time of day."""
    return {"at": at, "wall": wall.strftime("%Y-%m-%dT%H:%M:%SZ")}


def answer(car: CarState, verdict: Verdict) -> dict[str, object]:
    """`gate`: each value that was known, with its age in milliseconds."""
    gates = {field.name: getattr(car, field.name) for field in fields(car)}
    known = {name: [gate.value, gate.age_ms] for name, gate in gates.items() if gate.value is not None}
    return {"gate": known, "allowed": verdict.allowed, "reason": verdict.reason, "needs": verdict.needs.value}


@dataclass(slots=True)
class AuditFile:
    """`setting`: where the path comes from. Raises UserError at once where the file can't be opened."""

    path: Path
    setting: str
    lost: int = 0

    def __post_init__(self) -> None:
        try:
            make_folder(self.path.parent)
            self.path.open("ab").close()
        except OSError as error:
            raise UserError(
                f"the audit {self.path} cannot be written ({error.strerror}): name a writable file in {self.setting}."
            ) from error

    def write(self, row: Mapping[str, object]) -> None:
        line = json.dumps(row, ensure_ascii=False, separators=(",", ":"), default=str)
        try:
            if self.path.stat().st_size > MAX_BYTES:
                self.path.replace(self.path.with_name(self.path.name + ".1"))
            with self.path.open("a", encoding="utf-8") as file:
                file.write(line + "\n")
        except OSError as error:
            if not self.lost:
                log.error("the audit of verdicts cannot be written (%s); it has a gap from here", error.strerror)
            self.lost += 1
