"""What is asked about by a name that others have in them: the sunroof is no window, a child lock no door lock. Pure.

A question that names one of these is answered by its own skill or by none: "is the sunroof open?" is not answered with the windows.
"""

from __future__ import annotations

import re
from typing import Final

ROOF_EN: Final = r"sun ?roof|moon ?roof|glass roof|panoramic roof|pano roof|panorama roof|skylight|roof hatch|roof window"
ROOF_ZH: Final = r"全景天窗|天窗|车?顶窗"
WIPERS_EN: Final = r"(?:windscreen |windshield |front |rear )?wipers?"
WIPERS_ZH: Final = r"雨刮器?|雨刷器?|刮水器|水拨|刮雨器"
CHILD_LOCK_EN: Final = r"(?:child(?:ren)?|child(?:ren)? s|kids?|kid s)(?: safety| door| window)? locks?|child ?proof locks?"
CHILD_LOCK_ZH: Final = r"儿童(?:安全)?锁|童锁"
_OWN: Final = {
    "sunroof": (ROOF_EN, ROOF_ZH),
    "wipers": (WIPERS_EN, WIPERS_ZH),
    "child_locks": (CHILD_LOCK_EN, CHILD_LOCK_ZH),
    "blinds": (r"(?:sun ?)?(?:shades?|blinds?)", r"遮阳帘|窗帘|遮阳板"),
    "belts": (r"(?:seat ?)?belts?", r"安全带"),
    "caps": (
        r"(?:fuel|petrol|gas|diesel|charge|charging|tank|filler) ?(?:cap|flap|door|port|lid|socket)",
        r"(?:油箱|加油|充电)(?:盖|口|门)盖?",
    ),
    "wheel": (r"(?:heated )?steering ?wheel(?: heat\w+)?", r"方向盘(?:的?加热)?"),
    "mirrors": (r"(?:wing |side |rear ?view )?mirrors?", r"后视镜"),
    "bonnet": (r"bonnet|hood|frunk", r"引擎盖|前备箱|前舱盖|发动机盖"),
    "glovebox": (r"glove ?(?:box|compartment)", r"手套箱"),
    "gear": (r"gear(?:box)?|hand ?brake|parking brake", r"几挡|几档|挡位|档位|手刹"),
}


def named_otherwise(form: str, zh: bool, topic: str, pattern: str) -> bool:
    """Do these words (in the plain form) name one of those things, and what `topic`'s `pattern` finds only within its name, or not at all?"""
    others = [names[zh] for name, names in _OWN.items() if name != topic and _search(names[zh], form, zh)]
    rest = form
    for other in others:
        rest = re.sub(other if zh else rf"\b(?:{other})\b", " ", rest)
    return bool(others) and _search(pattern, rest, zh) is None


def _search(pattern: str, form: str, zh: bool) -> re.Match[str] | None:
    return re.search(pattern if zh else rf"\b(?:{pattern})\b", form)
