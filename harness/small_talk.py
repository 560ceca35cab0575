"""What people say to end a matter, and nothing more: "no, that's fine", "good night", 没事. It gets a word, never "I can't do that". Pure.

    closing(text, locale)   "fine" | "farewell" | ""

Only asked of words that were meant for the assistant. Does not know what was done before.
"""

from __future__ import annotations

import re
from typing import Final

from ridealong.harness.framing import frame

_FINE_EN: Final = re.compile(
    r"(?:(?:no|oh|ok|okay|well|yes|yeah|ah|sure|actually|never ?mind) )*(?:that is|it is|that will be|this is|everything is)? ?(?:all )?(?:fine|ok|okay|all right|alright|good|enough|all|great|perfect|right|it)(?: (?:like that|as it is|for now|now|then|by me|with me|the way it is|leave it))*|"
    r"(?:(?:no|oh|ok|okay) )*(?:no (?:problem|worries)|do not worry(?: about it)?|all good|we are good|i am good|i am fine|nothing(?: (?:else|more))?(?: for now)?|that is all(?: for now)?|i did not mean you|not you|sorry(?: about that)?|my mistake|i see|you are (?:great|the best|amazing|awesome|brilliant)|well done|nice (?:one|work)|good (?:job|work|one)|i love you)"
)
_FINE_ZH: Final = re.compile(
    r"(?:哦|嗯|啊|那|算了|好的)*(?:没事儿?|没关系|不要紧|不客气|不用(?:了|谢)?|行了?|可以了?|好了|挺好|很好|就这样|这样就(?:好|行|可以)|没什么|没别的(?:事)?|没有了|不是(?:跟|对)你说|对不起|抱歉|不好意思|你真(?:棒|好|厉害|行)|真棒|太(?:好|棒)|厉害)(?:了|吧|啊|呀|啦|的)*"
)
_FAREWELL_EN: Final = re.compile(
    r"(?:(?:ok|okay|well|all right|alright|thanks|thank you) )*(?:good ?bye|bye|bye bye|see you(?: (?:later|soon|tomorrow))?|good night|night night|take care|cheerio|so long|talk to you later)(?: (?:then|now|for now))?"
)
_FAREWELL_ZH: Final = re.compile(r"(?:好的?|那|谢谢)*(?:再见|拜拜|回头见|明天见|回见|晚安|下次见|一会儿见)(?:了|啦|啊|吧)*")


SENTENCES: Final[dict[str, dict[str, str]]] = {
    "greeting": {"en": "Hello. What can I do for you?", "zh": "您好，有什么可以帮您？"},
    "thanks": {"en": "You're welcome.", "zh": "不客气。"},
    "fine": {"en": "All right.", "zh": "好的。"},
    "farewell": {"en": "Goodbye.", "zh": "再见。"},
    "driving": {"en": "I can't drive the car.", "zh": "我不能开车。"},
    "emergency": {
        "en": "I can't help in an emergency. Please call for help.",
        "zh": "紧急情况我处理不了。请打电话求助。",
    },
    "general": {"en": "I can't answer that without a language model.", "zh": "没有语言模型，这个我答不了。"},
    "no_work": {"en": "There is nothing like that under way.", "zh": "没有正在进行的这件事。"},
    "unsupported": {"en": "I can't do that yet.", "zh": "这个我还做不到。"},
}


def chitchat_sentence(kind: str, locale: str) -> str:
    """The one short, honest sentence."""
    return SENTENCES[kind]["zh" if locale.startswith("zh") else "en"]


def closing(text: str, locale: str) -> str:
    """ "" where the words are something else."""
    framing = frame(text, locale)
    zh, words = framing.locale == "zh", framing.text
    for kind, pattern in (
        ("farewell", _FAREWELL_ZH if zh else _FAREWELL_EN),
        ("fine", _FINE_ZH if zh else _FINE_EN),
    ):
        if pattern.fullmatch(words) or (framing.core and pattern.fullmatch(framing.core)):
            return kind
    return ""
