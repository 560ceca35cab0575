"""Writes harness/known_words.txt: the words that built-in skills are asked for with, out of the texts that the tagger learns from.

    .venv/bin/python tools/known_words.py            # after the texts have changed
    .venv/bin/python tools/known_words.py --check    # fails where they have

What is in it is nobody's own word: a skill from outside does not take a sentence away by it (harness/outside_words.py).
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TARGET = ROOT / "src/ridealong/harness/known_words.txt"
DICTATED = frozenset({"memory", "recall", "note", "reminder", "navigation", "phone", "seeing", "media"})
"""Their texts hold names and the speaker's own words."""
CAR_LEAST, DICTATED_LEAST = 3, 8


def known_words() -> str:
    """The file's text: words of the car, pairs of Chinese characters, and words of the texts besides; a line each."""
    car, dictated, anywhere = Counter[str](), Counter[str](), Counter[str]()
    for file in sorted((ROOT / "tools/tagger_texts").glob("*.tsv")):
        for line in file.read_text(encoding="utf-8").splitlines():
            label, _, text = line.partition("\t")
            group, dot, _ = label.partition(".")
            words = set(re.findall(r"[a-z]+", text.casefold()))
            pairs = {run[at : at + 2] for run in re.findall(r"[\u3400-\u9fff]+", text) for at in range(len(run) - 1)}
            anywhere.update(words if group != "unsupported" else ())
            if dot:
                (dictated if group in DICTATED else car).update(words | pairs)
    known = {one for one, count in car.items() if count >= CAR_LEAST}
    known |= {one for one, count in dictated.items() if count >= DICTATED_LEAST}
    rows = [
        sorted(one for one in known if one.isascii()),
        sorted(one for one in known if not one.isascii()),
        sorted(set(anywhere) - known),
    ]
    return "".join(f"{' '.join(row)}\n" for row in rows)


def main() -> None:
    made = known_words()
    if "--check" not in sys.argv[1:]:
        TARGET.write_text(made, encoding="utf-8")
    elif made != TARGET.read_text(encoding="utf-8"):
        sys.exit(f"{TARGET.relative_to(ROOT)} is out of date: run tools/known_words.py")


if __name__ == "__main__":
    main()
