"""Numbers as people say them: "twenty-two and a half", "22 and a half", "17,5", "minus five", 二十二点五, 零下五, 廿五, 两.

`find_numbers` works on the plain form (text.py) and gives values with the words and span that they came from. A numeral inside a
name is not a number (三里屯), nor is "one" in "the left one". Results are finite: there is no NaN and no None inside.

Does not know units (temperature.py, percent.py, duration.py).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ridealong.harness.slots.text import language, plain


@dataclass(frozen=True, slots=True)
class Number:
    """`words` = text[span[0]:span[1]] of the plain form."""

    value: float
    words: str
    span: tuple[int, int]
    ordinal: bool = False


_UNITS = {
    "zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
    "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16, "seventeen": 17, "eighteen": 18,
    "nineteen": 19,
}  # fmt: skip
_TENS = {
    "twenty": 20,
    "thirty": 30,
    "forty": 40,
    "fourty": 40,
    "fifty": 50,
    "sixty": 60,
    "seventy": 70,
    "eighty": 80,
    "ninety": 90,
}
_ORDINALS = {
    "first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8, "ninth": 9, "tenth": 10,
    "eleventh": 11, "twelfth": 12,
}  # fmt: skip
_FRACTIONS = {
    ("and", "a", "half"): 0.5, ("and", "one", "half"): 0.5, ("and", "half"): 0.5, ("and", "a", "quarter"): 0.25,
    ("and", "one", "quarter"): 0.25, ("and", "three", "quarters"): 0.75, ("and", "a", "third"): 1 / 3, ("and", "two", "thirds"): 2 / 3,
}  # fmt: skip
_PRONOUN_BEFORE_ONE = frozenset(
    [
        "the",
        "this",
        "that",
        "left",
        "right",
        "rear",
        "front",
        "back",
        "which",
        "every",
        "each",
        "any",
        "no",
        "other",
        "another",
        "my",
        "passenger",
        "driver",
        "top",
        "bottom",
        "cheap",
        "cheapest",
        "nearest",
        "fastest",
        "closest",
        "same",
        "last",
        "next",
    ]
)
ZH_DIGITS = {"零": 0, "〇": 0, "一": 1, "幺": 1, "二": 2, "两": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9}
_ZH_SCALES = {"十": 10, "百": 100, "千": 1000, "万": 10000}
ZH_NUMERAL = r"[零〇一幺二两三四五六七八九十百千万廿卅]+"
_ZH_NUMBER = re.compile(rf"(零下|负)?(?:(\d+(?:\.\d+)?)|({ZH_NUMERAL})(?:点([零〇一幺二两三四五六七八九]+))?)")
_ZH_AFTER = re.compile(
    r"$|[ ,.]|[度°%个档挡级格分秒时点成半米块元次遍层号]|小时|钟头|公里|千米|英里|摄氏|华氏|左右|上下|吧|了|啊|呢|啦|呗|好|可以|就|行|谢|"
    r"请|然后|并|再|和|到|给|帮|把|开|关|打|的|把"
)


def find_numbers(text: str, locale: str) -> tuple[Number, ...]:
    """Every number in the plain form of the text, left to right."""
    form = plain(text, locale)
    return _find_zh(form) if language(form, locale) == "zh" else _find_en(form)


def parse_number(text: str, locale: str) -> Number | None:
    """The number that the whole text is, or None."""
    form = plain(text, locale)
    found = [n for n in find_numbers(form, locale) if n.span == (0, len(form))]
    return found[0] if found else None


# --- English -----------------------------------------------------------------------------------------------------------


def _find_en(form: str) -> tuple[Number, ...]:
    pieces = [(m.group(), m.start(), m.end()) for m in re.finditer(r"\S+", form)]
    words = [piece[0] for piece in pieces]
    found: list[Number] = []
    at = 0
    while at < len(words):
        read = _number_at(words, at)
        if read is None:
            at += 1
            continue
        value, after, ordinal = read
        start, end = pieces[at][1], pieces[after - 1][2]
        found.append(Number(value, form[start:end], (start, end), ordinal))
        at = after
    return tuple(found)


def _number_at(words: list[str], at: int) -> tuple[float, int, bool] | None:
    sign, i = 1.0, at
    if words[i] in ("minus", "negative") and i + 1 < len(words):
        sign, i = -1.0, i + 1
    if i == at and words[i] in _ORDINALS:
        # "a second" is a duration, not an ordinal
        return (float(_ORDINALS[words[i]]), i + 1, True) if not (i and words[i - 1] in ("a", "per")) else None
    if i == at and (m := re.fullmatch(r"(\d+)(?:st|nd|rd|th)", words[i])):
        return float(m.group(1)), i + 1, True
    whole = _whole_at(words, i)
    if whole is None:
        return None
    value, after = whole
    if words[i] == "one" and after == i + 1 and i and (words[i - 1] in _PRONOUN_BEFORE_ONE or words[i - 1] in _ORDINALS):
        return None
    if after + 1 < len(words) and words[after] == "point":
        digits, j = "", after + 1
        while j < len(words) and (words[j] in ("oh", "o") or words[j] in _UNITS and _UNITS[words[j]] < 10 or words[j].isdigit()):
            digits += "0" if words[j] in ("oh", "o") else words[j] if words[j].isdigit() else str(_UNITS[words[j]])
            j += 1
        if digits and value == int(value):
            return sign * float(f"{int(value)}.{digits}"), j, False
    for fraction, part in _FRACTIONS.items():
        if tuple(words[after : after + len(fraction)]) == fraction and value == int(value):
            return sign * (value + part), after + len(fraction), False
    return sign * value, after, False


def _whole_at(words: list[str], i: int) -> tuple[float, int] | None:
    if re.fullmatch(r"\d+(?:\.\d+)?", words[i]):
        return float(words[i]), i + 1
    total, group, after = 0, 0, i
    last = ""  # what was read last: "", unit, teen, ten, hundred, thousand
    while after < len(words):
        word = words[after]
        following = words[after + 1] if after + 1 < len(words) else ""
        if word == "a" and last == "" and following in ("hundred", "thousand"):
            group, last, after = 1, "unit", after + 1
        elif word == "hundred" and last == "" and (following in _UNITS or following in _TENS or following == "and"):
            group, last, after = 100, "hundred", after + 1
        elif word == "and" and last in ("hundred", "thousand") and (following in _UNITS or following in _TENS):
            after += 1
        elif word in _UNITS and _UNITS[word] < 10 and last in ("", "ten", "hundred", "thousand"):
            if last == "ten" and word == "zero":
                break
            group, last, after = group + _UNITS[word], "unit", after + 1
        elif word in _UNITS and _UNITS[word] >= 10 and last in ("", "hundred", "thousand"):
            group, last, after = group + _UNITS[word], "teen", after + 1
        elif word in _TENS and last in ("", "hundred", "thousand"):
            group, last, after = group + _TENS[word], "ten", after + 1
        elif word == "hundred" and last in ("unit", "teen") and group < 100:
            group, last, after = group * 100, "hundred", after + 1
        elif word == "thousand" and last and group and not total:
            total, group, last, after = group * 1000, 0, "thousand", after + 1
        else:
            break
    return (float(total + group), after) if last else None


# --- Chinese -----------------------------------------------------------------------------------------------------------


_ZH_ABOUT = frozenset(("一两", "两三", "三四", "四五", "五六", "六七", "七八", "八九"))
"""两三度 is two or three, and no 23: the smaller is meant at least."""
_ZH_COUNTED = re.compile(r"度|个|[格档挡级]|分钟?|秒|小时|公里|米|天|次|下")


def _find_zh(form: str) -> tuple[Number, ...]:
    form = re.sub(r"(?<=\d)点(?=\d)", ".", form)
    found = []
    for m in _ZH_NUMBER.finditer(form):
        sign, digits, numeral, decimals = m.groups()
        ordinal = form[: m.start()].endswith("第")
        after = form[m.end() :]
        if form[: m.start()].endswith("分之") or after.startswith("分之"):
            continue
        if numeral is not None and not ordinal:
            if _ZH_AFTER.match(after) is None:
                continue  # part of a name or of another word: 三里屯, 一下, 一样
            if numeral == "一" and decimals is None and re.match(r"点(?!\d|钟|半|整)|半", after):
                continue  # 一点 = a bit, 一半 = half
        value = float(digits) if digits is not None else chinese_value(numeral)
        if value is None:
            continue
        if numeral in _ZH_ABOUT and decimals is None and _ZH_COUNTED.match(after):
            value = float(ZH_DIGITS[numeral[0]])
        if decimals is not None:
            if value != int(value):
                continue
            value = float(f"{int(value)}." + "".join(str(ZH_DIGITS[c]) for c in decimals))
        found.append(Number(-value if sign else value, m.group(), m.span(), ordinal))
    return tuple(found)


def chinese_value(numeral: str) -> float | None:
    """The value of a numeral without decimals, or None where the characters are no number (十十)."""
    numeral = numeral.replace("廿", "二十").replace("卅", "三十")
    if not any(c in _ZH_SCALES for c in numeral):
        return float("".join(str(ZH_DIGITS[c]) for c in numeral))
    total, section, digit, scale_before, zero = 0, 0, None, 100_000, False
    for c in numeral:
        if c in ZH_DIGITS:
            if digit not in (None, 0):
                return None
            digit, zero = ZH_DIGITS[c], zero or c in "零〇"
            continue
        scale = _ZH_SCALES[c]
        if scale == 10_000:
            total, section, digit, scale_before = (section + (digit or 0)) * scale, 0, None, scale
        elif scale >= scale_before:
            return None
        else:
            section, digit, scale_before = section + (digit or 1) * scale, None, scale
        zero = False
    if digit is not None:
        # 一百二 = 120, but 一百零二 = 102
        section += digit * (scale_before // 10 if scale_before >= 100 and not zero and scale_before < 100_000 else 1)
    return float(total + section)


# --- saying a number ----------------------------------------------------------------------------------------------------


def digits(value: float) -> str:
    """ "22.5", "22": at most two decimals, no trailing zeros, no minus zero."""
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def number_words(value: float, locale: str) -> str:
    """The number in words, to two decimals: "minus twenty-two and a half" / "负二十二点五"."""
    value = round(value, 2)
    size, whole = abs(value), int(abs(value))
    decimals = digits(size).partition(".")[2]
    if locale.startswith("zh"):
        text = _whole_zh(whole) + ("点" + "".join("零一二三四五六七八九"[int(d)] for d in decimals) if decimals else "")
        return ("负" if value < 0 else "") + text
    text = _whole_en(whole)
    if decimals == "5":
        text += " and a half"
    elif decimals:
        text += " point " + " ".join(list(_UNITS)[int(d)] for d in decimals)
    return ("minus " if value < 0 else "") + text


def _whole_en(whole: int) -> str:
    if whole < 20:
        return list(_UNITS)[whole]
    if whole < 100:
        ten = next(word for word, value in _TENS.items() if value == whole // 10 * 10)
        return ten + (f"-{list(_UNITS)[whole % 10]}" if whole % 10 else "")
    if whole < 1000:
        return f"{list(_UNITS)[whole // 100]} hundred" + (f" and {_whole_en(whole % 100)}" if whole % 100 else "")
    rest = whole % 1000
    return f"{_whole_en(whole // 1000)} thousand" + ((" and " if rest < 100 else " ") + _whole_en(rest) if rest else "")


def _whole_zh(whole: int) -> str:
    if whole >= 10_000:
        rest = whole % 10_000
        said = ("一" if 10 <= rest < 20 else "") + _whole_zh(rest)
        return _whole_zh(whole // 10_000) + "万" + (("零" if rest < 1000 else "") + said if rest else "")
    text, gap = "", False
    for scale, sign in ((1000, "千"), (100, "百"), (10, "十"), (1, "")):
        digit, whole = whole // scale, whole % scale
        if digit:
            text += ("零" if gap else "") + "零一二三四五六七八九"[digit] + sign
            gap = False
        elif text:
            gap = True
    return (text or "零").removeprefix("一") if text.startswith("一十") else text or "零"
