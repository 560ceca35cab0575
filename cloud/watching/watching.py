"""One session's standing requests: turns its stream into evidence, and what comes true into speech of our own accord.

An adapter around harness.standing: vehicle state, parts, whole frames and finished utterances go in through `observe`; alerts leave
through `announce` as work items, so that they wait for a free floor and are offered again when the link was lost. What is overheard,
read or sensed only ever satisfies a request that somebody made; it starts none.

Does not know: how anything is recognised, gRPC, the front-end.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from typing import assert_never

from ridealong.cloud.frontends.base import Addressee, FrameIn, Heard, PartIn
from ridealong.cloud.watching.sight import Eyes, Line, Sight
from ridealong.cloud.watching.sounds import LoudSounds
from ridealong.harness import standing, work
from ridealong.harness.conditions import Condition, PhraseSeen, Readings, SignalIs, SoundHeard, Speech
from ridealong.harness.conditions import Sight as SightOf
from ridealong.harness.skill import Provenance
from ridealong.harness.skills.watch import CarWords
from ridealong.harness.standing import Alert, Careful, Ended, Full, Muted, Standing, Watch
from ridealong.harness.watches import Kept, Wanted, careful_sentence, ended_sentence, evidence_of, muted_sentence
from ridealong.harness.work import WorkItem
from ridealong.proto.types import CAMERA, Consent, Samples, SignalReading, VehicleState, ms_from_samples, samples_from_ms

Announce = Callable[[str, str, str, str, Provenance], str | None]
"""(capability, sentence, locale, the request it comes of, who made that) -> id of the work item."""
ALERT, ENDED, BUDGET = "watch.alert", "watch.ended", "watch.budget"
MAX_REMEMBERED = 64
LATE_MS = 2_000.0
WRONG_WITHIN_MS = 60_000

Observation = VehicleState | PartIn | FrameIn | Heard | Consent


class Watching:
    """Implements harness.watches.Watches. All calls come from the loop's thread."""

    def __init__(
        self,
        now: Callable[[], Samples],
        read: Callable[[str], SignalReading | None],
        announce: Announce,
        withdraw: Callable[[str, str], None],
        car: CarWords,
        eyes: Eyes,
        executor: Executor,
        budget: standing.Budget | None = None,
    ) -> None:
        self.standing = Standing(budget or standing.Budget())
        self.sight = Sight(eyes, executor, self._seen)
        self._now, self._read, self._announce, self._withdraw, self._car, self._eyes = now, read, announce, withdraw, car, eyes
        self._sounds = LoudSounds()
        self._wanted: OrderedDict[str, Wanted] = OrderedDict()
        self._alerts: OrderedDict[str, str] = OrderedDict()  # work id -> watch id
        self._last_alert: tuple[str, Samples] | None = None
        self._ours: deque[tuple[Samples, Samples]] = deque(maxlen=256)  # when our speaker was active
        self._late_ms = 0.0
        self._pictures = 0
        self._withheld = False  # nobody has agreed to the camera
        self._count = 0

    # --- what skills ask (harness.watches.Watches) ------------------------------------------------------------------

    def start(self, wanted: Wanted, met: bool = False) -> str:
        if isinstance(wanted.condition, PhraseSeen):
            if self._eyes.fault():
                return "no_eyes"
            if self._withheld:
                return "not_consented"
            if not self._pictures:
                return "no_camera"
        self._count += 1
        now = self._now()
        lasts_ms = standing.LASTS_MS if wanted.lasts_ms is None else wanted.lasts_ms
        watch = Watch(f"watch-{self._count}", wanted.condition, now, Samples(now + samples_from_ms(lasts_ms)), wanted.every_time)
        effects = self.standing.on(standing.Start(watch, met))
        if any(isinstance(effect, Full) for effect in effects):
            return "full"
        self._wanted[watch.id] = wanted
        going = {active.id for active in self.standing.active}
        for id in [id for id in self._wanted if id not in going][: max(0, len(self._wanted) - MAX_REMEMBERED)]:
            del self._wanted[id]
        return ""

    def kept(self) -> tuple[Kept, ...]:
        now = self._now()
        return tuple(
            Kept(wanted.subject, wanted.locale, watch.every_time, ms_from_samples(Samples(max(0, watch.expires_at - now))))
            for watch in self.standing.active
            if (wanted := self._wanted.get(watch.id)) is not None
        )

    def stop(self) -> int:
        count = len(self.standing.active)
        self._perform(self.standing.on(standing.Stop(self._now())))
        for work_id in list(self._alerts):
            self._withdraw(work_id, "stopped_watching")
        self.sight.forget()
        return count

    def wrong(self) -> str | None:
        if self._last_alert is None or self._now() - self._last_alert[1] > samples_from_ms(WRONG_WITHIN_MS):
            return None
        watch_id, _ = self._last_alert
        self._last_alert = None
        self._perform(self.standing.on(standing.Wrong(self._now(), watch_id)))
        wanted = self._wanted.get(watch_id)
        return wanted.subject if wanted is not None else None

    # --- the stream -------------------------------------------------------------------------------------------------

    def observe(self, item: Observation) -> None:
        """Everything that may be evidence, in order. Costs next to nothing while nothing is watched for."""
        match item:
            case FrameIn():
                self._pictures += 1
                if self._waits_for(PhraseSeen):
                    self.sight.offer(item)
            case Consent(scope=scope, granted=granted):
                if scope == CAMERA:
                    self._withheld = not granted
                    self.sight.forget()
            case PartIn():
                self._part(item)
            case VehicleState(at=at):
                paths = {path for condition in self._conditions() if isinstance(condition, SignalIs) for path in condition.paths}
                if paths:
                    self._perform(self.standing.on(Readings(at, self._car.look(paths, self._read))))
            case Heard(addressee=addressee, text=text, end=end):
                if addressee is Addressee.OTHER and not self._was_us(item):
                    self._perform(self.standing.on(Speech(end, text)))
            case _:
                assert_never(item)

    def on_work(self, item: WorkItem) -> None:
        """How an alert fared: heard, dismissed, or lost."""
        watch_id = self._alerts.get(item.id)
        if watch_id is None or not item.over:
            return
        del self._alerts[item.id]
        now = self._now()
        wanted = self._wanted.get(watch_id)
        told = item.delivery is work.Delivery.DELIVERED or bool(item.heard)
        if item.reason in ("stop", "declined") and wanted is not None and wanted.every_time and not _certain(wanted):
            event: standing.Event = standing.Wrong(now, watch_id)
        elif told or item.reason in ("stop", "declined"):
            self._last_alert = (watch_id, now)
            event = standing.Told(now, watch_id)
        else:
            event = standing.Untold(now, watch_id)
        self._perform(self.standing.on(event))

    def _part(self, part: PartIn) -> None:
        at = Samples(part.start + part.samples)
        if part.speaker_active:
            self._ours.append((part.start, at))
        if part.samples:
            self._late_ms = part.late_ms
        if not self.standing.active:
            return
        if self._waits_for(SoundHeard):
            for noise in self._sounds.on_part(part.start, part.pcm16, part.speaker_active):
                self._perform(self.standing.on(noise))
        self._perform(self.standing.on(standing.Tick(at)))
        if self._waits_for(PhraseSeen):
            self.sight.tick(at)

    def _seen(self, capture: Samples, lines: Sequence[Line]) -> None:
        for line in lines:
            self._perform(self.standing.on(SightOf(capture, line.text, line.confidence)))

    def _was_us(self, heard: Heard) -> bool:
        """Most of it lies under our own speech: what the canceller left of it is no evidence."""
        covered = sum(max(0, min(end, heard.end) - max(start, heard.start)) for start, end in self._ours)
        return covered > (heard.end - heard.start) / 2

    def _conditions(self) -> list[Condition]:
        return [watch.condition for watch in self.standing.active]

    def _waits_for(self, kind: type) -> bool:
        return any(isinstance(condition, kind) for condition in self._conditions())

    # --- what follows -----------------------------------------------------------------------------------------------

    def _perform(self, effects: list[standing.Effect]) -> None:
        for effect in effects:
            match effect:
                case Alert(watch=watch, seen_at=seen_at):
                    self._alert(watch, seen_at)
                case Ended(watch=watch, reason=reason):
                    wanted = self._wanted.get(watch.id)
                    if reason == "expired" and wanted is not None and not watch.every_time:
                        self._say(ENDED, ended_sentence(wanted.subject, wanted.locale), wanted)
                case Muted(until=until):
                    self._about_budget(muted_sentence, until)
                case Careful(until=until):
                    self._about_budget(careful_sentence, until)
                case Full():
                    pass  # `start` has answered
                case _:
                    assert_never(effect)

    def _alert(self, watch: Watch, seen_at: Samples) -> None:
        wanted = self._wanted[watch.id]
        late_ms = self._late_ms if self._late_ms > LATE_MS else 0.0
        ago_ms = max(0.0, ms_from_samples(Samples(self._now() - seen_at))) + late_ms
        if isinstance(watch.condition, SignalIs):
            sentence = self._car.evidence(watch.condition, wanted.locale, self._read)
        else:
            sentence = evidence_of(watch.condition, wanted.locale, ago_ms)
        work_id = self._say(ALERT, sentence, wanted)
        if work_id is None:
            self._perform(self.standing.on(standing.Untold(self._now(), watch.id)))
            return
        self._alerts[work_id] = watch.id
        _bound(self._alerts)

    def _about_budget(self, sentence: Callable[[float, str], str], until: Samples) -> None:
        wanted = next(reversed(self._wanted.values()), None)
        if wanted is not None:
            wait_ms = max(0.0, ms_from_samples(Samples(until - self._now())))
            self._say(BUDGET, sentence(wait_ms, wanted.locale), wanted)

    def _say(self, capability: str, sentence: str, wanted: Wanted) -> str | None:
        return self._announce(capability, sentence, wanted.locale, wanted.request, wanted.provenance)


def _certain(wanted: Wanted) -> bool:
    """What a signal shows is no guess: being told to stop says nothing about it."""
    return isinstance(wanted.condition, SignalIs)


def _bound(kept: OrderedDict[str, str]) -> None:
    while len(kept) > MAX_REMEMBERED:
        kept.popitem(last=False)
