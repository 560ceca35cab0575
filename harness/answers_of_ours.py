"""An answer to our own question: what we asked it of counts where the words say no other. Pure.

Does not know how the answer was read.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from ridealong.harness.router import Calls, Decision, open_question
from ridealong.harness.skill import Context


def as_asked(answer: Decision, context: Context, alone: Callable[[Context], Decision]) -> Decision:
    """An answer to our own question: what we asked it of counts, where the words say no other ("set the passenger to 40", "22"). What names another thing
    with its value ("fan to forty percent") is no answer. `alone`: the decision without what was asked before."""
    asked = open_question(context)
    if (
        asked is None
        or not isinstance(answer, Calls)
        or len(answer.matches) != 1
        or answer.matches[0].capability != asked.capability
    ):
        return answer
    match = answer.matches[0]
    fresh = alone(replace(context, recent=context.recent[1:]))
    if isinstance(fresh, Calls) and len(fresh.matches) == 1 and fresh.matches[0].capability != match.capability:
        own = fresh.matches[0]
        if not own.missing and set(own.grounds.values()) & set(match.grounds.values()):  # the same words say how much
            return fresh
    names = [name for name, ground in match.grounds.items() if ground.startswith("default:") and name in asked.arguments]
    known = {name: asked.arguments[name] for name in names}
    return Calls(
        (
            replace(
                match, arguments={**match.arguments, **known}, grounds={**match.grounds, **dict.fromkeys(names, "context:asked")}
            ),
        )
    )
