"""What of a call for windows later words may change. Pure.

Does not know the words, nor the policy.
"""

from __future__ import annotations

from ridealong.harness.changes import Amount, Another, Arguments, Changes, Reads, to_open
from ridealong.harness.slots.percent import A_BIT
from ridealong.harness.slots.zone import ZONES
from ridealong.vehicle_skills.car import placed_again, shown_before
from ridealong.vehicle_skills.signals import window_position
from ridealong.vehicle_skills.windows.doubts import at_the_back
from ridealong.vehicle_skills.windows.plan import MOVE, SET

LEAST_BARE = 5
"""A smaller number alone is no percentage."""


def _percent(value: float, unit: str, arguments: Arguments, read: Reads) -> float | None:
    return value if unit == "percent" or (unit == "" and (value == 0 or value >= LEAST_BARE)) else None


def _further(size: float | None, unit: str, manner: str, arguments: Arguments, read: Reads) -> float | None:
    if unit == "notches":
        return (size or 1.0) * A_BIT
    if unit not in ("", "percent"):
        return None
    return size if size is not None else A_BIT * (2 if manner == "lot" else 1)


def _state(arguments: Arguments, on: bool) -> Another:
    return SET, {"position": 100 if on else 0, "zone": arguments["zone"]}


def _ends(arguments: Arguments) -> Another | None:
    """Open for closed; halfway has no other way round."""
    position = arguments["position"]
    return _state(arguments, position == 0) if position in (0, 100) else None


def _step_turned(arguments: Arguments) -> Another:
    delta = arguments["delta"]
    assert isinstance(delta, int)
    return MOVE, {**arguments, "delta": -delta}


def _positions_before(arguments: Arguments, before: Reads) -> tuple[Another, ...]:
    shown = shown_before(
        str(arguments["zone"]), before, lambda row, role: window_position(f"Row{row}", f"{role.capitalize()}Side")
    )
    return tuple((SET, {"position": round(value), "zone": zone}) for zone, value in shown)


def _moved(arguments: Arguments, zh: bool) -> tuple[str, ...]:
    position = arguments.get("position")
    if position in (0, 100):
        return to_open(position == 100, zh)
    return (f"把{{}}打开到{position}%" if zh else f"open the {{}} to {position} percent",)


def _moved_on(arguments: Arguments, zh: bool) -> tuple[str, ...]:
    opens = float(str(arguments["delta"])) > 0
    return (("把{}打开一点" if opens else "把{}关小一点") if zh else ("open the {} a bit" if opens else "close the {} a bit"),)


_ZONES = frozenset(ZONES)
_OF = frozenset({"opening", "size"})
POSITION = Changes(
    Amount("position", 0, 100, _OF, _percent, _further, stepped=(MOVE, {"delta": 0}), up_is_less=True),
    places=_ZONES, placed=placed_again, state=_state, turned=_ends, undone=_positions_before, other=at_the_back, frames=_moved,
)  # fmt: skip
STEP = Changes(
    Amount("delta", -100, 100, _OF, _percent, _further, is_step=True, up_is_less=True),
    places=_ZONES, placed=placed_again, state=_state, turned=_step_turned, undone=_positions_before, frames=_moved_on,
)  # fmt: skip
