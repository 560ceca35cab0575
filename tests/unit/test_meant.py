"""From a stretch and its label to calls: arguments are read from the words, and every one is grounded."""

import pytest

from ridealong.harness.meant import Meant
from ridealong.harness.registry import argument_problems, grounding_problems
from ridealong.harness.skill import Context, Outcome, Provenance, Recent
from ridealong.vehicle_skills.builtin import builtin_registry
from ridealong.vehicle_skills.pretended import RecordingPort, car_at

pytestmark = pytest.mark.unit

REGISTRY = builtin_registry()


def calls(label: str, text: str, recent: tuple[str, dict[str, object]] | None = None) -> list[dict[str, object]]:
    capability, _, variant = label.partition("/")
    skill = REGISTRY.get(capability)
    assert skill is not None and skill.understand is not None
    last = (Recent(recent[0], recent[1], Outcome.COMPLETED, 4_000.0),) if recent is not None else ()
    locale = "zh" if any(char > "\u2fff" for char in text) else "en"
    context = Context(recent=last, provenance=Provenance.DRIVER, read=RecordingPort(car_at(0), Provenance.DRIVER).read)
    found = skill.understand(Meant(variant, text, locale, context, 0.9))
    for match in found:
        if not match.missing:
            assert not argument_problems(skill.arguments_schema, match.arguments)
            assert not grounding_problems(match.arguments, match.grounds, text, locale)
    return [{} if match.missing else dict(match.arguments) for match in found]


@pytest.mark.parametrize(
    ("label", "text", "wanted"),
    [
        ("climate.set_temperature/value", "20 for me, 23 for the wife", [{"target": 20, "zone": "row1.driver"}, {"target": 23, "zone": "row1.passenger"}]),
        ("climate.set_temperature/value", "sixteen and a half, it's like an oven", [{"target": 16.5, "zone": "row1.driver"}]),
        ("climate.set_temperature/value", "不是二十六，二十四度", [{"target": 24, "zone": "row1.driver"}]),
        ("climate.set_temperature/value", "22点5度谢谢", [{"target": 22.5, "zone": "row1.driver"}]),
        ("climate.set_temperature/value", "set the rear to 20 for the kids", [{}]),
        ("climate.set_temperature/max", "as hot as it goes", [{"target": 30, "zone": "row1.driver"}]),
        ("climate.change_temperature/warmer", "couple of degrees up", [{"delta": 2, "zone": "row1.driver"}]),
        ("climate.change_temperature/cooler", "我这侧降俩度", [{"delta": -2, "zone": "row1.driver"}]),
        ("climate.change_temperature/warmer", "just a smidge warmer, love", [{"delta": 1, "zone": "row1.driver"}]),
        ("climate.set_fan/value", "fan four out of ten", [{"speed": 40}]),
        ("climate.set_fan/value", "风量八十五，麻溜的", [{"speed": 85}]),
        ("climate.set_fan/off", "Fan off, it's making a racket.", [{"speed": 0}]),
        ("climate.switch/rear_defroster/on", "前后玻璃都除一下霜", [{"thing": "front_defroster", "on": True}, {"thing": "rear_defroster", "on": True}]),
        ("windows.set_position/open", "my window at 40", [{"position": 40, "zone": "row1.driver"}]),
        ("windows.set_position/close", "close it a third", [{"position": 67, "zone": "row1.driver"}]),
        ("windows.set_position/open", "天窗打开", []),
        ("windows.move/open", "我这边窗开大三十个百分点", [{"delta": 30, "zone": "row1.driver"}]),
        ("windows.move/close", "窗往上升一丢丢", [{"delta": -10, "zone": "row1.driver"}]),
        ("trunk.open", "pop the boot for us", [{"confirmed": False}]),
        ("navigation.set_destination", "punch in Saint Mary's Hospital for me", [{"place": "Saint Mary's Hospital"}]),
        ("navigation.set_destination", "I need to get to the airport and I've no idea which way it is", [{"place": "airport"}]),
        ("navigation.set_destination", "别往公司导了，今儿陪老婆产检，去妇幼保健院", [{"place": "妇幼保健院"}]),
        ("navigation.charging_search", "I don't need the quickest charger I need the cheapest", [{"prefer": "cheapest"}]),
        ("status.windows", "are the back windows closed", [{"zone": "row2"}]),
        ("timer.set", "two timers, one for five minutes one for twenty", [{"duration_s": 300}, {"duration_s": 1200}]),
        ("timer.set", "定一个小时二十分钟", [{"duration_s": 4800}]),
        ("timer.set", "set a timer for an hour and a quarter", [{"duration_s": 4500}]),
        ("watch.signal", "shout if I go over 120", [{"topic": "speed", "test": "above", "limit": 120}]),
        ("watch.signal", "每次车速过了八十都吱一声", [{"topic": "speed", "test": "above", "limit": 80, "every_time": True}]),
    ],
)  # fmt: skip
def test_arguments_from_words(label: str, text: str, wanted: list[dict[str, object]]) -> None:
    found = calls(label, text)
    assert [{key: value for key, value in one.items() if key in want} for one, want in zip(found, wanted, strict=True)] == wanted


WINDOW = ("windows.set_position", {"position": 100, "zone": "row1.driver"})
SET = ("climate.set_temperature", {"target": 21.0, "zone": "row1.driver"})


@pytest.mark.parametrize(
    ("label", "text", "recent", "wanted"),
    [
        ("windows.set_position/fragment", "and the other side too", WINDOW, [{"position": 100, "zone": "row1.passenger"}]),
        ("windows.set_position/fragment", "halfway is enough", WINDOW, [{"position": 50, "zone": "row1.driver"}]),
        ("climate.set_temperature/fragment", "same for the passenger", SET, [{"target": 21, "zone": "row1.passenger"}]),
        ("climate.set_temperature/fragment", "算了她那儿二十三", SET, [{"target": 23, "zone": "row1.passenger"}]),
        ("climate.change_temperature/fragment", "one more", ("climate.change_temperature", {"delta": 2.0, "zone": "row1"}), [{"delta": 1, "zone": "row1.driver"}]),
        ("climate.switch/fragment", "actually leave it off", ("climate.switch", {"thing": "air_conditioning", "on": True}), [{"thing": "air_conditioning", "on": False}]),
        ("climate.switch/fragment", "错了错了是后面的", ("climate.switch", {"thing": "front_defroster", "on": True}), [{"thing": "rear_defroster", "on": True}]),
        ("timer.set/fragment", "make that ten", ("timer.set", {"duration_s": 300}), [{"duration_s": 600}]),
        ("navigation.set_destination", "ok take me there", ("navigation.where_is", {"place": "Oxford"}), [{"place": "Oxford"}]),
        ("navigation.charging_search/fragment", "a cheap one I said", ("navigation.charging_search", {"prefer": "nearest"}), [{"prefer": "cheapest"}]),
        ("navigation.set_destination/fragment", "no, the other one", ("navigation.set_destination", {"place": "Oxford"}), []),
        ("navigation.set_destination", "drive me nuts", ("navigation.where_is", {"place": "Oxford"}), [{}]),
        ("trunk.open/fragment", "the other one", ("trunk.open", {"confirmed": False}), []),
    ],
)  # fmt: skip
def test_what_is_different_from_the_request_before(
    label: str, text: str, recent: tuple[str, dict[str, object]], wanted: list[dict[str, object]]
) -> None:
    assert calls(label, text, recent) == wanted
