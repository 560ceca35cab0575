"""Comparing words: case, width, punctuation and the way a number is written make no difference. Pure.

"Twenty-two and a half degrees", "22.5 degrees" and "二十二度半" meet as "22.5 degrees" / "22.5度". This is for judging a
run; what the assistant itself understands by a number is decided elsewhere.
"""

from __future__ import annotations

import re
import unicodedata

_UNITS = {
    word: value
    for value, word in enumerate(
        (
            "zero",
            "one",
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "eleven",
            "twelve",
            "thirteen",
            "fourteen",
            "fifteen",
            "sixteen",
            "seventeen",
            "eighteen",
            "nineteen",
        )
    )
}
_TENS = {
    word: 10 * value
    for value, word in enumerate(("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"), start=2)
}
_HAN_DIGITS = {"零": 0, "〇": 0, "一": 1, "二": 2, "两": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9}
_HAN = "零〇一二两三四五六七八九十百"
_CJK = "\u3400-\u9fff"
_HAN_UNITS = "度分米公里个点次档块"


def plain(text: str) -> str:
    """The comparable form of a text."""
    text = unicodedata.normalize("NFKC", text).casefold().replace("’", "'")
    text = _han_numbers(re.sub(rf"(?<=[{_CJK}])\s+(?=[{_CJK}])", "", text))  # some synthesisers set spaces between words
    text = _english_numbers(text)
    text = text.replace("percent", "%").replace("per cent", "%")
    text = re.sub(r"(?<=\d)\s+%", "%", text)
    text = re.sub(r"(?<=\d)\.0+(?!\d)", "", text)
    text = re.sub(r"[,，。！!?？;；:：\"“”]|(?<!\d)\.|\.(?!\d)", " ", text)
    text = re.sub(rf"(?<=[{_CJK}])\s+|\s+(?=[{_CJK}])", "", text)
    return re.sub(r"\s+", " ", text).strip()


def contains(text: str, wanted: str) -> bool:
    """Whether `wanted` occurs in `text`; a number only as a whole number ("2" is not in "22.5")."""
    haystack, needle = plain(text), plain(wanted)
    if not needle:
        return False
    for match in re.finditer(re.escape(needle), haystack):
        before, after = haystack[: match.start()], haystack[match.end() :]
        if needle[0].isdigit() and re.search(r"[\d.]$", before):
            continue
        if needle[-1].isdigit() and re.match(r"\.?\d", after):
            continue
        return True
    return False


def _english_numbers(text: str) -> str:
    """Number words up to 999, with "and a half", "and a quarter", "point five"."""
    tokens = re.findall(r"[a-z']+|\d+(?:\.\d+)?|\s+|[^a-z'\d\s]", text.replace("-", " ") if _has_number_word(text) else text)
    out: list[str] = []
    index = 0
    while index < len(tokens):
        value, after = _read_number(tokens, index)
        if after == index:
            out.append(tokens[index])
            index += 1
            continue
        out.append(f"{value:g}")
        index = after
    return "".join(out)


def _has_number_word(text: str) -> bool:
    return any(word in _UNITS or word in _TENS for word in re.findall(r"[a-z]+", text))


def _words_after(tokens: list[str], index: int, count: int) -> list[tuple[int, str]]:
    """The next `count` non-space tokens as (position after it, token)."""
    found: list[tuple[int, str]] = []
    while index < len(tokens) and len(found) < count:
        if not tokens[index].isspace():
            found.append((index + 1, tokens[index]))
        index += 1
    return found


def _read_number(tokens: list[str], index: int) -> tuple[float, int]:
    """The number that begins at `index` and the position after it; (0, index) when there is none."""
    word = tokens[index]
    after = index + 1
    if re.fullmatch(r"\d+(?:\.\d+)?", word):
        value = float(word)
    elif word in _UNITS or word in _TENS:
        value = float(_UNITS.get(word, _TENS.get(word, 0)))
        if word in _TENS:
            following = _words_after(tokens, after, 1)
            if following and 0 < _UNITS.get(following[0][1], 0) < 10:
                value, after = value + _UNITS[following[0][1]], following[0][0]
        following = _words_after(tokens, after, 1)
        if following and following[0][1] == "hundred" and value < 10:
            value, after = value * 100, following[0][0]
            rest = _words_after(tokens, after, 2)
            if rest and rest[0][1] == "and":
                rest = rest[1:]
            if rest and (rest[0][1] in _UNITS or rest[0][1] in _TENS):
                start = rest[0][0] - 1
                more, after = _read_number(tokens, start)
                return value + more, after
    else:
        return 0.0, index
    tail = [token for _, token in _words_after(tokens, after, 3)]
    ends = [position for position, _ in _words_after(tokens, after, 3)]
    if tail[:3] == ["and", "a", "half"]:
        return value + 0.5, ends[2]
    if tail[:3] == ["and", "a", "quarter"]:
        return value + 0.25, ends[2]
    if len(tail) >= 2 and tail[0] == "point" and (tail[1] in _UNITS or tail[1].isdigit()):
        digits, position = "", ends[0]
        for place, token in _words_after(tokens, ends[0], 4):
            if token not in _UNITS and not token.isdigit():
                break
            digits, position = digits + str(_UNITS.get(token, token)), place
        return float(f"{value:g}.{digits}"), position
    return value, after


def _han_numbers(text: str) -> str:
    """Chinese numbers up to 999: with 点, with a trailing 半, and 百分之 as a percentage."""
    text = re.sub(rf"百分之([{_HAN}]+|\d+(?:\.\d+)?)", lambda match: f"{_han_or_digits(match[1])}%", text)
    text = re.sub(
        rf"([{_HAN}]+)点([{_HAN}]+)",
        lambda match: f"{_han_value(match[1])}." + "".join(str(_HAN_DIGITS.get(character, "")) for character in match[2]),
        text,
    )
    text = re.sub(
        rf"([{_HAN}]*[{_HAN[2:]}])(?=[{_HAN_UNITS}%\s,，。]|$|半|[{_HAN_UNITS}]半)", lambda match: str(_han_value(match[1])), text
    )
    text = re.sub(rf"(?<![\d.])(\d+)([{_HAN_UNITS}]?)半", r"\1.5\2", text)
    return re.sub(r"(\d+)度([一二三四五六七八九])(?!\d)", lambda match: f"{match[1]}.{_HAN_DIGITS[match[2]]}度", text)


def _han_or_digits(text: str) -> str:
    return text if text[0].isdigit() else str(_han_value(text))


def _han_value(text: str) -> int:
    if all(character in _HAN_DIGITS for character in text):
        return int("".join(str(_HAN_DIGITS[character]) for character in text))
    total, current = 0, 0
    for character in text:
        if character == "百":
            total, current = total + 100 * (current or 1), 0
        elif character == "十":
            total, current = total + 10 * (current or 1), 0
        else:
            current = _HAN_DIGITS[character]
    return total + current
