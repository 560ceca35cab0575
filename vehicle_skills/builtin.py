"""The skills that come with the product."""

from __future__ import annotations

from ridealong.harness.registry import Registry
from ridealong.harness.skills import clock, notes, recall, reminder, talk, timer, work
from ridealong.harness.skills.abilities import abilities_skill
from ridealong.harness.skills.memory import memory_skills
from ridealong.harness.skills.seeing import Look, seeing_skills
from ridealong.harness.skills.seeing_text import Sights, text_skills
from ridealong.harness.skills.watch import watch_skills
from ridealong.vehicle_skills.climate import more as climate_more
from ridealong.vehicle_skills.climate import skill as climate
from ridealong.vehicle_skills.lights import skill as lights
from ridealong.vehicle_skills.locks import skill as locks
from ridealong.vehicle_skills.media import skill as media
from ridealong.vehicle_skills.navigation import skill as navigation
from ridealong.vehicle_skills.navigation.geocoder import DEMO, Geocoder
from ridealong.vehicle_skills.phone.contacts import NOBODY
from ridealong.vehicle_skills.phone.skill import Phone, phone_skills
from ridealong.vehicle_skills.seats import skill as seats
from ridealong.vehicle_skills.status import cabin as status_cabin
from ridealong.vehicle_skills.status import fittings, warnings
from ridealong.vehicle_skills.status import skill as status
from ridealong.vehicle_skills.sunroof import skill as sunroof
from ridealong.vehicle_skills.trunk import skill as trunk
from ridealong.vehicle_skills.watching.plan import CarSignals
from ridealong.vehicle_skills.windows import skill as windows
from ridealong.vehicle_skills.wipers import skill as wipers


def builtin_registry(
    look: Look | None = None, geocoder: Geocoder = DEMO, phone: Phone | None = None, sights: Sights | None = None
) -> Registry:
    """A new registry with every built-in skill. `look`: what answers questions about pictures; None: nothing does. `geocoder`: where places are. `phone`: contacts, and
    what places calls; None: neither. `sights`: what reads text and codes, and a model for text; None: `look` alone."""
    sights = sights or Sights(look)
    phone = phone or Phone()
    watching = watch_skills(CarSignals())
    registry = Registry(
        (
            *climate.SKILLS,
            *climate_more.SKILLS,
            *windows.SKILLS,
            *trunk.SKILLS,
            *locks.SKILLS,
            *sunroof.SKILLS,
            *wipers.SKILLS,
            *lights.SKILLS,
            *seats.SKILLS,
            *status_cabin.SKILLS,
            *fittings.SKILLS,
            warnings.SKILL,
            *navigation.navigation_skills(geocoder),
            *media.SKILLS,
            *phone_skills(phone),
            *status.status_skills(geocoder.named),
            *recall.SKILLS,
            *seeing_skills(look),
            *text_skills(sights),
            *memory_skills(sights.eyes),
            *notes.SKILLS,
            *timer.SKILLS,
            *reminder.SKILLS,
            *clock.SKILLS,
            *watching,
            *talk.SKILLS,
            *work.SKILLS,
            abilities_skill(lambda: {skill.group for skill in registry}, _lacks(phone, sights)),
        )
    )
    return registry


def _lacks(phone: Phone, sights: Sights) -> frozenset[str]:
    """What nothing is set up for, as abilities.py calls it."""
    there = {
        "make calls": phone.dialer is not None, "look up numbers": phone.contacts is not NOBODY, "look at things": sights.look is not None,
        "read signs": sights.eyes is not None or sights.look is not None, "translate": sights.text_model is not None,
    }  # fmt: skip
    return frozenset(name for name, has in there.items() if not has)
