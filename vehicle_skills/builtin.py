"""The skills that come with the product."""

from __future__ import annotations

from ridealong.harness.registry import Registry
from ridealong.harness.skills import recall, reminder, talk, timer, work
from ridealong.harness.skills.seeing import Look, seeing_skills
from ridealong.harness.skills.watch import watch_skills
from ridealong.vehicle_skills.climate import skill as climate
from ridealong.vehicle_skills.navigation import skill as navigation
from ridealong.vehicle_skills.status import skill as status
from ridealong.vehicle_skills.trunk import skill as trunk
from ridealong.vehicle_skills.watching.plan import CarSignals
from ridealong.vehicle_skills.windows import skill as windows


def builtin_registry(look: Look | None = None) -> Registry:
    """A new registry with every built-in skill. `look`: what answers questions about pictures; None: nothing does."""
    watching = watch_skills(CarSignals())
    return Registry(
        (
            *climate.SKILLS,
            *windows.SKILLS,
            *trunk.SKILLS,
            *navigation.SKILLS,
            *status.SKILLS,
            *recall.SKILLS,
            *seeing_skills(look),
            *timer.SKILLS,
            *reminder.SKILLS,
            *watching,
            *talk.SKILLS,
            *work.SKILLS,
        )
    )
