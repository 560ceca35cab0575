"""Nobody is told that something was done of which not everything is confirmed: not by a later answer, not by a skill that never asked."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from ridealong.harness.claims import without_claims
from ridealong.harness.harness import Harness
from ridealong.harness.journal import Journal
from ridealong.harness.router import Router
from ridealong.harness.runner import LoopClock
from ridealong.harness.slots.zone import ZONES
from ridealong.proto.types import ActuationState, SignalReading, SignalValue
from ridealong.vehicle_skills.builtin import builtin_registry
from ridealong.vehicle_skills.signals import AIR_CONDITIONING, SIGNALS, TRUNK_OPEN, fan_speed, set_temperature, window_position
from ridealong.vehicle_skills.status.plan import TOPICS, Topic
from tests.unit.harness_scene import TEMPERATURE, Scene, play

pytestmark = pytest.mark.unit

TWO = f"act: write {TEMPERATURE}=21 | write {TEMPERATURE}=22 | "
OK, NO, LOST, OTHER = ActuationState.CONFIRMED, ActuationState.REFUSED, ActuationState.TIMED_OUT, ActuationState.CONTRADICTED
PART = "Only part of that was done."
PART_LOST = "Part of that was done. Whether the rest was, I can't tell. Please check."


def told(
    folder: Path, request: str, answers: list[ActuationState] | None = None, locale: str = "en", **known: object
) -> tuple[str, str]:
    """(what is said to a request, how its execution and outcome stand)."""
    folder.mkdir(exist_ok=True)
    scene = Scene(folder)
    scene.car.answers, scene.car.values = list(answers or []), dict(known)
    said: list[str] = []

    async def script(s: Scene) -> None:
        s.ask(request, locale=locale)
        await asyncio.sleep(1)
        said.extend(s.boundary())
        s.played("s-w1", "finished", said[0].partition(": ")[2])

    play(scene, script)
    item = Journal(folder / "journal.sqlite", read_only=True).item("s-w1")
    assert item is not None
    return said[0].partition(": ")[
        2
    ], f"{item.execution.value} {item.outcome.value if item.outcome else ''} {item.reason}".strip()


@pytest.mark.parametrize(
    ("answers", "said", "stands"),
    [
        ([OK, OK], "Both done.", "completed completed"),
        ([NO, OK], PART, "unknown unknown partly"),
        ([OK, NO], PART, "unknown unknown partly"),
        ([OTHER, OK], PART, "unknown unknown partly"),
        ([OK, OTHER], PART, "unknown unknown partly"),
        ([LOST, OK], PART_LOST, "unknown unknown partly"),
        ([OK, LOST], PART_LOST, "unknown unknown partly"),
        ([NO, LOST], "I can't tell whether that worked. Please check.", "unknown unknown not_confirmed"),
        ([LOST, NO], "I can't tell whether that worked. Please check.", "unknown unknown not_confirmed"),
        ([NO, OTHER], "Sorry, that didn't work.", "failed failed not_confirmed"),
        ([NO, NO], "Sorry, I can't do that right now.", "failed refused moving"),
    ],
)
def test_the_worst_of_all_answers_counts_and_a_part_is_called_one(
    tmp_path: Path, answers: list[ActuationState], said: str, stands: str
) -> None:
    assert told(tmp_path, TWO + "say Both done.", answers) == (said, stands)


def test_in_chinese_too(tmp_path: Path) -> None:
    assert told(tmp_path, TWO + "say 都设好了。", [OK, NO], "zh")[0] == "只做成了一部分。"


def test_who_says_no_after_a_part_was_done_says_that_too(tmp_path: Path) -> None:
    said = told(tmp_path, TWO + "refuse The second one is stuck.", [OK, NO])
    assert said == (f"The second one is stuck. {PART}", "unknown unknown partly")


@pytest.mark.parametrize("request_", ["act: write Vehicle.Undeclared=1 | ", "act: write explicit=21 | "])
def test_what_a_guard_refused_counts(tmp_path: Path, request_: str) -> None:
    said, stands = told(tmp_path, f"{request_}write {TEMPERATURE}=22 | say Both done.")
    assert (said, stands) == (PART, "unknown unknown partly")


@pytest.mark.parametrize(
    ("words", "locale", "said"),
    [
        ("I've opened the window.", "en", "I haven't changed anything."),
        ("Done.", "en", "I haven't changed anything."),
        ("It is raining. I've closed the window.", "en", "It is raining."),
        ("The window is now open.", "en", "I haven't changed anything."),
        ("Opening the window.", "en", "I haven't changed anything."),
        ("已经为您打开车窗。", "zh", "我没有做任何操作。"),
        ("外面下雨了。车窗已经打开了。", "zh", "外面下雨了。"),
        ("I can't open the window.", "en", "I can't open the window."),
        ("Shall I open the window?", "en", "Shall I open the window?"),
    ],
)
def test_who_wrote_nothing_has_done_nothing(tmp_path: Path, words: str, locale: str, said: str) -> None:
    assert told(tmp_path / "reads", f"look: say {words}", locale=locale) == (said, "completed completed")
    stands = "completed completed" if words == said else "failed failed not_confirmed"
    assert told(tmp_path / "acts", f"act: say {words}", locale=locale) == (said, stands)


@pytest.mark.parametrize("ending", ["ask", "refuse"])
def test_nor_in_a_question_or_a_refusal(tmp_path: Path, ending: str) -> None:
    assert told(tmp_path, f"act: {ending} I've opened the window. Is it too cold?")[0] == "Is it too cold?"
    assert told(tmp_path / "2", TWO + "ask I've set both. Is it too cold?", [OK, NO])[0] == "Is it too cold?"


def test_how_a_thing_is_may_be_told_by_who_has_looked(tmp_path: Path) -> None:
    read = f"look: read {TEMPERATURE} | say "
    values = {TEMPERATURE: 21.0}
    assert told(tmp_path / "1", read + "The window is now open.", **values)[0] == "The window is now open."
    assert told(tmp_path / "2", read + "空调已经打开了。", locale="zh", **values)[0] == "空调已经打开了。"
    assert told(tmp_path / "3", read + "I've opened the window.", **values)[0] == "I haven't changed anything."
    assert told(tmp_path / "4", read + "我已经把空调打开了。", locale="zh", **values)[0] == "我没有做任何操作。"
    assert told(tmp_path / "5", read + "The window is now open.")[0] == "I haven't changed anything."  # there was no value


class Real(Scene):
    """With the product's own skills and grammar."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        registry = builtin_registry()
        self.harness = Harness(
            "s", registry, Router(registry), self.journal, self.car, LoopClock(), self.evidence, self.events.append, self.now
        )


@pytest.mark.parametrize(
    ("words", "locale", "path", "value", "said"),
    [
        ("Set the temperature to 21 degrees.", "en", set_temperature("Row1", "Driver"), 21.0, "already"),
        ("温度调到21度。", "zh", set_temperature("Row1", "Driver"), 21.0, "已经"),
        ("Set the fan to 40 percent.", "en", fan_speed("Row1", "Driver"), 40, "already"),
        ("风量调到百分之四十。", "zh", fan_speed("Row1", "Driver"), 40, "已经"),
        ("Turn on the air conditioning.", "en", AIR_CONDITIONING, True, "already"),
        ("打开空调。", "zh", AIR_CONDITIONING, True, "已经打开"),
        ("Close the driver's window.", "en", window_position("Row1", "DriverSide"), 0, "already"),
        ("关闭主驾驶车窗。", "zh", window_position("Row1", "DriverSide"), 0, "已经"),
        ("Open the boot.", "en", TRUNK_OPEN, True, "already"),
        ("打开后备箱。", "zh", TRUNK_OPEN, True, "已经打开"),
    ],
)
def test_what_is_so_already_is_said_to_be_so(
    tmp_path: Path, words: str, locale: str, path: str, value: SignalValue, said: str
) -> None:
    scene, told = Real(tmp_path), []
    scene.car.values = {path: value, set_temperature("Row1", "Passenger"): value}

    async def script(s: Scene) -> None:
        s.ask(words, locale=locale)
        await asyncio.sleep(1)
        told.extend(s.boundary())

    play(scene, script)
    assert len(told) == 1 and said in told[0] and scene.car.sent == []


@pytest.mark.parametrize("topic", TOPICS, ids=lambda topic: topic.name)
def test_what_the_product_reads_out_claims_no_act(topic: Topic) -> None:
    for locale in ("en", "zh"):
        for which in range(4):
            for zone in ZONES if topic.zoned else ("",):
                text = topic.answer(lambda path, n=which: _reading(path, n), locale, zone)  # type: ignore[misc]
                assert without_claims(text, how_it_is=True) == text


def _reading(path: str, which: int) -> SignalReading | None:
    signal = SIGNALS.get(path)
    if signal is None:
        return None
    if signal.type.value == "boolean":
        return SignalReading(path, which % 2 == 0, 0)
    if signal.type.value == "string":
        return SignalReading(path, signal.allowed[which % len(signal.allowed)] if signal.allowed else "Ulm", 0)
    return SignalReading(path, (0, 1, 40, 100)[which], 0)
