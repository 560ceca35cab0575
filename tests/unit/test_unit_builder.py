"""Units on the sample clock: contiguous, whole, and honest about what was not captured."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ridealong.device.unit_builder import (
    PART_SAMPLES,
    UNIT_SAMPLES,
    VOICE_PART_SAMPLES,
    Event,
    Lost,
    MicBlock,
    Muted,
    Tick,
    UnitBuilder,
    Unmuted,
)
from ridealong.proto.types import MicrophoneState, Samples, UnitPart

pytestmark = pytest.mark.unit

BLOCK = 320


def block(start: int, samples: int = BLOCK, *, hint: bool = False, active: bool = False) -> MicBlock:
    pcm = (np.arange(start, start + samples) % 30_000 + 1).astype(np.int16)
    return MicBlock(Samples(start), pcm, hint, active)


def feed(builder: UnitBuilder, *events: Event) -> list[UnitPart]:
    return [effect.part for event in events for effect in builder.on(event)]


def live(builder: UnitBuilder, start: int, stop: int, **marks: bool) -> list[UnitPart]:
    return feed(builder, *(block(at, **marks) for at in range(start, stop, BLOCK)))


def text(parts: list[UnitPart]) -> str:
    return " | ".join(
        f"u{p.unit} p{p.part} {p.samples}{' last' * p.last} {p.microphone.value}{f' gap{p.gap_samples}' * bool(p.gap_samples)}"
        for p in parts
    )


def check(parts: list[UnitPart]) -> None:
    """What always holds."""
    position, unit, number = 0, 0, 0
    for part in parts:
        assert (part.start, part.unit, part.part) == (position, unit, number)
        assert 0 < part.samples <= UNIT_SAMPLES
        position += part.samples
        assert part.last == (position % UNIT_SAMPLES == 0)
        unit, number = (unit + 1, 0) if part.last else (unit, number + 1)
        if part.microphone is MicrophoneState.LIVE:
            assert len(part.pcm16) == 2 * (part.samples - part.gap_samples) > 0
        else:
            assert part.pcm16 == b"" and part.gap_samples == 0


def test_the_first_seconds_travel_in_parts_and_quiet_ones_whole() -> None:
    parts = live(UnitBuilder(), 0, 5 * UNIT_SAMPLES)
    check(parts)
    assert [part.samples for part in parts] == [PART_SAMPLES] * 10 + [UNIT_SAMPLES] * 3
    assert b"".join(part.pcm16 for part in parts) == block(0, 5 * UNIT_SAMPLES).pcm16.astype("<i2").tobytes()


def test_a_hint_sends_what_was_held_at_once() -> None:
    builder = UnitBuilder()
    live(builder, 0, 3 * UNIT_SAMPLES)
    assert live(builder, 3 * UNIT_SAMPLES, 3 * UNIT_SAMPLES + 9_600) == []
    held = feed(builder, block(3 * UNIT_SAMPLES + 9_600, hint=True))
    assert text(held) == "u3 p0 9600 live"
    assert [part.samples for part in live(builder, 3 * UNIT_SAMPLES + 9_920, 4 * UNIT_SAMPLES)] == [VOICE_PART_SAMPLES] * 4


def test_parts_are_short_while_somebody_speaks_and_a_while_after() -> None:
    builder = UnitBuilder()
    parts = live(builder, 0, UNIT_SAMPLES) + live(builder, UNIT_SAMPLES, 2 * UNIT_SAMPLES, hint=True)
    parts += live(builder, 2 * UNIT_SAMPLES, 6 * UNIT_SAMPLES)
    check(parts)
    tail = [VOICE_PART_SAMPLES] * 8 + [PART_SAMPLES] * 6
    assert [part.samples for part in parts] == [PART_SAMPLES] * 5 + [VOICE_PART_SAMPLES] * 10 + tail + [UNIT_SAMPLES] * 2


def test_speaker_activity_keeps_parts_short() -> None:
    parts = live(UnitBuilder(), 0, 4 * UNIT_SAMPLES, active=True)
    assert {part.samples for part in parts} == {PART_SAMPLES} and all(part.speaker_active for part in parts)


def test_a_gap_is_positioned_not_filled() -> None:
    builder = UnitBuilder()
    parts = live(builder, 0, 6_400) + feed(builder, block(8_000, 1_600)) + live(builder, 9_600, 16_000)
    check(parts)
    assert text(parts[2:4]) == "u0 p2 3200 live gap1600 | u0 p3 3200 live"
    assert builder.gap_samples == 1_600


def test_a_gap_in_the_middle_of_a_part_starts_a_new_one() -> None:
    builder = UnitBuilder()
    parts = live(builder, 0, 640) + live(builder, 1_280, 16_000)
    check(parts)
    assert text(parts[:3]) == "u0 p0 640 live | u0 p1 2560 live gap640 | u0 p2 3200 live"


def test_a_unit_each_second_while_lost_and_back_again() -> None:
    builder = UnitBuilder()
    parts = live(builder, 0, 3 * UNIT_SAMPLES) + feed(builder, Lost(Samples(3 * UNIT_SAMPLES)))
    parts += feed(builder, *(Tick(Samples(at)) for at in range(3 * UNIT_SAMPLES, 8 * UNIT_SAMPLES, BLOCK)))
    parts += live(builder, 8 * UNIT_SAMPLES - 320, 10 * UNIT_SAMPLES)
    check(parts)
    lost = " | ".join(f"u{unit} p0 16000 last lost" for unit in (3, 4, 5, 6))
    back = "u7 p0 15680 lost | u7 p1 320 last live | u8 p0 16000 last live | u9 p0 16000 last live"
    assert text(parts[10:]) == f"u2 p0 16000 last live | {lost} | {back}"


def test_a_silent_death_is_noticed_by_the_builder_itself() -> None:
    builder = UnitBuilder()
    parts = live(builder, 0, 8_000) + feed(builder, *(Tick(Samples(at)) for at in range(8_000, 8 * UNIT_SAMPLES + 1, BLOCK)))
    check(parts)
    assert parts[-1].unit == 7 and parts[-1].microphone is MicrophoneState.LOST


def test_mute_drops_samples_and_keeps_time() -> None:
    builder = UnitBuilder()
    parts = live(builder, 0, 3_200) + feed(builder, Muted(Samples(3_200)))
    parts += live(builder, 3_200, 2 * UNIT_SAMPLES, hint=True) + feed(builder, Unmuted(Samples(2 * UNIT_SAMPLES)))
    parts += live(builder, 2 * UNIT_SAMPLES, 3 * UNIT_SAMPLES)
    check(parts)
    assert all(not part.speech_hint for part in parts)
    assert sum(len(part.pcm16) for part in parts) == 2 * (3_200 + UNIT_SAMPLES)


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("block"), st.integers(-700, 9_000), st.integers(1, 1_000), st.booleans(), st.booleans()),
        st.tuples(st.just("tick"), st.integers(0, 30_000)),
        st.sampled_from([("mute",), ("unmute",), ("lost",)]),
    ),
    max_size=80,
)


@settings(max_examples=150, deadline=None)
@given(STEPS)
def test_units_are_contiguous_and_no_sample_is_lost_whatever_happens(steps: list[tuple[object, ...]]) -> None:
    builder = UnitBuilder()
    parts: list[UnitPart] = []
    now, given_samples = 0, 0
    for step in steps:
        match step:
            case ("block", int(jump), int(samples), bool(hint), bool(active)):
                start = max(0, builder.position + (jump if jump < 0 or jump > 4_000 else 0))
                fresh = max(0, start + samples - max(start, builder.position))
                given_samples += 0 if builder.muted else fresh
                now = max(now, start + samples)
                parts += feed(builder, block(start, samples, hint=hint, active=active))
            case ("tick", int(ahead)):
                now += ahead
                parts += feed(builder, Tick(Samples(now)))
            case ("mute",):
                parts += feed(builder, Muted(Samples(now)))
            case ("unmute",):
                parts += feed(builder, Unmuted(Samples(now)))
            case ("lost",):
                parts += feed(builder, Lost(Samples(now)))
    end = (builder.position // UNIT_SAMPLES + 1) * UNIT_SAMPLES
    parts += feed(builder, Lost(Samples(end)))
    check(parts)
    assert sum(part.samples for part in parts) == end
    assert sum(len(part.pcm16) for part in parts) == 2 * given_samples
    for part in parts:  # each sample lies where it was captured
        if part.pcm16:
            begin = part.start + part.gap_samples
            assert part.pcm16 == block(begin, part.samples - part.gap_samples).pcm16.astype("<i2").tobytes()
