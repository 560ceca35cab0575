"""What a skill gets when a tagger has found that a stretch of a sentence asks for it: the words, and what is wanted as far as that is said by
the label ("off", "cooler"). From these the skill works out its arguments, each traceable to the words.

Does not know how the stretch was found (tagged.py), or what is done with the calls (tagged_router.py).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from ridealong.harness.skill import Context, Match
from ridealong.harness.slots.number import Number, find_numbers, parse_number
from ridealong.harness.slots.text import language, marked, plain

FRAGMENT = "fragment"
"""The variant of a stretch that names only what is different from the request before it: "and the other one"."""


@dataclass(frozen=True, slots=True)
class Meant:
    """`variant`: the label behind the capability. `text`: the stretch as it was heard, `ahead`: the sentence before it. `share`: how sure the tagger is,
    0..1."""

    variant: str
    text: str
    locale: str
    context: Context
    share: float
    ahead: str = ""

    @property
    def zh(self) -> bool:
        return language(self.text, self.locale) == "zh"

    @property
    def form(self) -> str:
        return plain(self.text, self.locale)

    def match(self, capability: str, arguments: dict[str, object], grounds: dict[str, str]) -> Match:
        return Match(capability, self.share, arguments, grounds)

    def asks(self, capability: str, missing: str, english: str, chinese: str) -> Match:
        """What is missing is asked for."""
        return Match(capability, self.share, missing=(missing,), question=chinese if self.zh else english)

    def of(self, text: str) -> Meant:
        return replace(self, text=text)


_WAYS_EN = re.compile(
    r"\b(?P<shut>clos(?:ed?|es|ing)|shut(?:s|ting)?|lock(?:ed|s|ing)?)\b|\b(?P<open>(?:open|unlock)(?:ed|s|ing)?)\b"
)
_WAYS_ZH = re.compile(r"(?P<shut>关|锁(?!定))|(?P<open>打?开|解锁)")


def way_ahead(meant: Meant) -> str:
    """ "open" or "close", where the words themselves say neither and those before them do: "shut the boot and all the windows"; else ""."""
    ways = _WAYS_ZH if meant.zh else _WAYS_EN
    said = list(ways.finditer(plain(meant.ahead, meant.locale)))
    if ways.search(meant.form) or not said or not re.match(r"(?:and|or|plus|as well as)\b|[和跟及]|还有", meant.form):
        return ""
    return "close" if said[-1]["shut"] else "open"


Understand = Callable[[Meant], tuple[Match, ...]]
"""Pure. Nothing: the words don't say enough, and there is nothing to ask."""


_CHOSEN_EN = re.compile(
    r"(?:(?:and|no|um|uh|the|that|my|please|okay) )*(?:first|second|third|fourth|fifth|sixth|\d+(?:st|nd|rd|th))(?: (?:one|option|timer|choice|place|please))*"
)
_CHOSEN_ZH = re.compile(r"(?:就|要|选|那|嗯|还是)*第[一二三四五六七八九十\d]+(?:个|项|条|家|种)?(?:吧|好了|谢谢)?")


def chosen_alone(text: str, locale: str) -> bool:
    """Nothing but a place in a list: "the second one"."""
    return (_CHOSEN_ZH if language(text, locale) == "zh" else _CHOSEN_EN).fullmatch(plain(text, locale)) is not None


_FRACTION = r"(?:an? |one |three |two )?(?:half|quarters?|thirds?)\b"


def clauses(meant: Meant) -> list[Meant]:
    """The stretch cut where people pause or say "and"."""
    form = marked(meant.text, meant.locale)
    cut = (
        r"\s+[,.](?:\s+|$)|然后|还有|再(?=把|给)"
        if meant.zh
        else rf"\s+[,.](?:\s+|$)|\s+(?:and then|and also|and(?! {_FRACTION})|then|but)\s+"
    )
    return [meant.of(piece.strip()) for piece in re.split(cut, form) if piece.strip(" ,.")]


_NUMERAL_ZH = re.compile(r"(?<![第\d.])\d+$|(?<!第)[零一二两三四五六七八九十百廿卅]+(?:点[零一二三四五六七八九]+)?")
_NO_NUMBER_ZH = re.compile(
    r"(?:一(?:点|些|丢|丁|下|会|直|样|起|边|个|条|溜|侧|半|排|趟|遍|声|块|路|定|般|格|档|截)|[两二三四五](?:边|侧|个|扇|块|位|人)|四(?:面|周|处)|十分(?!之)|百分|三分|千万)"
)


def said_numbers(meant: Meant) -> list[Number]:
    """The numbers of a stretch in order, its clauses read apart. In Chinese also where other words follow than a car's numbers have: it is
    known here that a number is meant."""
    found: list[Number] = []
    for clause in clauses(meant) or [meant]:
        numbers = list(find_numbers(clause.text, clause.locale))
        if not numbers and meant.zh:
            for m in _NUMERAL_ZH.finditer(clause.form):
                number = None if _NO_NUMBER_ZH.match(clause.form, m.start()) else parse_number(m.group(), "zh")
                if number is not None:
                    numbers.append(Number(number.value, m.group(), m.span(), False))
        found += [one for one in numbers if not one.ordinal]
    return found


def as_written(words: str, text: str) -> str:
    """Words of the plain form as they stand in the text: with capitals, and the 's that the plain form has lost."""
    found = re.search(r"(?:'s)?[\W_]*".join(re.escape(word) for word in words.split()) + r"(?:'s)?(?!\w)", text, re.IGNORECASE)
    return found.group() if found is not None else words


def by_numbers(meant: Meant) -> list[Meant]:
    """The stretch cut between its numbers: behind each where the first stands at the end of its clause, else before each."""
    form = meant.form
    spans = [number.span for number in find_numbers(form, meant.locale)]
    if len(spans) < 2:
        return [meant]
    if spans[0][0] > 0 and meant.zh or (not meant.zh and spans[0][0] > len("set it to ")):
        cuts = [end + len(re.match(r"度半?|%| ?percent| degrees?|", form[end:]).group()) for _, end in spans[:-1]]  # type: ignore[union-attr]
    else:
        cuts = [begin for begin, _ in spans[1:]]
    bounds = [0, *cuts, len(form)]
    return [meant.of(form[low:high].strip()) for low, high in zip(bounds[:-1], bounds[1:], strict=True)]
