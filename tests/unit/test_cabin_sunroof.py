"""The sunroof: open, closed, tilted; nothing in between is set, and nothing is said that its sensor does not show."""

from __future__ import annotations

import pytest

from ridealong.harness.skill import Outcome, Provenance
from ridealong.proto.types import ActuationState, SignalReading, SignalWrite
from ridealong.simulators.car.plant import Plant
from ridealong.vehicle_skills import signals as vss
from ridealong.vehicle_skills.policy import closing

from .cabin import StubbornCar, after, car, claimed, meant, question, recent, run, sent, touches

pytestmark = pytest.mark.unit

SET = "sunroof.set"
SWITCH, POSITION = vss.SUNROOF_SWITCH, vss.SUNROOF_POSITION


@pytest.mark.parametrize(
    ("to", "texts"),
    [
        ("open", ["Open the sunroof.", "open up the sunroof please", "slide the sunroof open", "could you open the moonroof", "sunroof open please", "I'd like the sunroof open", "roll back the glass roof",
                  "open the sunroof all the way", "打开天窗", "请把天窗打开", "天窗开一下", "全景天窗打开", "天窗全开", "开天窗", "把车顶的窗户打开", "天窗打开透透气"]),
        ("closed", ["Close the sunroof.", "shut the sunroof", "please close the panoramic roof", "get the sunroof closed", "sunroof shut", "close the roof", "关天窗", "把天窗关上", "天窗关闭", "请关好天窗", "天窗合上吧", "天窗关严"]),
        ("tilted", ["Tilt the sunroof.", "vent the sunroof", "put the sunroof in the tilt position", "tilt the sunroof a bit", "sunroof in vent position", "prop the sunroof up", "天窗翘起来", "把天窗斜开", "天窗翘起一点", "天窗倾斜", "天窗后部翘起", "让天窗翘着"]),
    ],
)  # fmt: skip
def test_what_moves_it(to: str, texts: list[str]) -> None:
    assert {text: claimed(text) for text in texts} == {text: [(SET, {"to": to})] for text in texts}


@pytest.mark.parametrize(
    "text", ["Open the sunroof halfway.", "sunroof half open", "open the sunroof thirty percent", "open the sunroof a little bit", "don't open the sunroof all the way, open it a third", "天窗开一半", "天窗打开30%", "天窗开条缝", "把天窗开一点"]
)  # fmt: skip
def test_a_place_in_between_is_asked_about(text: str) -> None:
    assert claimed(text) in (f"asks {SET}", "Nothing")
    assert not text.startswith("Open") or "can't set the sunroof to a place in between" in question(text)
    assert meant(SET, "open", text) == [{"missing": ("to",)}]


def test_the_answer_to_that_question() -> None:
    asked = recent(SET, Outcome.ASKS)
    assert claimed("tilt it", asked) == [(SET, {"to": "tilted"})]
    assert claimed("open it", asked) == [(SET, {"to": "open"})]
    assert claimed("翘起来", asked) == [(SET, {"to": "tilted"})]
    assert claimed("yes", asked) == "Nothing"  # neither of the two


@pytest.mark.parametrize(
    "text",
    [
        "Is the sunroof open?", "the sunroof is closed", "did I close the roof", "don't open the sunroof", "put the roof box on", "open the roof rack", "the roof is leaking", "turn on the roof light", "open the sunshade",
        "open the driver's window", "I opened the sunroof yesterday", "should I open the sunroof", "天窗开着吗", "天窗关了没有", "我已经把天窗关了", "别开天窗", "打开遮阳帘", "打开车窗", "屋顶漏水了", "没天窗，开侧窗", "打开天窗旁边的窗户", "可以开天窗吗", "天窗让它开着吧", "他说打开天窗", "车顶灯打开",
    ],
)  # fmt: skip
def test_what_moves_no_roof(text: str) -> None:
    assert not touches(text, SET)


@pytest.mark.parametrize(
    ("now", "to", "switch", "said"),
    [
        (0, "open", "ONE_SHOT_OPEN", "The sunroof is now open."), (100, "closed", "ONE_SHOT_CLOSE", "The sunroof is now closed."), (-100, "closed", "TILT_DOWN", "The sunroof is now closed."),
        (100, "tilted", "TILT_UP", "The sunroof is now tilted."), (40, "open", "ONE_SHOT_OPEN", "The sunroof is now open."),
    ],
)  # fmt: skip
def test_what_the_switch_is_set_to(now: int, to: str, switch: str, said: str) -> None:
    port = car(values={POSITION: now})
    assert (run(SET, port, to=to).text, sent(port)) == (said, [(SWITCH, switch)])


def test_what_is_so_already() -> None:
    assert run(SET, port := car(values={POSITION: 100}), to="open").text == "The sunroof is already open."
    assert run(SET, car(), "zh", to="closed").text == "天窗已经关好了。"
    assert port.sent == []


@pytest.mark.parametrize(
    ("state", "shows", "words"),
    [
        (ActuationState.CONTRADICTED, 37, "did something else; it shows 37 percent open"), (ActuationState.TIMED_OUT, 0, "hasn't confirmed it; it shows closed"),
        (ActuationState.FORWARDED, -100, "hasn't confirmed it; it shows tilted"),
    ],
)  # fmt: skip
def test_open_is_never_said_without_the_sensor(state: ActuationState, shows: int, words: str) -> None:
    spoken = run(SET, StubbornCar(state, {POSITION: shows}), to="open")
    assert words in spoken.text and "is now" not in spoken.text


def test_refused() -> None:
    for port, reason in (
        (car(110), "too_fast"),
        (car(values={vss.IGNITION: "OFF"}), "ignition_off"),
        (car(by=Provenance.OVERHEARD), "not_allowed_speaker"),
    ):
        spoken = run(SET, port, by=port.provenance, to="open")
        assert (spoken.outcome, spoken.reason, port.sent) == (Outcome.REFUSED, reason, [])
    assert run(SET, car(110), to="open").text == "I can't open the sunroof at this speed."
    assert run(SET, car(30), to="open").outcome is Outcome.COMPLETED


def test_glass_that_may_close_on_a_hand_needs_somebody_in_the_drivers_seat() -> None:
    empty = {vss.occupancy("Row1", "DriverSide"): "EMPTY"}
    assert run(SET, car(values=empty | {POSITION: 100}), to="closed").reason == "nobody_there"
    assert run(SET, car(values=empty | {POSITION: 100}), to="tilted").reason == "nobody_there"  # it slides shut on the way
    assert run(SET, car(values=empty), to="open").outcome is Outcome.COMPLETED


@pytest.mark.parametrize(
    ("switch", "now", "closes"),
    [("ONE_SHOT_CLOSE", 50, True), ("TILT_DOWN", -100, True), ("TILT_UP", 0, False), ("TILT_UP", 60, True), ("ONE_SHOT_OPEN", -100, True), ("ONE_SHOT_OPEN", 0, False), ("OPEN", None, False), ("TILT_UP", None, True), ("INACTIVE", 40, False)],
)  # fmt: skip
def test_which_switch_closes_glass(switch: str, now: int | None, closes: bool) -> None:
    assert closing((SignalWrite(SWITCH, switch),), lambda path: SignalReading(path, now) if now is not None else None) is closes


def test_another_end_the_other_way_and_back() -> None:
    opened = recent(SET, before={POSITION: -100}, to="open")
    assert after("close it", opened) == [(SET, {"to": "closed"})]
    assert after("undo that", opened) == [(SET, {"to": "tilted"})]
    assert after("反过来", opened) == [(SET, {"to": "closed"})]
    assert claimed("just tilt it", opened) == claimed("no, tilt it", opened) == [(SET, {"to": "tilted"})]
    assert claimed("tilt it") == "Nothing" or not touches("tilt it", SET)


def test_a_stretch_that_the_tagger_found() -> None:
    assert meant(SET, "close", "it's raining in, close the roof!") == [{"to": "closed"}]
    assert meant(SET, "open", "let's get some sky, slide the roof open") == [{"to": "open"}]
    assert meant(SET, "tilt", "lift the sunroof up a crack, don't slide it") == [{"to": "tilted"}]


def test_the_simulated_roof_goes_where_the_switch_says_and_can_be_stopped_on_the_way() -> None:
    plant = Plant()
    plant.command(SWITCH, "ONE_SHOT_OPEN")
    plant.step(2.0)
    assert 0 < int(plant.values[POSITION]) < 100
    plant.step(4.0)
    assert plant.values[POSITION] == 100
    plant.command(SWITCH, "TILT_UP")
    plant.step(12.0)
    assert plant.values[POSITION] == -100
    plant.command(SWITCH, "TILT_DOWN")
    plant.step(6.0)
    assert plant.values[POSITION] == 0
