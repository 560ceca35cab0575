"""What is told of an utterance when it is over: what was heard of it, and where and why it was cut. Each once. Sans-IO.

It is told again only where it has changed since, as when the reason of a cut became clear. What was cut before a sample of it had left
(utterance 0) is one thing with each work item, and is told each time.

Does not know who is told, or how it came to be known what was heard (`timeline.py`).
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Final

from ridealong.harness.said import Saying, State
from ridealong.proto.types import UtteranceId

BOUNDARIES: Final = 256


@dataclass(frozen=True, slots=True)
class News:
    """`heard`: of an utterance that is over, the first time. `cut`: its heard boundary, in one line. Empty: nothing new."""

    heard: str = ""
    cut: str = ""


@dataclass(slots=True)
class Boundaries:
    """Remembers what it has told of the last BOUNDARIES."""

    _told: OrderedDict[tuple[UtteranceId, str], str] = field(default_factory=OrderedDict)

    def on(self, saying: Saying) -> News:
        key = (saying.utterance, saying.work_id if not saying.utterance else "")
        first = key not in self._told or not saying.utterance
        if not first and self._told[key] == saying.boundary():
            return News()
        self._told[key] = saying.boundary()
        if len(self._told) > BOUNDARIES:
            self._told.popitem(last=False)
        return News(saying.heard if first else "", saying.boundary() if saying.state is State.CUT else "")
