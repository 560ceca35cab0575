"""Another thing of the same kind, asked of it: "I meant the range" after "what's the tyre pressure", "not the window, the boot". Pure.

The last call's skill says how such things are asked (`Changes.frames`); the router decides what the words then mean. Nothing comes of it but one
complete call, and a question never becomes an act. Does not know the words of the frames, or which skills there are.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from ridealong.harness.follow_words import instead
from ridealong.harness.following import REFERS_WITHIN_MS
from ridealong.harness.meant import as_written
from ridealong.harness.router import Calls, Decision
from ridealong.harness.skill import Context, Skill, same_call
from ridealong.harness.slots.text import language, plain

_FINE = re.compile(r" (?:is|are) (?:\w+ )?(?:fine|ok|okay|good|great|enough)$")
"""Of what the car has that is no choice: it is well as it is."""

Decide = Callable[[str], Decision]


def asked_anew(
    text: str, locale: str, context: Context, skills: Callable[[str], Skill | None], decide: Decide, ask: Decide
) -> Calls | None:
    """`decide`: of words without what was asked before. `ask`: likewise, and more freely, where nothing is done."""
    last = context.recent[0] if context.recent else None
    said = instead(text, locale) if last is not None and last.asked_ms_ago <= REFERS_WITHIN_MS else None
    skill = skills(last.capability) if last is not None else None
    if said is None or last is None or skill is None or skill.changes is None or skill.changes.frames is None:
        return None
    if not skill.read_only and (said.adds or _FINE.search(plain(text, locale))):
        return None
    for frame in skill.changes.frames(last.arguments, language(text, locale) == "zh"):
        match (ask if skill.read_only else decide)(frame.format(as_written(said.words, text))):
            case Calls(matches=(one,)) if (other := skills(one.capability)) is not None:
                if other.read_only is skill.read_only and not same_call(one, last):
                    return Calls((one,))
            case _:
                continue
    return None
