"""What every part of a sentence asks for alone, against what came of the whole. Pure.

    "AC on, fan full blast"                 AC on           where each part alone is one whole call, and calls are missing: both
    "passenger on 24 but keep me on 20"     passenger on 20 likewise
    热得我一身汗，温度往下压压                     warmer          where the last part alone is the call and those ahead of it are told: as the last part says
    前面隧道，把所有窗都关好                      the front ones  likewise

Only of sentences without conditions, denials, withdrawals or questions put together: these mean something by standing together. Does not know skills.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Final

from ridealong.harness.framing import commands, pieces
from ridealong.harness.one_verb import NO_ORDER_EN, NO_ORDER_ZH
from ridealong.harness.parts import joined
from ridealong.harness.router import AskBack, Calls, Decision
from ridealong.harness.skill import Match
from ridealong.harness.slots.text import language, marked

MOST: Final = 4
_BUT: Final = re.compile(r"\s*[,，]?\s*(?:\bbut\b|\bwhile\b|但是?|不过)\s*")
_BACK: Final = re.compile(
    r"\b(?:no|nope|sorry|actually|wait|instead|i mean|i meant|rather|make (?:it|that)|scratch|it|them|theirs?|that|those|then)\b|不对|错了|还是|改成|我是说|等等|算了|它|那"
)
"""A part that is about another one."""
_TELLS: Final = re.compile(
    r"^(?:(?:and|because|since|as|so|oh) )*(?:(?:i|we)(?! (?:want|need|would like|could do with|fancy))|it|this|that|he|she|they|there|you|my \w+ (?:is|are)|the \w+ (?:is|are|has|have))\b|"
    r"得(?!到)|怕|嫌|太|[大疼累困热冷闷臭吵晒堵湿]$|难受|受不了|舒服|因为|死了?|(?<=[\u4e00-\u9fff])(?<!对)了(?=[\u4e00-\u9fff])"
)
"""A part that says why, or how it is."""
_ALL: Final = re.compile(r"\b(?:all|every|both|whole|everything)\b|所有|全|都|每")
_SAID_FOR: Final = ("default:", "context:")


def each_alone(
    decision: Decision, text: str, locale: str, decide: Callable[[str], Decision], acts: Callable[[Match], bool]
) -> Decision:
    """`decide`: of one part, as if nothing else were said. `acts`: it does or tells something now, and takes no words to be kept or passed on."""
    if not _counts(decision, acts):
        return decision
    parts = _parts(text, locale)
    if not 2 <= len(parts) <= MOST:
        return decision
    made = decision.matches if isinstance(decision, Calls) else ()
    if len(made) < len(parts):
        alone = [_one(decide(part), acts) for part in parts]
        calls = [call for call in alone if call is not None]
        told = any(_TELLS.search(part) for part in parts)
        if not told and len(calls) == len(parts) == len({(call.capability, call.arguments.get("zone")) for call in calls}):
            matches: tuple[Match, ...] = ()
            for call in calls:
                matches = joined(matches, (call,))
            return Calls(matches)
        last = alone[-1]
        if len(made) == 1 and last is not None and all(map(partial(_leaves_it, last, locale), parts[:-1], alone[:-1])):
            return Calls((_as_asked(made[0], last),))
    return decision


def _counts(decision: Decision, acts: Callable[[Match], bool]) -> bool:
    match decision:
        case Calls(matches=matches, also=(), agreed=False):
            return all(acts(one) and not one.after and not one.behind for one in matches)
        case AskBack(match=Match() as asked):
            return acts(asked)
        case _:
            return False


def _parts(text: str, locale: str) -> list[str]:
    """() where they belong together."""
    zh = language(text, locale) == "zh"
    if (NO_ORDER_ZH if zh else NO_ORDER_EN).search(_BUT.sub(", ", text)):
        return []
    cut = [part for clause in _BUT.split(marked(text, locale)) if clause.strip() for _, part in pieces(clause, locale)]
    return [] if any(_BACK.search(part) for part in cut) else cut


def _one(decision: Decision, acts: Callable[[Match], bool]) -> Match | None:
    match decision:
        case Calls(matches=(one,), also=(), agreed=False) if acts(one):
            return one
        case _:
            return None


def _leaves_it(asked: Match, locale: str, part: str, alone: Match | None) -> bool:
    """This part asks for the same as what is behind it, or in so many words for nothing."""
    if alone is not None and (alone.capability, alone.arguments) == (asked.capability, asked.arguments):
        return True
    return not commands(part, locale) and (alone is None or alone.capability == asked.capability)


def _as_asked(whole: Match, asked: Match) -> Match:
    """What the part says for itself counts; what it leaves open is as the whole has it."""
    if whole.capability != asked.capability:
        return whole
    own = {name for name, ground in asked.grounds.items() if not ground.startswith(_SAID_FOR)}
    if whole.arguments.get("zone") != asked.arguments.get("zone") and _ALL.search(asked.grounds.get("zone", "")) is None:
        own -= {"zone"}
    arguments = {name: asked.arguments[name] for name in own if name in asked.arguments}
    return replace(
        whole,
        arguments={**whole.arguments, **arguments},
        grounds={**whole.grounds, **{name: asked.grounds[name] for name in arguments}},
    )
