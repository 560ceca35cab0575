"""What the whole sentence says of the calls that were found in a part of it: what it excludes, takes back, names beside them."""

import pytest

from ridealong.harness.lasting import for_a_bit, lasting, until_told
from ridealong.harness.revising import rewordings
from ridealong.harness.skill import Context, Match, Provenance
from ridealong.harness.slots.zones import left_out
from ridealong.harness.whole import as_a_whole, taken_back
from ridealong.vehicle_skills.builtin import builtin_registry
from ridealong.vehicle_skills.pretended import RecordingPort, car_at

pytestmark = pytest.mark.unit

REGISTRY = builtin_registry()
CONTEXT = Context(provenance=Provenance.DRIVER, read=RecordingPort(car_at(0), Provenance.DRIVER).read)
WINDOWS, SWITCH, TIMER = "windows.set_position", "climate.switch", "timer.set"


def window(zone: str, position: int = 0, ground: str = "default") -> Match:
    return Match(WINDOWS, 0.9, {"zone": zone, "position": position}, {"zone": f"{ground}:{zone}", "position": "close"})


def switch(thing: str, on: bool = True, behind: tuple[int, ...] = ()) -> Match:
    return Match(SWITCH, 0.9, {"thing": thing, "on": on}, {"thing": thing, "on": "on"}, behind=behind)


def timer(seconds: int) -> Match:
    return Match(TIMER, 0.9, {"duration_s": seconds}, {"duration_s": "said"})


def locale_of(text: str) -> str:
    return "zh" if any(ord(letter) > 0x2E80 for letter in text) else "en"


def whole(text: str, *calls: Match) -> tuple[Match, ...]:
    return as_a_whole(calls, REGISTRY.get, text, locale_of(text), CONTEXT)


def zones(text: str, *calls: Match) -> list[object]:
    return [call.arguments.get("zone") for call in whole(text, *calls)]


@pytest.mark.parametrize(
    ("text", "found", "meant"),
    [
        ("close the windows but leave mine open", "all", ["row2", "row1.passenger"]),
        ("关上车窗，但是我的别关", "row1.driver", ["row2", "row1.passenger"]),
        ("close the windows but don't touch the back ones", "all", ["row1"]),
        ("open my window, not all the way", "row1.driver", ["row1.driver"]),
        ("close the windows", "all", ["all"]),
    ],
)
def test_an_excluded_place_is_not_touched_and_the_rest_is_done(text: str, found: str, meant: list[str]) -> None:
    assert zones(text, window(found)) == meant


def test_an_exception_belongs_to_what_was_spoken_of_last() -> None:
    warm = Match("climate.set_temperature", 0.9, {"target": 21.0, "zone": "row1"}, {"target": "21", "zone": "default:row1"})
    assert zones("set it to 21 and close all windows except mine", warm, window("all")) == ["row1", "row2", "row1.passenger"]
    assert zones("close all windows and set everyone to 21 except me", window("all"), warm) == ["all", "row1.passenger"]


def test_what_is_kept_is_no_wish_for_the_others() -> None:
    calls = whole("keep mine open and close the rest", window("row1.driver", 100), window("row2"), window("row1.passenger"))
    assert [(call.arguments["zone"], call.arguments["position"]) for call in calls] == [("row2", 0), ("row1.passenger", 0)]


def test_an_excluded_side_of_a_car_that_has_not_said_where_its_driver_sits_is_asked_about() -> None:
    unknown = Context(provenance=Provenance.DRIVER, read=lambda path: None)
    calls = as_a_whole([window("all")], REGISTRY.get, "close all windows except the left one", "en", unknown)
    assert [call.missing for call in calls] == [("zone",)]


@pytest.mark.parametrize(
    "text", ["not hers, mine", "leave mine at 20", "set my side to 20 and keep hers at 22", "不是我的，是副驾的"]
)
def test_a_correction_or_a_setting_excludes_nothing(text: str) -> None:
    assert left_out(text, locale_of(text), "LEFT") is None


@pytest.mark.parametrize(
    ("text", "back"),
    [
        ("close the windows, never mind", True),
        ("set it to 20, I changed my mind", True),
        ("关窗，算了", True),
        ("打开空调，不用了", True),
        ("never mind", False),
        ("close the windows, never mind the rain", False),
        ("close the windows, no wait, just the front ones", False),
        ("remind me so that I don't forget it", False),
        ("关掉空调，不用了", False),
        ("那算了", False),
    ],
)
def test_what_is_taken_back_in_the_same_breath(text: str, back: bool) -> None:
    assert taken_back(text, locale_of(text)) is back


@pytest.mark.parametrize(
    ("text", "found", "meant"),
    [
        ("set a timer for five minutes and another for ten", [300], [300, 600]),
        ("set three timers for 1, 2 and 3 minutes", [180], [60, 120, 180]),
        ("a 5 minute timer, a 7 minute timer and a 9 minute timer", [420, 540], [300, 420, 540]),
        ("set a timer for one minute and thirty seconds", [90], [90]),
        ("a timer for five minutes, no, ten minutes", [600], [600]),
        ("the five minute timer is fine, set another for ten minutes", [600], [600]),
        ("set a timer for ten minutes and open the window for five minutes", [600], [600]),
    ],
)
def test_all_the_timers_of_a_sentence(text: str, found: list[int], meant: list[int]) -> None:
    assert [call.arguments["duration_s"] for call in whole(text, *map(timer, found))] == meant


def test_both_defrosters_are_both_and_what_waits_for_one_waits_for_both() -> None:
    air = Match("climate.set_fan", 0.9, {"speed": 50}, {"speed": "50"}, behind=(0,))
    calls = whole("turn on the front and rear defroster then fan to 50", switch("front_defroster"), air)
    assert [call.arguments.get("thing") for call in calls] == ["front_defroster", "rear_defroster", None]
    assert calls[2].behind == (0, 1)


@pytest.mark.parametrize(
    ("text", "ways"),
    [
        ("close the window and open it again", [0, 100]),
        ("open and close my window", [100, 0]),
        ("关上车窗再打开", [0, 100]),
        ("don't open the window but close it", [0]),
        ("close the window", [0]),
    ],
)
def test_one_way_and_then_the_other(text: str, ways: list[int]) -> None:
    calls = whole(text, window("row1.driver"))
    assert [call.arguments["position"] for call in calls] == ways
    assert len(calls) == 1 or calls[1].behind == (0,)


def test_a_switch_off_and_on_again() -> None:
    calls = whole("turn the AC off and on again", switch("air_conditioning"))
    assert [call.arguments["on"] for call in calls] == [False, True]


@pytest.mark.parametrize("text", ["打开车窗五分钟", "开空调十分钟", "打开主驾车窗三十秒", "open the window for 30 seconds"])
def test_a_while_is_found_behind_the_thing_too(text: str) -> None:
    assert lasting(text, locale_of(text)) is not None


@pytest.mark.parametrize("text", ["空调开了十分钟了", "打开空调二十分钟后关掉", "打开车窗五分之一", "开空调，十分钟后叫我"])
def test_what_lasts_no_while(text: str) -> None:
    assert lasting(text, "zh") is None


def test_who_asks_for_a_bit_hears_that_it_stays() -> None:
    assert until_told("Done.", "open the windows for a bit", "en") == "Done. It stays like that until you tell me."
    assert until_told("好了。", "打开车窗一会儿", "zh").startswith("好了。会一直这样")
    for text in ("open it just a bit", "wait a minute, open the window", "等一会儿打开", "会不会下雨"):
        assert not for_a_bit(text, locale_of(text)), text


@pytest.mark.parametrize(
    "text",
    ["extend the timer by ten minutes", "make it ten minutes longer", "add ten minutes to the timer", "延长十分钟", "再加十分钟"],
)
def test_a_running_timer_by_so_much_is_no_timer_of_that_length(text: str) -> None:
    of = "定一个二十分钟的计时器" if locale_of(text) == "zh" else "set a timer for twenty minutes"
    assert rewordings(of, text, adds=False) == ()
    timers = REGISTRY.get(TIMER)
    assert timers is not None and timers.doubts is not None
    for plain in ("set a timer for ten minutes", "make it ten minutes", "计时十分钟"):
        assert timers.doubts(plain, locale_of(plain), timer(600)) is None
        assert rewordings("set a timer for twenty minutes", "ten minutes", adds=False)
