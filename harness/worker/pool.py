"""A package's workers: each call has one for itself, one that dies is replaced with back-off, and what fails is said plainly.

    pool = Pool(package)
    skills = await pool.open()       # WorkerUnfit: the package is not used, one sentence says why
    ...                              # the skills run like any other: registry, router and runner see no difference
    await pool.close()

Does not know messages or processes (hosted.py), or how the node is set up.
"""

from __future__ import annotations

import asyncio
import functools
import logging
from dataclasses import replace
from typing import Final

from ridealong.harness.observing import Change, Observe, Outside, unobserved
from ridealong.harness.sentences import sentence
from ridealong.harness.skill import Call, ContractError, Outcome, Skill, Spoken, Transient
from ridealong.harness.worker.backoff import FIRST_MS, Backoff
from ridealong.harness.worker.confinement import Held
from ridealong.harness.worker.contract import fingerprint, read_contracts
from ridealong.harness.worker.hosted import Hosted, Package, WorkerFault, WorkerUnfit

log = logging.getLogger("ridealong.worker")

PATIENCE_MS: Final = 1_500
"""How long a call waits for a worker that may not be started yet; longer, and the user hears that it isn't available."""


class Pool:
    """One package. `deaths` counts workers that ended otherwise than in order."""

    def __init__(self, package: Package, *, first_pause_ms: float = FIRST_MS, observe: Observe = unobserved) -> None:
        self.package, self._observe = package, observe
        self.skills: tuple[Skill, ...] = ()
        self.held: Held | None = None
        self.deaths = 0
        self._declared = ""
        self._idle: list[Hosted] = []
        self._busy: set[Hosted] = set()
        self._backoff = Backoff(first_pause_ms)
        self._places = asyncio.Semaphore(package.workers)
        self._starting = asyncio.Lock()
        self._warming: asyncio.Task[None] | None = None
        self._closed = False

    async def open(self) -> tuple[Skill, ...]:
        """Start the first worker and read the contracts. Raises WorkerUnfit."""
        worker = await Hosted.start(self.package)
        try:
            declared = read_contracts(worker.contracts)
            self.held = _held(worker.held)
        except ContractError as error:
            await worker.stop()
            raise WorkerUnfit(str(error)) from None
        self._declared = fingerprint(worker.contracts)
        self.skills = tuple(replace(one.skill, run=functools.partial(self._run, one.skill)) for one in declared)
        self._idle.append(worker)
        self._tell(Change.STARTED)
        log.info(
            "%s: network %s, processes barred %s, files barred %s",
            self.package.module,
            "+".join(self.held.network),
            self.held.processes,
            self.held.files,
        )
        for gap in self.held.gaps:
            log.warning("%s is not fully confined on this machine: %s.", self.package.module, gap)
        return self.skills

    async def close(self) -> None:
        """Ends every worker. Calls under way fail."""
        self._closed = True
        if self._warming is not None:
            self._warming.cancel()
            await asyncio.wait({self._warming})
        everyone = [*self._idle, *self._busy]
        self._idle.clear()
        if everyone:
            await asyncio.gather(*(worker.stop() for worker in everyone))

    # --- a call -----------------------------------------------------------------------------------------------------

    async def _run(self, skill: Skill, call: Call) -> Spoken:
        """`Skill.run`. Raises Transient as the skill does, and WorkerFault, which the runner takes for the skill's own failure."""
        async with self._places:
            worker = await self._worker()
            if worker is None:
                return Spoken(sentence("unavailable", call.locale), Outcome.FAILED, "restarting")
            self._busy.add(worker)
            in_order = False
            try:
                spoken = await worker.call(skill, call)
                in_order = True
                return spoken
            except Transient:
                in_order = True
                raise
            except WorkerFault as fault:
                log.warning("%s failed: %s (%s)", skill.name, type(fault).__name__, fault)
                raise
            finally:
                self._busy.discard(worker)
                await self._settle(worker, in_order)

    async def _settle(self, worker: Hosted, in_order: bool) -> None:
        """After a call. Only a worker whose call ended in order is kept: what another still holds (memory, threads) the next call would miss."""
        if self._closed:
            await worker.stop()
        elif in_order and worker.alive:
            self._backoff.worked()
            self._idle.append(worker)
        else:
            await self._replace(worker, died=not worker.alive)

    async def _replace(self, worker: Hosted, *, died: bool) -> None:
        if died:
            self.deaths += 1
            self._failed()
        if self._warming is None or self._warming.done():
            self._warming = asyncio.get_running_loop().create_task(self._warm(), name=f"warm {self.package.module}")
        await worker.stop()

    async def _warm(self) -> None:
        """Have a worker ready again, so that the next call need not wait for the import."""
        while not self._closed and not self._idle:
            await asyncio.sleep(self._backoff.wait_ms(self._now_ms()) / 1000)
            worker = await self._started()
            if worker is not None:
                self._idle.append(worker)

    # --- workers ----------------------------------------------------------------------------------------------------

    async def _worker(self) -> Hosted | None:
        """One that is fit, started where there is none; None while the package is given time."""
        while self._idle:
            worker = self._idle.pop()
            if worker.fit():
                return worker
            log.warning("a worker of %s had ended, or was busy without a call", self.package.module)
            await self._replace(worker, died=True)
        wait_ms = self._backoff.wait_ms(self._now_ms())
        if self._closed or wait_ms > PATIENCE_MS:
            return None
        await asyncio.sleep(wait_ms / 1000)
        return await self._started()

    async def _started(self) -> Hosted | None:
        """A new worker, or an idle one that came meanwhile; None where it can't be had."""
        async with self._starting:
            if self._idle:
                return self._idle.pop()
            if self._closed or self._backoff.wait_ms(self._now_ms()) > 0:
                return None
            try:
                worker = await Hosted.start(self.package)
            except WorkerFault as fault:
                log.warning("no worker of %s: %s", self.package.module, fault)
                self._failed()
                return None
            if fingerprint(worker.contracts) != self._declared:
                log.error("%s declares other skills than before; restart the node to use them.", self.package.module)
                self._failed()
                await worker.stop()
                return None
            self._tell(Change.STARTED)
            return worker

    def _failed(self) -> None:
        self._backoff.died(self._now_ms())
        self._tell(Change.FAILED)

    def _tell(self, change: Change) -> None:
        self._observe(Outside("worker", self.package.module, change))

    def _now_ms(self) -> float:
        return asyncio.get_running_loop().time() * 1000


def _held(data: object) -> Held:
    """Raises ContractError for what our own program does not say."""
    network, processes, files = (
        (data.get(key) for key in ("network", "processes", "files")) if isinstance(data, dict) else (None,) * 3
    )
    ways = {"allowed", "namespace", "filter", "python"}
    if (
        not isinstance(network, list)
        or not set(map(str, network)) <= ways
        or not isinstance(processes, bool)
        or not isinstance(files, bool)
    ):
        raise ContractError("it does not say how it is confined.")
    return Held(tuple(map(str, network)), processes, files)
