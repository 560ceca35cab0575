"""The error that a user caused and can mend. The command line prints it as one sentence and exits 2."""

from __future__ import annotations


class UserError(Exception):
    """One sentence: what is wrong, and what to do about it."""


def mistake_in(error: BaseException) -> UserError | None:
    """The user's mistake that this error is, or that is among what a task group's tasks raised; None where there is none."""
    if isinstance(error, UserError):
        return error
    if isinstance(error, BaseExceptionGroup):
        return next((found for inner in error.exceptions if (found := mistake_in(inner)) is not None), None)
    return None
