"""Letters to sounds for English words in no dictionary: names, brands, misspellings. Pure rules, longest match first.

Gives Kokoro's American symbols (A I O W Y are the diphthongs of day, eye, go, now, boy). Meant to be understood, not to be
right: a name that matters belongs in `NAMES` of `lexicon.py`.
"""

from __future__ import annotations

import re

VOWEL_SOUNDS = "AIOWYæɑɛɪʌʊiuɔəɜᵊ"

# (letters, what must follow as a regular expression, sounds)
_RULES: tuple[tuple[str, str, str], ...] = (
    ("tion", "", "ʃᵊn"), ("sion", "", "ʒᵊn"), ("cious", "$", "ʃəs"), ("tious", "$", "ʃəs"), ("ture", "$", "ʧəɹ"),
    ("augh", "", "ɔ"), ("ough", "", "O"), ("eigh", "", "A"), ("igh", "", "I"),
    ("tch", "", "ʧ"), ("sch", "", "ʃ"), ("dge", "", "ʤ"), ("ch", "[rlns]", "k"), ("ch", "", "ʧ"), ("sh", "", "ʃ"), ("ss", "", "s"),
    ("th", "", "θ"), ("ph", "", "f"), ("wh", "", "w"), ("wr", "", "ɹ"), ("kn", "", "n"), ("ck", "", "k"), ("qu", "", "kw"),
    ("gh", "$", ""), ("gh", "", "ɡ"), ("ng", "$|[^aeiouy]", "ŋ"), ("ng", "", "ŋɡ"), ("nk", "", "ŋk"), ("ß", "", "s"),
    ("air", "", "ɛɹ"), ("ear", "", "ɪɹ"), ("eer", "", "ɪɹ"), ("oor", "", "ɔɹ"), ("our", "", "ɔɹ"), ("are", "$", "ɛɹ"), ("ire", "$", "Iɹ"),
    ("ore", "$", "ɔɹ"), ("ure", "$", "jʊɹ"),
    ("ar", "$|[^aeiouy]", "ɑɹ"), ("er", "$|[^aeiouy]", "əɹ"), ("ir", "$|[^aeiouy]", "ɜɹ"), ("or", "$|[^aeiouy]", "ɔɹ"),
    ("ur", "$|[^aeiouy]", "ɜɹ"),
    ("ai", "", "A"), ("ay", "", "A"), ("au", "", "ɔ"), ("aw", "", "ɔ"), ("ea", "", "i"), ("ee", "", "i"), ("ei", "", "I"),
    ("ey", "$", "i"), ("eu", "", "u"), ("ew", "", "u"), ("ie", "$", "i"), ("ie", "", "i"), ("oa", "", "O"), ("oe", "$", "O"), ("oi", "", "Y"),
    ("oy", "", "Y"), ("oo", "", "u"), ("ou", "", "W"), ("ow", "$", "O"), ("ow", "", "W"), ("ue", "$", "u"), ("ui", "", "u"),
    ("a", "[bcdfgklmnpstvz]e$", "A"), ("e", "[bcdfgklmnpstvz]e$", "i"), ("i", "[bcdfgklmnpstvz]e$", "I"),
    ("o", "[bcdfgklmnpstvz]e$", "O"), ("u", "[bcdfgklmnpstvz]e$", "u"), ("y", "[bcdfgklmnpstvz]e$", "I"),
    ("le", "$", "ᵊl"), ("e", "$", ""),
    ("c", "[eiy]", "s"), ("c", "", "k"), ("g", "e$", "ʤ"), ("g", "", "ɡ"), ("x", "", "ks"), ("y", "$", "i"), ("y", "[aeiou]", "j"),
    ("y", "", "ɪ"), ("j", "", "ʤ"), ("q", "", "k"), ("s", "$", "z"), ("r", "", "ɹ"),
    ("a", "$", "ə"), ("a", "", "æ"), ("e", "", "ɛ"), ("i", "$", "i"), ("i", "", "ɪ"), ("o", "$", "O"), ("o", "", "ɑ"), ("u", "$", "u"),
    ("u", "", "ʌ"),
)  # fmt: skip
_COMPILED = tuple((letters, re.compile(follow) if follow else None, sounds) for letters, follow, sounds in _RULES)
_DOUBLES = re.compile(r"([bcdfgklmnprtvz])\1")
_VOICELESS = "ptkfθsʃʧ"


def sounds(word: str) -> str:
    """The sounds of one lower-case word, with one primary stress; "" where it holds no letter."""
    spelt = _DOUBLES.sub(r"\1", "".join(char for char in word.casefold() if char.isalpha()))
    found: list[str] = []
    at = 0
    while at < len(spelt):
        for letters, follow, sound in _COMPILED:
            end = at + len(letters)
            if not spelt.startswith(letters, at) or (letters == "e" and sound == "" and not _has_vowel(found)):
                continue
            if follow is None or follow.match(spelt, end):
                found.append(_final_s(found) if (letters, sound) == ("s", "z") else sound)
                at = end
                break
        else:
            found.append(spelt[at] if spelt[at].isascii() else "")
            at += 1
    return stressed("".join(found))


def _has_vowel(found: list[str]) -> bool:
    return any(char in VOWEL_SOUNDS for sound in found for char in sound)


def _final_s(found: list[str]) -> str:
    last = "".join(found)[-1:]
    return "s" if last in _VOICELESS else "z"


def stressed(plain: str) -> str:
    """Primary stress on the first full vowel of short words, on the last but one of words with three or more."""
    nuclei = [at for at, char in enumerate(plain) if char in VOWEL_SOUNDS]
    full = [at for at in nuclei if plain[at] not in "əᵊ"] or nuclei
    if not full:
        return plain
    at = full[-2] if len(full) >= 3 else full[0]
    return plain[:at] + "ˈ" + plain[at:]
