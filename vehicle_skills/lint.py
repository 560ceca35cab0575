"""What is wrong with skills, one sentence each: contracts that are too loose, examples that lead elsewhere, acts that are not declared or not refused.

Every example is run against a pretended car, once for the driver and once for a voice that nobody knows. Does not know where the skills came from.
"""

from __future__ import annotations

import asyncio
import fnmatch
from dataclasses import replace

from ridealong.harness.doing import Doing, Stage
from ridealong.harness.permission import ELSEWHERE
from ridealong.harness.registry import Registry
from ridealong.harness.router import Calls, Router
from ridealong.harness.skill import Call, Confirmation, Context, LastSaid, Match, Outcome, Provenance, Skill, Spoken
from ridealong.harness.worker.hosted import WorkerFault
from ridealong.vehicle_skills import signals as vss
from ridealong.vehicle_skills.outside import Run
from ridealong.vehicle_skills.policy import RULES
from ridealong.vehicle_skills.pretended import PARKED_CAR, NoWaiting, RecordingPort


def under_way(locale: str) -> tuple[Doing, ...]:
    """For examples such as "cancel the timer"."""
    zh = locale == "zh"
    timer, search = (
        ("定一个五分钟的计时器。", "搜索附近的充电站。") if zh else ("Set a timer for five minutes.", "Find a charging station.")
    )
    near = {"prefer": "nearest"}
    return (
        Doing("t", "timer.set", Stage.RUNNING, "the timer", "计时器", timer, locale, {"duration_s": 300}, left_ms=240_000),
        Doing("s", "navigation.charging_search", Stage.RUNNING, "the search", "搜索", search, locale, near, asked_ms_ago=5_000),
        Doing(
            "d", "navigation.charging_search", Stage.TOLD, "the search", "搜索", search, locale, near, outcome=Outcome.COMPLETED
        ),
    )


def lint(registry: Registry, run: Run = asyncio.run) -> list[str]:
    """What is wrong with the skills, one sentence each. `run` runs a skill's coroutine."""
    problems: list[str] = []
    router = Router(registry)
    cut = LastSaid(
        "Windows closed, boot closed.", "Windows closed,", "boot closed.", 1_000, more=True
    )  # for examples such as "go on"
    port = RecordingPort(dict(PARKED_CAR), Provenance.DRIVER)
    context = Context(read=port.read, said=cut)
    for skill in registry:
        problems += [f"{skill.name}: {problem}" for problem in (*_loose(skill), *_undeclared(skill), *_unsafe(skill))]
        for locale in ("en", "zh"):
            examples = skill.examples.get(locale, ())
            if not examples:
                problems.append(f"{skill.name}: has no example in {locale}")
            for example in examples:
                problems += _example_problems(router, skill, example, locale, replace(context, doing=under_way(locale)), run)
    return problems


def _loose(skill: Skill) -> list[str]:
    properties = skill.arguments_schema.get("properties", {})
    assert isinstance(properties, dict)
    problems = []
    for name, entry in properties.items():
        if entry["type"] in ("number", "integer") and not ("minimum" in entry and "maximum" in entry) and "enum" not in entry:
            problems.append(f"the argument {name!r} has no minimum and maximum")
        if entry["type"] == "string" and "enum" not in entry and "description" not in entry:
            problems.append(f"the argument {name!r} is any text: give it an enum or a description")
    return problems


def _undeclared(skill: Skill) -> list[str]:
    """Every declared path must be a signal that we know, and a written one an actuator of the skill's own group."""
    signals = [path for path in (*skill.actuates, *skill.reads) if ":" not in path]  # an effect elsewhere is no signal
    problems = [f"declares {path}, which is no signal that we know" for path in signals if not _matching(path)]
    for path in skill.actuates:
        problems += [
            f"may write {s.path}, which belongs to the group {s.group or 'nobody'!r}"
            for s in _matching(path)
            if s.group != skill.group
        ]
    return problems


def _unsafe(skill: Skill) -> list[str]:
    """What acts must be able to say no, and may not promise more than the policy's table gives its group."""
    if skill.read_only:
        return []
    elsewhere = all(":" in path for path in skill.actuates)
    if skill.group not in RULES and not elsewhere:
        return [f"acts in the group {skill.group!r}, which the policy does not know: it is always refused"]
    rule = RULES[ELSEWHERE if elsewhere else skill.group]
    problems = [f"has no refusal sentence in {locale}: give `doing`" for locale in ("en", "zh") if not skill.doing.get(locale)]
    if skill.risk.rank < rule.risk.rank:
        problems.append(
            f"declares the risk {skill.risk.value}, but the group {ELSEWHERE if elsewhere else skill.group} is of {rule.risk.value}"
        )
    if not any(skill.motion.admits(motion) and skill.motion is motion for motion in rule.needs):
        problems.append(f"declares the motion {skill.motion.value}, at which the group {skill.group} is refused")
    return problems


def _matching(pattern: str) -> list[vss.Signal]:
    parts = pattern.split(".")
    return [
        signal
        for path, signal in vss.SIGNALS.items()
        if len(path.split(".")) == len(parts)
        and all(fnmatch.fnmatchcase(have, want) for have, want in zip(path.split("."), parts, strict=True))
    ]


def _example_problems(router: Router, skill: Skill, example: str, locale: str, context: Context, run: Run) -> list[str]:
    decision = router.decide(example, locale, context, Provenance.DRIVER)
    if not isinstance(decision, Calls) or [m.capability for m in decision.matches] != [skill.name]:
        got = ", ".join(m.capability for m in decision.matches) if isinstance(decision, Calls) else type(decision).__name__
        return [f"{skill.name}: its example {example!r} leads to {got}"]
    port, stranger = RecordingPort(dict(PARKED_CAR), Provenance.DRIVER), RecordingPort(dict(PARKED_CAR), Provenance.UNKNOWN)
    try:
        run(trial(skill, decision.matches[0], example, locale, port))
        refused = run(trial(skill, decision.matches[0], example, locale, stranger)) if skill.actuates else None
    except WorkerFault as fault:
        return [f"{skill.name}: its example {example!r} ends in {type(fault).__name__} ({fault})"]
    if refused is not None and (
        stranger.sent or not refused.text or (stranger.verdicts and refused.outcome is Outcome.COMPLETED)
    ):
        return [f"{skill.name}: its example {example!r} is not refused, in words, to a voice that nobody knows"]
    return [f"{skill.name}: writes {one.path}, which it does not declare" for one in port.undeclared]


async def trial(
    skill: Skill, match: Match, words: str, locale: str, port: RecordingPort, confirmation: Confirmation = Confirmation.NONE
) -> Spoken:
    """One run of a skill against a pretended car."""
    port.skill = skill
    call = Call("try", words, words, locale, port.provenance, match.arguments, port, NoWaiting(), confirmation=confirmation)
    return await skill.run(call)
