"""Which signal of the car a standing request means: words -> topic, comparison, limit -> a condition, and its sentences. Pure.

Limits are kept in the signal table's units. A car that does not report a signal cannot be watched for it, and things that have no signal
in our table (rain, engine temperature …) are named as such. Arrival is derived: metres from here to the destination that is set.
Does not know how readings arrive, nor who watches.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from ridealong.harness.skill import Context
from ridealong.harness.slots import render
from ridealong.harness.slots.number import Number, find_numbers
from ridealong.harness.slots.temperature import celsius_from_fahrenheit
from ridealong.harness.slots.zone import SEATS, ZONES, find_zone, resolve, zone_name
from ridealong.harness.standing import Compare, SignalIs
from ridealong.proto.types import SignalReading
from ridealong.vehicle_skills.car import Read, drive_side, number, speaker, temperature_unit, text, which_side
from ridealong.vehicle_skills.signals import (
    BATTERY_LEVEL,
    BATTERY_RANGE,
    CABIN_TEMPERATURE,
    DESTINATION_LATITUDE,
    DESTINATION_LONGITUDE,
    DISTANCE_UNIT,
    FUEL_LEVEL,
    FUEL_RANGE,
    LATITUDE,
    LONGITUDE,
    OUTSIDE_TEMPERATURE,
    PARKING_BRAKE,
    SPEED,
    TOTAL_RANGE,
    TRUNK_OPEN,
    door_open,
    tyre_pressure,
    window_position,
)
from ridealong.vehicle_skills.status import plan as status

DISTANCE_TO_GO: Final = "Derived.DistanceToDestination"
"""Metres as the crow flies; made by `look`, no signal of the car."""
NEAR_M: Final = 150.0
LOW_PERCENT: Final = 15.0
LOW_KPA: Final = 200.0
SHUT_PERCENT: Final = 3
KPA_PER_PSI: Final = 6.894757


@dataclass(frozen=True, slots=True)
class Topic:
    """`english` and `chinese` must be found in the clause. `paths`: the first that the car reports, or all of a group."""

    name: str
    english: str
    chinese: str
    paths: tuple[str, ...]
    unit: str
    clear_by: float = 0.0
    hold_ms: int = 0


_WHEELS = tuple(tyre_pressure(axle, side) for axle in ("Row1", "Row2") for side in ("Left", "Right"))
_SEATS = tuple((f"Row{row}", f"{role.capitalize()}Side") for row, role in SEATS["all"])

TOPICS: Final[tuple[Topic, ...]] = (
    Topic("tyres", r"(?:tyre|tire)s?(?: pressures?)?", r"胎压|轮胎", _WHEELS, "kPa", 10.0),
    Topic("range", r"range|(?:kilomet\w+|km|miles?)(?: of range)? (?:left|remaining|to empty)|can (?:only |still )?(?:go|drive)", r"续航|还能(?:开|跑)|剩余里程", (TOTAL_RANGE, BATTERY_RANGE, FUEL_RANGE), "m", 2000.0),
    Topic("battery", r"battery|(?:state of )?charge(?:d)?|car is (?:full|charged)", r"电量|电池|(?:剩|还有).*电|电(?=低|剩|只)|充(?:到|满)", (BATTERY_LEVEL,), "percent", 2.0),
    Topic("fuel", r"fuel|tank|petrol|gas(?:oline)?|diesel", r"油量|油箱|汽油|(?:剩|还有).*油|油(?=低|剩|只)", (FUEL_LEVEL,), "percent", 2.0),
    Topic("outside", r"(?:outside|outdoors|out there|exterior)(?: air)?(?: temperature)?|outdoor temperature|freezing", r"外面|车外|室外|气温|户外", (OUTSIDE_TEMPERATURE,), "celsius", 1.0),
    Topic("cabin", r"cabin(?: temperature)?|inside temperature|(?:inside|in here|in the car)|temperature", r"车内|车里|里面|座舱|车厢|温度", (CABIN_TEMPERATURE,), "celsius", 1.0),
    Topic("doors", r"doors?", r"车?门(?!口)", (), "open"),
    Topic("windows", r"windows?", r"车?窗户?|车玻璃", (), "open"),
    Topic("trunk", r"boot|trunk|tailgate|hatch", r"后备[箱厢]|尾门|行李[箱厢]", (TRUNK_OPEN,), "flag"),
    Topic("brake", r"(?:parking |hand ?)brake", r"手刹|驻车", (PARKING_BRAKE,), "flag"),
    Topic("arrival", r"(?:we|i) (?:arrive|have arrived|get there|are there|are (?:nearly|almost) there|get home|reach (?:the|our) (?:destination|goal))|(?:from|to) (?:the|our) destination|arriv\w+", r"^到了?$|到达|抵达|(?:快|就|要)到了?|目的地", (DISTANCE_TO_GO,), "m", 300.0),
    Topic("speed", r"(?:our |my |the |car )*speed(?! limit| camera)|(?:we|i|the car) (?:are |am |is )?(?:go|going|goes|drive|driving|drives|do|doing|travel\w*|get|slow\w*)|faster|slower|speeding", r"车速|时速|速度|开得|开到|跑到", (SPEED,), "speed", 5.0, 1_000),
    Topic("motion", r"(?:we|i|the car) (?:have |has |come to a |are |is )?(?:stop(?:s|ped)?|stand(?:s|ing)?(?: still)?|halt|start(?:s|ed)? (?:moving|driving|to move)|set off|move|moving|moves|drive off)", r"(?:车|我们)?(?:停下|停了|停车|停住|启动|开动|动起来|起步|出发)", (SPEED,), "motion", 3.0, 1_500),
)  # fmt: skip
BY_NAME: Final[Mapping[str, Topic]] = {topic.name: topic for topic in TOPICS}

UNKNOWN: Final[tuple[tuple[str, str, str, str], ...]] = (
    (r"\b(?:rain(?:s|ing)?|snow(?:s|ing)?|wipers?)\b", r"下雨|下雪|雨刷", "rain", "下雨"),
    (r"\b(?:engine|oil|coolant)\b", r"发动机|机油|水温", "the engine", "发动机"),
    (r"\bseat ?belts?\b", r"安全带", "the seat belts", "安全带"),
    (r"\b(?:washer fluid|washer)\b", r"玻璃水", "the washer fluid", "玻璃水"),
    (r"\b(?:lock(?:s|ed)?|unlock(?:s|ed)?)\b", r"锁", "the locks", "车锁"),
    (r"\bspeed limit\b", r"限速", "the speed limit", "限速"),
    (r"\btraffic lights?\b|\blights? (?:turns?|goes?) green\b", r"红绿灯|绿灯", "traffic lights", "红绿灯"),
)
"""What people ask for and no signal of ours shows: English, Chinese, and its names."""

TESTS: Final = ("below", "above", "down_to", "up_to", "open", "closed", "stopped", "moving", "on", "off")
_BELOW_EN = r"below|under|less than|lower than|beneath|(?:drops?|falls?|sinks?|goes|gets?) (?:below|under)|slower than|colder than|cooler than"
_ABOVE_EN = r"above|over|more than|higher than|greater than|exceeds?|faster than|warmer than|hotter than|past|beyond"
_DOWN_EN = r"(?:down|drops?|falls?|sinks?) to|(?:only |just )?(?=[\w. ]* (?:left|remaining)\b)"
_UP_EN = r"up to|(?:rises?|climbs?) to"
_AT_EN = r"reach(?:es)?|hits?|gets? to|comes? to|is(?: at)?|are at|at"
_BELOW_ZH = r"低于|小于|少于|不到|不足|以下"
_ABOVE_ZH = r"高于|大于|超过|多于|超出|以上|快过"
_DOWN_ZH = r"降到|掉到|降至|只剩|剩下?|还有"
_UP_ZH = r"升到|升至|充到|达到|涨到"
_OPEN = r"\bopen(?:s|ed)?\b|\bnot (?:closed|shut)\b|打开|开了|开着|被?开"
_CLOSED = r"\bclose(?:s|d)?\b|\bshuts?\b|关上|关了|关好|关闭|关"


@dataclass(frozen=True, slots=True)
class Found:
    """`arguments` with their grounds, or a `question`, or the name of something that no signal shows (`unknown`)."""

    arguments: Mapping[str, object]
    grounds: Mapping[str, str]
    question: str = ""
    unknown: str = ""


class CarSignals:
    """What harness.skills.watch asks about the car. Stateless."""

    tests = TESTS
    topics = tuple(topic.name for topic in TOPICS)
    zones = ZONES

    def find(self, clause: str, locale: str, context: Context) -> Found | None:
        """What the clause of a standing request means in terms of the car, None when it is not about the car."""
        zh = locale == "zh"
        for english, chinese, name_en, name_zh in UNKNOWN:
            if re.search(chinese if zh else english, clause):
                return Found({}, {}, unknown=name_zh if zh else name_en)
        for topic in TOPICS:
            said = re.search(topic.chinese if zh else rf"\b(?:{topic.english})\b", clause)
            if said is not None and (found := _read(topic, said.group(), clause, locale, context)) is not None:
                return found
        return None

    def condition(self, arguments: Mapping[str, object], read: Read) -> SignalIs:
        topic, test, zone = BY_NAME[str(arguments["topic"])], str(arguments["test"]), str(arguments.get("zone", ""))
        condition = replace(_condition(topic, test, arguments.get("limit")), topic=topic.name, zone=zone)
        return replace(condition, paths=_paths(topic, zone, read))

    def look(self, paths: Iterable[str], read: Read) -> dict[str, SignalReading]:
        """The present readings of these paths, derived ones included."""
        found = {}
        for path in paths:
            reading = _distance(read) if path == DISTANCE_TO_GO else read(path)
            if reading is not None and reading.value is not None:
                found[path] = reading
        return found

    def subject(self, arguments: Mapping[str, object], locale: str, read: Read) -> str:
        """What is waited for, as a clause, from the values that are watched for."""
        return _subject(arguments, "zh" if locale.startswith("zh") else "en", read)

    def evidence(self, condition: SignalIs, locale: str, read: Read) -> str:
        """What the car shows now, as one sentence."""
        return _evidence(condition, locale, read)

    def name(self, topic: str, locale: str) -> str:
        return _NAMES[topic][1 if locale.startswith("zh") else 0]


_NAMES: Final[Mapping[str, tuple[str, str]]] = {
    "tyres": ("the tyre pressures", "胎压"), "range": ("the range", "续航"), "battery": ("the battery", "电量"), "fuel": ("the fuel", "油量"),
    "outside": ("the outside temperature", "车外温度"), "cabin": ("the cabin temperature", "车内温度"), "doors": ("the doors", "车门"),
    "windows": ("the windows", "车窗"), "trunk": ("the boot", "后备箱"), "brake": ("the parking brake", "手刹"),
    "arrival": ("our way to a destination", "到目的地的距离"), "speed": ("our speed", "车速"), "motion": ("our speed", "车速"),
}  # fmt: skip


# --- words -> arguments ----------------------------------------------------------------------------------------------


def _read(topic: Topic, said: str, clause: str, locale: str, context: Context) -> Found | None:
    zh = locale == "zh"
    grounds = {"topic": said}
    if topic.unit in ("open", "flag"):
        return _opening(topic, clause, locale, context, grounds)
    if topic.unit == "motion":
        stops = re.search(r"\b(?:stop\w*|stand\w*|halt)\b|停", clause)
        test = "stopped" if stops is not None else "moving"
        return Found({"topic": topic.name, "test": test}, {**grounds, "test": stops.group() if stops else said})
    numbers = [n for n in find_numbers(clause, locale) if not n.ordinal]
    percent = re.search(r"百分之([\d零一二两三四五六七八九十百点]+)", clause) if zh else None
    if percent is not None and not numbers:
        numbers = [Number(n.value, percent.group(), percent.span()) for n in find_numbers(percent.group(1), "zh")]
    if not numbers:
        return _without_number(topic, clause, locale, grounds)
    limit = numbers[-1]
    value = _in_table_unit(topic, limit, clause, context.read)
    if value is None:
        return None
    test, ground = _comparison(topic, clause, value, locale, context.read)
    if not test:
        return None
    arguments = {"topic": topic.name, "test": test, "limit": value}
    return Found(arguments, {**grounds, "test": ground, "limit": limit.words})


def _without_number(topic: Topic, clause: str, locale: str, grounds: dict[str, str]) -> Found | None:
    """ "is low", "is full", "we arrive", "freezing": limits of ours."""
    low = re.search(r"\b(?:low|empty|runs? (?:low|out|down)|flat)\b|没电|没油|快没|不够|太低|偏低|低", clause)
    full = re.search(r"\b(?:full|fully|charged|topped up)\b|满", clause)
    default = "default:usual limit"
    if topic.name == "arrival":
        return Found(
            {"topic": topic.name, "test": "below", "limit": NEAR_M}, {**grounds, "test": "default:near", "limit": "default:150 m"}
        )
    if topic.name == "outside" and (frost := re.search(r"\bfreez\w+\b|结冰|零下", clause)) is not None:
        return Found({"topic": topic.name, "test": "down_to", "limit": 0.0}, {**grounds, "test": frost.group(), "limit": default})
    if topic.name in ("battery", "fuel") and full is not None:
        return Found({"topic": topic.name, "test": "up_to", "limit": 99.0}, {**grounds, "test": full.group(), "limit": default})
    if topic.name in ("battery", "fuel", "tyres") and low is not None:
        limit = LOW_KPA if topic.name == "tyres" else LOW_PERCENT
        return Found({"topic": topic.name, "test": "below", "limit": limit}, {**grounds, "test": low.group(), "limit": default})
    if topic.name in ("battery", "fuel", "speed", "range", "outside", "cabin"):
        question = "到多少的时候告诉您？" if locale == "zh" else "At what value should I tell you?"
        return Found({"topic": topic.name}, grounds, question)
    return None


def _opening(topic: Topic, clause: str, locale: str, context: Context, grounds: dict[str, str]) -> Found | None:
    opened, closed = re.search(_OPEN, clause), re.search(_CLOSED, clause)
    if topic.name == "brake":
        on = re.search(r"\b(?:on|engaged|set|applied|pulled)\b|拉上|拉起", clause)
        off = re.search(r"\b(?:off|released|disengaged)\b|松开|放下", clause)
        opened, closed = on, off
    if opened is None and closed is None:
        return None
    test = ("on" if topic.name == "brake" else "open") if opened is not None else ("off" if topic.name == "brake" else "closed")
    said = opened or closed
    assert said is not None
    arguments: dict[str, object] = {"topic": topic.name, "test": test}
    grounds = {**grounds, "test": said.group()}
    if topic.unit == "flag":
        return Found(arguments, grounds)
    zone = find_zone(clause, locale)
    if zone is None:
        return Found({**arguments, "zone": "all"}, {**grounds, "zone": "default:all"})
    name = resolve(zone, drive_side(context.read), speaker(context))
    if name is None:
        return Found(arguments, grounds, which_side(locale))
    return Found({**arguments, "zone": name}, {**grounds, "zone": zone.words})


def _comparison(topic: Topic, clause: str, limit: float, locale: str, read: Read) -> tuple[str, str]:
    """(test, ground). "at", "reaches": from which side is told by what the car shows now."""
    zh = locale == "zh"
    table = (
        (("below", _BELOW_ZH), ("above", _ABOVE_ZH), ("down_to", _DOWN_ZH), ("up_to", _UP_ZH))
        if zh
        else (("below", _BELOW_EN), ("above", _ABOVE_EN), ("up_to", _UP_EN), ("down_to", _DOWN_EN))
    )
    for test, pattern in table:
        said = re.search(pattern if zh else rf"\b(?:{pattern})", clause)
        if said is not None:
            return test, said.group().strip() or "default:left"
    at = re.search(r"到|达到|是" if zh else rf"\b(?:{_AT_EN})\b", clause)
    if at is None and topic.name != "arrival":
        return "", ""
    known = [value for path in topic.paths if (value := _number(path, read)) is not None]
    towards = "down_to" if topic.name in ("range", "arrival") or (known and known[0] > limit) else "up_to"
    return towards, at.group() if at is not None else "default:near"


def _in_table_unit(topic: Topic, limit: Number, clause: str, read: Read) -> float | None:
    """The limit as the table has it; None where the words name a unit of something else."""
    after = clause[limit.span[1] :]
    miles = re.search(r"\bmiles?\b|\bmph\b|英里", clause) is not None or (
        re.search(r"kilomet|\bkm|\bkph\b|公里|千米", clause) is None and text(read, DISTANCE_UNIT) == "MILES"
    )
    match topic.unit:
        case "percent":
            return limit.value if 0 <= limit.value <= 100 else None
        case "speed":
            return round(limit.value * (render.KM_PER_MILE if miles else 1.0), 1)
        case "m":
            if re.match(r" ?(?:met(?:er|re)s?\b|m\b|米)", after):
                return limit.value
            return round(limit.value * 1000 * (render.KM_PER_MILE if miles else 1.0), 1)
        case "celsius":
            fahrenheit = re.search(r"fahrenheit|华氏", clause) is not None or (
                re.search(r"celsius|摄氏", clause) is None and temperature_unit(read) == "F"
            )
            value = -limit.value if re.match(r"(?: degrees)? below (?:zero|freezing)", after) else limit.value
            return round(celsius_from_fahrenheit(value) if fahrenheit else value, 1)
        case "kPa":
            if re.match(r" ?psi", after):
                return round(limit.value * KPA_PER_PSI, 1)
            return limit.value if limit.value > 10 else round(limit.value * 100, 1)  # bar
        case _:
            return None


def _condition(topic: Topic, test: str, limit: object) -> SignalIs:
    """Without its paths."""
    ajar = topic.name == "windows"
    match test:
        case "open" | "on":
            return SignalIs((), Compare.ABOVE, float(SHUT_PERCENT)) if ajar else SignalIs((), Compare.IS, True)
        case "closed" | "off":
            if ajar:
                return SignalIs((), Compare.BELOW, float(SHUT_PERCENT), all_paths=True)
            return SignalIs((), Compare.IS, False, all_paths=True)
        case "stopped":
            return SignalIs((), Compare.BELOW, 1.0, topic.clear_by, topic.hold_ms)
        case "moving":
            return SignalIs((), Compare.ABOVE, 3.0, topic.clear_by)
    assert isinstance(limit, int | float)
    below = test in ("below", "down_to")
    hair = 1e-3 if test in ("down_to", "up_to") else 0.0  # "down to 20" is true at 20
    value = float(limit) + (hair if below else -hair)
    return SignalIs((), Compare.BELOW if below else Compare.ABOVE, value, topic.clear_by, topic.hold_ms)


# --- readings and sentences ------------------------------------------------------------------------------------------


def _paths(topic: Topic, zone: str, read: Read) -> tuple[str, ...]:
    if topic.name in ("doors", "windows"):
        make = door_open if topic.name == "doors" else window_position
        return tuple(make(f"Row{row}", f"{role.capitalize()}Side") for row, role in SEATS[zone or "all"])
    if topic.name == "range":
        return next(((path,) for path in topic.paths if number(read, path) is not None), topic.paths[:1])
    return topic.paths


def _number(path: str, read: Read) -> float | None:
    if path != DISTANCE_TO_GO:
        return number(read, path)
    derived = _distance(read)
    return float(derived.value) if derived is not None and isinstance(derived.value, int | float) else None


def _distance(read: Read) -> SignalReading | None:
    """Metres to the destination that is set; as old as where we are."""
    here = (number(read, LATITUDE), number(read, LONGITUDE))
    there = (number(read, DESTINATION_LATITUDE), number(read, DESTINATION_LONGITUDE))
    position = read(LATITUDE)
    if None in here or None in there or there == (0.0, 0.0) or position is None:
        return None
    (a, b), (c, d) = here, there
    assert a is not None and b is not None and c is not None and d is not None
    north, east = math.radians(c - a), math.radians(d - b) * math.cos(math.radians((a + c) / 2))
    return SignalReading(DISTANCE_TO_GO, 6_371_000 * math.hypot(north, east), position.age_ms)


def _subject(arguments: Mapping[str, object], locale: str, read: Read) -> str:
    zh = locale == "zh"
    name, test, zone = str(arguments["topic"]), str(arguments["test"]), str(arguments.get("zone", ""))
    topic = BY_NAME[name]
    if topic.unit in ("open", "flag"):
        state = {"open": ("open", "打开"), "closed": ("closed", "关上"), "on": ("on", "拉起"), "off": ("off", "松开")}[test]
        if topic.unit == "flag":
            return f"{_NAMES[name][1]}{state[1]}" if zh else f"{_NAMES[name][0]} is {state[0]}"
        thing = ("车门" if zh else "door") if name == "doors" else ("车窗" if zh else "window")
        if zone == "all":
            if test == "open":
                return f"有{thing}打开" if zh else f"a {thing} is open"
            return f"{thing}都关上" if zh else f"all {thing}s are closed"
        place = zone_name(zone, thing, locale, drive_side(read))
        return f"{place}{state[1]}" if zh else f"{place} {'are' if len(SEATS[zone]) > 1 else 'is'} {state[0]}"
    if name == "motion":
        return (
            {"stopped": "车停下", "moving": "车开动"}[test] if zh else {"stopped": "we stop", "moving": "we start moving"}[test]
        )
    limit = arguments["limit"]
    assert isinstance(limit, int | float)
    if name == "arrival" and limit == NEAR_M:
        return "快到目的地" if zh else "we arrive"
    value = _value(topic, float(limit), locale, read)
    if name == "arrival":
        return f"离目的地{value}以内" if zh else f"we are within {value} of the destination"
    words = {"below": ("below", "低于"), "above": ("over", "超过"), "down_to": ("down to", "降到"), "up_to": ("up to", "达到")}[
        test
    ]
    if zh:
        return f"{_NAMES[name][1]}{words[1]}{value}"
    if name == "tyres":
        return f"a tyre is {words[0]} {value}"
    return f"{_NAMES[name][0]} is {words[0]} {value}"


def _value(topic: Topic, value: float, locale: str, read: Read) -> str:
    zh = locale.startswith("zh")
    unit = text(read, DISTANCE_UNIT) or "KILOMETERS"
    match topic.unit:
        case "percent":
            return render.percent(value, locale)
        case "speed":
            return render.speed(value, locale, "MILES_PER_HOUR" if unit == "MILES" else "KILOMETERS_PER_HOUR")
        case "m":
            if value < 1000:
                return f"{round(value)}{'米' if zh else ' metres'}"
            return render.distance(value / 1000, locale, unit)
        case "celsius":
            return render.temperature(value, locale, temperature_unit(read))
        case _:
            return f"{value / 100:.1f}{'巴' if zh else ' bar'}"


def _evidence(condition: SignalIs, locale: str, read: Read) -> str:
    zh = locale.startswith("zh")
    match condition.topic:
        case "speed":
            return status.speed(read, locale, "")
        case "battery":
            return status.energy(_without(read, FUEL_LEVEL), locale, "")
        case "fuel":
            return status.energy(_without(read, BATTERY_LEVEL), locale, "")
        case "range":
            return status.distance_left(read, locale, "")
        case "outside":
            return status.outside(read, locale, "")
        case "cabin":
            return status.cabin(read, locale, "")
        case "tyres":
            return status.tyres(read, locale, "")
        case "doors":
            return status.doors(read, locale, condition.zone)
        case "windows":
            return status.windows(read, locale, condition.zone)
        case "trunk":
            return status.trunk(read, locale, "")
        case "brake":
            on = condition.value is True
            return f"手刹{'拉起' if on else '松开'}了。" if zh else f"The parking brake is {'on' if on else 'off'}."
        case "motion":
            stopped = condition.compare is Compare.BELOW
            if zh:
                return "车停下了。" if stopped else "车开动了。"
            return "We've stopped." if stopped else "We're moving."
        case _:
            left = _number(DISTANCE_TO_GO, read)
            if left is None:
                return "快到目的地了。" if zh else "We're almost there."
            said = _value(BY_NAME["arrival"], round(left, -1), locale, read)
            return f"快到了，离目的地还有{said}。" if zh else f"We're almost there: {said} to go."


def _without(read: Read, path: str) -> Read:
    return lambda asked: None if asked == path else read(asked)
