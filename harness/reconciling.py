"""What became of an effect whose outcome the user was not told: the car tells late, or the node died before it was heard.

    found(item, intent, result, read, ours, moved)  ->  what is to be said of a late answer; "" where it is no news
    in_all(item, intents, read, moved)              ->  what is to be said of an act whose answers are in the journal; "" where they are not

The car's own answer counts; where it can't tell, the sensors are read back, once they stand still: what is still on its way (a window) has not
failed. Where they don't tell either, that is said. Nothing is ever tried again. Pure, but for `Reconciler`, which makes one work item of each, so that it is said once and kept.
Does not know the link, the device's ledger, or when a reply may be spoken.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from ridealong.harness.doing import HALTED
from ridealong.harness.journal import Journal
from ridealong.harness.journal_rows import IntentRow
from ridealong.harness.observing import Observe, StrangeAnswer, unobserved
from ridealong.harness.port import is_halt
from ridealong.harness.skill import Call, Holds, Skill, Spoken
from ridealong.harness.validity import broken_condition
from ridealong.harness.work import WorkItem
from ridealong.proto.types import ActuationResult, ActuationState, Samples, SignalReading, SignalValue, ms_from_samples

RECONCILE: Final = "reconcile"
READ_BACK_MS: Final = 3_000
"""So long the car's first readings are waited for."""
AT_REST_MS: Final = 3_000
"""What has not moved for so long stands still: readings come once a second."""
COME_TO_REST_MS: Final = 10_000
"""So long that is waited for. A window takes about five seconds from end to end."""
POLL_MS: Final = 250
MAX_A_SESSION: Final = 16
IN_CAR: Final = "Vehicle."
NO_ANSWER: Final = "no_answer"
"""The reason of an outcome that is unknown because the device was silent."""
MAX_UNTOLD: Final = 4
"""The newest: more would be a lecture."""
MAX_QUOTED: Final = 60
SLACK: Final = 3.0
"""How near a number must be to what was wanted: the widest of what counts as reached."""

Read = Callable[[str], SignalReading | None]

_FINAL: Final = frozenset(state.value for state in ActuationState if state.final)
_OPEN: Final = frozenset({None, ActuationState.TIMED_OUT.value, ActuationState.ACCEPTED.value, ActuationState.FORWARDED.value})
_SENTENCES: Final = {
    "done": ("that was done.", "已经做了。"),
    "so_now": ("I couldn't follow it, but it is so now.", "我没能确认过程，不过现在是这样了。"),
    "not_so": ("that didn't happen.", "这个没有做成。"),
    "halted": ("that was stopped on its way.", "这个中途停下了。"),
    "refused": ("that was not done.", "这个没有做。"),
    "partly": ("only part of that was done.", "这个只做了一部分。"),
    "unknown": ("I can't tell whether that worked. Please check.", "我不能确定是否成功，请您确认一下。"),
}  # fmt: skip
_BEFORE: Final = ("Before we were cut off you asked, “{words}”: ", "中断之前您说“{words}”：")
_AFTER_ALL: Final = ("About “{words}”: ", "关于“{words}”：")


def found(
    item: WorkItem, intent: IntentRow, result: ActuationResult, read: Read, ours: bool, moved: frozenset[str] = frozenset()
) -> str:
    """`ours`: the request was made in this session. `intent`: as it stood before this answer. `moved`: the signals seen moving since."""
    if intent.state not in _OPEN or is_halt(intent.writes):
        return ""  # what was halted answers for itself
    if ours and result.state is ActuationState.TIMED_OUT:
        return ""  # that it isn't known was said already
    return _told(item, _known(intent, result.state, read, moved, result.reason), ours)


def in_all(item: WorkItem, intents: Sequence[IntentRow], read: Read, moved: frozenset[str] = frozenset()) -> str:
    """`intents`: all of the item's. Where an answer may still come, `found` will say it."""
    intents = [intent for intent in intents if not is_halt(intent.writes)]
    if not intents or any(_may_be_answered(intent) for intent in intents):
        return ""
    known = {
        _known(intent, ActuationState(intent.state or ActuationState.TIMED_OUT), read, moved, intent.reason) for intent in intents
    }
    return _told(item, known.pop() if len(known) == 1 else "unknown" if "unknown" in known else "partly", ours=False)


def _may_be_answered(intent: IntentRow) -> bool:
    """The car's side keeps its answers, nobody else does."""
    in_car = any(write.path.startswith(IN_CAR) for write in intent.writes)
    return in_car and (intent.state not in _FINAL or intent.reason == NO_ANSWER)


def _told(item: WorkItem, which: str, ours: bool) -> str:
    lead = (_AFTER_ALL if ours else _BEFORE)[zh := int(item.locale.lower().startswith("zh"))]
    words = " ".join((item.words or item.request).split()).rstrip(".。!！")
    return lead.format(words=words if len(words) <= MAX_QUOTED else f"{words[:MAX_QUOTED]}…") + _SENTENCES[which][zh]


def _known(intent: IntentRow, state: ActuationState, read: Read, moved: frozenset[str], reason: str) -> str:
    match state:
        case ActuationState.CONTRADICTED if reason == HALTED:
            return "halted"
        case ActuationState.CONFIRMED:
            return "done"
        case ActuationState.CONTRADICTED:
            return "not_so"
        case ActuationState.REFUSED:
            return "refused"
        case _:
            readings = [read(write.path) for write in intent.writes]
            values = [reading.value if reading is not None else None for reading in readings]
            so = [_near(write.value, value) for write, value in zip(intent.writes, values, strict=True)]
            missed = {write.path for write, one in zip(intent.writes, so, strict=True) if one is False}
            return "so_now" if so and all(so) else "not_so" if missed - moved else "unknown"


def _near(wanted: object, value: object) -> bool | None:
    """None: not known."""
    if value is None:
        return None
    numbers = [one for one in (wanted, value) if isinstance(one, int | float) and not isinstance(one, bool)]
    return abs(numbers[0] - numbers[1]) <= SLACK if len(numbers) == 2 else wanted == value


@dataclass(slots=True)
class Reconciler:
    """One per session. `record` takes what completes the journal. `device`: whose session it is; `earlier`: its session before this one, if it has shown
    that it had one. `ignored`: late answers beyond the bound, or to keys of nothing that is open; `strange`: to keys of another device."""

    session_id: str
    journal: Journal
    record: Callable[[str, ActuationResult], None]
    now: Callable[[], Samples]
    device: str = ""
    earlier: str = ""
    observe: Observe = unobserved
    taken: int = 0
    ignored: int = 0
    strange: int = 0

    def work(self, result: ActuationResult) -> tuple[Skill, str] | None:
        """What finds out what this late answer means, as work to be run, and the language to say it in; None where it means nothing. Reads the
        journal where it stands: this is rare."""
        work_id, _, number = result.key.rpartition(".")
        if not work_id or not number.isdigit() or not result.state.final or self.taken >= MAX_A_SESSION:
            self.ignored += 1
            return None
        item, intents = self.journal.known(work_id)
        intent = next((one for one in intents if one.key == result.key), None)
        if item is None or intent is None or intent.state not in _OPEN:
            self.ignored += 1
            return None
        if not self._is_ours(item):
            self.strange += 1
            self.observe(StrangeAnswer(self.session_id))
            return None
        self.taken += 1
        self.record(result.key, result)
        ours = item.session == self.session_id

        async def run(call: Call) -> Spoken:
            asked = result.state is ActuationState.TIMED_OUT and not ours
            moved = await _come_to_rest(call, [write.path for write in intent.writes]) if asked else frozenset()
            return Spoken(found(item, intent, result, call.signals.read, ours, moved))

        return _skill(run), item.locale

    def _is_ours(self, item: WorkItem) -> bool:
        """What a device says of its car says nothing of another's, and those words are not for these ears."""
        return item.session in (self.session_id, self.earlier) or (item.device == self.device != "")

    def untold(self, session: str) -> list[tuple[str, Skill, str]]:
        """Of what the device's earlier session had done when its node died and nobody had heard of: (work id, what finds out what is to be said, in
        which language), while it is still news. The device's clock has gone on meanwhile."""
        now, told = self.now(), []
        for item, intents in self.journal.untold(session):
            if item.intent_at <= now <= item.expires_at and (intents or item.capability == RECONCILE):
                told.append((item.id, _skill(partial(self._tell, item, intents)), item.locale))
        return told[-MAX_UNTOLD:]

    async def _tell(self, item: WorkItem, intents: Sequence[IntentRow], call: Call) -> Spoken:
        paths = [write.path for intent in intents for write in intent.writes]
        moved = frozenset[str]()
        if any(intent.state in _OPEN for intent in intents):
            moved = await _come_to_rest(call, paths)
        else:
            await _read_back(call, paths)
        since_ms = ms_from_samples(Samples(self.now() - (item.done_at or item.intent_at)))
        if broken_condition(item.validity, item.validity.revision, call.signals.read, since_ms):
            return Spoken("")  # somebody has changed it again
        left_ms = max(0, round(ms_from_samples(Samples(item.expires_at - self.now()))))
        holds = Holds(item.validity.conditions, item.validity.still, left_ms, item.validity.near)
        return Spoken(
            item.reply if item.capability == RECONCILE else in_all(item, intents, call.signals.read, moved), holds=holds
        )


def _skill(run: Callable[[Call], Awaitable[Spoken]]) -> Skill:
    return Skill(RECONCILE, "finds out how something ended", run, lambda *_: None, "speech", {"type": "object"}, {})


async def _read_back(call: Call, paths: Sequence[str]) -> None:
    """Wait, bounded, until the car has shown these."""
    until_ms = call.clock.now_ms() + READ_BACK_MS
    while any(call.signals.read(path) is None for path in paths) and call.clock.now_ms() < until_ms:
        await call.clock.sleep_ms(POLL_MS)


async def _come_to_rest(call: Call, paths: Sequence[str]) -> frozenset[str]:
    """Wait, bounded, until the car has shown these and none of them has moved for a while. Those that did move: where they stand is not where they
    stood, so that nothing happened can't be said of them."""
    last: dict[str, SignalValue | None] = dict.fromkeys(paths)
    moved: set[str] = set()
    began_ms = still_since_ms = call.clock.now_ms()
    while True:
        now_ms = call.clock.now_ms()
        for path in paths:
            reading = call.signals.read(path)
            value = reading.value if reading is not None else None
            if value != last[path]:
                still_since_ms = now_ms
                if last[path] is not None:
                    moved.add(path)
                last[path] = value
        if now_ms - still_since_ms >= AT_REST_MS or now_ms - began_ms >= COME_TO_REST_MS:
            return frozenset(moved)
        await call.clock.sleep_ms(POLL_MS)
