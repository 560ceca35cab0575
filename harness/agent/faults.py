"""What is said where a language model gave no usable answer: plainly, without the provider's words. Pure."""

from __future__ import annotations

from typing import Final

from ridealong.harness.skill import Outcome, Spoken

_FAULTS: Final = {
    "setup": ("The language model isn't set up correctly, so I can't answer that.", "语言模型没有配置好，这个我答不了。"),
    "busy": ("The language model is too busy right now. Please try again later.", "语言模型现在太忙，请稍后再试。"),
    "away": ("I can't reach the language model right now.", "现在连不上语言模型。"),
    "late": ("The language model took too long, so I stopped.", "语言模型花的时间太长，我已经停止了。"),
    "useless": ("I didn't get a usable answer to that.", "我没有得到可用的回答。"),
    "too_late": ("That took too long, so I left it.", "花的时间太长，所以没有做。"),
}
_REASONS: Final = {
    "no_key": "setup", "denied": "setup", "quota": "setup", "rejected": "setup", "busy": "busy", "unreachable": "away", "unavailable": "away",
    "timeout": "late", "rubbish": "useless", "too_big": "useless", "too_many": "useless", "empty": "useless", "language": "useless",
    "too_late": "too_late",
}  # fmt: skip


def fault(reason: str, locale: str) -> Spoken:
    """What is said of a fault: plainly, without the provider's words."""
    english, chinese = _FAULTS[_REASONS.get(reason, "useless")]
    outcome = Outcome.REFUSED if reason == "too_late" else Outcome.FAILED
    return Spoken(chinese if locale.startswith("zh") else english, outcome, reason)
