"""How a skill acts in the car, once it knows what it wants: the policy's quick answer, what is so already, our own question, the writes, the sentence.

    wish = Wish(writes, doing=("lock the rear doors", "锁上后排车门"), asked=…, done=…, shows=…, already=…)
    return await act(call, "doors", wish, needs=Confirmation.EXPLICIT)

Does not know any signal, any words, or what is allowed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from ridealong.harness.lasting import until_told
from ridealong.harness.skill import Call, Confirmation, Spoken
from ridealong.harness.telling import ask, concluded, refused, say, shown
from ridealong.proto.types import ActuationResult, Precondition, SignalValue, SignalWrite
from ridealong.vehicle_skills.car import Read
from ridealong.vehicle_skills.signals import SPEED

CONFIRM_MS: Final = 5_000
STANDING: Final = (Precondition(SPEED, equals=0.0),)
"""What a yes in a standing car was given for, judged in the car as it acts: beside its policy, whatever a car's policy may come to allow."""


@dataclass(frozen=True, slots=True)
class Wish:
    """`doing`: finishes "I can't …", in both languages. `asked`: what was asked for, `already`: the sentence where it is so already, both in the
    language of the request. `done` and `shows`: from what the car showed, the whole sentence and how it is now ("" where it showed nothing)."""

    writes: tuple[SignalWrite, ...]
    doing: tuple[str, str]
    asked: str
    done: Callable[[ActuationResult], str]
    shows: Callable[[ActuationResult], str]
    already: str = ""
    preconditions: tuple[Precondition, ...] = ()


async def act(
    call: Call, group: str, wish: Wish, *, needs: Confirmation = Confirmation.NONE, confirm_within_ms: int = CONFIRM_MS
) -> Spoken:
    """`needs`: the least that must have been said before."""
    explicit = call.confirmation is Confirmation.EXPLICIT
    asks = needs is Confirmation.EXPLICIT and not explicit
    confirmation = Confirmation.EXPLICIT if explicit else Confirmation.NONE if asks else needs
    verdict = call.signals.check(group, confirmation)
    if not verdict.allowed and not (asks and verdict.reason == "needs_confirmation"):
        return refused(verdict.reason, *wish.doing, call.locale)
    if wish.already:
        return Spoken(wish.already)
    if asks:
        return ask(f"Shall I {wish.doing[0]}?", f"要我{wish.doing[1]}吗？", call.locale, "needs_confirmation")
    result = await call.signals.actuate(
        wish.writes,
        group=group,
        confirmation=confirmation,
        confirm_within_ms=confirm_within_ms,
        preconditions=wish.preconditions,
    )
    return concluded(
        result, done=until_told(wish.done(result), call.request, call.locale), asked=wish.asked, shows=wish.shows(result),
        doing_en=wish.doing[0], doing_zh=wish.doing[1], locale=call.locale,
        unmet=say(
            f"I didn't {wish.doing[0]}: I can't be sure that we're still standing.", f"我不能确定车还停着，所以没有{wish.doing[1]}。", call.locale
        ),
    )  # fmt: skip


def seen(result: ActuationResult, path: str, read: Read) -> SignalValue | None:
    """What the car showed with its answer, else last of all."""
    value = shown(result, path)
    reading = read(path)
    return value if value is not None else reading.value if reading is not None else None


def seen_number(result: ActuationResult, path: str, read: Read) -> float | None:
    value = seen(result, path, read)
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
