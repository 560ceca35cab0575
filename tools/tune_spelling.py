"""Counts how Chinese and English are put, by which it is told which of several hearings was said.

    python tools/tune_spelling.py     # sentences -> cloud/frontends/cascade/spelling_zh.npz and phrasing_en.npz

From the tagger's sentences (tools/tagger_texts) and the tuning part of the scenario texts; not from the development cases (tests/data/calls_dev),
by which it is measured, nor from anything that is reported. Sentences that were written as a recogniser mishears them are left out. A few seconds.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from ridealong.cloud.frontends.cascade.ngrams import FILES, counted
from ridealong.harness.misheard import as_meant
from ridealong.yaml_file import read_yaml

ROOT = Path(__file__).parent.parent
TAGGED = ROOT / "tools" / "tagger_texts"
SCENARIOS = ROOT / "simulators" / "scenarios" / "texts"


def sentences(locale: str) -> Iterator[str]:
    for path in sorted(TAGGED.glob(f"*{locale}.tsv")):
        for line in path.read_text(encoding="utf-8").splitlines():
            pieces = [text.strip() for text in line.split("\t")[1::2] if as_said(text.strip(), locale)]  # behind their labels
            yield from pieces if locale == "zh" else [" ".join(pieces)]
    for path in sorted(SCENARIOS.glob(f"tune*/{locale}.yaml")):
        yield from (text for text in texts_within(read_yaml(path)) if (locale == "zh" or " " in text) and as_said(text, locale))


def as_said(text: str, locale: str) -> bool:
    """Not as a recogniser mishears it; of Chinese some."""
    return as_meant(text, locale) == text and (locale == "en" or any("\u4e00" <= character <= "\u9fff" for character in text))


def texts_within(value: object) -> Iterator[str]:
    match value:
        case str():
            yield value
        case dict():
            for each in value.values():
                yield from texts_within(each)
        case list():
            for each in value:
                yield from texts_within(each)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=ROOT / "cloud" / "frontends" / "cascade", help="folder")
    options = parser.parse_args()
    for locale, name in FILES.items():
        arrays = counted(sentences(locale), locale)
        path = options.out / name
        np.savez_compressed(path, allow_pickle=False, **arrays)
        runs = [len(arrays[f"counts{length}"]) for length in (1, 2, 3)]
        print(f"{path}: {runs} runs, {path.stat().st_size / 1e3:.0f} kB")


if __name__ == "__main__":
    main()
