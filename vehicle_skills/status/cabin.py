"""Questions about the cabin: are the doors locked, are the seats heated, which lights are on. They never act: their contracts write nothing.

Words -> question -> an answer from readings. Does not know how readings arrive.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from ridealong.harness.framing import frame
from ridealong.harness.meant import FRAGMENT, Meant, Understand
from ridealong.harness.reading import Reading
from ridealong.harness.skill import Call, Context, Match, Recognise, Skill, Spoken
from ridealong.harness.slots import render
from ridealong.harness.slots.text import plain
from ridealong.harness.slots.zone import SEATS, is_plural, zone_name
from ridealong.harness.slots.zones import cover
from ridealong.harness.telling import refused
from ridealong.vehicle_skills.cabin_signals import LIGHT_SWITCH, LOW_BEAM
from ridealong.vehicle_skills.car import Read, flag, number, text
from ridealong.vehicle_skills.claim import take_places
from ridealong.vehicle_skills.holding import Noted
from ridealong.vehicle_skills.lights.colours import spoken
from ridealong.vehicle_skills.lights.plan import COLOUR, INTENSITY, ON
from ridealong.vehicle_skills.like_names import named_otherwise
from ridealong.vehicle_skills.locks import plan as locks
from ridealong.vehicle_skills.seats import plan as seat_plan
from ridealong.vehicle_skills.signals import DOME_LIGHT, DRIVER_POSITION

GROUP: Final = "status"

# --- answers -----------------------------------------------------------------------------------------------------------------


def locked(read: Read, locale: str) -> str:
    zh = locale.startswith("zh")
    states = {seat: flag(read, locks.path(seat)) for seat in SEATS["all"]}
    known = {seat for seat, state in states.items() if state is not None}
    if not known:
        return "我没有门锁的读数。" if zh else "I have no reading of the door locks."
    tail = ""
    if len(known) < len(states):
        count = len(states) - len(known)
        tail = f"有{count}个没有读数。" if zh else f" I can't read {count} of them."
    for state in (True, False):
        if all(states[seat] is state for seat in known):
            if zh:
                return f"车门都{'锁着' if state else '没锁'}。{tail}"
            return f"The doors are {'locked' if state else 'not locked'}.{tail}"
    open_ones = [locks.name(zone, locale, read) for zone in cover({seat for seat in known if states[seat] is False})]
    plural = len(open_ones) > 1 or is_plural(cover({seat for seat in known if states[seat] is False})[0])
    if zh:
        return f"{'、'.join(open_ones)}没锁，其他的锁着。{tail}"
    listed = " and ".join(open_ones)
    return f"{listed[0].upper()}{listed[1:]} {'are' if plural else 'is'} not locked; the others are.{tail}"


def seat_heating(read: Read, locale: str) -> str:
    zh = locale.startswith("zh")
    levels = {role: number(read, seat_plan.warmth_path(role)) for role in ("driver", "passenger")}
    known = {role: level for role, level in levels.items() if level is not None}
    if not known:
        return "我没有座椅加热的读数。" if zh else "I have no reading of the seat heating."
    if len(known) == 2 and not any(known.values()):
        return "前排座椅的加热和通风都关着。" if zh else "The front seats are neither heated nor cooled."
    parts = []
    for role, level in known.items():
        thing = zone_name(f"row1.{role}", "座椅" if zh else "seat", locale)
        state = seat_plan.warmth_state(level, locale)
        parts.append(f"{thing}{state}" if zh else f"{thing} is {state}")
    joined = ("，" if zh else ", and ").join(parts)
    return f"{joined}。" if zh else f"{joined[0].upper()}{joined[1:]}."


def lights(read: Read, locale: str) -> str:
    zh = locale.startswith("zh")
    found: list[tuple[bool | None, str]] = [
        (flag(read, DOME_LIGHT), "车内灯" if zh else "the cabin light"),
        (flag(read, ON[0]), _ambient(read, locale)),
        (_headlights(read), "大灯" if zh else "the headlights"),
    ]
    on = [name for lit, name in found if lit]
    off = [name.partition("（" if zh else " (")[0] for lit, name in found if lit is False]
    unknown = [name.partition("（" if zh else " (")[0] for lit, name in found if lit is None]
    if not on and not off:
        return "我没有灯的读数。" if zh else "I have no reading of the lights."
    if zh:
        said = f"{'、'.join(on)}开着" if on else ""
        rest = f"{'、'.join(off)}关着" if off else ""
        lacking = f"{'、'.join(unknown)}没有读数" if unknown else ""
        return "，".join(part for part in (said, rest, lacking) if part) + "。"
    said = f"{_listed(on)} {'is' if _single(on) else 'are'} on" if on else ""
    rest = f"{_listed(off)} {'is' if _single(off) else 'are'} off" if off else ""
    lacking = f"I have no reading of {_listed(unknown)}" if unknown else ""
    joined = "; ".join(part for part in (said, rest, lacking) if part)
    return f"{joined[0].upper()}{joined[1:]}."


def _ambient(read: Read, locale: str) -> str:
    """With its colour and brightness where it is on."""
    zh = locale.startswith("zh")
    name, colour, level = (
        "氛围灯" if zh else "the ambient light",
        spoken(text(read, COLOUR[0]), locale),
        number(read, INTENSITY[0]),
    )
    parts = ([colour] if colour else []) + ([render.percent(level, locale)] if level is not None else [])
    if not parts:
        return name
    return f"{name}（{'，'.join(parts)}）" if zh else f"{name} ({', '.join(parts)})"


def _headlights(read: Read) -> bool | None:
    """By the beam itself; by the switch where that says it for sure."""
    beam, switch = flag(read, LOW_BEAM), text(read, LIGHT_SWITCH)
    if beam is not None:
        return beam
    return {"BEAM": True, "OFF": False}.get(switch or "")


def _listed(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _single(names: list[str]) -> bool:
    return len(names) == 1 and not names[0].endswith("s")


# --- questions ---------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Question:
    """`english`, `chinese`: must be found; `also_*`: something of it too; `not_*`: nothing of it."""

    name: str
    description: str
    english: str
    chinese: str
    also_english: str
    also_chinese: str
    not_english: str
    not_chinese: str
    answer: Callable[[Read, str], str]
    reads: tuple[str, ...]
    examples: tuple[tuple[str, ...], tuple[str, ...]]


QUESTIONS: Final = (
    Question(
        "locks", "Say whether the doors are locked.",
        r"(?:un)?locked|(?:door )?locks?(?: status)?|locked in", r"锁",
        r"doors?|car|vehicle|lock(?:ed)?(?: it| up| everything)?|we|all|everything|status", r"门|车|锁(?:好|上|着|了)|几个",
        r"screens?|phone|child|bikes?|house|home|windows?|boot|trunk|steering|why|how|who|garage|garages|account|file|gates?|office|flat|differential|fix|broken|down|when|lock ?down|bathroom|toilet",
        r"儿童|童锁|窗|手机|屏|家|后备|尾门|方向盘|自行车|怎么|为什么|多少钱|坏|宿舍|办公|密码|抽屉|地锁|车位",
        locked, (*locks.paths("all"), DRIVER_POSITION),
        (("Are the doors locked?", "Is the car locked?"), ("车门锁了吗？", "检查一下门锁状态。")),
    ),
    Question(
        "seat_heating", "Say how the seats are heated.",
        r"seats?|bum ?warmers?|seat ?warmers?|seat ?heaters?|heated seats?", r"座椅|椅子|座位|坐垫|座垫|(?:主|副)驾驶?(?=加热|通风)",
        r"heat\w*|warm\w*|cool\w*|ventilat\w*|hot|fans?", r"加热|通风|热|制冷|几档|凉",
        r"belts?|cost|buy|price|how (?:do|can|to)|who|book|taken|free|child|outside", r"安全带|多少钱|怎么|买|儿童|谁|空调",
        seat_heating, seat_plan.warmth_paths("row1"),
        (("Is my seat heating on?", "What level is the seat heating at?"), ("座椅加热开着吗？", "座椅加热是几档？")),
    ),
    Question(
        "lights", "Say which lights are on.",
        r"lights?|lamps?|lighting|head ?lights?|head ?lamps?|glow|beams?", r"灯|近光|远光",
        r"on|off|which|status|state|colou?r|bright|leave|left|still|burning|dim", r"开|关|亮|颜色|什么色|状态|多亮|哪|着|忘",
        r"traffic|warning|warn|problem|safe|came on|come on|brakes? \w+ light|abs|oil|tyre|engine|dashboard|red light|green light|street|kitchen|living|bedroom|house|home|hall|garage|why|how (?:do|can|to|far|many|fast)|who|when|bulb|replace|broken|cost|year|speed|seat|fault|indicator light|christmas|flash ?light|torch|northern|dash|yellow light|orange|shops?|its",
        r"红绿|故障|警告|报警|ABS|abs|胎压|机油|刹车|发动机|严重|亮了(?!没|吗)|路灯|台灯|客厅|卧室|厨房|家里|为什么|怎么|多少钱|坏|灯泡|红灯|绿灯|仪表|手电|换",
        lights, (DOME_LIGHT, *ON, *COLOUR, *INTENSITY, LOW_BEAM, LIGHT_SWITCH),
        (("Which lights are on?", "Is the cabin light on?", "Are the headlights on?"), ("大灯开着吗？", "车内灯关了没？", "氛围灯是什么颜色？")),
    ),
)  # fmt: skip
_ASK_EN: Final = (
    r"what|which|how|is|are|do|does|did|has|have|tell|check|show|give|say|whether|if|any|all|status|level|state|set|setting|on|off|still|left|leave|now|front|rear|back|my|passenger|passengers|driver|drivers|"
    r"being|running|high|bright|much|know|yes|no|or|open|everything|four|in|we|i|it|out|outside|inside|somewhere|them|both|see|sure|properly"
)
_ASK_ZH: Final = (
    r"吗|么|呢|没有|没|有|是|不是|是不是|什么|几|哪|多少|多亮|多|个|档|级|开着|关着|开|关|掉|着|了|好|上|检查|查|看看|看|告诉|状态|现在|还|都|四|我|所有|全部?|情况|知道|忘|或者|还是|怎样|吧|每|扇|主驾驶?|副驾驶?|"
    r"左|右|前|后|排|颜色|色|里|外面|车|内|功能|已经|分别|两边"
)
_CHECKS_EN: Final = re.compile(
    r"(?:check|tell me|show|status|(?:door lock|light|lights|seat heating|lock) (?:status|state|level))\b|.* status$"
)
_CHECKS_ZH: Final = re.compile(r"查|多亮|看看|看一下|告诉我|状态|报一下|有没有|没锁$")


def recogniser(question: Question) -> Recognise:
    def recognise(words: str, locale: str, context: Context) -> Match | None:
        reading, framing = Reading(words, locale), frame(words, locale)
        zh = reading.zh
        asked = framing.question or (_CHECKS_ZH.search(framing.text) if zh else _CHECKS_EN.match(framing.core)) is not None
        if not asked or reading.has(question.not_chinese if zh else question.not_english):
            return None
        if named_otherwise(plain(words, locale), zh, question.name, question.chinese if zh else question.english):
            return None
        if (
            question.name == "lights"
            and not zh
            and reading.has("colou?r")
            and not reading.has("ambient|ambience|mood|accent|glow|strips?|cabin|interior")
        ):
            return None  # a light out there
        if re.match(r"(?:can|could|will|would) (?:you|i|we)\b(?! (?:tell|check|see|say))", framing.text):
            return None
        if reading.take(question.chinese if zh else question.english) is None or not reading.has(
            question.also_chinese if zh else question.also_english
        ):
            return None
        reading.take(question.also_chinese if zh else question.also_english)
        reading.take(_KINDS_ZH if zh else _KINDS_EN)
        reading.take(_ASK_ZH if zh else _ASK_EN)
        take_places(reading)
        return Match(f"status.{question.name}", reading.score(0.94))

    return recognise


_KINDS_EN: Final = r"doors?|car|locks?|lock|dome|reading|cabin|interior|ambient|ambience|mood|accent|glow|strips?|head|low|high|beams?|map|heat\w*|warm\w*|cool\w*|ventilat\w*|seats?|fans?|kids?"
_KINDS_ZH: Final = r"车门|门锁|锁|门|车内灯|氛围|气氛|阅读|大灯|头灯|近光|远光|雾灯|顶|车灯|照明|加热|通风|座椅|椅子|灯"


def understander(question: Question) -> Understand:
    def understand(meant: Meant) -> tuple[Match, ...]:
        if meant.variant == FRAGMENT:
            return ()
        if named_otherwise(meant.form, meant.zh, question.name, question.chinese if meant.zh else question.english):
            return ()
        return (meant.match(f"status.{question.name}", {}, {}),)

    return understand


def status_skill(question: Question) -> Skill:
    async def run(call: Call) -> Spoken:
        verdict = call.signals.check(GROUP, call.confirmation)
        if not verdict.allowed:
            return refused(verdict.reason, "read that", "读取这个信息", call.locale)
        read = Noted(call.signals.read)
        return Spoken(question.answer(read, call.locale), holds=read.holds())

    return Skill(
        name=f"status.{question.name}", description=question.description, run=run, recognise=recogniser(question), group=GROUP,
        arguments_schema={"type": "object", "properties": {}, "required": [], "additionalProperties": False},
        examples={"en": question.examples[0], "zh": question.examples[1]}, reads=question.reads, timeout_ms=5_000, rehearsable=True,
        understand=understander(question), renewable=True,
    )  # fmt: skip


SKILLS: tuple[Skill, ...] = tuple(status_skill(question) for question in QUESTIONS)
