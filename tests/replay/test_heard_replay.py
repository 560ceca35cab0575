"""What was heard, end to end on virtual time: the real device's playout and acks, the scripted front-end, a cut, and the questions after it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ridealong.cli import main
from ridealong.simulators.car.plant import SignalSample
from ridealong.simulators.replay import assemble
from ridealong.simulators.room import Room
from ridealong.simulators.trip.expected import parse
from ridealong.simulators.trip.importer import write_trip
from ridealong.simulators.trip.record import RunRecord
from ridealong.vehicle_skills.signals import IGNITION, SELECTED_GEAR, SPEED

pytestmark = pytest.mark.replay
ANSWER = "About the charging stations: the cheapest is Lakeside charging station, 150 kilowatts at 39 cents."


@pytest.fixture(autouse=True)
def no_echo(monkeypatch: pytest.MonkeyPatch) -> None:
    """The scripted voice is tones, whose echo the device takes for somebody: it would duck, and what is ducked is not heard."""
    monkeypatch.setattr(assemble, "Room", lambda microphone, echo, seed: Room(microphone, None, seed=seed))


def replay(folder: Path, script: str, duration_s: int) -> list[dict[str, Any]]:
    """The decisions of a trip without a sound of its own; the run is left in folder/run."""
    rows = [SignalSample(0.0, IGNITION, "ON"), SignalSample(0.0, SELECTED_GEAR, 127), SignalSample(0.0, SPEED, 40.0)]
    quiet = np.zeros(duration_s * 16_000, np.int16)
    write_trip(
        folder / "trip.mcap", {"name": "heard"}, quiet, (), rows, (), parse("trip: heard\nexpect: []\n", duration_s=duration_s)
    )
    (folder / "script.yaml").write_text(script)
    command = ["trip", "replay", str(folder / "trip.mcap"), "--fast", "--no-live", "--frontend", "scripted"]
    assert main([*command, "--script", str(folder / "script.yaml"), "--out", str(folder / "run")]) == 0
    return [json.loads(line) for line in (folder / "run" / "decisions.jsonl").read_text().splitlines()]


def spoken(folder: Path) -> list[tuple[str, str]]:
    """Everything that was played of results, with how it ended ("One moment." is none)."""
    return [(fact.heard, fact.state) for fact in RunRecord.load(folder / "run").utterances if fact.work_id]


def delivery_of(lines: list[dict[str, Any]], capability: str) -> list[str]:
    return [line["delivery"] for line in lines if line["what"] == "work" and line["capability"] == capability]


def test_cut_at_two_seconds_then_what_did_you_just_say_then_go_on(tmp_path: Path) -> None:
    script = """\
- {unit: 2, delegate: find the cheapest charging station}
- {unit: 16, interrupt: true, intent: follow_up}
- {unit: 18, delegate: what did you just say}
- {unit: 20, interrupt: true, intent: stop}
- {unit: 23, delegate: go on}
- {unit: 31, delegate: go on}
"""
    lines = replay(tmp_path, script, 38)
    first, repeated, rest, all_said = spoken(tmp_path)
    assert first[1] == repeated[1] == "flushed" and rest[1] == all_said[1] == "finished"
    assert first[0] and ANSWER.startswith(first[0]) and len(first[0]) < len(ANSWER)
    boundaries = [line["text"] for line in lines if line["what"] == "heard"]
    assert len(boundaries) == 2
    for boundary, said, why in zip(boundaries, (first, repeated), ("follow_up", "stop"), strict=True):
        heard, unheard = boundary.removeprefix("heard: ").removesuffix(f" | cut by: {why}").split(" | not heard: ")
        assert f"{heard} {unheard}" == ANSWER
        assert heard.startswith(said[0]) and len(heard.split()) - len(said[0].split()) <= 1  # the last word may be heard by half
    assert ANSWER.endswith(rest[0]) and rest[0][0] != "A"  # from a clause, not from the beginning
    assert all_said[0] == "That was all."
    assert delivery_of(lines, "navigation.charging_search")[-1] == "withdrawn"
    assert delivery_of(lines, "talk.repeat")[-1] == "delivered"
    assert "not heard:" in (tmp_path / "run" / "report.html").read_text()


def test_go_on_makes_the_reply_itself_delivered(tmp_path: Path) -> None:
    script = """\
- {unit: 2, delegate: find the cheapest charging station}
- {unit: 16, interrupt: true, intent: stop}
- {unit: 26, delegate: please continue}
"""
    lines = replay(tmp_path, script, 33)
    (first, _), (rest, state) = spoken(tmp_path)
    assert rest == "the cheapest is Lakeside charging station, 150 kilowatts at 39 cents." and state == "finished"
    assert delivery_of(lines, "navigation.charging_search")[-4:] == ["withdrawn", "pending", "delivering", "delivered"]
    assert (
        ANSWER.startswith(first) and ANSWER.endswith(rest) and len(f"{first} {rest}") >= len(ANSWER)
    )  # from a clause on, none left out


def test_a_long_waited_for_result_of_which_little_was_heard_comes_after_the_new_answer(tmp_path: Path) -> None:
    script = """\
- {unit: 2, delegate: find the cheapest charging station}
- {unit: 16, interrupt: true, intent: follow_up, delegate: how fast are we going}
"""
    lines = replay(tmp_path, script, 28)
    said = [heard for heard, _ in spoken(tmp_path)]
    assert len(said) == 3 and ANSWER.startswith(said[0]) and "40 kilometres" in said[1]
    assert said[2] in (f"Again: {ANSWER}", "Again: the cheapest is Lakeside charging station, 150 kilowatts at 39 cents.")
    assert delivery_of(lines, "navigation.charging_search")[-1] == "delivered"


def test_never_mind_drops_the_rest_for_good(tmp_path: Path) -> None:
    script = """\
- {unit: 2, delegate: find the cheapest charging station}
- {unit: 16, interrupt: true, intent: stop, delegate: never mind}
- {unit: 20, delegate: go on}
"""
    lines = replay(tmp_path, script, 26)
    (first, state), (said, _) = spoken(tmp_path)
    assert (ANSWER.startswith(first), state, said) == (True, "flushed", "That was all.")
    assert delivery_of(lines, "navigation.charging_search")[-1] == "withdrawn"


def test_a_reply_cut_before_its_first_sound_can_be_asked_for(tmp_path: Path) -> None:
    script = """\
- {unit: 2, delegate: find the cheapest charging station}
- {unit: 15, interrupt: true, intent: stop}
- {unit: 18, delegate: go on}
"""
    lines = replay(tmp_path, script, 26)
    assert [line["text"] for line in lines if line["what"] == "heard"][0] == f"heard:  | not heard: {ANSWER} | cut by: stop"
    assert spoken(tmp_path)[-1] == (ANSWER, "finished")
    assert delivery_of(lines, "navigation.charging_search")[-1] == "delivered"


def test_a_link_that_is_down_for_twenty_seconds_costs_no_word(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the device holds is played meanwhile; the acks come late, and nothing is taken for lost or said twice."""
    from ridealong.simulators import network

    hole = network.NetworkPreset("hole", delay_ms=45, jitter_ms=10, outages_s=((15.0, 35.0),))
    monkeypatch.setitem(network.PRESETS, "lte", hole)
    script = "- {unit: 2, delegate: find the cheapest charging station}\n"
    rows = [SignalSample(0.0, SPEED, 40.0)]
    hum = np.zeros(60 * 16_000, np.int16)
    write_trip(tmp_path / "trip.mcap", {"name": "heard"}, hum, (), rows, (), parse("trip: heard\nexpect: []\n", duration_s=60))
    (tmp_path / "script.yaml").write_text(script)
    command = ["trip", "replay", str(tmp_path / "trip.mcap"), "--fast", "--no-live", "--frontend", "scripted", "--network", "lte"]
    assert main([*command, "--script", str(tmp_path / "script.yaml"), "--out", str(tmp_path / "run")]) == 0
    assert [(heard, state) for heard, state in spoken(tmp_path) if heard] == [
        (ANSWER, "finished")
    ]  # what was begun amid the backlog was cut before a sample of it
