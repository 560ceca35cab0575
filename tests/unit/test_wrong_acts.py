"""Things done that nobody asked for, and words that were dropped without a word: narration, somebody else's window, one thing in two places, halves.

By the product's own router, grammar and tagger together.
"""

from __future__ import annotations

import pytest

from ridealong.harness.corrected import corrected
from ridealong.harness.dictated import which
from ridealong.harness.dropped import is_order
from ridealong.harness.framing import pieces
from ridealong.harness.one_breath import apart_said
from ridealong.harness.only_tells import only_tells
from ridealong.harness.parts import cannot
from ridealong.harness.router import AskBack, Calls, ChitChat
from ridealong.harness.skill import Match

from .car_words import REGISTRY, acts, decide

pytestmark = pytest.mark.unit

DRIVER, PASSENGER = "row1.driver", "row1.passenger"

TOLD = (
    "风把天窗吹开了", "刚才一阵大风把后备箱刮开了", "雨把座椅淋湿了", "石头把车窗砸碎了", "天窗开着真舒服", "座椅加热真是个好东西", "这个氛围灯的蓝色真好看",
    "前面那个人把雨刮打开了", "后座的小朋友又把窗户按下来了", "空调好凉快啊", "千万不要，呃，打开后备箱", "先别，嗯，关空调", "千万别，打开天窗", "窗户开大了容易感冒", "你开空调开得真快", "打开天窗说亮话吧", "谁让你开天窗的", "the valet set the temperature to 18", "our dog opened the window with his paw",
    "somebody turned the heating right up", "the last driver left the boot open", "heated seats are the best invention", "the window is open",
    "opening windows on the motorway is noisy", "when one door closes another window opens", "I'm wondering whether to open the sunroof",
)  # fmt: skip
OTHERS = (
    "阿强，打开后备箱", "阿伟打开天窗", "周杰，音乐小点", "麦克，关上你的窗，风大", "小丁把你那边的窗户关上", "put your window up", "turn your seat heating off",
    "you two in the back, shut the windows", "could one of you shut that window back there",
)  # fmt: skip
ASKED = {
    "风把头发吹乱了，关窗": ["windows.set_position"], "风给我吹到最大": ["climate.set_fan"], "somebody left the boot open, close it": ["trunk.close"],
    "太吵了，把天窗关上": ["sunroof.set"], "my wife is cold, turn up her seat heating": ["seats.change_heating"], "let's open the window": ["windows.set_position"],
    "高一点，风扇再大点": ["climate.set_fan"], "风好大，关天窗": ["sunroof.set"], "开窗透透气": ["windows.set_position"], "小助手，打开后备箱": ["trunk.open"],
}  # fmt: skip


@pytest.mark.parametrize("text", [*TOLD, *OTHERS])
def test_nothing_is_done(text: str) -> None:
    assert not acts(decide(text))


@pytest.mark.parametrize(("text", "wanted"), ASKED.items())
def test_what_is_asked_for_beside_it_is_done(text: str, wanted: list[str]) -> None:
    assert acts(decide(text)) == wanted


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("风把门吹开了。", "reported"), ("风把门吹开了，关上它", ""), ("窗户开着真舒服？", ""), ("谁叫你开窗的", "negated"), ("贾维斯，关上你的窗", ""),
        ("安娜，把窗户关上", "other_addressee"), ("谢谢，把窗户关上", ""), ("向左，再大一点", ""), ("the fan is too loud", ""), ("22 is great", ""),
        ("opening the window would be nice", ""), ("the passenger window shut please", ""),
    ],
)  # fmt: skip
def test_why_nothing_is_to_be_done(text: str, why: str) -> None:
    assert only_tells(text, "zh") == why


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("座椅加热右边关左边最高", [{"level": 0, "zone": PASSENGER}, {"level": 100, "zone": DRIVER}]),
        ("座椅通风副驾关主驾最大", [{"level": 0, "zone": PASSENGER}, {"level": -100, "zone": DRIVER}]),
        ("seat heaters left low right off", [{"level": 33, "zone": DRIVER}, {"level": 0, "zone": PASSENGER}]),
        ("heated seats hers off mine max", [{"level": 0, "zone": PASSENGER}, {"level": 100, "zone": DRIVER}]),
        ("put mine at 19 and hers up", [{"target": 19.0, "zone": DRIVER}, {"delta": 1.5, "zone": PASSENGER}]),
        ("my side to 21 and turn his down a bit", [{"target": 21.0, "zone": DRIVER}, {"delta": -1.0, "zone": PASSENGER}]),
        ("主驾21度副驾高一点", [{"target": 21.0, "zone": DRIVER}, {"delta": 1.0, "zone": PASSENGER}]),
    ],
)  # fmt: skip
def test_one_thing_in_two_places_in_one_breath(text: str, wanted: list[dict[str, object]]) -> None:
    decision = decide(text)
    assert isinstance(decision, Calls) and [dict(match.arguments) for match in decision.matches] == wanted


@pytest.mark.parametrize(
    "text", ["my window to 20 and hers up", "座椅加热左边关", "set the fan to 20 and hers up", "左边打开右边", "hers up"]
)
def test_more_or_less_than_that_stays_as_it_is(text: str) -> None:
    assert apart_said(text, "en") == text


@pytest.mark.parametrize(
    "text",
    [
        "cabin light on in the rear and off in the front",
        "turn the lamp off in the back and on in the front",
        "前排灯打开，后排灯关掉",
    ],
)
def test_one_light_is_not_on_and_off(text: str) -> None:
    decision = decide(text)
    assert isinstance(decision, AskBack | ChitChat) and acts(decision) in ([], ["lights.cabin"])


@pytest.mark.parametrize(
    "text", ["turn on the front lights", "back lights off", "关掉后灯", "车灯关一下", "车灯暗一点", "put my mobile on mute", "把电话静音", "静音一下闹钟",
             "mute the children", "turn down the volume on my tablet"],
)  # fmt: skip
def test_lamps_and_sounds_that_are_not_ours(text: str) -> None:
    assert not acts(decide(text))


@pytest.mark.parametrize("text", ["turn on the light in the back", "后排灯打开", "mute the radio", "静音"])
def test_those_that_are(text: str) -> None:
    assert acts(decide(text))


@pytest.mark.parametrize("text", ["雨刷来一下", "雨刮扫两下", "给雨刮动一下", "give the wipers a quick go"])
def test_wiping_once_leaves_no_wiper_on(text: str) -> None:
    assert isinstance(decide(text), AskBack)


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("set the blower to 40 no wait 19 degrees", "19 degrees"), ("音量调到二十，不对，二十三度", "二十三度"), ("volume to 30 no 25 percent", "volume to 25 percent"),
        ("heating to 20 no wait 21 degrees", "heating to 21 degrees"), ("turn the front defroster on, I mean the rear", "turn the rear defroster on"),
    ],
)  # fmt: skip
def test_a_correction_with_a_unit_is_of_what_has_that_unit(text: str, meant: str) -> None:
    assert corrected(text, "en") == meant


@pytest.mark.parametrize(
    ("text", "done", "rest"),
    [
        ("ring Sarah back and then mow the lawn", ["phone.call"], "I can't mow the lawn yet."),
        ("close the windows and feed the cat", ["windows.set_position"], "I can't feed the cat yet."),
        ("open the sunroof and the fridge", ["sunroof.set"], "I can't open the fridge yet."),
        ("shut the boot and the garage", ["trunk.close"], "I can't shut the garage yet."),
        ("关上天窗，顺便买杯咖啡", ["sunroof.set"], "买杯咖啡，这个我还做不到。"),
        ("打开天窗和洗衣机", ["sunroof.set"], "打开洗衣机，这个我还做不到。"),
    ],
)  # fmt: skip
def test_the_half_that_is_not_done_is_told(text: str, done: list[str], rest: str) -> None:
    decision = decide(text)
    assert acts(decision) == done and isinstance(decision, Calls)
    assert [cannot(one.words, "zh" if rest[0] > "z" else "en") for one in decision.also] == [rest]


@pytest.mark.parametrize(
    "text",
    ["open the window and hurry", "close the windows and the sunroof", "set it to 21 and make it quick", "open my window and hers", "navigate to the fox and hounds",
     "turn on the fan and the seat heating", "打开车窗和天窗", "开窗，然后再开大一点", "空调调到22度，然后风小一点", "turn the fan up and close the windows",
     "search for the nearest charging station and navigate there"],
)  # fmt: skip
def test_nothing_is_said_to_be_left_where_nothing_is(text: str) -> None:
    decision = decide(text)
    assert isinstance(decision, Calls) and not [one for one in decision.also if isinstance(one.decision, ChitChat)]


def test_back_is_no_part_of_a_name() -> None:
    decision = decide("ring Bob back and turn the heating up")
    assert isinstance(decision, Calls) and decision.matches[0].arguments == {"contact": "Bob"}
    assert acts(decision) == ["phone.call", "climate.change_temperature"]


@pytest.mark.parametrize(
    "text",
    [
        "漏听了",
        "刚才漏听了一句",
        "我走神了没听到",
        "missed that",
        "I missed the last bit",
        "didn't catch that",
        "你刚才说什么来着",
    ],
)
def test_what_was_not_heard_is_said_again(text: str) -> None:
    decision = decide(text)
    assert isinstance(decision, Calls) and [match.capability for match in decision.matches] == ["talk.repeat"]


@pytest.mark.parametrize(
    ("text", "capability"),
    [
        ("what is this", "seeing.ask"), ("what's this?", "seeing.ask"), ("hey, what is this here", "seeing.ask"), ("这是啥", "seeing.ask"), ("这是什么呀", "seeing.ask"),
        ("read me the bottom line", "seeing.read"), ("what does the top line say", "seeing.read"), ("念一下最下面一行", "seeing.read"), ("读一下第二行", "seeing.read"),
    ],
)  # fmt: skip
def test_the_glasses_are_asked(text: str, capability: str) -> None:
    decision = decide(text)
    assert isinstance(decision, Calls) and [match.capability for match in decision.matches] == [capability]


@pytest.mark.parametrize(
    "words",
    [
        "lock the doors and convert three hundred and forty dollars into yen",
        "open my window and split one hundred and ninety pounds between us",
    ],
)
def test_a_number_is_told_whole(words: str) -> None:
    decision = decide(words)
    assert isinstance(decision, Calls)
    assert [one.words for one in decision.also] == [words.partition(" and ")[2]]


@pytest.mark.parametrize(
    ("words", "cut"), [("two hundred and sixty", 1), ("a thousand and one nights", 1), ("the hundred and the rest", 2)]
)
def test_a_number_is_one_piece(words: str, cut: int) -> None:
    assert len(pieces(words, "en")) == cut


@pytest.mark.parametrize(
    ("words", "asks"), [("这个", False), ("几天", False), ("离放学", False), ("订一张机票", True), ("擦桌子", True)]
)
def test_words_that_ask_for_nothing_are_no_order(words: str, asks: bool) -> None:
    assert is_order(words, "zh") is asks


@pytest.mark.parametrize(
    "text",
    [
        "别把，嗯，温度设成十八度",
        "先不要把，呃，天窗打开",
        "Hang on, we used to park there and listen to the news.",
        "My uncle used to open the sunroof in the rain.",
        "Back then we used to turn the heating to thirty.",
    ],
)
def test_a_hesitation_or_a_memory_sets_nothing(text: str) -> None:
    assert acts(decide(text)) == []


def test_who_is_used_to_something_may_ask() -> None:
    assert acts(decide("I'm not used to this heat, set the temperature to 20")) != []


@pytest.mark.parametrize("text", ["你最后一句说的是什么？", "最后那句话是什么", "您刚才最后几个字说的啥"])
def test_the_last_sentence_is_said_again(text: str) -> None:
    decision = decide(text)
    assert isinstance(decision, Calls) and [one.capability for one in decision.matches] == ["talk.repeat"]


@pytest.mark.parametrize("text", ["最下面一行写的是什么", "最后一行说的是什么", "念一下第二行"])
def test_a_line_is_read(text: str) -> None:
    decision = decide(text)
    assert isinstance(decision, Calls) and [one.capability for one in decision.matches] == ["seeing.read"]


def test_a_question_between_two_is_one_sentence_whatever_they_do() -> None:
    """ "Did you want me to open, close or tilt the sunroof. Positions between can't be set, or to do it?" was said."""
    skills = [one.name for one in REGISTRY if one.description]
    assert "sunroof.set" in skills
    for name in skills:
        asked = which(Match(name, 0.9), Match("windows.set_position", 0.9), REGISTRY, "en")
        assert asked.startswith("Did you want me to ") and asked.endswith("?") and ". " not in asked and "; " not in asked, asked
