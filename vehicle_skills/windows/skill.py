"""Window skills: to a named position, or a bit further. The sentence says which window and how far, from the sensor.

Does not know how words are understood (plan.py) or what is allowed (policy.py).
"""

from __future__ import annotations

from ridealong.harness.lasting import until_told
from ridealong.harness.skill import Call, Confirmation, Motion, Precondition, Risk, Skill, Spoken, skill
from ridealong.harness.slots import render
from ridealong.harness.slots.zone import ZONES
from ridealong.harness.telling import ask, concluded, refused
from ridealong.vehicle_skills import unused, whole
from ridealong.vehicle_skills.bare_thing import also_plain
from ridealong.vehicle_skills.car import number, observed
from ridealong.vehicle_skills.signals import DRIVER_POSITION
from ridealong.vehicle_skills.windows import changes, doubts, meant, plan

GROUP = "windows"
POSITIONS = "Vehicle.Cabin.Door.*.*.Window.Position"
CONFIRM_MS = 12_000
"""A window travels for seconds."""
_ZONE = {"type": "string", "enum": list(ZONES)}


@skill(
    plan.SET,
    description="Open or close windows to a position.",
    group=GROUP,
    recognise=plan.recognise_set,
    understand=meant.set_position,
    changes=changes.POSITION,
    whole=whole.windows,
    doubts=also_plain(doubts.doubt),
    unused=unused.share_of_window_unused,
    arguments_schema={
        "type": "object",
        "properties": {
            "position": {"type": "integer", "minimum": 0, "maximum": 100, "description": "percent, 0 closed, 100 open"},
            "zone": _ZONE,
        },
        "required": ["position", "zone"],
        "additionalProperties": False,
    },
    examples={
        "en": ("Open the driver's window halfway.", "Close all the windows.", "Open the passenger window thirty percent."),
        "zh": ("打开主驾驶车窗一半。", "关闭所有车窗。", "副驾驶车窗开百分之三十。"),
    },
    actuates=(POSITIONS,),
    risk=Risk.OPENINGS,
    motion=Motion.SLOW,
    doing={"en": "move the window", "zh": "移动车窗"},
    reads=(POSITIONS, DRIVER_POSITION),
    confirmation=Confirmation.SAID_BACK,
    rehearsable=True,
    usual_ms=2_000,
)
async def set_position(call: Call) -> Spoken:
    position = call.arguments["position"]
    assert isinstance(position, int)
    return await _to_position(call, position)


@skill(
    plan.MOVE,
    description="Open or close windows a bit further.",
    group=GROUP,
    recognise=plan.recognise_move,
    understand=meant.move,
    changes=changes.STEP,
    whole=whole.moves,
    doubts=also_plain(doubts.doubt),
    unused=unused.share_of_window_unused,
    arguments_schema={
        "type": "object",
        "properties": {"delta": {"type": "integer", "minimum": -100, "maximum": 100, "description": "percent"}, "zone": _ZONE},
        "required": ["delta", "zone"],
        "additionalProperties": False,
    },
    examples={
        "en": ("Open the driver's window a bit more.", "Close the passenger window a little."),
        "zh": ("主驾驶车窗再开一点。", "副驾驶车窗再关一点。"),
    },
    actuates=(POSITIONS,),
    risk=Risk.OPENINGS,
    motion=Motion.SLOW,
    doing={"en": "move the window", "zh": "移动车窗"},
    reads=(POSITIONS, DRIVER_POSITION),
    confirmation=Confirmation.SAID_BACK,
    rehearsable=True,
    usual_ms=2_000,
)
async def move(call: Call) -> Spoken:
    position = plan.moved_position(call.arguments, call.signals.read)
    if position is None:
        return ask(
            "I don't know where that window is now. How far should it be open?",
            "我不知道车窗现在的位置，要开到多少？",
            call.locale,
            "unknown_position",
        )
    return await _to_position(call, position, plan.no_closer(call.arguments, position))


async def _to_position(call: Call, position: int, preconditions: tuple[Precondition, ...] = ()) -> Spoken:
    zone, read, locale = str(call.arguments["zone"]), call.signals.read, call.locale
    confirmation = Confirmation.EXPLICIT if call.confirmation is Confirmation.EXPLICIT else Confirmation.SAID_BACK
    doing = plan.doing(zone, position, read)
    verdict = call.signals.check(GROUP, confirmation)
    if not verdict.allowed:
        return refused(verdict.reason, *doing, locale)
    paths = plan.paths(zone)
    now = [number(read, path) for path in paths]
    if all(value is not None and plan.same(value, position) for value in now):
        return Spoken(plan.state_sentence(zone, now[0] or 0, locale, read, already=True))
    writes = plan.set_writes({"position": position, "zone": zone})
    result = await call.signals.actuate(
        writes, group=GROUP, confirmation=confirmation, confirm_within_ms=CONFIRM_MS, preconditions=preconditions
    )
    seen = observed(result, paths[0], read)
    shows = render.opening(seen, locale) if seen is not None else ""
    asked = f"{plan.name(zone, locale, read)}{'' if locale.startswith('zh') else ' '}{render.opening(position, locale)}"
    # within the actuator's tolerance the round figure is what people say
    said = position if seen is None or plan.same(seen, position) else seen
    done = until_told(plan.state_sentence(zone, said, locale, read), call.request, locale)
    halted = plan.halted_sentence(zone, [observed(result, path, read) for path in paths], locale, read)
    unmet = plan.opened_meanwhile_sentence(zone, locale, read)
    return concluded(
        result,
        done=done,
        asked=asked,
        shows=shows,
        doing_en=doing[0],
        doing_zh=doing[1],
        locale=locale,
        unmet=unmet,
        halted=halted,
    )


SKILLS: tuple[Skill, ...] = (set_position, move)
