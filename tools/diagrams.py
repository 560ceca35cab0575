"""Draws the state machines from their tables: docs/diagrams/<name>.md (mermaid). With --check, exits 1 when one has drifted.

A new core is added to MACHINES: module, name of its table, first state, name of the picture. The table maps (state, event type or
event value) to the next state. Does not know what the states mean.
"""

from __future__ import annotations

import argparse
import importlib
import sys
from collections import defaultdict
from enum import Enum
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent


class Machine(NamedTuple):
    module: str
    table: str
    first: str
    picture: str


MACHINES = [
    Machine("ridealong.proto.session_states", "TRANSITIONS", "down", "session"),
    Machine("ridealong.device.playout", "TRANSITIONS", "idle", "playout"),
    Machine("ridealong.device.reflex", "TRANSITIONS", "quiet", "reflex"),
    Machine("ridealong.harness.work", "EXECUTION_TRANSITIONS", "queued", "work-execution"),
    Machine("ridealong.harness.work", "DELIVERY_TRANSITIONS", "none", "work-delivery"),
    Machine("ridealong.harness.standing", "TRANSITIONS", "armed", "standing"),
    Machine("ridealong.harness.mcp.restarting", "TABLE", "waiting", "mcp-server"),
]


def drawing(machine: Machine) -> str:
    """The whole page of one machine."""
    module = importlib.import_module(machine.module)
    edges: dict[tuple[str, str], list[str]] = defaultdict(list)
    for (state, event), after in getattr(module, machine.table).items():
        edges[_label(state), _label(after)].append(_label(event))
    lines = [f"    {source} --> {target}: {', '.join(events)}" for (source, target), events in edges.items()]
    ends = sorted({target for _, target in edges} - {source for source, _ in edges})
    about = (module.__doc__ or "").strip().splitlines()[0]
    return "\n".join(
        [
            f"# {machine.picture}",
            "",
            f"{about}",
            "",
            f"Generated from `{machine.module}.{machine.table}` by tools/diagrams.py.",
            "",
            "```mermaid",
            "stateDiagram-v2",
            f"    [*] --> {machine.first}",
            *lines,
            *(f"    {end} --> [*]" for end in ends),
            "```",
            "",
        ]
    )


def _label(value: Any) -> str:
    if isinstance(value, Enum):
        return str(value.value)
    return str(getattr(value, "__name__", value))


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="change nothing; exit 1 when a committed picture differs")
    options = parser.parse_args(argv)
    drifted = []
    for machine in MACHINES:
        path = ROOT / "docs" / "diagrams" / f"{machine.picture}.md"
        page = drawing(machine)
        if path.exists() and path.read_text(encoding="utf-8") == page:
            continue
        if options.check:
            drifted.append(path.relative_to(ROOT).as_posix())
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(page, encoding="utf-8")
            print(f"wrote {path.relative_to(ROOT)}")
    if drifted:
        print(f"{', '.join(drifted)} differ from their tables: run `python tools/diagrams.py` and commit.", file=sys.stderr)
    return 1 if drifted else 0


if __name__ == "__main__":
    raise SystemExit(main())
