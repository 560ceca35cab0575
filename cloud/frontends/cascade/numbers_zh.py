"""How numbers, times, quantities and money are said in Chinese. Pure text, simplified characters.

`readings(text)` finds what cannot be said as written; `speakable(text)` puts the words in place. 2 before a measure word is 两
(两度, 两公里, 两点), in a number it is 二 (二十二度, 百分之二). Does not know pronunciation.
"""

from __future__ import annotations

import re

from ridealong.cloud.frontends.cascade.numbers_en import Reading

DIGITS = "零一二三四五六七八九"
GROUPS = ("", "万", "亿", "万亿")
LARGEST_DIGITS = 16

UNITS = {
    "°C": "度", "℃": "度", "°F": "华氏度", "℉": "华氏度", "°": "度", "km/h": "公里每小时", "kph": "公里每小时", "公里/小时": "公里每小时",
    "m/s": "米每秒", "km": "公里", "cm": "厘米", "mm": "毫米", "m": "米", "kWh": "千瓦时", "kW": "千瓦", "kg": "公斤", "V": "伏", "bar": "巴",
    "h": "小时", "min": "分钟", "s": "秒",
}  # fmt: skip
MEASURES = "度个点分秒小天公米千厘只扇次位件辆条张段层档级元块岁年月周半成倍种遍圈格排座"
"""First characters of measure words, before which a lone 2 is 两. 月 and 年 after it are told apart below."""
HALF_AFTER = ("度", "小时", "公里", "米", "个", "分钟", "天", "年")
MONEY = {"¥": "元", "￥": "元", "$": "美元", "€": "欧元", "£": "英镑"}


def cardinal(value: int) -> str:
    """一百零五, 两万三千, 十二."""
    if value < 0:
        return "负" + cardinal(-value)
    if value == 0:
        return "零"
    groups: list[int] = []
    while value:
        value, rest = divmod(value, 10_000)
        groups.append(rest)
    said = ""
    for power in range(len(groups) - 1, -1, -1):
        group = groups[power]
        if group == 0:
            said += "零" if said and not said.endswith("零") and any(groups[:power]) else ""
            continue
        if said and group < 1000 and not said.endswith("零"):
            said += "零"
        said += ("两" if group == 2 and power > 0 else _below_ten_thousand(group)) + GROUPS[power]
    return said.removeprefix("一") if said.startswith("一十") else said


def _below_ten_thousand(value: int) -> str:
    said, waiting_zero = "", False
    for place, name in ((1000, "千"), (100, "百"), (10, "十"), (1, "")):
        digit = value // place % 10
        if digit == 0:
            waiting_zero = bool(said)
            continue
        said += ("零" if waiting_zero else "") + ("两" if digit == 2 and place == 1000 else DIGITS[digit]) + name
        waiting_zero = False
    return said


def digits(text: str, telephone: bool = False) -> str:
    """One by one; on the telephone and in codes one is 幺."""
    said = "".join(DIGITS[int(char)] for char in text if char.isdigit())
    return said.replace("一", "幺") if telephone else said


def integer(text: str) -> str:
    if len(text) > LARGEST_DIGITS or (len(text) > 1 and text[0] == "0"):
        return digits(text)
    return cardinal(int(text))


def decimal(whole: str, fraction: str) -> str:
    """二十二点五."""
    return f"{integer(whole)}点{digits(fraction)}"


def clock(hour: int, minute: int) -> str:
    """七点四十五分, 两点零五分, 七点."""
    said = ("两" if hour == 2 else cardinal(hour)) + "点"
    if minute == 0:
        return said
    return said + ("半" if minute == 30 else ("零" if minute < 10 else "") + cardinal(minute) + "分")


_UNIT = "|".join(re.escape(unit) for unit in sorted(UNITS, key=len, reverse=True))
_WHOLE = r"\d{1,3}(?:,\d{3})+(?!\d)|\d+"
_PATTERN = re.compile(
    rf"""
      (?<![\d:.])(?P<hour>[01]?\d|2[0-3]):(?P<minute>[0-5]\d)(?![\d:])
    | (?P<money>[¥￥$€£])\s?(?P<coins>{_WHOLE})(?:\.(?P<cents>\d{{1,2}}))?
    | (?P<sign>(?<![\w.])[-−])?(?P<percent>{_WHOLE})(?:\.(?P<percent_fraction>\d+))?\s?[%％]
    | (?<![\d.])(?P<year>[12]\d{{3}})(?=年)
    | (?<![\d./])(?P<over>\d{{1,2}})/(?P<under>\d{{1,2}})(?![\d/])
    | (?:(?P<to>(?<=\d)\s?[-–~～]\s?(?=\d))|(?P<minus>(?<![\w.])[-−]))?
      (?P<whole>{_WHOLE})(?:\.(?P<fraction>\d+))?(?:\s?(?P<unit>{_UNIT})(?![A-Za-z])|(?=\s?(?P<next>[\u4e00-\u9fff]{{1,2}})))?
    """,
    re.VERBOSE,
)


def readings(text: str) -> list[Reading]:
    """What must be said otherwise than written, in order and without overlap."""
    return [Reading(match.start(), match.end(), _read(match)) for match in _PATTERN.finditer(text)]


def speakable(text: str) -> str:
    """The text with every reading in place."""
    parts: list[str] = []
    at = 0
    for reading in readings(text):
        parts += [text[at : reading.start], reading.spoken]
        at = reading.end
    return "".join([*parts, text[at:]])


def _read(match: re.Match[str]) -> str:
    part = match.groupdict()
    if part["hour"]:
        return clock(int(part["hour"]), int(part["minute"]))
    if part["money"]:
        coins, cents = part["coins"].replace(",", ""), part["cents"]
        return (decimal(coins, cents) if cents else _counted(coins)) + MONEY[part["money"]]
    if part["percent"]:
        number, fraction = part["percent"].replace(",", ""), part["percent_fraction"]
        return ("负" if part["sign"] else "") + "百分之" + (decimal(number, fraction) if fraction else integer(number))
    if part["year"]:
        return digits(part["year"])
    if part["over"]:
        over, under = int(part["over"]), int(part["under"])
        return "一半" if (over, under) == (1, 2) else f"{cardinal(under)}分之{cardinal(over)}"
    return _quantity(part)


def _counted(whole: str) -> str:
    return "两" if whole == "2" else integer(whole)


def _quantity(part: dict[str, str | None]) -> str:
    whole, fraction, follows = (part["whole"] or "").replace(",", ""), part["fraction"], part["next"] or ""
    prefix = "到" if part["to"] else "负" if part["minus"] else ""
    unit = UNITS[part["unit"]] if part["unit"] else ""
    if fraction:
        if unit in HALF_AFTER and fraction.rstrip("0") == "5" and int(whole):
            return f"{prefix}{_counted(whole)}{unit}半"
        return prefix + decimal(whole, fraction) + unit
    measured = bool(unit) or (follows[:1] in MEASURES and bool(follows) and follows[:1] != "月")
    return prefix + (_counted(whole) if measured else integer(whole)) + unit
