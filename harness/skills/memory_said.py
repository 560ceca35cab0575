"""How what was remembered is told: how long ago, in which direction, and the user's words turned to "you". Pure, English and Chinese.

Does not know what was asked, or how it was kept.
"""

from __future__ import annotations

import re
from typing import Final

from ridealong.harness.remembering import Spot
from ridealong.harness.slots.text import has_chinese
from ridealong.harness.whereabouts import bearing_deg, distance_km

SENTENCES: Final = {
    "no_memory": ("I have nowhere to keep that.", "我没有地方记这个。"),
    "not_kept": ("I couldn't write that down, so I won't remember it.", "我没能记下来，所以不会记得。"),
    "not_forgotten": ("I couldn't delete that just now. Please try again.", "我现在删不掉，请再试一次。"),
    "unreadable": ("I can't look that up just now.", "我现在查不了。"),
    "unknown_speaker": ("I only do that for somebody I know.", "我只为认识的人做这个。"),
    "nothing_forgotten": ("I had kept nothing like that.", "我没有记过这个。"),
    "all": ("Shall I forget everything that I have kept for you, notes too?", "要我忘掉为您记的所有东西吗，包括笔记？"),
    "no_place": ("I don't know where we are now, so I keep only your words.", "我现在不知道位置，只能记住您的话。"),
    "no_notes": ("You have no notes.", "您没有笔记。"),
}  # fmt: skip
HERE_M: Final = 30
_DIRECTIONS: Final = (
    ("north", "北"), ("north-east", "东北"), ("east", "东"), ("south-east", "东南"), ("south", "南"), ("south-west", "西南"), ("west", "西"), ("north-west", "西北"),
)  # fmt: skip
_POINTS_EN: Final = re.compile(
    r"(?:where (?:i|we|i'm|we're|i've|we've)\b|who this\b|what (?:this|that) looks like|(?:this|that|my|the|our) (?:exact )?(?:parking )?(?:spot|place|location|position|face|shop|one|man|woman|person)$|this \w+$|this$)",
    re.IGNORECASE,
)
_POINTS_ZH: Final = re.compile(
    r"(?:(?:这|那)(?:个|家|张|里|儿)?.{0,6}|(?:我们?)?(?:现在|停车)(?:的|时)?(?:位置|地方|地点|车位)?)(?:的位置|的地方)?"
)
_YOURS: Final = {
    "i": "you", "me": "you", "my": "your", "mine": "yours", "myself": "yourself", "i'm": "you're", "i've": "you've", "i'd": "you'd", "i'll": "you'll", "am": "are",
}  # fmt: skip


def points(text: str) -> bool:
    """The words only point at what is there: "where I parked", "this spot". A statement says for itself where the thing is."""
    if has_chinese(text):
        return _POINTS_ZH.fullmatch(text) is not None
    return _POINTS_EN.match(text) is not None


def yours(text: str) -> str:
    """ "I put my keys …" -> "you put your keys …". Chinese is quoted as it is."""
    if has_chinese(text):
        return f"“{text}”"

    def turned(word: re.Match[str]) -> str:
        return _YOURS.get(word.group().lower().replace("’", "'"), word.group())  # noqa: RUF001

    swapped = re.sub(r"\bI was\b", "you were", text, flags=re.IGNORECASE)
    swapped = re.sub(r"[A-Za-z]+(?:['’][A-Za-z]+)?", turned, swapped)  # noqa: RUF001
    return swapped.rstrip(" .!,")


def ago(seconds: float, zh: bool) -> str:
    """How long ago, as people say it."""
    minutes, hours, days = int(seconds // 60), int(seconds // 3600), int(seconds // 86_400)
    if minutes < 1:
        return "刚才" if zh else "just now"
    if hours < 1:
        return f"{minutes}分钟前" if zh else _of(minutes, "minute")
    if days < 1:
        return f"{hours}小时前" if zh else _of(hours, "hour")
    return f"{days}天前" if zh else _of(days, "day")


def _of(count: int, unit: str) -> str:
    return f"{'an' if unit == 'hour' else 'a'} {unit} ago" if count == 1 else f"{count} {unit}s ago"


def from_here(there: Spot | None, here: Spot | None, zh: bool) -> str:
    """Distance and direction, as far as the places are known; "" where they are not."""
    if there is None or here is None:
        return ""
    metres = distance_km(here.latitude, here.longitude, there.latitude, there.longitude) * 1000
    if metres <= max(HERE_M, there.accuracy_m, here.accuracy_m):
        return "就在这附近。" if zh else "That was right around here."
    towards = bearing_deg(here.latitude, here.longitude, there.latitude, there.longitude)
    english, chinese = _DIRECTIONS[round(towards / 45) % 8]
    if metres < 1000:
        rounded = max(50, round(metres / 50) * 50)
        return f"在这里往{chinese}大约{rounded}米。" if zh else f"That was about {rounded} metres {english} of here."
    km = f"{metres / 1000:.1f}".removesuffix(".0")
    return f"在这里往{chinese}大约{km}公里。" if zh else f"That was about {km} kilometres {english} of here."
