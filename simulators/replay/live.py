"""The live view of a run: one line for each thing that happened, in order of time, and at the bottom of a terminal what is going on.

A RunObserver. A line stands where its time is, so it waits until nothing earlier can come (`in_order.py`); in a terminal it is shown at the
bottom meanwhile. Frames, each second's token and the steps of work in between are not told: they are in the report. Without a terminal the same
lines come plain. Shows what people said; it is for the one who runs the replay, not a log.
"""

from __future__ import annotations

from types import TracebackType
from typing import Any

from rich.console import Console, Group
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
    Halt,
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
    UtteranceId,
    WorkUpdate,
)
from ridealong.simulators.replay.artefacts import RunResult
from ridealong.simulators.replay.assemble import FINAL_DELIVERIES
from ridealong.simulators.replay.in_order import InOrder
from ridealong.simulators.replay.picture import short
from ridealong.simulators.replay.utterances import UtteranceBook
from ridealong.vehicle_skills.signals import SIGNALS, SPEED, Kind

STYLES = {
    "user": "bold blue", "others": "dim", "assistant": "bold green", "work": "magenta", "car": "yellow", "notice": "bold red", "barge-in": "bold yellow",
}  # fmt: skip
MARKS = {ControlToken.LISTEN: "·", ControlToken.SPEAK: "▶", ControlToken.TURN_EOS: "■"}
STRIP = 40
SETTLE_S = 0.6
VOICE_LEAD_S, VOICE_TAIL_S = 0.8, 4.0
"""Words begin this much before the device hints at a voice, and are understood this long after it."""
SHOWN_WAITING = 8
VOICE = "voice"


class LiveView:
    """Use as a context manager around the run."""

    def __init__(self, console: Console | None = None, *, status: bool = True) -> None:
        self.console = console if console is not None else Console(highlight=False, soft_wrap=True)
        self._live = (
            Live(console=self.console, refresh_per_second=8, transient=True) if status and self.console.is_terminal else None
        )
        self._book = UtteranceBook()
        self._strip = ""
        self._lines: InOrder[Text] = InOrder()
        self._voice_s = 0.0
        self._told: dict[str, str] = {}
        self._moving: dict[str, tuple[float, SignalValue]] = {}
        self._values: dict[str, SignalValue] = {}
        self._at_s = 0.0
        self._speaking = ""
        self._microphone = MicrophoneState.LIVE
        self._acks = self._kept = 0
        self._frames: set[int] = set()

    def __enter__(self) -> LiveView:
        if self._live is not None:
            self._live.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._settle(float("inf"))
        self._print(self._lines.rest())
        if self._live is not None:
            self._live.stop()

    # --- RunObserver ---

    def sent(self, at: Samples, body: UplinkBody) -> None:
        match body:
            case UnitPart():
                self._at_s = (body.start + body.samples) / CLOCK_HZ
                self._listen(body)
                if body.microphone is not self._microphone:
                    self._microphone = body.microphone
                    self._line(body.start, "notice", f"microphone {body.microphone.value}")
                self._settle(self._at_s)
                self._print(self._lines.due(self._at_s))
                self._refresh()
            case PlaybackAck():
                self._ack(body)
            case ActuationResult() if body.state.final:
                self._line(body.at or at, "car", f"{body.state.value}{f' ({body.reason})' if body.reason else ''}")
            case FrameFragment() | FrameTombstone() if body.frame not in self._frames:
                self._frames.add(body.frame)
                self._kept += body.gate.keep
            case _:
                pass

    def received(self, at: Samples, body: DownlinkBody) -> None:
        match body:
            case Control():
                self._strip = (self._strip + MARKS[body.token])[-STRIP:]
            case Caption() if body.final and body.who == "user":
                ours = body.addressee in ("assistant", "")
                aside = "" if ours else f"   (to {body.addressee})"
                self._lines.ended(VOICE)
                self._line(body.start, "user" if ours else "others", (body.text or "(no words)") + aside)
            case Speech():
                self._book.speech(at, body)
            case WorkUpdate():
                self._work(at, body)
            case Actuate():
                wanted = ", ".join(f"{short(write.path)} = {_value(write.value)}" for write in body.writes)
                self._line(at, "car", f"asked: {wanted}")
            case Halt():
                self._line(at, "car", "asked: stop where it is")
            case Flush():
                self._line(at, "barge-in", "cut off: the rest is dropped")
            case Duck():
                self._line(at, "barge-in", "quieter, listening")
            case Unduck():
                self._line(at, "barge-in", "goes on")
            case Notice(code="verdict"):
                self._line(at, "barge-in", f"judged: {body.text.replace('_', ' ')}")
            case Notice(code="heard"):
                pass  # what was cut is struck out
            case Notice() | Error():
                self._line(at, "notice", body.text or body.code)
            case _:
                pass

    def rendered(self, at: Samples, pcm24k: bytes) -> None:
        pass

    def hole(self, at: Samples, utterance: UtteranceId, samples: int) -> None:
        self._line(
            at, "notice", f"{samples / CLOCK_HZ:.2f} s of silence within a sentence: what was to follow was not there in time"
        )

    def signal(self, at: Samples, path: str, value: SignalValue) -> None:
        """Actuators, once they have settled; speed stands in the status line."""
        first = path not in self._values
        changed = self._values.get(path) != value
        self._values[path] = value
        known = SIGNALS.get(path)
        if not first and changed and known is not None and known.kind is Kind.ACTUATOR:
            self._moving[path] = (at / CLOCK_HZ, value)

    # --- lines ---

    def _listen(self, part: UnitPart) -> None:
        """While somebody speaks, words may come with the time at which that began."""
        if part.speech_hint:
            self._voice_s = (part.start + part.samples) / CLOCK_HZ
            self._lines.began(VOICE, part.start / CLOCK_HZ - VOICE_LEAD_S)
        elif self._at_s - self._voice_s > VOICE_TAIL_S:
            self._lines.ended(VOICE)

    def _ack(self, ack: PlaybackAck) -> None:
        self._acks += 1
        self._book.ack(ack)
        key, fact = (ack.epoch, ack.utterance), self._book.fact(ack.epoch, ack.utterance)
        if fact is None:
            return
        started_s = fact.started_s if fact.started_s is not None else ack.at / CLOCK_HZ
        self._speaking = fact.heard
        self._lines.began(key, started_s)
        if ack.state in (PlaybackState.FINISHED, PlaybackState.FLUSHED):
            self._speaking = ""
            self._lines.ended(key)
            text = Text(fact.heard)
            if fact.text.startswith(fact.heard) and fact.text != fact.heard:
                text.append(fact.text[len(fact.heard) :], style="strike dim red")
            if ack.state is PlaybackState.FLUSHED:
                share = 100 * fact.played_samples // max(1, fact.samples)
                text.append(f"   (cut after {fact.played_samples / fact.rate:.1f} s, {share} % of what was sent)", style="dim")
            self._line(round(started_s * CLOCK_HZ), "assistant", text)

    def _work(self, at: Samples, body: WorkUpdate) -> None:
        """That it was begun, and how it ended with its reply."""
        states = f"{body.execution}, {body.delivery}"
        begun = body.execution == "running" and body.work_id not in self._told
        ended = body.delivery in FINAL_DELIVERIES or (body.delivery == "none" and body.execution in ("cancelled", "superseded"))
        if (begun or ended) and self._told.get(body.work_id) != states:
            self._told[body.work_id] = states
            self._line(at, "work", f"{body.capability or body.work_id}: {'begun' if begun else states}")

    def _settle(self, now_s: float) -> None:
        for path, (at_s, value) in list(self._moving.items()):
            if now_s - at_s >= SETTLE_S:
                del self._moving[path]
                self._line(Samples(round(at_s * CLOCK_HZ)), "car", f"{short(path)} is {_value(value)}")

    def _line(self, at: float, who: str, what: str | Text) -> None:
        line = Text.assemble((f"{_clock(at / CLOCK_HZ)}  ", "dim"))
        line.append(f"{who:<10}", style=STYLES.get(who, ""))
        line.append(what if isinstance(what, Text) else Text(what))
        self._lines.add(at / CLOCK_HZ, line)

    def _print(self, lines: list[Text]) -> None:
        for line in lines:
            self.console.print(line)

    def _refresh(self) -> None:
        if self._live is None:
            return
        status = Text.assemble((f"{_clock(self._at_s)} ", "bold reverse"))
        status.append(f" {self._strip} ", style="green")
        speed = self._values.get(SPEED)
        if isinstance(speed, int | float):
            status.append(f" {speed:.0f} km/h ", style="yellow")
        status.append(f" acks {self._acks}  frames {self._kept}/{len(self._frames)} ", style="dim")
        if self._speaking:
            status.append(f" “{self._speaking[-60:]}”", style="green")
        waiting = self._lines.waiting[-SHOWN_WAITING:]
        for line in waiting:
            line.no_wrap, line.overflow = True, "ellipsis"
        self._live.update(Group(*waiting, status))


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
