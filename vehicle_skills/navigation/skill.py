"""Navigation skills: set a destination, and a charging search whose answer comes late.

Does not know how words are understood (plan.py), nor places outside the bundled gazetteer (gazetteer.py).
"""

from __future__ import annotations

from ridealong.harness.changes import Changes
from ridealong.harness.skill import Call, Motion, Outcome, Risk, Skill, Spoken, skill
from ridealong.harness.telling import concluded, refused, say
from ridealong.vehicle_skills.car import number
from ridealong.vehicle_skills.holding import Noted
from ridealong.vehicle_skills.navigation import anywhere, meant, plan
from ridealong.vehicle_skills.navigation.there import PLACE
from ridealong.vehicle_skills.signals import DESTINATION_LATITUDE, DESTINATION_LONGITUDE, DISTANCE_UNIT, LATITUDE, LONGITUDE

GROUP = "navigation"
CONFIRM_MS = 5_000
SEARCH_MS = 12_000


@skill(
    plan.SET,
    description="Set the destination of the navigation.",
    group=GROUP,
    recognise=plan.recognise_set,
    understand=meant.set_destination,
    changes=Changes(other=meant.another_place),
    doubts=anywhere.doubt,
    arguments_schema={
        "type": "object",
        "properties": {"place": {"type": "string", "description": "the destination as it was named"}},
        "required": ["place"],
        "additionalProperties": False,
    },
    examples={
        "en": ("Navigate to the nearest charging station.", "Take me to the airport.", "Set the destination to city hall."),
        "zh": ("导航到最近的充电站。", "带我去机场。", "目的地设为市政厅。"),
    },
    actuates=(DESTINATION_LATITUDE, DESTINATION_LONGITUDE),
    risk=Risk.COMFORT,
    motion=Motion.ANY,
    doing={"en": "take us there", "zh": "导航过去"},
    reads=(LATITUDE, LONGITUDE, DISTANCE_UNIT, DESTINATION_LATITUDE, DESTINATION_LONGITUDE),
    rehearsable=True,
)
async def set_destination(call: Call) -> Spoken:
    locale, read = call.locale, call.signals.read
    asked = str(call.arguments["place"])
    place = plan.place_for(call.arguments, read)
    if place is None:
        return Spoken(plan.unknown_sentence(asked, locale), Outcome.REFUSED, "unknown_place")
    name = plan.name(place, locale)
    doing = (f"navigate to {place.english}" if place.key != "home" else "navigate home", f"导航到{place.chinese}")
    verdict = call.signals.check(GROUP, call.confirmation)
    if not verdict.allowed:
        return refused(verdict.reason, *doing, locale)
    writes = plan.writes(place)
    now = (number(read, DESTINATION_LATITUDE), number(read, DESTINATION_LONGITUDE))
    if all(value is not None and abs(value - float(write.value)) < 1e-5 for value, write in zip(now, writes, strict=True)):
        return Spoken(
            say(
                f"We're already navigating to {name}." if place.key != "home" else "We're already navigating home.",
                f"已经在去{name}的路上了。",
                locale,
            )
        )
    result = await call.signals.actuate(writes, group=GROUP, confirmation=call.confirmation, confirm_within_ms=CONFIRM_MS)
    far = plan.how_far(place, read, locale)
    target = "home" if place.key == "home" else f"to {name}"
    done = say(f"Navigating {target}{far}.", f"开始导航到{name}{far}。", locale)
    asked_for = say(f"a route {target}", f"导航到{name}", locale)
    shows = say("another destination", "别的目的地", locale) if all(value is not None for value in now) else ""
    return concluded(result, done=done, asked=asked_for, shows=shows, doing_en=doing[0], doing_zh=doing[1], locale=locale)


@skill(
    plan.SEARCH,
    description="Search for the best charging station along the way.",
    group=GROUP,
    recognise=plan.recognise_search,
    understand=meant.search,
    arguments_schema={
        "type": "object",
        "properties": {"prefer": {"type": "string", "enum": ["nearest", "cheapest", "fastest"]}},
        "required": ["prefer"],
        "additionalProperties": False,
    },
    examples={
        "en": ("Find the cheapest charging station along the route.", "Search for the fastest charger nearby."),
        "zh": ("找一下沿途最便宜的充电站。", "搜索附近最快的充电桩。"),
    },
    reads=(LATITUDE, LONGITUDE, DISTANCE_UNIT),
    timeout_ms=30_000,
    rehearsable=True,
    usual_ms=SEARCH_MS,
    named=plan.search_name,
    renewable=True,
    gives=(PLACE,),
)
async def charging_search(call: Call) -> Spoken:
    """SIMULATED: waits SEARCH_MS, the stand-in for a remote search service, then looks into the bundled gazetteer."""
    prefer = str(call.arguments["prefer"])
    if plan.best_charger(prefer, call.signals.read) is not None:
        await call.clock.sleep_ms(SEARCH_MS)
    read = Noted(call.signals.read)  # from where the car is by then
    place = plan.best_charger(prefer, read)
    if place is None:
        return Spoken(plan.nowhere_sentence(call.locale), Outcome.REFUSED, "unknown_position")
    said, gives = plan.search_sentence(place, prefer, read, call.locale), plan.found(place, call.locale)
    return Spoken(said, holds=read.holds(), gives=gives)


@skill(
    plan.WHERE,
    description="Say how far a known place is.",
    group=GROUP,
    recognise=plan.recognise_where,
    changes=Changes(frames=lambda arguments, zh: ("{}有多远",) if zh else ("how far is {}",)),
    understand=meant.where_is,
    doubts=anywhere.doubt,
    arguments_schema={
        "type": "object",
        "properties": {"place": {"type": "string", "description": "the place as it was named"}},
        "required": ["place"],
        "additionalProperties": False,
    },
    examples={
        "en": ("Where is the nearest petrol station?", "How far is the airport?"),
        "zh": ("最近的加油站在哪里？", "机场有多远？"),
    },
    reads=(LATITUDE, LONGITUDE, DISTANCE_UNIT),
    timeout_ms=5_000,
    rehearsable=True,
    renewable=True,
    gives=(PLACE,),
)
async def where_is(call: Call) -> Spoken:
    read = Noted(call.signals.read)
    place = plan.place_for(call.arguments, read)
    if place is None:
        return Spoken(plan.unknown_sentence(str(call.arguments["place"]), call.locale), Outcome.REFUSED, "unknown_place")
    return Spoken(plan.where_sentence(place, read, call.locale), holds=read.holds(), gives=plan.found(place, call.locale))


SKILLS: tuple[Skill, ...] = (set_destination, charging_search, where_is)
