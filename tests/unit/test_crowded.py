"""More requests at once than anybody can answer: those that got no word of their own are summed up in one sentence, and no write that a later
one overtook is told as a fault."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from ridealong.harness.skill import Provenance
from ridealong.proto.types import ActuationState
from tests.unit.harness_scene import TEMPERATURE, Scene, play

pytestmark = pytest.mark.unit

MANY = 120


async def all_said(s: Scene, seconds: int) -> list[str]:
    said: list[str] = []
    for _ in range(seconds):
        for reply in s.harness.boundary(s.now(), True, 5_000):
            said.append(reply.text)
            s.played(reply.work_id, "finished", reply.text)
        await asyncio.sleep(1)
    return said


@pytest.mark.parametrize(("locale", "words"), [("en", "of your requests."), ("zh", "个请求")])
def test_what_got_no_word_is_summed_up(tmp_path: Path, locale: str, words: str) -> None:
    async def script(s: Scene) -> None:
        for n in range(MANY):
            s.ask(f"look: say answer {n}", locale=locale)
            if n % 5 == 0:
                await asyncio.sleep(0.01)
        await asyncio.sleep(1)
        assert s.harness.boundary(s.now(), False, 0) == []
        await asyncio.sleep(3)
        said = await all_said(s, 60)
        summed = [text for text in said if words in text]
        assert len(summed) == 1 and summed[0] in said[:2]
        told = {text for text in said if text not in summed}
        silent = [item for item in s.harness.items.values() if item.delivery.value == "withdrawn"]
        assert silent and str(len(silent)) in summed[0] and len(told) + len(silent) == MANY

    play(Scene(tmp_path), script)


def test_what_came_late_and_was_crowded_out_was_not_done(tmp_path: Path) -> None:
    async def script(s: Scene) -> None:
        for n in range(40):
            s.harness.offer_late(f"set it to {n}", "en", Provenance.TYPED, s.now())
            await asyncio.sleep(0.01)
        await asyncio.sleep(3)
        assert "I couldn't get to 24 of your requests." in (await all_said(s, 3))[:2]

    play(Scene(tmp_path), script)


def test_who_was_answered_hears_nothing_of_it(tmp_path: Path) -> None:
    async def script(s: Scene) -> None:
        for n in range(10):
            s.ask(f"look: say answer {n}")
        await asyncio.sleep(4)
        assert len(await all_said(s, 40)) == 10

    play(Scene(tmp_path), script)


def overtaken(tmp_path: Path, second: ActuationState, path: str) -> list[str]:
    """Two acts; the first is not confirmed, and ends after the second."""
    states: list[str] = []

    async def script(s: Scene) -> None:
        s.car.delay_ms = 5_000
        s.car.answers = [ActuationState.CONFIRMED, ActuationState.CONFIRMED]
        s.ask(f"act: write {TEMPERATURE}=17 | say Seventeen.")
        await asyncio.sleep(1)
        s.car.delay_ms, s.car.answers = 500, [second, ActuationState.TIMED_OUT]
        s.ask(f"act: write {path}=20 | say Twenty.")
        await asyncio.sleep(9)
        states.extend(s.states().values())

    play(Scene(tmp_path), script)
    return states


@pytest.mark.parametrize(
    ("second", "path", "first"),
    [
        (ActuationState.CONFIRMED, TEMPERATURE, "unknown/withdrawn"),
        (ActuationState.REFUSED, TEMPERATURE, "unknown/pending"),
        (ActuationState.CONFIRMED, TEMPERATURE.replace("Driver", "Passenger"), "unknown/pending"),
    ],
)
def test_a_write_that_a_later_one_overtook_is_no_fault(tmp_path: Path, second: ActuationState, path: str, first: str) -> None:
    assert overtaken(tmp_path, second, path)[0] == first
