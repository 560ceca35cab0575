"""Front seats: warmth at any speed, moved only parked and after a yes; each value is said as the car shows it."""

from __future__ import annotations

import pytest

from ridealong.harness.skill import Confirmation, Outcome, Provenance
from ridealong.proto.types import ActuationState
from ridealong.simulators.car.plant import Plant
from ridealong.vehicle_skills import signals as vss
from ridealong.vehicle_skills.cabin_signals import seat_height
from ridealong.vehicle_skills.seats.moving import WAYS
from ridealong.vehicle_skills.seats.plan import stepped

from .cabin import StubbornCar, after, car, claimed, meant, question, recent, run, sent, touches

pytestmark = pytest.mark.unit

SET, CHANGE, MOVE = "seats.set_heating", "seats.change_heating", "seats.move"
DRIVER, PASSENGER = (vss.seat(side, "HeatingCooling") for side in vss.SIDES)
POSITION, RECLINE, HEIGHT = (
    vss.seat("DriverSide", "Position"),
    vss.seat("DriverSide", "Backrest.Recline"),
    seat_height("DriverSide"),
)
MINE, HERS, BOTH = "row1.driver", "row1.passenger", "row1"


@pytest.mark.parametrize(
    ("level", "zone", "texts"),
    [
        (66, MINE, ["Turn on my seat heating.", "seat heating on please", "heat my seat", "warm my seat up please", "switch on the heated seat", "打开座椅加热", "开一下座椅加热", "给我的座椅加热", "把座椅加热打开"]),
        (66, HERS, ["turn on the passenger's seat heating", "heat the passenger seat", "副驾座椅加热打开", "打开副驾驶座椅加热"]),
        (66, BOTH, ["heat both front seats", "turn on both seat heaters", "两边座椅都加热"]),
        (33, MINE, ["seat heating on low", "set my seat heating to level one", "座椅加热开一档", "座椅加热调到低档"]),
        (66, MINE, ["seat heating to medium", "set the seat heater to level 2", "座椅加热开到二档", "座椅加热中档"]),
        (100, MINE, ["put my seat heating on high", "seat heating on maximum", "座椅加热开到三档", "座椅加热开到最大"]),
        (50, MINE, ["set my seat heating to fifty percent", "座椅加热调到50%"]),
        (0, MINE, ["Turn off my seat heating.", "seat heating off", "switch the seat heater off please", "关闭座椅加热", "把座椅加热关了"]),
        (-66, MINE, ["turn on the seat ventilation", "cool my seat", "ventilate my seat please", "打开座椅通风", "座椅通风开一下"]),
        (-100, HERS, ["passenger seat cooling to high", "副驾座椅通风开到最大"]),
    ],
)  # fmt: skip
def test_what_sets_the_warmth(level: int, zone: str, texts: list[str]) -> None:
    assert {text: claimed(text) for text in texts} == {text: [(SET, {"level": level, "zone": zone})] for text in texts}


@pytest.mark.parametrize(
    ("delta", "zone", "texts"),
    [
        (33, MINE, ["Make my seat warmer.", "turn the seat heating up", "a bit more heat in my seat", "increase the seat heating", "seat heating up a notch", "raise my seat heating please", "座椅再热一点", "座椅加热调高一档", "座椅加热升一档", "把座椅加热调大", "座椅加热再高一级"]),
        (33, HERS, ["make the passenger's seat warmer", "副驾座椅加热再高一点"]),
        (66, MINE, ["turn the seat heating up two levels", "座椅加热加两档"]),
        (-33, MINE, ["Turn the seat heating down a bit.", "lower the seat heating", "less heat in my seat please", "reduce my seat heating", "make my seat less warm", "座椅加热调低一档", "座椅加热小一点", "座椅加热减一档", "座椅加热弱一点", "座椅别那么热"]),
        (-33, HERS, ["turn down the passenger seat heating", "副驾座椅加热调低一点"]),
        (20, MINE, ["turn my seat heating up by twenty percent", "座椅加热调高20%"]),
    ],
)  # fmt: skip
def test_what_steps_the_warmth(delta: int, zone: str, texts: list[str]) -> None:
    wanted = {text: [(CHANGE, {"delta": delta, "zone": zone})] for text in texts if "别" not in text}
    assert {text: claimed(text) for text in wanted} == wanted


@pytest.mark.parametrize(
    "text",
    [
        "Is my seat heating on?", "my seat is warm", "don't heat my seat", "fasten your seat belt", "it's too hot in here", "turn up the heating", "heat the steering wheel", "book a seat on the train", "the seat was warm yesterday", "make it warmer", "wash the seat covers",
        "should I turn on the seat heating", "座椅加热开着吗", "座椅很热", "别开座椅加热", "系好安全带", "车里太热了", "空调调高一点", "方向盘加热打开", "今天早上座椅加热烫到我了", "他说打开座椅加热", "座椅套脏了", "皮椅烫屁股", "椅子温度再升升",
    ],
)  # fmt: skip
def test_what_warms_no_seat(text: str) -> None:
    assert not touches(text, SET, CHANGE, MOVE)


def test_only_the_front_seats_have_it_and_only_levels_that_there_are() -> None:
    assert "Only the front seats" in question("heat the rear seats") and "前排" in question("后排座椅加热打开")
    assert "low, medium and high" in question("set my seat heating to level nine")
    assert "三档" in question("座椅加热开到8档")


@pytest.mark.parametrize(
    ("way", "zone", "amount", "texts"),
    [
        ("forward", MINE, None, ["Move my seat forward.", "slide the seat forward please", "push the seat forwards a bit", "seat forward", "座椅往前移一点", "把座椅向前移动", "驾驶座往前挪"]),
        ("backward", HERS, None, ["move the passenger seat back", "push the passenger's seat further back", "副驾座椅往后移", "把副驾驶座椅往后调一点"]),
        ("up", MINE, None, ["Raise my seat.", "move the seat up a little", "lift my seat please", "座椅升高一点", "把座椅调高"]),
        ("down", MINE, None, ["Lower my seat.", "drop the seat a bit", "move my seat down", "座椅降低一点", "把座椅调低"]),
        ("recline", MINE, None, ["Recline my seat.", "lean my seat back", "tilt the backrest back", "靠背往后仰一点", "把座椅靠背往后调"]),
        ("upright", HERS, None, ["put the passenger's backrest upright", "straighten the passenger seat", "副驾靠背调直", "把副驾座椅靠背立起来"]),
        ("backward", MINE, 50.0, ["move my seat back by five centimetres", "座椅往后移5厘米"]),
        ("recline", MINE, 10.0, ["recline my seat by ten degrees", "靠背往后仰十度"]),
        ("forward", MINE, 400.0, ["move my seat all the way forward", "座椅往前移到底"]),
    ],
)  # fmt: skip
def test_what_moves_a_seat(way: str, zone: str, amount: float | None, texts: list[str]) -> None:
    arguments = {"direction": way, "zone": zone} | ({} if amount is None else {"amount": amount})
    assert {text: claimed(text) for text in texts} == {text: [(MOVE, arguments)] for text in texts}


@pytest.mark.parametrize(
    "text",
    [
        "Is my seat forward enough?", "the seat is too far back", "don't move my seat", "he moved the seat back", "move the meeting forward", "back up a bit", "fold the back seats down", "book me a window seat", "take a seat", "move forward", "sit down everybody", "put the child seat in the back",
        "座椅往前了吗", "别动座椅", "我老婆老喜欢把座椅往前调", "往前开", "后排座椅折叠", "把儿童座椅往后放", "请坐", "电影院的座位靠后", "他把座椅往后调了", "上个司机把座椅调得好靠前", "驾驶座车窗全降", "你自己把座椅往后挪", "会议往前移", "记忆座椅位置一",
    ],
)  # fmt: skip
def test_what_moves_no_seat(text: str) -> None:
    assert not touches(text, MOVE)


@pytest.mark.parametrize(
    ("level", "zone", "writes", "said"),
    [
        (66, MINE, {DRIVER: 66}, "The driver's seat is now heated on medium."), (100, BOTH, {DRIVER: 100, PASSENGER: 100}, "The front seats are now heated on high."),
        (50, HERS, {PASSENGER: 50}, "The front passenger's seat is now heated at 50 percent."), (-33, MINE, {DRIVER: -33}, "The driver's seat is now cooled on low."),
    ],
)  # fmt: skip
def test_warmth_as_the_car_shows_it(level: int, zone: str, writes: dict[str, int], said: str) -> None:
    port = car(120)
    assert run(SET, port, level=level, zone=zone).text == said
    assert dict(sent(port)) == writes and len(port.sent) == 1


def test_off_says_what_is_off_and_what_is_so_already() -> None:
    assert run(SET, car(values={DRIVER: 66}), level=0, zone=MINE).text == "The heating of the driver's seat is off."
    assert run(SET, car(values={DRIVER: -66}), level=0, zone=MINE).text == "The cooling of the driver's seat is off."
    assert (
        run(SET, port := car(values={DRIVER: 62}), level=66, zone=MINE).text
        == "The driver's seat is already heated at 62 percent."
    )
    assert run(SET, car(), "zh", level=0, zone=BOTH).text == "前排座椅加热已经关闭。"
    assert run(SET, car(), "zh", level=100, zone=HERS).text == "副驾驶座椅加热已开到高档。"
    assert port.sent == []


@pytest.mark.parametrize(("now", "delta", "then"), [(0, 33, 33), (66, 33, 99), (90, 33, 100), (33, -33, 0), (20, -33, 0), (-66, 33, -33), (-20, 33, 0), (0, -33, -33), (-90, -33, -100)])  # fmt: skip
def test_a_step_ends_at_off_and_at_the_ends(now: float, delta: int, then: int) -> None:
    assert stepped(now, delta) == then


def test_each_seat_steps_from_where_it_is() -> None:
    port = car(values={DRIVER: 66, PASSENGER: 0})
    spoken = run(CHANGE, port, delta=33, zone=BOTH)
    assert dict(sent(port)) == {DRIVER: 99, PASSENGER: 33}
    assert spoken.text == "The driver's seat is now heated on high. The front passenger's seat is now heated on low."
    unknown = StubbornCar(ActuationState.CONFIRMED, {DRIVER: 33})
    assert run(CHANGE, unknown, delta=33, zone=BOTH).outcome is Outcome.ASKS and unknown.sent == []


def test_warmth_is_refused_to_voices_that_nobody_knows_and_never_said_unseen() -> None:
    port = car(by=Provenance.OVERHEARD)
    assert run(SET, port, by=Provenance.OVERHEARD, level=66, zone=MINE).reason == "not_allowed_speaker" and port.sent == []
    spoken = run(SET, StubbornCar(ActuationState.TIMED_OUT, {DRIVER: 0}), level=66, zone=MINE)
    assert spoken.outcome is Outcome.UNKNOWN and "it shows not heated" in spoken.text
    assert run(SET, car(by=Provenance.PASSENGER), by=Provenance.PASSENGER, level=66, zone=HERS).outcome is Outcome.COMPLETED


def test_a_seat_moves_only_after_a_yes() -> None:
    port = car()
    asked = run(MOVE, port, direction="forward", zone=MINE)
    assert (asked.text, asked.outcome, port.sent) == (
        "Shall I move the driver's seat forward by 30 millimetres?",
        Outcome.ASKS,
        [],
    )
    assert claimed("yes", recent(MOVE, Outcome.ASKS, direction="forward", zone=MINE)) == [
        (MOVE, {"direction": "forward", "zone": MINE})
    ]
    done = run(MOVE, port, confirmation=Confirmation.EXPLICIT, direction="forward", zone=MINE)
    assert (done.text, sent(port)) == ("The driver's seat has moved forward by 30 millimetres.", [(POSITION, 150)])


@pytest.mark.parametrize(
    ("way", "amount", "path", "value", "said"),
    [
        ("backward", 50, POSITION, 230, "The driver's seat has moved back by 50 millimetres."), ("up", None, HEIGHT, 70, "The driver's seat has moved up by 30 millimetres."),
        ("down", None, HEIGHT, 10, "The driver's seat has moved down by 30 millimetres."), ("recline", None, RECLINE, 25.0, "The driver's backrest has moved back by 5 degrees."),
        ("upright", 90, RECLINE, 0.0, "The driver's backrest has moved upright by 20 degrees."), ("forward", 400, POSITION, 0, "The driver's seat has moved forward by 180 millimetres."),
    ],
)  # fmt: skip
def test_how_far_it_went(way: str, amount: float | None, path: str, value: float, said: str) -> None:
    port = car()
    arguments = {"direction": way, "zone": MINE} | ({} if amount is None else {"amount": amount})
    assert run(MOVE, port, confirmation=Confirmation.EXPLICIT, **arguments).text == said
    assert sent(port) == [(path, value)]


def test_the_end_of_the_way_and_a_place_that_is_not_known() -> None:
    assert (
        run(MOVE, car(values={POSITION: 0}), direction="forward", zone=MINE).text
        == "The driver's seat is already all the way forward."
    )
    assert run(MOVE, car(values={RECLINE: 0.0}), "zh", direction="upright", zone=MINE).text == "主驾驶座椅靠背已经最直了。"
    unknown = StubbornCar(ActuationState.CONFIRMED, {})
    assert (run(MOVE, unknown, direction="up", zone=MINE).reason, unknown.sent) == ("unknown_position", [])
    short = run(
        MOVE,
        StubbornCar(ActuationState.CONTRADICTED, {POSITION: 180}),
        confirmation=Confirmation.EXPLICIT,
        direction="forward",
        zone=MINE,
    )
    assert short.outcome is Outcome.FAILED and "it shows 0 millimetres" in short.text


@pytest.mark.parametrize(("speed_kmh", "by", "reason"), [(5.0, Provenance.DRIVER, "moving"), (0.0, Provenance.PASSENGER, "not_allowed_speaker"), (0.0, Provenance.SEEN, "not_allowed_speaker")])  # fmt: skip
def test_moving_is_refused(speed_kmh: float, by: Provenance, reason: str) -> None:
    port = car(speed_kmh, by)
    spoken = run(MOVE, port, confirmation=Confirmation.EXPLICIT, by=by, direction="recline", zone=MINE)
    assert (spoken.outcome, spoken.reason, port.sent) == (Outcome.REFUSED, reason, [])


def test_what_later_words_change() -> None:
    heated = recent(SET, before={DRIVER: 33}, level=66, zone=MINE)
    assert after("no, the passenger's", heated)[0] == (SET, {"level": 66, "zone": HERS})
    assert after("undo that", heated) == [(SET, {"level": 33, "zone": MINE})]
    assert after("turn it off", heated) == [(SET, {"level": 0, "zone": MINE})]
    assert after("a bit warmer", heated) == [(CHANGE, {"delta": 33, "zone": MINE})]
    assert after("再热一点", heated) == [(CHANGE, {"delta": 33, "zone": MINE})]
    assert after("the other way round", recent(CHANGE, delta=33, zone=MINE)) == [(CHANGE, {"delta": -33, "zone": MINE})]
    moved = recent(MOVE, before={POSITION: 10}, direction="forward", zone=MINE)
    assert after("undo that", moved) == [(MOVE, {"direction": "backward", "zone": MINE, "amount": 10.0})]
    assert after("反过来", moved) == [(MOVE, {"direction": "backward", "zone": MINE})]


def test_a_stretch_that_the_tagger_found() -> None:
    assert meant(SET, "heat", "this leather is ice cold, heat it") == [{"level": 66, "zone": MINE}]
    assert meant(SET, "cool", "my back is all sweaty, cool the seat") == [{"level": -66, "zone": MINE}]
    assert meant(SET, "off", "rear seat warmers off please") == [{"level": 0, "missing": ("zone",)}]
    assert meant(CHANGE, "less", "the seat is cooking me, less please") == [{"delta": -33, "zone": MINE}]
    assert meant(SET, "fragment", "and the passenger's", recent(SET, level=100, zone=MINE)) == [{"level": 100, "zone": HERS}]
    assert meant(MOVE, "backward", "slide me back a few inches") == [{"direction": "backward", "amount": 50.8, "zone": MINE}]
    assert meant(MOVE, "recline", "老婆要睡觉,把她那边座椅放倒") == [{"direction": "recline", "zone": HERS}]


def test_the_simulated_seats_move_and_warm() -> None:
    plant = Plant()
    plant.command(POSITION, 230)
    plant.command(RECLINE, 30.0)
    plant.command(HEIGHT, 90)
    plant.command(DRIVER, -66)
    plant.step(1.0)
    assert 180 < int(plant.values[POSITION]) < 230 and plant.values[DRIVER] == -66
    plant.step(3.0)
    assert (plant.values[POSITION], plant.values[RECLINE], plant.values[HEIGHT]) == (230, 30.0, 90)
    assert {way.path("driver") for way in WAYS.values()} == {POSITION, RECLINE, HEIGHT}
