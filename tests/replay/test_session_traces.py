"""Golden traces of the session: traces/session.txt has the scripts, traces/session.golden.txt what both ends did.

RIDEALONG_GOLDEN=write rewrites the golden file (make golden).
"""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent / "unit"))
from fake_link import HELLO, FakeLink  # noqa: E402

from ridealong.proto import types as t  # noqa: E402
from ridealong.proto.session_events import Received  # noqa: E402

pytestmark = pytest.mark.replay

TRACES = Path(__file__).parent / "traces"


def play(script: str) -> list[str]:
    """The trace of one script: a line per command, then what it made both ends do."""
    link = FakeLink()
    lines: list[str] = []
    for command in (word.strip() for word in script.split("|")):
        link.trace.clear()
        match command.split():
            case ["connect"]:
                link.connect()
            case ["cut"]:
                link.cut()
            case ["wait", ms]:
                link.advance(float(ms))
            case ["up", text]:
                link.send(link.device, t.TextInput(t.Samples(0), text))
            case ["down", text]:
                link.send(link.cloud, t.Notice("n", text))
            case ["close"]:
                link.send(link.device, t.Close("done"))
            case ["hold"]:
                link.cloud.commits = False
            case ["commit"]:
                link.commit_all()
            case ["repeat"]:
                link.repeat(link.cloud)
            case ["inject", seq]:
                link.feed(
                    link.cloud, Received(link.now_ms, t.Envelope(t.Seq(int(seq)), t.Seq(0), t.TextInput(t.Samples(0), "?")))
                )
            case ["forget"]:
                link.cloud = link.new_cloud("s2", "token-2")
            case ["versions", least, most]:
                link.device.peer.hello = replace(HELLO, version_min=int(least), version_max=int(most))
            case ["mute"]:
                link.delay_ms = 10_000_000
            case _:
                raise ValueError(f"unknown command {command!r}")
        lines += [f"> {command}", *link.trace]
    return lines


def test_traces() -> None:
    pages = []
    for block in (TRACES / "session.txt").read_text(encoding="utf-8").split("\n\n"):
        title, script = block.strip().split("\n")
        pages.append("\n".join([title, *play(script)]))
    text = "\n\n".join(pages) + "\n"
    golden = TRACES / "session.golden.txt"
    if os.environ.get("RIDEALONG_GOLDEN") == "write":
        golden.write_text(text, encoding="utf-8")
    assert text == golden.read_text(encoding="utf-8")
