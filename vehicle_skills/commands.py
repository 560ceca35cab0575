"""`ridealong skills list | check | try`: the contracts, their lint, and what would be done for given words.

`try` runs the chosen skills against a recording port: the policy's verdicts are real, actuations are noted and sent nowhere.
Does not know a session, a device or a real car.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Protocol

from ridealong.command import Command
from ridealong.errors import UserError
from ridealong.harness.parts import cannot
from ridealong.harness.registry import Contract, Registry
from ridealong.harness.results import completed
from ridealong.harness.router import AskBack, Calls, ChitChat, Decision, Nothing
from ridealong.harness.sentences import sentence
from ridealong.harness.skill import (
    Confirmation,
    Context,
    Match,
    Provenance,
)
from ridealong.harness.slots.text import language
from ridealong.harness.small_talk import chitchat_sentence
from ridealong.harness.worker.hosted import WorkerFault
from ridealong.vehicle_skills import signals as vss
from ridealong.vehicle_skills.lint import lint, trial
from ridealong.vehicle_skills.outside import Run, known_skills, outside_options
from ridealong.vehicle_skills.pretended import RecordingPort, car_at
from ridealong.vehicle_skills.vehicle_file import read_vehicle

# --- list ----------------------------------------------------------------------------------------------------------


def _list(options: argparse.Namespace) -> int:
    with known_skills(options) as (registry, _):
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
        "risk": contract.risk.value, "motion": contract.motion.value, "by": sorted(one.value for one in contract.by),
        "zones": contract.zones, "idempotent": contract.idempotent, "usual_ms": contract.usual_ms, "timeout_ms": contract.timeout_ms,
    }  # fmt: skip


# --- check ---------------------------------------------------------------------------------------------------------


def _check(options: argparse.Namespace) -> int:
    if options.vehicle is not None:
        read_vehicle(options.vehicle)  # all of it, as `car check` does
    with known_skills(options) as (registry, run):
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
    with known_skills(options) as (registry, run):
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
            spoken = await trial(skill, replace(match, arguments=arguments), words, locale, port)
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

__all__ = ["CHECK", "LIST", "try_command"]
