"""What a skill in a worker asks during one call, answered in the node: signals, policy, time, and changes to the car.

Every question is checked first: paths must be declared, the group is the skill's own, numbers are finite and of sensible size. What passes goes
through the call's own port and clock, with all that stands behind them. Does not know the process, or how a call ends.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Final

from ridealong.harness.port import declared
from ridealong.harness.skill import Call, Confirmation, Skill, Verdict
from ridealong.harness.worker.frames import FrameError, Message
from ridealong.proto.types import ActuationResult, ActuationState, Precondition, SignalReading, SignalWrite

MAX_ASKS: Final = 5_000
MAX_OPEN_ASKS: Final = 32
MAX_WRITES: Final = 32
MAX_PRECONDITIONS: Final = 16
MAX_NUMBER: Final = 1e12
MAX_SLEEP_MS: Final = 24 * 3_600_000
CLOSE_WITHIN_MS: Final = 3_000


class Answers:
    """One a call. `stopping`: the skill was told to end, and changes nothing any more."""

    def __init__(self, skill: Skill, call: Call, send: Callable[[Message], None]) -> None:
        self._skill, self._call, self._send = skill, call, send
        self._asks = 0
        self._tasks: set[asyncio.Task[None]] = set()
        self.stopping = False

    async def close(self) -> None:
        """The call is over: what was still being waited for has no one to tell. An actuation under way stays unanswered in the port, which is how
        its outcome becomes "unknown"."""
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=CLOSE_WITHIN_MS / 1000)

    def asked(self, ask: Message) -> None:
        """Raises FrameError for what no honest worker asks."""
        number = ask.get("id")
        self._asks += 1
        if not isinstance(number, int) or self._asks > MAX_ASKS or len(self._tasks) >= MAX_OPEN_ASKS:
            raise FrameError("too many questions")
        match ask.get("what"):
            case "read":
                path, known = ask.get("path"), (*self._skill.reads, *self._skill.actuates)
                if not isinstance(path, str) or not declared(path, known):
                    return self._answer(number, error="undeclared")
                reading = self._call.signals.read(path)
                return self._answer(number, _reading(reading) if reading is not None else None)
            case "check":
                return self._answer(number, self._check(ask))
            case "now":
                return self._answer(number, self._call.clock.now_ms())
            case "sleep" | "actuate":
                task = asyncio.get_running_loop().create_task(self._later(number, ask))
                self._tasks.add(task)
                task.add_done_callback(self._tasks.discard)
            case _:
                self._answer(number, error="unknown_question")

    def _check(self, ask: Message) -> object:
        group, confirmation = ask.get("group"), ask.get("confirmation")
        if group != self._skill.group or confirmation not in [one.value for one in Confirmation]:
            verdict = Verdict(False, "wrong_group")
        else:
            verdict = self._call.signals.check(self._skill.group, Confirmation(confirmation))
        return {"allowed": verdict.allowed, "reason": verdict.reason, "needs": verdict.needs.value}

    async def _later(self, number: int, ask: Message) -> None:
        if ask.get("what") == "sleep":
            duration_ms = ask.get("duration_ms")
            if not isinstance(duration_ms, int | float) or not 0 <= duration_ms <= MAX_SLEEP_MS:
                return self._answer(number, error="bad_duration")
            await self._call.clock.sleep_ms(duration_ms)
            return self._answer(number)
        writes, within_ms, confirmation = _writes(ask.get("writes")), ask.get("confirm_within_ms"), ask.get("confirmation")
        limits = preconditions(ask.get("preconditions", []))
        in_time = isinstance(within_ms, int) and not isinstance(within_ms, bool) and 0 <= within_ms <= 60_000
        if writes is None or limits is None or not in_time or confirmation not in [one.value for one in Confirmation]:
            return self._answer(number, error="bad_request")
        assert isinstance(within_ms, int)
        if self.stopping:
            result = ActuationResult("", ActuationState.REFUSED, "cancelled")
        elif ask.get("group") != self._skill.group:
            result = ActuationResult("", ActuationState.REFUSED, "wrong_group")
        else:
            result = await self._call.signals.actuate(
                writes,
                group=self._skill.group,
                confirmation=Confirmation(confirmation),
                confirm_within_ms=within_ms,
                preconditions=limits,
            )
        self._answer(
            number,
            {"key": result.key, "state": result.state.value, "reason": result.reason, "at": result.at,
             "observed": [_reading(reading) for reading in result.observed]},
        )  # fmt: skip

    def _answer(self, number: int, value: object = None, *, error: str = "") -> None:
        try:
            self._send({"to": number, "error": error} if error else {"to": number, "value": value})
        except FrameError:  # a signal that is no number
            self._send({"to": number, "error": "unwritable"})


def _reading(reading: SignalReading) -> dict[str, object]:
    return {"path": reading.path, "value": reading.value, "age_ms": reading.age_ms}


def _writes(value: object) -> Sequence[SignalWrite] | None:
    """None for what is no list of writes."""
    if not isinstance(value, list) or not 1 <= len(value) <= MAX_WRITES:
        return None
    writes = []
    for one in value:
        path, wanted = (one.get("path"), one.get("value")) if isinstance(one, dict) else (None, None)
        if not isinstance(path, str) or len(path) > 256 or not isinstance(wanted, bool | int | float | str) or not fits(wanted):
            return None
        writes.append(SignalWrite(path, wanted))
    return writes


def preconditions(value: object) -> tuple[Precondition, ...] | None:
    """None for what is no list of preconditions."""
    if not isinstance(value, list) or len(value) > MAX_PRECONDITIONS:
        return None
    found = []
    for one in value:
        path, bounds = (one.get("path"), (one.get("at_most"), one.get("equals"))) if isinstance(one, dict) else (None, ())
        if not isinstance(path, str) or len(path) > 256 or not all(bound is None or fits(bound) for bound in bounds) or not any(bound is not None for bound in bounds):  # fmt: skip
            return None
        found.append(Precondition(path, *bounds))
    return tuple(found)


def fits(value: object) -> bool:
    """A value that a signal may have."""
    if not isinstance(value, bool | int | float | str):
        return False
    return len(value) <= 256 if isinstance(value, str) else abs(value) <= MAX_NUMBER
