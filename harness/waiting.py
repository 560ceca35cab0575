"""One reply on its way to be said: what of it still has to be, how it is worded now, and whether its time is over. Pure.

Does not know when it may be said (delivery.py).
"""

from __future__ import annotations

from typing import Final, NamedTuple

from ridealong.harness.rest import dated, lead, without_lead
from ridealong.proto.types import Samples, ms_from_samples
from ridealong.proto.words import joined

PLAYED_LATE_MS: Final = 60_000.0
"""A reply that was given up may have been heard all the same: for so long it has not expired, whatever its deadline. It is not said again after that."""


class Waiting(NamedTuple):
    """One reply. `again`: may be offered a second time although some of it was heard. `important`: see rest.FATES. `unasked`: said of
    our own accord, so it always waits for quiet. `urgent`: worth nothing later, so it doesn't wait for the driver.

    `renewals`: how often it was found anew; `dated`: it is not so any more, and is said all the same. `first`: before all others. `given_up_at`: it seemed lost on the way.
    `text` is what is still to be said, `before` what of the reply was said earlier, `heard` what was heard of it altogether."""

    work_id: str
    text: str
    locale: str
    asked_at: Samples
    ready_at: Samples
    expires_at: Samples
    again: bool = True
    important: bool = False
    offers: int = 0
    before: str = ""
    heard: str = ""
    unasked: bool = False
    urgent: bool = False
    cut_at: Samples | None = None
    waits_for_answer: bool = False
    renewals: int = 0
    dated: bool = False
    first: bool = False
    given_up_at: Samples | None = None

    def renewed_by(self, newer: Waiting) -> Waiting:
        """`newer`, in this reply's place: nobody has to wait anew."""
        return newer._replace(ready_at=self.ready_at, offers=self.offers, renewals=self.renewals + 1)

    @property
    def words(self) -> str:
        """As it is spoken: with "Again:" before what was interrupted, "A moment ago:" before what is not so any more."""
        if self.dated:
            return dated(self.locale) + self.text
        return (lead(self.text, self.heard, self.locale) if self.waits_for_answer else "") + self.text

    def heard_in_all(self, heard: str) -> str:
        """All that was heard of the reply, when `heard` was heard of `words`."""
        return joined([self.before, without_lead(heard)])

    def has_expired(self, at: Samples) -> bool:
        """It will not be said any more, and has not been."""
        may_be_heard = self.given_up_at is not None and ms_from_samples(Samples(at - self.given_up_at)) < PLAYED_LATE_MS
        return at > self.expires_at and not may_be_heard
