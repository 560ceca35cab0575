"""Tunes the sentence encoder to tell who is meant, on the tuning part of the scenario texts and on nothing else.

    pip install torch==2.13.0 && python tools/tune_sentences.py --rows rows.jsonl     # texts -> cloud/turn/meaning.npz

Low-rank changes (LoRA) of every linear layer of multilingual e5-small, its biases and norms, and two linear heads (kind, intent), by
cross-entropy; and a linear combination of how the words sound, for the kind. What was written is also shown as a recogniser might hear it: homophones and near sounds in Chinese, lost or similar words in
English, no punctuation, only the beginning. Left out: one sentence in ten and what `--rows` (tools/judge_rows.py) holds, so that
tools/tune_judge.py can weigh the heads on sentences they have never seen. About 15 minutes on two cores.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import defaultdict
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn
from tune_judge import INTENTS, MEANT, TEXTS, TURN, Labelled, fit, held_out, read_rows, read_texts
from tuned_encoder import BATCH, Changed, Learning, Mishearing, batches

from ridealong.cloud.frontends.cascade.meaning import model_file, sound_of
from ridealong.cloud.frontends.cascade.sentence_encoder import SentenceEncoder
from ridealong.errors import UserError

SOUND_SCALE, SOUND_L2, SOUND_STEPS = 4, 3e-4, 600
KIND_SMOOTHING, INTENT_SHARE = 0.05, 0.5


class Tuned(Changed):
    """With the heads for kind and intent."""

    def __init__(self, encoder: SentenceEncoder, rank: int) -> None:
        super().__init__(encoder, rank)
        self.kinds, self.intents = nn.Linear(self.width, len(MEANT)), nn.Linear(self.width, len(INTENTS))

    def forward(self, texts: list[str], drop: float = 0.0) -> tuple[Tensor, Tensor]:
        """[texts, kinds] and [texts, intents] as logits."""
        mean = self.meant(texts, drop)
        return self.kinds(mean), self.intents(mean)

    def arrays(self) -> dict[str, np.ndarray[Any, Any]]:
        """What `Meaning` loads, in half precision."""
        found = self.changed()
        for name, head in (("kinds", self.kinds), ("intents", self.intents)):
            found |= {f"{name}.w": head.weight, f"{name}.b": head.bias}
        halves: dict[str, np.ndarray[Any, Any]] = {name: one.detach().numpy().astype(np.float16) for name, one in found.items()}
        return halves | {"kinds.classes": np.array(MEANT), "intents.classes": np.array(INTENTS)}


# -- by sound ------------------------------------------------------------------------------------------------------------------


def sound_head(texts: list[Labelled]) -> dict[str, np.ndarray[Any, Any]]:
    sounds = np.stack([sound_of(one.text) for one in texts])
    kinds = np.array([MEANT.index(one.kind) for one in texts])
    weights = SOUND_SCALE * fit(SOUND_SCALE * sounds, kinds, len(MEANT), SOUND_L2, None, SOUND_STEPS)
    return {
        "sounds.w": weights.T.astype(np.float16),
        "sounds.b": np.zeros(len(MEANT), np.float16),
        "sounds.classes": np.array(MEANT),
    }


# -- training -----------------------------------------------------------------------------------------------------------------


def train(
    model: Tuned, texts: list[Labelled], mishear: Mishearing, epochs: int, rate: float, seed: int, test: list[Labelled]
) -> None:
    torch.manual_seed(seed)
    random = Random(seed)
    counts = np.array([sum(one.kind == kind for one in texts) for kind in MEANT])
    weights = torch.tensor((counts.max() / counts) ** 0.5, dtype=torch.float32)
    heads = [*model.kinds.parameters(), *model.intents.parameters()]
    learning = Learning(model, heads, rate, 2 * rate, epochs * -(-len(texts) // BATCH))
    began = time.perf_counter()
    for epoch in range(epochs):
        total = 0.0
        for batch in batches(texts, lambda one: len(one.text.encode()), random):
            kinds, intents = model([mishear.of(one.text) for one in batch], drop=0.1)
            wanted = torch.tensor([MEANT.index(one.kind) for one in batch])
            loss = F.cross_entropy(kinds, wanted, weight=weights, label_smoothing=KIND_SMOOTHING)
            meant = torch.tensor([INTENTS.index(one.intent) if one.intent else -100 for one in batch])
            if (meant >= 0).any():
                loss = loss + INTENT_SHARE * F.cross_entropy(intents, meant, ignore_index=-100)
            total += learning.step(loss) * len(batch)
        print(f"epoch {epoch + 1}: loss {total / len(texts):.3f}, {time.perf_counter() - began:.0f} s", flush=True)
        show(model, test)


def show(model: Tuned, test: list[Labelled]) -> None:
    model.eval()
    with torch.no_grad():
        parts = [model([one.text for one in test[at : at + 128]]) for at in range(0, len(test), 128)]
    model.train()
    kinds = torch.cat([part[0] for part in parts]).argmax(1).numpy()
    right = defaultdict(list)
    for one, guess in zip(test, kinds, strict=True):
        right[one.kind].append(MEANT[guess] == one.kind)
        if one.text != one.origin:
            right[f"{one.kind}, misheard"].append(MEANT[guess] == one.kind)
    print(
        "  held out, right: " + "; ".join(f"{kind} {np.mean(hits):.3f} of {len(hits)}" for kind, hits in sorted(right.items())),
        flush=True,
    )


def main() -> int:
    parser = argparse.ArgumentParser(description="tune the sentence encoder")
    parser.add_argument(
        "--rows", type=Path, nargs="*", default=[], help="files of tools/judge_rows.py, whose sentences are left out"
    )
    parser.add_argument("--texts", type=Path, nargs="+", default=TEXTS)
    parser.add_argument("--out", type=Path, default=TURN / "meaning.npz")
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--rate", type=float, default=1e-3)
    parser.add_argument("--rank", type=int, default=16)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--limit", type=int, help="so many sentences, to try it")
    options = parser.parse_args()
    try:
        heard = [row for path in options.rows for row in read_rows(path)]
        written = read_texts(options.texts)
    except UserError as error:
        print(f"tune_sentences: {error}", file=sys.stderr)
        return 2
    kept, test = held_out(written, heard)
    kept = Random(options.seed).sample(kept, min(len(kept), options.limit or len(kept)))
    print(f"{len(kept)} sentences to learn from, {len(test)} held out", flush=True)
    torch.manual_seed(options.seed)
    model = Tuned(SentenceEncoder(model_file()), options.rank)
    train(model, kept, Mishearing([one.text for one in kept], options.seed), options.epochs, options.rate, options.seed, test)
    np.savez_compressed(
        options.out, trained=np.array(sorted({one.mark for one in kept}), np.uint32), **model.arrays(), **sound_head(kept)
    )
    print(f"{options.out} written")
    return 0


if __name__ == "__main__":
    sys.exit(main())
