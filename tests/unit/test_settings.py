"""One configuration value from file, environment and flags; every mistake is one sentence that names key and place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path

import pytest

from ridealong import settings
from ridealong.errors import UserError, where

pytestmark = pytest.mark.unit


class Kind(Enum):
    REAL = "real"
    FILE = "file"


@dataclass(frozen=True, slots=True)
class Mic:
    kind: Kind = Kind.REAL
    device: str | None = None
    gain_db: float = 0.0
    paths: tuple[str, ...] = ()

    def check(self) -> str | None:
        return "microphone.gain_db must lie within ±40." if abs(self.gain_db) > 40 else None


@dataclass(frozen=True, slots=True)
class Tree:
    microphone: Mic = field(default_factory=Mic)
    port: int = 50051
    log: Path = Path("log")
    fast: bool = False


def write(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "device.yaml"
    path.write_text(text)
    return path


def test_flags_beat_environment_beats_file_beats_default(tmp_path: Path) -> None:
    file = write(tmp_path, "port: 1\nfast: true\nmicrophone:\n  kind: file\n  gain_db: 3\n  paths: [a, b]\n")
    environ = {"RA__PORT": "2", "RA__MICROPHONE__DEVICE": "usb", "OTHER__PORT": "9"}
    loaded = settings.load(Tree, file, "RA", environ, {"port": 3, "log": None})
    assert loaded.value == Tree(Mic(Kind.FILE, "usb", 3.0, ("a", "b")), 3, Path("log"), True)
    assert loaded.origins == {
        "microphone.kind": "device.yaml:4",
        "microphone.device": "environment RA__MICROPHONE__DEVICE",
        "microphone.gain_db": "device.yaml:5",
        "microphone.paths": "device.yaml:6",
        "port": "flag",
        "log": "default",
        "fast": "device.yaml:2",
    }
    shown = settings.describe(loaded)
    assert "# flag" in shown and "kind: file" in shown and "device.yaml:4" in shown


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("microphone:\n  knd: file\n", ["device.yaml:2", "'microphone.knd'", "'microphone.kind'"]),
        ("prot: 1\n", ["device.yaml:1", "'port'"]),
        ("port: fast\n", ["device.yaml:1", "'port'", "a whole number", "'fast'"]),
        ("port: true\n", ["a whole number"]),
        ("fast: 1\n", ["true or false"]),
        ("microphone:\n  kind: fake\n", ["one of real, file", "'fake'"]),
        ("microphone:\n  paths: [1]\n", ["'microphone.paths[0]'", "must be text", "the number 1", "in quotes"]),
        ("microphone:\n  paths: a\n", ["a list of text"]),
        ("microphone: usb\n", ["is a section"]),
        ("microphone:\n  gain_db: 90\n", ["within ±40"]),
        ("port: 1\nport: 2\n", ["given twice", "line 2"]),
        ("port: [\n", ["not valid YAML"]),
        ("- a\n", ["section:"]),
        ("port: " + "[" * 5_000, ["nested too deeply"]),
    ],
)
def test_mistakes_are_named(tmp_path: Path, text: str, words: list[str]) -> None:
    with pytest.raises(UserError) as caught:
        settings.load(Tree, write(tmp_path, text), "RA", {})
    assert "\n" not in str(caught.value)
    for word in words:
        assert word in str(caught.value)


def test_missing_file_and_wrong_environment(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no configuration file"):
        settings.load(Tree, tmp_path / "none.yaml", "RA", {})
    with pytest.raises(UserError, match="environment RA__PRT"):
        settings.load(Tree, None, "RA", {"RA__PRT": "1"})
    with pytest.raises(UserError, match="environment RA__PORT"):
        settings.load(Tree, None, "RA", {"RA__PORT": "x"})


def test_the_cloud_example_names_every_setting_and_is_valid() -> None:
    from ridealong.cloud.config import CloudConfig, load_config

    path = Path(__file__).parents[2] / "docs" / "guides" / "cloud.example.yaml"
    assert load_config(path, {}, {}).value == CloudConfig()
    shown = path.read_text(encoding="utf-8")
    assert not [key for key in settings.leaves(CloudConfig) if f"{key.rpartition('.')[2]}:" not in shown]


def test_an_error_in_the_log_says_where_and_not_what() -> None:
    def fails(words: str) -> None:
        raise ValueError(f"cannot understand {words}")

    with pytest.raises(ValueError) as caught:
        fails("my secret")
    logged = where(caught.value)
    assert logged.startswith("ValueError < ") and "test_settings.py" in logged and "fails" in logged and "secret" not in logged


@dataclass(frozen=True, slots=True)
class Entry:
    name: str
    size: int = 1
    path: Path | None = None
    env: Mapping[str, str] = field(default_factory=dict)
    args: tuple[str, ...] = ()

    def check(self) -> str | None:
        return "list: size must be positive." if self.size < 1 else None


@dataclass(frozen=True, slots=True)
class Listed:
    entries: tuple[Entry, ...] = ()
    other: int = 0
    third: int = 0

    def check(self) -> str | None:
        return "entries may not be named alike." if len({entry.name for entry in self.entries}) < len(self.entries) else None


def test_a_list_of_sections(tmp_path: Path) -> None:
    file = write(tmp_path, "entries:\n  - name: a\n    path: x\n  - {name: b, size: 2}\n")
    loaded = settings.load(Listed, file)
    assert loaded.value.entries == (Entry("a", 1, Path("x")), Entry("b", 2))
    assert settings.describe(loaded).startswith(
        "entries: [{args: [], env: {}, name: a, path: x, size: 1}, {args: [], env: {}, name: b, path: null, size: 2}]"
    )
    by_environment = settings.load(Listed, None, "RA", {"RA__ENTRIES": "[{name: c}]"})
    assert by_environment.value.entries == (Entry("c"),)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("entries: [{nam: a}]", "did you mean 'entries\\[0\\].name'"), ("entries: [{size: 2}]", "'entries\\[0\\].name' is missing"),
        ("entries: [{name: a}, {name: b, size: big}]", "'entries\\[1\\].size' must be a whole number"), ("entries: [a]", "list of entries with the keys name"),
        ("entries: a", "list of entries"), ("entries: [{name: a, size: 0}]", "size must be positive"), ("entries:\n  name: a", "is a list"),
        ("entries: [{env: {}, memory: 1, name: a}]", "entries\\[0\\] has name, size, path, env, args"),
    ],
)  # fmt: skip
def test_a_wrong_entry_is_named(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(UserError, match=says):
        settings.load(Listed, write(tmp_path, text))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("- name: a\n- size: 0\n  args: []\n  name: b\n", "list.yaml:3: list: size"),
        ("- name: a\n- path: x\n  size: 1\n", "list.yaml:3: the setting 'entries[1].name' is missing"),
        ("- name: a\n  env:\n    B: x\n    A: 1\n", "list.yaml:5: 'entries[0].env.A' must be text, not the number 1; write it in quotes."),
        ("- name: a\n  env: {A: yes}\n", "list.yaml:3: 'entries[0].env.A' must be text, not the switch True; write it in quotes."),
        ("- name: a\n  env: {A: [b]}\n", "list.yaml:3: 'entries[0].env.A' must be text, not the list ['b']."),
        ("- name: a\n  args: [--port, 80]\n", "list.yaml:3: 'entries[0].args[1]' must be text, not the number 80"),
        ("- name: a\n- name: b\n- name: a\nother: 1\nthird: 2\n", "list.yaml:1: entries may not"),
    ],
)  # fmt: skip
def test_a_fault_in_an_entry_names_its_own_line(tmp_path: Path, text: str, says: str) -> None:
    file = tmp_path / "list.yaml"
    file.write_text("entries:\n" + text, encoding="utf-8")
    with pytest.raises(UserError) as caught:
        settings.load(Listed, file)
    assert str(caught.value).startswith(says)
