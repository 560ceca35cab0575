"""More climate skills: where the air blows, and one temperature for both sides.

Speaks only of what the car reported. Does not know how words are understood (air.py, sync.py).
"""

from __future__ import annotations

from ridealong.harness.skill import Call, Motion, Risk, Skill, Spoken, skill
from ridealong.harness.telling import ask, say
from ridealong.proto.types import ActuationResult
from ridealong.vehicle_skills.act import Wish, act, seen, seen_number
from ridealong.vehicle_skills.car import number
from ridealong.vehicle_skills.climate import air, sync
from ridealong.vehicle_skills.signals import TEMPERATURE_UNIT

GROUP = "climate"
AIR = "Vehicle.Cabin.HVAC.Station.Row1.*.AirDistribution"


@skill(
    air.SET_AIR,
    description="Where the air blows.",
    group=GROUP,
    recognise=air.recognise,
    understand=air.understand,
    changes=air.CHANGES,
    arguments_schema={
        "type": "object",
        "properties": {
            "where": {"type": "string", "enum": list(air.DIRECTIONS)},
            "zone": {"type": "string", "enum": list(air.ZONES)},
        },
        "required": ["where", "zone"],
        "additionalProperties": False,
    },
    examples={
        "en": ("Blow the air at my feet.", "Point the vents at the windscreen.", "Air to the face."),
        "zh": ("空调吹脚。", "让风吹挡风玻璃。", "出风改成吹脸。"),
    },
    actuates=(AIR,),
    reads=(AIR,),
    risk=Risk.COMFORT,
    motion=Motion.ANY,
    doing={"en": "change where the air blows", "zh": "调风向"},
    rehearsable=True,
)
async def set_air(call: Call) -> Spoken:
    where, zone, read, locale = str(call.arguments["where"]), str(call.arguments["zone"]), call.signals.read, call.locale
    path = air.paths(zone)[0]
    wish = Wish(
        writes=air.writes(where, zone),
        doing=air.doing(where),
        asked=say(f"the air {air.state(air.DIRECTIONS[where], 'en')}", f"吹{air.state(air.DIRECTIONS[where], 'zh')}", locale),
        done=lambda result: air.sentence(seen(result, path, read), zone, locale),
        shows=lambda result: air.state(seen(result, path, read), locale),
        already=air.sentence(air.DIRECTIONS[where], zone, locale, already=True) if air.is_so(where, zone, read) else "",
    )
    return await act(call, GROUP, wish)


@skill(
    sync.SYNC,
    description="Give the passenger's side the driver's temperature.",
    group=GROUP,
    recognise=sync.recognise,
    understand=sync.understand,
    changes=sync.CHANGES,
    arguments_schema={"type": "object", "properties": {}, "required": [], "additionalProperties": False},
    examples={"en": ("Sync the climate zones.", "Synchronise both sides."), "zh": ("空调同步。", "同步左右空调。")},
    actuates=(sync.PASSENGER,),
    reads=(sync.DRIVER, sync.PASSENGER, TEMPERATURE_UNIT),
    risk=Risk.COMFORT,
    motion=Motion.ANY,
    doing={"en": "sync the temperatures", "zh": "同步温度"},
    rehearsable=True,
)
async def sync_zones(call: Call) -> Spoken:
    read, locale = call.signals.read, call.locale
    driver = number(read, sync.DRIVER)
    if driver is None:
        return ask(
            "I don't know what the driver's side is set to. What temperature would you like on both sides?", "我不知道主驾设的是多少度。两边要调到几度？", locale, "unknown_setting"
        )  # fmt: skip

    def passenger(result: ActuationResult) -> float | None:
        return seen_number(result, sync.PASSENGER, read)

    wish = Wish(
        writes=sync.writes(driver),
        doing=("sync the temperatures", "同步两边温度"),
        asked=say(f"{sync.degrees(driver, 'en', read)} on both sides", f"两边都是{sync.degrees(driver, 'zh', read)}", locale),
        done=lambda result: sync.sentence(value if (value := passenger(result)) is not None else driver, locale, read),
        shows=lambda result: sync.degrees(value, locale, read) if (value := passenger(result)) is not None else "",
        already=sync.sentence(driver, locale, read, already=True) if sync.is_so(read) else "",
    )
    return await act(call, GROUP, wish)


SKILLS: tuple[Skill, ...] = (set_air, sync_zones)
