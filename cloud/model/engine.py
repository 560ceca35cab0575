"""The streaming engine: sessions live in slots, and every tick takes one unit of some of them from media to speech.

    UnitInput per slot -> see, hear -> think -> speak -> UnitOutput per slot

`think` and `speak` may run in two threads, one unit apart, and on a GPU beside one another (`aside`): all that the speaking half sends to the
device, when a session opens and closes too, goes into its own queue. Knows no deadline (`scheduler`), no thread (`runner`) and no wire.
Source: spec model.md 3, 6; venus.md A, F.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

import torch
from torch import Tensor

from ridealong.cloud.model.aside import Aside, Queues, queues_of
from ridealong.cloud.model.audio import AudioCache
from ridealong.cloud.model.eye import look
from ridealong.cloud.model.images import Cut
from ridealong.cloud.model.language import compiled
from ridealong.cloud.model.mel import MelFrontEnd, as_samples, clip_mel
from ridealong.cloud.model.mind import Mind, Rows, Thought
from ridealong.cloud.model.model import LoadedModel
from ridealong.cloud.model.serialization import IMAGE_ROWS, AudioRows, Ids, ImageRows, Item, Picture, SliceRows
from ridealong.cloud.model.speaking import Mouthpiece, Speaking, ToSpeak
from ridealong.cloud.model.stages import Stages
from ridealong.cloud.model.talker import TalkerRules
from ridealong.cloud.model.thinking import Thinking
from ridealong.cloud.model.unit_io import SessionSettings, UnitInput, UnitOutput
from ridealong.cloud.model.vision import CHANNELS, Patches
from ridealong.cloud.model.vocoder import DEMO, SpeechSettings, SpeechState, Vocoder
from ridealong.cloud.model.voice import VoiceBundle

log = logging.getLogger("ridealong.model")
MOST_CHARS: Final = 16_000
"""Of a text, before it is even cut into ids: a harness sends 4,000. What fits is a matter of rows."""
MOST_SEED: Final = 1 << 63
VOICES_KEPT: Final = 8


@dataclass(frozen=True, slots=True)
class EngineSettings:
    """`window`: rows of context a session can have; its memory is taken at start, for all slots. `graphs`: CUDA graphs, where there is CUDA.
    `compile`: the language model's layers go through torch.compile, which takes minutes at the first units and a C++ compiler.
    `measure`: note how long each stage takes. `greedy_codes`: the talker always takes the likeliest code."""

    slots: int = 4
    window: int = 8192
    graphs: bool = True
    compile: bool = False
    measure: bool = False
    speech: SpeechSettings = DEMO
    talker: TalkerRules = TalkerRules()
    greedy_codes: bool = False


class EngineError(ValueError):
    """A unit or a session that can't be. Nothing has changed."""


class Engine:
    """One model, many sessions. `think` and `open`/`close` never overlap; `speak` never overlaps itself or `open`/`close`."""

    def __init__(self, loaded: LoadedModel, settings: EngineSettings, queues: Queues | None = None) -> None:
        """queues: instead of the device's own."""
        model = loaded.module
        weight = model.llm.lm_head.weight
        self.settings, self.config, self.tokens = settings, loaded.config, loaded.tokens
        self.device, self.dtype = weight.device, model.llm.model.embed_tokens.weight.dtype
        self.stages, self.voice_stages = Stages(self.device, settings.measure), Stages(self.device, settings.measure)
        self._model, self._ear = model, model.ear
        window = min(settings.window, loaded.config.language.max_positions)
        queries = loaded.config.resampler.queries if loaded.config.resampler is not None else IMAGE_ROWS
        self.thinking = Thinking(
            model.llm, loaded.tokens, settings.slots, window,
            image_rows=queries, graphs=settings.graphs, stages=self.stages, dtype=self.dtype,
            run=compiled() if settings.compile else None,
        )  # fmt: skip
        self._aside = Aside(queues or queues_of(self.device))
        with self._aside.entered([self._aside.mark()]):  # the weights are there
            vocoder = Vocoder(loaded.speech.flow, loaded.speech.wave, settings.speech) if loaded.speech is not None else None
            self._vocoder = vocoder
            self.speaking = Speaking(
                model.tts, vocoder, settings.slots,
                rules=settings.talker, graphs=settings.graphs, greedy=settings.greedy_codes, stages=self.voice_stages,
            )  # fmt: skip
        self._audio: AudioCache = self._ear.cache(settings.slots)
        self._mel = MelFrontEnd(loaded.config.audio.mel_bins, loaded.config.audio.unit_s)
        self._minds: dict[int, Mind] = {}
        self._mouths: dict[int, Mouthpiece] = {}
        self._voices: dict[int, tuple[VoiceBundle, Tensor, SpeechState | None]] = {}
        self._voice = loaded.voice

    @property
    def sees(self) -> bool:
        return self._model.vpm is not None

    @property
    def delegates(self) -> bool:
        return self.tokens.delegation is not None

    # -- sessions -------------------------------------------------------------------------------------------------

    @torch.inference_mode()
    def open(self, slot: int, settings: SessionSettings, voice: VoiceBundle | None = None) -> None:
        """A session begins in `slot`. voice: None is the checkpoint's own, where it brings one. Raises `EngineError`."""
        if not 0 <= slot < self.settings.slots:
            raise EngineError(f"slot must be 0 to {self.settings.slots - 1}; it is {slot}")
        if slot in self._minds:
            raise EngineError(f"slot {slot} has a session")
        if not 0 <= settings.seed < MOST_SEED:
            raise EngineError(f"a seed is 0 to {MOST_SEED - 1}; it is {settings.seed}")
        if max(len(settings.prompt), len(settings.instructions)) > MOST_CHARS:
            raise EngineError(f"a prompt and its instructions have at most {MOST_CHARS:,} characters each")
        try:
            rows, speech = self._heard_voice(voice or self._voice)
            self.speaking.check(settings.decoding.cap)
            mind = self.thinking.open(slot, settings, rows, self._mel.stream())
        except ValueError as error:
            raise EngineError(str(error)) from None
        with self._aside.entered():
            self._minds[slot], self._mouths[slot] = mind, self.speaking.open(slot, settings.seed, speech)
        self._audio.lengths[slot] = 0

    @torch.inference_mode()
    def warm(self) -> None:
        """Captures the graphs of all usual steps, before the first session: seconds on a GPU. Elsewhere there is nothing to capture."""
        if self.settings.graphs and self.device.type == "cuda":
            self.thinking.warm()
            with self._aside.entered():
                self.speaking.warm()

    def _heard_voice(self, voice: VoiceBundle | None) -> tuple[Tensor | None, SpeechState | None]:
        """The voice as the language model hears it [rows, hidden], and as the vocoder speaks with it. Once a voice, while it is kept."""
        if voice is None:
            return None, None
        known = self._voices.get(id(voice))
        if known is None:
            rows = self._ear.clips([clip_mel(voice.samples, self.config.audio.mel_bins)])[0]
            with self._aside.entered():
                speech = self._vocoder.begin(voice) if self._vocoder is not None else None
            known = self._voices[id(voice)] = (voice, rows, speech)
            if len(self._voices) > VOICES_KEPT:
                del self._voices[next(iter(self._voices))]
        return known[1], known[2]

    def close(self, slot: int) -> None:
        """The session in `slot` ends; nothing of it stays. A slot without one is left alone."""
        if self._minds.pop(slot, None) is not None:
            del self._mouths[slot]
            self.thinking.close(slot)
            with self._aside.entered():
                self.speaking.close(slot)
            self._audio.lengths[slot] = 0

    def turn_open(self, slot: int) -> bool:
        """The session is in the middle of a turn of its own. A slot without one isn't."""
        mind = self._minds.get(slot)
        return mind is not None and mind.rules.turn_open

    # -- a tick ---------------------------------------------------------------------------------------------------

    def run(self, units: Mapping[int, UnitInput]) -> dict[int, UnitOutput]:
        """A unit for each slot of `units`, all of it, one half after the other."""
        return self.speak(self.think(units))

    def check(self, slot: int, unit: UnitInput) -> None:
        """Raises `EngineError` where the unit can't be run; then a batch with it would not have been begun."""
        mind = self._minds.get(slot)
        if mind is None:
            raise EngineError(f"slot {slot} has no session")
        if mind.lost:
            raise EngineError(
                "the model lost this session (its numbers were NaN, or the device failed): close it and open another"
            )
        if max(len(unit.text), len(unit.answer)) > MOST_CHARS:
            raise EngineError(
                f"a text has at most {MOST_CHARS:,} characters; there are {max(len(unit.text), len(unit.answer)):,}"
            )
        if unit.pictures and not self.sees:
            raise EngineError("this checkpoint only hears: a unit can't have pictures")
        if unit.answer and mind.rules.turn_open:
            raise EngineError("a backend's answer can't be brought while a turn is open")
        if unit.answer and not self.delegates:
            raise EngineError("this checkpoint has no tokens for a backend's answer")
        if unit.sound is not None and tuple(unit.sound.shape) != (mind.mel.unit_samples,):
            raise EngineError(f"a unit has {mind.mel.unit_samples} samples; this one has {tuple(unit.sound.shape)}")
        try:
            if unit.sound is not None:
                as_samples(unit.sound)
            for part in (part for picture in unit.pictures for part in picture.parts):
                self._check_part(part)
            self.thinking.check_unit(mind, self._items(unit))
        except ValueError as error:
            raise EngineError(str(error)) from None

    def _check_part(self, part: Patches) -> None:
        vision = self.config.vision
        assert vision is not None
        wanted = part.grid.patches, CHANNELS * vision.patch**2
        if tuple(part.values.shape) != wanted or not part.grid.patches or not bool(torch.isfinite(part.values).all()):
            raise ValueError(f"a picture of {part.grid.rows} x {part.grid.columns} patches has {wanted} finite numbers")

    @torch.inference_mode()
    def think(self, units: Mapping[int, UnitInput]) -> dict[int, Thought]:
        """The first half. Raises `EngineError` before anything has changed."""
        for slot, unit in units.items():
            self.check(slot, unit)
        if not units:
            return {}
        with self.stages.stage("vision"):
            seen = self._look({slot: unit.pictures for slot, unit in units.items()})
        with self.stages.stage("audio"):
            heard = self._hear({slot: unit.sound for slot, unit in units.items() if unit.sound is not None})
        items = {slot: self._items(unit) for slot, unit in units.items()}
        words = iter(self.thinking.embed_all([item.ids for one in items.values() for item in one if isinstance(item, Ids)]))
        ready = {}
        for slot, unit in units.items():
            embeds = self._rows(items[slot], words, seen.get(slot, []), heard.get(slot))
            ready[slot] = Rows(tuple(items[slot]), embeds, unit.force_listen, unit.at_ms)
        thoughts = self.thinking.think(self._minds, ready)
        mark = self._aside.mark()
        return {slot: replace(one, mark=mark) for slot, one in thoughts.items()}

    @torch.inference_mode()
    def speak(self, thoughts: Mapping[int, Thought]) -> dict[int, UnitOutput]:
        """The second half, in the order of the first."""
        with self._aside.entered([one.mark for one in thoughts.values()], [one.hidden for one in thoughts.values()]):
            return self._speak(thoughts)

    def _speak(self, thoughts: Mapping[int, Thought]) -> dict[int, UnitOutput]:
        said = {
            slot: ToSpeak(one.outcome, one.spoken, one.hidden)
            for slot, one in thoughts.items()
            if self._minds.get(slot) is one.mind  # else it ended, and the slot may be another session's
        }
        spoken = self.speaking.speak(self._mouths, said) if said else {}
        stages = {**self.stages.take(), **self.voice_stages.take()}
        out = {}
        for slot, one in spoken.items():
            thought = thoughts[slot]
            sound = one.sound.float().cpu() if one.sound is not None else None
            if sound is not None and not bool(torch.isfinite(sound).all()):
                log.error("the speech of a unit was no numbers: nothing is played")
                self.speaking.mute(slot, self._mouths[slot])
                sound = None
            out[slot] = UnitOutput(
                listens=thought.outcome.is_listen,
                end_of_turn=thought.outcome.end_of_turn,
                interrupted=thought.outcome.interrupted,
                words=thought.words,
                delegates=thought.delegates,
                sound=sound,
                codes=len(one.codes),
                headroom_rows=thought.headroom_rows,
                dropped=thought.dropped,
                forced=thought.forced,
                refused=thought.refused,
                lost=thought.lost,
                stages_ms=stages,
                turn_open=thought.outcome.turn_open,
            )
        return out

    # -- media ----------------------------------------------------------------------------------------------------

    def _items(self, unit: UnitInput) -> list[Item]:
        pictures = [Picture((len(cut.tiles) // cut.columns, cut.columns) if cut.tiles else None) for cut in unit.pictures]
        audio = 0 if unit.sound is None else self.config.audio_rows
        if unit.answer:
            return self.thinking.layout.result(unit.answer, pictures, audio)
        return self.thinking.layout.unit(pictures, audio, unit.text)

    def _look(self, pictures: Mapping[int, tuple[Cut, ...]]) -> dict[int, list[list[Tensor]]]:
        """All images of all sessions in one pass -> by slot, by picture, by part: rows [queries, hidden]."""
        parts = [part for cuts in pictures.values() for cut in cuts for part in cut.parts]
        if not parts or self._model.vpm is None or self._model.resampler is None or self.config.vision is None:
            return {}
        rows = iter(
            look(
                self._model.vpm,
                self._model.resampler,
                [Patches(part.values.to(self.device), part.grid) for part in parts],
                self.config.vision.batch,
            )
        )
        return {slot: [[next(rows) for _ in cut.parts] for cut in cuts] for slot, cuts in pictures.items()}

    def _hear(self, sounds: Mapping[int, Tensor]) -> dict[int, Tensor]:
        """A unit of sound of each session -> rows [10, hidden]."""
        if not sounds:
            return {}
        slots = sorted(sounds)
        mels = [self._minds[slot].mel.push(sounds[slot])[0] for slot in slots]
        rows = self._ear.units(mels, slots, self._audio)
        return {slot: rows[place] for place, slot in enumerate(slots)}

    def _rows(self, items: list[Item], words: Iterator[Tensor], seen: list[list[Tensor]], heard: Tensor | None) -> Tensor:
        """words: the embedded ids, in order of items. -> [rows, hidden]"""
        parts = []
        for item in items:
            match item:
                case Ids():
                    parts.append(next(words))
                case ImageRows(image):
                    parts.append(seen[image][0])
                case SliceRows(image, number):
                    parts.append(seen[image][number + 1])
                case AudioRows():
                    assert heard is not None
                    parts.append(heard)
        return torch.cat([part.to(self.dtype) for part in parts])
