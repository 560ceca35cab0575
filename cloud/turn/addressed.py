"""For whom is it, when the assistant is silent? A small scored combination. Pure.

The words (how much they look like a request to this assistant), what the tuned sentence encoder makes of them, the recogniser's own
confidence, level and voice against the known user's, and whether the assistant had just asked something. The weights stand in one table.
(Over the assistant's speech: judge.py.)

Does not know: models, audio, skills by name.
"""

from __future__ import annotations

from collections.abc import Mapping

from ridealong.cloud.frontends.base import Addressee, VerdictKind
from ridealong.cloud.turn.evidence import AMID_TALK_MS, ASKED_MS, Evidence, invented, own_voice, word_count

# What moves the score, and by how much. A score of at least ADDRESSED means: said to the assistant.
WEIGHTS = {
    "words": 1.0,  # 0..1 from the router: imperative, request, question about the car, wake name; others' names and prose lower it
    "answers_us": 0.35,  # the assistant asked a question within the last seconds
    "follows_us": 0.15,  # the assistant's last word was within the last seconds
    "low_confidence": -0.35,  # the recogniser doubts it
    "far": -0.15,  # much softer than the usual near voice
    "other_voice": -0.15,  # clearly not the voice that usually asks: a passenger may ask, but clearly
    "no_speech": -0.6,
    "amid_talk": -0.15,  # others had just been talking: a fragment of theirs is likelier than a weak request
    "long": -0.2,  # a talk of many words without a pause is seldom a request
}
ADDRESSED = 0.5
LOW_CONFIDENCE = 0.35
FAR_DB = 12.0
OTHER_VOICE = 0.6
VOICE_FROM_MS = 800
LONG_WORDS = 28
FOR_OTHERS = -2.0
"""Margin of the sentence encoder below which words are for people, whatever a skill could do with them ("Close your window, the baby's in a
draught"). On held-out tuning sentences: words to others taken to be ours .062 without it, .028 with it."""
FOR_US, SOUNDS_FOR_US, WORDS_FOR_US = 1.5, 0.5, 0.75
"""Margins of the encoder, and of the words' sound, above which words are for us although no skill knows them; they then count as much as a
plain request. Held-out requests taken to be ours: .32 without it, .68 with it."""
SILENT = 0.85
CONVERSATION_MS = 60_000
"""Thanks are for somebody who did something: without a request before, they are said to others (or made up of a crowd's murmur)."""


def addressee(evidence: Evidence) -> Addressee:
    """ASSISTANT: to be acted on. NOBODY: nothing was said, or a listening sound."""
    if not evidence.text.strip() or evidence.no_speech > SILENT or invented(evidence):
        return Addressee.NOBODY
    asked = evidence.ms_since_question < ASKED_MS
    if (evidence.listed_backchannel or own_voice(evidence)) and not asked:
        return Addressee.NOBODY
    if evidence.thanks and not evidence.wake and evidence.ms_since_request > CONVERSATION_MS:
        return Addressee.OTHER
    if not asked and not evidence.wake and _margin(evidence.meaning) <= FOR_OTHERS:
        return Addressee.OTHER
    known = evidence.understood or clearly_ours(evidence)
    return Addressee.ASSISTANT if score(evidence) >= ADDRESSED and known else Addressee.OTHER


def clearly_ours(evidence: Evidence) -> bool:
    """By what the sentence means, whether or not a skill knows it."""
    if evidence.to_other or evidence.narrated or evidence.thanks:
        return False
    return _margin(evidence.meaning) >= FOR_US and _margin(evidence.sounds) >= SOUNDS_FOR_US


def _margin(odds: Mapping[str, float]) -> float:
    """Of words to the assistant; 0 where no model says."""
    return odds.get(VerdictKind.INTERRUPTION.value, 0.0)


def score(evidence: Evidence) -> float:
    asked = evidence.ms_since_question < ASKED_MS
    total = WEIGHTS["words"] * (max(evidence.words, WORDS_FOR_US) if clearly_ours(evidence) else evidence.words)
    total += WEIGHTS["answers_us"] * asked
    total += WEIGHTS["follows_us"] * (evidence.ms_since_speech < 4_000)
    total += WEIGHTS["low_confidence"] * (evidence.confidence < LOW_CONFIDENCE)
    total += WEIGHTS["no_speech"] * (evidence.no_speech > 0.6)
    total += WEIGHTS["amid_talk"] * (evidence.ms_since_talk < AMID_TALK_MS and not asked)
    total += WEIGHTS["long"] * (word_count(evidence.text) > LONG_WORDS)
    if evidence.usual_level_db is not None:
        total += WEIGHTS["far"] * (evidence.usual_level_db - evidence.level_db > FAR_DB)
    if evidence.similarity is not None and evidence.voiced_ms >= VOICE_FROM_MS:
        total += WEIGHTS["other_voice"] * (evidence.similarity < OTHER_VOICE)
    return total
