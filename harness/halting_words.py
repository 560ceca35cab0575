"""Words that tell what moves to stop where it is: "stop", "that's far enough", "don't open it any further", 停, 别开了, 够了. Closed patterns. Pure.

`halts(text, locale)` gives what they name ("" where they point at whatever moves), or None. They mean this only while something of ours moves: whether it
does is for whoever asks. Words that are about our speech alone ("be quiet", 别说了) halt nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from ridealong.harness.framing import frame
from ridealong.harness.framing_en import WAKE as WAKE_EN
from ridealong.harness.framing_zh import WAKE as WAKE_ZH
from ridealong.harness.interjections import is_stop


@dataclass(frozen=True, slots=True)
class Halts:
    about: str = ""


_SPEECH_ONLY: Final = re.compile(
    r"\b(?:talking|speaking|quiet|shut up|silence|hush|shush)\b|闭嘴|别说|不要说|不用说|安静|住口", re.IGNORECASE
)
_LEAD_EN: Final = r"(?:(?:hey|no|okay|ok|please|just|oh|whoa|wait|all right|alright|right|and|now|so|can you|could you|would you|will you|you can|you may) )*"
_END_EN: Final = r"(?: (?:please|now|thanks|thank you|there|here|right there|right here|at once|immediately))*"
_THING_EN: Final = r"(?P<about>(?:the|my|that|this|your|our|all|both|every|those|these)\b[\w ]*?|it|them|that)"
_MOVING: Final = r"(?:opening|closing|moving|going|rolling|lowering|raising|winding|shutting|sliding|tilting)"
_MOVE: Final = r"(?:open|close|shut|move|lower|raise|roll|wind|slide|tilt|go)"
_FURTHER: Final = r"any (?:further|farther|more|wider|lower|higher)"
_EN: Final = tuple(
    re.compile(f"{_LEAD_EN}(?:{pattern}){_END_EN}")
    for pattern in (
        r"(?:stop|halt|freeze|whoa|hold it)(?: (?:it|that|them|moving))?",
        rf"(?:stop|halt|freeze) {_THING_EN}(?: (?:from )?{_MOVING})?(?: where (?:it|they) (?:is|are))?",
        r"(?:that is |it is |they are )?(?:far |open |closed |wide |high |low |down |up |more than |quite )*enough",
        rf"no (?:further|farther|more|wider|lower|higher)|not {_FURTHER}|that will do",
        rf"(?:leave|keep) {_THING_EN} (?:there|here|like that|like this|as (?:it|they) (?:is|are)|where (?:it|they) (?:is|are))",
        rf"(?:stop|quit|do not keep(?: on)?) {_MOVING}(?: {_THING_EN})?(?: (?:up|down))?(?: {_FURTHER})?",
        rf"do not {_MOVE}(?: (?:it|them|that))?(?: (?:up|down))?(?: {_FURTHER})?",
        rf"do not {_MOVE}(?: {_THING_EN})?(?: (?:up|down))? {_FURTHER}",
    )
)
_LEAD_ZH: Final = r"(?:好了?|行了|够了|嘿|喂|请|你|先|都|快|赶紧|赶快|马上|哎呀?|诶|不对?|就|把|让|给我|小助手)*"
_END_ZH: Final = r"(?:了|吧|啊|呀|就(?:行|好|可以)|谢谢)*"
_THING_ZH: Final = r"(?P<about>[^吗么什谁哪几别不停,.]{1,8}?)"
_STAY: Final = r"停(?:住|下来?|一下|止|在?(?:这|那)(?:里|儿)?)?"
_NO_MORE: Final = (
    r"(?:别|不要|不用|不必|不许|停止)(?:再|继续|往(?:上|下|前|后|里|外|左|右))*(?:打开|关闭|关上|开|关|升|降|动|走|放|摇|移|滑)"
)
_ZH: Final = tuple(
    re.compile(f"{_LEAD_ZH}(?:{pattern}){_END_ZH}")
    for pattern in (
        rf"{_STAY}|别动|不许动",
        rf"{_STAY}{_THING_ZH}|{_THING_ZH.replace('about', 'about2')}(?:都|全|给我|先)*{_STAY}",
        r"(?:已经|开|关|升|降|开得|关得|升得|降得|这样)*(?:够|够大|够小|够高|够低|够多)了",
        r"(?:开|关|升|降)?(?:就)?到(?:这|那)(?:里|儿)?|这样就(?:行|好|可以|够)",
        rf"(?:{_THING_ZH})?(?:都|就|先)*{_NO_MORE}(?:下去|上去|大|小|高|低)*",
        rf"{_NO_MORE}{_THING_ZH}",
    )
)


@lru_cache(maxsize=256)
def halts(text: str, locale: str) -> Halts | None:
    """What these words tell to stop where it is, while something moves."""
    framing = frame(text, locale)
    chinese = framing.locale == "zh"
    form = (WAKE_ZH if chinese else WAKE_EN).sub("", framing.text).strip()
    if _SPEECH_ONLY.search(form) is not None or framing.to_other or framing.question:
        return None
    if is_stop(text, locale):
        return Halts()
    for pattern in _ZH if chinese else _EN:
        if (found := pattern.fullmatch(form)) is not None:
            named = found.groupdict()
            about = (named.get("about") or named.get("about2") or "").strip()
            return Halts("" if about in ("it", "them", "that", "它", "它们", "这个", "那个") else about)
    return None
