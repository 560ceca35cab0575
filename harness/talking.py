"""What was said in a session, joined to the work that it told of: repeats it, goes on with it, and says what a cut leaves owed.

The implementation of `skill.Talk` for one session, and what the harness asks when a request comes after a cut. Decisions are those of
said.py and rest.py; it performs them on items and deliveries through what the harness gives it.
Does not know routing, execution, or playback.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from ridealong.harness import delivery, work
from ridealong.harness.portions import said_in_parts
from ridealong.harness.rest import Fate, Why, fate, resumption, without_lead
from ridealong.harness.said import Later, Said, Saying, State
from ridealong.harness.skill import LastSaid
from ridealong.harness.work import WorkEvent, WorkItem
from ridealong.proto.types import Samples, UtteranceId, ms_from_samples, samples_from_ms

JUDGED_WITHIN_MS: Final = 8_000
"""A request so soon after a cut is what the cut was for."""
RESUMES_WITHIN_MS: Final = 30_000
MAX_TALK: Final = 8
TALK_WITHIN_MS: Final = 120_000


class Talking:
    """One per session. `step` moves an item along, `offer` gives a reply to delivery, `withdraw` takes one back,
    `important` says which results matter (rest.FATES)."""

    def __init__(
        self,
        items: Mapping[str, WorkItem],
        machine: delivery.Delivery,
        step: Callable[[str, WorkEvent], WorkItem],
        offer: Callable[[delivery.Waiting], None],
        withdraw: Callable[[str, str], None],
        important: Callable[[WorkItem], bool],
        now: Callable[[], Samples],
    ) -> None:
        self.said = Said()
        self._items, self._machine, self._now = items, machine, now
        self._step, self._offer, self._withdraw, self._important = step, offer, withdraw, important
        self._followed_up_at = Samples(-1)  # when something was last asked for that corrects nothing
        self._stopped_at: Samples | None = None  # when "stop" was last understood

    # --- skill.Talk -------------------------------------------------------------------------------------------------

    def last(self) -> LastSaid | None:
        return self.said.view(self._now())

    def last_text(self) -> str:
        """All of what was said last, heard or not."""
        saying = self.said.last()
        return without_lead(saying.text) if saying is not None else ""

    def repeat(self) -> str:
        saying = self.said.last()
        if saying is None:
            return ""
        reply = self._machine.pending.get(saying.work_id)
        if reply is not None and reply.cut_at is not None:
            self._withdraw(saying.work_id, "repeated")
        self.said.close(saying)
        return without_lead(saying.text)

    def keep(self, rest: str, locale: str) -> None:
        self.said.later = Later(rest, locale, self._now()) if rest else None

    def go_on(self) -> str | None:
        saying = self.said.unfinished(self._now())
        if saying is None:
            return self._next_part()
        rest = resumption(saying.text, saying.heard)
        self.said.close(saying)
        if saying.work_id in self._machine.pending:
            self._withdraw(saying.work_id, "asked_for")
        item = self._items.get(saying.work_id)
        if item is None or item.delivery not in (work.Delivery.WITHDRAWN, work.Delivery.EXPIRED):
            return rest
        now = self._now()
        self._step(item.id, work.Reopen(now))
        expires = Samples(max(item.expires_at, now + samples_from_ms(RESUMES_WITHIN_MS)))
        self._offer(delivery.Waiting(item.id, rest, item.locale, now, now, expires, important=True, before=_before(item, rest)))
        return ""

    def _next_part(self) -> str | None:
        later = self.said.kept(self._now())
        if later is None:
            return None
        said, rest = said_in_parts(later.text, later.locale)
        self.keep(rest, later.locale)
        return said

    def say_again(self, work_id: str) -> None:
        """A reply that was cut, from its beginning: the same was asked for once more."""
        if work_id in self._machine.pending:
            self._withdraw(work_id, "asked_for")
        item, now = self._items[work_id], self._now()
        if item.delivery is work.Delivery.WITHDRAWN:
            self.said.close_work(frozenset({work_id}))
            self._step(work_id, work.Reopen(now))
            expires = Samples(max(item.expires_at, now + samples_from_ms(RESUMES_WITHIN_MS)))
            self._offer(delivery.Waiting(work_id, item.reply, item.locale, now, now, expires, important=True))

    # --- a cut, and what is asked after it -----------------------------------------------------------------------------

    def cut_unsent(self, under_way: frozenset[str], why: Why, at: Samples) -> Saying | None:
        """The boundary of a reply that was admitted and had not left when the assistant was cut."""
        presented = self._machine.presenting
        if presented is None or presented.work_id in under_way:
            return None
        unsent = Saying(UtteranceId(0), presented.work_id, presented.text, "", at, State.CUT, why, True)
        self.said.note(unsent)
        return unsent

    def meant(self, work_id: str, why: Why, at: Samples) -> Why:
        """The reason of a cut in the light of what was asked meanwhile: who asks for something else did not stop or correct."""
        item = self._items.get(work_id)
        judged = item is not None and why in (Why.STOP, Why.CORRECT)
        return Why.FOLLOW_UP if judged and item is not None and self._followed_up_at >= (item.inserted_at or at) else why

    def stopped(self, for_good: bool) -> None:
        """ "Stop", understood as such: nothing that was cut for it is said by itself. `for_good` ("never mind"): nor for "go on"."""
        self._stopped_at = self._now()
        if for_good:
            self.said.forget()

    def followed_up(self, at: Samples) -> None:
        """Something was asked for that corrects nothing: an important result that was cut for a stop or a correction is still owed."""
        self._followed_up_at = at
        now = self._now()
        saying = self.said.unfinished(now)
        item = self._items.get(saying.work_id) if saying is not None else None
        if saying is None or item is None or item.delivery is not work.Delivery.WITHDRAWN:
            return
        recent = ms_from_samples(Samples(now - saying.at)) <= JUDGED_WITHIN_MS and saying.why in (Why.STOP, Why.CORRECT)
        important = self._important(item)
        stopped = self._stopped_at is not None and ms_from_samples(Samples(now - self._stopped_at)) <= 2 * JUDGED_WITHIN_MS
        if stopped or not recent or fate(Why.FOLLOW_UP, saying.text, saying.heard, important) is not Fate.AGAIN:
            return
        rest = resumption(saying.text, saying.heard)
        self.said.close(saying)
        self._step(item.id, work.Reopen(now))
        self._offer(
            delivery.Waiting(
                item.id, rest, item.locale, item.intent_at, now, item.expires_at, important=important, offers=1,
                before=_before(item, rest), heard=saying.heard, cut_at=saying.at, waits_for_answer=True,
            )
        )  # fmt: skip

    # --- for a language model ------------------------------------------------------------------------------------------

    def lines(self, but: str) -> list[tuple[str, str]]:
        """The last lines of the talk: what the user asked (without the item `but`), and of our words what was heard."""
        now = self._now()
        lines = [(item.intent_at, 0, "user", item.words) for item in self._items.values() if item.id != but]
        for saying in self.said.entries:
            cut = saying.state is State.CUT and saying.rest
            words = f"{saying.heard} [interrupted here; not heard: {saying.rest}]" if cut else saying.heard
            lines.append((saying.at, 1, "assistant", words.strip()))
        recent = [line for line in sorted(lines) if line[3] and ms_from_samples(Samples(now - line[0])) <= TALK_WITHIN_MS]
        return [(who, words) for _, _, who, words in recent[-MAX_TALK:]]


def _before(item: WorkItem, rest: str) -> str:
    """What of a reply comes before its rest."""
    return item.reply.removesuffix(rest).strip() if item.reply.endswith(rest) else item.heard
