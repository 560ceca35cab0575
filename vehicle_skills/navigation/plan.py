"""Navigation: words -> a named destination, a search, a question where something is. Pure.

Does not know roads or traffic. Of places it knows the demonstration town alone: a name of it is surer to be one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from ridealong.harness.reading import Reading
from ridealong.harness.skill import Context, Match
from ridealong.harness.slots import render
from ridealong.harness.slots.place import find_place
from ridealong.harness.slots.text import has_chinese
from ridealong.vehicle_skills.car import Read, is_recent, number, text
from ridealong.vehicle_skills.navigation.gazetteer import KnownPlace, distance_km, find, of_kind
from ridealong.vehicle_skills.navigation.geocoder import Located
from ridealong.vehicle_skills.navigation.there import PLACE, PRONOUNS, find_and_go, recognise_there
from ridealong.vehicle_skills.signals import DISTANCE_UNIT, LATITUDE, LONGITUDE

CHARGING = "charging"
"""The kind of place that there is a search for."""
SET, SEARCH, WHERE = "navigation.set_destination", "navigation.charging_search", "navigation.where_is"

_CHARGING_EN = r"charging (?:stations?|points?|parks?|stops?)|charge points?|chargers?|ev chargers?|superchargers?|charging|somewhere to charge|place to charge|plug in"
_CHARGING_ZH = r"充电(?:站|桩|点|的地方)|充电"


_AN_ORDER = re.compile(
    r"(?:(?:and|then|also|please) )*(?:turn|switch|open|close|shut|set|put|play|call|ring|remind|lock|unlock|heat|warm|cool|roll|wind|mute|tell|read|raise|lower|stop|pause|skip) "
)
"""Of "take me home and turn on the heating" the second half is no place."""
SAID_OFF = re.compile(r"(?<![要能是])(?:不|甭|没)(?:再|想|打算|用|要|准备|能)*(?:去|到|导航)[^,，。去到回导]+$")
"""我们不去超市了: no destination, and nothing behind it that would be one."""


def recognise_set(text_: str, locale: str, context: Context) -> Match | None:
    reading = Reading(text_, locale)
    recent = is_recent(context, "navigation.set")
    if recognise_search(text_, locale, context) is not None:
        return None
    if (there := recognise_there(reading, context, 0.93)) is not None:
        return there
    if (name := find_and_go(reading)) and (goal := find(name)) is not None and goal.kind != CHARGING:
        return Match(SET, 0.9, {"place": name}, {"place": name})
    place = find_place(reading.core, reading.locale)
    if place is not None and place.name in PRONOUNS:
        return None
    strong = re.search(
        r"导航|带我|送我|目的地|规划"
        if reading.zh
        else r"\b(?:navigate|navigation|directions?|destination|route|drive|take (?:me|us)|guide|way to)\b",
        reading.core,
    )
    if place is None and reading.frame.correction is not None and recent:
        name = (
            re.sub(r"^(?:to |the |take me to |navigate to |go to )+", "", reading.frame.correction)
            if not reading.zh
            else re.sub(r"^(?:去|到|导航到)", "", reading.frame.correction)
        )
        if not name or len(name.split()) > 5 or find(name) is None:
            return None
        return Match(SET, 0.85, {"place": name}, {"place": name})
    if place is None:
        if not reading.zh and (
            m := re.fullmatch(r"(?:find|get|show)(?: me| us)? (?:the |a |an )?((?:nearest|closest) .+)", reading.core)
        ):
            return Match(SET, 0.8 if find(m.group(1)) else 0.5, {"place": m.group(1)}, {"place": m.group(1)})
        if not reading.zh and re.fullmatch(
            r"(?:start |begin )?(?:navigate|navigation|navigating)|set (?:a |the )?(?:destination|route)", reading.core
        ):
            return Match(SET, 0.8, missing=("place",), question="Where to?")
        if reading.zh and re.fullmatch(r"(?:打开|开始|启动)?导航|设置?目的地", reading.core):
            return Match(SET, 0.8, missing=("place",), question="要去哪里？")
        return None
    known = find(place.name) is not None
    if reading.zh:
        if re.search(r"导航|取消|停止|结束", place.name) or SAID_OFF.search(reading.frame.text):
            return None
        if re.search(r"怎么(?:去|走|到)", reading.frame.text) and not known:
            return None
        base = 0.95 if strong and known else 0.86 if strong else 0.8 if known else 0.0
        if not strong and not re.match(
            r"(?:继续)?(?:去|到|开去|开到|前往|去往|我|我们|咱们|回家)", reading.frame.correction or reading.frame.text
        ):
            base = 0.0
        return Match(SET, base, {"place": place.name}, {"place": place.name}) if base and len(place.name) <= 16 else None
    starts = re.match(
        r"(?:navigate|take|drive|bring|get|guide|direct|route|lead|set|change|make|put|let|go|head|start|plot|plan|give|find|show|we|i|want|need|how|destination|directions|to|have|continue|carry|proceed|resume)\b",
        reading.core,
    )  # fmt: skip
    if starts is None or len(place.name.split()) > 7 or (not known and _AN_ORDER.match(place.name) is not None):
        return None
    base = 0.95 if strong and known else 0.86 if strong else 0.8 if known else 0.0
    if re.match(r"(?:we|i) ", reading.core) and not known:
        base = 0.0
    return Match(SET, base, {"place": place.name}, {"place": place.name}) if base else None


def recognise_search(text_: str, locale: str, context: Context) -> Match | None:
    """A search compares places; a plain "navigate to the nearest charging station" is a destination."""
    reading = Reading(text_, locale)
    charging = reading.take(_CHARGING_ZH if reading.zh else _CHARGING_EN)
    if charging is None:
        return None
    if re.search(
        r"^导航|带我去|电量|充满|充电口|充电吗"
        if reading.zh
        else r"\b(?:navigate|take (?:me|us)|drive (?:me|us)?|directions|destination|phone|battery|is the car|are we|port|cable|cost of)\b",
        reading.core,
    ):
        return None
    prefer, ground = "nearest", "default:nearest"
    for name, pattern in PREFERENCES_ZH.items() if reading.zh else PREFERENCES_EN.items():
        if (m := reading.take(pattern)) is not None:
            prefer, ground = name, m.group()
            break
    verb = reading.take(
        r"找找?|搜索?|查找?|查询|看看|有没有|有哪些|哪里有|哪儿有|哪里|附近|沿途|沿路|路上|哪个|哪家|推荐|比较|对比"
        if reading.zh
        else r"find|search(?: for)?|look(?:ing)?(?: for| up)?|where is|where are|where can i|which|compare|check(?: for)?|locate|recommend|get|are there|is there|what is|need|want|show|i would like"
    )
    if verb is None:
        return None
    reading.take(
        r"一个|一家|便宜|的|最近|什么|我们|前面|个|家|价格"
        if reading.zh
        else r"along|route|way|nearby|near|me|here|ahead|any|best|price|prices|for|close|by|ones|while we drive|background|available|off|highway|motorway|next"
    )
    if not reading.zh and not re.match(
        r"(?:find|search|look|where|which|compare|check|locate|recommend|get|are|is|what|need|want|show|a|any|the|charging|some)\b",
        reading.core,
    ):
        return None
    return Match(SEARCH, reading.score(0.92), {"prefer": prefer}, {"prefer": ground})


PREFERENCES_EN = {
    "cheapest": r"cheap(?:est|er)?|lowest price|least expensive|best price|inexpensive|affordable",
    "fastest": r"fast(?:est|er)?|quick(?:est)?|rapid|high[- ]power(?:ed)?|ultra ?fast|powerful|most powerful",
    "nearest": r"nearest|closest|nearby|next",
}
PREFERENCES_ZH = {
    "cheapest": r"最?便宜|最低价|价格最低|划算|实惠",
    "fastest": r"最快|快充|功率最大|快速",
    "nearest": r"最近|附近|离我最近",
}


def position(read: Read) -> tuple[float, float] | None:
    latitude, longitude = number(read, LATITUDE), number(read, LONGITUDE)
    return (latitude, longitude) if latitude is not None and longitude is not None else None


def found(place: KnownPlace, locale: str) -> dict[str, object]:
    """What a search gives to "… and take me there": a name by which `find` knows this very place."""
    return {PLACE: name(place, locale)}


def name(place: KnownPlace, locale: str) -> str:
    return place.chinese if locale.startswith("zh") else place.english


def unknown_sentence(asked: str, locale: str) -> str:
    if locale.startswith("zh"):
        return f"在我的地点里找不到{asked}。"
    article = "" if has_chinese(asked) or re.match(r"(?:the|my|a) ", asked) else ""
    return f"I can't find {article}{asked} in my places."


def how_far(place: KnownPlace, read: Read, locale: str) -> str:
    """ "3.2 kilometres away in a straight line", or nothing when the position is unknown."""
    here = position(read)
    if here is None:
        return ""
    km = distance_km(*here, place.latitude, place.longitude)
    if km > 500:
        return ""  # the demonstration town is nowhere near
    far = render.distance(km, locale, text(read, DISTANCE_UNIT) or "KILOMETERS")
    return f"，直线距离{far}" if locale.startswith("zh") else f", {far} away in a straight line"


def best_charger(prefer: str, read: Read) -> KnownPlace | None:
    """None where the nearest is asked for and nobody knows where the car is."""
    stations = of_kind(CHARGING)
    here = position(read)
    if prefer == "cheapest":
        return min(stations, key=lambda p: p.price_cents)
    if prefer == "fastest":
        return max(stations, key=lambda p: p.power_kw)
    return min(stations, key=lambda p: distance_km(*here, p.latitude, p.longitude)) if here is not None else None


def nowhere_sentence(locale: str) -> str:
    """The nearest to what?"""
    if locale.startswith("zh"):
        return "我不知道我们在哪里，说不出哪个充电站最近。"
    return "I don't know where we are, so I can't say which charging station is nearest."


def search_sentence(place: KnownPlace, prefer: str, read: Read, locale: str) -> str:
    far = how_far(place, read, locale)
    if locale.startswith("zh"):
        kind = {"cheapest": "最便宜的", "fastest": "最快的", "nearest": "最近的"}[prefer]
        return f"充电站查到了：{kind}是{place.chinese}，{place.power_kw}千瓦，每度{place.price_cents / 100:.2f}{far}。"
    return f"About the charging stations: the {prefer} is {place.english.removeprefix('the ')}, {place.power_kw} kilowatts at {place.price_cents} cents{far}."


def search_name(arguments: Mapping[str, object], locale: str) -> str:
    """What the search is called, to finish "I've cancelled …"."""
    prefer = str(arguments.get("prefer", "nearest"))
    if locale.startswith("zh"):
        return f"对{ {'cheapest': '最便宜', 'fastest': '最快'}.get(prefer, '最近') }的充电站的搜索"
    return f"the search for the {prefer} charging station"


_WHERE_EN = re.compile(
    r"(?:where is|where are|where can (?:i|we) find|how far is(?: it to)?|how far away is|how far to|is there|are there|do you know)(?: the| a| an| any)? (.+?)(?: (?:from here|away|around here|nearby|near here|close by))?"
)
_WHERE_ZH = re.compile(
    r"(?:(.+?)(?:在哪里?儿?|有多远|离(?:这里?|这儿|我们?|咱们?)(?:有)?多远|多远)|(?:附近|这里|这附近)?(?:哪里|哪儿)有(.+)|(?:离|到)(.+?)(?:还)?(?:有)?多远|附近有没有(.+)|附近有(.+))"
)


def recognise_where(text_: str, locale: str, context: Context) -> Match | None:
    """Only for places that are known: "where is my phone" is no question about the map."""
    reading = Reading(text_, locale)
    if not reading.frame.question or recognise_search(text_, locale, context) is not None:
        return None
    form = reading.frame.text if reading.zh else reading.core
    form = re.sub(r"^(?:帮我|给我|请|先)*(?:查|看|找|搜)(?:一下|下|看|查)?|[吗呢啊]$", "", form)
    m = (_WHERE_ZH if reading.zh else _WHERE_EN).fullmatch(form)
    name = next((group for group in m.groups() if group), "") if m is not None else ""
    if not name or find(name) is None:
        return None
    return Match(WHERE, 0.86, {"place": name}, {"place": name})


def where_sentence(place: Located, called: str, read: Read, locale: str) -> str:
    """`called`: with its country where that says more."""
    here = position(read)
    km = distance_km(*here, place.latitude, place.longitude) if here is not None else None
    if km is None or (km > 500 and called == (place.chinese if locale.startswith("zh") else place.english)):
        return (
            f"我认识{called}，但不知道我们在哪里。"
            if locale.startswith("zh")
            else f"I know {called}, but not how far it is from here."
        )
    far = render.distance(km, locale, text(read, DISTANCE_UNIT) or "KILOMETERS")
    if locale.startswith("zh"):
        return f"{called}离这里直线{far}。"
    return f"{called[0].upper()}{called[1:]} is {far} away in a straight line."
