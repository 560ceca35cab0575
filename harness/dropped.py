"""Parts of a sentence of which nothing came, beside others of which something did: "ring Anna and then water the plants", 打开车窗和冰箱. Pure.

    a part behind "and", "then", 然后, 顺便 that asks for something else         its words
    one more thing of the same verb, "open the window and the fridge"          the verb and that thing

What is told, asked, only named once more (a place, a value), or is part of somebody's words is none of them. Does not know what words mean: it is told
what becomes of each part alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

from ridealong.harness.asked_parts import letters
from ridealong.harness.deferred import deferred, refusal
from ridealong.harness.framing import frame, pieces
from ridealong.harness.interjections import is_backchannel
from ridealong.harness.router import Also, AskBack, Calls, ChitChat, Decision, Nothing
from ridealong.harness.skill import Match
from ridealong.harness.slots.number import find_numbers
from ridealong.harness.slots.text import language, plain
from ridealong.harness.slots.zones import place_spans

_JOINS: Final = re.compile(r"\b(?:and|then|also|plus)\b|然后|顺便|并|再|还有|另外|同时|接着|随后")
_REFERS: Final = re.compile(r"\b(?:there|it|that|them)\b|那[里儿边]|过去|它")
_NO_VERB_EN: Final = re.compile(
    r"(?:i|you|he|she|it|we|they|the|an?|my|your|his|hers?|our|their|mine|yours|this|that|these|those|there|here|is|are|was|were|am|be|been|does|did|has|had|have|can|could|will|would|should|shall|may|might|must|not|no|yes|"
    r"of|in|on|at|to|for|from|by|with|about|under|over|as|if|when|while|because|since|so|but|or|than|too|very|really|what|where|which|who|how|why|only|even|still|now|later|up|down|off|out|left|right|front|rear|back|"
    r"both|all|half|more|less|one|another|some|any|every|each|everything|nothing|somebody|everybody|someone|please|thanks|thank|maybe|perhaps|sorry|actually|well|okay|ok|never|do|don|let|keep|leave|make|that's|"
    r"warm|cool|cold|hot|cosy|cozy|nice|quick|driver|passenger|low|medium|high|max|maximum|minimum|slow|fast|full|auto|automatic|rock|jazz|wait|hurry|stop|try|see|look|listen|be|go|come|get|you're|i'm|ah|oh|um|uh|just|"
    r"need|warmer|cooler|hotter|colder|louder|quieter|softer|higher|brighter|darker|dimmer|faster|slower|further|after|either|other|later|quicker|[a-z]+ly|[a-z]+ing|[a-z]*\d[a-z\d]*|[a-z]{3,}ed)"
)
_SEVERAL_EN: Final = re.compile(rf"(?:(?:please|also|then|just|and) )*(?!{_NO_VERB_EN.pattern}\b)[a-z]+ (?:[a-z'0-9]+ ?){{1,9}}")
_SEVERAL_ZH: Final = re.compile(
    r"(?:请|麻烦|帮我|给我|替我|再|也|去|来|顺便|然后|把|将)*(?![我你您他她它咱这那是有没不别太很最左右前后主副就都也又等谢好行对全几离从到])"
    r"[\u4e00-\u9fff]{2,12}"
)
_NO_ORDER_ZH: Final = re.compile(
    r"[了吗呢吧啊呀么]$|的$|[冷热暖凉吵闷黑亮暗]|[高低大小快慢]一?[点些档]|度|百分|最|[边侧排驾]|[关开](?:上|掉|了|闭)?$|一样|一起|都"
)
_ONE_MORE_EN: Final = re.compile(r"(?:the|my|our|that) (?P<thing>[a-z]+(?: [a-z]+)?)")
_VERB_EN: Final = re.compile(
    r"(?:(?:please|can you|could you|just) )*(?P<verb>(?:turn|switch|put) (?:on|off|up|down)|open|close|shut|lock|unlock|start|stop|raise|lower|mute) (?:the|my|our|that)\b"
)
_SWITCHED_EN: Final = re.compile(
    r"(?:(?:please|can you|could you|just) )*(?P<verb>turn|switch|put) (?:the|my|our|that) [a-z]+(?: [a-z]+)? (?P<way>on|off|up|down)"
)
_MORE_ZH: Final = re.compile(
    r"^(?P<all>(?:请|麻烦|帮我|给我|把)*(?P<verb>打开|开启|关上|关掉|关闭|锁上|调高|调低|开|关)[\u4e00-\u9fff]{1,8}?(?:和|跟|还有|以及|及)(?P<thing>[\u4e00-\u9fff]{2,6}?))(?:吧|谢谢|啊|呗|一下)?$"
)


def dropped(
    matches: Sequence[Match], text: str, locale: str, decide: Callable[[str], Decision], heard: Callable[[str], str]
) -> list[Also]:
    """What is to be said of each such part. `decide`: what becomes of words alone; `heard`: a tagger's label of most of them."""
    found: list[Also] = []
    cut = pieces(text, locale)
    for n, (joiner, piece) in enumerate(cut):
        if not _JOINS.search(joiner if n else cut[1][0] if len(cut) > 1 else ""):
            continue
        asks = (_another_thing(cut[0][1], piece, locale) if n and len(cut) == 2 else "") or piece
        referred = any(match.after for match in matches) and _REFERS.search(piece) is not None
        if referred or (asks == piece and not is_order(piece, locale)) or _used(piece, matches, locale):
            continue
        alone, label = decide(asks), heard(asks)
        foreign = label in (_FOREIGN if n else _NO_SKILL) or (asks != piece and _as_before(label, matches))
        if alone == ChitChat(_UNSUPPORTED) or (foreign and _unmet(alone)):
            found.append(Also(asks, ChitChat(_UNSUPPORTED)))
        elif isinstance(alone, AskBack) and alone.match is not None and _lacks_another(alone.match, matches):
            found.append(Also(asks, alone))
        elif n and asks == piece and (later := deferred(piece, locale)) is not None:
            found.append(Also(asks, AskBack(refusal(later), reason="later")))
    if language(text, locale) == "zh" and (more := _MORE_ZH.match(plain(text, locale))) is not None:
        words = more["verb"] + more["thing"]
        alone, label = decide(words), heard(words)
        unmet = alone == ChitChat(_UNSUPPORTED) or ((label in _FOREIGN or _as_before(label, matches)) and _unmet(alone))
        if unmet and not _used(more["thing"], matches, locale):
            found.append(Also(words, ChitChat(_UNSUPPORTED)))
    return found


def _lacks_another(asked: Match, matches: Sequence[Match]) -> bool:
    """A call of something else, of which only a value is missing: "… and turn on the heating"."""
    return bool(asked.missing) and not asked.arguments and all(one.capability != asked.capability for one in matches)


_UNSUPPORTED: Final = "unsupported"
_NO_SKILL: Final = frozenset({_UNSUPPORTED})
_FOREIGN: Final = frozenset({_UNSUPPORTED, "others", "chat", "told"})
"""What a tagger calls words for which there is no skill, as a sentence of their own."""


def _as_before(label: str, matches: Sequence[Match]) -> bool:
    """Behind the same verb a tagger hears the same thing, whatever it is."""
    return any(label.partition("/")[0] == match.capability for match in matches)


def is_order(piece: str, locale: str) -> bool:
    """In the form of something that is to be done."""
    framing = frame(piece, locale)
    if framing.question or framing.negated or framing.reported or is_backchannel(piece, locale) or place_spans(piece, locale):
        return False
    form = plain(piece, locale)
    if find_numbers(form, locale) and len(form.split()) < 4:
        return False
    if language(piece, locale) == "zh":
        return _SEVERAL_ZH.fullmatch(form) is not None and _NO_ORDER_ZH.search(form) is None
    return _SEVERAL_EN.fullmatch(form) is not None


def _another_thing(first: str, piece: str, locale: str) -> str:
    if language(piece, locale) == "zh":
        return ""
    verb, thing = _VERB_EN.match(plain(first, locale)), _ONE_MORE_EN.fullmatch(plain(piece, locale))
    around = _SWITCHED_EN.fullmatch(plain(first, locale))
    if (verb is None and around is None) or thing is None or place_spans(piece, locale):
        return ""
    said = verb["verb"] if verb is not None else f"{around['verb']} {around['way']}" if around is not None else ""
    return f"{said} the {thing['thing']}"


def _used(piece: str, matches: Sequence[Match], locale: str) -> bool:
    """Some call was found in these words, or has them for what it says."""
    bare = letters(plain(piece, locale))
    for match in matches:
        for name, ground in match.grounds.items():
            words = letters(plain(ground, locale)) if ":" not in ground else ""
            if words and (words in bare or (bare in words and isinstance(match.arguments.get(name), str))):
                return True
        if any(isinstance(value, str) and bare in letters(value) for value in match.arguments.values()):
            return True
    return False


def _unmet(decision: Decision) -> bool:
    match decision:
        case ChitChat(kind=kind):
            return kind in ("unsupported", "general")
        case Nothing(reason=reason):
            return reason in ("not_a_request", "other_addressee")
        case Calls() | AskBack():
            return False
