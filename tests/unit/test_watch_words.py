"""Words -> standing requests, with the real router and registry: what is taken for one, with which arguments, and what is not."""

from __future__ import annotations

import pytest

from ridealong.harness.router import AskBack, Calls, ChitChat, Decision, Nothing, Router
from ridealong.harness.skill import Context, Outcome, Provenance, Recent
from ridealong.proto.types import SignalReading
from ridealong.vehicle_skills import signals as s
from ridealong.vehicle_skills.builtin import builtin_registry

pytestmark = pytest.mark.unit

CAR = {s.BATTERY_LEVEL: 50.0, s.SPEED: 80.0, s.DRIVER_POSITION: "LEFT", s.OUTSIDE_TEMPERATURE: 12.0}
ROUTER = Router(builtin_registry())


def read(path: str) -> SignalReading | None:
    return SignalReading(path, CAR[path]) if path in CAR else None  # type: ignore[arg-type]


def decide(text: str, *recent: Recent, provenance: Provenance = Provenance.DRIVER) -> Decision:
    return ROUTER.decide(text, "en", Context(recent=recent, read=read), provenance)


def called(text: str) -> tuple[str, dict[str, object]]:
    decision = decide(text)
    assert isinstance(decision, Calls), (text, decision)
    (match,) = decision.matches
    return match.capability, dict(match.arguments)


SIGNALS = [
    ("Tell me when we are below 20 percent battery.", {"topic": "battery", "test": "below", "limit": 20.0}),
    ("Let me know when the speed is over 120.", {"topic": "speed", "test": "above", "limit": 120.0}),
    ("Warn me if we go faster than 100 miles per hour.", {"topic": "speed", "test": "above", "limit": 160.9}),
    ("When the battery drops below twenty percent, tell me.", {"topic": "battery", "test": "below", "limit": 20.0}),
    ("Tell me when the battery reaches 80 percent.", {"topic": "battery", "test": "up_to", "limit": 80.0}),
    ("Tell me when the battery is at 30 percent.", {"topic": "battery", "test": "down_to", "limit": 30.0}),
    ("Alert me every time the speed exceeds 130.", {"topic": "speed", "test": "above", "limit": 130.0, "every_time": True}),
    ("Let me know when it is below 3 degrees outside for the next two hours.", {"topic": "outside", "test": "below", "limit": 3.0, "lasts_s": 7200}),
    ("Tell me when the rear left door opens.", {"topic": "doors", "test": "open", "zone": "row2.driver"}),
    ("Tell me when all the windows are closed.", {"topic": "windows", "test": "closed", "zone": "all"}),
    ("Tell me when the boot is closed.", {"topic": "trunk", "test": "closed"}),
    ("Tell me when we arrive.", {"topic": "arrival", "test": "below", "limit": 150.0}),
    ("Tell me when we stop.", {"topic": "motion", "test": "stopped"}),
    ("Tell me when a tyre is below 2.2 bar.", {"topic": "tyres", "test": "below", "limit": 220.0}),
    ("Tell me when we have less than 50 kilometres left.", {"topic": "range", "test": "below", "limit": 50_000.0}),
    ("电量低于百分之二十的时候告诉我。", {"topic": "battery", "test": "below", "limit": 20.0}),
    ("车速超过一百二就提醒我。", {"topic": "speed", "test": "above", "limit": 120.0}),
    ("每次车速超过120提醒我", {"topic": "speed", "test": "above", "limit": 120.0, "every_time": True}),
    ("左后车门打开的时候告诉我", {"topic": "doors", "test": "open", "zone": "row2.driver"}),
    ("到了告诉我", {"topic": "arrival", "test": "below", "limit": 150.0}),
]  # fmt: skip


@pytest.mark.parametrize("text, arguments", SIGNALS)
def test_signals(text: str, arguments: dict[str, object]) -> None:
    assert called(text) == ("watch.signal", arguments)


WORDS = [
    ("Tell me when you see a sign that says Exit 12.", "seen", "Exit 12"),
    ("Tell me when you see the word Parking.", "seen", "Parking"),
    ("Let me know when we pass a sign for the Central Museum.", "seen", "Central Museum"),
    ("Watch out for a sign that says Oak Street.", "seen", "Oak Street"),
    ("Tell me when we pass exit 12.", "seen", "exit 12"),
    ("Tell me when they announce gate B12.", "heard", "gate B12"),
    ("Tell me when someone mentions Sarah.", "heard", "Sarah"),
    ("Tell me when somebody says it's time for lunch.", "heard", "it is time for lunch"),
    ("看到写着“出口”的牌子告诉我。", "seen", "出口"),
    ("看到停车场三个字的时候告诉我", "seen", "停车场"),
    ("有人提到张伟的时候告诉我", "heard", "张伟"),
    ("听到广播登机口B12的时候告诉我", "heard", "登机口B12"),
]


@pytest.mark.parametrize("text, source, phrase", WORDS)
def test_words(text: str, source: str, phrase: str) -> None:
    assert called(text) == ("watch.words", {"source": source, "phrase": phrase})


@pytest.mark.parametrize(
    "text, shape",
    [
        ("Tell me when you hear a loud bang.", "bang"),
        ("Tell me if you hear a loud noise.", "any"),
        ("听到巨响的时候告诉我。", "bang"),
        ("Let me know if there is a crash.", "bang"),
    ],
)
def test_sounds(text: str, shape: str) -> None:
    assert called(text) == ("watch.sound", {"shape": shape})


@pytest.mark.parametrize(
    "heard, capability",
    [
        ("听到剧想的时后告诉我。", "watch.sound"),
        ("务报", "watch.wrong"),
        ("Tell me when we are below 20% battery.", "watch.signal"),
        ("别再流意了", "watch.stop"),
    ],
)
def test_as_a_recogniser_wrote_it(heard: str, capability: str) -> None:
    assert called(heard)[0] == capability


@pytest.mark.parametrize(
    "text, kind",
    [
        ("Tell me when you see a dog.", "object"),
        ("Tell me when you see a red car.", "object"),
        ("Tell me when you hear a siren.", "sound"),
        ("Tell me when the baby is crying.", "sound"),
        ("Tell me when it starts raining.", "signal"),
        ("Tell me when the traffic light turns green.", "signal"),
        ("Hey Ridealong, tell me when the cake is ready.", "other"),
        ("看到狗的时候告诉我", "object"),
        ("听到警笛告诉我", "sound"),
        ("下雨的时候告诉我", "signal"),
    ],
)
def test_what_is_beyond_reach_is_known_to_be(text: str, kind: str) -> None:
    capability, arguments = called(text)
    assert (capability, arguments["kind"]) == ("watch.beyond", kind)


@pytest.mark.parametrize(
    "text, capability",
    [
        ("Stop watching.", "watch.stop"),
        ("Stop looking out for that sign.", "watch.stop"),
        ("别再留意了。", "watch.stop"),
        ("What are you watching for?", "watch.list"),
        ("你在留意什么？", "watch.list"),
        ("That was a false alarm.", "watch.wrong"),
        ("误报。", "watch.wrong"),
    ],
)
def test_about_watches(text: str, capability: str) -> None:
    assert called(text) == (capability, {})


@pytest.mark.parametrize(
    "text, capability",
    [
        ("Tell me if the boot is open.", "status.trunk"),
        ("Tell me the battery level.", "status.energy"),
        ("How fast are we going?", "status.speed"),
        ("Remind me in ten minutes.", "timer.set"),
        ("十分钟后提醒我", "timer.set"),
        ("现在电量是多少告诉我", "status.energy"),
    ],
)
def test_other_requests_stay_what_they_were(text: str, capability: str) -> None:
    assert called(text)[0] == capability


@pytest.mark.parametrize("text", ["Tell me when the war ended.", "He told me when we left.", "Tell me when to turn.", "Stop."])
def test_not_a_standing_request(text: str) -> None:
    decision = decide(text)
    assert isinstance(decision, ChitChat | Nothing) or not decision_is_watch(decision)


@pytest.mark.parametrize(
    "text",
    [
        "Let me know when you're ready.", "Call me when you arrive.", "Tell me when she is back.", "Let me know when dinner is ready.",
        "Tell me when you get home.", "Tell me when it's your turn.", "Let me know if he calls.", "你到家了告诉我", "你准备好了告诉我", "他回来的时候告诉我",
    ],
)  # fmt: skip
def test_what_people_ask_each_other_is_not_for_us(text: str) -> None:
    assert not decision_is_watch(decide(text))
    assert ROUTER.addressed(text, "en", Context(read=read)) < 0.7


def decision_is_watch(decision: Decision) -> bool:
    return isinstance(decision, Calls) and any(match.capability.startswith("watch.") for match in decision.matches)


@pytest.mark.parametrize("provenance", [Provenance.OVERHEARD, Provenance.SEEN])
@pytest.mark.parametrize("text", ["Tell me when you see a sign that says Exit 12.", "Stop watching.", "False alarm."])
def test_what_is_overheard_or_seen_starts_and_ends_nothing(text: str, provenance: Provenance) -> None:
    assert isinstance(decide(text, provenance=provenance), Nothing)


@pytest.mark.parametrize(
    "text, answer, name",
    [
        ("Tell me when somebody says my name.", "Anna.", "Anna"),
        ("Tell me when my name is called.", "My name is John Smith.", "John Smith"),
        ("有人说我的名字的时候告诉我", "我叫张伟", "张伟"),
    ],
)
def test_the_name_is_asked_for_and_the_answer_completes_the_request(text: str, answer: str, name: str) -> None:
    asked = decide(text)
    assert isinstance(asked, AskBack) and asked.match is not None
    decision = decide(answer, Recent(asked.match.capability, asked.match.arguments, Outcome.ASKS, 3_000))
    assert isinstance(decision, Calls)
    assert decision.matches[0].arguments == {"source": "heard", "phrase": name}


def test_a_limit_that_nobody_said_is_asked_for() -> None:
    decision = decide("Tell me when the speed changes.")
    assert isinstance(decision, AskBack) and "value" in decision.question


def test_car_words_in_a_standing_request_actuate_nothing() -> None:
    for text in (
        "Tell me when the rear left window is open.",
        "Let me know when somebody opens the boot.",
        "车窗打开的时候告诉我",
    ):
        assert called(text)[0] == "watch.signal"
