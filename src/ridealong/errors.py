"""The error that a user caused and can mend: the command line prints it as one sentence and exits 2. And how to log the others."""

from __future__ import annotations

import traceback


class UserError(Exception):
    """One sentence: what is wrong, and what to do about it."""


def mistake_in(error: BaseException) -> UserError | None:
    """The user's mistake that this error is, or that is among what a task group's tasks raised; None where there is none."""
    if isinstance(error, UserError):
        return error
    if isinstance(error, BaseExceptionGroup):
        return next((found for inner in error.exceptions if (found := mistake_in(inner)) is not None), None)
    return None


def where(error: BaseException) -> str:
    """The kind of error and the lines that it came through, for logs: without its message, which may hold what a user said."""
    lines = [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in traceback.extract_tb(error.__traceback__)]
    return " < ".join([type(error).__name__, *reversed(lines)])
