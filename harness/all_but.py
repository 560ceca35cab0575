"""Work that is to go, but for some of it: "cancel all timers except the ten minute one". Pure.

What is named behind "except" is what stays: the rest of its kind is meant. Does not know how work is named (choosing.py).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from ridealong.harness.doing import Doing
from ridealong.harness.router import AskBack, Calls, ChitChat, Decision
from ridealong.harness.skill import Context, Match
from ridealong.harness.slots.text import language, plain

_EN: Final = re.compile(
    r"(?P<lead>.*\b(?:cancel|stop|end|kill|delete|remove|clear|drop|turn off|switch off)) (?P<all>(?:all|every|each|everything|both)\b[\w ]*?|(?:the |my )?(?:other )?\w+s) "
    r"(?:except(?: for)?|but(?: not)?|besides|apart from|other than|save for) (?:for )?(?P<kept>(?:the|my|that|this) [\w ]+?)(?: please)?"
)
_KIND_ZH: Final = r"计时器|定时器?|倒计时|闹钟|搜索|任务"
_ENDS_ZH: Final = r"(?:取消|停掉|停止|关掉|删掉|删除|结束)掉?"
_BUT_ZH: Final = r"(?:除了(?P<kept{n}>.+?)(?:的?(?:那一?个)?(?:以外|之外|外)|的(?:那一?个)?|那一?个)|除(?P<short{n}>.+?)(?:的?(?:那一?个)?)(?:以外|之外))"
_ZH: Final = re.compile(
    rf"(?:请|把|帮我|麻烦|给我)*(?:{_ENDS_ZH}{_BUT_ZH.format(n=1)}的?(?:所有|全部|其他|其它|别)?的?(?P<all1>{_KIND_ZH})?(?:都|全)?|"
    rf"{_BUT_ZH.format(n=2)}(?:所有|全部|其他|其它|别|剩下)?的?(?P<all2>{_KIND_ZH})?(?:全都|都|全部|全)?(?:给我)?{_ENDS_ZH})(?:吧|了)?"
)


def only_the_kept(text: str, locale: str) -> str:
    """The request to end what is to stay, which names it; "" where nothing is to stay."""
    form = plain(text, locale)
    if language(text, locale) == "zh":
        found = _ZH.fullmatch(form)
        if found is None:
            return ""
        kept = next(found[name] for name in ("kept1", "short1", "kept2", "short2") if found[name])
        kind = found["all1"] or found["all2"] or ""
        return f"取消{kept}{'' if kept.endswith(kind or '!') else f'的{kind}' if kind else ''}"
    found = _EN.fullmatch(form)
    if found is None:
        return ""
    kept = re.sub(r" ones?$", "", found["kept"])
    kind = re.search(r"\b(timer|search|alarm|reminder)(?:s|es)?\b", found["all"])
    named = kept if kind is None or kind[1] in kept else f"{kept} {kind[1]}"
    return f"cancel {named}"


def others(kept: Sequence[str], doing: Sequence[Doing]) -> tuple[Doing, ...]:
    """What is under way of the same kind as what stays, without that."""
    kinds = {one.capability for one in doing if one.id in kept}
    return tuple(one for one in doing if one.capability in kinds and one.id not in kept and one.stage.under_way)


def but_for(
    text: str, locale: str, context: Context, decide: Callable[[str, str, Context], Decision], aside: Callable[[Match], bool]
) -> Decision | None:
    """What is named stays, and the rest of its kind ends. `aside`: is a call an operation on work?"""
    kept = only_the_kept(text, locale)
    named = decide(kept, locale, context) if kept and context.doing else None
    if isinstance(named, AskBack) and named.match is not None and aside(named.match):
        return AskBack(named.question, reason="which")
    if not isinstance(named, Calls) or len(named.matches) != 1 or not aside(named.matches[0]):
        return None
    rest = others(str(named.matches[0].arguments.get("items", "")).split(), context.doing)
    items = {"items": " ".join(one.id for one in rest)}
    return Calls((replace(named.matches[0], arguments=items),)) if rest else ChitChat("no_work")
