"""What a work item carries from the words to the last sample: the record of one request, in memory and in the journal."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from ridealong.harness.journal import Journal
from ridealong.harness.skill import Outcome, Provenance
from ridealong.harness.work import DEADLINE_MS, Delivery, Execution, WorkItem
from ridealong.proto.types import FrameId, Samples
from tests.unit.harness_scene import TEMPERATURE, Scene, play

pytestmark = pytest.mark.unit

REQUEST = f"act: wait 300 | write {TEMPERATURE}=21 | say Done."


def told(tmp_path: Path, provenance: Provenance = Provenance.PASSENGER) -> tuple[Scene, WorkItem]:
    """One request from its words until it was heard, and the item that is left of it."""

    async def script(s: Scene) -> None:
        await asyncio.sleep(1)
        s.evidence.observe_line("driver", "could you make it warmer", Samples(0), s.now())
        s.evidence.observe_frame(FrameId(1), s.now(), b"jpeg")
        s.harness.feed(f"<delegate>{REQUEST}</delegate>", s.now(), "could you make it warmer", "en", provenance, True)
        await asyncio.sleep(1)
        (line,) = s.boundary()
        await asyncio.sleep(0.5)
        s.played(line.partition(":")[0], "finished", "Done.")

    scene = Scene(tmp_path)
    play(scene, script)
    return scene, scene.harness.items["s-w1"]


def test_an_item_carries_the_whole_request(tmp_path: Path) -> None:
    _, item = told(tmp_path)
    assert (item.session, item.request, item.words) == ("s", REQUEST, "could you make it warmer")
    assert (item.locale, item.provenance, item.capability) == ("en", Provenance.PASSENGER, "act")
    assert item.arguments["zone"] == "driver", "the typed slots"
    assert item.snapshot.startswith("s-") and item.idempotency_key and item.deadline_ms >= DEADLINE_MS
    assert item.expires_at > item.intent_at and item.validity is not None
    assert (item.execution, item.delivery, item.outcome) == (Execution.COMPLETED, Delivery.DELIVERED, Outcome.COMPLETED)
    assert (item.reply, item.heard, item.attempts) == ("Done.", "Done.", 1) and item.revision == 5


def test_four_times_in_order(tmp_path: Path) -> None:
    """Recognised, done, inserted, played: on the device's clock."""
    _, item = told(tmp_path)
    times = [item.intent_at, item.done_at, item.inserted_at, item.played_at]
    assert [round(at / 1_600) for at in times if at is not None] == [10, 14, 20, 25]


@pytest.mark.parametrize(
    ("provenance", "asks", "acts"),
    [("driver", True, True), ("passenger", True, True), ("wearer", True, True), ("typed", True, True), ("unknown", True, False),
     ("overheard", False, False), ("seen", False, False)],
)  # fmt: skip
def test_every_provenance_has_its_rights(tmp_path: Path, provenance: str, asks: bool, acts: bool) -> None:
    async def script(s: Scene) -> None:
        s.ask(REQUEST, provenance=Provenance(provenance))
        await asyncio.sleep(1)

    scene = Scene(tmp_path)
    play(scene, script)
    assert ([item.provenance.value for item in scene.harness.items.values()] == [provenance]) is asks
    assert bool(scene.car.sent) is acts
    assert {one.value for one in Provenance} == {"driver", "passenger", "wearer", "typed", "unknown", "overheard", "seen"}


def test_the_journal_keeps_every_field_of_it(tmp_path: Path) -> None:
    _, item = told(tmp_path)
    kept = Journal(tmp_path / "journal.sqlite", read_only=True).item("s-w1")
    assert kept is not None
    for field in WorkItem._fields:
        assert getattr(kept, field) == getattr(item, field), field
