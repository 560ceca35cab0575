"""Climate: a stretch that asks for it -> calls. Pure.

The words that say how much and where are read here; that it is asked for, and in which direction, the tagger has found.
Does not know the gateway or the policy.
"""

from __future__ import annotations

import re
from dataclasses import replace

from ridealong.harness.meant import FRAGMENT, Meant, by_numbers, clauses, said_numbers
from ridealong.harness.skill import Match
from ridealong.harness.slots.number import find_numbers, parse_number
from ridealong.harness.slots.percent import find_percent
from ridealong.harness.slots.temperature import Doubt, Temperature, as_target, find_temperatures
from ridealong.harness.slots.text import plain
from ridealong.harness.slots.zones import Zones, find_zones
from ridealong.vehicle_skills.car import drive_side, number, recent_argument, speaker, temperature_unit, which_side
from ridealong.vehicle_skills.climate.of_another import of_another
from ridealong.vehicle_skills.climate.plan import CHANGE, FAN, FAN_STEP, SET, SWITCH
from ridealong.vehicle_skills.signals import fan_speed
from ridealong.vehicle_skills.unused import aims

HOTTEST, COLDEST = 30.0, 14.0
LEAST_FAN = 20
STEPS = {"bit": 1.0, "plain": 1.5, "lot": 3.0}
STEPS_F = {"bit": 2.0, "plain": 3.0, "lot": 6.0}
_BIT = re.compile(
    r"\b(?:bit|little|touch|tad|smidge|smidgen|slightly|notch|hair|fraction|somewhat|shade|tiny|wee)\b|一?点|稍|些|一丢丢|丁点"
)
_LOT = re.compile(
    r"\b(?:a lot|lots|loads|much|way|heaps|tons|significantly|considerably|a good bit|massively)\b|很多|好多|不少|大幅|多降|多加|猛"
)
_COUPLE = re.compile(r"\b(?:a )?couple(?: of)?(?: degrees)?\b|一两度|几度")
_ONE = re.compile(r"\b(?:a|one|another|1) (?:single |whole )?(?:degree|notch)\b|一度")
_AND_A_HALF = re.compile(r"\b(?:a|one) degree and a half\b|一度半")
_PART_ZH = re.compile(r"([俩仨])度(半)?")
_HALF = re.compile(r"\bhalf a degree\b|半度")


def _zones(meant: Meant) -> Zones | None:
    return find_zones(meant.text, meant.locale, drive_side(meant.context.read), speaker(meant.context), row1_only=True)


def _placed(meant: Meant) -> list[tuple[str, str]] | None:
    """(zone, ground) of each; None where a side was said and the drive side is unknown, or only the rear."""
    zones = _zones(meant)
    if (zones is not None and not zones.certain) or _only_rear(meant):
        return None
    if zones is not None:
        return [(name, zones.words) for name in zones.names]
    default = f"row1.{speaker(meant.context)}"
    return [(default, f"default:{default}")]


def _only_rear(meant: Meant) -> bool:
    everywhere = find_zones(meant.text, meant.locale, drive_side(meant.context.read), speaker(meant.context))
    return everywhere is not None and bool(everywhere.names) and all(name.startswith("row2") for name in everywhere.names)


def _where(meant: Meant) -> str:
    """The question for the place."""
    if _only_rear(meant):
        return (
            "后排没有单独的温度设置。要调前排吗？"
            if meant.zh
            else "The rear has no temperature of its own. Shall I set the front?"
        )
    return which_side(meant.locale)


_SUMS = re.compile(
    r"\b(?:divid\w+|multipl\w+|subtract\w*|square root|squared|cubed)\b|[乘除]以|开方|平方|[加减乘]上?[\d一二三四五六七八九十百]+等于"
)
"""A number of these is a sum's."""


def set_temperature(meant: Meant) -> tuple[Match, ...]:
    if _SUMS.search(plain(f"{meant.ahead} {meant.text}", meant.locale)):
        return ()
    if of_another(meant.form):
        return ()  # its number is no temperature
    if meant.variant in ("max", "min"):
        placed = _placed(meant)
        target = HOTTEST if meant.variant == "max" else COLDEST
        if placed is None:
            return (Match(SET, meant.share, missing=("zone",), question=_where(meant)),)
        return tuple(
            meant.match(SET, {"target": target, "zone": zone}, {"target": meant.form, "zone": words}) for zone, words in placed
        )
    several = _several(meant)
    if several:
        return several
    return _to_target(meant)


def _several(meant: Meant) -> tuple[Match, ...]:
    """ "20 for me, 23 for the wife": a number and a place in each part."""
    for parts in (clauses(meant), by_numbers(meant)):
        if len(parts) < 2 or any(_temperature(part) is None or _zones(part) is None for part in parts):
            continue
        found = [match for part in parts for match in _to_target(part)]
        zones = [match.arguments.get("zone") for match in found]
        if len(set(zones)) == len(zones) and not any(match.missing for match in found):
            return tuple(found)
    return ()


def _temperature(meant: Meant) -> Temperature | None:
    """The last one of the stretch: who corrects himself says the right one last."""
    for clause in reversed(clauses(meant) or [meant]):
        if found := find_temperatures(clause.text, clause.locale):
            return found[-1]
    numbers = said_numbers(meant)
    return Temperature(numbers[-1].value, None, False, numbers[-1].words, numbers[-1].span) if numbers else None


def _to_target(meant: Meant) -> tuple[Match, ...]:
    temperature = _temperature(meant)
    if temperature is None:
        before = recent_argument(meant.context, "climate.", "target")
        if meant.variant == FRAGMENT and isinstance(before, int | float) and _zones(meant) is not None:
            return _everywhere(meant, float(before), "context:recent")
        if meant.variant == FRAGMENT:
            return ()
        return (meant.asks(SET, "target", "What temperature would you like?", "要调到多少度？"),)
    target = as_target(temperature, temperature_unit(meant.context.read), meant.locale)
    if isinstance(target, Doubt):
        if meant.variant == FRAGMENT:
            return ()
        proposed: dict[str, object] = {} if target.proposal is None else {"target": target.proposal, "zone": "row1.driver"}
        grounds = {"target": target.words, "zone": "default:row1.driver"} if proposed else {}
        return (Match(SET, meant.share, proposed, grounds, ("target",), target.question),)
    return _everywhere(meant, target.celsius, target.words)


def _everywhere(meant: Meant, celsius: float, words: str) -> tuple[Match, ...]:
    placed = _placed(meant)
    if meant.variant == FRAGMENT and _zones(meant) is None:
        inherited = recent_argument(meant.context, "climate.", "zone")
        placed = [(str(inherited), "context:recent")] if isinstance(inherited, str) else placed
    if placed is None:
        return (Match(SET, meant.share, {"target": celsius}, {"target": words}, ("zone",), _where(meant)),)
    return tuple(
        meant.match(SET, {"target": celsius, "zone": zone}, {"target": words, "zone": ground}) for zone, ground in placed
    )


_ANOTHER_WARMTH = re.compile(r"\b(?:seats?|steering|wheel|bum|backside|outside)\b|座椅|方向盘|屁股|座垫|外面")


_LACKS_WARMTH = re.compile(
    r"\bnot (?:\w+ )?(?:hot|warm|toasty|cosy|cozy) enough\b|\bnot (?:\w+ )?(?:warm|toasty)\b|不够[热暖]|不(?:太|怎么|是很|算)?暖"
)
_LACKS_COLD = re.compile(r"\bnot (?:\w+ )?(?:cold|cool) enough\b|\bnot (?:\w+ )?cool\b|不够[冷凉]|不(?:太|怎么|是很|算)?凉")

_ASKS = re.compile(r"\d|\b(?:warmer|cooler|colder|hotter|degrees?|temperature|turn|set|make)\b|度|调|升|降|暖气|空调")
"""Asks for something by itself, and is no reason for the warmth of something else: 方向盘加热，手都冻僵了."""


def _lacks(form: str) -> int:
    """ "I'm not warm enough": the way that the temperature is to go, 0 where nothing is said to be lacking."""
    return 1 if _LACKS_WARMTH.search(form) else -1 if _LACKS_COLD.search(form) else 0


_OFF_BEHIND = re.compile(r"[，,]?\s*(?:我|你|他|她|主驾|副驾)(?:那边|这边)?的?(?:关掉|关了|关上|关)[。]?$")
"""What is to be off is no step of the temperature: 副驾温度调高，我的关掉."""


def change_temperature(meant: Meant) -> tuple[Match, ...]:
    meant = replace(meant, text=_OFF_BEHIND.sub("", meant.text))
    if _ANOTHER_WARMTH.search(meant.form) or (_ANOTHER_WARMTH.search(meant.ahead) and not _ASKS.search(meant.form)):
        return ()
    placed = _placed(meant)
    if meant.variant == FRAGMENT:
        before = recent_argument(meant.context, CHANGE, "delta")
        if not isinstance(before, int | float) or not before:
            return _to_target(meant)
        direction = 1 if before > 0 else -1
        if _temperature(meant) is not None and not isinstance(as_target(_temperature(meant), "C", meant.locale), Doubt):  # type: ignore[arg-type]
            return _to_target(meant)
        if _amount(meant) is None and _zones(meant) is not None:
            return tuple(
                meant.match(CHANGE, {"delta": before, "zone": zone}, {"delta": "context:recent", "zone": words})
                for zone, words in placed or ()
            )
    else:
        direction = _lacks(meant.form) or (1 if meant.variant == "warmer" else -1)
        if (said := find_temperatures(meant.text, meant.locale)) and aims(meant.form, meant.locale, said[-1]):
            return _to_target(meant)
    if placed is None:
        return (Match(CHANGE, meant.share, missing=("zone",), question=_where(meant)),)
    fahrenheit = temperature_unit(meant.context.read) == "F"
    amount = _amount(meant)
    manner = "lot" if _LOT.search(meant.form) else "bit" if _BIT.search(meant.form) else "plain"
    step = amount if amount is not None else (STEPS_F if fahrenheit else STEPS)[manner]
    delta = round(direction * step * (5 / 9 if fahrenheit else 1), 2)
    if not -10 <= delta <= 10:
        return ()
    return tuple(
        meant.match(CHANGE, {"delta": delta, "zone": zone}, {"delta": meant.form, "zone": words}) for zone, words in placed
    )


def _amount(meant: Meant) -> float | None:
    """The size of the step in degrees, if one is said."""
    form = meant.form
    if _HALF.search(form):
        return 0.5
    temperatures = find_temperatures(meant.text, meant.locale)
    for value in [*(one.value for one in temperatures), *(one.value for one in said_numbers(meant))]:
        if 0 < value <= 10:
            return value
    if found := _PART_ZH.search(form):
        return {"俩": 2.0, "仨": 3.0}[found[1]] + (0.5 if found[2] else 0.0)
    if _AND_A_HALF.search(form):
        return 1.5
    if _COUPLE.search(form):
        return 2.0
    return 1.0 if _ONE.search(form) else None


def set_fan(meant: Meant) -> tuple[Match, ...]:
    form = meant.form
    if re.search(r"\bdegrees?\b|度(?!假)", form) and len(said_numbers(meant)) == 1:
        return (meant.asks(FAN, "speed", *_PERCENT_OF_FAN),)
    if meant.variant == "max" and _LOW.search(form):
        return (meant.match(FAN, {"speed": LEAST_FAN}, {"speed": form}),)
    if meant.variant == "max" and (_MEDIUM.search(form) or _TURNED_UP.search(form) is None):
        return (meant.asks(FAN, "speed", *_PERCENT_OF_FAN),)
    if meant.variant in ("off", "max"):
        return (meant.match(FAN, {"speed": 0 if meant.variant == "off" else 100}, {"speed": form}),)
    share = share_said(meant)
    if meant.variant in ("more", "less"):
        now = number(meant.context.read, fan_speed("Row1", "Driver"))
        if share is not None and re.search(r"\b(?:to|at)\b|到|至", form):
            return (meant.match(FAN, {"speed": round(share[0])}, {"speed": share[1]}),)
        if re.search(r"\b(?:lowest|minimum|min)\b|最小|最低|最弱", form):
            return (meant.match(FAN, {"speed": LEAST_FAN}, {"speed": form}),)
        if now is None:
            return (
                meant.asks(
                    FAN,
                    "speed",
                    "I don't know the fan's speed now. How many percent would you like?",
                    "我不知道现在的风量。要调到百分之多少？",
                ),
            )
        step = share[0] if share is not None else FAN_STEP * _notches(form, meant.locale)
        value = round(min(max(now + (step if meant.variant == "more" else -step), 0), 100))
        return (meant.match(FAN, {"speed": value}, {"speed": form}),)
    if share is None and _FULL.search(form):
        return (meant.match(FAN, {"speed": 100}, {"speed": form}),)
    if share is None:
        if meant.variant == FRAGMENT:
            return ()
        return (meant.asks(FAN, "speed", *_PERCENT_OF_FAN),)
    return (meant.match(FAN, {"speed": round(share[0])}, {"speed": share[1]}),)


def _notches(form: str, locale: str) -> float:
    """How many of our steps are said: "up two notches"."""
    said = [one for one in find_numbers(form, locale) if re.match(r" (?:notch|level|step|click)|[档挡级格]", form[one.span[1] :])]
    return said[-1].value if said and 1 <= said[-1].value <= 5 else 1


_PERCENT_OF_FAN = ("This car sets the fan in percent. How many percent?", "您是说百分之多少？")
_LOW = re.compile(
    r"\b(?:low|lowest|minimum|min|slow|slowest|gentle|quiet)\b|最[小低弱]|[低小弱](?:档|挡|速|风)|[到成为]最?[低小弱]$"
)
_MEDIUM = re.compile(r"\b(?:medium|mid|middle|moderate|half)\b|中(?:档|挡|速|等|间)")
_TURNED_UP = re.compile(
    r"\b(?:full\w*|max\w*|high\w*|top|hard\w*|strong\w*|blast\w*|flat|all|on|up|going|run\w*|start\w*|activate|crank\w*|power|loud\w*|fast\w*|more|turbo|everything|give|want|need|enable|get|whack|ramp|boost|hit|blow\w*|hundred|100)\b|[大强满高开吹猛足快劲全]"
)
"""Of a fan that is only to be set it isn't known to what."""
_FULL = re.compile(r"\b(?:flat out|full\w*|max\w*|highest|all the way|blast|top speed)\b|最大|最强|拉满|最高")
_OUT_OF = re.compile(r"\bout of (?:ten|10)\b")


def share_said(meant: Meant) -> tuple[float, str] | None:
    """(percent, words): said as a share, as a bare number, or "four out of ten"."""
    form = meant.form
    if points := re.search(r"([\d零一二三四五六七八九十百]+) ?个?百分点", form):
        number_ = parse_number(points[1], meant.locale)
        if number_ is not None and 0 <= number_.value <= 100:
            return number_.value, points[0]
    if quarter := re.search(r"\b(?:a )?(quarter|third)(?= (?:open|down|shut|closed|up))", form):
        return (25.0 if quarter[1] == "quarter" else 100 / 3), quarter[0]
    percent = find_percent(form, meant.locale)
    numbers = [one for one in said_numbers(meant) if 0 <= one.value <= 100]
    if _OUT_OF.search(form) and numbers:
        return 10 * numbers[0].value, form
    if percent is not None and not percent.vague:
        return percent.value, percent.words
    if numbers and not re.search(r"档|挡|级|\b(?:level|gear|notch|step)\b", form):
        last = numbers[-1]
        if last.value >= 5 or last.value == 0:
            return last.value, last.words
    return None


_BOTH = re.compile(r"\bboth\b|front and (?:rear|back)|前后|两个(?:除|都)|都(?:开|除|关)")


_ONLY_ON = re.compile(
    r"(?:(?:oh|well|so|okay|please|now|and) )*(?:carry|go|come|hang|hold|keep|move|press|right|read|play) (?:on|going)(?: (?:please|then|now))*"
)
"""Their "on" switches nothing."""


def switch(meant: Meant) -> tuple[Match, ...]:
    if _ONLY_ON.fullmatch(meant.form):
        return ()
    if meant.variant == FRAGMENT:
        return _switch_fragment(meant)
    thing, _, state = meant.variant.partition("/")
    if thing == "air_conditioning" and _HEATS.search(meant.form) and not _BY_NAME.search(meant.form):
        return (meant.asks(SET, "target", "What temperature would you like?", "要调到多少度？"),)
    if thing == "rear_defroster" and not _BEHIND.search(meant.form):
        thing = "front_defroster"  # the rear one is named: 再打开除雾 is not
    if thing.endswith("defroster") and _BOTH.search(meant.form):
        both = ("front_defroster", "rear_defroster")
        return tuple(
            meant.match(SWITCH, {"thing": one, "on": state == "on"}, {"thing": meant.form, "on": meant.form}) for one in both
        )
    return (meant.match(SWITCH, {"thing": thing, "on": state == "on"}, {"thing": meant.form, "on": meant.form}),)


_HEATS = re.compile(r"\bheat(?:ing|er)?\b|暖[气风]|制热|热风")
_BEHIND = re.compile(r"\b(?:rear|back|behind)\b|后")
_THINGS = (
    ("rear_defroster", r"\b(?:rear|back)\b|后"),
    ("front_defroster", r"\bfront\b|windscreen|windshield|前"),
    ("recirculation", r"recirc|内循环|外循环"),
    ("front_defroster", r"defrost|demist|defog|除[霜雾]"),
    ("air_conditioning", r"\bac\b|\bair ?con|空调|冷气"),
)
_BY_NAME = re.compile(r"defrost|demist|defog|windscreen|windshield|recirc|\bac\b|\bair ?con|除[霜雾]|循环|空调|冷气")


def _switch_fragment(meant: Meant) -> tuple[Match, ...]:
    """ "actually leave it off", "the back one", 后面."""
    thing, on = recent_argument(meant.context, SWITCH, "thing"), recent_argument(meant.context, SWITCH, "on")
    if not isinstance(thing, str) or not isinstance(on, bool):
        return ()
    other = next((name for name, pattern in _THINGS if re.search(pattern, meant.form)), None)
    state = True if re.search(r"\bon\b|开", meant.form) else False if re.search(r"\boff\b|关", meant.form) else None
    kin = other is not None and thing.endswith("defroster") == other.endswith("defroster")
    if other is not None and other != thing and (kin or _BY_NAME.search(meant.form)):
        grounds = {"thing": meant.form, "on": "context:recent" if state is None else meant.form}
        return (meant.match(SWITCH, {"thing": other, "on": on if state is None else state}, grounds),)
    if state is None or state == on:
        return ()
    return (meant.match(SWITCH, {"thing": thing, "on": state}, {"thing": "context:recent", "on": meant.form}),)
