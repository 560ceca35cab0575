"""What counts as a claim to have acted, in English and Chinese, and how it is taken back."""

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ridealong.harness import claims
from ridealong.harness.claim_words import GERUNDS, PARTICIPLES, STATES
from ridealong.harness.claims import Aspect, Claim, claims_in, correction
from ridealong.harness.polish import sentences

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("text", "act", "taken_back"),
    [
        ("I've opened the window.", "open", "I have not actually opened the window."),
        ("I have opened the window.", "open", "I have not actually opened the window."),
        ("Okay, I’ve just opened the driver's window for you.", "open", "I have not actually opened the driver's window."),
        ("Sure! I've set the temperature to 22 degrees.", "set", "I have not actually set the temperature to 22 degrees."),
        ("I've set it to twenty-two and a half.", "set", "I have not actually set that to twenty-two and a half."),
        ("I've turned off the air conditioning.", "off", "I have not actually turned off the air conditioning."),
        ("I've turned the air conditioning off.", "off", "I have not actually turned off the air conditioning."),
        ("I've turned it off.", "off", "I have not actually turned that off."),
        ("I have gone ahead and closed both windows.", "close", "I have not actually closed both windows."),
        ("I've booked a table at Luigi's for two.", "book", "I have not actually booked a table at Luigi's for two."),
        ("I've sent your message to Anna.", "send", "I have not actually sent your message to Anna."),
        ("I opened the boot.", "open", "I have not actually opened the boot."),
        ("The window has been opened.", "open", "I have not actually opened the window."),
        ("All windows have been closed.", "close", "I have not actually closed all windows."),
        ("Your seat heating is now on.", "on", "I have not actually turned on your seat heating."),
        ("Opening the sunroof.", "open", "I have not actually opened the sunroof."),
        ("Okay, closing all the windows now.", "close", "I have not actually closed all the windows."),
        ("I'm turning on the lights.", "on", "I have not actually turned on the lights."),
        ("Window opened.", "open", "I have not actually opened the window."),
        ("Okay, temperature set to 22 degrees.", "set", "I have not actually set the temperature."),
        ("Done.", "do", "I have not actually done that."),
        ("All set!", "do", "I have not actually done that."),
        ("I've opened the window, would you like some music?", "open", "I have not actually opened the window."),
        ("It's cold outside, but I've closed the window.", "close", "I have not actually closed the window."),
        ("I've locked the doors and I've closed the boot.", "lock", "I have not actually locked the doors."),
        ("已经打开了。", "open", "其实我还没有做。"),
        ("窗户已经打开了。", "open", "其实窗户还没有打开。"),
        ("好的，我已经把窗户打开了。", "open", "其实窗户还没有打开。"),
        ("已为您打开车窗。", "open", "其实车窗还没有打开。"),
        ("我帮您把空调关掉了。", "close", "其实空调还没有关掉。"),
        ("已经将温度调到二十二度。", "set", "其实温度还没有调到二十二度。"),
        ("您的车窗已经关闭。", "close", "其实车窗还没有关闭。"),
        ("好的，窗户打开了。", "open", "其实窗户还没有打开。"),
        ("正在为您打开天窗。", "open", "其实天窗还没有打开。"),
        ("已经帮您预订了餐厅。", "book", "其实餐厅还没有预订。"),
        ("搞定了！", "do", "其实我还没有做。"),
        ("外面很冷，我把窗户关上了。", "close", "其实窗户还没有关上。"),
        ("已打开窗户，要听音乐吗？", "open", "其实窗户还没有打开。"),
    ],
)
def test_a_claim_is_found_and_taken_back(text: str, act: str, taken_back: str) -> None:
    found = claims_in(text)
    assert found and found[0].act == act and correction(found[0]) == taken_back


@pytest.mark.parametrize(
    "text",
    [
        "Shall I open the window?",
        "Should I have opened the window?",
        "Have I opened the window?",
        "Would you like me to open the window?",
        "I can open the window for you.",
        "I'll open the window when we stop.",
        "I will have opened it by then.",
        "I'm going to open the window.",
        "I have not opened the window.",
        "I haven't opened the window.",
        "I have not actually opened the window.",
        "Sorry, I couldn't open the window.",
        "The window hasn't been opened.",
        "He said I've opened the window.",
        "She told me that the window has been opened.",
        'The sign says "the door has been opened".',
        "The message reads: I've opened the window.",
        "You've opened the window.",
        "You have opened all the windows, so it is loud.",
        "Anna opened the window.",
        "If I've opened the window, tell me.",
        "Once I've opened the window it gets cold.",
        "Yesterday I opened the window.",
        "I opened the window an hour ago.",
        "The window is open.",
        "The road has been closed since Monday.",
        "The museum is now closed.",
        "The shop has been opened by the mayor.",
        "I've found three restaurants.",
        "I've got it.",
        "I have heard of him.",
        "I've read the sign: no parking.",
        "We closed twenty shops last year.",
        "We've opened three new branches this year.",
        "Paris is the capital of France.",
        "It is 22 degrees.",
        "One moment.",
        "I can't do that yet.",
        "To open the window, press the switch.",
        "Opening hours are nine to five.",
        "Setting out early is a good idea.",
        "Calling a spade a spade.",
        "Are you done?",
        "Well done.",
        "Are all the doors shut and is the boot closed",
        "空调大概占了一成。",
        "Put your seat belt on, please.",
        "Set the parking brake.",
        "I've changed my mind.",
        "I've done this for ten years.",
        "We put that question to the minister this morning.",
        "乘客您好，行程已开始。",
        "把导航的声音关了。",
        "后备箱要打开了。",
        "要打开窗户吗？",
        "我可以帮您打开窗户。",
        "需要我把窗户打开吗？",
        "窗户还没有打开。",
        "我没有打开窗户。",
        "其实窗户还没有打开。",
        "我会把窗户打开。",
        "等停车了再打开。",
        "如果窗户已经打开了，请告诉我。",
        "他说窗户已经打开了。",
        "您已经打开了窗户。",
        "你把窗户打开了。",
        "昨天我把窗户打开了。",
        "抱歉，无法打开窗户。",
        "窗户是开着的。",
        "现在二十二度。",
        "这家店已经开了十年。",
        "高速已经堵了五公里。",
        "妈妈打开了窗户。",
        "好的，稍等。",
        "牌子上写着：已经关闭。",
        "北京是中国的首都。",
        "",
    ],
)
def test_what_is_no_claim(text: str) -> None:
    assert claims_in(text) == []


def test_how_it_is_claimed_is_kept() -> None:
    assert [claims_in(text)[0].aspect for text in ("I've opened the window.", "The window is now open.", "Opening the window.")] == [
        Aspect.DONE, Aspect.STATE, Aspect.DOING,
    ]  # fmt: skip
    two = claims_in("I've locked the doors and I've closed the boot. Anything else?")
    assert [(claim.act, claim.thing) for claim in two] == [("lock", "the doors"), ("close", "the boot")]


WORDS = st.sampled_from(
    [*PARTICIPLES, *GERUNDS, *STATES, "I", "I've", "I have", "we", "the window", "your seat heating", "has been", "is now", "are", "it", "all set",
     "taken care of", "done", "just", "now", "okay,", "that's", "The", "is", "at", "64 percent", "to 22 degrees", "not", "if", ".", "?", "ſ", "K"]
)  # fmt: skip


@settings(max_examples=400, deadline=None)
@given(st.lists(WORDS, max_size=8).map(" ".join), st.sampled_from([str.lower, str.upper, str.title, str]))
def test_a_glance_at_the_words_finds_every_claim(text: str, written: Callable[[str], str]) -> None:
    """With the glance and without it, the same is claimed."""
    text = written(text)
    assert claims_in(text) == [claim for one in sentences(text) for claim in thoroughly(one)]


def thoroughly(sentence: str) -> list[Claim]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(claims, "_without_acts", lambda text: False)
        return claims_in(sentence)
