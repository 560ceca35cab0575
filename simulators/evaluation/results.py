"""The folder of an evaluation: one line of facts per ride, so that a run that was interrupted goes on where it was.

`run.json` says how it was made; another seed or clock needs another folder. Does not know scores.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ridealong.errors import UserError
from ridealong.simulators.evaluation.facts import Facts, from_raw, to_raw

RIDES = "rides.jsonl"
RUN = "run.json"


class Results:
    """Use as a context manager. Raises UserError for a folder that cannot be used. `about`: what must be the same to go on."""

    def __init__(self, folder: Path, about: dict[str, Any]) -> None:
        self.folder = folder
        self.facts: list[Facts] = []
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._check(about)
            self._read()
            self._file = (folder / RIDES).open("a", encoding="utf-8")
        except OSError as error:
            raise UserError(f"{folder} cannot be written ({error.strerror}): give another --out.") from None

    @property
    def done(self) -> set[str]:
        return {facts.id for facts in self.facts}

    def add(self, facts: Facts) -> None:
        self.facts.append(facts)
        self._file.write(json.dumps(to_raw(facts), ensure_ascii=False) + "\n")
        self._file.flush()

    def __enter__(self) -> Results:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def _check(self, about: dict[str, Any]) -> None:
        path = self.folder / RUN
        if not path.exists():
            if any(self.folder.iterdir()):
                raise UserError(f"{self.folder} holds something else than an evaluation: give an empty folder as --out.")
            path.write_text(json.dumps(about, indent=1), encoding="utf-8")
            return
        try:
            before = json.loads(path.read_text(encoding="utf-8"))
        except ValueError:
            raise UserError(f"{path} cannot be read: give another --out.") from None
        differing = [key for key in about if before.get(key) != about[key]]
        if differing:
            key = differing[0]
            raise UserError(
                f"{self.folder} was begun with {key} {before.get(key)!r}, not {about[key]!r}: give another --out, or the same {key}."
            )

    def _read(self) -> None:
        path = self.folder / RIDES
        if not path.exists():
            return
        lines = path.read_text(encoding="utf-8").splitlines()
        for number, line in enumerate(lines, start=1):
            try:
                self.facts.append(from_raw(json.loads(line)))
            except ValueError:
                if number == len(lines):  # cut off while it was written: that ride is made again
                    path.write_text("".join(f"{kept}\n" for kept in lines[:-1]), encoding="utf-8")
                    return
                raise UserError(f"line {number} of {path} cannot be read: give another --out.") from None
