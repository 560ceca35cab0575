"""Which signal of the car a standing request means: words -> topic, comparison, limit -> a condition, and its sentences. Pure.

Limits are kept in the signal table's units. A car that does not report a signal cannot be watched for it, and things that have no signal
in our table (rain, engine temperature …) are named as such. Arrival is derived: metres from here to the destination that is set.
Does not know how readings arrive, nor who watches.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from ridealong.harness.conditions import Compare, SignalIs
from ridealong.harness.skill import Context
from ridealong.harness.slots import render
from ridealong.harness.slots.number import Number, find_numbers
from ridealong.harness.slots.temperature import celsius_from_fahrenheit
from ridealong.harness.slots.text import has_chinese
from ridealong.harness.slots.zone import ZONES, find_zone, resolve
from ridealong.proto.types import SignalReading
from ridealong.vehicle_skills.car import Read, drive_side, speaker, speed_unit, temperature_unit, text, which_side
from ridealong.vehicle_skills.signals import (
    DISTANCE_UNIT,
)
from ridealong.vehicle_skills.watching import bare, limits, sentences
from ridealong.vehicle_skills.watching.limits import kilopascals
from ridealong.vehicle_skills.watching.sentences import distance_to_go, number_of, paths_of
from ridealong.vehicle_skills.watching.topics import (
    BY_NAME,
    DISTANCE_TO_GO,
    LOW_KPA,
    LOW_PERCENT,
    NEAR_M,
    SHUT_PERCENT,
    TOPICS,
    UNKNOWN,
    Topic,
)

TESTS: Final = ("below", "above", "down_to", "up_to", "open", "closed", "stopped", "moving", "on", "off")
_BELOW_EN = r"below|under|less than|lower than|beneath|(?:drops?|falls?|sinks?|goes|gets?) (?:below|under)|slower than|colder than|cooler than"
_ABOVE_EN = r"above|over|more than|higher than|greater than|exceeds?|faster than|warmer than|hotter than|past|beyond"
_DOWN_EN = r"(?:down|drops?|falls?|sinks?) to|(?:only |just )?(?=[\w. ]* (?:left|remaining)\b)"
_UP_EN = r"up to|(?:rises?|climbs?) to"
_OR_LESS = r"\bor (?:less|lower|below|under|fewer|colder|cooler|slower)\b|(?:及|和)以下|或(?:者)?(?:更|再)?[低少]"
_OR_MORE = r"\bor (?:more|higher|above|over|warmer|hotter|faster)\b|(?:及|和)以上|或(?:者)?(?:更|再)?[高多]"
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
        return replace(condition, paths=paths_of(topic, zone, read))

    def limit(self, arguments: Mapping[str, object], value: float, unit: str, read: Read) -> float | None:
        """A value that is said anew, as the argument has it; None where it can't be one of this topic."""
        topic = BY_NAME.get(str(arguments.get("topic", "")))
        return limits.said_again(topic, value, unit, read) if topic is not None else None

    def bare(self, clause: str, locale: str, read: Read) -> str:
        """The clause with the topic that a number alone is about; "" where it is none, or unclear."""
        return bare.with_topic(clause, locale == "zh", read)

    def unclear(self, clause: str, locale: str, read: Read) -> Found | None:
        """A limit of which nobody said what it is of: what is known, with the question."""
        said = bare.limit(clause, locale == "zh")
        if said is None or bare.with_topic(clause, locale == "zh", read):
            return None
        if said.unit == "degrees":
            question = "您说的是车里还是车外的温度？" if locale == "zh" else "Do you mean the temperature inside or outside?"
        else:
            question = (
                "您指的是什么：车速、续航、电量，还是温度？"
                if locale == "zh"
                else "Of what: our speed, the range, the battery, or the temperature?"
            )
        known = {"test": bare.TESTS[said.relation], "limit": bare.in_celsius(said, read)}
        return Found(known, dict.fromkeys(known, clause), question)

    def named(self, arguments: Mapping[str, object], words: str, read: Read) -> Mapping[str, object] | None:
        """The arguments of such a limit with the topic that the words name."""
        zh, value = has_chinese(words), arguments.get("limit")
        if "topic" in arguments or not isinstance(value, int | float):
            return None
        for topic in TOPICS:
            if topic.unit in limits.PLAUSIBLE and re.search(topic.chinese if zh else rf"\b(?:{topic.english})\b", words):
                limit = value if topic.unit == "celsius" else limits.said_again(topic, value, "", read)
                return {**arguments, "topic": topic.name, "limit": limit} if limit is not None else None
        return None

    def out_of_range(self, clause: str, locale: str, read: Read) -> Found | None:
        """What is known, with the question that names the range, where a topic is given a limit that it can't have."""
        found = limits.out_of_range(clause, locale == "zh")
        if found is None:
            return None
        topic, value, question = found
        test, _ = _comparison(topic, clause, value, locale, read)
        known = {"topic": topic.name, "test": test or "above"}
        return Found(known, dict.fromkeys(known, clause), question)

    def look(self, paths: Iterable[str], read: Read) -> dict[str, SignalReading]:
        """The present readings of these paths, derived ones included."""
        found = {}
        for path in paths:
            reading = distance_to_go(read) if path == DISTANCE_TO_GO else read(path)
            if reading is not None and reading.value is not None:
                found[path] = reading
        return found

    def subject(self, arguments: Mapping[str, object], locale: str, read: Read) -> str:
        """What is waited for, as a clause, from the values that are watched for."""
        return sentences.subject(arguments, "zh" if locale.startswith("zh") else "en", read)

    def evidence(self, condition: SignalIs, locale: str, read: Read) -> str:
        """What the car shows now, as one sentence."""
        return sentences.evidence(condition, locale, read)

    def name(self, topic: str, locale: str) -> str:
        return sentences.NAMES[topic][1 if locale.startswith("zh") else 0]


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
    for test, pattern in (("down_to", _OR_LESS), ("up_to", _OR_MORE)):
        if (said := re.search(pattern, clause)) is not None:
            return test, said.group()
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
    known = [value for path in topic.paths if (value := number_of(path, read)) is not None]
    towards = "down_to" if topic.name in ("range", "arrival") or (known and known[0] > limit) else "up_to"
    return towards, at.group() if at is not None else "default:near"


def _in_table_unit(topic: Topic, limit: Number, clause: str, read: Read) -> float | None:
    """The limit as the table has it; None where the words name a unit of something else."""
    after = clause[limit.span[1] :]
    shown = speed_unit(read) == "MILES_PER_HOUR" if topic.unit == "speed" else text(read, DISTANCE_UNIT) == "MILES"
    miles = re.search(r"\bmiles?\b|\bmph\b|英里", clause) is not None or (
        re.search(r"kilomet|\bkm|\bkph\b|公里|千米", clause) is None and shown
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
            named = re.match(r" ?(?:(psi|磅|p s i)|(bar|巴)|(kpa|kilopascal|千帕))", after)
            return kilopascals(limit.value, "" if named is None else ("PSI", "BAR", "KPA")[(named.lastindex or 1) - 1], read)
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
