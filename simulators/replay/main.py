"""`ridealong trip replay`: rides a trip, shows it live, judges it and leaves a run folder. Exit 1 when an expected outcome fails.

Joins the pieces of this folder; how the system itself is joined is `assemble.py`. A run that is stopped leaves what was recorded so
far; a run that could not begin leaves nothing.
"""

from __future__ import annotations

import argparse
import asyncio
import fcntl
import os
import shutil
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from ridealong.command import Command
from ridealong.errors import UserError, mistake_in

if TYPE_CHECKING:
    from ridealong.cloud.config import CloudConfig
    from ridealong.simulators.network import Traffic
    from ridealong.simulators.replay.artefacts import RunResult
    from ridealong.simulators.replay.assemble import Ride
    from ridealong.simulators.replay.observing import RunObserver
    from ridealong.simulators.trip.loading import Trip

RUNS = Path("runs")
STOPPED = 130


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("trip", type=Path, metavar="TRIP", help="a trip file, or a run folder to replay its trip")
    parser.add_argument("--fast", action="store_true", help="on virtual time: no waiting, latency is not measured")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="for everything that is drawn at random (default 1)")
    parser.add_argument("--network", default="clean", metavar="PRESET", help="clean, wifi, lte or tunnel (default clean)")
    parser.add_argument("--out", type=Path, metavar="DIR", help="the run folder (default: a new one under runs/)")
    parser.add_argument("--expect", type=Path, metavar="YAML", help="expected outcomes instead of those in the trip")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures as JSON")
    parser.add_argument("--frontend", choices=("cascade", "scripted", "venus"), help="the node's front-end (default cascade)")
    parser.add_argument("--script", type=Path, metavar="YAML", help="lines of the scripted front-end")
    parser.add_argument("--config", type=Path, metavar="FILE", help="the node's configuration, as for `cloud serve`")
    parser.add_argument("--no-live", action="store_true", help="only the summary, no view while it runs")
    parser.add_argument("--exclusive", action="store_true", help="refuse to run beside another replay with --exclusive")


def _run(options: argparse.Namespace) -> int:
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")  # what goes wrong is ours to say; read when grpc is first imported
    from ridealong.simulators.network import preset
    from ridealong.simulators.trip.loading import load_trip

    network = preset(options.network)
    if options.json is not None and not options.json.absolute().parent.is_dir():
        raise UserError(f"{options.json.parent} is no folder: give another --json.")
    with exclusive(RUNS) if options.exclusive else nullcontext():
        trip = load_trip(options.trip, options.expect)
        base = _cloud(options)
        from ridealong.simulators.replay.artefacts import RunFolder
        from ridealong.simulators.replay.assemble import Ride, cloud_config

        fresh = options.out is None or not options.out.exists()
        folder = RunFolder(options.out, RUNS)
        try:
            how = Ride(cloud_config(base, folder.path), options.fast, options.seed, network)
            result, began = _ride(trip, how, folder.path, live=not options.no_live)
        except BaseException as error:
            folder.close()
            if fresh and not getattr(error, "began", True):
                shutil.rmtree(folder.path, ignore_errors=True)
                with suppress(OSError):
                    RUNS.rmdir()  # only when empty
            raise
        folder.close()
    if result is None:
        print(f"ridealong: stopped{f'; what was recorded so far is in {folder.path}' if began else ''}.", file=sys.stderr)
        return STOPPED
    return _conclude(result, folder.path, options)


def _cloud(options: argparse.Namespace) -> CloudConfig:
    from ridealong.cloud.config import FrontEndKind, load_config

    given = {"frontend.kind": options.frontend, "frontend.script": options.script}
    flags: dict[str, object] = {key: value for key, value in given.items() if value is not None}
    cloud = load_config(options.config, dict(os.environ), flags).value
    if options.fast and cloud.frontend.kind is FrontEndKind.VENUS:
        raise UserError("the venus front-end has threads of its own and keeps real time: leave --fast out.")
    return cloud


@contextmanager
def exclusive(runs: Path) -> Iterator[None]:
    """One at a time for this runs folder. The lock goes with the process, however that ends."""
    try:
        runs.mkdir(parents=True, exist_ok=True)
        lock = (runs / ".exclusive").open("a+")
    except OSError as error:
        raise UserError(f"{runs} cannot be written ({error.strerror}): run it where you may write.") from error
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            lock.seek(0)
            holder = lock.read().strip() or "unknown"
            raise UserError(
                f"another demo is running (pid {holder}): wait until it is done, or stop it with  kill {holder}"
            ) from None
        lock.truncate(0)
        lock.write(str(os.getpid()))
        lock.flush()
        yield


def _ride(trip: Trip, how: Ride, folder: Path, *, live: bool) -> tuple[RunResult | None, bool]:
    """(result, whether it began); None: it was stopped. An error from before the beginning carries `began` = False."""
    from ridealong.simulators.replay.artefacts import Artefacts
    from ridealong.simulators.replay.live import LiveView
    from ridealong.simulators.replay.observing import Fan
    from ridealong.simulators.virtual_time import VirtualTimeLoop

    about: dict[str, object] = {
        "seed": how.seed, "frontend": how.cloud.frontend.kind.value, "network": how.network.name,
        "clock": "virtual time" if how.fast else "real time",
    }  # fmt: skip
    artefacts = Artefacts(folder, trip, about, real_time=not how.fast)
    view = LiveView() if live else None
    observer = Fan([*artefacts.observers, *([view] if view else [])])
    began: list[bool] = []
    try:
        with view or nullcontext(), asyncio.Runner(loop_factory=VirtualTimeLoop if how.fast else None) as runner:
            traffic = runner.run(_until_told(trip, how, observer, began))
    except KeyboardInterrupt:
        artefacts.abandon()
        return None, bool(began)
    except BaseException as error:
        artefacts.abandon()
        error = mistake_in(error) or error
        error.began = bool(began)  # type: ignore[attr-defined]
        raise error from None if isinstance(error, UserError) else error
    if traffic is None:
        artefacts.abandon()
        return None, bool(began)
    return artefacts.finish(traffic), True


async def _until_told(trip: Trip, how: Ride, observer: RunObserver, began: list[bool]) -> Traffic | None:
    """The ride, or None when SIGTERM came first. (SIGINT cancels the runner's task by itself.)"""
    from ridealong.simulators.replay.assemble import ride

    task = asyncio.current_task()
    told: list[bool] = []

    def stop() -> None:
        told.append(True)
        if task is not None:
            task.cancel()

    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop)
    try:
        return await ride(trip, how, observer, began=lambda agent: began.append(True))
    except asyncio.CancelledError:
        if told:
            return None
        raise


def _conclude(result: RunResult, folder: Path, options: argparse.Namespace) -> int:
    from rich.console import Console

    from ridealong.simulators.replay.figures import to_json
    from ridealong.simulators.replay.live import print_summary

    if options.json is not None:
        try:
            options.json.write_text(to_json("trip replay", options.seed, result.figures) + "\n", encoding="utf-8")
        except OSError as error:
            raise UserError(f"{options.json} cannot be written ({error.strerror}): give another --json.") from error
    print_summary(Console(highlight=False, soft_wrap=True), result, folder)
    return 1 if result.failed else 0


REPLAY = Command("Replay a trip through the whole system and compare with what was expected.", _configure, _run)
