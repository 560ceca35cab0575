"""`ridealong car check`: what a databroker offers against the signals that we use, as a report for people.

Reads metadata and values; writes nothing to the car, so "no provider" is known for values only: a signal without a value
has nobody who publishes it.
"""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ridealong.command import Command
from ridealong.errors import UserError
from ridealong.vehicle_skills.broker import OPEN, Access, BrokerAway, KuksaBroker, SignalMeta, Update
from ridealong.vehicle_skills.can_file import CanFile
from ridealong.vehicle_skills.mapped_broker import MappedBroker
from ridealong.vehicle_skills.mapping import AS_IN_VSS_6, CarMapping
from ridealong.vehicle_skills.signals import SIGNALS, Kind, Signal
from ridealong.vehicle_skills.vehicle_file import read_vehicle

DEFAULT_ADDRESS: Final = "127.0.0.1:55555"


@dataclass(frozen=True, slots=True)
class Finding:
    """`problem` '' when the signal is as we need it; `blocks` when the product cannot do its job so."""

    path: str
    problem: str = ""
    blocks: bool = False


def compare(
    signals: Iterable[Signal], offered: Sequence[SignalMeta], values: Sequence[Update], mapping: CarMapping = AS_IN_VSS_6
) -> list[Finding]:
    """One finding a signal. `offered` has the car's own paths, `values` ours. Pure."""
    by_path = {meta.path: meta for meta in offered}
    without = {update.path for update in values if update.value is None}
    findings = []
    for signal in signals:
        there = mapping.theirs(signal.path)
        meta = by_path.get(there) if there is not None else None
        name = "" if there == signal.path else f" (there: {there})"
        if there is None:
            findings.append(Finding(signal.path, "missing, as the vehicle file says", signal.needed))
        elif meta is None:
            findings.append(Finding(signal.path, f"missing{name}", signal.needed))
        elif meta.type is not mapping.type_of(signal.path):
            found = meta.type.value if meta.type is not None else "another type"
            needed = mapping.type_of(signal.path).value
            findings.append(Finding(signal.path, f"wrong type: {found}, we need {needed}{name}", signal.needed))
        elif signal.group and meta.kind is not Kind.ACTUATOR:
            findings.append(Finding(signal.path, "not an actuator", signal.needed))
        elif name == "" and signal.low is not None and signal.high is not None and _narrower(signal, meta):
            findings.append(
                Finding(signal.path, f"narrower limits: {meta.low} to {meta.high}, we send {signal.low} to {signal.high}")
            )
        elif signal.path in without:
            findings.append(Finding(signal.path, "no provider, or no value yet", signal.gate))
        else:
            findings.append(Finding(signal.path))
    return findings


def _narrower(signal: Signal, meta: SignalMeta) -> bool:
    assert signal.low is not None and signal.high is not None
    return (meta.low is not None and meta.low > signal.low) or (meta.high is not None and meta.high < signal.high)


def report(address: str, findings: Sequence[Finding], windows: Sequence[SignalMeta]) -> str:
    """Text for the terminal: troubles first, then a count."""
    lines = [f"{address}: {sum(not finding.problem for finding in findings)} of {len(findings)} signals as we need them"]
    for blocks, title in ((True, "needed, and not as it must be"), (False, "would be nice, and is not there")):
        troubled = [finding for finding in findings if finding.problem and finding.blocks is blocks]
        if troubled:
            width = max(len(finding.path) for finding in troubled)
            lines += ["", f"{title}:"] + [f"  {finding.path:<{width}}  {finding.problem}" for finding in troubled]
    unsaid = [meta.path for meta in windows if "100 = open" not in meta.comment]
    if unsaid:
        lines += [
            "",
            "We take window position 0 as closed and 100 as open; this databroker does not say so. Check one window by hand.",
        ]
    return "\n".join(lines)


async def check(address: str, access: Access = OPEN, mapping: CarMapping = AS_IN_VSS_6) -> tuple[str, bool]:
    """The report, and whether everything needed is there. Raises UserError when the databroker cannot be asked."""
    broker = KuksaBroker(address, access)
    try:
        offered = await broker.list_metadata()
        served = {mapping.ours(meta.path) for meta in offered}
        values = await MappedBroker(broker, mapping).read([path for path in SIGNALS if path in served])
    except BrokerAway as error:
        raise UserError(f"{error}: start one with `ridealong car serve`, or name it with --broker HOST:PORT.") from error
    finally:
        await broker.close()
    findings = compare(SIGNALS.values(), offered, values, mapping)
    windows = [meta for meta in offered if mapping.ours(meta.path) and meta.path.endswith("Window.Position")]
    return report(f"databroker {address}", findings, windows), not any(finding.blocks for finding in findings if finding.problem)


LISTENS_S: Final = 2.0


async def check_bus(file: CanFile) -> tuple[str, bool]:
    """What comes over a CAN bus in two seconds, against what the vehicle file says is there. Raises UserError where it can't be opened."""
    from ridealong.vehicle_skills.can_broker import CanBroker

    broker = CanBroker(file)
    try:
        offered = await broker.list_metadata()
        await asyncio.sleep(LISTENS_S)
        values = await broker.read(sorted(file.reads))
    except BrokerAway as error:
        raise UserError(f"{error}: is the interface up, and its name right?") from error
    finally:
        await broker.close()
    findings = compare(SIGNALS.values(), offered, values)
    return report(f"on the bus {file.channel}", findings, ()), not any(one.blocks for one in findings if one.problem)


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--broker", default=DEFAULT_ADDRESS, metavar="HOST:PORT", help=f"the databroker (default {DEFAULT_ADDRESS})"
    )
    parser.add_argument("--vehicle", type=Path, metavar="FILE", help="the vehicle file of this model of car")
    parser.add_argument("--drive", choices=("left", "right"), help="where the driver sits, where the file does not say")
    parser.add_argument("--token-file", type=Path, help="a file with the JWT to present")
    parser.add_argument("--tls-ca", type=Path, help="PEM file of who signed the databroker's certificate")
    parser.add_argument("--tls-name", default="", help="the name in that certificate, where it is not the address")


def _run(options: argparse.Namespace) -> int:
    vehicle = read_vehicle(options.vehicle, options.drive) if options.vehicle is not None else None
    if vehicle is not None and vehicle.can is not None:
        text, complete = asyncio.run(check_bus(vehicle.can))
        print(text)
        return 0 if complete else 1
    text, complete = asyncio.run(
        check(
            options.broker,
            Access(options.token_file, options.tls_ca, options.tls_name),
            vehicle.mapping if vehicle is not None else AS_IN_VSS_6,
        )
    )
    print(text)
    return 0 if complete else 1


CHECK = Command("Compare a databroker with the signals that we use.", _configure, _run)
