"""A row for every verdict of the car's own policy: what was asked, by whom, what was known of the car at that moment and how old it was, and the answer.

    {"at": 162000, "wall": "2026-11-30T09:12:44Z", "key": "s1.4.0", "group": "windows", "by": "driver", "confirmation": "said_back", "tier": "slow",
     "writes": {"Vehicle.Cabin.….Window.Position": 40}, "gate": {"speed": [12.0, 80], "gear": [127, 80], …}, "allowed": true, "reason": ""}

One JSON line a verdict, newest last; at MAX_BYTES the file becomes `.1` and a new one begins, so that two are kept. A row that can't be written is counted and
told once: an audit that fails stops nobody, the ledger (which must not fail) is another file. Holds no words of anybody's.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from ridealong.durable import make_folder
from ridealong.errors import UserError
from ridealong.harness.skill import Verdict
from ridealong.proto.types import Actuate, Halt, Samples
from ridealong.vehicle_skills.policy import CarState

log = logging.getLogger("ridealong.device.vehicle")

MAX_BYTES: Final = 4 * 1024 * 1024
Append = Callable[[bytes], None]


def row(order: Actuate | Halt, car: CarState, verdict: Verdict, at: Samples, wall: datetime) -> Mapping[str, object]:
    """What is kept of one verdict. Pure."""
    asked: dict[str, object] = {"at": at, "wall": wall.strftime("%Y-%m-%dT%H:%M:%SZ"), "key": order.key}
    match order:
        case Actuate():
            writes = {write.path: write.value for write in order.writes}
            asked |= {
                "group": order.group,
                "by": order.provenance,
                "confirmation": order.confirmation,
                "tier": order.tier,
                "writes": writes,
            }
        case Halt():
            asked |= {"halts": order.of, "by": order.provenance}
    gates = {field.name: getattr(car, field.name) for field in fields(car)}
    known = {name: [gate.value, gate.age_ms] for name, gate in gates.items() if gate.value is not None}
    return asked | {"gate": known, "allowed": verdict.allowed, "reason": verdict.reason, "needs": verdict.needs.value}


@dataclass(slots=True)
class Audit:
    """Raises UserError at once where the file can't be opened."""

    path: Path
    now: Callable[[], datetime] = lambda: datetime.now(UTC)
    lost: int = 0

    def __post_init__(self) -> None:
        try:
            make_folder(self.path.parent)
            self.path.open("ab").close()
        except OSError as error:
            raise UserError(
                f"the audit {self.path} cannot be written ({error.strerror}): name a writable file in vehicle.audit."
            ) from error

    def verdict(self, order: Actuate | Halt, car: CarState, verdict: Verdict, at: Samples) -> None:
        line = json.dumps(row(order, car, verdict, at, self.now()), ensure_ascii=False, separators=(",", ":"), default=str)
        try:
            if self.path.stat().st_size > MAX_BYTES:
                self.path.replace(self.path.with_name(self.path.name + ".1"))
            with self.path.open("a", encoding="utf-8") as file:
                file.write(line + "\n")
        except OSError as error:
            if not self.lost:
                log.error("the audit of verdicts cannot be written (%s); it has a gap from here", error.strerror)
            self.lost += 1
