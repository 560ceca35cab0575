"""expected.yaml: the documented example is understood, and every mistake is one sentence with its line and the nearest name."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ridealong.errors import UserError
from ridealong.simulators.trip.expected import (
    Nothing,
    Refused,
    ReplyExpected,
    SignalExpected,
    SilenceExpected,
    WorkExpected,
    from_raw,
    parse,
)

pytestmark = pytest.mark.unit

EXAMPLE = """\
trip: monday-commute
locale: en            # or zh, or mixed
car: {drive: left, temperature_unit: C}
expect:
  - id: warmer
    said: {from: 12.4, to: 15.1, text: "twenty-two and a half please", by: driver}
    signal: {path: Vehicle.Cabin.HVAC.Station.Row1.Driver.Temperature, value: 22.5, within_s: 6}
    reply: {contains_any: ["22.5", "twenty-two and a half"], heard: true}
  - id: radio
    said: {from: 40.0, to: 47.5, by: radio}
    nothing: true                     # no actuation, no reply, speech goes on if it was on
  - id: boot
    said: {from: 61.0, to: 62.2, text: "open the boot", by: driver}
    refused: {reason: moving}         # no actuation, a spoken reason
  - id: stop
    said: {from: 80.0, to: 80.9, by: driver}
    silence: {within_ms: 900}         # at the device speaker, from the start of the words
  - id: seen
    said: {from: 130.0, to: 133.0, text: "what did the sign say"}
    reply: {contains_any: ["car park"]}
    status: later                     # printed as not yet, not counted
"""


def test_the_documented_example() -> None:
    expected = parse(EXAMPLE)
    assert (expected.trip, expected.locale, expected.car.drive) == ("monday-commute", "en", "left")
    assert [item.id for item in expected.expect] == ["warmer", "radio", "boot", "stop", "seen"]
    warmer, radio, boot, stop, seen = expected.expect
    assert warmer.said.start_s == 12.4 and warmer.said.by == "driver"
    assert warmer.checks == (
        SignalExpected("Vehicle.Cabin.HVAC.Station.Row1.Driver.Temperature", 22.5, 6.0),
        ReplyExpected(contains_any=("22.5", "twenty-two and a half"), heard=True),
    )
    assert radio.checks == (Nothing(),)
    assert boot.checks == (Refused("moving"),)
    assert stop.checks == (SilenceExpected(900),)
    assert seen.later and not warmer.later
    assert from_raw(expected.raw) == expected


def test_lists_shorthands_and_numbers_as_words() -> None:
    expected = parse(
        """\
expect:
  - id: both
    said: {from: 1, to: 2}
    signal:
      - {path: Vehicle.A, value: 50, tolerance: 5}
      - {path: Vehicle.B, value: true}
    not_signal: {path: Vehicle.C}
    reply: {contains_any: [50, half], after: late}
    work: [completed, delivered]
    asks: true
    continues: true
  - id: late
    said: {from: 3, to: 4}
    work: {states: completed, capability: navigation.find_charging, within_s: 30}
    refused: true
"""
    )
    both, late = expected.expect
    assert both.checks[0] == SignalExpected("Vehicle.A", 50, tolerance=5)
    assert ReplyExpected(contains_any=("50", "half"), after="late") in both.checks
    assert WorkExpected(("completed", "delivered")) in both.checks
    assert WorkExpected(("completed",), "navigation.find_charging", 30.0) in late.checks


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("expect:\n  - id: a\n    said: {from: 1, to: 2}\n    repply: {heard: true}\n", 4, "unknown key 'repply' in an expectation; did you mean 'reply'?"),
        ("expect:\n  - id: a\n    said: {from: 1, to: 2}\n    reply: {contain_any: [x]}\n", 4, "did you mean 'contains_any'?"),
        ("expect:\n  - id: a\n    said: {from: 2, to: 1}\n    nothing: true\n", 3, "must come after 'from'"),
        ("expect:\n  - id: a\n    said: {from: x, to: 1}\n    nothing: true\n", 3, "'from' must be a number, not 'x'"),
        ("expect:\n  - id: a\n    said: {from: .nan, to: 1}\n    nothing: true\n", 3, "'from' must be a number"),
        ("expect:\n  - id: a\n    said: {from: 1, to: 2}\n", 2, "expects nothing that can be checked"),
        ("expect:\n  - id: a\n    said: {from: 1, to: 2}\n    nothing: false\n", 4, "can only be true"),
        ("expect:\n  - id: a\n    said: {from: 1, to: 2}\n    nothing: true\n    reply: {heard: true}\n", 4, "'nothing' stands alone"),
        ("expect:\n  - {id: a, said: {from: 1, to: 2}, nothing: true}\n  - {id: a, said: {from: 3, to: 4}, nothing: true}\n", 3, "used twice"),
        ("expect:\n  - said: {from: 1, to: 2}\n    nothing: true\n", 2, "lacks 'id'"),
        ("locale: fr\n", 1, "the locale 'fr' is unknown"),
        ("car: {drive: middle}\n", 1, "drive 'middle' is unknown"),
        ("trip: a\ntrip: b\n", 2, "given twice"),
        ("expect: [1]\n", 1, "must be a table"),
        ("expect: {a: 1}\n", 1, "must be a list"),
        ("expect:\n  - id: a\n    said: {from: 1, to: 2}\n    signal: {path: Cabin.X, value: 1}\n", 4, "is no VSS path"),
        ("expect:\n  - id: a\n    said: {from: 1, to: 2}\n    work: [complete]\n", 4, "did you mean 'completed'?"),
        ("expect:\n  - id: a\n    said: {from: 1, to: 2}\n    status: soon\n    nothing: true\n", 4, "the status 'soon' is unknown"),
        ("expect:\n  - id: a\n    said: {from: 1, to: 2}\n    reply: {after: b}\n", 4, "'after' names 'b'"),
        ("a: [1\nb: 2", 2, "this is not YAML"),
        ("- 1\n", 1, "the file must be a table"),
    ],
)  # fmt: skip
def test_each_mistake_names_its_line(text: str, line: int, words: str) -> None:
    with pytest.raises(UserError) as caught:
        parse(text, "e.yaml")
    assert f"e.yaml, line {line}:" in str(caught.value) and words in str(caught.value)


def test_times_beyond_the_audio_are_refused() -> None:
    text = "expect:\n  - {id: a, said: {from: 1, to: 20}, nothing: true}\n"
    assert parse(text).expect[0].said.end_s == 20
    with pytest.raises(UserError, match="after the end of the audio"):
        parse(text, duration_s=10)


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=80) | st.binary(max_size=80).map(lambda raw: raw.decode("latin-1")))
def test_any_text_is_read_or_refused_with_a_sentence(text: str) -> None:
    try:
        parse(text)
    except UserError as error:
        assert str(error)


_JSON = st.recursive(st.none() | st.booleans() | st.floats() | st.text(max_size=5), lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["id", "said", "from", "to", "signal", "reply", "work", "expect", "car", "status", "x"]), inner, max_size=4), max_leaves=12)  # fmt: skip


@settings(max_examples=200, deadline=None)
@given(_JSON)
def test_any_values_are_read_or_refused_with_a_sentence(raw: object) -> None:
    try:
        from_raw(raw)
    except UserError as error:
        assert str(error)
