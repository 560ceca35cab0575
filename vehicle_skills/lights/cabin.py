"""The light in the cabin: words -> on or off. Pure.

A car has one dome light for us; whose reading lamp is meant does not matter. What shines outside is no skill's. Does not know the policy.
"""

from __future__ import annotations

import re
from typing import Final

from ridealong.harness.doubt import Doubt
from ridealong.harness.meant import FRAGMENT, Meant
from ridealong.harness.reading import Reading
from ridealong.harness.skill import Context, Match
from ridealong.harness.slots.text import language, plain
from ridealong.vehicle_skills.car import is_recent
from ridealong.vehicle_skills.claim import take_places, tells

CABIN: Final = "lights.cabin"

_NAMED_EN: Final = r"(?:cabin|inside|interior|inner|dome|reading|map|ceiling|overhead|roof|courtesy|car) (?:lights?|lamps?)|(?:lights?|lamps?) (?:inside|in (?:here|the (?:car|cabin|back|front|rear)))|interior lighting|cabin lighting"
_BARE_EN: Final = r"light|lamp"
_OTHER_EN: Final = (
    r"head ?lights?|head ?lamps?|fog|beams?|high beam|low beam|dipped|hazards?|brake lights?|tail ?lights?|rear lights|indicators?|blinkers?|traffic|parking lights?|side ?lights?|running lights?|day ?time|"
    r"ambient|ambience|mood|accent|atmosphere|glow|strips?|disco|footwell|door lights?|warning|dashboard|engine|living|kitchen|bedroom|bathroom|hall|garage|porch|house|home|desk|street|flash ?light|torch|screen|"
    r"brightness|dim|dimmer|brighter|red|blue|green|purple|pink|orange|yellow|white|colou?r|percent|seat|novel|switch to|speed|light snack|weight|meal|music|green light|rail|year|bulb|trunk|boot|number plate"
)
_NAMED_ZH: Final = r"(?:车内|车里|车厢|里面|里头|室内|座舱|后排|前排|副驾|主驾|后座|头顶|头上|顶上|左后|右后|左边|右边|驾驶座)(?:的|那(?:盏|个)?)?(?:小|照明|阅读)?灯|车内照明|阅读灯|顶灯|内饰灯|厢灯"
_BARE_ZH: Final = r"(?:个|盏|小)?灯"
_OTHER_ZH: Final = (
    r"大灯|头灯|近光|远光|雾灯|双闪|危险|转向|尾灯|刹车灯|示宽|日行|氛围|气氛|情调|灯带|灯条|彩灯|故障|警告|红灯|绿灯|黄灯|红绿|路灯|台灯|客厅|卧室|厨房|家里|屋|楼|颜色|亮度|提亮|太暗|点暗|亮一点|暗一点|亮点|暗点|调[亮暗]|"
    r"手电|红色|蓝色|绿色|紫色|白色|黄色|粉|橙|闪|车灯|前灯|(?<![左右])后灯|外面|车外|脚窝|门灯|灯泡|灯光秀|后备|牌照|脚底|示廓|灯都|灯光"
)
_NOT_OURS: Final = re.compile(
    r"\b(?:head ?(?:lights?|lamps?)|fog (?:lights?|lamps?)|fogs|beams?|hazards?|brake lights?|tail ?lights?|(?:rear|back|front) (?:lights?|lamps?)|indicators?|blinkers?|turn signals?|flashers?|parking lights?|side ?lights?|running lights?|"
    r"daytime (?:lights?|running)|warning|dash(?:board)?|engine light|instrument\w*|number plate|licen[sc]e plate|outside|outdoors?|exterior|external)\b|"
    r"大灯|头灯|近光|远光|雾灯|双闪|危险|转向|尾灯|刹车灯|示宽|示廓|日行|故障|警告|警示|前灯|后(?:车)?灯|(?<!内)车灯|外面的?灯|车外|牌照|仪表|方向灯"
)
"""Lamps that are no skill's."""
_LAMP: Final = re.compile(r"\b(?:lights?|lamps?|lighting)\b|灯")
ONE_LIGHT: Final = {
    "en": "There is one cabin light for the front and the back. Shall it be on or off?",
    "zh": "前后排是同一盏车内灯。要开还是要关？",
}
_ON_EN: Final = r"on|light up|illuminate|need|give|have|start|enable|activate"
_OFF_EN: Final = r"off|out|kill|douse|no more|disable|deactivate|extinguish|stop"
_ON_ZH: Final = r"打开|开启|点亮|点上|亮起来|开(?!着|了没)|亮(?!着|了|不)|on"
_OFF_ZH: Final = r"关(?!着|了没)|灭|熄|别亮|off"
_TAKEN_EN: Final = r"turn|switch|put|flick|knock|shut|get|rid|passenger|driver|passengers|drivers|side|rear|kids?|minute|only|seat|read|reading|lights?|lamps?|leave|want|quickly"
_TAKEN_ZH: Final = (
    r"后排|前排|副驾驶?|主驾驶?|右后|左后|左边?|右边?|座|的|盏|照明|小|掉|上|起来|闭|看|找|所有|都|全|东西|太黑|黑|麻烦|咗佢"
)
_STARTS_EN: Final = re.compile(
    r"(?:turn|switch|put|flick|knock|shut|get|kill|douse|light|illuminate|give|need|have|no more|disable|enable|deactivate|activate|extinguish|leave|want|start|stop|on|off)\b"
)


def recognise(text: str, locale: str, context: Context) -> Match | None:
    reading = Reading(text, locale)
    if tells(reading) or reading.has(_OTHER_ZH if reading.zh else _OTHER_EN):
        return None
    named = reading.take(_NAMED_ZH if reading.zh else _NAMED_EN)
    bare = named or reading.take(
        _BARE_ZH if reading.zh else rf"{_BARE_EN}|light up the (?:cabin|inside|interior)|illuminate the (?:cabin|inside|interior)"
    )
    if bare is None:
        return None
    on = reading.take(_ON_ZH if reading.zh else _ON_EN)
    off = reading.take(_OFF_ZH if reading.zh else _OFF_EN)
    if not reading.zh and not _commands(reading.core, named is not None):
        return None
    state = off or on or (named if not reading.zh and named is not None and reading.frame.polite else None)
    if state is None:
        return None
    reading.take(_TAKEN_ZH if reading.zh else _TAKEN_EN)
    take_places(reading)
    return Match(CABIN, reading.score(0.93 if named is not None else 0.86), {"on": off is None}, {"on": state.group()})


def _commands(core: str, named: bool) -> bool:
    """In the form of a request: it begins with a verb, or is nothing but the light and its state."""
    if _STARTS_EN.match(core) is not None:
        return True
    light = rf"(?:the |my |that |a )?(?:back seat |rear seat |passenger |passengers )?(?:{_NAMED_EN}|{_BARE_EN})"
    state = r"(?: (?:on|off|out)(?: (?:in here|on the \w+(?: side)?|only for a minute|for a minute|in the (?:back|front)))?)"
    return re.fullmatch(rf"{light}{state}{'?' if named else ''}", core) is not None


def _not_ours(meant: Meant) -> bool:
    """Another lamp is named, here or, where it is only "it", ahead: "the light on the dashboard, turn it off"."""
    if re.search(_NAMED_ZH if meant.zh else rf"\b(?:{_NAMED_EN})\b", meant.form):
        return False
    words = meant.form if _LAMP.search(meant.form) else f"{plain(meant.ahead, meant.locale)} {meant.form}"
    return _NOT_OURS.search(words) is not None


def understand(meant: Meant) -> tuple[Match, ...]:
    if _not_ours(meant):
        return ()
    if meant.variant in ("on", "off"):
        return (meant.match(CABIN, {"on": meant.variant == "on"}, {"on": meant.form}),)
    if meant.variant != FRAGMENT or not is_recent(meant.context, CABIN):
        return ()
    on = re.search(_ON_ZH if meant.zh else r"\bon\b", meant.form)
    off = re.search(_OFF_ZH if meant.zh else r"\b(?:off|out)\b", meant.form)
    if (on is None) == (off is None):
        return ()
    return (meant.match(CABIN, {"on": off is None}, {"on": meant.form}),)


_FRONT_BACK: Final = (re.compile(r"\b(?:front)\b|前"), re.compile(r"\b(?:back|rear)\b|后"))
_ON_OFF: Final = (re.compile(r"\bon\b|打?开|点亮"), re.compile(r"\b(?:off|out)\b|关|熄"))


def doubt(words: str, locale: str, match: Match | None) -> Doubt | None:
    """On in one row and off in the other: there is one light for both."""
    form = plain(words, locale)
    if match is None or match.missing or not all(one.search(form) for one in (*_FRONT_BACK, *_ON_OFF)) or not _LAMP.search(form):
        return None
    known = Match(CABIN, match.score, missing=("on",), question=ONE_LIGHT[language(words, locale)])
    return Doubt(known.question, known)
