"""Who has the floor, and which epoch is alive. Sans-IO.

    front-end output, verdicts, playback acks, the button  ->  Conversation.on(event)  ->  messages down, feedback, deliveries, heard boundaries

Invariants: after `Flush(e)` nothing of an epoch <= e is sent; only this machine assigns epochs; a result counts as delivered only
by its last sample's ack (through `Delivery`); every utterance that is cut ends with a heard boundary (`Noted`): at once with what
had been acknowledged, and for good with the device's last ack of it, however late. Nothing here depends on a clock.
Does not know: the link, models, skills, or why a verdict was given.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import assert_never

from ridealong.cloud.frontends.base import ButtonPressed, Feedback, Output, Played, SpeechSlice, Verdict, VerdictKind
from ridealong.cloud.timeline import Spoken, SpokenLedger
from ridealong.harness.polish import without_reserved
from ridealong.harness.rest import Why
from ridealong.harness.said import Saying, State
from ridealong.proto.types import (
    CLOCK_HZ,
    Control,
    ControlToken,
    DownlinkBody,
    Epoch,
    Flush,
    OverlapKind,
    PlaybackAck,
    PlaybackState,
    Samples,
    Speech,
    Unduck,
    UnitIndex,
    UtteranceId,
)

MAX_CHUNK_SAMPLES = 24_000
PRESSED_WITHIN = Samples(CLOCK_HZ)
"""A button press or verdict so soon after the device's own flush is the reason of it."""
SAID_WITHIN = Samples(5 * CLOCK_HZ)
"""Words that cut the assistant at their beginning have said what they are for by then."""


@dataclass(frozen=True, slots=True)
class Produced:
    """The front-end's output of a part or a unit; `closes_unit` marks the output that carries the unit's control token."""

    output: Output
    unit: UnitIndex
    closes_unit: bool


@dataclass(frozen=True, slots=True)
class Judged:
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class Acked:
    ack: PlaybackAck


@dataclass(frozen=True, slots=True)
class Button:
    at: Samples


@dataclass(frozen=True, slots=True)
class Silenced:
    """The rest of what is being said will not be, for a reason that is no overlap's: somebody typed "stop"."""

    why: Why
    at: Samples


@dataclass(frozen=True, slots=True)
class Lost:
    """Nothing more will be heard of what is being said: the device has rendered nothing for too long."""

    at: Samples


@dataclass(frozen=True, slots=True)
class Over:
    """The session ends, or its link does for good."""

    at: Samples


Event = Produced | Judged | Acked | Button | Silenced | Lost | Over


@dataclass(frozen=True, slots=True)
class Send:
    body: DownlinkBody


@dataclass(frozen=True, slots=True)
class Tell:
    """Feedback for the front-end's next call."""

    feedback: Feedback


@dataclass(frozen=True, slots=True)
class Delivery:
    """Playback of a result ("": of something else): going on, finished or flushed; `heard` is what was played of it.
    `why`: of a flushed one, what cut it."""

    work_id: str
    state: PlaybackState
    heard: str
    at: Samples
    why: Why | None = None


@dataclass(frozen=True, slots=True)
class Noted:
    """How an utterance stands; of one that was cut, its heard boundary."""

    saying: Saying


Effect = Send | Tell | Delivery | Noted


@dataclass(slots=True)
class Conversation:
    epoch: Epoch = Epoch(1)
    ledger: SpokenLedger = field(default_factory=SpokenLedger)
    token: ControlToken = ControlToken.LISTEN
    refused_slices: int = 0
    _dead: set[UtteranceId] = field(default_factory=set)

    def on(self, event: Event) -> list[Effect]:
        match event:
            case Produced():
                return self._produced(event)
            case Judged(verdict=Verdict(kind=VerdictKind.INTERRUPTION) as verdict):
                why = Why(verdict.intent.value) if verdict.intent is not None else Why.INTERRUPTED
                return [*self._explain(why, verdict.end), *self.flush(why, verdict.end)]
            case Judged(verdict=Verdict(kind=kind)):
                return [Send(Unduck(OverlapKind(kind.value)))]
            case Acked(ack=ack):
                return self._acked(ack)
            case Button(at=at):
                return [*self._explain(Why.BUTTON, at), *self.flush(Why.BUTTON, at), Tell(ButtonPressed(at))]
            case Silenced(why=why, at=at):
                return [*self.flush(why, at), Tell(ButtonPressed(at))]
            case Lost(at=at):
                lost = [Tell(Played(e.utterance, e.played_samples, False, True, e.heard())) for e in self.ledger.speaking]
                return [*self.flush(Why.LINK, at), *lost]
            case Over(at=at):
                return self._over(at)
            case _:
                assert_never(event)

    @property
    def speaking(self) -> list[Spoken]:
        return self.ledger.speaking

    def flush(self, why: Why, at: Samples) -> list[Effect]:
        """Kill everything up to the present epoch and begin the next one."""
        killed = self.epoch
        cut = [entry for entry in self.ledger.speaking if entry.cut is None]
        for entry in cut:
            entry.cut, entry.cut_at = why, at
        self._dead.update(entry.utterance for entry in self.ledger.speaking)
        self._dead = set(sorted(self._dead)[-256:])
        self.epoch = Epoch(killed + 1)
        return [Send(Flush(killed)), *(Noted(_saying(entry)) for entry in cut)]

    @property
    def under_way(self) -> frozenset[str]:
        """Replies of which something was sent, and of which more acks will come."""
        return frozenset(entry.work_id for entry in self.ledger.speaking if entry.work_id)

    def _explain(self, why: Why, at: Samples) -> list[Effect]:
        """The reason of a cut may come after it: the words' intent after the first words, the button after the device's own flush."""
        effects: list[Effect] = []
        for entry in self.ledger.entries.values():
            within = {Why.DEVICE: PRESSED_WITHIN, Why.INTERRUPTED: SAID_WITHIN}.get(entry.cut) if entry.cut else None
            if within is not None and entry.cut_at is not None and at - entry.cut_at <= within and why is not entry.cut:
                entry.cut = why
                effects.append(Noted(_saying(entry)))
        return effects

    def _over(self, at: Samples) -> list[Effect]:
        effects: list[Effect] = []
        for entry in self.ledger.speaking:
            entry.cut, entry.cut_at = entry.cut or Why.LINK, entry.cut_at or at
            entry.flushed, entry.ended_at = True, at
            effects.append(Noted(_saying(entry)))
            if entry.work_id:
                effects.append(Delivery(entry.work_id, PlaybackState.FLUSHED, entry.heard(), at, entry.cut))
        return effects

    def _produced(self, event: Produced) -> list[Effect]:
        effects: list[Effect] = []
        for piece in event.output.speech:
            effects += self._speech(piece)
        if event.closes_unit or event.output.control is not self.token:
            self.token = event.output.control
            effects.append(Send(Control(event.unit, self.token)))
        return effects

    def _unspeakable(self, piece: SpeechSlice, *, begun: bool) -> list[Effect]:
        """A front-end that would say its own protocol aloud: nothing of that utterance leaves from here on."""
        self.refused_slices += 1
        ended = replace(piece, last=True, pcm16=b"", text="", words=(), whole="")
        effects = self._speech(ended) if begun else []
        self._dead.add(piece.utterance)
        return effects

    def _speech(self, piece: SpeechSlice) -> list[Effect]:
        entry = self.ledger.entries.get(piece.utterance)
        if piece.utterance in self._dead or (entry is not None and (entry.over or entry.complete)):
            self.refused_slices += 1
            return []
        if without_reserved(f"{piece.text}\n{piece.whole}") != f"{piece.text}\n{piece.whole}":
            return self._unspeakable(piece, begun=entry is not None)
        total = len(piece.pcm16) // 2
        bounds = [*range(0, total, MAX_CHUNK_SAMPLES), total] if total else [0, 0]
        effects: list[Effect] = []
        for number, (start, end) in enumerate(zip(bounds[:-1], bounds[1:], strict=True)):
            first, final = number == 0, end == total
            offset = entry.sent_samples if entry else 0
            index = entry.chunks if entry else 0
            words = piece.words if first else ()
            entry = self.ledger.sent(
                piece.utterance, self.epoch, piece.rate, end - start, words, piece.last and final, piece.work_id,
                piece.text if first else "", piece.whole,
            )  # fmt: skip
            effects.append(
                Send(
                    Speech(
                        epoch=entry.epoch, utterance=piece.utterance, chunk=index, last=piece.last and final, rate=piece.rate,
                        pcm16=piece.pcm16[2 * start : 2 * end], text=piece.text if first else "", words=words, work_id=piece.work_id,
                        offset=offset,
                    )
                )
            )  # fmt: skip
        return effects

    def _acked(self, ack: PlaybackAck) -> list[Effect]:
        entry = self.ledger.acked(ack)
        if entry is None:
            return []
        effects: list[Effect] = []
        if entry.flushed:
            if entry.cut is None:
                entry.cut = Why.DEVICE
            entry.cut_at = ack.at if entry.cut_at is None else entry.cut_at
            if entry.epoch == self.epoch:
                effects += self.flush(
                    entry.cut, ack.at
                )  # the device killed it on its own: follow, so that no later chunk of it is sent
        elif entry.finished:
            entry.cut = entry.cut_at = None
        effects.append(Tell(Played(entry.utterance, entry.played_samples, entry.finished, entry.flushed, entry.heard())))
        effects.append(Noted(_saying(entry)))
        if entry.work_id and self.ledger.newest_of(entry.work_id) != entry.utterance:
            self.ledger.superseded_acks += 1  # the reply is being said anew: this no longer decides about it
            return effects
        if entry.work_id or not entry.over:
            effects.append(Delivery(entry.work_id, ack.state, entry.heard(), ack.at, entry.cut if entry.flushed else None))
        return effects


def _saying(entry: Spoken) -> Saying:
    state = State.FINISHED if entry.finished else State.CUT if entry.cut is not None else State.SPEAKING
    at = entry.ended_at or entry.cut_at or entry.started_at or Samples(0)
    return Saying(entry.utterance, entry.work_id, entry.text(), entry.heard(), at, state, entry.cut, entry.over)
