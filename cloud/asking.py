"""Whose words the front-end's delegate text is about: a span may go on over several outputs, until its turn ends.

Decides only where a turn of requests ends: at a control token other than SPEAK, or where other words are for us.
Does not know spans, what a request means, or what comes of one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from ridealong.cloud.frontends.base import Addressee, Heard, Intent, Output
from ridealong.harness.skill import Provenance
from ridealong.proto.types import ControlToken, Samples


class Takes(Protocol):
    """What `harness.harness.Harness` is to us."""

    def feed(
        self,
        text: str,
        at: Samples,
        words: str,
        locale: str,
        provenance: Provenance,
        turn_end: bool,
        took_floor: str,
        late: bool,
        turn: int,
    ) -> str: ...

    def turn_over(self, at: Samples) -> None: ...


@dataclass(slots=True)
class Asking:
    """One per session."""

    asked: Heard | None = None

    def on(self, output: Output, now: Samples, harness: Takes, out_of_backlog: Callable[[Samples], bool]) -> None:
        """`out_of_backlog`: whether words that ended then arrived too late to be acted on."""
        asked = output.asked or next((heard for heard in output.heard if heard.addressee is Addressee.ASSISTANT), None)
        if asked is not None:
            self.asked = asked
            if not output.turn:
                harness.turn_over(now)
        if output.delegate and self.asked is not None:
            by, intent = self.asked, self.asked.intent
            took_floor = intent.value if intent is not None and intent is not Intent.STOP else ""
            late = out_of_backlog(by.end)
            harness.feed(output.delegate, by.end, by.text, by.locale, by.provenance, False, took_floor, late, output.turn)
        if output.control is not ControlToken.SPEAK:
            harness.turn_over(now)
            self.asked = asked
