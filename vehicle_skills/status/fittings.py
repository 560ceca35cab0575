"""Questions about the sunroof, the wipers and the child locks: is it open, are they on, is it engaged. They never act.

Words -> question -> an answer from readings, as in `cabin.py`. Does not know how readings arrive.
"""

from __future__ import annotations

from typing import Final

from ridealong.harness.skill import Skill
from ridealong.harness.slots.zone import zone_name
from ridealong.vehicle_skills.cabin_signals import WIPERS
from ridealong.vehicle_skills.car import Read, drive_side, flag
from ridealong.vehicle_skills.like_names import CHILD_LOCK_EN, CHILD_LOCK_ZH, ROOF_EN, ROOF_ZH, WIPERS_EN, WIPERS_ZH
from ridealong.vehicle_skills.signals import DRIVER_POSITION, SUNROOF_POSITION, WINDOW_CHILD_LOCK, child_lock
from ridealong.vehicle_skills.status.cabin import Question, status_skill
from ridealong.vehicle_skills.sunroof import plan as roof
from ridealong.vehicle_skills.wipers import plan as wipers

_CHILD_LOCKS: Final = {f"row2.{role}": child_lock("Row2", f"{role.capitalize()}Side") for role in ("driver", "passenger")}


def sunroof(read: Read, locale: str) -> str:
    zh, position = locale.startswith("zh"), roof.position(read)
    if position is None:
        return "我没有天窗的读数。" if zh else "I have no reading of the sunroof."
    return f"天窗{roof.state(position, locale)}。" if zh else f"The sunroof is {roof.state(position, locale)}."


def wiping(read: Read, locale: str) -> str:
    zh, mode = locale.startswith("zh"), wipers.mode_now(read)
    if mode is None:
        return "我没有雨刮的读数。" if zh else "I have no reading of the wipers."
    if mode == "off":
        return "雨刮关着。" if zh else "The wipers are off."
    return f"雨刮开着，{wipers.state(mode, locale)}。" if zh else f"The wipers are {wipers.state(mode, locale)}."


def child_locks(read: Read, locale: str) -> str:
    """Of the rear doors, and of the rear windows where the car has one for them."""
    zh, windows = locale.startswith("zh"), flag(read, WINDOW_CHILD_LOCK)
    states = {zone: flag(read, path) for zone, path in _CHILD_LOCKS.items()}
    known = {zone: state for zone, state in states.items() if state is not None}
    if not known and windows is None:
        return "我没有儿童锁的读数。" if zh else "I have no reading of the child locks."
    parts, side = [], drive_side(read)
    if len(known) == len(states) and len(set(known.values())) == 1:
        on = _on(all(known.values()), locale)
        parts = [f"两个后门的儿童锁都{on}" if zh else f"the child locks of the rear doors are {on}"]
    elif known:
        for zone, state in states.items():
            name = zone_name(zone, "门" if zh else "door", locale, side)
            said = ("没有读数" if zh else "not known") if state is None else _on(state, locale)
            parts.append(f"{name}的儿童锁{said}" if zh else f"the child lock of {name} is {said}")
    else:
        parts = ["我没有车门儿童锁的读数" if zh else "I have no reading of the doors' child locks"]
    if windows is not None:
        parts.append(f"后窗的儿童锁{_on(windows, locale)}" if zh else f"that of the rear windows is {_on(windows, locale)}")
    joined = "，".join(parts) if zh else ", and ".join(parts)
    return f"{joined}。" if zh else f"{joined[0].upper()}{joined[1:]}."


def _on(state: bool, locale: str) -> str:
    return ("开着" if state else "关着") if locale.startswith("zh") else ("on" if state else "off")


_NO_QUESTION_EN: Final = r"why|how (?:do|can|to|much)|who|when|cost|price|leak\w*|broken|replace|clean|blades?|fluid|buy"
_NO_QUESTION_ZH: Final = r"为什么|怎么|多少钱|谁|漏|坏|换|雨刮水|玻璃水|买"
QUESTIONS: Final = (
    Question(
        "sunroof", "Say whether the sunroof is open, closed or tilted.",
        ROOF_EN, ROOF_ZH,
        r"open|closed?|shut|tilted|vented|position|state|status|far|up|still", r"开|关|翘|状态|位置|好|严",
        _NO_QUESTION_EN + r"|rack|box|house|shade|blinds?", _NO_QUESTION_ZH + r"|遮阳|帘",
        sunroof, (SUNROOF_POSITION,),
        (("Is the sunroof open?", "Did I close the sunroof?"), ("天窗关了吗？", "天窗开着吗？")),
    ),
    Question(
        "wipers", "Say whether the wipers are on, and how fast.",
        WIPERS_EN, WIPERS_ZH,
        r"on|off|running|set|mode|speed|fast|slow|automatic|auto|status|state|still|interval", r"开|关|档|挡|速|快|慢|自动|状态|模式",
        _NO_QUESTION_EN, _NO_QUESTION_ZH,
        wiping, (WIPERS,),
        (("Are the wipers on?", "What are the wipers set to?"), ("雨刮开着吗？", "雨刮是几档？")),
    ),
    Question(
        "child_locks", "Say whether the child locks are on.",
        CHILD_LOCK_EN, CHILD_LOCK_ZH,
        r"on|off|active|activated|engaged|set|locked|status|state|still|enabled", r"开|关|锁|状态|有没有|了",
        _NO_QUESTION_EN + r"|turn|switch|put", _NO_QUESTION_ZH + r"|打开|关掉|关上",
        child_locks, (*_CHILD_LOCKS.values(), WINDOW_CHILD_LOCK, DRIVER_POSITION),
        (("Is the child lock on?", "Are the child locks active?"), ("儿童锁开着吗？", "儿童锁锁上了吗？")),
    ),
)  # fmt: skip
SKILLS: tuple[Skill, ...] = tuple(status_skill(question) for question in QUESTIONS)
