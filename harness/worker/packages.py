"""Where skills from outside come from: a module that is named, every module of a folder, and what installed distributions offer.

An installed distribution offers a module under the entry point group `ridealong.skills`:

    [project.entry-points."ridealong.skills"]
    scent = "scent"

Nothing is imported here. Does not know what a module holds, or whether it can be used.
"""

from __future__ import annotations

from dataclasses import replace
from importlib.metadata import entry_points
from pathlib import Path
from typing import Final, TypeVar

from ridealong.harness.worker.hosted import Package

P = TypeVar("P", bound=Package)

ENTRY_POINTS: Final = "ridealong.skills"


def modules_in(folder: Path) -> tuple[str, ...]:
    """The modules of a folder by name, tests left out."""
    found = {one.stem for one in folder.glob("*.py")} | {one.parent.name for one in folder.glob("*/__init__.py")}
    return tuple(
        sorted(name for name in found if name.isidentifier() and not name.startswith(("_", "test_")) and name != "tests")
    )


def each(package: P) -> tuple[P, ...]:
    """Itself; where it names a folder and no module, one for each module in that folder."""
    if package.module or package.path is None:
        return (package,)
    return tuple(replace(package, module=name) for name in modules_in(package.path))


def installed(kind: type[P]) -> tuple[P, ...]:
    """What distributions on this machine offer, in the order of their names."""
    modules = {point.name: point.value.partition(":")[0] for point in entry_points(group=ENTRY_POINTS)}
    return tuple(kind(module=modules[name]) for name in sorted(modules))
