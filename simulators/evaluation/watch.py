"""Watches a device agent through one ride and keeps what scoring needs. An observer: performs nothing.

What sounded is kept as spans of equal gain and audibility; with `keep_sound` the samples too, for a recording in step with the input.
Does not know labels, scenarios or what is good.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from ridealong.device.observing import AgentEvent, Flushed, Received, Rendered, Sent
from ridealong.proto.types import (
    CLOCK_HZ,
    SPEECH_HZ,
    Caption,
    Error,
    Notice,
    PlaybackAck,
    PlaybackState,
    ReplyTiming,
    Speech,
    WorkUpdate,
)
from ridealong.simulators.evaluation.facts import CaptionFact, Facts, FlushFact, Said, Span, TimingFact, VerdictFact, WorkFact
from ridealong.simulators.replay.assemble import over

SOFT_GAIN = 0.5
AUDIBLE_RMS = 30.0  # of int16: -61 dBFS


@dataclass(slots=True)
class Watch:
    keep_sound: bool = False
    spans: list[Span] = field(default_factory=list)
    flushes: list[FlushFact] = field(default_factory=list)
    verdicts: list[VerdictFact] = field(default_factory=list)
    captions: list[CaptionFact] = field(default_factory=list)
    works: list[WorkFact] = field(default_factory=list)
    timings: list[TimingFact] = field(default_factory=list)
    errors: int = 0
    _said: dict[tuple[int, int], Said] = field(default_factory=dict)
    _meant: dict[tuple[int, int], tuple[str, str]] = field(default_factory=dict)  # work id and text by (epoch, utterance)
    _sound: list[tuple[int, bytes]] = field(default_factory=list)

    def on(self, event: AgentEvent) -> None:
        match event.item:
            case Rendered():
                self._rendered(event.item)
            case Flushed(epoch=epoch, by=by):
                self.flushes.append(FlushFact(event.at, epoch, by))
            case Sent(body=PlaybackAck() as ack):
                self._acked(ack)
            case Received(body=Speech() as speech):
                key = (speech.epoch, speech.utterance)
                work_id, text = self._meant.get(key, ("", ""))
                self._meant[key] = (speech.work_id or work_id, f"{text} {speech.text}".strip())
            case Received(body=Notice(code="verdict", text=kind)):
                self.verdicts.append(VerdictFact(event.at, kind))
            case Received(body=Caption(who="user", final=True) as caption):
                self.captions.append(CaptionFact(event.at, caption.start, caption.end, caption.addressee, caption.text))
            case Received(body=WorkUpdate() as work):
                self.works.append(WorkFact(event.at, work.work_id, work.execution, work.delivery, work.capability))
            case Received(body=ReplyTiming() as told):
                stages = (told.endpoint_ms, told.text_ms, told.result_ms, told.out_ms, told.speaker_ms)
                self.timings.append(TimingFact(told.words_end, *stages))
            case Received(body=Error()):
                self.errors += 1
            case _:
                pass

    def _rendered(self, item: Rendered) -> None:
        pcm = np.frombuffer(item.pcm16, "<i2")
        audible = float(np.sqrt(np.mean(pcm.astype(np.float64) ** 2))) >= AUDIBLE_RMS if len(pcm) else False
        span = Span(item.heard_at, item.heard_at + len(pcm) * CLOCK_HZ // SPEECH_HZ, item.gain < SOFT_GAIN, audible, item.epoch)
        last = self.spans[-1] if self.spans else None
        if (
            last is not None
            and last.end == span.start
            and (last.soft, last.audible, last.epoch) == (span.soft, span.audible, span.epoch)
        ):
            self.spans[-1] = replace(last, end=span.end)
        else:
            self.spans.append(span)
        if self.keep_sound:
            self._sound.append((item.heard_at, item.pcm16))

    def _acked(self, ack: PlaybackAck) -> None:
        key = (ack.epoch, ack.utterance)
        before = self._said.get(key)
        if before is None and ack.state is not PlaybackState.FLUSHED:
            before = self._said[key] = Said(ack.epoch, ack.utterance, "", ack.at, None, "open")
        if before is not None and ack.state in (PlaybackState.FINISHED, PlaybackState.FLUSHED):
            self._said[key] = replace(before, ended=ack.at, state=ack.state.value)

    @property
    def open_work(self) -> bool:
        """Something is being done, or its result waits to be heard."""
        return any(not over(work.execution, work.delivery) for work in {work.work_id: work for work in self.works}.values())

    def said(self) -> tuple[Said, ...]:
        """What sounded, in order."""
        found = []
        for key, entry in self._said.items():
            work_id, text = self._meant.get(key, ("", ""))
            found.append(replace(entry, work_id=work_id, text=text))
        return tuple(sorted(found, key=lambda entry: entry.started))

    def sound(self, samples: int) -> NDArray[np.int16]:
        """What was played, 24 kHz, in step with `samples` of the device clock. Needs `keep_sound`."""
        out = np.zeros(samples * SPEECH_HZ // CLOCK_HZ, np.int16)
        for at, pcm16 in self._sound:
            pcm = np.frombuffer(pcm16, "<i2")
            first = at * SPEECH_HZ // CLOCK_HZ
            kept = pcm[: max(0, len(out) - first)]
            out[first : first + len(kept)] = kept
        return out

    def into(self, facts: Facts) -> Facts:
        """`facts` with what was seen."""
        return replace(
            facts, spans=tuple(self.spans), said=self.said(), flushes=tuple(self.flushes), verdicts=tuple(self.verdicts),
            captions=tuple(self.captions), works=tuple(self.works), timings=tuple(self.timings), errors=self.errors,
        )  # fmt: skip
