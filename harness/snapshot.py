"""What was seen and heard up to one instant, frozen. Pure: an `Evidence` store of bounded rings, and `Snapshot` values.

A snapshot is fenced twice: by time (`cutoff`) and by order of arrival (`fence`), so what arrives later can never enter
it, whatever its time stamp. Assistant speech counts only as far as its playback was acknowledged. (Spec: venus B4–B7.)
Does not know who asks, or what the evidence shows.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Final

from ridealong.proto.types import FrameId, Samples, SignalReading, UtteranceId, ms_from_samples, samples_from_ms

LOOK_BACK_MS: Final = 12_000
RETENTION_MS: Final = 60_000
MAX_AUDIO_BYTES: Final = 8 * 1024 * 1024
MAX_FRAMES: Final = 48
MAX_SNAPSHOT_FRAMES: Final = 12
MAX_LINES: Final = 128
MAX_PLAYED_CHARS: Final = 320
MAX_PLAYED_ACKS: Final = 256
MAX_SIGNAL_PATHS: Final = 256
SAMPLE_BYTES: Final = 2


@dataclass(frozen=True, slots=True)
class AudioClip:
    """16 kHz mono PCM16. `pcm16` is a view into the ring's immutable bytes: clipping copies nothing."""

    start: Samples
    pcm16: memoryview

    @property
    def samples(self) -> int:
        return self.pcm16.nbytes // SAMPLE_BYTES


@dataclass(frozen=True, slots=True)
class Frame:
    frame: FrameId
    capture: Samples
    jpeg: bytes


@dataclass(frozen=True, slots=True)
class Line:
    """A finished line of the transcript. `who`: driver, passenger, assistant, other, …"""

    who: str
    text: str
    start: Samples
    end: Samples


@dataclass(frozen=True, slots=True)
class Snapshot:
    """`signals`: the readings known at the cutoff, with the age that they had then. `played`: what was heard of the assistant;
    `unheard`: the rest of its last utterance, where that was cut."""

    id: str
    cutoff: Samples
    fence: int
    window_start: Samples
    audio: tuple[AudioClip, ...]
    frames: tuple[Frame, ...]
    transcript: tuple[Line, ...]
    played: str
    signals: tuple[SignalReading, ...]
    unheard: str = ""


@dataclass(frozen=True, slots=True)
class _Heard:
    seq: int
    at: Samples
    utterance: UtteranceId
    text: str
    rest: str | None = None


@dataclass(frozen=True, slots=True)
class _Reading:
    seq: int
    at: Samples
    reading: SignalReading


@dataclass(slots=True)
class Evidence:
    """The last minute of a session. Every ring has a bound, drops its oldest, and counts what it dropped."""

    seq: int = 0  # of the newest observation
    newest: Samples = Samples(0)
    dropped: int = 0
    _audio: deque[tuple[int, Samples, bytes]] = field(default_factory=deque)
    _audio_bytes: int = 0
    _frames: deque[tuple[int, Frame]] = field(default_factory=deque)
    _lines: deque[tuple[int, Line]] = field(default_factory=deque)
    _heard: deque[_Heard] = field(default_factory=deque)
    _signals: dict[str, deque[_Reading]] = field(default_factory=dict)

    def observe_audio(self, start: Samples, pcm16: bytes) -> None:
        """Samples that the microphone heard, from `start` on. An odd last byte is no sample and is left out."""
        whole = bytes(pcm16[: len(pcm16) // SAMPLE_BYTES * SAMPLE_BYTES])
        if not whole:
            return
        self._audio.append((self._next(Samples(start + len(whole) // SAMPLE_BYTES)), start, whole))
        self._audio_bytes += len(whole)
        while self._audio and (self._audio_bytes > MAX_AUDIO_BYTES or self._old(self._end_of_oldest_audio())):
            self._audio_bytes -= len(self._audio.popleft()[2])
            self.dropped += 1

    def observe_frame(self, frame: FrameId, capture: Samples, jpeg: bytes) -> None:
        self._frames.append((self._next(capture), Frame(frame, capture, bytes(jpeg))))
        while self._frames and (len(self._frames) > MAX_FRAMES or self._old(self._frames[0][1].capture)):
            self._frames.popleft()
            self.dropped += 1

    def observe_line(self, who: str, text: str, start: Samples, end: Samples) -> None:
        """A finished utterance of anybody near the microphone."""
        self._lines.append((self._next(end), Line(who, text, start, end)))
        while self._lines and (len(self._lines) > MAX_LINES or self._old(self._lines[0][1].end)):
            self._lines.popleft()
            self.dropped += 1

    def observe_played(self, utterance: UtteranceId, heard: str, at: Samples) -> None:
        """How far an utterance of ours was heard, by a playback acknowledgment: cumulative text."""
        self._observe_heard(_Heard(self._next(at), at, utterance, heard))

    def observe_rest(self, utterance: UtteranceId, rest: str, at: Samples) -> None:
        """What of an utterance was cut off; "" when it was not."""
        self._observe_heard(_Heard(self._next(at), at, utterance, "", rest))

    def _observe_heard(self, heard: _Heard) -> None:
        self._heard.append(heard)
        while len(self._heard) > MAX_PLAYED_ACKS:
            self._heard.popleft()
            self.dropped += 1

    def observe_signals(self, at: Samples, readings: Iterable[SignalReading]) -> None:
        seq = self._next(at)
        for reading in readings:
            if reading.path not in self._signals and len(self._signals) == MAX_SIGNAL_PATHS:
                self.dropped += 1
                continue
            history = self._signals.setdefault(reading.path, deque(maxlen=4))
            if len(history) == 4:
                self.dropped += 1
            history.append(_Reading(seq, at, reading))

    def utterance_end(self, words: str, before: Samples) -> Samples | None:
        """End of the newest line with exactly these words that was over by then: the utterance behind a request."""
        ends = [line.end for _, line in self._lines if line.text == words and line.end <= before]
        return max(ends) if ends else None

    def snapshot(self, id: str, cutoff: Samples, fence: int | None = None) -> Snapshot:
        """Freeze what was known at `cutoff`, among what had arrived as number `fence` or before (default: all)."""
        last = self.seq if fence is None else fence
        begin = Samples(max(0, cutoff - samples_from_ms(LOOK_BACK_MS)))
        frames = [frame for seq, frame in self._frames if seq <= last and begin <= frame.capture <= cutoff]
        return Snapshot(
            id=id,
            cutoff=cutoff,
            fence=last,
            window_start=begin,
            audio=tuple(clip for seq, start, pcm in self._audio if seq <= last for clip in _clipped(start, pcm, begin, cutoff)),
            frames=tuple(_evenly(frames, MAX_SNAPSHOT_FRAMES)),
            transcript=tuple(line for seq, line in self._lines if seq <= last and begin <= line.end <= cutoff),
            played=self._played(cutoff, last),
            signals=tuple(self._known_signals(cutoff, last)),
            unheard=self._unheard(cutoff, last),
        )

    def _played(self, cutoff: Samples, last: int) -> str:
        """In the order of the utterances: an acknowledgment that comes late moves nothing."""
        newest = {heard.utterance: heard.text for heard in self._heard_until(cutoff, last) if heard.rest is None}
        return " ".join(text for _, text in sorted(newest.items()) if text)[-MAX_PLAYED_CHARS:]

    def _unheard(self, cutoff: Samples, last: int) -> str:
        rests = {heard.utterance: heard.rest for heard in self._heard_until(cutoff, last) if heard.rest is not None}
        return (rests[max(rests)] or "")[-MAX_PLAYED_CHARS:] if rests else ""

    def _heard_until(self, cutoff: Samples, last: int) -> list[_Heard]:
        oldest = cutoff - samples_from_ms(RETENTION_MS)
        return [heard for heard in self._heard if heard.seq <= last and oldest <= heard.at <= cutoff]

    def _known_signals(self, cutoff: Samples, last: int) -> Iterable[SignalReading]:
        for path in sorted(self._signals):
            known = [entry for entry in self._signals[path] if entry.seq <= last and entry.at <= cutoff]
            if known:
                age_ms = round(ms_from_samples(cutoff - known[-1].at))
                yield replace(known[-1].reading, age_ms=known[-1].reading.age_ms + age_ms)

    def _next(self, at: Samples) -> int:
        self.seq += 1
        self.newest = max(self.newest, at)
        return self.seq

    def _old(self, at: Samples) -> bool:
        return at < self.newest - samples_from_ms(RETENTION_MS)

    def _end_of_oldest_audio(self) -> Samples:
        _, start, pcm = self._audio[0]
        return Samples(start + len(pcm) // SAMPLE_BYTES)


def _clipped(start: Samples, pcm: bytes, begin: Samples, end: Samples) -> list[AudioClip]:
    """The part of a chunk inside [begin, end), to the sample; nothing when there is none."""
    first, stop = max(start, begin), min(start + len(pcm) // SAMPLE_BYTES, end)
    if first >= stop:
        return []
    view = memoryview(pcm)[(first - start) * SAMPLE_BYTES : (stop - start) * SAMPLE_BYTES]
    return [AudioClip(Samples(first), view)]


def _evenly(frames: list[Frame], bound: int) -> list[Frame]:
    """At most `bound` frames, evenly spread, the first and the last among them."""
    if len(frames) <= bound:
        return frames
    return [frames[round(index * (len(frames) - 1) / (bound - 1))] for index in range(bound)]
