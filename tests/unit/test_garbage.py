"""How seldom the collector looks, and why that is safe: requests leave no cycles behind."""

import asyncio
import gc
from collections.abc import Iterator
from pathlib import Path

import pytest

from ridealong import garbage
from tests.unit.harness_scene import TEMPERATURE, Scene, play

pytestmark = pytest.mark.unit


@pytest.fixture
def collector() -> Iterator[None]:
    """As it was before."""
    threshold = gc.get_threshold()
    gc.disable()
    yield
    gc.unfreeze()
    gc.set_threshold(*threshold)
    gc.enable()


def test_what_is_loaded_is_left_out_and_the_rest_looked_at_seldom(collector: None) -> None:
    garbage.loaded()
    assert gc.get_freeze_count() > 10_000
    assert gc.get_threshold()[0] == garbage.NEW_OBJECTS


@pytest.mark.parametrize(
    "request_",
    ["look: say It is 22.5 degrees.", f"act: write {TEMPERATURE}=22.5 | say Set to 22.5 degrees.", "look: wait 500 | say Later.",
     "look: ask Which window?", "act: refuse Not while driving.", "hello", "look: raise", "crash", "short: wait 3000"],
)  # fmt: skip
def test_a_request_leaves_no_cycle(tmp_path: Path, request_: str, collector: None) -> None:
    async def script(s: Scene) -> None:
        for number in range(40):
            s.ask(f"{request_}{'' if request_ == 'hello' else f' {number}'}")
            await asyncio.sleep(4)
            for reply in s.boundary():
                s.played(reply.partition(":")[0], "finished", reply.partition(": ")[2])
            if number == 9:  # by now there is all that is there once a session
                gc.collect()
        assert len(s.harness.items) >= 40
        assert gc.collect() == 0

    play(Scene(tmp_path), script)
