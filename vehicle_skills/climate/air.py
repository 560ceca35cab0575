"""Where the air blows: words -> windscreen, face or feet, and for whom; its state in words. Pure.

A car's station has one direction at a time: two at once are asked about. Does not know the policy.
"""

from __future__ import annotations

import re
from functools import partial
from typing import Final

from ridealong.harness.changes import Another, Arguments, Changes, Reads
from ridealong.harness.meant import FRAGMENT, Meant
from ridealong.harness.reading import Reading
from ridealong.harness.skill import Context, Match
from ridealong.harness.slots.text import language
from ridealong.harness.slots.zone import SEATS
from ridealong.proto.types import SignalWrite
from ridealong.vehicle_skills.car import Read, asks, placed_again, recent_argument, speaker, text
from ridealong.vehicle_skills.claim import in_places, only, placed, take_places, tells
from ridealong.vehicle_skills.signals import air_distribution

SET_AIR: Final = "climate.set_air"
ZONES: Final = ("row1.driver", "row1.passenger", "row1")
DIRECTIONS: Final = {"windscreen": "UP", "face": "MIDDLE", "feet": "DOWN"}
"""As an argument -> as the signal has it."""
_NAMED: Final = {value: name for name, value in DIRECTIONS.items()}

# --- words ---------------------------------------------------------------------------------------------------------------

_AIR_EN: Final = r"air ?flow|airflow|air distribution|air|vents?|blow(?:ing|er|s)?|fan|wind|draught|draft|breeze|heat|ac|air ?con(?:ditioning)?"
_AIR_ZH: Final = r"风向|出风口?|风|吹|暖气|冷气|暖风|airflow|空调"
_WHERE_EN: Final = (
    ("windscreen", r"windscreen|windshield|front window|front glass|glass|screen|top|upwards?|up"),
    ("face", r"face|chest|body|head|middle|upper body|upper vents?|torso|straight at me"),
    ("feet", r"feet|foot|foot ?well|floor|legs?|toes|downwards?|down(?: there| low)?|knees"),
)
_WHERE_ZH: Final = (
    ("windscreen", r"挡风玻璃?|前挡|风挡|前窗|玻璃|吹窗|上面|往上"),
    ("face", r"脸|面部|吹面|(?<![到后前里外上下])头(?!晕)|上半身|身体|胸|块面|身上|中间"),
    ("feet", r"脚底?下?|腿|脚部|下面|往下|下半身"),
)
_OTHER_EN: Final = r"defrost\w*|defog\w*|demist\w*|seats?|off|hot|cold|warmer|cooler|temperature|degrees|percent|speed|balloon|hair|candles?|nose|whistle|rear window|windows|fresh air|outside|recirc\w*|tyres?|open|close|shut|blows|blew|is|are|was|volume|louder"
_OTHER_ZH: Final = (
    r"除雾|除霜|座椅|温度|度|风量|风速|关窗|开窗|车窗|循环|头发|气球|喇叭|口哨|吹牛|吹了|吹得|音量|大一点|小一点|调大|调小|高|低"
)
_FOGGED_ZH: Final = r"雾|糊|哈气|干净|干了|透亮|停|关|热风|吹一下|吹吹|^(?!.*(?:(?<!挡)风(?!挡)|空调|暖气|冷气))"
_NOT_EN: Final = re.compile(
    r"\b(?:not|off|away from|stop blowing (?:at|on)|instead of|rather than)(?: (?:at|on|in|into|the|my|his|her|our))* (?:face|feet|foot|windscreen|windshield|chest|head|legs?|glass|body)(?: (?:and|but|,))*"
)
_NOT_ZH: Final = re.compile(r"(?:别|不要|不)(?:再)?(?:对着|吹|往|向)*(?:我的?|着)*(?:脸|头|脚|身上|玻璃|面部?)(?:吹)?")
_TAKEN_EN: Final = rf"{_AIR_EN}|(?:warm|cool|fresh|cold) air|down|up|point|direct|aim|send|set|put|turn|switch|change|blow|get|move|towards?|onto|stop|blowing|feet|foot|only|come|position|mode|want|need|driver|passenger|drivers|passengers|driver|everyone|both|side|through|low|well|keep|let|mean"
_TAKEN_ZH: Final = rf"{_AIR_ZH}|让|对着|往|向|朝|模式|部|的|调|改|换|成|为|到|设|主驾驶?|副驾驶?|前排|两边|别|不要|只|全|部分|里|去雾|我|位置|脚|上|下"
_STARTS_EN: Final = re.compile(
    r"(?:blow|point|direct|aim|send|set|put|turn|switch|change|get|move|air|air ?flow|vents?|let|keep|want|need|have|heat on|stop blowing|(?:face|floor|feet|foot|upper|footwell|windscreen|windshield) (?:vents?|mode|air)|(?:the |my )?(?:air|vents?|fan))\b"
)

BOTH: Final = {
    "en": "The air can blow one way at a time: at the windscreen, the face or the feet. Which shall it be?",
    "zh": "风一次只能吹一个方向：挡风玻璃、脸或者脚。要哪一个？",
}


def recognise(words: str, locale: str, context: Context) -> Match | None:
    reading = Reading(words, locale)
    zh = reading.zh
    answers = asks(context, SET_AIR)
    form = (_NOT_ZH if zh else _NOT_EN).sub(" ", reading.core)
    where = _where(form, zh)
    if tells(reading):
        return None
    if not where or not reading.has(r"吹|风向|出风" if zh else rf"{_AIR_EN}") and not answers:
        return None
    if reading.has(_OTHER_ZH if zh else _OTHER_EN) and not (not zh and reading.has(r"off my|get that (?:draught|draft)")):
        return None
    if zh and not answers and where[0][0] == "windscreen" and re.search(_FOGGED_ZH, reading.core):
        return None  # the defroster's
    if not zh and not answers and _STARTS_EN.match(reading.core) is None:
        return None
    reading.take(_TAKEN_ZH if zh else _TAKEN_EN)
    for _, pattern in _WHERE_ZH if zh else _WHERE_EN:
        reading.take(pattern)
    take_places(reading)
    return only(_calls(where, form, reading.locale, context, reading.score(0.93)))


_AIMED_EN: Final = re.compile(
    r"\b(?:send|direct|point|aim|blow|set|put|move)\b.*\b(?:air ?flow|air|vents?|breeze|draught|draft)\b|\bair ?flow to\b|\bair distribution\b"
)
"""What "up" and "down" may be directions of: a fan that goes up is a faster one."""


_VAGUE: Final = frozenset(
    ["up", "down", "top", "middle", "screen", "downwards", "upwards", "downward", "upward", "down there", "down low", "上面", "下面", "往上", "往下", "中间"]
)  # fmt: skip


def _where(form: str, zh: bool) -> list[tuple[str, str]]:
    """Each direction that is named, with its words. "Up" and "down" count where nothing of the body or the car is named."""
    named, vague = [], []
    for name, pattern in _WHERE_ZH if zh else _WHERE_EN:
        said = [one.group() for one in re.finditer(pattern if zh else rf"\b(?:{pattern})\b", form)]
        exact = [one for one in said if one not in _VAGUE]
        named += [(name, max(exact, key=len))] if exact else []
        vague += [(name, max(said, key=len))] if said else []
    if named or zh:
        return named or vague
    return vague if _AIMED_EN.search(form) and not re.search(r"\b(?:fan|blower)\b", form) else []


def _calls(where: list[tuple[str, str]], words: str, locale: str, context: Context, score: float) -> tuple[Match, ...]:
    if len(where) > 1:
        return (Match(SET_AIR, score, missing=("where",), question=BOTH["zh" if locale == "zh" else "en"]),)
    direction, ground = where[0]
    mine = f"row1.{speaker(context)}"
    before = recent_argument(context, SET_AIR, "zone") if asks(context, SET_AIR) else None
    seats = placed(words.replace(ground, " "), locale, context, mine, row1_only=True)
    if isinstance(before, str) and seats is not None and seats and seats[0][1].startswith("default:"):
        seats = ((before, "context:recent"),)
    return in_places(
        Match(SET_AIR, score, {"where": direction}, {"where": ground}),
        seats or (None if seats is None else ((mine, f"default:{mine}"),)),
        locale,
    )


def understand(meant: Meant) -> tuple[Match, ...]:
    locale = language(meant.text, meant.locale)
    form = (_NOT_ZH if meant.zh else _NOT_EN).sub(" ", meant.form)
    where = _where(form, meant.zh)
    if meant.variant == FRAGMENT:
        zone = recent_argument(meant.context, SET_AIR, "zone")
        before = recent_argument(meant.context, SET_AIR, "where")
        if where and isinstance(zone, str) and len(where) == 1:
            return (meant.match(SET_AIR, {"where": where[0][0], "zone": zone}, {"where": where[0][1], "zone": "context:recent"}),)
        seats = placed(form, locale, meant.context, "", row1_only=True)
        if isinstance(before, str) and seats and seats[0][0]:
            return in_places(Match(SET_AIR, meant.share, {"where": before}, {"where": "context:recent"}), seats, locale)
        return ()
    if not where:
        return (
            meant.asks(
                SET_AIR,
                "where",
                "Where shall the air blow: at the windscreen, the face or the feet?",
                "风要吹哪里：挡风玻璃、脸还是脚？",
            ),
        )
    return _calls(where, form, locale, meant.context, meant.share)


# --- the air, and where it blows in words ----------------------------------------------------------------------------------


def paths(zone: str) -> tuple[str, ...]:
    return tuple(air_distribution(f"Row{row}", role.capitalize()) for row, role in SEATS[zone])


def writes(where: str, zone: str) -> tuple[SignalWrite, ...]:
    return tuple(SignalWrite(path, DIRECTIONS[where]) for path in paths(zone))


_AT: Final = {"windscreen": ("at the windscreen", "挡风玻璃"), "face": ("at the face", "脸"), "feet": ("at the feet", "脚")}


def state(value: object, locale: str) -> str:
    """ "at the feet"; "" for a value that we don't know."""
    name = _NAMED.get(value) if isinstance(value, str) else None
    return _AT[name][1 if locale.startswith("zh") else 0] if name is not None else ""


def _whose(zone: str, locale: str) -> str:
    zh = locale.startswith("zh")
    return {"row1.passenger": "副驾驶" if zh else " on the passenger's side", "row1": "前排" if zh else " on both sides"}.get(
        zone, ""
    )


def sentence(value: object, zone: str, locale: str, *, already: bool = False) -> str:
    where = state(value, locale)
    if locale.startswith("zh"):
        return f"{_whose(zone, locale)}{'已经在' if already else '现在'}吹{where}{'了' if already else ''}。"
    return f"The air {'already' if already else 'now'} blows {where}{_whose(zone, locale)}."


def doing(where: str) -> tuple[str, str]:
    return f"blow the air {_AT[where][0]}", f"让风吹{_AT[where][1]}"


def is_so(where: str, zone: str, read: Read) -> bool:
    return all(text(read, path) == DIRECTIONS[where] for path in paths(zone))


# --- what later words may change ----------------------------------------------------------------------------------------------


def _before(arguments: Arguments, before: Reads) -> tuple[Another, ...]:
    found = []
    for row, role in SEATS[str(arguments["zone"])]:
        was = _NAMED.get(text(before, air_distribution(f"Row{row}", role.capitalize())) or "")
        if was is not None:
            found.append((was, f"row{row}.{role}"))
    if len({was for was, _ in found}) == 1 and len(found) == 2:
        return ((SET_AIR, {"where": found[0][0], "zone": "row1"}),)
    return tuple((SET_AIR, {"where": was, "zone": zone}) for was, zone in found)


CHANGES: Final = Changes(places=frozenset(ZONES), placed=partial(placed_again, row1_only=True), undone=_before)
