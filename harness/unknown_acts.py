"""Verbs that no skill knows, said of things that one does: "hoover the carpet", "polish the seats", 修一下空调. Pure.

A tagger has learnt the things with the verbs of the skills, and hears those verbs in others. What is cleaned, mended, sold, measured or taken apart is
done by nobody here, however sure it is; a verb that none of the texts knows, or that no skill is asked for with, only where it is sure.
Does not know the car, or what the words were taken for.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Set
from typing import Final

from ridealong.harness.framing import frame
from ridealong.harness.slots.text import language

UNSURE: Final = 0.8
"""Below it a tagger's reading of a verb that no skill is asked for with does not count."""
_NEAR: Final = 0.7
"""As like a known word, an unknown one is only misheard."""
_SPELT: Final = 0.8
"""As like a known thing, another is only spelt wrong."""
_FOREIGN_EN: Final = frozenset(
    [
        "hoover",
        "vacuum",
        "wash",
        "clean",
        "scrub",
        "polish",
        "paint",
        "wax",
        "tint",
        "repair",
        "mend",
        "fix",
        "replace",
        "dust",
        "mop",
        "sweep",
        "rinse",
        "shampoo",
        "sell",
        "buy",
        "rent",
        "lease",
        "steal",
        "measure",
        "weigh",
        "count",
        "photograph",
        "film",
        "sketch",
        "iron",
        "sew",
        "glue",
        "weld",
        "drill",
        "saw",
        "smash",
        "break",
        "kick",
        "lick",
        "eat",
        "cook",
        "bake",
        "fry",
        "water",
        "mow",
        "feed",
        "insure",
        "wrap",
        "decorate",
        "inspect",
        "service",
        "upgrade",
        "dismantle",
        "remove",
        "uninstall",
        "install",
        "fold",
        "pack",
        "unpack",
        "carry",
        "tow",
        "patch",
        "varnish",
        "sand",
    ]
)
_OBJECT_EN: Final = re.compile(
    r"(?:(?:and|then|also|just|now|please|go|quickly) )*(?P<verb>[a-z]{3,}) (?:(?:out|off|down|up) )?(?:the|my|our|your|his|her|their|this|that|these|those|all|both|a|an)\b(?! (?:bit|little|touch|notch|tad|lot))"
)
_OPENED_EN: Final = re.compile(
    r"(?:(?:and|then|also|just|now|please) )*(?:open|close|shut|lock|unlock) (?:the|my|our|that|this) (?P<thing>[a-z]{3,})(?: please)?"
)
_THING_ZH: Final = r"(?:前|后|左|右|主驾|副驾|车|车里|这个|那个|我的)*(?:的)?(?:挡风玻璃|车?窗户?|天窗|玻璃|空调|座椅|座位|坐垫|雨刮器?|雨刷器?|风扇|后备箱|尾门|车门|方向盘|地毯|脚垫|车灯|大灯|灯|音响|仪表盘|屏幕|暖气|车)(?:膜)?"
_VERB_ZH: Final = r"(?:洗|清洗|清洁|打扫|修|修理|维修|卖|买|贴膜|贴|拆|拆卸|打蜡|抛光|喷漆|换掉|更换|换|吸尘|吸|消毒|保养|检修|量|量量|画|砸|踢|缝|补|装饰|改装|粉刷|租|称|拍照)"
_FOREIGN_ZH: Final = re.compile(
    rf"(?:请|麻烦|帮我|给我|再|去|来|顺便|然后)*(?:(?:把|给|将|帮)?{_THING_ZH}(?:给我)?{_VERB_ZH}{{1,2}}(?:一下|一|下|干净|坏|掉|好|了|个|吧)*|{_VERB_ZH}{{1,2}}(?:一下|一|下|个|点|一点|掉|干净|好)*{_THING_ZH}(?:吧|了|啊|一下)*)"
)


def unknown_act(piece: str, locale: str, known: tuple[Set[str], Set[str]], share: float) -> bool:
    """`known`: the words that skills are asked for with, and all that the texts know; `share`: how sure the reading is that takes it for a skill's."""
    core = frame(piece, locale).core
    if language(piece, locale) == "zh":
        return _FOREIGN_ZH.fullmatch(core) is not None
    asked, anywhere = known
    if (opened := _OPENED_EN.fullmatch(core)) is not None:  # "open the oven" opens no sunroof
        thing = opened["thing"]
        return (
            thing not in asked
            and thing.removesuffix("s") not in asked
            and not difflib.get_close_matches(thing, sorted(asked), 1, _SPELT)
        )
    found = _OBJECT_EN.match(core)
    if found is None:
        return False
    verb = found["verb"]
    if verb in _FOREIGN_EN:
        return True
    if share >= UNSURE or verb in asked or verb.removesuffix("s") in asked:
        return False
    return verb in anywhere or not difflib.get_close_matches(verb, sorted(anywhere), 1, _NEAR)
