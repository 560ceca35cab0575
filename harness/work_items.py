"""The work items of one session: numbered, made once a request, and every transition of theirs journalled before it is told.

A bounded view: what is over is forgotten oldest first. Also the last calls, newest first, which "a bit more", "also the back" and a
yes refer to; a question of ours counts from when it is put to the user, so the one that a yes answers is the one that they heard last.
Does not know skills' code, who may ask, how work is run, or when a reply is spoken.
"""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from types import MappingProxyType
from typing import Final

from ridealong.harness import work
from ridealong.harness.intents import Intents
from ridealong.harness.journal import Entry, Journal, Recorded
from ridealong.harness.lazily import Lazily
from ridealong.harness.skill import ANSWER_WITHIN_MS, NOTHING, Outcome, Provenance, Recent
from ridealong.harness.snapshot import Snapshot
from ridealong.harness.validity import UNCONDITIONAL, Validity
from ridealong.harness.work import WorkEvent, WorkItem
from ridealong.proto.types import Samples, SignalReading, ms_from_samples

MAX_ITEMS: Final = 256
MAX_RECENT: Final = 8
REVISES_WITHIN_MS: Final = 60_000


@dataclass(frozen=True, slots=True)
class Asked:
    """What was asked for, by whom and when; `part`: several calls may come of one request."""

    request: str
    words: str
    locale: str
    provenance: Provenance
    at: Samples
    identity: str  # the same request has the same: session, end of the utterance, request
    snapshot: Snapshot | None = None
    part: int = 0

    @property
    def digest(self) -> str:
        return digest(self.identity)


def digest(identity: str) -> str:
    """Of a request's identity: it tells requests apart, and nothing of what they say."""
    return hashlib.sha256(identity.encode()).hexdigest()[:24]


class WorkItems:
    """`record` takes what the journal must have, `changed` is told of every item's new state."""

    def __init__(
        self,
        session_id: str,
        journal: Journal,
        record: Callable[[Entry], None],
        changed: Callable[[WorkItem], None],
        now: Callable[[], Samples],
        device: str = "",
    ) -> None:
        self.all: dict[str, WorkItem] = {}  # oldest first
        self._oldest: deque[str] = deque()  # its ids: a dict is slow to find its first, where many before it were removed
        self.intents = Intents()
        self.numbered = journal.numbered(session_id)
        self._session_id, self._record, self._changed, self.now, self._device = session_id, record, changed, now, device
        self._keys = journal.keys(session_id)
        self.earlier = [(item.request, item.intent_at) for item in journal.items(session_id)] if self.numbered else []
        self._recent: deque[str] = deque(maxlen=MAX_RECENT)  # work ids, newest first
        self._before: dict[str, dict[str, SignalReading]] = {}  # of those: what the car showed when they were asked for
        self.gave: dict[str, Mapping[str, object]] = {}  # work id -> what it found
        self._held = ""  # the question of ours that the user has put off
        self.taken: set[str] = set()  # work ids: what these found went into a later call

    def add(
        self,
        asked: Asked,
        capability: str,
        arguments: Mapping[str, object],
        deadline_ms: int,
        *,
        remember: bool,
        replaces: str = "",
    ) -> WorkItem | None:
        """A new item, queued; None when the session has had it before. `remember`: later words may refer to it. `replaces`: the item of which this
        is a newer version; words that refer to that one refer to this one."""
        key = f"{asked.digest}.{asked.part}"
        if key in self._keys:
            return None
        self._keys.add(key)
        self.numbered += 1
        id = f"{self._session_id}-w{self.numbered}"
        item = WorkItem(
            id=id, session=self._session_id, request=asked.request, words=asked.words, locale=asked.locale,
            provenance=asked.provenance, capability=capability, arguments=MappingProxyType(dict(arguments)), snapshot=asked.snapshot.id if asked.snapshot else "",
            idempotency_key=key, intent_at=asked.at, deadline_ms=deadline_ms,
            validity=Validity(self.intents.begun(id, replaces)) if replaces else UNCONDITIONAL, replaces=replaces, device=self._device,
        )  # fmt: skip
        self.all[id] = item
        self._oldest.append(id)
        self._record(Recorded(item))
        self._changed(item)
        if remember:
            self._recent.appendleft(item.id)
            shown = {reading.path: reading for reading in asked.snapshot.signals} if asked.snapshot is not None else {}
            self._before = {id: self._before.get(id, shown) for id in self._recent}
        elif replaces in self._recent:
            self._before = {(id if other == replaces else other): shown for other, shown in self._before.items()}
            self._recent = deque((id if other == replaces else other for other in self._recent), maxlen=MAX_RECENT)
        return item

    def of(self, identity: str) -> list[WorkItem]:
        """What came of one request, newest first."""
        begin = f"{digest(identity)}."
        return [item for item in reversed(self.all.values()) if item.idempotency_key.startswith(begin)]

    def step(self, work_id: str, event: WorkEvent) -> WorkItem:
        """One legal transition; an illegal one raises and changes nothing."""
        before = self.all[work_id]
        item = self.all[work_id] = work.step(before, event)
        if isinstance(event, work.Admit) and item.outcome is Outcome.ASKS and work_id in self._recent:
            self._recent = deque([work_id, *(other for other in self._recent if other != work_id)], maxlen=MAX_RECENT)
        self._record(Recorded(item, event, before))
        self._changed(item)
        return item

    def forget_oldest(self) -> None:
        """Keep the view bounded; an item that is not over stays."""
        too_many = len(self.all) - MAX_ITEMS
        if too_many <= 0:
            return
        for work_id in list(islice((id for id in self._oldest if self.all[id].over), too_many)):
            del self.all[work_id]
            self._oldest.remove(work_id)
            self.gave.pop(work_id, None)
            self.taken.discard(work_id)
            self.intents.forget(work_id)

    def replaced(self, item: WorkItem) -> bool:
        """A later version of its intent was asked for."""
        return self.intents.newest(item.id) > item.validity.revision

    # --- what was asked lately --------------------------------------------------------------------------------------

    def recently(self) -> Sequence[Recent]:
        """The last calls of this moment, newest first. A question counts from when it was heard. Safe from other threads."""
        now, before, gave = self.now(), self._before, self.gave
        items = [
            (item, gave.get(work_id, NOTHING)) for work_id in list(self._recent) if (item := self.all.get(work_id)) is not None
        ]
        return Lazily(items, lambda one: _recent(*one, before.get(one[0].id, {}), now))

    def asking(self) -> WorkItem | None:
        """The question of ours that was put to the user last, if it still waits for an answer: no newer call, and asked lately."""
        item = self.all.get(self._recent[0]) if self._recent else None
        if item is None or item.outcome is not Outcome.ASKS or item.inserted_at is None:
            return None
        age_ms = ms_from_samples(Samples(self.now() - (item.played_at or item.inserted_at)))
        return item if age_ms <= ANSWER_WITHIN_MS else None

    def close_question(self) -> None:
        """The user said no to it: a later yes is no answer to it, nor to a question before it, in whose place it was put."""
        if self.asking() is not None:
            self._recent = deque((other for other in self._recent if not self._asked(other)), maxlen=MAX_RECENT)

    def _asked(self, work_id: str) -> bool:
        item = self.all.get(work_id)
        return item is not None and item.outcome is Outcome.ASKS

    def hold_question(self, off: bool = True) -> None:
        """The user has put it `off`, with neither yes nor no: a later yes needs it asked again."""
        if off and (item := self.asking()) is not None:
            self._held = item.id

    def held(self, item: WorkItem) -> bool:
        """This question was put off."""
        return item.id == self._held

    def revised(self, capability: str) -> str | None:
        """The newest item of this capability of which something is still to be done or said."""
        for work_id in list(self._recent):
            item = self.all.get(work_id)
            if item is not None and item.capability == capability:
                recent = ms_from_samples(self.now() - item.intent_at) <= REVISES_WITHIN_MS
                return work_id if recent and not item.over else None
        return None


def _recent(item: WorkItem, gave: Mapping[str, object], before: Mapping[str, SignalReading], now: Samples) -> Recent:
    asks = item.outcome is Outcome.ASKS
    since = (item.played_at or item.inserted_at or item.intent_at) if asks else item.intent_at
    age_ms = max(0.0, ms_from_samples(Samples(now - since)))
    put = not asks or item.inserted_at is not None
    return Recent(item.capability, item.arguments, item.outcome or Outcome.UNKNOWN, age_ms, put, gave, before)
