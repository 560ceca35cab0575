"""Delegate text over several outputs of a front-end: one request a span, about the words that were for us."""

import asyncio
from pathlib import Path

import pytest

from ridealong.cloud.asking import Asking
from ridealong.cloud.frontends.base import Addressee, Heard, Output
from ridealong.harness.skill import Provenance
from ridealong.proto.types import ControlToken, Samples
from tests.unit.harness_scene import Scene, play

pytestmark = pytest.mark.unit

SPEAK, LISTEN, EOS = ControlToken.SPEAK, ControlToken.LISTEN, ControlToken.TURN_EOS


def heard(words: str, end: int = 100, addressee: Addressee = Addressee.ASSISTANT) -> tuple[Heard, ...]:
    return (Heard(words, "en", Samples(0), Samples(end), addressee, Provenance.DRIVER),)


def requests(folder: Path, *outputs: Output) -> tuple[list[tuple[str, str]], list[str]]:
    """(request, words) of every item that came of the outputs, and what was rejected."""

    async def script(s: Scene) -> None:
        asking = Asking()
        for output in outputs:
            asking.on(output, s.now(), s.harness, lambda end: False)
            await asyncio.sleep(1)

    scene = Scene(folder)
    play(scene, script)
    return [(item.request, item.words) for item in scene.harness.items.values()], scene.rejected()


def test_a_span_goes_on_over_units(tmp_path: Path) -> None:
    made = requests(
        tmp_path,
        Output(LISTEN, heard=heard("say x")),
        Output(SPEAK, "Sure.", "<dele"),
        Output(SPEAK, "", "gate>look: "),
        Output(SPEAK, "", "say x</delegate><delegate>look: say y</delegate>"),
        Output(EOS),
    )
    assert made == ([("look: say x", "say x"), ("look: say y", "say x")], [])


def test_what_a_turn_leaves_open_is_no_request_and_poisons_nothing(tmp_path: Path) -> None:
    made = requests(
        tmp_path,
        Output(SPEAK, "", "<delegate>look: say x", heard=heard("first")),
        Output(EOS),
        Output(SPEAK, "", "</delegate><delegate>look: say y</delegate>", heard=heard("second", 900)),
        Output(SPEAK, "", "<delegate>look: say z", heard=heard("third", 1800)),
        Output(SPEAK, "", "<delegate>look: say it</delegate>", heard=heard("fourth", 2700)),  # other words for us: another turn
    )
    assert made == ([("look: say y", "second"), ("look: say it", "fourth")], ["unterminated", "unterminated"])


def test_nine_requests_while_it_speaks_are_nine_turns(tmp_path: Path) -> None:
    made, rejected = requests(
        tmp_path,
        *(Output(SPEAK, "", f"<delegate>look: say {n}</delegate>", heard=heard(f"say {n}", n * 100)) for n in range(1, 11)),
    )
    assert len(made) == 10 and rejected == []


def test_a_stream_repeated_after_a_resume_asks_once(tmp_path: Path) -> None:
    whole = "Sure. <delegate>look: say x</delegate>"
    made = requests(
        tmp_path,
        Output(SPEAK, "", whole[:20], heard=heard("say x"), turn=1),
        Output(SPEAK, "", whole, turn=1),
        Output(SPEAK, "", whole[:9], turn=1),
        Output(SPEAK, "", whole, turn=1),
        Output(EOS, "", whole, turn=1),
        Output(EOS, "", whole, turn=1),
    )
    assert made == ([("look: say x", "say x")], [])


def test_nothing_that_is_not_about_our_words_is_asked_for(tmp_path: Path) -> None:
    assert requests(tmp_path, Output(SPEAK, "", "<delegate>look: x</delegate>", heard=heard("hm", 1, Addressee.OTHER))) == (
        [],
        [],
    )
