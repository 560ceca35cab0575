"""A setting like another place's: whose value is taken, for whom, from the driver's and the passenger's seat, and where it is asked for."""

from __future__ import annotations

from typing import Any

import pytest

from ridealong.harness.router import AskBack, Calls, Decision, Router
from ridealong.harness.skill import Context, Outcome, Provenance, Recent
from ridealong.harness.tagged import untagged
from ridealong.harness.tagged_router import TaggedRouter
from ridealong.proto.types import SignalValue
from ridealong.vehicle_skills import signals as vss
from ridealong.vehicle_skills.builtin import builtin_registry
from ridealong.vehicle_skills.commands import RecordingPort, car_at

pytestmark = pytest.mark.unit

ROUTER = TaggedRouter(Router(builtin_registry()), untagged)
MINE, HERS = "row1.driver", "row1.passenger"
SHOWN: dict[str, SignalValue] = {
    vss.set_temperature("Row1", "Driver"): 20.0, vss.set_temperature("Row1", "Passenger"): 24.0,
    vss.window_position("Row1", "DriverSide"): 10, vss.window_position("Row1", "PassengerSide"): 60,
}  # fmt: skip
AFTER_TEMPERATURE = Recent("climate.set_temperature", {"target": 24.0, "zone": HERS}, Outcome.COMPLETED, 4_000)
AFTER_WINDOW = Recent("windows.set_position", {"position": 60, "zone": HERS}, Outcome.COMPLETED, 4_000)


def decide(words: str, *recent: Recent, by: Provenance = Provenance.DRIVER, shown: dict[str, SignalValue] = SHOWN) -> Decision:
    read = RecordingPort({**car_at(0), **shown}, by).read
    context = Context(recent=recent, provenance=by, read=read)
    return ROUTER.decide(words, "zh" if ord(words[0]) > 0x3000 else "en", context, by)


def made(decision: Decision) -> list[tuple[str, dict[str, Any]]]:
    return [(one.capability, dict(one.arguments)) for one in decision.matches] if isinstance(decision, Calls) else []


def temperature(zone: str, target: float) -> list[tuple[str, dict[str, Any]]]:
    return [("climate.set_temperature", {"zone": zone, "target": target})]


@pytest.mark.parametrize(
    "words",
    [
        "match the passenger's temperature", "match the passenger's side", "same as the passenger", "same temperature as the passenger please", "my temperature same as the passenger's", "set mine to match the passenger",
        "give me the same as the passenger", "set my side to whatever the passenger's is", "copy the passenger's temperature", "can you make it the same as the passenger's side",
        "我这边跟副驾一样", "跟副驾一样", "调成跟副驾一样的温度", "我的温度和副驾保持一致", "我这边照副驾的来", "按副驾的温度给我调", "跟他那边一样就行",
    ],
)  # fmt: skip
def test_mine_like_the_passengers(words: str) -> None:
    assert made(decide(words)) == temperature(MINE, 24.0)


@pytest.mark.parametrize(
    "words",
    [
        "passenger's side same as mine", "make it the same as mine on the other side", "match my temperature on the passenger side", "set her side to mine", "match the driver's side",
        "副驾跟我一样", "让副驾的温度跟我的一致", "温度跟主驾保持一致", "同步副驾温度",
    ],
)  # fmt: skip
def test_the_passengers_like_mine(words: str) -> None:
    assert made(decide(words)) == temperature(HERS, 20.0)


def test_from_the_passengers_seat_mine_is_the_passengers() -> None:
    assert made(decide("make my side the same as the driver's", by=Provenance.PASSENGER)) == temperature(HERS, 20.0)
    assert made(decide("match his side", by=Provenance.PASSENGER)) == temperature(HERS, 20.0)


@pytest.mark.parametrize(("words", "zone", "position"), [
    ("put his window where mine is", HERS, 10), ("open my window as far as the passenger's", MINE, 60), ("close my window like his", MINE, 60), ("我的窗户开得跟副驾一样大", MINE, 60), ("副驾车窗和我的一样", HERS, 10),
])  # fmt: skip
def test_a_window_goes_where_the_other_one_is_and_not_all_the_way(words: str, zone: str, position: int) -> None:
    assert made(decide(words)) == [("windows.set_position", {"zone": zone, "position": position})]


@pytest.mark.parametrize("words", ["same as his", "make mine the same as hers", "跟他一样", "和她一样就好"])
def test_words_that_name_nothing_are_about_what_was_set_just_now(words: str) -> None:
    assert made(decide(words, AFTER_TEMPERATURE)) == temperature(MINE, 24.0)
    assert made(decide(words, AFTER_WINDOW)) == [("windows.set_position", {"zone": MINE, "position": 60})]
    assert made(decide(words)) == [] and not isinstance(decide(words), AskBack)


@pytest.mark.parametrize(
    "words",
    ["same with mine", "我也一样"],
)  # fmt: skip
def test_the_same_for_me_is_what_was_asked_for(words: str) -> None:
    assert made(decide(words, AFTER_WINDOW)) == [("windows.set_position", {"position": 60, "zone": MINE})]


@pytest.mark.parametrize("words", ["match the passenger's temperature", "我这边跟副驾一样"])
def test_what_the_car_has_not_shown_is_asked_for(words: str) -> None:
    decision = decide(words, shown={vss.set_temperature("Row1", "Passenger"): None})  # type: ignore[dict-item]
    assert isinstance(decision, AskBack) and decision.match is not None and decision.match.missing == ("target",)


@pytest.mark.parametrize(
    "words",
    [
        "he's the same as his dad", "I'm the same as him really", "same as usual", "same as before", "is my temperature the same as the passenger's", "her seat heating like mine", "I like what she has on her seat",
        "我跟他一样大", "他们长得跟我一样", "和平时一样", "跟昨天一样", "他跟我一样喜欢吃辣", "副驾的温度跟我一样吗",
    ],
)  # fmt: skip
def test_other_likeness_sets_nothing(words: str) -> None:
    assert [name for name, _ in made(decide(words)) if not name.startswith("status.")] == []
