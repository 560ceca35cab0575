"""The sentence encoder as torch sees it while it is tuned, and sentences as a recogniser might hear them. For tools/tune_sentences.py and
tools/tune_tagger.py.

Does not know what is learnt.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable
from difflib import get_close_matches
from random import Random
from typing import TypeVar

import torch
import torch.nn.functional as F
from pypinyin import lazy_pinyin
from torch import Tensor, nn

from ridealong.cloud.frontends.cascade.sentence_encoder import LINEAR, SentenceEncoder

NORMS = ("aln.w", "aln.b", "oln.w", "oln.b")
NEAR_SOUNDS = (
    ("zh", "z"),
    ("ch", "c"),
    ("sh", "s"),
    ("n", "l"),
    ("l", "n"),
    ("f", "h"),
    ("ng", "n"),
    ("n", "ng"),
    ("z", "zh"),
    ("s", "sh"),
)


BATCH, BUCKET = 64, 16
S = TypeVar("S")


class Changed(nn.Module):
    """The encoder with its layers as published and frozen, and low-rank changes (LoRA) of every linear layer, its biases and norms."""

    def __init__(self, encoder: SentenceEncoder, rank: int) -> None:
        super().__init__()
        self.encoder = encoder
        self.width, self.heads = encoder.width, encoder.heads
        self.first = tuple(torch.tensor(one) for one in encoder.norm)
        self.frozen: list[dict[str, Tensor]] = []
        self.changes = nn.ParameterDict()
        for number, layer in enumerate(encoder.layers):
            self.frozen.append({name: torch.tensor(layer.weights[name].T.copy()) for name in LINEAR})
            for name in LINEAR:
                outputs, inputs = self.frozen[-1][name].shape
                self._add(f"l{number}.{name}.a", torch.randn(rank, inputs) / inputs**0.5)
                self._add(f"l{number}.{name}.b", torch.zeros(outputs, rank))
                self._add(f"l{number}.{name}.bias", torch.tensor(layer.biases[name]))
            for name, norm in zip(NORMS, layer.norms, strict=True):
                self._add(f"l{number}.{name}", torch.tensor(norm))

    def _add(self, name: str, values: Tensor) -> None:
        self.changes[name.replace(".", "/")] = nn.Parameter(values)

    def change(self, number: int, name: str) -> Tensor:
        return self.changes[f"l{number}/{name.replace('.', '/')}"]

    def states(self, tokens: list[list[int]], drop: float = 0.0) -> tuple[Tensor, Tensor]:
        """[texts, longest, 384], and which of them are tokens [texts, longest]."""
        longest = max(map(len, tokens))
        known = torch.zeros(len(tokens), longest, dtype=torch.bool)
        state = torch.zeros(len(tokens), longest, self.width)
        for row, ids in enumerate(tokens):
            known[row, : len(ids)] = True
            state[row, : len(ids)] = torch.from_numpy(self.encoder.embedded(ids))
        state = F.layer_norm(state, (self.width,), *self.first, self.encoder.epsilon)
        for number in range(len(self.frozen)):
            state = self._through(number, state, known[:, None, None, :], drop)
        return state, known

    def meant(self, texts: list[str], drop: float = 0.0) -> Tensor:
        """[texts, 384]: the mean over the tokens."""
        state, known = self.states([self.encoder.tokens(text) for text in texts], drop)
        there = known[..., None].float()
        return F.dropout((state * there).sum(1) / there.sum(1), drop, self.training)

    def _through(self, number: int, state: Tensor, known: Tensor, drop: float) -> Tensor:
        def linear(given: Tensor, name: str) -> Tensor:
            weight = self.frozen[number][name] + self.change(number, f"{name}.b") @ self.change(number, f"{name}.a")
            return F.linear(given, weight, self.change(number, f"{name}.bias"))

        def normed(given: Tensor, norm: str) -> Tensor:
            shape = (self.width,)
            return F.layer_norm(
                given, shape, self.change(number, f"{norm}.w"), self.change(number, f"{norm}.b"), self.encoder.epsilon
            )

        rows, length = state.shape[:2]
        query, key, value = (linear(state, name).view(rows, length, self.heads, -1).transpose(1, 2) for name in ("q", "k", "v"))
        mixed = F.scaled_dot_product_attention(query, key, value, known).transpose(1, 2).reshape(rows, length, self.width)
        state = normed(state + F.dropout(linear(mixed, "ao"), drop, self.training), "aln")
        return normed(state + F.dropout(linear(F.gelu(linear(state, "fi")), "fo"), drop, self.training), "oln")

    def changed(self) -> dict[str, Tensor]:
        """By the names that `SentenceEncoder` reads."""
        return {name.replace("/", "."): values for name, values in self.changes.items()}


# -- as a recogniser might hear it ---------------------------------------------------------------------------------------------


class Mishearing:
    """Seeded; the words and characters it puts in are those of the texts."""

    def __init__(self, texts: list[str], seed: int) -> None:
        self._random = Random(seed)
        self._by_sound: dict[str, list[str]] = defaultdict(list)
        for char in sorted({char for text in texts for char in text if "\u4e00" <= char <= "\u9fff"}):
            self._by_sound[lazy_pinyin(char)[0]].append(char)
        self._by_letter: dict[str, list[str]] = defaultdict(list)
        for word in sorted({word for text in texts for word in re.findall(r"[a-z']+", text.lower())}):
            self._by_letter[word[0]].append(word)
        self._alike: dict[str, list[str]] = {}

    def of(self, text: str, whole: bool = False, most: float = 0.4) -> str:
        """`whole`: never only its beginning. `most`: share of the characters that sound alike but are others."""
        if self._random.random() < 0.4:
            return text
        if not whole and self._random.random() < 0.2:
            text = self._begun(text)
        share = min(most, self._random.choice((0.0, 0.1, 0.2, 0.4)))
        text = "".join(self._character(char) if self._random.random() < share else char for char in text)
        text = re.sub(r"[a-zA-Z']+", lambda found: self._word(found[0], share / 2), text)
        if self._random.random() < 0.4:
            text = re.sub(
                r"[,.!?;，。！？；、]", lambda found: " " if found[0] in ",.!?;" else self._random.choice(("", " ", ",")), text
            )
        return re.sub(r"\s+", " ", text).strip() or "."

    def _begun(self, text: str) -> str:
        if " " in text:
            words = text.split()
            return " ".join(words[: self._random.randint(min(3, len(words)), len(words))])
        return text[: self._random.randint(min(4, len(text)), len(text))]

    def _character(self, char: str) -> str:
        if not "\u4e00" <= char <= "\u9fff":
            return char
        sound = lazy_pinyin(char)[0]
        if self._random.random() < 0.25:
            begin, instead = self._random.choice(NEAR_SOUNDS)
            if sound.startswith(begin):
                sound = instead + sound[len(begin) :]
            elif sound.endswith(begin):
                sound = sound[: -len(begin)] + instead
        return self._random.choice(self._by_sound.get(sound) or [char])

    def _word(self, word: str, share: float) -> str:
        drawn = self._random.random()
        if drawn < share / 3:
            return ""
        return self._random.choice(self._like(word.lower())) if drawn < share else word

    def _like(self, word: str) -> list[str]:
        if word not in self._alike:
            near = [one for one in self._by_letter[word[0]] if abs(len(one) - len(word)) <= 1 and one != word]
            self._alike[word] = get_close_matches(word, near, 4, 0.6) or [word]
        return self._alike[word]


# -- learning ------------------------------------------------------------------------------------------------------------------


class Learning:
    """AdamW over the changes and the heads, the rate rising over a tenth of the steps and falling to nothing."""

    def __init__(self, model: Changed, heads: list[nn.Parameter], rate: float, heads_rate: float, steps: int) -> None:
        self._model = model
        self._optimiser = torch.optim.AdamW(
            [{"params": list(model.changes.values()), "lr": rate}, {"params": heads, "lr": heads_rate}]
        )
        self._ramp = torch.optim.lr_scheduler.LambdaLR(
            self._optimiser, lambda step: min(1.0, (step + 1) / (0.1 * steps)) * max(0.0, 1 - step / steps)
        )

    def step(self, loss: Tensor) -> float:
        """The loss as a number."""
        self._optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(list(self._model.parameters()), 1.0)
        self._optimiser.step()
        self._ramp.step()
        return float(loss.detach())


def batches(samples: list[S], length: Callable[[S], int], random: Random) -> list[list[S]]:
    """Of like lengths, in random order."""
    mixed = random.sample(samples, len(samples))
    found = []
    for start in range(0, len(mixed), BATCH * BUCKET):
        near = sorted(mixed[start : start + BATCH * BUCKET], key=length)
        found += [near[at : at + BATCH] for at in range(0, len(near), BATCH)]
    random.shuffle(found)
    return found
