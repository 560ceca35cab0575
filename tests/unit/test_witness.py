"""A claim of the assistant's is borne out by what was confirmed, or taken back aloud."""

import asyncio
from pathlib import Path

import pytest

from ridealong.harness.claims import claims_in
from ridealong.harness.rest import Why
from ridealong.harness.said import Saying, State
from ridealong.harness.witness import AGAIN_MS, BORNE_OUT_MS, WAITS_MS, Deed, Known, Witness, verdict
from ridealong.proto.types import ActuationState, Samples, UtteranceId, samples_from_ms
from tests.unit.harness_scene import TEMPERATURE, Scene, play

pytestmark = pytest.mark.unit

OPENED = "open the window windows set position The driver's window is open."
NOON = Samples(16_000_000)


def at(ms: float) -> Samples:
    return Samples(NOON + samples_from_ms(ms))


@pytest.mark.parametrize(
    ("said", "text", "known", "borne_out"),
    [
        ("I've opened the window.", OPENED, Known.CONFIRMED, True),
        ("I've opened the window.", OPENED, Known.NOT_DONE, False),
        ("I've opened the window.", OPENED, Known.READ, False),
        ("I've opened the window.", OPENED, Known.UNDER_WAY, None),
        ("I've closed the window.", OPENED, Known.CONFIRMED, False),
        ("I've opened the boot.", OPENED, Known.CONFIRMED, False),
        ("I've opened it.", OPENED, Known.CONFIRMED, True),
        ("Done.", OPENED, Known.CONFIRMED, True),
        ("Done.", OPENED, Known.NOT_DONE, False),
        ("Opening the window.", OPENED, Known.NOT_DONE, True),
        ("Opening the window.", OPENED, Known.READ, False),
        ("The window is now open.", OPENED, Known.READ, True),
        ("窗户已经打开了。", OPENED, Known.CONFIRMED, True),
        ("窗户已经打开了。", "打开主驾窗户 windows set position 主驾窗户开了。", Known.CONFIRMED, True),
        ("窗户已经关上了。", "打开主驾窗户 windows set position 主驾窗户开了。", Known.CONFIRMED, False),
        ("I've booked a table at Luigi's.", "book a table at luigi's for two", Known.CONFIRMED, True),
        ("I've booked a table at Luigi's.", "send a message to anna", Known.CONFIRMED, False),
        ("I've turned up the volume.", "louder please media volume Volume 40.", Known.CONFIRMED, True),
    ],
)
def test_what_bears_a_claim_out(said: str, text: str, known: Known, borne_out: bool | None) -> None:
    assert verdict(claims_in(said)[0], [Deed(text, known, NOON)], at(1_000)) is borne_out


@pytest.mark.parametrize(
    ("said", "to", "borne_out"),
    [
        ("I've set the temperature to 22.5 degrees.", 22.5, True),
        ("I've set the temperature to twenty-two and a half.", 22.5, True),
        ("I've set the temperature to 25 degrees.", 22.5, False),
        ("I've set the temperature.", 22.5, True),
        ("已经把温度调到二十二度半。", 22.5, True),
        ("已经把温度调到二十五度。", 22.5, False),
    ],
)
def test_another_number_is_not_what_was_confirmed(said: str, to: float, borne_out: bool) -> None:
    deed = Deed("warmer please climate set temperature", Known.CONFIRMED, NOON, frozenset({to}))
    assert verdict(claims_in(said)[0], [deed], at(1_000)) is borne_out


def test_long_ago_bears_nothing_out() -> None:
    claim, deed = claims_in("I've opened the window.")[0], Deed(OPENED, Known.CONFIRMED, NOON)
    assert verdict(claim, [deed], at(BORNE_OUT_MS)) is True and verdict(claim, [deed], at(BORNE_OUT_MS + 1)) is False


def test_what_is_under_way_is_waited_for_and_not_for_ever() -> None:
    witness = Witness()
    witness.heard("I've opened the window.", NOON)
    under_way = [Deed(OPENED, Known.UNDER_WAY, NOON)]
    assert witness.due(under_way, at(100)) == [] and witness.waiting
    assert witness.due([Deed(OPENED, Known.CONFIRMED, at(900))], at(1_000)) == [] and not witness.waiting
    witness.heard("I've opened the window.", at(2_000))
    assert witness.due(under_way, at(2_000 + WAITS_MS - 1)) == []
    assert [one.text for one in witness.due(under_way, at(2_000 + WAITS_MS))] == ["I have not actually opened the window."]


def test_the_same_correction_is_not_said_twice_in_a_row() -> None:
    witness = Witness()
    said = []
    for second in (0, 1, AGAIN_MS / 1000 + 1):
        witness.heard("I've opened the window. I've opened the window.", at(second * 1000))
        said.append([one.text for one in witness.due([], at(second * 1000))])
    assert said == [["I have not actually opened the window."], [], ["I have not actually opened the window."]]


def saying(text: str, now: Samples, number: int = 1, *, heard: str | None = None, work_id: str = "") -> Saying:
    cut = heard is not None
    return Saying(
        UtteranceId(number), work_id, text, heard if heard is not None else text, now,
        State.CUT if cut else State.FINISHED, Why.INTERRUPTED if cut else None, settled=True,
    )  # fmt: skip


async def after(scene: Scene, seconds: float = 0.05) -> list[str]:
    """What is to be said when the assistant has been silent for long enough."""
    scene.boundary()
    await asyncio.sleep(seconds)
    return scene.boundary()


def test_a_front_ends_claim_without_a_row_is_corrected_aloud_once(tmp_path: Path) -> None:
    async def script(s: Scene) -> None:
        s.harness.note(saying("Sure, I've opened the window.", s.now()))
        s.harness.note(saying("Sure, I've opened the window.", s.now()))  # the device says so again
        assert await after(s) == ["s-w1: I have not actually opened the window."]
        s.played("s-w1", "finished", "I have not actually opened the window.")
        s.harness.note(saying("I have not actually opened the window.", s.now(), 2, work_id="s-w1"))
        assert await after(s) == []
        s.harness.note(saying("窗户已经打开了。", s.now(), 3))
        assert await after(s) == ["s-w2: 其实窗户还没有打开。"]

    scene = Scene(tmp_path)
    play(scene, script)
    assert [item.capability for item in scene.harness.items.values()] == ["correction"] * 2


def test_what_was_confirmed_may_be_claimed(tmp_path: Path) -> None:
    async def script(s: Scene) -> None:
        s.ask(f"act: write {TEMPERATURE}=22.5 | say The temperature is set to 22.5 degrees.")
        await asyncio.sleep(1)
        assert s.boundary() == ["s-w1: The temperature is set to 22.5 degrees."]
        s.played("s-w1", "finished", "The temperature is set to 22.5 degrees.")
        s.harness.note(saying("I've set the temperature.", s.now()))
        assert await after(s) == []
        s.harness.note(saying("I've set the temperature to 25 degrees.", s.now(), 2))
        assert await after(s) == ["s-w2: I have not actually set the temperature to 25 degrees."]

    play(Scene(tmp_path), script)


def test_what_was_refused_may_not(tmp_path: Path) -> None:
    async def script(s: Scene) -> None:
        s.car.answers = [ActuationState.REFUSED]
        s.ask(f"act: write {TEMPERATURE}=22.5 | say The temperature is set to 22.5 degrees.")
        await asyncio.sleep(1)
        s.harness.note(saying("I've set the temperature.", s.now()))
        first = s.boundary()
        s.played("s-w1", "finished", first[0])
        assert await after(s) == ["s-w2: I have not actually set the temperature."]

    play(Scene(tmp_path), script)


def test_only_what_was_heard_counts(tmp_path: Path) -> None:
    async def script(s: Scene) -> None:
        s.harness.note(saying("It is a nice day and by the way, I've opened the window.", s.now(), heard="It is a nice day and"))
        assert await after(s) == []
        s.harness.note(saying("I've opened the window. It is a nice day.", s.now(), 2, heard="I've opened the window. It is"))
        assert await after(s) == ["s-w1: I have not actually opened the window."]

    play(Scene(tmp_path), script)


def test_a_front_end_that_embroiders_a_reply_is_corrected_and_the_reply_is_not(tmp_path: Path) -> None:
    async def script(s: Scene) -> None:
        s.ask("look: say It is raining. I have opened my eyes.")
        await asyncio.sleep(0.1)
        assert s.boundary() == ["s-w1: It is raining. I have opened my eyes."]
        s.played("s-w1", "finished", "It is raining.")
        s.harness.note(saying("It is raining, so I've closed the sunroof.", s.now(), work_id="s-w1"))
        assert await after(s) == ["s-w2: I have not actually closed the sunroof."]

    play(Scene(tmp_path), script)
