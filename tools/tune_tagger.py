"""Tunes a tagger of requests: which words of a sentence ask for what. From tools/tagger_texts/*.tsv (label, tab, words, and so on for
each piece of a sentence) and nothing else.

    pip install torch==2.13.0 && python tools/tune_tagger.py     # sentences -> cloud/tagger.npz
    python tools/tune_tagger.py --mean ONE ANOTHER               # the mean of what was learnt by two points on the way

Low-rank changes (LoRA) of multilingual e5-small and one linear head for every token. Most sentences ask for one thing; here they are also
put together as people do: two or three requests in one breath, a remark beside a request, a request that is taken back by the next. So
each token has a label without anybody having marked tokens. They are also shown as a recogniser might hear them. One sentence in
twenty is left out, to look at. About 25 minutes on one core.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter, defaultdict
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any
from zlib import crc32

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn
from tuned_encoder import BATCH, Changed, Learning, Mishearing, batches

from ridealong.cloud.frontends.cascade.meaning import model_file
from ridealong.cloud.frontends.cascade.sentence_encoder import SentenceEncoder
from ridealong.cloud.tagger import OUT
from ridealong.errors import UserError
from ridealong.harness.slots.text import has_chinese

HERE = Path(__file__).parent
TEXTS = sorted((HERE / "tagger_texts").glob("*.tsv"))
SUPERSEDED = "superseded"
MISHEARD = 0.15
JOIN_EN = (" and ", ", ", " then ", " and then ", ". ", " also ", ", and ", " plus ", " oh and ", " ", ", ", " and also ")
JOIN_ZH = ("，", "。", "然后", "还有", "再", "顺便", "，然后", "，还有", "，再", "并且", " ", "", "，")
BACK_EN = (
    " no wait ",
    ", no, ",
    " sorry ",
    ", actually ",
    " I mean ",
    " no sorry ",
    ", scratch that, ",
    " uh no ",
    ", hang on, ",
    " no ",
)
BACK_ZH = ("，不对，", "不是，", "，哦不，", "，算了，", "，错了，", "，说错了，", "，不不不，", "，等等，", "，不不，", "不对")
BESIDE = ("chat", "told", "others", "negated", "fragment")
"""What stands beside a request in one breath."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """`label`: of a sentence of one piece; "" where it has several."""

    pieces: tuple[tuple[str, str], ...]  # (words, label)

    @property
    def label(self) -> str:
        return self.pieces[0][1] if len(self.pieces) == 1 else ""

    @property
    def text(self) -> str:
        return "".join(words for words, _ in self.pieces)

    @property
    def zh(self) -> bool:
        return has_chinese(self.text)


def read_sentences(paths: list[Path]) -> list[Sentence]:
    """Raises UserError for a line that is none."""
    found: dict[str, Sentence] = {}
    for path in paths:
        try:
            lines = path.read_text(encoding="utf-8").splitlines()
        except OSError as error:
            raise UserError(f"{path} cannot be read ({error.strerror}).") from error
        for number, line in enumerate(lines, 1):
            if not line.strip() or line.startswith("#"):
                continue
            fields = line.rstrip("\n").split("\t")
            pieces = tuple(zip(fields[1::2], (label.strip() for label in fields[::2]), strict=False))
            if len(fields) % 2 or not all(words.strip() and label for words, label in pieces):
                raise UserError(f"{path}:{number} is not `label<TAB>words`, once for each piece.")
            sentence = Sentence(pieces if len(pieces) > 1 else ((pieces[0][0].strip(), pieces[0][1]),))
            found.setdefault(sentence.text.strip().lower(), sentence)
    return list(found.values())


# -- put together --------------------------------------------------------------------------------------------------------------


class Composer:
    """Seeded. Pieces of (words, label); the words between two pieces have none."""

    def __init__(self, sentences: list[Sentence], seed: int) -> None:
        self._random = Random(seed)
        self._mishear = Mishearing([one.text for one in sentences], seed)
        self._requests: dict[bool, list[Sentence]] = defaultdict(list)
        self._beside: dict[bool, list[Sentence]] = defaultdict(list)
        self._family: dict[tuple[bool, str], list[Sentence]] = defaultdict(list)
        for one in sentences:
            if not one.label:
                continue
            (self._beside if one.label in BESIDE else self._requests)[one.zh].append(one)
            self._family[one.zh, one.label.partition(".")[0]].append(one)

    def compose(self, first: Sentence) -> list[tuple[str, str]]:
        drawn, zh = self._random.random(), first.zh
        if not first.label:
            return [(self._heard(words), label) for words, label in first.pieces]
        asks = first.label not in BESIDE and first.label not in ("later", "unsupported")
        if drawn < 0.45 or first.label in ("later", "told", "others") and drawn < 0.8:
            return [(self._heard(first.text), first.label)]
        if asks and drawn < 0.6:
            return self._taken_back(first)
        others = [self._random.choice(self._requests[zh])]
        if drawn > 0.9:
            others.append(self._random.choice(self._requests[zh]))
        elif drawn > 0.8:
            others = [self._random.choice(self._beside[zh])]
        pieces = [first, *others]
        self._random.shuffle(pieces)
        return self._joined([(one.text, one.label) for one in pieces], JOIN_ZH if zh else JOIN_EN)

    def _taken_back(self, first: Sentence) -> list[tuple[str, str]]:
        zh = first.zh
        same = self._random.random() < 0.6
        choice = self._family[zh, first.label.partition(".")[0]] if same else self._requests[zh]
        second = self._random.choice(choice)
        begun = first.text
        if self._random.random() < 0.4:  # broken off
            words = list(begun) if zh else begun.split()
            kept = words[: max(1, self._random.randint(len(words) // 2, len(words)))]
            begun = "".join(kept) if zh else " ".join(kept)
        return self._joined([(begun, SUPERSEDED), (second.text, second.label)], BACK_ZH if zh else BACK_EN)

    def _joined(self, pieces: list[tuple[str, str]], between: tuple[str, ...]) -> list[tuple[str, str]]:
        found: list[tuple[str, str]] = []
        for text, label in pieces:
            heard = self._heard(text)
            if found:
                joint = self._random.choice(between)
                if joint.strip() and joint.strip()[-1:] not in ".。":
                    heard = heard[:1].lower() + heard[1:]
                found[-1] = (found[-1][0].rstrip(" .?!,。？！，"), found[-1][1])
                found.append((joint, ""))
            found.append((heard, label))
        return found

    def _heard(self, text: str) -> str:
        """With the blanks at its ends, where another piece follows."""
        heard = self._mishear.of(text, whole=True, most=MISHEARD)
        return f"{' ' * text.startswith(' ')}{heard}{' ' * text.endswith(' ')}"


# -- the model -----------------------------------------------------------------------------------------------------------------


class Tagger(Changed):
    def __init__(self, encoder: SentenceEncoder, rank: int, labels: list[str]) -> None:
        super().__init__(encoder, rank)
        self.labels = labels
        self.tags = nn.Linear(self.width, len(labels))

    def forward(self, tokens: list[list[int]], drop: float = 0.0) -> Tensor:
        """[texts, longest, labels] as logits."""
        state, _ = self.states(tokens, drop)
        logits: Tensor = self.tags(F.dropout(state, drop, self.training))
        return logits

    def begin(self, file: Path) -> None:
        """With what was learnt before; a label that was not there then begins anew. Raises UserError where none was."""
        with np.load(file, allow_pickle=False) as arrays:
            before = [str(one) for one in arrays["tags.classes"]]
            known = [label for label in self.labels if label in before]
            if not known:
                raise UserError(f"{file} has other labels than the sentences: leave --begin out.")
            learnt = {name: torch.tensor(arrays[name].astype(np.float32)) for name in arrays.files if name != "tags.classes"}
        with torch.no_grad():
            for name, values in self.changed().items():
                values.copy_(learnt[name])
            for label in known:
                self.tags.weight[self.labels.index(label)] = learnt["tags.w"][before.index(label)]
                self.tags.bias[self.labels.index(label)] = learnt["tags.b"][before.index(label)]

    def arrays(self) -> dict[str, np.ndarray[Any, Any]]:
        found = self.changed() | {"tags.w": self.tags.weight, "tags.b": self.tags.bias}
        halves: dict[str, np.ndarray[Any, Any]] = {name: one.detach().numpy().astype(np.float16) for name, one in found.items()}
        return halves | {"tags.classes": np.array(self.labels)}

    def marked(self, pieces: list[tuple[str, str]]) -> tuple[list[int], list[int]]:
        """Tokens, and the label of each or -100."""
        text, bounds = "", []
        for words, label in pieces:
            bounds.append((len(text), len(text) + len(words), label))
            text += words
        ids, spans = self.encoder.placed(text)
        wanted = []
        for begin, end in spans:
            middle = (begin + end) / 2
            label = next((name for low, high, name in bounds if low <= middle < high), "") if end > begin else ""
            wanted.append(self.labels.index(label) if label else -100)
        return ids, wanted


def train(model: Tagger, sentences: list[Sentence], test: list[Sentence], epochs: int, rate: float, seed: int, out: Path) -> None:
    """What has been learnt is written after every epoch."""
    random, composer = Random(seed), Composer(sentences, seed)
    counts = Counter(label for one in sentences for _, label in one.pieces)
    weights = torch.tensor([min(3.0, (60 / counts[name]) ** 0.5) if counts[name] else 1.0 for name in model.labels])
    learning = Learning(model, list(model.tags.parameters()), rate, 3 * rate, epochs * -(-len(sentences) // BATCH))
    began = time.perf_counter()
    for epoch in range(epochs):
        total = 0.0
        for batch in batches([model.marked(composer.compose(one)) for one in sentences], lambda one: len(one[0]), random):
            logits = model([ids for ids, _ in batch], drop=0.1)
            wanted = torch.full(logits.shape[:2], -100)
            for row, (_, labels) in enumerate(batch):
                wanted[row, : len(labels)] = torch.tensor(labels)
            loss = F.cross_entropy(logits.flatten(0, 1), wanted.flatten(), weight=weights, label_smoothing=0.02)
            total += learning.step(loss) * len(batch)
        print(f"epoch {epoch + 1}: loss {total / len(sentences):.3f}, {time.perf_counter() - began:.0f} s", flush=True)
        show(model, test)
        np.savez_compressed(out, **model.arrays())


def show(model: Tagger, test: list[Sentence]) -> None:
    model.eval()
    right: dict[str, list[bool]] = defaultdict(list)
    mixed: Counter[str] = Counter()
    with torch.no_grad():
        for at in range(0, len(test), 128):
            some = test[at : at + 128]
            marked = [model.marked(list(one.pieces)) for one in some]
            shares = model([ids for ids, _ in marked]).softmax(-1)
            for row, (one, (_, wanted)) in enumerate(zip(some, marked, strict=True)):
                for _, label in one.pieces:
                    there = [place for place, tag in enumerate(wanted) if tag == model.labels.index(label)]
                    guess = model.labels[int(shares[row, there].mean(0).argmax())] if there else ""
                    right[f"{'zh' if one.zh else 'en'}{'' if one.label else ', one of several'}"].append(guess == label)
                    if guess != label:
                        mixed[f"{label} > {guess}"] += 1
    model.train()
    print("  held out, right: " + "; ".join(f"{name} {np.mean(hits):.3f} of {len(hits)}" for name, hits in sorted(right.items())))
    print("  " + "; ".join(f"{count} {what}" for what, count in mixed.most_common(8)), flush=True)


def mean_of(files: list[Path], out: Path) -> None:
    """Raises UserError where they are not of the same labels."""
    found = [{name: file[name] for name in file.files} for file in (np.load(path, allow_pickle=False) for path in files)]
    if any(list(one["tags.classes"]) != list(found[0]["tags.classes"]) for one in found):
        raise UserError("these have other labels than each other: give two of one tuning.")
    means = {
        name: np.mean([one[name].astype(np.float32) for one in found], axis=0).astype(np.float16)
        for name in found[0]
        if name != "tags.classes"
    }
    np.savez_compressed(out, **means, **{"tags.classes": found[0]["tags.classes"]})


def main() -> int:
    parser = argparse.ArgumentParser(description="tune the tagger of requests")
    parser.add_argument("--texts", type=Path, nargs="+", default=TEXTS)
    parser.add_argument("--out", type=Path, default=OUT)
    parser.add_argument("--begin", type=Path, metavar="FILE", help="go on from what was learnt before")
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--rate", type=float, default=1e-3)
    parser.add_argument("--rank", type=int, default=16)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--limit", type=int, help="so many sentences, to try it")
    parser.add_argument("--mean", type=Path, nargs="+", metavar="FILE", help="learn nothing: write the mean of these")
    options = parser.parse_args()
    try:
        if options.mean is not None:
            mean_of(options.mean, options.out)
            print(f"{options.out} written")
            return 0
        written = read_sentences(options.texts)
    except (OSError, UserError) as error:
        print(f"tune_tagger: {error}", file=sys.stderr)
        return 2
    written = Random(options.seed).sample(written, min(len(written), options.limit or len(written)))
    held = {one for one in written if crc32(one.text.lower().encode()) % 20 == 0}
    kept, test = [one for one in written if one not in held], sorted(held, key=lambda one: one.text)
    labels = sorted({label for one in kept for _, label in one.pieces} | {SUPERSEDED})
    test = [one for one in test if all(label in labels for _, label in one.pieces)]
    print(f"{len(kept)} sentences of {len(labels)} labels to learn from, {len(test)} held out", flush=True)
    torch.manual_seed(options.seed)
    model = Tagger(SentenceEncoder(model_file()), options.rank, labels)
    if options.begin is not None:
        try:
            model.begin(options.begin)
        except (OSError, UserError) as error:
            print(f"tune_tagger: {error}", file=sys.stderr)
            return 2
    train(model, kept, test, options.epochs, options.rate, options.seed, options.out)
    print(f"{options.out} written")
    return 0


if __name__ == "__main__":
    sys.exit(main())
