"""Asks for things while nothing works, through the real harness on virtual time, and keeps everything that would be spoken.

One session a request: the words go in as the embedded front-end writes them, acknowledgments and replies come out as the session actor
takes them, all of it is heard, and whatever is asked back is answered with yes, once. A ride ends when no work is left to end.
Does not know what is honest (judging.py) or how backends fail (faults.py).
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from ridealong.cloud.patience import Begun, Over, Patience
from ridealong.harness.harness import Harness, HarnessEvent, WorkChanged
from ridealong.harness.journal import Journal
from ridealong.harness.runner import LoopClock
from ridealong.harness.said import Saying, State
from ridealong.harness.skill import Outcome, Provenance
from ridealong.harness.snapshot import Evidence
from ridealong.harness.work import Execution
from ridealong.proto.types import ActuationState, Samples, UtteranceId, samples_from_ms
from ridealong.scratch import scratch
from ridealong.simulators.evaluation.delegation.faults import Backends, Fault
from ridealong.simulators.evaluation.delegation.judging import Known, Label, judged
from ridealong.simulators.evaluation.delegation.routers import local_router
from ridealong.simulators.evaluation.delegation.utterances import Utterance
from ridealong.simulators.virtual_time import run_virtual

QUIET_MS: Final = 5_000.0
YES: Final = {"en": "yes", "zh": "是的"}
STEPS_S: Final = (*(0.1,) * 60, *(1.0,) * 60, *(60.0,) * 400, *(3600.0,) * 180)
"""How the clock goes on while work is under way: closely at first, then to the end of the longest time limit, a reminder's seven days."""

MEMORY: Final = Path("/dev/shm")
"""Where there is one, journals lie in memory: nothing here depends on their outliving a crash."""

FrontEnd = Callable[[str], str]
"""Words -> what the front-end writes: visible text, and spans of what it delegates."""


def delegating(words: str) -> str:
    """What the embedded front-end writes for words that are for it."""
    return f"<delegate>{words.replace('<', ' ').replace('>', ' ')}</delegate>"


def _of_a_clock(arguments: Mapping[str, object]) -> list[int]:
    """How a time of day and a while are said back: "18:15" is a quarter past six, 2700 s are 45 minutes."""
    found: list[int] = []
    for value in arguments.values():
        if isinstance(value, str) and (time := re.fullmatch(r"(\d\d):(\d\d)", value)) is not None:
            hour, minute = int(time[1]), int(time[2])
            found += [hour, hour % 12 or 12, minute]
    if isinstance(in_s := arguments.get("in_s"), int):
        found += [in_s // 3600, in_s % 3600 // 60, in_s // 60, in_s % 60]
    return found


@dataclass(frozen=True, slots=True)
class Heard:
    """`work_id`: of what was spoken; "": the front-end's own words. `label`: the judge's."""

    text: str
    work_id: str
    label: Label


@dataclass(frozen=True, slots=True)
class Ride:
    """What one request came to. `acts`: intents to change something that the journal holds."""

    utterance: Utterance
    fault: str
    heard: tuple[Heard, ...]
    acts: int
    ended: bool

    @property
    def worst(self) -> Label:
        order = tuple(Label)
        return max((one.label for one in self.heard), key=order.index, default=Label.SILENT)


def ride(
    utterances: Sequence[Utterance],
    fault: Fault,
    name: str,
    front_end: FrontEnd = delegating,
    results: Callable[[Utterance], tuple[str, ...]] = lambda utterance: (),
) -> list[Ride]:
    """Every utterance in a session of its own under this fault. `results`: what backends gave for it: nothing, when they are down."""
    with scratch("ridealong-probe-", MEMORY if MEMORY.is_dir() else None) as folder:
        journal = Journal(folder / "journal.sqlite")
        try:
            return [
                run_virtual(_Session(f"p{number}", utterance, fault, journal, front_end).ride(name, results(utterance)))
                for number, utterance in enumerate(utterances)
            ]
        finally:
            journal.close()


@dataclass(slots=True)
class _Session:
    id: str
    utterance: Utterance
    fault: Fault
    journal: Journal
    front_end: FrontEnd
    said: list[tuple[str, str]] = field(default_factory=list)
    patience: Patience = field(default_factory=Patience)
    spoken: int = 0
    backends: Backends = field(init=False)
    harness: Harness = field(init=False)

    async def ride(self, name: str, results: tuple[str, ...]) -> Ride:
        self.backends = backends = self.fault(self.utterance, self._now)
        self.harness = Harness(
            self.id, backends.runs, local_router(backends.known), self.journal, backends.car, LoopClock(), Evidence(), self._on, self._now,
            converse=backends.converse, agent=backends.agent,
        )  # fmt: skip
        async with asyncio.TaskGroup() as group:
            group.create_task(self.harness.run())
            await asyncio.sleep(0)
            self._ask(self.utterance.text)
            ended = await self._listen()
            await self.harness.close()
        ids = list(self.harness.items)
        return Ride(
            self.utterance,
            name,
            tuple(Heard(text, work_id, judged(text, self._known(work_id, results))) for text, work_id in self.said),
            sum(len(self.journal.intents(work_id)) for work_id in ids),
            ended,
        )

    def _known(self, work_id: str, results: tuple[str, ...]) -> Known:
        rows = self.journal.intents(work_id) if work_id else []
        confirmed = any(row.state == ActuationState.CONFIRMED.value for row in rows)
        return Known(self.utterance.text, self.utterance.asks, confirmed, bool(rows), self._understood(), results)

    def _understood(self) -> frozenset[float]:
        """The numbers of what was called, in the contracts of what was called, and of what was asked of the car."""
        found: list[object] = []
        for item in self.harness.items.values():
            found += item.arguments.values()
            found += [write.value for row in self.journal.intents(item.id) for write in row.writes]
            skill = self.backends.known.get(item.capability)
            entries = skill.arguments_schema.get("properties", {}) if skill is not None else {}
            assert isinstance(entries, Mapping)
            found += [entry[bound] for entry in entries.values() for bound in ("minimum", "maximum") if bound in entry]
            found += _of_a_clock(item.arguments)
        return frozenset(float(value) for value in found if isinstance(value, int | float))

    async def _listen(self) -> bool:
        """Hears everything out. False where work was still under way after the longest time."""
        answered = False
        for step_s in STEPS_S:
            await asyncio.sleep(step_s)
            if (due := self.patience.due(self._now(), True)) is not None:
                self._say(due.text, "")
            for reply in self.harness.boundary(self._now(), True, QUIET_MS):
                self._say(reply.text, reply.work_id)
                self._heard_out(reply.work_id, reply.text)
            items = self.harness.items.values()
            if not answered and any(item.outcome is Outcome.ASKS and item.delivery.over for item in items):
                answered = True
                self._ask(YES[self.utterance.locale])
            elif all(item.execution.over and (item.delivery.over or not item.reply) for item in items):
                return True
        return False

    def _ask(self, words: str) -> None:
        written = self.front_end(words)
        visible = self.harness.feed(written, self._now(), words, self.utterance.locale, Provenance.DRIVER, True)
        if visible.strip():
            self._say(visible, "")

    def _heard_out(self, work_id: str, text: str) -> None:
        self.spoken += 1
        for state, heard in (("started", ""), ("finished", text)):
            self.harness.playback(work_id, state, heard, self._now())
        self.harness.note(Saying(UtteranceId(self.spoken), work_id, text, text, self._now(), State.FINISHED))

    def _say(self, text: str, work_id: str) -> None:
        self.said.append((text, work_id))

    def _on(self, event: HarnessEvent) -> None:
        if not isinstance(event, WorkChanged):
            return
        item = event.item
        if item.execution is Execution.RUNNING:
            self.patience.on(Begun(item.id, item.intent_at, self._now(), *self.harness.beginning(item.id), item.locale))
        if item.execution.over:
            self.patience.on(Over(item.id))

    def _now(self) -> Samples:
        return samples_from_ms(asyncio.get_running_loop().time() * 1000)
