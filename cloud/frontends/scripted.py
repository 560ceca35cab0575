"""A deterministic front-end for tests and replays: says and delegates by a script, and answers results with tones.

It hears nothing: its speech is a tone per word, and says so. Typed words are delegated as they stand.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass

import numpy as np

from ridealong.cloud.frontends.base import (
    Addressee,
    BackendReply,
    ButtonPressed,
    Feedback,
    Floor,
    Heard,
    Intent,
    Output,
    PartIn,
    PartOutcome,
    Played,
    UnitIn,
    Verdict,
    VerdictKind,
)
from ridealong.cloud.frontends.mouth import Clip, Mouth
from ridealong.harness.skill import Provenance
from ridealong.proto.types import ControlToken, Samples, UnitIndex, WordTime

WORD_MS = 250
RATE = 24_000


@dataclass(frozen=True, slots=True)
class Line:
    """At unit `unit`: say something, delegate something (`by` says who asked), or give a verdict of interruption (`intent`)."""

    unit: int
    say: str = ""
    delegate: str = ""
    interrupt: bool = False
    intent: Intent | None = None
    locale: str = "en"
    by: Provenance = Provenance.DRIVER


class ToneVoice:
    """A tone of 250 ms a word: its pitch tells the word's place. Not speech."""

    def clauses(self, text: str, locale: str) -> list[str]:
        return [text]

    def clip(self, text: str, locale: str) -> Clip:
        words = text.split() or [text]
        length = RATE * WORD_MS // 1000
        t = np.arange(length) / RATE
        fade = np.minimum(1.0, np.minimum(np.arange(length), np.arange(length)[::-1]) / 240)
        tones = [0.25 * fade * np.sin(2 * np.pi * (300 + 40 * (i % 12)) * t) for i in range(len(words))]
        pcm = (np.concatenate(tones) * 32767).astype("<i2").tobytes()
        return Clip(pcm, RATE, tuple(WordTime(word, i * length, (i + 1) * length) for i, word in enumerate(words)))


class ScriptedFrontEnd:
    name = "scripted"
    verdict_latency_ms = 1_000
    replies_at_parts = True

    def __init__(self, script: Sequence[Line], executor: Executor, wake: Callable[[], None]) -> None:
        self._script = {line.unit: line for line in script}
        self._mouth = Mouth(ToneVoice(), executor, wake)
        self._now = Samples(0)

    def on_part(self, part: PartIn, replies: list[BackendReply], feedback: list[Feedback]) -> list[PartOutcome]:
        self._take(replies, feedback)
        self._now = Samples(part.start + part.samples)
        outcomes: list[PartOutcome] = []
        line = self._script.get(part.unit)
        if part.part == 0 and part.samples and line is not None:
            if line.interrupt:
                self._mouth.stop(self._now)
                outcomes.append(Verdict(VerdictKind.INTERRUPTION, part.start, self._now, intent=line.intent))
            if line.say:
                self._mouth.say(line.say, line.locale)
            if line.delegate:
                outcomes.append(self._delegate(line.delegate, line.locale, line.by, part.start))
        slices = self._mouth.slices(self._now)
        if slices:
            outcomes.append(Output(ControlToken.SPEAK, " ".join(s.text for s in slices), speech=tuple(slices)))
        return outcomes

    def on_unit(self, unit: UnitIn, replies: list[BackendReply], feedback: list[Feedback]) -> Output:
        self._take(replies, feedback)
        self._now = Samples(unit.start + unit.samples)
        delegates = [self._delegate(text, "", Provenance.TYPED, unit.start) for text in unit.typed]
        slices = self._mouth.slices(self._now)
        return Output(
            ControlToken.SPEAK if self._mouth.busy else ControlToken.LISTEN,
            " ".join(s.text for s in slices),
            delegate="".join(out.delegate for out in delegates),
            speech=tuple(slices),
            heard=tuple(heard for out in delegates for heard in out.heard),
        )

    def floor(self) -> Floor:
        return Floor(not self._mouth.busy, 1e9)

    def close(self) -> None:
        self._mouth.stop(self._now)

    def _delegate(self, text: str, locale: str, by: Provenance, at: Samples) -> Output:
        locale = locale or ("zh" if any("\u4e00" <= char <= "\u9fff" for char in text) else "en")
        heard = Heard(text, locale, at, self._now, Addressee.ASSISTANT, by)
        return Output(ControlToken.SPEAK, delegate=f"<delegate>{text}</delegate>", heard=(heard,))

    def _take(self, replies: list[BackendReply], feedback: list[Feedback]) -> None:
        for item in feedback:
            match item:
                case Played():
                    self._mouth.played(item, self._now)
                case ButtonPressed(at=at):
                    self._mouth.stop(at)
        for reply in replies:
            self._mouth.say(reply.text, reply.locale, reply.work_id)


def script_from(rows: Sequence[dict[str, object]]) -> tuple[Line, ...]:
    """Lines from configuration; ValueError names the wrong key."""
    lines = []
    for number, row in enumerate(rows, start=1):
        unknown = set(row) - {"unit", "say", "delegate", "interrupt", "intent", "locale", "by"}
        if unknown or not isinstance(row.get("unit"), int):
            raise ValueError(
                f"script line {number}: {'unknown key ' + sorted(unknown)[0] if unknown else 'needs a whole number `unit`'}"
            )
        by = Provenance(str(row.get("by", "driver")))
        unit = UnitIndex(int(str(row["unit"])))
        lines.append(
            Line(
                unit,
                str(row.get("say", "")),
                str(row.get("delegate", "")),
                bool(row.get("interrupt")),
                Intent(str(row["intent"])) if "intent" in row else None,
                str(row.get("locale", "en")),
                by,
            )
        )
    return tuple(lines)
