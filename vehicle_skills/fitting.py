"""What a databroker offers, against the signals that we use: one finding a signal. Pure.

`ridealong car check` makes a report of it, the gateway in the car says at its start what stands in the way. Does not know a databroker, a file or a log.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ridealong.vehicle_skills.broker import SignalMeta, Update
from ridealong.vehicle_skills.mapping import AS_IN_VSS_6, CarMapping
from ridealong.vehicle_skills.signals import Kind, Signal


@dataclass(frozen=True, slots=True)
class Finding:
    """`problem` '' when the signal is as we need it; `blocks` when the product cannot do its job so."""

    path: str
    problem: str = ""
    blocks: bool = False


def compare(
    signals: Iterable[Signal], offered: Sequence[SignalMeta], values: Sequence[Update], mapping: CarMapping = AS_IN_VSS_6
) -> list[Finding]:
    """One finding a signal. `offered` has the car's own paths, `values` ours."""
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
            findings.append(Finding(signal.path, f"not an actuator{name}", signal.needed))
        elif problem := _narrower(signal, meta, mapping):
            findings.append(Finding(signal.path, f"{problem}{name}"))
        elif signal.path in without:
            findings.append(Finding(signal.path, "no provider, or no value yet", signal.gate))
        else:
            findings.append(Finding(signal.path))
    return findings


def _narrower(signal: Signal, meta: SignalMeta, mapping: CarMapping) -> str:
    """'' where the car takes all that we may send, in its own units and words."""
    if not signal.group:
        return ""
    sent = [_sent(signal, value, mapping) for value in (signal.low, signal.high) if value is not None]
    numbers = sorted(value for value in sent if isinstance(value, int | float))
    if len(numbers) == 2 and (
        (meta.low is not None and meta.low > numbers[0] + 1e-6) or (meta.high is not None and meta.high < numbers[1] - 1e-6)
    ):
        return f"narrower limits: {_limit(meta.low)} to {_limit(meta.high)}, we send {numbers[0]:g} to {numbers[1]:g}"
    if meta.allowed and signal.allowed:
        unknown = [str(word) for value in signal.allowed if (word := _sent(signal, value, mapping)) not in (None, *meta.allowed)]
        return f"has no word {', '.join(unknown)}" if unknown else ""
    return ""


def _limit(value: float | None) -> str:
    return "any" if value is None else f"{value:g}"


def _sent(signal: Signal, value: float | str, mapping: CarMapping) -> float | str | None:
    """None for what the car has no word for, and we therefore never send."""
    try:
        return mapping.to_car(signal.path, value)
    except ValueError:
        return None
