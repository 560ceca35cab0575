"""A sentence as it would be put plainly, before anybody looks for what it asks: manners, hesitations, and what is left out are put right. Pure.

hesitations.py     "open, uh, open the window"
manners.py         "would you be so kind as to …"
by_steps.py        "knock ten off the volume"
same_row.py        "the right rear window, and the left one"
two_reminders.py   "remind me at five to … and at six to …"
"""

from __future__ import annotations

from ridealong.harness.as_typed import opening_small
from ridealong.harness.by_steps import put_plainly
from ridealong.harness.by_way_of import by_way_of
from ridealong.harness.hesitations import without_hesitations
from ridealong.harness.manners import plainly_asked
from ridealong.harness.same_row import with_its_row
from ridealong.harness.two_reminders import each_alone


def plainly_put(text: str, locale: str) -> str:
    text = put_plainly(plainly_asked(without_hesitations(opening_small(text)), locale), locale)
    return by_way_of(each_alone(with_its_row(text, locale), locale), locale)
