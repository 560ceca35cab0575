"""From text to what the synthesiser is given: clauses, then runs of one language with their sounds. Pure but for the lexicons.

Every run keeps the words as written beside their weight (how much of the run's sound is theirs), so that word times can be
estimated after synthesis. Does not know voices, samples or models.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ridealong.cloud.frontends.cascade import mandarin, numbers_en, numbers_zh
from ridealong.cloud.frontends.cascade.lexicon import ABBREVIATIONS, Lexicon
from ridealong.cloud.frontends.cascade.numbers_en import Reading

MAX_CLAUSE_CHARS = {"en": 160, "zh": 50}
FIRST_CLAUSE_CHARS = {"en": 32, "zh": 12}
"""A first clause longer than this is cut at its first comma: the sooner it is whole, the sooner sound begins."""
SHORTEST_CHARS = {"en": 8, "zh": 3}

_HAN = re.compile(r"[\u3400-\u9fff]")
_LATIN = re.compile(r"[A-Za-z\u00c0-\u024f]")
_SENTENCE = re.compile(r".*?(?:[.!?…]+[\"'”’)]*(?=\s|$)|[。！？]+[”’）]*|\n+|$)", re.DOTALL)
_COMMA = re.compile(r"[,;:](?=\s)|[，；：、]|\s[—–-]\s")
_WORD = re.compile(r"[^\W\d_](?:[\w'’-]*\w)?")
PUNCTUATION = {
    "。": ".", "，": ",", "、": ",", "？": "?", "！": "!", "；": ";", "：": ":", "“": "“", "”": "”", "（": "(", "）": ")", "…": "…", "—": "—", "–": "—",
    ".": ".", ",": ",", "?": "?", "!": "!", ";": ";", ":": ":", "(": "(", ")": ")", '"': '"',
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class SpokenWord:
    """A word as written, and its share of its run's sound (any unit, the same within a run)."""

    written: str
    weight: float


@dataclass(frozen=True, slots=True)
class Run:
    """Text of one language: its sounds in Kokoro's symbols and its words in order."""

    locale: str
    sounds: str
    words: tuple[SpokenWord, ...]


def clauses(text: str, locale: str) -> list[str]:
    """Text in pieces to be synthesised one after the other; joined (with spaces in English) they say the text again."""
    kind = "zh" if locale == "zh" else "en"
    found: list[str] = []
    for sentence in _sentences(text):
        limit = MAX_CLAUSE_CHARS[kind] if found else FIRST_CLAUSE_CHARS[kind]
        for clause in _cut(sentence, limit, MAX_CLAUSE_CHARS[kind], SHORTEST_CHARS[kind]):
            if any(char.isalnum() for char in clause):
                found.append(clause)
            elif found:
                found[-1] += clause
    return found


def _sentences(text: str) -> list[str]:
    found: list[str] = []
    for match in _SENTENCE.finditer(text):
        piece = match.group()
        last = found[-1].split()[-1].casefold() if found and found[-1].split() else ""
        if last in ABBREVIATIONS and not found[-1].endswith("\n"):
            found[-1] += piece
        elif piece:
            found.append(piece)
    return [piece.strip() for piece in found if piece.strip()]


def _cut(sentence: str, first_limit: int, limit: int, shortest: int) -> list[str]:
    """Cuts behind commas so that pieces stay below the limit; a piece with no comma is cut between words."""
    pieces: list[str] = []
    rest = sentence
    allowed = first_limit
    while len(rest) > allowed:
        ends = [match.end() for match in _COMMA.finditer(rest)]
        ends = [end for end in ends if end >= shortest and len(rest) - end >= shortest]
        fitting = [end for end in ends if end <= allowed]
        if pieces == [] and allowed == first_limit and first_limit < limit:
            end = ends[0] if ends and ends[0] <= limit else 0
        else:
            end = fitting[-1] if fitting else ends[0] if ends and ends[0] <= limit else 0
        if end == 0 and len(rest) > limit:
            space = rest.rfind(" ", shortest, limit)
            end = space if space > 0 else limit
        if end == 0:
            break
        pieces.append(rest[:end].strip())
        rest = rest[end:].strip()
        allowed = limit
    return [*pieces, rest] if rest else pieces


def runs(clause: str, locale: str, lexicon: Lexicon) -> list[Run]:
    """A clause in runs of one language. Numbers are read in the clause's main language."""
    main = _main_locale(clause, locale)
    numbers = numbers_zh.readings(clause) if main == "zh" else numbers_en.readings(clause)
    found = []
    for start, end, language in _spans(clause, main, numbers):
        inside = [Reading(one.start - start, one.end - start, one.spoken) for one in numbers if start <= one.start < end]
        build = chinese_value if language == "zh" else _english
        run = build(clause[start:end], inside, lexicon)
        if any(symbol not in ' .,;:!?—…"()“”' for symbol in run.sounds):
            found.append(run)
        elif found and run.words:
            found[-1] = Run(found[-1].locale, found[-1].sounds, (*found[-1].words, *run.words))
    return found


def _main_locale(clause: str, locale: str) -> str:
    han, latin = len(_HAN.findall(clause)), len(_LATIN.findall(clause))
    if locale == "zh":
        return "zh" if han or not latin else "en"
    return "zh" if han * 2 > latin else "en"


def _spans(clause: str, main: str, numbers: Sequence[Reading]) -> list[tuple[int, int, str]]:
    """(start, end, language) by script; digits and punctuation stay with what they stand behind."""
    language_at = {at: main for reading in numbers for at in range(reading.start, reading.end)}
    found: list[tuple[int, int, str]] = []
    for at, char in enumerate(clause):
        language = language_at.get(at) or ("zh" if _HAN.match(char) else "en" if _LATIN.match(char) else None)
        if language is None:
            language = found[-1][2] if found else main
        if found and found[-1][2] == language:
            found[-1] = (found[-1][0], at + 1, language)
        else:
            found.append((at, at + 1, language))
    return found


def _english(text: str, numbers: list[Reading], lexicon: Lexicon) -> Run:
    """Written tokens are split at spaces; a reading that spans several of them makes them one."""
    tokens: list[tuple[int, int]] = []
    for match in re.finditer(r"\S+", text):
        joined = tokens and any(one.start < tokens[-1][1] and one.end > match.start() for one in numbers)
        if joined:
            tokens[-1] = (tokens[-1][0], match.end())
        else:
            tokens.append((match.start(), match.end()))
    spoken = [_spoken(text, start, end, numbers) for start, end in tokens]
    spoken = [_unabbreviated(token, last=at == len(spoken) - 1) for at, token in enumerate(spoken)]
    said = iter(lexicon.sentence([word for token in spoken for word in _WORD.findall(token)]))
    pieces, words = [], []
    for (start, end), token in zip(tokens, spoken, strict=True):
        sounds, at, parts = "", 0, []
        for match in _WORD.finditer(token):
            parts.append(_marks(token[at : match.start()]))
            parts.append((" " if parts[-1] == "" and len(parts) > 1 else "") + next(said))
            at = match.end()
        parts.append(_marks(token[at:]))
        sounds = "".join(parts)
        pieces.append(sounds)
        words.append(SpokenWord(text[start:end], len(sounds) + 1.0))
    return Run("en", " ".join(piece for piece in pieces if piece), tuple(words))


def _unabbreviated(token: str, last: bool) -> str:
    word = ABBREVIATIONS.get(token.casefold())
    if word is None or (token.casefold() == "no." and last):
        return token
    return word + ("." if last else "")


def chinese_value(text: str, numbers: list[Reading], lexicon: Lexicon) -> Run:
    """Written tokens are jieba's words and whole readings; punctuation belongs to the token before it."""
    del lexicon
    spoken = _spoken(text, 0, len(text), numbers)
    sounds: list[str] = []
    for part in re.findall(r"[\u3400-\u9fff]+|[^\u3400-\u9fff]", spoken):
        if _HAN.match(part):
            sounds.append(mandarin.sounds(part))
        elif part in PUNCTUATION:
            sounds.append(PUNCTUATION[part])
    words: list[SpokenWord] = []
    at = 0
    for reading in [*numbers, Reading(len(text), len(text), "")]:
        for word in mandarin.words(text[at : reading.start]):
            if words and not _HAN.search(word):
                words[-1] = SpokenWord(words[-1].written + word, words[-1].weight + 0.5)
            else:
                words.append(SpokenWord(word, max(0.5, float(len(_HAN.findall(word))))))
        if reading.spoken:
            words.append(SpokenWord(text[reading.start : reading.end], float(len(reading.spoken))))
        at = reading.end
    return Run("zh", " ".join(sounds).replace(" ,", ",").replace(" .", ".").strip(), tuple(words))


def _spoken(text: str, start: int, end: int, numbers: Sequence[Reading]) -> str:
    """text[start:end] with its readings in place, set off from letters and digits that they touch."""
    parts: list[str] = []
    at = start
    for one in numbers:
        if one.end <= start or one.start >= end:
            continue
        before = text[at : one.start]
        parts += [
            before,
            " " if before[-1:].isalnum() else "",
            one.spoken,
            " " if text[one.end : min(end, one.end + 1)].isalpha() else "",
        ]
        at = one.end
    spoken = "".join([*parts, text[at:end]])
    return spoken if not _HAN.search(spoken) else spoken.replace(" ", "")


def _marks(text: str) -> str:
    return "".join(PUNCTUATION.get(char, " " if char in "-/_" else "") for char in text)
