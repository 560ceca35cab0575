"""Which places in the car: sets, exceptions, persons, drive side."""

import pytest

from ridealong.harness.slots.zone import SEATS
from ridealong.harness.slots.zones import cover, find_zones

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("close all windows bar the driver's", {"row2", "row1.passenger"}),
        ("shut them, but not mine", {"row2", "row1.passenger"}),
        ("open the back windows but not the left one", {"row2.passenger"}),
        ("everything open apart from the two in the back", {"row1"}),
        ("the one behind me, drop it", {"row2.driver"}),
        ("right rear window shut please", {"row2.passenger"}),
        ("both fronts open", {"row1"}),
        ("everything on the left hand side down", {"driver_side"}),
        ("grandma in the back on the left wants her window up", {"row2.driver"}),
        ("open the driver's one for him he's got his hands full", {"row1.driver"}),
        ("20 for me", {"row1.driver"}),
        ("23 for the wife", {"row1.passenger"}),
        ("the other side too", {"row1.passenger"}),
        ("左后那个别管，剩下的全打开", {"row1", "row2.passenger"}),
        ("光关前排，后排开着就开着", {"row1"}),
        ("全车就留副驾那扇不开，其余都降到底", {"row2", "row1.driver"}),
        ("除了我这扇，其他的窗户请都关上", {"row2", "row1.passenger"}),
        ("打开除了我以外的所有车窗", {"row2", "row1.passenger"}),
        ("后面别管，前头俩窗都打开", {"row1"}),
        ("我身后那个窗户放下来", {"row2.driver"}),
        ("主驾不动，副驾二十", {"row1.passenger"}),
        ("她那边热一度", {"row1.passenger"}),
        ("右侧车窗都给关了", {"passenger_side"}),
    ],
)
def test_places_in_a_left_hand_drive_car(text: str, names: set[str]) -> None:
    zones = find_zones(text, "zh" if text[0] > "\u2fff" else "en", "LEFT")
    assert zones is not None and set(zones.names) == names


def test_left_is_another_seat_where_the_driver_sits_on_the_right() -> None:
    left = find_zones("open the left front window", "en", "LEFT")
    right = find_zones("open the left front window", "en", "RIGHT")
    assert left is not None and right is not None
    assert (left.names, right.names) == (("row1.driver",), ("row1.passenger",))


def test_a_side_without_a_known_drive_side_is_uncertain() -> None:
    zones = find_zones("open the left front window", "en", None)
    assert zones is not None and not zones.certain and not zones.names


@pytest.mark.parametrize(
    "text", ["I'm roasting", "set it to twenty", "我觉得有点冷", "把空调打开", "turn right now", "前挡起雾了", "十分钟以后叫我"]
)
def test_no_place_is_named(text: str) -> None:
    assert find_zones(text, "zh" if text[0] > "\u2fff" else "en", "LEFT") is None


def test_my_is_the_speakers() -> None:
    zones = find_zones("my window", "en", "LEFT", "passenger")
    assert zones is not None and zones.names == ("row1.passenger",)


def test_front_only_things_take_the_whole_car_for_the_front() -> None:
    zones = find_zones("everyone on twenty two", "en", "LEFT", row1_only=True)
    assert zones is not None and zones.names == ("row1",)


def test_every_set_of_seats_is_covered_exactly() -> None:
    seats = SEATS["all"]
    for bits in range(1 << len(seats)):
        wanted = {seat for place, seat in enumerate(seats) if bits >> place & 1}
        named = [seat for name in cover(wanted) for seat in SEATS[name]]
        assert set(named) == wanted and len(named) == len(wanted)
