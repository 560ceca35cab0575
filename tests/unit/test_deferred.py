"""Words that ask for an act later or on a condition, and those that only look like it."""

import pytest

from ridealong.harness.deferred import deferred, refusal

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    "text",
    [
        "Open the window when we stop.",
        "when we stop, open the window",
        "Can you open the window when we stop?",
        "Please close the windows once we're on the motorway",
        "as soon as I get home turn on the light",
        "turn the heating off before we arrive",
        "turn the seat heating off before we get home",
        "open the boot after we have parked",
        "open the boot after parking",
        "If it starts to rain, close the sunroof.",
        "close the sunroof if it rains",
        "Set the temperature to 20 once the car is warm",
        "next time we stop open the driver's window",
        "the moment we leave the tunnel open the window",
        "open the windows in ten minutes",
        "in 5 minutes, turn off the seat heating",
        "turn the AC off at half past six",
        "turn on the air conditioning at 6 pm",
        "open it later",
        "when I'm parked open the trunk please",
        "navigate home when the meeting is over",
        "等停车了再打开窗户",
        "等会儿把窗户打开",
        "停车的时候打开窗户",
        "到了家再打开后备箱",
        "停好车以后把后备箱打开",
        "如果下雨就关天窗",
        "要是下雨的话关上天窗",
        "一停车就开窗",
        "十分钟后关掉空调",
        "待会儿打开空调",
        "到家之前把空调关掉",
        "停车之前别开窗",
        "请在停车之后打开车窗",
        "等一下再开窗",
        "等我们到了再开后备箱",
        "出了隧道再开窗",
        "turn on the AC after you close the windows",
        "after closing the windows turn on the AC",
        "把车窗都关上之后再打开空调",
        "关上车窗，下雨的话",
        "打开空调，如果太热",
        "关上车窗如果下雨",
        "打开空调，不过要等天黑",
        "锁上车门，每次停车",
        "万一下雨锁上车门",
        "下雨的话下一首",
        "下一首，到家之后吧",
        "close the sunroof in case of rain",
        "open my window after the next exit",
        "should it rain, close the sunroof",
    ],
)
def test_what_is_put_off(text: str) -> None:
    assert deferred(text, "zh" if "\u4e00" <= text[0] <= "\u9fff" else "en") is not None


@pytest.mark.parametrize(
    "text",
    [
        "Open the window.",
        "Open the window when you can.",
        "could you open the window if you don't mind",
        "open the window if possible",
        "When is the next charging stop?",
        "when do we arrive",
        "When does the sunroof close?",
        "What happens when I open the boot?",
        "Is the window open when it rains?",
        "Tell me when we arrive.",
        "let me know when the battery is below 20 percent",
        "remind me when we get home to close the windows",
        "Remind me in ten minutes to open the window",
        "set a timer for ten minutes",
        "wake me in 20 minutes",
        "set the temperature to what it was before we stopped",
        "set it as it was before we left",
        "Navigate to the petrol station before the bridge",
        "find a restaurant after the next exit",
        "空调的话，打开",
        "打开车窗，只要主驾的",
        "打开车窗，如果可以的话",
        "我们要迟到了，关上所有车窗",
        "set the fan at three",
        "Put your window up before the baby wakes.",
        "close the sunroof before it rains",
        "下雨之前把窗户关上",
        "a bit more",
        "Close the window, I'm cold.",
        "close the window right now please",
        "open both front windows and the sunroof",
        "play the song from the film",
        "打开窗户",
        "把窗户再开大一点",
        "再开一点",
        "等等，把窗户打开",
        "可以的话把窗户打开",
        "方便的时候开一下窗",
        "什么时候到家",
        "停车的时候告诉我",
        "十分钟后提醒我关窗",
        "到家了提醒我",
        "设一个十分钟的倒计时",
        "温度调到二十二度",
        "能不能把温度调低一点",
        "下雨的时候窗户会关吗",
        "上高速了就别开着窗了吧",
        "close the windows and after that turn on the AC",
        "close the windows. After that, turn on the AC.",
        "Boot open please and take me home after that",
        "close the windows and once that's done switch the AC on",
        "把车窗都关上，之后打开空调",
        "关上车窗，然后再打开空调",
        "和之前一样",
        "空调打开，再放首歌",
        "把空调关了再打开",
        "导航到公司再打开空调",
        "打开窗户再关上天窗",
        "窗户开一会儿",
        "空调关一会儿",
    ],
)
def test_what_is_asked_for_now_or_not_an_act(text: str) -> None:
    assert deferred(text, "zh" if "\u4e00" <= text[0] <= "\u9fff" else "en") is None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("open the window when we stop", "I can't do that later; ask me again when we stop."),
        ("When we stop, open the window please.", "I can't do that later; ask me again when we stop."),
        ("turn on the light as soon as I get home", "I can't do that later; ask me again as soon as you get home."),
        ("open the windows in ten minutes", "I can't do that later; ask me again in ten minutes."),
        ("open it when all of the other people in the car behind us have left it", "I can't do that later; please ask me again then."),
        ("停车的时候打开窗户", "这个我还不能等到以后再做，到时候请再跟我说一次。"),
    ],
)  # fmt: skip
def test_the_refusal_says_when_to_ask_again(text: str, said: str) -> None:
    later = deferred(text, "en")
    assert later is not None and refusal(later) == said


def test_a_time_that_is_an_argument_puts_nothing_off() -> None:
    later = deferred("book a table for two tomorrow", "en")
    assert later is not None
    assert (
        later.covers("Tomorrow")
        and later.covers("tomorrow at seven")
        and later.covers("tomorrow at 7")
        and not later.covers("two")
    )
    for words, ground in (("停车的时候打开窗户", "打开"), ("navigate home when I get home", "home")):
        later = deferred(words, "en")
        assert later is not None and not later.covers(ground)
