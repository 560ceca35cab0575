"""What is known of one stretch of speech while it is judged, and the figures made of it. Pure.

`features(evidence)` gives every input of the scored combination as a number of about unit size; what is unknown is 0 and has no say.
Does not know: models, audio, skills by name, or the weights.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import SequenceMatcher

from pypinyin import lazy_pinyin

from ridealong.harness.quoting import content

ASKED_MS = 8_000
AMID_TALK_MS = 1_500
ECHO_SHARE = 0.7
ECHO_TOKENS = 3
SOUND_SHARE = 0.75
DOUBTED, NO_SPEECH = 0.4, 0.5
UNLEARNT_MS, UNLEARNT_SOUND_SHARE = 2_500, 0.6
"""So soon after the assistant's first word in a session the device's canceller knows little of the room: what sounds like us is us."""
SURE = 0.6  # a recogniser that is surer than this heard words, not their echo
LEAST_LETTERS = 12
SIMILARITY_FROM_MS = 500
"""Less voice than this says nothing of whose it is."""
SAME_VOICE = 0.72
"""Cosine at which a voice is as likely the known one as another (measured on the tuning voices)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What words alone tell.

    `words` 0..1: how much the router takes them for a request. `understood`: it would act, answer or ask back. `complete`: it would
    act at once. `thanks`: nothing but thanks. `meaning`, `intents`: margins of each class by the tuned sentence encoder; `sounds`: of each kind by
    how the words sound. `topic`: cosine of the sentence
    with what the assistant is saying.
    """

    words: float = 0.0
    understood: bool = False
    complete: bool = False
    to_other: bool = False
    narrated: bool = False
    question: bool = False
    correction: bool = False
    wake: bool = False
    thanks: bool = False
    listed_backchannel: bool = False
    listed_stop: bool = False
    meaning: Mapping[str, float] = field(default_factory=dict)
    intents: Mapping[str, float] = field(default_factory=dict)
    sounds: Mapping[str, float] = field(default_factory=dict)
    topic: float | None = None


@dataclass(frozen=True, slots=True)
class Evidence(Reading):
    """Of one utterance, whole (`final`) or so far: what its words tell, and the rest.

    `assistant_text`: what the assistant says, or what it said last. `similarity`: cosine of the voice with the known user's, None when
    either is unknown. `turn`: the turn model's probability that the speaker has finished. `ms_since_request`: since the user last said something
    to the assistant; `ms_since_first_word`: since the assistant's first sound in this session (the beginning
    of an utterance is taken a little early: some ms below 0). Levels in dBFS.
    """

    text: str
    locale: str
    final: bool = True
    overlap: bool = True
    confidence: float = 1.0
    no_speech: float = 0.0
    voiced_ms: float = 0.0
    turn: float | None = None
    level_db: float = -30.0
    usual_level_db: float | None = None
    similarity: float | None = None
    same_language: float | None = None
    """As `similarity`, with what the user has said in this language alone: across languages prints compare badly."""
    assistant_text: str = ""
    ms_since_question: float = 1e9
    ms_since_speech: float = 1e9
    ms_since_talk: float = 1e9
    ms_since_request: float = 1e9
    ms_since_first_word: float = 1e9


def features(evidence: Evidence) -> dict[str, float]:
    """The inputs by name; the table in weights.yaml has a row for each."""
    words = word_count(evidence.text)
    level = 0.0 if evidence.usual_level_db is None else _within((evidence.level_db - evidence.usual_level_db) / 10, -2.0, 1.0)
    voice = 0.0
    if evidence.similarity is not None and evidence.voiced_ms >= SIMILARITY_FROM_MS:
        voice = _within((evidence.similarity - SAME_VOICE) * 6, -2.0, 1.5)
    found = {
        "bias": 1.0,
        "so_far": 0.0 if evidence.final else 1.0,
        "no_words": float(words == 0),
        "one_word": float(words == 1),
        "length": min(words, 30) / 10,
        "long": float(words > 14),
        "voiced": min(evidence.voiced_ms, 4_000) / 2_000,
        "words_per_s": _within(words * 1000 / max(evidence.voiced_ms, 200) / 4, 0.0, 2.0),
        "doubt": 1.0 - evidence.confidence,
        "no_speech": evidence.no_speech,
        "turn": 0.0 if evidence.turn is None else evidence.turn - 0.5,
        "level": level,
        "voice": voice,
        "request": evidence.words,
        "understood": float(evidence.understood),
        "complete": float(evidence.complete),
        "to_other": float(evidence.to_other),
        "narrated": float(evidence.narrated),
        "question": float(evidence.question),
        "correction": float(evidence.correction),
        "wake": float(evidence.wake),
        "listed_backchannel": float(evidence.listed_backchannel),
        "listed_stop": float(evidence.listed_stop),
        "topic": 0.0 if evidence.topic is None or words < 2 else _within((evidence.topic - 0.82) * 20, -1.5, 1.5),
        "shared": min(2.0, len(content(evidence.text) & content(evidence.assistant_text)) / 2),
        "stop_words": stop_share(evidence.text),
        "asked": float(evidence.ms_since_question < ASKED_MS),
        "amid_talk": float(evidence.ms_since_talk < AMID_TALK_MS),
    }
    for name, odds in evidence.meaning.items():
        found[f"means_{name}"] = _within(odds / 3, -2.0, 2.0) if words else 0.0
    for name, odds in evidence.sounds.items():
        found[f"sounds_{name}"] = _within(odds / 3, -2.0, 2.0) if words else 0.0
    for name, odds in evidence.intents.items():
        found[f"intends_{name}"] = _within(odds / 3, -2.0, 2.0) if words else 0.0
    return found


def stop_share(text: str) -> float:
    """How much of the words belongs to asking for silence or an end, 0..1."""
    found = sum(word_count(match) for match in _STOP_EN.findall(text.lower())) + sum(
        word_count(match) for match in _STOP_ZH.findall(text)
    )
    return min(1.0, found / max(word_count(text), 1))


_STOP_EN = re.compile(
    r"\b(?:stop|enough|quiet|silence|silent|hush|shush|shut|cancel|skip|mute|pause|halt|wait|forget it|forget about it|never mind|nevermind|leave it|drop it|"
    r"no more|don't need|hold on|hang on|that'll do|that will do|talking|reading)\b"
)
_STOP_ZH = re.compile(
    r"停|打住|够了|行了|算了|别[^，。！？]{0,2}[说讲念读播报]|不用[说讲念读了]|闭嘴|安静|取消|别吵|不听了|住口|先等|等等|等一下|到这[儿里]|到此为止"
)


def invented(evidence: Evidence) -> bool:
    """What the recogniser makes of murmur and music: words that it doubts while it hears no speech either (none of 249 interruptions of the tuning
    rides was so), and stock phrases that it doubts (a person's "thank you" it hears surely)."""
    if evidence.confidence < DOUBTED and evidence.no_speech > NO_SPEECH:
        return True
    return (
        evidence.confidence < SURE
        and _STOCK.fullmatch(re.sub(r"[^a-z\u4e00-\u9fff]+", " ", evidence.text.lower()).strip()) is not None
    )


_STOCK = re.compile(
    r"(?:(?:thank you|thanks)(?: (?:so much|very much|for watching|for listening|for your time))*(?: (?:see you|bye|i ll see you)(?: next time| in the next (?:video|one))?)?"
    r"|(?:bye )*bye|you|(?:please )?subscribe|see you next time|(?:谢谢|感谢)(?:大家|您的?|你的?|观看|收看|收听| )*|(?:请|谢谢)?(?:订阅|点赞|订阅 点赞)|字幕.{0,12}|下次再见)"
)


def own_voice(evidence: Evidence) -> bool:
    """The words are what the assistant says, or, when it is silent, wholly a run of what it said last: the second line against hearing
    oneself, behind the device's echo canceller. A voice that is known as the user's may repeat our words."""
    if evidence.similarity is not None and evidence.similarity >= SAME_VOICE:
        return False
    if echoes(evidence.text, evidence.assistant_text, ECHO_SHARE if evidence.overlap else 1.0):
        return True
    if not evidence.overlap:
        return False
    alike = sounds_like(evidence.text, evidence.assistant_text)
    if evidence.ms_since_first_word < UNLEARNT_MS and alike >= UNLEARNT_SOUND_SHARE:
        return True
    return evidence.confidence < SURE and alike >= SOUND_SHARE


def sounds_like(text: str, said: str) -> float:
    """How alike the text sounds to the stretch of `said` that is most like it, 0..1 (letters; Chinese as syllables without tones): the
    recogniser makes other words of a faint echo, but of the same sound. 0 for less than LEAST_LETTERS."""
    heard, ours = _letters(text), _letters(said)
    if len(heard) < LEAST_LETTERS or not ours:
        return 0.0
    best = 0.0
    for start in range(0, max(1, len(ours) - len(heard) + 1), 2):
        best = max(best, SequenceMatcher(None, heard, ours[start : start + len(heard)], autojunk=False).ratio())
    return best


def _letters(text: str) -> str:
    found = re.findall(r"[a-z0-9]+|[\u4e00-\u9fff]+", text.lower())
    return "".join("".join(lazy_pinyin(run)) if run[0] >= "\u4e00" else run for run in found)


def echoes(text: str, said: str, share: float = ECHO_SHARE) -> bool:
    """So much of the words are what the assistant itself says, in its order; at least three words."""
    tokens = re.findall(r"[a-z0-9']+|[\u4e00-\u9fff]", text.lower())
    source = re.findall(r"[a-z0-9']+|[\u4e00-\u9fff]", said.lower())
    if len(tokens) < ECHO_TOKENS or not source:
        return False
    pairs = set(zip(source[:-1], source[1:], strict=True))
    common = sum(pair in pairs for pair in zip(tokens[:-1], tokens[1:], strict=True))
    return common >= share * (len(tokens) - 1)


def word_count(text: str) -> int:
    """Words, a Chinese character counting as two thirds of one."""
    cjk = len(re.findall(r"[\u4e00-\u9fff]", text))
    return len(re.findall(r"[A-Za-z0-9']+", text)) + math.ceil(cjk * 2 / 3)


def _within(value: float, low: float, high: float) -> float:
    return max(low, min(high, value))
