"""What the car tells late, after a restart or after it was given up: the journal completed, said once, never tried again."""

import asyncio
from pathlib import Path

import pytest

from ridealong.cloud.telemetry.metrics import Metrics
from ridealong.cloud.telemetry.names import Names
from ridealong.cloud.vehicle import Car
from ridealong.harness.journal import Journal
from ridealong.harness.observing import Observation, StrangeAnswer
from ridealong.harness.skill import Provenance
from ridealong.proto.types import ActuationResult, ActuationState, Samples, SignalValue
from ridealong.simulators.virtual_time import run_virtual
from tests.unit.harness_scene import TEMPERATURE, Scene, play

pytestmark = pytest.mark.unit

KEY = "old-w1.0"


def crashed(folder: Path, locale: str = "en", device: str = "d1") -> None:
    """A node that died after it had sent an actuation: its journal knows the intent and no result."""
    scene = Scene(folder, session="old", device=device)

    async def run() -> None:
        async with asyncio.TaskGroup() as group:
            task = group.create_task(scene.harness.run())
            await asyncio.sleep(0)
            words = "设到二十二度半" if locale == "zh" else "make it 22.5"
            scene.harness.feed(f"<delegate>act: write {TEMPERATURE}=22.5 | say Set.</delegate>", scene.now(), words, locale, Provenance.DRIVER, True)  # fmt: skip
            await asyncio.sleep(0.05)
            assert scene.car.sent[0][0] == KEY
            scene.journal.close()  # nothing more reaches the disk
            task.cancel()

    run_virtual(run())


def late(state: ActuationState, key: str = KEY) -> ActuationResult:
    return ActuationResult(key, state, "outcome_unknown" if state is ActuationState.TIMED_OUT else "")


@pytest.mark.parametrize(
    ("state", "shows", "said"),
    [
        (ActuationState.CONFIRMED, None, "that was done."),
        (ActuationState.CONTRADICTED, None, "that didn't happen."),
        (ActuationState.REFUSED, None, "that was not done."),
        (ActuationState.TIMED_OUT, 22.5, "I couldn't follow it, but it is so now."),
        (ActuationState.TIMED_OUT, 17.0, "that didn't happen."),
        (ActuationState.TIMED_OUT, None, "I can't tell whether that worked."),
    ],
)
def test_after_a_restart_reality_is_asked_and_told_once(tmp_path: Path, state: ActuationState, shows: SignalValue | None, said: str) -> None:  # fmt: skip
    crashed(tmp_path)

    async def script(s: Scene) -> None:
        assert s.journal.recovered.unanswered_intents == (KEY,)
        s.harness.reconcile(late(state))
        s.harness.reconcile(late(state))  # the device says it again
        await asyncio.sleep(1)
        if shows is not None:
            s.car.values[TEMPERATURE] = shows
        await asyncio.sleep(4)
        heard = s.boundary()
        assert heard and heard[0].startswith(f"new-w1: Before we were cut off you asked, “make it 22.5”: {said}")
        s.played("new-w1", "finished", heard[0])
        assert s.car.sent == [] and list(s.harness.items) == ["new-w1"]

    play(Scene(tmp_path, session="new"), script)
    reader = Journal(tmp_path / "journal.sqlite", read_only=True)
    assert [intent.state for intent in reader.intents("old-w1")] == [state.value]
    reader.close()


@pytest.mark.parametrize(
    ("ends_at", "said"),
    [(22.5, "I couldn't follow it, but it is so now."), (19.0, "I can't tell whether that worked. Please check.")],
)
def test_what_is_still_on_its_way_has_not_failed(tmp_path: Path, ends_at: float, said: str) -> None:
    """The device was killed while it moved: it is not told before it has come to rest, and what has moved is not said not to have."""
    crashed(tmp_path)

    async def script(s: Scene) -> None:
        s.car.values[TEMPERATURE] = 10.0
        s.harness.reconcile(late(ActuationState.TIMED_OUT))
        for step in range(1, 5):
            await asyncio.sleep(1)
            s.car.values[TEMPERATURE] = 10.0 + (ends_at - 10.0) * step / 4
            assert s.boundary() == []
        await asyncio.sleep(4)
        assert s.boundary() == [f"new-w1: Before we were cut off you asked, “make it 22.5”: {said}"]

    play(Scene(tmp_path, session="new"), script)


def test_in_the_language_of_the_request(tmp_path: Path) -> None:
    crashed(tmp_path, "zh")

    async def script(s: Scene) -> None:
        s.harness.reconcile(late(ActuationState.CONFIRMED))
        await asyncio.sleep(0.1)
        (reply,) = s.harness.boundary(s.now(), True, 5_000)
        assert (reply.text, reply.locale) == ("中断之前您说“设到二十二度半”：已经做了。", "zh")

    play(Scene(tmp_path, session="new"), script)


@pytest.mark.parametrize("key", ["", "nobody-w9.0", "old-w1", "old-w1.7", "old-w1.x", "x" * 300 + ".0"])
def test_a_key_that_is_none_of_ours_means_nothing(tmp_path: Path, key: str) -> None:
    crashed(tmp_path)

    async def script(s: Scene) -> None:
        s.harness.reconcile(late(ActuationState.CONFIRMED, key))
        s.harness.reconcile(late(ActuationState.FORWARDED))
        await asyncio.sleep(0.1)
        assert s.states() == {} and s.boundary() == []

    play(Scene(tmp_path, session="s"), script)


@pytest.mark.parametrize(
    ("theirs", "ours", "cut_off", "told"),
    [("d1", "d1", "", 1), ("d1", "d2", "", 0), ("", "", "", 0), ("d1", "d2", "another", 0), ("d1", "renamed", "old", 1)],
)
def test_a_device_answers_for_its_own_car_only(tmp_path: Path, theirs: str, ours: str, cut_off: str, told: int) -> None:
    """Nothing of another one's is said to it, or believed of it; its own it has by its id, or by the token of the session that was cut off."""
    crashed(tmp_path, device=theirs)
    seen: list[Observation] = []

    async def script(s: Scene) -> None:
        await asyncio.sleep(90)  # too late for what was not told
        s.harness.reconcile(late(ActuationState.CONFIRMED))
        await asyncio.sleep(5)
        assert len(s.boundary()) == told
        assert [intent.state for intent in s.journal.intents("old-w1")] == (["confirmed"] if told else [None])

    play(Scene(tmp_path, session="new", device=ours, cut_off=cut_off, observe=seen.append), script)
    assert seen.count(StrangeAnswer("new")) == 1 - told


def test_strange_answers_are_counted() -> None:
    metrics = Metrics(Names())
    metrics.on(StrangeAnswer("s"))
    assert metrics.registry.get_sample_value("ridealong_strange_answers_total") == 1


@pytest.mark.parametrize(
    ("state", "said"),
    [(ActuationState.CONFIRMED, ["s-w2: About “act: x”: that was done."]), (ActuationState.TIMED_OUT, [])],
)
def test_what_was_given_up_and_happened_after_all(tmp_path: Path, state: ActuationState, said: list[str]) -> None:
    async def script(s: Scene) -> None:
        s.car.answers = [ActuationState.TIMED_OUT]
        s.harness.feed(f"<delegate>act: write {TEMPERATURE}=22.5</delegate>", s.now(), "act: x", "en", Provenance.DRIVER, True)
        await asyncio.sleep(1)
        assert s.boundary() == ["s-w1: I can't tell whether that worked. Please check."]
        s.played("s-w1", "finished", "I can't tell whether that worked.")
        s.harness.reconcile(late(state, "s-w1.0"))
        await asyncio.sleep(1)
        assert s.boundary() == said

    play(Scene(tmp_path), script)


def test_the_cars_late_answers_are_handed_on() -> None:
    told: list[ActuationResult] = []
    car = Car("s", lambda body: None, lambda: Samples(0), lambda: Samples(0), late=told.append)
    car.on_result(late(ActuationState.FORWARDED))
    car.on_result(late(ActuationState.CONFIRMED))
    assert told == [late(ActuationState.CONFIRMED)] and car.strange_results == 1


# --- done, recorded, and not told when the node died ------------------------------------------------------------------


def killed(folder: Path, words: str, *, after_s: float, answers: list[ActuationState] | None = None, heard: str = "", request: str = "") -> None:  # fmt: skip
    """A node that dies `after_s` a request: from then on nothing of it reaches the disk. `heard`: of the reply, before."""
    scene = Scene(folder, session="old")
    scene.car.answers = answers or []
    request = request or f"act: write {TEMPERATURE}=22.5 | say Set to 22.5."

    async def run() -> None:
        async with asyncio.TaskGroup() as group:
            task = group.create_task(scene.harness.run())
            await asyncio.sleep(1)
            locale = "zh" if "\u4e00" <= words[0] <= "\u9fff" else "en"
            scene.harness.feed(f"<delegate>{request}</delegate>", scene.now(), words, locale, Provenance.DRIVER, True)
            await asyncio.sleep(after_s)
            if heard:
                for reply in scene.harness.boundary(scene.now(), True, 5_000):
                    scene.harness.playback(reply.work_id, "finished", heard, scene.now())
                await scene.harness.recorded()
            scene.journal.close()
            task.cancel()

    run_virtual(run())


def told_after(folder: Path, *, at_s: float = 20.0, session: str = "new", cut_off: str = "old", shows: SignalValue | None = 22.5, quiet: bool = False) -> list[str]:  # fmt: skip
    """What the next node says to the device of that session, whose clock has gone on to `at_s`. `quiet`: it never comes to say it."""
    told: list[str] = []

    async def script(s: Scene) -> None:
        await asyncio.sleep(at_s)
        s.harness.boundary(Samples(0), True, 5_000, Samples(0))  # before the device's first second: its clock is not known yet
        if shows is not None:
            s.car.values[TEMPERATURE] = shows
        for _ in range(5):
            if not quiet:
                for reply in s.harness.boundary(s.now(), True, 5_000):
                    told.append(reply.text)
                    s.played(reply.work_id, "finished", reply.text)
            elif not told:
                s.harness.boundary(s.now(), False, 0)
            await asyncio.sleep(1)
        assert s.car.sent == []
        if quiet:  # dies in its turn
            await s.harness.recorded()
            s.journal.close()

    scene = Scene(folder, session=session, cut_off=cut_off)
    if not quiet:
        play(scene, script)
        return told

    async def run() -> None:
        async with asyncio.TaskGroup() as group:
            task = group.create_task(scene.harness.run())
            await script(scene)
            task.cancel()

    run_virtual(run())
    return told


BEFORE = "Before we were cut off you asked, “make it 22.5”: "


@pytest.mark.parametrize("after_s", [0.11, 0.5])
def test_what_was_done_and_not_told_when_the_node_died_is_told_once(tmp_path: Path, after_s: float) -> None:
    killed(tmp_path, "make it 22.5", after_s=after_s)
    assert told_after(tmp_path) == [BEFORE + "that was done."]
    assert told_after(tmp_path, session="newer", cut_off="new") == []


def test_so_is_what_did_not_work_and_in_their_language(tmp_path: Path) -> None:
    killed(tmp_path, "调到二十二度半", after_s=0.5, answers=[ActuationState.REFUSED])
    assert told_after(tmp_path, shows=17.0) == ["中断之前您说“调到二十二度半”：这个没有做。"]


@pytest.mark.parametrize(
    ("second", "said"),
    [(ActuationState.CONFIRMED, "that was done."), (ActuationState.REFUSED, "only part of that was done."), (ActuationState.TIMED_OUT, "that was done.")],
)  # fmt: skip
def test_of_several_acts_what_became_of_them_together(tmp_path: Path, second: ActuationState, said: str) -> None:
    request = f"act: write {TEMPERATURE}=22.5 | write {TEMPERATURE}=22 | say Set."
    killed(tmp_path, "make it 22.5", after_s=0.5, answers=[ActuationState.CONFIRMED, second], request=request)
    shows = 22.2 if second is not ActuationState.TIMED_OUT else None
    if second is ActuationState.TIMED_OUT:
        said = "I can't tell whether that worked. Please check."
    assert told_after(tmp_path, shows=shows) == [BEFORE + said]


def test_nothing_is_told_of_what_is_no_news(tmp_path: Path) -> None:
    killed(tmp_path, "make it 22.5", after_s=0.5, heard="Set to 22.5.")
    assert told_after(tmp_path) == []


@pytest.mark.parametrize(("at_s", "shows", "cut_off"), [(90.0, 22.5, "old"), (20.0, 22.5, "another"), (20.0, 22.5, "")])
def test_nor_too_late_or_to_another_device(tmp_path: Path, at_s: float, shows: float, cut_off: str) -> None:
    killed(tmp_path, "make it 22.5", after_s=0.5)
    assert told_after(tmp_path, at_s=at_s, shows=shows, cut_off=cut_off) == []


def test_nor_where_somebody_has_changed_it_again(tmp_path: Path) -> None:
    killed(tmp_path, "make it 22.5", after_s=0.5, request=f"act: write {TEMPERATURE}=22.5 | hold {TEMPERATURE}=22.5")
    assert told_after(tmp_path, shows=17.0) == []


def test_a_question_that_was_answered_is_not_repeated(tmp_path: Path) -> None:
    killed(tmp_path, "how warm is it", after_s=0.5, request="look: say It is warm.")
    assert told_after(tmp_path) == []


def test_a_second_death_before_it_was_told_loses_nothing(tmp_path: Path) -> None:
    killed(tmp_path, "make it 22.5", after_s=0.5)
    assert told_after(tmp_path, quiet=True) == []
    assert told_after(tmp_path, at_s=30.0, session="newer", cut_off="new") == [BEFORE + "that was done."]
    assert told_after(tmp_path, at_s=40.0, session="newest", cut_off="newer") == []


def test_where_the_car_may_still_answer_it_is_not_told_twice(tmp_path: Path) -> None:
    killed(tmp_path, "make it 22.5", after_s=0.05)

    async def script(s: Scene) -> None:
        await asyncio.sleep(20)
        said = [reply.text for reply in s.harness.boundary(s.now(), True, 5_000)]
        s.harness.reconcile(late(ActuationState.CONFIRMED))
        await asyncio.sleep(5)
        assert said + [reply.text for reply in s.harness.boundary(s.now(), True, 5_000)] == [BEFORE + "that was done."]

    play(Scene(tmp_path, session="new", cut_off="old"), script)
