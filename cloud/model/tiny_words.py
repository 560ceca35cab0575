"""A tokenizer of 512 pieces with the released model's added names in their order, and the four of Realtime-Venus behind them.

Byte-level BPE as Qwen2's: any text goes in and comes out again. A few common words are one piece, so that a text has about as many
tokens as letters and no more. Knows no model.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

PIECES: Final = 512
UNKNOWN: Final = "<unk>"
SPLIT: Final = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
"""How Qwen2 cuts a text into words (published with its tokenizer)."""
_WORDS: Final = (
    "system user assistant streaming omni conversation previous you are helpful what where when which there here this that with from "
    "have will would could please thank yes sure okay warmer colder window temperature degrees music volume louder navigate route "
    "traffic minutes hours left right ahead behind speed road street city weather tomorrow today remind message call stop again about"
)
_NAMES: Final = (
    "<|endoftext|> <|im_start|> <|im_end|> <|object_ref_start|> <|object_ref_end|> <|box_start|> <|box_end|> <|quad_start|> "
    "<|quad_end|> <|vision_start|> <|vision_end|> <|vision_pad|> <|image_pad|> <|video_pad|> <tool_call> </tool_call> "
    "<|fim_prefix|> <|fim_middle|> <|fim_suffix|> <|fim_pad|> <|repo_name|> <|file_sep|> <tool_response> </tool_response> "
    "<think> </think> <image> </image> <ref> </ref> <box> </box> <quad> </quad> <point> </point> <slice> </slice> <image_id> "
    "</image_id> <unit> </unit> <answer> </answer> <focus> </focus> <line> </line> <perception> </perception> <source_image> "
    "</source_image> <image_save_to> </image_save_to> <|audio_start|> <|audio|> <|audio_end|> <|spk_bos|> <|spk|> <|spk_eos|> "
    "<|tts_bos|> <|tts_eos|> <|listen|> <|speak|> <|interrupt|> <|vad_start|> <|vad_end|> <|emotion_start|> <|emotion_end|> "
    "<|speed_start|> <|speed_end|> <|pitch_start|> <|pitch_end|> <|turn_bos|> <|turn_eos|> <|chunk_eos|> <|chunk_bos|> "
    "<|chunk_tts_bos|> <|chunk_tts_eos|> <|tts_pad|>"
)
ADDED: Final = (*_NAMES.split(), *(f"<|timbre_{number}|>" for number in range(7, 32)))
"""Of the released tokenizer, in the order of their ids from 151643 on."""
VENUS: Final = ("<delegate>", "</delegate>", "<backend>", "</backend>")
_KEPT: Final = ("tool_call", "tool_response", "think", "fim_", "repo_name", "file_sep")
"""Added names that are no special ones: they stay when special names are left out of a text."""
_FORBIDDEN: Final = "()[]{}<>*#_|~^`\\\n\r\t"


def numbered(*, venus: bool = True) -> dict[str, int]:
    """Added name -> id."""
    return {name: PIECES + index for index, name in enumerate((*ADDED, *(VENUS if venus else ())))}


def _pieces() -> tuple[dict[str, int], list[tuple[str, str]]]:
    """The vocabulary (256 bytes, words and their beginnings, and the unknown one), and the merges that lead to it."""
    letters = _byte_letters()
    pieces = {letter: byte for byte, letter in enumerate(letters)}
    merges: list[tuple[str, str]] = []
    for word in (start + word for word in _WORDS.split() for start in ("Ġ", "")):
        for end in range(2, len(word) + 1):
            if word[:end] not in pieces and len(pieces) < PIECES - 1:
                pieces[word[:end]] = len(pieces)
                merges.append((word[: end - 1], word[end - 1]))
    pieces[UNKNOWN] = len(pieces)  # a slot of the vocabulary, not an added name, as in the released file
    assert len(pieces) == PIECES
    return pieces, merges


def _byte_letters() -> list[str]:
    """The letter that stands for each byte in byte-level BPE: itself where it can be seen, else one from 256 on (GPT-2's table)."""
    seen = {*range(ord("!"), ord("~") + 1), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
    hidden = (chr(number) for number in range(256, 512))
    return [chr(byte) if byte in seen else next(hidden) for byte in range(256)]


def _forbidden(pieces: dict[str, int]) -> list[int]:
    """Ids that are never spoken: brackets, line breaks, bytes that no text has."""
    letters = _byte_letters()
    bytes_ = [*_FORBIDDEN.encode("ascii"), 0xC0, 0xC1, *range(0xF5, 0x100)]
    return sorted({pieces[letters[byte]] for byte in bytes_} | {pieces[UNKNOWN]})


def _added(venus: bool) -> dict[int, dict[str, Any]]:
    flags = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False}
    return {
        number: {"content": name, **flags, "special": not name.strip("<|/>").startswith(_KEPT)}
        for name, number in numbered(venus=venus).items()
    }


def write(folder: Path, *, venus: bool = True) -> int:
    """Writes tokenizer.json and tokenizer_config.json; returns how many tokens there are."""
    pieces, merges = _pieces()
    added = _added(venus)
    whole = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [{"id": number, **entry} for number, entry in added.items()],
        "normalizer": {"type": "NFC"},
        "pre_tokenizer": {
            "type": "Sequence",
            "pretokenizers": [
                {"type": "Split", "pattern": {"Regex": SPLIT}, "behavior": "Isolated", "invert": False},
                {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False, "use_regex": False},
            ],
        },
        "post_processor": {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False, "use_regex": False},
        "decoder": {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False, "use_regex": False},
        "model": {
            "type": "BPE",
            "dropout": None,
            "unk_token": None,
            "continuing_subword_prefix": "",
            "end_of_word_suffix": "",
            "fuse_unk": False,
            "byte_fallback": False,
            "ignore_merges": False,
            "vocab": pieces,
            "merges": [list(merge) for merge in merges],
        },
    }
    settings = {
        "tokenizer_class": "Qwen2Tokenizer",
        "bos_token": "<|im_start|>",
        "eos_token": "<|im_end|>",
        "pad_token": "<|endoftext|>",
        "unk_token": UNKNOWN,
        "add_prefix_space": False,
        "bad_token_ids": _forbidden(pieces),
        "added_tokens_decoder": {str(number): entry for number, entry in added.items()},
    }
    for name, values in (("tokenizer.json", whole), ("tokenizer_config.json", settings)):
        (folder / name).write_text(json.dumps(values, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    return PIECES + len(added)
