"""A value that a model wrote is taken only where the words, a default, the car or a reading says it."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ridealong.harness.agent.grounding import Argument, Cabin, Sources, ground, missing_zone
from ridealong.harness.agent.honesty import claims, in_language, speakable
from ridealong.harness.registry import grounding_problems
from ridealong.harness.skill import Outcome, Provenance, Recent
from ridealong.harness.slots.onoff import find_on_off
from ridealong.harness.slots.zone import ZONES
from ridealong.proto.types import SignalReading
from ridealong.vehicle_skills.builtin import builtin_registry

pytestmark = pytest.mark.unit
CELSIUS = {"type": "number", "minimum": 14, "maximum": 30, "description": "degrees Celsius"}
CHANGE = {"type": "number", "minimum": -10, "maximum": 10, "description": "degrees Celsius"}
PERCENT = {"type": "integer", "minimum": 0, "maximum": 100, "description": "percent, 0 closed, 100 open"}
SECONDS = {"type": "integer", "minimum": 1, "maximum": 14_400}
PLAIN = {"type": "integer", "minimum": 0, "maximum": 1_000}
ZONE = {"type": "string", "enum": list(ZONES)}
THING = {"type": "string", "enum": ["air_conditioning", "rear_defroster"]}
ON = {"type": "boolean"}
NAME = {"type": "string"}
LEFT = Cabin(drive_side=lambda read: "LEFT")
FAHRENHEIT = Cabin(unit=lambda read: "F")


def found(name: str, value: object, entry: dict[str, Any], words: str, locale: str = "en", quote: str = "", acts: bool = True, **known: Any) -> str | None:  # fmt: skip
    known.setdefault("cabin", LEFT)
    told = ground(Argument(name, value, entry, quote, known.pop("reads", ()), acts), Sources(words, locale, **known))
    if told is not None:  # whatever is a ground here is one to the registry, too
        assert grounding_problems({name: value}, {name: told}, words, locale) == []
    return told


@pytest.mark.parametrize(
    ("name", "value", "entry", "words", "locale"),
    [
        ("target", 22.5, CELSIUS, "I'd be happy at twenty-two and a half", "en"),
        ("target", 22.5, CELSIUS, "二十二度半就舒服了", "zh"),
        ("delta", -2, CHANGE, "two degrees cooler for everybody", "en"),
        ("delta", 3, CHANGE, "再高三度", "zh"),
        ("position", 30, PERCENT, "let in air, thirty percent", "en"),
        ("position", 33, PERCENT, "a third of the way", "en"),
        ("position", 0, PERCENT, "shut it all", "en"),
        ("position", 50, PERCENT, "一半", "zh"),
        ("duration_s", 300, SECONDS, "wake me in five minutes", "en"),
        ("duration_s", 1800, SECONDS, "半小时以后叫我", "zh"),
        ("count", 4, PLAIN, "four of them", "en"),
        ("zone", "row2.passenger", ZONE, "the rear right one", "en"),
        ("zone", "row2.driver", ZONE, "左后", "zh"),
        ("on", True, ON, "switch the thing on", "en"),
        ("on", False, ON, "把它关掉", "zh"),
        ("thing", "rear_defroster", THING, "the rear defroster", "en"),
        ("place", "city hall", NAME, "somewhere near City Hall", "en"),
        ("place", "gate B12", NAME, "gate b twelve", "en"),
        ("place", "市政厅", NAME, "市政厅附近", "zh"),
    ],
)
def test_what_the_words_say(name: str, value: object, entry: dict[str, Any], words: str, locale: str) -> None:
    assert found(name, value, entry, words, locale)


@pytest.mark.parametrize(
    ("name", "value", "entry", "words", "locale"),
    [
        ("target", 21, CELSIUS, "make it cosy", "en"),
        ("target", 22.2, CELSIUS, "set it to 72", "en"),  # in a Celsius car: nobody converts by guess
        ("target", 20, CELSIUS, "set it to 20 percent", "en"),
        ("delta", 2, CHANGE, "two degrees cooler", "en"),  # the sign is theirs, too
        ("delta", -1.5, CHANGE, "a bit cooler", "en"),
        ("position", 40, PERCENT, "open it a third", "en"),
        ("position", 100, PERCENT, "open it a third", "en"),
        ("position", 0, PERCENT, "close it to twenty percent", "en"),
        ("position", 100, PERCENT, "how is the weather", "en"),
        ("duration_s", 5, SECONDS, "five minutes", "en"),
        ("duration_s", 600, SECONDS, "in a while", "en"),
        ("zone", "row1.driver", ZONE, "the passenger window", "en"),
        ("zone", "all", ZONE, "open up", "en"),
        ("on", True, ON, "turn it off", "en"),
        ("on", True, ON, "do not switch it on", "en"),
        ("thing", "rear_defroster", THING, "the air conditioning", "en"),
        ("place", "the airport", NAME, "somewhere nice", "en"),
        ("place", "port", NAME, "the airport", "en"),
        ("target", math.nan, CELSIUS, "twenty", "en"),
        ("target", math.inf, CELSIUS, "twenty", "en"),
        ("target", None, CELSIUS, "twenty", "en"),
        ("place", ["a"], NAME, "a", "en"),
    ],
)
def test_what_nobody_said(name: str, value: object, entry: dict[str, Any], words: str, locale: str) -> None:
    assert found(name, value, entry, words, locale) is None


def test_the_cars_units_and_sides() -> None:
    assert found("target", 22.2, CELSIUS, "make it 72", cabin=FAHRENHEIT)
    assert found("zone", "row1.passenger", ZONE, "the left one", cabin=Cabin(drive_side=lambda read: "RIGHT"))
    assert found("zone", "row1.driver", ZONE, "the left one", cabin=Cabin()) is None  # nobody knows where the driver sits


def test_the_speakers_own_place_where_none_was_named() -> None:
    assert found("zone", "row1.driver", ZONE, "let some air in") == "default:row1.driver"
    assert found("zone", "row1.driver", ZONE, "let some air in", provenance=Provenance.PASSENGER) is None
    assert missing_zone(ZONE, Sources("let some air in", "en", Provenance.PASSENGER)) == "row1.passenger"
    assert missing_zone(ZONE, Sources("for the rear seats", "en")) is None and missing_zone(THING, Sources("x", "en")) is None


def test_a_quote_counts_only_for_choices_and_only_where_it_was_said() -> None:
    words = "the glass behind me is all fogged up"
    assert found("thing", "rear_defroster", THING, words, quote="fogged up") == "fogged up"
    for quote in ("", "fog lights", "the", "it is"):
        assert found("thing", "rear_defroster", THING, words, quote=quote) is None
    assert found("target", 25, CELSIUS, words, quote="fogged up") is None
    assert found("on", True, ON, "switch it off", quote="switch it off") is None
    assert found("every_time", True, ON, "tell me when it is open") is None  # being open is no "every time"
    assert found("every_time", True, ON, "tell me whenever it is open", quote="whenever")


def test_what_is_known_counts_for_an_act_only_where_the_words_point_to_it() -> None:
    row = "Vehicle.Cabin.HVAC.Station.Row1.Driver.Temperature"
    known: dict[str, Any] = {"signals": (SignalReading(row, 21.5),), "reads": ("Vehicle.Cabin.HVAC.Station.Row1.*.Temperature",)}
    assert found("target", 21.5, CELSIUS, "the same for the passenger", **known) == f"signal:{row}"
    assert found("target", 21.5, CELSIUS, "make it cosy", **known) is None
    assert found("target", 21.5, CELSIUS, "the same for the passenger", signals=known["signals"]) is None  # none of its own
    recent = (Recent("climate.set_temperature", {"target": 19, "place": "city hall"}, Outcome.COMPLETED, 3_000),)
    assert found("target", 19, CELSIUS, "back to what it was", recent=recent) == "context:recent"
    assert found("place", "city hall", NAME, "how far is that", acts=False, recent=recent) == "context:recent"
    assert found("place", "Shell", NAME, "take me there", heard=("The nearest is Shell.",)) == "context:talk"
    assert found("place", "Shell", NAME, "take me away", heard=("The nearest is Shell.",)) is None
    assert found("target", 19, CELSIUS, "as warm as outside", results=("It's 19 degrees outside.",)) == "context:result"


def test_a_declared_default() -> None:
    assert found("count", 3, PLAIN | {"default": 3}, "some") == "default:declared"


@given(st.floats(min_value=14, max_value=30), st.sampled_from(["make it nice", "how warm is it", "车里有点闷", "it is stuffy"]))
def test_no_number_out_of_the_air(value: float, words: str) -> None:
    assert found("target", round(value, 1), CELSIUS, words, "zh" if words[0] > "z" else "en") is None


@pytest.mark.parametrize("skill", [s for s in builtin_registry() if s.actuates], ids=lambda s: s.name)
def test_words_without_values_ground_no_number_of_any_act(skill: Any) -> None:
    for name, entry in skill.arguments_schema["properties"].items():
        if entry["type"] in ("number", "integer"):
            for value in (entry["minimum"], entry["maximum"], (entry["minimum"] + entry["maximum"]) // 2 or 7):
                assert found(name, value, entry, "do something nice for me") is None


@pytest.mark.parametrize(
    ("text", "locale", "on"),
    [
        ("switch it on", "en", True),
        ("turn the heated thing off", "en", False),
        ("on my way", "en", None),
        ("turn it on and off", "en", None),
        ("don't turn it on", "en", None),
        ("打开", "zh", True),
        ("关掉它", "zh", False),
        ("开车去", "zh", None),
        ("别打开", "zh", None),
    ],
)
def test_on_or_off(text: str, locale: str, on: bool | None) -> None:
    way = find_on_off(text, locale)
    assert (way.on if way else None) is on


@pytest.mark.parametrize(
    "sentence",
    ["I've opened the window.", "I have just set it to 21 degrees.", "Okay, turning on the lights.", "The window is now open.", "Done.", "We're navigating home.",
     "It has been switched off.", "I’ve gone ahead and booked a table.", "已经为您打开车窗。", "好的，正在为您导航。", "我帮您把空调关掉了。", "设置好了。", "搞定了。"],
)  # fmt: skip
def test_claims(sentence: str) -> None:
    assert claims(sentence)
    assert speakable(sentence, "zh" if sentence[-1] == "。" else "en") in ("I haven't changed anything.", "我没有做任何操作。")


@pytest.mark.parametrize(
    "sentence",
    ["Paris is the capital of France.", "I can't open the window.", "I haven't changed anything.", "The shop opened in 1990.", "I could tell you more if you like.",
     "我不能打开车窗。", "还没有设置。", "法国的首都是巴黎。", "那家店已经有一百年了。"],
)  # fmt: skip
def test_no_claims(sentence: str) -> None:
    assert not claims(sentence)
    assert speakable(sentence, "en") == sentence


def test_last_words_are_short_clean_and_honest() -> None:
    long = "One. **Two** <delegate>. I've opened the window. Four."
    assert speakable(long, "en") == "One. Two ."
    assert len(speakable("word " * 400, "en")) <= 401
    assert speakable("<|spe<|speak|>ak|>", "en") == ""
    assert in_language("好的。", "zh") and not in_language("This is all in English here.", "zh")
    assert in_language("BMW X5", "zh") and in_language("Peking (北京) is big.", "en") and not in_language("北京很大。", "en")
