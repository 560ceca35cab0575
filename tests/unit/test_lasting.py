"""Words that ask for an act for a while only, which nobody would undo, and those that only look like it."""

import pytest

from ridealong.harness.lasting import lasting, no_undoing
from ridealong.harness.not_now import other_time
from ridealong.harness.router import AskBack, Calls, Router
from ridealong.harness.skill import Context, Match, Provenance
from ridealong.harness.tagged import Stretch
from ridealong.harness.tagged_router import TaggedRouter
from ridealong.vehicle_skills.builtin import builtin_registry
from ridealong.vehicle_skills.pretended import RecordingPort, car_at

pytestmark = pytest.mark.unit

REGISTRY = builtin_registry()
READ = RecordingPort(car_at(0), Provenance.DRIVER).read


def locale_of(text: str) -> str:
    return "zh" if any("\u4e00" <= letter <= "\u9fff" for letter in text) else "en"


@pytest.mark.parametrize(
    "text",
    [
        "open the window until we stop",
        "Turn the heating off until we get there.",
        "turn off the AC for ten minutes",
        "Turn the air conditioning off for half an hour, please.",
        "turn it on for two and a half minutes",
        "close the windows while we're in the tunnel",
        "set the fan to 30 percent until it gets warmer",
        "keep the boot open as long as we're parked",
        "open the windows for the next five minutes",
        "open the window till it cools down",
        "set it to 24 for an hour",
        "把窗户打开，到停车为止",
        "开窗开到停车",
        "空调关十分钟",
        "开五分钟窗",
        "把空调关掉直到我们到达",
        "把窗户一直开到家",
        "过隧道期间把窗户关上",
        "开窗透气五分钟",
        "先把空调关半个小时",
    ],
)
def test_what_would_have_to_be_undone(text: str) -> None:
    assert lasting(text, locale_of(text)) is not None


@pytest.mark.parametrize(
    "text",
    [
        "open the window",
        "open the window for a bit",
        "turn off the AC for now",
        "open the window until it's half open",
        "turn it up until it's 22 degrees",
        "close the window until there's only a crack",
        "Set a timer for ten minutes.",
        "wait until we stop",
        "tell me when we get there",
        "while you're at it open the window",
        "Could you not have the windows open while we're on the motorway?",
        "close the windows for the rest of the drive",
        "how long until we get there",
        "we passed a petrol station a while back",
        "set the rear to 20 for the kids",
        "turn the heating down until I say so",
        "set it to 22 until further notice",
        "take me home while avoiding the motorway",
        "打开窗户",
        "窗户开着，直到我说关",
        "开一会儿窗",
        "定十分钟的计时",
        "十分钟后提醒我关窗",
        "把窗户开到一半",
        "窗户一直开着",
        "空调开到最大",
        "我以前那辆车，暖风一开二十分钟才热",
        "到家还要多久",
    ],
)
def test_what_may_stay_as_it_is_done(text: str) -> None:
    assert lasting(text, locale_of(text)) is None


def decided(text: str, label: str = "") -> object:
    def tags(words: str) -> tuple[Stretch, ...]:
        return (Stretch(label, words, (0, len(words)), 0.97),) if label else ()

    tags.capabilities = frozenset(skill.name for skill in REGISTRY)  # type: ignore[attr-defined]
    router = TaggedRouter(Router(REGISTRY), tags)  # type: ignore[arg-type]
    return router.decide(text, locale_of(text), Context(provenance=Provenance.DRIVER, read=READ), Provenance.DRIVER)


@pytest.mark.parametrize("label", ["", "later", "windows.set_position/open"])
@pytest.mark.parametrize(
    ("text", "said"),
    [("open the window until we stop", "I can't do that only for a while"), ("开窗开到停车", "不能只做一段时间")],
)
def test_what_is_for_a_while_is_refused_whoever_found_it(text: str, said: str, label: str) -> None:
    decision = decided(text, label)
    assert isinstance(decision, AskBack) and decision.reason == "for_a_while" and said in decision.question


def test_a_time_that_is_an_argument_is_none() -> None:
    skill, window = REGISTRY.get("navigation.set_destination"), REGISTRY.get("windows.set_position")
    assert skill is not None and window is not None
    until = "turn it off for ten minutes"
    only = lasting(until, "en")
    assert only is not None and no_undoing(only).startswith("I can't")
    assert other_time(Match(skill.name, 0.9, {}, {"place": "for ten minutes"}), skill, "en", until) is None
    assert other_time(Match(skill.name, 0.9, {}, {"place": "off"}), skill, "en", until) is not None
    assert (
        other_time(Match(window.name, 0.9, {}, {"position": "for ten minutes"}), window, "en", until) is not None
    )  # no number is a time


def test_timers_go_on_as_before() -> None:
    assert isinstance(decided("set a timer for ten minutes"), Calls)
    assert isinstance(decided("five minutes for the eggs", "timer.set"), Calls)


@pytest.mark.parametrize("text", ["turn on the seat heating for five minutes", "座椅加热开五分钟"])
def test_something_switched_on_for_a_while_is_no_timer(text: str) -> None:
    decision = decided(text, "timer.set")
    assert isinstance(decision, AskBack) and decision.reason == "for_a_while"
