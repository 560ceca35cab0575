"""The places that the first slice knows: demonstration data of our own, invented around one invented town. No real business.

Does not know roads: distances are straight lines.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from ridealong.harness.slots.text import has_chinese, plain
from ridealong.harness.sound import edit_distance
from ridealong.harness.whereabouts import distance_km

CENTRE: Final = (48.137, 11.575)
"""Of the town: degrees north and east. Where simulated cars stand that are told nothing else."""


@dataclass(frozen=True, slots=True)
class KnownPlace:
    """`kind` groups places of which one may ask for the nearest. `names` are plain forms."""

    key: str
    kind: str
    english: str
    chinese: str
    latitude: float
    longitude: float
    names: tuple[str, ...]
    power_kw: int = 0
    price_cents: int = 0


PLACES: tuple[KnownPlace, ...] = (
    KnownPlace("home", "home", "home", "家", 48.1231, 11.5402, ("home", "my place", "my house", "house", "家", "家里", "我家")),
    KnownPlace("work", "work", "work", "公司", 48.1418, 11.6013, ("work", "office", "my office", "the office", "my work", "workplace", "公司", "单位", "办公室")),
    KnownPlace("airport", "airport", "the airport", "机场", 48.3538, 11.7861, ("airport", "the airport", "departures", "airport terminal", "terminal", "机场", "飞机场", "航站楼")),
    KnownPlace("central_station", "station", "the central station", "火车站", 48.1402, 11.5580, ("central station", "main station", "train station", "railway station", "station", "central railway station", "main train station", "火车站", "中央车站", "总站", "高铁站", "车站")),
    KnownPlace("city_hall", "city_hall", "the city hall", "市政厅", 48.1374, 11.5755, ("city hall", "town hall", "市政厅", "市政府")),
    KnownPlace("city_centre", "centre", "the city centre", "市中心", 48.1371, 11.5754, ("city centre", "city center", "town centre", "downtown", "centre", "center", "middle of town", "town", "市中心", "城里", "市区")),
    KnownPlace("hospital", "hospital", "the hospital", "医院", 48.1330, 11.5990, ("hospital", "emergency room", "the er", "clinic", "医院", "急诊")),
    KnownPlace("university", "university", "the university", "大学", 48.1507, 11.5806, ("university", "campus", "college", "大学", "学校")),
    KnownPlace("museum", "museum", "the museum", "博物馆", 48.1299, 11.5834, ("museum", "science museum", "博物馆", "科技馆")),
    KnownPlace("park", "park", "the park", "公园", 48.1525, 11.5920, ("park", "central park", "city park", "公园")),
    KnownPlace("stadium", "stadium", "the stadium", "体育场", 48.2188, 11.6247, ("stadium", "football stadium", "arena", "体育场", "体育馆")),
    KnownPlace("mall", "mall", "the shopping centre", "购物中心", 48.1835, 11.5340, ("shopping centre", "shopping center", "mall", "shopping mall", "购物中心", "商场", "商城")),
    KnownPlace("supermarket", "supermarket", "the supermarket", "超市", 48.1266, 11.5480, ("supermarket", "grocery store", "grocery", "groceries", "超市")),
    KnownPlace("pharmacy", "pharmacy", "the pharmacy", "药店", 48.1290, 11.5530, ("pharmacy", "chemist", "drugstore", "药店", "药房")),
    KnownPlace("hotel", "hotel", "the hotel", "酒店", 48.1395, 11.5660, ("hotel", "my hotel", "our hotel", "酒店", "宾馆", "旅馆")),
    KnownPlace("harbour", "harbour", "the harbour", "码头", 48.0890, 11.5350, ("harbour", "harbor", "port", "ferry", "码头", "港口")),
    KnownPlace("car_park_north", "parking", "the north car park", "北停车场", 48.1450, 11.5740, ("north car park", "car park", "parking lot", "parking", "parking garage", "parking space", "park and ride", "停车场", "北停车场", "停车位", "车库")),
    KnownPlace("car_park_south", "parking", "the south car park", "南停车场", 48.1280, 11.5700, ("south car park", "南停车场")),
    KnownPlace("fuel_ring", "fuel", "the petrol station on the ring road", "环路加油站", 48.1300, 11.5500, ("petrol station", "gas station", "fuel station", "service station", "filling station", "加油站", "环路加油站")),
    KnownPlace("charge_mill", "charging", "the charging station at Mill Lane", "磨坊路充电站", 48.1290, 11.5610, ("charging station", "charger", "charging point", "ev charger", "charge point", "mill lane charging station", "mill lane", "充电站", "充电桩", "磨坊路充电站"), 50, 49),
    KnownPlace("charge_east", "charging", "the East Gate charging park", "东门充电站", 48.1400, 11.6220, ("east gate charging park", "east gate", "east gate charging station", "东门充电站", "东门"), 300, 69),
    KnownPlace("charge_lake", "charging", "the Lakeside charging station", "湖畔充电站", 48.0870, 11.5790, ("lakeside charging station", "lakeside", "湖畔充电站", "湖畔"), 150, 39),
)  # fmt: skip

_BY_NAME = {
    plain(name, "zh" if has_chinese(name) else "en"): place
    for place in PLACES
    for name in (place.english, place.chinese, *place.names)
}


def find(name: str, latitude: float | None = None, longitude: float | None = None) -> KnownPlace | None:
    """The place of that name after folding; "nearest …" picks the nearest of its kind where the position is known.

    One slip of a recogniser is forgiven on long names; nothing else is: an unknown name has no place."""
    zh = has_chinese(name)
    form = plain(name, "zh" if zh else "en")
    bare = (
        re.sub(r"^(?:最近的|附近的|离我最近的|最近|附近)(?:一个|一家|的)?|(?:那里|那儿|那边)$", "", form)
        if zh
        else _bare_en(form)
    )
    nearest = (
        re.search(r"最近|附近" if zh else r"\b(?:nearest|closest|nearby|next|close by|around here|near me)\b", form) is not None
    )
    place = _BY_NAME.get(form) or _BY_NAME.get(bare)
    if place is None and not zh and len(bare) >= 6:
        place = next(
            (
                p
                for known, p in _BY_NAME.items()
                if not has_chinese(known) and len(known) >= 6 and edit_distance(known, bare) == 1
            ),
            None,
        )
    if place is None and not zh and bare.endswith("s"):
        place = _BY_NAME.get(bare[:-1])
    if place is None:
        return None
    if form in _names_of_its_own(place):
        return place
    alike = [p for p in PLACES if p.kind == place.kind]
    if len(alike) > 1 and latitude is not None and longitude is not None and (nearest or bare == place.names[0]):
        return min(alike, key=lambda p: distance_km(latitude, longitude, p.latitude, p.longitude))
    return place


def _names_of_its_own(place: KnownPlace) -> tuple[str, str, str]:
    """What names this one and no other of its kind."""
    english = plain(place.english, "en")
    return english, english.removeprefix("the "), plain(place.chinese, "zh")


def _bare_en(form: str) -> str:
    form = re.sub(
        r"^(?:the |a |an |my |our |some |any )*(?:nearest|closest|next|nearby|cheapest|fastest|closest available|local)? ?(?:available )?",
        "",
        form,
    )
    return re.sub(r" (?:nearby|near me|near here|around here|close by|on the way|in town)$", "", form)


def at(latitude: float, longitude: float) -> KnownPlace | None:
    """The place that is there, within eleven metres."""
    return next((p for p in PLACES if abs(p.latitude - latitude) < 1e-4 and abs(p.longitude - longitude) < 1e-4), None)


def of_kind(kind: str) -> tuple[KnownPlace, ...]:
    return tuple(place for place in PLACES if place.kind == kind)


__all__ = ["PLACES", "KnownPlace", "at", "distance_km", "find", "of_kind"]
