"""Counts how Chinese is put, for the spelling of what is heard.

    python tools/tune_spelling.py     # sentences -> cloud/frontends/cascade/spelling_zh.npz

From the tagger's sentences (tools/tagger_texts) and the tuning part of the scenario texts; not from the development cases (tests/data/calls_dev),
by which it is measured, nor from anything that is reported. Sentences that were written as a recogniser mishears them are left out. A few seconds.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from ridealong.cloud.frontends.cascade.ngrams import FILE, counted
from ridealong.harness.misheard import as_meant
from ridealong.yaml_file import read_yaml

ROOT = Path(__file__).parent.parent
TAGGED = sorted((ROOT / "tools" / "tagger_texts").glob("*zh.tsv"))
SCENARIOS = sorted((ROOT / "simulators" / "scenarios" / "texts").glob("tune*/zh.yaml"))


def sentences() -> Iterator[str]:
    """Labels among them have no Chinese."""
    for path in TAGGED:
        for line in path.read_text(encoding="utf-8").splitlines():
            yield from filter(_as_said, line.split("\t"))
    for path in SCENARIOS:
        yield from filter(_as_said, _texts(read_yaml(path)))


def _as_said(text: str) -> bool:
    return as_meant(text, "zh") == text and any("\u4e00" <= character <= "\u9fff" for character in text)


def _texts(value: object) -> Iterator[str]:
    match value:
        case str():
            yield value
        case dict():
            for each in value.values():
                yield from _texts(each)
        case list():
            for each in value:
                yield from _texts(each)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=ROOT / "cloud" / "frontends" / "cascade" / FILE)
    options = parser.parse_args()
    arrays = counted(sentences())
    np.savez_compressed(options.out, allow_pickle=False, **arrays)
    print(
        f"{options.out}: {[len(arrays[f'counts{length}']) for length in (1, 2, 3)]} runs, {options.out.stat().st_size / 1e3:.0f} kB"
    )


if __name__ == "__main__":
    main()
