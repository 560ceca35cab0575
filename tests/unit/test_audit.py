"""Every verdict of the car's own policy leaves a row: what was asked, by whom, what was known and how old it was."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from ridealong.device.vehicle import audit
from ridealong.device.vehicle.gateway import GatewaySettings
from ridealong.errors import UserError
from ridealong.harness.skill import Verdict
from ridealong.proto.types import Actuate, SignalWrite, samples_from_ms
from ridealong.simulators.car.plant import SignalSample
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
    monkeypatch.setattr(audit, "MAX_BYTES", 1)
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
    assert kept.lost == 2
