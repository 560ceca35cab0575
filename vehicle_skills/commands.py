"""`ridealong skills list | check | try`: the contracts, their lint, and what would be done for given words.

`try` runs the chosen skills against a recording port: the policy's verdicts are real, actuations are noted and sent nowhere.
Does not know a session, a device or a real car.
"""

from __future__ import annotations

import argparse
import asyncio
import fnmatch
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from ridealong.command import Command
from ridealong.errors import UserError
from ridealong.harness.doing import Doing, Stage
from ridealong.harness.parts import cannot
from ridealong.harness.registry import Contract, Registry
from ridealong.harness.results import completed
from ridealong.harness.router import AskBack, Calls, ChitChat, Decision, Nothing, Router, chitchat_sentence
from ridealong.harness.sentences import sentence
from ridealong.harness.skill import Call, Confirmation, Context, LastSaid, Match, Outcome, Provenance, Skill, Spoken, Verdict
from ridealong.harness.slots.text import language
from ridealong.harness.validity import Validity, broken_condition
from ridealong.harness.worker.hosted import WorkerFault
from ridealong.proto.types import ActuationResult, ActuationState, Precondition, SignalReading, SignalValue, SignalWrite
from ridealong.vehicle_skills import signals as vss
from ridealong.vehicle_skills.outside import Run, known_skills, outside_options
from ridealong.vehicle_skills.policy import CarState, PolicyRequest, decide

PARKED_CAR: dict[str, SignalValue] = {
    vss.SPEED: 0.0,
    vss.SELECTED_GEAR: vss.GEAR_PARK,
    vss.PARKING_BRAKE: True,
    vss.IGNITION: "ON",
    vss.DRIVER_POSITION: "LEFT",
    vss.TEMPERATURE_UNIT: "C",
    vss.WINDOW_CHILD_LOCK: False,
    vss.set_temperature("Row1", "Driver"): 20.0,
    vss.set_temperature("Row1", "Passenger"): 20.0,
    vss.fan_speed("Row1", "Driver"): 40,
    **{vss.window_position(row, side): 0 for row in vss.ROWS for side in vss.SIDES},
    vss.TRUNK_OPEN: False,
}
"""What `try` takes the car to be; `--speed` sets it rolling."""


def car_at(speed_kmh: float) -> dict[str, SignalValue]:
    """The car of `try` at a speed."""
    if speed_kmh == 0:
        return dict(PARKED_CAR)
    return PARKED_CAR | {vss.SPEED: float(speed_kmh), vss.SELECTED_GEAR: vss.GEAR_DRIVE, vss.PARKING_BRAKE: False}


@dataclass(slots=True)
class RecordingPort:
    """A SignalPort that judges by the real policy and confirms in its own copy of the car."""

    values: dict[str, SignalValue]
    provenance: Provenance
    verdicts: list[tuple[str, Confirmation, Verdict]] = field(default_factory=list)
    sent: list[tuple[SignalWrite, ...]] = field(default_factory=list)

    def read(self, path: str) -> SignalReading | None:
        return SignalReading(path, self.values[path]) if path in self.values else None

    def check(self, group: str, confirmation: Confirmation) -> Verdict:
        return self._judge(group, confirmation, ())

    async def actuate(
        self,
        writes: Sequence[SignalWrite],
        *,
        group: str,
        confirmation: Confirmation = Confirmation.NONE,
        confirm_within_ms: int = 5_000,
        preconditions: Sequence[Precondition] = (),
    ) -> ActuationResult:
        verdict = self._judge(group, confirmation, tuple(writes))
        if not verdict.allowed:
            return ActuationResult("try", ActuationState.REFUSED, verdict.reason)
        if broken_condition(Validity(conditions=tuple(preconditions)), 0, self.read):
            return ActuationResult("try", ActuationState.REFUSED, "precondition")
        self.sent.append(tuple(writes))
        self.values.update({write.path: write.value for write in writes})
        return ActuationResult("try", ActuationState.CONFIRMED, observed=tuple(SignalReading(w.path, w.value) for w in writes))

    def _judge(self, group: str, confirmation: Confirmation, writes: tuple[SignalWrite, ...]) -> Verdict:
        verdict = decide(PolicyRequest(group, self.provenance, CarState.read(self.read), confirmation, writes))
        self.verdicts.append((group, confirmation, verdict))
        return verdict


class NoWaiting:
    """A clock on which waiting takes no time."""

    def __init__(self) -> None:
        self._now_ms = 0.0

    def now_ms(self) -> float:
        return self._now_ms

    async def sleep_ms(self, duration_ms: float) -> None:
        self._now_ms += duration_ms


# --- list ----------------------------------------------------------------------------------------------------------


def _list(options: argparse.Namespace) -> int:
    with known_skills(options.module, options.path) as (registry, _):
        contracts = registry.contracts()
    if options.json:
        print(json.dumps([_contract_json(c) for c in contracts], ensure_ascii=False, indent=1))
        return 0
    width = max(len(c.name) for c in contracts)
    for contract in contracts:
        print(
            f"{contract.name:<{width}}  {contract.group:<10}  {'reads' if contract.read_only else 'acts '}  {contract.description}"
        )
    return 0


def _contract_json(contract: Contract) -> dict[str, object]:
    return {
        "name": contract.name, "description": contract.description, "group": contract.group, "read_only": contract.read_only,
        "arguments_schema": contract.arguments_schema, "examples": contract.examples, "languages": contract.languages,
        "actuates": contract.actuates, "reads": contract.reads, "confirmation": contract.confirmation.value,
        "idempotent": contract.idempotent, "usual_ms": contract.usual_ms, "timeout_ms": contract.timeout_ms,
    }  # fmt: skip


# --- check ---------------------------------------------------------------------------------------------------------


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
        problems += [f"{skill.name}: {problem}" for problem in (*_loose(skill), *_undeclared(skill))]
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
    problems = [
        f"declares {path}, which is no signal that we know" for path in (*skill.actuates, *skill.reads) if not _matching(path)
    ]
    for path in skill.actuates:
        problems += [
            f"may write {s.path}, which belongs to the group {s.group or 'nobody'!r}"
            for s in _matching(path)
            if s.group != skill.group
        ]
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
    port = RecordingPort(dict(PARKED_CAR), Provenance.DRIVER)
    try:
        run(_run(skill, _call(decision.matches[0], example, locale, Provenance.DRIVER, port)))
    except WorkerFault as fault:
        return [f"{skill.name}: its example {example!r} ends in {type(fault).__name__} ({fault})"]
    declared = {signal.path for pattern in skill.actuates for signal in _matching(pattern)}
    return [
        f"{skill.name}: writes {w.path}, which it does not declare"
        for batch in port.sent
        for w in batch
        if w.path not in declared
    ]


def _check(options: argparse.Namespace) -> int:
    with known_skills(options.module, options.path) as (registry, run):
        problems = lint(registry, run)
    for problem in problems:
        print(problem)
    print(f"{len(registry)} skills, {len(problems)} problem{'' if len(problems) == 1 else 's'}")
    return 1 if problems else 0


# --- try -----------------------------------------------------------------------------------------------------------


class Routes(Protocol):
    """What `skills try` asks: the router of a node."""

    def decide(self, text: str, locale: str, context: Context, provenance: Provenance) -> Decision: ...
    def addressed(self, text: str, locale: str, context: Context) -> float: ...


def try_command(routes: Callable[[Registry], Routes]) -> Command:
    """`skills try` with the router that the skills get from `routes`."""
    about = "What would be done for these words: routing, arguments with grounds, policy, actuations."
    return Command(about, _try_options, lambda options: _try(options, routes))


def _try(options: argparse.Namespace, routes: Callable[[Registry], Routes]) -> int:
    words = " ".join(options.words).strip()
    if not words:
        raise UserError('say what to try: ridealong skills try "open the boot" --speed 62')
    if options.speed < 0 or not options.speed < 1_000:
        raise UserError(f"--speed {options.speed} is no speed in km/h: give 0 to 999.")
    locale = options.lang or language(words, "en")
    provenance = Provenance(options.by)
    values = car_at(options.speed) | {vss.TEMPERATURE_UNIT: options.unit, vss.DRIVER_POSITION: options.drive.upper()}
    port = RecordingPort(values, provenance)
    with known_skills(options.module, options.path) as (registry, run):
        _try_words(routes(registry), registry, run, words, locale, provenance, port, options.speed)
    return 0


def _try_words(
    router: Routes,
    registry: Registry,
    run: Run,
    words: str,
    locale: str,
    provenance: Provenance,
    port: RecordingPort,
    speed_kmh: float,
) -> None:
    context = Context(read=port.read, provenance=provenance)
    decision = router.decide(words, locale, context, provenance)
    print(f"words      {words}  [{locale}, {provenance.value}, {speed_kmh:g} km/h]")
    print(f"addressed  {router.addressed(words, locale, context):.2f}")
    match decision:
        case Calls(matches, also):
            run(_show_calls(matches, registry, words, locale, provenance, port))
            for part in also:
                other = part.decision
                says = other.question if isinstance(other, AskBack) else cannot(part.words, locale)
                print(f"also       {'asks back' if isinstance(other, AskBack) else 'no skill'}: {part.words}\nsays       {says}")
        case AskBack(question, _, reason):
            print(f"routing    asks back ({reason})\nsays       {question}")
        case ChitChat(kind):
            print(f"routing    no skill: {kind}\nsays       {chitchat_sentence(kind, locale)}")
        case Nothing(reason):
            print(f"routing    nothing ({reason})")


async def _show_calls(
    matches: Sequence[Match], registry: Registry, words: str, locale: str, provenance: Provenance, port: RecordingPort
) -> None:
    found: list[Mapping[str, object]] = []
    for match in matches:
        skill = registry.get(match.capability)
        assert skill is not None
        print(f"routing    {match.capability}  score {match.score:.2f}{_order(match)}")
        arguments = completed(skill, match, found)
        found.append({})
        if arguments is None:
            print(f"says       {sentence('not_first', locale)}")
            continue
        for name, value in arguments.items():
            print(f"argument   {name} = {value!r}  from {match.grounds.get(name, '')!r}")
        judged, sent = len(port.verdicts), len(port.sent)
        try:
            spoken = await skill.run(_call(replace(match, arguments=arguments), words, locale, provenance, port))
            found[-1] = spoken.gives
        except WorkerFault as fault:
            print(f"says       {sentence('failed', locale)}  [{type(fault).__name__}: {fault}]")
            continue
        for group, confirmation, verdict in port.verdicts[judged:]:
            outcome = "allowed" if verdict.allowed else f"refused: {verdict.reason}"
            print(
                f"policy     {group} ({confirmation.value}): {outcome}{f', needs {verdict.needs.value}' if verdict.needs is not Confirmation.NONE else ''}"
            )
        for batch in port.sent[sent:]:
            print("actuation  " + "; ".join(f"{write.path} = {write.value!r}" for write in batch))
        if len(port.sent) == sent:
            print("actuation  none")
        print(f"says       {spoken.text}  [{spoken.outcome.value}{f', {spoken.reason}' if spoken.reason else ''}]")


def _order(match: Match) -> str:
    """ "  after call 1": with the result of the first, or when it has ended."""
    needs, waits = (", ".join(str(place + 1) for place in places) for places in (match.after, match.behind))
    return f"{f'  with what {needs} finds' if needs else ''}{f'  after {waits}' if waits else ''}"


async def _run(skill: Skill, call: Call) -> Spoken:
    return await skill.run(call)


def _call(match: Match, words: str, locale: str, provenance: Provenance, port: RecordingPort) -> Call:
    return Call("try", words, words, locale, provenance, match.arguments, port, NoWaiting())


def _list_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="whole contracts as JSON")
    outside_options(parser)


def _check_options(parser: argparse.ArgumentParser) -> None:
    outside_options(parser)


def _try_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("words", nargs="+", help="what somebody says")
    parser.add_argument("--speed", type=float, default=0.0, help="km/h; 0 is parked (default)")
    parser.add_argument("--lang", choices=["en", "zh"], help="language (default: by the letters)")
    parser.add_argument("--by", choices=[p.value for p in Provenance], default="driver", help="who speaks")
    parser.add_argument("--unit", choices=["C", "F"], default="C", help="the car's display unit")
    parser.add_argument("--drive", choices=["left", "right"], default="left", help="where the driver sits")
    outside_options(parser)


LIST = Command("The skills and their contracts.", _list_options, _list)
CHECK = Command(
    "Lint the skills: declarations, examples in both languages, schemas, and that every example leads to its own skill.",
    _check_options,
    _check,
)

__all__ = ["CHECK", "LIST", "NoWaiting", "RecordingPort", "car_at", "lint", "try_command"]
