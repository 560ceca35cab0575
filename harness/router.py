"""Chooses what to do with words: skills to call, a short question back, an honest sentence about chit-chat, or nothing.

Every skill's `recognise` gives a score between 0 and 1. The best above a threshold is taken; two different ones within a margin
lead to a question. Guards that no skill can lift: what was overheard or seen is nothing; a question binds to read-only skills only; negated,
quoted or reported speech and words to somebody else are nothing. A sentence with several requests becomes several calls when every piece means
something on its own. Words that mean nothing as written are tried once more with domain words put back (sound.py), at a lower score.

Does not know how skills run, what the car allows, or the voice that spoke (only its provenance)."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Final

from ridealong.harness.asked_parts import asks
from ridealong.harness.dictated import by_group, dictated, which
from ridealong.harness.framing import Frame, frame, segments
from ridealong.harness.framing_questions import asks_somewhere
from ridealong.harness.interjections import answer, is_backchannel, is_stop
from ridealong.harness.out_of_range import out_of_range
from ridealong.harness.registry import Registry
from ridealong.harness.results import match_problems
from ridealong.harness.revising import NAMED, revisable
from ridealong.harness.sentences import sentence
from ridealong.harness.sequence import Part, arranged, completions, in_order
from ridealong.harness.skill import ANSWER_WITHIN_MS, WORK, Context, Match, Outcome, Provenance, Recent, Skill
from ridealong.harness.sound import repair
from ridealong.harness.wishes import about_watches, wish

THRESHOLD: Final = 0.55
MARGIN: Final = 0.04
REPAIRED: Final = 0.95
"""Factor on the score of what was found only after putting domain words back."""
STANDING_GROUPS: Final = frozenset({"watching", "timers"})
"""What "tell me when …" may lead to: it asks for nothing to be done now, whatever car words are in it."""


@dataclass(frozen=True, slots=True)
class Calls:
    """Run these, in order. `also`: what else of the same sentence is to be said. `agreed`: the sentence says yes to our question, and asks for
    more."""

    matches: tuple[Match, ...]
    also: tuple[Also, ...] = ()
    agreed: bool = False


@dataclass(frozen=True, slots=True)
class AskBack:
    """Say the question; nothing is done. With `match` (what is known so far) the session records a `Recent` with Outcome.ASKS,
    so that the answer completes it."""

    question: str
    match: Match | None = None
    reason: str = "missing"


@dataclass(frozen=True, slots=True)
class ChitChat:
    """Words to the assistant for which there is no skill. `kind`: greeting, thanks, general, unsupported, no_work."""

    kind: str


@dataclass(frozen=True, slots=True)
class Also:
    """A part of a sentence (its words) of which no call came: a question about it, or that there is no skill for it."""

    words: str
    decision: AskBack | ChitChat


@dataclass(frozen=True, slots=True)
class Nothing:
    """`reason`: overheard, seen, other_addressee, negated, reported, backchannel, stop, declined, question, not_a_request, empty."""

    reason: str


Decision = Calls | AskBack | ChitChat | Nothing

_POLITENESS = frozenset({"please", "thanks", "thank you", "no", "谢谢", "请", "麻烦你", "谢谢你", "好吗"})
_BARRED = {Provenance.OVERHEARD: "overheard", Provenance.SEEN: "seen"}


class Router:
    """The local router: pure, no model."""

    def __init__(self, registry: Registry, *, threshold: float = THRESHOLD, margin: float = MARGIN) -> None:
        self.registry, self._threshold, self._margin = registry, threshold, margin

    def decide(self, text: str, locale: str, context: Context, provenance: Provenance = Provenance.UNKNOWN) -> Decision:
        barred = _BARRED.get(provenance)
        if barred is not None:
            return Nothing(barred)
        context = replace(context, provenance=provenance)
        framing = frame(text, locale)
        if not framing.text:
            return Nothing("empty")
        if framing.to_other:
            return Nothing("other_addressee")
        pending = open_question(context)
        if pending is not None and (reply := answer(text, locale)) is not None:
            if reply is False:
                return Nothing("declined")
            confirmed = self._best(text, locale, context)
            return (
                Calls((confirmed[0],)) if confirmed and confirmed[0].capability == pending.capability else Nothing("backchannel")
            )
        if is_stop(text, locale):
            return Nothing("stop")
        if is_backchannel(text, locale):
            return Nothing("backchannel")
        if (taken := dictated(self._best(text, locale, context), self.registry)) is not None:
            return Calls((taken,))
        decision = self._one(text, locale, context) if framing.correction is not None else None
        if isinstance(decision, Calls):
            return decision
        for way in segments(text, locale):
            calls = self._several(way, text, locale, context)
            if calls is not None:
                return calls
        decision = decision or self._one(text, locale, context)
        return decision if decision is not None else self._without_skill(framing, text, locale)

    def addressed(self, text: str, locale: str, context: Context) -> float:
        """How much the words alone look like a request or question to a car or glasses assistant, 0..1."""
        framing = frame(text, locale)
        if framing.to_other or not framing.text:
            return 0.05
        if framing.wake:
            return 0.98
        if open_question(context) is not None and answer(text, locale) is not None:
            return 0.9
        if is_stop(text, locale):
            return 0.75
        if is_backchannel(text, locale):
            return 0.1
        score = 0.0
        for way in [(text,), *segments(text, locale)[:1]]:
            best: list[Match | None] = []
            for piece in way:
                behind = replace(context, before=tuple(match for match in best if match is not None))
                best.append(next((match for match, _ in self._claims(piece, locale, behind)), None))
            score = max(score, min(match.score if match is not None else 0.0 for match in best))
        if score >= self._threshold:
            return round(min(0.97, 0.55 + 0.42 * score), 3)
        return words_alone(framing, text)

    # --- one request, several requests ------------------------------------------------------------------------------

    def _best(self, text: str, locale: str, context: Context) -> list[Match]:
        """Matches that the guards let through, best first; only with grounded, valid arguments."""
        framing = frame(text, locale)
        found: list[Match] = []
        for skill in self.registry:
            match = skill.recognise(text, locale, context)
            match = revisable(match, context, self.registry.get) if match is not None and skill.group == WORK else match
            if match is not None and self._allowed(skill, framing, match):
                found.append(match)
        return sorted(found, key=lambda match: -match.score)

    def _allowed(self, skill: Skill, framing: Frame, match: Match) -> bool:
        if framing.to_other:
            return False
        if (lets := by_group(skill.group, framing)) is not None:
            return lets
        if wish(framing.text, framing.locale) is not None or about_watches(framing.text, framing.locale):
            return skill.group in STANDING_GROUPS
        if skill.read_only:
            return framing.question or not (framing.reported or framing.negated or framing.narrated)
        return not (framing.question or framing.negated or framing.reported or framing.narrated)

    def _claims(self, text: str, locale: str, context: Context) -> list[tuple[Match, str]]:
        """Matches above the threshold with the words that they were found in: as written, or with domain words put back."""
        found = [(match, text) for match in self._best(text, locale, context)]
        if (repaired := repair(text, locale)) is not None:
            again = [m for m in self._best(repaired, locale, context) if not self._on_work(m)]
            found += [(replace(m, score=round(m.score * REPAIRED, 3)), repaired) for m in again]
        return sorted((claim for claim in found if claim[0].score >= self._threshold), key=lambda claim: -claim[0].score)

    def _one(self, text: str, locale: str, context: Context) -> Decision | None:
        claims = self._claims(text, locale, context)
        if asks_somewhere(text, locale):
            claims = [claim for claim in claims if self._on_work(claim[0]) or not self._acts(claim[0].capability)]
        if not claims:
            return None
        best, words = claims[0]
        rivals = [m for m, _ in claims[1:] if self._rivals(best, m)]
        if rivals:
            return AskBack(which(best, rivals[0], self.registry, locale), reason="ambiguous")
        if best.missing:
            return AskBack(best.question or sentence("more", locale), best)
        return self._checked(best, words, locale, context)

    def _rivals(self, best: Match, other: Match) -> bool:
        """As good a reading, of another kind. Of work and of anything else the better reading is taken: they are nothing to choose from."""
        near = other.capability != best.capability and best.score - other.score < self._margin
        return near and self._on_work(best) == self._on_work(other)

    def _acts(self, capability: str) -> bool:
        return (skill := self.registry.get(capability)) is not None and not skill.read_only

    def _on_work(self, match: Match) -> bool:
        skill = self.registry.get(match.capability)
        return skill is not None and skill.group == WORK

    def _checked(self, match: Match, text: str, locale: str, context: Context) -> Decision:
        skill = self.registry.get(match.capability)
        if skill is None:
            return Nothing("not_a_request")
        if skill.unused is not None and (asks := skill.unused(match, text, locale, context)) is not None:
            return AskBack(asks.question, asks)
        if (asks := out_of_range(skill, match, text, locale)) is not None:
            return AskBack(asks.question, asks)
        problems = match_problems(skill, match, text, locale)
        return AskBack(match.question or sentence("more", locale), match, reason="ungrounded") if problems else Calls((match,))

    def _several(self, pieces: tuple[str, ...], text: str, locale: str, context: Context) -> Calls | None:
        """Calls when every piece means a request by itself (an elided verb or noun is taken over from its neighbour)."""
        parts: list[Part] = []
        for i, (piece, then) in enumerate(zip(pieces, in_order(pieces, text, locale), strict=True)):
            # politeness between commas ("please, open …") is no request of its own, and takes none away
            if is_backchannel(piece, locale) or piece in _POLITENESS:
                continue
            match = None
            behind = replace(context, before=tuple(part.match for part in parts))
            for words in (piece,) if asks(piece, locale) else completions(pieces, i, locale):
                decision = self._one(words, locale, behind)
                if isinstance(decision, Calls) and self._stands_alone(decision.matches[0], words == piece):
                    match = decision.matches[0]
                    break
            if match is None:
                return None
            parts.append(Part(match, then))
        distinct = arranged(parts, self.holds_up)
        if len(distinct) > 1 and len({(m.capability, about(m)) for m in distinct}) == 1:
            # "I'm hot, turn it down": one wish in two clauses. The whole says it best; else the last clause does.
            whole = self._one(text, locale, context)
            same = isinstance(whole, Calls) and whole.matches[0].capability == distinct[0].capability
            return whole if same and isinstance(whole, Calls) else Calls((replace(distinct[-1], behind=()),))
        return Calls(distinct) if len(distinct) > 1 else None

    def holds_up(self, match: Match) -> bool:
        """Something of it has to be confirmed before what comes "then" is begun."""
        skill = self.registry.get(match.capability)
        return skill is not None and bool(skill.actuates)

    def _stands_alone(self, match: Match, as_said: bool) -> bool:
        """As one request of several: of operations on work only those that name it, in their own words."""
        return not self._on_work(match) or (as_said and match.score >= NAMED)

    def _without_skill(self, framing: Frame, text: str, locale: str) -> Decision:
        if framing.negated and not framing.question:
            return Nothing("negated")
        if framing.reported:
            return Nothing("reported")
        kind = chitchat_kind(framing)
        if kind is not None:
            return ChitChat(kind)
        if words_alone(framing, text) >= 0.5:
            return ChitChat("general" if framing.question else "unsupported")
        return Nothing("question" if framing.question else "not_a_request")


def about(match: Match) -> tuple[tuple[str, str], ...]:
    """What a call is about, without how much."""
    return tuple(sorted((name, value) for name, value in match.arguments.items() if isinstance(value, str)))


def open_question(context: Context) -> Recent | None:
    """The question of ours that still waits for an answer."""
    if context.recent and context.recent[0].outcome is Outcome.ASKS and context.recent[0].asked_ms_ago <= ANSWER_WITHIN_MS:
        return context.recent[0]
    return None


# --- chit-chat, and what words alone say about the addressee -----------------------------------------------------------


_GREETING_EN = re.compile(
    r"(?:hi|hello|hey|good (?:morning|evening|afternoon|day)|howdy)(?: there)?(?: (?:ride ?along|jarvis))?|how are you(?: doing)?(?: today)?"
)
_THANKS_EN = re.compile(
    r"(?:(?:great|perfect|okay|ok|cool|no|nice) )?(?:thanks|thank you)(?: (?:so much|very much|a lot|ridealong|jarvis))?"
)
_GREETING_ZH = re.compile(r"(?:你好|您好|嗨|早上好|晚上好|下午好|哈喽)(?:啊|呀)?(?:小助手)?|小助手")
_THANKS_ZH = re.compile(r"(?:好的?)?(?:谢谢|多谢|谢了|感谢)(?:你|您|啦|了|小助手)*")


def chitchat_kind(framing: Frame) -> str | None:
    zh = framing.locale == "zh"
    bare = framing.text
    if (_THANKS_ZH if zh else _THANKS_EN).fullmatch(bare):
        return "thanks"
    if (_GREETING_ZH if zh else _GREETING_EN).fullmatch(bare):
        return "greeting"
    if framing.wake and framing.core in ("", bare):
        return "greeting" if len(bare.split()) <= 3 and not framing.question else None
    return None


IMPERATIVE_EN = re.compile(
    r"^(?:open|close|shut|set|turn|switch|put|make|play|pause|skip|call|text|message|send|navigate|take|drive|find|search|look (?:for|up)|show|tell|read|start|"
    r"stop|cancel|remind|add|book|order|increase|decrease|raise|lower|dim|lock|unlock|roll|wind|pop|mute|unmute|adjust|change|activate|deactivate|"
    r"enable|disable|describe|translate|explain|define|calculate|convert|give|wake|record|describe|check|repeat|recommend|suggest|help|sing)\b"
)
_EVERYDAY_EN = re.compile(
    r"^(?:open|close|shut|put|take|look|give|set|make|turn (?!on|off|up|down)|stop|find|show|help|call (?:me|him|her|it)|start|read|wake|get|raise|lower|check|change|add|book|drive|repeat)\b"
)
"""What people also tell each other to do: without a topic of ours it is not for us."""
_EVERYDAY_ZH = re.compile(r"^(?:把|打开|关闭|关上|关掉|关|开|放(?!一?首|点|个)|换|切|发|找|拿|加|减|停止|锁|念|读|唱|告诉)")
_ASSISTANT_TOPICS_EN = re.compile(
    r"\b(?:car|range|battery|fuel|petrol|gas|charge|charging|speed|fast are we|limit|tyres?|tires?|pressure|temperature|window|windows|door|doors|boot|"
    r"trunk|route|traffic|eta|arrive|destination|exit|sign|building|street|road|junction|parking|station|weather|radio|volume|light|lights|seat|"
    r"sunroof|mirrors?|massage|horn|music|song|playlist|map|cruise|bluetooth|heating|defrost\w*|blinds?|"
    r"degrees|odometer|mileage|engine|oil|wipers?|weigh|capital|distance|far|meaning|mean|population|president|recipe|score|joke|time is it|timer|alarm)\b"
)
_PEOPLE_EN = re.compile(
    r"^(?:and |so |but |well |oh |hey )*(?:did|do|does|have|has|had|are|were|was|is|would|will|should|what|where|why|how|when|who|can|could) (?:\w+ )?"
    r"(?:you|your|he|she|they|him|her|them|his|their|everyone|anyone|anybody|mum|mom|dad|grandma|grandpa|the kids|the baby)\b(?! (?:tell|find|show|open|close|set|turn|play|call|help|take|navigate|make|please|explain|read|translate|describe|remind|repeat))|"
    r"\b(?:your|his|her|their) (?:mum|mom|mother|dad|father|sister|brother|wife|husband|friend|boss|day|school|work|keys?|phone|homework|dinner|job|house|dress|hair|birthday)\b|\bremember when\b"
)
_NARRATIVE_EN = re.compile(
    r"^(?:and |so |but |then |well )*(?:he|she|they|it was|there (?:was|were|is|are)|we (?:\w+ed|were|went|had|took|got|saw|are|have)|i (?:\w+ed|was|told|went|had|saw|thought|bought|got|never|always|do not|have|mean|know|hate|love)|"
    r"the \w+ (?:was|were|had|has|said|of|is|are|will)|this (?:is|was)|that (?:is|was)|when|although|while|after|before|because|once upon)\b"
)
_IMPERATIVE_ZH = re.compile(
    r"^(?:把|打开|关闭|关上|关掉|关|开(?!车|会|始|心|玩)|调|设|播放|放(?:首|一首|点)|打电话|发(?:短信|微信|消息)|导航|搜|查|找|提醒|定|设定|告诉我|说说|念|读|讲个|唱|翻译|解释|换|切换|降|升|加|减|启动|停止|取消|暂停|下一首|上一首|锁|解锁|记录|描述)"
)
_TOPICS_ZH = re.compile(
    r"车|电量|续航|油|速|胎压|温度|空调|窗|门|后备箱|路|导航|目的地|限速|天气|充电|停车|天窗|座椅|大灯|灯光|雨刷|喇叭|蓝牙|收音机|加油|标志|牌|音乐|音量|多远|几点|首都|多高|多少公里|笑话|意思|怎么去|时间"
)
_PEOPLE_ZH = re.compile(
    r"^(?:你|您|他|她|他们|她们|你们|咱们|我们)(?:今天|昨天|明天|刚才|最近|还|都|怎么|是|在|有|去|吃|看|想|觉得|喜欢|知道|记得|作业|妈|爸|家|说|的)|妈妈|爸爸|孩子|作业|吃饭|晚饭|老师|同学|老板|记得那"
)
_NARRATIVE_ZH = re.compile(
    r"^(?:他|她|它|他们|她们|我(?:昨天|今天|刚才?|觉得|当时|小时候|跟|去了|买了)|昨天|那天|从前|当时|据|本报|记者|今天上午|近日|这个(?:人|故事)|有一[天个])|了[他她]|他的|她的|一位|一名"
)


def words_alone(framing: Frame, text: str) -> float:
    """The part of `addressed` that knows no skill: grammar, topics, who is spoken of."""
    if framing.to_other:
        return 0.05
    if framing.wake:
        return 0.98
    if framing.reported or (framing.narrated and not framing.question):
        return 0.1
    zh = framing.locale == "zh"
    length = len(framing.text) if zh else len(framing.text.split())
    people = (_PEOPLE_ZH if zh else _PEOPLE_EN).search(framing.text if not zh else framing.text) is not None
    narrative = (_NARRATIVE_ZH if zh else _NARRATIVE_EN).search(framing.text) is not None
    topics = (_TOPICS_ZH if zh else _ASSISTANT_TOPICS_EN).search(framing.text) is not None
    imperative = (_IMPERATIVE_ZH if zh else IMPERATIVE_EN).search(framing.core) is not None
    score = 0.15
    if framing.question:
        score = 0.6 if topics else 0.4 if not zh else 0.35
        if (
            not zh
            and re.match(
                r"(?:what|who|where|when) (?:is|are|was|were|does)\b|who \w+(?:ed|ote|ung|ade|ang|on)\b|how (?:many|much|tall|far|old|long|big|deep|heavy|high|does)\b",
                framing.core,
            )
            and not topics
        ):
            score = 0.52
    elif imperative:
        score = 0.6 if topics or not (_EVERYDAY_ZH if zh else _EVERYDAY_EN).search(framing.core) else 0.35
    if framing.polite and (imperative or framing.question):
        score += 0.15 if score >= 0.5 else 0.05
    if chitchat_kind(framing) is not None:
        score = max(score, 0.5)
    if people:
        score -= 0.4
    if narrative and not imperative:
        score -= 0.35
    if framing.negated:
        score -= 0.25
    over = length - (24 if zh else 14)
    if over > 0:
        score -= 0.03 * over
    return round(min(max(score, 0.02), 0.95), 3)
