"""The ids that the protocol is written in, found by name in the checkpoint's own tokenizer and checked once, at start.

Numbers differ between checkpoints (Venus adds four tokens whose ids are published nowhere), names don't. A name that the tokenizer
splits would reach the model as ordinary text and nothing would fail, so each must be one id of its own.
Source: spec model.md 3.1, 3.7. Knows no order of tokens (`serialization`) and no tensors.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Final

from ridealong.errors import UserError


@dataclass(frozen=True, slots=True)
class ProtocolIds:
    """One id each; all different."""

    im_start: int
    im_end: int
    unit_open: int
    unit_close: int
    image_open: int
    image_close: int
    slice_open: int
    slice_close: int
    image_id_open: int
    image_id_close: int
    audio_open: int
    audio_close: int
    listen: int
    speak: int
    turn_eos: int
    chunk_eos: int
    chunk_tts_eos: int
    tts_bos: int
    tts_eos: int
    tts_pad: int


@dataclass(frozen=True, slots=True)
class DelegationIds:
    """The four tokens that Realtime-Venus adds to MiniCPM-o 4.5."""

    delegate_open: int
    delegate_close: int
    backend_open: int
    backend_close: int


PROTOCOL_NAMES: Final[Mapping[str, str]] = {
    "im_start": "<|im_start|>",
    "im_end": "<|im_end|>",
    "unit_open": "<unit>",
    "unit_close": "</unit>",
    "image_open": "<image>",
    "image_close": "</image>",
    "slice_open": "<slice>",
    "slice_close": "</slice>",
    "image_id_open": "<image_id>",
    "image_id_close": "</image_id>",
    "audio_open": "<|audio_start|>",
    "audio_close": "<|audio_end|>",
    "listen": "<|listen|>",
    "speak": "<|speak|>",
    "turn_eos": "<|turn_eos|>",
    "chunk_eos": "<|chunk_eos|>",
    "chunk_tts_eos": "<|chunk_tts_eos|>",
    "tts_bos": "<|tts_bos|>",
    "tts_eos": "<|tts_eos|>",
    "tts_pad": "<|tts_pad|>",
}
DELEGATION_NAMES: Final[Mapping[str, str]] = {
    "delegate_open": "<delegate>",
    "delegate_close": "</delegate>",
    "backend_open": "<backend>",
    "backend_close": "</backend>",
}


@dataclass(frozen=True, slots=True)
class Tokens:
    """A checkpoint's tokenizer after its checks.

    `delegation` is None in a base checkpoint. `banned`: ids never drawn in a conversation (the tokenizer's `bad_token_ids`).
    `added`: ids of all names that aren't ordinary text. `reserved`: those names; none may come from a user or a backend.
    `remarks`: what the operator should know, one sentence each.
    """

    ids: ProtocolIds
    delegation: DelegationIds | None
    banned: tuple[int, ...]
    added: frozenset[int]
    reserved: tuple[str, ...]
    remarks: tuple[str, ...]
    _tokenizer: Any

    def encode(self, text: str) -> tuple[int, ...]:
        """Ids of a text. A reserved name in it becomes its id: clean what others wrote (`serialization.cleaned`) first."""
        return tuple(self._tokenizer.encode(text, add_special_tokens=False).ids)

    def decode(self, ids: Sequence[int]) -> str:
        """The text of ids, special names left out. Half a character shows as U+FFFD."""
        text: str = self._tokenizer.decode(list(ids), skip_special_tokens=True)
        return text

    def ordinary(self, ids: Sequence[int]) -> tuple[int, ...]:
        """The ids that are words: those kept as text when their unit leaves the window."""
        return tuple(token for token in ids if token not in self.added)

    def needed_delegation(self) -> DelegationIds:
        """For a session that delegates. Raises `UserError` where the checkpoint can't."""
        if self.delegation is None:
            raise UserError(NO_DELEGATION)
        return self.delegation


NO_DELEGATION: Final = (
    "This checkpoint's tokenizer has none of <delegate>, </delegate>, <backend> and </backend>: it is a base MiniCPM-o 4.5, which "
    "talks but hands no work over, and a node here is for both. Use a Realtime-Venus checkpoint; `ridealong model chat` takes this one, too."
)


def read_tokens(folder: Path, rows: int) -> Tokens:
    """The tokenizer in `folder`, checked. rows: of the embedding table. Raises `UserError` with all that is wrong in one message."""
    settings = _object(folder / "tokenizer_config.json")
    return check_tokens(_tokenizer(folder), settings, rows, str(folder))


def check_tokens(tokenizer: Any, settings: Mapping[str, Any], rows: int, name: str) -> Tokens:
    """tokenizer: a `tokenizers.Tokenizer`. settings: tokenizer_config.json. name: what to call it in an error."""
    problems: list[str] = []
    remarks: list[str] = []
    unknown = tokenizer.token_to_id(_content(settings.get("unk_token")) or "<unk>")
    size = tokenizer.get_vocab_size(with_added_tokens=True)
    if size > rows:
        problems.append(f"it has {size} tokens, and the model only {rows} rows for them")
    found = _found(tokenizer, PROTOCOL_NAMES, unknown, rows, problems)
    missing = [text for text in DELEGATION_NAMES.values() if tokenizer.token_to_id(text) in (None, unknown)]
    delegates = {} if missing else _found(tokenizer, DELEGATION_NAMES, unknown, rows, problems)
    if len(missing) == len(DELEGATION_NAMES):
        remarks.append(NO_DELEGATION)
    elif missing:
        problems.append(f"of the four tokens of delegation it lacks {', '.join(missing)}: all or none are needed")
    _distinct({**found, **delegates}, problems)
    added = {int(number): token.content for number, token in tokenizer.get_added_tokens_decoder().items()}
    for number, entry in settings.get("added_tokens_decoder", {}).items():
        content = _content(entry)
        if content and tokenizer.token_to_id(content) != int(number):
            problems.append(f"{content} is {tokenizer.token_to_id(content)} in it, and {number} in its tokenizer_config.json")
    banned = _banned(settings, {**found, **delegates}, size, problems, remarks)
    if problems:
        raise UserError(f"The tokenizer of {name} is none for this model:\n  " + "\n  ".join(problems))
    names = {*added.values(), *PROTOCOL_NAMES.values(), *DELEGATION_NAMES.values()}
    return Tokens(
        ids=ProtocolIds(**found),
        delegation=DelegationIds(**delegates) if delegates else None,
        banned=banned,
        added=frozenset({*added, *found.values(), *delegates.values()} | ({unknown} - {None})),
        reserved=tuple(sorted(names, key=lambda text: (-len(text), text))),
        remarks=tuple(remarks),
        _tokenizer=tokenizer,
    )


def _found(
    tokenizer: Any, names: Mapping[str, str], unknown: int | None, rows: int, problems: list[str]
) -> dict[str, int]:  # field -> id; 0 where there is a problem
    out = dict.fromkeys(names, 0)
    for field, text in names.items():
        number = tokenizer.token_to_id(text)
        pieces = tokenizer.encode(text, add_special_tokens=False).ids
        if number is None or number == unknown:
            problems.append(f"{text} is unknown to it")
        elif pieces != [number]:
            problems.append(f"{text} is {number}, but in a text it is split into {pieces}")
        elif number >= rows:
            problems.append(f"{text} is {number}, and the model has {rows} rows")
        else:
            out[field] = number
    return out


def _distinct(found: Mapping[str, int], problems: list[str]) -> None:
    names = {**PROTOCOL_NAMES, **DELEGATION_NAMES}
    first: dict[int, str] = {}
    for field, number in found.items():
        if number and number in first:
            problems.append(f"{names[field]} and {first[number]} are both {number}")
        first.setdefault(number, names[field])


def _banned(
    settings: Mapping[str, Any], found: Mapping[str, int], size: int, problems: list[str], remarks: list[str]
) -> tuple[int, ...]:
    listed = settings.get("bad_token_ids")
    if listed is None:
        remarks.append("Its tokenizer_config.json has no bad_token_ids: brackets and line breaks may be spoken.")
        return ()
    if not isinstance(listed, list) or not all(isinstance(number, int) and 0 <= number < size for number in listed):
        problems.append(f"bad_token_ids: a list of ids below {size} is needed")
        return ()
    clash = [PROTOCOL_NAMES.get(field, field) for field, number in found.items() if number and number in set(listed)]
    if clash:
        problems.append(f"bad_token_ids forbids {', '.join(clash)}, which the protocol needs")
    return tuple(sorted(set(listed)))


def _content(entry: object) -> str:
    """A token's text: files hold it bare, or in an object with its flags."""
    if isinstance(entry, Mapping):
        entry = entry.get("content")
    return entry if isinstance(entry, str) else ""


def _object(path: Path) -> Mapping[str, Any]:
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise UserError(f"{path.parent} holds no {path.name}: is it the folder of a whole checkpoint?") from None
    except (OSError, ValueError, RecursionError) as error:
        raise UserError(f"{path} can't be read as JSON: {error}. Fetch the checkpoint again.") from None
    if not isinstance(values, dict):
        raise UserError(f"{path} holds no JSON object. Fetch the checkpoint again.")
    return values


def _tokenizer(folder: Path) -> Any:
    """A `tokenizers.Tokenizer`: of tokenizer.json, or put together by transformers from the older pair of files."""
    whole = folder / "tokenizer.json"
    try:
        if whole.exists():
            from tokenizers import Tokenizer

            return Tokenizer.from_file(str(whole))
        if not ((folder / "vocab.json").exists() and (folder / "merges.txt").exists()):
            raise UserError(f"{folder} holds neither tokenizer.json nor vocab.json with merges.txt. Fetch the checkpoint again.")
        from transformers import Qwen2TokenizerFast

        return Qwen2TokenizerFast.from_pretrained(str(folder), local_files_only=True).backend_tokenizer
    except UserError:
        raise
    except Exception as error:  # the library raises plain Exception for a broken file
        raise UserError(f"The tokenizer in {folder} can't be read: {error}. Fetch the checkpoint again.") from None


assert [field.name for field in fields(ProtocolIds)] == list(PROTOCOL_NAMES)
