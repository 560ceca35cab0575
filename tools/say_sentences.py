"""Says sentences for tools/tune_recogniser.py in many synthetic voices, dry, none of them a voice of the reporting half.

    python tools/say_sentences.py zh --out FOLDER --limit 3000 --part 0/2 & python tools/say_sentences.py zh --out FOLDER --limit 3000 --part 1/2

Sentences: those of tools/tune_spelling.py (the tagger's, and the tuning half of the scenario texts), drawn by the seed; never the development cases nor anything
that is reported. Voices: blends of the tuning half's timbres, and of those in `--styles` (Kokoro's own, `voices/*.bin` of the npm package kokoro-js 1.2.1), with
pace and vocal tract drawn for each sentence; the reporting half's bases are left out by name. What is to be learnt: of Chinese the characters as said; of English what the
published model writes of the dry clip, where its words are the sentence's, so that its capitals and digits stay as they are, and the sentence itself where not.
Writes NUMBER.npy (int16, 16 kHz) and PART.jsonl; what is there is kept, so a stopped run goes on. About 0.6 s a second of speech and core.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterator
from pathlib import Path
from random import Random

import numpy as np
from tune_spelling import SCENARIOS, TAGGED, as_said, sentences, texts_within

from ridealong.cloud.frontends.cascade import numbers_en, numbers_zh
from ridealong.cloud.frontends.cascade.audio import Floats, floats_from_pcm16, resample
from ridealong.cloud.frontends.cascade.hear import Recogniser
from ridealong.cloud.frontends.cascade.models import ModelCache
from ridealong.cloud.frontends.cascade.speech_models import SpeechModels
from ridealong.proto.types import CLOCK_HZ
from ridealong.simulators.scenarios.acoustics import pcm16, shifted
from ridealong.simulators.scenarios.realise import finished, words_of
from ridealong.simulators.scenarios.scenario import Split
from ridealong.simulators.scenarios.voices import BASES, STYLE_SHAPE, TIMBRE, base_style
from ridealong.yaml_file import read_yaml

HAN, LATIN = re.compile(r"[\u4e00-\u9fff]"), re.compile(r"[A-Za-z0-9]")
LENGTHS = {"en": (1, 16), "zh": (3, 26)}
"""Words, characters: from and to."""
KOKOROS = {"en": "abefhip", "zh": "z"}
"""The first letters of the styles that speak a language: beside its own those whose accent is another's."""
PACES, SHIFTS = (0.85, 1.25), (0.9, 1.12)
NEVER = {*BASES[Split.REPORT], "zf_xiaoxiao"}
"""Timbres that are reported on, and the assistant's."""


Styles = dict[str, np.ndarray]  # type: ignore[type-arg]


def styles(folder: Path | None, locale: str) -> Styles:
    """Whole styles, by name; without a folder the tuning half's timbres, to Chinese with its two prosodies."""
    if folder is None:
        return {timbre: base_style(timbre) for timbre in BASES[Split.TUNE]} if locale == "en" else _of_two_prosodies()
    return styles(None, locale) | {
        path.stem: np.fromfile(path, dtype="<f4").reshape(STYLE_SHAPE)
        for path in sorted(folder.glob(f"[{KOKOROS[locale]}]*.bin"))
        if path.stem not in NEVER
    }


def _of_two_prosodies() -> Styles:
    found = {}
    for timbre in BASES[Split.TUNE]:
        for prosody in ("zm_yunxi", "zf_xiaoxiao"):
            made = base_style(timbre).copy()
            made[..., TIMBRE:] = base_style(prosody)[..., TIMBRE:]
            found[f"{timbre}+{prosody}"] = made
    return found


def whole_sentences(locale: str) -> Iterator[str]:
    if locale == "en":
        yield from sentences("en")
        return
    for path in sorted(TAGGED.glob("*zh.tsv")):
        for line in path.read_text(encoding="utf-8").splitlines():
            yield "".join(line.split("\t")[1::2])
    for path in sorted(SCENARIOS.glob("tune*/zh.yaml")):
        yield from texts_within(read_yaml(path))


def chosen(locale: str, limit: int, seed: int) -> list[str]:
    """Different sentences; Chinese ones as they are said."""
    able: dict[str, None] = {}
    shortest, longest = LENGTHS[locale]
    for text in whole_sentences(locale):
        said = text.strip() if locale == "en" else numbers_zh.speakable(text).strip()
        count = len(words_in(said)) if locale == "en" else len(HAN.findall(said))
        alone = not HAN.search(said) if locale == "en" else not LATIN.search(said)
        if shortest <= count <= longest and alone and as_said(said, locale):
            able.setdefault(said)
    every = list(able)
    Random(seed).shuffle(every)
    return every[:limit]


def words_in(text: str) -> list[str]:
    """English words, numbers as they are said."""
    return re.findall(r"[a-z0-9']+", numbers_en.speakable(text).replace("-", " ").casefold())


def written(text: str, locale: str, clip: Floats, published: Recogniser) -> str:
    """What is to be learnt of it."""
    if locale == "zh":
        return text
    heard = published.transcribe(clip, "en").text
    return heard if words_in(heard) == words_in(text) else finished(text[:1].upper() + text[1:])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("locale", choices=sorted(LENGTHS))
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--styles", type=Path, help="folder of further style vectors")
    parser.add_argument("--limit", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--part", default="0/1", help="this process' share: NUMBER/OF")
    options = parser.parse_args()
    part, parts = map(int, options.part.split("/"))
    options.out.mkdir(parents=True, exist_ok=True)
    locale, cache = options.locale, ModelCache()
    bank = styles(options.styles, locale)
    names = sorted(bank)
    synthesiser = SpeechModels(cache, threads=1).synthesiser
    published = Recogniser(cache.path("whisper-base/model.bin").parent, threads=1, tuned=())
    texts = chosen(locale, options.limit, options.seed)
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
            said = synthesiser.synthesise(finished(texts[number]), locale, name, pace / shift)
            clip = shifted(resample(floats_from_pcm16(said.pcm.tobytes()), said.rate, CLOCK_HZ), shift)
            clip = words_of(clip)
            np.save(path, pcm16(clip))
            row = {"number": number, "text": written(texts[number], locale, clip, published)}
            print(json.dumps(row, ensure_ascii=False), file=index, flush=True)


if __name__ == "__main__":
    main()
