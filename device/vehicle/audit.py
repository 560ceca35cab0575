"""A row for every verdict of the car's own policy: what was asked, by whom, what was known of the car at that moment and how old it was, and the answer.

    {"at": 162000, "wall": "2026-11-30T09:12:44Z", "key": "s1.4.0", "group": "windows", "by": "driver", "confirmation": "said_back", "tier": "slow",
     "writes": {"Vehicle.Cabin.….Window.Position": 40}, "gate": {"speed": [12.0, 80], "gear": [127, 80], …}, "allowed": true, "reason": ""}

The file and its bounds are audit_file.py's; the ledger, which must not fail, is another file.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from ridealong.harness.skill import Verdict
from ridealong.proto.types import Actuate, Halt, Samples
from ridealong.vehicle_skills.audit_file import AuditFile, answer, when
from ridealong.vehicle_skills.policy import CarState


def row(order: Actuate | Halt, car: CarState, verdict: Verdict, at: Samples, wall: datetime) -> Mapping[str, object]:
    """What is kept of one verdict. Pure."""
    asked: dict[str, object] = {**when(at, wall), "key": order.key}
    match order:
        case Actuate():
            asked |= {
                "group": order.group,
                "by": order.provenance,
                "confirmation": order.confirmation,
                "tier": order.tier,
                "writes": {write.path: write.value for write in order.writes},
            }
        case Halt():
            asked |= {"halts": order.of, "by": order.provenance}
    return asked | answer(car, verdict)


@dataclass(slots=True)
class Audit:
    """Raises UserError at once where the file can't be opened."""

    path: Path
    now: Callable[[], datetime] = lambda: datetime.now(UTC)
    file: AuditFile = field(init=False)

    def __post_init__(self) -> None:
        self.file = AuditFile(self.path, "vehicle.audit")

    def verdict(self, order: Actuate | Halt, car: CarState, verdict: Verdict, at: Samples) -> None:
        self.file.write(row(order, car, verdict, at, self.now()))
