"""Which places in the car, as a set: "all but mine", "the fronts", "her side", 除了副驾都, 前面俩. Built on zone.py's single places.

A place counts against the set where an exception stands before it ("except", "not", 除了, 别). The set is then named by the fewest
zones. Left and right become roles only with the drive side of this car.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ridealong.harness.slots.text import language, marked, plain
from ridealong.harness.slots.zone import SEATS, Side, Zone, resolve

Seat = tuple[int, str]
_ORDER = (
    "all",
    "row1",
    "row2",
    "driver_side",
    "passenger_side",
    "row1.driver",
    "row1.passenger",
    "row2.driver",
    "row2.passenger",
)

_EN: tuple[tuple[str, int, Side], ...] = (
    (r"(?:the )?(?:one|window|seat)?s? ?behind (?:me|the driver|my seat)", 2, Side.DRIVER),
    (r"(?:the )?(?:one|window|seat)?s? ?behind (?:the (?:front )?passenger|him|her|my (?:wife|husband|mate))", 2, Side.PASSENGER),
    (r"(?:rear|back|left|right) (?:hand )?(?:side )?(?:rear|back) left|(?:rear|back)(?: seat)?(?: on the| window on the)? left|left(?: hand)?(?: side)?(?: in the)? (?:rear|back)(?: one| window)?", 2, Side.LEFT),
    (r"(?:rear|back)(?: seat)?(?: on the| window on the)? right|right(?: hand)?(?: side)?(?: in the)? (?:rear|back)(?: one| window)?", 2, Side.RIGHT),
    (r"(?:rear|back)(?: seat)?(?: on the| window on the)? driver(?:s)?(?: side)?|driver(?:s)?(?: side)? (?:rear|back)", 2, Side.DRIVER),
    (r"(?:rear|back)(?: seat)?(?: on the| window on the)? (?:front )?passenger(?:s)?(?: side)?|passenger(?:s)?(?: side)? (?:rear|back)", 2, Side.PASSENGER),
    (r"front left|left front|front window on the left|left (?:one )?(?:up|in the) front", 1, Side.LEFT),
    (r"front right|right front|front window on the right|right (?:one )?(?:up|in the) front", 1, Side.RIGHT),
    (r"(?:everything|windows|all|both|whole|ones) (?:on |along )?(?:the |my )?left(?: hand)?(?: side)?|left(?: hand)?(?: side)? (?:windows|ones)|left hand side", 0, Side.LEFT),
    (r"(?:everything|windows|both|whole|ones) (?:on |along )?(?:the |my )?right(?: hand)?(?: side)?(?! now| away| there| then| here| this| back| after| down| up| at)|all (?:on |along )(?:the |my )?right(?: hand)?(?: side)?|right(?: hand)?(?: side)? (?:windows|ones)|right hand side", 0, Side.RIGHT),
    (r"driver(?:s)?(?: hand)? side (?:front and (?:back|rear)|both (?:doors|windows|seats|of them))", 0, Side.DRIVER),
    (r"passenger(?:s)?(?: hand)? side (?:front and (?:back|rear)|both (?:doors|windows|seats|of them))", 0, Side.PASSENGER),
    (r"(?:my|our) side (?:front and (?:back|rear)|both (?:doors|windows|seats|of them))", 0, Side.SPEAKER),
    (r"(?:everything|windows|all|both|whole|ones) (?:on |along )?(?:the )?driver(?:s)? side|driver(?:s)? side (?:windows|ones)", 0, Side.DRIVER),
    (r"(?:everything|windows|all|both|whole|ones) (?:on |along )?(?:the )?passenger(?:s)? side|passenger(?:s)? side (?:windows|ones)", 0, Side.PASSENGER),
    (r"(?:everything|(?:both |all )?(?:the )?windows|all|both|ones) (?:on |along )(?:my|our) side|(?:my|our) side windows", 0, Side.SPEAKER),
    (r"(?:both |the two |two |all )?(?:of )?(?:the )?(?:our )?fronts|(?:both|the two|two|all)(?: of)?(?: the)? front(?: ones?| windows?| seats?)?|(?:the |up |in )?front (?:ones|windows|seats|two|pair|row)|in (?:the )?front|up front", 1, Side.BOTH),
    (r"(?:both |the two |two |all )?(?:of )?(?:the )?(?:our )?(?:backs|rears)|(?:both|the two|two|all)(?: of)?(?: the)? (?:back|rear)(?: ones?| windows?| seats?)?|(?:the |in (?:the )?)?(?:back|rear) (?:ones|windows|seats|two|pair|row)|(?:in|at) (?:the )?(?:back|rear)(?! left| right)|(?:the )?(?:kids|children|kiddies|little ones|boys|girls)", 2, Side.BOTH),
    (r"both (?:of us|sides|zones|seats)|(?:the )?two of us|(?:him|her|me) and (?:me|him|her)|the pair of us|for us both|both", 1, Side.BOTH),
    (r"driver(?:s)?(?: hand)?(?: side)?(?: seat| one| window)?", 1, Side.DRIVER),
    (r"(?:front )?(?:co ?driver|passenger)(?:s)?(?: hand)?(?: side)?(?: seat| one| window)?|shotgun|(?:his|her|their) (?:side|window|seat|end|one|feet|legs|knees|face|head|hair)|(?:for|on) (?:her|him)\b|(?<=and )(?:him|her)\b(?! (?:name|seat))|\b(?:him|her)(?= (?:at|to) (?:\d|\w+(?:teen|ty)\b))|next to me|beside me|(?:the |my )?(?:wife|missus|husband|girlfriend|boyfriend|partner|other half|mum|mom|dad)(?: side)?|(?:the|my|our) mate(?: side)?|(?:she|he) is(?= (?:too |so |really |very |a bit |a little |still |feeling |getting )*(?:hot|cold|warm|chilly|freezing|boiling|sweating|roasting|baking)\b)|hers|his(?=$| (?:too|as well|also|likewise|please|instead|not|now|to|on|off|up|down)\b)|(?:the )?other (?:side|one|window|seat|half)", 1, Side.PASSENGER),
    (r"(?:the )?(?:others|rest|other (?:ones|windows|three)|remaining(?: ones| windows)?)", 0, Side.UNSAID),
    (r"(?:all|each) (?:of )?(?:the )?(?:our )?(?:four )?windows|all (?:four|of them|of em|them)|every(?: single)? (?:window|one)|everywhere|every(?:one|body|thing)|all (?:the )?zones|the (?:whole|entire) car|them all|em all|all round|all around|(?<!at )(?<!after )all(?! the way| right)|whole car|the lot", 0, Side.BOTH),
    (r"left(?: hand)?(?: side)?(?: one| window)?", 1, Side.LEFT),
    (r"(?<!all )(?<!that is )right(?: hand)? (?:side|one|window|seat)|(?:the|my|on) right(?! now| away| there| then| here| this| back| after| down| up| at)", 1, Side.RIGHT),
    (r"(?:the )?front(?: one| window)?", 1, Side.BOTH),
    (r"(?:the )?(?:rear|back) window|(?<!in the )rear(?: one)?|(?:the|just|only) back one|back one(?= only)|back (?=only)|(?<=just the )back|(?<=only the )back", 2, Side.BOTH),
    (r"my (?:own )?(?:side|window|seat|one|end|zone|bit)|my (?=(?:temperature|climate|heat|air|glass))|on my side|for me|mine|of me|(?<=and )me|(?<=except )me|(?<=except for )me|(?<=apart from )me|(?<=excluding )me|(?<=besides )me|(?<=other than )me|(?<=but )me|(?<=but not )me|(?<=leave )me(?= out| alone)|(?<=only )me|(?<=just )me(?! (?:a|an|the|some)\b)|myself|our side", -1, Side.SPEAKER),
)  # fmt: skip
_ZH: tuple[tuple[str, int, Side], ...] = (
    (r"(?:我|司机|主驾(?:驶)?)(?:的|座位?|这边)?(?:身后|正?后(?:头|面|方|边|排|座))(?:那?(?:个|扇|边|位))?|后排?(?:座)?的?(?:主驾|驾驶)(?:驶)?(?:员|座|位)?侧?", 2, Side.DRIVER),
    (r"(?:副驾(?:驶)?|她(?!们)|他(?!们)|媳妇儿?|老婆)(?:座|位|的)?(?:身后|正?后(?:面|排|方|头|边|座)?)(?:那?(?:个|扇|边|位))?|后排?(?:座)?的?副驾(?:驶)?侧?", 2, Side.PASSENGER),
    (r"左(?:侧|边)?的?后(?:侧|方|边|面|排|头|座|窗)?|后(?:排|面|座|头|边)?(?:的)?(?:靠)?左(?:侧|边|面|方|手边)?(?:那?(?:个|扇))?|左后", 2, Side.LEFT),
    (r"右(?:侧|边)?的?后(?:侧|方|边|面|排|头|座|窗)?|后(?:排|面|座|头|边)?(?:的)?(?:靠)?右(?:侧|边|面|方|手边)?(?:那?(?:个|扇))?|右后", 2, Side.RIGHT),
    (r"左(?:侧|边)?的?前(?:侧|方|边|面|排|头|窗)?|前(?:排|面|座|头|边)?(?:的)?左(?:侧|边|面|方)?", 1, Side.LEFT),
    (r"右(?:侧|边)?的?前(?:侧|方|边|面|排|头|窗)?|前(?:排|面|座|头|边)?(?:的)?右(?:侧|边|面|方)?", 1, Side.RIGHT),
    (r"(?:主驾|(?<!副)驾驶|司机|我)(?:驶)?(?:员|座|位)?(?:这|那)?(?:一)?(?:侧|边|溜儿?|排)(?:的)?(?:(?:两|俩|几)[个扇]?|(?:车?门|车?窗户?)(?=都|全))|主驾一侧", 0, Side.DRIVER),
    (r"副驾(?:驶)?(?:员|座|位)?(?:这|那)?(?:一)?(?:侧|边|溜儿?|排)(?:的)?(?:(?:两|俩|几)[个扇]?|(?:车?门|车?窗户?)(?=都|全))|副驾(?:驶)?(?:这|那)?(?:一侧|一溜儿?|一排)", 0, Side.PASSENGER),
    (r"(?:靠)?左(?:侧|边|面|手边|手)?(?:的)?(?:车?窗户?|玻璃)?,?(?:两|俩|都|全|所有)[个扇]?|(?:靠)?左(?:边|侧)?(?:这|那)?一(?:侧|排|溜儿?)", 0, Side.LEFT),
    (r"(?:靠)?右(?:侧|边|面|手边|手)?(?:的)?(?:车?窗户?|玻璃)?,?(?:两|俩|都|全|所有)[个扇]?|(?:靠)?右(?:边|侧)?(?:这|那)?一(?:侧|排|溜儿?)", 0, Side.RIGHT),
    (r"副驾(?:驶)?(?:员|座|位|侧|这边|那边|那儿|这儿|那头)*|副座|乘客(?:侧|座|位)?|(?:她|他|伊)(?:那|这)?(?:边|侧|头|儿)|旁边(?:那位|这位|的)?|隔壁|(?:我)?(?:媳妇儿?|老婆|老公|对象|女朋友|男朋友|爱人|太太|先生|闺蜜|我妈|我爸)(?:那|这)?(?:边|侧|头|儿)?|另(?:外)?一?(?:边|侧|扇|个)|对面", 1, Side.PASSENGER),
    (r"(?:前(?:面|排|头|边|座)?的?)?(?:两|俩|2)(?:边|侧)|主副驾(?:驶)?|前(?:面|排|头|边|座)(?:的)?(?:两|俩|2|都|全)?[个扇边]?(?:座|人)?|前窗|前两[个扇]|咱俩|我们俩|两个人", 1, Side.BOTH),
    (r"主驾(?:驶)?(?:员|座|位|侧|这边|那边)*|驾驶(?:员|座|位|侧)+|司机(?:侧|座|位|这边|那边)?|开车的(?:人)?", 1, Side.DRIVER),
    (r"后(?:面|排|头|边|座)(?:儿)?(?:的)?(?:两|俩|2|都|全)?[个扇边]?(?:座|人)?|后窗|后两[个扇]|(?:两个?|俩|那)?(?:孩子|小孩|娃儿?|宝宝|小朋友)们?(?:那边)?", 2, Side.BOTH),
    (r"(?:其他|其它|其余|别的|剩下|另外几?)(?:的)?(?:几|三)?[个扇]?", 0, Side.UNSAID),
    (r"(?<![驾边侧排我你他她的左右前后扇个车])(?:车窗|窗户|窗子|窗)全(?=打?开)|所有|全部|全车|整车|整个车|(?:四|每|几)(?:个|扇|块|面)|大家|所有人|统统|通通|全都|全(?!开|打开)|都", 0, Side.BOTH),
    (r"左(?:侧|边|面|手边|车?窗|手)", 1, Side.LEFT),
    (r"右(?:侧|边|面|手边|车?窗|手)", 1, Side.RIGHT),
    (r"(?:她|他)(?!们)", 1, Side.PASSENGER),
    (r"我(?:旁边|这(?:边|侧|头|里|儿|扇|个|块)?|那(?:边|侧|头|扇|个)|边上?|侧|的(?!话|意思))|我(?=车?窗|(?:要|是)?[\d一二三十]+ ?(?:点|度|$)|[一二三十\d])|我(?=(?:也|同样)(?:要|想)?(?:一样|这样|这么|$))|给我(?=[\d一二三十])|(?<=除了)我|(?<=除)我|我(?=(?:以外|之外|除外))", -1, Side.SPEAKER),
)  # fmt: skip
_PRONOUN = re.compile(r"^(?:his|her|their|for (?:her|him)|on (?:her|him)|hers)\b|^[她他伊]")
"""Names nobody by itself: with another place before it, it is that one."""
_AND = re.compile(r"\b(?:and|plus) (?:for |on )?$|(?:和|跟|还有|以及)$")
"""Behind it a pronoun is somebody besides: "my window and hers"."""
_NOT_EN = re.compile(
    r"\b(?:except|excluding|but(?: not)?|bar|barring|apart from|other than|besides|aside from|not|leave|keep|without|save|never mind|rather than|instead of)(?: for)?(?: the| that| those| my)?(?: two| one| ones| windows?)?\s*$"
)
_NOT_ZH = re.compile(r"(?:除了?|除开|除去|别动|不要动|不动|不是|不包括|别开|别关|不开|不关|别管|不要|留着?)$")
_LEFT_AS_IT_IS_EN = re.compile(
    r"^(?: one| window| side)?s? (?:stays?|alone|as (?:it|they))\b|^(?: one| window)? (?:does not|do not|not|is not to)\b(?! (?:for|on|in|at|the|my|mine|me|his|hers|all|too|so|that|quite|fully|completely|entirely|right|more|much|very|just|only|even|by|as|\d|half)\b)"
)
_LEFT_AS_IT_IS_ZH = re.compile(
    r"^(?:的|那?[个扇]|车?窗户?|玻璃)*(?:除外|以外|之外|外|不动|别动|不要动|不要开|不要关|别关|别开|不用动?|不开|不管|别管|甭管|随便|随(?:她|他)|留着|保持|(?:开|关)着就)"
)
_PLAIN_FALSE_ZH = re.compile(r"后(?:挡|备|视|天|来|悔|果)|前挡|以后|之后|最后|然后|(?<=分钟)后|以前|之前|往前|前头有")

_PLAIN_FALSE_EN = re.compile(
    r"\b(?:have|has|had|did) (?:i|we|you|he|she|they|someone|somebody|anyone|anybody|my \w+) (?:\w+ )?left\b|\b(?:i|we|you|he|she|they|someone|somebody) (?:have |has |had |must have |may have |might have )?left\b|(?<!back )(?<!rear )(?<!front )(?<!the )(?<!and )\bleft (?:open|on|running|unlocked|over|behind)\b|\b(?:is|are|was|were) (?:\w+ )?left\b"
)
"""Left behind, or over: no side."""

_BOTH = ("both", "both sides", "两边", "俩边", "both of them")
_ROW = re.compile(r"front|rear|back|前|后")


@dataclass(frozen=True, slots=True)
class Zones:
    """`names`: the zones that together are meant, in the order of `ZONES`. `words`: the first place's own words. `certain`: False where left
    or right was said and the drive side is unknown."""

    names: tuple[str, ...]
    words: str
    certain: bool = True


def find_zones(
    text: str, locale: str, drive_side: str | None, speaker: str = "driver", row1_only: bool = False, whole_side: bool = False
) -> Zones | None:
    """Every place that the text names, or None. `row1_only`: things that the rear has none of; the whole car is then the front.
    `whole_side`: "the left" is both of that side."""
    form = plain(text, locale)
    zh = language(form, locale) == "zh"
    form = (
        re.sub(r"\s*([,.])\s*", r"\1", marked(text, locale)).replace(" ", "") if zh else form
    )  # what stands behind a pause is no exception
    read = (_PLAIN_FALSE_ZH if zh else _PLAIN_FALSE_EN).sub(lambda m: "＿" * len(m.group()), form)
    found = _found(read, zh)
    found = [
        one
        for place, one in enumerate(found)
        if not place
        or not _PRONOUN.match(one[2].words)
        or _AND.search(read[: one[0]])
        or (_NOT_ZH if zh else _NOT_EN).search(read[: found[place - 1][0]])  # "not mine, hers"
    ]
    if not found:
        return None
    wanted: set[Seat] = set()
    left_out: set[Seat] = set()
    others, words = False, ""
    for low, high, zone in found:
        if zone.side is Side.UNSAID:
            others, words = True, words or zone.words
            continue
        if whole_side and zone.side in (Side.LEFT, Side.RIGHT) and not _ROW.search(zone.words):
            zone = Zone(0, zone.side, zone.words, zone.span)
        name = resolve(zone, drive_side, speaker)
        if name is None:
            return Zones((), zone.words, False)
        out = (_NOT_ZH if zh else _NOT_EN).search(read[:low]) or (_LEFT_AS_IT_IS_ZH if zh else _LEFT_AS_IT_IS_EN).match(
            read[high:]
        )
        if out and wanted and zone.side in (Side.LEFT, Side.RIGHT) and not _ROW.search(zone.words):
            name = (
                resolve(Zone(0, zone.side, zone.words, zone.span), drive_side, speaker) or name
            )  # of the back ones not the left one
        (left_out if out else wanted).update(SEATS[name])
        if not out:
            words = words or zone.words
    vague = [zone for *_, zone in found if zone.side is Side.BOTH and (zone.row == 0 or zone.words in _BOTH)]
    named = {
        seat
        for *_, zone in found
        if zone not in vague and zone.side is not Side.UNSAID
        for seat in _seats(zone, drive_side, speaker)
    }
    if vague and named - left_out:  # "the back ones, all of them": all is how far, not where
        wanted = {seat for seat in wanted if seat in named}
    if others or (not wanted and left_out):
        wanted |= set(SEATS["all"]) - (named if others else set())
        words = words or found[0][2].words
    wanted -= left_out
    if row1_only:
        wanted = {seat for seat in wanted if seat[0] == 1}
    return Zones(tuple(cover(wanted)), words) if wanted else None


_NOT_TOUCHED_EN = re.compile(
    r"\b(?:do not|never|not to|without) (?:touch|clos|open|shut|mov|chang|includ|chang|lower|rais)\w*(?: the| that| those)?\s*$"
)
_NOT_TOUCHED_ZH = re.compile(r"(?:别|不要|不用|甭)(?:碰|调|改|关上?|打?开|动)$|保留$")
_STAYS_EN = re.compile(
    r"^(?: one| window| side)?s? (?:(?:(?:can|should|may|must|has to|have to) )?(?:stay|remain)s?\b|alone\b|as (?:it|they)\b|"
    r"(?:does not|do not|not|is not to|are not to)(?: (?:need|have) to)?(?: (?:open|close|move|be|change))?$)"
)
_STAYS_ZH = re.compile(
    r"^(?:的|那?[个扇]|车?窗户?|玻璃|就|先|要)*(?:不用(?:关|开|调)|不要(?:调|碰)|别(?:调|碰)|不(?:调|动)|[开关]着)"
)
_SET_TO_EN = re.compile(r"^(?: one| window| side)?s? (?:at|on|to) \S*\d")


@dataclass(frozen=True, slots=True)
class LeftOut:
    """`seats`: not to be touched. `certain`: False where left or right was said and the drive side is unknown."""

    seats: frozenset[Seat]
    words: str
    certain: bool = True
    ahead: str = ""
    """What stands before them."""


def left_out(text: str, locale: str, drive_side: str | None, speaker: str = "driver") -> LeftOut | None:
    """The places that the sentence excludes, wherever it does: "…, but leave mine open", 我的别关."""
    form = plain(text, locale)
    zh = language(form, locale) == "zh"
    form = re.sub(r"\s*([,.])\s*", r"\1", marked(text, locale)).replace(" ", "") if zh else form
    read = (_PLAIN_FALSE_ZH if zh else _PLAIN_FALSE_EN).sub(lambda m: "＿" * len(m.group()), form)
    seats: set[Seat] = set()
    words, stands = "", ""
    ahead = (_NOT_ZH, _NOT_TOUCHED_ZH) if zh else (_NOT_EN, _NOT_TOUCHED_EN)
    behind = (_LEFT_AS_IT_IS_ZH, _STAYS_ZH) if zh else (_STAYS_EN,)
    for low, high, zone in _found(read, zh):
        before, after = read[:low], read[high:]
        out = any(said.search(before) for said in ahead) or any(said.match(after) for said in behind)
        if not out or zone.side is Side.UNSAID or (not zh and _SET_TO_EN.match(after)) or _corrected(before, zh):
            continue
        name = resolve(zone, drive_side, speaker)
        if name is None:
            return LeftOut(frozenset(), zone.words, False, before)
        seats.update(SEATS[name])
        words, stands = words or zone.words, stands or before
    return LeftOut(frozenset(seats), words, ahead=stands) if seats else None


def _corrected(before: str, zh: bool) -> bool:
    """What was not meant is none of the places that are left out."""
    if zh:
        return before.endswith("不是")
    return re.fullmatch(r"(?:(?:no|sorry|oops|wait|i mean) )*not (?:for )?(?:the )?", before) is not None


def _found(read: str, zh: bool) -> list[tuple[int, int, Zone]]:
    """(begin, end, place), the most specific first to be taken, in order."""
    found: list[tuple[int, int, Zone]] = []
    for pattern, row, side in _ZH if zh else _EN:
        for m in re.finditer(pattern if zh else rf"\b(?:{pattern})(?!\w)", read):
            if all(m.end() <= low or m.start() >= high for low, high, _ in found) and m.group().strip():
                found.append((m.start(), m.end(), Zone(row, side, m.group().strip(), m.span())))
    return sorted(found, key=lambda one: one[0])


def places(text: str, locale: str) -> list[int]:
    """Where in the plain form places are named."""
    return [begin for begin, _ in place_spans(text, locale)]


def place_spans(text: str, locale: str) -> list[tuple[int, int]]:
    """The stretches of the plain form that name places."""
    form = plain(text, locale)
    zh = language(form, locale) == "zh"
    read = (_PLAIN_FALSE_ZH if zh else _PLAIN_FALSE_EN).sub(lambda m: "＿" * len(m.group()), form)
    return [(begin, end) for begin, end, _ in _found(read, zh)]


def _seats(zone: Zone, drive_side: str | None, speaker: str) -> tuple[Seat, ...]:
    return SEATS[resolve(zone, drive_side, speaker) or "all"]


def cover(seats: set[Seat]) -> list[str]:
    """The fewest zones that are these places together."""
    left, names = set(seats), []
    for name in _ORDER:
        if left and set(SEATS[name]) <= left:
            names.append(name)
            left -= set(SEATS[name])
    return names
