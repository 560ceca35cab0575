""" "On" and "off", in answer to our own question about one thing: 空调要打开还是关掉？ 打开. Pure.

    recognise = answered(plan.recognise_switch, "climate.switch", "on", True, False)

Only while that question waits, and only where nothing but the state is said; what else the question knew is taken over. Does not know the things.
"""

from __future__ import annotations

import re
from typing import Final

from ridealong.harness.router import open_question
from ridealong.harness.skill import Context, Match, Recognise
from ridealong.harness.slots.text import language, plain

SCORE: Final = 0.92
_ON: Final = re.compile(
    r"(?:(?:just|please|um|turn|switch|put|it|them) )*on(?: please| thanks)?|(?:帮我|请|把它|给我)*(?:打开|开启|开)(?:它)?(?:吧|啊|谢谢|一下)*"
)
_OFF: Final = re.compile(
    r"(?:(?:just|please|um|turn|switch|put|it|them) )*off(?: please| thanks)?|(?:帮我|请|把它|给我)*(?:关掉|关闭|关上|关了|关)(?:它)?(?:吧|啊|谢谢|一下)*"
)


def answered(own: Recognise, capability: str, argument: str, on: object, off: object) -> Recognise:
    """`own`, and the answer that gives `argument` its value."""

    def recognise(text: str, locale: str, context: Context) -> Match | None:
        return _answer(text, locale, context) or own(text, locale, context)

    def _answer(text: str, locale: str, context: Context) -> Match | None:
        pending = open_question(context)
        if (
            pending is None
            or pending.capability != capability
            or argument in pending.arguments
            or not pending.arguments.keys() >= needs
        ):
            return None
        form = plain(text, language(text, locale))
        state = on if _ON.fullmatch(form) else off if _OFF.fullmatch(form) else None
        if state is None:
            return None
        grounds = dict.fromkeys(pending.arguments, "context:recent")
        return Match(capability, SCORE, {**pending.arguments, argument: state}, {**grounds, argument: form})

    needs = {"thing"} if capability == "climate.switch" else set[str]()
    return recognise
