"""Tunes the judgement over overlaps on the tuning part of the scenarios, and on nothing else.

    python tools/judge_rows.py --out rows.jsonl        # scenarios -> evidence, with the real models
    python tools/tune_judge.py --rows rows.jsonl       # texts, evidence -> cloud/turn/meaning.npz and weights.yaml

First the heads on the sentence embedding, from the written sentences and what the recogniser made of some; then the scored combination
(multinomial logistic regression, L2). The embedding's own opinion of a text comes there from heads that were trained without it (five
folds), so that the table does not trust it more than it deserves. Prints what it reaches on held-out folds; the figures that count are
those of `ridealong eval duplex`.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from random import Random
from typing import Any
from zlib import crc32

import numpy as np
import yaml
from numpy.typing import NDArray

from ridealong.cloud.frontends.base import Intent, VerdictKind
from ridealong.cloud.frontends.cascade.assembly import RouterOpinion
from ridealong.cloud.frontends.cascade.meaning import SOUND_SHARE, Embed, Head, Sentences, load_embedder, sound_of
from ridealong.cloud.turn.evidence import Evidence, features
from ridealong.errors import UserError
from ridealong.harness.router import Router
from ridealong.harness.skill import Context
from ridealong.vehicle_skills.builtin import builtin_registry

TURN = Path(__file__).parent.parent / "cloud" / "turn"
TEXTS = [
    Path(__file__).parent.parent / "simulators" / "scenarios" / "texts" / name for name in ("tune", "tune_more", "tune_third")
]
MEANT = tuple(kind.value for kind in VerdictKind if kind is not VerdictKind.NOISE)
"""Noise is what has no words (judge.py); what the recogniser makes up of a noise counts as background here."""
INTENTS = tuple(intent.value for intent in Intent)
FOLDS = 5
Array = NDArray[np.float64]


def fold_of(text: str) -> int:
    """By the text alone, so that a sentence never lies on both sides."""
    return crc32(text.encode()) % FOLDS


# -- fitting ------------------------------------------------------------------------------------------------------------


def fit(inputs: Array, labels: NDArray[np.int64], classes: int, l2: float, free: int | None, steps: int = 1_500) -> Array:
    """[inputs, classes] of a softmax, each class weighing the same. `free`: the column without a penalty (the bias). Adam, full batch."""
    inputs = inputs.astype(np.float32)
    weights = np.zeros((inputs.shape[1], classes), np.float32)
    share = np.array([1 / max(1, int((labels == one).sum())) for one in range(classes)], np.float32)[labels]
    share /= share.mean()
    wanted = np.eye(classes, dtype=np.float32)[labels]
    penalty = np.full((inputs.shape[1], 1), l2, np.float32)
    if free is not None:
        penalty[free] = 0
    mean, square = np.zeros_like(weights), np.zeros_like(weights)
    for step in range(1, steps + 1):
        slope = inputs.T @ ((softmax(inputs @ weights) - wanted) * share[:, None]) / len(labels) + penalty * weights
        mean, square = 0.9 * mean + 0.1 * slope, 0.999 * square + 0.001 * slope**2
        weights -= 0.05 * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.999**step)) + 1e-8)
    return weights.astype(np.float64)


def softmax(scores: Array) -> Array:
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))


# -- heads on the embedding ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Labelled:
    """`origin`: the sentence as written, where `text` is what the recogniser made of it."""

    text: str
    kind: str
    intent: str
    origin: str

    @property
    def fold(self) -> int:
        """By the written text alone, so that a sentence never lies on both sides."""
        return crc32(self.origin.encode()) % FOLDS


def read_texts(folders: list[Path]) -> list[Labelled]:
    """Every labelled sentence of both languages."""
    rows: list[tuple[str, str, str]] = []
    for path in sorted(path for folder in folders for path in folder.glob("*.yaml")):
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
        rows += [(text, "backchannel", "") for text in content["backchannels"]]
        rows += [(text, "other_directed", "") for text in content["other_directed"]]
        rows += [(text, "background", "") for text in content["background"]]
        rows += [(text, "interruption", "redirect") for text in content.get("requests", [])]
        for intent, items in content["interruptions"].items():
            rows += [(item if isinstance(item, str) else item["text"], "interruption", intent) for item in items]
    return [Labelled(text, kind, intent, text) for text, kind, intent in rows]


def misheard(rows: list[dict[str, Any]]) -> list[Labelled]:
    """What the recogniser made of labelled sentences, where it differs."""
    found = {
        (row["evidence"]["text"], row["label_text"]): Labelled(
            row["evidence"]["text"], row["kind"], row["intent"], row["label_text"]
        )
        for row in rows
        if row["evidence"]["final"] and row["label_text"] and row["evidence"]["text"].strip() and row["kind"] in MEANT
    }
    return [one for one in found.values() if one.text != one.origin]


def train_heads(sentences: Sentences, texts: list[Labelled], ridge: float = 0.3) -> tuple[Head, Head]:
    """Kernel ridge regression on -1/+1 for each class; every class weighs the same. Sentences without an intent have no say in intents."""
    sounds = np.stack([sound_of(one.text) for one in texts])
    kernel = sentences.likeness(sentences.vectors + sentences.centre) + SOUND_SHARE * (sounds @ sounds.T)
    heads = []
    for column, classes in (("kind", MEANT), ("intent", INTENTS)):
        rows = np.array([i for i, one in enumerate(texts) if getattr(one, column)])
        labels = np.array([classes.index(getattr(texts[i], column)) for i in rows])
        share = np.array([1 / max(1, int((labels == one).sum())) for one in range(len(classes))])
        share /= share.mean()
        wanted = np.eye(len(classes), dtype=np.float32)[labels] * 2 - 1
        inner = kernel[np.ix_(rows, rows)] + np.diag((ridge / share[labels]).astype(np.float32))
        weights = np.zeros((len(texts), len(classes)), np.float32)
        weights[rows] = np.linalg.solve(inner, wanted)
        heads.append(Head(classes, weights, SOUND_SHARE * (sounds.T @ weights)))
    return heads[0], heads[1]


class Heads:
    """Trained on all texts, and, for each fold, on the others."""

    def __init__(self, texts: list[Labelled], embed: Embed) -> None:
        self._embed = embed
        self._kept: dict[str, NDArray[np.float32]] = {}
        self.whole = self._train(texts)
        self.without = [self._train([one for one in texts if one.fold != fold]) for fold in range(FOLDS)]
        for which, column in enumerate(("kind", "intent")):
            asked = [one for one in texts if getattr(one, column)]
            guesses = [self.read(one.text, one.fold)[which] for one in asked]
            right = np.mean(
                [
                    max(guess, key=lambda name: guess[name]) == getattr(one, column)
                    for guess, one in zip(guesses, asked, strict=True)
                ]
            )
            print(f"{column}s of {len(asked)} texts: {right:.3f} right on held-out folds", flush=True)

    def _train(self, texts: list[Labelled]) -> tuple[Sentences, Head, Head]:
        sentences = Sentences.of(np.stack([self.vector(one.text) for one in texts]))
        return (sentences, *train_heads(sentences, texts))

    def read(self, text: str, fold: int) -> tuple[dict[str, float], dict[str, float]]:
        """By the heads that have not seen this fold."""
        sentences, kinds, intents = self.without[fold]
        likeness, sound = sentences.likeness(self.vector(text)), sound_of(text)
        return kinds.odds(likeness, sound), intents.odds(likeness, sound)

    def vector(self, text: str) -> NDArray[np.float32]:
        if text not in self._kept:
            self._kept[text] = self._embed(text)
        return self._kept[text]

    def save(self, path: Path) -> None:
        sentences, *heads = self.whole
        arrays: dict[str, Any] = {"centre": sentences.centre, "vectors": sentences.vectors.astype(np.float16)}
        for name, head in zip(("kinds", "intents"), heads, strict=True):
            arrays |= {f"{name}_classes": np.array(head.classes), f"{name}_weights": head.weights.astype(np.float16)}
            arrays[f"{name}_sounds"] = head.sounds.astype(np.float16)
        np.savez_compressed(path, **arrays)


# -- the table ------------------------------------------------------------------------------------------------------------


def with_meaning(row: Mapping[str, Any], heads: Heads) -> Evidence:
    """The evidence of a row, its text judged by the heads that have not seen the sentence it came from."""
    evidence = Evidence(**row["evidence"])
    if not evidence.text.strip():
        return evidence
    kinds, intents = heads.read(evidence.text, fold_of(row["label_text"]))
    return replace(evidence, meaning=kinds, intents=intents)


def text_rows(texts: list[Labelled], heads: Heads, seed: int = 1) -> list[dict[str, Any]]:
    """The written sentences as evidence that knows words alone, so that the table learns from all of them what words tell."""
    opinion = RouterOpinion(Router(builtin_registry()))
    replies: dict[str, list[str]] = {}
    own: dict[str, str] = {}
    for locale in ("en", "zh"):
        content = yaml.safe_load((TEXTS[0] / f"{locale}.yaml").read_text(encoding="utf-8"))
        by_id = {reply["id"]: reply["text"] for reply in content["replies"]}
        replies[locale] = list(by_id.values())
        items = [item for group in content["interruptions"].values() for item in group if isinstance(item, dict)]
        own |= {item["text"]: by_id[item["reply"]] for item in items if item.get("reply") in by_id}
    random = Random(seed)
    rows = []
    for one in texts:
        locale = "zh" if any("\u4e00" <= char <= "\u9fff" for char in one.text) else "en"
        said = own.get(one.origin) or random.choice(replies[locale])
        read = opinion.read(one.text, locale, Context(), said)
        length_ms = 190 * len(one.text) if locale == "zh" else 330 * len(one.text.split())
        known = {name: getattr(read, name) for name in WORDS_TELL}
        topic = float(heads.vector(one.text) @ heads.vector(said))
        evidence = Evidence(
            one.text, locale, confidence=0.75, no_speech=0.05, voiced_ms=length_ms + 200, turn=0.8, topic=topic, assistant_text=said,
            **known,
        )  # fmt: skip
        rows.append(row_of(evidence, one.kind, one.intent, one.origin, scenario="text"))
    return rows


WORDS_TELL = (
    "words", "understood", "complete", "to_other", "narrated", "question", "correction", "wake", "listed_backchannel", "listed_stop",
)  # fmt: skip


def table(heard: list[dict[str, Any]], texts: list[dict[str, Any]], heads: Heads, l2: float) -> None:
    """Fit on what was heard and on the written sentences; report on held-out folds of what was heard."""
    rows = heard + texts
    inputs = [features(with_meaning(row, heads)) for row in rows]
    names = sorted({name for one in inputs for name in one})
    matrix = np.array([[one.get(name, 0.0) for name in names] for one in inputs])
    kinds = np.array([MEANT.index(row["kind"]) for row in rows])
    folds = np.array([fold_of(row["label_text"] or f"{row['kind']} {row['scenario']}") for row in rows])
    held_out = np.zeros((len(rows), len(MEANT)))
    bias = names.index("bias")
    for fold in range(FOLDS):
        weights = fit(matrix[folds != fold], kinds[folds != fold], len(MEANT), l2, bias)
        held_out[folds == fold] = softmax(matrix[folds == fold] @ weights)
    for final in (True, False):
        chosen = np.array([i for i, row in enumerate(heard) if row["evidence"]["final"] is final])
        print(f"\n{'whole utterances' if final else 'so far'}: {len(chosen)} on held-out folds")
        show(kinds[chosen], held_out[chosen].argmax(axis=1))
        sweep(kinds[chosen], held_out[chosen])
    weights = fit(matrix, kinds, len(MEANT), l2, bias)
    asked = np.array([i for i, row in enumerate(rows) if row["intent"]])
    meant = np.array([INTENTS.index(rows[i]["intent"]) for i in asked])
    intent_weights = fit(matrix[asked], meant, len(INTENTS), l2, bias)
    print(f"intents of interruptions: {np.mean((matrix[asked] @ intent_weights).argmax(axis=1) == meant):.3f} right (seen)")
    path = TURN / "weights.yaml"
    kept = yaml.safe_load(path.read_text(encoding="utf-8"))
    content = {
        "thresholds": kept["thresholds"],
        "prior": kept["prior"],
        "kinds": _named(names, MEANT, weights),
        "intents": _named(names, INTENTS, intent_weights),
    }
    head = "# Written by tools/tune_judge.py: input x weight, summed for each class. What the inputs are: evidence.py.\n"
    path.write_text(head + yaml.safe_dump(content, sort_keys=False, default_flow_style=None, width=140), encoding="utf-8")
    print(f"{path} written, {len(names)} inputs")


def sweep(labels: NDArray[np.int64], shares: Array) -> None:
    """What a threshold on the probability of an interruption costs: share of each class not taken for one."""
    taken = shares[:, MEANT.index("interruption")]
    for threshold in (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95):
        parts = [
            f"{kind} {np.mean((taken[labels == i] >= threshold) == (kind == 'interruption')):.3f}"
            for i, kind in enumerate(MEANT)
            if (labels == i).any()
        ]
        print(f"  at {threshold:.2f}: right " + ", ".join(parts))


def _named(names: list[str], classes: tuple[str, ...], weights: Array) -> dict[str, dict[str, float]]:
    return {
        name: {one: round(float(weights[i, column]), 2) for column, one in enumerate(classes)} for i, name in enumerate(names)
    }


def show(labels: NDArray[np.int64], found: NDArray[np.int64]) -> None:
    print(" " * 16 + "".join(f"{kind[:11]:>13}" for kind in MEANT) + "   right")
    for i, kind in enumerate(MEANT):
        counts = [int(((labels == i) & (found == j)).sum()) for j in range(len(MEANT))]
        print(f"{kind:16}" + "".join(f"{count:13}" for count in counts) + f"   {counts[i] / max(1, sum(counts)):.3f}")


# -- hearing --------------------------------------------------------------------------------------------------------------


def read_rows(path: Path) -> list[dict[str, Any]]:
    """Raises UserError for a file that is none of tools/judge_rows.py."""
    rows: list[dict[str, Any]] = []
    try:
        lines = path.read_bytes().split(b"\n")  # a text may hold other line separators
    except OSError as error:
        raise UserError(f"{path} cannot be read ({error.strerror}): make it with tools/judge_rows.py.") from None
    for number, line in enumerate(lines, start=1):
        try:
            row = json.loads(line) if line else None
        except ValueError:
            row = "none"
        if row is not None and not (isinstance(row, dict) and {"kind", "intent", "label_text", "evidence"} <= row.keys()):
            raise UserError(f"line {number} of {path} is no row of tools/judge_rows.py: take it out, or make the file again.")
        rows += [row] if row is not None else []
    return [row | {"kind": "background"} if row["kind"] == "noise" else row for row in rows]


def row_of(evidence: Evidence, kind: str, intent: str, label_text: str, **more: Any) -> dict[str, Any]:
    """`meaning` and `intents` are left out: they are computed anew when the table is fitted."""
    content = asdict(replace(evidence, meaning={}, intents={}))
    return {"kind": kind, "intent": intent, "label_text": label_text, "evidence": content, **more}


def write_rows(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    with path.open("a", encoding="utf-8") as file:
        for row in rows:
            file.write(json.dumps(row, ensure_ascii=False) + "\n")


def main() -> int:
    parser = argparse.ArgumentParser(description="tune the judgement over overlaps")
    parser.add_argument("--rows", type=Path, nargs="+", required=True, help="files of tools/judge_rows.py")
    parser.add_argument("--texts", type=Path, nargs="+", default=TEXTS)
    parser.add_argument("--l2", type=float, default=1e-3)
    options = parser.parse_args()
    written = read_texts(options.texts)
    try:
        heard = [row for path in options.rows for row in read_rows(path)]
        if not heard:
            raise UserError("there is not a row in --rows: make some with tools/judge_rows.py.")
    except UserError as error:
        print(f"tune_judge: {error}", file=sys.stderr)
        return 2
    heads = Heads(written + misheard(heard), load_embedder())
    heads.save(TURN / "meaning.npz")
    print(f"{TURN / 'meaning.npz'} written")
    table(heard, text_rows(written, heads), heads, options.l2)
    return 0


if __name__ == "__main__":
    sys.exit(main())
