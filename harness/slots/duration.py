"""How long: "five minutes", "an hour and a half", "half an hour", "90 seconds", 五分钟, 一个半小时, 两分半, 半小时.

Does not know when it starts.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ridealong.harness.slots.number import find_numbers, number_words
from ridealong.harness.slots.text import language, plain

MAX_S = 24 * 3600


@dataclass(frozen=True, slots=True)
class Duration:
    duration_s: float
    words: str
    span: tuple[int, int]


_EN_S = {"s": 1, "sec": 1, "secs": 1, "second": 1, "seconds": 1, "m": 60, "min": 60, "mins": 60, "minute": 60, "minutes": 60,
         "h": 3600, "hr": 3600, "hrs": 3600, "hour": 3600, "hours": 3600}  # fmt: skip


def find_duration(text: str, locale: str) -> Duration | None:
    """The first duration of the text, its parts added ("one minute thirty seconds")."""
    form = plain(text, locale)
    parts = _zh(form, locale) if language(form, locale) == "zh" else _en(form, locale)
    if not parts:
        return None
    total, start, end = parts[0][0], *parts[0][1]
    for length, span in parts[1:]:
        if form[end : span[0]].strip() not in ("", "and", "零", "又"):
            break
        total, end = total + length, span[1]
    return Duration(total, form[start:end], (start, end)) if 0 < total <= MAX_S else None


def _en(form: str, locale: str) -> list[tuple[float, tuple[int, int]]]:
    parts = []
    for m in re.finditer(
        r"\b(?:(half an|half a|a quarter of an|three quarters of an|an|a) )(hour|minute|second)s?( and a half| and a quarter| and three quarters)?\b",
        form,
    ):
        share = {"half": 0.5, "a qua": 0.25, "three": 0.75}.get(
            m.group(1)[:5].strip(), 0.5 if m.group(1).startswith("half") else 1.0
        )
        more = {"half": 0.5, "quarter": 0.25, "quarters": 0.75}.get((m.group(3) or "").split(" ")[-1], 0.0)
        parts.append(((share + more) * _EN_S[m.group(2)], m.span()))
    for number in find_numbers(form, locale):
        said = re.match(r" (s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?)\b( and a half\b)?", form[number.span[1] :])
        if said is not None and not number.ordinal and number.value > 0:
            value = number.value + (0.5 if said.group(2) else 0)
            parts.append((value * _EN_S[said.group(1)], (number.span[0], number.span[1] + said.end())))
    return sorted(parts, key=lambda part: part[1])


def _zh(form: str, locale: str) -> list[tuple[float, tuple[int, int]]]:
    parts: list[tuple[float, tuple[int, int]]] = []
    for m in re.finditer(r"半个?(小时|钟头)|半分钟|一刻钟|三刻钟", form):
        if form[: m.start()].endswith("个"):
            continue
        parts.append(
            (
                30.0
                if m.group() == "半分钟"
                else 900.0
                if m.group() == "一刻钟"
                else 2700.0
                if m.group() == "三刻钟"
                else 1800.0,
                m.span(),
            )
        )
    for number in find_numbers(form, locale):
        said = re.match(r"(?:个)?(半)?(小时|钟头|分钟|分(?!之)|秒钟|秒)(半)?", form[number.span[1] :])
        if said is None or number.value <= 0:
            continue
        unit = {"小": 3600, "钟": 3600, "分": 60, "秒": 1}[said.group(2)[0]]
        value = number.value + (0.5 if said.group(1) or said.group(3) else 0)
        parts.append((value * unit, (number.span[0], number.span[1] + said.end())))
    return sorted(parts, key=lambda part: part[1])


def duration_words(duration_s: float, locale: str) -> str:
    """ "five minutes", "one hour and thirty minutes" / "五分钟"."""
    zh = locale.startswith("zh")
    left, parts = round(duration_s), []
    for unit_s, en, cn in ((3600, "hour", "小时"), (60, "minute", "分钟"), (1, "second", "秒")):
        count, left = divmod(left, unit_s)
        if count:
            parts.append(
                f"{number_words(count, 'zh')}{cn}".replace("二小时", "两小时").replace("十两", "十二")
                if zh
                else f"{number_words(count, 'en')} {en}{'s' * (count > 1)}"
            )
    return "".join(parts) if zh else " and ".join(parts)
