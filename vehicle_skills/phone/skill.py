"""Phone skills: call somebody, or a number; say a number.

A call is placed once, after an explicit yes to the question that names the contact and the number, and only where a dialer is configured; without one it is
said that calls can't be placed from here. Emergency calls are never placed: whoever needs one is told to dial by hand. Numbers are told only to people who
may act. Does not know how words are understood (plan.py), or what a dialer does.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from ridealong.harness.changes import Another, Arguments, Changes, Reads
from ridealong.harness.provenance import may_act
from ridealong.harness.skill import Call, Confirmation, Context, Match, Motion, Outcome, Risk, Skill, Spoken, skill
from ridealong.harness.slots.text import has_chinese
from ridealong.harness.telling import ask, refused, say
from ridealong.proto.types import ActuationResult, ActuationState
from ridealong.vehicle_skills.phone import plan
from ridealong.vehicle_skills.phone.contacts import NOBODY, Contacts
from ridealong.vehicle_skills.phone.dialling import Dialer
from ridealong.vehicle_skills.phone.other_number import of_whom, without_verb
from ridealong.vehicle_skills.phone.plan import CALL, LOOKUP, Line, Several, WhichNumber
from ridealong.vehicle_skills.phone.them import refers

GROUP: Final = "phone"
DIAL: Final = "phone:dial"


@dataclass(frozen=True, slots=True)
class Phone:
    """`dialer` None: calls can't be placed from here."""

    contacts: Contacts = NOBODY
    dialer: Dialer | None = None


def phone_skills(phone: Phone) -> tuple[Skill, ...]:
    contacts = phone.contacts

    def recognise_call(text: str, locale: str, context: Context) -> Match | None:
        return plan.recognise_call(text, locale, context, contacts)

    def recognise_lookup(text: str, locale: str, context: Context) -> Match | None:
        return plan.recognise_lookup(text, locale, context, contacts)

    def another(capability: str, arguments: Arguments, words: str) -> Another | None:
        """ "No, Ben", "the mobile"."""
        if refers(words.casefold(), has_chinese(words)):  # "ring her" names nobody else
            return None
        words, earlier = without_verb(words.strip()), str(arguments.get("contact", ""))
        name = plan.chosen_of(earlier, words, contacts) or of_whom(earlier, words)
        name = plan.without_owner(name)
        return (capability, {"contact": name}) if name and name != arguments.get("contact") else None

    def other_call(arguments: Arguments, words: str, read: Reads) -> Another | None:
        return another(CALL, arguments, words)

    def other_lookup(arguments: Arguments, words: str, read: Reads) -> Another | None:
        return another(LOOKUP, arguments, words)

    schema: Mapping[str, object] = {
        "type": "object",
        "properties": {"contact": {"type": "string", "description": "name as spoken, or digits"}},
        "required": ["contact"],
        "additionalProperties": False,
    }

    @skill(
        CALL,
        description="Call somebody out of the contacts, or a number. Asks first.",
        group=GROUP,
        recognise=recognise_call,
        understand=plan.call,
        changes=Changes(other=other_call),
        arguments_schema=schema,
        examples={
            "en": ("Call Mum.", "Make a phone call to Anna.", "Dial 0161 496 0345."),
            "zh": ("打电话给妈妈。", "给小张打个电话。", "拨打10086。"),
        },
        actuates=(DIAL,),
        confirmation=Confirmation.EXPLICIT,
        risk=Risk.ACCESS,
        motion=Motion.ANY,
        doing={"en": "call anybody", "zh": "打电话"},
        timeout_ms=20_000,
    )
    async def call_somebody(call: Call) -> Spoken:
        locale, said = call.locale, str(call.arguments["contact"])
        if not may_act(call.provenance):
            return refused("not_addressed", "call anybody", "打电话", locale)
        if plan.is_emergency(said):
            return Spoken(_emergency(said, locale), Outcome.REFUSED, "emergency")
        line = _one_line(said, contacts, locale)
        if isinstance(line, Spoken):
            return line
        if phone.dialer is None:
            return Spoken(_cannot(line, locale), Outcome.REFUSED, "no_dialer")
        who = _whom(line, locale)
        if call.confirmation is not Confirmation.EXPLICIT or call.agreed_to != call.arguments:
            return ask(f"Shall I call {who}?", f"要打给{who}吗？", locale, "needs_confirmation")
        dialer = phone.dialer

        async def dial(key: str) -> ActuationResult:
            return await dialer.dial(line.dialled, line.contact.name if line.contact is not None else "", key)

        result = await call.effects.perform(DIAL, f"{line.called('en')} {line.dialled}", dial)
        return _became(result, who, locale)

    @skill(
        LOOKUP,
        description="Say the number of a contact.",
        group=GROUP,
        recognise=recognise_lookup,
        understand=plan.lookup,
        changes=Changes(other=other_lookup),
        arguments_schema=schema,
        examples={
            "en": ("What's Anna's number?", "Give me the number for the office."),
            "zh": ("小陈的号码是多少？", "查一下妈妈的电话。"),
        },
        timeout_ms=5_000,
        rehearsable=True,
    )
    async def say_number(call: Call) -> Spoken:
        locale, said = call.locale, str(call.arguments["contact"])
        if not may_act(call.provenance):
            return refused("not_addressed", "read numbers out", "报号码", locale)
        found = plan.resolve(said, contacts)
        if isinstance(found, WhichNumber):
            asked = plan.split_kind(said)[1]
            numbers = "; ".join(
                f"{plan.kind_name(kind, 'en')} {plan.spoken(number, 'en')}" for kind, number in found.contact.numbers.items()
            )
            chinese = "；".join(
                f"{plan.kind_name(kind, 'zh')}{plan.spoken(number, 'zh')}" for kind, number in found.contact.numbers.items()
            )
            name = found.contact.called(locale)
            lead = (
                say(f"I have no {asked} number for {name}. ", f"没有{name}的{plan.kind_name(asked, 'zh')}号码。", locale)
                if asked
                else ""
            )
            return Spoken(lead + say(f"{name}: {numbers}.", f"{name}：{chinese}。", locale))
        line = _one_line(said, contacts, locale)
        return line if isinstance(line, Spoken) else Spoken(_number_sentence(line, locale))

    return call_somebody, say_number


def _one_line(said: str, contacts: Contacts, locale: str) -> Line | Spoken:
    """The one number that is meant, or what is said instead."""
    match plan.resolve(said, contacts):
        case Line() as line:
            return line
        case Several(several):
            names = [one.called(locale) for one in several]
            return ask(
                f"Do you mean {', '.join(names[:-1])} or {names[-1]}?",
                f"是{'、'.join(names[:-1])}还是{names[-1]}？",
                locale,
                "which_contact",
            )
        case WhichNumber(contact):
            kinds = [plan.kind_name(kind, locale) for kind in contact.numbers]
            name = contact.called(locale)
            if len(kinds) == 1:  # another kind than the one that there is was asked for: our question, or the answer, names it
                kind = next(iter(contact.numbers))
                return Line(contact.numbers[kind], kind, contact)
            return ask(
                f"{name} has several numbers: {', '.join(kinds[:-1])} and {kinds[-1]}. Which one?",
                f"{name}有{'、'.join(kinds)}几个号码，用哪一个？",
                locale,
                "which_contact",
            )
        case None if contacts is NOBODY:
            return Spoken(say("I have no contacts here.", "我这里没有通讯录。", locale), Outcome.REFUSED, "unknown_contact")
        case None:
            return Spoken(
                say(f"I have nobody called {said} in the contacts.", f"通讯录里没有{said}。", locale),
                Outcome.REFUSED,
                "unknown_contact",
            )


def _whom(line: Line, locale: str) -> str:
    """Contact and number, so that a yes is to exactly these."""
    number = plan.spoken(line.number, locale)
    if line.contact is None:
        return number
    kind = plan.kind_name(line.kind, locale)
    return (
        f"{line.called(locale)}，{kind}号码{number}"
        if locale.startswith("zh")
        else f"{line.called(locale)}, {kind} number {number}"
    )


_NOT_TAKEN: Final = frozenset({"rejected", "unreachable", "unavailable"})
"""The dialer, or nobody at its address, said no: nothing was dialled."""


def _became(result: ActuationResult, who: str, locale: str) -> Spoken:
    """What is known of the call."""
    match result.state:
        case ActuationState.CONFIRMED:
            return Spoken(say(f"Calling {who}.", f"正在打给{who}。", locale))
        case ActuationState.REFUSED if result.reason in _NOT_TAKEN:
            text = say(f"The phone didn't take the call to {who}.", f"电话没有接受拨号，没有打给{who}。", locale)
            return Spoken(text, Outcome.FAILED, result.reason)
        case ActuationState.REFUSED:
            return refused(result.reason, f"call {who}", f"打给{who}", locale)
        case _:
            text = say(
                f"I asked the phone to call {who}, and don't know whether it does.",
                f"已请求打给{who}，但不知道电话有没有拨出。",
                locale,
            )
            return Spoken(text, Outcome.UNKNOWN, result.reason or "unconfirmed")


def _number_sentence(line: Line, locale: str) -> str:
    number = plan.spoken(line.number, locale)
    if line.contact is None:
        return say(f"That is {number}.", f"号码是{number}。", locale)
    kind, name = plan.kind_name(line.kind, locale), line.called(locale)
    return say(f"{name}, {kind}: {number}.", f"{name}的{kind}号码是{number}。", locale)


def _cannot(line: Line, locale: str) -> str:
    told = say("I can't place calls from here.", "我在这里打不了电话。", locale)
    if line.contact is None:
        return told
    return f"{told} {_number_sentence(line, locale)}" if not locale.startswith("zh") else told + _number_sentence(line, locale)


def _emergency(said: str, locale: str) -> str:
    number = plan.spoken(said, locale) if said.isdigit() else ""
    return say(
        f"I don't place emergency calls. Please dial {number or 'the emergency number'} by hand now.",
        f"我不能拨打紧急电话，请马上用手机拨{number or '紧急号码'}。",
        locale,
    )
