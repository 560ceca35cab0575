"""Finds in what the assistant says the claims to have acted, or to be acting: "I've opened the window", 已经打开了. Pure.

    claims_in(text)  ->  Claim(act, thing, …)        correction(claim)  ->  "I have not actually opened the window."
    without_claims(text)  ->  the other sentences

Not a claim: a question, an offer, a future or a condition, a negation, somebody else's words or act, something long ago. Errs towards silence:
what is not of the car counts only with "I have …". Does not know whether a claim is true (witness.py).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from typing import Final

from ridealong.harness.claim_words import COMPLEMENTS_ZH, GERUNDS, PARTICIPLES, STATES, VERBS_ZH, topics
from ridealong.harness.polish import sentences
from ridealong.harness.slots.number import find_numbers
from ridealong.harness.slots.text import has_chinese

NOTHING_DONE: Final = ("I haven't changed anything.", "我没有做任何操作。")
"""What is left of an answer that was nothing but claims, from somebody who did nothing."""


class Aspect(Enum):
    DONE = "done"
    STATE = "state"  # "the window is now open": true also when somebody else did it
    DOING = "doing"


@dataclass(frozen=True, slots=True)
class Claim:
    """`act`: claim_words' name. `thing`: to what, as said ("" where it is only pointed at). `verb`: what a correction says was not done.
    `how`: "to 22 degrees"."""

    act: str
    thing: str
    verb: str
    aspect: Aspect
    locale: str
    sentence: str
    how: str = ""

    @property
    def numbers(self) -> frozenset[float]:
        """What it was set to, as far as that was claimed."""
        said = self.how if self.locale == "en" else self.verb
        found = frozenset(number.value for number in find_numbers(said, self.locale))
        return found | {value + 0.5 for value in found if re.search(r"度半", said)}

    @property
    def about(self) -> frozenset[str]:
        return topics(self.thing)


def claims_in(text: str) -> list[Claim]:
    """One for each clause that claims something, in order."""
    if _without_acts(text):
        return []
    found: list[Claim] = []
    for sentence in sentences(text):
        plain = sentence.replace("’", "'").replace("‘", "'").strip()
        found += _claims_zh(plain) if has_chinese(plain) else _claims_en(plain)
    return found


def without_claims(text: str, *, how_it_is: bool = False) -> str:
    """The sentences that claim nothing, "" where each of them does. `how_it_is`: whoever says it has looked, and may tell how a thing is."""
    if _without_acts(text):
        return text
    said = sentences(text)
    honest = [one for one in said if not any(not (how_it_is and _tells_how_it_is(claim)) for claim in claims_in(one))]
    return text if honest == said else ("" if has_chinese(text) else " ").join(honest)


def _without_acts(text: str) -> bool:
    """Nothing in it can be a claim: it is not Chinese, and none of its words begins one of an act or a state. Most answers are so."""
    return not has_chinese(text) and _ACTS_BEGIN_EN.isdisjoint(_LETTERS_EN.findall(text.casefold()))


def _tells_how_it_is(claim: Claim) -> bool:
    """ "The window is now open", 空调已经打开了: true, too, of what somebody else did, or was so before."""
    named = claim.locale == "zh" and claim.aspect is Aspect.DONE and claim.thing != ""
    return claim.aspect is Aspect.STATE or (named and _BY_US_ZH.search(claim.sentence) is None)


def correction(claim: Claim) -> str:
    """The short, true sentence."""
    if claim.locale == "zh":
        return f"其实{claim.thing}还没有{claim.verb}。" if claim.thing else "其实我还没有做。"
    if claim.act == "do":
        return "I have not actually done that."
    verb, _, particle = claim.verb.partition(" ")
    what = f"{claim.verb} {claim.thing}" if claim.thing else f"{verb} that {particle}".strip()
    return f"I have not actually {what} {claim.how}".rstrip() + "."


# --- English ---------------------------------------------------------------------------------------------------------

_LEAD_EN = r"^(?:(?:okay|ok|sure|right|all ?right|alright|certainly|of course|got it|no problem|yes|yep|great|perfect|good|there you go|fine|well|so|now|and)\b[,.! ]*)*"
_ADVERBS = r"(?: (?:just|now|already|also|successfully|then|gone ahead and|went ahead and|indeed|again))*"
_VERB_EN = "|".join(sorted(PARTICIPLES, key=len, reverse=True))
_GERUND_EN = "|".join(GERUNDS)
_ACTS_BEGIN_EN: Final = frozenset(verb.split()[0] for verb in (*PARTICIPLES, *GERUNDS)) | {"now", "taken"}
"""One of these is in whatever a pattern below matches: verbs, the "now" of a state, "taken care of"; "all set" and "done" are verbs."""
_LETTERS_EN: Final = re.compile(r"[a-z]+")
_REST = r"(?P<rest>[^,;:!?]*)"
_HAVE_EN = re.compile(rf"\b(?:i|we)(?:'ve| have){_ADVERBS} (?P<verb>{_VERB_EN})\b{_REST}", re.IGNORECASE)
_PAST_EN = re.compile(rf"\b(?:i|we){_ADVERBS} (?P<verb>{_VERB_EN})\b{_REST}", re.IGNORECASE)
_PASSIVE_EN = re.compile(
    rf"(?P<thing>(?:the|your|all|both|my|our)\b[^,;:!?]*?) (?:has|have) (?:now |just |already |also |successfully )*been (?:successfully |now )?(?P<verb>{_VERB_EN})\b{_REST}",
    re.IGNORECASE,
)
_STATE_EN = re.compile(
    rf"(?P<thing>(?:the|your|all|both|my|our)\b[^,;:!?]*?)(?:'s| is| are) now (?:fully |completely |partly )?(?P<state>{'|'.join(STATES)})\b", re.IGNORECASE
)  # fmt: skip
_ALSO_COMMANDS: Final = ("set", "shut", "put", "made", "put on", "shut off", "done")
"""Said alone these may tell somebody to do it: "put your belt on"."""
_BARE_EN = re.compile(rf"{_LEAD_EN}(?P<verb>{_VERB_EN})\b{_REST}", re.IGNORECASE)
_TERSE_EN = re.compile(rf"{_LEAD_EN}(?P<thing>(?:\w+(?:'s)? ){{1,4}}?)(?P<verb>{_VERB_EN})(?: to [\w. ]+)?$", re.IGNORECASE)
_IS_EN = re.compile(r"(?:'s| is| are)(?: (?:already|now|still|all|both|fully|completely))* $", re.IGNORECASE)
_DOING_EN = re.compile(
    rf"(?:\b(?:i|we)(?:'m| am|'re| are) (?:now |just |already )*|{_LEAD_EN})(?P<verb>{_GERUND_EN})\b{_REST}", re.IGNORECASE
)
_DONE_EN = re.compile(
    rf"{_LEAD_EN}(?:(?:that(?:'s| is)|it(?:'s| is)|all|everything(?:'s| is)|consider it) )?(?:done|all set|taken care of)\b[.! ]*$",
    re.IGNORECASE,
)

_NOT_CLAIMED_EN = re.compile(
    r"\b(?:not|never|no longer|nothing|haven't|hasn't|didn't|don't|doesn't|can't|cannot|couldn't|won't|wasn't|weren't|isn't|aren't|unable|failed to|if|when|whenever|once|after|before|until|unless|"
    r"whether|would|could|should|might|may|can|will|shall|want|'ll|'d|going to|about to|need to|try|trying|let me|yesterday|last (?:night|week|time|year|month)|ago|earlier|"
    r"used to|said|says|saying|told|tells|asked|heard|read|reads|wrote|according to|story|pretend|imagine|suppose|example)\b|['\"“”]{1}\w[^'\"]*[\"“”]",
    re.IGNORECASE,
)
_CLAUSE_EN = re.compile(
    r"[,;:]+ |\.\.\. | (?:but|so|because|while) | and (?=(?:i|we|the|your|would|do|shall|should|is|are|what|how|it)\b)",
    re.IGNORECASE,
)
_THING_EN = re.compile(
    r"^ ?(?:(?P<before>on|off|up|down|back) )?(?P<thing>(?:(?:the|your|my|our|all|both|a|an|this|these|those|some)\b|\w+'s\b|[A-Z])[\w' -]*)", re.IGNORECASE
)  # fmt: skip
_OTHERS_EN = re.compile(
    r"^(?:no|none|is|are|was|were|has|have|well|first|i|we|you|he|she|they|it|who|anna|mum|mom|dad|somebody|someone|please|get|keep|leave|want|need|my|his|her|their)\b", re.IGNORECASE
)  # fmt: skip
_CUT_EN = re.compile(
    r" (?:for (?:you|us|me|now)|to (?:\d|[a-z]+ (?:degrees|percent)|about|around|the)|at \d|as (?:you|requested|asked)|so |because |now\b|already\b|again\b|and |by \d|please\b).*$|(?<=\w) to$",
    re.IGNORECASE,
)
_HOW_EN = re.compile(
    r"\bto (?:about |around )?(?:\d[\d.]*|[a-z-]+)(?: and a half)?(?: (?:degrees|percent|minutes|celsius|fahrenheit)\b)*",
    re.IGNORECASE,
)
_POINTED_EN = re.compile(r"^ ?(?:(?:on|off|up|down) )?(?:it|that|this|them|those|everything)\b", re.IGNORECASE)
_PARTICLE_EN = re.compile(r"^(?P<thing>.*?) (?P<particle>on|off|up|down)$", re.IGNORECASE)


def _claims_en(sentence: str) -> list[Claim]:
    found: list[Claim] = []
    clauses = [clause for clause in _CLAUSE_EN.split(sentence) if clause.strip()]
    asks = sentence.rstrip("\"' ").endswith("?")
    if re.search(r"[\"“”«»]", sentence):
        return []
    for number, clause in enumerate(clauses):
        last = number == len(clauses) - 1
        if (asks and last) or _NOT_CLAIMED_EN.search(clause) or (number and _opens_condition(clauses[number - 1])):
            continue
        claim = _clause_en(clause.strip().rstrip("."), sentence)
        if claim is not None:
            found.append(claim)
    return found


def _opens_condition(clause: str) -> bool:
    """ "He said: I've opened it": the clause belongs to the one before."""
    return re.search(r"\b(?:said|says|told me|asked|wrote|reads|called)\s*$", clause, re.IGNORECASE) is not None


def _clause_en(clause: str, sentence: str) -> Claim | None:
    if _DONE_EN.match(clause) and not re.match(r"well done\b", clause, re.IGNORECASE):
        return Claim("do", "", "done", Aspect.DONE, "en", sentence)
    if (match := _HAVE_EN.search(clause)) is not None and not _somebody_else(clause[: match.start()]):
        we = match.group().lower().startswith("we")
        return _claim_en(match["verb"], match["rest"], Aspect.DONE, sentence, known_only=we)
    if (match := _PASSIVE_EN.search(clause)) is not None:
        return _of_thing_en(match["verb"], match["thing"], Aspect.DONE, sentence)
    if (match := _STATE_EN.search(clause)) is not None:
        return _of_thing_en(STATES[match["state"].lower()], match["thing"], Aspect.STATE, sentence)
    if (match := _PAST_EN.search(clause)) is not None and not _somebody_else(clause[: match.start()]):
        return _claim_en(match["verb"], match["rest"], Aspect.DONE, sentence, known_only=True)
    if (match := _BARE_EN.search(clause)) is not None and match["verb"].lower() not in _ALSO_COMMANDS:
        return _claim_en(match["verb"], match["rest"], Aspect.DONE, sentence, known_only=True)
    if (match := _TERSE_EN.search(clause)) is not None and not _OTHERS_EN.match(match["thing"]):
        thing = _IS_EN.sub("", match["thing"])  # "the window is closed" says how it is
        return _of_thing_en(match["verb"], thing, Aspect.DONE if thing == match["thing"] else Aspect.STATE, sentence)
    if (match := _DOING_EN.search(clause)) is not None and not _somebody_else(clause[: match.start()]):
        return _claim_en(GERUNDS[match["verb"].lower()], match["rest"], Aspect.DOING, sentence, known_only=True)
    return None


def _somebody_else(before: str) -> bool:
    return re.search(r"\b(?:you|he|she|they|who|that|which|where|what|how|why)\b", before, re.IGNORECASE) is not None


def _claim_en(verb: str, rest: str, aspect: Aspect, sentence: str, *, known_only: bool) -> Claim | None:
    """`known_only`: in words that people also use of other things, only what is of the car counts."""
    verb = verb.lower()
    pointed = _POINTED_EN.match(rest) is not None
    how = found.group().strip() if (found := _HOW_EN.search(rest)) is not None else ""
    match = _THING_EN.match(rest)
    if match is None and not pointed:
        return None if known_only or verb not in PARTICIPLES or rest.strip() else Claim(PARTICIPLES[verb], "", verb, aspect, "en", sentence)  # fmt: skip
    before, thing = (match["before"] or "", _CUT_EN.sub("", match["thing"]).strip()) if match is not None else ("", "")
    if pointed:
        words = rest.split()
        before = next((word.lower() for word in words[:2] if word.lower() in ("on", "off", "up", "down")), "")
        thing = ""
    elif (behind := _PARTICLE_EN.match(thing)) is not None:
        before, thing = behind["particle"], behind["thing"]
    said = f"{verb} {before}".strip().lower() if f"{verb} {before}".strip().lower() in PARTICIPLES else verb
    ours = thing.lower().startswith("my ") or re.search(r"\b(?:years|months|weeks|days)\b", rest) is not None
    if ours or (known_only and not topics(thing) and not (pointed and not re.search(r"\bwe\b", sentence, re.IGNORECASE))):
        return None  # its own mind, its own life
    thing = "" if len(thing.split()) > 7 else thing
    return Claim(PARTICIPLES.get(said, "do"), thing, said, aspect, "en", sentence, "" if how in thing else how)


def _of_thing_en(verb: str, thing: str, aspect: Aspect, sentence: str) -> Claim | None:
    verb, thing = verb.lower(), thing.strip()
    thing = thing[0].lower() + thing[1:]
    thing = thing if re.match(r"(?:the|your|all|both|our|my)\b", thing, re.IGNORECASE) else f"the {thing}"
    if not topics(thing) or len(thing.split()) > 7:
        return None
    return Claim(PARTICIPLES[verb], thing, verb, aspect, "en", sentence)


# --- Chinese ---------------------------------------------------------------------------------------------------------

_VERB_ZH = "|".join(sorted(VERBS_ZH, key=len, reverse=True))
_FOR_ZH = r"(?:(?:帮|为|给|替)(?:你|您|大家)|(?:给|帮)?(?:你|您)?)"
_ALREADY_ZH = re.compile(
    rf"(?P<first>[^，。！？]{{0,10}}?)(?:已经?|刚刚?|刚才|成功)(?:成功)?{_FOR_ZH}(?:(?:把|将)(?P<thing>[^，。！？]{{1,12}}?))?(?P<verb>{_VERB_ZH})(?P<after>[^，。！？]{{0,12}})"
)
_FOR_YOU_ZH = re.compile(
    rf"(?:我)?(?:帮|为|给|替)(?:你|您)(?:(?:把|将)?(?P<thing>[^，。！？]{{1,12}}?))?(?P<verb>{_VERB_ZH})(?:好)?(?P<after>[^，。！？]{{0,10}}?)了"
)
_I_ZH = re.compile(rf"我(?:把|将)(?P<thing>[^，。！？]{{1,12}}?)(?P<verb>{_VERB_ZH})(?:好)?(?P<after>[^，。！？]{{0,10}}?)了")
_THING_ZH = re.compile(
    rf"^(?:好的?|没问题|行|嗯)*[，。！ ]*(?P<thing>[^，。！？]{{1,10}}?)(?P<verb>{_VERB_ZH})(?:好)?(?P<after>[^，。！？]{{0,8}}?)了"
)
_DOING_ZH = re.compile(
    rf"正在{_FOR_ZH}(?:(?:把|将)(?P<thing>[^，。！？]{{1,12}}?))?(?P<verb>{_VERB_ZH})(?P<after>[^，。！？]{{0,12}})"
)
_DONE_ZH = re.compile(r"^(?:好的?|没问题|行|嗯|都|已经|全部)*(?:搞定|办好|办妥|弄好|做好|完成|设好|调好)了?$")
_NOT_CLAIMED_ZH = re.compile(
    r"没|不|未|别|无法|失败|如果|要是|假如|的话|(?<!不)会(?!议)|将会|即将|可以|能够?(?!源)|想要?|需要|要不要|请|等|再|打算|准备|尝试|希望|昨天|上次|上周|去年|以前|之前|据|报道|故事|假装|比如|例如|说|告诉|表示|写着|[“”「」『』\"]|[吗么呢]$"
)
_BY_US_ZH = re.compile(r"我|咱|[帮为给替][你您大]|把|将|成功|刚")
_OTHERS_ZH = re.compile(
    r"^(?:好的?[，,]?)*(?:你|您)(?!的)(?!好)|^(?:他|她|他们|她们|妈妈|爸爸|有人|警方|公司|政府|司机|乘客|老师|人们)"
)


def _claims_zh(sentence: str) -> list[Claim]:
    if re.search(r"[“”「」『』\"]", sentence):
        return []
    found: list[Claim] = []
    pieces = re.findall(r"[^，；：,;:。！？!?]+[，；：,;:。！？!?]*", sentence)
    before = ""
    for piece in pieces:
        clause = piece.rstrip("，；：,;:。！？!? ").strip()
        asks = re.search(r"[？?]", piece) is not None
        quoted = re.search(r"(?:说|道|写着|告诉.{0,4})$", before) is not None
        if clause and not asks and not quoted and not _NOT_CLAIMED_ZH.search(clause) and not _OTHERS_ZH.match(clause):
            claim = _clause_zh(clause, sentence)
            if claim is not None:
                found.append(claim)
        before = clause
    return found


def _clause_zh(clause: str, sentence: str) -> Claim | None:
    if _DONE_ZH.match(clause):
        return Claim("do", "", "做", Aspect.DONE, "zh", sentence)
    for pattern in (_ALREADY_ZH, _FOR_YOU_ZH, _I_ZH, _THING_ZH):
        if (match := pattern.search(clause)) is not None:
            return _claim_zh(match, Aspect.STATE if pattern is _THING_ZH else Aspect.DONE, sentence)
    if (match := _DOING_ZH.search(clause)) is not None:
        return _claim_zh(match, Aspect.DOING, sentence)
    return None


def _claim_zh(match: re.Match[str], aspect: Aspect, sentence: str) -> Claim | None:
    groups = match.groupdict()
    verb, after = match["verb"], re.sub(r"[了啦]+$", "", groups.get("after") or "").strip()
    thing = _thing_zh(groups.get("thing") or groups.get("first") or "")
    if verb.endswith(COMPLEMENTS_ZH):
        verb += after
    elif not thing:
        thing = _thing_zh(after)
    if aspect is not Aspect.DONE and not topics(thing):
        return None
    if match["verb"] in ("开始", "导航", "停止") and not topics(thing + after):
        return None
    if aspect is Aspect.STATE and (match.string.startswith(("把", "将")) or thing.endswith(("要", "快", "想", "就", "把"))):
        return None
    return Claim(VERBS_ZH[match["verb"]], thing if len(thing) <= 12 else "", verb, aspect, "zh", sentence)


_LEAD_ZH: Final = re.compile(
    r"^(?:好的?|没问题|行(?![程李驶])|嗯|我|现在|那)+(?!像)|^(?:您|你)的|的$|^(?:把|将|了)|^(?:开始|到|去)"
)


def _thing_zh(words: str) -> str:
    before = None
    while words != before:
        before, words = words, _LEAD_ZH.sub("", words).strip("，, ")
    return words
