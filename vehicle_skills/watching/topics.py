"""What of the car can be waited for: topics with their words, signals and units, and what no signal of ours shows. Data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from ridealong.vehicle_skills.signals import (
    BATTERY_LEVEL,
    BATTERY_RANGE,
    CABIN_TEMPERATURE,
    FUEL_LEVEL,
    FUEL_RANGE,
    OUTSIDE_TEMPERATURE,
    PARKING_BRAKE,
    SPEED,
    TOTAL_RANGE,
    TRUNK_OPEN,
    tyre_pressure,
)

DISTANCE_TO_GO: Final = "Derived.DistanceToDestination"
"""Metres as the crow flies; made by `look`, no signal of the car."""
NEAR_M: Final = 150.0
LOW_PERCENT: Final = 15.0
LOW_KPA: Final = 200.0
SHUT_PERCENT: Final = 3


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
    Topic("arrival", r"(?:we|i) (?:arrive|have arrived|get there|are there|are (?:nearly|almost) there|get home|reach (?:the|our) (?:destination|goal))|(?:from|to) (?:the|our) destination|(?:we|i) (?:are|am) arriving", r"^到了?$|到达|抵达|(?:快|就|要)到了?|目的地", (DISTANCE_TO_GO,), "m", 300.0),
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
