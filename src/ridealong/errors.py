"""The error that a user caused and can mend. The command line prints it as one sentence and exits 2."""

from __future__ import annotations


class UserError(Exception):
    """One sentence: what is wrong, and what to do about it."""
