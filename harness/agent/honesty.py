"""What a model's last words become before they are spoken: in the user's language, short, and without claims of acts that nobody did. Pure.

The loop speaks a model's text only where nothing was changed in it: whatever the text says was done, was not. Such sentences go; where
nothing else is left, that is said. Results of acts are spoken by their skills, from what the car confirmed.
Does not know the conversation.
"""

from __future__ import annotations

import re
from typing import Final

from ridealong.harness.claims import NOTHING_DONE, claims_in
from ridealong.harness.polish import polish, sentences
from ridealong.harness.slots.text import has_chinese

MAX_SPOKEN_CHARS: Final = 400
_DONE_EN = (
    r"opened|closed|shut|set|turned|switched|started|stopped|changed|adjusted|raised|lowered|increased|decreased|reduced|locked|unlocked|"
    r"activated|deactivated|enabled|disabled|navigated|booked|sent|called|cancelled|canceled|added|created|scheduled|ordered|saved|reserved|played|done"
)
_CLAIM_EN: Final = re.compile(
    rf"\b(?:i|we)(?:'ve| have|'m| am|'re| are|'ll| will)? (?:just |now |already |also |successfully |gone ahead and )*(?:{_DONE_EN}|(?:opening|closing|setting|turning|"
    rf"switching|starting|stopping|changing|adjusting|raising|lowering|locking|unlocking|navigating|booking|sending|calling))\b|"
    rf"\b(?:has|have) (?:now |just |already |successfully )*been (?:{_DONE_EN})\b|"
    rf"^(?:(?:okay|ok|sure|all right|alright|done|certainly|of course)\b[,.! ]*)*(?:(?:the |your |all )?[\w' ]{{1,40}} (?:is|are) now (?:open|closed|on|off|set|locked|unlocked|at)\b|"
    r"(?:opening|closing|setting|turning|switching|starting|navigating|booking|sending|calling|adjusting|locking|unlocking) )|^(?:done|all set|all done)\b",
    re.IGNORECASE,
)
_NO_CLAIM_EN: Final = re.compile(r"\b(?:have not|haven't|did not|didn't|can not|cannot|can't|could not|couldn't|was not|were not|if|when|would)\b", re.IGNORECASE)  # fmt: skip
_ACT_ZH = r"打开|关闭|关上|关掉|设置|设为|设成|调到|调高|调低|调整|启动|停止|锁上|解锁|导航|预订|预定|发送|发给|取消|添加|播放|切换|开启"
_CLAIM_ZH: Final = re.compile(
    rf"(?:已经?|刚刚?|成功)(?:为您|为你|帮您|帮你|给您|给你|把[^，。]{{1,12}})?(?:成功)?(?:{_ACT_ZH})|(?:{_ACT_ZH})(?:好了|完成|成功)|"
    rf"(?:正在|马上|这就)(?:为您|为你|帮您|帮你|给您|给你)?(?:{_ACT_ZH})|(?:我|帮您|为您|给您|帮你|为你|给你)(?:把[^，。]{{1,12}})?(?:{_ACT_ZH})[^，。]{{0,8}}了|^(?:好的?[，。！]?)?(?:搞定|办好|做好)了?"
)
_NO_CLAIM_ZH: Final = re.compile(r"没有?|不能|无法|如果|不会|还没|未")


def claims(sentence: str) -> bool:
    """True where a sentence says that something was done, is being done or will be: from a model that did nothing, none of it is so."""
    if claims_in(sentence):
        return True
    if has_chinese(sentence):
        return _CLAIM_ZH.search(sentence) is not None and _NO_CLAIM_ZH.search(sentence) is None
    plain = sentence.replace("’", "'")
    return _CLAIM_EN.search(plain) is not None and _NO_CLAIM_EN.search(plain) is None


def in_language(text: str, locale: str) -> bool:
    """True unless the text is plainly in the other language. A name or a number alone is in either."""
    chinese = len(re.findall(r"[\u3400-\u9fff]", text))
    words = len(re.findall(r"[A-Za-z]{2,}", text))
    if locale.startswith("zh"):
        return chinese > 0 or words <= 3
    return chinese <= words


def speakable(text: str, locale: str) -> str:
    """At most three sentences, without claims; "" when nothing speakable was there."""
    kept: list[str] = []
    length = 0
    said = sentences(polish(text))
    honest = [sentence for sentence in said if not claims(sentence)]
    if said and not honest:
        return NOTHING_DONE[1 if locale.startswith("zh") else 0]
    for sentence in honest:
        length += len(sentence)
        if kept and length > MAX_SPOKEN_CHARS:
            break
        kept.append(sentence)
    joined = polish(" ".join(kept) if not has_chinese("".join(kept)) else "".join(kept))
    if len(joined) <= MAX_SPOKEN_CHARS:
        return joined
    cut = joined[:MAX_SPOKEN_CHARS]
    return (cut if has_chinese(cut) else cut.rpartition(" ")[0] or cut).rstrip(",;:，；： ") + "…"
