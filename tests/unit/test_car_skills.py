"""Car skills run against a car: what they send, and that they say only what the car confirmed."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest

from ridealong.harness.router import Calls
from ridealong.harness.skill import Call, Confirmation, Outcome, Provenance, Spoken, Verdict
from ridealong.proto.types import ActuationResult, ActuationState, Precondition, SignalReading, SignalValue, SignalWrite
from ridealong.vehicle_skills import signals as vss
from ridealong.vehicle_skills.lint import lint
from ridealong.vehicle_skills.pretended import NoWaiting, RecordingPort, car_at

from .understanding import ROUTER, context, decide

pytestmark = pytest.mark.unit

DRIVER_TEMPERATURE = vss.set_temperature("Row1", "Driver")


@dataclass
class StubbornCar:
    """Accepts every request and ends it as it is told."""

    state: ActuationState
    values: dict[str, SignalValue]
    reason: str = ""
    sent: list[tuple[SignalWrite, ...]] = field(default_factory=list)

    def read(self, path: str) -> SignalReading | None:
        return SignalReading(path, self.values[path]) if path in self.values else None

    def check(self, group: str, confirmation: Confirmation) -> Verdict:
        return Verdict(True)

    async def actuate(
        self,
        writes: Sequence[SignalWrite],
        *,
        group: str,
        confirmation: Confirmation = Confirmation.NONE,
        confirm_within_ms: int = 5_000,
        preconditions: Sequence[Precondition] = (),
    ) -> ActuationResult:
        self.sent.append(tuple(writes))
        observed = tuple(SignalReading(w.path, self.values[w.path]) for w in writes if w.path in self.values)
        return ActuationResult("k", self.state, self.reason, observed)


def run(text: str, port: RecordingPort | StubbornCar, locale: str = "en") -> list[Spoken]:
    values = {name.replace(".", "__"): value for name, value in port.values.items()}
    decision = ROUTER.decide(text, locale, context(**values), Provenance.DRIVER)
    assert isinstance(decision, Calls), decision

    async def all_calls() -> list[Spoken]:
        spoken = []
        for match in decision.matches:
            skill = ROUTER.registry.get(match.capability)
            assert skill is not None
            spoken.append(await skill.run(Call("w", text, text, locale, Provenance.DRIVER, match.arguments, port, NoWaiting())))
        return spoken

    return asyncio.run(all_calls())


def car(speed_kmh: float = 0.0, **changed: SignalValue) -> RecordingPort:
    return RecordingPort(
        car_at(speed_kmh) | {name.replace("__", "."): value for name, value in changed.items()}, Provenance.DRIVER
    )


def test_a_set_temperature_is_said_as_committed() -> None:
    port = car(100)
    assert [s.text for s in run("set it to twenty-two and a half", port)] == ["Set to 22.5 degrees."]
    assert port.sent == [(SignalWrite(DRIVER_TEMPERATURE, 22.5),)]
    assert [s.text for s in run("把温度调到二十二度半", car(), "zh")] == ["已设为22.5度。"]


def test_the_sentence_is_in_the_display_unit_and_the_write_in_celsius() -> None:
    port = car(Vehicle__Cabin__Infotainment__HMI__TemperatureUnit="F")
    assert run("set it to 72", port)[0].text == "Set to 72 degrees."
    assert port.sent == [(SignalWrite(DRIVER_TEMPERATURE, 22.2),)]


def test_what_is_already_so_is_not_sent() -> None:
    port = car()
    assert run("set the temperature to twenty", port)[0].text == "It's already at 20 degrees."
    assert "already closed" in run("close the driver's window", port)[0].text
    assert port.sent == []


@pytest.mark.parametrize(
    ("state", "outcome", "words"),
    [
        (ActuationState.TIMED_OUT, Outcome.UNKNOWN, "hasn't confirmed it; it shows 18 degrees"),
        (ActuationState.CONTRADICTED, Outcome.FAILED, "did something else; it shows 18 degrees"),
        (ActuationState.REFUSED, Outcome.REFUSED, "no car is connected"),
        (ActuationState.FORWARDED, Outcome.UNKNOWN, "hasn't confirmed it"),
    ],
)
def test_done_is_never_said_without_confirmation(state: ActuationState, outcome: Outcome, words: str) -> None:
    port = StubbornCar(state, {DRIVER_TEMPERATURE: 18.0}, "no_vehicle" if state is ActuationState.REFUSED else "")
    (spoken,) = run("set it to 22.5 degrees", port)
    assert spoken.outcome is outcome and words in spoken.text
    assert not spoken.text.startswith("Set to")


def test_a_confirmed_value_is_the_observed_one() -> None:
    port = StubbornCar(ActuationState.CONFIRMED, {DRIVER_TEMPERATURE: 22.0})
    assert run("set it to 22.5 degrees", port)[0].text == "Set to 22 degrees."


def test_an_unconfirmed_reading_that_does_not_exist_is_said_to_be_missing() -> None:
    (spoken,) = run("set it to 22.5 degrees", StubbornCar(ActuationState.TIMED_OUT, {}))
    assert "shows no value" in spoken.text


def test_one_named_window_by_a_named_amount() -> None:
    port = car(40)
    assert run("open the rear left window halfway", port)[0].text == "The rear left window is now half open."
    assert port.sent == [(SignalWrite(vss.window_position("Row2", "DriverSide"), 50),)]


def test_rear_left_is_another_window_on_the_other_side_of_the_channel() -> None:
    port = car(Vehicle__Cabin__DriverPosition="RIGHT")
    assert "rear left window" in run("open the rear left window halfway", port)[0].text
    assert port.sent == [(SignalWrite(vss.window_position("Row2", "PassengerSide"), 50),)]


def test_windows_are_refused_at_speed() -> None:
    port = car(110)
    (spoken,) = run("open the window", port)
    assert (spoken.outcome, spoken.reason, port.sent) == (Outcome.REFUSED, "too_fast", [])


def test_the_boot_stays_shut_while_moving_and_says_why() -> None:
    port = car(62)
    (spoken,) = run("open the boot", port)
    assert (spoken.text, spoken.reason, port.sent) == ("I can't open the boot while we're moving.", "moving", [])
    assert run("打开后备箱", car(62), "zh")[0].text == "行驶中不能打开后备箱。"


@pytest.mark.parametrize("reason", ["journal", "not_durable"])
def test_a_full_disk_is_not_blamed_on_the_car(reason: str) -> None:
    full = StubbornCar(ActuationState.REFUSED, car().values, reason)
    (spoken,) = run("open the window", full)
    assert (spoken.outcome, spoken.reason) == (Outcome.REFUSED, reason)
    assert spoken.text == "I can't write down what I do just now, so I won't open the driver's window."
    assert "没法记录" in run("打开车窗", full, "zh")[0].text


def test_the_boot_opens_only_after_a_yes_to_our_question() -> None:
    port = car()
    (spoken,) = run("open the boot", port)
    assert (spoken.outcome, spoken.text, port.sent) == (Outcome.ASKS, "Shall I open the boot?", [])
    skill = ROUTER.registry.get("trunk.open")
    assert skill is not None

    async def confirmed() -> Spoken:
        return await skill.run(Call("w", "yes", "yes", "en", Provenance.DRIVER, {"confirmed": True}, port, NoWaiting()))

    assert asyncio.run(confirmed()).text == "The boot is open."
    assert port.sent == [(SignalWrite(vss.TRUNK_OPEN, True),)]


def test_a_destination_is_one_batch_and_an_unknown_place_is_none() -> None:
    port = car(50)
    assert run("take me to the airport", port)[0].text.startswith("Navigating to the airport")
    assert [[w.path for w in batch] for batch in port.sent] == [[vss.DESTINATION_LATITUDE, vss.DESTINATION_LONGITUDE]]
    (spoken,) = run("navigate to Blackwood Castle", port)
    assert (spoken.text, spoken.reason) == ("I can't find blackwood castle in my places.", "unknown_place")
    assert len(port.sent) == 1
    assert run("导航到三里屯", car(), "zh")[0].text == "在我的地点里找不到三里屯。"


def test_the_nearest_charging_station_is_the_nearest() -> None:
    near_the_lake = car(Vehicle__CurrentLocation__Latitude=48.088, Vehicle__CurrentLocation__Longitude=11.578)
    assert "Lakeside" in run("navigate to the nearest charging station", near_the_lake)[0].text


def test_nothing_is_the_nearest_where_nobody_knows_where_the_car_is() -> None:
    assert run("find the nearest charging station", car())[0].text.startswith("I don't know where we are")
    spoken = run("搜索最近的充电站", car(), "zh")[0]
    assert spoken.text.startswith("我不知道我们在哪里") and spoken.outcome is Outcome.REFUSED
    assert "cheapest is Lakeside" in run("find the cheapest charging station", car())[0].text


def test_the_charging_search_takes_its_time() -> None:
    clock = NoWaiting()
    skill = ROUTER.registry.get("navigation.charging_search")
    assert skill is not None

    async def search() -> Spoken:
        return await skill.run(Call("w", "", "", "en", Provenance.DRIVER, {"prefer": "cheapest"}, car(), clock))

    assert "the cheapest is Lakeside" in asyncio.run(search()).text
    assert clock.now_ms() == 12_000


def test_answers_come_from_readings_and_unknown_is_said() -> None:
    port = car(62)
    assert run("how fast are we going?", port)[0].text == "We're doing 62 kilometres per hour."
    assert run("how much battery is left?", port)[0].text == "I have no reading of the battery or the fuel."
    port.values[vss.BATTERY_LEVEL] = 64.0
    assert run("how much battery is left?", port)[0].text == "The battery is at 64 percent."
    port.values[vss.window_position("Row2", "DriverSide")] = 30
    assert run("is the rear left window open?", port)[0].text == "The rear left window is 30 percent open."
    assert run("are the windows closed?", port)[0].text == "The rear left window is 30 percent open."
    assert port.sent == []


def test_an_old_reading_is_said_to_be_old() -> None:
    from ridealong.vehicle_skills.status import plan

    assert (
        plan.outside(lambda path: SignalReading(path, 8.0, 40_000), "en", "") == "It's 8 degrees outside, as of 40 seconds ago."
    )


def test_relative_needs_the_present_setting() -> None:
    port = car()
    assert run("make it two degrees warmer", port)[0].text == "Set to 22 degrees."
    del port.values[DRIVER_TEMPERATURE]
    assert run("make it two degrees warmer", port)[0].outcome is Outcome.ASKS


def test_a_nan_never_reaches_an_actuator() -> None:
    port = car()
    port.values[DRIVER_TEMPERATURE] = float("nan")
    assert run("make it a bit warmer", port)[0].outcome is Outcome.ASKS
    assert port.sent == []


def test_no_car_no_claim() -> None:
    from ridealong.harness.skill import NoSignals

    decision = decide("open the window", "en")
    assert isinstance(decision, Calls)
    skill = ROUTER.registry.get(decision.matches[0].capability)
    assert skill is not None

    async def go() -> Spoken:
        return await skill.run(
            Call("w", "", "", "en", Provenance.DRIVER, decision.matches[0].arguments, NoSignals(), NoWaiting())
        )

    assert asyncio.run(go()) == Spoken("I can't open the driver's window: no car is connected.", Outcome.REFUSED, "no_vehicle")


def test_the_built_in_skills_pass_their_own_lint() -> None:
    assert lint(ROUTER.registry) == []
