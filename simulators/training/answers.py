"""What is answered in records: by a backend to what needs one, by the front-end itself to the rest, or nothing.

Keys are the kinds of `evaluation.delegation.utterances`. Short on purpose: what is taught is when to speak and to say an answer again.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

BACKEND: Final[Mapping[str, Mapping[str, str]]] = {
    "en": {
        "climate": "The temperature is set.",
        "openings": "That is done.",
        "comfort": "Your seat is set.",
        "media": "That is on.",
        "navigation": "The route is ready. Twenty minutes.",
        "car_state": "All values are normal.",
        "look_up": "I found it. It is open until eight.",
        "compute": "The result is forty two.",
        "timers": "The timer is set.",
        "remember": "I will remember that.",
        "read": "It says no parking.",
        "watch": "I will tell you when I see it.",
    },
    "zh": {
        "climate": "温度调好了。",
        "openings": "已经好了。",
        "comfort": "座椅调好了。",
        "media": "已经可以了。",
        "navigation": "路线好了，要二十分钟。",
        "car_state": "一切正常。",
        "look_up": "查到了，开到八点。",
        "compute": "结果是四十二。",
        "timers": "计时开始了。",
        "remember": "我记住了。",
        "read": "上面写着禁止停车。",
        "watch": "看到了我告诉您。",
    },
}
ITSELF: Final[Mapping[str, Mapping[str, str]]] = {
    "en": {
        "greeting": "Hello. How can I help?",
        "thanks": "You are welcome.",
        "chit_chat": "I like that question.",
        "feelings": "I am sorry. I am here.",
        "repeat": "I have not said anything yet.",
        "negation": "Okay, I will leave it.",
        "hypothetical": "That would depend.",
        "drive_comment": "I see.",
    },
    "zh": {
        "greeting": "您好，我能帮什么忙？",
        "thanks": "不客气。",
        "chit_chat": "这个问题真有意思。",
        "feelings": "我在，别着急。",
        "repeat": "我刚才还没说话。",
        "negation": "好的，我不动。",
        "hypothetical": "那要看情况。",
        "drive_comment": "是的。",
    },
}
"""Kinds that are in neither are said to somebody else, or want nothing: silence."""
ASKS: Final = {
    "en": {"heard": "Write down what was said.", "sign": "What does the sign say?", "system": "You are a helpful assistant."},
    "zh": {"heard": "请写下说的话。", "sign": "牌子上写着什么？", "system": "你是车里的助手。"},
}
SIGNS: Final = {"en": ("NO PARKING", "EXIT 12", "ROAD CLOSED", "MAX 30"), "zh": ("禁止停车", "出口", "道路封闭", "慢行")}
