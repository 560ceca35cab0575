"""End of turn: how often a hesitation is cut, and how long a finished turn waits (spec: evaluation, turn-taking peers).

    make bench-endpoint ARGS="[--split report|tune] [--limit N] [--seed N] [--json FILE] [--evidence FILE] [--verbose]"

Lines of endpoint_turns.yaml are synthesised whole, with hesitations said as such, and cut in mid-sentence; every silence is one
decision from what the listener would know 160 ms into it. A hesitation's length is drawn from a log-normal distribution (median 500
ms, a tenth above 1.2 s). Cut-ins at a latency: the least share of hesitations cut by any policy (threshold, delay, time-out) whose mean wait
at the ends is at most 300 or 600 ms; dead air: the least mean wait with at most 5 or 10 % cut. `ours` is the table as it stands.
"""

from __future__ import annotations

import argparse
import json
import random
import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path

import numpy as np
import yaml
from arguments import at_least, new_file
from numpy.typing import NDArray

from ridealong.cloud.frontends.cascade.assembly import RouterOpinion
from ridealong.cloud.frontends.cascade.audio import floats_from_pcm16, resample
from ridealong.cloud.frontends.cascade.endpoint import Evidence, decide
from ridealong.cloud.frontends.cascade.speech_models import SpeechModels, load
from ridealong.harness.router import Router
from ridealong.harness.skill import Context
from ridealong.proto.types import CLOCK_HZ
from ridealong.simulators.replay.figures import Figure, to_json, wilson
from ridealong.vehicle_skills.builtin import builtin_registry

Audio = NDArray[np.float32]
VOICES = {
    "tune": {"en": ("am_michael", "af_heart"), "zh": ("zm_yunxi",)},
    "report": {"en": ("bf_emma", "bm_george"), "zh": ("zf_xiaoxiao",)},
}
SPEEDS = (1.0, 1.1, 0.92)
KNOWN_AFTER = 160 * CLOCK_HZ // 1000
DELAYS_MS = tuple(range(100, 1_001, 50))
TIMEOUTS_MS = (600, 800, 1_000, 1_200, 1_500, 2_000, 2_500)


@dataclass(frozen=True, slots=True)
class Silence:
    """One decision. `final`: the turn is over; otherwise it went on after `pause_ms`."""

    line: str
    how: str
    locale: str
    final: bool
    pause_ms: float
    turn: float
    text: str
    complete: bool

    @property
    def evidence(self) -> Evidence:
        return Evidence(self.locale, self.turn, self.text, self.complete)


def said(text: str, locale: str, voice: str, speed: float, models: SpeechModels) -> tuple[Audio, list[tuple[str, int]]]:
    made = models.synthesiser.synthesise(text, locale, voice, speed)
    clip = resample(floats_from_pcm16(made.pcm.tobytes()), made.rate, CLOCK_HZ)
    return clip, [(word.word, word.end * CLOCK_HZ // made.rate) for word in made.words]


def pieces(line: str, how: str, locale: str, voice: str, speed: float, models: SpeechModels) -> list[Audio]:
    """Between the hesitations. "said": each piece synthesised by itself, as going on; "cut": one sentence cut at the quietest place."""
    parts = [part.strip() for part in line.split("|")]
    if how == "said":
        comma = "，" if locale == "zh" else ","
        going_on = [part if part.endswith((",", "，")) else part + comma for part in parts[:-1]]
        return [said(part, locale, voice, speed, models)[0] for part in [*going_on, parts[-1]]]
    clip, words = said(("" if locale == "zh" else " ").join(parts), locale, voice, speed, models)
    found, at, letters = [], 0, 0
    for part in parts[:-1]:
        letters += len(re.sub(r"\W", "", part))
        passed, cut = 0, at
        for word, end in words:
            passed, cut = passed + len(re.sub(r"\W", "", word)), end
            if passed >= letters:
                break
        low = max(at, cut - 1_280)
        power = np.convolve(clip[low : cut + 1_280] ** 2, np.ones(320, np.float32), "valid")
        cut = low + int(power.argmin()) + 160
        piece = clip[at:cut].copy()
        piece[-160:] *= np.linspace(1, 0, 160, dtype=np.float32)
        found.append(piece)
        at = cut
    return [*found, clip[at:]]


def silences(split: str, limit: int, seed: int, models: SpeechModels) -> Iterator[Silence]:
    raw = yaml.safe_load(Path(__file__).with_name("endpoint_turns.yaml").read_text(encoding="utf-8"))[split]
    opinion, draw = RouterOpinion(Router(builtin_registry())), random.Random(seed)
    noise = np.random.default_rng(seed)
    jobs = [
        (locale, voice, number, line)
        for locale in raw
        for voice in VOICES[split][locale]
        for number, line in enumerate(raw[locale])
    ]
    draw.shuffle(jobs)
    for locale, voice, number, line in jobs[:limit]:
        for how in ("said", "cut") if "|" in line else ("whole",):
            heard = np.zeros(CLOCK_HZ // 4, np.float32)
            parts = pieces(line, "said" if how == "whole" else how, locale, voice, SPEEDS[number % 3], models)
            for index, piece in enumerate(parts):
                level = 10 ** (-24 / 20) / max(1e-6, float(np.sqrt((piece**2).mean())))
                loud = np.flatnonzero(np.abs(piece * level) > 0.003)
                piece = (piece * level)[: int(loud[-1]) + 1 if len(loud) else len(piece)]
                pause_ms = min(3_000.0, max(150.0, draw.lognormvariate(np.log(500), 0.68)))
                room = np.concatenate([heard, piece, np.zeros(KNOWN_AFTER, np.float32)])
                room = (room + noise.standard_normal(len(room)) * 10 ** (-68 / 20)).astype(np.float32)
                text = models.recogniser.transcribe(room, locale)
                turn = models.turn.completed(room[-8 * CLOCK_HZ :])
                complete = bool(text.text) and opinion.complete(text.text, text.locale, Context())
                yield Silence(line, how, locale, index == len(parts) - 1, pause_ms, turn, text.text, complete)
                heard = np.concatenate([heard, piece, np.zeros(round(pause_ms * CLOCK_HZ / 1000), np.float32)])


@dataclass(frozen=True, slots=True)
class Point:
    cut: float
    wait_ms: float


def outcome(waits_ms: NDArray[np.float64], rows: list[Silence]) -> Point:
    final = np.array([row.final for row in rows])
    pauses = np.array([row.pause_ms for row in rows])
    return Point(float((waits_ms < pauses)[~final].mean()), float(waits_ms[final].mean()))


def sweep(scores: NDArray[np.float64], rows: list[Silence]) -> list[Point]:
    """Every policy: at this score or above after this delay, otherwise after this time-out."""
    thresholds = np.unique(np.quantile(scores, np.linspace(0, 1, 41)))
    return [
        outcome(np.where(scores >= threshold, delay, timeout).astype(np.float64), rows)
        for threshold, delay, timeout in product(thresholds, DELAYS_MS, TIMEOUTS_MS)
        if delay <= timeout
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--split", choices=("report", "tune"), default="report")
    parser.add_argument("--limit", type=at_least(1), default=10_000, help="at most so many lines")
    parser.add_argument("--seed", type=at_least(0), default=1)
    parser.add_argument("--json", type=new_file)
    parser.add_argument("--evidence", type=Path, help="write every decision's evidence here, or read it from here when it exists")
    parser.add_argument("--verbose", action="store_true", help="show what is cut")
    options = parser.parse_args()
    if options.evidence is not None and options.evidence.exists():
        try:
            rows = [Silence(**row) for row in json.loads(options.evidence.read_text(encoding="utf-8"))]
        except (OSError, ValueError, TypeError):
            parser.error(f"--evidence: {options.evidence} is not a file that this program wrote; give another name, or remove it")
    else:
        rows = list(silences(options.split, options.limit, options.seed, load()))
        if options.evidence is not None:
            options.evidence.write_text(json.dumps([asdict(row) for row in rows], ensure_ascii=False), encoding="utf-8")
    figures: list[Figure] = []
    for locale in ("en", "zh"):
        some = [row for row in rows if row.locale == locale]
        holds = sum(not row.final for row in some)
        print(f"\n{locale}: {len(some) - holds} ends, {holds} hesitations, {options.split} set")
        ways = {
            "silence": np.zeros(len(some)),
            "turn_model": np.array([row.turn for row in some]),
            "ours": np.array([decide(row.evidence).probability for row in some]),
        }
        print(f"{'':<12} {'cut at 300 ms':>14} {'at 600 ms':>10} {'dead air at 5 %':>16} {'at 10 %':>9}")
        for name, scores in ways.items():
            points = sweep(scores, some)
            cut = {ms: min((p.cut for p in points if p.wait_ms <= ms), default=1.0) for ms in (300, 600)}
            dead = {share: min((p.wait_ms for p in points if p.cut <= share), default=float("inf")) for share in (0.05, 0.10)}
            print(f"{name:<12} {cut[300]:>13.1%} {cut[600]:>10.1%} {dead[0.05]:>13.0f} ms {dead[0.10]:>6.0f} ms")
            for ms in (300, 600):
                low, high = wilson(round(cut[ms] * holds), holds)
                figures.append(Figure(f"cut_at_{ms}_ms.{name}.{locale}", cut[ms], "share", holds, low, high))
            for share in (0.05, 0.10):
                figures.append(
                    Figure(f"dead_air_at_{round(share * 100)}_percent_ms.{name}.{locale}", dead[share], "ms", len(some) - holds)
                )
        waits = np.array([decide(row.evidence).wait_ms for row in some])
        point = outcome(waits, some)
        ends = waits[np.array([row.final for row in some])]
        low, high = wilson(round(point.cut * holds), holds)
        print(
            f"the table as it stands: {point.cut:.1%} [{low:.1%}, {high:.1%}] cut; ends wait {point.wait_ms:.0f} ms (half of them at most {np.median(ends):.0f} ms)"
        )
        figures += [
            Figure(f"table_cut.{locale}", point.cut, "share", holds, low, high),
            Figure(f"table_wait_ms.{locale}", point.wait_ms, "ms", len(some) - holds),
        ]
        for row, wait in zip(some, waits, strict=True):
            if options.verbose and not row.final and wait < row.pause_ms:
                print(
                    f"  cut after {wait:.0f} of {row.pause_ms:.0f} ms: {row.line} ({row.how}) heard as {row.text!r}, turn model {row.turn:.2f}"
                )
    if options.json is not None:
        options.json.write_text(to_json("bench endpoint", options.seed, figures) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
