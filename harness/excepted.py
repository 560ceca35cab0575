"""What is named only as an exception is left alone: "open everything but the sunroof", 除了天窗都打开, "the windows except mine and the sunroof". Pure.

Places of windows and temperatures behind such words are the zones' own matter (slots/zones.py); here it is the things, and the seats. Does not know how a decision came about.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from ridealong.harness.car_things import ANY_EN, ANY_ZH, names_of
from ridealong.harness.parts import without
from ridealong.harness.router import AskBack, Calls, Decision
from ridealong.harness.skill import Match, same_call
from ridealong.harness.slots.text import language, marked
from ridealong.harness.slots.zone import SEATS
from ridealong.harness.slots.zones import cover, left_out, place_spans

_BUT_EN: Final = re.compile(
    r"\b(?:except(?: for)?|apart from|other than|aside from|save for|bar|excluding|(?:all|everything|anything|every one|the lot)(?: [a-z]+){0,2} but(?: not)?)\b(?P<kept>[^,.]*?)(?= (?:on|off|open|closed|shut|up|down)$|[,.]|$)"
)
_BUT_ZH: Final = re.compile(
    r"(?:除了|除(?![雾霜湿])(?=[^,.]+外))(?P<kept>[^,.]+?)(?:以外|之外|外|$|(?=,|都|全|其他|其它|别的|剩下))"
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

    everything = not place_spans(kept, locale) and _of_everything(decision, kept, rest, zh)
    matches = () if everything else _elsewhere(without(decision.matches, is_meant), text, locale)
    if matches == decision.matches:
        return decision
    if matches or decision.also:
        return replace(decision, matches=matches)
    return AskBack(_WHICH["zh" if zh else "en"], reason="which")


def _of_everything(decision: Calls, kept: str, rest: str, zh: bool) -> bool:
    """除了空调，其他的都关掉: nothing of the car is named but what is to stay."""
    named = re.compile(ANY_ZH if zh else rf"\b{ANY_EN}\b")
    ours = all(names_of(match.capability, zh) for match in decision.matches)
    return ours and named.search(kept) is not None and named.search(rest) is None


def _elsewhere(matches: tuple[Match, ...], text: str, locale: str) -> tuple[Match, ...]:
    """The seats without those that are left out: 将所有座椅加热关掉，除了我的. Each of what is left once."""
    out = left_out(text, locale, None)
    if out is None or not out.certain or any(match.after or match.behind for match in matches):
        return matches
    made: list[Match] = []
    for match in matches:
        seats = set(SEATS.get(str(match.arguments.get("zone")), ()))
        if not match.capability.startswith("seats.") or not seats & out.seats:
            made.append(match)
            continue
        made += [replace(match, arguments={**match.arguments, "zone": zone}) for zone in cover(seats - out.seats)]
    return tuple(one for n, one in enumerate(made) if not any(same_call(one, other) for other in made[:n]))


_WHICH: Final = {
    "en": "I can't do that with everything else at once. What do you mean?",
    "zh": "我不能一次把其余的都弄好。您具体要哪些？",
}
