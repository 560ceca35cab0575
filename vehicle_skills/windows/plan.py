"""Windows: words -> a zone and a position (0 closed, 100 open) -> writes. Pure.

An opening without an amount is all the way; "a bit" is 20 percent. "Close it a third" leaves two thirds of the way open.
Does not know the policy, nor whether somebody's hand is in the window (the body controller's anti-pinch does).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ridealong.harness.reading import Reading
from ridealong.harness.skill import Context, Match
from ridealong.harness.slots import render
from ridealong.harness.slots.percent import A_CRACK, Percent, find_percent
from ridealong.harness.slots.zone import SEATS, ZONES, find_zone, is_plural, zone_name
from ridealong.proto.types import Precondition, SignalWrite
from ridealong.vehicle_skills.car import (
    Read,
    asks,
    drive_side,
    integer,
    is_recent,
    number,
    recent_argument,
    which_side,
    zone_argument,
)
from ridealong.vehicle_skills.signals import window_position

SET, MOVE = "windows.set_position", "windows.move"
NEAR = 3
"""Positions this near count as the same; but closed is the closed end, and nothing else."""


def same(seen: float, position: float) -> bool:
    """A window that is open by one percent is not closed."""
    return seen == position if 0 in (seen, position) else abs(seen - position) <= NEAR


_WINDOW_EN = r"windows?|window pane|glass"
_WINDOW_ZH = r"车?窗户?子?|车?玻璃|窗"
_OPEN_EN = r"open|lower|roll (?:it |them )?down|wind (?:it |them )?down|put (?:it |them )?down|let down|drop|bring (?:it |them )?down|pull (?:it |them )?down|crack(?: open)?|slide (?:it )?down|get (?:it )?down|unroll|pop"
_CLOSE_EN = r"close|shut|raise|roll (?:it |them )?up|wind (?:it |them )?up|put (?:it |them )?up|bring (?:it |them )?up|pull (?:it |them )?up|slide (?:it )?up"
_OPEN_ZH = r"打开|开启|摇下来?|降下来?|放下来?|落下来?|降到|降|开到|开"
_CLOSE_ZH = r"关闭|关上|关好|关掉|关紧|升起来?|升上去?|摇上去?|摇起来?|关到|关|合上"
_OTHER_EN = r"door|doors|boot|trunk|sunroof|tab|browser|shop|temperature|degrees|rear window (?:defrost|heat)\w*|defrost\w*|defog\w*|heated|blinds?|curtains?"
_OTHER_ZH = r"天窗|除雾|除霜|加热|后备|车门|窗帘|橱窗|窗口|雨刷|雨刮|风挡|挡风|灯|双闪|远光|近光"


@dataclass(frozen=True, slots=True)
class Wish:
    """`position` absolute, or `delta` against what is now."""

    position: int | None
    delta: int | None
    ground: str


def recognise(text: str, locale: str, context: Context) -> Match | None:
    """Both skills share one recogniser; each keeps its own kind."""
    reading = Reading(text, locale)
    recent = is_recent(context, "windows.")
    if reading.frame.correction is not None:
        reading.core = reading.frame.correction
    if reading.has(_OTHER_ZH if reading.zh else _OTHER_EN):
        return None
    window = reading.take(_WINDOW_ZH if reading.zh else _WINDOW_EN)
    if window is None and not recent:
        return None
    zone_said = find_zone(reading.core, reading.locale)
    percent = find_percent(reading.core, reading.locale)
    wish = _wish(reading, percent, context, recent)
    if wish is None:
        return None
    reading.slot(zone_said)
    reading.slot(percent)
    base = _base(
        reading, window is not None, zone_said is not None, percent is not None, recent, asks(context, SET) or asks(context, MOVE)
    )
    if base == 0.0:
        return None
    plural = window is not None and (window.group() == "windows" or "都" in reading.core)
    inherited = (
        recent_argument(context, "windows.", "zone")
        if zone_said is None and (window is None or reading.frame.correction)
        else None
    )
    if inherited is not None:
        zone: tuple[str, str] | None = (str(inherited), "context:recent")
    elif plural and zone_said is None:
        zone = ("all", window.group() if window is not None else "default:all")
    elif (
        zone_said is not None
        and plural
        and zone_said.row == 1
        and zone_said.side.value in ("left", "right", "driver", "passenger")
    ):
        zone = zone_argument(type(zone_said)(0, zone_said.side, zone_said.words, zone_said.span), context, "all")
    else:
        zone = zone_argument(zone_said, context, "row1.passenger" if context.provenance.value == "passenger" else "row1.driver")
    capability = SET if wish.position is not None else MOVE
    value_name, value = ("position", wish.position) if wish.position is not None else ("delta", wish.delta)
    assert value is not None
    if wish.position == 100 and percent is None and _amount_not_understood(reading):
        return Match(
            SET, reading.score(base), missing=("position",), question="要开多少？" if reading.zh else "How far should I open it?"
        )
    arguments: dict[str, object] = {value_name: value}
    grounds = {value_name: wish.ground}
    if zone is None:
        return Match(capability, reading.score(base), arguments, grounds, ("zone",), which_side(reading.locale))
    return Match(capability, reading.score(base), arguments | {"zone": zone[0]}, grounds | {"zone": zone[1]})


_AMOUNT_ZH = re.compile(r"[\d一二两三四五六七八九十百]+ ?分|分之?|[\d%]")
_AMOUNT_EN = re.compile(r"\d|percent|per cent|third|quarter|tenth|half|way|inch|centimet")


def _amount_not_understood(reading: Reading) -> bool:
    """Words are left that look like an amount, or stand where one stands: all the way open would be a guess."""
    left = "".join(reading.unexplained()) if reading.zh else " ".join(reading.unexplained())
    return (_AMOUNT_ZH if reading.zh else _AMOUNT_EN).search(left) is not None


def recognise_set(text: str, locale: str, context: Context) -> Match | None:
    match = recognise(text, locale, context)
    return match if match is not None and match.capability == SET else None


def recognise_move(text: str, locale: str, context: Context) -> Match | None:
    match = recognise(text, locale, context)
    return match if match is not None and match.capability == MOVE else None


def _wish(reading: Reading, percent: Percent | None, context: Context, recent: bool) -> Wish | None:
    core = reading.core
    zh = reading.zh
    opening = reading.take(_OPEN_ZH if zh else _OPEN_EN)
    closing = reading.take(_CLOSE_ZH if zh else _CLOSE_EN)
    down = up = None
    if not zh:
        down, up = reading.take("down|open"), reading.take("up|closed|shut")
    further = reading.take(r"再|更" if zh else r"more|further|another|wider|less")
    reading.take(
        r"到|至|成|调到|设为|设到|设置为|调|全部|都"
        if zh
        else r"to|by|set|move|make|put|roll|wind|bring|have|get|position|way|it|them|lower|need|pull|leave|give|slide|vent|crack|change|halfway|of|through"
    )
    opens = opening is not None or (down is not None and closing is None)
    closes = (closing is not None or up is not None) and not (opening is not None)
    share = percent.value if percent is not None else None
    cracked = not zh and re.search(r"\bcrack\b", core) is not None and share is None
    if cracked:
        return Wish(int(A_CRACK), None, "crack")
    if further is not None and (opens or closes or recent):
        amount = round(share) if share is not None else 20
        amount = max(1, min(amount, 100))
        if further.group() == "less":
            closes = True
        ground = percent.words if percent is not None else further.group()
        return Wish(None, -amount if closes else amount, ground)
    if closes:
        if share is None or percent is not None and percent.value == 100:
            return Wish(0, None, closing.group() if closing is not None else up.group() if up is not None else "close")
        assert percent is not None
        if percent.vague:
            return Wish(None, -round(percent.value), percent.words)
        to = re.search(r"到|至|成" if zh else r"\bto (?:\w+ )?$", core[: percent.span[0]])
        return Wish(round(percent.value if to else 100 - percent.value), None, percent.words)
    if share is not None and percent is not None:
        if opens or re.search(_WINDOW_ZH if zh else _WINDOW_EN, core) or recent:
            return Wish(round(share), None, percent.words)
        return None
    if opens:
        ground = opening.group() if opening is not None else down.group() if down is not None else ""
        return Wish(100, None, ground)
    if recent and (reading.frame.correction is not None or asks(context, SET)):
        before = recent_argument(context, "windows.", "position")
        if isinstance(before, int) and find_zone(core, reading.locale) is not None:
            return Wish(before, None, "context:recent")
    return None


_START_EN = (
    rf"(?:{_OPEN_EN}|{_CLOSE_EN}|roll|wind|put|bring|set|move|make|have|get|slide|pull|leave|half open|vent|crack|give|change|lower|raise|all|both|every|"
    r"the|my|driver|passenger|rear|front|back|left|right|windows?|it|them|up|down|half|halfway|a|need|little|bit|just)\b"
)


def _base(reading: Reading, window: bool, zone: bool, percent: bool, recent: bool, context_asks: bool) -> float:
    core = reading.core
    if reading.zh:
        verb = re.search(rf"{_OPEN_ZH}|{_CLOSE_ZH}|调到|设为|设到|调", core) is not None
        if window:
            return 0.95 if verb else 0.8 if percent else 0.0
        return 0.85 if recent and (reading.frame.correction is not None or context_asks or percent or verb) else 0.0
    verb = (
        re.match(
            rf"(?:{_OPEN_EN}|{_CLOSE_EN}|roll|wind|put|bring|set|move|make|have|get|slide|pull|half open|vent|crack|give|change|need)\b",
            core,
        )
        is not None
    )
    if window:
        if verb:
            return 0.95
        return 0.8 if re.match(_START_EN, core) and (percent or reading.has("up|down|open|closed|shut")) else 0.0
    if recent and (reading.frame.correction is not None or context_asks):
        return 0.9
    # without the word "window": only what can follow a window request ("a bit more", "close it again", "halfway")
    if recent and len(core.split()) <= 6 and (percent or (verb and reading.has("it|them|that|the other|one|more|further"))):
        return 0.8
    return 0.0


# --- arguments + state -> writes and words -----------------------------------------------------------------------------


def paths(zone: str) -> tuple[str, ...]:
    return tuple(window_position(f"Row{row}", f"{role.capitalize()}Side") for row, role in SEATS[zone])


def set_writes(arguments: Mapping[str, object]) -> tuple[SignalWrite, ...]:
    return tuple(SignalWrite(path, integer(arguments, "position")) for path in paths(str(arguments["zone"])))


def moved_position(arguments: Mapping[str, object], read: Read) -> int | None:
    """Where the windows of the zone will be; None when the present position of one is unknown. The most open one leads."""
    now = [number(read, path) for path in paths(str(arguments["zone"]))]
    known = [value for value in now if value is not None]
    if len(known) < len(now):
        return None
    return int(min(max(round(max(known)) + integer(arguments, "delta"), 0), 100))


def no_closer(arguments: Mapping[str, object], position: int) -> tuple[Precondition, ...]:
    """For "open it a bit more": where a window has come to be open further than we would set it, the car must not close it for us."""
    if integer(arguments, "delta") <= 0:
        return ()
    return tuple(Precondition(path, at_most=float(position + NEAR)) for path in paths(str(arguments["zone"])))


def name(zone: str, locale: str, read: Read) -> str:
    return zone_name(zone, "车窗" if locale.startswith("zh") else "window", locale, drive_side(read))


def state_sentence(zone: str, position: float, locale: str, read: Read, *, already: bool = False) -> str:
    thing = name(zone, locale, read)
    state = render.opening(position, locale)
    if locale.startswith("zh"):
        state = {"关着": "关好了" if not already else "关着", "全开": "全部打开了" if not already else "全开"}.get(state, state)
        return f"{thing}{'已经' if already else '现在'}{state}。" if already else f"{thing}{state}。"
    verb = "are" if is_plural(zone) else "is"
    return f"{thing[0].upper()}{thing[1:]} {verb} {'already' if already else 'now'} {state}."


def halted_sentence(zone: str, positions: Sequence[float | None], locale: str, read: Read) -> str:
    """Stopped on the way; where they stand, if that is one place."""
    thing = name(zone, locale, read)
    known = [position for position in positions if position is not None]
    where = render.percent(known[0], locale) if known and len(known) == len(positions) and max(known) - min(known) <= NEAR else ""
    if locale.startswith("zh"):
        return f"我让{thing}停在了{where}。" if where else f"我让{thing}停下了。"
    return f"I've stopped {thing} at {where}." if where else f"I've stopped {thing}."


def opened_meanwhile_sentence(zone: str, locale: str, read: Read) -> str:
    """For `no_closer` where it did not hold, or could not be judged."""
    thing = name(zone, locale, read)
    if locale.startswith("zh"):
        return f"我不能确定现在开了多大，所以没有把{thing}再开大。"
    return f"I didn't open {thing} further: I can't be sure how far {'they are' if is_plural(zone) else 'it is'} open by now."


def doing(zone: str, position: int, locale_free_read: Read) -> tuple[str, str]:
    """ "open the rear left window" in both languages."""
    english, chinese = name(zone, "en", locale_free_read), name(zone, "zh", locale_free_read)
    return (f"close {english}", f"关闭{chinese}") if position == 0 else (f"open {english}", f"打开{chinese}")


__all__ = ["ZONES"]
