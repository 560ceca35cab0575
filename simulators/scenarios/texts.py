"""What is said in scenarios: texts/{tune,report}/{en,zh}.yaml, read and checked. Does not know who says it, when, or how it sounds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

import yaml

from ridealong.errors import UserError
from ridealong.simulators.scenarios.scenario import Intent, Split
from ridealong.yaml_file import read_yaml

SHIPPED = Path(__file__).parent / "texts"
T = TypeVar("T")
LISTS = ("backchannels", "other_directed", "background", "requests", "hesitations")
KEYS = frozenset({"replies", "interruptions", *LISTS})
GAP = "…"
"""Where the speaker hesitates."""


@dataclass(frozen=True, slots=True)
class Reply:
    """Long speech of the assistant."""

    id: str
    text: str


@dataclass(frozen=True, slots=True)
class Interruption:
    """`reply`: the id of the only reply that it makes sense over; "" for any."""

    text: str
    reply: str = ""


@dataclass(frozen=True, slots=True)
class Texts:
    split: Split
    locale: str
    replies: tuple[Reply, ...]
    backchannels: tuple[str, ...]
    other_directed: tuple[str, ...]
    background: tuple[str, ...]
    requests: tuple[str, ...]
    hesitations: tuple[str, ...]
    interruptions: Mapping[Intent, tuple[Interruption, ...]]

    def reply(self, id: str) -> Reply:
        return next(reply for reply in self.replies if reply.id == id)

    def spoken(self) -> frozenset[str]:
        """Everything that anybody says, to be compared with another split's."""
        plain = [*self.backchannels, *self.other_directed, *self.background, *self.requests, *self.hesitations]
        over = [one.text for items in self.interruptions.values() for one in items]
        return frozenset([*plain, *over, *(reply.text for reply in self.replies)])

    def without(self, said: frozenset[str]) -> Texts:
        """Without these, whatever their capitals and punctuation, except backchannels: there are only so many ways to say "mm-hm".
        UserError where nothing of a kind would be left."""
        gone = {bare(text) for text in said}

        def left(name: str, items: Sequence[T], text: Callable[[T], str]) -> tuple[T, ...]:
            kept = tuple(item for item in items if bare(text(item)) not in gone)
            if not kept:
                raise UserError(f"All {name} of {self.split.value}/{self.locale} are in the other split too; write others.")
            return kept

        return replace(
            self,
            replies=left("replies", self.replies, lambda reply: reply.text),
            other_directed=left("other_directed", self.other_directed, str),
            background=left("background", self.background, str),
            requests=left("requests", self.requests, str),
            hesitations=left("hesitations", self.hesitations, str),
            interruptions={
                intent: left(intent.value, items, lambda one: one.text) for intent, items in self.interruptions.items()
            },
        )


def bare(text: str) -> str:
    """Letters and digits only."""
    return "".join(char for char in text.casefold() if char.isalnum())


def load_texts(split: Split, locale: str, folder: Path = SHIPPED) -> Texts:
    """UserError, naming the file and the entry, for whatever is not as it must be."""
    path = folder / split.value / f"{locale}.yaml"
    try:
        raw = read_yaml(path)
    except OSError as error:
        raise UserError(f"{path}: the texts of scenarios cannot be read ({error.strerror}); check the folder.") from error
    except yaml.YAMLError as error:
        raise UserError(f"{path}: not YAML ({' '.join(str(error).split())}); mend it.") from error
    if not isinstance(raw, dict):
        raise UserError(f"{path}: must be a mapping with {_named(KEYS)}.")
    if unknown := sorted(str(key) for key in raw if key not in KEYS):
        raise UserError(f"{path}: unknown key {unknown[0]!r}; there are {_named(KEYS)}.")
    if missing := sorted(KEYS - set(raw)):
        raise UserError(f"{path}: {missing[0]!r} is missing; add it.")
    replies = _replies(path, raw["replies"])
    ids = {reply.id for reply in replies}
    lists = {key: _strings(path, key, raw[key]) for key in LISTS}
    for number, text in enumerate(lists["hesitations"], start=1):
        if GAP not in text.strip(f"{GAP} "):
            raise UserError(f"{path}: hesitations entry {number} has no {GAP!r} inside; mark where the speaker hesitates.")
    return Texts(split, locale, replies, interruptions=_interruptions(path, raw["interruptions"], ids), **lists)


def _named(keys: Sequence[str] | frozenset[str]) -> str:
    return ", ".join(sorted(keys))


def _strings(path: Path, key: str, raw: Any) -> tuple[str, ...]:
    if not isinstance(raw, list) or not raw:
        raise UserError(f"{path}: {key} must be a list with at least one text.")
    return tuple(dict.fromkeys(_text(path, f"{key} entry {number}", item) for number, item in enumerate(raw, start=1)))


def _text(path: Path, where: str, raw: Any) -> str:
    if not isinstance(raw, str):
        raise UserError(f"{path}: {where} is {raw!r}, which YAML does not read as text; put it in quotes.")
    if not any(char.isalnum() for char in raw):
        raise UserError(f"{path}: {where} says nothing; write words.")
    return raw.strip()


def _replies(path: Path, raw: Any) -> tuple[Reply, ...]:
    if not isinstance(raw, list) or not raw:
        raise UserError(f"{path}: replies must be a list of {{id, text}}.")
    found: dict[str, Reply] = {}
    for number, item in enumerate(raw, start=1):
        if not isinstance(item, dict) or set(item) != {"id", "text"}:
            raise UserError(f"{path}: replies entry {number} must have id and text, nothing else.")
        id = str(item["id"])
        if id in found:
            raise UserError(f"{path}: two replies are called {id!r}; give each its own id.")
        found[id] = Reply(id, _text(path, f"reply {id}", item["text"]))
    return tuple(found.values())


def _interruptions(path: Path, raw: Any, replies: set[str]) -> dict[Intent, tuple[Interruption, ...]]:
    wanted = {intent.value for intent in Intent}
    if not isinstance(raw, dict) or set(raw) != wanted:
        raise UserError(f"{path}: interruptions must have exactly {_named(frozenset(wanted))}.")
    found = {}
    for intent in Intent:
        items = raw[intent.value]
        if not isinstance(items, list) or not items:
            raise UserError(f"{path}: interruptions.{intent.value} must be a list with at least one text.")
        where = f"interruptions.{intent.value} entry"
        found[intent] = tuple(_interruption(path, f"{where} {number}", item, replies) for number, item in enumerate(items, 1))
    return found


def _interruption(path: Path, where: str, raw: Any, replies: set[str]) -> Interruption:
    if not isinstance(raw, dict):
        return Interruption(_text(path, where, raw))
    if "text" not in raw or not set(raw) <= {"reply", "text"}:
        raise UserError(f"{path}: {where} must be a text, or have text and perhaps reply.")
    reply = str(raw.get("reply") or "")
    if reply and reply not in replies:
        raise UserError(f"{path}: {where} belongs to reply {reply!r}, which there is not; use the id of one of the replies.")
    return Interruption(_text(path, where, raw["text"]), reply)
