"""A row for every quick verdict of the node: which session, what group, by whom, how confirmed, what was known of the car and how old that was, and the answer.

    {"at": 160800, "wall": "2026-11-30T09:12:43Z", "session": "s1", "group": "windows", "by": "driver", "confirmation": "none", "tier": "slow",
     "gate": {"speed": [118.0, 640], …}, "allowed": false, "reason": "too_fast", "needs": "none"}

A quick verdict refuses without a round trip; what it lets pass is judged again in the car, whose own audit has that (device/vehicle/audit.py). It is asked
whenever a skill wants to know, so one request may have several rows. The file and its bounds are audit_file.py's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from ridealong.harness.skill import Verdict
from ridealong.proto.types import Samples
from ridealong.vehicle_skills.audit_file import AuditFile, answer, when
from ridealong.vehicle_skills.policy import PolicyRequest


def row(session_id: str, asked: PolicyRequest, verdict: Verdict, at: Samples, wall: datetime) -> Mapping[str, object]:
    """What is kept of one verdict. Pure."""
    return {
        **when(at, wall),
        "session": session_id,
        "group": asked.group,
        "by": asked.provenance.value,
        "confirmation": asked.confirmation.value,
        "tier": asked.tier.value,
        **answer(asked.car, verdict),
    }


@dataclass(slots=True)
class Audit:
    """One a node, of all its sessions. Raises UserError at once where the file can't be opened."""

    path: Path
    now: Callable[[], datetime] = lambda: datetime.now(UTC)
    file: AuditFile = field(init=False)

    def __post_init__(self) -> None:
        self.file = AuditFile(self.path, "harness.audit")

    def verdict(self, session_id: str, asked: PolicyRequest, verdict: Verdict, at: Samples) -> None:
        self.file.write(row(session_id, asked, verdict, at, self.now()))
