"""The segmenter as a trace: '.' is a silent frame of 32 ms, '#' a voiced one."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ridealong.cloud.frontends.cascade.vad import (
    FRAME_SAMPLES,
    Frame,
    Segmenter,
    SegmenterSettings,
    SegmentEvent,
    SpeechEnded,
    SpeechStarted,
    StillSilent,
)
from ridealong.proto.types import Samples, ms_from_samples

pytestmark = pytest.mark.unit


def run(trace: str, segmenter: Segmenter, start: int = 0) -> list[SegmentEvent]:
    events: list[SegmentEvent] = []
    for number, mark in enumerate(trace):
        events += segmenter.on(Frame(Samples(start + number * FRAME_SAMPLES), 0.9 if mark == "#" else 0.05))
    return events


def shown(events: list[SegmentEvent]) -> str:
    parts = []
    for event in events:
        match event:
            case SpeechStarted(at=at):
                parts.append(f"start {ms_from_samples(at):.0f}")
            case StillSilent(silent_ms=silent_ms):
                parts.append(f"silent {silent_ms}")
            case SpeechEnded(start=start, end=end, cut=cut):
                parts.append(f"end {ms_from_samples(start):.0f}-{ms_from_samples(end):.0f}{' cut' if cut else ''}")
    return " | ".join(parts)


def test_speech_begins_with_its_pre_roll_and_ends_after_the_hangover() -> None:
    events = run("." * 20 + "#" * 10 + "." * 15, Segmenter())
    assert shown(events) == "start 384 | silent 96 | silent 192 | silent 288 | silent 384 | end 384-1120"


def test_a_click_is_not_speech_and_is_counted() -> None:
    segmenter = Segmenter()
    assert run("....##......#....", segmenter) == []
    assert segmenter.short_bursts == 2


def test_a_pause_shorter_than_the_hangover_is_inside_the_segment() -> None:
    events = run("#" * 8 + "." * 10 + "#" * 8 + "." * 20, Segmenter())
    assert [type(event) for event in events if not isinstance(event, StillSilent)] == [SpeechStarted, SpeechEnded]
    assert [event.silent_ms for event in events if isinstance(event, StillSilent)] == [96, 192, 288, 96, 192, 288, 384]


def test_between_the_thresholds_speech_goes_on_but_does_not_begin() -> None:
    segmenter = Segmenter()
    assert [segmenter.on(Frame(Samples(at * FRAME_SAMPLES), 0.4)) for at in range(20)] == [[]] * 20
    started = [segmenter.on(Frame(Samples(at * FRAME_SAMPLES), 0.8)) for at in range(20, 24)]
    assert any(started)
    assert [segmenter.on(Frame(Samples(at * FRAME_SAMPLES), 0.4)) for at in range(24, 60)] == [[]] * 36
    assert segmenter.speaking


def test_endless_speech_is_cut_and_goes_on_as_a_new_segment() -> None:
    segmenter = Segmenter(SegmenterSettings(max_speech_ms=1_024))
    events = run("#" * 80, segmenter)
    ends = [event for event in events if isinstance(event, SpeechEnded)]
    starts = [event for event in events if isinstance(event, SpeechStarted)]
    assert len(ends) == 2 and all(end.cut for end in ends)
    assert starts[1].at == ends[0].end


def test_closing_finishes_what_was_being_said() -> None:
    segmenter = Segmenter()
    run("....####", segmenter)
    assert shown(segmenter.close()) == "end 0-416"
    assert segmenter.close() == []


def test_a_frame_from_the_past_is_refused_and_changes_nothing() -> None:
    segmenter = Segmenter()
    run("####", segmenter)
    with pytest.raises(ValueError, match="overlaps"):
        segmenter.on(Frame(Samples(0), 0.9))
    assert segmenter.speaking


@settings(max_examples=150, deadline=None)
@given(st.text(alphabet="#.", max_size=200))
def test_segments_are_ordered_disjoint_and_paired(trace: str) -> None:
    segmenter = Segmenter()
    events = run(trace, segmenter) + segmenter.close()
    open_at: int | None = None
    last_end = 0
    for event in events:
        match event:
            case SpeechStarted(at=at):
                assert open_at is None and at >= last_end
                open_at = at
            case StillSilent(start=start, end=end):
                assert open_at == start < end
            case SpeechEnded(start=start, end=end):
                assert open_at == start < end
                open_at, last_end = None, end
    assert open_at is None
