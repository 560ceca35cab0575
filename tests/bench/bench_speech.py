"""Figures of the embedded speech models: synthesis speed, what recognition makes of it, recognition speed and accuracy.

    python tests/bench/bench_speech.py [--limit N] [--seed N] [--json FILE] [--recordings DIR]

Round trip: car sentences are synthesised with every voice in turn and heard again. `--recordings` adds real speech: NAME.wav with
NAME.txt beside it (a line of text; Chinese where it holds Chinese). Numbers are compared as words, spelling as written.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import platform
import random
import re
import statistics
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from arguments import at_least, folder, new_file

from ridealong.cloud.frontends.cascade import numbers_en, numbers_zh
from ridealong.cloud.frontends.cascade.audio import Floats, floats_from_pcm16, read_wav, resample
from ridealong.cloud.frontends.cascade.speak import VOICES
from ridealong.cloud.frontends.cascade.speech_models import SpeechModels, load

SENTENCES = {
    "en": (
        "Set the temperature to 22.5 degrees.",
        "Okay, the driver's side is at twenty-two and a half degrees.",
        "Open the rear left window halfway.",
        "Navigate to 14 Baker Street, please.",
        "The car is moving at 62 km/h, so I can't open the boot.",
        "What is the temperature on the passenger side?",
        "Turn left onto Maple Avenue in 300 m.",
        "Close all the windows.",
        "No, make it twenty.",
        "How far can I drive with the charge that is left?",
        "The nearest charging station is 1.2 km away, on Victoria Road.",
        "I will remind you at 7:45 to call your sister.",
        "The front right window is now 30% open.",
        "Stop.",
    ),
    "zh": (
        "把空调调到二十二度半。",
        "好的，主驾温度已经调到22.5°C。",
        "打开左后车窗一半。",
        "导航到最近的充电站。",
        "现在车速是每小时62公里，不能打开后备箱。",
        "副驾那边现在多少度？",
        "前方三百米左转，进入中山路。",
        "把所有的车窗都关上。",
        "不对，改成二十度。",
        "还能开多少公里？",
        "右前车窗已经打开30%。",
        "七点四十五分提醒我给姐姐打电话。",
    ),
}
PADDING_S = 0.25


@dataclass(frozen=True, slots=True)
class Figure:
    name: str
    value: float
    unit: str
    n: int
    low: float | None = None
    high: float | None = None
    goal: float | None = None


def units(text: str, locale: str) -> list[str]:
    """What is counted: English words or Chinese characters, numbers spelt out one way."""
    if locale == "zh":
        said = re.sub(r"度半", "点五度", numbers_zh.speakable(text))
        return re.findall(r"[\u4e00-\u9fff]|[a-z]+", said.casefold())
    said = numbers_en.speakable(text).casefold().replace("’", "'")
    for pattern, plain in (
        (r" and a half", " point five"),
        (r"\bok\b", "okay"),
        (r"kilometer", "kilometre"),
        (r"\bmeter", "metre"),
        (r" and (?=\w+ty\b)", " "),
    ):
        said = re.sub(pattern, plain, said)
    return re.findall(r"[a-z]+(?:'[a-z]+)?", said)


def distance(reference: Sequence[str], heard: Sequence[str]) -> int:
    """Levenshtein's."""
    row = list(range(len(heard) + 1))
    for at, wanted in enumerate(reference, start=1):
        before, row[0] = row[0], at
        for place, got in enumerate(heard, start=1):
            before, row[place] = row[place], min(row[place] + 1, row[place - 1] + 1, before + (wanted != got))
    return row[-1]


def syllables(text: str) -> list[str]:
    from pypinyin import lazy_pinyin

    return [str(one) for one in lazy_pinyin("".join(units(text, "zh")))]


def wilson(errors: int, total: int) -> tuple[float, float]:
    """95 % interval of a share."""
    share, z = min(1.0, errors / total), 1.96
    middle = (share + z * z / (2 * total)) / (1 + z * z / total)
    half = z * math.sqrt(share * (1 - share) / total + z * z / (4 * total * total)) / (1 + z * z / total)
    return max(0.0, middle - half), min(1.0, middle + half)


def error_figure(name: str, pairs: list[tuple[list[str], list[str]]], goal: float | None = None) -> Figure:
    errors, total = sum(distance(*pair) for pair in pairs), sum(len(reference) for reference, _ in pairs)
    return Figure(name, errors / total, "share", total, *wilson(errors, total), goal=goal)


def round_trip(models: SpeechModels, locale: str, sentences: Sequence[str]) -> list[Figure]:
    voices = [voice for voice in VOICES if (voice[0] == "z") == (locale == "zh")]
    ratios, latencies, first, pairs, toneless, tags = [], [], [], [], [], []
    for number, sentence in enumerate(sentences):
        voice = voices[number % len(voices)]
        began = time.perf_counter()
        said = models.synthesiser.synthesise(sentence, locale, voice)
        took = time.perf_counter() - began
        ratios.append(took * 1000 / said.duration_ms)
        first.append(took)
        silence = np.zeros(int(PADDING_S * 16_000), dtype=np.float32)
        audio = np.concatenate([silence, resample(floats_from_pcm16(said.pcm.tobytes()), said.rate, 16_000), silence])
        began = time.perf_counter()
        heard = models.recogniser.transcribe(audio)
        latencies.append(time.perf_counter() - began)
        pairs.append((units(sentence, locale), units(heard.text, locale)))
        tags.append(heard.locale == locale)
        if locale == "zh":
            toneless.append((syllables(sentence), syllables(heard.text)))
        mark = " " if pairs[-1][0] == pairs[-1][1] else "*"
        print(
            f" {mark} {voice:<11} rtf {ratios[-1]:4.2f}  asr {latencies[-1]:4.2f} s  conf {heard.confidence:4.2f}  {sentence}\n      -> {heard.text}",
            flush=True,
        )
    figures = [
        Figure(f"tts_rtf_p50.{locale}", statistics.median(ratios), "ratio", len(ratios)),
        Figure(f"tts_sentence_ms_p50.{locale}", statistics.median(first) * 1000, "ms", len(first)),
        Figure(f"asr_ms_p50.{locale}", statistics.median(latencies) * 1000, "ms", len(latencies)),
        error_figure(f"round_trip_error.{'characters' if locale == 'zh' else 'words'}.{locale}", pairs),
        Figure(f"language_right.{locale}", sum(tags) / len(tags), "share", len(tags), *wilson(sum(tags), len(tags))),
    ]
    return figures + ([error_figure("round_trip_error.syllables.zh", toneless)] if toneless else [])


def recordings(models: SpeechModels, folder: Path, limit: int) -> list[Figure]:
    pairs: dict[str, list[tuple[list[str], list[str]]]] = {"en": [], "zh": []}
    latencies: list[tuple[float, float]] = []
    for text_file in sorted(folder.glob("*.txt"))[:limit]:
        reference = text_file.read_text(encoding="utf-8").strip()
        locale = "zh" if re.search(r"[\u4e00-\u9fff]", reference) else "en"
        samples, rate = read_wav(text_file.with_suffix(".wav"))
        audio: Floats = resample(samples, rate, 16_000)
        began = time.perf_counter()
        heard = models.recogniser.transcribe(audio)
        latencies.append((len(audio) / 16_000, time.perf_counter() - began))
        pairs[locale].append((units(reference, locale), units(heard.text, locale)))
        mark = " " if pairs[locale][-1][0] == pairs[locale][-1][1] else "*"
        print(
            f" {mark} {latencies[-1][0]:5.1f} s  asr {latencies[-1][1]:4.2f} s  {heard.locale} conf {heard.confidence:4.2f}  {reference}\n      -> {heard.text}",
            flush=True,
        )
    figures = [error_figure(f"recorded_error.{locale}", found) for locale, found in pairs.items() if found]
    for name, low, high in (("under_2s", 0, 2), ("2_to_5s", 2, 5), ("over_5s", 5, 1_000)):
        inside = [took for duration, took in latencies if low <= duration < high]
        if inside:
            figures.append(Figure(f"recorded_asr_ms_p50.{name}", statistics.median(inside) * 1000, "ms", len(inside)))
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--limit", type=at_least(1), default=1_000, help="at most so many sentences per language, and recordings")
    parser.add_argument("--seed", type=at_least(0), default=0, help="the order of sentences, and so which voice says which")
    parser.add_argument("--json", type=new_file)
    parser.add_argument("--recordings", type=folder)
    options = parser.parse_args()
    models = load()
    models.check()
    models.warm()
    figures: list[Figure] = []
    for locale, sentences in SENTENCES.items():
        order = list(sentences)
        if options.seed:
            random.Random(options.seed).shuffle(order)
        figures += round_trip(models, locale, order[: options.limit])
    if options.recordings:
        figures += recordings(models, options.recordings, options.limit)
    for figure in figures:
        interval = f"[{figure.low:.3f}, {figure.high:.3f}]" if figure.low is not None and figure.high is not None else ""
        print(f"{figure.name:<36} {figure.value:9.3f} {figure.unit:<6} n={figure.n:<4} {interval}")
    if options.json:
        commit = subprocess.run(
            ["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False
        ).stdout.strip()
        report = {
            "command": "bench_speech",
            "seed": options.seed,
            "machine": f"{platform.machine()}, {os.cpu_count()} cores",
            "commit": commit,
            "figures": [{name: getattr(figure, name) for name in Figure.__slots__} for figure in figures],
        }
        options.json.write_text(json.dumps(report, indent=1, ensure_ascii=False), encoding="utf-8")


if __name__ == "__main__":
    main()
