"""What was heard, kept in a file (`--heard`): a run that was stopped goes on, and words can be routed again without being heard again.

One JSON object a line: {"key": hash of case, delivery and models, "turns": [[[words, locale], …], …]}. The listener's and the router's own changes
are not in the key: after changing how turns end, or the recogniser's code, begin another file. Does not know scores.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from ridealong.cloud.frontends.cascade.models import ModelCache
from ridealong.cloud.frontends.cascade.tuned_hearing import TUNED, fingerprint
from ridealong.errors import UserError
from ridealong.simulators.evaluation.calls.aloud import Delivery
from ridealong.simulators.evaluation.calls.cases import Case
from ridealong.simulators.evaluation.calls.hearing import Heard
from ridealong.simulators.scenarios.voices import BY_NAME

Turns = tuple[tuple[Heard, ...], ...]
OURS = ("kokoro/", "whisper-base/", "turn/")


class HeardBefore:
    """Raises UserError for a file that is not one of these."""

    def __init__(self, path: Path | None, delivery: Delivery) -> None:
        self._path, self._delivery = path, delivery
        models = [f"{name} {file.sha256}" for name, file in sorted(ModelCache().files.items()) if name.startswith(OURS)]
        voices = [BY_NAME[name].fingerprint() for name in delivery.voices]
        tuned = [f"{locale} {fingerprint(locale)}" for locale in TUNED]
        self._about = "\n".join([*models, *tuned, *voices, repr(delivery)])
        self._found: dict[str, Turns] = _read(path) if path is not None and path.exists() else {}

    def of(self, case: Case) -> Turns | None:
        return self._found.get(self._key(case))

    def keep(self, case: Case, turns: Turns) -> None:
        if self._path is None:
            return
        row = {"key": self._key(case), "turns": [[[one.text, one.locale] for one in turn] for turn in turns]}
        try:
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(row, ensure_ascii=False) + "\n")
        except OSError as error:
            raise UserError(f"{self._path} cannot be written ({error.strerror}): give another --heard.") from error

    def _key(self, case: Case) -> str:
        about = [self._about, case.id, case.locale, case.situation.speaker, *case.turns]
        return hashlib.sha256("\n".join(about).encode()).hexdigest()[:32]


def _read(path: Path) -> dict[str, Turns]:
    found: dict[str, Turns] = {}
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"{path} cannot be read as text: give --heard a file that this command wrote, or a new one.") from error
    for number, line in enumerate(lines, start=1):
        try:
            row = json.loads(line)
            found[row["key"]] = tuple(tuple(Heard(str(text), str(locale)) for text, locale in turn) for turn in row["turns"])
        except (ValueError, KeyError, TypeError):
            if number == len(lines):
                continue  # the run was stopped while it wrote
            raise UserError(
                f"{path}, line {number}: nothing that was heard; give --heard a file that this command wrote, or a new one."
            ) from None
    return found
