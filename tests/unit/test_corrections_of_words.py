"""Corrections of what is no number: names, texts, languages, times of day, and those within one sentence. In the product's own router."""

from __future__ import annotations

import pytest

from ridealong.harness.router import Calls
from ridealong.harness.skill import Outcome, Recent
from ridealong.harness.slots.time import find_times
from ridealong.harness.slots.zones import find_zones
from ridealong.harness.spliced import spliced
from tests.unit.car_words import acts, decide

pytestmark = pytest.mark.unit

Called = list[tuple[str, dict[str, object]]]


def called(*turns: str) -> Called:
    """What the last turn calls, each turn being said just after the one before."""
    recent: tuple[Recent, ...] = ()
    made: Called = []
    for turn in turns:
        decision = decide(turn, *recent)
        matches = decision.matches if isinstance(decision, Calls) else ()
        made = [(match.capability, dict(match.arguments)) for match in matches]
        recent = tuple(Recent(name, arguments, Outcome.COMPLETED, 3_000.0) for name, arguments in made) + recent
    return made


@pytest.mark.parametrize(
    ("old", "new", "refused", "whole"),
    [
        ("买两斤苹果", "梨", "苹果", "买两斤梨"),
        ("buy oat milk", "soy milk", "", "buy soy milk"),
        ("I parked on level three", "level four", "", "I parked on level four"),
        ("我车停在B2", "B3", "", "我车停在B3"),
        ("14 Elm Street", "Oak", "elm", "14 Oak Street"),
        ("the station", "the library", "", "the library"),
        ("Tom", "Tim", "tom", "Tim"),
        ("tell Tom tomorrow", "Tim", "tom", "tell Tim tomorrow"),
        ("see you tomorrow", "Tim", "tom", "Tim"),
        ("the key is with Sam", "the bank", "", "the bank"),
        ("B2 and C4", "B3", "", "B3"),
    ],
)
def test_spliced(old: str, new: str, refused: str, whole: str) -> None:
    assert spliced(old, new, refused) == whole


@pytest.mark.parametrize(
    ("turns", "call"),
    [
        (("note: buy oat milk", "soy milk, I mean"), ("note.take", {"text": "buy soy milk"})),
        (("remember I parked on level three", "level four, my mistake"), ("memory.remember", {"text": "I parked on level four"})),
        (("where did I leave my sunglasses", "sorry, not the sunglasses, the house keys"), ("memory.where", {"thing": "house keys"})),
        (("translate that into French", "did I say French? Spanish"), ("seeing.translate", {"language": "es"})),
        (("记一下，买两斤苹果", "是梨，不是苹果"), ("note.take", {"text": "买两斤梨"})),
        (("记住我车停在B2", "哦是B3，看岔了"), ("memory.remember", {"text": "我车停在B3"})),
        (("路上顺道去个星巴克", "算了换瑞幸吧"), ("navigation.add_stop", {"place": "瑞幸"})),
        (("打给张伟", "不是张伟，章薇，立早章"), ("phone.call", {"contact": "章薇"})),
        (("keep an eye out for a sign that says Services", "forget that, I don't need it any more"), ("watch.stop", {})),
        (("电量掉到百分之三十喊我一声", "二十再喊就行"), ("watch.signal", {"topic": "battery", "test": "down_to", "limit": 20.0})),
        (("volume at sixty", "phew, fifty's plenty"), ("media.set_volume", {"level": 50})),
        (("wipers on slow", "you know what, do it by the rain sensor"), ("wipers.set", {"mode": "auto"})),
        (("slide my seat forward two centimetres", "whoops, backward I meant"), ("seats.move", {"direction": "backward", "amount": 20.0, "zone": "row1.driver"})),
    ],
)  # fmt: skip
def test_said_next(turns: tuple[str, ...], call: tuple[str, dict[str, object]]) -> None:
    assert called(*turns) == [call]


def test_a_reminder_keeps_its_hour() -> None:
    ((name, arguments),) = called("remind me at ten past six this evening to ring the vet", "make that twenty past")
    assert name == "reminder.set" and arguments == {"text": "ring the vet", "at": "18:20", "day": "today"}
    ((name, arguments),) = called("今天下午五点十分提醒我接孩子", "改五点二十吧")
    assert name == "reminder.set" and (arguments["at"], arguments["text"]) == ("17:20", "接孩子")


@pytest.mark.parametrize(
    ("text", "calls"),
    [
        ("play something off Bluetooth, no, off the USB stick", [("media.source", {"source": "usb"})]),
        ("timer for an hour and a half, nah, an hour and a quarter", [("timer.set", {"duration_s": 4500})]),
        ("what's Tom's number, no not Tom, Tim's", [("phone.lookup", {"contact": "Tim"})]),
        ("去人民广场，不对，静安寺", [("navigation.set_destination", {"place": "静安寺"})]),
    ],
)
def test_within_one_sentence(text: str, calls: Called) -> None:
    assert called(text) == calls


def test_two_requests_are_no_correction() -> None:
    assert (
        acts(decide("open both the front windows please and leave, no actually close the rear ones"))
        == ["windows.set_position"] * 2
    )


@pytest.mark.parametrize(
    ("text", "clock"),
    [("at ten past six", "06:10"), ("at twenty past nine", "09:20"), ("at five to eight", "07:55"), ("at 10 past 6", "06:10"), ("from ten to six", "10:00")],
)  # fmt: skip
def test_minutes_before_an_hour_are_no_hour(text: str, clock: str) -> None:
    first = find_times(text, "en")[0]
    assert f"{first.hour:02}:{first.minute:02}" == clock


def test_somebody_else_in_front_is_the_driver_to_the_passenger() -> None:
    for words, locale in (("what's his side set to", "en"), ("老公那边空调多少度", "zh")):
        found = find_zones(words, locale, "LEFT", "passenger")
        assert found is not None and found.names == ("row1.driver",)
    beside = find_zones("the passenger's window", "en", "LEFT", "passenger")
    assert beside is not None and beside.names == ("row1.passenger",)


@pytest.mark.parametrize(
    ("text", "calls"),
    [
        ("put her seat on one", [("seats.set_heating", {"level": 33, "zone": "row1.passenger"})]),
        ("掉雨点了，看看有没有窗户还敞着", [("status.windows", {"zone": "all"})]),
        ("泡面呢，定三分钟，另外记一笔：停车费四十块", [("timer.set", {"duration_s": 180}), ("note.take", {"text": "停车费四十块"})]),
        ("get me to Heathrow via Reading", [("navigation.set_destination", {"place": "Heathrow"}), ("navigation.add_stop", {"place": "Reading"})]),
    ],
)  # fmt: skip
def test_no_more_than_was_said(text: str, calls: Called) -> None:
    assert called(text) == calls


@pytest.mark.parametrize("text", ["Divide by twenty-seven.", "Divide ninety-five I mean, by twenty-seven.", "九十五除以二十七"])
def test_a_sum_is_no_temperature(text: str) -> None:
    assert acts(decide(text)) == []


@pytest.mark.parametrize(
    ("turns", "calls"),
    [
        (("drive to Bath", "no, Bristol", "you know what, Bath after all"), [("navigation.set_destination", {"place": "Bath"})]),
        (("去西单", "不，去王府井", "得，还是头一个吧"), [("navigation.set_destination", {"place": "西单"})]),
        (("navigate to the airport", "actually let's do the train station instead"), [("navigation.set_destination", {"place": "train station"})]),
        (("导航去虹桥火车站", "错了错了，虹桥机场"), [("navigation.set_destination", {"place": "虹桥机场"})]),
        (("离杭州多远", "那就导航过去吧"), [("navigation.set_destination", {"place": "杭州"})]),
        (("blower on 80", "ugh, no, kill it"), [("climate.set_fan", {"speed": 0})]),
        (("put the AC on", "scrap that"), [("climate.switch", {"thing": "air_conditioning", "on": False})]),
        (("我的窗开到三十", "再大点儿，五十"), [("windows.set_position", {"position": 50, "zone": "row1.driver"})]),
        (("看到写着出口的牌子说一声", "听岔了吧，我说的是入口"), [("watch.words", {"source": "seen", "phrase": "入口"})]),
        (("导到天河城，呸，正佳广场",), [("navigation.set_destination", {"place": "正佳广场"})]),
        (("定时三分钟，哎不，四分半",), [("timer.set", {"duration_s": 270})]),
    ],
)  # fmt: skip
def test_taken_back_and_put_otherwise(turns: tuple[str, ...], calls: Called) -> None:
    assert called(*turns) == calls


@pytest.mark.parametrize(
    ("text", "zones"),
    [
        ("my window and hers down halfway", ["row1"]),
        ("我的窗和她的都开一半", ["row1"]),
        ("both windows on my side to thirty percent", ["driver_side"]),
        ("副驾驶这一溜的窗都关上", ["passenger_side"]),
        ("主驾这一侧的窗全关", ["driver_side"]),
        ("her window, that one of hers, down", ["row1.passenger"]),
    ],
)
def test_whose_windows(text: str, zones: list[str]) -> None:
    assert [arguments.get("zone") for _, arguments in called(text)] == zones


@pytest.mark.parametrize(
    ("text", "position"),
    [("shut the boot and all the windows", 0), ("boot open and windows closed", 0), ("close the boot and the windows", 0)],
)
def test_the_verb_before_and_counts_behind_it(text: str, position: int) -> None:
    assert dict(called(text))["windows.set_position"]["position"] == position


@pytest.mark.parametrize(
    "text",
    [
        "run through the tyres, the doors and the boot for me, everything shut and pumped up?",
        "for the next three quarters of an hour let me know if there's a loud bang",
        "我是那个不是有窗户忘关了",
    ],
)
def test_a_list_a_span_and_a_question_do_nothing_in_the_car(text: str) -> None:
    assert not set(acts(decide(text))) & {"trunk.open", "timer.set", "windows.set_position"}


@pytest.mark.parametrize(
    ("turns", "calls"),
    [
        (("fan at 40", "note: call the plumber at 4", "at five, I mean"), [("note.take", {"text": "call the plumber at five"})]),
        (("风量四十", "记一下，四点给水管工打电话", "是五点，不是四点"), [("note.take", {"text": "五点给水管工打电话"})]),
        (("set the volume to 30", "set it to 51, or rather 52"), [("media.set_volume", {"level": 52})]),
        (("navigate to the station", "no, the airport", "actually the first one"), [("navigation.set_destination", {"place": "station"})]),
        (("open my window", "close it", "forget the window, I meant the sunroof"), [("sunroof.set", {"to": "closed"})]),
    ],
)  # fmt: skip
def test_a_number_belongs_to_what_was_said_last(turns: tuple[str, ...], calls: Called) -> None:
    assert called(*turns) == calls


@pytest.mark.parametrize(
    ("before", "words", "at"),
    [("remind me at eight to call mum", "nine, actually", "09:00"), ("提醒我九点吃药", "十点吧", "10:00")],
)
def test_an_hour_after_a_reminder_is_its_hour(before: str, words: str, at: str) -> None:
    ((name, arguments),) = called("fan at 40", before, words)
    assert (name, arguments["at"]) == ("reminder.set", at)


@pytest.mark.parametrize(
    "text",
    [
        "he opened the window, no, the sunroof", "she ordered red, no, blue curtains", "thirty, no, maybe forty people came", "they wanted 50, no, 60 chairs", "不是三十，是四十个人来的",
        "she wants it at 60, no, 70, but I don't", "他想要六十，不，七十，我不想", "he said no, the other one", "他说不是，是另一个", "dad always says no, not that one, the left one",
        'in the song it goes "turn it up, no, turn it down"', "she went to the station, no, the airport", "make that two coffees",
    ],
)  # fmt: skip
@pytest.mark.parametrize("before", ["fan at 40", "set my side to 21", "open my window"])
def test_what_others_said_or_did_changes_nothing(before: str, text: str) -> None:
    assert called(before, text) == []


def test_what_somebody_wants_now_may_be_asked_for() -> None:
    assert called("set my side to 21", "she wants it at 22")[0][0] == "climate.set_temperature"


@pytest.mark.parametrize(
    ("turns", "contact"),
    [
        (("给妈妈打电话", "算了，给汤姆打"), "汤姆"),
        (("给汤姆打电话", "不对，工作电话"), "汤姆的工作电话"),
        (("call Tom", "no, his work number"), "tom work number"),
        (("call Tom", "no, dad's mobile"), "dad mobile"),
        (("call Tom", "no, Ben"), "ben"),
    ],
)
def test_another_number_is_of_the_same_one_and_a_verb_is_no_part_of_a_name(turns: tuple[str, ...], contact: str) -> None:
    ((name, arguments),) = called(*turns)
    assert (name, str(arguments["contact"]).casefold()) == ("phone.call", contact)
