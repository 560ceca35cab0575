"""The door locks: words, the question before they act, and that they say only what the car shows."""

from __future__ import annotations

import pytest

from ridealong.harness.skill import Confirmation, Outcome, Provenance
from ridealong.proto.types import ActuationState
from ridealong.vehicle_skills import signals as vss

from .cabin import StubbornCar, after, car, claimed, meant, recent, run, sent, touches

pytestmark = pytest.mark.unit

LOCK, UNLOCK = "locks.lock", "locks.unlock"
DOORS = {(row, side): vss.door_locked(row, side) for row in vss.ROWS for side in vss.SIDES}
LOCKED = dict.fromkeys(DOORS.values(), True)


@pytest.mark.parametrize(
    ("zone", "texts"),
    [
        ("all", ["Lock the doors.", "lock the car please", "Could you lock up the car?", "lock everything", "Lock all the doors.", "lock it", "central locking on",
                 "engage the door locks", "lock all four doors", "把车锁上", "锁车门", "请锁好所有车门", "车门上锁", "帮我把车门都锁了", "锁一下车", "中控锁落锁", "四个门都锁上", "锁门"]),
        ("row1.passenger", ["lock the passenger door", "please lock the passenger's door", "副驾驶的门锁上", "把副驾车门锁好"]),
        ("row1.driver", ["lock my door", "lock the driver's door", "主驾驶车门锁一下", "把驾驶座的门锁上"]),
        ("row2", ["lock the rear doors", "lock both back doors", "后排车门锁上", "把后门锁上"]),
        ("row2.passenger", ["lock the rear right door", "右后门锁上"]),
    ],
)  # fmt: skip
def test_what_locks(zone: str, texts: list[str]) -> None:
    assert {text: claimed(text) for text in texts} == {text: [(LOCK, {"zone": zone})] for text in texts}


@pytest.mark.parametrize(
    ("zone", "texts"),
    [
        ("all", ["Unlock the doors.", "please unlock the car", "unlock all the doors", "Release the door locks.", "undo the locks", "central locking off", "can you unlock everything", "unlock it",
                 "解锁车门", "车门解锁", "把门锁打开", "帮我把车解锁", "开一下车锁", "所有车门解锁", "打开中控锁", "把车门的锁都解开", "解除门锁"]),
        ("row1.passenger", ["unlock the passenger's door", "unlock the front passenger door please", "副驾驶车门解锁", "副驾的门解锁一下"]),
        ("row1.driver", ["unlock just my door", "unlock the driver door", "主驾车门解锁", "解锁主驾的门"]),
        ("row2", ["unlock the back doors", "unlock the rear doors please", "后排车门解锁", "解锁后面的车门"]),
        ("row2.driver", ["unlock the rear left door", "左后门解锁"]),
    ],
)  # fmt: skip
def test_what_unlocks(zone: str, texts: list[str]) -> None:
    assert {text: claimed(text) for text in texts} == {text: [(UNLOCK, {"zone": zone})] for text in texts}


@pytest.mark.parametrize(
    "text",
    [
        "Are the doors locked?", "Is the car locked?", "did you lock the car", "the doors are locked", "I locked the doors already", "don't lock the doors", "lock the screen of my phone",
        "lock the boot", "lock the bike to the fence", "engage the child lock", "lock the windows", "she said lock the doors", "how do I unlock my phone", "doors locked?", "should I lock the doors",
        "车门锁了吗？", "车门锁好没有", "我已经锁车了", "别锁车门", "打开儿童锁", "锁住车窗", "手机锁屏", "把后备箱锁上", "他说锁车门", "要不要锁车门", "你去把车门锁了", "有些车会自动锁门", "lock it in at twenty degrees", "方向盘锁住了", "车门锁咗未",
    ],
)  # fmt: skip
def test_what_locks_nothing(text: str) -> None:
    assert not touches(text, LOCK, UNLOCK)


def test_a_question_comes_first_and_a_yes_acts() -> None:
    port = car()
    asked = run(LOCK, port, zone="row2")
    assert (asked.text, asked.outcome, port.sent) == ("Shall I lock the rear doors?", Outcome.ASKS, [])
    assert claimed("yes please", recent(LOCK, Outcome.ASKS, zone="row2")) == [(LOCK, {"zone": "row2"})]
    done = run(LOCK, port, confirmation=Confirmation.EXPLICIT, zone="row2")
    assert done.text == "The rear doors are locked."
    assert sent(port) == [(DOORS["Row2", side], True) for side in vss.SIDES] and len(port.sent) == 1
    assert run(UNLOCK, car(values=LOCKED), "zh", Confirmation.EXPLICIT, zone="row1.passenger").text == "副驾驶车门已解锁了。"
    assert run(LOCK, car(), "zh", zone="all").text == "要我锁上全部车门吗？"


def test_a_no_or_a_yes_to_something_else_locks_nothing() -> None:
    asked = recent(LOCK, Outcome.ASKS, zone="all")
    assert claimed("no", asked) == "Nothing" and claimed("不要", asked) == "Nothing"
    assert claimed("yes") == "Nothing"


def test_what_is_so_already_is_said_and_not_sent() -> None:
    port = car(values=LOCKED)
    assert run(LOCK, port, zone="all").text == "The doors are already locked."
    assert run(UNLOCK, car(), "zh", zone="row1.driver").text == "主驾驶车门已经解锁了。"
    assert port.sent == []


@pytest.mark.parametrize(
    ("speed_kmh", "by", "reason"),
    [(30.0, Provenance.DRIVER, "moving"), (0.0, Provenance.PASSENGER, "not_allowed_speaker"), (0.0, Provenance.OVERHEARD, "not_allowed_speaker"), (0.0, Provenance.SEEN, "not_allowed_speaker")],
)  # fmt: skip
@pytest.mark.parametrize("confirmation", [Confirmation.NONE, Confirmation.EXPLICIT])
def test_refused(speed_kmh: float, by: Provenance, reason: str, confirmation: Confirmation) -> None:
    port = car(speed_kmh, by)
    spoken = run(UNLOCK, port, confirmation=confirmation, by=by, zone="all")
    assert (spoken.outcome, spoken.reason, port.sent) == (Outcome.REFUSED, reason, [])
    assert run(UNLOCK, car(30), "zh", zone="all").text == "行驶中不能解锁全部车门。"


def test_a_car_that_does_otherwise_is_told_of_door_by_door() -> None:
    shown = LOCKED | {DOORS["Row2", "DriverSide"]: False}
    spoken = run(
        LOCK,
        StubbornCar(ActuationState.CONTRADICTED, shown | {vss.DRIVER_POSITION: "LEFT"}),
        confirmation=Confirmation.EXPLICIT,
        zone="row2",
    )
    assert spoken.outcome is Outcome.FAILED and "the rear left door unlocked" in spoken.text and "are locked" not in spoken.text
    unknown = run(LOCK, StubbornCar(ActuationState.TIMED_OUT, {}), confirmation=Confirmation.EXPLICIT, zone="row1")
    assert unknown.outcome is Outcome.UNKNOWN and "shows no value" in unknown.text


def test_another_door_the_other_way_and_back() -> None:
    locked = recent(LOCK, before={DOORS["Row1", "DriverSide"]: True, DOORS["Row1", "PassengerSide"]: False}, zone="row1")
    assert after("no, the rear ones", locked) == [(LOCK, {"zone": "row2"})]
    assert after("the other way round", locked) == [(UNLOCK, {"zone": "row1"})]
    assert after("undo that", locked) == [(UNLOCK, {"zone": "row1.passenger"})]
    assert after("反过来", locked) == [(UNLOCK, {"zone": "row1"})]


def test_a_stretch_that_the_tagger_found() -> None:
    assert meant(UNLOCK, "", "let my friend in, unlock the passenger door") == [{"zone": "row1.passenger"}]
    assert meant(LOCK, "", "someone's coming over, quick, lock the doors") == [{"zone": "all"}]
    assert meant(LOCK, "", "锁上前门和左后门") == [{"zone": "row1"}, {"zone": "row2.driver"}]
    assert meant(LOCK, "fragment", "and the back ones", recent(LOCK, zone="row1")) == [{"zone": "row2"}]
    assert meant(LOCK, "fragment", "and the radio", recent(LOCK, zone="row1")) == []
