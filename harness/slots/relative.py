"""A change against what is now: "warmer", "a bit cooler", "up by two", "two degrees colder", 高一点, 调低两度, 再热一点.

Does not know the size of a step: `amount` is None unless one was said, and `manner` says how strongly it was put.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ridealong.harness.slots.temperature import find_temperatures
from ridealong.harness.slots.text import language, plain


@dataclass(frozen=True, slots=True)
class Relative:
    """`direction` +1 or -1; `amount` > 0 in the unit of whatever is changed; `manner` "bit", "plain" or "lot"."""

    direction: int
    amount: float | None
    manner: str
    words: str
    span: tuple[int, int]


_EN_UP = r"warmer|hotter|higher|louder|stronger|faster|brighter|more|up|raise|increase|crank up|boost|heat up|warm up|warm"
_EN_DOWN = (
    r"cooler|colder|chillier|lower|quieter|weaker|slower|softer|less|down|reduce|decrease|drop|turn down|cool down|cool off|cool"
)
_ZH_UP = r"(?:调|升|提|加|开|弄|变|再|往)?(?:高|热|暖和|暖|大|强|快)|升温|加温|升|调上|上调"
_ZH_DOWN = r"(?:调|降|减|开|弄|变|再|往)?(?:低|冷|凉快|凉|小|弱|慢)|降温|降|下调"


def find_relative(text: str, locale: str) -> Relative | None:
    """The change that the text asks for. "to 22" is no change but a target: None."""
    form = plain(text, locale)
    zh = language(form, locale) == "zh"
    if zh:
        found = [(m, d) for pattern, d in ((_ZH_UP, 1), (_ZH_DOWN, -1)) for m in re.finditer(pattern, form)]
    else:
        found = [(m, d) for pattern, d in ((_EN_UP, 1), (_EN_DOWN, -1)) for m in re.finditer(rf"\b(?:{pattern})\b", form)]
    if not found:
        return None
    # a comparative says more than a particle: "turn it up, a bit cooler" does not occur, "bring it down warmer" neither
    m, direction = max(found, key=lambda item: (len(item[0].group()), -item[0].start()))
    start, end = m.span()
    amount: float | None = None
    numbers = find_temperatures(form, locale) or ()
    for number in numbers:
        before = form[: number.span[0]]
        if re.search(r"\b(?:to|at)\s*$" if not zh else r"(?:到|至|成|为)$", before):
            return None
        if number.value > 0:
            amount = number.value
            start, end = min(start, number.span[0]), max(end, number.span[1])
            break
    if amount is None and (half := re.search(r"half a degree|半度", form)) is not None:
        amount, start, end = 0.5, min(start, half.start()), max(end, half.end())
    if amount is None and (one := re.search(r"\b(?:a|one|another) degree|一度", form)) is not None:
        amount, start, end = 1.0, min(start, one.start()), max(end, one.end())
    manner = "plain"
    weak = re.search(
        r"一点点|一点儿?|稍微|一些|点儿?(?=$|吧)"
        if zh
        else r"\b(?:a (?:little|tiny )?bit|a little|a touch|slightly|a notch|a tad|somewhat)\b",
        form,
    )
    strong = re.search(r"很多|好多|多一些|大幅|快点" if zh else r"\b(?:a lot|much|way|quite a bit|a good bit)\b", form)
    if strong is not None:
        manner, start, end = "lot", min(start, strong.start()), max(end, strong.end())
    elif weak is not None:
        manner, start, end = "bit", min(start, weak.start()), max(end, weak.end())
    return Relative(direction, amount, manner, form[start:end], (start, end))
