"""The command line: finds the subcommand in a table and imports its module only when it is called.

Knows no part of the product. Errors that a user can mend (`UserError`) print one sentence and exit 2; `--debug` shows the
traceback.
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from collections.abc import Sequence

from ridealong import __version__
from ridealong.command import Command
from ridealong.errors import UserError, mistake_in

# "group verb" or "name" -> (module:attribute, one line for the overview, the extra that brings its packages)
COMMANDS: dict[str, tuple[str, str, str]] = {
    "device run": ("ridealong.device.main:RUN", "run the device agent", "device"),
    "device doctor": ("ridealong.device.doctor:DOCTOR", "say what this device has and lacks", "device"),
    "cloud serve": ("ridealong.cloud.main:SERVE", "run a cloud node", "cloud"),
    "car serve": ("ridealong.simulators.car.main:SERVE", "run the simulated car (kuksa.val.v2)", "sim"),
    "car check": ("ridealong.vehicle_skills.check:CHECK", "compare a databroker with the signals that we use", "device"),
    "talk": ("ridealong.simulators.talk:TALK", "talk (or --text) to a local node and simulated car", "sim"),
    "trip import": ("ridealong.simulators.trip.commands:IMPORT", "make a trip from WAV, video, CSV, GPX", "sim"),
    "trip replay": ("ridealong.simulators.replay.main:REPLAY", "replay a trip and compare with what was expected", "sim"),
    "trip diff": ("ridealong.simulators.trip.commands:DIFF", "compare two runs or trips", "sim"),
    "trip info": ("ridealong.simulators.trip.commands:INFO", "what a trip holds", "sim"),
    "trip trim": ("ridealong.simulators.trip.more_commands:TRIM", "cut a stretch out of a trip", "sim"),
    "trip anonymise": (
        "ridealong.simulators.trip.more_commands:ANONYMISE",
        "a trip without pictures, places, ids and words",
        "sim",
    ),
    "trip record": ("ridealong.simulators.trip.recording:RECORD", "run the device agent and record a trip", "sim"),
    "trip report": ("ridealong.simulators.trip.commands:REPORT", "write the HTML report of a run again", "sim"),
    "bug-report": ("ridealong.simulators.bug_report:BUG_REPORT", "one archive of a run, without its content", "sim"),
    "eval duplex": (
        "ridealong.simulators.evaluation.main:DUPLEX",
        "measure conversation: overlaps, turns, noise, own voice",
        "sim",
    ),
    "eval tools": ("ridealong.simulators.evaluation.calls.main:TOOLS", "score tool calls from words", "sim"),
    "eval delegation": (
        "ridealong.simulators.evaluation.delegation.main:DELEGATION",
        "score what is delegated, and what is said when nothing works",
        "sim",
    ),
    "eval redteam": (
        "ridealong.simulators.evaluation.redteam.main:REDTEAM",
        "attack it by microphone and camera; count unsafe actuations",
        "sim",
    ),
    "skills list": ("ridealong.vehicle_skills.commands:LIST", "the skills and their contracts", "cloud"),
    "skills check": ("ridealong.vehicle_skills.commands:CHECK", "lint the skills", "cloud"),
    "skills new": ("ridealong.vehicle_skills.scaffold:NEW", "write a new skill with its test", "cloud"),
    "skills serve": ("ridealong.simulators.skills_serve:SERVE", "the skills as an MCP server", "sim"),
    "skills try": ("ridealong.cloud.skills_try:TRY", "what would be done for these words", "cloud"),
    "mcp check": ("ridealong.cloud.mcp_check:CHECK", "what the configured MCP servers offer", "cloud"),
    "models fetch": ("ridealong.cloud.frontends.cascade.commands:FETCH", "fetch and verify the embedded models", "cloud"),
    "models verify": ("ridealong.cloud.frontends.cascade.commands:VERIFY", "verify the embedded models", "cloud"),
    "model check": ("ridealong.cloud.model.commands:CHECK", "what a 9B model's checkpoint holds", "model"),
    "model fetch": ("ridealong.cloud.model.commands:FETCH", "fetch a 9B model's checkpoint at one commit", "model"),
    "model bench": ("ridealong.cloud.model.commands:BENCH", "measure a 9B model's checkpoint on this machine", "model"),
    "model chat": ("ridealong.cloud.model.chat_command:CHAT", "ask a 9B model something, by turns", "model"),
    "model voice": ("ridealong.cloud.model.commands:VOICE", "make a 9B model's voice from a recording", "model"),
    "model tiny": ("ridealong.cloud.model.commands:TINY", "write a small random checkpoint for tests", "model"),
    "train": ("ridealong.cloud.model.training.main:TRAIN", "train a 9B model's Thinker on records", "model"),
    "train materialise": ("ridealong.simulators.training.main:MATERIALISE", "make records from the scenario generator", "sim"),
    "work list": ("ridealong.harness.commands:LIST", "the work journal", "cloud"),
    "work show": ("ridealong.harness.commands:SHOW", "one work item", "cloud"),
    "work compact": ("ridealong.harness.commands:COMPACT", "remove old work, make the journal smaller", "cloud"),
    "work export": ("ridealong.harness.commands:EXPORT", "the journal as JSON lines", "cloud"),
}


def overview() -> str:
    width = max(map(len, COMMANDS))
    rows = "\n".join(f"  {name:<{width}}  {line}" for name, (_, line, _) in COMMANDS.items())
    return f"usage: ridealong COMMAND [options]   (ridealong COMMAND --help for each)\n\n{rows}\n"


def find(words: Sequence[str]) -> tuple[str, list[str]] | None:
    """The longest command name that the words begin with, and the rest."""
    for length in (2, 1):
        name = " ".join(words[:length])
        if len(words) >= length and name in COMMANDS:
            return name, list(words[length:])
    return None


def load(name: str) -> Command:
    target, _, extra = COMMANDS[name]
    module_name, attribute = target.split(":")
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.startswith("ridealong"):
            raise
        raise UserError(
            f"`ridealong {name}` needs the package {error.name!r}: install it with  pip install 'ridealong[{extra}]'."
        ) from error
    command = getattr(module, attribute)
    assert isinstance(command, Command)
    return command


def main(argv: Sequence[str] | None = None) -> int:
    words = list(sys.argv[1:] if argv is None else argv)
    debug = "--debug" in words or os.environ.get("RIDEALONG_DEBUG") == "1"
    words = [word for word in words if word != "--debug"]
    if not words or words[0] in ("-h", "--help", "help"):
        print(overview(), end="")
        return 0 if words else 2
    if words[0] == "--version":
        print(f"ridealong {__version__}")
        return 0
    group = [name for name in COMMANDS if name.split()[0] == words[0] and name != words[0]]
    if group and words[0] not in COMMANDS and (len(words) == 1 or words[1] in ("-h", "--help")):
        print("".join(f"  ridealong {name:<18} {COMMANDS[name][1]}\n" for name in group), end="")
        return 0 if len(words) > 1 else 2
    found = find(words)
    if found is None:
        near = [name for name in COMMANDS if name.split()[0] == words[0]]
        hint = f"; did you mean one of: {', '.join(near)}?" if near else "; `ridealong --help` lists them."
        print(f"ridealong: there is no command {' '.join(words[:2])!r}{hint}", file=sys.stderr)
        return 2
    name, rest = found
    try:
        command = load(name)
        parser = argparse.ArgumentParser(prog=f"ridealong {name}", description=command.summary, allow_abbrev=False)
        command.configure(parser)
        return command.run(parser.parse_args(rest))
    except (UserError, BaseExceptionGroup) as error:
        mistake = mistake_in(error)
        if debug or mistake is None:
            raise
        print(f"ridealong: {mistake}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        sys.stderr.close()
        return 1
    except KeyboardInterrupt:
        print("ridealong: stopped.", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
