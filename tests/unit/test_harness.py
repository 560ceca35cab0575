"""One session's harness on virtual time: requests in, work done, replies out once, and everything in the journal."""

import asyncio
import sqlite3
from pathlib import Path

import pytest

from ridealong.harness.dispatch import Talked
from ridealong.harness.harness import JournalFailed
from ridealong.harness.journal import Journal
from ridealong.harness.said import Saying, State
from ridealong.harness.skill import Outcome, Provenance
from ridealong.proto.types import ActuationState, FrameId, Samples, UtteranceId
from tests.unit.harness_scene import TEMPERATURE, Scene, play

pytestmark = pytest.mark.unit

WRITE = f"write {TEMPERATURE}=22.5"


def test_a_request_is_done_spoken_and_heard(tmp_path: Path) -> None:
    async def script(s: Scene) -> None:
        assert (
            s.harness.feed(
                "Sure. <delegate>look: say It is 22.5 degrees.</del", s.now(), "how warm", "en", Provenance.DRIVER, False
            )
            == "Sure. "
        )
        assert s.harness.feed("egate>", s.now(), "how warm", "en", Provenance.DRIVER, True) == ""
        assert not s.harness.idle
        await asyncio.sleep(0.01)
        assert s.harness.idle
        assert s.boundary(quiet_ms=0) == ["s-w1: It is 22.5 degrees."]  # the direct answer needs no pause
        s.played("s-w1", "started")
        s.played("s-w1", "finished", "It is 22.5 degrees.")

    scene = Scene(tmp_path)
    play(scene, script)
    assert scene.history("s-w1") == [
        "queued/none", "running/none", "completed/none", "completed/pending", "completed/delivering", "completed/delivered",
    ]  # fmt: skip
    item = Journal(tmp_path / "journal.sqlite").item("s-w1")
    assert item is not None and (item.heard, item.words, item.capability) == ("It is 22.5 degrees.", "how warm", "look")
    assert None not in (item.intent_at, item.done_at, item.inserted_at, item.played_at)


def test_the_intent_is_on_the_disk_before_anything_is_sent(tmp_path: Path) -> None:
    seen: list[object] = []

    def look(key: str) -> None:
        reader = Journal(tmp_path / "journal.sqlite", read_only=True)
        item = reader.item("s-w1")
        assert item is not None
        seen.append((item.execution.value, [(i.key, i.state) for i in reader.intents("s-w1")]))
        reader.close()

    async def script(s: Scene) -> None:
        s.car.before_sending = look
        s.ask(f"act: {WRITE} | say Set to 22.5.")
        await asyncio.sleep(0.05)
        assert s.harness.idle  # only the car is waited for
        await asyncio.sleep(1)
        assert s.boundary() == ["s-w1: Set to 22.5."]

    scene = Scene(tmp_path)
    play(scene, script)
    assert seen == [("running", [("s-w1.0", None)])]
    assert [i.state for i in Journal(tmp_path / "journal.sqlite").intents("s-w1")] == ["confirmed"]


@pytest.mark.parametrize(
    ("answer", "state", "reason"),
    [
        (ActuationState.TIMED_OUT, "unknown", "not_confirmed"),
        (ActuationState.FORWARDED, "unknown", "not_confirmed"),
        (ActuationState.CONTRADICTED, "failed", "not_confirmed"),
        (ActuationState.REFUSED, "failed", "moving"),
    ],
)
def test_a_claim_that_the_car_does_not_bear_out_is_not_spoken(
    tmp_path: Path, answer: ActuationState, state: str, reason: str
) -> None:
    async def script(s: Scene) -> None:
        s.car.answers = [answer]
        s.ask(f"act: {WRITE} | say Done, it is warm now.")
        await asyncio.sleep(1)
        assert s.states() == {"w1": f"{state}/pending"}
        [reply] = s.boundary()
        assert "Done" not in reply
        assert s.harness.items["s-w1"].reason == reason

    play(Scene(tmp_path), script)


@pytest.mark.parametrize(
    ("request_text", "provenance", "reason"),
    [
        (f"act: {WRITE} | say x", Provenance.UNKNOWN, "not_addressed"),
        (f"look: {WRITE} | say x", Provenance.DRIVER, "undeclared"),
        ("act: write Vehicle.Cabin.Door.Row1.DriverSide.IsLocked=0 | say x", Provenance.DRIVER, "undeclared"),
        ("act: write explicit=20 | say x", Provenance.DRIVER, "needs_confirmation"),
    ],
)
def test_what_may_not_be_sent_is_not_sent(tmp_path: Path, request_text: str, provenance: Provenance, reason: str) -> None:
    async def script(s: Scene) -> None:
        s.ask(request_text, provenance=provenance)
        await asyncio.sleep(1)
        assert s.car.sent == []
        item = s.harness.items["s-w1"]
        assert (item.execution.value, item.outcome, item.reason) == ("failed", Outcome.REFUSED, reason)

    play(Scene(tmp_path), script)


@pytest.mark.parametrize("provenance", [Provenance.OVERHEARD, Provenance.SEEN])
def test_what_was_overheard_or_seen_starts_nothing(tmp_path: Path, provenance: Provenance) -> None:
    async def script(s: Scene) -> None:
        s.ask("look: say hello", provenance=provenance)
        await asyncio.sleep(0.1)
        assert (s.states(), s.rejected()) == ({}, ["provenance"])

    play(Scene(tmp_path), script)


def test_one_request_makes_one_item_whatever_is_repeated(tmp_path: Path) -> None:
    async def script(s: Scene) -> None:
        s.ask("look: say one")
        s.ask("Look:  say one!")
        await asyncio.sleep(2.9)
        s.ask("look: say one")
        await asyncio.sleep(0.2)
        s.ask("look: say one")  # three seconds later it is a new request
        await asyncio.sleep(0.1)
        assert (list(s.states()), s.rejected()) == (["w1", "w2"], ["duplicate", "duplicate"])

    play(Scene(tmp_path), script)


def test_a_replayed_utterance_does_nothing_in_the_next_process(tmp_path: Path) -> None:
    async def once(s: Scene) -> None:
        s.evidence.observe_line("driver", "look+act: say one", Samples(0), Samples(0))
        s.ask("look+act: say one")
        await asyncio.sleep(0.1)

    first, second = Scene(tmp_path), None
    play(first, once)
    assert list(first.states()) == ["w1", "w2"]
    second = Scene(tmp_path)
    play(second, once)
    assert (second.states(), second.rejected()) == ({}, ["duplicate"])


def test_a_failing_skill_says_so_plainly_and_the_session_goes_on(tmp_path: Path) -> None:
    async def script(s: Scene) -> None:
        s.ask("look: raise", locale="zh")
        s.ask("short: wait 5000 | say late")
        s.ask("crash")
        s.ask("nonsense: say x")
        await asyncio.sleep(1.5)
        s.ask("look: say still here")
        await asyncio.sleep(0.1)
        assert list(s.states().values()) == ["failed/pending"] * 4 + ["completed/pending"]
        texts = [item.reply for item in s.harness.items.values()]
        assert texts[0].startswith("抱歉") and not any("provider" in text for text in texts)
        assert [item.reason for item in s.harness.items.values()][:4] == ["RuntimeError", "timeout", "KeyError", "no_such_skill"]

    play(Scene(tmp_path), script)


def test_a_late_result_waits_for_a_pause_and_is_told_once(tmp_path: Path) -> None:
    async def script(s: Scene) -> None:
        s.ask("look: wait 12000 | say The café is open.")
        await asyncio.sleep(0.1)
        assert s.harness.idle and s.boundary() == []
        await asyncio.sleep(12)
        assert s.boundary(free=False) == []
        assert s.boundary(quiet_ms=300) == []
        assert s.boundary(quiet_ms=800) == ["s-w1: The café is open."]
        assert s.boundary() == []
        s.played("s-w1", "finished", "The café is open.")
        s.played("s-w1", "finished", "The café is open.")
        assert s.boundary() == [] and s.states() == {"w1": "completed/delivered"}

    play(Scene(tmp_path), script)


def test_a_late_result_spares_a_driver_who_is_busy_and_an_alert_does_not(tmp_path: Path) -> None:
    async def script(s: Scene) -> None:
        s.ask("look: wait 12000 | say Found it.")
        await asyncio.sleep(13)
        s.loaded = True
        assert s.boundary() == []
        s.harness.announce("watching.alert", "We are near the exit.", "en", "tell me", Provenance.DRIVER)
        await asyncio.sleep(0.1)
        assert s.boundary() == ["s-w2: We are near the exit."]
        s.played("s-w2", "finished", "We are near the exit.")
        assert s.boundary() == []
        s.loaded = False
        assert s.boundary() == ["s-w1: Found it."]

    play(Scene(tmp_path), script)


def test_a_reply_past_its_deadline_is_never_spoken(tmp_path: Path) -> None:
    async def script(s: Scene) -> None:
        s.ask("look: say old news")
        await asyncio.sleep(60.1)
        assert s.boundary() == [] and s.states() == {"w1": "completed/expired"}

    play(Scene(tmp_path), script)


def test_a_correction_replaces_what_was_being_said(tmp_path: Path) -> None:
    async def script(s: Scene) -> None:
        s.ask(f"act: {WRITE} | say Set to 22.5.")
        await asyncio.sleep(0.5)
        s.boundary()
        s.played("s-w1", "started")
        s.played("s-w1", "flushed", "Set to")
        assert s.states() == {"w1": "completed/pending"}
        s.ask(f"revise act: {WRITE} | say Set to 20.")
        await asyncio.sleep(0.5)
        assert s.states() == {"w1": "completed/withdrawn", "w2": "completed/pending"}
        assert s.harness.items["s-w1"].heard == "Set to"
        assert s.boundary() == ["s-w2: Set to 20."]

    play(Scene(tmp_path), script)


def test_a_correction_replaces_what_was_still_being_done_and_waits_for_its_end(tmp_path: Path) -> None:
    async def script(s: Scene) -> None:
        s.ask(f"act: wait 500 | {WRITE} | say Set to 22.5.")
        await asyncio.sleep(0.1)
        s.ask(f"revise act: {WRITE} | say Set to 20.")
        await asyncio.sleep(2)
        assert s.states() == {"w1": "superseded/none", "w2": "completed/pending"}
        assert [key for key, _ in s.car.sent] == ["s-w2.0"]
        s.ask("revise act: wait 100 | say Also for the passenger.")  # "also" adds, it does not replace
        await asyncio.sleep(2)
        assert s.states()["w2"] == "completed/pending"
        s.ask("act: wait 100 | say Set to 19.")  # the same zone again: "set to 20" is not true any more
        await asyncio.sleep(2)
        assert (s.states()["w2"], s.states()["w3"]) == ("completed/withdrawn", "completed/pending")

    play(Scene(tmp_path), script)


def test_cancelling_waits_for_the_worker_and_tells(tmp_path: Path) -> None:
    async def script(s: Scene) -> None:
        s.ask("look: wait 5000 | say x")
        await asyncio.sleep(0.1)
        assert s.harness.cancel("s-w1") and s.states() == {"w1": "cancelling/none"}
        await asyncio.sleep(0.1)
        assert s.states() == {"w1": "cancelled/pending"}
        assert not s.harness.cancel("s-w1") and not s.harness.cancel("nobody")
        assert s.boundary() == ["s-w1: Okay, I stopped that."]
        s.ask(f"act: {WRITE} | say x")
        await asyncio.sleep(0.05)
        assert s.harness.cancel("s-w2")  # sent, not answered: nobody can say
        await asyncio.sleep(1)
        assert s.states()["w2"] == "unknown/pending"

    play(Scene(tmp_path), script)


def test_stop_drops_what_was_being_said(tmp_path: Path) -> None:
    async def script(s: Scene) -> None:
        s.ask("look: say a long story")
        s.ask("look: say another")
        await asyncio.sleep(0.1)
        s.boundary()
        s.played("s-w1", "flushed", "a long")
        s.ask("stop")
        assert s.states() == {"w1": "completed/withdrawn", "w2": "completed/pending"}
        assert s.rejected() == ["stop"]

    play(Scene(tmp_path), script)


def test_a_question_back_and_its_answer(tmp_path: Path) -> None:
    async def script(s: Scene) -> None:
        s.ask("act: ask Really open it?")
        await asyncio.sleep(0.1)
        assert s.boundary() == ["s-w1: Really open it?"]
        s.played("s-w1", "finished", "Really open it?")
        await asyncio.sleep(3)
        s.ask("yes")
        await asyncio.sleep(0.1)
        assert s.boundary() == ["s-w2: explicit"]
        s.played("s-w2", "finished", "explicit")
        asked = s.router.contexts[-1].recent[0]
        assert (asked.capability, asked.outcome, round(asked.asked_ms_ago)) == ("act", Outcome.ASKS, 3_000)
        s.ask("act:")
        await asyncio.sleep(0.1)
        assert s.boundary() == ["s-w3: none"]
        s.ask("which?")
        await asyncio.sleep(0.1)
        s.ask("negated")
        assert s.router.contexts[-1].recent[0].outcome is Outcome.ASKS and s.router.contexts[-1].recent[0].capability == "act"

    play(Scene(tmp_path), script)


def test_chit_chat_is_answered_honestly_or_by_the_endpoint(tmp_path: Path) -> None:
    async def endpoint(text: str, locale: str, talked: Talked) -> str:
        if locale == "zh":
            raise OSError("secret")
        return "I've opened the window." if "claim" in text else "**Paris**, of course."

    async def script(s: Scene) -> None:
        s.ask("hello")
        s.ask("general")
        await asyncio.sleep(4)
        s.ask("general", locale="zh")
        await asyncio.sleep(0.1)
        replies = [item.reply for item in s.harness.items.values()]
        assert replies[:2] == ["Hello. What can I do for you?", "Paris, of course."] and "语言模型" in replies[2]
        s.ask("general claim")
        await asyncio.sleep(0.1)
        assert list(s.harness.items.values())[-1].reply == "I haven't changed anything."

    play(Scene(tmp_path, converse=endpoint), script)


def test_at_most_eight_run_and_a_stale_actuation_is_dropped(tmp_path: Path) -> None:
    async def script(s: Scene) -> None:
        for n in range(8):
            s.ask(f"look: wait 3000 | say {n}")
        s.ask(f"act: {WRITE} | say set")
        s.ask("look: say last")
        await asyncio.sleep(3.5)
        assert s.car.sent == []
        assert (s.states()["w9"], s.harness.items["s-w9"].reason) == ("cancelled/pending", "too_late")
        assert s.states()["w10"] == "completed/pending"

    play(Scene(tmp_path), script)


def test_the_snapshot_is_that_of_the_first_character(tmp_path: Path) -> None:
    async def script(s: Scene) -> None:
        taken = []

        async def keep(call):  # type: ignore[no-untyped-def]
            taken.append(call.snapshot)
            raise RuntimeError

        s.skills.known["look"] = type(s.skills.known["look"])(
            "look", "", keep, lambda t, lo, c: None, "status", {}, {}
        )  # fmt: skip
        s.evidence.observe_frame(FrameId(1), s.now(), b"first")
        s.harness.feed("<dele", s.now(), "w", "en", Provenance.DRIVER, False)
        s.evidence.observe_frame(FrameId(2), s.now(), b"later")
        s.harness.feed("gate>look: x</delegate>", s.now(), "w", "en", Provenance.DRIVER, True)
        await asyncio.sleep(0.1)
        assert [frame.jpeg for frame in taken[0].frames] == [b"first"]
        assert s.harness.items["s-w1"].snapshot == taken[0].id == f"s-{taken[0].address()}"

    play(Scene(tmp_path), script)


def test_without_a_journal_nothing_is_actuated(tmp_path: Path) -> None:
    async def script(s: Scene) -> None:
        append = s.journal.append
        s.journal.append = lambda entries: (_ for _ in ()).throw(sqlite3.OperationalError("disk full"))  # type: ignore[method-assign]
        s.ask(f"act: {WRITE} | say Done.")
        await asyncio.sleep(0.5)
        assert s.car.sent == [] and s.harness.items["s-w1"].reason == "journal"
        assert JournalFailed("OperationalError") in s.events and s.harness.idle
        assert s.boundary() == ["s-w1: I can't write down what I do just now, so I don't do it."]
        s.played("s-w1", "finished", "I can't write down what I do just now, so I don't do it.")
        s.ask("look: say reading still works")
        await asyncio.sleep(0.5)
        assert s.states()["w2"] == "completed/pending"
        s.journal.append = append  # type: ignore[method-assign]
        await asyncio.sleep(2)  # what could not be written is written now; the intent is not
        assert {item.id for item in s.journal.items()} == {"s-w1", "s-w2"} and s.journal.intents("s-w1") == []

    play(Scene(tmp_path), script)


def test_the_end_of_a_session_leaves_nothing_open(tmp_path: Path) -> None:
    async def script(s: Scene) -> None:
        s.ask("look: wait 9000 | say x")
        s.ask("look: say waiting")
        s.ask(f"act: {WRITE} | say y")
        await asyncio.sleep(0.05)

    scene = Scene(tmp_path)
    play(scene, script)
    assert scene.states() == {"w1": "cancelled/withdrawn", "w2": "completed/withdrawn", "w3": "unknown/withdrawn"}
    again = Journal(tmp_path / "journal.sqlite")
    assert all(item.over for item in again.items())
    assert (again.recovered.interrupted, again.recovered.undelivered, again.recovered.unanswered_intents) == ((), (), ("s-w3.0",))


def test_a_session_that_is_torn_down_leaves_nothing_open(tmp_path: Path) -> None:
    async def script(s: Scene) -> None:
        s.ask("look: wait 9000 | say x")
        s.ask("look: say waiting")
        await asyncio.sleep(0.05)
        raise ConnectionError

    scene = Scene(tmp_path)

    async def torn() -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(scene.harness.run())
            await asyncio.sleep(0)
            await script(scene)

    from ridealong.simulators.virtual_time import run_virtual

    with pytest.raises(ExceptionGroup):
        run_virtual(torn())
    scene.journal.close()
    again = Journal(tmp_path / "journal.sqlite")
    assert again.recovered == type(again.recovered)() and all(item.over for item in again.items()) and again.numbered("s") == 2


def test_words_that_cut_us_off_are_answered_in_any_case_and_no_others(tmp_path: Path) -> None:
    said = "The bridge is closed until Friday. Traffic goes over Mill Lane."

    async def script(s: Scene) -> None:
        s.harness.note(Saying(UtteranceId(1), "w", said, said, s.now(), State.FINISHED))
        for number, (words, took_floor) in enumerate(
            [("nothing: not_a_request", ""), ("nothing: question which lane", "follow_up"), ("nothing: not_a_request", "redirect"),
             ("nothing: overheard", "redirect"), ("nothing: other_addressee", "follow_up"), ("nothing: other_addressee", "")],
        ):  # fmt: skip
            await asyncio.sleep(5)
            s.harness.feed(
                f"<delegate>{words}</delegate>", s.now(), f"{words} {number}", "en", Provenance.DRIVER, True, took_floor
            )
            await asyncio.sleep(0.01)
            for line in s.boundary():
                answered.append(line)
                s.played(line.partition(":")[0], "finished", line.partition(": ")[2])

    answered: list[str] = []
    scene = Scene(tmp_path)
    play(scene, script)
    assert len(answered) == 3 and answered[0].endswith("Traffic goes over Mill Lane.") and answered[1] != answered[0]


@pytest.mark.parametrize(
    ("words", "by", "answered"),
    [
        ("nothing: not_a_request", Provenance.TYPED, True),
        ("nothing: question", Provenance.TYPED, True),
        ("nothing: negated", Provenance.TYPED, False),
        ("nothing: backchannel", Provenance.TYPED, False),
        ("nothing: stop", Provenance.TYPED, False),
        ("nothing: not_a_request", Provenance.DRIVER, False),
        ("nothing: question", Provenance.DRIVER, False),
    ],
)
def test_typed_words_are_for_us_and_get_an_answer(tmp_path: Path, words: str, by: Provenance, answered: bool) -> None:
    async def script(s: Scene) -> None:
        s.harness.feed(f"<delegate>{words}</delegate>", s.now(), words, "en", by, True, "")
        await asyncio.sleep(0.01)
        said.extend(s.boundary())

    said: list[str] = []
    scene = Scene(tmp_path)
    play(scene, script)
    assert bool(said) is answered
