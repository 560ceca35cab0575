"""Speech codes of a session to samples at 24 kHz, unit by unit: which codes make a window, what a turn begins with, when it ends.

`windows` decides and knows no tensors; `Vocoder` runs the flow and the wave of one session or of many at once. A session's state is a
value: a turn may be thrown away by keeping the older one. Policies: spec model.md section 3.5. Doesn't know why a turn ends.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum

import torch
from torch import Tensor
from torch.nn import functional as F

from ridealong.cloud.model.causal_vocoder import CausalState, CausalVocoder
from ridealong.cloud.model.flow import Flow, FlowState, noise_table
from ridealong.cloud.model.flow_encoder import Release
from ridealong.cloud.model.hift import Hift, HiftState
from ridealong.cloud.model.hift import noise_table as source_noise_table
from ridealong.cloud.model.voice import VoiceBundle

SAMPLE_RATE = 24_000
UNIT_SAMPLES = 24_000
WINDOW_CODES = 25  # a second
FLUSH_CODES = 5  # the fewest new codes that a flush makes a window of
SILENCE_CODE = 4218

WaveState = HiftState | CausalState


class Flush(Enum):
    """When codes that don't fill a window are spoken all the same, before a turn's end."""

    FIRST = "in the first unit of a turn"  # the hub's file
    ALWAYS = "in every unit"  # the demo's


@dataclass(frozen=True, slots=True)
class SpeechSettings:
    """`silence`: the code of silence. `release`: whose slips to keep. `source_noise`: breath; without it a wave needs no table."""

    steps: int = 5
    flush: Flush = Flush.ALWAYS
    silence: int = SILENCE_CODE
    seed: int = 0
    release: Release = Release.OURS
    source_noise: bool = True


DEMO = SpeechSettings()
HUB = SpeechSettings(steps=10, flush=Flush.FIRST)


@dataclass(frozen=True, slots=True)
class Window:
    """The first `size` of the codes that wait; `advance` of them are done with afterwards."""

    size: int
    advance: int
    last: bool


def windows(waiting: int, look_ahead: int, *, flush: bool, last: bool) -> list[Window]:
    """What to speak of `waiting` codes now. A turn's last unit leaves none of them."""
    found = []
    while waiting >= look_ahead + (FLUSH_CODES if flush else WINDOW_CODES):
        size = min(WINDOW_CODES + look_ahead, waiting)
        found.append(Window(size, size - look_ahead, last=False))
        waiting -= size - look_ahead
    if last:
        found.append(Window(waiting, waiting, last=True))
    return found


@dataclass(frozen=True, slots=True)
class SpeechState:
    """A session's voice. `voice`: the flow right after the prompt, where every turn begins. `waiting`: codes not yet spoken."""

    voice: FlowState
    flow: FlowState
    wave: WaveState
    waiting: tuple[int, ...]
    first_unit: bool


@dataclass(frozen=True, slots=True)
class Unit:
    """One unit of one session: new codes, none of them the end code; `last` ends the turn."""

    codes: Sequence[int]
    state: SpeechState
    last: bool = False


@dataclass(slots=True)
class _Job:
    """A unit under way."""

    state: SpeechState
    todo: list[Window]
    made: list[Tensor]  # each [samples]


class Vocoder:
    """Flow and wave of one checkpoint, for any number of sessions; see the module."""

    def __init__(
        self, flow: Flow, wave: Hift | CausalVocoder, settings: SpeechSettings = DEMO, *, noise: Tensor | None = None
    ) -> None:
        """`noise`: the flow's table [mel_bins, frames], where it must be the one of another program; else drawn from the seed."""
        device = flow.encoder_proj.weight.device
        if not 0 <= settings.silence < flow.config.codes:
            raise ValueError(f"the silence code {settings.silence} is none of {flow.config.codes} codes")
        self.flow, self.wave, self.settings = flow, wave, settings
        self._noise = noise_table(flow.config.mel_bins, settings.seed, device) if noise is None else noise.to(device)
        self._source_noise: Tensor | None = None
        if settings.source_noise:
            gaussian = isinstance(wave, Hift)  # the causal kind was published with a uniform table
            self._source_noise = source_noise_table(wave.config.harmonics + 1, settings.seed, gaussian, device)

    @torch.inference_mode()
    def begin(self, voice: VoiceBundle) -> SpeechState:
        """A session that speaks with this voice. Once a voice: a later session may begin with the same value. Raises UserError."""
        config = self.flow.config
        voice.fits(codes=config.codes, speaker=config.speaker, mel_bins=config.mel_bins)
        device, look_ahead = self._noise.device, config.encoder.look_ahead
        codes = voice.codes[None].to(device)  # [1, codes]
        silence = codes.new_full((1, look_ahead), self.settings.silence)
        beyond = codes[:, :look_ahead] if self.settings.release is Release.V1_0_7 else silence
        state = self.flow.begin(voice.speaker[None].to(device), self.settings.steps)
        mel = voice.mel[None].to(device=device, dtype=self.flow.encoder_proj.weight.dtype)
        state = self.flow.prompt(torch.cat([codes, beyond], dim=1), mel, state, self._noise)
        return self.turn(SpeechState(state, state, self.wave.begin(1), (), True))

    def turn(self, state: SpeechState) -> SpeechState:
        """The same session at the start of a turn, whatever was going on."""
        silence = (self.settings.silence,) * self.flow.config.encoder.look_ahead
        return SpeechState(state.voice, state.voice, self.wave.begin(1), silence, True)

    def silence(self) -> Tensor:
        """What a unit sounds like in which nothing is said. [24 000]."""
        return torch.zeros(UNIT_SAMPLES, device=self._noise.device)

    def speak(self, codes: Sequence[int], state: SpeechState, *, last: bool = False) -> tuple[Tensor, SpeechState]:
        """One unit of one session: `speak_all` of it alone."""
        return self.speak_all([Unit(codes, state, last)])[0]

    @torch.inference_mode()
    def speak_all(self, units: Sequence[Unit]) -> list[tuple[Tensor, SpeechState]]:
        """Samples in -1 ... 1 and the state after them, for each session. [samples], float32.

        A second at least, silence first where less was said; the last unit of a turn is as long as what is left, and its state is at the
        start of the next turn. Windows of sessions whose lengths agree run as one batch. Raises ValueError for a code out of range.
        """
        jobs = [self._job(unit) for unit in units]
        while ready := [job for job in jobs if job.todo]:
            batches: dict[tuple[object, ...], list[_Job]] = {}
            for job in ready:
                key = (job.todo[0], job.state.flow.shape, job.state.wave.shape)
                batches.setdefault(key, []).append(job)
            for batch in batches.values():
                self._window(batch)
        return [self._result(job, unit.last) for job, unit in zip(jobs, units, strict=True)]

    def _job(self, unit: Unit) -> _Job:
        if any(not 0 <= code < self.flow.config.codes for code in unit.codes):
            raise ValueError(f"speech codes are 0 to {self.flow.config.codes - 1}; the end code is none of them")
        state = replace(
            unit.state, waiting=(*unit.state.waiting, *unit.codes), first_unit=unit.state.first_unit and not unit.codes
        )
        flush = self.settings.flush is Flush.ALWAYS or unit.state.first_unit
        look_ahead = self.flow.config.encoder.look_ahead
        return _Job(state, windows(len(state.waiting), look_ahead, flush=flush, last=unit.last), [])

    def _window(self, batch: Sequence[_Job]) -> None:
        """One window of each of these sessions, which agree in all lengths."""
        window = batch[0].todo[0]
        flow = FlowState.stack([job.state.flow for job in batch])
        mel = self._noise.new_zeros(len(batch), self.flow.config.mel_bins, 0)
        if window.size:
            codes = torch.tensor([job.state.waiting[: window.size] for job in batch], device=self._noise.device)
            mel, flow = self.flow(codes, flow, self._noise, last=window.last, release=self.settings.release)
        samples, waves = self._sound(mel.float(), [job.state.wave for job in batch], window.last)
        for at, (job, flow_of, wave_of) in enumerate(zip(batch, flow.split(), waves, strict=True)):
            job.todo = job.todo[1:]
            job.made.append(samples[at])
            job.state = replace(job.state, flow=flow_of, wave=wave_of, waiting=job.state.waiting[window.advance :])

    def _sound(self, mel: Tensor, states: Sequence[WaveState], last: bool) -> tuple[Tensor, Sequence[WaveState]]:
        """mel: [sessions, mel_bins, frames]. Returns [sessions, samples]."""
        parity = self.settings.release is not Release.OURS
        if isinstance(self.wave, Hift):
            held = HiftState.stack([state for state in states if isinstance(state, HiftState)])
            samples, after = self.wave(mel, held, self._source_noise, last=last, parity=parity)
            return samples, after.split()
        lagging = CausalState.stack([state for state in states if isinstance(state, CausalState)])
        samples, later = self.wave(mel, lagging, self._source_noise, last=last, parity=parity)
        return samples, later.split()

    def _result(self, job: _Job, last: bool) -> tuple[Tensor, SpeechState]:
        samples = torch.cat(job.made) if job.made else self.silence()
        if last:
            return samples, self.turn(job.state)
        return F.pad(samples, (max(0, UNIT_SAMPLES - samples.shape[0]), 0)), job.state


def pcm16(samples: Tensor) -> Tensor:
    """samples: floats, any shape. 16-bit numbers of the same shape, cut towards zero as the published package does it."""
    return (samples.clamp(-1.0, 1.0) * 32767.0).to(torch.int16)
