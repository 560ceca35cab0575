"""Who was that for, and what follows: the judgement over an utterance. Pure.

A scored combination: the words (how much they look like a request to this assistant), the recogniser's own confidence, level against
the usual near voice, whether the assistant was speaking, and whether it had just asked something. The weights stand in one table.

Does not know: models, audio, skills by name. Thin in this version: no voice identity, no prosody (issue 3).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ridealong.cloud.frontends.base import Addressee, VerdictKind

# What moves the score, and by how much. A score of at least ADDRESSED means: said to the assistant.
WEIGHTS = {
    "words": 1.0,  # 0..1 from the router: imperative, request, question about the car, wake name; others' names and prose lower it
    "answers_us": 0.35,  # the assistant asked a question within the last seconds
    "follows_us": 0.15,  # the assistant's last word was within the last seconds
    "low_confidence": -0.35,  # the recogniser doubts it
    "far": -0.15,  # much softer than the usual near voice
    "no_speech": -0.6,
    "amid_talk": -0.15,  # others had just been talking: a fragment of theirs is likelier than a weak request
    "long": -0.2,  # a talk of many words without a pause is seldom a request
}
ADDRESSED = 0.5
LOW_CONFIDENCE = 0.35
FAR_DB = 12.0
AMID_TALK_MS = 1_500
LONG_WORDS = 28
ECHO_SHARE = 0.7


@dataclass(frozen=True, slots=True)
class Evidence:
    """What is known of one utterance. `words_score` 0..1; `understood`: the router would act on it or answer it."""

    text: str
    locale: str
    confidence: float
    no_speech: float
    level_db: float
    usual_level_db: float | None
    words_score: float
    understood: bool
    backchannel: bool
    overlap: bool
    assistant_text: str = ""
    ms_since_question: float = 1e9
    ms_since_speech: float = 1e9
    ms_since_talk: float = 1e9  # since words that were not for us


@dataclass(frozen=True, slots=True)
class Judgement:
    addressee: Addressee
    verdict: VerdictKind
    score: float
    reason: str


def judge(evidence: Evidence) -> Judgement:
    """The addressee, and the verdict if this was an overlap."""
    if not evidence.text.strip() or evidence.no_speech > 0.85:
        return Judgement(Addressee.NOBODY, VerdictKind.NOISE, 0.0, "no words")
    if evidence.overlap and echoes(evidence.text, evidence.assistant_text):
        return Judgement(Addressee.NOBODY, VerdictKind.NOISE, 0.0, "own voice")
    asked = evidence.ms_since_question < 8_000
    if evidence.backchannel and not asked:
        return Judgement(Addressee.NOBODY, VerdictKind.BACKCHANNEL, 0.0, "backchannel")
    score = WEIGHTS["words"] * evidence.words_score
    score += WEIGHTS["answers_us"] * asked
    score += WEIGHTS["follows_us"] * (evidence.ms_since_speech < 4_000)
    score += WEIGHTS["low_confidence"] * (evidence.confidence < LOW_CONFIDENCE)
    score += WEIGHTS["no_speech"] * (evidence.no_speech > 0.6)
    score += WEIGHTS["amid_talk"] * (evidence.ms_since_talk < AMID_TALK_MS and not asked)
    score += WEIGHTS["long"] * (word_count(evidence.text) > LONG_WORDS)
    if evidence.usual_level_db is not None:
        score += WEIGHTS["far"] * (evidence.usual_level_db - evidence.level_db > FAR_DB)
    if score >= ADDRESSED and evidence.understood:
        return Judgement(Addressee.ASSISTANT, VerdictKind.INTERRUPTION, score, "addressed")
    if word_count(evidence.text) > LONG_WORDS // 2:
        return Judgement(Addressee.OTHER, VerdictKind.BACKGROUND, score, "talk")
    return Judgement(
        Addressee.OTHER, VerdictKind.OTHER_DIRECTED, score, "not for us" if evidence.understood else "not understood"
    )


def word_count(text: str) -> int:
    """Words, a Chinese character counting as two thirds of one."""
    cjk = len(re.findall(r"[\u4e00-\u9fff]", text))
    return len(re.findall(r"[A-Za-z0-9']+", text)) + cjk * 2 // 3


def echoes(text: str, said: str) -> bool:
    """Most of the words are what the assistant itself is saying, in its order: the second line against hearing oneself."""
    tokens = re.findall(r"[a-z0-9']+|[\u4e00-\u9fff]", text.lower())
    source = re.findall(r"[a-z0-9']+|[\u4e00-\u9fff]", said.lower())
    if len(tokens) < 3 or not source:
        return False
    pairs = set(zip(source[:-1], source[1:], strict=True))
    common = sum(pair in pairs for pair in zip(tokens[:-1], tokens[1:], strict=True))
    return common >= ECHO_SHARE * (len(tokens) - 1)
