"""Whatever is wrong with a YAML file that somebody wrote, it is one sentence: never another error of the parser's."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

from ridealong.cloud.main import read_script
from ridealong.device.main import parse_settings
from ridealong.errors import UserError
from ridealong.settings import load
from ridealong.simulators.car.script import read_script as read_signals
from ridealong.simulators.evaluation.redteam.cases import read_cases
from ridealong.simulators.scenarios.recordings import people
from ridealong.simulators.scenarios.scenario import Split
from ridealong.simulators.scenarios.texts import load_texts
from ridealong.simulators.trip.expected import parse
from ridealong.vehicle_skills.phone.contacts import read_contacts
from ridealong.vehicle_skills.vehicle_file import read_vehicle
from ridealong.yaml_file import load_yaml, read_yaml

pytestmark = pytest.mark.unit

BAD = [
    b"2026-13-45: x",
    b"x: 2026-13-45",
    b"- [2026-02-30]",
    b"x: 2026-01-01 25:61:00",
    b"x: !!bool perhaps",
    b"x: !!int ''",
    b"x: !!int many",
    b"x: !!timestamp soon",
    b"x: " + b"9" * 5000,
    b"x: !!python/object:os.system y",
    b"[" * 3000,
    b"x: {",
    b"x: \xff\xfe",
    b"x: \x00",
]


@dataclass(frozen=True)
class Settings:
    x: str = ""


def _texts(file: Path) -> object:
    folder = file.parent / Split.TUNE.value
    folder.mkdir()
    (folder / "en.yaml").write_bytes(file.read_bytes())
    return load_texts(Split.TUNE, "en", file.parent)


def _people(file: Path) -> object:
    return people(file.rename(file.with_name("recordings.yaml")).parent)


READERS: list[Callable[[Path], object]] = [
    read_vehicle,
    read_contacts,
    read_script,
    lambda file: list(read_signals(file)),
    lambda file: read_cases(file.parent),
    lambda file: load(Settings, file, "RIDEALONG_TEST", {}, {}),
    _texts,
    _people,
]


@pytest.mark.parametrize("content", BAD, ids=lambda content: content[:20].decode("latin-1"))
def test_one_kind_of_error(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "file.yaml"
    file.write_bytes(content)
    with pytest.raises(yaml.YAMLError):
        read_yaml(file)


@pytest.mark.parametrize("reader", range(len(READERS)))
@pytest.mark.parametrize("content", BAD, ids=lambda content: content[:20].decode("latin-1"))
def test_every_reader_says_it_in_one_sentence(tmp_path: Path, content: bytes, reader: int) -> None:
    file = tmp_path / "file.yaml"
    file.write_bytes(content)
    with pytest.raises(UserError) as error:
        READERS[reader](file)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("content", ["trip: 2026-13-45", "trip: !!bool perhaps", "car: [2026-02-30]"])
def test_a_trip_names_the_line(content: str) -> None:
    with pytest.raises(UserError, match="line 1"):
        parse(content)


def test_the_vehicle_file_says_what_is_wrong(tmp_path: Path) -> None:
    file = tmp_path / "car.yaml"
    file.write_text("2026-13-45: x")
    with pytest.raises(UserError, match=r"is no YAML, line 1: '2026-13-45' cannot be read \(month must be in 1..12\)"):
        read_vehicle(file)


def test_a_value_on_the_command_line_that_is_no_date_is_text() -> None:
    assert parse_settings(["link.address=2026-13-45"]) == {"link.address": "2026-13-45"}


def test_what_is_right_is_read_as_before() -> None:
    assert load_yaml("a: [1, yes, 2.5]\nb: &x {c: d}\ne: *x") == {"a": [1, True, 2.5], "b": {"c": "d"}, "e": {"c": "d"}}
