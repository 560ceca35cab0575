"""Contacts: who there is, under which names, with which numbers. The interface, and one implementation: a YAML file of the node's settings.

    - name: Anna Berg
      zh: 安娜
      aliases: [sis, 姐姐]
      numbers: {mobile: "+49 170 5550101", work: "+49 89 5550102"}

Read once, at start, so that what a yes was given for cannot change behind it. "Mum" is found as "mom" and 妈妈, "Anna" as Anna Berg. Does not know who asks,
or how a number is called or read out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Protocol

import yaml

from ridealong.errors import UserError
from ridealong.harness.slots.text import has_chinese
from ridealong.vehicle_skills.navigation.geocoder import fold
from ridealong.yaml_file import read_yaml

KINDS: Final = ("mobile", "home", "work")
MAX_CONTACTS: Final = 5_000
MAX_FILE_BYTES: Final = 4 * 1024 * 1024
_NUMBER: Final = re.compile(r"\+?[0-9][0-9 ()/.-]{1,30}")
_KIN: Final = (
    ("mum", "mom", "mummy", "mommy", "mother", "妈妈", "妈", "老妈", "阿妈", "母亲"), ("dad", "daddy", "father", "papa", "爸爸", "爸", "老爸", "阿爸", "父亲"),
    ("wife", "missus", "老婆", "媳妇", "太太", "妻子"), ("husband", "hubby", "老公", "丈夫"), ("sister", "sis", "姐姐", "妹妹"), ("brother", "bro", "哥哥", "弟弟"),
    ("son", "儿子"), ("daughter", "女儿", "闺女"), ("grandma", "grandmother", "granny", "nan", "nana", "奶奶", "外婆", "姥姥"), ("grandpa", "granddad", "grandad", "grandfather", "爷爷", "外公", "姥爷"),
    ("boss", "老板"), ("office", "the office", "work", "办公室", "公司"), ("home", "house", "家", "家里"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Contact:
    """`numbers`: kind -> as it was written. The first is the one that is meant where no kind is said and there is no mobile."""

    name: str
    chinese: str
    aliases: tuple[str, ...]
    numbers: Mapping[str, str]

    def called(self, locale: str) -> str:
        return self.chinese if locale.startswith("zh") and self.chinese else self.name


class Contacts(Protocol):
    def find(self, name: str) -> Sequence[Contact]:
        """Everybody of that name; the whole name before a part of it."""


@dataclass(frozen=True, slots=True)
class ContactList:
    """Contacts in memory."""

    all: tuple[Contact, ...] = ()

    def find(self, name: str) -> Sequence[Contact]:
        wanted = fold(name)
        if not wanted:
            return ()
        names = {wanted, wanted.removeprefix("my "), re.sub(r"^我的?", "", wanted)} | _like(wanted)
        whole = [one for one in self.all if names & _names(one)]
        if whole:
            return whole
        if has_chinese(name):
            return [
                one for one in self.all if len(wanted) >= 2 and any(wanted in said for said in _names(one) if has_chinese(said))
            ]
        return [one for one in self.all if any(wanted in said.split() for said in _names(one))]


NOBODY: Final = ContactList()


def _names(contact: Contact) -> set[str]:
    return {fold(name) for name in (contact.name, contact.chinese, *contact.aliases) if name}


def _like(name: str) -> set[str]:
    bare = re.sub(r"^(?:my |我的?)", "", name)
    return {fold(other) for kin in _KIN if bare in kin for other in kin}


def read_contacts(file: Path) -> ContactList:
    """Raises UserError, one sentence, for a file that can't be read or says something else than contacts."""
    try:
        if file.stat().st_size > MAX_FILE_BYTES:
            raise UserError(f"the contacts file {file} is larger than 4 MiB.")
        tree = read_yaml(file)
    except OSError as error:
        raise UserError(
            f"the contacts file {file} can't be read: {error.strerror or 'unknown reason'}; phone.contacts names it."
        ) from None
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f" at line {mark.line + 1}" if mark is not None else f": {str(error).splitlines()[0]}"
        raise UserError(f"the contacts file {file} is not valid YAML{where}.") from None
    if tree is None:
        return NOBODY
    if not isinstance(tree, list) or len(tree) > MAX_CONTACTS:
        raise UserError(
            f"{file} must be a list of at most {MAX_CONTACTS} contacts, each `- name: …` with `numbers: {{mobile: …}}`."
        )
    return ContactList(tuple(_contact(entry, f"contact {number} of {file}") for number, entry in enumerate(tree, 1)))


def _contact(entry: Any, where: str) -> Contact:
    if not isinstance(entry, dict) or set(entry) - {"name", "zh", "aliases", "numbers"}:
        raise UserError(f"{where} must have name and numbers, and may have zh and aliases; nothing else.")
    name, chinese, aliases, numbers = entry.get("name"), entry.get("zh") or "", entry.get("aliases") or [], entry.get("numbers")
    if not isinstance(name, str) or not fold(name):
        raise UserError(f"{where} has no name.")
    if not isinstance(chinese, str) or not isinstance(aliases, list) or not all(isinstance(one, str) for one in aliases):
        raise UserError(f"{where}: zh must be a name, aliases a list of names.")
    if not isinstance(numbers, dict) or not numbers:
        raise UserError(f'{where} has no numbers; write numbers: {{mobile: "+44 7700 900123"}}.')
    for kind, number in numbers.items():
        if kind not in KINDS:
            raise UserError(f"{where}: a number is one of {', '.join(KINDS)}, not {kind!r}.")
        if not isinstance(number, str) or _NUMBER.fullmatch(number) is None:
            raise UserError(f"{where}: the {kind} number must be digits in quotes, with an optional + before them.")
    return Contact(name, chinese, tuple(aliases), dict(numbers))
