"""Frozen evidence: clipped to the sample, fenced by time and by arrival, bounded."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ridealong.harness import snapshot
from ridealong.harness.snapshot import Evidence, Line, Place
from ridealong.proto.types import FrameId, Location, Samples, SignalReading, UtteranceId

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


def test_a_signal_that_changes_fast_is_known_as_of_the_cutoff() -> None:
    """Five changes a second, and a request that is recognised a second and a half after its last word."""
    evidence = Evidence()
    for tenth in range(0, 100, 2):
        evidence.observe_signals(Samples(tenth * S // 10), [SignalReading("Vehicle.Speed", float(tenth))])
    (speed,) = evidence.snapshot("x", Samples(8 * S)).signals
    assert (speed.value, speed.age_ms) == (80.0, 0)


def test_place_is_where_it_was_with_its_age() -> None:
    evidence = Evidence()
    assert evidence.snapshot("x", Samples(S)).place is None
    evidence.observe_place(Location(Samples(S), 48.1, 11.5, 5.0, 50.0, 90.0))
    fence = evidence.seq
    evidence.observe_place(Location(Samples(2 * S), 48.2, 11.6))
    assert evidence.snapshot("x", Samples(3 * S), fence).place == Place(48.1, 11.5, 5.0, 50.0, 90.0, 2_000)
    place = evidence.snapshot("x", Samples(3 * S)).place
    assert place is not None and (place.latitude, place.age_ms) == (48.2, 1_000)


def test_pictures_are_bounded_in_bytes() -> None:
    evidence = Evidence()
    for number in range(40):
        evidence.observe_frame(FrameId(number), Samples(number), bytes(1024 * 1024))
    assert evidence._frame_bytes == snapshot.MAX_FRAME_BYTES == sum(len(frame.jpeg) for _, frame, _ in evidence._frames)


def test_sound_is_bounded_in_bytes() -> None:
    """Also what comes faster than time passes; the newest is kept."""
    evidence, piece = Evidence(), 2 * 1024 * 1024
    for number in range(5):
        evidence.observe_audio(Samples(number), bytes(piece))
    assert snapshot.MAX_AUDIO_BYTES == 8 * 1024 * 1024 and evidence._audio_bytes == 4 * piece and evidence.dropped == 1
    assert [int(start) for _, start, *_ in evidence._audio] == [1, 2, 3, 4]


def test_the_same_evidence_has_the_same_address_and_any_other_another() -> None:
    def frozen(change: str = "", scope: str = "a", noise: bool = False) -> snapshot.Snapshot:
        evidence = Evidence()
        if noise:  # what is no part of the evidence
            evidence.observe_audio(Samples(90 * S), pcm(90 * S, 8))
            evidence.observe_audio(Samples(0), b"")
        for second in range(4):
            evidence.observe_audio(Samples(second * S), pcm(second * S + (change == "audio"), S))
        evidence.observe_frame(FrameId(1), Samples(S), b"picture" + change.encode() * (change == "frame"))
        evidence.observe_line("driver", "open it" + "!" * (change == "line"), Samples(0), Samples(S))
        evidence.observe_played(UtteranceId(1), "Turn" + "s" * (change == "played"), Samples(S))
        evidence.observe_rest(UtteranceId(1), "left" + "!" * (change == "rest"), Samples(S))
        evidence.observe_signals(Samples(S), [SignalReading("Vehicle.Speed", 50.0 + (change == "signal"))])
        evidence.observe_place(Location(Samples(S), 48.1 + (change == "place"), 11.5))
        return evidence.snapshot(scope, Samples(2 * S + 5 + (change == "cutoff")))

    one = frozen()
    assert one.id == f"a-{one.address()}" and frozen().id == one.id
    assert frozen(scope="b").address() == one.address() and frozen(scope="b").id != one.id
    changes = ("audio", "frame", "line", "played", "rest", "signal", "place", "cutoff")
    assert len({one.id, *(frozen(change).id for change in changes)}) == len(changes) + 1
    assert all(snap.id == f"a-{snap.address()}" for snap in map(frozen, changes))


def test_two_snapshots_share_their_media() -> None:
    evidence = Evidence()
    for second in range(12):
        evidence.observe_audio(Samples(second * S), pcm(second * S, S))
        evidence.observe_frame(FrameId(second), Samples(second * S), bytes(100))
    one, other = evidence.snapshot("x", Samples(11 * S)), evidence.snapshot("x", Samples(10 * S))
    assert all(a.jpeg is b.jpeg for a, b in zip(one.frames, other.frames, strict=False))
    assert all(a.pcm16.obj is b.pcm16.obj for a, b in zip(one.audio, other.audio, strict=False))


TIMES = st.integers(0, 40 * S).map(Samples)
OBSERVATIONS = st.one_of(
    st.tuples(st.just("audio"), TIMES, st.integers(0, 200)),
    st.tuples(st.just("frame"), TIMES, st.integers(0, 99)),
    st.tuples(st.just("line"), TIMES, st.integers(0, 99)),
    st.tuples(st.just("played"), TIMES, st.integers(0, 3)),
    st.tuples(st.just("signals"), TIMES, st.integers(0, 3)),
    st.tuples(st.just("place"), TIMES, st.integers(0, 80)),
    st.tuples(st.just("rest"), TIMES, st.integers(0, 3)),
    st.tuples(st.just("file"), TIMES, st.integers(0, 99)),
)


def observe(evidence: Evidence, kind: str, at: Samples, number: int) -> None:
    """Media are handed in in a buffer that is written over right after."""
    match kind:
        case "audio":
            buffer = bytearray(pcm(at, number))
            evidence.observe_audio(at, memoryview(buffer))  # type: ignore[arg-type]
            buffer[:] = bytes(len(buffer))
        case "frame":
            buffer = bytearray([number, number])
            evidence.observe_frame(FrameId(number), at, buffer)  # type: ignore[arg-type]
            buffer[:] = b"xx"
        case "file":
            buffer = bytearray([number] * 3)
            evidence.observe_attached(f"{number}.txt", "text/plain", at, buffer)  # type: ignore[arg-type]
            buffer[:] = b"xxx"
        case "place":
            evidence.observe_place(Location(at, float(number), 0.0))
        case "rest":
            evidence.observe_rest(UtteranceId(number), f"rest {at}", at)
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
    assert frozen.id == f"x-{frozen.address()}"

    def content() -> str:
        return repr([(clip.start, bytes(clip.pcm16)) for clip in frozen.audio]) + repr(replace(frozen, audio=()))

    before_it, fence = content(), evidence.seq
    for observation in after:
        observe(evidence, *observation)
    assert content() == before_it and frozen.id == f"x-{frozen.address()}"
    for frame in frozen.frames:
        assert frame.jpeg == bytes([frame.frame, frame.frame])
    for clip in frozen.audio:
        assert frozen.window_start <= clip.start and clip.start + clip.samples <= cutoff
        assert bytes(clip.pcm16) == pcm(clip.start, clip.samples)
    if not evidence.dropped:
        assert evidence.snapshot("x", cutoff, fence) == frozen


# --- what the device looked at and did not send ----------------------------------------------------------------------

Look = tuple[int, str, bool]  # frame number (one a second); "sent" or "kept back"; changed


def looked(looks: list[Look]) -> Evidence:
    evidence = Evidence()
    for number, how, changed in looks:
        if how == "sent":
            evidence.observe_frame(FrameId(number), Samples(number * S), b"x", changed)
        else:
            evidence.observe_no_frame(FrameId(number), Samples(number * S), changed)
    return evidence


@pytest.mark.parametrize(
    ("looks", "shows"),
    [
        pytest.param([(0, "sent", True), (1, "not", False), (2, "not", False)], {0: 2}, id="a still scene"),
        pytest.param([(0, "sent", True), (1, "sent", False), (2, "not", False)], {0: 2, 1: 1}, id="what is sent all the same is seen then"),
        pytest.param([(0, "sent", True), (1, "not", True), (2, "not", False)], {0: 0}, id="it is not like the one that was not sent"),
        pytest.param([(0, "sent", True), (2, "not", False)], {0: 0}, id="one is still to come"),
        pytest.param([(0, "sent", True), (2, "not", False), (1, "sent", True)], {0: 0, 1: 2}, id="and has come"),
        pytest.param([(1, "not", False), (2, "not", False)], {}, id="nothing was sent"),
    ],
)  # fmt: skip
def test_a_picture_shows_the_view_for_as_long_as_the_gate_saw_no_change(looks: list[Look], shows: dict[int, int]) -> None:
    frozen = looked(looks).snapshot("x", Samples(5 * S))
    assert {int(frame.frame): frame.shows // S for frame in frozen.frames} == shows
    assert frozen.id.endswith(frozen.address())


def test_what_the_gate_saw_later_is_later() -> None:
    evidence = looked([(0, "sent", True), (1, "not", False), (2, "not", False), (3, "not", False)])
    early, fenced = evidence.snapshot("x", Samples(2 * S)), evidence.snapshot("x", Samples(9 * S), fence=2)
    assert [frame.shows // S for frame in (*early.frames, *fenced.frames)] == [2, 1]
    assert early.id != fenced.id


def test_looks_are_bounded() -> None:
    evidence = Evidence()
    for number in range(3 * snapshot.MAX_LOOKED):
        evidence.observe_no_frame(FrameId(number), Samples(number), False)
    assert evidence.dropped == 2 * snapshot.MAX_LOOKED
