"""Utterances that are understood whole: listening sounds, "stop", "never mind", yes and no. Pure.

Each is a closed list of phrases in either language; one word more, and it is none of these. Which of them an utterance is depends on
where it falls (a "yes" after a question answers it, at any other time it is a backchannel): several may be true of the same words.
Does not know what was asked, who has the floor, or what anything longer means (framing.py).
"""

from __future__ import annotations

import re

from ridealong.harness.slots.text import language, plain

_BACKCHANNEL_EN = frozenset(
    [
        "mm", "mmm", "mhm", "mm hm", "mm hmm", "mmhm", "mmhmm", "hm", "hmm", "uh huh", "uhhuh", "uh hum", "ah", "ah okay",
        "aha", "oh", "oh okay", "oh i see", "oh wow", "wow", "yeah", "yeah yeah", "yep", "yup", "yes", "ya", "okay", "ok",
        "okay okay", "kay", "right", "right right", "sure", "alright", "all right", "i see", "got it", "gotcha", "cool",
        "nice", "great", "good", "very good", "fine", "really", "oh really", "true", "exactly", "of course", "interesting",
        "makes sense", "okay great", "okay cool", "okay good", "okay thanks", "perfect", "lovely", "sounds good",
        "fair enough", "huh", "no way", "indeed", "understood", "ah right", "oh right", "yeah okay", "yeah sure", "oh nice",
        "m",
    ]
)  # fmt: skip
_BACKCHANNEL_ZH = re.compile(
    r"(?:嗯|恩|唔|哦|噢|喔|啊|哎|诶|呃|好|好的|好吧|好啊|好呀|对|对啊|对的|对对|是|是的|是啊|是吗|行|行吧|可以|明白|明白了|知道|知道了|了解|了解了|收到|没错|真的|真的吗|这样啊|原来如此|不错|ok|嗯哼|嗯嗯|哈|哈哈|哇|嘿)+"
)
_STOP_EN = re.compile(
    r"(?:(?:hey|no|okay|ok|please|just|oh|ridealong|jarvis|wait) )*(?:stop(?: it| talking| that| speaking| please| now| there)?|be quiet|quiet|shut up|silence|enough|that is enough|hush|never ?mind|cancel(?: that| it)?|hold on|wait|wait a (?:second|minute|moment)|pause|forget it|shush)(?: (?:please|now|stop|wait|thanks|ridealong|jarvis))*"
)
_STOP_ZH = re.compile(r"(?:(?:好了?|行了|够了|嘿|喂|请|小助手|你|先|都)*(?:停|停下|停一下|停止|闭嘴|别说了|不要说了|不用说了|安静|安静点|安静一下|等等|等一下|等一等|算了|取消|住口|打住|够了|先停|暂停)(?:吧|啊|了|一下)*)+")  # fmt: skip
_YES_EN = re.compile(
    r"(?:(?:yes|yeah|yep|yup|sure|okay|ok|please|of course|go ahead|do it|do that|do so|confirm|confirmed|affirmative|correct|right|absolutely|definitely|certainly|open it|close it|please do|i am sure|that is right|i do|go for it|yes please|alright|all right|go on|it is fine|thanks|thank you|now|yes you (?:can|may|should)|you (?:can|may)) ?)+"
)
_NO_EN = re.compile(
    r"(?:(?:no|nope|nah|do not|do not do (?:it|that)|not now|cancel|never ?mind|leave it|forget it|no thanks|no thank you|better not|stop|rather not) ?)+"
)
_YES_ZH = re.compile(
    r"(?:是的?|对的?|好的?|好啊|好吧|行|可以|确认|确定|打开吧|开吧|打开|关吧|当然|没问题|嗯+|要|请(?:打开|关闭|继续)?|是啊|没错|同意|就这样|执行|ok|谢谢)+"
)
_NO_ZH = re.compile(r"(?:不用?了?|不要了?|别了?|算了|取消|不是|不行|先不用?了?|没有|不必|不开了?|停)+")
_NEVER_MIND_EN = re.compile(
    r"(?:(?:oh|no|okay|ok|just|ah|well) )*(?:never ?mind|forget (?:it|about it)|drop it|leave it)(?: (?:then|thanks|please|now))*"
)
_NEVER_MIND_ZH = re.compile(r"(?:哦|嗯|那|就|还是)*(?:算了|不用(?:再)?(?:说|讲|继续)了?|没事了?|别提了)(?:吧|啊|了)*")


def is_backchannel(text: str, locale: str) -> bool:
    """ "mm-hm", "yeah", "okay", 嗯, 好的: listening sounds that take no turn. (After a question they may be an answer.)"""
    form = plain(text, locale)
    if language(text, locale) == "zh":
        return _BACKCHANNEL_ZH.fullmatch(form) is not None and len(form) <= 8
    words = form.split()
    return form in _BACKCHANNEL_EN or (
        0 < len(words) <= 4 and all(word in _BACKCHANNEL_EN or word in ("uh", "mm", "hm", "oh") for word in words)
    )


def is_stop(text: str, locale: str) -> bool:
    """ "stop", "be quiet", "wait", 停, 别说了: take the floor from the assistant, ask for nothing else."""
    form = plain(text, locale)
    return (_STOP_ZH if language(text, locale) == "zh" else _STOP_EN).fullmatch(form) is not None


def is_never_mind(text: str, locale: str) -> bool:
    """ "never mind", "forget it", 算了: a stop after which nothing of it is wanted any more."""
    form = plain(text, locale)
    return (_NEVER_MIND_ZH if language(text, locale) == "zh" else _NEVER_MIND_EN).fullmatch(form) is not None


def answer(text: str, locale: str) -> bool | None:
    """Yes (True), no (False), or neither: for a question that the assistant has just asked."""
    form = plain(text, locale)
    yes, no = (_YES_ZH, _NO_ZH) if language(text, locale) == "zh" else (_YES_EN, _NO_EN)
    if no.fullmatch(form) is not None:
        return False
    return True if yes.fullmatch(form) is not None else None


_OPENS, _CLOSES = re.compile(r"\bopen\b|开"), re.compile(r"\b(?:close|shut)\b|关")


def agrees(text: str, locale: str, capability: str) -> bool:
    """Yes to a question about this capability: "close it" is none to "Shall I open it?"."""
    other = _CLOSES if capability.endswith(".open") else _OPENS if capability.endswith(".close") else None
    return answer(text, locale) is True and (other is None or other.search(plain(text, locale)) is None)
