"""The sunroof: open, closed or tilted, as its own switch has it. The sentence says where it stands, from the sensor.

Does not know how words are understood (plan.py) or what is allowed (policy.py).
"""

from __future__ import annotations

from ridealong.harness.skill import Call, Confirmation, Motion, Risk, Skill, Spoken, skill
from ridealong.harness.telling import say, shown
from ridealong.proto.types import ActuationResult
from ridealong.vehicle_skills.act import Wish, act, seen_number
from ridealong.vehicle_skills.bare_thing import also_plain
from ridealong.vehicle_skills.signals import SUNROOF_POSITION, SUNROOF_SWITCH
from ridealong.vehicle_skills.sunroof import plan

GROUP = "sunroof"
CONFIRM_MS = 14_000
"""From tilted to open takes ten seconds."""


@skill(
    plan.SET,
    description="Open, close or tilt the sunroof. Positions between can't be set.",
    group=GROUP,
    recognise=plan.recognise,
    understand=plan.understand,
    doubts=also_plain(plan.doubt),
    changes=plan.CHANGES,
    arguments_schema={
        "type": "object",
        "properties": {"to": {"type": "string", "enum": list(plan.POSITIONS)}},
        "required": ["to"],
        "additionalProperties": False,
    },
    examples={
        "en": ("Open the sunroof.", "Close the sunroof.", "Tilt the sunroof."),
        "zh": ("打开天窗。", "把天窗关上。", "天窗翘起来。"),
    },
    actuates=(SUNROOF_SWITCH,),
    reads=(SUNROOF_POSITION,),
    risk=Risk.OPENINGS,
    motion=Motion.SLOW,
    doing={"en": "move the sunroof", "zh": "移动天窗"},
    confirmation=Confirmation.SAID_BACK,
    rehearsable=True,
    usual_ms=4_000,
)
async def set_sunroof(call: Call) -> Spoken:
    to, read, locale = str(call.arguments["to"]), call.signals.read, call.locale

    def done(result: ActuationResult) -> str:
        value = shown(result, SUNROOF_POSITION)
        position = float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
        return plan.done_sentence(to, position, locale)

    def shows(result: ActuationResult) -> str:
        position = seen_number(result, SUNROOF_POSITION, read)
        return plan.state(position, locale) if position is not None else ""

    wish = Wish(
        writes=plan.writes(to, read),
        doing=plan.DOING[to],
        asked=say(*plan.ASKED[to], locale),
        done=done,
        shows=shows,
        already=plan.already_sentence(to, locale) if plan.is_at(to, plan.position(read)) else "",
    )
    return await act(call, GROUP, wish, needs=Confirmation.SAID_BACK, confirm_within_ms=CONFIRM_MS)


SKILLS: tuple[Skill, ...] = (set_sunroof,)
