"""Versions of one intent: which items ask for the same thing anew, and which of them is the newest. Pure.

"Find the nearest charger" is version 0 of an intent, "make it the cheapest" version 1. A reply is made for one version, and is worth nothing once the user
has asked for a later one (`validity.Validity.revision`), however its item ended.
Does not know what the versions ask for, or what becomes of the older ones' work.
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(slots=True)
class Intents:
    """Of one session. Only items that belong to an intent with several versions are held."""

    _intent: dict[str, str] = field(default_factory=dict)  # work id -> the first item of its intent
    _newest: dict[str, int] = field(default_factory=dict)  # that item -> the newest version

    def begun(self, work_id: str, replaces: str) -> int:
        """The version that this item is; `replaces` "": the first one of a new intent."""
        if not replaces:
            return 0
        first = self._intent.setdefault(replaces, replaces)
        self._intent[work_id] = first
        self._newest[first] = version = self._newest.get(first, 0) + 1
        return version

    def newest(self, work_id: str) -> int:
        """The newest version of the intent that this item belongs to."""
        return self._newest.get(self._intent.get(work_id, ""), 0) if self._newest else 0

    def forget(self, work_id: str) -> None:
        """Nothing is asked about this item any more."""
        first = self._intent.pop(work_id, "")
        if first and first not in self._intent.values():
            del self._newest[first]
