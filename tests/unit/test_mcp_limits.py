"""What a server's program may use: the settings, the judgement over time, and what is said where a machine can't keep it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ridealong.harness.mcp.config import McpServer
from ridealong.harness.mcp.limits import WINDOW_S, Held, Judge, Limits, Used

pytestmark = pytest.mark.unit

LIMITS = Limits(memory_mb=100, cpu_s=10, processes=8)
HELD = Held(("namespace", "filter"), "cgroup", True, True, True)


@pytest.mark.parametrize(
    ("used", "why"),
    [
        (Used(100, 10, 8), ""), (Used(101, 0, 1), "more than 100 MB of memory (memory_mb)"), (Used(1, 0, 9), "more than 8 processes and threads (processes)"),
        (Used(1, 10.5, 1), "more than 10 s of processor time within a minute (cpu_s)"),
    ],
)  # fmt: skip
def test_who_goes_beyond_is_told_which_setting_it_was(used: Used, why: str) -> None:
    assert why in Judge(LIMITS).on(0.0, used) and bool(Judge(LIMITS).on(0.0, used)) is bool(why)


def test_processor_time_counts_within_a_minute() -> None:
    judge = Judge(LIMITS)
    steady = [judge.on(float(at), Used(1, at / 7, 1)) for at in range(600)]  # a seventh of a core, for ever
    assert set(steady) == {""}
    spins = [judge.on(600.0 + at, Used(1, 600 / 7 + at, 1)) for at in range(20)]
    assert spins[0] == "" and "cpu_s" in spins[-1]


@given(st.lists(st.tuples(st.floats(0.1, 30), st.floats(0, 20)), max_size=60))
def test_nobody_is_ended_for_less_than_the_limit_and_everybody_for_more_than_twice(steps: list[tuple[float, float]]) -> None:
    judge, at_s, cpu_s = Judge(LIMITS), 0.0, 0.0
    seen = [(0.0, 0.0)]
    judge.on(0.0, Used(1, 0.0, 1))
    for passed_s, used_s in steps:
        at_s, cpu_s = at_s + passed_s, cpu_s + used_s
        why = judge.on(at_s, Used(1, cpu_s, 1))
        seen.append((at_s, cpu_s))
        least = cpu_s - min(c for a, c in seen if a >= at_s - WINDOW_S)  # what surely fell into the window
        most = cpu_s - max((c for a, c in seen if a <= at_s - WINDOW_S), default=0.0)
        if least > LIMITS.cpu_s:
            assert why
        if most <= LIMITS.cpu_s:
            assert not why


@pytest.mark.parametrize("network", [("namespace",), ("filter",), ("namespace", "filter"), ("allowed",)])
def test_what_holds_travels_and_a_gap_is_said(network: tuple[str, ...]) -> None:
    held = replace(HELD, network=network)
    data = {**held.as_data(), "network": list(network)}
    assert Held.from_data(data) == held and held.gaps == ()
    assert len(Held.from_data({**data, "processes": "counted", "apart": False, "signals": False, "memory": False}).gaps) == 4
    for wrong in ({"network": "all"}, {"network": ["python"]}, {"processes": "none"}, {"apart": 1}, {"signals": None}):
        with pytest.raises(ValueError):
            Held.from_data({**data, **wrong})


def test_the_report_says_the_network_plainly() -> None:
    assert HELD.sentence(LIMITS).startswith("no network (namespace, filter); at most 100 MB, 10 s")
    assert "may use the network" in HELD.sentence(replace(LIMITS, network=True))


@pytest.mark.parametrize(
    ("setting", "says"),
    [
        ({"memory_mb": 1}, "memory_mb of the MCP server 'box' must lie between 32 and 65536."), ({"cpu_s": 0}, "cpu_s of the MCP server 'box'"),
        ({"processes": 3}, "processes of the MCP server 'box'"),
    ],
)  # fmt: skip
def test_a_setting_beyond_all_bounds_is_named(setting: dict[str, int], says: str) -> None:
    assert says in str(McpServer("box", "program", **setting).check())  # type: ignore[arg-type]


def test_nothing_stated_is_no_network_and_an_address_has_no_such_limits() -> None:
    assert McpServer("box", "program").limits == Limits() and not Limits().network
    assert McpServer("box", url="http://x").check() is None
    for setting in ({"network": True}, {"memory_mb": 64}, {"cpu_s": 5}, {"processes": 8}):
        assert "belong to a command" in str(McpServer("box", url="http://x", **setting).check())  # type: ignore[arg-type]
