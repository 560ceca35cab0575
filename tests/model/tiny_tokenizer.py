"""A tokenizer with the real numbers: protocol names at their published ids, and the few words that the reference's encodings need."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from golden import case
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers

SPLIT = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
"""How Qwen2 cuts a text into words (published with its tokenizer)."""
WORDS = {
    "system": 8948, "Streaming": 76509, " Omni": 85225, " Conversation": 50830, ".\n": 624, "\n\n": 271, "previous": 19702,
    " Du": 50283, "plex": 2571, " You": 1446, " are": 525, " a": 264, " helpful": 10950, " assistant": 17847, "assistant": 77091,
}  # fmt: skip
BYTES = {"\n": 198, ":": 25, " ": 220, "!": 0, "<": 27, ">": 29}
VENUS = ("<delegate>", "</delegate>", "<backend>", "</backend>")


def _visible(text: str) -> str:
    """Byte-level BPE writes a space as Ġ and a line break as Ċ."""
    return text.replace(" ", "Ġ").replace("\n", "Ċ")


def _vocabulary() -> tuple[dict[str, int], list[tuple[str, str]]]:
    taken = {_visible(text): number for text, number in {**BYTES, **WORDS}.items()}
    free = iter(number for number in range(1_000, 8_000) if number not in taken.values())
    merges: list[tuple[str, str]] = []
    for byte in pre_tokenizers.ByteLevel.alphabet():
        taken.setdefault(byte, next(free))
    for word in sorted(map(_visible, WORDS), key=len):
        for end in range(2, len(word) + 1):
            merge = (word[: end - 1], word[end - 1])
            if merge not in merges:
                merges.append(merge)
                taken.setdefault(word[:end], next(free))
    taken["<unk>"] = 128_244
    return taken, merges


def _names(more: Sequence[str]) -> dict[str, int]:
    real: Mapping[str, int] = case("token_ids").facts["real"]
    names = {name: number for name, number in real.items() if name != "<unk>"}
    return names | {name: 151_748 + index for index, name in enumerate(more)}


def tokenizer_config(more: Sequence[str] = ()) -> dict[str, Any]:
    facts = case("token_ids").facts
    decoder = {
        str(number): {"content": name, "special": name not in facts["not_special_flagged"], "normalized": False}
        for name, number in _names(more).items()
    }
    return {
        "tokenizer_class": "Qwen2Tokenizer",
        "unk_token": "<unk>",
        "eos_token": "<|im_end|>",
        "pad_token": "<|endoftext|>",
        "bad_token_ids": [token for token in facts["bad_token_ids_tiny"] if token not in (198, 271)],
        "added_tokens_decoder": decoder,
    }


def make(more: Sequence[str] = ()) -> Tokenizer:
    """more: names to add past the published ones (`VENUS`)."""
    vocabulary, merges = _vocabulary()
    # Slots between are filled: the library numbers added names one after the other.
    held = set(vocabulary.values())
    vocabulary |= {f"\x00{number}": number for number in range(151_643) if number not in held}
    made = Tokenizer(models.BPE(vocab=vocabulary, merges=merges))
    made.normalizer = normalizers.NFC()
    made.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(SPLIT), behavior="isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    made.decoder = decoders.ByteLevel()
    entries = tokenizer_config(more)["added_tokens_decoder"].items()
    made.add_tokens(
        [AddedToken(entry["content"], special=entry["special"], normalized=False) for _, entry in sorted(entries, key=_number)]
    )
    return made


def _number(entry: tuple[str, Any]) -> int:
    return int(entry[0])


def write_pair(folder: Path, more: Sequence[str] = ()) -> None:
    """The older kind of checkpoint: vocab.json, merges.txt and tokenizer_config.json."""
    model = json.loads(make(more).to_str())["model"]
    (folder / "vocab.json").write_text(json.dumps(model["vocab"]), encoding="utf-8")
    lines = [merge if isinstance(merge, str) else " ".join(merge) for merge in model["merges"]]
    (folder / "merges.txt").write_text("#version: 0.2\n" + "\n".join(lines) + "\n", encoding="utf-8")
    (folder / "tokenizer_config.json").write_text(json.dumps(tokenizer_config(more)), encoding="utf-8")
