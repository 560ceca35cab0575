"""A skill of the evaluation only: it answers one typed sentence with a text that the scenario gives, so that the assistant talks.

All that follows is the product's own path: harness, delivery, speech, pacing, playout. Never registered in the product.
"""

from __future__ import annotations

from ridealong.errors import UserError
from ridealong.harness.polish import polish
from ridealong.harness.skill import Call, Context, Match, Skill, Spoken, skill
from ridealong.simulators.evaluation.facts import MADE

ASKED = {"en": "Please read the evaluation text aloud.", "zh": "请朗读评测文本。"}


def asked(locale: str, number: int = 0) -> str:
    """What is typed to hear text number `number`."""
    sentence = ASKED["zh" if locale.startswith("zh") else "en"]
    return sentence if not number else f"{sentence[:-1]} {number}{sentence[-1]}"


def saying(texts: dict[str, str]) -> Skill:
    """A skill that says `texts[typed words]`. UserError where speech would shorten or change a text."""
    for text in texts.values():
        if polish(text) != text:
            raise UserError(f"the reply {text[:40]!r} would be shortened when spoken; use at most three plain sentences.")

    def recognise(text: str, locale: str, context: Context) -> Match | None:
        return Match(MADE, 1.0) if text in texts else None

    @skill(
        MADE,
        description="Read an evaluation text aloud.",
        group="reading",
        recognise=recognise,
        arguments_schema={"type": "object", "properties": {}, "required": [], "additionalProperties": False},
        examples={locale: (sentence,) for locale, sentence in ASKED.items()},
    )
    async def say(call: Call) -> Spoken:
        return Spoken(texts[call.words])

    return say
