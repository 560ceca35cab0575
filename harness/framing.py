"""How something was said, apart from what: politeness taken off, question or command, negated, reported, corrected, to whom.

`frame(text, locale)` is a pure, cached reading of the words alone. The router uses it to keep questions from actuating and quoted
speech from counting; recognisers match on `core`.

The words themselves are tables (framing_en.py, framing_zh.py); the order in which they count is here.
Does not know any skill, the car, the voice that spoke, or utterances that are understood whole (interjections.py).
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

from ridealong.harness import framing_en as en
from ridealong.harness import framing_zh as zh
from ridealong.harness.slots.text import language, marked, plain


@dataclass(frozen=True, slots=True)
class Frame:
    """`text`: plain form. `core`: without wake name, politeness and fillers. `correction`: what is left after "no, …"."""

    text: str
    core: str
    marked: str
    locale: str
    wake: bool
    polite: bool
    question: bool
    negated: bool
    reported: bool
    to_other: bool
    narrated: bool
    correction: str | None


@lru_cache(maxsize=1024)
def frame(text: str, locale: str) -> Frame:
    lang = language(text, locale)
    form = plain(text, lang)
    return _frame_zh(text, form) if lang == "zh" else _frame_en(text, form)


_CUTS_ZH = re.compile(
    rf"\s*[,.]\s*(?:然后|并且|{zh.ALSO}|顺便|再|也|同时)?|(?:然后(?:再)?|并且|顺便|同时|{zh.ALSO}|另外|再(?=把|打开|关|帮|调|开|导航)|并(?=把|打开|关|调|导航|带我))|(?<=[^,. 再接就后并])(?=(?:导航过去|导过去|带(?:我|我们)(?:过去|去那)|开过去|(?:把它)?设(?:为|成)目的地))"
)
_CUTS_EN = re.compile(
    r"\s+(?:[,.]\s+)?(?:and then|and also|then|and(?! (?:a|one) (?:half|quarter|third)\b| half\b| (?:three quarters|two thirds|[23] (?:quarters|thirds))\b)|also|plus|as well as)\s+|\s+[,.](?:\s+|$)"
)
MAX_PIECES = 6


_HUNDREDS = re.compile(r"\b(?:hundred|thousand|million)\s*$")
_NUMBER = re.compile(
    r"(?:(?:twen|thir|for|fif|six|seven|eigh|nine)ty|(?:thir|four|fif|six|seven|eigh|nine)teen|one|two|three|four|five|six|seven|eight|nine|ten|"
    r"eleven|twelve|a (?:half|quarter)|\d+)\b"
)


def pieces(text: str, locale: str) -> list[tuple[str, str]]:
    """A sentence cut at conjunctions and stops: (what stands before the piece, the piece)."""
    lang = language(text, locale)
    form, found, joiner, at = marked(text, lang), [], "", 0
    for cut in (_CUTS_ZH if lang == "zh" else _CUTS_EN).finditer(form):
        if (
            cut.group().strip() == "and"
            and _HUNDREDS.search(form[at : cut.start()])
            and _NUMBER.match(form[cut.end() :].lstrip())
        ):
            continue  # "two hundred and sixty" is one number
        if piece := form[at : cut.start()].strip():
            found.append((joiner.strip(), piece))
            joiner = ""
        joiner, at = joiner + cut.group(), cut.end()
    if piece := form[at:].strip():
        found.append((joiner.strip(), piece))
    return found[:MAX_PIECES]


def segments(text: str, locale: str) -> list[tuple[str, ...]]:
    """Ways to cut a sentence into several requests, most pieces first, each at conjunctions and stops."""
    joiner = "" if language(text, locale) == "zh" else " and "
    cut = _glued(pieces(text, locale), joiner)
    if len(cut) < 2:
        return []
    ways = []
    for bits in sorted(range(1, 1 << (len(cut) - 1)), key=lambda b: -b.bit_count()):
        groups = [cut[0]]
        for i, piece in enumerate(cut[1:]):
            if bits >> i & 1:
                groups.append(piece)
            else:
                groups[-1] += joiner + piece
        ways.append(tuple(groups))
    return ways[:32]


_REMINDS = re.compile(r"\b(?:remind (?:me|us)|do not let me forget|reminder)\b(?! (?:and|then)\b)|提醒(?:我|我们|咱们)?")
_NEXT_ONE = re.compile(r"\.|然后|顺便|同时|另外|还有|再|并")


def _glued(found: list[tuple[str, str]], joiner: str) -> list[str]:
    """What somebody wants to be reminded of is no request, wherever it could be cut: "… to call Tom and close the window"."""
    cut = list[str]()
    for before, piece in found:
        if cut and _REMINDS.search(cut[-1]) and not _NEXT_ONE.search(before):
            cut[-1] += joiner + piece
        else:
            cut.append(piece)
    return cut


_COMMANDS = re.compile(
    r"\b(?:set|turn|make|put|open|close|shut|order|book|buy|send|text|email|play|call|ring|dial|drop|lower|raise|roll|wind|crack|pop|bring|let|get|give|take|go|drive|navigate|find|tell|warn|show|start|stop|switch|kill|cut|"
    r"clear|sync|match|tilt|mute|unmute|lock|unlock|skip|pause|dim|up|down|on|off|warmer|cooler|colder|hotter|more|less|degrees?|percent|\d+)\b|"
    r"[调升降开关加减到去导找定订买点发约查唱念设告提叫喊带送回走放播拿停锁摇吹翘给把要想来度%切换露]|同步|静音|点儿?$|[高低大小热凉暖]一?点"
)


def commands(text: str, locale: str) -> bool:
    """Something is asked for in so many words, and not only told."""
    return _COMMANDS.search(plain(text, locale)) is not None


_FACT = re.compile(
    r"\b(?:what time|how (?:long|far|much|many)|when (?:will|do|does|can|are|is|should))\b|^(?:can|could|will|would|does|do) (?:the|it|my|this|that)\b|"
    r"什么时候|几点|多久|多远|多长时间|多少(?:钱|公里|分钟|时间)"
)
_THE_WAY = re.compile(r"\bhow (?:do|can|would|should) (?:i|we) (?:get|go|drive|come|head)\b|怎么(?:去|走|到|开)")


def asks_for_a_fact(text: str, locale: str) -> bool:
    """Asks for a time or an amount, whatever stands before it. More than `Frame.question`, which the judgement of who is meant was fitted with."""
    return _FACT.search(plain(text, locale)) is not None


def asks_the_way(text: str, locale: str) -> bool:
    """ "How do I get to …": how a way is asked for."""
    return _THE_WAY.search(plain(text, locale)) is not None


# --- English -----------------------------------------------------------------------------------------------------------


def _frame_en(raw: str, form: str) -> Frame:
    core, wake = form, False
    if en.WAKE.search(core) is not None:
        core, wake = re.sub(en.WAKE, "", core).strip(), True
    before = None
    while core != before:
        before = core
        core = en.FILLER.sub("", core, count=1) or before
        core = en.ASK.sub("", core, count=1) or before
        core = en.TAIL.sub("", core).strip() or before
    first, _, rest = core.partition(" ")
    if first in en.GERUNDS:
        core = f"{en.GERUNDS[first]} {rest}".strip()
    asked = re.sub(en.WAKE, "", form).strip()
    asked = re.sub(
        r"^(?:(?:um+|uh+|so|and|well|okay|ok|oh|hey|please|also|now|by the way|actually|sorry|yeah|excuse me) )+", "", asked
    )
    question = en.QUESTION.search(asked) is not None and en.REQUEST_QUESTION.search(asked) is None
    if (
        not question
        and raw.rstrip().endswith("?")
        and not re.match(
            r"(?:can|could|will|would|may|shall) (?:you|we|i)\b|would you mind|how about|what about|do you mind", asked
        )
    ):
        question = re.search(r"\b(?:open|closed|shut|on|off|locked)$", core) is not None and not re.match(
            r"(?:open|close|shut|turn|set|put|roll|keep|leave|crack|wind|lower|raise|slide|pop|pull|push|bring|switch|make|get)\b",
            core,
        )
    correction = en.CORRECTION.match(re.sub(en.WAKE, "", form).strip())
    corrected = None
    if correction is not None:
        corrected = re.sub(en.WAKE, "", form).strip()[correction.end() :].strip() or None
        corrected = en.TAIL.sub("", corrected) if corrected else None
    negation_text = re.sub(r"\bnot (?:the |that |my )?[\w ]*?(?:one|window|side)\b", " ", form) if corrected else form
    return Frame(
        text=form, core=core, marked=marked(raw, "en"), locale="en", wake=wake, polite=en.POLITE.search(form) is not None, question=question,
        negated=en.NEGATED.search(negation_text) is not None, reported=en.REPORTED.search(re.sub(r"^(?:who|which \w+) (?:said|wrote|sang|asked)\b", "", form)) is not None or _quoted(raw),
        to_other=_to_other_en(raw, wake), narrated=en.NARRATED.search(form) is not None, correction=corrected,
    )  # fmt: skip


def _quoted(raw: str) -> bool:
    return re.search(r"[\"“”«»「」『』][^\"“”«»「」『』]*\s?[^\"“”«»「」『』]*[\"“”«»「」『』]", raw) is not None


def _to_other_en(raw: str, wake: bool) -> bool:
    """A vocative that is not ours: "Mum, …", "Anna, could you …", "…, honey?"."""
    if wake:
        return False
    text = unicodedata.normalize("NFKC", raw).strip()
    lower = text.lower()
    if re.match(
        rf"(?:(?:hey|hi|oh|okay|ok|no|yes|so|well|and|look|listen),? )*(?:my )?(?:{en.KIN})\b(?:,| (?:can|could|will|would|do|did|have|are|is|please|look|come|open|close|what|where|how|when|i|you|don't|stop)\b)",
        lower,
    ):
        return True
    if re.search(rf",\s*(?:my )?(?:{en.KIN})[.?!]*$", lower):
        return True
    if re.search(r"\b(?:honey|darling|sweetie|sweetheart|mum|mom|dad)[.?!]*$", lower) and en.OF_KIN.search(lower) is None:
        return True
    first = re.match(r"(?:(?:Hey|Hi|Oh|Okay|So|Well),? )?([A-Z][a-z]+)(?:,| (?:can|could|will|would) you\b)", text)
    if first is not None and first.group(1).lower() not in en.NOT_NAMES:
        return True
    last = re.search(r",\s*([A-Z][a-z]+)[.?!]*$", text)
    return last is not None and last.group(1).lower() not in en.NOT_NAMES


# --- Chinese -----------------------------------------------------------------------------------------------------------


def _frame_zh(raw: str, form: str) -> Frame:
    wake = zh.WAKE.search(form) is not None
    bare = zh.WAKE.sub("", form)
    core, before = bare, None
    while core != before:
        before = core
        core = zh.LEAD.sub("", core, count=1) or before
        core = zh.ASK_TAIL.sub("", core) or before
        core = zh.TAIL.sub("", core) or before
    request = zh.REQUEST.search(bare) is not None and re.search(r"多[少远久快大高热冷]|什么|哪|几", bare) is None
    question = zh.QUESTION.search(bare) is not None and not request
    if (
        question
        and re.search(r"(?:呢|没)$", bare)
        and re.match(r"(?:把|打开|关|调|开|设|导航)", core)
        and not re.search(r"着|了没", bare)
    ):
        question = False
    m = zh.CORRECTION.match(bare)
    corrected = bare[m.end() :] if m is not None and m.group() else None
    corrected = re.sub(r"(?:吧|啊|呀|谢谢)+$", "", corrected) if corrected else None
    negation_text = (
        bare[m.end() :]
        if corrected and m is not None
        else re.sub(r"能不能|可不可以|是不是|有没有|好不好|行不行|要不要", "", bare)
    )
    negation_text = re.sub(r"不是[左右主副前后][^,]{0,6}", "", negation_text)
    vocative = re.match(zh.KIN, bare)
    to_other = (
        not wake
        and vocative is not None
        and len(bare) > len(vocative.group()) + 1
        and not re.match(r"(?:说|的)", bare[vocative.end() :])
    )
    return Frame(
        text=form, core=core, marked=marked(raw, "zh"), locale="zh", wake=wake, polite=zh.POLITE.search(bare) is not None, question=question,
        negated=zh.NEGATED.search(negation_text) is not None,
        reported=zh.REPORTED.search(re.sub(r"我(?:是)?说的?是?|告诉我|跟我说说", "", bare)) is not None or _quoted(raw),
        to_other=to_other, narrated=zh.NARRATED.search(bare) is not None, correction=corrected or None,
    )  # fmt: skip
