"""A model with random weights made where it runs, for benches: the released sizes without 18 GB of files, or any smaller one.

Its words are the small tokenizer's, its tables have the released numbers of rows; what it says means nothing. Equal seeds give equal
numbers on one kind of device only. Reads and keeps no file.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

import torch
from torch import Tensor, nn

from ridealong.cloud.model.assets import SpeechAssets, parse_flow
from ridealong.cloud.model.config import parse_config
from ridealong.cloud.model.flow import Flow
from ridealong.cloud.model.hift import Hift
from ridealong.cloud.model.model import LoadedModel, load_tokens_of, made
from ridealong.cloud.model.tiny import lean, random_voice, spread, take_turns, wave_config
from ridealong.cloud.model.tiny_config import FULL, FULL_TEXT_ROWS, FULL_VOCAB, Size, config_values, speech_values
from ridealong.cloud.model.tiny_words import numbered
from ridealong.cloud.model.tiny_words import write as write_words


def random_model(
    size: Size = FULL,
    device: torch.device | str = "cuda",
    dtype: torch.dtype = torch.bfloat16,
    seed: int = 0,
    *,
    vocab: int = FULL_VOCAB,
    text_rows: int = FULL_TEXT_ROWS,
) -> LoadedModel:
    """vocab, text_rows: rows of the two text tables. Flow and vocoder are float32, as when they are loaded."""
    device, begun = torch.device(device), time.perf_counter()
    values = config_values(size, vocab, numbered(venus=True))
    values["tts_config"] |= {"num_text_tokens": text_rows}
    config = parse_config(values, "the random model's configuration")
    with tempfile.TemporaryDirectory(prefix="ridealong-words-") as folder:
        write_words(Path(folder), venus=True)
        tokens = load_tokens_of(Path(folder), config)
    draws = torch.Generator(device).manual_seed(seed)
    module = made(config)
    _fill(module, "", device, dtype, draws, lean_too=True)
    module.tts.fold()
    with torch.device("meta"):
        flow, wave = Flow(parse_flow(speech_values(size), "the random flow")), Hift(wave_config(size))
    _fill(flow, "flow.", device, torch.float32, draws)
    _fill(wave, "hift.", device, torch.float32, draws)
    weights = sum(value.nbytes for part in (module, flow, wave) for value in part.state_dict().values())
    speech, voice, seconds = SpeechAssets(flow, wave), random_voice(size, seed), time.perf_counter() - begun
    return LoadedModel(config, module, tokens, speech, voice, {}, (), weights, seconds)


def _fill(
    module: nn.Module, prefix: str, device: torch.device, dtype: torch.dtype, draws: torch.Generator, *, lean_too: bool = False
) -> None:
    state: dict[str, Tensor] = {}
    for key, value in module.state_dict().items():
        middle, width = spread(prefix + key, tuple(value.shape))
        state[key] = torch.empty(value.shape, device=device, dtype=dtype).normal_(middle, width, generator=draws)
    if lean_too:
        lean(state)
        take_turns(state, numbered())
    module.load_state_dict(state, strict=True, assign=True)
    module.eval().requires_grad_(False)
