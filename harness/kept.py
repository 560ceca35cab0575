"""Things that are to stay open as they are: 窗户开着吧, 天窗别关了，开着吧, "the boot can stay open". Nothing is done for it. Pure.

Only of what can be left open (windows, sunroof, boot, doors): 空调开着吧 switches something on. Which of them it is does not matter.
Does not know whether the thing is open, or what else the sentence asks for.
"""

from __future__ import annotations

import re
from typing import Final

from ridealong.harness.slots.text import language, plain

_THING_ZH: Final = r"(?:(?:我|你|他|她|左|右|前|后|主驾|副驾)(?:这|那)?(?:边|面|侧|排)?的?|这|那|这扇|那扇|所有的?)?(?:车?窗户?|天窗|车玻璃|玻璃|后备箱|尾门|车门|门)"
_OPEN_ZH: Final = r"(?:就|还是|先|都|也|一直|继续|这样|这么|那么|保持|可以|给我|随它|随他|让它|任它)*(?:敞|打)?开着"
_END_ZH: Final = r"(?:就(?:好|行|可以|成)|好了|没事|不用管|别动|不要动|不用动)?(?:了|吧|啊|呀|嘛|呗|好了|谢谢)*"
_STAYS_ZH: Final = re.compile(
    rf"(?:还是|就|先|那)*(?:让|留|由|随|任由?)?{_THING_ZH}{_OPEN_ZH}{_END_ZH}|(?:让|留着?){_THING_ZH}(?:就|先)*开着?{_END_ZH}"
)
_MERELY_ZH: Final = re.compile(r"给我|^开着$")
"""窗给我开着 asks for it to be opened."""
_NOT_SHUT_ZH: Final = re.compile(
    rf"(?:先|就|那)*(?:把)?{_THING_ZH}?(?:先|就|都|也)*(?:别|不要|不用|不必|甭|先别)(?:给我)?(?:关|合|升)(?:上|掉|起来)?{_END_ZH}"
)
_GOES_ON_ZH: Final = re.compile(rf"{_OPEN_ZH}{_END_ZH}")

_THING_EN: Final = r"(?:(?:the|my|that|this|our|his|her|all|both|all the|both the)(?: (?:left|right|front|rear|back|passenger|driver|passengers|drivers))? )?(?:windows?|sunroof|boot|trunk|tailgate|doors?)"
_STAYS_EN: Final = re.compile(
    rf"(?:(?:please|just|no|okay|ok|and|then|so|well) )*(?:{_THING_EN} (?:can|may|could|should) (?:just )?(?:stay|remain|be left) (?:open|down|as (?:it is|they are))"
    rf"|(?:leave|keep|let) {_THING_EN} (?:stay |be |just )*(?:open|down|as (?:it is|they are)))(?: (?:please|thanks|for now|as (?:it is|they are)))*"
)
_NOT_SHUT_EN: Final = re.compile(
    rf"(?:(?:please|just|no|and|so) )*do not (?:close|shut) (?:{_THING_EN}|it|them)(?: (?:please|thanks|yet))*"
)
_GOES_ON_EN: Final = re.compile(
    r"(?:just )?(?:leave|keep) (?:it|them) (?:open|down|like that|as (?:it is|they are))(?: please)?|(?:it|they) can stay open"
)


def stays(clause: str, locale: str) -> bool:
    """These words alone: a thing that is to be left open."""
    form = plain(clause, locale)
    if language(clause, locale) != "zh":
        return _STAYS_EN.fullmatch(form) is not None
    return _STAYS_ZH.fullmatch(form) is not None and _MERELY_ZH.search(form) is None


def kept(text: str, locale: str) -> bool:
    """The whole sentence: every clause leaves the thing as it is, and one names it."""
    zh = language(text, locale) == "zh"
    not_shut, goes_on = (_NOT_SHUT_ZH, _GOES_ON_ZH) if zh else (_NOT_SHUT_EN, _GOES_ON_EN)
    clauses = [form for piece in re.split(r"[,.;!，。；！]+(?!\d)", text) if (form := plain(piece, locale))]
    if not clauses or not (stays(clauses[0], locale) or not_shut.fullmatch(clauses[0])):
        return False
    return all(stays(form, locale) or not_shut.fullmatch(form) or goes_on.fullmatch(form) for form in clauses)
