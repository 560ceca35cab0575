"""Another side, of the same row: "open the right rear window, and the left one too", 打开右后窗，左边的也打开. Pure.

Once a window, seat or door of a row has been named, the other side said behind it without a row is that of the same row, not the front's. The row is put
into the words; all else is left as it was said. Does not know skills, or the car.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from ridealong.harness.slots.text import language

_ROW_EN: Final = r"(?P<{0}>front|rear|back)"
_NAMED_EN: Final = re.compile(
    rf"\b(?:(?P<side>left|right)(?:[ -]hand)?[ -]{_ROW_EN.format('row')}|{_ROW_EN.format('ahead')}[ -](?P<behind>left|right))\b",
    re.IGNORECASE,
)
_OTHER_EN: Final = re.compile(
    r"(?P<lead>(?:,|;|\band|\bbut|\bplus|\bthen|\balso|\bthe|\b(?:open|close|shut|lower|raise))\s+(?:the\s+)?)(?P<side>left|right)(?=(?:\s+(?:hand\s+)?(?:one|window|side|seat))?(?:\s+(?:too|also|as well|please|open|closed|shut|up|down|on|off))*\s*(?:[,.;!?]|$|\band\b))",
    re.IGNORECASE,
)
_NAMED_ZH: Final = re.compile(
    r"(?P<side>左|右)(?:侧|边)?的?(?P<row>前|后)(?:排|面|边|侧)?|(?P<ahead>前|后)(?:排|面|边)?的?(?P<behind>左|右)(?:边|侧|面)?"
)
_OTHER_ZH: Final = re.compile(
    r"(?P<side>左|右)(?:边|侧|面)(?!的?[前后])(?P<rest>的?(?:那?[个扇边])?(?:车?窗户?|座椅|门|玻璃)?)(?=也|$|[，,。.;；!！]|打?开|关|升|降|加热|吧)"
)


@lru_cache(maxsize=512)
def with_its_row(text: str, locale: str) -> str:
    zh = language(text, locale) == "zh"
    named = (_NAMED_ZH if zh else _NAMED_EN).search(text)
    if named is None:
        return text
    side, row = named["side"] or named["behind"], named["row"] or named["ahead"]
    head, rest = text[: named.end()], text[named.end() :]
    if zh:
        return head + _OTHER_ZH.sub(lambda one: one.group() if one["side"] == side else f"{one['side']}{row}{one['rest']}", rest)
    if _NAMED_EN.search(rest) is not None:
        return text
    return head + _OTHER_EN.sub(
        lambda one: one.group() if one["side"].lower() == side.lower() else f"{one['lead']}{row.lower()} {one['side']}", rest
    )
