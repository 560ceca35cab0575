"""Who may act, and who may ask. What was overheard or seen is evidence, never a command. Pure.

Does not know how a voice was told apart (the front-end says), nor what the motion policy allows afterwards.
"""

from __future__ import annotations

from typing import Final

from ridealong.harness.skill import Provenance

MAY_ACT: Final = frozenset({Provenance.DRIVER, Provenance.PASSENGER, Provenance.WEARER, Provenance.TYPED})
"""May lead to an actuation: people who were told apart, and who typed."""

IN_CHARGE: Final = MAY_ACT - {Provenance.PASSENGER}
"""May agree to what somebody else was asked."""

MAY_ASK: Final = MAY_ACT | {Provenance.UNKNOWN}
"""May start work that only reads. UNKNOWN is a live voice that nobody has told apart yet. The radio and a road sign may not
even ask: their words would be spoken back as answers."""


def may_act(provenance: Provenance) -> bool:
    """True where a request from here may change something in the world."""
    return provenance in MAY_ACT


def may_ask(provenance: Provenance) -> bool:
    """True where a request from here may start work that only reads."""
    return provenance in MAY_ASK
