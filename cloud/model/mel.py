"""Sound to log-mel frames, 100 a second: Whisper's front end, for a whole clip and for a stream of units.

    samples at 16 kHz  ->  StreamingMel.push  ->  [bins, 102] for a session's first unit, [bins, 104] for each later one

The reference re-analyses up to 30 s of sound at every unit. Here a unit costs its own 103 frames and gives the same numbers,
since all that a unit needs of the past is 480 samples, 4 frames and the loudest value of each earlier unit (see `StreamingMel`).
Runs on the CPU in float32. Source: model.md 1.5; Radford et al. 2022 (Whisper), section 2.2; Slaney 1998 for the filters.
Does not know: the encoder, sessions, or where sound comes from.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import lru_cache

import torch
from torch import Tensor

SAMPLE_RATE = 16_000
FFT = 400
HOP = 160
FRAMES_PER_S = SAMPLE_RATE // HOP
MARGIN_FRAMES = 2  # a unit is sent with so many frames of its neighbours, for the encoder's two convolutions
CLIP_SAMPLES = 30 * SAMPLE_RATE  # the longest clip, and the sound that a stream looks back on for its floor
DROP_SAMPLES = 10 * SAMPLE_RATE  # what a stream forgets when it has looked back so far
DYNAMIC_FROM_SAMPLES = 5 * SAMPLE_RATE
FIRST_PAD_SAMPLES = 560  # 35 ms: the first unit must bring this much more than a unit
AHEAD_SAMPLES = 480  # of which so many are analysed with it; the other 80 wait for ever
LOUDEST_SAMPLE = 16.0  # floats above are no sound in -1..1 but, most likely, int16 numbers as floats
RANGE = 8.0  # decades below the loudest value that are kept


class Floor(Enum):
    """How the quietest values are raised: to a constant that changes nothing, or to 8 decades below the loudest value."""

    FIXED = "fixed"
    DYNAMIC = "dynamic"


def _slaney_to_hz(mels: Tensor) -> Tensor:
    """Linear to 1 kHz (15 mels), then 27 mels for a factor of 6.4."""
    return torch.where(mels < 15.0, mels * (200.0 / 3.0), 1000.0 * torch.exp((mels - 15.0) * (math.log(6.4) / 27.0)))


@lru_cache(maxsize=4)
def mel_filters(bins: int) -> Tensor:
    """Triangles of equal area on Slaney's scale, 0 to 8 kHz: [bins, 201] float32. Computed in float64, kept."""
    top = 15.0 + math.log(SAMPLE_RATE / 2 / 1000.0) * 27.0 / math.log(6.4)
    edges = _slaney_to_hz(torch.linspace(0.0, top, bins + 2, dtype=torch.float64, device="cpu"))  # [bins + 2] Hz
    lines = torch.linspace(0.0, SAMPLE_RATE / 2, FFT // 2 + 1, dtype=torch.float64, device="cpu")  # [201] Hz
    low, centre, high = edges[:-2, None], edges[1:-1, None], edges[2:, None]
    rising = (lines - low) / (centre - low)  # [bins, 201]
    falling = (high - lines) / (high - centre)
    return (torch.minimum(rising, falling).clamp(min=0.0) * (2.0 / (high - low))).float()


def _none(*shape: int) -> Tensor:
    """An empty tensor, whatever device or type new tensors have here."""
    return torch.zeros(shape, dtype=torch.float32, device="cpu")


@lru_cache(maxsize=1)
def _window() -> Tensor:
    return torch.hann_window(FFT, periodic=True, dtype=torch.float32, device="cpu")  # [400]


def as_samples(sound: Tensor) -> Tensor:
    """`sound` [samples], int16 or floats in -1..1, as float32. Raises `ValueError` for all else, NaN and infinity included."""
    if sound.ndim != 1:
        raise ValueError(f"sound is one channel, [samples]; this is {list(sound.shape)}")
    if sound.dtype == torch.int16:
        return sound.float() / 32768.0
    if not sound.is_floating_point():
        raise ValueError(f"sound is int16 or floats in -1..1; this is {sound.dtype}")
    sound = sound.float()
    if sound.numel() and not bool(sound.abs().max() <= LOUDEST_SAMPLE):  # NaN compares false
        raise ValueError("sound holds NaN, infinity or floats far outside -1..1 (int16 numbers are divided by 32768 first)")
    return sound


def _log_power(samples: Tensor, bins: int) -> Tensor:
    """log10 of mel power, at least -10, of samples [n], n > 200, mirrored at both ends: [bins, n // 160]. No floor yet."""
    spectrum = torch.stft(samples, FFT, HOP, window=_window(), center=True, pad_mode="reflect", return_complex=True)
    power = spectrum[:, :-1].abs() ** 2  # [201, frames]: the last frame, half of it mirror, is dropped
    return (mel_filters(bins) @ power).clamp(min=1e-10).log10()


def _floored(log_power: Tensor, loudest: float, floor: Floor) -> Tensor:
    """[bins, frames] as the encoder reads it: floored, then moved to about -1..1."""
    if floor is Floor.DYNAMIC:
        log_power = log_power.clamp(min=loudest - RANGE)
    return (log_power + 4.0) / 4.0


def clip_mel(sound: Tensor, bins: int = 80, floor: Floor = Floor.DYNAMIC) -> Tensor:
    """A whole clip [samples] of at most 30 s: [bins, ceil(samples / 160)]. Raises `ValueError` for none or more.

    The numbers are those of the clip filled with silence to 30 s; only as much silence is analysed as a frame can see.
    """
    samples = as_samples(sound)
    count = samples.numel()
    if not 0 < count <= CLIP_SAMPLES:
        raise ValueError(f"a clip has 1 to {CLIP_SAMPLES} samples (30 s), this one has {count}")
    frames = -(-count // HOP)
    seen = min(CLIP_SAMPLES, frames * HOP + FFT)
    log_power = _log_power(torch.nn.functional.pad(samples, (0, seen - count)), bins)[:, :frames]
    return _floored(log_power, log_power.max().item(), floor)


@dataclass(slots=True)
class MelFrontEnd:
    """Makes clips and streams. Each states its own floor.

    Under `reference_parity` they share one: a stream leaves the rule of its last unit behind, and the next clip is made by it.
    """

    bins: int = 80
    unit_s: float = 1.0
    reference_parity: bool = False
    floor: Floor = Floor.DYNAMIC

    def clips(self, sound: Tensor) -> list[Tensor]:
        """Sound [samples] of any length as clips of 30 s and a rest: each [bins, frames]. Raises `ValueError` for no sound."""
        samples = as_samples(sound)
        if not samples.numel():
            raise ValueError("a clip needs at least one sample")
        return [clip_mel(piece, self.bins, self.floor) for piece in samples.split(CLIP_SAMPLES)]

    def stream(self) -> StreamingMel:
        return StreamingMel(self.bins, self.unit_s, self if self.reference_parity else None)


@dataclass(slots=True)
class StreamingMel:
    """One session's stream: its whole state. `shared`: told of each unit's floor (`reference_parity`), else None.

    Unit k analyses the samples from its first to 480 past its last, mirrored at both ends: 103 frames. In terms of the
    reference's long buffer these are: 0 and 1, the buffer's first frames if it begins at this unit; 2..101, which no end
    touches and which never change; 102, the buffer's last frame, thrown away after its loudness has counted. So the loudest
    value of the buffer is that of its first unit's edge, of all its units' inner frames and of its newest frame.
    """

    bins: int = 80
    unit_s: float = 1.0
    shared: MelFrontEnd | None = None
    units: int = 0  # given out so far
    waiting: Tensor = field(default_factory=lambda: _none(0))  # [samples] not analysed yet, less than a unit and 560
    _tail: Tensor = field(default_factory=lambda: _none(0))  # [480] samples that the next unit begins with
    _newest: Tensor = field(default_factory=lambda: _none(0, 0))  # [bins, 4] frames that the next unit begins with
    _loudest: deque[tuple[float, float]] = field(default_factory=deque)  # of each unit looked back on: its edge, its inner frames

    def __post_init__(self) -> None:
        samples = self.unit_s * SAMPLE_RATE
        if samples <= 0 or samples % (SAMPLE_RATE // 10) or DROP_SAMPLES % samples:
            raise ValueError(f"a unit is a whole number of 0.1 s that divides 10 s, not {self.unit_s} s")

    @property
    def unit_samples(self) -> int:
        return int(self.unit_s * SAMPLE_RATE)

    @property
    def buffer_samples(self) -> int:
        """The sound that the floor looks back on, with the newest unit: never 30 s or more."""
        return len(self._loudest) * self.unit_samples + (AHEAD_SAMPLES if self._loudest else 0)

    def push(self, sound: Tensor) -> list[Tensor]:
        """Takes sound [samples] of any length; gives each unit that is now complete, [bins, unit + 2 or, but for the first, + 4].

        The session's first sound is made a unit and 35 ms long by silence put in front of it, so it should be a unit long.
        Raises `ValueError`, and stays as it was, for sound that is none.
        """
        samples = as_samples(sound)
        if not samples.numel():
            return []
        if not self.units and not self.waiting.numel():
            missing = max(0, self.unit_samples + FIRST_PAD_SAMPLES - samples.numel())
            samples = torch.nn.functional.pad(samples, (missing, 0))
        waiting = torch.cat((self.waiting, samples))
        done = []
        while waiting.numel() >= (self.unit_samples if self.units else self.unit_samples + FIRST_PAD_SAMPLES):
            taken = self.unit_samples if self.units else self.unit_samples + AHEAD_SAMPLES
            done.append(self._unit(waiting[:taken]))
            waiting = waiting[taken:]
        self.waiting = waiting.clone()  # not a view that keeps a long push alive
        return done

    def _unit(self, fresh: Tensor) -> Tensor:
        """Fresh samples [unit], or [unit + 480] at first, to frames [bins, unit + 4 or + 2]."""
        segment = torch.cat((self._tail, fresh))  # [unit + 480]
        log_power = _log_power(segment, self.bins)  # [bins, unit frames + 3]
        stable = log_power[:, :-1]
        inner = stable[:, MARGIN_FRAMES:]
        self._loudest.append((stable[:, :MARGIN_FRAMES].max().item(), inner.max().item()))
        if self.buffer_samples >= CLIP_SAMPLES:
            for _ in range(DROP_SAMPLES // self.unit_samples):
                self._loudest.popleft()
        floor = Floor.FIXED if self.buffer_samples < DYNAMIC_FROM_SAMPLES else Floor.DYNAMIC
        if self.shared is not None:
            self.shared.floor = floor
        loudest = max(self._loudest[0][0], max(of_unit for _, of_unit in self._loudest), log_power[:, -1].max().item())
        frames = torch.cat((self._newest, inner), dim=1) if self.units else stable
        self._newest = stable[:, -2 * MARGIN_FRAMES :].clone()
        self._tail = segment[-AHEAD_SAMPLES:].clone()
        self.units += 1
        return _floored(frames, loudest, floor)


def stack_clips(mels: Sequence[Tensor]) -> tuple[Tensor, list[int]]:
    """Clips, each [bins, frames], as one [clips, bins, longest], filled with 0, and the frames of each."""
    if not mels or any(mel.ndim != 2 or not mel.shape[1] for mel in mels) or len({mel.shape[0] for mel in mels}) != 1:
        raise ValueError(f"clips are [bins, frames] with the same bins; these are {[list(mel.shape) for mel in mels]}")
    lengths = [int(mel.shape[1]) for mel in mels]
    longest = max(lengths)
    return torch.stack([torch.nn.functional.pad(mel, (0, longest - mel.shape[1])) for mel in mels]), lengths


def stack_units(mels: Sequence[Tensor], bins: int, unit_frames: int) -> tuple[Tensor, Tensor]:
    """Units as `StreamingMel` gives them, as one [batch, bins, unit + 4], and which are their sessions' first: [batch] bool.

    A first unit has no neighbour in front; two frames of 0 stand there, which the encoder hides behind its first convolution.
    """
    short, long = (bins, unit_frames + MARGIN_FRAMES), (bins, unit_frames + 2 * MARGIN_FRAMES)
    for mel in mels:
        if tuple(mel.shape) not in (short, long):
            raise ValueError(f"a unit is {list(short)} (a session's first) or {list(long)}; this is {list(mel.shape)}")
    first = torch.tensor([tuple(mel.shape) == short for mel in mels], dtype=torch.bool)
    if not mels:
        return torch.zeros(0, *long), first
    return torch.stack([torch.nn.functional.pad(mel, (long[1] - mel.shape[1], 0)) for mel in mels]), first
