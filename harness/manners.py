"""What is asked for, without the manners around it: "go ahead and open the boot", "I'd like you to take me to …", 你给我打开车窗, 快点关窗. Pure.

Only around a command: what else begins so ("I'd like you to know", 快点了吗) stays as it is. "… for me" goes where another place is named, or a thing that is not one seat's.
Does not know skills, or what the words left mean.
"""

from __future__ import annotations

import re
from typing import Final

from ridealong.harness.deferred import MOMENT_EN
from ridealong.harness.framing_questions import is_command
from ridealong.harness.router import IMPERATIVE_EN
from ridealong.harness.slots.text import language
from ridealong.harness.slots.zones import place_spans

_LEADS_EN: Final = re.compile(
    r"(?:(?:please|and|so|okay|ok|now|right|well)[, ]+)*"
    r"(?:i(?:['’]d| would) like you to|i (?:want|need) you to|go ahead and|be (?:a dear|so kind) and|(?:would|could) you kindly|kindly|quickly,?) +",
    re.IGNORECASE,
)
_RECALLS: Final = re.compile(
    r"^(?:(?:please|can you|could you|would you|just) )*remind me (?=(?:what|how|which|where|who)\b(?! to\b))", re.IGNORECASE
)
"""What is asked for is to be told."""
_AT_LEISURE: Final = re.compile(
    rf",? (?:when(?:ever)? you(?:['’]ve| have)? (?:get|got|have|find) {MOMENT_EN}|whenever you(?:['’]re| are) ready|"
    r"(?:when|if) you can|if (?:that['’]s|that is|it['’]s|it is) (?:okay|ok|all right|no trouble)|if you (?:don['’]?t|do not|wouldn['’]?t) mind)(?=[.! ]*$)",
    re.IGNORECASE,
)
_COURTESY: Final = re.compile(
    r",? if (?:(?:that|it)(?:['’]s| is) (?:okay|ok|al(?:l )?right|no trouble|(?:no|not too much) (?:trouble|bother|hassle))|(?:that['’]ll|that will) do|you (?:don['’]?t|do not|wouldn['’]?t) mind|you(?:['’]d| would) be so (?:kind|good))(?: (?:with|by) you)?(?:,(?= )|(?=[.! ]*$))",
    re.IGNORECASE,
)
"""Whoever says so asks all the same."""
_LEAVES: Final = re.compile(r",? (?:(?:ah|oh|no|nah|nope|actually|er|um),? )+leave (?:it|that)(?=[,.!]|$)", re.IGNORECASE)
"""Not "leave it open"."""
_LOCKS: Final = re.compile(r"\b(?P<lock>(?:un)?lock (?:up|the (?:car|doors))) for me\b", re.IGNORECASE)
_THANKS: Final = re.compile(
    r",? (?:many )?(?:thanks|thank you|cheers|ta)(?: (?:very|so) much| a lot| a million)?(?=[.! ]*$)", re.IGNORECASE
)
_FOR_ME: Final = re.compile(r"(?<!\bnot) for me(?=[?.! ]*$|,? (?:please|thanks|thank you)[?.! ]*$)", re.IGNORECASE)
_MY_SHARE: Final = re.compile(r"(?:\b(?:and|but|while)|,) [\w.]+(?:[ -]\w+)?(?: degrees?)? for me\b", re.IGNORECASE)
"""... of two values: "twenty for her and nineteen for me"."""
_NOT_OF_A_SEAT: Final = re.compile(
    r"\b(?:windows|doors|boot|trunk|sunroof|roof|lights?|wipers?|music|radio|volume|call|navigate)\b",
    re.IGNORECASE,
)
_LEADS_ZH: Final = re.compile(
    r"(?:嗯|那|好|请|现在)?[，, ]*(?:请?你?(?:给|帮)我(?:一下)?|快(?:点儿?|些)[，, ]*|赶[紧快](?:给我)?|麻烦[你您]?)"
)
_ASKS_ZH: Final = re.compile(r"(?:[吗么]|好不好|行不行)[?？。 ]*$|[?？]")


def plainly_asked(text: str, locale: str) -> str:
    """The command alone; the text as it is where it is none."""
    return _zh(text) if language(text, locale) == "zh" else _en(text)


def _en(text: str) -> str:
    text = _COURTESY.sub("", _RECALLS.sub("tell me ", text, count=1))
    if (lead := _LEADS_EN.match(text)) is not None and _is_order(text[lead.end() :]):
        text = text[lead.end() :]
    if (plainly := _AT_LEISURE.sub("", text)) != text and _is_order(plainly):
        text = plainly
    text = _LOCKS.sub(r"\g<lock>", text)
    text = _LEAVES.sub(", never mind", text)
    if (plainly := _THANKS.sub("", text)) != text and _is_order(plainly):
        text = plainly
    rest = text if _MY_SHARE.search(text) else _FOR_ME.sub("", text)
    return rest if rest != text and (place_spans(rest, "en") or _NOT_OF_A_SEAT.search(rest)) else text


def _is_order(words: str) -> bool:
    return is_command(words, "en") or IMPERATIVE_EN.match(words.casefold()) is not None


def _zh(text: str) -> str:
    lead = None if _ASKS_ZH.search(text) else _LEADS_ZH.match(text)  # 帮我…好吗 is a request by its manners alone
    return text[lead.end() :] if lead is not None and is_command(text[lead.end() :], "zh") else text
