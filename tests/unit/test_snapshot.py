"""Frozen evidence: clipped to the sample, fenced by time and by arrival, bounded."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ridealong.harness import snapshot
from ridealong.harness.snapshot import Evidence, Line
from ridealong.proto.types import FrameId, Samples, SignalReading, UtteranceId

pytestmark = pytest.mark.unit

S = 16_000  # samples a second


def pcm(start: int, samples: int) -> bytes:
    """Sample i of the session has the value i modulo 30,000."""
    return b"".join((i % 30_000).to_bytes(2, "little", signed=True) for i in range(start, start + samples))


def values(view: memoryview) -> list[int]:
    return list(view.cast("h"))


def test_audio_is_clipped_to_the_sample_without_copying() -> None:
    evidence = Evidence()
    for second in range(20):
        evidence.observe_audio(Samples(second * S), pcm(second * S, S))
    frozen = evidence.snapshot("x", Samples(15 * S + 7))
    assert (frozen.window_start, frozen.cutoff) == (3 * S + 7, 15 * S + 7)
    assert frozen.audio[0].start == 3 * S + 7 and sum(clip.samples for clip in frozen.audio) == 12 * S
    heard = [value for clip in frozen.audio for value in values(clip.pcm16)]
    assert heard == [i % 30_000 for i in range(3 * S + 7, 15 * S + 7)]
    assert all(clip.pcm16.readonly for clip in frozen.audio)


def test_what_arrives_later_stays_out_whatever_its_time_stamp() -> None:
    evidence = Evidence()
    evidence.observe_line("driver", "open it", Samples(0), Samples(S))
    fence = evidence.seq
    evidence.observe_line("driver", "no, don't", Samples(S), Samples(S + 1))
    evidence.observe_frame(FrameId(1), Samples(S), b"jpeg")
    evidence.observe_signals(Samples(S), [SignalReading("Vehicle.Speed", 1.0)])
    evidence.observe_played(UtteranceId(1), "Opening", Samples(S))
    frozen = evidence.snapshot("x", Samples(2 * S), fence)
    assert frozen.transcript == (Line("driver", "open it", Samples(0), Samples(S)),)
    assert (frozen.frames, frozen.signals, frozen.played, frozen.audio) == ((), (), "", ())


def test_at_most_twelve_frames_evenly_with_both_ends() -> None:
    evidence = Evidence()
    for number in range(40):
        evidence.observe_frame(FrameId(number), Samples(number * S // 4), b"x")
    frozen = evidence.snapshot("x", Samples(10 * S))
    ids = [frame.frame for frame in frozen.frames]
    assert len(ids) == 12 and (ids[0], ids[-1]) == (0, 39) and ids == sorted(set(ids))


def test_assistant_speech_counts_as_far_as_it_was_acknowledged() -> None:
    evidence = Evidence()
    evidence.observe_played(UtteranceId(1), "Turn left", Samples(S))
    evidence.observe_played(UtteranceId(1), "Turn left in two", Samples(2 * S))
    evidence.observe_played(UtteranceId(2), "x" * 400, Samples(4 * S))
    assert evidence.snapshot("x", Samples(3 * S)).played == "Turn left in two"
    assert evidence.snapshot("x", Samples(S)).played == "Turn left"
    assert len(evidence.snapshot("x", Samples(5 * S)).played) == 320


def test_signals_have_the_age_of_the_cutoff() -> None:
    evidence = Evidence()
    evidence.observe_signals(Samples(S), [SignalReading("Vehicle.Speed", 50.0, age_ms=100)])
    evidence.observe_signals(Samples(3 * S), [SignalReading("Vehicle.Speed", 60.0)])
    assert evidence.snapshot("x", Samples(2 * S)).signals == (SignalReading("Vehicle.Speed", 50.0, age_ms=1_100),)


def test_every_ring_is_bounded_and_counts() -> None:
    evidence = Evidence()
    for second in range(90):
        evidence.observe_audio(Samples(second * S), bytes(2 * S))
        evidence.observe_frame(FrameId(second), Samples(second * S), b"x")
        evidence.observe_line("driver", "word", Samples(second * S), Samples(second * S + 1))
        evidence.observe_signals(Samples(second * S), [SignalReading(f"Vehicle.S{second % 5}", second)])
    assert evidence.dropped > 0
    assert len(evidence._frames) <= 48 and evidence._audio_bytes <= 61 * 2 * S and len(evidence._lines) <= 61
    evidence.observe_audio(Samples(0), bytes(2 * S))  # older than the ring reaches: dropped, no error
    big = Evidence()
    big.observe_audio(Samples(0), bytes(snapshot.MAX_AUDIO_BYTES + 2))
    assert big._audio_bytes == 0 and big.dropped == 1


def test_the_end_of_an_utterance_is_found_by_its_words() -> None:
    evidence = Evidence()
    evidence.observe_line("driver", "open it", Samples(0), Samples(S))
    assert evidence.utterance_end("open it", Samples(2 * S)) == S
    assert evidence.utterance_end("close it", Samples(2 * S)) is None
    assert evidence.utterance_end("open it", Samples(S - 1)) is None


TIMES = st.integers(0, 40 * S).map(Samples)
OBSERVATIONS = st.one_of(
    st.tuples(st.just("audio"), TIMES, st.integers(0, 200)),
    st.tuples(st.just("frame"), TIMES, st.integers(0, 99)),
    st.tuples(st.just("line"), TIMES, st.integers(0, 99)),
    st.tuples(st.just("played"), TIMES, st.integers(0, 3)),
    st.tuples(st.just("signals"), TIMES, st.integers(0, 3)),
)


def observe(evidence: Evidence, kind: str, at: Samples, number: int) -> None:
    match kind:
        case "audio":
            evidence.observe_audio(at, pcm(at, number))
        case "frame":
            evidence.observe_frame(FrameId(number), at, bytes([number]))
        case "line":
            evidence.observe_line("driver", f"word {number}", Samples(max(0, at - S)), at)
        case "played":
            evidence.observe_played(UtteranceId(number), f"heard {at}", at)
        case "signals":
            evidence.observe_signals(at, [SignalReading(f"Vehicle.S{number}", at)])


@settings(max_examples=80, deadline=None)
@given(st.lists(OBSERVATIONS, max_size=30), st.lists(OBSERVATIONS, max_size=30), TIMES)
def test_later_observations_never_change_a_snapshot(before: list, after: list, cutoff: Samples) -> None:  # type: ignore[type-arg]
    evidence = Evidence()
    for observation in before:
        observe(evidence, *observation)
    frozen = evidence.snapshot("x", cutoff)
    copy = (
        repr([(clip.start, bytes(clip.pcm16)) for clip in frozen.audio]),
        repr(frozen.frames + frozen.transcript + frozen.signals),
    )
    fence = evidence.seq
    for observation in after:
        observe(evidence, *observation)
    assert copy == (
        repr([(clip.start, bytes(clip.pcm16)) for clip in frozen.audio]), repr(frozen.frames + frozen.transcript + frozen.signals),
    )  # fmt: skip
    for clip in frozen.audio:
        assert frozen.window_start <= clip.start and clip.start + clip.samples <= cutoff
        assert bytes(clip.pcm16) == pcm(clip.start, clip.samples)
    if not evidence.dropped:
        assert evidence.snapshot("x", cutoff, fence) == frozen
