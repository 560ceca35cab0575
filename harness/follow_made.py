"""The calls that a follow-up makes of those before: every argument grounded in its words, or in what was asked for just before. Pure.

Does not know what is said to be different (following.py).
"""

from __future__ import annotations

from typing import Final

from ridealong.harness.changes import Amount, Another
from ridealong.harness.skill import Match, Recent

SHARE: Final = 0.95


def in_its_kind(value: float, amount: Amount) -> int | float:
    return round(value) if amount.whole else round(value, 2)


def with_amount(recent: Recent, amount: Amount, value: float, words: str) -> tuple[Match, ...]:
    return (
        with_argument(
            recent.capability, {**recent.arguments, amount.argument: in_its_kind(value, amount)}, amount.argument, words
        ),
    )


def with_argument(capability: str, arguments: dict[str, object], name: str, words: str) -> Match:
    """`name`: the argument that is in the words; the others are from before."""
    return Match(capability, SHARE, arguments, {**dict.fromkeys(arguments, "context:recent"), name: words})


def as_before(capability: str, arguments: object) -> Match:
    assert isinstance(arguments, dict)
    return Match(capability, SHARE, dict(arguments), dict.fromkeys(arguments, "context:recent"))


def made_other(recent: Recent, another: Another, words: str) -> Match:
    """What is different is in the words."""
    capability, arguments = another
    new = [name for name, value in arguments.items() if recent.arguments.get(name) != value]
    return Match(capability, SHARE, dict(arguments), {**dict.fromkeys(arguments, "context:recent"), **dict.fromkeys(new, words)})
