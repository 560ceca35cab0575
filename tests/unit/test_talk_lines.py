"""What `ridealong talk` prints of the car: enough to follow it, without burying the talk."""

import pytest

from ridealong.simulators.talk import Transcript
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
