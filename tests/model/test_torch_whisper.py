"""Whisper as it is tuned (tools/torch_whisper.py) computes what transformers computes, and learns only what is added to its linear layers."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from transformers import WhisperConfig, WhisperForConditionalGeneration

pytestmark = pytest.mark.model
ROOT = Path(__file__).parents[2]
FRAMES, RANK = 40, 4


@pytest.fixture
def changed_whisper(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(sys, "path", [str(ROOT / "tools"), *sys.path])
    from torch_whisper import ChangedWhisper

    return ChangedWhisper


@pytest.fixture
def published() -> WhisperForConditionalGeneration:
    torch.manual_seed(3)
    config = WhisperConfig(
        vocab_size=90, num_mel_bins=80, d_model=128, encoder_layers=2, decoder_layers=2, encoder_attention_heads=2, decoder_attention_heads=2,
        encoder_ffn_dim=96, decoder_ffn_dim=96, max_source_positions=FRAMES // 2, max_target_positions=16, pad_token_id=0, bos_token_id=1, eos_token_id=2,
        decoder_start_token_id=1, suppress_tokens=None, begin_suppress_tokens=None,
    )  # fmt: skip
    return WhisperForConditionalGeneration(config).eval()


def as_ct2(model: WhisperForConditionalGeneration) -> dict[str, np.ndarray[Any, Any]]:
    """By the names of CTranslate2's file: queries, keys and values in one array, keys without a bias."""
    state = {name.removeprefix("model."): values.detach().numpy() for name, values in model.state_dict().items()}
    found: dict[str, np.ndarray[Any, Any]] = {}

    def norm(to: str, name: str) -> None:
        found[f"{to}/gamma"], found[f"{to}/beta"] = state[f"{name}.weight"], state[f"{name}.bias"]

    def fused(to: str, names: list[str]) -> None:
        found[f"{to}/weight"] = np.concatenate([state[f"{name}.weight"] for name in names])
        found[f"{to}/bias"] = np.concatenate(
            [state.get(f"{name}.bias", np.zeros(len(state[f"{name}.weight"]), np.float32)) for name in names]
        )

    for half in ("encoder", "decoder"):
        for number in range(2):
            at, name = f"{half}/layer_{number}", f"{half}.layers.{number}"
            norm(f"{at}/self_attention/layer_norm", f"{name}.self_attn_layer_norm")
            fused(f"{at}/self_attention/linear_0", [f"{name}.self_attn.{one}_proj" for one in "qkv"])
            fused(f"{at}/self_attention/linear_1", [f"{name}.self_attn.out_proj"])
            norm(f"{at}/ffn/layer_norm", f"{name}.final_layer_norm")
            fused(f"{at}/ffn/linear_0", [f"{name}.fc1"])
            fused(f"{at}/ffn/linear_1", [f"{name}.fc2"])
            if half == "decoder":
                norm(f"{at}/attention/layer_norm", f"{name}.encoder_attn_layer_norm")
                fused(f"{at}/attention/linear_0", [f"{name}.encoder_attn.q_proj"])
                fused(f"{at}/attention/linear_1", [f"{name}.encoder_attn.{one}_proj" for one in "kv"])
                fused(f"{at}/attention/linear_2", [f"{name}.encoder_attn.out_proj"])
        norm(f"{half}/layer_norm", f"{half}.layer_norm")
        found[f"{half}/position_encodings/encodings"] = state[f"{half}.embed_positions.weight"]
    found["decoder/embeddings/weight"] = state["decoder.embed_tokens.weight"]
    for number in (1, 2):
        found[f"encoder/conv{number}/weight"] = state[f"encoder.conv{number}.weight"]
        found[f"encoder/conv{number}/bias"] = state[f"encoder.conv{number}.bias"]
    return found


def test_it_computes_what_transformers_computes(changed_whisper: Any, published: WhisperForConditionalGeneration) -> None:
    model = changed_whisper(as_ct2(published), RANK)
    mel, tokens = torch.randn(3, 80, FRAMES), torch.randint(3, 90, (3, 7))
    with torch.no_grad():
        wanted = published(input_features=mel, decoder_input_ids=tokens).logits
        found = model.logits(model.encoded(mel), tokens)
    torch.testing.assert_close(found, wanted, atol=2e-4, rtol=2e-4)


def test_what_is_learnt_is_what_is_added(changed_whisper: Any, published: WhisperForConditionalGeneration) -> None:
    weights = as_ct2(published)
    model = changed_whisper(weights, RANK)
    mel, tokens = torch.randn(2, 80, FRAMES), torch.randint(3, 90, (2, 5))
    with torch.no_grad():
        for name, values in model.changes.items():
            if name.endswith("/b"):
                values.normal_(0, 0.05)
        found = model.logits(model.encoded(mel), tokens)
    changes = {name.removesuffix("/b"): (model.changes[name] @ model.changes[f"{name[:-1]}a"]).detach().numpy() for name in model.changes if name.endswith("/b")}  # fmt: skip
    assert set(changes) == {name for name in weights if "/linear_" in name and name.endswith("/weight")}
    added = changed_whisper({name: values + changes.get(name, 0) for name, values in weights.items()}, RANK)
    with torch.no_grad():
        torch.testing.assert_close(found, added.logits(added.encoded(mel), tokens), atol=2e-4, rtol=2e-4)


def test_it_learns(changed_whisper: Any, published: WhisperForConditionalGeneration) -> None:
    model = changed_whisper(as_ct2(published), RANK)
    mel, tokens = torch.randn(2, 80, FRAMES), torch.randint(3, 90, (2, 6))
    optimiser, losses = torch.optim.AdamW(model.parameters(), 1e-2), []
    for _ in range(60):
        logits = model.logits(model.encoded(mel), tokens[:, :-1])
        loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        losses.append(float(loss.detach()))
    assert losses[-1] < 0.6 * losses[0]
