"""What a skill is given inside a worker: signals, clock and call, each of which asks the node.

The car, the policy and time are the node's. Nothing is decided here: a refusal comes as the node's answer. `read` and `check` wait for
the answer while nothing else of this worker runs, which the contract of skills (skill.py) demands of them; it takes well under a millisecond.
Does not know pipes, limits, or the package.
"""

from __future__ import annotations

import asyncio
import itertools
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from ridealong.harness.skill import Call, Confirmation, Provenance, Verdict
from ridealong.harness.worker.frames import Message
from ridealong.proto.types import ActuationResult, ActuationState, Precondition, Samples, SignalReading, SignalWrite

ANSWER_WITHIN_S: Final = 10.0


class AskRefused(RuntimeError):
    """The node does not answer such a question; the text is its code."""


class Asking:
    """Questions to the node, and the answers as they come. `answered` is called from another thread."""

    def __init__(self, send: Callable[[Message], None]) -> None:
        self._send = send
        self._numbers = itertools.count(1)
        self._waiting: dict[int, Callable[[Message], None]] = {}

    def now(self, question: Message) -> object:
        """Wait for the answer, whatever else is to be done."""
        done, got = threading.Event(), []

        def take(answer: Message) -> None:
            got.append(answer)
            done.set()

        self._ask(question, take)
        if not done.wait(ANSWER_WITHIN_S):
            raise AskRefused("no_answer")
        return _value(got[0])

    async def later(self, question: Message) -> object:
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Message] = loop.create_future()

        def settle(answer: Message) -> None:
            if not future.done():
                future.set_result(answer)

        def take(answer: Message) -> None:
            loop.call_soon_threadsafe(settle, answer)

        self._ask(question, take)
        return _value(await future)

    def answered(self, answer: Message) -> None:
        take = self._waiting.pop(_number(answer.get("to")), None)
        if take is not None:
            take(answer)

    def _ask(self, question: Message, take: Callable[[Message], None]) -> None:
        number = next(self._numbers)
        self._waiting[number] = take
        self._send({"is": "ask", "id": number, **question})


def _number(value: object) -> int:
    return value if isinstance(value, int) else 0


def _value(answer: Message) -> object:
    if "error" in answer:
        raise AskRefused(str(answer["error"]))
    return answer.get("value")


class RemoteClock:
    """`harness.skill.Clock`, the session's."""

    def __init__(self, asking: Asking) -> None:
        self._asking = asking

    def now_ms(self) -> float:
        value = self._asking.now({"what": "now"})
        assert isinstance(value, int | float)
        return float(value)

    async def sleep_ms(self, duration_ms: float) -> None:
        await self._asking.later({"what": "sleep", "duration_ms": float(duration_ms)})


class RemotePort:
    """`harness.skill.SignalPort`, behind the node's guards."""

    def __init__(self, asking: Asking) -> None:
        self._asking = asking

    def read(self, path: str) -> SignalReading | None:
        value = self._asking.now({"what": "read", "path": path})
        return _reading(value) if isinstance(value, dict) else None

    def check(self, group: str, confirmation: Confirmation) -> Verdict:
        value = self._asking.now({"what": "check", "group": group, "confirmation": confirmation.value})
        assert isinstance(value, dict)
        return Verdict(bool(value["allowed"]), str(value["reason"]), Confirmation(value["needs"]))

    async def actuate(
        self,
        writes: Sequence[SignalWrite],
        *,
        group: str,
        confirmation: Confirmation = Confirmation.NONE,
        confirm_within_ms: int = 5_000,
        preconditions: Sequence[Precondition] = (),
    ) -> ActuationResult:
        value = await self._asking.later(
            {
                "what": "actuate",
                "writes": [{"path": write.path, "value": write.value} for write in writes],
                "group": group,
                "confirmation": confirmation.value,
                "confirm_within_ms": confirm_within_ms,
                "preconditions": [{"path": one.path, "at_most": one.at_most, "equals": one.equals} for one in preconditions],
            }
        )
        assert isinstance(value, dict)
        return ActuationResult(
            value["key"],
            ActuationState(value["state"]),
            value["reason"],
            tuple(map(_reading, value["observed"])),
            Samples(value["at"]),
        )


def _reading(value: Mapping[str, object]) -> SignalReading:
    return SignalReading(value["path"], value["value"], value["age_ms"])  # type: ignore[arg-type]


def call_as_data(call: Call) -> Message:
    """In the node: what of a call travels. The snapshot's media, the session's watches and its talk do not."""
    return {
        "work_id": call.work_id,
        "request": call.request,
        "words": call.words,
        "locale": call.locale,
        "provenance": call.provenance.value,
        "arguments": dict(call.arguments),
        "confirmation": call.confirmation.value,
    }


def call_from_data(data: Mapping[str, object], asking: Asking) -> Call:
    """In the worker: the call that the skill sees."""
    arguments = data["arguments"]
    assert isinstance(arguments, dict)
    return Call(
        work_id=str(data["work_id"]), request=str(data["request"]), words=str(data["words"]), locale=str(data["locale"]),
        provenance=Provenance(data["provenance"]), arguments=arguments, signals=RemotePort(asking), clock=RemoteClock(asking),
        confirmation=Confirmation(data["confirmation"]),
    )  # fmt: skip
