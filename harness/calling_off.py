""" "Never mind, open the window", 算了，打开车窗: what was asked for just now is called off, and something else is asked for. Pure.

    split(text, locale)                    ->  (the words that call off, the rest of the sentence), or None
    called_off(lead, locale, context)      ->  the work that they mean, if any of it is under way
    stands(match, work)                    ->  the rest only changes that work: it is then not called off

"Stop, …" calls off what moves. Does not know what the rest means: that is read as a sentence of its own.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from ridealong.harness.doing import JUST_NOW_MS, Doing
from ridealong.harness.framing import commands
from ridealong.harness.halting_words import halts
from ridealong.harness.interjections import is_stop
from ridealong.harness.router import IMPERATIVE_EN
from ridealong.harness.skill import Context, Match
from ridealong.harness.slots.text import language
from ridealong.harness.work_words import calls_off

_CUT: Final = re.compile(r"\s*[,.;:!?，。；：！？、…—–]+\s*|\s+-\s+|\s+(?:and(?: then)?|then|but|so)\s+", re.IGNORECASE)
_JOINER: Final = re.compile(
    r"^(?:(?:and|then|but|so|just|instead|rather)\s+|(?:那就?|就|还是|而是|然后|改成)(?=\S))+", re.IGNORECASE
)
_UNCUT_EN: Final = re.compile(
    r"((?:(?:oh|no|okay|ok|ah|well|actually|please|wait) )*(?:never ?mind|forget (?:it|that|about it)|cancel that|scrap that)(?: (?:then|please|and|just|instead))*) (.+)",
    re.IGNORECASE | re.DOTALL,
)
"""As a recogniser writes it, without signs."""
_UNCUT_ZH: Final = re.compile(r"((?:哦|嗯|哎|那|就)*(?:算了|不用了|没事了)(?:吧|啊|那|还是|就)*)(.+)", re.DOTALL)
_ALSO_EN: Final = re.compile(
    r"(?:scrap|drop|forget|leave|never ?mind) (?:that|it|this)(?: (?:then|please|one))*",
    re.IGNORECASE,
)
_ALSO_ZH: Final = re.compile(r"(?:就|先|都)*(?:不用|不要|不必|别管|先别管|不找|别找)(?:它|这个|那个)?了?(?:吧|啊)*")
_BEFORE: Final = re.compile(
    r"^(?:(?:oh|no|okay|ok|ah|well|actually|please|wait|hey|sorry|so|hmm|um+|uh+|you know what|on second thoughts?)\b[ ,]*)+|^(?:哦|嗯|哎呀?|诶|那|呃)+[，, ]*",
    re.IGNORECASE,
)
_TELLS: Final = re.compile(r"^(?:i|we|i'll|we'll|i've|we've|it's|that's|there's|let me)\b|^(?:我|我们|咱们)", re.IGNORECASE)
_STOPS: Final = re.compile(r"\b(?:stop|enough|halt)\b|停|够了", re.IGNORECASE)
MAX_LEADS: Final = 3


def split(text: str, locale: str) -> tuple[str, str] | None:
    """As many of the first clauses as call off, and what comes after."""
    found: tuple[str, str] | None = None
    for number, cut in enumerate(_CUT.finditer(text)):
        lead, rest = text[: cut.start()].strip(), _JOINER.sub("", text[cut.end() :].strip())
        if number >= MAX_LEADS or not rest:
            break
        if _calls_off(lead, locale):
            found = lead, rest
    return found or _uncut(text, locale)


def _calls_off(lead: str, locale: str) -> bool:
    also = _ALSO_ZH if language(lead, locale) == "zh" else _ALSO_EN
    bare = _BEFORE.sub("", lead.strip())
    return calls_off(lead, locale) or calls_off(bare, locale) or also.fullmatch(bare) is not None or _stops(lead, locale)


def tells(rest: str) -> bool:
    """It only says why: "never mind, I'll find one myself"."""
    return _TELLS.search(rest.strip()) is not None


def _stops(lead: str, locale: str) -> bool:
    return is_stop(lead, locale) and halts(lead, locale) is not None and _STOPS.search(lead) is not None


def _uncut(text: str, locale: str) -> tuple[str, str] | None:
    chinese = language(text, locale) == "zh"
    found = (_UNCUT_ZH if chinese else _UNCUT_EN).fullmatch(text.strip())
    if found is None:
        return None
    lead, rest = found.group(1), found.group(2).strip()
    asks = commands(rest, locale) if chinese else IMPERATIVE_EN.search(rest.lower()) is not None
    return (lead, rest) if asks else None


def called_off(lead: str, locale: str, context: Context) -> tuple[Doing, ...]:
    """What was asked for last, if it is under way and was asked for just now; where the words are a stop, what moves."""
    if _stops(lead, locale):
        return tuple(one for one in context.doing if one.moves)
    newest = next(iter(context.doing), None)
    if newest is None or not newest.stage.under_way or newest.asked_ms_ago > JUST_NOW_MS:
        return ()
    return (newest,)


def stands(matches: Sequence[Match], work: Doing) -> bool:
    """One of these is another version of this work, or an operation on it: it takes its place by itself."""
    for match in matches:
        if work.id in str(match.arguments.get("items", "")).split():
            return True
        if match.capability == work.capability:
            refers = any(ground.startswith("context:") for ground in match.grounds.values())
            if refers or _named(match.arguments) == _named(work.arguments):
                return True
    return False


def _named(arguments: Mapping[str, object]) -> dict[str, str]:
    """What a call is about, without how much."""
    return {name: value for name, value in arguments.items() if isinstance(value, str)}
