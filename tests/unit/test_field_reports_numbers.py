"""Field reports, section H: numbers, units, names. One test a report, on its own input, from the words to what the car is told and what is said."""

from __future__ import annotations

import asyncio
import math
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ridealong.device.vehicle.confirm import goal_of, near
from ridealong.harness.requests import normal
from ridealong.harness.router import AskBack, Calls
from ridealong.harness.skill import Call, Provenance, Spoken
from ridealong.harness.slots import render
from ridealong.harness.slots.number import find_numbers
from ridealong.harness.slots.percent import find_percent
from ridealong.harness.slots.temperature import Target, as_target, celsius_from_fahrenheit, find_temperatures
from ridealong.harness.slots.text import plain
from ridealong.proto.types import SignalValue, SignalWrite
from ridealong.vehicle_skills import signals as vss
from ridealong.vehicle_skills.navigation.gazetteer import find
from ridealong.vehicle_skills.policy import CarState as State
from ridealong.vehicle_skills.policy import PolicyRequest, decide
from ridealong.vehicle_skills.pretended import NoWaiting, RecordingPort, car_at

from .understanding import ROUTER, context

pytestmark = pytest.mark.unit

DRIVER = vss.set_temperature("Row1", "Driver")
PASSENGER = vss.set_temperature("Row1", "Passenger")
UNIT = vss.TEMPERATURE_UNIT


def car(speed_kmh: float = 0.0, **changed: SignalValue) -> RecordingPort:
    return RecordingPort(
        car_at(speed_kmh) | {name.replace("__", "."): value for name, value in changed.items()}, Provenance.DRIVER
    )


def ask(text: str, locale: str, port: RecordingPort) -> str:
    """What is said to the words; what the car was told is in `port.sent`."""
    values = {name.replace(".", "__"): value for name, value in port.values.items()}
    decision = ROUTER.decide(text, locale, context(**values), Provenance.DRIVER)
    if isinstance(decision, AskBack):
        return decision.question
    assert isinstance(decision, Calls), decision

    async def run() -> list[Spoken]:
        said = []
        for match in decision.matches:
            skill = ROUTER.registry.get(match.capability)
            assert skill is not None
            said.append(await skill.run(Call("w", text, text, locale, Provenance.DRIVER, match.arguments, port, NoWaiting())))
        return said

    return " ".join(spoken.text for spoken in asyncio.run(run()))


def told(port: RecordingPort) -> list[tuple[str, SignalValue]]:
    return [(write.path, write.value) for batch in port.sent for write in batch]


# --- number words ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "locale", "value"),
    [
        ("set the temperature to twenty-two and a half", "en", 22.5),
        ("set the temperature to 17,5 degrees", "en", 17.5),
        ("把温度调到二十二度半", "zh", 22.5),
        ("把温度调到二十二度五", "zh", 22.5),
        ("空调调到廿五度", "zh", 25.0),
    ],
)
def test_number_words_reach_the_car_and_the_sentence_is_made_from_what_was_set(text: str, locale: str, value: float) -> None:
    port = car()
    said = ask(text, locale, port)
    assert told(port) == [(DRIVER, value)]
    heard = find_temperatures(said, locale) or find_numbers(said, locale)
    assert [number.value for number in heard] == [value], said
    assert "{" not in said and "None" not in said and "nan" not in said.casefold()


@pytest.mark.parametrize(
    ("text", "locale"),
    [
        ("set the temperature to sixty six", "en"),
        ("set the temperature to 66", "en"),
        ("set the temperature to minus five", "en"),
        ("把温度调到零下五度", "zh"),
        ("把温度调到两度", "zh"),
    ],
)
def test_what_no_cabin_can_have_is_asked_about_and_not_set(text: str, locale: str) -> None:
    """66 is 66, not 266; minus five is not five; two degrees is two, and no car can do it."""
    port = car()
    said = ask(text, locale, port)
    assert told(port) == [] and said.rstrip().endswith(("?", "？", ".", "。")), said


def test_a_place_with_a_number_in_its_name_is_no_number() -> None:
    assert find_numbers("导航到三里屯", "zh") == ()
    percent = find_percent("百分之三十", "zh")
    assert percent is not None and percent.value == 30


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, None])
def test_nan_and_none_never_reach_an_actuator(value: float | None) -> None:
    """Neither from a skill past the policy, nor into a sentence."""
    car_state = State.read(RecordingPort(car_at(0.0), Provenance.DRIVER).read)
    request = PolicyRequest("climate", Provenance.DRIVER, car_state, writes=(SignalWrite(DRIVER, value),))  # type: ignore[arg-type]
    assert not decide(request).allowed
    with pytest.raises((ValueError, TypeError)):
        render.temperature(value, "en")  # type: ignore[arg-type]


# --- units and sides --------------------------------------------------------------------------------------------------------


def test_72_is_fahrenheit_in_a_fahrenheit_car_and_a_question_in_a_celsius_car() -> None:
    port = car(**{UNIT.replace(".", "__"): "F"})
    assert ask("set it to 72", "en", port) == "Set to 72 degrees."
    assert told(port) == [(DRIVER, 22.2)]
    port = car()
    assert ask("set it to 72", "en", port).endswith("?") and told(port) == []


def test_a_temperature_is_never_said_in_the_other_unit() -> None:
    """21 °C arrived as 70, and somebody said "the floor heating goes to 70 °C"."""
    for unit, value in (("C", 21.0), ("F", 21.0)):
        port = car(**{UNIT.replace(".", "__"): unit, DRIVER.replace(".", "__"): value})
        said = ask("what temperature is it set to", "en", port)
        numbers = [number.value for number in find_numbers(said, "en")]
        assert numbers == [{"C": 21, "F": 70}[unit]], said


def test_named_fahrenheit_in_a_celsius_car_is_converted_once() -> None:
    port = car()
    said = ask("set the temperature to 68 fahrenheit", "en", port)
    assert told(port) == [(vss.set_temperature("Row1", "Driver"), 20.0)] or "already" in said
    port = car(**{DRIVER.replace(".", "__"): 25.0})
    ask("set the temperature to 68 fahrenheit", "en", port)
    assert told(port) == [(DRIVER, 20.0)]


@pytest.mark.parametrize("celsius", [19.5, 22.5])
def test_half_degrees_survive_fahrenheit_and_back(celsius: float) -> None:
    """What is shown in Fahrenheit is set again to the same step of the car."""
    shown = render.temperature(celsius, "en", "F")
    (found,) = find_temperatures(shown, "en")
    target = as_target(found, "F", "en")
    assert isinstance(target, Target) and abs(target.celsius - celsius) <= 0.33  # half a Fahrenheit step, and rounding to a tenth
    assert render.temperature(target.celsius, "en", "F") == shown
    (found,) = find_temperatures(render.temperature(celsius, "en", "C"), "en")
    assert as_target(found, "C", "en") == Target(celsius, found.words)


@settings(max_examples=60, deadline=None)
@given(st.integers(61, 83))
def test_no_step_is_skipped_on_the_way(degrees: int) -> None:
    """65 was skipped by rounding there and back: one up and one down is where it was, for every step."""
    down = as_target(find_temperatures(f"{degrees - 1} degrees", "en")[0], "F", "en")
    up = as_target(find_temperatures(f"{degrees} degrees", "en")[0], "F", "en")
    assert isinstance(down, Target) and isinstance(up, Target)
    assert up.celsius > down.celsius and abs(up.celsius - celsius_from_fahrenheit(degrees)) <= 0.06
    assert (render.temperature(down.celsius, "en", "F"), render.temperature(up.celsius, "en", "F")) == (
        f"{degrees - 1} degrees",
        f"{degrees} degrees",
    )


@pytest.mark.parametrize(("unit", "words"), [("KILOMETERS_PER_HOUR", "30"), ("MILES_PER_HOUR", "19")])
def test_a_speed_has_its_unit_from_end_to_end(unit: str, words: str) -> None:
    """30 km/h was shown as 30 mph."""
    said = render.speed(30.0, "en", unit)
    assert [round(number.value) for number in find_numbers(said, "en")] == [int(words)]
    assert ("mile" in said or "mph" in said) is (unit == "MILES_PER_HOUR")


@pytest.mark.parametrize("drive", ["LEFT", "RIGHT"])
def test_the_drivers_seat_is_the_drivers_on_either_side_of_the_channel(drive: str) -> None:
    """Asked for the right seat, the left one was heated: sides are roles, and left and right depend on the car."""
    own, other = ("left", "right") if drive == "LEFT" else ("right", "left")
    port = car(40, Vehicle__Cabin__DriverPosition=drive)
    ask(f"open the {own} window", "en", port)
    ask(f"open the {other} window", "en", port)
    assert [path for path, _ in told(port)][:1] == [vss.window_position("Row1", "DriverSide")]
    assert [path for path, _ in told(port)][-1:] == [vss.window_position("Row1", "PassengerSide")]
    port = car(Vehicle__Cabin__DriverPosition=drive)
    ask("set the driver's side to 22 degrees", "en", port)
    assert told(port) == [(DRIVER, 22.0)]


@pytest.mark.parametrize(("position", "closed"), [(0, True), (1, False), (5, False), (100, False)])
def test_a_vented_window_is_not_closed(position: int, closed: bool) -> None:
    """`Open: 0, OpenLevel: 1` was taken for closed: closed is the closed end and nothing else."""
    port = car(**{vss.window_position("Row1", "DriverSide").replace(".", "__"): position})
    said = ask("is my window open", "en", port)
    assert ("closed" in said) is closed, said
    assert told(port) == []


def test_a_window_is_confirmed_closed_only_at_the_closed_end() -> None:
    goal = goal_of(SignalWrite(vss.window_position("Row1", "DriverSide"), 0))
    assert [near(goal.target, position, goal.tolerance) for position in (0, 1, 3)] == [True, False, False]
    half = goal_of(SignalWrite(vss.window_position("Row1", "DriverSide"), 50))
    assert near(half.target, 52, half.tolerance), "within the actuator's tolerance otherwise"
    port = car(**{vss.window_position("Row1", "DriverSide").replace(".", "__"): 1})
    assert "already" not in ask("close my window", "en", port)
    assert told(port) == [(vss.window_position("Row1", "DriverSide"), 0)]


def test_names_are_the_same_however_they_are_written() -> None:
    """NFC and NFD, capitals and full-width letters name one place: compared as the lookups compare."""
    found = set()
    for form in ("NFC", "NFD"):
        for text in (
            "Navigate to Caf\u00e9 Z\u00fcrich",
            "navigate to CAF\u00c9 Z\u00dcRICH",
            "navigate to \uff43af\u00e9 z\u00fcrich",
        ):
            decision = ROUTER.decide(unicodedata.normalize(form, text), "en", context(), Provenance.DRIVER)  # type: ignore[arg-type]
            assert isinstance(decision, Calls)
            found.add(tuple(sorted((name, plain(str(value), "en")) for name, value in decision.matches[0].arguments.items())))
    assert len(found) == 1
    assert len({normal(unicodedata.normalize(form, "Caf\u00e9 Z\u00dcRICH!")) for form in ("NFC", "NFD", "NFKD")}) == 1  # type: ignore[arg-type]
    assert find(unicodedata.normalize("NFD", "The Harbour")) is find("\uff28ARBOUR") is not None
