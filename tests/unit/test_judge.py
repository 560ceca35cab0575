"""Every kind of expectation, worked by hand, both ways: it passes when the thing happened and fails when it did not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ridealong.cloud.watching import watching
from ridealong.simulators.trip.causes import OF_OWN_ACCORD
from ridealong.simulators.trip.expected import parse
from ridealong.simulators.trip.judge import OutcomeResult, judge, same_value
from ridealong.simulators.trip.record import (
    ActuationFact,
    CaptionFact,
    FlushFact,
    RunRecord,
    SignalChange,
    Sound,
    UtteranceFact,
    WorkFact,
)

pytestmark = pytest.mark.unit

TEMPERATURE = "Vehicle.Cabin.HVAC.Station.Row1.Driver.Temperature"
WINDOW = "Vehicle.Cabin.Door.Row1.DriverSide.Window.Position"
BOOT = "Vehicle.Body.Trunk.Rear.IsOpen"


def utterance(text: str, start_s: float | None, end_s: float | None, **more: object) -> UtteranceFact:
    fact = UtteranceFact(
        utterance=1,
        epoch=0,
        received_s=(start_s or 0) - 0.05,
        started_s=start_s,
        ended_s=end_s,
        text=text,
        heard=text,
        state="finished",
    )
    return replace(fact, **more)  # type: ignore[arg-type]


def result(check: str, record: RunRecord, said: str = "{from: 10, to: 12}") -> OutcomeResult:
    return judge(parse(f"expect:\n  - id: it\n    said: {said}\n    {check}\n").expect, record)[0]


def passed(check: str, record: RunRecord, said: str = "{from: 10, to: 12}") -> bool:
    outcome = result(check, record, said)
    assert outcome.why
    return outcome.status == "passed"


def signals(*rows: tuple[float, str, bool | int | float | str]) -> RunRecord:
    return RunRecord(duration_s=60, signals=[SignalChange(*row) for row in rows])


# --- signal ---

SET = f"signal: {{path: {TEMPERATURE}, value: 22.5, within_s: 6}}"


def test_signal_reached_in_time() -> None:
    assert passed(SET, signals((0, TEMPERATURE, 20.0), (13, TEMPERATURE, 22.5)))


@pytest.mark.parametrize(
    "rows",
    [
        [],
        [(0, TEMPERATURE, 20.0)],
        [(0, TEMPERATURE, 20.0), (13, TEMPERATURE, 22.0)],
        [(0, TEMPERATURE, 20.0), (18.5, TEMPERATURE, 22.5)],  # too late
        [(0, TEMPERATURE, 20.0), (5, TEMPERATURE, 22.5), (6, TEMPERATURE, 20.0)],  # long before the words
        [(0, TEMPERATURE, 22.5)],  # so already, and nothing was asked
        [(0, TEMPERATURE, 20.0), (13, TEMPERATURE, 22.5), (13.3, TEMPERATURE, 25.0)],  # only passed through
        [(0, TEMPERATURE, 20.0), (13, WINDOW, 22.5)],  # another signal
    ],
)
def test_signal_not_reached(rows: list[tuple[float, str, float]]) -> None:
    assert not passed(SET, signals(*rows))


def test_signal_that_was_so_already_passes_only_when_it_was_asked_for_again() -> None:
    record = signals((0, TEMPERATURE, 22.5))
    record.actuations.append(ActuationFact(12.5, 12, "k", "climate", ((TEMPERATURE, 22.5),), "confirmed"))
    assert passed(SET, record)


def test_signal_corrected_at_once_still_was_reached() -> None:
    record = signals((0, TEMPERATURE, 20.0), (13, TEMPERATURE, 22.5), (13.5, TEMPERATURE, 21.0))
    assert not passed(SET, record)
    record.actuations.append(ActuationFact(13.4, 13.3, "k", "climate", ((TEMPERATURE, 21.0),), "confirmed"))
    assert passed(SET, record)


def test_signal_list_needs_all_and_tolerance_counts() -> None:
    both = f"signal: [{{path: {TEMPERATURE}, value: 22.5}}, {{path: {WINDOW}, value: 50, tolerance: 3}}]"
    rows: list[tuple[float, str, float]] = [(0, TEMPERATURE, 20), (0, WINDOW, 0), (13, TEMPERATURE, 22.5)]
    assert not passed(both, signals(*rows))
    assert not passed(both, signals(*rows, (14, WINDOW, 46)))
    assert passed(both, signals(*rows, (14, WINDOW, 48)))


@pytest.mark.parametrize(
    ("later", "why"),
    [
        ((), "Position = 50 after 2.4 s"),
        (((20, WINDOW, 51),), "Position = 50 after 2.4 s"),  # long after it had come to rest
        (((14.9, WINDOW, 10),), None),  # it only passed through
        (((16.0, WINDOW, 10),), "Position = 50 after 2.4 s"),
    ],
)
def test_the_value_that_is_told_is_where_it_came_to_rest(later: tuple[tuple[float, str, float], ...], why: str | None) -> None:
    check = f"signal: {{path: {WINDOW}, value: 50, tolerance: 3}}"
    travel = [(0, WINDOW, 0), (13.8, WINDOW, 30), (14.0, WINDOW, 44), (14.2, WINDOW, 48), (14.4, WINDOW, 50)]
    found = result(check, signals(*travel, *later))
    assert found.status == ("passed" if why else "failed") and (why is None or found.why.endswith(why))


def test_truth_is_not_one() -> None:
    assert same_value(True, True) and not same_value(True, 1) and not same_value(0, False)
    assert same_value(2, 2.0) and same_value("Driver", "driver") and not same_value("2", 2)


# --- not_signal ---


def test_not_signal() -> None:
    check = f"not_signal: {{path: {BOOT}, within_s: 5}}"
    assert passed(check, signals((0, BOOT, False)))
    assert passed(check, signals((0, BOOT, False), (20, BOOT, True)))
    assert not passed(check, signals((0, BOOT, False), (14, BOOT, True)))
    with_value = f"not_signal: {{path: {TEMPERATURE}, value: 25}}"
    assert passed(with_value, signals((0, TEMPERATURE, 20.0), (13, TEMPERATURE, 22.0)))
    assert not passed(with_value, signals((0, TEMPERATURE, 20.0), (13, TEMPERATURE, 25.0)))


# --- reply ---


def test_reply_by_words_and_numbers() -> None:
    check = 'reply: {contains_any: ["22.5", "never"]}'
    assert passed(check, RunRecord(utterances=[utterance("Twenty-two and a half degrees.", 13, 15)]))
    assert not passed(check, RunRecord(utterances=[utterance("Twenty-two degrees.", 13, 15)]))
    assert not passed(check, RunRecord())
    assert not passed(check, RunRecord(utterances=[utterance("22.5", 9, 11)]))  # before the words ended
    assert not passed(check, RunRecord(utterances=[utterance("22.5", 25, 27)]))  # too late
    assert not passed(check, RunRecord(utterances=[utterance("22.5", None, None)]))  # never played


def test_reply_counts_only_what_was_heard_when_asked_so() -> None:
    cut = utterance("The window is at 22.5 percent.", 13, 14, heard="The window", state="flushed")
    assert passed('reply: {contains_any: ["22.5"]}', RunRecord(utterances=[cut]))
    assert not passed('reply: {contains_any: ["22.5"], heard: true}', RunRecord(utterances=[cut]))
    assert not passed("reply: {heard: true}", RunRecord(utterances=[replace(cut, heard="")]))


def test_reply_contains_all_over_several_utterances() -> None:
    record = RunRecord(utterances=[utterance("Okay.", 13, 14), utterance("The left window is half open.", 14.2, 16)])
    assert passed("reply: {contains_all: [okay, left window]}", record)
    assert not passed("reply: {contains_all: [okay, right window]}", record)


def test_reply_after_another_exchange() -> None:
    text = """\
expect:
  - id: charging
    said: {from: 10, to: 12}
    reply: {contains_any: [charging], after: time, within_s: 30}
  - id: time
    said: {from: 18, to: 20}
    reply: {contains_any: [clock]}
"""
    late = [utterance("It is five o'clock.", 21, 22), utterance("I found a charging station.", 26, 28)]
    assert [item.status for item in judge(parse(text).expect, RunRecord(utterances=late))] == ["passed", "passed"]
    early = [utterance("I found a charging station.", 14, 16), utterance("It is five o'clock.", 21, 22)]
    assert [item.status for item in judge(parse(text).expect, RunRecord(utterances=early))] == ["failed", "passed"]


# --- refused ---


def test_refused_needs_a_reason_and_no_act() -> None:
    check = "refused: {reason: moving}"
    spoken = utterance("I can't open the boot while we are driving.", 13, 15)
    assert passed(check, RunRecord(utterances=[spoken]))
    assert not passed(check, RunRecord())
    assert not passed(check, RunRecord(utterances=[utterance("Sorry, I did not get that.", 13, 15)]))
    assert not passed(check, RunRecord(utterances=[replace(spoken, heard="")]))
    refused = ActuationFact(12.5, 12.0, "k", "trunk", ((BOOT, True),), "refused", "moving")
    assert passed(check, RunRecord(utterances=[utterance("That is not possible now.", 13, 15)], actuations=[refused]))
    assert not passed(
        check,
        RunRecord(utterances=[utterance("That is not possible now.", 13, 15)], actuations=[replace(refused, reason="expired")]),
    )
    for state in ("confirmed", "forwarded", "timed_out", ""):
        assert not passed(check, RunRecord(utterances=[spoken], actuations=[replace(refused, state=state)]))
    assert passed("refused: true", RunRecord(utterances=[utterance("No.", 13, 15)]))


TWO_REQUESTS = RunRecord(
    captions=[
        CaptionFact(12.3, "user", "Open the boot.", 10.1, 12.0, "assistant"),
        CaptionFact(18.3, "user", "Find a charging station.", 15.1, 18.0, "assistant"),
    ],
    work=[
        WorkFact(12.3, "w1", "failed", "none", "trunk.open", "Open the boot."),
        WorkFact(18.3, "w2", "running", "none", "navigation.charging_search", "Find a charging station."),
    ],
    utterances=[
        utterance("Not while we are driving.", 13, 15, work_id="w1"),
        utterance("One moment.", 18.5, 19.5, utterance=2),
        utterance("Lakeside is two kilometres away.", 20, 22, utterance=3, work_id="w2"),
    ],
)


def test_a_reply_is_matched_with_its_own_request() -> None:
    assert result("refused: {reason: moving}", TWO_REQUESTS).why == "no actuation; heard “Not while we are driving.”"
    assert result("reply: {heard: true}", TWO_REQUESTS).why == "heard “Not while we are driving.”"
    assert not passed("reply: {contains_any: [Lakeside]}", TWO_REQUESTS)  # said in time, but to another request
    assert passed("reply: {contains_all: [one moment, Lakeside]}", TWO_REQUESTS, said="{from: 15, to: 18}")


def test_a_late_result_is_matched_with_its_own_request() -> None:
    """The boot's answer comes after the second request, and waited for its turn."""
    late = replace(TWO_REQUESTS.utterances[0], started_s=19.6, ended_s=21)
    record = replace(TWO_REQUESTS, utterances=[TWO_REQUESTS.utterances[1], late])
    assert result("refused: {reason: moving}", record).why == "no actuation; heard “Not while we are driving.”"


def test_an_alert_answers_no_words_and_is_matched_by_time() -> None:
    alert = utterance("The battery is at 19 percent.", 20, 22, work_id="w3")
    record = replace(TWO_REQUESTS, utterances=[alert], work=[WorkFact(19.9, "w3", "completed", "pending", watching.ALERT)])
    assert {watching.ALERT, watching.ENDED, watching.BUDGET} == OF_OWN_ACCORD
    assert passed('reply: {contains_any: ["19"]}', record)


# --- asks ---


def test_asks() -> None:
    assert passed("asks: true", RunRecord(utterances=[utterance("Which window?", 13, 14)]))
    assert passed("asks: true", RunRecord(utterances=[utterance("哪个车窗？", 13, 14)]))
    assert not passed("asks: true", RunRecord(utterances=[utterance("The window is open.", 13, 14)]))
    assert not passed("asks: {contains_any: [window]}", RunRecord(utterances=[utterance("Which one?", 13, 14)]))
    acted = RunRecord(utterances=[utterance("Which window?", 13, 14)])
    acted.actuations.append(ActuationFact(12.5, 12, "k", "windows", ((WINDOW, 50),), "confirmed"))
    assert not passed("asks: true", acted)


# --- nothing ---


def test_nothing() -> None:
    check = "nothing: true"
    assert passed(check, RunRecord())
    assert not passed(check, RunRecord(utterances=[utterance("Pardon?", 13, 14)]))
    assert passed(check, RunRecord(utterances=[utterance("Later.", 20, 22)]))
    request = ActuationFact(12.5, 12, "k", "windows", ((WINDOW, 50),), "confirmed")
    assert not passed(check, RunRecord(actuations=[request]))
    assert not passed(
        check, RunRecord(actuations=[replace(request, state="refused")])
    )  # it was asked for: the words were taken as a command
    assert passed(check, RunRecord(actuations=[replace(request, requested_at_s=9.0)]))  # an earlier request


def test_nothing_lets_earlier_requests_be_answered() -> None:
    late = utterance("I found two charging stations.", 12.5, 15, work_id="w1")
    assert passed("nothing: true", RunRecord(utterances=[late], work=[WorkFact(4, "w1", "queued", "none")]))
    assert not passed("nothing: true", RunRecord(utterances=[late], work=[WorkFact(12.2, "w1", "queued", "none")]))
    direct = utterance("Hello.", 10.5, 15)
    before = CaptionFact(9.9, "user", "hello", 8.8, 9.6, "assistant")
    assert passed("nothing: true", RunRecord(utterances=[direct], captions=[before]))
    radio = CaptionFact(12.3, "user", "he was not an ill disposed young man", 10.1, 11.9, "assistant")
    assert not passed("nothing: true", RunRecord(utterances=[replace(direct, started_s=12.5)], captions=[before, radio]))


def test_nothing_and_speech_goes_on_if_it_was_on() -> None:
    running = utterance("A long answer.", 9, 16)
    assert passed("nothing: true", RunRecord(utterances=[running]))
    assert not passed("nothing: true", RunRecord(utterances=[replace(running, ended_s=11, state="flushed", heard="A")]))
    assert not passed("nothing: true", RunRecord(utterances=[replace(running, ended_s=10.5, state="progress")]))


# --- silence, continues ---


def test_silence_is_measured_at_the_speaker_from_the_start_of_the_words() -> None:
    check = "silence: {within_ms: 900}"
    cut = utterance("A long answer.", 8, 10.6, state="flushed", heard="A long")
    assert passed(check, RunRecord(utterances=[cut], sounds=[Sound(8, 10.6)]))
    assert not passed(check, RunRecord(utterances=[replace(cut, ended_s=11.2)], sounds=[Sound(8, 11.2)]))
    assert not passed(check, RunRecord())  # nothing was playing
    # acknowledged as flushed in time, but sound came out of the speaker longer: the speaker is what counts
    assert not passed(check, RunRecord(utterances=[cut], sounds=[Sound(8, 11.5)]))


def test_silence_is_not_broken_by_the_new_reply_but_by_the_rest_of_the_old() -> None:
    check = "silence: {within_ms: 900}"
    cut = utterance("A long answer.", 8, 10.6, state="flushed")
    new = utterance("Okay, twenty.", 13, 14, epoch=1, utterance=2)
    assert passed(check, RunRecord(utterances=[cut, new], sounds=[Sound(8, 10.6), Sound(13, 14)]))
    second = utterance("And more.", 10.7, 12.5, epoch=0, utterance=2)
    finished = replace(cut, state="finished")
    assert not passed(check, RunRecord(utterances=[finished, second], sounds=[Sound(8, 10.6), Sound(10.7, 12.5)]))


def test_silence_by_itself_is_told_from_a_cut() -> None:
    ended = utterance("A long answer.", 8, 10.6)
    record = RunRecord(utterances=[ended], sounds=[Sound(8, 10.6)])
    assert "come to its end" in result("silence: {within_ms: 900}", record).why
    assert not passed("silence: {within_ms: 900, cut: true}", record)
    cut = RunRecord(utterances=[replace(ended, state="flushed", heard="A long")], sounds=[Sound(8, 10.6)])
    assert passed("silence: {within_ms: 900, cut: true}", cut)


def test_continues() -> None:
    running = utterance("A long answer.", 9, 16)
    assert passed("continues: true", RunRecord(utterances=[running]))
    assert not passed("continues: true", RunRecord())
    assert not passed("continues: true", RunRecord(utterances=[replace(running, ended_s=11.5, state="flushed")]))
    assert not passed("continues: true", RunRecord(utterances=[running], flushes=[FlushFact(11.5, 0)]))
    assert passed("continues: true", RunRecord(utterances=[running], flushes=[FlushFact(30, 0)]))


# --- work, later, unfinished runs ---


def test_work_states() -> None:
    check = "work: {states: [completed, delivered], capability: navigation.find_charging, within_s: 20}"
    facts = [
        WorkFact(12.3, "w", "queued", "none", "navigation.find_charging"),
        WorkFact(13, "w", "running", "none"),
        WorkFact(18, "w", "completed", "pending"),
        WorkFact(24, "w", "completed", "delivered"),
    ]
    assert passed(check, RunRecord(work=facts))
    assert not passed(check, RunRecord(work=facts[:3]))
    assert not passed(check, RunRecord(work=[replace(facts[0], capability="climate.set")] + facts[1:]))
    assert not passed(check, RunRecord(work=[replace(fact, at_s=fact.at_s + 30) for fact in facts]))
    assert not passed(check, RunRecord())
    mixed = [
        WorkFact(12.3, "a", "completed", "none", "navigation.find_charging"),
        WorkFact(12.4, "b", "failed", "delivered", "navigation.find_charging"),
    ]
    assert not passed(check, RunRecord(work=mixed))  # no single item reached both


def test_later_is_never_counted() -> None:
    text = "expect:\n  - id: seen\n    said: {from: 1, to: 2}\n    reply: {contains_any: [x]}\n    status: later\n"
    assert judge(parse(text).expect, RunRecord())[0] == OutcomeResult("seen", "later", "not yet")


def test_words_after_the_end_of_the_run_fail_even_for_nothing() -> None:
    assert result("nothing: true", RunRecord(duration_s=11)).status == "failed"
