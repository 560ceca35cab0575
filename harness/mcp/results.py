"""What a tool answered -> what is said. Pure.

Only text is said, polished, without reserved markers, at most three sentences of it; pictures, sounds and links are not, nor is text
that is really data (JSON, XML). An error's own words are never said. An answer that can't be said is not an error: that it came is said.
Does not know the protocol, or whether the tool changed anything.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Final

from ridealong.harness.claims import NOTHING_DONE, without_claims
from ridealong.harness.polish import MAX_CHARS, polish

MAX_PARTS: Final = 64
_ADDRESS = re.compile(r"<?\bhttps?://[^\s<>]+>?")
_MARKUP = re.compile(r"\s*<(?:\?xml|!doctype|html|svg|[a-z]+[^>]*>.*</)", re.IGNORECASE | re.DOTALL)

SENTENCES: Final[dict[str, tuple[str, str]]] = {
    "only_data": ("I got an answer, but it is nothing that I can read out.", "有结果了，但是没法读出来。"),
    "no_text": ("That came back without anything to say.", "有回应了，但是没有可以说的内容。"),
    "done": ("Done.", "好了。"),
    "unreachable": ("I can't reach {server} right now, so I did nothing.", "现在连不上 {server}，所以什么都没做。"),
    "busy": ("{server} is still busy with other requests, so I did nothing.", "{server} 还在处理别的请求，所以什么都没做。"),
    "lost": ("{server} stopped answering.", "{server} 没有回应了。"),
    "failed": ("{server} says that it didn't work.", "{server} 说没有成功。"),
    "not_for_you": ("I can't do that without knowing who is asking.", "不知道是谁在说，所以我不能这样做。"),
    "confirm": ("Shall I use {server} to {doing}{with}?", "要用 {server} 执行“{doing}”吗？{with}"),
}


def say(reason: str, locale: str, **words: str) -> str:
    """The sentence for a reason, in the language of the request."""
    english, chinese = SENTENCES[reason]
    text = (chinese if locale.lower().startswith("zh") else english).format(**words)
    return text[0].upper() + text[1:]


def speakable(parts: Sequence[str], other: bool, acted: bool, locale: str) -> str:
    """`parts`: the answer's texts in order. `other`: it also held what is no text. `acted`: the tool was asked to do something."""
    texts = [part for part in parts[:MAX_PARTS] if part.strip()]
    said = polish(_ADDRESS.sub("", "\n".join(text for text in texts if not _is_data(text))[:MAX_CHARS]))
    if said and not acted:  # a reader that claims to have acted did not: nothing that acts is called so
        return polish(without_claims(said)) or NOTHING_DONE[1 if locale.lower().startswith("zh") else 0]
    if said:
        return said
    if acted:
        return say("done", locale)
    return say("only_data" if texts or other else "no_text", locale)


def _is_data(text: str) -> bool:
    """JSON objects and lists, XML and HTML: written for programs."""
    if text.lstrip()[:1] in ("{", "["):
        try:
            return isinstance(json.loads(text), dict | list)
        except (ValueError, RecursionError):
            return len(text) > MAX_CHARS
    return _MARKUP.match(text[:MAX_CHARS]) is not None
