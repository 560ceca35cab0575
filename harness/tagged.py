"""A sentence in stretches: which words ask for what. What a tagger of requests gives to the router.

Does not know how a tagger comes to it (cloud/tagger.py is one).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final, Protocol

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


@dataclass(frozen=True, slots=True)
class Offered:
    """A tagger's stretches where only some skills are there: what asks for one that is not asks for what no skill does. `there`: of a capability."""

    tags: Tags
    there: Callable[[str], bool]

    @property
    def capabilities(self) -> frozenset[str]:
        return self.tags.capabilities

    def __call__(self, text: str) -> tuple[Stretch, ...]:
        return tuple(
            stretch if self._there(stretch.label) else replace(stretch, label=UNSUPPORTED) for stretch in self.tags(text)
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
