"""Eyes and ears for one picture and one clip, written as plainly as they can be: what the language model is tested on.

Not what the product runs: no batches, no cache, no speed. A second opinion on the merge (case llm_merge_forward).
"""

from __future__ import annotations

from collections.abc import Mapping

import torch
from golden import case
from torch import Tensor
from torch.nn import functional as fn

Weights = Mapping[str, Tensor]


def _linear(w: Weights, name: str, x: Tensor) -> Tensor:
    return fn.linear(x, w[f"{name}.weight"], w.get(f"{name}.bias"))


def _norm(w: Weights, name: str, x: Tensor, eps: float) -> Tensor:
    return fn.layer_norm(x, x.shape[-1:], w[f"{name}.weight"], w[f"{name}.bias"], eps)


def _attend(q: Tensor, k: Tensor, v: Tensor, heads: int) -> Tensor:  # [rows, width] each
    split = [x.view(len(x), heads, -1).transpose(0, 1) for x in (q, k, v)]
    scores = split[0] @ split[1].transpose(1, 2) / split[0].shape[-1] ** 0.5
    return (scores.softmax(-1) @ split[2]).transpose(0, 1).reshape(len(q), -1)


def _self_attend(w: Weights, name: str, x: Tensor, heads: int) -> Tensor:
    q, k, v = (_linear(w, f"{name}.{part}_proj", x) for part in "qkv")
    return _linear(w, f"{name}.out_proj", _attend(q, k, v, heads))


def _table(rows: int, columns: int, width: int) -> Tensor:  # [rows * columns, width]: column first, then row; sines, then cosines
    speeds = 1e4 ** (-torch.arange(width // 4, dtype=torch.float64) / (width // 4))
    places = [torch.arange(count, dtype=torch.float64)[:, None] * speeds for count in (columns, rows)]
    column, row = (torch.cat((angles.sin(), angles.cos()), -1).float() for angles in places)
    return torch.cat((column.expand(rows, -1, -1), row[:, None].expand(-1, columns, -1)), -1).flatten(0, 1)


def picture(w: Weights, pixels: Tensor, rows: int, columns: int) -> Tensor:
    """pixels: [3, 14, 14 * rows * columns]. Returns [64, hidden]."""
    buckets = case("vision_position_buckets").tensors["buckets"].long()
    place = (70 * buckets[rows - 1, :rows, None] + buckets[columns - 1, :columns]).flatten()
    patches = pixels.unflatten(-1, (-1, 14)).permute(2, 0, 1, 3).flatten(1)  # [patches, 3 * 14 * 14]
    embedding = "vpm.embeddings.patch_embedding"
    x = fn.linear(patches, w[f"{embedding}.weight"].flatten(1), w[f"{embedding}.bias"])
    x = x + w["vpm.embeddings.position_embedding.weight"][place]
    for index in range(2):
        layer = f"vpm.encoder.layers.{index}"
        x = x + _self_attend(w, f"{layer}.self_attn", _norm(w, f"{layer}.layer_norm1", x, 1e-6), 2)
        inner = fn.gelu(_linear(w, f"{layer}.mlp.fc1", _norm(w, f"{layer}.layer_norm2", x, 1e-6)), approximate="tanh")
        x = x + _linear(w, f"{layer}.mlp.fc2", inner)
    x = _norm(w, "resampler.ln_kv", _linear(w, "resampler.kv_proj", _norm(w, "vpm.post_layernorm", x, 1e-6)), 1e-6)
    query = _norm(w, "resampler.ln_q", w["resampler.query"], 1e-6)
    inputs = (query, x + _table(rows, columns, x.shape[-1]), x)
    weights, biases = w["resampler.attn.in_proj_weight"].chunk(3), w["resampler.attn.in_proj_bias"].chunk(3)
    q, k, v = (fn.linear(x, weight, bias) for x, weight, bias in zip(inputs, weights, biases, strict=True))
    out = _linear(w, "resampler.attn.out_proj", _attend(q, k, v, x.shape[-1] // 128))
    return _norm(w, "resampler.ln_post", out, 1e-6) @ w["resampler.proj"]


def sound(w: Weights, mel: Tensor) -> Tensor:
    """mel: [bins, frames], up to a second. Returns [frames / 10, hidden]."""
    x = fn.gelu(fn.conv1d(mel, w["apm.conv1.weight"], w["apm.conv1.bias"], padding=1))
    x = fn.gelu(fn.conv1d(x, w["apm.conv2.weight"], w["apm.conv2.bias"], padding=1, stride=2)).T
    x = x + w["apm.embed_positions.weight"][: len(x)]
    for index in range(2):
        layer = f"apm.layers.{index}"
        x = x + _self_attend(w, f"{layer}.self_attn", _norm(w, f"{layer}.self_attn_layer_norm", x, 1e-5), 2)
        x = x + _linear(w, f"{layer}.fc2", fn.gelu(_linear(w, f"{layer}.fc1", _norm(w, f"{layer}.final_layer_norm", x, 1e-5))))
    x = fn.relu(_linear(w, "audio_projection_layer.linear1", _norm(w, "apm.layer_norm", x, 1e-5)))
    return _linear(w, "audio_projection_layer.linear2", x).unflatten(0, (-1, 5)).mean(1)
