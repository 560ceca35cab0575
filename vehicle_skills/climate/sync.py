"""The passenger's side gets the driver's temperature: words, what is written, and its sentence. Pure.

Does not know the policy. What the other way round would be ("give me hers") is the temperature's own (same_as.py).
"""

from __future__ import annotations

import re
from typing import Final

from ridealong.harness.changes import Another, Arguments, Changes, Reads
from ridealong.harness.meant import FRAGMENT, Meant
from ridealong.harness.reading import Reading
from ridealong.harness.skill import Context, Match
from ridealong.harness.slots import render
from ridealong.proto.types import SignalWrite
from ridealong.vehicle_skills.car import Read, number, temperature_unit
from ridealong.vehicle_skills.climate.plan import SET
from ridealong.vehicle_skills.signals import set_temperature

SYNC: Final = "climate.sync"
DRIVER, PASSENGER = set_temperature("Row1", "Driver"), set_temperature("Row1", "Passenger")
NEAR: Final = 0.3
"""Degrees Celsius, less than one step."""

_SAID_EN: Final = re.compile(
    r"(?:(?:turn|switch|put) )?(?:on )?(?:the )?(?:climate |temperature |ac |air ?con |zone |dual zone |temp )?(?:sync|synchroni[sz]e|synching|synced?)(?: (?:on|up|mode))*|"
    r"(?:sync|synchroni[sz]e|link|match|couple|join|combine)(?: up)? (?:the |both |all |our |my |two )*(?:front )?(?:climate |temperature |ac |air ?con |heating |temp )?(?:zones?|sides?|temperatures?|temps?|climates?|ac|air ?con(?:ditioning)?|heating|settings?)(?: (?:together|up|to mine|with mine|on both sides))?|"
    r"(?:get|have|put) (?:both |the )*(?:sides|zones)(?: of the (?:ac|air ?con|climate))? (?:synced|in sync|synchroni[sz]ed|linked)|"
    r"(?:copy|give|apply) (?:my |the driver s? ?)(?:temperature|temp|setting) to (?:the )?(?:passengers?(?: side)?|her|him|other side|everyone)"
)  # fmt: skip
_SAID_ZH: Final = re.compile(
    r"(?:打开|开启|开)?(?:空调|温区|双区|左右|两边|分区|主副驾|前排|温度)*(?:的)?(?:空调|温度|温区)?(?:都)?(?:给我)?(?:打开|开启|开)?(?:同步|sync)(?:一下|打开|起来|模式|开|功能|吧|左右|两边|双区|空调|温度|温区|的)*|"
    r"(?:把)?(?:副驾驶?|左右|两边)(?:的)?(?:空调|温度)?(?:和|跟|与)主驾驶?(?:的)?(?:空调|温度)?同步|分区空调合一|(?:左右|两边|双区)(?:空调|温度)统一"
)
_CLOUD: Final = re.compile(
    r"\b(?:phone|contacts?|calendar|music|account|data|app|bluetooth|watch|files?)\b|手机|通讯录|日历|音乐|账号|数据|蓝牙"
)


def recognise(text: str, locale: str, context: Context) -> Match | None:
    reading = Reading(text, locale)
    if _CLOUD.search(reading.core):
        return None
    found = (_SAID_ZH if reading.zh else _SAID_EN).fullmatch(reading.core)
    if found is None or (not reading.zh and found.group() in ("synced", "sync up", "synching")):
        return None
    return Match(SYNC, 0.93)


_LIKE_HERS: Final = re.compile(
    r"\b(?:my (?:side|temperature|seat|half|zone)|me)\b.*\b(?:same as|like|to match|matching|equal to|as)\b.*\b(?:passenger|his|hers?|theirs?)\b|我.{0,4}(?:跟|和|与|像)(?:副驾|他|她).*(?:一样|一致|相同|同步)"
)
"""The other way round: the driver's side gets the passenger's."""


def understand(meant: Meant) -> tuple[Match, ...]:
    said_of_another = meant.variant == FRAGMENT or _CLOUD.search(meant.form) or _LIKE_HERS.search(meant.form)
    return () if said_of_another else (meant.match(SYNC, {}, {}),)


def writes(celsius: float) -> tuple[SignalWrite, ...]:
    return (SignalWrite(PASSENGER, celsius),)


def is_so(read: Read) -> bool:
    driver, passenger = number(read, DRIVER), number(read, PASSENGER)
    return driver is not None and passenger is not None and abs(driver - passenger) <= NEAR


def degrees(celsius: float, locale: str, read: Read) -> str:
    return render.temperature(celsius, locale, temperature_unit(read))


def sentence(celsius: float, locale: str, read: Read, *, already: bool = False) -> str:
    said = degrees(celsius, locale, read)
    if locale.startswith("zh"):
        return f"两边{'已经都' if already else '现在都'}是{said}{'了' if already else ''}。"
    return f"Both sides are {'already' if already else 'now'} at {said}."


def _before(arguments: Arguments, before: Reads) -> tuple[Another, ...]:
    was = number(before, PASSENGER)
    return ((SET, {"target": was, "zone": "row1.passenger"}),) if was is not None and 14 <= was <= 30 else ()


CHANGES: Final = Changes(undone=_before)
