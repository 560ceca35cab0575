"""A name or a text with the part of it that is corrected: "level four" of "I parked on level three", "soy milk" of "buy oat milk", 梨 of 买两斤苹果. Pure.

    spliced("买两斤苹果", "梨", refused="苹果")      买两斤梨         what is refused is in it
    spliced("buy oat milk", "soy milk")             buy soy milk     they begin or end alike
    spliced("我车停在B2", "B3")                      我车停在B3       letters and digits of one form
    spliced("the station", "the library")           the library      nothing in common

Does not know what is named, or that it was corrected.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from ridealong.harness.follow_about import ARTICLE
from ridealong.harness.follow_said import LABEL, Thing
from ridealong.harness.meant import as_written

_TOKEN: Final = re.compile(r"[A-Za-z0-9'’]+|[\u3400-\u9fff]")
_WHOLE_PLACE: Final = re.compile(r"[\u3400-\u9fff]{2}(?:[站店馆院楼园城路街港校厦寺湖山]|机场|广场|车站)$")
"""What such a place is, its name says at its end: 虹桥机场 is no part of 虹桥火车站."""
_LITTLE: Final = re.compile(r"the|an?|my|our|to|at|in|on|of|for|and|is|are|it|that|this|[的了是在我你]")


def spliced(old: str, new: str, refused: str = "") -> str:
    """`old` with `new` in the place of what it corrects; `new` alone where nothing shows that it is a part only."""
    part = re.search(rf"(?<![A-Za-z0-9]){re.escape(refused)}(?![A-Za-z0-9])", old, re.IGNORECASE) if refused else None
    if part is not None and ARTICLE.sub("", old.casefold()) != refused.casefold():
        return old[: part.start()] + new + old[part.end() :]
    labels = list(LABEL.finditer(old))
    if len(labels) == 1 and LABEL.fullmatch(new) is not None:
        return old[: labels[0].start()] + new + old[labels[0].end() :]
    before, wanted = list(_TOKEN.finditer(old)), [one.group() for one in _TOKEN.finditer(new)]
    if not 2 <= len(wanted) < len(before) or _WHOLE_PLACE.search(new):
        return new
    words, size = [one.group().casefold() for one in before], len(wanted)
    first, last = wanted[0].casefold(), wanted[-1].casefold()
    for begin in range(len(words) - size, -1, -1):
        run = words[begin : begin + size]
        if (run[0] == first and not _LITTLE.fullmatch(first)) or (run[-1] == last and not _LITTLE.fullmatch(last)):
            return old[: before[begin].start()] + new + old[before[begin + size - 1].end() :]
    return new


def whole_of(arguments: Mapping[str, object], said: Thing, text: str) -> str:
    """What is named instead, as it stands in the text, in the place of what it corrects of the one text among the arguments."""
    named, texts = as_written(said.words, text), [value for value in arguments.values() if isinstance(value, str)]
    return spliced(texts[0], named, said.refused) if len(texts) == 1 else named
