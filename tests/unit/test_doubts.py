"""Places that this car has not, numbers that can't be, limits of nobody knows what: asked about, and never guessed."""

from collections.abc import Sequence

import pytest

from ridealong.harness.router import AskBack, Calls, ChitChat, Decision, Router
from ridealong.harness.skill import Context, Outcome, Provenance, Recent
from ridealong.harness.tagged import Stretch
from ridealong.harness.tagged_router import TaggedRouter
from ridealong.vehicle_skills.builtin import builtin_registry
from ridealong.vehicle_skills.pretended import RecordingPort, car_at

pytestmark = pytest.mark.unit

REGISTRY = builtin_registry()
READ = RecordingPort(car_at(0), Provenance.DRIVER).read


class Tags:
    """One label for the whole sentence."""

    capabilities = frozenset(skill.name for skill in REGISTRY)

    def __init__(self, label: str) -> None:
        self._label = label

    def __call__(self, text: str) -> Sequence[Stretch]:
        return (Stretch(self._label, text, (0, len(text)), 0.95),) if self._label else ()


def decide(words: str, label: str = "", recent: tuple[Recent, ...] = ()) -> Decision:
    context = Context(recent=recent, provenance=Provenance.DRIVER, read=READ)
    router = TaggedRouter(Router(REGISTRY), Tags(label))  # type: ignore[arg-type]
    return router.decide(words, "zh" if ord(words[0]) > 0x3000 else "en", context, Provenance.DRIVER)


def asked(decision: Decision) -> AskBack:
    assert isinstance(decision, AskBack), decision
    return decision


OPEN = "windows.set_position/open"


@pytest.mark.parametrize(
    "words",
    [
        "open the fifth window", "open the third-row window", "open the window in the third row", "open the middle window", "open the kitchen window",
        "open window two", "shut the window in the bedroom", "打开第三排车窗", "打开第五个车窗", "打开中间的车窗",
    ],
)  # fmt: skip
@pytest.mark.parametrize("label", ["", OPEN])
def test_a_place_that_is_not_known_is_never_the_drivers(words: str, label: str) -> None:
    question = asked(decide(words, label)).question
    assert "rear ones" in question or "哪一扇" in question


@pytest.mark.parametrize(
    ("words", "zone"),
    [
        ("open the window", "row1.driver"), ("open the flipping window", "row1.driver"), ("open the window of the car", "row1.driver"), ("open the back windows", "row2"),
        ("把窗户打开", "row1.driver"), ("把我身边的窗户打开", "row1.driver"), ("打开左后车窗", "row2.driver"),
    ],
)  # fmt: skip
def test_a_window_that_is_known_or_not_named_is_not_asked_about(words: str, zone: str) -> None:
    decision = decide(words, OPEN)
    assert isinstance(decision, Calls) and decision.matches[0].arguments["zone"] == zone


@pytest.mark.parametrize("words", ["open the back", "pop the back", "打开后面", "后面打开"])
def test_the_back_may_be_the_boot_or_the_rear_windows(words: str) -> None:
    question = asked(decide(words, OPEN))
    assert ("boot" in question.question or "后备箱" in question.question) and question.match is not None
    pending = (Recent(question.match.capability, question.match.arguments, Outcome.ASKS, 3_000),)
    for answer, capability in (
        ("the boot", "trunk.open"),
        ("后备箱", "trunk.open"),
        ("the windows", "windows.set_position"),
        ("车窗", "windows.set_position"),
    ):
        decision = decide(answer, recent=pending)
        assert isinstance(decision, Calls) and decision.matches[0].capability == capability
        assert decision.matches[0].arguments.get("zone", "row2") == "row2"


@pytest.mark.parametrize(
    ("words", "label", "range_named"),
    [
        ("timer for 900 hours", "timer.set", "four hours"), ("set a timer for 0 minutes", "timer.set", "one second"), ("a timer of minus five minutes", "timer.set", "one second"),
        ("定一个零分钟的计时器", "timer.set", "四个小时"), ("set the temperature to 90", "climate.set_temperature/value", "14 to 30"),
        ("make it 30 degrees warmer", "climate.change_temperature/warmer", "10 degrees"), ("升高三十度", "climate.change_temperature/warmer", "十度"),
        ("fan level 15", "climate.set_fan/value", "0 to 100 percent"), ("fan to 150 percent", "climate.set_fan/value", "0 to 100 percent"), ("风量调到150%", "climate.set_fan/value", "百分之一百"),
        ("fan minus 10", "climate.set_fan/less", "0 to 100 percent"), ("open the window 150 percent", OPEN, "0 to 100 percent"), ("车窗开百分之一百五", OPEN, "百分之一百"),
        ("tell me when the battery is below 150 percent", "watch.signal", "0 to 100 percent"), ("tell me when the speed is over 900", "watch.signal", "1 to 300"),
    ],
)  # fmt: skip
def test_a_number_that_can_not_be_is_answered_with_the_range(words: str, label: str, range_named: str) -> None:
    assert range_named in asked(decide(words, label)).question


@pytest.mark.parametrize(
    ("words", "label"),
    [
        ("set the temperature to 22", "climate.set_temperature/value"), ("turn it up to 25 degrees", "climate.set_temperature/value"), ("空调十六度", "climate.set_temperature/value"),
        ("two degrees warmer", "climate.change_temperature/warmer"), ("fan to 30 percent", "climate.set_fan/value"), ("open the window 30 percent", OPEN), ("timer for 4 hours", "timer.set"),
    ],
)  # fmt: skip
def test_one_that_can_be_is_not(words: str, label: str) -> None:
    assert isinstance(decide(words, label), Calls)


@pytest.mark.parametrize(
    ("words", "topic", "test", "limit"),
    [
        ("tell me when we pass 100", "speed", "above", 100.0), ("tell me when we pass 100 km/h", "speed", "above", 100.0), ("let me know when we reach 120", "speed", "up_to", 120.0),
        ("tell me when we are under 30 percent", "battery", "below", 30.0), ("shout when we're down to 40 km", "range", "below", 40_000.0), ("超过一百告诉我", "speed", "above", 100.0),
        ("到了一百二提醒我", "speed", "up_to", 120.0), ("低于百分之三十告诉我", "battery", "below", 30.0), ("剩二十公里的时候告诉我", "range", "below", 20_000.0),
    ],
)  # fmt: skip
def test_a_limit_without_a_topic_is_a_signals(words: str, topic: str, test: str, limit: float) -> None:
    decision = decide(words, "watch.signal")
    assert isinstance(decision, Calls) and decision.matches[0].arguments == {"topic": topic, "test": test, "limit": limit}


@pytest.mark.parametrize(("words", "answer", "topic"), [("tell me when we're under 30", "the battery", "battery"), ("tell me when it's below 5 degrees", "outside", "outside"), ("低于三十告诉我", "电量", "battery")])  # fmt: skip
def test_a_limit_of_nobody_knows_what_is_asked_about(words: str, answer: str, topic: str) -> None:
    question = asked(decide(words, "watch.signal"))
    assert question.match is not None
    decision = decide(answer, recent=(Recent("watch.signal", question.match.arguments, Outcome.ASKS, 3_000),))
    assert isinstance(decision, Calls) and decision.matches[0].arguments["topic"] == topic


def test_places_on_the_way_are_no_signal() -> None:
    decision = decide("tell me when we pass a dog", "watch.signal")
    assert isinstance(decision, Calls) and decision.matches[0].capability == "watch.beyond"


@pytest.mark.parametrize("words", ["透透气", "我想透透气", "通通风", "let some air in"])
def test_air_is_not_the_tyres(words: str) -> None:
    assert "window" in asked(decide(words, "status.tyres")).question or "车窗" in asked(decide(words, "status.tyres")).question


@pytest.mark.parametrize("words", ["轮胎气足不足", "胎压怎么样", "how are the tyres", "do they need pumping up"])
def test_the_tyres_are(words: str) -> None:
    decision = decide(words, "status.tyres")
    assert isinstance(decision, Calls) and decision.matches[0].capability == "status.tyres"


@pytest.mark.parametrize(
    "words",
    ["cancel the timer", "stop the timer", "cancel the search", "how long is left on the timer", "取消计时器", "取消搜索"],
)
def test_where_no_work_is_it_is_said(words: str) -> None:
    assert decide(words, "watch.stop") == ChitChat("no_work")
