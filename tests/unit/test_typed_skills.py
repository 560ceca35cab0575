"""The SDK: a typed function becomes a contract; what it leaves out is the strictest; what it does not declare it can't do."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from enum import Enum
from typing import Annotated, Literal

import pytest

from ridealong.errors import UserError
from ridealong.harness.arguments import Celsius, Percent, Range, Seconds, Text, Words
from ridealong.harness.port import GuardedPort
from ridealong.harness.registry import Registry
from ridealong.harness.router import AskBack, Calls, Router
from ridealong.harness.runner import Job
from ridealong.harness.skill import (
    Call,
    Confirmation,
    Context,
    ContractError,
    Motion,
    Outcome,
    Provenance,
    Recent,
    Risk,
    SignalWrite,
    Skill,
    Spoken,
    skill,
)
from ridealong.harness.telling import shown, told
from ridealong.vehicle_skills import signals as vss
from ridealong.vehicle_skills.builtin import builtin_registry
from ridealong.vehicle_skills.lint import lint, trial
from ridealong.vehicle_skills.pretended import RecordingPort, car_at
from ridealong.vehicle_skills.signals import SIGNALS, Signal, admit
from ridealong.vehicle_skills.vehicle_file import read_signals
from tests.unit.harness_scene import PolicyCar

pytestmark = pytest.mark.unit

LEVEL = "Vehicle.Cabin.Scent.Level"
KIND = "Vehicle.Cabin.Scent.Kind"
ADDED = {
    LEVEL: {"type": "uint8", "kind": "actuator", "unit": "percent", "low": 0, "high": 100, "group": "accessory"},
    KIND: {"type": "string", "kind": "actuator", "allowed": ["pine", "citrus"], "group": "accessory"},
}
DOING = {"en": "set the scent", "zh": "调香氛"}


@pytest.fixture(autouse=True)
def scent() -> Iterator[None]:
    before = dict(SIGNALS)
    admit(read_signals(ADDED, "test"))
    yield
    SIGNALS.clear()
    SIGNALS.update(before)


class Scent(Enum):
    PINE = "pine"
    CITRUS = "citrus"


def declare(**changes: object) -> Skill:
    contract = {
        "description": "Set the scent diffuser.",
        "group": "accessory",
        "risk": Risk.COMFORT,
        "doing": DOING,
        "says": {"en": ("set the scent to {level}",), "zh": ("香氛调到{level}",)},
        "asks": {"level": {"en": "How strong?", "zh": "调到多少？"}},
        "examples": {"en": ("Set the scent to thirty percent.",), "zh": ("香氛调到百分之三十。",)},
        "actuates": (LEVEL,),
    } | changes

    @skill("scent.set", **contract)  # type: ignore[arg-type]
    async def set_scent(call: Call, level: Percent) -> Spoken:
        result = await call.signals.actuate([SignalWrite(LEVEL, level)], group="accessory")
        value = shown(result, LEVEL)
        return told(result, call.locale, DOING, done={"en": f"The scent is at {value} percent.", "zh": f"香氛在百分之{value}。"})

    return set_scent


def tried(one: Skill, words: str, *, speed: float = 0.0, by: Provenance = Provenance.DRIVER) -> tuple[Spoken, RecordingPort]:
    port = RecordingPort(car_at(speed), by)
    decision = Router(Registry([one])).decide(words, "en", Context(read=port.read, provenance=by), by)
    assert isinstance(decision, Calls), decision
    return asyncio.run(trial(one, decision.matches[0], words, "en", port)), port


def test_the_types_are_the_schema() -> None:
    @skill("a.b", description="d", group="status", examples={}, says={"en": ("do {n} of {scent}",)})
    async def many(
        call: Call, n: Annotated[int, Range(1, 7)], heat: Celsius, after: Seconds, words: Text, scent: Scent = Scent.PINE, on: bool = True,
        side: Literal["left", "right"] = "left",
    ) -> Spoken:  # fmt: skip
        return Spoken("")

    assert many.arguments_schema == {
        "type": "object",
        "properties": {
            "n": {"type": "integer", "minimum": 1, "maximum": 7},
            "heat": {"type": "number", "minimum": 14, "maximum": 30, "description": "degrees Celsius"},
            "after": {"type": "integer", "minimum": 1, "maximum": 86_400, "description": "seconds"},
            "words": {"type": "string", "description": "the user's own words"},
            "scent": {"type": "string", "enum": ["pine", "citrus"], "default": "pine"},
            "on": {"type": "boolean", "default": True},
            "side": {"type": "string", "enum": ["left", "right"], "default": "left"},
        },
        "required": ["n", "heat", "after", "words"],
        "additionalProperties": False,
    }
    Registry([many])


def test_values_arrive_as_their_types() -> None:
    seen: list[object] = []

    @skill("a.b", description="d", group="status", examples={}, says={"en": ("smell of {scent} {on}",)})
    async def smell(
        call: Call, scent: Annotated[Scent, Words({"pine": ("pine", "the forest"), "citrus": ("lemon",)})], on: bool = False
    ) -> Spoken:
        seen.extend((scent, on))
        return Spoken("yes")

    tried(smell, "smell of the forest on")
    assert seen == [Scent.PINE, True]


def test_what_says_nothing_of_motion_acts_in_a_parked_car_only() -> None:
    spoken, port = tried(declare(), "set the scent to 30 percent")
    assert (spoken.text, port.values[LEVEL]) == ("The scent is at 30 percent.", 30)
    spoken, port = tried(declare(), "set the scent to 30 percent", speed=20)
    assert (spoken.text, spoken.reason, port.sent) == ("I can't set the scent while we're moving.", "moving", [])
    spoken, port = tried(declare(motion=Motion.SLOW), "set the scent to 30 percent", speed=20)
    assert port.values[LEVEL] == 30
    spoken, port = tried(declare(motion=Motion.SLOW), "set the scent to 30 percent", speed=90)
    assert (spoken.reason, port.sent) == ("too_fast", [])
    assert tried(declare(motion=Motion.ANY), "set the scent to 30 percent", speed=130)[1].values[LEVEL] == 30


def test_it_cannot_write_what_it_does_not_declare() -> None:
    @skill(
        "scent.sly",
        description="d",
        group="climate",
        doing=DOING,
        examples={"en": ("Be sly.",)},
        says={"en": ("be sly",)},
        actuates=(LEVEL,),
        motion=Motion.ANY,
    )
    async def sly(call: Call) -> Spoken:
        result = await call.signals.actuate([SignalWrite(vss.set_temperature("Row1", "Driver"), 28.0)], group="climate")
        return told(result, call.locale, DOING, done={"en": "Done."})

    spoken, port = tried(sly, "be sly")
    assert (spoken.outcome, spoken.reason, port.sent) == (Outcome.REFUSED, "undeclared", [])
    writes = vss.set_temperature("Row1", "Driver")
    assert f"scent.sly: writes {writes}, which it does not declare" in lint(Registry([sly]))


def test_who_may_ask_and_what_no_words_are_enough_for() -> None:
    only = declare(by=frozenset({Provenance.DRIVER}))
    spoken, port = tried(only, "set the scent to 30 percent", by=Provenance.PASSENGER)
    assert (spoken.text, port.sent) == ("Only the driver can ask me to set the scent.", [])
    spoken, port = tried(declare(confirmation=Confirmation.NEVER), "set the scent to 30 percent")
    assert (spoken.reason, port.sent) == ("never", [])


def test_an_explicit_one_asks_and_a_yes_to_that_question_does_it() -> None:
    one = declare(confirmation=Confirmation.EXPLICIT)
    spoken, port = tried(one, "set the scent to 30 percent")
    assert (spoken.text, spoken.outcome, port.sent) == ("Shall I set the scent: 30 percent?", Outcome.ASKS, [])
    asked = Recent("scent.set", {"level": 30}, Outcome.ASKS, 2_000)
    router = Router(Registry([one]))
    yes = router.decide("yes", "en", Context(recent=(asked,)), Provenance.DRIVER)
    assert isinstance(yes, Calls) and yes.matches[0].arguments == {"level": 30}
    late = router.decide("yes", "en", Context(recent=(asked._replace(asked_ms_ago=16_000),)), Provenance.DRIVER)
    assert not isinstance(late, Calls)


def test_what_nobody_said_is_asked_for() -> None:
    one = declare(says={"en": ("set the scent [to {level}]",), "zh": ("香氛调到{level}",)})
    router = Router(Registry([one]))
    asks = router.decide("set the scent", "en", Context(), Provenance.DRIVER)
    assert isinstance(asks, AskBack) and asks.question == "How strong?"


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"says": {"en": ("set it to {strength}",)}}, "names {strength}, which its function does not take"),
        ({"says": None}, "is recognised by nothing"),
        ({"asks": {"how": {"en": "?"}}}, "a question for 'how'"),
        ({"says": {"en": ("{level}",)}}, "bare slot"),
    ],
)
def test_a_contract_that_can_not_be_taken(changes: dict[str, object], sentence: str) -> None:
    with pytest.raises(ContractError, match="scent.set") as error:
        declare(**changes)
    assert sentence in str(error.value)


def test_types_that_can_not_be_spoken() -> None:
    async def boundless(call: Call, n: int) -> Spoken:
        return Spoken("")

    async def anything(call: Call, words: str) -> Spoken:
        return Spoken("")

    async def odd(call: Call, thing: list[int]) -> Spoken:
        return Spoken("")

    async def untyped(call: Call, n) -> Spoken:  # type: ignore[no-untyped-def]
        return Spoken("")

    for function, said in ((boundless, "Range"), (anything, "Text"), (odd, "can't be spoken"), (untyped, "has no type")):
        with pytest.raises(ContractError, match=r"a\.b: the argument") as error:
            skill("a.b", description="d", group="status", examples={}, says={"en": ("do it",)})(function)
        assert said in str(error.value)


def test_the_lint_finds_what_is_missing() -> None:
    assert lint(Registry([declare(motion=Motion.ANY)])) == []
    assert lint(Registry([declare(doing={})])) == [
        f"scent.set: {problem}"
        for problem in (
            "has no refusal sentence in en: give `doing`",
            "has no refusal sentence in zh: give `doing`",
        )
    ]
    assert lint(Registry([declare(risk=Risk.READS)])) == [
        "scent.set: declares the risk reads, but the group accessory is of comfort"
    ]
    assert lint(Registry([declare(actuates=(LEVEL, "Vehicle.Cabin.Nothing"))])) == [
        "scent.set: declares Vehicle.Cabin.Nothing, which is no signal that we know"
    ]
    assert "scent.set: has no example in zh" in lint(Registry([declare(examples={"en": ("Set the scent to 30 percent.",)})]))


@pytest.mark.parametrize(
    ("path", "entry", "sentence"),
    [
        ("Vehicle.Cabin.X", {}, "needs at least a type"),
        ("Vehicle.Cabin.X", {"type": "int9"}, "the types are"),
        ("Vehicle.Cabin.X", {"type": "uint8", "kind": "motor"}, "the kinds are"),
        ("Vehicle.Cabin.X", {"type": "uint8", "colour": 1}, "'colour'"),
        ("Vehicle.Cabin.X", {"type": "uint8", "kind": "actuator", "group": "accessory"}, "needs low and high"),
        ("Vehicle.Cabin.X", {"type": "string", "kind": "actuator", "group": "accessory"}, "texts that are allowed"),
        ("Vehicle.Cabin.X", {"type": "uint8", "low": "a"}, "must have numbers"),
    ],
)
def test_a_signal_that_can_not_be_read(path: str, entry: dict[str, object], sentence: str) -> None:
    with pytest.raises(UserError, match=sentence):
        read_signals({path: entry}, "car.yaml")


@pytest.mark.parametrize(
    ("path", "group", "sentence"),
    [
        (vss.SPEED, "", "has already"),
        ("Cabin.X", "", "does not begin"),
        ("Vehicle.Cabin.X", "climate", "must be 'accessory'"),
        ("Vehicle.Chassis.X", "accessory", "never written"),
    ],
)
def test_what_no_integrator_may_add(path: str, group: str, sentence: str) -> None:
    before = dict(SIGNALS)
    with pytest.raises(ValueError, match=sentence):
        admit([Signal(path, vss.DataType.UINT8, vss.Kind.ACTUATOR, low=0, high=1, group=group)])
    assert before == SIGNALS


def test_a_voice_that_nobody_knows_may_be_told_and_may_not_act() -> None:
    async def durable(work_id: str, key: str, writes: object) -> bool:
        return True

    def port(name: str) -> GuardedPort:
        one = builtin_registry().get(name)
        assert one is not None
        return GuardedPort(
            PolicyCar(values=dict(car_at(0))),
            Job("w", one),
            Provenance.UNKNOWN,
            Confirmation.NONE,
            durable,
            lambda key, result: None,
        )

    assert port("status.speed").check("status", Confirmation.NONE).allowed
    assert port("climate.set_temperature").check("climate", Confirmation.NONE).reason == "not_addressed"
