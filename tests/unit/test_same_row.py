"""The other side, said without its row, is of the row that has been named."""

import pytest

from ridealong.harness.same_row import with_its_row
from tests.unit.test_found_by_a_stranger import calls

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    "text",
    [
        "open the right rear window, and the left one too",
        "open the right rear window and the left one",
        "open the rear left window and the right",
        "打开右后窗，还有左边的",
        "打开右后窗，左边的也打开",
        "打开左后窗和右边的",
    ],
)
def test_both_are_of_the_rear(text: str) -> None:
    zones = {str(arguments["zone"]) for capability, arguments in calls(text) if capability == "windows.set_position"}
    assert zones in ({"row2"}, {"row2.driver", "row2.passenger"})


@pytest.mark.parametrize(
    ("text", "locale", "put"),
    [
        ("Open the right rear window, and the left one too.", "en", "Open the right rear window, and the rear left one too."),
        ("close the front left window and the right one", "en", "close the front left window and the front right one"),
        ("打开左前窗，右边的也打开", "zh", "打开左前窗，右前的也打开"),
    ],
)
def test_the_row_is_put_in(text: str, locale: str, put: str) -> None:
    assert with_its_row(text, locale) == put


@pytest.mark.parametrize(
    ("text", "locale"),
    [
        ("open the rear windows and the left one", "en"),
        ("open the rear left window and the front right one", "en"),
        ("open the left rear window and turn left", "en"),
        ("open the left rear window, that's right", "en"),
        ("打开右后窗和左前窗", "zh"),
        ("右后窗打开，前面右边有车", "zh"),
    ],
)
def test_all_else_stays(text: str, locale: str) -> None:
    assert with_its_row(text, locale) == text
