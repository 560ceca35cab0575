"""Where the air blows, and one temperature for both sides."""

from __future__ import annotations

import pytest

from ridealong.harness.skill import Outcome, Provenance
from ridealong.proto.types import ActuationState
from ridealong.simulators.car.plant import Plant
from ridealong.vehicle_skills import signals as vss

from .cabin import StubbornCar, after, car, claimed, meant, question, recent, run, sent, touches

pytestmark = pytest.mark.unit

AIR, SYNC = "climate.set_air", "climate.sync"
DRIVER, PASSENGER = (vss.air_distribution("Row1", role) for role in vss.ROLES)
HIS, HERS = (vss.set_temperature("Row1", role) for role in vss.ROLES)


@pytest.mark.parametrize(
    ("where", "zone", "texts"),
    [
        ("feet", "row1.driver", ["Blow the air at my feet.", "send the air to the floor", "point the vents at my legs please", "air to the feet", "direct the airflow downwards", "could you blow air on my feet", "空调吹脚", "让风吹脚", "出风改成吹脚", "把风往下吹", "暖风吹脚下"]),
        ("face", "row1.driver", ["Blow the air at my face.", "aim the vents at my chest", "air to the face please", "set the airflow to the face", "空调吹脸", "风吹上半身", "出风口对着脸吹", "风向调到吹面"]),
        ("windscreen", "row1.driver", ["Blow the air at the windscreen.", "direct the air to the windshield", "put the air on the windscreen", "send the air up", "空调吹前挡", "风吹挡风玻璃", "出风改成吹玻璃", "风向调到上面"]),
        ("feet", "row1.passenger", ["blow the air at the passenger's feet", "副驾那边吹脚"]),
        ("face", "row1", ["point the vents at the face on both sides", "前排都吹脸"]),
        ("feet", "row1.driver", ["get that draught off my face and down to the feet"]),
    ],
)  # fmt: skip
def test_where_the_air_blows(where: str, zone: str, texts: list[str]) -> None:
    wanted = {text: [(AIR, {"where": where, "zone": zone})] for text in texts}
    assert {text: claimed(text) for text in texts} == wanted


@pytest.mark.parametrize(
    "text",
    [
        "Is the air blowing at my feet?", "the air blows at my feet", "don't blow the air at my face", "my feet are cold", "blow up the balloon", "turn the fan up", "defrost the windscreen", "clean the windscreen", "turn up the heat", "he blew air in my face", "open the rear window", "put your feet down",
        "fresh air please", "风吹脚吗", "脚好冷", "别吹脸", "给气球吹气", "风量调大", "打开前挡除雾", "擦擦挡风玻璃", "外面风好大", "他说吹脚", "挡风玻璃刮一下", "前挡吹一下", "前面玻璃哈气了吹一下", "暖风开到头", "turn down the airflow", "turn the air up", "fan up two notches", "今天吹了一天的风，脸疼",
    ],
)  # fmt: skip
def test_what_turns_no_air(text: str) -> None:
    assert not touches(text, AIR)


def test_two_ways_at_once_are_asked_about() -> None:
    assert "one way at a time" in question("set the air to the face and the feet at once")
    assert "一个方向" in question("风吹挡风玻璃和脚")
    assert claimed("the feet", recent(AIR, Outcome.ASKS)) == [(AIR, {"where": "feet", "zone": "row1.driver"})]


@pytest.mark.parametrize(
    "text",
    [
        "Sync the climate zones.", "synchronise both sides", "climate sync on", "turn on sync", "turn the climate sync on", "link the two climate zones", "sync the temperatures please", "sync both zones", "match the temperatures on both sides", "get both sides synced", "sync the ac", "could you sync the zones",
        "synchronize the air conditioning", "copy my temperature to the passenger", "sync mode on", "空调同步", "同步空调", "温区同步一下", "打开双区同步", "同步左右空调", "左右温度统一", "把副驾空调和主驾同步", "空调左右同步", "同步一下两边温度", "开启同步", "分区空调合一", "主副驾空调同步", "双区空调同步打开", "左右空调同步一下", "温度同步",
    ],
)  # fmt: skip
def test_what_syncs(text: str) -> None:
    assert claimed(text) == [(SYNC, {})]


@pytest.mark.parametrize(
    "text",
    [
        "sync my phone", "sync the calendar", "are the zones in sync?", "don't sync the zones", "the zones are synced", "sync my music", "out of sync", "he synced the climate", "lip sync", "turn on the air conditioning", "same to you", "sync the contacts with the car",
        "同步手机通讯录", "空调同步了吗", "别同步空调", "同步日历", "打开空调", "他说空调同步", "音画不同步", "同步音乐", "我已经同步了空调", "两边的窗户打开", "同步账号数据",
    ],
)  # fmt: skip
def test_what_syncs_no_climate(text: str) -> None:
    assert not touches(text, SYNC)


def test_the_air_as_the_car_shows_it() -> None:
    port = car(130)
    assert run(AIR, port, where="feet", zone="row1.driver").text == "The air now blows at the feet."
    assert sent(port) == [(DRIVER, "DOWN")]
    assert run(AIR, both := car(), "zh", where="windscreen", zone="row1").text == "前排现在吹挡风玻璃。"
    assert sent(both) == [(DRIVER, "UP"), (PASSENGER, "UP")] and len(both.sent) == 1
    assert (
        run(AIR, same := car(), where="face", zone="row1.passenger").text
        == "The air already blows at the face on the passenger's side."
    )
    assert same.sent == []
    unsure = run(AIR, StubbornCar(ActuationState.TIMED_OUT, {DRIVER: "MIDDLE"}), where="feet", zone="row1.driver")
    assert unsure.outcome is Outcome.UNKNOWN and "it shows at the face" in unsure.text


def test_the_passenger_gets_the_drivers_temperature_in_the_display_unit() -> None:
    port = car(100, values={HIS: 22.5, HERS: 19.0})
    assert run(SYNC, port).text == "Both sides are now at 22.5 degrees."
    assert sent(port) == [(HERS, 22.5)]
    assert run(SYNC, car(values={HIS: 22.2, HERS: 19.0, vss.TEMPERATURE_UNIT: "F"})).text == "Both sides are now at 72 degrees."
    assert run(SYNC, same := car(values={HIS: 21.0, HERS: 21.0}), "zh").text == "两边已经都是21度了。"
    assert same.sent == []
    unknown = StubbornCar(ActuationState.CONFIRMED, {HERS: 20.0})
    assert run(SYNC, unknown).outcome is Outcome.ASKS and unknown.sent == []


@pytest.mark.parametrize(("capability", "arguments"), [(AIR, {"where": "feet", "zone": "row1"}), (SYNC, {})])
def test_refused_to_voices_that_nobody_knows(capability: str, arguments: dict[str, object]) -> None:
    for by in (Provenance.UNKNOWN, Provenance.OVERHEARD, Provenance.SEEN):
        port = car(by=by, values={HERS: 25.0})
        spoken = run(capability, port, by=by, **arguments)  # type: ignore[arg-type]
        assert (spoken.outcome, spoken.reason, port.sent) == (Outcome.REFUSED, "not_allowed_speaker", [])


def test_what_later_words_change() -> None:
    down = recent(AIR, before={DRIVER: "MIDDLE"}, where="feet", zone="row1.driver")
    assert after("no, the passenger's", down)[0] == (AIR, {"where": "feet", "zone": "row1.passenger"})
    assert after("undo that", down) == [(AIR, {"where": "face", "zone": "row1.driver"})]
    assert after("调回去", recent(AIR, before={DRIVER: "UP", PASSENGER: "UP"}, where="feet", zone="row1")) == [
        (AIR, {"where": "windscreen", "zone": "row1"})
    ]
    assert after("undo that", recent(SYNC, before={HERS: 19.5})) == [
        ("climate.set_temperature", {"target": 19.5, "zone": "row1.passenger"})
    ]


def test_a_stretch_that_the_tagger_found() -> None:
    assert meant(AIR, "", "my toes are cold, send the air down there") == [{"where": "feet", "zone": "row1.driver"}]
    assert meant(AIR, "", "feet and windscreen") == [{"missing": ("where",)}]
    assert meant(AIR, "", "airflow please") == [{"missing": ("where",)}]
    assert meant(AIR, "", "前挡起雾了 风吹玻璃") == [{"where": "windscreen", "zone": "row1.driver"}]
    assert meant(AIR, "", "空调别对着脸，往脚吹") == [{"where": "feet", "zone": "row1.driver"}]
    assert meant(SYNC, "", "give everyone my temperature") == [{}]


def test_the_simulated_station_turns_its_air() -> None:
    plant = Plant()
    plant.command(PASSENGER, "DOWN")
    plant.step(0.5)
    assert (plant.values[DRIVER], plant.values[PASSENGER]) == ("MIDDLE", "DOWN")
