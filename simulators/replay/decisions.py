"""The decisions of a run, one JSON object a line, without anything that differs between two equal runs.

Ids that a node draws at random (work items, actuation keys) are replaced by w1, w2, …, a1, a2, … in order of appearance; times are
device milliseconds. The same trip and seed give the same lines on virtual time. Does not know whether a decision was right.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from ridealong.proto.types import (
    Actuate,
    ActuationResult,
    Caption,
    Control,
    DownlinkBody,
    Duck,
    Error,
    Flush,
    FrameFragment,
    FrameTombstone,
    Notice,
    PlaybackAck,
    PlaybackState,
    Samples,
    SignalValue,
    Speech,
    Unduck,
    UplinkBody,
    UtteranceId,
    WorkUpdate,
    ms_from_samples,
)
from ridealong.vehicle_skills.signals import SIGNALS, Kind


class DecisionLog:
    """A RunObserver that writes each decision through `write` (one line, without its end)."""

    def __init__(self, write: Callable[[str], None]) -> None:
        self._write = write
        self._names: dict[str, str] = {}
        self._counts: dict[str, int] = {}
        self._values: dict[str, SignalValue] = {}
        self._said: set[tuple[int, int]] = set()

    def sent(self, at: Samples, body: UplinkBody) -> None:
        match body:
            case PlaybackAck() if body.state is not PlaybackState.PROGRESS:
                self._line(
                    body.at,
                    "ack",
                    epoch=body.epoch,
                    utterance=body.utterance,
                    state=body.state.value,
                    played_samples=body.played_samples,
                )
            case ActuationResult():
                self._line(body.at or at, "result", key=self._name("a", body.key), state=body.state.value, reason=body.reason)
            case FrameFragment() if body.index == 0:
                self._line(body.capture, "frame", frame=body.frame, keep=body.gate.keep, reason=body.gate.reason.value, sent=True)
            case FrameTombstone():
                self._line(
                    body.capture, "frame", frame=body.frame, keep=body.gate.keep, reason=body.gate.reason.value, sent=False
                )
            case _:
                pass

    def received(self, at: Samples, body: DownlinkBody) -> None:
        match body:
            case Control():
                self._line(at, "control", unit=body.unit, token=body.token.value)
            case Caption() if body.final:
                self._line(at, "caption", who=body.who, text=body.text, addressee=body.addressee, start=body.start, end=body.end)
            case Speech() if (body.epoch, body.utterance) not in self._said:
                self._said.add((body.epoch, body.utterance))
                self._line(
                    at, "say", epoch=body.epoch, utterance=body.utterance, text=body.text, work=self._name("w", body.work_id)
                )
            case Flush():
                self._line(at, "flush", epoch=body.epoch)
            case Duck():
                self._line(at, "duck")
            case Unduck():
                self._line(at, "unduck")
            case Actuate():
                writes = [[write.path, write.value] for write in body.writes]
                self._line(
                    at, "actuate", key=self._name("a", body.key), group=body.group, writes=writes, provenance=body.provenance
                )
            case WorkUpdate():
                self._line(
                    at, "work", work=self._name("w", body.work_id), execution=body.execution, delivery=body.delivery, capability=body.capability
                )  # fmt: skip
            case Notice(code="heard"):
                self._line(at, "heard", text=body.text)
            case Notice() | Error():
                self._line(at, "notice", code=body.code)
            case _:
                pass

    def rendered(self, at: Samples, pcm24k: bytes) -> None:
        pass

    def hole(self, at: Samples, utterance: UtteranceId, samples: int) -> None:
        self._line(at, "hole", utterance=utterance, ms=round(ms_from_samples(Samples(samples))))

    def signal(self, at: Samples, path: str, value: SignalValue) -> None:
        """Only actuators: sensors move by themselves, all the time."""
        known = SIGNALS.get(path)
        if known is not None and known.kind is Kind.ACTUATOR and self._values.get(path) != value:
            self._values[path] = value
            self._line(at, "signal", path=path, value=value)

    def _name(self, kind: str, raw: str) -> str:
        if not raw:
            return ""
        if raw not in self._names:
            self._counts[kind] = self._counts.get(kind, 0) + 1
            self._names[raw] = f"{kind}{self._counts[kind]}"
        return self._names[raw]

    def _line(self, at: int, what: str, **values: Any) -> None:
        self._write(json.dumps({"at_ms": round(ms_from_samples(at), 3), "what": what, **values}, ensure_ascii=False))
