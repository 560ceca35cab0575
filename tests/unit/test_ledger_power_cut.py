"""The power fails at every operation of the device's disk in turn, and all that was not fsynced is gone: each key still acts on the car at most once.

The real gateway and its ledger on virtual time; the car and the cloud survive. After the cut the agent begins again on what is left, and is asked for everything
once more, as if just said: only the ledger knows better. A ledger that fsyncs less must fail the same check, or the check would be worth nothing.
"""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from car_loop import run

from ridealong import durable
from ridealong.device.vehicle import ledger_file
from ridealong.device.vehicle.gateway import Gateway
from ridealong.device.vehicle.ledger_file import LedgerFile
from ridealong.errors import UserError
from ridealong.proto.types import Actuate, ActuationResult, ActuationState, Samples, SignalWrite, UplinkBody, samples_from_ms
from ridealong.simulators.car.car import SimCar
from ridealong.vehicle_skills import signals as vss
from ridealong.vehicle_skills.broker import ActuateReply
from tests.unit.lossy_disk import cuts
from tests.unit.lossy_files import LossyFiles

pytestmark = pytest.mark.unit

SETPOINT = vss.set_temperature("Row1", "Driver")
LIVES = 3
A_LIFE = 4
"""Keys that are new in each."""
MOST = 40


@dataclass
class World:
    """What the car did and what the cloud was told. What a dead device would do or tell does not happen."""

    disk: LossyFiles
    forwarded: Counter[float] = field(default_factory=Counter)
    final: dict[str, tuple[ActuationState, str]] = field(default_factory=dict)
    asked: list[Actuate] = field(default_factory=list)

    def told(self, body: UplinkBody) -> None:
        if isinstance(body, ActuationResult) and body.state.final and not self.disk.dead:
            now = (body.state, body.reason)
            assert self.final.setdefault(body.key, now) == now, f"{body.key} had ended otherwise"
            if body.state is ActuationState.REFUSED:
                assert not self.forwarded[_value(body.key)], f"{body.key} was done, and refused"


def _value(key: str) -> float:
    return 16 + int(key) / 2


def live(world: World, path: Path) -> None:
    """One life of the agent; a dead disk ends it."""

    async def main() -> None:
        car, loop = SimCar([]), asyncio.get_running_loop()
        forward = car.broker.actuate

        async def actuate(writes: Sequence[SignalWrite]) -> ActuateReply:
            if not world.disk.dead:
                world.forwarded[float(writes[0].value)] += 1
            return await forward(writes)

        def now() -> Samples:
            return samples_from_ms(loop.time() * 1000)

        car.broker.actuate = actuate  # type: ignore[method-assign]
        try:
            gateway = Gateway(car.broker, world.told, now, path)
        except UserError:
            if not world.disk.dead:
                raise
            return
        async with asyncio.TaskGroup() as tasks:
            parts = [tasks.create_task(car.run()), tasks.create_task(gateway.run())]
            await asyncio.sleep(0.5)
            begun = len(world.asked)
            for number in range(begun, begun + A_LIFE):
                world.asked.append(Actuate(str(number), (SignalWrite(SETPOINT, _value(str(number))),), "climate", "driver"))
            for wish in world.asked:
                if not world.disk.dead:
                    gateway.on_actuate(Actuate(wish.key, wish.writes, wish.group, wish.provenance, requested_at=now()))
                    await asyncio.sleep(0.25)
            for part in parts:
                part.cancel()

    run(main())


def checked_lives(
    monkeypatch: pytest.MonkeyPatch, folder: Path, cut_at: int | None, *, forgets: str = "", early: random.Random | None = None
) -> World:
    """Lives that each end without warning, one of them at the cut. `early`: the disk had written some of it by itself."""
    folder.mkdir(exist_ok=True)
    disk = LossyFiles(folder, cut_at, forgets)
    for module in (ledger_file, durable):
        monkeypatch.setattr(module, "os", disk)
    monkeypatch.setattr(ledger_file, "COMPACT_ROWS", 6)
    world = World(disk)
    for _ in range(LIVES):
        live(world, folder / "state" / "car" / "ledger.jsonl")
        disk.restart(early)
        assert max(world.forwarded.values(), default=1) == 1, "something was done twice"
    return world


@pytest.fixture(scope="module")
def operations(tmp_path_factory: pytest.TempPathFactory) -> int:
    """Of the disk, without a cut."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        world = checked_lives(monkeypatch, tmp_path_factory.mktemp("whole") / "disk", None)
    assert len(world.forwarded) == len(world.final) == LIVES * A_LIFE
    return world.disk.operations


@pytest.mark.parametrize("early", [False, True], ids=["all of it is gone", "any part of it is there"])
def test_whatever_was_not_fsynced_at_the_cut_no_key_acts_twice(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, operations: int, early: bool
) -> None:
    rng = random.Random(7)
    for cut_at in cuts(operations, rng, MOST):
        try:
            world = checked_lives(monkeypatch, tmp_path / "disk", cut_at, early=rng if early else None)
            assert len(world.final) == len(world.asked), "a key that was asked for again has no end"
        except (AssertionError, ExceptionGroup, UserError) as error:
            raise AssertionError(f"cut at operation {cut_at} of {operations}: {error!r}") from error


@pytest.mark.parametrize("forgets", ["file", "folder"])
def test_a_ledger_that_fsyncs_less_is_found_out(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, operations: int, forgets: str
) -> None:
    found = 0
    for cut_at in cuts(operations, random.Random(7), 8):
        try:
            checked_lives(monkeypatch, tmp_path / "disk", cut_at, forgets=forgets)
        except (AssertionError, ExceptionGroup):
            found += 1
    assert found


# --- one row ----------------------------------------------------------------------------------------------------------


def _row(key: str, chars: int = 0) -> ActuationResult:
    return ActuationResult(key, ActuationState.ACCEPTED, "x" * chars)


@pytest.mark.parametrize("left", range(1, 200, 40))
def test_a_row_that_found_no_room_is_gone_when_there_is_room_again(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, left: int
) -> None:
    disk, path = LossyFiles(tmp_path), tmp_path / "ledger.jsonl"
    for module in (ledger_file, durable):
        monkeypatch.setattr(module, "os", disk)
    file = LedgerFile(path)
    file.append(_row("first"))
    disk.full_at = path.stat().st_size + left
    with pytest.raises(OSError, match="space"):
        file.append(_row("no room", 300))
    disk.full_at = None
    file.append(_row("second"))
    file.close()
    assert [row.key for row in LedgerFile(path).rows] == ["first", "second"]


def test_any_sectors_of_a_row_may_be_there_after_a_cut(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for seed in range(30):
        folder = tmp_path / str(seed)
        folder.mkdir()
        disk, path = LossyFiles(folder), folder / "ledger.jsonl"
        for module in (ledger_file, durable):
            monkeypatch.setattr(module, "os", disk)
        file = LedgerFile(path)
        file.append(_row("safe"))
        disk.cut_at = disk.operations + 2  # the row is written, and not fsynced
        with pytest.raises(OSError, match="power cut"):
            file.append(_row("cut", 3_000))
        file.close()
        disk.restart(random.Random(seed))
        file = LedgerFile(path)
        assert [row.key for row in file.rows][:1] == ["safe"]
        file.append(_row("later"))
        file.close()
        assert [row.key for row in LedgerFile(path).rows][-1] == "later"


def test_an_agent_on_a_full_disk_does_nothing_and_goes_on(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    disk, path = LossyFiles(tmp_path), tmp_path / "ledger.jsonl"
    for module in (ledger_file, durable):
        monkeypatch.setattr(module, "os", disk)
    monkeypatch.setattr(ledger_file, "COMPACT_ROWS", 2)
    world = World(disk)
    live(world, path)
    disk.full_at = 10
    live(world, path)
    assert len(world.forwarded) == A_LIFE, "only what was done before"
    assert [world.final[str(key)][1] for key in range(A_LIFE, 2 * A_LIFE)] == ["not_durable"] * A_LIFE
