"""How Chinese is pronounced, in Kokoro's symbols: pinyin with tone sandhi, then a table of initials and finals.

Tones are arrows behind the vowel: → first, ↗ second, ↓ third, ↘ fourth, nothing for the neutral one. Words are set off by
spaces (jieba's segmentation), which the voices take as rhythm. Does not know numbers (`numbers_zh.py`) or punctuation.
"""

from __future__ import annotations

import logging
import re
from functools import cache
from typing import Any

TONES = {"1": "→", "2": "↗", "3": "↓", "4": "↘", "5": ""}

INITIALS = {
    "b": "p", "p": "pʰ", "m": "m", "f": "f", "d": "t", "t": "tʰ", "n": "n", "l": "l", "g": "k", "k": "kʰ", "h": "x",
    "j": "ʨ", "q": "ʨʰ", "x": "ɕ", "zh": "ꭧ", "ch": "ꭧʰ", "sh": "ʂ", "r": "ɻ", "z": "ʦ", "c": "ʦʰ", "s": "s", "": "",
}  # fmt: skip

# final -> (up to the place of the tone, behind it)
FINALS = {
    "a": ("a", ""), "ai": ("ai", ""), "an": ("a", "n"), "ang": ("a", "ŋ"), "ao": ("au", ""), "e": ("ɤ", ""), "ei": ("ei", ""),
    "en": ("ə", "n"), "eng": ("ə", "ŋ"), "er": ("ɚ", ""), "o": ("wo", ""), "ou": ("ou", ""), "ong": ("ʊ", "ŋ"),
    "i": ("i", ""), "ia": ("ja", ""), "ian": ("jɛ", "n"), "iang": ("ja", "ŋ"), "iao": ("jau", ""), "ie": ("je", ""), "in": ("i", "n"),
    "ing": ("i", "ŋ"), "iong": ("jʊ", "ŋ"), "iou": ("jou", ""), "iu": ("jou", ""), "io": ("jɔ", ""),
    "u": ("u", ""), "ua": ("wa", ""), "uai": ("wai", ""), "uan": ("wa", "n"), "uang": ("wa", "ŋ"), "uei": ("wei", ""), "ui": ("wei", ""),
    "uen": ("wə", "n"), "un": ("wə", "n"), "ueng": ("wə", "ŋ"), "uo": ("wo", ""),
    "v": ("y", ""), "ve": ("ɥe", ""), "van": ("ɥɛ", "n"), "vn": ("y", "n"), "ê": ("ɛ", ""),
    "m": ("m", ""), "n": ("n", ""), "ng": ("ŋ", ""),
}  # fmt: skip
BUZZED = {"zh", "ch", "sh", "r", "z", "c", "s"}
"""After these, i is no vowel of its own: 是, 四."""

# Words whose characters the pinyin tables read otherwise than a driver says them.
READINGS = {
    "调到": "tiao2 dao4", "调成": "tiao2 cheng2", "调为": "tiao2 wei2", "调至": "tiao2 zhi4", "调高": "tiao2 gao1", "调低": "tiao2 di1",
    "调大": "tiao2 da4", "调小": "tiao2 xiao3", "调回": "tiao2 hui2", "调好": "tiao2 hao3", "还没": "hai2 mei2", "还有": "hai2 you3",
    "后备箱": "hou4 bei4 xiang1", "导航": "dao3 hang2", "行驶": "xing2 shi3", "车行": "che1 hang2", "得了": "de2 le5", "了解": "liao3 jie3",
}  # fmt: skip

_HAN = re.compile(r"[\u3400-\u9fff]+")
_SYLLABLE = re.compile(r"(zh|ch|sh|[bpmfdtnlgkhjqxrzcs]?)([a-zêü]+)([1-5])")


@cache
def _segmenter() -> Any:
    import jieba

    jieba.setLogLevel(logging.WARNING)
    tokenizer = jieba.Tokenizer()
    for word in READINGS:
        tokenizer.add_word(word, 100_000)
    return tokenizer


def words(text: str) -> list[str]:
    """The text in words; joined they are the text again."""
    return list(_segmenter().cut(text))


def sounds(text: str) -> str:
    """The sounds of Chinese text without digits and punctuation, words set off by spaces."""
    said = [syllables(word) for word in words(text) if _HAN.fullmatch(word)]
    return " ".join("".join(symbols(syllable) for syllable in word) for word in _sandhi(said, text))


def syllables(word: str) -> list[str]:
    """Pinyin with tone numbers ("tiao2"), before sandhi."""
    from pypinyin import Style, lazy_pinyin

    if word in READINGS:
        return READINGS[word].split()
    return [str(one) for one in lazy_pinyin(word, style=Style.TONE3, neutral_tone_with_five=True, v_to_u=False, errors="ignore")]


def _sandhi(said: list[list[str]], text: str) -> list[list[str]]:
    """A third tone before a third tone rises within a word, and as a word of its own (请导航); 不 rises before a fourth; 一 bends to what follows."""
    han = [char for run in _HAN.findall(text) for char in run]
    flat = [(at, syllable) for at, word in enumerate(said) for syllable in word]
    known = len(han) == len(flat)
    bent: list[list[str]] = [[] for _ in said]
    for place, (word, syllable) in enumerate(flat):
        after = flat[place + 1] if place + 1 < len(flat) else None
        tone = after[1][-1] if after else ""
        char = han[place] if known else ""
        if char == "不" and tone == "4":
            syllable = "bu2"
        elif char == "一" and _counts(han, place):
            syllable = "yi1"
        elif char == "一" and after and han[place + 1] not in "点年月号":
            syllable = "yi2" if tone == "4" else "yi4" if tone in "123" else syllable
        elif syllable.endswith("3") and tone == "3" and after and (after[0] == word or len(said[word]) == 1):
            syllable = syllable[:-1] + "2"
        bent[word].append(syllable)
    return bent


def _counts(han: list[str], place: int) -> bool:
    """Is this 一 a digit among others, or part of an ordinal?"""
    before, after = han[place - 1 : place], han[place + 1 : place + 2]
    return before != [] and before[0] in "第十百千万零点一二三四五六七八九" or after != [] and after[0] in "零一二三四五六七八九"


def symbols(syllable: str) -> str:
    """ "zhong1" -> "ꭧʊ→ŋ"; "" for what is no pinyin syllable."""
    match = _SYLLABLE.fullmatch(_spelt_out(syllable))
    if match is None:
        return ""
    initial, final, tone = match.groups()
    if final == "i" and initial in BUZZED:
        return INITIALS[initial] + "ɨ" + TONES[tone]
    if final == "o" and initial == "":
        return "ɔ" + TONES[tone]
    rhyme = FINALS.get(final)
    if rhyme is None and final.endswith("r") and final[:-1] in FINALS:  # 儿化
        vowel, end = FINALS[final[:-1]]
        return INITIALS[initial] + vowel + TONES[tone] + (end if end == "ŋ" else "") + "ɻ"
    if rhyme is None:
        return ""
    return INITIALS[initial] + rhyme[0] + TONES[tone] + rhyme[1]


def _spelt_out(syllable: str) -> str:
    """Undoes pinyin's spelling rules: yu -> v, wu -> u, ju -> jv, liu stays."""
    plain = syllable.replace("ü", "v")
    if plain.startswith("yu"):
        return "v" + plain[2:]
    if plain.startswith("y"):
        return plain[1:] if plain[1:2] == "i" else "i" + plain[1:]
    if plain.startswith("w"):
        return plain[1:] if plain[1:2] == "u" else "u" + plain[1:]
    if plain[:2] in ("ju", "qu", "xu"):
        return plain[0] + "v" + plain[2:]
    return plain
