"""Where words that ask for nothing in the car are owed an answer all the same; and a decision as it is observed. Pure.

Does not know what the answer is.
"""

from __future__ import annotations

from typing import Final, assert_never

from ridealong.harness.observing import Decided
from ridealong.harness.router import AskBack, Calls, ChitChat, Decision, Nothing
from ridealong.harness.skill import Provenance

UNANSWERED: Final = frozenset({"question", "not_a_request", "negated", "reported", "other_addressee", "backchannel"})
"""Words for which there is nothing to do; when they cut us off, that is said, also where the words alone look as if they were for
somebody else: we have stopped for them."""
TYPED_UNANSWERED: Final = frozenset({"question", "not_a_request", "empty"})
"""The same for typed words, which are always meant for us."""
ANSWERS: Final = frozenset({"question", "not_a_request", "negated", "declined", "backchannel"})
"""What the router makes of an answer to a question that it does not know: the language model's."""


def is_owed(reason: str, provenance: Provenance, took_floor: str) -> bool:
    """An answer, although there is nothing to do."""
    return reason in (UNANSWERED if took_floor else TYPED_UNANSWERED if provenance is Provenance.TYPED else ())


def decided(decision: Decision, session: str, request: str) -> Decided:
    match decision:
        case Calls(matches=matches):
            return Decided("calls", "", len(matches), session, request)
        case AskBack(reason=reason):
            return Decided("ask_back", reason, 0, session, request)
        case ChitChat(kind=kind):
            return Decided("chitchat", kind, 0, session, request)
        case Nothing(reason=reason):
            return Decided("nothing", reason, 0, session, request)
        case _:
            assert_never(decision)
