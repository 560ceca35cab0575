"""A node without models, made to be killed: `python crash_node.py` reads a line of JSON a life, forks, and prints the child's process id.

The child runs four sessions of the real harness on the journal that it is given. Its car and its listener are at the other end of a socket:
whatever it tells has happened by then ("accepted": the request is on the disk; "said": a reply was admitted; "heard": its
acknowledgment is on the disk), whatever it asks of the car is sent once the harness sends it. It asks until it is killed.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from ridealong.harness.group_commit import GroupCommit
from ridealong.harness.harness import Harness, HarnessEvent, MaySpeak, WorkChanged
from ridealong.harness.journal import Journal
from ridealong.harness.router import Calls, Decision
from ridealong.harness.runner import LoopClock
from ridealong.harness.skill import Call, Confirmation, Context, Match, Motion, Provenance, Skill, Spoken, Verdict
from ridealong.harness.snapshot import Evidence
from ridealong.harness.work import Delivery
from ridealong.proto.types import (
    ActuationResult,
    ActuationState,
    Precondition,
    Samples,
    SignalReading,
    SignalWrite,
    samples_from_ms,
)

SESSIONS = ("a", "b", "c", "d")
SIGNAL = "Vehicle.Cabin.HVAC.Station.Row1.Driver.Temperature"
APART = Samples(4 * 16_000)
"""Between two requests of a session, on the device's clock: never the same request."""
AGAIN = 6
"""So many requests are asked once more after a restart: a device sends again what was not acknowledged."""
ANSWER_WITHIN_S = 0.03
LIFE_S = 20
"""Should nobody kill it."""


class Outside:
    """The socket: the car and the listener."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer
        self.waiting: dict[str, asyncio.Future[ActuationState]] = {}

    def tell(self, *words: object) -> None:
        self.writer.write((json.dumps(words) + "\n").encode())

    async def listen(self) -> None:
        while line := await self.reader.readline():
            key, state = json.loads(line)
            if (waiting := self.waiting.pop(key, None)) is not None and not waiting.done():
                waiting.set_result(ActuationState(state))
        os._exit(0)

    # The car, as harness.port.CarPort

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
        waiting = self.waiting[key] = asyncio.get_running_loop().create_future()
        self.tell("actuate", key, [[write.path, write.value] for write in writes])
        try:
            return ActuationResult(key, await asyncio.wait_for(waiting, ANSWER_WITHIN_S))
        except TimeoutError:
            return ActuationResult(key, ActuationState.TIMED_OUT, "no_answer")


class Skills:
    """act: one signal, and says that it is set, whatever the car answered: the harness must know better. look: only says something."""

    def __init__(self) -> None:
        self.known = {
            name: Skill(name, name, run, lambda text, locale, context: None, "climate", {}, {}, actuates=(SIGNAL,) if name == "act" else ())
            for name, run in (("act", self._act), ("look", self._look))
        }  # fmt: skip

    def get(self, name: str) -> Skill | None:
        return self.known.get(name)

    async def _act(self, call: Call) -> Spoken:
        value = float(call.request.split()[2])
        await call.signals.actuate([SignalWrite(SIGNAL, value)], group="climate")
        return Spoken(f"Set to {value:g}.")

    async def _look(self, call: Call) -> Spoken:
        await call.clock.sleep_ms(2)
        return Spoken("It is warm.")


class FirstWord:
    def decide(self, text: str, locale: str, context: Context, provenance: Provenance) -> Decision:
        return Calls((Match(text.partition(" ")[0], 1.0, {}),))


class Session:
    """Asks one request after the other, and says what may be said."""

    def __init__(
        self, name: str, first: int, journal: Journal, commits: GroupCommit, outside: Outside, rng: random.Random
    ) -> None:
        self.name, self.number, self.outside, self.rng = name, max(1, first - AGAIN), outside, rng
        self.base, self.since = Samples(0), 0.0
        self.harness = Harness(
            name, Skills(), FirstWord(), journal, outside, LoopClock(), Evidence(), self.on, self.now, commits=commits
        )

    def now(self) -> Samples:
        """The device's clock: it stands at the newest request and goes on from there."""
        return Samples(self.base + samples_from_ms((asyncio.get_running_loop().time() - self.since) * 1000))

    async def run(self) -> None:
        while True:
            self.base, self.since = Samples(APART * self.number), asyncio.get_running_loop().time()
            request = f"{'act' if self.number % 3 else 'look'} {self.name} {self.number}"
            before = len(self.harness.items)
            self.harness.feed(f"<delegate>{request}</delegate>", self.base, request, "en", Provenance.DRIVER, True)
            if len(self.harness.items) > before:
                newest = next(reversed(self.harness.items))
                if await self.harness.recorded():
                    self.outside.tell("accepted", newest, self.name, self.number)
            self.number += 1
            await asyncio.sleep(self.rng.random() * 0.004)

    def on(self, event: HarnessEvent) -> None:
        match event:
            case MaySpeak():
                asyncio.get_running_loop().call_soon(self.speak)
            case WorkChanged(item=item) if item.delivery is Delivery.DELIVERED:
                self.outside.tell("played", item.id)
            case _:
                pass

    def speak(self) -> None:
        for reply in self.harness.boundary(self.now(), True, 5_000):
            self.outside.tell("said", reply.work_id, reply.text)
            asyncio.get_running_loop().call_later(self.rng.random() * 0.003, self.heard, reply.work_id, reply.text)

    def heard(self, work_id: str, text: str) -> None:
        self.harness.playback(work_id, "finished", text, self.now())
        self.speak()


async def live(path: Path, socket: str, first: int, seed: int) -> None:
    journal = Journal(path)
    outside = Outside(*await asyncio.open_unix_connection(socket))
    commits = GroupCommit(journal)
    rng = random.Random(seed)
    sessions = [Session(name, first, journal, commits, outside, rng) for name in SESSIONS]
    async with asyncio.TaskGroup() as group:
        group.create_task(outside.listen())
        for session in sessions:
            group.create_task(session.harness.run())
            group.create_task(session.run())


def main() -> None:
    for line in sys.stdin:
        pid = os.fork()
        if not pid:
            signal.alarm(LIFE_S)
            life = json.loads(line)
            try:
                asyncio.run(live(Path(life["path"]), life["socket"], life["first"], life["seed"]))
            finally:
                os._exit(1)
        print(pid, flush=True)
        _, status = os.waitpid(pid, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


if __name__ == "__main__":
    main()
