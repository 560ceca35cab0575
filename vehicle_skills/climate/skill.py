"""Climate skills: set or change the cabin temperature, the fan, air conditioning, recirculation and defrosters.

Speaks only of values that the car reported. Does not know how words are understood or values planned (plan.py, effects.py).
"""

from __future__ import annotations

from ridealong.harness.lasting import until_told
from ridealong.harness.skill import Call, Motion, Risk, Skill, Spoken, skill
from ridealong.harness.slots import render
from ridealong.harness.telling import ask, concluded, refused, say
from ridealong.proto.types import SignalWrite
from ridealong.vehicle_skills import unused, whole
from ridealong.vehicle_skills.bare_thing import also_plain
from ridealong.vehicle_skills.car import flag, number, observed, temperature_unit
from ridealong.vehicle_skills.climate import bare, changes, doubts, effects, meant, plan
from ridealong.vehicle_skills.climate.which_way import as_felt
from ridealong.vehicle_skills.on_or_off import answered
from ridealong.vehicle_skills.signals import TEMPERATURE_UNIT, fan_speed

GROUP = "climate"
TEMPERATURES = "Vehicle.Cabin.HVAC.Station.Row1.*.Temperature"
CONFIRM_MS = 5_000


@skill(
    plan.SET,
    description="Set the cabin temperature to a value.",
    group=GROUP,
    recognise=bare.recognise,
    understand=meant.set_temperature,
    changes=changes.TARGET,
    whole=whole.temperature,
    doubts=also_plain(doubts.doubt),
    unused=unused.target_unused,
    arguments_schema={
        "type": "object",
        "properties": {
            "target": {"type": "number", "minimum": 14, "maximum": 30, "description": "degrees Celsius"},
            "zone": {"type": "string", "enum": list(plan.ZONES)},
        },
        "required": ["target", "zone"],
        "additionalProperties": False,
    },
    examples={
        "en": (
            "Set the temperature to twenty-two and a half.",
            "Make it 21 degrees for the passenger.",
            "No, make it twenty degrees.",
        ),
        "zh": ("把空调调到二十二度半。", "副驾驶温度设为21度。", "温度调到二十四度。"),
    },
    actuates=(TEMPERATURES,),
    risk=Risk.COMFORT,
    motion=Motion.ANY,
    doing={"en": "set the temperature", "zh": "调温度"},
    reads=(TEMPERATURES, TEMPERATURE_UNIT),
    rehearsable=True,
)
async def set_temperature(call: Call) -> Spoken:
    target = call.arguments["target"]
    assert isinstance(target, int | float)
    return await _to_target(call, float(target))


@skill(
    plan.CHANGE,
    description="Make the cabin warmer or cooler.",
    group=GROUP,
    recognise=plan.recognise_change,
    understand=meant.change_temperature,
    changes=changes.STEP,
    whole=lambda calls, text, locale, context: as_felt(whole.temperature(calls, text, locale, context), text, locale),
    doubts=also_plain(doubts.doubt),
    unused=unused.change_unused,
    arguments_schema={
        "type": "object",
        "properties": {
            "delta": {"type": "number", "minimum": -10, "maximum": 10, "description": "degrees Celsius"},
            "zone": {"type": "string", "enum": list(plan.ZONES)},
        },
        "required": ["delta", "zone"],
        "additionalProperties": False,
    },
    examples={
        "en": ("Make it a bit warmer.", "Turn the temperature down by two degrees.", "It's too hot in here."),
        "zh": ("空调调高一点。", "温度调低两度。", "有点冷。"),
    },
    actuates=(TEMPERATURES,),
    risk=Risk.COMFORT,
    motion=Motion.ANY,
    doing={"en": "change the temperature", "zh": "调温度"},
    reads=(TEMPERATURES, TEMPERATURE_UNIT),
    rehearsable=True,
)
async def change_temperature(call: Call) -> Spoken:
    target = effects.changed_target(call.arguments, call.signals.read)
    if target is None:
        return ask(
            "I don't know what it's set to now. What temperature would you like?",
            "我不知道现在设的是多少度，要调到几度？",
            call.locale,
            "unknown_setting",
        )
    return await _to_target(call, target)


async def _to_target(call: Call, target: float) -> Spoken:
    zone, read, locale = str(call.arguments["zone"]), call.signals.read, call.locale
    paths = effects.temperature_paths(zone)
    unit = temperature_unit(read)
    asked = render.temperature(target, locale, unit)
    doing = (f"set the temperature to {asked}", f"把温度设为{asked}")
    verdict = call.signals.check(GROUP, call.confirmation)
    if not verdict.allowed:
        return refused(verdict.reason, *doing, locale)
    now = [number(read, path) for path in paths]
    if all(value is not None and render.temperature(value, locale, unit) == asked for value in now):
        return Spoken(effects.already_sentence(now[0] or target, locale, read))
    writes = effects.set_writes({"target": target, "zone": zone})
    result = await call.signals.actuate(writes, group=GROUP, confirmation=call.confirmation, confirm_within_ms=CONFIRM_MS)
    seen = observed(result, paths[0], read)
    shows = render.temperature(seen, locale, unit) if seen is not None else ""
    done = effects.set_sentence(seen if seen is not None else target, zone, locale, read)
    return concluded(result, done=done, asked=asked, shows=shows, doing_en=doing[0], doing_zh=doing[1], locale=locale)


@skill(
    plan.FAN,
    description="Set the fan speed.",
    group=GROUP,
    recognise=plan.recognise_fan,
    understand=meant.set_fan,
    changes=changes.WIND,
    doubts=also_plain(doubts.doubt),
    unused=unused.share_of_fan_unused,
    arguments_schema={
        "type": "object",
        "properties": {"speed": {"type": "integer", "minimum": 0, "maximum": 100, "description": "percent"}},
        "required": ["speed"],
        "additionalProperties": False,
    },
    examples={
        "en": ("Set the fan to 40 percent.", "Turn the fan off.", "Put the fan on maximum."),
        "zh": ("风量调到百分之四十。", "把风扇关掉。", "风量调到最大。"),
    },
    actuates=("Vehicle.Cabin.HVAC.Station.Row1.*.FanSpeed",),
    risk=Risk.COMFORT,
    motion=Motion.ANY,
    doing={"en": "set the fan", "zh": "调风量"},
    reads=("Vehicle.Cabin.HVAC.Station.Row1.*.FanSpeed",),
    rehearsable=True,
)
async def set_fan(call: Call) -> Spoken:
    path, locale, read = fan_speed("Row1", "Driver"), call.locale, call.signals.read
    writes = effects.fan_writes(call.arguments)
    asked = render.percent(float(writes[0].value), locale)
    doing = (f"set the fan to {asked}", f"把风量设为{asked}")
    verdict = call.signals.check(GROUP, call.confirmation)
    if not verdict.allowed:
        return refused(verdict.reason, *doing, locale)
    now = number(read, path)
    if now is not None and round(now) == writes[0].value:
        return Spoken(say(f"The fan is already at {asked}.", f"风量已经是{asked}了。", locale))
    result = await call.signals.actuate(writes, group=GROUP, confirmation=call.confirmation, confirm_within_ms=CONFIRM_MS)
    seen = observed(result, path, read)
    shows = render.percent(seen, locale) if seen is not None else ""
    done = say(f"The fan is at {shows or asked}.", f"风量已调到{shows or asked}。", locale)
    return concluded(result, done=done, asked=asked, shows=shows, doing_en=doing[0], doing_zh=doing[1], locale=locale)


@skill(
    plan.SWITCH,
    description="Switch air conditioning, recirculation or a defroster on or off.",
    group=GROUP,
    recognise=answered(plan.recognise_switch, plan.SWITCH, "on", True, False),
    understand=meant.switch,
    changes=changes.SWITCHED,
    whole=whole.switches,
    doubts=also_plain(doubts.doubt),
    arguments_schema={
        "type": "object",
        "properties": {"thing": {"type": "string", "enum": list(plan.SWITCHES)}, "on": {"type": "boolean"}},
        "required": ["thing", "on"],
        "additionalProperties": False,
    },
    examples={
        "en": ("Turn on the air conditioning.", "Switch the rear defroster off.", "Turn off the AC."),
        "zh": ("打开空调。", "关闭后挡风玻璃除雾。", "打开内循环。"),
    },
    actuates=tuple(plan.SWITCHES.values()),
    risk=Risk.COMFORT,
    motion=Motion.ANY,
    doing={"en": "switch that", "zh": "切换"},
    reads=tuple(plan.SWITCHES.values()),
    rehearsable=True,
)
async def switch(call: Call) -> Spoken:
    thing, on, locale, read = str(call.arguments["thing"]), call.arguments["on"] is True, call.locale, call.signals.read
    path, (english, chinese) = plan.SWITCHES[thing], effects.NAMES[thing]
    state = say("on" if on else "off", "打开" if on else "关闭", locale)
    doing = (f"switch {english} {'on' if on else 'off'}", f"{'打开' if on else '关闭'}{chinese}")
    verdict = call.signals.check(GROUP, call.confirmation)
    if not verdict.allowed:
        return refused(verdict.reason, *doing, locale)
    if flag(read, path) is on:
        return Spoken(say(f"{english.capitalize()} is already {state}.", f"{chinese}已经{state}了。", locale))
    result = await call.signals.actuate(
        (SignalWrite(path, on),), group=GROUP, confirmation=call.confirmation, confirm_within_ms=CONFIRM_MS
    )
    seen = next((r.value for r in result.observed if r.path == path and isinstance(r.value, bool)), flag(read, path))
    shows = "" if seen is None else say("on" if seen else "off", "打开" if seen else "关闭", locale)
    done = until_told(
        say(f"{english.capitalize()} is {shows or state}.", f"{chinese}已{shows or state}。", locale), call.request, locale
    )
    return concluded(
        result,
        done=done,
        asked=say(f"{english} {state}", f"{state}{chinese}", locale),
        shows=shows,
        doing_en=doing[0],
        doing_zh=doing[1],
        locale=locale,
    )


SKILLS: tuple[Skill, ...] = (set_temperature, change_temperature, set_fan, switch)
