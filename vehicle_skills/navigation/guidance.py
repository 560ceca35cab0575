"""Navigation on the way: end it, go by way of a place first, how far it still is.

VSS 6 has no leaf that ends a guidance: the destination is set to where the car is, both leaves in one batch, and that is what is said. Nor has it stops on a
route: the stop becomes the destination, and the former one is told, to be named again. Without a route, how far it is is a straight line.
Does not know how words are understood (guidance_words.py), or where places are (geocoder.py).
"""

from __future__ import annotations

from typing import Final

from ridealong.harness.skill import Call, Motion, Outcome, Risk, Skill, Spoken, skill
from ridealong.harness.slots import render
from ridealong.harness.telling import concluded, refused, say
from ridealong.harness.whereabouts import distance_km
from ridealong.proto.types import SignalWrite
from ridealong.vehicle_skills.car import Read, number, text
from ridealong.vehicle_skills.holding import Noted
from ridealong.vehicle_skills.navigation import guidance_words as words
from ridealong.vehicle_skills.navigation.finding import away, called, located
from ridealong.vehicle_skills.navigation.geocoder import DEMO, Geocoder, Position, sane
from ridealong.vehicle_skills.navigation.plan import position
from ridealong.vehicle_skills.signals import (
    DESTINATION_LATITUDE,
    DESTINATION_LONGITUDE,
    DISTANCE_UNIT,
    LATITUDE,
    LONGITUDE,
    SPEED,
)

GROUP: Final = "navigation"
CONFIRM_MS: Final = 5_000
THERE_KM: Final = 0.05
"""Nearer than this the destination is where we are."""
MOVING_KMH: Final = 5.0
_BOTH: Final = (DESTINATION_LATITUDE, DESTINATION_LONGITUDE)


def destination(read: Read) -> Position | None:
    """None where none is set. 0, 0 is a car that never had one."""
    latitude, longitude = (number(read, path) for path in _BOTH)
    if latitude is None or longitude is None or (latitude == 0 and longitude == 0) or not sane(latitude, longitude):
        return None
    return latitude, longitude


def to(latitude: float, longitude: float) -> tuple[SignalWrite, ...]:
    """Both leaves, always together."""
    return SignalWrite(DESTINATION_LATITUDE, latitude), SignalWrite(DESTINATION_LONGITUDE, longitude)


def guidance_skills(geocoder: Geocoder = DEMO) -> tuple[Skill, ...]:
    def name_of(there: Position, locale: str) -> str:
        place = geocoder.named(*there)
        return "" if place is None else place.chinese if locale.startswith("zh") else place.english

    @skill(
        words.STOP,
        description="End the guidance.",
        group=GROUP,
        recognise=words.recognise_stop,
        understand=words.stop,
        arguments_schema={"type": "object", "properties": {}, "required": [], "additionalProperties": False},
        examples={
            "en": ("Stop the navigation.", "Cancel the route.", "Clear the destination."),
            "zh": ("停止导航。", "取消路线。", "把导航关掉。"),
        },
        actuates=_BOTH,
        risk=Risk.COMFORT,
        motion=Motion.ANY,
        doing={"en": "end the guidance", "zh": "结束导航"},
        reads=(*_BOTH, LATITUDE, LONGITUDE),
        rehearsable=True,
    )
    async def stop(call: Call) -> Spoken:
        locale, read = call.locale, call.signals.read
        doing = ("end the guidance", "结束导航")
        verdict = call.signals.check(GROUP, call.confirmation)
        if not verdict.allowed:
            return refused(verdict.reason, *doing, locale)
        there, here = destination(read), position(read)
        if there is None and all(number(read, path) is not None for path in _BOTH):
            return Spoken(say("No destination is set.", "没有设置目的地。", locale))
        if here is None:
            return Spoken(
                say(
                    "I can't end the guidance: I'd set the destination to where we are, and I don't know where that is.",
                    "我不知道我们在哪里，没法把目的地设成现在的位置，所以结束不了导航。",
                    locale,
                ),
                Outcome.REFUSED,
                "unknown_position",
            )
        if there is not None and distance_km(*there, *here) < THERE_KM:
            return Spoken(say("The destination is already where we are.", "目的地已经是我们现在的位置了。", locale))
        result = await call.signals.actuate(to(*here), group=GROUP, confirmation=call.confirmation, confirm_within_ms=CONFIRM_MS)
        return concluded(
            result,
            done=say(
                "I've set the destination to where we are now: the car has no other way to end the guidance.",
                "目的地已设成我们现在的位置，这辆车没有别的办法结束导航。",
                locale,
            ),
            asked=say("the destination to be where we are", "把目的地设成现在的位置", locale),
            shows=say("another destination", "别的目的地", locale) if destination(read) is not None else "",
            doing_en=doing[0],
            doing_zh=doing[1],
            locale=locale,
        )

    @skill(
        words.ADD_STOP,
        description="Go by way of a place first.",
        group=GROUP,
        recognise=words.recognise_add_stop,
        understand=words.add_stop,
        changes=words.OTHER_STOP,
        arguments_schema={
            "type": "object",
            "properties": {"place": {"type": "string", "description": "the stop as it was named"}},
            "required": ["place"],
            "additionalProperties": False,
        },
        examples={
            "en": ("Add a stop at the pharmacy.", "Stop at the supermarket on the way.", "Go via the city hall."),
            "zh": ("路上加个加油站。", "途中去一下药店。", "顺路去趟超市。"),
        },
        actuates=_BOTH,
        risk=Risk.COMFORT,
        motion=Motion.ANY,
        doing={"en": "go there first", "zh": "先去那里"},
        reads=(*_BOTH, LATITUDE, LONGITUDE, DISTANCE_UNIT),
        timeout_ms=20_000,
        rehearsable=geocoder.instant,
    )
    async def add_stop(call: Call) -> Spoken:
        locale, read = call.locale, call.signals.read
        verdict = call.signals.check(GROUP, call.confirmation)
        if not verdict.allowed:
            return refused(verdict.reason, "go there first", "先去那里", locale)
        place = await located(call, geocoder)
        if isinstance(place, Spoken):
            return place
        here, before = position(read), destination(read)
        name, far = called(place, here, locale), away(place, here, read, locale)
        if before is not None and place.km_from(before) < THERE_KM:
            return Spoken(say(f"We're already navigating to {name}.", f"已经在去{name}的路上了。", locale))
        result = await call.signals.actuate(
            to(place.latitude, place.longitude), group=GROUP, confirmation=call.confirmation, confirm_within_ms=CONFIRM_MS
        )
        return concluded(
            result,
            done=_stop_sentence(name, far, before, name_of(before, locale) if before is not None else "", locale),
            asked=say(f"a route to {name}", f"导航到{name}", locale),
            shows=say("another destination", "别的目的地", locale) if destination(read) is not None else "",
            doing_en=f"go to {name} first",
            doing_zh=f"先去{name}",
            locale=locale,
        )

    @skill(
        words.ETA,
        description="How far it still is, and when we may arrive.",
        group=GROUP,
        recognise=words.recognise_eta,
        understand=words.eta,
        arguments_schema={"type": "object", "properties": {}, "required": [], "additionalProperties": False},
        examples={
            "en": ("When do we get there?", "How far is it still?", "Are we nearly there?"),
            "zh": ("还有多久到？", "离目的地还有多远？", "几点能到？"),
        },
        reads=(*_BOTH, LATITUDE, LONGITUDE, DISTANCE_UNIT, SPEED),
        timeout_ms=5_000,
        rehearsable=True,
        renewable=True,
    )
    async def eta(call: Call) -> Spoken:
        verdict = call.signals.check("status", call.confirmation)
        if not verdict.allowed:
            return refused(verdict.reason, "read that", "读取这个信息", call.locale)
        read = Noted(call.signals.read)
        there = destination(read)
        name = name_of(there, call.locale) if there is not None else ""
        # How fast we are just now is said as such: an answer is no less so for another speed a moment later.
        return Spoken(eta_sentence(read, there, name, number(call.signals.read, SPEED), call.locale), holds=read.holds())

    return stop, add_stop, eta


def _stop_sentence(name: str, far: str, before: Position | None, former: str, locale: str) -> str:
    done = say(f"Navigating to {name} first{far}.", f"先导航到{name}{far}。", locale)
    if before is None:
        return say(f"Navigating to {name}{far}.", f"开始导航到{name}{far}。", locale)
    if not former:
        return done + say(
            " It takes the place of where we were going, for which I have no name: tell me again later.",
            "它替换了原来的目的地，那里我叫不出名字，之后请再告诉我一次。",
            locale,
        )
    return done + say(f" Say “go on to {former}” when you want to continue.", f"要接着走的时候，请说“继续去{former}”。", locale)


def eta_sentence(read: Read, there: Position | None, name: str, speed_kmh: float | None, locale: str) -> str:
    """As the crow flies, since there is no route: a drive is longer."""
    here = position(read)
    if there is None:
        return say("No destination is set.", "没有设置目的地。", locale)
    if here is None:
        return say("I don't know where we are, so I can't say how far it is.", "我不知道我们在哪里，说不出还有多远。", locale)
    km = distance_km(*here, *there)
    if km < THERE_KM:
        return say("We're there.", "我们已经到了。", locale)
    far = render.distance(km, locale, text(read, DISTANCE_UNIT) or "KILOMETERS")
    goal_en, goal_zh = (name[0].upper() + name[1:], name) if name else ("The destination", "目的地")
    told = say(
        f"{goal_en} is {far} away as the crow flies; I have no route.", f"到{goal_zh}直线还有{far}，我没有路线数据。", locale
    )
    if speed_kmh is None or speed_kmh < MOVING_KMH:
        return told
    minutes = max(round(60 * km / speed_kmh), 1)
    return told + say(
        f" At the speed we're doing that is {_duration(minutes, locale)} at the least.",
        f"按现在的车速至少要{_duration(minutes, locale)}。",
        locale,
    )


def _duration(minutes: int, locale: str) -> str:
    hours, rest = divmod(minutes, 60)
    if locale.startswith("zh"):
        return (f"{hours}小时" if hours else "") + (f"{rest}分钟" if rest or not hours else "")
    parts = [f"{count} {unit}{'' if count == 1 else 's'}" for count, unit in ((hours, "hour"), (rest, "minute")) if count]
    return " and ".join(parts)


__all__ = ["destination", "eta_sentence", "guidance_skills", "to"]
