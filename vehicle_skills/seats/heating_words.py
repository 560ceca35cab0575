"""The warmth of a front seat: words -> a level, or a step. Pure.

Levels as people have them: low, medium, high or 1, 2, 3 are 33, 66, 100 percent; what cools is below nothing. Does not know the car's state.
"""

from __future__ import annotations

import re
from typing import Final

from ridealong.harness.meant import FRAGMENT, Meant, clauses
from ridealong.harness.no_wish import then_a_place
from ridealong.harness.reading import Reading
from ridealong.harness.skill import Context, Match
from ridealong.harness.slots.number import find_numbers
from ridealong.harness.slots.percent import find_percent
from ridealong.harness.slots.text import language, plain
from ridealong.harness.slots.zones import find_zones
from ridealong.vehicle_skills.car import drive_side, is_recent, recent_argument, speaker
from ridealong.vehicle_skills.claim import Placed, Span, in_places, only, placed, take_places, tells

SET, CHANGE = "seats.set_heating", "seats.change_heating"
ZONES: Final = ("row1.driver", "row1.passenger", "row1")
LEVELS: Final = {1: 33, 2: 66, 3: 100}
PLAIN: Final = LEVELS[2]
"""Of "on" without more."""
STEP: Final = LEVELS[1]

_SEAT_EN: Final = r"seats?|bum ?warmers?|butt ?warmers?|seat ?warmers?|seat ?heaters?|chairs?"
_SEAT_ZH: Final = r"座椅|椅子|座位|坐垫|座垫|座(?=椅|加热|通风)|凳|屁垫|屁股(?:底下)?|(?:主驾驶?|副驾驶?|前排|两个前座|两边|后排)(?=加热|通风)|(?:主驾驶?|副驾驶?|前排|后排)座?(?=.{0,3}(?:加热|通风))|seat"
_OTHER_EN: Final = r"belts?|forward|forwards|backward|backwards|recline|upright|back ?rest|position|memory|massage|book|covers?|steering|wheel|child seat|toilet|passenger list|arm ?chair|car seat for|wash|clean|dirty|temperature to|degrees"
_OTHER_ZH: Final = (
    r"安全带|往前|往后|前移|后移|靠背|椅背|放倒|按摩|方向盘|儿童座椅|位置|记忆|升高|降低座|座椅套|干净|脏|度(?!高|低)|车窗|空调"
)
_COOL_EN: Final = r"cool(?:ed|ing|er|ers)?|ventilat(?:ed|ion|e|ing)|chill(?:ed)?|fans?|air|cold air"
_HEAT_EN: Final = r"heat(?:ed|er|ers|ing)?|warm(?:ed|er|ers|ing|th)?|toasty|toast|hot(?:ter)?|bum ?warmers?|butt ?warmers?"
_COOL_ZH: Final = r"通风|制冷|凉|吹风|吹吹风|透气|降温|降降温|冷却"
_HEAT_ZH: Final = r"加热|暖|热|制热|烤|烫"
_ASKS_ZH: Final = r"加热|通风|制冷|制热|暖|热乎|热起来|弄热|吹吹?风|凉快|透气|冷却|降温"
_OFF_EN: Final = r"off|stop|no more|kill|end|disable|deactivate|zero|out"
_OFF_ZH: Final = r"关(?:闭|掉|了|上)?|停(?:止|掉|了)?|熄|归零|不要|off"
_MORE_EN: Final = r"(?:a (?:bit|little|touch|tad) |a lot |much )?(?:warmer|hotter|more)|turn (?:it )?up|up|increase|raise|higher|bump up|crank up|boost|stronger"
_LESS_EN: Final = r"(?:a (?:bit|little|touch|tad) |a lot |much )?(?:less|cooler|colder)|turn (?:it )?down|down|decrease|lower|reduce|ease off|drop|not so (?:hot|warm)|weaker"
_MORE_ZH: Final = r"再(?:热|暖|大|高|强|猛)|(?<!加)热(?:一?点|一?些|[一两二][档级])|(?:暖和?|大|高|强|猛)(?:一?点|一?些|[一两二][档级])|[加升][一两二]?[档级]|调[高大]|升[高档级]|升温|往上|不够[热暖]|更[热暖]|提高"
_LESS_ZH: Final = r"再(?:低|小|弱|凉)|(?:低|小|弱|凉)(?:一?点|一?些|[一两二][档级])|[减降][一两二]?[档级]|调[低小]|降[低档级一]|降温|往下|别那么[热烫]|太[热烫]|更[低小弱]"
_TAKEN_EN: Final = (
    r"seats?|seat|turn|switch|level|setting|stage|on|off|high|low|medium|maximum|max|minimum|min|full|percent|degree|heat\w*|warm\w*|cool\w*|ventilat\w*|fans?|driver|drivers|passengers?|front|rear|notch|step|"
    r"one|two|three|half|start|activate|enable|give|need|want|stop|keep|crank|bring|take|chairs?|change|get|nice|toasty|bum|butt|wife|husband|power|position|both|blow|through|only"
)
_TAKEN_ZH: Final = r"座椅|椅子|座位|坐垫|座垫|座|加热|通风|制冷|打开|开启|启动|开|关闭|关掉|关|停|档|挡|级|调|高|低|大|小|中|最|热|暖|和|凉|快|设|成|为|换|改|弄|温度|功能|主驾驶?|副驾驶?|驾驶|前排|后排|两|都|百分之|%|稍|微|一|些|模式|麻烦|所有|吹|风"
_STARTS_EN: Final = re.compile(
    r"(?:(?:just )?(?:a (?:bit|little|touch|tad|lot)|slightly|some) )?(?:turn|switch|put|set|heat|warm|cool|ventilate|chill|start|stop|activate|enable|disable|deactivate|give|get|make|crank|bring|take|shut|raise|lower|increase|reduce|decrease|kill|end|no more|more|less|max|full|"
    r"boost|bump|drop|change|need|want|keep|have|blow|toast|hotter|warmer|cooler|heated|heating|adjust)\b"
)

ONLY_FRONT: Final = {
    "en": "Only the front seats can be heated or cooled. Shall it be the driver's or the passenger's?",
    "zh": "只有前排座椅能加热或通风。要主驾还是副驾？",
}
NO_LEVEL: Final = {
    "en": "I know low, medium and high, or 0 to 100 percent. Which shall it be?",
    "zh": "座椅有低、中、高三档，也可以是0到100%。要多少？",
}


def recognise_set(text: str, locale: str, context: Context) -> Match | None:
    return _recognise(text, locale, context, SET)


def recognise_change(text: str, locale: str, context: Context) -> Match | None:
    return _recognise(text, locale, context, CHANGE)


def _recognise(text: str, locale: str, context: Context, capability: str) -> Match | None:
    reading = Reading(text, locale)
    zh = reading.zh
    if tells(reading) or reading.has(_OTHER_ZH if zh else _OTHER_EN):
        return None
    seat = reading.take(_SEAT_ZH if zh else _SEAT_EN)
    warmth = reading.has(rf"{_COOL_ZH}|{_HEAT_ZH}" if zh else rf"{_COOL_EN}|{_HEAT_EN}|seat ?warmers?")
    if seat is None or not (warmth or on_a_level(reading.core, zh)) or not (zh or _commands(reading.core)):
        return None
    found = _call(reading.core, zh, reading.locale, "")
    if found is None or found.capability != capability or _each(Meant("", text, locale, context, 1.0), reading.locale):
        return None
    for pattern in (_MORE_ZH, _LESS_ZH, _OFF_ZH, _TAKEN_ZH) if zh else (_MORE_EN, _LESS_EN, _OFF_EN, _TAKEN_EN):
        reading.take(pattern)
    for number in find_numbers(reading.core, reading.locale):
        reading.slot(Span(number.span))
    take_places(reading)
    if zh:
        reading.take(r"(?:背后|后背|背上)(?:都|全)?是?汗?")
    scored = Match(found.capability, reading.score(0.93), found.arguments, found.grounds, found.missing, found.question)
    return only(_in_places(scored, reading.core, reading.locale, context))


_ON_A_LEVEL_EN: Final = re.compile(
    rf"\b(?:{_SEAT_EN})(?: both)? (?:on|to|at) (?:(?:the )?(?:low|high|medium|max(?:imum)?|full)|(?:level|stage|setting) (?:one|two|three|[123]))$"
)
_ON_A_LEVEL_ZH: Final = re.compile(
    r"(?:座椅|座位|前座|座)(?:都|也|给我|全)*(?:开|调|设|弄|打)?(?:到|成|为|个)?(?:最?[高中低]|第?[一二两三1-3])[档挡]$"
)


def on_a_level(core: str, zh: bool) -> bool:
    """ "Both front seats on low": with no direction said, a seat has no other levels than those of its warmth."""
    found = (_ON_A_LEVEL_ZH if zh else _ON_A_LEVEL_EN).search(core)
    return found is not None and re.search(r"高度|靠背|\b(?:height|back ?rest|position|move)\b", core) is None


def _commands(core: str) -> bool:
    fragment = (
        rf"(?:the |my |his |her |both |rear |front |back |heated |cooled |ventilated )*(?:left |right |(?:front )?passengers? |drivers? )?(?:{_SEAT_EN})(?: (?:heat(?:er|ers|ing)?|warm(?:er|ers|ing)?|cool(?:er|ers|ing)?|ventilation|fans?|temperature))?"
        r"(?: (?:to|on|at|a|an|one|two|three|level|step|notch|bit|little|the|full|percent|per|cent|\d+|ten|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|off|up|down|high|low|medium|max\w*|min\w*|warmer|hotter|cooler|higher|lower|more|less|for \w+ \w+))*"
    )
    return _STARTS_EN.match(core) is not None or re.fullmatch(fragment, core) is not None


_BODY: Final = re.compile(
    r"\b(?:my|his|her|their)? ?back(?:side)?(?:'s| is)?\b(?! (?:seats?|row|ones?|bench))(?: (?:all|so))?|(?:背后|后背|背上)(?:都|全)?",
    re.IGNORECASE,
)
"""Somebody's back, and no place in the car."""


def _in_places(match: Match, words: str, locale: str, context: Context) -> tuple[Match, ...]:
    if match.missing:
        return (match,)
    mine = f"row1.{speaker(context)}"
    words = _BODY.sub(" ", words)
    where: Placed | None = placed(words, locale, context, mine, row1_only=True)
    if (
        where
        and where[0][1].startswith("default:")
        and re.search(r"\bseats\b.*|\bboth\b", words)
        and re.search(r"\b(?:both|all|the) (?:\w+ )?seats\b|heated seats|cooled seats|ventilated seats", words)
    ):
        both = re.search(r"\b(?:both|all)\b", words)
        where = (("row1", both.group()),) if both is not None else where
    return in_places(match, where, locale, ONLY_FRONT["zh" if locale == "zh" else "en"])


def _call(form: str, zh: bool, locale: str, variant: str) -> Match | None:
    """Without a place. `variant`: heat, cool, off, more, less, as a tagger has found; "" where the words alone say it."""
    level = _level(form, zh, locale)
    bare = on_a_level(form, zh) or (level is not None and not _too_warm(form, zh))
    cools = (variant == "cool" and not bare) or (variant != "heat" and _cools(form, zh))
    if variant == "off" and level is not None and not _switches_off(form, zh):
        variant = ""  # "seat heating low"
    if variant == "off" or (not variant and level is None and _switches_off(form, zh)):
        return Match(SET, 1.0, {"level": 0}, {"level": form if variant == "off" else _switches_off(form, zh)})
    step = None if variant in ("heat", "cool") else _stepped(form, zh, locale, variant, cools)
    if step is not None and not (level is not None and _aims(form, zh)):
        return Match(CHANGE, 1.0, {"delta": step[0]}, {"delta": step[1]})
    if level is not None and not 0 <= level[0] <= 100:
        return Match(SET, 1.0, missing=("level",), question=NO_LEVEL["zh" if zh else "en"])
    if level is None:
        if zh and not variant and re.search(_ASKS_ZH, form) is None and not on_a_level(form, zh):
            return None  # "the seat is hot" only tells
        kind = (_COOL_ZH if cools else _HEAT_ZH) if zh else rf"\b(?:{_COOL_EN if cools else _HEAT_EN}|seat ?warmers?)\b"
        said = re.search(kind, form)
        level = (PLAIN, said.group() if said is not None else form)
    return Match(SET, 1.0, {"level": -level[0] if cools else level[0]}, {"level": level[1]})


def _switches_off(form: str, zh: bool) -> str:
    """The words that say off; "ease off" is a step."""
    found = re.search(_OFF_ZH if zh else rf"(?<!ease )\b(?:{_OFF_EN})\b", form)
    return found.group() if found is not None else ""


def _cools(form: str, zh: bool) -> bool:
    if zh:
        return re.search(r"通风|制冷|吹吹?风|透气|凉快|降降温", form) is not None
    return (
        re.search(r"\b(?:ventilat\w+|cool(?:ed|ing)?|seat (?:cooler|coolers|fans?)|chill\w*|cooler on|air)\b", form) is not None
    )


def _too_warm(form: str, zh: bool) -> bool:
    """Why a seat would be cooled, where that is not said: of a level alone it is heated."""
    return (
        re.search(r"热|汗|烫|闷|黏" if zh else r"\b(?:hot|warm|boil\w*|sweat\w*|roast\w*|melt\w*|sticky|damp|clammy)\b", form)
        is not None
    )


def _aims(form: str, zh: bool) -> bool:
    """ "Up to level two", 调高到二档: where it is to end."""
    return re.search(r"到|至|成" if zh else r"\b(?:to|at|on) (?:level |stage |setting )?(?:\w+)", form) is not None


_LEVEL_WORDS: Final = (
    (100, r"high(?:est)?|max(?:imum)?|full(?: blast| power)?|hottest|as (?:hot|warm) as", r"最[大高热强猛]|拉满|高[档挡]|强[档挡]|(?:设|调|开)[为到成]高"),
    (66, r"medium|middle|mid|half ?way", r"中[档挡等]|中间"),
    (33, r"low(?:est)?|min(?:imum)?|gentle|gently", r"最[小低弱]|低[档挡]|弱[档挡]|(?:设|调|开)[为到成]低"),
)  # fmt: skip


def _level(form: str, zh: bool, locale: str) -> tuple[int, str] | None:
    """(percent, words), which may be one that there is not."""
    share = find_percent(form, locale)
    if share is not None and not share.vague and re.search(r"\d|percent|百分|半|half|成", share.words):
        return round(share.value), share.words
    for number in find_numbers(form, locale):
        before, behind = form[: number.span[0]], form[number.span[1] :]
        if (
            number.ordinal
            or re.match(r" (?:degree|notch|step|minute)", behind)
            or re.search(r"(?:by|再|[加减升降])(?:了)? ?$", before)
        ):
            continue
        if re.match(r" ?(?:percent|per cent|%)", behind) or re.search(r"百分之$", before):
            return round(number.value), number.words
        levels = re.search(
            r"\b(?:level|stage|setting|to|on|at|heat\w*|warm\w*|cool\w*|ventilation|position) $", before
        ) or re.match(r"[档挡级]", behind)
        if levels is not None and number.value in (0, 1, 2, 3):
            return (LEVELS[int(number.value)] if number.value else 0), number.words
        if levels is not None:
            return (
                round(number.value)
                if 10 <= number.value <= 100 and not re.match(r"[档挡级]", behind) and not before.endswith("level ")
                else -1
            ), number.words
    if (
        zh
        and (numbered := re.search(r"([一二三123])[档挡级]", form))
        and not re.search(r"[加减升降高低大小再]$", form[: numbered.start()])
    ):
        return LEVELS["一二三123".index(numbered[1]) % 3 + 1], numbered.group()
    for value, english, chinese in _LEVEL_WORDS:
        if (found := re.search(chinese if zh else rf"\b(?:{english})\b", form)) is not None:
            return value, found.group()
    return None


_LEVEL_ALONE: Final = re.compile(
    r"(?:on |to |at )?(?:the )?(?:(?:level|stage|setting|notch|step|position|number) (?P<a>one|two|three|[123])|(?P<b>one|two|three|[123]) (?:notch|level|step|stage|bar)(?:es|s)?)(?: of heat| only)?"
)
_LEVEL_ALONE_ZH: Final = re.compile(r"(?:到|开)?(?:第)?(?P<a>[一二两三1-3])[档挡级]")
_STEPS: Final = {"one": 1, "two": 2, "three": 3, "一": 1, "二": 2, "两": 2, "三": 3, "1": 1, "2": 2, "3": 3}


def level_named(words: str, zh: bool) -> int | None:
    """Percent, where these words are a level and nothing else."""
    numbered = (_LEVEL_ALONE_ZH if zh else _LEVEL_ALONE).fullmatch(words)
    if numbered is not None:
        return LEVELS[_STEPS[next(one for one in numbered.groups() if one)]]
    for value, english, chinese in _LEVEL_WORDS:
        if re.fullmatch(
            rf"(?:到|开)?(?:{chinese})(?:档|挡)?" if zh else rf"(?:on |to |at )?(?:the )?(?:{english})(?: level| setting| heat)?",
            words,
        ):
            return value
    return None


def _stepped(form: str, zh: bool, locale: str, variant: str, cools: bool) -> tuple[int, str] | None:
    """(percent points, the words). More of what cools is less warmth."""
    more = re.search(_MORE_ZH if zh else rf"\b(?:{_MORE_EN})\b", form)
    if (
        more is not None
        and more.group() == "up"
        and re.match(r"(?:heat|warm)\b(?!.*\b(?:by|notch|notches|levels?|steps?)\b).*\bup\b", form)
    ):
        more = None  # "warm my seat up" is no step
    less = re.search(_LESS_ZH if zh else rf"\b(?:{_LESS_EN})\b", form)
    if zh and not variant and cools and less is not None and less.group() in ("太热", "太烫"):
        less = None  # why it is to be cooled
    if not zh and not variant and more is not None and more.group() == "warmer" and _is_heater(form):
        more = None
    if not zh and not variant and less is not None and less.group() == "cooler" and re.search(r"\bcooler (?:on|off)\b", form):
        less = None
    if variant in ("more", "less"):
        up, words = variant == "more", form
    elif less is not None:
        up, words = False, less.group()
    elif more is not None:
        up, words = True, more.group()
    else:
        return None
    size = find_percent(form, locale)
    steps = next(
        (
            int(one.value)
            for one in find_numbers(form, locale)
            if one.value in (1, 2) and re.match(r" (?:level|notch|step)|[档挡级]", form[one.span[1] :])
        ),
        1,
    )
    if re.search(r"[两二2][档挡级]", form):
        steps = 2
    delta = (
        round(size.value) if size is not None and not size.vague and re.search(r"\d|percent|百分", size.words) else STEP * steps
    )
    wind = (
        cools and (zh or re.search(r"\b(?:ventilat\w+|fans?|cooling)\b", form) is not None) and not re.search(r"凉|cooler", form)
    )
    return (delta if up is not wind else -delta), words


def _is_heater(form: str) -> bool:
    """A seat warmer is a thing, where it is not the seat that is to be warmer."""
    made = re.search(
        r"\b(?:make|get|have|want|keep|like)\b.*\bseats?\b(?: (?:a bit|a little|a touch|a tad|much|even|nice and))? warmer\b|\bwarmer (?:seats?|chair)\b",
        form,
    )
    return made is None and re.search(r"\b(?:seat|bum|butt) ?warmers?\b", form) is not None


# --- a stretch that a tagger has found ------------------------------------------------------------------------------------------


_OF_THE_CABIN: Final = re.compile(
    r"(?:(?:and|then|please|can you|could you) )*(?:turn|switch|put|get)? ?(?:on|off)? ?(?:the |some )?(?:heating|heater|heat)(?: on| off)?|(?:打开|开启|开|关掉|关上|关)?(?:暖气|暖风)(?:打开|关掉|开|关)?"
)


def understand(meant: Meant) -> tuple[Match, ...]:
    locale = language(meant.text, meant.locale)
    if meant.variant == FRAGMENT:
        return _fragment(meant, locale)
    if _OF_THE_CABIN.fullmatch(meant.form) is not None and not is_recent(meant.context, "seats."):
        return ()  # climate/heating.py asks how warm
    if each := _each(meant, locale):
        return each
    found = _call(meant.form, meant.zh, locale, meant.variant)
    if found is None:
        return ()
    return _in_places(
        Match(found.capability, meant.share, found.arguments, found.grounds, found.missing, found.question),
        meant.text,
        locale,
        meant.context,
    )


def _each(meant: Meant, locale: str) -> tuple[Match, ...]:
    """A call for each clause, where every one has a place and a warmth of its own: "off on the left and to max on the right"."""
    found: list[Match] = []
    cools = _cools(meant.form, meant.zh)
    cut = clauses(meant)
    for piece in cut if len(cut) > 1 else ():
        zones = find_zones(piece.text, locale, drive_side(meant.context.read), speaker(meant.context), row1_only=True)
        call = _warmth(piece.form, meant.zh, locale, meant.share, cools)
        if zones is None or call is None:
            return ()
        found += _in_places(call, piece.text, locale, meant.context)
    return tuple(found)


def _warmth(form: str, zh: bool, locale: str, share: float, cools: bool) -> Match | None:
    """What is said of it where the seat itself has been named before: "off", "to max", "up"."""
    off = re.search(_OFF_ZH if zh else rf"\b(?:{_OFF_EN})\b", form)
    level = _level(form, zh, locale)
    if off is not None:
        return Match(SET, share, {"level": 0}, {"level": off.group()})
    if level is not None and 0 <= level[0] <= 100:
        return Match(SET, share, {"level": -level[0] if cools else level[0]}, {"level": level[1]})
    step = _stepped(form, zh, locale, "", False)
    if step is not None:
        return Match(CHANGE, share, {"delta": -step[0] if cools else step[0]}, {"delta": step[1]})
    on = re.search(r"(?:打开|开)$" if zh else r"\bon(?: (?:for|on) (?:the |my )?\w+(?: (?:side|seat))?)?$", form)
    return (
        Match(SET, share, {"level": -PLAIN if cools else PLAIN}, {"level": on.group()})
        if on is not None and not re.match(r"on the ", on.group())
        else None
    )


def _fragment(meant: Meant, locale: str) -> tuple[Match, ...]:
    """ "And the passenger's", "level three", "no, off"."""
    if not is_recent(meant.context, "seats."):
        return ()
    before_level, before_delta = (recent_argument(meant.context, name, key) for name, key in ((SET, "level"), (CHANGE, "delta")))
    zones = find_zones(meant.text, locale, drive_side(meant.context.read), speaker(meant.context), row1_only=True)
    if zones is None and then_a_place(meant.text, locale):
        return ()  # whose it is can't be told, and it is not the one's before
    cools = (isinstance(before_level, int) and before_level < 0) or _cools(plain(meant.ahead, locale), meant.zh)
    said = _warmth(meant.form, meant.zh, locale, meant.share, cools)
    if said is not None and (said.capability == SET or zones is not None):
        call = said
    elif zones is not None and isinstance(before_level, int):
        call = Match(SET, meant.share, {"level": before_level}, {"level": "context:recent"})
    elif zones is not None and isinstance(before_delta, int):
        call = Match(CHANGE, meant.share, {"delta": before_delta}, {"delta": "context:recent"})
    else:
        return ()
    zone = recent_argument(meant.context, "seats.", "zone")
    if zones is None and isinstance(zone, str):
        return in_places(call, ((zone, "context:recent"),), locale)
    return _in_places(call, meant.text, locale, meant.context)
