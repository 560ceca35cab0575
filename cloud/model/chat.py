"""A chat by turns, offline: messages with texts, pictures, sounds and videos in; text out piece by piece, and speech where it is asked for.

    messages -> rows -> one long prefill -> { draw -> feed } until im_end, tts_eos or the limit -> words -> talker, vocoder -> samples

One conversation at a time, on a cache of its own; live conversations are the engine's. Source: spec model.md 1.3, 1.5, 1.6, 3.1.
Knows no file (`chat_media`) and no device.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Final

import torch
from PIL import Image
from torch import Tensor

from ridealong.cloud.model.chat_media import LEAST_SAMPLES, Clip, Part, Photo, Video
from ridealong.cloud.model.chat_voice import spoken
from ridealong.cloud.model.config import MOST_SLICES
from ridealong.cloud.model.decoding import Decoding
from ridealong.cloud.model.eye import look
from ridealong.cloud.model.images import BadImage, Cut, cut
from ridealong.cloud.model.kv_cache import KvCache
from ridealong.cloud.model.mel import CLIP_SAMPLES, HOP, clip_mel
from ridealong.cloud.model.model import LoadedModel
from ridealong.cloud.model.sampling import Chance, Knobs, pick
from ridealong.cloud.model.serialization import (
    IMAGE_ROWS,
    AudioRows,
    Ids,
    ImageRows,
    Item,
    Message,
    Picture,
    Serializer,
    SliceRows,
    Sound,
    rows_of,
)
from ridealong.cloud.model.vocoder import DEMO, SpeechSettings
from ridealong.cloud.model.voice import VoiceBundle
from ridealong.errors import UserError

PREFILL_ROWS: Final = 1024
"""Fed at once: attention over more at a time takes memory and saves nothing."""


@dataclass(frozen=True, slots=True)
class ChatSettings:
    """`max_tokens`: ids of the answer. `max_slices`: a picture is cut into so many tiles at most (videos into none); None: as config.json
    says, which is for the duplex model (`config.offline_slices`: what is published for chats). `thinking`: it may think aloud first. `seed`: of words and of speech."""

    max_tokens: int = 1024
    temperature: float = 0.7
    top_k: int = 100
    top_p: float = 0.8
    penalty: float = 1.05
    greedy: bool = False
    seed: int = 0
    max_slices: int | None = None
    thinking: bool = False

    def __post_init__(self) -> None:
        if self.max_tokens < 1:
            raise ValueError(f"max_tokens must be at least 1; it is {self.max_tokens}")
        if self.max_slices is not None and not 1 <= self.max_slices <= MOST_SLICES:
            raise ValueError(f"max_slices must be 1 to {MOST_SLICES}; it is {self.max_slices}")
        if not 0 <= self.seed < 1 << 63:
            raise ValueError(f"a seed is 0 to {(1 << 63) - 1}; it is {self.seed}")
        self.decoding()

    def decoding(self) -> Decoding:
        """Raises `ValueError` for what can't be."""
        return Decoding(self.greedy, self.temperature, self.top_k, self.top_p, self.penalty, penalty_window=self.max_tokens)


@dataclass(frozen=True, slots=True)
class Turn:
    """`role`: system, user or assistant."""

    role: str
    parts: tuple[Part, ...]


class Stop(Enum):
    END = "the model ended it"
    LENGTH = "max_tokens"


@dataclass(slots=True)
class Answer:
    """An answer under way: iterate over it for text, then ask for `speech`. `stop` is None while it goes on.

    `rows`: of the conversation before it. `ids`, `hidden` ([hidden] each): of its words.
    """

    rows: int
    _pieces: Iterator[str]
    text: str = ""
    stop: Stop | None = None
    ids: list[int] = field(default_factory=list)
    hidden: list[Tensor] = field(default_factory=list)

    def __iter__(self) -> Iterator[str]:
        """New text, whole characters only. A second iteration goes on where the first was left."""
        return self._pieces


class Chat:
    """One model. Each `ask` stands alone: give it the whole conversation."""

    def __init__(self, loaded: LoadedModel, speech: SpeechSettings = DEMO) -> None:
        self._loaded, self._speech = loaded, speech
        self._llm = loaded.module.llm
        self._device = self._llm.lm_head.weight.device
        queries = loaded.config.resampler.queries if loaded.config.resampler is not None else IMAGE_ROWS
        self._layout = Serializer.of(loaded.tokens, queries)

    def ask(self, turns: Sequence[Turn], settings: ChatSettings | None = None, *, say: bool = False) -> Answer:
        """say: the answer is to be spoken, which it is told beforehand. The last turn must be the user's.

        Raises `UserError` for media that can't be seen or heard, and for a conversation that doesn't fit, before anything is run.
        """
        settings = settings or ChatSettings()
        if say and settings.thinking:
            raise UserError("An answer that is thought out aloud first can't be spoken: choose one of the two.")
        seen: list[Cut] = []
        heard: list[tuple[Tensor, ...]] = []  # mels of each sound's pieces, [bins, frames]
        messages = [self._message(turn, settings, seen, heard) for turn in turns]
        try:
            items = self._layout.chat(messages, spoken=say, thinking=settings.thinking)
        except ValueError as error:
            raise UserError(f"This is no conversation: {error}.") from None
        rows, most = rows_of(items), self._loaded.config.language.max_positions
        if rows + settings.max_tokens > most:
            raise UserError(
                f"The conversation has {rows} rows, {rows + settings.max_tokens - most} too many: the model's context of {most} must hold an "
                f"answer of {settings.max_tokens} as well (max_tokens). Leave something out, or show shorter sounds and videos."
            )
        answer = Answer(rows, iter(()))
        answer._pieces = self._pieces(answer, items, seen, heard, settings)
        return answer

    def speech(self, answer: Answer, settings: ChatSettings | None = None, voice: VoiceBundle | None = None) -> Iterator[Tensor]:
        """The answer's words as sound, [samples] float32 at 24 kHz, second by second. voice: None is the checkpoint's own.

        Raises `UserError` where the checkpoint has no voice or the answer isn't finished."""
        if answer.stop is None:
            raise UserError("The answer isn't finished: read all of its text first.")
        voice = voice or self._loaded.voice
        if self._loaded.speech is None or voice is None:
            raise UserError(
                "This checkpoint brings no flow, vocoder or voice: it can't speak. `ridealong model check` tells what is missing."
            )
        seed = (settings or ChatSettings()).seed
        pairs = [
            (token, state)
            for token, state in zip(answer.ids, answer.hidden, strict=True)
            if token not in self._loaded.tokens.added
        ]
        return spoken(self._loaded.module.tts, self._loaded.speech, voice, pairs, self._speech, seed)

    # -- a conversation's rows ------------------------------------------------------------------------------------

    def _message(self, turn: Turn, settings: ChatSettings, seen: list[Cut], heard: list[tuple[Tensor, ...]]) -> Message:
        content: list[str | Picture | Sound | tuple[Picture | Sound, ...]] = []
        for part in turn.parts:
            match part:
                case str():
                    content.append(part)
                case Photo(image):
                    content.append(self._picture(image, settings.max_slices, seen))
                case Clip(samples):
                    content.append(self._sound(samples, heard))
                case Video(stretches):
                    shown: list[Picture | Sound] = []
                    for stretch in stretches:
                        shown.append(self._picture(stretch.frame, 1, seen))
                        if stretch.sound is not None:
                            shown.append(self._sound(stretch.sound, heard))
                    content.append(tuple(shown))
        return Message(turn.role, tuple(content))

    def _picture(self, image: Image.Image, max_slices: int | None, seen: list[Cut]) -> Picture:
        if self._loaded.module.vpm is None:
            raise UserError("This checkpoint only hears: leave the pictures and videos out.")
        config = self._loaded.config.image
        try:
            one = cut(image, config if max_slices is None else replace(config, max_slices=max_slices))
        except BadImage as error:
            raise UserError(f"A picture can't be seen: {error}.") from None
        seen.append(one)
        return Picture((len(one.tiles) // one.columns, one.columns) if one.tiles else None)

    def _sound(self, samples: Tensor, heard: list[tuple[Tensor, ...]]) -> Sound:
        """In pieces of 30 s, each heard by itself, as published."""
        config = self._loaded.config.audio
        most = min(CLIP_SAMPLES, 2 * config.max_positions * HOP)
        pieces = [piece for piece in samples.split(most) if len(piece) >= LEAST_SAMPLES] or [samples]
        try:
            mels = tuple(clip_mel(piece, config.mel_bins) for piece in pieces)
        except ValueError as error:
            raise UserError(f"A sound can't be heard: {error}.") from None
        rows = sum((mel.shape[1] + 1) // 2 // config.pool for mel in mels)
        if not rows:
            raise UserError("A sound has at least a tenth of a second: was the recording finished?")
        heard.append(mels)
        return Sound(rows)

    def _embedded(self, items: Sequence[Item], seen: Sequence[Cut], heard: Sequence[tuple[Tensor, ...]]) -> Tensor:
        """-> [rows, hidden]"""
        module, config = self._loaded.module, self._loaded.config
        shown: list[list[Tensor]] = []
        if seen:
            assert module.vpm is not None and module.resampler is not None and config.vision is not None
            parts = [part._replace(values=part.values.to(self._device)) for one in seen for part in one.parts]
            rows = iter(look(module.vpm, module.resampler, parts, config.vision.batch))
            shown = [[next(rows) for _ in one.parts] for one in seen]
        sounds = [torch.cat([module.ear.clips([mel])[0] for mel in mels]) for mels in heard]
        out = []
        for item in items:
            match item:
                case Ids(ids):
                    out.append(self._llm.embed(torch.tensor(ids, device=self._device)))
                case ImageRows(image):
                    out.append(shown[image][0])
                case SliceRows(image, number):
                    out.append(shown[image][number + 1])
                case AudioRows(clip):
                    out.append(sounds[clip])
        dtype = self._llm.model.embed_tokens.weight.dtype
        return torch.cat([rows.to(dtype) for rows in out])

    # -- the answer -----------------------------------------------------------------------------------------------

    def _pieces(
        self,
        answer: Answer,
        items: Sequence[Item],
        seen: Sequence[Cut],
        heard: Sequence[tuple[Tensor, ...]],
        settings: ChatSettings,
    ) -> Iterator[str]:
        tokens = self._loaded.tokens
        stops = {tokens.ids.im_end, tokens.ids.tts_eos}
        decoding, chance = settings.decoding(), Chance(settings.seed)
        knobs = Knobs.of([decoding], self._device)
        with torch.inference_mode():
            state, cache = self._prefill(self._embedded(items, seen, heard), settings.max_tokens)
        shown = 0
        while answer.stop is None:
            with torch.inference_mode():
                logits = self._llm.logits(state)[None].float()  # [1, vocab]
                if not bool(logits.isfinite().all()):
                    raise UserError("The model's numbers are none (NaN): the checkpoint is broken, or its type too narrow.")
                drawn = torch.tensor([answer.ids or [-1]], device=self._device)
                token = int(pick(logits, drawn, chance.take(1)[:, :1].to(self._device), knobs))
                if token in stops:
                    answer.stop = Stop.END
                else:
                    state = self._feed(self._llm.embed(torch.tensor([token], device=self._device)), cache)
                    answer.ids.append(token)
                    answer.hidden.append(state.clone())
                    if len(answer.ids) == settings.max_tokens:
                        answer.stop = Stop.LENGTH
            answer.text = tokens.decode(answer.ids)
            if answer.stop is None:
                answer.text = answer.text.rstrip("\ufffd")  # half a character waits for the other half
            new, shown = answer.text[shown:], max(shown, len(answer.text))
            if new:
                yield new

    def _prefill(self, rows: Tensor, more: int) -> tuple[Tensor, KvCache]:
        """-> the last row's state [hidden], and the cache with room for `more`."""
        cache = KvCache.empty(self._llm.config, 1, len(rows) + more, device=self._device, dtype=rows.dtype)
        state = rows[-1]
        for piece in rows.split(PREFILL_ROWS):
            state = self._feed(piece, cache)
        return state, cache

    def _feed(self, rows: Tensor, cache: KvCache) -> Tensor:
        """rows: [rows, hidden] -> the last one's state [hidden]."""
        start = cache.ends.clone()
        span = min(-(-(int(start) + len(rows)) // 256) * 256, cache.window)
        states = self._llm(
            rows[None].to(cache.keys.dtype), cache, start, torch.tensor([len(rows)], device=self._device), span=span
        )
        last: Tensor = states[0, -1]
        return last
