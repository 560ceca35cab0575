"""A sentence in stretches: which words ask for what. What a tagger of requests gives to the router.

Does not know how a tagger comes to it (cloud/tagger.py is one).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final, Protocol

from ridealong.harness.framing_en import WAKE_NAME as WAKE_NAME_EN
from ridealong.harness.framing_zh import WAKE_NAME as WAKE_NAME_ZH

NO_REQUEST: Final = frozenset({"chat", "fragment", "negated", "others", "superseded", "told"})
"""Labels of words that ask for nothing."""
UNSUPPORTED: Final = "unsupported"
"""Of words that ask for what no skill does."""
TALK: Final = "talk."
"""What begins with it asks for what was said: for nothing that would have to be done."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """`label`: a capability with what is wanted of it ("climate.switch/recirculation/off"), or one that asks for nothing here ("told").
    `share`: the mean likelihood of that label, 0..1; `asks`: of all labels together that ask for something to be done or found out, here
    or elsewhere. `span`: where the words stand in the sentence."""

    label: str
    text: str
    span: tuple[int, int]
    share: float
    asks: float = 0.0


class Tags(Protocol):
    """Safe from every thread."""

    @property
    def capabilities(self) -> frozenset[str]:
        """Those that it can find. Of words for others it knows nothing, and takes them for something else."""

    def __call__(self, text: str) -> tuple[Stretch, ...]: ...


_OUR_NAME: Final = re.compile(
    rf"\W*(?:(?:hey|hi|hello|ok|okay|yo|oh|um|uh|so)\W+)*{WAKE_NAME_EN}\b[\s,.!:;–—-]*|(?:嘿|嗨|喂|哎|你好|您好|哈喽|[\s，,])*{WAKE_NAME_ZH}[\s，,。！：]*",
    re.IGNORECASE,
)
_OUR_NAME_LAST: Final = re.compile(rf"[\s,]+{WAKE_NAME_EN}[\s.!?]*$|[\s，,]*{WAKE_NAME_ZH}[\s。！？]*$", re.IGNORECASE)


def without_our_name(text: str) -> tuple[int, str]:
    """(where the rest begins, the rest) of words that call us: to whoever has not learnt our names they look like somebody else's."""
    named = _OUR_NAME.match(text)
    begin = named.end() if named is not None else 0
    rest = _OUR_NAME_LAST.sub("", text[begin:])
    return (begin, rest) if rest.strip() else (0, text)


@dataclass(frozen=True, slots=True)
class Offered:
    """A tagger's stretches where only some skills are there: what asks for one that is not asks for what no skill does. Our own name is none of its words.
    `there`: of a capability."""

    tags: Tags
    there: Callable[[str], bool]

    @property
    def capabilities(self) -> frozenset[str]:
        return self.tags.capabilities

    def __call__(self, text: str) -> tuple[Stretch, ...]:
        begin, words = without_our_name(text)
        return tuple(
            replace(
                stretch,
                label=stretch.label if self._there(stretch.label) else UNSUPPORTED,
                span=(stretch.span[0] + begin, stretch.span[1] + begin),
            )
            for stretch in self.tags(words)
        )

    def _there(self, label: str) -> bool:
        return "." not in label or self.there(label.partition("/")[0])


@dataclass(frozen=True, slots=True)
class Untagged:
    """No opinion: what the grammar alone makes of words."""

    capabilities: frozenset[str] = frozenset()

    def __call__(self, text: str) -> tuple[Stretch, ...]:
        return ()


untagged = Untagged()
