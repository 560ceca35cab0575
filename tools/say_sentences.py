"""Says sentences for tools/tune_recogniser.py: Chinese ones in many synthetic voices, dry, none of them a voice of the reporting half.

    python tools/say_sentences.py --out FOLDER --limit 3000 --part 0/2 & python tools/say_sentences.py --out FOLDER --limit 3000 --part 1/2

Sentences: those of tools/tune_spelling.py (the tagger's, and the tuning half of the scenario texts), drawn by the seed; never the development cases nor anything
that is reported. Voices: blends of the tuning half's timbres, and of those in `--styles` (Kokoro's own, `voices/*.bin` of the npm package kokoro-js 1.2.1), with
pace and vocal tract drawn for each sentence; the reporting half's bases are left out by name. Numbers are written as they are said. Writes NUMBER.npy (int16, 16 kHz) and
PART.jsonl; what is there is kept, so a stopped run goes on. About 0.6 s a second of speech and core.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterator
from pathlib import Path
from random import Random

import numpy as np
from tune_spelling import SCENARIOS, TAGGED, as_said, texts_within

from ridealong.cloud.frontends.cascade.audio import floats_from_pcm16, resample
from ridealong.cloud.frontends.cascade.models import ModelCache
from ridealong.cloud.frontends.cascade.numbers_zh import speakable
from ridealong.cloud.frontends.cascade.speech_models import SpeechModels
from ridealong.proto.types import CLOCK_HZ
from ridealong.simulators.scenarios.acoustics import pcm16, shifted
from ridealong.simulators.scenarios.realise import finished, words_of
from ridealong.simulators.scenarios.scenario import Split
from ridealong.simulators.scenarios.voices import BASES, STYLE_SHAPE, TIMBRE, base_style
from ridealong.yaml_file import read_yaml

HAN, LATIN = re.compile(r"[\u4e00-\u9fff]"), re.compile(r"[A-Za-z0-9]")
SHORTEST, LONGEST = 3, 26
"""Characters."""
PACES, SHIFTS = (0.85, 1.25), (0.9, 1.12)
NEVER = {*BASES[Split.REPORT], "zf_xiaoxiao"}
"""Timbres that are reported on, and the assistant's."""


def styles(folder: Path | None) -> dict[str, np.ndarray]:  # type: ignore[type-arg]
    """Whole styles, by name; without a folder the tuning half's timbres with the two Chinese prosodies."""
    native = ("zm_yunxi", "zf_xiaoxiao")
    if folder is None:
        found = {}
        for timbre in BASES[Split.TUNE]:
            for prosody in native:
                made = base_style(timbre).copy()
                made[..., TIMBRE:] = base_style(prosody)[..., TIMBRE:]
                found[f"{timbre}+{prosody}"] = made
        return found
    return styles(None) | {
        path.stem: np.fromfile(path, dtype="<f4").reshape(STYLE_SHAPE)
        for path in sorted(folder.glob("z*.bin"))
        if path.stem not in NEVER
    }


def whole_sentences() -> Iterator[str]:
    for path in sorted(TAGGED.glob("*zh.tsv")):
        for line in path.read_text(encoding="utf-8").splitlines():
            yield "".join(line.split("\t")[1::2])
    for path in sorted(SCENARIOS.glob("tune*/zh.yaml")):
        yield from texts_within(read_yaml(path))


def chosen(limit: int, seed: int) -> list[str]:
    """Different sentences, as they are said."""
    able: dict[str, None] = {}
    for text in whole_sentences():
        said = speakable(text).strip()
        if SHORTEST <= len(HAN.findall(said)) <= LONGEST and not LATIN.search(said) and as_said(said, "zh"):
            able.setdefault(said)
    every = list(able)
    Random(seed).shuffle(every)
    return every[:limit]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--styles", type=Path, help="folder of further style vectors")
    parser.add_argument("--limit", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--part", default="0/1", help="this process' share: NUMBER/OF")
    options = parser.parse_args()
    part, parts = map(int, options.part.split("/"))
    options.out.mkdir(parents=True, exist_ok=True)
    bank = styles(options.styles)
    names = sorted(bank)
    synthesiser = SpeechModels(ModelCache(), threads=1).synthesiser
    texts = chosen(options.limit, options.seed)
    with (options.out / f"{part}.jsonl").open("a", encoding="utf-8") as index:
        for number in range(part, len(texts), parts):
            path = options.out / f"{number}.npy"
            if path.exists():
                continue
            random = Random(f"{options.seed} {number}")
            one, other, share = random.choice(names), random.choice(names), random.random() * 0.5
            shift, pace = random.uniform(*SHIFTS), random.uniform(*PACES)
            name = f"sentence:{number}"
            synthesiser.teach(name, (1 - share) * bank[one] + share * bank[other])
            said = synthesiser.synthesise(finished(texts[number]), "zh", name, pace / shift)
            clip = shifted(resample(floats_from_pcm16(said.pcm.tobytes()), said.rate, CLOCK_HZ), shift)
            np.save(path, pcm16(words_of(clip)))
            print(json.dumps({"number": number, "text": texts[number]}, ensure_ascii=False), file=index, flush=True)


if __name__ == "__main__":
    main()
