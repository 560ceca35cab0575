"""What a skill itself doubts of a decision: that its words bear out the call, or its own question; or that nothing was asked, where it knows the words.

Of several parts, each with its call, every call is seen beside the words of its own part. Does not know how the decision came about.
"""

from __future__ import annotations

from collections.abc import Sequence

from ridealong.harness.framing import frame, pieces
from ridealong.harness.registry import Registry
from ridealong.harness.router import AskBack, Calls, ChitChat, Decision, Nothing
from ridealong.harness.skill import Context, Match, Skill
from ridealong.harness.tagged_reading import TaggedReading


def doubted(
    decision: Decision, text: str, locale: str, context: Context, registry: Registry, reading: TaggedReading
) -> Calls | AskBack | None:
    """The question of a skill, or what it settles it to; None where nobody doubts."""
    told = decision == Nothing("reported")
    for skill, made, words in _asked(decision, text, locale, registry, reading):
        doubt = skill.doubts(words, locale, made) if skill is not None and skill.doubts is not None else None
        if doubt is not None and not ((doubt.holds is None or doubt.holds(context)) and (doubt.sure or not told)):
            continue
        settled = doubt.settled(context) if doubt is not None and doubt.settled is not None else None
        if settled is not None and reading.holds(settled, text, locale):
            if isinstance(decision, Calls) and words != text:
                return Calls(tuple(settled if one is made else one for one in decision.matches))
            return Calls((settled,))
        if doubt is not None:
            return AskBack(doubt.question, doubt.known, reason="doubt")
    return None


def _asked(
    decision: Decision, text: str, locale: str, registry: Registry, reading: TaggedReading
) -> list[tuple[Skill | None, Match | None, str]]:
    """Who is asked, about which call, and in which words."""
    match decision:
        case Calls(matches=matches) if any(map(reading.acts, matches)) or frame(text, locale).question:
            words = _words_of(matches, text, locale)
            return [(registry.get(one.capability), one, own) for one, own in zip(matches, words, strict=True)]
        case Calls():  # told, where nothing is asked: 副驾跟我一样的温度
            return [(skill, None, text) for skill in registry if not skill.read_only]
        case AskBack(match=Match() as one):
            return [(registry.get(one.capability), one, text)]
        case Nothing(reason="not_a_request" | "reported") | ChitChat(kind="unsupported"):
            return [(skill, None, text) for skill in registry]
        case _:
            return []


def _words_of(matches: Sequence[Match], text: str, locale: str) -> list[str]:
    cut = [piece for _, piece in pieces(text, locale)]
    apart = (
        len(cut) == len({match.capability for match in matches}) == len(matches)
    )  # "fan up in front and down in the back" is one doubt
    return cut if apart else [text] * len(matches)
