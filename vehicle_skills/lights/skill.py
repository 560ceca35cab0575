"""Lights in the cabin: the dome light, and the ambient light on both sides in one batch. The sentences are of what the car showed.

Does not know how words are understood (cabin.py, ambient.py) or what is allowed (policy.py).
"""

from __future__ import annotations

from ridealong.harness.skill import Call, Confirmation, Motion, Risk, Skill, Spoken, skill
from ridealong.harness.telling import ask, say
from ridealong.proto.types import ActuationResult, SignalReading
from ridealong.vehicle_skills.act import Wish, act, seen
from ridealong.vehicle_skills.bare_thing import also_plain
from ridealong.vehicle_skills.car import Read, flag
from ridealong.vehicle_skills.lights import ambient, cabin, plan
from ridealong.vehicle_skills.lights.colours import NAMES
from ridealong.vehicle_skills.on_or_off import answered
from ridealong.vehicle_skills.signals import DOME_LIGHT

GROUP = "ambient_light"
GLOW = "Vehicle.Cabin.Light.AmbientLight.Row1.*"


@skill(
    cabin.CABIN,
    description="Switch the light in the cabin (dome, reading light) on or off.",
    group=GROUP,
    recognise=answered(cabin.recognise, "lights.cabin", "on", True, False),
    understand=cabin.understand,
    changes=plan.CABIN_CHANGES,
    doubts=also_plain(cabin.doubt),
    arguments_schema={"type": "object", "properties": {"on": {"type": "boolean"}}, "required": ["on"], "additionalProperties": False},
    examples={
        "en": ("Turn on the cabin light.", "Reading light off please.", "Switch the interior lights on."),
        "zh": ("打开阅读灯。", "把车内灯关了。", "开一下顶灯。"),
    },
    actuates=(DOME_LIGHT,),
    reads=(DOME_LIGHT,),
    risk=Risk.OPENINGS,
    motion=Motion.SLOW,
    doing={"en": "switch the cabin light", "zh": "开关车内灯"},
    confirmation=Confirmation.SAID_BACK,
    rehearsable=True,
)  # fmt: skip
async def switch_cabin(call: Call) -> Spoken:
    on, read, locale = call.arguments["on"] is True, call.signals.read, call.locale
    state = ("on" if on else "off", "打开" if on else "关闭")

    def shows(result: ActuationResult) -> str:
        value = seen(result, DOME_LIGHT, read)
        return "" if not isinstance(value, bool) else say("on" if value else "off", "开着" if value else "关着", locale)

    wish = Wish(
        writes=plan.cabin_writes(on),
        doing=(f"switch the cabin light {state[0]}", f"{state[1]}车内灯"),
        asked=say(f"the cabin light {state[0]}", f"{state[1]}车内灯", locale),
        done=lambda result: plan.cabin_sentence(seen(result, DOME_LIGHT, read) is True, locale),
        shows=shows,
        already=plan.cabin_sentence(on, locale, already=True) if flag(read, DOME_LIGHT) is on else "",
    )
    return await act(call, GROUP, wish, needs=Confirmation.SAID_BACK)


@skill(
    ambient.AMBIENT,
    description="Ambient light: on or off, brightness, colour. 'dimmer'/'brighter' without a value is delta -20/+20.",
    group=GROUP,
    recognise=answered(ambient.recognise, "lights.ambient", "on", True, False),
    doubts=also_plain(),
    understand=ambient.understand,
    changes=plan.AMBIENT_CHANGES,
    arguments_schema={
        "type": "object",
        "properties": {
            "on": {"type": "boolean"},
            "level": {"type": "integer", "minimum": 0, "maximum": 100, "description": "percent; 0 is off"},
            "delta": {"type": "integer", "minimum": -100, "maximum": 100, "description": "percent points"},
            "color": {"type": "string", "enum": list(NAMES)},
        },
        "required": [],
        "additionalProperties": False,
    },
    examples={
        "en": (
            "Make the ambient light blue.",
            "Dim the ambient light.",
            "Mood lighting to thirty percent.",
            "Ambient lights off.",
        ),
        "zh": ("氛围灯换成蓝色。", "氛围灯暗一点。", "氛围灯亮度调到30%。", "打开氛围灯。"),
    },
    actuates=(f"{GLOW}.IsLightOn", f"{GLOW}.Intensity", f"{GLOW}.Color"),
    reads=(f"{GLOW}.IsLightOn", f"{GLOW}.Intensity", f"{GLOW}.Color"),
    risk=Risk.OPENINGS,
    motion=Motion.SLOW,
    doing={"en": "change the ambient light", "zh": "调氛围灯"},
    confirmation=Confirmation.SAID_BACK,
    rehearsable=True,
)
async def set_ambient(call: Call) -> Spoken:
    arguments, read, locale = call.arguments, call.signals.read, call.locale
    if not arguments:
        return ask(ambient.QUESTION["en"], ambient.QUESTION["zh"], locale)
    if plan.steps_from_nowhere(arguments, read):
        return ask(
            "I don't know how bright the ambient light is now. How many percent?", "我不知道氛围灯现在多亮。要调到百分之多少？", locale, "unknown_setting"
        )  # fmt: skip
    of = frozenset(arguments)

    def now(result: ActuationResult) -> Read:
        return lambda path: SignalReading(path, value) if (value := seen(result, path, read)) is not None else None

    wish = Wish(
        writes=plan.writes(arguments, read),
        doing=plan.doing(arguments),
        asked=plan.asked(arguments, read, locale),
        done=lambda result: plan.sentence(now(result), locale, of),
        shows=lambda result: plan.state(now(result), locale, of),
        already=plan.sentence(read, locale, of, already=True) if plan.is_so(arguments, read) else "",
    )
    return await act(call, GROUP, wish, needs=Confirmation.SAID_BACK)


SKILLS: tuple[Skill, ...] = (switch_cabin, set_ambient)
