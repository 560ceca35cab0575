"""A session's harness with the real router over work skills, timers and three skills whose time and writes the test sets.

"Search for shops" takes `search_ms` and only reads; "raise the antenna" writes once after `before_ms`, "raise both antennas" twice.
"""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

from ridealong.harness.harness import Harness
from ridealong.harness.journal import Journal
from ridealong.harness.registry import Registry
from ridealong.harness.router import Router
from ridealong.harness.runner import LoopClock
from ridealong.harness.skill import Call, Context, Match, Outcome, Skill, Spoken
from ridealong.harness.skills import talk, timer, work
from ridealong.harness.slots.text import plain
from ridealong.harness.snapshot import Evidence
from ridealong.proto.types import ActuationState, SignalWrite
from tests.unit.harness_scene import TEMPERATURE, FakeCar, Scene

NONE: dict[str, object] = {"type": "object", "properties": {}, "required": [], "additionalProperties": False}
KINDS: dict[str, object] = {
    **NONE,
    "properties": {"prefer": {"type": "string", "enum": ["nearest", "cheapest"]}},
    "required": ["prefer"],
}


class Busy(Scene):
    search_ms, before_ms = 12_000.0, 0.0

    def __init__(self, folder: Path, session: str = "s") -> None:
        self.events = []
        self.car, self.evidence = FakeCar(), Evidence()
        self.journal = Journal(folder / "journal.sqlite")
        registry = Registry((*self._own(), *timer.SKILLS, *talk.SKILLS, *work.SKILLS))
        self.harness = Harness(
            session, registry, Router(registry), self.journal, self.car, LoopClock(), self.evidence, self.events.append, self.now
        )  # fmt: skip

    def _own(self) -> tuple[Skill, ...]:
        def recognise_search(text: str, locale: str, context: Context) -> Match | None:
            form = plain(text, locale)
            if not re.match(r"(?:search|find|look for)\b|搜|找", form) or not re.search(r"shop|商店", form):
                return None
            cheap = re.search(r"cheapest|最便宜", form)
            return Match(
                "search",
                0.9,
                {"prefer": "cheapest" if cheap else "nearest"},
                {"prefer": cheap.group() if cheap else "default:nearest"},
            )

        def recognise(name: str, words: str) -> object:
            return lambda text, locale, context: Match(name, 0.9) if plain(text, locale).startswith(words) else None

        async def search(call: Call) -> Spoken:
            await call.clock.sleep_ms(self.search_ms)
            return Spoken(f"The {call.arguments['prefer']} shop is Miller's.")

        async def raise_one(call: Call) -> Spoken:
            return await self._raise(call, 1)

        async def raise_both(call: Call) -> Spoken:
            return await self._raise(call, 2)

        actuates = (TEMPERATURE,)
        return (
            Skill("search", "Search for shops.", search, recognise_search, "status", KINDS, {"en": ("Search for shops.",), "zh": ("搜一下商店。",)}, timeout_ms=60_000),
            Skill("raise_one", "Raise the antenna.", raise_one, recognise("raise_one", "raise the antenna"), "climate", NONE, {"en": ("Raise the antenna.",)}, actuates=actuates),  # type: ignore[arg-type]
            Skill("raise_both", "Raise both antennas.", raise_both, recognise("raise_both", "raise both"), "climate", NONE, {"en": ("Raise both antennas.",)}, actuates=actuates),  # type: ignore[arg-type]
        )  # fmt: skip

    async def _raise(self, call: Call, times: int) -> Spoken:
        await call.clock.sleep_ms(self.before_ms)
        for value in range(times):
            result = await call.signals.actuate([SignalWrite(TEMPERATURE, 20.0 + value)], group="climate")
            if result.state is not ActuationState.CONFIRMED:
                return Spoken("The antenna didn't move.", Outcome.REFUSED, result.reason)
        return Spoken("The antenna is up.")

    async def hears(self, words: str, locale: str = "en") -> str:
        """Ask, wait until there is an answer (at most 3 s), and hear it out."""
        self.ask(words, locale=locale)
        for _ in range(60):
            await asyncio.sleep(0.05)
            if said := self.boundary():
                work_id, _, text = said[0].partition(": ")
                self.played(work_id, "finished", text)
                return text
        return ""

    def everything(self) -> list[str]:
        """Hear out all that waits to be said."""
        told: list[str] = []
        while said := self.boundary():
            work_id, _, text = said[0].partition(": ")
            self.played(work_id, "finished", text)
            told.append(text)
        return told

    def of(self, capability: str) -> list[str]:
        return [id for id, item in self.harness.items.items() if item.capability == capability]
