"""The colours of the ambient light: as people say them, as an argument names them, and as the car has them (#RRGGBB). Pure, a table.

Does not know any light.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple


class Colour(NamedTuple):
    hex: str
    english: str
    chinese: str
    words_en: str
    words_zh: str


COLOURS: Final[dict[str, Colour]] = {
    "warm_white": Colour("#FFD6A5", "warm white", "暖白色", r"(?:warm|soft) (?:white|light)", r"暖白|暖色|暖光"),
    "red": Colour("#FF0000", "red", "红色", r"red|crimson|scarlet", r"(?<![玫粉])红"),
    "orange": Colour("#FF8000", "orange", "橙色", r"orange|amber|sunset", r"橙|橘|琥珀"),
    "yellow": Colour("#FFFF00", "yellow", "黄色", r"yellow|gold(?:en)?", r"黄|金"),
    "green": Colour("#00FF00", "green", "绿色", r"green|lime", r"绿|青柠"),
    "cyan": Colour("#00FFFF", "cyan", "青色", r"cyan|teal|turquoise|aqua", r"青|蓝绿"),
    "blue": Colour("#0000FF", "blue", "蓝色", r"blue", r"蓝"),
    "purple": Colour("#8000FF", "purple", "紫色", r"purple|violet|lilac|lavender", r"紫|薰衣草"),
    "pink": Colour("#FF66B2", "pink", "粉色", r"pink|rose|magenta", r"粉|玫红"),
    "white": Colour("#FFFFFF", "white", "白色", r"white", r"白"),
}
"""By argument. A name that holds another comes first: warm white before white."""
NAMES: Final = (
    "red", "orange", "yellow", "green", "cyan", "blue", "purple", "pink", "white", "warm_white",
)  # fmt: skip
_FROM: Final = re.compile(
    r"\bfrom \w+(?: \w+)? to\b|\binstead of \w+\b|\bnot \w+\b|从.{1,3}色?(?=改|变|换)|不要.{1,3}色?的?(?=要|，|,)"
)
"""What it is no more."""


def find_colour(form: str, zh: bool) -> tuple[str, str] | None:
    """(colour, the words that say so), the last that is named."""
    form = _FROM.sub(lambda m: "_" * len(m.group()), form)
    found: list[tuple[int, str, str]] = []
    taken: list[tuple[int, int]] = []
    for name, colour in COLOURS.items():
        for said in re.finditer(
            rf"{colour.words_zh}|(?<![a-z])(?:{colour.words_en})(?![a-z])" if zh else rf"\b(?:{colour.words_en})\b", form
        ):
            if all(said.end() <= low or said.start() >= high for low, high in taken):
                taken.append(said.span())
                found.append((said.start(), name, said.group()))
    if not found:
        return None
    _, name, words = max(found)
    return name, words


def colour_named(words: str, zh: bool) -> str | None:
    """The colour, where these words are one and nothing else."""
    found = find_colour(words, zh)
    if found is None:
        return None
    said = re.escape(found[1])
    alone = (
        rf"(?:变|换)?(?:成|为)?(?:淡|浅|深|大|天|那种|点)?{said}色?(?:的|光|的光)?"
        if zh
        else rf"(?:in |into )?(?:(?:a|some|nice|dark|deep|light|bright|pale|soft|sky) )*{said}(?: one| light| lights| glow)?"
    )
    return found[0] if re.fullmatch(alone, words) is not None else None


def spoken(hex_value: object, locale: str) -> str:
    """ "blue"; the value itself where no name of ours is it; "" for no value."""
    if not isinstance(hex_value, str) or not hex_value:
        return ""
    zh = locale.startswith("zh")
    known = next((one for one in COLOURS.values() if one.hex == hex_value.upper()), None)
    if known is None:
        return hex_value
    return known.chinese if zh else known.english
