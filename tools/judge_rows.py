"""Scenarios to evidence for tools/tune_judge.py: the front-end hears them with the real models, and its judgements are written down.

    python tools/judge_rows.py --out rows.jsonl [--split tune] [--seed 1] [--per-class 200] [--limit N]

The microphone hears bed and sounds as they were realised (no device, no echo: `ridealong eval duplex` measures the whole). One row for
each judgement, partial and final, with the label of the sound that it overlaps most; a sound that fits none is labelled noise. Appends, and
leaves out the scenarios that the file already holds.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tune_judge import read_rows, row_of, write_rows

from ridealong.cloud.config import FrontEnd as Settings
from ridealong.cloud.frontends.base import BackendReply, Feedback, Output, PartIn, Played
from ridealong.cloud.frontends.cascade.assembly import assemble
from ridealong.cloud.frontends.cascade.frontend import CascadeFrontEnd, Models, Observation
from ridealong.cloud.frontends.cascade.frontend import Understanding as Opinion
from ridealong.cloud.frontends.scripted import ToneVoice
from ridealong.errors import UserError
from ridealong.harness.router import Router
from ridealong.harness.skill import Context, Provenance
from ridealong.proto.types import CLOCK_HZ, MicrophoneState, Samples, UnitIndex, UtteranceId
from ridealong.simulators.scenarios.generate import Studio
from ridealong.simulators.scenarios.scenario import Cue, Scenario, Sound, Split
from ridealong.simulators.scenarios.texts import SHIPPED
from ridealong.simulators.virtual_time import InlineExecutor
from ridealong.vehicle_skills.builtin import builtin_registry

PART = CLOCK_HZ // 10
BEFORE_REPLY_S, AFTER_SOUND_S = 1.5, 2.0


class Track:
    """The microphone: the bed for ever, with the sounds mixed in where they were put."""

    def __init__(self, bed: NDArray[np.int16]) -> None:
        self._bed = bed.astype(np.float32) if len(bed) else np.zeros(1, np.float32)
        self._sounds: list[tuple[int, NDArray[np.int16]]] = []

    def add(self, at: int, pcm16: NDArray[np.int16]) -> None:
        self._sounds.append((at, pcm16))

    def read(self, start: int, count: int) -> NDArray[np.int16]:
        mixed = self._bed[np.arange(start, start + count) % len(self._bed)]
        for at, pcm16 in self._sounds:
            low, high = max(start, at), min(start + count, at + len(pcm16))
            if low < high:
                mixed[low - start : high - start] += pcm16[low - at : high - at]
        return np.clip(np.rint(mixed), -32768, 32767).astype(np.int16)


class Hearing:
    """One scenario through one front-end."""

    def __init__(self, scenario: Scenario, models: Models, opinion: Opinion) -> None:
        self.scenario = scenario
        self.seen: list[Observation] = []
        self.placed: list[tuple[int, int, Sound]] = []
        self.track = Track(scenario.bed)
        quiet = Models(models.vad, models.turn, models.recognise, ToneVoice(), models.voice_print)
        self.front_end = CascadeFrontEnd(
            quiet,
            opinion,
            Context,
            InlineExecutor(),
            lambda: None,
            lambda: Provenance.DRIVER,
            scenario.locale,
            observe=self.seen.append,
        )
        self.position = 0
        self._spoken: set[UtteranceId] = set()

    def run(self) -> None:
        for sound in self.scenario.sounds:
            if sound.cue is Cue.CLOCK:
                self._place(sound, sound.at)
        self._until(max((end for _, end, _ in self.placed), default=0) + 2 * CLOCK_HZ, [], [])
        for turn, reply in enumerate(self.scenario.replies):
            began = self.position
            for sound in self.scenario.sounds:
                if sound.cue is Cue.REPLY and sound.turn == turn:
                    self._place(sound, began + sound.at)
            end = max((end for _, end, _ in self.placed), default=began)
            self._until(
                max(end, began) + round(AFTER_SOUND_S * CLOCK_HZ), [BackendReply(f"w{turn}", reply, self.scenario.locale)], []
            )
            over: list[Feedback] = [Played(one, 10**9, True, False, reply) for one in self._spoken]
            self._spoken.clear()
            self._until(self.position + round(BEFORE_REPLY_S * CLOCK_HZ), [], over)

    def rows(self) -> list[dict[str, object]]:
        out = []
        for one in self.seen:
            if one.judgement is None:
                continue
            shared = [(min(one.end, end) - max(one.start, start), sound) for start, end, sound in self.placed]
            best = max(shared, key=lambda pair: pair[0], default=None)
            sound = best[1] if best is not None and best[0] > 0 else None
            if sound is not None and sound.kind.value == "request":
                continue
            out.append(
                row_of(
                    one.evidence, sound.kind.value if sound else "noise", sound.intent.value if sound and sound.intent else "",
                    sound.text if sound else "", scenario=self.scenario.id, snr_db=self.scenario.snr_db, voice=sound.voice if sound else "",
                    verdict=one.judgement.likeliest.value, start=int(one.start),
                )
            )  # fmt: skip
        return out

    def _place(self, sound: Sound, at: int) -> None:
        self.track.add(at, sound.pcm16)
        self.placed.append((at + sound.onset, at + sound.end, sound))

    def _until(self, end: int, replies: list[BackendReply], feedback: list[Feedback]) -> None:
        while self.position < end:
            piece = self.track.read(self.position, PART).astype("<i2")
            index = self.position // PART
            part = PartIn(
                UnitIndex(index // 10), index % 10, index % 10 == 9, Samples(self.position), PART, piece.tobytes(), MicrophoneState.LIVE,
                True, False,
            )  # fmt: skip
            for outcome in self.front_end.on_part(part, replies, feedback):
                if isinstance(outcome, Output):
                    self._spoken.update(piece.utterance for piece in outcome.speech)
            replies, feedback = [], []
            self.position += PART


def main() -> int:
    parser = argparse.ArgumentParser(description="scenarios to evidence")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--split", choices=[split.value for split in Split], default="tune")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--per-class", type=int, default=200)
    parser.add_argument("--limit", type=int)
    parser.add_argument("--texts", type=Path, default=SHIPPED, help="a folder with tune/ and report/ instead of the shipped one")
    options = parser.parse_args()
    if options.seed < 0 or options.per_class < 1 or (options.limit is not None and options.limit < 1):
        parser.error("--seed must not be negative, --per-class and --limit at least 1")
    try:
        done = {row.get("scenario") for row in read_rows(options.out)} if options.out.exists() else set()
        with options.out.open("a"):
            pass
    except (UserError, OSError) as error:
        wrong = (
            error if isinstance(error, UserError) else f"{options.out} cannot be written ({error.strerror}): give another --out."
        )
        print(f"judge_rows: {wrong}", file=sys.stderr)
        return 2
    studio = Studio.of(Split(options.split), texts=options.texts)
    plans = studio.plans(options.seed, options.per_class)[: options.limit]
    models, opinion = assemble(Settings(), Router(builtin_registry()))
    began = time.perf_counter()
    for number, plan in enumerate(plans, start=1):
        scenario = studio.scenario(plan)
        if scenario.id in done:
            continue
        hearing = Hearing(scenario, models, opinion)
        hearing.run()
        write_rows(options.out, hearing.rows())
        print(
            f"{number}/{len(plans)} {scenario.id}: {len(hearing.seen)} judgements, {time.perf_counter() - began:.0f} s",
            flush=True,
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
