"""Duck at once, unduck on a verdict or without one, silence on the button."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ridealong.device.reflex import (
    LOUD,
    TRANSITIONS,
    Button,
    CloudDuck,
    CloudFlush,
    CloudUnduck,
    Duck,
    FlushOwn,
    NearEnd,
    Playing,
    Reflex,
    State,
    Tick,
    Unduck,
)
from ridealong.proto.types import Samples, samples_from_ms

pytestmark = pytest.mark.unit


def replay(trace: str) -> str:
    """`+40 speech | +20 silence` -> what happened, each with its time in ms. `speech`: two blocks, the second at this time; `click`: one."""
    reflex, now_ms, out = Reflex(), 0, []
    for step in trace.split(" | "):
        delay, word = step.split()
        for at_ms in range(now_ms, now_ms + int(delay), 20):
            out += [(at_ms, effect) for effect in reflex.on(Tick(samples_from_ms(at_ms)))]
        now_ms += int(delay)
        at = samples_from_ms(now_ms)
        if word == "speech":
            out += [(now_ms - 20, effect) for effect in reflex.on(NearEnd(samples_from_ms(now_ms - 20), True))]
        event = {
            "play": Playing(True),
            "stop": Playing(False),
            "speech": NearEnd(at, True),
            "click": NearEnd(at, True),
            "silence": NearEnd(at, False),
            "duck": CloudDuck(-12.0),
            "unduck": CloudUnduck(at),
            "flush": CloudFlush(),
            "button": Button(),
        }[word]
        out += [(now_ms, effect) for effect in reflex.on(event)]
    names = {Duck: "duck", Unduck: "unduck", FlushOwn: "flush"}
    return " | ".join(f"{at_ms} {names[type(effect)]}" for at_ms, effect in out)


@pytest.mark.parametrize(
    ("trace", "expected"),
    [
        ("+0 speech | +20 silence", ""),  # nobody plays: nothing to duck
        ("+0 play | +40 speech", "40 duck"),
        ("+0 play | +40 speech | +300 unduck", "40 duck | 340 unduck"),
        ("+0 play | +40 speech | +2000 silence", "40 duck | 1540 unduck"),  # no verdict: go on
        ("+0 play | +40 speech | +20 speech | +20 speech | +2000 silence", "40 duck | 1580 unduck"),
        ("+0 play | +40 speech | +300 unduck | +20 speech | +20 speech", "40 duck | 340 unduck"),  # the same speech
        ("+0 play | +40 speech | +300 unduck | +500 speech", "40 duck | 340 unduck | 840 duck"),  # a new one
        ("+0 play | +40 speech | +200 flush | +2000 silence", "40 duck | 240 unduck"),
        ("+0 play | +40 speech | +200 stop", "40 duck | 240 unduck"),
        ("+0 play | +40 duck | +5000 unduck", "40 duck | 5040 unduck"),  # the cloud's duck is the cloud's to end
        ("+0 play | +40 speech | +100 duck | +3000 stop", "40 duck | 140 duck | 3140 unduck"),
        ("+0 play | +40 button | +20 speech", "40 flush"),
        ("+0 button", "0 flush"),
        ("+0 play | +40 click | +20 silence | +20 silence | +500 click | +40 silence", ""),  # indicator, door
        ("+0 play | +40 click | +20 silence | +20 click", "80 duck"),  # two of three
        ("+0 play | +40 click | +60 click | +60 click", ""),
        ("+0 play | +40 speech | +1400 click | +600 silence", "40 duck | 1540 unduck"),  # a click is no speech: time goes on
        ("+0 speech | +20 play | +20 click", "40 duck"),  # they were speaking when it began
        ("+0 play | +40 speech | +100 button", "40 duck | 140 flush | 140 unduck"),
    ],
)
def test_traces(trace: str, expected: str) -> None:
    assert replay(trace.replace("+", "")) == expected


def test_endless_speech_without_a_verdict_ducks_for_4_s() -> None:
    trace = "0 play | " + " | ".join(["20 speech"] * 300)
    reflex = Reflex()
    reflex.on(Playing(True))
    reflex.on(NearEnd(Samples(-320), True))
    left = [
        k
        for k in range(300)
        for effect in (*reflex.on(NearEnd(Samples(k * 320), True)), *reflex.on(Tick(Samples(k * 320))))
        if isinstance(effect, Unduck)
    ]
    assert left == [200] and trace


def test_the_table_covers_every_state() -> None:
    assert {state for state, _ in TRANSITIONS} == set(State) == set(TRANSITIONS.values())


STEPS = st.lists(st.sampled_from(["play", "stop", "speech", "silence", "duck", "unduck", "flush", "button"]), max_size=40)


@settings(max_examples=100, deadline=None)
@given(STEPS)
def test_whatever_happens_it_ends_loud_once_playing_has_ended(words: list[str]) -> None:
    reflex, ducked = Reflex(), False
    events = {
        "play": Playing(True), "stop": Playing(False), "duck": CloudDuck(-12.0), "flush": CloudFlush(), "button": Button(),
    }  # fmt: skip
    for k, word in enumerate([*words, "stop"]):
        at = Samples(k * 320)
        event = events.get(word) or {"speech": NearEnd(at, True), "silence": NearEnd(at, False), "unduck": CloudUnduck(at)}[word]
        for effect in reflex.on(event):
            ducked = isinstance(effect, Duck) or (ducked and not isinstance(effect, Unduck))
        assert ducked == (reflex.state not in LOUD)
    assert not ducked
