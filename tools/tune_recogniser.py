"""Tunes Whisper base to what is said to this assistant in one language: low-rank changes (LoRA) of all its layers.

    pip install torch==2.13.0
    python tools/say_sentences.py zh --out SAID --styles VOICES        # sentences -> sound
    python tools/tune_recogniser.py zh --said SAID                     # sound -> cloud/frontends/cascade/hearing_zh.npz

Every clip is put at a seat of a made cabin and into a made road's noise (the tuning half's), anew each time it is shown, as it comes from the
listener: a little noise before and behind it. What is learnt: the words with timestamp tokens around them; the language at the first token; of noise alone, that nobody
spoke. One clip in fifty is kept apart and its error printed after each pass. Figures come from `ridealong eval tools --spoken`, not from here.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from tokenizers import Tokenizer
from torch import Tensor
from torch_whisper import ChangedWhisper

from ridealong.cloud.frontends.cascade.ct2_file import arrays_in
from ridealong.cloud.frontends.cascade.hear import FRAME_STEP, TAIL_FRAMES, TIMESTAMP_S
from ridealong.cloud.frontends.cascade.mel import RATE_HZ, log_mel
from ridealong.cloud.frontends.cascade.models import ModelCache
from ridealong.simulators.scenarios.acoustics import Floats, Seat, at_level, gain, rms, through
from ridealong.simulators.scenarios.noises import BED_S, road
from ridealong.simulators.scenarios.scenario import Split

OUT = Path(__file__).parent.parent / "cloud" / "frontends" / "cascade"
SNRS_DB, SPEECH_DB = (3.0, 25.0), (-30.0, -22.0)
BEFORE_S, BEHIND_S = (0.05, 0.5), (0.1, 0.6)
NOISE_SHARE, QUIET_SHARE = 0.03, 0.1
BEDS = 48
SPEEDS_KMH = (15.0, 130.0)
APART = 50
NOTHING = -100


@dataclass(frozen=True, slots=True, eq=False)
class Clip:
    """`said`: int16, 16 kHz; `ids`: the text's tokens, none for noise alone."""

    said: np.ndarray  # type: ignore[type-arg]
    ids: tuple[int, ...]


class Road:
    """Made roads, looped from anywhere."""

    def __init__(self, random: np.random.Generator) -> None:
        self._random = random
        self._beds = [
            road(
                Split.TUNE, float(random.uniform(*SPEEDS_KMH)), int(random.integers(1 << 30)), bool(random.random() < 0.25), BED_S
            )
            for _ in range(BEDS)
        ]

    def of(self, count: int) -> Floats:
        bed = self._beds[int(self._random.integers(BEDS))]
        return np.resize(np.roll(bed, int(self._random.integers(len(bed)))), count).astype(np.float32)


def heard(clip: Clip, roads: Road, random: np.random.Generator) -> tuple[Floats, float]:
    """As it comes from the listener, and when its words end, in seconds."""
    seat = Seat.DRIVER if random.random() < 0.7 else Seat.PASSENGER
    level = float(random.uniform(*SPEECH_DB))
    wet = at_level(through(clip.said.astype(np.float32) / 32768, seat, int(random.integers(1 << 30))), level)
    before, behind = (int(random.uniform(*span) * RATE_HZ) for span in (BEFORE_S, BEHIND_S))
    sound = np.concatenate([np.zeros(before, np.float32), wet, np.zeros(behind, np.float32)])
    noise = roads.of(len(sound))
    snr = 40.0 if random.random() < QUIET_SHARE else float(random.uniform(*SNRS_DB))
    if not clip.ids:
        sound[:] = 0.0
    return np.clip(sound + noise * np.float32(gain(level - snr) / rms(noise)), -1, 1), (before + len(wet)) / RATE_HZ


class Words:
    def __init__(self, tokens: Tokenizer, locale: str) -> None:
        self._tokens, self._locale = tokens, locale
        self.start, self.language, self.transcribe, self.end, self.silent = (
            tokens.token_to_id(name)
            for name in ("<|startoftranscript|>", f"<|{locale}|>", "<|transcribe|>", "<|endoftext|>", "<|nospeech|>")
        )
        self.first_time = tokens.token_to_id("<|notimestamps|>") + 1

    def ids(self, text: str) -> tuple[int, ...]:
        """As the model writes: English behind a space, Chinese without a full stop."""
        put = text.rstrip("。！!. ") if self._locale == "zh" else " " + text
        return tuple(self._tokens.encode(put, add_special_tokens=False).ids)

    def taught(self, clip: Clip, end_s: float) -> tuple[list[int], list[int]]:
        """What is given, and what is to follow each of it."""
        if not clip.ids:
            return [self.start], [self.silent]
        said = [self.first_time, *clip.ids, self.first_time + round(end_s / TIMESTAMP_S)]
        given = [self.start, self.language, self.transcribe, *said]
        return given, [self.language, NOTHING, *said, self.end]


def batch_of(clips: list[Clip], words: Words, roads: Road, random: np.random.Generator) -> tuple[Tensor, Tensor, Tensor]:
    """[clips, 80, frames], [clips, tokens], [clips, tokens]"""
    sounds = [heard(clip, roads, random) for clip in clips]
    longest = max(len(sound) for sound, _ in sounds)
    frames = -(-(longest // 160 + TAIL_FRAMES) // FRAME_STEP) * FRAME_STEP
    mels = torch.from_numpy(np.stack([log_mel(sound, frames) for sound, _ in sounds]))
    rows = [words.taught(clip, end_s) for clip, (_, end_s) in zip(clips, sounds, strict=True)]
    width = max(len(given) for given, _ in rows)
    given = torch.tensor([row + [words.end] * (width - len(row)) for row, _ in rows])
    wanted = torch.tensor([row + [NOTHING] * (width - len(row)) for _, row in rows])
    return mels, given, wanted


def read_clips(folder: Path, words: Words) -> list[Clip]:
    found = {}
    for index in sorted(folder.glob("*.jsonl")):
        for line in index.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            found[row["number"]] = row["text"]
    return [Clip(np.load(folder / f"{number}.npy"), words.ids(text)) for number, text in sorted(found.items())]


def batches(clips: list[Clip], size: int, random: np.random.Generator) -> Iterator[list[Clip]]:
    """Of about one length each, in any order."""
    order = sorted(range(len(clips)), key=lambda one: len(clips[one].said) * random.uniform(0.9, 1.1))
    starts = list(range(0, len(order), size))
    random.shuffle(starts)
    for start in starts:
        yield [clips[one] for one in order[start : start + size]]


def loss_of(model: ChangedWhisper, batch: tuple[Tensor, Tensor, Tensor]) -> Tensor:
    mels, given, wanted = batch
    with torch.autocast("cpu", torch.bfloat16):
        logits = model.logits(model.encoded(mels), given)
    return F.cross_entropy(logits.float().flatten(0, 1), wanted.flatten(), ignore_index=NOTHING)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("locale", choices=("en", "zh"))
    parser.add_argument("--said", type=Path, required=True)
    parser.add_argument("--out", type=Path, help="instead of the package's file")
    parser.add_argument("--rank", type=int, default=16)
    parser.add_argument("--rate", type=float, default=1e-3)
    parser.add_argument("--batch", type=int, default=8)
    parser.add_argument("--passes", type=int, default=3)
    parser.add_argument("--minutes", type=float, default=1e9, help="stop then, the rate having come down to nothing")
    parser.add_argument("--limit", type=int, help="so many clips, to try it")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    torch.manual_seed(options.seed)
    random = np.random.default_rng(options.seed)
    cache = ModelCache()
    words = Words(Tokenizer.from_file(str(cache.path("whisper-base/tokenizer.json"))), options.locale)
    data = cache.path("whisper-base/model.bin").read_bytes()
    model = ChangedWhisper({name: place.read(data) for name, place in arrays_in(data).items()}, options.rank)
    clips = read_clips(options.said, words)[: options.limit]
    apart, kept = clips[::APART], [clip for number, clip in enumerate(clips) if number % APART]
    noises = [Clip(kept[int(random.integers(len(kept)))].said, ()) for _ in range(round(NOISE_SHARE * len(kept)))]
    roads = Road(random)
    tests = [batch_of(apart[at : at + 8], words, roads, random) for at in range(0, len(apart), 8)]
    optimiser = torch.optim.AdamW(model.parameters(), options.rate, weight_decay=0.01)
    steps = options.passes * -(-(len(kept) + len(noises)) // options.batch)
    print(f"{len(kept)} clips, {len(noises)} of noise alone, {len(apart)} apart; {steps} steps", flush=True)
    began, step, sums = time.perf_counter(), 0, 0.0
    share = 0.0
    for number in range(options.passes):
        for chosen in batches([*kept, *noises], options.batch, random):
            spent = (time.perf_counter() - began) / 60 / options.minutes
            share = max(step / steps, spent)
            if share >= 1:
                break
            rate = options.rate * min(1.0, (step + 1) / 50) * 0.5 * (1 + math.cos(math.pi * share))
            for group in optimiser.param_groups:
                group["lr"] = rate
            loss = loss_of(model, batch_of(chosen, words, roads, random))
            optimiser.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimiser.step()
            step, sums = step + 1, sums + float(loss.detach())
            if step % 25 == 0:
                print(f"step {step}: loss {sums / 25:.3f}, {(time.perf_counter() - began) / step:.2f} s a step", flush=True)
                sums = 0.0
        with torch.no_grad():
            error = float(np.mean([float(loss_of(model, one)) for one in tests]))
        print(f"pass {number + 1}: kept apart {error:.3f}", flush=True)
        save(model, options.out or OUT / f"hearing_{options.locale}.npz")


def save(model: ChangedWhisper, path: Path) -> None:
    """Half precision: of each linear layer the two factors."""
    np.savez_compressed(
        path, allow_pickle=False, **{name: one.detach().numpy().astype(np.float16) for name, one in model.changes.items()}
    )


if __name__ == "__main__":
    main()
