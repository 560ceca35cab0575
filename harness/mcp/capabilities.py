"""A tool of a server -> a skill of ours.

A tool that the configuration calls read-only is called and its text is spoken. Every other one changes something: our own question first,
with the arguments in it, then the call, once, only for somebody who may act, with its intent in the journal. What the server's answer doesn't
settle is said to be unknown.
Does not know the protocol, how a server is kept, or how a reply is delivered.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Final, assert_never

from ridealong.harness.interjections import answer as yes_or_no
from ridealong.harness.mcp.answers import Answer, Answered, Lost, NotSent, Rejected
from ridealong.harness.mcp.config import McpServer
from ridealong.harness.mcp.contracts import ToolContract
from ridealong.harness.mcp.examples import Example, recognise
from ridealong.harness.mcp.results import say, speakable
from ridealong.harness.permission import ELSEWHERE, Motion
from ridealong.harness.provenance import may_act
from ridealong.harness.sentences import sentence
from ridealong.harness.skill import (
    ANSWER_WITHIN_MS,
    Call,
    Confirmation,
    Context,
    Match,
    Outcome,
    Recognise,
    Skill,
    SkillFunction,
    Spoken,
)
from ridealong.harness.telling import refused
from ridealong.proto.types import ActuationResult, ActuationState

GROUP: Final = "mcp"
MAX_SAID_CHARS: Final = 80
"""Of an argument, in our question."""

Ask = Callable[[str, Mapping[str, object], str], Awaitable[Answer]]
"""(tool, arguments, key) -> what came of it."""


def capability(server: McpServer, contract: ToolContract, examples: tuple[Example, ...], ask: Ask) -> Skill:
    """`examples`: the sentences of the configuration, already fit for the contract."""
    reads = contract.tool in server.read_only
    by_locale = {locale: tuple(e.sentence for e in examples if e.locale == locale) for locale in ("en", "zh")}
    effect = f"mcp:{contract.name}"
    return Skill(
        contract.name, contract.description, _reading(server, contract, ask) if reads else _acting(server, contract, effect, ask),
        _recognising(contract, examples, reads), GROUP, contract.schema, {locale: kept for locale, kept in by_locale.items() if kept},
        actuates=() if reads else (effect,), timeout_ms=server.timeout_ms,
        confirmation=Confirmation.NONE if reads else Confirmation.EXPLICIT, motion=server.motion, by=server.speakers,
    )  # fmt: skip


def _recognising(contract: ToolContract, examples: tuple[Example, ...], reads: bool) -> Recognise:
    def claim(text: str, locale: str, context: Context) -> Match | None:
        last = context.recent[0] if context.recent else None
        if (
            not reads
            and last is not None
            and last.capability == contract.name
            and last.outcome is Outcome.ASKS
            and last.asked_ms_ago <= ANSWER_WITHIN_MS
            and yes_or_no(text, locale) is True
        ):
            return Match(contract.name, 0.97, last.arguments, dict.fromkeys(last.arguments, "context:answer"))
        return recognise(contract.name, examples, contract.schema, text, locale)

    return claim


def _reading(server: McpServer, contract: ToolContract, ask: Ask) -> SkillFunction:
    async def run(call: Call) -> Spoken:
        return _told(await ask(contract.tool, call.arguments, ""), server.name, False, call.locale)

    return run


def _acting(server: McpServer, contract: ToolContract, effect: str, ask: Ask) -> SkillFunction:
    spoken = server.name.replace("_", " ")

    async def run(call: Call) -> Spoken:
        if not may_act(call.provenance):
            return Spoken(say("not_for_you", call.locale), Outcome.REFUSED, "not_addressed")
        if server.motion is not Motion.ANY or server.by:  # before it is asked about
            verdict = call.signals.check(ELSEWHERE, Confirmation.EXPLICIT)
            if not verdict.allowed:
                return refused(verdict.reason, f"use {spoken}", f"使用 {spoken}", call.locale)
        if call.confirmation is not Confirmation.EXPLICIT or call.agreed_to != call.arguments:
            return Spoken(question(server.name, contract, call.arguments, call.locale), Outcome.ASKS, "needs_confirmation")
        answers: list[Answer] = []

        async def do(key: str) -> ActuationResult:
            answers.append(await ask(contract.tool, call.arguments, key))
            return ActuationResult(key, *_settled(answers[0]))

        detail = json.dumps(dict(call.arguments), ensure_ascii=False, sort_keys=True)
        result = await call.effects.perform(effect, detail, do)
        if not answers:  # it was not let through
            return Spoken(sentence("refused", call.locale), Outcome.REFUSED, result.reason)
        return _told(answers[0], server.name, True, call.locale)

    return run


def question(server: str, contract: ToolContract, arguments: Mapping[str, object], locale: str) -> str:
    """What exactly will be done, for a yes to mean something."""
    zh = locale.lower().startswith("zh")
    said = [f"{name.replace('_', ' ')}{'：' if zh else ' '}{_short(value, zh)}" for name, value in arguments.items()]
    joined = ("，".join(said) + "。") if zh else ", ".join(said)
    doing = contract.name.partition(".")[2].replace("_", " ")
    return say(
        "confirm",
        locale,
        server=server.replace("_", " "),
        doing=doing,
        **{"with": f", with {joined}" if said and not zh else joined if said else ""},
    )


def _short(value: object, zh: bool) -> str:
    if isinstance(value, bool):
        return ("是" if value else "否") if zh else ("yes" if value else "no")
    text = " ".join(str(value).split())
    return text if len(text) <= MAX_SAID_CHARS else f"{text[:MAX_SAID_CHARS]}…"


def _settled(answer: Answer) -> tuple[ActuationState, str]:
    """What is known of the effect, for the journal."""
    match answer:
        case Answered(error=error):
            return (ActuationState.CONTRADICTED, "tool_error") if error else (ActuationState.CONFIRMED, "")
        case NotSent(reason=reason):
            return ActuationState.REFUSED, reason
        case Rejected():
            return ActuationState.REFUSED, "rejected"
        case Lost():
            return ActuationState.TIMED_OUT, "no_answer"
        case _:
            assert_never(answer)


def _told(answer: Answer, server: str, acted: bool, locale: str) -> Spoken:
    name = server.replace("_", " ")
    match answer:
        case Answered(error=True):
            return Spoken(say("failed", locale, server=name), Outcome.FAILED, "tool_error")
        case Answered(parts=parts, other=other):
            return Spoken(speakable(parts, other, acted, locale))
        case NotSent(reason=reason):
            return Spoken(say(reason, locale, server=name), Outcome.FAILED, reason)
        case Rejected():
            return Spoken(say("failed", locale, server=name), Outcome.FAILED, "rejected")
        case Lost():
            lost = say("lost", locale, server=name)
            if not acted:
                return Spoken(lost, Outcome.FAILED, "no_answer")
            gap = "" if locale.lower().startswith("zh") else " "
            return Spoken(f"{lost}{gap}{sentence('unknown', locale)}", Outcome.UNKNOWN, "no_answer")
        case _:
            assert_never(answer)
