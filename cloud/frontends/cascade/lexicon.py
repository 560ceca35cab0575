"""How an English word is pronounced, in Kokoro's symbols: dictionaries read as data, suffix rules, then letters.

The dictionaries have no part of speech in them for us to find; where a word has several pronunciations, its neighbours decide
("to record" is a verb, "the record" is not). Does not know numbers (`numbers_en.py`), punctuation or Chinese.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

from ridealong.cloud.frontends.cascade import letters

Entry = str | dict[str, str | None]

BEFORE_VERB = frozenset((
    "to", "i", "you", "we", "they", "will", "can", "could", "should", "would", "shall", "must", "may", "might", "please",
    "not", "don't", "didn't", "let's", "and", "then", "now", "i'll", "you'll", "we'll",
))  # fmt: skip
BEFORE_NOUN = frozenset((
    "the", "a", "an", "this", "that", "my", "your", "his", "her", "its", "our", "their", "of", "no", "any", "some", "each",
    "every", "in", "on", "at", "for", "from",
))  # fmt: skip
BEFORE_PARTICIPLE = frozenset((
    "have", "has", "had", "was", "were", "been", "being", "is", "are", "be", "i've", "you've", "we've", "having",
))  # fmt: skip

NAMES: dict[str, str] = {
    "ridealong": "ɹˈIdəlˌɔŋ",
    "vss": "vˌiˌɛsˈɛs",
    "wi-fi": "wˈIfˌI",
    "a/c": "ˌAsˈi",
    "strasse": "ʃtɹˈɑsə",
    "straße": "ʃtɹˈɑsə",
    "xiaoxiao": "ʃˌWʃˈW",
    "beijing": "bˌAʤˈɪŋ",
    "tesla": "tˈɛslə",
}
ABBREVIATIONS: dict[str, str] = {
    "mr.": "mister", "mrs.": "missis", "ms.": "miz", "dr.": "doctor", "st.": "street", "rd.": "road", "ave.": "avenue", "no.": "number",
    "etc.": "et cetera", "e.g.": "for example", "i.e.": "that is", "vs.": "versus", "approx.": "approximately",
}  # fmt: skip

_VOICELESS = "ptkfθ"
_HISSING = "szʃʒʧʤ"
_APOSTROPHES = str.maketrans({"’": "'", "‘": "'", "`": "'"})
ESPEAK_TIMEOUT_S = 2.0


class Lexicon:
    """Thread-safe after construction. `unknown` counts words that only the letter rules could say."""

    def __init__(self, gold: Path, silver: Path, espeak: bool = False) -> None:
        """`espeak`: ask the espeak-ng program about unknown words, where it is installed. It is never a dependency."""
        self._gold: dict[str, Entry] = json.loads(gold.read_text(encoding="utf-8"))
        self._silver: dict[str, Entry] = json.loads(silver.read_text(encoding="utf-8"))
        self._espeak = shutil.which("espeak-ng") if espeak else None
        self.unknown = 0
        self.say_unknown = lru_cache(maxsize=2_000)(self._say_unknown)

    def sentence(self, words: list[str]) -> list[str]:
        """The sounds of each word, weak forms and part of speech chosen by the neighbours. Words hold no digits."""
        plain = [word.translate(_APOSTROPHES) for word in words]
        said = [self.word(word, plain[at - 1] if at else None) for at, word in enumerate(plain)]
        for at, word in enumerate(plain):
            after = said[at + 1].lstrip("ˈˌ")[:1] if at + 1 < len(said) else ""
            if (weak := _weak_form(word.casefold(), after)) is not None:
                said[at] = weak
        return said

    def word(self, word: str, before: str | None = None) -> str:
        """The sounds of one word after `before` (None: it begins the sentence)."""
        found = self._known(word, before)
        if found is None and "-" in word:
            found = "".join(self.word(part) for part in word.split("-") if part)
        if found is None and word.isupper() and 2 <= len(word) <= 5:
            found = self.spelled(word)
        if found is None:
            found = self._two_words(word.casefold()) or self.say_unknown(word)
        return found.replace("ɾ", "T").replace("ʔ", "t")

    def spelled(self, word: str) -> str:
        """Letter by letter, the last one stressed most: GPS."""
        said = [str(self._gold.get(char, "")) for char in word.upper() if char.isalpha()]
        return "".join([one.replace("ˈ", "ˌ") for one in said[:-1]] + said[-1:])

    def _known(self, word: str, before: str | None) -> str | None:
        if (name := NAMES.get(word.casefold())) is not None:
            return name
        if len(word) == 1 and word.isalpha() and word not in ("a", "I"):
            return str(self._gold.get(word.upper()))
        for form in dict.fromkeys((word, word.casefold(), word.capitalize())):
            if form.isupper() and len(form) > 1 and form not in self._gold and form.casefold() not in self._gold:
                return None  # an initialism, even where the silver list has a word like it
            if (sounds := self._entry(form, before)) is not None:
                return sounds
        return self._with_suffix(word.casefold(), before)

    def _entry(self, form: str, before: str | None) -> str | None:
        entry = self._gold.get(form, self._silver.get(form))
        if entry is None or isinstance(entry, str):
            return entry
        previous = before.casefold() if before is not None else ""
        wanted: tuple[str, ...] = ("DEFAULT",)
        if previous in BEFORE_PARTICIPLE:
            wanted = ("VBN", "ADJ", "DEFAULT")
        elif previous in BEFORE_NOUN:
            wanted = ("NOUN", "DEFAULT")
        elif before is None or previous in BEFORE_VERB:
            wanted = ("VERB", "DEFAULT")
        return next((sounds for key in wanted if (sounds := entry.get(key))), None)

    def _with_suffix(self, word: str, before: str | None) -> str | None:
        if word.endswith(("'s", "s'")):
            stem = word.removesuffix("'s").removesuffix("'")
            return _plural(self.word(stem, before)) if word.endswith("'s") else self.word(stem, before)
        for suffix, stems in _SUFFIXES:
            if not word.endswith(suffix) or len(word) - len(suffix) < 2:
                continue
            for stem in stems(word[: -len(suffix)]):
                if (sounds := self._entry(stem, before)) is not None:
                    return _JOIN[suffix](sounds)
        return None

    def _two_words(self, word: str) -> str | None:
        """Compounds such as "chargepoint": both halves known and three letters or longer; the longest first half wins."""
        for cut in range(len(word) - 3, 2, -1):
            first, second = self._gold.get(word[:cut]), self._gold.get(word[cut:])
            if isinstance(first, str) and isinstance(second, str):
                return first + second.replace("ˈ", "ˌ")
        return None

    def _say_unknown(self, word: str) -> str:
        self.unknown += 1
        if self._espeak is not None and (asked := _ask_espeak(self._espeak, word)):
            return asked
        return letters.sounds(word)


def _weak_form(word: str, after: str) -> str | None:
    """Articles and "to", which depend on the sound that follows."""
    vowel = after != "" and after in letters.VOWEL_SOUNDS
    if word == "the":
        return "ði" if vowel else "ðə"
    if word == "a":
        return "ɐ" if after else None
    if word == "an":
        return "ɐn"
    if word == "to" and after:
        return "tʊ" if vowel else "tə"
    return None


def _plural(sounds: str) -> str:
    last = sounds[-1:]
    return sounds + ("ᵻz" if last in _HISSING else "s" if last in _VOICELESS else "z")


def _past(sounds: str) -> str:
    last = sounds[-1:]
    if last == "t" and len(sounds) > 1 and sounds[-2] in letters.VOWEL_SOUNDS + "ɹ":
        return sounds[:-1] + "ɾᵻd"
    return sounds + ("ᵻd" if last in "td" else "t" if last in _VOICELESS + "sʃʧ" else "d")


def _gerund(sounds: str) -> str:
    if sounds[-1:] == "t" and len(sounds) > 1 and sounds[-2] in letters.VOWEL_SOUNDS + "ɹ":
        return sounds[:-1] + "ɾɪŋ"
    return sounds + "ɪŋ"


def _undoubled(stem: str) -> list[str]:
    return [
        stem,
        stem + "e",
        *([stem[:-1]] if len(stem) > 2 and stem[-1] == stem[-2] else []),
        *([stem[:-1] + "y"] if stem[-1] == "i" else []),
    ]


def _singular(stem: str) -> list[str]:
    return [stem, *([stem[:-1]] if stem.endswith("e") else []), *([stem[:-2] + "y"] if stem.endswith("ie") else [])]


def _same(stem: str) -> list[str]:
    return [stem]


_SUFFIXES: tuple[tuple[str, Callable[[str], list[str]]], ...] = (
    ("ing", _undoubled),
    ("ed", _undoubled),
    ("s", _singular),
    ("ly", _same),
    ("er", _undoubled),
)
_JOIN: dict[str, Callable[[str], str]] = {
    "ing": _gerund,
    "ed": _past,
    "s": _plural,
    "ly": lambda sounds: sounds + "li",
    "er": lambda sounds: sounds + "əɹ",
}

# espeak-ng's IPA -> Kokoro's symbols, longest first.
_FROM_ESPEAK = (
    ("eɪ", "A"), ("aɪ", "I"), ("oʊ", "O"), ("aʊ", "W"), ("ɔɪ", "Y"), ("dʒ", "ʤ"), ("tʃ", "ʧ"), ("ɜː", "ɜɹ"), ("əl", "ᵊl"), ("r", "ɹ"),
    ("ɐ", "ə"), ("ɾ", "T"), ("g", "ɡ"), ("e", "A"), ("o", "O"), ("ː", ""),
)  # fmt: skip


def _ask_espeak(program: str, word: str) -> str:
    """The optional program's answer, or "" where it has none in time."""
    if not re.fullmatch(r"[^\W\d_][\w'-]*", word):
        return ""
    try:
        done = subprocess.run(
            [program, "-q", "--ipa", "-v", "en-us", word], capture_output=True, text=True, timeout=ESPEAK_TIMEOUT_S, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    sounds = done.stdout.strip().replace(" ", "")
    for theirs, ours in _FROM_ESPEAK:
        sounds = sounds.replace(theirs, ours)
    return sounds
