"""After a cut: say that again, go on, never mind, and what the next turn knows, in a session's harness on virtual time."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest

from ridealong.cloud.conversation import Acked, Conversation, Delivery, Produced
from ridealong.cloud.frontends.base import Output, SpeechSlice
from ridealong.harness.dispatch import Converse
from ridealong.harness.harness import GaveUp
from ridealong.harness.rest import Why
from ridealong.harness.said import Saying, State
from ridealong.harness.skills import talk
from ridealong.proto.types import ControlToken, Epoch, PlaybackAck, PlaybackState, Samples, UnitIndex, UtteranceId, WordTime
from tests.unit.harness_scene import TEMPERATURE, Scene, play

pytestmark = pytest.mark.unit
TEXT = "The tyres are fine. The battery is half full, which is enough. The boot is open."
HEARD = "The tyres are fine. The battery is half full, which"
REST = "which is enough. The boot is open."
WRITE = f"write {TEMPERATURE}=22.5"


class Talking(Scene):
    """A scene that knows the talk skills, and a device that plays: `say`, `cut` and `finish` are what the conversation core tells."""

    utterance = 0

    def __init__(self, folder: Path, converse: Converse | None = None) -> None:
        super().__init__(folder, converse=converse)
        self.skills.known |= {"go on": talk.go_on, "say again": talk.repeat}

    def say(self, *, quiet_ms: float = 5_000) -> str:
        """Admit the next reply and begin to play it."""
        replies = self.harness.boundary(self.now(), True, quiet_ms)
        self.text, self.work = (replies[0].text, replies[0].work_id) if replies else ("", "")
        if self.text:
            self.utterance += 1
            self._note("", State.SPEAKING)
        return self.text

    def cut(self, heard: str, why: Why, *, under_way: bool = True) -> None:
        self.harness.interrupted(why, self.now(), frozenset({self.work} if under_way else ()))
        self._note(heard, State.CUT, why)
        self.harness.playback(self.work, "flushed", heard, self.now(), why)

    def finish(self) -> None:
        self._note(self.text, State.FINISHED)
        self.harness.playback(self.work, "finished", self.text, self.now())

    def _note(self, heard: str, state: State, why: Why | None = None) -> None:
        number = UtteranceId(self.utterance)
        self.harness.note(Saying(number, self.work, self.text, heard, self.now(), state, why, state is not State.SPEAKING))

    async def asks(self, words: str, *, quiet_ms: float = 5_000) -> str:
        """Ask, and hear the answer begin."""
        self.ask(words)
        await asyncio.sleep(0.5)
        return self.say(quiet_ms=quiet_ms)


def test_go_on_delivers_the_rest_as_the_same_work(tmp_path: Path) -> None:
    async def script(s: Talking) -> None:
        assert await s.asks(f"look: say {TEXT}") == TEXT
        s.cut(HEARD, Why.FOLLOW_UP)
        assert s.states()["w1"] == "completed/withdrawn" and s.harness.items["s-w1"].heard == HEARD
        assert await s.asks("look: say It is noon.") == "It is noon."
        s.finish()
        assert await s.asks("go on") == REST and s.work == "s-w1"
        s.finish()
        assert s.states() == {"w1": "completed/delivered", "w2": "completed/delivered", "w3": "completed/none"}
        assert s.harness.items["s-w1"].heard == TEXT
        await asyncio.sleep(4)
        assert await s.asks("go on") == "That was all."

    play(Talking(tmp_path), script)


def test_the_rest_that_is_cut_again_goes_on_from_there(tmp_path: Path) -> None:
    async def script(s: Talking) -> None:
        await s.asks(f"look: say {TEXT}")
        s.cut(HEARD, Why.STOP)
        assert await s.asks("go on") == REST
        s.cut("which is enough.", Why.STOP)
        await asyncio.sleep(4)
        assert await s.asks("go on") == "The boot is open."
        s.finish()
        assert s.harness.items["s-w1"].heard == TEXT and s.states()["w1"] == "completed/delivered"

    play(Talking(tmp_path), script)


def test_say_again_repeats_heard_and_unheard_and_takes_the_rest_over(tmp_path: Path) -> None:
    async def script(s: Talking) -> None:
        await s.asks(f"act: {WRITE} | say {TEXT}")
        s.cut("The", Why.FOLLOW_UP)  # so little of an important result would be offered again by itself
        assert s.states()["w1"] == "completed/pending"
        assert await s.asks("say again") == TEXT
        s.finish()
        await asyncio.sleep(20)
        assert s.say() == "" and s.states()["w1"] == "completed/withdrawn"
        assert await s.asks("say again") == TEXT
        s.finish()
        await asyncio.sleep(4)
        assert await s.asks("go on") == "That was all."

    play(Talking(tmp_path), script)


def test_nothing_is_left_after_never_mind(tmp_path: Path) -> None:
    async def script(s: Talking) -> None:
        s.router.stops.add("never mind")
        await s.asks(f"look: say {TEXT}")
        s.cut(HEARD, Why.STOP)
        s.ask("never mind")
        assert await s.asks("go on") == "That was all."
        assert s.states()["w1"] == "completed/withdrawn"

    play(Talking(tmp_path), script)


@pytest.mark.parametrize("judged", [Why.STOP, Why.CORRECT])
@pytest.mark.parametrize("ack_first", [True, False])
def test_what_is_asked_then_says_more_than_the_judgement_of_the_first_words(tmp_path: Path, judged: Why, ack_first: bool) -> None:
    """Judged a stop or a correction, but the words went on to ask for something else: an important result is still owed."""

    async def script(s: Talking) -> None:
        await s.asks(f"act: {WRITE} | say {TEXT}")
        await asyncio.sleep(1)
        s.harness.interrupted(judged, s.now(), frozenset({s.work}))
        if ack_first:
            s.cut("The", judged)
        s.ask("look: say It is noon.")
        if not ack_first:
            s.cut("The", judged)
        await asyncio.sleep(0.5)
        assert s.states()["w1"] == "completed/pending"
        assert s.say(quiet_ms=500) == "It is noon."
        s.finish()
        assert s.say() == f"Again: {TEXT}"

    play(Talking(tmp_path), script)


def test_a_stop_that_was_understood_stands_whatever_is_asked_next(tmp_path: Path) -> None:
    async def script(s: Talking) -> None:
        await s.asks(f"act: {WRITE} | say {TEXT}")
        s.cut("The", Why.STOP)
        s.ask("stop")
        await asyncio.sleep(3)
        assert await s.asks("look: say It is noon.") == "It is noon."
        s.finish()
        await asyncio.sleep(30)
        assert s.say() == "" and s.states()["w1"] == "completed/withdrawn"

    play(Talking(tmp_path), script)


@pytest.mark.parametrize("judged", [Why.CORRECT, Why.FOLLOW_UP, Why.STOP])
def test_a_newer_request_for_the_same_thing_leaves_no_old_rest(tmp_path: Path, judged: Why) -> None:
    async def script(s: Talking) -> None:
        await s.asks(f"act: {WRITE} | say {TEXT}")
        s.cut("The", judged)
        assert await s.asks(f"revise act: {WRITE} | say Set to 20.") == "Set to 20."
        s.finish()
        assert await s.asks("go on") == "That was all."

    play(Talking(tmp_path), script)


def test_a_stopped_reply_can_be_gone_on_with_for_two_minutes(tmp_path: Path) -> None:
    async def script(s: Talking) -> None:
        await s.asks(f"look: say {TEXT}")
        s.cut(HEARD, Why.STOP)
        await asyncio.sleep(115)
        assert s.say() == ""  # never by itself
        assert await s.asks("go on") == REST
        s.cut("", Why.STOP)
        await asyncio.sleep(121)
        assert await s.asks("go on") == "That was all."

    play(Talking(tmp_path), script)


def test_a_reply_cut_before_its_first_sample_can_be_gone_on_with_too(tmp_path: Path) -> None:
    async def script(s: Talking) -> None:
        s.ask(f"look: say {TEXT}")
        await asyncio.sleep(0.5)
        assert len(s.boundary()) == 1
        unsent = s.harness.interrupted(Why.STOP, s.now(), frozenset())
        assert unsent is not None and (unsent.heard, unsent.rest) == ("", TEXT)
        assert s.states()["w1"] == "completed/withdrawn"  # at once: no acknowledgment will come
        assert await s.asks("go on") == TEXT and s.work == "s-w1"

    play(Talking(tmp_path), script)


def test_a_speaker_that_stands_still_is_told_and_the_rest_is_offered(tmp_path: Path) -> None:
    async def script(s: Talking) -> None:
        await s.asks(f"look: say {TEXT}")
        s.harness.playback(s.work, "progress", HEARD, s.now())
        await asyncio.sleep(15.5)
        assert s.say(quiet_ms=0) == "" and [type(event).__name__ for event in s.events].count("GaveUp") == 1
        await asyncio.sleep(3)
        assert s.say() == REST
        s.finish()
        assert s.harness.items["s-w1"].heard == TEXT

    play(Talking(tmp_path), script)


def test_thirty_seconds_sent_in_three_are_heard_to_the_end(tmp_path: Path) -> None:
    """The whole way: all samples leave at once, the device plays them for thirty seconds, and boundaries come all the time."""

    async def script(s: Talking) -> None:
        text = " ".join(f"word{n}" for n in range(60))
        await s.asks(f"look: say {text}")
        talk, word = Conversation(), 12_000
        for third in range(3):  # three seconds
            times = tuple(WordTime(f"word{n}", n * word, (n + 1) * word) for n in range(20 * third, 20 * third + 20))
            piece = SpeechSlice(UtteranceId(1), third == 2, 24_000, bytes(2 * 20 * word), "", times, s.work, text)
            talk.on(Produced(Output(ControlToken.SPEAK, speech=(piece,)), UnitIndex(0), False))
            await asyncio.sleep(1)
        for fifth in range(151):
            played, state = fifth * 4_800, PlaybackState.FINISHED if fifth == 150 else PlaybackState.PROGRESS
            for effect in talk.on(Acked(PlaybackAck(Epoch(1), UtteranceId(1), played, state, s.now()))):
                if isinstance(effect, Delivery):
                    s.harness.playback(effect.work_id, effect.state, effect.heard, effect.at, effect.why)
            assert s.boundary(free=False) == []
            await asyncio.sleep(0.2)
        assert s.states()["w1"] == "completed/delivered" and s.harness.items["s-w1"].heard == text
        assert not [event for event in s.events if isinstance(event, GaveUp)]

    play(Talking(tmp_path), script)


def test_the_next_turn_is_conditioned_on_what_was_heard(tmp_path: Path) -> None:
    seen: list[Sequence[tuple[str, str]]] = []

    async def endpoint(text: str, locale: str, talked: Sequence[tuple[str, str]]) -> str:
        seen.append(talked)
        return "Paris."

    async def script(s: Talking) -> None:
        await s.asks(f"look: say {TEXT}")
        s.cut(HEARD, Why.FOLLOW_UP)
        await s.asks("general")
        said = s.router.contexts[-1].said
        assert said is not None and (said.heard, said.rest, said.more) == (HEARD, "is enough. The boot is open.", True)

    play(Talking(tmp_path, converse=endpoint), script)
    assert seen == [
        [
            ("user", f"look: say {TEXT}"),
            ("assistant", f"{HEARD} [interrupted here; not heard: is enough. The boot is open.]"),
        ]
    ]


def test_the_log_is_bounded_and_in_the_order_of_speaking(tmp_path: Path) -> None:
    async def script(s: Talking) -> None:
        for number in (*range(2, 90), 1):
            s.harness.note(Saying(UtteranceId(number), "", f"t{number}", f"t{number}", Samples(number), State.FINISHED))
        last = s.harness.context().said
        assert last is not None and last.text == "t89"

    play(Talking(tmp_path), script)
