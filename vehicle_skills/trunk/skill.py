"""Boot skills: only when parked, only after an explicit yes to our own question.

Does not know how words are understood (plan.py) or what is allowed (policy.py).
"""

from __future__ import annotations

from ridealong.harness.skill import Call, Confirmation, Motion, Risk, Skill, Spoken, skill
from ridealong.harness.telling import ask, concluded, refused, say
from ridealong.vehicle_skills.car import flag
from ridealong.vehicle_skills.signals import TRUNK_OPEN
from ridealong.vehicle_skills.trunk import plan
from ridealong.vehicle_skills.windows.doubts import doubt

GROUP = "trunk"
CONFIRM_MS = 10_000
_SCHEMA = {
    "type": "object",
    "properties": {"confirmed": {"type": "boolean", "description": "answer to our own question, never in the request"}},
    "required": ["confirmed"],
    "additionalProperties": False,
}


@skill(
    plan.OPEN,
    description="Open the boot.",
    group=GROUP,
    recognise=plan.recognise_open,
    understand=plan.understand_open,
    changes=plan.changes(True),
    doubts=doubt,
    arguments_schema=_SCHEMA,
    examples={"en": ("Open the boot.", "Pop the trunk please."), "zh": ("打开后备箱。", "把尾门打开。")},
    actuates=(TRUNK_OPEN,),
    risk=Risk.ACCESS,
    motion=Motion.PARKED,
    doing={"en": "open the boot", "zh": "打开后备箱"},
    reads=(TRUNK_OPEN,),
    confirmation=Confirmation.EXPLICIT,
    rehearsable=True,
    usual_ms=2_500,
)
async def open_trunk(call: Call) -> Spoken:
    return await _to(call, True)


@skill(
    plan.CLOSE,
    description="Close the boot.",
    group=GROUP,
    recognise=plan.recognise_close,
    understand=plan.understand_close,
    changes=plan.changes(False),
    doubts=doubt,
    arguments_schema=_SCHEMA,
    examples={"en": ("Close the boot.", "Shut the trunk."), "zh": ("关闭后备箱。", "把尾门关上。")},
    actuates=(TRUNK_OPEN,),
    risk=Risk.ACCESS,
    motion=Motion.PARKED,
    doing={"en": "close the boot", "zh": "关闭后备箱"},
    reads=(TRUNK_OPEN,),
    confirmation=Confirmation.EXPLICIT,
    rehearsable=True,
    usual_ms=2_500,
)
async def close_trunk(call: Call) -> Spoken:
    return await _to(call, False)


async def _to(call: Call, opening: bool) -> Spoken:
    locale, read = call.locale, call.signals.read
    doing = ("open the boot", "打开后备箱") if opening else ("close the boot", "关闭后备箱")
    confirmed = call.arguments.get("confirmed") is True or call.confirmation is Confirmation.EXPLICIT
    confirmation = Confirmation.EXPLICIT if confirmed else Confirmation.NONE
    verdict = call.signals.check(GROUP, confirmation)
    if not verdict.allowed and verdict.reason != "needs_confirmation":
        return refused(verdict.reason, *doing, locale)
    if flag(read, TRUNK_OPEN) is opening:
        return Spoken(
            say(
                f"The boot is already {'open' if opening else 'closed'}.",
                f"后备箱已经{'打开' if opening else '关上'}了。",
                locale,
            )
        )
    if not confirmed:
        return ask(f"Shall I {doing[0]}?", f"要我{doing[1]}吗？", locale, "needs_confirmation")
    result = await call.signals.actuate(
        plan.writes(opening),
        group=GROUP,
        confirmation=Confirmation.EXPLICIT,
        confirm_within_ms=CONFIRM_MS,
        preconditions=plan.STANDING,
    )
    seen = next((r.value for r in result.observed if r.path == TRUNK_OPEN and isinstance(r.value, bool)), flag(read, TRUNK_OPEN))
    shows = "" if seen is None else say("open" if seen else "closed", "打开" if seen else "关闭", locale)
    state = say("open" if opening else "closed", "打开" if opening else "关闭", locale)
    done = say(f"The boot is {shows or state}.", f"后备箱已{shows or state}。", locale)
    return concluded(
        result,
        done=done,
        asked=say(f"the boot {state}", f"{state}后备箱", locale),
        shows=shows,
        doing_en=doing[0],
        doing_zh=doing[1],
        locale=locale,
        unmet=say(
            f"I didn't {doing[0]}: I can't be sure that we're still standing.",
            f"我不能确定车还停着，所以没有{doing[1]}。",
            locale,
        ),
    )


SKILLS: tuple[Skill, ...] = (open_trunk, close_trunk)
