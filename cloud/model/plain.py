"""The model run the way the published code runs it, for comparison: what a unit would cost without this engine.

One session. Each piece of a unit is its own pass of the language model; every drawn id and every speech code is read back before the next
is drawn; the last 20 to 30 s of sound are analysed again at each unit; no graphs, nothing overlaps. The layers are ours, and so are
attention kernels and a cache that isn't copied at every pass, which the published code has not: it can only be slower than this.
Source: spec model.md 1.5, 3.3 to 3.5. Used by benches alone; draws other words than the engine would.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from ridealong.cloud.model.audio import AudioCache
from ridealong.cloud.model.decoding import Decoding
from ridealong.cloud.model.engine import EngineSettings
from ridealong.cloud.model.eye import look
from ridealong.cloud.model.images import Cut
from ridealong.cloud.model.kv_cache import KvCache
from ridealong.cloud.model.mel import DROP_SAMPLES, Floor, clip_mel
from ridealong.cloud.model.model import LoadedModel
from ridealong.cloud.model.sampling import Knobs, Sampler, empty_history
from ridealong.cloud.model.stages import Stages
from ridealong.cloud.model.talker import DRAWS, TalkerCache, penalised
from ridealong.cloud.model.vision import Patches
from ridealong.cloud.model.vocoder import SpeechState, Vocoder

FRAMES = 104
RATE = 16_000


class PlainSession:
    """`rows`: of context before the first unit; they hold zeros, since only their number costs time."""

    def __init__(self, loaded: LoadedModel, settings: EngineSettings, decoding: Decoding, seed: int, rows: int = 0) -> None:
        self._loaded, self._rules, self._ids = loaded, settings.talker, loaded.tokens.ids
        self._model, self._ear, self._talker = loaded.module, loaded.module.ear, loaded.module.tts
        self._device, self._dtype = self._model.llm.lm_head.weight.device, self._model.llm.model.embed_tokens.weight.dtype
        self.stages = Stages(self._device, True)
        config = loaded.config
        window = min(settings.window, config.language.max_positions)
        self._cache = KvCache.empty(config.language, 1, window, device=self._device, dtype=self._dtype)
        self._rows = rows
        self._sampler = Sampler(self._ids, loaded.tokens.banned, config.language.vocab, self._device)
        self._drawn, self._knobs = empty_history(1, 512, self._device), Knobs.of([decoding], self._device)
        self._generator = torch.Generator().manual_seed(seed)
        self._heard = torch.zeros(2 * DROP_SAMPLES)  # as after 20 s
        self._audio: AudioCache = self._ear.cache(1)
        self._spoken = TalkerCache.empty(
            config.talker, 1, min(1024, config.talker.max_positions), device=self._device, dtype=self._dtype
        )
        self._said = 0  # rows of the talker's cache
        self._vocoder = Vocoder(loaded.speech.flow, loaded.speech.wave, settings.speech) if loaded.speech is not None else None
        self._speech: SpeechState | None = (
            self._vocoder.begin(loaded.voice) if self._vocoder is not None and loaded.voice is not None else None
        )

    @torch.inference_mode()
    def unit(self, sound: Tensor | None, pictures: Sequence[Cut], script: Sequence[int]) -> Tensor | None:
        """Runs a unit in which `script` is drawn, the terminator at its end, and says it. Returns its samples, on the CPU."""
        with self.stages.stage("vision"):
            seen = self._look(pictures)
        with self.stages.stage("audio"):
            heard = self._hear(sound) if sound is not None else None
        with self.stages.stage("prefill"):
            state = self._feed(self._embed([self._ids.unit_open]))
            for rows in seen:
                for piece in (self._embed([self._ids.image_open]), rows, self._embed([self._ids.image_close])):
                    state = self._feed(piece)
            state = self._feed(heard) if heard is not None else state
        with self.stages.stage("decode"):
            states = []
            for token in script:
                self._draw(state)
                if token == script[-1]:
                    break
                state = self._feed(self._embed([token]))
                states.append(state)
        with self.stages.stage("prefill"):
            self._feed(self._embed([script[-1], self._ids.unit_close]))
        with self.stages.stage("talker"):
            codes = self._codes(script[1:-1], states[1:]) if len(script) > 1 else []
        with self.stages.stage("vocoder"):
            return self._sound(codes, last=self._ids.turn_eos in script) if len(script) > 1 else None

    def _embed(self, ids: Sequence[int]) -> Tensor:
        return self._model.llm.embed(torch.tensor(list(ids), device=self._device))

    def _feed(self, rows: Tensor) -> Tensor:
        """[n, hidden] -> the last state [1, hidden]. A full window begins anew behind the same number of rows as at first."""
        if self._rows + len(rows) > self._cache.window:
            self._rows = self._cache.window // 2
        starts, counts = (torch.tensor([number], device=self._device) for number in (self._rows, len(rows)))
        self._rows += len(rows)
        return self._model.llm(rows[None].to(self._dtype), self._cache, starts, counts, span=self._rows)[0, -1:]

    def _draw(self, state: Tensor) -> int:
        chance = torch.rand(1, 2, generator=self._generator).to(self._device)
        return int(self._sampler.draw(self._model.llm.logits(state), self._drawn, chance, self._knobs).tokens.item())

    def _look(self, pictures: Sequence[Cut]) -> list[Tensor]:
        vision, resampler, config = self._model.vpm, self._model.resampler, self._loaded.config.vision
        if not pictures or vision is None or resampler is None or config is None:
            return []
        parts = [Patches(part.values.to(self._device), part.grid) for cut in pictures for part in cut.parts]
        return list(look(vision, resampler, parts, config.batch))

    def _hear(self, sound: Tensor) -> Tensor:
        self._heard = torch.cat((self._heard, sound))
        if len(self._heard) >= 3 * DROP_SAMPLES:
            self._heard = self._heard[DROP_SAMPLES:]
        mel = clip_mel(self._heard[-30 * RATE :], self._loaded.config.audio.mel_bins, Floor.DYNAMIC)[:, -FRAMES:]
        return self._ear.units([mel], [0], self._audio)[0]

    def _codes(self, ids: Sequence[int], states: Sequence[Tensor]) -> list[int]:
        talker, end = self._talker, self._talker.config.end_code
        words = torch.tensor([list(ids)], device=self._device)
        rows = torch.cat((talker.condition(words, torch.cat(list(states))[None])[0], talker.audio_bos()[None]))
        if self._said + len(rows) + DRAWS > self._spoken.keys.shape[2]:
            self._said = 0
            self._spoken.lengths.zero_()
        codes: list[int] = []
        state = self._step(rows)
        for draw in range(DRAWS):
            scores = talker.head_code[0](state).float() / self._rules.temperature
            if draw:
                recent = torch.tensor([codes[-self._rules.window :]], device=self._device)
                scores = penalised(scores, recent, self._rules.penalty)
            scores[:, end] = float("-inf")
            codes.append(int(torch.multinomial(scores.softmax(-1), 1).item()))
            if draw < DRAWS - 1:
                state = self._step(talker.emb_code[0](torch.tensor(codes[-1:], device=self._device)))
        return codes[:-1]

    def _step(self, rows: Tensor) -> Tensor:  # [n, hidden] -> [1, hidden]
        self._said += len(rows)
        return self._talker.prefill(rows[None], torch.tensor([len(rows)], device=self._device), self._spoken, self._said)

    def _sound(self, codes: Sequence[int], *, last: bool) -> Tensor | None:
        if last:
            self._said = 0
            self._spoken.lengths.zero_()
        if self._vocoder is None or self._speech is None:
            return None
        samples, self._speech = self._vocoder.speak(codes, self._speech, last=last)
        return samples.cpu()
