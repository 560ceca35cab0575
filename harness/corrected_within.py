"""A sentence that takes back what it has asked for and goes on: "play something off Bluetooth, no, off the USB stick", 去人民广场，不对，静安寺. Pure.

What stands before the correction is understood by itself, and what stands behind it as if it had been said next: the sentence asks for that alone. Values, ways and
owners are corrected in the words already (corrected.py). Where it is not certain what is taken back, nothing comes of it here. Does not know
skills, or how words are understood.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from ridealong.harness.car_things import ANY_EN, ANY_ZH
from ridealong.harness.framing import commands
from ridealong.harness.router import Calls, Decision
from ridealong.harness.skill import Context, Outcome, Recent
from ridealong.harness.slots.text import language

_MARK_EN: Final = re.compile(
    r"(?P<said>.*\S)\s*[,;.…–—-]+\s*(?P<back>(?:(?:uh+|um+|er|oh|ah|wait|hang on|hold on)[\s,.…]+)*(?:no|nope|nah|sorry|actually|rather|i mean|i meant|scratch that|my mistake|oops|whoops)\b[\s,.…]+.*\S)",
    re.IGNORECASE | re.DOTALL,
)
_MARK_ZH: Final = re.compile(
    r"(?P<said>.*\S)[\s，,。、；;…]+(?P<back>(?:哦|啊|呃|额|哎呀?|嗯|等等|等一下|等会儿?|[\s，,。…])*(?:不对|呸|(?:哎+呀?|诶|唉)不|不是(?=[\s，,。…啊哦我])|我?(?:说|搞|弄)错了|错了|不不|应该是|我(?:是说|说的?是|的意思是)).*\S)",
    re.DOTALL,
)


_THING: Final = re.compile(
    rf"(?:(?:uh+|um+|er|oh|ah|wait|hang on|hold on|no|nope|nah|sorry|actually|rather|i mean|i meant|my mistake)[\s,.…]+)+(?:the |my )?{ANY_EN}(?:,? please)?|"
    rf"(?:哦|啊|呃|额|不对|呸|不是|错了|不不|应该是|我?(?:是说|说的?是|的意思是)|[\s，,。…])+{ANY_ZH}",
    re.IGNORECASE,
)
"""Another thing, and nothing else: what is done to it has been said."""


def within(text: str, locale: str, context: Context, decide: Callable[[str, Context], Decision]) -> Calls | None:
    """The calls, the last of which is the corrected one; None where the sentence corrects none of its own."""
    cut = (_MARK_ZH if language(text, locale) == "zh" else _MARK_EN).fullmatch(text.strip())
    if cut is None or "?" in cut["said"] or "？" in cut["said"]:
        return None
    first = decide(cut["said"], context)
    if not isinstance(first, Calls) or first.also or any(match.missing or match.after for match in first.matches):
        return None
    *kept, last = first.matches
    asked = Recent(last.capability, last.arguments, Outcome.COMPLETED, 0.0)
    then = decide(cut["back"], replace(context, recent=(asked, *context.recent)))
    if not isinstance(then, Calls) or then.also or len(then.matches) != 1:
        return None
    instead = then.matches[0]
    same = instead.capability.partition(".")[0] == last.capability.partition(".")[0]
    elsewhere = instead.arguments.get("zone") != last.arguments.get("zone") and commands(cut["back"], locale)
    same = same or _THING.fullmatch(cut["back"].strip(" .,!。，！")) is not None
    return Calls((*kept, instead)) if same and not instead.missing and not elsewhere else None
