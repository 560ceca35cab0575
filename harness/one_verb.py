"""One verb for several things, or one thing in several places, said as it is meant: each thing with its verb, each place with its thing. Pure.

    "turn off the AC and the seat heating"       turn off the AC and turn off the seat heating
    把空调和座椅加热都打开                            打开空调，打开座椅加热
    "set driver and passenger temperature to 22" set driver temperature to 22 and set passenger temperature to 22

Only of clauses that are nothing else, in a sentence that neither asks, denies nor sets a condition; and every thing must be one that cars have, so that no title or name
is taken apart ("turn on the Mamas and the Papas"). Each part is decided as if it were said alone. Does not know skills, or the car.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from ridealong.harness.car_things import ANY_EN, ANY_ZH
from ridealong.harness.parts import joined
from ridealong.harness.router import Also, AskBack, Calls, ChitChat, Decision
from ridealong.harness.skill import Match
from ridealong.harness.slots.text import language, marked
from ridealong.harness.slots.zone import SEATS
from ridealong.harness.slots.zones import cover

LONGEST: Final = 200
"""A clause with more characters is no list that somebody says."""
_OF_EN: Final = r"(?:the|our|all|both|all the|all of the|both the|all my|all our)"
_PLACE_EN: Final = (
    r"(?:(?:(?:front |rear |back )?(?:driver|passenger)s?|(?:front|rear|back) (?:left|right)|(?:left|right) (?:front|rear|back)|left|right|my|his|her)(?: side)?|"
    r"front|rear|back)"
)
_LEAD_EN: Final = r"(?:(?:please|can you|could you|would you|will you|just|now|go ahead and|also|then|and) )*"
_JOIN_EN: Final = r"(?:,? (?:and(?: also)?|plus|as well as|along with|together with) |, )"
_VALUE_EN: Final = r"to [\w.]+(?: [\w.]+){0,3}"
_KIND_EN: Final = (
    r"(?:,? (?:please|for me|now|thanks|thank you|too|as well|a bit|a little|half ?way|fully|completely|all the way))*"
)
_PLACES_EN: Final = rf"(?:the )?{_PLACE_EN}(?:{_JOIN_EN}(?:the )?{_PLACE_EN})*"
ITEM_EN: Final = rf"(?:{_PLACES_EN} |{_OF_EN} )?{ANY_EN}"
_ITEMS_EN: Final = rf"(?P<items>{ITEM_EN}(?:{_JOIN_EN}{ITEM_EN})*)"
_MOVED_EN: Final = _ITEMS_EN.replace(ANY_EN, r"(?:windows?|sun ?roof|roof)")
"""How far is said of them."""
_ONE_EN: Final = re.compile(
    rf"(?:^|{_JOIN_EN})(?:(?P<places>{_PLACES_EN}) |(?P<of>{_OF_EN} ))?(?P<thing>{ANY_EN})(?=$|{_JOIN_EN})"
)
_WAY_EN: Final = r"(?:on|off|up|down)"
_MOVES_EN: Final = r"(?:open|close|shut|(?:roll|wind) (?:up|down)|lower|raise)"
_VERB_EN: Final = (
    rf"(?:(?:turn|switch|put) {_WAY_EN}|{_MOVES_EN}|start|stop|lock|unlock|heat(?: up)?|warm(?: up)?|cool(?: down)?)"
)
_WHO_EN: Final = (
    r"(?:me|him|her|myself|the (?:driver|passenger)|(?:my|his|her|the (?:driver|passenger|driver's|passenger's)) (?:side|seat))"
)
_FORMS_EN: Final = tuple(
    re.compile(form)
    for form in (
        rf"{_LEAD_EN}(?P<verb>{_VERB_EN}) {_ITEMS_EN}(?P<tail>{_KIND_EN})",
        rf"{_LEAD_EN}(?P<verb>{_MOVES_EN}) {_MOVED_EN}(?P<tail> {_VALUE_EN})",
        rf"{_LEAD_EN}(?P<verb>turn|switch|put|roll|wind|set) {_ITEMS_EN}(?P<tail> {_WAY_EN}{_KIND_EN}| {_VALUE_EN})",
        rf"{_LEAD_EN}{_ITEMS_EN}(?P<tail> {_WAY_EN}{_KIND_EN})(?P<verb>)",
    )
)
_FOR_EN: Final = re.compile(
    rf"{_LEAD_EN}(?P<ahead>{_VERB_EN} (?:the )?{ANY_EN} (?:for|on|in)) (?P<who>{_WHO_EN}(?:{_JOIN_EN}(?:for |on )?{_WHO_EN})+|{_PLACES_EN}(?P<seat> (?:seat|side))s?){_KIND_EN}"
)
_COURTESY: Final = re.compile(r",? (?:please|for me|now|thanks|thank you|too|as well)\b")
_SEVERAL_SEATS: Final = re.compile(r"(?:the )?(?:front|rear|back|left|right)")
_BARE_WAY: Final = re.compile(rf" (?P<way>{_WAY_EN})\b")

_PLACE_ZH: Final = r"(?:[主副]驾驶?(?:座|位|侧|这边|那边)?|司机|乘客|左前|右前|左后|右后|前[排座面]|后[排座面]|[左右](?:边|侧)|我(?:这边)?|[他她](?:那边)?|所有|全部|四个|全车)"
_JOIN_ZH: Final = r"(?:,?(?:和|跟|与|及|以及|还有|加上)|、|,)"
_LEAD_ZH: Final = r"(?:请|麻烦|帮我|帮忙|给我|替我|你|再|也|顺便|现在|马上)*"
_VERB_ZH: Final = r"(?:(?:打开|开启|关闭|关上|关掉|关了|启动|锁上|解锁|升起|降下|调高|调低|调大|调小|开|关)(?:一下)?)"
_VALUE_ZH: Final = r"(?:[调设开升降定弄](?:到|成|为|至|在)[\u4e00-\u9fff\d.%]{1,8})"
_ENDING_ZH: Final = r"(?:一下|吧|了|呗|啊|谢谢|好吗|可以吗|行吗|一半|一点|点儿?)*"
_PLACES_ZH: Final = rf"{_PLACE_ZH}(?:{_JOIN_ZH}{_PLACE_ZH})*"
ITEM_ZH: Final = rf"(?:{_PLACES_ZH}的?)?{ANY_ZH}"
_ITEMS_ZH: Final = rf"(?P<items>{ITEM_ZH}(?:{_JOIN_ZH}{ITEM_ZH})*)"
_ONE_ZH: Final = re.compile(rf"(?:^|{_JOIN_ZH})(?:(?P<places>{_PLACES_ZH})的?)?(?P<thing>{ANY_ZH})(?=$|{_JOIN_ZH})")
_ALL_ZH: Final = r"(?:[都全]|一起|同时|统统)*(?:给我)?"
_FORMS_ZH: Final = tuple(
    re.compile(form)
    for form in (
        rf"{_LEAD_ZH}(?P<verb>{_VERB_ZH}){_ITEMS_ZH}(?P<tail>)(?P<ending>{_ENDING_ZH})",
        rf"{_LEAD_ZH}[把将]?{_ITEMS_ZH}{_ALL_ZH}(?P<verb>{_VERB_ZH})(?P<tail>)(?P<ending>{_ENDING_ZH})",
        rf"{_LEAD_ZH}[把将]?{_ITEMS_ZH}{_ALL_ZH}(?P<tail>{_VALUE_ZH})(?P<verb>)(?P<ending>{_ENDING_ZH})",
    )
)
_AMOUNT_ZH: Final = re.compile(r"一半|一?点儿?")
_WHOLE_ZH: Final = {"开": "打开", "关": "关掉", "关了": "关掉"}

_CLAUSE_EN: Final = re.compile(
    rf"(?P<join>[.;!]\s+|,?\s+(?:and then|and|then)\s+|,\s+)(?={_LEAD_EN}(?:{_VERB_EN}|set|turn|switch|put|navigate|take me|drive|play|call|tell|remind|make|give|show|read)\b)",
    re.IGNORECASE,
)
_CLAUSE_ZH: Final = re.compile(
    rf"(?P<join>[。；;!！]\s*|(?:[，,]\s*)?(?:然后|接着|同时|再)(?=[把将]?[\u4e00-\u9fff])|[，,]\s*(?={_LEAD_ZH}(?:[把将]|{_VERB_ZH}|导航|播放|打电话|提醒)))"
)
NO_ORDER_EN: Final = re.compile(
    r"\?|\b(?:if|when|whenever|unless|until|once|after|before|not|never|don'?t|didn'?t|doesn'?t|won'?t|did|does|why|what|who|how|which|whether|said|says|told|or|except|but|without|instead)\b",
    re.IGNORECASE,
)
NO_ORDER_ZH: Final = re.compile(
    r"[?？]|[吗呢](?=$|[，。])|别|不|没|如果|要是|的话|的时候|以后|之后|之前|什么|怎么|为什么|谁|说|或|还是|除了"
)


def each_with_its_verb(text: str, locale: str, decide: Callable[[str], Decision]) -> Decision | None:
    """What becomes of every part; None where it is no such sentence, or something in it is no request by itself. `decide`: of words alone."""
    clauses = clauses_of(text, locale)
    if all(len(parts) == 1 for _, parts in clauses):
        return None
    if not all(len(parts) > 1 for _, parts in clauses):
        between = " and " if language(text, locale) == "en" else "，"
        return decide("".join(join + between.join(parts) for join, parts in clauses))
    said = [part for _, parts in clauses for part in parts]
    return _together([(part, decide(part)) for part in said])


def clauses_of(text: str, locale: str) -> list[tuple[str, list[str]]]:
    """What stands before each clause, and its parts, each whole; a clause that is no such list is its own only part, as written."""
    zh = language(text, locale) == "zh"
    text = text.rstrip(".。!！ ")
    asked = _KINDLY.sub("", text).rstrip("?？ ") if _KINDLY.search(text) else text
    if (NO_ORDER_ZH if zh else NO_ORDER_EN).search(asked):
        return [("", [text])]
    cut = (_CLAUSE_ZH if zh else _CLAUSE_EN).split(text)  # clause, join, clause, …
    return [
        (join, (len(clause) <= LONGEST and (_zh(clause) if zh else _en(clause))) or [clause])
        for join, clause in zip(["", *cut[1::2]], cut[::2], strict=True)
    ]


_KINDLY: Final = re.compile(r"^(?:can|could|would|will) you\b|(?:好吗|可以吗|行吗)(?=[?？。 ]*$)", re.IGNORECASE)


def _together(decided: Sequence[tuple[str, Decision]]) -> Decision | None:
    """One thing in several places is one call where a place has all their names. What is asked of a part, or can't be done, is said beside the rest."""
    matches: tuple[Match, ...] = ()
    also: list[Also] = []
    for words, decision in decided:
        match decision:
            case Calls(matches=made, also=more):
                matches = joined(matches, made)
                also += more
            case AskBack() | ChitChat():
                also.append(Also(words, decision))
            case _:
                return None
    if not matches:
        return also[0].decision if also else None
    return Calls(_in_one(matches), tuple(also))


def _in_one(matches: tuple[Match, ...]) -> tuple[Match, ...]:
    first = matches[0]
    zones = [one.arguments.get("zone") for one in matches]
    alike = all(
        one.capability == first.capability and not one.after and not one.behind
        and {**one.arguments, "zone": ""} == {**first.arguments, "zone": ""}
        for one in matches
    )  # fmt: skip
    if not alike or not all(isinstance(zone, str) and zone in SEATS for zone in zones):
        return matches
    places = cover({seat for zone in zones for seat in SEATS[str(zone)]})
    if len(places) != 1:
        return matches
    grounds = {**first.grounds, "zone": " ".join(one.grounds["zone"] for one in matches if "zone" in one.grounds)}
    return (replace(first, arguments={**first.arguments, "zone": places[0]}, grounds=grounds),)


def _en(clause: str) -> list[str]:
    form = re.sub(r"\s+", " ", marked(clause, "en")).replace(" , ", ", ").strip(" .,")
    if (found := _FOR_EN.fullmatch(form)) is not None:
        who = found["who"].removesuffix("s") if found["seat"] else found["who"]
        each = re.split(rf"{_JOIN_EN}(?:for |on )?", who.removesuffix(found["seat"] or ""))
        return [f"{found['ahead']} {one}{found['seat'] or ''}" for one in each] if len(each) > 1 else []
    for pattern in _FORMS_EN:
        if (found := pattern.fullmatch(form)) is not None:
            verb, tail = found["verb"], _COURTESY.sub("", found["tail"])
            if not verb and (way := _BARE_WAY.search(tail)) is not None:  # "the AC and the radio off"
                verb, tail = f"turn {way['way']}", tail.replace(way.group(), "", 1)
            things = _things_en(found["items"])
            return [f"{verb} {thing}{tail}" for thing in things] if len(things) > 1 else []
    return []


def _things_en(items: str) -> list[str]:
    found = []
    for one in _ONE_EN.finditer(items):
        places = re.split(_JOIN_EN, one["places"]) if one["places"] else []
        if len(places) > 1:
            found += [f"{place} {one['thing'] if _SEVERAL_SEATS.fullmatch(place) else _single(one['thing'])}" for place in places]
        else:
            found.append(re.sub(rf"^{_JOIN_EN}", "", one.group()))
    return found


def _single(thing: str) -> str:
    return thing.removesuffix("s") if thing in ("windows", "seats", "doors", "lights") else thing


def _zh(clause: str) -> list[str]:
    form = marked(clause, "zh").replace(" ", "").strip(".,。")
    for pattern in _FORMS_ZH:
        if (found := pattern.fullmatch(form)) is not None:
            verb = _WHOLE_ZH.get(found["verb"], found["verb"])
            things, amount = _things_zh(found["items"]), _AMOUNT_ZH.search(found["ending"])
            return (
                [f"{verb}{thing}{found['tail']}{amount.group() if amount else ''}" for thing in things] if len(things) > 1 else []
            )
    return []


def _things_zh(items: str) -> list[str]:
    return [
        f"{place}{one['thing']}"
        for one in _ONE_ZH.finditer(items)
        for place in (re.split(_JOIN_ZH, one["places"]) if one["places"] else [""])
    ]
