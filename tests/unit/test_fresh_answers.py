"""An answer about the car that had to wait is said as the car is then: as it was found while that is still so, else found anew."""

import asyncio
import tempfile
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ridealong.harness.delivery import MAX_RENEWALS
from ridealong.harness.harness import Harness
from ridealong.harness.journal import Journal
from ridealong.harness.registry import RegistrationError, Registry
from ridealong.harness.rest import DATED, Why
from ridealong.harness.router import Router
from ridealong.harness.runner import LoopClock
from ridealong.harness.skill import Call, Holds, Near, Spoken, Still
from ridealong.harness.snapshot import Evidence
from ridealong.harness.validity import NOW_MS, Validity, broken_condition
from ridealong.proto.types import Samples, SignalReading, SignalValue, SignalWrite, ms_from_samples
from ridealong.vehicle_skills import signals
from ridealong.vehicle_skills.builtin import builtin_registry
from ridealong.vehicle_skills.holding import PLACE_M, SLACK, Noted
from ridealong.vehicle_skills.navigation.gazetteer import PLACES
from ridealong.vehicle_skills.signals import (
    BATTERY_LEVEL,
    CABIN_TEMPERATURE,
    DISTANCE_UNIT,
    LATITUDE,
    LONGITUDE,
    OUTSIDE_TEMPERATURE,
    SIGNALS,
    SPEED,
    TOTAL_RANGE,
    TRUNK_OPEN,
    Kind,
    door_open,
    tyre_pressure,
    window_position,
)
from tests.unit.harness_scene import TEMPERATURE, FakeCar, Scene, play

pytestmark = pytest.mark.unit

WINDOW = window_position("Row1", "DriverSide")
CHARGERS = [place for place in PLACES if place.kind == "charging"]
KM = 1 / 111.2
"""A kilometre to the north, in degrees."""


class Drive(Scene):
    """The real skills and router; `reads` counts what was read of the car."""

    def __init__(self, folder: Path, registry: Registry | None = None) -> None:
        self.events, self.loaded = [], False
        self.car, self.evidence = FakeCar(), Evidence()
        self.journal = Journal(folder / "journal.sqlite")
        registry = registry or builtin_registry()
        self.harness = Harness(
            "s", registry, Router(registry), self.journal, self.car, LoopClock(), self.evidence, self.events.append, self.now
        )

    async def busy(self, seconds: float) -> None:
        """Somebody speaks."""
        for _ in range(int(seconds * 10)):
            assert self.boundary(free=False, quiet_ms=0) == []
            await asyncio.sleep(0.1)

    async def heard(self, seconds: float = 1.0) -> list[str]:
        """Nobody speaks: what is said meanwhile."""
        said = []
        for _ in range(int(seconds * 20)):
            for line in self.boundary():
                work_id, _, text = line.partition(": ")
                said.append(text)
                self.played(work_id, "started")
                self.played(work_id, "finished", text)
            await asyncio.sleep(0.05)
        return said

    def why(self, work_id: str = "s-w1") -> str:
        return self.harness.items[work_id].reason


def drive(folder: Path, script: Callable[[Drive], Awaitable[None]]) -> Drive:
    scene = Drive(folder)
    play(scene, script)
    return scene


@pytest.mark.parametrize(
    ("asked", "locale", "before", "after", "said"),
    [
        ("how fast are we going?", "en", {SPEED: 50.0}, {SPEED: 110.0}, "We're doing 110 kilometres per hour."),
        ("现在车速多少？", "zh", {SPEED: 50.0}, {SPEED: 110.0}, "现在车速每小时110公里。"),
        ("how fast are we going?", "en", {SPEED: 50.0}, {SPEED: 0.0}, "We're standing still."),
        ("how fast are we going?", "en", {}, {SPEED: 50.0}, "We're doing 50 kilometres per hour."),
        ("how fast are we going?", "en", {SPEED: 50.0}, {DISTANCE_UNIT: "MILES"}, "We're doing 31 miles per hour."),
        ("how much battery is left?", "en", {BATTERY_LEVEL: 50.0}, {BATTERY_LEVEL: 48.0}, "The battery is at 48 percent."),
        ("how far can we still go?", "en", {TOTAL_RANGE: 90_000}, {TOTAL_RANGE: 88_000}, "We have 88 kilometres of range left."),
        ("what's the temperature outside?", "en", {OUTSIDE_TEMPERATURE: 2.0}, {OUTSIDE_TEMPERATURE: -2.0}, "It's minus 2 degrees outside."),
        ("is the boot open?", "en", {TRUNK_OPEN: False}, {TRUNK_OPEN: True}, "The boot is open."),
        (
            "are any windows open?", "en",
            {window_position(row, side): 0 for row in signals.ROWS for side in signals.SIDES}, {WINDOW: 50}, "The driver's window is half open.",
        ),
    ],
)  # fmt: skip
def test_what_has_changed_meanwhile_is_said_as_it_is_now_and_once(
    tmp_path: Path,
    asked: str,
    locale: str,
    before: dict[str, object],
    after: dict[str, object],
    said: str,
) -> None:
    async def script(s: Drive) -> None:
        s.car.values |= before
        s.ask(asked, locale=locale)
        await s.busy(20)
        s.car.values |= after
        await s.busy(30)
        assert len(s.harness.items) == 1  # nothing is found anew before it can be said
        assert await s.heard() == [said]
        assert s.states() == {"w1": "completed/withdrawn", "w2": "completed/delivered"}
        assert (s.why(), s.harness.items["s-w2"].replaces, s.rejected()) == ("renewed", "s-w1", [])

    drive(tmp_path, script)


@pytest.mark.parametrize(
    ("asked", "before", "after"),
    [
        ("how fast are we going?", {SPEED: 50.0}, {SPEED: 52.0}),
        ("how fast are we going?", {SPEED: 50.0}, {SPEED: 50.0, BATTERY_LEVEL: 12.0}),  # of which nothing was said
        ("how much battery is left?", {BATTERY_LEVEL: 50.0}, {BATTERY_LEVEL: 49.6}),
        ("is the boot open?", {TRUNK_OPEN: False}, {TRUNK_OPEN: False}),
        ("how are the tyre pressures?", {tyre_pressure("Row1", "Left"): 250}, {tyre_pressure("Row1", "Left"): 246}),
    ],
)
def test_what_is_still_so_is_said_as_it_was_found(
    tmp_path: Path, asked: str, before: dict[str, object], after: dict[str, object]
) -> None:
    async def script(s: Drive) -> None:
        s.car.values |= before
        s.ask(asked)
        await s.busy(5)
        s.car.values |= after
        first = s.harness.items["s-w1"].reply
        await s.busy(30)
        assert await s.heard() == [first]
        assert s.states() == {"w1": "completed/delivered"}

    drive(tmp_path, script)


def test_what_changed_and_changed_back_is_said_as_it_was_found(tmp_path: Path) -> None:
    async def script(s: Drive) -> None:
        s.car.values |= {SPEED: 50.0}
        s.ask("how fast are we going?")
        await s.busy(5)
        s.car.values[SPEED] = 110.0
        await s.busy(5)
        s.car.values[SPEED] = 50.0
        assert await s.heard() == ["We're doing 50 kilometres per hour."] and len(s.harness.items) == 1

    drive(tmp_path, script)


@pytest.mark.parametrize(("km", "again"), [(0.1, False), (5.0, True)])
@pytest.mark.parametrize(("asked", "takes_s"), [("find the nearest charging station", 12.0), ("how far is the airport?", 0.0)])
def test_what_is_nearest_and_how_far_is_said_of_where_the_car_is(
    tmp_path: Path, asked: str, takes_s: float, km: float, again: bool
) -> None:
    here = CHARGERS[0]

    async def script(s: Drive) -> None:
        s.car.values |= {LATITUDE: here.latitude, LONGITUDE: here.longitude}
        s.ask(asked)
        await s.busy(takes_s + 1)
        first = s.harness.items["s-w1"].reply
        s.car.values[LATITUDE] = here.latitude + km * KM
        await s.busy(49 - takes_s)
        said = await s.heard(takes_s + 2)
        assert len(said) == 1 and (said != [first]) == again
        assert s.states()[f"w{1 + again}"] == "completed/delivered" and len(s.harness.items) == 1 + again

    drive(tmp_path, script)


def test_a_speed_that_keeps_changing_is_said_at_the_next_boundary(tmp_path: Path) -> None:
    async def script(s: Drive) -> None:
        s.car.values |= {SPEED: 50.0}
        s.ask("how fast are we going?")
        await s.busy(5)
        s.car.values[SPEED] = 80.0
        assert s.boundary() == []
        await asyncio.sleep(1)
        s.car.values[SPEED] = 95.0  # and goes on rising
        assert s.boundary() == ["s-w2: We're doing 80 kilometres per hour."]

    drive(tmp_path, script)


def test_where_it_can_never_be_said_in_time_it_is_said_as_of_a_moment_ago(tmp_path: Path) -> None:
    async def script(s: Drive) -> None:
        s.car.values |= {SPEED: 0.0}
        s.ask("how fast are we going?")
        await asyncio.sleep(2)
        said: list[str] = []
        for n in range(8):  # between finding it and saying it the speed has changed every time
            s.car.values[SPEED] = 10.0 * (n + 1)
            said += s.boundary()
            await asyncio.sleep(2)
        assert said == [f"s-w4: {DATED['en']}We're doing 30 kilometres per hour."]
        s.played("s-w4", "finished", said[0].partition(": ")[2])
        assert len(s.harness.items) == 1 + MAX_RENEWALS
        assert s.harness.items["s-w4"].heard == "We're doing 30 kilometres per hour."

    drive(tmp_path, script)


def test_an_answer_that_was_cut_by_a_lost_link_is_found_anew_and_offered_once_more_at_most(tmp_path: Path) -> None:
    async def script(s: Drive) -> None:
        s.car.values |= {SPEED: 50.0}
        s.ask("how fast are we going?")
        await asyncio.sleep(1)
        assert s.boundary() != []
        s.harness.playback("s-w1", "flushed", "We're doing", s.now(), Why.LINK)
        s.car.values[SPEED] = 90.0
        await asyncio.sleep(3)
        assert s.boundary() == []
        await asyncio.sleep(0.1)
        assert s.boundary() == ["s-w2: We're doing 90 kilometres per hour."]
        s.harness.playback("s-w2", "flushed", "", s.now(), Why.LINK)
        assert s.states()["w2"] == "completed/withdrawn"

    drive(tmp_path, script)


def test_an_open_question_and_what_a_bit_more_means_stay_what_they_were(tmp_path: Path) -> None:
    async def script(s: Drive) -> None:
        s.car.values |= {SPEED: 50.0}
        s.ask("how fast are we going?")
        await s.busy(5)
        s.ask("is the boot open?")
        await s.busy(2)
        before = [recent.capability for recent in s.harness.context().recent]
        s.car.values[SPEED] = 90.0
        assert len(await s.heard()) == 2
        assert [recent.capability for recent in s.harness.context().recent] == before == ["status.trunk", "status.speed"]

    drive(tmp_path, script)


def test_a_newer_version_that_the_user_asked_for_is_not_found_anew(tmp_path: Path) -> None:
    async def script(s: Drive) -> None:
        s.car.values |= {LATITUDE: CHARGERS[0].latitude, LONGITUDE: CHARGERS[0].longitude}
        s.ask("find the nearest charging station")
        await s.busy(13)
        s.ask("make it the cheapest instead")
        await s.busy(1)
        s.car.values[LATITUDE] = CHARGERS[0].latitude + 5 * KM
        await s.heard(16)
        searches = [item for item in s.harness.items.values() if item.capability == "navigation.charging_search"]
        assert [item.arguments["prefer"] for item in searches if item.delivery.value == "delivered"] == ["cheapest"]
        assert searches[0].reason != "renewed"

    drive(tmp_path, script)


def test_an_answer_that_something_was_done_with_is_not_contradicted(tmp_path: Path) -> None:
    async def script(s: Drive) -> None:
        s.car.values |= {LATITUDE: CHARGERS[0].latitude, LONGITUDE: CHARGERS[0].longitude}
        s.ask("find the nearest charging station and take me there")
        await s.busy(14)
        assert len(s.car.sent) == 1
        s.car.values[LATITUDE] = CHARGERS[0].latitude + 5 * KM
        said = await s.heard(16)
        assert len(said) == 1 and "avigat" in said[0] and len(s.harness.items) == 2
        assert (s.states()["w1"], s.why()) == ("completed/withdrawn", "invalid")

    drive(tmp_path, script)


def test_what_acts_is_done_once_however_it_has_changed(tmp_path: Path) -> None:
    async def set_it(call: Call) -> Spoken:
        await call.signals.actuate([SignalWrite(TEMPERATURE, 22.0)], group="climate")
        return Spoken("Set, at 50.", holds=Holds(still=(Still(SPEED, 50.0, 3.0, read=True),)))

    async def script(s: Scene) -> None:
        s.skills.known["act"] = replace(s.skills.known["act"], run=set_it)
        s.ask("act: x")
        await asyncio.sleep(5)
        s.car.values[SPEED] = 90.0
        assert s.boundary() == [] and s.states() == {"w1": "completed/withdrawn"}
        await asyncio.sleep(5)
        assert (len(s.car.sent), len(s.harness.items), s.harness.items["s-w1"].reason) == (1, 1, "invalid")

    play(Scene(tmp_path), script)
    acts = next(skill for skill in builtin_registry() if skill.actuates)
    with pytest.raises(RegistrationError, match="renewable"):
        Registry([replace(acts, renewable=True)])
    assert all(skill.read_only for skill in builtin_registry() if skill.renewable)
    answers = [skill.name for skill in builtin_registry() if skill.group == "status" and skill.name.startswith("status.")]
    assert answers and {*answers, "navigation.where_is", "navigation.charging_search", "navigation.eta"} == {
        skill.name for skill in builtin_registry() if skill.renewable
    }


# --- a reading that was made use of ------------------------------------------------------------------------------------


def test_every_slack_is_of_a_signal_with_numbers() -> None:
    assert all(slack > 0 and SIGNALS[path].type.value not in ("boolean", "string") for path, slack in SLACK.items())
    assert SLACK[SPEED] < 10 and SIGNALS[SPEED].kind is Kind.SENSOR


def test_what_was_read_is_what_an_answer_depends_on() -> None:
    values: dict[str, SignalValue] = {SPEED: 50.0, LATITUDE: 59.0, LONGITUDE: 18.0, TRUNK_OPEN: False}
    noted = Noted(lambda path: SignalReading(path, values[path], 40) if path in values else None)
    for path in (SPEED, DISTANCE_UNIT, LATITUDE, LONGITUDE, SPEED):
        noted(path)
    values[SPEED] = 60.0
    assert noted(SPEED) == SignalReading(SPEED, 50.0, 40)  # one sentence, one reading
    holds = noted.holds()
    assert holds.still == (Still(SPEED, 50.0, SLACK[SPEED], True), Still(DISTANCE_UNIT, None, 0.0, True))
    assert holds.near == (Near(LATITUDE, LONGITUDE, 59.0, 18.0, PLACE_M),)


def test_a_place_that_is_unknown_is_one_reading_like_any_other() -> None:
    noted = Noted(lambda path: SignalReading(path, 59.0) if path == LATITUDE else None)
    assert noted(LATITUDE) and noted(LONGITUDE) is None
    assert {still.path for still in noted.holds().still} == {LATITUDE, LONGITUDE} and noted.holds().near == ()


@pytest.mark.parametrize(
    ("latitude", "longitude", "broken"),
    [
        (59.0, 18.0, ""),
        (59.0 + 0.2 * KM, 18.0, ""),
        (59.0 + 0.4 * KM, 18.0, f"moved:{LATITUDE}"),
        (59.0, 18.0 + 0.4 * KM, ""),  # a degree of longitude is half as long there
        (59.0, 18.0 + 0.8 * KM, f"moved:{LATITUDE}"),
        (59.0, None, ""),
        (59.0, float("nan"), ""),
    ],
)
def test_place(latitude: float, longitude: float | None, broken: str) -> None:
    values = {LATITUDE: latitude, LONGITUDE: longitude}
    validity = Validity(near=(Near(LATITUDE, LONGITUDE, 59.0, 18.0, 300.0),))
    assert broken_condition(validity, 0, lambda path: SignalReading(path, values[path])) == broken


@pytest.mark.parametrize(
    ("still", "now", "since_ms", "broken"),
    [
        (Still("x", 50.0, 1.0, read=True), 60.0, 1_000, False),  # it drifts, and that was just now
        (Still("x", 50.0, 1.0, read=True), 60.0, 2_000, True),
        (Still("x", False, read=True), True, 10, True),  # what switches is as it is
        (Still("x", None, read=True), 60.0, 10, True),
        (Still("x", 50.0, 1.0), 60.0, 500, False),  # it was written: the reading may be from before
    ],
)
def test_from_when_on_a_reading_counts(still: Still, now: SignalValue, since_ms: float, broken: bool) -> None:
    found = broken_condition(Validity(still=(still,)), 0, lambda path: SignalReading(path, now, 0), since_ms)
    assert found == ("changed:x" if broken else "")


def test_the_journal_keeps_what_an_answer_depended_on(tmp_path: Path) -> None:
    async def script(s: Drive) -> None:
        s.car.values |= {LATITUDE: PLACES[0].latitude, LONGITUDE: PLACES[0].longitude}
        s.ask("how far is the airport?")
        await s.heard()

    scene = drive(tmp_path, script)
    kept = Journal(tmp_path / "journal.sqlite").item("s-w1")
    assert kept is not None and kept.validity == scene.harness.items["s-w1"].validity
    assert kept.validity.near and kept.validity.still == (Still(DISTANCE_UNIT, None, 0.0, True),)


# --- whatever happens meanwhile ------------------------------------------------------------------------------------------

QUESTIONS = {
    "how fast are we going?": (SPEED, st.floats(0, 200)),
    "how much battery is left?": (BATTERY_LEVEL, st.floats(0, 100)),
    "how warm is it in the car?": (CABIN_TEMPERATURE, st.floats(-10, 40)),
    "are any windows open?": (WINDOW, st.integers(0, 100)),
    "are all the doors closed?": (door_open("Row1", "DriverSide"), st.booleans()),
    "is the boot open?": (TRUNK_OPEN, st.booleans()),
}
STEP = st.one_of(
    st.tuples(st.just("ask"), st.sampled_from(sorted(QUESTIONS))),
    st.sampled_from(sorted(QUESTIONS)).flatmap(lambda asked: st.tuples(st.just(QUESTIONS[asked][0]), QUESTIONS[asked][1])),
    st.tuples(st.sampled_from(["busy", "wait", "free", "finish", "flush"]), st.floats(0.01, 4)),
)


@settings(max_examples=40, deadline=None)
@given(st.lists(STEP, max_size=40))
def test_no_answer_is_said_of_readings_that_have_moved(steps: list[tuple[str, SignalValue]]) -> None:
    async def script(s: Drive) -> None:
        s.car.values |= {SPEED: 50.0, BATTERY_LEVEL: 50.0, CABIN_TEMPERATURE: 20.0, WINDOW: 0, TRUNK_OPEN: False}
        speaking = ""

        def said(lines: list[str]) -> None:
            nonlocal speaking
            for line in lines:
                speaking, _, text = line.partition(": ")
                item = s.harness.items[speaking]
                assert item.done_at is not None
                old = ms_from_samples(Samples(s.now() - item.done_at)) > NOW_MS
                moved = [
                    still.path
                    for still in item.validity.still
                    if (old or not still.slack)
                    and not _near(still.value, s.car.values.get(still.path), SLACK.get(still.path, 0.0))
                ]
                assert not moved or text.startswith(DATED["en"]), (text, moved)

        for word, value in [*steps, ("wait", 1.0), ("finish", 0.1)]:
            match word:
                case "ask":
                    s.ask(str(value))
                case "busy" | "free":
                    said(s.boundary(free=word == "free"))
                case "finish" | "flush" if speaking:
                    item = s.harness.items[speaking]
                    s.harness.playback(speaking, f"{word}ed", item.reply, s.now(), Why.LINK)
                    speaking = ""
                case "wait" | "finish" | "flush":
                    assert isinstance(value, float)
                    await asyncio.sleep(value)
                case _:
                    s.car.values[word] = value
        await asyncio.sleep(1)
        asked = sum(not item.replaces for item in s.harness.items.values())
        assert len(s.harness.items) <= asked * (1 + MAX_RENEWALS)

    with tempfile.TemporaryDirectory() as folder:
        drive(Path(folder), script)


def _near(was: SignalValue | None, now: object, slack: float) -> bool:
    if isinstance(was, bool | str | None) or isinstance(now, bool | str | None):
        return now is None or was == now
    return isinstance(now, int | float) and abs(was - now) <= slack
