"""Requests of which nobody heard a word because there were too many at once: summed up in one sentence, when no more come. Pure.

    on(item, at)  ->  counted      due(at)  ->  "I couldn't get to 104 of your requests."

Does not know why a reply was dropped, or when this one may be spoken.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from ridealong.harness.work import Execution, WorkItem
from ridealong.proto.types import Samples, ms_from_samples

CROWDED: Final = "crowded"
"""The capability of the sentence."""
BACKLOG: Final = "backlog"
"""That of an offer to do what came too late: the request itself was not done."""
SETTLED_MS: Final = 2_000
"""No more have come for so long."""
AFTERMATH_MS: Final = 180_000
"""What lapses unsaid so long after others had to be dropped is counted with them."""


@dataclass(slots=True)
class Crowded:
    """One per session."""

    undone: int = 0
    untold: int = 0
    locale: str = ""
    last_at: Samples | None = None

    def on(self, item: WorkItem, at: Samples) -> None:
        """This item's reply was dropped. What nobody asked for is not missed."""
        if item.capability == CROWDED or not item.words:
            return
        if item.execution is Execution.COMPLETED and item.capability != BACKLOG:
            self.untold += 1
        else:
            self.undone += 1
        self.locale, self.last_at = item.locale, at

    def lapsed(self, item: WorkItem, at: Samples) -> None:
        """This item's reply was not said in time."""
        if self.last_at is not None and ms_from_samples(Samples(at - self.last_at)) < AFTERMATH_MS:
            self.on(item, at)

    def due(self, at: Samples) -> tuple[str, str] | None:
        """(what is to be said now, in which language), once."""
        if not self.undone + self.untold or self.last_at is None or ms_from_samples(Samples(at - self.last_at)) < SETTLED_MS:
            return None
        told = _sentence(self.undone, self.untold, self.locale.lower().startswith("zh"))
        self.undone = self.untold = 0
        return told, self.locale


def _sentence(undone: int, untold: int, zh: bool) -> str:
    if zh:
        parts = [f"您有{undone}个请求我没能处理"] * bool(undone) + [f"有{untold}个请求的结果我没有说"] * bool(untold)
        return "，".join(parts) + "。"
    parts = [f"couldn't get to {undone} of your requests"] if undone else []
    parts += [f"left out what came of {untold} {'more' if undone else 'of your requests'}"] if untold else []
    return f"I {' and '.join(parts)}."
