"""Duck at once, hold when they go on, go on on a verdict or without one, silence on the button."""

from __future__ import annotations

from dataclasses import replace

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
    Hold,
    NearEnd,
    Playing,
    Reflex,
    Release,
    State,
    Tick,
    Unduck,
)
from ridealong.proto.types import OverlapKind, samples_from_ms

pytestmark = pytest.mark.unit


NAMES = {Duck: "duck", Unduck: "unduck", Hold: "hold", Release: "release", FlushOwn: "flush"}


def block(at_ms: int, speech: bool, level_db: float = -70.0) -> NearEnd:
    return NearEnd(samples_from_ms(at_ms), speech, level_db, 320)


def replay(trace: str, reflex: Reflex | None = None) -> str:
    """`+40 speech | +20 silence` -> what happened, each with its time in ms. `speech`: two blocks, the second at this time; `click`: one;
    `onset`: one that lasts to its end; `talk`: speech all the way since the last step; `-30` after them: their level in dB."""
    reflex, now_ms, out = reflex or Reflex(), 0, []
    for step in trace.replace("+", "").split(" | "):
        delay, word, *rest = step.split()
        level_db = float(rest[0]) if rest else -30.0
        for at_ms in range(now_ms, now_ms + int(delay), 20):
            out += [(at_ms, effect) for effect in reflex.on(Tick(samples_from_ms(at_ms)))]
            if word == "talk":
                out += [(at_ms + 20, effect) for effect in reflex.on(block(at_ms + 20, True, level_db))]
            elif word == "silence":
                out += [(at_ms + 20, effect) for effect in reflex.on(block(at_ms + 20, False))]
        now_ms += int(delay)
        at = samples_from_ms(now_ms)
        if word == "speech":
            out += [(now_ms - 20, effect) for effect in reflex.on(block(now_ms - 20, True, level_db))]
        events = {
            "play": Playing(True),
            "stop": Playing(False),
            "speech": block(now_ms, True, level_db),
            "click": block(now_ms, True, level_db),
            "onset": replace(block(now_ms, True, level_db), lasting=True),
            "silence": block(now_ms, False),
            "duck": CloudDuck(-12.0),
            "unduck": CloudUnduck(at),
            "flush": CloudFlush(),
            "button": Button(),
            **{kind.value: CloudUnduck(at, kind) for kind in OverlapKind},
        }
        if word != "talk":
            out += [(now_ms, effect) for effect in reflex.on(events[word])]
    return " | ".join(f"{at_ms} {NAMES[type(effect)]}" for at_ms, effect in out)


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
        ("+0 play | +40 onset", "40 duck"),  # weighed, and no click: one block is enough
        ("+0 play | +40 onset | +20 silence | +300 onset | +2000 silence", "40 duck | 1860 unduck"),
        ("+0 play | +40 speech | +300 unduck | +20 onset | +20 onset", "40 duck | 340 unduck"),  # the same speech
        (
            "+0 play | +1000 talk -35 | +0 background | +600 silence | +0 onset -35",
            "40 duck | 600 hold | 1000 release | 1000 unduck",
        ),
        ("+0 speech | +20 play | +20 click", "40 duck"),  # they were speaking when it began
        ("+0 play | +40 speech | +100 button", "40 duck | 140 flush | 140 unduck"),
    ],
)
def test_traces(trace: str, expected: str) -> None:
    assert replay(trace) == expected


@pytest.mark.parametrize(
    ("trace", "expected"),
    [
        # a sentence: quieter at once, a pause at 600 ms, and the cloud's flush
        ("+0 play | +1500 talk | +0 flush", "40 duck | 600 hold | 1500 release | 1500 unduck"),
        # "mm-hm", a cough, a door: never a hold
        ("+0 play | +400 talk | +2000 silence", "40 duck | 1900 unduck"),
        ("+0 play | +400 talk | +300 silence | +0 backchannel | +2000 silence", "40 duck | 700 unduck"),
        # judged harmless while it goes on: full level at once, and the same speech ducks no more
        ("+0 play | +1200 talk | +0 other_directed | +2000 talk", "40 duck | 600 hold | 1200 release | 1200 unduck"),
        # quiet for 600 ms and no verdict: it goes on quietly, and at full level when none comes
        ("+0 play | +700 talk | +3000 silence", "40 duck | 600 hold | 1300 release | 2200 unduck"),
        # they begin again while it waits: a pause again, once they go on
        (
            "+0 play | +700 talk | +800 silence | +700 talk | +0 flush",
            "40 duck | 600 hold | 1300 release | 2100 hold | 2200 release | 2200 unduck",
        ),
        # nobody ever judges: four seconds in all
        ("+0 play | +9000 talk", "40 duck | 600 hold | 4040 release | 4040 unduck"),
        # short words with pauses between them, 600 ms of speech within 900
        ("+0 play | +300 talk | +200 silence | +300 talk | +100 silence", "40 duck | 800 hold"),
        ("+0 play | +300 talk | +400 silence | +300 talk | +100 silence", "40 duck"),
        ("+0 play | +800 talk | +100 button", "40 duck | 600 hold | 900 flush | 900 release | 900 unduck"),
        ("+0 play | +800 talk | +100 stop", "40 duck | 600 hold | 900 release | 900 unduck"),
    ],
)
def test_holds(trace: str, expected: str) -> None:
    assert replay(trace) == expected


def test_a_radio_that_was_judged_ducks_no_more_while_it_plays() -> None:
    reflex = Reflex()
    radio = " | ".join(["+700 talk -35 | +500 silence"] * 40)
    assert (
        replay(f"+0 play | +1500 talk -35 | +0 background | {radio}", reflex) == "40 duck | 600 hold | 1500 release | 1500 unduck"
    )
    assert reflex.under_the_bar > 1_000


@pytest.mark.parametrize("pause", ["+0 silence", "+600 silence"])
def test_a_driver_who_talks_over_the_radio_is_louder_and_counts(pause: str) -> None:
    trace = f"+0 play | +1000 talk -35 | +0 background | +2000 talk -35 | {pause} | +200 talk -28"
    began = 3_000 + int(pause.split()[0])
    assert replay(trace).endswith(f"1000 release | 1000 unduck | {began + 40} duck")


def test_the_bar_of_a_radio_that_is_off_falls_and_of_a_cough_sooner() -> None:
    reflex = Reflex()
    replay("+0 play | +1000 talk -35 | +0 background | +5000 silence", reflex)
    assert reflex.bar.level_db == pytest.approx(-36, abs=0.1)
    assert replay("+0 play | +400 talk -35 | +1000 background | +3000 silence | +60 talk -35").endswith("1400 unduck")
    assert replay("+0 play | +400 talk -35 | +1000 background | +5000 silence | +60 talk -35").endswith("1400 unduck | 6440 duck")
    assert replay("+0 play | +400 talk -35 | +1000 noise | +1100 silence | +60 talk -35").endswith("1400 unduck | 2540 duck")


def test_a_wrong_verdict_is_forgotten_after_a_minute() -> None:
    reflex = Reflex()
    replay("+0 play | +1000 talk -35 | +0 background | +61000 talk -34", reflex)
    assert not reflex.bar.set


def test_a_backchannel_sets_no_bar() -> None:
    reflex = Reflex()
    replay("+0 play | +400 talk | +0 backchannel | +500 silence", reflex)
    assert not reflex.bar.set
    assert replay("+0 play | +400 talk | +0 backchannel | +500 silence | +100 talk -40").endswith("940 duck")


def test_the_table_covers_every_state() -> None:
    assert {state for state, _ in TRANSITIONS} == set(State) == set(TRANSITIONS.values())


STEPS = st.lists(
    st.sampled_from(
        ["+0 play", "+0 stop", "+40 speech", "+800 talk", "+300 talk -20", "+700 silence", "+0 duck", "+0 unduck", "+0 flush", "+0 button",
         "+0 background", "+0 noise"]
    ),
    max_size=40,
)  # fmt: skip


@settings(max_examples=100, deadline=None)
@given(STEPS)
def test_whatever_happens_it_ends_loud_and_running_once_playing_has_ended(words: list[str]) -> None:
    reflex = Reflex()
    told = replay(" | ".join([*words, "+0 stop"]), reflex).replace("|", "").split()[1::2]
    ducked = held = False
    for name in told:
        assert (name, held) not in (("hold", True), ("release", False))
        held = name == "hold" or (held and name != "release")
        ducked = name == "duck" or (ducked and name != "unduck")
        assert ducked or not held  # a hold is always a duck too: what goes on after it goes on quietly
    assert not ducked and not held and reflex.state in LOUD
    assert told.count("hold") == reflex.holds == told.count("release")


@settings(max_examples=50, deadline=None)
@given(st.lists(st.sampled_from(["+700 talk", "+100 silence", "+640 silence", "+20 click", "+20 onset"]), max_size=30))
def test_no_duck_and_no_hold_lasts_longer_than_four_seconds_without_a_verdict(words: list[str]) -> None:
    told = replay(" | ".join(["+0 play", *words, "+5000 silence"])).split(" | ")
    since: dict[str, int] = {}
    for step in told if told != [""] else []:
        at_ms, name = step.split()
        if name in ("unduck", "release"):
            assert int(at_ms) - since[{"unduck": "duck", "release": "hold"}[name]] <= 4_000 + 20  # a block
        since[name] = int(at_ms)
    assert told[-1].endswith("unduck") or told == [""]
