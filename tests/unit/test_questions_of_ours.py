"""Our own questions: one after the other, answered by whoever heard them, once."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from ridealong.harness.router import Decision, Nothing
from ridealong.harness.skill import Call, Confirmation, Context, Outcome, Provenance, Spoken
from ridealong.proto.types import SignalWrite
from tests.unit.harness_scene import Scene, ScriptedRouter, play, skill

pytestmark = pytest.mark.unit


class Answered(ScriptedRouter):
    """ "no" is declined as the local router does it; everything else as scripted."""

    def decide(self, text: str, locale: str, context: Context, provenance: Provenance) -> Decision:
        if text == "no":
            return Nothing("declined")
        if text == "yes" and (not context.recent or context.recent[0].outcome is not Outcome.ASKS):
            return Nothing("backchannel")
        return super().decide(text, locale, context, provenance)


async def careful(call: Call) -> Spoken:
    """Does what it is about only after a yes."""
    name = call.work_id if not call.arguments else str(call.arguments.get("n", ""))
    if call.confirmation is Confirmation.EXPLICIT:
        await call.signals.actuate([SignalWrite("Vehicle.Body.Flap", True)], group="climate", confirmation=Confirmation.EXPLICIT)
        return Spoken(f"Done: {call.agreed_to['n'] if call.agreed_to else name}.")
    return Spoken(f"Really {name}?", Outcome.ASKS, "confirm")


class Careful(Scene):
    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.said: list[str] = []
        self.router = self.harness._dispatch._router = Answered()
        for name in ("boot", "roof"):
            self.skills.known[name] = replace(skill(name, actuates=("Vehicle.Body.*",)), run=careful)

    async def listen(self, seconds: float = 4.0) -> None:
        """A quiet while in which everything that may be said is said and heard."""
        for _ in range(round(seconds * 10)):
            for line in self.boundary(quiet_ms=2_500):
                work_id, _, text = line.partition(": ")
                self.said.append(text)
                self.played(work_id, "started")
                self.played(work_id, "finished", text)
            await asyncio.sleep(0.1)


def test_two_acts_that_both_ask_are_asked_one_after_the_other(tmp_path: Path) -> None:
    async def script(s: Careful) -> None:
        s.ask("boot+roof")
        await s.listen()
        assert s.said == ["Really 0?"]  # the second question waits for the answer to the first
        s.ask("yes")
        await s.listen()
        assert sorted(s.said) == ["Done: 0.", "Really 0?", "Really 1?"]
        s.ask("yes")
        await s.listen()
        assert s.said[3:] == ["Done: 1."]
        await asyncio.sleep(3.5)
        s.ask("yes")  # nothing is open any more
        await s.listen()

    scene = Careful(tmp_path)
    play(scene, script)
    assert len(scene.said) == 4 and scene.rejected() == ["backchannel"]


def test_a_yes_at_once_to_each_of_two_questions_is_no_repetition(tmp_path: Path) -> None:
    async def script(s: Careful) -> None:
        s.ask("boot+roof")
        await s.listen(1.0)
        s.ask("yes")
        await s.listen(1.5)
        assert "Really 1?" in s.said
        s.ask("yes")  # within the window in which the same words are a repetition
        await s.listen(1.5)

    scene = Careful(tmp_path)
    play(scene, script)
    assert scene.rejected() == [] and [line for line in scene.said if line.startswith("Done")] == ["Done: 0.", "Done: 1."]


def test_yes_yes_to_one_question_does_not_answer_the_next(tmp_path: Path) -> None:
    async def script(s: Careful) -> None:
        s.ask("boot+roof")
        await s.listen(1.0)
        s.ask("yes")
        await asyncio.sleep(0.3)
        s.ask("yes")  # nobody has put the second question yet
        await s.listen(2.0)

    scene = Careful(tmp_path)
    play(scene, script)
    assert scene.rejected() == ["duplicate"] and [line for line in scene.said if line.startswith("Done")] == ["Done: 0."]


def test_nobody_agrees_to_what_they_have_not_heard(tmp_path: Path) -> None:
    async def script(s: Careful) -> None:
        s.ask("boot")
        await asyncio.sleep(0.2)  # the question is ready, and has not been said
        s.ask("yes")
        await s.listen()
        assert len(s.said) == 1 and s.said[0].startswith("Really")
        s.ask("yes")
        await s.listen()

    scene = Careful(tmp_path)
    play(scene, script)
    assert len(scene.said) == 2 and scene.said[1].startswith("Done")


def test_after_a_no_a_yes_to_something_else_opens_nothing(tmp_path: Path) -> None:
    async def script(s: Careful) -> None:
        s.ask("boot")
        await s.listen(1.0)
        s.ask("no")
        await asyncio.sleep(0.5)
        s.ask("yes")
        await s.listen()

    scene = Careful(tmp_path)
    play(scene, script)
    assert scene.said == ["Really 0?"] and scene.rejected() == ["declined", "backchannel"]


def test_a_question_that_nobody_answers_keeps_the_next_for_a_while_only(tmp_path: Path) -> None:
    async def script(s: Careful) -> None:
        s.ask("boot+roof")
        await s.listen(14.0)
        assert s.said == ["Really 0?"]
        await s.listen(4.0)
        assert s.said == ["Really 0?", "Really 1?"]

    play(Careful(tmp_path), script)
