""" "Stop", said to all that we are doing: to the speech, to what moves, and to what was asked for last.

    "be quiet", 别说了             the speech
    "stop", "enough", 停, 够了     the speech; and in the car what moves there. With neither, what was asked of it just now
    "never mind", 算了, 取消        the speech; without any, what was asked for last

What is stopped is stopped by a cancel like any other, which says what came of it. Does not know how anything is stopped, or what else words mean.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from ridealong.harness.executions import Executions
from ridealong.harness.halting_words import halts
from ridealong.harness.interjections import is_never_mind
from ridealong.harness.provenance import may_act
from ridealong.harness.replies import Replies
from ridealong.harness.skill import Skill
from ridealong.harness.work_items import Asked, WorkItems
from ridealong.harness.work_words import calls_off
from ridealong.harness.working import Working

CANCEL: Final = "work.cancel"


@dataclass(slots=True)
class Stopping:
    """One per session. `skill` finds one by its name."""

    items: WorkItems
    executions: Executions
    replies: Replies
    working: Working
    skill: Callable[[str], Skill | None]

    def on(self, reason: str, asked: Asked) -> bool:
        """The words were understood as "stop", or as a no to our question (`reason`). True: a cancel came of it."""
        silenced = self.replies.withdraw_spoken(reason)
        if reason == "declined":
            self.items.close_question()
        moving = self._moving(asked, silenced)
        if moving:
            self.replies.talking.stopped(False)
            return self._cancel(asked, moving)
        if reason == "declined":
            return False
        if not silenced and calls_off(asked.request, asked.locale) and self._cancel(asked, self.working.asked_last()):
            return True
        self.replies.talking.stopped(is_never_mind(asked.request, asked.locale))
        return False

    def _moving(self, asked: Asked, silenced: bool) -> str:
        """The ids of what these words stop in the car; of "never mind" only what was asked for last."""
        text, locale = asked.request, asked.locale
        if not may_act(asked.provenance) or halts(text, locale) is None:
            return ""
        found = self.working.set_going(silenced)
        if calls_off(text, locale):
            newest = next(iter(self.working.doing()), None)
            found = tuple(one for one in found if one.moves and newest is not None and one.id == newest.id)
        return " ".join(one.id for one in found)

    def _cancel(self, asked: Asked, ids: str) -> bool:
        skill = self.skill(CANCEL)
        if not ids or skill is None:
            return False
        self.executions.begin(asked, skill, {"items": ids})
        return True
