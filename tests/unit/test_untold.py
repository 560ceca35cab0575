"""What was done and never told: the row of the request says so, and what overtook it."""

from __future__ import annotations

import pytest

from ridealong.simulators.trip.expected import parse
from ridealong.simulators.trip.judge import judge
from ridealong.simulators.trip.record import ActuationFact, RunRecord, SignalChange, UtteranceFact, WorkFact

pytestmark = pytest.mark.unit
PATH = "Vehicle.Cabin.HVAC.Station.Row1.Driver.Temperature"
EXPECTED = parse(
    f"""\
expect:
  - {{id: nineteen, said: {{from: 1, to: 3}}, signal: {{path: {PATH}, value: 19.0, within_s: 6}}}}
  - {{id: twenty, said: {{from: 7, to: 8}}, signal: {{path: {PATH}, value: 20.0, within_s: 6}}, reply: {{contains_any: ["20"], heard: true}}}}
"""
).expect


def run(*, twenty: bool = True, heard: str = "", delivery: str = "withdrawn") -> dict[str, str]:
    record = RunRecord(duration_s=30)
    record.signals = [SignalChange(0, PATH, 22.0), SignalChange(4.0, PATH, 19.0)]
    record.actuations = [ActuationFact(3.9, 3.9, "s1-w1.0", "climate", ((PATH, 19.0),), "confirmed")]
    record.work = [
        WorkFact(3.8, "s1-w1", "running", "none", "climate.set_temperature"),
        WorkFact(6, "s1-w1", "completed", delivery),
    ]
    if heard:
        record.utterances.append(UtteranceFact(1, 1, 4.1, 4.2, 5.0, "Set to 19 degrees.", heard, "flushed", work_id="s1-w1"))
    if twenty:
        record.signals.append(SignalChange(9.0, PATH, 20.0))
        record.actuations.append(ActuationFact(8.7, 8.7, "s1-w2.0", "climate", ((PATH, 20.0),), "confirmed"))
        record.work += [
            WorkFact(8.6, "s1-w2", "running", "none", "climate.set_temperature"),
            WorkFact(11, "s1-w2", "completed", "delivered"),
        ]
        record.utterances.append(
            UtteranceFact(2, 2, 9.1, 9.2, 10.0, "Set to 20 degrees.", "Set to 20 degrees.", "finished", work_id="s1-w2")
        )
    return {outcome.id: outcome.why for outcome in judge(EXPECTED, record)}


def test_what_a_newer_request_has_overtaken_is_said_to_be_untold() -> None:
    whys = run()
    assert whys["nineteen"].endswith(
        "climate.set_temperature: done, and overtaken (Temperature = 20 at 8.7 s) before it could be told"
    )
    assert "overtaken" not in whys["twenty"] and "told" not in whys["twenty"]


def test_what_was_cut_or_dropped_without_anything_newer_is_said_too() -> None:
    assert run(twenty=False)["nineteen"].endswith("climate.set_temperature: done, and never told")
    assert run(twenty=False, heard="Set to")["nineteen"].endswith("done, and told as far as “Set to”; the rest was dropped")


def test_what_was_told_is_not_mentioned() -> None:
    assert "told" not in run(delivery="delivered")["nineteen"] and "told" not in run(twenty=False, delivery="pending")["nineteen"]
