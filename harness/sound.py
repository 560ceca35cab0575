"""Puts back domain words that a recogniser wrote as something that sounds alike: "open the boat", 大开左后车窗, 掉到22度, 倒行到….

`repair(text, locale)` gives the text with such words replaced, or None when nothing sounds like the domain. It only proposes:
the router uses it after the words as written meant nothing, and scores what it finds lower.

English: a table of near sounds, plus an edit distance of one on long words, only beside a command verb or another domain word.
Chinese: toneless pinyin with costs for near sounds (zh/z, l/n, an/ang, d/t …) against the domain vocabulary. pypinyin comes with
the cloud install and is imported at first use.

Does not know which skill the words are for.
"""

from __future__ import annotations

import re
from functools import lru_cache

from ridealong.harness.slots.text import language, plain

_VERB = r"(?:open|close|shut|pop|unlock|lower|raise|roll|wind|set|turn|switch|put|make|navigate|take|crack|lock)"
_PLACED = r"(?:the|my|all|both|front|rear|back|left|right|driver|passenger)\b"
_NUMBER = r"(?:\d+(?:\.\d+)?|(?:twenty|thirty)(?: (?:one|two|three|four|five|six|seven|eight|nine))?|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen)"
_EN_SOUNDS: tuple[tuple[str, str], ...] = (
    (rf"\b({_VERB}(?: up)?(?: the| my| a)?) (?:boots|boat|boats|boo|booth|bood|boots|bert|bute|boost|book|food|beut|but(?! (?:not|only|just|slowly|gently|quickly|carefully|keep|leave|do|please|a|with|without|no|stop|make)\b))\b", r"\1 boot"),
    (rf"\b({_VERB}(?: up)?(?: the| my)?) (?:truck|drunk|trump|trunks|chunk|tronk|tank|trank|junk)\b", r"\1 trunk"),
    (r"\b(?:winder|widow|windo|wind oh|windy|wendo|windoe|win dow|when do|winter|windough)\b", "window"),
    (r"\b(?:winders|widows|windos|wind oh s|windies|winters|windus)\b", "windows"),
    (r"\b(?:rare|real|wear|ria|reer|riar|rere|reel) (left|right|window|windows|driver|passenger|seat)\b", r"rear \1"),
    (r"\b(rear|front|back) (?:write|wright|rite|ride|bright|light)\b", r"\1 right"),
    (r"\b(rear|front|back) (?:lift|loved|laughed|lef|less)\b", r"\1 left"),
    (r"\b(front|rear|back) (?:passinger|passage|passengers|messenger)\b", r"\1 passenger"),
    (r"\b(?:half weigh|halve way|have way|half away|halfways?|hallway)\b", "halfway"),
    (r"\b(?:nava ?gate|navi gate|navigator|navigates|navigated|never gate|negate|navigation|nevi gate) to\b", "navigate to"),
    (r"\bnavigate (?:two|too)\b", "navigate to"),
    (r"\b(?:charing|charge in|changing|charger in|charge) station(s?)\b", r"charging station\1"),
    (r"\bstation(?:ery|ary)\b", "station"),
    (r"\b(?:degreese|degreed|decrease|degress|the grease|agrees)(?=$| celsius| please| and)", "degrees"),
    (r"\b(twenty|thirty|sixty|seventy) (?:too|to)\b(?= degrees| and a half| please|$)", r"\1 two"),
    (r"\b(twenty|thirty|sixty|seventy) (?:for|fore)\b(?= degrees| and a half| please|$)", r"\1 four"),
    (r"\b(twenty|thirty|sixty|seventy) won\b", r"\1 one"),
    (r"\b(set|make|turn|put|change|adjust)((?: \w+){0,3}) (?:two|too) (?=twenty|thirty|fifteen|sixteen|seventeen|eighteen|nineteen|\d\d)", r"\1\2 to "),
    (r"\b(?:temp a chur|temper chair|temperatures|tempature|temperate|tempera|temper ture)\b", "temperature"),
    (r"\b(turn|switch|put)( on| off)? the (?:easy|ace|ac see|a sea|see|acy|aces|eighty|a see|ashy)( on| off)?\b", r"\1\2 the ac\3"),
    (r"\b(?:eye see|hey see|a see|a sea|acee)\b", "ac"),
    (r"\b(?:air cond|air con|air condition|airconditioning|air conditioned|heir conditioning|our conditioning)\b", "air conditioning"),
    (r"\b(?:the frost|d frost|defrosted|de frost|defrost her|the froster)\b", "defrost"),
    (r"\b(?:roll|role|role in|roller|rolled|rose|row) down\b", "roll down"),
    (r"\b(?:role|rolled|row) up\b", "roll up"),
    (r"\b(?:clothes|clothe|klose|closed|cloths|chose|clause) (the|my|all)\b", r"close \1"),
    (r"\b(?:opened|opens|oben|hoping|opening|oh pen|up and) (the|my|all)\b", r"open \1"),
    (rf"^(?:look in|look and|up in|hope in|oh then|oh been|oh pin|over) ({_PLACED}.*\bwindows? .*\b(?:half|halfway|third|thirds|quarter|quarters|percent|bit|crack|way)\b)", r"open \1"),
    (r"^(?:hop|top|hub|bob|pub|cop|pup|pump|plop|part|papa) ((?:open )?(?:the |my )?(?:boot|trunk|tailgate|hatch))\b", r"pop \1"),
    # how corrections begin: "no, no, make it …" heard as "they'll now make it", "don't know make it"; "do not make it" stays
    (rf"^(?:(?:they will|they|there|though|do not|no|know|now|mo|oh|nah|new|noel|nope|low|snow|go) ){{0,2}}(?:no|know|now|mo|nah|new|noel|nope|low|snow) "
     rf"(?=(?:make|change|set|put) (?:it|that) (?:to |at )?{_NUMBER}\b)", "no "),
    # how questions begin
    (r"^or (?=(?:all|any|the|my|our|we|there|both)\b)", "are "),
    (r"^(?:his|ease|he is|this) (?=(?:the|my|our|any|all) (?:\w+ ){0,3}(?:window|door|boot|trunk|tailgate)s? (?:\w+ )?(?:open|closed|shut)\b)", "is "),
    (r"^all (?=(?:of )?(?:the |our )?doors (?:are |now )?(?:closed|shut|open|locked)$)", "are all "),
    (r"^(?:a|ah|oh|our|her|hal|who|hell|hi|hey|half) (?=(?:warm|hot|cold|cool|fast|far|much|many|long|full) (?:is|are|am|do|does|can|have|further|charge|battery|range|fuel)\b)", "how "),
    (r"^(?:watts|wads|what) (the|our|my) (?=(?:range|battery|speed|temperature|tyre|tire|destination|outside)\b)", r"what is \1 "),
    (r"^(?:one of|what of|water|what or|what our|what a|but are|what is) (?=(?:the |our )?(?:tyre|tire)s?\b)", "what are "),
    (r"^we have enough (?=(?:charge|battery|fuel|petrol|gas|range|power)\b)", "do we have enough "),
    (rf"^(?:and|kin|ken|con|counting|could|cannot) you (?=(?:please )?{_VERB}\b)", "can you "),
    (r"^(?:when|wine|win|wand|whine|whined|why not|wound) (?=(?:the |my |both |all )?(?:\w+ ){0,3}windows? (?:down|up)\b)", "wind "),
    (r"^(?:wear|were|we are|wherever|ware) (?=(?:are we|am i) (?:going|heading|driving)\b)", "where "),
    # numbers: what stands for "and a half", and for a hesitation before a number
    (rf"\b({_NUMBER}) (?:and (?:i|a|the|uh|her|our|i am) (?:hope|have|half|calf|hav|hath|hall|heart|hat|path)|(?:in|an|on) (?:a )?half|and half|and a have|and how)\b", r"\1 and a half"),
    (rf"\b(temperature|temp|heat|heating|it|cabin) (?:to|two|too|2)?(?: (?:i am|arm|um+|uh+|erm?|am|on|mm+|hmm+|a|ah|home))+ (?={_NUMBER})", r"\1 to "),
    (r"^(?:from|turned|term|tune|stern|during|churn|learn|town) (?=(?:the |my )?(?:temperature|temp|heat|heating)\b.* (?:to |up |down ))", "turn "),
    (rf"\bi (?:am at|met|meet|mend|mean to|made|meant to|meaned|am in) (?={_NUMBER})", "i meant "),
)  # fmt: skip
_EN_LONG = [
    "window",
    "windows",
    "temperature",
    "navigate",
    "charging",
    "station",
    "passenger",
    "driver",
    "degrees",
    "conditioning",
    "defrost",
    "defroster",
    "halfway",
    "percent",
    "destination",
    "airport",
    "trunk",
    "battery",
    "pressure",
    "climate",
    "warmer",
    "cooler",
]
_EN_CONTEXT = re.compile(
    rf"\b(?:{_VERB}|window|windows|temperature|degrees|rear|front|driver|passenger|station|battery|tyre|tire)\b"
)

ZH_VOCABULARY = [
    "打开",
    "关闭",
    "关上",
    "关掉",
    "车窗",
    "窗户",
    "天窗",
    "左后",
    "右后",
    "左前",
    "右前",
    "左侧",
    "右侧",
    "左边",
    "右边",
    "前排",
    "后排",
    "主驾驶",
    "副驾驶",
    "主驾",
    "副驾",
    "驾驶员",
    "后备箱",
    "后备厢",
    "尾门",
    "行李箱",
    "空调",
    "温度",
    "调到",
    "调成",
    "调高",
    "调低",
    "设为",
    "设置",
    "设成",
    "升高",
    "降低",
    "升到",
    "降到",
    "风量",
    "风速",
    "除雾",
    "除霜",
    "暖风",
    "冷气",
    "导航",
    "导航到",
    "导航去",
    "充电站",
    "加油站",
    "停车场",
    "机场",
    "火车站",
    "市中心",
    "医院",
    "回家",
    "公司",
    "目的地",
    "一半",
    "百分之",
    "三分之一",
    "四分之一",
    "全部",
    "所有",
    "一条缝",
    "车速",
    "电量",
    "续航",
    "油量",
    "胎压",
    "里程",
    "车门",
    "车里",
    "外面",
    "室外",
    "车内",
    "改成",
    "换成",
    "调到二十",
    "最近的",
    "计时器",
    "分钟",
    "牌子",
    "路牌",
    "热一点",
    "冷一点",
    "高一点",
    "低一点",
    "二十",
    "度半",
    "几度",
    "多少",
    "多快",
    "多少度",
    "带我去",
    "带我们去",
    "送我去",
    "太冷了",
    "太热了",
    "有点冷",
    "有点热",
    "降低两度",
    "升高两度",
    "还能开多远",
    "还能跑多远",
    "还能开多少公里",
    "胎压正常",
    "设的是",
    "附近",
    "查一下",
    "找一下",
    "超市",
    "酒店",
    "博物馆",
    "体育场",
    "的时候",
    "告诉我",
    "提醒我",
    "留意",
    "巨响",
    "误报",
]
_ONE_WRONG_ZH = frozenset(
    {
        "有点冷",
        "有点热",
        "加油站",
        "充电站",
        "多少度",
        "胎压正常",
        "降低两度",
        "升高两度",
        "还能开多远",
        "还能跑多远",
        "还能开多少公里",
    }
)
"""Words so much of this domain that they are meant even when one syllable is quite another, all others being right."""
_ZH_SOUNDS: tuple[tuple[str, str], ...] = (
    (r"(?<=[调升降低高加减到])([一二两三四五六七八九十\d]+)(?:步|肚|渡|毒|路|读|堵)$", r"\1度"),
    (r"(?<![\u4e00-\u9fff])(?:航|它|台|太|抬|海|她|他)(?:压|亚|雅|牙|鸭)(?=是|有|多少|正常|怎|够|吗|低|高|$)", "胎压"),
    (r"^(?:待|代|戴|袋|贷)(?=(?:我|我们)(?:去|回|到))", "带"),
    (r"^(?:本|版|巴|吧|爸|办|八)(?=.{0,5}(?:温度|空调|车窗|后备箱))", "把"),
    (r"(导航|带我去?|开)(?:的|倒|道|刀|得)(?=[^点的]{2})", r"\1到"),
    (r"还能[太胎台抬](?=多?[远久少])", "还能开"),
    (r"([二三四五六七八九\d])分(?:之|知|只|织|直|子|制)?(?:一|衣|医|依|亿|1)(?!度)", r"\1分之一"),
)
"""What the recogniser writes for words of the domain that are too short to find by sound alone."""
_SURE_ZH = 0.45
"""Cost per syllable up to which another word counts as the domain word."""
_INITIALS = ("zh", "ch", "sh", *"bpmfdtnlgkhjqxrzcsyw")
_NEAR = {
    frozenset(pair): cost
    for pair, cost in {
        ("z", "zh"): 0.15, ("c", "ch"): 0.15, ("s", "sh"): 0.15, ("n", "l"): 0.25, ("f", "h"): 0.35, ("r", "l"): 0.4, ("b", "p"): 0.4,
        ("d", "t"): 0.35, ("g", "k"): 0.4, ("j", "q"): 0.4, ("j", "zh"): 0.5, ("q", "ch"): 0.5, ("x", "sh"): 0.4, ("x", "s"): 0.5,
        ("z", "c"): 0.5, ("zh", "ch"): 0.5, ("j", "z"): 0.6, ("w", "y"): 0.7, ("m", "n"): 0.6, ("h", "k"): 0.6, ("q", "x"): 0.6, ("b", "f"): 0.4,
    }.items()
}  # fmt: skip
_FINALS_NEAR = {
    frozenset(pair): cost
    for pair, cost in {
        ("an", "ang"): 0.2, ("en", "eng"): 0.2, ("in", "ing"): 0.2, ("ian", "iang"): 0.25, ("uan", "uang"): 0.2, ("ong", "eng"): 0.4,
        ("uo", "o"): 0.2, ("ei", "ui"): 0.4, ("ai", "ei"): 0.4, ("ao", "ou"): 0.5, ("ao", "iao"): 0.4, ("e", "uo"): 0.4, ("ian", "uan"): 0.5,
        ("u", "v"): 0.3, ("ie", "ue"): 0.4, ("a", "an"): 0.5, ("a", "ai"): 0.4, ("a", "ao"): 0.5, ("uan", "un"): 0.4, ("uai", "uan"): 0.4, ("u", "o"): 0.4, ("i", "v"): 0.4, ("un", "ong"): 0.5, ("in", "ian"): 0.5, ("en", "un"): 0.4,
    }.items()
}  # fmt: skip


@lru_cache(maxsize=512)
def repair(text: str, locale: str) -> str | None:
    """The plain form with domain words put back, or None when nothing changes."""
    form = plain(text, locale)
    repaired = _repair_zh(form) if language(form, locale) == "zh" else _repair_en(form)
    return repaired if repaired != form else None


def _repair_en(form: str) -> str:
    for pattern, words in _EN_SOUNDS:
        form = re.sub(pattern, words, form)
    if _EN_CONTEXT.search(form) is None:
        return form
    known = set(_EN_LONG)
    return " ".join(word if word in known or len(word) < 6 else _nearest_en(word) for word in form.split())


def _nearest_en(word: str) -> str:
    for target in _EN_LONG:
        if (
            abs(len(word) - len(target)) <= 1
            and word[0] == target[0]
            and not word.startswith(target)
            and edit_distance(word, target) == 1
        ):
            return target
    return word


def edit_distance(a: str, b: str) -> int:
    """Levenshtein."""
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        previous, row = row, [i]
        for j, y in enumerate(b, 1):
            row.append(min(previous[j] + 1, row[-1] + 1, previous[j - 1] + (x != y)))
    return row[-1]


_FELT_ZH = frozenset("臭香吵闷累困饿渴晕疼痛贵黑亮暗慢快干湿潮脏乱烦怕急忙甜辣挤堵颠麻痒怪")
"""What one may well say in the place of another: 有点臭 is not 有点冷."""


def _repair_zh(form: str) -> str:
    """Leftmost, longest first; what is already a domain word is left alone."""
    for pattern, words in _ZH_SOUNDS:
        form = re.sub(pattern, words, form)
    syllables = [readings(c) for c in form]
    taken = [False] * len(form)
    for word in ZH_VOCABULARY:
        for m in re.finditer(word, form):
            taken[m.start() : m.end()] = [True] * len(word)
    characters = list(form)
    for word in sorted(ZH_VOCABULARY, key=len, reverse=True):
        targets = [readings(c) for c in word]
        n = len(word)
        for start in range(len(form) - n + 1):
            if any(taken[start : start + n]) or any(not syllables[start + k] for k in range(n)):
                continue
            costs = [0.0 if form[start + k] == word[k] else syllables_cost(syllables[start + k], targets[k]) for k in range(n)]
            same = sum(form[start + k] == word[k] for k in range(n))
            limit = _SURE_ZH if n > 2 or same else _SURE_ZH / 2
            felt = any(cost and form[start + k] in _FELT_ZH for k, cost in enumerate(costs))
            one_wrong = word in _ONE_WRONG_ZH and sorted(costs)[-2] == 0.0 and not felt
            if one_wrong or (sum(costs) / n <= limit and max(costs) < 0.8):
                characters[start : start + n] = list(word)
                taken[start : start + n] = [True] * n
    return "".join(characters)


@lru_cache(maxsize=4096)
def readings(character: str) -> tuple[str, ...]:
    """Toneless readings of a Chinese character; empty for anything else."""
    if not "\u3400" <= character <= "\u9fff":
        return ()
    import pypinyin

    found = pypinyin.pinyin(character, style=pypinyin.Style.NORMAL, heteronym=True)[0]
    return tuple(dict.fromkeys(reading.replace("ü", "v") for reading in found))


def syllables_cost(heard: tuple[str, ...], meant: tuple[str, ...]) -> float:
    """From 0, the same sound, to 1."""
    return min((_syllable_cost(a, b) for a in heard for b in meant), default=1.0)


@lru_cache(maxsize=8192)
def _syllable_cost(a: str, b: str) -> float:
    if a == b:
        return 0.0
    (first_a, last_a), (first_b, last_b) = _split(a), _split(b)
    first = 0.0 if first_a == first_b else _NEAR.get(frozenset((first_a, first_b)), 1.0)
    last = 0.0 if last_a == last_b else _FINALS_NEAR.get(frozenset((last_a, last_b)), 1.0)
    return min(first + last, 1.0)


def _split(syllable: str) -> tuple[str, str]:
    for initial in _INITIALS:
        if syllable.startswith(initial):
            return initial, syllable[len(initial) :]
    return "", syllable
