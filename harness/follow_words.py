"""Short sentences that change what was asked for just before: "no, 23", "not hers, mine", "the other one", "twice as long", "back to what
it was", 不对，是副驾, 反过来, 调回去. Closed patterns over the whole sentence. Pure.

`follow_up(text, locale)` gives what is said to be different. What that means for a call, and for which, is following.py's. A sentence that
names something of its own ("the fan to sixty") is none.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache

from ridealong.harness import follow_en as english
from ridealong.harness import follow_zh as chinese
from ridealong.harness.follow_about import corrects, only_takes_back
from ridealong.harness.follow_by import by_so_much, in_order
from ridealong.harness.follow_loosely import corrected
from ridealong.harness.follow_notches import by_notches
from ridealong.harness.follow_said import LABEL, At, FollowUp, Place, Scale, Sense, State, Step, Thing, Unit, Value
from ridealong.harness.slots.duration import find_duration
from ridealong.harness.slots.number import find_numbers, parse_number
from ridealong.harness.slots.percent import find_percent
from ridealong.harness.slots.text import language, marked, plain
from ridealong.harness.slots.zones import place_spans


@lru_cache(maxsize=256)
def follow_up(text: str, locale: str) -> FollowUp | None:
    """What these words say to be different; None where they are no such sentence."""
    zh = language(text, locale) == "zh"
    form = plain(text, locale)
    if not form or len(form) > (24 if zh else 70):
        return None
    if not zh and (step := by_notches(form)) is not None:
        return step
    core, before = form, ""
    while core != before:
        before = core
        if (found := _said(core, zh) or _read(core, zh)) is not None:
            fresh = isinstance(found, Value) and (chinese.FRESH if zh else english.FRESH).match(form) is not None
            return replace(found, fresh=True) if isinstance(found, Value) and fresh else found
        core = (chinese.LEAD if zh else english.LEAD).sub("", core, count=1).strip()
        if core == before:
            core = (chinese.TAIL if zh else english.TAIL).sub("", core).strip()
    return _loosely(form, zh)


def instead(text: str, locale: str, answers: bool = False) -> Thing | None:
    """What is named in place of what was asked for: "I meant the library", "not Leeds, Luton", 不是南京，是南昌. Only a few words, of which
    none says that something else is told."""
    zh = language(text, locale) == "zh"
    adds = (chinese.ADDS if zh else english.ADDS).match(plain(text, locale)) is not None
    pieces = [piece.strip() for piece in re.split(r"\s*[,.]\s*", marked(text, locale)) if piece.strip(" ,.")]
    pieces = [piece for piece in pieces if not _COURTESY.fullmatch(piece)] or pieces
    behind = len(pieces) > 1 and (
        only_takes_back(pieces[-1], locale) or (chinese.SPELLED if zh else english.SPELLED).fullmatch(pieces[-1]) is not None
    )  # "the front one, sorry"
    pieces = pieces[:-1] if behind else pieces
    back = behind or corrects(text, locale) or (chinese.TURNS if zh else english.TURNS).match(marked(text, locale)) is not None
    back = back or (chinese.BEHIND if zh else english.BEHIND).search(plain(text, locale)) is not None
    if not pieces or not (adds or answers or back or corrects(pieces[-1], locale)):
        return None
    last_refused = len(pieces) > 1 and re.match(r"(?:而)?不是" if zh else r"not\b", pieces[-1])
    core, before = pieces[-2] if last_refused else pieces[-1], ""
    named = re.match(r"不是.+?而?是(.+)$", core) if zh else None
    core = named[1] if named is not None else core
    core = core if zh else _ABOUT_EN.sub("", core)
    while core != before:
        before = core
        core = (chinese.LEAD if zh else english.LEAD).sub("", core, count=1).strip()
        core = (chinese.TAIL if zh else english.TAIL).sub("", core).strip()
    core = re.sub(r"^(?:而?是)?(?:去|到|导航到)?", "", core) if zh else re.sub(r"^(?:to|at|it is) ", "", core)
    refused = len(pieces) == 1 and re.match(r"不是" if zh else r"(?:no )?not\b", pieces[0]) is not None and named is None
    too_long = len(core) > 10 if zh else len(core.split()) > 4
    tells = (chinese.TELLS if zh else english.TELLS).search(core) is not None and not LABEL.fullmatch(core)
    if not core or refused or too_long or tells:
        return None
    return Thing(core, adds, next((found[1] or found[2] for piece in pieces if (found := _NOT_IT.match(piece)) is not None), ""))


_ABOUT_EN = re.compile(r"^(?:(?:and|so|or|but|well|okay) )*(?:what|how) about (?!you\b|us\b|it\b|that\b|this\b)")
_COURTESY = re.compile(r"please|thanks|thank you|cheers|谢谢你?|拜托|麻烦(?:你|您)?")
_NOT_IT = re.compile(r"(?:no )?not (?:to |the |my )?(.+)|(?:而)?不是([^是]+)$")


def _said(core: str, zh: bool) -> FollowUp | None:
    for said, pattern in chinese.SAID if zh else english.SAID:
        if re.fullmatch(pattern, core) is not None:
            return said
    return None


def _read(core: str, zh: bool) -> FollowUp | None:
    return _state(core, zh) or _measured(core, zh) or _unit(core, zh) or _placed(core, zh) or _at(core, zh)


_UNIT_EN = re.compile(
    r"(?:in )?(?P<unit>second|minute|hour)s(?: (?:and )?not (?:in )?(?:second|minute|hour)s)?|not (?:second|minute|hour)s (?:but )?(?P<other>second|minute|hour)s(?: i (?:mean|meant|said) (?:second|minute|hour)s)?"
)
_UNIT_ZH = re.compile(
    r"是?个?(?P<unit>秒钟?|分钟|小时)(?:,?(?:而)?不是(?:秒钟?|分钟|小时))?|不是个?(?:秒钟?|分钟|小时),?(?:而?是)?个?(?P<other>秒钟?|分钟|小时)"
)
_UNIT_S = {"second": 1, "minute": 60, "hour": 3600, "秒": 1, "秒钟": 1, "分钟": 60, "小时": 3600}


def _unit(core: str, zh: bool) -> Unit | None:
    found = (_UNIT_ZH if zh else _UNIT_EN).fullmatch(core)
    said = (found["unit"] or found["other"]) if found is not None else ""
    return Unit(_UNIT_S[said], core) if said else None


def _state(core: str, zh: bool) -> State | None:
    found = (chinese.STATE if zh else english.STATE).fullmatch(core)
    if found is None:
        return State(False, core) if not zh and re.fullmatch(r"(?:kill|cut|shut) (?:it|that|them)(?: off| out)?", core) else None
    return State(found["state"] in ("on", "open") if not zh else "开" in found["state"], found["state"])


# --- how much --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Number:
    value: float
    unit: str
    words: str
    span: tuple[int, int]


def _numbers(core: str, zh: bool) -> list[_Number]:
    """With their units, durations as one number of seconds."""
    found: list[_Number] = []
    rest, offset = core, 0
    while (duration := find_duration(rest, "zh" if zh else "en")) is not None:
        begin, end = offset + duration.span[0], offset + duration.span[1]
        found.append(_Number(duration.duration_s, "seconds", core[begin:end], (begin, end)))
        rest, offset = core[end:], end
    for value, (begin, end) in _plain_numbers(core, zh):
        if any(begin < other.span[1] and end > other.span[0] for other in found):
            continue
        unit = ""
        for name, pattern in chinese.UNIT if zh else english.UNIT:
            said = re.match(pattern if zh else rf" (?:{pattern})\b", core[end:])
            if said is not None:
                unit, value = name, value + (0.5 if said.group() == "度半" else 0.0)
                end += said.end()
                break
        if zh and (share := re.search(r"百分之$", core[:begin])) is not None:
            begin, unit = share.start(), "percent"
        if not zh and unit and (half := re.match(r" and a half\b", core[end:])) is not None:
            value, end = value + 0.5, end + half.end()
        found.append(_Number(value, unit, core[begin:end], (begin, end)))
    for half in re.finditer(r"半度" if zh else r"\bhalf a degree\b", core):
        found.append(_Number(0.5, "degrees", half.group(), half.span()))
    if not zh:
        for one in re.finditer(r"\b(?:a|one|another) (?:single |whole )?(degree|notch)\b(?: and a half\b)?", core):
            if not any(one.start() < other.span[1] and one.end() > other.span[0] for other in found):
                unit = "degrees" if one.group(1) == "degree" else "notches"
                found.append(_Number(1.5 if one.group().endswith("half") else 1.0, unit, one.group(), one.span()))
    return sorted(found, key=lambda one: one.span)


def _plain_numbers(core: str, zh: bool) -> list[tuple[float, tuple[int, int]]]:
    if not zh:
        return [(one.value, one.span) for one in find_numbers(core, "en") if not one.ordinal]
    found = []
    for m in chinese.NUMERAL.finditer(core):
        number = None if chinese.NO_NUMERAL.match(core, m.start()) else parse_number(m.group(), "zh")
        if number is not None:
            found.append((number.value, m.span()))
    return found


def _measured(core: str, zh: bool) -> FollowUp | None:
    said, core = core, core if zh else in_order(core)
    numbers = _numbers(core, zh)
    masked, last = "", 0
    for one in numbers:
        masked, last = f"{masked}{core[last : one.span[0]]}#", one.span[1]
    masked += core[last:]
    if numbers and (value := _value(masked, numbers, zh)) is not None:
        return value
    step = _step(core, masked, numbers, zh) if len(numbers) < 2 else None
    return _scale(core, zh) or _share(core, zh) or (replace(step, words=said) if step is not None else None)


def _value(masked: str, numbers: list[_Number], zh: bool) -> Value | None:
    """One number; of two, the one that is not refused."""
    if zh:
        found = re.fullmatch(
            r"(?:(?:不是|不要)#(?:而?是|要)?,?|(?:把|将)?#(?:应该)?(?:改|换|变|调)(?:成|为|到)?|#(?:说|弄|搞|听)?错了,?(?:是|应该是)?)?是?(?P<v>#)(?:,?(?:而)?(?:不是|不要)#)?",
            masked,
        )
    else:
        found = re.fullmatch(
            r"(?:not # (?:but )?|(?:change |turn |make )?(?:the |that )?# (?:to|into|should (?:be|have been)|was meant to be|becomes) )?(?:to |at |of |for |around |about |under |over |below |above )?(?:(?:(?:a (?:bit|little)|much|slightly|even) )?(?:lower|higher|less|more|earlier|later) )?(?P<v>#)(?: (?:not|instead of|rather than) (?:to |at )?#)?",
            masked,
        )
    if found is None:
        return None
    wanted = numbers[masked[: found.start("v")].count("#")]
    unit = wanted.unit or next((one.unit for one in numbers if one.unit), "")
    refused = next((one.value for one in numbers if one is not wanted), None)
    return None if unit == "notches" else Value(wanted.value, unit, wanted.words, refused=refused)


def _share(core: str, zh: bool) -> Value | None:
    """ "Half way", "a third": of an opening. All of it depends on which way it went."""
    share = find_percent(core, "zh" if zh else "en")
    if (
        share is None
        or (share.vague and re.match(r"留|(?:leave|keep|just)\b", core) is None)
        or not re.fullmatch(
            r"(?:开|到|只|就|降到|留|给我|它|个|条|点|一)*<>(?:就)?"
            if zh
            else r"(?:to |only |just |leave |keep |it |me |a )*<>(?: (?:open|down|way))*",
            f"{core[: share.span[0]]}<>{core[share.span[1] :]}",
        )
    ):
        return None
    return Value(share.value, "percent", core)


def _loosely(form: str, zh: bool) -> Value | Place | None:
    """A correction in no fixed form, of one number or one place."""
    numbers = _numbers(form, zh)
    refused = re.compile(r"(?:而)?(?:不是|不要)$" if zh else r"\b(?:not|instead of|rather than)(?: to| at)? $")
    masked, last = "", 0
    wanted: list[_Number] = []
    against: float | None = None
    for one in numbers:
        masked, last = f"{masked}{form[last : one.span[0]]}", one.span[1]
        if (no := refused.search(masked)) is not None:
            masked, against = masked[: no.start()], one.value
        else:
            wanted.append(one)
            masked += "#"
    masked += form[last:]
    spans = place_spans(form, "zh" if zh else "en") if not numbers else []
    if len(wanted) == 1 and corrected(masked, zh):
        unit = wanted[0].unit or next((one.unit for one in numbers if one.unit), "")
        return Value(wanted[0].value, unit, wanted[0].words, refused=against) if unit != "notches" else None
    if len(spans) == 1 and corrected(f"{form[: spans[0][0]]}<>{form[spans[0][1] :]}", zh):
        return Place(form)
    return None


def _scale(core: str, zh: bool) -> Scale | None:
    if zh:
        found = re.fullmatch(
            r"(?:再|就|要|给我|开|留|只要)*(?:(?P<two>(?:多|大|快|长|加|翻|高)?一倍|翻倍|加倍|翻番|两倍|双倍)|(?P<half>减半|对半|(?:开|减|留|少)?一半|半)|(?P<three>三倍))(?:就)?(?:够|行|好)?",
            core,
        )
        if found is None:
            return None
        return Scale(2.0 if found["two"] else 3.0 if found["three"] else 0.5, core)
    for factor, pattern in english.FACTORS:
        for of, like in english.LIKE:
            if re.fullmatch(rf"(?:{pattern}) (?:as|that|so) (?:{like})(?: as that| again)?", core):
                return Scale(factor, core, of)
        if (
            re.fullmatch(rf"(?:{pattern})(?: (?:that|it|of that|the speed|the time|the amount|of it))?", core)
            and core != "a quarter"
        ):
            return Scale(factor, core)
    if re.fullmatch(r"(?:halve|double) (?:it|that)", core):
        return Scale(0.5 if core.startswith("halve") else 2.0, core)
    return None


def _step(core: str, masked: str, numbers: list[_Number], zh: bool) -> Step | None:
    size, unit = (numbers[0].value, numbers[0].unit) if numbers else (None, "")
    whole, masked = masked, _refused_step(masked, zh)
    some = f"(?:{chinese.SIZE}|#)" + ("?" if masked != whole else "")
    if unit and (by := by_so_much(masked, zh)) is not None:
        return Step(by[0], size, unit, core, by[1])
    if zh:
        masked = masked.replace(" ", "")
        for sense, of, pattern in chinese.STEPS:
            if re.fullmatch(
                rf"(?:再|更|还要?|稍微|往|给我|多|少|开|调|弄|把|(?:比现在)|个)*(?:{pattern})(?:上|下|掉|个)*{some}(?:就)?",
                masked,
            ) or re.fullmatch(rf"(?:不用|不要|别|没必要)(?:开|调|吹)?(?:得|那么|这么)+(?:{pattern})", masked):
                if masked.startswith(("不", "别", "没")):
                    sense = {Sense.UP: Sense.DOWN, Sense.DOWN: Sense.UP}.get(sense, Sense.LESS)
                return Step(sense, size, unit, core, of)
        too = re.fullmatch(r"(?:这|那|有点|还是|现在|也)*太(?:(高|大|多|强|快|长|久|远|猛)|(?:低|小|少|弱|慢|短))了?", masked)
        if too is not None:
            return Step(Sense.LESS if too[1] else Sense.MORE, None, "", core)
        if re.fullmatch(rf"(?:再|还是|稍微)*少(?:开|关|吹|给)(?:{chinese.SIZE}|#)", masked):
            return Step(Sense.LESS, size, unit, core)
        if re.fullmatch(
            r"再(?:来|要|给)?(?:一点点?|点儿?|一些|#)|(?:再|多)(?:开|关|打开)(?:一点点?|点儿?|一些|#)|还不够", masked
        ):
            return Step(Sense.MORE, size, unit, core, "opening" if re.match(r"[再多](?:开|关|打)", masked) else "")
        return None
    for sense, of, pattern in english.STEPS:
        if re.fullmatch(
            rf"(?:by )?(?:(?:{english.BIT}|just|only|#) ?)*(?:{pattern})(?: (?:{english.BIT}|again|than (?:that|it is(?: now)?|now)|by #|still|on (?:that|it)))*",
            masked,
        ):
            return Step(sense, size, unit, core, of)
    for of, like in english.LIKE:
        if re.fullmatch(rf"not (?:{english.AS}) (?:{like})(?: (?:please|as that))?", masked):
            return Step(Sense.LESS, None, "", core, of)
    too = re.fullmatch(
        r"(?:(?:that|it) is )?(?:(?:way|far|a bit|much|a little) )*too (?:(?P<less>much|far|high|strong|fast|long|wide|loud|bright|(?P<hot>hot|warm))|(?:little|low|weak|slow|short|quiet|dim|dark|(?P<cold>cold|cool)))",
        masked,
    )
    if too is not None:
        return Step(Sense.LESS if too["less"] else Sense.MORE, None, "", core, "warmth" if too["hot"] or too["cold"] else "")
    if re.fullmatch(rf"(?:{english.BIT}|#) more|(?:some|any) more|another #", masked):
        return Step(Sense.MORE, size, unit, core)
    return None


def _refused_step(masked: str, zh: bool) -> str:
    """Without the step that it is not: "not warmer, cooler", 不是降，是升."""
    senses = "|".join(pattern for *_, pattern in (chinese.STEPS if zh else english.STEPS))
    if zh:
        return re.sub(
            rf"^(?:不是|不要|别)(?:让你?|要|再|往|更|调|变|开)*(?:{senses})(?:{chinese.SIZE})?,?(?:而是|是|要)+", "", masked
        )
    return re.sub(rf"^not (?:{senses}) (?:but )?", "", masked)


# --- where -----------------------------------------------------------------------------------------------------------


_NOT_THAT_BUT = re.compile(r"^(?:not (?:that|this|those|these)(?: ones?)? (?:but )?|不是(?:这|那)(?:个|边|扇|些)?,?是?)(?=.)")


def _placed(core: str, zh: bool) -> Place | None:
    """Places and hardly a word more."""
    core = _NOT_THAT_BUT.sub("", core)
    spans = place_spans(core, "zh" if zh else "en")
    if not spans:
        return None
    masked, last = "", 0
    for begin, end in spans:
        masked, last = f"{masked}{core[last:begin]}<>", end
    masked += core[last:]
    refused = (chinese.REFUSED_PLACE if zh else english.REFUSED_PLACE).fullmatch(masked)
    if refused is not None:
        kept = re.search(r"留着|保持|动|[别不](?:用|要)?(?:打?开|关)" if zh else r"\b(?:leave|keep)\b", core) is not None
        return Place(core[spans[0][0] : spans[0][1]], True, kept)
    whole = (chinese.REST_OF_PLACE if zh else english.REST_OF_PLACE).fullmatch(masked)
    return Place(core) if whole is not None else None


def _at(core: str, zh: bool) -> At | None:
    """One place, at the beginning or the end, and a change."""
    spans = place_spans(core, "zh" if zh else "en")
    if len(spans) != 1:
        return None
    (begin, end) = spans[0]
    place, rest = core[begin:end], f"{core[:begin]} {core[end:]}"
    if zh:
        rest = re.sub(
            r"^(?:把|给|让)?(?:的|那|这|一|个|扇|边|侧|窗户?)*(?:就|只|要|得|再|也|改|还是|调|设|给|开(?=[\d一二两三最高中低]))*(?:成|到|为)?",
            "",
            rest.replace(" ", ""),
        )
    else:
        if begin and core[end:].strip():
            if english.KEEPS.fullmatch(core[:begin]) is None:
                return None
            rest = core[end:]
        rest = re.sub(r"^(?:turn|switch) (?=(?:on|off)\b)", "", rest.strip())
        rest = re.sub(
            r"^(?:(?:side|ones?|windows?|is|are|(?:(?:should|can|must|has to|have to) )?(?:be|stay|remain|go)e?s?|at|to|on(?! ?$)|the|only|just)\b ?)+|(?: (?:for|on|the|with|in|at|only|just))+$",
            "",
            rest.strip(),
        ).strip()
    if not rest or rest == core:
        return None
    what = _state(rest, zh) or _measured(rest, zh)
    return At(place, what) if isinstance(what, Value | Step | Scale | State) else None


def only(words: str, locale: str) -> bool:
    """ "Just the left one": and nowhere else."""
    return (
        re.search(
            r"只|就(?=[开要我左右前后主副]|好$|行$|够$)" if language(words, locale) == "zh" else r"\b(?:only|just)\b", words
        )
        is not None
    )
