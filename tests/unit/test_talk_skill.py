"""Say that again, go on, never mind: what counts as one, and what must not."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

import pytest

from ridealong.harness.interjections import is_never_mind
from ridealong.harness.router import Calls, Nothing, Router
from ridealong.harness.skill import Call, Context, LastSaid, Provenance
from ridealong.harness.skills import talk
from ridealong.vehicle_skills.builtin import builtin_registry
from ridealong.vehicle_skills.pretended import NoWaiting, RecordingPort

pytestmark = pytest.mark.unit
ROUTER = Router(builtin_registry())
CUT = Context(said=LastSaid("One two, three four.", "One two,", "three four.", 3_000, more=True))
OVER = Context(said=LastSaid("One two, three four.", "One two, three four.", "", 3_000))
LONG_AGO = Context(said=LastSaid("One two, three four.", "One two, three four.", "", 600_000))
SILENT = Context()

REPEAT = [
    "What did you just say?", "What did you say?", "Sorry, what did you say?", "Say that again.", "Say that again, please.", "Can you say that again?",
    "Could you repeat that please?", "Repeat that.", "Please repeat.", "Repeat what you said.", "I didn't catch that.", "Sorry, I didn't hear that.",
    "I missed that.", "Come again?", "What were you saying?", "Say it again.", "What was that you said?", "Tell me that again.", "One more time, please.",
    "Would you mind repeating that?", "Ridealong, what did you just say?",
    "你刚才说什么？", "你刚才说了什么？", "你刚刚说的是什么？", "你说什么？", "刚才说什么来着？", "再说一遍。", "请再说一遍。", "能再说一遍吗？", "再说一次好吗？",
    "请你重复一遍。", "重复一下。", "我没听清。", "没听清楚，再说一遍。", "没听见。", "不好意思，我没听清楚。", "麻烦你再讲一遍。", "小助手，你刚才说什么？",
]  # fmt: skip
GO_ON = [
    "Go on.", "Continue.", "Please continue.", "Continue, please.", "Carry on.", "Keep going.", "Okay, go on.", "Sorry, go on.", "Go on then.", "Go ahead.",
    "You were saying?", "Can you continue?", "Tell me the rest.", "Finish what you were saying.", "Continue where you left off.", "And then?", "Carry on, please.",
    "Please go on.", "Yes, continue.", "Continue with what you were saying.",
    "继续。", "继续说。", "请继续。", "你继续说。", "接着说。", "接着讲吧。", "继续吧。", "往下说。", "说下去。", "继续说吧。", "好，继续。", "把话说完。", "然后呢？", "不好意思，你继续说。",
]  # fmt: skip
NEITHER = [
    "Play that song again.", "Play music again.", "Repeat this song.", "Repeat the playlist.", "Say it again to your sister.", "Open the window again.",
    "Continue to the airport.", "Continue on the motorway.", "Carry on to the next exit.", "Go on the motorway.", "Turn it on again.", "Call her again.",
    "What did she say?", "What did he just say?", "What did Mum say?", "What did the sign say?", "Navigate home again.", "Resume the music.", "Continue the navigation.",
    "What did you say to Anna yesterday?", "Repeat after me.", "Go on holiday with me.", "Keep going straight.", "What did you just buy?",
    "再放一遍这首歌。", "再播一遍。", "继续导航。", "继续播放。", "继续往前开。", "再开一点。", "她刚才说什么？", "妈妈刚才说什么了？", "刚才那个牌子写了什么？", "接着放音乐。", "重复播放。",
    "我们继续走吧。", "你昨天说什么了？", "继续导航到机场。",
]  # fmt: skip


def chosen(words: str, context: Context) -> str:
    decision = ROUTER.decide(words, "", context, Provenance.DRIVER)
    return decision.matches[0].capability if isinstance(decision, Calls) else type(decision).__name__


@pytest.mark.parametrize("words", REPEAT)
def test_repeat(words: str) -> None:
    assert chosen(words, CUT) == chosen(words, OVER) == "talk.repeat"
    assert ROUTER.addressed(words, "", OVER) > 0.9


@pytest.mark.parametrize("words", GO_ON)
def test_go_on(words: str) -> None:
    assert chosen(words, CUT) == "talk.go_on"
    assert chosen(words, SILENT) != "talk.go_on" and chosen(words, LONG_AGO) != "talk.go_on"


@pytest.mark.parametrize("words", NEITHER)
def test_neither(words: str) -> None:
    assert not chosen(words, CUT).startswith("talk.")


@pytest.mark.parametrize("words", ["Pardon?", "What was that?", "Sorry, what?"])
def test_what_may_mean_anything_means_us_right_after_our_words(words: str) -> None:
    assert (
        chosen(words, OVER) == "talk.repeat"
        and chosen(words, LONG_AGO) != "talk.repeat"
        and chosen(words, SILENT) != "talk.repeat"
    )


def test_what_was_overheard_steers_nothing() -> None:
    assert ROUTER.decide("go on", "en", CUT, Provenance.OVERHEARD) == Nothing("overheard")


def test_never_mind_is_a_stop_for_good() -> None:
    for words in ("Never mind.", "Oh, never mind.", "Forget it.", "算了。", "算了吧。"):
        assert is_never_mind(words, "") and ROUTER.decide(words, "", CUT, Provenance.DRIVER) == Nothing("stop"), words
    for words in ("Stop.", "Wait.", "停。", "别说了。"):
        assert not is_never_mind(words, "") and ROUTER.decide(words, "", CUT, Provenance.DRIVER) == Nothing("stop"), words


@dataclass
class FakeTalk:
    said: LastSaid | None
    rest: str | None = None
    unsettled_looks: int = 0
    asked: list[str] = field(default_factory=list)

    def last(self) -> LastSaid | None:
        if self.said is None:
            return None
        self.unsettled_looks -= 1
        return LastSaid(
            self.said.text,
            self.said.heard,
            self.said.rest,
            self.said.ended_ms_ago,
            self.said.more,
            self.unsettled_looks < 0,
            self.said.speaking,
        )

    def repeat(self) -> str:
        self.asked.append("repeat")
        return self.said.text if self.said else ""

    def go_on(self) -> str | None:
        self.asked.append("go_on")
        return self.rest


def run(skill: talk.Skill, fake: FakeTalk, locale: str = "en") -> str:
    port, clock = RecordingPort({}, Provenance.DRIVER), NoWaiting()
    call = Call("w", "", "", locale, Provenance.DRIVER, {}, port, clock, talk=fake)
    return asyncio.run(skill.run(call)).text


def test_what_is_said() -> None:
    assert run(talk.repeat, FakeTalk(CUT.said)) == "One two, three four."
    assert run(talk.repeat, FakeTalk(None)) == "I haven't said anything yet."
    assert run(talk.go_on, FakeTalk(OVER.said), "zh") == "我已经说完了。"
    assert run(talk.go_on, FakeTalk(CUT.said, "")) == ""  # the reply itself goes on
    assert run(talk.go_on, FakeTalk(CUT.said, "three four.")) == "three four."
    assert run(talk.go_on, FakeTalk(LastSaid("One two.", "One", "two.", 0, speaking=True))) == ""


def test_going_on_waits_for_the_device_to_say_how_far_it_got_but_not_for_ever() -> None:
    patient, cut_off = FakeTalk(CUT.said, "", unsettled_looks=5), FakeTalk(CUT.said, "", unsettled_looks=10_000)
    assert run(talk.go_on, patient) == "" and patient.unsettled_looks == -1
    assert run(talk.go_on, cut_off) == "" and cut_off.unsettled_looks > 9_900
