"""The live view of a run: one line for each thing that happened, and a status line at the bottom of a terminal.

A RunObserver. Without a terminal the same lines come plain, without the status line. Shows what people said; it is for the one
who runs the replay, not a log.
"""

from __future__ import annotations

from types import TracebackType
from typing import Any

from rich.console import Console
from rich.live import Live
from rich.text import Text

from ridealong.proto.types import (
    CLOCK_HZ,
    Actuate,
    ActuationResult,
    Caption,
    Control,
    ControlToken,
    DownlinkBody,
    Duck,
    Error,
    Flush,
    FrameFragment,
    FrameTombstone,
    MicrophoneState,
    Notice,
    PlaybackAck,
    PlaybackState,
    Samples,
    SignalValue,
    Speech,
    Unduck,
    UnitPart,
    UplinkBody,
    WorkUpdate,
)
from ridealong.simulators.replay.artefacts import RunResult
from ridealong.simulators.replay.picture import short
from ridealong.simulators.replay.utterances import UtteranceBook
from ridealong.vehicle_skills.signals import SIGNALS, SPEED, Kind

STYLES = {
    "user": "bold blue", "others": "dim", "assistant": "bold green", "control": "dim", "work": "magenta", "car": "yellow", "ack": "dim green",
    "gate": "dim cyan", "notice": "bold red", "barge-in": "bold yellow",
}  # fmt: skip
MARKS = {ControlToken.LISTEN: "·", ControlToken.SPEAK: "▶", ControlToken.TURN_EOS: "■"}
STRIP = 40
SETTLE_S = 0.6


class LiveView:
    """Use as a context manager around the run."""

    def __init__(self, console: Console | None = None, *, status: bool = True) -> None:
        self.console = console if console is not None else Console(highlight=False, soft_wrap=True)
        self._live = (
            Live(console=self.console, refresh_per_second=8, transient=True) if status and self.console.is_terminal else None
        )
        self._book = UtteranceBook()
        self._strip = ""
        self._control: ControlToken | None = None
        self._moving: dict[str, tuple[float, SignalValue]] = {}
        self._values: dict[str, SignalValue] = {}
        self._at_s = 0.0
        self._speaking = ""
        self._microphone = MicrophoneState.LIVE
        self._acks = self._kept = self._frames = 0

    def __enter__(self) -> LiveView:
        if self._live is not None:
            self._live.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._settle(float("inf"))
        if self._live is not None:
            self._live.stop()

    # --- RunObserver ---

    def sent(self, at: Samples, body: UplinkBody) -> None:
        match body:
            case UnitPart():
                self._at_s = (body.start + body.samples) / CLOCK_HZ
                if body.microphone is not self._microphone:
                    self._microphone = body.microphone
                    self._line(body.start, "notice", f"microphone {body.microphone.value}")
                self._settle(self._at_s)
                self._refresh()
            case PlaybackAck():
                self._ack(body)
            case ActuationResult():
                self._line(body.at or at, "car", f"{body.state.value}{f' ({body.reason})' if body.reason else ''}")
            case FrameFragment() if body.index == 0:
                self._gate(body.capture, body.frame, body.gate.keep, body.gate.reason.value)
            case FrameTombstone():
                self._gate(body.capture, body.frame, body.gate.keep, body.gate.reason.value)
            case _:
                pass

    def received(self, at: Samples, body: DownlinkBody) -> None:
        match body:
            case Control():
                self._strip = (self._strip + MARKS[body.token])[-STRIP:]
                if body.token is not self._control:
                    self._control = body.token
                    self._line(at, "control", f"unit {body.unit}: {body.token.value}")
            case Caption() if body.final and body.who == "user":
                ours = body.addressee in ("assistant", "")
                aside = "" if ours else f"   (to {body.addressee})"
                self._line(body.start, "user" if ours else "others", (body.text or "(no words)") + aside)
            case Speech():
                self._book.speech(at, body)
            case WorkUpdate():
                self._line(at, "work", f"{body.capability or body.work_id}: {body.execution}, {body.delivery}")
            case Actuate():
                wanted = ", ".join(f"{short(write.path)} = {_value(write.value)}" for write in body.writes)
                self._line(at, "car", f"asked: {wanted}")
            case Flush():
                self._line(at, "barge-in", "cut off: the rest is dropped")
            case Duck():
                self._line(at, "barge-in", "quieter, listening")
            case Unduck():
                self._line(at, "barge-in", "goes on")
            case Notice() | Error():
                self._line(at, "notice", body.text or body.code)
            case _:
                pass

    def rendered(self, at: Samples, pcm24k: bytes) -> None:
        pass

    def signal(self, at: Samples, path: str, value: SignalValue) -> None:
        """Actuators, once they have settled; speed stands in the status line."""
        first = path not in self._values
        changed = self._values.get(path) != value
        self._values[path] = value
        known = SIGNALS.get(path)
        if not first and changed and known is not None and known.kind is Kind.ACTUATOR:
            self._moving[path] = (at / CLOCK_HZ, value)

    # --- lines ---

    def _ack(self, ack: PlaybackAck) -> None:
        self._acks += 1
        self._book.ack(ack)
        fact = self._book.fact(ack.epoch, ack.utterance)
        if fact is None:
            return
        self._speaking = fact.heard
        if ack.state in (PlaybackState.FINISHED, PlaybackState.FLUSHED):
            self._speaking = ""
            text = Text(fact.heard)
            if fact.text.startswith(fact.heard) and fact.text != fact.heard:
                text.append(fact.text[len(fact.heard) :], style="strike dim red")
            started_s = fact.started_s if fact.started_s is not None else ack.at / CLOCK_HZ
            self._line(Samples(round(started_s * CLOCK_HZ)), "assistant", text)
            share = 100 * fact.played_samples // max(1, fact.samples)
            self._line(ack.at, "ack", f"{ack.state.value}, {fact.played_samples / fact.rate:.1f} s played ({share} %)")

    def _gate(self, at: Samples, frame: int, keep: bool, reason: str) -> None:
        self._frames += 1
        if keep:
            self._kept += 1
            self._line(at, "gate", f"frame {frame} kept: {reason.replace('_', ' ')}")

    def _settle(self, now_s: float) -> None:
        for path, (at_s, value) in list(self._moving.items()):
            if now_s - at_s >= SETTLE_S:
                del self._moving[path]
                self._line(Samples(round(at_s * CLOCK_HZ)), "car", f"{short(path)} is {_value(value)}")

    def _line(self, at: int, who: str, what: str | Text) -> None:
        line = Text.assemble((f"{_clock(at / CLOCK_HZ)}  ", "dim"))
        line.append(f"{who:<10}", style=STYLES.get(who, ""))
        line.append(what if isinstance(what, Text) else Text(what))
        self.console.print(line)

    def _refresh(self) -> None:
        if self._live is None:
            return
        status = Text.assemble((f"{_clock(self._at_s)} ", "bold reverse"))
        status.append(f" {self._strip} ", style="green")
        speed = self._values.get(SPEED)
        if isinstance(speed, int | float):
            status.append(f" {speed:.0f} km/h ", style="yellow")
        status.append(f" acks {self._acks}  frames {self._kept}/{self._frames} ", style="dim")
        if self._speaking:
            status.append(f" “{self._speaking[-60:]}”", style="green")
        self._live.update(status)


def _clock(at_s: float) -> str:
    return f"{int(at_s) // 60:2d}:{at_s % 60:04.1f}"


def _value(value: SignalValue) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def print_summary(console: Console, result: RunResult, folder: Any) -> None:
    """Outcomes and figures at the end of a run."""
    looks = {"passed": ("held", "green"), "failed": ("FAILED", "bold red"), "later": ("not yet", "magenta")}
    if result.outcomes:
        console.print(Text("\nexpected outcomes", style="bold"))
    width = max((len(outcome.id) for outcome in result.outcomes), default=0)
    for outcome in result.outcomes:
        word, style = looks[outcome.status]
        line = Text.assemble((f"  {word:<8}", style))
        line.append(f"{outcome.id:<{width}}  ", style="bold")
        line.append(outcome.why)
        console.print(line)
    console.print(Text("\nsummary", style="bold"))
    width = max((len(figure.label or figure.name) for figure in result.figures), default=0)
    for figure in result.figures:
        line = Text(f"  {figure.label or figure.name:<{width}}  ")
        line.append(figure.shown(), style="bold")
        console.print(line)
    counted = [outcome for outcome in result.outcomes if outcome.status != "later"]
    held = sum(outcome.status == "passed" for outcome in counted)
    later = len(result.outcomes) - len(counted)
    if counted:
        console.print(
            f"\n{held} of {len(counted)} expected outcomes held" + (f", {later} not yet possible" if later else "") + "."
        )
    console.print(f"report: {folder}/report.html   recording: {folder}/mixed.wav")
