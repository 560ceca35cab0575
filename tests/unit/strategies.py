"""Hypothesis strategies for every message of the wire, valid by construction. For any test that needs arbitrary messages."""

from __future__ import annotations

from hypothesis import strategies as st

from ridealong.proto import types as t

U32 = st.integers(0, 2**32 - 1)
U64 = st.integers(0, 2**64 - 1)
names = st.text(max_size=12)
texts = st.text(max_size=60)
float32 = st.floats(allow_nan=False, allow_infinity=False, width=32)
signal_values = st.one_of(
    st.booleans(), st.integers(-(2**63), 2**63 - 1), st.floats(allow_nan=False, allow_infinity=False), names
)
clock = U64.map(t.Samples)
units = U64.map(t.UnitIndex)
frames = U64.map(t.FrameId)
seqs = U64.map(t.Seq)
even_bytes = st.binary(max_size=40).map(lambda raw: raw[: len(raw) // 2 * 2])
capabilities = st.lists(names, max_size=4).map(tuple)


@st.composite
def unit_parts(draw: st.DrawFn) -> t.UnitPart:
    microphone = draw(st.sampled_from(t.MicrophoneState))
    pcm16 = draw(even_bytes) if microphone is t.MicrophoneState.LIVE else b""
    gap = draw(st.integers(0, 1_000))
    samples = gap + (len(pcm16) // 2 if microphone is t.MicrophoneState.LIVE else draw(st.integers(0, 2**31)))
    return t.UnitPart(
        unit=draw(units),
        part=draw(U32),
        last=draw(st.booleans()),
        start=draw(clock),
        samples=samples,
        pcm16=pcm16,
        microphone=microphone,
        speech_hint=draw(st.booleans()),
        speaker_active=draw(st.booleans()),
        gap_samples=gap,
    )


gate_notes = st.builds(
    t.GateNote, st.booleans(), st.sampled_from(t.GateReason), cost=float32, residual_q99=float32, changed_share=float32
)


@st.composite
def frame_fragments(draw: st.DrawFn) -> t.FrameFragment:
    count = draw(st.integers(1, t.MAX_FRAME_BYTES // t.FRAGMENT_BYTES))
    return t.FrameFragment(
        frame=draw(frames),
        index=draw(st.integers(0, count - 1)),
        count=count,
        data=draw(st.binary(min_size=1, max_size=64)),
        unit=draw(units),
        capture=draw(clock),
        width=draw(U32),
        height=draw(U32),
        gate=draw(gate_notes),
    )


readings = st.builds(t.SignalReading, names, st.none() | signal_values, U32)
closes = st.builds(t.Close, texts.map(lambda text: text[:60]))
hellos = st.builds(t.Hello, names, names, capabilities, names, U32, U32, st.just(1000), st.integers(1, 1000), names, seqs)
limits = st.builds(t.Limits, *[st.integers(1, 2**32 - 1)] * 4)
welcomes = st.builds(t.Welcome, names, names, U32, st.booleans(), seqs, capabilities, st.just(1000), st.integers(1, 1000), limits)
words = st.builds(t.WordTime, names, U32, U32)
speeches = st.builds(
    t.Speech,
    epoch=U64.map(t.Epoch),
    utterance=U64.map(t.UtteranceId),
    chunk=U32,
    last=st.booleans(),
    rate=st.integers(8_000, 48_000),
    pcm16=even_bytes,
    text=texts,
    words=st.lists(words, max_size=3).map(tuple),
    work_id=names,
    offset=U64,
)
preconditions = st.builds(t.Precondition, names, st.none() | signal_values, signal_values)
writes = st.builds(t.SignalWrite, names, signal_values)
actuates = st.builds(
    t.Actuate,
    key=st.text(min_size=1, max_size=12),
    writes=st.lists(writes, min_size=1, max_size=3).map(tuple),
    group=names,
    provenance=names,
    confirmation=st.sampled_from(["none", "said_back", "explicit"]),
    ttl_ms=st.integers(1, t.MAX_TTL_MS),
    preconditions=st.lists(preconditions, max_size=2).map(tuple),
    requested_at=clock,
    confirm_within_ms=U32,
)
halts = st.builds(
    t.Halt,
    key=st.text(min_size=1, max_size=12),
    of=names,
    provenance=names,
    ttl_ms=st.integers(1, t.MAX_TTL_MS),
    requested_at=clock,
    confirm_within_ms=U32,
)

uplink_bodies: st.SearchStrategy[t.UplinkBody] = st.one_of(
    unit_parts(),
    frame_fragments(),
    st.builds(t.FrameTombstone, frames, units, clock, names, gate_notes),
    st.builds(t.VehicleState, clock, st.lists(readings, min_size=1, max_size=3).map(tuple)),
    st.builds(t.Location, clock, st.floats(-90, 90), st.floats(-180, 180), float32, float32, float32),
    st.builds(t.Input, clock, st.sampled_from(t.InputKind)),
    st.builds(t.Consent, clock, names, st.booleans()),
    st.builds(t.TextInput, clock, texts, names),
    st.builds(t.Attachment, clock, names, names, st.binary(max_size=40)),
    st.builds(t.SpeakerHint, clock, names, float32),
    st.builds(t.PlaybackAck, U64.map(t.Epoch), U64.map(t.UtteranceId), U64, st.sampled_from(t.PlaybackState), clock),
    st.builds(
        t.ActuationResult, names, st.sampled_from(t.ActuationState), names, st.lists(readings, max_size=2).map(tuple), clock
    ),
    closes,
)
downlink_bodies: st.SearchStrategy[t.DownlinkBody] = st.one_of(
    speeches,
    st.builds(t.Flush, U64.map(t.Epoch)),
    st.builds(t.Duck, float32),
    st.builds(t.Unduck, st.none() | st.sampled_from(t.OverlapKind)),
    actuates,
    halts,
    st.builds(t.WorkUpdate, names, names, names, names, texts),
    st.builds(t.Caption, names, texts, st.booleans(), clock, clock, names),
    st.builds(t.Control, units, st.sampled_from(t.ControlToken)),
    st.builds(t.ReplyTiming, U64.map(t.UtteranceId), names, clock, U32, U32, U32, U32, U32),
    st.builds(t.Notice, names, texts),
    st.builds(t.Error, names, texts, U32, st.booleans()),
    st.builds(t.Draining, U32),
    closes,
)
uplinks = st.builds(t.Envelope, seqs, seqs, st.none() | hellos | uplink_bodies)
downlinks = st.builds(t.Envelope, seqs, seqs, st.none() | welcomes | downlink_bodies)
