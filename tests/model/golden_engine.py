"""The reference's tiny model as an engine takes it: its weights, a tokenizer that knows the words of the cases, its voice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import tiny_tokenizer
import torch
from golden import case, tiny_config, tiny_weights
from speech import tiny_flow, tiny_hift, tiny_voice

from ridealong.cloud.model.assets import SpeechAssets
from ridealong.cloud.model.model import UNUSED, DuplexModel, LoadedModel
from ridealong.cloud.model.tokens import PROTOCOL_NAMES, ProtocolIds, Tokens, check_tokens
from ridealong.cloud.model.voice import VoiceBundle


def tiny_id(real: int) -> int:
    """The map of the reference's tiny model (case token_ids)."""
    if real == 128_244:
        return 511
    return 384 + real - 151_643 if real >= 151_643 else real % 384


@dataclass(frozen=True, slots=True)
class _Encoding:
    ids: list[int]


class _Words:
    """Stands for a tokenizers.Tokenizer."""

    def __init__(self, real: Tokens) -> None:
        self._real = real
        self._texts = case("duplex_unit_rules").facts["token_text"]

    def encode(self, text: str, *, add_special_tokens: bool) -> _Encoding:
        assert not add_special_tokens
        return _Encoding([tiny_id(token) for token in self._real.encode(text)])

    def decode(self, ids: Sequence[int], *, skip_special_tokens: bool) -> str:
        return "".join(self._texts.get(str(token), "?") for token in ids if token < 384 or not skip_special_tokens)


@lru_cache(maxsize=1)
def golden_tokens() -> Tokens:
    real = check_tokens(tiny_tokenizer.make(), tiny_tokenizer.tokenizer_config(), 151_752, "made")
    ids = ProtocolIds(**{field: tiny_id(getattr(real.ids, field)) for field in PROTOCOL_NAMES})
    banned = tuple(case("token_ids").facts["bad_token_ids_tiny"])
    return Tokens(ids, None, banned, frozenset(range(384, 512)), real.reserved, (), _Words(real))


@lru_cache(maxsize=1)
def golden_voice() -> VoiceBundle:
    spoken = case("duplex_sequence").tensors["ref_audio_i16"].float() / 32768
    other = tiny_voice()
    return VoiceBundle(other.codes, other.speaker, other.mel, spoken)


@lru_cache(maxsize=2)
def golden_model(*, parity: bool) -> LoadedModel:
    config = tiny_config()
    with torch.device("meta"):
        module = DuplexModel(config, reference_parity=parity)
    weights = {key: value for key, value in tiny_weights("").items() if not key.startswith(UNUSED)}
    module.load_state_dict(weights, assign=True)
    module.eval().requires_grad_(False)
    module.tts.fold()
    speech = SpeechAssets(tiny_flow(), tiny_hift())
    return LoadedModel(config, module, golden_tokens(), speech, golden_voice(), {}, (), 0, 0.0)
