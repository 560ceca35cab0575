"""Navigation skills: set a destination, say where a place is, and a charging search whose answer comes late.

What is done on the way is in guidance.py. Does not know how words are understood (plan.py), nor where places are (geocoder.py).
"""

from __future__ import annotations

from ridealong.harness.changes import Changes
from ridealong.harness.skill import Call, Motion, Outcome, Risk, Skill, Spoken, skill
from ridealong.harness.telling import concluded, refused, say
from ridealong.vehicle_skills.car import number
from ridealong.vehicle_skills.holding import Noted
from ridealong.vehicle_skills.navigation import anywhere, meant, plan
from ridealong.vehicle_skills.navigation.finding import away, called, located
from ridealong.vehicle_skills.navigation.geocoder import DEMO, Geocoder
from ridealong.vehicle_skills.navigation.guidance import guidance_skills, to
from ridealong.vehicle_skills.navigation.guidance_words import ended, given_up
from ridealong.vehicle_skills.navigation.there import PLACE
from ridealong.vehicle_skills.signals import DESTINATION_LATITUDE, DESTINATION_LONGITUDE, DISTANCE_UNIT, LATITUDE, LONGITUDE

GROUP = "navigation"
CONFIRM_MS = 5_000
SEARCH_MS = 12_000


def navigation_skills(geocoder: Geocoder = DEMO) -> tuple[Skill, ...]:
    """Every navigation skill, with where places are looked up."""

    @skill(
        plan.SET,
        description="Set the destination of the navigation.",
        group=GROUP,
        recognise=plan.recognise_set,
        understand=meant.set_destination,
        changes=Changes(other=meant.another_place, undone=given_up, ended=ended),
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
        timeout_ms=20_000,
        rehearsable=geocoder.instant,
    )
    async def set_destination(call: Call) -> Spoken:
        locale, read = call.locale, call.signals.read
        place = await located(call, geocoder)
        if isinstance(place, Spoken):
            return place
        here = plan.position(read)
        name = called(place, here, locale)
        doing = (f"navigate to {name}" if place.key != "home" else "navigate home", f"导航到{called(place, here, 'zh')}")
        verdict = call.signals.check(GROUP, call.confirmation)
        if not verdict.allowed:
            return refused(verdict.reason, *doing, locale)
        writes = to(place.latitude, place.longitude)
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
        far = away(place, here, read, locale)
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
        timeout_ms=20_000,
        rehearsable=geocoder.instant,
        renewable=geocoder.instant,
        gives=(PLACE,),
    )
    async def where_is(call: Call) -> Spoken:
        read = Noted(call.signals.read)
        place = await located(call, geocoder)
        if isinstance(place, Spoken):
            return place
        said = plan.where_sentence(place, called(place, plan.position(read), call.locale), read, call.locale)
        return Spoken(said, holds=read.holds(), gives={PLACE: place.name(call.locale)})

    return (set_destination, charging_search, where_is, *guidance_skills(geocoder))
