"""The matching rules on cases worked by hand (Berkeley Function-Calling Leaderboard, AST evaluation)."""

from __future__ import annotations

from typing import Any

import pytest

from ridealong.simulators.evaluation.calls.matching import Made, Wanted, bare, matched, same

pytestmark = pytest.mark.unit
PARAMETERS: dict[str, dict[str, Any]] = {
    "climate.set": {"required": ["target"], "properties": {"target": {}, "zone": {}}},
    "say": {"required": [], "properties": {"text": {}}},
}


def made(name: str, **arguments: Any) -> Made:
    return Made(name, arguments)


def wanted(name: str, **accepted: Any) -> Wanted:
    return Wanted(name, accepted)


@pytest.mark.parametrize(
    ("value", "accepted", "is_same"),
    [
        (21, 21.0, True),
        (21.0, 21, False),  # an integer does for a number, not the other way
        ("21", 21, False),
        (True, 1, False),
        (1, True, False),
        (True, True, True),
        ("New York, NY", "new york NY", True),
        ("it's", 'IT"S', True),
        ("Rome", "Paris", False),
        ([1, 2], [1, 2], True),
        ([2, 1], [1, 2], False),
        ([1], [1, 2], False),
        (["A b"], ["ab"], True),
        ({"city": "Rome"}, {"city": ["rome", "Roma"], "zip": ["", 100]}, True),
        ({"city": "Rome"}, {"city": ["rome"], "zip": [100]}, False),
        ({"city": "Rome", "extra": 1}, {"city": ["rome"]}, False),
        ([{"x": 1}], [{"x": [1, 2]}], True),
        (None, None, True),
        (None, 0, False),
        (float("nan"), 21.0, False),
    ],
)
def test_values(value: Any, accepted: Any, is_same: bool) -> None:
    assert same(value, accepted) is is_same


def test_strings_are_compared_without_case_spaces_and_light_punctuation() -> None:
    assert bare("A-b_c *D^e/f, g.'h'") == 'abcdefg"h"'


def test_one_call_right() -> None:
    found = matched(
        [made("climate.set", target=21, zone="driver")], [wanted("climate_set", target=[21, 21.5], zone=["driver"])], PARAMETERS
    )
    assert found.right and (found.named, found.arguments, found.arguments_right, found.problems) == (1, 2, 2, ())


def test_an_argument_may_be_left_out_only_where_that_is_accepted() -> None:
    want = [wanted("climate.set", target=[21], zone=["", "driver"])]
    assert matched([made("climate.set", target=21)], want, PARAMETERS).right
    found = matched([made("climate.set", target=21)], [wanted("climate.set", target=[21], zone=["driver"])], PARAMETERS)
    assert not found.right and found.problems == ("climate.set: zone is missing",) and found.arguments_right == 1
    required = matched([made("climate.set")], [wanted("climate.set", target=["", 21])], PARAMETERS)
    assert not required.right, "the contract asks for it"


def test_an_argument_that_nobody_wanted_is_wrong() -> None:
    found = matched([made("say", text="hi", loud=True)], [wanted("say", text=["hi"])], PARAMETERS)
    assert not found.right and (found.arguments, found.arguments_right) == (2, 1)


def test_several_calls_match_in_any_order_and_none_may_be_too_many_or_too_few() -> None:
    want = [wanted("say", text=["a", "b"]), wanted("say", text=["a"])]
    assert matched([made("say", text="a"), made("say", text="b")], want, {}).right, "the first fits both, the second only one"
    assert not matched([made("say", text="b"), made("say", text="b")], want, {}).right
    few = matched([made("say", text="a")], want, {})
    assert not few.right and (few.made, few.wanted, few.named) == (1, 2, 1)
    many = matched([made("say", text="a"), made("say", text="b"), made("climate.set", target=1)], want, {})
    assert not many.right and many.problems == ("climate.set was not wanted",)


def test_nothing_wanted_and_nothing_made_is_right() -> None:
    assert matched([], [], {}).right
    assert not matched([made("say", text="a")], [], {}).right


def test_many_calls_of_one_name_are_matched_soon() -> None:
    many = [made("say", text=str(number)) for number in range(40)]
    assert matched(many, [wanted("say", text=[str(number)]) for number in reversed(range(40))], {}).right
