"""By so much is a step, to so much is a value, whatever verb says it."""

from __future__ import annotations

import pytest

from tests.unit.car_words import decide
from tests.unit.test_another_thing import made

pytestmark = pytest.mark.unit

UP_EN = (
    "turn {x} up by {n}",
    "raise {x} by {n}",
    "bring {x} up {n}",
    "add {n} to {x}",
    "{x} up {n}",
    "increase {x} by {n}",
    "up {x} by {n}",
)
DOWN_EN = (
    "turn {x} down by {n}",
    "lower {x} by {n}",
    "knock {n} off {x}",
    "take {n} off {x}",
    "drop {x} by {n}",
    "cut {x} by {n}",
    "reduce {x} by {n}",
)
UP_ZH, DOWN_ZH = (
    ("{x}调高{n}", "{x}加{n}", "给{x}加{n}", "{x}往上调{n}", "{x}提高{n}"),
    ("{x}调低{n}", "{x}减{n}", "{x}降{n}", "{x}往下调{n}", "{x}下调{n}"),
)
STEPPED = {
    "the volume": ("20", "media.change_volume", 20), "the ambient light": ("ten percent", "lights.ambient", 10), "my seat heating": ("one notch", "seats.change_heating", 33),
    "音量": ("20", "media.change_volume", 20), "氛围灯亮度": ("百分之十", "lights.ambient", 10),
}  # fmt: skip


@pytest.mark.parametrize("thing", STEPPED)
def test_by_so_much_is_a_step(thing: str) -> None:
    much, capability, size = STEPPED[thing]
    up, down = (UP_EN, DOWN_EN) if thing.isascii() else (UP_ZH, DOWN_ZH)
    for form, delta in [*((form, size) for form in up), *((form, -size) for form in down)]:
        text = form.format(x=thing, n=much)
        [(name, arguments)] = made(decide(text))
        assert (name, arguments.get("delta"), "level" in arguments) == (capability, delta, False), text


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("turn the volume up to 20", ("media.set_volume", "level", 20)), ("bring the ambient light down to ten percent", ("lights.ambient", "level", 10)),
        ("set the volume to 20", ("media.set_volume", "level", 20)), ("my window down 20 percent", ("windows.set_position", "position", 20)),
        ("音量降到20", ("media.set_volume", "level", 20)), ("音量调高到20", ("media.set_volume", "level", 20)), ("我的窗降三分之二", ("windows.set_position", "position", 67)),
        ("turn my window down by 20 percent", ("windows.move", "delta", 20)), ("turn the temperature up to 22", ("climate.set_temperature", "target", 22)),
    ],
)  # fmt: skip
def test_to_so_much_is_a_value(text: str, wanted: tuple[str, str, int]) -> None:
    [(name, arguments)] = made(decide(text))
    assert (name, arguments.get(wanted[1])) == (wanted[0], wanted[2])


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (
            "Call Anna, and take ten off the volume",
            [("phone.call", {"contact": "Anna"}), ("media.change_volume", {"delta": -10})],
        ),
        ("Knock ten off the volume, please.", [("media.change_volume", {"delta": -10})]),
    ],
)
def test_only_an_amount_is_taken_off_and_names_stay_as_written(text: str, wanted: list[tuple[str, dict[str, object]]]) -> None:
    assert made(decide(text)) == wanted
    assert not any("volume" in name for name, _ in made(decide("put two songs on the radio")))
