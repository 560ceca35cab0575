"""The stable codes that say why: of an outcome, a withdrawal, a rejected request, a fault. Pure.

A reason may also come from a skill of somebody else's, and then hold anything. `bounded` lets only known codes through, so that what is counted by
reason stays small and holds nobody's words. The car's own codes are the policy's (vehicle_skills/policy.py).
"""

from __future__ import annotations

import builtins
from collections.abc import Set
from typing import Final

REASONS: Final = frozenset(
    {
        # what the words were (router, capture, dispatch)
        "ambiguous", "backchannel", "broken_off", "broken_tag", "declined", "duplicate", "empty", "for_a_while", "later", "missing", "negated", "nested", "not_a_request", "not_understood",
        "doubt", "other_addressee", "which", "overheard", "provenance", "question", "reported", "reserved", "seen", "session_over", "stop", "too_long", "too_many",
        "ungrounded", "unterminated", "greeting", "thanks", "fine", "farewell", "driving", "emergency", "general", "unsupported",
        # how work went
        "already", "asked", "beyond", "beyond_object", "beyond_sound", "busy", "cancelled", "contradicted", "confirm", "full", "halted", "handed_over", "interrupted",
        "journal", "no_answer", "no_reading", "no_session", "no_such_skill", "no_watches", "not_confirmed", "not_first", "not_yet", "nothing_left", "nothing_said",
        "partly", "restarting", "superseded", "timeout", "too_late", "tool_error", "unconfirmed", "undeclared", "unknown_place", "unknown_position",
        # of music, places and calls
        "no_dialer", "nothing_playing", "unknown_contact", "which_contact", "which_place",
        # why a reply was not, or no longer, said
        "asked_for", "backlog", "corrected", "cut", "invalid", "outdated", "overtaken", "renewed", "repeated", "stopped_watching",
        # what a language model's endpoint does
        "denied", "language", "no_key", "quota", "rejected", "rubbish", "too_big", "unavailable", "unreachable",
        # what a picture cannot tell
        "no_picture", "not_consented", "nothing_sent", "unreadable", "old_picture", "no_vision", "no_reader", "no_text", "blurred", "no_model", "no_code",
        # what is kept for later
        "when", "nothing", "no_reminders", "no_memory", "not_kept",
    }
)  # fmt: skip
OTHER: Final = "other"
ERROR: Final = "error"


def bounded(reason: str, known: Set[str] = REASONS) -> str:
    """The code itself where it is known ("" too), `error` for a built-in exception's name, else `other`. What follows a colon is left out."""
    code = reason.partition(":")[0]
    if not code or code in known:
        return code
    kind = getattr(builtins, code, None)
    return ERROR if isinstance(kind, type) and issubclass(kind, BaseException) else OTHER
