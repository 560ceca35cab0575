"""How much work the delegation harness takes on, durably, and how soon it starts and stops: real time, a real disk, one process.

    make bench-harness ARGS="[--limit ITEMS] [--seed N] [--sessions N] [--folder DIR] [--json FILE] [--profile]"

Two runs, with 16 and with 1,000 sessions open on one journal; each measures

    durable items/s   every session has up to eight requests under way. An item counts when the row that says COMPLETED is fsynced, which is before its
                      reply may be admitted; every reply is then admitted and acknowledged as heard, so each item is one row and five transitions
    dispatch          words of the front-end in -> first line of the skill, at a steady load of requests that come when they like (--rate)
    intent            a skill wants to actuate -> the car is asked, its intent being on the disk by then; at the same load
    cancel            cancel -> the item is CANCELLED: its worker has acknowledged; at the same load
    event loop        how late a timer is, at the same load

What is not in it: understanding (the router here is one line), speech, and the link. Figures depend on the disk: `--folder` chooses it.
"""

from __future__ import annotations

import argparse
import asyncio
import cProfile
import dataclasses
import random
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from arguments import at_least, folder, new_file

from ridealong import garbage
from ridealong.harness.dispatch import Decision
from ridealong.harness.group_commit import GroupCommit
from ridealong.harness.harness import Harness, HarnessEvent, JournalFailed, MaySpeak, RequestRejected, WorkChanged
from ridealong.harness.journal import Journal
from ridealong.harness.router import Calls
from ridealong.harness.runner import LoopClock
from ridealong.harness.skill import Call, Confirmation, Context, Match, Motion, Provenance, Skill, Spoken, Verdict
from ridealong.harness.snapshot import Evidence
from ridealong.harness.work import Execution
from ridealong.proto.types import (
    ActuationResult,
    ActuationState,
    Precondition,
    Samples,
    SignalReading,
    SignalWrite,
    samples_from_ms,
)
from ridealong.simulators.replay.figures import Figure, percentile, to_json

UNDER_WAY = 8
SIGNAL = "Vehicle.Cabin.HVAC.Station.Row1.Driver.Temperature"
REPLY = "The battery is at sixty-four percent."
GOALS = {"durable_items_per_s": ">= 5000", "cancel_p99_ms": "<= 50"}


@dataclass
class Measured:
    """Milliseconds since a request, by its number."""

    sent: dict[str, float] = field(default_factory=dict)
    dispatch_ms: list[float] = field(default_factory=list)
    intent_ms: list[float] = field(default_factory=list)
    cancel_ms: list[float] = field(default_factory=list)
    late_ms: list[float] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)


class Car:
    """Asked for a signal, it confirms at once."""

    def __init__(self, measured: Measured) -> None:
        self.measured = measured
        self.wanted: dict[str, float] = {}  # work id -> when

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
        self.measured.intent_ms.append((time.perf_counter() - self.wanted.pop(key.rpartition(".")[0])) * 1000)
        return ActuationResult(key, ActuationState.CONFIRMED)


class Skills:
    """answer: says a sentence. act: one actuation. wait: until it is cancelled."""

    def __init__(self, measured: Measured, car: Car) -> None:
        self.measured, self.car = measured, car
        self.known = {
            name: Skill(name, name, run, lambda text, locale, context: None, "bench", {}, {}, actuates=(SIGNAL,) if name == "act" else ())
            for name, run in (("answer", self._answer), ("act", self._act), ("wait", self._wait))
        }  # fmt: skip

    def get(self, name: str) -> Skill | None:
        return self.known.get(name)

    def _begun(self, call: Call) -> None:
        if (sent := self.measured.sent.pop(call.request, None)) is not None:
            self.measured.dispatch_ms.append((time.perf_counter() - sent) * 1000)

    async def _answer(self, call: Call) -> Spoken:
        self._begun(call)
        return Spoken(REPLY)

    async def _act(self, call: Call) -> Spoken:
        self._begun(call)
        self.car.wanted[call.work_id] = time.perf_counter()
        await call.signals.actuate([SignalWrite(SIGNAL, 22.5)], group="climate")
        return Spoken("Set to 22.5 degrees.")

    async def _wait(self, call: Call) -> Spoken:
        self._begun(call)
        await call.clock.sleep_ms(60_000)
        return Spoken(REPLY)


class OneLineRouter:
    """The first word is the skill."""

    def decide(self, text: str, locale: str, context: Context, provenance: Provenance) -> Decision:
        return Calls((Match(text.partition(" ")[0], 1.0, {"zone": "driver", "target": 22.5}, {}),))


class Session:
    """Asks; takes what may be said, and acknowledges it as heard."""

    def __init__(self, name: str, bench: Bench) -> None:
        self.bench, self.asked = bench, 0
        self.speaking = False
        self.cancelled: dict[str, float] = {}
        self.harness = Harness(
            name,
            bench.skills,
            OneLineRouter(),
            bench.journal,
            bench.car,
            LoopClock(),
            Evidence(),
            self.on,
            now,
            commits=bench.commits,
        )
        self.name = name

    def ask(self, what: str) -> str:
        """One request; the number that its item will have."""
        self.asked += 1
        request = f"{what} {self.name} {self.asked}"
        self.bench.measured.sent[request] = time.perf_counter()
        self.harness.feed(f"<delegate>{request}</delegate>", now(), request, "en", Provenance.DRIVER, True)
        return f"{self.name}-w{self.asked}"

    def cancel(self, work_id: str) -> None:
        self.cancelled[work_id] = time.perf_counter()
        if not self.harness.cancel(work_id):
            self.bench.measured.failures.append("nothing to cancel")

    def on(self, event: HarnessEvent) -> None:
        match event:
            case MaySpeak():
                self.bench.durable(self)
                if not self.speaking:
                    self.speaking = True
                    asyncio.get_running_loop().call_soon(self.speak)
            case WorkChanged(item=item):
                if item.execution is Execution.CANCELLED and (since := self.cancelled.pop(item.id, None)) is not None:
                    self.bench.measured.cancel_ms.append((time.perf_counter() - since) * 1000)
            case JournalFailed(kind=kind) | RequestRejected(reason=kind):
                self.bench.measured.failures.append(kind)
            case _:
                pass

    def speak(self) -> None:
        self.speaking = False
        while replies := self.harness.boundary(now(), True, 5_000):
            for reply in replies:
                self.harness.playback(reply.work_id, "finished", reply.text, now())


class Bench:
    """All sessions of one run."""

    def __init__(self, path: Path, sessions: int, options: argparse.Namespace) -> None:
        self.options, self.measured = options, Measured()
        self.journal = Journal(path)
        self.commits = GroupCommit(self.journal)
        self.car = Car(self.measured)
        self.skills = Skills(self.measured, self.car)
        self.sessions = [Session(f"s{number}", self) for number in range(sessions)]
        self.left = self.done = self.goal = 0
        self.enough = asyncio.Event()
        self.items_per_s = self.processor_us = self.loop_us = 0.0
        self.entries_per_flight = 0.0

    async def run(self) -> None:
        async with asyncio.TaskGroup() as group:
            for session in self.sessions:
                group.create_task(session.harness.run())
            await asyncio.sleep(0)
            await self.throughput()
            await self.load()
            for session in self.sessions:
                await session.harness.close()
        self.commits.close()

    async def throughput(self) -> None:
        self.goal = self.left = self.options.limit
        flights, since, used, in_loop = self.commits.flights, time.perf_counter(), time.process_time(), time.thread_time()
        for _ in range(UNDER_WAY):
            for session in self.sessions:
                self.more(session)
        await self.enough.wait()
        self.items_per_s = self.goal / (time.perf_counter() - since)
        self.processor_us = (time.process_time() - used) / self.goal * 1e6
        self.loop_us = (time.thread_time() - in_loop) / self.goal * 1e6
        self.entries_per_flight = 6 * self.goal / max(1, self.commits.flights - flights)
        self.measured.dispatch_ms.clear()

    def more(self, session: Session) -> None:
        if self.left:
            self.left -= 1
            session.ask("answer")

    def durable(self, session: Session) -> None:
        self.done += 1
        if self.done == self.goal:
            self.enough.set()
        self.more(session)

    async def load(self) -> None:
        """Half of the requests are answered, a quarter act, a quarter are cancelled after 20 to 200 ms."""
        for session in self.sessions:
            await session.harness.recorded()  # what the first part has left
        rng, loop = random.Random(self.options.seed), asyncio.get_running_loop()
        at = loop.time()
        for _ in range(self.options.limit // 4):
            at += rng.expovariate(self.options.rate)
            before, wait_s = loop.time(), max(0.0, at - loop.time())
            await asyncio.sleep(wait_s)  # also where we are late: others have their turn
            if wait_s:
                self.measured.late_ms.append(max(0.0, loop.time() - before - wait_s) * 1000)
            session = rng.choice(self.sessions)
            what = rng.choice(("answer", "answer", "act", "wait"))
            work_id = session.ask(what)
            if what == "wait":
                loop.call_later(rng.uniform(0.02, 0.2), session.cancel, work_id)
        await asyncio.sleep(0.5)


def now() -> Samples:
    return samples_from_ms(asyncio.get_running_loop().time() * 1000)


def core_share() -> float:
    """What a busy thread gets of a core beside whatever else the machine does: figures by the clock are worth as much as this is near 1."""
    clock, used = time.perf_counter(), time.thread_time()
    while time.perf_counter() - clock < 1.0:
        pass
    return (time.thread_time() - used) / (time.perf_counter() - clock)


def figures(bench: Bench, sessions: int, suffix: str) -> list[Figure]:
    measured, label = bench.measured, f"{sessions:,} sessions"
    rows = [
        Figure("durable_items_per_s", bench.items_per_s, "1/s", bench.goal, label=label),
        Figure("item_processor_us", bench.processor_us, "us", bench.goal, label=label),
        Figure("item_loop_us", bench.loop_us, "us", bench.goal, label=label),
        Figure("entries_per_fsync", bench.entries_per_flight, "", bench.goal, label=label),
    ]
    for name, values in (
        ("dispatch", measured.dispatch_ms), ("intent", measured.intent_ms), ("cancel", measured.cancel_ms), ("event_loop_late", measured.late_ms),
    ):  # fmt: skip
        rows += [
            Figure(f"{name}_p{round(q * 100)}_ms", percentile(values, q), "ms", len(values), label=label) for q in (0.5, 0.99)
        ]
    return [dataclasses.replace(row, name=row.name + suffix, goal=GOALS.get(row.name, "")) for row in rows]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--limit", type=at_least(100), default=20_000, help="items a run")
    parser.add_argument("--seed", type=at_least(0), default=1)
    parser.add_argument(
        "--sessions", type=at_least(1), action="append", help="sessions open; may be given several times (16 and 1000)"
    )
    parser.add_argument("--rate", type=at_least(1), default=500, help="requests a second of the steady load")
    parser.add_argument("--folder", type=folder, help="where the journal is written (default: the folder for temporary files)")
    parser.add_argument("--json", type=new_file)
    parser.add_argument("--profile", action="store_true", help="where the loop's time goes; the figures are worth nothing then")
    options = parser.parse_args()
    garbage.loaded()  # as a node does when it serves
    rows = [Figure("core_share", core_share(), "share", 1)]
    print(f"a busy thread gets {rows[0].value:.2f} of a core")
    for number, sessions in enumerate(options.sessions or (16, 1_000)):
        with tempfile.TemporaryDirectory(prefix="ridealong-harness-", dir=options.folder) as name:

            async def run(path: Path = Path(name) / "journal.sqlite", sessions: int = sessions) -> Bench:
                bench = Bench(path, sessions, options)
                await bench.run()
                return bench

            profile = cProfile.Profile()
            if options.profile:
                profile.enable()
            bench = asyncio.run(run())
            if options.profile:
                profile.disable()
                profile.print_stats("tottime")
            bench.journal.close()
        if bench.measured.failures:
            raise SystemExit(f"bench harness: {len(bench.measured.failures)} failures, the first: {bench.measured.failures[0]}")
        found = figures(bench, sessions, f"_{sessions}_sessions" if number else "")
        print(f"\n{sessions:,} sessions open, {bench.goal:,} items, then {options.rate} requests a second")
        for row in found:
            value = "not measured" if row.value is None else f"{row.value:10,.2f} {row.unit}"
            print(f"{row.name:<40} {value:<18} n={row.n:<7} {f'goal {row.goal}' if row.goal else ''}")
        rows += found
    if options.json is not None:
        options.json.write_text(to_json("bench harness", options.seed, rows) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
