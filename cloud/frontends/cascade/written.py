"""What a decoder writes besides what was said, taken away: sentences and phrases again and again, digits for pauses, the prompt's own words.

Does not know sound, nor how likely words are.
"""

from __future__ import annotations

import re

ECHO_UNITS = 3
"""A clause of so many words (or Chinese characters), all of them a run of the domain prompt, may be an echo of it."""
KEPT_SHARE = 0.75
PROMPTS = {
    "en": "Temperature 22.5 degrees, fan, rear left window halfway, boot, trunk, navigate to the charging station.",
    "zh": "空调调到二十二度半，主驾，副驾，风量百分之四十，左后车窗开一半，天窗，除雾，后备箱，导航到最近的充电站，续航。",
}

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])\s*|(?<=[?!])(?=[\u4e00-\u9fff])")
FULL_WIDTH = {code: code - 0xFEE0 for code in (*range(0xFF10, 0xFF1A), *range(0xFF21, 0xFF3B), *range(0xFF41, 0xFF5B))}
_TOKEN = r"[\w'-]+(?:\.\d+)?"
_LOOPS = (
    re.compile(r"\b(\d+)(?:[.,]\1\b){3,}(?:[.,]\d*)?"),
    re.compile(rf"\b({_TOKEN})(?:[\s,]+\1\b){{3,}}", re.IGNORECASE),
    re.compile(rf"\b((?:{_TOKEN}[\s,]+){{2,}}{_TOKEN})(?:[\s,]+\1\b)+", re.IGNORECASE),
    re.compile(r"([\u4e00-\u9fff]{1,3})(?:[，、\s]*\1){3,}"),
    re.compile(r"([\u4e00-\u9fff]{4,})(?:[，、：:\d\s]*\1)+"),
    re.compile(r"([\u4e00-\u9fff]{3,})(?:[，、：:\d\s]+\1)+"),
)


def collapse_repeats(text: str) -> tuple[str, bool]:
    """The text without what a decoder says again, and whether it was in a loop.

    A sentence said twice in a row is kept once, and a last sentence that breaks off while it repeats the one before is dropped. A phrase of three or more words (four characters), or one word four times on
    end, is a loop; "no, no, no" and 很好很好 stay as they are.
    """
    kept: list[str] = []
    for sentence in _SENTENCE_END.split(text):
        if not sentence or (kept and _repeats(sentence, kept[-1])):
            continue
        kept.append(sentence)
    joined = (" " if text.isascii() else "").join(kept)
    shorter = joined
    for loop in _LOOPS:
        shorter = loop.sub(r"\1", shorter)
    return shorter, shorter != joined


def without_stray_digit(text: str) -> str:
    """Chinese without a digit behind its end (去机场4, 二十三度半4) or for a pause (胎压4把温度…): not a number of theirs.

    A number that can be meant stays: 调到4, 23度5, 百分之5."""
    return _STRAY_DIGIT.sub("", _STRAY_PAUSE.sub("，", _STRAY_BETWEEN.sub("，", text)))


_NOT_BEFORE = r"(?<![到成为至是第度点百之十开调要号加减高低升降半分上下左右前后零一二两三四五六七八九])"
_STRAY_DIGIT = re.compile(rf"(?<=[\u4e00-\u9fff]){_NOT_BEFORE}\d$|(?<=度半)\d$")
_STRAY_BETWEEN = re.compile(rf"(?<=[\u4e00-\u9fff]){_NOT_BEFORE}\d(?=把|请|再|然后|打开|关上|关闭|告诉|调)")
_STRAY_PAUSE = re.compile(
    rf"(?<=[\u4e00-\u9fff]){_NOT_BEFORE}4(?=[\u4e00-\u9fff])(?![度档挡级格号个点分秒小公千米年月日天次首条位层路楼块元岁成倍环线座排扇种样杯圈桶人位辆])"
)
"""A pause is written as 4 more than as any other digit, whatever is said behind it; a number would have its measure there."""


def worded(text: str) -> str:
    """The text, or nothing where it is dots and signs alone: there would be no word in it to be unlikely."""
    return text if _UNITS.search(text.casefold()) else ""


def without_prompt(text: str) -> str:
    """Chinese without a colon and the prompt's own words behind it: the decoder went on with the prompt instead of ending."""
    said, colon, rest = text.partition("：")
    given = "".join(_UNITS.findall(PROMPTS["zh"]))
    return said if colon and said and given.startswith("".join(_UNITS.findall(rest.casefold()))) else text


def _repeats(sentence: str, before: str) -> bool:
    units, said = _UNITS.findall(sentence.casefold()), _UNITS.findall(before.casefold())
    begun = bool(units) and len(units) <= len(said) and " ".join(said).startswith(" ".join(units))
    broken_off = begun and sentence[-1] not in ".!?。！？"
    return units == said or broken_off


def echoes(text: str, prompt: str) -> bool:
    """Is a whole clause of the text a run of the prompt's own words? Then the decoder may have copied instead of listened."""
    given = " ".join(_UNITS.findall(prompt.casefold()))
    clauses = (_UNITS.findall(clause) for clause in _CLAUSE_END.split(text.casefold()))
    return any(len(units) >= ECHO_UNITS and " ".join(units) in given for units in clauses)


def shrinks(prompted: str, plain: str) -> bool:
    """Did much of the text go away with the prompt? What was really said is also heard without it, if spelt otherwise."""
    return len(_UNITS.findall(plain.casefold())) < KEPT_SHARE * len(_UNITS.findall(prompted.casefold()))


_CLAUSE_END = re.compile(r"[,.!?:;](?=\s|$)|[，。！？：；、]")
_UNITS = re.compile(r"[\u4e00-\u9fff]|[a-z0-9']+")
