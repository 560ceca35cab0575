"""Front seats: heated or cooled at any speed; moved only in a parked car, after an explicit yes. The sentences are of what the car showed.

Does not know how words are understood (heating_words.py, moving.py) or what is allowed (policy.py).
"""

from __future__ import annotations

from ridealong.harness.skill import Call, Confirmation, Motion, Outcome, Provenance, Risk, Skill, Spoken, skill
from ridealong.harness.telling import ask, say
from ridealong.proto.types import ActuationResult
from ridealong.vehicle_skills.act import STANDING, Wish, act, seen_number
from ridealong.vehicle_skills.bare_thing import also_plain
from ridealong.vehicle_skills.on_or_off import answered
from ridealong.vehicle_skills.seats import heating_words, moving, plan

WARMTH, POSITION = "seat_heat", "seat_position"
HEATING = "Vehicle.Cabin.Seat.Row1.*.HeatingCooling"
PLACES = (
    "Vehicle.Cabin.Seat.Row1.*.Position",
    "Vehicle.Cabin.Seat.Row1.*.Height",
    "Vehicle.Cabin.Seat.Row1.*.Backrest.Recline",
)
IN_CHARGE = frozenset({Provenance.DRIVER, Provenance.WEARER, Provenance.TYPED})
MOVE_MS = 20_000
"""A seat goes 25 mm a second."""
_ZONE = {"type": "string", "enum": list(heating_words.ZONES)}


@skill(
    heating_words.SET,
    description="Heat or ventilate a front seat. Positive heats, negative cools, 0 is off. 'on' without more is 66; low/medium/high and levels 1/2/3 are 33/66/100; off is 0.",
    group=WARMTH,
    recognise=answered(heating_words.recognise_set, heating_words.SET, "level", heating_words.LEVELS[2], 0),
    doubts=also_plain(),
    understand=heating_words.understand,
    changes=plan.LEVEL,
    arguments_schema={
        "type": "object",
        "properties": {"level": {"type": "integer", "minimum": -100, "maximum": 100, "description": "percent"}, "zone": _ZONE},
        "required": ["level", "zone"],
        "additionalProperties": False,
    },
    examples={
        "en": ("Turn on my seat heating.", "Set the passenger seat heating to level two.", "Cool my seat.", "Seat heating off."),
        "zh": ("打开座椅加热。", "副驾座椅加热开到2档。", "打开座椅通风。", "关闭座椅加热。"),
    },
    actuates=(HEATING,),
    reads=(HEATING,),
    risk=Risk.COMFORT,
    motion=Motion.ANY,
    doing={"en": "set the seat heating", "zh": "调座椅加热"},
    rehearsable=True,
)  # fmt: skip
async def set_heating(call: Call) -> Spoken:
    level = call.arguments["level"]
    assert isinstance(level, int)
    return await _to_levels(call, dict.fromkeys(plan.warmth_paths(str(call.arguments["zone"])), level))


@skill(
    heating_words.CHANGE,
    description="Make a front seat's heating warmer or less warm. Default step 33.",
    group=WARMTH,
    recognise=heating_words.recognise_change,
    doubts=also_plain(),
    understand=heating_words.understand,
    changes=plan.DELTA,
    arguments_schema={
        "type": "object",
        "properties": {"delta": {"type": "integer", "minimum": -100, "maximum": 100, "description": "percent points"}, "zone": _ZONE},
        "required": ["delta", "zone"],
        "additionalProperties": False,
    },
    examples={
        "en": ("Make my seat warmer.", "Turn the seat heating down a bit."),
        "zh": ("座椅再热一点。", "座椅加热调低一档。"),
    },
    actuates=(HEATING,),
    reads=(HEATING,),
    risk=Risk.COMFORT,
    motion=Motion.ANY,
    doing={"en": "change the seat heating", "zh": "调座椅加热"},
    rehearsable=True,
)  # fmt: skip
async def change_heating(call: Call) -> Spoken:
    delta = call.arguments["delta"]
    assert isinstance(delta, int)
    now = plan.levels_now(str(call.arguments["zone"]), call.signals.read)
    known = {path: plan.stepped(level, delta) for path, level in now.items() if level is not None}
    if len(known) < len(now):
        return ask(
            "I don't know how warm that seat is set now. Low, medium or high?", "我不知道座椅现在开到几档。要低、中还是高？", call.locale, "unknown_setting"
        )  # fmt: skip
    return await _to_levels(call, known)


async def _to_levels(call: Call, levels: dict[str, int]) -> Spoken:
    zone, read, locale = str(call.arguments["zone"]), call.signals.read, call.locale
    now = plan.levels_now(zone, read)
    cooled = any(level is not None and level < 0 for level in now.values())
    level = next(iter(levels.values()))

    def shown(result: ActuationResult) -> dict[str, float]:
        values = {path: seen_number(result, path, read) for path in levels}
        return {path: value for path, value in values.items() if value is not None}

    def done(result: ActuationResult) -> str:
        return plan.warmth_sentence(
            shown(result) or {path: float(value) for path, value in levels.items()}, zone, locale, cooled=cooled
        )

    def shows(result: ActuationResult) -> str:
        states = [plan.warmth_state(value, locale, cooled) for value in shown(result).values()]
        return ("、" if locale.startswith("zh") else " and ").join(dict.fromkeys(states))

    same = all(plan.same_warmth(now[path], wanted) for path, wanted in levels.items())
    known = {path: value for path, value in now.items() if value is not None}
    doing = plan.warming(zone, level)
    wish = Wish(
        writes=plan.warmth_writes(levels),
        doing=doing,
        asked=plan.warmth_asked(zone, levels, locale),
        done=done,
        shows=shows,
        already=plan.warmth_sentence(known, zone, locale, cooled=cooled, already=True) if same else "",
    )
    return await act(call, WARMTH, wish)


@skill(
    moving.MOVE,
    description="Move a front seat, or lean its back. Only when parked, asks first. amount: millimetres (forward, backward, up, down; default 30) or degrees (recline, upright; default 5).",
    group=POSITION,
    recognise=moving.recognise,
    doubts=also_plain(),
    understand=moving.understand,
    changes=plan.PLACE,
    whole=moving.whole,
    arguments_schema={
        "type": "object",
        "properties": {
            "direction": {"type": "string", "enum": list(moving.DIRECTIONS)},
            "amount": {"type": "number", "minimum": 1, "maximum": moving.MOST, "description": "millimetres, or degrees of the backrest"},
            "zone": {"type": "string", "enum": list(moving.ZONES)},
        },
        "required": ["direction", "zone"],
        "additionalProperties": False,
    },
    examples={
        "en": ("Move my seat forward.", "Recline the passenger seat.", "Raise my seat."),
        "zh": ("座椅往前移一点。", "把副驾座椅靠背往后仰。", "座椅升高。"),
    },
    actuates=PLACES,
    reads=PLACES,
    risk=Risk.ACCESS,
    motion=Motion.PARKED,
    by=IN_CHARGE,
    doing={"en": "move the seat", "zh": "移动座椅"},
    confirmation=Confirmation.EXPLICIT,
    rehearsable=True,
    usual_ms=2_500,
)  # fmt: skip
async def move(call: Call) -> Spoken:
    arguments, read, locale = call.arguments, call.signals.read, call.locale
    before, path, doing = plan.place_now(arguments, read), plan.place_path(arguments), plan.moving(arguments)
    if before is None:
        text = say("I can't move the seat: I don't know where it is now.", "我不知道座椅现在的位置，不能移动它。", locale)
        return Spoken(text, Outcome.REFUSED, "unknown_position")

    def shows(result: ActuationResult) -> str:
        now = seen_number(result, path, read)
        return "" if now is None else plan.moved_words(arguments, before, now, locale)

    wish = Wish(
        writes=plan.place_writes(arguments, before),
        doing=doing,
        asked=doing[1]
        if locale.startswith("zh")
        else f"{plan.moved_part(arguments, 'en')} {moving.WAYS[str(arguments['direction'])].english}",
        done=lambda result: plan.done_sentence(arguments, before, seen_number(result, path, read), locale),
        shows=shows,
        already=plan.already_sentence(arguments, locale) if plan.at_the_end(arguments, before) else "",
        preconditions=STANDING,
    )
    return await act(call, POSITION, wish, needs=Confirmation.EXPLICIT, confirm_within_ms=MOVE_MS)


SKILLS: tuple[Skill, ...] = (set_heating, change_heating, move)
