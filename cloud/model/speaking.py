"""The voice's half of a tick: what was thought becomes codes and then samples, for all sessions that speak in this unit.

    spoken ids, their states -> condition rows, audio_bos -> talker -> codes -> flow and vocoder -> samples

It reads nothing of the language model's, so it may run for one unit while the next is being thought. Source: spec model.md 3.5.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from ridealong.cloud.model.decoding import Outcome
from ridealong.cloud.model.graphs import Graphs
from ridealong.cloud.model.stages import Stages
from ridealong.cloud.model.talker import DRAWS, Talker, TalkerCache, TalkerRules
from ridealong.cloud.model.vocoder import SpeechState, Unit, Vocoder

TALKER_WINDOW = 1024
"""Rows of one turn that the talker remembers: about half a minute of speech. A longer turn goes on with an empty memory."""
WORD_BUCKETS = (8, 24, 64, 128)
GREEDY = "greedy"


@dataclass(slots=True)
class Mouthpiece:
    """One session's voice. `speech` is None where the checkpoint brings no vocoder. `rows`: of the open turn in the talker's cache."""

    generator: torch.Generator
    speech: SpeechState | None
    rows: int = 0
    first_chunk: bool = True


@dataclass(frozen=True, slots=True)
class ToSpeak:
    """What one session says in a unit. ids: [words]; hidden: [words, llm_hidden]."""

    outcome: Outcome
    ids: Sequence[int]
    hidden: Tensor


@dataclass(frozen=True, slots=True)
class Spoken:
    """`sound`: [samples] float32 on the device; None where nothing was said."""

    sound: Tensor | None
    codes: tuple[int, ...]


class Speaking:
    """Owns the talker's cache. Calls never overlap."""

    def __init__(
        self,
        talker: Talker,
        vocoder: Vocoder | None,
        slots: int,
        *,
        rules: TalkerRules,
        graphs: bool,
        greedy: bool,
        stages: Stages,
    ) -> None:
        """greedy: the likeliest code always; for comparisons."""
        weight = talker.emb_text.weight
        self._talker, self._vocoder, self._rules, self._greedy, self._stages = talker, vocoder, rules, greedy, stages
        self._device, self._dtype = weight.device, weight.dtype
        window = min(TALKER_WINDOW, talker.config.max_positions)
        self.cache = TalkerCache.empty(talker.config, slots, window, device=self._device, dtype=self._dtype)
        self._graphs = Graphs(graph=graphs and self._device.type == "cuda")

    def check(self, cap: int) -> None:
        """Raises `ValueError` where the talker could not hold the words of a unit of `cap` ids."""
        most = self.cache.keys.shape[2] - DRAWS - 1
        if cap > most:
            raise ValueError(f"cap can be {most} at most, since the talker has no room for more words; it is {cap}")

    def open(self, slot: int, seed: int, speech: SpeechState | None) -> Mouthpiece:
        self.close(slot)
        return Mouthpiece(torch.Generator().manual_seed(seed ^ 0x5EED), speech)

    def close(self, slot: int) -> None:
        self.cache.keys[:, slot].zero_()
        self.cache.values[:, slot].zero_()
        self.cache.lengths[slot] = 0

    @torch.inference_mode()
    def speak(self, mouths: Mapping[int, Mouthpiece], said: Mapping[int, ToSpeak]) -> dict[int, Spoken]:
        """mouths: of the slots of `said`. A turn that was broken off is forgotten first. Where it raises, each of these sessions' voices
        is as at the start of a turn."""
        try:
            return self._speak(mouths, said)
        except BaseException:
            for slot in said:
                self._begin_turn(slot, mouths[slot])
            raise

    def _speak(self, mouths: Mapping[int, Mouthpiece], said: Mapping[int, ToSpeak]) -> dict[int, Spoken]:
        for slot, one in said.items():
            if one.outcome.interrupted:
                self._begin_turn(slot, mouths[slot])
        speaking = {slot: one for slot, one in said.items() if not one.outcome.is_listen}
        with self._stages.stage("talker"):
            codes = self._codes(mouths, speaking) if speaking else {}
        with self._stages.stage("vocoder"):
            sounds = self._sounds(mouths, speaking, codes)
        for slot, one in speaking.items():
            if one.outcome.end_of_turn:
                self._begin_turn(slot, mouths[slot], keep_speech=True)
        return {slot: Spoken(sounds.get(slot), codes.get(slot, ())) for slot in said}

    def _begin_turn(self, slot: int, mouth: Mouthpiece, *, keep_speech: bool = False) -> None:
        """keep_speech: the vocoder has begun the next turn by itself."""
        mouth.rows, mouth.first_chunk = 0, True
        self.cache.lengths[slot] = 0
        if not keep_speech and mouth.speech is not None and self._vocoder is not None:
            mouth.speech = self._vocoder.turn(mouth.speech)

    def _codes(self, mouths: Mapping[int, Mouthpiece], speaking: Mapping[int, ToSpeak]) -> dict[int, tuple[int, ...]]:
        slots, window = len(self.cache.lengths), self.cache.keys.shape[2]
        most = max(len(one.ids) for one in speaking.values()) + 1
        wide = next((bucket for bucket in WORD_BUCKETS if bucket >= most), most)
        rows = torch.zeros(slots, wide, self._talker.config.hidden, device=self._device, dtype=self._dtype)
        counts = torch.zeros(slots, dtype=torch.long)
        may_end = torch.zeros(slots, dtype=torch.bool)
        uniforms = torch.zeros(slots, DRAWS)
        for slot, one in speaking.items():
            mouth, words = mouths[slot], len(one.ids)
            if mouth.rows + words + 1 + DRAWS > window:
                self.cache.lengths[slot] = mouth.rows = 0
            counts[slot] = words + 1
            may_end[slot] = mouth.first_chunk or one.outcome.end_of_turn
            uniforms[slot] = torch.rand(DRAWS, generator=mouth.generator)
        self._condition(rows, speaking)
        span = _bucket(max(mouths[slot].rows + len(one.ids) + 1 + DRAWS for slot, one in speaking.items()), window)
        codes, valid = self._chunk(rows, counts, may_end, uniforms, span)
        lists = torch.cat((valid[:, None], codes), 1).tolist()  # read once: how many, then the codes
        for slot, one in speaking.items():
            mouths[slot].rows += len(one.ids) + 1 + lists[slot][0]
            mouths[slot].first_chunk = False
        return {slot: tuple(lists[slot][1 : 1 + lists[slot][0]]) for slot in speaking}

    def _chunk(self, rows: Tensor, counts: Tensor, may_end: Tensor, uniforms: Tensor, span: int) -> tuple[Tensor, ...]:
        """As `Talker.chunk`; all but rows come from the CPU."""

        def chunk(rows: Tensor, counts: Tensor, may_end: Tensor, uniforms: Tensor) -> tuple[Tensor, ...]:
            return self._talker.chunk(
                rows,
                counts,
                self.cache,
                may_end=may_end,
                rules=self._rules,
                uniforms=None if self._greedy else uniforms,
                span=span,
            )

        inputs = (rows, *(tensor.to(self._device, non_blocking=True) for tensor in (counts, may_end, uniforms)))
        return self._graphs.run((span, rows.shape[1]), chunk, inputs, (self.cache.lengths,))

    @torch.inference_mode()
    def warm(self) -> None:
        """Every usual chunk is captured now, not while somebody waits. Changes no session."""
        slots, window = len(self.cache.lengths), self.cache.keys.shape[2]
        nobody = torch.zeros(slots, dtype=torch.long)
        for span in sorted({_bucket(rows, window) for rows in range(64, window + 64, 64)}):
            for wide in (one for one in WORD_BUCKETS[:2] if one <= span):
                rows = torch.zeros(slots, wide, self._talker.config.hidden, device=self._device, dtype=self._dtype)
                self._chunk(rows, nobody, nobody.bool(), torch.zeros(slots, DRAWS), span)

    def _condition(self, rows: Tensor, speaking: Mapping[int, ToSpeak]) -> None:
        """Writes what each says, and the row that ends it, into rows [slots, wide, hidden]; all words go through the talker's projector at once."""
        words = [(token, slot, place) for slot, one in speaking.items() for place, token in enumerate(one.ids)]
        ends = [(slot, len(one.ids)) for slot, one in speaking.items()]
        where = torch.tensor([(slot, place) for _, slot, place in words] + ends).T.to(self._device, non_blocking=True)
        made = self._talker.audio_bos().expand(len(ends), -1)
        if words:
            ids = torch.tensor([token for token, _, _ in words]).to(self._device, non_blocking=True)
            hidden = torch.cat([one.hidden for one in speaking.values()]).to(self._dtype)
            made = torch.cat((self._talker.condition(ids, hidden), made))
        rows[where[0], where[1]] = made

    def _sounds(
        self, mouths: Mapping[int, Mouthpiece], speaking: Mapping[int, ToSpeak], codes: Mapping[int, tuple[int, ...]]
    ) -> dict[int, Tensor]:
        if self._vocoder is None:
            return {}
        units, places = [], []
        for slot, one in speaking.items():
            speech = mouths[slot].speech
            if speech is not None:
                places.append(slot)
                units.append(Unit(codes[slot], speech, one.outcome.end_of_turn))
        out = {}
        for slot, (sound, after) in zip(places, self._vocoder.speak_all(units), strict=True):
            mouths[slot].speech = after
            out[slot] = sound
        return out

    def mute(self, slot: int, mouth: Mouthpiece) -> None:
        """What was said was no sound (NaN): the session's voice begins anew, with nothing of it."""
        self.close(slot)
        self._begin_turn(slot, mouth)


def _bucket(rows: int, window: int) -> int:
    """So many rows of the cache are looked at: few different numbers, since each is captured apart."""
    size = 64
    while size < rows:
        size *= 2
    return min(size, window)
