"""Tunes the judgement over overlaps on the tuning part of the scenarios, and on nothing else.

    python tools/judge_rows.py --out rows.jsonl        # scenarios -> evidence, with the real models
    python tools/tune_sentences.py --rows rows.jsonl   # texts -> cloud/turn/meaning.npz
    python tools/tune_judge.py --rows rows.jsonl       # evidence -> cloud/turn/weights.yaml

The scored combination: multinomial logistic regression with L2, from what was heard and from written sentences of which only the words
are known. Sentences that the heads in meaning.npz learnt from are left out, so that the table does not trust the heads more than it should.
Prints what it reaches on held-out folds; the figures that count are those of `ridealong eval duplex`.
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
from ridealong.cloud.frontends.cascade.meaning import Meaning, load_meaning
from ridealong.cloud.turn.evidence import Evidence, features
from ridealong.errors import UserError
from ridealong.harness.router import Router
from ridealong.harness.skill import Context
from ridealong.vehicle_skills.builtin import builtin_registry
from ridealong.yaml_file import read_yaml

TURN = Path(__file__).parent.parent / "cloud" / "turn"
TEXTS = sorted((Path(__file__).parent.parent / "simulators" / "scenarios" / "texts").glob("tune*"))
"""`tune` is what the scenarios of the tuning split say; the others are sentences alone. None of them is in `report`."""
MEANT = tuple(kind.value for kind in VerdictKind if kind is not VerdictKind.NOISE)
"""Noise is what has no words (judge.py); what the recogniser makes up of a noise counts as background here."""
INTENTS = tuple(intent.value for intent in Intent)
LISTED = {"backchannels": "backchannel", "other_directed": "other_directed", "background": "background"}
FOLDS = 5
HELD_OUT_OF = 10
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


# -- texts ----------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Labelled:
    """`origin`: the sentence as written, where `text` is what the recogniser made of it."""

    text: str
    kind: str
    intent: str
    origin: str

    @property
    def mark(self) -> int:
        """The same for the same written text."""
        return crc32(self.origin.encode())


def read_texts(folders: list[Path]) -> list[Labelled]:
    """Every labelled sentence of both languages. Raises UserError for a folder without them, or a file that is not as it should be."""
    rows: list[tuple[str, str, str]] = []
    for folder in folders:
        paths = sorted(folder.glob("*.yaml"))
        if not paths:
            raise UserError(f"{folder} holds no texts (en.yaml, zh.yaml): give --texts a folder of simulators/scenarios/texts.")
        for path in paths:
            try:
                content = read_yaml(path)
                rows += [(text, kind, "") for key, kind in LISTED.items() for text in content[key]]
                rows += [(text, "interruption", "redirect") for text in content.get("requests", [])]
                for intent, items in content["interruptions"].items():
                    rows += [(item if isinstance(item, str) else item["text"], "interruption", intent) for item in items]
            except (OSError, ValueError, yaml.YAMLError, KeyError, TypeError, AttributeError) as error:
                raise UserError(
                    f"{path} is not a file of labelled sentences ({' '.join(str(error).split())}); mend it."
                ) from None
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


def held_out(written: list[Labelled], heard: list[dict[str, Any]]) -> tuple[list[Labelled], list[Labelled]]:
    """What the sentence heads learn from, and what they do not see: one sentence in HELD_OUT_OF, what was heard of words to the assistant
    and to somebody else, and half of the backchannels and background voices that were heard."""
    spoken = {row["label_text"] for row in heard}

    def aside(one: Labelled) -> bool:
        if one.origin not in spoken:
            return one.mark % HELD_OUT_OF == 0
        return one.kind in ("interruption", "other_directed") or one.mark % 2 == 0

    texts = written + misheard(heard)
    return [one for one in texts if not aside(one)], [one for one in texts if aside(one)]


def trained_marks(path: Path = TURN / "meaning.npz") -> set[int]:
    with np.load(path, allow_pickle=False) as file:
        return set(file["trained"].tolist())


# -- the table ------------------------------------------------------------------------------------------------------------


def with_meaning(row: Mapping[str, Any], meaning: Meaning) -> Evidence:
    """The evidence of a row with what the heads make of its text."""
    evidence = Evidence(**row["evidence"])
    if not evidence.text.strip():
        return evidence
    found = meaning.read(evidence.text)
    return replace(evidence, meaning=found.kinds, intents=found.intents, sounds=found.sounds)


def text_rows(texts: list[Labelled], meaning: Meaning, seed: int = 1) -> list[dict[str, Any]]:
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
        topic = meaning.topic(one.text, said)
        evidence = Evidence(
            one.text, locale, confidence=0.75, no_speech=0.05, voiced_ms=length_ms + 200, turn=0.8, topic=topic, assistant_text=said,
            **known,
        )  # fmt: skip
        rows.append(row_of(evidence, one.kind, one.intent, one.origin, scenario="text"))
    return rows


WORDS_TELL = (
    "words", "understood", "complete", "to_other", "narrated", "question", "correction", "wake", "listed_backchannel", "listed_stop",
)  # fmt: skip


def table(heard: list[dict[str, Any]], texts: list[dict[str, Any]], meaning: Meaning, l2: float) -> None:
    """Fit on what was heard and on the written sentences; report on held-out folds of what was heard."""
    rows = heard + texts
    inputs = [features(with_meaning(row, meaning)) for row in rows]
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
    kept = read_yaml(path)
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
    """`meaning`, `intents` and `sounds` are left out: they are computed anew when the table is fitted."""
    content = asdict(replace(evidence, meaning={}, intents={}, sounds={}))
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
    try:
        written = read_texts(options.texts)
        heard = [row for path in options.rows for row in read_rows(path)]
        if not heard:
            raise UserError("there is not a row in --rows: make some with tools/judge_rows.py.")
    except UserError as error:
        print(f"tune_judge: {error}", file=sys.stderr)
        return 2
    trained = trained_marks()
    fresh = [row for row in heard if crc32(row["label_text"].encode()) not in trained]
    unseen = [one for one in written if one.mark not in trained]
    print(f"{len(fresh)} of {len(heard)} rows and {len(unseen)} of {len(written)} sentences are new to the heads", flush=True)
    meaning = load_meaning()
    table(fresh, text_rows(unseen, meaning), meaning, options.l2)
    return 0


if __name__ == "__main__":
    sys.exit(main())
