"""Several parts that each change something of what was asked for just before, or ask for something themselves: "only me, put hers back to 19",
"eighteen on mine only, hers twenty-two", 就我这扇，别的关上. Pure.

The first part that says anything must be such a change. Of two parts about the same thing the later one counts. Does not know what words mean: it
is told what each part changes, and what it asks for by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from ridealong.harness.router import about
from ridealong.harness.skill import Match

MOST: Final = 4


def part_by_part(
    cut: Sequence[str],
    changed: Callable[[str], tuple[Match, ...]],
    asked: Callable[[str, tuple[Match, ...]], tuple[Match, ...]],
    tells: Callable[[str], bool],
) -> tuple[Match, ...]:
    """The calls, of at least two things; () where a part is not understood. `asked`: with what came of the parts before. `tells`: nothing is asked for."""
    if not 2 <= len(cut) <= MOST:
        return ()
    found: dict[tuple[str, tuple[tuple[str, str], ...]], Match] = {}
    parts, settled = 0, False
    for piece in cut:
        calls = changed(piece)
        if not calls and parts:
            calls = asked(piece, tuple(found.values()))
        if not calls:
            if tells(piece):
                continue
            return ()
        parts += 1
        for call in calls:
            if call.after or call.missing:
                return ()
            found.pop(key := (call.capability, about(call)), None)
            for before in [one for one, match in found.items() if _settles(call, match)]:
                settled = found.pop(before) is not None
            found[key] = call
    return tuple(found.values()) if parts > 1 and (len(found) > 1 or settled) else ()


STEP: Final = "delta"


def _settles(call: Match, step: Match) -> bool:
    """ "More, fifty": how much more is said behind it."""
    same = call.capability.partition(".")[0] == step.capability.partition(".")[0] and about(call) == about(step)
    return same and STEP in step.arguments and STEP not in call.arguments
