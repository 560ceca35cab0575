"""What would be said is known without anything being done."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from ridealong.harness.rehearsal import rehearse
from ridealong.harness.router import Calls, Router
from ridealong.harness.skill import Call, Confirmation, Context, Match, Provenance, Skill, Spoken, Verdict
from ridealong.proto.types import SignalReading, SignalWrite
from ridealong.vehicle_skills.builtin import builtin_registry

pytestmark = pytest.mark.unit
REGISTRY = builtin_registry()


def read(path: str) -> SignalReading | None:
    known = {"Vehicle.Speed": 48.0, "Vehicle.Cabin.HVAC.Station.Row1.Driver.Temperature": 21.0}
    return SignalReading(path, known[path], 0) if path in known else None


def said(words: str, locale: str, verdict: Verdict = Verdict(True)) -> str:  # noqa: B008 (frozen)
    decision = Router(REGISTRY).decide(words, locale, Context(read=read), Provenance.DRIVER)
    assert isinstance(decision, Calls)
    match = decision.matches[0]
    skill = REGISTRY.get(match.capability)
    assert skill is not None
    return rehearse(
        skill, words, locale, Provenance.DRIVER, match.arguments, Confirmation.NONE, read, lambda group, confirmation: verdict
    )


@pytest.mark.parametrize(
    ("words", "locale", "part"),
    [
        ("Set the temperature to 22.5 degrees.", "en", "22.5"),
        ("空调调到二十三度。", "zh", "23"),
        ("How fast are we going?", "en", "48"),
        ("现在车速多少？", "zh", "48"),
    ],
)
def test_the_sentence_of_success_or_of_what_is_read(words: str, locale: str, part: str) -> None:
    assert part in said(words, locale)


def test_the_sentence_of_a_refusal() -> None:
    assert "moving" in said("Open the boot.", "en", Verdict(False, "moving"))


def test_what_takes_time_has_no_rehearsal() -> None:
    assert said("Find the cheapest charging station along the route.", "en") == ""
    assert said("Set a timer for five minutes.", "en") == ""


def test_a_skill_that_does_not_say_so_is_never_run() -> None:
    ran: list[str] = []

    async def run(call: Call) -> Spoken:
        ran.append(call.words)
        return Spoken("done")

    def recognise(text: str, locale: str, context: Context) -> Match | None:
        return None

    skill = Skill("x.y", "", run, recognise, "status", {}, {})
    allowed = Verdict(True)
    assert rehearse(skill, "a", "en", Provenance.DRIVER, {}, Confirmation.NONE, read, lambda group, how: allowed) == ""
    assert ran == []


def test_undeclared_writes_and_errors_give_nothing_false() -> None:
    async def undeclared(call: Call) -> Spoken:
        writes: Sequence[SignalWrite] = (SignalWrite("Vehicle.Body.Trunk.Rear.IsOpen", True),)
        return Spoken((await call.signals.actuate(writes, group="climate")).state.value)

    async def broken(call: Call) -> Spoken:
        raise RuntimeError("no")

    allowed = Verdict(True)
    answers = [
        rehearse(
            Skill("x.y", "", run, lambda text, locale, context: None, "climate", {}, {}, rehearsable=True),
            "a", "en", Provenance.DRIVER, {}, Confirmation.NONE, read, lambda group, how: allowed,
        )
        for run in (undeclared, broken)
    ]  # fmt: skip
    assert answers == ["refused", ""]
