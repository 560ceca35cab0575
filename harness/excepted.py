"""What is named only as an exception is left alone: "open everything but the sunroof", 除了天窗都打开, "the windows except mine and the sunroof". Pure.

Places behind such words are the zones' own matter (slots/zones.py); here it is the things. Does not know how a decision came about.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from ridealong.harness.car_things import names_of
from ridealong.harness.parts import without
from ridealong.harness.router import AskBack, Calls, Decision
from ridealong.harness.skill import Match
from ridealong.harness.slots.text import language, marked
from ridealong.harness.slots.zones import place_spans

_BUT_EN: Final = re.compile(
    r"\b(?:except(?: for)?|apart from|other than|aside from|save for|bar|excluding|(?:all|everything|anything|every one|the lot)(?: [a-z]+){0,2} but(?: not)?)\b(?P<kept>[^,.]*?)(?= (?:on|off|open|closed|shut|up|down)$|[,.]|$)"
)
_BUT_ZH: Final = re.compile(
    r"(?:除了|除(?![雾霜湿])(?=[^,.]+外))(?P<kept>[^,.]+?)(?:以外|之外|外|(?=,|都|全|其他|其它|别的|剩下))"
)


def spared(decision: Decision, text: str, locale: str) -> Decision:
    """The decision without the acts on what is only an exception; where nothing else is left, the question what is meant."""
    if not isinstance(decision, Calls):
        return decision
    zh = language(text, locale) == "zh"
    form = marked(text, locale).replace(" ", "") if zh else re.sub(r"\s+([,.])", r"\1", marked(text, locale))
    found = (_BUT_ZH if zh else _BUT_EN).search(form)
    if found is None:
        return decision
    kept, rest = found["kept"], form[: found.start("kept")] + form[found.end("kept") :]

    def is_meant(match: Match) -> bool:
        things = names_of(match.capability, zh)
        if not things or ("zone" in match.arguments and place_spans(kept, locale)):
            return True
        named = re.compile(things if zh else rf"\b(?:{things})\b")
        return named.search(kept) is None or named.search(rest) is not None

    matches = without(decision.matches, is_meant)
    if len(matches) == len(decision.matches):
        return decision
    if matches or decision.also:
        return replace(decision, matches=matches)
    return AskBack(_WHICH["zh" if zh else "en"], reason="which")


_WHICH: Final = {
    "en": "I can't do that with everything else at once. What do you mean?",
    "zh": "我不能一次把其余的都弄好。您具体要哪些？",
}
