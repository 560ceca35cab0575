"""Makes a skill's text speakable: at most three sentences, no Markdown, no protocol markers. Pure, and idempotent.

Does not know what the text is about, and adds nothing to it. (Spec: venus D1, D3.)
"""

from __future__ import annotations

import re
from typing import Final

MAX_CHARS: Final = 3_000
MAX_SENTENCES: Final = 3

RESERVED: Final = (
    "<|listen|>", "<|speak|>", "<|turn_eos|>", "<|chunk_eos|>", "<unit>", "</unit>", "<image>", "</image>",
    "<delegate>", "</delegate>", "<backend>", "</backend>",
)  # fmt: skip
"""What the model's protocol reserves. None of these may reach a front-end inside a reply."""

_RESERVED = re.compile("|".join(re.escape(token) for token in RESERVED), re.IGNORECASE)
_FENCE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_LINE_START = re.compile(r"(?m)^[ \t]*(?:#{1,6}[ \t]+|>[ \t]*|[-*+•][ \t]+|\d{1,3}[.)][ \t]+)")
_TABLE_RULE = re.compile(r"(?m)^[ \t|:-]*-{3,}[ \t|:-]*$")
_LINK = re.compile(r"!?\[([^\[\]]*)\]\([^()]*\)")
_MARKS = re.compile(r"\*\*|__|~~|`|(?<![\w*])\*(?=\S)|(?<=\S)\*(?![\w*])")
_SPACE = re.compile(r"\s+")
_MAY_BE_MARKUP = re.compile(r"[`*_~\[<|#>+•]")
"""What every markup but a rule and a list's number or hyphen needs."""
_MAY_END = re.compile(r"[.!?…。！？]")
_SENTENCE_END = re.compile(r"[.!?…]+[\"'”’)]*(?=\s|$)|[。！？]+[”’）」]*")
_ABBREVIATION = re.compile(r"(?:\b(?:e\.g|i\.e|mr|mrs|ms|dr|st|no|approx|vs|etc)|(?<!['’])\b[A-Za-z])\.$", re.IGNORECASE)


def without_reserved(text: str) -> str:
    """Removes the reserved markers again and again, until what the removal joined together holds none either."""
    while (cleaner := _RESERVED.sub("", text)) != text:
        text = cleaner
    return text


def sentences(text: str) -> list[str]:
    """Sentences of one line of text. "22.5", "e.g." and initials do not end one."""
    first = _MAY_END.search(text)
    if first is None or first.end() == len(text):  # one sentence, as most are
        return [only] if (only := text.strip()) else []
    found: list[str] = []
    begin = 0
    for end in _SENTENCE_END.finditer(text):
        piece = text[begin : end.end()]
        if end.group() == "." and _ABBREVIATION.search(piece):
            continue
        found.append(piece.strip())
        begin = end.end()
    if text[begin:].strip():
        found.append(text[begin:].strip())
    return [sentence for sentence in found if sentence]


def _is_plain(text: str) -> bool:
    """A round of cleaning would change nothing: told with one search, as most texts are so. May be False of such a text."""
    marked = _MAY_BE_MARKUP.search(text) is not None or "---" in text or _LINE_START.match(text) is not None
    return not marked and " ".join(text.split()) == text


def _plain(text: str) -> str:
    """One round of cleaning. Never longer than its input."""
    text = _FENCE.sub(" ", text)
    text = _TABLE_RULE.sub("", text)
    text = _LINE_START.sub("", text)
    text = _LINK.sub(r"\1", text)
    text = _MARKS.sub("", text)
    text = without_reserved(text)
    return _SPACE.sub(" ", text.replace("|", " ")).strip()


def polish(text: str) -> str:
    """Speakable text; empty when nothing speakable was there."""
    text = text[:MAX_CHARS]
    while not _is_plain(text) and (cleaner := _plain(text)) != text:
        text = cleaner
    kept = sentences(text)[:MAX_SENTENCES]
    # Chinese sentences follow each other without a space, as they were written.
    joined = ""
    for sentence in kept:
        joined += sentence if not joined or joined[-1] in "。！？”’）」" else f" {sentence}"
    return joined
