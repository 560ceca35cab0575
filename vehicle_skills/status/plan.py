"""Questions about the car: words -> topic -> an answer from readings with their ages. Pure, and read-only.

An answer says when a reading is old, and says plainly when there is none. Does not know how readings arrive.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from ridealong.harness.framing import frame
from ridealong.harness.meant import FRAGMENT, Meant, Understand
from ridealong.harness.reading import Reading
from ridealong.harness.skill import Context, Match, Recognise
from ridealong.harness.slots import render
from ridealong.harness.slots.text import plain
from ridealong.harness.slots.zone import SEATS, find_zone, is_plural, resolve, zone_name
from ridealong.harness.slots.zones import find_zones
from ridealong.vehicle_skills.cabin_signals import PRESSURE_UNIT, SPEED_UNIT
from ridealong.vehicle_skills.car import (
    Read,
    drive_side,
    flag,
    number,
    pressure_unit,
    speaker,
    speed_unit,
    temperature_unit,
    text,
    which_side,
)
from ridealong.vehicle_skills.like_names import named_otherwise
from ridealong.vehicle_skills.navigation import gazetteer
from ridealong.vehicle_skills.navigation.geocoder import Located
from ridealong.vehicle_skills.signals import (
    BATTERY_LEVEL,
    BATTERY_RANGE,
    CABIN_TEMPERATURE,
    DESTINATION_LATITUDE,
    DESTINATION_LONGITUDE,
    DISTANCE_UNIT,
    FUEL_LEVEL,
    FUEL_RANGE,
    ODOMETER,
    OUTSIDE_TEMPERATURE,
    SPEED,
    TOTAL_RANGE,
    TRUNK_OPEN,
    door_open,
    set_temperature,
    tyre_pressure,
    window_position,
)
from ridealong.vehicle_skills.status.settings import ON_OR_OFF_EN, ON_OR_OFF_ZH, READS, settings

LOW_KPA = 200.0


def _fresh(read: Read, *paths: str) -> tuple[float, str] | None:
    """The first known number with its path."""
    for path in paths:
        value = number(read, path)
        if value is not None:
            return value, path
    return None


def _age(read: Read, path: str, locale: str) -> str:
    reading = read(path)
    return render.age(reading.age_ms, locale) if reading is not None else ""


def _unknown(english: str, chinese: str, locale: str) -> str:
    return f"我没有{chinese}的读数。" if locale.startswith("zh") else f"I have no reading of {english}."


def speed(read: Read, locale: str, zone: str) -> str:
    found = _fresh(read, SPEED)
    if found is None:
        return _unknown("our speed", "车速", locale)
    value, path = found
    age = _age(read, path, locale)
    if round(value) == 0:
        return f"我们停着{age}。" if locale.startswith("zh") else f"We're standing still{age}."
    said = render.speed(value, locale, speed_unit(read))
    return f"现在车速{said}{age}。" if locale.startswith("zh") else f"We're doing {said}{age}."


def distance_left(read: Read, locale: str, zone: str) -> str:
    found = _fresh(read, TOTAL_RANGE, BATTERY_RANGE, FUEL_RANGE)
    if found is None:
        return _unknown("the range", "续航里程", locale)
    said = render.distance(found[0] / 1000, locale, text(read, DISTANCE_UNIT) or "KILOMETERS")
    age = _age(read, found[1], locale)
    return f"还能开{said}{age}。" if locale.startswith("zh") else f"We have {said} of range left{age}."


def energy(read: Read, locale: str, zone: str) -> str:
    found = _fresh(read, BATTERY_LEVEL, FUEL_LEVEL)
    if found is None:
        return _unknown("the battery or the fuel", "电量和油量", locale)
    value, path = found
    age = _age(read, path, locale)
    said = render.percent(value, locale)
    if locale.startswith("zh"):
        return f"{'电量' if path == BATTERY_LEVEL else '油量'}还有{said}{age}。"
    return f"{'The battery is at' if path == BATTERY_LEVEL else 'The tank is at'} {said}{age}."


def outside(read: Read, locale: str, zone: str) -> str:
    found = _fresh(read, OUTSIDE_TEMPERATURE)
    if found is None:
        return _unknown("the outside temperature", "车外温度", locale)
    said, age = render.temperature(found[0], locale, temperature_unit(read)), _age(read, found[1], locale)
    return f"车外{said}{age}。" if locale.startswith("zh") else f"It's {said} outside{age}."


def cabin(read: Read, locale: str, zone: str) -> str:
    found = _fresh(read, CABIN_TEMPERATURE)
    if found is None:
        return _unknown("the cabin temperature", "车内温度", locale)
    said, age = render.temperature(found[0], locale, temperature_unit(read)), _age(read, found[1], locale)
    return f"车内{said}{age}。" if locale.startswith("zh") else f"It's {said} in the cabin{age}."


def setting(read: Read, locale: str, zone: str) -> str:
    row, role = SEATS.get(zone, SEATS["row1.driver"])[0]
    found = _fresh(read, set_temperature(f"Row{row}", role.capitalize()))
    if found is None:
        return _unknown("the temperature setting", "空调设定温度", locale)
    said = render.temperature(found[0], locale, temperature_unit(read))
    return f"空调设的是{said}。" if locale.startswith("zh") else f"The temperature is set to {said}."


def tyres(read: Read, locale: str, zone: str) -> str:
    wheels = [(axle, side) for axle in ("Row1", "Row2") for side in ("Left", "Right")]
    found = [(axle, side, number(read, tyre_pressure(axle, side))) for axle, side in wheels]
    known = [(axle, side, value) for axle, side, value in found if value is not None]
    zh, shown = locale.startswith("zh"), pressure_unit(read)
    unit = render.pressure_unit(locale, shown)
    if not known:
        return _unknown("the tyre pressures", "胎压", locale)
    names = {("Row1", "Left"): ("front left", "左前"), ("Row1", "Right"): ("front right", "右前"), ("Row2", "Left"): ("rear left", "左后"), ("Row2", "Right"): ("rear right", "右后")}  # fmt: skip
    low = [(axle, side, value) for axle, side, value in known if value < LOW_KPA]
    if low:
        parts = [
            f"{names[axle, side][1 if zh else 0]}{'' if zh else ' '}{render.pressure_digits(value, shown)}"
            for axle, side, value in low
        ]
        return f"胎压偏低：{'，'.join(parts)}{unit}。" if zh else f"Tyre pressure is low: {', '.join(parts)}{unit}."
    least, most = (render.pressure_digits(one, shown) for one in (min(v for _, _, v in known), max(v for _, _, v in known)))
    span = least if least == most else f"{least} {'到' if zh else 'to'} {most}"
    missing = "" if len(known) == 4 else (f"，有{4 - len(known)}个没有读数" if zh else f"; {4 - len(known)} I can't read")
    return f"胎压{span.replace(' ', '')}{unit}{missing}。" if zh else f"The tyres are at {span}{unit}{missing}."


def windows(read: Read, locale: str, zone: str) -> str:
    zh = locale.startswith("zh")
    zone = zone or "all"
    seats = [(seat, number(read, window_position(f"Row{seat[0]}", f"{seat[1].capitalize()}Side"))) for seat in SEATS[zone]]
    thing = "车窗" if zh else "window"
    if len(seats) == 1:
        value = seats[0][1]
        name = zone_name(zone, thing, locale, drive_side(read))
        if value is None:
            return _unknown(name, name, locale)
        return (
            f"{name}{render.opening(value, locale)}。"
            if zh
            else f"{name[0].upper()}{name[1:]} is {render.opening(value, locale)}."
        )
    known = [(seat, value) for seat, value in seats if value is not None]
    if not known:
        return _unknown("the windows", "车窗", locale)
    opened = [(seat, value) for seat, value in known if value > 0]
    unread = len(seats) - len(known)
    tail = (f"有{unread}个没有读数。" if zh else f" I can't read {unread} of them.") if unread else ""
    if not opened:
        if unread:
            return f"能读到的车窗都关着，{tail}" if zh else f"The windows that I can read are closed.{tail}"
        whole = zone_name(zone, thing, locale) if is_plural(zone) else thing
        return f"{whole}都关着。" if zh else f"{whole[0].upper()}{whole[1:]} are closed."
    parts = [
        f"{zone_name(f'row{seat[0]}.{seat[1]}', thing, locale, drive_side(read))}{'' if zh else ' is '}{render.opening(value, locale)}"
        for seat, value in opened
    ]
    sentence = "，".join(parts) if zh else " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)
    return f"{sentence}。{tail}" if zh else f"{sentence[0].upper()}{sentence[1:]}.{tail}"


def doors(read: Read, locale: str, zone: str) -> str:
    zh = locale.startswith("zh")
    seats = SEATS[zone or "all"]
    states = [(seat, flag(read, door_open(f"Row{seat[0]}", f"{seat[1].capitalize()}Side"))) for seat in seats]
    known = [(seat, value) for seat, value in states if value is not None]
    if not known:
        return _unknown("the doors", "车门", locale)
    opened = [seat for seat, value in known if value]
    tail = (
        ""
        if len(known) == len(states)
        else (f"有{len(states) - len(known)}个没有读数。" if zh else f" I can't read {len(states) - len(known)} of them.")
    )
    if not opened:
        return f"车门都关着。{tail}" if zh else ("The doors are closed." if len(states) > 1 else "That door is closed.") + tail
    parts = [zone_name(f"row{seat[0]}.{seat[1]}", "车门" if zh else "door", locale, drive_side(read)) for seat in opened]
    joined = "、".join(parts) if zh else " and ".join(parts)
    return f"{joined}开着。{tail}" if zh else f"{joined[0].upper()}{joined[1:]} {'is' if len(parts) == 1 else 'are'} open.{tail}"


def trunk(read: Read, locale: str, zone: str) -> str:
    value = flag(read, TRUNK_OPEN)
    if value is None:
        return _unknown("the boot", "后备箱", locale)
    return f"后备箱{'开' if value else '关'}着。" if locale.startswith("zh") else f"The boot is {'open' if value else 'closed'}."


def destination(read: Read, locale: str, zone: str, named: Callable[[float, float], Located | None] = gazetteer.at) -> str:
    """`named`: the place that is exactly there, where it is known."""
    zh = locale.startswith("zh")
    latitude, longitude = number(read, DESTINATION_LATITUDE), number(read, DESTINATION_LONGITUDE)
    if latitude is None or longitude is None or (latitude == 0 and longitude == 0):
        return "没有设置目的地。" if zh else "No destination is set."
    place = named(latitude, longitude)
    if place is None:
        return (
            f"目的地是北纬{latitude:.3f}，东经{longitude:.3f}。"
            if zh
            else f"The destination is at {latitude:.3f}, {longitude:.3f}; I have no name for it."
        )
    return f"目的地是{place.chinese}。" if zh else f"We're going {'home' if place.key == 'home' else 'to ' + place.english}."


def odometer(read: Read, locale: str, zone: str) -> str:
    found = _fresh(read, ODOMETER)
    if found is None:
        return _unknown("the odometer", "总里程", locale)
    said = render.distance(found[0] / 1000, locale, text(read, DISTANCE_UNIT) or "KILOMETERS")
    return f"总里程{said}。" if locale.startswith("zh") else f"The car has driven {said}."


@dataclass(frozen=True, slots=True)
class Topic:
    """`english` and `chinese` must be found in the words; `zoned` topics take a place in the car."""

    name: str
    description: str
    english: str
    chinese: str
    answer: Callable[[Read, str, str], str]
    reads: tuple[str, ...]
    examples_en: tuple[str, ...]
    examples_zh: tuple[str, ...]
    zoned: bool = False
    statement: bool = False
    by_words: Callable[[Read, str, str], str] | None = None
    """An answer that depends on the question's own words; "": as ever."""


_WINDOW_READS = tuple(window_position(row, side) for row in ("Row1", "Row2") for side in ("DriverSide", "PassengerSide"))
_DOOR_READS = tuple(door_open(row, side) for row in ("Row1", "Row2") for side in ("DriverSide", "PassengerSide"))

TOPICS: tuple[Topic, ...] = (
    Topic("speed", "Say how fast we are going.", r"how fast (?:am i|are we|is the car|do we)(?: \w+)*|(?:our|my|the|current|car)(?: current| car)? speed(?! limit| camera)|speed (?:are we|am i)|how many (?:miles|kilometres|kilometers) (?:per|an) hour|speedometer|what speed|how quick(?:ly)? are we",
          r"车速|时速|(?:开|跑|走)(?:得|的)?(?:有)?多快|速度(?:是|有)?多少|现在(?:多快|速度)|多快", speed, (SPEED, SPEED_UNIT, DISTANCE_UNIT), ("How fast are we going?", "What's our speed?"), ("现在车速多少？", "我们开得多快？")),
    Topic("range", "Say how far the car can still go.", r"(?:the |our |my |remaining |much |what )*range|how far can (?:we|i|the car|it)(?: \w+)*|how (?:many (?:more )?(?:kilometres|kilometers|km|miles)|much further|much farther|far)(?: \w+)* (?:left|remaining|go|drive|get|make it|last)|distance (?:to empty|left)|how many (?:kilometres|kilometers|km|miles) (?:until|to|before|till)(?: \w+)*|until (?:it|we|the battery|the tank)(?: is|are)? (?:run out|empty|dies)|can we make it",
          r"续航|还能(?:开|跑|走)(?:多远|多少|几)|(?:剩|剩余)(?:的)?(?:里程|公里)|能(?:跑|开)(?:多远|多少公里)", distance_left, (TOTAL_RANGE, BATTERY_RANGE, FUEL_RANGE, DISTANCE_UNIT), ("How far can we still go?", "What's the remaining range?"), ("续航还有多少？", "还能开多远？")),
    Topic("energy", "Say the battery or fuel level.", r"battery(?: level| charge| state| percentage| status| percent)?|state of charge|how much (?:charge|battery|fuel|gas|petrol|power|juice|energy|electricity|diesel)(?: \w+)*|fuel(?: level| gauge)?|(?:petrol|gas) (?:level|left|tank|do we have)|(?:is the |are we )(?:car |tank )?(?:full|empty|charged|low on \w+)|charge (?:level|left)|tank",
          r"电量|还有(?:多少|几)(?:格)?电|剩(?:余)?(?:多少)?(?:的)?(?:电|油)|油量|还有多少油|多少(?:的)?(?:电|油)|有多少(?:电|油)|电(?:池)?(?:还)?(?:剩|有)", energy, (BATTERY_LEVEL, FUEL_LEVEL), ("How much battery is left?", "What's the fuel level?"), ("还有多少电？", "电量还剩多少？")),
    Topic("outside_temperature", "Say the temperature outside.", r"(?:temperature|hot|cold|warm|degrees|chilly|freezing)(?: \w+){0,3} (?:outside|outdoors|out there|out)|outside (?:air )?temperature|(?:outdoor|exterior|ambient) temperature|how (?:cold|hot|warm) is it(?! in)",
          r"(?:外面|车外|室外|外边|户外).*(?:度|温|热|冷)|(?:温度|几度|多少度).*(?:外面|车外|室外)|气温", outside, (OUTSIDE_TEMPERATURE,), ("What's the temperature outside?", "How cold is it outside?"), ("外面多少度？", "车外温度是多少？")),
    Topic("cabin_temperature", "Say the temperature in the cabin.", r"(?:temperature|hot|cold|warm|degrees)(?: \w+){0,3} (?:inside|in here|in the (?:car|cabin))|(?:inside|cabin|interior|indoor) temperature",
          r"(?:车内|车里|里面|座舱|车厢).*(?:度|温|热|冷)(?!.*设)|(?:温度|几度|多少度).*(?:车内|车里|里面)", cabin, (CABIN_TEMPERATURE,), ("How warm is it in the car?", "What's the cabin temperature?"), ("车内温度多少？", "车里几度？")),
    Topic("temperature_setting", "Say what the climate is set to: temperature, fan, air conditioning, recirculation, defrosters.", r"(?:temperature|climate|heating|heat|ac|air ?con(?:ditioning)?|thermostat|it)(?: control)? (?:is |are |currently |now )*set (?:to|at)|(?:temperature|climate|ac) setting|set temperature|what (?:is|have you got) the (?:ac|air ?con(?:ditioning)?|heating|climate|thermostat) (?:set )?(?:at|to|on)|what temperature (?:is|did|have)(?: \w+)* set|what is the temperature|" + ON_OR_OFF_EN,
          r"(?:空调|温度|暖风|冷气).*(?:设|调).*(?:多少|几度|哪)|(?:空调|温度)(?:现在)?(?:是|有|开)?(?:的)?(?:多少度?|几度)|设定温度|" + ON_OR_OFF_ZH, setting, (set_temperature("Row1", "Driver"), set_temperature("Row1", "Passenger"), *READS), ("What is the temperature set to?",), ("空调设的是多少度？",), True, by_words=settings),
    Topic("tyres", "Say the tyre pressures.", r"(?:tyre|tire)s?(?: pressures?)?|(?:flat|low) (?:tyre|tire)|pressures?", r"胎压|轮胎", tyres, (*(tyre_pressure(a, s) for a in ("Row1", "Row2") for s in ("Left", "Right")), PRESSURE_UNIT), ("How are the tyre pressures?", "Check the tire pressure."), ("胎压正常吗？", "胎压是多少？"), False, True),
    Topic("windows", "Say which windows are open.", r"windows?(?! defrost| heat)", r"车?窗户?|车?玻璃", windows, _WINDOW_READS, ("Is the rear left window open?", "Are any windows open?"), ("左后车窗开着吗？", "车窗都关好了吗？"), True),
    Topic("doors", "Say which doors are open.", r"doors?", r"车?门", doors, _DOOR_READS, ("Are all the doors closed?", "Is a door open?"), ("车门关好了吗？", "有车门开着吗？"), True),
    Topic("trunk", "Say whether the boot is open.", r"boot|trunk|tailgate|hatch", r"后备[箱厢]|尾门|行李[箱厢]", trunk, (TRUNK_OPEN,), ("Is the boot open?", "Did I close the trunk?"), ("后备箱关了吗？", "尾门开着吗？")),
    Topic("destination", "Say where we are going.", r"where (?:are we|am i) (?:going|heading|driving|headed|navigating)(?: to)?|(?:our|the|my|current) (?:current )?destination|what is the destination|which destination|destination (?:set|now)",
          r"目的地(?:是|在)?(?:哪|什么|哪里|哪儿)|(?:要|是|正在)?(?:去|导航到|开往)(?:哪|什么地方)|目的地", destination, (DESTINATION_LATITUDE, DESTINATION_LONGITUDE), ("Where are we going?", "What's our destination?"), ("目的地是哪里？", "我们要去哪？")),
    Topic("odometer", "Say how far the car has driven in all.", r"odometer|mileage|how (?:many (?:kilometres|kilometers|km|miles)|far) (?:has|have|does|did) (?:the |this )?(?:car|we|it|vehicle)(?: \w+)* (?:driven|done|have|gone|on it|on the clock|run)", r"总里程|一共(?:跑|开)了多少|(?:跑|开|行驶)了多少公里", odometer, (ODOMETER, DISTANCE_UNIT), ("What's the odometer reading?",), ("总里程多少？",)),
)  # fmt: skip

_OPENINGS = {"windows", "doors", "trunk"}
_ASK_EN = (
    r"what|how|is|are|do|does|did|has|have|which|where|tell me|check|show me|show|give me|say|read|any|status|level|state|i|we|me|know|now|currently|current|left|still|"
    r"open|closed|shut|much|many|far|fast|going|remaining|percent|s|about|the car|all|ok|okay|fine|right|degrees|temperature|enough|please tell|at|much is|reading|good|low|high|normal|wonder|if|whether|to know"
)
_ASK_ZH = r"多少|什么|怎么样|怎样|吗|么|呢|没有|没|有|是|几|哪|里|还|现在|目前|当前|告诉我|看看|看一下|查一下|查|帮我|开着|关着|开|关|好|正常|了|剩|余|我们|咱们|我|知道|想|度|格|公里|不|够|状态|情况|哪个|扇|着|都|全|所有|设|是不是|有没有|锁|温度|打开|关闭|关上"


def recogniser(topic: Topic) -> Recognise:
    """The recogniser of one topic."""

    def recognise(words: str, locale: str, context: Context) -> Match | None:
        reading = Reading(words, locale)
        framing = frame(words, locale)
        pattern = topic.chinese if reading.zh else topic.english
        if named_otherwise(plain(words, locale), reading.zh, topic.name, pattern) or reading.take(pattern) is None:
            return None
        asked = (
            framing.question
            or re.match(
                r"(?:check|give|show|read|status|current|how is|battery|range|speed|tyre|tire|remaining|fuel)\b", framing.core
            )
            is not None
        )
        if reading.zh:
            asked = framing.question or re.search(r"查|看看|看一下|告诉我|多少|报一下|怎么样", framing.text) is not None
        if not asked:
            return None
        if topic.name in _OPENINGS and not framing.question and not topic.statement:
            return None
        if topic.name in _OPENINGS and re.search(
            r"\b(?:why|how (?:do|can|to)|when|who|wash|clean|fix|repair|at home|house|kitchen|bedroom|garage|shop|what (?:kind|colou?r|is the window))\b",
            framing.text,
        ):
            return None
        if topic.name in _OPENINGS and not re.search(r"\b(?:open|closed|shut|up|down|close|ajar|far)\b|开|关|锁", framing.text):
            return None
        if topic.name == "doors" and re.search(r"\block|锁", framing.text):
            return None  # status.locks
        if topic.name == "temperature_setting" and re.search(
            r"\b(?:outside|inside|in here|in the car|cabin|outdoors|out|of the|today|tomorrow|oven|water|why|when|too|need|needs)\b|为什么|怎么|外面|车外|室外|车内|车里",
            framing.text,
        ):
            return None
        if topic.name in ("cabin_temperature", "outside_temperature") and re.search(
            r"\b(?:tomorrow|tonight|will|yesterday|weekend)\b|明天|昨天|今晚", framing.text
        ):
            return None
        if topic.name == "tyres" and re.search(r"\b(?:blood|air|water|peer|work|when|where|buy|change|kind)\b", framing.text):
            return None
        if topic.name == "range" and re.search(
            r"mountain|price|rover|\bto the\b|\bfrom\b|\baway\b|until we (?:arrive|get)|destination", framing.text
        ):
            return None
        if topic.name == "energy" and re.search(
            r"\b(?:phone|torch|laptop|watch|price|cost|station|where)\b|手机|充电站|加油站", framing.text
        ):
            return None
        if topic.name == "speed" and re.search(
            r"\b(?:limit|internet|train|light|sound|camera|cheetah|plane|he|she|they|was|were|can)\b|限速|光速", framing.text
        ):
            return None
        reading.take(_ASK_ZH if reading.zh else _ASK_EN)
        base = 0.92
        if not topic.zoned:
            return Match(f"status.{topic.name}", reading.score(base))
        zone = find_zone(reading.core, reading.locale)
        reading.slot(zone)
        score = reading.score(base)
        if zone is None:
            default = "row1.driver" if topic.name == "temperature_setting" else "all"
            return Match(f"status.{topic.name}", score, {"zone": default}, {"zone": f"default:{default}"})
        name = resolve(zone, drive_side(context.read), speaker(context))
        if name is None:
            return Match(f"status.{topic.name}", score, missing=("zone",), question=which_side(reading.locale))
        return Match(f"status.{topic.name}", score, {"zone": name}, {"zone": zone.words})

    return recognise


_TYRE = re.compile(
    r"\b(?:tyres?|tires?|wheels?|pressures?|flats?|punctures?|psi|bar|pump\w*|inflat\w+|soft)\b|胎|轮|气压|打气|充气|压力|漏气|缺气|亏气|气(?:够|足|还|少|多)"
)
"""Air alone is not the tyres': 透透气."""


def zoned(topic: Topic) -> Understand:
    """Calls of one topic where a tagger has found that it is asked about."""
    capability = f"status.{topic.name}"

    def understand(meant: Meant) -> tuple[Match, ...]:
        if meant.variant == FRAGMENT or (topic.name == "tyres" and _TYRE.search(meant.form) is None):
            return ()
        if named_otherwise(meant.form, meant.zh, topic.name, topic.chinese if meant.zh else topic.english):
            return ()
        if not topic.zoned:
            return (meant.match(capability, {}, {}),)
        zones = find_zones(
            meant.text,
            meant.locale,
            drive_side(meant.context.read),
            speaker(meant.context),
            whole_side=topic.name != "temperature_setting",
        )
        if zones is None:
            default = f"row1.{speaker(meant.context)}" if topic.name == "temperature_setting" else "all"
            return (meant.match(capability, {"zone": default}, {"zone": f"default:{default}"}),)
        if not zones.certain:
            return (meant.asks(capability, "zone", which_side("en"), which_side("zh")),)
        return tuple(meant.match(capability, {"zone": zone}, {"zone": zones.words}) for zone in zones.names)

    return understand


__all__ = ["TOPICS", "Topic", "recogniser", "zoned"]
