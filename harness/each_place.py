"""One thing in several places, with a value for each: every place with its thing and its own value. Pure.

    "my window halfway, hers all the way down"    put my window halfway · put her window all the way down
    "nineteen for me and twenty three for her"    set my side to nineteen · set her side to twenty three
    主驾座椅加热开高档，副驾关掉                         主驾座椅加热开高档 · 副驾座椅加热关掉

Of windows, the heating of seats and temperatures only. Each place is decided as if it were said alone; where one of them is no single call, the sentence
is left to others. What stands behind may only be a remark. Does not know skills, or the car.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from ridealong.harness.one_verb import NO_ORDER_EN, NO_ORDER_ZH
from ridealong.harness.parts import joined
from ridealong.harness.router import Also, AskBack, Calls, ChitChat, Decision, Nothing
from ridealong.harness.skill import Match
from ridealong.harness.slots.text import language, marked


@dataclass(frozen=True, slots=True)
class _Kind:
    """`thing`: what the places have; `put`: how one place with its value is said alone."""

    units: tuple[re.Pattern[str], ...]
    thing: str
    put: str


WARMTH: Final = ("temperature", "温度")
_OWNER_EN: Final = r"(?:the )?(?:(?:driver|passenger)s?(?: sides?)?|(?:front|rear|back) (?:left|right)|(?:left|right) (?:front|rear|back)|left|right)(?: (?:hand )?side)?|my side|(?:his|her)s?(?: side)?|my|mine"
_LEAD_EN: Final = r"(?:(?:please|can you|could you|would you|just|now|and|so|let's have) )*"
_JOIN_EN: Final = re.compile(r"\s*(?:,|\.|;)?\s*(?:(?:and|but|while|with) )?\s*")
_JOIN_ZH: Final = re.compile(r"\s*[,，。;；、]?\s*(?:然后|再|而|和)?\s*")
_SMALL: Final = r"(?:one|two|three|four|five|six|seven|eight|nine|half|a half)"
_NUMBER_EN: Final = rf"(?:\d+(?:[.]\d+)?|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty(?:[ -]{_SMALL})?|thirty)(?: (?:point \w+|and a half))?(?: degrees?(?: celsius)?)?"
_SHARE_EN: Final = (
    r"(?:\d+|(?:ten|fifteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)(?:[ -]five)?|a hundred) ?(?:percent|%)"
)
_OPENING_EN: Final = rf"(?:(?:open|down|up|rolled|put)? ?(?:to )?(?:half ?way|half|(?:a|one) (?:quarter|third)|three quarters|{_SHARE_EN}|all the way|fully|completely|a (?:bit|little|crack|touch))(?: (?:of the way|way))?(?: (?:open|down|up|closed|shut))?|open|closed|shut|down|up)"
_WARMTH_EN: Final = r"(?:(?:to|on|at)? ?(?:high|low|medium|max|full|off|on|(?:level )?(?:one|two|three|1|2|3)))"
_HEATING_EN: Final = r"(?:(?:seat|heated) (?:heating|heaters?|warmers?|seats?)|seats? (?:heating|heaters?|warmers?))"
_SIDE_EN: Final = r"(?:for |on |at |in )?(?:me|him|her|us|(?:the )?(?:driver|passenger)s?(?: sides?)?|(?:the )?(?:left|right)(?: side)?|(?:my|his|hers?|mine)(?: sides?)?|(?:the )?(?:front|back|rear)|up front|(?:he|she) (?:wants|likes|gets|would like|prefers))"

_PLACE_ZH: Final = r"(?:[主副]驾驶?(?:座|位|侧|这边|那边)?|司机|乘客|左前|右前|左后|右后|前[排座面]|后[排座面]|[左右][边侧](?:两[扇个])?|我(?:这边|自己)?|[他她](?:那边)?)"
_NUMBER_ZH: Final = r"(?:[一二三四五六七八九十两]+|\d+(?:[.]\d+)?)(?:点[五\d])?(?:度半?|℃)?"
_OPENING_ZH: Final = (
    r"(?:[都全]?(?:打开|开着|敞开|关上|关死|关紧|关掉|关着|关严|降下来?|升上[去来]|放下来?|摇上[去来])|"
    r"[打都]?[开降放](?:到|个|一?条|一?道)?(?:底|一半|缝|[一二三四]分之[一二三]|百分之[一二三四五六七八九十]+|\d+%?)|一半)"
)
_WARMTH_ZH: Final = r"(?:(?:[开调设]到?|打开到)?(?:最?[高中低]|[一二三123])[档挡]|关掉|关上|关了|打开|开着)"

_EN: Final = (
    _Kind(
        (
            re.compile(
                rf"(?:(?:put|set|open|have|leave|roll|wind) )?(?P<place>{_OWNER_EN})(?: (?P<thing>window)s?)?(?: one)? (?P<value>{_OPENING_EN})(?= ?(?:$|,|[.]|and\b|but\b|while\b|please\b))"
            ),
        ),
        "window",
        "put {place} window {value}",
    ),
    _Kind(
        (
            re.compile(
                rf"(?:(?:put|set|turn|switch) )?(?P<place>{_OWNER_EN})(?: (?P<thing>{_HEATING_EN}))?(?: one)? (?P<value>{_WARMTH_EN})(?= ?(?:$|,|[.]|and\b|but\b|while\b|please\b))"
            ),
        ),
        "seat heating",
        "put {place} seat heating {value}",
    ),
    _Kind(
        (
            re.compile(
                rf"(?:(?:make it|set it|put it|have it|set|put|have|give|i want|i'd like) )?(?:the )?(?:temperature )?(?:to |on |at )?(?P<value>{_NUMBER_EN}) (?P<place>(?:for|on|at|in) {_SIDE_EN}|up front)"
            ),
            re.compile(
                rf"(?:(?:set|put|give|keep) )?(?P<place>{_SIDE_EN})(?: (?P<thing>temperature))?(?: (?:to|on|at|is|wants|gets))? (?P<value>{_NUMBER_EN})"
            ),
        ),
        "temperature",
        "set {place} to {value}",
    ),
)
_ZH: Final = (
    _Kind(
        (re.compile(rf"[把将]?(?P<place>{_PLACE_ZH})的?(?P<thing>车?窗[户子]?)?(?P<value>{_OPENING_ZH})"),),
        "车窗",
        "{place}车窗{value}",
    ),
    _Kind(
        (re.compile(rf"[把将]?(?P<place>{_PLACE_ZH})的?(?P<thing>座椅加热|座位加热|加热)?(?P<value>{_WARMTH_ZH})"),),
        "座椅加热",
        "{place}座椅加热{value}",
    ),
    _Kind(
        (
            re.compile(
                rf"[把将]?(?P<place>{_PLACE_ZH})的?(?P<thing>温度|空调)?(?:调到|调成|设到|设为|设成|开到?|要|给)?(?P<value>{_NUMBER_ZH})(?![档挡%个分岁号块元点]|成|公里|分钟)"
            ),
        ),
        "温度",
        "{place}温度调到{value}",
    ),
)
_BINDS: Final = re.compile(
    r"\?|\b(?:if|when|whenever|unless|until|once|after|before|not|never|don'?t|except|but|without|instead|said|says|told|or|is|are)\b|"
    r"[?？]|[吗呢](?=$|[，。])|别|如果|要是|的话|的时候|以后|之后|之前|说|或|还是|除了|岁"
)
"""A condition, a denial, a question: no mere remark."""
_OWNERS: Final = {
    "mine": "my",
    "hers": "her",
    "his": "his",
    "me": "my side",
    "him": "his side",
    "her": "her side",
    "us": "our side",
}
_WHOLE_ZH: Final = {"我": "我这边", "他": "他那边", "她": "她那边", "后面": "后排", "前面": "前排"}
_TAIL_EN: Final = re.compile(r"[ ,.]*(?:please|thanks|thank you|ok|okay)?[ ,.]*")
_TAIL_ZH: Final = re.compile(r"[ ，,。.]*(?:吧|了|谢谢|好吗|可以吗|行吗)*[ ，,。.]*")


def each_with_its_value(text: str, locale: str, decide: Callable[[str], Decision]) -> Calls | None:
    """None where it is no such sentence. `decide`: of words alone."""
    zh = language(text, locale) == "zh"
    form = re.sub(r"\s+", " ", marked(text, locale)).replace(" , ", ", ").strip(" .,")
    form = form.replace(" ", "") if zh else form
    for kind in _ZH if zh else _EN:
        if (cut := _units(form, kind, zh)) is None:
            continue
        said, rest = cut
        order = re.sub(r"\bbut\b", "and", form.removesuffix(rest)) if rest else form
        if (NO_ORDER_ZH if zh else NO_ORDER_EN).search(order) or rest and not _is_remark(rest, decide):
            continue
        matches: tuple[Match, ...] = ()
        also: list[Also] = []
        for one in said:
            match decide(one):
                case Calls(matches=(call,), also=()) as made if "zone" in call.arguments:
                    matches = joined(matches, made.matches)
                case AskBack() as asked if kind.thing in WARMTH:
                    also.append(Also(one, asked))  # the rear has no temperature of its own
                case _:
                    return None
        return Calls(matches, tuple(also)) if matches and len(matches) + len(also) == len(said) else None
    return None


def _is_remark(rest: str, decide: Callable[[str], Decision]) -> bool:
    return _BINDS.search(rest) is None and isinstance(decide(rest), ChitChat | Nothing)


def _units(form: str, kind: _Kind, zh: bool) -> tuple[list[str], str] | None:
    """What is said of each place, whole, and what stands behind."""
    join, tail = (_JOIN_ZH, _TAIL_ZH) if zh else (_JOIN_EN, _TAIL_EN)
    at = 0 if zh else len(re.match(_LEAD_EN, form).group())  # type: ignore[union-attr]  # matches anything
    found: list[re.Match[str]] = []
    while (unit := next((hit for one in kind.units if (hit := one.match(form, at))), None)) is not None:
        found.append(unit)
        at = join.match(form, unit.end()).end()  # type: ignore[union-attr]  # matches anything
    if len(found) < 2 or len({unit["place"] for unit in found}) < len(found):
        return None
    named = "thing" in found[0].re.groupindex and found[0]["thing"] is not None
    if (
        not named
        and kind.thing in ("window", "车窗", "seat heating", "座椅加热")
        and not re.search(r"两扇|[左右][前后]", found[0]["place"])
    ):
        return None
    ending = tail.match(form, at)
    rest = form[ending.end() if ending is not None else at :]
    return [kind.put.format(place=_place(unit["place"], kind, zh), value=unit["value"]) for unit in found], rest


def _place(place: str, kind: _Kind, zh: bool) -> str:
    if zh:
        return _WHOLE_ZH.get(place, place.removesuffix("自己"))
    bare = re.sub(r"^(?:for|on|at|in) ", "", place)
    bare = _OWNERS.get(bare, bare)
    if kind.thing not in WARMTH:
        return bare
    bare = re.sub(r"^(?:the )?(?P<who>he|she) .*", lambda wish: "his" if wish["who"] == "he" else "her", bare)
    if re.fullmatch(r"(?:the )?(?:front|back|rear)|up front", bare):
        return f"the temperature in the {bare.removeprefix('the ').removeprefix('up ')}"
    return bare if bare.endswith("side") else f"{bare} side"
