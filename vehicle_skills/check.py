"""`ridealong car check`: what a databroker offers against the signals that we use, as a report for people.

Reads metadata and values; writes nothing to the car, so "no provider" is known for values only: a signal without a value
has nobody who publishes it.
"""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from ridealong.command import Command
from ridealong.errors import UserError
from ridealong.vehicle_skills.broker import OPEN, Access, BrokerAway, KuksaBroker, SignalMeta
from ridealong.vehicle_skills.can_file import CanFile
from ridealong.vehicle_skills.fitting import Finding, compare
from ridealong.vehicle_skills.mapped_broker import MappedBroker
from ridealong.vehicle_skills.mapping import AS_IN_VSS_6, CarMapping
from ridealong.vehicle_skills.signals import SIGNALS
from ridealong.vehicle_skills.vehicle_file import read_vehicle

DEFAULT_ADDRESS: Final = "127.0.0.1:55555"


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
