"""Whisper as torch sees it while it is tuned: the published weights frozen, low-rank changes (LoRA) of every linear layer. For tools/tune_recogniser.py.

Reads CTranslate2's file (`ct2_file.py`), of which it keeps the names: `encoder/layer_0/ffn/linear_0`, and so on. Sources: Radford et al. 2022 (Whisper), Hu et al. 2021
(LoRA). Pre-norm, GELU, tied embeddings; keys have no bias in the published model and a zero one in the file. Does not know sound, texts, or what is learnt.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

HEAD = 64


class ChangedWhisper(nn.Module):
    def __init__(self, weights: Mapping[str, np.ndarray[Any, Any]], rank: int) -> None:
        super().__init__()
        self.frozen = {name: torch.tensor(np.asarray(values, np.float32)) for name, values in weights.items() if values.ndim > 0}
        self.changes = nn.ParameterDict()
        for name, values in self.frozen.items():
            if "/linear_" in name and name.endswith("/weight"):
                outputs, inputs = values.shape
                self.changes[f"{name}/a"] = nn.Parameter(torch.randn(rank, inputs) / inputs**0.5)
                self.changes[f"{name}/b"] = nn.Parameter(torch.zeros(outputs, rank))
        self.layers = sum(name.startswith("encoder/") and name.endswith("/ffn/linear_0/weight") for name in self.frozen)

    def encoded(self, mel: Tensor) -> Tensor:
        """[clips, 80, frames] -> [clips, frames / 2, width]"""
        state = F.gelu(F.conv1d(mel, self.frozen["encoder/conv1/weight"], self.frozen["encoder/conv1/bias"], padding=1))
        state = F.gelu(
            F.conv1d(state, self.frozen["encoder/conv2/weight"], self.frozen["encoder/conv2/bias"], stride=2, padding=1)
        )
        state = state.transpose(1, 2)
        state = state + self.frozen["encoder/position_encodings/encodings"][: state.shape[1]]
        for number in range(self.layers):
            at = f"encoder/layer_{number}"
            state = state + self._attention(f"{at}/self_attention", state, causal=False)
            state = state + self._feed_forward(f"{at}/ffn", state)
        return self._normed("encoder/layer_norm", state)

    def logits(self, encoded: Tensor, tokens: Tensor) -> Tensor:
        """Of what follows each token: [clips, tokens] -> [clips, tokens, vocabulary]"""
        table = self.frozen["decoder/embeddings/weight"]
        state = F.embedding(tokens, table) + self.frozen["decoder/position_encodings/encodings"][: tokens.shape[1]]
        for number in range(self.layers):
            at = f"decoder/layer_{number}"
            state = state + self._attention(f"{at}/self_attention", state, causal=True)
            state = state + self._cross(f"{at}/attention", state, encoded)
            state = state + self._feed_forward(f"{at}/ffn", state)
        return F.linear(self._normed("decoder/layer_norm", state), table)

    def _attention(self, at: str, state: Tensor, causal: bool) -> Tensor:
        query, key, value = self._linear(f"{at}/linear_0", self._normed(f"{at}/layer_norm", state)).chunk(3, -1)
        return self._linear(f"{at}/linear_1", _mixed(query, key, value, causal))

    def _cross(self, at: str, state: Tensor, encoded: Tensor) -> Tensor:
        query = self._linear(f"{at}/linear_0", self._normed(f"{at}/layer_norm", state))
        key, value = self._linear(f"{at}/linear_1", encoded).chunk(2, -1)
        return self._linear(f"{at}/linear_2", _mixed(query, key, value, causal=False))

    def _feed_forward(self, at: str, state: Tensor) -> Tensor:
        return self._linear(f"{at}/linear_1", F.gelu(self._linear(f"{at}/linear_0", self._normed(f"{at}/layer_norm", state))))

    def _linear(self, name: str, given: Tensor) -> Tensor:
        low = F.linear(given, self.changes[f"{name}/weight/a"])
        return F.linear(given, self.frozen[f"{name}/weight"], self.frozen[f"{name}/bias"]) + F.linear(
            low, self.changes[f"{name}/weight/b"]
        )

    def _normed(self, name: str, state: Tensor) -> Tensor:
        return F.layer_norm(state, state.shape[-1:], self.frozen[f"{name}/gamma"], self.frozen[f"{name}/beta"])


def _mixed(query: Tensor, key: Tensor, value: Tensor, causal: bool) -> Tensor:
    split = [one.unflatten(-1, (-1, HEAD)).transpose(1, 2) for one in (query, key, value)]
    return F.scaled_dot_product_attention(*split, is_causal=causal).transpose(1, 2).flatten(2)
