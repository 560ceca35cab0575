"""Status skills: one read-only skill for each topic of plan.py. They never actuate: their contracts have nothing to write.

Does not know how words are understood.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from ridealong.harness.skill import Call, Skill, Spoken
from ridealong.harness.slots.zone import ZONES
from ridealong.harness.telling import refused
from ridealong.vehicle_skills.holding import Noted
from ridealong.vehicle_skills.navigation import gazetteer
from ridealong.vehicle_skills.navigation.geocoder import Located
from ridealong.vehicle_skills.status.changes import ASKED, CHANGES
from ridealong.vehicle_skills.status.plan import TOPICS, Topic, destination, recogniser, zoned

GROUP = "status"


def _skill(topic: Topic) -> Skill:
    async def run(call: Call) -> Spoken:
        verdict = call.signals.check(GROUP, call.confirmation)
        if not verdict.allowed:
            return refused(verdict.reason, "read that", "读取这个信息", call.locale)
        read = Noted(call.signals.read)
        said = topic.by_words(read, call.locale, call.words or call.request) if topic.by_words is not None else ""
        return Spoken(said or topic.answer(read, call.locale, str(call.arguments.get("zone", ""))), holds=read.holds())

    schema: dict[str, object] = {"type": "object", "properties": {}, "required": [], "additionalProperties": False}
    if topic.zoned:
        schema = {
            "type": "object",
            "properties": {"zone": {"type": "string", "enum": list(ZONES)}},
            "required": ["zone"],
            "additionalProperties": False,
        }
    return Skill(
        name=f"status.{topic.name}", description=topic.description, run=run, recognise=recogniser(topic), group=GROUP, arguments_schema=schema,
        examples={"en": topic.examples_en, "zh": topic.examples_zh}, reads=topic.reads, timeout_ms=5_000, rehearsable=True,
        understand=zoned(topic), changes=CHANGES.get(topic.name, ASKED), renewable=True,
    )  # fmt: skip


def status_skills(named: Callable[[float, float], Located | None] = gazetteer.at) -> tuple[Skill, ...]:
    """One for each topic. `named`: what the destination is called."""
    answers = {"destination": partial(destination, named=named)}
    return tuple(_skill(replace(topic, answer=answers.get(topic.name, topic.answer))) for topic in TOPICS)


SKILLS: tuple[Skill, ...] = status_skills()
