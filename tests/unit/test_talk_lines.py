"""What `ridealong talk` prints of the car: enough to follow it, without burying the talk."""

import asyncio
import os
from pathlib import Path

import pytest

from ridealong.cloud.config import CloudConfig, HarnessSettings
from ridealong.harness.journal import Journal
from ridealong.simulators.keyboard import Lines
from ridealong.simulators.talk import Transcript, with_journal
from ridealong.vehicle_skills.signals import AIR_CONDITIONING, window_position

pytestmark = pytest.mark.unit


def test_a_travelling_window_is_a_line_for_every_tenth_of_the_way_and_its_ends(capsys: pytest.CaptureFixture[str]) -> None:
    transcript, path = Transcript(show_work=True), window_position("Row1", "DriverSide")
    for position in range(101):
        transcript.signal(position / 10, path, position, "plant")
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 11 and lines[0].endswith("= 0") and lines[-1].endswith("= 100")


def test_every_switch_is_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    transcript = Transcript(show_work=True)
    for at_s, on in enumerate((True, True, False)):
        transcript.signal(float(at_s), AIR_CONDITIONING, on, "actuation")
    assert len(capsys.readouterr().out.splitlines()) == 2


def test_quiet_prints_nothing_of_the_car(capsys: pytest.CaptureFixture[str]) -> None:
    Transcript(show_work=False).signal(0.0, AIR_CONDITIONING, True, "actuation")
    assert capsys.readouterr().out == ""


# --- where its work is kept -------------------------------------------------------------------------------------------


def test_its_work_is_in_the_usual_journal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The settings' own place, or the user's; as long as nobody else owns it, which is said."""
    environ, named = {"XDG_STATE_HOME": str(tmp_path / "state")}, tmp_path / "named.sqlite"
    usual = tmp_path / "state" / "ridealong" / "journal.sqlite"
    for settings, path in ((CloudConfig(), usual), (CloudConfig(harness=HarnessSettings(named)), named)):
        assert with_journal(settings, tmp_path / "scratch", environ) == settings
        node = Journal(path)
        taken = with_journal(settings, tmp_path / "scratch", environ).harness
        assert taken.journal == tmp_path / "scratch" / "journal.sqlite" and taken.journal_items == settings.harness.journal_items
        node.close()
        assert str(path) in capsys.readouterr().err
        assert with_journal(settings, tmp_path / "scratch", environ) == settings and not capsys.readouterr().err


# --- what is typed ---------------------------------------------------------------------------------------------------


async def read_all(file: int) -> list[str]:
    with Lines(file) as lines:
        found = []
        while line := await lines.next():
            found.append(line)
        return found


@pytest.mark.parametrize(
    "chunks", [[b"open the window\n", b"stop\n"], [b"open the ", b"window\nst", b"op\n"], [b"open the window\nstop\n"]]
)
def test_lines_come_whole_whatever_the_reads(chunks: list[bytes]) -> None:
    out, into = os.pipe()

    async def both() -> list[str]:
        reading = asyncio.ensure_future(read_all(out))
        for chunk in chunks:
            os.write(into, chunk)
            await asyncio.sleep(0.01)
        os.close(into)
        return await reading

    try:
        assert asyncio.run(both()) == ["open the window\n", "stop\n"]
    finally:
        os.close(out)


def test_a_file_is_read_to_its_end_without_a_newline_and_with_bytes_that_are_no_text(tmp_path: Path) -> None:
    (tmp_path / "lines").write_bytes("开窗\n\n".encode() + b"\xff")
    with (tmp_path / "lines").open("rb") as file:
        assert asyncio.run(read_all(file.fileno())) == ["开窗\n", "\n", "\udcff"]


def test_nobody_who_waits_for_a_line_holds_up_the_end() -> None:
    out, into = os.pipe()

    async def ride() -> None:
        reading = asyncio.ensure_future(read_all(out))
        await asyncio.sleep(0.01)
        reading.cancel()

    try:
        asyncio.run(ride())  # would wait for ever
    finally:
        os.close(into)
        os.close(out)
