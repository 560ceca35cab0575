"""The folder of an evaluation: one line a ride, so that a run that was interrupted goes on where it was.

`run.json` says how it was made; what was begun with another seed, clock or commit is not continued. Does not know what a line means.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Generic, TypeVar

from ridealong.errors import UserError

T = TypeVar("T")
RUN = "run.json"


def fresh_folder(runs: Path) -> Path:
    """A new numbered one."""
    taken = [re.fullmatch(r"eval-duplex-([0-9]{1,9})", path.name) for path in runs.glob("eval-duplex-*")]
    number = 1 + max((int(name[1]) for name in taken if name), default=0)
    return runs / f"eval-duplex-{number:03d}"


def prepare(folder: Path, about: dict[str, Any]) -> None:
    """Make the folder, or see that it was begun the same way. Raises UserError."""
    path = folder / RUN
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            if any(folder.iterdir()):
                raise UserError(f"{folder} holds something else than an evaluation: give an empty folder as --out.")
            path.write_text(json.dumps(about, indent=1), encoding="utf-8")
            return
        before = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UserError(f"{folder} cannot be used ({error.strerror}): give another --out.") from None
    except ValueError:
        before = None
    if not isinstance(before, dict):
        raise UserError(f"{path} cannot be read: give another --out.")
    for key, value in about.items():
        if before.get(key) != value:
            raise UserError(f"{folder} was begun with {key} {before.get(key)!r}, not {value!r}: give another --out.")


class Results(Generic[T]):
    """The lines of one file, as values. Use as a context manager. Raises UserError for a file that cannot be used."""

    def __init__(self, path: Path, encode: Callable[[T], dict[str, Any]], decode: Callable[[dict[str, Any]], T]) -> None:
        """`decode` raises ValueError for what it cannot read."""
        self.items: list[T] = []
        self._path, self._encode, self._decode = path, encode, decode
        try:
            if path.exists():
                self._read()
            self._file = path.open("a", encoding="utf-8")
        except OSError as error:
            raise UserError(f"{path} cannot be written ({error.strerror}): give another --out.") from None

    def add(self, item: T) -> None:
        try:
            self._file.write(json.dumps(self._encode(item), ensure_ascii=False) + "\n")
            self._file.flush()
        except OSError as error:
            raise UserError(
                f"{self._path} cannot be written ({error.strerror}): mend that, then go on with the same --out."
            ) from None
        self.items.append(item)

    def __enter__(self) -> Results[T]:
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(OSError):  # `add` has said so
            self._file.close()

    def _read(self) -> None:
        """As bytes, parted by line feeds only: a text may hold other separators, and a cut may fall within a character."""
        whole = self._path.read_bytes()
        good = 0
        while good < len(whole):
            end = whole.find(b"\n", good)
            try:
                if end < 0:
                    raise ValueError("the end of the line is missing")
                self.items.append(self._decode(json.loads(whole[good:end])))
            except ValueError:
                if end < 0 or end == len(whole) - 1:  # cut off while it was written: that ride is made again
                    with self._path.open("r+b") as file:
                        file.truncate(good)
                    return
                number = whole.count(b"\n", 0, good) + 1
                raise UserError(f"line {number} of {self._path} cannot be read: give another --out.") from None
            good = end + 1
