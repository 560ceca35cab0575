"""The door locks: words -> lock or unlock, and where; the state of a zone in words. Pure.

A question ("are the doors locked?") is status.locks's; it never acts. Does not know the policy, or who may ask.
"""

from __future__ import annotations

import re
from functools import partial
from typing import Final

from ridealong.harness.changes import Another, Arguments, Changes, Reads
from ridealong.harness.meant import FRAGMENT, Meant
from ridealong.harness.reading import Reading
from ridealong.harness.skill import Context, Match
from ridealong.harness.slots.zone import SEATS, ZONES, is_plural, zone_name
from ridealong.harness.slots.zones import cover
from ridealong.proto.types import SignalWrite
from ridealong.vehicle_skills.car import Read, drive_side, flag, placed_again
from ridealong.vehicle_skills.claim import Placed, agreed, in_places, only, placed, take_places, tells
from ridealong.vehicle_skills.like_names import CHILD_LOCK_EN, CHILD_LOCK_ZH
from ridealong.vehicle_skills.signals import door_locked

LOCK, UNLOCK = "locks.lock", "locks.unlock"
_REQUIRED: Final = ("zone",)

# --- words ---------------------------------------------------------------------------------------------------------------

_OTHER_EN: Final = (
    r"screens?|phone|bikes?|bicycle|windows?|child|steering|wheel|house|home|garage|flat|kitchen|bathroom|toilet|office|boot|trunk|tailgate|hatch|glove|diff|"
    r"rotation|orientation|target|file|account|keyboard|padlock|sunroof|fuel|cap|lid|brakes?|key|keys|code|pin|anti|gates?|shop|cupboard|drawer|"
    r"(?:seat ?)?belts?|horns|onto|cruise|focus|deal|date|price|level|achievement|in at|degrees"
)
_OTHER_ZH: Final = r"儿童锁|童锁|窗|屏|手机|方向盘|家|房|密码|后备|尾门|行李|自行车|电动车|天窗|锁定|挂锁|锁单|油箱|账|号|抽屉|柜|手套箱|键盘|档位|挡位|差速|钥匙|宿舍|办公|店"
_DOORS_EN: Final = (
    r"doors?|car|vehicle|locks?|everything|all four|all of (?:them|it)|the lot|it all|all|them|it|us in|(?:her|him|them) in"
)
_LOCK_EN: Final = r"lock(?: up)?|secure|bolt|re ?lock"
_UNLOCK_EN: Final = r"un ?lock|un lock"
_SAID_EN: Final = {
    LOCK: (
        rf"(?:{_LOCK_EN})(?: (?:the|my|our|his|her|all|both|of|up|down|us|in))* ?.*\b(?:{_DOORS_EN})\b.*", r"lock(?: it| everything)? up", r"lock(?: it)?",
        r"central locking on", r"(?:engage|activate|put on|set) (?:the )?(?:door |central )?lock(?:s|ing)(?: on)?",
        r"(?:turn|switch|put) (?:on )?(?:the )?(?:door |central )?lock(?:s|ing)(?: on)?", r"(?:have|get|keep|want) (?:the |all |my )*(?:\w+ ){0,3}doors? locked",
    ),
    UNLOCK: (
        rf"(?:{_UNLOCK_EN})(?: .*)?\b(?:{_DOORS_EN})\b.*", r"un ?lock(?: it)?", rf"(?:{_UNLOCK_EN})(?: just| only| the| my)* (?:\w+ ){{0,2}}(?:driver|passenger|rear|back|front|left|right)s?(?: \w+){{0,2}}",
        r"central locking off", r"(?:release|undo|disengage|free|pop|open) (?:the |all |my |our )*(?:\w+ ){0,2}(?:door )?locks?(?: \w+){0,4}",
        r"(?:turn|switch|put|take) (?:off )?(?:the )?(?:door |central )?lock(?:s|ing)(?: off)?", r"(?:have|get|want) (?:the |all |my )*(?:\w+ ){0,3}doors? unlocked",
    ),
}  # fmt: skip
"""Each is the whole request."""
_ASKED_FOR_EN: Final = re.compile(r"(?:the |my |all |all the )?(?:\w+ ){0,2}(?:doors?|car) (?P<un>un)?(?:locked?)(?: up)?")
"""A request only where it is put politely: else it may be told, or be the half of a question."""
_TAKEN_EN: Final = (
    r"un ?lock\w*|lock\w*|doors?|central|locking|secure|bolt|engage|activate|release|undo|disengage|free|pop|open|turn|switch|off|four|lot|everything|them|only|want|keep|quick|quickly|"
    r"let|take|rest|others?|passengers?|drivers?|rear|front|left|seats?"
)
_LOCKS_ZH: Final = (
    r"锁(?:上|好|住|死|紧|起来|了|一下|掉)?(?:所有|全部|全车|四个|[主副左右前后驾驶座排的侧边我]|这边|那边)*(?:车门|门|车)|(?:车门|门|车)(?:都|全|全部|全都|也|给我|给)?(?:锁|上锁|落锁)|上锁|落锁|"
    r"(?:中控|门)锁(?:打开|落下|落|锁上|上)|全?锁上"
)
_UNLOCKS_ZH: Final = r"解锁|解开.{0,5}锁|开(?:一下)?(?:.{0,6})?(?:门|车|中控)?锁|锁(?:都|全|给我|全部)*(?:打开|解开|开|解)|解(?:除|了)?(?:门|中控)?锁"
_TAKEN_ZH: Final = (
    r"解锁|解开|解|上锁|落锁|锁|打开|开|关|车门|门|车|中控|落|下|起来|住|死|好|紧|四|全|都|所有|部|除|掉|只|其他|别的|人|快|麻烦"
)


def recognise(text: str, locale: str, context: Context, capability: str) -> Match | None:
    if (yes := agreed(capability, text, locale, context, _REQUIRED)) is not None:
        return yes
    reading = Reading(text, locale)
    if tells(reading) or reading.has(_OTHER_ZH if reading.zh else _OTHER_EN):
        return None
    if (_said_zh(reading.core) if reading.zh else _said_en(reading.core, reading.frame.polite)) != capability:
        return None
    reading.take(_TAKEN_ZH if reading.zh else _TAKEN_EN)
    take_places(reading)
    return only(_calls(capability, reading.core, reading.locale, context, reading.score(0.93)))


def _said_en(core: str, polite: bool) -> str:
    if polite and (found := _ASKED_FOR_EN.fullmatch(core)) is not None:
        return UNLOCK if found["un"] else LOCK
    return next((name for name in (UNLOCK, LOCK) if any(re.fullmatch(rf"{pattern}", core) for pattern in _SAID_EN[name])), "")


def _said_zh(core: str) -> str:
    if re.search(_UNLOCKS_ZH, core):
        return UNLOCK
    return LOCK if re.search(_LOCKS_ZH, core) else ""


recognise_lock = partial(recognise, capability=LOCK)
recognise_unlock = partial(recognise, capability=UNLOCK)


_MATE: Final = re.compile(r",? (?:mate|love|pal|dear|buddy)[.!?]*$", re.IGNORECASE)
"""Who is spoken to, and no passenger's door."""


def _calls(capability: str, words: str, locale: str, context: Context, score: float) -> tuple[Match, ...]:
    words = _MATE.sub("", words)
    both = re.search(r"\bdoors\b|两|都|一侧|一排", words) is not None
    return in_places(Match(capability, score), _doors(words, locale, context, both), locale)


def _doors(words: str, locale: str, context: Context, whole_side: bool) -> Placed | None:
    """Doors are placed as windows are; the grounds are the words as they were said."""
    as_windows = re.sub(r"\bdoor(?=s?\b)", "window", words, flags=re.IGNORECASE).replace("车门", "车窗").replace("门", "窗")
    where = placed(as_windows, locale, context, "all", whole_side=whole_side)
    if where is None:
        return None
    return tuple((zone, ground.replace("window", "door").replace("窗", "门")) for zone, ground in where)


_DOOR: Final = re.compile(r"\b(?:doors?|car|vehicle|everything)\b|门|车(?!窗)")


def _of_something_else(meant: Meant) -> bool:
    """A child lock, which is nobody's to set by voice, or what is no door and has a lock of its own."""
    other = _OTHER_ZH if meant.zh else rf"\b(?:{_OTHER_EN})\b"
    child = CHILD_LOCK_ZH if meant.zh else CHILD_LOCK_EN
    return bool(re.search(child, meant.form) or (re.search(other, meant.form) and not _DOOR.search(meant.form)))


def understand(meant: Meant, capability: str) -> tuple[Match, ...]:
    if _of_something_else(meant):
        return ()
    if meant.variant == FRAGMENT:
        where = _doors(meant.text, meant.locale, meant.context, False)
        if where is not None and where[0][1].startswith("default:"):
            return ()
    return _calls(capability, meant.text, meant.locale, meant.context, meant.share)


understand_lock = partial(understand, capability=LOCK)
understand_unlock = partial(understand, capability=UNLOCK)

# --- the locks, and their state in words ------------------------------------------------------------------------------------


def path(seat: tuple[int, str]) -> str:
    return door_locked(f"Row{seat[0]}", f"{seat[1].capitalize()}Side")


def paths(zone: str) -> tuple[str, ...]:
    return tuple(map(path, SEATS[zone]))


def writes(zone: str, locked: bool) -> tuple[SignalWrite, ...]:
    return tuple(SignalWrite(one, locked) for one in paths(zone))


def name(zone: str, locale: str, read: Read) -> str:
    return zone_name(zone, "车门" if locale.startswith("zh") else "door", locale, drive_side(read))


def state_sentence(zone: str, locked: bool, locale: str, read: Read, *, already: bool = False) -> str:
    thing = name(zone, locale, read)
    if locale.startswith("zh"):
        return f"{thing}{'已经' if already else '已'}{'锁上' if locked else '解锁'}了。"
    thing = "the doors" if zone == "all" else thing
    verb = "are" if is_plural(zone) else "is"
    return f"{thing[0].upper()}{thing[1:]} {verb} {'already ' if already else ''}{'locked' if locked else 'unlocked'}."


def doing(zone: str, locked: bool, read: Read) -> tuple[str, str]:
    """ "unlock the rear doors" in both languages."""
    english = "the doors" if zone == "all" else name(zone, "en", read)
    return f"{'lock' if locked else 'unlock'} {english}", f"{'锁上' if locked else '解锁'}{name(zone, 'zh', read)}"


def shows(zone: str, locale: str, read: Read) -> str:
    """How the zone's locks are: "the rear left door unlocked"; "" where none is known."""
    zh = locale.startswith("zh")
    found = []
    for locked in (True, False):
        seats = {seat for seat in SEATS[zone] if flag(read, path(seat)) is locked}
        for part in cover(seats):
            thing = name(part, locale, read)
            found.append(f"{thing}{'锁着' if locked else '没锁'}" if zh else f"{thing} {'locked' if locked else 'unlocked'}")
    return ("、" if zh else " and ").join(found)


# --- what later words may change ----------------------------------------------------------------------------------------------


def changes(locking: bool) -> Changes:
    """The place, and the other way round. Back is what of it was otherwise before."""
    other = UNLOCK if locking else LOCK

    def undone(arguments: Arguments, before: Reads) -> tuple[Another, ...]:
        seats = {seat for seat in SEATS[str(arguments["zone"])] if flag(before, path(seat)) is not locking}
        known = {seat for seat in seats if flag(before, path(seat)) is not None}
        return tuple((other, {"zone": zone}) for zone in cover(known))

    return Changes(
        places=frozenset(ZONES),
        placed=placed_again,
        turned=lambda arguments: (other, {"zone": arguments["zone"]}),
        undone=undone,
    )
