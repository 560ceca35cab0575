"""From a request in words to work: who may ask, what is the same request, what a newer request replaces, what is owed an answer.

The router says what the words mean; here that becomes executions, withdrawals, or nothing. `rehearse` follows the same way and does
nothing.
Does not know spans, how a skill is run, or when its reply is spoken.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from typing import Final, Protocol, assert_never

from ridealong.harness import agreeing, work
from ridealong.harness.agent.honesty import speakable
from ridealong.harness.doing import WORK
from ridealong.harness.executions import Executions
from ridealong.harness.follow_about import takes_back
from ridealong.harness.handover import LANGUAGE_MODEL, Asks, Handover
from ridealong.harness.interjections import is_stop
from ridealong.harness.not_now import NOT_NOW, not_now
from ridealong.harness.observing import Decided, Observe, unobserved
from ridealong.harness.owed import ANSWERS, TYPED_UNANSWERED, decided, is_owed
from ridealong.harness.parts import cannot
from ridealong.harness.polish import polish
from ridealong.harness.port import CarPort
from ridealong.harness.provenance import may_ask
from ridealong.harness.quoting import quote
from ridealong.harness.rehearsal import rehearse
from ridealong.harness.replies import Replies
from ridealong.harness.requests import Question, Requests, normal
from ridealong.harness.results import UNORDERED, Order, order
from ridealong.harness.revising import lasting_otherwise, rewordings
from ridealong.harness.router import Also, AskBack, Calls, ChitChat, Decision, Nothing, open_question
from ridealong.harness.sentences import sentence
from ridealong.harness.skill import TALK, Call, Confirmation, Context, Match, Outcome, Provenance, Skill, Spoken, Verdict
from ridealong.harness.small_talk import chitchat_sentence, closing
from ridealong.harness.snapshot import Evidence, Snapshot
from ridealong.harness.stopping import Stopping
from ridealong.harness.work import Execution, WorkItem
from ridealong.harness.work_items import Asked, WorkItems
from ridealong.harness.working import Working
from ridealong.proto.types import Samples

_ALSO = re.compile(r"\b(?:also|too|as well|and)\b|也|还|都")
_INSTEAD = re.compile(r"\b(?:instead|rather)\b|换成|改成|还是")
MAX_SAID_BACK: Final = 80
BACKLOG_MS: Final = 150_000
"""What a device keeps while it is offline, and a little more."""


class Routes(Protocol):
    """What `harness.router.Router` is to us."""

    def decide(self, text: str, locale: str, context: Context, provenance: Provenance) -> Decision: ...


class Skills(Protocol):
    """What `harness.registry.Registry` is to us."""

    def get(self, name: str) -> Skill | None: ...


Talked = Sequence[tuple[str, str]]
"""What was said lately, oldest first: ("user" | "assistant", words). Of the assistant's words only those that were heard."""

Converse = Callable[[str, str, Talked], Awaitable[str]]
"""(text, locale, what was said before) -> a language model's answer. May raise anything."""


class Dispatch:
    """One per session. `reject(reason)` is told where no work comes of a request."""

    def __init__(
        self,
        session_id: str,
        registry: Skills,
        router: Routes,
        converse: Converse | None,
        signals: CarPort,
        evidence: Evidence,
        items: WorkItems,
        executions: Executions,
        replies: Replies,
        working: Working,
        reject: Callable[[str], None],
        agent: Asks | None = None,
        observe: Observe = unobserved,
    ) -> None:
        self._agent, self._observe = agent, observe
        self._session_id, self._registry, self._router, self._converse = session_id, registry, router, converse
        self._signals, self._evidence = signals, evidence
        self._items, self._executions, self._replies, self._reject = items, executions, replies, reject
        self._talking, self._working = replies.talking, working
        working.revise = self._revise
        self._stopping = Stopping(items, executions, replies, working, registry.get)
        self._requests = Requests(items.earlier)

    # --- a request --------------------------------------------------------------------------------------------------

    def request(
        self, text: str, at: Samples, words: str, locale: str, provenance: Provenance, snapshot: Snapshot | None, took_floor: str
    ) -> None:
        """Whatever comes of it. `took_floor`: see Harness.feed."""
        if not may_ask(provenance):
            return self._reject("provenance")
        ended_at = self._evidence.utterance_end(words, at) or at
        same = normal(text)
        first = self._requests.repeated(
            same,
            ended_at,
            self._open_question(),
            lambda end: self._replies.unheard(self._identity(end, same)),
            is_stop(text, locale),
        )
        if first is not None:
            if ended_at > first:
                self._replies.tell_again(self._identity(first, same))
            return self._reject("duplicate")
        context = self.context(provenance)
        asked = Asked(text, words, locale, provenance, at, self._identity(ended_at, same), snapshot)
        begin = self._executions.begin
        try:
            decision = self._router.decide(text, locale, context, provenance)
        except Exception as error:  # a router that fails must not end the session
            self._observe(Decided("failed", type(error).__name__, 0, self._session_id, asked.digest))
            begin(asked, says("router", Spoken(sentence("failed", locale), Outcome.FAILED, type(error).__name__)), {})
            return
        self._observe(decided(decision, self._session_id, asked.digest))
        self._items.hold_question(agreeing.holds(decision))
        match decision:
            case Calls(matches=matches, also=also):
                begun, asking = list[str | None](), self._items.asking()
                for part, match in enumerate(matches):
                    of, one = order(match, begun), replace(asked, part=part) if part else asked
                    begun.append(None if of is None else self._call(one, match, context, of, decision.agreed, asking))
                for part, other in enumerate(also, len(matches)):
                    self._say_also(replace(asked, part=part), other, context)
            case AskBack(question=question, match=match, reason=reason) if match is not None:
                self._ask(asked, question, match, match.capability, reason)
            case AskBack(question=question, reason=reason):
                begin(asked, says("ask_back", Spoken(question, Outcome.ASKS, reason)), {})
            case ChitChat(kind=kind):
                begin(asked, self._about_what_was_said(text, took_floor) or self._chat(kind, asked, context), {})
            case Nothing(reason=reason) if is_owed(reason, provenance, took_floor) or self._answers_agent(reason, context):
                kind = "general" if reason == "question" else "unsupported"
                modelled = reason in TYPED_UNANSWERED or self._answers_agent(reason, context)
                begin(asked, self._about_what_was_said(text, took_floor) or self._chat(kind, asked, context, modelled), {})
            case Nothing(reason=reason):
                if reason not in ("stop", "declined") or not self._stopping.on(reason, asked):
                    self._reject(reason)
            case _:
                assert_never(decision)

    def _say_also(self, asked: Asked, other: Also, context: Context) -> None:
        """Of a sentence of which something is done: the part that is asked back, or can't be done."""
        match other.decision:
            case AskBack(question=question, match=match, reason=reason) if match is not None:
                self._ask(asked, question, match, match.capability, reason)
            case AskBack(question=question, reason=reason):
                self._executions.begin(asked, says("ask_back", Spoken(question, Outcome.ASKS, reason)), {})
            case ChitChat(kind=kind):
                own, part = (
                    says(f"chitchat.{kind}", Spoken(cannot(other.words, asked.locale))),
                    replace(asked, request=other.words),
                )
                chat = self._agent is not None or kind == "general"
                self._executions.begin(asked, self._chat(kind, part, context) if chat else own, {})
            case _:
                assert_never(other.decision)

    def _identity(self, ended_at: Samples, same: str) -> str:
        """`same`: the request's normal words."""
        return f"{self._session_id}|{ended_at}|{same}"

    def _open_question(self) -> Question | None:
        item = self._items.asking()
        return Question(item.request, item.inserted_at) if item is not None and item.inserted_at is not None else None

    def offer_late(self, words: str, locale: str, provenance: Provenance, at: Samples) -> None:
        """Words out of a backlog: said back once, and nothing is done."""
        said = " ".join(words.split()).rstrip(" .。!！")
        if not said:
            return
        asked = Asked(words, words, locale, provenance, at, f"{self._session_id}|{at}|late|{said.casefold()}")
        reply = sentence("backlog", locale).format(words=said if len(said) <= MAX_SAID_BACK else f"{said[:MAX_SAID_BACK]}…")
        skill = replace(says("backlog", Spoken(reply)), timeout_ms=BACKLOG_MS)  # the device's clock jumps when it has caught up
        work_id = self._executions.begin(asked, skill, {})
        if work_id is not None:
            self._replies.unasked(work_id, urgent=False)

    def _call(
        self,
        asked: Asked,
        match: Match,
        context: Context,
        of: Order = UNORDERED,
        agreed: bool = False,
        asking: WorkItem | None = None,
    ) -> str | None:
        skill = self._registry.get(match.capability)
        if skill is None:
            spoken = Spoken(sentence("failed", asked.locale), Outcome.FAILED, "no_such_skill")
            return self._executions.begin(asked, says(match.capability, spoken), match.arguments)
        asks = agreeing.asks(context, match.capability)
        put = asks and agreeing.was_put(asking := asking or self._items.asking(), match.capability, asked.at, asked.provenance)
        confirmation = agreeing.confirmation(put, asked.request, asked.locale, agreed)
        if (
            confirmation is Confirmation.EXPLICIT and asking is not None and self._items.held(asking)
        ):  # put off since: it is asked again
            confirmation, match = Confirmation.NONE, replace(match, arguments=context.recent[0].arguments)
        if skill.actuates and confirmation is Confirmation.NONE and (instead := not_now(asked, match, skill)) is not None:
            return self._instead(asked, instead)
        revises = asks or (
            any(ground.startswith("context:") for ground in match.grounds.values()) and not _ALSO.search(asked.request.casefold())
        )
        changes = revises or takes_back(asked.request, asked.locale) or _INSTEAD.search(asked.request.casefold()) is not None
        replaced = self._items.revised(match.capability) if changes else None
        earlier = (
            one.arguments for one in context.recent if one.capability == match.capability and one.outcome is not Outcome.ASKS
        )
        if skill.actuates:
            self._outdate(match, asked.at)
        corrects = self._closes_earlier(match, skill, revises)
        if skill.group != TALK and not corrects:
            self._talking.followed_up(asked.at)
        return self._executions.begin(
            asked,
            skill,
            match.arguments,
            order=of,
            confirmation=confirmation,
            remember=skill.group not in (TALK, WORK),
            replaces=replaced,
            agreed_to=context.recent[0].arguments if confirmation is Confirmation.EXPLICIT else None,
            instead_of=next(earlier, None) if changes else None,
        )

    def _instead(self, asked: Asked, spoken: Spoken) -> str | None:
        """What is said where nothing is done; once a request, however many calls came of it."""
        said = [item for item in self._items.all.values() if item.capability == NOT_NOW and item.intent_at == asked.at]
        if any(item.request == asked.request for item in said):
            return None
        return self._executions.begin(asked, says(NOT_NOW, spoken), {})

    def _revise(self, item: WorkItem, change: str, adds: bool, asked: Asked) -> str | None:
        """The request with the change worked in, routed like any other: begun where it is a call of the same kind with other arguments. It
        replaces the item; what was only to be added, and can't be without giving something up, runs beside it."""
        skill = self._registry.get(item.capability)
        found = self._reworded(item, change, adds, asked)
        if skill is None or not found:
            return None
        keeps = next((call for call in found if item.arguments.items() <= call[1].arguments.items()), None)
        text, match = (keeps or (found[1:] or found)[0]) if adds else found[0]
        newer = replace(asked, request=text, identity=f"{asked.identity}|instead of {item.id}")
        replaces = item.id if keeps is not None or not adds else None
        if self._executions.begin(newer, skill, match.arguments, remember=True, replaces=replaces) is None:
            return None
        return "" if skill.usual_ms else sentence("changed" if replaces else "beside", asked.locale)

    def _reworded(self, item: WorkItem, change: str, adds: bool, asked: Asked) -> list[tuple[str, Match]]:
        known, skill = self._working.one(item.id), self._registry.get(item.capability)
        if known is not None and (longer := lasting_otherwise(known, change, asked.locale, skill)) is not None:
            return [(item.request, Match(item.capability, 1.0, longer))]
        context, found = self.context(asked.provenance), list[tuple[str, Match]]()
        for text in rewordings(item.request, change, adds):
            match self._router.decide(text, item.locale, context, asked.provenance):
                case Calls(matches=matches):  # of a sentence that asked for several things, the one that is meant
                    meant = [match for match in matches if match.capability == item.capability]
                    if len(meant) == 1 and not meant[0].after and meant[0].arguments != item.arguments:
                        found.append((text, meant[0]))
                case _:
                    continue
        return found

    def _ask(self, asked: Asked, question: str, match: Match | None, capability: str, reason: str) -> None:
        """One short question back; the answer completes `match`."""
        name, arguments = (match.capability, match.arguments) if match is not None else (capability, {})
        self._executions.begin(asked, says(name, Spoken(question, Outcome.ASKS, reason)), arguments, remember=True)

    def _outdate(self, match: Match, at: Samples) -> None:
        """What a newer request for the same thing makes untrue is not said any more: "set to 19" after "make it 20"."""
        target = _target(match.arguments)
        for item in list(self._items.all.values()):
            same = item.capability == match.capability and _target(item.arguments) == target and item.intent_at < at
            if same and item.execution is Execution.COMPLETED and item.delivery is work.Delivery.PENDING:
                self._replies.withdraw(item.id, "outdated")

    def _closes_earlier(self, match: Match, skill: Skill, revises: bool) -> bool:
        """The rest of an earlier answer to the same request is not true any more: "go on" finds it no longer."""
        if not revises and not skill.actuates:
            return False
        target = _target(match.arguments)
        same = frozenset(
            item.id
            for item in self._items.all.values()
            if item.capability == match.capability and (revises or (skill.actuates and _target(item.arguments) == target))
        )
        return self._talking.said.close_work(same)

    # --- words that ask for nothing in the car ----------------------------------------------------------------------

    def _about_what_was_said(self, text: str, took_floor: str) -> Skill | None:
        """A question that cut us off, answered with our own sentence; nothing where a language model answers better."""
        if took_floor != "follow_up" or self._converse is not None or self._agent is not None:
            return None
        sentence_of_ours = quote(self._talking.last_text(), text)
        return says("talk.quote", Spoken(sentence_of_ours)) if sentence_of_ours else None

    def _answers_agent(self, reason: str, context: Context) -> bool:
        """Words that only mean something as the answer to the language model's own question, which nothing has answered yet."""
        if (
            self._agent is None
            or reason not in ANSWERS
            or open_question(context) is None
            or not agreeing.asks(context, LANGUAGE_MODEL)
        ):
            return False
        newest = next(item for item in reversed(self._items.all.values()) if item.capability == LANGUAGE_MODEL)
        return newest.outcome is Outcome.ASKS

    def _chat(self, kind: str, asked: Asked, context: Context, modelled: bool = True) -> Skill:
        """`modelled`: the language model may be asked."""
        kind = closing(asked.words, asked.locale) or kind
        honest = Spoken(chitchat_sentence(kind, asked.locale), Outcome.COMPLETED, kind)
        converse = self._converse
        if self._agent is not None and modelled and kind in ("general", "unsupported"):
            handover = Handover(asked, context, self._items, self._talking, self._call, self._ask, self._signals.device_now)
            return self._agent.skill(context, handover)
        if converse is None or kind != "general":
            return says(f"chitchat.{kind}", honest)

        async def run(call: Call) -> Spoken:
            try:
                said = speakable(await converse(call.request, call.locale, self._talking.lines(call.work_id)), call.locale)
                return Spoken(said) if said else honest
            except Exception:  # the endpoint's own words never reach the user
                return honest

        return replace(says(f"chitchat.{kind}", honest), run=run)

    # --- without doing anything -------------------------------------------------------------------------------------

    def context(self, provenance: Provenance = Provenance.UNKNOWN) -> Context:
        """What was asked lately and what the car shows: for a front-end's own opinion of words. Safe from its thread."""
        return Context(
            recent=self._items.recently(),
            provenance=provenance,
            read=self._signals.read,
            said=self._talking.last(),
            doing=self._working.doing_when_asked(),
            local=kept.daytime.now() if (kept := self._executions.reminders) is not None else None,
        )

    def rehearse(self, text: str, locale: str, provenance: Provenance) -> str:
        """What would probably be said to these words if the car did as asked; "" where that can't be known. Does nothing. Safe from
        the front-end's thread."""
        if not may_ask(provenance):
            return ""
        context = self.context(provenance)
        match self._router.decide(text, locale, context, provenance):
            case Calls(matches=(match, *_), agreed=says_yes) if (skill := self._registry.get(match.capability)) is not None:
                asks = agreeing.asks(context, match.capability) and context.recent[0].put
                held = (item := self._items.asking()) is not None and self._items.held(item)
                agreed = agreeing.confirmation(asks and not held, text, locale, says_yes)
                asked = Asked(text, text, locale, provenance, Samples(0), "")
                if skill.actuates and agreed is Confirmation.NONE and (instead := not_now(asked, match, skill)) is not None:
                    return instead.text

                def check(group: str, confirmation: Confirmation) -> Verdict:
                    return self._signals.check(group, confirmation, provenance, skill.motion)

                arguments = context.recent[0].arguments if asks and held else match.arguments
                return rehearse(skill, text, locale, provenance, arguments, agreed, self._signals.read, check)
            case AskBack(question=question):
                return polish(question)
            case ChitChat(kind=kind) if self._converse is None and self._agent is None:
                return chitchat_sentence(kind, locale)
            case _:
                return ""


def says(name: str, spoken: Spoken) -> Skill:
    """A skill of the harness's own that only says something."""

    async def run(call: Call) -> Spoken:
        return spoken

    return Skill(
        name, "says one sentence", run, lambda text, locale, context: None, "speech", {"type": "object"}, {}, begins=lambda arguments, locale: "",
    )  # fmt: skip


def _target(arguments: Mapping[str, object]) -> dict[str, object]:
    """What a call is about, without how much."""
    return {name: value for name, value in arguments.items() if isinstance(value, str)}
