"""The windscreen's wipers: a mode, or one step faster or slower. Only who is in charge of the car may ask.

Does not know how words are understood (plan.py) or what is allowed (policy.py).
"""

from __future__ import annotations

from ridealong.harness.skill import Call, Motion, Provenance, Risk, Skill, Spoken, skill
from ridealong.harness.telling import ask, say
from ridealong.vehicle_skills.act import Wish, act, seen
from ridealong.vehicle_skills.bare_thing import also_plain
from ridealong.vehicle_skills.cabin_signals import WIPERS
from ridealong.vehicle_skills.on_or_off import answered
from ridealong.vehicle_skills.wipers import plan

GROUP = "wipers"
IN_CHARGE = frozenset({Provenance.DRIVER, Provenance.WEARER, Provenance.TYPED})


@skill(
    plan.SET,
    description="Set the windscreen wipers. 'on' without more is medium; auto is by the rain sensor.",
    group=GROUP,
    recognise=answered(plan.recognise_set, plan.SET, "mode", "medium", "off"),
    doubts=also_plain(),
    understand=plan.understand_set,
    changes=plan.SETTING,
    arguments_schema={
        "type": "object",
        "properties": {"mode": {"type": "string", "enum": list(plan.MODES)}},
        "required": ["mode"],
        "additionalProperties": False,
    },
    examples={
        "en": ("Turn on the wipers.", "Wipers off.", "Put the wipers on automatic."),
        "zh": ("打开雨刮。", "把雨刷关掉。", "雨刮调到自动模式。"),
    },
    actuates=(WIPERS,),
    reads=(WIPERS,),
    risk=Risk.COMFORT,
    motion=Motion.ANY,
    by=IN_CHARGE,
    doing={"en": "set the wipers", "zh": "调雨刮"},
    rehearsable=True,
)
async def set_wipers(call: Call) -> Spoken:
    return await _to(call, str(call.arguments["mode"]))


@skill(
    plan.CHANGE,
    description="One step faster or slower.",
    group=GROUP,
    recognise=plan.recognise_change,
    doubts=also_plain(),
    understand=plan.understand_change,
    changes=plan.STEP,
    arguments_schema={
        "type": "object",
        "properties": {"faster": {"type": "boolean"}},
        "required": ["faster"],
        "additionalProperties": False,
    },
    examples={"en": ("Wipers faster.", "Slow the wipers down."), "zh": ("雨刮快一点。", "雨刷慢一点。")},
    actuates=(WIPERS,),
    reads=(WIPERS,),
    risk=Risk.COMFORT,
    motion=Motion.ANY,
    by=IN_CHARGE,
    doing={"en": "set the wipers", "zh": "调雨刮"},
    rehearsable=True,
)
async def change_wipers(call: Call) -> Spoken:
    faster, now, locale = call.arguments["faster"] is True, plan.mode_now(call.signals.read), call.locale
    if now is None:
        return ask(
            "I don't know how fast the wipers are now. Slow, medium or fast?",
            "我不知道雨刮现在多快。要慢速、中速还是快速？",
            locale,
            "unknown_setting",
        )
    if now == "auto":
        return ask(
            "The wipers are on automatic. Shall they be slow, medium or fast instead?",
            "雨刮现在是自动。要改成慢速、中速还是快速？",
            locale,
            "automatic",
        )
    mode = plan.stepped(now, faster)
    return await _to(call, mode if mode is not None else now, end=mode is None)


async def _to(call: Call, mode: str, end: bool = False) -> Spoken:
    """`end`: there is no step further."""
    read, locale = call.signals.read, call.locale
    already = plan.already_sentence(mode, locale) if plan.mode_now(read) == mode else ""
    if end and mode != "off":
        already = say(
            "The wipers can't go any faster." if mode == "fast" else "The wipers can't go any slower.",
            "雨刮已经最快了。" if mode == "fast" else "雨刮已经最慢了。",
            locale,
        )
    wish = Wish(
        writes=plan.writes(mode),
        doing=plan.doing(mode),
        asked=say(f"the wipers {plan.state(mode, 'en')}", f"雨刮{plan.state(mode, 'zh')}", locale),
        done=lambda result: plan.done_sentence(seen(result, WIPERS, read), locale),
        shows=lambda result: plan.state_of(seen(result, WIPERS, read), locale),
        already=already,
    )
    return await act(call, GROUP, wish)


SKILLS: tuple[Skill, ...] = (set_wipers, change_wipers)
