"""Windows: a stretch that asks for them -> calls. Pure.

As in plan.py: an opening without an amount is all the way, "close it a third" leaves two thirds. Does not know the policy.
"""

from __future__ import annotations

import re
from dataclasses import replace

from ridealong.harness.meant import FRAGMENT, Meant, by_numbers, clauses, way_ahead
from ridealong.harness.skill import Match
from ridealong.harness.slots.percent import A_BIT, A_CRACK, find_percent
from ridealong.harness.slots.zones import Zones, find_zones, places
from ridealong.vehicle_skills.car import drive_side, recent_argument, speaker, which_side
from ridealong.vehicle_skills.climate.meant import share_said
from ridealong.vehicle_skills.windows.plan import MOVE, SET

_PLURAL = re.compile(r"\b(?:windows|all(?! the way)|both|them|every\w*|everything)\b|都|全(?!开|关|打开)|所有|几个|四")
_CRACK = re.compile(r"\b(?:crack|cracked|sliver|hair|inch|gap|whisker|smidge|fingers?|finger (?:width|breadth)s?)\b|缝|丢丢|丝")
_CLOSES = re.compile(r"\b(?:up|close|closed|shut|raise)\b|关|升")
_ALL_THE_WAY = re.compile(r"\b(?:all the way|fully|completely|right (?:up|down)|wide|tight)\b|到底|全开|完全|最大|严")
_TO = re.compile(r"\b(?:to|at)\b|到(?!底)|至|成(?=\d|百|一半)")


def _zones(meant: Meant) -> Zones | None:
    return find_zones(meant.text, meant.locale, drive_side(meant.context.read), speaker(meant.context))


def _placed(meant: Meant) -> list[tuple[str, str]] | None:
    zones = _zones(meant)
    if zones is not None:
        return [(name, zones.words) for name in zones.names] if zones.certain else None
    before = recent_argument(meant.context, "windows.", "zone")
    if isinstance(before, str) and not re.search(r"window|窗|玻璃", meant.form):
        return [(before, "context:recent")]
    plural = _PLURAL.search(meant.form)
    if plural is not None:
        return [("all", plural.group())]
    default = f"row1.{speaker(meant.context)}"
    return [(default, f"default:{default}")]


def _in_parts(meant: Meant) -> tuple[Match, ...]:
    """Parts with a place and an amount each, of one label: "the left one halfway and the right one all the way"."""
    for parts in (clauses(meant), by_numbers(meant)):
        if len(parts) < 2 or any(_zones(part) is None for part in parts):
            continue
        if any(
            share_said(part) is None and not _CRACK.search(part.form) and not _ALL_THE_WAY.search(part.form) for part in parts
        ):
            continue
        found = [match for part in parts for match in _one(part)]
        zones = [match.arguments.get("zone") for match in found]
        if len(set(zones)) == len(zones) and not any(match.missing for match in found):
            return tuple(found)
    return ()


def _by_places(meant: Meant) -> list[Meant]:
    """Cut before each place: 左前窗开一半右前窗开到底."""
    begins = places(meant.text, meant.locale)
    bounds = [0, *begins[1:], len(meant.form)]
    return [meant.of(meant.form[low:high].strip()) for low, high in zip(bounds[:-1], bounds[1:], strict=True)]


_NO_WINDOW = re.compile(
    r"\b(?:sun ?roof|moon ?roof|roof|boot|trunk|doors?|blinds?|curtains?)\b|天窗|窗帘|车门|后备|尾门|[一二三四五\d最高中低][档挡]"
)
"""What is opened and closed too, and is no window."""
_WINDOW = re.compile(r"\bwindows?\b|车窗|窗户|玻璃")


def set_position(meant: Meant) -> tuple[Match, ...]:
    if _NO_WINDOW.search(meant.form) and not _WINDOW.search(meant.form):
        return ()
    if meant.variant != FRAGMENT and (way := way_ahead(meant)):
        meant = replace(meant, variant=way)
    return _in_parts(meant) or _one(meant)


def _one(meant: Meant) -> tuple[Match, ...]:
    position = _position(meant)
    if position is None:
        return ()
    value, words = position
    placed = _placed(meant)
    if placed is None:
        return (Match(SET, meant.share, {"position": value}, {"position": words}, ("zone",), which_side(meant.locale)),)
    return tuple(
        meant.match(SET, {"position": value, "zone": zone}, {"position": words, "zone": ground}) for zone, ground in placed
    )


def _position(meant: Meant) -> tuple[int, str] | None:
    """(percent open, words)."""
    form = meant.form
    share = share_said(meant)
    variant = meant.variant
    if variant == FRAGMENT:
        if share is not None:
            return round(share[0]), share[1]
        before = recent_argument(meant.context, "windows.", "position")
        if _ALL_THE_WAY.search(form) and isinstance(before, int) and not re.search(r"\b(?:up|shut|closed?)\b|关|升", form):
            return (100 if before else 0), form
        if re.search(r"\b(?:close|shut|up)\b|关|升", form):
            return 0, form
        if re.search(r"\b(?:open|down)\b|开|降", form):
            return 100, form
        return (before, "context:recent") if isinstance(before, int) and _zones(meant) is not None else None
    if variant == "close" and not _cracks(form):
        if share is None or share[0] == 100:
            return 0, form
        return (round(share[0]) if _TO.search(form) else round(100 - share[0])), share[1]
    if share is not None:
        return round(share[0]), share[1]
    if _ALL_THE_WAY.search(form):
        return 100, form
    if _CRACK.search(form):
        return int(A_CRACK), form
    vague = find_percent(form, meant.locale)
    if vague is not None and vague.vague and vague.value < 100:
        return round(vague.value), vague.words
    return 100, form


def _cracks(form: str) -> bool:
    """ "Crack the window": a little open, never shut."""
    return re.search(r"\bcrack", form) is not None and not _CLOSES.search(form)


_LESS = re.compile(r"\b(?:less|smaller)\b|小点|少开|收")


def move(meant: Meant) -> tuple[Match, ...]:
    form = meant.form
    if _NO_WINDOW.search(form) and not _WINDOW.search(form):
        return ()
    share = share_said(meant)
    if meant.variant == FRAGMENT:
        before = recent_argument(meant.context, MOVE, "delta")
        if not isinstance(before, int) or not before:
            return set_position(meant)
        if _ALL_THE_WAY.search(form):
            return set_position(replace(meant, variant="close" if before < 0 else "open"))
        closing, default = before < 0, abs(before)
    else:
        closing = (meant.variant == "close" or _LESS.search(form) is not None) and not _cracks(form)
        default = int(A_CRACK if _CRACK.search(form) else A_BIT)
    if share is not None and _TO.search(form):
        return set_position(meant)
    amount = max(1, min(round(share[0]) if share is not None else default, 100))
    placed = _placed(meant)
    arguments: dict[str, object] = {"delta": -amount if closing else amount}
    grounds = {"delta": share[1] if share is not None else form}
    if placed is None:
        return (Match(MOVE, meant.share, arguments, grounds, ("zone",), which_side(meant.locale)),)
    return tuple(meant.match(MOVE, arguments | {"zone": zone}, grounds | {"zone": ground}) for zone, ground in placed)
