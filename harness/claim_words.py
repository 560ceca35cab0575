"""The words in which somebody claims to have acted: verbs by what they do, and what of a car or an assistant they do it to. Tables only.

An act is a name that both languages share ("open", "off"); a topic likewise ("window"). Does not know grammar, or whether a claim is true
(claims.py, witness.py).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

PARTICIPLES: Final[Mapping[str, str]] = {
    "opened": "open", "closed": "close", "shut": "close", "set": "set", "changed": "set", "adjusted": "set", "put": "set", "made": "set",
    "turned on": "on", "switched on": "on", "activated": "on", "enabled": "on", "started": "on", "put on": "on",
    "turned off": "off", "switched off": "off", "deactivated": "off", "disabled": "off", "shut off": "off",
    "turned up": "up", "raised": "up", "increased": "up", "turned down": "down", "lowered": "down", "decreased": "down", "reduced": "down",
    "rolled down": "open", "rolled up": "close", "wound down": "open", "wound up": "close",
    "turned": "set", "switched": "set", "locked": "lock", "unlocked": "unlock", "stopped": "stop", "paused": "stop", "muted": "stop",
    "cancelled": "cancel", "canceled": "cancel", "booked": "book", "reserved": "book", "ordered": "book", "scheduled": "book",
    "sent": "send", "texted": "send", "emailed": "send", "messaged": "send", "called": "call", "phoned": "call", "added": "add", "created": "add",
    "saved": "add", "played": "play", "navigated": "navigate", "deleted": "cancel", "removed": "cancel", "done": "do",
}  # fmt: skip
"""As said in "I've opened …", longest first where one begins another; the particle may also come behind the thing."""
GERUNDS: Final[Mapping[str, str]] = {
    "opening": "opened", "closing": "closed", "shutting": "shut", "setting": "set", "changing": "changed", "adjusting": "adjusted",
    "turning": "turned", "switching": "switched", "activating": "activated", "starting": "started", "raising": "raised",
    "lowering": "lowered", "increasing": "increased", "reducing": "reduced", "rolling": "rolled", "locking": "locked", "unlocking": "unlocked",
    "stopping": "stopped", "booking": "booked", "sending": "sent", "calling": "called", "adding": "added", "cancelling": "cancelled",
    "navigating": "navigated", "playing": "played",
}  # fmt: skip
STATES: Final[Mapping[str, str]] = {
    "open": "opened", "closed": "closed", "shut": "shut", "on": "turned on", "off": "turned off", "locked": "locked", "unlocked": "unlocked", "set": "set",
}  # fmt: skip
"""As said in "the window is now open": the participle that would have brought it about."""

VERBS_ZH: Final[Mapping[str, str]] = {
    "打开": "open", "开启": "open", "降下": "open", "摇下": "open", "关闭": "close", "关上": "close", "关掉": "close", "关好": "close", "升起": "close", "摇上": "close",
    "升上": "close", "设置": "set", "设定": "set", "设为": "set", "设成": "set", "设到": "set", "设好": "set", "调到": "set", "调成": "set", "调整": "set", "调节": "set", "调好": "set",
    "改成": "set", "改为": "set", "切换": "set", "调高": "up", "调大": "up", "提高": "up", "调低": "down", "调小": "down", "降低": "down", "启动": "on", "激活": "on", "停止": "stop", "暂停": "stop",
    "锁上": "lock", "锁好": "lock", "解锁": "unlock", "预订": "book", "预定": "book", "订好": "book", "发送": "send", "发给": "send", "发出": "send", "取消": "cancel", "删除": "cancel",
    "添加": "add", "加入": "add", "记下": "add", "播放": "play", "导航": "navigate", "拨打": "call", "开始": "on",
}  # fmt: skip
COMPLEMENTS_ZH: Final = ("到", "为", "成", "给", "入")
"""A verb that ends so is nothing without what follows it: 调到二十二度."""

OPPOSITES: Final[Mapping[str, frozenset[str]]] = {
    "open": frozenset({"close", "off"}), "close": frozenset({"open", "on"}), "on": frozenset({"off", "close"}), "off": frozenset({"on", "open"}),
    "up": frozenset({"down"}), "down": frozenset({"up"}), "lock": frozenset({"unlock"}), "unlock": frozenset({"lock"}),
}  # fmt: skip

_TOPICS: Final[Mapping[str, str]] = {
    "window": r"windows?|车窗|窗户?|玻璃",
    "roof": r"sun ?roof|moon ?roof|roof|天窗|遮阳帘",
    "trunk": r"trunk|boot|tailgate|后备箱|行李箱|尾门",
    "door": r"doors?|车门",
    "temperature": r"temperature|degrees?|heat(?:ing|er)?|warm(?:er)?|cool(?:er)?|thermostat|climate|温度|暖气|暖风|制热|\d+度|[一二三四五六七八九十]度",
    "air": r"air ?con(?:ditioning|ditioner)?|air condition|a\.?c\.?|climate|recirculation|空调|内循环|外循环|冷气|制冷",
    "fan": r"fan|blower|airflow|风量|风扇|风速",
    "defroster": r"defrost(?:er|ers|ing)?|demist(?:er|ing)?|除霜|除雾",
    "seat": r"seats?|座椅",
    "light": r"lights?|lamps?|headlights?|灯",
    "volume": r"volume|louder|quieter|音量|声音",
    "media": r"music|song|radio|media|track|playlist|音乐|歌曲?|收音机|播放",
    "navigation": r"navigation|route|destination|directions|导航|路线|目的地",
    "timer": r"timers?|alarm|countdown|reminder|timers|闹钟|计时|倒计时|提醒",
    "watch": r"watch(?:ing)?|alerts?|留意|盯",
}  # fmt: skip
_TOPIC_WORDS: Final = {topic: re.compile(rf"(?<![a-z])(?:{words})(?![a-z])", re.IGNORECASE) for topic, words in _TOPICS.items()}


def topics(text: str) -> frozenset[str]:
    """What of a car or an assistant the text is about, in either language."""
    return frozenset(topic for topic, words in _TOPIC_WORDS.items() if words.search(text))


_ACT_WORDS: Final[Mapping[str, re.Pattern[str]]] = {
    "open": re.compile(r"\bopen(?:ed|ing|s)?\b|\b(?:roll|wind)\w* \w* ?\w* ?down\b|开|降下|摇下", re.IGNORECASE),
    "close": re.compile(r"\b(?:close[ds]?|closing|shut)\b|\b(?:roll|wind)\w* \w* ?\w* ?up\b|关|升起|升上|摇上", re.IGNORECASE),
    "on": re.compile(r"\bon\b|\b(?:start|activat|enabl)\w*|打开|开启|开|启动", re.IGNORECASE),
    "off": re.compile(r"\boff\b|\b(?:stop|deactivat|disabl)\w*|关", re.IGNORECASE),
    "up": re.compile(r"\bup\b|\b(?:raise|increase|warm|more|loud|high)\w*|高|大|升|热|暖", re.IGNORECASE),
    "down": re.compile(r"\bdown\b|\b(?:lower|decrease|reduc|cool|less|quiet|low)\w*|低|小|降|冷|凉", re.IGNORECASE),
    "lock": re.compile(r"\block(?:ed|ing|s)?\b|锁上|锁", re.IGNORECASE),
    "unlock": re.compile(r"\bunlock\w*|解锁|开锁", re.IGNORECASE),
}  # fmt: skip


def contradicts(act: str, text: str) -> bool:
    """The text is about the opposite of the act, and not about the act."""
    own = _ACT_WORDS.get(act)
    if own is None or own.search(text):
        return False
    return any(_ACT_WORDS[other].search(text) for other in OPPOSITES[act])
