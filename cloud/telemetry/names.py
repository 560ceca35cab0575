"""Names of capabilities that may be told: the harness's own, and those that the node registered; bounded in number.

A capability's name can come from a router, a model or somebody else's server: what was not registered is `other`. Pure.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from ridealong.harness.reasons import OTHER

OWN: Final = frozenset(
    {"router", "ask_back", "language_model", "talk.quote", "chitchat.greeting", "chitchat.thanks", "chitchat.driving", "chitchat.emergency", "chitchat.fine", "chitchat.farewell", "chitchat.general", "chitchat.unsupported"}
)  # fmt: skip
"""Capabilities that the harness answers with by itself."""
MAX_CAPABILITIES: Final = 200
"""More names than this are told together: somebody else's server decides how many tools it has."""


class Names:
    """`registered(name)`: the node has a capability of this name; until that is said, it has none."""

    def __init__(self, registered: Callable[[str], bool] = lambda name: False) -> None:
        self.registered = registered
        self._known: set[str] = set()

    def of(self, capability: str) -> str:
        if capability in OWN or capability in self._known:
            return capability
        if len(self._known) >= MAX_CAPABILITIES or not self.registered(capability):
            return OTHER
        self._known.add(capability)
        return capability
