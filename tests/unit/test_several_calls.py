"""Several calls of one sentence, in the product's router, skills and harness: what waits for what, what takes another's result, and what goes on
when the first fails."""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from ridealong.harness.harness import Harness
from ridealong.harness.registry import Registry
from ridealong.harness.results import completed, match_problems
from ridealong.harness.router import Calls, Router
from ridealong.harness.runner import LoopClock
from ridealong.harness.skill import Call, Context, Match, Outcome, Provenance, Recent, Skill, Spoken
from ridealong.harness.tagged import Stretch, untagged
from ridealong.harness.tagged_router import TaggedRouter
from ridealong.proto.types import ActuationState
from ridealong.simulators.evaluation.calls.cases import Case
from ridealong.simulators.evaluation.calls.matching import Made
from ridealong.simulators.evaluation.calls.routing import LocalRouting
from ridealong.vehicle_skills import signals as vss
from ridealong.vehicle_skills.builtin import builtin_registry
from ridealong.vehicle_skills.commands import try_command
from ridealong.vehicle_skills.navigation import gazetteer
from ridealong.vehicle_skills.pretended import car_at
from tests.unit.harness_scene import PolicyCar, Scene, play

pytestmark = pytest.mark.unit

REGISTRY = builtin_registry()
ROUTER = Router(REGISTRY)
SEARCH, SET, WHERE = "navigation.charging_search", "navigation.set_destination", "navigation.where_is"
CLOSE, SWITCH = "windows.set_position", "climate.switch"
AIR = "Vehicle.Cabin.HVAC.IsAirConditioningActive"
LAKE = gazetteer.find("lakeside")
assert LAKE is not None


def locale_of(text: str) -> str:
    return "zh" if any("\u4e00" <= letter <= "\u9fff" for letter in text) else "en"


def matches(text: str, recent: tuple[Recent, ...] = ()) -> tuple[Match, ...]:
    decision = ROUTER.decide(text, locale_of(text), Context(recent=recent), Provenance.DRIVER)
    assert isinstance(decision, Calls), decision
    return decision.matches


# --- what the words say ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("find a charger nearby and take me there", SEARCH),
        ("Find the cheapest charging station and navigate to it.", SEARCH),
        ("Search for the fastest charger, then navigate.", SEARCH),
        ("Which charger is cheapest? Go there.", SEARCH),
        ("find me a charger and set it as the destination", SEARCH),
        ("how far is the airport and take me there", WHERE),
        ("找个充电站然后导航过去", SEARCH),
        ("找一下附近最便宜的充电站，然后带我过去", SEARCH),
        ("搜索最快的充电桩并导航过去", SEARCH),
        ("最近的超市在哪里，导航过去", WHERE),
        ("查一下最近的加油站在哪里，然后带我去", WHERE),
    ],
)
def test_there_is_what_the_first_call_finds(text: str, first: str) -> None:
    search, goes = matches(text)
    assert (search.capability, search.after) == (first, ())
    assert (goes.capability, goes.arguments, goes.grounds, goes.after) == (SET, {}, {"place": "result:place"}, (0,))


@pytest.mark.parametrize("text", ["find the cheapest charger and take me there", "找个最快的充电站然后导航过去"])
def test_words_that_lean_on_those_before_them_are_for_the_assistant_too(text: str) -> None:
    assert ROUTER.addressed(text, locale_of(text), Context()) > 0.8


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("find a petrol station and take me there", "petrol station"),
        ("look for the closest supermarket nearby and drive there", "closest supermarket"),
        ("找个加油站然后导航过去", "加油站"),
        ("找最近的超市，带我去", "最近的超市"),
    ],
)
def test_a_place_that_is_named_needs_no_search(text: str, place: str) -> None:
    assert [(match.capability, match.arguments, match.after) for match in matches(text)] == [(SET, {"place": place}, ())]


@pytest.mark.parametrize(
    "text",
    [
        "close the windows and then turn on the AC",
        "Close the windows, then turn on the AC.",
        "close the windows and after that turn on the AC",
        "Close the windows. After that, turn the AC on.",
        "close the windows and turn on the AC after that",
        "先把车窗关上，再打开空调",
        "关上车窗然后打开空调",
        "把车窗都关上，之后打开空调",
    ],
)
def test_then_keeps_the_order(text: str) -> None:
    first, second = matches(text)
    assert (first.capability, second.capability) == (CLOSE, SWITCH)
    assert (first.behind, second.behind, second.after) == ((), (0,), ())


@pytest.mark.parametrize(
    "text", ["close the windows and turn on the AC", "关上车窗，打开空调", "turn on the AC, close the windows"]
)
def test_what_is_only_joined_waits_for_nothing(text: str) -> None:
    assert [(match.after, match.behind) for match in matches(text)] == [((), ())] * 2


def test_everything_behind_then_waits_for_everything_before_it() -> None:
    found = matches("close the windows and turn on the AC, then open the boot and set it to 21 degrees")
    assert [match.behind for match in found] == [(), (), (0, 1), (0, 1)]


@pytest.mark.parametrize(
    "text", ["set a timer for five minutes and then take me home", "find the cheapest charger, then turn on the AC"]
)
def test_what_only_waits_or_looks_up_holds_nothing_up(text: str) -> None:
    assert [match.behind for match in matches(text)] == [(), ()]


def test_the_taggers_stretches_are_joined_by_the_same_words() -> None:
    text = "windows up and once that's done aircon on"
    stretches = [
        ("windows.set_position/close", "windows up and"),
        ("climate.switch/air_conditioning/on", "once that's done aircon on"),
    ]
    assert [match.behind for match in tagged(text, stretches)] == [(), (0,)]
    text = "somewhere cheap to plug in, take me over there"
    stretches = [(SEARCH, "somewhere cheap to plug in"), (SET, ", take me over there")]
    assert [(match.grounds, match.after) for match in tagged(text, stretches)][1] == ({"place": "result:place"}, (0,))


def tagged(text: str, stretches: list[tuple[str, str]]) -> tuple[Match, ...]:
    class Told:
        capabilities = frozenset(skill.name for skill in REGISTRY)

        def __call__(self, said: str) -> tuple[Stretch, ...]:
            at = [said.index(words) for _, words in stretches]
            return tuple(
                Stretch(label, words, (begin, begin + len(words)), 0.9)
                for (label, words), begin in zip(stretches, at, strict=True)
            )

    decision = TaggedRouter(ROUTER, Told()).decide(text, "en", Context(), Provenance.DRIVER)
    assert isinstance(decision, Calls), decision
    return decision.matches


def test_there_in_a_later_sentence_is_what_was_found() -> None:
    search = Recent(SEARCH, {"prefer": "cheapest"}, Outcome.COMPLETED, 9_000.0, gave={"place": "the Lakeside charging station"})
    (goes,) = matches("take me there", (search,))
    assert goes.arguments == {"place": "the Lakeside charging station"}
    nothing = ROUTER.decide("take me there", "en", Context(recent=(search._replace(gave={}),)), Provenance.DRIVER)
    assert not isinstance(nothing, Calls)


@pytest.mark.parametrize("place", gazetteer.PLACES, ids=lambda place: place.key)
def test_a_found_place_is_found_again_by_the_name_that_is_given(place: gazetteer.KnownPlace) -> None:
    assert gazetteer.find(place.english, 48.14, 11.56) is place and gazetteer.find(place.chinese, 48.14, 11.56) is place


# --- the argument that a result brings ---------------------------------------------------------------------------------


def test_an_argument_is_owed_by_an_earlier_call_or_missing() -> None:
    skill = REGISTRY.get(SET)
    assert skill is not None
    goes = Match(SET, 0.9, {}, {"place": "result:place"}, after=(0,))
    assert match_problems(skill, goes, "take me there", "en") == []
    assert match_problems(skill, replace(goes, after=()), "take me there", "en")
    assert match_problems(skill, replace(goes, grounds={}), "take me there", "en") == ["place is missing"]
    assert completed(skill, goes, [{"place": "home"}]) == {"place": "home"}
    assert completed(skill, goes, [{}]) is None
    assert completed(skill, goes, [{"place": 7}]) is None


# --- how they run ------------------------------------------------------------------------------------------------------


class Ride(Scene):
    def __init__(self, folder: Path, values: Mapping[str, object], registry: Registry = REGISTRY) -> None:
        super().__init__(folder)
        self.fake = PolicyCar(values={**car_at(0.0), AIR: False, **values}, delay_ms=3_000)
        self.harness = Harness(
            "s", registry, Router(registry), self.journal, self.fake, LoopClock(), self.evidence, self.events.append, self.now
        )

    def say(self, words: str) -> None:
        self.ask(words, locale=locale_of(words))

    def ended(self) -> list[tuple[str, str, str]]:
        return [(item.capability, item.execution.value, item.reason) for item in self.harness.items.values()]

    def replies(self) -> list[str]:
        return [item.reply for item in self.harness.items.values()]


OPEN = {vss.window_position(row, side): 60 for row in vss.ROWS for side in vss.SIDES}
HERE = {vss.LATITUDE: 48.088, vss.LONGITUDE: 11.578}


def ride(folder: Path, story: Callable[[Ride], Awaitable[None]], registry: Registry = REGISTRY, **values: object) -> None:
    play(Ride(folder, OPEN | HERE | values, registry), story)


@pytest.mark.parametrize("words", ["close the windows and then turn on the AC", "先把所有车窗都关上，再打开空调"])
def test_the_second_is_begun_when_the_car_has_confirmed_the_first(tmp_path: Path, words: str) -> None:
    async def story(one: Ride) -> None:
        one.say(words)
        await asyncio.sleep(2)
        assert AIR not in one.fake.paths and len(one.fake.sent) == 1
        await asyncio.sleep(2)
        assert one.fake.paths[1:] == [AIR]
        await asyncio.sleep(3)
        assert [how for _, how, _ in one.ended()] == ["completed", "completed"]

    ride(tmp_path, story)


@pytest.mark.parametrize("answer", [ActuationState.REFUSED, ActuationState.TIMED_OUT, ActuationState.CONTRADICTED])
def test_what_was_only_to_come_later_goes_on_when_the_first_fails(tmp_path: Path, answer: ActuationState) -> None:
    async def story(one: Ride) -> None:
        one.fake.answers = [answer]
        one.say("close the windows and then turn on the AC")
        await asyncio.sleep(8)
        assert one.fake.paths[1:] == [AIR]
        assert one.ended()[1] == (SWITCH, "completed", "") and one.ended()[0][1] != "completed"

    ride(tmp_path, story)


def test_what_is_only_joined_is_done_at_once(tmp_path: Path) -> None:
    async def story(one: Ride) -> None:
        one.say("close the windows and turn on the AC")
        await asyncio.sleep(0.5)
        assert AIR in one.fake.paths and len(one.fake.sent) == 2

    ride(tmp_path, story)


def test_the_boots_question_holds_up_nothing_else(tmp_path: Path) -> None:
    async def story(one: Ride) -> None:
        one.say("open the boot and then turn on the AC")
        await asyncio.sleep(5)
        assert one.fake.paths == [AIR] and one.replies()[0] == "Shall I open the boot?"

    ride(tmp_path, story)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("find a charger nearby and take me there", "Navigating to the Lakeside charging station"),
        ("找个充电站然后导航过去", "开始导航到湖畔充电站"),
    ],
)
def test_the_way_leads_to_what_the_search_has_found(tmp_path: Path, words: str, said: str) -> None:
    async def story(one: Ride) -> None:
        one.say(words)
        await asyncio.sleep(5)
        assert one.fake.sent == [] and one.harness.items["s-w2"].arguments == {}
        await asyncio.sleep(13)
        assert [write.value for write in one.fake.sent[0][1]] == [LAKE.latitude, LAKE.longitude]
        assert one.replies()[1].startswith(said)
        assert list(one.journal.items("s"))[1].arguments["place"] in (LAKE.english, LAKE.chinese)

    ride(tmp_path, story)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("find the nearest charger and take me there", "I didn't do the rest, because what had to come first didn't work."),
        ("找个最近的充电站然后导航过去", "前面那一步没有成功，所以后面的我没有做。"),
    ],
)
def test_without_a_result_nobody_drives_anywhere_and_what_is_joined_goes_on(tmp_path: Path, words: str, said: str) -> None:
    async def story(one: Ride) -> None:
        one.fake.values.pop(vss.LATITUDE)
        one.say(words)
        one.say("turn on the AC")
        await asyncio.sleep(18)
        assert one.fake.paths == [AIR]
        assert one.ended()[1] == (SET, "cancelled", "not_first") and one.replies()[1] == said

    ride(tmp_path, story)


def test_calling_off_the_search_calls_off_the_way_there(tmp_path: Path) -> None:
    async def story(one: Ride) -> None:
        one.say("find a charger nearby and take me there")
        await asyncio.sleep(3)
        one.say("cancel the search")
        await asyncio.sleep(15)
        assert one.fake.sent == [], one.replies()
        assert [how for _, how, _ in one.ended()[:2]] == ["cancelled", "cancelled"]

    ride(tmp_path, story)


def test_the_way_leads_to_what_the_changed_search_has_found(tmp_path: Path) -> None:
    async def story(one: Ride) -> None:
        one.say("find the nearest charger and take me there")
        await asyncio.sleep(3)
        one.say("Make the search the fastest instead.")
        await asyncio.sleep(25)
        fastest = gazetteer.find("east gate")
        assert fastest is not None and one.ended()[0][1] == "superseded", one.ended()
        assert [[write.value for write in writes] for _, writes in one.fake.sent] == [[fastest.latitude, fastest.longitude]]

    ride(tmp_path, story)


def test_there_after_the_answer_is_the_place_of_the_answer(tmp_path: Path) -> None:
    async def story(one: Ride) -> None:
        one.say("find the nearest charger")
        await asyncio.sleep(14)
        one.say("take me there")
        await asyncio.sleep(5)
        assert [write.value for write in one.fake.sent[0][1]] == [LAKE.latitude, LAKE.longitude]

    ride(tmp_path, story)


@pytest.mark.parametrize("gives", [(), ("place",)])
def test_only_what_a_skill_declares_is_given(tmp_path: Path, gives: tuple[str, ...]) -> None:
    async def search(call: Call) -> Spoken:
        return Spoken("Found.", gives={"place": "home"})

    def swapped(skill: Skill) -> Skill:
        return replace(skill, run=search, gives=gives) if skill.name == SEARCH else skill

    async def story(one: Ride) -> None:
        one.say("find a charger nearby and take me there")
        await asyncio.sleep(5)
        assert len(one.fake.sent) == len(gives)

    ride(tmp_path, story, Registry(map(swapped, REGISTRY)))


# --- without a session -------------------------------------------------------------------------------------------------


def tried(words: str, capsys: pytest.CaptureFixture[str]) -> str:
    command, parser = try_command(Router), argparse.ArgumentParser()
    command.configure(parser)
    assert command.run(parser.parse_args(words.split())) == 0
    return capsys.readouterr().out


def test_trying_words_shows_what_waits_and_what_is_found(capsys: pytest.CaptureFixture[str]) -> None:
    shown = tried("find the cheapest charger and take me there", capsys)
    assert "with what 1 finds" in shown and "argument   place = 'the Lakeside charging station'  from 'result:place'" in shown
    assert "  after 1\n" in tried("close the windows and then turn on the AC", capsys)
    nowhere = tried("find the nearest charger and take me there", capsys)
    assert "I don't know where we are" in nowhere and "I didn't do the rest" in nowhere and "Latitude" not in nowhere


def test_an_evaluated_call_has_the_argument_that_was_found() -> None:
    (_, goes) = LocalRouting(REGISTRY, untagged).calls(Case("a", ("find the cheapest charger and take me there",), ((),)))
    assert goes == Made(SET, {"place": "the Lakeside charging station"})
    turns = ("find the fastest charger", "take me there")
    assert LocalRouting(REGISTRY, untagged).calls(Case("b", turns, ((),))) == [
        Made(SET, {"place": "the East Gate charging park"})
    ]
