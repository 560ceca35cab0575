"""The skills that a `skills` command looks at: the built-in ones and, with --module, a package from outside in real workers.

Does not know the node's settings: the package runs with their defaults, or as the options say.
"""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol, TypeVar

from ridealong.errors import UserError
from ridealong.harness.registry import RegistrationError, Registry
from ridealong.harness.worker.hosted import Package, WorkerUnfit
from ridealong.harness.worker.pool import Pool
from ridealong.vehicle_skills.builtin import builtin_registry

T = TypeVar("T")


class Run(Protocol):
    """`asyncio.run`, or the same on a loop that lasts."""

    def __call__(self, main: Coroutine[Any, Any, T], /) -> T: ...


def outside_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--module", help="a package of skills from outside, run in worker processes")
    parser.add_argument("--path", type=Path, help="the folder that it lies in, where it is not installed")


@contextmanager
def known_skills(module: str | None, path: Path | None) -> Iterator[tuple[Registry, Run]]:
    """The registry, and what runs its skills. Raises UserError where the package can't be used."""
    registry = builtin_registry()
    if path is not None and not path.is_dir():
        raise UserError(f"there is no folder {path}: correct --path.")
    if module is None:
        yield registry, asyncio.run
        return
    with asyncio.Runner() as runner:
        try:
            pool = runner.run(_opened(Package(module, path)))
        except WorkerUnfit as error:
            raise UserError(f"the package {module} can't be used: {error}") from error
        try:
            for skill in pool.skills:
                registry.register(skill)
            yield registry, runner.run
        except RegistrationError as error:
            raise UserError(f"the package {module} can't be used: {error}") from error
        finally:
            runner.run(pool.close())


async def _opened(package: Package) -> Pool:
    pool = Pool(package)
    await pool.open()
    return pool
