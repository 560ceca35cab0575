"""What a recogniser parts at a pause may belong together: "Kill the dome light. I can't see the road with it on." Pure.

Where the sentences are no request as they stand, they are decided as one; only what can be done then counts. Does not know skills.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from ridealong.harness.router import Calls, ChitChat, Decision, Nothing
from ridealong.harness.slots.text import has_chinese
from ridealong.harness.tagged import UNSUPPORTED

_PAUSE: Final = re.compile(r"(?<=\w)[。.](?:\s+|(?=[\u4e00-\u9fff]))")


def either_way(text: str, decide: Callable[[str], Decision]) -> Decision:
    decision = decide(text)
    if decision not in (Nothing("not_a_request"), ChitChat(UNSUPPORTED)) or not _PAUSE.search(text):
        return decision
    whole = decide(_PAUSE.sub("，" if has_chinese(text) else ", ", text))
    return whole if isinstance(whole, Calls) else decision
