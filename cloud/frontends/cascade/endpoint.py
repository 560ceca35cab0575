"""Has the turn ended? From what is known of a silence to how long it must last. Pure: `decide(evidence) -> Decision`.

A logistic score over the turn model's probability (weighed by language: it is unsure of Chinese) and the words: a whole request, a
dangling last word, a filler, the recogniser's own punctuation. The score is the probability that the speaker has finished, and a
table says how long to wait at which probability. The weights were fitted on one set of texts and voices and are reported on another
(tests/bench/bench_endpoint.py).

Does not know audio, models, clocks, or what the words mean.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

# What moves the score (log odds of "finished"), and by how much.
WEIGHTS: dict[str, float] = {
    "bias": -2.0,
    "turn.en": 0.35,  # times the log odds of the turn model's probability
    "turn.zh": 0.45,
    "turn_unknown": 0.0,
    "complete": 2.8,  # the words are a whole request
    "dangling": -2.1,  # they end in a word that wants another: "turn on the", 把, 调到
    "filler": -1.5,  # "um", 那个; few in the fit, since the recogniser drops most
    "open": -1.1,  # the recogniser heard them go on: a comma, a dash, three dots
    "closed": 0.8,  # … or end: a full stop, a question mark
    "lone": 0.3,  # a single word
}
WAITS: tuple[tuple[float, float], ...] = (
    (0.65, 224.0),
    (0.5, 320.0),
    (0.35, 576.0),
    (0.2, 900.0),
    (0.0, 1_400.0),
)
"""(at least this probability, so long a silence in ms), from the surest down."""
UNSIGNED_MS = 1_000.0
"""Longer than this only where the words themselves show that more is to come."""
UNHEARD_MS = 900.0
"""Without knowing the words, silence alone must last so long."""
LOG_ODDS_LIMIT = 4.0

_WORD = re.compile(r"[a-z']+|[0-9][0-9.,:]*|[\u4e00-\u9fff]")
_DANGLING_EN = frozenset(
    [
        "a",
        "an",
        "the",
        "to",
        "of",
        "for",
        "and",
        "or",
        "but",
        "with",
        "at",
        "in",
        "on",
        "by",
        "from",
        "into",
        "about",
        "my",
        "your",
        "his",
        "her",
        "its",
        "our",
        "their",
        "this",
        "these",
        "that's",
        "is",
        "are",
        "was",
        "were",
        "be",
        "please",
        "set",
        "turn",
        "make",
        "put",
        "can",
        "could",
        "would",
        "will",
        "you",
        "i",
        "we",
        "if",
        "when",
        "than",
        "as",
        "set",
        "what's",
        "the's",
        "between",
        "around",
        "very",
        "more",
        "than",
    ]
) - {"please", "on", "in", "you", "more"}
_FILLERS_EN = frozenset(["um", "uh", "er", "erm", "hmm", "uhm", "well", "so", "like", "let's", "see"]) - {
    "see",
    "let's",
    "like",
    "well",
}
_DANGLING_ZH = ("把", "将", "给", "到", "调到", "调成", "设为", "设成", "改成", "的", "和", "跟", "还有", "以及", "请", "帮我", "让", "在", "从", "往", "向", "左", "右", "后", "前", "我想", "我要", "一个", "百分之", "点", "是", "呢我")  # fmt: skip
_FILLERS_ZH = ("嗯", "呃", "额", "那个", "这个", "就是", "啊那", "然后")
_OPEN = re.compile(r"(?:[,，、;；:：—–-]|\.{2,}|…)\s*$")
_CLOSED = re.compile(r"(?:(?<!\.)\.|[?!。？！])\s*$")


@dataclass(frozen=True, slots=True)
class Evidence:
    """What is known in a silence. `turn`: the turn model's probability; `text` None: not recognised yet; `complete`: a whole request."""

    locale: str
    turn: float | None = None
    text: str | None = None
    complete: bool = False


@dataclass(frozen=True, slots=True)
class Decision:
    """`probability` that the speaker has finished; the turn ends when the silence has lasted `wait_ms`."""

    probability: float
    wait_ms: float


def features(evidence: Evidence) -> dict[str, float]:
    """The inputs of the score, by the names of WEIGHTS."""
    locale = "zh" if evidence.locale.startswith("zh") else "en"
    found = {"bias": 1.0}
    if evidence.turn is None:
        found["turn_unknown"] = 1.0
    else:
        found[f"turn.{locale}"] = _log_odds(evidence.turn)
    if evidence.text is None:
        return found
    text = evidence.text.strip().casefold()
    words = _WORD.findall(text)
    bare = "".join(char for char in text if char.isalnum() or char in " '")
    found |= {
        "complete": float(evidence.complete),
        "dangling": float(_ends_with(words, bare, _DANGLING_EN, _DANGLING_ZH)),
        "filler": float(_ends_with(words, bare, _FILLERS_EN, _FILLERS_ZH)),
        "open": float(bool(_OPEN.search(text))),
        "closed": float(bool(_CLOSED.search(text))),
        "lone": float(len(words) <= 1),
    }
    return found


def decide(evidence: Evidence) -> Decision:
    found = features(evidence)
    probability = 1 / (1 + math.exp(-sum(WEIGHTS[name] * value for name, value in found.items())))
    wait_ms = next(wait for least, wait in WAITS if probability >= least)
    if not going_on(evidence):
        wait_ms = min(wait_ms, UNSIGNED_MS)
    return Decision(probability, max(wait_ms, UNHEARD_MS) if evidence.text is None else wait_ms)


def going_on(evidence: Evidence) -> bool:
    """The words themselves show that more is to come."""
    found = features(evidence)
    return any(found.get(name) for name in ("dangling", "filler", "open"))


def _log_odds(probability: float) -> float:
    clipped = min(max(probability, 1e-3), 1 - 1e-3)
    return max(-LOG_ODDS_LIMIT, min(LOG_ODDS_LIMIT, math.log(clipped / (1 - clipped))))


def _ends_with(words: list[str], bare: str, english: frozenset[str], chinese: tuple[str, ...]) -> bool:
    if not words:
        return False
    return words[-1] in english or bare.replace(" ", "").endswith(chinese)
