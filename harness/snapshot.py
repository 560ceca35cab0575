"""What was seen and heard up to one instant, frozen. Pure: an `Evidence` store of bounded rings, and `Snapshot` values.

A snapshot is fenced twice: by time (`cutoff`) and by order of arrival (`fence`), so what arrives later can never enter
it, whatever its time stamp. Assistant speech counts only as far as its playback was acknowledged. (Spec: venus B4–B7.)
Media are shared, never copied, and are immutable: whoever hands them in keeps a buffer of their own. A snapshot's id ends in the address of
its content (address.py): made from digests that are taken once, when something arrives.
Does not know who asks, or what the evidence shows.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Final

from ridealong.harness.address import address, digest
from ridealong.harness.attached import Attached
from ridealong.harness.looks import Looks
from ridealong.proto.types import (
    CAMERA,
    MICROPHONE,
    FrameId,
    Location,
    Samples,
    SignalReading,
    UtteranceId,
    ms_from_samples,
    samples_from_ms,
)

LOOK_BACK_MS: Final = 12_000
RETENTION_MS: Final = 60_000
MAX_AUDIO_BYTES: Final = 8 * 1024 * 1024
MAX_FRAMES: Final = 48
MAX_FRAME_BYTES: Final = 32 * 1024 * 1024
MAX_SNAPSHOT_FRAMES: Final = 12
MAX_ATTACHED: Final = 12
MAX_ATTACHED_BYTES: Final = 4 * 1024 * 1024
MAX_LINES: Final = 128
MAX_PLAYED_CHARS: Final = 320
MAX_PLAYED_ACKS: Final = 256
MAX_SIGNAL_PATHS: Final = 256
MAX_READINGS: Final = 64
"""Of one signal: at five changes a second, more than a look-back."""
MAX_PLACES: Final = 64
SAMPLE_BYTES: Final = 2
_LOOK_BACK: Final = samples_from_ms(LOOK_BACK_MS)
_RETENTION: Final = samples_from_ms(RETENTION_MS)
_SOURCES: Final = frozenset({CAMERA, MICROPHONE})


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
    """`unchanged_until`: when the device's gate last found that what is there looks like this picture; None: it did not look again."""

    frame: FrameId
    capture: Samples
    jpeg: bytes
    unchanged_until: Samples | None = None

    @property
    def shows(self) -> Samples:
        """The last instant of which this is known to be the view."""
        return self.capture if self.unchanged_until is None else self.unchanged_until


@dataclass(frozen=True, slots=True)
class Line:
    """A finished line of the transcript. `who`: driver, passenger, assistant, other, …"""

    who: str
    text: str
    start: Samples
    end: Samples


@dataclass(frozen=True, slots=True)
class Place:
    """Where the device was last known to be, with the age of that in ms at the cutoff."""

    latitude: float
    longitude: float
    accuracy_m: float
    speed_kmh: float
    heading_deg: float
    age_ms: int


@dataclass(frozen=True, slots=True)
class Snapshot:
    """`signals`: the readings known at the cutoff, with the age that they had then. `played`: what was heard of the assistant;
    `unheard`: the rest of its last utterance, where that was cut. `withheld`: sources (MICROPHONE, CAMERA) that nobody had agreed to, so that nothing
    of them is here. `attached`: the newest files that the user has sent, whenever that was: not what happened, but what was given."""

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
    place: Place | None = None
    withheld: tuple[str, ...] = ()
    attached: tuple[Attached, ...] = ()

    def address(self) -> str:
        """From the content itself, every byte of it: `id` ends in it."""
        sounds = [(f"audio {clip.samples}", clip.start, digest(clip.pcm16)) for clip in self.audio]
        pictures = [(f"frame {frame.frame}", frame.capture, digest(frame.jpeg)) for frame in self.frames]
        files = [_file(one, digest(one.data)) for one in self.attached]
        facts = _facts(self.transcript, self.played, self.unheard, self.signals, self.place, self.frames, self.withheld)
        return address((self.window_start, self.cutoff), [*sounds, *pictures, *files], facts)


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
    _audio: deque[tuple[int, Samples, bytes, str]] = field(default_factory=deque)  # number, start, samples, digest
    _audio_bytes: int = 0
    _frames: deque[tuple[int, Frame, str]] = field(default_factory=deque)
    _frame_bytes: int = 0
    _looks: Looks = field(default_factory=Looks)
    _places: deque[tuple[int, Location]] = field(default_factory=deque)
    _lines: deque[tuple[int, Line]] = field(default_factory=deque)
    _heard: deque[_Heard] = field(default_factory=deque)
    _signals: dict[str, deque[_Reading]] = field(default_factory=dict)
    _withheld: set[str] = field(default_factory=set)
    _attached: deque[tuple[int, Attached, str]] = field(default_factory=deque)

    def observe_audio(self, start: Samples, pcm16: bytes) -> None:
        """Samples that the microphone heard, from `start` on. An odd last byte is no sample and is left out."""
        whole = bytes(pcm16[: len(pcm16) // SAMPLE_BYTES * SAMPLE_BYTES])
        if not whole:
            return
        self._audio.append((self._next(Samples(start + len(whole) // SAMPLE_BYTES)), start, whole, digest(whole)))
        self._audio_bytes += len(whole)
        while self._audio and (self._audio_bytes > MAX_AUDIO_BYTES or self._old(self._end_of_oldest_audio())):
            self._audio_bytes -= len(self._audio.popleft()[2])
            self.dropped += 1

    def observe_frame(self, frame: FrameId, capture: Samples, jpeg: bytes, changed: bool = True) -> None:
        """A picture that the device sent. JPEG. `changed`: as its gate sees it, against the last that was; every later one is compared with this."""
        own = bytes(jpeg)
        self.dropped += self._looks.add(self.seq + 1, frame, capture, changed)
        self._frames.append((self._next(capture), Frame(frame, capture, own), digest(own)))
        self._frame_bytes += len(own)
        while self._frames and (
            len(self._frames) > MAX_FRAMES or self._frame_bytes > MAX_FRAME_BYTES or self._old(self._frames[0][1].capture)
        ):
            self._frame_bytes -= len(self._frames.popleft()[1].jpeg)
            self.dropped += 1

    def observe_no_frame(self, frame: FrameId, capture: Samples, changed: bool) -> None:
        """A picture that was taken and not sent. Where it was not `changed`, the last one that was shows what was there at `capture`."""
        self.dropped += self._looks.add(self._next(capture), frame, capture, changed)

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
            history = self._signals.setdefault(reading.path, deque(maxlen=MAX_READINGS))
            if len(history) == MAX_READINGS:
                self.dropped += 1
            history.append(_Reading(seq, at, reading))

    def observe_place(self, place: Location) -> None:
        self._places.append((self._next(place.at), place))
        while self._places and (len(self._places) > MAX_PLACES or self._old(self._places[0][1].at)):
            self._places.popleft()
            self.dropped += 1

    def observe_attached(self, name: str, mime: str, at: Samples, data: bytes) -> None:
        """A file that the user has sent. It does not grow old; too many push out the oldest."""
        own = Attached(name, mime, at, bytes(data))
        self.seq += 1  # sent, not observed: the clock of what is seen and heard does not move
        self._attached.append((self.seq, own, digest(own.data)))
        while len(self._attached) > MAX_ATTACHED or sum(len(one.data) for _, one, _ in self._attached) > MAX_ATTACHED_BYTES:
            self._attached.popleft()
            self.dropped += 1

    def observe_consent(self, source: str, granted: bool) -> None:
        """What may be captured changes. Where consent ends, what was kept of that source is gone, words that were heard included."""
        if granted:
            self._withheld.discard(source)
            return
        self._withheld.add(source)
        if source == MICROPHONE:
            self._audio.clear()
            self._audio_bytes = 0
            self._lines.clear()
        elif source == CAMERA:
            self._frames.clear()
            self._frame_bytes = 0
            self._looks.forget()

    def utterance_end(self, words: str, before: Samples) -> Samples | None:
        """End of the newest line with exactly these words that was over by then: the utterance behind a request."""
        ends = [line.end for _, line in self._lines if line.text == words and line.end <= before]
        return max(ends) if ends else None

    def snapshot(self, scope: str, cutoff: Samples, fence: int | None = None) -> Snapshot:
        """Freeze what was known at `cutoff`, among what had arrived as number `fence` or before (default: all). Its id is `scope`, a
        dash, and the address of its content."""
        last = self.seq if fence is None else fence
        begin = Samples(max(0, cutoff - _LOOK_BACK))
        clips = [
            (clip, whole if clip.samples * SAMPLE_BYTES == len(pcm) else digest(clip.pcm16))
            for seq, start, pcm, whole in self._audio
            if seq <= last
            for clip in _clipped(start, pcm, begin, cutoff)
        ]
        until = self._looks.unchanged_until(cutoff, last)
        frames = [
            (replace(frame, unchanged_until=until[frame.frame]) if frame.frame in until else frame, whole)
            for seq, frame, whole in self._frames
            if seq <= last and frame.capture <= cutoff
        ]
        seen = _evenly([(frame, whole) for frame, whole in frames if begin <= frame.shows], MAX_SNAPSHOT_FRAMES)
        given = [(one, whole) for seq, one, whole in self._attached if seq <= last]
        shown = tuple([frame for frame, _ in seen])
        lines = tuple([line for seq, line in self._lines if seq <= last and begin <= line.end <= cutoff])
        heard = [one for one in self._heard if one.seq <= last and cutoff - _RETENTION <= one.at <= cutoff]
        played, unheard = _played(heard), _unheard(heard)
        signals, place = tuple(self._known_signals(cutoff, last)), self._place(cutoff, last)
        withheld = tuple(sorted(self._withheld & _SOURCES))
        sounds = [(f"audio {clip.samples}", clip.start, known) for clip, known in clips]
        pictures = [(f"frame {frame.frame}", frame.capture, known) for frame, known in seen]
        files = [_file(one, known) for one, known in given]
        facts = _facts(lines, played, unheard, signals, place, shown, withheld)
        return Snapshot(
            id=f"{scope}-{address((begin, cutoff), [*sounds, *pictures, *files], facts)}",
            cutoff=cutoff,
            fence=last,
            window_start=begin,
            audio=tuple([clip for clip, _ in clips]),
            frames=shown,
            transcript=lines,
            played=played,
            signals=signals,
            unheard=unheard,
            place=place,
            withheld=withheld,
            attached=tuple([one for one, _ in given]),
        )

    def _place(self, cutoff: Samples, last: int) -> Place | None:
        known = [place for seq, place in self._places if seq <= last and place.at <= cutoff]
        if not known:
            return None
        newest = max(known, key=lambda place: place.at)
        age_ms = round(ms_from_samples(Samples(cutoff - newest.at)))
        return Place(newest.latitude, newest.longitude, newest.accuracy_m, newest.speed_kmh, newest.heading_deg, age_ms)

    def _known_signals(self, cutoff: Samples, last: int) -> Iterable[SignalReading]:
        for path in sorted(self._signals):
            known = [entry for entry in self._signals[path] if entry.seq <= last and entry.at <= cutoff]
            if known:
                newest = max(known, key=lambda entry: (entry.at, entry.seq))
                age_ms = round(ms_from_samples(cutoff - newest.at))
                yield replace(newest.reading, age_ms=newest.reading.age_ms + age_ms)

    def _next(self, at: Samples) -> int:
        self.seq += 1
        self.newest = max(self.newest, at)
        return self.seq

    def _old(self, at: Samples) -> bool:
        return at < self.newest - _RETENTION

    def _end_of_oldest_audio(self) -> Samples:
        _, start, pcm, _ = self._audio[0]
        return Samples(start + len(pcm) // SAMPLE_BYTES)


def _clipped(start: Samples, pcm: bytes, begin: Samples, end: Samples) -> list[AudioClip]:
    """The part of a chunk inside [begin, end), to the sample; nothing when there is none."""
    first, stop = max(start, begin), min(start + len(pcm) // SAMPLE_BYTES, end)
    if first >= stop:
        return []
    view = memoryview(pcm)[(first - start) * SAMPLE_BYTES : (stop - start) * SAMPLE_BYTES]
    return [AudioClip(Samples(first), view)]


def _played(heard: Iterable[_Heard]) -> str:
    """In the order of the utterances: an acknowledgment that comes late moves nothing."""
    newest = {one.utterance: one.text for one in heard if one.rest is None}
    return " ".join([text for _, text in sorted(newest.items()) if text])[-MAX_PLAYED_CHARS:]


def _unheard(heard: Iterable[_Heard]) -> str:
    rests = {one.utterance: one.rest for one in heard if one.rest is not None}
    return (rests[max(rests)] or "")[-MAX_PLAYED_CHARS:] if rests else ""


def _file(one: Attached, known: str) -> tuple[str, int, str]:
    return f"file {one.mime} {one.name}", one.at, known


def _facts(
    transcript: Iterable[Line],
    played: str,
    unheard: str,
    known: Iterable[SignalReading],
    place: Place | None,
    frames: Iterable[Frame],
    withheld: tuple[str, ...],
) -> list[object]:
    """What of a snapshot is neither sound nor picture."""
    lines = [(line.who, line.text, line.start, line.end) for line in transcript]
    signals = [(reading.path, reading.value, reading.age_ms) for reading in known]
    where = (
        (place.latitude, place.longitude, place.accuracy_m, place.speed_kmh, place.heading_deg, place.age_ms) if place else None
    )
    unchanged = [(frame.frame, frame.unchanged_until) for frame in frames if frame.unchanged_until is not None]
    return [lines, played, unheard, signals, where, unchanged, *([withheld] if withheld else [])]


def _evenly(frames: list[tuple[Frame, str]], bound: int) -> list[tuple[Frame, str]]:
    """At most `bound` frames, evenly spread, the first and the last among them."""
    if len(frames) <= bound:
        return frames
    return [frames[round(index * (len(frames) - 1) / (bound - 1))] for index in range(bound)]
