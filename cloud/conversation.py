"""Who has the floor, and which epoch is alive. Sans-IO.

    front-end output, verdicts, playback acks, the button  ->  Conversation.on(event)  ->  messages down, feedback, deliveries

Invariant: after `Flush(e)` nothing of an epoch <= e is sent; only this machine assigns epochs; a result counts as delivered only
by its last sample's ack (through `Delivery`). Does not know: the link, models, skills, or why a verdict was given.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import assert_never

from ridealong.cloud.frontends.base import ButtonPressed, Feedback, Output, Played, SpeechSlice, Verdict, VerdictKind
from ridealong.cloud.timeline import Spoken, SpokenLedger
from ridealong.proto.types import (
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


Event = Produced | Judged | Acked | Button


@dataclass(frozen=True, slots=True)
class Send:
    body: DownlinkBody


@dataclass(frozen=True, slots=True)
class Tell:
    """Feedback for the front-end's next call."""

    feedback: Feedback


@dataclass(frozen=True, slots=True)
class Delivery:
    """Playback of a result: started, finished or flushed; `heard` is what was played of it."""

    work_id: str
    state: PlaybackState
    heard: str
    at: Samples


Effect = Send | Tell | Delivery


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
            case Judged(verdict=Verdict(kind=VerdictKind.INTERRUPTION)):
                return self.flush()
            case Judged(verdict=Verdict(kind=kind)):
                return [Send(Unduck(OverlapKind(kind.value)))]
            case Acked(ack=ack):
                return self._acked(ack)
            case Button(at=at):
                return [*self.flush(), Tell(ButtonPressed(at))]
            case _:
                assert_never(event)

    @property
    def speaking(self) -> list[Spoken]:
        return self.ledger.speaking

    def flush(self) -> list[Effect]:
        """Kill everything up to the present epoch and begin the next one."""
        killed = self.epoch
        self._dead.update(entry.utterance for entry in self.ledger.speaking)
        self._dead = set(sorted(self._dead)[-256:])
        self.epoch = Epoch(killed + 1)
        return [Send(Flush(killed))]

    def _produced(self, event: Produced) -> list[Effect]:
        effects: list[Effect] = []
        for piece in event.output.speech:
            effects += self._speech(piece)
        if event.closes_unit or event.output.control is not self.token:
            self.token = event.output.control
            effects.append(Send(Control(event.unit, self.token)))
        return effects

    def _speech(self, piece: SpeechSlice) -> list[Effect]:
        entry = self.ledger.entries.get(piece.utterance)
        if piece.utterance in self._dead or (entry is not None and (entry.over or entry.complete)):
            self.refused_slices += 1
            return []
        total = len(piece.pcm16) // 2
        bounds = [*range(0, total, MAX_CHUNK_SAMPLES), total] if total else [0, 0]
        effects: list[Effect] = []
        for number, (start, end) in enumerate(zip(bounds[:-1], bounds[1:], strict=True)):
            first, final = number == 0, end == total
            offset = entry.sent_samples if entry else 0
            index = entry.chunks if entry else 0
            words = piece.words if first else ()
            entry = self.ledger.sent(
                piece.utterance, self.epoch, piece.rate, end - start, words, piece.last and final, piece.work_id
            )
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
        before = self.ledger.entries.get(ack.utterance)
        started = before is not None and before.started_at is None
        entry = self.ledger.acked(ack)
        if entry is None:
            return []
        effects: list[Effect] = []
        if ack.state is PlaybackState.FLUSHED and entry.epoch == self.epoch:
            effects += self.flush()  # the device killed it on its own: follow, so that no later chunk of it is sent
        effects.append(Tell(Played(entry.utterance, entry.played_samples, entry.finished, entry.flushed, entry.heard())))
        if entry.work_id:
            if started and not entry.over:
                effects.append(Delivery(entry.work_id, PlaybackState.STARTED, "", ack.at))
            if entry.over:
                effects.append(Delivery(entry.work_id, ack.state, entry.heard(), ack.at))
        return effects
