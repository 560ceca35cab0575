"""Words of a skill from outside: never a built-in act. Its numbers: a question that names the limits, and the values in a question for a yes."""

from __future__ import annotations

import runpy
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Literal

import pytest

from ridealong.cloud.tagger import load_tagger
from ridealong.harness.arguments import Celsius, Percent, Range, SpokenAs, Words
from ridealong.harness.known_words import known_words
from ridealong.harness.outside_words import OutsideWords, own_words, unknown_thing
from ridealong.harness.registry import Registry
from ridealong.harness.router import AskBack, Calls, ChitChat, Decision, Nothing, Router
from ridealong.harness.skill import (
    Call,
    Confirmation,
    Context,
    Match,
    Motion,
    Outcome,
    Provenance,
    Recent,
    Risk,
    Skill,
    Spoken,
    skill,
)
from ridealong.harness.tagged_router import TaggedRouter
from ridealong.harness.unknown_acts import unknown_act
from ridealong.vehicle_skills.builtin import builtin_registry
from ridealong.vehicle_skills.pretended import RecordingPort, car_at
from ridealong.vehicle_skills.signals import SIGNALS, admit
from ridealong.vehicle_skills.trying import try_words
from ridealong.vehicle_skills.vehicle_file import read_signals

pytestmark = pytest.mark.unit

LEVEL = "Vehicle.Cabin.Scent.Level"


def declare(name: str, type_: object, en: tuple[str, ...], zh: tuple[str, ...], **changes: object) -> Skill:
    async def typed(call: Call, level: object) -> Spoken:
        return Spoken("Done.")

    typed.__annotations__ = {"call": Call, "level": type_, "return": Spoken}
    contract: dict[str, object] = {
        "description": "Set it.", "group": "accessory", "risk": Risk.COMFORT, "motion": Motion.ANY,
        "doing": {"en": f"set the {name}", "zh": "调它"}, "says": {"en": en, "zh": zh},
        "asks": {"level": {"en": f"How much {name}?", "zh": "多少？"}}, "examples": {"en": ("Set it.",)}, "actuates": (LEVEL,),
    }  # fmt: skip
    return skill(f"{name}.set", **(contract | changes))(typed)  # type: ignore[arg-type, no-any-return]


SCENT = declare("scent", Percent, ("set the scent to {level}",), ("香氛调到{level}",))
MASSAGE = declare("massage", Annotated[int, Range(0, 5)], ("set the massage to {level}",), ("按摩调到{level}档",))
FRIDGE = declare("fridge", Celsius, ("set the fridge to {level} [degrees]",), ("冰箱调到{level}度",))
TIMED = declare(
    "ioniser", Annotated[int, Range(1, 600), SpokenAs("duration", "seconds")], ("run the ioniser for {level}",), ("净化{level}",)
)
KIND = Annotated[Literal["pine", "citrus"], Words({"pine": ("pine", "松木"), "citrus": ("lemon", "柠檬")})]
PERFUME = declare("perfume", KIND, ("make the perfume {level}",), ("香水换{level}",), confirmation=Confirmation.EXPLICIT)


@pytest.fixture(autouse=True)
def scent_signal() -> Iterator[None]:
    before = dict(SIGNALS)
    admit(read_signals({LEVEL: {"type": "uint8", "kind": "actuator", "low": 0, "high": 100, "group": "accessory"}}, "test"))
    yield
    SIGNALS.clear()
    SIGNALS.update(before)


@pytest.fixture(scope="module")
def router() -> TaggedRouter:
    registry = builtin_registry()
    for one in (SCENT, MASSAGE):
        registry.register(one)
    return TaggedRouter(Router(registry), load_tagger())


def decide(router: TaggedRouter, text: str) -> Decision:
    read = RecordingPort(car_at(0), Provenance.DRIVER).read
    locale = "en" if text.isascii() else "zh"
    return router.decide(text, locale, Context(provenance=Provenance.DRIVER, read=read), Provenance.DRIVER)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("make the scent stronger", "scent.set"),
        ("more scent please", "scent.set"),
        ("turn off the scent", "scent.set"),
        ("can you make the scent stronger?", "scent.set"),
        ("I love the scent, turn it up", "scent.set"),
        ("turn it up, I love this scent", "scent.set"),
        ("香氛真好闻，调大一点", "scent.set"),
        ("turn on the seat massage", "massage.set"),
        ("put the driver's massage on medium", "massage.set"),
        ("把香氛调浓一点", "scent.set"),
        ("打开座椅按摩", "massage.set"),
        ("按摩强一点", "massage.set"),
    ],
)
def test_its_own_words_are_asked_about_and_set_nothing_else(router: TaggedRouter, text: str, name: str) -> None:
    decision = decide(router, text)
    assert isinstance(decision, AskBack) and decision.match is not None and decision.match.capability == name


@pytest.mark.parametrize(
    ("text", "done", "part"),
    [
        ("open my window and make the scent stronger", "windows.set_position", "make the scent stronger"),
        ("turn off the scent and open my window", "windows.set_position", "turn off the scent"),
        ("turn on the AC and the scent", "climate.switch", "the scent"),
        ("stronger scent and set the temperature to 20", "climate.set_temperature", "stronger scent"),
        ("关掉香氛，打开车窗", "windows.set_position", "关掉香氛"),
    ],
)
def test_the_rest_of_the_sentence_is_done(router: TaggedRouter, text: str, done: str, part: str) -> None:
    decision = decide(router, text)
    assert isinstance(decision, Calls) and [match.capability for match in decision.matches] == [done]
    (also,) = decision.also
    assert also.words == part and isinstance(also.decision, AskBack)
    assert also.decision.match is not None and also.decision.match.capability == "scent.set"


def test_a_question_about_it_is_answered_by_nothing_built_in(router: TaggedRouter) -> None:
    assert decide(router, "is the scent on?") == ChitChat("general")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("navigate to Scent Street", "navigation.set_destination"),
        ("remind me to buy a scent tomorrow at six", "reminder.set"),
        ("no massage please, just seat heating", "seats.set_heating"),
        ("turn down the music, the massage is nice", "media.change_volume"),
        ("打开座椅加热", "seats.set_heating"),
        ("set the scent to thirty percent", "scent.set"),
    ],
)
def test_what_is_only_named_takes_nothing_away(router: TaggedRouter, text: str, name: str) -> None:
    decision = decide(router, text)
    assert isinstance(decision, Calls) and [match.capability for match in decision.matches] == [name]


def test_what_is_not_wanted_is_not_asked_about(router: TaggedRouter) -> None:
    assert isinstance(decide(router, "don't touch the scent"), Nothing)


def test_its_own_words_are_those_that_no_built_in_skill_is_asked_for_with() -> None:
    assert own_words(SCENT) == {"scent", "香氛"}
    assert own_words(declare("fan", Percent, ("set the fan to {level}",), ("风量调到{level}",))) == frozenset()


def test_a_thing_that_nobody_knows() -> None:
    assert unknown_thing("turn the diffuser up", "en") == "diffuser"
    assert unknown_thing("turn the volume up", "en") == unknown_thing("turn the valume up", "en") == ""


def test_the_known_words_are_those_of_the_texts() -> None:
    tool = runpy.run_path(str(Path(__file__).parents[2] / "tools/known_words.py"))
    assert tool["known_words"]() == tool["TARGET"].read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("one", "text", "says"),
    [
        (SCENT, "set the scent to 300 percent", "It goes from 0 to 100 percent. How much?"),
        (SCENT, "set the scent to 30.5 percent", "It takes whole numbers only. It goes from 0 to 100 percent. How much?"),
        (SCENT, "香氛调到百分之三百", "可以是0%到100%。要多少？"),
        (SCENT, "香氛调到300%", "可以是0%到100%。要多少？"),
        (MASSAGE, "set the massage to nine", "It goes from 0 to 5. How much?"),
        (FRIDGE, "set the fridge to 2 degrees", "It goes from 14 to 30 degrees. How much?"),
        (TIMED, "run the ioniser for 30 minutes", "It goes from one second to ten minutes. How much?"),
    ],
)
def test_a_number_out_of_range_is_asked_about_with_its_limits(one: Skill, text: str, says: str) -> None:
    tried = try_words(text, [one])
    assert (tried.said, tried.outcome, tried.sent) == (says, Outcome.ASKS, ())


def test_the_answer_to_the_limits_completes_it() -> None:
    first = try_words("set the massage to nine", [MASSAGE])
    second = try_words("three", [MASSAGE], before=first)
    assert (second.capability, second.arguments, second.said) == ("massage.set", {"level": 3}, "Done.")
    assert try_words("eight", [MASSAGE], before=first).said == "It goes from 0 to 5. How much?"


def test_a_question_for_a_yes_names_the_values() -> None:
    assert try_words("make the perfume lemon", [PERFUME]).said == "Shall I set the perfume: lemon?"
    assert try_words("香水换柠檬", [PERFUME]).said == "要我调它，柠檬，对吗？"
    first = try_words("make the perfume lemon", [PERFUME])
    assert try_words("yes", [PERFUME], before=first).said == "Done."


def test_the_answer_may_be_of_an_argument_with_a_default() -> None:
    async def run(call: Call, level: Percent = 50) -> Spoken:
        return Spoken(f"{level}.")

    one = skill(
        "mist.set", description="Mist.", group="accessory", risk=Risk.COMFORT, motion=Motion.ANY, doing={"en": "mist"},
        says={"en": ("mist [at {level}]",)}, examples={"en": ("Mist.",)}, actuates=(LEVEL,),
    )(run)  # fmt: skip
    asked = Recent("mist.set", {}, Outcome.ASKS, 2_000)
    decision = Router(Registry([one])).decide("sixty percent", "en", Context(recent=(asked,)), Provenance.DRIVER)
    assert isinstance(decision, Calls) and decision.matches[0].arguments == {"level": 60}


def test_a_verb_that_no_built_in_skill_has_is_an_outside_skill_s_own() -> None:
    """ "Feed" is nothing that a car does; it is what a cat feeder does."""
    known = known_words()
    assert unknown_act("feed the cat", "en", known, 1.0)
    registry = builtin_registry()
    window = registry.get("windows.set_position")
    assert window is not None
    registry.register(replace(window, name="feeder.feed", examples={"en": ("Feed the cat.",), "zh": ("喂猫。",)}))
    own, call = OutsideWords(registry), Calls((Match("feeder.feed", 0.9),))
    assert own(call, "feed the cat", "en") == call
    assert own(Calls((Match("windows.set_position", 0.9),)), "feed the cat", "en") == ChitChat("unsupported")
