"""Phone: words -> whom to call, whose number is asked for; which contact and number that is; how a number is said. Pure.

Does not know how a call is placed, or who may ask for one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from ridealong.harness.interjections import answer
from ridealong.harness.meant import FRAGMENT, Meant, as_written
from ridealong.harness.reading import Reading
from ridealong.harness.skill import Context, Match
from ridealong.harness.slots.text import has_chinese, language, plain
from ridealong.vehicle_skills.car import asks
from ridealong.vehicle_skills.phone.contacts import Contact, Contacts
from ridealong.vehicle_skills.phone.them import refers, spoken_of

CALL, LOOKUP = "phone.call", "phone.lookup"
WHOM: Final = ("Whom shall I call?", "要打给谁？")
WHOSE: Final = ("Whose number would you like?", "要谁的号码？")
EMERGENCY: Final = frozenset({"112", "911", "999", "000", "110", "119", "120", "122", "111", "108", "118", "15", "17", "18"})
_EMERGENCY: Final = re.compile(
    r"\b(?:emergency(?: services| number)?|ambulance|fire (?:brigade|department|service)|the police|police|paramedics?)\b|急救|救护车|报警|警察|消防|紧急"
)
_KIND_EN: Final = (
    ("mobile", r"(?:on )?(?:the |his |her |their |my )?(?:mobile|cell ?phone|cell|handy)(?: phone)?(?: number)?"),
    ("work", r"(?:at |on )?(?:the |his |her |their )?(?:work|office|business)(?: phone| line| number)?"),
    ("home", r"(?:at |on )?(?:the |his |her |their )?(?:home|house|landline)(?: phone| line| number)?"),
)
_KIND_ZH: Final = (
    ("mobile", r"的?(?:手机|移动电话)(?:号码?)?"),
    ("work", r"的?(?:工作|办公室?|公司|单位)(?:电话|座机|号码)?"),
    ("home", r"的?(?:家里?的?|座机)(?:电话|座机)?"),
)
_SAID_KINDS: Final = {"mobile": ("mobile", "手机"), "work": ("work", "办公"), "home": ("home", "家里")}

_DIGIT_EN: Final = {
    "zero": "0", "oh": "0", "o": "0", "nought": "0", "one": "1", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8", "nine": "9", "plus": "+",
}  # fmt: skip
_DIGIT_ZH: Final = {
    "零": "0",
    "〇": "0",
    "一": "1",
    "幺": "1",
    "二": "2",
    "两": "2",
    "三": "3",
    "四": "4",
    "五": "5",
    "六": "6",
    "七": "7",
    "八": "8",
    "九": "9",
    "加": "+",
}
_TIMES: Final = {"double": 2, "triple": 3, "treble": 3}


def digits_said(form: str) -> str:
    """The number that the whole of these words is, "" where they are something else: "five five five oh one", "0161 496 0345", 幺三八."""
    if has_chinese(form):
        said = "".join(_DIGIT_ZH.get(char, char) for char in form if not char.isspace())
        return said if re.fullmatch(r"\+?\d{2,18}", said) else ""
    found, times = "", 1
    for word in form.split():
        if word in _TIMES:
            times = _TIMES[word]
            continue
        digits = word if word.isdigit() else _DIGIT_EN.get(word, "")
        if not digits or (times > 1 and len(digits) > 1):
            return ""
        found, times = found + digits * times, 1
    return found if re.fullmatch(r"\+?\d{2,18}", found) else ""


def is_emergency(contact: str) -> bool:
    return contact in EMERGENCY or _EMERGENCY.search(plain(contact, "en")) is not None


# --- which contact, which number --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Line:
    """One number of somebody's. `kind` "" and `contact` None: digits that were said."""

    number: str
    kind: str = ""
    contact: Contact | None = None

    def called(self, locale: str) -> str:
        if self.contact is None:
            return spoken(self.number, locale)
        return self.contact.called(locale)

    @property
    def dialled(self) -> str:
        return "+" * self.number.startswith("+") + re.sub(r"\D", "", self.number)


@dataclass(frozen=True, slots=True)
class Several:
    contacts: tuple[Contact, ...]


@dataclass(frozen=True, slots=True)
class WhichNumber:
    contact: Contact


_OWNED: Final = re.compile(r"['’]s(?![A-Za-z])")


def without_owner(said: str) -> str:
    """ "Tim's" is Tim."""
    return _OWNED.sub("", said)


def resolve(said: str, contacts: Contacts) -> Line | Several | WhichNumber | None:
    """The same words are always the same number. None: nobody of that name. A kind that the contact has not is as good as none: asked."""
    said = without_owner(said)
    if digits := digits_said(plain(said, "en")):
        return Line(digits)
    name, kind = said, ""
    found = contacts.find(said)
    if not found:
        name, kind = split_kind(said)
        found = contacts.find(name) if name else ()
    if not found:
        return None
    if len(found) > 1:
        return Several(tuple(found[:3]))
    contact = found[0]
    if kind:
        return Line(contact.numbers[kind], kind, contact) if kind in contact.numbers else WhichNumber(contact)
    if len(contact.numbers) == 1:
        only = next(iter(contact.numbers))
        return Line(contact.numbers[only], only, contact)
    return WhichNumber(contact)


def split_kind(said: str) -> tuple[str, str]:
    """ "Anna at work" -> ("Anna", "work")."""
    zh = language(said, "en") == "zh"
    form = said.strip()
    for kind, pattern in _KIND_ZH if zh else _KIND_EN:
        found = re.search(rf"{pattern}$" if zh else rf"(?:^|\s){pattern}$", form, re.IGNORECASE)
        if found is not None:
            return form[: found.start()].strip(), kind
    return form, ""


def kind_name(kind: str, locale: str) -> str:
    return _SAID_KINDS[kind][locale.startswith("zh")]


def spoken(number: str, locale: str) -> str:
    """Digit by digit, in the groups in which it was written, else in threes."""
    zh = locale.startswith("zh")
    plus = number.strip().startswith("+")
    groups = re.findall(r"\d+", number)
    if len(groups) == 1 and len(groups[0]) > 4:
        whole = groups[0]
        groups = [whole[at : at + 3] for at in range(0, len(whole), 3)]
        if len(groups[-1]) == 1:
            groups[-2:] = ["".join(groups[-2:])]
    read = ["".join("零一二三四五六七八九"[int(digit)] for digit in group) if zh else " ".join(group) for group in groups]
    return ("加" if zh else "plus ") * plus + ("，" if zh else ", ").join(read)


# --- words -----------------------------------------------------------------------------------------------------------

_CALL_EN: Final = tuple(
    re.compile(pattern)
    for pattern in (
        r"(?P<verb>call|phone|dial|ring|telephone)(?! (?:is|was|has)\b)(?: up| back)? (?P<p1>.+)",
        r"(?:make|place)(?: me)? (?:a|another) (?:phone )?call to (?P<p2>.+)",
        r"give (?P<p3>.+?) a (?:phone )?(?:call|ring|bell|buzz)",
        r"(?:get|put) (?:me )?(?P<p4>.+?) on the (?:phone|line)",
        r"(?:put me through|connect me) (?:to|with) (?P<p5>.+)",
        r"(?:get|have) (?P<p6>.+?) on the line",
    )
)
_CALL_ZH: Final = tuple(
    re.compile(pattern)
    for pattern in (
        r"给(?P<p1>.+?)(?:打|拨|去|回)(?:一?个|通)?电话",
        r"(?:打|拨)(?:一?个|通)?电话(?:给|去|到|回)?(?P<p2>.+)",
        r"(?:拨打|打给|拨给|呼叫|致电|拨通|电话给|打畀)(?P<p3>.+?)",
        r"拨号?(?P<p4>[+\d零一幺二两三四五六七八九]{3,})",
        r"打(?P<p5>[\d零一幺二两三四五六七八九]{3,})",
        r"联系(?:一下)?(?P<p6>.+)",
    )
)
_NOBODY_EN: Final = re.compile(
    r"(?:me|it|that|this|these|those|him|her|them|us|you|off|out|for|on|in|a|an|the)(?: .*)?|.*\b(?:when|if|as|names|a day|a meeting|the shots|back later|tomorrow|later|a taxi|a cab)\b.*|road.*|the bell.*|tone.*|(?:flat|dead|dying|ringing|broken|charging)\b.*|(?:text|message|email|e mail) (?:him|her|them|it)\b.*|(?:the )?last (?:number|call\w*).*|whoever.*|(?:the |that )?missed call.*|voicemail|.*\b(?:heat|heating|fan|temperature|volume|music)\b.*"
)
_NOBODY_ZH: Final = re.compile(r"(?:我|你|他|她|它|电话|一下|谁)|叫.*|.*(?:的时候|之后|提醒|短信|微信|消息|告诉).*")
_TAIL_EN: Final = re.compile(
    r"(?: (?:please|now|again|back|for me|for (?:his|her) birthday|i am running late|will you|would you))+$"
)
_TAIL_ZH: Final = re.compile(r"(?:吧|啦|啊|呗|谢谢|一下|好吗|的电话|电话|打(?:过去)?)+$")
_ARTICLE: Final = re.compile(r"^(?:my|the|our|up|back|number|phone number|a call to)\s+(?=\S)")


def _name(said: str, zh: bool) -> str:
    name = (_TAIL_ZH if zh else _TAIL_EN).sub("", said).strip(" ,.")
    if zh:
        return re.sub(r"^(?:我的?(?=.)|给)", "", name)
    before = ""
    while name != before:
        before, name = name, _ARTICLE.sub("", name)
    return name


def call_named(form: str, zh: bool) -> tuple[str, str]:
    """(whom, the verb), ("", "") where these words ask for no call."""
    for pattern in _CALL_ZH if zh else _CALL_EN:
        found = pattern.fullmatch(form)
        if found is None:
            continue
        said = next(value for key, value in found.groupdict().items() if value and key != "verb")
        name = _name(said, zh)
        if (
            not name
            or (_NOBODY_ZH if zh else _NOBODY_EN).fullmatch(name if not digits_said(name) else "")
            or len(name) > (14 if zh else 40)
        ):
            continue
        return name, found.groupdict().get("verb") or ""
    return "", ""


def recognise_call(text: str, locale: str, context: Context, contacts: Contacts) -> Match | None:
    reading = Reading(text, locale)
    if asks(context, CALL):
        earlier = context.recent[0].arguments
        if "contact" in earlier and answer(text, locale) is True:
            return Match(CALL, 0.97, earlier, dict.fromkeys(earlier, "context:answer"))
        if (chosen := chosen_of(str(earlier.get("contact", "")), reading.core, contacts)) is not None:
            return Match(CALL, 0.95, {"contact": chosen}, {"contact": reading.core})
    if (whom := spoken_of(context)) and refers(reading.core, reading.zh):
        return Match(CALL, 0.95, {"contact": whom}, {"contact": "context:recent"})
    name, verb = call_named(reading.core, reading.zh)
    if not name:
        bare = r"(?:make|place) a (?:phone )?call|call (?:somebody|someone)|打(?:一?个)?电话"
        if re.fullmatch(bare, reading.core):
            return Match(CALL, 0.9, missing=("contact",), question=WHOM[reading.zh])
        return None
    digits = digits_said(name)
    known = bool(digits) or is_emergency(name) or resolve(name, contacts) is not None
    long_ = len(name) > 6 if reading.zh else len(name.split()) > 4
    if not known and (long_ or verb in ("ring", "dial") or (reading.zh and "联系" in reading.core)):
        return None
    return Match(CALL, 0.95 if known else 0.85, {"contact": digits or name}, {"contact": name})


def chosen_of(earlier: str, words: str, contacts: Contacts) -> str | None:
    """In answer to our own question whom or which number: what makes one of what was asked about."""
    bare = re.sub(r"^(?:the|his|her|that|to|on|at|use|call) |(?:那个|的)$", "", words).strip()
    bare = re.sub(r" (?:one|number|please)$", "", bare).strip()
    if not bare:
        return None
    zh = has_chinese(bare)
    joined = (f"{earlier}的{bare}" if zh else f"{earlier} {bare}", bare, f"{bare} {earlier}")
    alone = split_kind(bare)[0] == ""
    for name in joined if alone or earlier else (bare,):
        found = resolve(name, contacts) if name.strip() else None
        if isinstance(found, Line | WhichNumber) and not (name == bare and alone):
            return name
    return None


_LOOKUP_EN: Final = tuple(
    re.compile(pattern)
    for pattern in (
        r"(?:what is|what was|tell me|give me|read me|say|show me|look up|find|get me|do i have|have i got) (?:the )?(?P<p1>.+?)(?: (?:phone|telephone))? (?:numbers?|digits)(?: please)?",
        r"(?:what is|tell me|give me|read me|read me out|look up|find|do i have|have i got)(?: the| a)?(?: phone| telephone)? number (?:of|for) (?P<p2>.+)",
        r"what number (?:do i have|have i got|is there) for (?P<p3>.+)",
        r"(?:is|do i have|have i got) (?P<p4>.+?) in my (?:contacts|phone ?book|phone|address book)",
        r"(?:find|look up|search for|show me) (?P<p5>.+?) in my (?:contacts|phone ?book|address book)",
        r"(?:which|what) number is saved under (?P<p6>.+)",
    )
)
_LOOKUP_ZH: Final = tuple(
    re.compile(pattern)
    for pattern in (
        r"(?:查(?:一下|查|下)?|找(?:一下|找)?|念一下|告诉我|报一下|我想要|看看)(?P<p1>.+?)的?(?:电话号码|手机号码?|电话|号码|联系方式)(?:是)?(?:多少|几)?",
        r"(?P<p2>.+?)的?(?:电话号码|手机号码?|电话|号码)(?:是)?(?:多少|几|几号|什么|几多)(?:来着)?(?:[,，]?(?:报|念|说|发|告诉)(?:一下)?(?:给?我)?(?:听)?)?",
        r"通讯录里?有没有(?P<p3>.+)",
        r"(?P<p4>.+?)的?(?:电话|号码|手机号)(?:给我)?念(?:一下|给我听|一遍)?",
    )
)  # fmt: skip
_NO_PERSON: Final = re.compile(
    r"(?:the |my |our )?(?:phone|house|flat|exit|route|registration|plate|flight|chassis|serial|room|gate|track|page|emergency|lucky|engine|vin|that|this|it|license|licence)(?: .*)?|车牌|航班|房间|门牌|这个|那个"
)


_NO_NAME: Final = re.compile(r"\b(?:in|to|own|my own|locker|pi|of|on|at|from)\b|\w+ \w+ \w+ \w+|[上里]$|刚才|之前|有个|那块")


def recognise_lookup(text: str, locale: str, context: Context, contacts: Contacts) -> Match | None:
    reading = Reading(text, locale)
    for form in (reading.core, reading.frame.text):
        for pattern in _LOOKUP_ZH if reading.zh else _LOOKUP_EN:
            found = pattern.fullmatch(form)
            if found is None:
                continue
            name = _name(next(value for value in found.groups() if value), reading.zh)
            if not name or _NO_PERSON.fullmatch(name) or len(name) > (12 if reading.zh else 40):
                continue
            known = resolve(name, contacts) is not None
            if not known and (re.search(r"\bdigits\b", form) or _NO_NAME.search(name)):
                continue
            return Match(LOOKUP, 0.95 if known else 0.86, {"contact": name}, {"contact": name})
    return None


# --- where a tagger has found it ---------------------------------------------------------------------------------------

_LEAD_EN: Final = re.compile(
    r"^.*?\b(?:call|phone|dial|ring|buzz|hit up|try|speak to|talk to|get|through to|connect me with|shoot|give|number(?: for| of| under)?|digits|contact)(?: (?:up|back|me|to))*\s+(?P<name>.+)$"
)
_LOOSE_TAIL_EN: Final = re.compile(
    r"(?:,? (?:please|again|now|back|on (?:the )?(?:phone|line|speaker)|for (?:me|us)|quick(?:ly)?|straight away|right away|a (?:bell|call|ring|buzz)|will you|would you.*|for (?:his|her) .*|number|phone number|digits|i am running late|call (?:him|her|them)|.* just call .*))+$"
)
_LEAD_ZH: Final = re.compile(
    r"^.*?(?:打电话给|打个电话给|打给|拨给|拨打|拨通|呼叫|联系一?下?|找一下|拨一下|打去|接通|跟|给|查查?|找找|叫)(?P<name>.+)$"
)
_LOOSE_TAIL_ZH: Final = re.compile(
    r"(?:[打拨](?:个|一?通)?电话|去个电话|拨过去|打过去|讲电话|的电话|电话号码|的?号码|的联系方式|问问.*|.{0,2}多少.*|吧|啦|,)+.*$"
)
_AGAIN: Final = re.compile(
    r"\b(?:redial|last (?:number|call|caller)|missed call|back that|voicemail)\b|重拨|未接|回拨|刚才那?个?号"
)


def understood_name(meant: Meant, asking: bool) -> str:
    """Whom these words name; "" for nobody, or somebody that only a list of calls would know."""
    if _AGAIN.search(meant.form):
        return ""
    core = Reading(meant.text, meant.locale).core
    name, _ = call_named(core, meant.zh)
    if asking or not name:
        match = recognise_lookup(meant.text, meant.locale, meant.context, _Anybody()) if asking else None
        name = str(match.arguments["contact"]) if match is not None else name
    if not name:
        loose = (_LEAD_ZH if meant.zh else _LEAD_EN).match(meant.form)
        name = (
            _name((_LOOSE_TAIL_ZH if meant.zh else _LOOSE_TAIL_EN).sub("", loose["name"]), meant.zh) if loose is not None else ""
        )
    return name if name and not (_NOBODY_ZH if meant.zh else _NOBODY_EN).fullmatch(name) and len(name) <= 40 else ""


class _Anybody:
    def find(self, name: str) -> tuple[Contact, ...]:
        return ()


_NO_CALL_ZH: Final = re.compile(
    r"^(?:请|帮我)*(?:打|开)(?:个|一下)?(?:双闪|(?:左|右)?转向灯?|.{0,2}灯|伞|车)(?:吧)?$|^(?:请|帮我)*(?:接|挂)(?:一?下|断|掉|了)?(?:个)?电话$|^挂断$"
)


def call(meant: Meant) -> tuple[Match, ...]:
    if _NO_CALL_ZH.search(meant.form):
        return ()
    if them := _them(meant):
        return them
    name = understood_name(meant, asking=False)
    if not name:
        return () if meant.variant == FRAGMENT else (meant.asks(CALL, "contact", *WHOM),)
    digits = digits_said(name)
    return (meant.match(CALL, {"contact": digits or as_written(name, meant.text)}, {"contact": name}),)


def _them(meant: Meant) -> tuple[Match, ...]:
    whom = spoken_of(meant.context)
    said = whom and refers(Reading(meant.text, meant.locale).core, meant.zh)
    return (meant.match(CALL, {"contact": whom}, {"contact": "context:recent"}),) if said else ()


def lookup(meant: Meant) -> tuple[Match, ...]:
    if them := _them(meant):
        return them
    name = understood_name(meant, asking=True)
    if not name:
        return () if meant.variant == FRAGMENT else (meant.asks(LOOKUP, "contact", *WHOSE),)
    written = _OWNED.sub("", as_written(name, meant.text))
    return (meant.match(LOOKUP, {"contact": written}, {"contact": name}),)
