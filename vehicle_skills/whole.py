"""What the whole sentence says of calls in the car that were found in a part of it. Pure.

    "close the windows but leave mine open"        without the place that it excludes
    "the front and rear defroster"                 both of them
    "close the window and open it again"           one after the other

Does not know how the calls were found.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from ridealong.harness.follow_about import corrects
from ridealong.harness.skill import Context, Match
from ridealong.harness.slots.temperature import find_temperatures
from ridealong.harness.slots.text import has_chinese, language, plain
from ridealong.harness.slots.zone import SEATS
from ridealong.harness.slots.zones import LeftOut, cover, left_out
from ridealong.vehicle_skills.car import drive_side, speaker, which_side, without
from ridealong.vehicle_skills.windows.plan import SET

# --- places ------------------------------------------------------------------------------------------------------------


_KEEPS: Final = re.compile(r"\b(?:keep|leave)\b|留着|保持")


def but_for(calls: Sequence[Match], text: str, locale: str, context: Context, everywhere: str = "all") -> Sequence[Match]:
    """Without the places that are left out. Where a call is about no others, the rest is meant."""
    if corrects(text, locale):
        return calls
    out = left_out(text, locale, drive_side(context.read), speaker(context))
    if out is None or _of_windows(out.ahead) is (everywhere != "all"):
        return calls
    if not out.certain:
        return [without(call, "zone", which_side(locale)) if call.arguments.get("zone") in SEATS else call for call in calls]
    others = any(set(SEATS.get(str(call.arguments.get("zone")), ())) - out.seats for call in calls)
    rest = [one for call in calls for one in _rest(call, out, "" if others else everywhere)]
    # "keep mine open and close the rest": what is kept is no wish for the others
    return list({one.arguments.get("zone"): one for one in rest}.values()) if _KEEPS.search(plain(text, locale)) else rest


def _of_windows(ahead: str) -> bool | None:
    """Whether the exception belongs to windows or to a temperature, by what was spoken of last; None where neither was."""
    window = max((found.end() for found in re.finditer(r"\bwindows?\b|窗|玻璃", ahead)), default=-1)
    warmth = max((found.span[1] for found in find_temperatures(ahead, "zh" if has_chinese(ahead) else "en")), default=-1)
    return None if window == warmth else window > warmth


def _rest(call: Match, out: LeftOut, everywhere: str) -> Iterator[Match]:
    """`everywhere`: where the rest is, for a call about what is left out alone; "" where there are other calls: "keep mine open, close the rest"."""
    zone = call.arguments.get("zone")
    if not isinstance(zone, str) or not set(SEATS[zone]) & out.seats:
        yield call
        return
    seats = (set(SEATS[zone]) - out.seats) or (set(SEATS.get(everywhere, ())) - out.seats)
    for name in cover(seats):
        yield replace(call, arguments={**call.arguments, "zone": name}, grounds={**call.grounds, "zone": out.words})


def temperature(calls: Sequence[Match], text: str, locale: str, context: Context) -> Sequence[Match]:
    return but_for(calls, text, locale, context, everywhere="row1")


# --- one after the other -----------------------------------------------------------------------------------------------

_FIRST_EN: Final = r"(?P<first>open|close|shut)\b(?P<between>(?: (?!not\b|no\b|but\b|and\b|then\b)\w+){0,6}?)"
_AND_EN: Final = r"(?: for \w+(?: \w+)?)? (?:and then|and|then)(?: straight| immediately| right)?(?: away| after)?"
_SHUTS_EN: Final = re.compile(
    rf"\b{_FIRST_EN}{_AND_EN} (?P<second>open|close|shut)\b(?P<what> (?:it|them|both|all|my windows?|the windows?|mine))?(?: (?:back|right|all))?(?: (?:up|down|again))*(?: please)?$"
)
_SHUTS_ZH: Final = re.compile(
    r"(?:先)?(?P<first>打开|关上|关闭|关掉|[开关降升])[^,.开关升降不别]{0,8}[,.]?(?:然后|接着|之后|马上)?(?:再|又|并且?|就)(?:把?它们?|把?车?窗户?)?(?:重新)?(?P<second>打开|关上|关闭|关掉|[开关降升])(?:起来|上|下来|了|吧|一下|回去|回来|它)*$"
)
_SWITCHES_EN: Final = re.compile(
    r"\b(?:turn|switch)\b(?: \w+){0,4}? (?P<first>on|off)(?: \w+){0,3}? (?:and|then|and then) (?:(?:turn|switch) (?:it )?)?(?:back |right )?(?P<second>on|off)(?: again| please)*$"
)


_A_BIT: Final = re.compile(r"[点些稍%]|\b(?:bit|little|touch|crack|slightly|inch)\b|\d|百分")


def _both_ways(form: str, zh: bool) -> tuple[bool, bool] | None:
    """Opened or switched on? First, then."""
    for pattern in (_SHUTS_ZH,) if zh else (_SHUTS_EN, _SWITCHES_EN):
        found = pattern.search(form)
        if found is None or _another_thing(found):
            continue
        first, second = (said in ("open", "on") or said[0] in "打开降" for said in (found["first"], found["second"]))
        if first != second:
            return first, second
    return None


def _another_thing(found: re.Match[str]) -> bool:
    """ "Close the vents and open my window": the second is named, and the first is not that."""
    said = found.groupdict()
    between = said.get("between") or ""
    return bool(between.strip()) and "window" in (said.get("what") or "") and "window" not in between


def _in_turn(
    calls: Sequence[Match], text: str, locale: str, name: str, value: Callable[[bool], object]
) -> Sequence[Match] | None:
    """The one thing that the calls are about, the one way and then the other; None where that is not asked for."""
    zh, form = language(text, locale) == "zh", plain(text, locale)
    about = {tuple(sorted((key, str(said)) for key, said in call.arguments.items() if key != name)) for call in calls}
    ways = _both_ways(form, zh)
    if ways is None or len(about) != 1 or corrects(text, locale):
        return None
    one = replace(calls[0], after=(), behind=())
    first, second = (
        replace(one, arguments={**one.arguments, name: value(way)}, grounds={**one.grounds, name: form}) for way in ways
    )
    return first, replace(second, behind=(0,))


def windows(calls: Sequence[Match], text: str, locale: str, context: Context) -> Sequence[Match]:
    meant = but_for(calls, text, locale, context)
    if meant != calls or any(call.missing or call.arguments.get("position") not in (0, 100) for call in calls):
        return meant
    return _in_turn(calls, text, locale, "position", lambda opened: 100 if opened else 0) or calls


def moves(calls: Sequence[Match], text: str, locale: str, context: Context) -> Sequence[Match]:
    """关上车窗再打开 opens it again, and not "a bit more"."""
    meant = but_for(calls, text, locale, context)
    if meant != calls or any(call.missing for call in calls) or _A_BIT.search(plain(text, locale)):
        return meant
    kept = [
        replace(
            call,
            capability=SET,
            arguments={"zone": call.arguments["zone"], "position": 0},
            grounds={"zone": call.grounds["zone"], "position": ""},
        )
        for call in calls
    ]
    return _in_turn(kept, text, locale, "position", lambda opened: 100 if opened else 0) or calls


# --- several things ----------------------------------------------------------------------------------------------------

_BOTH_DEFROSTERS_EN: Final = re.compile(
    r"\b(?:front and (?:the )?(?:rear|back)|(?:rear|back) and (?:the )?front)\b|\bboth(?: of)?(?: the)? (?:\w+ )?(?:defrost|demist|defog)\w*|\bdefrosters\b"
)
_BOTH_DEFROSTERS_ZH: Final = re.compile(r"前(?:窗|面|挡|风挡)?(?:和|跟|、|与)?后(?:窗|面|挡|风挡)?的?(?:都|除)|前后|两个除")


def switches(calls: Sequence[Match], text: str, locale: str, context: Context) -> Sequence[Match]:
    zh, form = language(text, locale) == "zh", plain(text, locale)
    things = [str(call.arguments.get("thing")) for call in calls]
    defrosters = [call for call, thing in zip(calls, things, strict=True) if thing.endswith("defroster")]
    if len(calls) == 1 and defrosters and (_BOTH_DEFROSTERS_ZH if zh else _BOTH_DEFROSTERS_EN).search(form):
        both = ("front_defroster", "rear_defroster")
        return [
            replace(calls[0], arguments={**calls[0].arguments, "thing": one}, grounds={**calls[0].grounds, "thing": form})
            for one in both
        ]
    return _in_turn(calls, text, locale, "on", bool) or calls
