"""The skills that a `skills` command looks at: the built-in ones, and packages from outside in real workers.

Does not know the node's settings: packages run with their defaults.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Coroutine, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Protocol, TypeVar

from ridealong.errors import UserError
from ridealong.harness.registry import RegistrationError, Registry
from ridealong.harness.worker.hosted import Package, WorkerUnfit
from ridealong.harness.worker.packages import each, installed
from ridealong.harness.worker.pool import Pool
from ridealong.vehicle_skills.builtin import builtin_registry
from ridealong.vehicle_skills.vehicle_file import admit_from

T = TypeVar("T")


class Run(Protocol):
    """`asyncio.run`, or the same on a loop that lasts."""

    def __call__(self, main: Coroutine[Any, Any, T], /) -> T: ...


def outside_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--module", help="a package of skills from outside, run in worker processes")
    parser.add_argument(
        "--path", type=Path, help="the folder that it lies in, where it is not installed; without --module all in it"
    )
    parser.add_argument("--vehicle", type=Path, metavar="FILE", help="the vehicle file, with the signals that it adds")


@contextmanager
def known_skills(options: argparse.Namespace) -> Iterator[tuple[Registry, Run]]:
    """The registry, and what runs its skills: the built-in ones, what installed distributions offer, and what the options name. Raises UserError where
    something that was named can't be used; what is only installed and can't be used is left out, with a sentence on standard error."""
    if options.vehicle is not None:
        admit_from(options.vehicle)
    registry, named = builtin_registry(), _named(options.module, options.path)
    taken = {package.module for package in named}
    packages = [*((one, True) for one in named), *((one, False) for one in installed(Package) if one.module not in taken)]
    if not packages:
        yield registry, asyncio.run
        return
    with asyncio.Runner() as runner, ExitStack() as stack:
        for package, asked_for in packages:
            try:
                pool = runner.run(_opened(package))
                stack.callback(_close, runner, pool)
                for skill in pool.skills:
                    registry.register(skill)
            except (WorkerUnfit, RegistrationError) as error:
                sentence = f"the package {package.module} can't be used: {error}"
                if asked_for:
                    raise UserError(sentence) from error
                print(f"ridealong skills: {sentence}", file=sys.stderr)
        yield registry, runner.run


def _named(module: str | None, path: Path | None) -> tuple[Package, ...]:
    if path is not None and not path.is_dir():
        what = (
            f"{path} is a file: --path takes the folder that it is in"
            if path.is_file()
            else f"there is no folder {path}: correct --path"
        )
        raise UserError(f"{what}.")
    if module is None and path is None:
        return ()
    found = each(Package(module or "", path))
    if not found:
        raise UserError(f"there is no module in {path}: name the folder that holds it, such as `ridealong skills new` writes.")
    return found


def _close(runner: asyncio.Runner, pool: Pool) -> None:
    runner.run(pool.close())


async def _opened(package: Package) -> Pool:
    pool = Pool(package)
    await pool.open()
    return pool
