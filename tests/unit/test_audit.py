"""Every verdict of the car's own policy, and every quick one of the node, leaves a row: what was asked, by whom, what was known and how old it was."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from ridealong.cloud import audit as quick
from ridealong.cloud.config import CloudConfig, HarnessSettings
from ridealong.cloud.vehicle import Car
from ridealong.device.vehicle import audit
from ridealong.device.vehicle.gateway import GatewaySettings
from ridealong.errors import UserError
from ridealong.harness.skill import Confirmation, Motion, Provenance, Verdict
from ridealong.proto.types import Actuate, SignalReading, SignalWrite, VehicleState, samples_from_ms
from ridealong.simulators.car.plant import SignalSample
from ridealong.simulators.replay.assemble import cloud_config
from ridealong.vehicle_skills import audit_file
from ridealong.vehicle_skills import signals as vss
from ridealong.vehicle_skills.policy import CarState
from tests.unit.gateway_bench import WINDOW, GatewayBench, on_bench

pytestmark = pytest.mark.unit


def rows(file: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in file.read_text().splitlines()]


def ride(file: Path, *asked: tuple[str, str, float]) -> None:
    async def story(bench: GatewayBench) -> None:
        for key, by, value in asked:
            bench.ask(WINDOW, value, "windows", key=key, provenance=by, confirmation="said_back", tier="slow")
            await asyncio.sleep(6)

    on_bench(story, [SignalSample(0.0, vss.SPEED, 30.0)], settings=GatewaySettings(audit=file))


def test_a_row_for_each_verdict(tmp_path: Path) -> None:
    file = tmp_path / "verdicts.jsonl"
    ride(file, ("k1", "driver", 40), ("k2", "overheard", 90), ("k3", "driver", 999))
    first, second, third = rows(file)
    assert (first["key"], first["by"], first["allowed"], first["writes"]) == ("k1", "driver", True, {WINDOW: 40})
    speed, age_ms = first["gate"]["speed"]  # type: ignore[index]
    assert speed == 30.0 and 0 <= age_ms <= 500
    assert first["gate"]["driver_seat"][0] == "OCCUPIED" and first["tier"] == "slow"  # type: ignore[index]
    assert (second["allowed"], second["reason"]) == (False, "not_addressed")
    assert (third["allowed"], third["reason"]) == (False, "bad_value")


def test_two_files_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audit_file, "MAX_BYTES", 1)
    file = tmp_path / "verdicts.jsonl"
    ride(file, ("k1", "driver", 40), ("k2", "driver", 50), ("k3", "driver", 60))
    assert [row["key"] for row in rows(file)] == ["k3"]
    assert [row["key"] for row in rows(tmp_path / "verdicts.jsonl.1")] == ["k2"]


def test_a_file_that_can_not_be_written(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="vehicle.audit"):
        audit.Audit(tmp_path)


def test_a_disk_that_takes_nothing_stops_nobody(tmp_path: Path) -> None:
    file = tmp_path / "gone" / "verdicts.jsonl"
    kept = audit.Audit(file)
    file.unlink()
    file.parent.rmdir()
    order = Actuate("k", (SignalWrite(WINDOW, 1),), "windows", "driver")
    kept.verdict(order, CarState(), Verdict(True), samples_from_ms(0))
    kept.verdict(order, CarState(), Verdict(True), samples_from_ms(0))
    assert kept.file.lost == 2


# --- the node's quick verdicts -------------------------------------------------------------------------------------------

NOON = datetime(2026, 11, 30, 12, 0, 0, tzinfo=UTC)


def asked_of_a_node(file: Path, *states: VehicleState) -> list[dict[str, object]]:
    kept, car = (
        quick.Audit(file, lambda: NOON),
        Car("s1", lambda body: None, lambda: samples_from_ms(9_000), lambda: samples_from_ms(9_500)),
    )
    car.judged = lambda asked, verdict: kept.verdict("s1", asked, verdict, samples_from_ms(9_500))
    for state in (None, *states):
        if state is not None:
            car.on_state(state)
        car.check("windows", Confirmation.SAID_BACK, Provenance.PASSENGER, Motion.SLOW)
    return rows(file)


def test_a_row_for_each_quick_verdict_of_a_node(tmp_path: Path) -> None:
    def drives(at_ms: int, kmh: float) -> VehicleState:
        return VehicleState(
            samples_from_ms(at_ms),
            tuple(
                SignalReading(path, value, 100)
                for path, value in ((vss.SPEED, kmh), (vss.SELECTED_GEAR, vss.GEAR_DRIVE), (vss.IGNITION, "ON"))
            ),
        )

    absent, slow, fast, old = asked_of_a_node(
        tmp_path / "quick.jsonl", drives(8_800, 30.0), drives(8_900, 118.0), drives(2_000, 30.0)
    )
    assert absent == {
        "at": samples_from_ms(9_500), "wall": "2026-11-30T12:00:00Z", "session": "s1", "group": "windows", "by": "passenger",
        "confirmation": "said_back", "tier": "slow", "gate": {}, "allowed": False, "reason": "no_vehicle", "needs": "none",
    }  # fmt: skip
    assert (slow["allowed"], slow["reason"], slow["needs"]) == (True, "", "said_back")
    assert slow["gate"] == {"speed": [30.0, 300], "gear": [127, 300], "ignition": ["ON", 300]}
    assert (fast["allowed"], fast["reason"]) == (False, "too_fast")
    assert (old["allowed"], old["reason"]) == (False, "stale_speed")


def test_the_node_s_file_that_can_not_be_written_is_named(tmp_path: Path) -> None:
    config = CloudConfig(harness=HarnessSettings(tmp_path / "journal.sqlite", audit=tmp_path))
    with pytest.raises(UserError, match="harness.audit"):
        quick.Audit(tmp_path)
    assert cloud_config(config, tmp_path).harness.audit is None, "a replay adds to nobody's audit"
