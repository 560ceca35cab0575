"""What is it, over our speech: noise, a backchannel, words for somebody else, other voices, or an interruption, and of which intent? Pure.

A scored combination: every input of `evidence.features` times its weight in `weights.yaml`. While somebody still speaks, a verdict needs
a high probability (`early_…`); at the end the likeliest class is the verdict, an interruption only above its own threshold.

Latency budget from the end of the words: uplink part 100 ms, recognition 300 ms, voice print 20 ms, sentence embedding 15 ms, this
table < 1 ms. Early verdicts come on partial transcripts, about every 320 ms of voice.

Does not know: models, audio, epochs, or what follows from a verdict.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from ridealong.cloud.frontends.base import Addressee, Intent, VerdictKind
from ridealong.cloud.turn.evidence import Evidence, features, invented, own_voice
from ridealong.cloud.turn.table import Weights, load_weights

SILENT = 0.85
EARLY_FROM_MS = 700
EARLY_CONFIDENCE = 0.5
WORDLESS_MS = 1_500
NO_WORDS = 0.5
_WEIGHTS: list[Weights] = []


@dataclass(frozen=True, slots=True)
class Judgement:
    """`verdict` None: not sure enough yet. `probability` is the verdict's, or the likeliest class's."""

    verdict: VerdictKind | None
    likeliest: VerdictKind
    probability: float
    intent: Intent | None
    reason: str

    @property
    def addressee(self) -> Addressee:
        match self.likeliest:
            case VerdictKind.INTERRUPTION:
                return Addressee.ASSISTANT
            case VerdictKind.OTHER_DIRECTED | VerdictKind.BACKGROUND:
                return Addressee.OTHER
            case _:
                return Addressee.NOBODY


def judge(evidence: Evidence, weights: Weights | None = None) -> Judgement:
    """The verdict over an overlap."""
    weights = weights if weights is not None else _weights()
    if evidence.final and (not evidence.text.strip() or evidence.no_speech > SILENT):
        return Judgement(VerdictKind.NOISE, VerdictKind.NOISE, 1.0, None, "no words")
    if not evidence.final and not evidence.text.strip() and evidence.voiced_ms >= WORDLESS_MS and evidence.no_speech > NO_WORDS:
        return Judgement(VerdictKind.NOISE, VerdictKind.NOISE, evidence.no_speech, None, "no words for long")
    if invented(evidence):
        return Judgement(VerdictKind.NOISE if evidence.final else None, VerdictKind.NOISE, 1.0, None, "made up by the recogniser")
    if own_voice(evidence):
        return Judgement(VerdictKind.NOISE, VerdictKind.NOISE, 1.0, None, "own voice")
    inputs = features(evidence)
    shares = weights.kinds.probabilities(inputs)
    weighed = {kind: share * math.exp(weights.prior.get(kind, 0.0)) for kind, share in shares.items()}
    whole = sum(weighed.values())
    shares = {kind: share / whole for kind, share in weighed.items()}
    best = max(shares, key=lambda kind: shares[kind])
    if shares[VerdictKind.INTERRUPTION.value] >= weights.interruption:
        best = VerdictKind.INTERRUPTION.value
    elif best == VerdictKind.INTERRUPTION.value:
        best = max((kind for kind in shares if kind != best), key=lambda kind: shares[kind])
    kind = VerdictKind(best)
    share = shares[best]
    intent = None
    if kind is VerdictKind.INTERRUPTION:
        intents = weights.intents.scores(inputs)
        intent = Intent(max(intents, key=lambda one: intents[one]))
    taken = shares[VerdictKind.INTERRUPTION.value]
    enough = taken >= weights.early_interruption if kind is VerdictKind.INTERRUPTION else 1 - taken >= weights.early_other
    sure = evidence.final or (enough and _trusted(evidence))
    return Judgement(kind if sure else None, kind, share, intent, "scored")


def _trusted(evidence: Evidence) -> bool:
    """The first guesses at a sentence that goes on are often another sentence ("Stop … kicking him"): an early verdict wants enough of it."""
    if not evidence.text.strip() or evidence.confidence < EARLY_CONFIDENCE:
        return False
    return evidence.voiced_ms >= EARLY_FROM_MS


def _weights() -> Weights:
    if not _WEIGHTS:
        _WEIGHTS.append(load_weights())
    return _WEIGHTS[0]
