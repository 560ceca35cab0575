"""Where a new file goes: checked before any work is done, written beside its place, and moved there only when it is whole.

Does not know what is in the file.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ridealong.errors import UserError


def check_place(out: Path, *, force: bool) -> None:
    """Raises UserError when a file lies there already (unless `force`) or none can be written there."""
    if out.is_dir():
        raise UserError(f"{out} is a folder: give a file's name with -o.")
    if out.exists() and not force:
        raise UserError(f"{out} exists already: give another -o, or --force to replace it.")
    folder = out.absolute().parent
    if not folder.is_dir():
        raise UserError(f"there is no folder {folder}: make it, or give another -o.")
    if not os.access(folder, os.W_OK):
        raise UserError(f"{out} cannot be written (no permission in {folder}): choose another place with -o.")


@contextmanager
def new_file(out: Path, *, force: bool) -> Iterator[Path]:
    """The path to write to. It becomes `out` when the block ends well; otherwise nothing is left and an older `out` stays."""
    check_place(out, force=force)
    scratch = out.with_name(f".{out.name}.part")
    try:
        yield scratch
        os.replace(scratch, out)
    except OSError as error:
        raise UserError(f"{out} cannot be written ({error.strerror}): choose another place with -o.") from error
    finally:
        scratch.unlink(missing_ok=True)


def trip_file(given: Path) -> Path:
    """A trip file, or the one of a run folder."""
    return given / "trip.mcap" if given.is_dir() else given
