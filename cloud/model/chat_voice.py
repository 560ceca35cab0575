"""The words of a finished answer as speech: about four words' ids a second, chunk by chunk, as the live talker was trained to hear them.

    ids, states -> chunks -> talker -> 25 codes a chunk -> flow and vocoder -> samples

After the last words the talker goes on until it ends by itself, for a bounded time. Source: spec model.md 1.6, 3.5. Knows no text.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import torch
from torch import Tensor

from ridealong.cloud.model.assets import SpeechAssets
from ridealong.cloud.model.speaking import TALKER_WINDOW
from ridealong.cloud.model.talker import DRAWS, Talker, TalkerCache, TalkerRules
from ridealong.cloud.model.vocoder import SpeechSettings, Vocoder
from ridealong.cloud.model.voice import VoiceBundle

IDS_A_CHUNK: Final = 4
TAIL_CHUNKS: Final = 4
"""Seconds that a talker may go on after the last words."""


def spoken(
    talker: Talker,
    assets: SpeechAssets,
    voice: VoiceBundle,
    words: Sequence[tuple[int, Tensor]],
    settings: SpeechSettings,
    seed: int,
) -> Iterator[Tensor]:
    """words: ids, each with its state [llm_hidden]. -> [samples] float32 on the CPU, 24 kHz; nothing where there are no words."""
    if not words:
        return
    vocoder = Vocoder(assets.flow, assets.wave, settings)
    state = vocoder.begin(voice)
    chunks = _codes(talker, words, seed)
    codes = next(chunks)
    while True:
        after = next(chunks, None)
        sound, state = vocoder.speak(codes, state, last=after is None)
        yield sound.float().cpu()
        if after is None:
            return
        codes = after


def _codes(talker: Talker, words: Sequence[tuple[int, Tensor]], seed: int) -> Iterator[tuple[int, ...]]:
    weight = talker.emb_text.weight
    device, dtype = weight.device, weight.dtype
    window = min(TALKER_WINDOW, talker.config.max_positions)
    cache = TalkerCache.empty(talker.config, 1, window, device=device, dtype=dtype)
    generator = torch.Generator().manual_seed(seed)
    pieces = [words[at : at + IDS_A_CHUNK] for at in range(0, len(words), IDS_A_CHUNK)]
    for number in range(len(pieces) + TAIL_CHUNKS):
        piece = pieces[number] if number < len(pieces) else ()
        last = number >= len(pieces) - 1
        with torch.inference_mode():
            rows = talker.audio_bos()[None]
            if piece:
                ids = torch.tensor([[token for token, _ in piece]], device=device)
                hidden = torch.stack([state for _, state in piece])[None].to(device, dtype)
                rows = torch.cat((talker.condition(ids, hidden)[0], rows))
            if int(cache.lengths) + len(rows) + DRAWS > window:
                cache.lengths.zero_()  # it goes on with an empty memory
            codes, valid = talker.chunk(
                rows[None],
                torch.tensor([len(rows)], device=device),
                cache,
                may_end=torch.tensor([last], device=device),
                rules=TalkerRules(),
                uniforms=torch.rand(1, DRAWS, generator=generator).to(device),
            )
        count = int(valid)
        yield tuple(codes[0, :count].tolist())
        if last and count < DRAWS - 1:
            return
