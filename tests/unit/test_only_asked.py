"""Field reports, section E, "acts without request": words that only ask about an act never act; a wish in the form of a question still does.

By the product's own router, grammar and tagger together.
"""

import pytest

from ridealong.harness.framing_questions import asks_about, asks_for, only_wonders
from ridealong.harness.not_now import not_now
from ridealong.harness.router import Router
from ridealong.harness.skill import Context, Match, Provenance, Spoken
from ridealong.harness.slots.text import has_chinese
from ridealong.harness.work_items import Asked
from ridealong.proto.types import Samples

from .car_words import REGISTRY, acts, decide

pytestmark = pytest.mark.unit

ASKED_ABOUT = (
    "would opening the window help?",
    "is it OK to open the window?",
    "may I open the window?",
    "is it possible to open the window",
    "can I open the boot while driving?",
    "should I open the window?",
    "what happens if I open the window",
    "what if we opened the windows",
    "is it allowed to open the boot here",
    "am I allowed to open the window on the motorway",
    "could we open the boot while driving?",
    "can the windows be opened while we're driving?",
    "do you think I should close the windows",
    "do you mind if I open the window",
    "would you recommend turning on the AC",
    "would it help to open the window",
    "would it be better to turn on the air conditioning",
    "would it be ok if I opened the window",
    "is it safe to open the boot now",
    "how do I open the boot",
    "how can I turn on the rear defroster",
    "why would I turn the AC off",
    "will it get cold if I open the window",
    "does opening the window use more battery",
    "does turning the AC off save energy",
    "um so is it alright to open the windows",
    "I wonder if I should open the window",
    "any point in opening the window",
    "is there any point in turning on recirculation",
    "should I open the window, or turn on the AC?",
    "I could open the window, would that help?",
    "opening the window, would that help?",
    "are we allowed to have the windows open",
    "is now a good time to open the boot",
    "can I lower the window at this speed",
    "might I open the window",
    "shall I turn the heating up",
    "do I need to close the windows",
    "when can I open the boot",
    "what would opening the window do",
    "could opening the window help",
    "open the window or turn on the AC, which is better?",
    "wouldn't it be better to close the windows",
    "is opening the window a good idea",
    "is it too cold to open the window",
    "can I set the temperature to 22",
    "开窗会不会冷？",
    "可以开窗吗",
    "开窗好不好",
    "现在可以开窗吗",
    "开窗会冷吗",
    "我可以打开窗户吗",
    "我能不能开窗",
    "我们能开后备箱吗",
    "要不要开窗",
    "该不该关窗",
    "应不应该开空调",
    "需要开窗吗",
    "是不是应该关窗",
    "开窗有用吗",
    "开窗有没有用",
    "开窗安全吗",
    "开车的时候能开后备箱吗",
    "高速上可以开窗吗",
    "开空调费油吗",
    "开空调费不费电",
    "开窗还是开空调好",
    "开窗凉快还是开空调凉快呢",
    "如果开窗会怎么样",
    "开窗的话会冷吗",
    "为什么要开窗",
    "怎么打开后备箱",
    "后备箱怎么开",
    "什么时候能开后备箱",
    "你觉得要开窗吗",
    "开窗可以吗",
    "开窗怎么样",
    "开窗行不行",
    "可不可以开窗",
    "关窗会不会更安静",
    "行驶中可以打开后备箱吗",
    "打开空调会耗电吗",
    "有必要开内循环吗",
    "允许开窗吗",
    "能开窗吗",
    "打开车窗是不是更省电",
    "可以关空调吗",
)
ASKED_FOR = (
    "could you open the window",
    "can you open the window",
    "would you mind opening the window",
    "can we have the window open",
    "Could I have it at 22 degrees in here?",
    "could I have the window down a bit",
    "may I have the window open",
    "can I get some air",
    "would you be so kind as to open the boot?",
    "I wonder if you could open the boot for me, please.",
    "could somebody get the boot open",
    "Could my window come down a smidge?",
    "could she have it slightly cooler on the passenger side",
    "Could the fan possibly be at half?",
    "could everybody's window except mine be closed please",
    "could we go to Dover",
    "could we have twenty-five for both of us",
    "do you mind opening the window",
    "how about opening the window",
    "why don't you open the window",
    "is it possible for you to open the window",
    "would it be possible to open the window",
    "do you think you could close the windows",
    "any chance you could open the window",
    "can we open the windows",
    "could we close the windows please",
    "will you shut the boot",
    "open the window, is that okay?",
    "open the window would you",
    "can you open the window, it's hot",
    "you can open the window now",
    "you may close the boot",
    "I'd like the window open",
    "let's have the windows up",
    "what's the range and open the window",
    "open the window if you can",
    "could you turn the heating up if that's alright",
    "set the temperature to 22 please",
    "would you please turn the fan down",
    "能不能帮我开窗",
    "可以帮我开一下窗吗",
    "能把左前窗放下来一点吗",
    "能请你把前面的除雾打开吗",
    "我这边窗能不能打开",
    "我这座儿能不能热个一度",
    "麻烦您把温度弄到二十二度好吗",
    "能帮我开一下后备箱吗",
    "可以换外循环了",
    "把窗打开好不好",
    "打开窗户好吗",
    "开一下窗好吗",
    "窗户开一点可以吗",
    "能不能再凉快一点",
    "可以把空调关了吗",
    "能打开空调吗",
    "请打开车窗",
    "你能打开窗户吗",
    "你可以开窗吗",
    "请问能不能开一下窗",
    "帮我开窗好吗",
    "打开车窗",
    "开窗",
    "麻烦开窗",
    "能不能开窗",
    "给我开窗行吗",
    "窗户关上行不行",
    "温度调到二十二度可以吗",
    "车里好闷，开个窗吧",
    "我要开窗",
    "太热了，能不能把空调打开",
)


def locale(text: str) -> str:
    return "zh" if has_chinese(text) else "en"


@pytest.mark.parametrize("text", ASKED_ABOUT)
def test_a_question_about_an_act_binds_to_nothing_that_acts(text: str) -> None:
    assert acts(decide(text)) == []
    assert acts(Router(REGISTRY).decide(text, locale(text), Context(provenance=Provenance.DRIVER), Provenance.DRIVER)) == []


@pytest.mark.parametrize("text", ASKED_FOR)
def test_a_wish_in_the_form_of_a_question_is_done(text: str) -> None:
    assert acts(decide(text)) != []
    assert not asks_about(text, locale(text))


@pytest.mark.parametrize("text", ASKED_ABOUT)
def test_whatever_a_front_end_makes_of_a_question_nothing_is_done(text: str) -> None:
    skill = REGISTRY.get("windows.set_position")
    assert skill is not None
    asked = Asked("open the window", text, locale(text), Provenance.DRIVER, Samples(0), "")
    assert isinstance(not_now(asked, Match("windows.set_position", 1.0, {"position": 100, "zone": "all"}), skill), Spoken)


@pytest.mark.parametrize(
    ("text", "done"),
    [
        ("is it OK to open the boot? and set the temperature to 22", ["climate.set_temperature"]),
        ("what's the range and open the window", ["windows.set_position"]),
        ("should I close the windows? turn the air conditioning on", ["climate.switch"]),
        ("可以开窗吗？把空调打开", ["climate.switch"]),
    ],
)
def test_a_command_beside_a_question_is_done(text: str, done: list[str]) -> None:
    assert acts(decide(text)) == done


@pytest.mark.parametrize("text", ["I'm hot, should I open the window?", "好热，可以开窗吗"])
def test_what_is_told_beside_a_question_is_why_it_is_asked(text: str) -> None:
    assert only_wonders(text, locale(text)) and acts(decide(text)) == []


def test_only_the_words_that_name_the_act_count() -> None:
    text = "should I close the windows? open the boot"
    boot = text.index("open the boot")
    assert asks_about(text, "en", (0, 26)) and not asks_about(text, "en", (boot, len(text)))


@pytest.mark.parametrize(
    ("text", "wished"),
    [
        ("could my window come down a smidge?", True),
        ("I wonder if you could open the boot", True),
        ("could the fan possibly be at half?", True),
        ("could opening the window help?", False),
        ("could the car be hacked", False),
    ],
)
def test_what_is_wanted_may_be_said_of_the_thing(text: str, wished: bool) -> None:
    assert asks_for(text, "en") is wished
