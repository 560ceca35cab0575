"""Whom a correction names: 给汤姆打 is 汤姆, "his work number" is the one's who was to be called. Pure.

Does not know contacts.
"""

from __future__ import annotations

import re
from typing import Final

from ridealong.harness.slots.text import has_chinese
from ridealong.vehicle_skills.phone.plan import digits_said, split_kind, without_owner

_VERB: Final = re.compile(r"^(?:打给|给|打)(?=.)|(?:打|拨)(?:一?个|通)?(?:电话)?(?:过去)?(?:吧)?$")
_HIS: Final = re.compile(r"^(?:the|his|her|their|my|他的?|她的?|那个)\s*")


def without_verb(words: str) -> str:
    """给汤姆打 is 汤姆."""
    return _VERB.sub("", words) or words


def of_whom(earlier: str, words: str) -> str:
    """ "His work number", 工作电话: a kind of number is the one's who was to be called; else the words as they are."""
    bare = _HIS.sub("", words)
    if not earlier or digits_said(earlier) or not (kind := split_kind(bare))[1] or kind[0]:
        return words
    name = split_kind(without_owner(earlier))[0] or earlier
    return f"{name}的{bare}" if has_chinese(bare) else f"{name} {bare}"
