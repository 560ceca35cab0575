"""Standing requests: false alarms per hour and hit rates, for each kind of evidence.

    python tests/bench/bench_watch.py [--minutes 30] [--limit N] [--seed N] [--json FILE] [--material DIR]

Half an hour of material of each kind, with watches for things that are not in it: every alarm is a false one. Then planted events.
`raw` counts without the hour's limits; `spoken` is what the default budget lets through (6 an hour). `--material` adds real
recordings (.wav .ogg .flac .raw) and videos (.mp4 .avi). The recogniser and the text reader are the node's own.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import platform
import statistics
import subprocess
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import soxr
import watch_material as material
from arguments import at_least, folder, new_file

from ridealong.cloud.frontends.cascade.models import ModelCache
from ridealong.cloud.frontends.cascade.speech_models import SpeechModels, load
from ridealong.cloud.seeing.text import TextReader, load_reader
from ridealong.cloud.watching.sounds import LoudSounds
from ridealong.harness.conditions import (
    Compare,
    Condition,
    Evidence,
    Noise,
    PhraseHeard,
    PhraseSeen,
    Readings,
    Sight,
    SignalIs,
    SoundHeard,
    SoundShape,
    Speech,
)
from ridealong.harness.standing import Alert, Budget, Standing, Start, Told, Watch
from ridealong.proto.types import CLOCK_HZ, Samples, SignalReading

RATE = material.RATE
ABSENT_HEARD = (
    "gate B12",
    "Olivia",
    "Sarah",
    "platform 3",
    "lunch",
    "Exit 12",
    "登机口十二",
    "张伟",
    "出口",
    "Thomas",
    "flight 204",
    "fire",
)
PLANTED_HEARD = (
    ("gate B12", "The flight to Oslo is now boarding at gate B 12."), ("Anna", "Has anybody seen Anna this morning?"),
    ("Sarah", "I think Sarah is waiting outside."), ("platform 3", "The next train leaves from platform three."),
    ("lunch", "Shall we have lunch in the garden?"), ("Thomas", "Thomas, your order is ready."), ("the museum", "The tour starts at the museum."),
    ("flight 204", "Passengers for flight 204, please come to the desk."), ("doctor", "Is there a doctor on board?"),
    ("last call", "This is the last call for all passengers."), ("登机口十二", "前往上海的旅客请到十二号登机口登机。"), ("张伟", "请张伟到服务台来。"),
    ("停车场", "停车场在左边。"), ("开会", "我们下午三点开会。"),
)  # fmt: skip
ABSENT_SEEN = ("Exit 12", "Parking", "Gate B12", "Central Station", "Oak Street", "出口", "停车场", "登机口B12")
DISTRACTORS = (
    "Exit 13", "Exit 21", "Exit 112", "Exit 120", "Park Lane", "Gate B2", "Gate C12", "Central Avenue", "Oak Road", "Ock Street", "出租", "入口", "停车", "车场",
    "登机口 B2", "Museum 500m", "SALE 50%", "BUS ONLY",
)  # fmt: skip
MARGINS_DB = (30, 36, 42, 50)
LETTERS_PX = (14, 20, 28, 40)


@dataclass(frozen=True, slots=True)
class Figure:
    name: str
    value: float
    unit: str
    n: int
    low: float | None = None
    high: float | None = None
    goal: float | None = None


def wilson(hits: int, total: int) -> tuple[float, float]:
    share, z = hits / total, 1.96
    middle = (share + z * z / (2 * total)) / (1 + z * z / total)
    half = z * math.sqrt(share * (1 - share) / total + z * z / (4 * total * total)) / (1 + z * z / total)
    return max(0.0, middle - half), min(1.0, middle + half)


def at(seconds: float) -> Samples:
    return Samples(round(seconds * CLOCK_HZ))


def alarms(conditions: Sequence[Condition], evidence: Iterable[Evidence], budget: Budget, verbose: bool = False) -> int:
    """Alerts of every-time watches, each told at once."""
    machine, count = Standing(budget), 0
    for number, condition in enumerate(conditions[:8]):
        machine.on(Start(Watch(f"w{number}", condition, Samples(-1), at(1e6), True)))
    for one in evidence:
        for effect in machine.on(one):
            if isinstance(effect, Alert):
                count += 1
                if verbose and not isinstance(one, Readings | Noise):
                    print(f"   alarm: {effect.watch.condition} by {one.text!r}")
                machine.on(Told(one.at, effect.watch.id))
    return count


def false_alarms(kind: str, conditions: Sequence[Condition], evidence: Sequence[Evidence], hours: float) -> list[Figure]:
    groups = [conditions[first : first + 8] for first in range(0, len(conditions), 8)]
    raw = sum(alarms(group, evidence, Budget(10_000, 10_000), verbose=True) for group in groups)
    spoken = sum(alarms(group, evidence, Budget()) for group in groups) / len(groups)
    return [
        Figure(f"{kind}.false_alarms_per_watch_hour.raw", raw / hours / len(conditions), "1/h", len(conditions)),
        Figure(f"{kind}.false_alarms_per_hour.spoken", spoken / hours, "1/h", len(groups)),
    ]


def hits(name: str, found: Sequence[bool]) -> Figure:
    return Figure(name, sum(found) / len(found), "share", len(found), *wilson(sum(found), len(found)))


# --- sounds ----------------------------------------------------------------------------------------------------------


def listened(sound: material.Sound) -> tuple[list[Evidence], float]:
    """What the detector says, and its milliseconds a second of sound."""
    detector, found = LoudSounds(), []
    pcm = (np.clip(sound, -1, 1) * 32767).astype("<i2")
    began = time.perf_counter()
    for start in range(0, len(pcm) - 3_199, 3_200):
        found += detector.on_part(Samples(start), pcm[start : start + 3_200].tobytes(), False)
    return list(found), (time.perf_counter() - began) * 1000 / (len(pcm) / RATE)


def sound_figures(rng: np.random.Generator, minutes: float, folder: Path | None, limit: int) -> list[Figure]:
    stretches = [(f"trip at {level} dBFS", material.levelled(material.trip_sound(), level)) for level in (-38, -28, -20)]
    stretches += [
        (f"road {level}", material.clicks(rng, material.pink(rng, 120, level), 1.5, level + 12)) for level in (-50, -40, -30, -22)
    ]
    real = list(material.recordings(folder)) if folder is not None else []
    pool = stretches + [(name, material.levelled(sound, rng.uniform(-40, -20))) for name, sound in real]
    evidence: list[Evidence] = []
    per_second, position_s, number = [], 0.0, 0
    while position_s < minutes * 60:
        name, sound = pool[number % len(pool)]
        gain = 10 ** (rng.uniform(-6, 6) / 20) if number >= len(pool) else 1.0
        quiet = material.pink(rng, 4, -55)
        piece = np.concatenate([quiet, material.faded(sound[: 120 * RATE] * gain)])
        found, cost = listened(piece)
        for one in found:
            print(f"   alarm in {name}: {one.shape.value} at {one.at / RATE:.1f} s, {one.confidence:.2f}")  # type: ignore[union-attr]
        evidence += [type(one)(at(position_s + one.at / RATE), one.shape, one.confidence) for one in found]  # type: ignore[union-attr,call-arg]
        per_second.append(cost)
        position_s += len(piece) / RATE
        number += 1
    hours = position_s / 3600
    figures = false_alarms("bang", [SoundHeard(SoundShape.BANG)], evidence, hours)
    figures += false_alarms("any_loud", [SoundHeard(SoundShape.ANY)], evidence, hours)
    for margin in MARGINS_DB:
        found_at = []
        for _ in range(min(limit, 40)):
            floor = min(rng.uniform(-60, -45), -6 - margin)
            sound = material.pink(rng, 10, floor)
            start = round(rng.uniform(6, 8) * RATE)
            event = material.bang(rng, floor + margin)
            sound[start : start + len(event)] += event
            found_at.append(any(abs(one.at - start) < 0.2 * RATE for one in listened(sound)[0]))
        figures.append(hits(f"bang.hit_rate.{margin}_dB_over_floor", found_at))
    return [*figures, Figure("sound.cost", statistics.median(per_second), "ms/s", len(per_second))]


# --- speech ----------------------------------------------------------------------------------------------------------


def heard_figures(
    rng: np.random.Generator, models: SpeechModels, minutes: float, folder: Path | None, limit: int
) -> list[Figure]:
    pieces = [material.trip_sound()[start : start + 8 * RATE] for start in range(0, 170 * RATE, 8 * RATE)]
    if folder is not None:
        for _, sound in material.recordings(folder):
            pieces += [sound[start : start + 8 * RATE] for start in range(0, min(len(sound), 40 * RATE), 8 * RATE)]
    pieces = [piece for piece in pieces if len(piece) >= RATE][:limit]
    evidence: list[Evidence] = []
    position_s, number = 0.0, 0
    while position_s < minutes * 60 and number < 3 * len(pieces):
        piece, noise_db = pieces[number % len(pieces)], (-45, -36, -30)[number // len(pieces)]  # each stretch in three noises
        number += 1
        position_s += len(piece) / RATE
        noisy = piece + material.pink(rng, len(piece) / RATE, noise_db)[: len(piece)]
        heard = models.recogniser.transcribe(noisy.astype(np.float32))
        evidence.append(Speech(at(position_s), heard.text))
    figures = false_alarms("heard", [PhraseHeard(phrase) for phrase in ABSENT_HEARD], evidence, position_s / 3600)
    figures.append(Figure("heard.material", position_s / 60, "min", number))
    for snr in (20, 5):
        found = []
        for number, (phrase, sentence) in enumerate(PLANTED_HEARD[:limit]):
            locale = "zh" if any("\u4e00" <= c <= "\u9fff" for c in sentence) else "en"
            voice = {"en": ("am_michael", "bf_emma", "bm_george"), "zh": ("zm_yunxi", "zf_xiaoxiao")}[locale]
            said = models.synthesiser.synthesise(sentence, locale, voice[number % len(voice)])
            clean = np.asarray(said.pcm, dtype=np.float64) / 32768
            clean = material.levelled(soxr.resample(clean, said.rate, RATE), -28)
            noisy = clean + material.pink(rng, len(clean) / RATE, -28 - snr)[: len(clean)]
            text = models.recogniser.transcribe(noisy.astype(np.float32)).text
            found.append(alarms([PhraseHeard(phrase)], [Speech(at(1), text)], Budget()) == 1)
            if not found[-1]:
                print(f"   missed {phrase!r} at {snr} dB: {text!r}")
        figures.append(hits(f"heard.hit_rate.{snr}_dB_snr", found))
    return figures


# --- signs -----------------------------------------------------------------------------------------------------------


def seen_figures(rng: np.random.Generator, reader: TextReader, minutes: float, folder: Path | None, limit: int) -> list[Figure]:
    count = min(limit * 10, round(minutes * 30))  # one picture every two seconds
    evidence: list[Evidence] = []
    took = []
    for number, scene in enumerate(material.scenes(rng, folder, count)):
        if number % 3 == 0:
            scene = material.with_sign(rng, scene, DISTRACTORS[number // 3 % len(DISTRACTORS)], int(rng.integers(14, 42)))
        data = material.jpeg(scene)
        began = time.perf_counter()
        lines = reader.read_jpeg(data)
        took.append((time.perf_counter() - began) * 1000)
        evidence += [Sight(at(2.0 * (number + 1)), line.text, line.confidence) for line in lines]
    figures = false_alarms("seen", [PhraseSeen(phrase) for phrase in ABSENT_SEEN], evidence, count * 2 / 3600)
    figures += [Figure("seen.material", count / 30, "min", count), Figure("seen.read_p50", statistics.median(took), "ms", count)]
    for letters_px in LETTERS_PX:
        for locale, phrases in (("en", ABSENT_SEEN[:5]), ("zh", ABSENT_SEEN[5:])):
            found = []
            for number, scene in enumerate(material.scenes(rng, folder, min(limit, 30))):
                phrase = phrases[number % len(phrases)]
                lines = reader.read_jpeg(material.jpeg(material.with_sign(rng, scene, phrase, letters_px)))
                sights = [Sight(at(1), line.text, line.confidence) for line in lines]
                found.append(alarms([PhraseSeen(phrase)], sights, Budget()) == 1)
            figures.append(hits(f"seen.hit_rate.{locale}.letters_{letters_px}_px", found))
    return figures


# --- signals ---------------------------------------------------------------------------------------------------------


def signal_figures(rng: np.random.Generator, minutes: float) -> list[Figure]:
    """A drive whose speed crosses 120 now and then, with jitter: an alert for every true excursion and no other."""
    seconds = round(minutes * 60)
    wanted = SignalIs(("speed",), Compare.ABOVE, 120.0, clear_by=5.0, hold_ms=1_000)
    slow = 112 + 14 * np.sin(np.arange(seconds) / 45) + np.cumsum(rng.normal(0, 0.05, seconds))
    seen = slow + rng.normal(0, 1.2, seconds)
    evidence = [Readings(at(i + 1), {"speed": SignalReading("speed", float(v))}) for i, v in enumerate(seen)]
    excursions, above = 0, False
    for value in slow:
        if not above and value > 120.5:
            above, excursions = True, excursions + 1
        elif above and value < 113:
            above = False
    told = alarms([wanted], evidence, Budget(10_000, 10_000))
    calm = [Readings(at(i + 1), {"speed": SignalReading("speed", float(v))}) for i, v in enumerate(rng.normal(114, 1.5, seconds))]
    return [
        Figure("signal.alerts_per_true_excursion", told / excursions, "ratio", excursions, goal=1.0),
        Figure(
            "signal.false_alarms_per_watch_hour.raw", alarms([wanted], calm, Budget(10_000, 10_000)) / (seconds / 3600), "1/h", 1
        ),
    ]


KINDS = ("signal", "sound", "seen", "heard")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument(
        "--limit", type=at_least(1), default=1_000, help="at most so many recordings, planted events and (x10) pictures"
    )
    parser.add_argument("--seed", type=at_least(0), default=0)
    parser.add_argument("--json", type=new_file)
    parser.add_argument("--material", type=folder)
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=KINDS)
    options = parser.parse_args()
    rng = np.random.default_rng(options.seed)
    parts: dict[str, Callable[[], list[Figure]]] = {
        "signal": lambda: signal_figures(rng, options.minutes),
        "sound": lambda: sound_figures(rng, options.minutes, options.material, options.limit),
        "seen": lambda: seen_figures(rng, load_reader(ModelCache()), options.minutes, options.material, options.limit),
        "heard": lambda: heard_figures(rng, load(), options.minutes, options.material, options.limit),
    }
    figures = []
    for kind in options.kinds:
        for figure in parts[kind]():
            figures.append(figure)
            interval = f"[{figure.low:.3f}, {figure.high:.3f}]" if figure.low is not None and figure.high is not None else ""
            print(f"{figure.name:<46} {figure.value:9.3f} {figure.unit:<6} n={figure.n:<5} {interval}", flush=True)
    if options.json:
        commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False)
        report = {
            "command": "bench_watch", "seed": options.seed, "machine": f"{platform.machine()}, {os.cpu_count()} cores",
            "commit": commit.stdout.strip(), "figures": [{name: getattr(f, name) for name in Figure.__slots__} for f in figures],
        }  # fmt: skip
        options.json.write_text(json.dumps(report, indent=1, ensure_ascii=False), encoding="utf-8")


if __name__ == "__main__":
    main()
