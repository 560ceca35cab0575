"""Door locks: only in a parked car, only after an explicit yes to our own question. The sentence says which doors.

Does not know how words are understood (plan.py) or what is allowed (policy.py).
"""

from __future__ import annotations

from functools import partial

from ridealong.harness.skill import Call, Confirmation, Motion, Provenance, Risk, Skill, Spoken, skill
from ridealong.harness.slots.zone import ZONES
from ridealong.proto.types import ActuationResult, SignalReading
from ridealong.vehicle_skills.act import STANDING, Wish, act, seen
from ridealong.vehicle_skills.car import flag
from ridealong.vehicle_skills.locks import plan
from ridealong.vehicle_skills.signals import DRIVER_POSITION

GROUP = "doors"
LOCKS = "Vehicle.Cabin.Door.*.*.IsLocked"
IN_CHARGE = frozenset({Provenance.DRIVER, Provenance.WEARER, Provenance.TYPED})
_SCHEMA = {
    "type": "object",
    "properties": {"zone": {"type": "string", "enum": list(ZONES)}},
    "required": ["zone"],
    "additionalProperties": False,
}


@skill(
    plan.LOCK,
    description="Lock doors. Only when parked, asks first.",
    group=GROUP,
    recognise=plan.recognise_lock,
    understand=plan.understand_lock,
    changes=plan.changes(True),
    arguments_schema=_SCHEMA,
    examples={
        "en": ("Lock the doors.", "Please lock the car.", "Lock the rear left door."),
        "zh": ("锁车。", "把车门都锁上。", "左后门锁一下。"),
    },
    actuates=(LOCKS,),
    risk=Risk.ACCESS,
    motion=Motion.PARKED,
    by=IN_CHARGE,
    doing={"en": "lock the doors", "zh": "锁车门"},
    reads=(LOCKS, DRIVER_POSITION),
    confirmation=Confirmation.EXPLICIT,
    rehearsable=True,
)
async def lock(call: Call) -> Spoken:
    return await _to(call, True)


@skill(
    plan.UNLOCK,
    description="Unlock doors. Only when parked, asks first.",
    group=GROUP,
    recognise=plan.recognise_unlock,
    understand=plan.understand_unlock,
    changes=plan.changes(False),
    arguments_schema=_SCHEMA,
    examples={
        "en": ("Unlock the doors.", "Unlock the passenger door.", "Release the door locks."),
        "zh": ("车门解锁。", "把门锁打开。", "副驾门解锁一下。"),
    },
    actuates=(LOCKS,),
    risk=Risk.ACCESS,
    motion=Motion.PARKED,
    by=IN_CHARGE,
    doing={"en": "unlock the doors", "zh": "解锁车门"},
    reads=(LOCKS, DRIVER_POSITION),
    confirmation=Confirmation.EXPLICIT,
    rehearsable=True,
)
async def unlock(call: Call) -> Spoken:
    return await _to(call, False)


async def _to(call: Call, locked: bool) -> Spoken:
    zone, read, locale = str(call.arguments["zone"]), call.signals.read, call.locale
    paths = plan.paths(zone)
    state = partial(plan.state_sentence, zone, locked, locale, read)
    asked = plan.doing(zone, locked, read)

    def shows(result: ActuationResult) -> str:
        values = {path: seen(result, path, read) for path in paths}
        return plan.shows(zone, locale, lambda path: SignalReading(path, values.get(path)) if path in values else read(path))

    wish = Wish(
        writes=plan.writes(zone, locked),
        doing=asked,
        asked=_noun(zone, locked, call),
        done=lambda result: state(),
        shows=shows,
        already=state(already=True) if all(flag(read, path) is locked for path in paths) else "",
        preconditions=STANDING,
    )
    return await act(call, GROUP, wish, needs=Confirmation.EXPLICIT)


def _noun(zone: str, locked: bool, call: Call) -> str:
    """What was asked for: "the rear doors locked"."""
    thing = plan.name(zone, call.locale, call.signals.read)
    if call.locale.startswith("zh"):
        return f"{'锁上' if locked else '解锁'}{thing}"
    return f"{thing} {'locked' if locked else 'unlocked'}"


SKILLS: tuple[Skill, ...] = (lock, unlock)
