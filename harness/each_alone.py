"""What every part of a sentence asks for alone, against what came of the whole. Pure.

    "AC on, fan full blast"                 AC on           where each part alone is one whole call, and calls are missing: both
    "passenger on 24 but keep me on 20"     passenger on 20 likewise
    热得我一身汗，温度往下压压                     warmer          where the last part alone is the call and those ahead of it are told: as the last part says
    前面隧道，把所有窗都关好                      the front ones  likewise

Only of sentences without conditions, denials, withdrawals or questions put together: these mean something by standing together. Does not know skills.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from ridealong.harness.car_things import ANY_EN, ANY_ZH, names_of
from ridealong.harness.deferred import deferred
from ridealong.harness.framing import commands, pieces
from ridealong.harness.framing_questions import is_command
from ridealong.harness.meant import as_written
from ridealong.harness.one_verb import NO_ORDER_EN, NO_ORDER_ZH
from ridealong.harness.only_tells import only_tells
from ridealong.harness.parts import joined
from ridealong.harness.router import AskBack, Calls, ChitChat, Decision, Nothing
from ridealong.harness.skill import Match, same_call
from ridealong.harness.slots.number import find_numbers
from ridealong.harness.slots.text import language, marked
from ridealong.harness.slots.zones import place_spans
from ridealong.harness.tagged import UNSUPPORTED
from ridealong.harness.weighing import LATER

Decide = Callable[[str, Match | None], Decision]
MOST: Final = 4
_BUT: Final = re.compile(r"\s*[,，]?\s*(?:\bbut\b|\bwhile\b|但是?|不过)\s*")
_BACK: Final = re.compile(
    r"\b(?:no|nope|sorry|actually|wait|instead|i mean|i meant|rather|make (?:it|that)|scratch|stays?|staying|remains?|(?:keep|leave) .* (?:open|closed?|shut|on|off|alone)$|(?:it|them|theirs?|that|those)(?! (?:is|are|was|were|has|have|smells?|stinks?|feels?|looks?|sounds?|gets?)\b)|then)\b|不对|错了|还是|改成|我是说|等等|算了|留着|保持|[开关]着|它|那(?![边个扇头儿侧])"
)
"""A part that is about another one."""
_TELLS: Final = re.compile(
    r"^(?:(?:and|because|since|as|so|oh) )*(?:(?:i|we)(?! (?:want|need|would like|could do with|fancy))|it|this|that|he|she|they|there|you|my \w+ (?:is|are)|the \w+ (?:is|are|has|have))\b|"
    r"得(?!到)|怕|嫌|太|[大疼累困热冷闷臭吵晒堵湿]$|难受|受不了|舒服|因为|死了?|^(?:我们?(?![要想的这那给\d一二三四五六七八九十])|[他她它](?![的那这\d一二三四五六七八九十])们?|孩子|宝宝|我?(?:老婆|老公|媳妇|妈|爸)(?![的那这])|太阳|天(?!窗)|车里|外面|外头|有[只个人股])|(?:好|完|齐|稳|到)了$|有点|有些|全是|都是|好(?=[热冷闷吵晒])|真(?=[热冷闷吵晒])|(?<=[\u4e00-\u9fff])(?<!对)了(?=[\u4e00-\u9fff])"
)
"""A part that says why, or how it is."""
_DONE: Final = re.compile(r"(?:好|完|齐|稳|到)了$")
_ALL: Final = re.compile(r"\b(?:all|every|whole|everything)\b|所有|全部|每")
_MOOD: Final = re.compile(
    r"\b(?:hot|cold|freezing|boiling|roasting|stuffy|chilly|nippy|sweat\w*|shiver\w*|numb|dark|noisy|stinks?|smells?|draughty|ache\w*|sore|tired|asleep|killing)\b|"
    r"[热冷闷晒吵臭冻](?!一?点|一?些|风|气|档)(?<!加[热])|汗|蒸笼|桑拿|冰窖|味儿?|(?<!打|敞)[疼痛累困]"
)
"""How it is, or somebody feels."""
_GOES: Final = re.compile(
    r"(?:then |now |please )*(?:head|find|look for|go|drive|take (?:me|us)|call|ring|skip|next)\b|(?:带|送|去|到|导航|找|搜|打给|下一)"
)
_NOBODYS: Final = frozenset({"not_a_request"})
_PLAINLY: Final = 0.8
_LIKELY: Final = 0.6
"""Of words that command."""
_QUOTES: Final = re.compile(
    r"\b(?:said|says|say|tells?|told|asked|asks|goes|like|shouted|wants?|called|hey|you|mate|love|honey|darling|mum|dad|kids|guys)\b|[说讲喊叫问让念唱写听喂嘿哎]|师傅|^[\u4e00-\u9fff]{1,3}$"
)
"""Somebody is spoken to, or quoted."""
_SAID_FOR: Final = ("default:", "context:")


@dataclass(frozen=True, slots=True)
class _Part:
    """`alone`: the one call that these words are by themselves, if they are. `told`: they say why, or how it is."""

    words: str
    alone: Match | None
    told: bool


def each_alone(decision: Decision, text: str, locale: str, decide: Decide, acts: Callable[[Match], bool]) -> Decision:
    """`decide`: of one part, as if nothing else were said but for one call. `acts`: it does or tells something now, and takes no words to be kept or passed on."""
    nobodys = _is_nobodys(decision, text, locale)
    if not nobodys and not _counts(decision, acts):
        return decision
    cut = _parts(text, locale)
    if not 2 <= len(cut) <= MOST:
        return decision
    if nobodys:
        return _only_one_asks(decision, text, locale, decide, acts) or decision
    made = decision.matches if isinstance(decision, Calls) else ()
    told = [_tells(words, locale) for words in cut]
    if len(made) >= len(cut) and not (len(made) > 1 and any(told)) and not _of_another_thing(made, cut, locale):
        return decision
    parts: list[_Part] = []
    for words, tells in zip(cut, told, strict=True):
        alone = _one(decide(as_written(words, text), None), acts)
        before = parts[-1].alone if parts else None
        if (
            alone is None
            and before is not None
            and "zone" in before.arguments
            and not tells
            and place_spans(words, locale)
            and not _names_a_thing(words, locale)
        ):
            alone = _one(decide(as_written(words, text), before), acts)  # 我的开一档就行
        parts.append(_Part(words, alone, tells))
    return (
        _each(made, parts, locale) or _without_what_is_told(made, parts, locale) or _as_one_says(made, parts, locale) or decision
    )


def _each(made: Sequence[Match], parts: Sequence[_Part], locale: str) -> Calls | None:
    """Every part is one call, each of something else: all of them, where some were made of the whole and each part names its thing or commands, where each
    says for itself how much, or where a call was made of another thing than its part names."""
    calls = [part.alone for part in parts if part.alone is not None and not part.told]
    if not len(calls) == len(parts) == len({(call.capability, call.arguments.get("zone")) for call in calls}):
        return None
    words = [part.words for part in parts]
    plainly = all(
        _names_a_thing(one, locale) or is_command(one, locale) or _GOES.match(one) or find_numbers(one, locale) for one in words
    )
    some = plainly and len(made) > 0 and all(any(same_call(one, call) for call in calls) for one in made)
    amounts = all("zone" in call.arguments for call in calls) and all(find_numbers(one, locale) for one in words)
    return _all(calls) if some or amounts or _of_another_thing(made, words, locale) else None


def _without_what_is_told(made: Sequence[Match], parts: Sequence[_Part], locale: str) -> Calls | None:
    """Where a step, or what is done, was made of a part that only tells: 往下调个半度，温度有点高."""
    asking = [part for part in parts if not part.told]
    asked = [
        part.alone for part in asking if part.alone is not None and any(one.capability == part.alone.capability for one in made)
    ]
    if not 0 < len(asked) == len(asking) < len(made):
        return None
    besides = [*(one for one in made if all(one.capability != call.capability for call in asked)), *made[len(asked) :]]
    mood = all("delta" in one.arguments or _DONE.search(" ".join(one.grounds.values())) for one in besides)
    return _all(asked) if mood or all(only_tells(part.words, locale) for part in parts if part.told) else None


def _as_one_says(made: Sequence[Match], parts: Sequence[_Part], locale: str) -> Calls | None:
    """One call was made of all: as its own part has it, where the others leave it open."""
    calls = [part for part in parts if part.alone is not None]
    own = calls[0] if len(calls) == 1 and all(part.told for part in parts if part.alone is None) else parts[-1]
    if len(made) != 1 or own.alone is None:
        return None
    others = [part for part in parts if part is not own]
    if not all(_leaves_it(own.alone, part, locale) for part in others):
        return None
    named = any(_names_a_thing(part.words, locale) for part in others)
    return Calls((_as_asked(made[0], own.alone, place=not named),))


def _only_one_asks(decision: Decision, text: str, locale: str, decide: Decide, acts: Callable[[Match], bool]) -> Calls | None:
    """ "Lean the seat back, she fancies a nap": the one request among what is told; what is told in somebody's words is none."""
    clauses = [clause for clause in re.split(r"\s+[,.]\s+", marked(text, locale)) if clause.strip()]
    if isinstance(decision, AskBack) and [bool(only_tells(clause, locale)) for clause in clauses].count(False) != 1:
        return None
    asked: list[Calls] = []
    for clause in clauses:
        alone = decide(as_written(clause, text), None)
        one = _one(alone, acts)
        if one is not None and "delta" in one.arguments and not commands(clause, locale):
            continue  # a mood
        least = _LIKELY if commands(clause, locale) else _PLAINLY
        if isinstance(alone, Calls) and not alone.also and all(acts(call) and call.score >= least for call in alone.matches):
            asked.append(Calls((one,)) if one is not None else alone)
        elif isinstance(alone, Calls | AskBack) or not _tells(clause, locale) or _QUOTES.search(clause):
            return None
    return asked[0] if len(asked) == 1 else None


def _is_nobodys(decision: Decision, text: str, locale: str) -> bool:
    """Nothing was made of the whole: it is taken for something nobody can do, for no request, or, though no words put it off, for one for later."""
    if isinstance(decision, AskBack):
        return decision.reason == LATER and deferred(text, locale) is None
    return decision == ChitChat(UNSUPPORTED) or (isinstance(decision, Nothing) and decision.reason in _NOBODYS)


def _tells(words: str, locale: str) -> bool:
    if _TELLS.search(words) or only_tells(words, locale):
        return True
    return _MOOD.search(words) is not None and not _names_a_thing(words, locale) and not find_numbers(words, locale)


def _names_a_thing(words: str, locale: str) -> bool:
    return re.search(ANY_ZH if language(words, locale) == "zh" else rf"\b{ANY_EN}\b", words) is not None


def _all(calls: Sequence[Match]) -> Calls:
    matches: tuple[Match, ...] = ()
    for call in calls:
        matches = joined(matches, (call,))
    return Calls(matches)


def _of_another_thing(made: Sequence[Match], cut: Sequence[str], locale: str) -> bool:
    """A part names a thing of the car, and the call in its place is about another: 天窗翘起来，车窗全关上."""
    if len(made) != len(cut):
        return False
    for call, words in zip(made, cut, strict=True):
        zh = language(words, locale) == "zh"
        own = names_of(call.capability, zh)
        if own and _names_a_thing(words, locale) and re.search(own if zh else rf"\b(?:{own})\b", words) is None:
            return True
    return False


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


def _leaves_it(asked: Match, part: _Part, locale: str) -> bool:
    """This part asks for the same, or in so many words for nothing."""
    if part.alone is not None and same_call(part.alone, asked):
        return True
    return not commands(part.words, locale) and (part.alone is None or part.alone.capability == asked.capability)


def _as_asked(whole: Match, asked: Match, place: bool) -> Match:
    """What the part says for itself counts; what it leaves open is as the whole has it. `place`: no other part may say where."""
    if whole.capability != asked.capability:
        return whole
    own = {name for name, ground in asked.grounds.items() if not ground.startswith(_SAID_FOR)}
    if (
        not place
        or whole.arguments.get("zone") != asked.arguments.get("zone")
        and _ALL.search(asked.grounds.get("zone", "")) is None
    ):
        own -= {"zone"}
    arguments = {name: asked.arguments[name] for name in own if name in asked.arguments}
    return replace(
        whole,
        arguments={**whole.arguments, **arguments},
        grounds={**whole.grounds, **{name: asked.grounds[name] for name in arguments}},
    )
