"""One session's reminders: those of its device, in the node's store. An adapter: what is told or called off, as its work item shows, is kept no longer.

What ends only because the session ends stays, for the device's next session. Does not know the words, or when a reminder is due.
"""

from __future__ import annotations

from ridealong.harness.daytime import Daytime
from ridealong.harness.reminder_store import ReminderStore
from ridealong.harness.reminders import MAX_PER_DEVICE, REMINDER, Reminder
from ridealong.harness.work import Delivery, Execution, WorkItem

SESSION_OVER = "session_over"


class Reminding:
    """Implements harness.reminders.Reminders. All calls come from the loop's thread; `daytime` from any."""

    def __init__(self, store: ReminderStore, device: str, daytime: Daytime) -> None:
        self._store, self._device, self._daytime = store, device, daytime
        self._ours = set[str]()

    @property
    def daytime(self) -> Daytime:
        return self._daytime

    def kept(self) -> tuple[Reminder, ...]:
        return self._store.of_device(self._device)

    def of(self, id: str) -> Reminder | None:
        return self._store.get(id)

    async def keep(self, reminder: Reminder) -> bool:
        self._ours.add(reminder.id)
        return len(self.kept()) < MAX_PER_DEVICE and await self._store.keep(self._device, reminder)

    def left(self) -> tuple[Reminder, ...]:
        return tuple(one for one in self.kept() if one.id not in self._ours)

    def renamed(self, old: str, new: str) -> None:
        self._ours.add(new)
        self._store.rename(old, new)

    def on_work(self, item: WorkItem) -> None:
        if item.capability != REMINDER or item.reason == SESSION_OVER:
            return
        given_up = item.execution in (Execution.CANCELLED, Execution.SUPERSEDED)
        if given_up or item.delivery in (Delivery.DELIVERED, Delivery.EXPIRED, Delivery.WITHDRAWN):
            self._store.drop(item.id)
