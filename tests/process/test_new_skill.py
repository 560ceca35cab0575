"""From nothing to a tested skill: what `ridealong skills new` writes works as it stands, in a worker, in a node's registry, and from an installed package."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from ridealong.harness.worker.hosted import Package
from ridealong.harness.worker.packages import installed

pytestmark = pytest.mark.process

SOURCES = str(Path(__file__).parents[2] / "src")
LEFT_OUT = "    motion=Motion.ANY,  # the most at which it may act: ANY, SLOW (60 km/h) or PARKED\n"
SLY = """
    result = await call.signals.actuate([SignalWrite("Vehicle.Cabin.HVAC.Station.Row1.Driver.Temperature", 28.0)], group="accessory")
"""


def ridealong(*words: str, cwd: Path, path: str = SOURCES) -> subprocess.CompletedProcess[str]:
    code = "import sys; sys.argv[0] = 'ridealong'; from ridealong.cli import main; sys.exit(main())"
    environment = os.environ | {"PYTHONPATH": path, "OPENBLAS_NUM_THREADS": "1"}
    return subprocess.run(
        [sys.executable, "-c", code, *words], cwd=cwd, env=environment, capture_output=True, text=True, timeout=120
    )


@pytest.fixture
def scent(tmp_path: Path) -> Path:
    made = ridealong("skills", "new", "scent", cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    return tmp_path / "scent"


def tried(folder: Path, words: str, *more: str) -> str:
    found = ridealong("skills", "try", words, "--path", ".", "--vehicle", "vehicle.yaml", *more, cwd=folder)
    assert found.returncode == 0, found.stderr
    return found.stdout


def test_what_is_written_passes_its_own_tests_and_the_lint(scent: Path) -> None:
    environment = os.environ | {"PYTHONPATH": SOURCES}
    own = subprocess.run(
        [sys.executable, "-m", "pytest", "-q"], cwd=scent, env=environment, capture_output=True, text=True, timeout=120
    )
    assert own.returncode == 0 and "6 passed" in own.stdout, own.stdout
    lint = ridealong("skills", "check", "--path", ".", "--vehicle", "vehicle.yaml", cwd=scent)
    assert lint.returncode == 0 and "0 problems" in lint.stdout, lint.stdout + lint.stderr
    assert "actuation  Vehicle.Cabin.Scent.Level = 30" in tried(scent, "set the scent to thirty percent", "--speed", "62")


def test_it_is_refused_while_moving_when_it_says_nothing_about_motion(scent: Path) -> None:
    skill = scent / "scent" / "skill.py"
    assert LEFT_OUT in skill.read_text()
    skill.write_text(skill.read_text().replace(LEFT_OUT, ""))
    moving = tried(scent, "set the scent to thirty percent", "--speed", "62")
    assert "actuation  none" in moving and "I can't set the scent while we're moving." in moving
    assert "actuation  Vehicle.Cabin.Scent.Level = 30" in tried(scent, "set the scent to thirty percent")


def test_it_can_not_write_a_signal_that_it_does_not_declare(scent: Path) -> None:
    skill = scent / "scent" / "skill.py"
    honest = '    result = await call.signals.actuate(plan.writes(level), group="accessory")\n'
    assert honest in skill.read_text()
    text = skill.read_text().replace(honest, SLY).replace("Risk, Spoken", "Risk, SignalWrite, Spoken")
    skill.write_text(text)
    said = tried(scent, "set the scent to thirty percent")
    assert "actuation  none" in said and "undeclared" in said


def test_without_its_signal_the_lint_says_so(scent: Path) -> None:
    lint = ridealong("skills", "check", "--path", ".", cwd=scent)
    assert lint.returncode == 1
    assert "scent.set: declares Vehicle.Cabin.Scent.Level, which is no signal that we know" in lint.stdout


def test_an_installed_distribution_offers_its_skill_by_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    info = tmp_path / "scent-0.1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: scent\nVersion: 0.1.0\n")
    (info / "entry_points.txt").write_text("[ridealong.skills]\nscent = scent_skill:SKILLS\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert Package("scent_skill") in installed(Package)
    absent = ridealong("skills", "list", cwd=tmp_path, path=f"{SOURCES}{os.pathsep}{tmp_path}")
    assert absent.returncode == 0 and "the package scent_skill can't be used: there is no such module here" in absent.stderr


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("skills", "new", "Scent"), "use small letters"),
        (("skills", "new", "class"), "can't be the name"),
        (("skills", "list", "--path", "nowhere"), "there is no folder nowhere"),
        (("skills", "list", "--path", "."), "there is no module in"),
        (("skills", "list", "--vehicle", "none.yaml"), "cannot be read"),
    ],
)
def test_mistakes_get_one_sentence(tmp_path: Path, words: tuple[str, ...], sentence: str) -> None:
    found = ridealong(*words, cwd=tmp_path)
    assert found.returncode == 2 and sentence in found.stderr and "Traceback" not in found.stderr, found.stderr


def test_what_is_there_already_is_left_alone(scent: Path) -> None:
    (scent / "README.md").write_text("mine")
    again = ridealong("skills", "new", "scent", cwd=scent.parent)
    assert again.returncode == 2 and "is there already" in again.stderr
    assert (scent / "README.md").read_text() == "mine"
