"""Files that the user has sent into a session: what kind each is, by its content, and what of it can be told. Pure.

Pictures and plain text can be looked at; anything else is only named. A file's own name and type are its sender's words, and decide nothing.
Does not know how files come, how many are kept (snapshot.Evidence), or what is asked about them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from ridealong.harness.slots.text import language
from ridealong.proto.types import Samples

MAX_TOLD_CHARS: Final = 4_000
"""Of one text."""
_MAGIC: Final = (
    (re.compile(rb"\xff\xd8\xff"), "image/jpeg"),
    (re.compile(rb"\x89PNG\r\n\x1a\n"), "image/png"),
    (re.compile(rb"GIF8[79]a"), "image/gif"),
    (re.compile(rb"RIFF.{4}WEBP", re.DOTALL), "image/webp"),
)
_THING: Final = r"(?:picture|photo|photograph|image|screenshot|file|document|pdf|attachment|scan)s?"
_SENT_EN: Final = re.compile(
    rf"\b{_THING} (?:(?:that |which )?(?:i|we)(?: have|'ve)?(?: just| already)? (?:sent|uploaded|attached|shared|gave|forwarded)\b|from me\b)|"
    rf"\bwhat (?:i|we)(?: have|'ve)?(?: just)? (?:sent|uploaded|attached|shared)\b|\b(?:attached|uploaded) {_THING}\b|\b(?:the|my|this|that) attachment\b"
)
_SENT_ZH: Final = re.compile(
    r"我(?:们)?(?:刚才?|刚刚|已经|才)?(?:发|传|上传|附上?|分享)(?:给你|给您|过来|过去|来|上去|上来)?的|(?:这|那)?(?:个|份)?附件"
)


@dataclass(frozen=True, slots=True)
class Attached:
    """`at`: when it was sent. `name` and `mime` as the sender gave them."""

    name: str
    mime: str
    at: Samples
    data: bytes

    @property
    def picture(self) -> str:
        """The picture's real type; "" where it is none."""
        return next((kind for magic, kind in _MAGIC if magic.match(self.data)), "")

    @property
    def text(self) -> str:
        """Its words, bounded; "" where it is no plain text."""
        if self.picture or b"\0" in self.data:
            return ""
        try:
            return self.data.decode("utf-8-sig").strip()[:MAX_TOLD_CHARS]
        except UnicodeDecodeError:
            return ""


def speaks_of_sent(words: str, locale: str) -> bool:
    """The words are about something that the user has sent, and not about what the camera sees."""
    form = words.lower().replace("’", "'")  # noqa: RUF001
    return (_SENT_ZH if language(words, locale).startswith("zh") else _SENT_EN).search(form) is not None
