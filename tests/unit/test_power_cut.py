"""The power fails at every operation of the disk in turn, and all that was not fsynced is gone: the journal's promises hold.

The real harness, two sessions, on virtual time; the car and the listener survive. After the cut the node begins again on what is left of its journal and
is asked the last requests once more. A journal that doesn't fsync must fail the same check, or the check would be worth nothing.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from ridealong.errors import UserError
from ridealong.harness.group_commit import GroupCommit
from ridealong.harness.journal import Journal
from ridealong.harness.skill import Confirmation, Motion, Provenance, Verdict
from ridealong.proto.types import ActuationResult, ActuationState, Precondition, Samples, SignalReading, SignalWrite
from ridealong.simulators.virtual_time import run_virtual
from tests.process.crash_node import Session
from tests.promises import Seen, check
from tests.unit.lossy_disk import LossyDisk, cuts

pytestmark = pytest.mark.unit

LIFE_S = 0.025
"""About ten requests, of virtual time."""
MOST = 60
ANSWERS = (ActuationState.CONFIRMED, ActuationState.CONFIRMED, ActuationState.REFUSED, ActuationState.TIMED_OUT)


@dataclass
class World:
    """The car and the listener (`crash_node.Outside`). What a dead node would tell is not heard."""

    disk: LossyDisk
    rng: random.Random
    seen: Seen = field(default_factory=Seen)

    def tell(self, *words: object) -> None:
        if not self.disk.dead:
            self.seen.take(words)

    def read(self, path: str) -> SignalReading | None:
        return None

    def check(self, group: str, confirmation: Confirmation, provenance: Provenance, tier: Motion) -> Verdict:
        return Verdict(True)

    def device_now(self) -> Samples:
        return Samples(0)

    def can_halt(self, writes: Sequence[SignalWrite]) -> bool:
        return False

    async def halt(self, key: str, of: str, provenance: Provenance, requested_at: Samples) -> ActuationResult:
        raise AssertionError("nothing here travels")

    async def actuate(
        self, key: str, provenance: Provenance, writes: Sequence[SignalWrite], *, group: str, confirmation: Confirmation, confirm_within_ms: int, tier: Motion,
        preconditions: tuple[Precondition, ...] = (), requested_at: Samples | None = None,
    ) -> ActuationResult:  # fmt: skip
        assert not self.disk.dead, "the intent cannot be on the disk"
        self.tell("actuate", key, [[write.path, write.value] for write in writes])
        await asyncio.sleep(0.001)
        state = self.rng.choice(ANSWERS)
        self.seen.answered[key] = state.value
        return ActuationResult(key, state)


def live(world: World, folder: Path, seed: int) -> None:
    """One life of the node, until its time is over; a dead disk ends it as it may."""
    try:
        journal = Journal(folder / "journal.sqlite", connect=world.disk.connect)
    except UserError:
        assert world.disk.dead
        return

    async def run() -> None:
        commits, rng = GroupCommit(journal), random.Random(seed)
        sessions = [Session(name, world.seen.newest, journal, commits, world, rng) for name in "ab"]  # type: ignore[arg-type]
        async with asyncio.TaskGroup() as group:
            for session in sessions:
                group.create_task(session.harness.run())
            asking = [group.create_task(session.run()) for session in sessions]
            await asyncio.sleep(LIFE_S)
            for task in asking:
                task.cancel()
            for session in sessions:
                await session.harness.close()

    run_virtual(run())
    journal.close()


def checked_lives(folder: Path, cut_at: int, seed: int, synchronous: str = "", early: random.Random | None = None) -> Seen:
    """A life that ends with the cut, what is left of it, and another life on that. `early`: the disk had written some of it by itself."""
    disk = LossyDisk(cut_at, synchronous)
    world, checked = World(disk, random.Random(seed)), set[str]()
    for life in range(2):
        live(world, folder, seed + life)
        disk.restart(early)
        journal = Journal(folder / "journal.sqlite", connect=disk.connect)
        check(journal, world.seen, checked)
        journal.close()
    return world.seen


@pytest.fixture(scope="module")
def operations(tmp_path_factory: pytest.TempPathFactory) -> int:
    """Of the disk, in a life without a cut."""
    disk = LossyDisk()
    world = World(disk, random.Random(1))
    live(world, tmp_path_factory.mktemp("whole"), 1)
    assert len(world.seen.accepted) > 8 and len(world.seen.actuated) > 4 and len(world.seen.played) > 2
    return disk.operations


@pytest.mark.parametrize("early", [False, True], ids=["all of it is gone", "any part of it is there"])
def test_whatever_was_not_fsynced_at_the_cut_the_promises_hold(tmp_path: Path, operations: int, early: bool) -> None:
    rng = random.Random(7)
    for cut_at in cuts(operations, rng, MOST):
        try:
            checked_lives(tmp_path, cut_at, 1, early=rng if early else None)
        except AssertionError as error:
            raise AssertionError(f"cut at operation {cut_at} of {operations}: {error}") from error


@pytest.mark.parametrize("synchronous", ["OFF", "NORMAL"])
def test_a_journal_that_fsyncs_less_is_found_out(tmp_path: Path, operations: int, synchronous: str) -> None:
    found = set()
    for cut_at in cuts(operations, random.Random(7), 20):
        try:
            checked_lives(tmp_path, cut_at, 1, synchronous)
        except AssertionError as error:
            found.add(str(error).partition("\n")[0])
    assert any("is lost" in words for words in found), found
