"""A skill of somebody else, as an MCP server's would be: it answers a question with a text that the case gives. Never registered in the product."""

from __future__ import annotations

from collections.abc import Mapping

from ridealong.harness.skill import Call, Context, Match, Skill, Spoken, skill

NAME = "evaluation.found"


def answering(answers: Mapping[str, str]) -> tuple[Skill, ...]:
    """None where nothing is to be answered."""
    if not answers:
        return ()

    def asked(words: str) -> str | None:
        return next((word for word in answers if word in words.casefold()), None)

    def recognise(text: str, locale: str, context: Context) -> Match | None:
        return None if asked(text) is None else Match(NAME, 1.0)

    @skill(
        NAME,
        description="Look something up.",
        group="reading",
        recognise=recognise,
        arguments_schema={"type": "object", "properties": {}, "required": [], "additionalProperties": False},
        examples={"en": ("What's the weather like?",), "zh": ("天气怎么样？",)},
    )
    async def find(call: Call) -> Spoken:
        word = asked(call.words)
        return Spoken(answers[word] if word is not None else "")

    return (find,)
