"""Whoever was spoken of: "ring her", "call that number", 打给她, just after somebody's number was asked for or somebody was to be called. Pure.

Does not know who that is in the contacts.
"""

from __future__ import annotations

import re
from typing import Final

from ridealong.harness.skill import Context

WITHIN_MS: Final = 60_000
_WHO: Final = r"(?:her|him|them|it|that|that number|this number|the number|that one|there)"
_EN: Final = re.compile(
    rf"(?:(?:fine|okay|ok|good|great|right|well|then|so|and|now|just|go ahead and|perfect|in that case) )*(?:(?:call|ring|phone|dial|telephone)(?: up| back)? {_WHO}(?: up| back)?|"
    rf"give {_WHO} a (?:phone )?(?:call|ring|bell|buzz)|(?:put me through|connect me)(?: to {_WHO})?|get {_WHO} on the (?:line|phone))(?: (?:then|please|now|for me|up|back))*"
)
_TA: Final = r"(?:她|他|它|ta|他们|她们|这个(?:号码?|人)?|那个(?:号码?|人)?|对方)"
_ZH: Final = re.compile(
    rf"(?:好的?|行|那|就|那就|嗯|直接|帮我|请|给我|现在|马上)*(?:(?:打电话|打个电话|打|拨电话|拨|电话)(?:过去)?(?:给|到){_TA}|(?:拨打|打|拨|呼叫|联系|联系一下|拨通){_TA}|"
    rf"(?:给|跟|替我给){_TA}(?:打|拨|去|回)(?:一?个|一?通)?(?:电话)?(?:过去)?|(?:打|拨)(?:个电话)?过去)(?:吧|好了|一下|啊|呗|就行)*"
)


def refers(form: str, zh: bool) -> bool:
    return (_ZH if zh else _EN).fullmatch(form) is not None


def spoken_of(context: Context) -> str:
    """Of the last call about the phone, if nothing else was asked for since; "" where there was none."""
    last = context.recent[0] if context.recent else None
    if last is None or last.asked_ms_ago > WITHIN_MS or not last.capability.startswith("phone."):
        return ""
    return str(last.arguments.get("contact", ""))
